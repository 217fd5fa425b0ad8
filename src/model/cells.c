/* The values of an expression are listed, operand by operand, as long as there are few: every
 * operator is applied to every pair of values of its operands. That ignores that operands may
 * depend on each other, so the list may be too long, never too short. An expression with too many
 * values may be anything within its bounds. */
#include "model/cells.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 4096, MAX_PAIRS = 1 << 16, MAX_NODES = 1 << 12 };

struct lister {
    const struct model *model;
    uint32_t nodes; /* that were looked at: shared ones count every time, and could be too many */
};

struct values {
    VEC(int64_t) list; /* ascending, without repetitions */
};

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool tidy(struct values *values)
{
    uint32_t kept = 0;
    if (values->list.len)
        qsort(values->list.data, values->list.len, sizeof *values->list.data, by_value);
    for (uint32_t i = 0; i < values->list.len; i++)
        if (!i || values->list.data[i] != values->list.data[i - 1])
            values->list.data[kept++] = values->list.data[i];
    values->list.len = kept;
    return kept <= MAX_VALUES;
}

static bool add_range(struct mem *mem, int64_t low, int64_t high, struct values *values)
{
    if ((uint64_t)high - (uint64_t)low >= MAX_VALUES) return false;
    for (int64_t value = low;; value++) {
        vec_push(mem, &values->list, value);
        if (value == high) return true;
    }
}

static bool list_values(struct lister *lister, expr e, struct values *values);

static bool list_choice(struct lister *lister, const struct expr_node *node, struct values *values)
{
    return list_values(lister, node->b, values) && list_values(lister, node->c, values)
           && tidy(values);
}

static bool list_within(struct lister *lister, const struct expr_node *node, struct values *values)
{
    const struct model *model = lister->model;
    int64_t low = expr_get(&model->exprs, node->b)->value,
            high = expr_get(&model->exprs, node->c)->value;
    uint32_t kept = 0;
    struct values inner = {{0}};
    if (list_values(lister, node->a, &inner)) {
        for (uint32_t i = 0; i < inner.list.len; i++)
            if (inner.list.data[i] >= low && inner.list.data[i] <= high)
                inner.list.data[kept++] = inner.list.data[i];
        for (uint32_t i = 0; i < kept; i++) vec_push(model->mem, &values->list, inner.list.data[i]);
        vec_free(model->mem, &inner.list);
        return true;
    }
    vec_free(model->mem, &inner.list);
    return add_range(model->mem, node->low, node->high, values);
}

static bool list_operator(struct lister *lister, const struct expr_node *node,
                          struct values *values)
{
    const struct model *model = lister->model;
    struct values a = {{0}}, b = {{0}};
    bool two = expr_table[node->op].arity == 2;
    bool good = list_values(lister, node->a, &a) && (!two || list_values(lister, node->b, &b));
    if (good && !two) vec_push(model->mem, &b.list, 0);
    good = good && (uint64_t)a.list.len * b.list.len <= MAX_PAIRS;
    for (uint32_t i = 0; good && i < a.list.len; i++)
        for (uint32_t k = 0; k < b.list.len; k++) {
            int64_t value;
            if (expr_apply(node->op, node->bits, a.list.data[i], b.list.data[k], &value))
                vec_push(model->mem, &values->list, value);
        }
    vec_free(model->mem, &a.list);
    vec_free(model->mem, &b.list);
    return good ? tidy(values) : add_range(model->mem, node->low, node->high, values);
}

/* Adds the values of e, a number; false when they are too many. */
static bool list_values(struct lister *lister, expr e, struct values *values)
{
    const struct model *model = lister->model;
    const struct expr_node *node = expr_get(&model->exprs, e);
    if (++lister->nodes > MAX_NODES) return false;
    if (node->is_bool) return add_range(model->mem, 0, 1, values);
    switch ((enum expr_op)node->op) {
    case EXPR_CONST: return add_range(model->mem, node->value, node->value, values);
    case EXPR_VAR:
        return add_range(model->mem, model->vars.data[node->value].low,
                         model->vars.data[node->value].high, values);
    case EXPR_LOCAL:
        return add_range(model->mem, model->locals.data[node->value].low,
                         model->locals.data[node->value].high, values);
    case EXPR_FAIL: return true;
    case EXPR_CHOOSE: return list_choice(lister, node, values);
    case EXPR_WITHIN: return list_within(lister, node, values);
    case EXPR_AT:
    case EXPR_TABLE:
    case EXPR_LOCAL_AT: return add_range(model->mem, node->low, node->high, values);
    default: return list_operator(lister, node, values);
    }
}

void cells_possible(const struct model *model, expr offset, uint32_t count, bool *possible)
{
    struct lister lister = {.model = model};
    struct values values = {{0}};
    const struct expr_node *node = expr_get(&model->exprs, offset);
    if (list_values(&lister, offset, &values)) {
        memset(possible, 0, count * sizeof *possible);
        for (uint32_t i = 0; i < values.list.len; i++)
            if (values.list.data[i] >= 0 && values.list.data[i] < count)
                possible[values.list.data[i]] = true;
    } else {
        for (uint32_t i = 0; i < count; i++) possible[i] = i >= node->low && i <= node->high;
    }
    vec_free(model->mem, &values.list);
}

void cells_range(const struct model *model, bool local, uint32_t base, uint32_t count, expr offset,
                 int64_t *low, int64_t *high)
{
    bool *possible = mem_alloc(model->mem, (count + UINT64_C(1)) * sizeof *possible), any = false;
    cells_possible(model, offset, count, possible);
    for (uint32_t i = 0; i < count; i++) any |= possible[i];
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        if (any && !possible[i]) continue;
        int64_t first = local ? model->locals.data[base + i].low : model->vars.data[base + i].low;
        int64_t last = local ? model->locals.data[base + i].high : model->vars.data[base + i].high;
        if (first < *low) *low = first;
        if (last > *high) *high = last;
    }
    mem_free(model->mem, possible);
}
