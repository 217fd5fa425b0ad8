#include "engine/bounded/proof.h"

#include <assert.h>
#include <string.h>

static void side_init(struct proof *proof, struct proof_side *side, bool from_anywhere,
                      const lit *outputs, uint32_t count, struct proof_poll poll)
{
    struct unroll_options options = {.from_anywhere = from_anywhere, .endless = proof->watcher};
    side->sat = sat_new(proof->mem, poll.go_on, poll.context);
    unroll_init(&side->u, proof->net, side->sat, &options, outputs, count);
    if (proof->watcher) watch_start(&side->watch, proof->watcher, &side->u);
}

static void side_release(struct proof_side *side)
{
    if (!side->sat) return;
    watch_release(&side->watch);
    unroll_release(&side->u);
}

void proof_init(struct proof *proof, struct net *net, lit bad, const struct watcher *watcher,
                bool with_base, const lit *possible_lemmas, uint32_t count, struct proof_poll poll)
{
    memset(proof, 0, sizeof *proof);
    proof->net = net;
    proof->mem = net->mem;
    proof->bad = bad;
    proof->watcher = watcher;
    proof->has_base = with_base;
    proof->base_conflicts = UINT32_MAX;
    lit *watched = NULL, *outputs;
    uint32_t watched_count = 0, n = 0;
    if (watcher) watcher_outputs(watcher, proof->mem, &watched, &watched_count);
    outputs = mem_alloc(proof->mem, (count + watched_count + UINT64_C(1)) * sizeof *outputs);
    for (uint32_t i = 0; i < count; i++) outputs[n++] = possible_lemmas[i];
    for (uint32_t i = 0; i < watched_count; i++) outputs[n++] = watched[i];
    outputs[n++] = bad;
    assert(n == count + watched_count + 1);
    if (with_base) side_init(proof, &proof->base, false, outputs, n, poll);
    side_init(proof, &proof->step, true, outputs, n, poll);
    mem_free(proof->mem, watched);
    mem_free(proof->mem, outputs);
}

void proof_release(struct proof *proof)
{
    side_release(&proof->base);
    side_release(&proof->step);
    vec_free(proof->mem, &proof->lemmas);
}

static int bad_at(const struct proof *proof, const struct proof_side *side, uint32_t position)
{
    return proof->watcher ? side->watch.bad.data[position]
                          : unroll_output(&side->u, position, proof->bad);
}

/* Goes on to the next position; all earlier ones are good. */
static void side_extend(struct proof *proof, struct proof_side *side)
{
    if (side->positions) {
        sat_add_1(side->sat, -bad_at(proof, side, side->positions - 1));
        unroll_extend(&side->u);
        if (proof->watcher) watch_extend(&side->watch);
    }
    side->positions++;
    assert(side->positions == unroll_last(&side->u) + 1);
}

static void assume_at(struct proof *proof, lit lemma, uint32_t position)
{
    assert(!proof->step.u.options.schedule.processes); /* 3 of bounded.c: steps of single rules */
    sat_add_1(proof->step.sat, unroll_output(&proof->step.u, position, lemma));
}

void proof_assume(struct proof *proof, lit lemma)
{
    vec_push(proof->mem, &proof->lemmas, lemma);
    for (uint32_t i = 0; i < proof->step.u.positions.len; i++) assume_at(proof, lemma, i);
}

static void extend_step(struct proof *proof)
{
    side_extend(proof, &proof->step);
    for (uint32_t i = 0; proof->step.positions > 1 && i < proof->lemmas.len; i++)
        assume_at(proof, proof->lemmas.data[i], proof->step.positions - 1);
}

/* ---- different states ---- */

static uint32_t extra_count(const struct proof *proof)
{
    return proof->watcher ? watch_block(proof->watcher) : 0;
}

static int part_at(const struct proof *proof, const struct proof_side *side, uint32_t position,
                   uint32_t part)
{
    uint32_t bits = proof->net->bits.total;
    return part < bits ? unroll_state(&side->u, position)[part]
                       : side->watch.blocks.data[position] + (int)(part - bits);
}

static void demand_difference(struct proof *proof, struct proof_side *side, uint32_t i, uint32_t j)
{
    uint32_t parts = proof->net->bits.total + extra_count(proof);
    int differ = sat_variables(side->sat, parts);
    for (uint32_t b = 0; b < parts; b++) {
        int x = part_at(proof, side, i, b), y = part_at(proof, side, j, b);
        sat_add_3(side->sat, -(differ + (int)b), x, y);
        sat_add_3(side->sat, -(differ + (int)b), -x, -y);
    }
    for (uint32_t b = 0; b < parts; b++) sat_add(side->sat, differ + (int)b);
    sat_add(side->sat, 0);
}

/* Demands of every position's state that it differs from an earlier one with which it is equal now.
 * False: all are different. */
static bool separate(struct proof *proof, struct proof_side *side)
{
    uint32_t parts = proof->net->bits.total + extra_count(proof), words = parts / 64 + 1,
             n = side->positions;
    uint64_t *states = mem_alloc(proof->mem, (uint64_t)words * n * sizeof *states);
    uint32_t *twin = mem_alloc(proof->mem, n * sizeof *twin);
    bool found = false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t b = 0; b < parts; b++)
            states[(uint64_t)i * words + b / 64] |=
                (uint64_t)sat_value(side->sat, part_at(proof, side, i, b)) << b % 64;
    for (uint32_t i = 0; i < n; i++) {
        twin[i] = i;
        for (uint32_t j = 0; j < i && twin[i] == i; j++)
            if (!memcmp(states + (uint64_t)i * words, states + (uint64_t)j * words,
                        words * sizeof *states))
                twin[i] = j;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (twin[i] == i) continue;
        demand_difference(proof, side, twin[i], i);
        found = true;
    }
    mem_free(proof->mem, states);
    mem_free(proof->mem, twin);
    return found;
}

/* ---- the two questions ---- */

static uint64_t conflicts_of(const struct proof_side *side)
{
    struct sat_statistics statistics;
    sat_get_statistics(side->sat, &statistics);
    return statistics.conflicts;
}

/* Whether a run ends in a bad state at the last position. With `simple`, no state comes twice. */
static enum sat_answer ask(struct proof *proof, struct proof_side *side, bool simple,
                           uint64_t max_conflicts)
{
    uint64_t end = conflicts_of(side) + max_conflicts, start = conflicts_of(side);
    enum sat_answer answer;
    do {
        uint64_t used = conflicts_of(side);
        if (used > end) return SAT_STOPPED;
        sat_limit_conflicts(side->sat, end - used);
        sat_assume(side->sat, bad_at(proof, side, side->positions - 1));
        answer = sat_solve(side->sat);
    } while (answer == SAT_YES && simple && separate(proof, side));
    proof->conflicts += conflicts_of(side) - start;
    return answer;
}

enum proof_answer proof_try(struct proof *proof, uint64_t max_conflicts)
{
    assert(!proof->has_base || proof->base.positions == proof->step.positions); /* in step */
    if (proof->has_base) {
        side_extend(proof, &proof->base);
        enum sat_answer reached = ask(proof, &proof->base, false, proof->base_conflicts);
        if (reached != SAT_NO) return reached == SAT_YES ? PROOF_FAILED : PROOF_STOPPED;
    }
    extend_step(proof);
    enum sat_answer answer = ask(proof, &proof->step, true, max_conflicts);
    if (answer == SAT_NO) return PROOF_DONE;
    return PROOF_OPEN;
}
