/* Logs are about half a byte per state, and clusters may be very many and very small: small logs
 * stand one after the other in pages, large ones alone.
 *
 * Invariants: (1) the list is in the order of ranks; (2) what is left of the page is behind its
 * logs. */
#include "solver/logs.h"

#include "base/checked.h"

#ifdef CAIRN_DEGENERATE
enum { PAGE_BYTES = 64 };
#else
enum { PAGE_BYTES = 1 << 16 };
#endif

void logs_init(struct logs *logs, struct mem *mem)
{
    *logs = (struct logs){.mem = mem};
    origins_init(&logs->loaded, mem);
}

void logs_release(struct logs *logs)
{
    for (uint64_t i = 0; i < logs->page_count; i++) mem_free(logs->mem, logs->pages[i]);
    mem_free(logs->mem, logs->pages);
    mem_free(logs->mem, logs->list);
    origins_release(&logs->loaded);
    logs_init(logs, logs->mem);
}

/* Room in a page, or in a block of its own. In a page, what is used of it is taken afterwards. */
static unsigned char *find_room(struct logs *logs, uint64_t size)
{
    if (size <= logs->page_left) return logs->page;
    if (logs->page_count == logs->page_room) {
        uint64_t room = 2 * logs->page_room + 16;
        unsigned char **pages = mem_try_resize(logs->mem, logs->pages, room * sizeof *pages);
        if (!pages) return NULL;
        logs->pages = pages;
        logs->page_room = room;
    }
    bool alone = size > PAGE_BYTES / 4;
    unsigned char *page = mem_try_alloc(logs->mem, alone ? size : PAGE_BYTES);
    if (!page) return NULL;
    logs->pages[logs->page_count++] = page;
    if (alone) return page;
    logs->page_left = PAGE_BYTES;
    return logs->page = page;
}

bool logs_keep(struct logs *logs, uint64_t rank, const struct origins *origins)
{
    if (logs->count == logs->room) {
        uint64_t room = logs->room + logs->room / 2 + 64;
        struct logs_entry *list = mem_try_resize(logs->mem, logs->list, room * sizeof *list);
        if (!list) return false;
        logs->list = list;
        logs->room = room;
    }
    unsigned char *bytes = find_room(logs, origins_bound(origins));
    if (!bytes) return false;
    uint64_t size = origins_write(origins, bytes);
    assert(size <= origins_bound(origins));
    assert(!logs->count || logs->list[logs->count - 1].rank < rank); /* (1) */
    CHECKED(origins_check(origins));
    if (bytes == logs->page) {
        assert(size <= logs->page_left); /* (2) */
        logs->page += size;
        logs->page_left -= size;
    }
    logs->list[logs->count++] = (struct logs_entry){rank, bytes, size};
    return true;
}

const struct origins *logs_find(struct logs *logs, uint64_t rank)
{
    if (logs->has_loaded && logs->loaded_rank == rank) return &logs->loaded;
    uint64_t low = 0, high = logs->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (logs->list[middle].rank < rank) low = middle + 1;
        else high = middle;
    }
    logs->loaded_rank = rank;
    logs->has_loaded = low < logs->count && logs->list[low].rank == rank
                       && origins_read(&logs->loaded, logs->list[low].bytes, logs->list[low].size);
    return logs->has_loaded ? &logs->loaded : NULL;
}
