/* What may be claimed. An engine says what it did; here, and nowhere else, that becomes the
 * sentence of the assurance, the list of what the claim stands under, and the status with which a
 * command ends. Everything that restricts a claim is named: context and restrictions, guide and
 * bound, constants that were set, reduction and what it keeps, hidden variables, fairness.
 * `complete` is about what these allow. test/unit/conclude.c has a table of every combination with
 * its sentence. */
#ifndef CAIRN_RESULT_CONCLUDE_H
#define CAIRN_RESULT_CONCLUDE_H

#include "base/out.h"
#include "result/result.h"

/* One sentence, without its full stop, beginning with a small letter: what was proved, how, and
 * under what limits. property_count 0: an exploration. */
void conclude_sentence(struct text *text, const struct model *model, const struct task *task,
                       const struct result *result);

/* The object `under`: what restricts the claim. */
void conclude_under(struct out *json, const struct model *model, const struct task *task,
                    const struct result *result);

/* In words, what the model stands under: context, guide, constants; begins with "; ". */
void conclude_conditions(struct text *text, const struct model *model, const struct result *result);

/* In words, what a reduction keeps: "keeps LTL without X over x, y". */
void conclude_kept(struct text *text, const struct model *model, const struct task *task,
                   const struct result *result);

/* Of a search that was divided: `count` contexts, guides or parts of a guide (`word`), each
 * searched by itself. bound 0: none. */
struct conclude_division {
    const char *word;
    uint32_t count;
    bool are_parts; /* of one guide */
    bool complete;
    uint64_t bound;
    const char
        *semantics; /* `guide_semantics` of what they stand under; NULL: it makes no difference */
    const char *restrictions, *constants,
        *reduction; /* in words, of some or all of them; empty: none */
};
void conclude_divided(struct text *text, const struct conclude_division *division);

/* The exit status of `check` (or `explore`). */
enum {
    EXIT_HOLDS = 0,
    EXIT_VIOLATED = 1,
    EXIT_USAGE = 2,
    EXIT_INCONCLUSIVE = 3,
    EXIT_INTERNAL = 4
};
int conclude_status(bool is_check, const struct task *task, const struct result *result);

/* One verdict for a property from those of several parts: one part is enough to violate it, or to
 * reach what is sought; all are needed for the opposite. */
enum verdict conclude_joined(bool seeks, enum verdict before, enum verdict verdict);

#endif
