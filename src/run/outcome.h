/* What a part of a split search found, as a file: written by the process that searched it, read by
 * the one that puts all together (run/wire.h). A file that is damaged or cut off, or that is of
 * another part, is not read at all. */
#ifndef CAIRN_RUN_OUTCOME_H
#define CAIRN_RUN_OUTCOME_H

#include "run/parts.h"
#include "result/result.h"

struct outcome {
    bool handed_on;
    enum stop_reason stop;
    const char *detail; /* more about it, or NULL */
    uint64_t states, transitions, initial_states, deadlocks, ends, runtime_errors, expanded,
        peak_bytes, frozen_bytes, live_peak;
    struct timed_statistics timed; /* of the timed engine; all 0 otherwise */
    double seconds;
    bool violated;                 /* something is */
    VEC(struct cluster_size) rest; /* clusters that were handed on; ranks less the lowest */
};

/* NULL, or why it cannot be written. */
const char *outcome_write(const struct parts *parts, uint32_t part, const char *attempt,
                          const struct task *task, const struct result *result);

/* Reads that of an attempt (run/attempt.h), and puts verdicts into the task's properties, rules and
 * locations into the result: one violation is enough, whatever was seen in one part was seen.
 * False: it cannot be read, and nothing has changed. */
bool outcome_read(const struct parts *parts, uint32_t part, const char *attempt, struct task *task,
                  struct result *result, struct outcome *outcome);

#endif
