/* Two variables are added. `line` counts the lines that were passed, and is the rank: what was
 * before a line is the past. `last` says what the last step can be in the log:
 *
 *     0  nothing more: it was unlogged, or its line was passed
 *     1  the next line, and nothing else
 *     2  the next line, or an unlogged step
 *     3 + c  the step of class c after the last line (`probes`)
 *
 * Two tables have a row per kind of line and a column per class: whether such a step can be, and
 * what `last` becomes. A rule gets one permission and one assignment, however long the log is:
 *
 *     permit  (last = 0 or last = 2) and can[kind[line], c]        last := becomes[kind[line], c]
 *
 * Rules ask for permission instead of being disabled: what the log does not have keeps its priority
 * and its deadline, so that runs are runs of the model. Where there are priorities and time, which
 * do not go with permissions, such steps are taken, and lead to states in which nothing moves any
 * more (`last` is dead). No rule has a copy, whose timer would be another one. One rule passes a
 * line: it compares the state with what was seen, and the time of the log. As a step may be one of
 * the log or an unlogged one, that is decided after it, but at the same moment: a clock says that
 * no time has passed since the step. */
#include "pass/log.h"

#include "base/checked.h"
#include "pass/copy.h"
#include "pass/graft.h"

#include <string.h>

enum { LAST_DONE = 0, LAST_MUST = 1, LAST_MAY = 2, LAST_PROBE = 3 };

struct weaving {
    const struct log *log;
    struct log_woven woven;
    struct exprs *exprs;
    expr line, last;
    uint32_t dead;   /* the value of `last` after what cannot be, or MODEL_NONE */
    int32_t *column; /* working memory: a number per line and one for the end */
};

/* Kinds of lines: two for each row and two that look, with and without a gap; then the end. */
static uint32_t kind_of(const struct log *log, uint32_t i)
{
    if (i == log->count) return 2 * (log->rows + 1);
    uint32_t row = log->lines[i].row == LOG_LOOKS ? log->rows : log->lines[i].row;
    assert(row <= log->rows);
    return 2 * row + log->lines[i].gap;
}

static uint64_t kind_count(const struct log *log) { return 2 * (log->rows + UINT64_C(1)) + 1; }

bool log_fits(const struct log *log)
{
    return log->count < LOG_MOST_ENTRIES && log->classes < LOG_MOST_ENTRIES
           && kind_count(log) * (log->classes + UINT64_C(1)) <= LOG_MOST_ENTRIES;
}

/* ---- tables ---- */

/* The table that `column` holds now, at the current line. */
static expr at_line(struct weaving *w)
{
    struct model *model = w->woven.model;
    uint32_t table = model_add_table(model, w->column, w->log->count + 1);
    return model_table_entry(model, table, w->line);
}

static expr is_equal(struct weaving *w, expr a, int64_t value)
{
    return expr_make(w->exprs, EXPR_EQ, 0, a, expr_int(w->exprs, value));
}

static expr both(struct weaving *w, expr a, expr b)
{
    return expr_make(w->exprs, EXPR_AND, 0, a, b);
}

static expr either(struct weaving *w, expr a, expr b)
{
    return expr_make(w->exprs, EXPR_OR, 0, a, b);
}

static int32_t last_after(const struct log *log, uint32_t kind, uint32_t class)
{
    bool is_end = kind == 2 * (log->rows + 1), gap = kind & 1;
    bool hides = log->unlogged[class] || gap;
    if (is_end) return log->unlogged[class] ? LAST_DONE : (int32_t)(LAST_PROBE + class);
    bool admits = kind / 2 < log->rows && log->admits[(uint64_t)(kind / 2) * log->classes + class];
    if (!admits) return hides ? LAST_DONE : -1;
    return hides ? LAST_MAY : LAST_MUST;
}

/* A row for each kind of line: whether a step can be, or what `last` becomes. Without probes
 * nothing happens after the last line. */
static uint32_t add_classes(struct weaving *w, bool is_permit)
{
    const struct log *log = w->log;
    uint64_t entries = kind_count(log) * log->classes;
    int32_t *table = mem_alloc(w->woven.model->mem, (entries + 1) * sizeof *table);
    for (uint32_t k = 0; k < kind_count(log); k++)
        for (uint32_t c = 0; c < log->classes; c++) {
            bool is_over = k + 1 == kind_count(log) && !log->probes;
            int32_t last = is_over ? -1 : last_after(log, k, c);
            table[(uint64_t)k * log->classes + c] = is_permit ? last >= 0 : last < 0 ? 0 : last;
        }
    uint32_t added = model_add_table(w->woven.model, table, (uint32_t)entries);
    mem_free(w->woven.model->mem, table);
    return added;
}

/* ---- the model's own rules ---- */

/* What the rule asks for; see above for models in which nothing can be asked for. */
static void demand(struct weaving *w, uint32_t r, expr can_be, expr *value)
{
    struct model *model = w->woven.model;
    struct model_rule *rule = &model->rules.data[r];
    expr settled = either(w, is_equal(w, w->last, LAST_DONE), is_equal(w, w->last, LAST_MAY));
    expr permit = both(w, settled, can_be);
    if (w->dead == MODEL_NONE) {
        rule->permit = rule->asks ? both(w, rule->permit, permit) : permit;
        rule->asks = true;
        return;
    }
    struct place none = {0};
    expr alive = expr_make(w->exprs, EXPR_NE, 0, w->last, expr_int(w->exprs, w->dead));
    if (!rule->parts) graft_part(model, r, MODEL_NONE, none);
    graft_condition(model, r, alive, none, 0);
    *value = expr_choose(w->exprs, permit, *value, expr_int(w->exprs, w->dead));
}

static void ask_rule(struct weaving *w, uint32_t r, uint32_t can, uint32_t becomes, expr kind)
{
    struct model *model = w->woven.model;
    struct table_row row = {kind, w->log->classes, w->log->class_of[r]};
    expr index = model_matrix_index(model, row), value = model_table_entry(model, becomes, index);
    demand(w, r, is_equal(w, model_table_entry(model, can, index), 1), &value);
    graft_store(model, r, (struct rule_store){.var = w->woven.last, .value = value});
}

static void ask_rules(struct weaving *w)
{
    const struct log *log = w->log;
    struct model *model = w->woven.model;
    uint32_t rules = model->rules.len;
    if (!rules) return;
    uint32_t can = add_classes(w, true), becomes = add_classes(w, false);
    for (uint32_t i = 0; i <= log->count; i++) w->column[i] = (int32_t)kind_of(log, i);
    expr kind = at_line(w);
    for (uint32_t r = 0; r < rules; r++) ask_rule(w, r, can, becomes, kind);
}

/* ---- the rule that passes a line ---- */

static void begin_line(struct weaving *w)
{
    const struct log *log = w->log;
    struct model *model = w->woven.model;
    struct place none = {0};
    bool has_never = false;
    w->woven.rule = model->rules.len;
    model_begin_rule(model, "log");
    model->rules.data[w->woven.rule].is_internal = true;
    model_add_part(model, MODEL_NONE, none);
    for (uint32_t i = 0; i < log->count; i++) w->column[i] = log->lines[i].row == LOG_LOOKS;
    w->column[log->count] = 0;
    expr looks = is_equal(w, at_line(w), 1);
    expr stepped = either(w, is_equal(w, w->last, LAST_MUST), is_equal(w, w->last, LAST_MAY));
    expr waits = expr_make(w->exprs, EXPR_NE, 0, w->last, expr_int(w->exprs, LAST_MUST));
    expr is_line = expr_make(w->exprs, EXPR_LT, 0, w->line, expr_int(w->exprs, log->count));
    expr no_step = expr_make(w->exprs, EXPR_NOT, 0, looks, looks);
    model_add_conjunct(model, is_line, none);
    model_add_conjunct(model, either(w, both(w, looks, waits), both(w, no_step, stepped)), none);
    for (uint32_t i = 0; i < log->count; i++) {
        w->column[i] = log->lines[i].never;
        has_never |= log->lines[i].never;
    }
    if (has_never) model_add_conjunct(model, is_equal(w, at_line(w), 0), none);
    for (uint32_t i = 0; i <= log->count; i++) w->column[i] = (int32_t)(i < log->count ? i + 1 : i);
    model_add_store(model, w->woven.line, at_line(w), none);
    model_add_store(model, w->woven.last, expr_int(w->exprs, LAST_DONE), none);
}

/* What was seen of one variable: INT32_MIN where nothing was. */
static void compare_variable(struct weaving *w, uint32_t var)
{
    const struct log *log = w->log;
    bool seen = false;
    for (uint32_t i = 0; i <= log->count; i++) w->column[i] = INT32_MIN;
    for (uint32_t i = 0; i < log->count; i++)
        for (uint32_t v = 0; v < log->lines[i].values; v++) {
            const struct log_value *value = &log->values[log->lines[i].first_value + v];
            if (value->var != var) continue;
            assert(value->value > INT32_MIN && value->value <= INT32_MAX);
            w->column[i] = (int32_t)value->value;
            seen = true;
        }
    if (!seen) return;
    expr value = at_line(w);
    expr is_it = expr_make(w->exprs, EXPR_EQ, 0, value, model_var_expr(w->woven.model, var));
    model_add_conjunct(w->woven.model, either(w, is_equal(w, value, INT32_MIN), is_it),
                       (struct place){0});
}

static void compare_values(struct weaving *w, uint32_t vars)
{
    const struct log *log = w->log;
    bool *seen = mem_alloc(w->woven.model->mem, vars + UINT64_C(1));
    for (uint32_t i = 0; i < log->count; i++)
        for (uint32_t v = 0; v < log->lines[i].values; v++)
            seen[log->values[log->lines[i].first_value + v].var] = true;
    for (uint32_t v = 0; v < vars; v++)
        if (seen[v]) compare_variable(w, v);
    mem_free(w->woven.model->mem, seen);
}

static uint32_t add_clock(struct model *model, const char *name)
{
    vec_push(model->mem, &model->clocks, ((struct model_clock){.name = name}));
    return model->clocks.len - 1;
}

/* x - y <= the number of the line in `column`, where that line has a time. */
static void bound_clock(struct weaving *w, uint32_t x, uint32_t y, expr has_time)
{
    model_add_clock_guard(w->woven.model, (struct clock_constraint){.x = x,
                                                                    .y = y,
                                                                    .is_conditional = true,
                                                                    .when = has_time,
                                                                    .varies = true,
                                                                    .value = at_line(w)});
}

static void compare_times(struct weaving *w)
{
    const struct log *log = w->log;
    struct model *model = w->woven.model;
    uint32_t now = add_clock(model, "log.now");
    for (uint32_t i = 0; i <= log->count; i++)
        w->column[i] = i < log->count && log->lines[i].has_time;
    expr has_time = is_equal(w, at_line(w), 1);
    for (uint32_t i = 0; i <= log->count; i++)
        w->column[i] = w->column[i] ? (int32_t)log->lines[i].latest : 0;
    bound_clock(w, now, MODEL_NONE, has_time);
    for (uint32_t i = 0; i <= log->count; i++)
        w->column[i] =
            i < log->count && log->lines[i].has_time ? -(int32_t)log->lines[i].earliest : 0;
    bound_clock(w, MODEL_NONE, now, has_time);
}

/* The line is passed at the moment of its step. */
static void meet_step(struct weaving *w, uint32_t rules)
{
    const struct log *log = w->log;
    struct model *model = w->woven.model;
    uint32_t since = add_clock(model, "log.since");
    for (uint32_t i = 0; i <= log->count; i++)
        w->column[i] = i < log->count && log->lines[i].row != LOG_LOOKS;
    struct clock_constraint at_once = {
        .x = since, .y = MODEL_NONE, .is_conditional = true, .when = is_equal(w, at_line(w), 1)};
    model_add_clock_guard(model, at_once);
    model_end_rule(model);
    for (uint32_t r = 0; r < rules; r++)
        graft_reset(model, r, (struct clock_reset){.clock = since});
}

static void add_line(struct weaving *w, uint32_t rules, uint32_t vars)
{
    bool has_times = false;
    for (uint32_t i = 0; i < w->log->count; i++) has_times |= w->log->lines[i].has_time;
    begin_line(w);
    compare_values(w, vars);
    if (has_times) compare_times(w);
    if (has_times) meet_step(w, rules);
    else model_end_rule(w->woven.model);
}

/* ---- the model ---- */

/* A clock that code sets has a hidden variable, which stays so. */
static void show_hidden(struct model *model)
{
    bool *sets = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (model->clocks.data[c].is_set_by_code) sets[model->clocks.data[c].setter] = true;
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (!sets[v]) model->vars.data[v].is_hidden = model->vars.data[v].is_fresh = false;
    mem_free(model->mem, sets);
}

struct log_woven log_weave(const struct model *original, const struct log *log)
{
    struct model *model = copy_whole(original);
    struct weaving w = {.log = log, .woven.model = model, .exprs = &model->exprs};
    uint32_t rules = model->rules.len, vars = model->vars.len;
    assert(log_fits(log));
    show_hidden(model);
    w.column = mem_alloc(model->mem, (log->count + UINT64_C(1)) * sizeof *w.column);
    w.woven.line = graft_variable(
        model, (struct model_var){.name = "log.line", .process = MODEL_NONE, .high = log->count});
    uint32_t highest = LAST_MAY + (log->probes ? log->classes : 0);
    bool asks = !model->priorities.len || !model_is_timed(model);
    w.dead = asks ? MODEL_NONE : highest + 1;
    w.woven.last = graft_variable(model, (struct model_var){.name = "log.last",
                                                            .process = MODEL_NONE,
                                                            .high = highest + INT64_C(1) * !asks});
    w.line = model_var_expr(model, w.woven.line);
    w.last = model_var_expr(model, w.woven.last);
    model->rank = w.woven.line;
    ask_rules(&w);
    add_line(&w, rules, vars);
    model_finish(model);
    CHECKED(model_check(model, NULL));
    mem_free(model->mem, w.column);
    return w.woven;
}

expr log_is_passed(const struct log_woven *woven, const struct log *log)
{
    struct exprs *exprs = &woven->model->exprs;
    return expr_make(exprs, EXPR_EQ, 0, model_var_expr(woven->model, woven->line),
                     expr_int(exprs, log->count));
}

expr log_is_possible(const struct log_woven *woven, uint32_t class)
{
    struct exprs *exprs = &woven->model->exprs;
    return expr_make(exprs, EXPR_EQ, 0, model_var_expr(woven->model, woven->last),
                     expr_int(exprs, LAST_PROBE + (int64_t) class));
}

/* ---- time ---- */

static bool scale(int64_t *number, int64_t factor)
{
    return !__builtin_mul_overflow(*number, factor, number);
}

static bool scale_constraint(struct model *model, struct clock_constraint *constraint,
                             int64_t factor)
{
    bool good = scale(&constraint->bound, factor);
    if (constraint->is_narrow)
        good = good && scale(&constraint->low, factor) && scale(&constraint->high, factor);
    if (!constraint->varies) return good;
    const struct expr_node *node = expr_get(&model->exprs, constraint->value);
    int64_t low = node->low, high = node->high;
    if (!good || !scale(&low, factor) || !scale(&high, factor)) return false;
    constraint->value =
        expr_make(&model->exprs, EXPR_MUL, 0, constraint->value, expr_int(&model->exprs, factor));
    return true;
}

bool log_refine_time(struct model *model, int64_t factor)
{
    bool good = scale(&model->ticks, factor);
    if (factor == 1) return true;
    for (uint32_t c = 0; c < model->clocks.len && good; c++)
        good = !model->clocks.data[c].is_set_by_code && scale(&model->clocks.data[c].init, factor);
    for (uint32_t i = 0; i < model->intervals.len && good; i++)
        good = scale(&model->intervals.data[i].low, factor)
               && scale(&model->intervals.data[i].high, factor);
    for (uint32_t i = 0; i < model->resets.len && good; i++)
        good = scale(&model->resets.data[i].value, factor);
    for (uint32_t i = 0; i < model->constraints.len && good; i++)
        good = scale_constraint(model, &model->constraints.data[i], factor);
    return good;
}
