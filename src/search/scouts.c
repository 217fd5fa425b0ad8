/* A scout is a search with copies of everything that a search changes: the task with its
 * properties, the findings, the result, and of the space what its worker needs. What a copy says
 * afterwards that the original does not is something to report.
 *
 * Invariants: (1) a round changes scouts, what jobs write to places of their own, and the cursor
 * only; (2) nothing is allocated from the memory of the search in a round; (3) between rounds no
 * scout has memory. */
#include "search/scouts.h"

#include "base/crew.h"

#include <assert.h>
#include <string.h>

struct scout {
    struct search search; /* first: it is known by it */
    const struct search *chief;
    struct mem mem;
    struct model model; /* with this memory */
    struct space space;
    struct task task;
    struct result result, sum; /* of the search at hand, and of those that count */
    struct worker worker;
    bool has_fork;
};

struct scouts {
    struct search *search;
    struct crew crew;
    struct scout *list;
    uint32_t count;
    scouts_job *job; /* of the round */
    void *context;
    bool *done;
    uint32_t wanted;
    atomic_uint cursor;
};

/* ---- one search ---- */

static size_t taken_bytes(const struct scout *scout)
{
    return scout->chief->model->rules.len * sizeof *scout->result.taken;
}

static void copy_findings(struct scout *scout)
{
    const struct findings *from = &scout->chief->findings;
    struct findings *to = &scout->search.findings;
    const struct findings rooms = *to;
    *to = *from;
    to->monitors = rooms.monitors;
    to->waiting = rooms.waiting;
    to->found = 0;
    for (uint32_t m = 0; m < from->count; m++) to->monitors[m] = from->monitors[m];
    for (uint32_t i = 0; i < scout->task.property_count; i++)
        scout->task.properties[i] = scout->chief->task->properties[i];
}

static void begin(struct scout *scout)
{
    uint64_t *taken = scout->result.taken;
    memset(taken, 0, taken_bytes(scout));
    scout->result = (struct result){.taken = taken};
    copy_findings(scout);
    scout->search.lot = scout->chief->lot;
    scout->search.lot.states = scout->search.lot.steps = 0;
    scout->search.lot.has_open = false;
    scout->search.set = NULL;
    scout->search.own = NULL;
}

/* Whether nothing was found that the chief does not know. */
static bool is_quiet(const struct scout *scout)
{
    const struct findings *ours = &scout->search.findings, *known = &scout->chief->findings;
    for (uint32_t m = 0; m < known->count; m++)
        if (ours->monitors[m].active != known->monitors[m].active
            || ours->monitors[m].failed != known->monitors[m].failed)
            return false;
    for (uint32_t i = 0; i < scout->task.property_count; i++)
        if (scout->task.properties[i].verdict != scout->chief->task->properties[i].verdict)
            return false;
    return true;
}

static void add_counts(const struct scout *scout, struct result *to, const struct result *from)
{
    to->transitions += from->transitions;
    to->expanded += from->expanded;
    to->deadlocks += from->deadlocks;
    to->ends += from->ends;
    to->runtime_errors += from->runtime_errors;
    for (uint32_t r = 0; r < scout->chief->model->rules.len; r++) to->taken[r] += from->taken[r];
}

static bool search_one(struct scouts *scouts, struct scout *scout, uint32_t number)
{
    begin(scout);
    bool good = worker_open(&scout->worker, &scout->space, &scout->mem, true)
                && scouts->job(&scout->search, scouts->context, number)
                && scout->result.stop == STOP_NONE && is_quiet(scout);
    if (good) add_counts(scout, &scout->sum, &scout->result);
    worker_close(&scout->worker);
    mem_release(&scout->mem); /* the set and all that the order has, too: (3) */
    return good;
}

void scouts_violated(struct search *scout, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    (void)property, (void)set, (void)state, (void)failed_rule;
    scout->lot.stop = STOP_DECIDED;
}

void scouts_show(const struct search *scout, struct search_progress *progress)
{
    const struct search *chief = ((const struct scout *)scout)->chief;
    progress->states += chief->order->states(chief);
    progress->transitions += chief->result->transitions;
    progress->expanded += chief->result->expanded;
    progress->bytes += chief->model->mem->used;
}

/* ---- a round ---- */

static void work(void *context, uint32_t number)
{
    struct scouts *scouts = context;
    struct scout *scout = &scouts->list[number];
    for (uint32_t i; (i = atomic_fetch_add(&scouts->cursor, 1)) < scouts->wanted;)
        scouts->done[i] = search_one(scouts, scout, i);
}

/* Each has an equal share of the memory that is left. */
static void share_memory(struct scouts *scouts)
{
    const struct mem *mem = scouts->search->model->mem;
    const uint64_t left = mem->limit > mem->used ? mem->limit - mem->used : 0,
                   share = left / scouts->crew.count;
    for (uint32_t s = 0; s < scouts->count; s++) {
        struct scout *scout = &scouts->list[s];
        assert(!scout->mem.used); /* (3) */
        scout->mem.limit = !mem->limit ? 0 : share ? share : 1;
        scout->search.poll = scouts->search->poll;
    }
}

bool scouts_search(struct scouts *scouts, scouts_job *job, void *context, bool *done,
                   uint32_t count)
{
    struct search *search = scouts->search;
    struct mem *mem = search->model->mem;
    uint64_t peak = mem->used;
    scouts->job = job;
    scouts->context = context;
    scouts->done = done;
    scouts->wanted = count;
    atomic_store(&scouts->cursor, 0);
    share_memory(scouts);
    crew_round(&scouts->crew, work, scouts);
    for (uint32_t s = 0; s < scouts->count; s++) {
        struct scout *scout = &scouts->list[s];
        uint64_t *taken = scout->sum.taken;
        peak += scout->mem.peak;
        add_counts(scout, search->result, &scout->sum);
        memset(taken, 0, taken_bytes(scout));
        scout->sum = (struct result){.taken = taken};
    }
    if (peak > mem->peak) mem->peak = peak;
    search->poll.last_shown = scouts->list[0].search.poll.last_shown;
    return poll_now(search);
}

/* ---- before and after ---- */

/* Room for what the copies need. False: memory was refused. */
static bool make_rooms(struct scout *scout)
{
    const struct search *chief = scout->chief;
    struct mem *mem = chief->model->mem;
    const uint64_t monitors = chief->findings.count + UINT64_C(1),
                   properties = chief->task->property_count + UINT64_C(1),
                   vars = chief->model->vars.len + UINT64_C(1),
                   rules = chief->model->rules.len + UINT64_C(1);
    struct findings *findings = &scout->search.findings;
    findings->monitors = mem_try_alloc(mem, monitors * sizeof *findings->monitors);
    findings->waiting = mem_try_alloc(mem, monitors * sizeof *findings->waiting);
    scout->task.properties = mem_try_alloc(mem, properties * sizeof *scout->task.properties);
    scout->space.values = mem_try_alloc(mem, vars * sizeof *scout->space.values);
    scout->space.initial = mem_try_alloc(mem, vars * sizeof *scout->space.initial);
    scout->result.taken = mem_try_alloc(mem, rules * sizeof *scout->result.taken);
    scout->sum.taken = mem_try_alloc(mem, rules * sizeof *scout->sum.taken);
    scout->has_fork = program_fork(&chief->space->program, &scout->space.program);
    return findings->monitors && findings->waiting && scout->task.properties && scout->space.values
           && scout->space.initial && scout->result.taken && scout->sum.taken && scout->has_fork;
}

static bool make_scout(struct scout *scout, struct search *chief, const struct order *order,
                       bool is_first)
{
    scout->chief = chief;
    mem_init(&scout->mem);
    scout->model = *chief->model;
    scout->model.mem = &scout->mem;
    scout->task = *chief->task;
    if (!is_first) scout->task.progress = NULL; /* the display is the caller's */
    scout->space = *chief->space;
    scout->space.mem = &scout->mem;
    scout->search = (struct search){.task = &scout->task,
                                    .model = &scout->model,
                                    .result = &scout->result,
                                    .space = &scout->space,
                                    .order = order,
                                    .worker = &scout->worker,
                                    .is_first_pass = true,
                                    .is_last_pass = true};
    return make_rooms(scout);
}

struct scouts *scouts_call(struct search *search, const struct order *order)
{
    struct mem *mem = search->model->mem;
    const uint32_t threads = search->threads < CREW_MOST ? search->threads : CREW_MOST;
    if (threads < 2 || !scouts_can(search)) return NULL;
    struct scouts *scouts = mem_try_alloc(mem, sizeof *scouts);
    if (!scouts) return NULL;
    scouts->search = search;
    scouts->list = mem_try_alloc(mem, threads * sizeof *scouts->list);
    bool good = scouts->list != NULL;
    for (; good && scouts->count < threads; scouts->count++)
        good = make_scout(&scouts->list[scouts->count], search, order, !scouts->count);
    crew_start(&scouts->crew, good ? threads : 1);
    if (scouts->crew.count > 1) return scouts;
    scouts_dismiss(scouts);
    return NULL;
}

uint32_t scouts_count(const struct scouts *scouts) { return scouts->crew.count; }

void scouts_dismiss(struct scouts *scouts)
{
    struct mem *mem = scouts->search->model->mem;
    crew_stop(&scouts->crew);
    for (uint32_t s = 0; s < scouts->count; s++) {
        struct scout *scout = &scouts->list[s];
        mem_free(mem, scout->search.findings.monitors);
        mem_free(mem, scout->search.findings.waiting);
        mem_free(mem, scout->task.properties);
        mem_free(mem, scout->space.values);
        mem_free(mem, scout->space.initial);
        mem_free(mem, scout->result.taken);
        mem_free(mem, scout->sum.taken);
        if (scout->has_fork) program_release_fork(&scout->space.program);
    }
    mem_free(mem, scouts->list);
    mem_free(mem, scouts);
}
