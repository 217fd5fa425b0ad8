/* The tableau of a formula, with acceptance on edges (Couvreur 1999; Gastin and Oddoux 2001).
 *
 * A state is a set of formulas that it promises. A step is one way to keep promises: the literals
 * that the letter must satisfy, the promises for the rest of the word, and the untils that were put
 * off. The steps of a formula follow from its structure:
 *
 *   X f: promise f.    f & g: a step of each, joined.    f | g: a step of either.
 *   f U g: a step of g, or a step of f that promises f U g and puts it off.
 *   f R g: a step of g joined with a step of f or with the promise f R g.
 *
 * A step that asks more than another in every respect is left out at once: this keeps products of
 * many disjunctions small. An edge has the mark of every until that it does not put off. States
 * with the same steps are one state.
 *
 * Sets are bits over the formulas that were ever promised, numbered as they come.
 *
 * Invariants: (1) no step asks for a literal and its negation; (2) of the steps of a list none is
 * easier than another; (3) bit_of and promised are inverse to each other; (4) no two states have
 * the same steps, and equal sets of promises are one state. */
#include "automaton/buchi/tableau.h"

#include "automaton/buchi/reduce.h"
#include "automaton/buchi/simplify.h"
#include "base/bitset.h"
#include "base/checked.h"

#include <string.h>

enum { MAX_PROMISED = 256, MAX_STATES = 1 << 13, MAX_WORK = 30000000, SLOTS = 4 * MAX_STATES };

typedef struct {
    uint64_t w[MAX_PROMISED / 64];
} set;

struct step {
    uint64_t positive, negative, put_off;
    set next;
};

struct steps {
    struct step *data;
    uint32_t len, cap;
    bool made;
};

struct promise_set {
    set promises;
    uint32_t state;
};

struct tableau {
    struct nnfs *nnfs;
    struct mem *mem;
    const char *problem;
    struct steps *of;            /* per node of the formulas */
    uint32_t *bit_of, *until_of; /* per node: its number among the promised ones, the untils; + 1 */
    nnf promised[MAX_PROMISED];
    uint32_t promised_count, until_count;
    VEC(struct promise_set) sets; /* met so far */
    VEC(struct steps) states;
    uint32_t set_slots[SLOTS], step_slots[SLOTS]; /* index + 1, by hash */
    uint64_t work;
};

static const char too_large[] = "the automaton of the formula is too large";

/* ---- steps ---- */

static bool is_subset(const set *a, const set *b)
{
    uint64_t missing = 0;
    for (unsigned w = 0; w < MAX_PROMISED / 64; w++) missing |= a->w[w] & ~b->w[w];
    return !missing;
}

/* Asks no more than the other one. */
static bool is_easier(const struct step *a, const struct step *b)
{
    return !(a->positive & ~b->positive) && !(a->negative & ~b->negative)
           && !(a->put_off & ~b->put_off) && is_subset(&a->next, &b->next);
}

/* Equal but for the sign of one literal: then the literal does not matter. */
static bool unite(const struct step *a, struct step *b)
{
    uint64_t sign = a->positive ^ b->positive;
    if (!sign || sign & (sign - 1) || (a->negative ^ b->negative) != sign) return false;
    if ((a->positive | a->negative) != (b->positive | b->negative) || a->put_off != b->put_off)
        return false;
    if (memcmp(&a->next, &b->next, sizeof a->next)) return false;
    b->positive &= ~sign;
    b->negative &= ~sign;
    return true;
}

static void add_step(struct tableau *t, struct steps *to, struct step step)
{
    assert(!(step.positive & step.negative)); /* (1) */
    for (uint32_t i = 0; i < to->len;) {
        if (++t->work > MAX_WORK) t->problem = too_large;
        if (is_easier(&to->data[i], &step)) return;
        bool united = unite(&to->data[i], &step);
        if (united || is_easier(&step, &to->data[i])) to->data[i] = to->data[--to->len];
        else i++;
        if (united) i = 0; /* it asks less now: look again */
    }
    vec_push(t->mem, to, step);
}

/* Every step of a joined with every step of b. */
static void join_steps(struct tableau *t, const struct steps *a, const struct steps *b,
                       struct steps *to)
{
    for (uint32_t i = 0; i < a->len && !t->problem; i++)
        for (uint32_t j = 0; j < b->len && !t->problem; j++) {
            struct step step = a->data[i];
            const struct step *other = &b->data[j];
            if (++t->work > MAX_WORK) t->problem = too_large;
            step.positive |= other->positive;
            step.negative |= other->negative;
            if (step.positive & step.negative) continue;
            step.put_off |= other->put_off;
            for (unsigned w = 0; w < MAX_PROMISED / 64; w++) step.next.w[w] |= other->next.w[w];
            add_step(t, to, step);
        }
}

static void add_all(struct tableau *t, const struct steps *from, struct steps *to)
{
    for (uint32_t i = 0; i < from->len && !t->problem; i++) add_step(t, to, from->data[i]);
}

/* The parts of a conjunction are promised one by one: more sets are equal then. */
static void promise(struct tableau *t, nnf f, set *promises)
{
    const struct nnf_node *node = nnf_get(t->nnfs, f);
    if (node->op == NNF_TRUE) return;
    if (node->op == NNF_AND) {
        promise(t, node->a, promises);
        promise(t, node->b, promises);
        return;
    }
    if (!t->bit_of[f.i]) {
        if (t->promised_count == MAX_PROMISED) {
            t->problem = "the formula has too many parts";
            return;
        }
        t->promised[t->promised_count++] = f;
        t->bit_of[f.i] = t->promised_count;
    }
    uint32_t bit = t->bit_of[f.i] - 1;
    assert(t->promised[bit].i == f.i); /* (3) */
    bitset_add(promises->w, bit);
}

static uint64_t until_bit(struct tableau *t, nnf f)
{
    if (!t->until_of[f.i]) {
        if (t->until_count == AUTOMATON_MAX_ACCEPTANCE) {
            t->problem = "the formula has too many U";
            return 0;
        }
        t->until_of[f.i] = ++t->until_count;
    }
    assert(t->until_of[f.i] <= AUTOMATON_MAX_ACCEPTANCE);
    return UINT64_C(1) << (t->until_of[f.i] - 1);
}

static const struct steps *steps_of(struct tableau *t, nnf f);

static void make_until(struct tableau *t, nnf f, struct nnf_node node, struct steps *to)
{
    struct step later = {.put_off = until_bit(t, f)};
    promise(t, f, &later.next);
    add_all(t, steps_of(t, node.b), to);
    join_steps(t, steps_of(t, node.a), &(struct steps){&later, 1, 1, true}, to);
}

static void make_release(struct tableau *t, nnf f, struct nnf_node node, struct steps *to)
{
    struct step later = {.put_off = 0};
    struct steps either = {0};
    promise(t, f, &later.next);
    add_step(t, &either, later);
    add_all(t, steps_of(t, node.a), &either);
    join_steps(t, steps_of(t, node.b), &either, to);
    vec_free(t->mem, &either);
}

static void make_steps(struct tableau *t, nnf f, struct steps *to)
{
    const struct nnf_node node = *nnf_get(t->nnfs, f);
    struct step step = {.put_off = 0};
    switch (node.op) {
    case NNF_FALSE: return;
    case NNF_TRUE: add_step(t, to, step); return;
    case NNF_LITERAL:
        *(node.negated ? &step.negative : &step.positive) = UINT64_C(1) << node.a.i;
        add_step(t, to, step);
        return;
    case NNF_X:
        promise(t, node.a, &step.next);
        add_step(t, to, step);
        return;
    case NNF_AND: join_steps(t, steps_of(t, node.a), steps_of(t, node.b), to); return;
    case NNF_OR:
        add_all(t, steps_of(t, node.a), to);
        add_all(t, steps_of(t, node.b), to);
        return;
    case NNF_U: make_until(t, f, node, to); return;
    default: make_release(t, f, node, to); return;
    }
}

static const struct steps *steps_of(struct tableau *t, nnf f)
{
    struct steps *steps = &t->of[f.i];
    if (!steps->made && !t->problem) {
        steps->made = true;
        make_steps(t, f, steps);
    }
    return steps;
}

/* ---- states ---- */

static uint64_t hash_bytes(const void *data, size_t length)
{
    const uint64_t *words = data;
    uint64_t hash = length;
    for (size_t i = 0; i < length / sizeof *words; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash;
}

static void set_steps(struct tableau *t, const set *promises, struct steps *result)
{
    struct step nothing = {.put_off = 0};
    *result = (struct steps){0};
    add_step(t, result, nothing);
    for (uint32_t bit = 0; bit < t->promised_count && !t->problem; bit++) {
        if (!bitset_has(promises->w, bit)) continue;
        struct steps both = {0};
        join_steps(t, result, steps_of(t, t->promised[bit]), &both);
        vec_free(t->mem, result);
        *result = both;
    }
    for (uint32_t i = 1; i < result->len;
         i++) /* in an order, so that equal lists are equal bytes */
        for (uint32_t j = i;
             j > 0 && memcmp(&result->data[j], &result->data[j - 1], sizeof *result->data) < 0;
             j--) {
            struct step swap = result->data[j];
            result->data[j] = result->data[j - 1];
            result->data[j - 1] = swap;
            if (++t->work > MAX_WORK) t->problem = too_large;
        }
}

/* For checks. */
static bool none_is_easier(const struct steps *steps)
{
    for (uint32_t i = 0; i < steps->len; i++)
        for (uint32_t j = 0; j < steps->len; j++)
            if (i != j && is_easier(&steps->data[i], &steps->data[j])) return false;
    return true;
}

static uint32_t find_steps(struct tableau *t, struct steps *steps)
{
    CHECKED(steps->len > 64 || none_is_easier(steps)); /* (2); long lists would take too long */
    size_t bytes = steps->len * sizeof *steps->data;
    uint32_t at = (uint32_t)(hash_bytes(steps->data, bytes) >> 32) % SLOTS;
    for (; t->step_slots[at]; at = (at + 1) % SLOTS) {
        const struct steps *known = &t->states.data[t->step_slots[at] - 1];
        if (known->len == steps->len && (!bytes || !memcmp(known->data, steps->data, bytes))) {
            vec_free(t->mem, steps);
            return t->step_slots[at] - 1;
        }
    }
    if (t->states.len == MAX_STATES) t->problem = too_large;
    else {
        vec_push(t->mem, &t->states, *steps);
        t->step_slots[at] = t->states.len;
        return t->states.len - 1;
    }
    vec_free(t->mem, steps);
    return 0;
}

static uint32_t find_state(struct tableau *t, const set *promises)
{
    uint32_t at = (uint32_t)(hash_bytes(promises, sizeof *promises) >> 32) % SLOTS;
    for (; t->set_slots[at]; at = (at + 1) % SLOTS) {
        const struct promise_set *known = &t->sets.data[t->set_slots[at] - 1];
        if (!memcmp(&known->promises, promises, sizeof *promises)) return known->state;
    }
    if (t->sets.len == 2 * MAX_STATES) return t->problem = too_large, 0;
    struct steps steps;
    set_steps(t, promises, &steps);
    struct promise_set entry = {*promises, find_steps(t, &steps)};
    vec_push(t->mem, &t->sets, entry);
    t->set_slots[at] = t->sets.len;
    return entry.state;
}

static void build(struct tableau *t, nnf root, struct automaton *automaton)
{
    set start = {{0}};
    promise(t, root, &start);
    automaton->initial = find_state(t, &start);
    for (uint32_t s = 0; s < t->states.len && !t->problem; s++) {
        automaton_add_state(automaton);
        for (uint32_t i = 0; i < t->states.data[s].len && !t->problem; i++) {
            const struct step step = t->states.data[s].data[i];
            struct automaton_edge edge = {step.positive, step.negative, ~step.put_off,
                                          find_state(t, &step.next)};
            assert(t->problem || edge.target < t->states.len); /* (4) */
            automaton_add_edge(automaton, edge);
        }
    }
    automaton->acceptance = t->until_count;
    for (uint32_t e = 0; e < automaton->edges.len; e++)
        automaton->edges.data[e].marks &= automaton_all_marks(automaton);
}

static void release(struct tableau *t, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++) vec_free(t->mem, &t->of[i]);
    for (uint32_t i = 0; i < t->states.len; i++) vec_free(t->mem, &t->states.data[i]);
    mem_free(t->mem, t->of);
    mem_free(t->mem, t->bit_of);
    mem_free(t->mem, t->until_of);
    vec_free(t->mem, &t->sets);
    vec_free(t->mem, &t->states);
    mem_free(t->mem, t);
}

const char *tableau_translate(struct nnfs *nnfs, nnf f, struct automaton *automaton)
{
    automaton_init(automaton, nnfs->mem);
    f = simplify_formula(nnfs, f);
    if (nnfs->problem) return nnfs->problem;
    struct tableau *t = mem_alloc(nnfs->mem, sizeof *t);
    uint32_t nodes = nnfs->nodes.len; /* none are made from here on */
    t->nnfs = nnfs;
    t->mem = nnfs->mem;
    t->of = mem_alloc(t->mem, nodes * sizeof *t->of);
    t->bit_of = mem_alloc(t->mem, nodes * sizeof *t->bit_of);
    t->until_of = mem_alloc(t->mem, nodes * sizeof *t->until_of);
    build(t, f, automaton);
    assert(nnfs->nodes.len == nodes);
    const char *problem = t->problem;
    release(t, nodes);
    if (problem) automaton_release(automaton);
    else reduce_automaton(automaton);
    return problem;
}
