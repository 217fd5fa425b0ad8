/* All memory of the program comes from here, so that the byte budget (--memory), the statistics and the injection of
 * allocation failures are one place.
 *
 * Two kinds of callers:
 *  - readers, passes and reports use mem_alloc/mem_resize, which never return NULL: a failure jumps to the recovery point
 *    of the context (mem_recover), where everything allocated in the context can be freed at once;
 *  - searches use mem_try_alloc/mem_try_resize, which return NULL, because for them a refusal is a result. */
#ifndef CAIRN_BASE_MEM_H
#define CAIRN_BASE_MEM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mem_block;

struct mem {
    struct mem_block *blocks; /* every live block, so that a jump out of a reader leaks nothing */
    uint64_t used, peak;      /* bytes, headers included */
    uint64_t limit;           /* 0: none */
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

/* Gives up the current work: jumps to mem->recover. */
_Noreturn void mem_refuse(struct mem *mem);

/* Growable arrays: a field `VEC(struct thing) things;` has .data and .len. */
#define VEC(type) struct { type *data; uint32_t len, cap; }
#define vec_push(mem, vec, item) \
    (vec_reserve((mem), (vec), 1), (vec)->data[(vec)->len++] = (item))
#define vec_reserve(mem, vec, extra) \
    ((vec)->data = mem_vec_reserve((mem), (vec)->data, (vec)->len, &(vec)->cap, (extra), sizeof *(vec)->data))
#define vec_free(mem, vec) (mem_free((mem), (vec)->data), (vec)->data = NULL, (vec)->len = (vec)->cap = 0)
void *mem_vec_reserve(struct mem *mem, void *data, uint32_t len, uint32_t *cap, size_t extra, size_t size);

/* An arena: many small things with one lifetime. */
struct arena {
    struct mem *mem;
    char *at, *end;
};
void arena_init(struct arena *arena, struct mem *mem);
void *arena_alloc(struct arena *arena, size_t bytes); /* zeroed, 8-aligned */
char *arena_copy(struct arena *arena, const char *text, size_t length);

/* Gives memory that was freed back to the system. */
void mem_trim(void);

/* Physical memory that the system could still give us, in bytes; the container's limit counts. */
uint64_t mem_available(void);

#endif
