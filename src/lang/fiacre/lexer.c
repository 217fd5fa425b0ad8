#include "lang/fiacre/lexer.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Longest spelling first among those with a common beginning. The first row of a kind is the one
 * messages show. `{||}` is two symbols. */
static const struct {
    const char *spelling;
    enum fiacre_token_kind kind;
} symbols[] = {
    {"...", FIACRE_TOKEN_DOTS},       {"<->", FIACRE_TOKEN_IFF},
    {"<=>", FIACRE_TOKEN_IFF},        {"..", FIACRE_TOKEN_RANGE},
    {":=", FIACRE_TOKEN_ASSIGN},      {"->", FIACRE_TOKEN_ARROW},
    {"=>", FIACRE_TOKEN_IMPLIES},     {"==", FIACRE_TOKEN_FORMULA_EQ},
    {"!=", FIACRE_TOKEN_FORMULA_NE},  {"&&", FIACRE_TOKEN_FORMULA_AND},
    {"<>", FIACRE_TOKEN_NE},          {"<=", FIACRE_TOKEN_LE},
    {">=", FIACRE_TOKEN_GE},          {"[]", FIACRE_TOKEN_CHOICE},
    {"{|", FIACRE_TOKEN_OPEN_QUEUE},  {"|}", FIACRE_TOKEN_CLOSE_QUEUE},
    {"||", FIACRE_TOKEN_BARS},        {"|", FIACRE_TOKEN_BAR},
    {"=", FIACRE_TOKEN_EQ},           {"<", FIACRE_TOKEN_LT},
    {">", FIACRE_TOKEN_GT},           {"!", FIACRE_TOKEN_BANG},
    {"?", FIACRE_TOKEN_QUESTION},     {"$", FIACRE_TOKEN_COERCE},
    {"&", FIACRE_TOKEN_REFERENCE},    {"#", FIACRE_TOKEN_HASH},
    {"@", FIACRE_TOKEN_AT},           {"(", FIACRE_TOKEN_OPEN},
    {")", FIACRE_TOKEN_CLOSE},        {"[", FIACRE_TOKEN_OPEN_SQUARE},
    {"]", FIACRE_TOKEN_CLOSE_SQUARE}, {"{", FIACRE_TOKEN_OPEN_CURLY},
    {"}", FIACRE_TOKEN_CLOSE_CURLY},  {",", FIACRE_TOKEN_COMMA},
    {";", FIACRE_TOKEN_SEMICOLON},    {":", FIACRE_TOKEN_COLON},
    {".", FIACRE_TOKEN_DOT},          {"+", FIACRE_TOKEN_ADD},
    {"-", FIACRE_TOKEN_SUB},          {"*", FIACRE_TOKEN_MUL},
    {"/", FIACRE_TOKEN_DIV},          {"%", FIACRE_TOKEN_MOD},
};

/* The keyword of FIACRE_TOKEN_KEYWORDS + i. */
static const char *const keywords[] = {
    "and",      "any",       "append",   "array",   "assert",   "begin",   "bool",   "case",
    "channel",  "component", "const",    "dequeue", "do",       "else",    "elsif",  "empty",
    "end",      "enqueue",   "extern",   "false",   "first",    "foreach", "from",   "full",
    "function", "if",        "in",       "init",    "int",      "is",      "length", "loop",
    "nat",      "none",      "not",      "null",    "of",       "on",      "or",     "out",
    "par",      "port",      "priority", "process", "property", "queue",   "read",   "record",
    "return",   "select",    "states",   "sync",    "then",     "to",      "true",   "type",
    "union",    "unless",    "var",      "wait",    "where",    "while",   "write",
};
static_assert(sizeof keywords / sizeof *keywords == FIACRE_TOKEN_KINDS - FIACRE_TOKEN_KEYWORDS,
              "a spelling for every keyword");

struct lexer {
    struct diag *diag;
    struct names *names;
    struct mem *mem;
    struct fiacre_tokens *tokens;
    const char *text, *at, *end;
    uint32_t source, line;
    const char *counted; /* columns of the line are counted up to here, */
    uint32_t column;     /* which is this column: keeps long lines linear */
};

static struct place place_of(struct lexer *lexer, const char *at)
{
    for (; lexer->counted < at; lexer->counted++)
        if (((unsigned char)*lexer->counted & 0xC0) != 0x80) lexer->column++;
    return (struct place){lexer->source, lexer->line, lexer->column};
}

static void start_line(struct lexer *lexer, const char *at)
{
    lexer->line++;
    lexer->counted = at;
    lexer->column = 1;
}

static struct fiacre_token *push(struct lexer *lexer, enum fiacre_token_kind kind,
                                 const char *start, const char *text)
{
    struct fiacre_token token = {.kind = kind,
                                 .place = place_of(lexer, start),
                                 .text = text,
                                 .start = (uint32_t)(start - lexer->text),
                                 .end = (uint32_t)(lexer->at - lexer->text)};
    vec_push(lexer->mem, &lexer->tokens->list, token);
    return &lexer->tokens->list.data[lexer->tokens->list.len - 1];
}

/* ---- comments and white space ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\n';
}

/* Keeps the comment whose text, after the @, is from .. to. */
static void keep_label(struct lexer *lexer, const char *from, const char *to, struct place place)
{
    enum { LABEL_MAX_LENGTH = 255 };
    while (from < to && is_space(*from)) from++;
    while (from < to && is_space(to[-1])) to--;
    if (to - from >= 2 && *from == '{' && to[-1] == '}') {
        for (from++; from < to - 1 && is_space(*from); from++) continue;
        for (to--; from < to && is_space(to[-1]); to--) continue;
    }
    if (to - from > LABEL_MAX_LENGTH || memchr(from, 0, (size_t)(to - from))) {
        diag_error(
            lexer->diag, DIAG_CHARACTER, place,
            "the label in this comment is too long or no text: at most %d characters are allowed",
            LABEL_MAX_LENGTH);
        return;
    }
    if (from == to) return;
    struct fiacre_label label = {names_intern(lexer->names, from, (size_t)(to - from)), place,
                                 lexer->tokens->list.len};
    vec_push(lexer->mem, &lexer->tokens->labels, label);
}

static void skip_block_comment(struct lexer *lexer)
{
    struct place place = place_of(lexer, lexer->at);
    const char *start = lexer->at += 2;
    while (lexer->end - lexer->at >= 2 && (lexer->at[0] != '*' || lexer->at[1] != '/'))
        if (*lexer->at++ == '\n') start_line(lexer, lexer->at);
    if (lexer->end - lexer->at < 2) {
        diag_error(lexer->diag, DIAG_CHARACTER, place, "this comment does not end");
        lexer->at = lexer->end;
        return;
    }
    if (start < lexer->at && *start == '@') keep_label(lexer, start + 1, lexer->at, place);
    lexer->at += 2;
}

static bool skip_space(struct lexer *lexer)
{
    if (lexer->at >= lexer->end) return false;
    char c = *lexer->at;
    if (c == '\n') {
        lexer->at++;
        start_line(lexer, lexer->at);
    } else if (is_space(c)) {
        lexer->at++;
    } else if (c == '/' && lexer->end - lexer->at > 1 && lexer->at[1] == '/') {
        while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
    } else if (c == '/' && lexer->end - lexer->at > 1 && lexer->at[1] == '*') {
        skip_block_comment(lexer);
    } else {
        return false;
    }
    return true;
}

/* ---- tokens ---- */

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '_'; }

static bool is_name_part(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void read_name(struct lexer *lexer)
{
    enum { NAME_MAX_LENGTH = 255 };
    const char *start = lexer->at;
    while (lexer->at < lexer->end && is_name_part(*lexer->at)) lexer->at++;
    size_t length = (size_t)(lexer->at - start);
    if (length > NAME_MAX_LENGTH) {
        diag_error(lexer->diag, DIAG_LIMIT, place_of(lexer, start),
                   "this name has %zu characters: at most %d are allowed", length, NAME_MAX_LENGTH);
        length = NAME_MAX_LENGTH;
    }
    const char *name = names_intern(lexer->names, start, length);
    enum fiacre_token_kind kind = FIACRE_TOKEN_NAME;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (keywords[i][0] == name[0] && !strcmp(keywords[i], name))
            kind = FIACRE_TOKEN_KEYWORDS + (enum fiacre_token_kind)i;
    push(lexer, kind, start, name);
}

/* Digits are added to *number; false when it would leave 63 bits. *scale grows tenfold with
 * each. */
static bool read_digits(struct lexer *lexer, uint64_t *number, uint64_t *scale)
{
    bool fits = true;
    for (; lexer->at < lexer->end && isdigit((unsigned char)*lexer->at); lexer->at++) {
        unsigned digit = (unsigned)(*lexer->at - '0');
        if (*number > ((uint64_t)INT64_MAX - digit) / 10 || *scale > (uint64_t)INT64_MAX / 10)
            fits = false;
        if (!fits) continue;
        *number = *number * 10 + digit;
        *scale = *scale * 10;
    }
    return fits;
}

/* `2.5` is a decimal, `0..5` begins with a number. */
static void read_number(struct lexer *lexer)
{
    const char *start = lexer->at;
    uint64_t number = 0, scale = 0;
    enum fiacre_token_kind kind = FIACRE_TOKEN_NUMBER;
    bool fits = read_digits(lexer, &number, &scale);
    scale = 1;
    if (lexer->end - lexer->at > 1 && *lexer->at == '.' && isdigit((unsigned char)lexer->at[1])) {
        lexer->at++;
        kind = FIACRE_TOKEN_DECIMAL;
        fits &= read_digits(lexer, &number, &scale);
    }
    if (!fits) {
        diag_error(lexer->diag, DIAG_NUMBER, place_of(lexer, start),
                   "this number does not fit in 63 bits");
        number = 0;
        scale = 1;
    } else if (lexer->at < lexer->end && is_name_start(*lexer->at)) {
        diag_error(lexer->diag, DIAG_CHARACTER, place_of(lexer, lexer->at),
                   "a letter directly after a number");
        while (lexer->at < lexer->end && is_name_part(*lexer->at)) lexer->at++;
    }
    size_t shown = lexer->at - start > 40 ? 40 : (size_t)(lexer->at - start);
    struct fiacre_token *token = push(lexer, kind, start, names_intern(lexer->names, start, shown));
    token->number = number;
    token->scale = scale;
}

static void read_string(struct lexer *lexer)
{
    const char *start = lexer->at++;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n' && *lexer->at != 0)
        lexer->at++;
    if (lexer->at >= lexer->end || *lexer->at != '"') {
        diag_error(lexer->diag, DIAG_CHARACTER, place_of(lexer, start),
                   "this string does not end on its line");
        return;
    }
    const char *text = names_intern(lexer->names, start + 1, (size_t)(lexer->at - start - 1));
    lexer->at++;
    push(lexer, FIACRE_TOKEN_STRING, start, text);
}

static bool read_symbol(struct lexer *lexer)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t length = strlen(symbols[i].spelling);
        if ((size_t)(lexer->end - lexer->at) < length
            || memcmp(lexer->at, symbols[i].spelling, length))
            continue;
        const char *start = lexer->at;
        lexer->at += length;
        push(lexer, symbols[i].kind, start, symbols[i].spelling);
        return true;
    }
    return false;
}

/* A line such as `#ifdef X`; no tag can have such a name. Told once: the rest of the file is not
 * what it seems. */
static bool read_macro(struct lexer *lexer)
{
    static const char *const directives[] = {"define", "undef", "include", "if",    "ifdef",
                                             "ifndef", "ifeq",  "ifneq",   "elif",  "else",
                                             "elseif", "endif", "error",   "pragma"};
    const char *word = lexer->at + 1;
    while (word < lexer->end && (*word == ' ' || *word == '\t')) word++;
    const char *tail = word;
    while (tail < lexer->end && is_name_part(*tail)) tail++;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (strlen(directives[i]) != (size_t)(tail - word)
            || memcmp(directives[i], word, (size_t)(tail - word)))
            continue;
        if (!lexer->tokens->has_macros)
            diag_error(lexer->diag, DIAG_MACRO, place_of(lexer, lexer->at),
                       "macro preprocessing is not supported: run the file through its "
                       "preprocessor first");
        lexer->tokens->has_macros = true;
        while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
        return true;
    }
    return false;
}

/* One message for a run of bad characters: a binary file should not fill the screen. */
static void reject_run(struct lexer *lexer)
{
    const char *start = lexer->at;
    struct place place = place_of(lexer, start);
    unsigned char c = (unsigned char)*start;
    if (isprint(c)) diag_error(lexer->diag, DIAG_CHARACTER, place, "unexpected character '%c'", c);
    else if (c < 0x80)
        diag_error(lexer->diag, DIAG_CHARACTER, place,
                   "unexpected byte 0x%02X: is this a text file?", c);
    else diag_error(lexer->diag, DIAG_CHARACTER, place, "unexpected character");
    do lexer->at++;
    while (lexer->at < lexer->end && !is_space(*lexer->at)
           && ((unsigned char)*lexer->at >= 0x80 || !isprint((unsigned char)*lexer->at)));
}

void fiacre_lexer_run(struct diag *diag, struct names *names, struct mem *mem, uint32_t source,
                      struct fiacre_tokens *tokens)
{
    const struct source *file = &diag->sources.data[source];
    struct lexer lexer = {.diag = diag,
                          .names = names,
                          .mem = mem,
                          .tokens = tokens,
                          .text = file->text,
                          .at = file->text,
                          .end = file->text + file->length,
                          .source = source};
    memset(tokens, 0, sizeof *tokens);
    start_line(&lexer, lexer.at);
    if (file->length >= 3 && !memcmp(file->text, "\xEF\xBB\xBF", 3)) lexer.at += 3;
    for (;;) {
        while (skip_space(&lexer)) continue;
        if (lexer.at >= lexer.end) break;
        if (is_name_start(*lexer.at)) read_name(&lexer);
        else if (isdigit((unsigned char)*lexer.at)) read_number(&lexer);
        else if (*lexer.at == '"') read_string(&lexer);
        else if (*lexer.at == '#' && read_macro(&lexer)) continue;
        else if (!read_symbol(&lexer)) reject_run(&lexer);
    }
    push(&lexer, FIACRE_TOKEN_END, lexer.at, "the end of the file");
}

const char *fiacre_token_kind_show(enum fiacre_token_kind kind)
{
    if (kind >= FIACRE_TOKEN_KEYWORDS) return keywords[kind - FIACRE_TOKEN_KEYWORDS];
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (symbols[i].kind == kind) return symbols[i].spelling;
    switch (kind) {
    case FIACRE_TOKEN_NAME: return "a name";
    case FIACRE_TOKEN_NUMBER: return "a number";
    case FIACRE_TOKEN_DECIMAL: return "a decimal number";
    case FIACRE_TOKEN_STRING: return "a string";
    default: return "the end of the file";
    }
}

const char *fiacre_token_show(const struct fiacre_token *token, char buffer[48])
{
    if (token->kind == FIACRE_TOKEN_END) return token->text;
    snprintf(buffer, 48, strlen(token->text) > 32 ? "'%.32s...'" : "'%s'", token->text);
    return buffer;
}
