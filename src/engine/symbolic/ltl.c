/* LTL on sets of states: the tableau of the negated formula runs beside the model, and the property is violated when the product has a fair
 * cycle that an initial state leads to (Clarke, Grumberg and Hamaguchi 1997; the thesis' chapter 4).
 *
 * The tableau has one bit for every temporal operator: "from the next state on, it is true". sat(g) says over the bits and the
 * model's state when g is true now; a step is possible when every bit was right: bit(g) before equals sat(g) after. Atoms are read from
 * the model's state, so no state has two labellings. A bit may be wrong for ever in one way only, by putting off what it
 * promises: for every operator there is a fairness set that forbids it.
 *
 * Fair cycles: backward (Emerson and Lei 1986) nu Z. for all k: Z & pre(E[Z U Z & F_k]); forward the same with post and FwdUntil, from
 * the reachable part of the product. (The thesis' equation 4.4 mixes both; this is what its proof needs.)
 *
 * With a reduction the model is reduced first, and the product is built with what is left. The thesis reduces the product itself, by a
 * theorem of Peled (1996) that does not hold: Siegel (2019) has a counterexample when what is expanded depends on the automaton's
 * state. A reduction that depends on the model's state only is sound. */
#include "engine/symbolic/temporal.h"

#include <string.h>

struct ltl {
    struct temporal *temporal;
    struct symbolic *s;
    struct dd *dd;
    struct model *model;
    uint32_t first, count; /* the pairs of the tableau's bits */
    uint32_t used;
    uint32_t *bit_of;      /* per node of the formulas: its bit */
    bdd *sat;              /* per node ... */
    bool *known;           /* ... once it is known */
    struct dd_relation step; /* of the tableau, after the model's */
    bdd *fair;
    uint32_t fair_count;
    bool failed;
};

/* ---- the tableau ---- */

static bool is_temporal(enum formula_op op)
{
    return op >= FORMULA_X && op <= FORMULA_W;
}

static uint32_t count_bits(struct ltl *ltl, formula f)
{
    const struct formula_node *node = formula_get(&ltl->model->formulas, f);
    if (ltl->known[f.i]) return 0;
    ltl->known[f.i] = true;
    if (node->op == FORMULA_ATOM) return 0;
    uint32_t count = is_temporal(node->op) + count_bits(ltl, node->a);
    return count + (formula_table[node->op].arity == 2 ? count_bits(ltl, node->b) : 0);
}

static bdd atom(struct ltl *ltl, expr e)
{
    lit fails, holds = bits_condition(&ltl->s->e.bits, e, &fails);
    bool failed;
    symbolic_condition(ltl->s, e, &failed);
    ltl->failed |= failed;
    return encode_lit(&ltl->s->e, holds);
}

/* When the operator is true now, given what its bit says about the next state. */
static bdd now(struct ltl *ltl, enum formula_op op, bdd a, bdd b, bdd bit)
{
    struct dd *dd = ltl->dd;
    bdd x = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &x);
    switch (op) {
    case FORMULA_X: x = bit; break;
    case FORMULA_F: x = dd_or(dd, a, bit); break;
    case FORMULA_G: x = dd_and(dd, a, bit); break;
    case FORMULA_R: x = dd_or(dd, a, bit), x = dd_and(dd, x, b); break;
    default: x = dd_and(dd, a, bit), x = dd_or(dd, x, b); break; /* U, W */
    }
    dd_release(dd, mark);
    return x;
}

/* Where the operator puts nothing off: U and F are fulfilled or not promised, the others are broken or not denied. */
static bdd settled(struct ltl *ltl, enum formula_op op, bdd self, bdd a, bdd b)
{
    struct dd *dd = ltl->dd;
    bdd x = BDD_FALSE, goal = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &x);
    dd_protect(dd, &goal);
    if (op == FORMULA_U || op == FORMULA_F) {
        x = dd_diff(dd, self, op == FORMULA_U ? b : a);
        x = dd_not(dd, x);
    } else { /* G, R: self or not what must stay; W: self or neither */
        goal = op == FORMULA_G ? a : op == FORMULA_R ? b : dd_or(dd, a, b);
        x = dd_diff(dd, goal, self);
        x = dd_not(dd, x);
    }
    dd_release(dd, mark);
    return x;
}

static void build(struct ltl *ltl, formula f)
{
    const struct formula_node node = *formula_get(&ltl->model->formulas, f);
    struct dd *dd = ltl->dd;
    bool binary = formula_table[node.op].arity == 2;
    bdd *self = &ltl->sat[f.i];
    if (ltl->known[f.i]) return;
    ltl->known[f.i] = true;
    if (node.op == FORMULA_ATOM) {
        *self = atom(ltl, node.atom);
        return;
    }
    build(ltl, node.a);
    if (binary) build(ltl, node.b);
    bdd a = ltl->sat[node.a.i], b = binary ? ltl->sat[node.b.i] : BDD_FALSE;
    if (is_temporal(node.op)) {
        uint32_t pair = ltl->first + ltl->used++;
        ltl->bit_of[f.i] = pair;
        *self = dd_variable(dd, dd_now(pair));
        *self = now(ltl, node.op, a, b, *self);
        if (node.op != FORMULA_X) ltl->fair[ltl->fair_count++] = settled(ltl, node.op, *self, a, b);
        return;
    }
    switch (node.op) {
    case FORMULA_NOT: *self = dd_not(dd, a); break;
    case FORMULA_AND: *self = dd_and(dd, a, b); break;
    case FORMULA_OR: *self = dd_or(dd, a, b); break;
    case FORMULA_IMPLIES: *self = dd_diff(dd, a, b), *self = dd_not(dd, *self); break;
    default: *self = dd_xor(dd, a, b), *self = dd_not(dd, *self); break;
    }
}

/* The tableau's step: the bits before agree with what is true after, in the model's new state. */
static void make_step(struct ltl *ltl)
{
    struct dd *dd = ltl->dd;
    uint32_t *written = mem_alloc(ltl->s->mem, (ltl->count + 1) * sizeof *written), mark = dd_mark(dd), nodes = ltl->model->formulas.nodes.len;
    bdd all = BDD_TRUE, after = BDD_FALSE, before = BDD_FALSE;
    for (uint32_t i = 0; i < ltl->count; i++) written[i] = ltl->first + i;
    dd_protect(dd, &all);
    dd_protect(dd, &after);
    dd_protect(dd, &before);
    for (uint32_t f = 0; f < nodes; f++) {
        const struct formula_node *node = formula_get(&ltl->model->formulas, (formula){f});
        if (!ltl->known[f] || !is_temporal(node->op)) continue;
        uint32_t promised = node->op == FORMULA_X ? node->a.i : f;
        after = dd_shift(dd, ltl->sat[promised], ltl->first, ltl->count);
        before = dd_variable(dd, dd_now(ltl->bit_of[f]));
        after = dd_xor(dd, before, after);
        all = dd_diff(dd, all, after);
    }
    dd_release(dd, mark);
    dd_relation_init(dd, &ltl->step, all, written, ltl->count);
    mem_free(ltl->s->mem, written);
}

/* ---- the product ---- */

static bdd product_step(void *context, bdd set, enum dd_direction direction)
{
    struct ltl *ltl = context;
    struct dd *dd = ltl->dd;
    bdd image = set;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &image);
    if (direction == DD_BACKWARD) image = dd_image(dd, &ltl->step, image, DD_BACKWARD);
    image = ltl->temporal->partial ? partial_step(ltl->temporal->partial, image, direction) : symbolic_step(ltl->s, image, direction);
    if (direction == DD_FORWARD) image = dd_image(dd, &ltl->step, image, DD_FORWARD);
    dd_release(dd, mark);
    return image;
}

static bdd closure(struct ltl *ltl, bdd set, bdd within, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    bdd all = set, frontier = set;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &within);
    dd_protect(dd, &all);
    dd_protect(dd, &frontier);
    while (frontier != BDD_FALSE) {
        frontier = product_step(ltl, frontier, direction);
        frontier = dd_and(dd, frontier, within);
        frontier = dd_diff(dd, frontier, all);
        all = dd_or(dd, all, frontier);
        dd_rest(dd);
    }
    dd_release(dd, mark);
    return all;
}

/* The greatest set inside `set` whose states lead, in one or more steps inside it, to each fairness set (backward), or come from each (forward). */
static bdd fair_hull(struct ltl *ltl, bdd set, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    bdd z = set, before = BDD_FALSE, goal = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &z);
    dd_protect(dd, &before);
    dd_protect(dd, &goal);
    do {
        before = z;
        for (uint32_t k = 0; k < ltl->fair_count || k == 0; k++) {
            goal = ltl->fair_count ? dd_and(dd, z, ltl->fair[k]) : z;
            if (ltl->fair_count) goal = closure(ltl, goal, z, direction);
            goal = product_step(ltl, goal, direction);
            z = dd_and(dd, z, goal);
            dd_rest(dd);
        }
    } while (z != before && z != BDD_FALSE);
    dd_release(dd, mark);
    return z;
}

/* A shortest way from `start` into the set, then a fair cycle. */
static void show_lasso(struct ltl *ltl, bdd start, bdd inside, bdd hull)
{
    struct walk *walk = &ltl->temporal->walk;
    walk->step = product_step;
    walk->context = ltl;
    walk->first_extra = ltl->first;
    walk->extra = ltl->count;
    walk->width = dd_pairs(ltl->dd);
    walk_to(walk, start, inside, hull, false);
    if (walk->states) walk_cycle(walk, hull, ltl->fair, ltl->fair_count);
}

static bool find_violation(struct ltl *ltl, formula f)
{
    struct dd *dd = ltl->dd;
    bool backward = ltl->s->task->direction == DIRECTION_BACKWARD;
    bdd start = BDD_FALSE, inside = BDD_FALSE, hull = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &start);
    dd_protect(dd, &inside);
    dd_protect(dd, &hull);
    start = dd_diff(dd, ltl->s->e.initial, ltl->sat[f.i]);
    inside = backward ? ltl->s->reach : closure(ltl, start, BDD_TRUE, DD_FORWARD);
    hull = fair_hull(ltl, inside, backward ? DD_BACKWARD : DD_FORWARD);
    ltl->temporal->went_backward = backward;
    ltl->temporal->went_forward = !backward;
    bool violated = hull != BDD_FALSE;
    if (backward) violated = dd_and(dd, hull, start) != BDD_FALSE;
    else if (violated) hull = fair_hull(ltl, hull, DD_BACKWARD); /* of the states that come from fair cycles, those that lead to one again */
    if (violated) show_lasso(ltl, start, inside, hull);
    dd_release(dd, mark);
    return violated;
}

/* ---- all of it ---- */

static void set_up(struct ltl *ltl, formula f)
{
    struct mem *mem = ltl->s->mem;
    uint32_t nodes = ltl->model->formulas.nodes.len;
    ltl->bit_of = mem_alloc(mem, nodes * sizeof *ltl->bit_of);
    ltl->sat = mem_alloc(mem, nodes * sizeof *ltl->sat);
    ltl->known = mem_alloc(mem, nodes);
    ltl->count = count_bits(ltl, f);
    memset(ltl->known, 0, nodes);
    ltl->fair = mem_alloc(mem, (ltl->count + UINT64_C(1)) * sizeof *ltl->fair);
    if (ltl->count > ltl->s->tableau_pairs) { /* otherwise those of an earlier property do */
        ltl->s->tableau_first = dd_pairs(ltl->dd);
        if (!dd_add_pairs(ltl->dd, ltl->count, true)) dd_give_up(ltl->dd, DD_FULL);
        ltl->s->tableau_pairs = ltl->count;
    }
    ltl->first = ltl->s->tableau_first;
    dd_protect_array(ltl->dd, ltl->sat, nodes);
    dd_protect_array(ltl->dd, ltl->fair, ltl->count);
    build(ltl, f);
    make_step(ltl);
}

enum temporal_result symbolic_ltl(struct temporal *temporal, formula f)
{
    struct symbolic *s = temporal->s;
    struct ltl ltl = {.temporal = temporal, .s = s, .dd = s->dd, .model = s->model};
    uint32_t mark = dd_mark(s->dd);
    set_up(&ltl, f);
    bool violated = !ltl.failed && find_violation(&ltl, f);
    dd_relation_release(s->dd, &ltl.step);
    dd_release(s->dd, mark);
    mem_free(s->mem, ltl.bit_of);
    mem_free(s->mem, ltl.sat);
    mem_free(s->mem, ltl.known);
    mem_free(s->mem, ltl.fair);
    return ltl.failed ? TEMPORAL_FAILED : violated ? TEMPORAL_VIOLATED : TEMPORAL_HOLDS;
}
