/* A finite union of zones of equally many clocks: what is left when zones are taken from a zone. So
 *
 *     federation_init(&rest, mem, clocks);
 *     good = federation_add(&rest, &zone) && federation_subtract(&rest, &z1) &&
 *         federation_subtract(&rest, &z2);
 *
 * leaves zone \ (z1 u z2): a list of zones that do not overlap, none of them empty; the zone is
 * covered when rest.count is 0. The number of zones can grow exponentially with the number of zones
 * taken away. */
#ifndef CAIRN_SOLVER_ZONE_FEDERATION_H
#define CAIRN_SOLVER_ZONE_FEDERATION_H

#include "solver/zone/reduction.h"
#include "solver/zone/dbm.h"

struct federation {
    struct mem *mem;
    uint32_t clocks, stride;
    uint32_t count, capacity;
    dbm_bound *entries; /* one matrix after the other */
    struct zone_reduction reduction;
};

void federation_init(struct federation *federation, struct mem *mem, uint32_t clocks);
void federation_release(struct federation *federation);
/* Forgets its zones, is over that many clocks from now on. */
void federation_clear(struct federation *federation, uint32_t clocks);
/* Zone number k, to read, until the federation changes. */
struct dbm federation_get(const struct federation *federation, uint32_t k);
/* Adds a zone (not when empty), without looking whether it overlaps. False when memory is refused;
 * then nothing has changed. */
bool federation_add(struct federation *federation, const struct dbm *dbm);
/* Takes a zone away. False when memory is refused; then the federation has lost meaning, but can be
 * cleared and released. */
bool federation_subtract(struct federation *federation, const struct dbm *dbm);

#endif
