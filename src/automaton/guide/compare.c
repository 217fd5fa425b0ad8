/* A breadth-first search through pairs of states that one word leads to, where the second or both
 * may be the sink. Pairs are found by hashing; each remembers where it came from. Of equal automata
 * it meets each state once, in general at most every pair. */
#include "automaton/guide/compare.h"

#include "base/room.h"

#include <assert.h>

#ifdef CAIRN_DEGENERATE
enum { HASH_MASK = 15, FIRST_SLOTS = 4 };
#else
enum { HASH_MASK = -1, FIRST_SLOTS = 256 };
#endif

struct pair {
    uint32_t a, b; /* DFA_NONE: the sink */
    uint32_t from, label;
};

struct search {
    struct mem *mem;
    const struct dfa *a, *b;
    bool both_ways; /* a difference is a word of either, not only of a */
    struct pair *pairs;
    uint64_t cap;
    uint32_t count;
    uint32_t *slots; /* index + 1; 0: free */
    uint32_t size;
    bool found;
    uint32_t difference;
};

static uint32_t slot_of(const struct search *s, uint32_t a, uint32_t b)
{
    uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32) * UINT64_C(0xBF58476D1CE4E5B9);
    uint32_t at = (uint32_t)(h >> 32) & (uint32_t)HASH_MASK & (s->size - 1);
    while (s->slots[at] && (s->pairs[s->slots[at] - 1].a != a || s->pairs[s->slots[at] - 1].b != b))
        at = (at + 1) & (s->size - 1);
    return at;
}

static bool grow(struct search *s)
{
    uint64_t size = s->size ? 2 * (uint64_t)s->size : FIRST_SLOTS;
    uint32_t *slots = size > UINT32_MAX ? NULL : mem_try_alloc(s->mem, size * sizeof *slots);
    if (!slots) return false;
    mem_free(s->mem, s->slots);
    s->slots = slots;
    s->size = (uint32_t)size;
    for (uint32_t i = 0; i < s->count; i++) slots[slot_of(s, s->pairs[i].a, s->pairs[i].b)] = i + 1;
    return true;
}

static bool accepts(const struct dfa *dfa, uint32_t state)
{
    return state != DFA_NONE && dfa_is_final(dfa, state);
}

static bool reach(struct search *s, struct pair pair)
{
    if (2 * ((uint64_t)s->count + 1) > s->size && !grow(s)) return false;
    uint32_t at = slot_of(s, pair.a, pair.b);
    if (s->slots[at]) return true;
    if (mem_enough(s->mem) || s->count == UINT32_MAX - 1
        || !ROOM(s->mem, s->pairs, &s->cap, (uint64_t)s->count + 1))
        return false;
    assert(pair.from <= s->count);              /* what it came from was met before */
    assert(s->both_ways || pair.a != DFA_NONE); /* without a state in a there is nothing to find */
    s->pairs[s->count] = pair;
    s->slots[at] = ++s->count;
    bool in_a = accepts(s->a, pair.a), in_b = accepts(s->b, pair.b);
    if (!s->found && (in_a > in_b || (s->both_ways && in_b > in_a))) {
        s->found = true;
        s->difference = s->count - 1;
    }
    return true;
}

/* What follows a pair, by ascending labels. Without a state in a there is nothing to find, unless
 * both ways are looked at. */
static bool follow(struct search *s, uint32_t index)
{
    struct pair pair = s->pairs[index];
    uint32_t e = 0, e_end = 0, f = 0, f_end = 0;
    if (pair.a != DFA_NONE) e = s->a->first_edge[pair.a], e_end = s->a->first_edge[pair.a + 1];
    if (pair.b != DFA_NONE) f = s->b->first_edge[pair.b], f_end = s->b->first_edge[pair.b + 1];
    while (!s->found && (e < e_end || f < f_end)) {
        uint32_t x = e < e_end ? s->a->edge_label[e] : UINT32_MAX,
                 y = f < f_end ? s->b->edge_label[f] : UINT32_MAX;
        bool in_a = e < e_end && (f == f_end || x <= y), in_b = f < f_end && (e == e_end || y <= x);
        struct pair next = {DFA_NONE, DFA_NONE, index, in_a ? x : y};
        if (in_a) next.a = s->a->edge_to[e++];
        if (in_b) next.b = s->b->edge_to[f++];
        if ((in_a || s->both_ways) && !reach(s, next)) return false;
    }
    return true;
}

static bool tell_word(const struct search *s, struct compare_word *word)
{
    uint32_t length = 0;
    for (uint32_t i = s->difference; i; i = s->pairs[i].from) length++;
    word->labels = mem_try_alloc(s->mem, ((size_t)length + 1) * sizeof *word->labels);
    if (!word->labels) return false;
    word->exists = true;
    word->length = length;
    for (uint32_t i = s->difference; i; i = s->pairs[i].from)
        word->labels[--length] = s->pairs[i].label;
    assert(dfa_accepts(s->a, word->labels, word->length)
           != dfa_accepts(s->b, word->labels, word->length));
    return true;
}

static enum build_status search(struct search *s, struct compare_word *word)
{
    bool good = reach(s, (struct pair){0, 0, 0, 0});
    *word = (struct compare_word){0};
    for (uint32_t i = 0; good && !s->found && i < s->count; i++) good = follow(s, i);
    if (good && s->found) good = tell_word(s, word);
    mem_free(s->mem, s->slots);
    return good ? BUILD_DONE : BUILD_REFUSED;
}

enum build_status compare_within(const struct dfa *a, const struct dfa *b,
                                 struct compare_word *word)
{
    struct search s = {.mem = a->mem, .a = a, .b = b};
    enum build_status status = search(&s, word);
    mem_free(s.mem, s.pairs);
    return status;
}

enum build_status compare_ends(const struct dfa *a, const struct dfa *b, bool *both_end)
{
    struct search s = {.mem = a->mem, .a = a, .b = b};
    struct compare_word word;
    enum build_status status = search(&s, &word);
    assert(!word.exists); /* the contract: a is within b */
    for (uint32_t i = 0; i < a->states; i++) both_end[i] = dfa_is_end(a, i);
    for (uint32_t i = 0; i < s.count; i++) both_end[s.pairs[i].a] &= dfa_is_end(b, s.pairs[i].b);
    mem_free(s.mem, s.pairs);
    return status;
}

enum build_status compare_equal(const struct dfa *a, const struct dfa *b, struct compare_word *word,
                                bool *of_first)
{
    struct search s = {.mem = a->mem, .a = a, .b = b, .both_ways = true};
    enum build_status status = search(&s, word);
    assert(status != BUILD_DONE || !word->exists || !dfa_same(a, b));
    if (status == BUILD_DONE && word->exists) *of_first = accepts(a, s.pairs[s.difference].a);
    mem_free(s.mem, s.pairs);
    return status;
}
