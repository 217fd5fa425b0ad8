#include "report/explain.h"

#include <inttypes.h>
#include <string.h>

/* ---- parts of a condition ---- */

struct explainer {
    const struct model *model;
    struct text *text;
    const int64_t *state;
    const char *indent;
    uint32_t lines, vars;
};

enum { MAX_LINES = 12 };

void explain_value(const struct model *model, struct text *text, uint32_t var, int64_t value)
{
    const char *name = model_value_name(model, var, value);
    if (name) text_add(text, "%s", name);
    else text_add(text, "%" PRId64, value);
}

static void show_var(void *context, uint32_t var)
{
    struct explainer *explainer = context;
    if (explainer->vars++ >= 8) return;
    text_add(explainer->text, "%s%s = ", explainer->vars == 1 ? ": " : ", ", explainer->model->vars.data[var].name);
    explain_value(explainer->model, explainer->text, var, explainer->state[var]);
}

static void show_part(struct explainer *explainer, expr e, bool value)
{
    if (explainer->lines++ >= MAX_LINES) {
        if (explainer->lines == MAX_LINES + 1) text_add(explainer->text, "%s...\n", explainer->indent);
        return;
    }
    text_add(explainer->text, "%s", explainer->indent);
    model_print_expr(explainer->model, explainer->text, e);
    text_add(explainer->text, " is %s", value ? "true" : "false");
    explainer->vars = 0;
    expr_each_var((struct exprs *)&explainer->model->exprs, e, show_var, explainer);
    text_add(explainer->text, "\n");
}

/* Goes down to the parts that decide why e has its value. */
static void show_why(struct explainer *explainer, expr e, bool value)
{
    const struct expr_node node = *expr_get(&explainer->model->exprs, e);
    int64_t a = 0, b = 0;
    if (!expr_table[node.op].takes_bool) {
        show_part(explainer, e, value);
        return;
    }
    bool good = eval_expr(explainer->model, node.a, explainer->state, &a);
    if (expr_table[node.op].arity == 2 && good) good = eval_expr(explainer->model, node.b, explainer->state, &b);
    if (!good || node.op == EXPR_IFF) {
        show_part(explainer, e, value);
    } else if (node.op == EXPR_NOT) {
        const struct expr_node *inner = expr_get(&explainer->model->exprs, node.a);
        if (expr_table[inner->op].takes_bool) show_why(explainer, node.a, !value);
        else show_part(explainer, e, value);
    } else {
        bool left = node.op == EXPR_IMPLIES ? !a : a, right = b; /* a -> b is !a | b */
        bool both = node.op == EXPR_AND ? value : !value;          /* both sides are needed for the value */
        if (both || left == value) show_why(explainer, node.a, a);
        if (both || right == value) show_why(explainer, node.b, b);
    }
}

void explain_expr(const struct model *model, struct text *text, expr e, const int64_t *state, const char *indent)
{
    struct explainer explainer = {model, text, state, indent, 0, 0};
    int64_t value;
    if (eval_expr(model, e, state, &value)) show_why(&explainer, e, value);
}

/* ---- deadlock ---- */

static void show_place(const struct diag *diag, struct text *text, struct place place)
{
    if (place.line) text_add(text, "%s:%u", diag_source_name(diag, place), place.line);
    else text_add(text, "?");
}

/* Whether the rule's conjuncts on the process's own location hold: only such commands are of interest. */
static bool stands_at(const struct model *model, const struct model_rule *rule, uint32_t part, uint32_t location, const int64_t *state)
{
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + i];
        const struct expr_node *node = expr_get(&model->exprs, conjunct->cond);
        int64_t value;
        if (conjunct->part != part || node->op != EXPR_EQ) continue;
        const struct expr_node *a = expr_get(&model->exprs, node->a);
        if (a->op != EXPR_VAR || a->value != location) continue;
        if (!eval_expr(model, conjunct->cond, state, &value) || !value) return false;
    }
    return true;
}

static uint32_t count_false(const struct model *model, const struct model_rule *rule, const int64_t *state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        int64_t value;
        if (!eval_expr(model, model->conjuncts.data[rule->first_conjunct + i].cond, state, &value) || !value) count++;
    }
    return count;
}

/* ---- time ---- */

static void show_time(const struct timed_state *timed, struct text *text, int64_t parts)
{
    char room[TRACE_TIME_ROOM];
    const struct trace times = {.denominator = timed->denominator};
    text_add(text, "%s", trace_time(room, timed->model, &times, parts));
}

static void show_ticks(const struct timed_state *timed, struct text *text, int64_t ticks)
{
    char room[TRACE_TIME_ROOM];
    const struct trace times = {.denominator = 1};
    text_add(text, "%s%s", ticks < 0 ? "-" : "", trace_time(room, timed->model, &times, ticks < 0 ? -ticks : ticks));
}

/* `x < 3`, `5 <= x`, `x - y <= 2` */
static void show_constraint(const struct timed_state *timed, struct text *text, const struct clock_constraint *constraint)
{
    const struct model *model = timed->model;
    const char *sign = constraint->strict ? "<" : "<=";
    if (constraint->x == MODEL_NONE) {
        show_ticks(timed, text, -constraint->bound);
        text_add(text, " %s %s", sign, constraint->y == MODEL_NONE ? "0" : model->clocks.data[constraint->y].name);
        return;
    }
    text_add(text, "%s", model->clocks.data[constraint->x].name);
    if (constraint->y != MODEL_NONE) text_add(text, " - %s", model->clocks.data[constraint->y].name);
    text_add(text, " %s ", sign);
    show_ticks(timed, text, constraint->bound);
}

/* A constraint that is false now; with a rule, after its resets. */
static void show_false_constraint(const struct timed_state *timed, struct text *text, const struct clock_constraint *constraint, const struct model_rule *rule,
                                  const char *what)
{
    const struct model *model = timed->model;
    int64_t values[2] = {0, 0};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t clock = k ? constraint->y : constraint->x;
        if (clock != MODEL_NONE) values[k] = timed->clocks[clock];
        for (uint32_t i = 0; rule && clock != MODEL_NONE && i < rule->resets; i++)
            if (model->resets.data[rule->first_reset + i] == clock) values[k] = 0;
    }
    __int128 difference = (__int128)values[0] - values[1], bound = (__int128)constraint->bound * timed->denominator;
    if (constraint->strict ? difference < bound : difference <= bound) return;
    text_add(text, "          %s", what);
    show_constraint(timed, text, constraint);
    text_add(text, " is false");
    for (unsigned k = 0; k < 2; k++) {
        uint32_t clock = k ? constraint->y : constraint->x;
        if (clock == MODEL_NONE) continue;
        text_add(text, "%s%s = ", k && constraint->x != MODEL_NONE ? ", " : ": ", model->clocks.data[clock].name);
        show_time(timed, text, values[k]);
    }
    text_add(text, "\n");
}

/* Why a rule whose conjuncts are all true cannot be taken now. */
static void show_time_blockers(const struct timed_state *timed, struct text *text, uint32_t r)
{
    const struct model *model = timed->model;
    const struct model_rule *rule = &model->rules.data[r];
    int64_t *next = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *next);
    if (eval_rule_alone(model, r, timed->values, next, NULL) == EVAL_ENABLED) {
        if (rule->interval != MODEL_NONE) {
            const struct model_interval *interval = &model->intervals.data[rule->interval];
            text_add(text, "          it has been enabled for ");
            show_time(timed, text, timed->timers[r]);
            text_add(text, ", its interval is %c", interval->low_open ? ']' : '[');
            show_ticks(timed, text, interval->low);
            text_add(text, ", ");
            if (interval->infinite) text_add(text, "...[\n");
            else show_ticks(timed, text, interval->high), text_add(text, "%c\n", interval->high_open ? '[' : ']');
        }
        for (uint32_t i = 0; i < rule->guards; i++) show_false_constraint(timed, text, &model->constraints.data[rule->first_guard + i], NULL, "");
        for (uint32_t p = 0; p < model->processes.len; p++) {
            const struct model_process *process = &model->processes.data[p];
            for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
                const struct model_location *location = &model->locations.data[process->first_location + l];
                for (uint32_t i = 0; location->value == next[process->location] && i < location->invariants; i++)
                    show_false_constraint(timed, text, &model->constraints.data[location->first_invariant + i], rule, "afterwards ");
            }
        }
    }
    mem_free(model->mem, next);
}

static void show_blockers(const struct model *model, const struct diag *diag, struct text *text, const struct model_rule *rule,
                          uint32_t process, const int64_t *state)
{
    struct explainer explainer = {model, text, state, "          ", 0, 0};
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + i];
        uint32_t owner = model->parts.data[rule->first_part + conjunct->part].process;
        int64_t value;
        if (!eval_expr(model, conjunct->cond, state, &value)) {
            text_add(text, "          its condition divides by zero\n");
            continue;
        }
        if (value) continue;
        if (owner != process && explainer.lines < MAX_LINES) {
            text_add(text, "          %s (", owner == MODEL_NONE ? "the global command" : model->processes.data[owner].name);
            show_place(diag, text, conjunct->place);
            text_add(text, ") is not ready:\n");
        }
        show_why(&explainer, conjunct->cond, false);
    }
}

static bool same_command(struct place a, struct place b)
{
    return a.source == b.source && a.line == b.line && a.column == b.column;
}

/* Of the rules that a command takes part in, the one nearest to being enabled stands for all. */
static uint32_t nearest_rule(const struct model *model, uint32_t first, uint32_t process, struct place place, const int64_t *state)
{
    uint32_t best = first, least = UINT32_MAX;
    for (uint32_t r = first; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t i = 0; i < rule->parts; i++) {
            const struct rule_part *part = &model->parts.data[rule->first_part + i];
            if (part->process != process || !same_command(part->place, place)) continue;
            uint32_t count = count_false(model, rule, state);
            if (count < least) best = r, least = count;
        }
    }
    return best;
}

enum { MAX_COMMANDS = 8, MAX_PROCESSES = 12 };

static void explain_process(const struct model *model, const struct diag *diag, struct text *text, uint32_t process, const int64_t *state,
                            const struct timed_state *timed)
{
    const char *name = process == MODEL_NONE ? "global" : model->processes.data[process].name;
    uint32_t location = process == MODEL_NONE ? MODEL_NONE : model->processes.data[process].location, shown = 0;
    text_add(text, "    %s", name);
    if (location != MODEL_NONE) {
        text_add(text, " stands at ");
        explain_value(model, text, location, state[location]);
    }
    text_add(text, "\n");
    struct place seen[MAX_COMMANDS];
    for (uint32_t r = 0; r < model->rules.len && shown < MAX_COMMANDS; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t i = 0; i < rule->parts; i++) {
            const struct rule_part *part = &model->parts.data[rule->first_part + i];
            bool known = part->process != process || (process == MODEL_NONE && rule->parts > 1);
            for (uint32_t s = 0; s < shown; s++) known |= same_command(seen[s], part->place);
            if (known || shown == MAX_COMMANDS || !stands_at(model, rule, i, location, state)) continue;
            seen[shown++] = part->place;
            text_add(text, "      [%s] at ", rule->label);
            show_place(diag, text, part->place);
            text_add(text, " is blocked:\n");
            uint32_t nearest = part->place.line ? nearest_rule(model, r, process, part->place, state) : r;
            show_blockers(model, diag, text, &model->rules.data[nearest], process, state);
            if (timed) show_time_blockers(timed, text, nearest);
        }
    }
    if (shown == MAX_COMMANDS) text_add(text, "      ...\n");
    if (!shown) text_add(text, "      has no command here that could ever fire\n");
}

static bool has_global_rules(const struct model *model)
{
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (model->rules.data[r].parts == 1 && model->parts.data[model->rules.data[r].first_part].process == MODEL_NONE) return true;
    return false;
}

void explain_deadlock(const struct model *model, const struct diag *diag, struct text *text, const int64_t *state, const struct timed_state *timed)
{
    uint32_t shown = 0, left = 0;
    bool *acts = mem_alloc(model->mem, model->processes.len + 1); /* the others only hold variables */
    for (uint32_t i = 0; i < model->parts.len; i++)
        if (model->parts.data[i].process != MODEL_NONE) acts[model->parts.data[i].process] = true;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        if (!acts[p] && model->processes.data[p].location == MODEL_NONE) continue;
        if (shown < MAX_PROCESSES) explain_process(model, diag, text, p, state, timed), shown++;
        else left++;
    }
    mem_free(model->mem, acts);
    if (left) text_add(text, "    ... and %u more processes\n", left);
    if (has_global_rules(model)) explain_process(model, diag, text, MODEL_NONE, state, timed);
    if (!model->rules.len) text_add(text, "    the model has no rules\n");
}

/* ---- run-time errors ---- */

static bool is_failing_part(const struct model *model, expr e, const int64_t *state, expr *part)
{
    const struct expr_node node = *expr_get(&model->exprs, e);
    int64_t value;
    if (eval_expr(model, e, state, &value)) return false;
    *part = e;
    if (expr_table[node.op].arity >= 1 && is_failing_part(model, node.a, state, part)) return true;
    if (expr_table[node.op].arity >= 2 && is_failing_part(model, node.b, state, part)) return true;
    return true;
}

static void show_failing(const struct model *model, const struct diag *diag, struct text *text, expr e, struct place place, const int64_t *state)
{
    struct explainer explainer = {model, text, state, "", 0, 0};
    expr part;
    if (!is_failing_part(model, e, state, &part)) return;
    text_add(text, "    division by zero at ");
    show_place(diag, text, place);
    text_add(text, ": ");
    model_print_expr(model, text, part);
    expr_each_var((struct exprs *)&model->exprs, part, show_var, &explainer);
    text_add(text, "\n");
}

void explain_failure(const struct model *model, const struct diag *diag, struct text *text, uint32_t r, const int64_t *state)
{
    const struct model_rule *rule = &model->rules.data[r];
    int64_t value;
    text_add(text, "    the step [%s] fails\n", rule->label);
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + i];
        if (eval_expr(model, conjunct->cond, state, &value)) continue;
        show_failing(model, diag, text, conjunct->cond, conjunct->place, state);
        return;
    }
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        show_failing(model, diag, text, store->value, store->place, state);
    }
}
