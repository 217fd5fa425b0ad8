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
 * Phase 1 is a depth-first search along partial expansions that ends in states expanded in full and
 * in states known from earlier. A process one of whose successors is on the current path would
 * close a cycle; then the next process is tried, as in Listing 3.1. Differences from it:
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
 * Waiting states are found in the store in the order of their numbers, as in the breadth-first
 * search; but numbers are no order of expansion, hence an explicit parent, 8 bytes per state in
 * all. Counterexamples are paths of the model, in general not shortest.
 *
 * Invariants:
 *  1. ample[s] is WAITING, FULL or a process, the latter with ON_PATH while s is on the current
 *     path;
 *  2. a state that is neither WAITING nor ON_PATH leads, by partial expansions alone, to FULL
 *     states only, on acyclic ways (unless any_cycles);
 *  3. result->transitions counts the steps of the reduced graph. */
#include "engine/explicit/twophase.h"

#include <assert.h>
#include <string.h>

#define ON_PATH UINT32_C(0x80000000)
static const uint32_t WAITING = 0x7FFFFFFF, FULL = 0x7FFFFFFE;

void twophase_init(struct twophase *twophase, struct space *space, struct result *result,
                   const bool *visible)
{
    twophase->space = space;
    twophase->result = result;
    process_model_init(&twophase->process_model, space->model, visible);
    assert(space->model->processes.len < FULL);
}

void twophase_release(struct twophase *twophase)
{
    struct mem *mem = twophase->space->model->mem;
    process_model_release(&twophase->process_model);
    mem_free(mem, twophase->ample);
    mem_free(mem, twophase->parents);
    mem_free(mem, twophase->stack);
    mem_free(mem, twophase->successors);
    mem_free(mem, twophase->words);
}

bool twophase_keeps(const struct twophase *twophase, uint32_t state, uint32_t rule)
{
    uint32_t ample = twophase->ample[state];
    assert(ample != WAITING && !(ample & ON_PATH));
    return ample == FULL || twophase->process_model.rules[rule].process == ample;
}

uint32_t twophase_parent(const struct twophase *twophase, uint32_t state)
{
    return state < twophase->known ? twophase->parents[state] : MODEL_NONE;
}

/* ---- tables that grow ---- */

static bool refuse(struct twophase *twophase)
{
    twophase->result->stop = STOP_MEMORY;
    return false;
}

/* Room for twice as many; *block is unchanged when memory is refused. */
static bool grow(struct twophase *twophase, void *block, uint64_t count, size_t size)
{
    void *old, *bigger;
    memcpy(&old, block, sizeof old);
    bigger = mem_try_resize(twophase->space->model->mem, old, count * size);
    if (!bigger) return refuse(twophase);
    memcpy(block, &bigger, sizeof bigger);
    return true;
}

/* Gives all stored states an entry, the new ones this parent. */
static bool know_states(struct twophase *twophase, uint32_t parent)
{
    uint64_t count = twophase->space->store->count;
    if (count > twophase->room) {
        uint64_t room = count + count / 2 + 64;
        if (!grow(twophase, &twophase->ample, room, sizeof *twophase->ample)) return false;
        if (!grow(twophase, &twophase->parents, room, sizeof *twophase->parents)) return false;
        twophase->room = room;
    }
    for (; twophase->known < count; twophase->known++) {
        twophase->ample[twophase->known] = WAITING;
        twophase->parents[twophase->known] = parent;
    }
    return true;
}

static bool push(struct twophase *twophase, uint32_t state, uint32_t from, bool leave)
{
    if (twophase->stack_len == twophase->stack_cap) {
        uint64_t cap = twophase->stack_cap + twophase->stack_cap / 2 + 64;
        if (!grow(twophase, &twophase->stack, cap, sizeof *twophase->stack)) return false;
        twophase->stack_cap = cap;
    }
    twophase->stack[twophase->stack_len++] = (struct twophase_frame){state, from, leave};
    return true;
}

static uint64_t *words_of(struct twophase *twophase, uint32_t i)
{
    return twophase->words + (size_t)i * twophase->space->layout.words;
}

static bool room_for_successor(struct twophase *twophase)
{
    if (twophase->successor_count < twophase->successor_cap) return true;
    uint32_t cap = 2 * twophase->successor_cap + 16;
    if (!grow(twophase, &twophase->successors, cap, sizeof *twophase->successors)) return false;
    if (!grow(twophase, &twophase->words, cap,
              twophase->space->layout.words * sizeof *twophase->words))
        return false;
    twophase->successor_cap = cap;
    return true;
}

/* ---- one state ---- */

struct failures {
    uint32_t count, first_rule;
};

static bool list_successors(struct twophase *twophase, uint32_t state, struct failures *failures)
{
    struct space *space = twophase->space;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    *failures = (struct failures){0, MODEL_NONE};
    twophase->successor_count = 0;
    space_load(space, state);
    program_start(&space->program, &cursor);
    for (;;) {
        if (!room_for_successor(twophase)) return false;
        uint64_t *next = words_of(twophase, twophase->successor_count);
        enum step step = program_next(&space->program, &cursor, space->words, next, &fast);
        if (step == STEP_NONE) return true;
        if (step == STEP_FAILED) {
            if (!failures->count++) failures->first_rule = fast->rule;
            continue;
        }
        uint64_t hash = store_hash(next, space->layout.record_bytes);
        store_prefetch(space->store, hash);
        twophase->successors[twophase->successor_count++] = (struct twophase_successor){
            fast, hash, twophase->process_model.rules[fast->rule].process};
    }
}

/* Whether the process may expand the state alone: C3 and C4; that its rules are safe is C0 to
 * C2. */
static bool may_expand(struct twophase *twophase, uint32_t state, uint32_t process)
{
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < twophase->successor_count; i++) {
        const struct twophase_successor *successor = &twophase->successors[i];
        if (successor->process != process) continue;
        if (enabled++ && twophase->branching) return false;
        if (twophase->any_cycles) continue;
        uint32_t to = store_find(twophase->space->store, words_of(twophase, i), successor->hash);
        if (to == state || (to < twophase->known && twophase->ample[to] & ON_PATH)) return false;
    }
    return true;
}

/* The process that expands the state, or FULL. Those that the path has left behind are not tried
 * again: they would only go round their cycles once more. */
static uint32_t choose(struct twophase *twophase, uint32_t state, uint32_t from)
{
    for (;;) {
        uint32_t process = FULL;
        for (uint32_t i = 0; i < twophase->successor_count; i++) {
            uint32_t other = twophase->successors[i].process;
            if (other != MODEL_NONE && other >= from && other < process) process = other;
        }
        if (process == FULL || may_expand(twophase, state, process)) return process;
        from = process + 1;
    }
}

/* Stores the successors by this process' rules, or all; those of a process are next on the path. */
static bool add_successors(struct twophase *twophase, uint32_t state, uint32_t process)
{
    struct space *space = twophase->space;
    for (uint32_t i = 0; i < twophase->successor_count; i++) {
        const struct twophase_successor *successor = &twophase->successors[i];
        uint32_t to;
        if (process != FULL && successor->process != process) continue;
        twophase->result->transitions++;
        twophase->result->taken[successor->fast->rule]++;
        enum store_result added =
            store_add(space->store, words_of(twophase, i), successor->hash, &to);
        if (added == STORE_REFUSED || !know_states(twophase, state)) return refuse(twophase);
        if (added == STORE_NEW)
            twophase->found(twophase->context, to, words_of(twophase, i), successor->fast);
        twophase->step(twophase->context, state, successor->fast->rule, to);
        if (process != FULL && twophase->ample[to] == WAITING
            && !push(twophase, to, process, false))
            return false;
    }
    return true;
}

static bool expand(struct twophase *twophase, uint32_t state, uint32_t from)
{
    struct failures failures;
    if (!list_successors(twophase, state, &failures)) return false;
    uint32_t process = choose(twophase, state, from);
    twophase->ample[state] = process == FULL ? FULL : process | ON_PATH;
    bool good = (process == FULL || push(twophase, state, process, true))
                && add_successors(twophase, state, process);
    twophase->expanded(twophase->context, state, twophase->successor_count, failures.count,
                       failures.first_rule);
    twophase->result->expanded += good;
    return good;
}

/* Phase 1 from a waiting state, until everything that it passes through leads to full
 * expansions. */
static bool walk(struct twophase *twophase, uint32_t state)
{
    if (!push(twophase, state, 0, false)) return false;
    while (twophase->stack_len) {
        struct twophase_frame frame = twophase->stack[--twophase->stack_len];
        if (frame.leave) twophase->ample[frame.state] &= ~ON_PATH;
        else if (twophase->ample[frame.state] != WAITING)
            continue; /* met again on another way in the meantime */
        else if (!twophase->go_on(twophase->context) || !expand(twophase, frame.state, frame.from))
            return false;
    }
    return true;
}

bool twophase_run(struct twophase *twophase)
{
    if (!know_states(twophase, MODEL_NONE)) return false;
    for (uint64_t s = 0; s < twophase->known; s++)
        if (twophase->ample[s] == WAITING && !walk(twophase, (uint32_t)s)) return false;
    return true;
}
