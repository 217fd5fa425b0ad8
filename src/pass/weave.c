/* The scenario as a process.
 *
 * Its state is a variable, `context`, that counts the states of the scenario's automaton in
 * their topological order. One table has a row per state and a column per event: where it leads
 * from there, or 0 where it is not possible, which no event leads to. So an event is one rule,
 * however many edges it has, and what a state allows stands together in memory:
 *
 *     send:     table[state, e] > 0 and length < capacity
 *               state := table[state, e]; the message goes behind the last element
 *     receive:  table[state, e] > 0 and the first element matches
 *               state := table[state, e]; the others move up
 *     sync:     the rules of the event get `table[state, e] > 0` as their first condition, and the
 *               assignment; where the event has no edge, they never happen
 *
 * Everything is parallel assignments, without code and without a way to fail: queues are short, and
 * each of their cells is assigned. Lengths change by tables, too, because length + 1 alone would
 * leave the range in the eyes of those who know bounds only. */
#include "pass/weave.h"

#include "base/checked.h"
#include "pass/graft.h"

#include <string.h>

/* The lengths of queues of one capacity after an element was added, or taken. */
struct length_tables {
    uint32_t capacity, up, down;
};

struct edge {
    uint32_t from, to;
};

struct weaving {
    struct model *model;
    struct exprs *exprs;
    const struct context *context;
    uint32_t process, state;
    uint32_t *first; /* [events + 1]: the edges of event e are edges[first[e]] .. edges[first[e + 1]
                        - 1] */
    struct edge *edges;
    uint32_t matrix, columns; /* where events lead: a table with a row per state and a column per
                                 event that has edges */
    uint32_t *column;         /* per event */
    VEC(struct length_tables) lengths;
};

static expr compare(struct weaving *w, enum expr_op op, expr a, int64_t b)
{
    return expr_make(w->exprs, op, 0, a, expr_int(w->exprs, b));
}

/* A name that no process, no observer and no variable has. */
static const char *free_name(const struct weaving *w, const char *wanted)
{
    struct model *model = w->model;
    const char *name = wanted;
    for (unsigned i = 2;; i++) {
        bool taken = false;
        for (uint32_t o = 0; o < w->context->observers.len; o++)
            taken |= !strcmp(w->context->observers.data[o].name, name);
        for (uint32_t p = 0; p < model->processes.len; p++)
            taken |= !strcmp(model->processes.data[p].name, name);
        for (uint32_t v = 0; v < model->vars.len && !taken; v++)
            taken = !strcmp(model->vars.data[v].name, name);
        if (!taken) return name;
        name = names_format(&model->names, "%s%u", wanted, i);
    }
}

/* What the event is called in explanations: its name, and what it is where the name does not say
 * it. */
static uint32_t word_event(struct weaving *w, const struct context_event *event,
                           enum wording_kind kind)
{
    struct names *names = &w->model->names;
    bool says_it = !event->text || !strcmp(event->name, event->text);
    const char *text = says_it ? names_intern(names, event->name, strlen(event->name))
                               : names_format(names, "%s (%s)", event->name, event->text);
    bool has_queue = kind == WORDING_SEND || kind == WORDING_RECEIVE;
    return model_add_wording(w->model,
                             (struct model_wording){kind, text, &event->queue.length, has_queue});
}

/* ---- the process ---- */

/* Which events remain, by the names that the context gives them. */
static const struct model_course *make_course(struct weaving *w)
{
    const struct context *context = w->context;
    const struct dag *dag = &context->scenario;
    struct model *model = w->model;
    const char **labels =
        mem_alloc(model->mem, (context->events.len + UINT64_C(1)) * sizeof *labels);
    for (uint32_t e = 0; e < context->events.len; e++) labels[e] = context->events.data[e].name;
    const struct model_course course = {.states = dag->states,
                                        .first_edge = dag->first_edge,
                                        .edge_label = dag->edge_label,
                                        .labels = labels};
    const struct model_course *made = model_add_course(model, &course, context->events.len);
    mem_free(model->mem, labels);
    return made;
}

static void add_process(struct weaving *w)
{
    struct model *model = w->model;
    const struct context *context = w->context;
    const char *name = free_name(w, "context");
    struct model_process process = {.name = name,
                                    .role = ROLE_CONTEXT,
                                    .type = "context",
                                    .location = model->vars.len,
                                    .first_location = model->locations.len,
                                    .place = context->place};
    struct model_var state = {.name = name,
                              .course = make_course(w),
                              .process = model->processes.len,
                              .high = context->scenario.states - 1,
                              .place = context->place};
    w->process = model->processes.len;
    vec_push(model->mem, &model->processes, process);
    w->state = graft_variable(model, state);
    assert(w->state == process.location);
    model->rank = w->state;
}

/* Where nothing is possible any more, it is the end; elsewhere the scenario may end or go on. */
static expr is_final(struct weaving *w)
{
    const struct dag *dag = &w->context->scenario;
    expr state = model_var_expr(w->model, w->state);
    int32_t *is_end = mem_alloc(w->model->mem, dag->states * sizeof *is_end);
    uint32_t count = 0, last = 0;
    for (uint32_t s = 0; s < dag->states; s++) {
        is_end[s] = dag_is_final(dag, s);
        if (!is_end[s]) continue;
        count++;
        last = s;
    }
    expr result =
        count == 1 ? compare(w, EXPR_EQ, state, last)
                   : compare(w, EXPR_EQ,
                             model_table_entry(
                                 w->model, model_add_table(w->model, is_end, dag->states), state),
                             1);
    mem_free(w->model->mem, is_end);
    return result;
}

/* ---- events ---- */

/* The edges by event. */
static void sort_edges(struct weaving *w)
{
    const struct dag *dag = &w->context->scenario;
    uint32_t events = w->context->events.len;
    w->first = mem_alloc(w->model->mem, (events + UINT64_C(2)) * sizeof *w->first);
    w->edges = mem_alloc(w->model->mem, dag->edges * sizeof *w->edges);
    for (uint32_t i = 0; i < dag->edges; i++) w->first[dag->edge_label[i] + 2]++;
    for (uint32_t e = 0; e < events; e++) w->first[e + 2] += w->first[e + 1];
    for (uint32_t s = 0; s < dag->states; s++)
        for (uint32_t i = dag->first_edge[s]; i < dag->first_edge[s + 1]; i++)
            w->edges[w->first[dag->edge_label[i] + 1]++] = (struct edge){s, dag->edge_to[i]};
    assert(w->first[events] == dag->edges); /* every label is an event */
}

static void make_matrix(struct weaving *w)
{
    struct mem *mem = w->model->mem;
    uint32_t events = w->context->events.len, states = w->context->scenario.states;
    w->column = mem_alloc(mem, (events + UINT64_C(1)) * sizeof *w->column);
    for (uint32_t e = 0; e < events; e++)
        if (w->first[e] < w->first[e + 1]) w->column[e] = w->columns++;
    int32_t *entries = mem_alloc(mem, ((size_t)states * w->columns + 1) * sizeof *entries);
    for (uint32_t e = 0; e < events; e++)
        for (uint32_t i = w->first[e]; i < w->first[e + 1]; i++) {
            int32_t *entry = &entries[(size_t)w->edges[i].from * w->columns + w->column[e]];
            assert(!*entry && w->edges[i].to > w->edges[i].from);
            *entry = (int32_t)w->edges[i].to;
        }
    if (w->columns) w->matrix = model_add_table(w->model, entries, states * w->columns);
    mem_free(mem, entries);
}

/* Where the event leads. False: nowhere from any state. */
static bool event_target(struct weaving *w, uint32_t event, expr *target)
{
    if (w->first[event] == w->first[event + 1]) return false;
    struct table_row row = {model_var_expr(w->model, w->state), w->columns, w->column[event]};
    *target = model_table_entry(w->model, w->matrix, model_matrix_index(w->model, row));
    return true;
}

static void begin_rule(struct weaving *w, const struct context_event *event, expr target)
{
    struct model *model = w->model;
    model_begin_rule(model, names_intern(&model->names, event->name, strlen(event->name)));
    model_add_part(model, w->process, event->place);
    model_add_worded(model, compare(w, EXPR_GT, target, 0), event->place,
                     word_event(w, event, WORDING_SCENARIO));
    model_add_store(model, w->state, target, event->place);
}

/* The length after an element was added or taken: a constant, or an entry of a table. */
static expr next_length(struct weaving *w, const struct context_queue *queue, bool up)
{
    struct model *model = w->model;
    uint32_t i = 0;
    if (queue->capacity == 1) return expr_int(w->exprs, up);
    while (i < w->lengths.len && w->lengths.data[i].capacity != queue->capacity) i++;
    if (i == w->lengths.len) {
        int32_t *values = mem_alloc(model->mem, (queue->capacity + UINT64_C(1)) * sizeof *values);
        struct length_tables tables = {.capacity = queue->capacity};
        for (uint32_t n = 0; n <= queue->capacity; n++)
            values[n] = (int32_t)(n < queue->capacity ? n + 1 : n);
        tables.up = model_add_table(model, values, queue->capacity + 1);
        for (uint32_t n = 0; n <= queue->capacity; n++) values[n] = n ? (int32_t)n - 1 : 0;
        tables.down = model_add_table(model, values, queue->capacity + 1);
        vec_push(model->mem, &w->lengths, tables);
        mem_free(model->mem, values);
    }
    return model_table_entry(model, up ? w->lengths.data[i].up : w->lengths.data[i].down,
                             model_var_expr(model, queue->length));
}

static void add_send(struct weaving *w, const struct context_event *event, expr target)
{
    struct model *model = w->model;
    const struct context_queue *queue = &event->queue;
    expr length = model_var_expr(model, queue->length);
    begin_rule(w, event, target);
    model_add_worded(model, compare(w, EXPR_LT, length, queue->capacity), event->place,
                     word_event(w, event, WORDING_SEND));
    model_add_store(model, queue->length, next_length(w, queue, true), event->place);
    for (uint32_t element = 0; element < queue->capacity; element++)
        for (uint32_t i = 0; i < queue->width; i++) {
            uint32_t cell = queue->cells + element * queue->width + i;
            expr value = expr_int(w->exprs, event->message[i]);
            if (queue->capacity > 1)
                value = expr_choose(w->exprs, compare(w, EXPR_EQ, length, element), value,
                                    model_var_expr(model, cell));
            model_add_store(model, cell, value, event->place);
        }
    for (uint32_t element = 0; queue->has_senders && element < queue->capacity; element++) {
        expr old = model_var_expr(model, queue->senders + element),
             value = expr_int(w->exprs, event->sender_value);
        value = expr_choose(w->exprs, compare(w, EXPR_EQ, length, element), value, old);
        model_add_store(model, queue->senders + element, value, event->place);
    }
    model_end_rule(model);
}

/* Senders move up with their messages. */
static void move_senders(struct weaving *w, const struct context_event *event)
{
    const struct context_queue *queue = &event->queue;
    for (uint32_t i = 0; i + 1 < queue->capacity; i++)
        model_add_store(w->model, queue->senders + i,
                        model_var_expr(w->model, queue->senders + i + 1), event->place);
    model_add_store(w->model, queue->senders + queue->capacity - 1, expr_int(w->exprs, 0),
                    event->place);
}

static void add_receive(struct weaving *w, const struct context_event *event, expr target)
{
    struct model *model = w->model;
    const struct context_queue *queue = &event->queue;
    uint32_t last = (queue->capacity - 1) * queue->width;
    begin_rule(w, event, target);
    uint32_t wording = word_event(w, event, WORDING_RECEIVE);
    model_add_worded(model, compare(w, EXPR_GT, model_var_expr(model, queue->length), 0),
                     event->place, wording);
    for (uint32_t i = 0; i < queue->width; i++)
        model_add_worded(
            model, compare(w, EXPR_EQ, model_var_expr(model, queue->cells + i), event->message[i]),
            event->place, wording);
    if (event->never)
        model_add_worded(model, expr_bool(w->exprs, false), event->sender_place, wording);
    if (event->sender_value)
        model_add_worded(
            model, compare(w, EXPR_EQ, model_var_expr(model, queue->senders), event->sender_value),
            event->sender_place, wording);
    model_add_store(model, queue->length, next_length(w, queue, false), event->place);
    for (uint32_t i = 0; i < last; i++)
        model_add_store(model, queue->cells + i,
                        model_var_expr(model, queue->cells + queue->width + i), event->place);
    for (uint32_t i = 0; i < queue->width; i++)
        model_add_store(model, queue->cells + last + i, expr_int(w->exprs, queue->rest[i]),
                        event->place);
    if (queue->has_senders) move_senders(w, event);
    model_end_rule(model);
}

/* The condition comes first: where the scenario does not allow the step, the rest does not
 * matter. */
static void add_sync(struct weaving *w, const struct context_event *event, expr target)
{
    uint32_t wording = word_event(w, event, WORDING_SCENARIO);
    for (uint32_t i = 0; i < event->rule_count; i++) {
        graft_part(w->model, event->rules[i], w->process, event->place);
        graft_condition(w->model, event->rules[i], compare(w, EXPR_GT, target, 0), event->place,
                        wording);
        graft_store(w->model, event->rules[i],
                    (struct rule_store){.var = w->state, .value = target, .place = event->place});
    }
}

/* Steps that the scenario speaks of and never allows, as in `loop 0 { sync a }`. */
static void forbid_steps(struct weaving *w)
{
    for (uint32_t e = 0; e < w->context->events.len; e++) {
        const struct context_event *event = &w->context->events.data[e];
        bool never = event->is_in_scenario && event->kind == EVENT_SYNC
                     && (!w->first || w->first[e] == w->first[e + 1]);
        uint32_t wording = never ? word_event(w, event, WORDING_SCENARIO) : 0;
        for (uint32_t i = 0; never && i < event->rule_count; i++) {
            if (!w->model->rules.data[event->rules[i]].parts)
                graft_part(w->model, event->rules[i], MODEL_NONE, event->place);
            graft_condition(w->model, event->rules[i], expr_bool(w->exprs, false), event->place,
                            wording);
        }
    }
    model_finish(w->model);
}

void weave_context(struct model *model, const struct context *context)
{
    struct weaving w = {.model = model, .exprs = &model->exprs, .context = context};
    if (!context->has_scenario) {
        forbid_steps(&w);
        return;
    }
    sort_edges(&w);
    add_process(&w);
    make_matrix(&w);
    for (uint32_t e = 0; e < context->events.len; e++) {
        const struct context_event *event = &context->events.data[e];
        expr target;
        if (!event_target(&w, e, &target)) continue;
        if (event->kind == EVENT_SEND) add_send(&w, event, target);
        else if (event->kind == EVENT_RECEIVE) add_receive(&w, event, target);
        else add_sync(&w, event, target);
    }
    forbid_steps(&w);
    expr end = is_final(&w);
    model->final = model->has_final ? expr_make(w.exprs, EXPR_AND, 0, model->final, end) : end;
    model->has_final = true;
    mem_free(model->mem, w.first);
    mem_free(model->mem, w.edges);
    mem_free(model->mem, w.column);
    vec_free(model->mem, &w.lengths);
    CHECKED(model_check(model, NULL));
}
