/* A run of a model, step by step, by hand or at random: all its states, one after the other, and
 * the rules between them. Steps that were undone are still known, until another one is taken. */
#ifndef CAIRN_RUN_STEPPER_H
#define CAIRN_RUN_STEPPER_H

#include "base/random.h"
#include "run/session.h"

/* Delays are multiples of so small a part of a tick: at random, and by hand. */
enum { STEPPER_PARTS = 4, STEPPER_FINE_PARTS = 5040 };
#define STEPPER_MOST_PARTS (INT64_C(1) << 31) /* so that times of 32 bits fit in 64 */

struct stepper {
    struct session *session;
    struct model *model;
    struct task task; /* with its properties */
    VEC(int64_t) states;
    VEC(uint32_t) rules;
    bool is_timed;
    struct timed_state timed; /* of a timed model: the last state, in parts of a tick */
    int64_t parts;            /* of a tick, ... */
    int64_t waited;           /* ... and how many of them have passed since the last step */
    VEC(int64_t) delays;      /* before each rule */
    uint32_t known;           /* steps: those that were undone included */
    uint32_t *enabled; /* rules enabled in the last state; timed: that can be taken after some whole
                          number of parts ... */
    uint32_t enabled_count;
    uint32_t failed; /* ... and one that fails there, or MODEL_NONE */
    int64_t *scratch;
    struct random random;
};

/* Of a loaded model. False: an unknown property was told. */
bool stepper_init(struct stepper *stepper, struct session *session);

/* From a random initial state. In a timed model invariants of locations may exclude these. False
 * after a message: so many were excluded. */
bool stepper_start(struct stepper *stepper);
/* From this one. False, and there is no run: it is not an initial state of the model. */
bool stepper_start_at(struct stepper *stepper, const int64_t *initial);
/* Takes a rule that is enabled; in a timed model after a random delay that it allows. */
void stepper_take(struct stepper *stepper, uint32_t rule);
/* To the state after so many steps, of those that are known. */
void stepper_jump(struct stepper *stepper, uint32_t steps);

/* By hand, in time. When a rule can be taken, from now on, priorities aside; how long the state may
 * last. */
struct timed_window stepper_chance(struct stepper *stepper, uint32_t rule);
struct timed_window stepper_patience(const struct stepper *stepper);
/* The shortest delay in the window that is easily written; there is one of whole parts. */
int64_t stepper_simple_delay(const struct stepper *stepper, const struct timed_window *window);
/* Lets time pass. False: the state does not last so long. */
bool stepper_wait(struct stepper *stepper, int64_t delay);
/* Takes a rule after a delay. False: it cannot be taken then; nothing has changed. */
bool stepper_take_after(struct stepper *stepper, uint32_t rule, int64_t delay);
/* A delay as people write it: in units, such as 3, 5/2 or 2.5. False: the text is none, or it is
 * not a whole number of parts. */
bool stepper_read_delay(const struct stepper *stepper, const char *text, int64_t *delay);
/* From the next start on, delays may also be multiples of such a part of a tick. False: their
 * common parts are too small. */
bool stepper_refine(struct stepper *stepper, int64_t denominator);
/* The run becomes that of a trace of this model. False: its delays have too many digits. */
bool stepper_load(struct stepper *stepper, const struct trace *trace);

/* The last state: a value per variable. */
int64_t *stepper_last(struct stepper *stepper);
struct trace *stepper_trace(const struct stepper *stepper);

/* What a property says of every state; false: it says nothing of the kind. */
bool stepper_condition(const struct property_result *entry, expr *condition);
/* Whether the condition is false in the last state. */
bool stepper_is_false(struct stepper *stepper, expr condition);

/* Random runs, as many and as long as the ask says. What was done so far is there also when a limit
 * ends it. */
struct stepper_runs {
    void (*show)(void *context, struct stepper *stepper); /* after each step; NULL: nobody looks */
    void *context;
    uint64_t runs, steps;
    struct result seen; /* how often rules were taken, which locations were reached */
    struct property_result *violation;
    bool has_no_start; /* an initial state could not be made */
    bool is_cut;       /* there is no last run */
};
/* Why the runs ended early; NULL: they did not. From now on, it is told. */
const char *stepper_run(struct stepper *stepper, struct stepper_runs *runs);
/* The runs that show something, without steps that do not matter. Returns how many steps the run of
 * the property had, or 0: it is as it was. */
uint32_t stepper_shorten(struct stepper *stepper, const struct property_result *of);
/* Everything that was sought has been found, and nothing else was asked. */
bool stepper_is_over(const struct stepper *stepper);
/* What the runs say of each property: never that something always holds. */
void stepper_conclude(struct stepper *stepper);

#endif
