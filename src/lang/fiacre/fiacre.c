/* The way of a Fiacre file. The parser makes a tree in which nothing is resolved (ast.h). `types`
 * turns every type into a run of cells, each a bounded integer, so that a value is some variables
 * of the model (or locals of code) and equal values have equal cells. `lower` and `statements` turn
 * expressions and statements without choices into expressions and code. `paths` finds the ways
 * through a transition, each of which is a rule, alone or in every combination that synchronises
 * (`rules`). `system` instantiates components and runs their initialisation in the reference
 * evaluator. Ranges declared by the language are wide, so pass/tighten narrows them before states
 * are packed. */
#include "lang/fiacre/fiacre.h"

#include "lang/fiacre/scope.h"

/* Where there are asserts, what they name is checked; otherwise every property is. */
static void add_properties(struct fiacre *f)
{
    bool asserts = false;
    for (uint32_t i = 0; i < f->decls.len; i++) {
        struct fiacre_decl *d = f->decls.data[i];
        asserts |= d->kind == FIACRE_DECL_ASSERT;
        if (d->kind == FIACRE_DECL_PROPERTY && !map_add(&f->names, d->name, SCOPE_PROPERTY, i))
            diag_error(f->diag, DIAG_DUPLICATE, d->name_place, "'%.60s' is declared twice",
                       d->name);
    }
    for (uint32_t i = 0; i < f->decls.len; i++) {
        struct fiacre_decl *d = f->decls.data[i];
        if (d->kind == FIACRE_DECL_PROPERTY && !asserts) properties_add(f, d->property);
        if (d->kind != FIACRE_DECL_ASSERT) continue;
        uint32_t found = map_get(&f->names, d->name, SCOPE_PROPERTY);
        if (found == MAP_NONE)
            diag_error(f->diag, DIAG_UNKNOWN, d->name_place, "there is no property '%.60s'",
                       d->name);
        else properties_add(f, f->decls.data[found]->property);
    }
}

static struct model *load(struct language_input *input, void **scope)
{
    struct fiacre *f = mem_alloc(input->mem, sizeof *f);
    f->input = input;
    f->diag = input->diag;
    f->model = model_new(input->mem, input->diag->sources.data[input->source].name);
    map_init(&f->names, input->mem);
    if (!fiacre_parse(input->diag, &f->model->names, &f->model->arena, input->mem, input->source,
                      input->defines, input->define_count, &f->file))
        return NULL;
    if (input->symbols) fiacre_tell_names(&f->file, input->diag, input->symbols);
    if (!system_build(f) || !rules_build(f)) return NULL;
    add_properties(f);
    if (input->diag->errors) return NULL;
    model_finish(f->model);
    *scope = f;
    return f->model;
}

static bool property(void *scope, enum property_kind kind, uint32_t source)
{
    struct fiacre *f = scope;
    struct fiacre_property read;
    if (!fiacre_parse_expression_source(f->diag, &f->model->names, &f->model->arena, f->model->mem,
                                        source, kind, &read))
        return false;
    return properties_add(f, &read);
}

const struct language fiacre_language = {
    .name = "fiacre",
    .extension = ".fcr",
    .summary = "processes with data, queues, synchronisation on ports and time",
    .wide_types = true,
    .load = load,
    .property = property,
};
