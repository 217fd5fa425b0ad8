#include "search/flat.h"

#include "base/checked.h"
#include "search/space.h"
#include "solver/freezer.h"
#include "solver/runs.h"

#include <assert.h>
#include <string.h>

static struct set *make(struct space *space)
{
    struct flat *flat = mem_try_alloc(space->mem, sizeof *flat);
    if (!flat) return NULL;
    flat->set.kind = &flat_kind;
    if (store_init_keyed(&flat->store, space->mem, space->layout.record_bytes,
                         space->layout.key_bytes))
        return &flat->set;
    mem_free(space->mem, flat);
    return NULL;
}

static void free_flat(struct set *set)
{
    struct flat *flat = (struct flat *)set;
    assert(flat->set.kind == &flat_kind);
    CHECKED(store_check(&flat->store));
    struct mem *mem = flat->store.mem;
    store_release(&flat->store);
    mem_free(mem, flat);
}

static bool clear(struct set *set)
{
    struct flat *flat = (struct flat *)set;
    assert(flat->set.count == flat->store.count);
    if (!store_clear(&flat->store)) return false;
    flat->set.count = 0;
    return true;
}

static void load(const struct set *set, uint64_t state, uint64_t *words)
{
    const struct store *store = flat_store(set);
    assert(state < store->count);
    if (!store->record_bytes) return;
    words[(store->record_bytes - 1) / 8] = 0; /* the record may end within the last word */
    memcpy(words, store_get(store, state), store->record_bytes);
}

static void prefetch(const struct worker *worker, uint32_t first, uint32_t end)
{
    const struct batch_step *steps = worker->batch.steps;
    for (uint32_t i = first; i < end; i++)
        if (steps[i].set) store_prefetch(flat_store(steps[i].set), steps[i].hash);
}

/* Slots of all steps, then records: each is a cache miss, and they are on their way together. */
static void look(struct worker *worker, uint32_t first, uint32_t end)
{
    struct batch_step *steps = worker->batch.steps;
    for (uint32_t i = first; i < end; i++)
        steps[i].to =
            steps[i].set ? store_guess(flat_store(steps[i].set), steps[i].hash) : SET_NONE;
    for (uint32_t i = first; i < end; i++) {
        const uint64_t *words = batch_words(&worker->batch, i);
        if (steps[i].to != SET_NONE && !store_has(flat_store(steps[i].set), steps[i].to, words))
            steps[i].to = store_find(flat_store(steps[i].set), words, steps[i].hash);
    }
}

static uint32_t add(struct worker *worker, uint32_t first, uint32_t end)
{
    struct batch *batch = &worker->batch;
    for (uint32_t i = first; i < end; i++) {
        struct batch_step *step = &batch->steps[i];
        if (step->to != SET_NONE || !step->set) continue;
        struct flat *flat = (struct flat *)step->set;
        enum store_result added =
            store_add(&flat->store, batch_words(batch, i), step->hash, &step->to);
        if (added == STORE_REFUSED) return i;
        if (added == STORE_KNOWN) continue;
        batch->fresh[batch->fresh_count++] = i;
        flat->set.count = flat->store.count;
    }
    return end;
}

static uint64_t add_one(struct set *set, const uint64_t *words, uint64_t hash, bool *is_new)
{
    struct flat *flat = (struct flat *)set;
    uint64_t to;
    enum store_result added = store_add(&flat->store, words, hash, &to);
    flat->set.count = flat->store.count;
    *is_new = added == STORE_NEW;
    return added == STORE_REFUSED ? SET_NONE : to;
}

static uint64_t find(struct worker *worker, uint32_t i)
{
    const struct batch_step *step = &worker->batch.steps[i];
    return store_find(flat_store(step->set), batch_words(&worker->batch, i), step->hash);
}

static bool is(struct worker *worker, uint32_t i, const struct set *set, uint64_t state)
{
    const struct store *store = flat_store(set);
    assert(state < store->count && i < worker->batch.step_count);
    return !memcmp(store_get(store, state), batch_words(&worker->batch, i), store->record_bytes);
}

static const struct store *store_of(const struct set *set) { return flat_store(set); }

static uint64_t bytes(const struct set *set, uint64_t first, uint64_t end)
{
    const struct store *store = flat_store(set);
    const uint64_t count = end - first, chunks = (count >> store->chunk_shift) + 2;
    return count * store->record_bytes + chunks * FREEZER_ITEM;
}

/* A chunk at a time. */
static bool freeze(const struct set *set, uint64_t first, uint64_t end, struct freezer *freezer)
{
    const struct store *store = flat_store(set);
    assert(first <= end && end <= store->count);
    while (first < end) {
        uint64_t some = (UINT64_C(1) << store->chunk_shift)
                        - (first & ((UINT64_C(1) << store->chunk_shift) - 1));
        if (some > end - first) some = end - first;
        if (!freezer_put(freezer, FREEZER_RECORDS, store_get(store, first),
                         some * store->record_bytes))
            return false;
        first += some;
    }
    return true;
}

/* ---- by several threads ---- */

static uint32_t part_count(const struct set *set) { return store_parts(flat_store(set)); }

static bool reserve(struct set *set, uint64_t states, const uint32_t *in_part, uint64_t spare)
{
    assert(set->count == flat_store(set)->count);
    return store_reserve(flat_store(set), states, in_part, spare);
}

static void give(struct set *set, uint64_t states) { store_give(flat_store(set), states); }

static bool same(const struct set *set, const uint64_t *a, const uint64_t *b)
{
    return store_same(a, b, flat_store(set)->key_bytes);
}

static void write(struct set *set, uint64_t state, const uint64_t *words, uint64_t hash)
{
    (void)hash;
    store_write(flat_store(set), state, words);
}

static void widen(struct set *set, uint32_t part) { store_widen(flat_store(set), part); }

static bool foresee(struct set *set, uint32_t states, uint64_t spare)
{
    return table_foresee(&flat_store(set)->table, states, spare);
}

static void sweep(struct set *set, uint32_t part) { table_sweep(&flat_store(set)->table, part); }

static void tidy(struct set *set) { store_tidy(flat_store(set)); }

static bool link(struct set *set, uint64_t state, uint64_t hash)
{
    return store_link(flat_store(set), state, hash);
}

static bool link_alone(struct set *set, uint64_t state)
{
    return store_link_alone(flat_store(set), state);
}

static void bring_closer(const struct set *set, uint64_t hash)
{
    store_prefetch(flat_store(set), hash);
}

static void cut(struct set *set)
{
    store_cut(flat_store(set), set->count);
    CHECKED(store_check(flat_store(set)));
}

static const struct set_parts parts = {.count = part_count,
                                       .reserve = reserve,
                                       .give = give,
                                       .same = same,
                                       .write = write,
                                       .widen = widen,
                                       .foresee = foresee,
                                       .sweep = sweep,
                                       .tidy = tidy,
                                       .link = link,
                                       .link_alone = link_alone,
                                       .prefetch = bring_closer,
                                       .cut = cut};

/* ---- as records ---- */

static bool of_state(struct set *set, uint64_t state, char *record)
{
    const struct store *store = flat_store(set);
    memcpy(record, store_get(store, state), store->record_bytes);
    return true;
}

static bool of_step(struct worker *worker, uint32_t step, struct set *set, char *record)
{
    memcpy(record, batch_words(&worker->batch, step), flat_store(set)->record_bytes);
    return true;
}

static bool has(struct worker *worker, const struct set *set, const char *record)
{
    const struct store *store = flat_store(set);
    (void)worker;
    return store_find(store, record, store_hash(record, store->record_bytes)) != STORE_NONE;
}

static bool thaw(struct worker *worker, const struct set *set, const char *record)
{
    bool good = worker->space->kind->thaw(worker, (const unsigned char *)record,
                                          flat_store(set)->record_bytes);
    assert(good); /* its size is right, and the rest is memory's, which a batch has */
    return good;
}

static bool list(struct set *set, uint64_t end, bool (*skips)(const void *context, uint64_t state),
                 const void *context, struct runs_items *items)
{
    const struct store *store = flat_store(set);
    uint64_t kept = 0;
    *items = runs_items_of(store, end);
    for (uint64_t i = 0; i < end; i++) {
        if (skips(context, i)) continue;
        if (kept != i) memcpy(runs_item(items, kept), runs_item(items, i), store->record_bytes);
        kept++;
    }
    items->count = kept;
    return true;
}

static bool empty(struct set *set)
{
    struct flat *flat = (struct flat *)set;
    struct mem *mem = flat->store.mem;
    const uint32_t record_bytes = flat->store.record_bytes, key_bytes = flat->store.key_bytes;
    assert(flat->set.kind == &flat_kind);
    store_release(&flat->store);
    flat->set.count = 0;
    return store_init_keyed(&flat->store, mem, record_bytes, key_bytes);
}

static const struct set_records records = {.of_state = of_state,
                                           .of_step = of_step,
                                           .has = has,
                                           .thaw = thaw,
                                           .list = list,
                                           .empty = empty};

const struct set_kind flat_kind = {.make = make,
                                   .free = free_flat,
                                   .clear = clear,
                                   .load = load,
                                   .prefetch = prefetch,
                                   .look = look,
                                   .add = add,
                                   .add_one = add_one,
                                   .find = find,
                                   .store = store_of,
                                   .bytes = bytes,
                                   .freeze = freeze,
                                   .is = is,
                                   .parts = &parts,
                                   .records = &records};
