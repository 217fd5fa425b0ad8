/* Problem. The regions of p-paths are searched by several threads, and what is found shall not
 * depend on who was faster: neither counts nor runs, nor which p-path a state belongs to, which
 * decides what is a p-path at all.
 *
 * Method. In a round threads take a slice after the other of the states that are next, and expand
 * them: successors, their hashes and p-points, whether they are in the store, which nobody changes
 * meanwhile, and whether a monitor has something to say about one that is not. Then the caller
 * alone goes through all that in the order of states and adds what was not in the store: as one
 * thread would have done. So the number of threads does not matter either.
 *
 * Room is fixed, so that a round allocates nothing. A worker whose room is used up leaves; the
 * caller expands what is left of its slice when it is its turn, and states that nobody has taken
 * are for the next round.
 *
 * Alternatives. A common set that all threads fill takes the rest of the work from the
 * caller, but the numbers of its states depend on who was faster, hence also who belongs to which
 * p-path. P-paths side by side, each with a set of its own, would visit states several times:
 * p-paths of one length have much in common.
 *
 * Invariants: (1) a round writes to its worker, to slices that the worker has taken and to the
 * cursor only; (2) slices are in the order of states and have no gaps; (3) a worker has the records
 * of those successors only that were not in the store, in their order. */
#include "engine/explicit/partition_team.h"

#include <string.h>

#ifdef CAIRN_TEST_HOOKS /* so that small models have several threads, too */
enum { ALONE = 2 };
#else
enum { ALONE = 128 };
#endif
#ifdef CAIRN_DEGENERATE
enum { MOST_ROOM = 16, SLICES = 7, GRAB_MOST = 3 };
#else
enum { MOST_ROOM = 1 << 14, SLICES = 256, GRAB_MOST = 32 };
#endif

struct found { /* a successor */
    const struct fast_rule *fast;
    uint64_t hash;
    uint32_t point;
    uint64_t guess;  /* its number, probably */
    bool is_known;   /* it was in the store before the round */
    bool is_noticed; /* a monitor is false in it, or true if that is what it waits for, or fails */
};

struct slice {
    uint32_t worker;
    uint32_t expansion, found, record; /* the first one of each */
    uint32_t expansions;
    uint64_t end; /* states before this one are done */
};

struct worker {
    struct team *team;
    struct program program; /* with working memory of its own */
    uint64_t *words;        /* the state being expanded */
    struct expansion *expansions;
    struct found *found;
    uint64_t *records;
    uint32_t expansion_count, found_count, record_count;
};

struct team {
    struct partition *partition;
    struct search *search;
    struct crew crew;
    bool is_started;
    struct worker *workers[CREW_MOST];
    uint32_t count;
    uint32_t room;       /* of each worker: expansions, successors, records */
    uint64_t begin, end; /* states of the round */
    uint32_t grab;       /* states of a slice */
    atomic_uint cursor;  /* the next slice */
    uint32_t slice_count;
    struct slice slices[SLICES];
};

/* ---- one thread in a round ---- */

/* Without any effect when there is no room: false. */
static bool expand(struct worker *worker, uint32_t state)
{
    const struct team *team = worker->team;
    const struct search *search = team->search;
    const struct layout *layout = &search->space.layout;
    const uint32_t found_before = worker->found_count, record_before = worker->record_count;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    if (worker->expansion_count == team->room) return false;
    struct expansion expansion = {.state = state};
    worker->words[layout->words - 1] = 0;
    memcpy(worker->words, store_get(&search->store, state), layout->record_bytes);
    program_start(&worker->program, &cursor);
    for (;;) {
        uint64_t *next =
            worker->records
            + (size_t)worker->record_count * layout->words; /* there is one more than `room` */
        enum step step = program_next(&worker->program, &cursor, worker->words, next, &fast);
        if (step == STEP_NONE) break;
        if (step == STEP_FAILED) {
            if (!expansion.failures++) expansion.failed = fast->rule;
            continue;
        }
        if (worker->found_count == team->room) {
            worker->found_count = found_before;
            worker->record_count = record_before;
            return false;
        }
        uint64_t hash = store_hash(next, layout->record_bytes);
        worker->found[worker->found_count++] = (struct found){
            .fast = fast,
            .hash = hash,
            .point = points_of(search->task->points, layout, fast->rule, worker->words, next)};
        worker->record_count++;
        store_prefetch(&search->store, hash);
        expansion.enabled = true;
        expansion.successors++;
    }
    worker->expansions[worker->expansion_count++] = expansion;
    return true;
}

/* Whether visit_watch would have anything to do. */
static bool is_noticed(const struct worker *worker, uint64_t bits, const uint64_t *words)
{
    const struct search *search = worker->team->search;
    bool noticed = false;
    for (uint32_t i = 0; i < search->monitor_count && !noticed; i++) {
        const struct monitor *monitor = &search->monitors[i];
        if (!monitor->active
            || !(bits >> (i < VISIT_MONITOR_BITS ? i : VISIT_MONITOR_BITS - 1) & 1))
            continue;
        int64_t value;
        noticed = !program_run(&worker->program, monitor->code, words, &value)
                  || (monitor->is_antecedent ? value : !value);
    }
    return noticed;
}

/* Looks up the successors of a slice, and keeps the records of those that are not in the store. */
static void look_up(struct worker *worker, const struct slice *slice)
{
    const struct search *search = worker->team->search;
    const uint32_t words = search->space.layout.words;
    uint32_t kept = slice->record;
    for (uint32_t i = slice->found; i < worker->found_count; i++)
        worker->found[i].guess = store_guess(&search->store, worker->found[i].hash);
    for (uint32_t i = slice->found; i < worker->found_count; i++) {
        struct found *found = &worker->found[i];
        const uint64_t *record =
            worker->records + (size_t)(slice->record + i - slice->found) * words;
        found->is_known = store_has(&search->store, found->guess, record)
                          || store_find(&search->store, record, found->hash) != STORE_NONE;
        if (found->is_known) continue;
        uint64_t bits = found->point == MODEL_NONE ? found->fast->touches & search->active : 0;
        found->is_noticed = bits && is_noticed(worker, bits, record);
        uint64_t *to = worker->records + (size_t)kept++ * words;
        if (to != record) memcpy(to, record, words * sizeof *to);
    }
    worker->record_count = kept;
}

/* False: the worker has no more room. */
static bool work_on(struct worker *worker, struct slice *slice, uint64_t first, uint64_t end)
{
    bool good = true;
    for (slice->end = first; slice->end < end; slice->end++) {
        if (partition_is_known(worker->team->partition, slice->end)) continue;
        good = expand(worker, (uint32_t)slice->end);
        if (!good) break;
        slice->expansions++;
    }
    look_up(worker, slice);
    return good;
}

static uint64_t slice_end(const struct team *team, uint32_t slice)
{
    uint64_t end = team->begin + (slice + UINT64_C(1)) * team->grab;
    return end < team->end ? end : team->end;
}

static void work(void *context, uint32_t number)
{
    struct team *team = context;
    struct worker *worker = team->workers[number];
    worker->expansion_count = worker->found_count = worker->record_count = 0;
    while (worker->found_count < team->room && worker->expansion_count < team->room) {
        uint32_t at = atomic_fetch_add_explicit(&team->cursor, 1, memory_order_relaxed);
        if (at >= team->slice_count) break;
        struct slice *slice = &team->slices[at];
        *slice = (struct slice){.worker = number,
                                .expansion = worker->expansion_count,
                                .found = worker->found_count,
                                .record = worker->record_count};
        if (!work_on(worker, slice, team->begin + (uint64_t)at * team->grab, slice_end(team, at)))
            break;
    }
}

/* ---- after it ---- */

static bool add_found(struct team *team, const struct expansion *expansion,
                      const struct found *found, uint32_t step, const uint64_t *words)
{
    struct search *search = team->search;
    if (found->is_known) {
        if (found->point != MODEL_NONE) team->partition->reached[found->point] = true;
    } else {
        const struct successor successor = {
            .fast = found->fast, .hash = found->hash, .point = found->point};
        uint32_t index;
        enum store_result added =
            partition_add(team->partition, &successor, words, expansion->state, step, &index);
        if (added == STORE_REFUSED) return false;
        if (added == STORE_NEW && found->is_noticed)
            visit_watch(search, found->fast->touches & search->active, words, index);
    }
    search->result->transitions++;
    search->result->taken[found->fast->rule]++;
    return true;
}

/* *at, *record: its first ones, then those of the next. */
static bool add_expansion(struct team *team, const struct worker *worker,
                          const struct expansion *expansion, uint32_t *at, uint32_t *record)
{
    struct search *search = team->search;
    bool good = true;
    for (uint32_t i = 0; good && i < expansion->successors; i++, ++*at) {
        const struct found *found = &worker->found[*at];
        good = add_found(team, expansion, found, i,
                         worker->records + (size_t)*record * search->space.layout.words);
        *record += !found->is_known;
    }
    visit_report_findings(search); /* also when memory has just run out */
    if (!good) return false;
    breadth_finish(search, expansion);
    team->partition->cursor = expansion->state + UINT64_C(1);
    return true;
}

/* What a worker had no room for. */
static bool finish_slice(struct team *team, uint64_t end)
{
    struct partition *partition = team->partition;
    for (; partition->cursor < end && !partition_is_full(partition); partition->cursor++) {
        if (!visit_poll(team->search, 0)) return false;
        if (partition_is_known(partition, partition->cursor)) continue;
        if (!breadth_expand(team->search, (uint32_t)partition->cursor)
            || !breadth_flush(team->search))
            return false;
    }
    return true;
}

/* Brings the places of new successors closer: they are in the cache of another thread at best. */
static void prefetch(const struct team *team, const struct slice *slice)
{
    const struct worker *worker = team->workers[slice->worker];
    for (uint32_t e = 0, at = slice->found; e < slice->expansions; e++)
        for (uint32_t end = at + worker->expansions[slice->expansion + e].successors; at < end;
             at++)
            if (!worker->found[at].is_known)
                store_prefetch(&team->search->store, worker->found[at].hash);
}

static bool add_slice(struct team *team, const struct slice *slice, uint64_t end)
{
    const struct worker *worker = team->workers[slice->worker];
    uint32_t found = slice->found, record = slice->record;
    prefetch(team, slice);
    for (uint32_t e = slice->expansion; e < slice->expansion + slice->expansions; e++) {
        if (!visit_poll(team->search, 0)
            || !add_expansion(team, worker, &worker->expansions[e], &found, &record))
            return false;
        if (partition_is_full(team->partition))
            return true; /* what comes after it did not happen */
    }
    team->partition->cursor = slice->end;
    return finish_slice(team, end);
}

bool partition_team_is_worth(const struct team *team, uint64_t states)
{
    return team->crew.count > 1 && states >= ALONE;
}

bool partition_team_expand(struct team *team, uint64_t end)
{
    struct partition *partition = team->partition;
    const uint64_t states = end - partition->cursor,
                   share = states / (4 * (uint64_t)team->crew.count);
    team->begin = partition->cursor;
    team->grab = share < 1 ? 1 : share > GRAB_MOST ? GRAB_MOST : (uint32_t)share;
    const uint64_t most = team->begin + (uint64_t)SLICES * team->grab;
    team->end = end < most ? end : most;
    team->slice_count = (uint32_t)((team->end - team->begin + team->grab - 1) / team->grab);
    atomic_store(&team->cursor, 0);
    crew_round(&team->crew, work, team);
    const uint32_t taken = atomic_load(&team->cursor) < team->slice_count
                               ? atomic_load(&team->cursor)
                               : team->slice_count;
    for (uint32_t i = 0; i < taken; i++) {
        if (!add_slice(team, &team->slices[i], slice_end(team, i))) return false;
        if (partition_is_full(partition)) break;
    }
    return true;
}

/* ---- before and after ---- */

static bool new_worker(struct team *team)
{
    struct mem *mem = team->partition->mem;
    const size_t state = team->search->space.layout.words * sizeof(uint64_t);
    struct worker *worker = mem_try_alloc(mem, sizeof *worker);
    if (!worker) return false;
    team->workers[team->count++] = worker;
    worker->team = team;
    worker->words = mem_try_alloc(mem, state);
    worker->expansions = mem_try_alloc(mem, team->room * sizeof *worker->expansions);
    worker->found = mem_try_alloc(mem, team->room * sizeof *worker->found);
    worker->records = mem_try_alloc(mem, (team->room + UINT64_C(1)) * state);
    return worker->words && worker->expansions && worker->found && worker->records
           && program_fork(&team->search->space.program, &worker->program);
}

struct team *partition_team_new(struct partition *partition, uint32_t threads, uint64_t bytes)
{
    struct team *team = mem_try_alloc(partition->mem, sizeof *team);
    if (!team) return NULL;
    team->partition = partition;
    team->search = partition->search;
    uint64_t room = bytes
                    / (sizeof(struct expansion) + sizeof(struct found)
                       + partition->search->space.layout.words * sizeof(uint64_t));
    team->room = room < 1 ? 1 : room > MOST_ROOM ? MOST_ROOM : (uint32_t)room;
    while (team->count < threads && team->count < CREW_MOST)
        if (!new_worker(team)) {
            partition_team_release(team);
            return NULL;
        }
    return team;
}

uint32_t partition_team_start(struct team *team)
{
    crew_start(&team->crew, team->count);
    team->is_started = true;
    return team->crew.count;
}

void partition_team_stop(struct team *team)
{
    if (team->is_started) crew_stop(&team->crew);
    team->is_started = false;
}

struct crew *partition_team_crew(struct team *team) { return &team->crew; }

void partition_team_release(struct team *team)
{
    struct mem *mem = team->partition->mem;
    partition_team_stop(team);
    for (uint32_t w = 0; w < team->count; w++) {
        struct worker *worker = team->workers[w];
        program_release_fork(&worker->program);
        mem_free(mem, worker->words);
        mem_free(mem, worker->expansions);
        mem_free(mem, worker->found);
        mem_free(mem, worker->records);
        mem_free(mem, worker);
    }
    mem_free(mem, team);
}
