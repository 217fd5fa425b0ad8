/* Steps are left out, many at first and then fewer (delta debugging: Zeller and Hildebrandt, 2002),
 * as long as what is left is a run that ends in a violation: steps that follow each other, and
 * steps of one process that do, because what a process does for nothing is scattered among what
 * others do. Each attempt is looked at by a judge, which replays it as evidence is, so a run is
 * shortened to one that shows the same or not at all. At the end no single step can be left out,
 * unless the work that may be spent was not enough.
 *
 * A run that repeats has one step more than states: the one that closes its loop. It may also be
 * entered earlier: when the step before the loop does what the last one of the loop does, the loop
 * begins with it, and that one is left out.
 *
 * Invariant: (1) `best` is a run that shows the violation, and no longer than the first one. */
#include "result/shorten.h"

#include <assert.h>
#include <string.h>

enum { LOOP_WORK = 100000 }; /* steps that are replayed for a loop, after a search */

struct shortening {
    const struct model *model;
    const struct shorten_judge *judge;
    struct trace *best;
    uint32_t *places; /* of steps in it: those that may be left out together */
    uint32_t count;
    uint64_t work;
};

/* Steps of a run, with the one that closes its loop. */
static uint32_t steps_of(const struct trace *trace)
{
    const bool closes = trace->loop != MODEL_NONE && trace->rules[trace->steps] != MODEL_NONE;
    return trace->steps + closes;
}

/* The steps in which the process takes part; MODEL_NONE: all. */
static void find_places(struct shortening *s, uint32_t process)
{
    s->count = 0;
    for (uint32_t i = 0; i < steps_of(s->best); i++)
        if (process == MODEL_NONE || model_takes_part(s->model, s->best->rules[i], process))
            s->places[s->count++] = i;
}

/* Room for a run of the same kind with so many steps, the one that closes a loop included. */
static struct trace *new_like(const struct shortening *s, uint32_t steps)
{
    const struct trace *best = s->best;
    const bool closes = steps_of(best) > best->steps;
    struct trace *made = trace_new(s->model, steps - closes);
    if (best->delays) trace_add_delays(s->model, made, best->denominator);
    memcpy(made->initial, best->initial, s->model->vars.len * sizeof *made->initial);
    made->failed_rule = best->failed_rule;
    if (best->loop != MODEL_NONE && !closes) {
        made->loop = made->steps; /* nothing is possible in its last state */
        made->rules[made->steps] = MODEL_NONE;
    }
    return made;
}

/* The run without the steps at some of the places; NULL: nothing would be left of its loop. */
static struct trace *without(const struct shortening *s, uint32_t from, uint32_t to)
{
    const struct trace *best = s->best;
    const uint32_t all = steps_of(best);
    const bool closes = all > best->steps;
    uint32_t kept = 0, before = 0;
    int64_t passed = 0;
    for (uint32_t at = from; at < to; at++) before += s->places[at] < best->loop;
    if (closes && to - from - before == all - best->loop) return NULL;
    struct trace *made = new_like(s, all - (to - from));
    for (uint32_t i = 0, at = from; i < all; i++) {
        if (best->delays) passed += best->delays[i];
        if (at < to && s->places[at] == i) {
            at++;
            continue;
        }
        if (best->delays) made->delays[kept] = passed;
        passed = 0;
        made->rules[kept++] = best->rules[i];
    }
    if (closes) made->loop = best->loop - before;
    assert(kept == steps_of(made));
    if (best->delays && !closes) made->delays[kept] = passed + best->delays[best->steps];
    return made;
}

static bool try(struct shortening *s, struct trace *tried)
{
    if (!tried) return false;
    s->work += tried->steps + 1;
    const bool good = s->judge->shows(s->judge->context, tried);
    assert(tried->steps <= s->best->steps); /* (1) */
    trace_free(s->model, good ? s->best : tried);
    if (good) s->best = tried;
    return good;
}

/* Leaves out so many at a time, from the end on: places before them stay what they are. Short runs
 * are tried everywhere, long ones at some distance. Whether something was gained. */
static bool leave_out(struct shortening *s, uint32_t size)
{
    const uint32_t pace = 1 + size / 16;
    bool gained = false;
    for (uint32_t to = s->count; to && s->work < s->judge->most_work;) {
        const uint32_t from = to > size ? to - size : 0;
        const bool good = try(s, without(s, from, to));
        gained |= good;
        to = good ? from : from ? to - (pace < to ? pace : to) : 0;
    }
    return gained;
}

/* The loop begins a step earlier, as long as it can. */
static bool enter_earlier(struct shortening *s)
{
    bool gained = false;
    for (;;) {
        const struct trace *best = s->best;
        const uint32_t all = steps_of(best);
        if (all == best->steps || !best->loop || s->work >= s->judge->most_work) return gained;
        if (best->rules[best->loop - 1] != best->rules[all - 1]) return gained;
        struct trace *made = new_like(s, all - 1);
        memcpy(made->rules, best->rules, (all - 1) * sizeof *made->rules);
        if (best->delays) memcpy(made->delays, best->delays, (all - 1) * sizeof *made->delays);
        made->loop = best->loop - 1;
        if (!try(s, made)) return gained;
        gained = true;
    }
}

struct trace *shorten_run(const struct model *model, const struct trace *trace,
                          const struct shorten_judge *judge)
{
    struct shortening s = {.model = model, .judge = judge};
    const uint32_t all = steps_of(trace);
    if (!all) return NULL;
    s.places = mem_alloc(model->mem, (all + UINT64_C(1)) * sizeof *s.places);
    s.best = (struct trace *)trace;
    s.best = without(&s, 0, 0); /* a copy */
    enter_earlier(&s);
    for (uint32_t size = all; size && s.work < judge->most_work;) {
        bool gained = false;
        for (uint32_t group = 0; group <= model->processes.len; group++) {
            find_places(&s, group ? group - 1 : MODEL_NONE);
            if (size <= s.count) gained |= leave_out(&s, size);
        }
        gained |= enter_earlier(&s);
        if (size > 1 || !gained) size -= 1 + size / 8;
    }
    mem_free(model->mem, s.places);
    if (s.best->steps < trace->steps) return s.best;
    trace_free(model, s.best);
    return NULL;
}

/* ---- loops ---- */

struct loop_of {
    const struct model *model;
    formula f;
};

static bool is_violated(void *context, struct trace *tried)
{
    const struct loop_of *loop = context;
    return !trace_verify_temporal(loop->model, tried, PROPERTY_LTL, loop->f);
}

struct trace *shorten_loop(const struct model *model, const struct trace *trace, formula f)
{
    struct loop_of loop = {model, f};
    const struct shorten_judge judge = {is_violated, &loop, LOOP_WORK};
    if (trace->delays || trace->loop == MODEL_NONE || !is_violated(&loop, (struct trace *)trace))
        return NULL;
    return shorten_run(model, trace, &judge);
}
