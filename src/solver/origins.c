/* Invariants: (1) segments are in the order of their first states and of their bits, and none is
 * empty; (2) marks[i] is the position before state i * ORIGINS_MARK, with what the entry before
 * says, unless a segment begins there: then it says that nothing was before; (3) bits past the end
 * of the log are 0. */
#include "solver/origins.h"

#include "base/varint.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { SHORT_DIGITS = 2 };
#else
enum { SHORT_DIGITS = 31 }; /* numbers of so many digits are put in one piece */
#endif
enum { NO_STEP = 0xFFFFFFFF, KEPT_BYTES = 4096, MOST_DIGITS = 40, MOST_ROOM = 0x7FFFFFF0 };
/* Where the log is read. */
struct cursor {
    uint64_t bit, state;
    uint32_t step; /* as of the entry before */
};

void origins_init(struct origins *origins, struct mem *mem)
{
    *origins = (struct origins){.mem = mem};
}

void origins_release(struct origins *origins)
{
    struct mem *mem = origins->mem;
    mem_free(mem, origins->words);
    mem_free(mem, origins->segments);
    mem_free(mem, origins->marks);
    origins_init(origins, mem);
}

void origins_clear(struct origins *origins)
{
    bool large = origins->bit_room / 8 + origins->segment_room * sizeof *origins->segments
                     + origins->mark_room * sizeof *origins->marks
                 > KEPT_BYTES;
    if (large) {
        origins_release(origins);
        return;
    }
    if (origins->words) memset(origins->words, 0, (size_t)origins->bit_room / 8);
    origins->bits = 0;
    origins->segment_count = 0;
    origins->states = 0;
}

/* ---- writing ---- */

static void put_bits(struct origins *origins, uint64_t value, unsigned count)
{
    unsigned shift = origins->bits % 64;
    uint64_t *word = &origins->words[origins->bits / 64];
    word[0] |= value << shift;
    if (shift + count > 64) word[1] |= value >> (64 - shift);
    origins->bits += count;
}

/* n + 1 in binary, its highest bit left out, after as many ones and a zero as that has digits: at
 * most 81 bits, since there are fewer than 2^40 states; nearly always a few. */
static void put_number(struct origins *origins, uint64_t number)
{
    const uint64_t plus = number + 1;
    const unsigned digits = 63 - (unsigned)__builtin_clzll(plus);
    const uint64_t ones = (UINT64_C(1) << digits) - 1, rest = plus ^ UINT64_C(1) << digits;
    if (digits <= SHORT_DIGITS) {
        put_bits(origins, ones | rest << (digits + 1), 2 * digits + 1);
        return;
    }
    put_bits(origins, ones, digits + 1);
    put_bits(origins, rest, digits);
}

bool origins_reserve_segments(struct origins *origins, uint64_t count)
{
    while (origins->segment_room - origins->segment_count < count) {
        if (origins->segment_room > MOST_ROOM) return false;
        uint32_t room = 2 * origins->segment_room + 2;
        struct origins_segment *segments =
            mem_try_resize(origins->mem, origins->segments, room * sizeof *segments);
        if (!segments) return false;
        origins->segments = segments;
        origins->segment_room = room;
    }
    return true;
}

bool origins_grow(struct origins *origins, uint64_t count)
{
    struct mem *mem = origins->mem;
    const uint64_t bits = origins->bits + ORIGINS_ENTRY_BITS * count + 62;
    if (bits > origins->bit_room) {
        uint64_t room = origins->bit_room + origins->bit_room / 2 + 512,
                 old = origins->bit_room / 64;
        if (room < bits + 63) room = bits + 63;
        room -= room % 64;
        uint64_t *words = mem_try_resize(mem, origins->words, room / 8);
        if (!words) return false;
        memset(words + old, 0, (room / 64 - old) * sizeof *words);
        origins->words = words;
        origins->bit_room = room;
    }
    if (!origins_reserve_segments(origins, 1)) return false;
    while (origins->mark_room - origins_marks(origins) <= count / ORIGINS_MARK) {
        if (origins->mark_room > MOST_ROOM) return false;
        uint32_t room = 2 * origins->mark_room + 2;
        struct origins_mark *marks = mem_try_resize(mem, origins->marks, room * sizeof *marks);
        if (!marks) return false;
        origins->marks = marks;
        origins->mark_room = room;
    }
    return true;
}

static void begin_segment(struct origins *origins, uint64_t source)
{
    assert(origins->segment_count < origins->segment_room);
    origins->segments[origins->segment_count++] =
        (struct origins_segment){source, origins->bits, origins->states};
    origins->last_source = source;
    origins->last_state = 0;
    origins->last_step = NO_STEP;
}

static struct origins_mark mark_at(struct cursor at)
{
    return (struct origins_mark){.bit = at.bit,
                                 .high = at.state >> ORIGINS_LOW,
                                 .low = (uint32_t)(at.state & ((UINT64_C(1) << ORIGINS_LOW) - 1)),
                                 .step = at.step};
}

static struct cursor at_mark(const struct origins_mark *mark)
{
    return (struct cursor){mark->bit, (uint64_t)mark->high << ORIGINS_LOW | mark->low, mark->step};
}

static void mark(struct origins *origins)
{
    if (origins->states % ORIGINS_MARK) return;
    assert(origins->states / ORIGINS_MARK < origins->mark_room);
    origins->marks[origins->states / ORIGINS_MARK] =
        mark_at((struct cursor){origins->bits, origins->last_state, origins->last_step});
}

/* Whether an entry can follow the last one in its segment. */
static bool goes_on(const struct origins *origins, uint64_t source, uint64_t state, uint32_t step)
{
    if (!origins->segment_count || origins->last_source != source) return false;
    return state > origins->last_state
           || (state == origins->last_state
               && (origins->last_step == NO_STEP || step > origins->last_step));
}

bool origins_add(struct origins *origins, uint64_t source, uint64_t state, uint32_t step)
{
    if (!origins_reserve(origins, 1)) return false;
    origins_put(origins, source, state, step);
    return true;
}

void origins_put(struct origins *origins, uint64_t source, uint64_t state, uint32_t step)
{
    assert(origins->bits + ORIGINS_ENTRY_BITS <= origins->bit_room);
    assert(state < ORIGINS_END);
    if (!goes_on(origins, source, state, step)) begin_segment(origins, source);
    mark(origins);
    uint32_t before = state == origins->last_state ? origins->last_step : NO_STEP;
    put_number(origins, state - origins->last_state);
    put_number(origins, step - before - 1); /* NO_STEP is -1 */
    origins->last_state = state;
    origins->last_step = step;
    origins->states++;
}

/* ---- reading ---- */

static uint64_t get_number(const uint64_t *words, uint64_t *bit)
{
    unsigned digits = 0;
    for (; words[*bit / 64] >> *bit % 64 & 1; ++*bit) digits++;
    ++*bit;
    if (digits > MOST_DIGITS) digits = MOST_DIGITS; /* never in a log that we wrote */
    uint64_t rest = words[*bit / 64] >> *bit % 64;
    if (*bit % 64 + digits > 64) rest |= words[*bit / 64 + 1] << (64 - *bit % 64);
    *bit += digits;
    return (UINT64_C(1) << digits | (rest & ((UINT64_C(1) << digits) - 1))) - 1;
}

static void get_entry(const uint64_t *words, struct cursor *at)
{
    const uint64_t delta = get_number(words, &at->bit);
    const uint32_t before = delta ? NO_STEP : at->step;
    at->state += delta;
    at->step = (uint32_t)get_number(words, &at->bit) + before + 1;
}

uint64_t origins_before(const struct origins *origins, uint64_t source)
{
    uint64_t first = origins->states;
    for (uint32_t i = origins->segment_count; i-- > 0;)
        if (origins->segments[i].source == source) first = origins->segments[i].first;
    return first;
}

struct origin origins_of(const struct origins *origins, uint64_t state)
{
    assert(state < origins->states);
    uint32_t low = 0, high = origins->segment_count - 1;
    while (low < high) { /* the last segment that does not begin after it */
        uint32_t middle = low + (high - low + 1) / 2;
        if (origins->segments[middle].first <= state) low = middle;
        else high = middle - 1;
    }
    const struct origins_segment *segment = &origins->segments[low];
    struct cursor at = at_mark(&origins->marks[state / ORIGINS_MARK]);
    uint64_t next = state - state % ORIGINS_MARK;
    if (segment->first > next) {
        at = (struct cursor){segment->bit, 0, NO_STEP};
        next = segment->first;
    }
    for (; next <= state; next++) get_entry(origins->words, &at);
    assert(at.bit <= origins->bits);
    return (struct origin){segment->source, at.state, at.step};
}

/* Reads the log from the beginning. tell: what is found where a mark is; false ends it. */
static bool walk(const struct origins *origins, uint64_t states,
                 bool (*tell)(const struct origins *origins, uint64_t mark, struct cursor at))
{
    struct cursor at = {0, 0, NO_STEP};
    uint32_t segment = 0;
    for (uint64_t state = 0; state < states; state++) {
        if (segment < origins->segment_count && origins->segments[segment].first == state) {
            if (origins->segments[segment++].bit != at.bit) return false;
            at = (struct cursor){at.bit, 0, NO_STEP};
        }
        if (state % ORIGINS_MARK == 0 && !tell(origins, state / ORIGINS_MARK, at)) return false;
        if (!segment || at.bit >= origins->bits) return false;
        get_entry(origins->words, &at);
    }
    return segment == origins->segment_count && at.bit == origins->bits;
}

static bool is_mark(const struct origins *origins, uint64_t number, struct cursor at)
{
    const struct cursor marked = at_mark(&origins->marks[number]);
    return marked.bit == at.bit && marked.state == at.state && marked.step == at.step;
}

bool origins_check(const struct origins *origins)
{
    return !origins->states || walk(origins, origins->states, is_mark);
}

/* ---- elsewhere: numbers of states, segments and bits, then the segments, each less the one
 * before, then the log ---- */

static uint64_t put_head(const struct origins *origins, unsigned char *bytes)
{
    struct origins_segment last = {0};
    uint64_t at = varint_put(bytes, 0, origins->states);
    at = varint_put(bytes, at, origins->segment_count);
    at = varint_put(bytes, at, origins->bits);
    for (uint32_t i = 0; i < origins->segment_count; i++) {
        const struct origins_segment *segment = &origins->segments[i];
        at = varint_put(bytes, at,
                        segment->source - last.source
                            + 1); /* the first one may be ORIGINS_INITIAL, which is -1 */
        at = varint_put(bytes, at, segment->bit - last.bit);
        at = varint_put(bytes, at, segment->first - last.first);
        last = *segment;
    }
    return at;
}

uint64_t origins_bound(const struct origins *origins)
{
    return 3 * VARINT_BYTES * (origins->segment_count + UINT64_C(1)) + (origins->bits + 7) / 8;
}

uint64_t origins_write(const struct origins *origins, unsigned char *bytes)
{
    uint64_t at = put_head(origins, bytes), rest = (origins->bits + 7) / 8;
    if (rest) memcpy(bytes + at, origins->words, rest);
    return at + rest;
}

static bool put_mark(const struct origins *origins, uint64_t number, struct cursor at)
{
    origins->marks[number] = mark_at(at);
    return true;
}

/* Marks are found by reading the log once. Damage that the checksum of a file lets pass would be
 * our mistake; it still must not lead outside of the log. */
static bool read_marks(struct origins *origins, uint64_t states)
{
    if (!walk(origins, states, put_mark)) return false;
    origins->states = states;
    return true;
}

bool origins_read(struct origins *origins, const unsigned char *bytes, uint64_t size)
{
    struct mem *mem = origins->mem;
    struct varint_input input = {bytes, bytes + size, true};
    struct origins_segment last = {0};
    uint64_t states = varint_get(&input), segments = varint_get(&input), bits = varint_get(&input);
    if (!input.good || states >= ORIGINS_END || segments > states || segments > MOST_ROOM
        || segments > size || bits > 8 * size || states > bits)
        return false;
    origins_release(origins);
    origins->bits = bits;
    origins->bit_room = 64 * (bits / 64 + 4); /* zeros end every number, so that reading ends */
    origins->segment_count = origins->segment_room = (uint32_t)segments;
    origins->mark_room = (uint32_t)(states / ORIGINS_MARK) + 1;
    origins->words = mem_try_alloc(mem, origins->bit_room / 8);
    origins->segments = mem_try_alloc(mem, (segments + 1) * sizeof *origins->segments);
    origins->marks = mem_try_alloc(mem, origins->mark_room * sizeof *origins->marks);
    if (!origins->words || !origins->segments || !origins->marks) return false;
    for (uint32_t i = 0; i < origins->segment_count; i++) {
        last.source += varint_get(&input) - 1;
        last.bit += varint_get(&input);
        last.first += varint_get(&input);
        origins->segments[i] = last;
    }
    if (!input.good || (uint64_t)(input.end - input.at) != (bits + 7) / 8) return false;
    memcpy(origins->words, input.at, (bits + 7) / 8);
    return read_marks(origins, states);
}
