/* The model as Boolean circuits, exactly the arithmetic of model/expr.h. The model has no code and
 * no priorities (pass/flatten.h removes them). Inputs are the bits of the state: variable v of
 * range low .. high is kept as v - low, in as few bits as hold high - low, least significant first.
 *
 * What can fail has two outputs: the value, and whether evaluating it fails; where it fails the
 * value means nothing. */
#ifndef CAIRN_BITS_BITS_H
#define CAIRN_BITS_BITS_H

#include "bits/circuit.h"
#include "model/model.h"

struct bits {
    struct circuit circuit;
    struct model *model;
    uint32_t *first; /* per variable: its first bit; one more entry is the number of all bits */
    uint32_t total;

    uint32_t *words; /* per expression: where its value is in `pool`, + 1; 0: not yet */
    uint32_t words_len;
    VEC(lit) pool;
};

/* A rule: when it is enabled, whether it fails, and for every store the new bits of its variable,
 * one after the other. */
struct bits_rule {
    lit enabled, fails;
    VEC(lit) stored;
};

/* How many bits a state of the model has. */
uint64_t bits_count(const struct model *model);

void bits_init(struct bits *bits, struct model *model);
void bits_release(struct bits *bits);

static inline uint32_t bits_width(const struct bits *bits, uint32_t var)
{
    return bits->first[var + 1] - bits->first[var];
}

/* A Boolean expression. */
lit bits_condition(struct bits *bits, expr e, lit *fails);
/* Variable var has this value; false for a value outside its range. */
lit bits_equals(struct bits *bits, uint32_t var, int64_t value);
/* Variable var is within its range. */
lit bits_in_range(struct bits *bits, uint32_t var);
/* The state is an initial one. */
lit bits_initial(struct bits *bits);
/* rule->stored must be empty or of an earlier call. */
void bits_encode_rule(struct bits *bits, uint32_t r, struct bits_rule *rule);

#endif
