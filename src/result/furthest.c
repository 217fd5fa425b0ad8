#include "result/furthest.h"

#include <assert.h>
#include <string.h>

void furthest_begin(struct furthest *furthest, struct task *task)
{
    struct mem *mem = task->model->mem;
    const size_t size = (task->property_count + UINT64_C(1)) * sizeof(struct property_result);
    *furthest = (struct furthest){.task = task};
    furthest->fresh = mem_alloc(mem, size);
    furthest->known = mem_alloc(mem, size);
    furthest->said = mem_alloc(mem, size);
    for (uint32_t i = 0; i < task->property_count; i++) {
        furthest->fresh[i] = task->properties[i];
        furthest->known[i].verdict = VERDICT_UNKNOWN;
    }
}

/* ---- verdicts ---- */

static void free_evidence(const struct model *model, struct property_result *entry)
{
    trace_free(model, entry->trace);
    mem_free(model->mem, entry->last);
    for (uint32_t i = 0; i < entry->further_count; i++) trace_free(model, entry->further[i].trace);
    for (uint32_t b = 0; b < entry->branch_count; b++) trace_free(model, entry->branches[b].trace);
}

/* The first answer stays, unless it has no run and this one has. */
static void keep_verdict(struct furthest *furthest, uint32_t i, const struct result *result)
{
    struct property_result *entry = &furthest->task->properties[i], *known = &furthest->known[i];
    const struct model *model = furthest->task->model;
    if (entry->verdict == VERDICT_UNKNOWN) return;
    if (known->verdict != VERDICT_UNKNOWN && known->verdict != entry->verdict)
        furthest->broken = "two searches contradict each other";
    bool better = known->verdict == VERDICT_UNKNOWN || (known->last && entry->trace);
    if (!better) {
        free_evidence(model, entry);
        return;
    }
    if (known->verdict != VERDICT_UNKNOWN) free_evidence(model, known);
    *known = *entry;
    if (!known->engine) known->engine = result->engine;
    assert(known->engine || result->refused); /* invariant 1 */
}

bool furthest_is_decided(const struct furthest *furthest)
{
    const struct task *task = furthest->task;
    bool asked = false;
    for (uint32_t i = 0; i < task->property_count; i++) {
        if (furthest->fresh[i].watched_only) continue;
        asked = true;
        if (furthest->known[i].verdict == VERDICT_UNKNOWN) return false;
    }
    return asked;
}

/* ---- which search is told ---- */

static int compare_digits(const char *a, const char *b)
{
    size_t x = strlen(a), y = strlen(b);
    return x != y ? x < y ? -1 : 1 : strcmp(a, b);
}

/* Digits are there only of what does not fit in 64 bits. */
static int compare_states(const struct result *a, const struct result *b)
{
    const char *x = a->exact.states, *y = b->exact.states;
    if (x && y) return compare_digits(x, y);
    if (x || y) return x ? 1 : -1;
    return (a->states > b->states) - (a->states < b->states);
}

bool furthest_is_further(const struct result *a, const struct result *b)
{
    if ((a->refused != NULL) != (b->refused != NULL)) return b->refused;
    if (a->all_states != b->all_states) return a->all_states;
    if (a->complete != b->complete) return a->complete;
    int states = compare_states(a, b);
    if (states) return states > 0;
    if (a->engine && b->engine && !strcmp(a->engine, b->engine) && a->expanded != b->expanded)
        return a->expanded > b->expanded;
    return a->bounded && (!b->bounded || a->bounded->depth > b->bounded->depth) && !b->states;
}

/* Only what every engine takes from memory; the rest of a result is small or the model's. */
static void free_result(struct mem *mem, struct result *result)
{
    mem_free(mem, result->taken);
    mem_free(mem, result->levels);
    mem_free(mem, result->reached);
    mem_free(mem, result->reached_first);
    mem_free(mem, result->timed);
    if (result->rounds) mem_free(mem, result->rounds->states);
    mem_free(mem, result->rounds);
    mem_free(mem, result->snapshot);
    if (result->clusters) mem_free(mem, result->clusters->sizes);
    if (result->clusters) mem_free(mem, result->clusters->quantiles);
    mem_free(mem, result->clusters);
}

/* For lack of memory the list may be shorter: it is no reason to end. */
static void note_search(struct furthest *furthest, const struct result *result)
{
    if (furthest->count == furthest->room) {
        uint32_t room = furthest->room + 8;
        struct search_brief *list =
            mem_try_resize(furthest->task->model->mem, furthest->searches, room * sizeof *list);
        if (!list) return;
        furthest->searches = list;
        furthest->room = room;
    }
    furthest->searches[furthest->count++] =
        (struct search_brief){.engine = result->engine,
                              .has_states = !result->bounded,
                              .states = result->states,
                              .digits = result->exact.states,
                              .has_depth = result->has_depth || result->bounded,
                              .depth = result->bounded ? result->bounded->depth : result->depth,
                              .stop = result->stop,
                              .seconds = result->seconds};
}

void furthest_add(struct furthest *furthest, struct result *result)
{
    struct task *task = furthest->task;
    const size_t size = task->property_count * sizeof *task->properties;
    bool first = !furthest->told.engine;
    assert(!first || !furthest->answered); /* invariant 2 */
    for (uint32_t i = 0; i < task->property_count; i++) keep_verdict(furthest, i, result);
    bool answers = !furthest->answered && furthest_is_decided(furthest);
    note_search(furthest, result);
    furthest->stop = result->stop;
    if (result->seconds > furthest->seconds) furthest->seconds = result->seconds;
    if (result->peak_bytes > furthest->peak_bytes) furthest->peak_bytes = result->peak_bytes;
    if (result->broken) furthest->broken = result->broken;
    if (first || answers || (!furthest->answered && furthest_is_further(result, &furthest->told))) {
        if (!first) free_result(task->model->mem, &furthest->told);
        furthest->told = *result;
        if (size) memcpy(furthest->said, task->properties, size);
    } else {
        free_result(task->model->mem, result);
    }
    memset(result, 0, sizeof *result);
    furthest->answered |= answers;
    if (size) memcpy(task->properties, furthest->fresh, size);
}

bool furthest_run(struct furthest *furthest, void (*search)(void *context), void *context)
{
    struct task *task = furthest->task, kept = *task;
    struct mem *mem = task->model->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf refused;
    const struct mem_lift limits = {mem->limit, mem->lifted};
    if (setjmp(refused)) {
        mem->recover = outer;
        mem_lower(mem, limits);
        *task = kept;
        furthest->stop = result_why_refused();
        const size_t size = task->property_count * sizeof *task->properties;
        if (size) memcpy(task->properties, furthest->fresh, size);
        return false;
    }
    mem->recover = &refused;
    search(context);
    mem->recover = outer;
    return true;
}

/* ---- the end ---- */

void furthest_settle(const struct task *task, struct result *result)
{
    bool decided = task->property_count, violated = false;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        decided &= entry->verdict != VERDICT_UNKNOWN || entry->watched_only;
        violated |= entry->verdict == VERDICT_VIOLATED;
    }
    if (!decided || result->complete) return;
    result->complete = result->all_states || (result->bounded && !violated);
    result->stop = result->complete ? STOP_NONE : STOP_DECIDED;
    result->stop_detail = NULL;
    assert(!result->complete || result->all_states || result->bounded); /* invariant 5 */
}

/* Invariant 7. */
static bool is_turn(enum stop_reason stop) { return stop == STOP_STATES || stop == STOP_EXACT; }

static void tell_end(struct furthest *furthest, struct result *result)
{
    struct task *task = furthest->task;
    const unsigned old = REASON_STOPPED + result->stop;
    const char *now = stop_reason_text[furthest->stop];
    if (!is_turn(result->stop) || is_turn(furthest->stop) || furthest->stop == STOP_NONE) return;
    result->stop = furthest->stop;
    assert(!is_turn(result->stop)); /* invariant 7 */
    for (uint32_t i = 0; i < task->property_count; i++)
        if (result_reason(task->properties[i].reason) == old) task->properties[i].reason = now;
}

void furthest_end(struct furthest *furthest, struct result *result)
{
    struct task *task = furthest->task;
    struct mem *mem = task->model->mem;
    *result = furthest->told;
    for (uint32_t i = 0; i < task->property_count; i++)
        task->properties[i] =
            furthest->known[i].verdict != VERDICT_UNKNOWN ? furthest->known[i] : furthest->said[i];
    result->broken = furthest->broken;
    result->seconds = furthest->seconds;
    result->peak_bytes = furthest->peak_bytes;
    tell_end(furthest, result);
    if (furthest->count > 1) furthest_settle(task, result);
    result->searches = furthest->searches;
    result->search_count = furthest->count;
    mem_free(mem, furthest->fresh);
    mem_free(mem, furthest->known);
    mem_free(mem, furthest->said);
}
