/* A step that adds to a queue is taken by the process that adds, so a message's sender is who takes
 * part in the step that wrote it.
 *
 *  1. If all steps that write the queue are of one process, its messages are that process's, and
 *     nothing is added to the model.
 *  2. Otherwise every element has a companion, the variable `QUEUE.sender[i]`: nobody (0) where no
 *     element is, somebody else (1) who is not asked for, or one of the processes that are. The
 *     code of a step that writes the queue ends with
 *
 *         sender[i] := i < length and sender[i] == nobody ? P : sender[i]        for every i,
 *
 *     which is right because such a step only adds at the tail: that is checked (3). What the
 *         environment takes moves the companions
 *     with the elements (pass/weave.c), what it sends, and what was there in the beginning, is
 *         somebody else's.
 *  3. A step only adds when all that it writes of the queue is elements at the present length, and
 *     the length, to which it adds 1. The elements before stay what they are then, whatever
 *     branches and loops there are around.
 *
 * Who takes part: a step of one process is its own. In a step of several, it is the one who knows
 * the queue, by a parameter. Where that is not one, or a step does more than adding, the reception
 * is refused. */
#include "pass/senders.h"

#include "model/eval.h"
#include "pass/graft.h"

#include <assert.h>
#include <string.h>

enum { NOBODY, SOMEBODY, FIRST_SENDER, MOST_INITIAL = 1 << 16 };

struct settling {
    struct model *model;
    struct context *context;
    struct diag *diag;
    struct context_event *asked; /* the event whose queue is at work */
    const struct context_queue *queue;
    uint32_t first_sender;   /* the companions, a variable for each element */
    VEC(uint32_t) processes; /* those that are asked for: the n-th is FIRST_SENDER + n */
    VEC(uint32_t) writers;   /* rules */
    uint8_t *known;          /* per statement, as the body of a call: 1: it only adds, 2: not */
};

/* ---- what a rule does to the queue ---- */

static bool is_of_queue(const struct settling *s, uint32_t var)
{
    const struct context_queue *queue = s->queue;
    return var == queue->length
           || (var >= queue->cells && var < queue->cells + queue->capacity * queue->width);
}

static bool writes_queue(const struct settling *s, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->writes; i++)
        if (is_of_queue(s, s->model->accesses.data[rule->first_write + i])) return true;
    return false;
}

/* The length, perhaps with a check that there is room. */
static bool is_length(const struct settling *s, expr e)
{
    const struct expr_node *node = expr_get(&s->model->exprs, e);
    if (node->op == EXPR_WITHIN) node = expr_get(&s->model->exprs, node->a);
    return node->op == EXPR_VAR && node->value == s->queue->length;
}

static bool is_number(const struct settling *s, expr e, int64_t value)
{
    const struct expr_node *node = expr_get(&s->model->exprs, e);
    return node->op == EXPR_CONST && node->value == value;
}

static bool touches(const struct settling *s, const struct cell *cell, uint32_t cells)
{
    for (uint32_t i = 0; !cell->local && i < cell->count - 1 + cells; i++)
        if (is_of_queue(s, cell->base + i)) return true;
    return false;
}

/* Cells of the element at the present length: from cell number k of an element on, `cells` of
 * them. */
static bool is_new_element(const struct settling *s, const struct cell *cell, uint32_t cells)
{
    const struct context_queue *queue = s->queue;
    const struct expr_node *offset = expr_get(&s->model->exprs, cell->offset);
    if (cell->base < queue->cells || cell->base - queue->cells + cells > queue->width) return false;
    if (queue->width == 1) return is_length(s, cell->offset);
    return offset->op == EXPR_MUL && !offset->bits && is_length(s, offset->a)
           && is_number(s, offset->b, queue->width);
}

static bool only_adds(const struct settling *s, statement at);

/* Bodies that many call are looked at once. */
static bool call_only_adds(const struct settling *s, statement body)
{
    if (code_is_none(body)) return true;
    if (!s->known[body.i]) s->known[body.i] = only_adds(s, body) ? 1 : 2;
    return s->known[body.i] == 1;
}

static bool node_only_adds(const struct settling *s, const struct code_node *node)
{
    const struct expr_node *value;
    switch ((enum code_op)node->op) {
    case CODE_SET:
        if (!touches(s, &node->target, 1) || is_new_element(s, &node->target, 1)) return true;
        value = expr_get(&s->model->exprs, node->value);
        return node->target.base == s->queue->length && node->target.count == 1
               && value->op == EXPR_ADD && !value->bits && is_length(s, value->a)
               && is_number(s, value->b, 1);
    case CODE_COPY:
        return !touches(s, &node->target, node->cells)
               || is_new_element(s, &node->target, node->cells);
    case CODE_IF: return only_adds(s, node->body) && only_adds(s, node->other);
    case CODE_WHILE: return only_adds(s, node->body);
    case CODE_CALL: return call_only_adds(s, node->body);
    case CODE_REQUIRE:
    case CODE_LEAVE: return true;
    }
    return true;
}

static bool only_adds(const struct settling *s, statement at)
{
    for (; !code_is_none(at); at = s->model->code.data[at.i].next)
        if (!node_only_adds(s, &s->model->code.data[at.i])) return false;
    return true;
}

static bool rule_only_adds(const struct settling *s, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->stores; i++)
        if (is_of_queue(s, s->model->stores.data[rule->first_store + i].var)) return false;
    return only_adds(s, rule->body);
}

/* ---- who takes part ---- */

static uint32_t instance_number(const struct model *model, uint32_t process)
{
    uint32_t number = 0;
    for (uint32_t p = 0; p < process; p++)
        number += !strcmp(model->processes.data[p].type, model->processes.data[process].type);
    return number;
}

/* Whether the process has a name for the queue, or for something that the queue is part of. */
static bool knows_queue(const struct settling *s, uint32_t process)
{
    const struct model *model = s->model;
    uint32_t number = instance_number(model, process);
    for (uint32_t i = 0; i < model->source_names.len; i++) {
        const struct model_name *name = &model->source_names.data[i];
        if (!name->name || name->number != number
            || strcmp(name->unit, model->processes.data[process].type))
            continue;
        if (name->var <= s->queue->length && s->queue->length < name->var + name->shape->cells)
            return true;
    }
    return false;
}

/* The process that writes the queue in a step of the rule; MODEL_NONE: there are several that
 * might, or none. */
static uint32_t writer_of(const struct settling *s, const struct model_rule *rule)
{
    uint32_t only = MODEL_NONE, knowing = MODEL_NONE, processes = 0, knowers = 0;
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = s->model->parts.data[rule->first_part + i].process;
        if (process == MODEL_NONE) continue;
        only = process;
        processes++;
        if (!knows_queue(s, process)) continue;
        knowing = process;
        knowers++;
    }
    return processes == 1 ? only : knowers == 1 ? knowing : MODEL_NONE;
}

static struct place place_of(const struct settling *s, const struct model_rule *rule)
{
    return rule->parts ? s->model->parts.data[rule->first_part].place : (struct place){0};
}

/* `toContext` of `toContext.length`. */
static const char *queue_name(struct settling *s)
{
    static const char behind[] = ".length";
    const char *name = s->model->vars.data[s->queue->length].name;
    size_t length = strlen(name), tail = sizeof behind - 1;
    return length > tail && !strcmp(name + length - tail, behind)
               ? names_intern(&s->model->names, name, length - tail)
               : name;
}

static bool refuse(struct settling *s, const struct model_rule *rule, const char *why)
{
    diag_error(s->diag, DIAG_UNSUPPORTED, s->asked->sender_place,
               "it cannot be told who sends the messages in '%.60s': %s", queue_name(s), why);
    diag_note(s->diag, place_of(s, rule), "the step '%.60s'", rule->label);
    return false;
}

static bool find_writers(struct settling *s)
{
    const struct model *model = s->model;
    s->writers.len = 0;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!writes_queue(s, &model->rules.data[r])) continue;
        vec_push(model->mem, &s->writers, r);
        if (writer_of(s, &model->rules.data[r]) == MODEL_NONE)
            return refuse(s, &model->rules.data[r],
                          "several processes take part in a step that writes it");
    }
    return true;
}

/* ---- one sender ---- */

static bool is_asked(const struct settling *s, const struct context_event *event)
{
    return event->kind == EVENT_RECEIVE && event->queue.length == s->queue->length
           && event->sender != MODEL_NONE;
}

static bool is_empty_at_first(const struct settling *s)
{
    int64_t *state = mem_alloc(s->model->mem, (s->model->vars.len + UINT64_C(1)) * sizeof *state);
    bool empty = true;
    uint32_t count = 0;
    eval_first_initial(s->model, state);
    do empty = !state[s->queue->length] && ++count <= MOST_INITIAL;
    while (empty && eval_next_initial(s->model, state));
    mem_free(s->model->mem, state);
    return empty;
}

/* Whether all messages are those of one process: *sender, or MODEL_NONE when there is never one. */
static bool has_one_sender(const struct settling *s, uint32_t *sender)
{
    *sender = MODEL_NONE;
    for (uint32_t e = 0; e < s->context->events.len; e++) {
        const struct context_event *event = &s->context->events.data[e];
        if (event->kind == EVENT_SEND && event->queue.length == s->queue->length) return false;
    }
    for (uint32_t i = 0; i < s->writers.len; i++) {
        uint32_t writer = writer_of(s, &s->model->rules.data[s->writers.data[i]]);
        if (*sender != MODEL_NONE && writer != *sender) return false;
        *sender = writer;
    }
    return is_empty_at_first(s);
}

/* Receptions from the only sender are like others; those from anybody else never happen. */
static void settle_one(struct settling *s, uint32_t sender)
{
    for (uint32_t e = 0; e < s->context->events.len; e++) {
        struct context_event *event = &s->context->events.data[e];
        if (!is_asked(s, event)) continue;
        event->is_settled = true;
        event->never = event->sender != sender;
    }
}

/* ---- several senders ---- */

static uint32_t value_for(struct settling *s, uint32_t process, bool adds)
{
    for (uint32_t i = 0; i < s->processes.len; i++)
        if (s->processes.data[i] == process) return FIRST_SENDER + i;
    if (!adds) return SOMEBODY;
    vec_push(s->model->mem, &s->processes, process);
    return FIRST_SENDER + s->processes.len - 1;
}

struct beginning {
    uint32_t length, at;
};

static int64_t first_value(void *context, const int64_t *state)
{
    const struct beginning *beginning = context;
    return state[beginning->length] > beginning->at ? SOMEBODY : NOBODY;
}

static bool add_companions(struct settling *s)
{
    struct model *model = s->model;
    const char **names =
        arena_alloc(&model->arena, (FIRST_SENDER + s->processes.len) * sizeof *names);
    names[NOBODY] = "nobody";
    names[SOMEBODY] = "somebody else";
    for (uint32_t i = 0; i < s->processes.len; i++)
        names[FIRST_SENDER + i] = model->processes.data[s->processes.data[i]].name;
    s->first_sender = model->vars.len;
    for (uint32_t i = 0; i < s->queue->capacity; i++) {
        struct beginning beginning = {s->queue->length, i};
        struct model_var var = {.name =
                                    names_format(&model->names, "%s.sender[%u]", queue_name(s), i),
                                .process = MODEL_NONE,
                                .high = FIRST_SENDER + s->processes.len - 1,
                                .value_names = names,
                                .place = s->asked->place};
        uint32_t made = graft_variable(model, var);
        if (!is_empty_at_first(s)
            && !graft_initial(model, made, MOST_INITIAL, first_value, &beginning)) {
            diag_error(
                s->diag, DIAG_LIMIT, s->asked->sender_place,
                "the model has too many initial states for a queue whose senders are asked for");
            return false;
        }
    }
    return true;
}

/* Elements that have no sender yet have this one now. */
static void mark_new(struct settling *s, uint32_t rule, uint32_t sender)
{
    struct model *model = s->model;
    struct exprs *exprs = &model->exprs;
    struct graft graft = {code_sequence_empty(), code_sequence_empty()};
    expr length = model_var_expr(model, s->queue->length);
    for (uint32_t i = 0; i < s->queue->capacity; i++) {
        expr old = model_var_expr(model, s->first_sender + i);
        expr is_there = expr_make(exprs, EXPR_GT, 0, length, expr_int(exprs, i));
        expr is_new = expr_make(exprs, EXPR_AND, 0, is_there,
                                expr_make(exprs, EXPR_EQ, 0, old, expr_int(exprs, NOBODY)));
        graft_set(model, &graft.after, false, s->first_sender + i,
                  expr_choose(exprs, is_new, expr_int(exprs, sender), old));
    }
    graft_code(model, rule, &graft);
}

static bool settle_several(struct settling *s)
{
    struct model *model = s->model;
    s->known = mem_alloc(model->mem, model->code.len + UINT64_C(1));
    for (uint32_t i = 0; i < s->writers.len; i++)
        if (!rule_only_adds(s, &model->rules.data[s->writers.data[i]]))
            return refuse(s, &model->rules.data[s->writers.data[i]],
                          "a step does more than adding a message at its end");
    mem_free(model->mem, s->known);
    s->processes.len = 0;
    for (uint32_t e = 0; e < s->context->events.len; e++)
        if (is_asked(s, &s->context->events.data[e]))
            value_for(s, s->context->events.data[e].sender, true);
    if (!add_companions(s)) return false;
    for (uint32_t i = 0; i < s->writers.len; i++) {
        uint32_t rule = s->writers.data[i];
        mark_new(s, rule, value_for(s, writer_of(s, &model->rules.data[rule]), false));
    }
    uint32_t length = s->queue->length;
    for (uint32_t e = 0; e < s->context->events.len; e++) {
        struct context_event *event = &s->context->events.data[e];
        if ((event->kind != EVENT_SEND && event->kind != EVENT_RECEIVE)
            || event->queue.length != length)
            continue;
        if (event->kind == EVENT_RECEIVE && event->sender != MODEL_NONE)
            event->sender_value = value_for(s, event->sender, false);
        assert(!event->is_settled); /* a queue is settled once */
        if (event->kind == EVENT_SEND) event->sender_value = SOMEBODY;
        event->queue.has_senders = event->is_settled = true;
        event->queue.senders = s->first_sender;
    }
    return true;
}

bool senders_settle(struct model *model, struct context *context, struct diag *diag)
{
    struct settling s = {.model = model, .context = context, .diag = diag};
    bool good = true;
    uint32_t sender;
    for (uint32_t e = 0; good && e < context->events.len; e++) {
        s.asked = &context->events.data[e];
        if (s.asked->kind != EVENT_RECEIVE || s.asked->sender == MODEL_NONE || s.asked->is_settled)
            continue;
        struct context_queue queue = s.asked->queue;
        s.queue = &queue;
        good = find_writers(&s);
        if (good && has_one_sender(&s, &sender)) settle_one(&s, sender);
        else good = good && settle_several(&s);
        model_finish(model);
    }
    for (uint32_t e = 0; good && e < context->events.len; e++) {
        s.asked = &context->events.data[e];
        s.queue = &s.asked->queue;
        if (s.asked->never)
            diag_warning(diag, DIAG_NEVER, s.asked->sender_place,
                         "this never happens: no step of %.60s writes '%.60s'",
                         model->processes.data[s.asked->sender].name, queue_name(&s));
    }
    vec_free(model->mem, &s.processes);
    vec_free(model->mem, &s.writers);
    return good;
}
