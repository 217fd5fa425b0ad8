/* Leaving out hidden variables, against the reference evaluator: random models with code, arrays,
 * priorities and failures, in which random variables are hidden. In random states the new model
 * does what the old one does, whatever the values of what is left out; initial states correspond;
 * what is asked for has the same value. */
#include "pass/hide.h"
#include "unit/random_model.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct counts {
    unsigned enabled, disabled, failed, left_out, influencing, dropped, listed;
};

static bool same_seen(const struct model *searched, const int64_t *a, const int64_t *b)
{
    for (uint32_t v = 0; v < searched->vars.len; v++)
        if (!searched->vars.data[v].is_left_out && a[v] != b[v]) return false;
    return true;
}

static bool is_stripped(const struct model *searched, const int64_t *state)
{
    for (uint32_t v = 0; v < searched->vars.len; v++)
        if (searched->vars.data[v].is_left_out && state[v] != searched->vars.data[v].init)
            return false;
    return true;
}

static bool same_rule(const struct model *model, const struct model *searched, uint32_t r,
                      const int64_t *state, struct counts *counts)
{
    int64_t stripped[CELLS], next[CELLS], other[CELLS];
    memcpy(stripped, state, sizeof stripped);
    hide_strip(searched, stripped);
    enum eval_result result = eval_rule(model, r, state, next);
    counts->enabled += result == EVAL_ENABLED;
    counts->disabled += result == EVAL_DISABLED;
    counts->failed += result == EVAL_FAILED;
    if (eval_rule(searched, r, stripped, other) != result) return false;
    return result != EVAL_ENABLED
           || (same_seen(searched, next, other) && is_stripped(searched, other));
}

/* No rule of the new model reads or writes what is left out. */
static bool is_gone(const struct model *searched)
{
    for (uint32_t r = 0; r < searched->rules.len; r++) {
        const struct model_rule *rule = &searched->rules.data[r];
        for (uint32_t i = 0; i < rule->reads + rule->writes; i++) {
            const struct model_var *var =
                &searched->vars.data[searched->accesses.data[rule->first_read + i]];
            if (var->is_left_out && var->low < var->high) return false;
        }
    }
    return true;
}

/* Every initial state of one is an initial state of the other. */
static bool same_initial(const struct model *model, const struct model *searched)
{
    int64_t state[CELLS], other[CELLS];
    unsigned rest = 2000; /* there may be very many */
    eval_first_initial(model, state);
    do {
        memcpy(other, state, sizeof other);
        hide_strip(searched, other);
        if (!eval_is_initial(searched, other)) return false;
    } while (--rest && eval_next_initial(model, state));
    eval_first_initial(searched, state);
    rest = 2000;
    do {
        memcpy(other, state, sizeof other);
        hide_restore(model, searched, other);
        if (!eval_is_initial(model, other) || !same_seen(searched, state, other)) return false;
    } while (--rest && eval_next_initial(searched, state));
    return true;
}

static bool same_formulas(const struct model *model, const struct model *searched,
                          const int64_t *state)
{
    for (uint32_t i = 0; i < model->properties.len; i++) {
        const struct formula_node *node =
            formula_get(&model->formulas, model->properties.data[i].root);
        int64_t stripped[CELLS], a = 0, b = 0;
        if (node->op != FORMULA_ATOM) continue;
        memcpy(stripped, state, sizeof stripped);
        hide_strip(searched, stripped);
        bool good = eval_expr(model, node->atom, state, &a);
        if (eval_expr(searched, node->atom, stripped, &b) != good || (good && a != b)) return false;
    }
    return true;
}

/* Marks some variables. Most rules read much, so that whole arrays, or the plain variables, are
 * marked at once now and then. */
static void mark(struct generator *g)
{
    uint64_t kind = pick(g, 4);
    for (uint32_t v = 0; v < CELLS; v++)
        g->model->vars.data[v].is_hidden = kind == 0   ? v < PLAIN
                                           : kind == 1 ? v >= PLAIN + 2 * RECORDS
                                           : kind == 2 ? true
                                                       : pick(g, 2);
}

static bool test_model(struct generator *g, uint64_t seed, struct counts *counts)
{
    struct hiding hiding;
    struct text complaint;
    formula asked[16];
    g->random.state = seed;
    g->widest = 1 + (unsigned)pick(g, 3);
    g->tame = pick(g, 3);
    g->with_properties = pick(g, 2);
    random_model(g, 1 + (unsigned)pick(g, 2), 1 + (unsigned)pick(g, 2));
    struct model *model = g->model;
    mark(g);
    uint32_t count = model->properties.len < 16 ? model->properties.len : 16;
    for (uint32_t i = 0; i < count; i++) asked[i] = model->properties.data[i].root;
    hide_model(&hiding, model, asked, count);
    text_init(&complaint, g->mem);
    bool good = model_check(model, &complaint) && model_check(hiding.model, &complaint)
                && is_gone(hiding.model) && same_initial(model, hiding.model);
    counts->left_out += hiding.left_out;
    counts->influencing += hiding.influencing;
    counts->listed += hiding.left_out && model_lists_initial(model);
    counts->dropped += hiding.left_out && model_has_code(model);
    for (unsigned k = 0; k < 30 && good && hiding.left_out; k++) {
        int64_t state[CELLS];
        random_state(g, state);
        good = same_formulas(model, hiding.model, state);
        for (uint32_t r = 0; r < model->rules.len && good; r++)
            good = same_rule(model, hiding.model, r, state, counts);
    }
    if (!good) printf("seed %" PRIu64 " %s\n", seed, complaint.data ? complaint.data : "");
    return good;
}

int main(int argc, char **argv)
{
    struct unit unit = {0};
    struct mem mem;
    jmp_buf recover;
    static struct counts counts;
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct generator g = {.mem = &mem};
        CHECK(&unit, test_model(&g, seed, &counts));
        if (seed % 20 == 0) mem_release(&mem), mem_init(&mem), mem.recover = &recover;
    }
    CHECK(&unit, counts.enabled > 2000 && counts.disabled > 2000 && counts.failed > 2000
                     && counts.left_out > 500 && counts.influencing > 500 && counts.dropped > 200
                     && counts.listed > 20); /* otherwise it says little */
    mem_release(&mem);
    printf("enabled %u, disabled %u, failed %u; left out %u, influencing %u, in models with code "
           "%u, with listed initial states %u\n",
           counts.enabled, counts.disabled, counts.failed, counts.left_out, counts.influencing,
           counts.dropped, counts.listed);
    return unit_finish(&unit);
}
