/* Dispatch: with very many rules that compare several variables with constants, a state tries
 * exactly the enabled ones, in the order that program/dispatch.c promises. */
#include "base/random.h"
#include "model/eval.h"
#include "program/program.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { VARS = 6, MODELS = 150, STATES = 60 };

/* Variables 0 and 1 are locations; the others are plain, and the last one is too wide to choose
 * by. */
static struct model *random_model(struct random *random, struct mem *mem)
{
    struct model *model = model_new(mem, "dispatch");
    struct exprs *exprs = &model->exprs;
    for (uint32_t v = 0; v < VARS; v++) {
        struct model_var var = {.name = "x",
                                .process = v < 2 ? v : MODEL_NONE,
                                .low = (int64_t)random_below(random, 3) - 1};
        var.high = var.low + (v + 1 < VARS ? (int64_t)random_below(random, 9) : 5000);
        var.init = var.low;
        if (v < 2)
            vec_push(mem, &model->processes,
                     ((struct model_process){.name = "p", .type = "p", .location = v}));
        vec_push(mem, &model->vars, var);
    }
    uint32_t rules = 1 + (uint32_t)random_below(random, 120),
             few = 1 + (uint32_t)random_below(random, 8);
    for (uint32_t r = 0; r < rules; r++) {
        model_begin_rule(model, "r");
        model_add_part(model, MODEL_NONE, (struct place){0});
        for (uint32_t v = 0; v < VARS + 1; v++) {
            if (random_below(random, 8) < few) continue;
            uint32_t at =
                v < VARS ? v
                         : (uint32_t)random_below(random, VARS); /* the same variable twice, too */
            const struct model_var *var = &model->vars.data[at];
            int64_t span = at + 1 < VARS ? var->high - var->low + 1 : 4;
            expr number = expr_int(exprs, var->low + (int64_t)random_below(random, (uint64_t)span));
            uint8_t op = random_below(random, 6) ? EXPR_EQ : EXPR_GE;
            model_add_conjunct(model, expr_make(exprs, op, 0, expr_var(exprs, at), number),
                               (struct place){0});
        }
        uint32_t target = (uint32_t)random_below(random, VARS);
        model_add_store(model, target, expr_int(exprs, model->vars.data[target].low),
                        (struct place){0});
        model_end_rule(model);
    }
    model_finish(model);
    return model;
}

/* The variable that the rule is listed under, from its conjuncts. */
static uint32_t listed_under(const struct model *model, uint32_t r)
{
    const struct model_rule *rule = &model->rules.data[r];
    uint32_t first = MODEL_NONE;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct expr_node *node =
            expr_get(&model->exprs, model->conjuncts.data[rule->first_conjunct + i].cond);
        if (node->op != EXPR_EQ || expr_get(&model->exprs, node->a)->op != EXPR_VAR) continue;
        uint32_t var = (uint32_t)expr_get(&model->exprs, node->a)->value;
        if (model_is_location(model, var)) return var;
        if (first == MODEL_NONE && var + 1 < VARS) first = var;
    }
    return first;
}

/* The next enabled rule after (under, rule) in the promised order; false: there is none. */
static bool next_expected(const struct model *model, const int64_t *state, uint32_t *under,
                          uint32_t *rule, bool *begun)
{
    int64_t next[VARS];
    bool found = false;
    uint32_t best_under = 0, best_rule = 0;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        uint32_t u = listed_under(model, r);
        bool after = !*begun || u > *under || (u == *under && r > *rule),
             before = !found || u < best_under;
        if (!after || !before || eval_rule(model, r, state, next) != EVAL_ENABLED) continue;
        found = true;
        best_under = u;
        best_rule = r;
    }
    *under = best_under;
    *rule = best_rule;
    return *begun = found;
}

static bool same_steps(const struct model *model, const struct layout *layout,
                       const struct program *program, const int64_t *state, unsigned *steps)
{
    uint64_t words[VARS + 1] = {0}, next[VARS + 1] = {0};
    int64_t ours[VARS], theirs[VARS];
    struct program_cursor cursor;
    const struct fast_rule *fast;
    uint32_t under = 0, rule = 0;
    bool begun = false, good = true;
    layout_pack(layout, model, state, words);
    program_start(program, &cursor);
    while (good && program_next(program, &cursor, words, next, &fast) == STEP_TAKEN) {
        good = next_expected(model, state, &under, &rule, &begun) && fast->rule == rule;
        layout_unpack(layout, model, next, ours);
        good = good && eval_rule(model, rule, state, theirs) == EVAL_ENABLED
               && !memcmp(ours, theirs, sizeof ours);
        ++*steps;
    }
    return good && !next_expected(model, state, &under, &rule, &begun);
}

int main(void)
{
    struct unit unit = {0};
    struct random random = {7};
    unsigned steps = 0, nodes = 0;
    for (unsigned m = 0; m < MODELS; m++) {
        struct mem mem;
        struct layout layout;
        struct program program;
        mem_init(&mem);
        struct model *model = random_model(&random, &mem);
        layout_init(&layout, model);
        program_init(&program, model, &layout);
        nodes += program.nodes.len;
        bool good = true;
        for (unsigned s = 0; good && s < STATES; s++) {
            int64_t state[VARS];
            for (uint32_t v = 0; v < VARS; v++) {
                uint64_t span = (uint64_t)(model->vars.data[v].high - model->vars.data[v].low) + 1;
                state[v] =
                    model->vars.data[v].low + (int64_t)random_below(&random, span < 12 ? span : 12);
            }
            good = same_steps(model, &layout, &program, state, &steps);
        }
        CHECK(&unit, good);
        CHECK(&unit, program.rules.len <= 6 * model->rules.len + 1); /* invariant 3 of dispatch.c */
        mem_release(&mem);
    }
    CHECK(&unit, nodes > MODELS && steps > 10 * MODELS); /* otherwise nothing was tested */
    return unit_finish(&unit);
}
