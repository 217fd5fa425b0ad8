/* The parser's shared state: file structure is in parse.c, expressions and formulas in
 * expression.c. */
#ifndef CAIRN_LANG_MILESTONES_PARSER_H
#define CAIRN_LANG_MILESTONES_PARSER_H

#include "lang/milestones/ast.h"

enum { PARSER_MAX_NESTING = 1000, AST_MAX_DEPTH = 3000 };

struct parser {
    struct diag *diag;
    struct names *names;
    struct arena *arena;
    struct ast_file *file;
    struct token *tokens;
    uint32_t at;
    unsigned nesting;
    bool temporal; /* inside a formula: F, G, U, ... are operators */
    bool in_path;  /* directly inside E[...] or A[...] */
    bool panic;    /* an error was told in this item; stay silent until the next one */
};

static inline const struct token *parser_peek(const struct parser *parser, unsigned ahead)
{
    const struct token *token = &parser->tokens[parser->at];
    for (; ahead && token->kind != TOKEN_END; ahead--) token++;
    return token;
}

void parser_error(struct parser *parser, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool parser_accept(struct parser *parser, enum token_kind kind);
bool parser_expect(struct parser *parser, enum token_kind kind, const char *after);
bool parser_is_keyword(const struct token *token);

/* Never returns NULL; after an error parser->panic is set. */
struct ast *parse_expression(struct parser *parser);
/* Only arithmetic: no comparisons or conditions. */
struct ast *parse_arithmetic(struct parser *parser);

#endif
