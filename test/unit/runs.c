/* Tapes and sorted runs against plain arrays: every byte comes back, every record is found or not,
 * records that are added twice are told; refused memory and damaged files are no answers. */
#include "base/random.h"
#include "solver/runs.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNIVERSE = 2000, ROUNDS = 12, TAPE = 5000 };

static void test_tape(struct unit *unit, uint32_t block, uint64_t seed)
{
    struct mem mem;
    struct tape tape;
    struct random random = {seed};
    static unsigned char plain[TAPE], back[TAPE];
    mem_init(&mem);
    tape_init(&tape, &mem, block);
    for (unsigned round = 0; round < 2; round++) {
        uint64_t length = 0;
        while (length < TAPE) {
            uint64_t some = random_below(&random, 3 * block + 2);
            if (some > TAPE - length) some = TAPE - length;
            for (uint64_t i = 0; i < some; i++)
                plain[length + i] = (unsigned char)random_next(&random);
            CHECK(unit, tape_append(&tape, plain + length, some));
            length += some;
            uint64_t from = random_below(&random, length + 1),
                     size = random_below(&random, length - from + 1);
            CHECK(unit, tape_read(&tape, from, back, size) && !memcmp(back, plain + from, size));
        }
        CHECK(unit, tape.bytes == TAPE && !tape.error);
        if (!round) tape_clear(&tape);
    }
    if (TAPE > 2 * block) { /* damage is found */
        CHECK(unit, pwrite(tape.file, plain[0] ? "\0" : "\1", 1, 0) == 1);
        tape.read_block = UINT64_MAX;
        CHECK(unit, !tape_read(&tape, 0, back, 1) && tape.error);
        CHECK(unit, tape_read(&tape, block, back, block) && !memcmp(back, plain + block, block));
        CHECK(unit, !ftruncate(tape.file, block));
        tape.read_block = UINT64_MAX;
        CHECK(unit, !tape_read(&tape, block, back, block));
    }
    tape_release(&tape);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

static void make_record(unsigned char *record, uint32_t bytes, unsigned number)
{
    memset(record, 0, bytes);
    for (uint32_t i = 0; i < bytes && i < 4; i++)
        record[(i * 7 + 3) % bytes] ^= (unsigned char)(number >> (8 * (i % 2)));
}

static void count(void *context, const void *record)
{
    (void)record;
    ++*(uint64_t *)context;
}

/* Numbers stand for records; equal numbers have equal records, and others may, when records are
 * short. */
static void test_runs(struct unit *unit, uint32_t bytes, uint32_t block, uint64_t seed,
                      uint64_t limit, struct crew *crew)
{
    struct mem mem;
    struct runs runs;
    struct random random = {seed};
    struct store all;
    uint64_t index;
    bool good = true;
    mem_init(&mem);
    runs_init(&runs, &mem, bytes, block);
    runs.crew = crew;
    CHECK(unit, store_init(&all, &mem, bytes));
    for (unsigned round = 0; good && round < ROUNDS; round++) {
        struct store store;
        uint64_t repeated = 0, expected = 0, some = random_below(&random, round % 3 ? 60 : 900);
        unsigned char record[64], questions[64 * 50];
        bool has[50];
        CHECK(unit, store_init(&store, &mem, bytes));
        for (uint64_t i = 0; i < some; i++) {
            make_record(record, bytes, (unsigned)random_below(&random, UNIVERSE));
            uint64_t hash = store_hash(record, bytes);
            if (store_add(&store, record, hash, &index) == STORE_NEW
                && store_add(&all, record, hash, &index) == STORE_KNOWN)
                expected++;
        }
        if (limit) mem.limit = mem.used + limit;
        const struct runs_items items = runs_items_of(&store, store.count);
        good = runs_add(&runs, &items, count, &repeated);
        mem.limit = 0;
        store_release(&store);
        CHECK(unit, limit ? !runs.error : good);
        if (!good) break;
        CHECK(unit, repeated == expected && runs.records == all.count);
        for (uint32_t r = 0; r + 1 < runs.len && !limit; r++)
            CHECK(unit, runs.list[r].count > 2 * runs.list[r + 1].count);
        bool begins[256] = {false};
        uint64_t beginnings = 0, counted, whole;
        for (uint64_t i = 0; i < all.count; i++) {
            const unsigned char byte = *(const unsigned char *)store_get(&all, i);
            beginnings += !begins[byte];
            begins[byte] = true;
        }
        CHECK(unit, runs_count(&runs, 1, &counted) && counted == beginnings);
        CHECK(unit, runs_count(&runs, bytes, &whole) && whole == all.count);
        unsigned first = (unsigned)random_below(&random, UNIVERSE);
        for (unsigned i = 0; i < 50; i++) make_record(questions + i * 64, bytes, first + i * 31);
        for (unsigned i = 1; i < 50; i++) /* sorted */
            for (unsigned j = i;
                 j && memcmp(questions + (j - 1) * 64, questions + j * 64, bytes) > 0; j--) {
                memcpy(record, questions + j * 64, 64);
                memcpy(questions + j * 64, questions + (j - 1) * 64, 64);
                memcpy(questions + (j - 1) * 64, record, 64);
            }
        CHECK(unit, runs_find(&runs, (const char *)questions, 64, 50, has));
        for (unsigned i = 0; i < 50; i++)
            CHECK(unit, has[i]
                            == (store_find(&all, questions + i * 64,
                                           store_hash(questions + i * 64, bytes))
                                != STORE_NONE));
    }
    store_release(&all);
    runs_release(&runs);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

int main(void)
{
    struct unit unit = {0};
    const uint32_t blocks[] = {1, 7, 64, 4096};
    for (unsigned b = 0; b < 4; b++) test_tape(&unit, blocks[b], b + 1);
    static struct crew crew;
    crew_start(&crew, 3);
    for (unsigned seed = 1; seed <= 6; seed++)
        for (unsigned b = 0; b < 4; b++) {
            test_runs(&unit, 4, blocks[b], seed, 0, seed % 2 ? &crew : NULL);
            test_runs(&unit, 1, blocks[b], seed, 0, seed % 2 ? &crew : NULL);
            test_runs(&unit, 20, blocks[b], seed, 0, seed % 2 ? &crew : NULL);
            test_runs(&unit, 20, blocks[b], seed, 100 * seed * seed, seed % 2 ? &crew : NULL);
        }
    crew_stop(&crew);
    return unit_finish(&unit);
}
