/* Guides. Random terms against their languages as plain sets of all words up to some length, made
 * from the definitions of the operations, not from steps: words, prefixes, minimality by comparing
 * all pairs of states, comparison with shortest differences, unrolling, lists, loops, splits,
 * texts; known sizes; limits; refused memory. */
#include "automaton/guide/compare.h"
#include "automaton/guide/compile.h"
#include "automaton/guide/phrase_split.h"
#include "automaton/guide/minimise.h"
#include "automaton/activity/paths.h"
#include "automaton/unfold.h"
#include "base/random.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { RANDOM_TERMS = 400, FAULT_TERMS = 6, ROUNDS = 200 };
#else
enum { RANDOM_TERMS = 4000, FAULT_TERMS = 15, ROUNDS = 3000 };
#endif

/* ---- languages: words of up to LENGTH letters, by number; the words of length n begin at base[n]
 * ---- */

enum { LETTERS = 3, LENGTH = 5, WORDS = 1 + 3 + 9 + 27 + 81 + 243, MOST = 5000 };
static const uint32_t base[LENGTH + 2] = {0, 1, 4, 13, 40, 121, 364};
static const uint32_t labels[LETTERS] = {0, 5, 4000000000u};

typedef struct {
    bool has[WORDS];
} language;

static unsigned length_of(unsigned word)
{
    unsigned n = 0;
    while (word >= base[n + 1]) n++;
    return n;
}

static void letters_of(unsigned word, unsigned *letters)
{
    unsigned n = length_of(word), rest = word - base[n];
    for (unsigned i = n; i-- > 0; rest /= LETTERS) letters[i] = rest % LETTERS;
}

static unsigned word_of(const unsigned *letters, unsigned n)
{
    unsigned word = 0;
    for (unsigned i = 0; i < n; i++) word = word * LETTERS + letters[i];
    return base[n] + word;
}

static language nothing_but_empty(void)
{
    language l = {{false}};
    l.has[0] = true;
    return l;
}

static language in_sequence(const language *a, const language *b)
{
    language l = {{false}};
    unsigned letters[2 * LENGTH];
    for (unsigned x = 0; x < WORDS; x++)
        for (unsigned y = 0; a->has[x] && y < base[LENGTH + 1 - length_of(x)]; y++) {
            if (!b->has[y]) continue;
            letters_of(x, letters);
            letters_of(y, letters + length_of(x));
            l.has[word_of(letters, length_of(x) + length_of(y))] = true;
        }
    return l;
}

static language either(const language *a, const language *b)
{
    language l;
    for (unsigned x = 0; x < WORDS; x++) l.has[x] = a->has[x] || b->has[x];
    return l;
}

/* For each word and each set of its places: are they a word of a, and the others one of b? */
static language interleaved(const language *a, const language *b)
{
    language l = {{false}};
    for (unsigned x = 0; x < WORDS; x++) {
        unsigned letters[LENGTH], n = length_of(x);
        letters_of(x, letters);
        for (unsigned set = 0; set < 1u << n && !l.has[x]; set++) {
            unsigned in[LENGTH], out[LENGTH], ins = 0, outs = 0;
            for (unsigned i = 0; i < n; i++)
                if (set >> i & 1) in[ins++] = letters[i];
                else out[outs++] = letters[i];
            l.has[x] = a->has[word_of(in, ins)] && b->has[word_of(out, outs)];
        }
    }
    return l;
}

static language repeated(const language *a, unsigned low, unsigned high)
{
    language power = nothing_but_empty(), l = {{false}};
    for (unsigned n = 0; n <= high; n++) {
        if (n >= low) l = either(&l, &power);
        power = in_sequence(&power, a);
    }
    return l;
}

/* All orders of all choices. */
static void choose(language *l, const language *so_far, const language *parts, unsigned count,
                   unsigned used, unsigned low, unsigned high)
{
    if (low == 0) *l = either(l, so_far);
    if (high == 0) return;
    for (unsigned k = 0; k < count; k++) {
        if (used >> k & 1) continue;
        language next = in_sequence(so_far, &parts[k]);
        choose(l, &next, parts, count, used | 1u << k, low ? low - 1 : 0, high - 1);
    }
}

static phrase random_guide(struct random *random, struct phrases *terms, unsigned depth,
                           language *l)
{
    unsigned kind = depth                               ? (unsigned)random_below(random, 10)
                    : (unsigned)random_below(random, 4) ? 1
                                                        : 0,
             count = 2;
    phrase parts[4];
    language of[4];
    *l = nothing_but_empty();
    if (kind == PHRASE_SKIP) return phrase_skip();
    if (kind == PHRASE_EVENT) {
        unsigned letter = (unsigned)random_below(random, LETTERS);
        l->has[0] = false;
        l->has[1 + letter] = true;
        return phrase_event(terms, labels[letter]);
    }
    if (kind >= PHRASE_OPT) count = kind == PHRASE_OF ? 1 + (unsigned)random_below(random, 4) : 1;
    for (unsigned i = 0; i < count; i++) parts[i] = random_guide(random, terms, depth - 1, &of[i]);
    unsigned low = (unsigned)random_below(random, 3),
             high = low + (unsigned)random_below(random, 3);
    switch (kind) {
    case PHRASE_SEQ: *l = in_sequence(&of[0], &of[1]); break;
    case PHRASE_CHOICE: *l = either(&of[0], &of[1]); break;
    case PHRASE_PAR: *l = interleaved(&of[0], &of[1]); break;
    case PHRASE_OPT: *l = repeated(&of[0], 0, 1); break;
    case PHRASE_STAR: *l = repeated(&of[0], 0, LENGTH); break;
    case PHRASE_PLUS: *l = repeated(&of[0], 1, LENGTH + 1); break;
    case PHRASE_REP:
        *l = repeated(&of[0], low, high);
        return phrase_rep(terms, low, high, parts[0]);
    default:
        if (high > count) high = count;
        if (low > count) low = count;
        memset(l, 0, sizeof *l);
        language empty = nothing_but_empty();
        choose(l, &empty, of, count, 0, low, high);
        return phrase_of(terms, low, high, parts, count);
    }
    return phrase_join(terms, (enum phrase_op)kind, parts, count);
}

/* ---- automata ---- */

static uint32_t run_word(const struct dfa *dfa, unsigned word)
{
    unsigned letters[LENGTH], n = length_of(word);
    uint32_t state = 0;
    letters_of(word, letters);
    for (unsigned i = 0; i < n && state != DFA_NONE; i++)
        state = dfa_step(dfa, state, labels[letters[i]]);
    return state;
}

static bool has_language(const struct dfa *dfa, const language *l)
{
    bool same = true;
    for (unsigned x = 0; x < WORDS && same; x++) {
        uint32_t state = run_word(dfa, x);
        same = (state != DFA_NONE && dfa_is_final(dfa, state)) == l->has[x];
    }
    return same;
}

/* Whether the guide allows just what can be continued to a word. */
static bool has_prefixes(const struct dfa *guide, const struct dfa *words)
{
    bool same = true;
    for (unsigned x = 0; x < WORDS && same; x++)
        same = (run_word(guide, x) != DFA_NONE) == (run_word(words, x) != DFA_NONE);
    for (uint32_t s = 0; s < guide->states; s++) same &= dfa_is_final(guide, s);
    return same;
}

/* Marks the pairs of states that some word tells apart, in rounds; minimal: all of them. */
static bool is_minimal(const struct dfa *dfa)
{
    uint32_t n = dfa->states;
    bool *apart = calloc((size_t)n * n, 1), more = true, good = true;
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++)
            apart[p * n + q] = dfa_is_final(dfa, p) != dfa_is_final(dfa, q);
    while (more) {
        more = false;
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q < n; q++)
                for (uint32_t e = dfa->first_edge[p];
                     !apart[p * n + q] && e < dfa->first_edge[p + 1]; e++) {
                    uint32_t to = dfa_step(dfa, q, dfa->edge_label[e]);
                    if (to != DFA_NONE && !apart[dfa->edge_to[e] * n + to]) continue;
                    apart[p * n + q] = apart[q * n + p] = more = true;
                }
    }
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < p; q++) good &= apart[p * n + q];
    free(apart);
    return good;
}

static bool same_number(const struct natural *number, uint64_t value)
{
    uint64_t found;
    return natural_fits(number, &found) && found == value;
}

/* The dag has the words that it should: against counts of the automaton's words up to LENGTH by
 * trying all of them. */
static void check_unfolding(struct unit *unit, struct mem *mem, const struct dfa *dfa)
{
    for (uint32_t bound = 0; bound <= LENGTH; bound++) {
        struct dag ends, all;
        uint32_t *state_of;
        CHECK(unit, unfold(dfa, bound, true, MOST * 10, &ends, &state_of) == BUILD_DONE
                        && unfold(dfa, bound, false, MOST * 10, &all, NULL) == BUILD_DONE);
        CHECK(unit, dag_check(&ends) && dag_check(&all) && state_of[0] == 0);
        uint64_t total = 0, maximal = 0, of_length[LENGTH + 1] = {0};
        for (unsigned x = 0; x < base[bound + 1]; x++) {
            uint32_t state = run_word(dfa, x);
            if (state == DFA_NONE) continue;
            total++;
            of_length[length_of(x)]++;
            maximal += length_of(x) == bound || dfa_is_end(dfa, state);
        }
        struct natural count = {0};
        CHECK(unit, paths_count(&ends, &count) && same_number(&count, maximal));
        natural_free(mem, &count);
        count = (struct natural){0};
        CHECK(unit, paths_count(&all, &count) && same_number(&count, total));
        natural_free(mem, &count);
        struct natural *counts = unfold_counts(dfa, bound);
        for (uint32_t n = 0; n <= bound; n++) {
            CHECK(unit, same_number(&counts[n], of_length[n]));
            natural_free(mem, &counts[n]);
        }
        mem_free(mem, counts);
        struct unfold_words list;
        CHECK(unit,
              unfold_list(dfa, bound, UINT64_MAX, &list) == BUILD_DONE && list.count == total);
        for (uint64_t i = 0; i < list.count; i++) {
            uint32_t word[LENGTH + 1];
            unfold_word(&list, i, word);
            CHECK(unit, list.length[i] <= bound && dfa_accepts(dfa, word, list.length[i])
                            && (i == 0 || list.length[i - 1] <= list.length[i]));
        }
        unfold_release(&list);
        CHECK(unit, unfold_list(dfa, bound, 2, &list) == BUILD_DONE
                        && list.count == (total < 2 ? total : 2));
        unfold_release(&list);
        dag_release(&ends);
        dag_release(&all);
        mem_free(mem, state_of);
    }
}

static void check_finite(struct unit *unit, struct mem *mem, const struct dfa *dfa)
{
    struct dag dag;
    struct natural count = {0}, *counts;
    enum build_status status = unfold_acyclic(dfa, &dag, false);
    if (status == BUILD_TOO_LARGE) { /* as long a word as there are states: a cycle */
        counts = unfold_counts(dfa, dfa->states);
        CHECK(unit, !same_number(&counts[dfa->states], 0));
    } else {
        counts = unfold_counts(dfa, dfa->states);
        CHECK(unit,
              same_number(&counts[dfa->states], 0) && dag_check(&dag) && paths_count(&dag, &count));
        struct natural sum = {0};
        natural_set(mem, &sum, 0);
        for (uint32_t n = 0; n <= dfa->states; n++) natural_increase(mem, &sum, &counts[n]);
        CHECK(unit, natural_compare(&sum, &count) == 0);
        natural_free(mem, &sum);
        natural_free(mem, &count);
        dag_release(&dag);
    }
    for (uint32_t n = 0; n <= dfa->states; n++) natural_free(mem, &counts[n]);
    mem_free(mem, counts);
}

/* The first word by length that tells the languages apart, or WORDS. */
static unsigned first_difference(const struct dfa *a, const struct dfa *b, bool both_ways)
{
    for (unsigned x = 0; x < WORDS; x++) {
        bool in_a = run_word(a, x) != DFA_NONE, in_b = run_word(b, x) != DFA_NONE;
        if (in_a > in_b || (both_ways && in_b > in_a)) return x;
    }
    return WORDS;
}

static void check_word(struct unit *unit, struct mem *mem, unsigned wanted,
                       struct compare_word *word)
{
    unsigned letters[LENGTH];
    if (wanted < WORDS) {
        letters_of(wanted, letters);
        CHECK(unit,
              word->exists
                  && word->length
                         == length_of(
                             wanted)); /* labels ascend as letters do, so it is the very word */
        for (unsigned i = 0; word->exists && i < word->length && i < length_of(wanted); i++)
            CHECK(unit, word->labels[i] == labels[letters[i]]);
    } else {
        CHECK(unit, !word->exists || word->length > LENGTH);
    }
    mem_free(mem, word->labels);
}

static void check_comparison(struct unit *unit, struct mem *mem, const struct dfa *a,
                             const struct dfa *b)
{
    struct compare_word word;
    bool of_first = false;
    CHECK(unit, compare_within(a, b, &word) == BUILD_DONE
                    && (!word.exists
                        || (dfa_accepts(a, word.labels, word.length)
                            && !dfa_accepts(b, word.labels, word.length))));
    check_word(unit, mem, first_difference(a, b, false), &word);
    CHECK(unit,
          compare_equal(a, b, &word, &of_first) == BUILD_DONE && word.exists == !dfa_same(a, b));
    if (word.exists)
        CHECK(unit, dfa_accepts(a, word.labels, word.length) == of_first
                        && dfa_accepts(b, word.labels, word.length) != of_first);
    check_word(unit, mem, first_difference(a, b, true), &word);
}

/* A label in the place of which another one may stand, and one that may happen at any time. */
static void check_replaced(struct unit *unit, struct mem *mem, struct phrases *terms, phrase t)
{
    struct dfa before, after;
    uint32_t l = labels[1], other = 900;
    phrase *by = calloc(l + 1, sizeof *by);
    for (uint32_t i = 0; i <= l; i++) by[i] = phrase_event(terms, i);
    by[l] = phrase_join(terms, PHRASE_CHOICE, (phrase[]){by[l], phrase_event(terms, other)}, 2);
    CHECK(unit, compile_guide(&before, mem, terms, t, MOST) == BUILD_DONE);
    phrase made = phrase_replace(terms, t, by, l + 1);
    CHECK(unit, compile_guide(&after, mem, terms, made, MOST) == BUILD_DONE);
    CHECK(unit,
          before.states == after.states); /* states are numbered by labels met, so walk both */
    uint32_t *twin = calloc(before.states, sizeof *twin);
    bool *met = calloc(before.states, sizeof *met);
    met[0] = true;
    for (uint32_t round = 0; round < before.states; round++)
        for (uint32_t s = 0; s < before.states; s++)
            for (uint32_t e = before.first_edge[s]; met[s] && e < before.first_edge[s + 1]; e++) {
                uint32_t to = before.edge_to[e], label = before.edge_label[e];
                uint32_t there = dfa_step(&after, twin[s], label);
                CHECK(unit, there != DFA_NONE && (!met[to] || twin[to] == there));
                CHECK(unit, label != l || dfa_step(&after, twin[s], other) == there);
                met[to] = true;
                twin[to] = there;
            }
    free(by);
    free(twin);
    free(met);
    dfa_release(&before);
    dfa_release(&after);
}

static void check_splits(struct unit *unit, struct mem *mem, struct phrases *terms, phrase t,
                         const struct dfa *guide)
{
    static const uint32_t rounds[] = {0, 0, 0, 1, 3};
    for (unsigned i = 0; i < 5; i++) {
        struct phrase_list parts = {0};
        struct dfa together;
        enum phrase_split_status status = phrase_split(
            terms, t, i < 2 ? (enum phrase_split_kind)i : PHRASE_SPLIT_POSITION, rounds[i], &parts);
        CHECK(unit, status == PHRASE_SPLIT_TOO_MANY
                        || (status == PHRASE_SPLIT_DONE ? parts.len > 1 : parts.len == 1));
        if (status != PHRASE_SPLIT_TOO_MANY && parts.len < 500) {
            CHECK(unit,
                  compile_guide(&together, mem, terms, phrase_split_union(terms, &parts), MOST)
                          == BUILD_DONE
                      && dfa_same(&together, guide));
            dfa_release(&together);
        }
        vec_free(mem, &parts);
    }
}

static void random_terms(struct unit *unit, struct mem *mem)
{
    struct random random = {7};
    struct dfa last = {.mem = mem};
    for (unsigned i = 0; i < RANDOM_TERMS; i++) {
        struct phrases terms;
        language l;
        struct dfa words, guide;
        phrases_init(&terms, mem);
        phrase t = random_guide(&random, &terms, (unsigned)random_below(&random, 4), &l);
        enum build_status status = compile_words(&words, mem, &terms, t, MOST);
        enum build_status other = compile_guide(&guide, mem, &terms, t, MOST);
        if (status == BUILD_DONE && other == BUILD_DONE) {
            CHECK(unit, dfa_check(&words) && dfa_check(&guide) && has_language(&words, &l)
                            && has_prefixes(&guide, &words));
            if (words.states < 150) CHECK(unit, is_minimal(&words) && is_minimal(&guide));
            if (guide.states < 150) check_unfolding(unit, mem, &guide);
            if (guide.states < 150) check_finite(unit, mem, &guide);
            if (last.states) check_comparison(unit, mem, &last, &guide);
            check_replaced(unit, mem, &terms, t);
            check_splits(unit, mem, &terms, t, &guide);
            dfa_release(&last);
            last = guide;
            guide = (struct dfa){.mem = mem};
        }
        dfa_release(&words);
        dfa_release(&guide);
        phrases_release(&terms);
    }
    dfa_release(&last);
}

/* ---- known facts ---- */

static phrase all_of(struct phrases *terms, unsigned count, enum phrase_op op, uint32_t low,
                     uint32_t high)
{
    phrase parts[64];
    for (unsigned i = 0; i < count; i++) parts[i] = phrase_event(terms, i);
    return op == PHRASE_OF ? phrase_of(terms, low, high, parts, count)
                           : phrase_join(terms, op, parts, count);
}

static void sized(struct unit *unit, struct mem *mem, struct phrases *terms, phrase t,
                  uint32_t states, uint32_t edges)
{
    struct dfa dfa;
    CHECK(unit, compile_guide(&dfa, mem, terms, t, 1 << 20) == BUILD_DONE && dfa.states == states
                    && dfa.edges == edges);
    dfa_release(&dfa);
}

static const char *letter_of(void *data, uint32_t label)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    (void)data;
    return names[label % 6];
}

static void texts(struct unit *unit, struct mem *mem, struct phrases *terms)
{
    phrase a = phrase_event(terms, 0), b = phrase_event(terms, 1),
           star = phrase_join(terms, PHRASE_STAR, &a, 1);
    phrase both = phrase_join(terms, PHRASE_CHOICE, (phrase[]){a, b, a}, 3),
           seq = phrase_join(terms, PHRASE_SEQ, (phrase[]){both, phrase_skip(), star}, 3);
    phrase rep = phrase_rep(terms, 2, 2, seq),
           of = phrase_of(
               terms, 1, 9,
               (phrase[]){seq, rep, phrase_join(terms, PHRASE_PAR, (phrase[]){a, seq}, 2)}, 3);
    phrase whole = phrase_join(terms, PHRASE_PAR,
                               (phrase[]){phrase_rep(terms, 0, 2, of),
                                          phrase_join(terms, PHRASE_OPT, &star, 1),
                                          phrase_rep(terms, 3, 4, rep)},
                               3);
    struct text text;
    text_init(&text, mem);
    phrase_print(&text, terms, whole, letter_of, NULL);
    CHECK(unit, !strcmp(text.data, "({1,3} of [(a [] b); a*, ((a [] b); a*){2}, a || (a [] b); "
                                   "a*]){0,2} || a*? || (((a [] b); a*){2}){3,4}"));
    text_free(&text);
    CHECK(unit, phrase_join(terms, PHRASE_SEQ, NULL, 0).i == 0
                    && phrase_rep(terms, 1, 1, a).i == a.i
                    && phrase_of(terms, 0, 3, NULL, 0).i == 0);
    CHECK(unit, phrase_join(terms, PHRASE_SEQ, (phrase[]){a, phrase_skip()}, 2).i == a.i
                    && phrase_event(terms, 1).i == b.i);
    bool has[3];
    phrase_mark_labels(terms, seq, has, 3);
    CHECK(unit, has[0] && has[1] && !has[2]);
}

static void known_facts(struct unit *unit, struct mem *mem)
{
    struct phrases terms;
    phrases_init(&terms, mem);
    phrase h = phrase_event(&terms, 99), star = phrase_join(&terms, PHRASE_STAR, &h, 1),
           f = phrase_event(&terms, 98);
    sized(unit, mem, &terms, phrase_skip(), 1, 0);
    sized(unit, mem, &terms, star, 1, 1);
    sized(unit, mem, &terms, phrase_join(&terms, PHRASE_PAR, (phrase[]){star, f}, 2), 2, 3);
    sized(unit, mem, &terms, phrase_join(&terms, PHRASE_SEQ, (phrase[]){star, f, star}, 3), 2, 3);
    sized(unit, mem, &terms, all_of(&terms, 12, PHRASE_OF, 0, 3), 1 + 12 + 66 + 1,
          12 + 12 * 11 + 66 * 10);
    sized(unit, mem, &terms,
          phrase_join(&terms, PHRASE_PAR, (phrase[]){star, all_of(&terms, 12, PHRASE_OF, 3, 3)}, 2),
          80, 12 + 12 * 11 + 66 * 10 + 80);
    sized(unit, mem, &terms, all_of(&terms, 8, PHRASE_PAR, 0, 0), 256, 8 * 128);
    sized(unit, mem, &terms, phrase_rep(&terms, ROUNDS, ROUNDS, h), ROUNDS + 1, ROUNDS);
    sized(unit, mem, &terms, phrase_rep(&terms, 0, ROUNDS, phrase_join(&terms, PHRASE_OPT, &h, 1)),
          ROUNDS + 1, ROUNDS);
    texts(unit, mem, &terms);
    phrases_release(&terms);
}

static void limits(struct unit *unit, struct mem *mem)
{
    struct phrases terms;
    struct dfa dfa;
    struct dag dag;
    phrases_init(&terms, mem);
    phrase h = phrase_event(&terms, 99),
           large[] = {all_of(&terms, 30, PHRASE_PAR, 0, 0), all_of(&terms, 30, PHRASE_OF, 15, 20),
                      phrase_rep(&terms, 5000, 6000, h), phrase_rep(&terms, 0, 6000, h)};
    for (unsigned i = 0; i < 4; i++) {
        CHECK(unit,
              compile_guide(&dfa, mem, &terms, large[i], 500) == BUILD_TOO_LARGE && !dfa.states);
        CHECK(unit,
              compile_words(&dfa, mem, &terms, large[i], 500) == BUILD_TOO_LARGE && !dfa.states);
        phrase inside = phrase_join(&terms, PHRASE_STAR, &large[i], 1);
        CHECK(unit,
              compile_guide(&dfa, mem, &terms, inside, 500) == BUILD_TOO_LARGE && !dfa.states);
    }
    CHECK(unit, compile_guide(&dfa, mem, &terms, phrase_rep(&terms, 0, 499, h), 500) == BUILD_DONE
                    && dfa.states == 500);
    CHECK(unit, unfold(&dfa, 1000000, true, 499, &dag, NULL) == BUILD_TOO_LARGE && !dag.states);
    CHECK(unit, unfold(&dfa, 1000000, true, 500, &dag, NULL) == BUILD_DONE && dag.states == 500);
    dag_release(&dag);
    dfa_release(&dfa);
    phrases_release(&terms);
}

/* The n-th allocation fails, for every n: a status, and nothing is left behind. */
static void faults(struct unit *unit, struct mem *mem)
{
    struct random random = {11};
    for (unsigned i = 0; i < FAULT_TERMS; i++) {
        struct phrases terms;
        language l;
        phrases_init(&terms, mem);
        phrase t = random_guide(&random, &terms, 3, &l);
        uint64_t used = mem->used;
        bool refused = true;
        for (uint64_t n = 1; refused; n++) {
            struct dfa dfa;
            struct dag dag = {.mem = mem};
            struct compare_word word = {0};
            bool of_first;
            mem->fail_at = mem->allocations + n;
            enum build_status status = compile_guide(&dfa, mem, &terms, t, MOST);
            if (status == BUILD_DONE) status = unfold(&dfa, 4, true, MOST, &dag, NULL);
            if (status == BUILD_DONE) status = compare_equal(&dfa, &dfa, &word, &of_first);
            refused = status == BUILD_REFUSED;
            mem->fail_at = 0;
            dag_release(&dag);
            dfa_release(&dfa);
            mem_free(mem, word.labels);
            CHECK(unit, mem->used == used);
        }
        phrases_release(&terms);
    }
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    mem_init(&mem);
    random_terms(&unit, &mem);
    known_facts(&unit, &mem);
    limits(&unit, &mem);
    faults(&unit, &mem);
    CHECK(&unit, mem.used == 0);
    mem_release(&mem);
    return unit_finish(&unit);
}
