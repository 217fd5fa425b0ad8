/* `forall i in a..b: f` is f for a & f for a + 1 & ... & f for b; `exists` has | and `sum` has +
 * instead. Bounds are constants, or the name of a process, which means all its indices. The body is
 * copied for each number, with the number in the place of the name; what is inside of it is written
 * out then, so that inner bounds may depend on outer names. The copies are combined as a balanced
 * tree: all three operators are associative, sums modulo a power of two, too. */
#include "lang/milestones/each.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_COPIES = 1 << 20 }; /* nodes, of a whole file */

static struct ast *copy_node(struct scope *scope, const struct ast *node)
{
    struct ast *copy = arena_alloc(&scope->model->arena, sizeof *copy);
    *copy = *node;
    if (!copy->origin) copy->origin = (struct ast *)node;
    scope->copies++;
    return copy;
}

/* The tree with a number in the place of the name. */
static struct ast *substitute(struct scope *scope, struct ast *node, const char *name,
                              int64_t number)
{
    if (!node || scope->copies > MOST_COPIES) return node;
    struct ast *copy = copy_node(scope, node);
    if (copy->kind == AST_NAME && !strcmp(copy->name, name)) {
        copy->kind = AST_NUMBER;
        copy->number = (uint64_t)number;
        return copy;
    }
    copy->a = substitute(scope, node->a, name, number);
    copy->b = substitute(scope, node->b, name, number);
    if (copy->kind == AST_EACH && strcmp(copy->name, name)) /* an inner name hides an outer one */
        copy->body = substitute(scope, node->body, name, number);
    return copy;
}

/* The numbers of the range. False after an error. */
static bool find_range(struct scope *scope, struct ast *node, int64_t *low, int64_t *high)
{
    if (!node->b && node->a->kind == AST_NAME) {
        const uint32_t process = map_get(&scope->names, node->a->name, SCOPE_PROCESS);
        if (process == MAP_NONE) {
            scope_error(scope, node->a, DIAG_UNKNOWN,
                        "unknown process '%.60s': write one, or a range such as 0..2",
                        node->a->name);
            return false;
        }
        *low = 0;
        *high = (int64_t)scope->processes[process].count - 1;
        return true;
    }
    if (!node->b) {
        scope_error(scope, node->a, DIAG_SYNTAX, "a range such as 0..2, or a process, is needed");
        return false;
    }
    if (!scope_constant(scope, node->a, low) || !scope_constant(scope, node->b, high)) return false;
    if (*low >= 0 && *high < MOST_COPIES) return true;
    scope_error(scope, node, DIAG_RANGE,
                "indices from %" PRId64 " to %" PRId64
                " are not possible: they begin with 0 and end before %d",
                *low, *high, MOST_COPIES);
    return false;
}

static struct ast *combine(struct scope *scope, const struct ast *node, struct ast **items,
                           int64_t count)
{
    if (count == 1) return items[0];
    struct ast *made = copy_node(scope, node);
    made->kind = AST_EXPR;
    made->has_each = false;
    made->body = NULL;
    made->a = combine(scope, node, items, count / 2);
    made->b = combine(scope, node, items + count / 2, count - count / 2);
    return made;
}

static struct ast *neutral(struct scope *scope, const struct ast *node)
{
    struct ast *made = copy_node(scope, node);
    made->kind = node->op == EXPR_ADD ? AST_NUMBER : AST_BOOL;
    made->number = node->op == EXPR_AND;
    made->has_each = false;
    return made;
}

static struct ast *write_out(struct scope *scope, struct ast *node)
{
    int64_t low, high;
    if (!find_range(scope, node, &low, &high)) return NULL;
    if (high < low) return neutral(scope, node);
    struct ast **items =
        mem_alloc(scope->model->mem, (size_t)(high - low + 1) * sizeof(struct ast *));
    bool good = true;
    for (int64_t i = low; good && i <= high; i++) {
        items[i - low] = each_expand(scope, substitute(scope, node->body, node->name, i));
        good = items[i - low] && scope->copies <= MOST_COPIES;
        if (items[i - low] && !good)
            scope_error(scope, node, DIAG_LIMIT, "written out, this is too large");
    }
    struct ast *made = good ? combine(scope, node, items, high - low + 1) : NULL;
    mem_free(scope->model->mem, items);
    return made;
}

struct ast *each_expand(struct scope *scope, struct ast *node)
{
    if (!node->has_each) return node;
    if (node->kind == AST_EACH) return write_out(scope, node);
    struct ast *copy = copy_node(scope, node);
    copy->has_each = false;
    copy->a = each_expand(scope, node->a);
    copy->b = node->b ? each_expand(scope, node->b) : NULL;
    assert(node->a); /* what has one inside has operands */
    return copy->a && (!node->b || copy->b) ? copy : NULL;
}
