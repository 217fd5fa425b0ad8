/* The caller divides what is to be sorted into some pieces, each of things that are smaller than
 * those of the next, as quicksort does; then every thread sorts one piece after the other. Dividing
 * takes log2(pieces) passes of about log2(things) that sorting takes. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_TEST_HOOKS
enum { LEAST = 8 };
#else
enum { LEAST = 4096 }; /* fewer are not divided */
#endif
enum { SAMPLES = 9, PIECES = 2 * CREW_MOST };

struct piece {
    char *first;
    uint64_t count;
};

struct sorting {
    size_t size;
    int (*compare)(const void *, const void *, void *);
    void *context;
    struct piece pieces[PIECES];
    uint32_t len;
    atomic_uint next;
};

static void swap(char *a, char *b, size_t size)
{
    char kept[64];
    for (size_t some; size && a != b; a += some, b += some, size -= some) {
        some = size < sizeof kept ? size : sizeof kept;
        memcpy(kept, a, some);
        memcpy(a, b, some);
        memcpy(b, kept, some);
    }
}

/* The middle one of some that stand at equal distances comes first. */
static void bring_pivot(const struct sorting *sorting, const struct piece *piece)
{
    char *samples[SAMPLES];
    for (uint64_t i = 0; i < SAMPLES; i++) {
        char *at = piece->first + piece->count / SAMPLES * i * sorting->size;
        uint64_t k = i;
        for (; k && sorting->compare(samples[k - 1], at, sorting->context) > 0; k--)
            samples[k] = samples[k - 1];
        samples[k] = at;
    }
    swap(piece->first, samples[SAMPLES / 2], sorting->size);
}

/* The piece keeps what is smaller than its pivot; the rest, without the pivot, is returned. */
static struct piece divide(const struct sorting *sorting, struct piece *piece)
{
    const size_t size = sorting->size;
    char *const first = piece->first;
    uint64_t low = 1, high = piece->count; /* smaller ones are before low, others from high on */
    bring_pivot(sorting, piece);
    for (;;) {
        while (low < high && sorting->compare(first + low * size, first, sorting->context) < 0)
            low++;
        while (low < high
               && sorting->compare(first + (high - 1) * size, first, sorting->context) >= 0)
            high--;
        if (low == high) break;
        swap(first + low++ * size, first + --high * size, size);
    }
    swap(first, first + (low - 1) * size, size);
    const struct piece rest = {first + low * size, piece->count - low};
    piece->count = low - 1;
    return rest;
}

static void divide_all(struct sorting *sorting, uint32_t wanted)
{
    while (sorting->len < wanted) {
        struct piece *largest = sorting->pieces;
        for (uint32_t i = 1; i < sorting->len; i++)
            if (sorting->pieces[i].count > largest->count) largest = &sorting->pieces[i];
        if (largest->count < LEAST) return;
        sorting->pieces[sorting->len++] = divide(sorting, largest);
    }
}

static void work(void *context, uint32_t number)
{
    struct sorting *sorting = context;
    (void)number;
    for (uint32_t i; (i = atomic_fetch_add(&sorting->next, 1)) < sorting->len;) {
        const struct piece *piece = &sorting->pieces[i];
        if (piece->count > 1)
            qsort_r(piece->first, piece->count, sorting->size, sorting->compare, sorting->context);
    }
}

void sort_things(struct crew *crew, void *things, uint64_t count, size_t size,
                 int (*compare)(const void *, const void *, void *), void *context)
{
    if (count < 2) return;
    if (!crew || crew->count < 2 || count < LEAST) {
        qsort_r(things, count, size, compare, context);
        return;
    }
    struct sorting sorting = {.size = size,
                              .compare = compare,
                              .context = context,
                              .pieces = {{things, count}},
                              .len = 1};
    divide_all(&sorting, 2 * crew->count < PIECES ? 2 * crew->count : PIECES);
    crew_round(crew, work, &sorting);
}
