#include "search/dense.h"

#include "base/checked.h"
#include "search/space.h"

#include <assert.h>

#ifdef CAIRN_TEST_HOOKS
enum { PAGE_SHIFT = 3 };
#else
enum { PAGE_SHIFT = 12 };
#endif
enum { PAGE_STATES = 1 << PAGE_SHIFT, AHEAD = 8 };

/* Invariants: (1) the words of states before `made` are in pages, but for those that were given up;
 * (2) the set has the words of all states before set.count, and of
 * others only while they are merged; (3) with a tree, these words are its records. */
struct dense {
    struct set set; /* first: it is known by it */
    char apart[MEM_APART];
    struct wordset words;
    struct mem *mem;
    uint64_t **pages; /* NULL: given up */
    uint64_t page_count, page_room;
    uint64_t *spare;       /* a page, or NULL */
    uint64_t made;         /* numbers that were given, to states that may not be counted yet */
    struct tree *tree;     /* the space's, or NULL */
    struct tree_view view; /* for adding */
};

bool dense_can(uint32_t state_bits, uint32_t record_bytes, uint32_t key_bytes)
{
    return state_bits < 64 && record_bytes <= sizeof(uint64_t) && key_bytes == record_bytes;
}

const struct wordset *dense_words(const struct set *set)
{
    assert(set->kind == &dense_kind || set->kind == &dense_tree_kind);
    return &((const struct dense *)set)->words;
}

static struct set *make(struct space *space)
{
    struct dense *dense = mem_try_alloc(space->mem, sizeof *dense);
    if (!dense) return NULL;
    dense->set.kind = &dense_kind;
    dense->mem = space->mem;
    if (wordset_init(&dense->words, space->mem)) return &dense->set;
    mem_free(space->mem, dense);
    return NULL;
}

static void free_dense(struct set *set)
{
    struct dense *dense = (struct dense *)set;
    struct mem *mem = dense->mem;
    assert(set->kind == &dense_kind || set->kind == &dense_tree_kind);
    CHECKED(wordset_check(&dense->words));
    tree_view_close(&dense->view);
    for (uint64_t i = 0; i < dense->page_count; i++) mem_free(mem, dense->pages[i]);
    mem_free(mem, dense->pages);
    mem_free(mem, dense->spare);
    wordset_release(&dense->words);
    mem_free(mem, dense);
}

/* ---- states in the order of their numbers ---- */

static uint64_t *place_of(const struct dense *dense, uint64_t state)
{
    assert(state < dense->made && dense->pages[state >> PAGE_SHIFT]); /* (1) */
    return &dense->pages[state >> PAGE_SHIFT][state & (PAGE_STATES - 1)];
}

/* Room for the numbers before `end`. */
static bool make_pages(struct dense *dense, uint64_t end)
{
    const uint64_t count = (end + PAGE_STATES - 1) >> PAGE_SHIFT;
    while (dense->page_room < count) {
        const uint64_t room = dense->page_room ? 2 * dense->page_room : 16;
        uint64_t **pages = mem_try_resize(dense->mem, dense->pages, room * sizeof *pages);
        if (!pages) return false;
        dense->pages = pages;
        dense->page_room = room;
    }
    for (; dense->page_count < count; dense->page_count++) {
        uint64_t *page =
            dense->spare ? dense->spare : mem_try_alloc(dense->mem, PAGE_STATES * sizeof *page);
        if (!page) return false;
        dense->spare = NULL;
        dense->pages[dense->page_count] = page;
    }
    return true;
}

static void load(const struct set *set, uint64_t state, uint64_t *words)
{
    words[0] = *place_of((const struct dense *)set, state);
}

/* Whole pages. */
static void forget(struct set *set, uint64_t first, uint64_t end)
{
    struct dense *dense = (struct dense *)set;
    assert(end <= set->count);
    for (uint64_t i = (first + PAGE_STATES - 1) >> PAGE_SHIFT; i < end >> PAGE_SHIFT; i++) {
        uint64_t *page = dense->pages[i];
        dense->pages[i] = NULL;
        if (dense->spare) mem_free(dense->mem, page);
        else dense->spare = page;
    }
}

/* ---- looking up and adding ---- */

static void prefetch(const struct worker *worker, uint32_t first, uint32_t end)
{
    const struct batch_step *steps = worker->batch.steps;
    for (uint32_t i = first; i < end; i++)
        if (steps[i].set)
            table_prefetch_all(&((struct dense *)steps[i].set)->words.table, steps[i].hash);
}

static void look(struct worker *worker, uint32_t first, uint32_t end)
{
    struct batch_step *steps = worker->batch.steps;
    for (uint32_t i = first; i < end; i++)
        steps[i].to =
            steps[i].set && wordset_has(&((struct dense *)steps[i].set)->words, steps[i].hash)
                ? SET_KNOWN
                : SET_NONE;
}

static uint32_t sift(struct worker *worker, uint32_t first, uint32_t end, uint32_t to)
{
    struct batch *batch = &worker->batch;
    const struct batch_step *steps = batch->steps;
    const struct wordset *words = &((struct dense *)steps[first].set)->words;
    uint64_t *taken = worker->taken;
    assert(taken);
    for (uint32_t i = first; i < end; i++) {
        taken[steps[i].fast->rule]++;
        assert(steps[i].set == steps[first].set);
        if (!wordset_has(words, steps[i].hash)) batch_move(batch, i, to++);
    }
    return to;
}

/* Its number, SET_KNOWN, or SET_NONE: memory was refused. */
static inline uint64_t add_word(struct dense *dense, uint64_t mixed)
{
    if (!(dense->made & (PAGE_STATES - 1)) && !make_pages(dense, dense->made + 1)) return SET_NONE;
    const enum wordset_result added = wordset_add(&dense->words, mixed);
    if (added != WORDSET_NEW) return added == WORDSET_KNOWN ? SET_KNOWN : SET_NONE;
    const uint64_t number = dense->made++;
    *place_of(dense, number) = wordset_unmix(mixed);
    dense->set.count = dense->made;
    return number;
}

static uint32_t add(struct worker *worker, uint32_t first, uint32_t end)
{
    struct batch *batch = &worker->batch;
    for (uint32_t i = first; i < end; i++) {
        struct batch_step *step = &batch->steps[i];
        if (step->to != SET_NONE || !step->set) continue;
        step->to = add_word((struct dense *)step->set, step->hash);
        assert(step->to == SET_KNOWN || step->to == SET_NONE
               || *place_of((struct dense *)step->set, step->to) == *batch_words(batch, i));
        if (step->to == SET_NONE) return i;
        if (step->to != SET_KNOWN) batch->fresh[batch->fresh_count++] = i;
    }
    return end;
}

/* ---- by several threads ---- */

static uint32_t part_count(const struct set *set)
{
    const struct table *table = &((const struct dense *)set)->words.table;
    return table_is_small(table) ? 0 : table->mask + 1;
}

static bool reserve(struct set *set, uint64_t states, const uint32_t *in_part, uint64_t spare)
{
    struct dense *dense = (struct dense *)set;
    const uint64_t pages =
        (states + 2 * PAGE_STATES) * sizeof **dense->pages + 16 * dense->page_room + 4096;
    assert(dense->made == set->count);
    return wordset_reserve(&dense->words, in_part, spare + pages)
           && make_pages(dense, dense->made + states);
}

static void give(struct set *set, uint64_t states)
{
    struct dense *dense = (struct dense *)set;
    dense->made += states;
    assert(dense->made <= dense->page_count << PAGE_SHIFT); /* (1) */
}

static uint32_t put(struct set *set, struct set_entry *entries, uint32_t count, uint32_t end)
{
    struct wordset *words = &((struct dense *)set)->words;
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD < end) table_prefetch_all(&words->table, entries[i + AHEAD].hash);
        const enum wordset_result result = wordset_put(words, entries[i].hash);
        entries[i].is_new = result == WORDSET_NEW;
        if (result == WORDSET_REFUSED) return i;
    }
    return count;
}

static void write(struct set *set, uint64_t state, const uint64_t *words, uint64_t hash)
{
    (void)words;
    *place_of((struct dense *)set, state) = wordset_unmix(hash);
}

static void widen(struct set *set, uint32_t part)
{
    table_widen(&((struct dense *)set)->words.table, part);
}

static bool foresee(struct set *set, uint32_t states, uint64_t spare)
{
    return table_foresee(&((struct dense *)set)->words.table, states, spare);
}

static void sweep(struct set *set, uint32_t part)
{
    table_sweep(&((struct dense *)set)->words.table, part);
}

static void tidy(struct set *set)
{
    struct dense *dense = (struct dense *)set;
    table_tidy(&dense->words.table);
    wordset_count(&dense->words);
}

static void take_back(struct set *set, uint64_t hash)
{
    wordset_remove(&((struct dense *)set)->words, hash);
}

static void cut(struct set *set)
{
    struct dense *dense = (struct dense *)set;
    for (; dense->made > set->count; dense->made--)
        wordset_remove(&dense->words, wordset_mix(*place_of(dense, dense->made - 1)));
    assert(dense->words.count == set->count); /* (2) */
}

static const struct set_parts parts = {.count = part_count,
                                       .reserve = reserve,
                                       .give = give,
                                       .put = put,
                                       .take_back = take_back,
                                       .write = write,
                                       .widen = widen,
                                       .foresee = foresee,
                                       .sweep = sweep,
                                       .tidy = tidy,
                                       .cut = cut};

static bool clear(struct set *set)
{
    (void)set;
    return false;
}

const struct set_kind dense_kind = {.make = make,
                                    .free = free_dense,
                                    .clear = clear,
                                    .load = load,
                                    .forget = forget,
                                    .prefetch = prefetch,
                                    .look = look,
                                    .sift = sift,
                                    .add = add,
                                    .parts = &parts};

/* ---- over a tree ---- */

static struct set *make_tree(struct space *space)
{
    assert(space->is_folded);
    struct dense *dense = (struct dense *)make(space);
    if (!dense) return NULL;
    dense->set.kind = &dense_tree_kind;
    dense->tree = &space->tree;
    if (tree_view_open(&dense->view, dense->tree, dense->mem)) return &dense->set;
    free_dense(&dense->set);
    return NULL;
}

static void load_tree(const struct set *set, uint64_t state, uint64_t *words)
{
    const struct dense *dense = (const struct dense *)set;
    tree_load(dense->tree, *place_of(dense, state), words); /* (3) */
}

void dense_show(const struct set *set, uint64_t state, struct tree_view *view)
{
    assert(set->kind == &dense_tree_kind && view->tree == ((const struct dense *)set)->tree);
    tree_view_show(view, *place_of((const struct dense *)set, state)); /* (3) */
}

static bool has_step(const struct dense *dense, const struct batch_step *step)
{
    return step->hash && wordset_has(&dense->words, step->hash);
}

static void look_tree(struct worker *worker, uint32_t first, uint32_t end)
{
    struct batch_step *steps = worker->batch.steps;
    for (uint32_t i = first; i < end; i++)
        steps[i].to = steps[i].set && has_step((struct dense *)steps[i].set, &steps[i]) ? SET_KNOWN
                                                                                        : SET_NONE;
}

static uint32_t sift_tree(struct worker *worker, uint32_t first, uint32_t end, uint32_t to)
{
    struct batch *batch = &worker->batch;
    const struct batch_step *steps = batch->steps;
    assert(worker->taken);
    for (uint32_t i = first; i < end; i++) {
        worker->taken[steps[i].fast->rule]++;
        if (!has_step((struct dense *)steps[i].set, &steps[i])) batch_move(batch, i, to++);
    }
    return to;
}

/* The hash of a state, all of whose entries are in the tree then; 0: memory was refused. */
static uint64_t fold(struct dense *dense, const uint64_t *words)
{
    const uint64_t record = tree_view_add(&dense->view, words);
    return record == TREE_NONE ? 0 : wordset_mix(record);
}

static bool complete(struct worker *worker, struct set *set, uint32_t first, uint32_t end)
{
    struct batch *batch = &worker->batch;
    bool good = true;
    for (uint32_t i = first; good && i < end; i++) {
        struct batch_step *step = &batch->steps[i];
        if (step->hash || step->set != set || step->to != SET_NONE) continue;
        step->hash = fold((struct dense *)set, batch_words(batch, i));
        good = step->hash;
    }
    return good;
}

static uint32_t add_tree(struct worker *worker, uint32_t first, uint32_t end)
{
    struct batch *batch = &worker->batch;
    for (uint32_t i = first; i < end; i++) {
        struct batch_step *step = &batch->steps[i];
        if (step->to != SET_NONE || !step->set) continue;
        struct dense *dense = (struct dense *)step->set;
        if (!step->hash) step->hash = fold(dense, batch_words(batch, i));
        if (step->hash) step->to = add_word(dense, step->hash);
        if (step->to == SET_NONE) return i;
        if (step->to != SET_KNOWN) batch->fresh[batch->fresh_count++] = i;
    }
    return end;
}

bool dense_append(struct set *set, const uint64_t *words)
{
    struct dense *dense = (struct dense *)set;
    const uint64_t hash = fold(dense, words);
    return hash && add_word(dense, hash) != SET_NONE;
}

static const struct set_parts tree_parts = {.count = part_count,
                                            .complete = complete,
                                            .reserve = reserve,
                                            .give = give,
                                            .put = put,
                                            .take_back = take_back,
                                            .write = write,
                                            .widen = widen,
                                            .foresee = foresee,
                                            .sweep = sweep,
                                            .tidy = tidy,
                                            .cut = cut};

const struct set_kind dense_tree_kind = {.make = make_tree,
                                         .free = free_dense,
                                         .clear = clear,
                                         .load = load_tree,
                                         .forget = forget,
                                         .prefetch = prefetch,
                                         .look = look_tree,
                                         .sift = sift_tree,
                                         .add = add_tree,
                                         .parts = &tree_parts};
