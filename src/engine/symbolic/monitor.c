#include "engine/symbolic/monitor.h"

#include "automaton/buchi.h"

/* The pairs of an earlier property are used again. */
void monitor_take_pairs(struct monitor *monitor, uint32_t count)
{
    struct symbolic *s = monitor->s;
    if (count > s->monitor_pairs) {
        s->monitor_first = dd_pairs(s->dd);
        if (!dd_add_pairs(s->dd, count, true)) dd_give_up(s->dd, DD_FULL);
        s->monitor_pairs = count;
    }
    monitor->first = s->monitor_first;
    monitor->count = count;
}

bdd monitor_atom(struct monitor *monitor, expr e)
{
    lit fails, holds = bits_condition(&monitor->s->e.bits, e, &fails);
    bool failed;
    symbolic_condition(monitor->s, e, &failed);
    monitor->failed |= failed;
    return encode_lit(&monitor->s->e, holds);
}

void monitor_release(struct monitor *monitor)
{
    dd_relation_release(monitor->s->dd, &monitor->step);
    mem_free(monitor->s->mem, monitor->fair);
}

/* ---- automata ----
 *
 * The state's number is in as many bits as it needs; a bit for every acceptance set says whether
 * the edge that was taken has its mark. */
struct encoder {
    struct monitor *monitor;
    struct dd *dd;
    const struct automaton *automaton;
    bdd *atoms;
    uint32_t bits;
};

/* The pairs from `first` on have this value, now or next. */
static bdd value(struct encoder *x, uint32_t first, uint32_t count, uint64_t number, bool next)
{
    bdd all = BDD_TRUE, bit = BDD_FALSE;
    uint32_t mark = dd_mark(x->dd);
    dd_keep(x->dd, &all, &bit);
    for (uint32_t i = count; i-- > 0;) {
        bit = dd_variable(x->dd, next ? dd_next(first + i) : dd_now(first + i));
        all = number >> i & 1 ? dd_and(x->dd, all, bit) : dd_diff(x->dd, all, bit);
    }
    dd_release(x->dd, mark);
    return all;
}

static bdd edge(struct encoder *x, uint32_t from, const struct automaton_edge *edge)
{
    struct dd *dd = x->dd;
    bdd all = BDD_FALSE, part = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &all, &part);
    all = value(x, x->monitor->first, x->bits, from, false);
    for (uint32_t i = 0; i < AUTOMATON_MAX_PROPOSITIONS; i++) {
        if (edge->positive >> i & 1) all = dd_and(dd, all, x->atoms[i]);
        if (edge->negative >> i & 1) all = dd_diff(dd, all, x->atoms[i]);
    }
    part = value(x, x->monitor->first, x->bits, edge->target, true);
    all = dd_and(dd, all, part);
    part = value(x, x->monitor->first + x->bits, x->automaton->acceptance, edge->marks, true);
    all = dd_and(dd, all, part);
    dd_release(dd, mark);
    return all;
}

static void make_step(struct encoder *x)
{
    struct monitor *monitor = x->monitor;
    struct dd *dd = x->dd;
    struct mem *mem = monitor->s->mem;
    uint32_t *written = mem_alloc(mem, (monitor->count + 1) * sizeof *written), mark = dd_mark(dd);
    bdd all = BDD_FALSE, one = BDD_FALSE;
    dd_keep(dd, &all, &one);
    for (uint32_t i = 0; i < monitor->count; i++) written[i] = monitor->first + i;
    for (uint32_t q = 0; q < x->automaton->states.len; q++)
        for (uint32_t i = 0; i < x->automaton->states.data[q].edges; i++) {
            one = edge(x, q, &x->automaton->edges.data[x->automaton->states.data[q].first + i]);
            all = dd_or(dd, all, one);
        }
    dd_release(dd, mark);
    dd_relation_init(dd, &monitor->step, all, written, monitor->count);
    mem_free(mem, written);
}

static void encode(struct encoder *x, const struct buchi *buchi)
{
    struct monitor *monitor = x->monitor;
    struct dd *dd = x->dd;
    struct mem *mem = monitor->s->mem;
    uint32_t acceptance = x->automaton->acceptance, states = x->automaton->states.len;
    x->bits = states > 1 ? expr_width(states - 1) : 0;
    monitor_take_pairs(monitor, x->bits + acceptance);
    monitor->fair = mem_alloc(mem, (acceptance + UINT64_C(1)) * sizeof *monitor->fair);
    monitor->fair_count = acceptance;
    dd_protect_array(dd, monitor->fair, acceptance);
    x->atoms = mem_alloc(mem, (buchi->atoms.list.len + UINT64_C(1)) * sizeof *x->atoms);
    uint32_t mark = dd_mark(dd);
    dd_protect_array(dd, x->atoms, buchi->atoms.list.len);
    for (uint32_t i = 0; i < buchi->atoms.list.len; i++)
        x->atoms[i] = monitor_atom(monitor, buchi->atoms.list.data[i]);
    for (uint32_t k = 0; k < acceptance; k++)
        monitor->fair[k] = dd_variable(dd, dd_now(monitor->first + x->bits + k));
    monitor->start = value(x, monitor->first, x->bits, x->automaton->initial, false);
    bdd marks = value(x, monitor->first + x->bits, acceptance, 0, false);
    monitor->start = dd_and(dd, monitor->start, marks);
    monitor->start = dd_and(dd, monitor->start, monitor->s->e.initial);
    make_step(x); /* protected from here on, above the atoms ... */
    bdd diagram = monitor->step.diagram;
    dd_release(dd, mark); /* ... and so again without them */
    monitor->step.diagram = diagram;
    dd_protect(dd, &monitor->step.diagram);
    mem_free(mem, x->atoms);
}

bool monitor_automaton(struct monitor *monitor, struct symbolic *s, formula f)
{
    struct buchi buchi;
    *monitor = (struct monitor){.s = s, .reads_first = true};
    if (buchi_translate(&buchi, s->model, f, true)) return false;
    struct encoder x = {.monitor = monitor, .dd = s->dd, .automaton = &buchi.automaton};
    dd_protect(s->dd, &monitor->start);
    encode(&x, &buchi);
    buchi_release(&buchi, s->model);
    return true;
}
