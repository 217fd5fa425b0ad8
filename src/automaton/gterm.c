#include "automaton/gterm.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { HASH_MASK = 15, FIRST_SLOTS = 4 };
#else
enum { HASH_MASK = -1, FIRST_SLOTS = 64 };
#endif

static uint32_t hash(enum gterm_op op, uint32_t low, uint32_t high, const gterm *parts,
                     uint32_t count)
{
    uint64_t h = ((uint64_t)low << 32 | high) * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)op;
    for (uint32_t i = 0; i < count; i++)
        h = (h ^ h >> 29 ^ parts[i].i) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ h >> 31) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(h >> 32) & (uint32_t)HASH_MASK;
}

static bool is_node(const struct gterms *terms, uint32_t index, enum gterm_op op, uint32_t low,
                    uint32_t high, const gterm *parts, uint32_t count)
{
    const struct gterm_node *node = &terms->nodes.data[index];
    if (node->op != op || node->low != low || node->high != high || node->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (terms->parts.data[node->first + i].i != parts[i].i) return false;
    return true;
}

static void grow(struct gterms *terms)
{
    uint32_t size = terms->size ? 2 * terms->size : FIRST_SLOTS;
    uint32_t *slots = mem_alloc(terms->mem, size * sizeof *slots);
    mem_free(terms->mem, terms->slots);
    terms->slots = slots;
    terms->size = size;
    for (uint32_t i = 0; i < terms->nodes.len; i++) {
        const struct gterm_node *node = &terms->nodes.data[i];
        uint32_t at =
            hash(node->op, node->low, node->high, terms->parts.data + node->first, node->count)
            & (size - 1);
        while (slots[at]) at = (at + 1) & (size - 1);
        slots[at] = i + 1;
    }
}

/* `parts` must not lie in the table itself. */
static gterm intern(struct gterms *terms, enum gterm_op op, uint32_t low, uint32_t high,
                    const gterm *parts, uint32_t count)
{
    if (2 * ((uint64_t)terms->nodes.len + 1) > terms->size) grow(terms);
    uint32_t at = hash(op, low, high, parts, count) & (terms->size - 1);
    for (; terms->slots[at]; at = (at + 1) & (terms->size - 1))
        if (is_node(terms, terms->slots[at] - 1, op, low, high, parts, count))
            return (gterm){terms->slots[at] - 1};
    struct gterm_node node = {op, low, high, terms->parts.len, count};
    for (uint32_t i = 0; i < count; i++) vec_push(terms->mem, &terms->parts, parts[i]);
    vec_push(terms->mem, &terms->nodes, node);
    terms->slots[at] = terms->nodes.len;
    return (gterm){terms->nodes.len - 1};
}

void gterms_init(struct gterms *terms, struct mem *mem)
{
    *terms = (struct gterms){.mem = mem};
    intern(terms, GTERM_SKIP, 0, 0, NULL, 0);
}

void gterms_release(struct gterms *terms)
{
    vec_free(terms->mem, &terms->nodes);
    vec_free(terms->mem, &terms->parts);
    mem_free(terms->mem, terms->slots);
    *terms = (struct gterms){.mem = terms->mem};
}

gterm gterm_skip(void) { return (gterm){0}; }

gterm gterm_event(struct gterms *terms, uint32_t label)
{
    return intern(terms, GTERM_EVENT, label, 0, NULL, 0);
}

static int compare_gterms(const void *a, const void *b)
{
    uint32_t x = ((const gterm *)a)->i, y = ((const gterm *)b)->i;
    return (x > y) - (x < y);
}

/* Whether a term is new among the alternatives so far; `sorted` has a copy of all of them in order,
 * with the number of times that each was met. */
struct seen {
    gterm *sorted;
    bool *met;
    uint32_t count;
};

static bool is_new(struct seen *seen, gterm t)
{
    gterm *found = bsearch(&t, seen->sorted, seen->count, sizeof t, compare_gterms);
    while (found > seen->sorted && found[-1].i == t.i) found--;
    bool *met = &seen->met[found - seen->sorted];
    return !*met && (*met = true);
}

gterm gterm_join(struct gterms *terms, enum gterm_op op, const gterm *parts, uint32_t count)
{
    struct mem *mem = terms->mem;
    bool is_choice = op == GTERM_CHOICE, is_list = op == GTERM_SEQ || op == GTERM_PAR;
    if (op == GTERM_OPT || op == GTERM_STAR || op == GTERM_PLUS) {
        assert(count == 1);
        return parts[0].i == 0 ? gterm_skip() : intern(terms, op, 0, 0, parts, 1);
    }
    gterm *kept = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *kept), made;
    struct seen seen = {.count = count};
    uint32_t len = 0;
    if (is_choice) {
        seen.sorted = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *kept);
        seen.met = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *seen.met);
        memcpy(seen.sorted, parts, count * sizeof *kept);
        qsort(seen.sorted, count, sizeof *kept, compare_gterms);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_list && parts[i].i == 0) continue;
        if (is_choice && !is_new(&seen, parts[i])) continue;
        kept[len++] = parts[i];
    }
    made = len == 0 ? gterm_skip() : len == 1 ? kept[0] : intern(terms, op, 0, 0, kept, len);
    mem_free(mem, kept);
    mem_free(mem, seen.sorted);
    mem_free(mem, seen.met);
    return made;
}

gterm gterm_rep(struct gterms *terms, uint32_t low, uint32_t high, gterm part)
{
    assert(low <= high);
    if (high == 0 || part.i == 0) return gterm_skip();
    if (low == 1 && high == 1) return part;
    return intern(terms, GTERM_REP, low, high, &part, 1);
}

gterm gterm_of(struct gterms *terms, uint32_t low, uint32_t high, const gterm *parts,
               uint32_t count)
{
    assert(low <= high);
    if (high > count) high = count;
    if (low > count) low = count;
    return high == 0 ? gterm_skip() : intern(terms, GTERM_OF, low, high, parts, count);
}

/* ---- other terms ---- */

static gterm rebuild(struct gterms *terms, struct gterm_node node, const gterm *parts)
{
    if (node.op == GTERM_REP) return gterm_rep(terms, node.low, node.high, parts[0]);
    if (node.op == GTERM_OF) return gterm_of(terms, node.low, node.high, parts, node.count);
    return gterm_join(terms, node.op, parts, node.count);
}

/* Which terms t consists of, itself included. The array is the caller's to free. */
static bool *find_below(const struct gterms *terms, gterm t)
{
    bool *below = mem_alloc(terms->mem, t.i + UINT64_C(1));
    below[t.i] = true;
    for (uint32_t i = t.i + 1; i-- > 0;) {
        const struct gterm_node *node = &terms->nodes.data[i];
        for (uint32_t k = 0; below[i] && k < node->count; k++)
            below[terms->parts.data[node->first + k].i] = true;
    }
    return below;
}

gterm gterm_replace(struct gterms *terms, gterm t, const gterm *by, uint32_t labels)
{
    bool *below = find_below(terms, t);
    gterm *now = mem_alloc(terms->mem, (t.i + UINT64_C(1)) * sizeof *now);
    for (uint32_t i = 0; i <= t.i; i++) { /* parts come before what they are parts of */
        struct gterm_node node = terms->nodes.data[i];
        now[i] = (gterm){i};
        if (!below[i]) continue;
        if (node.op == GTERM_EVENT && node.low < labels) now[i] = by[node.low];
        if (!node.count) continue;
        bool is_same = true;
        gterm *parts = mem_alloc(terms->mem, node.count * sizeof *parts);
        for (uint32_t k = 0; k < node.count; k++) {
            gterm part = terms->parts.data[node.first + k];
            parts[k] = now[part.i];
            is_same &= parts[k].i == part.i;
        }
        if (!is_same) now[i] = rebuild(terms, node, parts);
        mem_free(terms->mem, parts);
    }
    gterm made = now[t.i];
    mem_free(terms->mem, below);
    mem_free(terms->mem, now);
    return made;
}

/* ---- text ---- */

/* How tightly an operation binds: what binds less tightly than its surroundings needs
 * parentheses. */
static unsigned strength(enum gterm_op op)
{
    switch (op) {
    case GTERM_PAR: return 0;
    case GTERM_CHOICE: return 1;
    case GTERM_SEQ: return 2;
    default: return 3;
    }
}

struct printer {
    struct text *text;
    const struct gterms *terms;
    gterm_label *label;
    void *data;
};

static void print(struct printer *p, gterm t, unsigned needed);

static void print_list(struct printer *p, gterm t, const char *between, unsigned needed)
{
    for (uint32_t i = 0; i < gterm_get(p->terms, t)->count; i++) {
        if (i) text_add(p->text, "%s", between);
        print(p, gterm_part(p->terms, t, i), needed);
    }
}

static void print_count(struct printer *p, const struct gterm_node *node)
{
    if (node->low == node->high) text_add(p->text, "{%" PRIu32 "}", node->low);
    else text_add(p->text, "{%" PRIu32 ",%" PRIu32 "}", node->low, node->high);
}

static void print_bare(struct printer *p, gterm t)
{
    const struct gterm_node *node = gterm_get(p->terms, t);
    switch (node->op) {
    case GTERM_SKIP: text_add(p->text, "skip"); break;
    case GTERM_EVENT: text_add(p->text, "%s", p->label(p->data, node->low)); break;
    case GTERM_SEQ: print_list(p, t, "; ", 2); break; /* these three are associative */
    case GTERM_CHOICE: print_list(p, t, " [] ", 1); break;
    case GTERM_PAR: print_list(p, t, " || ", 0); break;
    case GTERM_OF:
        print_count(p, node);
        text_add(p->text, " of [");
        print_list(p, t, ", ", 0);
        text_add(p->text, "]");
        break;
    default:
        print_list(p, t, "", 4);
        if (node->op == GTERM_REP) print_count(p, node);
        else
            text_add(p->text, "%s",
                     node->op == GTERM_OPT    ? "?"
                     : node->op == GTERM_STAR ? "*"
                                              : "+");
    }
}

static void print(struct printer *p, gterm t, unsigned needed)
{
    enum gterm_op op = gterm_get(p->terms, t)->op;
    /* a count directly after another one, or after `of [...]`, would be hard to read */
    bool bracketed =
        strength(op) < needed && (strength(op) < 3 || op == GTERM_REP || op == GTERM_OF);
    if (bracketed) text_add(p->text, "(");
    print_bare(p, t);
    if (bracketed) text_add(p->text, ")");
}

void gterm_print(struct text *text, const struct gterms *terms, gterm t, gterm_label *label,
                 void *data)
{
    struct printer p = {text, terms, label, data};
    print(&p, t, 0);
}

void gterm_mark_labels(const struct gterms *terms, gterm t, bool *has, uint32_t labels)
{
    bool *below = find_below(terms, t);
    for (uint32_t i = 0; i < labels; i++) has[i] = false;
    for (uint32_t i = 0; i <= t.i; i++) {
        const struct gterm_node *node = &terms->nodes.data[i];
        if (below[i] && node->op == GTERM_EVENT && node->low < labels) has[node->low] = true;
    }
    mem_free(terms->mem, below);
}
