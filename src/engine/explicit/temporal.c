/* Temporal properties: the graph of a finished search as arrays of edges, on which graph/ decides
 * them. */
#include "engine/explicit/temporal.h"

#include "graph/temporal.h"
#include "search/path.h"
#include "search/twophase.h"

#include <assert.h>

enum { KRIPKE_POLL = 4096 };

static bool go_on(void *context) { return poll_now(context); }

/* A deadlocked state repeats for ever, so a path that takes such a step says nothing new from there
 * on. */
static void cut_repetition(struct search *search, struct kripke_path *path)
{
    for (uint32_t i = 0; i + 1 < path->states.len; i++) {
        const uint64_t state = path->states.data[i];
        if (state != path->states.data[i + 1]
            || path_rule(search, search->set, state, state) != MODEL_NONE)
            continue;
        path->states.len = i + 1;
        path->loop = i;
    }
}

static struct trace *trace_of_path(struct search *search, struct kripke_path *path)
{
    struct path states = {0};
    cut_repetition(search, path);
    assert(path->loop == MODEL_NONE || path->loop < path->states.len);
    for (uint32_t i = 0; i < path->states.len; i++)
        vec_push(search->model->mem, &states.states, path->states.data[i]);
    struct trace *trace = path_trace(search, &states);
    trace->loop = path->loop;
    if (path->loop != MODEL_NONE)
        trace->rules[trace->steps] = path_rule(search, search->set, path->states.data[trace->steps],
                                               path->states.data[path->loop]);
    return trace;
}

/* The steps of a state, which was expanded once more; its successors are known. */
static uint64_t put_steps(struct search *search, struct kripke *kripke, uint64_t at, uint64_t s)
{
    struct worker *worker = search->worker;
    for (uint32_t i = 0; i < worker->batch.step_count; i++) {
        const struct batch_step *step = &worker->batch.steps[i];
        if (search->order == &twophase_order && !twophase_keeps(search, s, step->fast->rule))
            continue;
        uint64_t to = search->set->kind->find(worker, i);
        assert(to < kripke->states);
        numbers_set(&kripke->next, at++, to);
    }
    if (at == kripke->first_next[s]) numbers_set(&kripke->next, at++, s);
    return at;
}

/* Expands every state once more. */
static bool fill_next(struct search *search, struct kripke *kripke, uint64_t edges)
{
    struct worker *worker = search->worker;
    uint64_t at = 0;
    for (uint64_t s = 0; s < kripke->states; s++) {
        if (s % KRIPKE_POLL == 0 && !go_on(search)) return false;
        kripke->first_next[s] = at;
        if (!search->space->kind->expand(worker, search->set, s)) return false;
        at = put_steps(search, kripke, at, s);
        batch_clear(&worker->batch);
    }
    kripke->first_next[kripke->states] = at;
    assert(at == edges);
    return true;
}

static bool build_graph(struct search *search, struct kripke *kripke)
{
    const struct result *result = search->result;
    uint64_t edges = result->transitions + result->deadlocks + result->ends;
    if (!kripke_init(kripke, search->model->mem, search->set->count, result->initial_states, edges))
        return false;
    assert(result->stop == STOP_NONE); /* so every step was counted */
    bool good = fill_next(search, kripke, edges);
    if (good) kripke_transpose(kripke);
    else kripke_release(kripke);
    return good;
}

static uint64_t *true_states(void *context, expr atom, bool *failed)
{
    struct search *search = context;
    struct program *program = &search->space->program;
    uint32_t code = program_compile(program, atom);
    uint64_t *set = mem_try_alloc(search->model->mem, (search->set->count / 64 + 1) * sizeof *set);
    *failed = false;
    for (uint64_t s = 0; set && s < search->set->count; s++) {
        int64_t value;
        search->set->kind->load(search->set, s, search->worker->words);
        if (!program_run(program, code, search->worker->words, &value)) {
            *failed = true;
            mem_free(search->model->mem, set);
            return NULL;
        }
        if (value) kripke_put(set, s);
    }
    return set;
}

static void check_temporal(struct search *search, struct kripke *kripke,
                           struct property_result *entry)
{
    struct temporal temporal = {.model = search->model,
                                .kripke = kripke,
                                .atom = true_states,
                                .context = search,
                                .path.loop = MODEL_NONE};
    bool is_ctl = entry->kind == PROPERTY_CTL;
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
    switch (is_ctl ? ctl_check(&temporal, entry->property->root)
                   : ltl_check(&temporal, entry->property->root)) {
    case TEMPORAL_HOLDS: entry->verdict = VERDICT_HOLDS; break;
    case TEMPORAL_VIOLATED:
        mem_lift(mem);
        entry->verdict = VERDICT_VIOLATED;
        entry->trace = trace_of_path(search, &temporal.path);
        entry->has_end = temporal.has_end;
        entry->end = temporal.end;
        entry->end_value = temporal.end_value;
        mem_lower(mem, before);
        break;
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

/* No single state could decide it, or has. */
static bool is_left(const struct property_result *entry)
{
    return !entry->in_each_state && entry->verdict == VERDICT_UNKNOWN;
}

void temporal_check(struct search *search)
{
    struct result *result = search->result;
    struct kripke kripke = {.go_on = go_on, .context = search};
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < search->task->property_count; i++)
        wanted += is_left(&search->task->properties[i]);
    if (!wanted || result->stop != STOP_NONE) return;
    search->poll.phase = "the temporal properties";
    bool built = build_graph(search, &kripke);
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        struct property_result *entry = &search->task->properties[i];
        if (!is_left(entry)) continue;
        search->poll.phase = entry->property->name;
        if (search->task->stop_at_first
            && result_overall(search->task->properties, search->task->property_count)
                   == VERDICT_VIOLATED) {
            result->stop = STOP_FIRST;
            entry->reason = stop_reason_text[STOP_FIRST];
            continue;
        }
        if (built && (result->stop == STOP_NONE || result->stop == STOP_MEMORY))
            check_temporal(search, &kripke, entry);
        else
            entry->reason =
                stop_reason_text[result->stop == STOP_NONE ? STOP_MEMORY : result->stop];
    }
    if (built) kripke_release(&kripke);
    else if (result->stop == STOP_NONE) result->stop = STOP_MEMORY;
    search->poll.phase = NULL;
}
