/* What a file in TChecker's form says, before anything is lowered. Everything is declared before it
 * is used, so names are resolved while the file is read; expressions keep their names. */
#ifndef CAIRN_LANG_TCK_AST_H
#define CAIRN_LANG_TCK_AST_H

#include "base/map.h"
#include "lang/common/language.h"
#include "lang/common/lexer.h"

enum tck_op {
    TCK_NUMBER,
    TCK_NAME, /* a: its index, or NULL */
    TCK_NEGATE,
    TCK_ADD,
    TCK_SUB,
    TCK_MUL,
    TCK_DIV,
    TCK_MOD,
    TCK_EQ,
    TCK_NE,
    TCK_LT,
    TCK_LE,
    TCK_GT,
    TCK_GE,
    TCK_NOT,
    TCK_AND,
    TCK_IF,      /* if a then b else c */
    TCK_OR,      /* from here on in formulas alone */
    TCK_TEMPORAL /* `formula` of a and b */
};

struct tck_exp {
    enum tck_op op;
    enum formula_op formula;
    struct place place;
    uint64_t number;
    const char *name;
    struct tck_exp *a, *b, *c;
    uint32_t depth;
};

enum tck_do { TCK_ASSIGN, TCK_BRANCH, TCK_LOOP, TCK_LOCAL, TCK_NOP };

struct tck_statement {
    enum tck_do kind;
    struct place place;
    struct tck_exp *target, *value; /* value: also a condition; of a local, what it begins with */
    struct tck_exp *size;           /* of a local array, or NULL */
    struct tck_statement *body, *other, *next;
};

struct tck_location {
    const char *name;
    struct place place;
    bool is_initial, is_committed, is_urgent;
    struct tck_exp *invariant;    /* or NULL */
    uint32_t first_label, labels; /* into label_names */
};

struct tck_process {
    const char *name;
    struct place place;
    VEC(struct tck_location) locations;
    uint32_t var; /* of the model: where it stands */
};

struct tck_edge {
    uint32_t process, source, target, event;
    struct place place;
    struct tck_exp *provided;    /* or NULL */
    struct tck_statement *steps; /* or NULL */
};

/* One process of a synchronisation. */
struct tck_party {
    uint32_t process, event;
    bool is_weak;
};

struct tck_sync {
    uint32_t first, parties; /* into `parties` */
    struct place place;
};

/* Clocks, or integers. */
struct tck_array {
    const char *name;
    struct place place;
    uint32_t count;
    int64_t low, high, init; /* of integers */
    uint32_t first;          /* of the model's variables, or clocks */
};

/* Names of different kinds may be equal; integers and clocks are one kind. */
enum tck_scope {
    TCK_SCOPE_PROCESS,
    TCK_SCOPE_EVENT,
    TCK_SCOPE_CLOCK,
    TCK_SCOPE_INT,
    TCK_SCOPE_LABEL,
    TCK_SCOPE_LOCATION, /* + the number of the process */
};

struct tck_file {
    struct mem *mem;
    struct diag *diag;
    struct arena *arena;
    struct names *names;
    struct tokens tokens;
    uint32_t at; /* the next token */
    bool bad;    /* something is wrong with the declaration at hand */
    bool in_formula;
    uint32_t nesting; /* of what is being read */
    const char *system;
    struct map scope;
    VEC(const char *) events;
    VEC(const char *) label_names;
    VEC(struct tck_process) processes;
    VEC(struct tck_array) ints;
    VEC(struct tck_array) clocks;
    VEC(struct tck_edge) edges;
    VEC(struct tck_sync) syncs;
    VEC(struct tck_party) parties;
};

/* Reads a whole file. False after errors. */
bool tck_read(struct tck_file *file, uint32_t source);
/* Reads a formula of a source of its own; NULL after errors. */
struct tck_exp *tck_read_formula(struct tck_file *file, uint32_t source);

/* For the parts of the reader (tck_parse.c): an expression, conditions included, and statements.
 * After an error file->bad is set, and what is returned is of no use. */
struct tck_exp *tck_parse_exp(struct tck_file *file);
struct tck_statement *tck_parse_steps(struct tck_file *file);
/* The next token; takes it if it is of this kind; complains about it; expects one. */
const struct token *tck_peek(const struct tck_file *file);
bool tck_accept(struct tck_file *file, enum token_kind kind);
void tck_unexpected(struct tck_file *file, const char *wanted);
bool tck_expect(struct tck_file *file, enum token_kind kind, const char *wanted);

#endif
