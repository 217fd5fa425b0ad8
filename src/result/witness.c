/* A condition changes during a delay only where a clock or a timer is at a constant of the model.
 * In halves of the run's own parts of a tick, all these moments are even numbers, and so are the
 * ends of delays: so it is enough to look at each such moment and one before and behind it. */
#include "result/witness.h"

#include <assert.h>

struct witness {
    const struct model *model;
    const struct trace *trace;
    const struct model_query *query;
    struct timed_state state, other;
    int64_t *moments;
    uint32_t step; /* so many are done */
    bool is_good;  /* so far, and for --> since a moment with p */
    bool is_whole; /* the part that repeats has been good from its beginning */
    const char *wrong;
};

/* What the moment says: whether a run can go on as one that shows the answer. */
static void look(struct witness *w, struct timed_state *state)
{
    const struct model_query *query = w->query;
    bool p = false, q = false;
    if (!timed_holds(state, query->p, &p)
        || (query->kind == QUERY_LEADS && !timed_holds(state, query->q, &q))) {
        w->wrong = "the query cannot be evaluated on the run";
        return;
    }
    if (query->kind == QUERY_LEADS) {
        w->is_good = !q && (p || w->is_good);
        w->is_whole &= !q;
    } else {
        const bool good = p == (query->kind == QUERY_KEEPS);
        w->is_good &= good;
        w->is_whole &= good;
    }
}

/* The moments of a delay, its ends included; without an end: all in which something changes. */
static void look_during(struct witness *w, int64_t delay, bool has_end)
{
    const uint32_t count = timed_moments(&w->state, w->moments);
    int64_t last = -1;
    for (uint32_t i = 0; !w->wrong && i < count; i++) {
        if (has_end && w->moments[i] > delay) break;
        timed_copy(&w->other, &w->state);
        if (!timed_wait(&w->other, w->moments[i])) break;
        look(w, &w->other);
        last = w->moments[i];
    }
    if (!w->wrong && has_end && last < delay) {
        timed_copy(&w->other, &w->state);
        if (timed_wait(&w->other, delay)) look(w, &w->other);
        else w->wrong = "a delay is too long for its state";
    }
}

/* A run that ends: time passes for ever, or nothing is possible any more. */
static void look_at_end(struct witness *w)
{
    const struct timed_window patience = timed_patience(&w->state);
    if (!patience.infinite && !timed_is_stuck(&w->state))
        w->wrong = "the run could go on, and must not rest";
    else look_during(w, 0, false);
}

static void follow_delay(struct witness *w)
{
    const int64_t delay = w->trace->delays ? 2 * w->trace->delays[w->step] : 0;
    look_during(w, delay, true);
    if (!w->wrong && !timed_wait(&w->state, delay)) w->wrong = "a delay is too long for its state";
}

static void follow(struct witness *w)
{
    const struct trace *trace = w->trace;
    for (w->step = 0; !w->wrong; w->step++) {
        if (w->step == trace->loop) w->is_whole = true;
        follow_delay(w);
        const bool closes = w->step == trace->steps;
        if (w->wrong || (closes && trace->loop == MODEL_NONE)) break;
        if (!timed_take(&w->state, trace->rules[w->step]))
            w->wrong =
                closes ? "the loop is not closed" : "a rule is taken when it cannot be taken";
        if (closes) break;
    }
    if (!w->wrong) look(w, &w->state);
    if (!w->wrong && trace->loop == MODEL_NONE) look_at_end(w);
    if (!w->wrong && (!w->is_good || (trace->loop != MODEL_NONE && !w->is_whole)))
        w->wrong = "the query has another value on the run";
}

/* A[] and E<>: the end tells. */
static void judge_end(struct witness *w)
{
    bool value = false;
    w->wrong = trace_follow(w->trace, &w->state);
    if (!w->wrong && !timed_holds(&w->state, w->query->p, &value))
        w->wrong = "the query cannot be evaluated at the end";
    if (!w->wrong && value != (w->query->kind == QUERY_SOMETIME))
        w->wrong = "the query has another value at the end";
}

const char *witness_check(const struct model *model, const struct trace *trace,
                          const struct model_query *query)
{
    struct witness w = {.model = model, .trace = trace, .query = query};
    const bool at_end = query->kind == QUERY_ALWAYS || query->kind == QUERY_SOMETIME;
    const int64_t parts = trace->denominator ? trace->denominator : 1;
    timed_init(&w.state, model, at_end ? parts : 2 * parts);
    timed_init(&w.other, model, at_end ? parts : 2 * parts);
    w.moments = mem_alloc(model->mem, timed_moments_most(model) * sizeof *w.moments);
    w.is_good = query->kind != QUERY_LEADS;
    if (!model_is_timed(model)) assert(!trace->delays);
    if (at_end) judge_end(&w);
    else if (!timed_start(&w.state, trace->initial)) w.wrong = "it does not start initially";
    else follow(&w);
    mem_free(model->mem, w.moments);
    timed_release(&w.state);
    timed_release(&w.other);
    return w.wrong;
}
