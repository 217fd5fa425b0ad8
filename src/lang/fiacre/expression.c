/* Expressions and formulas, by precedence climbing: one table of binary operators, so that long
 * chains cost no stack; nesting is bounded.
 *
 * Expressions, loosest first: a ? b : c; or; and; = <> < <= > >=; + -; * / %; not - + $ first
 * dequeue empty full length; a[i] a.f.
 *
 * Formulas are Cairn's, as in every language it reads, with Fiacre's expressions as atoms, and with
 * the operators of frac's properties as other spellings. Loosest first: leadsto, precedes; a ? b :
 * c; <-> <=>; -> => (to the right); or | ||; and & &&; U R W, until, release (to the right); ! not
 * X F G, [] <> (), EX AG ..., E[f U g], A[f U g], enter, leave, present ... and the like; then
 * expressions from comparisons on, also with == and !=. The letters are operators only where one
 * can stand, so that variables may have such names. */
#include "lang/fiacre/parser.h"

#include <string.h>

struct fiacre_exp *fiacre_new_exp(struct fiacre_parser *parser, enum fiacre_exp_kind kind,
                                  struct place place)
{
    struct fiacre_exp *exp = arena_alloc(parser->arena, sizeof *exp);
    exp->kind = (uint8_t)kind;
    exp->place = exp->op_place = place;
    return exp;
}

void fiacre_deepen(struct fiacre_parser *parser, struct fiacre_exp *exp,
                   const struct fiacre_exp *below)
{
    if (!below || below->depth < exp->depth) return;
    exp->depth = below->depth + 1;
    if (exp->depth > FIACRE_MAX_DEPTH)
        fiacre_error(parser, exp->place,
                     "this expression is nested too deeply: more than %d operators on one path",
                     FIACRE_MAX_DEPTH);
}

struct fiacre_exp *fiacre_combine(struct fiacre_parser *parser, enum fiacre_exp_kind kind,
                                  unsigned op, struct place place, struct fiacre_exp *a,
                                  struct fiacre_exp *b, struct fiacre_exp *c)
{
    struct fiacre_exp *exp = fiacre_new_exp(parser, kind, place);
    exp->op = (uint8_t)op;
    exp->a = a;
    exp->b = b;
    exp->c = c;
    fiacre_deepen(parser, exp, a);
    fiacre_deepen(parser, exp, b);
    fiacre_deepen(parser, exp, c);
    return exp;
}

/* The modes that brackets end. */
struct modes {
    bool formula, in_path, in_pattern, in_scope;
};

static struct modes enter_brackets(struct fiacre_parser *parser, bool is_formula)
{
    struct modes saved = {parser->formula, parser->in_path, parser->in_pattern, parser->in_scope};
    parser->formula = is_formula;
    parser->in_path = parser->in_pattern = parser->in_scope = false;
    return saved;
}

static void leave_brackets(struct fiacre_parser *parser, struct modes saved)
{
    parser->formula = saved.formula;
    parser->in_path = saved.in_path;
    parser->in_pattern = saved.in_pattern;
    parser->in_scope = saved.in_scope;
}

/* ---- primaries ---- */

struct fiacre_exp *fiacre_parse_list(struct fiacre_parser *parser, fiacre_parse_one *parse,
                                     uint32_t *count)
{
    struct fiacre_exp *first = NULL, **last = &first;
    *count = 0;
    do {
        *last = parse(parser);
        last = &(*last)->next;
        ++*count;
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    return first;
}

/* Reads the elements of exp up to a closing bracket. */
static void parse_elements(struct fiacre_parser *parser, struct fiacre_exp *exp, unsigned close,
                           const char *what)
{
    exp->args = fiacre_parse_list(parser, fiacre_parse_exp, &exp->count);
    for (const struct fiacre_exp *arg = exp->args; arg; arg = arg->next)
        fiacre_deepen(parser, exp, arg);
    fiacre_expect_close(parser, close, "',', an operator", what, exp->place);
}

static struct fiacre_exp *parse_record(struct fiacre_parser *parser)
{
    struct fiacre_exp *exp = fiacre_new_exp(parser, FIACRE_EXP_RECORD, fiacre_here(parser)),
                      **last = &exp->args;
    parser->at++;
    do {
        struct place place = fiacre_here(parser);
        const char *name = fiacre_expect_name(parser, exp->count ? "','" : "'{'");
        fiacre_expect(parser, TOKEN_EQ, "the field's name");
        if (parser->panic) break;
        *last = fiacre_combine(parser, FIACRE_EXP_SETTING, 0, place, fiacre_parse_exp(parser), NULL,
                               NULL);
        (*last)->name = name;
        fiacre_deepen(parser, exp, *last);
        last = &(*last)->next;
        exp->count++;
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    fiacre_expect_close(parser, TOKEN_CLOSE_CURLY, "',', an operator", "the record", exp->place);
    return exp;
}

/* enqueue(a, b), append(a, b) */
static struct fiacre_exp *parse_queue_operation(struct fiacre_parser *parser)
{
    const struct token *word = fiacre_peek(parser, 0);
    parser->at++;
    char shown[48];
    if (!fiacre_expect(parser, TOKEN_OPEN, token_show(word, shown)))
        return fiacre_new_exp(parser, FIACRE_EXP_NUMBER, word->place);
    struct fiacre_exp *a = fiacre_parse_exp(parser);
    fiacre_expect(parser, TOKEN_COMMA, "the queue");
    struct fiacre_exp *b = fiacre_parse_exp(parser);
    fiacre_expect(parser, TOKEN_CLOSE, "the element");
    return fiacre_combine(parser, FIACRE_EXP_BINARY,
                          word->kind == FIACRE_WORD_ENQUEUE ? FIACRE_ENQUEUE : FIACRE_APPEND,
                          word->place, a, b, NULL);
}

static bool begins_argument(const struct fiacre_parser *parser, const struct token *token)
{
    switch (token->kind) {
    case TOKEN_NUMBER:
    case TOKEN_OPEN_CURLY:
    case TOKEN_OPEN_QUEUE:
    case FIACRE_WORD_TRUE:
    case FIACRE_WORD_FALSE: return parser->juxtaposition != FIACRE_JUXTAPOSE_NEVER;
    case TOKEN_NAME:
        return parser->juxtaposition == FIACRE_JUXTAPOSE && !fiacre_is_root(parser, token);
    default: return false;
    }
}

static struct fiacre_exp *parse_simple(struct fiacre_parser *parser);
static bool is_prefix_word(const struct fiacre_parser *parser, const struct token *token);

static struct fiacre_exp *parse_name(struct fiacre_parser *parser)
{
    const struct token *token = fiacre_peek(parser, 0);
    struct fiacre_exp *exp = fiacre_new_exp(parser, FIACRE_EXP_NAME, token->place);
    exp->name = token->text;
    if (parser->formula && is_prefix_word(parser, token))
        fiacre_error(
            parser, token->place,
            "the operator '%s' after an operator that binds tighter: put it in parentheses",
            token->text);
    parser->at++;
    if (fiacre_accept(parser, TOKEN_OPEN)) {
        exp->kind = FIACRE_EXP_CALL;
        if (!fiacre_accept(parser, TOKEN_CLOSE))
            parse_elements(parser, exp, TOKEN_CLOSE, "the arguments");
    } else if (begins_argument(parser, fiacre_peek(parser, 0))) {
        exp->kind = FIACRE_EXP_CALL;
        exp->juxtaposed = true;
        exp->count = 1;
        if (fiacre_enter(parser)) exp->args = fiacre_parse_postfix(parser, parse_simple(parser));
        fiacre_leave(parser);
        fiacre_deepen(parser, exp, exp->args);
    }
    return exp;
}

static struct fiacre_exp *parse_parentheses(struct fiacre_parser *parser)
{
    struct place opened = fiacre_here(parser);
    parser->at++;
    struct modes modes = enter_brackets(parser, parser->formula);
    struct fiacre_exp *exp =
        parser->formula ? fiacre_parse_formula(parser) : fiacre_parse_exp(parser);
    leave_brackets(parser, modes);
    fiacre_expect_close(parser, TOKEN_CLOSE, "an operator", "the parentheses", opened);
    return exp;
}

static struct fiacre_exp *parse_simple(struct fiacre_parser *parser)
{
    const struct token *token = fiacre_peek(parser, 0);
    struct fiacre_exp *exp = fiacre_new_exp(parser, FIACRE_EXP_NUMBER, token->place);
    switch (token->kind) {
    case TOKEN_NUMBER:
        exp->number = token->number;
        parser->at++;
        return exp;
    case FIACRE_WORD_TRUE:
    case FIACRE_WORD_FALSE:
        exp->kind = FIACRE_EXP_BOOL;
        exp->number = token->kind == FIACRE_WORD_TRUE;
        parser->at++;
        return exp;
    case TOKEN_NAME: return parse_name(parser);
    case TOKEN_OPEN: return parse_parentheses(parser);
    case TOKEN_OPEN_CURLY: return parse_record(parser);
    case FIACRE_WORD_ENQUEUE:
    case FIACRE_WORD_APPEND: return parse_queue_operation(parser);
    case TOKEN_OPEN_SQUARE:
        exp->kind = FIACRE_EXP_ARRAY;
        parser->at++;
        parse_elements(parser, exp, TOKEN_CLOSE_SQUARE, "the array");
        return exp;
    case TOKEN_OPEN_QUEUE:
        exp->kind = FIACRE_EXP_QUEUE;
        parser->at++;
        if (!fiacre_accept(parser, TOKEN_CLOSE_QUEUE))
            parse_elements(parser, exp, TOKEN_CLOSE_QUEUE, "the queue");
        return exp;
    case TOKEN_DECIMAL:
        fiacre_error(parser, token->place,
                     "a number with a point is allowed only in a time interval");
        return exp;
    case FIACRE_WORD_READ: /* frac lets properties have these names */
    case FIACRE_WORD_WRITE:
        if (parser->formula) return parse_name(parser);
        break;
    default: break;
    }
    fiacre_error_expected(parser, "an expression");
    return exp;
}

struct fiacre_exp *fiacre_parse_postfix(struct fiacre_parser *parser, struct fiacre_exp *a)
{
    while (!parser->panic) {
        struct place place = fiacre_here(parser);
        if (fiacre_accept(parser, TOKEN_OPEN_SQUARE)) {
            struct fiacre_exp *index = fiacre_parse_exp(parser);
            a = fiacre_combine(parser, FIACRE_EXP_INDEX, 0, a->place, a, index, NULL);
            fiacre_expect_close(parser, TOKEN_CLOSE_SQUARE, "an operator", "the index", place);
        } else if (fiacre_accept(parser, TOKEN_DOT)) {
            const struct token *field = fiacre_peek(parser, 0);
            a = fiacre_combine(parser, FIACRE_EXP_FIELD, 0, a->place, a, NULL, NULL);
            a->name = field->text;
            a->op_place = field->place;
            /* q.full on the command line is a name that Cairn made */
            if (parser->loose && fiacre_is_keyword(field)) parser->at++;
            else fiacre_expect_name(parser, "'.'");
        } else {
            return a;
        }
    }
    return a;
}

static struct fiacre_exp *parse_primary(struct fiacre_parser *parser)
{
    struct fiacre_exp *exp = parser->formula ? fiacre_parse_observable(parser) : NULL;
    if (exp) return exp;
    exp = fiacre_parse_postfix(parser, parse_simple(parser));
    if (!parser->formula || parser->panic || !fiacre_accept(parser, TOKEN_AT)) return exp;
    exp = fiacre_combine(parser, FIACRE_EXP_AT, 0, exp->place, exp, NULL, NULL);
    exp->op_place = fiacre_here(parser);
    exp->name = fiacre_expect_name(parser, "'@'");
    return exp;
}

/* Operators before an operand, which bind tighter than all binary ones. */
static struct fiacre_exp *parse_unary(struct fiacre_parser *parser)
{
    static const struct {
        uint8_t token, op;
    } unary[] = {{FIACRE_WORD_NOT, FIACRE_NOT},       {TOKEN_MINUS, FIACRE_NEGATE},
                 {TOKEN_PLUS, FIACRE_PLUS},           {TOKEN_DOLLAR, FIACRE_COERCE},
                 {FIACRE_WORD_FIRST, FIACRE_FIRST},   {FIACRE_WORD_DEQUEUE, FIACRE_DEQUEUE},
                 {FIACRE_WORD_EMPTY, FIACRE_EMPTY},   {FIACRE_WORD_FULL, FIACRE_FULL},
                 {FIACRE_WORD_LENGTH, FIACRE_LENGTH}, {TOKEN_BANG, FIACRE_NOT}};
    const struct token *token = fiacre_peek(parser, 0);
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++) {
        if (unary[i].token != token->kind || (token->kind == TOKEN_BANG && !parser->loose))
            continue;
        parser->at++;
        struct fiacre_exp *operand = fiacre_enter(parser)
                                         ? parse_unary(parser)
                                         : fiacre_new_exp(parser, FIACRE_EXP_NUMBER, token->place);
        fiacre_leave(parser);
        return fiacre_combine(parser, FIACRE_EXP_UNARY, unary[i].op, token->place, operand, NULL,
                              NULL);
    }
    return parse_primary(parser);
}

/* ---- temporal operators ---- */

bool fiacre_begins_operand(const struct token *token)
{
    switch (token->kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_OPEN:
    case TOKEN_OPEN_QUEUE:
    case TOKEN_CHOICE:
    case TOKEN_BANG:
    case FIACRE_WORD_NOT:
    case FIACRE_WORD_TRUE:
    case FIACRE_WORD_FALSE:
    case FIACRE_WORD_FIRST:
    case FIACRE_WORD_EMPTY:
    case FIACRE_WORD_FULL:
    case FIACRE_WORD_LENGTH:
    case FIACRE_WORD_READ:
    case FIACRE_WORD_WRITE: return true;
    default: return false;
    }
}

static bool is_until_word(const struct token *token, unsigned *op)
{
    static const struct {
        const char *word;
        uint8_t op;
    } words[] = {{"U", FORMULA_U},
                 {"R", FORMULA_R},
                 {"W", FORMULA_W},
                 {"until", FORMULA_U},
                 {"release", FORMULA_R}};
    if (token->kind != TOKEN_NAME) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fiacre_is_word(token, words[i].word)) return *op = words[i].op, true;
    return false;
}

static bool find_until(const struct fiacre_parser *parser, unsigned *op)
{
    const struct token *token = fiacre_peek(parser, 0);
    if (!parser->formula || !is_until_word(token, op) || fiacre_is_root(parser, token))
        return false;
    return !(parser->in_scope && fiacre_is_word(token, "until"));
}

/* X, F, G, AG, GF, AGEF, ... in front of an operand */
static bool is_unary_word(const struct fiacre_parser *parser, const struct token *token)
{
    unsigned op;
    if (token->kind != TOKEN_NAME || !fiacre_begins_operand(token + 1)
        || fiacre_is_root(parser, token + 1))
        return false;
    for (const char *at = token->text; *at; at++) {
        if (at - token->text > 8) return false;
        if ((*at == 'A' || *at == 'E') && at[1]) at++;
        if (*at != 'X' && *at != 'F' && *at != 'G') return false;
    }
    /* `x U y`: the word before an infix operator is a variable */
    return !(is_until_word(token + 1, &op) && fiacre_begins_operand(token + 2));
}

/* Any word that is an operator in front of an operand. */
static bool is_prefix_word(const struct fiacre_parser *parser, const struct token *token)
{
    static const char *const words[] = {"enter", "leave", "ltl"};
    if (is_unary_word(parser, token) || fiacre_begins_pattern(parser, token)) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fiacre_is_word(token, words[i]))
            return fiacre_begins_operand(token + 1) && !fiacre_is_root(parser, token + 1);
    return false;
}

static struct fiacre_exp *temporal(struct fiacre_parser *parser, unsigned op, struct place place,
                                   struct fiacre_exp *a, struct fiacre_exp *b)
{
    return fiacre_combine(parser, FIACRE_EXP_TEMPORAL, op, place, a, b, NULL);
}

static struct fiacre_exp *apply_word(struct fiacre_parser *parser, const char *word,
                                     struct fiacre_exp *operand, struct place place)
{
    for (size_t i = strlen(word); i-- > 0;) {
        operand = temporal(parser,
                           word[i] == 'X'   ? FORMULA_X
                           : word[i] == 'F' ? FORMULA_F
                                            : FORMULA_G,
                           place, operand, NULL);
        if (i && (word[i - 1] == 'A' || word[i - 1] == 'E'))
            operand =
                temporal(parser, word[--i] == 'A' ? FORMULA_A : FORMULA_E, place, operand, NULL);
    }
    return operand;
}

static bool is_path_letter(const struct token *token)
{
    return fiacre_is_word(token, "A") || fiacre_is_word(token, "E");
}

static bool ends_operand(const struct token *token)
{
    switch (token->kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_CLOSE:
    case TOKEN_CLOSE_SQUARE:
    case TOKEN_CLOSE_CURLY:
    case TOKEN_CLOSE_QUEUE:
    case FIACRE_WORD_TRUE:
    case FIACRE_WORD_FALSE:
    case FIACRE_WORD_READ:
    case FIACRE_WORD_WRITE: return true;
    default: return false;
    }
}

/* Before a bracket with a temporal operator in it, A and E are quantifiers; before others they are
 * an array or a function of that name. */
static bool is_quantifier(const struct fiacre_parser *parser)
{
    enum { FAR = 4096 }; /* keeps nested brackets from being read again and again */
    const struct token *token = fiacre_peek(parser, 0), *at = token + 1;
    if (!is_path_letter(token) || (at->kind != TOKEN_OPEN && at->kind != TOKEN_OPEN_SQUARE))
        return false;
    unsigned op, depth = 0;
    for (; at->kind != TOKEN_END && at - token < FAR; at++) {
        if (at->kind == TOKEN_OPEN || at->kind == TOKEN_OPEN_SQUARE) depth++;
        else if ((at->kind == TOKEN_CLOSE || at->kind == TOKEN_CLOSE_SQUARE) && --depth == 0)
            return false;
        else if (at->kind == TOKEN_CHOICE || is_unary_word(parser, at)) return true;
        else if (is_until_word(at, &op) && ends_operand(at - 1) && fiacre_begins_operand(at + 1))
            return true;
    }
    return false;
}

/* Directly inside the brackets U, R and W bind loosest, as in E[a & b U c]: by the general
 * precedences this would be E[a & (b U c)], which is no CTL. */
static struct fiacre_exp *parse_quantifier(struct fiacre_parser *parser)
{
    const struct token *quantifier = fiacre_peek(parser, 0), *open = fiacre_peek(parser, 1);
    unsigned op;
    parser->at += 2;
    struct modes modes = enter_brackets(parser, true);
    parser->in_path = true;
    struct fiacre_exp *path = fiacre_parse_formula(parser);
    if (!parser->panic && find_until(parser, &op)) {
        parser->at++;
        path = temporal(parser, op, path->place, path, fiacre_parse_formula(parser));
    }
    leave_brackets(parser, modes);
    unsigned close = open->kind == TOKEN_OPEN ? TOKEN_CLOSE : TOKEN_CLOSE_SQUARE;
    fiacre_expect_close(parser, close, "an operator", "the formula of paths", open->place);
    return temporal(parser, quantifier->text[0] == 'A' ? FORMULA_A : FORMULA_E, quantifier->place,
                    path, NULL);
}

static struct fiacre_exp *parse_binary(struct fiacre_parser *parser, unsigned level);
static struct fiacre_exp *parse_formula_unary(struct fiacre_parser *parser);
enum {
    LEVEL_IFF,
    LEVEL_IMPLIES,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_UNTIL,
    LEVEL_UNARY,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT
};

/* [] is G, <> is F, () is X; -1: none */
static int symbol_operator(const struct fiacre_parser *parser, unsigned *length)
{
    const struct token *token = fiacre_peek(parser, 0);
    *length = token->kind == TOKEN_OPEN ? 2 : 1;
    if (token->kind == TOKEN_CHOICE) return FORMULA_G;
    if (token->kind == TOKEN_NE) return FORMULA_F;
    return token->kind == TOKEN_OPEN && token[1].kind == TOKEN_CLOSE ? FORMULA_X : -1;
}

/* One operator before a formula, with its operand. NULL: none here. */
static struct fiacre_exp *parse_formula_prefix(struct fiacre_parser *parser)
{
    const struct token *token = fiacre_peek(parser, 0);
    unsigned length;
    int symbol = symbol_operator(parser, &length);
    if (symbol >= 0) {
        parser->at += length;
        return temporal(parser, (unsigned)symbol, token->place, parse_formula_unary(parser), NULL);
    }
    if (fiacre_accept(parser, TOKEN_BANG) || fiacre_accept(parser, FIACRE_WORD_NOT))
        return fiacre_combine(parser, FIACRE_EXP_UNARY, FIACRE_NOT, token->place,
                              parse_formula_unary(parser), NULL, NULL);
    if (token->kind != TOKEN_NAME) return NULL;
    if (is_quantifier(parser)) return parse_quantifier(parser);
    if (is_path_letter(token) && is_unary_word(parser, token + 1) && token[1].text[0] != 'A'
        && token[1].text[0] != 'E') { /* A G p */
        parser->at++;
        return temporal(parser, token->text[0] == 'A' ? FORMULA_A : FORMULA_E, token->place,
                        parse_formula_unary(parser), NULL);
    }
    if (is_unary_word(parser, token)) {
        parser->at++;
        return apply_word(parser, token->text, parse_formula_unary(parser), token->place);
    }
    if (!fiacre_begins_operand(token + 1) || fiacre_is_root(parser, token + 1))
        return fiacre_parse_pattern_prefix(parser);
    if (fiacre_accept_word(parser, "ltl"))
        return fiacre_parse_formula(parser); /* in a combination of properties */
    if (fiacre_accept_word(parser, "enter"))
        return fiacre_combine(parser, FIACRE_EXP_ENTER, 0, token->place,
                              parse_formula_unary(parser), NULL, NULL);
    if (fiacre_accept_word(parser, "leave"))
        return fiacre_combine(parser, FIACRE_EXP_LEAVE, 0, token->place,
                              parse_formula_unary(parser), NULL, NULL);
    return fiacre_parse_pattern_prefix(parser);
}

static struct fiacre_exp *parse_formula_unary(struct fiacre_parser *parser)
{
    struct fiacre_exp *exp = NULL;
    if (fiacre_enter(parser)) {
        exp = parse_formula_prefix(parser);
        if (!exp) exp = parse_binary(parser, LEVEL_COMPARE);
    }
    fiacre_leave(parser);
    return exp ? exp : fiacre_new_exp(parser, FIACRE_EXP_NUMBER, fiacre_here(parser));
}

/* ---- binary operators ---- */

static const struct binary {
    uint8_t level, token, kind, op;
    bool formula_only;
} binary[] = {
    {LEVEL_IFF, TOKEN_IFF, FIACRE_EXP_TEMPORAL, FORMULA_IFF, true},
    {LEVEL_IMPLIES, TOKEN_ARROW, FIACRE_EXP_TEMPORAL, FORMULA_IMPLIES, true},
    {LEVEL_IMPLIES, TOKEN_IMPLIES, FIACRE_EXP_TEMPORAL, FORMULA_IMPLIES, true},
    {LEVEL_OR, FIACRE_WORD_OR, FIACRE_EXP_BINARY, FIACRE_OR, false},
    {LEVEL_OR, TOKEN_BAR, FIACRE_EXP_BINARY, FIACRE_OR, true},
    {LEVEL_OR, TOKEN_BARS, FIACRE_EXP_BINARY, FIACRE_OR, true},
    {LEVEL_AND, FIACRE_WORD_AND, FIACRE_EXP_BINARY, FIACRE_AND, false},
    {LEVEL_AND, TOKEN_AMPERSAND, FIACRE_EXP_BINARY, FIACRE_AND, true},
    {LEVEL_AND, TOKEN_AND, FIACRE_EXP_BINARY, FIACRE_AND, true},
    {LEVEL_COMPARE, TOKEN_EQ, FIACRE_EXP_BINARY, FIACRE_EQ, false},
    {LEVEL_COMPARE, TOKEN_DOUBLE_EQ, FIACRE_EXP_BINARY, FIACRE_EQ, true},
    {LEVEL_COMPARE, TOKEN_NE, FIACRE_EXP_BINARY, FIACRE_NE, false},
    {LEVEL_COMPARE, TOKEN_BANG_EQ, FIACRE_EXP_BINARY, FIACRE_NE, true},
    {LEVEL_COMPARE, TOKEN_LT, FIACRE_EXP_BINARY, FIACRE_LT, false},
    {LEVEL_COMPARE, TOKEN_LE, FIACRE_EXP_BINARY, FIACRE_LE, false},
    {LEVEL_COMPARE, TOKEN_GT, FIACRE_EXP_BINARY, FIACRE_GT, false},
    {LEVEL_COMPARE, TOKEN_GE, FIACRE_EXP_BINARY, FIACRE_GE, false},
    {LEVEL_SUM, TOKEN_PLUS, FIACRE_EXP_BINARY, FIACRE_ADD, false},
    {LEVEL_SUM, TOKEN_MINUS, FIACRE_EXP_BINARY, FIACRE_SUB, false},
    {LEVEL_PRODUCT, TOKEN_TIMES, FIACRE_EXP_BINARY, FIACRE_MUL, false},
    {LEVEL_PRODUCT, TOKEN_DIVIDE, FIACRE_EXP_BINARY, FIACRE_DIV, false},
    {LEVEL_PRODUCT, TOKEN_REMAINDER, FIACRE_EXP_BINARY, FIACRE_MOD, false},
};

/* The operator here, when there is one that binds at least as tight as level. */
static bool find_binary(const struct fiacre_parser *parser, unsigned level, struct binary *found)
{
    const struct token *token = fiacre_peek(parser, 0);
    unsigned op;
    if (level <= LEVEL_UNTIL && !parser->in_path && find_until(parser, &op)) {
        *found = (struct binary){LEVEL_UNTIL, 0, FIACRE_EXP_TEMPORAL, (uint8_t)op, true};
        return true;
    }
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        if (binary[i].token != token->kind) continue;
        *found = binary[i];
        if (binary[i].level < level) return false;
        if (binary[i].formula_only && !parser->formula
            && !(parser->loose && binary[i].kind == FIACRE_EXP_BINARY))
            return false;
        return !(parser->in_pattern && binary[i].level <= LEVEL_AND
                 && fiacre_begins_pattern(parser, fiacre_peek(parser, 1)));
    }
    return false;
}

static struct fiacre_exp *parse_binary(struct fiacre_parser *parser, unsigned level)
{
    struct fiacre_exp *left =
        parser->formula && level <= LEVEL_UNARY ? parse_formula_unary(parser) : parse_unary(parser);
    struct binary found;
    while (!parser->panic && find_binary(parser, level, &found)) {
        struct place place = fiacre_here(parser);
        bool to_the_right = found.level == LEVEL_IMPLIES || found.level == LEVEL_UNTIL;
        struct fiacre_exp *right = left;
        parser->at++;
        if (!to_the_right) right = parse_binary(parser, found.level + 1u);
        else if (fiacre_enter(parser)) right = parse_binary(parser, found.level);
        if (to_the_right) fiacre_leave(parser);
        if (parser->panic) break;
        left = fiacre_combine(parser, found.kind, found.op, left->place, left, right, NULL);
        left->op_place = place;
    }
    return left;
}

/* Whatever stands before it: the rest of `a ? b : c`, or nothing. */
static struct fiacre_exp *parse_conditional(struct fiacre_parser *parser,
                                            struct fiacre_exp *condition)
{
    struct place place = fiacre_here(parser);
    if (parser->panic || !fiacre_accept(parser, TOKEN_QUESTION)) return condition;
    struct fiacre_exp *yes =
        parser->formula ? fiacre_parse_formula(parser) : fiacre_parse_exp(parser);
    fiacre_expect(parser, TOKEN_COLON, "the first choice of '?'");
    struct fiacre_exp *no =
        parser->formula ? fiacre_parse_formula(parser) : fiacre_parse_exp(parser);
    struct fiacre_exp *exp =
        fiacre_combine(parser, FIACRE_EXP_CONDITIONAL, 0, condition->place, condition, yes, no);
    exp->op_place = place;
    return exp;
}

/* ---- entries ---- */

static struct fiacre_exp *parse_expression_from(struct fiacre_parser *parser, unsigned level)
{
    struct modes modes = enter_brackets(parser, false);
    struct fiacre_exp *exp = NULL;
    if (fiacre_enter(parser)) {
        exp = parse_binary(parser, level);
        if (level == LEVEL_OR) exp = parse_conditional(parser, exp);
    }
    fiacre_leave(parser);
    leave_brackets(parser, modes);
    return exp ? exp : fiacre_new_exp(parser, FIACRE_EXP_NUMBER, fiacre_here(parser));
}

struct fiacre_exp *fiacre_parse_exp(struct fiacre_parser *parser)
{
    return parse_expression_from(parser, LEVEL_OR);
}

struct fiacre_exp *fiacre_parse_comparison(struct fiacre_parser *parser)
{
    return parse_expression_from(parser, LEVEL_COMPARE);
}

struct fiacre_exp *fiacre_parse_arithmetic(struct fiacre_parser *parser)
{
    return parse_expression_from(parser, LEVEL_SUM);
}

struct fiacre_exp *fiacre_parse_formula(struct fiacre_parser *parser)
{
    enum fiacre_juxtaposition juxtaposition = parser->juxtaposition;
    bool was_formula = parser->formula, was_loose = parser->loose;
    struct fiacre_exp *exp = NULL;
    parser->juxtaposition = FIACRE_JUXTAPOSE_NO_NAMES;
    parser->formula = parser->loose = true;
    if (fiacre_enter(parser)) {
        exp = parse_conditional(parser, parse_binary(parser, LEVEL_IFF));
        exp = fiacre_parse_pattern_infix(parser, exp);
    }
    fiacre_leave(parser);
    parser->juxtaposition = juxtaposition;
    parser->formula = was_formula;
    parser->loose = was_loose;
    return exp ? exp : fiacre_new_exp(parser, FIACRE_EXP_NUMBER, fiacre_here(parser));
}

struct fiacre_exp *fiacre_parse_pattern_operand(struct fiacre_parser *parser, bool before_and)
{
    bool outer = parser->in_pattern;
    parser->in_pattern = true;
    struct fiacre_exp *exp = parse_binary(parser, before_and ? LEVEL_UNTIL : LEVEL_IFF);
    parser->in_pattern = outer;
    return exp;
}
