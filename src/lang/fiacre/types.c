#include "lang/fiacre/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void types_init(struct fiacre *f)
{
    f->bool_type = type_new_bool(&f->model->arena);
    f->nat_type = type_new_int(&f->model->arena, 0, INT32_MAX, 0, "nat");
    f->int_type = type_new_int(&f->model->arena, INT32_MIN, INT32_MAX, 0, "int");
    f->number_type = type_new_int(&f->model->arena, INT64_MIN, INT64_MAX, 0, NULL);
}

static const struct type *resolve_range(struct fiacre *f, struct fiacre_type *type, struct env *env)
{
    int64_t low, high;
    if (!lower_constant(f, env, type->low, "the bound of a type", &low)
        || !lower_constant(f, env, type->high, "the bound of a type", &high))
        return NULL;
    if (low > high) {
        complain(f, type, DIAG_RANGE, type->place, "the interval %" PRId64 "..%" PRId64 " is empty",
                 low, high);
        return NULL;
    }
    if (low < INT32_MIN || high > INT32_MAX) {
        complain(f, type, DIAG_RANGE, type->place,
                 "the interval %" PRId64 "..%" PRId64 " leaves 32 bits", low, high);
        return NULL;
    }
    return type_new_int(&f->model->arena, low, high, low, NULL);
}

static bool is_shallow(struct fiacre *f, struct fiacre_type *type, const struct type *made)
{
    if (!type_is_too_deep(made)) return true;
    complain(f, type, DIAG_NESTING, type->place, "types are nested too deeply");
    return false;
}

static const struct type *resolve_sequence(struct fiacre *f, struct fiacre_type *type,
                                           struct env *env)
{
    const char *what = type->kind == FIACRE_TYPE_ARRAY ? "array" : "queue";
    int64_t count;
    const struct type *of = types_resolve(f, type->of, env);
    if (!lower_constant(f, env, type->low, "the size of a type", &count) || !of) return NULL;
    if (count < 1) {
        complain(f, type, DIAG_RANGE, type->low->place,
                 "%s of %" PRId64 " elements: the size must be at least 1", what, count);
        return NULL;
    }
    const struct type *made = type_new_sequence(
        &f->model->arena, type->kind == FIACRE_TYPE_ARRAY ? TYPE_ARRAY : TYPE_QUEUE, of, count);
    if (!made) {
        complain(f, type, DIAG_LIMIT, type->low->place,
                 "this %s is too large: it has more than %d cells", what, TYPE_MAX_CELLS);
        return NULL;
    }
    return is_shallow(f, type, made) ? made : NULL;
}

static bool resolve_members(struct fiacre *f, struct fiacre_type *type, struct env *env,
                            struct type *made)
{
    struct map seen;
    bool good = true, fits = true;
    map_init(&seen, f->model->mem);
    for (struct fiacre_member *m = type->members; m && fits; m = m->next) {
        const struct type *argument = m->type ? types_resolve(f, m->type, env) : NULL;
        if (!map_add(&seen, m->name, 0, 0))
            diag_error(f->diag, DIAG_DUPLICATE, m->place, "'%.60s' is declared twice in this type",
                       m->name);
        good &= !m->type || argument;
        fits = type_add_member(made, m->name, argument);
        if (!fits)
            complain(f, type, DIAG_LIMIT, type->place,
                     "this type is too large: it has more than %d cells", TYPE_MAX_CELLS);
    }
    type_close(made);
    mem_free(f->model->mem, seen.entries);
    return good && fits && is_shallow(f, type, made);
}

static void declare_constructors(struct fiacre *f, const struct type *type)
{
    struct mem *mem = f->model->mem;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const char *name = type->members[i].name;
        uint32_t before = map_get(&f->names, name, SCOPE_CONSTRUCTOR), index = f->constructors.len;
        vec_push(mem, &f->constructors, ((struct constructor){name, type, i, MODEL_NONE}));
        if (before == MAP_NONE) map_add(&f->names, name, SCOPE_CONSTRUCTOR, index);
        else {
            f->constructors.data[index].other = f->constructors.data[before].other;
            f->constructors.data[before].other = index;
        }
    }
}

static const struct type *resolve_composed(struct fiacre *f, struct fiacre_type *type,
                                           struct env *env)
{
    uint32_t count = 0;
    for (struct fiacre_member *m = type->members; m; m = m->next) count++;
    struct type *made = type_new_composed(
        &f->model->arena, type->kind == FIACRE_TYPE_UNION ? TYPE_UNION : TYPE_RECORD, count);
    if (!resolve_members(f, type, env, made)) return NULL;
    if (made->kind == TYPE_UNION) declare_constructors(f, made);
    return made;
}

/* While a declaration is being resolved its info says so: a type that contains itself is found by
 * that. */
static const struct type in_progress;

static const struct type *resolve_name(struct fiacre *f, struct fiacre_type *type)
{
    uint32_t index = map_get(&f->names, type->name, SCOPE_TYPE);
    if (index == MAP_NONE) {
        const char *nearest = NULL;
        unsigned distance = 0;
        for (struct fiacre_decl *d = f->file.decls; d; d = d->next)
            if (d->kind == FIACRE_DECL_TYPE) text_nearest(type->name, d->name, &nearest, &distance);
        complain_near(f, type, DIAG_UNKNOWN, type->place, nearest, "there is no type '%.60s'",
                      type->name);
        return NULL;
    }
    struct fiacre_decl *decl = f->decls.data[index];
    if (decl->info == &in_progress) {
        complain(f, decl, DIAG_CIRCULAR, decl->name_place, "the type '%.60s' contains itself",
                 decl->name);
        return NULL;
    }
    if (!decl->info && !decl->reported) {
        decl->info = (void *)&in_progress;
        const struct type *found = types_resolve(f, decl->type, NULL);
        decl->info = NULL;
        if (!found) {
            decl->reported = true;
            return NULL;
        }
        struct type *named = arena_alloc(&f->model->arena, sizeof *named);
        *named = *found;
        named->name = decl->name;
        /* a union is itself and no copy of itself */
        if (found->kind == TYPE_UNION && !found->name) {
            ((struct type *)found)->name = decl->name;
            named = (struct type *)found;
        } else if (found->kind == TYPE_UNION) named = (struct type *)found;
        decl->info = named;
    }
    return decl->reported ? NULL : decl->info;
}

const struct type *types_resolve(struct fiacre *f, struct fiacre_type *type, struct env *env)
{
    if (type->info) return type->info;
    const struct type *found = NULL;
    bool depends = false; /* on the parameters of a component: not remembered */
    switch ((enum fiacre_type_kind)type->kind) {
    case FIACRE_TYPE_BOOL: found = f->bool_type; break;
    case FIACRE_TYPE_NAT: found = f->nat_type; break;
    case FIACRE_TYPE_INT: found = f->int_type; break;
    case FIACRE_TYPE_NAME: found = resolve_name(f, type); break;
    case FIACRE_TYPE_RANGE:
        found = resolve_range(f, type, env);
        depends = env != NULL;
        break;
    case FIACRE_TYPE_ARRAY:
    case FIACRE_TYPE_QUEUE:
        found = resolve_sequence(f, type, env);
        depends = env != NULL;
        break;
    case FIACRE_TYPE_UNION:
    case FIACRE_TYPE_RECORD: found = resolve_composed(f, type, env); break;
    }
    if (!depends) type->info = (void *)found;
    return found;
}
