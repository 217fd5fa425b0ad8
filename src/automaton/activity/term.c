#include "automaton/activity/term.h"

#include "base/checked.h"

#ifdef CAIRN_DEGENERATE
enum { HASH_MASK = 15, FIRST_SLOTS = 4 };
#else
enum { HASH_MASK = -1, FIRST_SLOTS = 64 };
#endif

static uint32_t hash(const struct term_node *node)
{
    uint64_t h = ((uint64_t)node->op << 32 | node->number) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 29 ^ ((uint64_t)node->a.i << 32 | node->b.i)) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(h >> 32) & (uint32_t)HASH_MASK;
}

static bool same_node(const struct term_node *x, const struct term_node *y)
{
    return x->op == y->op && x->number == y->number && term_same(x->a, y->a)
           && term_same(x->b, y->b);
}

static uint32_t slot_of(const struct terms *terms, const struct term_node *node)
{
    uint32_t at = hash(node) & (terms->size - 1);
    while (terms->slots[at] && !same_node(&terms->nodes.data[terms->slots[at] - 1], node))
        at = (at + 1) & (terms->size - 1);
    return at;
}

static void grow(struct terms *terms)
{
    uint32_t size = terms->size ? 2 * terms->size : FIRST_SLOTS;
    uint32_t *slots = mem_alloc(terms->mem, size * sizeof *slots);
    mem_free(terms->mem, terms->slots);
    terms->slots = slots;
    terms->size = size;
    for (uint32_t i = 0; i < terms->nodes.len; i++)
        slots[slot_of(terms, &terms->nodes.data[i])] = i + 1;
    CHECKED(terms_check(terms));
}

static term intern(struct terms *terms, struct term_node node)
{
    assert(node.a.i <= terms->nodes.len && node.b.i <= terms->nodes.len); /* (2) */
    if (2 * ((uint64_t)terms->nodes.len + 1) > terms->size) grow(terms);
    uint32_t at = slot_of(terms, &node);
    if (!terms->slots[at]) {
        vec_push(terms->mem, &terms->nodes, node);
        terms->slots[at] = terms->nodes.len;
    }
    return (term){terms->slots[at] - 1};
}

void terms_init(struct terms *terms, struct mem *mem)
{
    *terms = (struct terms){.mem = mem};
    term skip = intern(terms, (struct term_node){.op = TERM_SKIP});
    assert(term_same(skip, term_skip())); /* (3) */
    (void)skip;
}

void terms_release(struct terms *terms)
{
    vec_free(terms->mem, &terms->nodes);
    mem_free(terms->mem, terms->slots);
    *terms = (struct terms){.mem = terms->mem};
}

term term_skip(void) { return (term){0}; }

term term_event(struct terms *terms, uint32_t label)
{
    return intern(terms, (struct term_node){.op = TERM_EVENT, .number = label});
}

static bool is_skip(term t) { return t.i == 0; }

term term_seq(struct terms *terms, term a, term b)
{
    if (is_skip(a)) return b;
    if (is_skip(b)) return a;
    return intern(terms, (struct term_node){.op = TERM_SEQ, .a = a, .b = b});
}

term term_choice(struct terms *terms, term a, term b)
{
    if (term_same(a, b)) return a;
    return intern(terms, (struct term_node){.op = TERM_CHOICE, .a = a, .b = b});
}

term term_par(struct terms *terms, term a, term b)
{
    if (is_skip(a)) return b;
    if (is_skip(b)) return a;
    return intern(terms, (struct term_node){.op = TERM_PAR, .a = a, .b = b});
}

term term_loop(struct terms *terms, uint32_t times, term a)
{
    if (times == 0 || is_skip(a)) return term_skip();
    if (times == 1) return a;
    return intern(terms, (struct term_node){.op = TERM_LOOP, .number = times, .a = a});
}

bool terms_check(const struct terms *terms)
{
    for (uint32_t i = 0; i < terms->nodes.len; i++) {
        const struct term_node *node = &terms->nodes.data[i];
        bool has_parts = node->op != TERM_SKIP && node->op != TERM_EVENT;
        bool has_two = has_parts && node->op != TERM_LOOP;
        if (terms->slots[slot_of(terms, node)] != i + 1) return false;                  /* (1) */
        if (has_parts && (node->a.i >= i || (has_two && node->b.i >= i))) return false; /* (2) */
        if ((node->op == TERM_SKIP) != (i == 0)) return false;                          /* (3) */
        if (has_parts && node->op != TERM_CHOICE && (!node->a.i || (has_two && !node->b.i)))
            return false; /* (3) */
    }
    return true;
}
