#include "lang/kit/type.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- making them ---- */

static struct type *new_type(struct arena *arena, enum type_kind kind)
{
    struct type *type = arena_alloc(arena, sizeof *type);
    type->kind = kind;
    type->cells = 1;
    return type;
}

struct type *type_new_bool(struct arena *arena) { return new_type(arena, TYPE_BOOL); }

struct type *type_new_int(struct arena *arena, int64_t low, int64_t high, int64_t initial,
                          const char *name)
{
    struct type *type = new_type(arena, TYPE_INT);
    assert(low <= initial && initial <= high); /* 2 */
    type->low = low;
    type->high = high;
    type->initial = initial;
    type->name = name;
    return type;
}

struct type *type_new_sequence(struct arena *arena, enum type_kind kind, const struct type *of,
                               int64_t count)
{
    assert(count >= 1 && (kind == TYPE_ARRAY || kind == TYPE_QUEUE));
    if (count > TYPE_MAX_CELLS || (uint64_t)count * of->cells >= TYPE_MAX_CELLS) return NULL;
    struct type *type = new_type(arena, kind);
    type->of = (struct type *)of;
    type->count = (uint32_t)count;
    type->cells = type->count * of->cells + (kind == TYPE_QUEUE);
    type->depth = of->depth + 1;
    return type;
}

struct type *type_new_composed(struct arena *arena, enum type_kind kind, uint32_t members)
{
    assert(members >= 1 && (kind == TYPE_RECORD || kind == TYPE_UNION));
    struct type *type = new_type(arena, kind);
    type->members = arena_alloc(arena, members * sizeof *type->members);
    type->cells = 0;
    return type;
}

bool type_add_member(struct type *type, const char *name, const struct type *member)
{
    type->members[type->member_count++] =
        (struct type_member){name, (struct type *)member, type->cells};
    if (!member) return true;
    type->cells += member->cells; /* of a union, too, until type_close: its limit is the sum */
    if (member->depth >= type->depth) type->depth = member->depth + 1;
    return type->cells < TYPE_MAX_CELLS;
}

struct type *type_new_enumeration(struct arena *arena, const char *name, const char *const *names,
                                  uint32_t count)
{
    struct type *type = type_new_composed(arena, TYPE_UNION, count);
    type->name = name;
    for (uint32_t i = 0; i < count; i++) {
        char digits[16];
        int length = snprintf(digits, sizeof digits, "%u", i);
        type_add_member(type, names ? names[i] : arena_copy(arena, digits, (size_t)length), NULL);
    }
    type_close(type);
    assert(type->cells == 1); /* 1 */
    return type;
}

void type_close(struct type *type)
{
    uint32_t widest = 0;
    if (type->kind != TYPE_UNION) return;
    for (uint32_t i = 0; i < type->member_count; i++)
        if (type->members[i].type && type->members[i].type->cells > widest)
            widest = type->members[i].type->cells;
    type->cells = 1 + widest;
}

bool type_is_too_deep(const struct type *type) { return type->depth > TYPE_MAX_DEPTH; }

/* ---- questions ---- */

/* A cell that constructors share: wide enough for all of them. */
struct type_range type_shared_cell(const struct type *type, uint32_t cell)
{
    struct type_range range = {0, 0, 0};
    bool known = false;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct type *argument = type->members[i].type;
        if (!argument || argument->cells <= cell) continue;
        struct type_range part = type_cell(argument, cell);
        if (!known || part.low < range.low) range.low = part.low;
        if (!known || part.high > range.high) range.high = part.high;
        known = true;
    }
    range.initial = range.low > 0 ? range.low : range.high < 0 ? range.high : 0;
    return range;
}

struct type_range type_cell(const struct type *type, uint32_t cell)
{
    assert(cell < type->cells);
    switch (type->kind) {
    case TYPE_BOOL: return (struct type_range){0, 1, 0};
    case TYPE_INT: return (struct type_range){type->low, type->high, type->initial};
    case TYPE_ARRAY: return type_cell(type->of, cell % type->of->cells);
    case TYPE_QUEUE:
        if (!cell) return (struct type_range){0, type->count, 0};
        return type_cell(type->of, (cell - 1) % type->of->cells);
    case TYPE_UNION: {
        if (!cell) return (struct type_range){0, type->member_count - 1, 0};
        struct type_range range = type_shared_cell(type, cell - 1);
        const struct type *first = type->members[0].type;
        if (first && first->cells >= cell) range.initial = type_cell(first, cell - 1).initial;
        return range;
    }
    case TYPE_RECORD: {
        uint32_t m = type->member_count - 1;
        while (type->members[m].offset > cell) m--;
        return type_cell(type->members[m].type, cell - type->members[m].offset);
    }
    }
    return (struct type_range){0, 0, 0};
}

bool type_is_scalar(const struct type *type)
{
    return type->kind == TYPE_BOOL || type->kind == TYPE_INT
           || (type->kind == TYPE_UNION && type->cells == 1);
}

static bool compare(const struct type *a, const struct type *b, bool ranges)
{
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    if (a->kind == TYPE_INT) return !ranges || (a->low == b->low && a->high == b->high);
    if (a->kind == TYPE_BOOL) return true;
    if (a->kind == TYPE_UNION) return false;
    if (a->kind != TYPE_RECORD) return a->count == b->count && compare(a->of, b->of, ranges);
    if (a->member_count != b->member_count) return false;
    for (uint32_t i = 0; i < a->member_count; i++)
        if (a->members[i].name != b->members[i].name
            || !compare(a->members[i].type, b->members[i].type, ranges))
            return false;
    return true;
}

bool type_matches(const struct type *a, const struct type *b) { return compare(a, b, false); }

bool type_same(const struct type *a, const struct type *b) { return compare(a, b, true); }

uint64_t type_values(const struct type *type, uint64_t most)
{
    if (!type_is_scalar(type)) return 0;
    struct type_range range = type_cell(type, 0);
    uint64_t values = (uint64_t)range.high - (uint64_t)range.low;
    return values >= most ? 0 : values + 1;
}

uint64_t type_take_choice(const struct type *type, uint64_t most, uint64_t *choice)
{
    const uint64_t values = type_count(type, most);
    assert(values);
    const uint64_t number = *choice % values;
    *choice /= values;
    return number;
}

uint64_t type_count(const struct type *type, uint64_t most)
{
    if (type_is_scalar(type)) return type_values(type, most);
    uint64_t parts =
        type->kind == TYPE_ARRAY || type->kind == TYPE_QUEUE ? type->count : type->member_count;
    uint64_t of = type->of ? type_count(type->of, most) : 0, total = 1;
    if (type->of && !of) return 0;
    if (type->kind == TYPE_UNION) total = 0;
    for (uint64_t i = 0, power = 1; i < parts; i++) {
        const struct type *argument = type->of ? NULL : type->members[i].type;
        uint64_t part = type->of ? of : argument ? type_count(argument, most) : 1;
        if (!part || part > most || power > most / part || total > most / part) return 0;
        power *= part;
        if (type->kind == TYPE_UNION) total += part;
        else if (type->kind == TYPE_QUEUE) total += power; /* the queues of i + 1 elements */
        else total *= part;
        if (total > most) return 0;
    }
    return total;
}

static void set_initial(const struct type *type, int64_t *cells)
{
    for (uint32_t i = 0; i < type->cells; i++) cells[i] = type_cell(type, i).initial;
}

/* Elements one after the other, the first changes fastest. */
static void nth_elements(const struct type *of, uint32_t count, uint64_t n, int64_t *cells)
{
    uint64_t each = type_count(of, UINT32_MAX);
    for (uint32_t i = 0; i < count; i++, n /= each)
        type_nth(of, n % each, cells + (size_t)i * of->cells);
}

void type_nth(const struct type *type, uint64_t n, int64_t *cells)
{
    if (type_is_scalar(type)) cells[0] = type_cell(type, 0).low + (int64_t)n;
    else if (type->kind == TYPE_ARRAY) nth_elements(type->of, type->count, n, cells);
    else if (type->kind == TYPE_RECORD) {
        for (uint32_t i = 0; i < type->member_count; i++) {
            uint64_t each = type_count(type->members[i].type, UINT32_MAX);
            type_nth(type->members[i].type, n % each, cells + type->members[i].offset);
            n /= each;
        }
    } else if (type->kind == TYPE_QUEUE) {
        uint64_t each = type_count(type->of, UINT32_MAX), power = 1;
        uint32_t length = 0;
        for (; n >= power; length++) n -= power, power *= each;
        set_initial(type, cells);
        cells[0] = length;
        nth_elements(type->of, length, n, cells + 1);
    } else {
        uint32_t tag = 0;
        for (;; tag++) {
            uint64_t each =
                type->members[tag].type ? type_count(type->members[tag].type, UINT32_MAX) : 1;
            if (n < each) break;
            n -= each;
        }
        for (uint32_t i = 0; i + 1 < type->cells; i++)
            cells[i + 1] = type_shared_cell(type, i).initial;
        cells[0] = tag;
        if (type->members[tag].type) type_nth(type->members[tag].type, n, cells + 1);
    }
}

void type_show(struct text *text, const struct type *type)
{
    if (type->name) text_add(text, "%.60s", type->name);
    else if (type->kind == TYPE_BOOL) text_add(text, "bool");
    else if (type->kind == TYPE_INT && type->low == INT64_MIN) text_add(text, "a number");
    else if (type->kind == TYPE_INT) text_add(text, "%" PRId64 "..%" PRId64, type->low, type->high);
    else if (type->kind == TYPE_ARRAY || type->kind == TYPE_QUEUE) {
        text_add(text, "%s %u of ", type->kind == TYPE_ARRAY ? "array" : "queue", type->count);
        type_show(text, type->of);
    } else text_add(text, type->kind == TYPE_UNION ? "a union" : "a record");
}

/* ---- shapes ---- */

static void describe_members(struct arena *arena, const struct type *type, struct shape *shape)
{
    struct shape_member *members = arena_alloc(arena, type->member_count * sizeof *members);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct type *of = type->members[i].type;
        members[i] = (struct shape_member){type->members[i].name, of ? type_shape(arena, of) : NULL,
                                           type->members[i].offset};
    }
    shape->members = members;
    shape->member_count = type->member_count;
    if (type->kind != TYPE_UNION) return;
    int64_t *initials = arena_alloc(arena, type->cells * sizeof *initials),
            *padding = arena_alloc(arena, type->cells * sizeof *padding);
    for (uint32_t i = 0; i < type->cells; i++) initials[i] = type_cell(type, i).initial;
    for (uint32_t i = 0; i + 1 < type->cells; i++) padding[i] = type_shared_cell(type, i).initial;
    shape->initials = initials;
    shape->padding = padding;
}

const struct shape *type_shape(struct arena *arena, const struct type *type)
{
    static const enum shape_kind kinds[] = {
        [TYPE_BOOL] = SHAPE_BOOL,   [TYPE_INT] = SHAPE_INT,     [TYPE_ARRAY] = SHAPE_ARRAY,
        [TYPE_QUEUE] = SHAPE_QUEUE, [TYPE_UNION] = SHAPE_UNION, [TYPE_RECORD] = SHAPE_RECORD};
    if (type->shape) return type->shape;
    struct shape *shape = arena_alloc(arena, sizeof *shape);
    *shape = (struct shape){.kind = kinds[type->kind],
                            .cells = type->cells,
                            .low = type->low,
                            .high = type->high,
                            .initial = type->initial,
                            .count = type->count};
    if (type->kind == TYPE_BOOL) shape->high = 1;
    if (type->of) shape->of = type_shape(arena, type->of);
    if (type->members) describe_members(arena, type, shape);
    ((struct type *)type)->shape = shape;
    return shape;
}
