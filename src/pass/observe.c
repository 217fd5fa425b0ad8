/* Observers as part of the model.
 *
 * An observer becomes a process that takes part in nothing, with its state as location. Every rule
 * gets code at its end that moves it: one assignment,
 *
 *     state := state == s0 ? (c1 ? t1 : c2 ? t2 : s0) : state == s1 ? ...
 *
 * with a condition c per edge: the predicate in the new state and the event of the step. What an
 * event needs of the old state (was p true? how long was the queue?) is kept in locals that are set
 * before the rule's own effect. A rule that writes nothing of what an event is about cannot be that
 * event, so its assignment has fewer cases, or is not needed at all; rules with the same cases
 * share one function.
 *
 * Clocks. Code cannot ask clocks. An edge with a guard or an action on clocks is therefore taken in
 * a step of its own, right after the step that it sees: that step's code puts down in a variable,
 * `seen`, which edges of the observer's state are given as far as values go, and a rule of the
 * observer for each value of it, urgent and before every other rule, asks the clocks and moves.
 * Time does not pass in between, and waiting for a rule of a higher class does not touch timers, so
 * the system does not notice. An edge with a guard and nothing else is a rule by itself, before
 * every other rule as well: once its guard holds, the system does not go on before the observer has
 * moved, so steps need not look at such an edge. Where every way into the state starts its clock it
 * is known which of such edges is the first; the others are never taken, and an invariant of the
 * state sees to it that this one is: at the very time when its guard begins to hold, or before it
 * ends. Elsewhere time may pass while the observer could move. Observers with something to do take
 * their turn in a fixed order.
 *
 * Whether a clock runs in a state must not depend on the way there: that is checked. */
#include "pass/observe.h"

#include "base/checked.h"
#include "model/eval.h"
#include "pass/graft.h"

#include <string.h>

/* Of a state with clocks: edges; constraints of the clocks of one edge; ways through the guards of
 * all of them. So no way has more than MOST_PATH constraints, and rules stay few. */
enum {
    MOST_INITIAL = 1 << 16,
    MOST_TIMED_EDGES = 16,
    MOST_CONSTRAINTS = 10,
    MOST_WAYS = 4096,
    MOST_PATH = 64,
    NO_LOCAL = 0xFFFFFFFF
};

struct woven;

struct event_locals {
    uint32_t first, second; /* BECOMES: whether it was true; SEND, RECEIVE: the length of the queue;
                               RECEIVE: whether the head is the message */
};

struct weaver {
    struct model *model;
    struct exprs *exprs;
    const struct context *context;
    struct diag *diag;
    uint32_t rules;              /* those that are observed */
    bool *possible;              /* rules x events: the rule may be the event */
    struct event_locals *locals; /* per event */
    uint32_t everyone, urgent;   /* priority classes, or MODEL_NONE: none yet */
    bool has_cut;
    expr is_cut;             /* a restriction ends the run here */
    const struct woven *all; /* the observers */
};

/* An edge with a guard only that is taken before its clock is beyond this. */
struct deadline {
    bool is_known, is_open;
    uint32_t clock;
    int64_t ticks;
};

/* One observer while it is woven. */
struct woven {
    const struct observer *observer;
    uint32_t process, state; /* of the model; the variable */
    uint32_t first_clock;
    uint32_t seen;              /* a variable, or MODEL_NONE */
    bool *is_timed;             /* per state: an edge from it has to do with clocks */
    struct deadline *deadlines; /* per edge: when it must be taken */
    bool *never;                /* per edge: another one is always taken before it */
    bool *by_itself;            /* per edge: it has a guard only, and steps need not look at it */
    VEC(struct {
        uint32_t var;
        expr value;
        statement body;
    })
    functions;
};

/* ---- expressions ---- */

static expr both(struct weaver *w, expr a, expr b)
{
    return expr_make(w->exprs, EXPR_AND, 0, a, b);
}

static expr is_value(struct weaver *w, uint32_t var, int64_t value)
{
    const struct model_var *v = &w->model->vars.data[var];
    if (value < v->low || value > v->high) return expr_bool(w->exprs, false);
    return expr_make(w->exprs, EXPR_EQ, 0, expr_var_in(w->exprs, var, v->low, v->high),
                     expr_int(w->exprs, value));
}

static expr var_of(struct weaver *w, uint32_t var)
{
    return expr_var_in(w->exprs, var, w->model->vars.data[var].low, w->model->vars.data[var].high);
}

static expr local_of(struct weaver *w, uint32_t local)
{
    const struct model_local *l = &w->model->locals.data[local];
    return expr_local(w->exprs, local, l->low, l->high);
}

/* Element number `at` of the queue is the message, from whom it should come. */
static expr holds_message(struct weaver *w, const struct context_event *event, uint32_t at)
{
    expr all = expr_bool(w->exprs, !event->never);
    if (event->kind == EVENT_RECEIVE && event->sender_value)
        all = both(w, all, is_value(w, event->queue.senders + at, event->sender_value));
    for (uint32_t i = 0; i < event->queue.width; i++)
        all =
            both(w, all,
                 is_value(w, event->queue.cells + at * event->queue.width + i, event->message[i]));
    return all;
}

static expr add(struct weaver *w, expr a, int64_t number)
{
    return expr_make(w->exprs, EXPR_ADD, 0, a, expr_int(w->exprs, number));
}

/* ---- events ---- */

static uint32_t add_local(struct weaver *w, const char *what, const char *name, int64_t low,
                          int64_t high)
{
    vec_push(
        w->model->mem, &w->model->locals,
        ((struct model_local){names_format(&w->model->names, "%s %s", what, name), low, high}));
    return w->model->locals.len - 1;
}

static void add_event_locals(struct weaver *w, uint32_t e)
{
    const struct context_event *event = &w->context->events.data[e];
    if (w->locals[e].first != NO_LOCAL || event->kind == EVENT_SYNC) return;
    if (event->kind == EVENT_BECOMES) {
        w->locals[e].first = add_local(w, "before", event->name, 0, 1);
        return;
    }
    w->locals[e].first = add_local(w, "length before", event->name, 0, event->queue.capacity);
    if (event->kind == EVENT_RECEIVE)
        w->locals[e].second = add_local(w, "head before", event->name, 0, 1);
}

/* What must be known of the old state. */
static void remember(struct weaver *w, uint32_t e, struct code_sequence *sequence)
{
    const struct context_event *event = &w->context->events.data[e];
    const struct event_locals *locals = &w->locals[e];
    if (event->kind == EVENT_SYNC) return;
    if (event->kind == EVENT_BECOMES)
        graft_set(w->model, sequence, true, locals->first, expr_to_int(w->exprs, event->predicate));
    else graft_set(w->model, sequence, true, locals->first, var_of(w, event->queue.length));
    if (event->kind == EVENT_RECEIVE)
        graft_set(w->model, sequence, true, locals->second,
                  expr_to_int(w->exprs, holds_message(w, event, 0)));
}

/* In the new state: whether the step was the event. */
static expr happened(struct weaver *w, uint32_t e)
{
    const struct context_event *event = &w->context->events.data[e];
    expr result = expr_bool(w->exprs, false), now;
    switch (event->kind) {
    case EVENT_SYNC: return expr_bool(w->exprs, true); /* its rules are known */
    case EVENT_BECOMES:
        now = event->value ? event->predicate
                           : expr_make(w->exprs, EXPR_NOT, 0, event->predicate, event->predicate);
        return both(w,
                    expr_make(w->exprs, EXPR_EQ, 0, local_of(w, w->locals[e].first),
                              expr_int(w->exprs, !event->value)),
                    now);
    case EVENT_SEND:
        for (uint32_t at = 0; at < event->queue.capacity; at++)
            result = expr_make(
                w->exprs, EXPR_OR, 0, result,
                both(w, is_value(w, event->queue.length, at + 1), holds_message(w, event, at)));
        now = expr_make(w->exprs, EXPR_EQ, 0, var_of(w, event->queue.length),
                        add(w, local_of(w, w->locals[e].first), 1));
        return both(w, now, result);
    case EVENT_RECEIVE:
        now = expr_make(w->exprs, EXPR_EQ, 0, add(w, var_of(w, event->queue.length), 1),
                        local_of(w, w->locals[e].first));
        return both(w, now,
                    expr_make(w->exprs, EXPR_EQ, 0, local_of(w, w->locals[e].second),
                              expr_int(w->exprs, 1)));
    }
    return result;
}

struct mark {
    bool *vars;
};

static void mark_var(void *context, uint32_t var) { ((struct mark *)context)->vars[var] = true; }

static void find_possible(struct weaver *w)
{
    struct model *model = w->model;
    uint32_t events = w->context->events.len;
    bool *about = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    w->possible = mem_alloc(model->mem, ((size_t)w->rules * events + 1) * sizeof *w->possible);
    for (uint32_t e = 0; e < events; e++) {
        const struct context_event *event = &w->context->events.data[e];
        struct mark mark = {about};
        memset(about, 0, model->vars.len * sizeof *about);
        if (event->kind == EVENT_BECOMES)
            expr_each_var(&model->exprs, event->predicate, mark_var, &mark);
        else if (event->kind != EVENT_SYNC) about[event->queue.length] = true;
        for (uint32_t i = 0; i < event->rule_count; i++)
            w->possible[(size_t)event->rules[i] * events + e] = event->kind == EVENT_SYNC;
        for (uint32_t r = 0; r < w->rules; r++) {
            const struct model_rule *rule = &model->rules.data[r];
            for (uint32_t i = 0; i < rule->writes; i++)
                w->possible[(size_t)r * events + e] |=
                    about[model->accesses.data[rule->first_write + i]];
        }
    }
    mem_free(model->mem, about);
}

static bool is_possible(const struct weaver *w, uint32_t rule, const struct observer_edge *edge)
{
    return edge->event == CONTEXT_NONE
           || w->possible[(size_t)rule * w->context->events.len + edge->event];
}

/* ---- moving ---- */

/* Whether the edge is given after a step of the rule, clocks aside. */
static expr is_given(struct weaver *w, uint32_t rule, const struct observer_edge *edge)
{
    if (!is_possible(w, rule, edge)) return expr_bool(w->exprs, false);
    expr cond = edge->has_predicate ? edge->predicate : expr_bool(w->exprs, true);
    return edge->event == CONTEXT_NONE ? cond : both(w, happened(w, edge->event), cond);
}

static bool has_clocks(const struct observer_edge *edge) { return edge->guards || edge->actions; }

static bool counts(const struct woven *o, uint32_t edge, uint32_t from)
{
    return o->observer->edges.data[edge].from == from && !o->by_itself[edge];
}

/* The state after a step of the rule that began in `from`. */
static expr next_state(struct weaver *w, const struct woven *o, uint32_t rule, uint32_t from)
{
    expr next = expr_int(w->exprs, from);
    for (uint32_t i = o->observer->edges.len; i-- > 0;) {
        const struct observer_edge *edge = &o->observer->edges.data[i];
        if (!counts(o, i, from)) continue;
        next = expr_choose(w->exprs, is_given(w, rule, edge),
                           expr_int(w->exprs, has_clocks(edge) ? from : edge->to), next);
    }
    return next;
}

/* Which edges of a timed state are given, as bits in their order, up to the first without a guard,
 * because that will be taken; 0 when the first that is given has nothing to do with clocks. */
static expr seen_after(struct weaver *w, const struct woven *o, uint32_t rule, uint32_t from)
{
    expr sum = expr_int(w->exprs, 0), none = sum, untimed = expr_bool(w->exprs, false),
         decided = untimed, settled = untimed;
    uint32_t bit = 0;
    for (uint32_t i = 0; i < o->observer->edges.len; i++) {
        const struct observer_edge *edge = &o->observer->edges.data[i];
        if (!counts(o, i, from)) continue;
        expr given = is_given(w, rule, edge);
        if (!has_clocks(edge))
            untimed = expr_make(w->exprs, EXPR_OR, 0, untimed,
                                both(w, given, expr_make(w->exprs, EXPR_NOT, 0, decided, decided)));
        decided = expr_make(w->exprs, EXPR_OR, 0, decided, given);
        expr matters = both(w, given, expr_make(w->exprs, EXPR_NOT, 0, settled, settled));
        sum = expr_make(
            w->exprs, EXPR_ADD, 0, sum,
            expr_choose(w->exprs, matters, expr_int(w->exprs, INT64_C(1) << bit++), none));
        if (!edge->guards) settled = expr_make(w->exprs, EXPR_OR, 0, settled, given);
    }
    return expr_choose(w->exprs, untimed, none, sum);
}

/* A function of the state: next(from) in each; the same as the state wherever nothing moves. */
static expr by_state(struct weaver *w, const struct woven *o, uint32_t rule,
                     expr (*next)(struct weaver *, const struct woven *, uint32_t, uint32_t),
                     bool timed_only)
{
    expr result = timed_only ? expr_int(w->exprs, 0) : var_of(w, o->state);
    for (uint32_t s = o->observer->states.len; s-- > 0;) {
        expr value = timed_only && !o->is_timed[s] ? expr_int(w->exprs, 0) : next(w, o, rule, s);
        const struct expr_node *node = expr_get(w->exprs, value);
        if (node->op == EXPR_CONST && node->value == (timed_only ? 0 : (int64_t)s)) continue;
        result = expr_choose(w->exprs, is_value(w, o->state, s), value, result);
    }
    return result;
}

/* One function per assignment, which rules call. */
static statement function_for(struct weaver *w, struct woven *o, uint32_t var, expr value)
{
    for (uint32_t i = 0; i < o->functions.len; i++)
        if (o->functions.data[i].var == var && expr_same(o->functions.data[i].value, value))
            return o->functions.data[i].body;
    struct code_sequence body = code_sequence_empty();
    graft_set(w->model, &body, false, var, value);
    vec_reserve(w->model->mem, &o->functions, 1);
    o->functions.data[o->functions.len].var = var;
    o->functions.data[o->functions.len].value = value;
    o->functions.data[o->functions.len++].body = body.first;
    return body.first;
}

static void call(struct weaver *w, struct code_sequence *sequence, statement body)
{
    expr nothing = expr_int(w->exprs, 0);
    model_add_code(w->model, sequence,
                   (struct code_node){.op = CODE_CALL,
                                      .target.offset = nothing,
                                      .source.offset = nothing,
                                      .value = nothing,
                                      .body = body,
                                      .other = code_none()});
}

static void need_events(const struct weaver *w, const struct woven *o, uint32_t rule, bool *needed)
{
    for (uint32_t i = 0; i < o->observer->edges.len; i++) {
        const struct observer_edge *edge = &o->observer->edges.data[i];
        if (edge->event != CONTEXT_NONE && is_possible(w, rule, edge)) needed[edge->event] = true;
    }
}

static void move_observers(struct weaver *w, struct woven *woven, uint32_t count)
{
    bool *needed = mem_alloc(w->model->mem, w->context->events.len + UINT64_C(1));
    for (uint32_t r = 0; r < w->rules; r++) {
        struct graft graft = {code_sequence_empty(), code_sequence_empty()};
        memset(needed, 0, w->context->events.len * sizeof *needed);
        for (uint32_t i = 0; i < count; i++) need_events(w, &woven[i], r, needed);
        for (uint32_t e = 0; e < w->context->events.len; e++)
            if (needed[e]) {
                add_event_locals(w, e);
                remember(w, e, &graft.before);
            }
        for (uint32_t i = 0; i < count; i++) {
            struct woven *o = &woven[i];
            expr seen = o->seen == MODEL_NONE ? expr_int(w->exprs, 0)
                                              : by_state(w, o, r, seen_after, true),
                 next = by_state(w, o, r, next_state, false);
            if (!expr_same(seen, expr_int(w->exprs, 0)))
                call(w, &graft.after,
                     function_for(w, o, o->seen, seen)); /* first: it asks for the old state */
            if (!expr_same(next, var_of(w, o->state)))
                call(w, &graft.after, function_for(w, o, o->state, next));
        }
        if (!code_is_none(graft.after.first)) graft_code(w->model, r, &graft);
    }
    mem_free(w->model->mem, needed);
}

/* ---- clocks ---- */

static struct clock_constraint at_most(uint32_t clock, int64_t ticks, bool strict,
                                       struct place place)
{
    return (struct clock_constraint){
        .x = clock, .y = MODEL_NONE, .bound = ticks, .strict = strict, .place = place};
}

static struct clock_constraint opposite(struct clock_constraint c)
{
    return (struct clock_constraint){
        .x = c.y, .y = c.x, .bound = -c.bound, .strict = !c.strict, .place = c.place};
}

/* Guards as constraints; an equality is two. */
static uint32_t constraints_of(const struct woven *o, const struct observer_edge *edge,
                               struct clock_constraint *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < edge->guards; i++) {
        const struct observer_guard *guard = &o->observer->guards.data[edge->first_guard + i];
        uint32_t clock = o->first_clock + guard->clock;
        bool below = guard->op == EXPR_LT || guard->op == EXPR_LE || guard->op == EXPR_EQ,
             above = guard->op == EXPR_GT || guard->op == EXPR_GE || guard->op == EXPR_EQ;
        if (below) list[count++] = at_most(clock, guard->ticks, guard->op == EXPR_LT, edge->place);
        if (above)
            list[count++] =
                opposite(at_most(clock, guard->ticks, guard->op != EXPR_GT, edge->place));
    }
    return count;
}

static uint32_t add_interval(struct model *model, struct model_interval interval)
{
    vec_push(model->mem, &model->intervals, interval);
    return model->intervals.len - 1;
}

/* A class above that of everybody else. */
static void need_classes(struct weaver *w)
{
    struct model *model = w->model;
    if (w->urgent != MODEL_NONE) return;
    w->everyone = model->class_count++;
    w->urgent = model->class_count++;
    vec_push(model->mem, &model->priorities, ((struct model_priority){w->urgent, w->everyone}));
    for (uint32_t r = 0; r < w->rules; r++) graft_class(model, r, w->everyone);
}

/* Path through the guards of the edges that were seen: what holds so far. */
struct path {
    struct clock_constraint list[MOST_PATH];
    uint32_t count;
};

static void add_clock_rule(struct weaver *w, const struct woven *o, uint32_t from, int64_t seen,
                           const struct path *path, const struct observer_edge *edge)
{
    struct model *model = w->model;
    const struct observer *observer = o->observer;
    uint32_t to = edge ? edge->to : from;
    struct place place = edge ? edge->place : observer->place;
    model_begin_rule(model,
                     names_format(&model->names, edge ? "%s: %s -> %s" : "%s: %s", observer->name,
                                  observer->states.data[from], observer->states.data[to]));
    model->rules.data[model->rules.len - 1].is_internal = true;
    model_add_part(model, o->process, place);
    model_add_conjunct(model, is_value(w, o->state, from), place);
    if (o->seen != MODEL_NONE) model_add_conjunct(model, is_value(w, o->seen, seen), place);
    for (const struct woven *first = w->all; seen && first < o; first++)
        if (first->seen != MODEL_NONE)
            model_add_conjunct(model, is_value(w, first->seen, 0), place);
    if (to != from) model_add_store(model, o->state, expr_int(w->exprs, to), place);
    if (seen) model_add_store(model, o->seen, expr_int(w->exprs, 0), place);
    for (uint32_t i = 0; i < path->count; i++) model_add_clock_guard(model, path->list[i]);
    for (uint32_t i = 0; edge && i < edge->actions; i++)
        if (observer->actions.data[edge->first_action + i].starts)
            model_add_reset(model,
                            (struct clock_reset){
                                .clock = o->first_clock
                                         + observer->actions.data[edge->first_action + i].clock});
    model_add_class(model, w->urgent);
    struct model_rule *rule = &model->rules.data[model->rules.len - 1];
    if (seen)
        rule->interval = add_interval(model, (struct model_interval){0, 0, false, false, false});
    model_end_rule(model);
}

/* From the edge number `at` on: the first whose guards hold is taken. Where they do not, one of
 * them is the first that fails. */
static void add_seen_rules(struct weaver *w, const struct woven *o, uint32_t from, int64_t seen,
                           uint32_t at, uint32_t bit, const struct path *path)
{
    while (at < o->observer->edges.len && (!counts(o, at, from) || !(seen >> bit & 1)))
        bit += counts(o, at++, from);
    if (at == o->observer->edges.len) {
        add_clock_rule(w, o, from, seen, path, NULL);
        return;
    }
    const struct observer_edge *edge = &o->observer->edges.data[at];
    struct clock_constraint list[MOST_CONSTRAINTS];
    uint32_t count = constraints_of(o, edge, list);
    struct path taken = *path;
    assert(path->count + count <= MOST_PATH);
    for (uint32_t i = 0; i < count; i++) {
        struct path refused = taken;
        refused.list[refused.count++] = opposite(list[i]);
        taken.list[taken.count++] = list[i];
        add_seen_rules(w, o, from, seen, at + 1, bit + 1, &refused);
    }
    add_clock_rule(w, o, from, seen, &taken, edge);
}

static uint32_t edges_from(const struct woven *o, uint32_t from)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->observer->edges.len; i++) count += counts(o, i, from);
    return count;
}

static bool first_is_timed(const struct woven *o, uint32_t from, int64_t seen)
{
    for (uint32_t i = 0, bit = 0; i < o->observer->edges.len; i++)
        if (counts(o, i, from) && seen >> bit++ & 1) return has_clocks(&o->observer->edges.data[i]);
    return false;
}

/* For every value that seen_after gives: from the edge number `at` on, `seen` has the bits
 * before. */
static void add_rules_from(struct weaver *w, const struct woven *o, uint32_t from, uint32_t at,
                           uint32_t bit, int64_t seen)
{
    const struct path nothing = {.count = 0};
    bool goes_on = true;
    while (at < o->observer->edges.len && !counts(o, at, from)) at++;
    if (at < o->observer->edges.len) {
        add_rules_from(w, o, from, at + 1, bit + 1, seen);
        seen |= INT64_C(1) << bit;
        goes_on = o->observer->edges.data[at].guards > 0;
        if (goes_on) add_rules_from(w, o, from, at + 1, bit + 1, seen);
    }
    bool is_whole = at == o->observer->edges.len || !goes_on;
    if (is_whole && first_is_timed(o, from, seen)) add_seen_rules(w, o, from, seen, 0, 0, &nothing);
}

static bool is_guard_only(const struct observer_edge *edge)
{
    return edge->guards && !edge->has_predicate && edge->event == CONTEXT_NONE;
}

static void add_invariants(struct weaver *w, const struct woven *o)
{
    struct model *model = w->model;
    for (uint32_t i = 0; i < o->observer->edges.len; i++) {
        const struct observer_edge *edge = &o->observer->edges.data[i];
        const struct deadline *deadline = &o->deadlines[i];
        if (!deadline->is_known) continue;
        struct model_location *location =
            &model->locations.data[model->processes.data[o->process].first_location + edge->from];
        uint32_t first = model->constraints.len;
        for (uint32_t k = 0; k < location->invariants; k++) {
            struct clock_constraint old = model->constraints.data[location->first_invariant + k];
            vec_push(model->mem, &model->constraints, old);
        }
        vec_push(model->mem, &model->constraints,
                 at_most(o->first_clock + deadline->clock, deadline->ticks, deadline->is_open,
                         edge->place));
        location->first_invariant = first;
        location->invariants++;
    }
}

static void add_clock_rules(struct weaver *w, struct woven *o)
{
    if (!o->observer->clocks.len) return;
    need_classes(w);
    for (uint32_t s = 0; s < o->observer->states.len; s++)
        if (o->is_timed[s]) add_rules_from(w, o, s, 0, 0, 0);
    for (uint32_t i = 0; i < o->observer->edges.len; i++) {
        const struct observer_edge *edge = &o->observer->edges.data[i];
        struct path path = {.count = 0};
        if (!is_guard_only(edge) || o->never[i]) continue;
        path.count = constraints_of(o, edge, path.list);
        add_clock_rule(w, o, edge->from, 0, &path, edge);
    }
    add_invariants(w, o);
}

/* ---- where clocks run ---- */

enum { OFF = 1, ON = 2 };

/* When a guard over one clock holds. */
struct span {
    uint32_t clock;
    int64_t low, high; /* INT64_MAX: for ever */
    bool low_open, high_open;
};

/* False: it is over several clocks, or never holds. */
static bool find_span(const struct observer *observer, const struct observer_edge *edge,
                      struct span *span)
{
    const struct observer_guard *guards = &observer->guards.data[edge->first_guard];
    *span = (struct span){guards[0].clock, 0, INT64_MAX, false, true};
    for (uint32_t i = 0; i < edge->guards; i++) {
        const struct observer_guard *guard = &guards[i];
        bool open = guard->op == EXPR_LT || guard->op == EXPR_GT;
        if (guard->clock != span->clock) return false;
        if (guard->op != EXPR_LT && guard->op != EXPR_LE
            && (guard->ticks > span->low || (guard->ticks == span->low && open))) {
            span->low = guard->ticks;
            span->low_open = open;
        }
        if (guard->op != EXPR_GT && guard->op != EXPR_GE
            && (guard->ticks < span->high || (guard->ticks == span->high && open))) {
            span->high = guard->ticks;
            span->high_open = open;
        }
    }
    return span->low < span->high
           || (span->low == span->high && !span->low_open && !span->high_open);
}

static bool begins_before(const struct span *a, const struct span *b)
{
    return a->low < b->low || (a->low == b->low && !a->low_open && b->low_open);
}

/* Of the edges from a state that ask for one clock only, which is always 0 at the beginning, the
 * first that holds; of two at the same time, the first in the text. */
static void find_deadlines(struct woven *o, const bool *fresh)
{
    const struct observer *observer = o->observer;
    uint32_t clocks = observer->clocks.len;
    struct span span, other;
    for (uint32_t i = 0; i < observer->edges.len; i++) {
        const struct observer_edge *edge = &observer->edges.data[i];
        if (!is_guard_only(edge) || !find_span(observer, edge, &span)
            || !fresh[(size_t)edge->from * clocks + span.clock])
            continue;
        for (uint32_t k = 0; k < observer->edges.len; k++) {
            const struct observer_edge *rival = &observer->edges.data[k];
            if (k == i || rival->from != edge->from || !is_guard_only(rival)
                || !find_span(observer, rival, &other) || other.clock != span.clock)
                continue;
            o->never[i] |= begins_before(&other, &span) || (k < i && !begins_before(&span, &other));
        }
        bool at_once = !span.low_open;
        if (o->never[i] || (!at_once && span.high == INT64_MAX)) continue;
        o->deadlines[i] = (struct deadline){true, at_once ? false : span.high_open, span.clock,
                                            at_once ? span.low : span.high};
    }
}

/* Per state and clock: bits of what may be, and whether all ways into the state start it. */
static bool check_clocks(struct weaver *w, struct woven *o)
{
    const struct observer *observer = o->observer;
    uint32_t clocks = observer->clocks.len, states = observer->states.len;
    uint8_t *runs = mem_alloc(w->model->mem, (size_t)states * clocks + 1);
    bool *fresh = mem_alloc(w->model->mem, ((size_t)states * clocks + 1) * sizeof *fresh),
         good = true;
    for (uint32_t c = 0; c < clocks; c++) runs[c] = OFF;
    for (uint32_t i = 0; i < states * clocks; i++) fresh[i] = i >= clocks;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < observer->edges.len; i++) {
            const struct observer_edge *edge = &observer->edges.data[i];
            for (uint32_t c = 0; c < clocks; c++) {
                uint8_t after = runs[(size_t)edge->from * clocks + c],
                        *to = &runs[(size_t)edge->to * clocks + c];
                bool starts = false;
                for (uint32_t a = 0; a < edge->actions; a++) {
                    const struct observer_action *action =
                        &observer->actions.data[edge->first_action + a];
                    if (action->clock == c && after) after = action->starts ? ON : OFF;
                    if (action->clock == c) starts = action->starts;
                }
                fresh[(size_t)edge->to * clocks + c] &= starts;
                changed |= (*to | after) != *to;
                *to |= after;
            }
        }
    }
    for (uint32_t i = 0; i < observer->edges.len; i++) {
        const struct observer_edge *edge = &observer->edges.data[i];
        for (uint32_t g = 0; g < edge->guards; g++) {
            const struct observer_guard *guard = &observer->guards.data[edge->first_guard + g];
            uint8_t here = runs[(size_t)edge->from * clocks + guard->clock];
            if (!here || here == ON) continue;
            diag_error(w->diag, DIAG_CONFLICT, edge->place,
                       "the clock '%s' %s in state '%s' of '%s'",
                       observer->clocks.data[guard->clock],
                       here == OFF ? "does not run" : "runs or not, depending on the way there,",
                       observer->states.data[edge->from], observer->name);
            good = false;
        }
        o->by_itself[i] = is_guard_only(edge);
    }
    find_deadlines(o, fresh);
    mem_free(w->model->mem, runs);
    mem_free(w->model->mem, fresh);
    return good;
}

/* ---- an observer ---- */

struct start {
    struct weaver *weaver;
    const struct woven *woven;
};

/* In an initial state nothing has happened. */
static int64_t start_in(void *context, const int64_t *state)
{
    const struct start *start = context;
    const struct observer *observer = start->woven->observer;
    for (uint32_t i = 0; i < observer->edges.len; i++) {
        const struct observer_edge *edge = &observer->edges.data[i];
        int64_t value;
        if (edge->from || edge->event != CONTEXT_NONE || edge->guards) continue;
        if (!edge->has_predicate
            || (eval_expr(start->weaver->model, edge->predicate, state, &value) && value))
            return edge->to; /* clocks that it starts are 0 at the beginning */
    }
    return 0;
}

static bool looks_at_start(const struct observer *observer)
{
    for (uint32_t i = 0; i < observer->edges.len; i++) {
        const struct observer_edge *edge = &observer->edges.data[i];
        if (!edge->from && edge->event == CONTEXT_NONE && !edge->guards) return true;
    }
    return false;
}

static void add_process(struct weaver *w, struct woven *o)
{
    struct model *model = w->model;
    const struct observer *observer = o->observer;
    struct model_process process = {.name = observer->name,
                                    .role = ROLE_OBSERVER,
                                    .type = "observer",
                                    .first_location = model->locations.len,
                                    .locations = observer->states.len,
                                    .place = observer->place};
    o->process = model->processes.len;
    for (uint32_t s = 0; s < observer->states.len; s++)
        vec_push(model->mem, &model->locations,
                 ((struct model_location){
                     .value = s, .name = observer->states.data[s], .place = observer->place}));
    struct model_var var = {.name = names_format(&model->names, "%s.state", observer->name),
                            .process = o->process,
                            .high = observer->states.len - 1,
                            .place = observer->place};
    process.location = model->vars.len;
    vec_push(model->mem, &model->processes, process);
    o->state = graft_variable(model, var);
}

static uint32_t constraints_in(const struct observer *observer, const struct observer_edge *edge)
{
    uint32_t count = edge->guards;
    for (uint32_t i = 0; i < edge->guards; i++)
        count += observer->guards.data[edge->first_guard + i].op == EXPR_EQ;
    return count;
}

/* Whether there is room for the guards of every edge and of every state; says so if not. */
static bool check_guards(struct weaver *w, const struct woven *o)
{
    const struct observer *observer = o->observer;
    for (uint32_t i = 0; i < observer->edges.len; i++) {
        const struct observer_edge *edge = &observer->edges.data[i];
        uint32_t count = constraints_in(observer, edge);
        if (count <= MOST_CONSTRAINTS) continue;
        diag_error(
            w->diag, DIAG_LIMIT, edge->place,
            "an edge of '%s' has %u guards of clocks (an equality is two): at most %d are possible",
            observer->name, count, MOST_CONSTRAINTS);
        return false;
    }
    for (uint32_t s = 0; s < observer->states.len; s++) {
        uint64_t ways = 1;
        for (uint32_t i = 0; i < observer->edges.len && ways <= MOST_WAYS; i++)
            if (counts(o, i, s))
                ways *= constraints_in(observer, &observer->edges.data[i]) + UINT64_C(1);
        if (ways <= MOST_WAYS) continue;
        diag_error(w->diag, DIAG_LIMIT, observer->place,
                   "the edges from state '%s' of '%s' have too many guards of clocks together",
                   observer->states.data[s], observer->name);
        return false;
    }
    return true;
}

/* `seen`, and the clocks. */
static bool add_clocks(struct weaver *w, struct woven *o)
{
    struct model *model = w->model;
    const struct observer *observer = o->observer;
    uint32_t most = 0;
    o->first_clock = model->clocks.len;
    o->seen = MODEL_NONE;
    for (uint32_t c = 0; c < observer->clocks.len; c++)
        vec_push(model->mem, &model->clocks,
                 ((struct model_clock){.name = names_format(&model->names, "%s.%s", observer->name,
                                                            observer->clocks.data[c]),
                                       .place = observer->place}));
    if (!check_clocks(w, o) || !check_guards(w, o)) return false;
    for (uint32_t i = 0; i < observer->edges.len; i++)
        if (has_clocks(&observer->edges.data[i]) && !o->by_itself[i])
            o->is_timed[observer->edges.data[i].from] = true;
    for (uint32_t s = 0; s < observer->states.len; s++)
        if (o->is_timed[s] && edges_from(o, s) > most) most = edges_from(o, s);
    if (most > MOST_TIMED_EDGES) {
        diag_error(w->diag, DIAG_LIMIT, observer->place,
                   "a state of '%s' has %u edges, some with clocks: at most %d are possible",
                   observer->name, most, MOST_TIMED_EDGES);
        return false;
    }
    if (!most) return true;
    o->seen = graft_variable(
        model, (struct model_var){.name = names_format(&model->names, "%s.seen", observer->name),
                                  .process = o->process,
                                  .is_internal = true,
                                  .high = (INT64_C(1) << most) - 1,
                                  .place = observer->place});
    return true;
}

static bool begin(struct weaver *w, struct woven *o, const struct observer *observer)
{
    struct model *model = w->model;
    *o = (struct woven){.observer = observer,
                        .is_timed = mem_alloc(model->mem, observer->states.len + UINT64_C(1)),
                        .deadlines = mem_alloc(model->mem, (observer->edges.len + UINT64_C(1))
                                                               * sizeof *o->deadlines),
                        .never = mem_alloc(model->mem, observer->edges.len + UINT64_C(1)),
                        .by_itself = mem_alloc(model->mem, observer->edges.len + UINT64_C(1))};
    add_process(w, o);
    if (!add_clocks(w, o)) return false;
    struct start start = {w, o};
    if (looks_at_start(observer)
        && !graft_initial(model, o->state, MOST_INITIAL, start_in, &start)) {
        diag_error(w->diag, DIAG_LIMIT, observer->place,
                   "'%s' looks at initial states, and there are more than %d of them",
                   observer->name, MOST_INITIAL);
        return false;
    }
    return true;
}

static void add_property(struct weaver *w, const char *name, const char *text,
                         enum property_kind kind, formula root, struct place place)
{
    struct model_property property = {
        .name = name, .kind = kind, .text = text, .root = root, .place = place};
    vec_push(w->model->mem, &w->model->properties, property);
}

static formula atom(struct weaver *w, expr cond, struct place place)
{
    return formula_atom(&w->model->formulas, cond, place);
}

static formula compose(struct weaver *w, enum formula_op op, formula a, formula b,
                       struct place place)
{
    return formula_make(&w->model->formulas, w->exprs, op, a, b, place);
}

static formula temporal(struct weaver *w, enum formula_op op, expr cond, struct place place)
{
    formula a = atom(w, cond, place);
    return compose(w, op, a, a, place);
}

static expr negation(struct weaver *w, expr e) { return expr_make(w->exprs, EXPR_NOT, 0, e, e); }

/* No run stays in the pending states for ever. One that a restriction cuts is not followed to its
 * end, so it owes nothing; where it is cut it remains. */
static formula obligation(struct weaver *w, const struct woven *o)
{
    const struct observer *observer = o->observer;
    struct place place = observer->place;
    expr pending = expr_bool(w->exprs, false);
    for (uint32_t i = 0; i < observer->pending.len; i++)
        pending = expr_make(w->exprs, EXPR_OR, 0, pending,
                            is_value(w, o->state, observer->pending.data[i]));
    expr owes_nothing = negation(w, pending);
    if (w->has_cut) owes_nothing = expr_make(w->exprs, EXPR_OR, 0, owes_nothing, w->is_cut);
    formula leaves = temporal(w, FORMULA_F, owes_nothing, place);
    return compose(w, FORMULA_G, leaves, leaves, place);
}

/* What a property asks: that success is reached, or that reject never is and nothing is owed for
 * ever. */
static void judge(struct weaver *w, const struct woven *o)
{
    const struct observer *observer = o->observer;
    struct place place = observer->place;
    if (observer->is_restriction) return;
    if (observer->goal != CONTEXT_NONE) {
        add_property(w, observer->name, observer->text, PROPERTY_REACH,
                     atom(w, is_value(w, o->state, observer->goal), place), place);
        return;
    }
    expr is_good = observer->bad == CONTEXT_NONE
                       ? expr_bool(w->exprs, true)
                       : negation(w, is_value(w, o->state, observer->bad));
    if (!observer->pending.len) {
        add_property(w, observer->name, observer->text, PROPERTY_INVARIANT, atom(w, is_good, place),
                     place);
        return;
    }
    formula owed = obligation(w, o);
    if (observer->bad != CONTEXT_NONE)
        owed = compose(w, FORMULA_AND, temporal(w, FORMULA_G, is_good, place), owed, place);
    add_property(w, observer->name, observer->text, PROPERTY_LTL, owed, place);
}

/* The end of what is searched. */
static void restrict_rules(struct weaver *w, const struct woven *o)
{
    struct model *model = w->model;
    const struct observer *observer = o->observer;
    if (!observer->is_restriction || observer->bad == CONTEXT_NONE) return;
    expr is_bad = is_value(w, o->state, observer->bad);
    uint32_t wording = model_add_wording(
        model, (struct model_wording){.kind = WORDING_RESTRICTION, .text = observer->name});
    for (uint32_t r = 0; r < model->rules.len; r++)
        graft_condition(model, r, negation(w, is_bad), observer->place, wording);
    w->is_cut = w->has_cut ? expr_make(w->exprs, EXPR_OR, 0, w->is_cut, is_bad) : is_bad;
    w->has_cut = true;
    vec_push(model->mem, &model->restrictions,
             names_intern(&model->names, observer->name, strlen(observer->name)));
    model->final =
        model->has_final ? expr_make(w->exprs, EXPR_OR, 0, model->final, is_bad) : is_bad;
    model->has_final = true;
}

bool observe_weave(struct model *model, const struct context *context, struct diag *diag)
{
    struct weaver w = {.model = model,
                       .exprs = &model->exprs,
                       .context = context,
                       .diag = diag,
                       .rules = model->rules.len,
                       .everyone = MODEL_NONE,
                       .urgent = MODEL_NONE};
    uint32_t count = context->observers.len, events = context->events.len;
    struct woven *woven = mem_alloc(model->mem, (count + UINT64_C(1)) * sizeof *woven);
    bool good = true;
    w.all = woven;
    w.locals = mem_alloc(model->mem, (events + UINT64_C(1)) * sizeof *w.locals);
    for (uint32_t e = 0; e < events; e++) w.locals[e] = (struct event_locals){NO_LOCAL, NO_LOCAL};
    model_finish(model);
    find_possible(&w);
    for (uint32_t i = 0; i < context->assertions.len; i++) {
        const struct context_assertion *assertion = &context->assertions.data[i];
        add_property(&w, assertion->name, assertion->text, PROPERTY_INVARIANT,
                     atom(&w, assertion->condition, assertion->place), assertion->place);
    }
    for (uint32_t i = 0; good && i < count; i++)
        good = begin(&w, &woven[i], &context->observers.data[i]);
    if (good) {
        move_observers(&w, woven, count);
        for (uint32_t i = 0; i < count; i++) add_clock_rules(&w, &woven[i]);
        for (uint32_t i = 0; i < count; i++) restrict_rules(&w, &woven[i]);
        for (uint32_t i = 0; i < count; i++) judge(&w, &woven[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        mem_free(model->mem, woven[i].is_timed);
        mem_free(model->mem, woven[i].deadlines);
        mem_free(model->mem, woven[i].never);
        mem_free(model->mem, woven[i].by_itself);
        vec_free(model->mem, &woven[i].functions);
    }
    mem_free(model->mem, woven);
    mem_free(model->mem, w.locals);
    mem_free(model->mem, w.possible);
    model_finish(model);
    CHECKED(!good || model_check(model, NULL));
    return good;
}
