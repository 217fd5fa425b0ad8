#include "engine/timed/roam.h"

#include "base/clock.h"
#include "base/limits.h"
#include "model/eval.h"

#include <assert.h>
#include <string.h>

void roam_init(struct roam *roam, struct task *task, struct result *result, bool exact, bool equal)
{
    struct model *model = task->model;
    *roam = (struct roam){.task = task, .mem = model->mem, .keeps_edges = equal, .at = ROAM_NONE};
    roam->started = clock_now();
    if (!zoned_init(&roam->zoned, model, result, exact)) mem_refuse(roam->mem);
    roam->zoned.storage = equal ? ZONES_EQUAL : ZONES_BY_INCLUSION;
}

void roam_open(struct roam *roam)
{
    const struct layout *layout = &roam->zoned.space.layout;
    roam->size = layout->words + 1;
    roam->words = mem_alloc(roam->mem, roam->size * sizeof *roam->words);
    roam->is_open = true;
    const uint32_t bytes = (uint32_t)(roam->size * sizeof *roam->words);
    const struct layout whole = {.record_bytes = bytes, .key_bytes = bytes}; /* with its tag */
    if (!worker_open(&roam->worker, &roam->zoned.space, roam->mem, true)
        || !nodes_init(&roam->nodes, roam->mem, &whole, roam->zoned.storage, &roam->work))
        mem_refuse(roam->mem);
    roam->has_nodes = true;
}

void roam_release(struct roam *roam)
{
    if (roam->has_nodes) nodes_release(&roam->nodes);
    nodes_release_work(&roam->work, roam->mem);
    if (roam->is_open) worker_close(&roam->worker);
    zoned_release(&roam->zoned);
    mem_free(roam->mem, roam->words);
    vec_free(roam->mem, &roam->parents);
    vec_free(roam->mem, &roam->vias);
    vec_free(roam->mem, &roam->edges);
    vec_free(roam->mem, &roam->spans);
}

enum stop_reason roam_stops(const struct roam *roam)
{
    const struct task *task = roam->task;
    if ((task->interrupted && *task->interrupted) || limits_enough()) return STOP_INTERRUPT;
    if (task->max_seconds > 0 && clock_now() - roam->started > task->max_seconds) return STOP_TIME;
    return STOP_NONE;
}

/* ---- states ---- */

void roam_enter_words(struct roam *roam, const uint64_t *words)
{
    struct worker *worker = &roam->worker;
    struct zoned_worker *own = zoned_of(worker);
    const struct layout *layout = &worker->space->layout;
    uint32_t built;
    batch_clear(&worker->batch);
    memcpy(worker->words, words, layout->words * sizeof *words);
    const uint64_t hash = store_hash(worker->words, layout->key_bytes);
    if (!zoned_begin(worker, SET_NONE) || !zoned_build(worker, worker->words, hash, &built))
        mem_refuse(roam->mem);
    own->source = built;
    own->moves.config = zoned_config(worker, built);
    if (!moves_reserve(&own->moves, own->moves.config.count) || !zoned_list(worker, NULL))
        mem_refuse(roam->mem);
}

uint64_t roam_enter(struct roam *roam, uint32_t node)
{
    const uint64_t *words = store_get(&roam->nodes.discrete, nodes_discrete_of(&roam->nodes, node));
    memcpy(roam->words, words, roam->size * sizeof *words);
    const uint64_t tag = roam->words[roam->size - 1];
    roam_enter_words(roam, roam->words);
    roam->at = node;
    if (roam->keeps_edges) {
        assert(!roam_is_expanded(roam, node));
        roam->spans.data[node] = (struct roam_span){roam->edges.len, 0, true};
    }
    return tag;
}

void roam_load(struct roam *roam, uint32_t node)
{
    struct moves *moves = &roam_worker(roam)->moves;
    const struct config config = moves->config;
    moves_enter_state(moves, &config, &roam->nodes.zones, nodes_zone_of(&roam->nodes, node));
}

static void add(struct roam *roam, const uint64_t *words, uint64_t tag, uint32_t via)
{
    const uint32_t bytes = (uint32_t)(roam->size * sizeof *words);
    const struct nodes_zone zone = {.dbm = &roam_worker(roam)->moves.next};
    bool is_new;
    uint64_t index;
    memcpy(roam->words, words, (roam->size - 1) * sizeof *words);
    roam->words[roam->size - 1] = tag;
    const uint64_t discrete = nodes_add_discrete(
        &roam->nodes, roam->words, store_hash(roam->words, bytes), CONFIG_NONE, &is_new);
    const enum nodes_result result =
        discrete == STORE_NONE ? NODES_REFUSED : nodes_add(&roam->nodes, discrete, &zone, &index);
    if (result == NODES_REFUSED || index >= ROAM_WAITS) mem_refuse(roam->mem);
    if (result == NODES_NEW) {
        vec_push(roam->mem, &roam->parents, roam->at);
        vec_push(roam->mem, &roam->vias, via);
        if (roam->keeps_edges) vec_push(roam->mem, &roam->spans, ((struct roam_span){0}));
    }
    assert(roam->parents.len == roam_count(roam));
    if (!roam->keeps_edges || roam->at == ROAM_NONE) return;
    vec_push(roam->mem, &roam->edges, ((struct roam_edge){(uint32_t)index, via}));
    roam->spans.data[roam->at].count++;
    assert(roam->spans.data[roam->at].first + roam->spans.data[roam->at].count == roam->edges.len);
}

void roam_add(struct roam *roam, enum moves_result moved, const uint64_t *words, uint64_t tag,
              uint32_t via)
{
    struct moves *moves = &roam_worker(roam)->moves;
    while (moved == MOVES_ZONE && (moved = moves_next(moves)) == MOVES_ZONE)
        add(roam, words, tag, via);
    if (moved == MOVES_REFUSED) mem_refuse(roam->mem);
}

/* ---- steps ---- */

void roam_take_all(struct roam *roam, uint64_t tag)
{
    struct worker *worker = &roam->worker;
    struct zoned_worker *own = zoned_of(worker);
    if (!zoned_ready(worker)) mem_refuse(roam->mem);
    for (uint32_t i = 0; i < own->rule_count; i++) {
        const uint32_t rule = own->moving[i].rule;
        if ((roam->leave_out && roam->leave_out[rule]) || zoned_is_out(worker, i)
            || !moves_can_begin(&own->moves, rule))
            continue;
        if (!zoned_resolve(worker, NULL, i)) mem_refuse(roam->mem);
        const enum moves_result moved =
            moves_begin(&own->moves, &own->moving[i], own->moving, own->rule_count);
        roam_add(roam, moved, batch_words(&own->listed, own->rules[i].listed), tag, rule);
    }
}

void roam_add_initial(struct roam *roam, uint64_t tag)
{
    struct space *space = &roam->zoned.space;
    struct moves *moves = &roam_worker(roam)->moves;
    uint64_t *words = mem_alloc(roam->mem, (space->layout.words + UINT64_C(1)) * sizeof *words);
    roam->at = ROAM_NONE;
    eval_first_initial(space->model, space->initial);
    do {
        layout_pack(&space->layout, space->model, space->initial, words);
        roam_enter_words(roam, words);
        const struct config config = moves->config;
        roam_add(roam, moves_initial(moves, &config), words, tag, ROAM_NONE);
    } while (eval_next_initial(space->model, space->initial));
    mem_free(roam->mem, words);
}
