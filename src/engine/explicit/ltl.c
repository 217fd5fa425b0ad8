/* LTL by the automaton of the negated formula: the property is violated when the product of the state graph with that automaton has a
 * reachable strongly connected component that contains a cycle and meets every acceptance set (Vardi and Wolper 1986). Components
 * are found by Tarjan's algorithm, without recursion; the search ends with the first accepting one.
 *
 * A product node is state * |automaton| + automaton state; each costs 8 bytes. Evidence: a shortest way into the component, then a
 * round trip in it through every acceptance set. */
#include "engine/explicit/temporal.h"
#include "logic/buchi.h"

#include <string.h>

enum { POLL = 1 << 14 };

struct ltl {
    struct temporal *temporal;
    struct kripke *kripke;
    struct mem *mem;
    struct buchi buchi;
    uint64_t *letters; /* per state: its atoms */
    uint64_t nodes;
    uint32_t width; /* automaton states */
    enum temporal_result problem;
};

static uint32_t state_of(const struct ltl *ltl, uint64_t node)
{
    return (uint32_t)(node / ltl->width);
}
static uint32_t automaton_of(const struct ltl *ltl, uint64_t node)
{
    return (uint32_t)(node % ltl->width);
}

static bool fits(const struct ltl *ltl, uint32_t state, uint32_t q)
{
    const struct buchi_state *label = &ltl->buchi.states.data[q];
    uint64_t letter = ltl->letters[state];
    return (letter & label->positive) == label->positive && !(letter & label->negative);
}

static bool read_letters(struct ltl *ltl)
{
    ltl->letters = mem_try_alloc(ltl->mem, (ltl->kripke->states + UINT64_C(1)) * sizeof *ltl->letters);
    if (!ltl->letters) return ltl->problem = TEMPORAL_REFUSED, false;
    for (uint32_t a = 0; a < ltl->buchi.atoms.len; a++) {
        bool failed;
        uint64_t *set = temporal_atom(ltl->temporal, ltl->buchi.atoms.data[a], &failed);
        if (!set) return ltl->problem = failed ? TEMPORAL_FAILED : TEMPORAL_REFUSED, false;
        for (uint32_t s = 0; s < ltl->kripke->states; s++) ltl->letters[s] |= (uint64_t)kripke_in(set, s) << a;
        mem_free(ltl->mem, set);
    }
    return true;
}

/* ---- successors in the product ---- */

struct edge_cursor {
    uint64_t node;
    uint64_t edge;  /* of the graph */
    uint32_t move;  /* of the automaton, within the state */
};

static void start_edges(const struct ltl *ltl, struct edge_cursor *cursor, uint64_t node)
{
    *cursor = (struct edge_cursor){node, ltl->kripke->first_next[state_of(ltl, node)], 0};
}

static bool next_edge(const struct ltl *ltl, struct edge_cursor *cursor, uint64_t *to)
{
    const struct buchi_state *q = &ltl->buchi.states.data[automaton_of(ltl, cursor->node)];
    uint64_t end = ltl->kripke->first_next[state_of(ltl, cursor->node) + 1];
    for (; cursor->edge < end; cursor->edge++, cursor->move = 0) {
        uint32_t state = ltl->kripke->next[cursor->edge];
        while (cursor->move < q->edges) {
            uint32_t target = ltl->buchi.targets.data[q->first_edge + cursor->move++];
            if (!fits(ltl, state, target)) continue;
            *to = (uint64_t)state * ltl->width + target;
            return true;
        }
    }
    return false;
}

/* ---- components ---- */

/* Tarjan: `order` numbers nodes from 1 as they are met; a finished component gets DONE. */
enum { DONE = 0xFFFFFFFF };

struct tarjan {
    uint32_t *order, *low;
    uint64_t *members; /* the component stack */
    struct edge_cursor *path;
    uint64_t member_count, member_cap, path_len, path_cap;
    uint32_t clock;
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
    if (!grow(ltl, (void **)&tarjan->members, &tarjan->member_cap, tarjan->member_count, sizeof *tarjan->members)) return false;
    if (!grow(ltl, (void **)&tarjan->path, &tarjan->path_cap, tarjan->path_len, sizeof *tarjan->path)) return false;
    tarjan->order[node] = tarjan->low[node] = ++tarjan->clock;
    tarjan->members[tarjan->member_count++] = node;
    start_edges(ltl, &tarjan->path[tarjan->path_len++], node);
    return true;
}

/* Whether the component from members[first] on has a cycle and meets every acceptance set. */
static bool is_accepting(const struct ltl *ltl, const struct tarjan *tarjan, uint64_t first)
{
    uint64_t met = 0, all = ltl->buchi.acceptance == 64 ? UINT64_MAX : (UINT64_C(1) << ltl->buchi.acceptance) - 1, to;
    for (uint64_t i = first; i < tarjan->member_count; i++) met |= ltl->buchi.states.data[automaton_of(ltl, tarjan->members[i])].accepting;
    if (met != all) return false;
    if (tarjan->member_count - first > 1) return true;
    struct edge_cursor cursor;
    start_edges(ltl, &cursor, tarjan->members[first]);
    while (next_edge(ltl, &cursor, &to))
        if (to == tarjan->members[first]) return true;
    return false;
}

/* Goes on from the path's end. Returns true when an accepting component was found: it is members[*first ..]. */
static bool search(struct ltl *ltl, struct tarjan *tarjan, uint64_t *first)
{
    uint32_t work = 0;
    while (tarjan->path_len && ltl->problem == TEMPORAL_HOLDS) {
        struct edge_cursor *top = &tarjan->path[tarjan->path_len - 1];
        uint64_t node = top->node, to;
        if (++work % POLL == 0 && !ltl->kripke->go_on(ltl->kripke->context)) ltl->problem = TEMPORAL_REFUSED;
        if (next_edge(ltl, top, &to)) {
            if (!tarjan->order[to]) enter(ltl, tarjan, to);
            else if (tarjan->order[to] != DONE && tarjan->order[to] < tarjan->low[node]) tarjan->low[node] = tarjan->order[to];
            continue;
        }
        tarjan->path_len--;
        if (tarjan->path_len) {
            uint64_t parent = tarjan->path[tarjan->path_len - 1].node;
            if (tarjan->low[node] < tarjan->low[parent]) tarjan->low[parent] = tarjan->low[node];
        }
        if (tarjan->low[node] != tarjan->order[node]) continue;
        *first = tarjan->member_count;
        while (tarjan->members[--*first] != node) continue;
        if (is_accepting(ltl, tarjan, *first)) return true;
        for (uint64_t i = *first; i < tarjan->member_count; i++) tarjan->order[tarjan->members[i]] = DONE;
        tarjan->member_count = *first;
    }
    return false;
}

/* ---- evidence ---- */

/* What a walk looks for: a node of the component, one with an acceptance bit, or this one; the last two stay inside the component. */
struct quest {
    const uint8_t *component; /* per node: belongs to it */
    bool any_member;
    uint64_t accepting;
    uint64_t target;
};

static bool is_wanted(const struct ltl *ltl, const struct quest *quest, uint64_t node)
{
    if (quest->any_member) return quest->component[node];
    if (quest->accepting) return ltl->buchi.states.data[automaton_of(ltl, node)].accepting & quest->accepting;
    return node == quest->target;
}

/* A shortest way from one of the starts to a wanted node, both included; *way has room for all nodes. Returns its length. */
static uint64_t walk(struct ltl *ltl, const uint64_t *starts, uint64_t start_count, const struct quest *quest, uint64_t *way)
{
    uint64_t *parent = mem_alloc(ltl->mem, ltl->nodes * sizeof *parent); /* + 1; a start is its own; 0: not met */
    uint64_t *queue = mem_alloc(ltl->mem, ltl->nodes * sizeof *queue), head = 0, tail = 0, length = 0, to, found = UINT64_MAX;
    for (uint64_t i = 0; i < start_count; i++) {
        if (parent[starts[i]]) continue;
        parent[starts[i]] = starts[i] + 1;
        queue[tail++] = starts[i];
    }
    for (; head < tail && found == UINT64_MAX; head++) {
        struct edge_cursor cursor;
        uint64_t node = queue[head];
        if (is_wanted(ltl, quest, node)) {
            found = node;
            break;
        }
        start_edges(ltl, &cursor, node);
        while (next_edge(ltl, &cursor, &to)) {
            if (parent[to] || (!quest->any_member && !quest->component[to])) continue;
            parent[to] = node + 1;
            queue[tail++] = to;
        }
    }
    for (uint64_t node = found; node != UINT64_MAX; node = parent[node] - 1) {
        way[length++] = node;
        if (parent[node] - 1 == node) break;
    }
    for (uint64_t i = 0; i < length / 2; i++) { /* found last to first: turn it round */
        uint64_t swap = way[i];
        way[i] = way[length - 1 - i];
        way[length - 1 - i] = swap;
    }
    mem_free(ltl->mem, parent);
    mem_free(ltl->mem, queue);
    return length;
}

static void append(struct ltl *ltl, const uint64_t *way, uint64_t from, uint64_t to, uint64_t *met)
{
    for (uint64_t i = from; i < to; i++) {
        vec_push(ltl->mem, &ltl->temporal->path.states, state_of(ltl, way[i]));
        *met |= ltl->buchi.states.data[automaton_of(ltl, way[i])].accepting;
    }
}

/* The successors of a node inside the component, each once: several rules may lead to the same one. */
static uint64_t inside_successors(struct ltl *ltl, uint8_t *component, uint64_t node, uint64_t *list)
{
    enum { MEMBER = 1, LISTED = 2 };
    struct edge_cursor cursor;
    uint64_t count = 0, to;
    start_edges(ltl, &cursor, node);
    while (next_edge(ltl, &cursor, &to)) {
        if (component[to] != MEMBER) continue;
        component[to] = LISTED;
        list[count++] = to;
    }
    for (uint64_t i = 0; i < count; i++) component[list[i]] = MEMBER;
    return count;
}

static void show_lasso(struct ltl *ltl, const struct tarjan *tarjan, uint64_t first, const uint64_t *starts, uint64_t start_count)
{
    uint8_t *component = mem_alloc(ltl->mem, ltl->nodes + 1);
    uint64_t *way = mem_alloc(ltl->mem, (ltl->nodes + 1) * sizeof *way), *after = mem_alloc(ltl->mem, (ltl->nodes + 1) * sizeof *after);
    for (uint64_t i = first; i < tarjan->member_count; i++) component[tarjan->members[i]] = 1;
    struct quest quest = {.component = component, .any_member = true};
    uint64_t met = 0, length = walk(ltl, starts, start_count, &quest, way), entry = way[length - 1], now = entry;
    append(ltl, way, 0, length, &met);
    ltl->temporal->path.loop = ltl->temporal->path.states.len - 1;
    met = ltl->buchi.states.data[automaton_of(ltl, entry)].accepting;
    quest.any_member = false;
    for (uint32_t k = 0; k < ltl->buchi.acceptance; k++) {
        if (met >> k & 1) continue;
        quest.accepting = UINT64_C(1) << k;
        length = walk(ltl, &now, 1, &quest, way);
        append(ltl, way, 1, length, &met);
        now = way[length - 1];
    }
    quest.accepting = 0;
    quest.target = entry;
    uint64_t count = inside_successors(ltl, component, now, after);
    length = walk(ltl, after, count, &quest, way);
    append(ltl, way, 0, length - 1, &met); /* the entry itself is where the loop goes back to */
    mem_free(ltl->mem, component);
    mem_free(ltl->mem, way);
    mem_free(ltl->mem, after);
}

/* ---- the check ---- */

static bool find_starts(struct ltl *ltl, uint64_t **starts, uint64_t *count)
{
    const struct buchi *buchi = &ltl->buchi;
    *count = 0;
    *starts = mem_try_alloc(ltl->mem, ((uint64_t)ltl->kripke->initial * buchi->initial.len + 1) * sizeof **starts);
    if (!*starts) return ltl->problem = TEMPORAL_REFUSED, false;
    for (uint32_t s = 0; s < ltl->kripke->initial; s++)
        for (uint32_t i = 0; i < buchi->initial.len; i++)
            if (fits(ltl, s, buchi->initial.data[i])) (*starts)[(*count)++] = (uint64_t)s * ltl->width + buchi->initial.data[i];
    return true;
}

/* True: an accepting component was found, and the path shows it. */
static bool find_violation(struct ltl *ltl)
{
    struct tarjan tarjan = {0};
    uint64_t *starts, count, first;
    bool found = false;
    ltl->nodes = (uint64_t)ltl->kripke->states * ltl->width;
    if (ltl->nodes >= DONE - 1) {
        ltl->temporal->reason = "the product of the state space with the formula's automaton is too large";
        return ltl->problem = TEMPORAL_BEYOND, false;
    }
    if (!find_starts(ltl, &starts, &count)) return false;
    tarjan.order = mem_try_alloc(ltl->mem, (ltl->nodes + 1) * sizeof *tarjan.order);
    tarjan.low = tarjan.order ? mem_try_alloc(ltl->mem, (ltl->nodes + 1) * sizeof *tarjan.low) : NULL;
    if (!tarjan.low) ltl->problem = TEMPORAL_REFUSED;
    for (uint64_t i = 0; i < count && !found && ltl->problem == TEMPORAL_HOLDS; i++)
        if (!tarjan.order[starts[i]] && enter(ltl, &tarjan, starts[i])) found = search(ltl, &tarjan, &first);
    if (found) {
        uint64_t limit = ltl->mem->limit;
        ltl->mem->limit = 0; /* what was found must not be lost to the limit on the search */
        mem_free(ltl->mem, tarjan.order);
        tarjan.order = NULL;
        show_lasso(ltl, &tarjan, first, starts, count);
        ltl->mem->limit = limit;
    }
    mem_free(ltl->mem, tarjan.order);
    mem_free(ltl->mem, tarjan.low);
    mem_free(ltl->mem, tarjan.members);
    mem_free(ltl->mem, tarjan.path);
    mem_free(ltl->mem, starts);
    return found;
}

enum temporal_result ltl_check(struct temporal *temporal, formula f)
{
    struct ltl ltl = {.temporal = temporal, .kripke = temporal->kripke, .mem = temporal->kripke->mem, .problem = TEMPORAL_HOLDS};
    temporal->reason = buchi_translate(&ltl.buchi, temporal->space->model, f, true);
    if (temporal->reason) return TEMPORAL_BEYOND;
    ltl.width = ltl.buchi.states.len;
    bool violated = ltl.width && read_letters(&ltl) && find_violation(&ltl);
    mem_free(ltl.mem, ltl.letters);
    buchi_release(&ltl.buchi, temporal->space->model);
    return violated ? TEMPORAL_VIOLATED : ltl.problem;
}
