#include "search/reserve.h"

#include <assert.h>

enum { PART = 8, MOST_BYTES = 64 << 20 };

void reserve_init(struct reserve *reserve, struct mem *mem, bool has)
{
    *reserve = (struct reserve){.mem = mem, .hard = mem->limit, .has = has};
}

uint64_t reserve_share(const struct reserve *reserve, unsigned part, uint64_t least, uint64_t most)
{
    uint64_t left = reserve->hard > reserve->mem->used ? reserve->hard - reserve->mem->used : 0;
    uint64_t share = reserve->hard ? left / part : most;
    return share < least ? least : share > most ? most : share;
}

void reserve_keep(struct reserve *reserve)
{
    if (!reserve->hard) return;
    reserve->soft = reserve->hard - reserve_share(reserve, PART, 1, MOST_BYTES);
    reserve->mem->limit = reserve->soft;
}

void reserve_end(struct reserve *reserve) { reserve->mem->limit = reserve->hard; }

bool reserve_use(struct reserve *reserve)
{
    if (reserve->is_full || !reserve->hard || !reserve->has) return false;
    assert(reserve->soft && reserve->soft <= reserve->hard);
    reserve->is_full = true;
    reserve->mem->limit = reserve->soft + (reserve->hard - reserve->soft) / 2;
    return true;
}

void reserve_open(struct reserve *reserve)
{
    if (reserve->hard) reserve->mem->limit = reserve->hard;
}

void reserve_close(struct reserve *reserve)
{
    reserve->is_full = false;
    reserve->mem->limit = reserve->soft;
}
