#include "past/summary.h"

#include "base/checked.h"
#include "result/tables.h"

#include <string.h>

static const char *const counted[SUMMARY_COUNTERS] = {"transitions", "deadlocks", "ends",
                                                      "runtime_errors", "expanded"};

static uint64_t rules_of(const struct summary *summary) { return summary->task->model->rules.len; }

/* ---- before and after ---- */

static void add_counter(struct summary *summary, uint64_t *now)
{
    assert(summary->counter_count < SUMMARY_COUNTERS + SUMMARY_MORE);
    summary->counters[summary->counter_count++] = (struct summary_counter){.now = now};
}

void summary_init(struct summary *summary)
{
    const struct task *task = summary->task;
    struct mem *mem = summary->mem = task->model->mem;
    summary->counter_count = 0;
    for (unsigned i = 0; i < SUMMARY_COUNTERS; i++) {
        const struct member *row = member_find(&tables_result, counted[i], strlen(counted[i]));
        assert(row && row->kind == MEMBER_COUNT);
        add_counter(summary, (uint64_t *)((char *)summary->result + row->at));
    }
    for (unsigned i = 0; i < summary->more_count; i++) add_counter(summary, &summary->more[i]);
    summary->places =
        mem_alloc(mem, (task->property_count + UINT64_C(1)) * sizeof *summary->places);
}

void summary_reserve(struct summary *summary, uint64_t more)
{
    struct mem *mem = summary->mem;
    summary->taken = mem_alloc(mem, (rules_of(summary) + 1) * sizeof *summary->taken);
    summary->bytes = mem_alloc(mem, summary_most(summary) + more);
}

void summary_release(struct summary *summary)
{
    struct mem *mem = summary->mem;
    if (!mem) return; /* it was never begun */
    for (uint32_t i = 0; summary->places && i < summary->task->property_count; i++)
        mem_free(mem, summary->places[i].words);
    mem_free(mem, summary->places);
    mem_free(mem, summary->taken);
    mem_free(mem, summary->bytes);
}

uint64_t summary_most(const struct summary *summary)
{
    const uint64_t properties = summary->task->property_count;
    uint64_t numbers = SUMMARY_OWN + summary->counter_count + 1 + 2 * rules_of(summary) + 1
                       + 5 * properties + 1 + summary->monitors->count(summary->search);
    return numbers * VARINT_BYTES + properties * summary->record_bytes;
}

void summary_note(struct summary *summary, uint32_t property, struct summary_place place,
                  const void *record)
{
    assert(property < summary->task->property_count && !summary->places[property].words);
    place.known = true;
    place.words = mem_alloc(summary->mem, (summary->words + UINT64_C(1)) * sizeof *place.words);
    memcpy(place.words, record, summary->record_bytes);
    summary->places[property] = place;
}

bool summary_check(const struct summary *summary)
{
    for (unsigned i = 0; i < summary->counter_count; i++)
        if (*summary->counters[i].now < summary->counters[i].told) return false;
    for (uint64_t r = 0; r < rules_of(summary); r++)
        if (summary->result->taken[r] < summary->taken[r]) return false;
    return true;
}

/* ---- writing ---- */

void summary_begin(struct summary *summary) { summary->size = 0; }

void summary_put(struct summary *summary, uint64_t number)
{
    summary->size = varint_put(summary->bytes, summary->size, number);
}

static void put_counters(struct summary *summary)
{
    for (unsigned i = 0; i < summary->counter_count; i++) {
        struct summary_counter *counter = &summary->counters[i];
        summary_put(summary, *counter->now - counter->told);
        counter->told = *counter->now;
    }
}

static void put_taken(struct summary *summary)
{
    const uint64_t *taken = summary->result->taken, rules = rules_of(summary);
    uint64_t last = 0;
    for (uint64_t r = 0; r < rules; r++) {
        const uint64_t more = taken[r] - summary->taken[r];
        if (!more) continue;
        summary_put(summary, r - last + 1); /* 0 ends the list */
        summary_put(summary, more);
        summary->taken[r] = taken[r];
        last = r;
    }
    summary_put(summary, 0);
}

static void put_places(struct summary *summary)
{
    const uint32_t properties = summary->task->property_count;
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < properties; i++)
        fresh += summary->places[i].known && !summary->places[i].frozen;
    summary_put(summary, fresh);
    for (uint32_t i = 0; fresh && i < properties; i++) {
        struct summary_place *place = &summary->places[i];
        if (!place->known || place->frozen) continue;
        summary_put(summary, i);
        summary_put(summary, place->rank);
        summary_put(summary, place->state);
        summary_put(summary, place->failed_rule);
        memcpy(summary->bytes + summary->size, place->words, summary->record_bytes);
        summary->size += summary->record_bytes;
        place->frozen = true;
    }
}

/* Which monitors are done, and which failed somewhere: only when that has changed. */
static void put_monitors(struct summary *summary)
{
    const struct summary_monitors *monitors = summary->monitors;
    uint32_t done = 0, fail = 0, count = monitors->count(summary->search);
    for (uint32_t m = 0; m < count; m++) {
        done += monitors->bits(summary->search, m) & 1;
        fail += monitors->bits(summary->search, m) >> 1;
    }
    bool same = done == summary->done && fail == summary->fail;
    summary_put(summary, !same);
    for (uint32_t m = 0; !same && m < count; m++)
        summary_put(summary, monitors->bits(summary->search, m));
    summary->done = done;
    summary->fail = fail;
}

void summary_end(struct summary *summary)
{
    CHECKED(summary_check(summary));
    put_counters(summary);
    put_taken(summary);
    put_places(summary);
    put_monitors(summary);
}

/* ---- reading ---- */

static bool get_taken(struct summary *summary, struct varint_input *input)
{
    uint64_t rule = 0, step;
    while ((step = varint_get(input)) && input->good) {
        rule += step - 1;
        if (rule >= rules_of(summary)) return false;
        summary->result->taken[rule] += varint_get(input);
        summary->taken[rule] = summary->result->taken[rule];
    }
    return input->good;
}

static bool get_place(struct summary *summary, struct varint_input *input)
{
    const uint64_t property = varint_get(input), rank = varint_get(input),
                   state = varint_get(input), rule = varint_get(input);
    if (!input->good || property >= summary->task->property_count
        || (uint64_t)(input->end - input->at) < summary->record_bytes)
        return false;
    struct summary_place *place = &summary->places[property],
                         read = {.rank = rank, .state = state, .failed_rule = (uint32_t)rule};
    mem_free(summary->mem, place->words);
    place->words = NULL;
    summary_note(summary, (uint32_t)property, read, input->at);
    place->frozen = true;
    input->at += summary->record_bytes;
    summary->violated(summary, (uint32_t)property);
    return true;
}

static bool get_places(struct summary *summary, struct varint_input *input)
{
    for (uint64_t left = varint_get(input); left && input->good; left--)
        if (!get_place(summary, input)) return false;
    return input->good;
}

static void get_monitors(struct summary *summary, struct varint_input *input)
{
    if (!varint_get(input)) return;
    summary->done = summary->fail = 0;
    for (uint32_t m = 0; m < summary->monitors->count(summary->search); m++) {
        const unsigned bits = (unsigned)varint_get(input) & 3;
        summary->monitors->set_bits(summary->search, m, bits);
        summary->done += bits & 1;
        summary->fail += bits >> 1;
    }
}

bool summary_take_over(struct summary *summary, struct varint_input *input)
{
    for (unsigned i = 0; i < summary->counter_count; i++) {
        struct summary_counter *counter = &summary->counters[i];
        counter->told = *counter->now += varint_get(input);
    }
    if (!get_taken(summary, input) || !get_places(summary, input)) return false;
    get_monitors(summary, input);
    return input->good;
}

void summary_forget(struct summary *summary)
{
    const uint64_t bytes = rules_of(summary) * sizeof(uint64_t);
    for (unsigned i = 0; i < summary->counter_count; i++)
        *summary->counters[i].now = summary->counters[i].told = 0;
    memset(summary->result->taken, 0, bytes);
    memset(summary->taken, 0, bytes);
    for (uint32_t i = 0; i < summary->task->property_count; i++)
        summary->places[i].frozen = false; /* until a summary has it that counts */
    summary->done = summary->fail = 0;
}

void summary_restore(struct summary *summary)
{
    for (unsigned i = 0; i < summary->counter_count; i++)
        *summary->counters[i].now = summary->counters[i].told;
    memcpy(summary->result->taken, summary->taken, rules_of(summary) * sizeof(uint64_t));
}
