/* Violations of numbered invariants, planted one by one: an assert or a checker of the builds that
 * tests use must catch each of them, in the file that states it. Each is planted in a process of
 * its own, which must be aborted by an assert there. A release build has only the cheap asserts, so
 * what needs a checker is not planted in it. */
#include "automaton/activity/future.h"
#include "automaton/activity/order.h"
#include "automaton/buchi/product.h"
#include "automaton/buchi/tableau.h"
#include "automaton/guide/compare.h"
#include "automaton/guide/compile.h"
#include "automaton/guide/minimise.h"
#include "clauses/cone.h"
#include "graph/kripke.h"
#include "lang/common/symbols.h"
#include "solver/dd/private.h"
#include "solver/store.h"
#include "solver/zone/federation.h"
#include "solver/zone/zones.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum need { ANY_BUILD, CHECKED_BUILD };

struct planted {
    const char *what; /* the invariant, and how it is violated */
    const char *file; /* whose assert must catch it */
    enum need need;
    void (*plant)(struct mem *mem);
};

/* ---- activities ---- */

static void grow_terms(struct terms *terms)
{
    for (uint32_t i = 0; i < 1000; i++) term_event(terms, 100 + i);
}

static void terms_equal(struct mem *mem)
{
    struct terms terms;
    terms_init(&terms, mem);
    term a = term_event(&terms, 1), b = term_event(&terms, 2);
    terms.nodes.data[b.i] = terms.nodes.data[a.i];
    grow_terms(&terms);
}

static void terms_order(struct mem *mem)
{
    struct terms terms;
    terms_init(&terms, mem);
    term_seq(&terms, term_event(&terms, 1), (term){77});
}

static void terms_skip(struct mem *mem)
{
    struct terms terms;
    terms_init(&terms, mem);
    term t = term_seq(&terms, term_event(&terms, 1), term_event(&terms, 2));
    terms.nodes.data[t.i].a = term_skip();
    grow_terms(&terms);
}

static void future_forward(struct mem *mem)
{
    struct futures futures;
    futures_init(&futures, mem, false, 100);
    future_word(&futures, 1, (future){5});
}

static void future_empty(struct mem *mem)
{
    struct futures futures;
    futures_init(&futures, mem, false, 100);
    future_make(&futures, false, NULL, 0);
}

static void future_twice(struct mem *mem)
{
    struct futures futures;
    futures_init(&futures, mem, false, 100);
    future end = {FUTURE_END};
    future a = future_word(&futures, 1, end), b = future_word(&futures, 2, end);
    futures.edges[futures.first[b.i]] = futures.edges[futures.first[a.i]];
    futures_forget(&futures);
}

/* Two labels, one after the other. */
static void make_dag(struct mem *mem, struct dag *dag)
{
    struct terms terms;
    terms_init(&terms, mem);
    term t = term_seq(&terms, term_event(&terms, 1), term_event(&terms, 2));
    if (dag_build(dag, mem, &terms, t, false, 100) != BUILD_DONE) exit(0);
}

static void dag_order(struct mem *mem)
{
    struct dag dag;
    make_dag(mem, &dag);
    dag_renumber(&dag, (uint32_t[]){1, 0, 2});
}

static void dag_dead_end(struct mem *mem)
{
    struct dag dag;
    uint32_t steps[3];
    make_dag(mem, &dag);
    dag.final[0] = 0;
    dag_shortest(&dag, steps);
}

static void dag_label_twice(struct mem *mem)
{
    struct dag dag, below;
    struct terms terms;
    terms_init(&terms, mem);
    term t = term_choice(&terms, term_event(&terms, 1), term_event(&terms, 2));
    if (dag_build(&dag, mem, &terms, t, false, 100) != BUILD_DONE) exit(0);
    dag.edge_label[1] = dag.edge_label[0];
    dag_below(&below, &dag, 0, NULL);
}

/* ---- guides ---- */

static void phrase_low(struct mem *mem)
{
    struct phrases terms;
    phrases_init(&terms, mem);
    phrase_rep(&terms, 3, 2, phrase_event(&terms, 1));
}

static void phrase_skipped(struct mem *mem)
{
    struct phrases terms;
    phrases_init(&terms, mem);
    phrase parts[] = {phrase_event(&terms, 1), phrase_event(&terms, 2)};
    phrase t = phrase_join(&terms, PHRASE_SEQ, parts, 2);
    terms.parts.data[terms.nodes.data[t.i].first] = phrase_skip();
    for (uint32_t i = 0; i < 1000; i++) phrase_event(&terms, 100 + i);
}

static void dfa_unreached(struct mem *mem)
{
    struct dfa dfa;
    if (!dfa_alloc(&dfa, mem, 2, 1)) exit(0);
    dfa.first_edge[1] = 0, dfa.first_edge[2] = 1;
    dfa.edge_label[0] = 1, dfa.edge_to[0] = 0; /* only the second state leads anywhere */
    dfa_set_final(&dfa, 0);
    minimise(&dfa);
}

static void make_guide(struct mem *mem, struct dfa *dfa, bool with_second)
{
    struct phrases terms;
    phrases_init(&terms, mem);
    phrase parts[] = {phrase_event(&terms, 1), phrase_event(&terms, 2)};
    phrase t = with_second ? phrase_join(&terms, PHRASE_SEQ, parts, 2) : parts[0];
    if (compile_guide(dfa, mem, &terms, t, 100) != BUILD_DONE) exit(0);
}

static void guide_larger(struct mem *mem)
{
    struct dfa small, large;
    bool ends[8];
    make_guide(mem, &small, false);
    make_guide(mem, &large, true);
    compare_ends(&large, &small, ends);
}

/* ---- Büchi automata ---- */

static void automaton_contradiction(struct mem *mem)
{
    struct automaton automaton;
    automaton_init(&automaton, mem);
    automaton_add_state(&automaton);
    automaton_add_edge(&automaton, (struct automaton_edge){1, 1, 0, 0});
}

static void automaton_marks(struct mem *mem)
{
    struct automaton a, b, product;
    for (unsigned i = 0; i < 2; i++) {
        struct automaton *automaton = i ? &b : &a;
        automaton_init(automaton, mem);
        automaton_add_state(automaton);
        automaton_add_edge(automaton, (struct automaton_edge){0, 0, 8, 0});
    }
    product_make(&a, &b, &product); /* a mark, and no acceptance set */
}

static void automaton_class(struct mem *mem)
{
    struct automaton automaton;
    automaton_init(&automaton, mem);
    automaton_add_state(&automaton);
    automaton_add_state(&automaton);
    automaton_merge(&automaton, (uint32_t[]){1, 1}, false);
}

static void nnf_dual(struct mem *mem)
{
    struct nnfs nnfs;
    struct automaton automaton;
    nnfs_init(&nnfs, mem);
    nnf a = nnf_literal(&nnfs, 0, false), b = nnf_literal(&nnfs, 1, false);
    nnf_negate(&nnfs, a);
    nnfs.duals.data[a.i] = b.i + 1;
    tableau_translate(&nnfs, b, &automaton);
}

/* ---- circuits and clauses ---- */

static void circuit_order(struct mem *mem)
{
    struct circuit circuit;
    circuit_init(&circuit, mem);
    circuit_and(&circuit, circuit_input(&circuit, 0), 1000);
}

static void circuit_twice(struct mem *mem)
{
    struct circuit circuit;
    circuit_init(&circuit, mem);
    for (uint32_t i = 0; i < 10; i++) circuit_input(&circuit, i);
    circuit.gates.data[3] = circuit.gates.data[2];
    for (uint32_t i = 10; i < 1000; i++) circuit_input(&circuit, i);
}

static void cone_grown(struct mem *mem)
{
    struct circuit circuit;
    struct cone cone;
    circuit_init(&circuit, mem);
    lit a = circuit_input(&circuit, 0);
    cone_init(&cone, &circuit, mem);
    cone_add(&cone, circuit_and(&circuit, a, circuit_input(&circuit, 1)));
}

static bool go_on(void *context) { return context == NULL; }

static void sat_unasked(struct mem *mem)
{
    struct sat *sat = sat_new(mem, go_on, NULL);
    int variable = sat_variables(sat, 1);
    sat_value(sat, variable);
}

static void sat_unmade(struct mem *mem)
{
    struct sat *sat = sat_new(mem, go_on, NULL);
    sat_add_1(sat, 3);
}

/* ---- diagrams ---- */

/* Some diagram with a node for each of two variables. */
static struct dd *make_dd(struct mem *mem, bdd *kept)
{
    struct dd_guard guard;
    struct dd *dd = dd_new(mem, 4);
    if (!dd || dd_catch(dd, &guard) != DD_NONE) exit(0);
    *kept = BDD_FALSE;
    dd_protect(dd, kept);
    bdd a = dd_variable(dd, dd_now(0)), b = dd_variable(dd, dd_now(2));
    *kept = dd_and(dd, a, b);
    return dd;
}

static void dd_child(struct mem *mem)
{
    bdd kept;
    struct dd *dd = make_dd(mem, &kept);
    dd->nodes[kept].low = dd->nodes[kept].high;
    dd_reorder(dd);
}

static void dd_twins(struct mem *mem)
{
    bdd kept;
    struct dd *dd = make_dd(mem, &kept);
    uint32_t twin = dd_take_node(dd);
    struct dd_subtable *table = &dd->tables[dd->nodes[kept].var];
    uint32_t slot = dd_subtable_slot(table, dd->nodes[kept].low, dd->nodes[kept].high);
    dd->nodes[twin] = dd->nodes[kept];
    dd->nodes[twin].next = table->heads[slot];
    table->heads[slot] = twin;
    table->count++;
    bdd other = twin;
    dd_protect(dd, &other);
    for (unsigned i = 0; i < 4; i++) dd_add_pairs(dd, 1, false);
}

static void dd_place(struct mem *mem)
{
    bdd kept;
    struct dd *dd = make_dd(mem, &kept);
    dd->place[1] = 2; /* two pairs at one position */
    for (unsigned i = 0; i < 1000; i++) dd_collect(dd);
}

static void dd_cached(struct mem *mem)
{
    bdd kept;
    struct dd *dd = make_dd(mem, &kept);
    dd->cache[0] = (struct dd_cache_entry){.tag = OP_NOT, .a = dd->used + 7, .result = BDD_TRUE};
    assert(!dd_check_nodes(dd)); /* collections drop such entries, so the check is asked here */
}

static void dd_below(struct mem *mem)
{
    bdd kept;
    struct dd *dd = make_dd(mem, &kept);
    dd_make(dd, dd_now(3), kept, BDD_TRUE); /* its child is above it */
}

/* ---- zones ---- */

static void zone_loose(struct mem *mem)
{
    struct dbm dbm;
    struct federation federation;
    if (!dbm_init(&dbm, mem, 2)) exit(0);
    dbm_zero(&dbm, 2);
    dbm_set(&dbm, 1, 0, bound_weak(5)); /* looser than what follows from the other bounds */
    federation_init(&federation, mem, 2);
    federation_add(&federation, &dbm);
}

static void zone_large(struct mem *mem)
{
    (void)mem;
    bound_weak((int64_t)BOUND_LIMIT + 1);
}

/* ---- states ---- */

static void store_slot(struct mem *mem)
{
    struct store store;
    uint64_t number, record = 7;
    if (!store_init(&store, mem, sizeof record)) exit(0);
    store_add(&store, &record, store_hash(&record, sizeof record), &number);
    for (uint32_t i = 0; i < store.table.one.size; i++)
        if (store.table.one.slots[i]) store.table.one.slots[i]++;
    assert(store_check(&store));
}

/* Two states, the second of which has no step; or one that leads to a third. */
static void make_graph(struct mem *mem, bool has_step)
{
    struct kripke kripke = {0};
    if (!kripke_init(&kripke, mem, 2, 1, 2)) exit(0);
    numbers_set(&kripke.next, 0, 1);
    numbers_set(&kripke.next, 1, 0);
    kripke.first_next[1] = has_step ? 0 : 1;
    kripke.first_next[2] = 1 + has_step;
    kripke_transpose(&kripke);
}

static void graph_end(struct mem *mem) { make_graph(mem, false); }
static void graph_start(struct mem *mem) { make_graph(mem, true); }

/* ---- symbols ---- */

static void begin_symbols(struct symbols *symbols, struct mem *mem)
{
    symbols_init(symbols, mem);
    uint32_t scope = symbols_new_scope(symbols);
    symbols_declare(symbols, scope, SYMBOL_VARIABLE, "a", (struct place){0, 1, 1});
    symbols_declare(symbols, scope, SYMBOL_VARIABLE, "b", (struct place){0, 2, 1});
}

static void symbols_parent(struct mem *mem)
{
    struct symbols symbols;
    begin_symbols(&symbols, mem);
    symbols.list.data[0].parent = 1;
    symbols_finish(&symbols);
}

static void symbols_unknown(struct mem *mem)
{
    struct symbols symbols;
    begin_symbols(&symbols, mem);
    symbols_use(&symbols, 7, (struct place){0, 3, 1});
}

static const struct planted table[] = {
    {"terms (1): two equal terms", "term.c", CHECKED_BUILD, terms_equal},
    {"terms (2): a part that comes later", "term.c", ANY_BUILD, terms_order},
    {"terms (3): skip in a sequence", "term.c", CHECKED_BUILD, terms_skip},
    {"futures (1): an edge to a future that does not exist yet", "future.c", ANY_BUILD,
     future_forward},
    {"futures (2): two equal futures", "future.c", CHECKED_BUILD, future_twice},
    {"futures (3): a future without a word", "future.c", ANY_BUILD, future_empty},
    {"dag (2): an order that is not topological", "dag.c", CHECKED_BUILD, dag_order},
    {"dag (3): two edges with one label", "dag.c", CHECKED_BUILD, dag_label_twice},
    {"dag (4): a state without a way to the end", "dag.c", ANY_BUILD, dag_dead_end},
    {"phrases (5): more at least than at most", "phrase.c", ANY_BUILD, phrase_low},
    {"phrases (3): skip in a sequence", "phrase.c", CHECKED_BUILD, phrase_skipped},
    {"dfa (1): a state that is not reached", "minimise.c", ANY_BUILD, dfa_unreached},
    {"comparison: a language that is not within the other", "compare.c", ANY_BUILD, guide_larger},
    {"automaton (3): a proposition with both signs", "automaton.c", ANY_BUILD,
     automaton_contradiction},
    {"automaton (4): a mark without an acceptance set", "product.c", ANY_BUILD, automaton_marks},
    {"automaton: a class whose first state is not its name", "automaton.c", ANY_BUILD,
     automaton_class},
    {"nnf (4): a negation of another formula", "simplify.c", CHECKED_BUILD, nnf_dual},
    {"circuit (1): an operand that comes later", "circuit.c", ANY_BUILD, circuit_order},
    {"circuit (2): two equal gates", "circuit.c", CHECKED_BUILD, circuit_twice},
    {"cone: a circuit that grew meanwhile", "cone.c", ANY_BUILD, cone_grown},
    {"SAT: a value without an answer", "sat.c", ANY_BUILD, sat_unasked},
    {"SAT: a variable that was never made", "sat.c", ANY_BUILD, sat_unmade},
    {"diagrams 1: a node with equal children", "order.c", CHECKED_BUILD, dd_child},
    {"diagrams 1: a child above its node", "table.c", CHECKED_BUILD, dd_below},
    {"diagrams 2: two equal nodes", "table.c", CHECKED_BUILD, dd_twins},
    {"diagrams 3: two pairs at one position", "table.c", CHECKED_BUILD, dd_place},
    {"diagrams 4: a cached result about a node that does not exist", "planted.c", ANY_BUILD,
     dd_cached},
    {"zone (1): a bound that others tighten", "federation.c", CHECKED_BUILD, zone_loose},
    {"zone: a constant above the limit", "bound.h", ANY_BUILD, zone_large},
    {"store (4): a slot that names no record", "planted.c", ANY_BUILD, store_slot},
    {"graph (1): the last state has no successor", "kripke.c", CHECKED_BUILD, graph_end},
    {"graph (1): the first state has none", "kripke.c", CHECKED_BUILD, graph_start},
    {"symbols (1): a parent that comes later", "symbols.c", CHECKED_BUILD, symbols_parent},
    {"symbols (2): a use of nothing", "symbols.c", ANY_BUILD, symbols_unknown},
};

#ifdef CAIRN_TEST_HOOKS
static const bool is_checked_build = true;
#else
static const bool is_checked_build = false;
#endif

static void be_the_child(const struct planted *planted, int to)
{
    struct mem mem;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(to, STDERR_FILENO);
    mem_init(&mem);
    planted->plant(&mem);
    _exit(0);
}

/* Whether the process was aborted, and what it said. */
static bool run(const struct planted *planted, char *said, size_t room)
{
    int ends[2], status = 0;
    size_t length = 0;
    ssize_t got;
    fflush(stdout);
    if (pipe(ends)) return false;
    pid_t child = fork();
    if (!child) be_the_child(planted, ends[1]);
    close(ends[1]);
    while (length + 1 < room && (got = read(ends[0], said + length, room - length - 1)) > 0)
        length += (size_t)got;
    said[length] = 0;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status)
           && WTERMSIG(status) == SIGABRT;
}

int main(void)
{
    struct unit unit = {0};
    char said[4096];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].need == CHECKED_BUILD && !is_checked_build) continue;
        bool caught = run(&table[i], said, sizeof said);
        bool there = strstr(said, table[i].file);
        if (!caught || !there) printf("%s: %s\n", table[i].what, caught ? said : "not caught");
        CHECK(&unit, caught && there);
    }
    return unit_finish(&unit);
}
