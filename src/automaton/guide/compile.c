/* Every part of a term gets its minimal automaton, from the parts upwards, so that an operation
 * never works on more than the least that its operands allow: interleaving operands with different
 * labels gives no state that is not needed, and equal parts are compiled once. Parts have smaller
 * indices than the term, so there is no recursion. An automaton is freed when nothing needs it any
 * more.
 *
 * The prefixes of a term's words are found without the words themselves where that is less work:
 *    prefixes(a [] b) = prefixes(a) + prefixes(b)
 *    prefixes(a || b) = prefixes(a) || prefixes(b)
 *    prefixes(a; b) = those of a and a; prefixes(b)
 *    prefixes(a*), (a{i,j}), ({i,j} of [a, b]): from the words of a and b
 * This rests on no term being without a word, so that whatever has begun can be finished. So each
 * term has two automata, WORDS and PREFIXES, of which the ones needed are made. */
#include "automaton/guide/compile.h"

#include "automaton/guide/operate.h"
#include "base/checked.h"

enum { WORDS, PREFIXES, FORMS };

struct compiler {
    struct mem *mem;
    const struct phrases *terms;
    uint32_t max_states;
    struct dfa *made;            /* [FORMS * term + form] */
    uint32_t *needed;            /* [likewise]: how many operations need it, + 1 for the whole */
    const struct dfa **operands; /* of the operation at hand */
};

/* In which form an operation in some form needs an operand. */
static unsigned form_of_part(const struct phrase_node *node, unsigned form, uint32_t index)
{
    switch (node->op) {
    case PHRASE_SEQ: return index + 1 == node->count ? form : WORDS;
    case PHRASE_CHOICE:
    case PHRASE_PAR:
    case PHRASE_OPT: return form;
    default: return WORDS;
    }
}

static size_t part_of(const struct compiler *c, const struct phrase_node *node, unsigned form,
                      uint32_t index)
{
    return FORMS * (size_t)c->terms->parts.data[node->first + index].i
           + form_of_part(node, form, index);
}

/* Marks what is needed; returns the most operands of an operation. */
static uint32_t mark_needed(struct compiler *c, uint32_t top, unsigned form)
{
    uint32_t most = 0;
    c->needed[FORMS * (size_t)top + form] = 1;
    for (uint32_t t = top + 1; t-- > 0;) {
        const struct phrase_node *node = &c->terms->nodes.data[t];
        for (form = 0; form < FORMS; form++) {
            if (!c->needed[FORMS * (size_t)t + form]) continue;
            if (node->count > most) most = node->count;
            for (uint32_t i = 0; i < node->count; i++) c->needed[part_of(c, node, form, i)]++;
        }
    }
    return most;
}

/* Neighbours first, then the results, and so on. Overwrites the list of operands. */
static enum build_status fold_par(struct compiler *c, const struct operate *how, uint32_t count,
                                  struct dfa *to)
{
    enum build_status status = BUILD_DONE;
    const struct dfa **at = c->operands;
    struct dfa *own = mem_try_alloc(
        c->mem,
        (size_t)count * sizeof *own); /* what was made on the way; at[i] is &own[i] or an operand */
    if (!own) return BUILD_REFUSED;
    for (uint32_t i = 0; i < count; i++) own[i].mem = c->mem;
    for (uint32_t len = count; len > 1 && status == BUILD_DONE; len = len / 2 + len % 2) {
        for (uint32_t i = 0; i < len / 2 && status == BUILD_DONE; i++) {
            struct dfa both;
            status = operate_par(how, at[2 * i], at[2 * i + 1], &both);
            dfa_release(&own[2 * i]);
            dfa_release(&own[2 * i + 1]);
            own[i] = both;
            at[i] = &own[i];
        }
        if (len % 2 == 0 || status != BUILD_DONE) continue;
        bool is_own = at[len - 1] == &own[len - 1];
        own[len / 2] = own[len - 1]; /* the one without a neighbour */
        own[len - 1] = (struct dfa){.mem = c->mem};
        at[len / 2] = is_own ? &own[len / 2] : at[len - 1];
    }
    if (status == BUILD_DONE) {
        *to = own[0];
        own[0] = (struct dfa){.mem = c->mem};
    }
    for (uint32_t i = 0; i < count; i++) dfa_release(&own[i]);
    mem_free(c->mem, own);
    return status;
}

static enum build_status operate(struct compiler *c, const struct operate *how,
                                 const struct phrase_node *node, struct dfa *to)
{
    const struct dfa *const *parts = c->operands;
    switch (node->op) {
    case PHRASE_SKIP: return operate_skip(how, to);
    case PHRASE_EVENT: return operate_event(how, node->low, to);
    case PHRASE_SEQ: return operate_seq(how, parts, node->count, to);
    case PHRASE_CHOICE: return operate_choice(how, parts, node->count, false, to);
    case PHRASE_OPT: return operate_choice(how, parts, node->count, true, to);
    case PHRASE_PAR: return fold_par(c, how, node->count, to);
    case PHRASE_STAR: return operate_repeat(how, parts[0], true, to);
    case PHRASE_PLUS: return operate_repeat(how, parts[0], false, to);
    case PHRASE_REP: return operate_rep(how, parts[0], node->low, node->high, to);
    case PHRASE_OF: return operate_of(how, parts, node->count, node->low, node->high, to);
    }
    assert(false); /* every operation has its case */
    return BUILD_REFUSED;
}

/* How many labels a shortest and a longest word have at least; INFINITE: there is no longest
 * one. */
struct lengths {
    uint64_t shortest, longest;
};
#define INFINITE UINT64_MAX

static uint64_t add(uint64_t a, uint64_t b)
{
    return a == INFINITE || b == INFINITE ? INFINITE : a + b;
}

static struct lengths lengths_of(const struct compiler *c, const struct phrase_node *node,
                                 const struct lengths *known)
{
    struct lengths sum = {0, 0}, least = {INFINITE, 0};
    for (uint32_t i = 0; i < node->count; i++) {
        struct lengths part = known[c->terms->parts.data[node->first + i].i];
        sum.shortest = add(sum.shortest, part.shortest);
        if (node->op != PHRASE_OF || i < node->high) sum.longest = add(sum.longest, part.longest);
        if (part.shortest < least.shortest) least.shortest = part.shortest;
        if (part.longest > least.longest) least.longest = part.longest;
    }
    switch (node->op) {
    case PHRASE_SKIP: return (struct lengths){0, 0};
    case PHRASE_EVENT: return (struct lengths){1, 1};
    case PHRASE_SEQ:
    case PHRASE_PAR: return sum;
    case PHRASE_CHOICE: return least;
    case PHRASE_OPT: return (struct lengths){0, sum.longest};
    case PHRASE_STAR: return (struct lengths){0, sum.longest ? INFINITE : 0};
    case PHRASE_PLUS: return (struct lengths){sum.shortest, sum.longest ? INFINITE : 0};
    case PHRASE_REP:
        return (struct lengths){node->low * sum.shortest,
                                sum.longest == INFINITE ? INFINITE : node->high * sum.longest};
    case PHRASE_OF: return (struct lengths){node->low * least.shortest, sum.longest};
    }
    return least;
}

/* A shortest word meets no state twice, and if the words are finitely many, no word does: so some
 * terms are seen to be too large before any work is done. */
static enum build_status check_lengths(const struct compiler *c, uint32_t top)
{
    const uint64_t most = c->max_states;
    enum build_status status = BUILD_DONE;
    struct lengths *known = mem_try_alloc(c->mem, ((size_t)top + 1) * sizeof *known);
    if (!known) return BUILD_REFUSED;
    for (uint32_t t = 0; t <= top && status == BUILD_DONE; t++) {
        known[t] = lengths_of(c, &c->terms->nodes.data[t], known);
        bool is_needed =
            c->needed[FORMS * (size_t)t + WORDS] || c->needed[FORMS * (size_t)t + PREFIXES];
        bool is_long = known[t].longest != INFINITE && known[t].longest >= most;
        if ((is_needed && is_long)
            || (c->needed[FORMS * (size_t)t + WORDS] && known[t].shortest >= most))
            status = BUILD_TOO_LARGE;
        if (known[t].shortest > most)
            known[t].shortest = most; /* so that no sum or product overflows */
        if (is_long) known[t].longest = most;
    }
    mem_free(c->mem, known);
    return status;
}

static enum build_status compute(struct compiler *c, uint32_t t, unsigned form)
{
    const struct phrase_node *node = &c->terms->nodes.data[t];
    struct operate how = {c->mem, c->max_states, form == PREFIXES};
    struct dfa *to = &c->made[FORMS * (size_t)t + form];
    assert(!to->states); /* it is made once */
    for (uint32_t i = 0; i < node->count; i++) {
        c->operands[i] = &c->made[part_of(c, node, form, i)];
        assert(c->operands[i]->states); /* parts are compiled before, and kept until now */
    }
    enum build_status status = operate(c, &how, node, to);
    if (status == BUILD_DONE && to->states > c->max_states) status = BUILD_TOO_LARGE;
    for (uint32_t i = 0; i < node->count; i++) {
        size_t part = part_of(c, node, form, i);
        assert(c->needed[part]);
        if (!--c->needed[part]) dfa_release(&c->made[part]);
    }
    return status;
}

static enum build_status run(struct compiler *c, uint32_t top, unsigned form)
{
    size_t count = FORMS * ((size_t)top + 1);
    enum build_status status = BUILD_DONE;
    c->made = mem_try_alloc(c->mem, count * sizeof *c->made);
    c->needed = mem_try_alloc(c->mem, count * sizeof *c->needed);
    if (!c->made || !c->needed) return BUILD_REFUSED;
    for (size_t i = 0; i < count; i++) c->made[i].mem = c->mem;
    uint32_t most = mark_needed(c, top, form);
    c->operands = mem_try_alloc(c->mem, ((size_t)most + 1) * sizeof *c->operands);
    if (!c->operands) return BUILD_REFUSED;
    status = check_lengths(c, top);
    for (uint32_t t = 0; t <= top && status == BUILD_DONE; t++)
        for (unsigned f = 0; f < FORMS && status == BUILD_DONE; f++)
            if (c->needed[FORMS * (size_t)t + f]) status = compute(c, t, f);
    return status;
}

static enum build_status compile(struct dfa *dfa, struct mem *mem, const struct phrases *terms,
                                 phrase t, uint32_t max_states, unsigned form)
{
    struct compiler c = {.mem = mem, .terms = terms, .max_states = max_states};
    size_t whole = FORMS * (size_t)t.i + form;
    *dfa = (struct dfa){.mem = mem};
    enum build_status status = run(&c, t.i, form);
    if (status == BUILD_DONE) {
        *dfa = c.made[whole];
        c.made[whole] = (struct dfa){.mem = mem};
    }
    for (size_t i = 0; c.made && i < FORMS * ((size_t)t.i + 1); i++) dfa_release(&c.made[i]);
    mem_free(mem, c.made);
    mem_free(mem, c.needed);
    mem_free(mem, c.operands);
    assert(status != BUILD_DONE || dfa_check(dfa));
    return status;
}

/* For checks. */
static bool all_final(const struct dfa *dfa)
{
    for (uint32_t s = 0; s < dfa->states; s++)
        if (!dfa_is_final(dfa, s)) return false;
    return true;
}

enum build_status compile_guide(struct dfa *dfa, struct mem *mem, const struct phrases *terms,
                                phrase t, uint32_t max_states)
{
    enum build_status status = compile(dfa, mem, terms, t, max_states, PREFIXES);
    CHECKED(status != BUILD_DONE || all_final(dfa)); /* the contract */
    return status;
}

enum build_status compile_words(struct dfa *dfa, struct mem *mem, const struct phrases *terms,
                                phrase t, uint32_t max_states)
{
    return compile(dfa, mem, terms, t, max_states, WORDS);
}
