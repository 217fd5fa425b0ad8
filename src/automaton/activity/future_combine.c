/* Union, sequence and shuffle of futures, by one subset construction.
 *
 * Problem. Both operands are deterministic, the result in general is not: after a label that both
 * have, a shuffle may be in two places.
 *
 * Method. A place is an item (a, b): for a shuffle "the rest of a beside the rest of b", for a
 * sequence "the rest of a, then b"; (x, END) is x alone. What may follow a word is the union of the
 * items of a set. Sets are found from the first one on, depth first, each set once; when everything
 * that follows a set is known, its future is made, and the table of futures merges it with what is
 * equal. So determinising and minimising are one pass, no future is made that is not part of the
 * result, and a set of a single item (x, END) is known at once.
 *
 * In a branching table a shuffle has the items themselves as states: each step is an edge of its
 * own, whatever its label. The other operations keep apart only what branches already.
 *
 * The depth of the search is the length of the longest word: it has its own stack.
 *
 * Cost: a set takes 28 to 40 bytes and 8 for each item; its edges are kept only while it is on the
 * stack.
 *
 * Invariants: (1) the items of a set ascend strictly; (2) no two sets have the same items; (3) a
 * set has a result before the set on the stack that leads to it is popped; (4) whatever an edge
 * leads to once its set is popped is a future.
 *
 * Rejected: memoised binary operations that unite shuffle(a.l, b) and shuffle(a, b.l). They unite
 * futures for every pair of states, not only from the first one on, and leave futures behind that
 * no result needs. */
#define XXH_INLINE_ALL
#include "automaton/activity/future_combine.h"

#include "automaton/activity/future.h"
#include "base/checked.h"
#include "base/room.h"

#include <assert.h>
#include <xxhash.h>

#ifdef CAIRN_DEGENERATE
enum { HASH_MASK = 15, FIRST_SLOTS = 4 };
#else
enum { HASH_MASK = -1, FIRST_SLOTS = 64 };
#endif

enum mode { SEQUENCE, SHUFFLE };

/* Sets that may be looked at for each state that is allowed: a search that merges nearly everything
 * is given up as well. */
enum { SETS_PER_STATE = 8 };

struct set {
    uint64_t first; /* of its items */
    uint32_t len;
    uint32_t result; /* its future, or FUTURE_NONE */
};

struct frame {
    uint64_t edges, at; /* in `pending`: the first edge of the set, the next to look at */
    uint32_t set;
    bool has_empty;
};

/* Where an edge leads: a future, or a set whose future is not known yet. */
struct pending {
    uint32_t label, to;
    bool is_set;
};

struct step {
    uint64_t item;
    uint32_t label;
    bool is_alone; /* an edge of its own */
};

struct future_work {
    uint64_t *items;
    struct set *sets;
    struct frame *frames;
    struct pending *pending;
    struct step *steps, *merged;
    struct future_edge *edges;
    uint64_t item_count, set_count, frame_count, pending_count, step_count;
    uint64_t item_cap, set_cap, frame_cap, pending_cap, step_cap, merged_cap, edge_cap;
    uint64_t *slots; /* hash << 32 | set + 1; 0: free */
    uint64_t size;
    enum mode mode;
};

struct future_work *future_work_new(struct mem *mem)
{
    struct future_work *work = mem_try_alloc(mem, sizeof *work);
    if (!work) return NULL;
    work->slots = mem_try_alloc(mem, FIRST_SLOTS * sizeof *work->slots);
    work->size = FIRST_SLOTS;
    if (work->slots) return work;
    mem_free(mem, work);
    return NULL;
}

void future_work_free(struct mem *mem, struct future_work *work)
{
    if (!work) return;
    mem_free(mem, work->items);
    mem_free(mem, work->sets);
    mem_free(mem, work->frames);
    mem_free(mem, work->pending);
    mem_free(mem, work->steps);
    mem_free(mem, work->merged);
    mem_free(mem, work->edges);
    mem_free(mem, work->slots);
    mem_free(mem, work);
}

static uint32_t hash(const uint64_t *items, uint32_t len)
{
    return (uint32_t)XXH3_64bits(items, len * sizeof *items) & (uint32_t)HASH_MASK;
}

static uint64_t slot_of(const struct future_work *w, uint32_t h, const uint64_t *items,
                        uint32_t len)
{
    uint64_t at = h & (w->size - 1);
    for (; w->slots[at]; at = (at + 1) & (w->size - 1)) {
        if (w->slots[at] >> 32 != h) continue;
        const struct set *set = &w->sets[(uint32_t)w->slots[at] - 1];
        if (set->len == len && !memcmp(w->items + set->first, items, len * sizeof *items)) break;
    }
    return at;
}

static bool grow_slots(struct futures *f, struct future_work *w)
{
    uint64_t size = 2 * w->size, *slots = mem_try_alloc(f->mem, size * sizeof *slots);
    if (!slots) return false;
    for (uint64_t i = 0; i < w->size; i++) {
        uint64_t at = (w->slots[i] >> 32) & (size - 1);
        if (!w->slots[i]) continue;
        while (slots[at]) at = (at + 1) & (size - 1);
        slots[at] = w->slots[i];
    }
    mem_free(f->mem, w->slots);
    w->slots = slots;
    w->size = size;
    return true;
}

/* A small operation after a large one must not pay for its table. */
static bool forget_sets(struct futures *f, struct future_work *w)
{
    if (w->size > FIRST_SLOTS && w->size > 8 * w->set_count) {
        uint64_t *slots = mem_try_alloc(f->mem, FIRST_SLOTS * sizeof *slots);
        if (!slots) return false;
        mem_free(f->mem, w->slots);
        w->slots = slots;
        w->size = FIRST_SLOTS;
    } else {
        memset(w->slots, 0, w->size * sizeof *w->slots);
    }
    w->item_count = w->set_count = w->frame_count = w->pending_count = 0;
    return true;
}

static uint64_t item_of(const struct future_work *w, uint32_t a, uint32_t b)
{
    bool swap = w->mode == SHUFFLE ? a < b : a == FUTURE_END;
    return swap ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b;
}

static bool is_plain(uint64_t item) { return (uint32_t)item == FUTURE_END; }

/* For checks. */
static bool ascends(const uint64_t *items, uint32_t len)
{
    for (uint32_t i = 1; i < len; i++)
        if (items[i - 1] >= items[i]) return false;
    return true;
}

/* The set of the last items of w->items, which are sorted: a known one, or a new one. */
static bool intern_set(struct futures *f, struct future_work *w, uint64_t first,
                       struct pending *edge)
{
    uint32_t len = (uint32_t)(w->item_count - first);
    assert(len);
    CHECKED(ascends(w->items + first, len)); /* (1) */
    edge->is_set = !(len == 1 && is_plain(w->items[first]));
    if (!edge->is_set) {
        edge->to = (uint32_t)(w->items[first] >> 32);
        w->item_count = first;
        return true;
    }
    if (3 * (w->set_count + 1) > 2 * w->size && !grow_slots(f, w)) return false;
    uint32_t h = hash(w->items + first, len);
    uint64_t at = slot_of(w, h, w->items + first, len);
    if (w->slots[at]) {
        w->item_count = first;
    } else {
        if (!ROOM(f->mem, w->sets, &w->set_cap, w->set_count + 1)) return false;
        w->sets[w->set_count++] = (struct set){first, len, FUTURE_NONE};
        w->slots[at] = (uint64_t)h << 32 | w->set_count;
    }
    edge->to = (uint32_t)w->slots[at] - 1;
    return true;
}

static bool is_alone(const struct futures *f, const struct future_work *w, uint64_t item)
{
    if (!f->is_branching) return false;
    return w->mode == SHUFFLE || future_branches(f, (future){(uint32_t)(item >> 32)})
           || future_branches(f, (future){(uint32_t)item});
}

static bool add_steps(struct futures *f, struct future_work *w, uint32_t moving, uint32_t staying,
                      bool beside)
{
    uint32_t from = f->first[moving], to = f->first[moving + 1];
    if (!ROOM(f->mem, w->steps, &w->step_cap, w->step_count + (to - from))) return false;
    for (uint32_t e = from; e < to; e++) {
        uint64_t item = beside ? item_of(w, f->edges[e].to, staying)
                               : (uint64_t)f->edges[e].to << 32 | FUTURE_END;
        w->steps[w->step_count++] = (struct step){item, f->edges[e].label, is_alone(f, w, item)};
    }
    return true;
}

static bool is_before(const struct step *x, const struct step *y)
{
    if (x->label != y->label) return x->label < y->label;
    return x->is_alone != y->is_alone ? y->is_alone : x->item < y->item;
}

static uint64_t run_end(const struct step *steps, uint64_t from, uint64_t count)
{
    while (++from < count && !is_before(&steps[from], &steps[from - 1]))
        ;
    return from < count ? from : count;
}

static void merge(struct step *to, const struct step *steps, uint64_t a, uint64_t middle,
                  uint64_t end)
{
    for (uint64_t b = middle; a < middle || b < end;)
        *to++ =
            b == end || (a < middle && !is_before(&steps[b], &steps[a])) ? steps[a++] : steps[b++];
}

/* The steps of an item are sorted, so there are few runs to merge. */
static bool sort_steps(struct futures *f, struct future_work *w)
{
    uint64_t count = w->step_count;
    while (run_end(w->steps, 0, count) < count) {
        if (!ROOM(f->mem, w->merged, &w->merged_cap, w->step_cap)) return false;
        for (uint64_t a = 0, middle, end; a < count; a = end) {
            middle = run_end(w->steps, a, count);
            end = middle < count ? run_end(w->steps, middle, count) : count;
            merge(w->merged + a, w->steps, a, middle, end);
        }
        assert(w->merged_cap >= count);
        struct step *sorted = w->merged;
        uint64_t cap = w->merged_cap;
        w->merged = w->steps, w->merged_cap = w->step_cap;
        w->steps = sorted, w->step_cap = cap;
    }
    return true;
}

/* All steps of a set's items, in w->steps. */
static bool find_steps(struct futures *f, struct future_work *w, uint32_t set, bool *has_empty)
{
    w->step_count = 0;
    *has_empty = false;
    for (uint32_t i = 0; i < w->sets[set].len; i++) {
        uint64_t item = w->items[w->sets[set].first + i];
        uint32_t a = (uint32_t)(item >> 32), b = (uint32_t)item;
        bool a_ends = future_has_empty(f, (future){a}), b_ends = future_has_empty(f, (future){b});
        *has_empty |= a_ends && b_ends;
        if (!add_steps(f, w, a, b, true)) return false;
        if (w->mode == SHUFFLE && !add_steps(f, w, b, a, true)) return false;
        if (w->mode == SEQUENCE && a_ends && !add_steps(f, w, b, FUTURE_END, false)) return false;
    }
    return sort_steps(f, w);
}

static bool go_together(const struct step *x, const struct step *y)
{
    return x->label == y->label && x->is_alone == y->is_alone
           && (!x->is_alone || x->item == y->item);
}

static bool push_set(struct futures *f, struct future_work *w, uint32_t set)
{
    bool has_empty;
    uint64_t edges = w->pending_count;
    if (!find_steps(f, w, set, &has_empty)) return false;
    for (uint64_t i = 0; i < w->step_count;) {
        uint64_t first = w->item_count, from = i;
        for (; i < w->step_count && go_together(&w->steps[from], &w->steps[i]); i++) {
            if (i > from && w->steps[i].item == w->steps[i - 1].item) continue;
            if (!ROOM(f->mem, w->items, &w->item_cap, w->item_count + 1)) return false;
            w->items[w->item_count++] = w->steps[i].item;
        }
        if (!ROOM(f->mem, w->pending, &w->pending_cap, w->pending_count + 1)) return false;
        struct pending *edge = &w->pending[w->pending_count++];
        edge->label = w->steps[from].label;
        if (!intern_set(f, w, first, edge)) return false;
    }
    if (!ROOM(f->mem, w->frames, &w->frame_cap, w->frame_count + 1)) return false;
    w->frames[w->frame_count++] = (struct frame){edges, edges, set, has_empty};
    return true;
}

/* Different items with one label may have become one future. Returns how many edges are left. */
static uint64_t sort_edges(struct future_edge *edges, uint64_t count)
{
    uint64_t kept = 0, first = 0; /* edges with the label at hand start at `first` */
    for (uint64_t i = 0; i < count; i++) {
        struct future_edge moved = edges[i];
        if (kept && edges[kept - 1].label != moved.label) first = kept;
        uint64_t k = kept;
        while (k > first && edges[k - 1].to > moved.to) k--;
        if (k > first && edges[k - 1].to == moved.to) continue;
        memmove(edges + k + 1, edges + k, (kept - k) * sizeof *edges);
        edges[k] = moved;
        kept++;
    }
    return kept;
}

/* Everything after the topmost set is known: makes its future. */
static enum build_status pop_set(struct futures *f, struct future_work *w)
{
    struct frame *frame = &w->frames[--w->frame_count];
    uint64_t count = w->pending_count - frame->edges;
    if (!ROOM(f->mem, w->edges, &w->edge_cap, count)) return BUILD_REFUSED;
    assert(frame->at == w->pending_count);             /* (3) */
    assert(w->sets[frame->set].result == FUTURE_NONE); /* a set has one turn */
    for (uint64_t i = 0; i < count; i++) {
        const struct pending *edge = &w->pending[frame->edges + i];
        assert(!edge->is_set && edge->to < f->count); /* (4) */
        w->edges[i] = (struct future_edge){edge->label, edge->to};
    }
    if (f->is_branching) count = sort_edges(w->edges, count);
    future made = future_make(f, frame->has_empty, w->edges, (uint32_t)count);
    w->pending_count = frame->edges;
    w->sets[frame->set].result = made.i;
    return made.i == FUTURE_NONE ? f->status : BUILD_DONE;
}

static enum build_status search(struct futures *f, struct future_work *w)
{
    uint32_t before = f->count;
    uint64_t most_sets = (uint64_t)f->limit * SETS_PER_STATE + 64;
    if (most_sets > UINT32_MAX / 2) most_sets = UINT32_MAX / 2;
    while (w->frame_count) {
        struct frame *frame = &w->frames[w->frame_count - 1];
        uint32_t next = FUTURE_NONE;
        for (; frame->at < w->pending_count; frame->at++) {
            struct pending *edge = &w->pending[frame->at];
            if (!edge->is_set) continue;
            uint32_t result = w->sets[edge->to].result;
            if (result == FUTURE_NONE) {
                next = edge->to;
                break;
            }
            edge->to = result;
            edge->is_set = false;
        }
        if (next != FUTURE_NONE) {
            if (!push_set(f, w, next)) return BUILD_REFUSED;
            continue;
        }
        enum build_status status = pop_set(f, w);
        if (status != BUILD_DONE) return status;
        if (f->count - before > f->limit || w->set_count > most_sets) return BUILD_TOO_LARGE;
        if (mem_enough(f->mem)) return BUILD_REFUSED;
    }
    return BUILD_DONE;
}

/* The future of a set of at most two items. */
static future combine(struct futures *f, enum mode mode, const uint64_t *items, uint32_t count)
{
    struct future_work *w = f->work;
    struct pending first;
    w->mode = mode;
    f->status = BUILD_REFUSED;
    if (!forget_sets(f, w) || !ROOM(f->mem, w->items, &w->item_cap, count))
        return (future){FUTURE_NONE};
    memcpy(w->items, items, count * sizeof *items);
    w->item_count = count;
    if (!intern_set(f, w, 0, &first)) return (future){FUTURE_NONE};
    assert(first.is_set && first.to == 0);
    if (!push_set(f, w, 0)) return (future){FUTURE_NONE};
    f->status = search(f, w);
    assert(f->status != BUILD_DONE || w->pending_count == 0);
    return (future){f->status == BUILD_DONE ? w->sets[0].result : (uint32_t)FUTURE_NONE};
}

future future_union(struct futures *f, future a, future b)
{
    if (a.i == FUTURE_NONE || b.i == a.i) return a;
    if (b.i == FUTURE_NONE) return b;
    uint32_t low = a.i < b.i ? a.i : b.i, high = a.i < b.i ? b.i : a.i;
    uint64_t items[2] = {(uint64_t)low << 32 | FUTURE_END, (uint64_t)high << 32 | FUTURE_END};
    return combine(f, SEQUENCE, items, 2);
}

future future_sequence(struct futures *f, future a, future b)
{
    if (a.i == FUTURE_NONE || b.i == FUTURE_END) return a;
    if (b.i == FUTURE_NONE || a.i == FUTURE_END) return b;
    uint64_t item = (uint64_t)a.i << 32 | b.i;
    return combine(f, SEQUENCE, &item, 1);
}

future future_shuffle(struct futures *f, future a, future b)
{
    if (a.i == FUTURE_NONE || b.i == FUTURE_END) return a;
    if (b.i == FUTURE_NONE || a.i == FUTURE_END) return b;
    f->work->mode = SHUFFLE;
    uint64_t item = item_of(f->work, a.i, b.i);
    return combine(f, SHUFFLE, &item, 1);
}
