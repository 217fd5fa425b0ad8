/* What a search by several peers keeps in files, so that others can go on with it: as many peers,
 * or another number of them.
 *
 * In the folder, each run has a folder of its own, `ranks-RUN-COUNT`, and in it each peer has one,
 * with its number, of a freezer (solver/freezer.h). A part is a level: the states of it that the
 * peer owns. Levels are written together, as many as there are since the last time, by all peers at
 * the same moment: where a level begins. The last one of them ends with a summary of what the peer
 * has counted, and can be gone on from once all peers have written it.
 *
 * Who goes on reads the levels of all peers, and keeps what it owns itself; it writes files of its
 * own, all levels anew. */
#ifndef CAIRN_SEARCH_FREIGHT_H
#define CAIRN_SEARCH_FREIGHT_H

#include "search/levels.h"

struct freight;

/* What it is of: the order's. */
struct freight_search {
    struct search *search;
    struct worker *worker; /* for states that come from files */
    struct levels *levels;
    bool (*owns)(const struct search *search, uint64_t hash);
    /* A level begins with the states that are known by now, of which all peers have so many. False:
     * the search must end. */
    bool (*begin_level)(struct search *search, uint64_t total);
    /* An earlier run has found it violated, in the state with these words. */
    void (*violated)(struct search *search, uint32_t property, const uint64_t *words,
                     uint32_t failed_rule);
};

/* Opens task->freeze, by all peers. NULL: the result says why the search cannot begin. Memory is
 * taken by calls that jump, or are refused. */
struct freight *freight_open(const struct freight_search *of);
/* Takes over the levels that an earlier run has left, if there are any. The search must end when
 * the result says so. */
void freight_resume(struct freight *freight);
/* Whether it is time to write. */
bool freight_is_due(const struct freight *freight);
/* Writes all levels that are not written: the last one has just begun. By all peers, or none. */
void freight_write(struct freight *freight, const uint64_t *firsts, uint32_t count);
/* A property is violated there: before the next level begins. */
void freight_violated(struct freight *freight, uint32_t property, uint64_t state,
                      uint32_t failed_rule);
/* Waits until everything is written, and frees everything. */
void freight_close(struct freight *freight);

#endif
