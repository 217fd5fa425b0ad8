/* Adding. The chunks of the store are sorted one by one, in place, and then merged with a heap, so that hardly any memory is needed when there is none left. What comes out of the heap
 * is looked for in the runs that are there, which are read alongside.
 *
 * Invariants: (1) no record is in two runs; (2) a run is sorted by memcmp; (3) a block of a tape has per_block records, the last one perhaps fewer. */
#include "solver/runs.h"

#include <stdlib.h>
#include <string.h>

void runs_init(struct runs *runs, struct mem *mem, uint32_t record_bytes, uint32_t block_bytes)
{
    *runs = (struct runs){.mem = mem, .record_bytes = record_bytes};
    runs->per_block = block_bytes > record_bytes ? block_bytes / record_bytes : 1;
    runs->block_bytes = runs->per_block * record_bytes;
}

static void release_run(struct runs *runs, struct run *run)
{
    tape_release(&run->tape);
    mem_free(runs->mem, run->firsts);
}

void runs_release(struct runs *runs)
{
    for (uint32_t i = 0; i < runs->len; i++) release_run(runs, &runs->list[i]);
    mem_free(runs->mem, runs->list);
    *runs = (struct runs){0};
}

static bool fails(struct runs *runs, const struct run *run)
{
    runs->error = run->tape.error;
    return false;
}

/* ---- one run ---- */

static bool put(struct runs *runs, struct run *run, const void *record)
{
    if (run->count % runs->per_block == 0) {
        if (run->blocks == run->block_room) {
            uint64_t room = 2 * run->block_room + 8;
            char *firsts = mem_try_resize(runs->mem, run->firsts, room * runs->record_bytes);
            if (!firsts) return false;
            run->firsts = firsts;
            run->block_room = room;
        }
        memcpy(run->firsts + run->blocks++ * runs->record_bytes, record, runs->record_bytes);
    }
    if (!tape_append(&run->tape, record, runs->record_bytes)) return fails(runs, run);
    run->count++;
    runs->written += runs->record_bytes;
    return true;
}

/* A place in a run. */
struct reader {
    struct run *run;
    char *block;
    uint64_t number, within; /* of the block, and a record in it; number == blocks: at the end */
    bool loaded;
};

static bool reader_open(struct runs *runs, struct reader *reader, struct run *run)
{
    *reader = (struct reader){.run = run, .block = mem_try_alloc(runs->mem, runs->block_bytes)};
    return reader->block != NULL;
}

static const char *reader_record(const struct runs *runs, const struct reader *reader)
{
    return reader->block + reader->within * runs->record_bytes;
}

/* Loads the block that the place is in; *end: there is none. */
static bool reader_load(struct runs *runs, struct reader *reader, bool *end)
{
    uint64_t left;
    for (;;) {
        *end = reader->number >= reader->run->blocks;
        if (*end) return true;
        if (!reader->loaded && !tape_read_block(&reader->run->tape, reader->number, reader->block)) return fails(runs, reader->run);
        reader->loaded = true;
        left = reader->run->count - reader->number * runs->per_block;
        if (reader->within < (left < runs->per_block ? left : runs->per_block)) return true;
        reader->number++;
        reader->within = 0;
        reader->loaded = false;
    }
}

/* Leaves out blocks before the one that a record must be in. */
static void reader_skip(const struct runs *runs, struct reader *reader, const void *record)
{
    uint64_t low = reader->number, high = reader->run->blocks; /* the last block that does not begin after it is in low .. high - 1, or low */
    if (low >= high || (low + 1 < high && memcmp(reader->run->firsts + (low + 1) * runs->record_bytes, record, runs->record_bytes) > 0)) return;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (memcmp(reader->run->firsts + middle * runs->record_bytes, record, runs->record_bytes) <= 0) low = middle;
        else high = middle;
    }
    if (low == reader->number) return;
    reader->number = low;
    reader->within = 0;
    reader->loaded = false;
}

/* Whether the run has this record, which is not smaller than the one asked for before. */
static bool reader_has(struct runs *runs, struct reader *reader, const void *record, bool *has)
{
    bool end;
    *has = false;
    reader_skip(runs, reader, record);
    for (;; reader->within++) {
        if (!reader_load(runs, reader, &end)) return false;
        int order = end ? 1 : memcmp(reader_record(runs, reader), record, runs->record_bytes);
        *has = !order;
        if (order >= 0) return true;
    }
}

/* ---- merging ---- */

static bool merge(struct runs *runs, struct run *a, struct run *b, struct run *both)
{
    struct reader one, two;
    bool good = reader_open(runs, &one, a), second = good && reader_open(runs, &two, b), end_one = false, end_two = false;
    good = second;
    while (good) {
        good = reader_load(runs, &one, &end_one) && reader_load(runs, &two, &end_two);
        if (!good || (end_one && end_two)) break;
        bool first = end_two || (!end_one && memcmp(reader_record(runs, &one), reader_record(runs, &two), runs->record_bytes) < 0);
        struct reader *from = first ? &one : &two;
        good = put(runs, both, reader_record(runs, from));
        from->within++;
    }
    mem_free(runs->mem, one.block);
    if (second) mem_free(runs->mem, two.block);
    return good;
}

/* Keeps runs few. When that fails for want of memory the runs stay as they are. */
static bool merge_last(struct runs *runs)
{
    while (runs->len > 1 && runs->list[runs->len - 2].count <= 2 * runs->list[runs->len - 1].count) {
        struct run *a = &runs->list[runs->len - 2], *b = &runs->list[runs->len - 1], both = {0};
        tape_init(&both.tape, runs->mem, runs->block_bytes);
        if (!merge(runs, a, b, &both)) {
            release_run(runs, &both);
            return !runs->error;
        }
        release_run(runs, a);
        release_run(runs, b);
        *a = both;
        runs->len--;
    }
    return true;
}

/* ---- adding ---- */

struct sorted_chunk {
    char *at, *end;
};

struct adding {
    struct runs *runs;
    struct run run;
    struct sorted_chunk *heap;
    uint64_t heap_len;
    struct reader *readers; /* one per run */
};

static int compare_records(const void *a, const void *b, void *bytes)
{
    return memcmp(a, b, *(const uint32_t *)bytes);
}

static void sink(struct adding *adding, uint64_t at)
{
    struct sorted_chunk *heap = adding->heap, moving = heap[at];
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= adding->heap_len) break;
        if (child + 1 < adding->heap_len && memcmp(heap[child + 1].at, heap[child].at, adding->runs->record_bytes) < 0) child++;
        if (memcmp(moving.at, heap[child].at, adding->runs->record_bytes) <= 0) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static void make_heap(struct adding *adding, struct store *store, uint64_t count)
{
    uint64_t per_chunk = UINT64_C(1) << store->chunk_shift;
    for (uint64_t first = 0; first < count; first += per_chunk) {
        uint64_t some = count - first < per_chunk ? count - first : per_chunk;
        char *chunk = store->chunks[first >> store->chunk_shift];
        qsort_r(chunk, some, store->record_bytes, compare_records, &store->record_bytes);
        adding->heap[adding->heap_len++] = (struct sorted_chunk){chunk, chunk + some * store->record_bytes};
    }
    for (uint64_t i = adding->heap_len / 2; i-- > 0;) sink(adding, i);
}

static bool is_known(struct adding *adding, const char *record, bool *known)
{
    *known = false;
    for (uint32_t i = 0; i < adding->runs->len && !*known; i++)
        if (!reader_has(adding->runs, &adding->readers[i], record, known)) return false;
    return true;
}

static bool add_all(struct adding *adding, void (*repeated)(void *context, const void *record), void *context)
{
    struct runs *runs = adding->runs;
    while (adding->heap_len) {
        struct sorted_chunk *top = adding->heap;
        bool known;
        if (!is_known(adding, top->at, &known)) return false;
        if (known) repeated(context, top->at);
        else if (!put(runs, &adding->run, top->at)) return false;
        top->at += runs->record_bytes;
        if (top->at == top->end) *top = adding->heap[--adding->heap_len];
        if (adding->heap_len) sink(adding, 0);
    }
    return true;
}

static bool reserve_run(struct runs *runs)
{
    if (runs->len < runs->cap) return true;
    uint32_t cap = 2 * runs->cap + 4;
    struct run *list = mem_try_resize(runs->mem, runs->list, cap * sizeof *list);
    if (!list) return false;
    runs->list = list;
    runs->cap = cap;
    return true;
}

bool runs_add(struct runs *runs, struct store *store, uint64_t count, void (*repeated)(void *context, const void *record), void *context)
{
    struct adding adding = {.runs = runs};
    tape_init(&adding.run.tape, runs->mem, runs->block_bytes);
    adding.heap = mem_try_alloc(runs->mem, ((count >> store->chunk_shift) + 1) * sizeof *adding.heap);
    adding.readers = mem_try_alloc(runs->mem, (runs->len + UINT64_C(1)) * sizeof *adding.readers);
    bool good = adding.heap && adding.readers && reserve_run(runs);
    for (uint32_t i = 0; good && i < runs->len; i++) good = reader_open(runs, &adding.readers[i], &runs->list[i]);
    if (good) {
        make_heap(&adding, store, count);
        good = add_all(&adding, repeated, context);
    }
    for (uint32_t i = 0; adding.readers && i < runs->len; i++) mem_free(runs->mem, adding.readers[i].block);
    mem_free(runs->mem, adding.heap);
    mem_free(runs->mem, adding.readers);
    if (!good || !adding.run.count) {
        release_run(runs, &adding.run);
        return good;
    }
    runs->records += adding.run.count;
    runs->list[runs->len++] = adding.run;
    return merge_last(runs);
}

bool runs_find(struct runs *runs, const char *records, uint64_t stride, uint64_t count, bool *has)
{
    memset(has, 0, count * sizeof *has);
    for (uint32_t r = 0; r < runs->len; r++) {
        struct reader reader;
        if (!reader_open(runs, &reader, &runs->list[r])) return false;
        bool good = true, found;
        for (uint64_t i = 0; good && i < count; i++) {
            if (has[i]) continue;
            good = reader_has(runs, &reader, records + i * stride, &found);
            has[i] |= found;
        }
        mem_free(runs->mem, reader.block);
        if (!good) return false;
    }
    return true;
}
