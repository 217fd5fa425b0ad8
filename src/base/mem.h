/* All memory of the program comes from here, so that the byte budget (--memory), the statistics and
 * the injection of allocation failures are one place.
 *
 * Two kinds of callers:
 *  - readers, passes and reports use mem_alloc/mem_resize, which never return NULL: a failure jumps
 *    to the recovery point of the context (mem_recover), where everything allocated in the context
 *    can be freed at once;
 *  - searches use mem_try_alloc/mem_try_resize, which return NULL, because for them a refusal is a
 *    result. */
#ifndef CAIRN_BASE_MEM_H
#define CAIRN_BASE_MEM_H

#include "base/limits.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mem_block;

struct mem {
    struct mem_block *blocks; /* every live block, so that a jump out of a reader leaks nothing */
    uint64_t used, peak;      /* bytes, headers included */
    uint64_t limit;           /* 0: none */
    uint64_t most;            /* the limit for what must not be lost to the other one; 0: none */
    bool lifted;              /* that one is in force, and nothing is refused for lack of time */
    uint64_t allocations;     /* calls so far */
    uint64_t fail_at;         /* test hook: this call fails once (0: none) */
    jmp_buf *recover;         /* where mem_alloc goes when memory is refused; NULL: abort */
};

void mem_init(struct mem *mem);
/* Frees every block of the context. */
void mem_release(struct mem *mem);

void *mem_alloc(struct mem *mem, size_t bytes); /* zeroed */
void *mem_resize(struct mem *mem, void *block, size_t bytes);
void *mem_try_alloc(struct mem *mem, size_t bytes); /* zeroed; NULL when refused */
void *mem_try_resize(struct mem *mem, void *block, size_t bytes);
void mem_free(struct mem *mem, void *block);

/* Counts bytes that are no block of this context, such as a stack; false, and nothing is counted,
 * when they are refused. */
bool mem_take(struct mem *mem, uint64_t bytes);
void mem_give(struct mem *mem, uint64_t bytes);

/* Added to a small block that one thread writes to all the time: what another thread uses is then
 * in other lines of the cache. */
enum { MEM_APART = 128 };

/* Whether so many bytes would not be refused for the limit. */
static inline bool mem_has(const struct mem *mem, uint64_t bytes)
{
    return !mem->limit || (mem->used < mem->limit && bytes < mem->limit - mem->used);
}

/* Gives up the current work: jumps to mem->recover. */
_Noreturn void mem_refuse(struct mem *mem);

/* Whether work for this context should end because time is up or a signal came (base/limits.h).
 * mem_alloc and mem_resize refuse then. */
static inline bool mem_enough(const struct mem *mem) { return limits_enough() && !mem->lifted; }
/* For loops that can take long and allocate nothing: gives up when there is enough. */
static inline void mem_look(struct mem *mem)
{
    if (mem_enough(mem)) mem_refuse(mem);
}

/* Around the telling of what was found, which must not be lost to the limits of the search: until
 * mem_lower there are `most` bytes instead of `limit`, and time does not matter. Whoever recovers
 * from a jump lowers again. */
struct mem_lift {
    uint64_t limit;
    bool lifted;
};
struct mem_lift mem_lift(struct mem *mem);
void mem_lower(struct mem *mem, struct mem_lift before);

/* The limits of --memory: so many bytes, and behind mem_lift less than twice as many; 0: none. The
 * system refuses what would be more than twice as much and did not come from here (libraries
 * allocate by themselves), as far as it can tell; threads, each with a stack, come on top. */
void mem_set_limit(struct mem *mem, uint64_t bytes);
void mem_cap_process(uint64_t bytes, uint64_t threads);

/* Growable arrays: a field `VEC(struct thing) things;` has .data and .len. */
#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *data;                                                                                \
        uint32_t len, cap;                                                                         \
    }
#define vec_push(mem, vec, item) (vec_reserve((mem), (vec), 1), (vec)->data[(vec)->len++] = (item))
#define vec_reserve(mem, vec, extra)                                                               \
    ((vec)->data = mem_vec_reserve((mem), (vec)->data, (vec)->len, &(vec)->cap, (extra),           \
                                   sizeof *(vec)->data))
#define vec_free(mem, vec)                                                                         \
    (mem_free((mem), (vec)->data), (vec)->data = NULL, (vec)->len = (vec)->cap = 0)
void *mem_vec_reserve(struct mem *mem, void *data, uint32_t len, uint32_t *cap, size_t extra,
                      size_t size);

/* An arena: many small things with one lifetime. */
struct arena {
    struct mem *mem;
    char *at, *end;
    size_t chunk; /* bytes of the last one; each is twice as large as the one before, to a limit */
};
void arena_init(struct arena *arena, struct mem *mem);
void *arena_alloc(struct arena *arena, size_t bytes); /* zeroed, 8-aligned */
char *arena_copy(struct arena *arena, const char *text, size_t length);

/* Gives memory that was freed back to the system. */
void mem_trim(void);

/* Physical memory that the system could still give us, in bytes; the container's limit counts. */
uint64_t mem_available(void);

#endif
