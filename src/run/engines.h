/* The table of engines: everything that a run needs to know about one of them. A new engine is a
 * row here (and a word in `enum engine`); the choice, turns, races and reports read it. Which
 * options only it has says run/combine. */
#ifndef CAIRN_RUN_ENGINES_H
#define CAIRN_RUN_ENGINES_H

#include "run/ask.h"

struct engine_row {
    enum engine id;
    const char *name;  /* as a choice, in results and in races */
    const char *title; /* in sentences */
    /* Answers task->properties in place. The memory of the model has a recovery point. */
    void (*run)(struct task *task, struct result *result);
    /* The same as one of several that take turns or race: quick answers first. NULL: it does not
     * take part. */
    void (*hunt)(struct task *task, struct result *result);
    bool explores;   /* it counts states, so that it can answer an exploration */
    bool needs_flat; /* it knows no code, arrays and priorities: it gets session_flat */
};

/* In the order in which they start in a race; the last row has no name. */
extern const struct engine_row engines[];

/* Not of ENGINE_AUTO, which has no row. */
const struct engine_row *engines_find(enum engine engine);

#endif
