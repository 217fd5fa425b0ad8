#include "lang/common/lexer.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Longest spelling first among those with a common beginning. The first row of a kind is the one
 * messages show. */
static const struct {
    const char *spelling;
    enum token_kind kind;
} operators[] = {
    {"<->", TOKEN_IFF},       {"<=>", TOKEN_IFF},        {"->", TOKEN_IMPLIES},
    {"=>", TOKEN_IMPLIES},    {":=", TOKEN_ASSIGN},      {"==", TOKEN_EQ},
    {"!=", TOKEN_NE},         {"<>", TOKEN_NE},          {"<=", TOKEN_LE},
    {">=", TOKEN_GE},         {"&&", TOKEN_AND},         {"||", TOKEN_OR},
    {"..", TOKEN_RANGE},      {"&", TOKEN_AND},          {"|", TOKEN_OR},
    {"=", TOKEN_EQ},          {"<", TOKEN_LT},           {">", TOKEN_GT},
    {"!", TOKEN_NOT},         {"(", TOKEN_OPEN},         {")", TOKEN_CLOSE},
    {"[", TOKEN_OPEN_SQUARE}, {"]", TOKEN_CLOSE_SQUARE}, {"{", TOKEN_OPEN_CURLY},
    {"}", TOKEN_CLOSE_CURLY}, {",", TOKEN_COMMA},        {";", TOKEN_SEMICOLON},
    {":", TOKEN_COLON},       {".", TOKEN_DOT},          {"+", TOKEN_PLUS},
    {"-", TOKEN_MINUS},       {"*", TOKEN_TIMES},        {"/", TOKEN_DIVIDE},
    {"%", TOKEN_REMAINDER},   {"\u00AC", TOKEN_NOT},     {"\u2227", TOKEN_AND},
    {"\u2228", TOKEN_OR},     {"\u21D2", TOKEN_IMPLIES}, {"\u21D4", TOKEN_IFF},
    {"\u2260", TOKEN_NE},     {"\u2264", TOKEN_LE},      {"\u2265", TOKEN_GE},
    {"\u00D7", TOKEN_TIMES},  {"~", TOKEN_NOT},          {"^", TOKEN_XOR},
    {"@", TOKEN_AT},          {"?", TOKEN_QUESTION},
};
static const struct {
    const char *spelling;
    enum token_kind kind;
} words[] = {{"and", TOKEN_AND}, {"or", TOKEN_OR}, {"not", TOKEN_NOT}, {"mod", TOKEN_REMAINDER}};

struct lexer {
    struct diag *diag;
    struct names *names;
    struct tokens *tokens;
    const char *text, *at, *end;
    uint32_t source, line;
    bool is_cdl, is_guide;
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

static void push(struct lexer *lexer, enum token_kind kind, const char *start, const char *text,
                 uint64_t number)
{
    struct token token = {
        kind,   place_of(lexer, start),          text,
        number, (uint32_t)(start - lexer->text), (uint32_t)(lexer->at - lexer->text)};
    vec_push(lexer->diag->mem, &lexer->tokens->list, token);
}

static void skip_block_comment(struct lexer *lexer)
{
    struct place start = place_of(lexer, lexer->at);
    lexer->at += 2;
    while (lexer->end - lexer->at >= 2 && (lexer->at[0] != '*' || lexer->at[1] != '/'))
        if (*lexer->at++ == '\n') start_line(lexer, lexer->at);
    if (lexer->end - lexer->at < 2) {
        diag_error(lexer->diag, DIAG_CHARACTER, start, "this comment does not end");
        lexer->at = lexer->end;
    } else {
        lexer->at += 2;
    }
}

static bool skip_space(struct lexer *lexer)
{
    if (lexer->at >= lexer->end) return false;
    char c = *lexer->at;
    if (c == '\n') {
        lexer->at++;
        start_line(lexer, lexer->at);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
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
    for (size_t i = 0; !lexer->is_guide && i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].spelling, name)) {
            push(lexer, words[i].kind, start, name, 0);
            return;
        }
    push(lexer, TOKEN_NAME, start, name, 0);
}

static void read_number(struct lexer *lexer)
{
    const char *start = lexer->at, *end = start;
    while (end < lexer->end && isdigit((unsigned char)*end)) end++;
    if (lexer->is_cdl && end < lexer->end && is_name_start(*end)) {
        read_name(lexer);
        return;
    }
    uint64_t number = 0;
    bool too_large = false;
    for (; lexer->at < lexer->end && isdigit((unsigned char)*lexer->at); lexer->at++) {
        unsigned digit = (unsigned)(*lexer->at - '0');
        if (number > ((uint64_t)INT64_MAX - digit) / 10) too_large = true;
        else number = number * 10 + digit;
    }
    if (too_large) {
        diag_error(lexer->diag, DIAG_NUMBER, place_of(lexer, start),
                   "this number does not fit in 63 bits");
        number = 0;
    } else if (lexer->at < lexer->end && is_name_start(*lexer->at)) {
        diag_error(lexer->diag, DIAG_CHARACTER, place_of(lexer, lexer->at),
                   "a letter directly after a number");
        while (lexer->at < lexer->end && is_name_part(*lexer->at)) lexer->at++;
    }
    push(lexer, TOKEN_NUMBER, start,
         names_intern(lexer->names, start,
                      (size_t)(lexer->at - start > 40 ? 40 : lexer->at - start)),
         number);
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
    push(lexer, TOKEN_STRING, start, text, 0);
}

static bool read_operator(struct lexer *lexer)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].spelling);
        if ((size_t)(lexer->end - lexer->at) < length) continue;
        if (memcmp(lexer->at, operators[i].spelling, length)) continue;
        if (operators[i].kind == TOKEN_AT && !lexer->is_cdl) continue;
        if (operators[i].kind == TOKEN_QUESTION && !lexer->is_guide) continue;
        const char *start = lexer->at;
        lexer->at += length;
        push(lexer, operators[i].kind, start, operators[i].spelling, 0);
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
    while (lexer->at < lexer->end && *lexer->at != '\n'
           && ((unsigned char)*lexer->at >= 0x80 || !isprint((unsigned char)*lexer->at))
           && *lexer->at != ' ' && *lexer->at != '\t');
}

static void run(struct diag *diag, struct names *names, uint32_t source, struct tokens *tokens,
                bool is_cdl, bool is_guide)
{
    const struct source *file = &diag->sources.data[source];
    struct lexer lexer = {.diag = diag,
                          .names = names,
                          .tokens = tokens,
                          .text = file->text,
                          .at = file->text,
                          .end = file->text + file->length,
                          .source = source,
                          .is_cdl = is_cdl,
                          .is_guide = is_guide};
    start_line(&lexer, lexer.at);
    if (file->length >= 3 && !memcmp(file->text, "\xEF\xBB\xBF", 3)) lexer.at += 3;
    for (;;) {
        while (skip_space(&lexer)) continue;
        if (lexer.at >= lexer.end) break;
        if (is_name_start(*lexer.at)) read_name(&lexer);
        else if (isdigit((unsigned char)*lexer.at)) read_number(&lexer);
        else if (*lexer.at == '"') read_string(&lexer);
        else if (!read_operator(&lexer)) reject_run(&lexer);
    }
    push(&lexer, TOKEN_END, lexer.at, "the end of the file", 0);
}

void lexer_run(struct diag *diag, struct names *names, uint32_t source, struct tokens *tokens)
{
    run(diag, names, source, tokens, false, false);
}

void lexer_run_cdl(struct diag *diag, struct names *names, uint32_t source, struct tokens *tokens)
{
    run(diag, names, source, tokens, true, false);
}

void lexer_run_guide(struct diag *diag, struct names *names, uint32_t source, struct tokens *tokens)
{
    run(diag, names, source, tokens, false, true);
}

const char *token_kind_show(enum token_kind kind)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].kind == kind && kind != TOKEN_END) return operators[i].spelling;
    return kind == TOKEN_NAME     ? "a name"
           : kind == TOKEN_NUMBER ? "a number"
           : kind == TOKEN_STRING ? "a string"
                                  : "the end of the file";
}

const char *token_show(const struct token *token, char buffer[48])
{
    if (token->kind == TOKEN_END) return token->text;
    snprintf(buffer, 48, strlen(token->text) > 32 ? "'%.32s...'" : "'%s'", token->text);
    return buffer;
}
