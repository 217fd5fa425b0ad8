/* Who owns a state is in a hash of its packed words, of which the set uses other bits. A step that
 * leads to a state of another peer belongs to no set here: it is sent when it is told
 * (order->log), and what arrives is added between slices of a level, as the states of nobody.
 *
 * Whatever happens to one peer is known to all where the next level ends: states that are new,
 * violations, why a peer must stop. Until then a peer that must stop receives, and adds no more. So
 * all take part in the same meetings.
 *
 * Nobody keeps who discovered whom. A run is found backwards, level by level: all expand the level
 * before once more and look who leads there (trail.h).
 *
 * Invariants: (1) states before the cursor are expanded; (2) the states of a level follow each
 * other, from firsts[level] on; (3) all peers have the same verdicts, depth and levels where a
 * level begins. */
#include "search/spread.h"

#include "base/clock.h"
#include "base/peers.h"
#include "search/freight.h"
#include "search/levels.h"
#include "search/path.h"
#include "search/post.h"
#include "search/trail.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_TEST_HOOKS
enum { SLICE_STATES = 16, CHUNK = 3, TEAM_SLICES = 2 };
#else
/* states that are expanded between two looks at what has arrived; that are looked up together */
enum { SLICE_STATES = 512, CHUNK = 64, TEAM_SLICES = 64 };
#endif

/* Where a property is violated, of those that were found since the last level ended. */
struct found {
    bool is_here;
    uint64_t state;
    uint32_t failed_rule;
    uint64_t *words; /* the state, that an earlier run has found; or NULL */
};

struct spread {
    struct post post;
    struct worker *inbox;    /* whose batch has what arrived */
    struct levels levels;    /* of all peers */
    VEC(uint64_t) firsts;    /* of this one */
    uint64_t total;          /* states of all peers, where the last level ended */
    struct found *found;     /* per property */
    bool is_told;            /* a verdict comes from another peer */
    bool is_stopping;        /* the others know that this peer must stop */
    uint64_t *values;        /* for meetings */
    bool is_due;             /* levels are to be written, by all */
    struct freight *freight; /* or NULL: nothing is kept in files */
};

static uint32_t owner_of(const struct peers *peers, uint64_t hash)
{
    const uint64_t mixed = (hash ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed >> 32) * peers->count >> 32);
}

/* ---- before and after ---- */

static bool open_inbox(struct search *search, struct spread *spread)
{
    struct mem *mem = search->model->mem;
    spread->inbox = mem_alloc(mem, sizeof *spread->inbox);
    return worker_open(spread->inbox, search->space, mem, true);
}

static bool owns(const struct search *search, uint64_t hash)
{
    return owner_of(search->task->peers, hash) == search->task->peers->me;
}

static bool begin_level(struct search *search, uint64_t total);

/* An earlier run has found a violation: kept until all have heard of it. */
static void keep_violated(struct search *search, uint32_t property, const uint64_t *words,
                          uint32_t failed_rule)
{
    struct spread *spread = search->own;
    struct found *found = &spread->found[property];
    const size_t size = (search->space->layout.words + UINT64_C(1)) * sizeof *words;
    if (found->words) return;
    found->words = mem_alloc(search->model->mem, size);
    found->failed_rule = failed_rule;
    memcpy(found->words, words, search->space->layout.record_bytes);
}

static bool open_files(struct search *search)
{
    struct spread *spread = search->own;
    struct result *result = search->result;
    const struct freight_search of = {search, spread->inbox, &spread->levels,
                                      owns,   begin_level,   keep_violated};
    spread->freight = freight_open(&of);
    uint64_t refused = !spread->freight;
    if (!search->task->peers->kind->reduce(search->task->peers, &refused, 1, NULL, 0)) return false;
    if (refused && !result->refused) result->refused = "another rank cannot write its folder";
    if (refused) result->refused_for = STOP_DISK;
    return !refused;
}

static bool begin(struct search *search)
{
    struct mem *mem = search->model->mem;
    const struct task *task = search->task;
    const uint64_t properties = task->property_count;
    struct spread *spread = search->own = mem_alloc(mem, sizeof *spread);
    task->peers->stage = PEERS_TOGETHER;
    search->result->has_depth = true;
    spread->found = mem_alloc(mem, (properties + 1) * sizeof *spread->found);
    spread->values = mem_alloc(mem, (5 * properties + 8) * sizeof *spread->values);
    search->set = search->space->kind->sets->make(search->space);
    const bool good = search->set && open_inbox(search, spread)
                      && post_open(&spread->post, mem, task->peers, &search->space->layout,
                                   search->space->kind->record_most);
    /* all begin, or none */
    uint64_t refused = !good;
    if (!task->peers->kind->reduce(task->peers, &refused, 1, NULL, 0) || refused) return false;
    return !task->freeze || open_files(search);
}

static void end(struct search *search)
{
    struct spread *spread = search->own;
    struct mem *mem = search->model->mem;
    if (search->set) search->set->kind->free(search->set);
    if (spread->freight) freight_close(spread->freight);
    if (spread->inbox) worker_close(spread->inbox);
    mem_free(mem, spread->inbox);
    post_close(&spread->post);
    vec_free(mem, &spread->firsts);
    mem_free(mem, spread->found);
    mem_free(mem, spread->values);
    mem_free(mem, spread);
}

/* ---- what arrives ---- */

/* What is in the inbox's batch becomes states of the set. */
static void add_arrived(struct search *search, struct worker *inbox)
{
    const struct set_kind *sets = search->space->kind->sets;
    struct batch *batch = &inbox->batch;
    const uint32_t count = batch->step_count;
    for (uint32_t i = 0; i < count; i++) batch->steps[i].set = search->set;
    sets->prefetch(inbox, 0, count);
    sets->look(inbox, 0, count);
    bool good = search_commit(search, inbox, &batch->states[0]);
    if (good && sets->add(inbox, 0, count) < count) good = poll_stop(search, STOP_MEMORY);
    for (uint32_t f = 0; search->findings.active && f < batch->fresh_count; f++) {
        const struct batch_step *step = &batch->steps[batch->fresh[f]];
        if (!step->is_quiet)
            findings_state(search, search->findings.active, batch_words(batch, batch->fresh[f]),
                           step->set, step->to);
    }
    batch_clear(batch);
}

/* Some states of the message at hand, as steps of nobody. False: memory was refused. */
static bool take_words(struct search *search, struct worker *inbox)
{
    struct spread *spread = search->own;
    struct batch *batch = &inbox->batch;
    struct batch_state *begun = batch_begin(batch, SET_NONE);
    while (begun && batch->step_count < CHUNK && !post_is_read(&spread->post)) {
        uint64_t *words = batch_room(batch);
        if (!words) break;
        post_take(&spread->post, words);
        struct batch_step *step = batch_put(batch, begun);
        step->fast = NULL;
        step->hash = space_hash(search->space, words);
        assert(owner_of(search->task->peers, step->hash) == search->task->peers->me);
    }
    return batch->step_count;
}

static bool take_record(struct search *search, struct worker *inbox)
{
    struct spread *spread = search->own;
    uint32_t size;
    const unsigned char *record = post_take_record(&spread->post, &size);
    return search->space->kind->thaw(inbox, record, size);
}

/* Everything that has arrived. When the search must end, it is only counted. */
static bool receive(struct search *search)
{
    struct spread *spread = search->own;
    struct post *post = &spread->post;
    bool any = false;
    while (post_receive(post)) {
        any = true;
        while (!post_is_read(post)) {
            if (search->result->stop != STOP_NONE) {
                post->states = 0;
                break;
            }
            if (!(search->space->kind->write_step ? take_record : take_words)(search,
                                                                              spread->inbox)) {
                batch_clear(&spread->inbox->batch);
                poll_stop(search, STOP_MEMORY);
            } else add_arrived(search, spread->inbox);
        }
    }
    return any;
}

/* Nothing can be done here before something arrives. */
static void wait(struct search *search, uint32_t *times)
{
    struct spread *spread = search->own;
    struct peers *peers = search->task->peers;
    const double begun = clock_now();
    if (receive(search)) *times = 0;
    else peers->kind->rest(peers, (*times)++);
    spread->post.waiting += clock_now() - begun;
    if (search->result->stop == STOP_NONE) poll_now(search);
}

/* ---- what is sent ---- */

static void place(const struct search *search, struct worker *worker, uint32_t first, uint32_t end)
{
    const struct peers *peers = search->task->peers;
    struct batch_step *steps = worker->batch.steps;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t owner = owner_of(peers, steps[i].hash);
        steps[i].tag = owner;
        if (owner != peers->me) steps[i].set = NULL;
    }
}

/* With several threads, what they found has its numbers already: nothing may be added before that
 * is told, and so there are more buffers. False: the search must end. */
static bool make_room(struct search *search, uint32_t to)
{
    struct spread *spread = search->own;
    const bool has_more = search->team != NULL;
    uint32_t times = 0;
    while (!post_make_room(&spread->post, to, has_more)) {
        if (has_more) return poll_stop(search, STOP_MEMORY);
        wait(search, &times);
        if (search->task->peers->has_failed) return poll_stop(search, STOP_PEERS);
    }
    return true;
}

static bool send_record(struct search *search, struct worker *worker, uint32_t i)
{
    struct spread *spread = search->own;
    const struct space_kind *kind = search->space->kind;
    const unsigned char *record;
    const size_t size = kind->write_step(worker, i, &record);
    if (!size) return poll_stop(search, STOP_MEMORY);
    post_put_record(&spread->post, (uint32_t)worker->batch.steps[i].tag, record, (uint32_t)size);
    return true;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct spread *spread = search->own;
    const struct batch *batch = &worker->batch;
    const bool is_plain = !search->space->kind->write_step;
    if (state->state == SET_NONE) return true; /* every peer finds its initial states */
    for (uint32_t i = first; i < end; i++) {
        const struct batch_step *step = &batch->steps[i];
        if (step->set) continue;
        const uint32_t to = (uint32_t)step->tag;
        if (!post_has_room(&spread->post, to) && !make_room(search, to)) return false;
        if (is_plain) post_put(&spread->post, to, batch_words(batch, i));
        else if (!send_record(search, worker, i)) return false;
    }
    return true;
}

/* ---- where a level ends ---- */

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    struct spread *spread = search->own;
    assert(property < search->task->property_count && set == search->set);
    if (!spread->is_told && !spread->found[property].is_here)
        spread->found[property] = (struct found){true, state, failed_rule, NULL};
    if (!spread->is_told && spread->freight)
        freight_violated(spread->freight, property, state, failed_rule);
}

/* Everything that was sent in this level has arrived. */
static void settle(struct search *search)
{
    struct spread *spread = search->own;
    uint32_t times = 0;
    if (search->result->stop != STOP_NONE && !spread->is_stopping) {
        post_tell_stop(&spread->post);
        spread->is_stopping = true;
    }
    post_end_level(&spread->post);
    while (!search->task->peers->has_failed && !post_is_over(&spread->post)) wait(search, &times);
    if (search->findings.found) findings_report(search);
}

/* A property was found violated by a peer, which has the lowest number of those that did: all give
 * it the same run. False: a peer has failed. */
static bool show(struct search *search, uint32_t property, uint32_t finder)
{
    struct spread *spread = search->own;
    const struct found *found = &spread->found[property];
    struct property_result *entry = &search->task->properties[property];
    assert(finder < search->task->peers->count);
    spread->is_told = true;
    if (entry->verdict != VERDICT_VIOLATED)
        findings_violated(search, property, search->set, SET_NONE, MODEL_NONE);
    spread->is_told = false;
    assert(!entry->trace && entry->verdict == VERDICT_VIOLATED);
    const struct trail trail = {.search = search,
                                .firsts = spread->firsts.data,
                                .level_count = spread->firsts.len,
                                .finder = finder,
                                .state = found->state,
                                .failed_rule = found->failed_rule};
    return trail_show(&trail, property);
}

/* What one peer knows, all do. False: a peer has failed. */
static bool meet(struct search *search, uint64_t *fresh)
{
    struct spread *spread = search->own;
    struct peers *peers = search->task->peers;
    struct result *result = search->result;
    const uint32_t properties = search->task->property_count, monitors = search->findings.count;
    uint64_t sums[2] = {search_kept(search), search->set->count - search->set->next_level};
    uint64_t *maxima = spread->values, *finders = maxima + 2, *bits = finders + properties;
    maxima[0] = result->stop;
    maxima[1] = spread->freight && freight_is_due(spread->freight);
    for (uint32_t i = 0; i < properties; i++)
        finders[i] = spread->found[i].is_here ? peers->count - peers->me : 0;
    for (uint32_t m = 0; m < monitors; m++) {
        const unsigned said = findings_monitors.bits(search, m);
        bits[2 * m] = said & 1;
        bits[2 * m + 1] = said & 2;
    }
    if (peers->has_failed
        || !peers->kind->reduce(peers, sums, 2, maxima, 2 + properties + 2 * monitors))
        return poll_stop(search, STOP_PEERS);
    spread->total = sums[0];
    *fresh = sums[1];
    result->stop = (enum stop_reason)maxima[0];
    spread->is_due = maxima[1];
    for (uint32_t m = 0; m < monitors; m++)
        findings_monitors.set_bits(search, m, (unsigned)(bits[2 * m] | bits[2 * m + 1]));
    for (uint32_t i = 0; i < properties; i++) {
        if (finders[i] && !show(search, i, peers->count - (uint32_t)finders[i]))
            return poll_stop(search, STOP_PEERS);
        spread->found[i].is_here = false;
    }
    return true;
}

/* Ends a level, by all peers. *fresh: states of the next one. False: the search must end, for all
 * of them. */
static bool end_level(struct search *search, uint64_t *fresh)
{
    settle(search);
    return meet(search, fresh) && search->result->stop == STOP_NONE;
}

/* The next level begins with the states that are new. */
static bool begin_level(struct search *search, uint64_t total)
{
    struct spread *spread = search->own;
    vec_push(search->model->mem, &spread->firsts, search->set->next_level);
    search->set->next_level = search->set->count;
    spread->total = total;
    return levels_push(search, &spread->levels, total);
}

static void write_levels(struct search *search)
{
    const struct spread *spread = search->own;
    if (spread->freight && search->result->stop == STOP_NONE)
        freight_write(spread->freight, spread->firsts.data, spread->firsts.len);
}

/* Whether the level that begins need not be expanded. All peers say the same, also one that has no
 * memory for it. */
static bool is_enough(struct search *search)
{
    const uint64_t bound = search->task->max_depth;
    enum stop_reason stop = poll_decided(search);
    if (stop == STOP_NONE && bound && search->result->depth >= bound) stop = STOP_DEPTH;
    return stop != STOP_NONE && !poll_stop(search, stop);
}

/* ---- the search ---- */

static void expand_level(struct search *search, uint64_t *cursor)
{
    const struct spread *spread = search->own;
    const uint64_t end = search->set->next_level,
                   slice = search->team ? TEAM_SLICES * SLICE_STATES : SLICE_STATES;
    while (*cursor < end && search->result->stop == STOP_NONE && !spread->post.must_stop) {
        const uint64_t until = end - *cursor < slice ? end : *cursor + slice;
        if (search_expand(search, cursor, until)) receive(search);
    }
    assert(*cursor <= end); /* (1) */
}

/* A violation that an earlier run has found, as one peer has read: its owner has found it. False: a
 * peer has failed. */
static bool find_again(struct search *search, uint32_t property, uint32_t reader)
{
    struct spread *spread = search->own;
    struct peers *peers = search->task->peers;
    struct found *found = &spread->found[property];
    const uint32_t size = search->space->layout.words * sizeof *found->words;
    uint64_t *words = search->worker->other;
    bool is_new = false;
    if (found->words) memcpy(words, found->words, size);
    if (!peers->kind->broadcast(peers, reader, words, size)
        || !peers->kind->broadcast(peers, reader, &found->failed_rule, sizeof found->failed_rule))
        return false;
    const uint64_t hash = space_hash(search->space, words);
    mem_free(search->model->mem, found->words);
    found->words = NULL;
    if (!owns(search, hash)) return true;
    found->state = search->set->kind->add_one(search->set, words, hash, &is_new);
    found->is_here = true;
    assert(!is_new && found->state != SET_NONE);
    freight_violated(spread->freight, property, found->state, found->failed_rule);
    return true;
}

static void find_all_again(struct search *search)
{
    const struct spread *spread = search->own;
    struct peers *peers = search->task->peers;
    const uint32_t count = search->task->property_count;
    uint64_t *readers = spread->values;
    for (uint32_t i = 0; i < count; i++)
        readers[i] = spread->found[i].words ? peers->count - peers->me : 0;
    readers[count] = search->result->stop;
    bool good = spread_unite(search->task, NULL, 0, readers, count + 1);
    for (uint32_t i = 0; good && i < count && !readers[count]; i++)
        if (readers[i]) good = find_again(search, i, peers->count - (uint32_t)readers[i]);
    if (!good) poll_stop(search, STOP_PEERS);
}

/* Where an earlier run was: its last level has begun. False: there was none. */
static bool resume(struct search *search, uint64_t *cursor)
{
    const struct spread *spread = search->own;
    if (!spread->freight) return false;
    freight_resume(spread->freight);
    find_all_again(search);
    if (spread->firsts.len) *cursor = spread->firsts.data[spread->firsts.len - 1];
    return spread->firsts.len;
}

static void expand_levels(struct search *search)
{
    const struct spread *spread = search->own;
    uint64_t cursor = 0, fresh = 0;
    const bool is_resumed = resume(search, &cursor);
    if (is_resumed) {
        /* all hear of violations, and whether all could read what there was */
        if (!end_level(search, &fresh) || is_enough(search)) return;
        write_levels(search);
        expand_level(search, &cursor);
    } else if (search->result->stop == STOP_NONE) search_add_initial(search);
    for (bool is_first = !is_resumed; end_level(search, &fresh); is_first = false) {
        if (!fresh && !is_first) return;
        search->result->depth += !is_first;
        begin_level(search, spread->total);
        if (is_enough(search)) return;
        if (spread->is_due) write_levels(search);
        if (search->result->stop == STOP_NONE) expand_level(search, &cursor);
    }
}

/* The counts of all peers, and what each of them did. */
static void sum_up(struct search *search)
{
    struct spread *spread = search->own;
    struct result *result = search->result;
    struct peers *peers = search->task->peers;
    struct mem *mem = search->model->mem;
    uint64_t *const counts[] = {&result->transitions, &result->initial_states,
                                &result->deadlocks,   &result->runtime_errors,
                                &result->ends,        &result->expanded};
    enum { COUNTS = sizeof counts / sizeof *counts, FIELDS = 7 };
    const uint32_t rules = search->model->rules.len;
    const struct mem_lift before = mem_lift(mem);
    const uint64_t size = COUNTS + rules + (uint64_t)peers->count * FIELDS;
    uint64_t *sums = mem_alloc(mem, size * sizeof *sums);
    uint64_t(*fields)[FIELDS] = (uint64_t(*)[FIELDS])(sums + COUNTS + rules);
    for (uint32_t i = 0; i < COUNTS; i++) sums[i] = *counts[i];
    memcpy(sums + COUNTS, result->taken, rules * sizeof *sums);
    const uint64_t mine[FIELDS] = {search_kept(search),
                                   result->transitions,
                                   spread->post.sent_states,
                                   spread->post.messages,
                                   spread->post.bytes,
                                   mem->peak,
                                   (uint64_t)(spread->post.waiting * 1e6)};
    memcpy(fields[peers->me], mine, sizeof mine);
    if (!peers->has_failed && peers->kind->reduce(peers, sums, (uint32_t)size, NULL, 0)) {
        for (uint32_t i = 0; i < COUNTS; i++) *counts[i] = sums[i];
        memcpy(result->taken, sums + COUNTS, rules * sizeof *sums);
        result->peers = mem_alloc(mem, peers->count * sizeof *result->peers);
        result->peer_count = peers->count;
        for (uint32_t i = 0; i < peers->count; i++)
            result->peers[i] = (struct peer_statistics){
                fields[i][0], fields[i][1], fields[i][2],      fields[i][3],
                fields[i][4], fields[i][5], fields[i][6] / 1e6};
    } else poll_stop(search, STOP_PEERS);
    mem_free(mem, sums);
    mem_lower(mem, before);
}

static bool run(struct search *search)
{
    struct spread *spread = search->own;
    expand_levels(search);
    if (spread->freight) freight_close(spread->freight);
    spread->freight = NULL;
    sum_up(search);
    return search->result->stop == STOP_NONE;
}

bool spread_unite(const struct task *task, uint64_t *sums, uint32_t sum_count, uint64_t *maxima,
                  uint32_t maximum_count)
{
    struct peers *peers = task->peers;
    return !peers->has_failed && peers->kind->reduce(peers, sums, sum_count, maxima, maximum_count);
}

bool spread_part(struct search *search)
{
    struct peers *peers = search->task->peers;
    struct result *result = search->result;
    const uint64_t count = result_shape(search->model).reached;
    uint8_t *reached = result->reached; /* or NULL: there was no memory for a set here */
    bool good = !peers->has_failed;
    const struct mem_lift before = mem_lift(search->model->mem);
    uint64_t *bits = mem_alloc(search->model->mem, 8 * count * sizeof *bits);
    for (uint64_t i = 0; reached && i < 8 * count; i++) bits[i] = reached[i / 8] >> i % 8 & 1;
    good = good && peers->kind->reduce(peers, NULL, 0, bits, (uint32_t)(8 * count));
    for (uint64_t i = 0; reached && good && i < 8 * count; i++)
        reached[i / 8] |= (uint8_t)(bits[i] << i % 8);
    mem_free(search->model->mem, bits);
    mem_lower(search->model->mem, before);
    peers->stage = PEERS_PARTED;
    return good;
}

static uint64_t states(const struct search *search)
{
    const struct spread *spread = search->own;
    const uint64_t here = search_kept(search);
    return spread->total > here ? spread->total : here;
}

static void conclude(struct search *search)
{
    const struct spread *spread = search->own;
    search->result->levels = spread->levels.list;
    search->result->level_count = spread->levels.count;
}

static void show_progress(const struct search *search, struct search_progress *progress)
{
    (void)search;
    progress->by_levels = true;
}

const struct order spread_order = {.name = "spread",
                                   .merges = true,
                                   .can_forget = true,
                                   .decides_late = true,
                                   .no_graph = "temporal properties are not decided by several "
                                               "ranks: no rank has the whole graph",
                                   .begin = begin,
                                   .run = run,
                                   .conclude = conclude,
                                   .end = end,
                                   .place = place,
                                   .log = log_steps,
                                   .violated = violated,
                                   .states = states,
                                   .show = show_progress};
