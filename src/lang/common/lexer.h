/* One lexer for all languages: names, numbers, strings, operators, comments. What differs between
 * languages is a table, `struct lexis`. A source becomes one array of tokens, so that parsers can
 * look ahead as far as they like; the preprocessor takes tokens one by one (lexer_next).
 *
 * What must hold:
 * 1. The last token of a list is TOKEN_END, and no other one is.
 * 2. Equal words have equal `text` pointers: names are interned.
 * 3. start <= end, and both lie in the text of the token's source. */
#ifndef CAIRN_LANG_COMMON_LEXER_H
#define CAIRN_LANG_COMMON_LEXER_H

#include "base/diag.h"
#include "base/text.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_DECIMAL, /* number / scale */
    TOKEN_STRING,
    /* punctuation and operators; several spellings may share a kind */
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_SQUARE,
    TOKEN_CLOSE_SQUARE,
    TOKEN_OPEN_CURLY,
    TOKEN_CLOSE_CURLY,
    TOKEN_OPEN_QUEUE,
    TOKEN_CLOSE_QUEUE, /* {| |} */
    TOKEN_CHOICE,      /* [] */
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_COLON,
    TOKEN_ASSIGN,
    TOKEN_DOT,
    TOKEN_RANGE,
    TOKEN_DOTS,
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
    /* where a language tells apart what others read as one */
    TOKEN_BANG,
    TOKEN_DOLLAR,
    TOKEN_AMPERSAND,
    TOKEN_HASH,
    TOKEN_ARROW,
    TOKEN_BAR,
    TOKEN_BARS,
    TOKEN_DOUBLE_EQ,
    TOKEN_BANG_EQ,
    TOKEN_SHIFT_LEFT,
    TOKEN_SHIFT_RIGHT,
    TOKEN_TILDE,
    TOKEN_WORDS /* keywords that are a language's own have kinds from here on */
};

/* ---- what differs between languages ---- */

struct lexis_row {
    const char *spelling; /* NULL: the end of the table */
    unsigned kind;
};

enum { LEXIS_ROWS = 255 }; /* at most so many in a table */

/* A table of operators has the longest spelling first among those with a common beginning. The
 * first row of a kind is the one that messages show. */
struct lexis {
    const struct lexis_row *operators;
    const struct lexis_row *more;  /* operators, looked at after the others; NULL: none */
    const struct lexis_row *words; /* names that are no names; NULL: none */
    bool digits_begin_names;       /* 2oo3 is a name */
    bool decimals;                 /* 2.5 is a number */
    bool exponents;                /* so are 1e3 and 2.5e-3: decimals, whose value is not kept */
    bool joins_lines;              /* a backslash at the end of a line joins the next one */
    const char *name_parts; /* what names may have behind their first letter, besides letters,
                               digits and `_`; NULL: nothing */
    bool labels;            /* comments that begin with @ are kept */
    bool hash_comments;     /* `#` begins a comment that ends with its line */
    bool directives;        /* `#` is a token, and a backslash joins lines */
};

extern const struct lexis_row lexer_operators[]; /* those of most languages */
extern const struct lexis_row lexer_words[];     /* and, or, not, mod */
extern const struct lexis lexer_plain;           /* both */

/* ---- tokens ---- */

struct token {
    uint16_t kind;    /* enum token_kind, or a keyword of the language */
    bool begins_line; /* the first one on its line */
    bool after_space; /* there is white space or a comment before it */
    bool from_macro;  /* of a macro's body: place, start and end are those of the macro's use */
    bool no_macro;    /* a name that is not replaced any more */
    struct place place;
    const char *text; /* interned name, string contents, or the spelling of an operator */
    uint64_t number, scale;
    uint32_t start, end; /* byte range in the source */
};

/* A comment that begins with @: its text without braces and outer white space. It stands before
 * token number `token`. */
struct token_label {
    const char *text;
    struct place place;
    uint32_t token;
};

struct token_list {
    VEC(struct token) list;
};

struct tokens {
    VEC(struct token) list; /* invariant 1 */
    VEC(struct token_label) labels;
};

/* ---- reading ---- */

/* The rows of a table by first character: heads[c] and next[i] are row numbers plus 1; 0: none. */
struct lexis_index {
    uint8_t heads[256], next[LEXIS_ROWS];
};

/* A text that was taken out of a source in pieces, as XML is decoded. Piece i begins with byte
 * `start` of the text, which stands at `place` of the source; piece 0 begins with byte 0, and there
 * is one. A piece has no end of a line but as its last character. */
struct lexer_piece {
    uint32_t start;
    struct place place;
};
struct lexer_text {
    const char *text;
    uint32_t length, pieces;
    const struct lexer_piece *piece;
};

struct lexer {
    struct diag *diag;
    struct names *names;
    const struct lexis *lexis;
    struct tokens *tokens; /* labels go there */
    const char *text, *at, *end;
    uint32_t source, line;
    const char *counted;            /* columns of the line are counted up to here, */
    uint32_t column;                /* which is this column: keeps long lines linear */
    const struct lexer_text *taken; /* the text, when it was taken out of a source; or NULL */
    uint32_t piece;                 /* of `counted` */
    bool stays_on_line;             /* the end of the line is the end */
    bool begins_line, after_space;  /* of the next token */
    struct lexis_index operators, words;
};

void lexer_begin(struct lexer *lexer, struct diag *diag, struct names *names,
                 const struct lexis *lexis, uint32_t source, struct tokens *tokens);
/* The same for a text that was taken out of a source; `taken` must stay. */
void lexer_begin_taken(struct lexer *lexer, struct diag *diag, struct names *names,
                       const struct lexis *lexis, const struct lexer_text *taken,
                       struct tokens *tokens);
/* The next token; TOKEN_END at the end. Bad characters and numbers over 63 bits are diagnosed and
 * left out. */
void lexer_next(struct lexer *lexer, struct token *token);
/* Another table from here on. */
void lexer_use(struct lexer *lexer, const struct lexis *lexis);
/* What the next token begins with, without reading it; 0 at the end. */
char lexer_glance(const struct lexer *lexer);
/* Skips to the end of the line; a comment that goes on behind it belongs to the line. Nothing is
 * diagnosed, nothing kept. */
void lexer_skip_line(struct lexer *lexer);
/* Skips white space, comments and ends of lines in the same way. Returns what comes then; 0 at the
 * end. */
char lexer_skip_blank(struct lexer *lexer);
/* The kind of a word: TOKEN_NAME, or a keyword. */
unsigned lexer_word_kind(const struct lexer *lexer, const char *word);

/* Reads a whole source, and adds its tokens. */
void lexer_run(struct diag *diag, struct names *names, const struct lexis *lexis, uint32_t source,
               struct tokens *tokens);
void lexer_run_taken(struct diag *diag, struct names *names, const struct lexis *lexis,
                     const struct lexer_text *taken, struct tokens *tokens);
void lexer_free(struct mem *mem, struct tokens *tokens);

/* Where it has ended, if it is written on one line. */
struct place token_behind(const struct token *token);
/* Whether a token is made of letters: a name or a keyword. */
bool token_is_word(const struct token *token);
/* How a message names a token: `;` or 'the end of the file' or the name itself, shortened. Valid
 * until the next call with buffer. */
const char *token_show(const struct token *token, char buffer[48]);
/* The spelling of an operator or keyword, or "a name", "a number", ... */
const char *token_kind_show(const struct lexis *lexis, unsigned kind);

#endif
