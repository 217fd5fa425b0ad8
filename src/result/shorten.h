/* Runs without the steps that do not matter: of runs that were met by chance, and of loops. */
#ifndef CAIRN_RESULT_SHORTEN_H
#define CAIRN_RESULT_SHORTEN_H

#include "result/trace.h"

/* Who says whether a run still shows what it should. */
struct shorten_judge {
    bool (*shows)(void *context, struct trace *tried); /* it may change the delays */
    void *context;
    uint64_t most_work; /* steps that are tried in all */
};

/* A run that shows the same with fewer steps, or NULL: none was found. Steps of the loop are left
 * out like others, but for one; where a run comes back to earlier than its loop says, the loop
 * begins there. In a timed run what passed before a step that is left out passes before the next
 * one. */
struct trace *shorten_run(const struct model *model, const struct trace *trace,
                          const struct shorten_judge *judge);

/* The same for an untimed run that repeats, on which the LTL formula is false. Of a timed one none
 * is looked for: that its loop can be taken for ever is known from its zones alone. */
struct trace *shorten_loop(const struct model *model, const struct trace *trace, formula f);

#endif
