/* Numbers, conditions and statements. A clock of an array whose index is not known becomes one
 * constraint per clock, each under the condition that the index is that of the clock. A value
 * outside the range of its variable makes a step impossible; an index out of bounds, or a division
 * by zero, is an error at run time. */
#include "lang/tck/lower.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST_CLOCK = 1 << 30, MOST_PAIRS = 4096, MOST_LOCAL = 1 << 16 };

static struct exprs *exprs_of(struct tck *tck) { return &tck->model->exprs; }

static bool complain(struct tck *tck, const struct tck_exp *exp, const char *text)
{
    diag_error(tck->file.diag, DIAG_TYPE, exp->place, "%s", text);
    return false;
}

/* ---- names ---- */

static const struct tck_local *find_local(const struct tck *tck, const char *name)
{
    for (uint32_t i = tck->locals.len; i--;)
        if (tck->locals.data[i].name == name) return &tck->locals.data[i];
    return NULL;
}

static bool is_clock(const struct tck *tck, const struct tck_exp *exp)
{
    return exp->op == TCK_NAME && !find_local(tck, exp->name)
           && map_get(&tck->file.scope, exp->name, TCK_SCOPE_CLOCK) != MAP_NONE;
}

static bool has_clock(const struct tck *tck, const struct tck_exp *exp)
{
    return exp
           && (is_clock(tck, exp) || has_clock(tck, exp->a) || has_clock(tck, exp->b)
               || has_clock(tck, exp->c));
}

/* The cells of a variable, and their type. */
static bool find_cell(struct tck *tck, const struct tck_exp *exp, struct cell *at,
                      const struct type **type)
{
    assert(exp->op == TCK_NAME);
    const struct tck_local *local = find_local(tck, exp->name);
    const uint32_t found = map_get(&tck->file.scope, exp->name, TCK_SCOPE_INT);
    if (!local && found == MAP_NONE) {
        diag_error(tck->file.diag, DIAG_UNKNOWN, exp->place, "there is no variable '%.60s'",
                   exp->name);
        return false;
    }
    *type = local ? local->type : tck->types[found];
    *at = local ? local->at : emit_cell(tck->model, false, tck->file.ints.data[found].first);
    if (!exp->a && (*type)->kind != TYPE_ARRAY) return true;
    if (!exp->a) return complain(tck, exp, "this is an array: it needs an index");
    if ((*type)->kind != TYPE_ARRAY) return complain(tck, exp, "this is no array");
    expr index;
    if (!tck_lower_number(tck, exp->a, &index)) return false;
    const struct expr_node *node = expr_get(exprs_of(tck), index);
    if (node->high < 0 || node->low >= (*type)->count) {
        diag_error(tck->file.diag, DIAG_RANGE, exp->a->place,
                   "this index lies outside 0 .. %" PRIu32, (*type)->count - 1);
        return false;
    }
    emit_element(tck->model, *type, index, at);
    *type = (*type)->of;
    return true;
}

/* ---- numbers and conditions ---- */

static const enum expr_op operators[] = {
    [TCK_ADD] = EXPR_ADD, [TCK_SUB] = EXPR_SUB, [TCK_MUL] = EXPR_MUL, [TCK_DIV] = EXPR_DIV,
    [TCK_MOD] = EXPR_MOD, [TCK_EQ] = EXPR_EQ,   [TCK_NE] = EXPR_NE,   [TCK_LT] = EXPR_LT,
    [TCK_LE] = EXPR_LE,   [TCK_GT] = EXPR_GT,   [TCK_GE] = EXPR_GE,   [TCK_AND] = EXPR_AND,
    [TCK_OR] = EXPR_OR};

bool tck_lower_number(struct tck *tck, const struct tck_exp *exp, expr *result)
{
    struct exprs *exprs = exprs_of(tck);
    struct cell at;
    const struct type *type;
    expr a, b, c;
    switch (exp->op) {
    case TCK_NUMBER: *result = expr_int(exprs, (int64_t)exp->number); return true;
    case TCK_NAME:
        if (is_clock(tck, exp)) return complain(tck, exp, "a number is needed here, not a clock");
        if (!find_cell(tck, exp, &at, &type)) return false;
        *result = emit_read(tck->model, &at, type_cell(type, 0));
        return true;
    case TCK_NEGATE:
        if (!tck_lower_number(tck, exp->a, &a)) return false;
        *result = expr_make(exprs, EXPR_SUB, 0, expr_int(exprs, 0), a);
        return true;
    case TCK_ADD:
    case TCK_SUB:
    case TCK_MUL:
    case TCK_DIV:
    case TCK_MOD:
        if (!tck_lower_number(tck, exp->a, &a) || !tck_lower_number(tck, exp->b, &b)) return false;
        *result = expr_make(exprs, operators[exp->op], 0, a, b);
        return true;
    case TCK_IF:
        if (!tck_lower_condition(tck, exp->a, &c) || !tck_lower_number(tck, exp->b, &a)
            || !tck_lower_number(tck, exp->c, &b))
            return false;
        *result = expr_choose(exprs, c, a, b);
        return true;
    default: break;
    }
    if (!tck_lower_condition(tck, exp, &a)) return false;
    *result = expr_to_int(exprs, a);
    return true;
}

bool tck_lower_condition(struct tck *tck, const struct tck_exp *exp, expr *result)
{
    struct exprs *exprs = exprs_of(tck);
    expr a, b;
    if (exp->op >= TCK_EQ && exp->op <= TCK_GE) {
        if (!tck_lower_number(tck, exp->a, &a) || !tck_lower_number(tck, exp->b, &b)) return false;
        *result = expr_make(exprs, operators[exp->op], 0, a, b);
    } else if (exp->op == TCK_AND || exp->op == TCK_OR) {
        if (!tck_lower_condition(tck, exp->a, &a) || !tck_lower_condition(tck, exp->b, &b))
            return false;
        *result = expr_make(exprs, operators[exp->op], 0, a, b);
    } else if (exp->op == TCK_NOT) {
        if (!tck_lower_condition(tck, exp->a, &a)) return false;
        *result = expr_make(exprs, EXPR_NOT, 0, a, a);
    } else {
        if (!tck_lower_number(tck, exp, &a)) return false;
        *result = expr_to_bool(exprs, a);
    }
    return true;
}

/* ---- clocks in conditions ---- */

/* A clock, or one of an array: those from `first` on, by an index. */
struct clock_set {
    uint32_t first, count; /* count 0: none, which stands for 0 */
    expr index;
};

static bool find_clock(struct tck *tck, const struct tck_exp *exp, struct clock_set *set)
{
    const struct tck_array *array =
        &tck->file.clocks.data[map_get(&tck->file.scope, exp->name, TCK_SCOPE_CLOCK)];
    *set = (struct clock_set){.first = array->first, .count = 1};
    if (!exp->a && array->count > 1)
        return complain(tck, exp, "this is an array of clocks: it needs an index");
    if (!exp->a) return true;
    if (!tck_lower_number(tck, exp->a, &set->index)) return false;
    const struct expr_node *node = expr_get(exprs_of(tck), set->index);
    if (node->high < 0 || node->low >= array->count) {
        diag_error(tck->file.diag, DIAG_RANGE, exp->a->place,
                   "this index lies outside 0 .. %" PRIu32, array->count - 1);
        return false;
    }
    if (node->op == EXPR_CONST) set->first += (uint32_t)node->value;
    else set->count = array->count;
    return true;
}

static void add_conjunct(struct tck *tck, expr cond, struct place place)
{
    vec_push(tck->file.mem, &tck->conjuncts, cond);
    vec_push(tck->file.mem, &tck->conjunct_places, place);
}

/* The index is inside, or its evaluation fails. */
static void check_index(struct tck *tck, const struct clock_set *set, struct place place)
{
    struct exprs *exprs = exprs_of(tck);
    if (set->count < 2) return;
    expr inside = expr_within(exprs, set->index, 0, set->count - 1, FAILURE_INDEX);
    if (expr_get(exprs, inside)->may_fail)
        add_conjunct(tck, expr_make(exprs, EXPR_EQ, 0, inside, set->index), place);
}

/* The k-th clock of a set is meant. */
static void add_index(struct tck *tck, struct clock_constraint *constraint,
                      const struct clock_set *set, uint32_t k)
{
    struct exprs *exprs = exprs_of(tck);
    if (set->count < 2) return;
    expr is = expr_make(exprs, EXPR_EQ, 0, set->index, expr_int(exprs, k));
    constraint->when =
        constraint->is_conditional ? expr_make(exprs, EXPR_AND, 0, constraint->when, is) : is;
    constraint->is_conditional = true;
}

/* x - y <= bound. */
static bool add_constraint(struct tck *tck, const struct clock_set *x, const struct clock_set *y,
                           expr bound, bool strict, struct place place)
{
    const struct expr_node node = *expr_get(exprs_of(tck), bound);
    const uint32_t xs = x->count ? x->count : 1, ys = y->count ? y->count : 1;
    if (node.may_fail || node.low < -MOST_CLOCK || node.high > MOST_CLOCK) {
        diag_error(tck->file.diag, node.may_fail ? DIAG_UNSUPPORTED : DIAG_RANGE, place,
                   node.may_fail ? "a clock is compared with a number whose evaluation may fail"
                                 : "clocks are compared with numbers up to 2^30");
        return false;
    }
    if ((uint64_t)xs * ys > MOST_PAIRS) {
        diag_error(tck->file.diag, DIAG_LIMIT, place, "too many clocks may be meant here");
        return false;
    }
    for (uint32_t i = 0; i < xs; i++)
        for (uint32_t k = 0; k < ys; k++) {
            struct clock_constraint made = {.x = x->count ? x->first + i : MODEL_NONE,
                                            .y = y->count ? y->first + k : MODEL_NONE,
                                            .bound = node.value,
                                            .strict = strict,
                                            .place = place,
                                            .varies = node.op != EXPR_CONST,
                                            .value = bound};
            add_index(tck, &made, x, i);
            add_index(tck, &made, y, k);
            vec_push(tck->file.mem, &tck->constraints, made);
        }
    return true;
}

/* A clock or a difference of two, compared with a number. */
static bool split_comparison(struct tck *tck, const struct tck_exp *exp, enum tck_op op)
{
    struct exprs *exprs = exprs_of(tck);
    const struct tck_exp *left = exp->a, *right = exp->b;
    static const enum tck_op mirrored[] = {[TCK_EQ] = TCK_EQ, [TCK_NE] = TCK_NE, [TCK_LT] = TCK_GT,
                                           [TCK_LE] = TCK_GE, [TCK_GT] = TCK_LT, [TCK_GE] = TCK_LE};
    if (!has_clock(tck, left)) {
        const struct tck_exp *other = left;
        left = right;
        right = other;
        op = mirrored[op];
    }
    struct clock_set x = {0}, y = {0};
    const bool differs = left->op == TCK_SUB && is_clock(tck, left->a) && is_clock(tck, left->b);
    if (has_clock(tck, right) || (!differs && !is_clock(tck, left)))
        return complain(tck, exp, "a clock, or a difference of two, is compared with a number");
    if (op == TCK_NE)
        return complain(tck, exp, "a clock is not compared with != : this is no zone");
    if (!find_clock(tck, differs ? left->a : left, &x)
        || (differs && !find_clock(tck, left->b, &y)))
        return false;
    expr bound;
    if (!tck_lower_number(tck, right, &bound)) return false;
    assert(x.count && (y.count || !differs));
    check_index(tck, &x, exp->place);
    check_index(tck, &y, exp->place);
    const bool strict = op == TCK_LT || op == TCK_GT,
               below = op == TCK_LT || op == TCK_LE || op == TCK_EQ,
               above = op == TCK_GT || op == TCK_GE || op == TCK_EQ;
    expr negated = expr_make(exprs, EXPR_SUB, 0, expr_int(exprs, 0), bound);
    return (!below || add_constraint(tck, &x, &y, bound, strict, exp->place))
           && (!above || add_constraint(tck, &y, &x, negated, strict, exp->place));
}

static bool split(struct tck *tck, const struct tck_exp *exp, bool negated)
{
    static const enum tck_op opposite[] = {[TCK_EQ] = TCK_NE, [TCK_NE] = TCK_EQ, [TCK_LT] = TCK_GE,
                                           [TCK_LE] = TCK_GT, [TCK_GT] = TCK_LE, [TCK_GE] = TCK_LT};
    if (!has_clock(tck, exp)) {
        expr cond;
        if (!tck_lower_condition(tck, exp, &cond)) return false;
        if (negated) cond = expr_make(exprs_of(tck), EXPR_NOT, 0, cond, cond);
        add_conjunct(tck, cond, exp->place);
        return true;
    }
    if (exp->op == TCK_NOT) return split(tck, exp->a, !negated);
    if (exp->op == TCK_AND && !negated)
        return split(tck, exp->a, false) && split(tck, exp->b, false);
    if (exp->op >= TCK_EQ && exp->op <= TCK_GE)
        return split_comparison(tck, exp, negated ? opposite[exp->op] : exp->op);
    return complain(tck, exp, "conditions on clocks are joined by && alone");
}

bool tck_split(struct tck *tck, const struct tck_exp *exp)
{
    tck->conjuncts.len = tck->conjunct_places.len = tck->constraints.len = 0;
    return !exp || split(tck, exp, false);
}

/* ---- statements ---- */

static const struct type *local_type(struct tck *tck)
{
    return type_new_int(&tck->model->arena, INT32_MIN, INT32_MAX, 0, NULL);
}

static bool declare_local(struct tck *tck, const struct tck_statement *step)
{
    const char *name = step->target->name;
    const struct type *type = local_type(tck);
    if (find_local(tck, name) || map_get(&tck->file.scope, name, TCK_SCOPE_INT) != MAP_NONE
        || map_get(&tck->file.scope, name, TCK_SCOPE_CLOCK) != MAP_NONE) {
        diag_error(tck->file.diag, DIAG_DUPLICATE, step->target->place, "'%.60s' is declared twice",
                   name);
        return false;
    }
    expr value = expr_int(exprs_of(tck), 0);
    if (step->size) {
        expr size;
        if (!tck_lower_number(tck, step->size, &size)) return false;
        const struct expr_node *node = expr_get(exprs_of(tck), size);
        if (node->op != EXPR_CONST || node->value < 1 || node->value > MOST_LOCAL)
            return complain(tck, step->size, "the size of an array is a constant from 1 on");
        type = type_new_sequence(&tck->model->arena, TYPE_ARRAY, type, node->value);
    } else if (step->value && !tck_lower_number(tck, step->value, &value)) return false;
    const struct cell at = emit_local(tck->model, type, name);
    if (step->size) emit_initial(&tck->emit, type, &at, step->place);
    else
        emit_set(&tck->emit, &at,
                 expr_within(exprs_of(tck), value, INT32_MIN, INT32_MAX, FAILURE_RANGE),
                 step->place);
    vec_push(tck->file.mem, &tck->locals, ((struct tck_local){name, type, at}));
    return true;
}

/* What constants alone say is a reset of the rule; the last one counts. */
static void reset(struct tck *tck, uint32_t clock, int64_t value)
{
    for (uint32_t i = 0; i < tck->resets.len; i++)
        if (tck->resets.data[i].clock == clock) {
            tck->resets.data[i].value = value;
            return;
        }
    vec_push(tck->file.mem, &tck->resets, ((struct clock_reset){clock, value}));
}

static bool set_clock(struct tck *tck, const struct tck_statement *step)
{
    struct exprs *exprs = exprs_of(tck);
    struct clock_set set;
    expr value;
    if (has_clock(tck, step->value)) {
        diag_error(tck->file.diag, DIAG_UNSUPPORTED, step->value->place,
                   "a clock that becomes what another clock is, is not supported");
        return false;
    }
    if (!find_clock(tck, step->target, &set) || !tck_lower_number(tck, step->value, &value))
        return false;
    const struct expr_node *node = expr_get(exprs, value);
    if (node->high < 0 || node->low > MOST_CLOCK)
        return complain(tck, step->value, "a clock is set to a number from 0 to 2^30");
    const uint32_t array = map_get(&tck->file.scope, step->target->name, TCK_SCOPE_CLOCK);
    if (!tck->needs_setter[array]) {
        assert(node->op == EXPR_CONST && set.count == 1);
        reset(tck, set.first, node->value);
        return true;
    }
    struct cell at = emit_cell(tck->model, false, tck->model->clocks.data[set.first].setter);
    if (set.count > 1) {
        const struct type *of = type_new_int(&tck->model->arena, -1, MOST_CLOCK, -1, NULL);
        emit_element(tck->model, type_new_sequence(&tck->model->arena, TYPE_ARRAY, of, set.count),
                     set.index, &at);
    }
    emit_set(&tck->emit, &at, expr_within(exprs, value, 0, MOST_CLOCK, FAILURE_RANGE), step->place);
    return true;
}

static bool assign(struct tck *tck, const struct tck_statement *step)
{
    struct exprs *exprs = exprs_of(tck);
    struct cell at;
    const struct type *type;
    expr value;
    if (is_clock(tck, step->target)) return set_clock(tck, step);
    if (!find_cell(tck, step->target, &at, &type) || !tck_lower_number(tck, step->value, &value))
        return false;
    const struct type_range range = type_cell(type, 0);
    const expr low = expr_int(exprs, range.low), high = expr_int(exprs, range.high);
    emit_require(&tck->emit, expr_make(exprs, EXPR_LE, 0, low, value), step->place, 0);
    emit_require(&tck->emit, expr_make(exprs, EXPR_LE, 0, value, high), step->place, 0);
    emit_set(&tck->emit, &at, expr_within(exprs, value, range.low, range.high, FAILURE_RANGE),
             step->place);
    return true;
}

static bool lower_block(struct tck *tck, const struct tck_statement *steps,
                        struct code_sequence *block)
{
    *block = code_sequence_empty();
    const uint32_t locals = tck->locals.len;
    const struct emit_block before = emit_open(&tck->emit, block);
    const bool good = tck_lower_steps(tck, steps);
    emit_close(&tck->emit, &before);
    tck->locals.len = locals;
    return good;
}

static bool lower_step(struct tck *tck, const struct tck_statement *step)
{
    struct code_sequence yes, no;
    expr cond;
    switch (step->kind) {
    case TCK_NOP: return true;
    case TCK_LOCAL: return declare_local(tck, step);
    case TCK_ASSIGN: return assign(tck, step);
    case TCK_BRANCH:
    case TCK_LOOP: break;
    }
    if (!tck_lower_condition(tck, step->value, &cond) || !lower_block(tck, step->body, &yes)
        || !lower_block(tck, step->other, &no))
        return false;
    if (step->kind == TCK_LOOP) emit_while(&tck->emit, cond, yes, step->place);
    else emit_if(&tck->emit, cond, yes, no, step->place);
    return true;
}

bool tck_lower_steps(struct tck *tck, const struct tck_statement *steps)
{
    bool good = true;
    for (; good && steps; steps = steps->next) good = lower_step(tck, steps);
    return good;
}

/* ---- which clocks are set by code ---- */

static bool is_constant(const struct tck_exp *exp)
{
    return !exp
           || (exp->op != TCK_NAME && is_constant(exp->a) && is_constant(exp->b)
               && is_constant(exp->c));
}

static void find_setters(struct tck *tck, const struct tck_statement *step, bool is_certain)
{
    for (; step; step = step->next) {
        find_setters(tck, step->body, false);
        find_setters(tck, step->other, false);
        if (step->kind != TCK_ASSIGN) continue;
        const uint32_t array = map_get(&tck->file.scope, step->target->name, TCK_SCOPE_CLOCK);
        if (array != MAP_NONE
            && !(is_certain && is_constant(step->target->a) && is_constant(step->value)))
            tck->needs_setter[array] = true;
    }
}

void tck_find_setters(struct tck *tck)
{
    for (uint32_t e = 0; e < tck->file.edges.len; e++)
        find_setters(tck, tck->file.edges.data[e].steps, true);
}
