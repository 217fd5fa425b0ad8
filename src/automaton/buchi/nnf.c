#include "automaton/buchi/nnf.h"

#include "base/checked.h"

#include <string.h>

enum { SLOTS = 2 * NNF_MAX_NODES };

static uint32_t slot_of(const struct nnf_node *node)
{
    uint64_t hash = node->op + 16 * node->negated;
    hash = (hash ^ node->a.i) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 31 ^ node->b.i) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(hash >> 32) % SLOTS;
}

static void set_flags(const struct nnfs *nnfs, struct nnf_node *node)
{
    if (node->op == NNF_LITERAL) return;
    node->eventual = node->universal = true;
    if (node->op == NNF_FALSE || node->op == NNF_TRUE) return;
    const struct nnf_node *a = nnf_get(nnfs, node->a), *b = nnf_get(nnfs, node->b);
    bool both_eventual = a->eventual && b->eventual, both_universal = a->universal && b->universal;
    node->eventual = node->op == NNF_U ? a->op == NNF_TRUE || b->eventual : both_eventual;
    node->universal = node->op == NNF_R ? a->op == NNF_FALSE || b->universal : both_universal;
}

static nnf make(struct nnfs *nnfs, enum nnf_op op, bool negated, nnf a, nnf b)
{
    struct nnf_node node = {.op = (uint8_t)op, .negated = negated, .a = a, .b = b};
    uint32_t at = slot_of(&node);
    for (; nnfs->slots[at]; at = (at + 1) % SLOTS) {
        const struct nnf_node *known = &nnfs->nodes.data[nnfs->slots[at] - 1];
        if (known->op == op && known->negated == negated && known->a.i == a.i && known->b.i == b.i)
            return (nnf){nnfs->slots[at] - 1};
    }
    if (nnfs->nodes.len == NNF_MAX_NODES) {
        nnfs->problem = "the formula has too many parts";
        return nnf_false();
    }
    assert(op == NNF_LITERAL || nnfs->nodes.len < 2
           || (a.i < nnfs->nodes.len && b.i < nnfs->nodes.len)); /* (2) */
    set_flags(nnfs, &node);
    vec_push(nnfs->mem, &nnfs->nodes, node);
    vec_push(nnfs->mem, &nnfs->duals, 0);
    nnfs->slots[at] = nnfs->nodes.len;
    return (nnf){nnfs->nodes.len - 1};
}

void nnfs_init(struct nnfs *nnfs, struct mem *mem)
{
    memset(nnfs, 0, sizeof *nnfs);
    nnfs->mem = mem;
    nnfs->slots = mem_alloc(mem, SLOTS * sizeof *nnfs->slots);
    make(nnfs, NNF_FALSE, false, nnf_false(), nnf_false());
    make(nnfs, NNF_TRUE, false, nnf_false(), nnf_false());
    assert(nnf_is(nnfs, nnf_false(), NNF_FALSE) && nnf_is(nnfs, nnf_true(), NNF_TRUE)); /* (3) */
}

void nnfs_release(struct nnfs *nnfs)
{
    vec_free(nnfs->mem, &nnfs->nodes);
    vec_free(nnfs->mem, &nnfs->duals);
    mem_free(nnfs->mem, nnfs->slots);
    nnfs->slots = NULL;
}

nnf nnf_literal(struct nnfs *nnfs, uint32_t proposition, bool negated)
{
    assert(proposition < NNF_MAX_PROPOSITIONS);
    return make(nnfs, NNF_LITERAL, negated, (nnf){proposition}, nnf_false());
}

/* And, or: `unit` changes nothing, `zero` decides. */
static nnf make_junction(struct nnfs *nnfs, enum nnf_op op, nnf unit, nnf zero, nnf a, nnf b)
{
    if (a.i == zero.i || b.i == unit.i || a.i == b.i) return a;
    if (b.i == zero.i || a.i == unit.i) return b;
    return a.i < b.i ? make(nnfs, op, false, a, b) : make(nnfs, op, false, b, a);
}

nnf nnf_and(struct nnfs *nnfs, nnf a, nnf b)
{
    return make_junction(nnfs, NNF_AND, nnf_true(), nnf_false(), a, b);
}

nnf nnf_or(struct nnfs *nnfs, nnf a, nnf b)
{
    return make_junction(nnfs, NNF_OR, nnf_false(), nnf_true(), a, b);
}

nnf nnf_iff(struct nnfs *nnfs, nnf a, nnf b)
{
    return nnf_or(nnfs, nnf_and(nnfs, a, b),
                  nnf_and(nnfs, nnf_negate(nnfs, a), nnf_negate(nnfs, b)));
}

static bool is_constant(nnf f) { return f.i == nnf_false().i || f.i == nnf_true().i; }

nnf nnf_x(struct nnfs *nnfs, nnf a) { return is_constant(a) ? a : make(nnfs, NNF_X, false, a, a); }

nnf nnf_u(struct nnfs *nnfs, nnf a, nnf b)
{
    if (is_constant(b) || a.i == nnf_false().i || a.i == b.i) return b;
    return make(nnfs, NNF_U, false, a, b);
}

nnf nnf_r(struct nnfs *nnfs, nnf a, nnf b)
{
    if (is_constant(b) || a.i == nnf_true().i || a.i == b.i) return b;
    return make(nnfs, NNF_R, false, a, b);
}

nnf nnf_weak_until(struct nnfs *nnfs, nnf a, nnf b) { return nnf_r(nnfs, b, nnf_or(nnfs, a, b)); }

nnf nnf_strong_release(struct nnfs *nnfs, nnf a, nnf b)
{
    return nnf_u(nnfs, b, nnf_and(nnfs, a, b));
}

static nnf dual(struct nnfs *nnfs, struct nnf_node node)
{
    if (node.op == NNF_TRUE) return nnf_false();
    if (node.op == NNF_FALSE) return nnf_true();
    if (node.op == NNF_LITERAL) return nnf_literal(nnfs, node.a.i, !node.negated);
    nnf a = nnf_negate(nnfs, node.a);
    if (node.op == NNF_X) return nnf_x(nnfs, a);
    nnf b = nnf_negate(nnfs, node.b);
    switch (node.op) {
    case NNF_AND: return nnf_or(nnfs, a, b);
    case NNF_OR: return nnf_and(nnfs, a, b);
    case NNF_U: return nnf_r(nnfs, a, b);
    default: return nnf_u(nnfs, a, b);
    }
}

/* Each node once, or `<->` inside `<->` would be exponential. */
nnf nnf_negate(struct nnfs *nnfs, nnf f)
{
    if (nnfs->duals.data[f.i]) return (nnf){nnfs->duals.data[f.i] - 1};
    nnf other = dual(nnfs, *nnf_get(nnfs, f));
    if (nnfs->problem) return nnf_false();
    assert(!nnfs->duals.data[other.i] || nnfs->duals.data[other.i] == f.i + 1); /* (4) */
    nnfs->duals.data[f.i] = other.i + 1;
    nnfs->duals.data[other.i] = f.i + 1;
    return other;
}

static bool check_operands(const struct nnf_node *node, uint32_t index)
{
    if (node->op <= NNF_LITERAL) return (node->op < NNF_LITERAL) == (index < 2); /* (3) */
    if (node->a.i >= index || node->b.i >= index) return false;                  /* (2) */
    if ((node->op == NNF_AND || node->op == NNF_OR) && node->a.i >= node->b.i) return false;
    return node->b.i > 1 && (node->a.i > 1 || node->op == NNF_U || node->op == NNF_R); /* (3) */
}

bool nnfs_check(const struct nnfs *nnfs)
{
    for (uint32_t i = 0; i < nnfs->nodes.len; i++) {
        const struct nnf_node *node = &nnfs->nodes.data[i];
        uint32_t at = slot_of(node), dual = nnfs->duals.data[i];
        while (nnfs->slots[at] && nnfs->slots[at] != i + 1) {
            const struct nnf_node *other = &nnfs->nodes.data[nnfs->slots[at] - 1];
            if (other->op == node->op && other->negated == node->negated && other->a.i == node->a.i
                && other->b.i == node->b.i)
                return false; /* (1) */
            at = (at + 1) % SLOTS;
        }
        if (!nnfs->slots[at] || !check_operands(node, i)) return false;
        if (dual && nnfs->duals.data[dual - 1] != i + 1) return false; /* (4) */
    }
    return true;
}
