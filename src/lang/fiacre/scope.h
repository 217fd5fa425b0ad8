/* What the passes after the parser share: resolved types, names in scope, and the model under
 * construction.
 *
 * Types, values, code and functions are those of the kit (lang/kit): every value is a run of
 * cells. */
#ifndef CAIRN_LANG_FIACRE_SCOPE_H
#define CAIRN_LANG_FIACRE_SCOPE_H

#include "base/map.h"
#include "lang/common/language.h"
#include "lang/fiacre/ast.h"
#include "lang/kit/routine.h"
#include "model/model.h"

#include <string.h>

/* ---- names ---- */

enum binding_kind {
    BIND_VALUE, /* a constant or a parameter by value: `value` */
    BIND_TEXT,  /* one that is no scalar: lowered anew at every use, from exp in env */
    BIND_CELLS, /* a variable */
    BIND_PORT
};

struct env;

struct binding {
    const char *name;
    uint8_t kind;
    bool read_only;
    bool write_only;      /* so it was marked: reading it gets a warning */
    bool sends, receives; /* of a port: how it is marked; neither means both */
    const struct type *type;
    struct value value;
    struct fiacre_exp *exp;
    struct env *env;
    struct cell at;
    uint32_t port;
    struct place place;
};

struct env {
    struct env *outer; /* NULL: then come the declarations of the file */
    VEC(struct binding) list;
};

struct constructor {
    const char *name;
    const struct type *type;
    uint32_t tag;
    uint32_t other; /* one of the same name in another union, or MODEL_NONE */
};

struct function {
    struct routine routine; /* the first member: one is found by the other */
    struct fiacre_decl *decl;
    bool is_formula; /* just `return e`: put where it is called */
    struct env env;  /* parameters, then variables */
};

/* Declarations of the file, found by name and one of these. */
enum {
    SCOPE_TYPE,
    SCOPE_CHANNEL,
    SCOPE_VALUE,
    SCOPE_CONSTRUCTOR,
    SCOPE_FUNCTION,
    SCOPE_UNIT,
    SCOPE_PROPERTY,
    SCOPE_STATE
};

/* A port of the system, whatever the processes call it. */
struct port {
    const char *name;
    struct place place;
    const struct type **types;
    uint32_t type_count;
    bool plain;
    struct fiacre_interval *interval;
    uint32_t priority_class; /* MODEL_NONE: none */
};

struct path;

/* A process of the system. */
struct instance {
    struct fiacre_decl *decl;
    struct env *env;
    uint32_t process;    /* of the model */
    uint32_t location;   /* its variable */
    VEC(uint32_t) ports; /* those it is connected to, each once */
    VEC(struct path *) paths;
};

/* A component of the system; those of one declaration in the order of their numbers. */
struct component {
    struct fiacre_decl *decl;
    struct env *env;
};

/* Composition as it was written: for the interfaces of par. */
struct group {
    bool is_instance;
    uint32_t instance;
    VEC(uint32_t) interface; /* ports that the block shares with its siblings */
    bool all;                /* every port inside */
    struct group *blocks, *next;
};

/* A part of initialisation. */
struct init_stage {
    statement plain;             /* runs first */
    VEC(statement) alternatives; /* then one of these; none: nothing */
    struct place place;
};

struct fiacre {
    struct language_input *input;
    struct diag *diag;
    struct model *model;
    struct fiacre_file file;
    VEC(struct fiacre_decl *) decls; /* the file's, by number */
    struct map names;
    VEC(struct constructor) constructors;
    VEC(struct function) functions; /* as they are declared: the list does not grow */
    struct routines routines;
    VEC(struct binding) constants;
    VEC(struct port) ports;
    VEC(struct instance) instances;
    VEC(struct component) components;
    VEC(struct fiacre_interval *) intervals; /* of the model's, by number */
    const struct type *bool_type, *int_type, *nat_type, *number_type;
    struct code_sequence
        init; /* gives the variables their initial values: what is not in a stage yet */
    VEC(struct init_stage) stages;
    uint32_t counts[8]; /* of unnamed properties, by kind */
    struct env *root_env;
    struct group *composition;
    uint32_t temporaries;
};

/* Complains once per node. */
#define complain(f, node, code, place, ...)                                                        \
    ((node)->reported                                                                              \
         ? (void)0                                                                                 \
         : ((node)->reported = true, diag_error((f)->diag, (code), (place), __VA_ARGS__)))
#define complain_near(f, node, code, place, suggestion, ...)                                       \
    ((node)->reported ? (void)0                                                                    \
                      : ((node)->reported = true,                                                  \
                         diag_error_near((f)->diag, (code), (place), (suggestion), __VA_ARGS__)))

static inline const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

/* Warns once per node. */
#define remark(f, node, code, place, ...)                                                          \
    ((node)->remarked                                                                              \
         ? (void)0                                                                                 \
         : ((node)->remarked = true, diag_warning((f)->diag, (code), (place), __VA_ARGS__)))

/* Whether the file is read as frac does, not OBP. */
static inline bool fiacre_is_frac(const struct fiacre *f)
{
    return f->input->dialect && !strcmp(f->input->dialect, "frac");
}

/* ---- types.c ---- */
const struct type *types_resolve(struct fiacre *f, struct fiacre_type *type, struct env *env);
void types_init(struct fiacre *f);

/* ---- lower.c: expressions ---- */

/* Where code goes. */
struct lowering {
    struct fiacre *f;
    struct env *env;
    struct emit code;
    const char *context;       /* when no code is allowed: what this is, "a constant" */
    struct function *function; /* the one whose body this is, or NULL */
    uint32_t depth;            /* of functions called from here */
    uint32_t inlined;          /* functions whose formula this is inside of */
    uint32_t steps, nesting;   /* of functions that are run with expressions (inline.c) */
    /* Expressions that are no Fiacre, for properties; *done tells whether it was one. NULL: none.
     */
    bool (*special)(struct lowering *l, struct fiacre_exp *exp, struct value *value, bool *done);
};

/* All return false after an error. `expected` (may be NULL) gives literals their type. */
bool lower_exp(struct lowering *l, struct fiacre_exp *exp, const struct type *expected,
               struct value *value);
bool lower_condition(struct lowering *l, struct fiacre_exp *exp, expr *cond);
bool lower_constant(struct fiacre *f, struct env *env, struct fiacre_exp *exp, const char *context,
                    int64_t *value);
/* What a pattern that can be assigned to means; `writing` asks for permission. */
bool lower_place(struct lowering *l, struct fiacre_exp *exp, bool writing, const struct type **type,
                 struct cell *at);
/* The type of a place, without code; NULL when the pattern is none. */
const struct type *lower_place_type(struct lowering *l, struct fiacre_exp *exp);
bool lower_store(struct lowering *l, const struct type *type, const struct cell *at,
                 const struct value *value, struct place place);
/* target := exp for a queue that gets or loses an element where it is; *done tells whether that was
 * it. */
bool lower_in_place(struct lowering *l, struct fiacre_exp *target, struct fiacre_exp *exp,
                    bool *done);
void complain_types(struct lowering *l, struct place place, const struct type *wanted,
                    const struct type *found);
bool lower_equal(struct lowering *l, const struct value *a, const struct value *b,
                 struct place place, expr *result);

const struct binding *env_find(struct fiacre *f, const struct env *env, const char *name);
const struct constructor *constructor_find(struct fiacre *f, const char *name,
                                           const struct type *expected);

/* A condition of the source that must hold, or (`negated`) must not: emit_require, in its words. */
void emit_condition(struct lowering *l, expr cond, const struct fiacre_exp *source, bool negated);

/* ---- inline.c ---- */

/* The result of a function with statements as one expression. False: that is not possible; maybe an
 * error was told. */
bool function_inline(struct lowering *l, const struct function *function, const struct value *args,
                     struct value *value);

/* ---- statements.c ---- */

/* A sequence without choices: everything but select, any, communication, wait, to, loop. */
bool lower_statements(struct lowering *l, struct fiacre_stmt *first);
bool lower_statement(struct lowering *l, struct fiacre_stmt *stmt);
/* When a pattern matches (what it would assign aside), and what it assigns. */
bool pattern_condition(struct lowering *l, struct fiacre_exp *pattern, const struct value *value,
                       expr *cond);
bool pattern_assign(struct lowering *l, struct fiacre_exp *pattern, const struct value *value);
/* The matching of branch number n of a `case`: none before it matches, it does. Assigns. */
bool case_branch(struct lowering *l, struct fiacre_stmt *stmt, const struct value *value,
                 uint32_t n);
void functions_init(struct fiacre *f);
bool function_prepare(struct fiacre *f, struct function *function);
/* Which function a call goes to: see routine_callee. */
struct function *function_callee(struct fiacre *f, struct function *function);

/* ---- paths.c ---- */

enum step_kind {
    STEP_PLAIN,  /* a statement without choices */
    STEP_IF,     /* branch number `choice` is taken; none: choice == number of branches */
    STEP_CASE,   /* likewise */
    STEP_CHOOSE, /* pattern number n gets the value number choice[n], counted through: choice */
    STEP_COMM,   /* the communication */
    STEP_WAIT
};

struct path_step {
    uint8_t kind;
    struct fiacre_stmt *stmt;
    uint64_t choice;
};

struct path {
    struct fiacre_transition *transition;
    uint32_t from, to; /* states, by number */
    bool stays;        /* ends in `loop` */
    uint32_t count;
    uint32_t comm; /* the step that communicates, or MODEL_NONE */
    uint32_t port;
    struct fiacre_interval *wait;
    const char *label;          /* given by the user, or NULL */
    bool is_combined;           /* rules.c has met it in a combination */
    struct fiacre_stmt *select; /* the one with `unless`, and which of its groups; or NULL */
    uint32_t group;
    struct place place;
    struct path_step steps[];
};

/* Finds all paths of a process. `init`: of its init statement instead. False after errors. */
bool paths_find(struct fiacre *f, struct instance *instance, struct fiacre_stmt *init,
                struct place place);
/* Code of the steps first .. end - 1. */
bool paths_lower(struct lowering *l, const struct path *path, uint32_t first, uint32_t end);

/* ---- system.c: instances; rules.c: their steps ---- */
/* Says of a variable that is made up of several cells that it is one (model_whole). */
void shapes_whole(struct fiacre *f, const char *name, uint32_t var, const struct type *type);
/* Makes the names of a process or component known to the model (model_name). */
void shapes_name(struct fiacre *f, const char *unit, uint32_t number, const struct env *env);

/* ---- dead.c: steps that can never be taken ---- */
struct dead_steps {
    struct fiacre *f;
    struct map keys, labels;
    VEC(struct model_dead_step) list;
    VEC(uint32_t) processes, parts;
    struct text text;
};
void dead_begin(struct dead_steps *dead, struct fiacre *f);
void dead_note(struct dead_steps *dead, struct model_dead_step step, const uint32_t *processes);
/* Tells the model of those whose names no rule has. */
void dead_finish(struct dead_steps *dead);

bool system_build(struct fiacre *f);
bool rules_build(struct fiacre *f);

/* ---- patterns.c ---- */
/* A pattern as LTL, of its operands and the ends of its scope. False: there is none. */
bool pattern_formula(struct model *model, const struct fiacre_pattern *pattern, struct place place,
                     formula a, formula b, formula from, formula to, formula *result);

/* ---- properties.c ---- */
bool properties_add(struct fiacre *f, struct fiacre_property *property);

#endif
