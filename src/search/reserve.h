/* Memory that is put aside, so that a search that has used up the rest can come to a tidy end: what
 * it has is written to files, and it goes on in memory that is empty again. */
#ifndef CAIRN_SEARCH_RESERVE_H
#define CAIRN_SEARCH_RESERVE_H

#include "base/mem.h"

struct reserve {
    struct mem *mem;
    uint64_t hard, soft; /* limits; 0: none */
    bool has;            /* there is something that can be given up */
    bool is_full;        /* what is between them is being used */
};

/* No memory is put aside before reserve_keep. */
void reserve_init(struct reserve *reserve, struct mem *mem, bool has);
/* Puts some of the memory that is left aside. */
void reserve_keep(struct reserve *reserve);
/* The limit is the hard one again, and nothing is put aside. */
void reserve_end(struct reserve *reserve);

/* A share of the memory that is left, one part in so many. */
uint64_t reserve_share(const struct reserve *reserve, unsigned part, uint64_t least, uint64_t most);

/* Memory was refused: half of the reserve may be used now. False: it is being used already. */
bool reserve_use(struct reserve *reserve);
/* Writing begins, with all of it; memory is empty again. */
void reserve_open(struct reserve *reserve);
void reserve_close(struct reserve *reserve);

#endif
