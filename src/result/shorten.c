/* Steps are left out, many at first and then fewer (delta debugging: Zeller and Hildebrandt, 2002),
 * as long as what is left is a run that ends in a violation: steps that follow each other, and
 * steps of one process that do, because what a process does for nothing is scattered among what
 * others do. Each attempt is replayed and looked at by what verifies evidence, so a run is
 * shortened to one that shows the same or not at all. At the end no single step can be left out,
 * unless the work that may be spent was not enough.
 *
 * Invariant: (1) `best` is a run that shows the violation, and no longer than the first one. */
#include "result/shorten.h"

#include <assert.h>
#include <string.h>

enum { MOST_WORK = 1000000 }; /* steps that are replayed */

struct shortening {
    const struct model *model;
    enum property_kind kind;
    expr invariant;
    struct trace *best;
    uint32_t *places; /* of steps in it: those that may be left out together */
    uint32_t count;
    uint64_t work;
};

/* The steps in which the process takes part; MODEL_NONE: all. */
static void find_places(struct shortening *s, uint32_t process)
{
    s->count = 0;
    for (uint32_t i = 0; i < s->best->steps; i++)
        if (process == MODEL_NONE || model_takes_part(s->model, s->best->rules[i], process))
            s->places[s->count++] = i;
}

/* The run without the steps at some of the places. */
static struct trace *without(const struct shortening *s, uint32_t from, uint32_t to)
{
    const struct trace *best = s->best;
    struct trace *made = trace_new(s->model, best->steps - (to - from));
    uint32_t kept = 0;
    memcpy(made->initial, best->initial, s->model->vars.len * sizeof *made->initial);
    for (uint32_t i = 0, at = from; i < best->steps; i++) {
        if (at < to && s->places[at] == i) at++;
        else made->rules[kept++] = best->rules[i];
    }
    assert(kept == made->steps);
    made->failed_rule = best->failed_rule;
    return made;
}

/* Leaves out so many at a time, from the end on: places before them stay what they are. Short runs
 * are tried everywhere, long ones at some distance. Whether something was gained. */
static bool leave_out(struct shortening *s, uint32_t size)
{
    const uint32_t pace = 1 + size / 16;
    bool gained = false;
    for (uint32_t to = s->count; to && s->work < MOST_WORK;) {
        const uint32_t from = to > size ? to - size : 0;
        struct trace *tried = without(s, from, to);
        s->work += tried->steps + 1;
        const bool good = !trace_verify(s->model, tried, s->kind, s->invariant);
        assert(tried->steps <= s->best->steps); /* (1) */
        trace_free(s->model, good ? s->best : tried);
        if (good) s->best = tried;
        gained |= good;
        to = good ? from : from ? to - (pace < to ? pace : to) : 0;
    }
    return gained;
}

struct trace *shorten_run(const struct model *model, const struct trace *trace,
                          enum property_kind kind, expr invariant)
{
    struct shortening s = {.model = model, .kind = kind, .invariant = invariant};
    if (trace->delays || trace->loop != MODEL_NONE || !trace->steps) return NULL;
    s.places = mem_alloc(model->mem, (trace->steps + UINT64_C(1)) * sizeof *s.places);
    s.best = (struct trace *)trace;
    s.best = without(&s, 0, 0); /* a copy */
    for (uint32_t size = trace->steps; size && s.work < MOST_WORK;) {
        bool gained = false;
        for (uint32_t group = 0; group <= model->processes.len; group++) {
            find_places(&s, group ? group - 1 : MODEL_NONE);
            if (size <= s.count) gained |= leave_out(&s, size);
        }
        if (size > 1 || !gained) size -= 1 + size / 8;
    }
    mem_free(model->mem, s.places);
    if (s.best->steps < trace->steps) return s.best;
    trace_free(model, s.best);
    return NULL;
}
