/* The syntax tree of a Milestones file, as written: names are not resolved yet, and process types
 * are not instantiated. */
#ifndef CAIRN_LANG_MILESTONES_AST_H
#define CAIRN_LANG_MILESTONES_AST_H

#include "base/diag.h"
#include "lang/common/lexer.h"
#include "lang/common/symbols.h"
#include "model/expr.h"
#include "model/formula.h"
#include "model/model.h"

enum ast_kind { AST_NUMBER, AST_BOOL, AST_NAME, AST_MEMBER, AST_EXPR, AST_TEMPORAL, AST_EACH };

struct ast {
    uint8_t kind;
    uint8_t op; /* of AST_EXPR (enum expr_op) or AST_TEMPORAL (enum formula_op); of AST_EACH: & for
                   forall, | for exists, + for sum */
    bool has_each; /* it is AST_EACH, or has one inside */
    bool reported; /* an error was told here: instances share the tree, one message is enough */
    uint32_t depth;
    struct place place, member_place;
    const char *name, *member; /* name, or name[a].member; a is NULL for name.member */
    uint64_t number;
    struct ast *a, *b;
    struct ast *body;   /* AST_EACH: for each `name` from a to b, or of the process a */
    struct ast *origin; /* of a copy: what was written; else NULL */
};

struct ast_variable {
    const char *name;
    struct place place;
    struct ast *width, *init; /* init NULL: any value */
    bool is_hidden;
    const char *text; /* as it was written */
};

struct ast_name {
    const char *name;
    struct place place;
    struct ast *value; /* constants and locations; may be NULL for a location */
    const char *text;  /* as it was written */
};

struct ast_store {
    struct ast *target; /* AST_NAME or AST_MEMBER */
    struct ast *value;
};

struct ast_command {
    struct ast *location; /* NULL: none given, or a global command */
    const char *action;
    struct place place, action_place;
    struct ast *guard; /* NULL: true */
    VEC(struct ast_store) stores;
};

struct ast_type {
    const char *name;
    struct place place, start, end; /* of the name; of LOCAL; behind END */
    VEC(struct ast_name) locations;
    VEC(struct ast_name) actions;
    VEC(struct ast_variable) variables;
    VEC(struct ast_command) commands;
    VEC(struct ast_name) sync;
    VEC(struct ast_name) finals; /* locations where it may stand when nothing is enabled */
};

struct ast_instance {
    const char *name, *type;
    struct place place, type_place;
    struct ast *count; /* NULL: one */
    const char *text;  /* as it was written */
};

struct ast_property {
    enum property_kind kind;
    const char *name; /* NULL: unnamed */
    const char *text;
    struct place place, name_place; /* name_place: line 0 when it is unnamed */
    struct place end;
    struct ast *root;
};

struct ast_file {
    struct mem *mem;
    struct arena *arena;
    VEC(struct ast_name) constants;
    VEC(struct ast_name) actions;
    VEC(struct ast_variable) variables;
    VEC(struct ast_type) types;
    VEC(struct ast_instance) instances;
    VEC(struct ast_command) commands;
    VEC(struct ast_property) properties;
    bool has_main;
};

/* Reads a whole file. Errors go to diag; what could be read is in *file. */
void milestones_parse(struct diag *diag, struct names *names, struct arena *arena, uint32_t source,
                      struct ast_file *file);

/* Tells the names of the file: what they mean here says scope.c, too. */
void milestones_tell_names(const struct ast_file *file, struct symbols *symbols);
/* Ended by NULL. */
extern const char *const milestones_keywords[];

/* Reads one property (from the command line). Returns false after errors. `file` tells which names
 * exist. */
bool milestones_parse_property(struct diag *diag, struct names *names, struct ast_file *file,
                               uint32_t source, enum property_kind kind,
                               struct ast_property *property);

#endif
