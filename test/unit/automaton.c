/* Automata of activities. Random terms against their languages as plain lists of words: words,
 * minimality (classes of prefixes with equal rests), counts, sub-automata, orders against the
 * definition and against the best order of all; known sizes; limits, refused memory; natural
 * numbers that grow. */
#include "automaton/activity/dag.h"
#include "automaton/dot.h"
#include "automaton/activity/future.h"
#include "automaton/activity/order.h"
#include "automaton/activity/paths.h"
#include "base/natural.h"
#include "base/random.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE /* everything collides: quadratic */
enum { RANDOM_TERMS = 250, RANDOM_GRAPHS = 100, CUBE = 6, HANDLES = 6, CHAIN = 5, DEEP = 100 };
#else
enum {
    RANDOM_TERMS = 800,
    RANDOM_GRAPHS = 300,
    CUBE = 11,
    HANDLES = 1000,
    CHAIN = 20,
    DEEP = 3000
};
#endif

/* ---- languages as sorted lists of words; a letter is 'a' + n ---- */

enum { WORD = 12, WORDS = 5000, MANY_WORDS = 600, LETTERS = 4 };
static const uint32_t labels[LETTERS] = {0, 7, 1000000, UINT32_MAX};

struct language {
    unsigned count;
    bool overflow; /* too long or too many: of no use */
    char words[WORDS][WORD + 1];
};

static void add_word(struct language *l, const char *word)
{
    unsigned low = 0;
    for (unsigned high = l->count; low < high;) {
        unsigned middle = (low + high) / 2;
        if (strcmp(l->words[middle], word) < 0) low = middle + 1;
        else high = middle;
    }
    if (low < l->count && !strcmp(l->words[low], word)) return;
    if (l->count == WORDS) {
        l->overflow = true;
        return;
    }
    memmove(l->words[low + 1], l->words[low], (l->count - low) * sizeof *l->words);
    strcpy(l->words[low], word);
    l->count++;
}

static bool has_word(const struct language *l, const char *word)
{
    for (unsigned i = 0; i < l->count; i++)
        if (!strcmp(l->words[i], word)) return true;
    return false;
}

static void add_shuffles(struct language *l, char *word, unsigned len, const char *a, const char *b)
{
    if (l->count > MANY_WORDS) l->overflow = true;
    if (l->overflow) return;
    if (!*a && !*b) {
        word[len] = 0;
        add_word(l, word);
        return;
    }
    if (*a) word[len] = *a, add_shuffles(l, word, len + 1, a + 1, b);
    if (*b) word[len] = *b, add_shuffles(l, word, len + 1, a, b + 1);
}

static void combine(struct language *to, enum term_op op, const struct language *a,
                    const struct language *b)
{
    char word[2 * WORD + 1];
    to->count = 0;
    to->overflow = a->overflow || b->overflow;
    if (op == TERM_CHOICE) {
        for (unsigned i = 0; i < a->count; i++) add_word(to, a->words[i]);
        for (unsigned i = 0; i < b->count; i++) add_word(to, b->words[i]);
        return;
    }
    for (unsigned i = 0; i < a->count && !to->overflow; i++)
        for (unsigned k = 0; k < b->count && !to->overflow; k++) {
            if (strlen(a->words[i]) + strlen(b->words[k]) > WORD) {
                to->overflow = true;
            } else if (op == TERM_SEQ) {
                strcat(strcpy(word, a->words[i]), b->words[k]);
                add_word(to, word);
                to->overflow |= to->count > MANY_WORDS;
            } else {
                add_shuffles(to, word, 0, a->words[i], b->words[k]);
            }
        }
}

/* A random term and its language, which the caller frees. */
static struct language *random_term(struct random *random, struct terms *terms, unsigned depth,
                                    term *t)
{
    struct language *l = calloc(1, sizeof *l);
    unsigned kind =
        (unsigned)(depth > 2 ? 3 + random_below(random, 8) : random_below(random, depth ? 11 : 4));
    if (kind == 0) {
        *t = term_skip();
        add_word(l, "");
    } else if (kind < 4) {
        unsigned letter = (unsigned)random_below(random, LETTERS);
        *t = term_event(terms, labels[letter]);
        add_word(l, (char[2]){(char)('a' + letter), 0});
    } else if (kind == 4) {
        unsigned times = (unsigned)random_below(random, 4);
        struct language *part = random_term(random, terms, depth - 1, t),
                        *more = calloc(1, sizeof *more);
        *t = term_loop(terms, times, *t);
        add_word(l, "");
        for (unsigned i = 0; i < times; i++) combine(more, TERM_SEQ, l, part), *l = *more;
        free(part);
        free(more);
    } else {
        term a, b;
        struct language *x = random_term(random, terms, depth - 1, &a),
                        *y = random_term(random, terms, depth - 1, &b);
        enum term_op op = kind < 7 ? TERM_SEQ : kind < 9 ? TERM_CHOICE : TERM_PAR;
        *t = op == TERM_SEQ      ? term_seq(terms, a, b)
             : op == TERM_CHOICE ? term_choice(terms, a, b)
                                 : term_par(terms, a, b);
        combine(l, op, x, y);
        free(x);
        free(y);
    }
    return l;
}

static unsigned encode(const char *word, uint32_t *code)
{
    unsigned len = 0;
    for (; word[len]; len++) code[len] = labels[word[len] - 'a'];
    return len;
}

static void decode(const uint32_t *code, uint32_t len, char *word)
{
    for (uint32_t i = 0; i < len; i++) {
        unsigned letter = 0;
        while (letter < LETTERS && labels[letter] != code[i]) letter++;
        word[i] = (char)('a' + letter);
    }
    word[len] = 0;
}

/* Classes of prefixes with equal rests, and the letters that follow them: what a minimal automaton
 * has. */
static void count_classes(const struct language *l, unsigned *classes, unsigned *edges)
{
    static struct {
        unsigned first, count, prefix;
    } found[WORDS * WORD];
    *classes = *edges = 0;
    for (unsigned i = 0; i < l->count; i++)
        for (unsigned prefix = 0; prefix <= strlen(l->words[i]); prefix++) {
            if (i && !strncmp(l->words[i - 1], l->words[i], prefix))
                continue; /* not its first word */
            unsigned count = 0, k = 0;
            while (i + count < l->count && !strncmp(l->words[i + count], l->words[i], prefix))
                count++;
            for (; k < *classes; k++) {
                if (found[k].count != count) continue;
                unsigned same = 0;
                while (same < count
                       && !strcmp(l->words[found[k].first + same] + found[k].prefix,
                                  l->words[i + same] + prefix))
                    same++;
                if (same == count) break;
            }
            if (k < *classes) continue;
            found[k].first = i, found[k].count = count, found[k].prefix = prefix;
            ++*classes;
            for (unsigned w = i; w < i + count; w++) {
                char letter = l->words[w][prefix];
                *edges += letter && (w == i || l->words[w - 1][prefix] != letter);
            }
        }
}

/* ---- checks of one automaton ---- */

static void check_words(struct unit *unit, const struct dag *dag, const struct language *l)
{
    struct paths paths;
    struct paths_walk walk;
    struct natural rank = {NULL, 0};
    uint32_t code[WORD + 1], len;
    uint64_t all;
    char word[WORD + 1];
    unsigned count = 0, wrong = 0;
    CHECK(unit, paths_init(&paths, dag) && paths_walk_init(&walk, dag));
    struct natural total = paths_from(&paths, 0);
    CHECK(unit, natural_fits(&total, &all) && all == l->count);
    while (paths_next(&walk)) {
        decode(walk.word, walk.length, word);
        wrong += count >= l->count || strcmp(word, l->words[count]);
        natural_set(dag->mem, &rank, count++);
        wrong += !paths_word(&paths, &rank, code, &len) || len != walk.length
                 || memcmp(code, walk.word, len * sizeof *code);
        if (!dag->is_branching) wrong += !dag_accepts(dag, walk.word, walk.length);
    }
    CHECK(unit, count == l->count && !wrong);
    natural_free(dag->mem, &rank);
    paths_walk_release(&walk);
    paths_release(&paths);
}

static void check_strangers(struct unit *unit, struct random *random, const struct dag *dag,
                            const struct language *l)
{
    for (unsigned i = 0; i < 20; i++) {
        char word[WORD + 2] = "";
        uint32_t code[WORD + 2];
        strcpy(word, l->words[random_below(random, l->count)]);
        unsigned len = (unsigned)strlen(word), change = (unsigned)random_below(random, len + 1);
        word[change] = (char)('a' + random_below(random, LETTERS));
        CHECK(unit, dag_accepts(dag, code, encode(word, code)) == has_word(l, word));
    }
}

static void check_distances(struct unit *unit, const struct dag *dag, const struct language *l)
{
    uint32_t n = dag->states, *depth = calloc(n, sizeof *depth),
             *height = calloc(n, sizeof *height), *shortest = calloc(n, sizeof *shortest);
    uint32_t *slow = calloc(n, sizeof *slow), most = 0, least = WORD + 1;
    dag_depths(dag, depth);
    dag_heights(dag, height);
    dag_shortest(dag, shortest);
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++)
                if (slow[dag->edge_to[e]] < slow[s] + 1) slow[dag->edge_to[e]] = slow[s] + 1;
    CHECK(unit, !memcmp(slow, depth, n * sizeof *slow));
    for (unsigned i = 0; i < l->count; i++) {
        uint32_t len = (uint32_t)strlen(l->words[i]);
        if (len > most) most = len;
        if (len < least) least = len;
    }
    CHECK(unit, height[0] == most && shortest[0] == least);
    free(depth), free(height), free(shortest), free(slow);
}

/* The words below a state are the rests of the words after any prefix that leads to it. */
static void check_below(struct unit *unit, struct random *random, const struct dag *dag,
                        const struct language *l)
{
    const char *word = l->words[random_below(random, l->count)];
    uint32_t code[WORD + 1], state = 0, prefix = (uint32_t)random_below(random, strlen(word) + 1),
                             *old, wrong = 0;
    struct language *rest = calloc(1, sizeof *rest);
    struct dag below;
    encode(word, code);
    for (uint32_t i = 0; i < prefix; i++) state = dag_step(dag, state, code[i]);
    for (unsigned i = 0; i < l->count; i++)
        if (!strncmp(l->words[i], word, prefix)) add_word(rest, l->words[i] + prefix);
    CHECK(unit, dag_below(&below, dag, state, &old) == BUILD_DONE && dag_check(&below)
                    && old[0] == state);
    check_words(unit, &below, rest);
    for (uint32_t s = 0; s < below.states; s++)
        for (uint32_t e = below.first_edge[s]; e < below.first_edge[s + 1]; e++)
            wrong += dag_step(dag, old[s], below.edge_label[e]) != old[below.edge_to[e]];
    CHECK(unit, !wrong);
    mem_free(dag->mem, old);
    dag_release(&below);
    free(rest);
}

/* A branching automaton has the same words, perhaps several times, and no two states with equal
 * finality and edges. */
static void check_branching(struct unit *unit, const struct dag *dag, const struct language *l)
{
    struct language *seen = calloc(1, sizeof *seen);
    struct paths_walk walk;
    char word[WORD + 1];
    uint32_t equal = 0;
    CHECK(unit, dag_check(dag) && paths_walk_init(&walk, dag));
    for (unsigned count = 0; count < 200000 && paths_next(&walk); count++) {
        decode(walk.word, walk.length, word);
        add_word(seen, word);
    }
    unsigned same = 0;
    while (same < l->count && same < seen->count && !strcmp(seen->words[same], l->words[same]))
        same++;
    CHECK(unit, same == l->count && same == seen->count);
    for (uint32_t s = 0; s < dag->states; s++)
        for (uint32_t t = 0; t < s; t++) {
            uint32_t count = dag->first_edge[s + 1] - dag->first_edge[s], from = dag->first_edge[s],
                     other = dag->first_edge[t];
            if (dag->first_edge[t + 1] - other != count
                || dag_is_final(dag, s) != dag_is_final(dag, t))
                continue;
            equal +=
                !memcmp(dag->edge_label + from, dag->edge_label + other,
                        count * sizeof *dag->edge_label)
                && !memcmp(dag->edge_to + from, dag->edge_to + other, count * sizeof *dag->edge_to);
        }
    CHECK(unit, !equal);
    paths_walk_release(&walk);
    free(seen);
}

/* ---- orders ---- */

/* By the definition: 1 + the largest |R_i|, R_i = the states after the i-th to which one of the
 * first i leads. */
static uint32_t slow_metric(const struct dag *dag, const uint32_t *order)
{
    uint32_t most = 0, n = dag->states, *place = calloc(n, sizeof *place),
             *from = calloc(n, sizeof *from);
    for (uint32_t i = 0; i < n; i++) place[order[i]] = i, from[i] = UINT32_MAX;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++)
            if (place[s] < from[place[dag->edge_to[e]]]) from[place[dag->edge_to[e]]] = place[s];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0;
        for (uint32_t later = i + 1; later < n; later++) count += from[later] <= i;
        if (count > most) most = count;
    }
    free(place), free(from);
    return most + 1;
}

enum { EXACT = 16 };

/* The smallest metric of all topological orders: over the sets of states that may come first. */
static uint32_t best_metric(const struct dag *dag)
{
    static uint8_t best[1 << EXACT];
    uint32_t after[EXACT] = {0}, before[EXACT] = {0}, n = dag->states, whole = (1u << n) - 1;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++)
            after[s] |= 1u << dag->edge_to[e], before[dag->edge_to[e]] |= 1u << s;
    memset(best, 255, (size_t)whole + 1);
    best[0] = 0;
    for (uint32_t set = 0; set < whole; set++) {
        uint32_t reached = 0;
        if (best[set] == 255) continue;
        for (uint32_t s = 0; s < n; s++)
            if (set >> s & 1) reached |= after[s];
        for (uint32_t s = 0; s < n; s++) {
            if (set >> s & 1 || before[s] & ~set) continue;
            uint32_t next = set | 1u << s,
                     alive = (uint32_t)__builtin_popcount((reached | after[s]) & ~next);
            if (alive < best[set]) alive = best[set];
            if (alive < best[next]) best[next] = (uint8_t)alive;
        }
    }
    return best[whole] + 1u;
}

struct quality {
    unsigned tried, optimal;
    uint64_t found, possible;
};

static void check_orders(struct unit *unit, struct dag *dag, struct quality *quality)
{
    struct order_table table;
    uint32_t *order, metric;
    CHECK(unit, order_best(dag, &table, &order) == BUILD_DONE);
    CHECK(unit, order_is_topological(dag, order) && order[0] == 0);
    CHECK(unit, order_metric(dag, order, &metric) && metric == table.rows[table.best].metric
                    && metric == slow_metric(dag, order));
    uint32_t optimum = dag->states <= EXACT ? best_metric(dag) : 1;
    for (uint32_t i = 0; i < ORDER_METHODS; i++)
        CHECK(unit, table.rows[i].name && table.rows[i].metric >= metric
                        && table.rows[i].metric >= optimum);
    if (dag->states <= EXACT) {
        quality->tried++;
        quality->optimal += metric == optimum;
        quality->found += metric;
        quality->possible += optimum;
    }
    CHECK(unit, dag_renumber(dag, order) == BUILD_DONE && dag_check(dag));
    CHECK(unit, order_metric(dag, NULL, &optimum) && optimum == metric);
    uint32_t swapped = order[0];
    order[0] = order[dag->states - 1], order[dag->states - 1] = swapped;
    CHECK(unit, order_is_topological(dag, order) == (dag->states == 1));
    mem_free(dag->mem, order);
}

static void check_quality(struct unit *unit, const char *name, const struct quality *quality)
{
    double excess = 100.0 * ((double)quality->found / (double)quality->possible - 1),
           optimal = 100.0 * quality->optimal / quality->tried;
    printf("orders of %u %s: %.1f %% optimal, %.2f %% above the optimum\n", quality->tried, name,
           optimal, excess);
    CHECK(unit, quality->tried > 50 && excess < 1 && optimal > 95);
}

/* A graph whose states are all reached; edges may be short or of any length. */
static void random_graph(struct random *random, struct mem *mem, struct dag *dag)
{
    static bool has[EXACT][EXACT];
    uint32_t n = 6 + (uint32_t)random_below(random, EXACT - 5),
             span = 2 + (uint32_t)random_below(random, n), edges = 0;
    memset(has, 0, sizeof has);
    for (uint32_t s = 1; s < n; s++)
        has[s - 1 - random_below(random, s < span ? s : span)][s] = true;
    for (uint64_t more = random_below(random, 2 * n); more; more--) {
        uint32_t s = (uint32_t)random_below(random, n - 1), room = n - 1 - s;
        has[s][s + 1 + random_below(random, room < span ? room : span)] = true;
    }
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t t = 0; t < n; t++) edges += has[s][t];
    dag_alloc(dag, mem, n, edges);
    edges = 0;
    for (uint32_t s = 0; s < n; s++) {
        dag_set_final(dag, s);
        dag->first_edge[s] = edges;
        for (uint32_t t = 0; t < n; t++)
            if (has[s][t]) dag->edge_label[edges] = t, dag->edge_to[edges++] = t;
    }
    dag->first_edge[n] = edges;
}

static void test_random_graphs(struct unit *unit)
{
    struct mem mem;
    struct random random = {3};
    struct quality quality = {0};
    mem_init(&mem);
    for (unsigned i = 0; i < RANDOM_GRAPHS; i++) {
        struct dag dag;
        random_graph(&random, &mem, &dag);
        CHECK(unit, dag_check(&dag));
        check_orders(unit, &dag, &quality);
        dag_release(&dag);
    }
    check_quality(unit, "random graphs", &quality);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

static void test_random_terms(struct unit *unit)
{
    struct mem mem;
    struct random random = {1};
    struct quality quality = {0};
    unsigned branching = 0, large = 0;
    mem_init(&mem);
    for (unsigned i = 0; i < RANDOM_TERMS;) {
        struct terms terms;
        struct dag dag, loose;
        term t;
        unsigned classes, edges;
        terms_init(&terms, &mem);
        struct language *l =
            random_term(&random, &terms, 1 + (unsigned)random_below(&random, 6), &t);
        bool is_small = l->count < 20 && random_below(&random, 4); /* most are */
        if (!l->overflow && !is_small) {
            i++;
            count_classes(l, &classes, &edges);
            CHECK(unit,
                  classes == 1
                      || dag_build(&dag, &mem, &terms, t, false, classes - 1) == BUILD_TOO_LARGE);
            CHECK(unit,
                  dag_build(&dag, &mem, &terms, t, false, 100000) == BUILD_DONE && dag_check(&dag));
            CHECK(unit, dag.states == classes && dag.edges == edges && !dag.is_branching);
            CHECK(unit, dag_build(&loose, &mem, &terms, t, true, 100000) == BUILD_DONE);
            check_branching(unit, &loose, l);
            branching += loose.is_branching;
            large += classes > 30;
            CHECK(unit,
                  loose.is_branching || (loose.states == dag.states && loose.edges == dag.edges));
            check_words(unit, &dag, l);
            check_strangers(unit, &random, &dag, l);
            check_distances(unit, &dag, l);
            check_orders(unit, &dag, &quality);
            check_words(unit, &dag, l); /* with its new numbers */
            check_below(unit, &random, &dag, l);
            dag_release(&dag);
            dag_release(&loose);
        }
        free(l);
        terms_release(&terms);
    }
    CHECK(unit, branching > RANDOM_TERMS / 20 && large > RANDOM_TERMS / 20);
    check_quality(unit, "random terms", &quality);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* ---- known sizes ---- */

static term events_in_parallel(struct terms *terms, uint32_t count)
{
    term t = term_skip();
    for (uint32_t i = 0; i < count; i++) t = term_par(terms, t, term_event(terms, i));
    return t;
}

static term chain(struct terms *terms, uint32_t from, uint32_t count)
{
    term t = term_skip();
    for (uint32_t i = 0; i < count; i++) t = term_seq(terms, t, term_event(terms, from + i));
    return t;
}

/* Builds an automaton and compares sizes and, unless it is NULL, the number of words. */
static struct dag expect(struct unit *unit, struct terms *terms, term t, uint32_t states,
                         uint32_t edges, const char *words)
{
    struct dag dag;
    struct natural count;
    CHECK(unit, dag_build(&dag, terms->mem, terms, t, false, states) == BUILD_DONE);
    CHECK(unit, dag.states == states && dag.edges == edges && dag_check(&dag));
    CHECK(unit, paths_count(&dag, &count));
    char *digits = natural_digits(terms->mem, &count);
    CHECK(unit, !words || !strcmp(digits, words));
    mem_free(terms->mem, digits);
    natural_free(terms->mem, &count);
    return dag;
}

/* With n events in parallel, the best order keeps 1 + the sum of C(k, k / 2) for k < n alive: the
 * pathwidth of the cube. */
static void test_cubes(struct unit *unit, struct terms *terms)
{
    uint64_t words = 1, expected = 1, middle = 1; /* middle: C(n, n / 2) */
    bool is_long = getenv("LONG") != NULL;
    for (uint32_t n = 0; n <= (is_long && CUBE > 10 ? 20 : CUBE); n++) {
        char digits[32];
        words *= n ? n : 1;
        sprintf(digits, "%" PRIu64, words);
        struct dag dag = expect(unit, terms, events_in_parallel(terms, n), 1u << n,
                                n ? n << (n - 1) : 0, digits);
        struct order_table table;
        uint32_t *order = NULL;
        if (n <= 16)
            CHECK(unit, order_best(&dag, &table, &order) == BUILD_DONE
                            && table.rows[table.best].metric == expected);
        expected += middle;
        middle = n % 2 ? 2 * middle : middle * (n + 1) / (n / 2 + 1);
        mem_free(terms->mem, order);
        dag_release(&dag);
    }
}

static void test_chains(struct unit *unit, struct terms *terms)
{
    struct order_table table;
    uint32_t *order, n = CHAIN + 1;
    struct dag dag = expect(unit, terms, chain(terms, 0, 1000), 1001, 1000, "1");
    CHECK(unit,
          order_best(&dag, &table, &order) == BUILD_DONE && table.rows[table.best].metric == 2);
    mem_free(terms->mem, order);
    dag_release(&dag);
    dag =
        expect(unit, terms, term_par(terms, term_event(terms, 1), term_event(terms, 2)), 4, 4, "2");
    dag_release(&dag);
    dag =
        expect(unit, terms, term_par(terms, chain(terms, 0, 3), term_event(terms, 9)), 8, 10, "4");
    dag_release(&dag);
    dag = expect(unit, terms, term_par(terms, chain(terms, 1, 3), term_event(terms, 2)), 8, 9, "3");
    dag_release(&dag);
    /* a grid: the best order goes row by row */
    dag = expect(unit, terms, term_par(terms, chain(terms, 0, 5), chain(terms, 10, 9)), 60, 104,
                 "2002");
    CHECK(unit,
          order_best(&dag, &table, &order) == BUILD_DONE && table.rows[table.best].metric == 7);
    mem_free(terms->mem, order);
    dag_release(&dag);
    term three = term_par(terms, term_par(terms, chain(terms, 0, CHAIN), chain(terms, 100, CHAIN)),
                          chain(terms, 200, CHAIN));
    dag = expect(unit, terms, three, n * n * n, 3 * n * n * (n - 1),
                 CHAIN == 20  ? "577831214478475823831865900"
                 : CHAIN == 5 ? "756756"
                              : "?");
    dag_release(&dag);
    dag = expect(unit, terms,
                 term_loop(terms, 300, term_choice(terms, term_event(terms, 5), term_skip())), 301,
                 300, "301");
    dag_release(&dag);
    if (!getenv("LONG") || CHAIN < 20) return;
    three = term_par(terms, term_par(terms, chain(terms, 0, 105), chain(terms, 200, 107)),
                     chain(terms, 400, 61)); /* as many states as the largest of paper 000 */
    dag = expect(unit, terms, three, 709776, 2104612, NULL);
    dag_release(&dag);
}

/* The failures of the landing gear: 18 in 12 groups, permutations of one to three from different
 * groups. */
static unsigned group_of(unsigned failure) { return failure < 12 ? failure / 2 : failure - 6; }

static term failure(struct terms *terms, unsigned i) { return term_event(terms, 100 + i); }

static term perturbator(struct terms *terms, unsigned *activities)
{
    term all = term_skip();
    *activities = 0;
    for (unsigned i = 0; i < 18; i++) {
        all = (*activities)++ ? term_choice(terms, all, failure(terms, i)) : failure(terms, i);
        for (unsigned j = i + 1; j < 18; j++) {
            if (group_of(j) == group_of(i)) continue;
            term two = term_par(terms, failure(terms, i), failure(terms, j));
            all = term_choice(terms, all, two);
            ++*activities;
            for (unsigned k = j + 1; k < 18; k++) {
                if (group_of(k) == group_of(i) || group_of(k) == group_of(j)) continue;
                all = term_choice(terms, all, term_par(terms, two, failure(terms, k)));
                ++*activities;
            }
        }
    }
    return all;
}

/* All words of up to three failures from different groups, in their order. */
static void add_failures(struct language *l, char *word, unsigned len)
{
    word[len] = 0;
    if (len) add_word(l, word);
    for (unsigned i = 0; i < 18 && len < 3; i++) {
        bool is_free = true;
        for (unsigned k = 0; k < len; k++)
            is_free &= group_of((unsigned)(word[k] - 'a')) != group_of(i);
        if (!is_free) continue;
        word[len] = (char)('a' + i);
        add_failures(l, word, len + 1);
        word[len] = 0;
    }
}

static void test_landing_gear(struct unit *unit, struct terms *terms)
{
    struct language *l = calloc(1, sizeof *l);
    struct order_table table;
    char word[WORD + 1], digits[32];
    unsigned activities, states, edges;
    uint64_t n = HANDLES, by_length[4] = {0};
    uint32_t *order;
    term failures = perturbator(terms, &activities);
    add_failures(l, word, 0);
    count_classes(l, &states, &edges);
    for (unsigned i = 0; i < l->count; i++) by_length[strlen(l->words[i])]++;
    CHECK(unit, activities == 885 && !l->overflow && l->count == 4632 && states == 80);
    sprintf(digits, "%u", l->count);
    struct dag dag = expect(unit, terms, failures, states, edges, digits);
    dag_release(&dag);
    /* a word of k failures is shuffled with n handles in C(n + k, k) ways */
    sprintf(digits, "%" PRIu64,
            by_length[1] * (n + 1) + by_length[2] * ((n + 1) * (n + 2) / 2)
                + by_length[3] * ((n + 1) * (n + 2) / 2 * (n + 3) / 3));
    term whole = term_par(terms, term_loop(terms, HANDLES, term_event(terms, 0)), failures);
    dag = expect(unit, terms, whole, (HANDLES + 1) * states,
                 (HANDLES + 1) * edges + HANDLES * states, digits);
    CHECK(unit, order_best(&dag, &table, &order) == BUILD_DONE
                    && table.rows[table.best].metric <= states + 1);
    mem_free(terms->mem, order);
    dag_release(&dag);
    free(l);
}

/* ---- limits ---- */

static void test_limits(struct unit *unit, struct terms *terms)
{
    struct dag dag;
    term cube = events_in_parallel(terms, 6), seq = term_event(terms, 1), par = seq;
    CHECK(unit, dag_build(&dag, terms->mem, terms, cube, false, 63) == BUILD_TOO_LARGE
                    && !dag.states && !dag.first_edge);
    CHECK(unit, dag_build(&dag, terms->mem, terms, cube, false, 64) == BUILD_DONE);
    dag_release(&dag);
    CHECK(unit, dag_build(&dag, terms->mem, terms, term_skip(), false, 0) == BUILD_DONE
                    && dag.states == 1 && dag_is_final(&dag, 0));
    dag_release(&dag);
    for (unsigned i = 0; i < 60; i++)
        seq = term_seq(terms, seq, seq), par = term_par(terms, par, par);
    for (unsigned kind = 0; kind < 2; kind++) {
        CHECK(unit, dag_build(&dag, terms->mem, terms, seq, kind, 2000) == BUILD_TOO_LARGE);
        CHECK(unit, dag_build(&dag, terms->mem, terms, par, kind, 2000) == BUILD_TOO_LARGE);
        CHECK(unit, dag_build(&dag, terms->mem, terms,
                              term_loop(terms, UINT32_MAX, term_event(terms, 3)), kind, 2000)
                        == BUILD_TOO_LARGE);
    }
    /* a chain of choices as deep as it is long, and a loop in it */
    term deep = term_event(terms, 0);
    for (uint32_t i = 1; i < DEEP; i++)
        deep = i % 2 ? term_choice(terms, deep, term_event(terms, i))
                     : term_choice(terms, term_event(terms, i), deep);
    CHECK(unit,
          dag_build(&dag, terms->mem, terms, term_loop(terms, 3, deep), false, 4) == BUILD_DONE
              && dag.states == 4 && dag.edges == 3 * DEEP);
    dag_release(&dag);
    for (uint32_t i = 0; i < DEEP / 3; i++)
        deep = i % 2 ? term_seq(terms, deep, term_event(terms, 1))
                     : term_choice(terms, deep, term_skip());
    CHECK(unit,
          dag_build(&dag, terms->mem, terms, deep, false, 100000) == BUILD_DONE && dag_check(&dag));
    dag_release(&dag);
}

static enum build_status use_everything(struct mem *mem, const struct terms *terms, term t,
                                        bool is_branching, uint32_t *metric)
{
    struct dag dag, below;
    struct natural count = {NULL, 0};
    struct order_table table;
    struct paths_walk walk;
    uint32_t *order = NULL, *old = NULL;
    enum build_status status = dag_build(&dag, mem, terms, t, is_branching, 100000);
    if (status == BUILD_DONE) status = order_best(&dag, &table, &order);
    if (status == BUILD_DONE) status = dag_renumber(&dag, order);
    if (status == BUILD_DONE && (!order_metric(&dag, NULL, metric) || !paths_count(&dag, &count)))
        status = BUILD_REFUSED;
    natural_free(mem, &count);
    if (status == BUILD_DONE) {
        if (paths_walk_init(&walk, &dag)) paths_walk_release(&walk);
        else status = BUILD_REFUSED;
    }
    if (status == BUILD_DONE
        && (status = dag_below(&below, &dag, dag.states / 2, &old)) == BUILD_DONE)
        dag_release(&below);
    mem_free(mem, old);
    mem_free(mem, order);
    dag_release(&dag);
    return status;
}

/* Each allocation fails once; then all memory is limited: done or refused, the same result, and
 * nothing is left behind. */
static void test_refusal(struct unit *unit)
{
    struct mem mem;
    struct terms terms;
    uint32_t metric = 0, again;
    unsigned refused = 0, done = 0;
    mem_init(&mem);
    terms_init(&terms, &mem);
    term shared =
        term_loop(&terms, 5, term_choice(&terms, chain(&terms, 1, 3), term_event(&terms, 2)));
    term t = term_par(&terms, term_choice(&terms, shared, events_in_parallel(&terms, 4)),
                      chain(&terms, 1, 4));
    for (unsigned kind = 0; kind < 2; kind++) {
        uint64_t before = mem.used, start = mem.allocations;
        CHECK(unit,
              use_everything(&mem, &terms, t, kind, &metric) == BUILD_DONE && mem.used == before);
        uint64_t calls = mem.allocations - start, peak = mem.peak;
        for (uint64_t i = 1; i <= calls; i += 1 + i / 64) {
            mem.fail_at = mem.allocations + i;
            enum build_status status = use_everything(&mem, &terms, t, kind, &again);
            CHECK(unit,
                  mem.used == before
                      && (status == BUILD_REFUSED || (status == BUILD_DONE && again == metric)));
            refused += status == BUILD_REFUSED;
        }
        mem.fail_at = 0;
        for (mem.limit = before; mem.limit < 2 * peak; mem.limit += peak / 50) {
            enum build_status status = use_everything(&mem, &terms, t, kind, &again);
            CHECK(unit,
                  mem.used == before
                      && (status == BUILD_REFUSED || (status == BUILD_DONE && again == metric)));
            refused += status == BUILD_REFUSED;
            done += status == BUILD_DONE;
        }
        mem.limit = 0;
    }
    CHECK(unit, refused > 50 && done > 10);
    terms_release(&terms);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* ---- smaller things ---- */

static void test_terms(struct unit *unit, struct terms *terms)
{
    term a = term_event(terms, 1), b = term_event(terms, 2);
    CHECK(unit, term_same(a, term_event(terms, 1)) && !term_same(a, b));
    CHECK(unit, term_same(term_seq(terms, a, b), term_seq(terms, a, b))
                    && !term_same(term_seq(terms, a, b), term_par(terms, a, b)));
    CHECK(unit, term_same(term_seq(terms, term_skip(), a), a)
                    && term_same(term_par(terms, a, term_skip()), a));
    CHECK(unit, term_same(term_choice(terms, a, a), a)
                    && !term_same(term_choice(terms, a, term_skip()), a));
    CHECK(unit,
          term_same(term_loop(terms, 0, a), term_skip()) && term_same(term_loop(terms, 1, a), a));
    CHECK(unit, term_same(term_loop(terms, 9, term_skip()), term_skip())
                    && term_get(terms, term_loop(terms, 9, a))->number == 9);
}

static void test_futures(struct unit *unit, struct mem *mem)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        struct futures f;
        CHECK(unit, futures_init(&f, mem, kind, 1000));
        future end = {FUTURE_END}, none = {FUTURE_NONE}, a = future_word(&f, 1, end),
               b = future_word(&f, 2, end), ab = future_word(&f, 1, b);
        CHECK(unit, future_sequence(&f, a, b).i == ab.i && future_union(&f, a, a).i == a.i
                        && future_union(&f, a, b).i == future_union(&f, b, a).i);
        CHECK(unit, future_union(&f, a, none).i == FUTURE_NONE
                        && future_shuffle(&f, none, b).i == FUTURE_NONE
                        && future_word(&f, 1, none).i == FUTURE_NONE);
        future both = future_shuffle(&f, a, b);
        CHECK(unit, both.i == future_union(&f, ab, future_sequence(&f, b, a)).i
                        && future_longest(&f, both) == 2 && !future_has_empty(&f, both));
        future shared = future_shuffle(&f, ab, future_word(&f, 1, a));
        CHECK(unit, future_branches(&f, shared) == (kind == 1) && futures_check(&f));
        futures_release(&f);
    }
}

static void test_naturals(struct unit *unit, struct mem *mem)
{
    struct random random = {5};
    struct natural x = {NULL, 0}, y = {NULL, 0}, zero = {NULL, 0};
    char *digits;
    CHECK(unit, natural_set(mem, &x, 1));
    for (unsigned i = 0; i < 200; i++)
        CHECK(unit, natural_copy(mem, &y, &x) && natural_increase(mem, &x, &y)
                        && natural_compare(&x, &y) == 1);
    CHECK(unit,
          (digits = natural_digits(mem, &x))
              && !strcmp(digits, "1606938044258990275541962092341162602522202993782792835301376"));
    mem_free(mem, digits);
    CHECK(unit, x.len == 4 && natural_increase(mem, &x, &x)); /* 2^201 */
    for (unsigned i = 0; i < 201; i++) { /* 2^201 - 1 - 2 - 4 ... - 2^200 = 1 */
        struct natural power = {NULL, 0};
        natural_set(mem, &power, 1);
        for (unsigned k = 0; k < i; k++) natural_increase(mem, &power, &power);
        CHECK(unit, natural_compare(&power, &x) < 0);
        natural_decrease(&x, &power);
        natural_free(mem, &power);
    }
    uint64_t value;
    CHECK(unit, natural_fits(&x, &value) && value == 1 && natural_compare(&zero, &x) < 0
                    && natural_compare(&x, &x) == 0);
    for (unsigned i = 0; i < 500; i++) { /* sums near the ends of words: there and back */
        uint64_t words[2][2] = {
            {UINT64_MAX - random_below(&random, 3), UINT64_MAX - random_below(&random, 3)},
            {random_below(&random, 4), random_below(&random, 3)}};
        struct natural a = {words[0], 2}, b = {words[1], 2};
        natural_copy(mem, &x, &a);
        CHECK(unit, natural_increase(mem, &x, &b)
                        && natural_compare(&x, &a) == (words[1][0] || words[1][1]));
        natural_decrease(&x, &a);
        CHECK(unit, natural_compare(&x, &b) == 0);
    }
    natural_free(mem, &x);
    natural_free(mem, &y);
}

static const char *name_label(void *data, uint32_t label)
{
    (void)data;
    return label == 1 ? "say \"hi\"" : "go";
}

static void test_dot(struct unit *unit, struct terms *terms)
{
    struct text text;
    struct dag dag;
    text_init(&text, terms->mem);
    dag_build(&dag, terms->mem, terms, term_par(terms, term_event(terms, 1), term_event(terms, 2)),
              false, 10);
    CHECK(unit, dot_print(&text, &dag, "two", name_label, NULL, 0));
    CHECK(unit, strstr(text.data, "digraph \"two\" {")
                    && strstr(text.data, "3 [shape=doublecircle]")
                    && !strstr(text.data, "0 [shape=doublecircle]"));
    CHECK(unit, strstr(text.data, "0 -> ") && strstr(text.data, "[label=\"say \\\"hi\\\"\"]")
                    && strstr(text.data, "{rank=same; 1; 2;}"));
    CHECK(unit, !strstr(text.data, "remark"));
    text_free(&text);
    CHECK(unit, dot_print(&text, &dag, "two", name_label, NULL, 3)
                    && strstr(text.data, "the first 3 of 4 states") && !strstr(text.data, "-> 3"));
    text_free(&text);
    dag_release(&dag);
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    struct terms terms;
    mem_init(&mem);
    terms_init(&terms, &mem);
    test_terms(&unit, &terms);
    test_futures(&unit, &mem);
    test_naturals(&unit, &mem);
    test_random_terms(&unit);
    test_random_graphs(&unit);
    test_cubes(&unit, &terms);
    test_chains(&unit, &terms);
    test_landing_gear(&unit, &terms);
    test_limits(&unit, &terms);
    test_dot(&unit, &terms);
    test_refusal(&unit);
    terms_release(&terms);
    CHECK(&unit, mem.used == 0);
    mem_release(&mem);
    return unit_finish(&unit);
}
