/* Minimisation by refinement of two partitions at the same time, after Valmari and Lehtinen: blocks
 * of states and cords of edges. At first a cord has the edges of one label, and blocks tell final
 * states from the others. Then
 *  - the edges of a cord split the blocks of the states that they leave, into those that have such
 *    an edge and those that have not;
 *  - the edges into a new block split the cords that they are in.
 * In the end all edges of a cord have one label and lead into one block, and all states of a block
 * have edges in the same cords: equivalent states. The smaller half of what is split is the new
 * part, so that each edge is looked at a logarithmic number of times: O(m log m) for m edges,
 * however long the automaton's words are, and labels without edges cost nothing.
 *
 * A partition: its items lie in `item`, those of a set next to each other, from first[set] to
 * past[set] - 1, the marked ones in front. Invariants (partition_check): (1) item and place are
 * inverse to each other; (2) every set has an item, and its items know it; (3) between splits no
 * item is marked. */
#include "automaton/guide/minimise.h"

#include "base/checked.h"

struct partition {
    struct mem *mem;
    uint32_t sets;
    uint32_t *item, *place, *set;    /* the items; where each stands; the set of each */
    uint32_t *first, *past, *marked; /* of each set */
    uint32_t *touched;               /* the sets that have marked items */
    uint32_t touched_count;
};

static bool partition_init(struct partition *p, struct mem *mem, uint32_t items)
{
    size_t bytes = ((size_t)items + 1) * sizeof(uint32_t);
    uint32_t **arrays[] = {&p->item, &p->place,  &p->set,    &p->first,
                           &p->past, &p->marked, &p->touched};
    bool good = true;
    *p = (struct partition){.mem = mem};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= (*arrays[i] = mem_try_alloc(mem, bytes)) != NULL;
    for (uint32_t i = 0; good && i < items; i++) p->item[i] = p->place[i] = i;
    p->sets = items > 0;
    if (good) p->past[0] = items;
    return good;
}

static void partition_release(struct partition *p)
{
    uint32_t *arrays[] = {p->item, p->place, p->set, p->first, p->past, p->marked, p->touched};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(p->mem, arrays[i]);
}

/* Whether the invariants hold, of so many items. */
static bool partition_check(const struct partition *p, uint32_t items)
{
    uint64_t in_sets = 0;
    for (uint32_t i = 0; i < items; i++)
        if (p->place[p->item[i]] != i) return false; /* (1) */
    for (uint32_t set = 0; set < p->sets; set++) {
        if (p->first[set] >= p->past[set]) return false; /* (2) */
        for (uint32_t i = p->first[set]; i < p->past[set]; i++)
            if (p->set[p->item[i]] != set) return false; /* (2) */
        if (p->marked[set]) return false;                /* (3) */
        in_sets += p->past[set] - p->first[set];
    }
    return in_sets == items && !p->touched_count; /* (2), (3) */
}

static void mark(struct partition *p, uint32_t item)
{
    uint32_t set = p->set[item], from = p->place[item], to = p->first[set] + p->marked[set],
             other = p->item[to];
    assert(p->item[from] == item); /* (1) */
    if (from < to) return;         /* marked already */
    assert(from < p->past[set]);   /* (2) */
    p->item[from] = other;
    p->place[other] = from;
    p->item[to] = item;
    p->place[item] = to;
    if (!p->marked[set]++) p->touched[p->touched_count++] = set;
}

/* Each touched set becomes two, unless all of it is marked. */
static void split(struct partition *p)
{
    while (p->touched_count) {
        uint32_t set = p->touched[--p->touched_count], middle = p->first[set] + p->marked[set],
                 made = p->sets;
        p->marked[set] = 0;
        assert(middle > p->first[set] && middle <= p->past[set]); /* what is touched is marked */
        if (middle == p->past[set]) continue;
        if (middle - p->first[set] <= p->past[set] - middle) {
            p->first[made] = p->first[set];
            p->past[made] = p->first[set] = middle;
        } else {
            p->past[made] = p->past[set];
            p->first[made] = p->past[set] = middle;
        }
        for (uint32_t i = p->first[made]; i < p->past[made]; i++) p->set[p->item[i]] = made;
        p->sets++;
    }
}

struct minimiser {
    struct mem *mem;
    const struct dfa *dfa;
    struct partition blocks, cords;
    uint32_t *from;              /* the state that each edge leaves */
    uint32_t *first_into, *into; /* the edges into each state */
};

/* Sorts the edges by label, by the bytes of labels that differ at all, and makes a cord of each
 * label. `other` has room for all edges. */
static void begin_cords(struct minimiser *m, uint32_t *other)
{
    const struct dfa *dfa = m->dfa;
    struct partition *cords = &m->cords;
    uint32_t *items = cords->item, *spare = other;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t counts[257] = {0};
        for (uint32_t e = 0; e < dfa->edges; e++) counts[(dfa->edge_label[e] >> shift & 255) + 1]++;
        for (unsigned i = 0; i < 256; i++) counts[i + 1] += counts[i];
        for (uint32_t i = 0; i < dfa->edges; i++)
            spare[counts[dfa->edge_label[items[i]] >> shift & 255]++] = items[i];
        uint32_t *swap = items;
        items = spare;
        spare = swap;
    }
    uint32_t sets = 0; /* four passes: the items are where they began */
    for (uint32_t i = 0; i < dfa->edges; i++) {
        if (i && dfa->edge_label[items[i]] != dfa->edge_label[items[i - 1]]) {
            cords->past[sets++] = i;
            cords->first[sets] = i;
        }
        cords->place[items[i]] = i;
        cords->set[items[i]] = sets;
    }
    if (dfa->edges) cords->past[sets++] = dfa->edges;
    cords->sets = sets;
    CHECKED(partition_check(cords, dfa->edges));
}

static void find_neighbours(struct minimiser *m)
{
    const struct dfa *dfa = m->dfa;
    for (uint32_t e = 0; e < dfa->edges; e++) m->first_into[dfa->edge_to[e] + 1]++;
    for (uint32_t s = 0; s < dfa->states; s++) m->first_into[s + 1] += m->first_into[s];
    for (uint32_t s = 0; s < dfa->states; s++)
        for (uint32_t e = dfa->first_edge[s]; e < dfa->first_edge[s + 1]; e++) {
            m->from[e] = s;
            m->into[m->first_into[dfa->edge_to[e]]++] = e;
        }
    for (uint32_t s = dfa->states; s > 0; s--) m->first_into[s] = m->first_into[s - 1];
    m->first_into[0] = 0;
}

/* False: there is enough, in the middle of it. */
static bool refine(struct minimiser *m)
{
    struct partition *blocks = &m->blocks, *cords = &m->cords;
    for (uint32_t s = 0; s < m->dfa->states; s++)
        if (dfa_is_final(m->dfa, s)) mark(blocks, s);
    split(blocks);
    /* block 0 needs no turn of its own: what leads into no other block leads into it */
    for (uint32_t b = 1, c = 0; c < cords->sets; c++) {
        if (mem_enough(m->mem)) return false;
        for (uint32_t i = cords->first[c]; i < cords->past[c]; i++)
            mark(blocks, m->from[cords->item[i]]);
        split(blocks);
        for (; b < blocks->sets; b++) {
            for (uint32_t i = blocks->first[b]; i < blocks->past[b]; i++) {
                uint32_t s = blocks->item[i];
                for (uint32_t k = m->first_into[s]; k < m->first_into[s + 1]; k++)
                    mark(cords, m->into[k]);
            }
            split(cords);
        }
    }
    CHECKED(partition_check(blocks, m->dfa->states) && partition_check(cords, m->dfa->edges));
    return true;
}

/* Numbers the blocks in the order of a breadth-first search; returns the edges of one state of
 * each. `order`: one state of each block. */
static uint32_t number_blocks(const struct minimiser *m, uint32_t *number, uint32_t *order)
{
    const struct dfa *dfa = m->dfa;
    uint32_t met = 0, edges = 0;
    for (uint32_t b = 0; b < m->blocks.sets; b++) number[b] = DFA_NONE;
    number[m->blocks.set[0]] = met;
    order[met++] = 0;
    for (uint32_t i = 0; i < met; i++)
        for (uint32_t e = dfa->first_edge[order[i]]; e < dfa->first_edge[order[i] + 1];
             e++, edges++) {
            uint32_t block = m->blocks.set[dfa->edge_to[e]];
            if (number[block] != DFA_NONE) continue;
            number[block] = met;
            order[met++] = dfa->edge_to[e];
        }
    assert(met == m->blocks.sets); /* the contract: every state is reached */
    return edges;
}

static enum build_status extract(const struct minimiser *m, struct dfa *small, uint32_t *number,
                                 uint32_t *order)
{
    const struct dfa *dfa = m->dfa;
    uint32_t edges = number_blocks(m, number, order), at = 0;
    if (!dfa_alloc(small, m->mem, m->blocks.sets, edges)) return BUILD_REFUSED;
    for (uint32_t i = 0; i < small->states; i++) {
        small->first_edge[i] = at;
        if (dfa_is_final(dfa, order[i])) dfa_set_final(small, i);
        for (uint32_t e = dfa->first_edge[order[i]]; e < dfa->first_edge[order[i] + 1]; e++, at++) {
            small->edge_label[at] = dfa->edge_label[e];
            small->edge_to[at] = number[m->blocks.set[dfa->edge_to[e]]];
        }
    }
    small->first_edge[small->states] = at;
    assert(at == edges);
    return BUILD_DONE;
}

enum build_status minimise(struct dfa *dfa)
{
    struct mem *mem = dfa->mem;
    struct minimiser m = {.mem = mem, .dfa = dfa};
    struct dfa small = {.mem = mem};
    size_t edges = (size_t)dfa->edges + 1, states = (size_t)dfa->states + 1;
    bool good = partition_init(&m.blocks, mem, dfa->states);
    good &= partition_init(&m.cords, mem, dfa->edges);
    m.from = mem_try_alloc(mem, edges * sizeof *m.from);
    m.into = mem_try_alloc(mem, edges * sizeof *m.into);
    m.first_into = mem_try_alloc(mem, (states + 1) * sizeof *m.first_into);
    uint32_t *number = mem_try_alloc(mem, states * sizeof *number);
    good = good && m.from && m.into && m.first_into && number;
    if (good) {
        begin_cords(&m, m.into);
        find_neighbours(&m);
        good = refine(&m)
               && extract(&m, &small, number, m.blocks.item)
                      == BUILD_DONE; /* the items are not needed any more */
    }
    partition_release(&m.blocks);
    partition_release(&m.cords);
    mem_free(mem, m.from);
    mem_free(mem, m.into);
    mem_free(mem, m.first_into);
    mem_free(mem, number);
    if (!good) return BUILD_REFUSED;
    assert(small.states <= dfa->states && small.edges <= dfa->edges);
    CHECKED(dfa_check(&small));
    dfa_release(dfa);
    *dfa = small;
    return BUILD_DONE;
}
