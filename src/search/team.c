/* A round: the range of states is cut into slices; workers take them one after the other, expand
 * their states into a batch, look up what they found, and take out what is known. When all have
 * ended, the search adds what is left, slice by slice. A worker takes no more slices when its batch
 * is full; it always ends the one at hand, so that the slices that were taken are the first ones.
 *
 * Workers have memory of their own: a fixed share, which is taken from the search as a whole when
 * the team is called together. So the memory that the search has left does not depend on who took
 * which slice, and it runs short in the same place every time.
 *
 * Invariants: (1) a round changes nothing but workers and the cursor of slices; (2) slices that
 * were taken are the first ones, and each is whole unless its worker was refused memory. */
#include "search/team.h"

#include "base/crew.h"
#include "base/checked.h"
#include "search/order.h"

#ifdef CAIRN_TEST_HOOKS /* so that small models have several threads, too */
enum { ALONE = 2, SLICES = 16, GRAB_MOST = 8 };
#else
enum { ALONE = 128, SLICES = 1024, GRAB_MOST = 64 }; /* fewer states are not worth a round */
#endif

struct slice {
    uint32_t worker;
    uint32_t first, end; /* its states in the batch */
    uint64_t stop;       /* states before this one are done */
};

struct mate {
    struct mem mem;
    struct worker worker;
};

struct team {
    struct search *search;
    struct crew crew;
    struct mate *mates;
    uint32_t count;
    void *share;   /* of the search's memory, all workers' together: it is never used itself */
    uint32_t room; /* steps in a batch before its worker takes no more slices */
    uint64_t begin, end; /* states of the round */
    uint32_t grab;       /* states of a slice */
    uint32_t slice_count;
    atomic_uint cursor; /* the next slice */
    struct slice slices[SLICES];
};

/* ---- one worker in a round ---- */

/* Takes the steps of a state out that are known, and asks monitors about the others. `kept`: steps
 * that are left of the states before. */
static void compress_state(const struct search *search, struct worker *worker,
                           struct batch_state *state, uint32_t *kept)
{
    struct batch *batch = &worker->batch;
    const uint32_t first = state->first, end = first + state->steps;
    state->first = *kept;
    state->known_first = batch->rule_count;
    for (uint32_t i = first; i < end; i++) {
        const struct fast_rule *fast = batch->steps[i].fast;
        if (batch->steps[i].to != SET_NONE) {
            batch->rules[batch->rule_count++] = fast->rule;
            continue;
        }
        const uint64_t bits = fast->touches & search->findings.active;
        batch->steps[i].is_quiet =
            bits && !findings_notices(search, worker, bits, batch_words(batch, i));
        batch_move(batch, i, (*kept)++);
    }
    state->steps = *kept - state->first;
    state->known = batch->rule_count - state->known_first;
}

/* Without memory for that, the batch stays as it is. */
static void compress(const struct search *search, struct worker *worker)
{
    struct batch *batch = &worker->batch;
    uint32_t kept = 0;
    while (batch->rule_room < batch->step_count)
        if (!batch_grow_rules(batch)) return;
    for (uint32_t s = 0; s < batch->state_count; s++)
        compress_state(search, worker, &batch->states[s], &kept);
    batch->step_count = kept;
}

/* False: memory was refused. */
static bool work_on(const struct team *team, struct worker *worker, struct slice *slice,
                    uint64_t end)
{
    for (; slice->stop < end; slice->stop++)
        if (!search_expand_ahead(team->search, worker, slice->stop)) return false;
    return true;
}

static void work(void *context, uint32_t number)
{
    struct team *team = context;
    struct worker *worker = &team->mates[number].worker;
    struct batch *batch = &worker->batch;
    bool good = true;
    while (good && batch->step_count < team->room && batch->state_count < team->room
           && !worker->is_full) {
        const uint32_t at = atomic_fetch_add_explicit(&team->cursor, 1, memory_order_relaxed);
        if (at >= team->slice_count) break;
        struct slice *slice = &team->slices[at];
        const uint64_t first = team->begin + (uint64_t)at * team->grab, end = first + team->grab;
        *slice = (struct slice){.worker = number, .first = batch->state_count, .stop = first};
        good = work_on(team, worker, slice, end < team->end ? end : team->end);
        slice->end = batch->state_count;
    }
    search_look_up(team->search, worker);
    compress(team->search, worker);
}

/* ---- a round ---- */

static uint64_t slice_end(const struct team *team, uint32_t slice)
{
    uint64_t end = team->begin + (slice + UINT64_C(1)) * team->grab;
    return end < team->end ? end : team->end;
}

static void cut(struct team *team, uint64_t begin, uint64_t end)
{
    const uint64_t share = (end - begin) / (4 * (uint64_t)team->count);
    team->begin = begin;
    team->grab = share < 1 ? 1 : share > GRAB_MOST ? GRAB_MOST : (uint32_t)share;
    const uint64_t most = begin + (uint64_t)SLICES * team->grab;
    team->end = end < most ? end : most;
    team->slice_count = (uint32_t)((team->end - begin + team->grab - 1) / team->grab);
    atomic_store(&team->cursor, 0);
}

/* Brings closer where the steps of a slice belong: they are in the cache of another thread at
 * best. */
static void prefetch(const struct team *team, uint32_t number)
{
    const struct slice *slice = &team->slices[number];
    const struct worker *worker = &team->mates[slice->worker].worker;
    if (slice->first == slice->end) return;
    const struct batch_state *last = &worker->batch.states[slice->end - 1];
    team->search->space->kind->sets->prefetch(worker, worker->batch.states[slice->first].first,
                                              last->first + last->steps);
}

/* What a round has found, slice by slice. *cursor: the next state; *whole: every slice that was
 * taken is done. */
static bool add_slices(struct team *team, uint64_t *cursor, bool *whole)
{
    struct search *search = team->search;
    const uint32_t cursor_of_slices = atomic_load(&team->cursor),
                   taken =
                       cursor_of_slices < team->slice_count ? cursor_of_slices : team->slice_count;
    *whole = true;
    if (taken) prefetch(team, 0);
    for (uint32_t i = 0; i < taken && *whole; i++) {
        if (i + 1 < taken) prefetch(team, i + 1);
        const struct slice *slice = &team->slices[i];
        struct worker *worker = &team->mates[slice->worker].worker;
        uint32_t next;
        assert(slice->first <= slice->end && slice->stop <= slice_end(team, i)); /* (2) */
        CHECKED(batch_check(&worker->batch));
        if (!search_add(search, worker, slice->first, slice->end, &next) || !poll_look(search))
            return false;
        *cursor = next < slice->end ? worker->batch.states[next].state : slice->stop;
        *whole = *cursor == slice_end(team, i);
    }
    return true;
}

static bool run_round(struct team *team, uint64_t *cursor, uint64_t end, bool *whole)
{
    cut(team, *cursor, end);
    crew_round(&team->crew, work, team);
    bool good = add_slices(team, cursor, whole);
    assert(!good || (*cursor >= team->begin && *cursor <= team->end));
    for (uint32_t w = 0; w < team->count; w++) batch_clear(&team->mates[w].worker.batch);
    return good;
}

bool team_is_worth(uint64_t states) { return states >= ALONE; }

/* A round that ends early because the order pauses ends the expansion; one that was refused memory
 * goes on alone, where that is dealt with. */
bool team_expand(struct team *team, uint64_t *cursor, uint64_t end)
{
    struct search *search = team->search;
    bool whole = true;
    while (*cursor < end && whole)
        if (!run_round(team, cursor, end, &whole)) return false;
    if (whole || (search->order->pauses && search->order->pauses(search))) return true;
    return search_expand_alone(search, cursor, end);
}

/* ---- before and after ---- */

static bool add_mate(struct team *team, uint64_t bytes)
{
    struct mate *mate = &team->mates[team->count++];
    mem_init(&mate->mem);
    mate->mem.limit = bytes;
    return worker_open(&mate->worker, team->search->space, &mate->mem, false);
}

struct team *team_start(struct search *search, uint32_t threads, uint64_t bytes)
{
    struct mem *mem = search->model->mem;
    const uint64_t step = sizeof(struct batch_step) + sizeof(struct batch_state) / 2
                          + search->worker->batch.words * sizeof(uint64_t),
                   room = bytes / 2 / step; /* one slice may come on top */
    if (threads > CREW_MOST) threads = CREW_MOST;
    struct team *team = threads > 1 ? mem_try_alloc(mem, sizeof *team) : NULL;
    if (!team) return NULL;
    team->search = search;
    team->room = room < 1 ? 1 : room > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)room;
    team->mates = mem_try_alloc(mem, threads * sizeof *team->mates);
    team->share = mem_try_alloc(mem, threads * bytes);
    bool good = team->mates && team->share;
    while (good && team->count < threads) good = add_mate(team, bytes);
    crew_start(&team->crew, good ? team->count : 1);
    if (team->crew.count > 1) return team;
    team_stop(team);
    return NULL;
}

void team_stop(struct team *team)
{
    struct mem *mem = team->search->model->mem;
    crew_stop(&team->crew);
    for (uint32_t w = 0; w < team->count; w++) {
        worker_close(&team->mates[w].worker);
        mem_release(&team->mates[w].mem);
    }
    mem_free(mem, team->mates);
    mem_free(mem, team->share);
    mem_free(mem, team);
}

uint32_t team_count(const struct team *team) { return team->crew.count; }

struct crew *team_crew(struct team *team) { return &team->crew; }
