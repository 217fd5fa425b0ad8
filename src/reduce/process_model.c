#include "reduce/process_model.h"

#include "bits/bits.h"
#include "bits/diagram.h"

#include <string.h>

/* ---- who touches what ---- */

struct access_counts {
    uint32_t *reads, *writes;         /* per variable: rules that do */
    uint32_t *own_reads, *own_writes; /* the same for the rules of one process */
};

struct builder {
    struct process_model *process_model;
    struct model *model;
    struct access_counts counts;
    bool *visible;
    uint32_t *first, *list; /* per process: its rules */
};

static const uint32_t *accesses(const struct model *model, uint32_t first)
{
    return model->accesses.data + first;
}

static void count_rule(const struct model *model, uint32_t r, uint32_t *reads, uint32_t *writes, int by)
{
    const struct model_rule *rule = &model->rules.data[r];
    for (uint32_t i = 0; i < rule->reads; i++) reads[accesses(model, rule->first_read)[i]] += (uint32_t)by;
    for (uint32_t i = 0; i < rule->writes; i++) writes[accesses(model, rule->first_write)[i]] += (uint32_t)by;
}

static bool may_fail(const struct model *model, uint32_t r)
{
    const struct model_rule *rule = &model->rules.data[r];
    bool fails = false;
    for (uint32_t i = 0; i < rule->conjuncts; i++) fails |= expr_get(&model->exprs, model->conjuncts.data[rule->first_conjunct + i].cond)->may_fail;
    for (uint32_t i = 0; i < rule->stores; i++) fails |= expr_get(&model->exprs, model->stores.data[rule->first_store + i].value)->may_fail;
    return fails;
}

/* A rule of the kind that touches var and in which the process takes no part: there is one. */
static uint32_t find_other(const struct model *model, uint32_t var, uint32_t process, bool reader_counts)
{
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        bool touches = false;
        for (uint32_t i = 0; i < rule->writes; i++) touches |= accesses(model, rule->first_write)[i] == var;
        for (uint32_t i = 0; reader_counts && i < rule->reads; i++) touches |= accesses(model, rule->first_read)[i] == var;
        if (touches && !model_takes_part(model, r, process)) return r;
    }
    return MODEL_NONE;
}

/* ---- single rules ---- */

bool process_model_location(const struct model *model, uint32_t r, uint32_t process, int64_t *value)
{
    const struct model_rule *rule = &model->rules.data[r];
    uint32_t location = model->processes.data[process].location;
    for (uint32_t i = 0; location != MODEL_NONE && i < rule->conjuncts; i++) {
        const struct expr_node *node = expr_get(&model->exprs, model->conjuncts.data[rule->first_conjunct + i].cond);
        if (node->op != EXPR_EQ) continue;
        const struct expr_node *a = expr_get(&model->exprs, node->a), *b = expr_get(&model->exprs, node->b);
        if (a->op == EXPR_CONST && b->op == EXPR_VAR) {
            const struct expr_node *swap = a;
            a = b;
            b = swap;
        }
        if (a->op != EXPR_VAR || b->op != EXPR_CONST || a->value != location) continue;
        *value = b->value;
        return true;
    }
    return false;
}

static void set_unsafe(struct process_rule *entry, enum unsafe_reason reason, uint32_t var, uint32_t other)
{
    if (entry->reason != SAFE) return;
    entry->reason = reason;
    entry->var = var;
    entry->other = other;
}

/* Everything but the neighbours. The process' own counts are in place. */
static void judge_alone(struct builder *b, uint32_t r, uint32_t process)
{
    const struct model *model = b->model;
    const struct model_rule *rule = &model->rules.data[r];
    struct process_rule *entry = &b->process_model->rules[r];
    const struct access_counts *c = &b->counts;
    uint32_t location = model->processes.data[process].location;
    if (rule->parts != 1) set_unsafe(entry, UNSAFE_GLOBAL, 0, 0);
    if (may_fail(model, r)) set_unsafe(entry, UNSAFE_FAILS, 0, 0);
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t var = accesses(model, rule->first_write)[i];
        if (b->visible[var]) set_unsafe(entry, UNSAFE_VISIBLE, var, 0);
        if (entry->reason == SAFE && (c->reads[var] > c->own_reads[var] || c->writes[var] > c->own_writes[var]))
            set_unsafe(entry, UNSAFE_WRITES, var, find_other(model, var, process, true));
    }
    for (uint32_t i = 0; i < rule->reads; i++) {
        uint32_t var = accesses(model, rule->first_read)[i];
        if (entry->reason == SAFE && c->writes[var] > c->own_writes[var]) set_unsafe(entry, UNSAFE_READS, var, find_other(model, var, process, false));
    }
    if (entry->reason == SAFE && location != MODEL_NONE && c->writes[location] > c->own_writes[location])
        set_unsafe(entry, UNSAFE_LOCATION, location, find_other(model, location, process, false));
}

/* ---- rules of one process ---- */

static bool same_location(const struct model *model, uint32_t r, uint32_t q, uint32_t process)
{
    int64_t a, b;
    return !process_model_location(model, r, process, &a) || !process_model_location(model, q, process, &b) || a == b;
}

/* A rule is as safe as the least safe one at its location. Judged in two steps, so that the order of rules does not matter. */
static void judge_neighbours(struct builder *b, uint32_t process)
{
    struct process_rule *rules = b->process_model->rules;
    uint32_t first = b->first[process], end = b->first[process + 1];
    uint32_t *spoiled_by = mem_alloc(b->model->mem, (end - first + UINT64_C(1)) * sizeof *spoiled_by);
    for (uint32_t i = first; i < end; i++) {
        spoiled_by[i - first] = MODEL_NONE;
        for (uint32_t j = first; j < end; j++)
            if (rules[b->list[j]].reason != SAFE && same_location(b->model, b->list[i], b->list[j], process)) {
                spoiled_by[i - first] = b->list[j];
                break;
            }
    }
    for (uint32_t i = first; i < end; i++)
        if (spoiled_by[i - first] != MODEL_NONE && spoiled_by[i - first] != b->list[i])
            set_unsafe(&rules[b->list[i]], UNSAFE_NEIGHBOUR, 0, spoiled_by[i - first]);
    mem_free(b->model->mem, spoiled_by);
}

static void judge_process(struct builder *b, uint32_t process)
{
    const struct access_counts *c = &b->counts;
    uint32_t first = b->first[process], end = b->first[process + 1];
    for (uint32_t i = first; i < end; i++) count_rule(b->model, b->list[i], c->own_reads, c->own_writes, 1);
    for (uint32_t i = first; i < end; i++) judge_alone(b, b->list[i], process);
    for (uint32_t i = first; i < end; i++) count_rule(b->model, b->list[i], c->own_reads, c->own_writes, -1);
    judge_neighbours(b, process);
    for (uint32_t i = first; i < end; i++) {
        struct process_rule *entry = &b->process_model->rules[b->list[i]];
        if (entry->reason != SAFE) continue;
        entry->process = process;
        b->process_model->safe++;
    }
}

/* The rules in which each process takes part. A rule with several is in several lists, and unsafe in all. */
static void list_rules(struct builder *b)
{
    const struct model *model = b->model;
    uint32_t processes = model->processes.len;
    b->first = mem_alloc(model->mem, (processes + 2) * sizeof *b->first);
    b->list = mem_alloc(model->mem, (model->parts.len + UINT64_C(1)) * sizeof *b->list);
    for (uint32_t i = 0; i < model->parts.len; i++)
        if (model->parts.data[i].process != MODEL_NONE) b->first[model->parts.data[i].process + 2]++;
    for (uint32_t p = 0; p < processes; p++) b->first[p + 2] += b->first[p + 1];
    for (uint32_t r = 0; r < model->rules.len; r++)
        for (uint32_t i = 0; i < model->rules.data[r].parts; i++) {
            uint32_t process = model->parts.data[model->rules.data[r].first_part + i].process;
            if (process != MODEL_NONE) b->list[b->first[process + 1]++] = r;
        }
}

/* ---- linearity ---- */

struct linearity {
    struct builder *b;
    struct bits bits;
    struct dd *dd;
    bdd *guards; /* per rule, of safe ones */
};

static void compare_guards(struct linearity *l, uint32_t process)
{
    struct process_rule *rules = l->b->process_model->rules;
    uint32_t first = l->b->first[process], end = l->b->first[process + 1];
    for (uint32_t i = first; i < end; i++)
        for (uint32_t j = i + 1; j < end; j++) {
            uint32_t r = l->b->list[i], q = l->b->list[j];
            if (rules[r].reason != SAFE || rules[q].reason != SAFE || (!rules[r].linear && !rules[q].linear)) continue;
            if (!same_location(l->b->model, r, q, process) || dd_and(l->dd, l->guards[r], l->guards[q]) == BDD_FALSE) continue;
            rules[r].linear = rules[q].linear = false;
            rules[r].not_linear_with = q;
            rules[q].not_linear_with = r;
        }
}

static void decide_linearity(struct linearity *l)
{
    struct model *model = l->b->model;
    struct bits_rule encoded = {0};
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (l->b->process_model->rules[r].reason != SAFE) continue;
        bits_encode_rule(&l->bits, r, &encoded);
        l->guards[r] = diagram_of(&l->bits.circuit, l->dd, encoded.enabled);
        l->b->process_model->rules[r].linear = true;
    }
    for (uint32_t p = 0; p < model->processes.len; p++) compare_guards(l, p);
    vec_free(model->mem, &encoded.stored);
}

static void find_linear(struct builder *b)
{
    struct model *model = b->model;
    struct linearity l = {.b = b};
    struct dd_guard guard;
    bits_init(&l.bits, model);
    l.guards = mem_alloc(model->mem, (model->rules.len + UINT64_C(1)) * sizeof *l.guards);
    l.dd = dd_new(model->mem, l.bits.total);
    bool decided = false;
    if (l.dd) {
        if (dd_catch(l.dd, &guard) == DD_NONE) {
            dd_protect_array(l.dd, l.guards, model->rules.len); /* may be refused, too */
            decide_linearity(&l);
            dd_uncatch(l.dd, &guard);
            decided = true;
        }
        dd_free(l.dd);
    }
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!decided) b->process_model->rules[r].linear = false;
        b->process_model->linear += b->process_model->rules[r].linear;
    }
    b->process_model->undecided = !decided;
    mem_free(model->mem, l.guards);
    bits_release(&l.bits);
}

/* ---- all of it ---- */

static void see_failing(struct builder *b)
{
    const struct model *model = b->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (!may_fail(model, r)) continue;
        for (uint32_t i = 0; i < rule->reads; i++) b->visible[accesses(model, rule->first_read)[i]] = true;
    }
}

void process_model_init(struct process_model *process_model, struct model *model, const bool *visible)
{
    struct mem *mem = model->mem;
    uint64_t vars = model->vars.len + UINT64_C(1);
    struct builder b = {.process_model = process_model, .model = model};
    *process_model = (struct process_model){.model = model};
    process_model->rules = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *process_model->rules);
    uint32_t *counts = mem_alloc(mem, 4 * vars * sizeof *counts);
    b.counts = (struct access_counts){counts, counts + vars, counts + 2 * vars, counts + 3 * vars};
    b.visible = mem_alloc(mem, vars * sizeof *b.visible);
    if (visible) memcpy(b.visible, visible, model->vars.len * sizeof *visible);
    see_failing(&b);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        process_model->rules[r].process = process_model->rules[r].not_linear_with = MODEL_NONE;
        count_rule(model, r, b.counts.reads, b.counts.writes, 1);
        if (!model->rules.data[r].parts || model->parts.data[model->rules.data[r].first_part].process == MODEL_NONE)
            process_model->rules[r].reason = UNSAFE_GLOBAL;
    }
    list_rules(&b);
    for (uint32_t p = 0; p < model->processes.len; p++) judge_process(&b, p);
    find_linear(&b);
    mem_free(mem, counts);
    mem_free(mem, b.visible);
    mem_free(mem, b.first);
    mem_free(mem, b.list);
}

void process_model_release(struct process_model *process_model)
{
    mem_free(process_model->model->mem, process_model->rules);
    process_model->rules = NULL;
}

/* ---- formulas ---- */

static void see_var(void *context, uint32_t var)
{
    ((bool *)context)[var] = true;
}

void process_model_see(struct model *model, formula f, bool *visible)
{
    const struct formula_node node = *formula_get(&model->formulas, f);
    if (node.op == FORMULA_ATOM) {
        expr_each_var(&model->exprs, node.atom, see_var, visible);
        return;
    }
    process_model_see(model, node.a, visible);
    if (formula_table[node.op].arity == 2) process_model_see(model, node.b, visible);
}

bool process_model_has_next(const struct model *model, formula f)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    if (node->op == FORMULA_ATOM) return false;
    if (node->op == FORMULA_X || process_model_has_next(model, node->a)) return true;
    return formula_table[node->op].arity == 2 && process_model_has_next(model, node->b);
}

/* ---- for people ---- */

void process_model_explain(const struct process_model *process_model, uint32_t r, struct text *text)
{
    const struct model *model = process_model->model;
    const struct process_rule *rule = &process_model->rules[r];
    const char *var = model->vars.len ? model->vars.data[rule->var].name : "";
    const char *other = rule->other != MODEL_NONE && model->rules.len ? model->rules.data[rule->other].label : "another";
    switch (rule->reason) {
    case SAFE:
        if (!rule->linear && process_model->undecided) text_add(text, "memory did not suffice to compare guards");
        else if (!rule->linear) text_add(text, "'%s' can be enabled at the same time", model->rules.data[rule->not_linear_with].label);
        break;
    case UNSAFE_GLOBAL: text_add(text, model->rules.data[r].parts > 1 ? "several take part" : "it belongs to no process"); break;
    case UNSAFE_FAILS: text_add(text, "it can divide by zero"); break;
    case UNSAFE_VISIBLE: text_add(text, "it writes %s, which the property reads", var); break;
    case UNSAFE_READS: text_add(text, "it reads %s, which '%s' writes", var, other); break;
    case UNSAFE_WRITES: text_add(text, "it writes %s, which '%s' touches", var, other); break;
    case UNSAFE_LOCATION: text_add(text, "'%s' writes %s", other, var); break;
    case UNSAFE_NEIGHBOUR: text_add(text, "'%s' at the same location is not safe", other); break;
    }
}
