/* Temporal properties: the graph of a finished search as arrays of edges, on which graph/ decides
 * them. */
#include "engine/explicit/temporal.h"

#include "search/formulas.h"
#include "search/order.h"

#include <assert.h>

enum { KRIPKE_POLL = 4096 };

/* The steps of a state, which was expanded once more; its successors are known. */
static uint64_t put_steps(struct search *search, struct kripke *kripke, uint64_t at, uint64_t s)
{
    struct worker *worker = search->worker;
    for (uint32_t i = 0; i < worker->batch.step_count; i++) {
        const struct batch_step *step = &worker->batch.steps[i];
        if (search->order->keeps && !search->order->keeps(search, s, step->fast->rule)) continue;
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
        if (s % KRIPKE_POLL == 0 && !formulas_go_on(search)) return false;
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

/* No single state could decide it. */
static bool decides(const struct property_result *entry) { return !entry->in_each_state; }

void temporal_check(struct search *search)
{
    struct kripke kripke = {.go_on = formulas_go_on, .context = search};
    const struct task *task = search->task;
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < task->property_count; i++)
        wanted += decides(&task->properties[i]) && task->properties[i].verdict == VERDICT_UNKNOWN;
    if (!wanted || search->result->stop != STOP_NONE) return;
    search->poll.phase = "the temporal properties";
    const bool built = build_graph(search, &kripke);
    formulas_check(search, &(struct formulas_graph){.kripke = built ? &kripke : NULL,
                                                    .decides = decides,
                                                    .atom = true_states});
    if (built) kripke_release(&kripke);
}
