#include "lang/kit/routine.h"

#include <assert.h>

struct routine *routine_callee(struct routines *routines, void *context, struct routine *routine)
{
    /* what the deepest copies call still has most of its depth left */
    enum { MAX_PREPARING = ROUTINE_MAX_DEPTH - 10 };
    for (uint32_t depth = 1; routine && routine->state == ROUTINE_BUSY; depth++) {
        routine->is_recursive = true;
        if (!routine->deeper && depth < ROUTINE_MAX_RECURSION
            && routines->preparing < MAX_PREPARING) {
            routine->deeper = routines->copy(context, routine);
            routine->deeper->is_recursive = true;
        }
        routine = routine->deeper;
    }
    return routine;
}

bool routine_prepare(struct routines *routines, void *context, struct routine *routine)
{
    assert(routine->state != ROUTINE_BUSY); /* 1 */
    if (routine->state == ROUTINE_NEW) {
        routine->state = ROUTINE_BUSY;
        routines->preparing++;
        bool good = routines->lower(context, routine);
        routines->preparing--;
        routine->state = good ? ROUTINE_READY : ROUTINE_BAD;
        assert(!good || (routine->depth >= 1 && routine->depth <= ROUTINE_MAX_DEPTH)); /* 2 */
    }
    return routine->state == ROUTINE_READY;
}

/* The same variables; where in an array, that is passed. */
static bool are_same(const struct cell *a, const struct cell *b)
{
    return a->local == b->local && a->base == b->base && a->count == b->count;
}

struct routine *routine_instance(struct model *model, struct routines *routines, void *context,
                                 struct routine *declared, const struct cell *cells, uint32_t count)
{
    assert(count && !declared->references);
    for (struct routine *one = declared->other; one; one = one->other) {
        uint32_t same = 0;
        while (same < count && are_same(&one->references[same], &cells[same])) same++;
        if (same == count) return one;
    }
    struct routine *made = routines->copy(context, declared);
    struct cell *references = arena_alloc(&model->arena, count * sizeof *references);
    for (uint32_t i = 0; i < count; i++) references[i] = cells[i];
    made->references = references;
    made->other = declared->other;
    declared->other = made;
    return made;
}

struct cell routine_add_reference(struct model *model, struct routine *routine,
                                  const struct type *type, const char *name)
{
    uint32_t number = 0;
    assert(routine->references);
    for (uint32_t i = 0; i < routine->parameters.len; i++)
        number += routine->parameters.data[i].is_reference;
    struct routine_parameter parameter = {
        .type = type, .at = routine->references[number], .is_reference = true};
    assert(parameter.at.count); /* a value that is kept nowhere has no cells */
    if (parameter.at.count > 1) {
        const struct type place = {.kind = TYPE_INT, .high = parameter.at.count - 1, .cells = 1};
        parameter.offset = emit_local(model, &place, name);
        parameter.at.offset = emit_read_nth(model, &place, &parameter.offset, 0);
    }
    vec_push(model->mem, &routine->parameters, parameter);
    return parameter.at;
}

struct cell routine_add_parameter(struct model *model, struct routine *routine,
                                  const struct type *type, const char *name)
{
    struct routine_parameter parameter = {.type = type, .at = emit_local(model, type, name)};
    vec_push(model->mem, &routine->parameters, parameter);
    return parameter.at;
}

struct value routine_call(struct emit *emit, const struct routine *routine,
                          const struct value *arguments, const struct place *places,
                          struct place place)
{
    assert(routine->state == ROUTINE_READY); /* 1 */
    for (uint32_t i = 0; i < routine->parameters.len; i++) {
        const struct routine_parameter *parameter = &routine->parameters.data[i];
        if (!parameter->is_reference) {
            value_store(emit, parameter->type, &parameter->at, &arguments[i], places[i]);
            continue;
        }
        assert(type_same(parameter->type, arguments[i].type));
        assert(are_same(&parameter->at, &arguments[i].at)); /* 3 */
        if (parameter->at.count > 1)
            emit_set(emit, &parameter->offset, arguments[i].at.offset, places[i]);
    }
    emit_call(emit, routine->body, place);
    if (!routine->result) return (struct value){0};
    return value_keep(emit, value_cells(emit->model, routine->result, &routine->result_at), place);
}

void routine_return(struct emit *emit, const struct routine *routine, const struct value *value,
                    struct place value_place, struct place place)
{
    assert(!value == !routine->result);
    if (value) value_store(emit, routine->result, &routine->result_at, value, value_place);
    emit_leave(emit, place);
}

struct value routine_emit_too_deep(struct emit *emit, const struct type *result, struct place place)
{
    struct type truth = {.kind = TYPE_BOOL, .cells = 1};
    struct cell unused = emit_local(emit->model, &truth, "unused"),
                made = emit_local(emit->model, result, "temporary");
    emit_set(emit, &unused, expr_fail(&emit->model->exprs, FAILURE_DEPTH), place);
    return value_cells(emit->model, result, &made);
}
