/* Which choices go together: one table, with a reason for each row. The option check reads it, and
 * so does docs/combinations.md (`cairn --combinations`). A row that is true refuses the ask, says
 * what follows from it, or that one thread searches. Rows are read in order, so that what follows
 * counts for later ones.
 *
 * A combination that begins to work is a row that is deleted; one that a new order or engine does
 * not have is a row that is added. */
#ifndef CAIRN_RUN_COMBINE_H
#define CAIRN_RUN_COMBINE_H

#include "run/ask.h"

#include <stdio.h>

/* What a model has to do with it. */
struct combine_model {
    const char *file;
    bool is_timed;
    bool is_influenced; /* hidden variables influence what can be seen: */
    const char *names;  /* ... these */
    bool has_rank;
};

/* Words of the door, for messages. */
struct combine_words {
    const char *command;  /* its name */
    const char *argument; /* what it needs: MODEL */
};

/* Before anything is read: completes the ask with what follows from its choices. False: complaint
 * says why it cannot be done. */
bool combine_check(struct ask *ask, const struct combine_words *words, struct text *complaint);

/* When the model is known. False after a message. */
bool combine_check_model(const struct ask *ask, const struct combine_model *model,
                         struct diag *diag);

/* Why one thread searches, however many are asked for; NULL: several do. Not for engines that take
 * turns or race. */
const char *combine_one_thread(const struct ask *ask, const struct combine_model *model);

/* The table, as Markdown. */
void combine_print(FILE *out);

#endif
