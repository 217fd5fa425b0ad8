/* LTL on sets of states: what accepts the runs that violate the formula (monitor.h) runs beside the
 * model, and the property is violated when the product has a fair cycle that an initial state leads
 * to.
 *
 * Fair cycles: backward, the greatest set whose states lead to every fairness set inside it
 * (Emerson and Lei 1986); forward, the same with steps turned round, from the reachable part of the
 * product. (The thesis' equation 4.4 mixes both; this is what its proof needs.)
 *
 * With a reduction the model is reduced first, and the product is built with what is left. The
 * thesis reduces the product itself, by a theorem of Peled (1996) that does not hold: Siegel (2019)
 * has a counterexample when what is expanded depends on the automaton's state. A reduction that
 * depends on the model's state only is sound. */
#include "engine/symbolic/monitor.h"
#include "engine/symbolic/temporal.h"

#include <assert.h>

struct ltl {
    struct temporal *temporal;
    struct symbolic *s;
    struct dd *dd;
    struct monitor monitor;
    bdd resting; /* states of the product in which the monitor can stay as it is while the model
                    moves */
    bool accelerate;
};

/* ---- the product ---- */

/* One step of the rules in which a process takes part. */
static bdd step_of_process(struct ltl *ltl, uint32_t process, bdd set, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    const struct model *model = ltl->s->model;
    bdd sum = BDD_FALSE, one = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &set, &sum, &one);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!model_takes_part(model, r, process)) continue;
        one = dd_image(dd, &ltl->s->e.rules[r].relation, set, direction);
        sum = dd_or(dd, sum, one);
    }
    if (direction == DD_BACKWARD) sum = dd_and(dd, sum, ltl->s->reach);
    dd_release(dd, mark);
    return sum;
}

/* One step of both; of one process only, unless it is MODEL_NONE. */
static bdd both_step(struct ltl *ltl, uint32_t process, bdd set, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    bdd image = set;
    uint32_t mark = dd_mark(dd);
    bool monitor_moves_first = ltl->monitor.reads_first == (direction == DD_FORWARD);
    dd_protect(dd, &image);
    if (monitor_moves_first) image = dd_image(dd, &ltl->monitor.step, image, direction);
    if (process != MODEL_NONE) image = step_of_process(ltl, process, image, direction);
    else if (ltl->temporal->partial) image = partial_step(ltl->temporal->partial, image, direction);
    else image = symbolic_step(ltl->s, image, direction);
    if (!monitor_moves_first) image = dd_image(dd, &ltl->monitor.step, image, direction);
    dd_release(dd, mark);
    return image;
}

static bdd product_step(void *context, bdd set, enum dd_direction direction)
{
    return both_step(context, MODEL_NONE, set, direction);
}

/* ---- weak fairness ----
 *
 * A run is fair to a process when again and again it takes part in a step or can take part in none.
 * A step is no state, so it is asked for where it starts (backward) or ends (forward), inside the
 * set in question: no bits for what happened last are needed. */

/* States in which the process can take part in no step. */
static bdd idle_states(struct ltl *ltl, uint32_t process)
{
    struct dd *dd = ltl->dd;
    bdd idle = ltl->s->reach;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &idle);
    for (uint32_t r = 0; r < ltl->s->model->rules.len; r++)
        if (model_takes_part(ltl->s->model, r, process))
            idle = dd_diff(dd, idle, ltl->s->e.rules[r].enabled);
    dd_release(dd, mark);
    return idle;
}

static bdd fair_to(struct ltl *ltl, uint32_t process, bdd set, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    bdd moves = BDD_FALSE, idle = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &set, &moves, &idle);
    idle = idle_states(ltl, process);
    moves = both_step(ltl, process, set, direction);
    moves = dd_or(dd, moves, idle);
    moves = dd_and(dd, moves, set);
    dd_release(dd, mark);
    return moves;
}

/* Makes the cycle fair to every process. */
static void visit_processes(struct walk *walk, bdd inside)
{
    struct ltl *ltl = walk->context;
    struct dd *dd = ltl->dd;
    bdd goal = BDD_FALSE, here = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &inside, &goal, &here);
    for (uint32_t p = 0; p < ltl->s->model->processes.len; p++) {
        goal = fair_to(ltl, p, inside, DD_BACKWARD);
        walk_to(walk, BDD_FALSE, inside, goal, false);
        here = walk_last(walk);
        goal = idle_states(ltl, p);
        if (dd_and(dd, here, goal) != BDD_FALSE) continue;
        goal = both_step(ltl, p, here, DD_FORWARD);
        goal = dd_and(dd, goal, inside);
        assert(goal != BDD_FALSE); /* the process can take part, so it has a step */
        walk_begin(walk, goal);    /* one more state: where a step of the process leads */
        walk->by.data[walk->states - 1] = p;
    }
    dd_release(dd, mark);
}

/* Where the monitor's step may leave its state alone. */
static bdd find_resting(struct ltl *ltl)
{
    struct dd *dd = ltl->dd;
    bdd all = ltl->monitor.step.diagram, now = BDD_FALSE, next = BDD_FALSE, cube = BDD_TRUE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &all, &now, &next, &cube);
    for (uint32_t i = 0; i < ltl->monitor.count; i++) {
        now = dd_variable(dd, dd_now(ltl->monitor.first + i));
        next = dd_variable(dd, dd_next(ltl->monitor.first + i));
        cube = dd_and(dd, cube, next);
        next = dd_xor(dd, now, next);
        all = dd_diff(dd, all, next);
    }
    all = dd_exists(dd, all, cube);
    dd_release(dd, mark);
    return all;
}

/* Most steps of a model do not matter to the monitor. Runs of such steps are taken all at once, by
 * saturation: as long as the product stays in `resting`, the model's relations alone are its steps,
 * whichever of both states the monitor reads. */
static bdd run_ahead(struct ltl *ltl, bdd set, bdd within, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    bdd inside = BDD_FALSE, start = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    if (!ltl->accelerate) return set;
    dd_keep(dd, &set, &inside, &start);
    inside = dd_and(dd, within, ltl->resting);
    start = dd_and(dd, set, ltl->resting);
    start =
        dd_saturate(dd, ltl->s->e.every_cluster, ltl->s->e.cluster_count, direction, start, inside);
    start = dd_or(dd, start, set);
    dd_release(dd, mark);
    return start;
}

static bdd closure(struct ltl *ltl, bdd set, bdd within, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    bdd all = BDD_FALSE, frontier = set;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &within, &all, &frontier);
    while (frontier != BDD_FALSE) {
        frontier = run_ahead(ltl, frontier, within, direction);
        frontier = dd_diff(dd, frontier, all);
        all = dd_or(dd, all, frontier);
        frontier = product_step(ltl, frontier, direction);
        frontier = dd_and(dd, frontier, within);
        frontier = dd_diff(dd, frontier, all);
        dd_rest(dd);
    }
    dd_release(dd, mark);
    return all;
}

/* Removes states without a successor (backward) or predecessor (forward) in the set, until all have
 * one. */
static bdd trim(struct ltl *ltl, bdd set, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    bdd before = BDD_FALSE, image = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &set, &before, &image);
    do {
        before = set;
        image = product_step(ltl, set, direction);
        set = dd_and(dd, set, image);
        dd_rest(dd);
    } while (set != before);
    dd_release(dd, mark);
    return set;
}

/* A set inside `set` whose states all lead to each fairness set and on (backward), or come from
 * each and from before (forward), without leaving it; it contains all fair cycles. First or last
 * components of it are fair, so it is empty when there is none. The order of steps is that of "one
 * way catch them young" (Fisler, Fraer, Kamhi, Vardi and Yang 2001): trimming costs one image a
 * step, where Emerson and Lei's order would cost a closure. */
static bdd fair_hull(struct ltl *ltl, bdd set, enum dd_direction direction)
{
    struct dd *dd = ltl->dd;
    bdd z = set, before = BDD_FALSE, goal = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &z, &before, &goal);
    do {
        before = z;
        for (uint32_t k = 0; k < ltl->monitor.fair_count; k++) {
            goal = dd_and(dd, z, ltl->monitor.fair[k]);
            z = closure(ltl, goal, z, direction);
        }
        for (uint32_t p = 0; ltl->s->task->weakly_fair && p < ltl->s->model->processes.len; p++) {
            goal = fair_to(ltl, p, z, direction);
            z = closure(ltl, goal, z, direction);
        }
        z = trim(ltl, z, direction);
    } while (z != before && z != BDD_FALSE);
    dd_release(dd, mark);
    return z;
}

/* A shortest way from `start` into the set, then a fair cycle. */
static void show_lasso(struct ltl *ltl, bdd start, bdd inside, bdd hull)
{
    struct walk *walk = &ltl->temporal->shown[0].walk;
    walk->step = product_step;
    walk->context = ltl;
    walk->first_extra = ltl->monitor.first;
    walk->extra = ltl->monitor.count;
    walk->width = dd_pairs(ltl->dd);
    walk_to(walk, start, inside, hull, false);
    if (walk->states)
        walk_cycle(walk, hull, ltl->monitor.fair, ltl->monitor.fair_count,
                   ltl->s->task->weakly_fair ? visit_processes : NULL);
}

static bool find_violation(struct ltl *ltl)
{
    struct dd *dd = ltl->dd;
    bool backward = ltl->s->task->direction == DIRECTION_BACKWARD;
    bdd start = BDD_FALSE, inside = BDD_FALSE, hull = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &start, &inside, &hull);
    start = ltl->monitor.start;
    inside = backward ? ltl->s->reach : closure(ltl, start, BDD_TRUE, DD_FORWARD);
    hull = fair_hull(ltl, inside, backward ? DD_BACKWARD : DD_FORWARD);
    ltl->temporal->went_backward = backward;
    ltl->temporal->went_forward = !backward;
    bool violated = hull != BDD_FALSE;
    if (backward) violated = dd_and(dd, hull, start) != BDD_FALSE;
    else if (violated)
        hull = fair_hull(ltl, hull, DD_BACKWARD); /* of the states that come from fair cycles, those
                                                     that lead to one again */
    if (violated) show_lasso(ltl, start, inside, hull);
    dd_release(dd, mark);
    return violated;
}

enum temporal_result symbolic_ltl(struct temporal *temporal, formula f)
{
    struct symbolic *s = temporal->s;
    struct ltl ltl = {.temporal = temporal, .s = s, .dd = s->dd};
    uint32_t mark = dd_mark(s->dd);
    if (s->task->by_tableau || !monitor_automaton(&ltl.monitor, s, f))
        monitor_tableau(&ltl.monitor, s, f);
    dd_protect(s->dd, &ltl.resting);
    ltl.resting = find_resting(&ltl);
    ltl.accelerate = s->order == ORDER_SATURATION && !temporal->partial;
    assert(dd_pairs(s->dd) >= ltl.monitor.first + ltl.monitor.count);
    bool violated = !ltl.monitor.failed && find_violation(&ltl);
    bool failed = ltl.monitor.failed;
    monitor_release(&ltl.monitor);
    dd_release(s->dd, mark);
    return failed ? TEMPORAL_FAILED : violated ? TEMPORAL_VIOLATED : TEMPORAL_HOLDS;
}
