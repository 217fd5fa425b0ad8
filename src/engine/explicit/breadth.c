/* Breadth-first search within a partition. The store is the queue:
 * states are expanded in the order of their numbers.
 *
 * Looking up a successor is two cache misses, the slot and the record. So states are expanded some
 * in advance: slots are fetched while successors are collected, records when the batch is full, and
 * only then everything is looked up, in the order in which it would have been without a batch.
 *
 * Invariants: (1) states before the cursor are expanded or in the batch; (2) in plain breadth-first
 * order the parents log has one zero per stored state, in the order of numbers. */
#include "engine/explicit/partition.h"

/* Adds a successor: step number `step` of the expansion's state. */
static enum store_result add(struct search *search, const struct expansion *expansion,
                             const struct successor *successor, const uint64_t *words,
                             uint32_t step, uint32_t *index)
{
    if (search->partition)
        return partition_add(search->partition, successor, words, expansion->state, step, index);
    enum store_result added = store_add32(search->space.store, words, successor->hash, index);
    bool refused =
        added == STORE_REFUSED || (added == STORE_NEW && !parents_found(&search->parents));
    if (!refused) return added;
    visit_stop(search, STOP_MEMORY);
    return STORE_REFUSED;
}

static bool look_up(struct search *search, const struct expansion *expansion, uint32_t first)
{
    for (uint32_t i = first; i < first + expansion->successors; i++) {
        const uint64_t *words = search->batch + (size_t)i * search->space.layout.words;
        const struct successor *successor = &search->successors[i];
        uint32_t index = (uint32_t)successor->guess;
        bool known = successor->point == MODEL_NONE
                     && store_has(search->space.store, successor->guess, words);
        enum store_result added =
            known ? STORE_KNOWN
                  : add(search, expansion, successor, words, expansion->before + i - first, &index);
        if (added == STORE_REFUSED) return false;
        search->result->transitions++;
        search->result->taken[successor->fast->rule]++;
        if (added == STORE_NEW) {
            visit_tell_state(search, index, words);
            uint64_t bits = successor->fast->touches & search->active;
            if (bits) visit_watch(search, bits, words, index);
        }
        if (search->graph)
            search->graph->edge(search->graph->context, expansion->state, successor->fast->rule,
                                index);
    }
    return true;
}

/* All successors of the state are known. */
void breadth_finish(struct search *search, const struct expansion *expansion)
{
    if (!expansion->enabled) visit_dead_end(search, expansion->state);
    if (expansion->failures) {
        visit_rule_failed(search, expansion->state, expansion->failed);
        search->result->runtime_errors += expansion->failures - 1;
    }
    search->result->expanded++;
}

/* Looks up everything that was collected. `open`: the last state has more successors to come. */
static bool flush(struct search *search, bool open)
{
    uint32_t first = 0;
    bool going = true;
    for (uint32_t i = 0; going && i < search->batch_size; i++)
        search->successors[i].guess = store_guess(search->space.store, search->successors[i].hash);
    for (uint32_t i = 0; going && i < search->expansion_count; i++) {
        struct expansion *expansion = &search->expansions[i];
        if (!search->partition && !expansion->begun && !parents_expand(&search->parents))
            going = visit_stop(search, STOP_MEMORY);
        going = going && look_up(search, expansion, first);
        first += expansion->successors;
        expansion->begun = true;
        expansion->before += expansion->successors;
        expansion->successors = 0;
        if (going && open && i + 1 == search->expansion_count) break;
        visit_report_findings(search); /* also when memory has just run out */
        if (going) breadth_finish(search, expansion);
    }
    if (open && search->expansion_count)
        search->expansions[0] = search->expansions[search->expansion_count - 1];
    search->expansion_count = open ? 1 : 0;
    search->batch_size = 0;
    return going;
}

bool breadth_flush(struct search *search) { return flush(search, false); }

bool breadth_expand(struct search *search, uint32_t state)
{
    struct program_cursor cursor;
    const struct fast_rule *fast;
    if (search->expansion_count == VISIT_BATCH && !flush(search, false)) return false;
    struct expansion *expansion = &search->expansions[search->expansion_count++];
    *expansion = (struct expansion){.state = state};
    space_load(&search->space, state);
    program_start(&search->space.program, &cursor);
    for (;;) {
        uint64_t *next = search->batch + (size_t)search->batch_size * search->space.layout.words;
        enum step step =
            program_next(&search->space.program, &cursor, search->space.words, next, &fast);
        if (step == STEP_NONE) return true;
        if (step == STEP_FAILED) {
            if (!expansion->failures++) expansion->failed = fast->rule;
            continue;
        }
        struct successor *successor = &search->successors[search->batch_size++];
        *successor = (struct successor){fast, store_hash(next, search->space.layout.key_bytes),
                                        MODEL_NONE, STORE_NONE};
        if (search->partition)
            successor->point = points_of(search->task->points, &search->space.layout, fast->rule,
                                         search->space.words, next);
        store_prefetch(search->space.store, successor->hash);
        expansion->enabled = true;
        expansion->successors++;
        if (search->batch_size < VISIT_BATCH) continue;
        if (!flush(search, true)) return false;
        expansion = &search->expansions[0];
        space_load(&search->space, state); /* a counterexample may have used the buffer */
    }
}
