#include "solver/zone/zones.h"

#include "base/checked.h"
#include "solver/zone/rows.h"

#include <string.h>

/* A string, in numbers of variable length (7 bits per byte, low bits first) but for the masks:
 *
 *     bytes that follow                 (also: how far to compare)
 *     clocks * 16 + flags               flags: EMPTY (nothing follows), WEAK: no bound is strict,
 *                                       MASK: see below, TIED: some clocks are tied
 *     when TIED: a mask of clocks 1 .. n, then for each tied clock in order: zigzag(clock - leader)
 *         * size + leader
 *     with MASK: a mask of all places (i, j), i != j, in the order of rows, then the kept bounds in
 *         this order;
 *     without:   how many, then for each kept bound the number of places skipped before it, and the
 *                bound.
 *
 * The shorter of the two forms is taken. A bound is written as 2c + (weak: 1), when WEAK as c;
 * turned positive in row 0 (lower bounds) and as it is in column 0 (upper bounds), where signs are
 * known, zigzag elsewhere (0, -1, 1, -2, ... become 0, 1, 2, 3, ...).
 *
 * Invariants: (1) a string depends on nothing but the zone; (2) places are multiples of UNIT,
 * strings in order of number, none crosses from one block of memory into another; (3) every number
 * is in exactly one slot, with no free slot between that one and the home of its hash;
 * (4) at least a quarter of the slots is free. */

enum { UNIT = 4, CHUNK = 1 << ZONES_CHUNK_SHIFT };
enum { EMPTY = 1, WEAK = 2, MASK = 4, TIED = 8, FLAG_BITS = 4 };
enum { MOST_CLOCKS = 4000 };
/* A tie, times the number of clocks, still fits in 64 bits. */
#define LARGEST ((dbm_bound)1 << 50)

/* ---- numbers ---- */

static uint32_t number_bytes(uint64_t number)
{
    uint32_t bytes = 1;
    for (; number >= 128; number >>= 7) bytes++;
    return bytes;
}

static uint8_t *put(uint8_t *at, uint64_t number)
{
    for (; number >= 128; number >>= 7) *at++ = (uint8_t)(number | 128);
    *at++ = (uint8_t)number;
    return at;
}

static inline uint64_t get(const uint8_t **at)
{
    uint64_t number = *(*at)++;
    if (number < 128) return number;
    number &= 127;
    for (unsigned shift = 7;; shift += 7) {
        uint8_t byte = *(*at)++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return number;
    }
}

static uint64_t zigzag(int64_t number)
{
    return number < 0 ? 2 * (uint64_t) - (number + 1) + 1 : 2 * (uint64_t)number;
}

static int64_t unzigzag(uint64_t number)
{
    return number & 1 ? -(int64_t)(number >> 1) - 1 : (int64_t)(number >> 1);
}

static uint64_t bound_to_number(dbm_bound b, uint32_t i, uint32_t j, bool weak)
{
    int64_t number = weak ? bound_constant(b) : b;
    if (i == 0) return (uint64_t)((weak ? 0 : 1) - number);
    return j == 0 ? (uint64_t)number : zigzag(number);
}

static inline dbm_bound number_to_bound(uint64_t number, uint32_t i, uint32_t j, bool weak)
{
    int64_t value = i == 0   ? (weak ? 0 : 1) - (int64_t)number
                    : j == 0 ? (int64_t)number
                             : unzigzag(number);
    return weak ? 2 * value + 1 : value;
}

/* ---- strings: writing ---- */

/* A run over the kept bounds in the order of places. */
struct kept {
    uint32_t i, j;
    uint64_t skipped;
    dbm_bound b;
    uint32_t a, next; /* numbers of leaders: of i, and after that of j */
    uint64_t after;   /* the place after this one */
};

static bool next_kept(const struct zone_reduction *reduction, struct kept *kept)
{
    for (; kept->a < reduction->leaders; kept->a++, kept->next = 0)
        for (; kept->next < reduction->leaders; kept->next++) {
            kept->b = reduction->kept[(size_t)kept->a * reduction->stride + kept->next];
            if (kept->b == BOUND_INFINITY) continue;
            kept->i = reduction->clocks[kept->a];
            kept->j = reduction->clocks[kept->next++];
            uint64_t place =
                (uint64_t)kept->i * (reduction->size - 1) + kept->j - (kept->j > kept->i);
            kept->skipped = place - kept->after;
            kept->after = place + 1;
            return true;
        }
    return false;
}

static size_t mask_bytes(uint32_t size) { return ((size_t)size * (size - 1) + 7) / 8; }

static bool has_ties(const struct zone_reduction *reduction)
{
    return reduction->leaders < reduction->size;
}

/* Which form is shorter, and whether bounds are strict; false: a bound is too large to be
 * written. */
static bool choose_flags(const struct zone_reduction *reduction, unsigned *flags)
{
    size_t places = number_bytes(reduction->kept_count);
    *flags = WEAK | (has_ties(reduction) ? TIED : 0);
    for (struct kept kept = {0}; next_kept(reduction, &kept);) {
        if (kept.b > LARGEST || kept.b < -LARGEST) return false;
        if (bound_is_strict(kept.b)) *flags &= ~(unsigned)WEAK;
        places += number_bytes(kept.skipped);
    }
    if (places > mask_bytes(reduction->size)) *flags |= MASK;
    return true;
}

static uint8_t *put_ties(uint8_t *at, const struct zone_reduction *reduction, const struct dbm *dbm,
                         bool *good)
{
    uint8_t *mask = at;
    uint32_t clocks = reduction->size - 1;
    memset(mask, 0, (clocks + 7) / 8);
    at += (clocks + 7) / 8;
    for (uint32_t i = 1; i <= clocks; i++) {
        uint32_t leader = reduction->leader[i];
        if (leader == i) continue;
        dbm_bound b = dbm_at(dbm, i, leader);
        if (b > LARGEST || b < -LARGEST) *good = false;
        mask[(i - 1) / 8] |= (uint8_t)(1 << (i - 1) % 8);
        at = put(at, zigzag(bound_constant(b)) * reduction->size + leader);
    }
    return at;
}

static uint8_t *put_bounds(uint8_t *at, const struct zone_reduction *reduction, unsigned flags)
{
    uint8_t *mask = at;
    if (flags & MASK) {
        memset(mask, 0, mask_bytes(reduction->size));
        at += mask_bytes(reduction->size);
    } else at = put(at, reduction->kept_count);
    for (struct kept kept = {0}; next_kept(reduction, &kept);) {
        uint64_t place = kept.after - 1;
        if (flags & MASK) mask[place / 8] |= (uint8_t)(1 << place % 8);
        else at = put(at, kept.skipped);
        at = put(at, bound_to_number(kept.b, kept.i, kept.j, flags & WEAK));
    }
    return at;
}

size_t zones_write(struct zones_work *work, struct mem *mem, const struct dbm *dbm)
{
    struct zone_reduction *reduction = &work->reduction;
    unsigned flags = EMPTY;
    if (dbm_clocks(dbm) > MOST_CLOCKS || !reduction_reserve(reduction, mem, dbm->size)) return 0;
    size_t most =
        32 + 11 * (size_t)dbm->size + mask_bytes(dbm->size) + 10 * (size_t)dbm->size * dbm->size;
    if (most > work->buffer_bytes) {
        uint8_t *buffer = mem_try_resize(mem, work->buffer, most);
        if (!buffer) return 0;
        work->buffer = buffer;
        work->buffer_bytes = most;
    }
    bool good = true;
    if (!dbm_is_empty(dbm)) {
        reduction_compute(reduction, dbm);
        good = choose_flags(reduction, &flags);
    }
    uint8_t *at = put(work->buffer, (uint64_t)dbm_clocks(dbm) << FLAG_BITS | flags);
    if (good && flags & TIED) at = put_ties(at, reduction, dbm, &good);
    if (good && !(flags & EMPTY)) at = put_bounds(at, reduction, flags);
    return good ? (size_t)(at - work->buffer) : 0;
}

/* ---- strings: reading ---- */

struct reader {
    const uint8_t *at; /* what comes next, but for masks */
    uint32_t size;
    unsigned flags;
    const uint8_t *ties;
    uint32_t tie;          /* the last one read */
    uint32_t left;         /* bounds to come; with a mask: bytes of it */
    const uint8_t *mask;   /* the byte that is being read ... */
    unsigned bits;         /* ... what is left of it ... */
    int64_t start;         /* ... and the place of its first bit */
    int64_t place, column; /* of the bound last read: the column not counting the diagonal */
    uint32_t i;
};

static const uint8_t *string_of(const struct zones *zones, uint64_t id)
{
    assert(id < zones->count);
    uint64_t place = (uint64_t)zones->places[id] * UNIT;
    return zones->chunks[place >> ZONES_CHUNK_SHIFT] + (place & (CHUNK - 1));
}

static struct reader open_string(const uint8_t *string)
{
    struct reader reader = {.at = string, .place = -1, .column = -1};
    get(&reader.at);
    uint64_t head = get(&reader.at);
    reader.size = (uint32_t)(head >> FLAG_BITS) + 1;
    reader.flags = (unsigned)head & ((1 << FLAG_BITS) - 1);
    reader.ties = reader.at;
    if (reader.flags & TIED) reader.at += (reader.size - 1 + 7) / 8;
    return reader;
}

/* The next tied clock and its difference to its leader. */
static bool next_tie(struct reader *reader, uint32_t *clock, uint32_t *leader, int64_t *difference)
{
    while (reader->flags & TIED && ++reader->tie < reader->size) {
        uint32_t bit = reader->tie - 1;
        if (!(reader->ties[bit / 8] >> bit % 8 & 1)) continue;
        uint64_t number = get(&reader->at);
        *clock = reader->tie;
        *leader = (uint32_t)(number % reader->size);
        *difference = unzigzag(number / reader->size);
        return true;
    }
    return false;
}

/* After the last tie. */
static void open_bounds(struct reader *reader)
{
    if (reader->flags & MASK) {
        reader->left = (uint32_t)mask_bytes(reader->size);
        reader->mask = reader->at - 1;
        reader->start = -8;
        reader->at += reader->left;
    } else reader->left = (uint32_t)get(&reader->at);
}

/* How many places the next bound lies behind the last one; 0: there is none. */
static inline int64_t next_step(struct reader *reader)
{
    if (!(reader->flags & MASK))
        return reader->left && reader->left-- ? (int64_t)get(&reader->at) + 1 : 0;
    while (!reader->bits) {
        if (!reader->left--) return 0;
        reader->bits = *++reader->mask;
        reader->start += 8;
    }
    int64_t step = reader->start + __builtin_ctz(reader->bits) - reader->place;
    reader->bits &= reader->bits - 1;
    reader->place += step;
    return step;
}

static inline bool next_bound(struct reader *reader, uint32_t *i, uint32_t *j, dbm_bound *b)
{
    int64_t step = next_step(reader), width = reader->size - 1;
    if (!step) return false;
    for (reader->column += step; reader->column >= width; reader->column -= width) reader->i++;
    *i = reader->i;
    *j = (uint32_t)reader->column + (reader->column >= reader->i);
    *b = number_to_bound(get(&reader->at), *i, *j, reader->flags & WEAK);
    return true;
}

const uint8_t *zones_string(const struct zones *zones, uint64_t id, size_t *bytes)
{
    const uint8_t *string = string_of(zones, id), *at = string;
    *bytes = (size_t)get(&at);
    *bytes += (size_t)(at - string);
    return string;
}

const uint8_t *zones_written(const struct zones *zones, uint64_t id, size_t *bytes)
{
    const uint8_t *at = string_of(zones, id);
    *bytes = (size_t)get(&at);
    return at;
}

uint32_t zones_clocks(const struct zones *zones, uint64_t id)
{
    return open_string(string_of(zones, id)).size - 1;
}

/* x := y + difference. */
static void tie(struct dbm *dbm, uint32_t x, uint32_t y, int64_t difference)
{
    dbm_bound more = 2 * difference + 1, less = -2 * difference + 1;
    for (uint32_t j = 0; j < dbm->size; j++) {
        dbm_set(dbm, x, j, bound_add(dbm_at(dbm, y, j), more));
        dbm_set(dbm, j, x, bound_add(dbm_at(dbm, j, y), less));
    }
    dbm_set(dbm, x, x, BOUND_ZERO);
}

/* Tied clocks come last: until then they are free, and free clocks cost nothing in dbm_close. */
static void load(const uint8_t *string, struct dbm *dbm)
{
    struct reader reader = open_string(string);
    uint32_t i, j;
    int64_t difference;
    dbm_bound b;
    dbm_all(dbm, reader.size - 1);
    if (reader.flags & EMPTY) {
        dbm_make_empty(dbm, reader.size - 1);
        return;
    }
    struct reader ties = reader;
    while (next_tie(&reader, &i, &j, &difference)) continue;
    open_bounds(&reader);
    while (next_bound(&reader, &i, &j, &b)) dbm_set(dbm, i, j, b);
    dbm_close(dbm);
    while (next_tie(&ties, &i, &j, &difference)) tie(dbm, i, j, difference);
}

void zones_load(const struct zones *zones, uint64_t id, struct dbm *dbm)
{
    load(string_of(zones, id), dbm);
}

/* ---- strings from elsewhere: what they say is looked at before it is believed ---- */

struct doubt {
    const uint8_t *at, *end;
    bool good;
};

static uint64_t doubtful(struct doubt *doubt, uint64_t most)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 63 && doubt->at < doubt->end; shift += 7) {
        uint8_t byte = *doubt->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte >= 128) continue;
        doubt->good &= number <= most;
        return number;
    }
    doubt->good = false;
    return 0;
}

static const uint8_t *doubtful_mask(struct doubt *doubt, size_t bytes)
{
    const uint8_t *mask = doubt->at;
    doubt->good &= bytes <= (size_t)(doubt->end - doubt->at);
    doubt->at = doubt->good ? doubt->at + bytes : doubt->end;
    return mask;
}

static void doubt_ties(struct doubt *doubt, uint32_t size)
{
    const uint8_t *mask = doubtful_mask(doubt, (size - 1 + 7) / 8);
    for (uint32_t i = 1; doubt->good && i < size; i++) {
        if (!(mask[(i - 1) / 8] >> (i - 1) % 8 & 1)) continue;
        uint64_t number = doubtful(doubt, (2 * (uint64_t)LARGEST + 2) * size);
        doubt->good &= number % size < i; /* leaders come first */
    }
}

static void doubt_bounds(struct doubt *doubt, uint32_t size, bool has_mask)
{
    const uint64_t places = (uint64_t)size * (size - 1), largest = 4 * (uint64_t)LARGEST;
    if (has_mask) {
        const uint8_t *mask = doubtful_mask(doubt, mask_bytes(size));
        for (uint64_t i = 0; doubt->good && i < 8 * mask_bytes(size); i++) {
            if (!(mask[i / 8] >> i % 8 & 1)) continue;
            doubt->good &= i < places;
            doubtful(doubt, largest);
        }
        return;
    }
    uint64_t left = doubtful(doubt, places), place = 0;
    for (; doubt->good && left; left--) {
        place += doubtful(doubt, places) + 1;
        doubt->good &= place <= places;
        doubtful(doubt, largest);
    }
}

bool zones_read(const uint8_t *string, size_t bytes, struct dbm *dbm)
{
    struct doubt doubt = {string, string + bytes, true};
    uint64_t length = doubtful(&doubt, bytes);
    doubt.good &= length == (uint64_t)(doubt.end - doubt.at);
    uint64_t head = doubtful(&doubt, (uint64_t)dbm->most << FLAG_BITS | ((1 << FLAG_BITS) - 1));
    uint32_t size = (uint32_t)(head >> FLAG_BITS) + 1;
    if (doubt.good && head & TIED) doubt_ties(&doubt, size);
    if (doubt.good && !(head & EMPTY)) doubt_bounds(&doubt, size, head & MASK);
    if (!doubt.good || doubt.at != doubt.end) return false;
    load(string, dbm);
    return true;
}

bool zones_include(const struct zones *zones, uint64_t id, const struct dbm *dbm)
{
    struct reader reader = open_string(string_of(zones, id));
    uint32_t i, j;
    int64_t difference;
    dbm_bound b;
    assert(reader.size == dbm->size);
    if (dbm_is_empty(dbm) || reader.flags & EMPTY) return dbm_is_empty(dbm);
    while (next_tie(&reader, &i, &j, &difference))
        if (dbm_at(dbm, i, j) > 2 * difference + 1 || dbm_at(dbm, j, i) > -2 * difference + 1)
            return false;
    open_bounds(&reader);
    while (next_bound(&reader, &i, &j, &b))
        if (dbm_at(dbm, i, j) > b) return false;
    return true;
}

/* ---- the set ---- */

bool zones_init(struct zones *zones, struct mem *mem)
{
    *zones = (struct zones){.mem = mem, .slot_count = ZONES_FIRST_SLOTS};
    zones->work = &zones->own;
    zones->slots = mem_try_alloc(mem, zones->slot_count * sizeof *zones->slots);
    return zones->slots;
}

void zones_share(struct zones *zones, struct zones_work *work)
{
    assert(!zones->count);
    zones->work = work;
}

void zones_release_work(struct zones_work *work, struct mem *mem)
{
    mem_free(mem, work->buffer);
    reduction_release(&work->reduction, mem);
    *work = (struct zones_work){0};
}

/* Neighbouring chunks of one block follow each other; between blocks there is at least the header
 * of a block. */
static bool starts_block(const struct zones *zones, uint32_t chunk)
{
    return !chunk || zones->chunks[chunk] != zones->chunks[chunk - 1] + CHUNK;
}

void zones_release(struct zones *zones)
{
    for (uint32_t c = zones->chunk_count; c-- > 0;)
        if (starts_block(zones, c)) mem_free(zones->mem, zones->chunks[c]);
    mem_free(zones->mem, zones->chunks);
    mem_free(zones->mem, zones->places);
    mem_free(zones->mem, zones->slots);
    zones_release_work(&zones->own, zones->mem);
    *zones = (struct zones){0};
}

static uint32_t home_of(const struct zones *zones, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * zones->slot_count >> 32);
}

static bool has_string(const struct zones *zones, uint64_t id, const uint8_t *string, size_t bytes)
{
    const uint8_t *other = string_of(zones, id);
    return get(&other) == bytes && !memcmp(other, string, bytes);
}

/* The slot of the string, or the free one where it belongs. */
static uint32_t find_slot(const struct zones *zones, uint32_t hash, const uint8_t *string,
                          size_t bytes)
{
    uint32_t at = home_of(zones, hash);
    while (zones->slots[at]) {
        if ((uint32_t)(zones->slots[at] >> 32) == hash
            && has_string(zones, (uint32_t)zones->slots[at] - 1, string, bytes))
            break;
        if (++at == zones->slot_count) at = 0;
    }
    return at;
}

static bool reserve_slot(struct zones *zones)
{
    if (zones->count + UINT64_C(1) <= zones->slot_count - (zones->slot_count + UINT64_C(3)) / 4)
        return true;
    uint64_t count = zones->slot_count + zones->slot_count / UINT64_C(2) + 2;
    if (count > UINT32_MAX) return false;
    uint64_t *slots = mem_try_alloc(zones->mem, count * sizeof *slots), *old = zones->slots;
    if (!slots) return false;
    uint32_t old_count = zones->slot_count;
    zones->slots = slots;
    zones->slot_count = (uint32_t)count;
    for (uint32_t s = 0; s < old_count; s++) {
        if (!old[s]) continue;
        uint32_t at = home_of(zones, (uint32_t)(old[s] >> 32));
        while (slots[at]) at = at + 1 == count ? 0 : at + 1;
        slots[at] = old[s];
    }
    mem_free(zones->mem, old);
    CHECKED(zones_check(zones));
    return true;
}

static bool reserve_place(struct zones *zones)
{
    if (zones->count < zones->place_cap) return true;
    uint64_t cap = zones->place_cap + zones->place_cap / UINT64_C(2) + 16;
    uint32_t *places = mem_try_resize(zones->mem, zones->places, cap * sizeof *places);
    if (!places) return false;
    zones->places = places;
    zones->place_cap = (uint32_t)cap;
    return true;
}

static bool reserve_chunks(struct zones *zones, uint64_t more)
{
    if (zones->chunk_count + more <= zones->chunk_cap) return true;
    uint64_t cap = 2 * (uint64_t)zones->chunk_cap + more;
    uint8_t **chunks = mem_try_resize(zones->mem, zones->chunks, cap * sizeof *chunks);
    if (!chunks) return false;
    zones->chunks = chunks;
    zones->chunk_cap = (uint32_t)cap;
    return true;
}

/* More of the first chunk, up to the whole. */
static bool grow_first_chunk(struct zones *zones, uint64_t wanted)
{
    uint64_t room = zones->room ? 2 * zones->room : ZONES_FIRST_BYTES;
    while (room < wanted && room < CHUNK) room *= 2;
    if (room > CHUNK) room = CHUNK;
    if (!reserve_chunks(zones, !zones->chunk_count)) return false;
    uint8_t *chunk = mem_try_resize(zones->mem, zones->chunk_count ? zones->chunks[0] : NULL, room);
    if (!chunk) return false;
    zones->chunks[0] = chunk;
    zones->chunk_count = 1;
    zones->room = room;
    return true;
}

/* Makes zones->end a place where a string of that many bytes fits. What is left of a chunk when it
 * does not is lost. */
static bool reserve_bytes(struct zones *zones, size_t bytes)
{
    if (bytes <= zones->room - zones->end) return true;
    if (zones->room < CHUNK && (zones->chunk_count || bytes <= CHUNK)) {
        if (!grow_first_chunk(zones, zones->end + bytes)) return false;
        if (bytes <= zones->room - zones->end) return true;
    }
    uint64_t all = (uint64_t)zones->chunk_count << ZONES_CHUNK_SHIFT,
             more = (bytes + CHUNK - 1) >> ZONES_CHUNK_SHIFT;
    if (all + (more << ZONES_CHUNK_SHIFT) > ((uint64_t)UINT32_MAX + 1) * UNIT
        || !reserve_chunks(zones, more))
        return false;
    uint8_t *block = mem_try_alloc(zones->mem, (size_t)more << ZONES_CHUNK_SHIFT);
    if (!block) return false;
    for (uint64_t c = 0; c < more; c++)
        zones->chunks[zones->chunk_count++] = block + (c << ZONES_CHUNK_SHIFT);
    zones->end = all;
    zones->room = (uint64_t)zones->chunk_count << ZONES_CHUNK_SHIFT;
    return true;
}

uint32_t zones_hash(const uint8_t *string, size_t bytes)
{
    return (uint32_t)(store_hash(string, (uint32_t)bytes) >> 32);
}

uint64_t zones_find(const struct zones *zones, const uint8_t *string, size_t bytes, uint32_t hash)
{
    const uint64_t slot = zones->slots[find_slot(zones, hash, string, bytes)];
    return slot ? (uint32_t)slot - UINT64_C(1) : ZONES_NONE;
}

enum zones_result zones_intern(struct zones *zones, const struct dbm *dbm, uint64_t *id)
{
    size_t bytes = zones_write(zones->work, zones->mem, dbm);
    if (!bytes) return ZONES_REFUSED;
    const uint8_t *string = zones->work->buffer;
    const enum zones_result result = zones_add(zones, string, bytes, zones_hash(string, bytes), id);
    CHECKED(result != ZONES_NEW || dbm_check(dbm)); /* the contract of every operation: canonical */
    return result;
}

enum zones_result zones_add(struct zones *zones, const uint8_t *string, size_t bytes, uint32_t hash,
                            uint64_t *id)
{
    uint32_t at = find_slot(zones, hash, string, bytes);
    if (zones->slots[at]) {
        *id = (uint32_t)zones->slots[at] - 1;
        return ZONES_KNOWN;
    }
    size_t whole = number_bytes(bytes) + bytes;
    if (zones->count >= UINT32_MAX - 1 || !reserve_place(zones) || !reserve_bytes(zones, whole)
        || !reserve_slot(zones))
        return ZONES_REFUSED;
    assert(zones->end % UNIT == 0 && zones->end + whole <= zones->room); /* (2) */
    *id = zones->count++;
    zones->places[*id] = (uint32_t)(zones->end / UNIT);
    uint8_t *to = (uint8_t *)string_of(zones, *id);
    memcpy(put(to, bytes), string, bytes);
    zones->end += (whole + UNIT - 1) / UNIT * UNIT;
    zones->string_bytes += whole;
    at = home_of(zones, hash);
    while (zones->slots[at]) at = at + 1 == zones->slot_count ? 0 : at + 1;
    zones->slots[at] = (uint64_t)hash << 32 | (*id + UINT64_C(1));
    return ZONES_NEW;
}

uint64_t zones_bytes(const struct zones *zones)
{
    uint64_t size = zones->own.reduction.capacity,
             scratch = zones->own.buffer_bytes + 2 * size * sizeof(uint32_t);
    scratch += 2 * size * rows_stride((uint32_t)size) * sizeof(dbm_bound);
    return zones->room + zones->chunk_cap * sizeof *zones->chunks
           + zones->place_cap * sizeof *zones->places + zones->slot_count * sizeof *zones->slots
           + scratch;
}

static bool check_string(const struct zones *zones, uint64_t id, uint64_t *end)
{
    uint64_t place = (uint64_t)zones->places[id] * UNIT;
    const uint8_t *at = string_of(zones, id), *start = at;
    size_t bytes = get(&at);
    if (place < *end) return false; /* (2) */
    *end = place + (uint64_t)(at - start) + bytes;
    for (uint64_t c = place >> ZONES_CHUNK_SHIFT; c < (*end - 1) >> ZONES_CHUNK_SHIFT; c++)
        if (starts_block(zones, (uint32_t)c + 1)) return false;
    uint32_t slot = find_slot(zones, zones_hash(at, bytes), at, bytes);
    return (uint32_t)zones->slots[slot] == id + 1; /* (3) */
}

bool zones_check(const struct zones *zones)
{
    uint64_t used = 0, end = 0;
    for (uint32_t s = 0; s < zones->slot_count; s++) used += zones->slots[s] != 0;
    for (uint64_t id = 0; id < zones->count; id++)
        if (!check_string(zones, id, &end)) return false;
    return used == zones->count && end <= zones->end && 4 * used <= 3 * (uint64_t)zones->slot_count;
}
