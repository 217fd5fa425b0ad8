/* The store against a plain array, with its invariants checked along the way; the logs of parents
 * and of origins, and what waits by rank, against plain arrays. */
#include "base/mem.h"
#include "base/random.h"
#include "search/parents.h"
#include "search/ways.h"
#include "solver/logs.h"
#include "solver/ranks.h"
#include "solver/store.h"
#include "solver/wordset.h"
#include "unit/unit.h"

#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { RECORDS = 600, MANY = 2000 }; /* everything collides: quadratic */
#else
enum { RECORDS = 3000, MANY = 100000 };
#endif

static void test_store(struct unit *unit, uint32_t bytes, uint64_t seed)
{
    struct mem mem;
    struct store store;
    struct random random = {seed};
    static unsigned char known[RECORDS][64];
    uint64_t count = 0, index;
    mem_init(&mem);
    CHECK(unit, store_init(&store, &mem, bytes));
    for (unsigned i = 0; i < RECORDS; i++) {
        unsigned char record[64] = {0};
        uint64_t expected = STORE_NONE;
        for (uint32_t b = 0; b < bytes; b++)
            record[b] = (unsigned char)random_below(&random, bytes > 2 ? 4 : 16);
        for (uint32_t k = 0; k < count; k++)
            if (!memcmp(known[k], record, bytes)) expected = k;
        uint64_t hash = store_hash(record, bytes);
        CHECK(unit, store_find(&store, record, hash) == expected);
        uint64_t guess = store_guess(&store, hash);
        CHECK(unit, store_has(&store, guess, record)
                        ? guess == expected
                        : STORE_HASH_BITS < 64 || (guess == STORE_NONE && expected == STORE_NONE));
        enum store_result added = store_add(&store, record, hash, &index);
        CHECK(unit, added == (expected == STORE_NONE ? STORE_NEW : STORE_KNOWN));
        CHECK(unit, index == (expected == STORE_NONE ? count : expected));
        if (expected == STORE_NONE) memcpy(known[count++], record, bytes);
        CHECK(unit, !memcmp(store_get(&store, index), record, bytes));
        if (i % 97 == 0) CHECK(unit, store_check(&store));
    }
    CHECK(unit, store.count == count && store_check(&store));
    store_release(&store);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* Many at once, written and linked in any order, give the same set as one by one; what is cut is
 * forgotten, and can be added again. */
static void test_parts(struct unit *unit, uint64_t seed)
{
    enum { ROUNDS = 40, MOST = STORE_HASH_BITS < 64 ? 20 : 700 };
    struct mem mem;
    struct store plain, store;
    struct random random = {seed};
    uint64_t index, next = 0;
    mem_init(&mem);
    CHECK(unit, store_init(&plain, &mem, 8) && store_init(&store, &mem, 8));
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t records[MOST], hashes[MOST];
        uint32_t count = 1 + random_below(&random, MOST), in_part[STORE_WIDE_SEGMENTS] = {0};
        const bool at_once = store_parts(&store) && random_below(&random, 4);
        for (uint32_t i = 0; i < count; i++) {
            records[i] = next++ * UINT64_C(0x9E3779B97F4A7C15);
            hashes[i] = store_hash(&records[i], 8);
            CHECK(unit, store_add(&plain, &records[i], hashes[i], &index) == STORE_NEW);
            if (at_once) in_part[hashes[i] & (store_parts(&store) - 1)]++;
            else CHECK(unit, store_add(&store, &records[i], hashes[i], &index) == STORE_NEW);
        }
        const uint64_t first = store.count;
        const bool has_room = at_once && store_reserve(&store, count, in_part, 0);
        if (at_once && !has_room) store_tidy(&store);
        if (at_once && !has_room) /* it has to become wider first */
            for (uint32_t i = 0; i < count; i++)
                CHECK(unit, store_add(&store, &records[i], hashes[i], &index) == STORE_NEW);
        else if (at_once) {
            store_give(&store, count);
            const bool is_cut = !random_below(&random, 3);
            for (uint32_t i = count; i--;) store_write(&store, first + i, &records[i]);
            for (uint32_t p = 0; p < store_parts(&store); p++)
                if (random_below(&random, 8)) store_widen(&store, p);
            for (uint32_t i = count; i--;)
                if (!store_link(&store, first + i, hashes[i]))
                    CHECK(unit, store_link_alone(&store, first + i));
            store_tidy(&store);
            CHECK(unit, store_check(&store));
            if (is_cut) store_cut(&store, first + count / 2);
            for (uint32_t i = count / 2; is_cut && i < count; i++) {
                CHECK(unit, store_find(&store, &records[i], hashes[i]) == STORE_NONE);
                CHECK(unit, store_add(&store, &records[i], hashes[i], &index) == STORE_NEW);
            }
        }
        CHECK(unit, store.count == plain.count && store_check(&store));
        for (uint32_t i = 0; i < count; i++)
            CHECK(unit, store_find(&store, &records[i], hashes[i])
                            == store_find(&plain, &records[i], hashes[i]));
    }
    mem.limit = mem.used + 100;
    uint32_t many[STORE_WIDE_SEGMENTS] = {[0] = 1000};
    CHECK(unit, !store_reserve(&store, 1000, many, 0) && store_check(&store));
    store_release(&plain);
    store_release(&store);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* A set of words against bits: added one by one, and many at once by parts, which grow before or
 * then; some are removed. */
static void test_wordset(struct unit *unit, uint64_t seed)
{
    enum { RANGE = 1 << 15, ROUNDS = 60, MOST = STORE_HASH_BITS < 64 ? 20 : 900 };
    static bool known[RANGE];
    struct mem mem;
    struct wordset words;
    struct random random = {seed};
    uint64_t count = 0, wrong = 0;
    mem_init(&mem);
    memset(known, 0, sizeof known);
    CHECK(unit, wordset_init(&words, &mem));
    for (uint64_t word = 0; word < RANGE; word++)
        wrong += wordset_unmix(wordset_mix(word << 48 | word)) != (word << 48 | word);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t some = 1 + random_below(&random, MOST);
        uint64_t list[MOST];
        const bool at_once = words.table.mask && random_below(&random, 4);
        uint32_t more[TABLE_SEGMENTS] = {0};
        for (uint32_t i = 0; i < some; i++) {
            list[i] = random_below(&random, RANGE);
            more[wordset_mix(list[i]) & words.table.mask]++;
        }
        if (at_once && random_below(&random, 2)) {
            if (table_foresee(&words.table, some, 0))
                for (uint32_t p = 0; p <= words.table.mask; p++)
                    if (random_below(&random, 8)) table_sweep(&words.table, p);
            for (uint32_t i = 0; i < some; i++)
                wrong += wordset_has(&words, wordset_mix(list[i])) != known[list[i]];
            table_tidy(&words.table);
            wrong += !wordset_check(&words);
        }
        if (at_once) wrong += !wordset_reserve(&words, more, 0);
        for (uint32_t p = 0; at_once && p <= words.table.mask; p++)
            if (random_below(&random, 8)) table_widen(&words.table, p);
        for (uint32_t i = 0; i < some; i++) {
            const uint64_t mixed = wordset_mix(list[i]);
            enum wordset_result result =
                at_once ? wordset_put(&words, mixed) : wordset_add(&words, mixed);
            if (result == WORDSET_REFUSED && at_once) continue; /* there is no place */
            wrong += result != (known[list[i]] ? WORDSET_KNOWN : WORDSET_NEW);
            count += !known[list[i]];
            known[list[i]] = true;
        }
        if (at_once) table_tidy(&words.table);
        if (at_once) wordset_count(&words);
        for (uint32_t i = 0; i < some; i += 3) {
            wordset_remove(&words, wordset_mix(list[i]));
            count -= known[list[i]];
            known[list[i]] = false;
        }
        wrong += words.count != count || !wordset_check(&words);
    }
    for (uint64_t word = 0; word < RANGE; word++)
        wrong += wordset_has(&words, wordset_mix(word)) != known[word];
    CHECK(unit, !wrong);
    wordset_release(&words);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* Blocks that become large, larger and small again keep what is in them. */
static void test_blocks(struct unit *unit)
{
    static const size_t sizes[] = {
        100,     1 << 20,  3 << 20, 9 << 20, (2 << 20) - 32, (2 << 20) - 31,
        2 << 20, 40 << 20, 5 << 20, 64};
    struct mem mem;
    mem_init(&mem);
    unsigned char *block = NULL, *other = mem_try_alloc(&mem, 7 << 20);
    size_t had = 0, wrong = 0;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        block = mem_try_resize(&mem, block, sizes[s]);
        CHECK(unit, block && mem.used > sizes[s] + (7 << 20));
        for (size_t i = 0; block && i < had && i < sizes[s]; i += 511)
            wrong += block[i] != (unsigned char)(i * 31);
        for (size_t i = 0; block && i < sizes[s]; i++) block[i] = (unsigned char)(i * 31);
        had = sizes[s];
    }
    for (size_t i = 0; i < 7 << 20; i += 4096) wrong += other[i];
    CHECK(unit, !wrong);
    mem_free(&mem, other);
    mem_free(&mem, block);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* Rules by the number of a state, in models with few and with many. */
static void test_ways(struct unit *unit)
{
    static const uint32_t rules[] = {1, 256, 257, 65536, 65537, UINT32_MAX};
    for (unsigned r = 0; r < sizeof rules / sizeof *rules; r++) {
        struct mem mem;
        struct ways ways;
        uint64_t wrong = 0;
        mem_init(&mem);
        ways_init(&ways, &mem, rules[r]);
        for (uint64_t i = 0; i < 40000; i++) wrong += !ways_put(&ways, i * 7919 % rules[r]);
        for (uint64_t i = 0; i < 40000; i++) wrong += ways_of(&ways, i) != i * 7919 % rules[r];
        CHECK(unit, !wrong && ways.count == 40000);
        mem.limit = mem.used;
        while (ways.count < 100000 && ways_put(&ways, 0)) continue;
        CHECK(unit, ways.count < 100000 && ways_of(&ways, 1) == 7919 % rules[r]);
        ways_release(&ways);
        CHECK(unit, mem.used == 0);
        mem_release(&mem);
    }
}

static void test_same(struct unit *unit)
{
    enum { MOST = 80 };
    char one[MOST + 1], two[MOST + 1];
    for (uint32_t bytes = 0; bytes <= MOST; bytes++) {
        for (uint32_t b = 0; b <= MOST; b++) one[b] = two[b] = (char)(b * 37 + bytes);
        CHECK(unit, store_same(one, two, bytes));
        for (uint32_t b = 0; b <= bytes; b++) { /* the last one does not count */
            two[b] ^= 16;
            CHECK(unit, store_same(one, two, bytes) == (b == bytes));
            two[b] ^= 16;
        }
    }
}

/* Under every budget the store keeps what it has and says no. */
static void test_budget(struct unit *unit)
{
    for (uint64_t limit = 1000; limit < 3000000; limit += limit / 3) {
        struct mem mem;
        struct store store;
        mem_init(&mem);
        mem.limit = limit;
        uint64_t added = 0;
        uint64_t index;
        if (store_init(&store, &mem, 8))
            for (; added < MANY; added++)
                if (store_add(&store, &added, store_hash(&added, 8), &index) != STORE_NEW) break;
        CHECK(unit, mem.peak <= limit);
        CHECK(unit, store.count == added && (!added || store_check(&store)));
        store_release(&store);
        mem_release(&mem);
    }
}

/* A log of so many states, empty before. */
static void fill_parents(struct unit *unit, struct parents *parents, uint32_t most,
                         struct random *random)
{
    enum { STATES = 400000 };
    static uint64_t parent[STATES];
    uint32_t states = 0, initial = 5, bad = 0;
    CHECK(unit, most <= STATES && !parents->bits);
    for (; states < initial; states++) {
        CHECK(unit, parents_found(parents));
        parent[states] = PARENTS_NONE;
    }
    for (uint32_t at = 0; at < states && states + 8 < most; at++) {
        parents_expand(parents);
        uint32_t children = (uint32_t)random_below(random, 5);
        if (at + 1 == states && !children) children = 1;
        for (; children; children--) {
            parents_found(parents);
            parent[states++] = at;
        }
    }
    for (uint32_t i = 0; i < states; i++) bad += parents_of(parents, i) != parent[i];
    CHECK(unit, states + 20 > most && bad == 0 && parents_check(parents));
}

static void test_parents(struct unit *unit)
{
    struct mem mem;
    struct parents parents;
    struct random random = {7};
    mem_init(&mem);
    parents_init(&parents, &mem);
    fill_parents(unit, &parents, 400000, &random);
    const uint64_t peak = mem.peak;
    parents_clear(&parents);
    for (uint32_t most = 30; most < 200000; most *= 9) {
        fill_parents(unit, &parents, most, &random);
        parents_clear(&parents);
        parents_clear(&parents); /* of an empty one */
    }
    CHECK(unit, mem.peak == peak);
    parents_release(&parents);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* A small store is made empty again and again. */
static void test_clear(struct unit *unit)
{
    struct mem mem;
    struct store store;
    uint64_t index;
    mem_init(&mem);
    CHECK(unit, store_init(&store, &mem, 8));
    for (uint64_t round = 0; round < 50; round++) {
        uint64_t count = round % 13;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t record = i * 7 + round;
            CHECK(unit, store_add(&store, &record, store_hash(&record, 8), &index) == STORE_NEW
                            && index == i);
        }
        CHECK(unit, store.count == count && store_check(&store));
        if (store_clear(&store)) continue;
        store_release(&store);
        CHECK(unit, store_init(&store, &mem, 8));
    }
    store_release(&store);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* Random segments; read back directly, and from bytes; damaged bytes are refused or harmless. */
static void test_origins(struct unit *unit, uint64_t seed)
{
    enum { STATES = 3000 };
    static struct origin known[STATES];
    struct mem mem;
    struct origins origins, copy;
    struct random random = {seed};
    uint32_t states = 0, bad = 0;
    mem_init(&mem);
    origins_init(&origins, &mem);
    origins_init(&copy, &mem);
    for (uint64_t source = ORIGINS_INITIAL; states < STATES;
         source += 1 + (uint64_t)random_below(&random, 1000)) {
        uint64_t state = 0;
        uint32_t step = 0, wide = 1u << random_below(&random, 20);
        const bool huge = !random_below(&random, 3); /* numbers of more than 32 bits */
        for (uint32_t left = 1 + (uint32_t)random_below(&random, 700); left && states < STATES;
             left--) {
            known[states++] = (struct origin){source, state, step};
            CHECK(unit, origins_add(&origins, source, state, step));
            if (!random_below(&random, 16)) continue; /* one step, several states */
            if (random_below(&random, 2)) step += 1 + (uint32_t)random_below(&random, 5);
            else
                state += 1 + (uint64_t)random_below(&random, wide)
                         + (huge ? (uint64_t)random_below(&random, 1u << 20) << 9 : 0),
                    step = (uint32_t)random_below(&random, 300);
        }
    }
    CHECK(unit, origins_check(&origins));
    unsigned char *bytes = mem_alloc(&mem, origins_bound(&origins));
    uint64_t size = origins_write(&origins, bytes);
    CHECK(unit, size <= origins_bound(&origins) && origins_read(&copy, bytes, size)
                    && copy.states == STATES && origins_check(&copy));
    for (uint32_t i = 0; i < STATES; i++) {
        struct origin one = origins_of(&origins, i), other = origins_of(&copy, i);
        bad += one.source != known[i].source || one.state != known[i].state
               || one.step != known[i].step;
        bad += other.source != one.source || other.state != one.state || other.step != one.step;
    }
    CHECK(unit, bad == 0);
    for (unsigned i = 0; i < 300; i++) { /* whatever is accepted can be asked */
        uint64_t at = (uint64_t)random_below(&random, (uint32_t)size);
        unsigned char bit = (unsigned char)(1u << random_below(&random, 8));
        bytes[at] ^= bit;
        if (origins_read(&copy, bytes, i % 3 ? size : at) && copy.states)
            origins_of(&copy, (uint64_t)random_below(&random, (uint32_t)copy.states));
        bytes[at] ^= bit;
    }
    mem_free(&mem, bytes);
    origins_release(&copy);
    origins_clear(&origins);
    CHECK(unit, origins.states == 0);
    origins_release(&origins);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* Ranks that come and go, small ones first. */
static void test_ranks(struct unit *unit, uint64_t seed)
{
    enum { RANKS = 200 };
    struct mem mem;
    struct ranks ranks;
    struct random random = {seed};
    static uint64_t items[RANKS];
    bool waits[RANKS] = {0};
    uint32_t count = 0, wrong = 0;
    mem_init(&mem);
    ranks_init(&ranks, &mem);
    CHECK(unit, !ranks_find(&ranks, 7));
    for (unsigned n = 0; n < 3000; n++) {
        uint32_t r = (uint32_t)random_below(&random, RANKS), least = 0;
        uint64_t rank = r * UINT64_C(0x100000001); /* some share their home */
        wrong += ranks_find(&ranks, rank) != (waits[r] ? &items[r] : NULL);
        if (!waits[r] && random_below(&random, 3)) {
            mem.fail_at = random_below(&random, 5) ? 0 : mem.allocations + 1;
            bool ready = ranks_reserve(&ranks);
            mem.fail_at = 0;
            if (!ready) continue;
            ranks_put(&ranks, rank, &items[r]);
            waits[r] = true;
            count++;
        } else if (count) {
            while (!waits[least]) least++;
            wrong += ranks_take(&ranks) != &items[least];
            waits[least] = false;
            count--;
        }
        wrong += ranks.count != count || !ranks_check(&ranks);
    }
    CHECK(unit, wrong == 0 && count > 0);
    ranks_release(&ranks);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* Small and large logs, found again in any order. */
static void test_logs(struct unit *unit)
{
    enum { LOGS = 60 };
    struct mem mem;
    struct logs logs;
    struct origins origins;
    struct random random = {3};
    uint32_t sizes[LOGS], wrong = 0;
    mem_init(&mem);
    logs_init(&logs, &mem);
    origins_init(&origins, &mem);
    for (uint32_t i = 0; i < LOGS; i++) {
        sizes[i] = 1 + (uint32_t)random_below(&random, i % 10 ? 20 : 100000);
        for (uint32_t s = 0; s < sizes[i]; s++) CHECK(unit, origins_add(&origins, i, s, i));
        mem.fail_at = i % 7 ? 0 : mem.allocations + 1;
        bool kept = logs_keep(&logs, 3 * i + 1, &origins);
        mem.fail_at = 0;
        CHECK(unit, kept || logs_keep(&logs, 3 * i + 1, &origins));
        origins_clear(&origins);
    }
    for (unsigned n = 0; n < 300; n++) {
        uint32_t i = (uint32_t)random_below(&random, LOGS),
                 s = (uint32_t)random_below(&random, sizes[i]);
        const struct origins *log = logs_find(&logs, 3 * i + 1);
        if (!log || log->states != sizes[i]) {
            wrong++;
            continue;
        }
        struct origin origin = origins_of(log, s);
        wrong += origin.source != i || origin.state != s || origin.step != i;
        wrong += n % 5 == 0 && logs_find(&logs, 3 * i + 2) != NULL;
    }
    CHECK(unit, wrong == 0);
    origins_release(&origins);
    logs_release(&logs);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

int main(void)
{
    struct unit unit = {0};
    for (uint32_t bytes = 0; bytes <= 60; bytes += 4) test_store(&unit, bytes, 11 + bytes);
    for (uint64_t seed = 1; seed <= 10; seed++) test_parts(&unit, seed);
    for (uint64_t seed = 1; seed <= 20; seed++) test_wordset(&unit, seed);
    test_ways(&unit);
    test_blocks(&unit);
    test_same(&unit);
    test_budget(&unit);
    test_parents(&unit);
    test_clear(&unit);
    for (uint64_t seed = 1; seed <= 10; seed++) test_origins(&unit, seed);
    for (uint64_t seed = 1; seed <= 10; seed++) test_ranks(&unit, seed);
    test_logs(&unit);
    return unit_finish(&unit);
}
