/* Values, variables and predicates: what they are in cells of the model.
 *
 * A comparison of values with several cells compares all of them. An element of a queue that is not
 * there is equal to nothing: a comparison that speaks of one is false. */
#include "lang/cdl/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- values ---- */

static const char *shape_text(const struct shape *shape)
{
    static const char *const texts[] = {"a number", "a Boolean",     "an array",
                                        "a queue",  "a constructor", "a record"};
    return texts[shape->kind];
}

static bool wrong_kind(struct cdl *cdl, const struct cdl_value *value, const struct shape *shape)
{
    diag_error(cdl->diag, DIAG_TYPE, value->place, "%s is expected here", shape_text(shape));
    return false;
}

static bool number_cell(struct cdl *cdl, const struct cdl_value *value, const struct shape *shape,
                        int64_t *cell)
{
    const char *name = value->name;
    if (value->values) return wrong_kind(cdl, value, shape);
    if (value->kind == CDL_NUMBER) *cell = value->number;
    else if (value->kind == CDL_NAME && shape->kind == SHAPE_BOOL
             && (!strcmp(name, "true") || !strcmp(name, "false")))
        *cell = name[0] == 't';
    else if (value->kind != CDL_NAME || !strcmp(name, "true") || !strcmp(name, "false"))
        return wrong_kind(cdl, value, shape);
    else if (!cdl_constant(cdl, name, cell)) {
        diag_error(cdl->diag, DIAG_TYPE, value->place,
                   "%s is expected here, and there is no constant '%.60s'", shape_text(shape),
                   name);
        return false;
    }
    if (*cell >= shape->low && *cell <= shape->high) return true;
    diag_error(cdl->diag, DIAG_RANGE, value->place, "%" PRId64 " is outside %" PRId64 "..%" PRId64,
               *cell, shape->low, shape->high);
    return false;
}

static const struct shape_member *find_member(const struct shape *shape, const char *name,
                                              const char **nearest)
{
    unsigned distance = 0;
    *nearest = NULL;
    for (uint32_t i = 0; i < shape->member_count; i++) {
        if (!strcmp(shape->members[i].name, name)) return &shape->members[i];
        text_nearest(name, shape->members[i].name, nearest, &distance);
    }
    return NULL;
}

static bool constructor_cells(struct cdl *cdl, const struct cdl_value *value,
                              const struct shape *shape, int64_t *cells, bool *any)
{
    const char *nearest;
    if (value->kind != CDL_NAME) return wrong_kind(cdl, value, shape);
    const struct shape_member *member = find_member(shape, value->name, &nearest);
    if (!member) {
        diag_error_near(cdl->diag, DIAG_UNKNOWN, value->place, nearest,
                        "there is no '%.60s' among the values that are possible here", value->name);
        return false;
    }
    cells[0] = member - shape->members;
    for (uint32_t i = 1; i < shape->cells; i++) cells[i] = shape->padding[i - 1];
    if (!value->values && any && (member->shape || shape->has_secrets)) {
        memset(any + 1, true, shape->cells - 1);
        return true;
    }
    if (shape->has_secrets) {
        diag_error(
            cdl->diag, DIAG_MISSING, value->place,
            "this model does not say what '%.60s' carries: take the model in its own language",
            value->name);
        return false;
    }
    if (!value->values != !member->shape) {
        diag_error(cdl->diag, DIAG_ARGUMENTS, value->place,
                   member->shape ? "'%.60s' needs an argument" : "'%.60s' has no argument",
                   value->name);
        return false;
    }
    if (!member->shape) return true;
    if (value->values->next) {
        diag_error(cdl->diag, DIAG_ARGUMENTS, value->values->next->place,
                   "'%.60s' has one argument", value->name);
        return false;
    }
    return cdl_cells(cdl, value->values, member->shape, cells + 1, any ? any + 1 : NULL);
}

static bool array_cells(struct cdl *cdl, const struct cdl_value *value, const struct shape *shape,
                        int64_t *cells, bool *any)
{
    uint32_t count = 0, each = shape->of->cells;
    if (value->kind != CDL_ARRAY) return wrong_kind(cdl, value, shape);
    for (const struct cdl_value *v = value->values; v; v = v->next, count++)
        if (count < shape->count
            && !cdl_cells(cdl, v, shape->of, cells + (size_t)count * each,
                          any ? any + (size_t)count * each : NULL))
            return false;
    if (count == shape->count) return true;
    diag_error(cdl->diag, DIAG_TYPE, value->place,
               "an array of %u elements is expected here: this one has %u", shape->count, count);
    return false;
}

static bool record_cells(struct cdl *cdl, const struct cdl_value *value, const struct shape *shape,
                         int64_t *cells, bool *any)
{
    if (value->kind != CDL_RECORD) return wrong_kind(cdl, value, shape);
    for (const struct cdl_value *v = value->values; v; v = v->next) {
        const char *nearest;
        const struct shape_member *member = find_member(shape, v->name, &nearest);
        if (!member) {
            diag_error_near(cdl->diag, DIAG_UNKNOWN, v->place, nearest,
                            "the record has no field '%.60s'", v->name);
            return false;
        }
        for (const struct cdl_value *other = value->values; other != v; other = other->next)
            if (!strcmp(other->name, v->name)) {
                diag_error(cdl->diag, DIAG_DUPLICATE, v->place,
                           "the field '%.60s' has a value already", v->name);
                return false;
            }
        if (!cdl_cells(cdl, v->values, member->shape, cells + member->offset,
                       any ? any + member->offset : NULL))
            return false;
    }
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const struct cdl_value *v = value->values;
        while (v && strcmp(v->name, shape->members[i].name)) v = v->next;
        if (v) continue;
        diag_error(cdl->diag, DIAG_MISSING, value->place, "the field '%.60s' has no value",
                   shape->members[i].name);
        return false;
    }
    return true;
}

bool cdl_cells(struct cdl *cdl, const struct cdl_value *value, const struct shape *shape,
               int64_t *cells, bool *any)
{
    if (value->kind == CDL_VARIABLE) {
        diag_error(cdl->diag, DIAG_TYPE, value->place, "a value is expected here, not a variable");
        return false;
    }
    switch (shape->kind) {
    case SHAPE_INT:
    case SHAPE_BOOL: return number_cell(cdl, value, shape, cells);
    case SHAPE_UNION: return constructor_cells(cdl, value, shape, cells, any);
    case SHAPE_ARRAY: return array_cells(cdl, value, shape, cells, any);
    case SHAPE_RECORD: return record_cells(cdl, value, shape, cells, any);
    case SHAPE_QUEUE: break;
    }
    diag_error(cdl->diag, DIAG_TYPE, value->place,
               "queues cannot be compared or sent: compare their elements or their length");
    return false;
}

/* ---- variables ---- */

struct found {
    uint32_t var;
    const struct shape *shape;
    expr exists; /* elements of queues on the way are there */
};

static expr both(struct cdl *cdl, expr a, expr b)
{
    return expr_make(&cdl->model->exprs, EXPR_AND, 0, a, b);
}

static expr compare(struct cdl *cdl, enum expr_op op, expr a, expr b)
{
    return expr_make(&cdl->model->exprs, op, 0, a, b);
}

static bool take_index(struct cdl *cdl, const struct cdl_step *step, struct found *found)
{
    const struct shape *shape = found->shape;
    struct exprs *exprs = &cdl->model->exprs;
    int64_t index;
    if (shape->kind != SHAPE_ARRAY && shape->kind != SHAPE_QUEUE) {
        diag_error(cdl->diag, DIAG_TYPE, step->place, "this is no array: %s has no elements",
                   shape_text(shape));
        return false;
    }
    if (!cdl_number(cdl, &step->index, &index)) return false;
    if (index < 0 || index >= (int64_t)shape->count) {
        diag_error(cdl->diag, DIAG_RANGE, step->place, "the index %" PRId64 " is outside 0..%u",
                   index, shape->count - 1);
        return false;
    }
    if (shape->kind == SHAPE_QUEUE)
        found->exists = both(
            cdl, found->exists,
            compare(cdl, EXPR_GT, model_var_expr(cdl->model, found->var), expr_int(exprs, index)));
    found->var += (uint32_t)index * shape->of->cells + (shape->kind == SHAPE_QUEUE);
    assert(found->var + shape->of->cells <= cdl->model->vars.len);
    found->shape = shape->of;
    return true;
}

static bool take_field(struct cdl *cdl, const struct cdl_step *step, struct found *found)
{
    const struct shape *shape = found->shape;
    const char *nearest;
    if (shape->kind == SHAPE_QUEUE && !strcmp(step->field, "length")) {
        struct shape *number = arena_alloc(&cdl->arena, sizeof *number);
        *number = (struct shape){.kind = SHAPE_INT, .cells = 1, .high = shape->count};
        found->shape = number;
        return true;
    }
    if (shape->kind != SHAPE_RECORD) {
        diag_error(cdl->diag, DIAG_TYPE, step->place,
                   shape->kind == SHAPE_QUEUE ? "a queue has 'length' and elements, not '%.60s'"
                                              : "'.%.60s': this is no record",
                   step->field);
        return false;
    }
    const struct shape_member *member = find_member(shape, step->field, &nearest);
    if (!member) {
        diag_error_near(cdl->diag, DIAG_UNKNOWN, step->place, nearest,
                        "the record has no field '%.60s'", step->field);
        return false;
    }
    found->var += member->offset;
    found->shape = member->shape;
    return true;
}

static bool find_variable(struct cdl *cdl, const struct cdl_value *value, struct found *found)
{
    struct cdl_found_unit unit;
    if (!cdl_find_unit(cdl, &value->unit, &unit)) return false;
    const struct model_name *name =
        cdl_need_variable(cdl, &value->unit, unit.first, value->name, value->name_place);
    if (!name) return false;
    *found = (struct found){name->var, name->shape, expr_bool(&cdl->model->exprs, true)};
    for (const struct cdl_step *step = value->steps; step; step = step->next)
        if (!(step->field ? take_field : take_index)(cdl, step, found)) return false;
    return true;
}

/* ---- comparisons ---- */

static bool same_shape(const struct shape *a, const struct shape *b)
{
    if (a->kind != b->kind || a->cells != b->cells || a->member_count != b->member_count
        || a->kind == SHAPE_QUEUE)
        return false;
    if (a->kind == SHAPE_ARRAY) return same_shape(a->of, b->of);
    for (uint32_t i = 0; i < a->member_count; i++) {
        const struct shape *x = a->members[i].shape, *y = b->members[i].shape;
        if (strcmp(a->members[i].name, b->members[i].name) || !x != !y || (x && !same_shape(x, y)))
            return false;
    }
    return true;
}

static bool is_order(enum expr_op op) { return op != EXPR_EQ && op != EXPR_NE; }

/* All cells are equal, or not, as asked. */
static expr agree(struct cdl *cdl, enum expr_op op, expr all)
{
    return op == EXPR_NE ? compare(cdl, EXPR_NOT, all, all) : all;
}

static bool compare_variables(struct cdl *cdl, const struct cdl_exp *exp, const struct found *a,
                              const struct found *b, expr *condition)
{
    struct exprs *exprs = &cdl->model->exprs;
    if (!same_shape(a->shape, b->shape)) {
        diag_error(cdl->diag, DIAG_TYPE, exp->name_place, "%s and %s cannot be compared",
                   shape_text(a->shape),
                   a->shape->kind == b->shape->kind ? "this other one" : shape_text(b->shape));
        return false;
    }
    expr all = expr_bool(exprs, true);
    for (uint32_t i = 0; i < a->shape->cells; i++) {
        enum expr_op op = is_order(exp->op) ? exp->op : EXPR_EQ;
        all = both(cdl, all,
                   compare(cdl, op, model_var_expr(cdl->model, a->var + i),
                           model_var_expr(cdl->model, b->var + i)));
    }
    *condition = both(cdl, both(cdl, a->exists, b->exists), agree(cdl, exp->op, all));
    return true;
}

/* The name of a location, where a location variable is compared. */
static bool is_location_name(struct cdl *cdl, const struct found *found,
                             const struct cdl_value *value, int64_t *number)
{
    const struct model *model = cdl->model;
    if (!model_is_location(model, found->var) || value->kind != CDL_NAME || value->values)
        return false;
    const struct model_process *process =
        &model->processes.data[model->vars.data[found->var].process];
    for (uint32_t i = 0; i < process->locations; i++) {
        const struct model_location *location = &model->locations.data[process->first_location + i];
        if (location->name && !strcmp(location->name, value->name))
            return *number = location->value, true;
    }
    return false;
}

static enum expr_op turned(enum expr_op op)
{
    switch (op) {
    case EXPR_LT: return EXPR_GT;
    case EXPR_LE: return EXPR_GE;
    case EXPR_GT: return EXPR_LT;
    case EXPR_GE: return EXPR_LE;
    default: return op;
    }
}

/* Numbers may lie outside the range of what they are compared with: `x < 10` for x in 0..9. */
static bool compare_number(struct cdl *cdl, const struct found *found, enum expr_op op,
                           const struct cdl_value *value, expr *condition)
{
    const struct shape *shape = found->shape;
    int64_t number;
    bool is_location = is_location_name(cdl, found, value, &number);
    if (!is_location && shape->kind == SHAPE_INT) {
        struct shape wide = *shape;
        wide.low = INT64_MIN;
        wide.high = INT64_MAX;
        if (!number_cell(cdl, value, &wide, &number)) return false;
    } else if (!is_location && !number_cell(cdl, value, shape, &number)) return false;
    if (!is_order(op) && (number < shape->low || number > shape->high))
        diag_warning(cdl->diag, DIAG_NEVER, value->place,
                     "the variable never has this value: it lies in %" PRId64 "..%" PRId64,
                     shape->low, shape->high);
    *condition = both(cdl, found->exists,
                      compare(cdl, op, model_var_expr(cdl->model, found->var),
                              expr_int(&cdl->model->exprs, number)));
    return true;
}

static bool compare_value(struct cdl *cdl, const struct cdl_exp *exp, const struct found *found,
                          enum expr_op op, const struct cdl_value *value, expr *condition)
{
    const struct shape *shape = found->shape;
    struct exprs *exprs = &cdl->model->exprs;
    if (is_order(op) && shape->kind != SHAPE_INT) {
        diag_error(cdl->diag, DIAG_TYPE, exp->name_place,
                   "only numbers have an order: %s can be compared with = and <>",
                   shape_text(shape));
        return false;
    }
    if (shape->kind == SHAPE_INT || shape->kind == SHAPE_BOOL)
        return compare_number(cdl, found, op, value, condition);
    int64_t *cells = mem_alloc(cdl->mem, shape->cells * sizeof *cells);
    bool *any = mem_alloc(cdl->mem, shape->cells * sizeof *any),
         good = cdl_cells(cdl, value, shape, cells, any);
    expr all = expr_bool(exprs, true);
    for (uint32_t i = 0; good && i < shape->cells; i++)
        if (!any[i])
            all = both(cdl, all,
                       compare(cdl, EXPR_EQ, model_var_expr(cdl->model, found->var + i),
                               expr_int(exprs, cells[i])));
    mem_free(cdl->mem, cells);
    mem_free(cdl->mem, any);
    *condition = both(cdl, found->exists, agree(cdl, op, all));
    return good;
}

static bool compare_sides(struct cdl *cdl, const struct cdl_exp *exp, expr *condition)
{
    struct found a, b;
    bool left = exp->left->kind == CDL_VARIABLE, right = exp->right->kind == CDL_VARIABLE;
    if (!left && !right) {
        diag_error(cdl->diag, DIAG_TYPE, exp->place,
                   "a comparison of two values: one side must be a variable, such as {P}1:x");
        return false;
    }
    if ((left && !find_variable(cdl, exp->left, &a))
        || (right && !find_variable(cdl, exp->right, &b)))
        return false;
    if (!right) return compare_value(cdl, exp, &a, exp->op, exp->right, condition);
    if (!left) return compare_value(cdl, exp, &b, turned(exp->op), exp->left, condition);
    if (is_order(exp->op) && (a.shape->kind != SHAPE_INT || b.shape->kind != SHAPE_INT)) {
        diag_error(cdl->diag, DIAG_TYPE, exp->name_place,
                   "only numbers have an order: %s can be compared with = and <>",
                   shape_text(a.shape->kind != SHAPE_INT ? a.shape : b.shape));
        return false;
    }
    return compare_variables(cdl, exp, &a, &b, condition);
}

/* ---- predicates ---- */

static bool is_at(struct cdl *cdl, const struct cdl_exp *exp, expr *condition)
{
    struct cdl_found_unit unit;
    const struct model *model = cdl->model;
    const char *nearest = NULL;
    unsigned distance = 0;
    if (!cdl_find_unit(cdl, &exp->unit, &unit)) return false;
    const struct model_process *process =
        unit.process == MODEL_NONE ? NULL : &model->processes.data[unit.process];
    if (!process || process->location == MODEL_NONE) {
        diag_error(cdl->diag, DIAG_UNKNOWN, exp->place, "%s has no states",
                   cdl_unit_text(cdl, &exp->unit));
        return false;
    }
    for (uint32_t i = 0; i < process->locations; i++) {
        const struct model_location *location = &model->locations.data[process->first_location + i];
        if (!location->name) continue;
        text_nearest(exp->name, location->name, &nearest, &distance);
        if (strcmp(location->name, exp->name)) continue;
        *condition = compare(cdl, EXPR_EQ, model_var_expr(cdl->model, process->location),
                             expr_int(&cdl->model->exprs, location->value));
        return true;
    }
    diag_error_near(cdl->diag, DIAG_UNKNOWN, exp->name_place, nearest,
                    "'%.60s' has no state '%.60s'", exp->unit.name, exp->name);
    return false;
}

/* A Boolean variable, or a question about a queue. */
static bool is_test(struct cdl *cdl, const struct cdl_exp *exp, expr *condition)
{
    struct found found;
    struct exprs *exprs = &cdl->model->exprs;
    if (exp->left->kind != CDL_VARIABLE)
        return wrong_kind(cdl, exp->left, &(struct shape){.kind = SHAPE_QUEUE});
    if (!find_variable(cdl, exp->left, &found)) return false;
    enum shape_kind wanted = exp->kind == CDL_TEST ? SHAPE_BOOL : SHAPE_QUEUE;
    if (found.shape->kind != wanted) {
        diag_error(cdl->diag, DIAG_TYPE, exp->left->place,
                   wanted == SHAPE_BOOL ? "this is %s: a comparison is expected"
                                        : "this is %s, not a queue",
                   shape_text(found.shape));
        return false;
    }
    int64_t value = exp->kind == CDL_EMPTY ? 0 : exp->kind == CDL_FULL ? found.shape->count : 1;
    *condition =
        both(cdl, found.exists,
             compare(cdl, EXPR_EQ, model_var_expr(cdl->model, found.var), expr_int(exprs, value)));
    return true;
}

bool cdl_predicate(struct cdl *cdl, struct cdl_decl *decl, expr *condition)
{
    if (decl->is_busy) {
        diag_error(cdl->diag, DIAG_CIRCULAR, decl->place,
                   "the predicate '%.60s' is defined by itself", decl->name);
        return false;
    }
    if (!decl->is_ready) {
        decl->is_busy = true;
        decl->is_bad = !cdl_condition(cdl, decl->exp, &decl->condition);
        decl->is_busy = false;
        decl->is_ready = true;
    }
    *condition = decl->condition;
    return !decl->is_bad;
}

static bool join(struct cdl *cdl, const struct cdl_exp *exp, expr *condition)
{
    expr a, b;
    bool good = cdl_condition(cdl, exp->a, &a);
    if (exp->kind == CDL_NOT) return good && (*condition = compare(cdl, EXPR_NOT, a, a), true);
    if (!cdl_condition(cdl, exp->b, &b) || !good) return false;
    *condition = compare(cdl, exp->kind == CDL_OR ? EXPR_OR : EXPR_AND, a, b);
    return true;
}

bool cdl_condition(struct cdl *cdl, const struct cdl_exp *exp, expr *condition)
{
    enum { MOST = 3000 };
    struct cdl_decl *decl;
    bool good = false;
    if (cdl->nesting++ > MOST)
        diag_error(cdl->diag, DIAG_NESTING, exp->place, "predicates are nested too deeply");
    else switch (exp->kind) {
        case CDL_OR:
        case CDL_AND:
        case CDL_NOT: good = join(cdl, exp, condition); break;
        case CDL_TRUTH: *condition = expr_bool(&cdl->model->exprs, exp->truth), good = true; break;
        case CDL_PREDICATE:
            good = (decl = cdl_find(cdl, CDL_DECL_PREDICATE, exp->name, exp->name_place))
                   && cdl_predicate(cdl, decl, condition);
            break;
        case CDL_LOCATION: good = is_at(cdl, exp, condition); break;
        case CDL_COMPARE: good = compare_sides(cdl, exp, condition); break;
        case CDL_EMPTY:
        case CDL_FULL:
        case CDL_TEST: good = is_test(cdl, exp, condition); break;
        }
    cdl->nesting--;
    return good;
}
