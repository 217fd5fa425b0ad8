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

struct cell routine_add_parameter(struct model *model, struct routine *routine,
                                  const struct type *type, const char *name)
{
    struct routine_parameter parameter = {type, emit_local(model, type, name)};
    vec_push(model->mem, &routine->parameters, parameter);
    return parameter.at;
}

struct value routine_call(struct emit *emit, const struct routine *routine,
                          const struct value *arguments, const struct place *places,
                          struct place place)
{
    assert(routine->state == ROUTINE_READY); /* 1 */
    for (uint32_t i = 0; i < routine->parameters.len; i++)
        value_store(emit, routine->parameters.data[i].type, &routine->parameters.data[i].at,
                    &arguments[i], places[i]);
    emit_call(emit, routine->body, place);
    return value_keep(emit, value_cells(emit->model, routine->result, &routine->result_at), place);
}

void routine_return(struct emit *emit, const struct routine *routine, const struct value *value,
                    struct place value_place, struct place place)
{
    value_store(emit, routine->result, &routine->result_at, value, value_place);
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
