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

/* The rank of an entry. */
static uint64_t rank_of(const struct entries *entries, const char *entry)
{
    uint64_t word = 0;
    const uint64_t at = (uint64_t)entries->field.word * sizeof word;
    if (!entries->by_rank) return 0;
    memcpy(&word, entry + at,
           entries->record_bytes - at < sizeof word ? entries->record_bytes - at : sizeof word);
    return (word >> entries->field.shift & entries->field.mask) >> entries->shift;
}

static int by_point(const void *a, const void *b, void *context)
{
    struct entries_tail one = entries_tail_of(context, a), two = entries_tail_of(context, b);
    return one.point != two.point ? (one.point > two.point) - (one.point < two.point)
                                  : by_record(a, b, context);
}

static int by_rank_and_point(const void *a, const void *b, void *context)
{
    const uint64_t rank = rank_of(context, a), other = rank_of(context, b);
    return rank != other ? (rank > other) - (rank < other) : by_point(a, b, context);
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
    const char *last = NULL;
    uint32_t last_point = MODEL_NONE;
    uint64_t last_rank = ENTRIES_NO_RANK;
    struct entries_waiting *open = NULL;
    sort_things(entries->crew, entries->found, entries->found_count, entries->size,
                entries->by_rank ? by_rank_and_point : by_point, entries);
    for (uint64_t i = 0; i < entries->found_count; i++) {
        const char *entry = entries->found + i * entries->size;
        const uint32_t point = entries_tail_of(entries, entry).point;
        const uint64_t rank = entries->by_rank ? rank_of(entries, entry) : entries->rank;
        const bool is_later = rank != entries->rank;
        struct entries_layer *layer = is_later ? &entries->later : &entries->next;
        bool is_same = last && last_point == point && last_rank == rank,
             again = is_same && !memcmp(last, entry, entries->record_bytes);
        if (!is_same) open = NULL;
        last = entry;
        last_point = point;
        last_rank = rank;
        if (again || (!is_later && entries_is_visited(entries, entry))) continue;
        if (!open) { /* (1) */
            struct entries_waiting fresh = {.offset = layer->tape.bytes,
                                            .point = point,
                                            .last = point,
                                            .parent = MODEL_NONE,
                                            .from = entries->search->result->partition->partitions,
                                            .rank = rank};
            if (!push(entries, &layer->list, fresh)) return false;
            open = &layer->list.data[layer->list.len - 1];
        }
        if (!append(entries, &layer->tape, entry, 1)) return false;
        open->count++;
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

/* ---- later clusters ---- */

/* Copies what waits in a later cluster to the layer at hand. */
static bool take_later(struct entries *entries, struct entries_waiting item)
{
    const struct entries_waiting here = item;
    item.offset = entries->now.tape.bytes;
    if (!entries_reserve_batch(entries, here.count)) return false;
    for (uint64_t done = 0, some; done < here.count; done += some) {
        some = here.count - done < entries->batch_room ? here.count - done : entries->batch_room;
        if (!tape_read(&entries->later.tape, here.offset + done * entries->size, entries->batch,
                       some * entries->size))
            return entries_fail(entries->search, entries->later.tape.error);
        if (!append(entries, &entries->now.tape, entries->batch, some)) return false;
    }
    return push(entries, &entries->now.list, item);
}

bool entries_next_cluster(struct entries *entries)
{
    struct entries_list *later = &entries->later.list;
    uint32_t kept = 0;
    entries->now.list.len = entries->next.list.len = 0;
    tape_clear(&entries->now.tape);
    tape_clear(&entries->next.tape);
    entries->rank = ENTRIES_NO_RANK;
    for (uint32_t i = 0; i < later->len; i++)
        if (later->data[i].rank < entries->rank) entries->rank = later->data[i].rank;
    for (uint32_t i = 0; i < later->len; i++) {
        if (later->data[i].rank != entries->rank) later->data[kept++] = later->data[i];
        else if (!take_later(entries, later->data[i])) return false;
    }
    later->len = kept;
    if (!kept) tape_clear(&entries->later.tape);
    return true;
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
    tape_init(&entries->later.tape, mem, block);
    if (!tape_reserve(&entries->now.tape) || !tape_reserve(&entries->next.tape)) mem_refuse(mem);
    entries->rank = ENTRIES_NO_RANK;
    entries->by_rank = search->task->order == ORDER_PAST_FREEZE;
    if (!entries->by_rank) return;
    if (!tape_reserve(&entries->later.tape)) mem_refuse(mem);
    if (search->model->rank != MODEL_NONE) /* otherwise it has no bits */
        entries->field = search->space->layout.fields[search->model->rank];
    while ((model_rank_count(search->model) - 1) >> entries->shift >= CLUSTER_MANY)
        entries->shift++;
}

void entries_release(struct entries *entries)
{
    struct mem *mem = entries->mem;
    tape_release(&entries->now.tape);
    tape_release(&entries->next.tape);
    tape_release(&entries->later.tape);
    mem_free(mem, entries->later.list.data);
    mem_free(mem, entries->now.list.data);
    mem_free(mem, entries->next.list.data);
    mem_free(mem, entries->pending.data);
    mem_free(mem, entries->found);
    mem_free(mem, entries->batch);
    mem_free(mem, entries->has);
}
