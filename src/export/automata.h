/* A model as a network of automata with locations, clocks and variables: what the exports to UPPAAL
 * (xta.c) and to TChecker (tck.c) share.
 *
 * A process of the model whose location is only ever set to constants by stores *is kept*: it
 * becomes an automaton, and its location variable is gone. Where an expression asks for it as a
 * number, the automaton has a *place number* beside it: a variable that always says where it
 * stands. Locations of other processes are plain variables. Cells that an index can mean are one
 * array.
 *
 * A rule has *movers*, kept processes whose edges are taken together: those whose location it
 * writes, and some of those whose location its guard fixes. Its conditions and its effect stand
 * with the first one.
 *
 * A rule with an interval has a clock, its *timer*. Which steps set it follows from model.h: those
 * that move one of its processes, and those that enable it. Where it cannot be told beforehand
 * whether a step enables it, the step asks before and after.
 *
 * Everything is written to a text first; so nothing is written of what cannot be said. */
#ifndef CAIRN_EXPORT_AUTOMATA_H
#define CAIRN_EXPORT_AUTOMATA_H

#include "export/names.h"

enum automata_dialect { AUTOMATA_XTA, AUTOMATA_TCK };

/* Why a model cannot be written, and where that is seen. */
struct automata_refusal {
    const char *reason; /* NULL: it can */
    struct place place;
};

/* Cells that are declared together. */
struct automata_array {
    uint32_t first, count;
    int64_t low, high;
    const char *name, *copy; /* copy: in functions that must not change the state */
    bool is_fresh;           /* hidden, and assigned by every step that reads it */
    bool is_gone;            /* nothing reads or writes it, or it is the location of an automaton */
    bool is_copied;          /* in the function at hand */
};

struct automata_mover {
    uint32_t process;
    bool is_fixed;  /* it comes from `from`, otherwise from anywhere */
    bool is_moving; /* it goes to `to`, otherwise it stays */
    int64_t from, to;
};

struct automata_words {
    VEC(const char *) list;
};

struct automata_within {
    const char *name;
    int64_t low, high;
};

struct automata {
    struct model *model;
    enum automata_dialect dialect;
    struct automata_refusal refusal;
    struct numbers numbers;
    struct naming naming;
    struct map picked_of; /* how often a name was wanted: into `picked` */
    VEC(uint32_t) picked;
    struct text *out;      /* where things are written to */
    struct text functions; /* XTA: declared before the processes */
    uint32_t pass;         /* texts are made twice: the first time says what they need */
    bool in_query;         /* locations have names in queries */
    /* writing a rule */
    bool in_guard;                              /* its body is tried on copies */
    bool is_first;                              /* TCK: of the statements of its list */
    uint32_t indent;                            /* XTA */
    uint32_t nesting;                           /* of the expression at hand */
    uint64_t statements;                        /* written so far */
    struct automata_words temps, flags, wases;  /* names of locals by number */
    uint32_t used_temps, used_flags;            /* of the effect at hand */
    uint32_t copied_cells;                      /* the most that a statement copies */
    VEC(uint32_t) used_locals, copied;          /* arrays of the effect at hand */
    uint32_t walk;                              /* number of the walk that marks what it sees: */
    VEC(uint32_t) expr_seen;                    /* per expression, */
    uint32_t *code_seen, *local_seen, *written; /* statement, local array, variable, */
    uint32_t *seen;                             /* rule */
    uint8_t *leaves, *blocks;                   /* per statement, once that is known */
    /* cells */
    VEC(struct automata_array) arrays, locals;
    uint32_t *array_of, *local_of; /* per variable, per local */
    uint32_t *sets;                /* per variable: the clock that it sets, or MODEL_NONE */
    const char **setter, **clock;  /* per clock: names */
    /* processes; names of others are NULL */
    bool *keeps, *is_numbered; /* numbered: it has a place number */
    const char **name, **number;
    const char ***location; /* per process and value from the lowest on */
    uint32_t **location_at; /* the same: number in model->locations, or MODEL_NONE */
    bool **starts;          /* the same: it is initial */
    int64_t *initial;       /* per variable */
    /* rules */
    const char **timer;                   /* of rules with an interval */
    const char **enabled, **take, **can;  /* functions (XTA), once they are needed; ... */
    uint32_t *enabled_at, *can_at;        /* ... the pass that wrote them last */
    uint32_t *first_reader, *readers;     /* per variable: rules with timers it may enable */
    uint32_t *first_resident, *residents; /* per process: rules with timers it is part of */
    VEC(uint32_t) resets, asked;          /* timers that the rule at hand sets; asks about */
    /* what the text needs */
    VEC(struct automata_within) withins; /* XTA: functions that test a range */
    struct map within_of;
    const char *fails; /* XTA: a function that fails */
    bool has_fails;
    const char **table; /* XTA: names */
    bool *uses_table;
    const char *must; /* TCK: a variable that can only be 0 */
    bool uses_must;
};

/* Finds arrays, automata and names; `reserved`: words of the language, the last one NULL. What it
 * refuses is in a->refusal. */
void automata_start(struct automata *a, struct model *model, enum automata_dialect dialect,
                    const char *const *reserved);
void automata_finish(struct automata *a);
void automata_refuse(struct automata *a, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The movers of a rule, at most `most` unless more are moving. */
enum { AUTOMATA_ALL = 0xFFFF };
struct automata_movers {
    VEC(struct automata_mover) list;
};
void automata_movers(struct automata *a, uint32_t rule, uint32_t most,
                     struct automata_movers *movers);
/* The process whose location the guard of the rule fixes, and where; MODEL_NONE: none. */
uint32_t automata_home(struct automata *a, uint32_t rule, int64_t *at);
/* Where a rule is seen in the source. */
struct place automata_place(const struct automata *a, uint32_t rule);
/* A name that is used once per scope: as wanted, or with a number behind it. */
const char *automata_pick(struct automata *a, uint32_t scope, const char *wanted);
/* A text of no characters, which has data; and back to that. */
void automata_open(const struct automata *a, struct text *text);
void automata_clear(struct text *text);
/* `// text`, on one line. */
void automata_comment(struct automata *a, const char *start, const char *text);
/* Comments that say which names were changed. */
void automata_legend(struct automata *a, const char *start);

/* ---- automata_code.c: what is computed ---- */

/* Things that are written one after the other. */
struct automata_list {
    const char *before, *between;
    uint32_t count;
};
void automata_next(struct automata *a, struct automata_list *list);

/* A number or a condition without clocks (XTA); a formula without temporal operators. */
void automata_expr(struct automata *a, expr e);
void automata_formula(struct automata *a, formula f);
void automata_constraint(struct automata *a, const struct clock_constraint *constraint,
                         struct automata_list *list);

/* The guard of a rule, without what its movers say by where they stand (`first_only`: the first one
 * says so, the others are asked by their place numbers). `is_forbidden`: where it is not permitted,
 * instead of where it is. */
void automata_guard(struct automata *a, uint32_t rule, const struct automata_movers *movers,
                    bool first_only, bool is_forbidden, struct automata_list *list);
/* That the timer of a rule is not beyond its interval while the rule is enabled, given that this
 * process, or MODEL_NONE, stands where the guard wants it. */
void automata_deadline(struct automata *a, uint32_t rule, uint32_t process,
                       struct automata_list *list);
/* The effect, as statements (TCK), or as assignments and calls of functions (XTA). */
void automata_effect(struct automata *a, uint32_t rule, struct automata_list *list);

#endif
