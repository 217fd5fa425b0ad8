/* Predicates, values and references to variables: `not p and ({P}1@idle or {P}2:x[3].f <= 7)`. */
#include "lang/cdl/parser.h"

#include <stdio.h>
#include <string.h>

/* ---- references ---- */

bool cdl_begins_unit(const struct cdl_parser *parser)
{
    return cdl_at(parser, TOKEN_OPEN_CURLY) && cdl_peek(parser, 1)->kind == TOKEN_NAME
           && cdl_peek(parser, 2)->kind == TOKEN_CLOSE_CURLY;
}

struct cdl_unit cdl_parse_unit(struct cdl_parser *parser, const char *after)
{
    struct cdl_unit unit = {.name = "?", .place = cdl_here(parser)};
    char wanted[80];
    if (!cdl_begins_unit(parser)) {
        snprintf(wanted, sizeof wanted, "an instance such as {P}1 %s", after);
        cdl_unexpected(parser, wanted);
        return unit;
    }
    parser->at++;
    unit.name = cdl_expect_name(parser, "", &unit.place);
    cdl_expect(parser, TOKEN_CLOSE_CURLY, "after the name");
    const struct token *number = cdl_peek(parser, 0);
    unit.number = number->number;
    unit.number_place = number->place;
    if (!cdl_accept(parser, TOKEN_NUMBER))
        cdl_unexpected(parser, "the number of the instance, from 1, after {...}");
    return unit;
}

static struct cdl_step *parse_steps(struct cdl_parser *parser)
{
    struct cdl_step *first = NULL, **end = &first;
    for (;;) {
        struct place place = cdl_here(parser);
        bool is_index = cdl_at(parser, TOKEN_OPEN_SQUARE)
                        && cdl_peek(parser, 1)->kind != TOKEN_CLOSE_SQUARE,
             is_field = cdl_at(parser, TOKEN_DOT);
        if (parser->panic || (!is_index && !is_field)) return first;
        struct cdl_step *step = arena_alloc(parser->arena, sizeof *step);
        parser->at++;
        if (is_field) step->field = cdl_expect_name(parser, "after '.'", &place);
        else {
            step->index = cdl_parse_number(parser, "between the brackets");
            place = step->index.place;
            cdl_expect(parser, TOKEN_CLOSE_SQUARE, "after the index");
        }
        step->place = place;
        *end = step;
        end = &step->next;
    }
}

/* ---- values ---- */

static void parse_list(struct cdl_parser *parser, struct cdl_value *value, enum token_kind close)
{
    struct cdl_value **end = &value->values;
    if (cdl_accept(parser, close)) return;
    do {
        const char *field = NULL;
        struct place place = cdl_here(parser);
        if (value->kind == CDL_RECORD) {
            field = cdl_expect_name(parser, "of a field", &place);
            if (!cdl_accept(parser, TOKEN_EQ))
                cdl_unexpected(parser, "'=' after the name of the field");
        }
        *end = cdl_parse_value(parser);
        if (field) {
            struct cdl_value *of =
                arena_alloc(parser->arena, sizeof *of); /* the name of the field, with its value */
            *of =
                (struct cdl_value){.kind = CDL_NAME, .place = place, .name = field, .values = *end};
            *end = of;
        }
        end = &(*end)->next;
    } while (cdl_accept(parser, TOKEN_COMMA));
    cdl_expect(parser, close, "after the values");
}

static void parse_variable(struct cdl_parser *parser, struct cdl_value *value)
{
    value->kind = CDL_VARIABLE;
    value->unit = cdl_parse_unit(parser, "");
    cdl_expect(parser, TOKEN_COLON, "or '@' after the instance");
    value->name = cdl_expect_name(parser, "of a variable after ':'", &value->name_place);
    value->steps = parse_steps(parser);
}

/* A constructor or constant, with an argument in parentheses or, if it is simple, just behind. */
static void parse_named(struct cdl_parser *parser, struct cdl_value *value)
{
    value->kind = CDL_NAME;
    value->name = cdl_expect_name(parser, "", &value->place);
    if (cdl_accept(parser, TOKEN_OPEN)) {
        parse_list(parser, value, TOKEN_CLOSE);
        return;
    }
    cdl_use_constant(parser, value->name, value->place);
    const struct token *next = cdl_peek(parser, 0);
    bool is_truth = cdl_is_word(next, "true") || cdl_is_word(next, "false");
    if (is_truth || next->kind == TOKEN_NUMBER
        || (next->kind == TOKEN_MINUS && cdl_peek(parser, 1)->kind == TOKEN_NUMBER))
        value->values = cdl_parse_value(parser);
}

struct cdl_value *cdl_parse_value(struct cdl_parser *parser)
{
    struct cdl_value *value = arena_alloc(parser->arena, sizeof *value);
    value->place = cdl_here(parser);
    if (!cdl_enter(parser) || parser->panic) {
        cdl_leave(parser);
        return value;
    }
    bool negative = cdl_accept(parser, TOKEN_MINUS);
    const struct token *token = cdl_peek(parser, 0);
    if (token->kind == TOKEN_NUMBER) {
        value->number = negative ? -(int64_t)token->number : (int64_t)token->number;
        parser->at++;
    } else if (negative) {
        cdl_unexpected(parser, "a number after '-'");
    } else if (cdl_begins_unit(parser)) {
        parse_variable(parser, value);
    } else if (token->kind == TOKEN_NAME) {
        parse_named(parser, value);
    } else if (token->kind == TOKEN_OPEN_SQUARE || token->kind == TOKEN_OPEN_CURLY) {
        value->kind = token->kind == TOKEN_OPEN_CURLY ? CDL_RECORD : CDL_ARRAY;
        parser->at++;
        parse_list(parser, value,
                   value->kind == CDL_RECORD ? TOKEN_CLOSE_CURLY : TOKEN_CLOSE_SQUARE);
    } else {
        cdl_unexpected(parser, "a value");
    }
    cdl_leave(parser);
    return value;
}

/* ---- predicates ---- */

static struct cdl_exp *new_exp(struct cdl_parser *parser, enum cdl_exp_kind kind,
                               struct place place)
{
    struct cdl_exp *exp = arena_alloc(parser->arena, sizeof *exp);
    exp->kind = kind;
    exp->place = place;
    return exp;
}

static bool comparison_of(enum token_kind kind, enum expr_op *op)
{
    static const struct {
        enum token_kind kind;
        enum expr_op op;
    } rows[] = {{TOKEN_EQ, EXPR_EQ}, {TOKEN_NE, EXPR_NE}, {TOKEN_LT, EXPR_LT},
                {TOKEN_LE, EXPR_LE}, {TOKEN_GT, EXPR_GT}, {TOKEN_GE, EXPR_GE}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind) return *op = rows[i].op, true;
    return false;
}

/* A comparison, or a variable alone. */
static struct cdl_exp *parse_comparison(struct cdl_parser *parser)
{
    struct cdl_exp *exp = new_exp(parser, CDL_TEST, cdl_here(parser));
    exp->left = cdl_parse_value(parser);
    if (!parser->panic && comparison_of(cdl_peek(parser, 0)->kind, &exp->op)) {
        exp->kind = CDL_COMPARE;
        exp->name_place = cdl_here(parser);
        parser->at++;
        exp->right = cdl_parse_value(parser);
    } else if (exp->left->kind != CDL_VARIABLE) {
        cdl_unexpected(parser, "a comparison (=, <>, <, <=, >, >=) after the value");
    }
    return exp;
}

/* {P}1@state, of which all but the name of the state was seen. */
static struct cdl_exp *parse_location(struct cdl_parser *parser)
{
    struct cdl_exp *exp = new_exp(parser, CDL_LOCATION, cdl_here(parser));
    exp->unit = cdl_parse_unit(parser, "");
    cdl_accept(parser, TOKEN_AT);
    exp->name = cdl_expect_name(parser, "of a state after '@'", &exp->name_place);
    return exp;
}

static struct cdl_exp *parse_or(struct cdl_parser *parser);

static struct cdl_exp *parse_atom(struct cdl_parser *parser)
{
    const struct token *token = cdl_peek(parser, 0), *next = cdl_peek(parser, 1);
    enum expr_op op;
    struct cdl_exp *exp = new_exp(parser, CDL_TRUTH, token->place);
    bool is_queue_test = (cdl_is_word(token, "empty") || cdl_is_word(token, "full"))
                         && next->kind == TOKEN_OPEN_CURLY;
    if (cdl_accept(parser, TOKEN_NOT)) {
        exp->kind = CDL_NOT;
        exp->a = exp;
        if (cdl_enter(parser)) exp->a = parse_atom(parser);
        cdl_leave(parser);
    } else if (cdl_accept(parser, TOKEN_OPEN)) {
        exp = parse_or(parser);
        cdl_expect(parser, TOKEN_CLOSE, "or an operator (and, or) in the parentheses");
    } else if (is_queue_test) {
        parser->at++;
        exp->kind = token->text[0] == 'e' ? CDL_EMPTY : CDL_FULL;
        exp->left = cdl_parse_value(parser);
    } else if (cdl_begins_unit(parser)) {
        exp = next[2].kind == TOKEN_NUMBER && next[3].kind == TOKEN_AT ? parse_location(parser)
                                                                       : parse_comparison(parser);
    } else if (token->kind == TOKEN_NAME && !comparison_of(next->kind, &op)
               && next->kind != TOKEN_OPEN) {
        exp->truth = cdl_is_word(token, "true");
        exp->name = cdl_expect_name(parser, "", &exp->name_place);
        if (!exp->truth && strcmp(exp->name, "false")) exp->kind = CDL_PREDICATE;
    } else if (token->kind == TOKEN_NAME || token->kind == TOKEN_NUMBER
               || token->kind == TOKEN_MINUS || token->kind == TOKEN_OPEN_SQUARE
               || token->kind == TOKEN_OPEN_CURLY) {
        exp = parse_comparison(parser);
    } else {
        cdl_unexpected(parser, "a condition (a predicate, {P}1@state or a comparison)");
    }
    return exp;
}

/* Operands of `and` (or of `or`) hang to the left; each counts as a level. */
static struct cdl_exp *parse_chain(struct cdl_parser *parser, enum token_kind kind)
{
    struct cdl_exp *exp = kind == TOKEN_OR ? parse_chain(parser, TOKEN_AND) : parse_atom(parser);
    unsigned levels = 0;
    while (cdl_accept(parser, kind)) {
        struct cdl_exp *joined = new_exp(parser, kind == TOKEN_OR ? CDL_OR : CDL_AND, exp->place);
        cdl_enter(parser);
        levels++;
        joined->a = exp;
        joined->b = kind == TOKEN_OR ? parse_chain(parser, TOKEN_AND) : parse_atom(parser);
        exp = joined;
    }
    while (levels--) cdl_leave(parser);
    return exp;
}

static struct cdl_exp *parse_or(struct cdl_parser *parser)
{
    struct cdl_exp *exp;
    if (cdl_enter(parser)) exp = parse_chain(parser, TOKEN_OR);
    else exp = new_exp(parser, CDL_TRUTH, cdl_here(parser));
    cdl_leave(parser);
    return exp;
}

struct cdl_exp *cdl_parse_predicate(struct cdl_parser *parser) { return parse_or(parser); }
