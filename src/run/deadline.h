/* Time and signals: who writes what base/limits.h reads.
 *
 * A command has phases. While a model is read and prepared, --time (but not less than most of a
 * second of processor time, so that a search with hardly any time tells its beginning) ends the
 * phase: limits_stop rises. A search has a clock of its own, which its engine looks at; limits_stop
 * rises somewhat later, for the parts of engines that do not look. What was found is told without a
 * clock. SIGINT, SIGTERM and such end each phase in the same way.
 *
 * Whoever does not look at limits_stop either is ended from here: after three times --time, or a
 * while after a signal, with the last words of whoever asked. So limits hold whatever the
 * program is busy with. Where there is a choice, processor time is measured, because a busy machine
 * is nobody's fault. */
#ifndef CAIRN_RUN_DEADLINE_H
#define CAIRN_RUN_DEADLINE_H

#include "result/conclude.h"

struct deadline_plan {
    double seconds;   /* 0: no limit */
    uint64_t threads; /* that work at the same time, or fewer than two */
    /* The end comes now, in a handler of a signal: what is said then. is_part: by a process that
     * does a part of the work. Calls only what POSIX allows handlers. May be NULL. */
    void (*last_words)(const char *text, bool is_part);
};

/* The command begins: with reading. Whoever wants handlers of signals and a timer asks for them
 * here; without this call none of them is there, and engines look at their own clocks. */
void deadline_begin(const struct deadline_plan *plan);
/* The same in a new process that does a part of the work, with timers of its own. It has no last
 * words for standard output; when it is ended from here, or by a jump, its exit status is
 * deadline_status. */
void deadline_begin_again(void);
enum {
    DEADLINE_STATUS = 64
}; /* the status of a part that a limit ended without a result: this and the reason to stop (enum
      stop_reason) */
int deadline_status(void);
/* A search begins, with so many seconds; 0: as many as it likes. */
void deadline_search(double seconds);
/* It has ended: what is found is told, or something else is prepared. */
void deadline_tell(void);
/* This process waits for others, each with a clock of its own. */
void deadline_wait(void);

/* This signal, too, asks for an end. A second one ends the program at once. */
void deadline_stop_at(int signal_number);

/* After a jump to a recovery point that was not for lack of memory (result_why_refused): which
 * limit met what, in words. */
const char *deadline_words(void);

/* Runs an engine as a phase. Where it is refused memory or time outside of what it can make a
 * result of, there is one without states, with the reason. */
void deadline_run(struct task *task, struct result *result, const char *engine,
                  void (*run)(struct task *task, const void *context, struct result *result),
                  const void *context);

#endif
