#include "engine/symbolic/space.h"

#include "base/checked.h"
#include "base/clock.h"

bool symbolic_poll(void *context)
{
    struct symbolic *s = context;
    const struct task *task = s->task;
    double time = clock_now();
    if (task->interrupted && *task->interrupted) return s->result->stop = STOP_INTERRUPT, false;
    if (task->max_seconds > 0 && time - s->started >= task->max_seconds)
        return s->result->stop = STOP_TIME, false;
    if (task->progress && time - s->last_progress >= 0.25) {
        struct dd_statistics nodes;
        dd_get_statistics(s->dd, &nodes);
        struct search_progress progress = {.depth = s->depth,
                                           .bytes = s->mem->used,
                                           .seconds = time - s->started,
                                           .nodes = nodes.nodes,
                                           .phase = s->phase};
        task->progress(task->progress_context, &progress);
        s->last_progress = time;
    }
    return true;
}

/* ---- statistics ---- */

static const char *count_states(struct symbolic *s, bdd set)
{
    struct natural count;
    if (!dd_count(s->dd, set, s->e.bits.total, &count)) return NULL;
    const char *digits = natural_digits(s->mem, &count);
    natural_free(s->mem, &count);
    return digits;
}

void symbolic_note(struct symbolic *s, bdd set, bdd frontier)
{
    struct symbolic_statistics *statistics = s->statistics;
    struct dd_statistics table;
    uint64_t size = dd_size(s->dd, frontier);
    statistics->frontiers++;
    statistics->frontier_nodes += size;
    if (size > statistics->largest_frontier) statistics->largest_frontier = size;
    if (!s->task->count_levels) return;
    dd_get_statistics(s->dd, &table);
    uint32_t n = statistics->iteration_count;
    assert(n < statistics->frontiers); /* one at most for each */
    if ((n & (n - 1)) == 0) {          /* a power of two: the room is used up */
        struct iteration *more =
            mem_try_resize(s->mem, statistics->iterations, (n ? 2 * (size_t)n : 1) * sizeof *more);
        if (!more) return;
        statistics->iterations = more;
    }
    statistics->iterations[statistics->iteration_count++] =
        (struct iteration){dd_size(s->dd, set), size, table.nodes, count_states(s, set)};
}

/* ---- reachability ---- */

static bool at_limit(struct symbolic *s)
{
    if (!s->task->max_depth || s->depth < s->task->max_depth) return false;
    s->result->stop = STOP_DEPTH;
    return true;
}

/* Both modes of the thesis' computeReachable: from the states that are new, or from all. */
static bool breadth_first(struct symbolic *s)
{
    struct dd *dd = s->dd;
    bdd frontier = s->e.initial, image = BDD_FALSE;
    bool complete = true;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &frontier, &image);
    s->reach = s->e.initial;
    while (frontier != BDD_FALSE) {
        symbolic_note(s, s->reach, s->task->without_frontier ? s->reach : frontier);
        if (at_limit(s)) {
            complete = false;
            break;
        }
        image = encode_step(&s->e, s->task->without_frontier ? s->reach : frontier, DD_FORWARD);
        s->statistics->post_images++;
        frontier = dd_diff(dd, image, s->reach);
        s->reach = dd_or(dd, s->reach, frontier);
        if (frontier != BDD_FALSE) s->depth++;
        image = BDD_FALSE;
        dd_rest(dd);
    }
    dd_release(dd, mark);
    return complete;
}

/* Adds what is missing to *set by going through the relations one after the other, each from all
 * that is known. */
static void chain(struct symbolic *s, bdd *set, bdd within, enum dd_direction direction)
{
    struct dd *dd = s->dd;
    bdd image = BDD_FALSE, before = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &image);
    dd_protect(dd, &before); /* or its number could be used again, and compare equal */
    do {
        before = *set;
        for (uint32_t i = 0; i < s->e.cluster_count; i++) {
            image = dd_image(dd, s->e.every_cluster[i], *set, direction);
            image = dd_and(dd, image, within);
            *set = dd_or(dd, *set, image);
        }
        s->statistics->post_images += direction == DD_FORWARD;
        s->statistics->pre_images += direction == DD_BACKWARD;
        if (direction == DD_FORWARD) symbolic_note(s, *set, *set);
        image = BDD_FALSE;
        dd_rest(dd);
    } while (before != *set);
    dd_release(dd, mark);
}

bool symbolic_reach(struct symbolic *s)
{
    bool complete = true;
    s->reach = s->e.initial;
    if (s->order == ORDER_BFS) complete = breadth_first(s);
    else if (s->order == ORDER_CHAINING) chain(s, &s->reach, BDD_TRUE, DD_FORWARD);
    else
        s->reach = dd_saturate(s->dd, s->e.every_cluster, s->e.cluster_count, DD_FORWARD,
                               s->e.initial, BDD_TRUE);
    assert(s->e.initial == BDD_FALSE || s->reach != BDD_FALSE);
    symbolic_view(s, s->reach);
    s->all = s->reach;
    s->has_all = complete;
    return complete;
}

/* ---- views ---- */

void symbolic_view(struct symbolic *s, bdd set)
{
    CHECKED(dd_is_now(s->dd, set)); /* 1 */
    s->reach = set;
    s->dead = encode_dead(&s->e, set);
}

void symbolic_view_all(struct symbolic *s)
{
    if (s->has_all) symbolic_view(s, s->all);
    else symbolic_reach(s);
    assert(s->reach == s->all); /* 4: what is looked at is what is reachable */
}

void symbolic_view_ranges(struct symbolic *s)
{
    struct dd *dd = s->dd;
    bdd all = BDD_TRUE, one = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &all, &one);
    for (uint32_t v = 0; v < s->model->vars.len; v++) {
        one = encode_lit(&s->e, bits_in_range(&s->e.bits, v));
        all = dd_and(dd, all, one);
    }
    symbolic_view(s, all);
    dd_release(dd, mark);
}

/* ---- steps in temporal logic ---- */

bdd symbolic_step(struct symbolic *s, bdd set, enum dd_direction direction)
{
    struct dd *dd = s->dd;
    bdd image = BDD_FALSE, stay = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    s->statistics->post_images += direction == DD_FORWARD;
    s->statistics->pre_images += direction == DD_BACKWARD;
    dd_keep(dd, &set, &image, &stay);
    image = encode_step(&s->e, set, direction);
    if (direction == DD_BACKWARD) image = dd_and(dd, image, s->reach);
    stay = dd_and(dd, set, s->dead);
    image = dd_or(dd, image, stay);
    dd_release(dd, mark);
    return image;
}

/* Without saturation: step by step from what is new. */
static bdd closure_by_steps(struct symbolic *s, bdd set, bdd within, enum dd_direction direction)
{
    struct dd *dd = s->dd;
    bdd all = set, frontier = set, image = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &within, &all, &frontier, &image);
    while (frontier != BDD_FALSE) {
        image = encode_step(&s->e, frontier, direction);
        s->statistics->post_images += direction == DD_FORWARD;
        s->statistics->pre_images += direction == DD_BACKWARD;
        image = dd_and(dd, image, within);
        frontier = dd_diff(dd, image, all);
        all = dd_or(dd, all, frontier);
        image = BDD_FALSE;
        dd_rest(dd);
    }
    dd_release(dd, mark);
    return all;
}

bdd symbolic_closure(struct symbolic *s, bdd set, bdd within, enum dd_direction direction)
{
    if (s->order == ORDER_SATURATION)
        return dd_saturate(s->dd, s->e.every_cluster, s->e.cluster_count, direction, set, within);
    if (s->order != ORDER_CHAINING) return closure_by_steps(s, set, within, direction);
    uint32_t mark = dd_mark(s->dd);
    dd_keep(s->dd, &set, &within);
    chain(s, &set, within, direction);
    dd_release(s->dd, mark);
    return set;
}

bdd symbolic_condition(struct symbolic *s, expr e, bool *fails)
{
    struct dd *dd = s->dd;
    lit failing, holds = bits_condition(&s->e.bits, e, &failing);
    bdd value = BDD_FALSE, bad = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &value, &bad);
    value = encode_lit(&s->e, holds);
    bad = encode_lit(&s->e, failing);
    value = dd_diff(dd, value, bad);
    value = dd_and(dd, value, s->reach);
    bad = dd_and(dd, bad, s->reach);
    *fails = bad != BDD_FALSE;
    CHECKED(dd_is_now(dd, value)); /* 1 */
    dd_release(dd, mark);
    return value;
}
