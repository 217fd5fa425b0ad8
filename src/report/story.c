/* A formula that is false on a run is false for a reason that lies in single states: going down
 * from the formula, each operator names the state in which its operand decides. "Always" leads to
 * the first state without what it asks for; an implication tells both of its sides, so that the
 * state is where the obligation begins; "sometime" ends the way down: what it asks for is in no
 * state from there on. The values of all parts in all states are those of the definition
 * (result/lasso), not of an automaton. */
#include "report/story.h"

#include "report/explain.h"
#include "result/lasso.h"
#include "result/value.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_LINES = 16, MOST_WORDS = 160, MOST_VARS = 3, MOST_VALUES = 5 };

struct story {
    const struct model *model;
    struct text *text;
    const struct trace *trace;
    uint32_t length; /* states 0 .. length - 1, the last one followed by trace->loop */
    uint32_t at;     /* the state that lines are about now; MODEL_NONE: none yet */
    uint32_t lines;
};

static uint32_t after(const struct story *story, uint32_t i)
{
    return i + 1 < story->length ? i + 1 : story->trace->loop;
}

/* How many states there are from this one on, each once. */
static uint32_t states_from(const struct story *story, uint32_t at)
{
    return story->length - (at < story->trace->loop ? at : story->trace->loop);
}

static void find_state(const struct story *story, uint32_t at, int64_t *state)
{
    struct trace_walk walk;
    trace_walk_start(&walk, story->model, story->trace);
    while (walk.at < at && trace_walk_step(&walk)) continue;
    memcpy(state, walk.state, story->model->vars.len * sizeof *state);
    trace_walk_end(&walk);
}

static int64_t *new_state(const struct story *story)
{
    return mem_alloc(story->model->mem, (story->model->vars.len + UINT64_C(1)) * sizeof(int64_t));
}

static void name_state(struct story *story, uint32_t at, const char *more)
{
    if (story->at == at && !*more) return;
    story->at = at;
    text_add(story->text, "in state %u%s%s:\n", at,
             at >= story->trace->loop && story->trace->loop < story->trace->steps ? " (of the loop)"
                                                                                  : "",
             more);
}

static void tell_atom(struct story *story, expr atom, uint32_t at)
{
    int64_t *state = new_state(story);
    name_state(story, at, "");
    find_state(story, at, state);
    explain_expr(story->model, story->text, atom, state, "  ");
    mem_free(story->model->mem, state);
}

static void add_words(struct story *story, formula f)
{
    struct text words;
    text_init(&words, story->model->mem);
    model_print_formula(story->model, &words, f);
    text_add(story->text, "%.*s%s", (int)(words.len > MOST_WORDS ? MOST_WORDS : words.len),
             words.data, words.len > MOST_WORDS ? "..." : "");
    text_free(&words);
}

/* ---- values from a state on ---- */

static void collect_vars(const struct story *story, expr e, uint32_t *vars, uint32_t *count)
{
    const struct expr_node *node = expr_get(&story->model->exprs, e);
    const unsigned arity = expr_table[node->op].arity;
    if (node->op == EXPR_VAR) {
        for (uint32_t i = 0; i < *count; i++)
            if (vars[i] == (uint32_t)node->value) return;
        if (*count <= MOST_VARS) vars[(*count)++] = (uint32_t)node->value;
        return;
    }
    if (node->op == EXPR_AT || node->op == EXPR_TABLE) return; /* which cell depends on the state */
    if (arity > 0) collect_vars(story, node->a, vars, count);
    if (arity > 1) collect_vars(story, node->b, vars, count);
    if (arity > 2) collect_vars(story, node->c, vars, count);
}

/* `: pc = idle, polite` -- the values that a variable has in these states. */
static void add_values(struct story *story, uint32_t var, uint32_t from, bool first)
{
    const struct model *model = story->model;
    int64_t seen[MOST_VALUES];
    uint32_t count = 0;
    struct trace_walk walk;
    trace_walk_start(&walk, model, story->trace);
    for (;;) {
        bool known = walk.at < from && walk.at < story->trace->loop;
        for (uint32_t i = 0; i < count && i < MOST_VALUES; i++) known |= seen[i] == walk.state[var];
        if (!known && count < MOST_VALUES) seen[count] = walk.state[var];
        count += !known && count <= MOST_VALUES;
        if (walk.at == story->trace->steps || !trace_walk_step(&walk)) break;
    }
    trace_walk_end(&walk);
    text_add(story->text, "%s%s is ", first ? ": " : "; ", model->vars.data[var].name);
    for (uint32_t i = 0; i < count && i < MOST_VALUES; i++) {
        text_add(story->text, i ? i + 1 == count ? " or " : ", " : count == 1 ? "always " : "");
        value_var_text(story->text, model, false, var, seen[i]);
    }
    if (count > MOST_VALUES) text_add(story->text, ", ...");
}

/* From a state on a part has one value for ever. */
static void tell_always(struct story *story, formula f, bool value, uint32_t at)
{
    const struct formula_node *node = formula_get(&story->model->formulas, f);
    uint32_t vars[MOST_VARS + 1], count = 0;
    text_add(story->text, at ? "from state %u on " : "from the beginning on ", at);
    add_words(story, f);
    text_add(story->text, value ? " is always true" : " is never true");
    if (node->op == FORMULA_ATOM) collect_vars(story, node->atom, vars, &count);
    for (uint32_t i = 0; count <= MOST_VARS && i < count; i++)
        add_values(story, vars[i], at, i == 0);
    text_add(story->text, "\n");
    story->at = MODEL_NONE;
}

/* ---- going down ---- */

static void tell(struct story *story, formula f, bool value, uint32_t at);

/* The first state from this one on in which the part has the value, or MODEL_NONE. */
static uint32_t first_with(const struct story *story, const bool *values, bool value, uint32_t at)
{
    for (uint32_t left = states_from(story, at); left > 0; left--, at = after(story, at))
        if (values[at] == value) return at;
    return MODEL_NONE;
}

static bool *values_of(const struct story *story, formula f)
{
    bool *values = mem_alloc(story->model->mem, story->length + UINT64_C(1));
    lasso_values(story->model, story->trace, f, values);
    return values;
}

/* A part that is about to be true or false in every state from this one on. When it is itself
 * "always a" that is never true, or "sometime a" that is always, a state of the loop shows it. */
static void tell_for_ever(struct story *story, formula f, bool value, uint32_t at)
{
    const struct formula_node node = *formula_get(&story->model->formulas, f);
    if (node.op == FORMULA_NOT || node.op == FORMULA_A) {
        tell_for_ever(story, node.a, value == (node.op == FORMULA_A), at);
        return;
    }
    if (node.op != (value ? FORMULA_F : FORMULA_G)) {
        tell_always(story, f, value, at);
        return;
    }
    bool *values = values_of(story, node.a);
    const uint32_t shown = first_with(story, values, value, story->trace->loop);
    assert(shown != MODEL_NONE);
    text_add(story->text, "again and again ");
    add_words(story, node.a);
    text_add(story->text, " is %s:\n", value ? "true" : "false");
    tell(story, node.a, value, shown);
    mem_free(story->model->mem, values);
}

/* Until, release, weak until: b, or a for so long. The way down leads to the first state in which
 * it is decided; when there is none, b is what never comes, or never ends. */
static void tell_until(struct story *story, const struct formula_node *node, bool value,
                       uint32_t at)
{
    const bool is_release = node->op == FORMULA_R;
    bool *a = values_of(story, node->a), *b = values_of(story, node->b);
    uint32_t left = states_from(story, at), i = at;
    /* until: decided by b, or by neither; release: by not b, or by both */
    while (left && (is_release ? b[i] && !a[i] : a[i] && !b[i])) i = after(story, i), left--;
    if (!left) {
        tell_always(story, node->b, is_release, at);
        if (node->op == FORMULA_W) tell_always(story, node->a, true, at);
    } else if (is_release ? value : !value) {
        tell(story, node->a, is_release, i);
        tell(story, node->b, is_release, i);
    } else {
        if (is_release && i != at)
            text_add(story->text, "until then "), add_words(story, node->a),
                text_add(story->text, " is not true\n");
        tell(story, node->b, !is_release, i);
    }
    mem_free(story->model->mem, a);
    mem_free(story->model->mem, b);
}

/* Whether something is asked for that must come, so that where it is asked for is worth a word. */
static bool is_obligation(const struct model *model, formula f)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    if (node->op != FORMULA_IMPLIES) return false;
    node = formula_get(&model->formulas, node->b);
    while (node->op == FORMULA_A || node->op == FORMULA_X)
        node = formula_get(&model->formulas, node->a);
    return node->op == FORMULA_F || node->op == FORMULA_U;
}

static void tell_boolean(struct story *story, formula f, bool value, uint32_t at)
{
    const struct formula_node node = *formula_get(&story->model->formulas, f);
    bool *a = values_of(story, node.a), *b = values_of(story, node.b);
    const bool left = node.op == FORMULA_IMPLIES ? !a[at] : a[at];
    const bool both = node.op == FORMULA_IFF || (node.op == FORMULA_AND) == value;
    if (!value && is_obligation(story->model, f)) name_state(story, at, " the obligation begins");
    if (both || left == value) tell(story, node.a, a[at], at);
    if (both || left != value) tell(story, node.b, b[at], at);
    mem_free(story->model->mem, a);
    mem_free(story->model->mem, b);
}

/* Why f has the value in the state. */
static void tell(struct story *story, formula f, bool value, uint32_t at)
{
    const struct formula_node node = *formula_get(&story->model->formulas, f);
    if (story->lines++ >= MOST_LINES) return;
    switch (node.op) {
    case FORMULA_ATOM: tell_atom(story, node.atom, at); return;
    case FORMULA_NOT: tell(story, node.a, !value, at); return;
    case FORMULA_A: tell(story, node.a, value, at); return;
    case FORMULA_X: tell(story, node.a, value, after(story, at)); return;
    case FORMULA_F:
    case FORMULA_G:
        if (value == (node.op == FORMULA_G)) {
            tell_for_ever(story, node.a, value, at);
        } else {
            bool *values = values_of(story, node.a);
            const uint32_t shown = first_with(story, values, value, at);
            assert(shown != MODEL_NONE);
            tell(story, node.a, value, shown);
            mem_free(story->model->mem, values);
        }
        return;
    case FORMULA_U:
    case FORMULA_R:
    case FORMULA_W: tell_until(story, &node, value, at); return;
    default: tell_boolean(story, f, value, at);
    }
}

static struct story begin(const struct model *model, struct text *text, const struct trace *trace)
{
    assert(trace->loop <= trace->steps);
    return (struct story){
        .model = model, .text = text, .trace = trace, .length = trace->steps + 1, .at = MODEL_NONE};
}

bool story_tell(const struct model *model, struct text *text, const struct trace *trace, formula f)
{
    struct story story = begin(model, text, trace);
    if (!lasso_may_evaluate(model, f)) return false;
    bool *values = values_of(&story, f);
    const bool is_false = !values[0];
    mem_free(model->mem, values);
    if (is_false) tell(&story, f, false, 0);
    return is_false;
}

bool story_tell_response(const struct model *model, struct text *text, const struct trace *trace,
                         const formula *begins, formula comes)
{
    struct story story = begin(model, text, trace);
    if (!lasso_may_evaluate(model, comes) || (begins && !lasso_may_evaluate(model, *begins)))
        return false;
    bool *asked = begins ? values_of(&story, *begins) : NULL, *come = values_of(&story, comes);
    uint32_t from = 0;
    for (uint32_t i = 0; i < story.length; i++) /* behind the last state in which it has come */
        if (come[i]) from = i + 1;
    while (asked && from < story.length && !asked[from]) from++;
    const bool is_told = from < story.length;
    if (is_told && begins) {
        name_state(&story, from, " the obligation begins");
        tell(&story, *begins, true, from);
    }
    if (is_told) tell_for_ever(&story, comes, false, from);
    mem_free(model->mem, asked);
    mem_free(model->mem, come);
    return is_told;
}

/* ---- choices ---- */

enum { MOST_WORK = 4000000, MOST_CHOICES = 6 };

/* What is known of each rule, and of each process, in the loop. */
struct choices {
    struct story story;
    uint32_t *rules;     /* in so many states of the loop it is possible */
    uint32_t *processes; /* in so many it can take part in a step */
    bool *takes, *moves; /* it is taken there; it takes part in a step there */
    uint32_t states;     /* of the loop */
    uint32_t told;
};

static void look_at_state(struct choices *choices, const int64_t *state, int64_t *next, bool *can)
{
    const struct model *model = choices->story.model;
    memset(can, 0, model->processes.len);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (eval_rule(model, r, state, next) != EVAL_ENABLED) continue;
        choices->rules[r]++;
        for (uint32_t i = 0; i < model->rules.data[r].parts; i++) {
            const uint32_t p = model->parts.data[model->rules.data[r].first_part + i].process;
            if (p != MODEL_NONE) can[p] = true;
        }
    }
    for (uint32_t p = 0; p < model->processes.len; p++) choices->processes[p] += can[p];
}

static void look_at_loop(struct choices *choices)
{
    const struct model *model = choices->story.model;
    const struct trace *trace = choices->story.trace;
    int64_t *next = new_state(&choices->story);
    bool *can = mem_alloc(model->mem, model->processes.len + UINT64_C(1));
    struct trace_walk walk;
    trace_walk_start(&walk, model, trace);
    for (bool good = true; good;) {
        if (walk.at >= trace->loop) {
            const uint32_t rule = trace->rules[walk.at];
            look_at_state(choices, walk.state, next, can);
            choices->takes[rule] = true;
            choices->states++;
            for (uint32_t p = 0; p < model->processes.len; p++)
                choices->moves[p] |= model_takes_part(model, rule, p);
        }
        good = walk.at < trace->steps && trace_walk_step(&walk);
    }
    trace_walk_end(&walk);
    mem_free(model->mem, can);
    mem_free(model->mem, next);
}

/* "in every state of the loop", "again and again (in 2 of 5 states of the loop)" */
static void add_often(struct choices *choices, uint32_t count)
{
    if (count == choices->states)
        text_add(choices->story.text,
                 choices->states > 1 ? " in every state of the loop" : " all the time");
    else
        text_add(choices->story.text, " again and again (in %u of the %u states of the loop)",
                 count, choices->states);
}

static void tell_processes(struct choices *choices)
{
    const struct model *model = choices->story.model;
    struct text *text = choices->story.text;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        const uint32_t count = choices->processes[p];
        if (choices->moves[p] || !count || process->role == ROLE_OBSERVER) continue;
        if (choices->told++ >= MOST_CHOICES) continue;
        if (process->role == ROLE_CONTEXT) text_add(text, "the context");
        else text_add(text, "%s", process->name);
        text_add(text, " never takes a step in the loop, though it could");
        add_often(choices, count);
        text_add(text, count == choices->states ? ": the run is not fair to it\n" : "\n");
    }
}

/* Whether a process that was told takes part: then its steps need no words. */
static bool is_told_already(const struct choices *choices, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->parts; i++) {
        const uint32_t p = choices->story.model->parts.data[rule->first_part + i].process;
        if (p != MODEL_NONE && !choices->moves[p]) return true;
    }
    return false;
}

static void tell_steps(struct choices *choices)
{
    const struct model *model = choices->story.model;
    struct text *text = choices->story.text;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (choices->takes[r] || !choices->rules[r] || is_told_already(choices, rule)) continue;
        if (choices->told++ >= MOST_CHOICES) continue;
        const uint32_t p = rule->parts ? model->parts.data[rule->first_part].process : MODEL_NONE;
        text_add(text, "[%s]", rule->label);
        if (p != MODEL_NONE && model->processes.data[p].role != ROLE_CONTEXT)
            text_add(text, " of %s", model->processes.data[p].name);
        text_add(text, " is never taken in the loop, though it is possible");
        add_often(choices, choices->rules[r]);
        text_add(text, "\n");
    }
}

void story_choices(const struct model *model, struct text *text, const struct trace *trace)
{
    struct choices choices = {.story = begin(model, text, trace)};
    const uint64_t rules = model->rules.len, processes = model->processes.len;
    if (trace->delays || trace->rules[trace->steps] == MODEL_NONE) return;
    if ((trace->steps - trace->loop + UINT64_C(1)) * rules > MOST_WORK) return;
    choices.rules = mem_alloc(model->mem, (rules + 1) * sizeof *choices.rules);
    choices.processes = mem_alloc(model->mem, (processes + 1) * sizeof *choices.processes);
    choices.takes = mem_alloc(model->mem, rules + 1);
    choices.moves = mem_alloc(model->mem, processes + 1);
    look_at_loop(&choices);
    tell_processes(&choices);
    tell_steps(&choices);
    if (choices.told > MOST_CHOICES)
        text_add(text, "... and %u more that are possible there\n", choices.told - MOST_CHOICES);
    if (!choices.told)
        text_add(text, "every step that is possible in the loop is taken in it: "
                       "no fairness excludes this run\n");
    mem_free(model->mem, choices.rules);
    mem_free(model->mem, choices.processes);
    mem_free(model->mem, choices.takes);
    mem_free(model->mem, choices.moves);
}
