#include "result/member.h"

#include "result/result.h"

#include <assert.h>
#include <string.h>

const void *member_target(const struct member *row, const void *owner)
{
    assert(row->table); /* of what has none nobody asks */
    if (row->kind == MEMBER_INSIDE) return member_place(row, owner);
    return *(const void *const *)member_place(row, owner);
}

uint64_t member_length(const struct member *row, const void *owner,
                       const struct member_shape *shape)
{
    const void *at = (const char *)owner + row->length_at;
    assert(row->kind == MEMBER_LIST);
    switch (row->length) {
    case LENGTH_NUMBER: return *(const uint32_t *)at;
    case LENGTH_COUNT: return *(const uint64_t *)at;
    case LENGTH_STATES: return *(const uint32_t *)at + UINT64_C(1);
    case LENGTH_VARIABLES: return shape->variables;
    case LENGTH_RULES: return shape->rules;
    case LENGTH_PROCESSES: return shape->processes;
    case LENGTH_REACHED: return shape->reached;
    case LENGTH_QUANTILES: return CLUSTER_PARTS + 1;
    }
    return 0;
}

const struct member *member_find(const struct members *table, const char *name, size_t length)
{
    for (unsigned i = 0; i < table->count; i++)
        if (!strncmp(table->rows[i].name, name, length) && !table->rows[i].name[length])
            return &table->rows[i];
    return NULL;
}

static void get_choice(const struct member *row, const void *at, struct member_value *value)
{
    unsigned choice = *(const unsigned *)at;
    assert(choice < row->choices);
    value->kind = MEMBER_TEXT;
    value->count = choice;
    value->is_known = choice || !row->none_is_null;
    value->text = row->words ? row->words[choice] : NULL;
}

void member_get(const struct member *row, const struct member_view *view, const void *owner,
                struct member_value *value)
{
    const void *at = member_place(row, owner);
    value->kind = row->kind;
    value->text = NULL;
    value->count = 0;
    value->is_known = true;
    switch (row->kind) {
    case MEMBER_COUNT:
        value->count = *(const uint64_t *)at;
        if (row->has_digits)
            value->text = *(const char *const *)((const char *)owner + row->digits_at);
        break;
    case MEMBER_NUMBER: value->count = *(const uint32_t *)at; break;
    case MEMBER_BYTE: value->count = *(const uint8_t *)at; break;
    case MEMBER_TRUTH: value->count = *(const bool *)at; break;
    case MEMBER_INTEGER: value->integer = *(const int64_t *)at; break;
    case MEMBER_REAL: value->real = *(const double *)at; break;
    case MEMBER_REASON:
    case MEMBER_TEXT:
        value->kind = MEMBER_TEXT;
        value->text = *(const char *const *)at;
        value->count = value->text != NULL;
        break;
    case MEMBER_CHOICE: get_choice(row, at, value); break;
    case MEMBER_MADE: row->make(view, owner, value); break;
    case MEMBER_LIST:
    case MEMBER_ONE:
    case MEMBER_INSIDE:
    case MEMBER_ROOM:
    case MEMBER_ABSENT:
    case MEMBER_SPECIAL: /* only whether it is there */
        value->kind = MEMBER_TRUTH;
        value->count =
            row->kind == MEMBER_SPECIAL || row->kind == MEMBER_INSIDE || *(const void *const *)at;
        break;
    }
    if (row->kind == MEMBER_NUMBER && row->none_is_null && value->count == MODEL_NONE)
        value->is_known = false;
    if (row->known && !row->known(view, owner)) value->is_known = false;
}

bool member_look(const struct members *table, const struct member_view *view, const void *owner,
                 const char *path, size_t length, struct member_value *value)
{
    const char *dot = memchr(path, '.', length);
    const size_t first = dot ? (size_t)(dot - path) : length;
    const struct member *row = member_find(table, path, first);
    assert(row); /* invariant 4 */
    if (!dot) return member_get(row, view, owner, value), true;
    const void *part = member_target(row, owner);
    return part && member_look(row->table, view, part, dot + 1, length - first - 1, value);
}

bool member_is_set(const struct members *table, const struct member_view *view, const void *owner,
                   const char *path, size_t length)
{
    struct member_value value;
    if (!member_look(table, view, owner, path, length, &value) || !value.is_known) return false;
    if (value.kind == MEMBER_REAL) return value.real != 0;
    if (value.kind == MEMBER_INTEGER) return value.integer != 0;
    return value.count || (value.kind == MEMBER_COUNT && value.text);
}
