#include "automaton/guide/phrase.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { HASH_MASK = 15, FIRST_SLOTS = 4 };
#else
enum { HASH_MASK = -1, FIRST_SLOTS = 64 };
#endif

static uint32_t hash(enum phrase_op op, uint32_t low, uint32_t high, const phrase *parts,
                     uint32_t count)
{
    uint64_t h = ((uint64_t)low << 32 | high) * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)op;
    for (uint32_t i = 0; i < count; i++)
        h = (h ^ h >> 29 ^ parts[i].i) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ h >> 31) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(h >> 32) & (uint32_t)HASH_MASK;
}

static bool is_node(const struct phrases *terms, uint32_t index, enum phrase_op op, uint32_t low,
                    uint32_t high, const phrase *parts, uint32_t count)
{
    const struct phrase_node *node = &terms->nodes.data[index];
    if (node->op != op || node->low != low || node->high != high || node->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (terms->parts.data[node->first + i].i != parts[i].i) return false;
    return true;
}

static void grow(struct phrases *terms)
{
    uint32_t size = terms->size ? 2 * terms->size : FIRST_SLOTS;
    uint32_t *slots = mem_alloc(terms->mem, size * sizeof *slots);
    mem_free(terms->mem, terms->slots);
    terms->slots = slots;
    terms->size = size;
    for (uint32_t i = 0; i < terms->nodes.len; i++) {
        const struct phrase_node *node = &terms->nodes.data[i];
        uint32_t at =
            hash(node->op, node->low, node->high, terms->parts.data + node->first, node->count)
            & (size - 1);
        while (slots[at]) at = (at + 1) & (size - 1);
        slots[at] = i + 1;
    }
    CHECKED(phrases_check(terms));
}

/* `parts` must not lie in the table itself. */
static phrase intern(struct phrases *terms, enum phrase_op op, uint32_t low, uint32_t high,
                     const phrase *parts, uint32_t count)
{
    assert(low <= high || op == PHRASE_EVENT); /* (5) */
    if (2 * ((uint64_t)terms->nodes.len + 1) > terms->size) grow(terms);
    uint32_t at = hash(op, low, high, parts, count) & (terms->size - 1);
    for (; terms->slots[at]; at = (at + 1) & (terms->size - 1))
        if (is_node(terms, terms->slots[at] - 1, op, low, high, parts, count))
            return (phrase){terms->slots[at] - 1};
    struct phrase_node node = {op, low, high, terms->parts.len, count};
    for (uint32_t i = 0; i < count; i++) {
        assert(parts[i].i < terms->nodes.len); /* (2) */
        vec_push(terms->mem, &terms->parts, parts[i]);
    }
    vec_push(terms->mem, &terms->nodes, node);
    terms->slots[at] = terms->nodes.len;
    return (phrase){terms->nodes.len - 1};
}

void phrases_init(struct phrases *terms, struct mem *mem)
{
    *terms = (struct phrases){.mem = mem};
    intern(terms, PHRASE_SKIP, 0, 0, NULL, 0);
}

void phrases_release(struct phrases *terms)
{
    vec_free(terms->mem, &terms->nodes);
    vec_free(terms->mem, &terms->parts);
    mem_free(terms->mem, terms->slots);
    *terms = (struct phrases){.mem = terms->mem};
}

phrase phrase_skip(void) { return (phrase){0}; }

phrase phrase_event(struct phrases *terms, uint32_t label)
{
    return intern(terms, PHRASE_EVENT, label, 0, NULL, 0);
}

static int compare_phrases(const void *a, const void *b)
{
    uint32_t x = ((const phrase *)a)->i, y = ((const phrase *)b)->i;
    return (x > y) - (x < y);
}

/* Whether a term is new among the alternatives so far; `sorted` has a copy of all of them in order,
 * with the number of times that each was met. */
struct seen {
    phrase *sorted;
    bool *met;
    uint32_t count;
};

static bool is_new(struct seen *seen, phrase t)
{
    phrase *found = bsearch(&t, seen->sorted, seen->count, sizeof t, compare_phrases);
    assert(found); /* it is one of the alternatives */
    while (found > seen->sorted && found[-1].i == t.i) found--;
    bool *met = &seen->met[found - seen->sorted];
    return !*met && (*met = true);
}

phrase phrase_join(struct phrases *terms, enum phrase_op op, const phrase *parts, uint32_t count)
{
    struct mem *mem = terms->mem;
    bool is_choice = op == PHRASE_CHOICE, is_list = op == PHRASE_SEQ || op == PHRASE_PAR;
    if (op == PHRASE_OPT || op == PHRASE_STAR || op == PHRASE_PLUS) {
        assert(count == 1); /* (4) */
        return parts[0].i == 0 ? phrase_skip() : intern(terms, op, 0, 0, parts, 1);
    }
    phrase *kept = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *kept), made;
    struct seen seen = {.count = count};
    uint32_t len = 0;
    if (is_choice) {
        seen.sorted = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *kept);
        seen.met = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *seen.met);
        memcpy(seen.sorted, parts, count * sizeof *kept);
        qsort(seen.sorted, count, sizeof *kept, compare_phrases);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_list && parts[i].i == 0) continue;
        if (is_choice && !is_new(&seen, parts[i])) continue;
        kept[len++] = parts[i];
    }
    made = len == 0 ? phrase_skip() : len == 1 ? kept[0] : intern(terms, op, 0, 0, kept, len);
    mem_free(mem, kept);
    mem_free(mem, seen.sorted);
    mem_free(mem, seen.met);
    return made;
}

phrase phrase_rep(struct phrases *terms, uint32_t low, uint32_t high, phrase part)
{
    assert(low <= high);
    if (high == 0 || part.i == 0) return phrase_skip();
    if (low == 1 && high == 1) return part;
    return intern(terms, PHRASE_REP, low, high, &part, 1);
}

phrase phrase_of(struct phrases *terms, uint32_t low, uint32_t high, const phrase *parts,
                 uint32_t count)
{
    assert(low <= high);
    if (high > count) high = count;
    if (low > count) low = count;
    return high == 0 ? phrase_skip() : intern(terms, PHRASE_OF, low, high, parts, count);
}

static bool check_node(const struct phrase_node *node, const phrase *parts, uint32_t index)
{
    bool is_list = node->op == PHRASE_SEQ || node->op == PHRASE_PAR || node->op == PHRASE_CHOICE;
    bool is_leaf = node->op == PHRASE_SKIP || node->op == PHRASE_EVENT;
    bool may_skip = node->op == PHRASE_CHOICE || node->op == PHRASE_OF;
    for (uint32_t k = 0; k < node->count; k++) {
        if (parts[k].i >= index) return false;      /* (2) */
        if (!parts[k].i && !may_skip) return false; /* (3) */
    }
    if ((node->op == PHRASE_SKIP) != (index == 0)) return false; /* (3) */
    if (node->op == PHRASE_OF)
        return node->low <= node->high && node->high <= node->count;    /* (5) */
    if (node->op == PHRASE_REP && node->low > node->high) return false; /* (5) */
    return is_list ? node->count >= 2 : node->count == !is_leaf;        /* (4) */
}

bool phrases_check(const struct phrases *terms)
{
    for (uint32_t i = 0; i < terms->nodes.len; i++) {
        const struct phrase_node *node = &terms->nodes.data[i];
        const phrase *parts = terms->parts.data + node->first;
        if (!check_node(node, parts, i)) return false;
        uint32_t at = hash(node->op, node->low, node->high, parts, node->count);
        for (at &= terms->size - 1; terms->slots[at] != i + 1; at = (at + 1) & (terms->size - 1))
            if (!terms->slots[at]
                || is_node(terms, terms->slots[at] - 1, node->op, node->low, node->high, parts,
                           node->count))
                return false; /* (1) */
    }
    return true;
}

/* ---- other terms ---- */

static phrase rebuild(struct phrases *terms, struct phrase_node node, const phrase *parts)
{
    if (node.op == PHRASE_REP) return phrase_rep(terms, node.low, node.high, parts[0]);
    if (node.op == PHRASE_OF) return phrase_of(terms, node.low, node.high, parts, node.count);
    return phrase_join(terms, node.op, parts, node.count);
}

/* Which terms t consists of, itself included. The array is the caller's to free. */
static bool *find_below(const struct phrases *terms, phrase t)
{
    bool *below = mem_alloc(terms->mem, t.i + UINT64_C(1));
    below[t.i] = true;
    for (uint32_t i = t.i + 1; i-- > 0;) {
        const struct phrase_node *node = &terms->nodes.data[i];
        for (uint32_t k = 0; below[i] && k < node->count; k++)
            below[terms->parts.data[node->first + k].i] = true;
    }
    return below;
}

phrase phrase_replace(struct phrases *terms, phrase t, const phrase *by, uint32_t labels)
{
    bool *below = find_below(terms, t);
    phrase *now = mem_alloc(terms->mem, (t.i + UINT64_C(1)) * sizeof *now);
    for (uint32_t i = 0; i <= t.i; i++) { /* parts come before what they are parts of */
        struct phrase_node node = terms->nodes.data[i];
        now[i] = (phrase){i};
        if (!below[i]) continue;
        if (node.op == PHRASE_EVENT && node.low < labels) now[i] = by[node.low];
        if (!node.count) continue;
        bool is_same = true;
        phrase *parts = mem_alloc(terms->mem, node.count * sizeof *parts);
        for (uint32_t k = 0; k < node.count; k++) {
            phrase part = terms->parts.data[node.first + k];
            parts[k] = now[part.i];
            is_same &= parts[k].i == part.i;
        }
        if (!is_same) now[i] = rebuild(terms, node, parts);
        mem_free(terms->mem, parts);
    }
    phrase made = now[t.i];
    mem_free(terms->mem, below);
    mem_free(terms->mem, now);
    return made;
}

/* ---- text ---- */

/* How tightly an operation binds: what binds less tightly than its surroundings needs
 * parentheses. */
static unsigned strength(enum phrase_op op)
{
    switch (op) {
    case PHRASE_PAR: return 0;
    case PHRASE_CHOICE: return 1;
    case PHRASE_SEQ: return 2;
    default: return 3;
    }
}

struct printer {
    struct text *text;
    const struct phrases *terms;
    phrase_label *label;
    void *data;
};

static void print(struct printer *p, phrase t, unsigned needed);

static void print_list(struct printer *p, phrase t, const char *between, unsigned needed)
{
    for (uint32_t i = 0; i < phrase_get(p->terms, t)->count; i++) {
        if (i) text_add(p->text, "%s", between);
        print(p, phrase_part(p->terms, t, i), needed);
    }
}

static void print_count(struct printer *p, const struct phrase_node *node)
{
    if (node->low == node->high) text_add(p->text, "{%" PRIu32 "}", node->low);
    else text_add(p->text, "{%" PRIu32 ",%" PRIu32 "}", node->low, node->high);
}

static void print_bare(struct printer *p, phrase t)
{
    const struct phrase_node *node = phrase_get(p->terms, t);
    switch (node->op) {
    case PHRASE_SKIP: text_add(p->text, "skip"); break;
    case PHRASE_EVENT: text_add(p->text, "%s", p->label(p->data, node->low)); break;
    case PHRASE_SEQ: print_list(p, t, "; ", 2); break; /* these three are associative */
    case PHRASE_CHOICE: print_list(p, t, " [] ", 1); break;
    case PHRASE_PAR: print_list(p, t, " || ", 0); break;
    case PHRASE_OF:
        print_count(p, node);
        text_add(p->text, " of [");
        print_list(p, t, ", ", 0);
        text_add(p->text, "]");
        break;
    default:
        print_list(p, t, "", 4);
        if (node->op == PHRASE_REP) print_count(p, node);
        else
            text_add(p->text, "%s",
                     node->op == PHRASE_OPT    ? "?"
                     : node->op == PHRASE_STAR ? "*"
                                               : "+");
    }
}

static void print(struct printer *p, phrase t, unsigned needed)
{
    enum phrase_op op = phrase_get(p->terms, t)->op;
    /* a count directly after another one, or after `of [...]`, would be hard to read */
    bool bracketed =
        strength(op) < needed && (strength(op) < 3 || op == PHRASE_REP || op == PHRASE_OF);
    if (bracketed) text_add(p->text, "(");
    print_bare(p, t);
    if (bracketed) text_add(p->text, ")");
}

void phrase_print(struct text *text, const struct phrases *terms, phrase t, phrase_label *label,
                  void *data)
{
    struct printer p = {text, terms, label, data};
    print(&p, t, 0);
}

void phrase_mark_labels(const struct phrases *terms, phrase t, bool *has, uint32_t labels)
{
    bool *below = find_below(terms, t);
    for (uint32_t i = 0; i < labels; i++) has[i] = false;
    for (uint32_t i = 0; i <= t.i; i++) {
        const struct phrase_node *node = &terms->nodes.data[i];
        if (below[i] && node->op == PHRASE_EVENT && node->low < labels) has[node->low] = true;
    }
    mem_free(terms->mem, below);
}
