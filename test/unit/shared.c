/* The set that several threads fill: every record once, whoever adds it, through growing, refused
 * memory and renumbering; keys are the smallest that were given. And the crew that does it. */
#include "base/crew.h"
#include "base/random.h"
#include "solver/shared.h"
#include "unit.h"

#include <string.h>

enum { THREADS = 4 };

struct trial {
    struct shared shared;
    struct crew crew;
    struct shared_block blocks[THREADS];
    uint32_t records, bytes;
    uint32_t at[THREADS]; /* how far each is in its own order */
    uint64_t fresh[THREADS];
    bool refused[THREADS], wrong[THREADS];
    atomic_uint segment;
};

static void record_of(const struct trial *trial, uint32_t number, unsigned char *record)
{
    struct random random = {number};
    memset(record, 0, 64);
    uint64_t noise = random_next(&random) & ~UINT64_C(0xFFFFFFFF);
    noise |= number; /* different numbers are different records */
    memcpy(record, &noise, trial->bytes < 8 ? trial->bytes : 8);
}

static uint8_t key_of(uint32_t number, uint32_t thread)
{
    return (uint8_t)(number * 7 + (thread + number) % THREADS * 50);
}

/* Each thread adds all records, each in an order of its own. */
static void add_all(void *context, uint32_t thread)
{
    struct trial *trial = context;
    for (unsigned since = 0; trial->at[thread] < trial->records; trial->at[thread]++, since++) {
        if (since >= 64 && shared_is_full(&trial->shared)) return;
        if (since >= 64) since = 0;
        unsigned char record[64];
        uint32_t index,
            number = (uint32_t)((trial->at[thread] + (uint64_t)thread * trial->records / THREADS)
                                % trial->records);
        record_of(trial, number, record);
        uint64_t hash = store_hash(record, trial->bytes);
        shared_prefetch(&trial->shared, hash);
        uint32_t guess = shared_guess(&trial->shared, hash);
        bool guessed = guess != UINT32_MAX && shared_has(&trial->shared, guess, record);
        enum store_result added = shared_add(&trial->shared, &trial->blocks[thread], record, hash,
                                             key_of(number, thread), &index);
        if (added == STORE_REFUSED) {
            trial->refused[thread] = true;
            return;
        }
        trial->wrong[thread] |= guessed && (added == STORE_NEW || index != guess);
        trial->fresh[thread] += added == STORE_NEW;
        if (added == STORE_KNOWN) shared_lower_key(&trial->shared, index, key_of(number, thread));
        trial->wrong[thread] |=
            memcmp(shared_get(&trial->shared, index), record, trial->bytes) != 0;
    }
}

static void grow_some(void *context, uint32_t thread)
{
    struct trial *trial = context;
    (void)thread;
    for (unsigned s; (s = atomic_fetch_add(&trial->segment, 1)) < SHARED_SEGMENTS;)
        shared_grow_segment(&trial->shared, s);
}

/* True: all are there; false: memory was refused. */
static bool fill(struct trial *trial)
{
    for (;;) {
        crew_round(&trial->crew, add_all, trial);
        bool finished = true;
        for (uint32_t t = 0; t < THREADS; t++) {
            if (trial->refused[t]) return false;
            finished &= trial->at[t] == trial->records;
        }
        if (finished) return true;
        atomic_store(&trial->segment, 0);
        crew_round(&trial->crew, grow_some, trial);
        if (!shared_grown(&trial->shared)) return false;
    }
}

static uint64_t settle(struct trial *trial)
{
    struct shared_block *blocks[THREADS];
    for (uint32_t t = 0; t < THREADS; t++) blocks[t] = &trial->blocks[t];
    return shared_settle(&trial->shared, blocks, THREADS);
}

static void check_keys(struct unit *unit, const struct trial *trial)
{
    bool good = true;
    struct store view;
    shared_view(&trial->shared, trial->records, &view);
    for (uint32_t n = 0; n < trial->records; n++) {
        unsigned char record[64];
        uint8_t least = 255;
        record_of(trial, n, record);
        uint32_t index = shared_find(&trial->shared, record, store_hash(record, trial->bytes));
        for (uint32_t t = 0; t < THREADS; t++) least = key_of(n, t) < least ? key_of(n, t) : least;
        uint32_t guess = shared_guess(&trial->shared, store_hash(record, trial->bytes));
        good = good && (guess == index || (STORE_HASH_BITS < 64 && guess != UINT32_MAX));
        good = good && index < trial->records
               && !memcmp(store_get(&view, index), record, trial->bytes)
               && atomic_load(shared_key(&trial->shared, index)) == least;
    }
    CHECK(unit, good);
}

/* Twice as many records in a second turn: numbers of the first ones stay. */
static void test_set(struct unit *unit, uint32_t records, uint32_t bytes, uint64_t limit)
{
    struct mem mem;
    static struct trial trial;
    memset(&trial, 0, sizeof trial);
    mem_init(&mem);
    mem.limit = limit;
    trial.bytes = bytes;
    crew_start(&trial.crew, THREADS);
    CHECK(unit, trial.crew.count == THREADS);
    bool going = shared_init(&trial.shared, &mem, bytes, THREADS);
    for (uint32_t turn = 1; turn <= 2 && going; turn++) {
        uint64_t fresh = 0, before = trial.records;
        trial.records = turn * records;
        memset(trial.at, 0, sizeof trial.at);
        going = fill(&trial);
        uint64_t count = settle(&trial);
        for (uint32_t t = 0; t < THREADS; t++) {
            fresh += trial.fresh[t];
            CHECK(unit, !trial.wrong[t]);
        }
        CHECK(unit, count == fresh && (!going || count == trial.records) && count >= before);
        CHECK(unit, shared_check(&trial.shared, count));
        if (going) check_keys(unit, &trial);
    }
    CHECK(unit, going || limit);
    CHECK(unit, !limit || mem.peak <= limit);
    shared_release(&trial.shared);
    CHECK(unit, mem.used == 0);
    crew_stop(&trial.crew);
    mem_release(&mem);
}

struct turns {
    atomic_uint done;
    uint32_t seen[CREW_MOST];
};

static void take_turn(void *context, uint32_t number)
{
    struct turns *turns = context;
    turns->seen[number]++;
    atomic_fetch_add(&turns->done, 1);
}

static void test_crew(struct unit *unit, uint32_t count, uint32_t rounds)
{
    struct crew crew;
    struct turns turns = {0};
    bool good = true;
    crew_start(&crew, count);
    for (uint32_t r = 1; r <= rounds; r++) {
        crew_round(&crew, take_turn, &turns);
        good = good && atomic_load(&turns.done) == r * crew.count;
        for (uint32_t n = 0; n < crew.count; n++) good = good && turns.seen[n] == r;
    }
    CHECK(unit, good && crew.count <= (count < CREW_MOST ? count : CREW_MOST));
    crew_stop(&crew);
}

int main(void)
{
    struct unit unit = {0};
    test_crew(&unit, 1, 5);
    test_crew(&unit, 2, 500);
    test_crew(&unit, 9, 100);
    test_crew(&unit, 1000, 3);
#ifdef CAIRN_DEGENERATE
    const uint32_t many = 700;
#else
    const uint32_t many = 60000;
#endif
    test_set(&unit, 1, 4, 0);
    test_set(&unit, many, 4, 0);
    test_set(&unit, many / 2, 12, 0);
    test_set(&unit, many / 3, 44, 0);
    for (uint64_t limit = 1 << 12; limit < 1 << 22; limit += limit / 2)
        test_set(&unit, many / 4, 12, limit);
    return unit_finish(&unit);
}
