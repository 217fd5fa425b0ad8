/* What the passes behind the parser share: names in scope, and the model under construction.
 *
 * Types, values, code and functions are those of the kit (lang/kit). Clocks and channels are
 * numbered, and an array of them is seen as one of cells: the same `struct cell` says which one is
 * meant, with its number for the number of a variable.
 *
 * What must hold:
 * 1. Clocks of one declaration (a family) have numbers that follow each other; so have their
 *    setters, if they have any.
 * 2. The index of the first element of an array is `low` of its type.
 * 3. Names are resolved anew for every process: nothing of that is kept in the tree. */
#ifndef CAIRN_LANG_UPPAAL_SCOPE_H
#define CAIRN_LANG_UPPAAL_SCOPE_H

#include "base/map.h"
#include "lang/common/language.h"
#include "lang/kit/routine.h"
#include "lang/uppaal/ast.h"
#include "model/model.h"

struct uppaal;
struct env;
struct lowering;

/* ---- names ---- */

/* A constant that is no scalar. */
struct constant {
    const int64_t *cells;
    uint32_t count;
    uint32_t table; /* of the model; MODEL_NONE: none was needed yet */
};

struct function {
    struct routine routine; /* the first member: one is found by the other */
    struct uppaal_decl *decl;
    struct env *outer;         /* names where it is declared */
    struct function *declared; /* of an instance; otherwise itself */
    const struct type *result; /* of the declared one; NULL: void */
    bool is_checked;           /* its head was resolved */
    uint32_t busy;             /* of the declared one: instances that are being lowered */
    VEC(uint32_t) families;    /* of clocks that it sets; not those of its parameters */
};

enum binding_kind {
    BIND_VALUE,   /* a scalar that is known: a constant, a selected or quantified value */
    BIND_TABLE,   /* a constant that is no scalar */
    BIND_CELLS,   /* a variable */
    BIND_CLOCK,   /* `at` counts clocks */
    BIND_CHANNEL, /* `at` counts channels */
    BIND_TYPE,
    BIND_FUNCTION,
    BIND_UNIT /* a template or an instance: `decl` */
};

/* A name, or what an expression that is a place means. */
struct binding {
    const char *name;
    uint8_t kind;
    uint8_t prefixes; /* of a type */
    uint8_t of;       /* of a type: BIND_CELLS, BIND_CLOCK, BIND_CHANNEL; BIND_TYPE: void */
    bool read_only;
    const struct type *type;
    struct value value;
    struct cell at; /* of a TABLE: which of its cells */
    struct constant *constant;
    struct function *function;
    struct uppaal_decl *decl;
    struct place place;
};

struct env {
    struct env *outer; /* NULL: this is the outermost one */
    VEC(struct binding) list;
    /* Many names: where the last binding of each is in the list, + 1, by the name's address. */
    uint32_t *slots;
    uint32_t size; /* a power of 2; 0: few names, looked through */
};

/* ---- clocks, channels, processes ---- */

struct family {
    uint32_t first, count; /* clocks */
    uint32_t setter;       /* the first one's variable; MODEL_NONE: none is set by code */
    uint32_t process;
    struct place place;
};

struct channel {
    const char *name;
    bool is_urgent, is_broadcast;
    uint32_t rank; /* of priorities; meaningless without */
};

/* An integer condition that holds while a process is in a location. */
struct condition {
    struct uppaal_exp *exp;
    struct env *env;
    bool is_negated;
    expr when; /* it is asked only where this is true */
    expr what; /* instead of an expression: is_made */
    bool is_made;
};

struct state {
    struct uppaal_location *location;
    uint32_t value;                   /* of the location variable */
    VEC(struct condition) conditions; /* of its invariant */
    VEC(uint32_t) reads;              /* variables that these depend on ... */
    bool reads_all;                   /* ... or code, which may read anything */
};

/* An edge with chosen values of its selects and, through a branchpoint, a chosen end. */
struct edge {
    struct uppaal_edge *ast, *branch; /* branch: NULL without branchpoint */
    struct env *env;                  /* with the selected values */
    uint32_t process;
    uint32_t source, target; /* values of the location variable */
    uint32_t channel;        /* that it synchronises on; MODEL_NONE: none ... */
    expr is_meant;           /* ... and when that is the one which its index means */
    bool has_clocks;         /* its guard speaks of clocks */
};

struct process {
    struct uppaal_template *template;
    const char *unit; /* as the system line calls it */
    const char *name; /* with its arguments */
    struct env *env;
    uint32_t number;          /* of the model's processes */
    uint32_t location;        /* its variable */
    uint32_t rank;            /* of priorities */
    const int64_t *arguments; /* of a process of a set */
    uint32_t argument_count;
    VEC(struct state) states; /* without branchpoints */
    VEC(struct edge) edges;
};

struct uppaal {
    VEC(uint32_t) metas; /* variables that are `meta` */
    struct language_input *input;
    struct diag *diag;
    struct model *model;
    struct uppaal_file file;
    struct env global;
    struct routines routines;
    VEC(struct family) families;
    VEC(uint32_t) family_of; /* per clock */
    VEC(struct channel) channels;
    VEC(struct process) processes;
    const struct type *bool_type, *int_type, *number_type, *clock_type, *channel_type;
    struct code_sequence init;          /* gives the variables their initial values */
    bool has_ranks;                     /* some priority was declared */
    uint32_t default_rank;              /* of internal steps, and of channels that no list has */
    uint32_t top_rank;                  /* the largest one of processes */
    VEC(uint32_t) receives;             /* locals that say who receives a broadcast */
    uint64_t unrolled;                  /* bodies of quantifiers that were lowered */
    expr calm;                          /* nobody is in a committed location */
    bool has_committed, has_conditions; /* of invariants, without clocks */
};

/* Complains once per expression, or type. */
#define complain_at(u, thing, code, at, ...)                                                       \
    ((thing)->reported                                                                             \
         ? (void)0                                                                                 \
         : ((thing)->reported = true, diag_error((u)->diag, (code), (at), __VA_ARGS__)))
#define complain(u, exp, code, ...) complain_at(u, exp, code, (exp)->place, __VA_ARGS__)

static inline struct exprs *uppaal_exprs(const struct uppaal *u) { return &u->model->exprs; }

/* ---- lowering ---- */

struct step;

struct lowering {
    struct uppaal *u;
    struct env *env;
    struct emit code;          /* out NULL: only expressions are possible */
    const char *context;       /* then: what this is, "a constant" */
    struct function *function; /* whose body this is, or NULL */
    struct step *step;         /* the rule whose code this is, or NULL: of a function, of init */
    uint32_t depth;            /* of functions called from here */
    uint32_t inlined;          /* functions whose formula this is inside of */
    uint32_t rounds;           /* statements of functions that were folded */
    bool is_statement;         /* the value of the expression is not needed */
    /* What only queries have: members of processes. *done tells whether it was one. */
    bool (*member)(struct lowering *l, struct uppaal_exp *exp, struct binding *found, bool *done);
};

/* ---- resolve.c: types ---- */

void resolve_init(struct uppaal *u);
/* A type with the dimensions behind the name. kind is BIND_CELLS, BIND_CLOCK, BIND_CHANNEL, or
 * BIND_TYPE for void. */
bool resolve_type(struct uppaal *u, struct env *env, struct uppaal_type *type,
                  struct uppaal_array *arrays, struct binding *resolved);
/* A type whose values are selected, quantified or parameters of a set: a scalar one. `most` values
 * are possible. */
const struct type *resolve_domain(struct uppaal *u, struct env *env, struct uppaal_type *type,
                                  uint32_t most, struct place place);
struct value resolve_nth(struct uppaal *u, const struct type *type, int64_t value);

/* ---- compute.c: names and expressions ---- */

const struct binding *compute_find(const struct env *env, const char *name);
/* The same without the outer ones. */
const struct binding *compute_find_here(const struct env *env, const char *name);
void compute_complain_name(struct lowering *l, struct uppaal_exp *exp);
struct binding *compute_bind(struct uppaal *u, struct env *env, struct binding binding);
/* All return false after an error. */
bool compute_exp(struct lowering *l, struct uppaal_exp *exp, struct value *value);
/* What a name, an element or a member means; an expression that is none of these is computed.
 * `place`: it must be one, to be written to or passed by reference. */
bool compute_place(struct lowering *l, struct uppaal_exp *exp, bool place, struct binding *found);
bool compute_read(struct lowering *l, struct uppaal_exp *exp, const struct binding *found,
                  struct value *value);
bool compute_condition(struct lowering *l, struct uppaal_exp *exp, expr *cond);
bool compute_number(struct lowering *l, struct uppaal_exp *exp, expr *number);
/* Expressions one after the other, for what they do. */
bool compute_list(struct lowering *l, struct uppaal_exp *list);
bool compute_constant(struct uppaal *u, struct env *env, struct uppaal_exp *exp, const char *what,
                      int64_t *value);
/* The value as one of the type: numbers and truth values go into each other. */
bool compute_convert(struct lowering *l, struct uppaal_exp *exp, const struct type *type,
                     struct value *value);
bool compute_store(struct lowering *l, struct uppaal_exp *exp, const struct type *type,
                   const struct cell *at, struct value value);
bool compute_may_emit(struct lowering *l, struct uppaal_exp *exp, const char *what);
/* With the code put aside. */
bool compute_aside(struct lowering *l, struct uppaal_exp *exp, struct value *value,
                   struct code_sequence *code);

/* ---- arith.c: operators that expressions of the model lack ---- */
expr arith_bits(struct exprs *exprs, enum uppaal_op op, expr a, expr b);
expr arith_shift(struct model *model, bool left, expr a, expr b);
bool arith_power(struct model *model, expr a, expr b, expr *result);
/* An expression that is the same where this one does not fail, and any other where it does; one
 * that may fail all the same where there is none that is known not to. */
expr arith_unfailing(struct model *model, expr e);
/* Of Boolean expressions, as a balanced tree. */
expr arith_all(struct exprs *exprs, const expr *list, uint32_t count);

/* ---- perform.c: statements and functions ---- */
void perform_init(struct uppaal *u);
struct function *perform_declare(struct uppaal *u, struct env *outer, struct uppaal_decl *decl);
bool perform_call(struct lowering *l, struct uppaal_exp *exp, struct function *function,
                  struct value *value);
/* The clocks of this family are set by code here. */
void perform_touch(struct lowering *l, uint32_t family);

/* ---- fold.c: functions without code ---- */
bool fold_call(struct lowering *l, struct function *function, struct uppaal_exp *exp,
               struct value *value);

/* ---- clocked.c ---- */

/* Constraints and integer conditions of a guard, an invariant or a query's atom. */
struct split {
    VEC(struct clock_constraint) constraints;
    VEC(struct condition) conditions;
};
bool clocked_mentions(struct lowering *l, struct uppaal_exp *exp);
/* Splits a condition into a conjunction; `when` is a condition under which all of it is asked. */
bool clocked_split(struct lowering *l, struct uppaal_exp *exp, bool is_negated, expr when,
                   struct split *split);
void clocked_free(struct uppaal *u, struct split *split);
/* The constraints of a comparison with clocks: their conjunction, under conditions. */
bool clocked_atom(struct lowering *l, struct uppaal_exp *exp, enum uppaal_op op, expr when,
                  struct split *split);
/* x - y ~ n turned around. */
struct clock_constraint clocked_negate(struct uppaal *u, struct clock_constraint constraint);
/* The cells of the setters of clocks. */
struct cell clocked_setter(struct lowering *l, const struct cell *clocks);
void clocked_add(struct uppaal *u, const char *name, const struct type *type, uint32_t process,
                 struct place place);

/* ---- declare.c: variables ---- */
bool declare_all(struct uppaal *u, struct env *env, struct uppaal_decl *decls, uint32_t process,
                 const char *prefix);
/* Gives cells their initial value. */
bool declare_initialise(struct lowering *l, const struct type *type, const struct cell *at,
                        struct uppaal_exp *init);
void declare_cells(struct uppaal *u, const char *name, const struct type *type, uint32_t process,
                   struct place place);
/* Whether code reads variables of the model. */
bool declare_code_reads(struct uppaal *u, statement first);
/* Runs what gives variables their values. */
bool declare_run(struct uppaal *u);

/* ---- instantiate.c: processes ---- */
bool instantiate_system(struct uppaal *u);

/* ---- network.c: who does what together; broadcast.c: on broadcast channels ---- */
bool network_build(struct uppaal *u);
/* All steps in which this edge sends; `receivers` are those of the channel, by process. */
bool broadcast_build(struct uppaal *u, struct edge *sender, struct edge *const *receivers,
                     uint32_t count);

/* ---- steps.c: one rule ---- */

/* Receivers of one process that take part where they can, at most one of them at once. */
struct group {
    uint32_t process;
    struct edge **edges;
    uint32_t count;
};

/* A process is, or is not, in a location. */
struct standing {
    uint32_t process, state;
    bool is_not;
};

/* Something that must be so before the step. */
struct demand {
    struct edge *edge; /* the conditions of its guard that are not about clocks ... */
    bool is_not;       /* ... do not hold */
    bool is_made;      /* instead: */
    expr what;
    struct place place;
};

/* What a rule is made of. */
struct plan {
    uint32_t channel;     /* MODEL_NONE: none */
    struct edge **takers; /* who takes part for sure: the sender, then receivers by process */
    uint32_t taker_count;
    struct group *groups; /* by process */
    uint32_t group_count;
    VEC(struct standing) standings;
    VEC(struct demand) demands;
    VEC(struct clock_constraint) constraints;
};

bool steps_add(struct uppaal *u, const struct plan *plan);
/* When the conditions of a guard that are not about clocks hold, and the channel is the one. */
bool steps_enabled(struct lowering *l, const struct edge *edge, expr *cond);
/* The constraints on clocks of a guard. */
bool steps_constraints(struct uppaal *u, const struct edge *edge, struct split *split);
void steps_touch(struct step *step, uint32_t family);
/* Makes a store of the rule out of an assignment that could as well be made at once; false: it
 * could not. */
bool steps_store(struct lowering *l, const struct type *type, const struct cell *at,
                 const struct value *value, struct place place);
/* One condition, where `when` and its own condition are true. */
bool steps_require(struct lowering *l, const struct condition *condition, expr when);

/* ---- queries.c ---- */
bool queries_add(struct uppaal *u, struct uppaal_query *queries);
/* A condition (an invariant, or what is to be reached) or a formula of LTL from the command line.
 */
bool queries_property(struct uppaal *u, enum property_kind kind, uint32_t source);

/* ---- linear.c ---- */
bool linear_read(struct lowering *l, uint32_t source, formula *result);

#endif
