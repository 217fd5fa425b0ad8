/* Structs as tables: one row per member says what it is, where it is and under which key it is
 * told. The written form of a result (run/wire.h), its JSON object and its text are loops over
 * these tables, so that a new figure is one row. test/unit/wire.c finds members without a row.
 *
 *  1. Rows with a place do not overlap, and together they cover their struct.
 *  2. Names are different within a table; so are keys that can be told at the same time.
 *  3. A list whose length is in another member comes after that member.
 *  4. What a line refers to is in its table. */
#ifndef CAIRN_RESULT_MEMBER_H
#define CAIRN_RESULT_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct task;
struct result;
struct members;

enum member_kind {
    MEMBER_COUNT,   /* uint64_t */
    MEMBER_NUMBER,  /* uint32_t */
    MEMBER_INTEGER, /* int64_t */
    MEMBER_BYTE,    /* uint8_t */
    MEMBER_TRUTH,   /* bool */
    MEMBER_REAL,    /* double */
    MEMBER_TEXT,    /* const char *; NULL: none */
    MEMBER_REASON,  /* the same, one of those that are compared (result_reason_text) or another */
    MEMBER_CHOICE,  /* an enum with `choices` values, whose words are `words` */
    MEMBER_LIST,    /* a pointer to `length` elements of `table`; NULL: none */
    MEMBER_ONE,     /* a pointer to a struct of `table`; NULL: none */
    MEMBER_INSIDE,  /* a struct of `table` */
    MEMBER_ROOM,    /* as many elements as a list has room for; where it was read: its length */
    MEMBER_ABSENT,  /* of a process alone: it is NULL wherever the struct was read */
    MEMBER_MADE,    /* no member: `make` finds the value */
    MEMBER_SPECIAL  /* no member: whoever tells it knows how (`special`) */
};

/* Where the length of a list is. */
enum member_length {
    LENGTH_NUMBER, /* in the member `length_at` of 32 bits, */
    LENGTH_COUNT,  /* of 64 bits */
    LENGTH_STATES, /* one more than that, of 32 bits */
    LENGTH_VARIABLES,
    LENGTH_RULES,
    LENGTH_PROCESSES,
    LENGTH_REACHED,
    LENGTH_QUANTILES
};

/* How many a model has: lengths that are in no member. */
struct member_shape {
    uint32_t variables, rules, processes;
    uint64_t reached; /* bytes */
};

/* What is told in a way of its own. */
enum member_special {
    SPECIAL_HIDDEN,
    SPECIAL_QUANTILES,
    SPECIAL_POINTS,
    SPECIAL_SILENCE,
    SPECIAL_WORDS,
    SPECIAL_PEERS,
    SPECIAL_ITERATIONS, /* these four: as text */
    SPECIAL_PARTS,
    SPECIAL_PATHS,
    SPECIAL_SIZES,
    SPECIAL_COUNT
};

enum member_unit { UNIT_NONE, UNIT_BYTES, UNIT_SECONDS };

/* What a row is looked at with. */
struct member_view {
    const struct model *model;
    const struct task *task;
    const struct result *result;
    const void *whole; /* the struct that has the list of which this is an element; else NULL */
    uint64_t index;    /* in that list */
};

struct member_value {
    enum member_kind kind; /* one of the first seven */
    bool is_known;
    uint64_t count; /* also of numbers, bytes, truths */
    int64_t integer;
    double real;
    const char *text; /* of a count: its digits when it does not fit, or NULL */
    char buffer[160]; /* for a text that was made */
};

struct member {
    const char *name;
    enum member_kind kind;
    size_t at;
    const struct members *table;
    enum member_length length;
    size_t length_at;
    bool has_digits;  /* of a count: ... */
    size_t digits_at; /* ... where its digits are when it does not fit in 64 bits */
    const char *const *words;
    unsigned choices;
    void (*make)(const struct member_view *view, const void *owner, struct member_value *value);
    enum member_special special;

    const char
        *key; /* in JSON; NULL: not there. Of MEMBER_ONE "": its rows are told in its place */
    enum member_unit unit;
    bool is_total;     /* told of the whole result, not among its statistics */
    uint32_t most;     /* elements of the list are told; 0: all */
    bool none_is_null; /* MODEL_NONE, or the first of the choices, is told as null */
    /* Whether it is told at all, and whether it is known: otherwise it is told as null. NULL: yes
     */
    bool (*when)(const struct member_view *view, const void *owner);
    bool (*known)(const struct member_view *view, const void *owner);
};

/* A line of text: a label, a value, a note in parentheses. In these, {name} is the value of a row
 * in its unit, {name:u} in plain digits, {name:.3} with so many; {a.b} is row b of the struct a;
 * what is in [ ] is left out when one of its values is 0. */
struct member_line {
    const char *label; /* NULL: the note is the line */
    const char *value, *note;
    const char *when;              /* names of rows that must not be 0, or with "!" must; or NULL */
    const struct member *lines_of; /* instead: the lines of this member's table */
    bool has_special;              /* instead: this, where everything is asked for */
    enum member_special special;
};

struct members {
    const char *name;
    size_t size;
    const struct member *rows;
    unsigned count;
    bool is_tuple; /* told as [a, b], or, of one row, as itself */
    const struct member_line *lines;
    unsigned line_count;
};

static inline const void *member_place(const struct member *row, const void *owner)
{
    return (const char *)owner + row->at;
}
/* The struct that MEMBER_ONE or MEMBER_INSIDE names, or the first element of a list; NULL: none. */
const void *member_target(const struct member *row, const void *owner);
/* How many elements the list has. */
uint64_t member_length(const struct member *row, const void *owner,
                       const struct member_shape *shape);
/* Whether the length of the list is in another member, and not of the model. */
static inline bool member_has_length(const struct member *row)
{
    return row->length == LENGTH_NUMBER || row->length == LENGTH_COUNT
           || row->length == LENGTH_STATES;
}

/* NULL: there is no such row. */
const struct member *member_find(const struct members *table, const char *name, size_t length);
/* The value of a row that has one. */
void member_get(const struct member *row, const struct member_view *view, const void *owner,
                struct member_value *value);
/* The same by its path, "a.b". False: there is none, because a is NULL. */
bool member_look(const struct members *table, const struct member_view *view, const void *owner,
                 const char *path, size_t length, struct member_value *value);
/* Whether it is neither 0 nor unknown nor absent. */
bool member_is_set(const struct members *table, const struct member_view *view, const void *owner,
                   const char *path, size_t length);

#endif
