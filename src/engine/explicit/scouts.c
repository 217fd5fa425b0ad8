/* P-paths of the hidden variant do not depend on each other: each is a search of its own, from the
 * initial states. So scouts search some that are next in turn at the same time. A scout has memory
 * of its own, an equal share of what is left, and keeps neither parents nor findings: when it meets
 * something that would be reported, or has too little memory, it gives up, and the p-path is
 * searched in its turn by the caller, alone and with all memory. That happens once per property, or
 * when a p-path needs more than a share. So results depend neither on who was faster nor on the
 * number of threads.
 *
 * Invariants: (1) a round writes to its scouts, to the entries of the list that they have taken and
 * to the cursor only; (2) nothing is allocated from the memory of the model in a round. */
#include "engine/explicit/scouts.h"

#include "base/clock.h"
#include "base/crew.h"

#include <string.h>

struct scout_counts {
    uint64_t transitions, expanded, deadlocks, ends, runtime_errors;
};

struct scout {
    struct scouts *scouts;
    struct mem mem;
    struct program program; /* with working memory of its own */
    uint64_t *words, *next;
    struct store store;
    uint32_t *positions; /* per state */
    uint64_t position_room;
    uint32_t *path; /* p-points of the p-path at hand */
    uint32_t length;
    bool *continues;
    struct scout_counts counts, all; /* of the p-path at hand, and of those that are done */
    uint64_t *taken, *all_taken;     /* per rule */
    uint32_t look_in;
};

struct scouts {
    struct search *search;
    struct crew crew;
    struct store initial; /* states */
    struct scout *list[CREW_MOST];
    uint32_t count;
    const struct p_path *paths; /* of the round */
    struct scouted *wanted;
    uint32_t wanted_count;
    atomic_uint cursor;
};

/* ---- one p-path ---- */

/* The p-points of a p-path of the list. */
static bool spell(struct scout *scout, uint32_t path)
{
    const struct p_path *paths = scout->scouts->paths;
    scout->length = 0;
    for (uint32_t at = path; paths[at].parent != MODEL_NONE; at = paths[at].parent) scout->length++;
    scout->path = mem_try_alloc(&scout->mem, (scout->length + UINT64_C(1)) * sizeof *scout->path);
    if (!scout->path) return false;
    uint32_t left = scout->length;
    for (uint32_t at = path; paths[at].parent != MODEL_NONE; at = paths[at].parent)
        scout->path[--left] = paths[at].point;
    return true;
}

/* Whether a monitor has anything to say that was not said before. */
static bool is_noticed(const struct scout *scout, uint64_t bits, const uint64_t *words)
{
    const struct search *search = scout->scouts->search;
    for (uint32_t i = 0; i < search->monitor_count; i++) {
        const struct monitor *monitor = &search->monitors[i];
        if (!monitor->active
            || !(bits >> (i < VISIT_MONITOR_BITS ? i : VISIT_MONITOR_BITS - 1) & 1))
            continue;
        int64_t value;
        bool good = program_run(&scout->program, monitor->code, words, &value);
        if (good ? (monitor->is_antecedent ? value : !value) : !monitor->failed) return true;
    }
    return false;
}

/* A state with its position, unless it is known with another one. False: give up. */
static bool add(struct scout *scout, const uint64_t *words, uint32_t position, uint64_t bits)
{
    uint32_t index;
    if (scout->store.count == scout->position_room) {
        uint64_t room = scout->position_room ? 2 * scout->position_room : 16;
        uint32_t *positions =
            mem_try_resize(&scout->mem, scout->positions, room * sizeof *positions);
        if (!positions) return false;
        scout->positions = positions;
        scout->position_room = room;
    }
    enum store_result added =
        store_add32(&scout->store, words, store_hash(words, scout->store.record_bytes), &index);
    if (added != STORE_NEW) return added == STORE_KNOWN;
    scout->positions[index] = position;
    return !bits || !is_noticed(scout, bits, words);
}

static bool is_open(const struct search *search, uint32_t property)
{
    return property != MODEL_NONE && search->task->properties[property].verdict != VERDICT_VIOLATED;
}

static bool finish(struct scout *scout, bool enabled, uint64_t failures)
{
    const struct search *search = scout->scouts->search;
    int64_t value;
    scout->counts.expanded++;
    scout->counts.runtime_errors += failures;
    if (failures && is_open(search, search->runtime_error)) return false;
    if (enabled) return true;
    bool final = search->model->has_final
                 && program_run(&scout->program, search->final, scout->words, &value) && value;
    scout->counts.ends += final;
    scout->counts.deadlocks += !final;
    return final || !is_open(search, search->deadlock);
}

static bool expand(struct scout *scout, uint32_t state)
{
    const struct search *search = scout->scouts->search;
    const struct layout *layout = &search->space.layout;
    const uint32_t position = scout->positions[state];
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    uint64_t failures = 0;
    bool enabled = false;
    scout->words[layout->words - 1] = 0;
    memcpy(scout->words, store_get(&scout->store, state), layout->record_bytes);
    program_start(&scout->program, &cursor);
    while ((step = program_next(&scout->program, &cursor, scout->words, scout->next, &fast))
           != STEP_NONE) {
        failures += step == STEP_FAILED;
        if (step == STEP_FAILED) continue;
        enabled = true;
        scout->counts.transitions++;
        scout->taken[fast->rule]++;
        uint32_t point =
            points_of(search->task->points, layout, fast->rule, scout->words, scout->next);
        if (point != MODEL_NONE && position == scout->length) scout->continues[point] = true;
        bool stays = point == MODEL_NONE,
             follows = !stays && position < scout->length && scout->path[position] == point;
        if ((stays || follows)
            && !add(scout, scout->next, position + follows, fast->touches & search->active))
            return false;
    }
    return finish(scout, enabled, failures);
}

/* Now and then: everybody looks at the clock, because a p-path may take long; the display is the
 * caller's. False: give up. */
static bool look(struct scout *scout, bool is_caller)
{
    struct search *search = scout->scouts->search;
    const struct task *task = search->task;
    if (scout->look_in--) return true;
    scout->look_in = search->poll_interval;
    if (!is_caller)
        return !(task->interrupted && *task->interrupted)
               && !(task->max_seconds > 0 && clock_now() - search->started >= task->max_seconds);
    struct search_progress progress = {.states = scout->store.count,
                                       .transitions = search->result->transitions,
                                       .expanded = search->result->expanded,
                                       .bytes = search->model->mem->used};
    return visit_look(search, &progress);
}

static bool search_path(struct scout *scout, struct scouted *wanted, bool is_caller)
{
    const struct scouts *scouts = scout->scouts;
    const struct layout *layout = &scouts->search->space.layout;
    if (!store_init(&scout->store, &scout->mem, layout->record_bytes)
        || !spell(scout, wanted->path))
        return false;
    for (uint64_t i = 0; i < scouts->initial.count; i++) {
        scout->next[layout->words - 1] = 0;
        memcpy(scout->next, store_get(&scouts->initial, (uint32_t)i), layout->record_bytes);
        if (!add(scout, scout->next, 0, 0)) return false;
    }
    for (uint64_t cursor = 0; cursor < scout->store.count; cursor++)
        if (!look(scout, is_caller) || !expand(scout, (uint32_t)cursor)) return false;
    wanted->states = scout->store.count;
    return true;
}

/* ---- a round ---- */

static void begin_path(struct scout *scout, const struct scouted *wanted)
{
    const struct search *search = scout->scouts->search;
    scout->counts = (struct scout_counts){0};
    memset(scout->taken, 0, search->model->rules.len * sizeof *scout->taken);
    memset(wanted->continues, 0, search->task->points->count * sizeof *wanted->continues);
    scout->continues = wanted->continues;
    scout->positions = NULL;
    scout->position_room = 0;
}

static void keep_counts(struct scout *scout)
{
    scout->all.transitions += scout->counts.transitions;
    scout->all.expanded += scout->counts.expanded;
    scout->all.deadlocks += scout->counts.deadlocks;
    scout->all.ends += scout->counts.ends;
    scout->all.runtime_errors += scout->counts.runtime_errors;
    for (uint32_t r = 0; r < scout->scouts->search->model->rules.len; r++)
        scout->all_taken[r] += scout->taken[r];
}

static void work(void *context, uint32_t number)
{
    struct scouts *scouts = context;
    struct scout *scout = scouts->list[number];
    for (uint32_t i; (i = atomic_fetch_add(&scouts->cursor, 1)) < scouts->wanted_count;) {
        struct scouted *wanted = &scouts->wanted[i];
        begin_path(scout, wanted);
        wanted->is_done = search_path(scout, wanted, !number);
        if (wanted->is_done) keep_counts(scout);
        mem_release(&scout->mem); /* all that it has, the store too */
    }
}

static void collect(struct scouts *scouts)
{
    struct result *result = scouts->search->result;
    for (uint32_t s = 0; s < scouts->count; s++) {
        struct scout *scout = scouts->list[s];
        result->transitions += scout->all.transitions;
        result->expanded += scout->all.expanded;
        result->deadlocks += scout->all.deadlocks;
        result->ends += scout->all.ends;
        result->runtime_errors += scout->all.runtime_errors;
        scout->all = (struct scout_counts){0};
        for (uint32_t r = 0; r < scouts->search->model->rules.len; r++) {
            result->taken[r] += scout->all_taken[r];
            scout->all_taken[r] = 0;
        }
    }
}

bool scouts_search(struct scouts *scouts, const struct p_path *paths, struct scouted *list,
                   uint32_t count)
{
    struct mem *mem = scouts->search->model->mem;
    const uint64_t left = mem->limit > mem->used ? mem->limit - mem->used : 0;
    uint64_t peak = mem->used;
    scouts->paths = paths;
    scouts->wanted = list;
    scouts->wanted_count = count;
    atomic_store(&scouts->cursor, 0);
    for (uint32_t s = 0; s < scouts->count; s++)
        scouts->list[s]->mem.limit = !mem->limit                 ? 0
                                     : left > scouts->crew.count ? left / scouts->crew.count
                                                                 : 1;
    crew_round(&scouts->crew, work, scouts);
    for (uint32_t s = 0; s < scouts->count; s++) peak += scouts->list[s]->mem.peak;
    if (peak > mem->peak) mem->peak = peak;
    collect(scouts);
    return scouts->search->result->stop == STOP_NONE;
}

/* ---- before and after ---- */

static bool new_scout(struct scouts *scouts)
{
    const struct search *search = scouts->search;
    struct mem *mem = search->model->mem;
    const size_t state = search->space.layout.words * sizeof(uint64_t),
                 rules = (search->model->rules.len + UINT64_C(1)) * sizeof(uint64_t);
    struct scout *scout = mem_try_alloc(mem, sizeof *scout);
    if (!scout) return false;
    scouts->list[scouts->count++] = scout;
    scout->scouts = scouts;
    mem_init(&scout->mem);
    scout->words = mem_try_alloc(mem, state);
    scout->next = mem_try_alloc(mem, state);
    scout->taken = mem_try_alloc(mem, rules);
    scout->all_taken = mem_try_alloc(mem, rules);
    return scout->words && scout->next && scout->taken && scout->all_taken
           && program_fork(&search->space.program, &scout->program);
}

static bool copy_initial(struct scouts *scouts)
{
    const struct store *from = &scouts->search->store;
    uint32_t index;
    if (!store_init(&scouts->initial, scouts->search->model->mem, from->record_bytes)) return false;
    for (uint64_t i = 0; i < scouts->search->result->initial_states; i++) {
        const void *record = store_get(from, (uint32_t)i);
        if (store_add32(&scouts->initial, record, store_hash(record, from->record_bytes), &index)
            == STORE_REFUSED)
            return false;
    }
    return true;
}

struct scouts *scouts_new(struct search *search, uint32_t threads)
{
    struct mem *mem = search->model->mem;
    struct scouts *scouts = mem_try_alloc(mem, sizeof *scouts);
    if (!scouts) return NULL;
    scouts->search = search;
    bool good = copy_initial(scouts);
    while (good && scouts->count < threads && scouts->count < CREW_MOST) good = new_scout(scouts);
    crew_start(&scouts->crew, good ? scouts->count : 1);
    if (scouts->crew.count > 1) return scouts;
    scouts_release(scouts);
    return NULL;
}

uint32_t scouts_count(const struct scouts *scouts) { return scouts->crew.count; }

void scouts_release(struct scouts *scouts)
{
    struct mem *mem = scouts->search->model->mem;
    crew_stop(&scouts->crew);
    store_release(&scouts->initial);
    for (uint32_t s = 0; s < scouts->count; s++) {
        struct scout *scout = scouts->list[s];
        program_release_fork(&scout->program);
        mem_release(&scout->mem);
        mem_free(mem, scout->words);
        mem_free(mem, scout->next);
        mem_free(mem, scout->taken);
        mem_free(mem, scout->all_taken);
        mem_free(mem, scout);
    }
    mem_free(mem, scouts);
}
