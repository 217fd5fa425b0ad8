/* Adding. The chunks of items are sorted one by one, in place, and then merged with a heap, so that
 * hardly any memory is needed when there is none left. What comes out of the heap is looked
 * for in the runs that are there, which are read alongside.
 *
 * Invariants: (1) no record is in two runs; (2) a run is sorted by memcmp; (3) a block of a tape
 * has per_block records, the last one perhaps fewer. */
#include "solver/runs.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_TEST_HOOKS
enum { LEAST_SHARE = 2 };
#else
enum { LEAST_SHARE = 16 }; /* questions that are worth waking a thread */
#endif

void runs_init(struct runs *runs, struct mem *mem, uint32_t record_bytes, uint32_t block_bytes)
{
    assert(record_bytes);
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

void runs_clear(struct runs *runs)
{
    for (uint32_t i = 0; i < runs->len; i++) release_run(runs, &runs->list[i]);
    runs->len = 0;
    runs->records = 0;
}

static bool fails(struct runs *runs, const char *error)
{
    runs->error = error;
    return false;
}

/* ---- one run ---- */

/* Whether a record that begins a block is larger than the one that began the block before. */
static bool is_after(const struct runs *runs, const struct run *run, const void *record)
{
    return !run->blocks
           || memcmp(run->firsts + (run->blocks - 1) * runs->record_bytes, record,
                     runs->record_bytes)
                  < 0;
}

static bool put(struct runs *runs, struct run *run, const void *record)
{
    assert(run->tape.bytes == run->count * runs->record_bytes); /* (3) */
    if (run->count % runs->per_block == 0) {
        if (run->blocks == run->block_room) {
            uint64_t room = 2 * run->block_room + 8;
            char *firsts = mem_try_resize(runs->mem, run->firsts, room * runs->record_bytes);
            if (!firsts) return false;
            run->firsts = firsts;
            run->block_room = room;
        }
        assert(is_after(runs, run, record)); /* (2) */
        memcpy(run->firsts + run->blocks++ * runs->record_bytes, record, runs->record_bytes);
    }
    if (!tape_append(&run->tape, record, runs->record_bytes)) return fails(runs, run->tape.error);
    run->count++;
    runs->written += runs->record_bytes;
    return true;
}

/* A place in a run. */
struct reader {
    const struct run *run;
    char *block;
    uint64_t number, within; /* of the block, and a record in it; number == blocks: at the end */
    bool loaded;
    const char *error;
};

static bool reader_open(struct runs *runs, struct reader *reader, const struct run *run)
{
    *reader = (struct reader){.run = run, .block = mem_try_alloc(runs->mem, runs->block_bytes)};
    return reader->block != NULL;
}

static const char *reader_record(const struct runs *runs, const struct reader *reader)
{
    return reader->block + reader->within * runs->record_bytes;
}

/* Records of the block that the place is in. */
static uint64_t block_records(const struct runs *runs, const struct reader *reader)
{
    uint64_t left = reader->run->count - reader->number * runs->per_block;
    return left < runs->per_block ? left : runs->per_block;
}

/* Loads the block that the place is in; *end: there is none. False: reader->error. */
static bool reader_load(const struct runs *runs, struct reader *reader, bool *end)
{
    for (;;) {
        *end = reader->number >= reader->run->blocks;
        if (*end) return true;
        if (!reader->loaded)
            reader->error = tape_read_block(&reader->run->tape, reader->number, reader->block);
        if (reader->error) return false;
        reader->loaded = true;
        if (reader->within < block_records(runs, reader)) return true;
        reader->number++;
        reader->within = 0;
        reader->loaded = false;
    }
}

/* Leaves out blocks before the one that a record must be in. */
static void reader_skip(const struct runs *runs, struct reader *reader, const void *record)
{
    uint64_t low = reader->number,
             high = reader->run->blocks; /* the last block that does not begin after it is in low ..
                                            high - 1, or low */
    if (low >= high
        || (low + 1 < high
            && memcmp(reader->run->firsts + (low + 1) * runs->record_bytes, record,
                      runs->record_bytes)
                   > 0))
        return;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (memcmp(reader->run->firsts + middle * runs->record_bytes, record, runs->record_bytes)
            <= 0)
            low = middle;
        else high = middle;
    }
    if (low == reader->number) return;
    reader->number = low;
    reader->within = 0;
    reader->loaded = false;
}

/* Goes to the first record of the block that is not smaller, or to its end: in steps of 1, 2, 4,
 * ..., because it may be near or far, then by halves. */
static void reader_seek(const struct runs *runs, struct reader *reader, const void *record)
{
    uint64_t low = reader->within,
             high =
                 block_records(runs, reader); /* smaller ones are before low, others from high on */
    for (uint64_t step = 1; low + step <= high; step *= 2) {
        if (memcmp(reader->block + (low + step - 1) * runs->record_bytes, record,
                   runs->record_bytes)
            >= 0) {
            high = low + step - 1;
            break;
        }
        low += step;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (memcmp(reader->block + middle * runs->record_bytes, record, runs->record_bytes) < 0)
            low = middle + 1;
        else high = middle;
    }
    reader->within = low;
}

/* Whether the run has this record, which is not smaller than the one asked for before. False:
 * reader->error. */
static bool reader_has(const struct runs *runs, struct reader *reader, const void *record,
                       bool *has)
{
    bool end;
    *has = false;
    reader_skip(runs, reader, record);
    for (;;) {
        if (!reader_load(runs, reader, &end)) return false;
        if (end) return true;
        reader_seek(runs, reader, record);
        if (reader->within == block_records(runs, reader)) continue;
        *has = !memcmp(reader_record(runs, reader), record, runs->record_bytes);
        return true;
    }
}

/* ---- merging ---- */

static bool merge(struct runs *runs, struct run *a, struct run *b, struct run *both)
{
    struct reader one, two;
    bool good = reader_open(runs, &one, a), second = good && reader_open(runs, &two, b),
         end_one = false, end_two = false;
    good = second;
    while (good) {
        good = reader_load(runs, &one, &end_one) && reader_load(runs, &two, &end_two);
        if (!good) runs->error = one.error ? one.error : two.error;
        if (!good || (end_one && end_two)) break;
        bool first =
            end_two
            || (!end_one
                && memcmp(reader_record(runs, &one), reader_record(runs, &two), runs->record_bytes)
                       < 0);
        struct reader *from = first ? &one : &two;
        good = put(runs, both, reader_record(runs, from));
        from->within++;
    }
    assert(!good || both->count == a->count + b->count); /* (1) */
    mem_free(runs->mem, one.block);
    if (second) mem_free(runs->mem, two.block);
    return good;
}

/* Keeps runs few. When that fails for want of memory the runs stay as they are. */
static bool merge_last(struct runs *runs)
{
    while (runs->len > 1
           && runs->list[runs->len - 2].count <= 2 * runs->list[runs->len - 1].count) {
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
    const struct runs_items *items;
    char *record; /* of one item, unless they are records */
    struct run run;
    struct sorted_chunk *heap;
    uint64_t heap_len;
    struct reader *readers;    /* one per run */
    atomic_uint_fast64_t next; /* the next chunk to sort */
};

static int compare(const void *a, const void *b, void *context)
{
    const struct runs_items *items = context;
    return items->compare ? items->compare(a, b, items->context) : memcmp(a, b, items->item_bytes);
}

/* What is smallest. */
static const char *top_record(const struct adding *adding)
{
    const struct runs_items *items = adding->items;
    if (!items->make) return adding->heap->at;
    items->make(adding->heap->at, adding->record, items->context);
    return adding->record;
}

static void sink(struct adding *adding, uint64_t at)
{
    struct sorted_chunk *heap = adding->heap, moving = heap[at];
    void *const items = (void *)adding->items;
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= adding->heap_len) break;
        if (child + 1 < adding->heap_len && compare(heap[child + 1].at, heap[child].at, items) < 0)
            child++;
        if (compare(moving.at, heap[child].at, items) <= 0) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static void sort_chunks(void *context, uint32_t number)
{
    struct adding *adding = context;
    const uint32_t bytes = adding->items->item_bytes;
    (void)number;
    for (uint64_t i; (i = atomic_fetch_add(&adding->next, 1)) < adding->heap_len;) {
        struct sorted_chunk *chunk = &adding->heap[i];
        qsort_r(chunk->at, (uint64_t)(chunk->end - chunk->at) / bytes, bytes, compare,
                (void *)adding->items);
    }
}

static void make_heap(struct adding *adding)
{
    const struct runs_items *items = adding->items;
    const uint64_t count = items->count, per_chunk = UINT64_C(1) << items->chunk_shift;
    for (uint64_t first = 0; first < count; first += per_chunk) {
        uint64_t some = count - first < per_chunk ? count - first : per_chunk;
        char *chunk = items->chunks[first >> items->chunk_shift];
        adding->heap[adding->heap_len++] =
            (struct sorted_chunk){chunk, chunk + some * items->item_bytes};
    }
    if (adding->runs->crew && adding->heap_len > 1)
        crew_round(adding->runs->crew, sort_chunks, adding);
    else sort_chunks(adding, 0);
    for (uint64_t i = adding->heap_len / 2; i-- > 0;) sink(adding, i);
}

static bool is_known(struct adding *adding, const char *record, bool *known)
{
    *known = false;
    for (uint32_t i = 0; i < adding->runs->len && !*known; i++)
        if (!reader_has(adding->runs, &adding->readers[i], record, known))
            return fails(adding->runs, adding->readers[i].error);
    return true;
}

static bool add_all(struct adding *adding, void (*repeated)(void *context, const void *record),
                    void *context)
{
    struct runs *runs = adding->runs;
    while (adding->heap_len) {
        struct sorted_chunk *top = adding->heap;
        const char *record = top_record(adding);
        bool known;
        if (!is_known(adding, record, &known)) return false;
        if (known) repeated(context, record);
        else if (!put(runs, &adding->run, record)) return false;
        top->at += adding->items->item_bytes;
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

struct runs_items runs_items_of(const struct store *store, uint64_t count)
{
    assert(count <= store->count);
    return (struct runs_items){.chunks = store->chunks,
                               .chunk_shift = store->chunk_shift,
                               .item_bytes = store->record_bytes,
                               .count = count};
}

bool runs_add(struct runs *runs, const struct runs_items *items,
              void (*repeated)(void *context, const void *record), void *context)
{
    struct adding adding = {.runs = runs, .items = items};
    assert(items->make || items->item_bytes == runs->record_bytes);
    tape_init(&adding.run.tape, runs->mem, runs->block_bytes);
    adding.heap =
        mem_try_alloc(runs->mem, ((items->count >> items->chunk_shift) + 1) * sizeof *adding.heap);
    adding.readers = mem_try_alloc(runs->mem, (runs->len + UINT64_C(1)) * sizeof *adding.readers);
    adding.record = mem_try_alloc(runs->mem, runs->record_bytes);
    bool good = adding.heap && adding.readers && adding.record && reserve_run(runs);
    for (uint32_t i = 0; good && i < runs->len; i++)
        good = reader_open(runs, &adding.readers[i], &runs->list[i]);
    if (good) {
        make_heap(&adding);
        good = add_all(&adding, repeated, context);
    }
    for (uint32_t i = 0; adding.readers && i < runs->len; i++)
        mem_free(runs->mem, adding.readers[i].block);
    mem_free(runs->mem, adding.heap);
    mem_free(runs->mem, adding.record);
    mem_free(runs->mem, adding.readers);
    if (!good || !adding.run.count) {
        release_run(runs, &adding.run);
        return good;
    }
    runs->records += adding.run.count;
    runs->list[runs->len++] = adding.run;
    good = merge_last(runs);
    CHECKED(runs_check(runs));
    return good;
}

/* ---- counting ---- */

/* The reader whose next record is smallest; NULL: all are at their ends. False: an error. */
static bool find_smallest(struct runs *runs, struct reader *readers, struct reader **smallest)
{
    *smallest = NULL;
    for (uint32_t i = 0; i < runs->len; i++) {
        bool end;
        if (!reader_load(runs, &readers[i], &end)) return fails(runs, readers[i].error);
        if (!end
            && (!*smallest
                || memcmp(reader_record(runs, &readers[i]), reader_record(runs, *smallest),
                          runs->record_bytes)
                       < 0))
            *smallest = &readers[i];
    }
    return true;
}

bool runs_count(struct runs *runs, uint32_t bytes, uint64_t *count)
{
    struct reader *readers = mem_try_alloc(runs->mem, (runs->len + UINT64_C(1)) * sizeof *readers),
                  *next = NULL;
    char *last = mem_try_alloc(runs->mem, runs->record_bytes);
    bool good = readers && last;
    assert(bytes <= runs->record_bytes);
    *count = 0;
    for (uint32_t i = 0; good && i < runs->len; i++)
        good = reader_open(runs, &readers[i], &runs->list[i]);
    while (good && (good = find_smallest(runs, readers, &next)) && next) {
        const char *record = reader_record(runs, next);
        *count += !*count || memcmp(last, record, bytes);
        memcpy(last, record, runs->record_bytes);
        next->within++;
    }
    for (uint32_t i = 0; readers && i < runs->len; i++) mem_free(runs->mem, readers[i].block);
    mem_free(runs->mem, readers);
    mem_free(runs->mem, last);
    return good;
}

bool runs_check(const struct runs *runs)
{
    uint64_t records = 0;
    for (uint32_t i = 0; i < runs->len; i++) {
        const struct run *run = &runs->list[i];
        records += run->count;
        if (run->blocks != (run->count + runs->per_block - 1) / runs->per_block) return false;
        for (uint64_t b = 1; b < run->blocks; b++)
            if (memcmp(run->firsts + (b - 1) * runs->record_bytes,
                       run->firsts + b * runs->record_bytes, runs->record_bytes)
                >= 0)
                return false;
    }
    return records == runs->records;
}

/* ---- finding ---- */

struct finding {
    const struct runs *runs;
    const char *records;
    uint64_t stride, count;
    bool *has;
    char *blocks[CREW_MOST]; /* of each thread, to read into */
    uint32_t threads;
    const char *errors[CREW_MOST];
};

/* A thread's share of the questions: those near each other, which are about the same blocks. */
static void answer(void *context, uint32_t number)
{
    struct finding *finding = context;
    if (number >= finding->threads) return;
    uint64_t first = finding->count * number / finding->threads,
             end = finding->count * (number + 1) / finding->threads;
    bool found;
    for (uint32_t r = 0; r < finding->runs->len; r++) {
        struct reader reader = {.run = &finding->runs->list[r], .block = finding->blocks[number]};
        assert(reader.block);
        for (uint64_t i = first; i < end && !reader.error; i++) {
            if (finding->has[i]) continue;
            if (reader_has(finding->runs, &reader, finding->records + i * finding->stride, &found))
                finding->has[i] = found;
        }
        finding->errors[number] = reader.error;
        if (reader.error) return;
    }
}

bool runs_find(struct runs *runs, const char *records, uint64_t stride, uint64_t count, bool *has)
{
    struct finding finding = {
        .runs = runs, .records = records, .stride = stride, .count = count, .has = has};
    uint64_t wanted = runs->crew ? count / LEAST_SHARE : 1;
    if (runs->crew && wanted > runs->crew->count) wanted = runs->crew->count;
    memset(has, 0, count * sizeof *has);
    if (!runs->len) return true;
    do { /* with less memory, fewer threads */
        finding.blocks[finding.threads] = mem_try_alloc(runs->mem, runs->block_bytes);
        if (!finding.blocks[finding.threads]) break;
        finding.threads++;
    } while (finding.threads < wanted);
    bool good = finding.threads > 0;
    if (finding.threads > 1) crew_round(runs->crew, answer, &finding);
    else if (good) answer(&finding, 0);
    for (uint32_t t = 0; t < finding.threads; t++) {
        mem_free(runs->mem, finding.blocks[t]);
        if (finding.errors[t] && good) good = fails(runs, finding.errors[t]);
    }
    return good;
}
