/* Types: from what is written to runs of cells. A type is resolved where it is used, since its
 * bounds may depend on parameters; only what a typedef names is made once. */
#include "lang/uppaal/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_SCALARS = 65536 };

static int64_t first_value(int64_t low, int64_t high) { return low > 0 ? low : high < 0 ? low : 0; }

/* Built-in names of types and constants. */
static const struct {
    const char *name;
    int64_t low, high;
} ranges[] = {{"int8_t", INT8_MIN, INT8_MAX},
              {"uint8_t", 0, UINT8_MAX},
              {"int16_t", INT16_MIN, INT16_MAX},
              {"uint16_t", 0, UINT16_MAX},
              {"int32_t", INT32_MIN, INT32_MAX}};

static const struct {
    const char *name;
    int64_t value;
} limits[] = {{"INT8_MIN", INT8_MIN},   {"INT8_MAX", INT8_MAX},   {"UINT8_MAX", UINT8_MAX},
              {"INT16_MIN", INT16_MIN}, {"INT16_MAX", INT16_MAX}, {"UINT16_MAX", UINT16_MAX},
              {"INT32_MIN", INT32_MIN}, {"INT32_MAX", INT32_MAX}};

void resolve_init(struct uppaal *u)
{
    struct arena *arena = &u->model->arena;
    u->bool_type = type_new_bool(arena);
    u->int_type = type_new_int(arena, INT16_MIN, INT16_MAX, 0, NULL);
    u->number_type = type_new_int(arena, INT64_MIN, INT64_MAX, 0, NULL);
    u->clock_type = type_new_int(arena, -1, INT32_MAX, -1, "clock");
    u->channel_type = type_new_int(arena, 0, 0, 0, "chan");
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
        compute_bind(
            u, &u->global,
            (struct binding){.name = names_format(&u->model->names, "%s", ranges[i].name),
                             .kind = BIND_TYPE,
                             .of = BIND_CELLS,
                             .type = type_new_int(arena, ranges[i].low, ranges[i].high, 0, NULL)});
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
        compute_bind(u, &u->global,
                     (struct binding){.name = names_format(&u->model->names, "%s", limits[i].name),
                                      .kind = BIND_VALUE,
                                      .type = u->number_type,
                                      .value = resolve_nth(u, u->number_type, limits[i].value)});
}

struct value resolve_nth(struct uppaal *u, const struct type *type, int64_t value)
{
    assert(type_is_scalar(type));
    return value_scalar(type, type->kind == TYPE_BOOL ? expr_bool(uppaal_exprs(u), value)
                                                      : expr_int(uppaal_exprs(u), value));
}

static bool resolve_int(struct uppaal *u, struct env *env, struct uppaal_type *type,
                        struct binding *resolved)
{
    int64_t low, high;
    if (!type->low) return resolved->type = u->int_type, true;
    if (!compute_constant(u, env, type->low, "a bound of a type", &low)
        || !compute_constant(u, env, type->high, "a bound of a type", &high))
        return false;
    if (low > high) {
        complain(u, type, DIAG_RANGE, "the range %" PRId64 " .. %" PRId64 " is empty", low, high);
        return false;
    }
    resolved->type = type_new_int(&u->model->arena, low, high, first_value(low, high), NULL);
    return true;
}

static bool resolve_scalar(struct uppaal *u, struct env *env, struct uppaal_type *type,
                           struct binding *resolved)
{
    int64_t count;
    if (type->info && env == &u->global) return resolved->type = type->info, true;
    if (!compute_constant(u, env, type->low, "the size of a scalar set", &count)) return false;
    if (count < 1 || count > MAX_SCALARS) {
        complain(u, type->low, DIAG_LIMIT, "a scalar set has 1 to %d members, not %" PRId64,
                 MAX_SCALARS, count);
        return false;
    }
    resolved->type = type_new_enumeration(&u->model->arena, NULL, NULL, (uint32_t)count);
    /* the names of one declaration share the type */
    if (env == &u->global) type->info = (void *)resolved->type;
    return true;
}

static bool resolve_struct(struct uppaal *u, struct env *env, struct uppaal_type *type,
                           struct binding *resolved)
{
    uint32_t count = 0;
    for (struct uppaal_variable *m = type->members; m; m = m->next) count++;
    struct type *made = type_new_composed(&u->model->arena, TYPE_RECORD, count);
    for (struct uppaal_variable *m = type->members; m; m = m->next) {
        struct binding member;
        if (!resolve_type(u, env, m->type, m->arrays, &member)) return false;
        if (member.kind != BIND_CELLS) {
            diag_error(u->diag, DIAG_TYPE, m->place,
                       "members of a struct are numbers, bools, scalars, structs and arrays");
            return false;
        }
        for (uint32_t i = 0; i < made->member_count; i++)
            if (made->members[i].name == m->name) {
                diag_error(u->diag, DIAG_DUPLICATE, m->place,
                           "the member '%.60s' is declared twice", m->name);
                return false;
            }
        if (!type_add_member(made, m->name, member.type) || type_is_too_deep(made)) {
            diag_error(u->diag, DIAG_LIMIT, m->place, "the struct is too large");
            return false;
        }
    }
    type_close(made);
    resolved->type = made;
    return true;
}

static bool resolve_name(struct uppaal *u, struct env *env, struct uppaal_type *type,
                         struct binding *resolved)
{
    const struct binding *found = compute_find(env, type->name);
    if (!found || found->kind != BIND_TYPE) {
        complain(u, type, DIAG_UNKNOWN,
                 found ? "'%.60s' is not a type" : "there is no type '%.60s' here", type->name);
        return false;
    }
    resolved->type = found->type;
    resolved->prefixes |= found->prefixes;
    resolved->kind = found->of;
    return true;
}

static bool resolve_base(struct uppaal *u, struct env *env, struct uppaal_type *type,
                         struct binding *resolved)
{
    *resolved =
        (struct binding){.kind = BIND_CELLS, .prefixes = type->prefixes, .place = type->place};
    switch ((enum uppaal_type_kind)type->kind) {
    case UPPAAL_TYPE_INT: return resolve_int(u, env, type, resolved);
    case UPPAAL_TYPE_BOOL: resolved->type = u->bool_type; return true;
    case UPPAAL_TYPE_SCALAR: return resolve_scalar(u, env, type, resolved);
    case UPPAAL_TYPE_STRUCT: return resolve_struct(u, env, type, resolved);
    case UPPAAL_TYPE_NAME: return resolve_name(u, env, type, resolved);
    case UPPAAL_TYPE_CLOCK:
        resolved->kind = BIND_CLOCK;
        resolved->type = u->clock_type;
        return true;
    case UPPAAL_TYPE_CHAN:
        resolved->kind = BIND_CHANNEL;
        resolved->type = u->channel_type;
        return true;
    case UPPAAL_TYPE_VOID: resolved->kind = BIND_TYPE; return true;
    }
    return false;
}

/* The first index and how many there are. */
static bool resolve_index(struct uppaal *u, struct env *env, struct uppaal_array *array,
                          int64_t *low, int64_t *count)
{
    struct uppaal_type named = {.kind = UPPAAL_TYPE_NAME, .place = array->place};
    struct uppaal_type *index = array->index;
    const struct binding *found = array->size && array->size->kind == UPPAAL_EXP_NAME
                                      ? compute_find(env, array->size->name)
                                      : NULL;
    if (found && found->kind == BIND_TYPE) named.name = array->size->name, index = &named;
    *low = 0;
    if (!index) return compute_constant(u, env, array->size, "the size of an array", count);
    struct binding resolved;
    if (!resolve_base(u, env, index, &resolved)) return false;
    if (resolved.kind != BIND_CELLS || !type_is_scalar(resolved.type)) {
        diag_error(u->diag, DIAG_TYPE, array->place,
                   "only bounded integers and scalars are indices of arrays");
        return false;
    }
    struct type_range range = type_cell(resolved.type, 0);
    *low = range.low;
    *count = range.high - range.low + 1;
    return true;
}

static bool resolve_arrays(struct uppaal *u, struct env *env, struct uppaal_array *array,
                           struct binding *resolved)
{
    int64_t low, count;
    if (!array) return true;
    if (!resolve_arrays(u, env, array->next, resolved)
        || !resolve_index(u, env, array, &low, &count))
        return false;
    if (!resolved->type) {
        diag_error(u->diag, DIAG_TYPE, array->place, "an array of nothing");
        return false;
    }
    if (count < 1) {
        diag_error(u->diag, DIAG_RANGE, array->place, "an array of %" PRId64 " elements", count);
        return false;
    }
    struct type *made = type_new_sequence(&u->model->arena, TYPE_ARRAY, resolved->type, count);
    if (!made || type_is_too_deep(made)) {
        diag_error(u->diag, DIAG_LIMIT, array->place, "the array is too large");
        return false;
    }
    made->low = low; /* 2 */
    resolved->type = made;
    return true;
}

bool resolve_type(struct uppaal *u, struct env *env, struct uppaal_type *type,
                  struct uppaal_array *arrays, struct binding *resolved)
{
    return resolve_base(u, env, type, resolved) && resolve_arrays(u, env, arrays, resolved);
}

const struct type *resolve_domain(struct uppaal *u, struct env *env, struct uppaal_type *type,
                                  uint32_t most, struct place place)
{
    struct binding resolved;
    if (!resolve_type(u, env, type, NULL, &resolved)) return NULL;
    if (resolved.kind != BIND_CELLS || !type_is_scalar(resolved.type)) {
        complain_at(u, type, DIAG_TYPE, place, "this needs a bounded integer or a scalar type");
        return NULL;
    }
    if (!type_values(resolved.type, most)) {
        complain_at(u, type, DIAG_LIMIT, place, "the type has more than %u values", most);
        return NULL;
    }
    return resolved.type;
}
