/* The model's own text form: random models are printed, read back and printed again, which must
 * give the same bytes, and the model that was read does what the first one does. */
#include "lang/cairn/cairn.h"
#include "model/print.h"
#include "report/diagnostics.h"
#include "unit/random_model.h"
#include "unit/unit.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static char *print(const struct model *model, const struct diag *diag, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    model_print(model, diag, out);
    fclose(out);
    return text;
}

static bool same_steps(struct generator *g, const struct model *other, unsigned *enabled,
                       unsigned *failed)
{
    for (unsigned k = 0; k < 20; k++) {
        int64_t state[CELLS], next[CELLS], also[CELLS];
        random_state(g, state);
        for (uint32_t r = 0; r < g->model->rules.len; r++) {
            enum eval_result result = eval_rule(g->model, r, state, next);
            *enabled += result == EVAL_ENABLED;
            *failed += result == EVAL_FAILED;
            if (eval_rule(other, r, state, also) != result
                || (result == EVAL_ENABLED && memcmp(next, also, sizeof next)))
                return false;
        }
    }
    return true;
}

static bool same_bounds(const struct model *a, const struct model *b)
{
    for (uint32_t r = 0; r < a->rules.len; r++)
        for (uint32_t i = 0; i < a->rules.data[r].stores; i++) {
            const struct expr_node *x =
                expr_get(&a->exprs, a->stores.data[a->rules.data[r].first_store + i].value);
            const struct expr_node *y =
                expr_get(&b->exprs, b->stores.data[b->rules.data[r].first_store + i].value);
            if (x->low != y->low || x->high != y->high || x->may_fail != y->may_fail) return false;
        }
    return true;
}

/* Through the text and back; false when something is lost. */
static bool test_round_trip(struct generator *g, uint64_t seed, unsigned *enabled, unsigned *failed)
{
    struct diag diag;
    struct text complaint;
    size_t length, again;
    void *scope;
    g->random.state = seed;
    g->extremes = pick(g, 4) == 0;
    g->with_time = pick(g, 2);
    g->with_properties = true;
    g->widest = 1 + (unsigned)pick(g, 4);
    random_model(g, 4, 3);
    text_init(&complaint, g->mem);
    if (!model_check(g->model, &complaint))
        return printf("seed %llu: %s\n", (unsigned long long)seed, complaint.data), false;
    diag_init(&diag, g->mem);
    diagnostics_open(&diag, stdout, false);
    uint32_t source = diag_add_source(&diag, "random", "", 0);
    (void)source;
    char *text = print(g->model, &diag, &length);
    struct language_input input = {
        .mem = g->mem, .diag = &diag, .source = diag_add_source(&diag, "text", text, length)};
    struct model *read = cairn_language.load(&input, &scope);
    bool good = read != NULL;
    if (good) {
        char *second = print(read, &diag, &again);
        good = length == again && !memcmp(text, second, length) && same_bounds(g->model, read)
               && same_steps(g, read, enabled, failed);
        if (!good) printf("%s\n----\n%s\n", text, second);
        free(second);
    } else printf("%s\n", text);
    if (!good) printf("seed %llu\n", (unsigned long long)seed);
    free(text);
    return good;
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    jmp_buf recover;
    unsigned enabled = 0, failed = 0;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct generator g = {.mem = &mem};
        bool good = test_round_trip(&g, seed, &enabled, &failed);
        CHECK(&unit, good);
        if (!good) break;
        if (seed % 50 == 0) mem_release(&mem), mem_init(&mem), mem.recover = &recover;
    }
    CHECK(&unit, enabled > 1000 && failed > 1000); /* otherwise it says little */
    mem_release(&mem);
    return unit_finish(&unit);
}
