/* The tree of a CDL file. Nothing is resolved: names of declarations, processes, variables and
 * messages are looked up for the chosen context only (scope.h), because a file may speak of several
 * models. Lists hang together by `next`. */
#ifndef CAIRN_LANG_CDL_AST_H
#define CAIRN_LANG_CDL_AST_H

#include "base/diag.h"
#include "context/pattern.h"
#include "model/expr.h"

struct cdl_name {
    const char *name;
    struct place place;
    struct cdl_name *next;
};

/* A number, or the name of a constant. */
struct cdl_number {
    const char *name; /* NULL: a number */
    uint64_t number;
    struct place place;
};

/* {P}2: the second instance of P. */
struct cdl_unit {
    const char *name; /* NULL: none was given */
    uint64_t number;
    struct place place, number_place;
};

/* [3] or .field */
struct cdl_step {
    const char *field; /* NULL: an index */
    struct cdl_number index;
    struct place place;
    struct cdl_step *next;
};

enum cdl_value_kind { CDL_NUMBER, CDL_NAME, CDL_ARRAY, CDL_RECORD, CDL_VARIABLE };

/* A message, or a side of a comparison. */
struct cdl_value {
    enum cdl_value_kind kind;
    struct place place;
    int64_t number;
    const char *
        name; /* NAME: a constructor or constant, true or false; VARIABLE; of a field of a RECORD */
    struct cdl_value *values; /* the argument of a constructor; elements; fields */
    struct cdl_unit unit;     /* VARIABLE */
    struct place name_place;
    struct cdl_step *steps;
    struct cdl_value *next;
};

enum cdl_exp_kind {
    CDL_OR,
    CDL_AND,
    CDL_NOT,
    CDL_TRUTH,
    CDL_PREDICATE,
    CDL_LOCATION,
    CDL_COMPARE,
    CDL_EMPTY,
    CDL_FULL,
    CDL_TEST
};

struct cdl_exp {
    enum cdl_exp_kind kind;
    struct place place;
    struct cdl_exp *a, *b; /* OR, AND, NOT */
    bool truth;            /* TRUTH */
    const char *name;      /* PREDICATE; the state of LOCATION */
    struct place name_place;
    struct cdl_unit unit;           /* LOCATION */
    enum expr_op op;                /* COMPARE */
    struct cdl_value *left, *right; /* COMPARE; left: EMPTY, FULL, TEST (a Boolean variable) */
};

enum cdl_body_kind { CDL_SEND, CDL_RECEIVE, CDL_SYNC, CDL_BECOMES };

/* What happens in an event. */
struct cdl_body {
    enum cdl_body_kind kind;
    struct place place;
    const char *text; /* as it was written, on one line */
    struct cdl_value *message;
    struct cdl_unit unit;
    const char *name; /* the label of SYNC, the predicate of BECOMES */
    struct place name_place;
    bool truth; /* BECOMES */
};

enum cdl_activity_kind {
    CDL_SKIP,
    CDL_EVENT,
    CDL_CALL,
    CDL_BODY,
    CDL_LOOP,
    CDL_SEQUENCE,
    CDL_CHOICE,
    CDL_PARALLEL
};

struct cdl_activity {
    enum cdl_activity_kind kind;
    struct place place;
    const char *name;           /* EVENT; CALL: of an activity, or else an event */
    struct cdl_body *body;      /* BODY */
    struct cdl_number count;    /* LOOP */
    struct cdl_activity *parts; /* LOOP: one; SEQUENCE, CHOICE, PARALLEL: two or more */
    struct cdl_activity *next;
};

struct cdl_guard {
    const char *clock;
    struct place place;
    enum expr_op op;
    struct cdl_number number;
    struct cdl_guard *next;
};

struct cdl_action {
    const char *clock;
    struct place place;
    bool starts;
    struct cdl_action *next;
};

struct cdl_edge {
    struct cdl_name from, to;
    struct cdl_guard *guards;
    struct cdl_exp *predicate; /* NULL: none */
    const char *event;         /* NULL: none, or `body` */
    struct cdl_body *body;
    struct cdl_action *actions;
    struct place place, event_place;
    struct cdl_edge *next;
};

/* A pattern of properties, in the words of context/pattern.h. */
struct cdl_item {
    struct cdl_name event;
    uint64_t count;
    bool is_exact;
    struct cdl_item *next;
};

struct cdl_set {
    enum pattern_quantifier quantifier;
    struct cdl_item *items;
    struct place place;
};

struct cdl_option {
    struct cdl_name event, before; /* before.name is NULL where there is none */
    bool is_asked;                 /* false: `may` */
    struct cdl_option *next;
};

struct cdl_pattern {
    enum pattern_family family;
    enum pattern_scope scope;
    struct cdl_name open, close; /* a name is NULL: none */
    struct cdl_set left, right;
    bool is_immediate, repeats, has_bound;
    struct cdl_number bound;
    struct cdl_option *options;
};

enum cdl_kind {
    CDL_DECL_EVENT,
    CDL_DECL_PREDICATE,
    CDL_DECL_ACTIVITY,
    CDL_DECL_PROPERTY,
    CDL_DECL_RESTRICTION,
    CDL_DECL_CONTEXT,
    CDL_KINDS
};

struct cdl_decl {
    enum cdl_kind kind;
    const char *name;
    struct place place, start, end; /* of the name; of the declaration, and behind it */
    const char *text;               /* of PREDICATE: as it was written, on one line */
    struct cdl_body *body;          /* EVENT */
    struct cdl_exp *exp;            /* PREDICATE */
    struct cdl_activity *activity;  /* ACTIVITY; `main` of CONTEXT, NULL: none */
    struct cdl_edge *edges;         /* PROPERTY, RESTRICTION */
    struct cdl_name *pending;    /* of PROPERTY: states that no run stays in for ever; NULL: none */
    struct cdl_pattern *pattern; /* of PROPERTY, instead of edges; NULL: none */
    struct cdl_activity *init;   /* CONTEXT, NULL: none */
    struct cdl_name *asserts, *properties, *restrictions;
    struct cdl_decl *next;

    /* while a context is resolved */
    bool is_busy, is_ready, is_bad;
    expr condition; /* PREDICATE */
    uint32_t index; /* EVENT: its number in the context; ACTIVITY: its term */
};

struct cdl_file {
    struct cdl_decl *decls;
    struct cdl_name *constants; /* names that stand where a number could */
};

#endif
