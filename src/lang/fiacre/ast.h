/* The syntax tree of a Fiacre file, as written: names are not resolved, nothing is typed, nothing
 * is instantiated.
 *
 * Conventions, the same for all nodes:
 *  - every node lives in the arena given to the parser and is never freed by itself; names and
 *    texts are interned (compare pointers);
 *  - lists are chains of `next`, in the order of the text; NULL is the empty list. `next` links
 *    only nodes of one list;
 *  - `a, b : T := e` is two declarations, which share the nodes of T and of e (their roots are
 *    never elements of a list);
 *  - `place` is where the node begins, except of binary operators and of `:=`, `!`, `?`, where it
 *    is said below;
 *  - after errors (false from the parser) the tree is not to be used.
 *
 * Expressions, patterns and formulas are one kind of node, struct fiacre_exp, because the text does
 * not tell them apart before names are resolved: `evtSpeed speed` is a constructor with an argument
 * in an expression, and with a variable that is assigned in a pattern; `stop` may be a constructor,
 * a constant, a variable. What the parser guarantees of each use:
 *  - an expression has only the kinds up to FIACRE_EXP_BINARY, and FIACRE_EXP_ANY only as a value
 *    sent by `p ! any`, FIACRE_EXP_REFERENCE only as an argument of an instance;
 *  - a pattern (left side of `:=`, `case`, `p ? ...`) has only NUMBER, NEGATE or PLUS of a NUMBER,
 *    BOOL, ANY, NAME, CALL with one argument that is a pattern (a constructor), INDEX (whose index
 *    b is an expression) and FIELD;
 *  - a formula has any kind. Its maximal parts without the kinds that only formulas have
 *    (fiacre_is_formula_kind) are atoms. */
#ifndef CAIRN_LANG_FIACRE_AST_H
#define CAIRN_LANG_FIACRE_AST_H

#include "base/diag.h"
#include "base/text.h"
#include "lang/common/language.h"
#include "model/model.h"

/* ---- expressions ---- */

enum fiacre_exp_kind {
    FIACRE_EXP_NUMBER,  /* number (at most 63 bits; a sign is an operator) */
    FIACRE_EXP_BOOL,    /* number: 0 or 1 */
    FIACRE_EXP_NAME,    /* name: variable, parameter, constant or constructor; in a formula also a
                           property, process or state */
    FIACRE_EXP_ANY,     /* `any` */
    FIACRE_EXP_CALL,    /* name(args), or `name arg` (juxtaposed): a function or a constructor; in a
                           pattern a constructor. 0 or more args */
    FIACRE_EXP_INDEX,   /* a[b] */
    FIACRE_EXP_FIELD,   /* a.name */
    FIACRE_EXP_ARRAY,   /* [args], at least one */
    FIACRE_EXP_RECORD,  /* {args}, at least one, each a SETTING */
    FIACRE_EXP_SETTING, /* name = a, in a RECORD only */
    FIACRE_EXP_QUEUE,   /* {|args|}, maybe none */
    FIACRE_EXP_CONDITIONAL, /* a ? b : c */
    FIACRE_EXP_REFERENCE, /* &a, an argument of an instance; a is NAME, INDEX or FIELD (only NAME is
                             Fiacre) */
    FIACRE_EXP_UNARY,     /* op a */
    FIACRE_EXP_BINARY,    /* a op b; the place is that of a, op_place that of the operator */
    /* in formulas only */
    FIACRE_EXP_AT, /* a @ name: process a (NAME, INDEX of a NAME, or a longer path) is in state name
                    */
    FIACRE_EXP_OBSERVE,  /* path item, as `Main/1/2/state s`: see below */
    FIACRE_EXP_ENTER,    /* enter a */
    FIACRE_EXP_LEAVE,    /* leave a */
    FIACRE_EXP_TEMPORAL, /* op is an enum formula_op: X F G U R W A E, IMPLIES, IFF; a, and b when
                            it has two operands. A and E have a path operator (X F G U R W) below
                            them, when they are CTL: the parser does not check */
    FIACRE_EXP_PATTERN,  /* pattern: `present ...`, `a leadsto b`, ... */
};

enum fiacre_op {
    /* unary */
    FIACRE_NOT, /* in formulas also `!` */
    FIACRE_NEGATE,
    FIACRE_PLUS,
    FIACRE_COERCE, /* $ */
    FIACRE_FIRST,
    FIACRE_DEQUEUE,
    FIACRE_EMPTY,
    FIACRE_FULL,
    FIACRE_LENGTH,
    /* binary */
    FIACRE_OR,
    FIACRE_AND,
    FIACRE_EQ, /* in formulas also `==` */
    FIACRE_NE,
    FIACRE_LT,
    FIACRE_LE,
    FIACRE_GT,
    FIACRE_GE,
    FIACRE_ADD,
    FIACRE_SUB,
    FIACRE_MUL,
    FIACRE_DIV,
    FIACRE_MOD,
    FIACRE_ENQUEUE, /* enqueue(a, b) */
    FIACRE_APPEND,  /* append(a, b) */
    FIACRE_OPS
};

/* How a FIACRE_EXP_OBSERVE ends. */
enum fiacre_item {
    FIACRE_ITEM_STATE, /* state item_name */
    FIACRE_ITEM_VALUE, /* value a: an expression over the names of the instance */
    FIACRE_ITEM_TAG,   /* tag item_name */
    FIACRE_ITEM_EVENT, /* event item_name: a port */
};

struct fiacre_exp {
    uint8_t kind;    /* enum fiacre_exp_kind */
    uint8_t op;      /* enum fiacre_op, or enum formula_op of a TEMPORAL, or enum fiacre_item of an
                        OBSERVE */
    bool juxtaposed; /* of a CALL: written without parentheses */
    bool reported;   /* not used by the parser: an error was told here ... */
    bool remarked;   /* ... or a warning */
    uint32_t depth; /* longest path down, at most FIACRE_MAX_DEPTH: recursion over a tree is safe */
    uint32_t count; /* length of args */
    struct place place, op_place;
    const char *name;
    uint64_t number;
    struct fiacre_exp *a, *b, *c;
    struct fiacre_exp *args;
    struct fiacre_exp *next;
    /* of an OBSERVE: `name` is the first word of the path, args its numbers (FIACRE_EXP_NUMBER) */
    const char *item_name;
    struct place item_place;
    struct fiacre_pattern *pattern; /* of a PATTERN */
    void *info; /* not used by the parser (NULL): room for the passes that follow */
};

/* Nesting of brackets and statements in the text, and depth of a tree. */
enum { FIACRE_MAX_NESTING = 1000, FIACRE_MAX_DEPTH = 3000 };

static inline bool fiacre_is_formula_kind(const struct fiacre_exp *exp)
{
    return exp->kind >= FIACRE_EXP_AT;
}

/* ---- time ---- */

/* numerator / denominator as written: 2.5 is 25 / 10. Both fit in 63 bits; the denominator is a
 * power of ten. */
struct fiacre_time {
    uint64_t numerator, denominator;
};

struct fiacre_interval {
    struct place place;
    struct fiacre_time low, high;
    bool low_open, high_open; /* ]low, high[ */
    bool unbounded;           /* [low, ...[ : high is 0/1 and means nothing */
};

/* ---- names, types, channels ---- */

struct fiacre_name {
    const char *name;
    struct place place;
    struct fiacre_name *next;
};

enum fiacre_type_kind {
    FIACRE_TYPE_BOOL,
    FIACRE_TYPE_NAT,
    FIACRE_TYPE_INT,
    FIACRE_TYPE_NAME, /* name: a declared type, or a declared channel where a channel is expected */
    FIACRE_TYPE_RANGE,  /* low .. high */
    FIACRE_TYPE_ARRAY,  /* array low of of */
    FIACRE_TYPE_QUEUE,  /* queue low of of */
    FIACRE_TYPE_UNION,  /* members: constructors; a member's type is NULL when it has no argument */
    FIACRE_TYPE_RECORD, /* members: fields */
};

struct fiacre_type {
    uint8_t kind;
    bool reported; /* not used by the parser */
    struct place place;
    const char *name;
    struct fiacre_exp *low, *high; /* expressions, meant to be constant; the size is `low` */
    struct fiacre_type *of;
    struct fiacre_member *members;
    struct fiacre_type *next; /* in a channel and in the arguments of an extern only */
    void *info;               /* not used by the parser */
};

struct fiacre_member {
    const char *name;
    struct place place;
    struct fiacre_type *type;
    struct fiacre_member *next;
};

struct fiacre_channel {
    struct place place;
    bool plain; /* `none` or `sync`: types is NULL */
    /* T1 # T2 ...; one FIACRE_TYPE_NAME may be the name of a channel */
    struct fiacre_type *types;
};

/* ---- variables and ports ---- */

/* A variable of a process, component or function, or a parameter of one. */
struct fiacre_variable {
    const char *name;
    struct place place;
    bool by_reference; /* parameter `&x` */
    bool read, write;  /* as written before the type of a parameter: neither means both */
    struct fiacre_type *type;
    struct fiacre_exp *init; /* NULL: none given (always NULL of a parameter) */
    struct fiacre_variable *next;
};

/* A port parameter of a process or component, or a local port of a component (which alone has
 * interval and probe). */
struct fiacre_port {
    const char *name;
    struct place place;
    bool in, out; /* as written: neither means both */
    struct fiacre_channel *channel;
    struct fiacre_interval *interval; /* NULL: none given, [0,...[ */
    struct fiacre_exp *probe;         /* `is observable`, a formula; NULL: none */
    struct fiacre_port *next;
};

/* ---- statements ---- */

enum fiacre_stmt_kind {
    FIACRE_STMT_NULL,
    FIACRE_STMT_LOOP,
    FIACRE_STMT_TO,      /* to name */
    FIACRE_STMT_TAG,     /* #name */
    FIACRE_STMT_LABEL,   /* name: the text of a comment that begins with @ (`@text` or `@{text}`),
                            white space at its ends removed. It stands in the sequence where the
                            comment stands, after the statement when it was inside one; a sequence
                            has at least one other statement. Not in functions */
    FIACRE_STMT_ON,      /* on exp */
    FIACRE_STMT_WAIT,    /* wait interval */
    FIACRE_STMT_ASSIGN,  /* patterns := exps, as many of each; op_place is that of `:=` */
    FIACRE_STMT_CHOOSE,  /* patterns := any [where exp] */
    FIACRE_STMT_IF,      /* branches: exp is the condition, NULL for `else`, which is last */
    FIACRE_STMT_SELECT,  /* branches: body, with group: 0 before the first `unless`, then 1, 2, ...
                            (higher has priority) */
    FIACRE_STMT_CASE,    /* case exp of branches: exp of a branch is its pattern */
    FIACRE_STMT_WHILE,   /* while exp do body */
    FIACRE_STMT_FOREACH, /* foreach name do body; op_place is that of the name */
    FIACRE_STMT_SYNC,    /* name: a port, without values */
    FIACRE_STMT_SEND,    /* name ! exps, each an expression or ANY */
    FIACRE_STMT_RECEIVE, /* name ? patterns [where exp] */
    FIACRE_STMT_RETURN,  /* return exp, in functions only */
};

struct fiacre_branch {
    struct place place;
    struct fiacre_exp *exp;
    struct fiacre_stmt *body; /* never NULL */
    uint32_t group;
    struct fiacre_branch *next;
};

struct fiacre_stmt {
    uint8_t kind;
    bool reported, remarked; /* not used by the parser: an error, a warning was told here */
    struct place place, op_place;
    const char *name;
    struct fiacre_exp *patterns, *exps; /* lists */
    uint32_t pattern_count, exp_count;
    struct fiacre_exp *exp; /* condition, guard, scrutinee, result, or `where` (then NULL: none) */
    struct fiacre_interval *interval;
    struct fiacre_branch *branches;
    struct fiacre_stmt *body;
    struct fiacre_stmt *next; /* the next one of the sequence */
    void *info;               /* not used by the parser */
};

/* ---- processes, functions ---- */

struct fiacre_transition {
    const char *state;
    struct place place, state_place; /* of `from`, of the state */
    struct fiacre_stmt *body;
    struct fiacre_transition *next;
};

struct fiacre_process {
    struct fiacre_port *ports;
    struct fiacre_variable *parameters;
    struct fiacre_name *states;
    struct fiacre_variable *variables;
    struct fiacre_stmt *init; /* NULL: none */
    struct place init_place;
    struct fiacre_transition *transitions;
};

struct fiacre_function {
    struct fiacre_variable *parameters; /* by value */
    struct fiacre_type *result;
    struct fiacre_variable *variables;
    struct fiacre_stmt *body; /* `is return e` is a body of one RETURN. Of an extern: NULL */
    /* of an extern */
    struct fiacre_type *arguments;
    const char *foreign; /* its name outside */
    struct place foreign_place;
};

/* ---- components ---- */

/* Each of high has priority over each of low. `a > b > c` is two of these, `b < a` is written as `a
 * > b`. */
struct fiacre_priority {
    struct place place;
    struct fiacre_name *high, *low;
    struct fiacre_priority *next;
};

/* A set of ports before `->` or after `par`. */
struct fiacre_portset {
    bool given; /* otherwise empty */
    bool all;   /* * */
    struct place place;
    struct fiacre_name *names;
};

enum fiacre_block_kind {
    FIACRE_BLOCK_PAR,      /* par [portset in] blocks */
    FIACRE_BLOCK_INSTANCE, /* name[ports](args) */
};

struct fiacre_block {
    uint8_t kind;
    struct place place;
    struct fiacre_portset interface; /* `p, q ->` before the block */
    struct fiacre_portset portset;   /* of a PAR */
    struct fiacre_block *blocks;     /* of a PAR, at least one */
    const char *name;                /* of an INSTANCE: a process or component */
    struct place name_place;
    struct fiacre_name *ports;
    struct fiacre_exp *args; /* a REFERENCE or an expression */
    uint32_t port_count, arg_count;
    bool has_ports, has_args; /* brackets were written */
    struct fiacre_block *next;
};

struct fiacre_component {
    struct fiacre_port *ports;
    struct fiacre_variable *parameters;
    struct fiacre_variable *variables;
    struct fiacre_port *local_ports;
    struct fiacre_priority *priorities;
    struct fiacre_stmt *init; /* NULL: none */
    struct place init_place;
    struct fiacre_block *composition; /* a PAR */
};

/* ---- properties ---- */

enum fiacre_pattern_kind {
    FIACRE_PATTERN_PRESENT,         /* present [first] a ... */
    FIACRE_PATTERN_ABSENT,          /* absent a ... */
    FIACRE_PATTERN_ALWAYS,          /* always a ... */
    FIACRE_PATTERN_LEADSTO,         /* a leadsto [first] b ... */
    FIACRE_PATTERN_PRECEDES,        /* a precedes b ... */
    FIACRE_PATTERN_DEADLOCKFREE,    /* deadlockfree */
    FIACRE_PATTERN_INFINITELYOFTEN, /* infinitelyoften a */
    FIACRE_PATTERN_MORTAL,          /* mortal a */
    FIACRE_PATTERN_LIVE,            /* live a */
};

enum fiacre_scope {
    FIACRE_SCOPE_GLOBAL,      /* none given */
    FIACRE_SCOPE_BEFORE,      /* before from */
    FIACRE_SCOPE_AFTER,       /* after from */
    FIACRE_SCOPE_BETWEEN,     /* between from and to */
    FIACRE_SCOPE_AFTER_UNTIL, /* after from until to */
};

struct fiacre_pattern {
    uint8_t kind, scope;
    bool first;
    struct place place;
    struct fiacre_exp *a,
        *b; /* formulas; b NULL when there is one operand, a NULL of DEADLOCKFREE */
    struct fiacre_exp *from, *to; /* of the scope */
    bool has_lasting;
    struct fiacre_time lasting;       /* lasting d */
    struct fiacre_interval *within;   /* within i; NULL: none */
    struct fiacre_interval *duration; /* for i; NULL: none. `for d` is for [d,d] */
};

struct fiacre_property {
    const char *name; /* NULL: unnamed, from the command line */
    struct place place;
    /* In a file: `ltl f` is PROPERTY_LTL, `ctl f` and `invariant f` (Cairn's own) the others;
     * without such a word (patterns and what is combined of them) it is PROPERTY_LTL too. From the
     * command line: as asked. */
    enum property_kind kind;
    struct fiacre_exp *root; /* a formula */
    const char *text;        /* what was written, white space folded */
};

/* ---- files ---- */

enum fiacre_decl_kind {
    FIACRE_DECL_TYPE,      /* type name is type */
    FIACRE_DECL_CHANNEL,   /* channel name is channel */
    FIACRE_DECL_CONST,     /* const name : type is exp */
    FIACRE_DECL_FUNCTION,  /* function */
    FIACRE_DECL_EXTERN,    /* function, with arguments and foreign */
    FIACRE_DECL_PROCESS,   /* process */
    FIACRE_DECL_COMPONENT, /* component */
    FIACRE_DECL_PROPERTY,  /* property */
    FIACRE_DECL_ASSERT,    /* assert name (a property) [true "text"] [false "text"] */
    FIACRE_DECL_OBSERVER,  /* name > other: component `name` observes component `other` */
    FIACRE_DECL_ROOT,      /* name alone: the main process or component */
};

struct fiacre_decl {
    uint8_t kind;
    bool reported;
    const char *name;
    struct place place, name_place, end; /* of the keyword, of the name, behind the last token */
    struct fiacre_type *type;
    struct fiacre_channel *channel;
    struct fiacre_exp *exp;
    struct fiacre_function *function;
    struct fiacre_process *process;
    struct fiacre_component *component;
    struct fiacre_property *property;
    const char *other; /* of an OBSERVER */
    struct place other_place;
    const char *when_true, *when_false; /* of an ASSERT, NULL: not given */
    struct fiacre_decl *next;
    void *info; /* not used by the parser */
};

struct fiacre_file {
    struct fiacre_decl *decls;
    struct fiacre_decl *root; /* the last FIACRE_DECL_ROOT; NULL: the file has none (a fragment),
                                 which the parser does not diagnose */
    struct place last;        /* of the last token */
};

/* Reads a whole file. `mem` holds what the parser needs while it works; the tree is in the arena.
 * Returns false after errors. */
bool fiacre_parse(struct diag *diag, struct names *names, struct arena *arena, struct mem *mem,
                  uint32_t source, struct language_define *defines, uint32_t define_count,
                  struct fiacre_file *file);

/* Reads one property, in Cairn's syntax of formulas (see expression.c), from a source of its own:
 * `[name :] formula`. Returns false after errors. */
bool fiacre_parse_expression_source(struct diag *diag, struct names *names, struct arena *arena,
                                    struct mem *mem, uint32_t source, enum property_kind kind,
                                    struct fiacre_property *property);

/* Tells the names of the file. */
void fiacre_tell_names(const struct fiacre_file *file, const struct diag *diag,
                       struct symbols *symbols);

/* ---- printing ---- */

/* Prints a file, an expression or a statement as Fiacre that parses to the same tree: with
 * parentheses where they are needed. */
void fiacre_print(struct text *out, const struct fiacre_file *file);
void fiacre_print_exp(struct text *out, const struct fiacre_exp *exp);
void fiacre_print_type(struct text *out, const struct fiacre_type *type);
void fiacre_print_stmt(struct text *out, const struct fiacre_stmt *stmt, unsigned indent);

#endif
