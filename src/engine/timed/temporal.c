/* LTL on the graph of all pairs of discrete states and zones, each kept once (no inclusion): a run
 * of the model that takes steps for ever visits the same discrete states as a way through this
 * graph, and the other way round (Tripakis, Yovine, Bouajjani 2005; with lower and upper bounds Li
 * 2009). Runs in which infinitely many steps take a finite time count. A stuck valuation repeats
 * for ever; the bounds of zones are then exact for being stuck (timed.c).
 *
 * Evidence is a lasso of pairs. It is dated once around its loop: later rounds exist, but may have
 * other delays, because zones come back, not valuations. */
#include "engine/timed/search.h"
#include "graph/temporal.h"

#include <setjmp.h>
#include <string.h>

/* ---- the graph ---- */

static bool go_on(void *context)
{
    struct search *search = context;
    search->poll_in = 0;
    return zsearch_poll(search);
}

/* Only successors are needed. */
static void borrow_edges(struct search *search, struct kripke *kripke)
{
    struct search_edges *edges = &search->edges;
    *kripke = (struct kripke){.mem = search->model->mem,
                              .states = search->cluster->nodes.count,
                              .initial = search->result->initial_states,
                              .first_next = edges->first,
                              .next.low = edges->to,
                              .go_on = go_on,
                              .context = search};
    edges->first[kripke->states] = edges->count;
}

static uint64_t *true_states(void *context, expr atom, bool *failed)
{
    struct search *search = context;
    struct mem *mem = search->model->mem;
    uint32_t code = program_compile(&search->program, atom);
    uint64_t *discrete =
        mem_try_alloc(mem, (search->cluster->nodes.discrete.count / 64 + 1) * sizeof *discrete);
    uint64_t *set = mem_try_alloc(mem, (search->cluster->nodes.count / 64 + 1) * sizeof *set);
    *failed = false;
    for (uint64_t d = 0; discrete && set && !*failed && d < search->cluster->nodes.discrete.count;
         d++) {
        int64_t value;
        zsearch_load_discrete(search, (uint32_t)d);
        *failed = !program_run(&search->program, code, search->words, &value);
        if (!*failed && value) kripke_put(discrete, d);
    }
    bool good = discrete && set && !*failed;
    for (uint64_t n = 0; good && n < search->cluster->nodes.count; n++)
        if (kripke_in(discrete, search->cluster->nodes.list[n].discrete)) kripke_put(set, n);
    mem_free(mem, discrete);
    if (!good) mem_free(mem, set);
    return good ? set : NULL;
}

/* ---- evidence ---- */

/* A rule that leads from one pair to another, or MODEL_NONE. */
static uint32_t rule_between(struct search *search, uint32_t from, uint32_t to)
{
    const struct node *target = &search->cluster->nodes.list[to];
    bool good = zsearch_enter(search, from);
    for (uint32_t i = 0; good && i < search->enabled_count; i++) {
        if (!moves_can_begin(&search->moves, search->rules[i].rule)) continue;
        good = zsearch_resolve(search, i);
        if (!good || search->enabled[i].discrete != target->discrete) continue;
        enum moves_result begun =
            moves_begin(&search->moves, &search->rules[i], search->rules, search->enabled_count);
        good = begun != MOVES_REFUSED;
        while (begun == MOVES_ZONE && moves_next(&search->moves)) {
            uint32_t zone;
            good = zones_intern(&search->cluster->nodes.zones, &search->moves.next, &zone)
                   != ZONES_REFUSED;
            if (good && zone == target->zone) return search->rules[i].rule;
        }
    }
    if (!good) mem_refuse(search->model->mem);
    return MODEL_NONE;
}

/* A stuck pair repeats for ever, so a path that takes such a step says nothing new from there
 * on. */
static void cut_repetition(struct search *search, struct kripke_path *path)
{
    for (uint32_t i = 0; i + 1 < path->states.len; i++) {
        const uint32_t state = (uint32_t)path->states.data[i];
        if (state != path->states.data[i + 1] || rule_between(search, state, state) != MODEL_NONE)
            continue;
        path->states.len = i + 1;
        path->loop = i;
    }
}

static struct trace *trace_of_path(struct search *search, struct kripke_path *path)
{
    cut_repetition(search, path);
    uint32_t steps = path->states.len - 1, last = (uint32_t)path->states.data[steps];
    struct trace *trace = trace_new(search->model, steps);
    zsearch_load_discrete(search, search->cluster->nodes.list[path->states.data[0]].discrete);
    layout_unpack(&search->layout, search->model, search->words, trace->initial);
    for (uint32_t i = 0; i < steps; i++) {
        trace->rules[i] = rule_between(search, (uint32_t)path->states.data[i],
                                       (uint32_t)path->states.data[i + 1]);
        if (trace->rules[i] == MODEL_NONE)
            search->result->broken = "no rule leads from a symbolic state to its successor";
    }
    trace->loop = path->loop;
    trace->rules[steps] = rule_between(search, last, (uint32_t)path->states.data[path->loop]);
    if (search->result->broken) return trace;
    if (trace->rules[steps] != MODEL_NONE) zsearch_date(search, trace, NULL, 0);
    else if (!zsearch_enter(search, last) || !zsearch_date_stuck(search, trace))
        mem_refuse(search->model->mem);
    return trace;
}

/* ---- properties ---- */

static void show_violation(struct search *search, struct temporal *temporal,
                           struct property_result *entry)
{
    struct mem *mem = search->model->mem;
    const struct mem_lift before =
        mem_lift(mem); /* what was found must not be lost to the limit on the search */
    entry->verdict = VERDICT_VIOLATED;
    entry->trace = trace_of_path(search, &temporal->path);
    mem_lower(mem, before);
}

static void check(struct search *search, struct kripke *kripke, struct property_result *entry)
{
    struct temporal temporal = {.model = search->model,
                                .kripke = kripke,
                                .atom = true_states,
                                .context = search,
                                .path.loop = MODEL_NONE};
    struct mem *mem = search->model->mem;
    const struct mem_lift before = {mem->limit, mem->lifted};
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (setjmp(recover)) { /* what the search has found so far must not be lost: this property stays
                              unknown, or loses its trace */
        mem->recover = outer;
        mem_lower(mem, before);
        entry->trace = NULL;
        if (search->result->stop == STOP_NONE) search->result->stop = result_why_refused();
        entry->reason = stop_reason_text[result_why_refused()];
        return;
    }
    mem->recover = &recover;
    switch (ltl_check(&temporal, entry->property->root)) {
    case TEMPORAL_HOLDS: entry->verdict = VERDICT_HOLDS; break;
    case TEMPORAL_VIOLATED: show_violation(search, &temporal, entry); break;
    case TEMPORAL_REFUSED:
        if (search->result->stop == STOP_NONE) search->result->stop = STOP_MEMORY;
        entry->reason = stop_reason_text[search->result->stop];
        break;
    case TEMPORAL_FAILED: entry->reason = result_cannot_evaluate; break;
    case TEMPORAL_BEYOND: entry->reason = temporal.reason; break;
    }
    vec_free(mem, &temporal.path.states);
    mem->recover = outer;
}

void temporal_check_all(struct search *search)
{
    struct result *result = search->result;
    struct kripke kripke;
    if (!search->edges.wanted || result->stop != STOP_NONE || !search->cluster
        || !search->cluster->nodes.count)
        return;
    borrow_edges(search, &kripke);
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        struct property_result *entry = &search->task->properties[i];
        if (entry->in_each_state || entry->kind != PROPERTY_LTL
            || entry->verdict != VERDICT_UNKNOWN)
            continue;
        search->phase = entry->property->name;
        if (search->task->stop_at_first
            && result_overall(search->task->properties, search->task->property_count)
                   == VERDICT_VIOLATED) {
            result->stop = STOP_FIRST;
            entry->reason = stop_reason_text[STOP_FIRST];
            continue;
        }
        if (result->stop == STOP_NONE || result->stop == STOP_MEMORY) check(search, &kripke, entry);
        else entry->reason = stop_reason_text[result->stop];
    }
    search->phase = NULL;
}
