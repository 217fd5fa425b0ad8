/* Zones are extrapolated with lower and upper bounds (Behrmann, Bouyer, Larsen, Pelanek 2006):
 * every added valuation is simulated by one that is reached. So exactly the reachable discrete
 * states are found, and the sequence of rules that leads to a pair can be followed in time. Being
 * stuck is not kept: a valuation that was added may be able to do less. When a model with clocks
 * seems to get stuck (BATCH_UNCLEAR), the search therefore starts again with the larger of both
 * bounds for each clock, `exact`: then every added valuation has the same future as one that is
 * reached. (Models with timers alone are stuck where no rule is enabled.)
 *
 * Invariants: (1) a monitor is evaluated once in each discrete state, when that is found; (2) the
 * zone of a pair is over the clocks of its discrete state's configuration; (3) configurations get
 * their numbers in the order in which one thread would find them. */
#include "engine/timed/zoned.h"

#include "engine/timed/zonetext.h"
#include "model/eval.h"

#include <assert.h>
#include <string.h>

enum { FIRST_CLOCKS = 8 };

/* ---- before and after ---- */

bool zoned_init(struct zoned *zoned, struct model *model, struct result *result, bool exact)
{
    struct space *space = &zoned->space;
    *zoned = (struct zoned){.result = result, .exact = exact};
    space_init(space, &zoned_kind, model);
    space->extra_words = ZONED_EXTRA;
    timers_init(&zoned->timers, model);
    clocks_init(&zoned->clocks, model, &zoned->timers, &space->program);
    pieces_init(&zoned->pieces, model, zoned->timers.list.len);
    return configs_init(&zoned->configs, model->mem, zoned->timers.list.len + model->clocks.len,
                        config_most_bounds(model));
}

void zoned_release(struct zoned *zoned)
{
    configs_release(&zoned->configs);
    listings_release_shared(zoned->listings);
    nodes_release_work(&zoned->work, zoned->space.mem);
    pieces_release(&zoned->pieces);
    mem_free(zoned->space.mem, zoned->queries);
    if (zoned->is_reduced) stubborn_release(&zoned->stubborn);
    clocks_release(&zoned->clocks);
    timers_release(&zoned->timers);
    space_release(&zoned->space);
}

/* For rules of states that come up again, where it takes long to find them. Workers that are not
 * alone are opened one after the other, with a share of the memory each. */
static void open_listings(struct worker *worker)
{
    enum { PART = 8, SHARED_PART = 2 };
    struct zoned *zoned = (struct zoned *)worker->space;
    const uint32_t words = zoned->space.layout.words;
    const uint64_t limit = worker->mem->limit;
    if (!model_has_code(zoned->space.model)) return;
    if (!worker->has_fork)
        listings_init(&zoned_of(worker)->listings, worker->mem, words,
                      limit ? limit / PART : UINT64_MAX);
    else if (!zoned->listings)
        zoned->listings = listings_share(zoned->space.mem, words, limit / SHARED_PART);
}

static bool open_worker(struct worker *worker)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    const struct layout *layout = &zoned->space.layout;
    struct mem *mem = worker->mem;
    struct zoned_worker *own = worker->own = mem_try_alloc(mem, sizeof *own);
    if (!own) return false;
    own->mem = mem;
    own->source = ZONED_NO_BUILT;
    own->pieces.mem = mem;
    federation_init(&own->within, mem, 0);
    federation_init(&own->found, mem, 0);
    bool good = batch_init(&own->listed, mem, layout->words);
    good = batch_init(&own->ahead, mem, layout->words) && good;
    good = config_builder_init(&own->builder, mem, layout, &zoned->timers, &zoned->clocks,
                               zoned->exact)
           && good;
    good =
        moves_init(&own->moves, mem, &zoned->timers, &zoned->clocks, worker->program, FIRST_CLOCKS)
        && good;
    own->moves.words = worker->words;
    open_listings(worker);
    return (!zoned->is_reduced || stubborn_open(&zoned->stubborn, &own->stubborn, mem)) && good;
}

static void close_worker(struct worker *worker)
{
    struct zoned_worker *own = worker->own;
    struct mem *mem = worker->mem;
    if (!own) return;
    if (own->moves.map) moves_release(&own->moves);
    config_builder_release(&own->builder);
    batch_release(&own->listed);
    batch_release(&own->ahead);
    listings_release(&own->listings);
    nodes_release_work(&own->looks, mem);
    stubborn_release_work(&own->stubborn, mem);
    mem_free(mem, own->enabled);
    pieces_release_work(&own->pieces);
    federation_release(&own->within);
    federation_release(&own->found);
    mem_free(mem, own->rules);
    mem_free(mem, own->moving);
    mem_free(mem, own->failed);
    mem_free(mem, own->pool);
    mem_free(mem, own->built);
    mem_free(mem, own->clocks);
    mem_free(mem, own->bounds);
    mem_free(mem, own->states);
    mem_free(mem, own->places);
    mem_free(mem, own->uses);
    mem_free(mem, own->record);
    mem_free(mem, own);
}

/* ---- states that are nobody's steps ---- */

/* The state whose words are in the empty batch, and its configuration; NULL: memory was refused. */
static struct batch_state *begin_alone(struct worker *worker, const uint64_t *words,
                                       uint32_t *built)
{
    struct zoned_worker *own = zoned_of(worker);
    struct batch_state *begun = zoned_begin(worker, SET_NONE);
    const uint64_t hash = store_hash(words, worker->space->layout.key_bytes);
    worker->is_refused = !begun || !zoned_build(worker, words, hash, built)
                         || !moves_reserve(&own->moves, zoned_config(worker, *built).count);
    if (!worker->is_refused) return begun;
    batch_clear(&worker->batch);
    return NULL;
}

/* With the zone in moves.next; its words are at batch_room. */
static bool put_alone(struct worker *worker, struct batch_state *begun, uint32_t built)
{
    const struct zoned_step known = {.discrete = STORE_NONE, .built = built};
    const uint64_t hash = store_hash(batch_words(&worker->batch, worker->batch.step_count),
                                     worker->space->layout.key_bytes);
    worker->is_refused = !zoned_put(worker, begun, &known, NULL, hash);
    if (worker->is_refused) batch_clear(&worker->batch);
    else worker->batch.steps[worker->batch.step_count - 1].set = NULL;
    return !worker->is_refused;
}

/* All zones in which the initial state begins, as steps. */
static bool put_initial(struct worker *worker, struct batch_state *begun, uint32_t built)
{
    const struct space *space = worker->space;
    struct moves *moves = &zoned_of(worker)->moves;
    const struct config config = zoned_config(worker, built);
    enum moves_result moved = moves_initial(moves, &config);
    while (moved == MOVES_ZONE && (moved = moves_next(moves)) == MOVES_ZONE) {
        uint64_t *words = batch_room(&worker->batch);
        worker->is_refused = !words;
        if (words) layout_pack(&space->layout, space->model, space->initial, words);
        if (!words || !put_alone(worker, begun, built)) break;
        worker->batch.steps[worker->batch.step_count - 1].number = 0;
    }
    worker->is_refused |= moved == MOVES_REFUSED;
    if (worker->is_refused) batch_clear(&worker->batch);
    return !worker->is_refused;
}

static bool initial(struct worker *worker, bool first)
{
    struct space *space = worker->space;
    uint64_t *words = batch_room(&worker->batch);
    uint32_t built;
    assert(words && !worker->batch.state_count); /* an empty batch has room for one */
    if (first) eval_first_initial(space->model, space->initial);
    else if (!eval_next_initial(space->model, space->initial)) return false;
    layout_pack(&space->layout, space->model, space->initial, words);
    struct batch_state *begun = begin_alone(worker, words, &built);
    return begun && put_initial(worker, begun, built);
}

bool zoned_thaw(struct worker *worker, const void *state, const uint8_t *zone, uint64_t bytes)
{
    const struct layout *layout = &worker->space->layout;
    struct zoned_worker *own = zoned_of(worker);
    uint64_t *words = batch_room(&worker->batch);
    uint32_t built;
    assert(words && !worker->batch.state_count);
    own->is_closed = false;
    memset(words, 0, layout->words * sizeof *words);
    memcpy(words, state, layout->record_bytes);
    struct batch_state *begun = begin_alone(worker, words, &built);
    if (!begun) return false;
    if (zones_read(zone, bytes, &own->moves.next)
        && dbm_clocks(&own->moves.next) == zoned_config(worker, built).count) /* (2) */
        return put_alone(worker, begun, built);
    batch_clear(&worker->batch);
    return false;
}

static bool thaw(struct worker *worker, const unsigned char *record, uint64_t size)
{
    const uint64_t state = 1 + (uint64_t)worker->space->layout.record_bytes;
    if (size <= state || record[0] > NODES_CLOSED
        || !zoned_thaw(worker, record + 1, record + state, size - state))
        return false;
    zoned_of(worker)->is_closed = record[0];
    return true;
}

/* ---- committing ---- */

static bool commit(struct worker *worker, const struct batch_state *state)
{
    struct zoned *zoned = (struct zoned *)worker->space;
    struct zoned_worker *own = zoned_of(worker);
    const uint32_t number = (uint32_t)(state - worker->batch.states);
    const uint64_t end =
        number + 1 < worker->batch.state_count ? own->states[number + 1].first_use : own->use_count;
    for (uint64_t i = own->states[number].first_use; i < end; i++) {
        struct zoned_built *built = &own->built[own->uses[i]];
        if (built->number != CONFIG_NONE) continue;
        const struct config config = zoned_config(worker, own->uses[i]);
        built->number = configs_add(&zoned->configs, &config); /* (3) */
        if (built->number == CONFIG_NONE) return false;
    }
    zoned->any_barred |= own->states[number].barred;
    return true;
}

static void describe(const struct worker *worker, uint32_t step, struct text *text)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    const struct zoned_step *extra = zoned_step(worker, step);
    const struct nodes *nodes = (const struct nodes *)worker->batch.steps[step].set;
    const struct config config = configs_get(&zoned->configs, nodes->infos[extra->discrete].config);
    const struct dbm zone = zoned_zone(worker, extra);
    zonetext_add(text, &zoned->timers, &config, &zone);
}

const struct space_kind zoned_kind = {.engine = "timed",
                                      .sets = &nodes_kind,
                                      .open = open_worker,
                                      .close = close_worker,
                                      .expand = zoned_expand,
                                      .initial = initial,
                                      .thaw = thaw,
                                      .commit = commit,
                                      .describe = describe,
                                      .complete = zoned_complete,
                                      .write_step = zoned_write_step,
                                      .write_state = zoned_write_state,
                                      .record_most = ZONED_RECORD_MOST,
                                      .alone = true,
                                      .is_slow = true};
