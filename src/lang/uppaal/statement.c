/* Statements of functions. Declarations stand at the beginning of a block. */
#include "lang/uppaal/parser.h"

static struct uppaal_stmt *parse_stmt(struct uppaal_parser *parser);

static struct uppaal_stmt *new_stmt(struct uppaal_parser *parser, enum uppaal_stmt_kind kind)
{
    struct uppaal_stmt *stmt = arena_alloc(parser->arena, sizeof *stmt);
    stmt->kind = (uint8_t)kind;
    stmt->place = uppaal_here(parser);
    return stmt;
}

/* ( e, e ) */
static struct uppaal_exp *parse_test(struct uppaal_parser *parser, const char *word)
{
    struct place opened = uppaal_here(parser);
    uppaal_expect(parser, TOKEN_OPEN, word);
    struct uppaal_exp *exp = uppaal_parse_exps(parser, NULL);
    uppaal_expect_close(parser, TOKEN_CLOSE, "an operator", "the condition", opened);
    return exp;
}

/* e, e, or nothing, up to `close`. */
static struct uppaal_exp *parse_part(struct uppaal_parser *parser, unsigned close,
                                     struct place opened)
{
    if (uppaal_accept(parser, close)) return NULL;
    struct uppaal_exp *exp = uppaal_parse_exps(parser, NULL);
    uppaal_expect_close(parser, close, "an operator", "'for (...)'", opened);
    return exp;
}

static struct uppaal_stmt *parse_for(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt = new_stmt(parser, UPPAAL_STMT_FOR);
    parser->at++;
    struct place opened = uppaal_here(parser);
    uppaal_expect(parser, TOKEN_OPEN, "'for'");
    if (uppaal_at(parser, TOKEN_NAME) && uppaal_ahead(parser, 1)->kind == TOKEN_COLON) {
        stmt->kind = UPPAAL_STMT_EACH;
        stmt->name = uppaal_peek(parser)->text;
        stmt->name_place = uppaal_here(parser);
        parser->at += 2;
        stmt->type = uppaal_parse_type(parser);
        uppaal_expect(parser, TOKEN_CLOSE, "the type");
    } else if (!parser->panic) {
        stmt->first = parse_part(parser, TOKEN_SEMICOLON, opened);
        stmt->exp = parse_part(parser, TOKEN_SEMICOLON, opened);
        stmt->step = parse_part(parser, TOKEN_CLOSE, opened);
    }
    stmt->body = parse_stmt(parser);
    return stmt;
}

static struct uppaal_stmt *parse_while(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt = new_stmt(parser, UPPAAL_STMT_WHILE);
    parser->at++;
    stmt->exp = parse_test(parser, "'while'");
    stmt->body = parse_stmt(parser);
    return stmt;
}

static struct uppaal_stmt *parse_do(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt = new_stmt(parser, UPPAAL_STMT_DO);
    parser->at++;
    stmt->body = parse_stmt(parser);
    uppaal_expect(parser, UPPAAL_WORD_WHILE, "the statement of 'do'");
    stmt->exp = parse_test(parser, "'while'");
    uppaal_expect(parser, TOKEN_SEMICOLON, "the condition");
    return stmt;
}

static struct uppaal_stmt *parse_if(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt = new_stmt(parser, UPPAAL_STMT_IF);
    parser->at++;
    stmt->exp = parse_test(parser, "'if'");
    stmt->body = parse_stmt(parser);
    if (uppaal_accept(parser, UPPAAL_WORD_ELSE)) stmt->other = parse_stmt(parser);
    return stmt;
}

static struct uppaal_stmt *parse_return(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt = new_stmt(parser, UPPAAL_STMT_RETURN);
    parser->at++;
    if (!uppaal_at(parser, TOKEN_SEMICOLON)) stmt->exp = uppaal_parse_exp(parser);
    uppaal_expect(parser, TOKEN_SEMICOLON, "'return'");
    return stmt;
}

static struct uppaal_stmt *parse_assert(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt = new_stmt(parser, UPPAAL_STMT_ASSERT);
    parser->at++;
    stmt->exp = uppaal_parse_exp(parser);
    uppaal_expect(parser, TOKEN_SEMICOLON, "the condition");
    return stmt;
}

/* Statements that UPPAAL parses, and gives no meaning to. */
static bool refuse_statement(struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser);
    unsigned next = uppaal_ahead(parser, 1)->kind;
    if (uppaal_is_word(token, "break") && next == TOKEN_SEMICOLON)
        uppaal_refuse(parser, token->place, "'break'");
    else if (uppaal_is_word(token, "continue") && next == TOKEN_SEMICOLON)
        uppaal_refuse(parser, token->place, "'continue'");
    else if (uppaal_is_word(token, "switch") && next == TOKEN_OPEN)
        uppaal_refuse(parser, token->place, "'switch'");
    return parser->panic;
}

static struct uppaal_stmt *parse_simple(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt = new_stmt(parser, UPPAAL_STMT_EXP);
    if (refuse_statement(parser)) return stmt;
    if (uppaal_begins_variable(parser)) {
        uppaal_error(parser, DIAG_MISPLACED, stmt->place,
                     "declarations must stand at the beginning of a block");
        return stmt;
    }
    stmt->exp = uppaal_parse_exps(parser, NULL);
    uppaal_expect(parser, TOKEN_SEMICOLON, "the expression");
    return stmt;
}

static struct uppaal_stmt *parse_any(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt;
    switch (uppaal_peek(parser)->kind) {
    case TOKEN_OPEN_CURLY: return uppaal_parse_block(parser);
    case TOKEN_SEMICOLON:
        stmt = new_stmt(parser, UPPAAL_STMT_EMPTY);
        parser->at++;
        return stmt;
    case UPPAAL_WORD_FOR: return parse_for(parser);
    case UPPAAL_WORD_WHILE: return parse_while(parser);
    case UPPAAL_WORD_DO: return parse_do(parser);
    case UPPAAL_WORD_IF: return parse_if(parser);
    case UPPAAL_WORD_RETURN: return parse_return(parser);
    case UPPAAL_WORD_ASSERT: return parse_assert(parser);
    default: return parse_simple(parser);
    }
}

static struct uppaal_stmt *parse_stmt(struct uppaal_parser *parser)
{
    struct uppaal_stmt *stmt = NULL;
    if (uppaal_enter(parser) && !parser->panic) stmt = parse_any(parser);
    uppaal_leave(parser);
    return stmt ? stmt : new_stmt(parser, UPPAAL_STMT_EMPTY);
}

struct uppaal_stmt *uppaal_parse_block(struct uppaal_parser *parser)
{
    struct uppaal_stmt *block = new_stmt(parser, UPPAAL_STMT_BLOCK), **last = &block->body;
    struct uppaal_decl **last_decl = &block->decls;
    uppaal_expect(parser, TOKEN_OPEN_CURLY, "the function");
    while (!parser->panic && uppaal_begins_variable(parser))
        last_decl = uppaal_parse_declaration(parser, UPPAAL_SCOPE_BLOCK, last_decl);
    while (!parser->panic && !uppaal_accept(parser, TOKEN_CLOSE_CURLY)) {
        if (uppaal_at(parser, TOKEN_END))
            uppaal_expect_close(parser, TOKEN_CLOSE_CURLY, "a statement", "the block",
                                block->place);
        *last = parse_stmt(parser);
        last = &(*last)->next;
    }
    return block;
}
