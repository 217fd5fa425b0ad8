/* The problem: n processes that each take k steps of their own, which nobody else notices, have (k
 * + 1)^n states and one behaviour. The method, Two-Phase (Nalumasu and Gopalakrishnan; algorithm
 * 3.1 of the Milestones thesis), takes such steps one process after the other (phase 1) and expands
 * a state in full only where no more of them can be taken (phase 2).
 *
 * A state is expanded partially by a process when its enabled rules are safe
 * (reduce/process_model.h). Then they are an ample set:
 *   C0  there is one;
 *   C1  whatever the others do first is independent of them and cannot enable or disable a rule of
 *       the process where it stands;
 *   C2  they change nothing that a property reads;
 *   C3  a cycle of the reduced graph has a state that is expanded in full: no step is put off for
 *       ever;
 *   C4  for branching time, there is one rule. The thesis wants a rule that is alone wherever it is
 *       enabled (linear); being alone in this state is enough.
 * With C0 to C3 LTL without X and run-time errors are kept, with C4 also CTL without X, with C0 and
 * C1 deadlocks. The set depends on the state of the model only, never on an automaton: reducing the
 * product with an automaton would be unsound (Siegel, CAV 2019).
 *
 * Phase 1 is a depth-first search along partial expansions that ends in states expanded in full, in
 * states known from earlier and in states of other sets. A process one of whose successors is on
 * the current path would close a cycle; then the next process is tried, as in Listing 3.1.
 * Differences from it:
 *  - with several safe rules enabled (allowed for LTL) phase 1 is a tree, not a path;
 *  - it ends at any state expanded before, not only at those of the same phase 1: that state
 *    already leads to full expansions. So a state is expanded once, the search is linear in the
 *    size of the reduced graph, and a state has either all its steps or those of one process, never
 *    both. In the Listing a state passed through in one phase 1 may be expanded by another process
 *    or in full in a later one and then has the steps of both, which is also sound: more steps of
 *    the model do no harm;
 *  - the step that closes a cycle is dropped in the Listing and here, unless its state comes to be
 *    expanded in full. The endless run of local steps is not lost: the process can take them as
 *    well after the steps of the others that follow.
 *
 * Several sets. A search may expand one set after the other, if no step leads back to an earlier
 * one: so it is with the clusters of past-freeze order, whose ranks never become smaller. Then a
 * cycle lies within one set, C3 is about each of them by itself, and a step that leaves the set
 * cannot close a cycle. A way of partial expansions through several sets is finite, too: it is so
 * in each of them, and there are finitely many.
 *
 * Partitions. P-points lead to states that are expanded later, in whatever order, and maybe back.
 * They are never taken alone: so a cycle with a p-point has a state that is expanded in full, and
 * every p-path of the model is one of the reduced graph. What is left of a cycle lies in one
 * partition, and in one epoch of it, if an epoch ends only where all that was expanded in part
 * leads to full expansions: then the states that wait have been found by these. A state may be
 * expanded again in a later epoch, by another process. What counts is its first expansion: it
 * leads to states whose first expansion is in the same epoch or an earlier one, so that a cycle of
 * partial first expansions would be within one epoch, where there is none; further steps do no
 * harm. Where memory is short, what is left of a walk is expanded in full; when even that does not
 * fit, everything that waits is expanded in full in the epochs that follow.
 *
 * Waiting states are found in the set in the order of their numbers, as in breadth-first order; but
 * numbers are no order of expansion, hence an explicit parent: with the process, 8 bytes per state
 * of the set at hand.
 *
 * Invariants:
 *  1. a state's ample set is WAITING, FULL or a process, the latter with ON_PATH while it is on the
 *     current path;
 *  2. a state that is neither WAITING nor ON_PATH leads, by partial expansions alone, to FULL
 *     states and to other sets only, on acyclic ways (unless any_cycles);
 *  3. when the states of a set are expanded, none of it is WAITING or ON_PATH. */
#include "search/ample.h"

#include "base/checked.h"
#include "reduce/process_model.h"
#include "search/order.h"

#include <assert.h>
#include <string.h>

/* Per state: 40 bits of parent + 1 (0: it is initial), a bit ON_PATH, 23 bits of ample set. */
enum { PARENT_BITS = 40 };
#define ON_PATH (UINT64_C(1) << PARENT_BITS)
static const uint64_t WAITING = 0x7FFFFF, FULL = 0x7FFFFE;

struct frame {
    uint64_t state;
    uint32_t from; /* processes before this one are not looked at */
    bool leave;    /* everything behind this state is done */
};

struct ample {
    struct process_model process_model;
    bool branching;  /* a partial expansion takes one rule: CTL needs it */
    bool any_cycles; /* a cycle may consist of partial expansions only: deadlocks do not mind */
    bool is_paused;  /* states are expanded in full for a while */
    bool by_points;  /* a step with a tag is a p-point, which is not taken alone */
    uint64_t *entries;
    uint64_t known, room; /* states with an entry; entries there is room for */
    struct frame *stack;
    uint64_t stack_len, stack_room;
    uint64_t process; /* that expands the state at hand, or FULL */
};

static uint64_t ample_of(const struct ample *own, uint64_t state)
{
    return own->entries[state] >> (PARENT_BITS + 1);
}

static void set_ample(struct ample *own, uint64_t state, uint64_t ample, uint64_t on_path)
{
    const uint64_t parent = own->entries[state] & (ON_PATH - 1);
    own->entries[state] = ample << (PARENT_BITS + 1) | on_path | parent;
}

bool ample_keeps(const struct ample *own, uint64_t state, uint32_t rule)
{
    const uint64_t ample = ample_of(own, state);
    assert(ample != WAITING && !(own->entries[state] & ON_PATH)); /* (1) */
    return ample == FULL || own->process_model.rules[rule].process == ample;
}

/* ---- before and after ---- */

static bool any_rule_fails(const struct model *model)
{
    bool fails = false;
    for (uint32_t r = 0; r < model->rules.len; r++) fails |= model_rule_may_fail(model, r);
    return fails;
}

/* One reduced graph for all properties of the task: what any of them reads is visible, and one CTL
 * formula makes it keep branching time. A search for deadlocks must mind cycles only to find
 * run-time errors as well. */
struct ample *ample_make(struct search *search)
{
    struct model *model = search->model;
    const struct task *task = search->task;
    struct result *result = search->result;
    struct ample *own = mem_alloc(model->mem, sizeof *own);
    bool *visible = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) continue;
        process_model_see(model, entry->property->root, visible);
        own->branching |= entry->kind == PROPERTY_CTL && !entry->in_each_state;
    }
    own->by_points = task->points != NULL;
    if (task->order == ORDER_PAST_FREEZE || task->points)
        own->branching = false; /* it decides no such formula */
    own->branching |= task->keep == KEEP_CTL;
    own->any_cycles = task->reduction == REDUCE_DEADLOCK && !any_rule_fails(model);
    process_model_init(&own->process_model, model, visible);
    assert(model->processes.len < FULL);
    mem_free(model->mem, visible);
    own->process = FULL;
    result->reduction = task->reduction;
    result->keeps = task->reduction == REDUCE_DEADLOCK ? KEEP_DEADLOCK
                    : own->branching                   ? KEEP_CTL
                                                       : KEEP_LTL;
    if (!task->property_count) result->kept = process_model_kept(&own->process_model);
    search->lot.most_states = 1;
    search->lot.most_steps = UINT32_MAX;
    return own;
}

void ample_free(struct search *search, struct ample *own)
{
    struct mem *mem = search->model->mem;
    process_model_release(&own->process_model);
    mem_free(mem, own->entries);
    mem_free(mem, own->stack);
    mem_free(mem, own);
}

uint64_t ample_parent(const struct ample *own, uint64_t state)
{
    const uint64_t parent = state < own->known ? own->entries[state] & (ON_PATH - 1) : 0;
    return parent ? parent - 1 : SET_NONE;
}

/* ---- tables that grow ---- */

/* Whether the order could give memory back. */
static bool is_relieved(struct search *search)
{
    return search->order->relieve && search->order->relieve(search);
}

/* Gives all states of the set an entry, the new ones this parent. */
static bool know_states(struct search *search, struct ample *own, uint64_t parent)
{
    const uint64_t count = search->set->count;
    for (uint64_t part = 2; count > own->room;) {
        uint64_t room = count + count / part + 64;
        uint64_t *entries =
            mem_try_resize(search->model->mem, own->entries, room * sizeof *entries);
        if (!entries && part == 2) {
            part = 16; /* less will do for now */
            continue;
        }
        if (!entries && is_relieved(search)) continue;
        if (!entries) return poll_stop(search, STOP_MEMORY);
        own->entries = entries;
        own->room = room;
    }
    assert(own->known <= count && count < (UINT64_C(1) << PARENT_BITS) - 1);
    for (; own->known < count; own->known++)
        own->entries[own->known] = WAITING << (PARENT_BITS + 1) | (parent + 1);
    return true;
}

static bool push(struct search *search, struct ample *own, uint64_t state, uint32_t from,
                 bool leave)
{
    while (own->stack_len == own->stack_room) {
        uint64_t room = own->stack_room + own->stack_room / 2 + 64;
        struct frame *stack = mem_try_resize(search->model->mem, own->stack, room * sizeof *stack);
        if (!stack && is_relieved(search)) continue;
        if (!stack) return poll_stop(search, STOP_MEMORY);
        own->stack = stack;
        own->stack_room = room;
    }
    own->stack[own->stack_len++] = (struct frame){state, from, leave};
    return true;
}

/* ---- one state ---- */

static uint32_t process_of(const struct ample *own, const struct batch_step *step)
{
    return own->process_model.rules[step->fast->rule].process;
}

/* Whether the process may expand the state alone: C3 and C4; that its rules are safe is C0 to
 * C2. */
static bool may_expand(const struct search *search, const struct ample *own, uint64_t state,
                       uint32_t process)
{
    const struct batch *batch = &search->worker->batch;
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < batch->step_count; i++) {
        if (process_of(own, &batch->steps[i]) != process) continue;
        if (enabled++ && own->branching) return false;
        if (own->by_points && batch->steps[i].tag != MODEL_NONE) return false;
        if (own->any_cycles || batch->steps[i].set != search->set) continue;
        uint64_t to = search->set->kind->find(search->worker, i);
        if (to == state || (to < own->known && own->entries[to] & ON_PATH)) return false;
    }
    return true;
}

/* The process that expands the state, or FULL. Those that the path has left behind are not tried
 * again: they would only go round their cycles once more. */
static uint64_t choose(const struct search *search, const struct ample *own, uint64_t state,
                       uint32_t from)
{
    const struct batch *batch = &search->worker->batch;
    for (;;) {
        uint64_t process = FULL;
        for (uint32_t i = 0; i < batch->step_count; i++) {
            uint32_t other = process_of(own, &batch->steps[i]);
            if (other != MODEL_NONE && other >= from && other < process) process = other;
        }
        if (process == FULL || may_expand(search, own, state, (uint32_t)process)) return process;
        from = (uint32_t)process + 1;
    }
}

/* Leaves the steps of the process alone in the batch. */
static void keep_steps(struct search *search, const struct ample *own, uint64_t process)
{
    struct batch *batch = &search->worker->batch;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < batch->step_count; i++)
        if (process_of(own, &batch->steps[i]) == process) batch_move(batch, i, kept++);
    batch->states[0].steps = batch->step_count = kept;
}

bool ample_log(struct search *search, struct ample *own, const struct worker *worker,
               const struct batch_state *state, uint32_t first, uint32_t end)
{
    if (!know_states(search, own, state->state)) return false;
    for (uint32_t i = first; i < end && own->process != FULL; i++) {
        const struct batch_step *step = &worker->batch.steps[i];
        if (step->set != search->set || ample_of(own, step->to) != WAITING) continue;
        if (!push(search, own, step->to, (uint32_t)own->process, false)) return false;
    }
    return true;
}

static bool expand(struct search *search, struct ample *own, uint64_t state, uint32_t from)
{
    struct worker *worker = search->worker;
    const struct batch *batch = &worker->batch;
    uint32_t next;
    while (!search->space->kind->expand(worker, search->set, state))
        if (!is_relieved(search)) return poll_stop(search, STOP_MEMORY);
    if (search->order->place) search->order->place(search, worker, 0, batch->step_count);
    search->set->kind->prefetch(worker, 0, batch->step_count);
    assert(ample_of(own, state) == WAITING && !(own->entries[state] & ON_PATH)); /* (1) */
    own->process =
        own->is_paused || search_pauses(search) ? FULL : choose(search, own, state, from);
    set_ample(own, state, own->process, own->process == FULL ? 0 : ON_PATH);
    bool good = own->process == FULL || push(search, own, state, (uint32_t)own->process, true);
    if (own->process != FULL) keep_steps(search, own, own->process);
    good = good && search_add(search, worker, 0, 1, &next);
    batch_clear(&worker->batch);
    if (!good) set_ample(own, state, WAITING, 0); /* it did not happen, or all ends */
    return good;
}

/* ---- all of them ---- */

/* Phase 1 from a waiting state, until everything that it passes through leads to full
 * expansions. */
static bool walk(struct search *search, struct ample *own, uint64_t state)
{
    if (!push(search, own, state, 0, false)) return false;
    while (own->stack_len) {
        const struct frame frame = own->stack[--own->stack_len];
        if (frame.leave) set_ample(own, frame.state, ample_of(own, frame.state), 0);
        else if (ample_of(own, frame.state) != WAITING)
            continue; /* met again on another way in the meantime */
        else if (!search_goes_on(search) || !expand(search, own, frame.state, frame.from))
            return false;
    }
    return true;
}

bool ample_check(const struct ample *own)
{
    for (uint64_t s = 0; s < own->known; s++)
        if (ample_of(own, s) == WAITING || own->entries[s] & ON_PATH) return false;
    return !own->stack_len;
}

bool ample_expand_from(struct search *search, struct ample *own, uint64_t *cursor)
{
    own->process = FULL;
    assert(!own->stack_len);
    if (!know_states(search, own, SET_NONE)) return false;
    for (; *cursor < own->known; ++*cursor) {
        if (ample_of(own, *cursor) != WAITING) continue;
        if (search_pauses(search)) return true;
        if (!walk(search, own, *cursor)) return false;
    }
    assert(own->known == search->set->count);
    CHECKED(ample_check(own)); /* (3) */
    return true;
}

bool ample_expand(struct search *search, struct ample *own)
{
    uint64_t cursor = 0;
    own->known = own->stack_len = 0;
    return ample_expand_from(search, own, &cursor) && cursor == own->known;
}

void ample_forget(struct search *search, struct ample *own)
{
    mem_free(search->model->mem, own->entries);
    own->entries = NULL;
    own->known = own->room = own->stack_len = 0;
}

void ample_pause(struct ample *own, bool is_paused) { own->is_paused = is_paused; }

bool ample_waits(const struct ample *own, uint64_t state)
{
    return state >= own->known || ample_of(own, state) == WAITING;
}

bool ample_waits_for_all(const struct ample *own)
{
    for (uint64_t s = 0; s < own->known; s++)
        if (ample_of(own, s) != WAITING) return false;
    return true;
}
