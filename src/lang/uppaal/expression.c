/* Expressions, by precedence climbing: one table of binary operators, so that long chains cost no
 * stack; nesting is bounded.
 *
 * Tightest first: a(b) a[b] a.f a' a++ a--; ++a --a; ! not - +; **; * / %; + -; << >>; <? >?;
 * < <= >= >; == !=; &; ^; |; && and; || or xor imply (one level, to the left); a ? b : c (to the
 * right); = += ... (to the right). The body of a quantifier reaches as far as possible. */
#include "lang/uppaal/parser.h"

#include <assert.h>
#include <string.h>

/* ---- nodes ---- */

struct uppaal_exp *uppaal_new_exp(struct uppaal_parser *parser, enum uppaal_exp_kind kind,
                                  struct place place)
{
    struct uppaal_exp *exp = arena_alloc(parser->arena, sizeof *exp);
    exp->kind = (uint8_t)kind;
    exp->place = exp->op_place = place;
    return exp;
}

static void deepen(struct uppaal_parser *parser, struct uppaal_exp *exp,
                   const struct uppaal_exp *below)
{
    if (!below || below->depth < exp->depth) return;
    exp->depth = below->depth + 1;
    if (exp->depth > UPPAAL_MAX_DEPTH)
        uppaal_error(parser, DIAG_NESTING, exp->place,
                     "this expression is nested too deeply: more than %d operators on one path",
                     UPPAAL_MAX_DEPTH);
}

static struct uppaal_exp *combine(struct uppaal_parser *parser, enum uppaal_exp_kind kind,
                                  unsigned op, struct place place, struct uppaal_exp *a,
                                  struct uppaal_exp *b)
{
    struct uppaal_exp *exp = uppaal_new_exp(parser, kind, place);
    exp->op = (uint8_t)op;
    exp->a = a;
    exp->b = b;
    deepen(parser, exp, a);
    deepen(parser, exp, b);
    return exp;
}

/* a op b, with the operator at op_place. */
static struct uppaal_exp *combine_infix(struct uppaal_parser *parser, enum uppaal_exp_kind kind,
                                        unsigned op, struct place op_place, struct uppaal_exp *a,
                                        struct uppaal_exp *b)
{
    struct uppaal_exp *exp = combine(parser, kind, op, a->place, a, b);
    exp->op_place = op_place;
    return exp;
}

/* ---- lists ---- */

typedef struct uppaal_exp *parse_one(struct uppaal_parser *parser);

static struct uppaal_exp *parse_list(struct uppaal_parser *parser, parse_one *parse,
                                     uint32_t *count)
{
    struct uppaal_exp *first = NULL, **last = &first;
    *count = 0;
    do {
        *last = parse(parser);
        last = &(*last)->next;
        ++*count;
    } while (uppaal_accept(parser, TOKEN_COMMA));
    return first;
}

struct uppaal_exp *uppaal_parse_exps(struct uppaal_parser *parser, uint32_t *count)
{
    uint32_t ignored;
    return parse_list(parser, uppaal_parse_exp, count ? count : &ignored);
}

/* Reads the elements of exp up to a closing bracket. */
static void parse_elements(struct uppaal_parser *parser, struct uppaal_exp *exp, parse_one *parse,
                           unsigned close, const char *what)
{
    struct place opened = parser->tokens[parser->at - 1].place;
    exp->args = parse_list(parser, parse, &exp->count);
    for (const struct uppaal_exp *arg = exp->args; arg; arg = arg->next) deepen(parser, exp, arg);
    uppaal_expect_close(parser, close, "',', an operator", what, opened);
}

struct uppaal_exp *uppaal_parse_condition(struct uppaal_parser *parser)
{
    struct uppaal_exp *all = uppaal_parse_exp(parser);
    while (uppaal_at(parser, TOKEN_COMMA) && !parser->panic) {
        struct place place = uppaal_here(parser);
        parser->at++;
        all = combine_infix(parser, UPPAAL_EXP_BINARY, UPPAAL_AND, place, all,
                            uppaal_parse_exp(parser));
    }
    return all;
}

struct uppaal_exp *uppaal_parse_invariant(struct uppaal_parser *parser)
{
    parser->in_invariant = true;
    struct uppaal_exp *all = uppaal_parse_condition(parser);
    parser->in_invariant = false;
    return all;
}

/* ---- primaries ---- */

bool uppaal_begins_temporal(const struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser), *next = uppaal_ahead(parser, 1),
                       *third = uppaal_ahead(parser, 2);
    if (!uppaal_is_word(token, "A") && !uppaal_is_word(token, "E")) return false;
    return (next->kind == TOKEN_OPEN_SQUARE && third->kind == TOKEN_CLOSE_SQUARE)
           || (next->kind == TOKEN_LT && third->kind == TOKEN_GT);
}

static struct uppaal_exp *parse_name(struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser);
    struct uppaal_exp *exp = uppaal_new_exp(parser, UPPAAL_EXP_NAME, token->place);
    exp->name = token->text;
    if (parser->in_query && uppaal_begins_temporal(parser))
        uppaal_error(parser, DIAG_UNSUPPORTED, token->place,
                     "a temporal operator inside of a query: only one, in front, is read");
    if (parser->in_query && uppaal_is_word(token, "deadlock")) exp->kind = UPPAAL_EXP_DEADLOCK;
    if (uppaal_is_word(token, "spawn") && uppaal_ahead(parser, 1)->kind == TOKEN_NAME)
        uppaal_refuse(parser, token->place, "'spawn' (dynamic processes)");
    parser->at++;
    return exp;
}

static struct uppaal_exp *parse_number(struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser);
    struct uppaal_exp *exp = uppaal_new_exp(parser, UPPAAL_EXP_NUMBER, token->place);
    exp->number = token->number;
    if (token->number > (uint64_t)INT32_MAX + (parser->at == parser->negated))
        uppaal_error(parser, DIAG_NUMBER, token->place,
                     "the number %s does not fit in 32 bits with a sign", token->text);
    parser->at++;
    return exp;
}

static struct uppaal_exp *parse_parentheses(struct uppaal_parser *parser)
{
    struct place opened = uppaal_here(parser);
    parser->at++;
    struct uppaal_exp *exp = uppaal_parse_exp(parser);
    uppaal_expect_close(parser, TOKEN_CLOSE, "an operator", "the parentheses", opened);
    return exp;
}

static struct uppaal_exp *parse_quantified(struct uppaal_parser *parser)
{
    const struct token *word = uppaal_peek(parser);
    struct uppaal_exp *exp = uppaal_new_exp(parser, UPPAAL_EXP_QUANTIFIED, word->place);
    char shown[48];
    exp->op = word->kind == UPPAAL_WORD_FORALL   ? UPPAAL_FORALL
              : word->kind == UPPAAL_WORD_EXISTS ? UPPAAL_EXISTS
                                                 : UPPAAL_SUM;
    parser->at++;
    uppaal_expect(parser, TOKEN_OPEN, token_show(word, shown));
    exp->op_place = uppaal_here(parser);
    exp->name = uppaal_expect_name(parser, "'('");
    uppaal_expect(parser, TOKEN_COLON, "the name");
    if (parser->panic) return exp;
    exp->type = uppaal_parse_type(parser);
    uppaal_expect(parser, TOKEN_CLOSE, "the type");
    if (parser->panic) return exp;
    exp->a = uppaal_parse_exp(parser);
    deepen(parser, exp, exp->a);
    return exp;
}

static struct uppaal_exp *parse_bool(struct uppaal_parser *parser)
{
    struct uppaal_exp *exp = uppaal_new_exp(parser, UPPAAL_EXP_BOOL, uppaal_here(parser));
    exp->number = uppaal_at(parser, UPPAAL_WORD_TRUE);
    parser->at++;
    return exp;
}

static struct uppaal_exp *parse_primary(struct uppaal_parser *parser)
{
    struct place place = uppaal_here(parser);
    if (parser->panic) return uppaal_new_exp(parser, UPPAAL_EXP_NUMBER, place);
    switch (uppaal_peek(parser)->kind) {
    case TOKEN_NAME: return parse_name(parser);
    case TOKEN_NUMBER: return parse_number(parser);
    case TOKEN_OPEN: return parse_parentheses(parser);
    case UPPAAL_WORD_TRUE:
    case UPPAAL_WORD_FALSE: return parse_bool(parser);
    case UPPAAL_WORD_FORALL:
    case UPPAAL_WORD_EXISTS:
    case UPPAAL_WORD_SUM: return parse_quantified(parser);
    case TOKEN_DECIMAL: uppaal_refuse(parser, place, "a floating-point number"); break;
    case TOKEN_STRING: uppaal_refuse(parser, place, "a string"); break;
    default: uppaal_error_expected(parser, "an expression");
    }
    return uppaal_new_exp(parser, UPPAAL_EXP_NUMBER, place);
}

/* ---- what follows a primary ---- */

static struct uppaal_exp *parse_call(struct uppaal_parser *parser, struct uppaal_exp *a)
{
    struct uppaal_exp *exp = combine(parser, UPPAAL_EXP_CALL, 0, a->place, a, NULL);
    exp->op_place = uppaal_here(parser);
    if (a->kind != UPPAAL_EXP_NAME && (a->kind != UPPAAL_EXP_FIELD || !parser->in_query)) {
        uppaal_error(parser, DIAG_SYNTAX, uppaal_here(parser), "only a name can be called");
        return exp;
    }
    parser->at++;
    if (!uppaal_accept(parser, TOKEN_CLOSE))
        parse_elements(parser, exp, uppaal_parse_exp, TOKEN_CLOSE, "the arguments");
    return exp;
}

static struct uppaal_exp *parse_index(struct uppaal_parser *parser, struct uppaal_exp *a)
{
    struct place opened = uppaal_here(parser);
    parser->at++;
    struct uppaal_exp *b = uppaal_parse_exp(parser);
    uppaal_expect_close(parser, TOKEN_CLOSE_SQUARE, "an operator", "the index", opened);
    return combine_infix(parser, UPPAAL_EXP_INDEX, 0, opened, a, b);
}

/* `location` and the like are no keywords here, so that every member has a name. */
static struct uppaal_exp *parse_field(struct uppaal_parser *parser, struct uppaal_exp *a)
{
    parser->at++;
    struct uppaal_exp *exp =
        combine_infix(parser, UPPAAL_EXP_FIELD, 0, uppaal_here(parser), a, NULL);
    exp->name = uppaal_expect_name(parser, "'.'");
    return exp;
}

/* a', which is to become part of a' == 1: that is an UPPAAL_EXP_RATE without b until then. */
static struct uppaal_exp *parse_prime(struct uppaal_parser *parser, struct uppaal_exp *a)
{
    struct uppaal_exp *exp =
        combine_infix(parser, UPPAAL_EXP_RATE, 0, uppaal_here(parser), a, NULL);
    parser->rates++;
    parser->rate = a->place;
    parser->at++;
    return exp;
}

static struct uppaal_exp *parse_step(struct uppaal_parser *parser, struct uppaal_exp *a)
{
    unsigned op =
        uppaal_at(parser, UPPAAL_TOKEN_INCREASE) ? UPPAAL_POST_INCREASE : UPPAAL_POST_DECREASE;
    struct uppaal_exp *exp =
        combine_infix(parser, UPPAAL_EXP_UNARY, op, uppaal_here(parser), a, NULL);
    parser->at++;
    return exp;
}

static struct uppaal_exp *parse_postfix(struct uppaal_parser *parser, bool is_channel)
{
    struct uppaal_exp *exp = parse_primary(parser);
    while (!parser->panic) {
        switch (uppaal_peek(parser)->kind) {
        case TOKEN_OPEN: exp = parse_call(parser, exp); break;
        case TOKEN_OPEN_SQUARE: exp = parse_index(parser, exp); break;
        case TOKEN_DOT: exp = parse_field(parser, exp); break;
        case UPPAAL_TOKEN_PRIME: exp = parse_prime(parser, exp); break;
        case UPPAAL_TOKEN_INCREASE:
        case UPPAAL_TOKEN_DECREASE:
            if (is_channel) return exp;
            exp = parse_step(parser, exp);
            break;
        default: return exp;
        }
    }
    return exp;
}

struct uppaal_exp *uppaal_parse_channel(struct uppaal_parser *parser)
{
    return parse_postfix(parser, true);
}

/* ---- operators ---- */

static int unary_operator(unsigned kind)
{
    switch (kind) {
    case TOKEN_BANG: return UPPAAL_NOT;
    case TOKEN_MINUS: return UPPAAL_NEGATE;
    case TOKEN_PLUS: return UPPAAL_PLUS;
    case UPPAAL_TOKEN_INCREASE: return UPPAAL_PRE_INCREASE;
    case UPPAAL_TOKEN_DECREASE: return UPPAAL_PRE_DECREASE;
    default: return -1;
    }
}

static struct uppaal_exp *parse_unary(struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser);
    int op = unary_operator(token->kind);
    if (op < 0 || parser->panic) return parse_postfix(parser, false);
    parser->at++;
    if (op == UPPAAL_NEGATE) parser->negated = parser->at;
    struct uppaal_exp *a =
        uppaal_enter(parser) ? parse_unary(parser) : uppaal_new_exp(parser, 0, token->place);
    uppaal_leave(parser);
    if (op == UPPAAL_NEGATE && a->kind != UPPAAL_EXP_NUMBER && token[1].kind == TOKEN_NUMBER
        && token[1].number > INT32_MAX)
        uppaal_error(parser, DIAG_NUMBER, token[1].place,
                     "the number %s does not fit in 32 bits with a sign", token[1].text);
    return combine(parser, UPPAAL_EXP_UNARY, (unsigned)op, token->place, a, NULL);
}

enum { LEVEL_OR = 1, LEVEL_TIGHTEST = 12 };

static const struct {
    uint16_t token;
    uint8_t level, op;
} binary[] = {
    {UPPAAL_TOKEN_POWER, 12, UPPAAL_POWER},
    {TOKEN_TIMES, 11, UPPAAL_MUL},
    {TOKEN_DIVIDE, 11, UPPAAL_DIV},
    {TOKEN_REMAINDER, 11, UPPAAL_MOD},
    {TOKEN_PLUS, 10, UPPAAL_ADD},
    {TOKEN_MINUS, 10, UPPAAL_SUB},
    {TOKEN_SHIFT_LEFT, 9, UPPAAL_SHIFT_LEFT},
    {TOKEN_SHIFT_RIGHT, 9, UPPAAL_SHIFT_RIGHT},
    {UPPAAL_TOKEN_MIN, 8, UPPAAL_MIN},
    {UPPAAL_TOKEN_MAX, 8, UPPAAL_MAX},
    {TOKEN_LT, 7, UPPAAL_LT},
    {TOKEN_LE, 7, UPPAAL_LE},
    {TOKEN_GE, 7, UPPAAL_GE},
    {TOKEN_GT, 7, UPPAAL_GT},
    {TOKEN_DOUBLE_EQ, 6, UPPAAL_EQ},
    {TOKEN_BANG_EQ, 6, UPPAAL_NE},
    {TOKEN_AMPERSAND, 5, UPPAAL_BIT_AND},
    {TOKEN_XOR, 4, UPPAAL_BIT_XOR},
    {TOKEN_BAR, 3, UPPAAL_BIT_OR},
    {TOKEN_AND, 2, UPPAAL_AND},
    {TOKEN_OR, LEVEL_OR, UPPAAL_OR},
    {UPPAAL_WORD_XOR, LEVEL_OR, UPPAAL_XOR},
    {UPPAAL_WORD_IMPLY, LEVEL_OR, UPPAAL_IMPLY},
};

/* The row of the operator here, when it is of this level or tighter; -1: none. */
static int binary_here(const struct uppaal_parser *parser, unsigned level)
{
    unsigned kind = uppaal_peek(parser)->kind;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (binary[i].token == kind) return binary[i].level >= level ? (int)i : -1;
    return -1;
}

/* `=>` is `>=` in version 3, and looks like `imply`: it is read only where it cannot be meant so.
 */
static void check_spelling(struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser);
    if (token->kind == TOKEN_GE && *token->text == '=' && (!parser->is_old || parser->in_query))
        uppaal_error(parser, DIAG_DIALECT, token->place,
                     "'=>' is '>=' in version 3 only: write '>=', or 'imply'");
}

static bool is_one(const struct uppaal_exp *exp)
{
    return exp->kind == UPPAAL_EXP_NUMBER && exp->number == 1;
}

static bool is_bare_rate(const struct uppaal_exp *exp)
{
    return exp->kind == UPPAAL_EXP_RATE && !exp->b;
}

/* a' == 1, either way round: a finished rate, told from a bare one by its b. */
static struct uppaal_exp *finish_rate(struct uppaal_parser *parser, struct uppaal_exp *exp)
{
    struct uppaal_exp *rate = is_bare_rate(exp->a) ? exp->a : exp->b;
    if (!parser->in_invariant || exp->op != UPPAAL_EQ || !is_bare_rate(rate)
        || !is_one(rate == exp->a ? exp->b : exp->a))
        return exp;
    assert(parser->rates);
    parser->rates--;
    exp->kind = UPPAAL_EXP_RATE;
    exp->b = rate == exp->a ? exp->b : exp->a;
    exp->a = rate->a;
    return exp;
}

static struct uppaal_exp *parse_binary(struct uppaal_parser *parser, unsigned level)
{
    struct uppaal_exp *a = parse_unary(parser);
    int row;
    while (!parser->panic && (row = binary_here(parser, level)) >= 0) {
        struct place place = uppaal_here(parser);
        check_spelling(parser);
        parser->at++;
        struct uppaal_exp *b = uppaal_enter(parser) ? parse_binary(parser, binary[row].level + 1u)
                                                    : uppaal_new_exp(parser, 0, place);
        uppaal_leave(parser);
        a = combine_infix(parser, UPPAAL_EXP_BINARY, binary[row].op, place, a, b);
        a = finish_rate(parser, a);
    }
    return a;
}

static struct uppaal_exp *parse_conditional(struct uppaal_parser *parser)
{
    struct uppaal_exp *a = parse_binary(parser, LEVEL_OR);
    struct place place = uppaal_here(parser);
    if (!uppaal_accept(parser, TOKEN_QUESTION)) return a;
    if (!uppaal_enter(parser)) {
        uppaal_leave(parser);
        return a;
    }
    struct uppaal_exp *b = uppaal_parse_exp(parser);
    uppaal_expect(parser, TOKEN_COLON, "the expression behind '?'");
    struct uppaal_exp *exp = combine_infix(parser, UPPAAL_EXP_CONDITIONAL, 0, place, a, b);
    exp->c = parse_conditional(parser);
    deepen(parser, exp, exp->c);
    uppaal_leave(parser);
    return exp;
}

/* The operator of an assignment here: an enum uppaal_op; UPPAAL_OPS: a plain one; -1: none. */
static int assignment_here(const struct uppaal_parser *parser)
{
    switch (uppaal_peek(parser)->kind) {
    case TOKEN_ASSIGN: return UPPAAL_OPS;
    case UPPAAL_TOKEN_ADD_TO: return UPPAAL_ADD;
    case UPPAAL_TOKEN_SUB_FROM: return UPPAAL_SUB;
    case UPPAAL_TOKEN_MUL_BY: return UPPAAL_MUL;
    case UPPAAL_TOKEN_DIV_BY: return UPPAAL_DIV;
    case UPPAAL_TOKEN_MOD_BY: return UPPAAL_MOD;
    case UPPAAL_TOKEN_AND_WITH: return UPPAAL_BIT_AND;
    case UPPAAL_TOKEN_OR_WITH: return UPPAAL_BIT_OR;
    case UPPAAL_TOKEN_XOR_WITH: return UPPAAL_BIT_XOR;
    case UPPAAL_TOKEN_SHIFT_LEFT_BY: return UPPAAL_SHIFT_LEFT;
    case UPPAAL_TOKEN_SHIFT_RIGHT_BY: return UPPAAL_SHIFT_RIGHT;
    default: return -1;
    }
}

struct uppaal_exp *uppaal_parse_exp(struct uppaal_parser *parser)
{
    if (!uppaal_enter(parser)) {
        uppaal_leave(parser);
        return uppaal_new_exp(parser, UPPAAL_EXP_NUMBER, uppaal_here(parser));
    }
    struct uppaal_exp *exp = parse_conditional(parser);
    int op = assignment_here(parser);
    if (op >= 0 && !parser->panic) {
        struct place place = uppaal_here(parser);
        parser->at++;
        struct uppaal_exp *b = uppaal_parse_exp(parser);
        exp = combine_infix(parser, UPPAAL_EXP_ASSIGN, op == UPPAAL_OPS ? 0 : (unsigned)op, place,
                            exp, b);
        exp->is_plain = op == UPPAAL_OPS;
    }
    uppaal_leave(parser);
    return exp;
}

/* ---- initialisers ---- */

static struct uppaal_exp *parse_setting(struct uppaal_parser *parser)
{
    if (!uppaal_at(parser, TOKEN_NAME) || uppaal_ahead(parser, 1)->kind != TOKEN_COLON)
        return uppaal_parse_initialiser(parser);
    struct uppaal_exp *exp = uppaal_new_exp(parser, UPPAAL_EXP_SETTING, uppaal_here(parser));
    exp->name = uppaal_peek(parser)->text;
    parser->at += 2;
    exp->a = uppaal_parse_initialiser(parser);
    deepen(parser, exp, exp->a);
    return exp;
}

struct uppaal_exp *uppaal_parse_initialiser(struct uppaal_parser *parser)
{
    struct place opened = uppaal_here(parser);
    if (!uppaal_accept(parser, TOKEN_OPEN_CURLY)) return uppaal_parse_exp(parser);
    struct uppaal_exp *exp = uppaal_new_exp(parser, UPPAAL_EXP_LIST, opened);
    if (uppaal_enter(parser))
        parse_elements(parser, exp, parse_setting, TOKEN_CLOSE_CURLY, "the initialiser");
    uppaal_leave(parser);
    return exp;
}

void uppaal_check_rates(struct uppaal_parser *parser)
{
    if (parser->rates)
        uppaal_error(
            parser, DIAG_UNSUPPORTED, parser->rate,
            "a clock rate: clocks run at rate 1, and only x' == 1 in an invariant is read");
    parser->rates = 0;
}
