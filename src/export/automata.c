/* Planning: which cells are arrays, which processes are automata, who moves in a rule, which rules
 * have timers, and what everything is called. */
#include "export/automata.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { GLOBAL_SCOPE = 0, MOST_LOCATIONS = 4096 };

void automata_refuse(struct automata *a, struct place place, const char *format, ...)
{
    char reason[400];
    va_list list;
    if (a->refusal.reason) return;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    a->refusal =
        (struct automata_refusal){names_intern(&a->model->names, reason, strlen(reason)), place};
}

struct place automata_place(const struct automata *a, uint32_t rule)
{
    const struct model_rule *r = &a->model->rules.data[rule];
    return r->parts ? a->model->parts.data[r->first_part].place : (struct place){0};
}

static void *room(struct automata *a, uint64_t count, size_t size)
{
    return arena_alloc(&a->model->arena, (count + 1) * size);
}

/* ---- names ---- */

const char *automata_pick(struct automata *a, uint32_t scope, const char *wanted)
{
    struct names *names = &a->model->names;
    const char *stem = names_format(names, "%.100s", wanted);
    uint32_t known = map_get(&a->picked_of, stem, scope);
    if (known == MAP_NONE) {
        known = a->picked.len;
        map_add(&a->picked_of, stem, scope, known);
        vec_push(a->model->mem, &a->picked, 0);
    }
    const uint32_t n = a->picked.data[known]++;
    return names_pick(&a->naming, scope, n ? names_format(names, "%s_%" PRIu32, stem, n) : stem);
}

/* ---- texts ---- */

void automata_open(const struct automata *a, struct text *text)
{
    text_init(text, a->model->mem);
    text_add(text, "%s", "");
}

void automata_clear(struct text *text)
{
    text->len = 0;
    text->data[0] = 0;
}

void automata_comment(struct automata *a, const char *start, const char *text)
{
    text_add(a->out, "%s", start);
    for (; *text; text++)
        text_add(a->out, "%c", (unsigned char)*text < ' ' || *text == '\\' ? ' ' : *text);
}

static void add_legend(struct automata *a, const char *start, const char *was, const char *is)
{
    if (!is || !strcmp(was, is)) return;
    automata_comment(a, start, was);
    text_add(a->out, " is %s\n", is);
}

void automata_legend(struct automata *a, const char *start)
{
    const struct model *model = a->model;
    for (uint32_t i = 0; i < a->arrays.len; i++)
        if (!a->arrays.data[i].is_gone)
            add_legend(a, start, model->vars.data[a->arrays.data[i].first].name,
                       a->arrays.data[i].name);
    for (uint32_t c = 0; c < model->clocks.len; c++)
        add_legend(a, start, model->clocks.data[c].name, a->clock[c]);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        add_legend(a, start, model->processes.data[p].name, a->keeps[p] ? a->name[p] : NULL);
        if (a->is_numbered[p])
            add_legend(a, start, model->vars.data[model->processes.data[p].location].name,
                       a->number[p]);
    }
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!a->timer[r]) continue;
        text_add(a->out, "%sthe timer of ", start);
        automata_comment(a, "", model->rules.data[r].label);
        if (automata_place(a, r).line) text_add(a->out, ", line %u", automata_place(a, r).line);
        text_add(a->out, " is %s\n", a->timer[r]);
    }
    if (model->ticks != 1)
        text_add(a->out, "%stime is counted in units of 1/%" PRId64 "\n", start, model->ticks);
}

/* ---- cells ---- */

/* Cells from `base` on are one array. */
static void join(uint32_t *reach, uint32_t base, uint64_t count)
{
    if (base + count > reach[base]) reach[base] = (uint32_t)(base + count);
}

static void find_reach(struct automata *a, uint32_t *vars, uint32_t *locals)
{
    const struct model *model = a->model;
    for (uint32_t i = 0; i < model->exprs.nodes.len; i++) {
        const struct expr_node *node = &model->exprs.nodes.data[i];
        if (node->op == EXPR_AT || node->op == EXPR_LOCAL_AT)
            join(node->op == EXPR_AT ? vars : locals, (uint32_t)node->value,
                 (uint64_t)expr_get(&model->exprs, node->b)->value);
    }
    for (uint32_t i = 0; i < model->code.len; i++) {
        const struct code_node *node = &model->code.data[i];
        const struct cell *cells[] = {&node->target, &node->source};
        uint32_t used = node->op == CODE_SET ? 1 : node->op == CODE_COPY ? 2 : 0;
        for (uint32_t k = 0; k < used; k++) {
            uint64_t more = node->op == CODE_COPY && node->cells ? node->cells - 1 : 0;
            if (expr_get(&model->exprs, cells[k]->offset)->op != EXPR_CONST)
                join(cells[k]->local ? locals : vars, cells[k]->base, cells[k]->count + more);
        }
    }
}

/* Without the index of the first element. */
static const char *array_name(struct automata *a, const char *first)
{
    size_t length = strlen(first);
    return length > 3 && !strcmp(first + length - 3, "[0]")
               ? names_intern(&a->model->names, first, length - 3)
               : first;
}

static void add_arrays(struct automata *a, bool local, const uint32_t *reach, uint32_t count)
{
    struct model *model = a->model;
    for (uint32_t first = 0, next; first < count; first = next) {
        struct automata_array array = {.first = first, .low = INT64_MAX, .high = INT64_MIN};
        uint32_t end = first + 1;
        bool fresh = true, any = false;
        for (next = first; next < end; next++) {
            if (reach[next] > end) end = reach[next];
            int64_t low = local ? model->locals.data[next].low : model->vars.data[next].low;
            int64_t high = local ? model->locals.data[next].high : model->vars.data[next].high;
            if (low < array.low) array.low = low;
            if (high > array.high) array.high = high;
            bool is_fresh = !local && a->sets[next] == MODEL_NONE && model_is_fresh(model, next);
            fresh &= is_fresh;
            any |= is_fresh;
            (local ? a->local_of : a->array_of)[next] = local ? a->locals.len : a->arrays.len;
        }
        array.count = next - first;
        array.is_fresh = fresh && any;
        if (any && !fresh)
            automata_refuse(a, model->vars.data[first].place,
                            "'%.60s' is hidden in part only, and indexed as one array",
                            model->vars.data[first].name);
        const char *wanted = local ? model->locals.data[first].name : model->vars.data[first].name;
        array.name =
            automata_pick(a, GLOBAL_SCOPE, array.count > 1 ? array_name(a, wanted) : wanted);
        if (!local)
            array.is_gone = a->sets[first] != MODEL_NONE || model->vars.data[first].is_left_out;
        if (local) vec_push(model->mem, &a->locals, array);
        else vec_push(model->mem, &a->arrays, array);
    }
}

static void find_arrays(struct automata *a)
{
    struct model *model = a->model;
    uint32_t *vars = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *vars),
             *locals = mem_alloc(model->mem, (model->locals.len + UINT64_C(1)) * sizeof *locals);
    find_reach(a, vars, locals);
    add_arrays(a, false, vars, model->vars.len);
    add_arrays(a, true, locals, model->locals.len);
    mem_free(model->mem, vars);
    mem_free(model->mem, locals);
}

/* ---- automata ---- */

static uint64_t location_count(const struct automata *a, uint32_t p)
{
    const struct model_var *var = &a->model->vars.data[a->model->processes.data[p].location];
    return (uint64_t)(var->high - var->low) + 1;
}

/* Whose location a variable is, if it is kept. */
static uint32_t kept_owner(const struct automata *a, uint32_t var)
{
    uint32_t p = a->model->vars.data[var].process;
    return p != MODEL_NONE && a->keeps[p] && a->model->processes.data[p].location == var
               ? p
               : MODEL_NONE;
}

static const struct rule_store *store_of(const struct model *model, const struct model_rule *rule,
                                         uint32_t var)
{
    for (uint32_t i = 0; i < rule->stores; i++)
        if (model->stores.data[rule->first_store + i].var == var)
            return &model->stores.data[rule->first_store + i];
    return NULL;
}

static void find_kept(struct automata *a)
{
    struct model *model = a->model;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        uint32_t var = model->processes.data[p].location;
        a->keeps[p] = var != MODEL_NONE && location_count(a, p) <= MOST_LOCATIONS
                      && a->arrays.data[a->array_of[var]].count == 1;
    }
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t i = 0; i < rule->writes; i++) {
            uint32_t var = model->accesses.data[rule->first_write + i], p = kept_owner(a, var);
            if (p == MODEL_NONE) continue;
            const struct rule_store *store = store_of(model, rule, var);
            a->keeps[p] = store && !store->provisional
                          && expr_get(&model->exprs, store->value)->op == EXPR_CONST;
        }
    }
}

static const char *pick_location(struct automata *a, uint32_t p, int64_t value)
{
    struct model *model = a->model;
    const char *name = model_location_name(model, p, value);
    if (!name)
        name = names_format(&model->names, value < 0 ? "L_%" PRId64 : "L%" PRId64,
                            value < 0 ? -value : value);
    /* in XTA a location hides variables of the same name */
    do name = automata_pick(a, p + 1, name);
    while (map_get(&a->naming.taken, name, GLOBAL_SCOPE) != MAP_NONE);
    return name;
}

static void name_locations(struct automata *a, uint32_t p)
{
    const struct model *model = a->model;
    const struct model_process *process = &model->processes.data[p];
    uint64_t count = location_count(a, p);
    int64_t low = model->vars.data[process->location].low;
    a->location[p] = room(a, count, sizeof **a->location);
    a->location_at[p] = room(a, count, sizeof **a->location_at);
    a->starts[p] = room(a, count, sizeof **a->starts);
    for (uint64_t v = 0; v < count; v++) a->location_at[p][v] = MODEL_NONE;
    for (uint32_t l = 0; l < process->locations; l++) {
        int64_t at = model->locations.data[process->first_location + l].value - low;
        if (at >= 0 && (uint64_t)at < count) a->location_at[p][at] = process->first_location + l;
    }
    for (uint64_t v = 0; v < count; v++) a->location[p][v] = pick_location(a, p, low + (int64_t)v);
}

static void name_processes(struct automata *a)
{
    struct model *model = a->model;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        if (!a->keeps[p]) continue;
        struct automata_array *array =
            &a->arrays.data[a->array_of[model->processes.data[p].location]];
        a->name[p] = automata_pick(a, GLOBAL_SCOPE, model->processes.data[p].name);
        a->number[p] = array->name;
        array->is_gone = true;
    }
}

/* ---- initial states ---- */

/* All combinations of initial locations, with one value of every other variable. */
static void find_initial(struct automata *a)
{
    struct model *model = a->model;
    uint32_t vars = model->vars.len;
    uint64_t listed = model_lists_initial(model) ? model->initial.len / vars : 0, combinations = 1;
    for (uint32_t v = 0; v < vars; v++) {
        const struct model_var *var = &model->vars.data[v];
        uint32_t p = kept_owner(a, v);
        uint64_t values = 0;
        a->initial[v] = listed ? model->initial.data[v] : var->any_init ? var->low : var->init;
        for (uint64_t i = 0; i < listed; i++) {
            int64_t value = model->initial.data[i * vars + v];
            if (p == MODEL_NONE) values += i == 0 || value != a->initial[v];
            else if (!a->starts[p][value - var->low])
                values++, a->starts[p][value - var->low] = true;
        }
        if (!listed && p != MODEL_NONE)
            for (int64_t value = var->low; value <= var->high; value++)
                a->starts[p][value - var->low] = var->any_init || value == var->init;
        if (!listed) values = var->any_init ? (uint64_t)(var->high - var->low) + 1 : 1;
        if (values > 1 && (p == MODEL_NONE || a->dialect == AUTOMATA_XTA))
            automata_refuse(
                a, var->place,
                "'%.60s' has several initial values, and a system has one initial state",
                var->name);
        combinations = combinations * values > UINT32_MAX ? UINT32_MAX : combinations * values;
    }
    if (listed && combinations != listed)
        automata_refuse(a, (struct place){0},
                        "its initial states are not all combinations of initial locations");
}

/* ---- movers ---- */

/* Where the guard says that the location is, before anything can fail. */
static bool find_fixed(const struct automata *a, const struct model_rule *rule, uint32_t var,
                       int64_t *value)
{
    const struct exprs *exprs = &a->model->exprs;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct expr_node *node =
            expr_get(exprs, a->model->conjuncts.data[rule->first_conjunct + i].cond);
        if (node->may_fail) return false;
        if (node->op != EXPR_EQ || expr_get(exprs, node->a)->op != EXPR_VAR
            || expr_get(exprs, node->a)->value != var || expr_get(exprs, node->b)->op != EXPR_CONST)
            continue;
        *value = expr_get(exprs, node->b)->value;
        return *value >= a->model->vars.data[var].low && *value <= a->model->vars.data[var].high;
    }
    return false;
}

static bool is_mover(const struct automata_movers *movers, uint32_t process)
{
    for (uint32_t i = 0; i < movers->list.len; i++)
        if (movers->list.data[i].process == process) return true;
    return false;
}

static void add_mover(struct automata *a, const struct model_rule *rule, uint32_t p,
                      struct automata_movers *movers, bool must_move)
{
    struct automata_mover mover = {.process = p};
    if (p == MODEL_NONE || !a->keeps[p] || is_mover(movers, p)) return;
    uint32_t var = a->model->processes.data[p].location;
    const struct rule_store *store = store_of(a->model, rule, var);
    mover.is_fixed = find_fixed(a, rule, var, &mover.from);
    mover.is_moving = store != NULL;
    if (store) mover.to = expr_get(&a->model->exprs, store->value)->value;
    if (must_move ? mover.is_moving : mover.is_fixed) vec_push(a->model->mem, &movers->list, mover);
}

void automata_movers(struct automata *a, uint32_t r, uint32_t most, struct automata_movers *movers)
{
    const struct model *model = a->model;
    const struct model_rule *rule = &model->rules.data[r];
    movers->list.len = 0;
    for (uint32_t i = 0; i < rule->parts; i++)
        add_mover(a, rule, model->parts.data[rule->first_part + i].process, movers, true);
    for (uint32_t i = 0; i < rule->stores; i++)
        add_mover(a, rule, kept_owner(a, model->stores.data[rule->first_store + i].var), movers,
                  true);
    for (uint32_t i = 0; i < rule->parts && movers->list.len < most; i++)
        add_mover(a, rule, model->parts.data[rule->first_part + i].process, movers, false);
}

uint32_t automata_home(struct automata *a, uint32_t r, int64_t *at)
{
    const struct model *model = a->model;
    const struct model_rule *rule = &model->rules.data[r];
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t p = model->parts.data[rule->first_part + i].process;
        if (p != MODEL_NONE && a->keeps[p]
            && find_fixed(a, rule, model->processes.data[p].location, at))
            return p;
    }
    return MODEL_NONE;
}

/* ---- timers ---- */

struct collecting {
    struct automata *a;
    uint32_t rule;
    uint32_t *count, *fill; /* per variable; fill: where the next one goes, in the second round */
};

static void collect(void *context, uint32_t var)
{
    struct collecting *c = context;
    if (c->fill) c->a->readers[c->fill[var]++] = c->rule;
    else c->count[var + 1]++;
}

/* Which variables decide whether a rule with a timer is enabled. */
static void visit_rule(struct automata *a, struct collecting *c)
{
    struct model *model = a->model;
    const struct model_rule rule = model->rules.data[c->rule];
    if (!code_is_none(rule.body) && model_may_block(model, rule.body, a->blocks)) {
        for (uint32_t i = 0; i < rule.reads; i++)
            collect(c, model->accesses.data[rule.first_read + i]);
        return;
    }
    for (uint32_t i = 0; i < rule.conjuncts; i++)
        expr_each_var(&model->exprs, model->conjuncts.data[rule.first_conjunct + i].cond, collect,
                      c);
}

static void find_timers(struct automata *a)
{
    struct model *model = a->model;
    uint32_t *fill;
    a->first_reader = room(a, model->vars.len + UINT64_C(1), sizeof *a->first_reader);
    a->first_resident = room(a, model->processes.len + UINT64_C(1), sizeof *a->first_resident);
    struct collecting c = {.a = a, .count = a->first_reader};
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (rule->interval == MODEL_NONE) continue;
        a->timer[r] =
            automata_pick(a, GLOBAL_SCOPE, names_format(&model->names, "t_%.60s", rule->label));
        c.rule = r;
        visit_rule(a, &c);
        for (uint32_t i = 0; i < rule->parts; i++) {
            uint32_t p = model->parts.data[rule->first_part + i].process;
            if (p != MODEL_NONE) a->first_resident[p + 1]++;
        }
    }
    for (uint32_t v = 0; v < model->vars.len; v++) a->first_reader[v + 1] += a->first_reader[v];
    for (uint32_t p = 0; p < model->processes.len; p++)
        a->first_resident[p + 1] += a->first_resident[p];
    a->readers = room(a, a->first_reader[model->vars.len], sizeof *a->readers);
    a->residents = room(a, a->first_resident[model->processes.len], sizeof *a->residents);
    c.fill = fill = room(a, model->vars.len, sizeof *fill);
    uint32_t *next = room(a, model->processes.len, sizeof *next);
    memcpy(fill, a->first_reader, model->vars.len * sizeof *fill);
    memcpy(next, a->first_resident, model->processes.len * sizeof *next);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (rule->interval == MODEL_NONE) continue;
        c.rule = r;
        visit_rule(a, &c);
        for (uint32_t i = 0; i < rule->parts; i++) {
            uint32_t p = model->parts.data[rule->first_part + i].process;
            if (p != MODEL_NONE) a->residents[next[p]++] = r;
        }
    }
}

/* ---- numbers ---- */

static void check_numbers(struct automata *a)
{
    struct model *model = a->model;
    struct numbers *numbers = &a->numbers;
    uint64_t size = 0;
    const char *reason = numbers_check(numbers);
    for (uint32_t i = 0; !reason && i < model->code.len; i++) {
        const struct code_node node = model->code.data[i];
        if (node.op == CODE_SET || node.op == CODE_REQUIRE || node.op == CODE_IF
            || node.op == CODE_WHILE)
            reason = numbers_check_expr(numbers, node.value, &size);
        if (!reason && (node.op == CODE_SET || node.op == CODE_COPY))
            reason = numbers_check_expr(numbers, node.target.offset, &size);
        if (!reason && node.op == CODE_COPY)
            reason = numbers_check_expr(numbers, node.source.offset, &size);
        if (reason) a->refusal.place = node.place;
    }
    for (uint32_t i = 0; !reason && i < model->constraints.len; i++) {
        const struct clock_constraint constraint = model->constraints.data[i];
        if (constraint.unless)
            reason = "a step depends on clock constraints that do not hold together";
        if (!reason && constraint.is_conditional)
            reason = numbers_check_expr(numbers, constraint.when, &size);
        if (!reason && constraint.varies)
            reason = numbers_check_expr(numbers, constraint.value, &size);
        if (!reason && (constraint.bound > NUMBER_MAX || constraint.bound < -NUMBER_MAX))
            reason = "a clock is compared with a number of more than 31 bits";
        if (reason) a->refusal.place = constraint.place;
    }
    for (uint32_t r = 0; !reason && r < model->rules.len; r++) {
        const struct model_rule rule = model->rules.data[r];
        if (rule.asks) reason = numbers_check_expr(numbers, rule.permit, &size);
        if (!reason && rule.interval != MODEL_NONE
            && (model->intervals.data[rule.interval].low > NUMBER_MAX
                || model->intervals.data[rule.interval].high > NUMBER_MAX))
            reason = "an interval ends at a number of more than 31 bits";
        if (reason) a->refusal.place = automata_place(a, r);
    }
    for (uint32_t i = 0; !reason && i < model->resets.len; i++)
        if (model->resets.data[i].value > NUMBER_MAX)
            reason = "a clock is set to a number of more than 31 bits";
    if (!reason && model->has_final) reason = numbers_check_expr(numbers, model->final, &size);
    if (reason) a->refusal.reason = reason;
}

/* ---- the module ---- */

static void name_clocks(struct automata *a)
{
    struct model *model = a->model;
    for (uint32_t c = 0; c < model->clocks.len; c++) {
        const struct model_clock *clock = &model->clocks.data[c];
        a->clock[c] = automata_pick(a, GLOBAL_SCOPE, clock->name);
        if (clock->is_set_by_code) a->setter[c] = a->arrays.data[a->array_of[clock->setter]].name;
    }
}

void automata_start(struct automata *a, struct model *model, enum automata_dialect dialect,
                    const char *const *reserved)
{
    *a = (struct automata){.model = model, .dialect = dialect};
    names_start(&a->naming, model, reserved, false);
    numbers_start(&a->numbers, model, dialect == AUTOMATA_XTA ? "UPPAAL" : "TChecker", 30);
    map_init(&a->within_of, model->mem);
    map_init(&a->picked_of, model->mem);
    automata_open(a, &a->functions);
    const uint64_t vars = model->vars.len, rules = model->rules.len,
                   processes = model->processes.len, clocks = model->clocks.len;
    a->array_of = room(a, vars, sizeof *a->array_of);
    a->local_of = room(a, model->locals.len, sizeof *a->local_of);
    a->sets = room(a, vars, sizeof *a->sets);
    a->initial = room(a, vars, sizeof *a->initial);
    a->clock = room(a, clocks, sizeof *a->clock);
    a->setter = room(a, clocks, sizeof *a->setter);
    a->keeps = room(a, processes, sizeof *a->keeps);
    a->is_numbered = room(a, processes, sizeof *a->is_numbered);
    a->name = room(a, processes, sizeof *a->name);
    a->number = room(a, processes, sizeof *a->number);
    a->location = room(a, processes, sizeof *a->location);
    a->location_at = room(a, processes, sizeof *a->location_at);
    a->starts = room(a, processes, sizeof *a->starts);
    a->timer = room(a, rules, sizeof *a->timer);
    a->enabled = room(a, rules, sizeof *a->enabled);
    a->take = room(a, rules, sizeof *a->take);
    a->can = room(a, rules, sizeof *a->can);
    a->enabled_at = room(a, rules, sizeof *a->enabled_at);
    a->can_at = room(a, rules, sizeof *a->can_at);
    a->seen = room(a, rules, sizeof *a->seen);
    a->written = room(a, vars, sizeof *a->written);
    a->code_seen = room(a, model->code.len, sizeof *a->code_seen);
    a->local_seen = room(a, model->locals.len, sizeof *a->local_seen);
    a->leaves = room(a, model->code.len, 1);
    a->blocks = room(a, model->code.len, 1);
    a->table = room(a, model->tables.len, sizeof *a->table);
    a->uses_table = room(a, model->tables.len, 1);
    for (uint32_t v = 0; v < vars; v++) a->sets[v] = MODEL_NONE;
    for (uint32_t c = 0; c < clocks; c++)
        if (model->clocks.data[c].is_set_by_code) a->sets[model->clocks.data[c].setter] = c;
    find_arrays(a);
    find_kept(a);
    name_processes(a);
    name_clocks(a);
    for (uint32_t t = 0; t < model->tables.len; t++)
        a->table[t] =
            automata_pick(a, GLOBAL_SCOPE, names_format(&model->names, "table_%" PRIu32, t));
    a->fails = automata_pick(a, GLOBAL_SCOPE, "fails");
    a->must = automata_pick(a, GLOBAL_SCOPE, "must");
    find_timers(a);
    check_numbers(a);
    for (uint32_t p = 0; p < processes; p++)
        if (a->keeps[p]) name_locations(a, p);
    find_initial(a);
}

void automata_finish(struct automata *a)
{
    struct mem *mem = a->model->mem;
    numbers_finish(&a->numbers);
    names_finish(&a->naming);
    mem_free(mem, a->within_of.entries);
    mem_free(mem, a->picked_of.entries);
    vec_free(mem, &a->picked);
    vec_free(mem, &a->withins);
    text_free(&a->functions);
    vec_free(mem, &a->temps.list);
    vec_free(mem, &a->flags.list);
    vec_free(mem, &a->wases.list);
    vec_free(mem, &a->used_locals);
    vec_free(mem, &a->copied);
    vec_free(mem, &a->expr_seen);
    vec_free(mem, &a->arrays);
    vec_free(mem, &a->locals);
    vec_free(mem, &a->resets);
    vec_free(mem, &a->asked);
}
