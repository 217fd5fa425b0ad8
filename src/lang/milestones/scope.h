/* Names and constants: what a name means at a place, and the exact arithmetic of constant
 * expressions. */
#ifndef CAIRN_LANG_MILESTONES_SCOPE_H
#define CAIRN_LANG_MILESTONES_SCOPE_H

#include "base/map.h"
#include "lang/common/language.h"
#include "lang/milestones/ast.h"

enum {
    MILESTONES_MAX_PROCESSES = 1 << 16,
    MILESTONES_MAX_VARIABLES = 1 << 20,
    MILESTONES_MAX_RULES = 1 << 22,
    MILESTONES_MAX_PARTS = 1 << 25, /* of all rules together */
    MILESTONES_MAX_WIDTH = 32,
    MILESTONES_MAX_DEPTH = 4000 /* of a constant, through the constants it uses */
};

/* Scopes of the symbol table; a process type has three of its own from SCOPE_TYPES on. */
enum {
    SCOPE_VARIABLE,
    SCOPE_CONSTANT,
    SCOPE_ACTION,
    SCOPE_PROCESS,
    SCOPE_TYPE,
    SCOPE_PROPERTY,
    SCOPE_TYPES
};
enum { TYPE_VARIABLE, TYPE_ACTION, TYPE_LOCATION, TYPE_SCOPES };
static inline uint32_t type_scope(uint32_t type, unsigned kind)
{
    return SCOPE_TYPES + type * TYPE_SCOPES + kind;
}

struct scope_constant {
    struct ast_name *item;
    enum { CONSTANT_NEW, CONSTANT_BUSY, CONSTANT_DONE, CONSTANT_BAD } state;
    int64_t value;
};

struct scope_type {
    struct ast_type *ast;
    uint32_t *widths;                        /* of its variables; 0: bad */
    int64_t *locations;                      /* values of its named locations */
    uint32_t pc;                             /* index of the variable pc, or MODEL_NONE */
    uint32_t first_location, location_count; /* in the model */
    bool used, bad;
    bool seen; /* its commands have been resolved once: messages need not be repeated */
};

struct scope_process { /* one PROC item */
    struct ast_instance *ast;
    uint32_t type, first, count; /* first process of the model */
};

struct scope {
    struct diag *diag;
    struct model *model;
    struct ast_file file;
    struct language_input *input;
    struct map names;
    struct scope_constant *constants;
    struct scope_type *types;
    struct scope_process *processes;
    uint32_t *first_var;                 /* per process of the model: its first variable */
    uint32_t *type_of;                   /* per process of the model */
    uint32_t copies;                     /* of nodes that were written out (each.h) */
    uint32_t depth;                      /* of the constant being evaluated */
    uint32_t counts[PROPERTY_REACH + 1]; /* unnamed properties so far, by kind */
    /* where we are: */
    uint32_t type;    /* the process type whose text is being read, or MODEL_NONE */
    uint32_t process; /* and the instance, or MODEL_NONE */
    uint32_t self;    /* its index within its PROC item */
};

/* An error at a node, told once however often the node is visited. */
void scope_error(struct scope *scope, struct ast *node, enum diag_code code, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

enum meaning { MEANS_NOTHING, MEANS_VARIABLE, MEANS_CONSTANT };
/* What a name or member stands for; beside is the other side of a comparison, or NULL: a location
 * name may depend on it. MEANS_NOTHING: an error was told. */
enum meaning scope_resolve(struct scope *scope, struct ast *node, const struct ast *beside,
                           uint32_t *var, int64_t *value);

/* A constant expression, exactly. Returns false after an error. */
bool scope_constant(struct scope *scope, struct ast *node, int64_t *value);

/* The value of the location `name` of a type. False: it has none. */
bool scope_location(struct scope *scope, uint32_t type, const char *name, int64_t *value);

unsigned scope_var_width(const struct scope *scope, uint32_t var);

#endif
