/* Expressions and formulas share one grammar (contract, "Formulas"); what may stand where is
 * decided when names are resolved. Binary levels are loops over one table, so that long chains cost
 * no stack; nesting is bounded. */
#include "lang/milestones/parser.h"

#include <string.h>

static struct ast *new_node(struct parser *parser, enum ast_kind kind, struct place place)
{
    struct ast *node = arena_alloc(parser->arena, sizeof *node);
    node->kind = (uint8_t)kind;
    node->place = place;
    return node;
}

static struct ast *combine(struct parser *parser, enum ast_kind kind, unsigned op, struct ast *a,
                           struct ast *b, struct place place)
{
    struct ast *node = new_node(parser, kind, place);
    node->op = (uint8_t)op;
    node->a = a;
    node->b = b;
    node->depth = a->depth + 1;
    if (b && b->depth >= node->depth) node->depth = b->depth + 1;
    node->has_each = a->has_each || (b && b->has_each);
    if (node->depth > AST_MAX_DEPTH && !parser->panic)
        parser_error(parser, place,
                     "this expression is nested too deeply: more than %d operators on one path",
                     AST_MAX_DEPTH);
    return node;
}

/* The token after the `]` that closes the `[` at index `open`. */
static const struct token *after_bracket(const struct parser *parser, uint32_t open)
{
    enum {
        FAR = 4096
    }; /* keeps nested brackets from being read again and again; no index is that long */
    unsigned depth = 0;
    uint32_t at = open;
    for (; parser->tokens[at].kind != TOKEN_END && at - open < FAR; at++) {
        enum token_kind kind = parser->tokens[at].kind;
        if (kind == TOKEN_OPEN_SQUARE) depth++;
        if (kind == TOKEN_CLOSE_SQUARE && --depth == 0) return &parser->tokens[at + 1];
        if (kind == TOKEN_SEMICOLON || kind == TOKEN_ASSIGN) break; /* cannot be inside an index */
    }
    return &parser->tokens[at];
}

/* `p[i].x` and `p[i]:x`; otherwise the bracket starts the next command. */
static bool is_member_access(const struct parser *parser)
{
    const struct token *next = parser_peek(parser, 1);
    if (next->kind == TOKEN_DOT) return true;
    if (next->kind != TOKEN_OPEN_SQUARE) return false;
    next = after_bracket(parser, parser->at + 1);
    return next->kind == TOKEN_DOT || (next->kind == TOKEN_COLON && next[1].kind == TOKEN_NAME);
}

static struct ast *parse_member(struct parser *parser)
{
    const struct token *name = parser_peek(parser, 0);
    struct ast *node = new_node(parser, AST_MEMBER, name->place);
    node->name = name->text;
    parser->at++;
    if (parser_accept(parser, TOKEN_OPEN_SQUARE)) {
        bool temporal = parser->temporal;
        parser->temporal = false;
        parser->nesting++;
        node->a = parse_arithmetic(parser);
        parser->nesting--;
        parser->temporal = temporal;
        node->depth = node->a->depth + 1;
        node->has_each = node->a->has_each;
        parser_expect(parser, TOKEN_CLOSE_SQUARE, "the index");
    }
    if (!parser_accept(parser, TOKEN_DOT)) parser_accept(parser, TOKEN_COLON);
    const struct token *member = parser_peek(parser, 0);
    node->member = member->text;
    node->member_place = member->place;
    parser_expect(parser, TOKEN_NAME, "the process");
    return node;
}

static struct ast *parse_primary(struct parser *parser)
{
    const struct token *token = parser_peek(parser, 0);
    struct ast *node = new_node(parser, AST_NUMBER, token->place);
    char shown[48];
    if (parser->nesting >= PARSER_MAX_NESTING) {
        if (!parser->panic)
            parser_error(parser, token->place,
                         "this expression is nested too deeply: more than %d levels",
                         PARSER_MAX_NESTING / 2);
        return node;
    }
    switch (token->kind) {
    case TOKEN_NUMBER:
        node->number = token->number;
        parser->at++;
        return node;
    case TOKEN_OPEN:
        parser->at++;
        parser->nesting++;
        node = parse_expression(parser);
        parser->nesting--;
        parser_expect(parser, TOKEN_CLOSE, "the expression in parentheses");
        return node;
    case TOKEN_NAME:
        if (parser_is_keyword(token)) break;
        if (is_member_access(parser)) return parse_member(parser);
        if (parser_peek(parser, 1)->kind == TOKEN_OPEN_SQUARE && !parser->temporal
            && !parser->panic)
            parser_error(parser, parser_peek(parser, 1)->place,
                         "variables have no elements: several processes have, as in p[i].x");
        node->kind = AST_NAME;
        node->name = token->text;
        if (!strcmp(token->text, "true") || !strcmp(token->text, "false")) {
            node->kind = AST_BOOL;
            node->number = token->text[0] == 't';
        }
        parser->at++;
        return node;
    default: break;
    }
    parser_error(parser, token->place, "expected an expression, found %s",
                 token_show(token, shown));
    return node;
}

/* ---- binary levels, loosest first ---- */
enum {
    LEVEL_IFF,
    LEVEL_IMPLIES,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_UNTIL,
    LEVEL_UNARY,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN
};

static const struct {
    uint8_t level, token, op;
} binary[] = {
    {LEVEL_IFF, TOKEN_IFF, EXPR_IFF},
    {LEVEL_IMPLIES, TOKEN_IMPLIES, EXPR_IMPLIES},
    {LEVEL_OR, TOKEN_OR, EXPR_OR},
    {LEVEL_AND, TOKEN_AND, EXPR_AND},
    {LEVEL_COMPARE, TOKEN_EQ, EXPR_EQ},
    {LEVEL_COMPARE, TOKEN_NE, EXPR_NE},
    {LEVEL_COMPARE, TOKEN_LT, EXPR_LT},
    {LEVEL_COMPARE, TOKEN_LE, EXPR_LE},
    {LEVEL_COMPARE, TOKEN_GT, EXPR_GT},
    {LEVEL_COMPARE, TOKEN_GE, EXPR_GE},
    {LEVEL_SUM, TOKEN_PLUS, EXPR_ADD},
    {LEVEL_SUM, TOKEN_MINUS, EXPR_SUB},
    {LEVEL_PRODUCT, TOKEN_TIMES, EXPR_MUL},
    {LEVEL_PRODUCT, TOKEN_DIVIDE, EXPR_DIV},
    {LEVEL_PRODUCT, TOKEN_REMAINDER, EXPR_MOD},
};

static bool find_binary(const struct token *token, unsigned level, unsigned *op)
{
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (binary[i].level == level && binary[i].token == token->kind)
            return *op = binary[i].op, true;
    return false;
}

static bool find_until(const struct parser *parser, unsigned *op)
{
    const struct token *token = parser_peek(parser, 0);
    if (!parser->temporal || token->kind != TOKEN_NAME || token->text[0] == 0
        || token->text[1] != 0)
        return false;
    switch (token->text[0]) {
    case 'U': return *op = FORMULA_U, true;
    case 'R': return *op = FORMULA_R, true;
    case 'W': return *op = FORMULA_W, true;
    default: return false;
    }
}

/* Whether a token can begin an operand: tells the operator F in `F p` from a variable in `F ==
 * 1`. */
static bool starts_operand(const struct token *token)
{
    return (token->kind == TOKEN_NAME && !parser_is_keyword(token)) || token->kind == TOKEN_NUMBER
           || token->kind == TOKEN_OPEN || token->kind == TOKEN_NOT;
}

/* The operators written in one word, like AG, GF or AGEF, as letters; NULL when the token is no
 * such word. */
static const char *unary_word(const struct parser *parser)
{
    const struct token *token = parser_peek(parser, 0);
    if (!parser->temporal || token->kind != TOKEN_NAME || !starts_operand(parser_peek(parser, 1)))
        return NULL;
    for (const char *at = token->text; *at; at++) {
        if (at - token->text > 8) return NULL;
        if ((*at == 'A' || *at == 'E') && at[1]) at++;
        if (*at != 'X' && *at != 'F' && *at != 'G') return NULL;
    }
    /* `x U y`: the word before an infix operator is a variable */
    unsigned op;
    struct parser ahead = *parser;
    ahead.at++;
    if (find_until(&ahead, &op) && starts_operand(parser_peek(parser, 2))) return NULL;
    return token->text;
}

static enum formula_op path_op(char letter)
{
    return letter == 'X' ? FORMULA_X : letter == 'F' ? FORMULA_F : FORMULA_G;
}

static struct ast *apply_word(struct parser *parser, const char *word, struct ast *operand,
                              struct place place)
{
    for (size_t i = strlen(word); i-- > 0;) {
        operand = combine(parser, AST_TEMPORAL, path_op(word[i]), operand, NULL, place);
        if (i && (word[i - 1] == 'A' || word[i - 1] == 'E'))
            operand = combine(parser, AST_TEMPORAL, word[--i] == 'A' ? FORMULA_A : FORMULA_E,
                              operand, NULL, place);
    }
    return operand;
}

/* E[f U g] and A(f U g): the quantifier stands before a bracket. */
static bool is_quantifier(const struct parser *parser)
{
    const struct token *token = parser_peek(parser, 0), *next = parser_peek(parser, 1);
    if (!parser->temporal || token->kind != TOKEN_NAME) return false;
    if (strcmp(token->text, "A") && strcmp(token->text, "E")) return false;
    return (next->kind == TOKEN_OPEN_SQUARE && !is_member_access(parser))
           || next->kind == TOKEN_OPEN;
}

/* Directly inside the brackets U, R and W bind loosest, as in E[a & b U c]: by the general
 * precedences this would be E[a & (b U c)], which is no CTL. */
static struct ast *parse_quantifier(struct parser *parser)
{
    const struct token *quantifier = parser_peek(parser, 0), *open = parser_peek(parser, 1);
    unsigned op;
    parser->at += 2;
    bool outer = parser->in_path;
    parser->in_path = true;
    struct ast *path = parse_expression(parser);
    if (find_until(parser, &op)) {
        parser->at++;
        path = combine(parser, AST_TEMPORAL, op, path, parse_expression(parser), path->place);
    }
    parser->in_path = outer;
    parser_expect(parser, open->kind == TOKEN_OPEN ? TOKEN_CLOSE : TOKEN_CLOSE_SQUARE,
                  "the path formula");
    return combine(parser, AST_TEMPORAL, quantifier->text[0] == 'A' ? FORMULA_A : FORMULA_E, path,
                   NULL, quantifier->place);
}

/* `A G p`, with a space. */
static bool is_spaced_quantifier(const struct parser *parser)
{
    const struct token *token = parser_peek(parser, 0);
    if (!parser->temporal || token->kind != TOKEN_NAME
        || (strcmp(token->text, "A") && strcmp(token->text, "E")))
        return false;
    struct parser ahead = *parser;
    ahead.at++;
    const char *word = unary_word(&ahead);
    return word && word[0] != 'A' && word[0] != 'E';
}

static struct ast *parse_level(struct parser *parser, unsigned level);

/* ---- forall, exists, sum ---- */

static bool is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

/* `word i in`: otherwise the word is a name like any other. */
static bool at_each(const struct parser *parser, const char *word)
{
    return is_word(parser_peek(parser, 0), word) && parser_peek(parser, 1)->kind == TOKEN_NAME
           && is_word(parser_peek(parser, 2), "in");
}

/* Behind the colon forall and exists take all that follows, a sum what is multiplied. */
static struct ast *parse_each(struct parser *parser, enum expr_op op)
{
    const struct token *word = parser_peek(parser, 0);
    struct ast *node = new_node(parser, AST_EACH, word->place);
    node->op = (uint8_t)op;
    node->has_each = true;
    node->name = parser_peek(parser, 1)->text;
    parser->at += 3;
    parser->nesting++;
    const bool temporal = parser->temporal;
    parser->temporal = false;
    node->a = parse_arithmetic(parser);
    if (parser_accept(parser, TOKEN_RANGE)) node->b = parse_arithmetic(parser);
    parser->temporal = temporal;
    parser_expect(parser, TOKEN_COLON, "the range");
    node->body = parse_level(parser, op == EXPR_ADD ? LEVEL_PRODUCT : LEVEL_IFF);
    parser->nesting--;
    node->depth = node->body->depth + 1;
    return node;
}

/* Operators before an operand nest to the right: `! F G ! p`. */
static struct ast *parse_unary(struct parser *parser)
{
    const struct token *token = parser_peek(parser, 0);
    const char *word;
    if (parser->nesting >= PARSER_MAX_NESTING)
        return parse_primary(parser); /* which tells the error */
    parser->nesting++;
    struct ast *node;
    if (parser_accept(parser, TOKEN_NOT)) {
        node = combine(parser, AST_EXPR, EXPR_NOT, parse_unary(parser), NULL, token->place);
    } else if (at_each(parser, "forall") || at_each(parser, "exists")) {
        node = parse_each(parser, token->text[0] == 'f' ? EXPR_AND : EXPR_OR);
    } else if (is_quantifier(parser)) {
        node = parse_quantifier(parser);
    } else if (is_spaced_quantifier(parser)) {
        parser->at++;
        node = combine(parser, AST_TEMPORAL, token->text[0] == 'A' ? FORMULA_A : FORMULA_E,
                       parse_unary(parser), NULL, token->place);
    } else if ((word = unary_word(parser)) != NULL) {
        parser->at++;
        node = apply_word(parser, word, parse_unary(parser), token->place);
    } else {
        node = parse_level(parser, LEVEL_COMPARE);
    }
    parser->nesting--;
    return node;
}

static struct ast *parse_sign(struct parser *parser)
{
    const struct token *token = parser_peek(parser, 0);
    if (parser->nesting < PARSER_MAX_NESTING && at_each(parser, "sum"))
        return parse_each(parser, EXPR_ADD);
    if (parser->nesting >= PARSER_MAX_NESTING || !parser_accept(parser, TOKEN_MINUS))
        return parse_primary(parser);
    parser->nesting++;
    struct ast *zero = new_node(parser, AST_NUMBER, token->place);
    struct ast *node = combine(parser, AST_EXPR, EXPR_SUB, zero, parse_sign(parser), token->place);
    parser->nesting--;
    return node;
}

static struct ast *parse_level(struct parser *parser, unsigned level)
{
    if (level == LEVEL_UNARY) return parse_unary(parser);
    if (level == LEVEL_SIGN) return parse_sign(parser);
    struct ast *left = parse_level(parser, level + 1);
    unsigned op;
    bool to_the_right = level == LEVEL_IMPLIES || level == LEVEL_UNTIL;
    while (!parser->panic) {
        bool until = level == LEVEL_UNTIL && !parser->in_path && find_until(parser, &op);
        if (!until && !find_binary(parser_peek(parser, 0), level, &op)) break;
        parser->at++;
        if (to_the_right && parser->nesting >= PARSER_MAX_NESTING) return parse_primary(parser);
        parser->nesting += to_the_right;
        struct ast *right = parse_level(parser, to_the_right ? level : level + 1);
        parser->nesting -= to_the_right;
        left = combine(parser, until ? AST_TEMPORAL : AST_EXPR, op, left, right, left->place);
    }
    return left;
}

struct ast *parse_expression(struct parser *parser) { return parse_level(parser, LEVEL_IFF); }

struct ast *parse_arithmetic(struct parser *parser) { return parse_level(parser, LEVEL_SUM); }
