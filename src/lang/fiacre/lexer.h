/* Words, numbers and symbols of Fiacre. A lexer of its own, because Fiacre reads differently what
 * other languages share: `[]`, `{|` and `...` are symbols, `#` and `$` exist, numbers may have a
 * point, keywords are reserved, and some comments mean something.
 *
 * The words of properties (present, leadsto, until, state, ...) are names here: they are words only
 * where a property is expected, so that a state may be called `release`. */
#ifndef CAIRN_LANG_FIACRE_LEXER_H
#define CAIRN_LANG_FIACRE_LEXER_H

#include "base/diag.h"
#include "base/text.h"

enum fiacre_token_kind {
    FIACRE_TOKEN_END,
    FIACRE_TOKEN_NAME,
    FIACRE_TOKEN_NUMBER,
    FIACRE_TOKEN_DECIMAL, /* number / scale */
    FIACRE_TOKEN_STRING,
    /* symbols */
    FIACRE_TOKEN_OPEN,
    FIACRE_TOKEN_CLOSE,
    FIACRE_TOKEN_OPEN_SQUARE,
    FIACRE_TOKEN_CLOSE_SQUARE,
    FIACRE_TOKEN_OPEN_CURLY,
    FIACRE_TOKEN_CLOSE_CURLY,
    FIACRE_TOKEN_OPEN_QUEUE,
    FIACRE_TOKEN_CLOSE_QUEUE, /* {| |} */
    FIACRE_TOKEN_CHOICE,      /* [] */
    FIACRE_TOKEN_COMMA,
    FIACRE_TOKEN_SEMICOLON,
    FIACRE_TOKEN_COLON,
    FIACRE_TOKEN_ASSIGN,
    FIACRE_TOKEN_DOT,
    FIACRE_TOKEN_RANGE,
    FIACRE_TOKEN_DOTS,
    FIACRE_TOKEN_ADD,
    FIACRE_TOKEN_SUB,
    FIACRE_TOKEN_MUL,
    FIACRE_TOKEN_DIV,
    FIACRE_TOKEN_MOD,
    FIACRE_TOKEN_EQ,
    FIACRE_TOKEN_NE,
    FIACRE_TOKEN_LT,
    FIACRE_TOKEN_LE,
    FIACRE_TOKEN_GT,
    FIACRE_TOKEN_GE,
    FIACRE_TOKEN_BANG,
    FIACRE_TOKEN_QUESTION,
    FIACRE_TOKEN_COERCE,
    FIACRE_TOKEN_REFERENCE,
    FIACRE_TOKEN_HASH,
    FIACRE_TOKEN_ARROW,
    FIACRE_TOKEN_BAR,
    FIACRE_TOKEN_BARS,
    FIACRE_TOKEN_IMPLIES, /* => */
    /* in formulas only */
    FIACRE_TOKEN_AT,
    FIACRE_TOKEN_IFF,
    FIACRE_TOKEN_FORMULA_EQ,
    FIACRE_TOKEN_FORMULA_NE,
    FIACRE_TOKEN_FORMULA_AND, /* @ <-> == != && */
    /* keywords, in the order of the alphabet */
    FIACRE_TOKEN_KEYWORDS,
    FIACRE_WORD_AND = FIACRE_TOKEN_KEYWORDS,
    FIACRE_WORD_ANY,
    FIACRE_WORD_APPEND,
    FIACRE_WORD_ARRAY,
    FIACRE_WORD_ASSERT,
    FIACRE_WORD_BEGIN,
    FIACRE_WORD_BOOL,
    FIACRE_WORD_CASE,
    FIACRE_WORD_CHANNEL,
    FIACRE_WORD_COMPONENT,
    FIACRE_WORD_CONST,
    FIACRE_WORD_DEQUEUE,
    FIACRE_WORD_DO,
    FIACRE_WORD_ELSE,
    FIACRE_WORD_ELSIF,
    FIACRE_WORD_EMPTY,
    FIACRE_WORD_END,
    FIACRE_WORD_ENQUEUE,
    FIACRE_WORD_EXTERN,
    FIACRE_WORD_FALSE,
    FIACRE_WORD_FIRST,
    FIACRE_WORD_FOREACH,
    FIACRE_WORD_FROM,
    FIACRE_WORD_FULL,
    FIACRE_WORD_FUNCTION,
    FIACRE_WORD_IF,
    FIACRE_WORD_IN,
    FIACRE_WORD_INIT,
    FIACRE_WORD_INT,
    FIACRE_WORD_IS,
    FIACRE_WORD_LENGTH,
    FIACRE_WORD_LOOP,
    FIACRE_WORD_NAT,
    FIACRE_WORD_NONE,
    FIACRE_WORD_NOT,
    FIACRE_WORD_NULL,
    FIACRE_WORD_OF,
    FIACRE_WORD_ON,
    FIACRE_WORD_OR,
    FIACRE_WORD_OUT,
    FIACRE_WORD_PAR,
    FIACRE_WORD_PORT,
    FIACRE_WORD_PRIORITY,
    FIACRE_WORD_PROCESS,
    FIACRE_WORD_PROPERTY,
    FIACRE_WORD_QUEUE,
    FIACRE_WORD_READ,
    FIACRE_WORD_RECORD,
    FIACRE_WORD_RETURN,
    FIACRE_WORD_SELECT,
    FIACRE_WORD_STATES,
    FIACRE_WORD_SYNC,
    FIACRE_WORD_THEN,
    FIACRE_WORD_TO,
    FIACRE_WORD_TRUE,
    FIACRE_WORD_TYPE,
    FIACRE_WORD_UNION,
    FIACRE_WORD_UNLESS,
    FIACRE_WORD_VAR,
    FIACRE_WORD_WAIT,
    FIACRE_WORD_WHERE,
    FIACRE_WORD_WHILE,
    FIACRE_WORD_WRITE,
    FIACRE_TOKEN_KINDS
};

struct fiacre_token {
    enum fiacre_token_kind kind;
    struct place place;
    const char *text; /* interned name, string contents, or the spelling */
    uint64_t number, scale;
    uint32_t start, end; /* byte range in the source */
};

/* A comment that begins with @: the text without braces and outer white space. It stands before
 * token number `token`. */
struct fiacre_label {
    const char *text;
    struct place place;
    uint32_t token;
};

struct fiacre_tokens {
    VEC(struct fiacre_token) list; /* the last one is FIACRE_TOKEN_END */
    VEC(struct fiacre_label) labels;
    bool has_macros; /* lines of a macro preprocessor were found, and told: the tokens mean nothing
                      */
};

/* Reads a whole source; bad characters and numbers over 63 bits are diagnosed and left out. */
void fiacre_lexer_run(struct diag *diag, struct names *names, struct mem *mem, uint32_t source,
                      struct fiacre_tokens *tokens);

/* How a message names a token: `';'`, `'the end of the file'` without quotes, the name itself,
 * shortened. Valid until the next call with buffer. */
const char *fiacre_token_show(const struct fiacre_token *token, char buffer[48]);
/* The spelling of a symbol or keyword, or "a name", "a number", ... */
const char *fiacre_token_kind_show(enum fiacre_token_kind kind);

static inline bool fiacre_token_is_keyword(const struct fiacre_token *token)
{
    return token->kind >= FIACRE_TOKEN_KEYWORDS;
}

#endif
