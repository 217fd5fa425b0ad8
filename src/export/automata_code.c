/* What is computed: expressions, guards, effects.
 *
 * XTA. An effect is a list of assignments where one after the other does the same as all at once.
 * Otherwise it is a function: new values first go to locals. Calls are written out where they
 * stand; what follows a LEAVE stands under the condition that it was not met (a flag). A body that
 * may hold its rule back is tried by a second function, on copies of what it writes, as a part of
 * the guard. What fails in the model fails in the text: values are assigned to variables of their
 * range, and where a range is tested without that, by a function with such a variable.
 *
 * TCK. Conditions are conjunctions of comparisons; anything else is a number, 0 or 1. A value
 * outside its range makes a step impossible: so does what fails in the model (it is tested first),
 * and a REQUIRE, by a variable that can only be 0. */
#include "export/automata.h"

#include "model/timed_eval.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_NESTED = 400, MOST_STATEMENTS = 2000000, MOST_TEXT = 60 << 20 };

/* How tightly operators of XTA bind. */
enum level { ANY, CHOICE, OR, AND, EQUAL, COMPARE, SUM, PRODUCT, UNARY };

static struct exprs *exprs_of(const struct automata *a) { return &a->model->exprs; }

static void add(struct automata *a, const char *text) { text_add(a->out, "%s", text); }

static void enter(struct automata *a)
{
    if (++a->nesting > MOST_NESTED)
        automata_refuse(a, (struct place){0}, "an expression is nested too deeply");
    if (a->out->len > MOST_TEXT)
        automata_refuse(a, (struct place){0}, "its text would be too large");
}

static void leave(struct automata *a) { a->nesting--; }

void automata_next(struct automata *a, struct automata_list *list)
{
    add(a, list->count++ ? list->between : list->before);
}

/* ---- cells ---- */

static void put(struct automata *a, expr e, enum level level);
static void put_term(struct automata *a, expr e);

/* The location of an automaton, or MODEL_NONE. */
static uint32_t automaton_of(const struct automata *a, uint32_t var)
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

static void put_number(struct automata *a, expr e)
{
    if (a->dialect == AUTOMATA_XTA) put(a, e, ANY);
    else put_term(a, e);
}

/* The cell at an offset from `base`, and `more` behind that. */
static void put_cell(struct automata *a, bool local, uint32_t base, expr offset, uint32_t more)
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
    const uint32_t p = local ? MODEL_NONE : automaton_of(a, first);
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
        if (a->dialect == AUTOMATA_XTA) put(a, index, base - array->first + more ? SUM : ANY);
        else put_term(a, index);
    }
    add(a, "]");
}

static void put_read(struct automata *a, const struct expr_node *node)
{
    const bool local = node->op == EXPR_LOCAL || node->op == EXPR_LOCAL_AT;
    const bool is_array = node->op == EXPR_AT || node->op == EXPR_LOCAL_AT;
    put_cell(a, local, (uint32_t)node->value, is_array ? node->a : expr_int(exprs_of(a), 0), 0);
}

static void put_constant(struct automata *a, int64_t value, bool in_brackets)
{
    text_add(a->out, value < 0 && in_brackets ? "(%" PRId64 ")" : "%" PRId64, value);
}

/* ---- XTA: expressions ---- */

static const struct {
    const char *symbol;
    enum level level;
} operators[EXPR_OPS] = {
    [EXPR_AND] = {" && ", AND},    [EXPR_OR] = {" || ", OR},      [EXPR_IFF] = {" == ", EQUAL},
    [EXPR_EQ] = {" == ", EQUAL},   [EXPR_NE] = {" != ", EQUAL},   [EXPR_LT] = {" < ", COMPARE},
    [EXPR_LE] = {" <= ", COMPARE}, [EXPR_GT] = {" > ", COMPARE},  [EXPR_GE] = {" >= ", COMPARE},
    [EXPR_ADD] = {" + ", SUM},     [EXPR_SUB] = {" - ", SUM},     [EXPR_MUL] = {" * ", PRODUCT},
    [EXPR_DIV] = {" / ", PRODUCT}, [EXPR_MOD] = {" % ", PRODUCT},
};

static bool open(struct automata *a, bool is_needed)
{
    enter(a);
    if (is_needed) add(a, "(");
    return is_needed;
}

static void close(struct automata *a, bool is_open)
{
    if (is_open) add(a, ")");
    leave(a);
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
    put(a, node->a, ANY);
    add(a, ")");
}

/* Modulo 2^W, where that makes a difference. What stands before it is not negative, or as large. */
static void put_modular(struct automata *a, expr e, const struct expr_node *node)
{
    const int64_t modulus = INT64_C(1) << node->bits;
    const bool may_be_negative = node->op == EXPR_CUT && numbers_span(&a->numbers, node->a).low < 0;
    assert(numbers_wrap(&a->numbers, e) && node->bits <= 30);
    add(a, may_be_negative ? "((" : "(");
    put_number(a, node->a);
    if (node->op != EXPR_CUT) {
        add(a, operators[node->op].symbol);
        if (a->dialect == AUTOMATA_XTA) put(a, node->b, operators[node->op].level + 1);
        else put_term(a, node->b);
    }
    if (node->op == EXPR_SUB) text_add(a->out, " + %" PRId64, modulus);
    if (may_be_negative) text_add(a->out, ") %% %" PRId64 " + %" PRId64, modulus, modulus);
    text_add(a->out, ") %% %" PRId64, modulus);
}

static void put_choice(struct automata *a, const struct expr_node *node, enum level level)
{
    bool is_open = open(a, level > CHOICE);
    put(a, node->a, OR);
    add(a, " ? ");
    put(a, node->b, CHOICE);
    add(a, " : ");
    put(a, node->c, CHOICE);
    close(a, is_open);
}

static void put_not(struct automata *a, expr e)
{
    add(a, "!");
    put(a, e, UNARY);
}

static void put_binary(struct automata *a, const struct expr_node *node, enum level level)
{
    const enum level own = node->op == EXPR_IMPLIES ? OR : operators[node->op].level;
    const bool joins = own == OR || own == AND, is_open = open(a, level > own);
    if (!is_open) leave(a); /* a chain is no deeper than its parts */
    if (node->op == EXPR_IMPLIES) put_not(a, node->a);
    else put(a, node->a, own == EQUAL || own == COMPARE ? own + 1 : own);
    add(a, node->op == EXPR_IMPLIES ? " || " : operators[node->op].symbol);
    put(a, node->b, joins ? own : own + 1);
    if (!is_open) enter(a);
    close(a, is_open);
}

/* Where an automaton stands, by its name. */
static bool put_location(struct automata *a, const struct expr_node *node)
{
    const struct expr_node *x = expr_get(exprs_of(a), node->a), *y = expr_get(exprs_of(a), node->b);
    if (!a->in_query || (node->op != EXPR_EQ && node->op != EXPR_NE) || x->op != EXPR_VAR
        || y->op != EXPR_CONST)
        return false;
    uint32_t p = automaton_of(a, (uint32_t)x->value);
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
    put(a, node->a, ANY);
    add(a, "]");
}

static void put(struct automata *a, expr e, enum level level)
{
    const struct expr_node node = *expr_get(exprs_of(a), e);
    bool is_open;
    if (a->refusal.reason) return;
    switch ((enum expr_op)node.op) {
    case EXPR_CONST:
        if (node.is_bool) add(a, node.value ? "true" : "false");
        else put_constant(a, node.value, level > ANY);
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
    case EXPR_NOT: put_not(a, node.a); break;
    default:
        if (node.bits && numbers_wrap(&a->numbers, e)) {
            is_open = open(a, level > PRODUCT);
            put_modular(a, e, &node);
            close(a, is_open);
        } else if (node.op == EXPR_CUT) put(a, node.a, level);
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
    put_term(a, node->a);
    add(a, is_negated ? opposite[node->op] : operators[node->op].symbol);
    put_term(a, node->b);
}

/* One comparison. */
static void put_predicate(struct automata *a, expr e)
{
    const struct expr_node *node = expr_get(exprs_of(a), e),
                           *below = expr_get(exprs_of(a), node->a);
    if (opposite[node->op]) put_comparison(a, node, false);
    else if (node->op == EXPR_NOT && opposite[below->op]) put_comparison(a, below, true);
    else {
        put_term(a, e);
        add(a, " == 1");
    }
}

/* if a then b else c; b and c: an expression, or -1, 0, 1 for a number. */
static void put_if(struct automata *a, expr cond, const expr *yes, const expr *no, int otherwise)
{
    add(a, "(if ");
    put_predicate(a, cond);
    add(a, " then ");
    if (yes) put_term(a, *yes);
    else put_constant(a, otherwise, true);
    add(a, " else ");
    if (no) put_term(a, *no);
    else put_constant(a, otherwise, true);
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
        put_term(a, node->a);
        text_add(a->out, " == %" PRIu32 " then ", i);
        put_constant(a, table->values[i], true);
        add(a, " else ");
    }
    put_constant(a, table->values[table->count - 1], true);
    for (uint32_t i = 0; i + 1 < table->count; i++) add(a, ")");
}

static void put_arithmetic(struct automata *a, const struct expr_node *node)
{
    add(a, "(");
    put_term(a, node->a);
    add(a, operators[node->op].symbol);
    put_term(a, node->b);
    add(a, ")");
}

/* A number; conditions are 0 or 1. */
static void put_term(struct automata *a, expr e)
{
    const struct expr_node node = *expr_get(exprs_of(a), e);
    if (a->refusal.reason) return;
    enter(a);
    switch ((enum expr_op)node.op) {
    case EXPR_CONST: put_constant(a, node.value, true); break;
    case EXPR_VAR:
    case EXPR_LOCAL:
    case EXPR_AT:
    case EXPR_LOCAL_AT: put_read(a, &node); break;
    case EXPR_TABLE: put_table_term(a, &node); break;
    case EXPR_FAIL: add(a, "0"); break; /* never evaluated */
    case EXPR_WITHIN: put_term(a, node.a); break;
    case EXPR_CHOOSE: put_if(a, node.a, &node.b, &node.c, 0); break;
    case EXPR_NOT:
        add(a, "(1 - ");
        put_term(a, node.a);
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
        } else if (node.op == EXPR_CUT) put_term(a, node.a);
        else if (node.is_bool) {
            add(a, "(if ");
            put_comparison(a, &node, false);
            add(a, " then 1 else 0)");
        } else put_arithmetic(a, &node);
    }
    leave(a);
}

/* ---- conditions ---- */

static void put_condition(struct automata *a, expr e)
{
    if (a->dialect == AUTOMATA_XTA) put(a, e, ANY);
    else put_predicate(a, e);
}

/* Parts of a conjunction; in TCK with what they are defined under. */
static void add_conjuncts(struct automata *a, expr e, struct automata_list *list)
{
    const struct expr_node node = *expr_get(exprs_of(a), e);
    if (expr_is_true(exprs_of(a), e)) return;
    if (node.op == EXPR_AND) {
        add_conjuncts(a, node.a, list);
        add_conjuncts(a, node.b, list);
        return;
    }
    automata_next(a, list);
    if (a->dialect == AUTOMATA_XTA) put(a, e, AND);
    else put_predicate(a, e);
}

void automata_expr(struct automata *a, expr e) { put_condition(a, e); }

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
        put_not(a, constraint->when);
        add(a, " || ");
    }
    if (is_lower || constraint->y == MODEL_NONE)
        add(a, clock_of(a, is_lower ? constraint->y : constraint->x));
    else text_add(a->out, "%s - %s", clock_of(a, constraint->x), clock_of(a, constraint->y));
    text_add(a->out, " %c%s ", is_lower ? '>' : '<', constraint->strict ? "" : "=");
    if (!constraint->varies)
        put_constant(a, is_lower ? -constraint->bound : constraint->bound, false);
    else {
        add(a, is_lower ? "-(" : "(");
        put_number(a, constraint->value);
        add(a, ")");
    }
    if (constraint->is_conditional) add(a, ")");
}

static void put_formula(struct automata *a, formula f, enum level level)
{
    static const struct {
        const char *symbol;
        enum level level;
    } connectives[FORMULA_OPS] = {[FORMULA_AND] = {" && ", AND},
                                  [FORMULA_OR] = {" || ", OR},
                                  [FORMULA_IMPLIES] = {" || ", OR},
                                  [FORMULA_IFF] = {" == ", EQUAL}};
    const struct formula_node node = *formula_get(&a->model->formulas, f);
    struct automata_list list = {"", "", 0};
    if (node.op == FORMULA_ATOM) put(a, node.atom, level);
    else if (node.op == FORMULA_DEADLOCK) add(a, "deadlock");
    else if (node.op == FORMULA_CLOCK) {
        bool is_open = open(a, level > ANY);
        automata_constraint(a, &a->model->constraints.data[node.constraint], &list);
        close(a, is_open);
    } else if (node.op == FORMULA_NOT) {
        add(a, "!");
        put_formula(a, node.a, UNARY);
    } else {
        const enum level own = connectives[node.op].level;
        bool is_open = open(a, level > own);
        if (node.op == FORMULA_IMPLIES) add(a, "!");
        put_formula(a, node.a, node.op == FORMULA_IMPLIES ? UNARY : own + (own == EQUAL));
        add(a, connectives[node.op].symbol);
        put_formula(a, node.b, own + (own == EQUAL));
        close(a, is_open);
    }
}

void automata_formula(struct automata *a, formula f) { put_formula(a, f, ANY); }

/* ---- statements ---- */

static void begin(struct automata *a)
{
    if (a->dialect == AUTOMATA_XTA) text_add(a->out, "%*s", (int)(4 * a->indent), "");
    else if (!a->is_first) add(a, "; ");
    a->is_first = false;
    if (++a->statements > MOST_STATEMENTS)
        automata_refuse(a, (struct place){0}, "its text would be too large");
    mem_look(a->model->mem);
}

static void end(struct automata *a)
{
    if (a->dialect == AUTOMATA_XTA) add(a, ";\n");
}

/* A block under a condition, which the caller writes between the two. */
static void begin_block(struct automata *a, const char *xta, const char *tck)
{
    begin(a);
    add(a, a->dialect == AUTOMATA_XTA ? xta : tck);
}

static void open_block(struct automata *a, const char *tck)
{
    add(a, a->dialect == AUTOMATA_XTA ? ") {\n" : tck);
    a->indent++;
    a->is_first = true;
}

static void close_block(struct automata *a, bool is_else)
{
    if (a->is_first && a->dialect == AUTOMATA_TCK) add(a, "nop");
    a->indent--;
    if (a->dialect == AUTOMATA_XTA)
        text_add(a->out, is_else ? "%*s} else {\n" : "%*s}\n", (int)(4 * a->indent), "");
    else add(a, is_else ? " else " : " end");
    a->is_first = is_else;
    if (is_else) a->indent++;
}

/* A name for number n of a kind, the same every time. */
static const char *nth(struct automata *a, struct automata_words *words, const char *stem,
                       uint32_t n)
{
    for (uint32_t i = words->list.len; i <= n; i++) {
        const char *name = names_format(&a->model->names, "%s_%" PRIu32, stem, i);
        vec_push(a->model->mem, &words->list, automata_pick(a, 0, name));
    }
    return words->list.data[n];
}

/* TCK: nothing that is evaluated fails. */
static void demand(struct automata *a, expr cond, bool is_negated)
{
    assert(a->dialect == AUTOMATA_TCK);
    if (is_negated ? expr_is_false(exprs_of(a), cond) : expr_is_true(exprs_of(a), cond)) return;
    begin(a);
    a->uses_must = true;
    text_add(a->out, "%s = (if ", a->must);
    put_predicate(a, cond);
    add(a, is_negated ? " then 1 else 0)" : " then 0 else 1)");
}

static void demand_defined(struct automata *a, expr e)
{
    if (a->dialect == AUTOMATA_TCK && expr_get(exprs_of(a), e)->may_fail)
        demand(a, numbers_defined(&a->numbers, e), false);
}

/* Between which numbers a cell lies, as it is declared. */
static void declared_range(const struct automata *a, const struct cell *cell, int64_t *low,
                           int64_t *high)
{
    const struct automata_array *array = cell->local ? &a->locals.data[a->local_of[cell->base]]
                                                     : &a->arrays.data[a->array_of[cell->base]];
    const bool is_free = cell->local && a->dialect == AUTOMATA_TCK; /* locals there have no range */
    *low = is_free ? -(int64_t)NUMBER_MAX : array->low;
    *high = is_free ? NUMBER_MAX : array->high;
}

/* What is assigned to a variable of that range: a test that this makes anyway is left out. */
static expr tested_by(const struct automata *a, expr e, int64_t low, int64_t high)
{
    const struct exprs *exprs = exprs_of(a);
    const struct expr_node *node = expr_get(exprs, e);
    return node->op == EXPR_WITHIN && expr_get(exprs, node->b)->value <= low
                   && expr_get(exprs, node->c)->value >= high
               ? node->a
               : e;
}

static void put_set(struct automata *a, const struct cell *cell, expr value)
{
    int64_t low, high;
    declared_range(a, cell, &low, &high);
    value = tested_by(a, value, low, high);
    demand_defined(a, value);
    demand_defined(a, cell->offset);
    begin(a);
    put_cell(a, cell->local, cell->base, cell->offset, 0);
    add(a, " = ");
    put_number(a, value);
    end(a);
}

/* A local of the function, with its first value. */
static void declare(struct automata *a, const char *name, expr value)
{
    demand_defined(a, value);
    begin(a);
    text_add(a->out, "%s %s = ", a->dialect == AUTOMATA_XTA ? "num" : "local", name);
    put_number(a, value);
    end(a);
}

/* Cells are read before the first one is written. */
static void put_copy(struct automata *a, const struct code_node *node)
{
    demand_defined(a, node->source.offset);
    demand_defined(a, node->target.offset);
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < node->cells && !a->refusal.reason; i++) {
            const char *name = nth(a, &a->temps, "new", a->used_temps + i);
            begin(a);
            if (!round) text_add(a->out, "%s = ", name);
            if (!round) put_cell(a, node->source.local, node->source.base, node->source.offset, i);
            else put_cell(a, node->target.local, node->target.base, node->target.offset, i);
            if (round) text_add(a->out, " = %s", name);
            end(a);
        }
}

static bool may_leave(struct automata *a, statement at)
{
    const struct code_node *node = &a->model->code.data[at.i];
    enum { NO = 1, YES = 2 };
    if (!a->leaves[at.i]) {
        bool found = node->op == CODE_LEAVE;
        if (node->op == CODE_IF || node->op == CODE_WHILE) {
            const statement blocks[] = {node->body,
                                        node->op == CODE_IF ? node->other : code_none()};
            for (unsigned i = 0; i < 2; i++)
                for (statement s = blocks[i]; !code_is_none(s); s = a->model->code.data[s.i].next)
                    found |= may_leave(a, s);
        }
        a->leaves[at.i] = found ? YES : NO;
    }
    return a->leaves[at.i] == YES;
}

static void put_flag_test(struct automata *a, uint32_t depth, const char *behind)
{
    text_add(a->out, a->dialect == AUTOMATA_XTA ? "!%s%s" : "%s == 0%s",
             nth(a, &a->flags, "left", depth), behind);
}

static void set_flag(struct automata *a, uint32_t depth, bool value)
{
    const char *name = nth(a, &a->flags, "left", depth);
    if (depth >= a->used_flags) a->used_flags = depth + 1;
    begin(a);
    if (a->dialect == AUTOMATA_XTA) text_add(a->out, "%s = %s", name, value ? "true" : "false");
    else text_add(a->out, "%s = %d", name, value);
    end(a);
}

static void put_block(struct automata *a, statement at, uint32_t depth);

static void put_call(struct automata *a, statement body, uint32_t depth)
{
    bool leaves = false;
    for (statement s = body; !code_is_none(s); s = a->model->code.data[s.i].next)
        leaves |= may_leave(a, s);
    if (leaves) set_flag(a, depth, false);
    if (depth > MOST_NESTED) automata_refuse(a, (struct place){0}, "code is nested too deeply");
    else put_block(a, body, depth);
}

static void put_while(struct automata *a, statement at, uint32_t depth)
{
    const struct code_node node = a->model->code.data[at.i];
    demand_defined(a, node.value);
    begin_block(a, "while (", "while ");
    if (may_leave(a, at)) put_flag_test(a, depth, " && ");
    if (a->dialect == AUTOMATA_XTA) put(a, node.value, may_leave(a, at) ? AND : ANY);
    else put_predicate(a, node.value);
    open_block(a, " do ");
    put_block(a, node.body, depth);
    demand_defined(a, node.value);
    close_block(a, false);
}

static void put_branch(struct automata *a, const struct code_node *node, uint32_t depth)
{
    demand_defined(a, node->value);
    begin_block(a, "if (", "if ");
    put_condition(a, node->value);
    open_block(a, " then ");
    put_block(a, node->body, depth);
    if (!code_is_none(node->other)) {
        close_block(a, true);
        put_block(a, node->other, depth);
    }
    close_block(a, false);
}

/* In the guard the rule is not enabled; where the effect runs, the guard has said so. */
static void put_require(struct automata *a, expr cond)
{
    if (a->dialect == AUTOMATA_TCK) {
        demand_defined(a, cond);
        demand(a, cond, false);
    } else if (a->in_guard) {
        begin(a);
        add(a, "if (");
        put_not(a, cond);
        add(a, ") return false;\n");
    }
}

static void put_statement(struct automata *a, statement at, uint32_t depth)
{
    const struct code_node node = a->model->code.data[at.i];
    switch ((enum code_op)node.op) {
    case CODE_SET: put_set(a, &node.target, node.value); break;
    case CODE_COPY: put_copy(a, &node); break;
    case CODE_REQUIRE: put_require(a, node.value); break;
    case CODE_IF: put_branch(a, &node, depth); break;
    case CODE_WHILE: put_while(a, at, depth); break;
    case CODE_CALL: put_call(a, node.body, depth + 1); break;
    case CODE_LEAVE: set_flag(a, depth, true); break;
    }
}

static void put_block(struct automata *a, statement at, uint32_t depth)
{
    const struct model *model = a->model;
    uint32_t opened = 0;
    enter(a);
    for (; !code_is_none(at) && !a->refusal.reason; at = model->code.data[at.i].next) {
        put_statement(a, at, depth);
        if (model->code.data[at.i].op == CODE_LEAVE) break; /* what follows is never reached */
        if (!may_leave(a, at) || code_is_none(model->code.data[at.i].next)) continue;
        begin_block(a, "if (", "if ");
        put_flag_test(a, depth, "");
        open_block(a, " then ");
        opened++;
    }
    while (opened--) close_block(a, false);
    leave(a);
}

/* ---- locals of a rule ---- */

static void use_local(struct automata *a, uint32_t local)
{
    const uint32_t array = a->local_of[local];
    if (a->local_seen[array] == a->walk) return;
    a->local_seen[array] = a->walk;
    vec_push(a->model->mem, &a->used_locals, array);
}

static void use_expr(struct automata *a, expr e)
{
    const struct expr_node *node = expr_get(exprs_of(a), e);
    while (a->expr_seen.len <= e.i) vec_push(a->model->mem, &a->expr_seen, 0);
    if (a->expr_seen.data[e.i] == a->walk) return;
    a->expr_seen.data[e.i] = a->walk;
    if (node->op == EXPR_LOCAL || node->op == EXPR_LOCAL_AT) use_local(a, (uint32_t)node->value);
    const expr operands[] = {node->a, node->b, node->c};
    for (unsigned i = 0; i < expr_table[node->op].arity; i++) use_expr(a, operands[i]);
}

static void use_cells(struct automata *a, const struct cell *cell, uint32_t count)
{
    use_expr(a, cell->offset);
    for (uint32_t i = 0; cell->local && i < count; i++) use_local(a, cell->base + i);
}

/* How many cells are copied at once, at most. */
static uint32_t use_code(struct automata *a, statement at)
{
    uint32_t most = 0;
    for (; !code_is_none(at); at = a->model->code.data[at.i].next) {
        const struct code_node *node = &a->model->code.data[at.i];
        if (a->code_seen[at.i] == a->walk) return most; /* the rest of the sequence was, too */
        a->code_seen[at.i] = a->walk;
        if (node->op == CODE_SET || node->op == CODE_COPY) {
            const bool copies = node->op == CODE_COPY;
            const struct expr_node *to = expr_get(exprs_of(a), node->target.offset);
            const uint32_t more = copies ? node->cells : 1;
            use_cells(a, &node->target,
                      to->op == EXPR_CONST ? (uint32_t)to->value + more : node->target.count);
            if (copies) {
                const struct expr_node *from = expr_get(exprs_of(a), node->source.offset);
                use_cells(a, &node->source,
                          from->op == EXPR_CONST ? (uint32_t)from->value + more
                                                 : node->source.count);
                if (node->cells > most) most = node->cells;
            }
        }
        if (node->op != CODE_COPY && node->op != CODE_CALL && node->op != CODE_LEAVE)
            use_expr(a, node->value);
        if (node->op == CODE_IF || node->op == CODE_WHILE || node->op == CODE_CALL) {
            uint32_t inside = use_code(a, node->body);
            if (inside > most) most = inside;
        }
        if (node->op == CODE_IF) {
            uint32_t inside = use_code(a, node->other);
            if (inside > most) most = inside;
        }
    }
    return most;
}

static void declare_local(struct automata *a, const struct automata_array *array)
{
    const struct model *model = a->model;
    begin(a);
    if (a->dialect == AUTOMATA_TCK) {
        if (array->count == 1) text_add(a->out, "local %s = %" PRId64, array->name, array->low);
        else text_add(a->out, "local %s[%" PRIu32 "]", array->name, array->count);
        for (uint32_t i = 0; array->count > 1 && i < array->count; i++) {
            int64_t low = model->locals.data[array->first + i].low;
            if (low) text_add(a->out, "; %s[%" PRIu32 "] = %" PRId64, array->name, i, low);
        }
        return;
    }
    text_add(a->out, "int[%" PRId64 ",%" PRId64 "] %s", array->low, array->high, array->name);
    if (array->count == 1) text_add(a->out, " = %" PRId64, array->low);
    else text_add(a->out, "[%" PRIu32 "] = {", array->count);
    for (uint32_t i = 0; array->count > 1 && i < array->count; i++)
        text_add(a->out, i ? ", %" PRId64 : "%" PRId64, model->locals.data[array->first + i].low);
    add(a, array->count > 1 ? "};\n" : ";\n");
}

static void declare_locals(struct automata *a)
{
    for (uint32_t i = 0; i < a->used_locals.len; i++)
        declare_local(a, &a->locals.data[a->used_locals.data[i]]);
    for (uint32_t i = 0; i < a->copied_cells; i++)
        declare(a, nth(a, &a->temps, "new", a->used_temps + i), expr_int(exprs_of(a), 0));
}

static void declare_flags(struct automata *a)
{
    for (uint32_t i = 0; i < a->used_flags; i++) {
        begin(a);
        text_add(a->out, a->dialect == AUTOMATA_XTA ? "bool %s = false" : "local %s = 0",
                 nth(a, &a->flags, "left", i));
        end(a);
    }
}

/* ---- effects ---- */

static bool is_location_store(const struct automata *a, const struct rule_store *store)
{
    return automaton_of(a, store->var) != MODEL_NONE;
}

struct conflict {
    struct automata *a;
    bool found;
};

static void look_at(void *context, uint32_t var)
{
    struct conflict *c = context;
    c->found |= c->a->written[var] == c->a->walk;
}

/* Whether one assignment after the other does something else than all at once. */
static bool stores_conflict(struct automata *a, const struct model_rule *rule)
{
    struct conflict conflict = {.a = a};
    a->walk++;
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &a->model->stores.data[rule->first_store + i];
        expr_each_var(exprs_of(a), store->value, look_at, &conflict);
        if (!is_location_store(a, store)) a->written[store->var] = a->walk;
    }
    return conflict.found;
}

static struct cell cell_of(struct automata *a, uint32_t var)
{
    return (struct cell){.base = var, .count = 1, .offset = expr_int(exprs_of(a), 0)};
}

/* The stores, as statements: those of locations, which are constants, come last. */
static void put_stores(struct automata *a, const struct model_rule *rule, bool by_temps)
{
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < rule->stores; i++) {
            const struct rule_store store = a->model->stores.data[rule->first_store + i];
            const uint32_t p = automaton_of(a, store.var);
            const struct cell cell = cell_of(a, store.var);
            if ((p != MODEL_NONE) != round || (round && !a->in_guard && !a->is_numbered[p]))
                continue;
            if (!by_temps || round) {
                put_set(a, &cell, store.value);
                continue;
            }
            begin(a);
            put_cell(a, false, store.var, cell.offset, 0);
            text_add(a->out, " = %s", nth(a, &a->temps, "new", i));
            end(a);
        }
}

static void declare_temps(struct automata *a, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store store = a->model->stores.data[rule->first_store + i];
        const struct automata_array *array = &a->arrays.data[a->array_of[store.var]];
        if (!is_location_store(a, &store))
            declare(a, nth(a, &a->temps, "new", i),
                    tested_by(a, store.value, array->low, array->high));
    }
}

static void use_locals(struct automata *a, const struct model_rule *rule)
{
    a->walk++;
    a->used_locals.len = 0;
    a->copied_cells = use_code(a, rule->body);
}

static void declare_setters(struct automata *a, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t var = a->model->accesses.data[rule->first_write + i];
        if (a->sets[var] == MODEL_NONE) continue;
        begin(a);
        if (a->dialect == AUTOMATA_XTA)
            text_add(a->out, "int[%" PRId64 ",%" PRId64 "]", a->model->vars.data[var].low,
                     a->model->vars.data[var].high);
        else add(a, "local");
        text_add(a->out, " %s = -1", a->setter[a->sets[var]]);
        end(a);
    }
}

static void put_setters(struct automata *a, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t clock = a->sets[a->model->accesses.data[rule->first_write + i]];
        if (clock == MODEL_NONE) continue;
        begin_block(a, "if (", "if ");
        text_add(a->out, "%s >= 0", a->setter[clock]);
        open_block(a, " then ");
        begin(a);
        text_add(a->out, "%s = %s", a->clock[clock], a->setter[clock]);
        end(a);
        close_block(a, false);
    }
}

/* ---- whether a rule with a timer is enabled ---- */

static bool body_blocks(struct automata *a, uint32_t r)
{
    const struct model_rule *rule = &a->model->rules.data[r];
    return !code_is_none(rule->body) && model_may_block(a->model, rule->body, a->blocks);
}

static bool fixes(const struct automata *a, expr cond, uint32_t process)
{
    const struct exprs *exprs = exprs_of(a);
    const struct expr_node *node = expr_get(exprs, cond);
    return process != MODEL_NONE && node->op == EXPR_EQ && expr_get(exprs, node->a)->op == EXPR_VAR
           && expr_get(exprs, node->a)->value == a->model->processes.data[process].location
           && expr_get(exprs, node->b)->op == EXPR_CONST;
}

/* A condition that fails counts as true. */
static expr enabled_condition(struct automata *a, uint32_t r, uint32_t process)
{
    struct exprs *exprs = exprs_of(a);
    const struct model_rule rule = a->model->rules.data[r];
    expr all = expr_bool(exprs, true);
    uint32_t skipped = MODEL_NONE;
    for (uint32_t i = 0; skipped == MODEL_NONE && i < rule.conjuncts; i++)
        if (fixes(a, a->model->conjuncts.data[rule.first_conjunct + i].cond, process)) skipped = i;
    for (uint32_t i = rule.conjuncts; i--;) {
        expr cond = a->model->conjuncts.data[rule.first_conjunct + i].cond;
        if (i == skipped) continue;
        all = expr_make(exprs, EXPR_AND, 0, cond, all);
        if (expr_get(exprs, cond)->may_fail)
            all = expr_make(exprs, EXPR_IMPLIES, 0, numbers_defined(&a->numbers, cond), all);
    }
    return all;
}

static const char *can(struct automata *a, uint32_t r);

static void put_enabled(struct automata *a, uint32_t r)
{
    expr all = enabled_condition(a, r, MODEL_NONE);
    put(a, all, AND);
    if (body_blocks(a, r)) text_add(a->out, " && %s()", can(a, r));
}

/* XTA: a function that says so. */
static const char *enabled(struct automata *a, uint32_t r)
{
    if (!a->enabled[r])
        a->enabled[r] = automata_pick(
            a, 0, names_format(&a->model->names, "enabled_%.60s", a->model->rules.data[r].label));
    if (a->enabled_at[r] == a->pass) return a->enabled[r];
    a->enabled_at[r] = a->pass;
    struct text body, *outer = a->out;
    automata_open(a, &body);
    a->out = &body;
    put_enabled(a, r);
    a->out = outer;
    text_add(&a->functions, "bool %s() { return %s; }\n", a->enabled[r], body.data);
    text_free(&body);
    return a->enabled[r];
}

/* ---- timers that a step sets ---- */

static bool is_known_store(const struct automata *a, const struct model_rule *rule, uint32_t var,
                           int64_t *value)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &a->model->stores.data[rule->first_store + i];
        const struct expr_node *node = expr_get(exprs_of(a), store->value);
        if (store->var != var) continue;
        *value = node->value;
        return !store->provisional && node->op == EXPR_CONST;
    }
    return false;
}

/* What constants say of a timer: the rule was not enabled before the step, or is not behind it. */
static void foresee(const struct automata *a, const struct model_rule *taken,
                    const struct model_rule *other, bool *off_before, bool *off_after)
{
    const struct exprs *exprs = exprs_of(a);
    *off_before = *off_after = false;
    for (uint32_t i = 0; i < other->conjuncts; i++) {
        const struct expr_node *node =
            expr_get(exprs, a->model->conjuncts.data[other->first_conjunct + i].cond);
        int64_t value;
        if (node->may_fail) return;
        if (node->op != EXPR_EQ || expr_get(exprs, node->a)->op != EXPR_VAR
            || expr_get(exprs, node->b)->op != EXPR_CONST)
            continue;
        const uint32_t var = (uint32_t)expr_get(exprs, node->a)->value;
        const int64_t wanted = expr_get(exprs, node->b)->value;
        if (model_rule_requires(a->model, (uint32_t)(taken - a->model->rules.data), var, &value))
            *off_before |= value != wanted;
        if (is_known_store(a, taken, var, &value)) *off_after |= value != wanted;
    }
}

static void consider(struct automata *a, uint32_t taken, uint32_t other)
{
    const struct model *model = a->model;
    bool off_before, off_after;
    if (a->seen[other] == a->walk) return;
    a->seen[other] = a->walk;
    assert(a->timer[other]);
    if (timed_restarts(model, taken, other)) {
        vec_push(model->mem, &a->resets, other);
        return;
    }
    foresee(a, &model->rules.data[taken], &model->rules.data[other], &off_before, &off_after);
    if (off_after) return;
    if (off_before) vec_push(model->mem, &a->resets, other);
    else vec_push(model->mem, &a->asked, other);
}

static void find_affected(struct automata *a, uint32_t r)
{
    const struct model *model = a->model;
    const struct model_rule *rule = &model->rules.data[r];
    a->walk++;
    a->resets.len = a->asked.len = 0;
    if (a->timer[r]) consider(a, r, r);
    for (uint32_t i = 0; i < rule->parts; i++) {
        const struct rule_part *part = &model->parts.data[rule->first_part + i];
        if (part->process == MODEL_NONE || part->stays) continue;
        for (uint32_t k = a->first_resident[part->process];
             k < a->first_resident[part->process + 1]; k++)
            consider(a, r, a->residents[k]);
    }
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t var = model->accesses.data[rule->first_write + i];
        for (uint32_t k = a->first_reader[var]; k < a->first_reader[var + 1]; k++)
            consider(a, r, a->readers[k]);
    }
}

static void declare_was(struct automata *a)
{
    for (uint32_t i = 0; i < a->asked.len; i++) {
        const char *name = nth(a, &a->wases, "was", i);
        begin(a);
        if (a->dialect == AUTOMATA_XTA)
            text_add(a->out, "bool %s = %s()", name, enabled(a, a->asked.data[i]));
        else {
            text_add(a->out, "local %s = ", name);
            put_term(a, enabled_condition(a, a->asked.data[i], MODEL_NONE));
        }
        end(a);
    }
}

static void put_asked(struct automata *a)
{
    for (uint32_t i = 0; i < a->asked.len; i++) {
        const uint32_t other = a->asked.data[i];
        const char *name = nth(a, &a->wases, "was", i);
        begin_block(a, "if (", "if ");
        if (a->dialect == AUTOMATA_XTA) text_add(a->out, "!%s && %s()", name, enabled(a, other));
        else {
            text_add(a->out, "%s == 0 && ", name);
            put_predicate(a, enabled_condition(a, other, MODEL_NONE));
        }
        open_block(a, " then ");
        begin(a);
        text_add(a->out, "%s = 0", a->timer[other]);
        end(a);
        close_block(a, false);
    }
}

/* ---- functions of a rule ---- */

/* XTA: variables that the guard tries the effect on. */
static void declare_copies(struct automata *a)
{
    for (uint32_t i = 0; i < a->copied.len; i++) {
        struct automata_array *array = &a->arrays.data[a->copied.data[i]];
        const uint32_t p = automaton_of(a, array->first);
        if (p != MODEL_NONE) a->is_numbered[p] = true;
        if (!array->copy)
            array->copy =
                automata_pick(a, 0, names_format(&a->model->names, "%.200s_next", array->name));
        begin(a);
        text_add(a->out, "int[%" PRId64 ",%" PRId64 "] %s", array->low, array->high, array->copy);
        if (array->count > 1) text_add(a->out, "[%" PRIu32 "]", array->count);
        else text_add(a->out, " = %s", array->name);
        end(a);
    }
}

/* From here on the copies are meant. */
static void fill_copies(struct automata *a)
{
    for (uint32_t i = 0; i < a->copied.len; i++) {
        struct automata_array *array = &a->arrays.data[a->copied.data[i]];
        array->is_copied = true;
        if (array->count == 1) continue;
        begin(a);
        text_add(a->out, "%s = %s", array->copy, array->name);
        end(a);
    }
}

static void find_copied(struct automata *a, const struct model_rule *rule)
{
    a->walk++;
    a->copied.len = 0;
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t var = a->model->accesses.data[rule->first_write + i],
                 first = a->arrays.data[a->array_of[var]].first;
        if (a->sets[var] != MODEL_NONE || a->written[first] == a->walk) continue;
        a->written[first] = a->walk;
        vec_push(a->model->mem, &a->copied, a->array_of[var]);
    }
}

/* Everything but what constants say of clocks. Declarations come first. */
static void put_effect(struct automata *a, uint32_t r)
{
    const struct model_rule rule = a->model->rules.data[r];
    const bool by_temps = stores_conflict(a, &rule);
    struct text body, *outer = a->out;
    use_locals(a, &rule);
    a->used_temps = by_temps ? rule.stores : 0;
    a->used_flags = 0;
    if (!a->in_guard) declare_was(a);
    else declare_copies(a);
    declare_locals(a);
    declare_setters(a, &rule);
    if (by_temps) declare_temps(a, &rule);
    const bool first = a->is_first;
    automata_open(a, &body); /* which says what flags are needed */
    a->out = &body;
    if (a->in_guard) fill_copies(a);
    put_stores(a, &rule, by_temps);
    if (!code_is_none(rule.body)) put_call(a, rule.body, 0);
    put_setters(a, &rule);
    if (!a->in_guard) put_asked(a);
    a->out = outer;
    const bool is_empty = a->is_first;
    a->is_first = first;
    declare_flags(a);
    if (a->dialect == AUTOMATA_TCK && first && a->used_flags) add(a, "; ");
    a->is_first &= is_empty;
    add(a, body.data);
    text_free(&body);
}

/* XTA: whether the body lets the rule go. */
static const char *can(struct automata *a, uint32_t r)
{
    const struct model_rule *rule = &a->model->rules.data[r];
    struct text whole, *outer = a->out;
    const uint32_t indent = a->indent;
    if (!a->can[r])
        a->can[r] = automata_pick(a, 0, names_format(&a->model->names, "can_%.60s", rule->label));
    if (a->can_at[r] == a->pass) return a->can[r];
    a->can_at[r] = a->pass;
    automata_open(a, &whole);
    a->out = &whole;
    a->indent = 1;
    a->in_guard = true;
    find_copied(a, rule);
    put_effect(a, r);
    for (uint32_t i = 0; i < a->copied.len; i++)
        a->arrays.data[a->copied.data[i]].is_copied = false;
    a->in_guard = false;
    a->out = outer;
    a->indent = indent;
    text_add(&a->functions, "bool %s() {\n%s    return true;\n}\n", a->can[r], whole.data);
    text_free(&whole);
    return a->can[r];
}

/* ---- edges ---- */

static bool is_said(const struct automata *a, expr cond, const struct automata_movers *movers,
                    bool first_only, uint64_t *said)
{
    for (uint32_t i = 0; i < movers->list.len && (!first_only || !i); i++)
        if (movers->list.data[i].is_fixed && i < 64 && !(*said >> i & 1)
            && fixes(a, cond, movers->list.data[i].process)) {
            *said |= UINT64_C(1) << i;
            return true;
        }
    return false;
}

/* It cannot be evaluated where it fails; XTA lets it fail, unless it must not. */
static void add_safely(struct automata *a, expr cond, bool may_fail, struct automata_list *list)
{
    if (!may_fail && expr_get(exprs_of(a), cond)->may_fail)
        add_conjuncts(a, numbers_defined(&a->numbers, cond), list);
    add_conjuncts(a, cond, list);
}

void automata_guard(struct automata *a, uint32_t r, const struct automata_movers *movers,
                    bool first_only, bool is_forbidden, struct automata_list *list)
{
    struct model *model = a->model;
    struct exprs *exprs = exprs_of(a);
    const struct model_rule rule = model->rules.data[r];
    const bool fails = a->dialect == AUTOMATA_XTA;
    uint64_t said = 0;
    for (uint32_t i = 0; i < rule.conjuncts; i++) {
        expr cond = model->conjuncts.data[rule.first_conjunct + i].cond;
        if (!is_said(a, cond, movers, first_only, &said)) add_safely(a, cond, fails, list);
    }
    if (rule.asks && !is_forbidden) add_safely(a, rule.permit, false, list);
    if (is_forbidden) {
        expr both =
            expr_make(exprs, EXPR_AND, 0, numbers_defined(&a->numbers, rule.permit), rule.permit);
        add_conjuncts(a, expr_make(exprs, EXPR_NOT, 0, both, both), list);
    }
    if (a->dialect == AUTOMATA_XTA && body_blocks(a, r)) {
        const char *name = can(a, r);
        automata_next(a, list);
        text_add(a->out, "%s()", name);
    }
    for (uint32_t i = 0; i < rule.guards; i++)
        automata_constraint(a, &model->constraints.data[rule.first_guard + i], list);
    if (rule.interval == MODEL_NONE) return;
    const struct model_interval *interval = &model->intervals.data[rule.interval];
    if (!interval->low && !interval->low_open) return;
    automata_next(a, list);
    text_add(a->out, "%s %s %" PRId64, a->timer[r], interval->low_open ? ">" : ">=", interval->low);
}

void automata_deadline(struct automata *a, uint32_t r, uint32_t process, struct automata_list *list)
{
    const struct model_interval *interval =
        &a->model->intervals.data[a->model->rules.data[r].interval];
    const expr all = enabled_condition(a, r, process);
    const bool blocks = body_blocks(a, r), always = expr_is_true(exprs_of(a), all) && !blocks;
    if (interval->infinite) return;
    if (a->dialect == AUTOMATA_TCK && !always) {
        automata_refuse(a, automata_place(a, r),
                        "the deadline of '%.60s' depends on more than the location of one process",
                        a->model->rules.data[r].label);
        return;
    }
    const char *name = blocks ? enabled(a, r) : NULL;
    automata_next(a, list);
    if (!always) add(a, "(");
    if (name) text_add(a->out, "!%s()", name);
    else if (!always) put_not(a, all);
    if (!always) add(a, " || ");
    text_add(a->out, "%s %s %" PRId64, a->timer[r],
             interval->high_open ? "<" : "<=", interval->high);
    if (!always) add(a, ")");
}

/* Whether the effect is a list of assignments. */
static bool is_plain(struct automata *a, const struct model_rule *rule)
{
    if (!code_is_none(rule->body) || a->asked.len || stores_conflict(a, rule)) return false;
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &a->model->stores.data[rule->first_store + i];
        if (a->sets[store->var] != MODEL_NONE
            && expr_get(exprs_of(a), store->value)->op != EXPR_CONST)
            return false;
    }
    return true;
}

static void list_stores(struct automata *a, const struct model_rule *rule,
                        struct automata_list *list)
{
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < rule->stores; i++) {
            const struct rule_store store = a->model->stores.data[rule->first_store + i];
            const struct automata_array *array = &a->arrays.data[a->array_of[store.var]];
            const uint32_t p = automaton_of(a, store.var), clock = a->sets[store.var];
            if ((p != MODEL_NONE) != round || (round && !a->is_numbered[p])) continue;
            if (clock != MODEL_NONE && expr_get(exprs_of(a), store.value)->value < 0) continue;
            automata_next(a, list);
            if (clock != MODEL_NONE) add(a, a->clock[clock]);
            else put_cell(a, false, store.var, expr_int(exprs_of(a), 0), 0);
            add(a, " = ");
            put(a, tested_by(a, store.value, array->low, array->high), ANY);
        }
}

static void list_resets(struct automata *a, const struct model_rule *rule,
                        struct automata_list *list)
{
    for (uint32_t i = 0; i < rule->resets; i++) {
        const struct clock_reset *reset = &a->model->resets.data[rule->first_reset + i];
        automata_next(a, list);
        text_add(a->out, "%s = %" PRId64, a->clock[reset->clock], reset->value);
    }
    for (uint32_t i = 0; i < a->resets.len; i++) {
        automata_next(a, list);
        text_add(a->out, "%s = 0", a->timer[a->resets.data[i]]);
    }
}

static const char *take(struct automata *a, uint32_t r)
{
    struct text whole, *outer = a->out;
    const uint32_t indent = a->indent;
    if (!a->take[r])
        a->take[r] = automata_pick(
            a, 0, names_format(&a->model->names, "take_%.60s", a->model->rules.data[r].label));
    automata_open(a, &whole);
    a->out = &whole;
    a->indent = 1;
    put_effect(a, r);
    a->out = outer;
    a->indent = indent;
    text_add(&a->functions, "void %s() {\n%s}\n", a->take[r], whole.data);
    text_free(&whole);
    return a->take[r];
}

void automata_effect(struct automata *a, uint32_t r, struct automata_list *list)
{
    const struct model_rule rule = a->model->rules.data[r];
    find_affected(a, r);
    for (uint32_t i = 0; a->dialect == AUTOMATA_XTA && i < a->asked.len; i++)
        enabled(a, a->asked.data[i]); /* its function comes first */
    list_resets(a, &rule, list);
    if (a->dialect == AUTOMATA_TCK) {
        struct text whole, *outer = a->out;
        automata_open(a, &whole);
        a->out = &whole;
        a->is_first = true;
        put_effect(a, r);
        a->out = outer;
        if (whole.len) {
            automata_next(a, list);
            add(a, whole.data);
        }
        text_free(&whole);
    } else if (is_plain(a, &rule)) list_stores(a, &rule, list);
    else {
        const char *name = take(a, r);
        automata_next(a, list);
        text_add(a->out, "%s()", name);
    }
}
