#include "base/mem.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Invariants: (1) `used` is the sum over `blocks` of bytes + header, and what was taken; (2) the
 * list is doubly linked and acyclic; (3) a header has 32 bytes, so that what follows it is
 * 16-aligned. */
struct mem_block {
    struct mem_block *next, *prev;
    uint64_t bytes;
    uint64_t mapped; /* bytes of a mapping of its own; 0: from malloc */
};

enum { LARGE_BLOCK = 2 << 20, SMALL_PAGE = 4096 };

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ /* these know what malloc gave */
static const bool maps_large = false;
#else
static const bool maps_large = true;
#endif

void mem_init(struct mem *mem)
{
    memset(mem, 0, sizeof *mem);
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD,
            LARGE_BLOCK / 2); /* large blocks stay fresh pages of their own, untouched until used */
#endif
}

static bool is_large(uint64_t bytes) { return maps_large && bytes >= LARGE_BLOCK; }

/* Random accesses to large tables miss the address translation most of all. A large block is a
 * mapping of its own, which begins where a large page can, and is asked for in large pages as far
 * as it fills them. Its pages are untouched until they are used. */
static struct mem_block *map_block(uint64_t bytes)
{
    const uint64_t size = (bytes + SMALL_PAGE - 1) & ~(uint64_t)(SMALL_PAGE - 1);
    char *wide = mmap(NULL, size + LARGE_BLOCK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (wide == MAP_FAILED) return NULL;
    const uint64_t before = -(uintptr_t)wide & (LARGE_BLOCK - 1);
    if (before) munmap(wide, before);
    munmap(wide + before + size, LARGE_BLOCK - before);
    struct mem_block *block = (struct mem_block *)(wide + before);
    if (mprotect(block, size, PROT_READ | PROT_WRITE)) {
        munmap(block, size);
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    madvise(block, size, MADV_HUGEPAGE); /* all of it: half a mapping could not be moved */
#endif
    block->mapped = size;
    return block;
}

static void free_block(struct mem_block *block)
{
    if (block->mapped) munmap(block, block->mapped);
    else free(block);
}

void mem_release(struct mem *mem)
{
    while (mem->blocks) {
        struct mem_block *next = mem->blocks->next;
        free_block(mem->blocks);
        mem->blocks = next;
    }
    mem->used = 0;
}

_Noreturn void mem_refuse(struct mem *mem)
{
    if (!mem->recover) abort();
    longjmp(*mem->recover, 1);
}

static bool may_take(struct mem *mem, uint64_t extra)
{
    mem->allocations++;
    if (mem->fail_at && mem->allocations == mem->fail_at) return false;
    return !mem->limit || (mem->used <= mem->limit && extra <= mem->limit - mem->used);
}

static void link_block(struct mem *mem, struct mem_block *block)
{
    block->prev = NULL;
    block->next = mem->blocks;
    if (block->next) block->next->prev = block;
    mem->blocks = block;
    mem->used += block->bytes + sizeof *block;
    if (mem->used > mem->peak) mem->peak = mem->used;
}

static void unlink_block(struct mem *mem, struct mem_block *block)
{
    if (block->prev) block->prev->next = block->next;
    else mem->blocks = block->next;
    if (block->next) block->next->prev = block->prev;
    assert(mem->used >= block->bytes + sizeof *block);
    mem->used -= block->bytes + sizeof *block;
}

void *mem_try_alloc(struct mem *mem, size_t bytes)
{
    if (bytes > SIZE_MAX / 2 || !may_take(mem, bytes + sizeof(struct mem_block))) return NULL;
    const uint64_t whole = sizeof(struct mem_block) + bytes;
    struct mem_block *block = is_large(whole) ? map_block(whole) : calloc(1, whole);
    if (!block) return NULL;
    block->bytes = bytes;
    link_block(mem, block);
    return block + 1;
}

/* To so many bytes, the header included, of which as many are kept as there were. A mapping that
 * grows moves as a whole. */
static struct mem_block *resize_block(struct mem_block *block, uint64_t bytes)
{
    const uint64_t size = (bytes + SMALL_PAGE - 1) & ~(uint64_t)(SMALL_PAGE - 1),
                   old = block->bytes + sizeof *block;
    if (!block->mapped && !is_large(bytes)) return realloc(block, bytes);
    if (block->mapped && is_large(bytes)) {
        struct mem_block *moved = mremap(block, block->mapped, size, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) return NULL;
        moved->mapped = size;
        return moved;
    }
    struct mem_block *moved = is_large(bytes) ? map_block(bytes) : calloc(1, bytes);
    if (!moved) return NULL;
    const uint64_t mapped = moved->mapped;
    memcpy(moved, block, old < bytes ? old : bytes);
    moved->mapped = mapped;
    free_block(block);
    return moved;
}

/* Bytes past the old size are not cleared. */
void *mem_try_resize(struct mem *mem, void *payload, size_t bytes)
{
    if (!payload) return mem_try_alloc(mem, bytes);
    struct mem_block *block = (struct mem_block *)payload - 1;
    uint64_t old = block->bytes;
    if (bytes > SIZE_MAX / 2 || (bytes > old && !may_take(mem, bytes - old))) return NULL;
    unlink_block(mem, block);
    struct mem_block *moved = resize_block(block, sizeof *block + bytes);
    if (moved) moved->bytes = bytes;
    link_block(mem, moved ? moved : block);
    return moved ? moved + 1 : NULL;
}

bool mem_take(struct mem *mem, uint64_t bytes)
{
    if (!may_take(mem, bytes)) return false;
    mem->used += bytes;
    if (mem->used > mem->peak) mem->peak = mem->used;
    return true;
}

void mem_give(struct mem *mem, uint64_t bytes)
{
    assert(mem->used >= bytes);
    mem->used -= bytes;
}

struct mem_lift mem_lift(struct mem *mem)
{
    struct mem_lift before = {mem->limit, mem->lifted};
    mem->limit = mem->most;
    mem->lifted = true;
    return before;
}

void mem_lower(struct mem *mem, struct mem_lift before)
{
    mem->limit = before.limit;
    mem->lifted = before.lifted;
}

void mem_set_limit(struct mem *mem, uint64_t bytes)
{
    mem->limit = bytes;
    mem->most = bytes <= UINT64_MAX / 2 ? bytes + bytes / 2 + bytes / 4 : 0;
}

void mem_cap_process(uint64_t bytes, uint64_t threads)
{
#if !defined __SANITIZE_ADDRESS__                                                                  \
    && !defined __SANITIZE_THREAD__ /* these map far more than they use */
    enum {
        LEAST = 64 << 20,
        STACK = 16 << 20
    }; /* a process without any model needs some; of a thread, its stack and an arena */
    struct rlimit old;
    if (!bytes || bytes > INT64_MAX / 4 || getrlimit(RLIMIT_DATA, &old)) return;
    rlim_t cap = 2 * bytes - bytes / 16;
    cap = (cap < LEAST ? LEAST : cap) + (threads > 1 ? threads * STACK : 0);
    if (old.rlim_max != RLIM_INFINITY && old.rlim_max < cap) return;
    setrlimit(RLIMIT_DATA, &(struct rlimit){cap, old.rlim_max});
#else
    (void)bytes, (void)threads;
#endif
}

void *mem_alloc(struct mem *mem, size_t bytes)
{
    mem_look(mem);
    void *payload = mem_try_alloc(mem, bytes);
    if (!payload) mem_refuse(mem);
    return payload;
}

void *mem_resize(struct mem *mem, void *payload, size_t bytes)
{
    mem_look(mem);
    void *moved = mem_try_resize(mem, payload, bytes);
    if (!moved) mem_refuse(mem);
    return moved;
}

void mem_free(struct mem *mem, void *payload)
{
    if (!payload) return;
    struct mem_block *block = (struct mem_block *)payload - 1;
    unlink_block(mem, block);
    free_block(block);
}

void *mem_vec_reserve(struct mem *mem, void *data, uint32_t len, uint32_t *cap, size_t extra,
                      size_t size)
{
    uint64_t need = (uint64_t)len + extra;
    if (need <= *cap) return data;
    uint64_t grown = *cap ? 2 * (uint64_t)*cap : 8;
    if (grown < need) grown = need;
    if (grown > UINT32_MAX) mem_refuse(mem);
    data = mem_resize(mem, data, (size_t)(grown * size));
    *cap = (uint32_t)grown;
    return data;
}

void arena_init(struct arena *arena, struct mem *mem) { *arena = (struct arena){.mem = mem}; }

void *arena_alloc(struct arena *arena, size_t bytes)
{
    enum { FIRST_CHUNK = 1 << 12, CHUNK = 1 << 14 };
    bytes = (bytes + 7) & ~(size_t)7;
    if (bytes > CHUNK / 4) return mem_alloc(arena->mem, bytes);
    if ((size_t)(arena->end - arena->at) < bytes) {
        do
            arena->chunk = !arena->chunk          ? FIRST_CHUNK
                           : arena->chunk < CHUNK ? 2 * arena->chunk
                                                  : CHUNK;
        while (arena->chunk < bytes);
        arena->at = mem_alloc(arena->mem, arena->chunk);
        arena->end = arena->at + arena->chunk;
    }
    void *block = arena->at;
    arena->at += bytes;
    return block;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

void mem_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static uint64_t read_number(const char *path, const char *field)
{
    FILE *file = fopen(path, "r");
    uint64_t number = 0;
    char line[256];
    size_t skip = strlen(field);
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, field, skip)) {
            number = strtoull(line + skip, NULL, 10);
            break;
        }
    if (file) fclose(file);
    return number;
}

uint64_t mem_available(void)
{
    uint64_t bytes = read_number("/proc/meminfo", "MemAvailable:") * 1024;
    if (!bytes) bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t cap = read_number("/sys/fs/cgroup/memory.max", "");
    uint64_t used = read_number("/sys/fs/cgroup/memory.current", "");
    if (cap && cap > used && cap - used < bytes) bytes = cap - used;
    return bytes;
}
