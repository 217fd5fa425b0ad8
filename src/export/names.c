/* Names. A model's names (`p[0].x`) are shown to people; target languages want identifiers that are
 * no words of theirs. Every run of other characters becomes one underscore; a name that is reserved
 * or already used gets `__` behind it.
 *
 * Numbers. Spin and NuSMV compute with 32-bit signed integers, the model with up to 64 bits. The
 * bounds below are the simplest that are sound: each operator is bounded by the bounds of its
 * operands, memorised per node because nodes are shared. A model is refused when an intermediate
 * result could leave the range, although a cleverer analysis might accept it; so exact arithmetic
 * never leaves 64 bits in a model that is written.
 *
 * Size. Expressions share nodes, most texts cannot: a model is refused when its text would be too
 * large.
 *
 * Failing. A rule that fails (it divides by zero, an index is outside) is no transition. The target
 * languages would stop with an error instead, or go on, so the exports write the condition that a
 * rule is defined next to its guard; then what fails is never reached. */
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

void names_start(struct naming *naming, struct model *model, const char *const *reserved,
                 bool capitals_taken)
{
    *naming = (struct naming){.model = model, .capitals_taken = capitals_taken};
    map_init(&naming->taken, model->mem);
    for (; *reserved; reserved++)
        map_add(&naming->taken, intern(naming, *reserved), RESERVED_SCOPE, 0);
}

void names_finish(struct naming *naming) { mem_free(naming->model->mem, naming->taken.entries); }

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
    while (map_get(&naming->taken, name, RESERVED_SCOPE) != MAP_NONE
           || (naming->capitals_taken && looks_like_macro(name))
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
        else if ((text[0] == '*' && text[1] == '/') || (text[0] == '/' && text[1] == '*'))
            fprintf(out, "%c ", *text);
        else fputc(*text, out);
    }
}

void names_print_lines(FILE *out, const struct model *model, const struct model_rule *rule)
{
    const struct rule_part *parts = model->parts.data + rule->first_part;
    for (uint32_t i = 0; i < rule->parts; i++)
        if (!parts[i].place.line) return;
    for (uint32_t i = 0; i < rule->parts; i++)
        fprintf(out, "%s%" PRIu32,
                i                 ? ", "
                : rule->parts > 1 ? ", lines "
                                  : ", line ",
                parts[i].place.line);
}

/* ---- numbers ---- */

enum { MAX_OPERATORS = 3000000 };

void numbers_start(struct numbers *numbers, struct model *model, const char *language,
                   unsigned modulus_bits)
{
    *numbers = (struct numbers){.model = model, .language = language, .modulus_bits = modulus_bits};
    defined_init(&numbers->defined, &model->exprs);
    numbers->defined.fits = true;
}

void numbers_finish(struct numbers *numbers)
{
    vec_free(numbers->model->mem, &numbers->spans);
    vec_free(numbers->model->mem, &numbers->sizes);
    defined_release(&numbers->defined);
}

static struct number_span refuse(struct numbers *numbers, const char *what)
{
    if (!numbers->reason)
        numbers->reason = names_format(&numbers->model->names, "%s: the integers of %s end at %d",
                                       what, numbers->language, NUMBER_MAX);
    return (struct number_span){0, NUMBER_MAX, true};
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

static bool wraps(const struct expr_node *node, struct number_span a, struct number_span b)
{
    if (node->op == EXPR_SUB) return b.high != 0;
    return unreduced(node, a.high, b.high) > (int64_t)expr_mask(node->bits)
           || (node->op == EXPR_CUT && a.low < 0);
}

static struct number_span modular_span(struct numbers *numbers, const struct expr_node *node,
                                       struct number_span a, struct number_span b)
{
    int64_t result = unreduced(node, a.high, b.high);
    if (result > NUMBER_MAX) return refuse(numbers, "a sum or product may be too large");
    if (!wraps(node, a, b)) return (struct number_span){0, result, true};
    if (node->bits > numbers->modulus_bits)
        return refuse(numbers, "arithmetic on numbers of too many bits");
    return (struct number_span){0, (int64_t)expr_mask(node->bits), true};
}

static int64_t absolute(int64_t value) { return value < 0 ? -value : value; }

static struct number_span exact_span(struct numbers *numbers, const struct expr_node *node,
                                     struct number_span a, struct number_span b)
{
    struct number_span span = {INT64_MAX, INT64_MIN, true};
    int64_t most = absolute(a.low) > absolute(a.high) ? absolute(a.low) : absolute(a.high);
    for (unsigned i = 0; i < 4 && node->op != EXPR_DIV && node->op != EXPR_MOD; i++) {
        int64_t value = 0;
        expr_apply(node->op, 0, i & 1 ? a.low : a.high, i & 2 ? b.low : b.high,
                   &value); /* 32 bits each: it fits */
        if (value < span.low) span.low = value;
        if (value > span.high) span.high = value;
    }
    if (node->op == EXPR_DIV || node->op == EXPR_MOD)
        span.low = a.low >= 0 && b.low >= 0 ? 0 : -most, span.high = most;
    if (node->low > span.low && node->low <= span.high) span.low = node->low;
    if (node->high < span.high && node->high >= span.low) span.high = node->high;
    return span.low < -(int64_t)NUMBER_MAX || span.high > NUMBER_MAX
               ? refuse(numbers, "a sum or product may be too large")
               : span;
}

static struct number_span choice_span(struct numbers *numbers, const struct expr_node *node)
{
    const struct exprs *exprs = &numbers->model->exprs;
    struct number_span a = numbers_span(numbers, node->b), b = numbers_span(numbers, node->c);
    if (expr_get(exprs, node->b)->op == EXPR_FAIL) a = b;
    if (expr_get(exprs, node->c)->op == EXPR_FAIL) b = a;
    return (struct number_span){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
                                true};
}

static struct number_span within_span(struct numbers *numbers, const struct expr_node *node)
{
    struct number_span a = numbers_span(numbers, node->a), low = numbers_span(numbers, node->b),
                       high = numbers_span(numbers, node->c);
    if (low.low > a.high || high.high < a.low)
        return (struct number_span){low.low, high.high, true}; /* it always fails */
    return (struct number_span){a.low > low.low ? a.low : low.low,
                                a.high < high.high ? a.high : high.high, true};
}

static struct number_span find_span(struct numbers *numbers, expr e)
{
    struct model *model = numbers->model;
    const struct expr_node node = *expr_get(&model->exprs, e);
    const struct expr_info *info = &expr_table[node.op];
    if (node.op == EXPR_CONST && node.value >= -(int64_t)NUMBER_MAX && node.value <= NUMBER_MAX)
        return (struct number_span){node.value, node.value, true};
    if (node.op == EXPR_CONST) return refuse(numbers, "a constant is too large");
    if (node.op == EXPR_VAR)
        return (struct number_span){model->vars.data[node.value].low,
                                    model->vars.data[node.value].high, true};
    if (node.op == EXPR_FAIL) return (struct number_span){0, 0, true};
    if (node.op == EXPR_AT || node.op == EXPR_LOCAL_AT || node.op == EXPR_TABLE)
        numbers_span(numbers, node.a);
    if (node.op == EXPR_LOCAL || node.op == EXPR_AT || node.op == EXPR_LOCAL_AT
        || node.op == EXPR_TABLE)
        return node.low < -(int64_t)NUMBER_MAX || node.high > NUMBER_MAX
                   ? refuse(numbers, "an array or a local has too many values")
                   : (struct number_span){node.low, node.high, true};
    if (node.op == EXPR_WITHIN) return within_span(numbers, &node);
    struct number_span a = numbers_span(numbers, node.a), b = {0, 0, true};
    if (node.op == EXPR_CHOOSE) return choice_span(numbers, &node);
    if (info->arity == 2) b = numbers_span(numbers, node.b);
    if (numbers->reason || info->gives_bool) return (struct number_span){0, 1, true};
    return node.bits ? modular_span(numbers, &node, a, b) : exact_span(numbers, &node, a, b);
}

struct number_span numbers_span(struct numbers *numbers, expr e)
{
    struct exprs *exprs = &numbers->model->exprs;
    while (numbers->spans.len < exprs->nodes.len)
        vec_push(numbers->model->mem, &numbers->spans, (struct number_span){0});
    if (!numbers->spans.data[e.i].known) {
        struct number_span span = find_span(numbers, e);
        numbers->spans.data[e.i] = span;
    }
    return numbers->spans.data[e.i];
}

bool numbers_wrap(struct numbers *numbers, expr e)
{
    const struct expr_node node = *expr_get(&numbers->model->exprs, e);
    struct number_span a = numbers_span(numbers, node.a),
                       b = expr_table[node.op].arity == 2 ? numbers_span(numbers, node.b)
                                                          : (struct number_span){0, 0, true};
    return node.bits && wraps(&node, a, b);
}

/* ---- sizes ---- */

static uint32_t text_size(struct numbers *numbers, expr e)
{
    const struct expr_node node = *expr_get(&numbers->model->exprs, e);
    const expr operands[] = {node.a, node.b, node.c};
    while (numbers->sizes.len <= e.i) vec_push(numbers->model->mem, &numbers->sizes, 0);
    if (numbers->sizes.data[e.i]) return numbers->sizes.data[e.i];
    uint64_t size = 1;
    for (unsigned i = 0; i < expr_table[node.op].arity; i++)
        size += text_size(numbers, operands[i]);
    numbers->sizes.data[e.i] = size < MAX_OPERATORS ? (uint32_t)size : MAX_OPERATORS;
    return numbers->sizes.data[e.i];
}

/* An expression and the condition that it is defined. */
static void check_expr(struct numbers *numbers, expr e, uint64_t *size)
{
    numbers_span(numbers, e);
    if (numbers->shares) return;
    *size += text_size(numbers, e);
    if (*size < MAX_OPERATORS && expr_get(&numbers->model->exprs, e)->may_fail)
        *size += text_size(numbers, numbers_defined(numbers, e));
    if (*size >= MAX_OPERATORS && !numbers->reason) numbers->reason = "its text would be too large";
}

static void check_formula(struct numbers *numbers, formula f, uint64_t *size)
{
    const struct formula_node *node = formula_get(&numbers->model->formulas, f);
    if (node->op == FORMULA_ATOM) check_expr(numbers, node->atom, size);
    if (formula_table[node->op].arity >= 1) check_formula(numbers, node->a, size);
    if (formula_table[node->op].arity >= 2) check_formula(numbers, node->b, size);
}

const char *numbers_check_expr(struct numbers *numbers, expr e, uint64_t *size)
{
    check_expr(numbers, e, size);
    return numbers->reason;
}

const char *numbers_check(struct numbers *numbers)
{
    struct model *model = numbers->model;
    uint64_t size = 0;
    for (uint32_t i = 0; i < model->vars.len && !numbers->reason; i++) {
        const struct model_var *var = &model->vars.data[i];
        if (var->high > NUMBER_MAX || var->low < -(int64_t)NUMBER_MAX)
            refuse(numbers, names_format(&model->names, "the variable '%.60s' has too many values",
                                         var->name));
    }
    for (uint32_t i = 0; i < model->conjuncts.len && !numbers->reason; i++)
        check_expr(numbers, model->conjuncts.data[i].cond, &size);
    for (uint32_t i = 0; i < model->stores.len && !numbers->reason; i++)
        check_expr(numbers, model->stores.data[i].value, &size);
    for (uint32_t i = 0; i < model->properties.len && !numbers->reason; i++) {
        const struct model_property *property = &model->properties.data[i];
        if (property->kind <= PROPERTY_REACH) check_formula(numbers, property->root, &size);
    }
    return numbers->reason;
}

/* ---- failing ---- */

expr numbers_defined(struct numbers *numbers, expr e)
{
    return defined_condition(&numbers->defined, e);
}
