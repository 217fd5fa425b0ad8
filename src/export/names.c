/* Names. A model's names (`p[0].x`) are shown to people; target languages want identifiers that are no words of theirs. Every
 * run of other characters becomes one underscore; a name that is reserved or already used gets `__` behind it.
 *
 * Numbers. Spin and NuSMV compute with 32-bit signed integers, the model with up to 63 bits. The bounds below are the
 * simplest that are sound: each operator is bounded by the bounds of its operands, memorised per node because nodes are shared.
 * A model is refused when an intermediate result could leave the range, although a cleverer analysis might accept it.
 *
 * Division. A rule that divides by zero is no transition. Both target languages would stop with an error instead, so the
 * exports write the condition that a rule is defined next to its guard; then the division is never reached. */
#include "export/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- names ---- */

enum { RESERVED_SCOPE = 0xFFFFFFFE };

static const char *intern(struct naming *naming, const char *text)
{
    return names_intern(&naming->model->names, text, strlen(text));
}

void names_start(struct naming *naming, struct model *model, const char *const *reserved, bool capitals_taken)
{
    *naming = (struct naming){.model = model, .capitals_taken = capitals_taken};
    map_init(&naming->taken, model->mem);
    for (; *reserved; reserved++) map_add(&naming->taken, intern(naming, *reserved), RESERVED_SCOPE, 0);
}

void names_finish(struct naming *naming)
{
    mem_free(naming->model->mem, naming->taken.entries);
}

/* Macros have no double underscore inside, and single letters are no macros. */
static bool looks_like_macro(const char *name)
{
    if (!name[1] || strstr(name, "__")) return false;
    for (; *name; name++)
        if (islower((unsigned char)*name)) return false;
    return true;
}

static void add_identifier(struct text *text, const char *wanted)
{
    if (!isalpha((unsigned char)*wanted)) text_add(text, "v_");
    while (*wanted == '_') wanted++;
    for (; *wanted; wanted++) {
        if (isalnum((unsigned char)*wanted) || *wanted == '_') text_add(text, "%c", *wanted);
        else if (isalnum((unsigned char)wanted[1])) text_add(text, "_");
    }
}

const char *names_pick(struct naming *naming, uint32_t scope, const char *wanted)
{
    struct text text;
    text_init(&text, naming->model->mem);
    add_identifier(&text, wanted);
    const char *name = intern(naming, text.data);
    while (map_get(&naming->taken, name, RESERVED_SCOPE) != MAP_NONE || (naming->capitals_taken && looks_like_macro(name))
           || !map_add(&naming->taken, name, scope, 0)) {
        text_add(&text, "__");
        name = intern(naming, text.data);
    }
    text_free(&text);
    return name;
}

void names_print_comment(FILE *out, const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ') fputc(' ', out);
        else if ((text[0] == '*' && text[1] == '/') || (text[0] == '/' && text[1] == '*')) fprintf(out, "%c ", *text);
        else fputc(*text, out);
    }
}

void names_print_lines(FILE *out, const struct model *model, const struct model_rule *rule)
{
    const struct rule_part *parts = model->parts.data + rule->first_part;
    for (uint32_t i = 0; i < rule->parts; i++)
        if (!parts[i].place.line) return;
    for (uint32_t i = 0; i < rule->parts; i++)
        fprintf(out, "%s%" PRIu32, i ? ", " : rule->parts > 1 ? ", lines " : ", line ", parts[i].place.line);
}

/* ---- numbers ---- */

void numbers_start(struct numbers *numbers, struct model *model, const char *language, unsigned modulus_bits)
{
    *numbers = (struct numbers){.model = model, .language = language, .modulus_bits = modulus_bits};
}

void numbers_finish(struct numbers *numbers)
{
    vec_free(numbers->model->mem, &numbers->largest);
}

static int64_t refuse(struct numbers *numbers, const char *what)
{
    if (!numbers->reason)
        numbers->reason = names_format(&numbers->model->names, "%s: the integers of %s end at %d", what, numbers->language, NUMBER_MAX);
    return NUMBER_MAX;
}

bool numbers_by_zero(const struct exprs *exprs, const struct expr_node *node)
{
    if (node->op != EXPR_DIV && node->op != EXPR_MOD) return false;
    const struct expr_node *divisor = expr_get(exprs, node->b);
    return divisor->op != EXPR_CONST || !divisor->value;
}

/* The largest result of an operator before it is taken modulo 2^bits. */
static int64_t unreduced(const struct expr_node *node, int64_t a, int64_t b)
{
    switch (node->op) {
    case EXPR_ADD: return a + b;
    case EXPR_MUL: return a * b;
    case EXPR_MOD: return b && b - 1 < a ? b - 1 : a;
    default: return a; /* SUB, DIV, CUT */
    }
}

static bool wraps(const struct expr_node *node, int64_t a, int64_t b)
{
    if (node->op == EXPR_SUB) return b != 0;
    return unreduced(node, a, b) > (int64_t)expr_mask(node->bits);
}

static int64_t largest(struct numbers *numbers, expr e);

static int64_t largest_of(struct numbers *numbers, expr e)
{
    struct model *model = numbers->model;
    const struct expr_node *node = expr_get(&model->exprs, e);
    const struct expr_info *info = &expr_table[node->op];
    if (node->op == EXPR_CONST) return node->value <= NUMBER_MAX ? node->value : refuse(numbers, "a constant is too large");
    if (node->op == EXPR_VAR) return model->vars.data[node->value].high;
    int64_t a = largest(numbers, node->a), b = info->arity == 2 ? largest(numbers, node->b) : 0;
    if (numbers->reason || info->gives_bool) return 1;
    int64_t result = unreduced(node, a, b);
    if (result > NUMBER_MAX) return refuse(numbers, "a sum or product may be too large");
    if (!wraps(node, a, b)) return result;
    if (node->bits > numbers->modulus_bits) return refuse(numbers, "arithmetic on numbers of too many bits");
    return (int64_t)expr_mask(node->bits);
}

static int64_t largest(struct numbers *numbers, expr e)
{
    struct exprs *exprs = &numbers->model->exprs;
    while (numbers->largest.len < exprs->nodes.len) vec_push(numbers->model->mem, &numbers->largest, -1);
    if (numbers->largest.data[e.i] < 0) {
        int64_t value = largest_of(numbers, e);
        numbers->largest.data[e.i] = value;
    }
    return numbers->largest.data[e.i];
}

bool numbers_wrap(struct numbers *numbers, expr e)
{
    const struct expr_node *node = expr_get(&numbers->model->exprs, e);
    int64_t a = largest(numbers, node->a), b = expr_table[node->op].arity == 2 ? largest(numbers, node->b) : 0;
    return wraps(node, a, b);
}

static void check_formula(struct numbers *numbers, formula f)
{
    const struct formula_node *node = formula_get(&numbers->model->formulas, f);
    if (node->op == FORMULA_ATOM) largest(numbers, node->atom);
    if (formula_table[node->op].arity >= 1) check_formula(numbers, node->a);
    if (formula_table[node->op].arity >= 2) check_formula(numbers, node->b);
}

const char *numbers_check(struct numbers *numbers)
{
    struct model *model = numbers->model;
    for (uint32_t i = 0; i < model->vars.len && !numbers->reason; i++) {
        const struct model_var *var = &model->vars.data[i];
        if (var->high > NUMBER_MAX || var->low < -(int64_t)NUMBER_MAX)
            refuse(numbers, names_format(&model->names, "the variable '%.60s' has too many values", var->name));
    }
    for (uint32_t i = 0; i < model->conjuncts.len && !numbers->reason; i++) largest(numbers, model->conjuncts.data[i].cond);
    for (uint32_t i = 0; i < model->stores.len && !numbers->reason; i++) largest(numbers, model->stores.data[i].value);
    for (uint32_t i = 0; i < model->properties.len && !numbers->reason; i++) {
        const struct model_property *property = &model->properties.data[i];
        if (property->kind <= PROPERTY_INVARIANT) check_formula(numbers, property->root);
    }
    return numbers->reason;
}

static expr both(struct exprs *exprs, expr a, expr b)
{
    return expr_make(exprs, EXPR_AND, 0, a, b);
}

expr numbers_defined(struct exprs *exprs, expr e)
{
    struct expr_node node = *expr_get(exprs, e); /* a copy: the table grows below */
    if (!node.may_fail) return expr_bool(exprs, true);
    expr a = numbers_defined(exprs, node.a);
    if (expr_table[node.op].arity < 2) return a;
    expr b = numbers_defined(exprs, node.b);
    bool right_is_safe = expr_is_true(exprs, b);
    if (numbers_by_zero(exprs, &node)) b = both(exprs, b, expr_make(exprs, EXPR_NE, 0, node.b, expr_int(exprs, 0)));
    else if (right_is_safe) return a;
    else if (node.op == EXPR_AND || node.op == EXPR_IMPLIES) b = expr_make(exprs, EXPR_IMPLIES, 0, node.a, b);
    else if (node.op == EXPR_OR) b = expr_make(exprs, EXPR_OR, 0, node.a, b);
    return both(exprs, a, b);
}
