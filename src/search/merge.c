/* Invariants: (1) each new state is in its range once, and its numbers follow each other in the
 * order of ranges and steps; (2) a part belongs to one worker; (3) what a set has is the same
 * whether states were merged or added. */
#include "search/merge.h"

#include "search/order.h"

#include <assert.h>
#include <string.h>

enum { INDEX_BITS = 26, AHEAD = 8 };
#ifdef CAIRN_TEST_HOOKS
enum { LEAST = 1 };
#else
enum { LEAST = 1 << 9 }; /* steps that are worth it */
#endif
/* Bytes for what the search notes of states: of all, and of one. */
static const uint64_t SPARE = 1 << 20, PER_STATE = 16;

/* ---- before and after ---- */

bool merge_open(struct merge *merge, uint32_t ranges)
{
    bool good = true;
    merge->ranges = mem_try_alloc(merge->mates[0].mem, ranges * sizeof *merge->ranges);
    for (uint32_t w = 0; w < merge->count; w++) {
        struct merge_mate *mate = &merge->mates[w];
        mate->news = mem_try_alloc(mate->mem, ranges * sizeof *mate->news + MEM_APART);
        mate->entry_end =
            mem_try_alloc(mate->mem, merge->count * sizeof *mate->entry_end + MEM_APART);
        good &= mate->news && mate->entry_end;
    }
    return good && merge->ranges;
}

void merge_close(struct merge *merge)
{
    if (merge->count) mem_free(merge->mates[0].mem, merge->ranges);
    for (uint32_t w = 0; w < merge->count; w++) {
        struct merge_mate *mate = &merge->mates[w];
        mem_free(mate->mem, mate->news);
        mem_free(mate->mem, mate->entry_end);
        mem_free(mate->mem, mate->in_part);
        mem_free(mate->mem, mate->entries);
        mem_free(mate->mem, mate->told);
        mem_free(mate->mem, mate->told_rules);
        mem_free(mate->mem, mate->twins);
    }
}

/* Room for so many bytes, instead of the old block, which is not kept; NULL: memory was refused. */
static void *make_room(struct mem *mem, void *old, uint64_t bytes)
{
    mem_free(mem, old);
    return mem_try_alloc(mem, bytes + MEM_APART);
}

void merge_begin(struct merge *merge, const struct search *search)
{
    const struct set_parts *parts = search->space->kind->sets->parts;
    merge->set = search->set;
    merge->parts = search->order->merges && parts ? parts->count(search->set) : 0;
    merge->is_wanted = merge->parts;
    merge->can_tell = search_can_be_told(search);
    merge->part_bits = 0;
    while (merge->parts >> merge->part_bits > 1) merge->part_bits++;
    for (uint32_t w = 0; w < merge->count; w++) {
        struct merge_mate *mate = &merge->mates[w];
        if (merge->parts <= mate->part_room) continue;
        mate->in_part = make_room(mate->mem, mate->in_part, merge->parts * sizeof *mate->in_part);
        mate->part_room = mate->in_part ? merge->parts : 0;
        merge->is_wanted &= mate->in_part != NULL;
    }
}

/* As many new states as in the last round are to be expected in this one, and there may be more. */
void merge_foresee(struct merge *merge)
{
    atomic_store_explicit(&merge->cursor, 0, memory_order_relaxed);
    merge->has_foreseen =
        merge->is_wanted
        && merge->set->kind->parts->foresee(merge->set, (uint32_t)(2 * merge->news / merge->parts),
                                            SPARE + PER_STATE * merge->news);
}

void merge_grow(struct merge *merge)
{
    while (merge->has_foreseen) {
        const uint32_t part = atomic_fetch_add_explicit(&merge->cursor, 1, memory_order_relaxed);
        if (part >= merge->parts) return;
        merge->set->kind->parts->sweep(merge->set, part);
    }
}

void merge_end_growth(struct merge *merge)
{
    if (merge->has_foreseen) merge->set->kind->parts->tidy(merge->set);
    merge->has_foreseen = false;
}

static uint32_t part_of(const struct merge *merge, uint64_t hash)
{
    return (uint32_t)hash & (merge->parts - 1);
}

/* Parts that follow each other have the same worker: what the set has of them may be in the same
 * lines of the cache. */
static uint32_t mate_of_part(const struct merge *merge, uint32_t part)
{
    return (uint32_t)((uint64_t)part * merge->count >> merge->part_bits);
}

static uint32_t mate_of(const struct merge *merge, uint64_t hash)
{
    return mate_of_part(merge, part_of(merge, hash));
}

/* ---- a worker's own steps ---- */

static bool is_concerned(const struct merge *merge, const struct batch_step *step)
{
    return step->set == merge->set && step->to == SET_NONE;
}

/* Where the entries for a worker begin. */
static uint32_t entry_first(const struct merge_mate *mate, uint32_t worker)
{
    return worker ? mate->entry_end[worker - 1] : 0;
}

static void sort_out(struct merge *merge, uint32_t number)
{
    struct merge_mate *mate = &merge->mates[number];
    const struct batch *batch = &mate->worker->batch;
    mate->refused = batch->step_count >> INDEX_BITS;
    if (mate->entry_room < batch->step_count) {
        mate->entry_room = batch->step_count + batch->step_count / 2;
        mate->entries =
            make_room(mate->mem, mate->entries, mate->entry_room * sizeof *mate->entries);
        if (!mate->entries) mate->entry_room = 0;
        mate->refused |= !mate->entries;
    }
    if (mate->refused) return;
    uint32_t counts[CREW_MOST] = {0}, first = 0;
    memset(mate->in_part, 0, merge->parts * sizeof *mate->in_part);
    for (uint32_t i = 0; i < batch->step_count; i++)
        if (is_concerned(merge, &batch->steps[i]))
            mate->in_part[part_of(merge, batch->steps[i].hash)]++;
    for (uint32_t p = 0; p < merge->parts; p++) counts[mate_of_part(merge, p)] += mate->in_part[p];
    for (uint32_t w = 0; w < merge->count; w++) {
        mate->entry_end[w] = first;
        first += counts[w];
    }
    for (uint32_t i = 0; i < batch->step_count; i++) {
        const uint64_t hash = batch->steps[i].hash;
        if (is_concerned(merge, &batch->steps[i]))
            mate->entries[mate->entry_end[mate_of(merge, hash)]++] =
                (struct set_entry){.hash = hash, .step = i};
    }
}

void merge_sort_out(struct merge *merge, uint32_t number)
{
    if (!merge->set->kind->parts->complete) sort_out(merge, number);
}

/* ---- steps without a hash ---- */

static void sort_completed(void *context, uint32_t number) { sort_out(context, number); }

/* They get one, and all are sorted out. False: memory is short. */
static bool complete(struct merge *merge, struct crew *crew)
{
    const struct set_parts *parts = merge->set->kind->parts;
    bool good = true;
    for (uint32_t r = 0; good && r < merge->range_count; r++) {
        const struct merge_range *range = &merge->ranges[r];
        good =
            parts->complete(merge->mates[range->mate].worker, merge->set, range->first, range->end);
    }
    if (good) crew_round(crew, sort_completed, merge);
    return good;
}

/* ---- a worker's parts ---- */

static void widen_parts(const struct merge *merge, uint32_t number)
{
    for (uint32_t p = 0; p < merge->parts; p++)
        if (mate_of_part(merge, p) == number)
            merge->set->kind->parts->widen(merge->set, p); /* (2) */
}

/* Goes through the entries of a worker's parts in the order of the search. `find`: says of entries,
 * which follow each other, which are new states; false: it could not. */
static inline __attribute__((always_inline)) void
go_through(struct merge *merge, uint32_t number,
           bool (*find)(const struct merge *merge, struct merge_mate *mate,
                        const struct merge_mate *from, uint32_t first, uint32_t end, uint32_t all))
{
    struct merge_mate *mate = &merge->mates[number];
    uint32_t at[CREW_MOST];
    memset(mate->news, 0, merge->range_count * sizeof *mate->news);
    for (uint32_t w = 0; w < merge->count; w++) at[w] = entry_first(&merge->mates[w], number);
    for (uint32_t r = 0; r < merge->range_count && !mate->refused; r++) {
        const struct merge_range *range = &merge->ranges[r];
        const struct merge_mate *from = &merge->mates[range->mate];
        const uint32_t all = from->entry_end[number], first = at[range->mate];
        uint32_t end = first;
        assert(first == all || from->entries[first].step >= range->first);
        while (end < all && from->entries[end].step < range->end) end++;
        mate->refused = !find(merge, mate, from, first, end, all);
        for (uint32_t i = first; i < end; i++) mate->news[r] += from->entries[i].is_new;
        at[range->mate] = end;
    }
}

static bool put_entries(const struct merge *merge, struct merge_mate *mate,
                        const struct merge_mate *from, uint32_t first, uint32_t end, uint32_t all)
{
    (void)mate;
    return merge->set->kind->parts->put(merge->set, from->entries + first, end - first, all - first)
           == end - first;
}

static void put_states(void *context, uint32_t number)
{
    struct merge *merge = context;
    merge->mates[number].refused = false;
    widen_parts(merge, number);
    go_through(merge, number, put_entries);
}

/* ---- twins ---- */

static uint64_t *home_of(const struct merge_mate *mate, uint64_t hash)
{
    return &mate->twins[(hash >> 16) & (mate->twin_room - 1)];
}

/* A table for twice as many, empty. */
static bool make_table(const struct merge *merge, struct merge_mate *mate, uint32_t number)
{
    uint64_t most = 0, room = 64;
    for (uint32_t w = 0; w < merge->count; w++)
        most += merge->mates[w].entry_end[number] - entry_first(&merge->mates[w], number);
    while (room < 2 * most) room *= 2;
    if (room > mate->twin_room) {
        mate->twins = make_room(mate->mem, mate->twins, room * sizeof *mate->twins);
        mate->twin_room = mate->twins ? room : 0;
    } else memset(mate->twins, 0, mate->twin_room * sizeof *mate->twins);
    return mate->twins != NULL;
}

/* Whether a state in the table is the one that the entry is of. */
static bool is_twin(const struct merge *merge, uint64_t twin, const struct merge_mate *from,
                    const struct set_entry *entry)
{
    const uint32_t place = (uint32_t)twin - 1, index = place & ((UINT32_C(1) << INDEX_BITS) - 1);
    const struct merge_mate *other = &merge->mates[place >> INDEX_BITS];
    return other->entries[index].hash == entry->hash
           && merge->set->kind->parts->same(
               merge->set, batch_words(&other->worker->batch, other->entries[index].step),
               batch_words(&from->worker->batch, entry->step));
}

/* Whether an entry of a worker's, which comes after those that are in the table, is no twin. */
static bool is_first(const struct merge *merge, struct merge_mate *mate,
                     const struct merge_mate *from, uint32_t index)
{
    const struct set_entry *entry = &from->entries[index];
    const uint64_t tag = entry->hash >> 32, *end = mate->twins + mate->twin_room;
    uint64_t *at = home_of(mate, entry->hash);
    for (; *at; at = at + 1 < end ? at + 1 : mate->twins)
        if (*at >> 32 == tag && is_twin(merge, *at, from, entry)) return false;
    *at = tag << 32 | (((uint32_t)(from - merge->mates) << INDEX_BITS | index) + UINT64_C(1));
    mate->in_part[part_of(merge, entry->hash)]++;
    return true;
}

static bool find_first(const struct merge *merge, struct merge_mate *mate,
                       const struct merge_mate *from, uint32_t first, uint32_t end, uint32_t all)
{
    for (uint32_t i = first; i < end; i++) {
        if (i + AHEAD < all) __builtin_prefetch(home_of(mate, from->entries[i + AHEAD].hash));
        from->entries[i].is_new = is_first(merge, mate, from, i);
    }
    return true;
}

static void find_twins(void *context, uint32_t number)
{
    struct merge *merge = context;
    struct merge_mate *mate = &merge->mates[number];
    memset(mate->in_part, 0, merge->parts * sizeof *mate->in_part);
    mate->refused = !make_table(merge, mate, number);
    if (!mate->refused) go_through(merge, number, find_first);
}

/* ---- numbers ---- */

/* Each range's first; returns how many are new. */
static uint64_t number_ranges(struct merge *merge)
{
    uint64_t number = merge->set->count;
    for (uint32_t r = 0; r < merge->range_count; r++) {
        merge->ranges[r].number = number;
        for (uint32_t w = 0; w < merge->count; w++) number += merge->mates[w].news[r];
    }
    merge->news = number - merge->set->count;
    return merge->news;
}

/* Of all parts, in the first worker's list. */
static const uint32_t *gather_parts(struct merge *merge)
{
    uint32_t *all = merge->mates[0].in_part;
    for (uint32_t w = 1; w < merge->count; w++)
        for (uint32_t p = 0; p < merge->parts; p++) all[p] += merge->mates[w].in_part[p];
    return all;
}

static void write_range(const struct merge *merge, const struct merge_mate *mate,
                        const struct merge_range *range, uint32_t *at)
{
    struct set *set = merge->set;
    const struct batch *batch = &mate->worker->batch;
    uint64_t next = range->number;
    for (uint32_t i = range->first; i < range->end; i++) {
        struct batch_step *step = &batch->steps[i];
        if (!is_concerned(merge, step)) continue;
        struct set_entry *entry = &mate->entries[at[mate_of(merge, step->hash)]++];
        assert(entry->step == i && entry->hash == step->hash);
        step->is_new = entry->is_new;
        step->to = entry->is_new ? next++ : SET_KNOWN;
        entry->number = step->is_new ? step->to : SET_NONE;
        if (step->is_new) set->kind->parts->write(set, step->to, batch_words(batch, i), step->hash);
    }
    assert(range + 1 == merge->ranges + merge->range_count || next == range[1].number); /* (1) */
}

/* Room for what is told of a batch. By one thread: what was told last may be read until now. */
static bool reserve_told(struct merge_mate *mate)
{
    const struct batch *batch = &mate->worker->batch;
    const uint32_t most =
        batch->state_count > batch->step_count ? batch->state_count : batch->step_count;
    if (most <= mate->told_room) return true;
    const uint32_t room = most + most / 2;
    mate->told = make_room(mate->mem, mate->told, room * sizeof *mate->told);
    mate->told_rules = make_room(mate->mem, mate->told_rules, room * sizeof *mate->told_rules);
    mate->told_room = mate->told && mate->told_rules ? room : 0;
    return mate->told_room;
}

/* What there is to tell of a range that was written; `rules` of its worker were told before. */
static void tell_range(const struct merge_mate *mate, struct merge_range *range, uint32_t *rules)
{
    const struct batch *batch = &mate->worker->batch;
    range->first_told = *rules;
    range->known = 0;
    for (uint32_t s = range->first_state; s < range->end_state; s++) {
        const struct batch_state *state = &batch->states[s];
        const uint32_t before = *rules;
        for (uint32_t i = state->first; i < state->first + state->steps; i++) {
            mate->told_rules[*rules] = batch->steps[i].fast->rule;
            *rules += batch->steps[i].is_new;
        }
        assert(!batch_is_odd(state) || state->state != SET_NONE);
        mate->told[s] = (struct search_told){state->steps + state->known, *rules - before};
        range->known += state->known;
    }
}

static void write_states(void *context, uint32_t number)
{
    struct merge *merge = context;
    const struct merge_mate *mate = &merge->mates[number];
    uint32_t at[CREW_MOST], rules = 0;
    for (uint32_t w = 0; w < merge->count; w++) at[w] = entry_first(mate, w);
    for (uint32_t r = 0; r < merge->range_count; r++) {
        if (merge->ranges[r].mate != number) continue;
        write_range(merge, mate, &merge->ranges[r], at);
        if (merge->is_told) tell_range(mate, &merge->ranges[r], &rules);
    }
}

static void link_states(void *context, uint32_t number)
{
    struct merge *merge = context;
    struct set *set = merge->set;
    struct merge_mate *mate = &merge->mates[number];
    mate->left = 0;
    widen_parts(merge, number);
    for (uint32_t w = 0; w < merge->count; w++) {
        const struct set_entry *entries = merge->mates[w].entries;
        const uint32_t end = merge->mates[w].entry_end[number];
        for (uint32_t i = entry_first(&merge->mates[w], number); i < end; i++) {
            if (i + AHEAD < end && entries[i + AHEAD].number != SET_NONE)
                set->kind->parts->prefetch(set, entries[i + AHEAD].hash);
            if (entries[i].number != SET_NONE
                && !set->kind->parts->link(set, entries[i].number, entries[i].hash))
                mate->twins[mate->left++] = entries[i].number;
        }
    }
}

/* ---- all of it ---- */

/* As if nothing had been. */
static void undo(const struct merge *merge)
{
    for (uint32_t w = 0; w < merge->count; w++) {
        const struct batch *batch = &merge->mates[w].worker->batch;
        for (uint32_t i = 0; i < batch->step_count; i++) {
            struct batch_step *step = &batch->steps[i];
            if (step->is_new || step->to == SET_KNOWN) step->to = SET_NONE;
            step->is_new = false;
        }
    }
}

static bool any_refused(const struct merge *merge)
{
    bool refused = false;
    for (uint32_t w = 0; w < merge->count; w++) refused |= merge->mates[w].refused;
    return refused;
}

static bool link_left(struct merge *merge)
{
    bool good = true;
    for (uint32_t w = 0; w < merge->count; w++)
        for (uint64_t i = 0; good && i < merge->mates[w].left; i++)
            good = merge->set->kind->parts->link_alone(merge->set, merge->mates[w].twins[i]);
    return good;
}

static uint64_t steps_in(const struct merge *merge)
{
    uint64_t steps = 0;
    for (uint32_t w = 0; w < merge->count; w++)
        steps += entry_first(&merge->mates[w], merge->count);
    return steps;
}

/* States of sets that know them by their numbers: first those are told apart that have a twin, so
 * that the others get numbers, with which they are written and linked. */
static bool add_numbered(struct merge *merge, struct crew *crew)
{
    const struct set_parts *parts = merge->set->kind->parts;
    crew_round(crew, find_twins, merge);
    const uint64_t news = any_refused(merge) ? 0 : number_ranges(merge);
    if (!news || !parts->reserve(merge->set, news, gather_parts(merge), SPARE + PER_STATE * news))
        return false;
    parts->give(merge->set, news);
    crew_round(crew, write_states, merge);
    crew_round(crew, link_states, merge);
    parts->tidy(merge->set);
    if (link_left(merge)) return true;
    undo(merge);
    parts->cut(merge->set);
    return false;
}

/* Those that were put. */
static void take_back(const struct merge *merge)
{
    for (uint32_t w = 0; w < merge->count; w++) {
        const struct merge_mate *mate = &merge->mates[w];
        const uint32_t end = entry_first(mate, merge->count);
        for (uint32_t i = 0; i < end; i++)
            if (mate->entries[i].is_new)
                merge->set->kind->parts->take_back(merge->set, mate->entries[i].hash);
    }
}

/* The others: they are put right away, a twin is known by then, and what is new gets a number. */
static bool add_put(struct merge *merge, struct crew *crew)
{
    const struct set_parts *parts = merge->set->kind->parts;
    const uint64_t most = steps_in(merge);
    if (!parts->reserve(merge->set, most, gather_parts(merge), SPARE + PER_STATE * most))
        return false;
    crew_round(crew, put_states, merge);
    const bool good = !any_refused(merge);
    if (good) {
        parts->give(merge->set, number_ranges(merge));
        crew_round(crew, write_states, merge);
    }
    parts->tidy(merge->set);
    if (!good) take_back(merge);
    return good;
}

bool merge_add(struct merge *merge, struct crew *crew)
{
    const struct set_parts *parts = merge->is_wanted ? merge->set->kind->parts : NULL;
    if (!parts || (parts->complete && !complete(merge, crew)) || any_refused(merge)
        || steps_in(merge) < LEAST)
        return false;
    merge->is_told = merge->can_tell;
    for (uint32_t w = 0; w < merge->count; w++)
        merge->is_told = merge->is_told && reserve_told(&merge->mates[w]);
    const bool good = parts->put ? add_put(merge, crew) : add_numbered(merge, crew);
    if (!good) parts->tidy(merge->set);
    return good;
}
