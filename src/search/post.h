/* States on their way to the peers that own them (base/peers.h): many in one message, each as what
 * differs from the state before it. Messages of a level are counted, so that it is known when all
 * have arrived, in whatever order.
 *
 * There are only so many buffers. When none is left, whoever sends must receive until one is free:
 * so a slow peer slows the others down instead of being flooded. */
#ifndef CAIRN_SEARCH_POST_H
#define CAIRN_SEARCH_POST_H

#include "base/mem.h"
#include "base/peers.h"
#include "program/layout.h"

/* What is on its way to one peer. */
struct post_box {
    unsigned char *bytes; /* NULL: nothing */
    uint32_t slot, used, states;
    uint64_t *previous; /* the state that was put last */
};

struct post {
    struct mem *mem;
    struct peers *peers;
    uint32_t words, record_bytes;     /* of a state */
    uint32_t most_bytes, most_states; /* of a message, about */
    uint32_t room;                    /* of a buffer */
    struct post_box *boxes;           /* per peer */
    unsigned char **buffers;          /* per slot */
    bool *is_boxed;                   /* per slot: its buffer is in a box */
    uint32_t buffer_count, most_buffers, buffer_room, next;
    uint64_t *sent, *received, *heard; /* messages of this level, per peer */
    bool has_told;                     /* the level has ended here; and the others have told ... */
    bool has_heard;                    /* ... how many messages there are */
    /* the message at hand */
    unsigned char *arrived;
    uint32_t at, size, states;
    uint64_t *previous;
    bool must_stop; /* a peer has said so */
    /* of all levels */
    uint64_t messages, bytes, sent_states;
    double waiting;
};

/* Room for one more state; `larger`: the most bytes that a record can have which is not packed
 * words, or 0. False: memory was refused; post_close may follow in either case. */
bool post_open(struct post *post, struct mem *mem, struct peers *peers, const struct layout *layout,
               uint32_t larger);
void post_close(struct post *post);

/* Whether a state can be put into the box of this peer at once. */
static inline bool post_has_room(const struct post *post, uint32_t to)
{
    const struct post_box *box = &post->boxes[to];
    return box->bytes && box->used < post->most_bytes && box->states < post->most_states;
}
/* Sends what there is, and makes room. False: there is no buffer, unless has_more: then the pool
 * grows, or memory was refused. */
bool post_make_room(struct post *post, uint32_t to, bool has_more);
void post_put(struct post *post, uint32_t to, const uint64_t *words);
/* The same for a record that is not packed words. */
void post_put_record(struct post *post, uint32_t to, const void *record, uint32_t size);

/* The next message; false: none has arrived. Then its states, one by one. */
bool post_receive(struct post *post);
static inline bool post_is_read(const struct post *post) { return !post->states; }
void post_take(struct post *post, uint64_t *words);
const unsigned char *post_take_record(struct post *post, uint32_t *size);

/* A level ends here: everything is sent. is_over: everything has arrived, here and elsewhere as far
 * as it came from here; then the next one may begin. */
void post_end_level(struct post *post);
bool post_is_over(struct post *post);
/* All others are to end soon, too. */
void post_tell_stop(struct post *post);

#endif
