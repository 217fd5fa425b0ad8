/* A part is written when its levels have LEAST_STATES states or more, or a second has passed since
 * the part before: the summary has a number per rule that was taken, which would be too much for a
 * level of a single state.
 *
 * A summary begins with: whether the search is whole, the levels of the part and how many states
 * each began with more than the one before, the states and the bits of the log that were added, the
 * cursor, the initial states.
 *
 * A block that cannot be read ends what is known there: everything is taken over again up to the
 * part before it. A run with a smaller bound (--bound) than the one before takes over what lies
 * within, and writes nothing.
 *
 * Invariants: (1) what is in files is a beginning of what is in memory; (2) numbers of states in
 * files are those in memory, because they are added again in their order; (3) the log of parents
 * has one zero per state. */
#include "search/snapshot.h"

#include "base/checked.h"
#include "base/clock.h"
#include "past/records.h"
#include "past/summary.h"
#include "solver/freezer.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { LEAST_STATES = 3 };
#else
enum { LEAST_STATES = 256 };
#endif
enum { LOG_WORD = sizeof(uint64_t), MOST_LEVELS = LEAST_STATES };
static const double least_seconds = 1;

struct snapshot {
    struct snapshot_search of;
    struct mem *mem;
    struct freezer *freezer; /* NULL: it is finished */
    struct summary summary;
    struct snapshot_statistics *statistics;
    bool writes;         /* the files may be changed, and are */
    uint64_t part;       /* the number of the next one */
    uint64_t states;     /* in files, and ... */
    uint64_t bits;       /* ... of the log, and ... */
    uint64_t levels;     /* ... levels */
    double written;      /* when the last part was */
    uint64_t initial;    /* initial states that summaries have told of */
    const char *strange; /* what makes no sense in the files; NULL: nothing */
};

/* ---- violations ---- */

static void violated(struct summary *summary, uint32_t property)
{
    struct snapshot *snapshot = summary->owner;
    struct search *search = snapshot->of.search;
    const struct summary_place *place = &summary->places[property];
    if (place->state >= search->set->count) snapshot->strange = "a violation without a state";
    else findings_violated(search, property, search->set, place->state, place->failed_rule);
}

void snapshot_violated(struct snapshot *snapshot, uint32_t property, uint64_t state,
                       uint32_t failed_rule)
{
    struct search *search = snapshot->of.search;
    struct summary *summary = &snapshot->summary;
    const struct summary_place place = {
        .rank = search->result->depth, .state = state, .failed_rule = failed_rule};
    if (summary->places[property].known) return; /* that is where it comes from */
    search->set->kind->load(search->set, state, search->worker->other);
    summary_note(summary, property, place, search->worker->other);
}

/* ---- opening and closing ---- */

static struct freezer *open_folder(struct snapshot *snapshot)
{
    const struct search *search = snapshot->of.search;
    const struct task *task = search->task;
    const struct freezer_identity identity = {{task->freeze_hash[0], task->freeze_hash[1]},
                                              search->space->layout.record_bytes};
    struct freezer_refusal why;
    const uint64_t most = summary_most(&snapshot->summary) + MOST_LEVELS * VARINT_BYTES;
    struct freezer *freezer = freezer_open(snapshot->mem, task->freeze, &identity, task->resume,
                                           most, freezer_share(snapshot->mem), &why);
    if (freezer) return freezer;
    search->result->refused = arena_copy(&search->model->arena, why.text, strlen(why.text));
    search->result->refused_for = why.fault == FREEZER_NO_MEMORY ? STOP_MEMORY : STOP_DISK;
    return NULL;
}

struct snapshot *snapshot_open(const struct snapshot_search *of)
{
    struct search *search = of->search;
    struct mem *mem = search->model->mem;
    struct snapshot *snapshot = mem_alloc(mem, sizeof *snapshot);
    *snapshot = (struct snapshot){.of = *of, .mem = mem, .writes = true};
    snapshot->statistics = search->result->snapshot =
        mem_alloc(mem, sizeof *search->result->snapshot);
    snapshot->summary = (struct summary){.owner = snapshot,
                                         .search = search,
                                         .monitors = &findings_monitors,
                                         .violated = violated,
                                         .task = search->task,
                                         .result = search->result,
                                         .record_bytes = search->space->layout.record_bytes,
                                         .words = search->space->layout.words};
    summary_init(&snapshot->summary);
    summary_reserve(&snapshot->summary, MOST_LEVELS * VARINT_BYTES);
    snapshot->freezer = open_folder(snapshot);
    if (snapshot->freezer) return snapshot;
    snapshot_close(snapshot);
    return NULL;
}

/* Says why the folder cannot be written; returns false. */
static bool failed(struct snapshot *snapshot)
{
    struct search *search = snapshot->of.search;
    const char *error = freezer_error(snapshot->freezer);
    search->result->stop_detail = arena_copy(&search->model->arena, error, strlen(error));
    return poll_stop(search, STOP_DISK);
}

void snapshot_abandon(struct snapshot *snapshot)
{
    if (snapshot->freezer) freezer_close(snapshot->freezer);
    snapshot->freezer = NULL;
}

void snapshot_close(struct snapshot *snapshot)
{
    struct mem *mem = snapshot->mem;
    const struct result *result = snapshot->of.search->result;
    if (snapshot->freezer) {
        bool good = !snapshot->writes || freezer_finish(snapshot->freezer);
        snapshot->statistics->frozen_bytes = freezer_written(snapshot->freezer);
        if (!good && result->stop != STOP_DISK) failed(snapshot);
        freezer_close(snapshot->freezer);
    }
    summary_release(&snapshot->summary);
    mem_free(mem, snapshot);
}

/* ---- writing ---- */

static void make_summary(struct snapshot *snapshot, uint64_t cursor, bool is_whole)
{
    const struct search *search = snapshot->of.search;
    const struct levels *levels = snapshot->of.levels;
    struct summary *summary = &snapshot->summary;
    assert(levels->count - snapshot->levels <= MOST_LEVELS);
    assert(is_whole || cursor < search->set->count || !search->set->count);
    summary_begin(summary);
    summary_put(summary, is_whole);
    summary_put(summary, levels->count - snapshot->levels);
    for (uint64_t i = snapshot->levels; i < levels->count; i++)
        summary_put(summary, levels->list[i] - (i ? levels->list[i - 1] : 0));
    summary_put(summary, search->set->count - snapshot->states);
    summary_put(summary, snapshot->of.parents->bits - snapshot->bits);
    summary_put(summary, cursor);
    summary_put(summary, search->result->initial_states - snapshot->initial);
    summary_end(summary);
}

/* How many words the log has from the one on that was not whole when the part before was written;
 * none when it is still the same. */
static uint64_t fresh_words(const struct snapshot *snapshot)
{
    const uint64_t bits = snapshot->of.parents->bits;
    return bits == snapshot->bits ? 0 : (bits + 63) / 64 - snapshot->bits / 64;
}

static bool put_log(struct snapshot *snapshot)
{
    const struct parents *parents = snapshot->of.parents;
    const uint64_t end = snapshot->bits / 64 + fresh_words(snapshot);
    for (uint64_t word = snapshot->bits / 64, count; word < end; word += count) {
        const uint64_t *words = parents_words(parents, word, &count);
        if (!freezer_put(snapshot->freezer, FREEZER_LOG, words, count * LOG_WORD)) return false;
    }
    return true;
}

static void count_as_written(struct snapshot *snapshot)
{
    const struct search *search = snapshot->of.search;
    assert(snapshot->states <= search->set->count
           && snapshot->bits <= snapshot->of.parents->bits); /* (1) */
    snapshot->part++;
    snapshot->states = search->set->count;
    snapshot->bits = snapshot->of.parents->bits;
    snapshot->levels = snapshot->of.levels->count;
    snapshot->initial = search->result->initial_states;
}

static bool put_part(struct snapshot *snapshot, uint64_t cursor, bool is_whole)
{
    struct search *search = snapshot->of.search;
    struct set *set = search->set;
    const uint64_t words = fresh_words(snapshot), pages = words / PARENTS_PAGE_WORDS + 2,
                   bytes = set->kind->bytes(set, snapshot->states, set->count)
                           + pages * FREEZER_ITEM + words * LOG_WORD;
    if (!freezer_make_room(snapshot->freezer, bytes)) return poll_stop(search, STOP_MEMORY);
    make_summary(snapshot, cursor, is_whole);
    if (!freezer_begin(snapshot->freezer, snapshot->part, bytes)
        || !set->kind->freeze(set, snapshot->states, set->count, snapshot->freezer)
        || !put_log(snapshot)
        || !freezer_end(snapshot->freezer, snapshot->summary.bytes, snapshot->summary.size))
        return failed(snapshot);
    count_as_written(snapshot);
    return true;
}

bool snapshot_level(struct snapshot *snapshot, uint64_t cursor, bool is_whole)
{
    const struct search *search = snapshot->of.search;
    const uint64_t fresh = search->set->count - snapshot->states;
    assert(snapshot->of.parents->zeros == search->set->count); /* (3) */
    if (!snapshot->writes) return true;
    const double now = clock_now();
    bool is_due = is_whole || fresh >= LEAST_STATES || now - snapshot->written >= least_seconds
                  || snapshot->of.levels->count - snapshot->levels >= MOST_LEVELS;
    if (!is_due) return true;
    snapshot->written = now;
    return put_part(snapshot, cursor, is_whole);
}

/* ---- going on ---- */

/* What is being read of one part. */
struct reading {
    struct snapshot *snapshot;
    uint64_t *cursor;
    bool *is_whole;
    uint64_t bits; /* of the log when the part is read */
    bool within;   /* the bound: what follows is not */
};

/* False: it makes no sense, unless the result says why the search must end. */
static bool add_state(void *context, const unsigned char *record, uint64_t size)
{
    const struct reading *reading = context;
    struct search *search = reading->snapshot->of.search;
    struct worker *worker = search->worker;
    const struct set_kind *sets = search->space->kind->sets;
    if (!search_goes_on(search) || !search->space->kind->thaw(worker, record, size)) return false;
    worker->batch.steps[0].set = search->set;
    bool added = sets->add(worker, 0, 1) == 1, is_new = worker->batch.fresh_count == 1;
    batch_clear(&worker->batch);
    return added ? is_new : poll_stop(search, STOP_MEMORY);
}

static bool add_word(void *context, const unsigned char *record, uint64_t size)
{
    const struct reading *reading = context;
    struct parents *parents = reading->snapshot->of.parents;
    uint64_t word, left = reading->bits - parents->bits / 64 * 64;
    assert(size == LOG_WORD);
    memcpy(&word, record, size);
    if (parents->bits >= reading->bits) return false;
    const unsigned bits = left < 64 ? (unsigned)left : 64;
    switch (parents_extend(parents, word, bits)) {
    case PARENTS_EXTENDED: return true;
    case PARENTS_REFUSED: return poll_stop(reading->snapshot->of.search, STOP_MEMORY);
    case PARENTS_STRANGE: break;
    }
    return false;
}

/* All pieces of one kind. False: they cannot be read. */
static bool read_pieces(struct reading *reading, enum freezer_kind kind, uint32_t size,
                        bool (*tell)(void *context, const unsigned char *record, uint64_t size))
{
    struct snapshot *snapshot = reading->snapshot;
    struct records records = records_begin(snapshot->mem, size, tell, reading);
    const char *why;
    bool good = freezer_read(snapshot->freezer, snapshot->part, kind, records_take, &records, &why)
                && records_are_whole(&records);
    if (records.refused) poll_stop(snapshot->of.search, STOP_MEMORY);
    records_release(&records);
    return good;
}

static bool read_states(struct reading *reading, uint64_t count)
{
    const struct search *search = reading->snapshot->of.search;
    const uint32_t size = search->space->layout.record_bytes;
    bool good = true;
    if (size) return read_pieces(reading, FREEZER_RECORDS, size, add_state);
    for (; good && count; count--) good = add_state(reading, (const unsigned char *)"", 0);
    return good;
}

static bool push_levels(const struct snapshot *snapshot, struct varint_input input, uint64_t count)
{
    struct levels *list = snapshot->of.levels;
    for (; count; count--) {
        const uint64_t before = list->count ? list->list[list->count - 1] : 0;
        if (!levels_push(snapshot->of.search, list, before + varint_get(&input))) return false;
    }
    return true;
}

/* States, log, levels and counts of a part. */
static bool take_part(struct reading *reading, struct varint_input *input, uint64_t levels)
{
    struct snapshot *snapshot = reading->snapshot;
    struct search *search = snapshot->of.search;
    const struct varint_input sizes = *input;
    for (uint64_t i = 0; i < levels; i++) varint_get(input);
    const uint64_t states = varint_get(input), bits = varint_get(input), cursor = varint_get(input),
                   initial = varint_get(input), end = search->set->count + states;
    reading->bits = snapshot->of.parents->bits + bits;
    if (!input->good || cursor > end) return false;
    if (!read_states(reading, states) || !read_pieces(reading, FREEZER_LOG, LOG_WORD, add_word)
        || search->set->count != end || snapshot->of.parents->bits != reading->bits
        || snapshot->of.parents->zeros != end || !push_levels(snapshot, sizes, levels))
        return false;
    search->result->initial_states += initial;
    *reading->cursor = cursor;
    return summary_take_over(&snapshot->summary, input) && !snapshot->strange;
}

static bool take_over(void *context, uint64_t part, const unsigned char *bytes, uint64_t size)
{
    struct reading *reading = context;
    struct snapshot *snapshot = reading->snapshot;
    const uint64_t bound = snapshot->of.search->task->max_depth;
    struct varint_input input = {bytes, bytes + size, true};
    const bool is_whole = varint_get(&input);
    const uint64_t levels = varint_get(&input), first = snapshot->levels;
    /* the last level of a search that is whole was expanded, too */
    reading->within = reading->within && (!bound || first + levels + is_whole <= bound + 1);
    if (!reading->within) return true;
    if (part != snapshot->part || levels > MOST_LEVELS || !take_part(reading, &input, levels))
        return false;
    *reading->is_whole = is_whole;
    count_as_written(snapshot);
    return true;
}

/* As if nothing had been read. False: memory was refused. */
static bool forget(struct snapshot *snapshot)
{
    struct search *search = snapshot->of.search;
    const struct set_kind *sets = search->space->kind->sets;
    if (search->set->count) {
        sets->free(search->set);
        search->set = sets->make(search->space);
    }
    parents_release(snapshot->of.parents);
    snapshot->of.levels->count = 0;
    summary_forget(&snapshot->summary);
    search->result->initial_states = 0;
    snapshot->part = snapshot->states = snapshot->bits = snapshot->initial = 0;
    snapshot->levels = 0;
    return search->set || poll_stop(search, STOP_MEMORY);
}

/* Whatever cannot be read shortens what is taken over. */
static bool take_all(struct reading *reading)
{
    struct snapshot *snapshot = reading->snapshot;
    struct search *search = snapshot->of.search;
    for (;;) {
        *reading->cursor = 0;
        *reading->is_whole = false;
        reading->within = true;
        if (!forget(snapshot)) return false;
        if (!freezer_blocks(snapshot->freezer)) return true;
        if (freezer_summaries(snapshot->freezer, take_over, reading)) return true;
        if (search->result->stop != STOP_NONE) return false;
        if (freezer_fault(snapshot->freezer) == FREEZER_NO_MEMORY)
            return poll_stop(search, STOP_MEMORY);
        if (freezer_fault(snapshot->freezer) != FREEZER_UNREADABLE || snapshot->strange) break;
        freezer_cut(snapshot->freezer);
    }
    search->result->stop_detail =
        snapshot->strange ? snapshot->strange : "the journal has an entry that makes no sense";
    return poll_stop(search, STOP_DISK);
}

bool snapshot_resume(struct snapshot *snapshot, uint64_t *cursor, bool *is_whole)
{
    struct search *search = snapshot->of.search;
    struct reading reading = {.snapshot = snapshot, .cursor = cursor, .is_whole = is_whole};
    snapshot->writes = false; /* until it is known what counts */
    if (!take_all(&reading)) return false;
    CHECKED(parents_check(snapshot->of.parents));
    assert(snapshot->of.parents->zeros == search->set->count); /* (3) */
    snapshot->statistics->resumed = snapshot->levels;
    snapshot->writes = reading.within;
    snapshot->written = clock_now();
    if (snapshot->levels) search->result->depth = snapshot->levels - 1;
    return !snapshot->writes || freezer_continue(snapshot->freezer) || failed(snapshot);
}
