/* Each operation is a nondeterministic automaton over the states of its operands, made
 * deterministic by subset.h. What a configuration is:
 *  - seq, choice, repeat: a state of one of the operands, which are numbered one after the other;
 *  - par: a pair of states;
 *  - rep: a state s and the number c of rounds that are over, as s * high + c. Once `low` rounds
 *    are sure, a configuration allows all that one with the same state and more rounds over allows,
 *    so the latter is left out: sets stay as small as those of `repeat`;
 *  - in all of them NOTHING_LEFT: final, and nothing follows.
 * A final state that nothing follows is replaced by what may come after it, so that equal sets look
 * alike as early as possible. */
#include "automaton/guide/operate.h"

#include "automaton/guide/subset.h"

#include <assert.h>

static const uint64_t NOTHING_LEFT = UINT64_MAX;

enum build_status operate_skip(const struct operate *how, struct dfa *to)
{
    if (!dfa_alloc(to, how->mem, 1, 0)) return BUILD_REFUSED;
    dfa_set_final(to, 0);
    return BUILD_DONE;
}

enum build_status operate_event(const struct operate *how, uint32_t label, struct dfa *to)
{
    if (!dfa_alloc(to, how->mem, 2, 1)) return BUILD_REFUSED;
    to->first_edge[1] = to->first_edge[2] = 1;
    to->edge_label[0] = label;
    to->edge_to[0] = 1;
    if (how->prefixes) dfa_set_final(to, 0);
    dfa_set_final(to, 1);
    return BUILD_DONE;
}

/* ---- operands one after the other ---- */

struct row {
    const struct dfa *const *parts;
    uint32_t count;
    uint64_t *offset; /* [count + 1]: the number of the first state of each operand */
    bool or_nothing;
    /* Goes to a state of operand k with a label: what differs between operations on rows. */
    void (*emit)(struct subset *subset, const struct row *row, uint32_t label, uint32_t k,
                 uint32_t state);
};

/* Which operand a configuration belongs to. */
static uint32_t owner(const struct row *row, uint64_t config)
{
    uint32_t low = 0, high = row->count;
    assert(config < row->offset[row->count]); /* a state of some operand */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (row->offset[middle] <= config) low = middle;
        else high = middle;
    }
    return low;
}

static bool row_init(struct row *row, struct mem *mem)
{
    row->offset = mem_try_alloc(mem, ((size_t)row->count + 1) * sizeof *row->offset);
    for (uint32_t i = 0; row->offset && i < row->count; i++)
        row->offset[i + 1] = row->offset[i] + row->parts[i]->states;
    return row->offset != NULL;
}

static void row_follow(struct subset *subset, void *data, uint64_t config)
{
    const struct row *row = data;
    if (config == NOTHING_LEFT) return;
    uint32_t k = owner(row, config), state = (uint32_t)(config - row->offset[k]);
    const struct dfa *part = row->parts[k];
    for (uint32_t e = part->first_edge[state]; e < part->first_edge[state + 1]; e++)
        row->emit(subset, row, part->edge_label[e], k, part->edge_to[e]);
}

/* Makes the automaton of an operation; how it starts and ends is in the rules. */
static enum build_status row_run(struct row *row, struct subset_rules *rules,
                                 const struct operate *how, struct dfa *to)
{
    *to = (struct dfa){.mem = how->mem};
    if (!row_init(row, how->mem)) return BUILD_REFUSED;
    rules->data = row;
    rules->all_final = how->prefixes;
    rules->follow = row_follow;
    enum build_status status = subset_run(to, how->mem, rules, how->max_states);
    mem_free(how->mem, row->offset);
    return status;
}

/* Goes to a state of operand k, and on while what is reached may be all of it. */
static void seq_emit(struct subset *subset, const struct row *row, uint32_t label, uint32_t k,
                     uint32_t state)
{
    for (;; k++, state = 0) {
        bool is_last = k + 1 == row->count, is_final = dfa_is_final(row->parts[k], state);
        if (!dfa_is_end(row->parts[k], state)) subset_emit(subset, label, row->offset[k] + state);
        else if (is_last) subset_emit(subset, label, NOTHING_LEFT);
        if (is_last || !is_final) return;
    }
}

static void seq_start(struct subset *subset, void *data) { seq_emit(subset, data, 0, 0, 0); }

static bool seq_is_final(const void *data, uint64_t config)
{
    const struct row *row = data;
    if (config == NOTHING_LEFT) return true;
    uint32_t k = owner(row, config);
    return k + 1 == row->count && dfa_is_final(row->parts[k], (uint32_t)(config - row->offset[k]));
}

enum build_status operate_seq(const struct operate *how, const struct dfa *const *parts,
                              uint32_t count, struct dfa *to)
{
    struct row row = {.parts = parts, .count = count, .emit = seq_emit};
    struct subset_rules rules = {.start = seq_start, .is_final = seq_is_final};
    return row_run(&row, &rules, how, to);
}

/* ---- one of several ---- */

static void choice_emit(struct subset *subset, const struct row *row, uint32_t label, uint32_t k,
                        uint32_t state)
{
    subset_emit(subset, label,
                dfa_is_end(row->parts[k], state) ? NOTHING_LEFT : row->offset[k] + state);
}

static void choice_start(struct subset *subset, void *data)
{
    const struct row *row = data;
    for (uint32_t k = 0; k < row->count; k++) choice_emit(subset, row, 0, k, 0);
    if (row->or_nothing) subset_emit(subset, 0, NOTHING_LEFT);
}

static bool choice_is_final(const void *data, uint64_t config)
{
    const struct row *row = data;
    if (config == NOTHING_LEFT) return true;
    uint32_t k = owner(row, config);
    return dfa_is_final(row->parts[k], (uint32_t)(config - row->offset[k]));
}

enum build_status operate_choice(const struct operate *how, const struct dfa *const *parts,
                                 uint32_t count, bool or_nothing, struct dfa *to)
{
    struct row row = {
        .parts = parts, .count = count, .or_nothing = or_nothing, .emit = choice_emit};
    struct subset_rules rules = {.start = choice_start, .is_final = choice_is_final};
    return row_run(&row, &rules, how, to);
}

/* ---- repetition ---- */

struct rounds {
    const struct dfa *part;
    bool or_nothing;
    uint64_t low, high; /* of rep */
};

static void repeat_emit(struct subset *subset, const struct rounds *rounds, uint32_t label,
                        uint32_t state)
{
    bool is_end = dfa_is_end(rounds->part, state);
    if (!is_end) subset_emit(subset, label, state);
    if (!dfa_is_final(rounds->part, state)) return;
    if (is_end) subset_emit(subset, label, NOTHING_LEFT);
    if (state)
        subset_emit(subset, label, 0); /* the next round; the automaton of skip has state 0 only */
}

static void repeat_start(struct subset *subset, void *data)
{
    const struct rounds *rounds = data;
    repeat_emit(subset, rounds, 0, 0);
    if (rounds->or_nothing) subset_emit(subset, 0, NOTHING_LEFT);
}

static void repeat_follow(struct subset *subset, void *data, uint64_t config)
{
    const struct rounds *rounds = data;
    const struct dfa *part = rounds->part;
    if (config == NOTHING_LEFT) return;
    for (uint32_t e = part->first_edge[config]; e < part->first_edge[config + 1]; e++)
        repeat_emit(subset, rounds, part->edge_label[e], part->edge_to[e]);
}

static bool repeat_is_final(const void *data, uint64_t config)
{
    const struct rounds *rounds = data;
    return config == NOTHING_LEFT || dfa_is_final(rounds->part, (uint32_t)config);
}

enum build_status operate_repeat(const struct operate *how, const struct dfa *part, bool or_nothing,
                                 struct dfa *to)
{
    struct rounds rounds = {.part = part, .or_nothing = or_nothing};
    struct subset_rules rules = {.data = &rounds,
                                 .all_final = how->prefixes,
                                 .start = repeat_start,
                                 .follow = repeat_follow,
                                 .is_final = repeat_is_final};
    return subset_run(to, how->mem, &rules, how->max_states);
}

/* The next round is emitted, not those after it: they could be reached at once only when rounds may
 * be empty, and then the next one covers them. */
static void rep_emit(struct subset *subset, const struct rounds *rounds, uint32_t label,
                     uint32_t state, uint64_t over)
{
    bool is_end = dfa_is_end(rounds->part, state);
    assert(over < rounds->high); /* so that no two configurations have one number */
    if (!is_end) subset_emit(subset, label, state * rounds->high + over);
    if (!dfa_is_final(rounds->part, state)) return;
    if (over + 1 < rounds->high) subset_emit(subset, label, over + 1); /* state 0 */
    if (is_end && over + 1 >= rounds->low) subset_emit(subset, label, NOTHING_LEFT);
}

static void rep_start(struct subset *subset, void *data)
{
    const struct rounds *rounds = data;
    rep_emit(subset, rounds, 0, 0, 0);
    if (!rounds->low) subset_emit(subset, 0, NOTHING_LEFT);
}

static void rep_follow(struct subset *subset, void *data, uint64_t config)
{
    const struct rounds *rounds = data;
    const struct dfa *part = rounds->part;
    if (config == NOTHING_LEFT) return;
    uint64_t state = config / rounds->high, over = config % rounds->high;
    for (uint32_t e = part->first_edge[state]; e < part->first_edge[state + 1]; e++)
        rep_emit(subset, rounds, part->edge_label[e], part->edge_to[e], over);
}

static bool rep_is_final(const void *data, uint64_t config)
{
    const struct rounds *rounds = data;
    if (config == NOTHING_LEFT) return true;
    return config % rounds->high + 1 >= rounds->low
           && dfa_is_final(rounds->part, (uint32_t)(config / rounds->high));
}

static bool rep_covers(const void *data, uint64_t kept, uint64_t next)
{
    const struct rounds *rounds = data;
    if (kept == NOTHING_LEFT || next == NOTHING_LEFT) return false;
    return kept / rounds->high == next / rounds->high && kept % rounds->high + 1 >= rounds->low;
}

enum build_status operate_rep(const struct operate *how, const struct dfa *part, uint32_t low,
                              uint32_t high, struct dfa *to)
{
    /* rounds that may be empty need not be counted, nor need they when only prefixes matter */
    bool any_number = how->prefixes || dfa_is_final(part, 0);
    struct rounds rounds = {.part = part, .low = any_number ? 0 : low, .high = high};
    struct subset_rules rules = {.data = &rounds,
                                 .all_final = how->prefixes,
                                 .start = rep_start,
                                 .follow = rep_follow,
                                 .is_final = rep_is_final,
                                 .covers = rep_covers};
    return subset_run(to, how->mem, &rules, how->max_states);
}

/* ---- interleaving ---- */

struct pair {
    const struct dfa *a, *b;
    bool is_twin; /* equal operands: it does not matter which is in which state */
};

static void par_emit(struct subset *subset, const struct pair *pair, uint32_t label, uint64_t p,
                     uint64_t q)
{
    uint64_t width = pair->b->states;
    subset_emit(subset, label, pair->is_twin && p > q ? q * width + p : p * width + q);
}

static void par_start(struct subset *subset, void *data)
{
    (void)data;
    subset_emit(subset, 0, 0);
}

static void par_follow(struct subset *subset, void *data, uint64_t config)
{
    const struct pair *pair = data;
    uint64_t width = pair->b->states, p = config / width, q = config % width;
    assert(p < pair->a->states && (!pair->is_twin || p <= q));
    for (uint32_t e = pair->a->first_edge[p]; e < pair->a->first_edge[p + 1]; e++)
        par_emit(subset, pair, pair->a->edge_label[e], pair->a->edge_to[e], q);
    for (uint32_t e = pair->b->first_edge[q]; e < pair->b->first_edge[q + 1]; e++)
        par_emit(subset, pair, pair->b->edge_label[e], p, pair->b->edge_to[e]);
}

static bool par_is_final(const void *data, uint64_t config)
{
    const struct pair *pair = data;
    return dfa_is_final(pair->a, (uint32_t)(config / pair->b->states))
           && dfa_is_final(pair->b, (uint32_t)(config % pair->b->states));
}

enum build_status operate_par(const struct operate *how, const struct dfa *a, const struct dfa *b,
                              struct dfa *to)
{
    struct pair pair = {a, b, dfa_same(a, b)};
    struct subset_rules rules = {.data = &pair,
                                 .all_final = how->prefixes,
                                 .start = par_start,
                                 .follow = par_follow,
                                 .is_final = par_is_final};
    return subset_run(to, how->mem, &rules, how->max_states);
}
