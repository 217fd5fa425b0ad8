/* The model: what every language becomes and all that every engine sees.
 *
 * A model is data: variables (bounded integers), rules (the atomic steps), processes, properties.
 * Rules have a guard, kept as a list of conjuncts with their positions (explanations and reductions
 * need them), and an effect: one parallel assignment (all values are computed in the old state,
 * then all targets are written), then a statement block (model/code.h) that works on the new state.
 * A rule is enabled when all conjuncts are true, evaluated in order and stopping at the first false
 * one, its effect runs to the end without a false REQUIRE, and no rule of a class above one of its
 * own classes is enabled (priorities).
 *
 * A failure (division by zero, an index out of bounds) while a guard or an effect is evaluated is
 * the run-time error of that rule in that state: the pair is reported and is no transition.
 *
 * Time. A rule may have an interval: its timer starts when the rule becomes enabled (priorities
 * aside; a rule that fails counts as enabled), is lost when it is not enabled any more, when the
 * rule itself is taken, and when a step of another rule moves one of its processes (a part that
 * `stays` does not count as moving). The rule can be taken when its timer is in the interval, and
 * time does not pass beyond the upper end of the interval of any enabled rule. A rule without an
 * interval can be taken at any time. Beside timers there are clocks with constraints, resets and
 * invariants of locations (timed automata). All times are whole numbers of ticks, `ticks` of which
 * are one unit of time. Priorities with time: a rule is held back while one of a higher class can
 * be taken at that moment: it is enabled, its timer is in its interval, and its clock constraints
 * hold. The details are in model/timed_eval.h.
 *
 * No time passes while a process is in an urgent location, nor while an urgent rule is enabled and
 * its clock guards hold. A step sets clocks to constants, and to values that its code computes:
 * where both speak of a clock, the code counts.
 *
 * Everything lives in flat tables and refers to other things by index. Rules own ranges of the
 * tables parts, conjuncts, stores, reads and writes. model_finish computes what is derived;
 * model_check states the invariants. */
#ifndef CAIRN_MODEL_MODEL_H
#define CAIRN_MODEL_MODEL_H

#include "base/diag.h"
#include "base/text.h"
#include "model/code.h"
#include "model/expr.h"
#include "model/formula.h"
#include "model/shape.h"

enum { MODEL_NONE = 0xFFFFFFFF };

/* What may come next at each value of a variable that follows an automaton: the remaining events of
 * a context, the interactions that a guide allows. For people. */
struct model_course {
    int64_t first; /* the value of state 0 */
    uint32_t states;
    const uint32_t *first_edge, *edge_label; /* the edges of state s are first_edge[s] ..
                                                first_edge[s + 1] - 1 */
    const char *const *labels;
};

struct model_var {
    const char *name; /* as shown to people: g, p[0].x */
    uint32_t process; /* its owner, or MODEL_NONE */
    int64_t low, high;
    int64_t init;   /* the initial value ... */
    bool any_init;  /* ... or any value of the range */
    bool is_hidden; /* it never distinguishes states; no location and no rank is hidden. pass/hide.h
                       says what that means for a search */
    bool is_fresh;  /* it is hidden in a model with time, and every step that reads it assigns it
                       first, so that it says nothing about states: pass/hide.h finds that */
    bool is_left_out; /* it was hidden, and pass/hide.h has left it out: it has one value, and
                         nothing reads or writes it */
    bool is_unshown;  /* the user does not want to see it (--hide) */
    bool is_internal; /* bookkeeping that no source has: it is shown with plain numbers only */
    const char *const *value_names;    /* for people: of its values, from low on; NULL: numbers */
    const struct model_course *course; /* or NULL */
    struct place place;
};

struct model_location {
    int64_t value;
    const char *name;                     /* NULL: shown as its number */
    uint32_t first_invariant, invariants; /* clock constraints that hold while a process is there */
    bool is_urgent;                       /* no time passes while a process is there */
    struct place place;
};

/* Who brought a process in. */
enum process_role { ROLE_SYSTEM, ROLE_CONTEXT, ROLE_OBSERVER };

struct model_process {
    const char *name; /* p[0] */
    enum process_role role;
    const char *type;
    uint32_t location; /* the variable that says where it stands, or MODEL_NONE */
    uint32_t first_location, locations;
    struct place place;
};

/* What a process does in a step of several, as far as the language says so: for people only. */
enum part_role { PART_PLAIN, PART_SENDS, PART_RECEIVES };
extern const char *const part_role_name[]; /* NULL: plain */

/* A process (or the global command: MODEL_NONE) that takes part in a rule, with the command it
 * contributes. */
struct rule_part {
    uint32_t process;
    bool stays; /* timers of other rules of this process go on */
    enum part_role role;
    struct place place;
};

/* What a condition is in the user's words, where its expression is not: whoever makes the condition
 * says it, and explanations use it.
 *  - CONDITION: a condition of the source, with the variables whose values decide it;
 *  - SCENARIO, GUIDE: the context or the guide allows this event or interaction;
 *  - SEND, RECEIVE: the queue has room for this message of the context, or has it first;
 *  - RESTRICTION: this restriction of a context has not cut the run. */
enum wording_kind {
    WORDING_CONDITION,
    WORDING_SCENARIO,
    WORDING_GUIDE,
    WORDING_SEND,
    WORDING_RECEIVE,
    WORDING_RESTRICTION
};

struct model_wording {
    enum wording_kind kind;
    const char *text;     /* the condition; or the name of the event, interaction or restriction */
    const uint32_t *vars; /* each the first one of a value */
    uint32_t var_count;
};

struct rule_conjunct {
    expr cond;
    uint32_t part; /* counted from the rule's first part */
    struct place place;
    uint32_t wording; /* its number, from 1; 0: the expression says it */
};

struct rule_store {
    uint32_t var;
    expr value; /* within the variable's range */
    struct place place;
    bool provisional; /* the rule's code may write the variable again; derived */
};

/* A cell of code blocks that is no part of the state. */
struct model_local {
    const char *name;
    int64_t low, high;
};

struct model_interval {
    int64_t low, high;                  /* ticks */
    bool low_open, high_open, infinite; /* infinite: no upper end */
};

/* A clock that is set by code has a hidden variable of its own: after a step of a rule that writes
 * the variable, the clock is what the variable is, unless that is negative: then the clock goes
 * on. Nothing reads the variable, and every step of such a rule writes it. */
struct model_clock {
    const char *name;
    struct place place;
    int64_t init; /* its first value, 0 or more */
    bool is_set_by_code;
    uint32_t setter; /* that variable */
};

/* x - y <= bound, or < bound; MODEL_NONE stands for 0. Of a guard, conditions and bounds are those
 * of the state before the step; of an invariant, those of the state that it is true in. They never
 * fail. */
struct clock_constraint {
    uint32_t x, y;
    int64_t bound; /* unless it varies */
    bool strict;
    struct place place;
    bool is_conditional; /* it says something only where this is true: */
    expr when;
    bool varies; /* the bound is the value of this, whose range is known: */
    expr value;
    bool is_narrow; /* the range is this one, which pass/tighten.h has found */
    int64_t low, high;
    uint32_t unless; /* of a guard: 0: it must hold; otherwise the number of a group: the step is
                        not possible at moments at which all of the group hold. (Urgency does not
                        ask for groups.) Nobody waits for a rule with groups */
};

/* A clock that a step sets, to 0 or more. */
struct clock_reset {
    uint32_t clock;
    int64_t value;
};

/* A function from 0 .. count - 1 to numbers of 32 bits. */
struct model_table {
    const int32_t *values;
    uint32_t count;
    int64_t low, high; /* of the values */
};

/* An entry of a table whose index is factor * a + offset: of a row of a matrix. */
struct table_row {
    expr row;
    uint32_t factor, offset;
};

/* Rules of class `low` wait for those of class `high`. */
struct model_priority {
    uint32_t high, low;
};

struct model_rule {
    const char *label;
    const char *port; /* another name of it as an interaction with others: that of the port of a
                         step that has a label of its own; or NULL */
    bool is_internal; /* the label was made up: it is no interaction (pass/guide.h) */
    bool is_guided;   /* it is one, and the guide that was woven in takes part in it */
    bool asks; /* it is taken only where `permit` is true. Where that is false and the rest is not,
                * it is enabled all the same: it holds rules of lower priority back and keeps its
                * deadline. (A guide that is a filter: pass/guide.h) */
    expr permit;             /* where it cannot be evaluated, it counts as false */
    uint32_t permit_wording; /* of a woven one; 0: none */
    uint32_t first_part, parts;
    uint32_t first_conjunct, conjuncts;
    uint32_t first_store, stores;
    uint32_t first_read, reads;    /* variables, ascending: of the guard and of stored values */
    uint32_t first_write, writes;  /* variables, ascending */
    statement body;                /* after the stores; may be none */
    uint32_t first_class, classes; /* into rule_classes, ascending */
    uint32_t interval;             /* or MODEL_NONE: any time */
    uint32_t first_guard, guards;  /* clock constraints */
    uint32_t first_reset, resets;  /* clocks that it sets */
    bool is_urgent; /* no time passes while it is enabled (priorities and where it leads aside) and
                       its clock guards hold. It has no interval */
};

/* An invariant is true in every reachable state; what is to be reached (PROPERTY_REACH) is true in
 * one. */
/* A step that the source has and that can never be taken: constants switch it off, or somebody
 * without whom it cannot be taken never takes part. No rule stands for it, but it has its names:
 * contexts, guides and p-points may speak of it. */
struct model_dead_step {
    const char *label, *port; /* as in struct model_rule */
    bool is_internal;
    uint32_t first_process, processes; /* into dead_processes: who takes part */
};

enum property_kind {
    PROPERTY_CTL,
    PROPERTY_LTL,
    PROPERTY_INVARIANT,
    PROPERTY_REACH,
    PROPERTY_DEADLOCK,
    PROPERTY_RUNTIME_ERROR,
    PROPERTY_QUERY
};
extern const char *const property_kind_name[];
extern const char *const property_stem[]; /* of names of properties that were given none: ctl[0] */

struct model_property {
    const char *name;
    enum property_kind kind;
    formula root; /* for an invariant and for what is to be reached, an atom; of a query, its p */
    const char *text;
    struct place place;
    uint32_t query; /* of a query: into queries */
};

/* What is asked about runs in dense time (UPPAAL's queries). p and q have no temporal operators;
 * beside atoms they may have FORMULA_CLOCK and FORMULA_DEADLOCK. Runs are infinite, or end where
 * time can pass for ever, or where nothing is possible any more:
 *  - ALWAYS: p in all states (A[] p); SOMETIME: in one (E<> p);
 *  - KEEPS: a run has p all the time (E[] p); MEETS: every run has p at some time (A<> p);
 *  - LEADS: after every p, every run has q at some time (p --> q);
 *  - SUP, INF, BOUNDS: the largest, the smallest value of terms, both, where p. */
enum query_kind {
    QUERY_ALWAYS,
    QUERY_SOMETIME,
    QUERY_KEEPS,
    QUERY_MEETS,
    QUERY_LEADS,
    QUERY_SUP,
    QUERY_INF,
    QUERY_BOUNDS
};
extern const char *const query_kind_name[];

struct query_term {
    bool is_clock;
    uint32_t clock;
    expr value; /* unless it is one */
    const char *text;
};

struct model_query {
    enum query_kind kind;
    formula p, q;               /* of SUP, INF and BOUNDS without a condition, p is true */
    uint32_t first_term, terms; /* into query_terms */
};

/* A query of the source that is not understood and was left out, because the user said so. */
struct model_skipped {
    const char *text, *why;
    struct place place;
};

/* A constant of the model's source, as it was set for this model: replaying a trace needs the same
 * ones. */
struct model_constant {
    const char *name;
    int64_t value;
    bool is_set; /* it has this value because the user said so: a claim about the model names it */
};

/* What a name of the source means in the model: a variable of a process or component, or a
 * parameter by reference. */
struct model_name {
    const char *unit;          /* the process type or component, ... */
    uint32_t number;           /* ... and which of them, from 0 */
    const char *name;          /* NULL: only says that there is this unit */
    uint32_t var;              /* the first of the variables ... */
    const struct shape *shape; /* ... that make up the value */
};

/* A value of the source that several variables make up, which follow each other: it is shown as
 * one. */
struct model_whole {
    const char *name;
    uint32_t var; /* the first one */
    const struct shape *shape;
};

/* A guide that was woven into the model (pass/guide.h). */
struct model_guide {
    const char *name;  /* FILE:NAME */
    const char *split; /* NULL: the whole guide; otherwise it was split in this way ... */
    uint32_t part;     /* ... and this is one of the parts, counted from 1 */
    uint64_t bound;    /* it was unrolled to so many interactions; 0: it was not */
    bool is_cut;       /* it allows longer words */
    bool is_filter;    /* what it forbids is enabled and waits; otherwise it is not enabled */
    bool matters;      /* there are priorities or times, so that this makes a difference */
    bool has_timers; /* some interaction that it speaks of has a time interval: when it may happen,
                        and when it must, depends on since when the guide allows it */
    uint32_t states, transitions; /* of its automaton, before it was unrolled */
};

/* What the user wants to see beside the variables (--show-expr). */
struct model_extra {
    const char *name;
    expr value;
};

struct model {
    struct mem *mem;
    struct arena arena;
    struct names names;
    const char *name; /* what it calls itself ... */
    const char *file; /* ... and where it was read from */
    struct exprs exprs;
    struct formulas formulas;
    VEC(struct model_var) vars;
    VEC(struct model_process) processes;
    VEC(struct model_location) locations;
    VEC(struct model_rule) rules;
    VEC(struct rule_part) parts;
    VEC(struct rule_conjunct) conjuncts;
    VEC(struct model_wording) wordings;
    VEC(struct rule_store) stores;
    VEC(uint32_t) accesses; /* the reads and writes of rules */
    VEC(struct model_dead_step) dead_steps;
    VEC(uint32_t) dead_processes;
    VEC(struct model_property) properties;
    VEC(struct model_query) queries;
    VEC(struct query_term) query_terms;
    VEC(struct model_skipped) skipped;
    VEC(struct model_constant) constants;
    VEC(struct model_name)
    source_names; /* the units in the order of the system, the first one the outermost; empty: the
                     language says nothing, names of variables are all there is */
    VEC(struct model_whole) wholes; /* by their variables, ascending; no variable is in two */
    VEC(struct model_extra) extras;
    VEC(const char *) unshown;       /* what is_unshown, by the names that it would be shown with */
    const char *dialect;             /* of its language, as it was asked for; NULL: the default */
    const char *context;             /* what was woven into it, as FILE:NAME; NULL: nothing */
    VEC(const char *) restrictions;  /* those of the context that can end a run */
    const struct model_guide *guide; /* or NULL */
    VEC(int64_t)
    initial; /* the initial states one after the other in the order of their bytes, where `init` and
                `any_init` of variables cannot say it; else empty */
    VEC(struct code_node) code;
    VEC(struct model_local) locals;
    int64_t *local_values; /* working memory of the reference evaluator, from model_finish on */
    VEC(uint32_t) rule_classes;
    uint32_t class_count;
    VEC(struct model_priority) priorities; /* transitive */
    VEC(struct model_interval) intervals;
    VEC(struct model_clock) clocks;
    VEC(struct clock_constraint) constraints; /* of guards and invariants */
    VEC(struct clock_reset) resets;
    int64_t ticks; /* per unit of time */
    VEC(struct model_table) tables;
    bool has_final;
    expr
        final; /* where runs may end: a state without a step in which this is true is no deadlock */
    uint32_t rank; /* a variable that no step makes smaller, so that states with a smaller one are
                      the past; or MODEL_NONE */
};

struct model *model_new(struct mem *mem, const char *file);

/* Adding a rule: model_begin_rule, then parts, conjuncts and stores in any order, then
 * model_end_rule. */
void model_begin_rule(struct model *model, const char *label);
void model_add_part(struct model *model, uint32_t process, struct place place);
void model_set_role(struct model *model, enum part_role role); /* of the last part */
void model_add_conjunct(struct model *model, expr cond,
                        struct place place); /* of the last part; `true` is left out */
/* The same, with its wording. */
void model_add_worded(struct model *model, expr cond, struct place place, uint32_t wording);
void model_add_store(struct model *model, uint32_t var, expr value, struct place place);
void model_add_class(struct model *model, uint32_t priority_class);
void model_add_clock_guard(struct model *model, struct clock_constraint constraint);
void model_add_reset(struct model *model, struct clock_reset reset);
void model_end_rule(struct model *model);

void model_add_dead_step(struct model *model, struct model_dead_step step,
                         const uint32_t *processes);
/* Adds a query as a property of kind QUERY, named query[0], query[1], ... in the order of calls;
 * its terms are copied. */
void model_add_query(struct model *model, struct model_query query, const struct query_term *terms,
                     const char *text, struct place place);
/* Makes a copy of the wording, but not of its text; returns its number, from 1. */
uint32_t model_add_wording(struct model *model, struct model_wording wording);

/* Says which states are initial: `count` of them, all different, one after the other. */
void model_list_initial(struct model *model, const int64_t *states, uint32_t count);

/* Makes a copy of the values. */
uint32_t model_add_table(struct model *model, const int32_t *values, uint32_t count);
/* Entry number `index`, which lies in the table. */
expr model_table_entry(struct model *model, uint32_t table, expr index);
/* Column `offset` of a row of a matrix with `factor` columns, and whether an index is that: any
 * index is, with one column. */
expr model_matrix_index(struct model *model, struct table_row row);
struct table_row model_matrix_row(const struct exprs *exprs, expr index);

/* Computes reads and writes of all rules, and which stores are provisional. */
void model_finish(struct model *model);

/* Whether the model is well formed; otherwise says what is wrong, unless the complaint is NULL. */
bool model_check(const struct model *model, struct text *complaint);

/* Building code: a node is added to the end of a sequence. */
statement model_add_code(struct model *model, struct code_sequence *sequence,
                         struct code_node node);

/* What a model needs of an engine */
bool model_has_code(const struct model *model);
bool model_asks(const struct model *model); /* some rule does */
bool model_lists_initial(const struct model *model);
bool model_is_timed(const struct model *model);
/* Whether a variable says nothing after the step: it is fresh, or sets a clock. */
bool model_is_fresh(const struct model *model, uint32_t var);
bool model_has_hidden(const struct model *model); /* others */
/* The number of the first group of constraints of a rule (clock_constraint.unless) after this one;
 * 0: there is none. */
uint32_t model_next_unless(const struct model *model, const struct model_rule *rule,
                           uint32_t after);
/* Whether one of the rule's classes is above another: rules may wait for it. */
bool model_is_waited_for(const struct model *model, const struct model_rule *rule);
/* Between which numbers the bound of a constraint lies. */
void model_bound_range(const struct model *model, const struct clock_constraint *constraint,
                       int64_t *low, int64_t *high);
bool model_writes(const struct model *model, const struct model_rule *rule, uint32_t var);
/* Whether the guard of a rule says which value a variable has (a conjunct `var == constant`); the
 * first one that does says it. */
bool model_rule_requires(const struct model *model, uint32_t rule, uint32_t var, int64_t *value);
/* The smallest rank, and how many there are; without a variable for it all states have rank 0. */
int64_t model_lowest_rank(const struct model *model);
uint64_t model_rank_count(const struct model *model);
bool model_rule_may_fail(const struct model *model, uint32_t rule);
/* Whether code can hold its rule back (REQUIRE). `known`, a byte per statement of the model, zero
 * at first, remembers the bodies of calls. */
bool model_may_block(const struct model *model, statement at, uint8_t *known);

/* A variable as an expression, with its bounds when expressions of this model know them. */
expr model_var_expr(struct model *model, uint32_t var);

/* Lookups */
const char *model_location_name(const struct model *model, uint32_t process,
                                int64_t value); /* NULL: none */
bool model_is_location(const struct model *model, uint32_t var);
/* How people call a value of a variable; NULL: its number is all. */
/* The k-th label at the state that this value stands for, or NULL: there are no more. */
const char *model_course_label(const struct model_course *course, int64_t value, uint32_t k);
/* Copies an automaton, of several edges with one label from one state the first. */
const struct model_course *model_add_course(struct model *model, const struct model_course *course,
                                            uint32_t label_count);
const char *model_value_name(const struct model *model, uint32_t var, int64_t value);
bool model_takes_part(const struct model *model, uint32_t rule, uint32_t process);
bool model_takes_part_dead(const struct model *model, uint32_t step, uint32_t process);

/* Printing for people: `p[0].x + 1 < n`. Values of location variables appear by name where they
 * have one. */
void model_print_expr(const struct model *model, struct text *text, expr e);
void model_print_formula(const struct model *model, struct text *text, formula f);

#endif
