/* The way of an UPPAAL model. The parser makes a tree in which nothing is resolved (ast.h).
 * `declare` goes through global declarations, `instantiate` makes processes of templates, each with
 * declarations of its own; `compute`, `perform` and `clocked` turn expressions, functions and
 * conditions on clocks into expressions, code and constraints of the model, in the names of the
 * process; `network`, `broadcast` and `steps` make a rule of every way in which edges can be taken
 * together; `queries` come last. Declared ranges are wide, so pass/tighten narrows them before
 * states are packed. */
#include "lang/uppaal/uppaal.h"

#include "lang/uppaal/parse.h"
#include "lang/uppaal/scope.h"
#include "model/eval.h"
#include "model/fresh.h"

#include <assert.h>
#include <string.h>

/* Every -D must mean a constant. */
static void check_defines(struct uppaal *u)
{
    for (uint32_t i = 0; i < u->input->define_count; i++) {
        const struct language_define *define = &u->input->defines[i];
        const char *nearest = NULL;
        unsigned distance = 0;
        bool is_known = false;
        for (uint32_t k = 0; k < u->model->constants.len; k++) {
            const char *name = u->model->constants.data[k].name;
            is_known |= !strcmp(name, define->name);
            text_nearest(define->name, name, &nearest, &distance);
        }
        if (!is_known && !define->optional)
            diag_error_near(u->diag, DIAG_OPTION, (struct place){0}, nearest,
                            "-D %s: the model has no such constant", define->name);
    }
}

/* Whether a constraint on clocks holds in the initial state; what cannot be computed was told. */
static bool holds_at_first(const struct model *model, const struct clock_constraint *constraint,
                           const int64_t *state)
{
    int64_t when = 1, bound = constraint->bound;
    if (constraint->is_conditional && !eval_expr(model, constraint->when, state, &when))
        return true;
    if (constraint->varies && !eval_expr(model, constraint->value, state, &bound)) return true;
    int64_t x = constraint->x == MODEL_NONE ? 0 : model->clocks.data[constraint->x].init;
    int64_t y = constraint->y == MODEL_NONE ? 0 : model->clocks.data[constraint->y].init;
    return !when || (constraint->strict ? x - y < bound : x - y <= bound);
}

static bool complain_initial(struct uppaal *u, const struct process *process, struct place place)
{
    diag_error(u->diag, DIAG_FAILURE, place,
               "the initial state does not satisfy this invariant of '%.60s'", process->name);
    return false;
}

/* The conditions of an invariant that are not about clocks. */
static bool check_conditions(struct uppaal *u, const struct process *process,
                             const struct state *at, int64_t *state)
{
    struct model *model = u->model;
    for (uint32_t i = 0; i < at->conditions.len; i++) {
        struct code_sequence code = code_sequence_empty();
        struct lowering l = {.u = u, .env = process->env, .code = {.model = model, .out = &code}};
        if (!steps_require(&l, &at->conditions.data[i], expr_bool(&model->exprs, true)))
            return false;
        model->local_values =
            mem_resize(model->mem, model->local_values,
                       (model->locals.len + UINT64_C(1)) * sizeof *model->local_values);
        if (eval_code(model, code.first, state, NULL) != EVAL_ENABLED)
            return complain_initial(u, process, at->conditions.data[i].exp->place);
    }
    return true;
}

/* The initial state must satisfy the invariants: otherwise there is none. */
static bool check_initial(struct uppaal *u)
{
    struct model *model = u->model;
    bool good = true;
    int64_t *state = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *state);
    for (uint32_t i = 0; i < model->vars.len; i++) state[i] = model->vars.data[i].init;
    for (uint32_t p = 0; good && p < u->processes.len; p++) {
        const struct process *process = &u->processes.data[p];
        if (process->location == MODEL_NONE) continue;
        uint32_t value = (uint32_t)model->vars.data[process->location].init;
        const struct model_location location =
            model->locations.data[model->processes.data[process->number].first_location + value];
        assert(location.value == value);
        good = check_conditions(u, process, &process->states.data[value], state);
        for (uint32_t i = 0; good && i < location.invariants; i++) {
            const struct clock_constraint *one =
                &model->constraints.data[location.first_invariant + i];
            if (!holds_at_first(model, one, state)) good = complain_initial(u, process, one->place);
        }
    }
    mem_free(model->mem, state);
    return good;
}

/* What is `meta` is hidden where no state depends on it. */
static void hide_metas(struct uppaal *u)
{
    struct model *model = u->model;
    bool *fresh = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    struct place told = {0};
    for (uint32_t i = 0; i < u->metas.len; i++) fresh[u->metas.data[i]] = true;
    fresh_find(model, fresh, NULL, 0);
    for (uint32_t i = 0; i < u->metas.len; i++) {
        struct model_var *var = &model->vars.data[u->metas.data[i]];
        const struct place place = var->place;
        var->is_hidden = fresh[u->metas.data[i]];
        if (var->is_hidden || (place.line == told.line && place.column == told.column)) continue;
        diag_warning(u->diag, DIAG_COVERAGE, place,
                     "a step or a query reads the meta variable '%.60s' before the step has "
                     "assigned it: its values tell states apart",
                     var->name);
        told = place;
    }
    mem_free(model->mem, fresh);
}

/* What the parser has read becomes a model. */
static bool build(struct uppaal *u)
{
    resolve_init(u);
    perform_init(u);
    if (!declare_all(u, &u->global, u->file.decls, MODEL_NONE, "")) return false;
    check_defines(u);
    if (!instantiate_system(u) || !declare_run(u) || !network_build(u) || !check_initial(u))
        return false;
    if (!u->input->no_queries) queries_add(u, u->file.queries);
    if (u->diag->errors) return false;
    model_finish(u->model);
    if (u->metas.len) hide_metas(u);
    return true;
}

static struct model *load(struct language_input *input, void **scope)
{
    struct uppaal *u = mem_alloc(input->mem, sizeof *u);
    u->input = input;
    u->diag = input->diag;
    u->model = model_new(input->mem, input->diag->sources.data[input->source].name);
    u->init = code_sequence_empty();
    u->model->ticks = 1;
    if (!uppaal_parse(input->diag, &u->model->names, &u->model->arena, input->mem, input->source,
                      &u->file))
        return NULL;
    if (input->symbols) uppaal_tell_names(&u->file, input->symbols);
    input->diag->whose = uppaal_tell_part;
    input->diag->context = &u->file;
    const bool good = build(u);
    input->diag->whose = NULL;
    *scope = u;
    return good ? u->model : NULL;
}

static bool property(void *scope, enum property_kind kind, uint32_t source)
{
    return queries_property(scope, kind, source);
}

static bool queries(void *scope, uint32_t source)
{
    struct uppaal *u = scope;
    struct uppaal_query *list =
        uppaal_parse_queries(u->diag, &u->model->names, &u->model->arena, u->model->mem, source);
    return queries_add(u, list);
}

static const char *const others[] = {".xta", ".ta", NULL};

const struct language uppaal_language = {
    .name = "uppaal",
    .extension = ".xml",
    .others = others,
    .summary = "networks of timed automata with data and channels",
    .wide_types = true,
    .load = load,
    .property = property,
    .queries = queries,
};
