#include "model/model.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const property_kind_name[] = {"ctl",      "ltl",           "invariant", "reach",
                                          "deadlock", "runtime-error", "query"};
const char *const property_stem[] = {"ctl",      "ltl",           "invariant", "find",
                                     "deadlock", "runtime-error", "query"};

const char *const query_kind_name[] = {"always", "sometime", "keeps", "meets",
                                       "leads",  "sup",      "inf",   "bounds"};

struct model *model_new(struct mem *mem, const char *file)
{
    struct model *model = mem_alloc(mem, sizeof *model);
    model->mem = mem;
    arena_init(&model->arena, mem);
    names_init(&model->names, &model->arena);
    model->name = model->file = names_intern(&model->names, file, strlen(file));
    exprs_init(&model->exprs, mem);
    formulas_init(&model->formulas, mem);
    model->ticks = 1;
    model->rank = MODEL_NONE;
    return model;
}

expr model_matrix_index(struct model *model, struct table_row row)
{
    struct exprs *exprs = &model->exprs;
    if (row.factor == 1) return row.row;
    expr first = expr_make(exprs, EXPR_MUL, 0, row.row, expr_int(exprs, row.factor));
    return row.offset ? expr_make(exprs, EXPR_ADD, 0, first, expr_int(exprs, row.offset)) : first;
}

static bool is_small(const struct expr_node *node)
{
    return node->op == EXPR_CONST && !node->is_bool && node->value >= 0
           && node->value <= UINT32_MAX;
}

struct table_row model_matrix_row(const struct exprs *exprs, expr index)
{
    const struct expr_node *node = expr_get(exprs, index), *product = node;
    struct table_row row = {index, 1, 0};
    if (node->op == EXPR_ADD && !node->bits && is_small(expr_get(exprs, node->b)))
        product = expr_get(exprs, node->a);
    if (product->op != EXPR_MUL || product->bits || !is_small(expr_get(exprs, product->b))
        || node->may_fail)
        return row;
    uint32_t factor = (uint32_t)expr_get(exprs, product->b)->value,
             offset = product == node ? 0 : (uint32_t)expr_get(exprs, node->b)->value;
    return offset < factor ? (struct table_row){product->a, factor, offset} : row;
}

uint32_t model_add_table(struct model *model, const int32_t *values, uint32_t count)
{
    assert(count);
    int32_t *copy = mem_alloc(model->mem, count * sizeof *copy);
    struct model_table table = {copy, count, values[0], values[0]};
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = values[i];
        if (values[i] < table.low) table.low = values[i];
        if (values[i] > table.high) table.high = values[i];
    }
    vec_push(model->mem, &model->tables, table);
    return model->tables.len - 1;
}

expr model_table_entry(struct model *model, uint32_t table, expr index)
{
    const struct model_table *t = &model->tables.data[table];
    const struct expr_node *node = expr_get(&model->exprs, index);
    if (node->op == EXPR_CONST) return expr_int(&model->exprs, t->values[node->value]);
    return expr_table_entry(&model->exprs, table, index, t->count, t->low, t->high);
}

static struct model_rule *last_rule(struct model *model)
{
    assert(model->rules.len);
    return &model->rules.data[model->rules.len - 1];
}

void model_begin_rule(struct model *model, const char *label)
{
    struct model_rule rule = {.label = label,
                              .first_part = model->parts.len,
                              .first_conjunct = model->conjuncts.len,
                              .first_store = model->stores.len,
                              .body = code_none(),
                              .first_class = model->rule_classes.len,
                              .interval = MODEL_NONE,
                              .first_guard = model->constraints.len,
                              .first_reset = model->resets.len};
    vec_push(model->mem, &model->rules, rule);
}

const char *const part_role_name[] = {NULL, "sends", "receives"};

void model_set_role(struct model *model, enum part_role role)
{
    assert(model->parts.len);
    model->parts.data[model->parts.len - 1].role = role;
}

void model_add_part(struct model *model, uint32_t process, struct place place)
{
    vec_push(model->mem, &model->parts, ((struct rule_part){.process = process, .place = place}));
    last_rule(model)->parts++;
}

void model_add_worded(struct model *model, expr cond, struct place place, uint32_t wording)
{
    struct model_rule *rule = last_rule(model);
    assert(rule->parts && wording <= model->wordings.len);
    if (expr_is_true(&model->exprs, cond)) return;
    vec_push(model->mem, &model->conjuncts,
             ((struct rule_conjunct){cond, rule->parts - 1, place, wording}));
    rule->conjuncts++;
}

void model_add_conjunct(struct model *model, expr cond, struct place place)
{
    model_add_worded(model, cond, place, 0);
}

uint32_t model_add_wording(struct model *model, struct model_wording wording)
{
    uint32_t *vars = arena_alloc(&model->arena, (wording.var_count + UINT64_C(1)) * sizeof *vars);
    for (uint32_t i = 0; i < wording.var_count; i++) vars[i] = wording.vars[i];
    wording.vars = vars;
    vec_push(model->mem, &model->wordings, wording);
    return model->wordings.len;
}

void model_add_store(struct model *model, uint32_t var, expr value, struct place place)
{
    vec_push(model->mem, &model->stores,
             ((struct rule_store){.var = var, .value = value, .place = place}));
    last_rule(model)->stores++;
}

void model_add_class(struct model *model, uint32_t priority_class)
{
    assert(priority_class < model->class_count);
    vec_push(model->mem, &model->rule_classes, priority_class);
    last_rule(model)->classes++;
}

void model_add_clock_guard(struct model *model, struct clock_constraint constraint)
{
    vec_push(model->mem, &model->constraints, constraint);
    last_rule(model)->guards++;
}

void model_add_reset(struct model *model, struct clock_reset reset)
{
    assert(reset.value >= 0);
    vec_push(model->mem, &model->resets, reset);
    last_rule(model)->resets++;
}

void model_add_query(struct model *model, struct model_query query, const struct query_term *terms,
                     const char *text, struct place place)
{
    const struct model_property property = {
        .name = names_format(&model->names, "query[%" PRIu32 "]", model->queries.len),
        .kind = PROPERTY_QUERY,
        .root = query.p,
        .text = text,
        .place = place,
        .query = model->queries.len};
    query.first_term = model->query_terms.len;
    for (uint32_t i = 0; i < query.terms; i++) vec_push(model->mem, &model->query_terms, terms[i]);
    vec_push(model->mem, &model->queries, query);
    vec_push(model->mem, &model->properties, property);
}

statement model_add_code(struct model *model, struct code_sequence *sequence, struct code_node node)
{
    statement added = {model->code.len};
    node.next = code_none();
    vec_push(model->mem, &model->code, node);
    if (code_is_none(sequence->first)) sequence->first = added;
    else model->code.data[sequence->last.i].next = added;
    sequence->last = added;
    return added;
}

static int by_bytes(const void *a, const void *b, void *bytes)
{
    return memcmp(a, b, *(size_t *)bytes);
}

void model_add_dead_step(struct model *model, struct model_dead_step step,
                         const uint32_t *processes)
{
    step.first_process = model->dead_processes.len;
    for (uint32_t i = 0; i < step.processes; i++)
        vec_push(model->mem, &model->dead_processes, processes[i]);
    vec_push(model->mem, &model->dead_steps, step);
}

void model_list_initial(struct model *model, const int64_t *states, uint32_t count)
{
    size_t bytes = model->vars.len * sizeof *states;
    model->initial.len = 0;
    vec_reserve(model->mem, &model->initial, (size_t)count * model->vars.len);
    memcpy(model->initial.data, states, count * bytes);
    model->initial.len = count * model->vars.len;
    qsort_r(model->initial.data, count, bytes, by_bytes, &bytes);
}

bool model_asks(const struct model *model)
{
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (model->rules.data[r].asks) return true;
    return false;
}

bool model_lists_initial(const struct model *model) { return model->initial.len > 0; }

bool model_has_code(const struct model *model)
{
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (!code_is_none(model->rules.data[r].body)) return true;
    return false;
}

bool model_may_block(const struct model *model, statement at, uint8_t *known)
{
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        bool is_call = node->op == CODE_CALL && !code_is_none(node->body);
        if (node->op == CODE_REQUIRE) return true;
        if (node->op == CODE_IF || node->op == CODE_WHILE)
            if (model_may_block(model, node->body, known)
                || model_may_block(model, node->other, known))
                return true;
        if (is_call && !known[node->body.i])
            known[node->body.i] = model_may_block(model, node->body, known) ? 2 : 1;
        if (is_call && known[node->body.i] == 2) return true;
    }
    return false;
}

/* Loops count as failing, because of their limit of rounds. */
static bool code_may_fail(const struct model *model, statement at)
{
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        bool target = node->op == CODE_SET || node->op == CODE_COPY;
        if (node->op == CODE_WHILE) return true;
        if (node->op != CODE_COPY && node->op != CODE_CALL && node->op != CODE_LEAVE
            && expr_get(&model->exprs, node->value)->may_fail)
            return true;
        if (target && expr_get(&model->exprs, node->target.offset)->may_fail) return true;
        if (node->op == CODE_COPY && expr_get(&model->exprs, node->source.offset)->may_fail)
            return true;
        if ((node->op == CODE_IF || node->op == CODE_CALL) && code_may_fail(model, node->body))
            return true;
        if (node->op == CODE_IF && code_may_fail(model, node->other)) return true;
    }
    return false;
}

bool model_rule_may_fail(const struct model *model, uint32_t r)
{
    const struct model_rule *rule = &model->rules.data[r];
    for (uint32_t i = 0; i < rule->conjuncts; i++)
        if (expr_get(&model->exprs, model->conjuncts.data[rule->first_conjunct + i].cond)->may_fail)
            return true;
    for (uint32_t i = 0; i < rule->stores; i++)
        if (expr_get(&model->exprs, model->stores.data[rule->first_store + i].value)->may_fail)
            return true;
    return code_may_fail(model, rule->body);
}

int64_t model_lowest_rank(const struct model *model)
{
    return model->rank == MODEL_NONE ? 0 : model->vars.data[model->rank].low;
}

uint64_t model_rank_count(const struct model *model)
{
    return model->rank == MODEL_NONE ? 1
                                     : (uint64_t)model->vars.data[model->rank].high
                                           - (uint64_t)model->vars.data[model->rank].low + 1;
}

bool model_is_timed(const struct model *model) { return model->intervals.len || model->clocks.len; }

bool model_rule_requires(const struct model *model, uint32_t rule, uint32_t var, int64_t *value)
{
    assert(rule < model->rules.len && var < model->vars.len);
    const struct model_rule *of = &model->rules.data[rule];
    for (uint32_t i = 0; i < of->conjuncts; i++) {
        const struct expr_node *node =
            expr_get(&model->exprs, model->conjuncts.data[of->first_conjunct + i].cond);
        if (node->op != EXPR_EQ) continue;
        const struct expr_node *a = expr_get(&model->exprs, node->a),
                               *b = expr_get(&model->exprs, node->b);
        if (a->op == EXPR_CONST && b->op == EXPR_VAR) {
            const struct expr_node *swap = a;
            a = b;
            b = swap;
        }
        if (a->op != EXPR_VAR || a->value != var || b->op != EXPR_CONST) continue;
        *value = b->value;
        return true;
    }
    return false;
}

bool model_is_fresh(const struct model *model, uint32_t var)
{
    if (model->vars.data[var].is_fresh) return true;
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (model->clocks.data[c].is_set_by_code && model->clocks.data[c].setter == var)
            return true;
    return false;
}

bool model_has_hidden(const struct model *model)
{
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (model->vars.data[v].is_hidden && !model_is_fresh(model, v)) return true;
    return false;
}

uint32_t model_next_unless(const struct model *model, const struct model_rule *rule, uint32_t after)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < rule->guards; i++) {
        const uint32_t unless = model->constraints.data[rule->first_guard + i].unless;
        if (unless > after && (!next || unless < next)) next = unless;
    }
    return next;
}

bool model_is_waited_for(const struct model *model, const struct model_rule *rule)
{
    bool waited_for = false;
    for (uint32_t i = 0; i < rule->classes; i++)
        for (uint32_t p = 0; p < model->priorities.len; p++)
            waited_for |=
                model->priorities.data[p].high == model->rule_classes.data[rule->first_class + i];
    return waited_for;
}

void model_bound_range(const struct model *model, const struct clock_constraint *constraint,
                       int64_t *low, int64_t *high)
{
    *low = *high = constraint->bound;
    if (!constraint->varies) return;
    const struct expr_node *value = expr_get(&model->exprs, constraint->value);
    *low = constraint->is_narrow ? constraint->low : value->low;
    *high = constraint->is_narrow ? constraint->high : value->high;
}

void model_end_rule(struct model *model)
{
    struct model_rule *rule = last_rule(model);
    assert(rule->first_part + rule->parts == model->parts.len);
    assert(rule->first_conjunct + rule->conjuncts == model->conjuncts.len);
    assert(rule->first_store + rule->stores == model->stores.len);
    assert(rule->first_class + rule->classes == model->rule_classes.len);
    assert(rule->first_guard + rule->guards == model->constraints.len
           && rule->first_reset + rule->resets == model->resets.len);
    (void)rule;
}

static void collect(void *context, uint32_t var)
{
    struct model *model = context;
    vec_push(model->mem, &model->accesses, var);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts accesses[first ..] and removes repetitions; returns how many are left. */
static uint32_t sort_accesses(struct model *model, uint32_t first)
{
    uint32_t *data = model->accesses.data, len = model->accesses.len, kept = first;
    if (len > first) qsort(data + first, len - first, sizeof *data, by_number);
    for (uint32_t i = first; i < len; i++)
        if (i == first || data[i] != data[i - 1]) data[kept++] = data[i];
    model->accesses.len = kept;
    return kept - first;
}

/* The variables that code reads or writes. A call's body is looked at once per rule: `walk` marks
 * what was seen. */
struct code_walk {
    struct model *model;
    uint32_t *seen, now;
    bool writes;
};

static void collect_cells(struct model *model, const struct cell *cell, uint32_t run)
{
    if (cell->local) return;
    const struct expr_node *offset = expr_get(&model->exprs, cell->offset);
    uint32_t first = cell->base, count = cell->count;
    if (offset->op == EXPR_CONST) {
        first += (uint32_t)offset->value;
        count = 1;
    }
    for (uint32_t i = 0; i < count + run - 1; i++) collect(model, first + i);
}

static void walk_code(struct code_walk *walk, statement at)
{
    struct model *model = walk->model;
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        if (walk->seen[at.i] == walk->now) return;
        walk->seen[at.i] = walk->now;
        bool has_target = node->op == CODE_SET || node->op == CODE_COPY,
             has_value = node->op != CODE_COPY && node->op != CODE_CALL && node->op != CODE_LEAVE;
        if (walk->writes && has_target)
            collect_cells(model, &node->target, node->op == CODE_COPY ? node->cells : 1);
        if (!walk->writes && node->op == CODE_COPY)
            collect_cells(model, &node->source, node->cells);
        if (!walk->writes && has_value) expr_each_var(&model->exprs, node->value, collect, model);
        if (!walk->writes && has_target)
            expr_each_var(&model->exprs, node->target.offset, collect, model);
        if (!walk->writes && node->op == CODE_COPY)
            expr_each_var(&model->exprs, node->source.offset, collect, model);
        if (node->op == CODE_IF || node->op == CODE_WHILE || node->op == CODE_CALL)
            walk_code(walk, node->body);
        if (node->op == CODE_IF) walk_code(walk, model->code.data[at.i].other);
    }
}

static void collect_code(struct code_walk *walk, const struct model_rule *rule, bool writes)
{
    if (code_is_none(rule->body)) return;
    walk->now++;
    walk->writes = writes;
    walk_code(walk, rule->body);
}

bool model_writes(const struct model *model, const struct model_rule *rule, uint32_t var)
{
    return rule->writes
           && bsearch(&var, model->accesses.data + rule->first_write, rule->writes,
                      sizeof(uint32_t), by_number);
}

static void collect_constraints(struct model *model, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct clock_constraint *constraint = &model->constraints.data[first + i];
        if (constraint->is_conditional)
            expr_each_var(&model->exprs, constraint->when, collect, model);
        if (constraint->varies) expr_each_var(&model->exprs, constraint->value, collect, model);
    }
}

/* `count` variables that the code writes are the last accesses, in order. */
static void mark_provisional(struct model *model, const struct model_rule *rule, uint32_t count)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        struct rule_store *store = &model->stores.data[rule->first_store + i];
        store->provisional = count
                             && bsearch(&store->var, model->accesses.data + rule->first_write,
                                        count, sizeof(uint32_t), by_number);
    }
}

void model_finish(struct model *model)
{
    struct code_walk walk = {
        .model = model, .seen = mem_alloc(model->mem, (model->code.len + 1) * sizeof *walk.seen)};
    model->accesses.len = 0;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        struct model_rule *rule = &model->rules.data[r];
        rule->first_read = model->accesses.len;
        for (uint32_t i = 0; i < rule->conjuncts; i++)
            expr_each_var(&model->exprs, model->conjuncts.data[rule->first_conjunct + i].cond,
                          collect, model);
        if (rule->asks) expr_each_var(&model->exprs, rule->permit, collect, model);
        for (uint32_t i = 0; i < rule->stores; i++)
            expr_each_var(&model->exprs, model->stores.data[rule->first_store + i].value, collect,
                          model);
        collect_constraints(model, rule->first_guard, rule->guards);
        collect_code(&walk, rule, false);
        rule->reads = sort_accesses(model, rule->first_read);
        rule->first_write = model->accesses.len;
        collect_code(&walk, rule, true);
        mark_provisional(model, rule, sort_accesses(model, rule->first_write));
        for (uint32_t i = 0; i < rule->stores; i++)
            collect(model, model->stores.data[rule->first_store + i].var);
        rule->writes = sort_accesses(model, rule->first_write);
    }
    mem_free(model->mem, walk.seen);
    model->local_values = mem_resize(model->mem, model->local_values,
                                     (model->locals.len + 1) * sizeof *model->local_values);
}

/* Numbered invariants of a model; a broken one is a bug of a front end or a pass.
 *  1 names are set; 2 ranges are not empty and initial values lie in them; 3 owners, locations,
 *      parts and variables exist;
 *  4 conjuncts are Boolean, stored values are integers; 5 no rule writes a variable twice; 6 reads
 *      and writes are up to date and
 *  ascending; 7 properties have well-formed roots; 8 what is hidden is no location and no rank, and
 *      what is left out has one value;
 *  9 rules that ask for permission are in models with priorities or with time, not with both: where
 *      a rule waits for one that is never
 *  taken, being stuck is not decided by either alone;
 *  10 the variable that sets a clock is hidden, sets no other one, and nothing reads it; conditions
 * and bounds of clocks never fail; urgent rules have no interval;
 *  11 nobody waits for a rule with groups of constraints: none of its classes is above another. */
static const char *check_vars(const struct model *model)
{
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        if (!var->name) return "1: a variable without a name";
        if (var->low > var->high || var->init < var->low || var->init > var->high)
            return "2: a bad range";
        if (var->process != MODEL_NONE && var->process >= model->processes.len)
            return "3: a variable without its owner";
        if (var->is_hidden && (i == model->rank || model_is_location(model, i)))
            return "8: a hidden location or rank";
        if (var->is_left_out && (var->is_hidden || var->any_init || var->low < var->high))
            return "8: a variable that is left out and has values";
    }
    for (uint32_t i = 0; i < model->processes.len; i++) {
        const struct model_process *process = &model->processes.data[i];
        if (!process->name || !process->type) return "1: a process without a name";
        if (process->location != MODEL_NONE && process->location >= model->vars.len)
            return "3: a location variable";
        if (process->location != MODEL_NONE && model->vars.data[process->location].process != i)
            return "3: a location that belongs to another process";
        if ((uint64_t)process->first_location + process->locations > model->locations.len)
            return "3: locations";
    }
    return NULL;
}

static const char *check_rule(const struct model *model, const struct model_rule *rule)
{
    if (!rule->label) return "1: a rule without a label";
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process != MODEL_NONE && process >= model->processes.len)
            return "3: a part without its process";
    }
    if (rule->asks && !expr_get(&model->exprs, rule->permit)->is_bool)
        return "4: a permission that is not Boolean";
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + i];
        if (conjunct->part >= rule->parts) return "3: a conjunct without its part";
        if (!expr_get(&model->exprs, conjunct->cond)->is_bool)
            return "4: a conjunct that is not Boolean";
    }
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        if (store->var >= model->vars.len) return "3: a store without its variable";
        if (expr_get(&model->exprs, store->value)->is_bool)
            return "4: a stored value that is Boolean";
    }
    if (code_is_none(rule->body) && rule->writes != rule->stores)
        return "5: a rule that writes a variable twice";
    for (uint32_t i = 0; i < rule->classes; i++)
        if (model->rule_classes.data[rule->first_class + i] >= model->class_count)
            return "3: a rule of a class that does not exist";
    if (rule->interval != MODEL_NONE && rule->interval >= model->intervals.len)
        return "3: a rule without its interval";
    for (uint32_t i = 0; i < rule->resets; i++)
        if (model->resets.data[rule->first_reset + i].clock >= model->clocks.len)
            return "3: a reset without its clock";
    if (rule->is_urgent && rule->interval != MODEL_NONE)
        return "10: an urgent rule with an interval";
    for (uint32_t i = 0; i < rule->reads + rule->writes; i++) {
        const uint32_t *access = &model->accesses.data[rule->first_read + i];
        if (*access >= model->vars.len) return "6: an access without its variable";
        if (i && i != rule->reads && access[-1] >= *access) return "6: accesses out of order";
    }
    return NULL;
}

static const char *check_dead_step(const struct model *model, const struct model_dead_step *step)
{
    if (!step->label) return "1: a step without a label";
    if ((uint64_t)step->first_process + step->processes > model->dead_processes.len)
        return "3: processes of a step";
    for (uint32_t i = 0; i < step->processes; i++)
        if (model->dead_processes.data[step->first_process + i] >= model->processes.len)
            return "3: a step without its process";
    return NULL;
}

static bool cells_exist(const struct model *model, const struct cell *cell, uint32_t run)
{
    uint64_t end = (uint64_t)cell->base + cell->count + run - 1;
    return cell->count && end <= (cell->local ? model->locals.len : model->vars.len);
}

static const char *check_code(const struct model *model, const struct code_node *node)
{
    uint32_t run = node->op == CODE_COPY ? node->cells : 1;
    if ((node->op == CODE_SET || node->op == CODE_COPY) && !cells_exist(model, &node->target, run))
        return "3: code that writes what does not exist";
    if (node->op == CODE_COPY && !cells_exist(model, &node->source, run))
        return "3: code that copies what does not exist";
    bool is_condition = node->op == CODE_REQUIRE || node->op == CODE_IF || node->op == CODE_WHILE;
    if (is_condition && !expr_get(&model->exprs, node->value)->is_bool)
        return "4: a condition that is not Boolean";
    if (node->op == CODE_SET && expr_get(&model->exprs, node->value)->is_bool)
        return "4: a stored value that is Boolean";
    return NULL;
}

static const char *check_wholes(const struct model *model)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < model->wholes.len; i++) {
        const struct model_whole *whole = &model->wholes.data[i];
        if (!whole->name) return "1: a value without a name";
        if (whole->var < end) return "8: a variable that is part of two values";
        end = whole->var + (uint64_t)whole->shape->cells;
        if (end > model->vars.len) return "3: a value without its variables";
    }
    return NULL;
}

static const char *check_constraint(const struct model *model,
                                    const struct clock_constraint *constraint)
{
    if ((constraint->x != MODEL_NONE && constraint->x >= model->clocks.len)
        || (constraint->y != MODEL_NONE && constraint->y >= model->clocks.len))
        return "3: a constraint without its clock";
    if (constraint->is_conditional && !expr_get(&model->exprs, constraint->when)->is_bool)
        return "4: a condition that is not Boolean";
    if (constraint->varies && expr_get(&model->exprs, constraint->value)->is_bool)
        return "4: a bound that is Boolean";
    if ((constraint->is_conditional && expr_get(&model->exprs, constraint->when)->may_fail)
        || (constraint->varies && expr_get(&model->exprs, constraint->value)->may_fail))
        return "10: a constraint that may fail";
    return NULL;
}

static const char *check_setter(const struct model *model, uint32_t c)
{
    const struct model_clock *clock = &model->clocks.data[c];
    if (clock->init < 0) return "2: a clock that begins below 0";
    if (!clock->is_set_by_code) return NULL;
    if (clock->setter >= model->vars.len) return "3: a clock without the variable that sets it";
    if (!model->vars.data[clock->setter].is_hidden) return "10: a setter that is not hidden";
    for (uint32_t other = 0; other < c; other++)
        if (model->clocks.data[other].is_set_by_code
            && model->clocks.data[other].setter == clock->setter)
            return "10: a setter of two clocks";
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (rule->reads
            && bsearch(&clock->setter, model->accesses.data + rule->first_read, rule->reads,
                       sizeof(uint32_t), by_number))
            return "10: a setter that is read";
    }
    return NULL;
}

static const char *check_query(const struct model *model, const struct model_property *property)
{
    if (property->query >= model->queries.len) return "7: a property without its query";
    const struct model_query *query = &model->queries.data[property->query];
    if (query->p.i != property->root.i || query->q.i >= model->formulas.nodes.len
        || query->first_term + (uint64_t)query->terms > model->query_terms.len)
        return "7: a query without its formulas";
    for (uint32_t i = 0; i < query->terms; i++) {
        const struct query_term *term = &model->query_terms.data[query->first_term + i];
        if (!term->text || (term->is_clock && term->clock >= model->clocks.len))
            return "7: a term of a query without its clock";
    }
    return NULL;
}

bool model_check(const struct model *model, struct text *complaint)
{
    const char *broken = check_vars(model);
    if (!broken) broken = check_wholes(model);
    for (uint32_t r = 0; !broken && r < model->rules.len; r++)
        broken = check_rule(model, &model->rules.data[r]);
    for (uint32_t i = 0; !broken && i < model->dead_steps.len; i++)
        broken = check_dead_step(model, &model->dead_steps.data[i]);
    for (uint32_t i = 0; !broken && i < model->properties.len; i++) {
        const struct model_property *property = &model->properties.data[i];
        if (!property->name || !property->text) broken = "1: a property without a name";
        if (property->root.i >= model->formulas.nodes.len)
            broken = "7: a property without its formula";
        if (!broken && property->kind == PROPERTY_QUERY) broken = check_query(model, property);
    }
    for (uint32_t i = 0; !broken && i < model->exprs.nodes.len; i++) {
        const struct expr_node *node = &model->exprs.nodes.data[i];
        if (node->op == EXPR_VAR && node->value >= model->vars.len)
            broken = "3: an expression without its variable";
        if (node->op == EXPR_LOCAL && node->value >= model->locals.len)
            broken = "3: an expression without its local";
        if (node->op == EXPR_TABLE
            && (node->value >= model->tables.len
                || model->tables.data[node->value].count
                       != expr_get(&model->exprs, node->b)->value))
            broken = "3: an expression without its table";
        if (node->op == EXPR_AT
            && node->value + expr_get(&model->exprs, node->b)->value > model->vars.len)
            broken = "3: an array without its variables";
    }
    for (uint32_t i = 0; !broken && i < model->code.len; i++)
        broken = check_code(model, &model->code.data[i]);
    for (uint32_t i = 0; !broken && i < model->constraints.len; i++)
        broken = check_constraint(model, &model->constraints.data[i]);
    for (uint32_t r = 0; !broken && r < model->rules.len; r++)
        if (model_next_unless(model, &model->rules.data[r], 0)
            && model_is_waited_for(model, &model->rules.data[r]))
            broken = "11: a rule with groups of constraints that others wait for";
    for (uint32_t i = 0; !broken && i < model->clocks.len; i++) broken = check_setter(model, i);
    if (!broken && model->has_final && !expr_get(&model->exprs, model->final)->is_bool)
        broken = "4: a condition that is not Boolean";
    if (!broken && model->rank != MODEL_NONE && model->rank >= model->vars.len)
        broken = "3: a rank without its variable";
    if (!broken && model->priorities.len && model_is_timed(model) && model_asks(model))
        broken = "9: permissions, priorities and time at once";
    if (broken && complaint) text_add(complaint, "invariant %s", broken);
    return !broken;
}

expr model_var_expr(struct model *model, uint32_t var)
{
    const struct exprs *exprs = &model->exprs;
    for (uint32_t i = 0; i < exprs->nodes.len; i++) {
        const struct expr_node *node = &exprs->nodes.data[i];
        if (node->op == EXPR_VAR && node->low == INT64_MIN && node->high == INT64_MAX)
            return expr_var(&model->exprs, var);
        if (node->op == EXPR_VAR) break;
    }
    return expr_var_in(&model->exprs, var, model->vars.data[var].low, model->vars.data[var].high);
}

const char *model_location_name(const struct model *model, uint32_t process, int64_t value)
{
    const struct model_process *p = &model->processes.data[process];
    for (uint32_t i = 0; i < p->locations; i++)
        if (model->locations.data[p->first_location + i].value == value)
            return model->locations.data[p->first_location + i].name;
    return NULL;
}

bool model_is_location(const struct model *model, uint32_t var)
{
    uint32_t process = model->vars.data[var].process;
    return process != MODEL_NONE && model->processes.data[process].location == var;
}

const char *model_value_name(const struct model *model, uint32_t v, int64_t value)
{
    const struct model_var *var = &model->vars.data[v];
    if (model_is_location(model, v)) return model_location_name(model, var->process, value);
    return var->value_names && value >= var->low && value <= var->high
               ? var->value_names[value - var->low]
               : NULL;
}

const char *model_course_label(const struct model_course *course, int64_t value, uint32_t k)
{
    if (value < course->first || value - course->first >= course->states) return NULL;
    const uint32_t *first = &course->first_edge[value - course->first];
    return k < first[1] - first[0] ? course->labels[course->edge_label[first[0] + k]] : NULL;
}

const struct model_course *model_add_course(struct model *model, const struct model_course *course,
                                            uint32_t label_count)
{
    struct arena *arena = &model->arena;
    struct model_course *copy = arena_alloc(arena, sizeof *copy);
    uint32_t *first = arena_alloc(arena, (course->states + (size_t)1) * sizeof *first);
    uint32_t *label =
        arena_alloc(arena, (course->first_edge[course->states] + (size_t)1) * sizeof *label);
    const char **labels = arena_alloc(arena, (label_count + (size_t)1) * sizeof *labels);
    uint32_t *seen = mem_alloc(model->mem, (label_count + (size_t)1) * sizeof *seen);
    uint32_t edges = 0;
    for (uint32_t l = 0; l < label_count; l++)
        labels[l] = names_intern(&model->names, course->labels[l], strlen(course->labels[l]));
    for (uint32_t s = 0; s < course->states; s++) {
        first[s] = edges;
        for (uint32_t e = course->first_edge[s]; e < course->first_edge[s + 1]; e++) {
            if (seen[course->edge_label[e]] == s + 1) continue; /* it leads two ways */
            seen[course->edge_label[e]] = s + 1;
            label[edges++] = course->edge_label[e];
        }
    }
    first[course->states] = edges;
    mem_free(model->mem, seen);
    *copy = (struct model_course){course->first, course->states, first, label, labels};
    return copy;
}

bool model_takes_part_dead(const struct model *model, uint32_t s, uint32_t process)
{
    const struct model_dead_step *step = &model->dead_steps.data[s];
    for (uint32_t i = 0; i < step->processes; i++)
        if (model->dead_processes.data[step->first_process + i] == process) return true;
    return false;
}

bool model_takes_part(const struct model *model, uint32_t r, uint32_t process)
{
    const struct model_rule *rule = &model->rules.data[r];
    for (uint32_t i = 0; i < rule->parts; i++)
        if (model->parts.data[rule->first_part + i].process == process) return true;
    return false;
}

/* The name of the location that a constant stands for when it is compared with a location
 * variable. */
static const char *constant_name(const struct model *model, const struct expr_node *constant,
                                 expr other)
{
    const struct expr_node *var = expr_get(&model->exprs, other);
    if (constant->op != EXPR_CONST || constant->is_bool || var->op != EXPR_VAR) return NULL;
    return model_value_name(model, (uint32_t)var->value, constant->value);
}

static void print_expr(const struct model *model, struct text *text, expr e, unsigned outer,
                       expr beside);

/* `name[0]` is the first cell of the array: what is meant is `name[offset]`. */
static void print_array_cell(const struct model *model, struct text *text,
                             const struct expr_node *node)
{
    const char *first = node->op == EXPR_AT ? model->vars.data[node->value].name
                                            : model->locals.data[node->value].name;
    size_t length = strlen(first);
    if (length > 3 && !strcmp(first + length - 3, "[0]")) length -= 3;
    text_add(text, "%.*s[", (int)length, first);
    print_expr(model, text, node->a, 0, node->a);
    text_add(text, "]");
}

static void print_expr(const struct model *model, struct text *text, expr e, unsigned outer,
                       expr beside)
{
    const struct expr_node *node = expr_get(&model->exprs, e);
    const struct expr_info *info = &expr_table[node->op];
    const char *name = constant_name(model, node, beside);
    bool wrap = info->strength < outer;
    if (wrap) text_add(text, "(");
    if (name) text_add(text, "%s", name);
    else if (node->op == EXPR_CONST && node->is_bool)
        text_add(text, node->value ? "true" : "false");
    else if (node->op == EXPR_CONST) text_add(text, "%" PRId64, node->value);
    else if (node->op == EXPR_VAR) text_add(text, "%s", model->vars.data[node->value].name);
    else if (node->op == EXPR_LOCAL) text_add(text, "%s", model->locals.data[node->value].name);
    else if (node->op == EXPR_FAIL) text_add(text, "fail");
    else if (node->op == EXPR_WITHIN) print_expr(model, text, node->a, outer, node->a);
    else if (node->op == EXPR_AT || node->op == EXPR_LOCAL_AT) print_array_cell(model, text, node);
    else if (node->op == EXPR_TABLE) {
        text_add(text, "table%" PRId64 "[", node->value);
        print_expr(model, text, node->a, 0, node->a);
        text_add(text, "]");
    } else if (node->op == EXPR_CHOOSE) {
        print_expr(model, text, node->a, 1, node->a);
        text_add(text, " ? ");
        print_expr(model, text, node->b, 1, node->b);
        text_add(text, " : ");
        print_expr(model, text, node->c, 1, node->c);
    } else if (node->op == EXPR_CUT) {
        print_expr(model, text, node->a, expr_table[EXPR_MOD].strength, node->a);
        text_add(text, " mod %" PRIu64, expr_mask(node->bits) + 1);
    } else if (info->arity == 1) {
        text_add(text, "%s", info->symbol);
        print_expr(model, text, node->a, info->strength, node->a);
    } else {
        /* Conjunctions and disjunctions read well without parentheses; everything else groups to
         * the left. */
        bool chain = node->op == EXPR_AND || node->op == EXPR_OR;
        print_expr(model, text, node->a, info->strength + (node->op == EXPR_IMPLIES), node->b);
        text_add(text, " %s ", info->symbol);
        print_expr(model, text, node->b, info->strength + !(chain || node->op == EXPR_IMPLIES),
                   node->a);
    }
    if (wrap) text_add(text, ")");
}

void model_print_expr(const struct model *model, struct text *text, expr e)
{
    print_expr(model, text, e, 0, e);
}

/* x - y <= 5, or x >= 5. */
static void print_constraint(const struct model *model, struct text *text,
                             const struct clock_constraint *constraint)
{
    const bool is_lower = constraint->x == MODEL_NONE && constraint->y != MODEL_NONE;
    const uint32_t first = is_lower ? constraint->y : constraint->x;
    text_add(text, "%s", first == MODEL_NONE ? "0" : model->clocks.data[first].name);
    if (!is_lower && constraint->y != MODEL_NONE)
        text_add(text, " - %s", model->clocks.data[constraint->y].name);
    text_add(text, " %s%s ", is_lower ? ">" : "<", constraint->strict ? "" : "=");
    if (!constraint->varies)
        text_add(text, "%" PRId64, is_lower ? -constraint->bound : constraint->bound);
    else {
        text_add(text, is_lower ? "-(" : "(");
        model_print_expr(model, text, constraint->value);
        text_add(text, ")");
    }
}

static void print_formula(const struct model *model, struct text *text, formula f, unsigned outer)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    const struct formula_info *info = &formula_table[node->op];
    if (node->op == FORMULA_ATOM) {
        print_expr(model, text, node->atom, outer, node->atom);
        return;
    }
    if (node->op == FORMULA_CLOCK || node->op == FORMULA_DEADLOCK) {
        if (node->op == FORMULA_DEADLOCK) text_add(text, "%s", info->symbol);
        else print_constraint(model, text, &model->constraints.data[node->constraint]);
        return;
    }
    bool wrap = info->strength < outer;
    bool quantifier = node->op == FORMULA_A || node->op == FORMULA_E;
    if (wrap) text_add(text, "(");
    if (quantifier) {
        const struct formula_node *path = formula_get(&model->formulas, node->a);
        bool binary = formula_table[path->op].arity == 2;
        text_add(text, binary ? "%s[" : "%s", info->symbol);
        print_formula(model, text, node->a, 0);
        if (binary) text_add(text, "]");
    } else if (info->arity == 1) {
        text_add(text, node->op == FORMULA_NOT ? "%s" : "%s ", info->symbol);
        print_formula(model, text, node->a, info->strength);
    } else {
        print_formula(model, text, node->a, info->strength + 1);
        text_add(text, " %s ", info->symbol);
        print_formula(model, text, node->b, info->strength + (node->op == FORMULA_IFF));
    }
    if (wrap) text_add(text, ")");
}

void model_print_formula(const struct model *model, struct text *text, formula f)
{
    print_formula(model, text, f, 0);
}
