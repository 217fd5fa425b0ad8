#include "engine/symbolic/partial.h"

#include "base/checked.h"

#include <string.h>

/* ---- relations of processes ---- */

/* Marks in `writes` the pairs that a rule writes. */
static void mark_written(const struct encoding *e, uint32_t r, uint8_t *writes)
{
    const struct dd_relation *relation = &e->rules[r].relation;
    for (uint32_t i = 0; i < relation->written_count; i++) writes[relation->written[i]] = 1;
}

static bool is_chosen(const struct partial *partial, uint32_t r, bool branching)
{
    const struct process_rule *rule = &partial->process_model.rules[r];
    return rule->process != MODEL_NONE && (rule->linear || !branching)
           && partial->s->e.rules[r].enabled != BDD_FALSE;
}

static void make_part(struct partial *partial, uint32_t process, bool branching, uint8_t *writes,
                      uint8_t *own, uint32_t *list)
{
    struct encoding *e = &partial->s->e;
    struct dd *dd = e->dd;
    struct part *part = &partial->parts[partial->count];
    bdd all = BDD_FALSE, one = BDD_FALSE;
    uint32_t rules = partial->s->model->rules.len, written = 0, found = 0, mark = dd_mark(dd);
    memset(writes, 0, e->bits.total);
    for (uint32_t r = 0; r < rules; r++)
        if (partial->process_model.rules[r].process == process && is_chosen(partial, r, branching))
            mark_written(e, r, writes), found++;
    if (!found) return;
    assert(partial->count < partial->s->model->processes.len);
    for (uint32_t p = 0; p < e->bits.total; p++)
        if (writes[p]) list[written++] = p;
    dd_keep(dd, &all, &one);
    for (uint32_t r = 0; r < rules; r++) {
        if (partial->process_model.rules[r].process != process || !is_chosen(partial, r, branching))
            continue;
        one = encode_with_frame(e, r, writes, own);
        all = dd_or(dd, all, one);
        part->alive = dd_or(dd, part->alive, e->rules[r].enabled);
    }
    dd_release(dd, mark);
    partial->count++;
    dd_relation_init(dd, &part->relation, all, list, written);
    uint64_t size = dd_size(dd, part->relation.diagram);
    if (size > partial->largest_part) partial->largest_part = size;
}

void partial_init(struct partial *partial, struct symbolic *s, enum reduction kind,
                  const bool *visible, bool branching)
{
    struct model *model = s->model;
    struct mem *mem = s->mem;
    uint32_t total = s->e.bits.total;
    *partial = (struct partial){.s = s, .kind = kind, .variant = s->task->variant};
    process_model_init(&partial->process_model, model, visible);
    partial->parts = mem_alloc(mem, (model->processes.len + UINT64_C(1)) * sizeof *partial->parts);
    uint8_t *writes = mem_alloc(mem, 2 * (total + UINT64_C(1)));
    uint32_t *list = mem_alloc(mem, (total + UINT64_C(1)) * sizeof *list);
    dd_keep(s->dd, &partial->visited, &partial->full);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        dd_keep(s->dd, &partial->parts[partial->count].alive,
                &partial->parts[partial->count].taken);
        make_part(partial, p, branching, writes, writes + total + 1, list);
    }
    if (partial->largest_part > s->statistics->largest_relation)
        s->statistics->largest_relation = partial->largest_part;
    mem_free(mem, writes);
    mem_free(mem, list);
}

void partial_release(struct partial *partial)
{
    for (uint32_t i = 0; i < partial->count; i++)
        dd_relation_release(partial->s->dd, &partial->parts[i].relation);
    mem_free(partial->s->mem, partial->parts);
    process_model_release(&partial->process_model);
}

/* ---- PartialExploration ----
 *
 * (visited, frontier) is always an F-arrangement (definition 3.1): a reduced model exists in which
 * everything visited and not in the frontier has its successors in visited | frontier. `taken` and
 * `full` say which one. */
struct exploration {
    struct partial *partial;
    struct dd *dd;
    bdd f, visited, frontier;
};

static bdd image(struct exploration *x, struct part *part, bdd set)
{
    x->partial->s->statistics->post_images++;
    return dd_image(x->dd, &part->relation, set, DD_FORWARD);
}

/* One step with the relation of one process, from those states of the frontier that have one
 * (theorem 3.2). */
static void expand_partially(struct exploration *x, struct part *part)
{
    struct dd *dd = x->dd;
    bdd e = BDD_FALSE, image_of = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &e, &image_of);
    e = dd_and(dd, x->frontier, part->alive);
    if (x->partial->variant == 2) e = dd_diff(dd, e, x->visited);
    if (x->partial->variant == 3) e = dd_diff(dd, e, x->partial->full);
    x->visited = dd_or(dd, x->visited, e);
    x->frontier = dd_diff(dd, x->frontier, e);
    e = dd_and(dd, e, x->f);
    part->taken = dd_or(dd, part->taken, e);
    image_of = image(x, part, e);
    if (x->partial->kind == REDUCE_DEADLOCK) image_of = dd_diff(dd, image_of, x->visited);
    x->frontier = dd_or(dd, x->frontier, image_of);
    dd_release(dd, mark);
    symbolic_note(x->partial->s, x->visited, x->frontier);
}

/* Whether visited | frontier is still what it was; *known is brought up to date. */
static bool unchanged(struct exploration *x, bdd *known)
{
    bdd all = dd_or(x->dd, x->visited, x->frontier);
    if (all == *known) return true;
    *known = all;
    dd_rest(x->dd);
    return false;
}

static void phase_1_of_process(struct exploration *x, struct part *part)
{
    bdd known = BDD_FALSE;
    uint32_t mark = dd_mark(x->dd);
    dd_protect(x->dd, &known);
    known = dd_or(x->dd, x->visited, x->frontier);
    do expand_partially(x, part);
    while (!unchanged(x, &known));
    dd_release(x->dd, mark);
}

static void phase_1(struct exploration *x)
{
    bdd known = BDD_FALSE;
    uint32_t mark = dd_mark(x->dd);
    dd_protect(x->dd, &known);
    known = dd_or(x->dd, x->visited, x->frontier);
    do
        for (uint32_t i = 0; i < x->partial->count; i++)
            phase_1_of_process(x, &x->partial->parts[i]);
    while (!unchanged(x, &known));
    dd_release(x->dd, mark);
}

/* Theorem 3.3, with the restriction to F that its algorithm has and the theorem forgets. */
static void expand_fully(struct exploration *x)
{
    struct dd *dd = x->dd;
    struct symbolic *s = x->partial->s;
    bdd set = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &set);
    x->visited = dd_or(dd, x->visited, x->frontier);
    set = dd_and(dd, x->frontier, x->f);
    x->partial->full = dd_or(dd, x->partial->full, set);
    set = encode_step(&s->e, set, DD_FORWARD);
    s->statistics->post_images++;
    x->frontier = dd_diff(dd, set, x->visited);
    dd_release(dd, mark);
    symbolic_note(s, x->visited, x->frontier);
    dd_rest(dd);
}

/* ---- ImProviso (Lerda, Sinha and Theobald 2003), with the states that have no step of the process
 * kept, as the thesis has it ----
 *
 * Two things differ from its Listing 3.2. Phase 1 ends when a round finds no new state: the listing
 * waits until the frontier stays the same, which never happens when safe steps go round in circles.
 * And phase 2 expands with all rules, not only the unsafe ones: then a frontier may still have safe
 * steps. */

static void improviso_process(struct exploration *x, struct part *part, bdd *queue)
{
    struct dd *dd = x->dd;
    bdd left = BDD_FALSE, again = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &left, &again);
    left = dd_diff(dd, x->frontier, part->alive);
    while (x->frontier != BDD_FALSE) {
        *queue = dd_or(dd, *queue, x->frontier);
        x->frontier = image(x, part, x->frontier);
        again = dd_and(dd, *queue, x->frontier); /* it may close a cycle: to be expanded fully */
        left = dd_or(dd, left, again);
        x->frontier = dd_diff(dd, x->frontier, *queue);
        again = dd_diff(dd, x->frontier, part->alive);
        left = dd_or(dd, left, again);
        symbolic_note(x->partial->s, x->visited, x->frontier);
    }
    x->frontier = left;
    dd_release(dd, mark);
    dd_rest(dd);
}

static void improviso(struct exploration *x)
{
    struct dd *dd = x->dd;
    bdd queue = BDD_FALSE, known = BDD_FALSE, old = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &queue, &known, &old);
    while (x->frontier != BDD_FALSE) {
        known = x->frontier;
        do {
            old = known;
            for (uint32_t i = 0; i < x->partial->count; i++)
                improviso_process(x, &x->partial->parts[i], &queue);
            known = dd_or(dd, queue, x->frontier);
        } while (old != known);
        x->visited = dd_or(dd, x->visited, queue);
        x->visited = dd_or(dd, x->visited, x->frontier);
        queue = BDD_FALSE;
        x->frontier = encode_step(&x->partial->s->e, x->frontier, DD_FORWARD);
        x->partial->s->statistics->post_images++;
        x->frontier = dd_diff(dd, x->frontier, x->visited);
        symbolic_note(x->partial->s, x->visited, x->frontier);
        dd_rest(dd);
    }
    dd_release(dd, mark);
}

/* ---- all of it ---- */

bdd partial_explore(struct partial *partial, bdd h, bdd f)
{
    struct dd *dd = partial->s->dd;
    struct exploration x = {partial, dd, f, BDD_FALSE, h};
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &x.f, &x.visited, &x.frontier);
    partial->full = BDD_FALSE;
    for (uint32_t i = 0; i < partial->count; i++) partial->parts[i].taken = BDD_FALSE;
    if (partial->kind == REDUCE_IMPROVISO) improviso(&x);
    while (x.frontier != BDD_FALSE) {
        phase_1(&x);
        expand_fully(&x);
    }
    partial->visited = x.visited;
    CHECKED(dd_is_now(dd, x.visited)); /* 1 */
    dd_release(dd, mark);
    return partial->visited;
}

bdd partial_step(struct partial *partial, bdd set, enum dd_direction direction)
{
    struct symbolic *s = partial->s;
    struct dd *dd = s->dd;
    bool forward = direction == DD_FORWARD;
    bdd sum = BDD_FALSE, one = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &set, &sum, &one);
    sum = forward ? dd_and(dd, set, partial->full) : set;
    sum = encode_step(&s->e, sum, direction);
    if (!forward) sum = dd_and(dd, sum, partial->full);
    for (uint32_t i = 0; i < partial->count; i++) {
        one = forward ? dd_and(dd, set, partial->parts[i].taken) : set;
        one = dd_image(dd, &partial->parts[i].relation, one, direction);
        if (!forward) one = dd_and(dd, one, partial->parts[i].taken);
        sum = dd_or(dd, sum, one);
    }
    s->statistics->post_images += forward;
    s->statistics->pre_images += !forward;
    one = dd_and(dd, set, s->dead);
    sum = dd_or(dd, sum, one);
    dd_release(dd, mark);
    return sum;
}
