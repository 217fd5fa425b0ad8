#include "search/parents.h"

#include <assert.h>
#include <string.h>

enum { PAGE_BITS = 64 * PARENTS_PAGE_WORDS };

void parents_init(struct parents *parents, struct mem *mem)
{
    *parents = (struct parents){.mem = mem};
}

void parents_release(struct parents *parents)
{
    for (uint32_t i = 0; i < parents->page_count; i++) mem_free(parents->mem, parents->pages[i]);
    mem_free(parents->mem, parents->pages);
    mem_free(parents->mem, parents->spare);
    *parents = (struct parents){.mem = parents->mem};
}

void parents_clear(struct parents *parents)
{
    if (!parents->page_count) return;
    assert(!parents->spare); /* it became the first page */
    parents->spare = parents->pages[0];
    const uint64_t bits = parents->bits < PAGE_BITS ? parents->bits : PAGE_BITS;
    memset(parents->spare->words, 0, (bits + 63) / 64 * sizeof *parents->spare->words);
    while (parents->page_count > 1) mem_free(parents->mem, parents->pages[--parents->page_count]);
    parents->page_count = 0;
    parents->bits = parents->zeros = 0;
}

static bool reserve_page(struct parents *parents)
{
    if (parents->page_count < parents->page_cap) return true;
    uint32_t cap = parents->page_cap ? 2 * parents->page_cap : 8;
    struct parents_page **pages = mem_try_resize(parents->mem, parents->pages, cap * sizeof *pages);
    if (!pages) return false;
    parents->pages = pages;
    parents->page_cap = cap;
    return true;
}

bool parents_reserve(struct parents *parents, uint64_t bits)
{
    const uint64_t within = parents->bits % PAGE_BITS, left = within ? PAGE_BITS - within : 0;
    if (bits <= left) return true;
    if (bits > left + PAGE_BITS || !reserve_page(parents)) return false;
    if (!parents->spare) parents->spare = mem_try_alloc(parents->mem, sizeof *parents->spare);
    return parents->spare;
}

bool parents_grow(struct parents *parents)
{
    if (!reserve_page(parents)) return false;
    struct parents_page *page =
        parents->spare ? parents->spare : mem_try_alloc(parents->mem, sizeof *page);
    if (!page) return false;
    parents->spare = NULL;
    page->zeros_before = parents->zeros;
    parents->pages[parents->page_count++] = page;
    return true;
}

uint64_t parents_of(const struct parents *parents, uint64_t state)
{
    assert(state < parents->zeros);
    uint32_t low = 0, high = parents->page_count - 1;
    while (low < high) { /* the last page with zeros_before <= state */
        uint32_t middle = low + (high - low + 1) / 2;
        if (parents->pages[middle]->zeros_before <= state) low = middle;
        else high = middle - 1;
    }
    const struct parents_page *page = parents->pages[low];
    uint64_t skip = state - page->zeros_before, position = (uint64_t)low * PAGE_BITS;
    uint32_t w = 0;
    for (; w < PARENTS_PAGE_WORDS; w++) {
        uint64_t zeros = 64 - (uint64_t)__builtin_popcountll(page->words[w]);
        if (skip < zeros) break;
        skip -= zeros;
    }
    uint64_t free_bits = ~page->words[w];
    for (; skip; skip--) free_bits &= free_bits - 1;
    position += UINT64_C(64) * w + (uint64_t)__builtin_ctzll(free_bits);
    assert(position >= state);
    uint64_t ones = position - state; /* before it there are `state` zeros */
    return ones ? ones - 1 : PARENTS_NONE;
}

/* ---- in files ---- */

const uint64_t *parents_words(const struct parents *parents, uint64_t word, uint64_t *count)
{
    const uint64_t end = (parents->bits + 63) / 64, within = word % PARENTS_PAGE_WORDS,
                   rest = PARENTS_PAGE_WORDS - within;
    assert(word < end);
    *count = end - word < rest ? end - word : rest;
    return &parents->pages[word / PARENTS_PAGE_WORDS]->words[within];
}

enum parents_result parents_extend(struct parents *parents, uint64_t word, unsigned bits)
{
    const uint64_t within = parents->bits % PAGE_BITS;
    const unsigned had = parents->bits % 64;
    assert(bits <= 64 && bits > had);
    if (!within && !parents_grow(parents)) return PARENTS_REFUSED;
    uint64_t *at = &parents->pages[parents->page_count - 1]->words[within / 64];
    const bool is_longer = !(bits < 64 && word >> bits) && !(had && (word ^ *at) << (64 - had));
    if (!is_longer) return PARENTS_STRANGE;
    *at = word;
    const unsigned fresh = bits - had, ones = (unsigned)__builtin_popcountll(word >> had);
    parents->zeros += fresh - ones;
    parents->bits += fresh;
    return PARENTS_EXTENDED;
}

bool parents_check(const struct parents *parents)
{
    uint64_t ones = 0;
    for (uint32_t i = 0; i < parents->page_count; i++) {
        const struct parents_page *page = parents->pages[i];
        if (page->zeros_before != (uint64_t)i * PAGE_BITS - ones) return false;
        for (uint32_t w = 0; w < PARENTS_PAGE_WORDS; w++)
            ones += (uint64_t)__builtin_popcountll(page->words[w]);
    }
    return parents->zeros == parents->bits - ones;
}
