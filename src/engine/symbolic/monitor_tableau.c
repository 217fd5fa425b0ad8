/* The tableau of a formula as a monitor (Clarke, Grumberg and Hamaguchi 1997; the thesis' sections
 * 4.1.3 and 4.1.4).
 *
 * It has one bit for every temporal operator: "from the next state on, it is true". sat(g) says
 * over the bits and the model's state when g is true now; a step is possible when every bit was
 * right: bit(g) before equals sat(g) after. Atoms are read from the model's state, so no state has
 * two labellings. A bit may be wrong for ever in one way only, by putting off what it promises: for
 * every operator there is a fairness set that forbids it.
 *
 * The thesis makes the tableau total with one more state, so that no step of the model is lost when
 * the product is reduced. Here the model is reduced before the product is made (ltl.c), and a
 * tableau that is stuck just guessed wrong. */
#include "engine/symbolic/monitor.h"

#include <string.h>

struct tableau {
    struct monitor *monitor;
    struct dd *dd;
    struct model *model;
    uint32_t used;
    uint32_t *bit_of; /* per node of the formulas: its bit */
    bdd *sat;         /* per node ... */
    bool *known;      /* ... once it is known */
};

static bool is_temporal(enum formula_op op) { return op >= FORMULA_X && op <= FORMULA_W; }

static uint32_t count_bits(struct tableau *t, formula f)
{
    const struct formula_node *node = formula_get(&t->model->formulas, f);
    if (t->known[f.i]) return 0;
    t->known[f.i] = true;
    if (node->op == FORMULA_ATOM) return 0;
    uint32_t count = is_temporal(node->op) + count_bits(t, node->a);
    return count + (formula_table[node->op].arity == 2 ? count_bits(t, node->b) : 0);
}

/* When the operator is true now, given what its bit says about the next state. */
static bdd now(struct tableau *t, enum formula_op op, bdd a, bdd b, bdd bit)
{
    struct dd *dd = t->dd;
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

/* Where the operator puts nothing off: U and F are fulfilled or not promised, the others are broken
 * or not denied. */
static bdd settled(struct tableau *t, enum formula_op op, bdd self, bdd a, bdd b)
{
    struct dd *dd = t->dd;
    bdd x = BDD_FALSE, goal = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &x, &goal);
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

static void build(struct tableau *t, formula f)
{
    const struct formula_node node = *formula_get(&t->model->formulas, f);
    struct dd *dd = t->dd;
    bool binary = formula_table[node.op].arity == 2;
    bdd *self = &t->sat[f.i];
    if (t->known[f.i]) return;
    t->known[f.i] = true;
    if (node.op == FORMULA_ATOM) {
        *self = monitor_atom(t->monitor, node.atom);
        return;
    }
    build(t, node.a);
    if (binary) build(t, node.b);
    bdd a = t->sat[node.a.i], b = binary ? t->sat[node.b.i] : BDD_FALSE;
    if (is_temporal(node.op)) {
        uint32_t pair = t->monitor->first + t->used++;
        t->bit_of[f.i] = pair;
        *self = dd_variable(dd, dd_now(pair));
        *self = now(t, node.op, a, b, *self);
        if (node.op != FORMULA_X)
            t->monitor->fair[t->monitor->fair_count++] = settled(t, node.op, *self, a, b);
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

/* The bits before agree with what is true after, in the model's new state. */
static bdd make_step(struct tableau *t)
{
    struct dd *dd = t->dd;
    uint32_t mark = dd_mark(dd), nodes = t->model->formulas.nodes.len;
    bdd all = BDD_TRUE, after = BDD_FALSE, before = BDD_FALSE;
    dd_keep(dd, &all, &after, &before);
    for (uint32_t f = 0; f < nodes; f++) {
        const struct formula_node *node = formula_get(&t->model->formulas, (formula){f});
        if (!t->known[f] || !is_temporal(node->op)) continue;
        uint32_t promised = node->op == FORMULA_X ? node->a.i : f;
        after = dd_shift(dd, t->sat[promised], t->monitor->first, t->monitor->count);
        before = dd_variable(dd, dd_now(t->bit_of[f]));
        after = dd_xor(dd, before, after);
        all = dd_diff(dd, all, after);
    }
    dd_release(dd, mark);
    return all;
}

void monitor_tableau(struct monitor *monitor, struct symbolic *s, formula f)
{
    struct mem *mem = s->mem;
    struct dd *dd = s->dd;
    uint32_t nodes = s->model->formulas.nodes.len;
    *monitor = (struct monitor){.s = s};
    struct tableau t = {.monitor = monitor, .dd = dd, .model = s->model};
    t.bit_of = mem_alloc(mem, nodes * sizeof *t.bit_of);
    t.sat = mem_alloc(mem, nodes * sizeof *t.sat);
    t.known = mem_alloc(mem, nodes);
    uint32_t count = count_bits(&t, f);
    memset(t.known, 0, nodes);
    monitor_take_pairs(monitor, count);
    monitor->fair = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *monitor->fair);
    dd_protect(dd, &monitor->start);
    dd_protect_array(dd, monitor->fair, count);
    uint32_t *written = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *written), mark = dd_mark(dd);
    for (uint32_t i = 0; i < count; i++) written[i] = monitor->first + i;
    dd_protect_array(dd, t.sat, nodes);
    build(&t, f);
    monitor->start = dd_diff(dd, s->e.initial, t.sat[f.i]);
    bdd step = make_step(&t);
    dd_release(dd, mark);
    dd_relation_init(dd, &monitor->step, step, written, count);
    mem_free(mem, written);
    mem_free(mem, t.bit_of);
    mem_free(mem, t.sat);
    mem_free(mem, t.known);
}
