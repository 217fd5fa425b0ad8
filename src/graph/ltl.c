/* LTL by the automaton of the negated formula: the property is violated when the product of the
 * state graph with that automaton has a reachable strongly connected component that contains a
 * cycle and meets every acceptance set (Vardi and Wolper 1986). Components are found by Tarjan's
 * algorithm, without recursion; the search ends with the first accepting one.
 *
 * A product node is state * |automaton| + automaton state, which is about to read the state's
 * letter; each costs 8 bytes (10 where there are 2^32 or more). Acceptance is on the automaton's
 * edges, so a component's edges are looked at a second time when it is complete, unless the
 * automaton alone could not accept there. Evidence: a shortest way into the component, then a round
 * trip in it by an edge of every acceptance set.
 *
 * The shortest evidence of all: every accepting component is found, then for each of their nodes,
 * nearest first, a shortest round trip that meets every acceptance set: a breadth-first search over
 * pairs of a node and the sets met so far, which goes no deeper than what is known already. So it
 * is the shortest whose loop the automaton closes after one round; a loop of the model that the
 * automaton has to read twice may be shorter still. */
#include "graph/temporal.h"
#include "automaton/buchi.h"

#include <assert.h>
#include <string.h>

enum { POLL = 1 << 14 };

struct ltl {
    struct temporal *temporal;
    struct kripke *kripke;
    struct mem *mem;
    struct buchi buchi;
    const struct automaton *automaton;
    bool *may_accept;  /* per automaton state: its component of the automaton is accepting */
    uint64_t *letters; /* per state: its atoms */
    uint64_t nodes;
    uint32_t width; /* automaton states */
    enum temporal_result problem;
    uint8_t *accepting; /* for the shortest evidence: nodes of accepting components; else NULL */
};

static uint64_t state_of(const struct ltl *ltl, uint64_t node) { return node / ltl->width; }
static uint32_t automaton_of(const struct ltl *ltl, uint64_t node)
{
    return (uint32_t)(node % ltl->width);
}

static bool read_letters(struct ltl *ltl)
{
    ltl->letters = mem_try_alloc(ltl->mem, (ltl->kripke->states + 1) * sizeof *ltl->letters);
    if (!ltl->letters) return ltl->problem = TEMPORAL_REFUSED, false;
    assert(ltl->buchi.atoms.list.len <= 64); /* a letter is a word of bits */
    for (uint32_t a = 0; a < ltl->buchi.atoms.list.len; a++) {
        bool failed;
        uint64_t *set =
            ltl->temporal->atom(ltl->temporal->context, ltl->buchi.atoms.list.data[a], &failed);
        if (!set) return ltl->problem = failed ? TEMPORAL_FAILED : TEMPORAL_REFUSED, false;
        for (uint64_t s = 0; s < ltl->kripke->states; s++)
            ltl->letters[s] |= (uint64_t)kripke_in(set, s) << a;
        mem_free(ltl->mem, set);
    }
    return true;
}

/* ---- successors in the product ---- */

struct edge_cursor {
    uint64_t node;
    uint64_t edge; /* of the graph */
    uint32_t move; /* of the automaton, within the state */
};

static void start_edges(const struct ltl *ltl, struct edge_cursor *cursor, uint64_t node)
{
    *cursor = (struct edge_cursor){node, ltl->kripke->first_next[state_of(ltl, node)], 0};
}

/* The next edge's target and marks; false: there are no more. */
static bool next_edge(const struct ltl *ltl, struct edge_cursor *cursor, uint64_t *to,
                      uint64_t *marks)
{
    const uint64_t state = state_of(ltl, cursor->node);
    const struct automaton_state *q = &ltl->automaton->states.data[automaton_of(ltl, cursor->node)];
    const struct automaton_edge *moves = &ltl->automaton->edges.data[q->first];
    uint64_t end = ltl->kripke->first_next[state + 1], letter = ltl->letters[state];
    for (; cursor->move < q->edges; cursor->move++, cursor->edge = ltl->kripke->first_next[state]) {
        if (cursor->edge >= end || !automaton_reads(&moves[cursor->move], letter)) continue;
        *to = numbers_get(&ltl->kripke->next, cursor->edge++) * ltl->width
              + moves[cursor->move].target;
        *marks = moves[cursor->move].marks;
        return true;
    }
    return false;
}

/* ---- components ---- */

/* Tarjan: `order` numbers nodes from 1 as they are met; a finished component gets `done`. */
struct tarjan {
    struct numbers order, low;
    uint64_t done;     /* larger than all of them */
    uint64_t *members; /* the component stack */
    struct edge_cursor *path;
    uint64_t member_count, member_cap, path_len, path_cap;
    uint64_t clock;
};

static bool grow(struct ltl *ltl, void **data, uint64_t *cap, uint64_t len, size_t size)
{
    if (len < *cap) return true;
    uint64_t bigger = *cap ? *cap + *cap / 2 : 1024;
    void *moved = mem_try_resize(ltl->mem, *data, bigger * size);
    if (!moved) return ltl->problem = TEMPORAL_REFUSED, false;
    *data = moved;
    *cap = bigger;
    return true;
}

static bool enter(struct ltl *ltl, struct tarjan *tarjan, uint64_t node)
{
    if (!grow(ltl, (void **)&tarjan->members, &tarjan->member_cap, tarjan->member_count,
              sizeof *tarjan->members))
        return false;
    if (!grow(ltl, (void **)&tarjan->path, &tarjan->path_cap, tarjan->path_len,
              sizeof *tarjan->path))
        return false;
    assert(node < ltl->nodes && !numbers_get(&tarjan->order, node));
    tarjan->clock++;
    assert(!numbers_get(&tarjan->order, node) && tarjan->clock < tarjan->done);
    numbers_set(&tarjan->order, node, tarjan->clock);
    numbers_set(&tarjan->low, node, tarjan->clock);
    tarjan->members[tarjan->member_count++] = node;
    start_edges(ltl, &tarjan->path[tarjan->path_len++], node);
    return true;
}

/* Whether the component from members[first] on has a cycle and meets every acceptance set. It was
 * entered by its first member, so its nodes are those not done that were met no earlier. */
static bool is_accepting(const struct ltl *ltl, const struct tarjan *tarjan, uint64_t first)
{
    uint64_t met = 0, all = automaton_all_marks(ltl->automaton), to, marks;
    const uint64_t entered = numbers_get(&tarjan->order, tarjan->members[first]);
    bool cycle = false;
    for (uint64_t i = first; i < tarjan->member_count; i++) {
        struct edge_cursor cursor;
        if (!ltl->may_accept[automaton_of(ltl, tarjan->members[i])]) return false;
        start_edges(ltl, &cursor, tarjan->members[i]);
        while (next_edge(ltl, &cursor, &to, &marks)) {
            const uint64_t order = numbers_get(&tarjan->order, to);
            if (order == tarjan->done || order < entered) continue;
            cycle = true;
            met |= marks;
            if (met == all) return true;
        }
    }
    return cycle && met == all;
}

static void lower(struct tarjan *tarjan, uint64_t node, uint64_t low)
{
    if (low < numbers_get(&tarjan->low, node)) numbers_set(&tarjan->low, node, low);
}

/* Goes on from the path's end. Returns true when an accepting component was found: it is
 * members[*first ..]. */
static bool search(struct ltl *ltl, struct tarjan *tarjan, uint64_t *first)
{
    uint32_t work = 0;
    while (tarjan->path_len && ltl->problem == TEMPORAL_HOLDS) {
        struct edge_cursor *top = &tarjan->path[tarjan->path_len - 1];
        uint64_t node = top->node, to, marks;
        if (++work % POLL == 0 && !ltl->kripke->go_on(ltl->kripke->context))
            ltl->problem = TEMPORAL_REFUSED;
        if (next_edge(ltl, top, &to, &marks)) {
            const uint64_t order = numbers_get(&tarjan->order, to);
            if (!order) enter(ltl, tarjan, to);
            else if (order != tarjan->done) lower(tarjan, node, order);
            continue;
        }
        tarjan->path_len--;
        if (tarjan->path_len) {
            uint64_t parent = tarjan->path[tarjan->path_len - 1].node;
            lower(tarjan, parent, numbers_get(&tarjan->low, node));
        }
        if (numbers_get(&tarjan->low, node) != numbers_get(&tarjan->order, node)) continue;
        assert(tarjan->member_count); /* the node itself is there */
        *first = tarjan->member_count;
        while (tarjan->members[--*first] != node) continue;
        if (is_accepting(ltl, tarjan, *first)) {
            if (!ltl->accepting) return true;
            for (uint64_t i = *first; i < tarjan->member_count; i++)
                ltl->accepting[tarjan->members[i]] = 1;
        }
        for (uint64_t i = *first; i < tarjan->member_count; i++)
            numbers_set(&tarjan->order, tarjan->members[i], tarjan->done);
        tarjan->member_count = *first;
    }
    return false;
}

/* ---- evidence ---- */

static const uint64_t NOWHERE = UINT64_MAX;

/* What a walk looks for: an edge into the component; or, inside it, an edge with these marks, to
 * this node unless that is NOWHERE. */
struct quest {
    const uint8_t *component; /* per node: belongs to it */
    bool enter;
    uint64_t marks;
    uint64_t target;
};

static bool is_wanted(const struct quest *quest, uint64_t to, uint64_t marks)
{
    if (quest->enter) return quest->component[to];
    return (marks & quest->marks) == quest->marks
           && (quest->target == NOWHERE || to == quest->target);
}

/* Adds the states from the start of the way to `last` to the path, or those after the start. */
static void append_way(struct ltl *ltl, const uint64_t *parent, uint64_t last, bool with_start)
{
    struct kripke_path *path = &ltl->temporal->path;
    uint32_t length = with_start;
    for (uint64_t node = last; parent[node] - 1 != node; node = parent[node] - 1) length++;
    vec_reserve(ltl->mem, &path->states, length);
    path->states.len += length;
    for (uint32_t i = path->states.len; length > 0; length--, last = parent[last] - 1)
        path->states.data[--i] = state_of(ltl, last);
}

/* Adds a shortest way from one of the starts by a wanted edge to the path, and returns its end. The
 * start itself is added on entering. */
static uint64_t walk(struct ltl *ltl, const uint64_t *starts, uint64_t start_count,
                     const struct quest *quest)
{
    uint64_t *parent =
        mem_alloc(ltl->mem, ltl->nodes * sizeof *parent); /* + 1; a start is its own; 0: not met */
    uint64_t *queue = mem_alloc(ltl->mem, ltl->nodes * sizeof *queue), tail = 0, to, marks,
             end = NOWHERE;
    for (uint64_t i = 0; i < start_count; i++) {
        if (parent[starts[i]]) continue;
        parent[starts[i]] = starts[i] + 1;
        queue[tail++] = starts[i];
    }
    for (uint64_t head = 0; head < tail && end == NOWHERE; head++) {
        struct edge_cursor cursor;
        start_edges(ltl, &cursor, queue[head]);
        while (end == NOWHERE && next_edge(ltl, &cursor, &to, &marks)) {
            if (!quest->enter && !quest->component[to]) continue;
            if (is_wanted(quest, to, marks)) {
                append_way(ltl, parent, queue[head], quest->enter);
                vec_push(ltl->mem, &ltl->temporal->path.states, state_of(ltl, end = to));
            } else if (!parent[to]) {
                parent[to] = queue[head] + 1;
                queue[tail++] = to;
            }
        }
    }
    assert(end != NOWHERE); /* Tarjan's algorithm has been there */
    mem_free(ltl->mem, parent);
    mem_free(ltl->mem, queue);
    return end;
}

/* The node by which the component is entered: a start, or the end of a way from one. */
static uint64_t enter_component(struct ltl *ltl, const uint8_t *component, const uint64_t *starts,
                                uint64_t start_count)
{
    struct quest quest = {component, true, 0, NOWHERE};
    for (uint64_t i = 0; i < start_count; i++) {
        if (!component[starts[i]]) continue;
        vec_push(ltl->mem, &ltl->temporal->path.states, state_of(ltl, starts[i]));
        return starts[i];
    }
    return walk(ltl, starts, start_count, &quest);
}

static void show_lasso(struct ltl *ltl, const struct tarjan *tarjan, uint64_t first,
                       const uint64_t *starts, uint64_t start_count)
{
    struct kripke_path *path = &ltl->temporal->path;
    uint8_t *component = mem_alloc(ltl->mem, ltl->nodes + 1);
    for (uint64_t i = first; i < tarjan->member_count; i++) component[tarjan->members[i]] = 1;
    uint64_t entry = enter_component(ltl, component, starts, start_count), now = entry;
    assert(entry != NOWHERE && path->states.len);
    path->loop = path->states.len - 1;
    for (uint32_t k = 0; k < ltl->automaton->acceptance; k++) {
        struct quest quest = {component, false, UINT64_C(1) << k, NOWHERE};
        now = walk(ltl, &now, 1, &quest);
    }
    struct quest back = {component, false, 0, entry};
    if (now != entry || path->states.len - 1 == path->loop) walk(ltl, &now, 1, &back);
    path->states.len--; /* the entry itself is where the loop goes back to */
    assert(path->loop < path->states.len);
    mem_free(ltl->mem, component);
}

/* ---- the shortest evidence ---- */

/* A breadth-first search; of round trips a place is a node and the acceptance sets met. */
struct rounds {
    uint64_t *parent; /* + 1; a start is its own */
    uint32_t *round;  /* in which it was met; 0: never */
    uint64_t *queue;
    uint32_t number;
    uint64_t best;  /* states of the shortest run so far; UINT64_MAX: none */
    uint64_t entry; /* its loop begins here ... */
    uint64_t *way;  /* ... and goes on with these nodes */
    uint64_t way_len, way_cap;
};

/* Keeps the round trip that ends at this place. */
static bool keep_round(struct ltl *ltl, struct rounds *rounds, uint64_t place, uint64_t start)
{
    uint64_t length = 0;
    for (uint64_t at = place; at != start; at = rounds->parent[at] - 1) length++;
    while (rounds->way_cap < length + 1)
        if (!grow(ltl, (void **)&rounds->way, &rounds->way_cap, rounds->way_cap,
                  sizeof *rounds->way))
            return false;
    rounds->way_len = length;
    for (uint64_t at = place, i = length; at != start; at = rounds->parent[at] - 1)
        rounds->way[--i] = at >> ltl->automaton->acceptance;
    return true;
}

/* A shortest round trip from the node with at most so many steps. */
static bool find_round(struct ltl *ltl, struct rounds *rounds, uint64_t node, uint64_t most,
                       uint64_t *steps)
{
    const uint32_t bits = ltl->automaton->acceptance;
    const uint64_t all = automaton_all_marks(ltl->automaton), start = node << bits;
    uint64_t head = 0, tail = 0, level_end = 1;
    rounds->number++;
    rounds->queue[tail++] = start;
    rounds->parent[start] = start + 1;
    rounds->round[start] = rounds->number;
    for (*steps = 1; *steps <= most && head < tail; head++) {
        if (head == level_end) {
            level_end = tail;
            if (++*steps > most) break;
        }
        const uint64_t place = rounds->queue[head], met = place & all;
        struct edge_cursor cursor;
        uint64_t to, marks;
        start_edges(ltl, &cursor, place >> bits);
        while (next_edge(ltl, &cursor, &to, &marks)) {
            if (!ltl->accepting[to]) continue;
            if (to == node && (met | marks) == all) return keep_round(ltl, rounds, place, start);
            const uint64_t next = to << bits | met | marks;
            if (rounds->round[next] == rounds->number) continue;
            rounds->round[next] = rounds->number;
            rounds->parent[next] = place + 1;
            rounds->queue[tail++] = next;
        }
    }
    return false;
}

/* Ways to all nodes, shortest first, in `order`; parents as in walk. Returns how many there are. */
static uint64_t find_ways(struct ltl *ltl, const uint64_t *starts, uint64_t start_count,
                          uint64_t *parent, uint64_t *order)
{
    uint64_t tail = 0, to, marks;
    for (uint64_t i = 0; i < start_count; i++) {
        if (parent[starts[i]]) continue;
        parent[starts[i]] = starts[i] + 1;
        order[tail++] = starts[i];
    }
    for (uint64_t head = 0; head < tail; head++) {
        struct edge_cursor cursor;
        start_edges(ltl, &cursor, order[head]);
        while (next_edge(ltl, &cursor, &to, &marks)) {
            if (parent[to]) continue;
            parent[to] = order[head] + 1;
            order[tail++] = to;
        }
    }
    return tail;
}

static void show_shortest(struct ltl *ltl, const struct rounds *rounds, const uint64_t *parent)
{
    struct kripke_path *path = &ltl->temporal->path;
    ltl->temporal->other = *path;
    *path = (struct kripke_path){.loop = MODEL_NONE};
    append_way(ltl, parent, rounds->entry, true);
    path->loop = path->states.len - 1;
    for (uint64_t i = 0; i < rounds->way_len; i++)
        vec_push(ltl->mem, &path->states, state_of(ltl, rounds->way[i]));
    assert(path->states.len == rounds->best);
}

/* The path becomes the shortest that was found before a limit. */
static void find_shortest(struct ltl *ltl, const uint64_t *starts, uint64_t start_count)
{
    const uint64_t places = ltl->nodes << ltl->automaton->acceptance;
    struct rounds rounds = {.best = UINT64_MAX};
    uint64_t *parent = mem_try_alloc(ltl->mem, (ltl->nodes + 1) * sizeof *parent),
             *order = mem_try_alloc(ltl->mem, (ltl->nodes + 1) * sizeof *order);
    rounds.parent = mem_try_alloc(ltl->mem, (places + 1) * sizeof *rounds.parent);
    rounds.queue = mem_try_alloc(ltl->mem, (places + 1) * sizeof *rounds.queue);
    rounds.round = mem_try_alloc(ltl->mem, (places + 1) * sizeof *rounds.round);
    if (!parent || !order || !rounds.parent || !rounds.queue || !rounds.round) {
        rounds.number = 0; /* no room: what is shown stays */
    } else {
        const uint64_t count = find_ways(ltl, starts, start_count, parent, order);
        uint64_t steps;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t depth = 0;
            if (!ltl->accepting[order[i]]) continue;
            for (uint64_t at = order[i]; parent[at] - 1 != at; at = parent[at] - 1) depth++;
            if (depth + 1 >= rounds.best || rounds.number == UINT32_MAX) break;
            if (rounds.number && !ltl->kripke->go_on(ltl->kripke->context)) break;
            if (!find_round(ltl, &rounds, order[i], rounds.best - depth - 1, &steps)) continue;
            rounds.best = depth + steps;
            rounds.entry = order[i];
        }
        if (rounds.best != UINT64_MAX) show_shortest(ltl, &rounds, parent);
    }
    mem_free(ltl->mem, parent);
    mem_free(ltl->mem, order);
    mem_free(ltl->mem, rounds.parent);
    mem_free(ltl->mem, rounds.queue);
    mem_free(ltl->mem, rounds.round);
    mem_free(ltl->mem, rounds.way);
}

/* ---- the check ---- */

static bool find_starts(struct ltl *ltl, uint64_t **starts)
{
    *starts = mem_try_alloc(ltl->mem, (ltl->kripke->initial + 1) * sizeof **starts);
    if (!*starts) return ltl->problem = TEMPORAL_REFUSED, false;
    for (uint64_t s = 0; s < ltl->kripke->initial; s++)
        (*starts)[s] = (uint64_t)s * ltl->width + ltl->automaton->initial;
    return true;
}

/* True: an accepting component was found, members[*first ..], unless all of them are asked for. */
static bool find_components(struct ltl *ltl, struct tarjan *tarjan, const uint64_t *starts,
                            uint64_t *first)
{
    bool found = false;
    *tarjan = (struct tarjan){.done = ltl->nodes + 1};
    if (!numbers_init(&tarjan->order, ltl->mem, ltl->nodes, tarjan->done)
        || !numbers_init(&tarjan->low, ltl->mem, ltl->nodes, tarjan->done))
        ltl->problem = TEMPORAL_REFUSED;
    for (uint64_t i = 0; i < ltl->kripke->initial && !found && ltl->problem == TEMPORAL_HOLDS; i++)
        if (!numbers_get(&tarjan->order, starts[i]) && enter(ltl, tarjan, starts[i]))
            found = search(ltl, tarjan, first);
    return found;
}

static void free_components(struct ltl *ltl, struct tarjan *tarjan)
{
    numbers_free(&tarjan->order, ltl->mem);
    numbers_free(&tarjan->low, ltl->mem);
    mem_free(ltl->mem, tarjan->members);
    mem_free(ltl->mem, tarjan->path);
}

/* A violation is shown already: by a shorter run when there is room and time to find it. */
static void show_shorter(struct ltl *ltl, const uint64_t *starts)
{
    enum { MOST_SETS = 6 }; /* each doubles what a round trip has to remember */
    struct tarjan tarjan;
    uint64_t first;
    if (ltl->automaton->acceptance > MOST_SETS) return;
    ltl->accepting = mem_try_alloc(ltl->mem, ltl->nodes + 1);
    if (!ltl->accepting) return;
    find_components(ltl, &tarjan, starts, &first);
    const bool is_whole = ltl->problem == TEMPORAL_HOLDS;
    free_components(ltl, &tarjan);
    if (is_whole) find_shortest(ltl, starts, ltl->kripke->initial);
    mem_free(ltl->mem, ltl->accepting);
    ltl->accepting = NULL;
    ltl->problem = TEMPORAL_HOLDS;
}

/* True: an accepting component was found, and the path shows it. */
static bool find_violation(struct ltl *ltl)
{
    struct tarjan tarjan;
    uint64_t *starts, first;
    ltl->nodes = ltl->kripke->states * ltl->width;
    if (ltl->nodes + 1 >= NUMBERS_END) {
        ltl->temporal->reason =
            "the product of the state space with the formula's automaton is too large";
        return ltl->problem = TEMPORAL_BEYOND, false;
    }
    if (!find_starts(ltl, &starts)) return false;
    const bool found = find_components(ltl, &tarjan, starts, &first);
    if (found) {
        const struct mem_lift before =
            mem_lift(ltl->mem); /* what was found must not be lost to the limit on the search */
        numbers_free(&tarjan.order, ltl->mem);
        show_lasso(ltl, &tarjan, first, starts, ltl->kripke->initial);
        mem_lower(ltl->mem, before);
    }
    free_components(ltl, &tarjan);
    if (found && ltl->temporal->shortest) show_shorter(ltl, starts);
    mem_free(ltl->mem, starts);
    return found;
}

static void find_accepting_states(struct ltl *ltl)
{
    struct automaton_components components;
    automaton_find_components(ltl->automaton, &components);
    ltl->may_accept = mem_alloc(ltl->mem, ltl->width + 1);
    for (uint32_t q = 0; q < ltl->width; q++)
        ltl->may_accept[q] =
            components.of[q] != AUTOMATON_NONE && components.accepting[components.of[q]];
    automaton_free_components(ltl->automaton, &components);
}

enum temporal_result ltl_check(struct temporal *temporal, formula f)
{
    struct ltl ltl = {.temporal = temporal,
                      .kripke = temporal->kripke,
                      .mem = temporal->kripke->mem,
                      .problem = TEMPORAL_HOLDS};
    temporal->reason = buchi_translate(&ltl.buchi, temporal->model, f, true);
    if (temporal->reason) return TEMPORAL_BEYOND;
    ltl.automaton = &ltl.buchi.automaton;
    ltl.width = ltl.automaton->states.len;
    find_accepting_states(&ltl);
    bool violated = ltl.automaton->edges.len && read_letters(&ltl) && find_violation(&ltl);
    mem_free(ltl.mem, ltl.letters);
    mem_free(ltl.mem, ltl.may_accept);
    buchi_release(&ltl.buchi, temporal->model);
    return violated ? TEMPORAL_VIOLATED : ltl.problem;
}
