/* Formulas of LTL about an UPPAAL model, from the command line: G, F, X, U, R, W (also [] and <>),
 * `not`, `and`, `or`, `imply`, `->`, `<->` and parentheses over conditions as queries have them,
 * without clocks.
 *
 * A text without temporal operators is one condition, and read as such. Otherwise it is divided at
 * the operator that binds most weakly and stands outside of all brackets: equivalence, implication
 * (to the right), or, and, U R W (to the right); what is left begins with a unary operator or a
 * bracket. */
#include "lang/uppaal/scope.h"

#include "lang/uppaal/parse.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { MAX_NESTED = 500 };

struct linear {
    struct uppaal *u;
    struct lowering *l;
    struct place place;
    uint32_t nested;
};

struct piece {
    const char *at;
    size_t length;
};

/* Spellings with what they mean; words are whole words. Levels bind more and more strongly. */
static const struct {
    const char *spelling;
    uint8_t op, level;
} operators[] = {{"<->", FORMULA_IFF, 1}, {"imply", FORMULA_IMPLIES, 2}, {"->", FORMULA_IMPLIES, 2},
                 {"or", FORMULA_OR, 3},   {"||", FORMULA_OR, 3},         {"and", FORMULA_AND, 4},
                 {"&&", FORMULA_AND, 4},  {"U", FORMULA_U, 5},           {"R", FORMULA_R, 5},
                 {"W", FORMULA_W, 5},     {"G", FORMULA_G, 6},           {"[]", FORMULA_G, 6},
                 {"F", FORMULA_F, 6},     {"<>", FORMULA_F, 6},          {"X", FORMULA_X, 6},
                 {"not", FORMULA_NOT, 7}, {"!", FORMULA_NOT, 7}};
enum { OPERATORS = sizeof operators / sizeof *operators, UNARY = 6 };

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static struct piece trim(struct piece text)
{
    while (text.length && isspace((unsigned char)*text.at)) text.at++, text.length--;
    while (text.length && isspace((unsigned char)text.at[text.length - 1])) text.length--;
    return text;
}

/* The operator at position i, or OPERATORS. */
static unsigned operator_at(struct piece text, size_t i)
{
    for (unsigned k = 0; k < OPERATORS; k++) {
        size_t length = strlen(operators[k].spelling);
        if (text.length - i < length || strncmp(text.at + i, operators[k].spelling, length))
            continue;
        char next = i + length < text.length ? text.at[i + length] : ' ';
        if (!is_word(text.at[i])) {
            if (operators[k].op == FORMULA_NOT && next == '=') continue;
            return k;
        }
        if ((!i || (!is_word(text.at[i - 1]) && text.at[i - 1] != '.')) && !is_word(next)
            && next != '.')
            return k;
    }
    return OPERATORS;
}

static int bracket(char c) { return c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0; }

static bool is_temporal(unsigned k) { return k < OPERATORS && operators[k].op >= FORMULA_X; }

static bool has_temporal(struct piece text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned k = operator_at(text, i);
        if (is_temporal(k)) return true;
        if (k < OPERATORS) i += strlen(operators[k].spelling) - 1;
    }
    return false;
}

static bool refuse(struct linear *linear, const char *what)
{
    diag_error(linear->u->diag, DIAG_SYNTAX, linear->place, "%s", what);
    return false;
}

/* A condition, read as the query that it always holds. */
static bool read_condition(struct linear *linear, struct piece text, formula *result)
{
    struct uppaal *u = linear->u;
    struct model *model = u->model;
    const char *query = names_format(&model->names, "A[] %.*s", (int)text.length, text.at);
    uint32_t source = diag_add_source(u->diag, u->diag->sources.data[linear->place.source].name,
                                      query, strlen(query));
    struct uppaal_query *read =
        uppaal_parse_queries(u->diag, &model->names, &model->arena, model->mem, source);
    expr cond;
    if (read && read->refused) return uppaal_tell_query(u->diag, read), false;
    if (!read || read->next || read->kind != UPPAAL_QUERY_ALWAYS)
        return refuse(linear, "a condition is needed between temporal operators");
    if (clocked_mentions(linear->l, read->p)) {
        complain(u, read->p, DIAG_UNSUPPORTED, "clocks can be asked for in queries only");
        return false;
    }
    if (!compute_condition(linear->l, read->p, &cond)) return false;
    *result = formula_atom(&model->formulas, cond, linear->place);
    return true;
}

/* The binary operator outside of brackets that binds most weakly; OPERATORS: there is none. */
static unsigned find_weakest(struct piece text, size_t *where)
{
    unsigned best = OPERATORS;
    int depth = 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned k = operator_at(text, i);
        size_t length = k < OPERATORS ? strlen(operators[k].spelling) : 1;
        if (k == OPERATORS) depth += bracket(text.at[i]);
        /* and and or to the left, the others to the right */
        bool is_left = k < OPERATORS && (operators[k].level == 3 || operators[k].level == 4);
        if (k < OPERATORS && !depth && operators[k].level < UNARY
            && (best == OPERATORS || operators[k].level < operators[best].level
                || (is_left && operators[k].level == operators[best].level)))
            best = k, *where = i;
        i += length - 1;
    }
    return best;
}

static bool read_formula(struct linear *linear, struct piece text, formula *result);

static bool read_parts(struct linear *linear, struct piece text, formula *result)
{
    struct uppaal *u = linear->u;
    size_t where = 0;
    formula a, b;
    unsigned k = find_weakest(text, &where);
    if (k < OPERATORS) {
        size_t behind = where + strlen(operators[k].spelling);
        struct piece left = {text.at, where}, right = {text.at + behind, text.length - behind};
        if (!read_formula(linear, left, &a) || !read_formula(linear, right, &b)) return false;
    } else if ((k = operator_at(text, 0)) < OPERATORS && operators[k].level >= UNARY) {
        size_t length = strlen(operators[k].spelling);
        if (!read_formula(linear, (struct piece){text.at + length, text.length - length}, &a))
            return false;
        b = a;
    } else if (*text.at == '(' && text.at[text.length - 1] == ')')
        return read_formula(linear, (struct piece){text.at + 1, text.length - 2}, result);
    else return refuse(linear, "temporal operators stand outside of conditions");
    *result =
        formula_make(&u->model->formulas, uppaal_exprs(u), operators[k].op, a, b, linear->place);
    return true;
}

static bool read_formula(struct linear *linear, struct piece text, formula *result)
{
    text = trim(text);
    if (!text.length) return refuse(linear, "an operand is missing");
    if (!has_temporal(text)) return read_condition(linear, text, result);
    if (++linear->nested > MAX_NESTED) return refuse(linear, "the formula is nested too deeply");
    bool good = read_parts(linear, text, result);
    linear->nested--;
    return good;
}

bool linear_read(struct lowering *l, uint32_t source, formula *result)
{
    const struct source *given = &l->u->diag->sources.data[source];
    struct linear linear = {.u = l->u, .l = l, .place = {.source = source, .line = 1, .column = 1}};
    assert(!l->code.out);
    struct piece text = {arena_copy(&l->u->model->arena, given->text, given->length),
                         given->length};
    return read_formula(&linear, text, result);
}
