/* What a search looks for in single states: monitors, what they find, verdicts.
 *
 * Invariants: (1) a monitor's bit is in `active` while its property is undecided; (2) findings wait
 * until the state at hand is expanded, at most one per monitor, unless several runs are asked for;
 * (3) `undecided` counts properties
 * that are asked and have no verdict. */
#ifndef CAIRN_SEARCH_FINDINGS_H
#define CAIRN_SEARCH_FINDINGS_H

#include "past/summary.h"
#include "program/program.h"
#include "result/result.h"
#include "search/set.h"

enum { FINDINGS_BITS = 64 };

enum findings_kind {
    FINDINGS_ALWAYS,     /* must be true */
    FINDINGS_ANTECEDENT, /* we hope to see it true */
    FINDINGS_NOT_ALWAYS  /* EF: the property holds where this is false */
};

struct monitor {
    uint32_t property, code;
    enum findings_kind kind;
    bool active;
    bool failed; /* it could not be evaluated somewhere */
};

struct finding {
    uint32_t monitor;
    struct set *set;
    uint64_t state;
};

/* What the space itself looks for in states that it expands, such as clock values: the property is
 * violated where it is seen. A sight is known by its bit, and has a monitor that never speaks, for
 * what must not be forgotten of it. */
enum { FINDINGS_SIGHTS = 64 };

/* Where several runs are asked for, so many violating states of a property are looked at: a run to
 * each is made, and most of them may be like others. */
enum { FINDINGS_TRIED = 1000 };

struct findings {
    struct monitor *monitors;
    struct finding *waiting; /* room for one per monitor at least */
    uint32_t count, found, room;
    uint32_t *tried; /* several runs: per property, violating states after the first one */
    uint32_t undecided;
    uint64_t active;                  /* bits of active monitors; monitor i has bit min(i, 63) */
    uint32_t deadlock, runtime_error; /* their entries in the task, or MODEL_NONE */
    uint32_t sights[FINDINGS_SIGHTS]; /* their monitors */
    uint32_t sight_count;
};

struct search;
struct worker;

/* Room for the monitors that the task's properties can need. */
void findings_init(struct findings *findings, const struct task *task);
void findings_release(struct findings *findings, struct mem *mem);
/* A monitor for a property. Before any worker is opened. */
void findings_add(struct search *search, uint32_t property, expr e, enum findings_kind kind);

/* The same for a sight; false: there are too many of them. */
bool findings_add_sight(struct search *search, uint32_t property);

/* Whether findings_state would have anything to do. Several workers may ask at the same time. */
bool findings_notices(const struct search *search, const struct worker *worker, uint64_t bits,
                      const uint64_t *words);
/* What the space has seen in a state of search->set, and could not evaluate there. */
void findings_sights(struct search *search, uint64_t seen, uint64_t unclear, uint64_t state);
/* Evaluates the monitors in `bits` in a new state of a set; what they find waits. */
void findings_state(struct search *search, uint64_t bits, const uint64_t *words, struct set *set,
                    uint64_t state);
/* Turns what waits into verdicts. Between expansions only: it uses the working buffers of the first
 * worker, like the next one. */
void findings_report(struct search *search);
/* A property is violated in a state; failed_rule may be MODEL_NONE. Only the first time counts,
 * and as many more as task->traces asks for. */
void findings_violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                       uint32_t failed_rule);
/* What is known of the monitors of a search, for a run that goes on; done: it has seen what it was
 * waiting for. */
extern const struct summary_monitors findings_monitors;
/* After the search: verdicts of what was not refuted. */
void findings_conclude(struct search *search);

static inline uint64_t findings_bit(uint32_t monitor)
{
    return UINT64_C(1) << (monitor < FINDINGS_BITS ? monitor : FINDINGS_BITS - 1);
}

#endif
