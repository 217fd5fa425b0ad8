#include "lang/fiacre/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- questions ---- */

/* A cell that constructors share: wide enough for all of them. */
struct cell_range ftype_shared_cell(const struct ftype *type, uint32_t cell)
{
    struct cell_range range = {0, 0, 0};
    bool known = false;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct ftype *argument = type->members[i].type;
        if (!argument || argument->cells <= cell) continue;
        struct cell_range part = ftype_cell(argument, cell);
        if (!known || part.low < range.low) range.low = part.low;
        if (!known || part.high > range.high) range.high = part.high;
        known = true;
    }
    range.initial = range.low > 0 ? range.low : range.high < 0 ? range.high : 0;
    return range;
}

struct cell_range ftype_cell(const struct ftype *type, uint32_t cell)
{
    assert(cell < type->cells);
    switch (type->kind) {
    case KIND_BOOL: return (struct cell_range){0, 1, 0};
    case KIND_INT: return (struct cell_range){type->low, type->high, type->initial};
    case KIND_ARRAY: return ftype_cell(type->of, cell % type->of->cells);
    case KIND_QUEUE:
        if (!cell) return (struct cell_range){0, type->count, 0};
        return ftype_cell(type->of, (cell - 1) % type->of->cells);
    case KIND_UNION: {
        if (!cell) return (struct cell_range){0, type->member_count - 1, 0};
        struct cell_range range = ftype_shared_cell(type, cell - 1);
        const struct ftype *first = type->members[0].type;
        if (first && first->cells >= cell) range.initial = ftype_cell(first, cell - 1).initial;
        return range;
    }
    case KIND_RECORD: {
        uint32_t m = type->member_count - 1;
        while (type->members[m].offset > cell) m--;
        return ftype_cell(type->members[m].type, cell - type->members[m].offset);
    }
    }
    return (struct cell_range){0, 0, 0};
}

bool ftype_is_scalar(const struct ftype *type)
{
    return type->kind == KIND_BOOL || type->kind == KIND_INT
           || (type->kind == KIND_UNION && type->cells == 1);
}

static bool compare(const struct ftype *a, const struct ftype *b, bool ranges)
{
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    if (a->kind == KIND_INT) return !ranges || (a->low == b->low && a->high == b->high);
    if (a->kind == KIND_BOOL) return true;
    if (a->kind == KIND_UNION) return false;
    if (a->kind != KIND_RECORD) return a->count == b->count && compare(a->of, b->of, ranges);
    if (a->member_count != b->member_count) return false;
    for (uint32_t i = 0; i < a->member_count; i++)
        if (a->members[i].name != b->members[i].name
            || !compare(a->members[i].type, b->members[i].type, ranges))
            return false;
    return true;
}

bool ftype_matches(const struct ftype *a, const struct ftype *b) { return compare(a, b, false); }

bool ftype_same(const struct ftype *a, const struct ftype *b) { return compare(a, b, true); }

uint64_t ftype_values(const struct ftype *type, uint64_t most)
{
    if (!ftype_is_scalar(type)) return 0;
    struct cell_range range = ftype_cell(type, 0);
    uint64_t values = (uint64_t)range.high - (uint64_t)range.low;
    return values >= most ? 0 : values + 1;
}

uint64_t ftype_count(const struct ftype *type, uint64_t most)
{
    if (ftype_is_scalar(type)) return ftype_values(type, most);
    uint64_t parts =
        type->kind == KIND_ARRAY || type->kind == KIND_QUEUE ? type->count : type->member_count;
    uint64_t of = type->of ? ftype_count(type->of, most) : 0, total = 1;
    if (type->of && !of) return 0;
    if (type->kind == KIND_UNION) total = 0;
    for (uint64_t i = 0, power = 1; i < parts; i++) {
        const struct ftype *argument = type->of ? NULL : type->members[i].type;
        uint64_t part = type->of ? of : argument ? ftype_count(argument, most) : 1;
        if (!part || part > most || power > most / part || total > most / part) return 0;
        power *= part;
        if (type->kind == KIND_UNION) total += part;
        else if (type->kind == KIND_QUEUE) total += power; /* the queues of i + 1 elements */
        else total *= part;
        if (total > most) return 0;
    }
    return total;
}

static void set_initial(const struct ftype *type, int64_t *cells)
{
    for (uint32_t i = 0; i < type->cells; i++) cells[i] = ftype_cell(type, i).initial;
}

/* Elements one after the other, the first changes fastest. */
static void nth_elements(const struct ftype *of, uint32_t count, uint64_t n, int64_t *cells)
{
    uint64_t each = ftype_count(of, UINT32_MAX);
    for (uint32_t i = 0; i < count; i++, n /= each)
        ftype_nth(of, n % each, cells + (size_t)i * of->cells);
}

void ftype_nth(const struct ftype *type, uint64_t n, int64_t *cells)
{
    if (ftype_is_scalar(type)) cells[0] = ftype_cell(type, 0).low + (int64_t)n;
    else if (type->kind == KIND_ARRAY) nth_elements(type->of, type->count, n, cells);
    else if (type->kind == KIND_RECORD) {
        for (uint32_t i = 0; i < type->member_count; i++) {
            uint64_t each = ftype_count(type->members[i].type, UINT32_MAX);
            ftype_nth(type->members[i].type, n % each, cells + type->members[i].offset);
            n /= each;
        }
    } else if (type->kind == KIND_QUEUE) {
        uint64_t each = ftype_count(type->of, UINT32_MAX), power = 1;
        uint32_t length = 0;
        for (; n >= power; length++) n -= power, power *= each;
        set_initial(type, cells);
        cells[0] = length;
        nth_elements(type->of, length, n, cells + 1);
    } else {
        uint32_t tag = 0;
        for (;; tag++) {
            uint64_t each =
                type->members[tag].type ? ftype_count(type->members[tag].type, UINT32_MAX) : 1;
            if (n < each) break;
            n -= each;
        }
        for (uint32_t i = 0; i + 1 < type->cells; i++)
            cells[i + 1] = ftype_shared_cell(type, i).initial;
        cells[0] = tag;
        if (type->members[tag].type) ftype_nth(type->members[tag].type, n, cells + 1);
    }
}

void ftype_show(struct text *text, const struct ftype *type)
{
    if (type->name) text_add(text, "%.60s", type->name);
    else if (type->kind == KIND_BOOL) text_add(text, "bool");
    else if (type->kind == KIND_INT && type->low == INT64_MIN) text_add(text, "a number");
    else if (type->kind == KIND_INT) text_add(text, "%" PRId64 "..%" PRId64, type->low, type->high);
    else if (type->kind == KIND_ARRAY || type->kind == KIND_QUEUE) {
        text_add(text, "%s %u of ", type->kind == KIND_ARRAY ? "array" : "queue", type->count);
        ftype_show(text, type->of);
    } else text_add(text, type->kind == KIND_UNION ? "a union" : "a record");
}

/* ---- resolving ---- */

static struct ftype *new_type(struct fiacre *f, enum kind kind)
{
    struct ftype *type = arena_alloc(&f->model->arena, sizeof *type);
    type->kind = kind;
    type->cells = 1;
    return type;
}

static const struct ftype *new_int(struct fiacre *f, int64_t low, int64_t high, int64_t initial,
                                   const char *name)
{
    struct ftype *type = new_type(f, KIND_INT);
    type->low = low;
    type->high = high;
    type->initial = initial;
    type->name = name;
    return type;
}

void types_init(struct fiacre *f)
{
    f->bool_type = new_type(f, KIND_BOOL);
    f->nat_type = new_int(f, 0, INT32_MAX, 0, "nat");
    f->int_type = new_int(f, INT32_MIN, INT32_MAX, 0, "int");
    f->number_type = new_int(f, INT64_MIN, INT64_MAX, 0, NULL);
}

static const struct ftype *resolve_range(struct fiacre *f, struct fiacre_type *type,
                                         struct env *env)
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
    return new_int(f, low, high, low, NULL);
}

static bool is_shallow(struct fiacre *f, struct fiacre_type *type, const struct ftype *made)
{
    if (made->depth > FIACRE_MAX_TYPE_DEPTH)
        complain(f, type, DIAG_NESTING, type->place, "types are nested too deeply");
    return made->depth <= FIACRE_MAX_TYPE_DEPTH;
}

static const struct ftype *resolve_sequence(struct fiacre *f, struct fiacre_type *type,
                                            struct env *env)
{
    const char *what = type->kind == FIACRE_TYPE_ARRAY ? "array" : "queue";
    int64_t count;
    const struct ftype *of = types_resolve(f, type->of, env);
    if (!lower_constant(f, env, type->low, "the size of a type", &count) || !of) return NULL;
    if (count < 1) {
        complain(f, type, DIAG_RANGE, type->low->place,
                 "%s of %" PRId64 " elements: the size must be at least 1", what, count);
        return NULL;
    }
    if (count > FIACRE_MAX_CELLS || (uint64_t)count * of->cells >= FIACRE_MAX_CELLS) {
        complain(f, type, DIAG_LIMIT, type->low->place,
                 "this %s is too large: it has more than %d cells", what, FIACRE_MAX_CELLS);
        return NULL;
    }
    struct ftype *made = new_type(f, type->kind == FIACRE_TYPE_ARRAY ? KIND_ARRAY : KIND_QUEUE);
    made->of = (struct ftype *)of;
    made->count = (uint32_t)count;
    made->cells = made->count * of->cells + (made->kind == KIND_QUEUE);
    made->depth = of->depth + 1;
    return is_shallow(f, type, made) ? made : NULL;
}

static bool resolve_members(struct fiacre *f, struct fiacre_type *type, struct env *env,
                            struct ftype *made)
{
    uint32_t count = 0;
    struct map seen;
    bool good = true;
    map_init(&seen, f->model->mem);
    for (struct fiacre_member *m = type->members; m; m = m->next) count++;
    made->members = arena_alloc(&f->model->arena, count * sizeof *made->members);
    uint64_t cells = 0, widest = 0;
    for (struct fiacre_member *m = type->members; m; m = m->next) {
        const struct ftype *argument = m->type ? types_resolve(f, m->type, env) : NULL;
        if (!map_add(&seen, m->name, 0, 0))
            diag_error(f->diag, DIAG_DUPLICATE, m->place, "'%.60s' is declared twice in this type",
                       m->name);
        good &= !m->type || argument;
        made->members[made->member_count++] =
            (struct ftype_member){m->name, (struct ftype *)argument, (uint32_t)cells};
        if (!argument) continue;
        cells += argument->cells;
        if (argument->depth >= made->depth) made->depth = argument->depth + 1;
        if (argument->cells > widest) widest = argument->cells;
        if (cells >= FIACRE_MAX_CELLS) {
            complain(f, type, DIAG_LIMIT, type->place,
                     "this type is too large: it has more than %d cells", FIACRE_MAX_CELLS);
            good = false;
            break;
        }
    }
    made->cells = (uint32_t)(made->kind == KIND_UNION ? 1 + widest : cells);
    mem_free(f->model->mem, seen.entries);
    return good && is_shallow(f, type, made);
}

static void declare_constructors(struct fiacre *f, const struct ftype *type)
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

static const struct ftype *resolve_composed(struct fiacre *f, struct fiacre_type *type,
                                            struct env *env)
{
    struct ftype *made = new_type(f, type->kind == FIACRE_TYPE_UNION ? KIND_UNION : KIND_RECORD);
    if (!resolve_members(f, type, env, made)) return NULL;
    if (made->kind == KIND_UNION) declare_constructors(f, made);
    return made;
}

/* While a declaration is being resolved its info says so: a type that contains itself is found by
 * that. */
static const struct ftype in_progress;

static const struct ftype *resolve_name(struct fiacre *f, struct fiacre_type *type)
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
        const struct ftype *found = types_resolve(f, decl->type, NULL);
        decl->info = NULL;
        if (!found) {
            decl->reported = true;
            return NULL;
        }
        struct ftype *named = arena_alloc(&f->model->arena, sizeof *named);
        *named = *found;
        named->name = decl->name;
        /* a union is itself and no copy of itself */
        if (found->kind == KIND_UNION && !found->name) {
            ((struct ftype *)found)->name = decl->name;
            named = (struct ftype *)found;
        } else if (found->kind == KIND_UNION) named = (struct ftype *)found;
        decl->info = named;
    }
    return decl->reported ? NULL : decl->info;
}

const struct ftype *types_resolve(struct fiacre *f, struct fiacre_type *type, struct env *env)
{
    if (type->info) return type->info;
    const struct ftype *found = NULL;
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
