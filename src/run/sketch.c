#include "run/sketch.h"

#include "engine/explicit/explicit.h"
#include "engine/timed/timed.h"
#include "run/deadline.h"
#include "search/search.h"

#include <assert.h>
#include <string.h>

static void add_state(void *context, uint64_t state, const int64_t *values, const char *zone)
{
    struct sketch *sketch = context;
    struct mem *mem = sketch->model->mem;
    const uint32_t vars = sketch->model->vars.len;
    if (state >= SKETCH_STATES) {
        sketch->is_large = true;
        atomic_store(&sketch->enough, 1);
        return;
    }
    assert(state == sketch->zones.len); /* they come in the order of their numbers */
    for (uint32_t v = 0; v < vars; v++) vec_push(mem, &sketch->values, values[v]);
    struct text words;
    text_init(&words, mem);
    text_add(&words, "%s", zone);
    vec_push(mem, &sketch->zones, words.data);
}

static void add_edge(void *context, uint64_t from, uint32_t rule, uint64_t to)
{
    struct sketch *sketch = context;
    struct mem *mem = sketch->model->mem;
    if (sketch->is_large || sketch->edges.len >= SKETCH_EDGES) sketch->is_large = true;
    else if (from == SET_NONE) vec_push(mem, &sketch->initial, (uint32_t)to);
    else vec_push(mem, &sketch->edges, ((struct sketch_edge){(uint32_t)from, rule, (uint32_t)to}));
}

static void run(struct task *task, const void *context, struct result *result)
{
    const struct search_graph *graph = context;
    const struct sketch *sketch = graph->context;
    if (sketch->has_zones) timed_run(task, graph, result);
    else explicit_run(task, graph, result);
}

bool sketch_make(struct sketch *sketch, struct session *session, const struct result *searched)
{
    struct model *model = session->model;
    struct place place;
    struct result result;
    bool timed = model_is_timed(model);
    *sketch = (struct sketch){.model = model, .has_zones = timed};
    if (!searched->all_states || searched->exact.states || searched->bounded || session->shown
        || searched->states > SKETCH_STATES || (timed && timed_refuses(model, &place)))
        return false;
    struct search_graph graph = {add_state, add_edge, sketch};
    struct task task = {.model = model,
                        .zones = ZONES_EQUAL, /* otherwise it would not be a graph */
                        .interrupted = &sketch->enough};
    deadline_run(&task, &result, timed ? "timed" : "explicit", run, &graph);
    return result.complete && !sketch->is_large;
}

void sketch_free(struct sketch *sketch)
{
    struct mem *mem = sketch->model->mem;
    for (uint32_t i = 0; i < sketch->zones.len; i++) mem_free(mem, (char *)sketch->zones.data[i]);
    vec_free(mem, &sketch->values);
    vec_free(mem, &sketch->zones);
    vec_free(mem, &sketch->edges);
    vec_free(mem, &sketch->initial);
}
