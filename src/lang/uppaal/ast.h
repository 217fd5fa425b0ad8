/* The syntax tree of an UPPAAL model (XML, XTA, old XTA) and of its queries, as written: names are
 * not resolved, nothing is typed, nothing is instantiated. The three forms of text give the same
 * tree, so that what follows need not know them.
 *
 * Conventions, the same for all nodes:
 *  - every node lives in the arena given to the parser and is never freed by itself; names and
 *    texts are interned (compare pointers);
 *  - lists are chains of `next`, in the order of the text; NULL is the empty list. `next` links
 *    only nodes of one list;
 *  - `int a, b[2] = e` is two declarations, which share the node of their type (it is never an
 *    element of a list);
 *  - `place` is where the node begins, in the file itself: in XML inside the label's text;
 *  - after errors (false from the parser) the tree is not to be used.
 *
 * What the parser does so that nobody else must:
 *  1. Spellings of one thing give one node: `&&` and `and`, `||` and `or`, `!` and `not`, `=` and
 *     `:=`, `<=` and the old `=<`; a comma list in a guard or invariant is a conjunction
 *     (UPPAAL_AND). Parentheses leave no node.
 *  2. Edges point to their locations: ids of XML and names of XTA are resolved; there is exactly
 *     one initial location, if there is any; names of locations are unique in their template.
 *  3. Parameters of the old syntax have by_reference set where it is the default there.
 *  4. What is no part of the classical language is refused, with its name and position: rates
 *     other than 1, hybrid clocks, floating point, strings, imports, dynamic processes, charts,
 *     synchronisation without a mark, switch, break, continue, before_update, after_update.
 *     Left out without a word, since it means nothing for verdicts here: rates of exponential
 *     delays, weights of probability are kept but need not be read, progress, gantt, layout. */
#ifndef CAIRN_LANG_UPPAAL_AST_H
#define CAIRN_LANG_UPPAAL_AST_H

#include "base/diag.h"
#include "base/text.h"

/* ---- expressions ---- */

enum uppaal_exp_kind {
    UPPAAL_EXP_NUMBER,      /* number: 0 .. 2147483647, and 2147483648 directly below a NEGATE */
    UPPAAL_EXP_BOOL,        /* number: 0 or 1 */
    UPPAAL_EXP_NAME,        /* name */
    UPPAAL_EXP_DEADLOCK,    /* `deadlock`, in queries only */
    UPPAAL_EXP_CALL,        /* a(args), maybe none. a is a NAME (a function; in a query also a
                               process of a set, `Train(0)`), or a FIELD (`Train(0).done()`, in
                               queries only) */
    UPPAAL_EXP_INDEX,       /* a[b] */
    UPPAAL_EXP_FIELD,       /* a.name: a member; in a query also a location or variable of a
                               process */
    UPPAAL_EXP_UNARY,       /* op a, or a op for POST_INCREASE and POST_DECREASE */
    UPPAAL_EXP_BINARY,      /* a op b */
    UPPAAL_EXP_ASSIGN,      /* a = b; or a op= b, then op is the binary operator. See is_plain */
    UPPAAL_EXP_CONDITIONAL, /* a ? b : c */
    UPPAAL_EXP_QUANTIFIED,  /* op (name : type) a; op is FORALL, EXISTS or SUM */
    UPPAAL_EXP_RATE, /* a' == 1 (b is the 1), in invariants only: true, and says that a is a clock
                      */
    UPPAAL_EXP_LIST, /* {args}, at least one, in initialisers only */
    UPPAAL_EXP_SETTING, /* name : a, an element of a LIST only */
};

enum uppaal_op {
    /* unary */
    UPPAAL_NOT,
    UPPAAL_NEGATE,
    UPPAAL_PLUS,
    UPPAAL_PRE_INCREASE,
    UPPAAL_PRE_DECREASE,
    UPPAAL_POST_INCREASE,
    UPPAAL_POST_DECREASE,
    /* binary */
    UPPAAL_POWER, /* ** */
    UPPAAL_MUL,
    UPPAAL_DIV,
    UPPAAL_MOD,
    UPPAAL_ADD,
    UPPAAL_SUB,
    UPPAAL_SHIFT_LEFT,
    UPPAAL_SHIFT_RIGHT,
    UPPAAL_MIN, /* <? */
    UPPAAL_MAX, /* >? */
    UPPAAL_LT,
    UPPAAL_LE,
    UPPAAL_GE,
    UPPAAL_GT,
    UPPAAL_EQ,
    UPPAAL_NE,
    UPPAAL_BIT_AND,
    UPPAAL_BIT_XOR,
    UPPAAL_BIT_OR,
    UPPAAL_AND,
    UPPAAL_OR,
    UPPAAL_XOR, /* the word `xor`: of truth values */
    UPPAAL_IMPLY,
    /* of QUANTIFIED */
    UPPAAL_FORALL,
    UPPAAL_EXISTS,
    UPPAAL_SUM,
    UPPAAL_OPS
};

struct uppaal_exp {
    uint8_t kind;       /* enum uppaal_exp_kind */
    uint8_t op;         /* enum uppaal_op */
    bool is_plain;      /* of an ASSIGN: `=` or `:=`, and op means nothing */
    bool reported;      /* not used by the parser */
    uint32_t depth;     /* longest path down, at most UPPAAL_MAX_DEPTH: recursion over it is safe */
    uint32_t count;     /* length of args */
    struct place place; /* of its first character: of a BINARY, that of a */
    struct place op_place; /* of the operator; of a FIELD the name's; of a QUANTIFIED the name's;
                              otherwise the same as place */
    const char *name;
    uint64_t number;
    struct uppaal_exp *a, *b, *c;
    struct uppaal_type *type; /* of a QUANTIFIED */
    struct uppaal_exp *args;
    struct uppaal_exp *next;
    void *info; /* not used by the parser (NULL) */
};

/* Nesting of brackets and statements in the text, and depth of a tree. */
enum { UPPAAL_MAX_NESTING = 1000, UPPAAL_MAX_DEPTH = 3000, UPPAAL_MAX_DIMENSIONS = 100 };

/* ---- types ---- */

enum uppaal_type_kind {
    UPPAAL_TYPE_NAME, /* name: of a typedef, or built in (int8_t, ...) */
    UPPAAL_TYPE_INT,  /* int, or int[low, high]: both NULL or neither */
    UPPAAL_TYPE_BOOL,
    UPPAAL_TYPE_CLOCK,
    UPPAAL_TYPE_CHAN,
    UPPAAL_TYPE_VOID,   /* of functions only */
    UPPAAL_TYPE_SCALAR, /* scalar[low] */
    UPPAAL_TYPE_STRUCT, /* struct { members }, at least one */
};

/* What stands before a type, as written: any combination but CONST with META. */
enum uppaal_prefix {
    UPPAAL_CONST = 1,
    UPPAAL_META = 2,
    UPPAAL_URGENT = 4,
    UPPAAL_BROADCAST = 8,
};

struct uppaal_type {
    uint8_t kind;     /* enum uppaal_type_kind */
    uint8_t prefixes; /* set of enum uppaal_prefix */
    bool reported;
    struct place place, name_place;
    const char *name;
    struct uppaal_exp *low, *high;
    struct uppaal_variable *members; /* without initialisers, never by reference */
    void *info;                      /* not used by the parser */
};

/* [size] or [index type] behind a name; the outermost dimension comes first. A size that is only a
 * NAME may be the name of a type: then it is an index type all the same. */
struct uppaal_array {
    struct place place;        /* of what is in the brackets */
    struct uppaal_exp *size;   /* NULL: index */
    struct uppaal_type *index; /* NULL: size */
    struct uppaal_array *next;
};

/* ---- variables, functions, statements ---- */

/* A variable, a parameter of a template, function or instance, a member of a struct, a defined
 * type. */
struct uppaal_variable {
    const char *name;
    struct place place;
    struct uppaal_type *type; /* shared by the names of one declaration */
    struct uppaal_array *arrays;
    bool by_reference;            /* of a parameter: `&`, or an old one that is not const */
    struct uppaal_exp *init;      /* NULL: none. A LIST, or any other expression */
    struct uppaal_variable *next; /* in a list of parameters or members only */
    void *info;
};

enum uppaal_stmt_kind {
    UPPAAL_STMT_EMPTY,
    UPPAAL_STMT_BLOCK,  /* { decls body } */
    UPPAAL_STMT_EXP,    /* exp; */
    UPPAAL_STMT_FOR,    /* for (first; exp; step) body; lists, each maybe empty: an empty condition
                           is NULL and true */
    UPPAAL_STMT_EACH,   /* for (name : type) body */
    UPPAAL_STMT_WHILE,  /* while (exp) body */
    UPPAAL_STMT_DO,     /* do body while (exp) */
    UPPAAL_STMT_IF,     /* if (exp) body else other; other NULL: none */
    UPPAAL_STMT_RETURN, /* return exp; NULL: no value */
    UPPAAL_STMT_ASSERT, /* assert exp */
};

/* `exp` is a list where the text allows one (EXP, conditions, `first`, `step`): all are computed,
 * the value is that of the last. */
struct uppaal_stmt {
    uint8_t kind; /* enum uppaal_stmt_kind */
    struct place place;
    struct uppaal_exp *exp, *first, *step;
    const char *name; /* of an EACH */
    struct place name_place;
    struct uppaal_type *type;
    struct uppaal_decl *decls;        /* VARIABLE and TYPEDEF only */
    struct uppaal_stmt *body, *other; /* of a BLOCK a list; otherwise one statement, never NULL
                                         (but other) */
    struct uppaal_stmt *next;
    void *info;
};

struct uppaal_function {
    struct uppaal_type *result; /* VOID or another one */
    struct uppaal_variable *parameters;
    struct uppaal_stmt *body; /* a BLOCK */
};

/* ---- templates ---- */

struct uppaal_location {
    const char *name; /* NULL: it has none (XML), and cannot be spoken of */
    struct place place;
    const char *shown;   /* for people: the name; `_id0` of one without, as UPPAAL calls it */
    bool is_branchpoint; /* neither urgent nor committed, no invariant; never initial */
    bool urgent, committed;
    uint32_t index;               /* position in the list, from 0 */
    struct uppaal_exp *invariant; /* NULL: none */
    struct uppaal_location *next;
    void *info;
};

enum uppaal_sync {
    UPPAAL_SYNC_NONE,
    UPPAAL_SYNC_SEND,   /* channel ! */
    UPPAAL_SYNC_RECEIVE /* channel ? */
};

struct uppaal_select {
    const char *name;
    struct place place;
    struct uppaal_type *type;
    struct uppaal_select *next;
};

/* An edge from a branchpoint has no select, guard or sync, and leads to a location. */
struct uppaal_edge {
    struct place place; /* of the edge: `<transition`, or its source in XTA */
    struct uppaal_location *source, *target;
    struct place source_place, target_place;
    struct uppaal_select *selects;
    struct uppaal_exp *guard;   /* NULL: none */
    uint8_t sync;               /* enum uppaal_sync */
    struct uppaal_exp *channel; /* NAME, INDEX, FIELD ...; NULL: no sync */
    struct uppaal_exp *updates; /* list */
    struct uppaal_exp *weight;  /* of `probability`; NULL: none */
    bool uncontrollable;        /* of a game; means nothing here, and was warned about */
    struct uppaal_edge *next;
    void *info;
};

/* Where a location is named, behind its declaration. Of XTA only: XML has ids. */
struct uppaal_mention {
    struct uppaal_location *location;
    struct place place;
    struct uppaal_mention *next;
};

struct uppaal_template {
    struct uppaal_variable *parameters;
    struct uppaal_decl *decls;         /* VARIABLE, TYPEDEF and FUNCTION only */
    struct uppaal_location *locations; /* with branchpoints; NULL: the process is empty */
    struct uppaal_location *init;      /* NULL only without locations */
    struct uppaal_edge *edges;
    struct uppaal_mention *mentions; /* the last one first */
    uint32_t location_count;
};

/* ---- declarations ---- */

/* An element of `system` or of `chan priority`. Those with a larger rank come first (`a < b`: b has
 * rank 1). */
struct uppaal_ranked {
    struct place place;
    const char *name;           /* of a process */
    struct uppaal_exp *channel; /* of a priority: NAME, or INDEX of one; NULL: `default` */
    uint32_t rank;
    struct uppaal_ranked *next;
};

/* name (parameters) = of (args) */
struct uppaal_instance {
    struct uppaal_variable *parameters; /* of a partial instance */
    const char *of;                     /* a template or an instance */
    struct place of_place;
    struct uppaal_exp *args;
    uint32_t arg_count;
};

enum uppaal_decl_kind {
    UPPAAL_DECL_VARIABLE, /* variable */
    UPPAAL_DECL_TYPEDEF,  /* typedef: `variable` is the name with its type; no init */
    UPPAAL_DECL_FUNCTION, /* function */
    UPPAAL_DECL_TEMPLATE, /* a process of XTA, a template of XML. Global only */
    UPPAAL_DECL_INSTANCE, /* Global only */
    UPPAAL_DECL_PRIORITY, /* chan priority: ranks. Global only; name is NULL */
};

struct uppaal_decl {
    uint8_t kind; /* enum uppaal_decl_kind */
    bool reported;
    const char *name;
    struct place place; /* of the name; of a PRIORITY the keyword's */
    struct place end;   /* of a FUNCTION, or a TEMPLATE of XTA: behind it */
    struct uppaal_variable *variable;
    struct uppaal_function *function;
    struct uppaal_template *template;
    struct uppaal_instance *instance;
    struct uppaal_ranked *ranks;
    uint32_t first_process, processes; /* of a template or an instance in the system: its own */
    struct uppaal_decl *next;
    void *info;
};

/* ---- queries ---- */

enum uppaal_query_kind {
    UPPAAL_QUERY_ALWAYS,   /* A[] p */
    UPPAAL_QUERY_SOMETIME, /* E<> p */
    UPPAAL_QUERY_KEEPS,    /* E[] p */
    UPPAAL_QUERY_MEETS,    /* A<> p */
    UPPAAL_QUERY_LEADS,    /* p --> q */
    UPPAAL_QUERY_SUP,      /* sup{p}: terms; p NULL: none given */
    UPPAAL_QUERY_INF,
    UPPAAL_QUERY_BOUNDS,
};

/* `expect outcome=` of XML. */
enum uppaal_outcome {
    UPPAAL_OUTCOME_NONE,
    UPPAAL_OUTCOME_SUCCESS,
    UPPAAL_OUTCOME_FAILURE,
    UPPAAL_OUTCOME_MAYBE, /* maybe_true, maybe_false, or another word */
};

struct uppaal_query {
    uint8_t kind;    /* enum uppaal_query_kind; nothing when it is refused */
    uint8_t outcome; /* enum uppaal_outcome */
    struct place place;
    struct uppaal_exp *p, *q;
    struct uppaal_exp *terms; /* list, at least one */
    const char *text;         /* what was written, white space folded, without comments */
    const char *comment;      /* of XML, as written; NULL: none */
    /* A query that is not understood: statistical, of a game, or wrong. Nothing was told yet, so
     * that it can be left out (uppaal_tell_query says it). NULL: it is understood. */
    const char *refused;
    struct place refused_place;
    enum diag_code refused_code; /* DIAG_UNSUPPORTED, or what is wrong */
    struct uppaal_query *next;
    void *info;
};

/* ---- files ---- */

/* A part of the file from a place on, up to the next part: whom what stands there belongs to. */
struct uppaal_part {
    struct place place;
    const char *what;               /* "guard"; NULL: the edge, location or template itself */
    const struct uppaal_decl *decl; /* a template; NULL: what is global */
    const struct uppaal_edge *edge; /* of it, */
    const struct uppaal_location *location; /* or this; NULL: neither */
    struct uppaal_part *next;
};

struct uppaal_file {
    struct uppaal_part *parts;    /* the last one that was read first */
    struct uppaal_decl *decls;    /* in the order in which they are seen: global ones, templates,
                                     those of `instantiation` and `system` */
    struct uppaal_ranked *system; /* at least one */
    struct place system_place;    /* of the word `system` */
    struct uppaal_query *queries;
    bool is_xml, is_old;
};

#endif
