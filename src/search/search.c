/* Invariants: (1) only the thread of the search changes sets, verdicts and counts, and it does so
 * in the order of states and steps; (2) `transitions` counts the steps that were added of states
 * that were expanded, the one at hand included; (3) a batch is empty between calls. */
#include "search/search.h"

#include "base/checked.h"
#include "base/text.h"
#include "search/order.h"
#include "search/team.h"

#include <assert.h>

#ifdef CAIRN_DEGENERATE
enum { AHEAD_STATES = 3, AHEAD_STEPS = 5, NEAR_STATES = 5 };
#else
/* that one worker is ahead; of a set that is in the cache anyway */
enum { AHEAD_STATES = 64, AHEAD_STEPS = 64, NEAR_STATES = 512 };
#endif

/* ---- lots ---- */

/* What comes after the steps of a state: did rules fail, is it a dead end? False: the search must
 * end. Most states have neither. */
static bool finish_odd(struct search *search, const struct batch_state *state)
{
    struct result *result = search->result;
    const struct findings *findings = &search->findings;
    if (state->state == SET_NONE) return true;
    result->runtime_errors += state->failures;
    if (state->failures && findings->runtime_error != MODEL_NONE)
        findings_violated(search, findings->runtime_error, search->set, state->state,
                          state->failed);
    if (search->is_first_pass) {
        if (state->end == BATCH_UNCLEAR) return poll_stop(search, STOP_EXACT);
        result->ends += state->end == BATCH_FINAL;
        result->deadlocks += state->end == BATCH_DEAD;
        if (state->end == BATCH_DEAD && findings->deadlock != MODEL_NONE)
            findings_violated(search, findings->deadlock, search->set, state->state, MODEL_NONE);
    }
    if (state->seen || state->unclear)
        findings_sights(search, state->seen, state->unclear, state->state);
    result->expanded += search->is_last_pass;
    return true;
}

static inline bool finish_state(struct search *search, const struct batch_state *state)
{
    if (batch_is_odd(state) || state->state == SET_NONE) return finish_odd(search, state);
    search->result->expanded += search->is_last_pass;
    return true;
}

static bool finish_opened(struct search *search)
{
    search->lot.has_open = false;
    findings_report(search);
    return finish_odd(search, &search->lot.open);
}

static inline bool finish_open(struct search *search)
{
    return !search->lot.has_open || finish_opened(search);
}

static inline void look_at_lot(struct search *search)
{
    struct lot *lot = &search->lot;
    const struct task *task = search->task;
    lot->states = lot->steps = 0;
    if (lot->grows) lot->last = search->set->count - 1;
    if (lot->stop == STOP_NONE && (task->property_count || task->max_states)
        && !search->order->decides_late)
        lot->stop = poll_decided(search);
}

static inline bool end_lot(struct search *search)
{
    bool good = finish_open(search);
    look_at_lot(search);
    return good;
}

bool search_end_lot(struct search *search) { return end_lot(search); }

/* ---- adding what was found ---- */

/* Everything in its place, as it was found. */
static void tell_graph(const struct search *search, const struct worker *worker,
                       const struct batch_state *state, uint32_t first, uint32_t end)
{
    const struct batch *batch = &worker->batch;
    const struct search_graph *graph = search->graph;
    struct space *space = search->space;
    for (uint32_t i = first, fresh = 0; i < end; i++) {
        const struct batch_step *step = &batch->steps[i];
        if (fresh < batch->fresh_count && batch->fresh[fresh] == i) {
            fresh++;
            struct text text;
            text_init(&text, search->model->mem);
            if (space->kind->describe) space->kind->describe(worker, i, &text);
            layout_unpack(&space->layout, search->model, batch_words(batch, i), space->values);
            graph->state(graph->context, step->to, space->values, text.data ? text.data : "");
            text_free(&text);
        }
        graph->edge(graph->context, state->state, step->fast ? step->fast->rule : MODEL_NONE,
                    step->to);
    }
}

/* What monitors say about new states. */
static void watch(struct search *search, const struct worker *worker)
{
    const struct batch *batch = &worker->batch;
    for (uint32_t f = 0; f < batch->fresh_count; f++) {
        const struct batch_step *step = &batch->steps[batch->fresh[f]];
        uint64_t bits = search->findings.active & (step->fast ? step->fast->touches : UINT64_MAX);
        if (bits && !step->is_quiet)
            findings_state(search, bits, batch_words(batch, batch->fresh[f]), step->set, step->to);
    }
}

static void count(struct result *result, const struct worker *worker, uint32_t first, uint32_t end)
{
    if (first == end) return;
    const struct batch_step *steps = worker->batch.steps;
    if (!steps[first].fast) {
        result->initial_states += worker->batch.fresh_count;
        return;
    }
    uint64_t *taken = result->taken;
    result->transitions += end - first;
    if (worker->taken) return;
    for (uint32_t i = first; i < end; i++) taken[steps[i].fast->rule]++;
}

/* Steps that are in their set already are counted there now, when they are new. As sets->add. */
static uint32_t count_merged(const struct set_kind *sets, struct worker *worker, uint32_t first,
                             uint32_t end)
{
    struct batch *batch = &worker->batch;
    for (uint32_t i = first; i < end; i++) {
        const struct batch_step *step = &batch->steps[i];
        if (step->is_new) {
            assert(step->to == step->set->count);
            step->set->count++;
            batch->fresh[batch->fresh_count++] = i;
        } else if (step->to == SET_NONE && sets->add(worker, i, i + 1) == i) return i;
    }
    return end;
}

/* What there is to say of steps of one state that are in their sets by now. False: the search must
 * end. */
static inline bool tell(struct search *search, struct worker *worker,
                        const struct batch_state *state, uint32_t first, uint32_t end)
{
    count(search->result, worker, first, end);
    if (search->graph) tell_graph(search, worker, state, first, end);
    if (search->findings.active) watch(search, worker);
    bool good = search->order->log(search, worker, state, first, end);
    worker->batch.fresh_count = 0;
    return good;
}

/* Steps of one state that are in the list, some of them. False: the search must end. */
static bool add_listed(struct search *search, struct worker *worker,
                       const struct batch_state *state, uint32_t first, uint32_t end)
{
    const struct set_kind *sets = search->space->kind->sets;
    bool good = true;
    for (uint32_t at = first; good && at < end;) {
        const uint32_t done =
            worker->is_merged ? count_merged(sets, worker, at, end) : sets->add(worker, at, end);
        good = tell(search, worker, state, at, done);
        at = done;
        if (good && at < end && !(search->order->relieve && search->order->relieve(search)))
            good = poll_stop(search, STOP_MEMORY);
    }
    return good;
}

/* Steps that were taken out are known, and only count. */
static void count_known(struct search *search, const struct worker *worker,
                        const struct batch_state *state, uint32_t first, uint32_t count)
{
    const uint32_t *rules = worker->batch.rules + state->known_first + first;
    search->result->transitions += count;
    search->set->known += count;
    if (worker->taken) return;
    for (uint32_t i = 0; i < count; i++) search->result->taken[rules[i]]++;
}

/* Whether what is left of a state, so many steps, did not happen, since the search must end. Whole
 * lots are added, and what ends with a range; where each state is a lot, nothing is. */
static bool is_left_out(const struct lot *lot, const struct batch_state *state, uint32_t steps)
{
    return lot->stop != STOP_NONE && steps < lot->most_steps
           && (lot->most_states == 1 || state->state != lot->last);
}

/* The steps of a state, lot by lot. */
static bool add_steps(struct search *search, struct worker *worker, const struct batch_state *state)
{
    struct lot *lot = &search->lot;
    const struct batch_step *steps = worker->batch.steps;
    const uint32_t all = state->steps + state->known, end = state->first + state->steps;
    uint32_t number = 0, at = state->first, known = 0;
    if (all < lot->most_steps - lot->steps) { /* nearly always */
        lot->steps += all;
        if (state->known) count_known(search, worker, state, 0, state->known);
        return add_listed(search, worker, state, at, end);
    }
    while (number < all) {
        uint32_t left = lot->most_steps - lot->steps,
                 some = left < all - number ? left : all - number, to = at;
        if (is_left_out(lot, state, all - number)) return poll_stop(search, lot->stop);
        number += some;
        if (!state->known) to = at + some;
        else
            while (to < end && steps[to].number < number) to++;
        uint32_t out = some - (to - at);
        if (!add_listed(search, worker, state, at, to)) return false;
        if (out) count_known(search, worker, state, known, out);
        known += out;
        at = to;
        assert(known <= state->known && at <= end);
        lot->steps += some;
        if (lot->steps == lot->most_steps) {
            look_at_lot(search);
            lot->states = 1;
        }
    }
    return true;
}

bool search_commit(struct search *search, struct worker *worker, const struct batch_state *state)
{
    const struct space_kind *kind = search->space->kind;
    while (kind->commit && !kind->commit(worker, state))
        if (!search->order->relieve || !search->order->relieve(search))
            return poll_stop(search, STOP_MEMORY);
    return true;
}

/* After the steps of a state, which were added well or not. False: the search must end. */
static inline bool end_state(struct search *search, const struct batch_state *state, bool good)
{
    if (search->findings.found) findings_report(search); /* also when memory has just run out */
    return good && finish_state(search, state);
}

/* False: the search must end. */
static bool add_state(struct search *search, struct worker *worker, struct batch_state *state)
{
    struct lot *lot = &search->lot;
    if (lot->stop != STOP_NONE) return poll_stop(search, lot->stop);
    if (!(lot->states == lot->most_states ? end_lot(search) : finish_open(search))) return false;
    if (is_left_out(lot, state, state->steps + state->known)) return poll_stop(search, lot->stop);
    lot->states++;
    assert(lot->states <= lot->most_states && lot->steps <= lot->most_steps);
    bool good = (!search->space->kind->commit || search_commit(search, worker, state))
                && (!search->order->admit || search->order->admit(search, worker, state))
                && add_steps(search, worker, state);
    if (good && state->steps + state->known && !lot->steps) {
        lot->has_open = true;
        lot->open = *state;
    } else good = end_state(search, state, good);
    return good && (state->state != lot->last || search_end_lot(search));
}

bool search_pauses(struct search *search)
{
    return search->order->pauses && search->order->pauses(search);
}

bool search_add(struct search *search, struct worker *worker, uint32_t first, uint32_t end,
                uint32_t *next)
{
    const struct set_kind *sets = search->space->kind->sets;
    assert(first <= end && end <= worker->batch.state_count);
    for (*next = first; *next < end;) {
        struct batch_state *state = &worker->batch.states[(*next)++];
        /* another state may stand for it by now */
        if (state->state != SET_NONE && sets->is_open && !sets->is_open(search->set, state->state))
            continue;
        if (!add_state(search, worker, state)) return false;
        if (search_pauses(search)) return true;
    }
    return true;
}

/* Nothing looks at the steps themselves. */
bool search_can_be_told(const struct search *search)
{
    const struct order *order = search->order;
    const struct space_kind *kind = search->space->kind;
    return order->log_told && !order->admit && !order->pauses && !order->skips && !kind->commit
           && !kind->sets->is_open && !search->graph && !search->worker->lists_known
           && !search->task->max_states && search->is_first_pass && search->is_last_pass;
}

bool search_has_room(struct search *search, uint64_t last, uint64_t news)
{
    if (search->lot.stop != STOP_NONE || search->lot.grows || search->findings.found) return false;
    /* Where lots end nothing can be decided anew, but what was since the last one ended counts. */
    if (search->task->property_count && poll_decided(search) != STOP_NONE) return false;
    return search->order->reserve_log(search, last, news);
}

bool search_add_told(struct search *search, const struct batch_state *states, uint32_t count,
                     const struct search_told *told, const uint32_t *rules, uint64_t known)
{
    struct lot *lot = &search->lot;
    uint64_t steps = 0, news = 0;
    if (!count) return true;
    if (!finish_open(search)) return false;
    const uint64_t first = states[0].state;
    for (uint32_t i = 0; i < count; i++) { /* lots as in add_state and add_steps */
        lot->states = lot->states == lot->most_states ? 1 : lot->states + 1;
        if (lot->states == 1) lot->steps = 0;
        lot->steps += told[i].steps;
        if (lot->steps >= lot->most_steps) lot->states = 1;
        lot->steps %= lot->most_steps;
        search->order->log_told(search, first + i, rules + news, told[i].news);
        steps += told[i].steps;
        news += told[i].news;
    }
    lot->has_open = told[count - 1].steps && !lot->steps;
    if (lot->has_open) lot->open = states[count - 1];
    search->set->count += news;
    search->set->known += known;
    search->result->transitions += steps;
    search->result->expanded += count - lot->has_open;
    return first + count - 1 != lot->last || search_end_lot(search);
}

bool search_add_next(struct search *search, struct worker *worker)
{
    const struct batch_state *state = &worker->batch.states[0];
    search->is_first_pass = search->is_last_pass = !state->steps;
    assert(!search->lot.has_open && search->lot.most_states == 1);
    assert(search->lot.stop == STOP_NONE);
    if (state->known) count_known(search, worker, state, 0, state->known);
    bool good = end_state(search, state, tell(search, worker, state, 0, state->steps));
    look_at_lot(search);
    return good;
}

/* ---- expanding ---- */

static inline bool is_skipped(const struct search *search, uint64_t state)
{
    const struct set_kind *sets = search->space->kind->sets;
    return (sets->is_open && !sets->is_open(search->set, state))
           || (search->order->skips && search->order->skips(search, state));
}

/* Whether the set at hand is so small that nothing of it need be brought closer; orders that
 * resolve steps have many sets. */
static inline bool is_near(const struct search *search)
{
    return search->set->count < NEAR_STATES && !search->order->resolve;
}

/* States before the one that is expanded now are known, and all that is known is in one set. */
static void renew_recent(const struct search *search, const struct worker *worker, uint64_t state)
{
    search->set->kind->load(search->set, state, worker->other);
    recent_renew(worker->recent, state, worker->other);
}

static inline bool expand_listing(const struct search *search, struct worker *worker,
                                  uint64_t state)
{
    struct recent *recent = worker->recent;
    if (!recent) return search->space->kind->expand(worker, search->set, state);
    if (state >= recent->until) renew_recent(search, worker, state);
    worker->batch.recent = recent->slots ? recent : NULL;
    const bool good = search->space->kind->expand(worker, search->set, state);
    worker->batch.recent = NULL;
    if (!good) recent_forget(recent);
    return good;
}

static inline bool expand_ahead(const struct search *search, struct worker *worker, uint64_t state,
                                bool near)
{
    struct batch *batch = &worker->batch;
    const uint32_t first = batch->step_count;
    if (is_skipped(search, state)) return true;
    if (!expand_listing(search, worker, state)) return false;
    if (search->order->place) search->order->place(search, worker, first, batch->step_count);
    if (!near) search->space->kind->sets->prefetch(worker, first, batch->step_count);
    return true;
}

bool search_expand_ahead(const struct search *search, struct worker *worker, uint64_t state)
{
    return expand_ahead(search, worker, state, false); /* another one may be counting states */
}

void search_look_up(const struct search *search, struct worker *worker, uint32_t first)
{
    const uint32_t end = worker->batch.step_count;
    if (search->order->resolve) search->order->resolve(search, worker, first, end);
    search->space->kind->sets->look(worker, first, end);
}

/* Adds what one worker has expanded. *cursor, when the order pauses: the next state. */
static bool add_batch(struct search *search, struct worker *worker, uint64_t *cursor, bool *paused)
{
    struct batch *batch = &worker->batch;
    uint32_t next = 0;
    CHECKED(batch_check(batch, true));
    if (!is_near(search)) search_look_up(search, worker, 0);
    bool good = search_add(search, worker, 0, batch->state_count, &next);
    *paused = good && search_pauses(search);
    const bool is_whole = good && next == batch->state_count;
    if (good && !is_whole) *cursor = batch->states[next].state;
    if (!is_whole && worker->recent) recent_forget(worker->recent);
    batch_clear(batch);
    return good;
}

bool search_expand_alone(struct search *search, uint64_t *cursor, uint64_t end)
{
    struct worker *worker = search->worker;
    const struct batch *batch = &worker->batch;
    /* states that others may come to stand for are expanded when their turn has come */
    const bool is_late = search->space->kind->sets->is_open && search->set->next_level <= *cursor;
    const uint32_t ahead = is_late ? 1 : AHEAD_STATES;
    bool paused = false;
    while (*cursor < (end == SET_NONE ? search->set->count : end) && !paused) {
        if (!search_goes_on(search)) return batch_clear(&worker->batch), false;
        if (!expand_ahead(search, worker, *cursor, is_near(search))) {
            /* what is on its way may be all that takes memory */
            bool stuck =
                !batch->state_count && !(search->order->relieve && search->order->relieve(search));
            if (stuck) return poll_stop(search, STOP_MEMORY);
            if (!add_batch(search, worker, cursor, &paused)) return false;
            continue;
        }
        ++*cursor;
        if (batch->step_count < AHEAD_STEPS && batch->state_count < ahead) continue;
        if (!add_batch(search, worker, cursor, &paused)) return false;
    }
    return paused || add_batch(search, worker, cursor, &paused);
}

/* Between batches: a set that has become large may take another form. */
static void settle(struct search *search)
{
    struct space *space = search->space;
    assert(!search->worker->batch.state_count); /* (3) */
    if (space->folds_at == SET_NONE) return;    /* as in orders that have several sets */
    assert(search->set && search->order->can_fold);
    if (search->set->count < space->folds_at) return;
    struct set *folded = space->kind->fold ? space->kind->fold(space, search->set) : NULL;
    if (folded) space->folds_at = SET_NONE;
    if (folded) search->set = folded;
}

bool search_expand(struct search *search, uint64_t *cursor, uint64_t end)
{
    settle(search);
    bool good = true, paused = false;
    const bool grows = end == SET_NONE;
    assert(grows || (*cursor <= end && end <= search->set->count));
    search->lot.grows = grows;
    search->lot.last = (grows ? search->set->count : end) - 1;
    do {
        const uint64_t until = grows ? search->set->count : end;
        good = search->team && team_is_worth(search->team, until - *cursor)
                   ? team_expand(search->team, cursor, until)
                   : search_expand_alone(search, cursor, end);
        paused = !grows || search_pauses(search);
    } while (good && !paused && *cursor < search->set->count);
    search->lot.grows = false;
    return good && search_end_lot(search);
}

bool search_add_initial(struct search *search)
{
    struct worker *worker = search->worker;
    const struct space_kind *kind = search->space->kind;
    uint32_t next;
    search->initial_number = 0;
    worker->is_refused = false;
    assert(!worker->batch.state_count); /* (3) */
    for (bool first = true; kind->initial(worker, first); first = false) {
        struct batch *batch = &worker->batch;
        for (uint32_t i = 0; i < batch->step_count; i++) batch->steps[i].set = search->set;
        if (search->order->place) search->order->place(search, worker, 0, batch->step_count);
        search_look_up(search, worker, 0);
        bool good = search_add(search, worker, 0, batch->state_count, &next);
        batch_clear(batch);
        if (!good || !search_end_lot(search) || !search_goes_on(search)) return false;
        if (search->lot.stop != STOP_NONE) return poll_stop(search, search->lot.stop);
        settle(search);
        search->initial_number++;
    }
    return !worker->is_refused || poll_stop(search, STOP_MEMORY);
}

uint64_t search_kept(const struct search *search)
{
    return search->set ? set_kept(search->set) : 0;
}

void search_sum(const struct search *search, uint64_t *totals)
{
    const struct set_kind *sets = search->space->kind->sets;
    if (search->order->sum) search->order->sum(search, totals);
    else if (search->set && sets->sum) sets->sum(search->set, totals);
}
