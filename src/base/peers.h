/* Processes that do one search together, on one machine or many. Each has a number, the first one
 * is 0. They send each other messages of bytes, which may arrive in any order, and meet: in a
 * meeting all take part, and none goes on before it is over.
 *
 * Who they are and how they are reached is a table of functions (mpi/mpi.h). Calls are made by one
 * thread. MPI calls peers ranks, and so does what users read; in the program a rank is a variable
 * that no step makes smaller. */
#ifndef CAIRN_BASE_PEERS_H
#define CAIRN_BASE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peers;

struct peers_kind {
    /* Begins to send bytes, which stay where they are until is_sent says so of the slot; a slot is
     * used by one message at a time. Slots are 0, 1, 2, ... */
    void (*send)(struct peers *peers, uint32_t slot, uint32_t to, const void *bytes, size_t size);
    bool (*is_sent)(struct peers *peers, uint32_t slot);
    /* A message that has arrived, of at most `room` bytes: its size; 0: there is none. */
    size_t (*receive)(struct peers *peers, void *bytes, size_t room, uint32_t *from);
    /* Tells each peer a number, and begins to hear one of each, the own one included: all are there
     * once has_heard says so. Messages come and go meanwhile. */
    void (*tell)(struct peers *peers, const uint64_t *told, uint64_t *heard);
    bool (*has_heard)(struct peers *peers);
    /* Meetings. Numbers become the sums, and the maxima, of those of all; bytes those of one peer.
     * False: a peer has failed, and nobody meets any more. */
    bool (*reduce)(struct peers *peers, uint64_t *sums, uint32_t sum_count, uint64_t *maxima,
                   uint32_t maximum_count);
    bool (*broadcast)(struct peers *peers, uint32_t from, void *bytes, size_t size);
    /* There was nothing to do, so many times in a row: gives the processor to others, then rests.
     */
    void (*rest)(struct peers *peers, uint32_t times);
};

/* How far a run has come. It begins apart: a peer may find nothing to search. Together it does not
 * end without the others. */
enum peers_stage { PEERS_APART, PEERS_TOGETHER, PEERS_PARTED };

struct peers {
    const struct peers_kind *kind;
    uint32_t count, me;
    enum peers_stage stage;
    bool has_failed;    /* a peer is gone, or could not go on */
    bool is_others_due; /* the first peer could begin: what others say of it is news */
};

/* Before a search: whether all are there, and have read the same. False: why not. */
enum peers_accord { PEERS_AGREE, PEERS_MISSING, PEERS_DIFFER };
enum peers_accord peers_agree(struct peers *peers, bool can_begin, const uint64_t identity[2]);

#endif
