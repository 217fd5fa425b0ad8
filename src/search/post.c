/* A message: how many states, whether all must stop, and the states. Packed words are sent as they
 * are when there is one; of several, a bit per word says whether it differs from that of the state
 * before, and for each that does, a byte has a bit per byte that does, and the difference follows.
 *
 * Invariants: (1) a buffer is in a box, or being sent, or free; (2) `sent`
 * and `received` count the messages of the level at hand, those that say stop included. */
#include "search/post.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 8, BYTES = 1 << 14, EXTRA_BUFFERS = 32 };

/* How large a message becomes. */
static void choose_sizes(struct post *post, uint32_t larger)
{
    post->most_bytes = BYTES;
    post->most_states = UINT32_MAX;
#ifdef CAIRN_TEST_HOOKS /* bytes; or 1: of one state */
    const char *bytes = getenv("CAIRN_MESSAGE");
    if (bytes) post->most_bytes = (uint32_t)strtoul(bytes, NULL, 10);
    if (post->most_bytes <= 1) {
        post->most_bytes = BYTES;
        post->most_states = 1;
    }
#endif
    const uint32_t packed = 9 * post->words + post->words / 8 + 16;
    post->room = HEAD + post->most_bytes + (larger > packed ? larger : packed) + 8;
}

bool post_open(struct post *post, struct mem *mem, struct peers *peers, const struct layout *layout,
               uint32_t larger)
{
    const size_t count = peers->count;
    *post = (struct post){.mem = mem,
                          .peers = peers,
                          .words = layout->words,
                          /* one word is sent without its last bytes, which are zero */
                          .record_bytes = layout->words == 1 ? (layout->state_bits + 7) / 8
                                                             : layout->record_bytes,
                          .most_buffers = peers->count + EXTRA_BUFFERS};
    choose_sizes(post, larger);
    const size_t state = (post->words + UINT64_C(1)) * sizeof *post->previous;
    post->boxes = mem_try_alloc(mem, count * sizeof *post->boxes);
    post->sent = mem_try_alloc(mem, count * sizeof *post->sent);
    post->received = mem_try_alloc(mem, count * sizeof *post->received);
    post->heard = mem_try_alloc(mem, count * sizeof *post->heard);
    post->arrived = mem_try_alloc(mem, post->room);
    post->previous = mem_try_alloc(mem, state);
    bool good = post->boxes && post->sent && post->received && post->heard && post->arrived
                && post->previous;
    for (size_t i = 0; good && i < count; i++) {
        post->boxes[i].previous = mem_try_alloc(mem, state);
        good = post->boxes[i].previous;
    }
    return good;
}

void post_close(struct post *post)
{
    struct mem *mem = post->mem;
    for (uint32_t i = 0; i < post->buffer_count; i++) {
        /* whatever was sent has arrived by now; but the last word is with whoever sends */
        while (!post->peers->has_failed && !post->peers->kind->is_sent(post->peers, i)) continue;
        if (!post->peers->has_failed) mem_free(mem, post->buffers[i]);
    }
    for (uint32_t i = 0; post->boxes && i < post->peers->count; i++)
        mem_free(mem, post->boxes[i].previous);
    mem_free(mem, post->buffers);
    mem_free(mem, post->is_boxed);
    mem_free(mem, post->boxes);
    mem_free(mem, post->sent);
    mem_free(mem, post->received);
    mem_free(mem, post->heard);
    mem_free(mem, post->arrived);
    mem_free(mem, post->previous);
}

/* ---- sending ---- */

static void flush(struct post *post, uint32_t to, bool must_stop)
{
    struct post_box *box = &post->boxes[to];
    const uint32_t flags = must_stop;
    assert(box->bytes && post->is_boxed[box->slot]); /* (1) */
    memcpy(box->bytes, &box->states, sizeof box->states);
    memcpy(box->bytes + 4, &flags, sizeof flags);
    post->sent[to]++; /* (2) */
    post->messages++;
    post->bytes += box->used;
    post->sent_states += box->states;
    post->peers->kind->send(post->peers, box->slot, to, box->bytes, box->used);
    post->is_boxed[box->slot] = false;
    box->bytes = NULL;
}

/* A slot whose buffer is free; UINT32_MAX: none. */
static uint32_t free_slot(struct post *post)
{
    for (uint32_t i = 0; i < post->buffer_count; i++) {
        const uint32_t slot = post->next < post->buffer_count ? post->next : 0;
        post->next = slot + 1;
        if (post->is_boxed[slot] || !post->peers->kind->is_sent(post->peers, slot)) continue;
        post->is_boxed[slot] = true;
        return slot;
    }
    return UINT32_MAX;
}

static uint32_t new_slot(struct post *post)
{
    if (post->buffer_count == post->buffer_room) {
        const uint64_t room = 2 * (uint64_t)post->buffer_room + 8;
        void *buffers = mem_try_resize(post->mem, post->buffers, room * sizeof *post->buffers);
        if (buffers) post->buffers = buffers;
        void *boxed = mem_try_resize(post->mem, post->is_boxed, room * sizeof *post->is_boxed);
        if (boxed) post->is_boxed = boxed;
        if (!buffers || !boxed) return UINT32_MAX;
        post->buffer_room = (uint32_t)room;
    }
    unsigned char *buffer = mem_try_alloc(post->mem, post->room);
    if (!buffer) return UINT32_MAX;
    post->buffers[post->buffer_count] = buffer;
    post->is_boxed[post->buffer_count] = true;
    return post->buffer_count++;
}

bool post_make_room(struct post *post, uint32_t to, bool has_more)
{
    struct post_box *box = &post->boxes[to];
    assert(to != post->peers->me && to < post->peers->count);
    if (box->bytes) flush(post, to, false);
    uint32_t slot = free_slot(post);
    if (slot == UINT32_MAX && (has_more || post->buffer_count < post->most_buffers))
        slot = new_slot(post);
    if (slot == UINT32_MAX) return false;
    box->bytes = post->buffers[slot];
    box->slot = slot;
    box->used = HEAD;
    box->states = 0;
    memset(box->previous, 0, post->words * sizeof *box->previous);
    return true;
}

/* The bytes of a difference that are not zero; returns where they end. */
static inline unsigned char *put_word(unsigned char *to, uint64_t differs)
{
    unsigned char *mask = to++, bits = 0;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned char byte = (unsigned char)(differs >> 8 * i);
        *to = byte;
        to += byte != 0;
        bits |= (unsigned char)((byte != 0) << i);
    }
    *mask = bits;
    return to;
}

void post_put(struct post *post, uint32_t to, const uint64_t *words)
{
    struct post_box *box = &post->boxes[to];
    unsigned char *at = box->bytes + box->used;
    box->states++;
    assert(box->bytes);
    if (post->words <= 1) {
        assert(post->record_bytes >= 8 || !post->words || !(*words >> 8 * post->record_bytes));
        if (post->words) memcpy(at, words, sizeof *words);
        box->used += post->record_bytes;
        return;
    }
    /* up to 64 words at a time; which of them differ is found without branches, since nobody can
     * foretell it */
    for (uint32_t first = 0; first < post->words; first += 64) {
        const uint32_t count = post->words - first < 64 ? post->words - first : 64;
        uint64_t *before = box->previous + first, bits = 0;
        for (uint32_t i = 0; i < count; i++) bits |= (uint64_t)(words[first + i] != before[i]) << i;
        memcpy(at, &bits, sizeof bits);
        at += (count + 7) / 8;
        for (; bits; bits &= bits - 1) {
            const unsigned i = (unsigned)__builtin_ctzll(bits);
            at = put_word(at, words[first + i] ^ before[i]);
            before[i] = words[first + i];
        }
    }
    box->used = (uint32_t)(at - box->bytes);
    assert(box->used <= post->room);
}

void post_put_record(struct post *post, uint32_t to, const void *record, uint32_t size)
{
    struct post_box *box = &post->boxes[to];
    assert(box->bytes && box->used + 4 + size <= post->room);
    memcpy(box->bytes + box->used, &size, 4);
    memcpy(box->bytes + box->used + 4, record, size);
    box->used += 4 + size;
    box->states++;
}

/* ---- receiving ---- */

bool post_receive(struct post *post)
{
    uint32_t from, flags;
    const size_t size = post->peers->kind->receive(post->peers, post->arrived, post->room, &from);
    assert(!post->states && size <= post->room);
    if (!size) return false;
    assert(size >= HEAD && from < post->peers->count);
    post->received[from]++; /* (2) */
    memcpy(&post->states, post->arrived, sizeof post->states);
    memcpy(&flags, post->arrived + 4, sizeof flags);
    post->must_stop |= flags != 0;
    post->size = (uint32_t)size;
    post->at = HEAD;
    memset(post->previous, 0, post->words * sizeof *post->previous);
    return true;
}

void post_take(struct post *post, uint64_t *words)
{
    const unsigned char *at = post->arrived + post->at;
    assert(post->states);
    post->states--;
    if (post->words <= 1) {
        words[0] = 0;
        if (post->words) memcpy(words, at, post->record_bytes);
        post->at += post->record_bytes;
        return;
    }
    for (uint32_t first = 0; first < post->words; first += 64) {
        const uint32_t count = post->words - first < 64 ? post->words - first : 64;
        uint64_t bits = 0;
        memcpy(&bits, at, (count + 7) / 8);
        at += (count + 7) / 8;
        for (; bits; bits &= bits - 1) {
            uint64_t differs = 0;
            for (unsigned mask = *at++; mask; mask &= mask - 1)
                differs |= (uint64_t)*at++ << 8 * __builtin_ctz(mask);
            post->previous[first + (unsigned)__builtin_ctzll(bits)] ^= differs;
        }
    }
    memcpy(words, post->previous, post->words * sizeof *words);
    post->at = (uint32_t)(at - post->arrived);
    assert(post->at <= post->size);
}

const unsigned char *post_take_record(struct post *post, uint32_t *size)
{
    const unsigned char *at = post->arrived + post->at;
    assert(post->states);
    post->states--;
    memcpy(size, at, 4);
    post->at += 4 + *size;
    assert(post->at <= post->size);
    return at + 4;
}

/* ---- levels ---- */

void post_end_level(struct post *post)
{
    assert(!post->has_told);
    for (uint32_t i = 0; i < post->peers->count; i++)
        if (post->boxes[i].bytes && post->boxes[i].states) flush(post, i, false);
    post->peers->kind->tell(post->peers, post->sent, post->heard);
    post->has_told = true;
}

bool post_is_over(struct post *post)
{
    const struct peers *peers = post->peers;
    assert(post->has_told);
    if (!post->has_heard) post->has_heard = peers->kind->has_heard(post->peers);
    if (!post->has_heard) return false;
    for (uint32_t i = 0; i < peers->count; i++) {
        assert(post->received[i] <= post->heard[i]);
        if (post->received[i] < post->heard[i]) return false;
    }
    for (uint32_t i = 0; i < peers->count; i++) post->sent[i] = post->received[i] = 0;
    post->has_told = post->has_heard = false;
    return true;
}

void post_tell_stop(struct post *post)
{
    for (uint32_t i = 0; i < post->peers->count; i++) {
        if (i == post->peers->me) continue;
        if (!post->boxes[i].bytes && !post_make_room(post, i, true)) continue;
        flush(post, i, true);
    }
}
