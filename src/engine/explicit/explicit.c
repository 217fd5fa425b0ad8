/* The search itself. Invariants while searching:
 *  1. states 0 .. cursor - 1 (breadth-first) are expanded, the others wait: the store is the queue;
 *  2. `transitions` counts taken steps of expanded states, of the one being expanded too;
 *  3. a monitor bit is active while its property is undecided;
 *  4. with breadth-first order the parents log has one zero per stored state, in the order of numbers. */
#include "engine/explicit/explicit.h"

#include "base/clock.h"
#include "engine/explicit/parents.h"
#include "engine/explicit/twophase.h"
#include "graph/temporal.h"
#include "program/reached.h"

#include <assert.h>
#include <string.h>


enum { MONITOR_BITS = 64, BATCH = 64, POLL_STATES = 2048, POLL_RULES = 200000, KRIPKE_POLL = 4096 };

/* Something evaluated in every new state: an invariant that must be true, or an antecedent that we hope to see true. */
struct monitor {
    uint32_t property;
    uint32_t code;
    bool is_antecedent;
    bool active;
    bool failed; /* it could not be evaluated somewhere */
};

struct frame { /* of the depth-first stack */
    uint32_t state;
    bool has_step;
    struct program_cursor cursor;
};

struct successor {
    const struct fast_rule *fast;
    uint64_t hash;
};

struct expansion {
    uint32_t state;
    uint32_t successors;       /* of it in the batch: the batch has them in the order of expansions */
    bool begun;                /* some were looked up before */
    bool enabled;
    uint32_t failed;           /* the first rule that failed, of ... */
    uint64_t failures;
};

/* A finding while a state is expanded waits until that is done, so that the working buffers are free. */
struct finding {
    uint32_t monitor, state;
};

struct search {
    struct task *task;
    struct model *model;
    struct result *result;
    const struct explicit_graph *graph;
    struct space space;
    struct parents parents;
    struct twophase *twophase; /* NULL: no reduction */
    struct finding *findings;  /* room for one per monitor; of a two-phase search ... */
    uint32_t finding_count;    /* ... so many */
    struct monitor *monitors;
    uint32_t monitor_count, undecided;
    uint64_t active; /* bits of active monitors; monitor i has bit min(i, 63) */
    uint32_t deadlock, runtime_error; /* their entries in the task, or MODEL_NONE */
    uint32_t final;                   /* the code of the model's final states, if it has any */
    /* Breadth-first: states that are expanded but whose successors are not looked up yet, and these successors. */
    struct expansion expansions[BATCH];
    uint32_t expansion_count;
    uint64_t *batch; /* room for BATCH states */
    struct successor successors[BATCH];
    uint32_t batch_size;
    uint32_t found; /* findings of the expansion at hand */
    int64_t *values; /* an unpacked state */
    struct frame *stack;
    uint64_t stack_len, stack_cap;
    uint64_t *levels;
    uint32_t level_count, level_cap;
    const char *phase; /* for the progress display */
    double started, last_progress;
    uint32_t poll_in, poll_interval; /* states until the next look at the clock: fewer when each has many rules to try */
};

/* ---- findings ---- */

/* path: numbers of states, first to last. */
static struct trace *make_trace(struct search *search, const uint32_t *path, uint32_t length)
{
    struct trace *trace = trace_new(search->model, length - 1);
    space_load(&search->space, path[0]);
    layout_unpack(&search->space.layout, search->model, search->space.words, trace->initial);
    for (uint32_t i = 0; i + 1 < length; i++) {
        trace->rules[i] = space_rule_between(&search->space, path[i], path[i + 1]);
        if (trace->rules[i] == MODEL_NONE) search->result->broken = "no rule leads from a state to its child";
    }
    return trace;
}

static uint32_t parent_of(const struct search *search, uint32_t state)
{
    return search->twophase ? twophase_parent(search->twophase, state) : parents_of(&search->parents, state);
}

/* The path to a state: by parents, or the depth-first stack with the state on top. */
static struct trace *trace_to(struct search *search, uint32_t state)
{
    struct mem *mem = search->model->mem;
    uint64_t length = 1;
    if (search->task->order != ORDER_DFS)
        for (uint32_t at = state; (at = parent_of(search, at)) != MODEL_NONE;) length++;
    else length = search->stack_len + (!search->stack_len || search->stack[search->stack_len - 1].state != state);
    uint32_t *path = mem_alloc(mem, length * sizeof *path);
    if (search->task->order != ORDER_DFS) {
        uint32_t at = state;
        for (uint64_t i = length; i-- > 0; at = parent_of(search, at)) {
            path[i] = at;
            if (!i) break;
        }
    } else {
        for (uint64_t i = 0; i < search->stack_len; i++) path[i] = search->stack[i].state;
        path[length - 1] = state;
    }
    struct trace *trace = make_trace(search, path, (uint32_t)length);
    mem_free(mem, path);
    return trace;
}

/* Records a violation with its trace. Called between expansions only: it uses the working buffers. */
static void violated(struct search *search, uint32_t property, uint32_t state, uint32_t failed_rule)
{
    struct property_result *entry = &search->task->properties[property];
    if (entry->verdict == VERDICT_VIOLATED) return;
    uint64_t limit = search->model->mem->limit;
    search->model->mem->limit = 0; /* what was found must not be lost to the limit on the search */
    entry->verdict = VERDICT_VIOLATED;
    entry->trace = trace_to(search, state);
    entry->trace->failed_rule = failed_rule;
    search->model->mem->limit = limit;
    search->undecided -= !entry->watched_only;
}

static void stop_monitor(struct search *search, uint32_t m)
{
    search->monitors[m].active = false;
    search->active = 0;
    for (uint32_t i = 0; i < search->monitor_count; i++)
        if (search->monitors[i].active) search->active |= UINT64_C(1) << (i < MONITOR_BITS ? i : MONITOR_BITS - 1);
}

static void report_monitor(struct search *search, const struct finding *finding)
{
    struct monitor *monitor = &search->monitors[finding->monitor];
    if (!monitor->active) return;
    stop_monitor(search, finding->monitor);
    if (!monitor->is_antecedent) violated(search, monitor->property, finding->state, MODEL_NONE);
}

/* Evaluates the monitors in `bits`; at most one finding per monitor is kept in the list, which has room for all. */
static void run_monitors(struct search *search, uint64_t bits, const uint64_t *words, uint32_t state, struct finding *findings,
                         uint32_t *count)
{
    for (uint32_t i = 0; i < search->monitor_count; i++) {
        struct monitor *monitor = &search->monitors[i];
        if (!monitor->active || !(bits >> (i < MONITOR_BITS ? i : MONITOR_BITS - 1) & 1)) continue;
        int64_t value;
        if (!program_run(&search->space.program, monitor->code, words, &value)) {
            monitor->failed = true; /* and goes on: a violation elsewhere still counts */
            continue;
        }
        if (monitor->is_antecedent ? !value : value) continue;
        bool known = false;
        for (uint32_t f = 0; f < *count; f++) known |= findings[f].monitor == i;
        if (!known) findings[(*count)++] = (struct finding){i, state};
    }
}

/* ---- limits ---- */

static bool stop(struct search *search, enum stop_reason reason)
{
    search->result->stop = reason;
    return false;
}

/* Looks at the clock now and then. False: the search must end. */
static bool poll(struct search *search, uint64_t depth)
{
    if (!search->phase && (search->task->stop_at_first || !search->undecided)) {
        bool found = !search->undecided;
        for (uint32_t i = 0; i < search->task->property_count; i++) found |= search->task->properties[i].verdict == VERDICT_VIOLATED;
        if (found && search->task->property_count) return stop(search, search->undecided ? STOP_FIRST : STOP_DECIDED);
    }
    if (search->task->max_states && search->space.store.count > search->task->max_states && !search->phase) return stop(search, STOP_STATES);
    if (search->poll_in--) return true;
    search->poll_in = search->poll_interval;
    if (search->task->interrupted && *search->task->interrupted) return stop(search, STOP_INTERRUPT);
    double time = clock_now(), seconds = time - search->started;
    if (search->task->max_seconds > 0 && seconds >= search->task->max_seconds) return stop(search, STOP_TIME);
    if (search->task->progress && time - search->last_progress >= 0.25) {
        struct search_progress progress = {.states = search->space.store.count, .transitions = search->result->transitions, .expanded = search->result->expanded,
                                           .depth = depth, .bytes = search->model->mem->used, .seconds = seconds, .phase = search->phase};
        search->task->progress(search->task->progress_context, &progress);
        search->last_progress = time;
    }
    return true;
}

/* ---- adding states ---- */

static void tell_state(struct search *search, uint32_t state, const uint64_t *words)
{
    if (!search->graph) return;
    layout_unpack(&search->space.layout, search->model, words, search->values);
    search->graph->state(search->graph->context, state, search->values);
}

static bool add_initial_states(struct search *search, struct finding *findings)
{
    int64_t *values = search->values;
    eval_first_initial(search->model, values);
    do {
        uint32_t index, count = 0;
        layout_pack(&search->space.layout, search->model, values, search->space.next);
        uint64_t hash = store_hash(search->space.next, search->space.layout.record_bytes);
        enum store_result added = store_add(&search->space.store, search->space.next, hash, &index);
        if (added == STORE_REFUSED) return stop(search, STOP_MEMORY);
        assert(added == STORE_NEW); /* counting never repeats */
        if (search->task->order != ORDER_DFS && !parents_found(&search->parents)) return stop(search, STOP_MEMORY);
        search->result->initial_states++;
        if (search->graph) {
            search->graph->state(search->graph->context, index, values);
            search->graph->edge(search->graph->context, MODEL_NONE, MODEL_NONE, index);
        }
        run_monitors(search, search->active, search->space.next, index, findings, &count);
        for (uint32_t i = 0; i < count; i++) report_monitor(search, &findings[i]);
        if (!poll(search, 0)) return false;
    } while (eval_next_initial(search->model, values));
    return true;
}

static void rule_failed(struct search *search, uint32_t state, uint32_t rule)
{
    search->result->runtime_errors++;
    if (search->runtime_error != MODEL_NONE) violated(search, search->runtime_error, state, rule);
}

static bool is_final(struct search *search, uint32_t state)
{
    int64_t value;
    if (!search->model->has_final) return false;
    space_load(&search->space, state);
    return program_run(&search->space.program, search->final, search->space.words, &value) && value;
}

static void dead_end(struct search *search, uint32_t state)
{
    if (is_final(search, state)) {
        search->result->ends++;
        return;
    }
    search->result->deadlocks++;
    if (search->deadlock != MODEL_NONE) violated(search, search->deadlock, state, MODEL_NONE);
}

/* ---- breadth first ---- */

/* Looking up a successor is two cache misses, the slot and the record. So states are expanded some in advance: slots are fetched while
 * successors are collected, records when the batch is full, and only then everything is looked up, in the order in which it
 * would have been without a batch. */
static bool look_up(struct search *search, const struct expansion *expansion, uint32_t first, struct finding *findings)
{
    for (uint32_t i = first; i < first + expansion->successors; i++) {
        const uint64_t *words = search->batch + (size_t)i * search->space.layout.words;
        const struct successor *successor = &search->successors[i];
        uint32_t index;
        enum store_result added = store_add(&search->space.store, words, successor->hash, &index);
        if (added == STORE_REFUSED) return stop(search, STOP_MEMORY);
        search->result->transitions++;
        search->result->taken[successor->fast->rule]++;
        if (added == STORE_NEW) {
            if (!parents_found(&search->parents)) return stop(search, STOP_MEMORY);
            tell_state(search, index, words);
            uint64_t bits = successor->fast->touches & search->active;
            if (bits) run_monitors(search, bits, words, index, findings, &search->found);
        }
        if (search->graph) search->graph->edge(search->graph->context, expansion->state, successor->fast->rule, index);
    }
    return true;
}

static void report_findings(struct search *search, const struct finding *findings)
{
    for (uint32_t i = 0; i < search->found; i++) report_monitor(search, &findings[i]);
    search->found = 0;
}

/* All successors of the state are known. */
static void finish_expansion(struct search *search, const struct expansion *expansion)
{
    if (!expansion->enabled) dead_end(search, expansion->state);
    if (expansion->failures) {
        rule_failed(search, expansion->state, expansion->failed);
        search->result->runtime_errors += expansion->failures - 1;
    }
    search->result->expanded++;
}

/* Looks up everything that was collected. `open`: the last state has more successors to come. */
static bool flush(struct search *search, bool open, struct finding *findings)
{
    uint32_t first = 0;
    bool going = true;
    for (uint32_t i = 0; i < search->batch_size; i++) store_prefetch_record(&search->space.store, search->successors[i].hash);
    for (uint32_t i = 0; going && i < search->expansion_count; i++) {
        struct expansion *expansion = &search->expansions[i];
        if (!expansion->begun && !parents_expand(&search->parents)) going = stop(search, STOP_MEMORY);
        going = going && look_up(search, expansion, first, findings);
        first += expansion->successors;
        expansion->begun = true;
        expansion->successors = 0;
        if (going && open && i + 1 == search->expansion_count) break;
        report_findings(search, findings); /* also when memory has just run out */
        if (going) finish_expansion(search, expansion);
    }
    if (open && search->expansion_count) search->expansions[0] = search->expansions[search->expansion_count - 1];
    search->expansion_count = open ? 1 : 0;
    search->batch_size = 0;
    return going;
}

static bool expand(struct search *search, uint32_t state, struct finding *findings)
{
    struct program_cursor cursor;
    const struct fast_rule *fast;
    if (search->expansion_count == BATCH && !flush(search, false, findings)) return false;
    struct expansion *expansion = &search->expansions[search->expansion_count++];
    *expansion = (struct expansion){.state = state};
    space_load(&search->space, state);
    program_start(&search->space.program, &cursor);
    for (;;) {
        uint64_t *next = search->batch + (size_t)search->batch_size * search->space.layout.words;
        enum step step = program_next(&search->space.program, &cursor, search->space.words, next, &fast);
        if (step == STEP_NONE) return true;
        if (step == STEP_FAILED) {
            if (!expansion->failures++) expansion->failed = fast->rule;
            continue;
        }
        uint64_t hash = store_hash(next, search->space.layout.record_bytes);
        store_prefetch(&search->space.store, hash);
        search->successors[search->batch_size++] = (struct successor){fast, hash};
        expansion->enabled = true;
        expansion->successors++;
        if (search->batch_size < BATCH) continue;
        if (!flush(search, true, findings)) return false;
        expansion = &search->expansions[0];
        space_load(&search->space, state); /* a counterexample may have used the buffer */
    }
}

static bool push_level(struct search *search)
{
    if (search->level_count == search->level_cap) {
        uint32_t cap = search->level_cap ? 2 * search->level_cap : 64;
        uint64_t *levels = mem_try_resize(search->model->mem, search->levels, cap * sizeof *levels);
        if (!levels) return stop(search, STOP_MEMORY);
        search->levels = levels;
        search->level_cap = cap;
    }
    search->levels[search->level_count++] = search->space.store.count;
    return true;
}

static bool breadth_first(struct search *search, struct finding *findings)
{
    struct result *result = search->result;
    uint64_t level_end = search->space.store.count;
    if (!push_level(search)) return false;
    for (uint64_t cursor = 0;; cursor++) {
        if (cursor == level_end) { /* what follows is known when all before it is looked up */
            if (!flush(search, false, findings)) return false;
            if (cursor == search->space.store.count) break;
            level_end = search->space.store.count;
            result->depth++;
            if (!push_level(search)) return false;
        }
        if (search->task->max_depth && result->depth >= search->task->max_depth) return stop(search, STOP_DEPTH);
        if (!poll(search, result->depth)) return false;
        if (!expand(search, (uint32_t)cursor, findings)) return false;
    }
    return true;
}

/* ---- depth first ---- */

static bool push_frame(struct search *search, uint32_t state)
{
    if (search->stack_len == search->stack_cap) {
        uint64_t cap = search->stack_cap ? search->stack_cap + search->stack_cap / 2 : 1024;
        struct frame *stack = mem_try_resize(search->model->mem, search->stack, cap * sizeof *stack);
        if (!stack) return stop(search, STOP_MEMORY);
        search->stack = stack;
        search->stack_cap = cap;
    }
    struct frame *frame = &search->stack[search->stack_len++];
    frame->state = state;
    frame->has_step = false;
    program_start(&search->space.program, &frame->cursor);
    if (search->stack_len > search->result->max_stack) search->result->max_stack = search->stack_len;
    return true;
}

/* Takes one step from the top of the stack: a new state is pushed, a finished one popped. */
static bool depth_step(struct search *search, struct finding *findings)
{
    struct frame *frame = &search->stack[search->stack_len - 1];
    const struct fast_rule *fast;
    uint32_t index, count = 0, state = frame->state;
    space_load(&search->space, state);
    enum step step = program_next(&search->space.program, &frame->cursor, search->space.words, search->space.next, &fast);
    if (step == STEP_FAILED) {
        rule_failed(search, state, fast->rule);
        return true;
    }
    if (step == STEP_NONE) {
        if (!frame->has_step) dead_end(search, state);
        search->result->expanded++;
        search->stack_len--;
        return true;
    }
    frame->has_step = true;
    search->result->transitions++;
    search->result->taken[fast->rule]++;
    enum store_result added = store_add(&search->space.store, search->space.next, store_hash(search->space.next, search->space.layout.record_bytes), &index);
    if (added == STORE_REFUSED) return stop(search, STOP_MEMORY);
    if (added == STORE_NEW) tell_state(search, index, search->space.next);
    if (search->graph) search->graph->edge(search->graph->context, state, fast->rule, index);
    if (added == STORE_KNOWN) return true;
    run_monitors(search, fast->touches & search->active, search->space.next, index, findings, &count);
    for (uint32_t i = 0; i < count; i++) report_monitor(search, &findings[i]);
    return push_frame(search, index);
}

static bool depth_first(struct search *search, struct finding *findings)
{
    uint64_t initial = search->space.store.count;
    for (uint64_t i = 0; i < initial; i++) {
        if (!push_frame(search, (uint32_t)i)) return false;
        while (search->stack_len) {
            if (!poll(search, search->stack_len) || !depth_step(search, findings)) return false;
        }
    }
    return true;
}

/* ---- reduced ---- */

static void reduced_found(void *context, uint32_t state, const uint64_t *words, const struct fast_rule *by)
{
    struct search *search = context;
    tell_state(search, state, words);
    run_monitors(search, by->touches & search->active, words, state, search->findings, &search->finding_count);
}

static void reduced_step(void *context, uint32_t from, uint32_t rule, uint32_t to)
{
    const struct explicit_graph *graph = ((struct search *)context)->graph;
    if (graph) graph->edge(graph->context, from, rule, to);
}

static void reduced_expanded(void *context, uint32_t state, uint32_t enabled, uint32_t failures, uint32_t failed_rule)
{
    struct search *search = context;
    for (uint32_t i = 0; i < search->finding_count; i++) report_monitor(search, &search->findings[i]);
    search->finding_count = 0;
    if (!enabled) dead_end(search, state);
    if (!failures) return;
    rule_failed(search, state, failed_rule);
    search->result->runtime_errors += failures - 1;
}

static bool reduced_go_on(void *context)
{
    return poll(context, 0);
}

static bool any_rule_fails(const struct model *model)
{
    bool fails = false;
    for (uint32_t r = 0; r < model->rules.len; r++) fails |= model_rule_may_fail(model, r);
    return fails;
}

/* One reduced graph for all properties of the task: what any of them reads is visible, and one CTL formula makes it keep branching time. A search for deadlocks
 * must mind cycles only to find run-time errors as well. */
static void prepare_reduction(struct search *search)
{
    struct model *model = search->model;
    struct twophase *twophase = mem_alloc(model->mem, sizeof *twophase);
    bool *visible = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        const struct property_result *entry = &search->task->properties[i];
        if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) continue;
        process_model_see(model, entry->property->root, visible);
        twophase->branching |= entry->kind == PROPERTY_CTL && !entry->in_each_state;
    }
    twophase->any_cycles = search->task->reduction == REDUCE_DEADLOCK && !any_rule_fails(model);
    twophase->found = reduced_found;
    twophase->step = reduced_step;
    twophase->expanded = reduced_expanded;
    twophase->go_on = reduced_go_on;
    twophase->context = search;
    twophase_init(twophase, &search->space, search->result, visible);
    mem_free(model->mem, visible);
    search->twophase = twophase;
    search->result->reduction = search->task->reduction;
    search->result->has_depth = false;
}

/* ---- temporal properties ---- */

static bool go_on(void *context)
{
    struct search *search = context;
    search->poll_in = 0;
    return poll(search, search->result->depth);
}

/* A deadlocked state repeats for ever, so a path that takes such a step says nothing new from there on. */
static void cut_repetition(struct search *search, struct kripke_path *path)
{
    for (uint32_t i = 0; i + 1 < path->states.len; i++) {
        uint32_t state = path->states.data[i];
        if (state != path->states.data[i + 1] || space_rule_between(&search->space, state, state) != MODEL_NONE) continue;
        path->states.len = i + 1;
        path->loop = i;
    }
}

static struct trace *trace_of_path(struct search *search, struct kripke_path *path)
{
    cut_repetition(search, path);
    struct trace *trace = make_trace(search, path->states.data, path->states.len);
    uint32_t last = path->states.data[path->states.len - 1];
    trace->loop = path->loop;
    if (path->loop != MODEL_NONE) trace->rules[trace->steps] = space_rule_between(&search->space, last, path->states.data[path->loop]);
    return trace;
}

/* Expands every state once more; its successors are known. */
static bool fill_next(struct search *search, struct kripke *kripke, uint64_t edges)
{
    struct space *space = &search->space;
    uint64_t at = 0;
    for (uint32_t s = 0; s < kripke->states; s++) {
        struct program_cursor cursor;
        const struct fast_rule *fast;
        enum step step;
        if (s % KRIPKE_POLL == 0 && !go_on(search)) return false;
        kripke->first_next[s] = at;
        space_load(space, s);
        program_start(&space->program, &cursor);
        while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast)) != STEP_NONE) {
            if (step != STEP_TAKEN || (search->twophase && !twophase_keeps(search->twophase, s, fast->rule))) continue;
            uint32_t to = store_find(&space->store, space->next, store_hash(space->next, space->layout.record_bytes));
            assert(to < kripke->states && at < edges);
            kripke->next[at++] = to;
        }
        if (at == kripke->first_next[s]) kripke->next[at++] = s;
    }
    kripke->first_next[kripke->states] = at;
    assert(at == edges);
    return true;
}

static bool build_graph(struct search *search, struct kripke *kripke)
{
    const struct result *result = search->result;
    uint64_t edges = result->transitions + result->deadlocks + result->ends;
    if (!kripke_init(kripke, search->model->mem, search->space.store.count, (uint32_t)result->initial_states, edges)) return false;
    bool good = fill_next(search, kripke, edges);
    if (good) kripke_transpose(kripke);
    else kripke_release(kripke);
    return good;
}

static uint64_t *true_states(void *context, expr atom, bool *failed)
{
    struct search *search = context;
    struct space *space = &search->space;
    uint32_t code = program_compile(&space->program, atom);
    uint64_t *set = mem_try_alloc(search->model->mem, (space->store.count / 64 + 1) * sizeof *set);
    *failed = false;
    for (uint64_t s = 0; set && s < space->store.count; s++) {
        int64_t value;
        space_load(space, (uint32_t)s);
        if (!program_run(&space->program, code, space->words, &value)) {
            *failed = true;
            mem_free(search->model->mem, set);
            return NULL;
        }
        if (value) kripke_put(set, (uint32_t)s);
    }
    return set;
}

static void check_temporal(struct search *search, struct kripke *kripke, struct property_result *entry)
{
    struct temporal temporal = {.model = search->model, .kripke = kripke, .atom = true_states, .context = search, .path.loop = MODEL_NONE};
    bool is_ctl = entry->kind == PROPERTY_CTL;
    struct mem *mem = search->model->mem;
    const uint64_t limit = mem->limit;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (setjmp(recover)) { /* what the search has found so far must not be lost: this property stays unknown, or loses its trace */
        mem->recover = outer;
        mem->limit = limit;
        entry->trace = NULL;
        if (search->result->stop == STOP_NONE) search->result->stop = STOP_MEMORY;
        entry->reason = stop_reason_text[STOP_MEMORY];
        return;
    }
    mem->recover = &recover;
    switch (is_ctl ? ctl_check(&temporal, entry->property->root) : ltl_check(&temporal, entry->property->root)) {
    case TEMPORAL_HOLDS: entry->verdict = VERDICT_HOLDS; break;
    case TEMPORAL_VIOLATED:
        search->model->mem->limit = 0;
        entry->verdict = VERDICT_VIOLATED;
        entry->trace = trace_of_path(search, &temporal.path);
        entry->has_end = temporal.has_end;
        entry->end = temporal.end;
        entry->end_value = temporal.end_value;
        search->model->mem->limit = limit;
        break;
    case TEMPORAL_REFUSED:
        if (search->result->stop == STOP_NONE) search->result->stop = STOP_MEMORY;
        entry->reason = stop_reason_text[search->result->stop];
        break;
    case TEMPORAL_FAILED: entry->reason = result_cannot_evaluate; break;
    case TEMPORAL_BEYOND: entry->reason = temporal.reason; break;
    }
    vec_free(mem, &temporal.path.states);
    mem->recover = outer;
}

/* On the graph of a complete search. A limit that is reached here leaves the state space complete and the property unknown. */
static void check_temporals(struct search *search)
{
    struct result *result = search->result;
    struct kripke kripke = {.go_on = go_on, .context = search};
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < search->task->property_count; i++) wanted += !search->task->properties[i].in_each_state;
    if (!wanted || result->stop != STOP_NONE) return;
    search->phase = "the temporal properties";
    bool built = build_graph(search, &kripke);
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        struct property_result *entry = &search->task->properties[i];
        if (entry->in_each_state) continue;
        search->phase = entry->property->name;
        if (search->task->stop_at_first && result_overall(search->task->properties, search->task->property_count) == VERDICT_VIOLATED) {
            result->stop = STOP_FIRST;
            entry->reason = stop_reason_text[STOP_FIRST];
            continue;
        }
        if (built && (result->stop == STOP_NONE || result->stop == STOP_MEMORY)) check_temporal(search, &kripke, entry);
        else entry->reason = stop_reason_text[result->stop == STOP_NONE ? STOP_MEMORY : result->stop];
    }
    if (built) kripke_release(&kripke);
    else if (result->stop == STOP_NONE) result->stop = STOP_MEMORY;
    search->phase = NULL;
}

/* ---- before and after ---- */

static void add_monitor(struct search *search, uint32_t property, expr e, bool is_antecedent)
{
    uint32_t m = search->monitor_count++;
    search->monitors[m] = (struct monitor){property, program_compile(&search->space.program, e), is_antecedent, true, false};
    unsigned bit = m < MONITOR_BITS ? m : MONITOR_BITS - 1;
    program_watch(&search->space.program, e, bit);
    search->active |= UINT64_C(1) << bit;
}

static void prepare_properties(struct search *search)
{
    struct task *task = search->task;
    search->monitors = mem_alloc(search->model->mem, (2 * (uint64_t)task->property_count + 1) * sizeof *search->monitors);
    search->deadlock = search->runtime_error = MODEL_NONE;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        search->undecided += !entry->watched_only;
        if (entry->has_antecedent) add_monitor(search, i, entry->antecedent, true);
        if (!entry->in_each_state) continue; /* after the search, on the whole graph */
        if (entry->kind == PROPERTY_DEADLOCK) search->deadlock = i;
        else if (entry->kind == PROPERTY_RUNTIME_ERROR) search->runtime_error = i;
        else add_monitor(search, i, entry->invariant, false);
    }
}

/* What a complete search did not refute holds. */
static void conclude(struct search *search)
{
    struct result *result = search->result;
    result->complete = result->stop == STOP_NONE;
    for (uint32_t m = 0; m < search->monitor_count; m++) {
        struct property_result *entry = &search->task->properties[search->monitors[m].property];
        if (search->monitors[m].failed && !search->monitors[m].is_antecedent && entry->verdict == VERDICT_UNKNOWN) entry->reason = result_cannot_evaluate;
    }
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        struct property_result *entry = &search->task->properties[i];
        if (entry->verdict == VERDICT_UNKNOWN && !entry->reason) {
            if (result->all_states) entry->verdict = VERDICT_HOLDS;
            else entry->reason = stop_reason_text[result->stop];
        }
    }
    for (uint32_t m = 0; m < search->monitor_count; m++)
        if (search->monitors[m].is_antecedent && search->monitors[m].active && result->all_states)
            search->task->properties[search->monitors[m].property].vacuous = search->task->properties[search->monitors[m].property].verdict == VERDICT_HOLDS;
}

static void release(struct search *search)
{
    struct mem *mem = search->model->mem;
    store_release(&search->space.store);
    parents_release(&search->parents);
    program_release(&search->space.program);
    layout_release(&search->space.layout, search->model);
    if (search->twophase) twophase_release(search->twophase);
    mem_free(mem, search->twophase);
    mem_free(mem, search->findings);
    mem_free(mem, search->monitors);
    mem_free(mem, search->space.words);
    mem_free(mem, search->space.next);
    mem_free(mem, search->batch);
    mem_free(mem, search->values);
    mem_free(mem, search->stack);
}

/* One search, reduced when the task says so and then for all its properties. */
static void run_once(struct task *task, const struct explicit_graph *graph, struct result *result)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    uint64_t limit = mem->limit;
    struct search *search = mem_alloc(mem, sizeof *search);
    memset(result, 0, sizeof *result);
    search->task = task;
    search->model = search->space.model = model;
    search->result = result;
    search->graph = graph;
    search->started = search->last_progress = clock_now();
    result->engine = "explicit";
    result->has_depth = task->order != ORDER_DFS;
    result->taken = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    layout_init(&search->space.layout, model);
    program_init(&search->space.program, model, &search->space.layout);
    parents_init(&search->parents, mem);
    prepare_properties(search);
    if (model->has_final) search->final = program_compile(&search->space.program, model->final);
    search->poll_interval = model->rules.len < POLL_RULES / POLL_STATES ? POLL_STATES : POLL_RULES / model->rules.len + 1;
    search->space.words = mem_alloc(mem, search->space.layout.words * sizeof *search->space.words);
    search->space.next = mem_alloc(mem, search->space.layout.words * sizeof *search->space.next);
    search->batch = mem_alloc(mem, (size_t)BATCH * search->space.layout.words * sizeof *search->batch);
    search->values = mem_alloc(mem, (model->vars.len + 1) * sizeof *search->values);
    search->findings = mem_alloc(mem, (search->monitor_count + 1) * sizeof *search->findings);
    if (task->reduction != REDUCE_NONE) prepare_reduction(search);
    if (!store_init(&search->space.store, mem, search->space.layout.record_bytes)) stop(search, STOP_MEMORY);
    else if (add_initial_states(search, search->findings)) {
        if (search->twophase) twophase_run(search->twophase);
        else if (task->order != ORDER_DFS) breadth_first(search, search->findings);
        else depth_first(search, search->findings);
    }
    result->states = search->space.store.count;
    result->all_states = result->stop == STOP_NONE;
    check_temporals(search);
    result->seconds = clock_now() - search->started;
    result->peak_bytes = mem->peak;
    mem->limit = 0;
    result->record_bytes = search->space.layout.record_bytes;
    result->state_bits = search->space.layout.state_bits;
    result->levels = search->levels;
    result->level_count = search->level_count;
    reached_find(model, &search->space.layout, &search->space.store, result);
    conclude(search);
    release(search);
    mem_free(mem, search);
    mem->limit = limit;
}

/* ---- with and without reduction ---- */

/* Why the reduction that was asked for does not keep this property; NULL: it does. */
static const char *why_not_reduced(const struct task *task, const struct property_result *entry)
{
    if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) return NULL;
    if (task->reduction == REDUCE_DEADLOCK) return "without reduction: --reduce deadlock keeps deadlocks and run-time errors only";
    if (process_model_has_next(task->model, entry->property->root)) return "without reduction: it has X";
    if (task->weakly_fair && !entry->in_each_state) return "without reduction: fairness is not kept";
    return NULL;
}

/* The properties that the reduction keeps first; returns how many. `from` gets the old positions. */
static uint32_t split_properties(const struct task *task, struct property_result *sorted, uint32_t *from)
{
    uint32_t count = 0, kept = 0;
    for (unsigned refused = 0; refused < 2; refused++)
        for (uint32_t i = 0; i < task->property_count; i++) {
            const char *why = why_not_reduced(task, &task->properties[i]);
            if (refused != (why != NULL)) continue;
            from[count] = i;
            sorted[count] = task->properties[i];
            sorted[count++].method = why;
            kept += !why;
        }
    return kept;
}

/* The properties that the reduction does not keep, on all states. Counts stay those of the reduced search. */
static void run_unreduced(struct task *task, const struct task *reduced, struct result *result)
{
    struct result full;
    bool violated = result_overall(reduced->properties, reduced->property_count) == VERDICT_VIOLATED;
    if (task->stop_at_first && violated) result->stop = STOP_FIRST;
    if (task->max_seconds > 0) {
        task->max_seconds -= result->seconds;
        if (task->max_seconds <= 0) result->stop = STOP_TIME;
    }
    if (result->stop != STOP_NONE && result->stop != STOP_DECIDED) {
        result->complete = false;
        for (uint32_t i = 0; i < task->property_count; i++) task->properties[i].reason = stop_reason_text[result->stop];
        return;
    }
    run_once(task, NULL, &full);
    result->unreduced_properties = task->property_count;
    result->unreduced_states = full.states;
    result->seconds += full.seconds;
    result->complete &= full.complete;
    if (result->stop == STOP_NONE) result->stop = full.stop;
    if (full.peak_bytes > result->peak_bytes) result->peak_bytes = full.peak_bytes;
    if (full.broken) result->broken = full.broken;
}

static void run_reduced(struct task *task, const struct explicit_graph *graph, struct result *result)
{
    struct mem *mem = task->model->mem;
    struct property_result *sorted = mem_alloc(mem, (task->property_count + UINT64_C(1)) * sizeof *sorted);
    uint32_t *from = mem_alloc(mem, (task->property_count + UINT64_C(1)) * sizeof *from);
    uint32_t kept = split_properties(task, sorted, from), asked = 0;
    for (uint32_t i = 0; i < kept; i++) asked += !sorted[i].watched_only;
    struct task reduced = *task, unreduced = *task;
    reduced.properties = sorted;
    unreduced.reduction = REDUCE_NONE;
    if (task->property_count && !asked) { /* nothing to reduce for: one search, of all states */
        reduced = unreduced;
        reduced.properties = sorted;
        run_once(&reduced, graph, result);
    } else {
        reduced.property_count = kept;
        run_once(&reduced, graph, result);
        unreduced.properties = sorted + kept;
        unreduced.property_count = task->property_count - kept;
        if (unreduced.property_count) run_unreduced(&unreduced, &reduced, result);
    }
    for (uint32_t i = 0; i < task->property_count; i++) task->properties[from[i]] = sorted[i];
    mem_free(mem, sorted);
    mem_free(mem, from);
}

void explicit_run(struct task *task, const struct explicit_graph *graph, struct result *result)
{
    if (task->reduction == REDUCE_NONE) run_once(task, graph, result);
    else run_reduced(task, graph, result);
}
