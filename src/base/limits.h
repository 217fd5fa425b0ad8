/* The one place that says "enough". Two words are written by handlers of signals (run/deadline),
 * and everything that can take long reads one of them: a read is one load, so that it may stand in
 * inner loops.
 *
 * `limits_stop` is read by
 *  - base/mem: whoever is refused memory by a jump (readers, passes, exports, preparations of
 *    engines) is refused it in the same way when there is enough;
 *  - diagrams and SAT solvers, whoever uses them: the operation is given up as a stopped one;
 *  - loops that can take long and allocate nothing, by mem_look.
 * Searches have clocks of their own, and read `limits_interrupted`; `limits_stop` comes a little
 * later, for the parts of them that do not look. What was found is told behind mem_lift, where
 * nothing is refused for the sake of time, and memory only at twice the limit.
 *
 * Questions that only help (are these guards exclusive?) have a budget of work and a safe answer,
 * and are not asked in the second half of the time (`limits_hurry`). Whoever looks nowhere is ended
 * after three times the time that was given; libraries that allocate by themselves, by the system
 * at twice the memory (mem_cap_process). */
#ifndef CAIRN_BASE_LIMITS_H
#define CAIRN_BASE_LIMITS_H

#include <stdatomic.h>
#include <stdbool.h>

/* The mutable globals of the program: a handler of signals has nothing else to write to. Other
 * threads read them. */
extern atomic_int limits_stop;        /* time is up, or a signal came a while ago */
extern atomic_int limits_interrupted; /* a signal came */
extern atomic_int limits_hurry; /* half of the time is gone: questions that only help, and have a
                                   safe answer, are no longer asked */

static inline bool limits_enough(void)
{
    return atomic_load_explicit(&limits_stop, memory_order_relaxed) != 0;
}

#endif
