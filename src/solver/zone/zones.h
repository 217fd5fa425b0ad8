/* A set of zones, each kept once, small, and known by a number: 0, 1, 2, ... in the order of
 * insertion.
 *
 * A zone is reduced to the fewest constraints (reduction.h) and written as a string of bytes
 * (layout in zones.c); equal zones have equal strings. A zone of 14 clocks typically takes 30 to 80
 * bytes, and 16 to 20 more for finding it. Zones of different numbers of clocks live side by side,
 * also of 0 clocks. At most 2^32 - 2 zones and 16 GiB of strings; zones of more than 4,000 clocks
 * and bounds beyond 2^49 (half a million times BOUND_LIMIT) are refused like memory. */
#ifndef CAIRN_SOLVER_ZONE_ZONES_H
#define CAIRN_SOLVER_ZONE_ZONES_H

#include "solver/store.h"
#include "solver/zone/dbm.h"
#include "solver/zone/reduction.h"

#ifdef CAIRN_DEGENERATE
enum { ZONES_CHUNK_SHIFT = 8, ZONES_FIRST_SLOTS = 2, ZONES_FIRST_BYTES = 4 };
#else
enum { ZONES_CHUNK_SHIFT = 20, ZONES_FIRST_SLOTS = 16, ZONES_FIRST_BYTES = 256 };
#endif

/* What is needed while a zone is added; several sets can have it in common. */
struct zones_work {
    struct zone_reduction reduction;
    uint8_t *buffer; /* the string under construction */
    size_t buffer_bytes;
};

/* A set points into itself: it is never copied. A set of a few zones costs a few hundred bytes, but
 * for its work: there may be very many of them. */
struct zones {
    struct mem *mem;
    uint32_t count;
    uint32_t *places; /* of each zone's string, in units of 4 bytes */
    uint32_t place_cap;
    uint64_t end;     /* where the next string goes, in bytes */
    uint64_t room;    /* how far strings can go: the first chunk starts small */
    uint8_t **chunks; /* a string is in one chunk, or in several that are neighbours in memory */
    uint32_t chunk_count, chunk_cap;
    uint64_t *slots; /* 32 bits of hash, 32 bits of number + 1; 0: free. Linear probing */
    uint32_t slot_count;
    uint64_t string_bytes;
    struct zones_work own, *work; /* &own, unless it is shared */
};

#define ZONES_NONE UINT64_MAX /* no zone's number */

enum zones_result { ZONES_NEW, ZONES_KNOWN, ZONES_REFUSED };

/* False when memory is refused. */
bool zones_init(struct zones *zones, struct mem *mem);
void zones_release(struct zones *zones);
/* From the beginning this set has its work in common with others: the caller's, who releases it,
 * all zero at first. */
void zones_share(struct zones *zones, struct zones_work *work);
void zones_release_work(struct zones_work *work, struct mem *mem);

/* Adds the zone (it may be empty) unless it is there; *id is its number. ZONES_REFUSED: no memory;
 * no zone was added. O(n^3) */
enum zones_result zones_intern(struct zones *zones, const struct dbm *dbm, uint64_t *id);
/* The same in two steps, of which the first needs no set, so that threads can do it at the same
 * time: writes the zone's string, but for its length, to work->buffer; how many bytes, 0: memory
 * was refused. Then adds it, or looks for it: its number, or ZONES_NONE. */
size_t zones_write(struct zones_work *work, struct mem *mem, const struct dbm *dbm);
uint32_t zones_hash(const uint8_t *string, size_t bytes);
enum zones_result zones_add(struct zones *zones, const uint8_t *string, size_t bytes, uint32_t hash,
                            uint64_t *id);
uint64_t zones_find(const struct zones *zones, const uint8_t *string, size_t bytes, uint32_t hash);
uint32_t zones_clocks(const struct zones *zones, uint64_t id);
/* The zone again, canonical; the matrix must have room for its clocks. O(n^3) */
void zones_load(const struct zones *zones, uint64_t id, struct dbm *dbm);
/* The zone as a string of bytes, for keeping it elsewhere, until the next one is added; how
 * many. */
const uint8_t *zones_string(const struct zones *zones, uint64_t id, size_t *bytes);
/* The same without its length, as zones_write writes it. */
const uint8_t *zones_written(const struct zones *zones, uint64_t id, size_t *bytes);
/* Reads such a string, with its length, canonical. False: it makes no sense, or the matrix has no
 * room for its clocks. O(n^3) */
bool zones_read(const uint8_t *string, size_t bytes, struct dbm *dbm);
/* Whether the stored zone includes this one of equally many clocks: one comparison per kept
 * constraint, nothing is loaded. */
bool zones_include(const struct zones *zones, uint64_t id, const struct dbm *dbm);
/* All memory in use, in bytes. (Of it, string_bytes are the zones themselves.) */
uint64_t zones_bytes(const struct zones *zones);

/* Whether the invariants hold; for tests. */
bool zones_check(const struct zones *zones);

#endif
