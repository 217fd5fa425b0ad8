#include "report/explain.h"

#include "report/explain_time.h"

#include <inttypes.h>
#include <string.h>

/* ---- parts of a condition ---- */

enum { MAX_LINES = 12, MAX_VARS = 8 };

struct explainer {
    const struct model *model;
    struct text *text;
    const int64_t *state;
    const char *indent;
    uint32_t lines, vars;
    uint32_t shown[MAX_VARS]; /* on this line */
};

void explain_value(const struct model *model, struct text *text, uint32_t var, int64_t value)
{
    const char *name = model_value_name(model, var, value);
    if (name) text_add(text, "%s", name);
    else text_add(text, "%" PRId64, value);
}

static void show_var(struct explainer *explainer, uint32_t var)
{
    for (uint32_t i = 0; i < explainer->vars; i++)
        if (explainer->shown[i] == var) return;
    if (explainer->vars == MAX_VARS) return;
    explainer->shown[explainer->vars++] = var;
    text_add(explainer->text, "%s%s = ", explainer->vars == 1 ? ": " : ", ", explainer->model->vars.data[var].name);
    explain_value(explainer->model, explainer->text, var, explainer->state[var]);
}

/* The variables that an evaluation reads: of an array the cell that is meant, of a choice the part that is chosen. */
static void show_vars(struct explainer *explainer, expr e)
{
    const struct expr_node node = *expr_get(&explainer->model->exprs, e);
    unsigned arity = expr_table[node.op].arity;
    int64_t a = 0;
    if (explainer->vars == MAX_VARS) return;
    if (node.op == EXPR_VAR) show_var(explainer, (uint32_t)node.value);
    if (arity) show_vars(explainer, node.a);
    if (node.op == EXPR_AT && eval_expr(explainer->model, node.a, explainer->state, &a)) show_var(explainer, (uint32_t)(node.value + a));
    else if (node.op == EXPR_CHOOSE && eval_expr(explainer->model, node.a, explainer->state, &a)) show_vars(explainer, a ? node.b : node.c);
    else if (arity == 2 && node.op != EXPR_AT && node.op != EXPR_TABLE) show_vars(explainer, node.b);
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
    show_vars(explainer, e);
    text_add(explainer->text, "\n");
}

/* Goes down to the parts that decide why e has its value. */
static void show_why(struct explainer *explainer, expr e, bool value)
{
    const struct expr_node node = *expr_get(&explainer->model->exprs, e);
    int64_t a = 0, b = 0;
    if (node.op == EXPR_CHOOSE && eval_expr(explainer->model, node.a, explainer->state, &a)) {
        show_why(explainer, node.a, a);
        show_why(explainer, a ? node.b : node.c, value);
        return;
    }
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
    struct explainer explainer = {.model = model, .text = text, .state = state, .indent = indent};
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

static bool same_place(struct place a, struct place b)
{
    return a.source == b.source && a.line == b.line && a.column == b.column;
}

/* All conjuncts are true, but the code finds that the rule is not enabled. */
static void show_requirement(const struct model *model, const struct diag *diag, struct text *text, const struct eval_failure *blocked)
{
    text_add(text, "          its code requires what is not true at ");
    show_place(diag, text, blocked->place);
    for (uint32_t i = 0; i < model->code.len; i++) {
        const struct code_node *node = &model->code.data[i];
        if (node->op != CODE_REQUIRE || !blocked->place.line || !same_place(node->place, blocked->place)) continue;
        text_add(text, ": ");
        model_print_expr(model, text, node->value);
        break;
    }
    text_add(text, "\n");
}

static void show_code_blocker(const struct model *model, const struct diag *diag, struct text *text, uint32_t r, const int64_t *state)
{
    struct eval_failure blocked = {0};
    int64_t *next = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *next);
    enum eval_result result = eval_rule_alone(model, r, state, next, &blocked);
    mem_free(model->mem, next);
    if (result == EVAL_DISABLED && blocked.place.line) show_requirement(model, diag, text, &blocked);
    bool permits = eval_permits(model, r, state);
    if (result != EVAL_DISABLED && !permits) text_add(text, "          the guide does not allow it\n");
    if (!permits) return;
    if (result == EVAL_ENABLED && !model_is_timed(model)) text_add(text, "          a rule of a higher priority is enabled\n"); /* with time: explain_time */
    if (result != EVAL_FAILED) return;
    text_add(text, "          it fails: ");
    explain_reason(text, &blocked);
    text_add(text, " at ");
    show_place(diag, text, blocked.place);
    text_add(text, "\n");
}

static void show_blockers(const struct model *model, const struct diag *diag, struct text *text, uint32_t r, uint32_t process, const int64_t *state)
{
    const struct model_rule *rule = &model->rules.data[r];
    struct explainer explainer = {.model = model, .text = text, .state = state, .indent = "          "};
    bool blocks = false;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + i];
        uint32_t owner = model->parts.data[rule->first_part + conjunct->part].process;
        int64_t value;
        if (!eval_expr(model, conjunct->cond, state, &value)) {
            if (blocks) continue;
            show_code_blocker(model, diag, text, r, state);
            return;
        }
        if (value) continue;
        blocks = true;
        if (owner != process && explainer.lines < MAX_LINES) {
            text_add(text, "          %s (", owner == MODEL_NONE ? "the global command" : model->processes.data[owner].name);
            show_place(diag, text, conjunct->place);
            text_add(text, ") is not ready:\n");
        }
        show_why(&explainer, conjunct->cond, false);
    }
    if (!blocks) show_code_blocker(model, diag, text, r, state);
}

/* Of the rules that a command takes part in, the one nearest to being enabled stands for all. */
static uint32_t nearest_rule(const struct model *model, uint32_t first, uint32_t process, struct place place, const int64_t *state)
{
    uint32_t best = first, least = UINT32_MAX;
    for (uint32_t r = first; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t i = 0; i < rule->parts; i++) {
            const struct rule_part *part = &model->parts.data[rule->first_part + i];
            if (part->process != process || !same_place(part->place, place)) continue;
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
            for (uint32_t s = 0; s < shown; s++) known |= same_place(seen[s], part->place);
            if (known || shown == MAX_COMMANDS || !stands_at(model, rule, i, location, state)) continue;
            seen[shown++] = part->place;
            text_add(text, "      [%s] at ", rule->label);
            show_place(diag, text, part->place);
            text_add(text, " is blocked:\n");
            uint32_t nearest = part->place.line ? nearest_rule(model, r, process, part->place, state) : r;
            show_blockers(model, diag, text, nearest, process, state);
            if (timed) explain_time(timed, text, nearest);
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

void explain_reason(struct text *text, const struct eval_failure *failure)
{
    bool is_outside = failure->value < failure->low || failure->value > failure->high; /* not known when it just fails */
    switch (failure->reason) {
    case FAILURE_DIVISION: text_add(text, "division by zero"); break;
    case FAILURE_OVERFLOW: text_add(text, "a number does not fit in 64 bits"); break;
    case FAILURE_FULL: text_add(text, "the queue is full"); break;
    case FAILURE_EMPTY: text_add(text, "the queue is empty"); break;
    case FAILURE_LOOP: text_add(text, "the loop does not end"); break;
    case FAILURE_RANGE:
    case FAILURE_INDEX:
        text_add(text, failure->reason == FAILURE_INDEX ? "index" : "value");
        if (is_outside) text_add(text, " %" PRId64 " outside %" PRId64 "..%" PRId64, failure->value, failure->low, failure->high);
        else text_add(text, " outside its range");
        break;
    default: text_add(text, "it cannot be evaluated");
    }
}

bool explain_only_divides(const struct model *model)
{
    for (uint32_t i = 0; i < model->exprs.nodes.len; i++) {
        const struct expr_node *node = &model->exprs.nodes.data[i];
        bool is_exact = expr_table[node->op].has_bits && !node->bits;
        if (node->op == EXPR_WITHIN || node->op == EXPR_FAIL || (is_exact && node->may_fail)) return false;
    }
    return !model_has_code(model);
}

/* The smallest part of e that fails. */
static bool is_failing_part(const struct model *model, expr e, const int64_t *state, expr *part)
{
    const struct expr_node node = *expr_get(&model->exprs, e);
    int64_t value;
    if (eval_expr(model, e, state, &value)) return false;
    *part = e;
    if (expr_table[node.op].arity >= 1 && is_failing_part(model, node.a, state, part)) return true;
    if (node.op == EXPR_CHOOSE && eval_expr(model, node.a, state, &value)) is_failing_part(model, value ? node.b : node.c, state, part);
    else if (expr_table[node.op].arity == 2) is_failing_part(model, node.b, state, part);
    return true;
}

static void show_exact_place(const struct diag *diag, struct text *text, struct place place)
{
    show_place(diag, text, place);
    if (place.line && place.column) text_add(text, ":%u", place.column);
}

/* The condition or stored value that fails in the state before the step; false: it is the code that does. */
static bool find_failing(const struct model *model, const struct model_rule *rule, const int64_t *state, expr *part)
{
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        int64_t value;
        expr cond = model->conjuncts.data[rule->first_conjunct + i].cond;
        if (is_failing_part(model, cond, state, part)) return true;
        if (!eval_expr(model, cond, state, &value) || !value) return false;
    }
    for (uint32_t i = 0; i < rule->stores; i++)
        if (is_failing_part(model, model->stores.data[rule->first_store + i].value, state, part)) return true;
    return false;
}

void explain_failure(const struct model *model, const struct diag *diag, struct text *text, uint32_t r, const int64_t *state)
{
    const struct model_rule *rule = &model->rules.data[r];
    struct explainer explainer = {.model = model, .text = text, .state = state, .indent = ""};
    struct eval_failure failure = {0};
    int64_t *next = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *next);
    expr part;
    text_add(text, "    the step [%s] fails\n", rule->label);
    if (eval_rule_alone(model, r, state, next, &failure) == EVAL_FAILED) {
        text_add(text, "    ");
        explain_reason(text, &failure);
        text_add(text, " at ");
        show_exact_place(diag, text, failure.place);
        if (find_failing(model, rule, state, &part)) {
            text_add(text, ": ");
            model_print_expr(model, text, part);
            show_vars(&explainer, part);
        }
        text_add(text, "\n");
    }
    mem_free(model->mem, next);
}
