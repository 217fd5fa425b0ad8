#include "engine/bounded/phases.h"

#include <assert.h>
#include <string.h>

enum { LONGEST_CHAIN = 16 };

/* Where a safe rule leads its process: from a location to a location; MODEL_NONE: from anywhere, to
 * it is not known where. */
struct move {
    uint32_t from, to;
};

static uint32_t location_index(const struct model *model, uint32_t process, int64_t value)
{
    const struct model_process *p = &model->processes.data[process];
    for (uint32_t l = 0; l < p->locations; l++)
        if (model->locations.data[p->first_location + l].value == value) return l;
    return MODEL_NONE;
}

static struct move move_of(const struct model *model, uint32_t process, uint32_t r)
{
    const struct model_rule *rule = &model->rules.data[r];
    struct move move = {MODEL_NONE, MODEL_NONE};
    int64_t value;
    if (process_model_location(model, r, process, &value))
        move.from = location_index(model, process, value);
    move.to = move.from;
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        const struct expr_node *node = expr_get(&model->exprs, store->value);
        if (store->var == model->processes.data[process].location)
            move.to =
                node->op == EXPR_CONST ? location_index(model, process, node->value) : MODEL_NONE;
    }
    return move;
}

/* How many safe rules a process can take in a row without coming to a location again; a rule that
 * stays where it is counts once. Rules that look at no location are taken to stay, too. Circles
 * through several locations are cut by the number of locations, which may be a little too much. */
static uint32_t longest_chain(const struct phases *phases, const struct model *model,
                              uint32_t process)
{
    uint32_t locations = model->processes.data[process].locations, longest = 0, most = 0;
    uint32_t *chain = mem_alloc(
        phases->mem, (locations + UINT64_C(1))
                         * sizeof *chain); /* from each location; the last entry: from anywhere */
    bool *stays = mem_alloc(phases->mem, locations + UINT64_C(1)),
         *leaves = mem_alloc(phases->mem, locations + UINT64_C(1));
    for (unsigned round = 0; round < LONGEST_CHAIN; round++)
        for (uint32_t r = 0; r < model->rules.len; r++) {
            if (phases->processes.rules[r].process != process) continue;
            struct move move = move_of(model, process, r);
            uint32_t from = move.from < locations ? move.from : locations;
            if (move.to == move.from || from == locations) {
                if (!stays[from]) chain[from]++;
                stays[from] = true;
            } else {
                uint32_t length = 1 + stays[from] + (move.to < locations ? chain[move.to] : 0);
                if (length > chain[from]) chain[from] = length;
                leaves[from] = true;
            }
        }
    for (uint32_t l = 0; l <= locations; l++) {
        if (chain[l] > longest) longest = chain[l];
        most += (uint32_t)stays[l] + leaves[l];
    }
    mem_free(phases->mem, chain);
    mem_free(phases->mem, stays);
    mem_free(phases->mem, leaves);
    assert(most <= 2 * (locations + UINT64_C(1)));
    return longest < most ? longest : most;
}

void phases_init(struct phases *phases, struct model *model, const bool *visible,
                 const struct task *task)
{
    memset(phases, 0, sizeof *phases);
    phases->mem = model->mem;
    phases->sets = task->reduction == REDUCE_STEPS;
    phases->per_process =
        mem_alloc(phases->mem, (model->processes.len + UINT64_C(1)) * sizeof *phases->per_process);
    if (phases->sets && !(task->has_phase ? task->phase : task->phase_auto))
        return; /* sets of rules alone, unless safe steps were asked for too */
    process_model_init(&phases->processes, model, visible);
    phases->in_use = true;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        uint32_t chain = longest_chain(phases, model, p);
        phases->per_process[p] = !chain ? 0 : task->has_phase ? task->phase : chain;
        phases->safe_steps += phases->per_process[p];
        if (phases->sets && phases->per_process[p] > phases->rounds)
            phases->rounds = phases->per_process[p];
    }
    assert(phases->rounds <= phases->safe_steps);
}

void phases_release(struct phases *phases)
{
    if (phases->in_use) process_model_release(&phases->processes);
    mem_free(phases->mem, phases->per_process);
}

void phases_schedule(const struct phases *phases, struct schedule *schedule)
{
    schedule->sets = phases->sets;
    if (!phases->in_use) return;
    schedule->processes = &phases->processes;
    schedule->safe_steps = phases->per_process;
    schedule->rounds = phases->rounds;
}
