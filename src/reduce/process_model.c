#include "reduce/process_model.h"

#include "bits/bits.h"
#include "bits/diagram.h"

#include <assert.h>
#include <string.h>

/* ---- who touches what ---- */

struct access_counts {
    uint32_t *reads, *writes;         /* per variable: rules that do */
    uint32_t *own_reads, *own_writes; /* the same for the rules of one process */
};

/* Guards as decision diagrams, to find out which of them exclude each other. Some have no small
 * diagram (a product, or a table), and whether two of them can both hold only helps: when it cannot
 * be found out with little work, they can. */
struct guards {
    struct bits bits;
    struct dd *dd;
    bdd *whole;        /* per rule, of safe ones */
    bool *is_partial;  /* per rule: `whole` lacks such a condition */
    bool *is_hard;     /* per expression: these conditions are taken as if they could be true at any
                          time */
    uint32_t given_up; /* questions */
};

enum {
    QUESTION_RESULTS = 1 << 18,
    MOST_GIVEN_UP = 32
}; /* some 20 ms for one of them, and less than a second for all that have no answer */

struct builder {
    struct process_model *process_model;
    struct model *model;
    struct access_counts counts;
    bool *visible;
    uint32_t *first, *list; /* per process: its rules */
    struct guards guards;
    VEC(uint32_t) foreign; /* of the process that is judged: see list_foreign */
};

static const uint32_t *accesses(const struct model *model, uint32_t first)
{
    return model->accesses.data + first;
}

static void count_rule(const struct model *model, uint32_t r, uint32_t *reads, uint32_t *writes,
                       int by)
{
    const struct model_rule *rule = &model->rules.data[r];
    for (uint32_t i = 0; i < rule->reads; i++)
        reads[accesses(model, rule->first_read)[i]] += (uint32_t)by;
    for (uint32_t i = 0; i < rule->writes; i++)
        writes[accesses(model, rule->first_write)[i]] += (uint32_t)by;
}

/* A rule that is only possible while the process stands elsewhere, and in which it takes no part.
 * While the process is where it is, such a rule is as good as not there: the location is changed by
 * rules that are. */
static bool is_elsewhere(const struct model *model, uint32_t r, uint32_t process, bool has_location,
                         int64_t location)
{
    int64_t value;
    return has_location && process_model_location(model, r, process, &value) && value != location
           && !model_takes_part(model, r, process);
}

/* A rule of the kind that touches var, in which the process takes no part and which does not want
 * it elsewhere: there is one. */
static uint32_t find_other(const struct model *model, uint32_t var, uint32_t process, uint32_t at,
                           bool reader_counts)
{
    int64_t location = 0;
    bool has_location = process_model_location(model, at, process, &location);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        bool touches = false;
        for (uint32_t i = 0; i < rule->writes; i++)
            touches |= accesses(model, rule->first_write)[i] == var;
        for (uint32_t i = 0; reader_counts && i < rule->reads; i++)
            touches |= accesses(model, rule->first_read)[i] == var;
        if (touches && !model_takes_part(model, r, process)
            && !is_elsewhere(model, r, process, has_location, location))
            return r;
    }
    return MODEL_NONE;
}

/* ---- single rules ---- */

bool process_model_location(const struct model *model, uint32_t r, uint32_t process, int64_t *value)
{
    uint32_t location = model->processes.data[process].location;
    return location != MODEL_NONE && model_rule_requires(model, r, location, value);
}

static void set_unsafe(struct process_rule *entry, enum unsafe_reason reason, uint32_t var,
                       uint32_t other)
{
    if (entry->reason != SAFE) return;
    entry->reason = reason;
    entry->var = var;
    entry->other = other;
}

/* Everything but the neighbours. The counts of the rules that do not matter are in place: the
 * process' own, and those that want it elsewhere. */
static void judge_alone(struct builder *b, uint32_t r, uint32_t process)
{
    const struct model *model = b->model;
    const struct model_rule *rule = &model->rules.data[r];
    struct process_rule *entry = &b->process_model->rules[r];
    const struct access_counts *c = &b->counts;
    uint32_t location = model->processes.data[process].location;
    if (rule->parts != 1) set_unsafe(entry, UNSAFE_GLOBAL, 0, 0);
    if (model_rule_may_fail(model, r)) set_unsafe(entry, UNSAFE_FAILS, 0, 0);
    if (model->priorities.len) set_unsafe(entry, UNSAFE_PRIORITY, 0, 0);
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t var = accesses(model, rule->first_write)[i];
        if (b->visible[var]) set_unsafe(entry, UNSAFE_VISIBLE, var, 0);
        if (entry->reason == SAFE
            && (c->reads[var] > c->own_reads[var] || c->writes[var] > c->own_writes[var]))
            set_unsafe(entry, UNSAFE_WRITES, var, find_other(model, var, process, r, true));
    }
    for (uint32_t i = 0; i < rule->reads; i++) {
        uint32_t var = accesses(model, rule->first_read)[i];
        if (entry->reason == SAFE && c->writes[var] > c->own_writes[var])
            set_unsafe(entry, UNSAFE_READS, var, find_other(model, var, process, r, false));
    }
    if (entry->reason == SAFE && location != MODEL_NONE
        && c->writes[location] > c->own_writes[location])
        set_unsafe(entry, UNSAFE_LOCATION, location,
                   find_other(model, location, process, r, false));
}

/* ---- rules of one process ---- */

static bool same_location(const struct model *model, uint32_t r, uint32_t q, uint32_t process)
{
    int64_t a, b;
    return !process_model_location(model, r, process, &a)
           || !process_model_location(model, q, process, &b) || a == b;
}

struct reading {
    const bool *allowed;
    bool good;
};

static void check_var(void *context, uint32_t var)
{
    struct reading *reading = context;
    reading->good &= reading->allowed[var];
}

static bool reads_only(struct model *model, expr e, const bool *allowed)
{
    struct reading reading = {allowed, !expr_get(&model->exprs, e)->may_fail};
    expr_each_var(&model->exprs, e, check_var, &reading);
    return reading.good;
}

/* Whether another question may be asked. */
static bool may_ask(const struct guards *guards)
{
    return guards->dd && guards->given_up < MOST_GIVEN_UP && !limits_hurry;
}

/* Something was not found out; afterwards it is not asked again. */
static void give_up(struct builder *b, enum dd_reason why)
{
    b->guards.given_up++;
    b->process_model->undecided = true;
    b->process_model->lacks_memory |= why == DD_FULL;
}

/* The diagram of a condition, under protection of the caller; false: it would be large, or there is
 * no time. */
static bool condition_diagram(struct builder *b, expr cond, bdd *diagram)
{
    struct guards *guards = &b->guards;
    struct dd_guard guard;
    lit fails;
    if (guards->is_hard[cond.i]) return false;
    if (!may_ask(guards)) return b->process_model->undecided = true, false;
    lit output = bits_condition(&guards->bits, cond, &fails);
    dd_set_budget(guards->dd, QUESTION_RESULTS);
    const enum dd_reason why = dd_catch(guards->dd, &guard);
    if (why != DD_NONE) {
        guards->is_hard[cond.i] = true;
        give_up(b, why);
        return false;
    }
    *diagram = diagram_of(&guards->bits.circuit, guards->dd, output);
    dd_uncatch(guards->dd, &guard);
    return true;
}

/* *both &= part; false: nobody knows. */
static bool conjoin(struct builder *b, bdd *both, const bdd *part)
{
    struct dd *dd = b->guards.dd;
    struct dd_guard guard;
    if (!may_ask(&b->guards)) return b->process_model->undecided = true, false;
    dd_set_budget(dd, QUESTION_RESULTS);
    const enum dd_reason why = dd_catch(dd, &guard);
    if (why != DD_NONE) return give_up(b, why), false;
    *both = dd_and(dd, *both, *part);
    dd_uncatch(dd, &guard);
    return true;
}

/* Protects the two until the mark is released. */
static bool keep_two(struct builder *b, bdd *one, bdd *other, uint32_t *mark)
{
    struct dd *dd = b->guards.dd;
    struct dd_guard guard;
    if (!dd) return give_up(b, DD_FULL), false;
    *mark = dd_mark(dd);
    if (dd_catch(dd, &guard) != DD_NONE) return give_up(b, DD_FULL), false;
    dd_keep(dd, one, other);
    dd_uncatch(dd, &guard);
    return true;
}

/* Whether the two guards exclude each other for as long as the process stays where r wants it: all
 * of r's, and of q's the parts that only read what no other process can change meanwhile. r is safe
 * but for its neighbours, so that all it reads is such. */
static bool exclude(struct builder *b, uint32_t r, uint32_t q, const bool *stable)
{
    struct model *model = b->model;
    bdd both = BDD_TRUE, part = BDD_FALSE;
    uint32_t mark;
    if (!keep_two(b, &both, &part, &mark)) return false;
    for (unsigned which = 0; which < 2; which++) {
        const struct model_rule *rule = &model->rules.data[which ? q : r];
        for (uint32_t i = 0; i < rule->conjuncts && both != BDD_FALSE; i++) {
            expr cond = model->conjuncts.data[rule->first_conjunct + i].cond;
            if ((!which || reads_only(model, cond, stable)) && condition_diagram(b, cond, &part))
                conjoin(b, &both, &part);
        }
    }
    dd_release(b->guards.dd, mark);
    return both == BDD_FALSE;
}

/* What no rule can change in which the process takes no part and which does not want it elsewhere.
 * The counts are in place. */
static void find_stable(const struct builder *b, bool *stable)
{
    for (uint32_t v = 0; v < b->model->vars.len; v++)
        stable[v] = b->counts.writes[v] <= b->counts.own_writes[v];
}

/* One location of the process, or the rules that look at none. */
struct view {
    bool has_location;
    int64_t location;
    bool *stable;
};

static void count_elsewhere(struct builder *b, uint32_t process, const struct view *view, int by)
{
    for (uint32_t i = 0; i < b->foreign.len; i++)
        if (is_elsewhere(b->model, b->foreign.data[i], process, view->has_location, view->location))
            count_rule(b->model, b->foreign.data[i], b->counts.own_reads, b->counts.own_writes, by);
}

/* Judges the rules of the process from the one at list[i] on that look at the same location, each
 * on its own. */
static void judge_view(struct builder *b, uint32_t process, uint32_t i, struct view *view)
{
    uint32_t end = b->first[process + 1];
    view->has_location = process_model_location(b->model, b->list[i], process, &view->location);
    count_elsewhere(b, process, view, 1);
    for (uint32_t k = i; k < end; k++) {
        int64_t value = 0;
        bool has = process_model_location(b->model, b->list[k], process, &value);
        if (has == view->has_location && (!has || value == view->location))
            judge_alone(b, b->list[k], process);
    }
    view->stable = mem_alloc(b->model->mem, b->model->vars.len + UINT64_C(1));
    find_stable(b, view->stable);
    count_elsewhere(b, process, view, -1);
}

static uint32_t find_view(const struct builder *b, uint32_t process, uint32_t r,
                          const struct view *views, uint32_t count)
{
    int64_t value = 0;
    bool has = process_model_location(b->model, r, process, &value);
    uint32_t i = 0;
    while (i < count && (views[i].has_location != has || (has && views[i].location != value))) i++;
    return i;
}

/* A rule is as safe as the least safe one of its process that can become enabled while it is. From
 * the unsafe ones to their neighbours, and on from these. */
static void judge_neighbours(struct builder *b, uint32_t process, const struct view *views,
                             uint32_t view_count)
{
    struct process_rule *rules = b->process_model->rules;
    uint32_t first = b->first[process], end = b->first[process + 1], unsafe = 0, next = 0;
    uint32_t *queue = mem_alloc(b->model->mem, (end - first + UINT64_C(1)) * sizeof *queue);
    for (uint32_t i = first; i < end; i++)
        if (rules[b->list[i]].reason != SAFE) queue[unsafe++] = b->list[i];
    while (next < unsafe) {
        uint32_t q = queue[next++];
        for (uint32_t i = first; i < end; i++) {
            uint32_t r = b->list[i];
            if (rules[r].reason != SAFE || !same_location(b->model, r, q, process)) continue;
            if (exclude(b, r, q, views[find_view(b, process, r, views, view_count)].stable))
                continue;
            set_unsafe(&rules[r], UNSAFE_NEIGHBOUR, 0, q);
            queue[unsafe++] = r;
        }
    }
    mem_free(b->model->mem, queue);
}

/* Rules in which the process takes no part and that say where they want it. */
static void list_foreign(struct builder *b, uint32_t process)
{
    int64_t value;
    b->foreign.len = 0;
    for (uint32_t r = 0; r < b->model->rules.len; r++)
        if (process_model_location(b->model, r, process, &value)
            && !model_takes_part(b->model, r, process))
            vec_push(b->model->mem, &b->foreign, r);
}

static void judge_process(struct builder *b, uint32_t process)
{
    const struct access_counts *c = &b->counts;
    uint32_t first = b->first[process], end = b->first[process + 1], view_count = 0;
    struct view *views = mem_alloc(b->model->mem, (end - first + UINT64_C(1)) * sizeof *views);
    list_foreign(b, process);
    for (uint32_t i = first; i < end; i++)
        count_rule(b->model, b->list[i], c->own_reads, c->own_writes, 1);
    for (uint32_t i = first; i < end; i++)
        if (find_view(b, process, b->list[i], views, view_count) == view_count)
            judge_view(b, process, i, &views[view_count++]);
    for (uint32_t i = first; i < end; i++)
        count_rule(b->model, b->list[i], c->own_reads, c->own_writes, -1);
    judge_neighbours(b, process, views, view_count);
    for (uint32_t i = first; i < end; i++) {
        struct process_rule *entry = &b->process_model->rules[b->list[i]];
        if (entry->reason != SAFE) continue;
        entry->process = process;
        b->process_model->safe++;
    }
    for (uint32_t i = 0; i < view_count; i++) mem_free(b->model->mem, views[i].stable);
    mem_free(b->model->mem, views);
}

/* The rules in which each process takes part. A rule with several is in several lists, and unsafe
 * in all. */
static void list_rules(struct builder *b)
{
    const struct model *model = b->model;
    uint32_t processes = model->processes.len;
    b->first = mem_alloc(model->mem, (processes + 2) * sizeof *b->first);
    b->list = mem_alloc(model->mem, (model->parts.len + UINT64_C(1)) * sizeof *b->list);
    for (uint32_t r = 0; r < model->rules.len; r++) /* there may be parts of no rule */
        for (uint32_t i = 0; i < model->rules.data[r].parts; i++) {
            uint32_t process = model->parts.data[model->rules.data[r].first_part + i].process;
            if (process != MODEL_NONE) b->first[process + 2]++;
        }
    for (uint32_t p = 0; p < processes; p++) b->first[p + 2] += b->first[p + 1];
    for (uint32_t r = 0; r < model->rules.len; r++)
        for (uint32_t i = 0; i < model->rules.data[r].parts; i++) {
            uint32_t process = model->parts.data[model->rules.data[r].first_part + i].process;
            if (process != MODEL_NONE) b->list[b->first[process + 1]++] = r;
        }
    for (uint32_t p = 0; p < processes; p++)
        for (uint32_t i = b->first[p]; i < b->first[p + 1]; i++)
            assert(model_takes_part(model, b->list[i], p));
}

/* ---- linearity ---- */

static void compare_guards(struct builder *b, uint32_t process)
{
    struct process_rule *rules = b->process_model->rules;
    uint32_t first = b->first[process], end = b->first[process + 1], mark;
    bdd both = BDD_TRUE, unused = BDD_TRUE;
    bool can_ask = keep_two(b, &both, &unused, &mark);
    for (uint32_t i = first; i < end; i++)
        for (uint32_t j = i + 1; j < end; j++) {
            uint32_t r = b->list[i], q = b->list[j];
            if (rules[r].reason != SAFE || rules[q].reason != SAFE
                || (!rules[r].linear && !rules[q].linear)
                || !same_location(b->model, r, q, process))
                continue;
            both = b->guards.whole[r];
            bool known = can_ask && conjoin(b, &both, &b->guards.whole[q]);
            if (known && both == BDD_FALSE) continue;
            rules[r].linear = rules[q].linear = false;
            rules[r].not_linear_with = q;
            rules[q].not_linear_with = r;
            rules[r].unknown |= !known || b->guards.is_partial[r] || b->guards.is_partial[q];
            rules[q].unknown |= rules[r].unknown;
        }
    if (can_ask) dd_release(b->guards.dd, mark);
}

/* When the rule can be enabled, at most: all its conditions that have a diagram. A safe rule cannot
 * fail. */
static void find_guard(struct builder *b, uint32_t r, bdd *part)
{
    const struct model_rule *rule = &b->model->rules.data[r];
    bdd *whole = &b->guards.whole[r];
    *whole = BDD_TRUE;
    for (uint32_t i = 0; i < rule->conjuncts && *whole != BDD_FALSE; i++) {
        expr cond = b->model->conjuncts.data[rule->first_conjunct + i].cond;
        b->guards.is_partial[r] |= !condition_diagram(b, cond, part) || !conjoin(b, whole, part);
    }
}

static bool protect_guards(struct builder *b)
{
    struct dd_guard guard;
    if (!b->guards.dd || dd_catch(b->guards.dd, &guard) != DD_NONE)
        return give_up(b, DD_FULL), false;
    dd_protect_array(b->guards.dd, b->guards.whole, b->model->rules.len); /* may be refused, too */
    dd_uncatch(b->guards.dd, &guard);
    return true;
}

/* Rules whose guards cannot be compared are not linear. */
static void find_linear(struct builder *b)
{
    struct model *model = b->model;
    struct process_rule *rules = b->process_model->rules;
    bdd part = BDD_FALSE, unused = BDD_FALSE;
    uint32_t mark;
    bool decided = protect_guards(b) && keep_two(b, &part, &unused, &mark);
    for (uint32_t r = 0; decided && r < model->rules.len; r++) {
        if (rules[r].reason != SAFE) continue;
        find_guard(b, r, &part);
        rules[r].linear = true;
    }
    for (uint32_t p = 0; decided && p < model->processes.len; p++) compare_guards(b, p);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        assert(!rules[r].linear || rules[r].reason == SAFE);
        rules[r].unknown |= !decided;
        b->process_model->linear += rules[r].linear;
    }
    b->process_model->undecided |= !decided;
}

/* Operands come before what is made of them. */
static void find_tables(struct builder *b)
{
    const struct exprs *exprs = &b->model->exprs;
    b->guards.is_hard = mem_alloc(b->model->mem, exprs->nodes.len + UINT64_C(1));
    for (uint32_t i = 0; i < exprs->nodes.len; i++) {
        const struct expr_node *node = &exprs->nodes.data[i];
        uint32_t arity = expr_table[node->op].arity;
        b->guards.is_hard[i] = node->op == EXPR_TABLE
                               || (arity >= 1 && b->guards.is_hard[node->a.i])
                               || (arity >= 2 && b->guards.is_hard[node->b.i])
                               || (arity >= 3 && b->guards.is_hard[node->c.i]);
    }
}

/* Bits of the same weight side by side: that is good for comparisons of two variables, whichever
 * they are. */
static void order_bits(struct builder *b)
{
    const struct bits *bits = &b->guards.bits;
    uint32_t *pairs = mem_alloc(b->model->mem, (bits->total + UINT64_C(1)) * sizeof *pairs),
             count = 0;
    for (uint32_t i = 64; i-- > 0;)
        for (uint32_t v = 0; v < b->model->vars.len; v++)
            if (i < bits_width(bits, v)) pairs[count++] = bits->first[v] + i;
    assert(count == bits->total);
    dd_set_order(b->guards.dd, pairs);
    mem_free(b->model->mem, pairs);
}

static void start_guards(struct builder *b)
{
    find_tables(b);
    bits_init(&b->guards.bits, b->model);
    b->guards.whole =
        mem_alloc(b->model->mem, (b->model->rules.len + UINT64_C(1)) * sizeof *b->guards.whole);
    b->guards.is_partial = mem_alloc(b->model->mem, b->model->rules.len + UINT64_C(1));
    if (b->guards.bits.total <= DD_PLAIN_PAIRS)
        b->guards.dd = dd_new(b->model->mem, b->guards.bits.total);
    if (b->guards.dd) order_bits(b);
}

static void end_guards(struct builder *b)
{
    if (b->guards.dd) dd_free(b->guards.dd);
    mem_free(b->model->mem, b->guards.is_hard);
    mem_free(b->model->mem, b->guards.is_partial);
    mem_free(b->model->mem, b->guards.whole);
    bits_release(&b->guards.bits);
}

/* ---- all of it ---- */

static void see_failing(struct builder *b)
{
    const struct model *model = b->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (!model_rule_may_fail(model, r)) continue;
        for (uint32_t i = 0; i < rule->reads; i++)
            b->visible[accesses(model, rule->first_read)[i]] = true;
    }
}

void process_model_init(struct process_model *process_model, struct model *model,
                        const bool *visible)
{
    struct mem *mem = model->mem;
    uint64_t vars = model->vars.len + UINT64_C(1);
    struct builder b = {.process_model = process_model, .model = model};
    *process_model = (struct process_model){.model = model};
    process_model->rules =
        mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *process_model->rules);
    uint32_t *counts = mem_alloc(mem, 4 * vars * sizeof *counts);
    b.counts = (struct access_counts){counts, counts + vars, counts + 2 * vars, counts + 3 * vars};
    b.visible = mem_alloc(mem, vars * sizeof *b.visible);
    if (visible) memcpy(b.visible, visible, model->vars.len * sizeof *visible);
    see_failing(&b);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        process_model->rules[r].process = process_model->rules[r].not_linear_with = MODEL_NONE;
        count_rule(model, r, b.counts.reads, b.counts.writes, 1);
        if (!model->rules.data[r].parts
            || model->parts.data[model->rules.data[r].first_part].process == MODEL_NONE)
            process_model->rules[r].reason = UNSAFE_GLOBAL;
    }
    list_rules(&b);
    start_guards(&b);
    for (uint32_t p = 0; p < model->processes.len; p++) judge_process(&b, p);
    for (uint32_t r = 0; r < model->rules.len; r++) /* safe rules belong to one process */
        assert((process_model->rules[r].reason == SAFE)
               == (process_model->rules[r].process != MODEL_NONE));
    find_linear(&b);
    end_guards(&b);
    vec_free(mem, &b.foreign);
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

static void see_var(void *context, uint32_t var) { ((bool *)context)[var] = true; }

void process_model_see(struct model *model, formula f, bool *visible)
{
    const struct formula_node node = *formula_get(&model->formulas, f);
    if (node.op == FORMULA_ATOM) {
        expr_each_var(&model->exprs, node.atom, see_var, visible);
        return;
    }
    if (!formula_table[node.op].arity) return;
    process_model_see(model, node.a, visible);
    if (formula_table[node.op].arity == 2) process_model_see(model, node.b, visible);
}

bool process_model_has_next(const struct model *model, formula f)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    if (!formula_table[node->op].arity) return false;
    if (node->op == FORMULA_X || process_model_has_next(model, node->a)) return true;
    return formula_table[node->op].arity == 2 && process_model_has_next(model, node->b);
}

/* ---- for people ---- */

void process_model_explain(const struct process_model *process_model, uint32_t r, struct text *text)
{
    const struct model *model = process_model->model;
    const struct process_rule *rule = &process_model->rules[r];
    const char *var = model->vars.len ? model->vars.data[rule->var].name : "";
    const char *other = rule->other != MODEL_NONE && model->rules.len
                            ? model->rules.data[rule->other].label
                            : "another";
    switch (rule->reason) {
    case SAFE:
        if (!rule->linear && rule->unknown && rule->not_linear_with == MODEL_NONE)
            text_add(text, "memory did not suffice to compare guards");
        else if (!rule->linear && rule->unknown)
            text_add(text,
                     "it is too hard to find out whether '%s' can be enabled at the same time",
                     model->rules.data[rule->not_linear_with].label);
        else if (!rule->linear)
            text_add(text, "'%s' can be enabled at the same time",
                     model->rules.data[rule->not_linear_with].label);
        break;
    case UNSAFE_GLOBAL:
        text_add(text,
                 model->rules.data[r].parts > 1 ? "several take part" : "it belongs to no process");
        break;
    case UNSAFE_FAILS: text_add(text, "it can fail"); break;
    case UNSAFE_PRIORITY: text_add(text, "the model has priorities"); break;
    case UNSAFE_VISIBLE: text_add(text, "it writes %s, which the property reads", var); break;
    case UNSAFE_READS: text_add(text, "it reads %s, which '%s' writes", var, other); break;
    case UNSAFE_WRITES: text_add(text, "it writes %s, which '%s' touches", var, other); break;
    case UNSAFE_LOCATION: text_add(text, "'%s' writes %s", other, var); break;
    case UNSAFE_NEIGHBOUR:
        text_add(text, "'%s' can be enabled at the same location and is not safe", other);
        break;
    }
}

bool *process_model_kept(const struct process_model *process_model)
{
    const struct model *model = process_model->model;
    bool *kept = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *kept);
    for (uint32_t v = 0; v < model->vars.len; v++) kept[v] = true;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t i = 0; process_model->rules[r].process != MODEL_NONE && i < rule->writes; i++)
            kept[model->accesses.data[rule->first_write + i]] = false;
    }
    return kept;
}
