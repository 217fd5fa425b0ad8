#include "clauses/net.h"

#include "base/checked.h"

#include <string.h>

/* A balanced conjunction: a chain over thousands of rules would be thousands of gates deep. */
static lit conjunction(struct circuit *c, lit *lits, uint32_t count)
{
    if (!count) return LIT_TRUE;
    while (count > 1) {
        for (uint32_t i = 0; i < count / 2; i++)
            lits[i] = circuit_and(c, lits[2 * i], lits[2 * i + 1]);
        if (count % 2) lits[count / 2] = lits[count - 1];
        count = (count + 1) / 2;
    }
    return lits[0];
}

static void encode_rules(struct net *net)
{
    struct model *model = net->model;
    struct bits_rule encoded = {0};
    uint32_t rules = model->rules.len;
    lit *disabled = mem_alloc(net->mem, (rules + UINT64_C(1)) * sizeof *disabled),
        *fine = mem_alloc(net->mem, (rules + UINT64_C(1)) * sizeof *fine);
    net->rules = mem_alloc(net->mem, (rules + UINT64_C(1)) * sizeof *net->rules);
    for (uint32_t r = 0; r < rules; r++) {
        bits_encode_rule(&net->bits, r, &encoded);
        net->rules[r] = (struct net_rule){encoded.enabled, encoded.fails, net->stored.len};
        disabled[r] = lit_not(encoded.enabled);
        fine[r] = lit_not(encoded.fails);
        assert(encoded.enabled != LIT_TRUE || encoded.fails == LIT_FALSE); /* never both */
        for (uint32_t i = 0; i < encoded.stored.len; i++)
            vec_push(net->mem, &net->stored, encoded.stored.data[i]);
    }
    net->dead = conjunction(&net->bits.circuit, disabled, rules);
    net->deadlock = model->has_final ? circuit_and(&net->bits.circuit, net->dead,
                                                   lit_not(net_condition(net, model->final).holds))
                                     : net->dead;
    net->fails = lit_not(conjunction(&net->bits.circuit, fine, rules));
    vec_free(net->mem, &encoded.stored);
    mem_free(net->mem, disabled);
    mem_free(net->mem, fine);
}

/* ---- states ---- */

/* The values that a variable starts with or that rules store, where all of them are constants, and
 * few. */

enum { MAX_VALUES = 64 };

struct value_sets {
    struct net *net;
    bool *unknown;
    uint32_t *heads; /* per variable: its last entry, + 1 */
    VEC(struct {
        int64_t value;
        uint32_t next;
    })
    entries;
    uint32_t *counts;
};

static void add_value(struct value_sets *sets, uint32_t var, int64_t value)
{
    for (uint32_t i = sets->heads[var]; i; i = sets->entries.data[i - 1].next)
        if (sets->entries.data[i - 1].value == value) return;
    if (++sets->counts[var] > MAX_VALUES) sets->unknown[var] = true;
    vec_reserve(sets->net->mem, &sets->entries, 1);
    sets->entries.data[sets->entries.len].value = value;
    sets->entries.data[sets->entries.len++].next = sets->heads[var];
    sets->heads[var] = sets->entries.len;
}

static void collect_values(struct value_sets *sets)
{
    const struct model *model = sets->net->model;
    for (uint32_t v = 0; v < model->vars.len; v++) {
        if (model_lists_initial(model)) continue;
        if (model->vars.data[v].any_init) sets->unknown[v] = true;
        else add_value(sets, v, model->vars.data[v].init);
    }
    for (uint32_t i = 0; i < model->initial.len; i++)
        if (!sets->unknown[i % model->vars.len])
            add_value(sets, i % model->vars.len, model->initial.data[i]);
    for (uint32_t i = 0; i < model->stores.len; i++) {
        const struct rule_store *store = &model->stores.data[i];
        const struct expr_node *node = expr_get(&model->exprs, store->value);
        if (node->op != EXPR_CONST) sets->unknown[store->var] = true;
        else if (!sets->unknown[store->var]) add_value(sets, store->var, node->value);
    }
}

static lit one_of(struct value_sets *sets, uint32_t var)
{
    struct bits *bits = &sets->net->bits;
    lit none = LIT_TRUE;
    for (uint32_t i = sets->heads[var]; i; i = sets->entries.data[i - 1].next)
        none = circuit_and(&bits->circuit, none,
                           lit_not(bits_equals(bits, var, sets->entries.data[i - 1].value)));
    return lit_not(none);
}

static void encode_states(struct net *net)
{
    const struct model *model = net->model;
    struct circuit *c = &net->bits.circuit;
    uint32_t vars = model->vars.len;
    struct value_sets sets = {.net = net};
    sets.unknown = mem_alloc(net->mem, (vars + UINT64_C(1)) * sizeof *sets.unknown);
    sets.heads = mem_alloc(net->mem, (vars + UINT64_C(1)) * sizeof *sets.heads);
    sets.counts = mem_alloc(net->mem, (vars + UINT64_C(1)) * sizeof *sets.counts);
    collect_values(&sets);
    net->initial = bits_initial(&net->bits);
    net->plausible = LIT_TRUE;
    for (uint32_t v = 0; v < vars; v++) {
        lit fits = bits_in_range(&net->bits, v);
        net->plausible = circuit_and(c, net->plausible, sets.unknown[v] ? fits : one_of(&sets, v));
    }
    mem_free(net->mem, sets.unknown);
    mem_free(net->mem, sets.heads);
    mem_free(net->mem, sets.counts);
    vec_free(net->mem, &sets.entries);
}

void net_init(struct net *net, struct model *model)
{
    memset(net, 0, sizeof *net);
    net->model = model;
    net->mem = model->mem;
    bits_init(&net->bits, model);
    encode_rules(net);
    encode_states(net);
    CHECKED(circuit_check(&net->bits.circuit));
}

void net_release(struct net *net)
{
    bits_release(&net->bits);
    mem_free(net->mem, net->rules);
    vec_free(net->mem, &net->stored);
}

struct net_condition net_condition(struct net *net, expr e)
{
    lit fails, value = bits_condition(&net->bits, e, &fails);
    return (struct net_condition){circuit_and(&net->bits.circuit, value, lit_not(fails)), fails};
}
