/* Expressions, in the form of the dialect.
 *
 * XTA. What fails in the model fails in the text: an index by itself, a range by a function with a
 * variable of that range.
 *
 * TCK. Conditions are conjunctions of comparisons; anything else is a number, 0 or 1. What fails is
 * tested by whoever evaluates it, so that tests of ranges are left out here. */
#include "export/automata_expr.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_NESTED = 400, MOST_TEXT = 60 << 20 };

static struct exprs *exprs_of(const struct automata *a) { return &a->model->exprs; }

static void add(struct automata *a, const char *text) { text_add(a->out, "%s", text); }

void automata_expr_enter(struct automata *a)
{
    if (++a->nesting > MOST_NESTED)
        automata_refuse(a, (struct place){0}, "an expression is nested too deeply");
    if (a->out->len > MOST_TEXT)
        automata_refuse(a, (struct place){0}, "its text would be too large");
}

void automata_expr_leave(struct automata *a) { a->nesting--; }

void automata_next(struct automata *a, struct automata_list *list)
{
    add(a, list->count++ ? list->between : list->before);
}

/* ---- cells ---- */

/* The location of an automaton, or MODEL_NONE. */
uint32_t automata_expr_owner(const struct automata *a, uint32_t var)
{
    uint32_t p = a->model->vars.data[var].process;
    return p != MODEL_NONE && a->keeps[p] && a->model->processes.data[p].location == var
               ? p
               : MODEL_NONE;
}

/* A test that the array itself makes, of an index that begins at its first element. */
static expr plain_index(const struct automata *a, const struct automata_array *array, uint32_t base,
                        expr offset)
{
    const struct exprs *exprs = exprs_of(a);
    const struct expr_node *node = expr_get(exprs, offset);
    bool is_whole = node->op == EXPR_WITHIN && base == array->first
                    && !expr_get(exprs, node->b)->value
                    && expr_get(exprs, node->c)->value == (int64_t)array->count - 1;
    return is_whole ? node->a : offset;
}

void automata_expr_number(struct automata *a, expr e)
{
    if (a->dialect == AUTOMATA_XTA) automata_expr_put(a, e, ANY);
    else automata_expr_term(a, e);
}

/* The cell at an offset from `base`, and `more` behind that. */
void automata_expr_cell(struct automata *a, bool local, uint32_t base, expr offset, uint32_t more)
{
    const struct expr_node *node = expr_get(exprs_of(a), offset);
    const bool is_known = node->op == EXPR_CONST;
    const uint32_t first = base + (is_known ? (uint32_t)node->value + more : 0);
    const struct automata_array *array =
        local ? &a->locals.data[a->local_of[first]] : &a->arrays.data[a->array_of[first]];
    if (!local && a->sets[first] != MODEL_NONE) {
        add(a, a->setter[a->sets[first]]);
        return;
    }
    assert(first >= array->first && first < array->first + array->count);
    const uint32_t p = local ? MODEL_NONE : automata_expr_owner(a, first);
    if (p != MODEL_NONE && !array->is_copied) {
        a->is_numbered[p] = true;
        add(a, a->number[p]);
        return;
    }
    add(a, array->is_copied ? array->copy : array->name);
    if (array->count == 1) return;
    add(a, "[");
    if (is_known) text_add(a->out, "%" PRIu32, first - array->first);
    else {
        expr index = more ? offset : plain_index(a, array, base, offset);
        if (base - array->first + more)
            text_add(a->out, "%" PRIu32 " + ", base - array->first + more);
        if (a->dialect == AUTOMATA_XTA)
            automata_expr_put(a, index, base - array->first + more ? SUM : ANY);
        else automata_expr_term(a, index);
    }
    add(a, "]");
}

static void put_read(struct automata *a, const struct expr_node *node)
{
    const bool local = node->op == EXPR_LOCAL || node->op == EXPR_LOCAL_AT;
    const bool is_array = node->op == EXPR_AT || node->op == EXPR_LOCAL_AT;
    automata_expr_cell(a, local, (uint32_t)node->value,
                       is_array ? node->a : expr_int(exprs_of(a), 0), 0);
}

void automata_expr_constant(struct automata *a, int64_t value, bool in_brackets)
{
    text_add(a->out, value < 0 && in_brackets ? "(%" PRId64 ")" : "%" PRId64, value);
}

/* ---- XTA: expressions ---- */

static const struct {
    const char *symbol;
    enum automata_level level;
} operators[EXPR_OPS] = {
    [EXPR_AND] = {" && ", AND},    [EXPR_OR] = {" || ", OR},      [EXPR_IFF] = {" == ", EQUAL},
    [EXPR_EQ] = {" == ", EQUAL},   [EXPR_NE] = {" != ", EQUAL},   [EXPR_LT] = {" < ", COMPARE},
    [EXPR_LE] = {" <= ", COMPARE}, [EXPR_GT] = {" > ", COMPARE},  [EXPR_GE] = {" >= ", COMPARE},
    [EXPR_ADD] = {" + ", SUM},     [EXPR_SUB] = {" - ", SUM},     [EXPR_MUL] = {" * ", PRODUCT},
    [EXPR_DIV] = {" / ", PRODUCT}, [EXPR_MOD] = {" % ", PRODUCT},
};

static bool open(struct automata *a, bool is_needed)
{
    automata_expr_enter(a);
    if (is_needed) add(a, "(");
    return is_needed;
}

static void close(struct automata *a, bool is_open)
{
    if (is_open) add(a, ")");
    automata_expr_leave(a);
}

static int64_t clamp(int64_t value)
{
    return value > NUMBER_MAX             ? NUMBER_MAX
           : value < -(int64_t)NUMBER_MAX ? -(int64_t)NUMBER_MAX
                                          : value;
}

/* A function that fails where its argument lies outside of a range. */
static const char *within_name(struct automata *a, int64_t low, int64_t high)
{
    struct names *names = &a->model->names;
    const char *wanted =
        names_format(names, "within_%s%" PRId64 "_%s%" PRId64, low < 0 ? "m" : "",
                     low < 0 ? -low : low, high < 0 ? "m" : "", high < 0 ? -high : high);
    uint32_t found = map_get(&a->within_of, wanted, 0);
    if (found == MAP_NONE) {
        found = a->withins.len;
        map_add(&a->within_of, wanted, 0, found);
        vec_push(a->model->mem, &a->withins,
                 ((struct automata_within){automata_pick(a, 0, wanted), low, high}));
    }
    return a->withins.data[found].name;
}

static void put_within(struct automata *a, const struct expr_node *node)
{
    const struct exprs *exprs = exprs_of(a);
    add(a, within_name(a, clamp(expr_get(exprs, node->b)->value),
                       clamp(expr_get(exprs, node->c)->value)));
    add(a, "(");
    automata_expr_put(a, node->a, ANY);
    add(a, ")");
}

/* Modulo 2^W, where that makes a difference. What stands before it is not negative, or as large. */
static void put_modular(struct automata *a, expr e, const struct expr_node *node)
{
    const int64_t modulus = INT64_C(1) << node->bits;
    const bool may_be_negative = node->op == EXPR_CUT && numbers_span(&a->numbers, node->a).low < 0;
    assert(numbers_wrap(&a->numbers, e) && node->bits <= 30);
    add(a, may_be_negative ? "((" : "(");
    automata_expr_number(a, node->a);
    if (node->op != EXPR_CUT) {
        add(a, operators[node->op].symbol);
        if (a->dialect == AUTOMATA_XTA)
            automata_expr_put(a, node->b, operators[node->op].level + 1);
        else automata_expr_term(a, node->b);
    }
    if (node->op == EXPR_SUB) text_add(a->out, " + %" PRId64, modulus);
    if (may_be_negative) text_add(a->out, ") %% %" PRId64 " + %" PRId64, modulus, modulus);
    text_add(a->out, ") %% %" PRId64, modulus);
}

static void put_choice(struct automata *a, const struct expr_node *node, enum automata_level level)
{
    bool is_open = open(a, level > CHOICE);
    automata_expr_put(a, node->a, OR);
    add(a, " ? ");
    automata_expr_put(a, node->b, CHOICE);
    add(a, " : ");
    automata_expr_put(a, node->c, CHOICE);
    close(a, is_open);
}

void automata_expr_not(struct automata *a, expr e)
{
    add(a, "!");
    automata_expr_put(a, e, UNARY);
}

static void put_binary(struct automata *a, const struct expr_node *node, enum automata_level level)
{
    const enum automata_level own = node->op == EXPR_IMPLIES ? OR : operators[node->op].level;
    const bool joins = own == OR || own == AND, is_open = open(a, level > own);
    if (!is_open) automata_expr_leave(a); /* a chain is no deeper than its parts */
    if (node->op == EXPR_IMPLIES) automata_expr_not(a, node->a);
    else automata_expr_put(a, node->a, own == EQUAL || own == COMPARE ? own + 1 : own);
    add(a, node->op == EXPR_IMPLIES ? " || " : operators[node->op].symbol);
    automata_expr_put(a, node->b, joins ? own : own + 1);
    if (!is_open) automata_expr_enter(a);
    close(a, is_open);
}

/* Where an automaton stands, by its name. */
static bool put_location(struct automata *a, const struct expr_node *node)
{
    const struct expr_node *x = expr_get(exprs_of(a), node->a), *y = expr_get(exprs_of(a), node->b);
    if (!a->in_query || (node->op != EXPR_EQ && node->op != EXPR_NE) || x->op != EXPR_VAR
        || y->op != EXPR_CONST)
        return false;
    uint32_t p = automata_expr_owner(a, (uint32_t)x->value);
    const struct model_var *var = &a->model->vars.data[x->value];
    if (p == MODEL_NONE || y->value < var->low || y->value > var->high) return false;
    text_add(a->out, "%s%s.%s", node->op == EXPR_NE ? "!" : "", a->name[p],
             a->location[p][y->value - var->low]);
    return true;
}

static void put_table(struct automata *a, const struct expr_node *node)
{
    a->uses_table[node->value] = true;
    text_add(a->out, "%s[", a->table[node->value]);
    automata_expr_put(a, node->a, ANY);
    add(a, "]");
}

void automata_expr_put(struct automata *a, expr e, enum automata_level level)
{
    const struct expr_node node = *expr_get(exprs_of(a), e);
    bool is_open;
    if (a->refusal.reason) return;
    switch ((enum expr_op)node.op) {
    case EXPR_CONST:
        if (node.is_bool) add(a, node.value ? "true" : "false");
        else automata_expr_constant(a, node.value, level > ANY);
        break;
    case EXPR_VAR:
    case EXPR_LOCAL:
    case EXPR_AT:
    case EXPR_LOCAL_AT: put_read(a, &node); break;
    case EXPR_TABLE: put_table(a, &node); break;
    case EXPR_FAIL:
        a->has_fails = true;
        text_add(a->out, "%s()", a->fails);
        break;
    case EXPR_WITHIN: put_within(a, &node); break;
    case EXPR_CHOOSE: put_choice(a, &node, level); break;
    case EXPR_NOT: automata_expr_not(a, node.a); break;
    default:
        if (node.bits && numbers_wrap(&a->numbers, e)) {
            is_open = open(a, level > PRODUCT);
            put_modular(a, e, &node);
            close(a, is_open);
        } else if (node.op == EXPR_CUT) automata_expr_put(a, node.a, level);
        else if (!put_location(a, &node)) put_binary(a, &node, level);
    }
}

/* ---- TCK: expressions ---- */

static const char *const opposite[EXPR_OPS] = {
    [EXPR_EQ] = " != ", [EXPR_NE] = " == ", [EXPR_LT] = " >= ",
    [EXPR_LE] = " > ",  [EXPR_GT] = " <= ", [EXPR_GE] = " < ",
};

static void put_comparison(struct automata *a, const struct expr_node *node, bool is_negated)
{
    automata_expr_term(a, node->a);
    add(a, is_negated ? opposite[node->op] : operators[node->op].symbol);
    automata_expr_term(a, node->b);
}

/* One comparison. */
void automata_expr_predicate(struct automata *a, expr e)
{
    const struct expr_node *node = expr_get(exprs_of(a), e),
                           *below = expr_get(exprs_of(a), node->a);
    if (opposite[node->op]) put_comparison(a, node, false);
    else if (node->op == EXPR_NOT && opposite[below->op]) put_comparison(a, below, true);
    else {
        automata_expr_term(a, e);
        add(a, " == 1");
    }
}

/* if a then b else c; b and c: an expression, or -1, 0, 1 for a number. */
static void put_if(struct automata *a, expr cond, const expr *yes, const expr *no, int otherwise)
{
    add(a, "(if ");
    automata_expr_predicate(a, cond);
    add(a, " then ");
    if (yes) automata_expr_term(a, *yes);
    else automata_expr_constant(a, otherwise, true);
    add(a, " else ");
    if (no) automata_expr_term(a, *no);
    else automata_expr_constant(a, otherwise, true);
    add(a, ")");
}

static void put_table_term(struct automata *a, const struct expr_node *node)
{
    enum { MOST_ENTRIES = 256 };
    const struct model_table *table = &a->model->tables.data[node->value];
    if (table->count > MOST_ENTRIES)
        automata_refuse(a, (struct place){0},
                        "a table of %" PRIu32 " numbers: TChecker has no arrays of constants",
                        table->count);
    for (uint32_t i = 0; !a->refusal.reason && i + 1 < table->count; i++) {
        add(a, "(if ");
        automata_expr_term(a, node->a);
        text_add(a->out, " == %" PRIu32 " then ", i);
        automata_expr_constant(a, table->values[i], true);
        add(a, " else ");
    }
    automata_expr_constant(a, table->values[table->count - 1], true);
    for (uint32_t i = 0; i + 1 < table->count; i++) add(a, ")");
}

static void put_arithmetic(struct automata *a, const struct expr_node *node)
{
    add(a, "(");
    automata_expr_term(a, node->a);
    add(a, operators[node->op].symbol);
    automata_expr_term(a, node->b);
    add(a, ")");
}

/* A number; conditions are 0 or 1. */
void automata_expr_term(struct automata *a, expr e)
{
    const struct expr_node node = *expr_get(exprs_of(a), e);
    if (a->refusal.reason) return;
    automata_expr_enter(a);
    switch ((enum expr_op)node.op) {
    case EXPR_CONST: automata_expr_constant(a, node.value, true); break;
    case EXPR_VAR:
    case EXPR_LOCAL:
    case EXPR_AT:
    case EXPR_LOCAL_AT: put_read(a, &node); break;
    case EXPR_TABLE: put_table_term(a, &node); break;
    case EXPR_FAIL: add(a, "0"); break; /* never evaluated */
    case EXPR_WITHIN: automata_expr_term(a, node.a); break;
    case EXPR_CHOOSE: put_if(a, node.a, &node.b, &node.c, 0); break;
    case EXPR_NOT:
        add(a, "(1 - ");
        automata_expr_term(a, node.a);
        add(a, ")");
        break;
    case EXPR_AND: put_if(a, node.a, &node.b, NULL, 0); break;
    case EXPR_OR: put_if(a, node.a, NULL, &node.b, 1); break;
    case EXPR_IMPLIES: put_if(a, node.a, &node.b, NULL, 1); break;
    default:
        if (node.bits && numbers_wrap(&a->numbers, e)) {
            add(a, "(");
            put_modular(a, e, &node);
            add(a, ")");
        } else if (node.op == EXPR_CUT) automata_expr_term(a, node.a);
        else if (node.is_bool) {
            add(a, "(if ");
            put_comparison(a, &node, false);
            add(a, " then 1 else 0)");
        } else put_arithmetic(a, &node);
    }
    automata_expr_leave(a);
}

/* ---- conditions ---- */

void automata_expr_condition(struct automata *a, expr e)
{
    if (a->dialect == AUTOMATA_XTA) automata_expr_put(a, e, ANY);
    else automata_expr_predicate(a, e);
}

/* Parts of a conjunction; in TCK with what they are defined under. */
void automata_expr_conjuncts(struct automata *a, expr e, struct automata_list *list)
{
    const struct expr_node node = *expr_get(exprs_of(a), e);
    if (expr_is_true(exprs_of(a), e)) return;
    if (node.op == EXPR_AND) {
        automata_expr_conjuncts(a, node.a, list);
        automata_expr_conjuncts(a, node.b, list);
        return;
    }
    automata_next(a, list);
    if (a->dialect == AUTOMATA_XTA) automata_expr_put(a, e, AND);
    else automata_expr_predicate(a, e);
}

void automata_expr(struct automata *a, expr e) { automata_expr_condition(a, e); }

static const char *clock_of(const struct automata *a, uint32_t clock)
{
    return clock == MODEL_NONE ? "0" : a->clock[clock];
}

void automata_constraint(struct automata *a, const struct clock_constraint *constraint,
                         struct automata_list *list)
{
    const bool is_lower = constraint->x == MODEL_NONE && constraint->y != MODEL_NONE;
    if (constraint->is_conditional && a->dialect == AUTOMATA_TCK) {
        automata_refuse(a, constraint->place, "a constraint on clocks under a condition");
        return;
    }
    automata_next(a, list);
    if (constraint->is_conditional) {
        add(a, "(");
        automata_expr_not(a, constraint->when);
        add(a, " || ");
    }
    if (is_lower || constraint->y == MODEL_NONE)
        add(a, clock_of(a, is_lower ? constraint->y : constraint->x));
    else text_add(a->out, "%s - %s", clock_of(a, constraint->x), clock_of(a, constraint->y));
    text_add(a->out, " %c%s ", is_lower ? '>' : '<', constraint->strict ? "" : "=");
    if (!constraint->varies)
        automata_expr_constant(a, is_lower ? -constraint->bound : constraint->bound, false);
    else {
        add(a, is_lower ? "-(" : "(");
        automata_expr_number(a, constraint->value);
        add(a, ")");
    }
    if (constraint->is_conditional) add(a, ")");
}

static bool says_nothing(const struct automata *a, formula f)
{
    const struct formula_node *node = formula_get(&a->model->formulas, f);
    return node->op == FORMULA_ATOM && expr_is_true(exprs_of(a), node->atom);
}

static void put_formula(struct automata *a, formula f, enum automata_level level)
{
    static const struct {
        const char *symbol;
        enum automata_level level;
    } connectives[FORMULA_OPS] = {[FORMULA_AND] = {" && ", AND},
                                  [FORMULA_OR] = {" || ", OR},
                                  [FORMULA_IMPLIES] = {" || ", OR},
                                  [FORMULA_IFF] = {" == ", EQUAL}};
    const struct formula_node node = *formula_get(&a->model->formulas, f);
    struct automata_list list = {"", "", 0};
    if (node.op == FORMULA_AND && says_nothing(a, node.a)) put_formula(a, node.b, level);
    else if (node.op == FORMULA_AND && says_nothing(a, node.b)) put_formula(a, node.a, level);
    else if (node.op == FORMULA_ATOM) automata_expr_put(a, node.atom, level);
    else if (node.op == FORMULA_DEADLOCK) add(a, "deadlock");
    else if (node.op == FORMULA_CLOCK) {
        bool is_open = open(a, level > ANY);
        automata_constraint(a, &a->model->constraints.data[node.constraint], &list);
        close(a, is_open);
    } else if (node.op == FORMULA_NOT) {
        add(a, "!");
        put_formula(a, node.a, UNARY);
    } else {
        const enum automata_level own = connectives[node.op].level;
        bool is_open = open(a, level > own);
        if (node.op == FORMULA_IMPLIES) add(a, "!");
        put_formula(a, node.a, node.op == FORMULA_IMPLIES ? UNARY : own + (own == EQUAL));
        add(a, connectives[node.op].symbol);
        put_formula(a, node.b, own + (own == EQUAL));
        close(a, is_open);
    }
}

void automata_formula(struct automata *a, formula f) { put_formula(a, f, ANY); }
