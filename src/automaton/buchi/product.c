#include "automaton/buchi/product.h"

#include "automaton/buchi/reduce.h"

#include <assert.h>
#include <string.h>

enum { MAX_PAIRS = 1 << 22, MAX_EDGES = 1 << 24 };

/* ---- product ---- */

struct pairs {
    struct mem *mem;
    VEC(uint64_t) list;
    uint32_t *slots; /* index + 1, by hash */
    uint32_t size;
};

static uint32_t slot_of(const struct pairs *pairs, uint64_t pair)
{
    return (uint32_t)(pair * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (pairs->size - 1);
}

static void rehash(struct pairs *pairs)
{
    mem_free(pairs->mem, pairs->slots);
    pairs->size = pairs->size ? 2 * pairs->size : 1024;
    pairs->slots = mem_alloc(pairs->mem, pairs->size * sizeof *pairs->slots);
    for (uint32_t i = 0; i < pairs->list.len; i++) {
        uint32_t at = slot_of(pairs, pairs->list.data[i]);
        while (pairs->slots[at]) at = (at + 1) & (pairs->size - 1);
        pairs->slots[at] = i + 1;
    }
}

static uint32_t find_pair(struct pairs *pairs, uint32_t first, uint32_t second)
{
    uint64_t pair = (uint64_t)first << 32 | second;
    if (2 * pairs->list.len >= pairs->size) rehash(pairs);
    uint32_t at = slot_of(pairs, pair);
    for (; pairs->slots[at]; at = (at + 1) & (pairs->size - 1))
        if (pairs->list.data[pairs->slots[at] - 1] == pair) return pairs->slots[at] - 1;
    assert(pairs->list.len < pairs->size); /* so that every search ends at a free slot */
    vec_push(pairs->mem, &pairs->list, pair);
    return (pairs->slots[at] = pairs->list.len) - 1;
}

static void join_edges(const struct automaton *a, const struct automaton *b, uint64_t pair,
                       struct pairs *pairs, struct automaton *product)
{
    const struct automaton_state *sa = &a->states.data[pair >> 32],
                                 *sb = &b->states.data[(uint32_t)pair];
    automaton_add_state(product);
    for (uint32_t i = 0; i < sa->edges; i++)
        for (uint32_t j = 0; j < sb->edges; j++) {
            const struct automaton_edge *ea = &a->edges.data[sa->first + i],
                                        *eb = &b->edges.data[sb->first + j];
            struct automaton_edge edge = {.positive = ea->positive | eb->positive,
                                          .negative = ea->negative | eb->negative};
            if (edge.positive & edge.negative) continue;
            edge.marks = ea->marks | (b->acceptance ? eb->marks << a->acceptance : 0);
            edge.target = find_pair(pairs, ea->target, eb->target);
            automaton_add_edge(product, edge);
        }
}

const char *product_make(const struct automaton *a, const struct automaton *b,
                         struct automaton *product)
{
    struct pairs pairs = {.mem = a->mem};
    const char *problem = NULL;
    automaton_init(product, a->mem);
    if (a->acceptance + b->acceptance > AUTOMATON_MAX_ACCEPTANCE)
        return "the product of the automata has too many acceptance sets";
    product->acceptance = a->acceptance + b->acceptance;
    find_pair(&pairs, a->initial, b->initial);
    for (uint32_t i = 0; i < pairs.list.len && !problem; i++) {
        join_edges(a, b, pairs.list.data[i], &pairs, product);
        if (pairs.list.len > MAX_PAIRS || product->edges.len > MAX_EDGES)
            problem = "the product of the automata is too large";
    }
    vec_free(pairs.mem, &pairs.list);
    mem_free(pairs.mem, pairs.slots);
    if (problem) automaton_release(product);
    assert(problem || automaton_check(product));
    return problem;
}

/* ---- words ---- */

struct search {
    const struct automaton *automaton;
    const struct automaton_components *components;
    uint32_t component; /* AUTOMATON_NONE: the way there may lead anywhere */
    struct word *word;
};

/* Adds the letters of a shortest way from a state, by at least `least` edges, whose last edge has
 * the marks `marks` and ends in the state `target` (AUTOMATON_NONE: in any accepting component).
 * Returns where it ends. */
struct quest {
    uint64_t marks;
    uint32_t target;
};

static bool is_end(const struct search *search, const struct quest *quest,
                   const struct automaton_edge *edge)
{
    if ((edge->marks & quest->marks) != quest->marks) return false;
    if (quest->target != AUTOMATON_NONE) return edge->target == quest->target;
    return search->component != AUTOMATON_NONE
           || search->components->accepting[search->components->of[edge->target]];
}

static void write_way(struct search *search, const uint32_t *arrived_by, const uint32_t *source,
                      uint32_t last)
{
    struct mem *mem = search->automaton->mem;
    VEC(uint64_t) back = {0};
    for (uint32_t e = last;; e = arrived_by[source[e]] - 1) {
        vec_push(mem, &back, search->automaton->edges.data[e].positive);
        if (!arrived_by[source[e]]) break;
    }
    for (uint32_t i = back.len; i-- > 0;) vec_push(mem, &search->word->letters, back.data[i]);
    vec_free(mem, &back);
}

/* Breadth first; the start has no edge it was arrived by, and is not arrived at again. */
static uint32_t walk(struct search *search, uint32_t start, struct quest quest)
{
    const struct automaton *automaton = search->automaton;
    uint32_t *arrived_by = mem_alloc(automaton->mem, automaton->states.len * sizeof *arrived_by),
             end = AUTOMATON_NONE;
    uint32_t *source = mem_alloc(automaton->mem, (automaton->edges.len + 1) * sizeof *source);
    uint32_t *queue = mem_alloc(automaton->mem, automaton->states.len * sizeof *queue), tail = 0;
    queue[tail++] = start;
    for (uint32_t head = 0; head < tail && end == AUTOMATON_NONE; head++) {
        const struct automaton_state *state = &automaton->states.data[queue[head]];
        for (uint32_t e = state->first; e < state->first + state->edges; e++) {
            const struct automaton_edge *edge = &automaton->edges.data[e];
            if (search->component != AUTOMATON_NONE
                && search->components->of[edge->target] != search->component)
                continue;
            source[e] = queue[head];
            if (is_end(search, &quest, edge)) {
                write_way(search, arrived_by, source, e);
                end = edge->target;
                break;
            }
            if (arrived_by[edge->target] || edge->target == start) continue;
            arrived_by[edge->target] = e + 1;
            queue[tail++] = edge->target;
        }
    }
    mem_free(automaton->mem, arrived_by);
    mem_free(automaton->mem, source);
    mem_free(automaton->mem, queue);
    assert(end != AUTOMATON_NONE);
    return end;
}

/* A way into an accepting component, then a round in it by an edge of every acceptance set. */
static void write_word(struct search *search)
{
    const struct automaton *automaton = search->automaton;
    uint32_t at = automaton->initial;
    if (!search->components->accepting[search->components->of[at]])
        at = walk(search, at, (struct quest){0, AUTOMATON_NONE});
    search->word->loop = search->word->letters.len;
    search->component = search->components->of[at];
    uint32_t entry = at;
    for (uint32_t k = 0; k < automaton->acceptance; k++)
        at = walk(search, at, (struct quest){UINT64_C(1) << k, AUTOMATON_NONE});
    if (at != entry || search->word->letters.len == search->word->loop)
        walk(search, at, (struct quest){0, entry});
}

bool product_find_word(const struct automaton *automaton, struct word *word)
{
    struct automaton_components components;
    bool found = false;
    memset(word, 0, sizeof *word);
    automaton_find_components(automaton, &components);
    for (uint32_t c = 0; c < components.count; c++) found |= components.accepting[c];
    struct search search = {automaton, &components, AUTOMATON_NONE, word};
    if (found) write_word(&search);
    assert(!found || word->loop < word->letters.len); /* a cycle has a letter */
    automaton_free_components(automaton, &components);
    return found;
}

void product_word_automaton(const struct word *word, uint64_t care, struct mem *mem,
                            struct automaton *automaton)
{
    assert(word->loop < word->letters.len);
    automaton_init(automaton, mem);
    for (uint32_t i = 0; i < word->letters.len; i++) {
        uint64_t letter = word->letters.data[i];
        automaton_add_state(automaton);
        automaton_add_edge(automaton,
                           (struct automaton_edge){letter & care, ~letter & care, 0,
                                                   i + 1 < word->letters.len ? i + 1 : word->loop});
    }
}

/* ---- one acceptance set ---- */

/* The state (q, level) has seen the first `level` sets since the last round was complete; at the
 * top level a round is, and the next one begins. Outside accepting components the level is 0. */
static void add_levels(const struct automaton *automaton,
                       const struct automaton_components *components, struct automaton *result)
{
    struct pairs pairs = {.mem = automaton->mem};
    uint32_t top = automaton->acceptance;
    result->acceptance = 1;
    find_pair(&pairs, automaton->initial, 0);
    for (uint32_t i = 0; i < pairs.list.len; i++) {
        uint32_t q = (uint32_t)(pairs.list.data[i] >> 32), level = (uint32_t)pairs.list.data[i];
        const struct automaton_state *state = &automaton->states.data[q];
        automaton_add_state(result);
        for (uint32_t e = state->first; e < state->first + state->edges; e++) {
            struct automaton_edge edge = automaton->edges.data[e];
            uint32_t c = components->of[q], next = level == top ? 0 : level;
            assert(level <= top);
            while (next < top && edge.marks >> next & 1) next++;
            if (c != components->of[edge.target] || !components->accepting[c]) next = 0;
            edge.marks = level == top;
            edge.target = find_pair(&pairs, edge.target, next);
            automaton_add_edge(result, edge);
        }
    }
    vec_free(pairs.mem, &pairs.list);
    mem_free(pairs.mem, pairs.slots);
}

/* All edges of a state inside its component are marked, or none; the other edges follow them.
 * False: it is not so. */
static bool align_marks(struct automaton *automaton)
{
    struct automaton_components components;
    bool good = true;
    automaton_find_components(automaton, &components);
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        const struct automaton_state *state = &automaton->states.data[s];
        bool marked = false, unmarked = false;
        for (uint32_t e = state->first; e < state->first + state->edges; e++)
            if (components.of[automaton->edges.data[e].target] == components.of[s])
                *(automaton->edges.data[e].marks ? &marked : &unmarked) = true;
        good &= !(marked && unmarked);
        for (uint32_t e = state->first; e < state->first + state->edges; e++)
            automaton->edges.data[e].marks = marked;
    }
    automaton_free_components(automaton, &components);
    return good;
}

void product_degeneralise(struct automaton *automaton)
{
    struct automaton_components components;
    struct automaton reduced;
    automaton_trim(automaton);
    if (!automaton->acceptance) return;
    automaton_find_components(automaton, &components);
    for (unsigned attempt = 0; attempt < 2;
         attempt++) { /* the second one is not reduced: reduction may part a state's marks */
        automaton_init(&reduced, automaton->mem);
        add_levels(automaton, &components, &reduced);
        if (attempt == 0) reduce_automaton(&reduced);
        if (!reduced.acceptance || align_marks(&reduced)) break;
        automaton_release(&reduced);
    }
    automaton_free_components(automaton, &components);
    automaton_release(automaton);
    *automaton = reduced;
    assert(automaton->acceptance <= 1 && automaton_check(automaton)); /* the contract */
}
