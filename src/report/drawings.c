#include "report/drawings.h"

#include "context/observer.h"
#include "lang/cdl/cdl.h"
#include "result/value.h"
#include "run/guideload.h"
#include "run/sketch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN_STATES = 400 }; /* an automaton with more is no picture */

static void begin(struct out *json, const char *name, const char *kind, const char *variable)
{
    out_open(json, '{');
    out_key(json, "name");
    out_string(json, name);
    out_key(json, "kind");
    out_string(json, kind);
    out_key(json, "variable");
    out_string(json, variable);
}

static void put_edge(struct out *json, uint32_t from, uint32_t to, const char *label)
{
    out_open_inline(json, '[');
    out_uint(json, from);
    out_uint(json, to);
    out_string(json, label);
    out_close(json, ']');
}

static void put_state(struct out *json, const char *name, int64_t number, const char *mark,
                      const char *words)
{
    out_open_inline(json, '[');
    if (name) out_string(json, name);
    else out_int(json, number);
    out_string(json, mark);
    if (words) out_string(json, words);
    out_close(json, ']');
}

/* ---- automata whose states have no names ---- */

/* A state is called by what may follow: that is where a scenario or a guide stands. */
struct unnamed {
    const uint32_t *first_edge, *edge_label, *edge_to;
    uint32_t states, first; /* the value of the first state */
    const char *(*label)(const void *owner, uint32_t number);
    const void *owner;
};

static void say_next(const struct unnamed *automaton, uint32_t state, struct text *words)
{
    const uint32_t begin = automaton->first_edge[state], end = automaton->first_edge[state + 1];
    for (uint32_t e = begin; e < end; e++) {
        const char *label = automaton->label(automaton->owner, automaton->edge_label[e]);
        bool is_new = true;
        for (uint32_t k = begin; k < e; k++)
            is_new &= automaton->edge_label[k] != automaton->edge_label[e];
        if (is_new) text_add(words, "%s%s", words->len ? " / " : "", label);
    }
    if (!words->len) text_add(words, "end");
}

static void put_unnamed(struct out *json, struct mem *mem, const struct unnamed *automaton)
{
    out_key(json, "states");
    out_open(json, '[');
    for (uint32_t s = 0; s < automaton->states; s++) {
        struct text words;
        text_init(&words, mem);
        say_next(automaton, s, &words);
        const bool ends = automaton->first_edge[s] == automaton->first_edge[s + 1];
        put_state(json, NULL, (int64_t)automaton->first + s, ends ? "final" : NULL, words.data);
        text_free(&words);
    }
    out_close(json, ']');
    out_key(json, "edges");
    out_open(json, '[');
    for (uint32_t s = 0; s < automaton->states; s++)
        for (uint32_t e = automaton->first_edge[s]; e < automaton->first_edge[s + 1]; e++)
            put_edge(json, s, automaton->edge_to[e],
                     automaton->label(automaton->owner, automaton->edge_label[e]));
    out_close(json, ']');
}

static const struct model_process *find_process(const struct model *model, enum process_role role,
                                                const char *name)
{
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        if (process->role == role && (!name || !strcmp(process->name, name))
            && process->location != MODEL_NONE)
            return process;
    }
    return NULL;
}

/* ---- contexts ---- */

static const char *event_name(const void *owner, uint32_t number)
{
    return ((const struct context *)owner)->events.data[number].name;
}

static void put_scenario(struct out *json, const struct model *model, const struct context *context)
{
    const struct dag *dag = &context->scenario;
    const struct model_process *process = find_process(model, ROLE_CONTEXT, NULL);
    if (!context->has_scenario || !process || dag->states > DRAWN_STATES) return;
    begin(json, context->name, "context", model->vars.data[process->location].name);
    put_unnamed(json, model->mem,
                &(struct unnamed){dag->first_edge, dag->edge_label, dag->edge_to, dag->states, 0,
                                  event_name, context});
    out_close(json, '}');
}

static const char *interaction_name(const void *owner, uint32_t number)
{
    return ((const struct guideload_picture *)owner)->interactions[number];
}

static void put_guide(struct out *json, const struct session *session)
{
    const struct guideload_picture *picture = session->picture;
    if (!picture) return;
    begin(json, picture->name, "guide", picture->variable);
    put_unnamed(json, session->mem,
                &(struct unnamed){picture->first_edge, picture->edge_label, picture->edge_to,
                                  picture->states, 1, interaction_name, picture});
    out_close(json, '}');
}

static const char *mark_of(const struct observer *observer, uint32_t state)
{
    if (state == observer->bad) return observer->is_restriction ? "cut" : "bad";
    if (state == observer->goal) return "final";
    for (uint32_t i = 0; i < observer->pending.len; i++)
        if (observer->pending.data[i] == state) return "pending";
    return NULL;
}

static void put_observer(struct out *json, const struct session *session,
                         const struct observer *observer)
{
    const struct model *model = session->model;
    const struct observer_words words = {session->context, &model->exprs, model->ticks,
                                         cdl_predicate_name, session->cdl};
    const struct model_process *process = find_process(model, ROLE_OBSERVER, observer->name);
    if (!process) return;
    begin(json, observer->name, observer->is_restriction ? "restriction" : "observer",
          model->vars.data[process->location].name);
    out_key(json, "states");
    out_open(json, '[');
    for (uint32_t s = 0; s < observer->states.len; s++)
        put_state(json, observer->states.data[s], s, mark_of(observer, s), NULL);
    out_close(json, ']');
    out_key(json, "edges");
    out_open(json, '[');
    for (uint32_t e = 0; e < observer->edges.len; e++) {
        const struct observer_edge *edge = &observer->edges.data[e];
        char *label = NULL;
        size_t size = 0;
        FILE *memory = open_memstream(&label, &size);
        if (memory) observer_label(observer, &words, e, memory);
        if (memory) fclose(memory);
        put_edge(json, edge->from, edge->to, label);
        free(label);
    }
    out_close(json, ']');
    out_close(json, '}');
}

/* ---- processes ---- */

/* The location that a step of the rule ends in: a constant that it stores, or that its code sets
 * once and for all. False: that is computed. */
static bool find_target(const struct model *model, const struct model_rule *rule, uint32_t var,
                        int64_t *to)
{
    const struct expr_node *found = NULL;
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        if (store->var == var && store->provisional) return false;
        if (store->var == var) found = expr_get(&model->exprs, store->value);
    }
    for (statement at = rule->body; !found && !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        if (node->op == CODE_SET && !node->target.local && node->target.base == var
            && node->target.count == 1)
            found = expr_get(&model->exprs, node->value);
    }
    if (!found || found->op != EXPR_CONST) return false;
    *to = found->value;
    return true;
}

/* The place of a value among the locations of the process; MODEL_NONE: it is none. */
static uint32_t location_at(const struct model *model, const struct model_process *process,
                            int64_t value)
{
    for (uint32_t l = 0; l < process->locations; l++)
        if (model->locations.data[process->first_location + l].value == value) return l;
    return MODEL_NONE;
}

/* The edge of a rule in the automaton of a process. False: it has none there, or, with *is_open,
 * one that cannot be told. */
static bool find_edge(const struct model *model, uint32_t p, uint32_t r, uint32_t *from,
                      uint32_t *to, bool *is_open)
{
    const struct model_process *process = &model->processes.data[p];
    const struct model_rule *rule = &model->rules.data[r];
    const uint32_t var = process->location;
    const bool moves = model_writes(model, rule, var);
    int64_t here, there;
    *is_open = false;
    if (!model_takes_part(model, r, p)) return false;
    if (!model_rule_requires(model, r, var, &here)) return *is_open = moves, false;
    if (!moves) there = here;
    else if (!find_target(model, rule, var, &there)) return *is_open = true, false;
    *from = location_at(model, process, here);
    *to = location_at(model, process, there);
    return *from != MODEL_NONE && *to != MODEL_NONE;
}

/* Whether every step of the process says from where to where it leads. */
static bool is_drawn(const struct model *model, uint32_t p)
{
    const struct model_process *process = &model->processes.data[p];
    uint32_t from, to;
    bool is_open = process->role != ROLE_SYSTEM || process->location == MODEL_NONE
                   || process->locations < 2 || process->locations > DRAWN_STATES;
    for (uint32_t r = 0; r < model->rules.len && !is_open; r++)
        find_edge(model, p, r, &from, &to, &is_open);
    return !is_open;
}

static void put_process(struct out *json, const struct model *model, uint32_t p)
{
    const struct model_process *process = &model->processes.data[p];
    uint32_t from, to;
    bool is_open;
    if (!is_drawn(model, p)) return;
    begin(json, process->name, "process", model->vars.data[process->location].name);
    out_key(json, "states");
    out_open(json, '[');
    for (uint32_t l = 0; l < process->locations; l++) {
        const struct model_location *location = &model->locations.data[process->first_location + l];
        put_state(json, location->name, location->value, location->is_urgent ? "urgent" : NULL,
                  NULL);
    }
    out_close(json, ']');
    out_key(json, "edges");
    out_open(json, '[');
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (find_edge(model, p, r, &from, &to, &is_open))
            put_edge(json, from, to, model->rules.data[r].label);
    out_close(json, ']');
    out_key(json, "initial");
    out_uint(json, location_at(model, process, model->vars.data[process->location].init));
    out_close(json, '}');
}

void drawings_automata(struct out *json, const struct session *session)
{
    enum { DRAWN_PROCESSES = 60, DRAWN_RULES = 5000 };
    const struct model *model = session->model;
    const struct context *context = session->context;
    out_key(json, "automata");
    out_open(json, '[');
    if (context) put_scenario(json, model, context);
    put_guide(json, session);
    for (uint32_t i = 0; context && i < context->observers.len; i++)
        put_observer(json, session, &context->observers.data[i]);
    if (model->processes.len <= DRAWN_PROCESSES && model->rules.len <= DRAWN_RULES)
        for (uint32_t p = 0; p < model->processes.len; p++) put_process(json, model, p);
    out_close(json, ']');
}

/* ---- the state graph ---- */

static void put_graph(struct out *json, const struct sketch *sketch, bool raw)
{
    const struct model *model = sketch->model;
    out_open(json, '{');
    out_key(json, "states");
    out_open(json, '[');
    for (uint32_t s = 0; s < sketch->zones.len; s++) {
        const int64_t *values = sketch->values.data + (size_t)s * model->vars.len;
        out_open_inline(json, '[');
        for (struct shown at = shown_first(model, raw); at.cells; at = shown_next(model, raw, &at))
            value_json(json, model, raw, &at, values);
        out_close(json, ']');
    }
    out_close(json, ']');
    out_key(json, "edges");
    out_open(json, '[');
    for (uint32_t e = 0; e < sketch->edges.len; e++) {
        const struct sketch_edge *edge = &sketch->edges.data[e];
        out_open_inline(json, '[');
        out_uint(json, edge->from);
        out_uint(json, edge->to);
        out_uint(json, edge->rule);
        out_close(json, ']');
    }
    out_close(json, ']');
    out_key(json, "initial");
    out_open_inline(json, '[');
    for (uint32_t i = 0; i < sketch->initial.len; i++) out_uint(json, sketch->initial.data[i]);
    out_close(json, ']');
    out_key(json, "zones");
    if (sketch->has_zones) {
        out_open(json, '[');
        for (uint32_t s = 0; s < sketch->zones.len; s++) out_string(json, sketch->zones.data[s]);
        out_close(json, ']');
    } else out_null(json);
    out_close(json, '}');
}

void drawings_graph(struct out *json, struct session *session, const struct result *result,
                    bool raw)
{
    struct sketch sketch;
    bool good = sketch_make(&sketch, session, result);
    out_key(json, "graph");
    if (good) put_graph(json, &sketch, raw);
    else out_null(json);
    sketch_free(&sketch);
}
