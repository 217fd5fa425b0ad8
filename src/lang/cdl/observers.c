/* Observers: states, clocks and edges by number, and what is odd about them. Of several edges that
 * could be taken, the first in the text is. */
#include "lang/cdl/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number_of(struct cdl *cdl, struct observer *observer, bool is_clock,
                          const char *name)
{
    uint32_t count = is_clock ? observer->clocks.len : observer->states.len;
    const char **names = is_clock ? observer->clocks.data : observer->states.data;
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return i;
    if (is_clock) vec_push(cdl->mem, &observer->clocks, name);
    else vec_push(cdl->mem, &observer->states, name);
    return count;
}

static bool add_guards(struct cdl *cdl, const struct cdl_guard *guard, struct observer *observer)
{
    for (; guard; guard = guard->next) {
        struct observer_guard added = {.clock = number_of(cdl, observer, true, guard->clock),
                                       .op = guard->op};
        int64_t units;
        if (!cdl_number(cdl, &guard->number, &units)) return false;
        if (units < 0 || __builtin_mul_overflow(units, cdl->model->ticks, &added.ticks)) {
            diag_error(cdl->diag, DIAG_RANGE, guard->number.place,
                       "a clock cannot be compared with %" PRId64, units);
            return false;
        }
        vec_push(cdl->mem, &observer->guards, added);
    }
    return true;
}

static bool add_edge(struct cdl *cdl, const struct cdl_edge *edge, struct observer *observer)
{
    struct observer_edge added = {.first_guard = observer->guards.len,
                                  .has_predicate = edge->predicate != NULL,
                                  .event = CONTEXT_NONE,
                                  .place = edge->place};
    bool good = add_guards(cdl, edge->guards, observer);
    added.from = number_of(cdl, observer, false, edge->from.name);
    added.to = number_of(cdl, observer, false, edge->to.name);
    added.guards = observer->guards.len - added.first_guard;
    if (edge->predicate) good &= cdl_condition(cdl, edge->predicate, &added.predicate);
    if (edge->event) good &= cdl_event(cdl, edge->event, edge->event_place, &added.event);
    if (edge->body) good &= cdl_inline_event(cdl, edge->body, &added.event);
    added.first_action = observer->actions.len;
    for (const struct cdl_action *action = edge->actions; action; action = action->next)
        vec_push(cdl->mem, &observer->actions,
                 ((struct observer_action){number_of(cdl, observer, true, action->clock),
                                           action->starts}));
    added.actions = observer->actions.len - added.first_action;
    vec_push(cdl->mem, &observer->edges, added);
    return good;
}

/* Whether edges lead from the start to a state. */
static bool is_reached(struct cdl *cdl, const struct observer *observer, uint32_t state)
{
    assert(state < observer->states.len && !strcmp(observer->states.data[0], "start"));
    bool *reached = mem_alloc(cdl->mem, observer->states.len * sizeof *reached), changed = true;
    reached[0] = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < observer->edges.len; i++) {
            const struct observer_edge *edge = &observer->edges.data[i];
            if (!reached[edge->from] || reached[edge->to]) continue;
            reached[edge->to] = changed = true;
        }
    }
    bool result = reached[state];
    mem_free(cdl->mem, reached);
    return result;
}

/* An edge behind one from the same state that asks for nothing is never taken. */
static void warn_hidden(struct cdl *cdl, const struct observer *observer)
{
    for (uint32_t i = 0; i < observer->edges.len; i++) {
        const struct observer_edge *edge = &observer->edges.data[i];
        for (uint32_t k = 0; k < i; k++) {
            const struct observer_edge *before = &observer->edges.data[k];
            bool asks =
                before->guards
                || (before->has_predicate
                    && !(edge->has_predicate && expr_same(edge->predicate, before->predicate)))
                || (before->event != CONTEXT_NONE && before->event != edge->event);
            if (before->from != edge->from || asks) continue;
            diag_warning(cdl->diag, DIAG_NEVER, edge->place,
                         "this edge is never taken: one above is always taken instead");
            diag_note(cdl->diag, before->place, "here");
            break;
        }
    }
}

static void warn_clocks(struct cdl *cdl, const struct cdl_decl *decl,
                        const struct observer *observer)
{
    for (const struct cdl_edge *edge = decl->edges; edge; edge = edge->next)
        for (const struct cdl_guard *guard = edge->guards; guard; guard = guard->next) {
            bool starts = false;
            for (uint32_t i = 0; i < observer->actions.len; i++)
                starts |= observer->actions.data[i].starts
                          && !strcmp(observer->clocks.data[observer->actions.data[i].clock],
                                     guard->clock);
            if (!starts)
                diag_warning(cdl->diag, DIAG_NEVER, guard->place,
                             "the clock '%.60s' is never started: this is never true",
                             guard->clock);
        }
}

static void find_ends(struct observer *observer, const char *bad)
{
    for (uint32_t s = 0; s < observer->states.len; s++) {
        if (!strcmp(observer->states.data[s], bad)) observer->bad = s;
        if (!observer->is_restriction && !strcmp(observer->states.data[s], "success"))
            observer->goal = s;
    }
    if (observer->bad != CONTEXT_NONE) observer->goal = CONTEXT_NONE;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool add_pending(struct cdl *cdl, const struct cdl_decl *decl, struct observer *observer)
{
    for (const struct cdl_name *name = decl->pending; name; name = name->next) {
        const char *nearest = NULL;
        unsigned distance = 0;
        uint32_t s = 0;
        while (s < observer->states.len && strcmp(observer->states.data[s], name->name))
            text_nearest(name->name, observer->states.data[s++], &nearest, &distance);
        if (s == observer->states.len || s == observer->bad) {
            if (s == observer->bad)
                diag_error(cdl->diag, DIAG_MISPLACED, name->place,
                           "a run is violated at once in 'reject': nothing is pending there");
            else
                diag_error_near(cdl->diag, DIAG_UNKNOWN, name->place, nearest,
                                "the property '%.60s' has no state '%.60s'", decl->name,
                                name->name);
            return false;
        }
        vec_push(cdl->mem, &observer->pending, s);
    }
    if (observer->pending.len)
        qsort(observer->pending.data, observer->pending.len, sizeof *observer->pending.data,
              by_number);
    return true;
}

/* What is asked, in words. */
static const char *describe(struct cdl *cdl, const struct observer *observer, const char *bad)
{
    if (observer->goal != CONTEXT_NONE)
        return names_format(&cdl->names, "the observer %s reaches state success", observer->name);
    if (!observer->pending.len)
        return names_format(&cdl->names, "the observer %s is never in state %s", observer->name,
                            bad);
    return names_format(
        &cdl->names,
        observer->bad == CONTEXT_NONE
            ? "the observer %s never stays in pending states for ever"
            : "the observer %s is never in state reject and never stays in pending states for ever",
        observer->name);
}

static void warn_ends(struct cdl *cdl, const struct cdl_decl *decl, const struct observer *observer,
                      const char *bad)
{
    const char *what = observer->is_restriction ? "restriction" : "property";
    uint32_t end = observer->goal != CONTEXT_NONE ? observer->goal : observer->bad;
    if (end == CONTEXT_NONE && !observer->pending.len)
        diag_warning(cdl->diag, DIAG_NEVER, decl->place, "the %s '%.60s' has no state '%s': it %s",
                     what, decl->name, bad,
                     observer->is_restriction ? "cuts nothing" : "always holds");
    else if (end != CONTEXT_NONE && !is_reached(cdl, observer, end))
        diag_warning(cdl->diag, DIAG_UNUSED, decl->place,
                     "the state '%s' of the %s '%.60s' is not reached from 'start'",
                     observer->states.data[end], what, decl->name);
}

bool cdl_observer(struct cdl *cdl, const struct cdl_decl *decl)
{
    struct observer observer = {.name = decl->name,
                                .is_restriction = decl->kind == CDL_DECL_RESTRICTION,
                                .bad = CONTEXT_NONE,
                                .goal = CONTEXT_NONE,
                                .place = decl->place};
    const char *bad = observer.is_restriction ? "cut" : "reject",
               *what = observer.is_restriction ? "restriction" : "property";
    bool good = true, starts = false;
    if (decl->pattern) return cdl_pattern_observer(cdl, decl);
    number_of(cdl, &observer, false, "start");
    for (const struct cdl_edge *edge = decl->edges; edge; edge = edge->next) {
        good &= add_edge(cdl, edge, &observer);
        starts |= !strcmp(edge->from.name, "start");
    }
    if (!starts) {
        diag_error(cdl->diag, DIAG_MISSING, decl->place,
                   "the %s '%.60s' has no edge from 'start', where it begins", what, decl->name);
        return false;
    }
    find_ends(&observer, bad);
    good &= add_pending(cdl, decl, &observer);
    if (observer.pending.len) observer.goal = CONTEXT_NONE; /* leaving them is what is asked for */
    assert(observer.goal == CONTEXT_NONE || observer.bad == CONTEXT_NONE); /* one is asked for */
    observer.text = describe(cdl, &observer, bad);
    if (good) warn_ends(cdl, decl, &observer, bad);
    if (good) warn_hidden(cdl, &observer);
    warn_clocks(cdl, decl, &observer);
    vec_push(cdl->mem, &cdl->context->observers, observer);
    return good;
}
