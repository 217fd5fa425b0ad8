#include "report/explain.h"

#include "report/explain_time.h"
#include "report/story.h"
#include "result/lasso.h"
#include "result/value.h"

#include <assert.h>
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

static void show_var(struct explainer *explainer, uint32_t var)
{
    for (uint32_t i = 0; i < explainer->vars; i++)
        if (explainer->shown[i] == var) return;
    if (explainer->vars == MAX_VARS) return;
    explainer->shown[explainer->vars++] = var;
    text_add(explainer->text, "%s%s = ", explainer->vars == 1 ? ": " : ", ",
             explainer->model->vars.data[var].name);
    value_var_text(explainer->text, explainer->model, false, var, explainer->state[var]);
}

/* The variables that an evaluation reads: of an array the cell that is meant, of a choice the part
 * that is chosen. */
static void show_vars(struct explainer *explainer, expr e)
{
    const struct expr_node node = *expr_get(&explainer->model->exprs, e);
    unsigned arity = expr_table[node.op].arity;
    int64_t a = 0;
    if (explainer->vars == MAX_VARS) return;
    if (node.op == EXPR_VAR) show_var(explainer, (uint32_t)node.value);
    if (arity) show_vars(explainer, node.a);
    if (node.op == EXPR_AT && eval_expr(explainer->model, node.a, explainer->state, &a))
        show_var(explainer, (uint32_t)(node.value + a));
    else if (node.op == EXPR_CHOOSE && eval_expr(explainer->model, node.a, explainer->state, &a))
        show_vars(explainer, a ? node.b : node.c);
    else if (arity == 2 && node.op != EXPR_AT && node.op != EXPR_TABLE)
        show_vars(explainer, node.b);
}

static void show_part(struct explainer *explainer, expr e, bool value)
{
    if (explainer->lines++ >= MAX_LINES) {
        if (explainer->lines == MAX_LINES + 1)
            text_add(explainer->text, "%s...\n", explainer->indent);
        return;
    }
    static const char turned[] = " != false"; /* how a Boolean variable is a condition in a model */
    struct text *text = explainer->text;
    text_add(text, "%s", explainer->indent);
    model_print_expr(explainer->model, text, e);
    const size_t tail = sizeof turned - 1;
    const bool is_plain = text->len > tail && !strcmp(text->data + text->len - tail, turned);
    if (is_plain) text->data[text->len -= tail] = 0;
    text_add(text, " is %s", value ? "true" : "false");
    explainer->vars = 0;
    if (!is_plain
        || expr_get(&explainer->model->exprs, expr_get(&explainer->model->exprs, e)->a)->op
               != EXPR_VAR)
        show_vars(explainer, e);
    text_add(text, "\n");
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
    if (expr_table[node.op].arity == 2 && good)
        good = eval_expr(explainer->model, node.b, explainer->state, &b);
    if (!good || node.op == EXPR_IFF) {
        show_part(explainer, e, value);
    } else if (node.op == EXPR_NOT) {
        show_why(explainer, node.a, !value);
    } else {
        bool left = node.op == EXPR_IMPLIES ? !a : a, right = b; /* a -> b is !a | b */
        bool both = node.op == EXPR_AND ? value : !value; /* both sides are needed for the value */
        if (both || left == value) show_why(explainer, node.a, a);
        if (both || right == value) show_why(explainer, node.b, b);
    }
}

void explain_expr(const struct model *model, struct text *text, expr e, const int64_t *state,
                  const char *indent)
{
    struct explainer explainer = {.model = model, .text = text, .state = state, .indent = indent};
    int64_t value;
    if (eval_expr(model, e, state, &value)) show_why(&explainer, e, value);
}

/* ---- conditions in the user's words ---- */

enum { MAX_ALLOWED = 8, MAX_TEXT = 200, MAX_VALUE = 100 };

/* Text that is not too long for a line of its own. */
static void add_cut(struct text *text, const char *words, size_t most)
{
    size_t length = strlen(words);
    text_add(text, "%.*s%s", (int)(length > most ? most : length), words,
             length > most ? "..." : "");
}

static void show_values(struct explainer *explainer, const struct model_wording *wording)
{
    const struct model *model = explainer->model;
    struct text value;
    text_init(&value, model->mem);
    for (uint32_t i = 0; i < wording->var_count; i++) {
        struct shown what = shown_of(model, wording->vars[i]);
        value.len = 0;
        value_text(&value, model, false, &what, explainer->state);
        text_add(explainer->text, "%s%s = ", i ? ", " : ": ", what.name);
        add_cut(explainer->text, value.data, MAX_VALUE);
    }
    text_free(&value);
}

static const struct model_wording *wording_of(const struct model *model,
                                              const struct rule_conjunct *conjunct)
{
    return conjunct->wording ? &model->wordings.data[conjunct->wording - 1] : NULL;
}

static bool is_true(const struct model *model, expr cond, const int64_t *state)
{
    int64_t value;
    return eval_expr(model, cond, state, &value) && value;
}

/* Names that were shown, each once. */
struct allowed {
    const char *names[MAX_ALLOWED];
    uint32_t count;
    bool is_full;
};

static void show_name(const struct explainer *explainer, struct allowed *allowed, const char *name,
                      const char *before)
{
    for (uint32_t k = 0; k < allowed->count; k++)
        if (allowed->names[k] == name) return;
    if (allowed->is_full) return;
    allowed->is_full = allowed->count == MAX_ALLOWED;
    text_add(explainer->text, "%s%s", allowed->count ? ", " : before,
             allowed->is_full ? "..." : name);
    if (!allowed->is_full) allowed->names[allowed->count++] = name;
}

/* What the context or the guide allows in the state. Returns how many there are. */
static uint32_t show_allowed(const struct explainer *explainer, enum wording_kind kind,
                             const char *before)
{
    const struct model *model = explainer->model;
    struct allowed allowed = {.count = 0};
    for (uint32_t i = 0; i < model->conjuncts.len; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[i];
        const struct model_wording *wording = wording_of(model, conjunct);
        if (!wording || wording->kind != kind || !is_true(model, conjunct->cond, explainer->state))
            continue;
        show_name(explainer, &allowed, wording->text, before);
    }
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (!rule->permit_wording || !is_true(model, rule->permit, explainer->state)) continue;
        const struct model_wording *wording = &model->wordings.data[rule->permit_wording - 1];
        if (wording->kind == kind) show_name(explainer, &allowed, wording->text, before);
    }
    return allowed.count;
}

static void show_not_allowed(struct explainer *explainer, const struct model_wording *wording,
                             expr cond)
{
    const char *who = wording->kind == WORDING_GUIDE ? "the guide" : "the context";
    if (expr_is_false(&explainer->model->exprs, cond)) {
        text_add(explainer->text, "%s never allows %s", who, wording->text);
        return;
    }
    text_add(explainer->text, "%s does not allow %s here: it allows ", who, wording->text);
    if (!show_allowed(explainer, wording->kind, "")) text_add(explainer->text, "nothing more");
}

/* One line about a condition that is false. */
static void show_wording(struct explainer *explainer, const struct model_wording *wording,
                         expr cond)
{
    if (explainer->lines++ >= MAX_LINES) return;
    text_add(explainer->text, "%s", explainer->indent);
    switch (wording->kind) {
    case WORDING_CONDITION:
        add_cut(explainer->text, wording->text, MAX_TEXT);
        text_add(explainer->text, " is false");
        break;
    case WORDING_SCENARIO:
    case WORDING_GUIDE: show_not_allowed(explainer, wording, cond); break;
    case WORDING_SEND: text_add(explainer->text, "the queue has no room for the message"); break;
    case WORDING_RECEIVE:
        text_add(explainer->text, "the message is not the first one in the queue");
        break;
    case WORDING_RESTRICTION:
        text_add(explainer->text, "the restriction %s cuts the run here", wording->text);
        break;
    }
    show_values(explainer, wording);
    text_add(explainer->text, "\n");
}

/* ---- a state ---- */

static void show_place(const struct diag *diag, struct text *text, struct place place)
{
    if (place.line) text_add(text, "%s:%u", diag_source_name(diag, place), place.line);
    else text_add(text, "?");
}

/* Whether the rule's conjuncts on the process's own location hold, of the context that its scenario
 * allows the event: only such commands are of interest. */
static bool stands_at(const struct model *model, const struct model_rule *rule, uint32_t part,
                      uint32_t location, const int64_t *state)
{
    uint32_t process = model->parts.data[rule->first_part + part].process;
    bool is_context = process != MODEL_NONE && model->processes.data[process].role == ROLE_CONTEXT;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + i];
        const struct expr_node *node = expr_get(&model->exprs, conjunct->cond);
        int64_t value;
        if (is_context && conjunct->wording && wording_of(model, conjunct)->kind == WORDING_SCENARIO
            && !is_true(model, conjunct->cond, state))
            return false;
        if (conjunct->part != part || node->op != EXPR_EQ) continue;
        const struct expr_node *a = expr_get(&model->exprs, node->a);
        if (a->op != EXPR_VAR || a->value != location) continue;
        if (!eval_expr(model, conjunct->cond, state, &value) || !value) return false;
    }
    return true;
}

static uint32_t count_false(const struct model *model, const struct model_rule *rule,
                            const int64_t *state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        int64_t value;
        if (!eval_expr(model, model->conjuncts.data[rule->first_conjunct + i].cond, state, &value)
            || !value)
            count++;
    }
    return count;
}

static bool same_place(struct place a, struct place b)
{
    return a.source == b.source && a.line == b.line && a.column == b.column;
}

/* The line of the source, where code has no words for its condition. False: it is not at hand. */
static bool show_line(const struct diag *diag, struct text *text, struct place place)
{
    size_t length = 0;
    const char *line = place.line ? diag_line(diag, place, &length) : NULL;
    while (length && (*line == ' ' || *line == '\t')) line++, length--;
    while (length && (line[length - 1] == '\r' || line[length - 1] == ' ')) length--;
    if (length > MAX_TEXT) length = MAX_TEXT;
    if (length) text_add(text, ": %.*s", (int)length, line);
    return length > 0;
}

/* All conjuncts are true, but the code finds that the rule is not enabled. `state` is what the code
 * has made of the state until then. */
static void show_requirement(const struct model *model, const struct diag *diag, struct text *text,
                             const struct eval_failure *blocked, const int64_t *state)
{
    struct explainer explainer = {
        .model = model, .text = text, .state = state, .indent = "        "};
    const struct code_node *node = &model->code.data[blocked->at.i];
    if (node->op == CODE_REQUIRE && node->wording) {
        show_wording(&explainer, &model->wordings.data[node->wording - 1], node->value);
        return;
    }
    text_add(text, "        its code requires what is not true at ");
    show_place(diag, text, blocked->place);
    if (!show_line(diag, text, blocked->place) && node->op == CODE_REQUIRE) {
        text_add(text, ": ");
        model_print_expr(model, text, node->value);
    }
    text_add(text, "\n");
}

static void show_not_permitted(const struct model *model, struct text *text, uint32_t r,
                               const int64_t *state)
{
    struct explainer explainer = {
        .model = model, .text = text, .state = state, .indent = "        "};
    const struct model_rule *rule = &model->rules.data[r];
    if (rule->permit_wording)
        show_wording(&explainer, &model->wordings.data[rule->permit_wording - 1], rule->permit);
    else text_add(text, "        it is not permitted here\n");
}

static void show_code_blocker(const struct model *model, const struct diag *diag, struct text *text,
                              uint32_t r, const int64_t *state)
{
    struct eval_failure blocked = {.at = code_none()};
    int64_t *next = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *next);
    enum eval_result result = eval_rule_alone(model, r, state, next, &blocked);
    if (result == EVAL_DISABLED && !code_is_none(blocked.at))
        show_requirement(model, diag, text, &blocked, next);
    mem_free(model->mem, next);
    bool permits = eval_permits(model, r, state);
    if (result != EVAL_DISABLED && !permits) show_not_permitted(model, text, r, state);
    if (!permits) return;
    if (result == EVAL_ENABLED && !model_is_timed(model))
        text_add(text,
                 "        a rule of a higher priority is enabled\n"); /* with time: explain_time */
    if (result != EVAL_FAILED) return;
    text_add(text, "        it fails: ");
    explain_reason(text, &blocked);
    text_add(text, " at ");
    show_place(diag, text, blocked.place);
    text_add(text, "\n");
}

static void show_blockers(const struct model *model, const struct diag *diag, struct text *text,
                          uint32_t r, uint32_t process, const int64_t *state)
{
    const struct model_rule *rule = &model->rules.data[r];
    struct explainer explainer = {
        .model = model, .text = text, .state = state, .indent = "        "};
    bool blocks = false;
    uint32_t said = 0;
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
        const struct model_wording *wording = wording_of(model, conjunct);
        bool is_woven = wording && wording->kind != WORDING_CONDITION;
        if (wording && conjunct->wording == said)
            continue; /* several conditions are one in the user's words */
        said = conjunct->wording;
        if (is_woven) {
            show_wording(&explainer, wording, conjunct->cond);
            continue;
        }
        if (owner != process && explainer.lines < MAX_LINES) {
            text_add(text, "        %s (",
                     owner == MODEL_NONE ? "the global command"
                                         : model->processes.data[owner].name);
            show_place(diag, text, conjunct->place);
            text_add(text, ") is not ready:\n");
        }
        if (wording) show_wording(&explainer, wording, conjunct->cond);
        else show_why(&explainer, conjunct->cond, false);
    }
    if (!blocks) show_code_blocker(model, diag, text, r, state);
}

/* Of the rules that a command takes part in, the one nearest to being enabled stands for all. */
static uint32_t nearest_rule(const struct model *model, uint32_t first, uint32_t process,
                             struct place place, const int64_t *state)
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

/* Who it is, and where it stands; the context, what it waits for. False: it can do nothing more. */
static bool show_process(const struct model *model, struct text *text, uint32_t process,
                         const int64_t *state)
{
    const struct model_process *p = process == MODEL_NONE ? NULL : &model->processes.data[process];
    if (p && p->role == ROLE_CONTEXT) {
        const struct explainer explainer = {.model = model, .text = text, .state = state};
        bool waits = show_allowed(&explainer, WORDING_SCENARIO, "  the context waits for ");
        text_add(text, waits ? "\n" : "  the context has come to its end\n");
        return waits;
    }
    text_add(text, "  %s", p ? p->name : "global");
    if (p && p->location != MODEL_NONE) {
        text_add(text, " stands at ");
        value_var_text(text, model, false, p->location, state[p->location]);
    }
    text_add(text, "\n");
    return true;
}

void explain_nearest(const struct model *model, const struct diag *diag, struct text *text,
                     const bool *is_one, const int64_t *state)
{
    uint32_t best = MODEL_NONE, least = UINT32_MAX;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!is_one[r]) continue;
        uint32_t count = count_false(model, &model->rules.data[r], state);
        if (count < least) best = r, least = count;
    }
    if (best == MODEL_NONE) return;
    const struct model_rule *rule = &model->rules.data[best];
    const struct rule_part *part = rule->parts ? &model->parts.data[rule->first_part] : NULL;
    text_add(text, "[%s]", rule->label);
    if (part && part->place.line) text_add(text, " at ");
    if (part && part->place.line) show_place(diag, text, part->place);
    text_add(text, " is blocked:\n");
    show_blockers(model, diag, text, best, part ? part->process : MODEL_NONE, state);
}

/* Whether the rule can be taken in the state; with time, after some delay. */
static bool is_possible(const struct model *model, uint32_t r, const int64_t *state,
                        struct timed_state *timed)
{
    if (timed) {
        const struct timed_window window = timed_chance(timed, r);
        if (timed_window_is_empty(&window)) return false;
    }
    int64_t *next = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *next);
    const bool good = timed ? eval_permits(model, r, state)
                                  && eval_rule_alone(model, r, state, next, NULL) == EVAL_ENABLED
                            : eval_rule(model, r, state, next) == EVAL_ENABLED;
    mem_free(model->mem, next);
    return good;
}

static void explain_process(const struct model *model, const struct diag *diag, struct text *text,
                            uint32_t process, const int64_t *state, struct timed_state *timed)
{
    bool is_global = process == MODEL_NONE;
    uint32_t location = is_global ? MODEL_NONE : model->processes.data[process].location;
    uint32_t shown = 0;
    struct place seen[MAX_COMMANDS];
    if (!show_process(model, text, process, state)) return;
    for (uint32_t r = 0; r < model->rules.len && shown < MAX_COMMANDS; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t i = 0; i < rule->parts; i++) {
            const struct rule_part *part = &model->parts.data[rule->first_part + i];
            bool known = part->process != process || (process == MODEL_NONE && rule->parts > 1);
            for (uint32_t s = 0; s < shown; s++) known |= same_place(seen[s], part->place);
            if (known || shown == MAX_COMMANDS || !stands_at(model, rule, i, location, state))
                continue;
            seen[shown++] = part->place;
            text_add(text, "    [%s] at ", rule->label);
            show_place(diag, text, part->place);
            uint32_t nearest =
                part->place.line ? nearest_rule(model, r, process, part->place, state) : r;
            if (is_possible(model, nearest, state, timed)) {
                text_add(text, " is possible\n");
                continue;
            }
            text_add(text, " is blocked:\n");
            show_blockers(model, diag, text, nearest, process, state);
            if (timed) explain_time(timed, text, nearest);
        }
    }
    if (shown == MAX_COMMANDS) text_add(text, "    ...\n");
    if (!shown) text_add(text, "    has no command here that could ever fire\n");
}

static bool has_global_rules(const struct model *model)
{
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (model->rules.data[r].parts == 1
            && model->parts.data[model->rules.data[r].first_part].process == MODEL_NONE)
            return true;
    return false;
}

void explain_state(const struct model *model, const struct diag *diag, struct text *text,
                   const int64_t *state, struct timed_state *timed)
{
    uint32_t shown = 0, left = 0;
    bool *acts =
        mem_alloc(model->mem, model->processes.len + 1); /* the others only hold variables */
    for (uint32_t i = 0; i < model->parts.len; i++)
        if (model->parts.data[i].process != MODEL_NONE) acts[model->parts.data[i].process] = true;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        if (!acts[p] && model->processes.data[p].location == MODEL_NONE) continue;
        if (model->processes.data[p].role == ROLE_OBSERVER) continue; /* it only looks on */
        if (shown < MAX_PROCESSES) explain_process(model, diag, text, p, state, timed), shown++;
        else left++;
    }
    mem_free(model->mem, acts);
    if (left) text_add(text, "  ... and %u more processes\n", left);
    if (has_global_rules(model)) explain_process(model, diag, text, MODEL_NONE, state, timed);
    if (!model->rules.len) text_add(text, "  the model has no rules\n");
}

/* ---- run-time errors ---- */

void explain_reason(struct text *text, const struct eval_failure *failure)
{
    bool is_outside = failure->value < failure->low
                      || failure->value > failure->high; /* not known when it just fails */
    switch (failure->reason) {
    case FAILURE_DIVISION: text_add(text, "division by zero"); break;
    case FAILURE_OVERFLOW: text_add(text, "a number does not fit in 64 bits"); break;
    case FAILURE_FULL: text_add(text, "the queue is full"); break;
    case FAILURE_EMPTY: text_add(text, "the queue is empty"); break;
    case FAILURE_LOOP: text_add(text, "the loop does not end"); break;
    case FAILURE_DEPTH: text_add(text, "the function calls itself too deeply"); break;
    case FAILURE_RANGE:
    case FAILURE_INDEX:
        text_add(text, failure->reason == FAILURE_INDEX ? "index" : "value");
        if (is_outside)
            text_add(text, " %" PRId64 " outside %" PRId64 "..%" PRId64, failure->value,
                     failure->low, failure->high);
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
        if (node->op == EXPR_WITHIN || node->op == EXPR_FAIL || (is_exact && node->may_fail))
            return false;
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
    if (node.op == EXPR_CHOOSE && eval_expr(model, node.a, state, &value))
        is_failing_part(model, value ? node.b : node.c, state, part);
    else if (expr_table[node.op].arity == 2) is_failing_part(model, node.b, state, part);
    return true;
}

static void show_exact_place(const struct diag *diag, struct text *text, struct place place)
{
    show_place(diag, text, place);
    if (place.line && place.column) text_add(text, ":%u", place.column);
}

/* The condition or stored value that fails in the state before the step; false: it is the code that
 * does. */
static bool find_failing(const struct model *model, const struct model_rule *rule,
                         const int64_t *state, expr *part)
{
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        int64_t value;
        expr cond = model->conjuncts.data[rule->first_conjunct + i].cond;
        if (is_failing_part(model, cond, state, part)) return true;
        if (!eval_expr(model, cond, state, &value) || !value) return false;
    }
    for (uint32_t i = 0; i < rule->stores; i++)
        if (is_failing_part(model, model->stores.data[rule->first_store + i].value, state, part))
            return true;
    return false;
}

void explain_failure(const struct model *model, const struct diag *diag, struct text *text,
                     uint32_t r, const int64_t *state)
{
    assert(r < model->rules.len); /* invariant 11 of result.h: a rule that fails is named */
    const struct model_rule *rule = &model->rules.data[r];
    struct explainer explainer = {.model = model, .text = text, .state = state, .indent = ""};
    struct eval_failure failure = {0};
    int64_t *next = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *next);
    expr part;
    text_add(text, "  the step [%s] fails\n", rule->label);
    if (eval_rule_alone(model, r, state, next, &failure) == EVAL_FAILED) {
        text_add(text, "  ");
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

/* ---- violations ---- */

/* What the path of a CTL counterexample leaves open: the rest of the formula, and its value at the
 * end. */
static void explain_part(const struct model *model, struct text *text,
                         const struct property_result *entry, const int64_t *state)
{
    const struct formula_node *node = formula_get(&model->formulas, entry->end);
    text_add(text, "in the last state:\n");
    if (node->op == FORMULA_ATOM) {
        explain_expr(model, text, node->atom, state, "  ");
        return;
    }
    text_add(text, "  ");
    model_print_formula(model, text, entry->end);
    text_add(text, " is %s\n", entry->end_value ? "true" : "false");
}

static void explain_stuck(const struct model *model, const struct diag *diag, struct text *text,
                          const struct trace *trace, const int64_t *state)
{
    struct timed_state timed;
    if (!trace->delays) {
        text_add(text, "no rule is enabled in the last state:\n");
        explain_state(model, diag, text, state, NULL);
        return;
    }
    timed_init(&timed, model, trace->denominator);
    trace_follow(trace, &timed);
    text_add(text, "no rule can ever be taken again in the last state:\n");
    explain_state(model, diag, text, state, &timed);
    timed_release(&timed);
}

/* A run that rests in its last state for ever, as one that repeats there. */
static void explain_rest(const struct model *model, struct text *text, const struct trace *trace,
                         const struct model_query *query)
{
    struct trace resting = *trace;
    resting.loop = trace->steps;
    if (query->kind == QUERY_MEETS) story_tell_response(model, text, &resting, NULL, query->p);
    if (query->kind == QUERY_LEADS) story_tell_response(model, text, &resting, &query->p, query->q);
}

static void explain_query(const struct model *model, struct text *text, const struct trace *trace,
                          bool is_whole)
{
    struct timed_state timed;
    timed_init(&timed, model, trace->denominator ? trace->denominator : 1);
    trace_follow(trace, &timed);
    explain_time_end(&timed, text, is_whole);
    timed_release(&timed);
}

/* A run that repeats for ever, and what does not come on it. */
static void explain_loop(const struct model *model, const struct diag *diag, struct text *text,
                         const struct property_result *entry, const int64_t *state)
{
    const struct trace *trace = entry->trace;
    bool is_told, is_refuted = false, good;
    if (entry->kind == PROPERTY_QUERY) {
        const struct model_query *query = &model->queries.data[entry->property->query];
        const bool leads = query->kind == QUERY_LEADS;
        if (!leads && query->kind != QUERY_MEETS) return;
        is_told = story_tell_response(model, text, trace, leads ? &query->p : NULL,
                                      leads ? query->q : query->p);
    } else {
        struct trace way = *trace;
        way.loop = MODEL_NONE;
        is_told = story_tell(model, text, trace, entry->property->root);
        is_refuted = is_told && lasso_prefix_refutes(model, &way, entry->property->root, &good);
    }
    if (!is_told) return;
    /* what comes for ever is of no interest where the way there is enough */
    if (trace->rules[trace->steps] == MODEL_NONE) explain_stuck(model, diag, text, trace, state);
    else if (!is_refuted) story_choices(model, text, trace);
}

static void explain_end(const struct model *model, const struct diag *diag, struct text *text,
                        const struct property_result *entry, const int64_t *state)
{
    if (entry->kind == PROPERTY_DEADLOCK) {
        explain_stuck(model, diag, text, entry->trace, state);
    } else if (entry->kind == PROPERTY_RUNTIME_ERROR) {
        text_add(text, "in the last state:\n");
        explain_failure(model, diag, text, entry->trace->failed_rule, state);
    } else if (entry->in_each_state || (entry->has_safety && entry->trace->loop == MODEL_NONE)) {
        expr told = entry->seeks ? formula_get(&model->formulas, entry->property->root)->atom
                    : entry->in_each_state ? entry->invariant
                                           : entry->safety;
        text_add(text, "in the last state:\n");
        explain_expr(model, text, told, state, "  ");
    } else if (entry->has_end) {
        explain_part(model, text, entry, state);
    } else if (entry->trace->loop != MODEL_NONE) {
        explain_loop(model, diag, text, entry, state);
    } else if (entry->kind == PROPERTY_QUERY) {
        const enum query_kind kind = model->queries.data[entry->property->query].kind;
        if (entry->verdict == VERDICT_VIOLATED)
            explain_rest(model, text, entry->trace, &model->queries.data[entry->property->query]);
        explain_query(model, text, entry->trace, kind != QUERY_ALWAYS && kind != QUERY_SOMETIME);
    }
}

void explain_violation(const struct model *model, const struct diag *diag, struct text *text,
                       const struct property_result *entry)
{
    struct trace_walk walk;
    bool is_built_in = entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR;
    if (entry->last && !is_built_in) explain_expr(model, text, entry->invariant, entry->last, "  ");
    if (!entry->trace) return;
    trace_walk_start(&walk, model, entry->trace);
    while (walk.at < entry->trace->steps && trace_walk_step(&walk)) continue;
    explain_end(model, diag, text, entry, walk.state);
    trace_walk_end(&walk);
}
