/* A search so simple that it is hard to get wrong: breadth-first with the reference evaluator
 * (model/eval.h), states as plain arrays in one list, found again by looking through a chained
 * table. Prints the counts that engines must agree with. Usage: naive MODEL [MODEL ...] */
#include "lang/languages.h"
#include "model/eval.h"
#include "report/diagnostics.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 4096 };

struct naive {
    struct model *model;
    VEC(int64_t) values; /* vars.len per state */
    VEC(uint32_t) chain; /* per state: the next one of its bucket, + 1 */
    uint32_t buckets[BUCKETS];
    uint32_t states;
    VEC(int)
    verdicts; /* per property: 1 when an invariant is false somewhere, 2 when it cannot be evaluated
                 somewhere */
};

static bool add(struct naive *naive, const int64_t *state)
{
    uint32_t vars = naive->model->vars.len;
    uint64_t sum = 0;
    for (uint32_t v = 0; v < vars; v++) sum = sum * 31 + (uint64_t)state[v];
    uint32_t *bucket = &naive->buckets[sum % BUCKETS];
    for (uint32_t at = *bucket; at; at = naive->chain.data[at - 1])
        if (!vars
            || !memcmp(naive->values.data + (size_t)(at - 1) * vars, state, vars * sizeof *state))
            return false;
    for (uint32_t v = 0; v < vars; v++) vec_push(naive->model->mem, &naive->values, state[v]);
    vec_push(naive->model->mem, &naive->chain, *bucket);
    *bucket = ++naive->states;
    return true;
}

static void judge(struct naive *naive, const int64_t *state)
{
    const struct model *model = naive->model;
    for (uint32_t i = 0; i < model->properties.len; i++) {
        int64_t value;
        if (model->properties.data[i].kind != PROPERTY_INVARIANT) continue;
        if (!eval_expr(model, formula_get(&model->formulas, model->properties.data[i].root)->atom,
                       state, &value))
            naive->verdicts.data[i] |= 2;
        else if (!value) naive->verdicts.data[i] |= 1;
    }
}

static void explore(struct naive *naive)
{
    struct model *model = naive->model;
    uint32_t vars = model->vars.len, initial, level_end, depth = 0;
    uint64_t transitions = 0, deadlocks = 0, errors = 0;
    int64_t *now = mem_alloc(model->mem, (vars + 1) * sizeof *now),
            *next = mem_alloc(model->mem, (vars + 1) * sizeof *next);
    for (uint32_t i = 0; i < model->properties.len; i++) vec_push(model->mem, &naive->verdicts, 0);
    eval_first_initial(model, now);
    do add(naive, now);
    while (eval_next_initial(model, now));
    initial = level_end = naive->states;
    for (uint32_t s = 0; s < naive->states; s++) {
        uint64_t enabled = 0;
        if (s == level_end) {
            level_end = naive->states;
            depth++;
        }
        if (vars) memcpy(now, naive->values.data + (size_t)s * vars, vars * sizeof *now);
        judge(naive, now);
        for (uint32_t r = 0; r < model->rules.len; r++) {
            enum eval_result tried = eval_rule(model, r, now, next);
            errors += tried == EVAL_FAILED;
            if (tried != EVAL_ENABLED) continue;
            enabled++;
            add(naive, next);
        }
        transitions += enabled;
        deadlocks += !enabled && !eval_is_final(model, now);
    }
    printf("{\"states\": %u, \"transitions\": %llu, \"initial_states\": %u, \"deadlocks\": %llu, "
           "\"runtime_errors\": %llu, \"depth\": %u, \"invariants\": {",
           naive->states, (unsigned long long)transitions, initial, (unsigned long long)deadlocks,
           (unsigned long long)errors, depth);
    const char *between = "";
    for (uint32_t i = 0; i < model->properties.len; i++) {
        if (model->properties.data[i].kind != PROPERTY_INVARIANT) continue;
        int verdict = naive->verdicts.data[i];
        printf("%s\"%s\": \"%s\"", between, model->properties.data[i].name,
               verdict & 1   ? "violated"
               : verdict & 2 ? "error"
                             : "holds");
        between = ", ";
    }
    puts("}}");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct mem mem;
        struct diag diag;
        jmp_buf recover;
        static struct naive naive;
        void *scope;
        memset(&naive, 0, sizeof naive);
        mem_init(&mem);
        mem.recover = &recover;
        if (setjmp(recover)) return fputs("out of memory\n", stderr), 3;
        diag_init(&diag, &mem);
        diagnostics_open(&diag, stderr, false);
        diag.quiet = true;
        struct language_input input = {.mem = &mem, .diag = &diag};
        if (!diag_read_source(&diag, argv[i], &input.source)) return 2;
        naive.model = languages_find(argv[i])->load(&input, &scope);
        if (!naive.model) return 2;
        explore(&naive);
        mem_release(&mem);
    }
    return 0;
}
