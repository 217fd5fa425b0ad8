/* Method. Waiting clusters are found by rank, and the one with the smallest is searched next. Its
 * pairs are expanded in the order of their numbers; one whose zone a larger one covers before its
 * turn comes is left out, because there are no shortest ways to be kept in this order.
 *
 * Memory. Discrete states, zones and pairs are a cluster's own and go with it. What stays of it is
 * its log, about half a byte per pair: how a pair was found is followed through logs alone, by
 * numbers of rules among those that are enabled, so that no zone is needed. When memory is refused,
 * all logs are given up: the search goes on, and violations that are found later are told without
 * their run. Configurations are everybody's: they are as many as there are different sets of timers
 * and clocks, whatever the rank.
 *
 * Files. A record is a pair: a byte (1: it was covered before its turn, and not expanded), the
 * discrete state, the zone as a string (zones.h). The configuration follows from the discrete
 * state. All pairs of a cluster are written, in the order of their numbers, which logs need. Adding
 * them again in this order covers and keeps what it did before, because that depends on nothing
 * else. When a search goes on, frozen pairs with steps beyond the last frozen rank are expanded
 * again, but for those that were not expanded before.
 *
 * Invariants: (1) every waiting cluster has a larger rank than the one at hand, and has a pair
 * unless memory was refused; (2) unless logs were dropped, the log of a cluster has one entry per
 * pair, in the order of numbers; (3) pairs of the cluster at hand before the cursor are expanded or
 * given up. */
#include "engine/timed/clusters.h"

#include "engine/timed/search.h"
#include "past/part.h"
#include "past/records.h"
#include "program/reached.h"

#include <stddef.h>
#include <string.h>

enum { PIECE = 4096, COVERED = 1 };

_Static_assert(sizeof(struct clusters_totals) == (HISTORY_MORE + 1) * sizeof(uint64_t),
               "all totals but states are in history->more");

/* ---- making and freeing clusters ---- */

void clusters_hash(const struct task *task, bool exact, uint64_t hash[2])
{
    hash[0] = task->freeze_hash[0] ^ (exact ? UINT64_C(0x9E3779B97F4A7C15) : 0);
    hash[1] = task->freeze_hash[1];
}

struct cluster *clusters_make(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct cluster *cluster = mem_try_alloc(mem, sizeof *cluster);
    if (!cluster) return NULL;
    origins_init(&cluster->head.origins, mem);
    if (nodes_init(&cluster->nodes, mem, search->layout.record_bytes,
                   search->task->equal_zones || search->edges.wanted, &search->nodes_work))
        return cluster;
    mem_free(mem, cluster);
    return NULL;
}

void clusters_free(struct search *search, struct cluster *cluster)
{
    if (!cluster) return;
    nodes_release(&cluster->nodes);
    origins_release(&cluster->head.origins);
    mem_free(search->model->mem, cluster);
}

static struct cluster *waiting(const struct history *history, uint32_t i)
{
    return (struct cluster *)history_waiting(history, i);
}

void clusters_release(struct search *search)
{
    struct clusters *past = search->past;
    for (uint32_t i = 0; i < past->history.waiting.count; i++)
        clusters_free(search, waiting(&past->history, i));
    history_release(&past->history);
    mem_free(past->mem, past);
    search->past = NULL;
}

bool clusters_relieve(struct search *search)
{
    if (!search->past) return false;
    struct history *history = &search->past->history;
    if (history_use_reserve(history)) return true;
    if (history->is_full || history->freezer || history->logs_dropped) return false;
    zsearch_report_findings(search); /* while the ways to them are known */
    return history_drop_logs(history);
}

/* ---- adding pairs ---- */

struct cluster *clusters_find(const struct search *search, const uint64_t *words)
{
    if (!search->past) return search->cluster;
    uint64_t rank = history_rank(&search->past->history, words);
    return search->cluster && search->cluster->head.rank == rank
               ? search->cluster
               : ranks_find(&search->past->history.waiting, rank);
}

static struct cluster *new_cluster(struct search *search, uint64_t rank)
{
    struct history *history = &search->past->history;
    struct cluster_statistics *statistics = history->statistics;
    struct cluster *cluster = NULL;
    do {
        if (ranks_reserve(&history->waiting)) cluster = clusters_make(search);
    } while (!cluster && clusters_relieve(search));
    if (!cluster) {
        zsearch_stop(search, STOP_MEMORY);
        return NULL;
    }
    cluster->head.rank = rank;
    ranks_put(&history->waiting, rank, cluster);
    statistics->clusters++;
    if (++statistics->live > statistics->live_peak) statistics->live_peak = statistics->live;
    return cluster;
}

struct cluster *clusters_reach(struct search *search, const uint64_t *words)
{
    struct cluster *cluster = clusters_find(search, words);
    if (cluster) return cluster;
    uint64_t rank = history_rank(&search->past->history, words);
    if (!search->cluster || rank > search->cluster->head.rank) return new_cluster(search, rank);
    zsearch_stop(search, STOP_RANK);
    return NULL;
}

bool clusters_added(struct search *search, struct cluster *cluster, int64_t more, uint32_t parent,
                    uint32_t step)
{
    struct history *history = &search->past->history;
    struct cluster_statistics *statistics = history->statistics;
    bool is_initial = parent == NODES_NONE;
    statistics->live_states += (uint64_t)more;
    if (statistics->live_states > statistics->peak_states)
        statistics->peak_states = statistics->live_states;
    return history_log(history, &cluster->head, is_initial ? step : parent, is_initial ? 0 : step)
           || zsearch_stop(search, STOP_MEMORY);
}

/* ---- the search ---- */

static void add_totals(struct clusters_totals *totals, const struct nodes *nodes)
{
    totals->states += nodes_kept(nodes);
    totals->discrete += nodes->discrete.count;
    totals->zones += nodes->zones.count;
    totals->zone_bytes += nodes->zones.string_bytes;
    totals->covered += nodes->covered;
    totals->given_up += nodes->given_up;
}

/* Of finished clusters. */
static struct clusters_totals done_totals(const struct history *history)
{
    struct clusters_totals totals = {.states = history->done_states};
    memcpy(&totals.discrete, history->more, sizeof history->more);
    return totals;
}

struct clusters_totals clusters_sum(const struct search *search)
{
    struct clusters_totals totals = {0};
    const struct history *history = search->past ? &search->past->history : NULL;
    if (history) totals = done_totals(history);
    if (search->configs.most > totals.largest) totals.largest = search->configs.most;
    if (history && history->statistics->handed_on) return totals;
    for (uint32_t i = 0; history && i < history->waiting.count; i++)
        add_totals(&totals, &waiting(history, i)->nodes);
    if (search->cluster) add_totals(&totals, &search->cluster->nodes);
    return totals;
}

static void note_space(struct clusters *past)
{
    uint64_t bytes = past->mem->used - past->before;
    if (bytes > past->space_bytes) past->space_bytes = bytes;
}

static bool finish(struct search *search)
{
    struct history *history = &search->past->history;
    struct cluster *cluster = search->cluster;
    struct clusters_totals before = done_totals(history), totals = before;
    uint64_t states = nodes_kept(&cluster->nodes);
    note_space(search->past);
    reached_scan(search->model, &search->layout, &cluster->nodes.discrete, search->result,
                 history->scan);
    add_totals(&totals, &cluster->nodes);
    if (search->configs.most > totals.largest) totals.largest = search->configs.most;
    memcpy(history->more, &totals.discrete, sizeof history->more);
    if (!history_finish(history, states)) {
        memcpy(history->more, &before.discrete, sizeof history->more);
        return false;
    }
    history->statistics->live--;
    history->statistics->live_states -= states;
    clusters_free(search, cluster);
    search->cluster = NULL;
    return true;
}

static bool search_cluster(struct search *search)
{
    struct nodes *nodes = &search->cluster->nodes;
    const struct history *history = &search->past->history;
    for (uint64_t cursor = 0; cursor < nodes->count; cursor++) {
        nodes->next_level = cursor + 1;
        if (nodes_is_given_up(nodes, (uint32_t)cursor)) continue;
        if (!zsearch_poll(search) || !zsearch_expand(search, (uint32_t)cursor)) return false;
        search->result->expanded++;
        if (history->is_full && history->statistics->finished)
            return zsearch_stop(search, STOP_MEMORY);
    }
    return true;
}

static bool search_all(void *context)
{
    struct search *search = context;
    struct history *history = &search->past->history;
    while (history->waiting.count) {
        if (part_is_deep(history, history->waiting.heap[0].rank))
            return zsearch_stop(search, STOP_HANDED_ON);
        search->cluster = ranks_take(&history->waiting);
        history->current = &search->cluster->head;
        history->statistics->rank = history->farthest = history->current->rank;
        if (!search_cluster(search) || !finish(search)) return false;
    }
    return true;
}

bool clusters_run(struct search *search) { return history_run(&search->past->history, search_all); }

bool clusters_add_seeds(struct search *search)
{
    return part_add_seeds(&search->past->history, true, 0, true);
}

void clusters_forget(struct search *search)
{
    struct history *history = &search->past->history;
    if (history->freezer)
        freezer_forget(
            history->freezer); /* one that cannot be forgotten is another run's, and refused */
}

/* The run is made at once, while everything is there; from files, after the search. */
void clusters_violated(struct search *search, uint32_t property, const struct cluster *cluster,
                       uint32_t node, uint32_t failed_rule)
{
    struct history *history = &search->past->history;
    history_violated(history, property, cluster->head.rank, node, failed_rule,
                     store_get(&cluster->nodes.discrete, cluster->nodes.list[node].discrete));
    if (!history->freezer) history_make_traces(history);
}

void clusters_conclude(struct search *search)
{
    struct clusters *past = search->past;
    struct history *history = &past->history;
    note_space(past);
    history_conclude(history);
    for (uint32_t i = 0; i < history->waiting.count; i++)
        reached_scan(search->model, &search->layout, &waiting(history, i)->nodes.discrete,
                     search->result, history->scan);
    if (search->cluster)
        reached_scan(search->model, &search->layout, &search->cluster->nodes.discrete,
                     search->result, history->scan);
    reached_end(search->model, search->result);
}

/* ---- records ---- */

static uint64_t states_of(const struct history_cluster *cluster)
{
    return nodes_kept(&((const struct cluster *)cluster)->nodes);
}

static uint64_t records_of(const struct history_cluster *cluster)
{
    uint64_t pairs = ((const struct cluster *)cluster)->nodes.count;
    return pairs < cluster->origins.states ? pairs : cluster->origins.states;
}

static uint64_t bytes_of(const struct history *history, const struct history_cluster *cluster)
{
    const struct nodes *nodes = &((const struct cluster *)cluster)->nodes;
    uint64_t count = records_of(cluster),
             bytes = count * (RECORDS_HEAD + UINT64_C(1) + history->layout->record_bytes);
    for (uint64_t i = 0; i < count; i++) {
        size_t zone;
        zones_string(&nodes->zones, nodes->list[i].zone, &zone);
        bytes += zone;
    }
    return bytes + (bytes / PIECE + 1) * FREEZER_ITEM;
}

/* Bytes on their way to a freezer, which takes larger pieces. */
struct stream {
    struct freezer *freezer;
    size_t used;
    bool good;
    unsigned char bytes[PIECE];
};

static void flush(struct stream *stream)
{
    stream->good =
        stream->good && freezer_put(stream->freezer, FREEZER_RECORDS, stream->bytes, stream->used);
    stream->used = 0;
}

static void put_bytes(struct stream *stream, const void *bytes, size_t size)
{
    for (const unsigned char *at = bytes; size;) {
        size_t some = size < PIECE - stream->used ? size : PIECE - stream->used;
        memcpy(stream->bytes + stream->used, at, some);
        stream->used += some;
        at += some;
        size -= some;
        if (stream->used == PIECE) flush(stream);
    }
}

static bool put_records(struct history *history, const struct history_cluster *cluster,
                        struct freezer *freezer)
{
    const struct nodes *nodes = &((const struct cluster *)cluster)->nodes;
    struct stream stream = {.freezer = freezer, .good = true};
    for (uint64_t i = 0, count = records_of(cluster); stream.good && i < count; i++) {
        const struct node *node = &nodes->list[i];
        unsigned char flags = nodes_is_given_up(nodes, (uint32_t)i) ? COVERED : 0;
        size_t zone_bytes;
        const uint8_t *zone = zones_string(&nodes->zones, node->zone, &zone_bytes);
        uint32_t size = (uint32_t)(1 + history->layout->record_bytes + zone_bytes);
        put_bytes(&stream, &size, RECORDS_HEAD);
        put_bytes(&stream, &flags, 1);
        put_bytes(&stream, store_get(&nodes->discrete, node->discrete),
                  history->layout->record_bytes);
        put_bytes(&stream, zone, zone_bytes);
    }
    flush(&stream);
    return stream.good;
}

/* The state in search->words, the zone in moves.next, and what is known of the state in *to. False:
 * it makes no sense, or the result says why. */
bool clusters_read(struct search *search, const unsigned char *record, uint64_t size, bool *covered,
                   struct enabled *to)
{
    const uint64_t state = 1 + (uint64_t)search->layout.record_bytes;
    if (size <= state || record[0] > COVERED) return false;
    *covered = record[0];
    *to = (struct enabled){.discrete = NODES_NONE};
    search->words[search->layout.words - 1] = 0;
    memcpy(search->words, record + 1, search->layout.record_bytes);
    if (!zsearch_find_config(search, search->words, to)) return false;
    to->hash = store_hash(search->words, search->layout.record_bytes);
    return zones_read(record + state, size - state, &search->moves.next)
           && dbm_clocks(&search->moves.next) == configs_get(&search->configs, to->config)->count;
}

/* ---- what history asks ---- */

static bool relieve(struct history *history) { return clusters_relieve(history->search); }

static bool add_initial(struct history *history, bool all, uint64_t above)
{
    return part_has_seeds(history->task)
               ? part_add_seeds(history, all, above, false)
               : zsearch_add_initial(history->search, false, all ? NULL : &above);
}

static bool add_seed(struct history *history, const unsigned char *record, uint64_t size,
                     bool watch)
{
    struct search *search = history->search;
    struct enabled to;
    bool covered;
    if (!clusters_read(search, record, size, &covered, &to)) return false;
    to.cluster = clusters_reach(search, search->words);
    if (!to.cluster) return false;
    uint64_t before = to.cluster->nodes.count;
    if (!zsearch_add_pair(search, search->words, &to, NODES_NONE, to.cluster->head.origins.states,
                          watch ? search->active : 0))
        return false;
    zsearch_report_findings(search);
    return to.cluster->nodes.count == before + 1 && zsearch_poll(search);
}

static bool expand(struct history *history, const unsigned char *record, uint64_t size,
                   uint64_t state, uint64_t last)
{
    struct search *search = history->search;
    struct enabled to;
    bool covered;
    if (!zsearch_poll(search) || !clusters_read(search, record, size, &covered, &to)) return false;
    if (covered) return true;
    moves_enter_zone(&search->moves, configs_get(&search->configs, to.config), &search->moves.next);
    bool going = zsearch_list_enabled(search);
    for (uint32_t i = 0; going && i < search->enabled_count; i++)
        if (history_rank(history, zsearch_successor(search, i)) > last)
            going = zsearch_take(search, (uint32_t)state, i, false);
    return going;
}

static void discard(struct history *history)
{
    while (history->waiting.count) {
        struct cluster *cluster = ranks_take(&history->waiting);
        history->statistics->live--;
        history->statistics->live_states -= nodes_kept(&cluster->nodes);
        clusters_free(history->search, cluster);
    }
}

static uint32_t monitors(const struct history *history)
{
    return ((const struct search *)history->search)->monitor_count;
}

static unsigned monitor_bits(const struct history *history, uint32_t m)
{
    const struct monitor *monitor = &((const struct search *)history->search)->monitors[m];
    return !monitor->active + 2u * monitor->failed;
}

static void set_monitor(struct history *history, uint32_t m, unsigned bits)
{
    struct search *search = history->search;
    search->monitors[m].failed |= bits >> 1 & 1;
    if (bits & 1) zsearch_end_monitor(search, m);
}

static void decided(struct history *history, uint32_t property)
{
    struct search *search = history->search;
    search->undecided -= !search->task->properties[property].watched_only;
}

static bool find_initial(const struct history *history, uint64_t rank, uint64_t number,
                         int64_t *values)
{
    (void)rank;
    eval_first_initial(history->model, values);
    for (; number; number--)
        if (!eval_next_initial(history->model, values)) return false;
    return true;
}

static void complete(struct history *history, struct property_result *entry, const uint64_t *words)
{
    zsearch_complete(history->search, entry, words);
}

static const struct history_engine engine = {.more = HISTORY_MORE,
                                             .states = states_of,
                                             .records = records_of,
                                             .bytes = bytes_of,
                                             .put = put_records,
                                             .relieve = relieve,
                                             .add_initial = add_initial,
                                             .add_seed = add_seed,
                                             .expand = expand,
                                             .discard = discard,
                                             .monitors = monitors,
                                             .monitor = monitor_bits,
                                             .set_monitor = set_monitor,
                                             .decided = decided,
                                             .find_initial = find_initial,
                                             .complete = complete};

bool clusters_init(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct clusters *past = search->past = mem_alloc(mem, sizeof *past);
    past->mem = mem;
    past->before = mem->used;
    past->history = (struct history){.search = search,
                                     .engine = &engine,
                                     .task = search->task,
                                     .model = search->model,
                                     .result = search->result,
                                     .layout = &search->layout,
                                     .program = &search->program,
                                     .alone = true,
                                     .varies = true};
    clusters_hash(search->task, search->exact, past->history.hash);
    return history_init(&past->history);
}
