#include "solver/tree.h"

#include "base/checked.h"

#include <assert.h>

/* Invariants: (1) the children of an inner node come before it, and each node but the root is the
 * child of one; (2) what an inner node has are pairs of numbers that its children have; (3) a
 * view's numbers are those of its words. */

enum { BLOCK = 64 }; /* marks in a word */

static uint32_t left_of(const struct tree *tree, uint32_t node)
{
    return tree->sides[2 * (node - tree->leaves)];
}

static uint32_t right_of(const struct tree *tree, uint32_t node)
{
    return tree->sides[2 * (node - tree->leaves) + 1];
}

/* From the root down: what is above a node is its parent, and what is above that. */
static void find_above(struct tree *tree, uint64_t *above)
{
    const uint32_t blocks = tree->blocks;
    for (uint32_t node = tree->root; node >= tree->leaves; node--)
        for (unsigned side = 0; side < 2; side++) {
            const uint32_t child = tree->sides[2 * (node - tree->leaves) + side],
                           bit = node - tree->leaves;
            uint64_t *to = above + (size_t)child * blocks;
            assert(child < node); /* (1) */
            if (node == tree->root) continue;
            memcpy(to, above + (size_t)node * blocks, blocks * sizeof *to);
            to[bit / BLOCK] |= UINT64_C(1) << bit % BLOCK;
        }
}

bool tree_init(struct tree *tree, struct mem *mem, uint32_t leaves, const uint64_t *used,
               const uint64_t *sample, uint32_t count)
{
    assert(tree_can(leaves));
    *tree = (struct tree){.mem = mem,
                          .leaves = leaves,
                          .root = 2 * leaves - 2,
                          .blocks = (leaves + BLOCK - 1) / BLOCK};
    tree->sides = mem_try_alloc(mem, 2 * leaves * sizeof *tree->sides);
    tree->above = mem_try_alloc(mem, 2 * (size_t)leaves * tree->blocks * sizeof *tree->above);
    tree->is_small = mem_try_alloc(mem, leaves * sizeof *tree->is_small);
    tree->lists = mem_try_alloc(mem, tree->root * sizeof *tree->lists);
    bool good = tree->sides && tree->above && tree->is_small && tree->lists
                && tree_shape(mem, leaves, sample, count, tree->sides);
    for (uint32_t i = 0; good && i < tree->root; i++) {
        if (i < leaves) tree->is_small[i] = !(used[i] >> TREE_SMALL);
        if (i >= leaves || !tree->is_small[i])
            good = store_init(&tree->lists[i], mem, sizeof(uint64_t));
    }
    if (good) find_above(tree, tree->above);
    else tree_release(tree);
    return good;
}

void tree_release(struct tree *tree)
{
    for (uint32_t i = 0; tree->lists && i < tree->root; i++)
        if (tree->lists[i].mem) store_release(&tree->lists[i]);
    mem_free(tree->mem, tree->lists);
    mem_free(tree->mem, tree->is_small);
    mem_free(tree->mem, tree->above);
    mem_free(tree->mem, tree->sides);
    *tree = (struct tree){.leaves = 0};
}

/* ---- from numbers to words ---- */

static inline uint64_t listed(const struct tree *tree, uint32_t node, uint32_t id)
{
    const struct store *list = &tree->lists[node];
    uint64_t entry;
    assert(id < list->count); /* (2) */
    memcpy(&entry, store_get(list, id), sizeof entry);
    return entry;
}

static inline uint64_t word_of(const struct tree *tree, uint32_t leaf, uint32_t id)
{
    return tree->is_small[leaf] ? id : listed(tree, leaf, id);
}

void tree_load(const struct tree *tree, uint64_t record, uint64_t *words)
{
    uint32_t ids[2 * TREE_LEAVES];
    for (uint32_t node = tree->root; node >= tree->leaves; node--) {
        const uint64_t pair = node == tree->root ? record : listed(tree, node, ids[node]);
        ids[left_of(tree, node)] = (uint32_t)(pair >> 32);
        ids[right_of(tree, node)] = (uint32_t)pair;
    }
    for (uint32_t i = 0; i < tree->leaves; i++) words[i] = word_of(tree, i, ids[i]);
}

static bool is_above(const struct tree *tree, uint32_t node, uint32_t below)
{
    const uint32_t bit = node - tree->leaves;
    return node == tree->root
           || (tree->above[(size_t)below * tree->blocks + bit / BLOCK] >> bit % BLOCK & 1);
}

uint64_t tree_word(const struct tree *tree, uint64_t record, uint32_t leaf)
{
    uint64_t pair = record;
    for (uint32_t node = tree->root;;) {
        const uint32_t left = left_of(tree, node), right = right_of(tree, node);
        const bool is_left = left == leaf || (left >= tree->leaves && is_above(tree, left, leaf));
        const uint32_t id = (uint32_t)(is_left ? pair >> 32 : pair);
        node = is_left ? left : right;
        if (node == leaf) return word_of(tree, leaf, id);
        assert(is_above(tree, node, leaf)); /* (1) */
        pair = listed(tree, node, id);
    }
}

/* ---- a view ---- */

enum { KNOWN_BITS = 11, KNOWN_PART = 64 }; /* entries; at most one part in so many of memory */

bool tree_view_open(struct tree_view *view, struct tree *tree, struct mem *mem)
{
    unsigned bits = KNOWN_BITS;
    const size_t set = tree->blocks * sizeof *view->inner + MEM_APART;
    assert(tree->leaves);
    *view = (struct tree_view){.tree = tree, .mem = mem};
    while (bits > 1 && !mem_has(mem, (KNOWN_PART * sizeof *view->known) << bits)) bits--;
    view->known_shift = 64 - bits;
    view->words = mem_try_alloc(mem, tree->leaves * sizeof *view->words + MEM_APART);
    view->ids = mem_try_alloc(mem, tree->root * sizeof *view->ids + MEM_APART);
    view->changed = mem_try_alloc(mem, tree->root * sizeof *view->changed + MEM_APART);
    view->leaves = mem_try_alloc(mem, set);
    view->inner = mem_try_alloc(mem, set);
    view->known = mem_try_alloc(mem, (sizeof *view->known << bits) + MEM_APART);
    return view->words && view->ids && view->changed && view->leaves && view->inner && view->known;
}

void tree_view_close(struct tree_view *view)
{
    if (!view->tree) return;
    mem_free(view->mem, view->words);
    mem_free(view->mem, view->ids);
    mem_free(view->mem, view->changed);
    mem_free(view->mem, view->leaves);
    mem_free(view->mem, view->inner);
    mem_free(view->mem, view->known);
    *view = (struct tree_view){.tree = NULL};
}

/* What a word adds to the sum. */
static inline uint64_t share_of(uint64_t word, uint32_t leaf)
{
    return word * (WORDSET_FACTOR * (2 * (uint64_t)leaf + 1));
}

/* A node has this number from now on. */
static inline void renumber(struct tree_view *view, uint32_t node, uint32_t id)
{
    const struct tree *tree = view->tree;
    if (view->ids[node] == id && view->shows) return;
    view->ids[node] = id;
    if (node < tree->leaves) {
        const uint64_t word = word_of(tree, node, id);
        view->sum += share_of(word - view->words[node], node);
        view->words[node] = word;
    } else {
        const uint32_t bit = node - tree->leaves;
        view->inner[bit / BLOCK] |= UINT64_C(1) << bit % BLOCK;
    }
}

static inline void renumber_children(struct tree_view *view, uint32_t node, uint64_t pair)
{
    renumber(view, left_of(view->tree, node), (uint32_t)(pair >> 32));
    renumber(view, right_of(view->tree, node), (uint32_t)pair);
}

/* Below a number that stays, all stay. */
void tree_view_show(struct tree_view *view, uint64_t record)
{
    const struct tree *tree = view->tree;
    assert(record != TREE_NONE);
    memset(view->inner, 0, tree->blocks * sizeof *view->inner);
    renumber_children(view, tree->root, record);
    for (uint32_t block = tree->blocks; block-- > 0;)
        while (view->inner[block]) {
            const uint32_t bit = BLOCK - 1 - (uint32_t)__builtin_clzll(view->inner[block]),
                           node = tree->leaves + block * BLOCK + bit;
            view->inner[block] ^= UINT64_C(1) << bit;
            renumber_children(view, node, listed(tree, node, view->ids[node]));
        }
    view->shows = true;
}

/* ---- from words to numbers ---- */

/* All leaves of a block. */
static inline uint64_t whole_block(const struct tree *tree, uint32_t block)
{
    const uint32_t rest = tree->leaves - block * BLOCK;
    return rest < BLOCK ? (UINT64_C(1) << rest) - 1 : UINT64_MAX;
}

static bool covers(const struct tree_view *view, const uint64_t *words, const uint64_t *may)
{
    bool good = true;
    for (uint32_t i = 0; may && i < view->tree->leaves; i++)
        good &= words[i] == view->words[i] || may[i / BLOCK] >> i % BLOCK & 1;
    return good;
}

/* Which leaves differ nobody can foretell: so there is no branch. */
uint64_t tree_view_sum(struct tree_view *view, const uint64_t *words, const uint64_t *may)
{
    const struct tree *tree = view->tree;
    uint64_t sum = view->sum;
    assert(view->shows || !may);
    CHECKED(covers(view, words, may));
    for (uint32_t block = 0; block < tree->blocks; block++) {
        uint64_t set = 0;
        for (uint64_t left = may ? may[block] : whole_block(tree, block); left; left &= left - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left), leaf = block * BLOCK + bit;
            const uint64_t more = words[leaf] - view->words[leaf];
            set |= (uint64_t)(more != 0) << bit;
            sum += share_of(more, leaf);
        }
        view->leaves[block] = view->shows ? set : whole_block(tree, block);
    }
    return sum;
}

static inline uint64_t hash_of(uint64_t entry)
{
    return STORE_HASH_BITS < 64 ? store_hash(&entry, sizeof entry) : wordset_mix(entry);
}

/* The number of an entry in a node's list; STORE_NONE: it has none. */
static __attribute__((noinline)) uint64_t find_listed(const struct tree *tree, uint32_t node,
                                                      uint64_t entry)
{
    const struct store *list = &tree->lists[node];
    const uint64_t hash = hash_of(entry), guess = store_guess(list, hash);
    const bool is_sure = guess == STORE_NONE || store_has(list, guess, &entry);
    const uint64_t id = is_sure ? guess : store_find(list, &entry, hash);
    return id < UINT32_MAX ? id : STORE_NONE; /* as add_listed has it */
}

static __attribute__((noinline)) uint64_t add_listed(struct tree *tree, uint32_t node,
                                                     uint64_t entry)
{
    uint64_t id;
    if (store_add(&tree->lists[node], &entry, hash_of(entry), &id) == STORE_REFUSED)
        return STORE_NONE;
    return id < UINT32_MAX ? id : STORE_NONE;
}

/* A node gets the number of an entry; false: there is none. */
static inline __attribute__((always_inline)) bool number(struct tree_view *view, uint32_t node,
                                                         uint64_t entry, bool adds)
{
    struct tree_known *known =
        &view->known[(entry * WORDSET_FACTOR + node * WORDSET_INVERSE) >> view->known_shift];
    if (known->entry != entry || known->node != node + 1) {
        const uint64_t id =
            adds ? add_listed(view->tree, node, entry) : find_listed(view->tree, node, entry);
        if (id == STORE_NONE) return false;
        *known = (struct tree_known){entry, node + 1, (uint32_t)id};
    }
    view->ids[node] = known->id;
    return true;
}

static inline uint64_t pair_of(const struct tree_view *view, uint32_t node)
{
    return (uint64_t)view->ids[left_of(view->tree, node)] << 32
           | view->ids[right_of(view->tree, node)];
}

/* Leaves whose words differ get other numbers, and so do nodes above them; *changes: how many were
 * changed. */
static inline __attribute__((always_inline)) uint64_t
number_all(struct tree_view *view, const uint64_t *words, uint32_t *changes, bool adds)
{
    const struct tree *tree = view->tree;
    const uint32_t blocks = tree->blocks;
    uint64_t *changed = view->changed;
    for (uint32_t block = 0; block < blocks; block++) view->inner[block] = 0;
    for (uint32_t block = 0; block < blocks; block++)
        for (uint64_t left = view->leaves[block]; left; left &= left - 1) {
            const uint32_t leaf = block * BLOCK + (uint32_t)__builtin_ctzll(left);
            const uint64_t *above = tree->above + (size_t)leaf * blocks;
            *changed++ = (uint64_t)leaf << 32 | view->ids[leaf];
            *changes = (uint32_t)(changed - view->changed);
            if (tree->is_small[leaf]) view->ids[leaf] = (uint32_t)words[leaf];
            else if (!number(view, leaf, words[leaf], adds)) return TREE_NONE;
            for (uint32_t i = 0; i < blocks; i++) view->inner[i] |= above[i];
        }
    for (uint32_t block = 0; block < blocks; block++)
        for (uint64_t left = view->inner[block]; left; left &= left - 1) {
            const uint32_t node = tree->leaves + block * BLOCK + (uint32_t)__builtin_ctzll(left);
            *changed++ = (uint64_t)node << 32 | view->ids[node];
            *changes = (uint32_t)(changed - view->changed);
            if (!number(view, node, pair_of(view, node), adds)) return TREE_NONE;
        }
    return pair_of(view, tree->root);
}

/* Back to the numbers of the record that is shown. */
static inline void take_back(struct tree_view *view, uint32_t changes)
{
    for (uint32_t i = 0; i < changes; i++)
        view->ids[view->changed[i] >> 32] = (uint32_t)view->changed[i];
}

uint64_t tree_view_find(struct tree_view *view, const uint64_t *words)
{
    uint32_t changes = 0;
    const uint64_t record = number_all(view, words, &changes, false);
    take_back(view, changes);
    return record;
}

uint64_t tree_view_add(struct tree_view *view, const uint64_t *words)
{
    uint32_t changes = 0;
    const uint64_t sum = tree_view_sum(view, words, NULL),
                   record = number_all(view, words, &changes, true);
    if (record == TREE_NONE) {
        take_back(view, changes);
        return TREE_NONE;
    }
    memcpy(view->words, words, view->tree->leaves * sizeof *words); /* (3) */
    view->sum = sum;
    view->shows = true;
    return record;
}

/* ---- all of it ---- */

uint64_t tree_entries(const struct tree *tree)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < tree->root; i++) entries += tree->lists[i].count;
    return entries;
}

/* Whether a number is one of a node's. */
static bool is_number(const struct tree *tree, uint32_t node, uint32_t id)
{
    return node < tree->leaves && tree->is_small[node] ? !(id >> TREE_SMALL)
                                                       : id < tree->lists[node].count;
}

bool tree_check(const struct tree *tree)
{
    bool good = true;
    for (uint32_t i = 0; good && i < tree->root; i++) {
        uint32_t parents = 0;
        for (uint32_t up = tree->leaves; up <= tree->root; up++) {
            const bool is_child = left_of(tree, up) == i || right_of(tree, up) == i;
            parents += is_child;
            good &= !is_child || (up > i && is_above(tree, up, i)); /* (1) */
        }
        good &= parents == 1; /* (1) */
        if (!good || !tree->lists[i].mem) continue;
        good = store_check(&tree->lists[i]);
        for (uint64_t id = 0; good && i >= tree->leaves && id < tree->lists[i].count; id++) {
            const uint64_t pair = listed(tree, i, (uint32_t)id);
            good = is_number(tree, left_of(tree, i), (uint32_t)(pair >> 32))
                   && is_number(tree, right_of(tree, i), (uint32_t)pair); /* (2) */
        }
    }
    return good;
}
