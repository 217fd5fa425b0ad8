#include "search/ways.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_TEST_HOOKS
enum { PAGE_SHIFT = 4 };
#else
enum { PAGE_SHIFT = 14 };
#endif
enum { PAGE_STATES = 1 << PAGE_SHIFT };

void ways_init(struct ways *ways, struct mem *mem, uint32_t rules)
{
    *ways = (struct ways){.mem = mem, .width = rules <= 1 << 8 ? 1 : rules <= 1 << 16 ? 2 : 4};
}

void ways_release(struct ways *ways)
{
    for (uint64_t i = 0; i < ways->page_count; i++) mem_free(ways->mem, ways->pages[i]);
    mem_free(ways->mem, ways->pages);
    *ways = (struct ways){0};
}

static bool add_page(struct ways *ways)
{
    if (ways->page_count == ways->page_room) {
        const uint64_t room = ways->page_room ? 2 * ways->page_room : 16;
        unsigned char **pages = mem_try_resize(ways->mem, ways->pages, room * sizeof *pages);
        if (!pages) return false;
        ways->pages = pages;
        ways->page_room = room;
    }
    unsigned char *page = mem_try_alloc(ways->mem, (size_t)ways->width << PAGE_SHIFT);
    if (page) ways->pages[ways->page_count++] = page;
    return page;
}

/* Where a rule's number is, whose lowest byte comes first. */
static unsigned char *place_of(const struct ways *ways, uint64_t state)
{
    return ways->pages[state >> PAGE_SHIFT] + (state & (PAGE_STATES - 1)) * ways->width;
}

bool ways_put(struct ways *ways, uint32_t rule)
{
    assert(ways->width == 4 || !(rule >> 8 * ways->width));
    if (ways->count >> PAGE_SHIFT == ways->page_count && !add_page(ways)) return false;
    unsigned char *place = place_of(ways, ways->count++);
    for (uint32_t i = 0; i < ways->width; i++) place[i] = (unsigned char)(rule >> 8 * i);
    return true;
}

bool ways_reserve(struct ways *ways, uint64_t states)
{
    bool good = true;
    while (good && ways->page_count << PAGE_SHIFT < ways->count + states) good = add_page(ways);
    return good;
}

uint32_t ways_of(const struct ways *ways, uint64_t state)
{
    uint32_t rule = 0;
    assert(state < ways->count);
    for (uint32_t i = 0; i < ways->width; i++) rule |= (uint32_t)place_of(ways, state)[i] << 8 * i;
    return rule;
}
