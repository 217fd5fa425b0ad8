/* CTL on sets of states, both ways.
 *
 * Backward (Burch, Clarke, McMillan, Dill and Hwang 1992): for every part of the formula the set of
 * states in which it is true, inside out, by the fixpoints EX f = pre(f), E[f U g] = mu Z. g | f &
 * pre(Z), EG f = nu Z. f & pre(Z). The least one is a constrained saturation, not an iteration.
 *
 * Forward (Iwashita, Nakata and Hirose 1996): does some state of H satisfy f? For an outermost
 * E-operator the question moves along its paths: E[f U g] becomes "does some state of FwdUntil(H,
 * f) satisfy g?". Disjunctions are split. What cannot move is decided backward. With a reduction,
 * FwdUntil becomes PartialExploration (the thesis' evalCTLX; its algorithm 3.12 compares with the
 * empty set the wrong way round, its specification is right). */
#include "base/checked.h"
#include "engine/symbolic/temporal.h"

#include <string.h>

struct ctl {
    struct temporal *temporal;
    struct symbolic *s;
    struct dd *dd;
    struct model *model;
    bdd *sets;   /* per node of the formulas ... */
    bool *known; /* ... once it is known */
    bool failed; /* an atom divides by zero somewhere */
};

/* ---- backward ---- */

static bdd complement(struct ctl *ctl, bdd a) { return dd_diff(ctl->dd, ctl->s->reach, a); }

static bdd exists_next(struct ctl *ctl, bdd f) { return symbolic_step(ctl->s, f, DD_BACKWARD); }

static bdd exists_until(struct ctl *ctl, bdd f, bdd g)
{
    return symbolic_closure(ctl->s, g, f, DD_BACKWARD);
}

/* Only states that lost a successor can drop out, but finding them costs as much as asking all. */
static bdd greatest(struct ctl *ctl, bdd f, enum dd_direction direction)
{
    struct dd *dd = ctl->dd;
    bdd now = f, next = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &now, &next);
    for (;;) {
        next = symbolic_step(ctl->s, now, direction);
        next = dd_and(dd, next, now);
        if (next == now) break;
        now = next;
        dd_rest(dd);
    }
    dd_release(dd, mark);
    return now;
}

static bdd exists_globally(struct ctl *ctl, bdd f) { return greatest(ctl, f, DD_BACKWARD); }

/* E[x U y] | EG x. */
static bdd until_or_always(struct ctl *ctl, bdd x, bdd y)
{
    struct dd *dd = ctl->dd;
    bdd until = BDD_FALSE, always = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &x, &until, &always);
    until = exists_until(ctl, x, y);
    always = exists_globally(ctl, x);
    until = dd_or(dd, until, always);
    dd_release(dd, mark);
    return until;
}

/* E op(f, g); the operands are protected by the caller. */
static bdd exists_path(struct ctl *ctl, enum formula_op op, bdd f, bdd g)
{
    bdd both = BDD_FALSE, result = BDD_FALSE;
    uint32_t mark;
    switch (op) {
    case FORMULA_X: return exists_next(ctl, f);
    case FORMULA_F: return exists_until(ctl, ctl->s->reach, f);
    case FORMULA_G: return exists_globally(ctl, f);
    case FORMULA_U: return exists_until(ctl, f, g);
    case FORMULA_W: return until_or_always(ctl, f, g);
    default:
        assert(op == FORMULA_R);
        mark = dd_mark(ctl->dd);
        dd_protect(ctl->dd, &both);
        both = dd_and(ctl->dd, f, g);
        result = until_or_always(ctl, g, both);
        dd_release(ctl->dd, mark);
        return result;
    }
}

static const uint8_t dual[FORMULA_OPS] = {[FORMULA_X] = FORMULA_X,
                                          [FORMULA_F] = FORMULA_G,
                                          [FORMULA_G] = FORMULA_F,
                                          [FORMULA_U] = FORMULA_R,
                                          [FORMULA_R] = FORMULA_U};

/* A op(f, g) is !E dual(!f, !g), and !A[f W g] is E[!g U (!f & !g)]. */
static bdd all_paths(struct ctl *ctl, enum formula_op op, bdd f, bdd g)
{
    struct dd *dd = ctl->dd;
    bdd not_f = BDD_FALSE, not_g = BDD_FALSE, some = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &f, &g, &not_f, &not_g, &some);
    not_f = complement(ctl, f);
    not_g = complement(ctl, g);
    if (op == FORMULA_W) {
        not_f = dd_and(dd, not_f, not_g);
        some = exists_until(ctl, not_g, not_f);
    } else {
        some = exists_path(ctl, dual[op], not_f, not_g);
    }
    some = complement(ctl, some);
    dd_release(dd, mark);
    return some;
}

static bdd combine(struct ctl *ctl, enum formula_op op, bdd a, bdd b)
{
    struct dd *dd = ctl->dd;
    bdd x = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    if (op == FORMULA_AND) return dd_and(dd, a, b);
    if (op == FORMULA_OR) return dd_or(dd, a, b);
    dd_protect(dd, &x);
    if (op == FORMULA_IMPLIES) {
        x = dd_diff(dd, a, b);
    } else {
        x = dd_xor(dd, a, b);
    }
    x = complement(ctl, x);
    dd_release(dd, mark);
    return x;
}

static bdd label(struct ctl *ctl, formula f)
{
    const struct formula_node node = *formula_get(&ctl->model->formulas, f);
    bdd *set = &ctl->sets[f.i];
    bool fails = false;
    if (ctl->known[f.i]) return *set;
    if (node.op == FORMULA_ATOM) {
        *set = symbolic_condition(ctl->s, node.atom, &fails);
        ctl->failed |= fails;
    } else if (node.op == FORMULA_NOT) {
        label(ctl, node.a);
        *set = complement(ctl, ctl->sets[node.a.i]);
    } else if (node.op == FORMULA_A || node.op == FORMULA_E) {
        const struct formula_node path = *formula_get(&ctl->model->formulas, node.a);
        bool binary = formula_table[path.op].arity == 2;
        label(ctl, path.a);
        if (binary) label(ctl, path.b);
        ctl->temporal->went_backward = true;
        bdd a = ctl->sets[path.a.i], b = binary ? ctl->sets[path.b.i] : BDD_FALSE;
        *set =
            node.op == FORMULA_E ? exists_path(ctl, path.op, a, b) : all_paths(ctl, path.op, a, b);
    } else {
        label(ctl, node.a);
        label(ctl, node.b);
        *set = combine(ctl, node.op, ctl->sets[node.a.i], ctl->sets[node.b.i]);
    }
    ctl->known[f.i] = true;
    CHECKED(dd_is_now(ctl->dd, *set)); /* 1 */
    return *set;
}

/* The states in which f has this value. */
static bdd label_signed(struct ctl *ctl, formula f, bool value)
{
    bdd set = label(ctl, f);
    return value ? set : complement(ctl, set);
}

/* ---- forward ---- */

/* mu Z. H | post(Z & F): what is reached from H through F, the first state outside included. */
static bdd forward_until(struct ctl *ctl, bdd h, bdd f)
{
    struct dd *dd = ctl->dd;
    bdd inside = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    if (ctl->temporal->partial) return partial_explore(ctl->temporal->partial, h, f);
    if (h == ctl->s->e.initial && f == ctl->s->reach) return f;
    dd_keep(dd, &h, &inside);
    inside = dd_and(dd, h, f);
    inside = symbolic_closure(ctl->s, inside, f, DD_FORWARD);
    inside = symbolic_step(ctl->s, inside, DD_FORWARD);
    inside = dd_or(dd, inside, h);
    dd_release(dd, mark);
    return inside;
}

static bool meets(struct ctl *ctl, bdd h, formula f, bool value);

/* Whether a path from H stays in F for ever: from FwdUntil(H, F) & F, states are removed until all
 * have a predecessor. */
static bool stays(struct ctl *ctl, bdd h, bdd f)
{
    struct dd *dd = ctl->dd;
    bdd set = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &f, &set);
    set = forward_until(ctl, h, f);
    set = dd_and(dd, set, f);
    set = greatest(ctl, set, DD_FORWARD);
    dd_release(dd, mark);
    return set != BDD_FALSE;
}

/* Some state of H has a path that shows op(a, b), both with this sign. */
static bool meets_path(struct ctl *ctl, bdd h, enum formula_op op, formula a, formula b, bool sign)
{
    struct dd *dd = ctl->dd;
    bdd f = BDD_FALSE, t = BDD_FALSE;
    bool result = false;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &h, &f, &t);
    ctl->temporal->went_forward = true;
    switch (op) {
    case FORMULA_X:
        t = symbolic_step(ctl->s, h, DD_FORWARD);
        result = meets(ctl, t, a, sign);
        break;
    case FORMULA_F:
        t = forward_until(ctl, h, ctl->s->reach);
        result = meets(ctl, t, a, sign);
        break;
    case FORMULA_G:
        f = label_signed(ctl, a, sign);
        result = stays(ctl, h, f);
        break;
    case FORMULA_U:
        f = label_signed(ctl, a, sign);
        t = forward_until(ctl, h, f);
        result = meets(ctl, t, b, sign);
        break;
    case FORMULA_W:
        f = label_signed(ctl, a, sign);
        t = forward_until(ctl, h, f);
        result = meets(ctl, t, b, sign) || stays(ctl, h, f);
        break;
    default: /* FORMULA_R: through b to a state with both, or b for ever */
        f = label_signed(ctl, b, sign);
        t = forward_until(ctl, h, f);
        t = dd_and(dd, t, f);
        result = meets(ctl, t, a, sign) || stays(ctl, h, f);
        break;
    }
    dd_release(dd, mark);
    return result;
}

/* !A[f W g] is E[!g U (!f & !g)]. */
static bool meets_not_weak_until(struct ctl *ctl, bdd h, formula f, formula g)
{
    struct dd *dd = ctl->dd;
    bdd not_g = BDD_FALSE, t = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &not_g, &t);
    ctl->temporal->went_forward = true;
    not_g = label_signed(ctl, g, false);
    t = forward_until(ctl, h, not_g);
    t = dd_and(dd, t, not_g);
    bool result = meets(ctl, t, f, false);
    dd_release(dd, mark);
    return result;
}

/* Both parts in one state. A part without temporal operators is decided at once, and the question
 * goes on with the other. */
static bool meets_both(struct ctl *ctl, bdd h, formula a, bool a_value, formula b, bool b_value)
{
    struct dd *dd = ctl->dd;
    bool a_first = formula_get(&ctl->model->formulas, b)->op != FORMULA_ATOM;
    bdd part = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &h, &part);
    part = a_first ? label_signed(ctl, a, a_value) : label_signed(ctl, b, b_value);
    part = dd_and(dd, part, h);
    bool result = part != BDD_FALSE
                  && (a_first ? meets(ctl, part, b, b_value) : meets(ctl, part, a, a_value));
    dd_release(dd, mark);
    return result;
}

/* Whether f has this value in some state of H. */
static bool meets(struct ctl *ctl, bdd h, formula f, bool value)
{
    const struct formula_node node = *formula_get(&ctl->model->formulas, f);
    bool result;
    uint32_t mark = dd_mark(ctl->dd);
    if (h == BDD_FALSE) return false;
    dd_protect(ctl->dd, &h);
    if (node.op == FORMULA_NOT) {
        result = meets(ctl, h, node.a, !value);
    } else if (node.op == FORMULA_AND || node.op == FORMULA_OR || node.op == FORMULA_IMPLIES) {
        bool a_value = node.op == FORMULA_IMPLIES ? !value : value;
        if ((node.op == FORMULA_AND) == value)
            result = meets_both(ctl, h, node.a, a_value, node.b, value);
        else result = meets(ctl, h, node.a, a_value) || meets(ctl, h, node.b, value);
    } else if ((node.op == FORMULA_E && value) || (node.op == FORMULA_A && !value)) {
        const struct formula_node path = *formula_get(&ctl->model->formulas, node.a);
        if (!value && path.op == FORMULA_W) result = meets_not_weak_until(ctl, h, path.a, path.b);
        else result = meets_path(ctl, h, value ? path.op : dual[path.op], path.a, path.b, value);
    } else { /* no rule applies: backward */
        bdd set = label_signed(ctl, f, value);
        result = dd_and(ctl->dd, set, h) != BDD_FALSE;
    }
    dd_release(ctl->dd, mark);
    return result;
}

/* Whether meets() would go all the way, without a fixpoint for some part of the formula. */
static bool all_forward(const struct model *model, formula f, bool value)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    const struct formula_node *a =
        node->op == FORMULA_ATOM ? NULL : formula_get(&model->formulas, node->a);
    if (node->op == FORMULA_ATOM) return true;
    if (node->op == FORMULA_NOT) return all_forward(model, node->a, !value);
    if (node->op == FORMULA_AND || node->op == FORMULA_OR || node->op == FORMULA_IMPLIES) {
        bool a_value = node->op == FORMULA_IMPLIES ? !value : value,
             both = (node->op == FORMULA_AND) == value;
        bool one_is_atom =
            a->op == FORMULA_ATOM || formula_get(&model->formulas, node->b)->op == FORMULA_ATOM;
        return (!both || one_is_atom) && all_forward(model, node->a, a_value)
               && all_forward(model, node->b, value);
    }
    if (!((node->op == FORMULA_E && value) || (node->op == FORMULA_A && !value))) return false;
    enum formula_op op = value || a->op == FORMULA_W ? a->op : dual[a->op];
    bool first_is_atom = formula_get(&model->formulas, a->a)->op == FORMULA_ATOM;
    switch (op) {
    case FORMULA_X:
    case FORMULA_F: return all_forward(model, a->a, value);
    case FORMULA_G: return first_is_atom;
    case FORMULA_U: return first_is_atom && all_forward(model, a->b, value);
    case FORMULA_W:
        if (!value)
            return formula_get(&model->formulas, a->b)->op == FORMULA_ATOM
                   && all_forward(model, a->a, false);
        return first_is_atom && all_forward(model, a->b, true);
    default:
        return formula_get(&model->formulas, a->b)->op == FORMULA_ATOM
               && all_forward(model, a->a, value);
    }
}

/* ---- evidence ---- */

static void show(struct ctl *ctl, uint32_t run, formula f, bool value);

static struct walk *walk_of(struct ctl *ctl, uint32_t run)
{
    return &ctl->temporal->shown[run].walk;
}

static bool last_is_in(struct ctl *ctl, uint32_t run, bdd set)
{
    bdd last = BDD_FALSE;
    uint32_t mark = dd_mark(ctl->dd);
    dd_keep(ctl->dd, &set, &last);
    last = walk_last(walk_of(ctl, run));
    bool in = dd_and(ctl->dd, last, set) != BDD_FALSE;
    dd_release(ctl->dd, mark);
    return in;
}

static void end_with(struct ctl *ctl, uint32_t run, formula f, bool value)
{
    struct shown *shown = &ctl->temporal->shown[run];
    shown->end = f;
    shown->end_value = value;
    shown->has_end = true;
}

/* Whether a run can show that f has this value: some path does; otherwise all would be needed. */
static bool has_run(const struct model *model, formula f, bool value)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    switch (node->op) {
    case FORMULA_NOT: return has_run(model, node->a, !value);
    case FORMULA_AND:
    case FORMULA_OR: return has_run(model, node->a, value) || has_run(model, node->b, value);
    case FORMULA_IMPLIES: return has_run(model, node->a, !value) || has_run(model, node->b, value);
    case FORMULA_E: return value;
    case FORMULA_A: return !value;
    default: return false;
    }
}

/* A new run from a state of another one, to show a part there. */
static void branch(struct ctl *ctl, uint32_t run, uint32_t state, formula f, bool value)
{
    struct temporal *temporal = ctl->temporal;
    if (!has_run(ctl->model, f, value)) return;
    if (temporal->shown_count == MAX_SHOWN) {
        temporal->cut = true;
        return;
    }
    assert(temporal->shown_count && state < walk_of(ctl, run)->states);
    uint32_t mine = temporal->shown_count++;
    temporal->shown[mine] = (struct shown){.parent = run, .from = state, .part = f, .value = value};
    walk_fork(walk_of(ctl, mine), walk_of(ctl, run), state + 1);
    show(ctl, mine, f, value);
}

/* Every state from `first` to before `end` of a run satisfies f, or its negation. */
static void branch_along(struct ctl *ctl, uint32_t run, uint32_t first, uint32_t end, formula f,
                         bool value)
{
    for (uint32_t i = first; i < end && !ctl->temporal->cut; i++) branch(ctl, run, i, f, value);
}

/* A path that shows op(a, b), both with this sign: E op is true, or A dual(op) is false. */
static void show_path(struct ctl *ctl, uint32_t run, enum formula_op op, formula a, formula b,
                      bool sign)
{
    struct walk *walk = walk_of(ctl, run);
    struct dd *dd = ctl->dd;
    bdd f = BDD_FALSE, g = BDD_FALSE, set = BDD_FALSE;
    bool binary = op == FORMULA_U || op == FORMULA_R || op == FORMULA_W;
    assert(walk->states); /* a run has begun */
    uint32_t mark = dd_mark(dd), first = walk->states - 1;
    dd_keep(dd, &f, &g, &set);
    f = label_signed(ctl, a, sign);
    if (binary) g = label_signed(ctl, b, sign);
    if (op == FORMULA_X || op == FORMULA_F) {
        walk_to(walk, BDD_FALSE, ctl->s->reach, f, op == FORMULA_X);
        show(ctl, run, a, sign);
    } else if (op == FORMULA_G) {
        set = exists_globally(ctl, f);
        walk_cycle(walk, set, NULL, 0, NULL);
        branch_along(ctl, run, first, walk->states, a, sign);
    } else { /* U, W: through a to b; R: through b to both; W and R also for ever */
        formula along = op == FORMULA_R ? b : a, last = op == FORMULA_R ? a : b;
        if (op == FORMULA_R) {
            set = dd_and(dd, f, g);
            f = g;
            g = set;
        }
        set = op == FORMULA_U ? ctl->s->reach : exists_until(ctl, f, g);
        if (last_is_in(ctl, run, set)) {
            walk_to(walk, BDD_FALSE, f, g, false);
            uint32_t end = walk->states;
            branch_along(ctl, run, first, op == FORMULA_R ? end : end - 1, along, sign);
            show(ctl, run, last, sign);
        } else {
            set = exists_globally(ctl, f);
            walk_cycle(walk, set, NULL, 0, NULL);
            branch_along(ctl, run, first, walk->states, along, sign);
        }
    }
    dd_release(dd, mark);
}

/* Both parts have to be shown: one goes on with the run, the other one branches off. */
static void show_both(struct ctl *ctl, uint32_t run, formula a, bool a_value, formula b,
                      bool b_value)
{
    uint32_t here = walk_of(ctl, run)->states - 1;
    bool a_goes_on = has_run(ctl->model, a, a_value) || !has_run(ctl->model, b, b_value);
    if (a_goes_on) {
        show(ctl, run, a, a_value);
        branch(ctl, run, here, b, b_value);
    } else {
        show(ctl, run, b, b_value);
    }
}

/* Extends the run with what shows that f has this value in its last state. */
static void show(struct ctl *ctl, uint32_t run, formula f, bool value)
{
    const struct formula_node node = *formula_get(&ctl->model->formulas, f);
    if (node.op == FORMULA_NOT) {
        show(ctl, run, node.a, !value);
    } else if (node.op == FORMULA_AND || node.op == FORMULA_OR || node.op == FORMULA_IMPLIES) {
        label(ctl, node.a);
        label(ctl, node.b);
        bool a = last_is_in(ctl, run, ctl->sets[node.a.i]),
             b = last_is_in(ctl, run, ctl->sets[node.b.i]);
        bool left = node.op == FORMULA_IMPLIES ? !a : a,
             need_both = node.op == FORMULA_AND ? value : !value;
        if (need_both) show_both(ctl, run, node.a, a, node.b, b);
        else if (left == value) show(ctl, run, node.a, a);
        else show(ctl, run, node.b, b);
    } else if ((node.op == FORMULA_E && value) || (node.op == FORMULA_A && !value)) {
        const struct formula_node path = *formula_get(&ctl->model->formulas, node.a);
        if (!value && path.op == FORMULA_W) end_with(ctl, run, f, value);
        else show_path(ctl, run, value ? path.op : dual[path.op], path.a, path.b, value);
    } else {
        end_with(ctl, run, f, value);
    }
}

static void show_violation(struct ctl *ctl, formula f)
{
    struct dd *dd = ctl->dd;
    bdd bad = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    bool forward = ctl->temporal->went_forward, backward = ctl->temporal->went_backward;
    dd_protect(dd, &bad);
    bad = label_signed(ctl, f, false);
    bad = dd_and(dd, bad, ctl->s->e.initial);
    walk_begin(walk_of(ctl, 0), bad);
    show(ctl, 0, f, false);
    dd_release(dd, mark);
    ctl->temporal->went_forward = forward; /* how the evidence was found is another matter */
    ctl->temporal->went_backward = backward;
}

/* All atoms at once: one that fails anywhere leaves the property undecided, whichever way it is
 * evaluated. */
static void label_atoms(struct ctl *ctl, formula f)
{
    const struct formula_node node = *formula_get(&ctl->model->formulas, f);
    if (node.op == FORMULA_ATOM) {
        label(ctl, f);
        return;
    }
    label_atoms(ctl, node.a);
    if (formula_table[node.op].arity == 2) label_atoms(ctl, node.b);
}

enum temporal_result symbolic_ctl(struct temporal *temporal, formula f)
{
    struct symbolic *s = temporal->s;
    uint32_t nodes = s->model->formulas.nodes.len, mark = dd_mark(s->dd);
    struct ctl ctl = {.temporal = temporal, .s = s, .dd = s->dd, .model = s->model};
    ctl.sets = mem_alloc(s->mem, nodes * sizeof *ctl.sets);
    ctl.known = mem_alloc(s->mem, nodes);
    dd_protect_array(s->dd, ctl.sets, nodes);
    bool violated = false, backward = s->task->direction == DIRECTION_BACKWARD;
    /* Fixpoints for parts of the formula are small on the reachable states only; a search that only
     * goes forward does not need to know them. */
    if (temporal->partial && !backward && all_forward(s->model, f, false)) symbolic_view_ranges(s);
    else symbolic_view_all(s);
    label_atoms(&ctl, f);
    if (ctl.failed) violated = false;
    else if (backward) violated = !dd_implies(s->dd, s->e.initial, label(&ctl, f));
    else violated = meets(&ctl, s->e.initial, f, false);
    if (violated && temporal->partial) { /* evidence is a run of the model itself */
        temporal->partial = NULL;
        memset(ctl.known, 0, nodes);
        symbolic_view_all(s);
    }
    if (violated) show_violation(&ctl, f);
    dd_release(s->dd, mark);
    mem_free(s->mem, ctl.sets);
    mem_free(s->mem, ctl.known);
    return ctl.failed ? TEMPORAL_FAILED : violated ? TEMPORAL_VIOLATED : TEMPORAL_HOLDS;
}
