/* Events: what steps of the model they are.
 *
 * `send E to {P}n` goes to the queue `P_n` of a component, `receive E` comes from its queue
 * `toContext`. A model without that queue may have a step E in which {P}n takes part: then the
 * event is that step, and environment and system take it together. */
#include "lang/cdl/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static bool same_event(const struct context_event *a, const struct context_event *b)
{
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case EVENT_SYNC: /* steps that can never be taken have no rules: their names tell them apart */
        if (!a->rule_count && !b->rule_count) return !strcmp(a->name, b->name);
        return a->rule_count == b->rule_count
               && !memcmp(a->rules, b->rules, a->rule_count * sizeof *a->rules);
    case EVENT_BECOMES: return expr_same(a->predicate, b->predicate) && a->value == b->value;
    default:
        return a->queue.length == b->queue.length && a->sender == b->sender
               && !memcmp(a->message, b->message, a->queue.width * sizeof *a->message);
    }
}

/* ---- steps ---- */

/* The rules with this label in which the process, if one is given, takes part. False: the model has
 * no such step, not even one that can never be taken. */
static bool find_rules(struct cdl *cdl, const char *label, uint32_t process,
                       struct context_event *event)
{
    const struct model *model = cdl->model;
    uint32_t *rules = arena_alloc(&cdl->arena, (model->rules.len + UINT64_C(1)) * sizeof *rules);
    event->kind = EVENT_SYNC;
    event->rules = rules;
    event->rule_count = 0;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (strcmp(model->rules.data[r].label, label)) continue;
        if (process == MODEL_NONE || model_takes_part(model, r, process))
            rules[event->rule_count++] = r;
    }
    bool found = event->rule_count;
    for (uint32_t i = 0; i < model->dead_steps.len && !found; i++)
        found = !strcmp(model->dead_steps.data[i].label, label)
                && (process == MODEL_NONE || model_takes_part_dead(model, i, process));
    return found;
}

static bool sync_event(struct cdl *cdl, const struct cdl_body *body, struct context_event *event)
{
    struct cdl_found_unit unit = {MODEL_NONE, 0};
    const char *nearest = NULL;
    unsigned distance = 0;
    if (body->unit.name && !cdl_find_unit(cdl, &body->unit, &unit)) return false;
    if (body->unit.name && unit.process == MODEL_NONE) {
        diag_error(cdl->diag, DIAG_MISPLACED, body->unit.place,
                   "'%.60s' is a component: only processes take part in steps", body->unit.name);
        return false;
    }
    if (find_rules(cdl, body->name, unit.process, event)) return true;
    for (uint32_t r = 0; r < cdl->model->rules.len; r++)
        text_nearest(body->name, cdl->model->rules.data[r].label, &nearest, &distance);
    for (uint32_t i = 0; i < cdl->model->dead_steps.len; i++)
        text_nearest(body->name, cdl->model->dead_steps.data[i].label, &nearest, &distance);
    if (body->unit.name && find_rules(cdl, body->name, MODEL_NONE, event))
        diag_error(cdl->diag, DIAG_UNKNOWN, body->unit.place, "%s takes part in no step '%.60s'",
                   cdl_unit_text(cdl, &body->unit), body->name);
    else
        diag_error_near(cdl->diag, DIAG_UNKNOWN, body->name_place, nearest,
                        "the model has no step '%.60s'", body->name);
    return false;
}

/* ---- messages ---- */

static bool take_queue(struct cdl *cdl, const struct cdl_body *body, const struct model_name *name,
                       struct context_event *event)
{
    const struct shape *shape = name->shape;
    if (shape->kind != SHAPE_QUEUE) {
        diag_error(cdl->diag, DIAG_TYPE, body->place, "messages need a queue, and '%.60s' is none",
                   name->name);
        return false;
    }
    const struct shape *of = shape->of;
    assert(name->var + UINT64_C(1) + (uint64_t)shape->count * of->cells <= cdl->model->vars.len);
    int64_t *message = arena_alloc(&cdl->arena, of->cells * sizeof *message),
            *rest = arena_alloc(&cdl->arena, of->cells * sizeof *rest);
    for (uint32_t i = 0; i < of->cells; i++) rest[i] = shape_initial(of, i);
    event->kind = body->kind == CDL_SEND ? EVENT_SEND : EVENT_RECEIVE;
    event->queue = (struct context_queue){.length = name->var,
                                          .cells = name->var + 1,
                                          .capacity = shape->count,
                                          .width = of->cells,
                                          .rest = rest};
    event->message = message;
    return cdl_cells(cdl, body->message, of, message, NULL);
}

/* Where there is no queue, a step of that name will do. */
static bool step_instead(struct cdl *cdl, const struct cdl_body *body, uint32_t process,
                         const char *queue, struct context_event *event)
{
    const struct cdl_value *message = body->message;
    bool is_name = message->kind == CDL_NAME && !message->values;
    if (is_name && find_rules(cdl, message->name, process, event)) return true;
    const char *step = is_name ? message->name : "?",
               *who = body->unit.name ? cdl_unit_text(cdl, &body->unit) : "";
    diag_error(cdl->diag, DIAG_UNKNOWN, body->unit.name ? body->unit.place : body->place,
               is_name ? "there is neither a queue '%s' of a component nor a step '%.60s'%s%s"
                       : "there is no queue '%s' of a component",
               queue, step, *who ? " of " : "", who);
    return false;
}

static bool send_event(struct cdl *cdl, const struct cdl_body *body, struct context_event *event)
{
    struct cdl_found_unit unit;
    if (!cdl_find_unit(cdl, &body->unit, &unit)) return false;
    const char *queue =
        names_format(&cdl->names, "%s_%" PRIu64, body->unit.name, body->unit.number);
    const struct model_name *name = cdl_component_variable(cdl, queue);
    return name ? take_queue(cdl, body, name, event)
                : step_instead(cdl, body, unit.process, queue, event);
}

/* A process may know the queue by a parameter of that name. */
static bool receive_event(struct cdl *cdl, const struct cdl_body *body, struct context_event *event)
{
    static const char queue[] = "toContext";
    struct cdl_found_unit unit = {MODEL_NONE, 0};
    const struct model_name *name = NULL;
    if (body->unit.name && !cdl_find_unit(cdl, &body->unit, &unit)) return false;
    if (body->unit.name) name = cdl_unit_variable(cdl, unit.first, queue);
    if (!name) name = cdl_component_variable(cdl, queue);
    if (!name) return step_instead(cdl, body, unit.process, queue, event);
    if (body->unit.name && unit.process == MODEL_NONE
        && unit.first) { /* the outermost component is everybody */
        diag_error(cdl->diag, DIAG_MISPLACED, body->unit.place,
                   "'%.60s' is a component: messages come from processes", body->unit.name);
        return false;
    }
    event->sender = unit.process;
    event->sender_place = body->unit.place;
    return take_queue(cdl, body, name, event);
}

static bool resolve(struct cdl *cdl, const struct cdl_body *body, struct context_event *event)
{
    static const enum context_event_kind kinds[] = {[CDL_SEND] = EVENT_SEND,
                                                    [CDL_RECEIVE] = EVENT_RECEIVE,
                                                    [CDL_SYNC] = EVENT_SYNC,
                                                    [CDL_BECOMES] = EVENT_BECOMES};
    struct cdl_decl *predicate;
    event->place = body->place;
    event->text = body->text;
    event->kind = kinds[body->kind];
    event->sender = MODEL_NONE;
    if (!cdl->model) return true; /* names are all that is asked for */
    switch (body->kind) {
    case CDL_SEND: return send_event(cdl, body, event);
    case CDL_RECEIVE: return receive_event(cdl, body, event);
    case CDL_SYNC: return sync_event(cdl, body, event);
    case CDL_BECOMES: break;
    }
    event->kind = EVENT_BECOMES;
    event->value = body->truth;
    predicate = cdl_find(cdl, CDL_DECL_PREDICATE, body->name, body->name_place);
    return predicate && cdl_predicate(cdl, predicate, &event->predicate);
}

bool cdl_event(struct cdl *cdl, const char *name, struct place place, uint32_t *index)
{
    struct cdl_decl *decl = cdl_find(cdl, CDL_DECL_EVENT, name, place);
    struct context *context = cdl->context;
    if (!decl) return false;
    if (!decl->is_ready) {
        struct context_event event = {.name = decl->name};
        decl->is_ready = true;
        decl->is_bad = !resolve(cdl, decl->body, &event);
        event.place = decl->place;
        decl->index = context->events.len;
        if (!decl->is_bad) vec_push(cdl->mem, &context->events, event);
    }
    *index = decl->index;
    assert(decl->is_bad || !strcmp(context->events.data[*index].name, decl->name));
    return !decl->is_bad;
}

bool cdl_inline_event(struct cdl *cdl, const struct cdl_body *body, uint32_t *index)
{
    struct context_event event = {.name = body->text};
    struct context *context = cdl->context;
    if (!resolve(cdl, body, &event)) return false;
    for (*index = 0; *index < context->events.len; ++*index)
        if (cdl->model ? same_event(&context->events.data[*index], &event)
                       : !strcmp(context->events.data[*index].name, event.name))
            return true;
    vec_push(cdl->mem, &context->events, event);
    return true;
}
