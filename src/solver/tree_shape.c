/* The shape of a tree of words.
 *
 * The problem: lists of inner nodes are short where the words below change together. Which do,
 * nobody says; neighbours in a record often do, but the words of one process may be of several
 * kinds.
 *
 * So a sample is asked: of all pairs of nodes, that one is made a node whose pairs of numbers are
 * fewest in the sample, of equal ones that with the fewest leaves; and so on, until one node is
 * left. That takes as many counts as there are pairs of leaves. Of many leaves, neighbours are
 * paired first, until few nodes are left.
 *
 * Numbers of a node in the sample stand in a column; a pair takes that of its left child. */
#include "solver/tree.h"

#include <assert.h>

enum { FEW = 32 }; /* nodes of which all pairs are looked at */

struct shape {
    uint32_t count;     /* of the sample */
    uint32_t live;      /* nodes without a parent, in the order of their first leaves: */
    uint32_t *nodes;    /* ... which they are, ... */
    uint32_t *kinds;    /* ... how many numbers they have, ... */
    uint32_t *sizes;    /* ... how many leaves, ... */
    uint32_t **columns; /* ... their numbers in the sample */
    uint32_t *pairs;    /* how many two have: of neighbours, or of all when there are few */
    uint64_t *table;    /* for counting: pair + 1, ... */
    uint32_t *ids;      /* ... its number */
    uint32_t mask;
};

/* Gives equal entries equal numbers, from 0 on, in `column` unless that is NULL; returns how many
 * there are. */
static uint32_t number(struct shape *shape, const uint64_t *left, uint32_t stride,
                       const uint32_t *a, const uint32_t *b, uint32_t *column)
{
    uint32_t kinds = 0;
    memset(shape->ids, 0, (shape->mask + (size_t)1) * sizeof *shape->ids);
    for (uint32_t i = 0; i < shape->count; i++) {
        const uint64_t entry = left ? left[(size_t)i * stride] : (uint64_t)a[i] << 32 | b[i];
        uint32_t at = (uint32_t)(wordset_mix(entry) >> 32) & shape->mask;
        while (shape->ids[at] && shape->table[at] != entry) at = (at + 1) & shape->mask;
        if (!shape->ids[at]) {
            shape->table[at] = entry;
            shape->ids[at] = ++kinds;
        }
        if (column) column[i] = shape->ids[at] - 1;
    }
    return kinds;
}

static uint32_t count_pairs(struct shape *shape, uint32_t a, uint32_t b)
{
    if (shape->kinds[a] == 1) return shape->kinds[b];
    if (shape->kinds[b] == 1) return shape->kinds[a];
    return number(shape, NULL, 0, shape->columns[a], shape->columns[b], NULL);
}

/* Where it is kept of two of them, a before b. */
static uint32_t *pairs_of(const struct shape *shape, uint32_t a, uint32_t b)
{
    assert(a < b && b < shape->live);
    return shape->live > FEW ? &shape->pairs[a] : &shape->pairs[a * FEW + b];
}

static uint32_t last_beside(const struct shape *shape, uint32_t a)
{
    return shape->live > FEW ? a + 1 : shape->live - 1;
}

static void count_all(struct shape *shape)
{
    for (uint32_t a = 0; a + 1 < shape->live; a++)
        for (uint32_t b = a + 1; b <= last_beside(shape, a); b++)
            *pairs_of(shape, a, b) = count_pairs(shape, a, b);
}

/* The two with the fewest pairs. */
static void choose(const struct shape *shape, uint32_t *left, uint32_t *right)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t a = 0; a + 1 < shape->live; a++)
        for (uint32_t b = a + 1; b <= last_beside(shape, a); b++) {
            const uint64_t cost =
                (uint64_t)*pairs_of(shape, a, b) << 32 | (shape->sizes[a] + shape->sizes[b]);
            if (cost >= least) continue;
            least = cost;
            *left = a;
            *right = b;
        }
}

/* Node number `at` is not there any more. */
static void remove_node(struct shape *shape, uint32_t at)
{
    const bool few = shape->live <= FEW;
    for (uint32_t a = 0; few && a < shape->live; a++)
        for (uint32_t b = at; b + 1 < shape->live; b++)
            shape->pairs[a * FEW + b] = shape->pairs[a * FEW + b + 1];
    for (uint32_t a = at; few && a + 1 < shape->live; a++)
        memcpy(&shape->pairs[a * FEW], &shape->pairs[(a + 1) * FEW], FEW * sizeof *shape->pairs);
    for (uint32_t a = at; a + 1 < shape->live; a++) {
        shape->nodes[a] = shape->nodes[a + 1];
        shape->kinds[a] = shape->kinds[a + 1];
        shape->sizes[a] = shape->sizes[a + 1];
        shape->columns[a] = shape->columns[a + 1];
        if (!few) shape->pairs[a] = shape->pairs[a + 1];
    }
    shape->live--;
}

/* Two nodes become one, where the left one was. */
static void pair_up(struct shape *shape, uint32_t left, uint32_t right, uint32_t node)
{
    uint32_t *column = shape->columns[left];
    shape->kinds[left] = number(shape, NULL, 0, column, shape->columns[right], column);
    shape->sizes[left] += shape->sizes[right];
    shape->nodes[left] = node;
    remove_node(shape, right);
    if (shape->live == FEW) count_all(shape);
    else if (shape->live > FEW) {
        if (left) *pairs_of(shape, left - 1, left) = count_pairs(shape, left - 1, left);
        if (left + 1 < shape->live)
            *pairs_of(shape, left, left + 1) = count_pairs(shape, left, left + 1);
    } else
        for (uint32_t i = 0; i < shape->live; i++)
            if (i != left)
                *pairs_of(shape, i < left ? i : left, i < left ? left : i) =
                    count_pairs(shape, left, i);
}

static void *take(struct mem *mem, uint64_t count, size_t each, bool *good)
{
    void *block = mem_try_alloc(mem, count * each);
    *good &= block != NULL;
    return block;
}

static bool open(struct shape *shape, struct mem *mem, uint32_t leaves)
{
    bool good = true;
    while (shape->mask + UINT64_C(1) < 2 * (uint64_t)shape->count)
        shape->mask = 2 * shape->mask + 1;
    shape->nodes = take(mem, leaves, sizeof *shape->nodes, &good);
    shape->kinds = take(mem, leaves, sizeof *shape->kinds, &good);
    shape->sizes = take(mem, leaves, sizeof *shape->sizes, &good);
    shape->columns = take(mem, leaves, sizeof *shape->columns, &good);
    shape->pairs = take(mem, leaves + FEW * FEW, sizeof *shape->pairs, &good);
    shape->table = take(mem, shape->mask + UINT64_C(1), sizeof *shape->table, &good);
    shape->ids = take(mem, shape->mask + UINT64_C(1), sizeof *shape->ids, &good);
    return good;
}

bool tree_shape(struct mem *mem, uint32_t leaves, const uint64_t *sample, uint32_t count,
                uint32_t *sides)
{
    struct shape shape = {.count = count, .live = leaves, .mask = 15};
    assert(leaves >= 2);
    bool good = open(&shape, mem, leaves);
    uint32_t *columns =
        good ? mem_try_alloc(mem, ((uint64_t)leaves * count + 1) * sizeof *columns) : NULL;
    if (columns) {
        for (uint32_t i = 0; i < leaves; i++) {
            shape.nodes[i] = i;
            shape.sizes[i] = 1;
            shape.columns[i] = columns + (size_t)i * count;
            shape.kinds[i] = number(&shape, sample + i, leaves, NULL, NULL, shape.columns[i]);
        }
        count_all(&shape);
        for (uint32_t node = leaves; shape.live > 1; node++) {
            uint32_t left = 0, right = 1;
            choose(&shape, &left, &right);
            *sides++ = shape.nodes[left];
            *sides++ = shape.nodes[right];
            pair_up(&shape, left, right, node);
        }
    }
    mem_free(mem, columns);
    mem_free(mem, shape.nodes);
    mem_free(mem, shape.kinds);
    mem_free(mem, shape.sizes);
    mem_free(mem, shape.columns);
    mem_free(mem, shape.pairs);
    mem_free(mem, shape.table);
    mem_free(mem, shape.ids);
    return columns;
}
