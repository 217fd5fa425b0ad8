/* One timer, of passing time, which fires when a phase should end and then every few milliseconds;
 * each time the handler compares both clocks with what is written below. Handlers call only what
 * POSIX allows them to (clock_gettime, timer_settime, write, _exit). While the numbers are changed,
 * signals wait.
 *
 * Invariants: (1) limits_stop and limits_hurry are set by `look` alone and cleared when a phase
 * begins; (2) hard_cpu is set once per process. */
#include "run/deadline.h"

#include "base/clock.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum phase { PHASE_NONE, PHASE_READING, PHASE_SEARCHING, PHASE_TELLING };

static const double never = 1e18;
static const double longest = 1e9; /* seconds that a timer takes anywhere */
static const double tick = 0.02;   /* between two looks */
static const double least_reading =
    0.6; /* seconds of processor time, at least, before reading ends */
static const double spare =
    0.8; /* of the second beyond three times --time: the rest is for ending */
static const double late_share =
    1.2; /* a search that does not look at its clock is stopped later, by so much ... */
static const double late = 0.05;         /* ... and this */
static const double after_signal = 0.25; /* the same after a signal, of either clock */
static const double patience = 10;       /* processor time after a signal when there is no --time */
enum { STILL_TICKS = 50 }; /* without any processor time: it waits for input that does not come */

static struct {
    struct deadline_plan plan;
    timer_t timer;
    bool has_timer;
    bool is_begun; /* otherwise nobody wants this: there is no timer, and nothing is set */
    bool is_part;  /* of the work of other processes */
    enum phase phase;
    double soft_wall, soft_cpu; /* the phase ends when both have passed */
    double half_wall;           /* half of the phase is gone */
    double hard_cpu;            /* the process ends */
    double last_cpu;            /* at the last tick */
    unsigned still;             /* so many ticks without any work */
} state;

static double cpu_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- in handlers ---- */

const char *deadline_words(void)
{
    static const char *const texts[][2] = {
        [PHASE_NONE] = {"the time limit was reached", "it was interrupted"},
        [PHASE_READING] = {"the time limit was reached while the model was read and prepared",
                           "it was interrupted while the model was read and prepared"},
        [PHASE_SEARCHING] = {"the time limit was reached in a part of the search without a result",
                             "it was interrupted in a part of the search without a result"},
        [PHASE_TELLING] = {"the time limit was reached while the result was written",
                           "it was interrupted while the result was written"}};
    return texts[state.phase][limits_interrupted != 0];
}

static _Noreturn void speak_last_words(void)
{
    if (state.plan.last_words) state.plan.last_words(deadline_words(), state.is_part);
    if (state.is_part) _exit(DEADLINE_STATUS + (limits_interrupted ? STOP_INTERRUPT : STOP_TIME));
    _exit(EXIT_INCONCLUSIVE);
}

/* 0: not at all. */
static void set_timer(double seconds)
{
    double delay = seconds < longest ? seconds : longest, whole = floor(delay);
    struct itimerspec when = {.it_interval = {0, (long)(tick * 1e9)},
                              .it_value = {(time_t)whole, (long)((delay - whole) * 1e9)}};
    if (seconds <= 0) when = (struct itimerspec){.it_value = {0, 0}};
    if (state.has_timer) timer_settime(state.timer, 0, &when, NULL);
}

static void look(void)
{
    double wall = clock_now(), cpu = cpu_now();
    state.still =
        cpu > state.last_cpu + tick / 40 ? 0 : state.still + 1; /* the handler itself takes less */
    state.last_cpu = cpu;
    if (cpu >= state.hard_cpu) speak_last_words();
    if (wall >= state.half_wall) limits_hurry = 1;
    if (wall < state.soft_wall) return;
    if (state.phase == PHASE_READING && state.still >= STILL_TICKS) speak_last_words();
    if (cpu >= state.soft_cpu) limits_stop = 1;
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    look();
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    /* a second Ctrl-C does not wait; a part may be told by its parent and by others, and ends with
     * its parent */
    if (limits_interrupted && state.is_part) return;
    if (limits_interrupted) _exit(EXIT_INCONCLUSIVE);
    limits_interrupted = 1;
    if (state.phase == PHASE_NONE) return;
    double wait = state.phase == PHASE_READING ? 0 : after_signal, cpu = cpu_now();
    if (state.phase != PHASE_TELLING) state.soft_wall = clock_now() + wait;
    state.half_wall = state.soft_wall;
    state.soft_cpu = cpu + wait;
    if (state.hard_cpu > cpu + patience) state.hard_cpu = cpu + patience;
    set_timer(tick);
    look();
}

/* ---- phases ---- */

void deadline_stop_at(int signal_number)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(signal_number, &action, NULL);
}

/* The phase ends `wall` seconds from now and after so many seconds of processor time; 0: it does
 * not. */
static void enter(enum phase phase, double wall, double cpu)
{
    sigset_t all, old;
    if (!state.is_begun) return;
    assert(wall >= 0 && cpu >= 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (limits_interrupted && phase == PHASE_SEARCHING) wall = cpu = after_signal;
    if (limits_interrupted && phase == PHASE_READING) wall = cpu = 1e-3;
    state.phase = phase;
    state.soft_wall = wall > 0 ? clock_now() + wall : never;
    state.soft_cpu = wall > 0 ? cpu_now() + cpu : 0;
    state.half_wall = wall > 0 ? clock_now() + wall / 2 : never;
    state.still = 0;
    limits_stop = limits_hurry = 0;
    double until_hard =
        state.hard_cpu - cpu_now(); /* it cannot come earlier by the other clock, but for threads */
    if (phase == PHASE_NONE) set_timer(0);
    else if (wall > 0 && wall < until_hard) set_timer(wall / 2);
    else if (state.hard_cpu < never) set_timer(until_hard > tick ? until_hard : tick);
    else set_timer(0);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Back to a phase that was left for another one. */
static void return_to(enum phase phase, double soft_wall, double soft_cpu)
{
    double wall = soft_wall < never ? soft_wall - clock_now() : 0, cpu = soft_cpu - cpu_now();
    enter(phase, soft_wall < never && wall < tick ? tick : wall, cpu > 0 ? cpu : 0);
}

static void make_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    state.has_timer = !timer_create(CLOCK_MONOTONIC, &event, &state.timer);
}

static void begin_reading(double threads)
{
    double time = state.plan.seconds;
    state.last_cpu = 0;
    make_timer();
    state.hard_cpu = time > 0 ? cpu_now() + (3 * time + spare) * threads : never;
    enter(PHASE_READING, time, time < least_reading ? least_reading : 0);
}

void deadline_begin(const struct deadline_plan *plan)
{
    state.plan = *plan;
    state.is_begun = true;
    deadline_stop_at(SIGINT);
    deadline_stop_at(SIGTERM);
    begin_reading(plan->threads > 1 ? (double)plan->threads : 1);
}

void deadline_begin_again(void)
{
    state.is_begun = state.is_part = true;
    begin_reading(1);
}

int deadline_status(void) { return DEADLINE_STATUS + (int)result_why_refused(); }

void deadline_search(double seconds)
{
    enter(PHASE_SEARCHING, seconds > 0 ? seconds * late_share + late : 0,
          seconds > 0 ? seconds * (late_share - 1) + late : 0);
}

void deadline_tell(void) { enter(PHASE_TELLING, 0, 0); }

void deadline_wait(void) { enter(PHASE_NONE, 0, 0); }

/* ---- engines ---- */

/* What the engine has half done is as if it had not begun. */
static void make_empty(const struct task *task, const struct property_result *before_it,
                       struct result *result, const char *engine)
{
    if (task->property_count)
        memcpy(task->properties, before_it, task->property_count * sizeof *before_it);
    const struct model *model = task->model;
    struct mem *mem = model->mem;
    struct mem_lift before = mem_lift(mem);
    *result = (struct result){.engine = engine,
                              .stop = result_why_refused(),
                              .peak_bytes = mem->peak,
                              .no_transitions = true,
                              .no_deadlocks = true};
    result->taken = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    result->reached_first =
        mem_alloc(mem, (model->processes.len + UINT64_C(1)) * sizeof *result->reached_first);
    result->reached = mem_alloc(mem, result_shape(model).reached);
    for (uint32_t i = 0; i < task->property_count; i++)
        if (task->properties[i].verdict == VERDICT_UNKNOWN)
            task->properties[i].reason = stop_reason_text[result->stop];
    mem_lower(mem, before);
}

void deadline_run(struct task *task, struct result *result, const char *engine,
                  void (*run)(struct task *task, const void *context, struct result *result),
                  const void *context)
{
    struct mem *mem = task->model->mem;
    jmp_buf recover, *const outer = mem->recover;
    const struct mem_lift before = {mem->limit, mem->lifted};
    const size_t size = task->property_count * sizeof *task->properties;
    struct property_result *const before_it = mem_alloc(mem, size + 1);
    const double started = clock_now(), soft_wall = state.soft_wall, soft_cpu = state.soft_cpu;
    const enum phase phase = state.phase;
    if (size) memcpy(before_it, task->properties, size);
    deadline_search(task->max_seconds);
    if (setjmp(recover)) {
        mem->recover = outer;
        mem_lower(mem, before);
        make_empty(task, before_it, result, engine);
        result->seconds = clock_now() - started;
    } else {
        mem->recover = &recover;
        run(task, context, result);
        mem->recover = outer;
    }
    result_assert(task, result);
    mem_free(mem, before_it);
    return_to(phase, soft_wall, soft_cpu);
}
