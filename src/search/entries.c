/* Invariants: (1) entries on a tape that are in one list item have one p-point; (2) `found` and
 * `batch` never have more than most_found and most_batch entries. */
#include "search/entries.h"

#include "base/sort.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { LEAST_ENTRIES = 3, MOST_BYTES = 1 };
#else
enum { LEAST_ENTRIES = 64, MOST_BYTES = 8 << 20 };
#endif

/* ---- one entry ---- */

struct entries_tail entries_tail_of(const struct entries *entries, const char *entry)
{
    struct entries_tail tail;
    memcpy(&tail, entry + entries->record_bytes, sizeof tail);
    return tail;
}

void entries_make(const struct entries *entries, char *entry, const void *record,
                  struct entries_tail tail)
{
    memcpy(entry, record, entries->record_bytes);
    memcpy(entry + entries->record_bytes, &tail, sizeof tail);
}

static int compare_tails(const struct entries_tail *a, const struct entries_tail *b)
{
    if (a->source != b->source)
        return a->source + 1 < b->source + 1 ? -1 : 1; /* initial states first */
    if (a->state != b->state) return a->state < b->state ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static int by_origin(const void *a, const void *b, void *context)
{
    struct entries_tail one = entries_tail_of(context, a), two = entries_tail_of(context, b);
    return compare_tails(&one, &two);
}

static int by_record(const void *a, const void *b, void *context)
{
    int order = memcmp(a, b, ((const struct entries *)context)->record_bytes);
    return order ? order : by_origin(a, b, context);
}

static int by_point(const void *a, const void *b, void *context)
{
    struct entries_tail one = entries_tail_of(context, a), two = entries_tail_of(context, b);
    return one.point != two.point ? (one.point > two.point) - (one.point < two.point)
                                  : by_record(a, b, context);
}

void entries_sort_batch(struct entries *entries)
{
    sort_things(entries->crew, entries->batch, entries->batch_count, entries->size, by_record,
                entries);
}

void entries_sort_by_origin(struct entries *entries)
{
    sort_things(entries->crew, entries->batch, entries->batch_count, entries->size, by_origin,
                entries);
}

bool entries_is_visited(const struct entries *entries, const char *record)
{
    const struct search *search = entries->search;
    return entries->records->has(search->worker, search->set, record);
}

/* ---- lists and tapes ---- */

bool entries_fail(struct search *search, const char *error)
{
    if (!error) return poll_stop(search, STOP_MEMORY);
    search->result->stop_detail = error;
    return poll_stop(search, STOP_DISK);
}

void *entries_grow(struct entries *entries, void *list, uint64_t len, uint64_t *room, size_t size)
{
    if (len < *room) return list;
    uint64_t more = *room ? 2 * *room : 8;
    void *larger;
    do larger = mem_try_resize(entries->mem, list, more * size);
    while (!larger && reserve_use(entries->reserve));
    if (larger) *room = more;
    else entries_fail(entries->search, NULL);
    return larger;
}

static bool push(struct entries *entries, struct entries_list *list, struct entries_waiting item)
{
    uint64_t room = list->room;
    struct entries_waiting *data =
        entries_grow(entries, list->data, list->len, &room, sizeof *data);
    if (!data) return false;
    list->data = data;
    list->room = (uint32_t)room;
    list->data[list->len++] = item;
    return true;
}

static bool append(struct entries *entries, struct tape *tape, const void *entry, uint64_t count)
{
    return tape_append(tape, entry, count * entries->size)
           || entries_fail(entries->search, tape->error);
}

bool entries_push_pending(struct entries *entries, struct entries_waiting waiting)
{
    return push(entries, &entries->pending, waiting);
}

bool entries_append(struct entries *entries, const void *entry, uint64_t count)
{
    return append(entries, &entries->now.tape, entry, count);
}

/* ---- entries of continuations ---- */

bool entries_flush_found(struct entries *entries)
{
    struct entries_layer *next = &entries->next;
    const char *last = NULL;
    uint32_t last_point = MODEL_NONE, open = MODEL_NONE;
    sort_things(entries->crew, entries->found, entries->found_count, entries->size, by_point,
                entries);
    for (uint64_t i = 0; i < entries->found_count; i++) {
        const char *entry = entries->found + i * entries->size;
        const uint32_t point = entries_tail_of(entries, entry).point;
        bool again = last && last_point == point && !memcmp(last, entry, entries->record_bytes);
        last = entry;
        last_point = point;
        if (again || entries_is_visited(entries, entry)) continue;
        if (open != point) { /* (1) */
            struct entries_waiting fresh = {.offset = next->tape.bytes,
                                            .point = point,
                                            .from = entries->search->result->partition->partitions};
            if (!push(entries, &next->list, fresh)) return false;
            open = point;
        }
        if (!append(entries, &next->tape, entry, 1)) return false;
        next->list.data[next->list.len - 1].count++;
    }
    entries->found_count = 0;
    return true;
}

bool entries_put_found(struct entries *entries, const char *record, struct entries_tail tail)
{
    if (entries->found_count == entries->found_room) {
        uint64_t room = entries->found_room ? 2 * entries->found_room : LEAST_ENTRIES;
        if (room > entries->most_found) room = entries->most_found;
        char *more = room > entries->found_room
                         ? mem_try_resize(entries->mem, entries->found, room * entries->size)
                         : NULL;
        if (more) {
            entries->found = more;
            entries->found_room = room;
        } else if (!entries->found_room) {
            return reserve_use(entries->reserve) && entries_put_found(entries, record, tail);
        } else if (!entries_flush_found(entries)) {
            return false;
        }
    }
    assert(entries->found_count < entries->most_found); /* (2) */
    entries_make(entries, entries->found + entries->found_count++ * entries->size, record, tail);
    return true;
}

void entries_next_layer(struct entries *entries)
{
    const struct entries_layer done = entries->now;
    entries->now = entries->next;
    entries->next = done;
    entries->next.list.len = 0;
    tape_clear(&entries->next.tape);
}

bool entries_are_of_one_path(const struct entries_waiting *a, const struct entries_waiting *b)
{
    return a->from == b->from && a->point == b->point;
}

/* ---- the batch ---- */

bool entries_reserve_batch(struct entries *entries, uint64_t wanted)
{
    if (wanted > entries->most_batch) wanted = entries->most_batch;
    if (wanted > entries->batch_room && wanted < 2 * entries->batch_room)
        wanted = 2 * entries->batch_room;
    while (wanted > entries->batch_room) {
        bool *has = mem_try_resize(entries->mem, entries->has, wanted * sizeof *has);
        if (has) entries->has = has;
        char *batch =
            has ? mem_try_resize(entries->mem, entries->batch, wanted * entries->size) : NULL;
        if (batch) {
            entries->batch = batch;
            entries->batch_room = wanted;
        }
        if (!batch && entries->batch_room) break; /* less will do */
        if (!batch && wanted > LEAST_ENTRIES) wanted = LEAST_ENTRIES;
        else if (!batch && !reserve_use(entries->reserve))
            return entries_fail(entries->search, NULL);
    }
    return true;
}

static uint64_t count_pending(const struct entries *entries)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < entries->pending.len && count < entries->most_batch; i++)
        count += entries->pending.data[i].count;
    return count;
}

bool entries_load_batch(struct entries *entries)
{
    struct tape *tape = &entries->now.tape;
    entries->batch_count = 0;
    if (!entries_reserve_batch(entries, count_pending(entries))) return false;
    while (entries->pending.len && entries->batch_count < entries->batch_room) {
        struct entries_waiting *from = &entries->pending.data[entries->pending.len - 1];
        uint64_t some = entries->batch_room - entries->batch_count;
        if (some > from->count) some = from->count;
        if (!tape_read(tape, from->offset, entries->batch + entries->batch_count * entries->size,
                       some * entries->size))
            return entries_fail(entries->search, tape->error);
        entries->batch_count += some;
        from->offset += some * entries->size;
        from->count -= some;
        entries->pending.len -= !from->count;
    }
    return true;
}

bool entries_put_back(struct entries *entries, uint64_t first)
{
    const struct entries_waiting rest = {.offset = entries->now.tape.bytes,
                                         .count = entries->batch_count - first};
    assert(first <= entries->batch_count);
    if (!rest.count) return true;
    return entries_append(entries, entries->batch + first * entries->size, rest.count)
           && entries_push_pending(entries, rest);
}

/* ---- before and after ---- */

static uint64_t most_of(const struct entries *entries, unsigned part, uint64_t bytes)
{
    const uint64_t most = reserve_share(entries->reserve, part, 1, bytes) / entries->size;
    return most < LEAST_ENTRIES ? LEAST_ENTRIES : most;
}

void entries_init(struct entries *entries, struct search *search, struct reserve *reserve,
                  uint32_t block)
{
    struct mem *mem = search->model->mem;
    *entries = (struct entries){.search = search,
                                .mem = mem,
                                .reserve = reserve,
                                .records = search->space->kind->sets->records};
    entries->record_bytes = search->space->layout.record_bytes + entries->records->more;
    entries->size = entries->record_bytes + (uint32_t)sizeof(struct entries_tail);
    entries->most_found = most_of(entries, 32, MOST_BYTES);
    entries->most_batch = most_of(entries, 8, 8 * (uint64_t)MOST_BYTES);
    tape_init(&entries->now.tape, mem, block);
    tape_init(&entries->next.tape, mem, block);
    if (!tape_reserve(&entries->now.tape) || !tape_reserve(&entries->next.tape)) mem_refuse(mem);
}

void entries_release(struct entries *entries)
{
    struct mem *mem = entries->mem;
    tape_release(&entries->now.tape);
    tape_release(&entries->next.tape);
    mem_free(mem, entries->now.list.data);
    mem_free(mem, entries->next.list.data);
    mem_free(mem, entries->pending.data);
    mem_free(mem, entries->found);
    mem_free(mem, entries->batch);
    mem_free(mem, entries->has);
}
