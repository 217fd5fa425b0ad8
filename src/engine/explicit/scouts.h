/* Whole p-paths of the variant with a hidden position (hidden.h), each searched by a thread of its
 * own, ahead of its turn. Inside of engine/explicit only. */
#ifndef CAIRN_ENGINE_EXPLICIT_SCOUTS_H
#define CAIRN_ENGINE_EXPLICIT_SCOUTS_H

#include "engine/explicit/points.h"
#include "engine/explicit/visit.h"

struct scouts;

/* What a scout says about a p-path. */
struct scouted {
    uint32_t path; /* in the list of p-paths */
    bool is_done;  /* otherwise it has to be searched in its turn */
    uint64_t states;
    bool *continues; /* per p-point; the caller's */
};

/* So many threads; NULL: memory was refused, or there is just one thread. The store of the search
 * begins with the initial states. */
struct scouts *scouts_new(struct search *search, uint32_t threads);
void scouts_release(struct scouts *scouts); /* between rounds: ends the threads, too */
/* How many there are. */
uint32_t scouts_count(const struct scouts *scouts);

/* Searches these p-paths, and counts what they have; is_done only where nothing is to be reported:
 * nothing is violated that was not, and so on. False: the search must end. */
bool scouts_search(struct scouts *scouts, const struct p_path *paths, struct scouted *list,
                   uint32_t count);

#endif
