/* What the names of the program mean in the model, for those who refer to it from outside
 * (model_name). */
#include "lang/fiacre/scope.h"

#include <assert.h>

void shapes_whole(struct fiacre *f, const char *name, uint32_t var, const struct type *type)
{
    if (type_is_scalar(type)) return;
    vec_push(f->model->mem, &f->model->wholes,
             ((struct model_whole){name, var, type_shape(&f->model->arena, type)}));
}

void shapes_name(struct fiacre *f, const char *unit, uint32_t number, const struct env *env)
{
    struct model *model = f->model;
    vec_push(model->mem, &model->source_names,
             ((struct model_name){.unit = unit, .number = number}));
    for (uint32_t i = 0; i < env->list.len; i++) {
        const struct binding *binding = &env->list.data[i];
        if (binding->kind != BIND_CELLS || binding->at.local) continue;
        const struct expr_node *offset = expr_get(&model->exprs, binding->at.offset);
        if (offset->op != EXPR_CONST) continue;
        assert(binding->at.base + offset->value + binding->type->cells <= model->vars.len);
        struct model_name name = {.unit = unit,
                                  .number = number,
                                  .name = binding->name,
                                  .var = binding->at.base + (uint32_t)offset->value};
        name.shape = type_shape(&f->model->arena, binding->type);
        vec_push(model->mem, &model->source_names, name);
    }
}
