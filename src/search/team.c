/* A round: the range of states is cut into slices; workers take them one after the other, expand
 * their states into a batch, look up what they found, and take out what is known: its rules are
 * listed, for the search to count, or counted there and then. A worker takes no
 * more slices when its batch is full; it always ends the one at hand, so that the slices that were
 * taken are the first ones. When all have ended, what is left is merged into the set (merge.h), if
 * that is possible, and added by the search, slice by slice.
 *
 * When a round was merged and nothing in it can surprise, the first worker adds it at the beginning
 * of the next one, while the others expand already. So there are two rounds, each with batches of
 * its own, which take turns.
 *
 * Workers have memory of their own: a fixed share, which is taken from the search as a whole when
 * the team is called together. So the memory that the search has left does not depend on who took
 * which slice, and it runs short in the same place every time.
 *
 * Invariants: (1) workers change nothing but their batches and the cursor of slices; (2) slices
 * that were taken are the first ones, and each is whole unless its worker was refused memory; (3) a
 * round that waits to be added was merged, and finds no violation. */
#include "search/team.h"

#include "base/crew.h"
#include "base/checked.h"
#include "search/merge.h"
#include "search/order.h"

#include <string.h>

#ifdef CAIRN_TEST_HOOKS /* so that small models have several threads, too */
enum { ALONE = 2, ALONE_SLOW = 2, SLICES = 16, GRAB_MOST = 8, GRAB_SLOW = 2, LOOK_STEPS = 5 };
#else
/* fewer states are not worth a round */
enum { ALONE = 128, SLICES = 128, GRAB_MOST = 32, LOOK_STEPS = 64 };
enum { ALONE_SLOW = 16, GRAB_SLOW = 64 }; /* of a space that is slow */
#endif

enum { COUNTED_MOST = 1 << 12 }; /* rules: the counts of so many stay near */
enum { RECENT_PART = 16 };       /* of a thread's memory: one part in so many for `recent` */

struct slice {
    uint32_t worker;
    uint32_t first, end; /* its states in the batch */
    uint64_t stop;       /* states before this one are done */
};

struct round {
    uint64_t begin, end; /* its states */
    uint32_t grab;       /* states of a slice */
    uint32_t slice_count;
    atomic_uint cursor; /* the next slice */
    bool is_merged;
    bool is_counted;      /* what workers counted was added ... */
    uint64_t transitions; /* ... when there were so many */
    struct worker *workers;
    struct slice slices[SLICES];
};

struct mate {
    struct mem mem;
    struct recent recent; /* of both its workers */
    bool is_odd; /* in this round a state is a dead end, a rule failed, or a monitor has noticed
                    something */
    char apart[MEM_APART];
};

struct team {
    struct search *search;
    struct crew crew;
    struct merge merge;
    struct mate *mates;
    uint32_t count;
    void *share;      /* of the search's memory, all workers' together: it is never used itself */
    uint32_t room;    /* steps in a batch before its worker takes no more slices */
    uint32_t counted; /* rules whose steps workers count; 0: they list them */
    struct round rounds[2];
    struct round *round;   /* the one that is expanded */
    struct round *waiting; /* the one that is to be added meanwhile, or NULL */
    bool goes_on;          /* what the search said to that */
};

/* ---- one worker in a round ---- */

/* The rules of a state's steps that are taken out, in the order of steps: those that were never
 * listed wait at `unlisted`. */
static void take_out(struct batch *batch, struct batch_state *state, uint32_t before,
                     const uint32_t **unlisted, uint32_t *waiting)
{
    /* numbers of steps that are listed or taken out follow each other up to here */
    for (; *waiting && batch->rule_count - state->known_first + state->steps < before; --*waiting)
        batch->rules[batch->rule_count++] = *(*unlisted)++;
}

/* Takes the steps of a state out that are known, and asks monitors about the others. `kept`: steps
 * that are left of the states before; `unlisted`: rules of steps that were never listed, of this
 * state and those after it. */
static void compress_state(const struct search *search, struct worker *worker,
                           struct batch_state *state, uint32_t *kept, const uint32_t **unlisted,
                           bool *is_odd)
{
    struct batch *batch = &worker->batch;
    const uint32_t first = state->first, end = first + state->steps;
    uint32_t waiting = state->known;
    *is_odd |= batch_is_odd(state);
    state->first = *kept;
    state->steps = 0;
    state->known_first = batch->rule_count;
    for (uint32_t i = first; i < end; i++) {
        const struct fast_rule *fast = batch->steps[i].fast;
        if (waiting) take_out(batch, state, batch->steps[i].number, unlisted, &waiting);
        if (batch->steps[i].to != SET_NONE && !search->worker->lists_known) {
            batch->rules[batch->rule_count++] = fast->rule;
            continue;
        }
        const uint64_t bits = fast->touches & search->findings.active;
        const bool noticed = bits && findings_notices(search, worker, bits, batch_words(batch, i));
        batch->steps[i].is_quiet = bits && !noticed;
        *is_odd |= noticed;
        batch_move(batch, i, (*kept)++);
        state->steps++;
    }
    take_out(batch, state, UINT32_MAX, unlisted, &waiting);
    state->known = batch->rule_count - state->known_first;
}

/* The same, by a set that cannot do it by itself. */
static uint32_t sift(struct worker *worker, uint32_t first, uint32_t end, uint32_t to)
{
    const struct batch_step *steps = worker->batch.steps;
    for (uint32_t i = first; i < end; i++) {
        worker->taken[steps[i].fast->rule]++;
        if (steps[i].to == SET_NONE) batch_move(&worker->batch, i, to++);
    }
    return to;
}

/* Whether a monitor notices something in steps that are not known. */
static bool ask_monitors(const struct search *search, struct worker *worker, uint32_t first,
                         uint32_t end)
{
    struct batch *batch = &worker->batch;
    bool any = false;
    for (uint32_t i = first; i < end; i++) {
        const uint64_t bits = batch->steps[i].fast->touches & search->findings.active;
        const bool noticed = bits && findings_notices(search, worker, bits, batch_words(batch, i));
        batch->steps[i].is_quiet = bits && !noticed;
        any |= noticed;
    }
    return any;
}

/* Steps that are known are counted, and not listed. */
static void count_out(const struct search *search, struct worker *worker, uint32_t first,
                      bool *is_odd)
{
    struct batch *batch = &worker->batch;
    const struct set_kind *sets = search->space->kind->sets;
    uint32_t kept = batch->states[first].first;
    if (!sets->sift) search_look_up(search, worker, kept);
    for (uint32_t i = 0; i < batch->rule_count; i++) worker->taken[batch->rules[i]]++;
    batch->rule_count = 0;
    for (uint32_t s = first; s < batch->state_count; s++) {
        struct batch_state *state = &batch->states[s];
        const uint32_t begin = kept, end = state->first + state->steps;
        if (state->steps) kept = (sets->sift ? sets->sift : sift)(worker, state->first, end, kept);
        if (search->findings.active) *is_odd |= ask_monitors(search, worker, begin, kept);
        *is_odd |= batch_is_odd(state);
        state->known += state->steps - (kept - begin);
        state->steps = kept - begin;
        state->first = begin;
        state->known_first = 0;
    }
    batch->step_count = kept;
}

/* Looks up the steps of states from number `first` of the batch on, and takes out what is known.
 * Without memory for that, they stay. */
static void compress(const struct search *search, struct worker *worker, uint32_t first,
                     bool *is_odd)
{
    struct batch *batch = &worker->batch;
    if (first == batch->state_count) return;
    if (worker->taken) {
        count_out(search, worker, first, is_odd);
        return;
    }
    uint32_t kept = batch->states[first].first;
    const uint32_t rules = batch->states[first].known_first, listed = batch->step_count - kept;
    search_look_up(search, worker, kept);
    while (batch->rule_room < batch->rule_count + listed)
        if (!batch_grow_rules(batch)) {
            *is_odd = true;
            return;
        }
    /* rules that are there make room for those to come: none is written before it is read */
    const uint32_t *unlisted = batch->rules + rules + listed;
    if (batch->rule_count > rules)
        memmove(batch->rules + rules + listed, batch->rules + rules,
                (batch->rule_count - rules) * sizeof *batch->rules);
    batch->rule_count = rules;
    for (uint32_t s = first; s < batch->state_count; s++)
        compress_state(search, worker, &batch->states[s], &kept, &unlisted, is_odd);
    batch->step_count = kept;
}

static uint64_t slice_end(const struct round *round, uint32_t slice)
{
    uint64_t end = round->begin + (slice + UINT64_C(1)) * round->grab;
    return end < round->end ? end : round->end;
}

/* What was brought closer for some steps is looked up before it is far again. *state: the next one;
 * it is not in a slice, since others write to the slices beside it. False: memory was refused. */
static bool work_on(const struct team *team, struct worker *worker, uint64_t *state, uint64_t end,
                    bool *is_odd)
{
    const struct batch *batch = &worker->batch;
    uint32_t looked = batch->state_count, steps = batch->step_count;
    bool good = true;
    while (good && *state < end) {
        good = search_expand_ahead(team->search, worker, *state);
        *state += good;
        if (batch->step_count - steps < LOOK_STEPS) continue;
        compress(team->search, worker, looked, is_odd);
        looked = batch->state_count;
        steps = batch->step_count;
    }
    compress(team->search, worker, looked, is_odd);
    return good;
}

static void take_slices(struct team *team, uint32_t number)
{
    struct round *round = team->round;
    struct worker *worker = &round->workers[number];
    const struct batch *batch = &worker->batch;
    bool good = true, is_odd = false;
    while (good && batch->step_count < team->room && batch->state_count < team->room
           && !worker->is_full) {
        const uint32_t at = atomic_fetch_add_explicit(&round->cursor, 1, memory_order_relaxed);
        if (at >= round->slice_count) break;
        const uint32_t first = batch->state_count;
        uint64_t state = round->begin + (uint64_t)at * round->grab;
        good = work_on(team, worker, &state, slice_end(round, at), &is_odd);
        round->slices[at] = (struct slice){number, first, batch->state_count, state};
    }
    team->mates[number].is_odd = is_odd;
    if (team->merge.is_wanted) merge_sort_out(&team->merge, number);
}

/* ---- a round ---- */

static void cut(const struct team *team, struct round *round, uint64_t begin, uint64_t end)
{
    const uint64_t share = (end - begin) / (4 * (uint64_t)team->count),
                   most_of_one = team->search->space->kind->is_slow ? GRAB_SLOW : GRAB_MOST;
    round->begin = begin;
    round->grab = (uint32_t)(share < 1 ? 1 : share > most_of_one ? most_of_one : share);
    const uint64_t most = begin + (uint64_t)SLICES * round->grab;
    round->end = end < most ? end : most;
    round->slice_count = (uint32_t)((round->end - begin + round->grab - 1) / round->grab);
    round->is_merged = false;
    atomic_store(&round->cursor, 0);
}

/* How many slices were taken. */
static uint32_t taken(const struct round *round)
{
    const uint32_t cursor = atomic_load(&round->cursor);
    return cursor < round->slice_count ? cursor : round->slice_count;
}

/* Brings closer where the steps of a slice belong: they are in the cache of another thread at
 * best. */
static void prefetch(const struct team *team, const struct round *round, uint32_t number)
{
    const struct slice *slice = &round->slices[number];
    const struct worker *worker = &round->workers[slice->worker];
    if (round->is_merged || number >= taken(round) || slice->first == slice->end) return;
    const struct batch_state *last = &worker->batch.states[slice->end - 1];
    team->search->space->kind->sets->prefetch(worker, worker->batch.states[slice->first].first,
                                              last->first + last->steps);
}

/* Adds the states of all slices at once, if that is possible: all workers have had enough memory,
 * so that every slice is whole. */
static bool merge(struct team *team, const struct round *round)
{
    struct merge *merge = &team->merge;
    if (!merge->is_wanted) return false;
    merge->range_count = taken(round);
    for (uint32_t i = 0; i < merge->range_count; i++) {
        const struct slice *slice = &round->slices[i];
        const struct batch *batch = &round->workers[slice->worker].batch;
        if (slice->stop != slice_end(round, i)) return false;
        merge->ranges[i] = (struct merge_range){
            .mate = slice->worker, .first_state = slice->first, .end_state = slice->end};
        if (slice->first == slice->end) continue;
        const struct batch_state *last = &batch->states[slice->end - 1];
        merge->ranges[i].first = batch->states[slice->first].first;
        merge->ranges[i].end = last->first + last->steps;
    }
    return merge_add(merge, &team->crew);
}

/* What a round has found, slice by slice. *cursor: the next state; *whole: every slice that was
 * taken is done. False: the search must end. */
static bool add_slices(struct team *team, struct round *round, uint64_t *cursor, bool *whole)
{
    struct search *search = team->search;
    const uint32_t count = taken(round);
    *whole = true;
    prefetch(team, round, 0);
    for (uint32_t i = 0; i < count && *whole; i++) {
        prefetch(team, round, i + 1);
        const struct slice *slice = &round->slices[i];
        struct worker *worker = &round->workers[slice->worker];
        uint32_t next;
        assert(slice->first <= slice->end && slice->stop <= slice_end(round, i)); /* (2) */
        CHECKED(batch_check(&worker->batch, !worker->taken));
        worker->is_merged = round->is_merged;
        if (!search_add(search, worker, slice->first, slice->end, &next) || !search_goes_on(search))
            return false;
        *cursor = next < slice->end ? worker->batch.states[next].state : slice->stop;
        *whole = *cursor == slice_end(round, i) && !search_pauses(search);
    }
    return true;
}

/* What workers have counted is for the search: added when a round is expanded, and taken back when
 * not all of it was added. */
static void count_taken(const struct team *team, const struct round *round, bool is_back)
{
    uint64_t *taken = team->search->result->taken;
    for (uint32_t w = 0; w < team->count; w++)
        for (uint32_t r = 0; r < team->counted; r++) {
            const uint64_t more = round->workers[w].taken[r];
            taken[r] += is_back ? -more : more;
        }
}

/* Of the first states of a round so many steps were added: goes through them once more to see which
 * rules these were. They were in a batch before, so that there is room for them; should memory be
 * refused all the same, what is left is not counted. */
static void recount(const struct team *team, struct round *round, uint64_t steps)
{
    struct search *search = team->search;
    struct worker *worker = &round->workers[0];
    for (uint64_t state = round->begin; steps; state++) {
        batch_clear(&worker->batch);
        if (!search->space->kind->expand(worker, search->set, state)) return;
        for (uint32_t i = 0; i < worker->batch.step_count && steps; i++, steps--)
            search->result->taken[worker->batch.steps[i].fast->rule]++;
    }
    batch_clear(&worker->batch);
}

/* The end of a round, whatever came of it. What was merged and not added is forgotten; and so is
 * what workers have seen, unless all that they found was added. */
static void end_round(struct team *team, struct round *round, bool is_whole)
{
    struct set *set = team->search->set;
    if (round->is_merged) set->kind->parts->cut(set);
    if (round->is_counted && !is_whole) {
        count_taken(team, round, true);
        recount(team, round, team->search->result->transitions - round->transitions);
    }
    round->is_counted = false;
    for (uint32_t w = 0; w < team->count; w++) {
        struct worker *worker = &round->workers[w];
        batch_clear(&worker->batch);
        worker->is_full = false;
        if (worker->taken) memset(worker->taken, 0, team->counted * sizeof *worker->taken);
        if (!is_whole) recent_forget(&team->mates[w].recent);
    }
}

/* The states of a round, by what is told of them. False: the search must end. */
static bool add_told(struct team *team, const struct round *round)
{
    const struct merge *merge = &team->merge;
    bool good = true;
    for (uint32_t i = 0; i < merge->range_count && good; i++) {
        const struct merge_range *range = &merge->ranges[i];
        const struct merge_mate *mate = &merge->mates[range->mate];
        const struct batch *batch = &round->workers[range->mate].batch;
        good =
            search_add_told(team->search, batch->states + range->first_state,
                            range->end_state - range->first_state, mate->told + range->first_state,
                            mate->told_rules + range->first_told, range->known)
            && search_goes_on(team->search);
    }
    return good;
}

/* Whether the round that waits can be added so; then there is room for its log. */
static bool can_be_told(const struct team *team, const struct round *round)
{
    return team->merge.is_told && team->counted
           && search_has_room(team->search, slice_end(round, taken(round) - 1) - 1,
                              team->merge.news);
}

static bool add_waiting(struct team *team)
{
    struct round *round = team->waiting;
    uint64_t cursor;
    bool whole = true, good = can_be_told(team, round) ? add_told(team, round)
                                                       : add_slices(team, round, &cursor, &whole);
    assert(round->is_merged && (!good || whole)); /* (3) */
    if (good) round->is_merged = false;
    return good;
}

static void work(void *context, uint32_t number)
{
    struct team *team = context;
    if (!number && team->waiting) team->goes_on = add_waiting(team);
    merge_grow(&team->merge);
    if (number || team->goes_on) take_slices(team, number);
    else atomic_store(&team->round->cursor, team->round->slice_count);
}

static bool is_odd(const struct team *team)
{
    bool odd = false;
    for (uint32_t w = 0; w < team->count; w++) odd |= team->mates[w].is_odd;
    return odd;
}

/* Expands a round, while one that waits is added; then adds it, or has it wait. */
static bool run_round(struct team *team, uint64_t *cursor, uint64_t end, bool *whole)
{
    struct round *round = team->round = &team->rounds[team->round == &team->rounds[0]];
    cut(team, round, *cursor, end);
    for (uint32_t w = 0; w < team->count; w++) team->merge.mates[w].worker = &round->workers[w];
    merge_begin(&team->merge, team->search);
    merge_foresee(&team->merge);
    team->goes_on = true;
    crew_round(&team->crew, work, team);
    merge_end_growth(&team->merge);
    bool good = team->goes_on;
    if (team->waiting) end_round(team, team->waiting, good);
    team->waiting = NULL;
    if (good && team->counted) {
        count_taken(team, round, false);
        round->is_counted = true;
        round->transitions = team->search->result->transitions;
    }
    round->is_merged = good && merge(team, round);
    if (round->is_merged && !is_odd(team)) {
        team->waiting = round;
        *cursor = slice_end(round, taken(round) - 1);
        return true;
    }
    good = good && add_slices(team, round, cursor, whole);
    assert(!good || (*cursor >= round->begin && *cursor <= round->end));
    if (good && *whole) round->is_merged = false;
    end_round(team, round, good && *whole);
    return good;
}

bool team_is_worth(const struct team *team, uint64_t states)
{
    return states >= (team->search->space->kind->is_slow ? ALONE_SLOW : ALONE);
}

/* A round that ends early because the order pauses ends the expansion; one that was refused memory
 * before anything was done goes on alone, where that is dealt with. */
bool team_expand(struct team *team, uint64_t *cursor, uint64_t end)
{
    struct search *search = team->search;
    bool whole = true, good = true, goes_on = true;
    while (good && goes_on && *cursor < end) {
        const uint64_t before = *cursor;
        whole = true;
        good = run_round(team, cursor, end, &whole);
        goes_on = *cursor > before && (whole || !search_pauses(search));
    }
    if (team->waiting) {
        good = add_waiting(team);
        end_round(team, team->waiting, good);
        team->waiting = NULL;
    }
    if (!good) return false;
    if (*cursor == end || search_pauses(search)) return true;
    return search_expand_alone(search, cursor, end);
}

/* ---- before and after ---- */

/* A thread's two workers, with memory that both use in turn. */
static bool add_mate(struct team *team, uint64_t bytes)
{
    const uint32_t number = team->count++;
    struct mate *mate = &team->mates[number];
    mem_init(&mate->mem);
    mate->mem.limit = bytes;
    team->merge.mates[team->merge.count++].mem = &mate->mem;
    bool good = true;
    recent_init(&mate->recent, &mate->mem, team->search->space->layout.key_bytes,
                bytes / RECENT_PART);
    for (unsigned r = 0; r < 2; r++) {
        struct worker *worker = &team->rounds[r].workers[number];
        good &= worker_open(worker, team->search->space, &mate->mem, false);
        if (team->search->worker->recent) worker->recent = &mate->recent;
        if (!team->counted) continue;
        worker->taken =
            mem_try_alloc(&mate->mem, team->counted * sizeof *worker->taken + MEM_APART);
        good &= worker->taken != NULL;
    }
    return good;
}

struct team *team_start(struct search *search, uint32_t threads, uint64_t bytes)
{
    struct mem *mem = search->model->mem;
    const uint64_t step = sizeof(struct batch_step) + sizeof(struct batch_state) / 2
                          + search->worker->batch.words * sizeof(uint64_t) + MERGE_BYTES,
                   room = bytes / 4 / step; /* two batches; one slice may come on top */
    if (threads > CREW_MOST) threads = CREW_MOST;
    struct team *team = threads > 1 ? mem_try_alloc(mem, sizeof *team) : NULL;
    if (!team) return NULL;
    team->search = search;
    team->room = room < 1 ? 1 : room > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)room;
    team->mates = mem_try_alloc(mem, threads * sizeof *team->mates);
    team->share = mem_try_alloc(mem, threads * bytes);
    team->merge.mates = mem_try_alloc(mem, threads * sizeof *team->merge.mates);
    if (search->worker->recent && search->model->rules.len <= COUNTED_MOST)
        team->counted = search->model->rules.len;
    bool good = team->mates && team->share && team->merge.mates;
    for (unsigned r = 0; r < 2; r++) {
        team->rounds[r].workers = mem_try_alloc(mem, threads * sizeof(struct worker));
        good &= team->rounds[r].workers != NULL;
    }
    while (good && team->count < threads) good = add_mate(team, bytes);
    good = good && merge_open(&team->merge, SLICES);
    crew_start(&team->crew, good ? team->count : 1);
    team->merge.count = team->crew.count;
    if (team->crew.count > 1) return team;
    team_stop(team);
    return NULL;
}

void team_stop(struct team *team)
{
    struct mem *mem = team->search->model->mem;
    crew_stop(&team->crew);
    merge_close(&team->merge);
    for (uint32_t w = 0; w < team->count; w++) {
        for (unsigned r = 0; r < 2; r++) {
            mem_free(&team->mates[w].mem, team->rounds[r].workers[w].taken);
            worker_close(&team->rounds[r].workers[w]);
        }
        recent_release(&team->mates[w].recent);
        mem_release(&team->mates[w].mem);
    }
    for (unsigned r = 0; r < 2; r++) mem_free(mem, team->rounds[r].workers);
    mem_free(mem, team->merge.mates);
    mem_free(mem, team->mates);
    mem_free(mem, team->share);
    mem_free(mem, team);
}

uint32_t team_count(const struct team *team) { return team->crew.count; }

struct crew *team_crew(struct team *team) { return &team->crew; }
