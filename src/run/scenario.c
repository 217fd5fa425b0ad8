#include "run/scenario.h"

#include "automaton/dot.h"
#include "automaton/activity/paths.h"

#include <assert.h>

bool scenario_read(struct session *session, uint32_t index, struct scenario *scenario)
{
    const struct ask *ask = session->ask;
    *scenario = (struct scenario){
        .context = cdl_outline(session->cdl, index, ask->defines.data, ask->defines.len)};
    return scenario->context;
}

void scenario_measure(struct session *session, struct scenario *scenario)
{
    const struct context *context = scenario->context;
    const struct dag *dag = &context->scenario;
    assert(dag->states > 0); /* the empty scenario has a state, too */
    uint32_t *steps = mem_alloc(session->mem, dag->states * sizeof *steps);
    dag_heights(dag, steps);
    scenario->longest = steps[0];
    dag_shortest(dag, steps);
    scenario->shortest = steps[0];
    mem_free(session->mem, steps);
    scenario->reached_future =
        context->has_scenario ? context->orders.rows[context->orders.best].metric : 1;
    if (!paths_count(dag, &scenario->words)) mem_refuse(session->mem);
    scenario->digits = natural_digits(session->mem, &scenario->words);
    if (!scenario->digits) mem_refuse(session->mem);
}

static const char *label_of(void *data, uint32_t label)
{
    return ((const struct context *)data)->events.data[label].name;
}

void scenario_draw(struct session *session, const struct scenario *scenario, FILE *file)
{
    const struct context *context = scenario->context;
    struct text text;
    text_init(&text, session->mem);
    if (!dot_print(&text, &context->scenario, context->name, label_of, (void *)context, 0))
        mem_refuse(session->mem);
    fputs(text.data, file);
    text_free(&text);
}
