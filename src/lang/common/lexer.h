/* One lexer for all languages: names, numbers, strings, operators, comments. The whole source
 * becomes one array of tokens, so that parsers can look ahead as far as they like. */
#ifndef CAIRN_LANG_COMMON_LEXER_H
#define CAIRN_LANG_COMMON_LEXER_H

#include "base/diag.h"
#include "base/text.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,
    /* punctuation and operators; several spellings may share a kind */
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_SQUARE,
    TOKEN_CLOSE_SQUARE,
    TOKEN_OPEN_CURLY,
    TOKEN_CLOSE_CURLY,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_COLON,
    TOKEN_ASSIGN,
    TOKEN_DOT,
    TOKEN_RANGE,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_DIVIDE,
    TOKEN_REMAINDER,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_NOT,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_XOR,
    TOKEN_IMPLIES,
    TOKEN_IFF,
    TOKEN_AT,
    TOKEN_QUESTION,
    TOKEN_KINDS
};

struct token {
    enum token_kind kind;
    struct place place;
    const char *text; /* interned name, string contents, or the spelling of an operator */
    uint64_t number;
    uint32_t start, end; /* byte range in the source */
};

struct tokens {
    VEC(struct token) list; /* the last one is TOKEN_END */
};

/* Reads a whole source; bad characters and numbers over 63 bits are diagnosed and left out. */
void lexer_run(struct diag *diag, struct names *names, uint32_t source, struct tokens *tokens);
/* The same for contexts (CDL): there is `@`, and a name may begin with digits. */
void lexer_run_cdl(struct diag *diag, struct names *names, uint32_t source, struct tokens *tokens);
/* The same for guides (xGDL): there is `?`, and words such as `not` are names. */
void lexer_run_guide(struct diag *diag, struct names *names, uint32_t source,
                     struct tokens *tokens);

/* How a message names a token: `;` or 'the end of the file' or the name itself, shortened. Valid
 * until the next call with buffer. */
const char *token_show(const struct token *token, char buffer[48]);
const char *token_kind_show(enum token_kind kind);

#endif
