/* A model as a sequential circuit.
 *
 * State: a latch per bit of bits/bits.h. A variable that starts with any value has latches without
 * a reset value; where its range is no power of two a constraint keeps it within. The constraint is
 * about initial states only, because a step never leaves the range.
 *
 * Steps: the inputs rule[] are a number. The rule of this number fires when it is enabled;
 * otherwise, and when there is no such rule, nothing changes. At most one rule fires, so the new
 * value of a bit is a disjunction:
 *     (some rule that writes its variable fires ? false : old bit)  |  (rule 1 fires & its value)
 *                                                                      |  (rule 2 fires & its
 *                                                                      value)  |  ...
 * Steps in which nothing changes add no states; they do not matter for bad states.
 *
 * Bad states: where a property that speaks of single states is false (where it divides by zero it
 * is not), where no rule is enabled, where a rule fails.
 *
 * LTL: the generalised Büchi automaton of the negated formula runs beside the model, a latch per
 * state (one of them is set, or none: then it has given up for ever), inputs edge[] choose the
 * edge. A run of the model must not stand still unless it is deadlocked, so the automaton gives up
 * in a step in which nothing fires although something could; likewise where a proposition divides
 * by zero. The justice literal of acceptance set k is: an edge with mark k is taken. Automata share
 * the inputs edge[], because properties are decided one by one. */
#include "export/aiger.h"

#include "bits/bits.h"
#include "export/aig.h"
#include "export/names.h"
#include "automaton/buchi.h"

#include <inttypes.h>
#include <string.h>

/* One operand of a disjunction. */
struct term {
    uint32_t group;
    lit value;
};

/* Disjunctions that are collected side by side. */
struct groups {
    VEC(struct term) terms;
    lit *sorted;     /* group after group ... */
    uint32_t *first; /* ... from here */
};

struct builder {
    struct model *model;
    struct bits bits;
    struct circuit *circuit;
    struct mem *mem;
    struct aig aig;
    uint32_t inputs;    /* of the circuit */
    VEC(lit) rule_bits; /* the number of the rule, least significant first */
    VEC(lit) edge_bits; /* the number of the edge */
    struct groups groups;
    lit enabled, fires, fails; /* some rule is or does */
    struct text *left_out;
};

/* ---- disjunctions ---- */

static void add_term(struct builder *b, uint32_t group, lit value)
{
    if (value != LIT_FALSE) vec_push(b->mem, &b->groups.terms, ((struct term){group, value}));
}

static void sort_groups(struct builder *b, uint32_t count)
{
    struct groups *groups = &b->groups;
    groups->sorted = mem_alloc(b->mem, (groups->terms.len + UINT64_C(1)) * sizeof *groups->sorted);
    groups->first = mem_alloc(b->mem, (count + UINT64_C(2)) * sizeof *groups->first);
    for (uint32_t i = 0; i < groups->terms.len; i++)
        groups->first[groups->terms.data[i].group + 2]++;
    for (uint32_t g = 2; g <= count; g++) groups->first[g] += groups->first[g - 1];
    for (uint32_t i = 0; i < groups->terms.len; i++)
        groups->sorted[groups->first[groups->terms.data[i].group + 1]++] =
            groups->terms.data[i].value;
}

static void clear_groups(struct builder *b)
{
    b->groups.terms.len = 0;
    mem_free(b->mem, b->groups.sorted);
    mem_free(b->mem, b->groups.first);
    b->groups.sorted = NULL;
    b->groups.first = NULL;
}

/* As a balanced tree: thousands of rules must not become a path of thousands of gates. */
static lit any_of(struct builder *b, uint32_t group)
{
    lit *terms = b->groups.sorted + b->groups.first[group];
    uint32_t count = b->groups.first[group + 1] - b->groups.first[group];
    if (!count) return LIT_FALSE;
    for (; count > 1; count = (count + 1) / 2) {
        for (uint32_t i = 0; i < count / 2; i++)
            terms[i] = circuit_or(b->circuit, terms[2 * i], terms[2 * i + 1]);
        if (count % 2) terms[count / 2] = terms[count - 1];
    }
    return terms[0];
}

/* ---- inputs and latches ---- */

static uint32_t bits_for(uint32_t choices) { return choices > 1 ? expr_width(choices - 1) : 0; }

static void add_input(struct builder *b, const char *name)
{
    vec_push(b->mem, &b->aig.inputs,
             ((struct aig_signal){name, circuit_input(b->circuit, b->inputs++)}));
}

static lit last_input(const struct builder *b)
{
    return b->aig.inputs.data[b->aig.inputs.len - 1].value;
}

/* Listed initial states: anything may be in the latches at first, and a constraint says what; one
 * more latch knows that the first step has been taken. */
static void add_listed(struct builder *b)
{
    lit started = circuit_input(b->circuit, b->inputs++);
    vec_push(b->mem, &b->aig.latches,
             ((struct aig_latch){"the first step is taken", started, LIT_TRUE, AIG_ZERO}));
    vec_push(b->mem, &b->aig.constraints,
             ((struct aig_signal){"the first state is initial",
                                  circuit_or(b->circuit, started, bits_initial(&b->bits))}));
}

static void add_state(struct builder *b)
{
    struct model *model = b->model;
    bool listed = model_lists_initial(model);
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        uint64_t code = (uint64_t)var->init - (uint64_t)var->low;
        for (uint32_t i = 0; i < bits_width(&b->bits, v); i++) {
            enum aig_reset reset = var->any_init || listed ? AIG_ANY
                                   : code >> i & 1         ? AIG_ONE
                                                           : AIG_ZERO;
            const char *name = names_format(&model->names, "%s.%" PRIu32, var->name, i);
            vec_push(b->mem, &b->aig.latches,
                     ((struct aig_latch){name, circuit_input(b->circuit, b->bits.first[v] + i),
                                         LIT_FALSE, reset}));
        }
        lit within = var->any_init && !listed ? bits_in_range(&b->bits, v) : LIT_TRUE;
        if (within == LIT_TRUE) continue;
        const char *name = names_format(&model->names, "%s is within its range", var->name);
        vec_push(b->mem, &b->aig.constraints, ((struct aig_signal){name, within}));
    }
    b->inputs = b->bits.total;
    if (listed) add_listed(b);
}

/* The lowest `count` bits are this number. From the top, so that numbers with the same beginning
 * share gates. */
static lit is_number(struct builder *b, const lit *bits, uint32_t count, uint32_t number)
{
    lit all = LIT_TRUE;
    for (uint32_t i = count; i-- > 0;)
        all = circuit_and(b->circuit, all, bits[i] ^ (lit) !(number >> i & 1));
    return all;
}

/* ---- steps ---- */

/* Groups: the new value of every bit; per variable, that it is written; then: */
enum { SOME_ENABLED, SOME_FIRES, SOME_FAILS, SOME };

static void add_rule(struct builder *b, uint32_t r, struct bits_rule *rule)
{
    const struct model_rule *source = &b->model->rules.data[r];
    uint32_t some = b->bits.total + b->model->vars.len, at = 0;
    bits_encode_rule(&b->bits, r, rule);
    lit fires = circuit_and(b->circuit, rule->enabled,
                            is_number(b, b->rule_bits.data, b->rule_bits.len, r));
    add_term(b, some + SOME_ENABLED, rule->enabled);
    add_term(b, some + SOME_FIRES, fires);
    add_term(b, some + SOME_FAILS, rule->fails);
    for (uint32_t i = 0; i < source->stores; i++) {
        uint32_t v = b->model->stores.data[source->first_store + i].var;
        add_term(b, b->bits.total + v, fires);
        for (uint32_t bit = b->bits.first[v]; bit < b->bits.first[v + 1]; bit++)
            add_term(b, bit, circuit_and(b->circuit, fires, rule->stored.data[at++]));
    }
}

static void add_steps(struct builder *b)
{
    struct bits_rule rule = {0};
    uint32_t some = b->bits.total + b->model->vars.len;
    for (uint32_t i = 0; i < bits_for(b->model->rules.len); i++) {
        add_input(b, names_format(&b->model->names, "rule[%" PRIu32 "]", i));
        vec_push(b->mem, &b->rule_bits, last_input(b));
    }
    for (uint32_t r = 0; r < b->model->rules.len; r++) add_rule(b, r, &rule);
    vec_free(b->mem, &rule.stored);
    sort_groups(b, some + SOME);
    for (uint32_t v = 0; v < b->model->vars.len; v++) {
        lit written = any_of(b, b->bits.total + v);
        for (uint32_t bit = b->bits.first[v]; bit < b->bits.first[v + 1]; bit++) {
            struct aig_latch *latch = &b->aig.latches.data[bit];
            latch->next =
                circuit_or(b->circuit, circuit_and(b->circuit, latch->value, lit_not(written)),
                           any_of(b, bit));
        }
    }
    b->enabled = any_of(b, some + SOME_ENABLED);
    b->fires = any_of(b, some + SOME_FIRES);
    b->fails = any_of(b, some + SOME_FAILS);
    clear_groups(b);
}

/* ---- LTL ---- */

/* Everything that must be true for the automaton to go on; the propositions are added to
 * `atoms`. */
static lit may_go_on(struct builder *b, const struct buchi *buchi, lit *atoms)
{
    lit fails, all = circuit_or(b->circuit, b->fires, lit_not(b->enabled));
    for (uint32_t i = 0; i < buchi->atoms.list.len; i++) {
        atoms[i] = bits_condition(&b->bits, buchi->atoms.list.data[i], &fails);
        all = circuit_and(b->circuit, all, lit_not(fails));
    }
    return all;
}

/* The edge that is number i of its state, of `choices`, is taken. */
static lit takes_edge(struct builder *b, const struct automaton_edge *edge, uint32_t i,
                      uint32_t choices, lit ready, const lit *atoms)
{
    while (b->edge_bits.len < bits_for(choices)) {
        add_input(b, names_format(&b->model->names, "edge[%" PRIu32 "]", b->edge_bits.len));
        vec_push(b->mem, &b->edge_bits, last_input(b));
    }
    lit all = circuit_and(b->circuit, ready, is_number(b, b->edge_bits.data, bits_for(choices), i));
    for (uint32_t p = 0; p < AUTOMATON_MAX_PROPOSITIONS; p++)
        if ((edge->positive | edge->negative) >> p & 1)
            all = circuit_and(b->circuit, all, atoms[p] ^ (lit)(edge->negative >> p & 1));
    return all;
}

/* Groups: the next value of the latch of every state; the acceptance sets; that an edge is
 * taken. */
static void add_edges(struct builder *b, const struct buchi *buchi, uint32_t first_latch)
{
    const struct automaton *automaton = &buchi->automaton;
    lit *atoms = mem_alloc(b->mem, (buchi->atoms.list.len + UINT64_C(1)) * sizeof *atoms),
        ready = may_go_on(b, buchi, atoms);
    uint32_t marks = automaton->states.len;
    for (uint32_t q = 0; q < automaton->states.len; q++) {
        const struct automaton_state *state = &automaton->states.data[q];
        lit here = circuit_and(b->circuit, b->aig.latches.data[first_latch + q].value, ready);
        for (uint32_t i = 0; i < state->edges; i++) {
            const struct automaton_edge *edge = &automaton->edges.data[state->first + i];
            lit taken = takes_edge(b, edge, i, state->edges, here, atoms);
            add_term(b, edge->target, taken);
            for (uint32_t k = 0; k < automaton->acceptance; k++)
                if (edge->marks >> k & 1) add_term(b, marks + k, taken);
            add_term(b, marks + automaton->acceptance, taken);
        }
    }
    mem_free(b->mem, atoms);
}

static const char *add_justice(struct builder *b, const struct model_property *property)
{
    struct buchi buchi;
    const char *problem = buchi_translate(&buchi, b->model, property->root, true);
    if (problem) return problem;
    uint32_t first = b->aig.latches.len, states = buchi.automaton.states.len,
             sets = buchi.automaton.acceptance;
    for (uint32_t q = 0; q < states; q++) {
        const char *name = names_format(&b->model->names, "%s.q%" PRIu32, property->name, q);
        enum aig_reset reset = q == buchi.automaton.initial ? AIG_ONE : AIG_ZERO;
        vec_push(
            b->mem, &b->aig.latches,
            ((struct aig_latch){name, circuit_input(b->circuit, b->inputs++), LIT_FALSE, reset}));
    }
    add_edges(b, &buchi, first);
    sort_groups(b, states + sets + 1);
    for (uint32_t q = 0; q < states; q++) b->aig.latches.data[first + q].next = any_of(b, q);
    vec_push(b->mem, &b->aig.justice,
             ((struct aig_justice){property->name, b->aig.justice_lits.len, sets ? sets : 1}));
    /* without acceptance sets it must only never give up; marks say that by themselves */
    for (uint32_t k = 0; k < (sets ? sets : 1); k++)
        vec_push(b->mem, &b->aig.justice_lits, any_of(b, states + k));
    clear_groups(b);
    buchi_release(&buchi, b->model);
    return NULL;
}

/* ---- properties ---- */

static void add_bad(struct builder *b, const struct property_result *entry)
{
    lit fails, bad;
    if (entry->kind == PROPERTY_DEADLOCK) {
        lit final =
            b->model->has_final ? bits_condition(&b->bits, b->model->final, &fails) : LIT_FALSE;
        bad = circuit_and(b->circuit, lit_not(b->enabled), lit_not(final));
    } else if (entry->kind == PROPERTY_RUNTIME_ERROR) bad = b->fails;
    else {
        lit holds = bits_condition(&b->bits, entry->invariant, &fails);
        bad = circuit_and(b->circuit, lit_not(holds), lit_not(fails));
    }
    vec_push(b->mem, &b->aig.bads, ((struct aig_signal){entry->property->name, bad}));
}

static void add_properties(struct builder *b, const struct property_result *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *problem = NULL;
        if (list[i].in_each_state) add_bad(b, &list[i]);
        else if (list[i].kind == PROPERTY_LTL) problem = add_justice(b, list[i].property);
        else problem = "of CTL, AIGER can only express that something always holds";
        if (problem) text_add(b->left_out, "%s is left out: %s\n", list[i].property->name, problem);
    }
}

/* ---- the comment section ---- */

/* A model without a name of its own has that of its file; the folder is nobody's business. */
static const char *short_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash && slash[1] ? slash + 1 : name;
}

static void write_rule(const struct model *model, uint32_t r, FILE *out)
{
    const struct model_rule *rule = &model->rules.data[r];
    const char *between = " by ";
    fprintf(out, "rule %" PRIu32 " is ", r);
    names_print_comment(out, rule->label);
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process == MODEL_NONE) continue;
        fputs(between, out);
        names_print_comment(out, model->processes.data[process].name);
        between = ", ";
    }
    names_print_lines(out, model, rule);
    fputc('\n', out);
}

static void write_comment(const struct builder *b, FILE *out)
{
    const struct model *model = b->model;
    fputs("c\n", out);
    names_print_comment(out, short_name(model->name));
    fputs(", written by cairn.\n"
          "The inputs rule[] choose a rule; when it is not enabled nothing changes. Latches x.0, "
          "x.1, ... are the bits of x, the lowest first.\n",
          out);
    for (uint32_t v = 0; v < model->vars.len; v++) {
        if (!model->vars.data[v].low) continue;
        names_print_comment(out, model->vars.data[v].name);
        fprintf(out, " is its bits %c %" PRIu64 "\n", model->vars.data[v].low < 0 ? '-' : '+',
                model->vars.data[v].low < 0 ? -(uint64_t)model->vars.data[v].low
                                            : (uint64_t)model->vars.data[v].low);
    }
    for (uint32_t r = 0; r < model->rules.len; r++) write_rule(model, r, out);
    if (b->left_out->data) fputs(b->left_out->data, out);
}

void aiger_write(struct model *model, const struct property_result *properties, uint32_t count,
                 FILE *out, bool binary, struct text *left_out)
{
    struct builder b = {.model = model, .mem = model->mem, .left_out = left_out};
    bits_init(&b.bits, model);
    b.circuit = &b.bits.circuit;
    aig_init(&b.aig, b.circuit);
    add_state(&b);
    add_steps(&b);
    add_properties(&b, properties, count);
    aig_write(&b.aig, out, binary);
    write_comment(&b, out);
    vec_free(b.mem, &b.groups.terms);
    vec_free(b.mem, &b.rule_bits);
    vec_free(b.mem, &b.edge_bits);
    aig_release(&b.aig);
    bits_release(&b.bits);
}
