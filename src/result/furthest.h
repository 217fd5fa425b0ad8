/* Several searches that ask the same, one after the other: engines that take turns, a search that
 * begins again with files, or with other zones. Nothing that one of them found is lost:
 *
 *  1. a property that one search decided stays decided, with its run and the name of its engine;
 *  2. the result is that of one search, never a mixture: of the one that answered the last open
 *     question, otherwise of the furthest, whose words also say why the rest is unknown;
 *  3. of two searches the further one has visited all states, or else more of them;
 *  4. two searches that contradict each other are an internal error;
 *  5. the result is complete when it has all states (or is one of proofs) and all is decided;
 *  6. memory that is refused to a later search where that makes no result of it ends that search
 *     alone: what it took stays taken, so it should be the last one;
 *  7. a limit that only decides whose turn it is (a number of states, zones of another kind) is
 *     not told as the reason of the end: the last search knows that. */
#ifndef CAIRN_RESULT_FURTHEST_H
#define CAIRN_RESULT_FURTHEST_H

#include "result/result.h"

struct furthest {
    struct task *task;
    struct property_result *fresh; /* per property: as it was before the first search, ... */
    struct property_result *known; /* ... the first answer, if there is one, ... */
    struct property_result *said;  /* ... and what the told search says of it */
    struct result told;
    bool answered;         /* everything asked is decided */
    const char *broken;    /* of any search */
    enum stop_reason stop; /* of the last search */
    double seconds;
    uint64_t peak_bytes;
    struct search_brief *searches;
    uint32_t count, room;
};

/* Before the first search: notes the properties as they are. */
void furthest_begin(struct furthest *furthest, struct task *task);
/* After each search: takes its result and the verdicts in the task, which is as fresh as before the
 * first one then. `seconds` of a result count from the beginning of all. */
void furthest_add(struct furthest *furthest, struct result *result);
/* A later search, search(context), which ends with furthest_add. False: memory was refused
 * (invariant 6), and the task is fresh again. */
bool furthest_run(struct furthest *furthest, void (*search)(void *context), void *context);
/* Whether everything asked is decided, by all searches that were added. */
bool furthest_is_decided(const struct furthest *furthest);
/* After the last search: the verdicts of all and the result that is told. Frees the rest. */
void furthest_end(struct furthest *furthest, struct result *result);

/* Whether a has come further than b. */
bool furthest_is_further(const struct result *a, const struct result *b);
/* Where several searches have decided: what a result may say of its own end (invariant 5). */
void furthest_settle(const struct task *task, struct result *result);

#endif
