/* Method. The region of a p-path is what rules that are no p-points reach from its entries; the
 * entries of w.p are the successors of states in the region of w by p-point p; the empty p-path
 * begins with the initial states. P-paths are taken by length, and those of one length in the order
 * in which they were found. Entries that were visited before, in whatever partition, are dropped; a
 * p-path without any other is not extended. Every state that was visited is expanded, and its
 * successors are visited or wait: so the union of all partitions is the whole state space. Every
 * p-path that is searched has a new state, so there is an end.
 *
 * Memory. All states that fit are in the store, of earlier partitions too: as long as that goes
 * well every state is visited once. When memory is full the epoch ends: expanded states go to disk
 * (solver/runs.h), those that are not expanded wait, as entries of the p-path at hand, and the
 * store is emptied. Entries are compared with the states on disk, many at a time; states within a
 * region are when they are many, so partitions may overlap then: that is the difference between
 * gross and net counts. A partition that does not fit by itself is thereby cut into pieces. Each
 * epoch but the first expands an entry that was new, so there is an end here, too.
 *
 * What waits is on tapes (solver/tape.h): one for the p-paths of this length and one for the next.
 *
 * Threads. Layers of a region that are large enough are expanded by all threads of a team, while
 * nobody changes the store; what they found is added here, by one thread, in its usual order
 * (partition_team.h).
 *
 * Counts. A state that is on disk already when an epoch ends was expanded twice: it is expanded
 * once more, and what it adds is taken away. So counts are net at the end.
 *
 * Invariants: (1) states of the store before the cursor, and all on disk, are expanded, and each of
 * their successors is in the store, on disk, among `found`, or on a tape of entries;
 * (2) the log of origins has one entry per state of the store, in the order of numbers; (3) no
 *     state is dropped unless it is in the store or on disk; (4) `known` has a bit for states of
 *     the store that are on disk and were not expanded in this epoch. */
#include "engine/explicit/partition.h"

#include "base/sort.h"
#include "engine/explicit/partition_team.h"
#include "model/eval.h"
#include "program/reached.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum {
    MOST_STATES = 40,
    LEAST_BLOCK = 64,
    MOST_BLOCK = 64,
    LEAST_ENTRIES = 3,
    MOST_ENTRY_BYTES = 1,
    MOST_PATHS = 200,
    WORTH_READING = 100,
    LEAST_LAYER = 2,
    LEAST_TEAM = 1 << 10,
    MOST_TEAM = 1 << 10
};
#else
enum {
    MOST_STATES = 0,
    LEAST_BLOCK = 1 << 10,
    MOST_BLOCK = 1 << 16,
    LEAST_ENTRIES = 64,
    MOST_ENTRY_BYTES = 8 << 20,
    MOST_PATHS = PARTITION_LISTED,
    WORTH_READING = 100,
    LEAST_LAYER = 1000,
    LEAST_TEAM = 1 << 12,
    MOST_TEAM = 1 << 19
};
#endif

/* ---- entries: a record, where it was found from, and the p-point that led to it ---- */

struct entry_tail {
    uint64_t source;
    uint32_t state, step, point, unused;
};

static struct entry_tail tail_of(const struct partition *partition, const char *entry)
{
    struct entry_tail tail;
    memcpy(&tail, entry + partition->search->space.layout.record_bytes, sizeof tail);
    return tail;
}

static void make_entry(const struct partition *partition, char *entry, const void *record,
                       struct entry_tail tail)
{
    uint32_t record_bytes = partition->search->space.layout.record_bytes;
    memcpy(entry, record, record_bytes);
    memcpy(entry + record_bytes, &tail, sizeof tail);
}

static int compare_tails(const struct entry_tail *a, const struct entry_tail *b)
{
    if (a->source != b->source)
        return a->source + 1 < b->source + 1 ? -1 : 1; /* initial states first */
    if (a->state != b->state) return a->state < b->state ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static int by_origin(const void *a, const void *b, void *context)
{
    struct entry_tail one = tail_of(context, a), two = tail_of(context, b);
    return compare_tails(&one, &two);
}

static int by_record(const void *a, const void *b, void *context)
{
    const struct partition *partition = context;
    int order = memcmp(a, b, partition->search->space.layout.record_bytes);
    return order ? order : by_origin(a, b, context);
}

static int by_point(const void *a, const void *b, void *context)
{
    struct entry_tail one = tail_of(context, a), two = tail_of(context, b);
    return one.point != two.point ? (one.point > two.point) - (one.point < two.point)
                                  : by_record(a, b, context);
}

static void sort_entries(struct partition *partition, char *entries, uint64_t count,
                         int (*compare)(const void *, const void *, void *))
{
    sort_things(partition->done.crew, entries, count, partition->entry_bytes, compare, partition);
}

static bool is_in_store(const struct partition *partition, const char *record)
{
    const struct store *store = &partition->search->store;
    return store_find(store, record, store_hash(record, store->record_bytes)) != STORE_NONE;
}

/* ---- limits ---- */

/* Memory was refused: the epoch ends soon, and what was put aside is for that. */
static bool relieve(struct partition *partition)
{
    if (partition->is_full || !partition->hard_limit
        || !partition->search->space.layout.record_bytes)
        return false;
    partition->is_full = true;
    partition->mem->limit =
        partition->soft_limit
        + (partition->hard_limit - partition->soft_limit) / 2; /* the rest is for the end itself */
    return true;
}

static bool refused(struct partition *partition)
{
    return visit_stop(partition->search, STOP_MEMORY);
}

/* Something with a file, or memory for it, failed. */
static bool failed(struct partition *partition, const char *error)
{
    if (!error) return refused(partition);
    partition->search->result->stop_detail = error;
    return visit_stop(partition->search, STOP_DISK);
}

/* Which of the first `count` entries of the batch are in files. The block to read with may need
 * what was put aside. */
static bool find_in_runs(struct partition *partition, uint64_t count)
{
    struct runs *runs = &partition->done;
    while (!runs_find(runs, partition->batch, partition->entry_bytes, count, partition->has))
        if (runs->error || !relieve(partition)) return failed(partition, runs->error);
    return true;
}

/* Room for one more thing; NULL: memory was refused. */
static void *grown(struct partition *partition, void *list, uint64_t len, uint64_t *room,
                   size_t size)
{
    if (len < *room) return list;
    uint64_t more = *room ? 2 * *room : 8;
    void *larger;
    while (!(larger = mem_try_resize(partition->mem, list, more * size)) && relieve(partition)) {
    }
    if (larger) *room = more;
    else refused(partition);
    return larger;
}

static bool push_waiting(struct partition *partition, struct waiting_entries **list, uint32_t *len,
                         uint32_t *room, struct waiting_entries entries)
{
    uint64_t wide = *room;
    struct waiting_entries *larger = grown(partition, *list, *len, &wide, sizeof **list);
    if (!larger) return false;
    *list = larger;
    *room = (uint32_t)wide;
    (*list)[(*len)++] = entries;
    return true;
}

static bool append(struct partition *partition, struct tape *tape, const void *bytes, uint64_t size)
{
    return tape_append(tape, bytes, size) || failed(partition, tape->error);
}

/* ---- entries of continuations ---- */

/* Puts what was found on the tape of the next layer, without what was found twice or visited
 * since. */
static bool flush_found(struct partition *partition)
{
    struct partition_layer *next = &partition->next;
    const uint32_t record_bytes = partition->search->space.layout.record_bytes;
    const char *last = NULL;
    uint32_t last_point = MODEL_NONE, open = MODEL_NONE;
    sort_entries(partition, partition->found, partition->found_count, by_point);
    for (uint64_t i = 0; i < partition->found_count; i++) {
        const char *entry = partition->found + i * partition->entry_bytes;
        uint32_t point = tail_of(partition, entry).point;
        bool again = last && last_point == point && !memcmp(last, entry, record_bytes);
        last = entry;
        last_point = point;
        if (again || is_in_store(partition, entry)) continue;
        if (open != point) {
            struct waiting_entries fresh = {next->tape.bytes, 0, point, 0,
                                            partition->statistics->partitions};
            if (!push_waiting(partition, &next->list, &next->len, &next->room, fresh)) return false;
            open = point;
        }
        if (!append(partition, &next->tape, entry, partition->entry_bytes)) return false;
        next->list[next->len - 1].count++;
    }
    partition->found_count = 0;
    return true;
}

static bool put_found(struct partition *partition, const uint64_t *words, struct entry_tail tail)
{
    if (partition->found_count == partition->found_room) {
        uint64_t room = partition->found_room ? 2 * partition->found_room : LEAST_ENTRIES;
        if (room > partition->most_entries) room = partition->most_entries;
        char *more = room > partition->found_room ? mem_try_resize(partition->mem, partition->found,
                                                                   room * partition->entry_bytes)
                                                  : NULL;
        if (more) {
            partition->found = more;
            partition->found_room = room;
        } else if (!partition->found_room) {
            return relieve(partition) && put_found(partition, words, tail);
        } else if (!flush_found(partition)) {
            return false;
        }
    }
    make_entry(partition, partition->found + partition->found_count++ * partition->entry_bytes,
               words, tail);
    return true;
}

/* Adds a state with its origin. When it is refused nothing has changed. */
static enum store_result add_state(struct partition *partition, const void *record, uint64_t hash,
                                   struct entry_tail from, uint32_t *index)
{
    enum store_result added;
    while (!origins_reserve(&partition->origins, 1)
           || (added = store_add32(&partition->search->store, record, hash, index))
                  == STORE_REFUSED)
        if (!relieve(partition)) return STORE_REFUSED;
    if (added == STORE_NEW) origins_add(&partition->origins, from.source, from.state, from.step);
    return added;
}

enum store_result partition_add(struct partition *partition, const struct successor *successor,
                                const uint64_t *words, uint32_t state, uint32_t step,
                                uint32_t *index)
{
    struct entry_tail tail = {partition->epoch, state, step, successor->point, 0};
    enum store_result added = STORE_KNOWN;
    *index = 0;
    if (successor->point == MODEL_NONE)
        added = add_state(partition, words, successor->hash, tail, index);
    else {
        partition->reached[successor->point] = true;
        bool known = store_find(&partition->search->store, words, successor->hash) != STORE_NONE;
        if (!known && !put_found(partition, words, tail)) added = STORE_REFUSED;
    }
    if (added != STORE_REFUSED || partition->search->result->stop != STOP_NONE) return added;
    partition->overflowed = true;
    partition->overflow_state = state;
    partition->overflow_step = step;
    return STORE_REFUSED;
}

/* ---- the end of an epoch ---- */

/* What so many steps of a state added to the counts is taken away; all of them: what its expansion
 * added. */
static void take_away_steps(struct partition *partition, const void *record, uint64_t steps)
{
    struct search *search = partition->search;
    struct result *result = search->result;
    struct space *space = &search->space;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    bool enabled = false;
    int64_t value;
    space->words[space->layout.words - 1] = 0;
    memcpy(space->words, record, space->layout.record_bytes);
    program_start(&space->program, &cursor);
    while (steps
           && (step = program_next(&space->program, &cursor, space->words, space->next, &fast))
                  != STEP_NONE) {
        if (steps != UINT64_MAX) steps -= step == STEP_TAKEN;
        else result->runtime_errors -= step == STEP_FAILED; /* counted at the end of an expansion */
        result->transitions -= step == STEP_TAKEN;
        if (step == STEP_TAKEN) result->taken[fast->rule]--;
        enabled |= step == STEP_TAKEN;
    }
    if (enabled || steps != UINT64_MAX) return;
    if (search->model->has_final
        && program_run(&space->program, search->final, space->words, &value) && value)
        result->ends--;
    else result->deadlocks--;
}

static void take_away(void *context, const void *record)
{
    take_away_steps(context, record, UINT64_MAX);
}

/* States that are not expanded wait: with their own origins. */
static bool put_rest(struct partition *partition)
{
    const struct store *store = &partition->search->store;
    struct tape *tape = &partition->now.tape;
    struct waiting_entries rest = {.offset = tape->bytes,
                                   .count = store->count - partition->cursor};
    if (!rest.count) return true;
    char *entry = mem_try_alloc(partition->mem, partition->entry_bytes);
    if (!entry) return refused(partition);
    bool good = true;
    for (uint64_t i = partition->cursor; good && i < store->count; i++) {
        struct origin origin = origins_of(&partition->origins, (uint32_t)i);
        make_entry(partition, entry, store_get(store, (uint32_t)i),
                   (struct entry_tail){origin.source, (uint32_t)origin.state, origin.step, 0, 0});
        good = append(partition, tape, entry, partition->entry_bytes);
    }
    mem_free(partition->mem, entry);
    return good
           && push_waiting(partition, &partition->pending, &partition->pending_len,
                           &partition->pending_room, rest);
}

static bool keep_log(struct partition *partition)
{
    struct epoch_log *logs =
        grown(partition, partition->logs, partition->epoch, &partition->log_room, sizeof *logs);
    if (!logs) return false;
    partition->logs = logs;
    unsigned char *bytes = mem_try_alloc(partition->mem, origins_bound(&partition->origins) + 1);
    if (!bytes) return refused(partition);
    uint64_t size = origins_write(&partition->origins, bytes);
    logs[partition->epoch] = (struct epoch_log){partition->log_tape.bytes, size};
    bool good = append(partition, &partition->log_tape, bytes, size);
    mem_free(partition->mem, bytes);
    origins_release(&partition->origins);
    return good;
}

bool partition_is_known(const struct partition *partition, uint64_t state)
{
    return state / 64 < partition->known_words && partition->known[state / 64] >> state % 64 & 1;
}

/* Leaves only states that were expanded in this epoch, at the beginning of the store. Returns how
 * many. */
static uint64_t leave_out_known(struct partition *partition)
{
    const struct store *store = &partition->search->store;
    uint64_t kept = 0;
    if (!partition->known_words) return partition->cursor;
    for (uint64_t i = 0; i < partition->cursor; i++) {
        if (partition_is_known(partition, i)) continue;
        if (kept != i)
            memcpy((char *)store_get(store, (uint32_t)kept), store_get(store, (uint32_t)i),
                   store->record_bytes);
        kept++;
    }
    mem_free(partition->mem, partition->known);
    partition->known = NULL;
    partition->known_words = 0;
    return kept;
}

/* Between expansions. */
static bool end_epoch(struct partition *partition)
{
    struct search *search = partition->search;
    struct store *store = &search->store;
    if (partition->hard_limit) partition->mem->limit = partition->hard_limit;
    reached_scan(search->model, &search->space.layout, store, search->result, partition->scan);
    if (!put_rest(partition)) return false;
    bool good = runs_add(&partition->done, store, leave_out_known(partition), take_away, partition);
    store_release(store);
    if (!store_init(store, partition->mem, search->space.layout.record_bytes))
        return refused(partition);
    if (!good) return failed(partition, partition->done.error);
    if (!keep_log(partition)) return false;
    partition->statistics->spills++;
    partition->epoch++;
    partition->cursor = 0;
    partition->is_full = false;
    partition->mem->limit = partition->soft_limit;
    return true;
}

bool partition_is_full(const struct partition *partition)
{
    return partition->is_full
           || (MOST_STATES && partition->search->store.count > MOST_STATES && partition->cursor
               && partition->search->space.layout.record_bytes);
}

/* ---- one partition ---- */

/* Room in the batch for so many, or for as many as there is memory for. */
static bool reserve_batch(struct partition *partition, uint64_t wanted)
{
    if (wanted > partition->most_batch) wanted = partition->most_batch;
    if (wanted > partition->batch_room && wanted < 2 * partition->batch_room)
        wanted = 2 * partition->batch_room;
    while (wanted > partition->batch_room) {
        bool *has = mem_try_resize(partition->mem, partition->has, wanted * sizeof *has);
        if (has) partition->has = has;
        char *batch =
            has ? mem_try_resize(partition->mem, partition->batch, wanted * partition->entry_bytes)
                : NULL;
        if (batch) {
            partition->batch = batch;
            partition->batch_room = wanted;
        }
        if (!batch && partition->batch_room) break; /* less will do */
        if (!batch && wanted > LEAST_ENTRIES) wanted = LEAST_ENTRIES;
        else if (!batch && !relieve(partition)) return refused(partition);
    }
    return true;
}

static uint64_t count_pending(const struct partition *partition)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < partition->pending_len && count < partition->most_batch; i++)
        count += partition->pending[i].count;
    return count;
}

/* ---- states of a region that are on disk ---- */

static bool reserve_known(struct partition *partition, uint64_t states)
{
    uint64_t words = states / 64 + 1;
    if (words <= partition->known_words) return true;
    words += words / 2;
    uint64_t *known = mem_try_resize(partition->mem, partition->known, words * sizeof *known);
    if (!known) return false;
    memset(known + partition->known_words, 0, (words - partition->known_words) * sizeof *known);
    partition->known = known;
    partition->known_words = words;
    return true;
}

/* Before a layer of a region, which is all that is not expanded yet: states that are on disk need
 * not be expanded again. Reading takes time that only a large layer is worth. */
static bool find_known(struct partition *partition)
{
    const struct store *store = &partition->search->store;
    uint64_t left = store->count - partition->cursor,
             least = partition->done.records / WORTH_READING + LEAST_LAYER;
    if (!partition->done.records || left < least || partition->most_batch < least
        || !reserve_known(partition, store->count) || !reserve_batch(partition, left))
        return partition->search->result->stop == STOP_NONE;
    for (uint64_t first = partition->cursor; first < store->count;
         first += partition->batch_count) {
        partition->batch_count = store->count - first < partition->batch_room
                                     ? store->count - first
                                     : partition->batch_room;
        if (partition->batch_count < least) break;
        for (uint64_t i = 0; i < partition->batch_count; i++)
            make_entry(partition, partition->batch + i * partition->entry_bytes,
                       store_get(store, (uint32_t)(first + i)),
                       (struct entry_tail){.state = (uint32_t)(first + i)});
        sort_entries(partition, partition->batch, partition->batch_count, by_record);
        if (!find_in_runs(partition, partition->batch_count)) return false;
        for (uint64_t i = 0; i < partition->batch_count; i++) {
            uint32_t state =
                tail_of(partition, partition->batch + i * partition->entry_bytes).state;
            if (partition->has[i]) partition->known[state / 64] |= UINT64_C(1) << state % 64;
        }
    }
    return true;
}

/* Memory ran out in the middle of an expansion: it did not happen, nor did those after it. */
static bool give_back(struct partition *partition)
{
    struct search *search = partition->search;
    if (!partition->overflowed) return false;
    partition->overflowed = false;
    partition->cursor = partition->overflow_state;
    search->expansion_count = search->batch_size = 0;
    if (!partition->cursor) return refused(partition); /* a single state does not fit */
    take_away_steps(partition, store_get(&search->store, partition->overflow_state),
                    partition->overflow_step);
    return end_epoch(partition);
}

/* Asked before a layer, not within: where a round of the team ends depends on who was faster, and
 * the team notices at another state than a single thread, which expands in advance, that memory is
 * full. */
static bool is_for_team(const struct partition *partition, uint64_t layer_end)
{
    return partition->team
           && partition_team_is_worth(partition->team, layer_end - partition->cursor);
}

/* All that is in the store. When memory is full the rest is pending. */
static bool explore(struct partition *partition)
{
    struct search *search = partition->search;
    uint64_t layer_end = search->store.count;
    bool together = is_for_team(partition, layer_end);
    for (;;) {
        if (partition->cursor == layer_end) {
            if (!breadth_flush(search)) return give_back(partition);
            if (partition->cursor == search->store.count) return true;
            layer_end = search->store.count;
            if (!find_known(partition)) return false;
            together = is_for_team(partition, layer_end);
        }
        if (together) {
            if (!breadth_flush(search) || !partition_team_expand(partition->team, layer_end))
                return give_back(partition);
            if (partition_is_full(partition)) return end_epoch(partition);
            continue;
        }
        if (!visit_poll(search, 0)) return false;
        if (partition_is_known(partition, partition->cursor)) {
            partition->cursor++;
            continue;
        }
        if (!breadth_expand(search, (uint32_t)partition->cursor++)) return give_back(partition);
        if (partition_is_full(partition))
            return breadth_flush(search) ? end_epoch(partition) : give_back(partition);
    }
}

/* Reads entries that are pending, as many as there is room for. */
static bool load_batch(struct partition *partition)
{
    partition->batch_count = 0;
    if (!reserve_batch(partition, count_pending(partition))) return false;
    while (partition->pending_len && partition->batch_count < partition->batch_room) {
        struct waiting_entries *from = &partition->pending[partition->pending_len - 1];
        uint64_t some = partition->batch_room - partition->batch_count;
        if (some > from->count) some = from->count;
        struct tape *tape = &partition->now.tape;
        if (!tape_read(tape, from->offset,
                       partition->batch + partition->batch_count * partition->entry_bytes,
                       some * partition->entry_bytes))
            return failed(partition, tape->error);
        partition->batch_count += some;
        from->offset += some * partition->entry_bytes;
        from->count -= some;
        partition->pending_len -= !from->count;
    }
    return true;
}

/* Leaves only those that were not visited before, in the order in which they were found. */
static bool filter_batch(struct partition *partition)
{
    const uint64_t size = partition->entry_bytes;
    uint64_t kept = 0;
    char *batch = partition->batch;
    sort_entries(partition, batch, partition->batch_count, by_record);
    for (uint64_t i = 0; i < partition->batch_count; i++) {
        const char *entry = batch + i * size;
        if (kept
            && !memcmp(batch + (kept - 1) * size, entry,
                       partition->search->space.layout.record_bytes))
            continue;
        if (!is_in_store(partition, entry)) memmove(batch + kept++ * size, entry, size);
    }
    if (kept && !find_in_runs(partition, kept)) return false;
    partition->batch_count = 0;
    for (uint64_t i = 0; i < kept; i++)
        if (!partition->has[i])
            memmove(batch + partition->batch_count++ * size, batch + i * size, size);
    sort_entries(partition, batch, partition->batch_count, by_origin);
    return true;
}

/* The rest of the batch, from this one on, is pending again. */
static bool put_back(struct partition *partition, uint64_t first)
{
    struct tape *tape = &partition->now.tape;
    struct waiting_entries rest = {.offset = tape->bytes, .count = partition->batch_count - first};
    if (!rest.count) return true;
    return append(partition, tape, partition->batch + first * partition->entry_bytes,
                  rest.count * partition->entry_bytes)
           && push_waiting(partition, &partition->pending, &partition->pending_len,
                           &partition->pending_room, rest);
}

static bool add_roots(struct partition *partition)
{
    struct search *search = partition->search;
    struct space *space = &search->space;
    for (uint64_t i = 0; i < partition->batch_count; i++) {
        const char *entry = partition->batch + i * partition->entry_bytes;
        uint32_t index;
        space->next[space->layout.words - 1] = 0;
        memcpy(space->next, entry, space->layout.record_bytes);
        enum store_result added =
            add_state(partition, space->next, store_hash(space->next, space->layout.record_bytes),
                      tail_of(partition, entry), &index);
        if (added == STORE_NEW) {
            visit_watch(search, search->active, space->next, index);
            visit_report_findings(search);
            if (!visit_poll(search, 0)) return false;
        }
        if (!partition->is_full) continue;
        if (!search->store.count) return refused(partition);
        if (!put_back(partition, added == STORE_REFUSED ? i : i + 1)) return false;
        return !partition->cursor
               || end_epoch(
                   partition); /* with nothing to give up, those that are there come first */
    }
    return true;
}

/* All pending entries. *some: there was a new one. */
static bool search_pending(struct partition *partition, bool *some)
{
    while (partition->pending_len) {
        if (!load_batch(partition) || !filter_batch(partition)) return false;
        *some |= partition->batch_count != 0;
        if (partition->batch_count && (!add_roots(partition) || !explore(partition))) return false;
    }
    return true;
}

static int by_point_and_place(const void *a, const void *b)
{
    const struct waiting_entries *one = a, *two = b;
    if (one->point != two->point) return one->point < two->point ? -1 : 1;
    return (one->offset > two->offset) - (one->offset < two->offset);
}

/* In the list of p-paths; MODEL_NONE: there is no room, and then none for its continuations. */
static uint32_t list_path(struct partition *partition, uint32_t parent, uint32_t point,
                          uint64_t states, bool is_first)
{
    struct partition_statistics *statistics = partition->statistics;
    if (statistics->path_count >= MOST_PATHS || (parent == MODEL_NONE && !is_first))
        return MODEL_NONE;
    if ((statistics->path_count & (statistics->path_count + 1))
        == 0) { /* there is room for 2^n - 1 */
        struct p_path *paths =
            mem_try_resize(partition->mem, statistics->paths,
                           (2 * (uint64_t)statistics->path_count + 1) * sizeof *paths);
        if (!paths) return MODEL_NONE;
        statistics->paths = paths;
    }
    statistics->paths[statistics->path_count] = (struct p_path){parent, point, states};
    return statistics->path_count++;
}

/* The p-path at hand is searched: its continuations wait. `first`: where they begin in the list of
 * the next layer. */
static bool finish_partition(struct partition *partition, uint32_t parent, uint32_t point,
                             uint64_t states, bool is_first, uint32_t first)
{
    struct partition_statistics *statistics = partition->statistics;
    struct partition_layer *next = &partition->next;
    if (!flush_found(partition)) return false;
    uint32_t path = list_path(partition, parent, point, states, is_first);
    if (next->len > first)
        qsort(next->list + first, next->len - first, sizeof *next->list, by_point_and_place);
    for (uint32_t i = first; i < next->len; i++) {
        next->list[i].parent = path;
        partition->reached[next->list[i].point] = false;
    }
    for (uint32_t p = 0; p < partition->points->count; p++) {
        statistics->skipped +=
            partition->reached[p]; /* everything right after it was visited when it was found */
        partition->reached[p] = false;
    }
    statistics->partitions++;
    if (states > statistics->largest) statistics->largest = states;
    return true;
}

/* ---- all of them ---- */

static bool search_initial(struct partition *partition)
{
    struct search *search = partition->search;
    struct space *space = &search->space;
    uint32_t index, number = 0;
    bool some = true;
    eval_first_initial(search->model, search->values);
    do {
        layout_pack(&space->layout, search->model, search->values, space->next);
        struct entry_tail from = {ORIGINS_INITIAL, number++, 0, 0, 0};
        uint64_t hash = store_hash(space->next, space->layout.record_bytes);
        while (add_state(partition, space->next, hash, from, &index) == STORE_REFUSED)
            if (!search->store.count || !end_epoch(partition))
                return search->result->stop == STOP_NONE ? refused(partition) : false;
        search->result->initial_states++;
        visit_watch(search, search->active, space->next, index);
        visit_report_findings(search);
        if (!visit_poll(search, 0)) return false;
        if (partition->is_full && !end_epoch(partition)) return false;
    } while (eval_next_initial(search->model, search->values));
    return explore(partition) && search_pending(partition, &some)
           && finish_partition(partition, MODEL_NONE, MODEL_NONE, search->result->expanded, true,
                               0);
}

static bool is_same_path(const struct waiting_entries *a, const struct waiting_entries *b)
{
    return a->from == b->from && a->point == b->point;
}

/* The p-path whose entries begin at `first` in the list; *end: where the next one's do. */
static bool search_path(struct partition *partition, uint32_t first, uint32_t *end)
{
    const struct partition_layer *now = &partition->now;
    const struct waiting_entries path = now->list[first];
    uint64_t before = partition->search->result->expanded;
    uint32_t next = partition->next.len;
    bool some = false;
    for (*end = first; *end < now->len && is_same_path(&now->list[*end], &path); ++*end)
        if (!push_waiting(partition, &partition->pending, &partition->pending_len,
                          &partition->pending_room, now->list[*end]))
            return false;
    if (!search_pending(partition, &some)) return false;
    if (some)
        return finish_partition(partition, path.parent, path.point,
                                partition->search->result->expanded - before, false, next);
    partition->statistics->skipped++;
    return true;
}

static void next_layer(struct partition *partition)
{
    struct partition_layer done = partition->now;
    partition->now = partition->next;
    partition->next = done;
    partition->next.len = 0;
    tape_clear(&partition->next.tape);
}

static uint64_t count_paths(const struct waiting_entries *list, uint32_t first, uint32_t end)
{
    uint64_t count = 0;
    for (uint32_t i = first; i < end; i++)
        count += i == first || !is_same_path(&list[i], &list[i - 1]);
    return count;
}

static bool search_all(struct partition *partition)
{
    struct partition_statistics *statistics = partition->statistics;
    uint32_t at = 0;
    bool good = search_initial(partition);
    while (good) {
        next_layer(partition);
        if (!partition->now.len) break;
        uint64_t before = statistics->partitions;
        for (at = 0; good && at < partition->now.len;) {
            uint32_t end;
            good = search_path(partition, at, &end);
            if (good) at = end;
        }
        statistics->longest += statistics->partitions > before;
    }
    if (!good)
        statistics->waiting = count_paths(partition->now.list, at, partition->now.len)
                              + count_paths(partition->next.list, 0, partition->next.len);
    /* what several partitions visited is known when all is in one place */
    if (good && partition->epoch) good = end_epoch(partition);
    statistics->is_net = good;
    return good;
}

bool partition_run(struct search *search)
{
    struct partition *partition = search->partition;
    struct mem *mem = partition->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (!partition->team) return search_all(partition);
    uint32_t threads = partition_team_start(partition->team);
    partition->done.crew = partition_team_crew(partition->team);
    search->result->threads = threads > 1 ? threads : 0;
    if (setjmp(recover)) { /* a counterexample was refused memory: nobody may be left at work */
        mem->recover = outer;
        partition_team_stop(partition->team);
        mem_refuse(mem);
    }
    mem->recover = &recover;
    bool good = search_all(partition);
    mem->recover = outer;
    partition->done.crew = NULL;
    partition_team_stop(partition->team);
    return good;
}

uint64_t partition_states(const struct partition *partition)
{
    uint64_t stored = partition->search->store.count,
             open = stored > partition->cursor ? stored - partition->cursor : 0;
    if (!partition->epoch && stored >= partition->cursor) return stored;
    return partition->statistics->is_net ? partition->done.records
                                         : partition->search->result->expanded + open;
}

void partition_conclude(struct search *search)
{
    struct partition *partition = search->partition;
    struct partition_statistics *statistics = partition->statistics;
    statistics->gross_states = search->result->expanded;
    statistics->disk_states = partition->done.records;
    statistics->written = partition->done.written;
    reached_scan(search->model, &search->space.layout, &search->store, search->result,
                 partition->scan);
    reached_end(search->model, search->result);
}

/* ---- counterexamples ---- */

/* The log of an epoch; NULL: *why says why there is none. */
static const struct origins *log_of(struct partition *partition, uint64_t epoch, const char **why)
{
    if (epoch == partition->epoch) return &partition->origins;
    if (partition->has_loaded && partition->loaded_epoch == epoch) return &partition->loaded;
    const struct epoch_log *log = &partition->logs[epoch];
    unsigned char *bytes = mem_alloc(partition->mem, log->size + 1);
    partition->has_loaded = tape_read(&partition->log_tape, log->offset, bytes, log->size)
                            && origins_read(&partition->loaded, bytes, log->size);
    partition->loaded_epoch = epoch;
    mem_free(partition->mem, bytes);
    if (!partition->has_loaded)
        *why = partition->log_tape.error ? partition->log_tape.error
                                         : "the record of how it was reached makes no sense";
    return partition->has_loaded ? &partition->loaded : NULL;
}

static bool find_initial(const struct model *model, uint64_t number, int64_t *values)
{
    eval_first_initial(model, values);
    while (number--)
        if (!eval_next_initial(model, values)) return false;
    return true;
}

void partition_violated(struct partition *partition, struct property_result *entry, uint32_t state,
                        uint32_t failed_rule)
{
    struct search *search = partition->search;
    struct model *model = search->model;
    VEC(uint32_t) steps = {0};
    struct origin origin = {partition->epoch, state, 0};
    const char *why = NULL;
    for (;;) {
        const struct origins *log = log_of(partition, origin.source, &why);
        if (!log) break;
        origin = origins_of(log, origin.state);
        if (origin.source == ORIGINS_INITIAL) break;
        vec_push(partition->mem, &steps, origin.step);
    }
    if (why) {
        entry->reason = why;
        entry->last =
            mem_alloc(partition->mem, (model->vars.len + UINT64_C(1)) * sizeof *entry->last);
        space_load(&search->space, state);
        layout_unpack(&search->space.layout, model, search->space.words, entry->last);
    } else {
        entry->trace = trace_new(model, steps.len);
        entry->trace->failed_rule = failed_rule;
        if (!find_initial(model, origin.state, entry->trace->initial)
            || !visit_follow(search, entry->trace, steps.data))
            search->result->broken = "a run does not follow its record";
    }
    vec_free(partition->mem, &steps);
}

/* ---- before and after ---- */

/* A share of the memory that is left. */
static uint64_t share_of(const struct partition *partition, unsigned part, uint64_t least,
                         uint64_t most)
{
    uint64_t left = partition->hard_limit > partition->mem->used
                        ? partition->hard_limit - partition->mem->used
                        : 0;
    uint64_t share = partition->hard_limit ? left / part : most;
    return share < least ? least : share > most ? most : share;
}

/* Several threads, unless they would take more than an eighth of the memory. */
static void call_team(struct partition *partition, uint32_t threads)
{
    const uint64_t before = partition->mem->used, most = share_of(partition, 8, 0, UINT64_MAX);
    partition->team = partition_team_new(partition, threads,
                                         share_of(partition, 16 * threads, LEAST_TEAM, MOST_TEAM));
    if (!partition->team || partition->mem->used - before <= most) return;
    partition_team_release(partition->team);
    partition->team = NULL;
}

void partition_init(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct partition *partition = search->partition = mem_alloc(mem, sizeof *partition);
    const uint32_t record_bytes = search->space.layout.record_bytes,
                   threads = search->task->threads < CREW_MOST ? search->task->threads : CREW_MOST;
    partition->search = search;
    partition->mem = mem;
    partition->points = search->task->points;
    partition->statistics = search->result->partition =
        mem_alloc(mem, sizeof *partition->statistics);
    partition->statistics->points = search->task->points;
    partition->statistics->chosen = search->task->points_chosen;
    partition->hard_limit = mem->limit;
    partition->entry_bytes = record_bytes + (uint32_t)sizeof(struct entry_tail);
    uint32_t block = (uint32_t)share_of(partition, 256, LEAST_BLOCK, MOST_BLOCK);
    partition->most_entries = share_of(partition, 32, 1, MOST_ENTRY_BYTES) / partition->entry_bytes;
    if (partition->most_entries < LEAST_ENTRIES) partition->most_entries = LEAST_ENTRIES;
    partition->most_batch =
        share_of(partition, 8, 1, 8 * (uint64_t)MOST_ENTRY_BYTES) / partition->entry_bytes;
    if (partition->most_batch < LEAST_ENTRIES) partition->most_batch = LEAST_ENTRIES;
    origins_init(&partition->origins, mem);
    origins_init(&partition->loaded, mem);
    tape_init(&partition->log_tape, mem, block);
    tape_init(&partition->now.tape, mem, block);
    tape_init(&partition->next.tape, mem, block);
    if (!tape_reserve(&partition->log_tape) || !tape_reserve(&partition->now.tape)
        || !tape_reserve(&partition->next.tape))
        mem_refuse(mem);
    runs_init(&partition->done, mem, record_bytes ? record_bytes : 1, block);
    partition->reached =
        mem_alloc(mem, (partition->points->count + UINT64_C(1)) * sizeof *partition->reached);
    partition->scan = reached_begin(search->model, search->result);
    if (threads > 1 && !search->graph && record_bytes) call_team(partition, threads);
    partition->soft_limit =
        partition->hard_limit ? partition->hard_limit - share_of(partition, 8, 1, 64 << 20) : 0;
    mem->limit = partition->soft_limit;
}

void partition_release(struct search *search)
{
    struct partition *partition = search->partition;
    struct mem *mem = partition->mem;
    origins_release(&partition->origins);
    origins_release(&partition->loaded);
    tape_release(&partition->log_tape);
    tape_release(&partition->now.tape);
    tape_release(&partition->next.tape);
    runs_release(&partition->done);
    mem_free(mem, partition->logs);
    mem_free(mem, partition->now.list);
    mem_free(mem, partition->next.list);
    mem_free(mem, partition->pending);
    mem_free(mem, partition->found);
    mem_free(mem, partition->batch);
    mem_free(mem, partition->has);
    mem_free(mem, partition->known);
    mem_free(mem, partition->reached);
    mem_free(mem, partition->scan);
    if (partition->team) partition_team_release(partition->team);
    mem_free(mem, partition);
    search->partition = NULL;
}
