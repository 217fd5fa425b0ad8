/* How a value of the source language lies in variables: a run of cells, each a bounded integer. For
 * those who refer to a model from outside, in the words of its source (contexts).
 *
 *  - an integer, a Boolean: one cell; an array: its elements; a record: its fields;
 *  - a union: the number of the constructor, then the cells of its argument, as many as the longest
 *    one has; cells that an argument does not use hold `padding`;
 *  - a queue: its length, then its elements, the first one first; the cells of elements that are
 *    not there hold the initial value of their type. */
#ifndef CAIRN_MODEL_SHAPE_H
#define CAIRN_MODEL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum shape_kind { SHAPE_INT, SHAPE_BOOL, SHAPE_ARRAY, SHAPE_QUEUE, SHAPE_UNION, SHAPE_RECORD };

struct shape;

struct shape_member { /* a field, or a constructor */
    const char *name;
    const struct shape *shape; /* of a constructor: NULL when it has no argument */
    uint32_t offset;           /* first cell of a field */
};

struct shape {
    enum shape_kind kind;
    uint32_t cells;
    int64_t low, high, initial; /* INT */
    const struct shape *of;     /* elements of arrays and queues, ... */
    uint32_t count;             /* ... and how many at most */
    const struct shape_member *members;
    uint32_t member_count;
    const int64_t *initials; /* UNION: of all cells */
    const int64_t
        *padding;     /* UNION: of the cells behind the constructor, while they are not used */
    bool has_secrets; /* UNION: which constructors have arguments is not known */
};

/* What a cell holds as long as nothing was stored. */
static inline int64_t shape_initial(const struct shape *shape, uint32_t cell)
{
    while (shape->kind != SHAPE_INT && shape->kind != SHAPE_BOOL && shape->kind != SHAPE_UNION) {
        if (shape->kind == SHAPE_RECORD) {
            uint32_t m = shape->member_count - 1;
            while (shape->members[m].offset > cell) m--;
            cell -= shape->members[m].offset;
            shape = shape->members[m].shape;
            continue;
        }
        if (shape->kind == SHAPE_QUEUE && !cell--) return 0;
        cell %= shape->of->cells;
        shape = shape->of;
    }
    return shape->kind == SHAPE_UNION ? shape->initials[cell] : shape->initial;
}

#endif
