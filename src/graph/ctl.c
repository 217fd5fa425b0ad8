/* CTL by global labelling (Clarke, Emerson and Sistla 1986): for every part of the formula, the set
 * of states in which it is true, inside out. Everything is reduced to EX, E[f U g] (backward
 * reachability) and EG f (removing states that have run out of successors, with a counter per
 * state). Each costs time linear in the graph.
 *
 * Evidence is one path: it follows the formula from a violating initial state for as long as a
 * single path can show why (a path to the state that an AG forbids, a lasso for a failed AF, ...);
 * what is left at its end is named. */
#include "graph/temporal.h"

#include "base/checked.h"

#include <string.h>

enum { POLL = 1 << 16 };
static const uint64_t NOWHERE = UINT64_MAX; /* no state */

struct ctl {
    struct temporal *temporal;
    struct kripke *kripke;
    struct model *model;
    uint64_t **sets; /* per node of the formulas */
    uint64_t words;
    enum temporal_result problem; /* TEMPORAL_HOLDS: none */
    bool showing;                 /* the verdict is known: evidence is not optional any more */
};

/* ---- sets ---- */

static uint64_t *fresh(struct ctl *ctl)
{
    uint64_t *set = kripke_set(ctl->kripke);
    if (!set && ctl->showing) mem_refuse(ctl->kripke->mem);
    if (!set) ctl->problem = TEMPORAL_REFUSED;
    return set;
}

static uint64_t *complement(struct ctl *ctl, const uint64_t *a)
{
    uint64_t *set = a ? fresh(ctl) : NULL;
    for (uint64_t w = 0; set && w < ctl->words; w++) set[w] = ~a[w];
    return set;
}

static uint64_t *combine(struct ctl *ctl, enum formula_op op, const uint64_t *a, const uint64_t *b)
{
    uint64_t *set = a && b ? fresh(ctl) : NULL;
    for (uint64_t w = 0; set && w < ctl->words; w++)
        set[w] = op == FORMULA_AND       ? a[w] & b[w]
                 : op == FORMULA_OR      ? a[w] | b[w]
                 : op == FORMULA_IMPLIES ? ~a[w] | b[w]
                                         : ~(a[w] ^ b[w]);
    return set;
}

static void drop(struct ctl *ctl, uint64_t *set) { mem_free(ctl->kripke->mem, set); }

static uint64_t *exists_next(struct ctl *ctl, const uint64_t *f)
{
    const struct kripke *kripke = ctl->kripke;
    uint64_t *set = f ? fresh(ctl) : NULL;
    for (uint64_t s = 0; set && s < kripke->states; s++)
        for (uint64_t e = kripke->first_next[s]; e < kripke->first_next[s + 1]; e++)
            if (kripke_in(f, numbers_get(&kripke->next, e))) {
                kripke_put(set, s);
                break;
            }
    return set;
}

/* States that wait, at most all. False: memory was refused. */
static bool make_stack(struct ctl *ctl, struct numbers *stack)
{
    const struct kripke *kripke = ctl->kripke;
    if (numbers_init(stack, kripke->mem, kripke->states, kripke->states)) return true;
    if (ctl->showing) mem_refuse(kripke->mem);
    ctl->problem = TEMPORAL_REFUSED;
    return false;
}

/* E[f U g]: backwards from g through f. f NULL: everywhere. */
static uint64_t *exists_until(struct ctl *ctl, const uint64_t *f, const uint64_t *g)
{
    const struct kripke *kripke = ctl->kripke;
    uint64_t *set = g ? fresh(ctl) : NULL, top = 0;
    struct numbers stack;
    if (!set || !make_stack(ctl, &stack)) return drop(ctl, set), NULL;
    for (uint64_t s = 0; s < kripke->states; s++)
        if (kripke_in(g, s)) kripke_put(set, s), numbers_set(&stack, top++, s);
    for (uint64_t work = 0; top; work++) {
        const uint64_t s = numbers_get(&stack, --top);
        if (work % POLL == 0 && !ctl->showing && !kripke->go_on(kripke->context)) {
            ctl->problem = TEMPORAL_REFUSED;
            break;
        }
        for (uint64_t e = kripke->first_previous[s]; e < kripke->first_previous[s + 1]; e++) {
            const uint64_t p = numbers_get(&kripke->previous, e);
            if (kripke_in(set, p) || (f && !kripke_in(f, p))) continue;
            kripke_put(set, p);
            numbers_set(&stack, top++, p);
        }
    }
    numbers_free(&stack, kripke->mem);
    return set;
}

/* EG f: from f, states without a successor in the set are removed until all have one. */
static uint64_t *exists_globally(struct ctl *ctl, const uint64_t *f)
{
    const struct kripke *kripke = ctl->kripke;
    uint64_t *set = f ? fresh(ctl) : NULL, top = 0;
    struct numbers stack;
    if (!set || !make_stack(ctl, &stack)) return drop(ctl, set), NULL;
    uint32_t *left = mem_try_alloc(kripke->mem, (kripke->states + 1) * sizeof *left);
    if (!left && ctl->showing) mem_refuse(kripke->mem);
    if (!left) ctl->problem = TEMPORAL_REFUSED;
    if (!left) return numbers_free(&stack, kripke->mem), drop(ctl, set), NULL;
    memcpy(set, f, ctl->words * sizeof *set);
    for (uint64_t s = 0; s < kripke->states; s++) {
        if (!kripke_in(f, s)) continue;
        for (uint64_t e = kripke->first_next[s]; e < kripke->first_next[s + 1]; e++)
            left[s] += kripke_in(f, numbers_get(&kripke->next, e));
        if (!left[s]) numbers_set(&stack, top++, s);
    }
    for (uint64_t work = 0; top; work++) {
        const uint64_t s = numbers_get(&stack, --top);
        if (work % POLL == 0 && !ctl->showing && !kripke->go_on(kripke->context)) {
            ctl->problem = TEMPORAL_REFUSED;
            break;
        }
        set[s / 64] &= ~(UINT64_C(1) << s % 64);
        for (uint64_t e = kripke->first_previous[s]; e < kripke->first_previous[s + 1]; e++) {
            const uint64_t p = numbers_get(&kripke->previous, e);
            assert(!kripke_in(f, p) || left[p]); /* it counts this edge */
            if (kripke_in(f, p) && --left[p] == 0) numbers_set(&stack, top++, p);
        }
    }
    numbers_free(&stack, kripke->mem);
    mem_free(kripke->mem, left);
    return set;
}

/* ---- labelling ---- */

/* E[x U y] | EG x. */
static uint64_t *until_or_always(struct ctl *ctl, const uint64_t *x, const uint64_t *y)
{
    uint64_t *until = exists_until(ctl, x, y), *always = exists_globally(ctl, x),
             *both = combine(ctl, FORMULA_OR, until, always);
    drop(ctl, until);
    drop(ctl, always);
    return both;
}

/* E op(f, g). */
static uint64_t *exists_path(struct ctl *ctl, enum formula_op op, const uint64_t *f,
                             const uint64_t *g)
{
    uint64_t *both, *set;
    switch (op) {
    case FORMULA_X: return exists_next(ctl, f);
    case FORMULA_F: return exists_until(ctl, NULL, f);
    case FORMULA_G: return exists_globally(ctl, f);
    case FORMULA_U: return exists_until(ctl, f, g);
    case FORMULA_W: return until_or_always(ctl, f, g);
    case FORMULA_R:
        both = combine(ctl, FORMULA_AND, f, g);
        set = until_or_always(ctl, g, both);
        drop(ctl, both);
        return set;
    default: return NULL;
    }
}

static const uint8_t dual[FORMULA_OPS] = {[FORMULA_X] = FORMULA_X,
                                          [FORMULA_F] = FORMULA_G,
                                          [FORMULA_G] = FORMULA_F,
                                          [FORMULA_U] = FORMULA_R,
                                          [FORMULA_R] = FORMULA_U};

/* A op(f, g) is !E dual(!f, !g), with X-X, F-G, U-R and, for W, !(f W g) == !g U (!f & !g). */
static uint64_t *all_paths(struct ctl *ctl, enum formula_op op, const uint64_t *f,
                           const uint64_t *g)
{
    uint64_t *not_f = complement(ctl, f), *not_g = g ? complement(ctl, g) : NULL, *neither = NULL,
             *some;
    if (op == FORMULA_W) {
        neither = combine(ctl, FORMULA_AND, not_f, not_g);
        some = exists_until(ctl, not_g, neither);
    } else {
        some = exists_path(ctl, dual[op], not_f, not_g);
    }
    uint64_t *set = complement(ctl, some);
    drop(ctl, not_f);
    drop(ctl, not_g);
    drop(ctl, neither);
    drop(ctl, some);
    return set;
}

static uint64_t *label(struct ctl *ctl, formula f)
{
    const struct formula_node node = *formula_get(&ctl->model->formulas, f);
    uint64_t *set = NULL;
    bool failed = false;
    assert(f.i < ctl->model->formulas.nodes.len);
    if (ctl->problem != TEMPORAL_HOLDS) return NULL;
    if (ctl->sets[f.i]) return ctl->sets[f.i];
    if (node.op == FORMULA_ATOM) {
        set = ctl->temporal->atom(ctl->temporal->context, node.atom, &failed);
        if (!set) ctl->problem = failed ? TEMPORAL_FAILED : TEMPORAL_REFUSED;
    } else if (node.op == FORMULA_NOT) {
        set = complement(ctl, label(ctl, node.a));
    } else if (node.op == FORMULA_A || node.op == FORMULA_E) {
        const struct formula_node path = *formula_get(&ctl->model->formulas, node.a);
        uint64_t *a = label(ctl, path.a),
                 *b = formula_table[path.op].arity == 2 ? label(ctl, path.b) : NULL;
        if (ctl->problem == TEMPORAL_HOLDS)
            set = node.op == FORMULA_E ? exists_path(ctl, path.op, a, b)
                                       : all_paths(ctl, path.op, a, b);
    } else {
        uint64_t *a = label(ctl, node.a), *b = label(ctl, node.b);
        set = combine(ctl, node.op, a, b);
    }
    return ctl->sets[f.i] = set;
}

/* ---- evidence ---- */

static void extend(struct ctl *ctl, uint64_t state)
{
    assert(state < ctl->kripke->states);
    vec_push(ctl->kripke->mem, &ctl->temporal->path.states, state);
}

/* Extends the path from its last state, through `inside` (NULL: anywhere), to the nearest state of
 * `target`. */
static void walk_to(struct ctl *ctl, const uint64_t *inside, const uint64_t *target)
{
    const struct kripke *kripke = ctl->kripke;
    struct kripke_path *path = &ctl->temporal->path;
    uint64_t from = path->states.data[path->states.len - 1], found = NOWHERE, head = 0, tail = 0;
    struct numbers parent, queue; /* parent: + 1; 0: not met */
    if (kripke_in(target, from)) return;
    if (!numbers_init(&parent, kripke->mem, kripke->states, kripke->states))
        mem_refuse(kripke->mem);
    if (!numbers_init(&queue, kripke->mem, kripke->states, kripke->states)) mem_refuse(kripke->mem);
    numbers_set(&parent, from, from + 1);
    numbers_set(&queue, tail++, from);
    while (head < tail && found == NOWHERE) {
        const uint64_t s = numbers_get(&queue, head++);
        if (inside && !kripke_in(inside, s)) continue;
        for (uint64_t e = kripke->first_next[s]; e < kripke->first_next[s + 1] && found == NOWHERE;
             e++) {
            const uint64_t n = numbers_get(&kripke->next, e);
            if (numbers_get(&parent, n)) continue;
            numbers_set(&parent, n, s + 1);
            numbers_set(&queue, tail++, n);
            if (kripke_in(target, n)) found = n;
        }
    }
    uint32_t start = path->states.len;
    assert(found != NOWHERE); /* whoever calls knows that there is a way */
    for (uint64_t s = found; s != NOWHERE && s != from; s = numbers_get(&parent, s) - 1)
        extend(ctl, s);
    for (uint32_t i = start, j = path->states.len; i + 1 < j;
         i++) { /* found last to first: turn it round */
        const uint64_t swap = path->states.data[i];
        path->states.data[i] = path->states.data[--j];
        path->states.data[j] = swap;
    }
    numbers_free(&parent, kripke->mem);
    numbers_free(&queue, kripke->mem);
}

/* Closes the path to a lasso inside a set in which every state has a successor. */
static void walk_lasso(struct ctl *ctl, const uint64_t *inside)
{
    const struct kripke *kripke = ctl->kripke;
    struct kripke_path *path = &ctl->temporal->path;
    uint32_t start = path->states.len - 1;
    uint32_t *position =
        mem_alloc(kripke->mem, kripke->states * sizeof *position); /* + 1; 0: not on the way */
    while (path->loop == MODEL_NONE) {
        uint64_t s = path->states.data[path->states.len - 1], onwards = NOWHERE;
        position[s] = path->states.len;
        for (uint64_t e = kripke->first_next[s]; e < kripke->first_next[s + 1]; e++) {
            const uint64_t n = numbers_get(&kripke->next, e);
            if (!kripke_in(inside, n)) continue;
            if (position[n] > start) path->loop = position[n] - 1;
            else if (onwards == NOWHERE) onwards = n;
        }
        if (path->loop != MODEL_NONE || onwards == NOWHERE) break;
        extend(ctl, onwards);
    }
    assert(path->loop != MODEL_NONE && path->loop >= start);
    mem_free(kripke->mem, position);
}

static uint64_t last(const struct ctl *ctl)
{
    return ctl->temporal->path.states.data[ctl->temporal->path.states.len - 1];
}

static void show(struct ctl *ctl, formula f, bool value);

static void end_with(struct ctl *ctl, formula f, bool value)
{
    ctl->temporal->end = f;
    ctl->temporal->end_value = value;
    ctl->temporal->has_end = true;
}

/* A path that shows op(f, g) with f and g taken with the given sign: E op is true, or A dual(op) is
 * false. */
static void show_path(struct ctl *ctl, enum formula_op op, formula a, formula b, bool sign)
{
    uint64_t *f = sign ? label(ctl, a) : complement(ctl, label(ctl, a)), *g = NULL, *both = NULL,
             *set = NULL;
    bool binary = op == FORMULA_U || op == FORMULA_R;
    if (binary) g = sign ? label(ctl, b) : complement(ctl, label(ctl, b));
    if (op == FORMULA_X) {
        const struct kripke *kripke = ctl->kripke;
        const uint64_t s = last(ctl);
        for (uint64_t e = kripke->first_next[s]; e < kripke->first_next[s + 1]; e++)
            if (kripke_in(f, numbers_get(&kripke->next, e))) {
                extend(ctl, numbers_get(&kripke->next, e));
                break;
            }
        show(ctl, a, sign);
    } else if (op == FORMULA_F) {
        walk_to(ctl, NULL, f);
        show(ctl, a, sign);
    } else if (op == FORMULA_G) {
        set = exists_globally(ctl, f);
        if (set) walk_lasso(ctl, set);
    } else if (op == FORMULA_U) {
        walk_to(ctl, f, g);
        show(ctl, b, sign);
    } else { /* R: to a state with both, through g; or g for ever */
        both = combine(ctl, FORMULA_AND, f, g);
        set = exists_until(ctl, g, both);
        if (set && kripke_in(set, last(ctl))) {
            walk_to(ctl, g, both);
            show(ctl, a, sign);
        } else {
            drop(ctl, set);
            set = exists_globally(ctl, g);
            if (set) walk_lasso(ctl, set);
        }
    }
    if (!sign) drop(ctl, f), drop(ctl, g);
    drop(ctl, both);
    drop(ctl, set);
}

/* Extends the path with what shows that f has this value in its last state. */
static void show(struct ctl *ctl, formula f, bool value)
{
    const struct formula_node node = *formula_get(&ctl->model->formulas, f);
    CHECKED(kripke_in(label(ctl, f), last(ctl)) == value);
    if (node.op == FORMULA_NOT) {
        show(ctl, node.a, !value);
    } else if (node.op == FORMULA_AND || node.op == FORMULA_OR || node.op == FORMULA_IMPLIES) {
        bool a = kripke_in(label(ctl, node.a), last(ctl)),
             b = kripke_in(label(ctl, node.b), last(ctl));
        bool left = node.op == FORMULA_IMPLIES ? !a : a;
        bool need_both = node.op == FORMULA_AND ? value : !value;
        const struct formula_node *first = formula_get(&ctl->model->formulas, node.a);
        if ((need_both && first->op != FORMULA_ATOM) || (!need_both && left == value))
            show(ctl, node.a, a);
        else show(ctl, node.b, b);
    } else if ((node.op == FORMULA_E && value) || (node.op == FORMULA_A && !value)) {
        const struct formula_node path = *formula_get(&ctl->model->formulas, node.a);
        if (path.op == FORMULA_W) end_with(ctl, f, value);
        else show_path(ctl, value ? path.op : dual[path.op], path.a, path.b, value);
    } else {
        end_with(ctl, f, value);
    }
}

enum temporal_result ctl_check(struct temporal *temporal, formula f)
{
    struct ctl ctl = {temporal,
                      temporal->kripke,
                      temporal->model,
                      NULL,
                      temporal->kripke->states / 64 + 1,
                      TEMPORAL_HOLDS,
                      false};
    uint32_t nodes = ctl.model->formulas.nodes.len;
    enum temporal_result result = TEMPORAL_HOLDS;
    ctl.sets = mem_alloc(ctl.kripke->mem, nodes * sizeof *ctl.sets);
    const uint64_t *set = label(&ctl, f);
    if (ctl.problem != TEMPORAL_HOLDS) result = ctl.problem;
    for (uint64_t s = 0; result == TEMPORAL_HOLDS && s < ctl.kripke->initial; s++)
        if (!kripke_in(set, s)) {
            const struct mem_lift before = mem_lift(ctl.kripke->mem);
            result = TEMPORAL_VIOLATED;
            ctl.showing = true;
            extend(&ctl, s);
            show(&ctl, f, false);
            mem_lower(ctl.kripke->mem, before);
        }
    for (uint32_t i = 0; i < nodes; i++) mem_free(ctl.kripke->mem, ctl.sets[i]);
    mem_free(ctl.kripke->mem, ctl.sets);
    return result;
}
