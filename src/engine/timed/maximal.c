/* Is there a run on which a condition r is true all the time, during delays too? It begins in an
 * initial state, or, for p --> q, in any moment that can be reached and has p and not q. A run is
 * infinite (infinitely many steps in finite time count), or it ends where time can pass for ever
 * with r, or where no step is possible any more and r stays true as long as time can pass.
 *
 *     E[] p     such a run with r = p
 *     A<> p     no such run with r = not p
 *     p --> q   no such run with r = not q that begins with p
 *
 * In a discrete state r is a union of zones that do not overlap, its pieces (pieces.c), each within
 * the invariants. Let G be where the clock guards of an urgent rule that is enabled hold: time
 * passes from v to v + d, d > 0, exactly when no v + e, 0 <= e < d, is in G. So pieces are cut
 * along these guards, too, and each is *still*, in G, where no time passes, or outside of G. (In a
 * state in which no time passes anyway, all are still.) The graph that is searched has
 *
 *  - entries: a discrete state that was just entered, and the zone of valuations then;
 *  - stays: one of its pieces, and the zone of valuations while time passes in it. A piece is
 *    convex: time between two of its points passes in it;
 *  - steps from stays to entries, from an entry to the stays of the pieces that it meets, and from
 *    a stay to that of another piece, by letting time pass: a moment v of the crossing belongs to
 *    the new piece and those just before it to the old one, or v belongs to the old piece and those
 *    just after it to the new one. "Just before" and "just after" turn bounds of clocks into weak
 *    or strict ones and leave differences alone. Time does not lead out of a still piece, and into
 *    one only in the first way: in the second, v + d/2 would be in G for every d that it takes;
 *  - for p --> q, all reachable symbolic states, free of r, from which entries begin.
 *
 * Zones of entries and stays are extrapolated with the larger of both bounds, in which the
 * constants of the query count, after they were cut along all constraints on differences, those of
 * the query, too (moves_pass.c): valuations that are joined can do the same after the same delays
 * (bisimulation), and r tells them apart from no others. They are in the same pieces, which only
 * constraints of the model and of the query bound, but for those of `deadlock` below. So a cycle of
 * stays and entries is an infinite run (each valuation of a zone comes from one of the zone before,
 * and there are finitely many classes of them), and an infinite run is a cycle. Letting time pass
 * alone makes no cycle: a line does not come back to a convex set.
 *
 * A stay rests for ever when its piece has no upper bounds and is not still. It has an end when a
 * valuation of it is stuck and no delay leads out of the piece within the invariants: what is
 * outside is cut along G like the pieces, and left to by the same crossings.
 *
 * The search. First the graph is made breadth-first, up to some thousand nodes, and cycles are
 * looked for in it; often that is all. Then depth-first, by what is known of a node once all that
 * follows it was searched without success: no run from any of its valuations keeps r. So one of the
 * same discrete state and tag whose zone lies in its zone need not be searched (`done`). A node on
 * the path whose zone lies in that of a node further on closes a cycle: each valuation of the later
 * zone comes from one of the earlier, which is one of the later zone again, and so on backwards;
 * there are finitely many classes, so one comes back. (In the other direction neither is true: a
 * smaller zone further on may lead nowhere, and one that is still on the path is not done with.)
 * Symbolic states free of r are only asked what can be reached, so one that lies in another is left
 * out. Where cycles are rare, the first way into the depth may hold none for long: some short
 * searches, each with another order of edges, come before the one that is not cut short. What they
 * are done with stays done with.
 *
 * Symbolic states free of r, and the entries that begin there, are extrapolated with lower and
 * upper bounds at first: of what they add, each valuation is simulated by one that is reached, with
 * the same delays (moves_pass.c), which has a run without end, and rests for ever, where the other
 * does. It may not be stuck where the other is; so when a run is found that ends, the search begins
 * again with the larger of both bounds, and so it does at once where the query speaks of
 * `deadlock`.
 *
 * Evidence: the way to that, dated with moments for each step and crossing. A condition with
 * `deadlock` may have pieces with differences of clocks, which extrapolation does not respect one
 * by one, only all together; then there may be no dates for this sequence of pieces, and the
 * verdict has no run. */
#include "engine/timed/maximal.h"

#include "base/clock.h"
#include "engine/timed/roam.h"

#include <assert.h>
#include <string.h>

enum { TAG_FREE, TAG_ENTRY, TAG_STAY };                   /* TAG_STAY + number of the piece */
enum { VIA_BEFORE = 0xFFFFFFFD, VIA_AFTER = 0xFFFFFFFC }; /* how a stay leads to another one */
#ifdef CAIRN_DEGENERATE
enum { LOOK_OFTEN = 64, NEARBY = 3, MOST_NEARBY = 30, MOST_COMPARED = 2, PROBES = 3, PROBE = 5 };
#else
enum { LOOK_OFTEN = 64, NEARBY = 2000, MOST_NEARBY = 20000, MOST_COMPARED = 32 };
enum { PROBES = 16, PROBE = 500 }; /* how often, and how many nodes */
#endif

enum ending { ENDING_NONE, ENDING_RESTS, ENDING_STUCK, ENDING_LOOP };

enum { WHITE, GREY, BLACK };

struct visit {
    uint32_t node, next; /* edge */
    uint32_t same;       /* the visit before it with the same discrete state and tag, or none */
};

struct maximal {
    struct roam roam;
    struct mem *mem;
    formula kept, begun; /* r, and where runs begin */
    bool value;          /* r is that `kept` has this value */
    bool has_begun;      /* runs begin anywhere */
    bool kept_stuck, begun_stuck;
    bool is_exact;   /* zones before the beginning of a run keep deadlocks, too */
    bool is_unclear; /* they do not, and one has to be known */
    struct federation pieces, outside, calm, rest;
    uint32_t still; /* pieces before this number let no time pass */
    struct dbm zone, cross;
    bool has_zones;
    bool failed;
    enum ending ending;
    uint32_t last;       /* where it is found */
    VEC(uint32_t) cycle; /* nodes, the first one an entry */
    struct nodes done; /* from which there is no such run; where runs are not begun yet: expanded */
    struct nodes_work done_work;
    bool has_done;
    bool only_nearby;
    bool goes_deep; /* nodes are expanded depth-first */
    VEC(uint8_t) colors;
    VEC(struct visit) visits; /* the path from a root */
    VEC(uint32_t) latest;     /* per discrete state, with its tag: the last visit on the path */
    uint32_t closing;         /* the node that closes the cycle, and covers its first one */
    uint64_t expanded, until; /* nodes so far; a probe ends at that many */
    uint32_t probe;           /* its number; 0: it is none */
    enum stop_reason stop;
    VEC(uint32_t) path; /* to the last one, and round the cycle back to its first node */
    VEC(uint32_t) vias; /* before each node but the first */
};

/* ---- zones ---- */

static void reserve(struct maximal *m, uint32_t clocks)
{
    if (m->has_zones && m->zone.most >= clocks) return;
    if (m->has_zones) dbm_release(&m->zone, m->mem), dbm_release(&m->cross, m->mem);
    m->has_zones = false;
    const uint32_t room = clocks + clocks / 2 + 4;
    if (!dbm_init(&m->zone, m->mem, room) || !dbm_init(&m->cross, m->mem, room)) mem_refuse(m->mem);
    m->has_zones = true;
}

static void add(struct maximal *m, struct federation *to, const struct dbm *zone)
{
    if (!federation_add(to, zone)) mem_refuse(m->mem);
}

static void subtract(struct maximal *m, struct federation *from, const struct dbm *zone)
{
    if (!federation_subtract(from, zone)) mem_refuse(m->mem);
}

static void add_all(struct maximal *m, struct federation *to, const struct federation *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const struct dbm zone = federation_get(from, i);
        add(m, to, &zone);
    }
}

/* Changes the bounds of clocks, upper ones to weak and lower ones to strict, or the other way
 * round. False: now empty. */
static bool soften(struct dbm *zone, bool upper_weak)
{
    for (uint32_t i = 1; i < zone->size; i++) {
        const dbm_bound upper = dbm_at(zone, i, 0), lower = dbm_at(zone, 0, i);
        if (upper != BOUND_INFINITY)
            dbm_set(zone, i, 0,
                    upper_weak ? bound_weak(bound_constant(upper))
                               : bound_strict(bound_constant(upper)));
        dbm_set(zone, 0, i,
                upper_weak ? bound_strict(bound_constant(lower))
                           : bound_weak(bound_constant(lower)));
    }
    return dbm_close(zone);
}

/* The moments of a crossing from a zone to a piece, in m->cross: VIA_BEFORE, those of the new piece
 * before which it is the old one; VIA_AFTER, those of the old one after which it is the new one. */
static bool find_crossing(struct maximal *m, const struct dbm *from, const struct dbm *to,
                          uint32_t via)
{
    dbm_copy(&m->cross, via == VIA_BEFORE ? from : to);
    return soften(&m->cross, via == VIA_BEFORE)
           && dbm_intersect(&m->cross, via == VIA_BEFORE ? to : from);
}

/* The pieces of r in the discrete state at hand. */
static void find_pieces(struct maximal *m)
{
    struct zoned_worker *own = roam_worker(&m->roam);
    moves_enter_all(&own->moves);
    reserve(m, own->moves.config.count);
    const enum pieces_result found = zoned_find(&m->roam.worker, m->kept, m->value, m->kept_stuck);
    if (found == PIECES_REFUSED) mem_refuse(m->mem);
    if (found == PIECES_FAILED) m->failed = true;
    federation_clear(&m->pieces, own->moves.config.count);
    if (found != PIECES_FAILED && !moves_sort(&own->moves, &own->found, &m->pieces))
        mem_refuse(m->mem);
    m->still = own->moves.config.urgent ? UINT32_MAX : m->pieces.count;
    if (found != PIECES_FAILED) add_all(m, &m->pieces, &own->found);
}

static bool is_still(const struct maximal *m, uint32_t k) { return k < m->still; }

/* moves->next lies in piece k, or comes to it at once. */
static enum moves_result stay(struct maximal *m, uint32_t k)
{
    struct moves *moves = &roam_worker(&m->roam)->moves;
    const struct dbm piece = federation_get(&m->pieces, k);
    return is_still(m, k) ? moves_join(moves) : moves_stay_in(moves, &piece);
}

/* Takes from m->rest what leads from the piece to a zone outside of it. */
static void subtract_leaving(struct maximal *m, const struct dbm *piece, const struct dbm *out,
                             uint32_t via)
{
    if (!find_crossing(m, piece, out, via)) return;
    dbm_down(&m->cross);
    subtract(m, &m->rest, &m->cross);
}

/* The stuck valuations of a part of piece k that no delay leads out of it, in m->rest. */
static void find_ends(struct maximal *m, const struct dbm *part, uint32_t k)
{
    struct zoned_worker *own = roam_worker(&m->roam);
    const struct dbm piece = federation_get(&m->pieces, k);
    federation_clear(&m->rest, own->moves.config.count);
    dbm_copy(&m->cross, part);
    moves_enter_future(&own->moves, &m->cross);
    if (!zoned_ready(&m->roam.worker)
        || !moves_find_dead(&own->moves, own->moving, own->rule_count))
        mem_refuse(m->mem);
    for (uint32_t i = 0; i < own->moves.rest.count; i++) {
        const struct dbm dead = federation_get(&own->moves.rest, i);
        dbm_copy(&m->zone, &m->cross);
        if (dbm_intersect(&m->zone, &dead)) add(m, &m->rest, &m->zone);
    }
    if (is_still(m, k) || !m->rest.count) return;
    moves_enter_all(&own->moves);
    federation_clear(&m->outside, own->moves.config.count);
    federation_clear(&m->calm, own->moves.config.count);
    add(m, &m->calm, &own->moves.source);
    subtract(m, &m->calm, &piece);
    if (!moves_sort(&own->moves, &m->calm, &m->outside)) mem_refuse(m->mem);
    const uint32_t still = m->outside.count;
    add_all(m, &m->outside, &m->calm);
    for (uint32_t i = 0; i < m->outside.count && m->rest.count; i++) {
        const struct dbm out = federation_get(&m->outside, i);
        subtract_leaving(m, &piece, &out, VIA_BEFORE);
        if (i >= still) subtract_leaving(m, &piece, &out, VIA_AFTER);
    }
}

/* ---- the graph ---- */

static void found(struct maximal *m, enum ending ending, uint32_t node)
{
    if (m->ending != ENDING_NONE || m->is_unclear) return;
    m->is_unclear = ending == ENDING_STUCK && m->has_begun && !m->is_exact;
    if (m->is_unclear) return;
    m->ending = ending;
    m->last = node;
}

static void expand_free(struct maximal *m, uint32_t node)
{
    struct roam *roam = &m->roam;
    struct zoned_worker *own = roam_worker(roam);
    roam_load(roam, node);
    roam_take_all(roam, TAG_FREE);
    const enum pieces_result result = zoned_find(&roam->worker, m->begun, true, m->begun_stuck);
    if (result == PIECES_REFUSED) mem_refuse(m->mem);
    m->failed |= result == PIECES_FAILED;
    for (uint32_t i = 0; result == PIECES_GOOD && i < own->found.count; i++) {
        const struct dbm zone = federation_get(&own->found, i);
        dbm_copy(&own->moves.next, &zone);
        roam_add(roam, moves_join(&own->moves), roam->worker.words, TAG_ENTRY, ROAM_WAITS);
    }
}

static void expand_entry(struct maximal *m, uint32_t node)
{
    struct roam *roam = &m->roam;
    struct moves *moves = &roam_worker(roam)->moves;
    find_pieces(m);
    roam_load(roam, node);
    for (uint32_t k = 0; k < m->pieces.count; k++) {
        const struct dbm piece = federation_get(&m->pieces, k);
        dbm_copy(&moves->next, &moves->source);
        if (!dbm_intersect(&moves->next, &piece)) continue;
        roam_add(roam, stay(m, k), roam->worker.words, TAG_STAY + k, ROAM_WAITS);
    }
}

static void cross(struct maximal *m, uint32_t k, uint32_t j, uint32_t via)
{
    struct roam *roam = &m->roam;
    struct moves *moves = &roam_worker(roam)->moves;
    const struct dbm to = federation_get(&m->pieces, j);
    assert(j != k && !is_still(m, k) && (via == VIA_BEFORE || !is_still(m, j)));
    if (!find_crossing(m, &moves->source, &to, via)) return;
    dbm_copy(&moves->next, &m->cross);
    roam_add(roam, stay(m, j), roam->worker.words, TAG_STAY + j, via);
}

static void expand_stay(struct maximal *m, uint32_t node, uint32_t k)
{
    struct roam *roam = &m->roam;
    struct moves *moves = &roam_worker(roam)->moves;
    find_pieces(m);
    assert(k < m->pieces.count); /* they are found in the same order each time */
    const struct dbm piece = federation_get(&m->pieces, k);
    roam_load(roam, node);
    bool good = dbm_intersect(&moves->source, &piece);
    assert(good); /* extrapolation only adds */
    (void)good;
    if (!is_still(m, k) && dbm_is_unbounded(&piece)) found(m, ENDING_RESTS, node);
    for (uint32_t j = 0; !is_still(m, k) && j < m->pieces.count; j++) {
        if (j == k) continue;
        cross(m, k, j, VIA_BEFORE);
        if (!is_still(m, j)) cross(m, k, j, VIA_AFTER);
    }
    moves->stays = true;
    roam_take_all(roam, TAG_ENTRY);
    moves->stays = false;
    find_ends(m, &moves->source, k);
    if (m->rest.count) found(m, ENDING_STUCK, node);
}

static uint64_t tag_of(const struct maximal *m, uint32_t node)
{
    const uint64_t *words =
        store_get(&m->roam.nodes.discrete, nodes_discrete_of(&m->roam.nodes, node));
    return words[m->roam.size - 1];
}

static bool is_open(const struct maximal *m)
{
    return m->ending == ENDING_NONE && !m->is_unclear && m->stop == STOP_NONE;
}

static bool goes_on(const struct maximal *m) { return is_open(m) && m->expanded < m->until; }

static void expand(struct maximal *m, uint32_t node)
{
    if (m->expanded++ % LOOK_OFTEN == 0) m->stop = roam_stops(&m->roam);
    if (m->only_nearby && m->expanded == MOST_NEARBY) m->stop = STOP_STATES;
    if (m->stop != STOP_NONE) return;
    roam_worker(&m->roam)->builder.exact = m->is_exact || tag_of(m, node) != TAG_FREE;
    const uint64_t tag = roam_enter(&m->roam, node);
    if (tag == TAG_FREE) expand_free(m, node);
    else if (tag == TAG_ENTRY) expand_entry(m, node);
    else expand_stay(m, node, (uint32_t)(tag - TAG_STAY));
}

/* ---- what is done with ---- */

/* The discrete state of a node, with its tag; its zone is in m->zone. */
static const uint64_t *load_node(struct maximal *m, uint32_t node, uint64_t *hash)
{
    const struct nodes *nodes = &m->roam.nodes;
    const uint64_t zone = nodes_zone_of(nodes, node);
    const uint64_t *words = store_get(&nodes->discrete, nodes_discrete_of(nodes, node));
    reserve(m, zones_clocks(&nodes->zones, zone));
    zones_load(&nodes->zones, zone, &m->zone);
    *hash = store_hash(words, (uint32_t)(m->roam.size * sizeof *words));
    return words;
}

static bool is_covered(struct maximal *m, uint32_t node)
{
    uint64_t hash;
    const uint64_t *words = load_node(m, node, &hash);
    const uint64_t discrete = store_find(&m->done.discrete, words, hash);
    return discrete != STORE_NONE && nodes_covers(&m->done, discrete, &m->zone);
}

static void be_done(struct maximal *m, uint32_t node)
{
    uint64_t hash, index;
    bool is_new;
    const uint64_t *words = load_node(m, node, &hash);
    const struct nodes_zone zone = {.dbm = &m->zone};
    const uint64_t discrete = nodes_add_discrete(&m->done, words, hash, CONFIG_NONE, &is_new);
    if (discrete == STORE_NONE || nodes_add(&m->done, discrete, &zone, &index) == NODES_REFUSED)
        mem_refuse(m->mem);
}

/* ---- cycles ---- */

static void reserve_colors(struct maximal *m)
{
    while (m->colors.len < roam_count(&m->roam)) vec_push(m->mem, &m->colors, WHITE);
    while (m->latest.len < m->roam.nodes.discrete.count) vec_push(m->mem, &m->latest, ROAM_NONE);
}

static uint32_t *latest_of(struct maximal *m, uint32_t node)
{
    return &m->latest.data[nodes_discrete_of(&m->roam.nodes, node)];
}

/* The path has a cycle from one of its nodes on, which the last one leads to, or to one that covers
 * it. */
static void close_cycle(struct maximal *m, uint32_t first, uint32_t closing)
{
    for (; first < m->visits.len; first++) vec_push(m->mem, &m->cycle, m->visits.data[first].node);
    m->closing = closing;
    found(m, ENDING_LOOP, m->cycle.data[0]);
}

/* Whether the node, whose zone is in m->zone, covers one of the path. */
static bool closes(struct maximal *m, uint32_t node)
{
    const struct zones *zones = &m->roam.nodes.zones;
    uint32_t at = *latest_of(m, node);
    for (unsigned i = 0; i < MOST_COMPARED && at != ROAM_NONE; i++) {
        zones_load(zones, nodes_zone_of(&m->roam.nodes, m->visits.data[at].node), &m->cross);
        if (dbm_included(&m->cross, &m->zone)) return close_cycle(m, at, node), true;
        at = m->visits.data[at].same;
    }
    return false;
}

/* Expands the node unless it is done with, or nothing is to be expanded any more. */
static void visit(struct maximal *m, uint32_t node)
{
    const bool is_done = m->goes_deep && is_covered(m, node);
    if (is_done) {
        m->colors.data[node] = BLACK;
        return;
    }
    if (m->goes_deep && closes(m, node)) return;
    if (m->goes_deep && !roam_is_expanded(&m->roam, node)) expand(m, node);
    reserve_colors(m);
    m->colors.data[node] = GREY;
    uint32_t *latest = latest_of(m, node);
    vec_push(m->mem, &m->visits, ((struct visit){node, 0, *latest}));
    *latest = m->visits.len - 1;
}

/* All after the node is searched, and nothing is found. */
static void leave(struct maximal *m)
{
    const struct visit last = m->visits.data[--m->visits.len];
    assert(*latest_of(m, last.node) == m->visits.len);
    *latest_of(m, last.node) = last.same;
    m->colors.data[last.node] = BLACK;
    if (m->goes_deep) be_done(m, last.node);
}

/* Some number, for an order of edges that differs from node to node. */
static uint32_t spread(uint32_t node) { return node * 2654435761U >> 7; }

/* Depth-first from a node; ends at the cycle that is met first. */
static void find_cycle_from(struct maximal *m, uint32_t root)
{
    visit(m, root);
    while (m->visits.len && goes_on(m)) {
        struct visit *top = &m->visits.data[m->visits.len - 1];
        uint32_t count;
        const struct roam_edge *edges = roam_edges(&m->roam, top->node, &count);
        if (top->next == count) {
            leave(m);
            continue;
        }
        const uint32_t to = edges[(spread(top->node) * m->probe + top->next++) % count].to;
        if (m->colors.data[to] == WHITE) visit(m, to);
        else if (m->colors.data[to] == GREY) {
            uint32_t first = m->visits.len - 1;
            while (m->visits.data[first].node != to) first--;
            close_cycle(m, first, to);
        }
    }
}

/* Depth-first from all nodes; what is free of r comes back to nothing else. False: it ended before
 * that. */
static bool find_cycle(struct maximal *m)
{
    m->colors.len = m->latest.len = m->visits.len = 0;
    reserve_colors(m);
    for (uint32_t n = 0; n < roam_count(&m->roam) && goes_on(m); n++) {
        if (tag_of(m, n) != TAG_FREE) {
            if (m->colors.data[n] == WHITE) find_cycle_from(m, n);
        } else if (m->goes_deep && !is_covered(m, n)) {
            if (!roam_is_expanded(&m->roam, n)) expand(m, n);
            reserve_colors(m);
            be_done(m, n);
        }
    }
    return goes_on(m);
}

/* Breadth-first, so that runs are short. True: there is no more. */
static bool look_nearby(struct maximal *m)
{
    struct roam *roam = &m->roam;
    struct moves *moves = &roam_worker(roam)->moves;
    uint32_t node = 0;
    moves->stays = !m->has_begun;
    roam_worker(roam)->builder.exact = m->is_exact || !m->has_begun;
    roam_add_initial(roam, m->has_begun ? TAG_FREE : TAG_ENTRY);
    moves->stays = false;
    while (goes_on(m) && node < roam_count(roam) && node < NEARBY) expand(m, node++);
    return goes_on(m) && find_cycle(m) && node == roam_count(roam);
}

static void explore(struct maximal *m)
{
    m->until = UINT64_MAX;
    bool is_whole = look_nearby(m);
    m->goes_deep = true;
    for (m->probe = 1; m->probe <= PROBES && !m->has_begun && !is_whole && is_open(m); m->probe++) {
        m->until = m->expanded + PROBE;
        is_whole = find_cycle(m);
    }
    m->probe = 0;
    m->until = UINT64_MAX;
    if (!is_whole && is_open(m)) find_cycle(m);
}

/* ---- evidence ---- */

static uint32_t via_of(const struct maximal *m, uint32_t from, uint32_t to)
{
    uint32_t count;
    const struct roam_edge *edges = roam_edges(&m->roam, from, &count);
    while (edges->to != to) edges++, assert(--count);
    return edges->via;
}

/* Begins with an entry: every cycle has one, since each step leads to one. Where a run begins with
 * it, in the middle of a delay, the way has one more round, so that the whole state is of the
 * cycle. How many nodes that are. */
static uint32_t list_cycle(struct maximal *m)
{
    uint32_t first = 0, round;
    const uint32_t count = m->cycle.len;
    while (tag_of(m, m->cycle.data[first]) != TAG_ENTRY) first++, assert(first < count);
    m->last = m->cycle.data[first];
    round = m->has_begun && m->roam.vias.data[m->last] == ROAM_WAITS ? count : 0;
    for (uint32_t i = 1; i <= count + round; i++) {
        const uint32_t from = m->cycle.data[(first + i - 1) % count],
                       to = m->cycle.data[(first + i) % count];
        vec_push(m->mem, &m->path, to);
        vec_push(m->mem, &m->vias, via_of(m, from, (first + i) % count ? to : m->closing));
    }
    return round;
}

/* The way to the last node, then round the cycle. How many nodes come before the cycle, with the
 * first one of it. */
static uint32_t list_path(struct maximal *m)
{
    uint32_t count = 1;
    const uint32_t round = m->ending == ENDING_LOOP ? list_cycle(m) : 0;
    for (uint32_t n = m->last; m->roam.parents.data[n] != ROAM_NONE; n = m->roam.parents.data[n])
        count++;
    const uint32_t behind = m->path.len;
    for (uint32_t i = 0; i < count; i++) vec_push(m->mem, &m->path, 0);
    for (uint32_t i = 0; i + 1 < count; i++) vec_push(m->mem, &m->vias, 0);
    memmove(m->path.data + count, m->path.data, behind * sizeof *m->path.data);
    memmove(m->vias.data + count - 1, m->vias.data, behind * sizeof *m->vias.data);
    uint32_t at = m->last;
    for (uint32_t i = count; i-- > 0; at = m->roam.parents.data[at]) {
        m->path.data[i] = at;
        if (i) m->vias.data[i - 1] = m->roam.vias.data[at];
    }
    return count + round;
}

static bool is_rule(uint32_t via) { return via < VIA_AFTER; }

/* A list of zones of a state, one of which is to be chosen. */
struct choice {
    struct federation zones;
    uint32_t *sources;
};

struct evidence {
    struct maximal *m;
    VEC(struct dating_event) events;
    struct choice *choices; /* per event: before it; and of what follows, after it */
    struct choice *after;
};

static void choose_none(struct evidence *e, struct choice *choice)
{
    federation_init(&choice->zones, e->m->mem, roam_worker(&e->m->roam)->moves.config.count);
    choice->sources = zoned_sources(&e->m->roam.zoned, &roam_worker(&e->m->roam)->moves.config);
}

static void enter_node(struct maximal *m, uint32_t node)
{
    const uint64_t *words =
        store_get(&m->roam.nodes.discrete, nodes_discrete_of(&m->roam.nodes, node));
    memcpy(m->roam.words, words, m->roam.size * sizeof *words);
    roam_worker(&m->roam)->builder.exact = true;
    roam_enter_words(&m->roam, m->roam.words);
    find_pieces(m);
}

/* Being in the piece of a stay. */
static void choose_piece(struct evidence *e, struct choice *choice, uint32_t node)
{
    struct maximal *m = e->m;
    enter_node(m, node);
    choose_none(e, choice);
    const struct dbm piece = federation_get(&m->pieces, (uint32_t)(tag_of(m, node) - TAG_STAY));
    add(m, &choice->zones, &piece);
}

/* Being where runs begin, and in the piece of a stay. */
static void choose_beginning(struct evidence *e, struct choice *choice, uint32_t node)
{
    struct maximal *m = e->m;
    struct zoned_worker *own = roam_worker(&m->roam);
    enter_node(m, node);
    choose_none(e, choice);
    const struct dbm piece = federation_get(&m->pieces, (uint32_t)(tag_of(m, node) - TAG_STAY));
    moves_enter_all(&own->moves);
    if (zoned_find(&m->roam.worker, m->begun, true, m->begun_stuck) == PIECES_REFUSED)
        mem_refuse(m->mem);
    for (uint32_t i = 0; i < own->found.count; i++) {
        const struct dbm zone = federation_get(&own->found, i);
        dbm_copy(&m->zone, &zone);
        if (dbm_intersect(&m->zone, &piece)) add(m, &choice->zones, &m->zone);
    }
}

static void choose_crossing(struct evidence *e, struct choice *choice, uint32_t from, uint32_t to,
                            uint32_t via)
{
    struct maximal *m = e->m;
    enter_node(m, from);
    choose_none(e, choice);
    const struct dbm old = federation_get(&m->pieces, (uint32_t)(tag_of(m, from) - TAG_STAY)),
                     new = federation_get(&m->pieces, (uint32_t)(tag_of(m, to) - TAG_STAY));
    if (find_crossing(m, &old, &new, via)) add(m, &choice->zones, &m->cross);
}

static void choose_end(struct evidence *e, struct choice *choice, uint32_t node)
{
    struct maximal *m = e->m;
    const uint32_t k = (uint32_t)(tag_of(m, node) - TAG_STAY);
    enter_node(m, node);
    choose_none(e, choice);
    const struct dbm piece = federation_get(&m->pieces, k);
    find_ends(m, &piece, k);
    add_all(m, &choice->zones, &m->rest);
}

static struct choice *add_event(struct evidence *e, uint32_t rule)
{
    vec_push(e->m->mem, &e->events, ((struct dating_event){.rule = rule}));
    return &e->choices[e->events.len - 1];
}

/* The moments of the way: its beginning, steps, the beginning of r, crossings, the end. */
static void list_events(struct evidence *e)
{
    struct maximal *m = e->m;
    const uint32_t *path = m->path.data;
    struct choice *first = add_event(e, MODEL_NONE);
    for (uint32_t i = 1; i < m->path.len; i++) {
        const uint32_t via = m->vias.data[i - 1];
        const bool from_stay = tag_of(m, path[i - 1]) >= TAG_STAY,
                   to_stay = tag_of(m, path[i]) >= TAG_STAY;
        if (is_rule(via)) {
            struct choice *choice = add_event(e, via);
            if (from_stay) choose_piece(e, choice, path[i - 1]);
        } else if (from_stay) {
            choose_crossing(e, add_event(e, MODEL_NONE), path[i - 1], path[i], via);
        } else if (to_stay && i >= 2 && tag_of(m, path[i - 2]) == TAG_FREE) {
            choose_beginning(e, add_event(e, MODEL_NONE), path[i]);
        } else if (to_stay) {
            if (i == 1) choose_piece(e, first, path[i]);
            else choose_piece(e, &e->after[e->events.len - 1], path[i]);
        }
    }
    if (m->ending == ENDING_STUCK) choose_end(e, add_event(e, MODEL_NONE), m->last);
    if (m->ending == ENDING_LOOP) { /* it is entered again as it was the first time */
        const uint32_t entry = m->path.len - 1;
        uint32_t i = 0;
        while (path[i] != path[entry]) i++;
        choose_piece(e, &e->after[e->events.len - 1], path[i + 1]);
    }
}

/* Takes one zone of each choice; few have several. */
static bool date(struct evidence *e, struct trace *trace, uint32_t from)
{
    const struct model *model = e->m->roam.zoned.space.model;
    for (uint32_t i = from; i < 2 * e->events.len; i++) {
        struct choice *choice = i % 2 ? &e->after[i / 2] : &e->choices[i / 2];
        struct dating_event *event = &e->events.data[i / 2];
        if (!choice->sources) continue;
        for (uint32_t k = 0; k < choice->zones.count; k++) {
            const struct dbm zone = federation_get(&choice->zones, k);
            *(i % 2 ? &event->after : &event->before) = &zone;
            *(i % 2 ? &event->after_sources : &event->sources) = choice->sources;
            if (date(e, trace, i + 1)) return true;
        }
        return false;
    }
    return dating_follow(model, trace, e->events.data, e->events.len);
}

static struct trace *make_trace(struct maximal *m, uint32_t before_loop)
{
    const struct space *space = &m->roam.zoned.space;
    uint32_t steps = 0, loop = 0, taken = 0;
    for (uint32_t i = 0; i < m->vias.len; i++) {
        steps += is_rule(m->vias.data[i]);
        loop += i + 1 < before_loop && is_rule(m->vias.data[i]);
    }
    const bool closes = m->ending == ENDING_LOOP;
    assert(!closes || steps > loop);
    struct trace *trace = trace_new(space->model, steps - closes);
    trace->loop = closes ? loop : MODEL_NONE;
    const uint64_t *words =
        store_get(&m->roam.nodes.discrete, nodes_discrete_of(&m->roam.nodes, m->path.data[0]));
    layout_unpack(&space->layout, space->model, words, trace->initial);
    for (uint32_t i = 0; i < m->vias.len; i++)
        if (is_rule(m->vias.data[i])) trace->rules[taken++] = m->vias.data[i];
    return trace;
}

static struct trace *show(struct maximal *m)
{
    struct evidence e = {.m = m};
    const struct model *model = m->roam.zoned.space.model;
    const uint32_t count = list_path(m);
    const size_t room = m->path.len + UINT64_C(4);
    struct trace *trace = make_trace(m, count);
    e.choices = mem_alloc(m->mem, room * sizeof *e.choices);
    e.after = mem_alloc(m->mem, room * sizeof *e.after);
    list_events(&e);
    assert(e.events.len < room);
    const bool good = !model_is_timed(model) || date(&e, trace, 0);
    for (uint32_t i = 0; i < e.events.len; i++)
        for (unsigned k = 0; k < 2; k++) {
            struct choice *choice = k ? &e.after[i] : &e.choices[i];
            if (choice->sources) federation_release(&choice->zones);
            mem_free(m->mem, choice->sources);
        }
    mem_free(m->mem, e.choices);
    mem_free(m->mem, e.after);
    vec_free(m->mem, &e.events);
    if (good) return trace;
    if (!m->kept_stuck && !m->begun_stuck)
        m->roam.zoned.result->broken = "there are no dates for a run that zones allow";
    trace_free(model, trace);
    return NULL;
}

/* ---- queries ---- */

static const struct model_query *query_of(const struct model *model,
                                          const struct property_result *entry)
{
    return &model->queries.data[entry->property->query];
}

bool maximal_decides(const struct model *model, const struct property_result *entry)
{
    if (entry->kind != PROPERTY_QUERY) return false;
    const enum query_kind kind = query_of(model, entry)->kind;
    return kind == QUERY_KEEPS || kind == QUERY_MEETS || kind == QUERY_LEADS;
}

static void prepare(struct maximal *m, struct task *task, const struct property_result *entry,
                    struct result *result)
{
    struct model *model = task->model;
    const struct model_query query = *query_of(model, entry);
    struct formulas *formulas = &model->formulas;
    *m = (struct maximal){.mem = model->mem, .kept = query.p, .begun = query.p};
    m->value = query.kind == QUERY_KEEPS;
    m->has_begun = query.kind == QUERY_LEADS;
    if (m->has_begun) {
        const struct place place = entry->property->place;
        const formula without =
            formula_make(formulas, &model->exprs, FORMULA_NOT, query.q, query.q, place);
        m->kept = query.q;
        m->begun = formula_make(formulas, &model->exprs, FORMULA_AND, query.p, without, place);
    }
    m->kept_stuck = pieces_has(model, m->kept, FORMULA_DEADLOCK);
    m->begun_stuck = pieces_has(model, m->begun, FORMULA_DEADLOCK);
    roam_init(&m->roam, task, result, true, true);
    zoned_watch_condition(&m->roam.zoned, m->kept);
    zoned_watch_condition(&m->roam.zoned, m->begun);
    pieces_prepare(&m->roam.zoned.pieces, &m->roam.zoned.space.program, m->kept);
    pieces_prepare(&m->roam.zoned.pieces, &m->roam.zoned.space.program, m->begun);
    roam_open(&m->roam);
    const uint32_t bytes = (uint32_t)(m->roam.size * sizeof *m->roam.words);
    const struct layout whole = {.record_bytes = bytes, .key_bytes = bytes};
    if (!nodes_init(&m->done, m->mem, &whole, ZONES_BY_INCLUSION, &m->done_work))
        mem_refuse(m->mem);
    m->has_done = true;
    federation_init(&m->pieces, m->mem, 0);
    federation_init(&m->outside, m->mem, 0);
    federation_init(&m->calm, m->mem, 0);
    federation_init(&m->rest, m->mem, 0);
}

static void release(struct maximal *m)
{
    federation_release(&m->pieces);
    federation_release(&m->outside);
    federation_release(&m->calm);
    federation_release(&m->rest);
    if (m->has_zones) dbm_release(&m->zone, m->mem), dbm_release(&m->cross, m->mem);
    if (m->has_done) nodes_release(&m->done);
    nodes_release_work(&m->done_work, m->mem);
    vec_free(m->mem, &m->colors);
    vec_free(m->mem, &m->visits);
    vec_free(m->mem, &m->latest);
    vec_free(m->mem, &m->cycle);
    vec_free(m->mem, &m->path);
    vec_free(m->mem, &m->vias);
    roam_release(&m->roam);
}

enum stop_reason maximal_check(struct task *task, struct property_result *entry,
                               struct result *result, double started, bool only_nearby)
{
    struct maximal *m = mem_alloc(task->model->mem, sizeof *m);
    for (bool is_exact = false;; is_exact = true) {
        prepare(m, task, entry, result);
        m->roam.started = started;
        m->only_nearby = only_nearby;
        m->is_exact = is_exact || m->kept_stuck || m->begun_stuck;
        explore(m);
        if (!m->is_unclear) break;
        assert(!is_exact);
        release(m);
    }
    const enum stop_reason stop = m->stop;
    if (m->ending != ENDING_NONE) {
        const struct mem_lift lift = mem_lift(m->mem);
        entry->verdict = VERDICT_VIOLATED;
        entry->reason = NULL;
        entry->trace = show(m);
        mem_lower(m->mem, lift);
    } else if (stop != STOP_NONE) entry->reason = stop_reason_text[stop];
    else if (m->failed) entry->reason = result_cannot_evaluate;
    else entry->verdict = VERDICT_HOLDS, entry->reason = NULL;
    release(m);
    mem_free(task->model->mem, m);
    return stop;
}
