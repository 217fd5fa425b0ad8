/* What compiled rules (native/) and the program around them have in common. The text of this file
 * is also inside the program: it stands before the C text that is printed of a model, and goes to
 * the system's compiler with it. So it includes nothing of the project, and calls nothing.
 *
 * A piece is one function: the rest of a rule's guard with its effect, or an expression. It answers
 * as machine_run does, with an enum step. A lister goes through the rules of one index
 * (program/dispatch.h) and writes the successors of all that are enabled, or fail, one after the
 * other, `stride` words apart; `found` says which: four times the place of the rule in the
 * program, and the enum step. */
#ifndef CAIRN_PROGRAM_RUNTIME_H
#define CAIRN_PROGRAM_RUNTIME_H

#include <stdint.h>

enum { RUNTIME_NONE, RUNTIME_TAKEN, RUNTIME_FAILED }; /* as enum step */

/* Where a variable is; as struct field. */
struct runtime_field {
    uint64_t mask;
    int64_t low;
    uint32_t word, shift;
};

/* What code needs beside the state. */
struct runtime_context {
    const int32_t *const *tables; /* of the model */
    int64_t *locals;              /* of the thread */
};

typedef int runtime_piece(const struct runtime_context *c, const uint64_t *w, uint64_t *n,
                          int64_t *v);
typedef uint32_t runtime_lister(const struct runtime_context *c, const uint64_t *w, uint64_t *n,
                                uint32_t stride, uint32_t *found);

/* What the loaded object begins with. */
struct runtime_table {
    uint64_t mark; /* of the text that it was made from */
    uint32_t lister_count, piece_count;
    runtime_lister *const *listers;
    runtime_piece *const *pieces;
};

static inline int64_t runtime_get(const struct runtime_field *f, const uint64_t *w)
{
    return (int64_t)(w[f->word] >> f->shift & f->mask) + f->low;
}

static inline void runtime_set(const struct runtime_field *f, uint64_t *w, int64_t value)
{
    w[f->word] =
        (w[f->word] & ~(f->mask << f->shift)) | ((uint64_t)value - (uint64_t)f->low) << f->shift;
}

/* As if through a buffer: the direction depends on which is first. `flags`: 1: the target is among
 * locals, 2: the source is. */
static inline void runtime_copy(const struct runtime_context *c, const struct runtime_field *fields,
                                uint64_t *w, unsigned flags, uint32_t to, uint32_t from,
                                uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = to <= from ? i : count - 1 - i;
        const int64_t value = flags & 2 ? c->locals[from + at] : runtime_get(&fields[from + at], w);
        if (flags & 1) c->locals[to + at] = value;
        else runtime_set(&fields[to + at], w, value);
    }
}

/* Operators of 64 bits with a sign. False: they fail. */
static inline int runtime_add(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_add_overflow(a, b, r);
}
static inline int runtime_sub(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_sub_overflow(a, b, r);
}
static inline int runtime_mul(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_mul_overflow(a, b, r);
}
static inline int runtime_div(int64_t a, int64_t b, int64_t *r)
{
    if (!b || (a == INT64_MIN && b == -1)) return 0;
    *r = a / b;
    return 1;
}
static inline int runtime_mod(int64_t a, int64_t b, int64_t *r)
{
    if (!b || (a == INT64_MIN && b == -1)) return 0;
    *r = a % b;
    return 1;
}

/* The same of words, of which `mask` is kept. */
static inline int runtime_add_bits(int64_t a, int64_t b, uint64_t mask, int64_t *r)
{
    *r = (int64_t)(((uint64_t)a + (uint64_t)b) & mask);
    return 1;
}
static inline int runtime_sub_bits(int64_t a, int64_t b, uint64_t mask, int64_t *r)
{
    *r = (int64_t)(((uint64_t)a - (uint64_t)b) & mask);
    return 1;
}
static inline int runtime_mul_bits(int64_t a, int64_t b, uint64_t mask, int64_t *r)
{
    *r = (int64_t)(((uint64_t)a * (uint64_t)b) & mask);
    return 1;
}
static inline int runtime_div_bits(int64_t a, int64_t b, uint64_t mask, int64_t *r)
{
    if (!b) return 0;
    *r = (int64_t)((uint64_t)a / (uint64_t)b & mask);
    return 1;
}
static inline int runtime_mod_bits(int64_t a, int64_t b, uint64_t mask, int64_t *r)
{
    if (!b) return 0;
    *r = (int64_t)((uint64_t)a % (uint64_t)b & mask);
    return 1;
}

#endif
