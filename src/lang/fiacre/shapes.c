/* What the names of the program mean in the model, for those who refer to it from outside
 * (model_name). */
#include "lang/fiacre/scope.h"

static const struct shape *shape_of(struct fiacre *f, const struct ftype *type);

static void describe_members(struct fiacre *f, const struct ftype *type, struct shape *shape)
{
    struct shape_member *members =
        arena_alloc(&f->model->arena, type->member_count * sizeof *members);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct ftype *of = type->members[i].type;
        members[i] = (struct shape_member){type->members[i].name, of ? shape_of(f, of) : NULL,
                                           type->members[i].offset};
    }
    shape->members = members;
    shape->member_count = type->member_count;
    if (type->kind != KIND_UNION) return;
    int64_t *initials = arena_alloc(&f->model->arena, type->cells * sizeof *initials),
            *padding = arena_alloc(&f->model->arena, type->cells * sizeof *padding);
    for (uint32_t i = 0; i < type->cells; i++) initials[i] = ftype_cell(type, i).initial;
    for (uint32_t i = 0; i + 1 < type->cells; i++) padding[i] = ftype_shared_cell(type, i).initial;
    shape->initials = initials;
    shape->padding = padding;
}

static const struct shape *shape_of(struct fiacre *f, const struct ftype *type)
{
    static const enum shape_kind kinds[] = {
        [KIND_BOOL] = SHAPE_BOOL,   [KIND_INT] = SHAPE_INT,     [KIND_ARRAY] = SHAPE_ARRAY,
        [KIND_QUEUE] = SHAPE_QUEUE, [KIND_UNION] = SHAPE_UNION, [KIND_RECORD] = SHAPE_RECORD};
    if (type->shape) return type->shape;
    struct shape *shape = arena_alloc(&f->model->arena, sizeof *shape);
    *shape = (struct shape){.kind = kinds[type->kind],
                            .cells = type->cells,
                            .low = type->low,
                            .high = type->high,
                            .initial = type->initial,
                            .count = type->count};
    if (type->kind == KIND_BOOL) shape->high = 1;
    if (type->of) shape->of = shape_of(f, type->of);
    if (type->members) describe_members(f, type, shape);
    ((struct ftype *)type)->shape = shape;
    return shape;
}

void shapes_whole(struct fiacre *f, const char *name, uint32_t var, const struct ftype *type)
{
    if (ftype_is_scalar(type)) return;
    vec_push(f->model->mem, &f->model->wholes,
             ((struct model_whole){name, var, shape_of(f, type)}));
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
        struct model_name name = {.unit = unit,
                                  .number = number,
                                  .name = binding->name,
                                  .var = binding->at.base + (uint32_t)offset->value};
        name.shape = shape_of(f, binding->type);
        vec_push(model->mem, &model->source_names, name);
    }
}
