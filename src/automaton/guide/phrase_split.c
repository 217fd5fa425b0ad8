/* A split goes down from the whole term through the operations that distribute over alternatives,
 * expands one kind of operand, and puts the whole together again for each result. The laws:
 *   (a [] b); c = a; c [] b; c       (a [] b) || c = a || c [] b || c       and the same on the
 *                                                                           other side
 *   {i,j} of [a, b, ...] = the choice of {i,j} of S for all sets S of j of the operands: what uses
 *       fewer is in some larger set
 *   {i,j} of [a [] b, c, ...] = {i,j} of [a, c, ...] [] {i,j} of [b, c, ...]: an operand is used
 *       once
 *   a* = skip [] a [] ... [] a{n - 1} [] a{n}; a*
 *   a* || f = a*; f; a*, when words of a and f have one label each */
#include "automaton/guide/phrase_split.h"

#include <assert.h>

struct splitter {
    struct phrases *terms;
    struct mem *mem;
    enum phrase_split_kind kind;
    uint32_t rounds;
    bool too_many;
};

static void push(struct splitter *s, struct phrase_list *list, phrase t)
{
    if (list->len >= PHRASE_SPLIT_MAX_PARTS) s->too_many = true;
    else vec_push(s->mem, list, t);
}

/* A copy of a term's parts, because the table may move. */
static phrase *copy_parts(struct splitter *s, phrase t)
{
    uint32_t count = phrase_get(s->terms, t)->count;
    phrase *parts = mem_alloc(s->mem, (count + UINT64_C(1)) * sizeof *parts);
    for (uint32_t i = 0; i < count; i++) parts[i] = phrase_part(s->terms, t, i);
    return parts;
}

static void expand(struct splitter *s, phrase t, struct phrase_list *to);

static struct phrase_list *expand_each(struct splitter *s, const phrase *parts, uint32_t count)
{
    struct phrase_list *lists = mem_alloc(s->mem, (count + UINT64_C(1)) * sizeof *lists);
    for (uint32_t i = 0; i < count; i++) expand(s, parts[i], &lists[i]);
    return lists;
}

static void free_lists(struct splitter *s, struct phrase_list *lists, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) vec_free(s->mem, &lists[i]);
    mem_free(s->mem, lists);
}

/* ---- alternatives ---- */

static phrase join(struct splitter *s, const struct phrase_node *like, const phrase *parts,
                   uint32_t count)
{
    if (like->op != PHRASE_OF) return phrase_join(s->terms, like->op, parts, count);
    return count == 1 && like->low == 1 ? parts[0]
                                        : phrase_of(s->terms, like->low, like->high, parts, count);
}

/* A term for each choice of one item from every list, the last list changing fastest. */
static void join_all(struct splitter *s, struct phrase_node like, struct phrase_list *const *lists,
                     uint32_t count, struct phrase_list *to)
{
    uint64_t total = 1;
    phrase *chosen = mem_alloc(s->mem, (count + UINT64_C(1)) * sizeof *chosen);
    for (uint32_t i = 0; i < count; i++) assert(lists[i]->len); /* what is expanded keeps a word */
    for (uint32_t i = 0; i < count && total <= PHRASE_SPLIT_MAX_PARTS; i++) total *= lists[i]->len;
    if (total > PHRASE_SPLIT_MAX_PARTS) s->too_many = true;
    for (uint64_t n = 0; n < total && !s->too_many; n++) {
        uint64_t rest = n;
        for (uint32_t i = count; i-- > 0; rest /= lists[i]->len)
            chosen[i] = lists[i]->data[rest % lists[i]->len];
        push(s, to, join(s, &like, chosen, count));
    }
    mem_free(s->mem, chosen);
}

/* Sequences and interleavings. */
static void expand_operands(struct splitter *s, phrase t, struct phrase_list *to)
{
    struct phrase_node node = *phrase_get(s->terms, t);
    phrase *parts = copy_parts(s, t);
    struct phrase_list *lists = expand_each(s, parts, node.count);
    struct phrase_list **all = mem_alloc(s->mem, node.count * sizeof *all);
    for (uint32_t i = 0; i < node.count; i++) all[i] = &lists[i];
    if (!s->too_many) join_all(s, node, all, node.count, to);
    mem_free(s->mem, all);
    free_lists(s, lists, node.count);
    mem_free(s->mem, parts);
}

/* The expansions of all alternatives; without any the choice is left as it is, unless it is
 * alternatives that are asked for. */
static void expand_choice(struct splitter *s, phrase t, struct phrase_list *to)
{
    uint32_t count = phrase_get(s->terms, t)->count;
    phrase *parts = copy_parts(s, t);
    struct phrase_list *lists = expand_each(s, parts, count);
    bool is_split = s->kind == PHRASE_SPLIT_ALTERNATIVES;
    for (uint32_t i = 0; i < count; i++) is_split |= lists[i].len > 1;
    if (!is_split) push(s, to, t);
    for (uint32_t i = 0; is_split && i < count; i++)
        for (uint32_t k = 0; k < lists[i].len; k++) push(s, to, lists[i].data[k]);
    free_lists(s, lists, count);
    mem_free(s->mem, parts);
}

/* ---- permutations ---- */

/* The next set of `size` numbers below `count`, ascending; false: that was the last. */
static bool next_set(uint32_t *set, uint32_t size, uint32_t count)
{
    for (uint32_t i = size; i-- > 0;) {
        if (set[i] >= count - size + i) continue;
        set[i]++;
        for (uint32_t k = i + 1; k < size; k++) set[k] = set[k - 1] + 1;
        return true;
    }
    return false;
}

static void expand_of(struct splitter *s, phrase t, struct phrase_list *to)
{
    struct splitter inside = {.terms = s->terms, .mem = s->mem, .kind = PHRASE_SPLIT_ALTERNATIVES};
    struct phrase_node node = *phrase_get(s->terms, t);
    phrase *parts = copy_parts(s, t);
    assert(node.high && node.high <= node.count); /* (5) of phrase.h */
    struct phrase_list *lists = expand_each(&inside, parts, node.count);
    struct phrase_list **chosen = mem_alloc(s->mem, node.high * sizeof *chosen);
    uint32_t *set = mem_alloc(s->mem, node.high * sizeof *set);
    s->too_many |= inside.too_many;
    for (uint32_t i = 0; i < node.high; i++) set[i] = i;
    do {
        for (uint32_t i = 0; i < node.high; i++) chosen[i] = &lists[set[i]];
        join_all(s, node, chosen, node.high, to);
    } while (!s->too_many && next_set(set, node.high, node.count));
    mem_free(s->mem, chosen);
    mem_free(s->mem, set);
    free_lists(s, lists, node.count);
    mem_free(s->mem, parts);
}

/* ---- positions ---- */

/* Whether every word of the term has one label. */
static bool is_single(const struct phrases *terms, phrase t)
{
    const struct phrase_node *node = phrase_get(terms, t);
    if (node->op == PHRASE_EVENT) return true;
    if (node->op != PHRASE_CHOICE && (node->op != PHRASE_OF || node->low != 1 || node->high != 1))
        return false;
    for (uint32_t i = 0; i < node->count; i++)
        if (!is_single(terms, phrase_part(terms, t, i))) return false;
    return true;
}

/* a* || f as a sequence; any other term as it is. */
static phrase in_sequence(struct splitter *s, phrase t)
{
    if (phrase_get(s->terms, t)->op != PHRASE_PAR || phrase_get(s->terms, t)->count != 2) return t;
    for (uint32_t i = 0; i < 2; i++) {
        phrase round = phrase_part(s->terms, t, i), other = phrase_part(s->terms, t, 1 - i);
        if (phrase_get(s->terms, round)->op != PHRASE_STAR
            || !is_single(s->terms, phrase_part(s->terms, round, 0)) || !is_single(s->terms, other))
            continue;
        return phrase_join(s->terms, PHRASE_SEQ, (phrase[]){round, other, round}, 3);
    }
    return t;
}

static bool is_repetition(const struct phrase_node *node)
{
    return node->op == PHRASE_STAR || node->op == PHRASE_PLUS
           || (node->op == PHRASE_REP && node->low < node->high);
}

/* The repetition as a choice of numbers of rounds. */
static void expand_rounds(struct splitter *s, phrase t, struct phrase_list *to)
{
    struct phrase_node node = *phrase_get(s->terms, t);
    phrase body = phrase_part(s->terms, t, 0);
    bool is_bounded = node.op == PHRASE_REP;
    assert(is_repetition(&node));
    uint64_t low = is_bounded ? node.low : node.op == PHRASE_PLUS,
             rounds = s->rounds ? s->rounds : PHRASE_SPLIT_ROUNDS;
    if (is_bounded && (!s->rounds || low + rounds > node.high))
        rounds = node.high - low + UINT64_C(1);
    for (uint64_t n = low; n < low + rounds && !s->too_many; n++)
        push(s, to, phrase_rep(s->terms, (uint32_t)n, (uint32_t)n, body));
    if (s->too_many || low + rounds > UINT32_MAX || (is_bounded && low + rounds > node.high))
        return;
    uint32_t past = (uint32_t)(low + rounds);
    if (is_bounded) {
        push(s, to, phrase_rep(s->terms, past, node.high, body));
        return;
    }
    phrase more[] = {phrase_rep(s->terms, past, past, body),
                     phrase_join(s->terms, PHRASE_STAR, &body, 1)};
    push(s, to, phrase_join(s->terms, PHRASE_SEQ, more, 2));
}

/* The first operand that can be expanded: of a sequence a repetition that something follows, or
 * else whatever has one inside. */
static void expand_first(struct splitter *s, phrase t, struct phrase_list *to)
{
    struct phrase_node node = *phrase_get(s->terms, t);
    phrase *parts = copy_parts(s, t);
    struct phrase_list found = {0};
    uint32_t i = 0;
    for (; i < node.count && !s->too_many; i++) {
        vec_free(s->mem, &found);
        if (node.op == PHRASE_SEQ && i + 1 < node.count
            && is_repetition(phrase_get(s->terms, parts[i])))
            expand_rounds(s, parts[i], &found);
        else expand(s, parts[i], &found);
        if (found.len > 1) break;
    }
    if (i == node.count) push(s, to, t);
    for (uint32_t k = 0; i < node.count && k < found.len; k++) {
        parts[i] = found.data[k];
        push(s, to, phrase_join(s->terms, node.op, parts, node.count));
    }
    vec_free(s->mem, &found);
    mem_free(s->mem, parts);
}

/* ---- the whole ---- */

static void expand(struct splitter *s, phrase t, struct phrase_list *to)
{
    if (s->kind == PHRASE_SPLIT_POSITION) t = in_sequence(s, t);
    enum phrase_op op = phrase_get(s->terms, t)->op;
    bool is_position = s->kind == PHRASE_SPLIT_POSITION;
    if (op == PHRASE_CHOICE) expand_choice(s, t, to);
    else if (op == PHRASE_SEQ || op == PHRASE_PAR)
        (is_position ? expand_first : expand_operands)(s, t, to);
    else if (op == PHRASE_OF && s->kind == PHRASE_SPLIT_PERMUTATIONS) expand_of(s, t, to);
    else push(s, to, t);
}

enum phrase_split_status phrase_split(struct phrases *terms, phrase t, enum phrase_split_kind kind,
                                      uint32_t rounds, struct phrase_list *parts)
{
    struct splitter s = {.terms = terms, .mem = terms->mem, .kind = kind, .rounds = rounds};
    expand(&s, t, parts);
    if (s.too_many) return PHRASE_SPLIT_TOO_MANY;
    assert(parts->len > 0);
    return parts->len > 1 ? PHRASE_SPLIT_DONE : PHRASE_SPLIT_NOTHING;
}

phrase phrase_split_union(struct phrases *terms, const struct phrase_list *parts)
{
    assert(parts->len); /* a choice of nothing would have no word */
    return phrase_join(terms, PHRASE_CHOICE, parts->data, parts->len);
}
