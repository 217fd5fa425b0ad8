#include "lang/common/lexer.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct lexis_row lexer_operators[] = {
    {"<->", TOKEN_IFF},        {"<=>", TOKEN_IFF},
    {"->", TOKEN_IMPLIES},     {"=>", TOKEN_IMPLIES},
    {":=", TOKEN_ASSIGN},      {"==", TOKEN_EQ},
    {"!=", TOKEN_NE},          {"<>", TOKEN_NE},
    {"<=", TOKEN_LE},          {">=", TOKEN_GE},
    {"&&", TOKEN_AND},         {"||", TOKEN_OR},
    {"..", TOKEN_RANGE},       {"&", TOKEN_AND},
    {"|", TOKEN_OR},           {"=", TOKEN_EQ},
    {"<", TOKEN_LT},           {">", TOKEN_GT},
    {"!", TOKEN_NOT},          {"(", TOKEN_OPEN},
    {")", TOKEN_CLOSE},        {"[", TOKEN_OPEN_SQUARE},
    {"]", TOKEN_CLOSE_SQUARE}, {"{", TOKEN_OPEN_CURLY},
    {"}", TOKEN_CLOSE_CURLY},  {",", TOKEN_COMMA},
    {";", TOKEN_SEMICOLON},    {":", TOKEN_COLON},
    {".", TOKEN_DOT},          {"+", TOKEN_PLUS},
    {"-", TOKEN_MINUS},        {"*", TOKEN_TIMES},
    {"/", TOKEN_DIVIDE},       {"%", TOKEN_REMAINDER},
    {"\u00AC", TOKEN_NOT},     {"\u2227", TOKEN_AND},
    {"\u2228", TOKEN_OR},      {"\u21D2", TOKEN_IMPLIES},
    {"\u21D4", TOKEN_IFF},     {"\u2260", TOKEN_NE},
    {"\u2264", TOKEN_LE},      {"\u2265", TOKEN_GE},
    {"\u00D7", TOKEN_TIMES},   {"~", TOKEN_NOT},
    {"^", TOKEN_XOR},          {NULL, 0},
};

const struct lexis_row lexer_words[] = {
    {"and", TOKEN_AND}, {"or", TOKEN_OR}, {"not", TOKEN_NOT}, {"mod", TOKEN_REMAINDER}, {NULL, 0}};

const struct lexis lexer_plain = {.operators = lexer_operators, .words = lexer_words};

/* ---- tables by first character ---- */

static void index_rows(struct lexis_index *index, const struct lexis_row *rows)
{
    uint8_t tails[256] = {0};
    memset(index->heads, 0, sizeof index->heads);
    for (unsigned i = 0; rows && rows[i].spelling; i++) {
        unsigned char c = (unsigned char)rows[i].spelling[0];
        assert(i < LEXIS_ROWS);
        index->next[i] = 0;
        if (tails[c]) index->next[tails[c] - 1] = (uint8_t)(i + 1);
        else index->heads[c] = (uint8_t)(i + 1);
        tails[c] = (uint8_t)(i + 1);
    }
}

void lexer_use(struct lexer *lexer, const struct lexis *lexis)
{
    lexer->lexis = lexis;
    index_rows(&lexer->operators, lexis->operators);
    index_rows(&lexer->words, lexis->words);
}

/* ---- positions ---- */

/* Goes to the piece of `at`; columns are counted from its beginning when it is another one, or when
 * `at` was passed. */
static void find_piece(struct lexer *lexer, const char *at)
{
    const struct lexer_text *taken = lexer->taken;
    const uint32_t offset = (uint32_t)(at - lexer->text), before = lexer->piece;
    while (taken->piece[lexer->piece].start > offset) lexer->piece--;
    while (lexer->piece + 1 < taken->pieces && taken->piece[lexer->piece + 1].start <= offset)
        lexer->piece++;
    const struct lexer_piece *piece = &taken->piece[lexer->piece];
    if (lexer->piece == before && lexer->counted <= at) return;
    lexer->line = piece->place.line;
    lexer->column = piece->place.column;
    lexer->counted = lexer->text + piece->start;
}

static struct place place_of(struct lexer *lexer, const char *at)
{
    if (lexer->taken) find_piece(lexer, at);
    for (; lexer->counted < at; lexer->counted++)
        if (((unsigned char)*lexer->counted & 0xC0) != 0x80) lexer->column++;
    return (struct place){lexer->source, lexer->line, lexer->column};
}

static void start_line(struct lexer *lexer, const char *at)
{
    if (lexer->taken) return; /* its pieces know their lines */
    lexer->line++;
    lexer->counted = at;
    lexer->column = 1;
}

static void make(struct lexer *lexer, struct token *token, unsigned kind, const char *start,
                 const char *text)
{
    assert(start >= lexer->text && start <= lexer->at && lexer->at <= lexer->end); /* 3 */
    *token = (struct token){.kind = (uint16_t)kind,
                            .begins_line = lexer->begins_line,
                            .after_space = lexer->after_space,
                            .place = place_of(lexer, start),
                            .text = text,
                            .start = (uint32_t)(start - lexer->text),
                            .end = (uint32_t)(lexer->at - lexer->text)};
    lexer->begins_line = lexer->after_space = false;
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
    struct token_label label = {names_intern(lexer->names, from, (size_t)(to - from)), place,
                                lexer->tokens->list.len};
    vec_push(lexer->diag->mem, &lexer->tokens->labels, label);
}

/* Moves behind a comment; false when it does not end. */
static bool pass_block_comment(struct lexer *lexer)
{
    lexer->at += 2;
    while (lexer->end - lexer->at >= 2 && (lexer->at[0] != '*' || lexer->at[1] != '/'))
        if (*lexer->at++ == '\n') start_line(lexer, lexer->at);
    bool ends = lexer->end - lexer->at >= 2;
    lexer->at = ends ? lexer->at + 2 : lexer->end;
    return ends;
}

static void skip_block_comment(struct lexer *lexer)
{
    struct place place = place_of(lexer, lexer->at);
    const char *start = lexer->at + 2;
    if (!pass_block_comment(lexer))
        diag_error(lexer->diag, DIAG_CHARACTER, place, "this comment does not end");
    else if (lexer->lexis->labels && start < lexer->at - 2 && *start == '@')
        keep_label(lexer, start + 1, lexer->at - 2, place);
}

static bool is_comment(const char *at, const char *end, char second)
{
    return end - at > 1 && at[0] == '/' && at[1] == second;
}

/* The length of a backslash with the end of its line, or 0. */
static unsigned splice_length(const struct lexer *lexer, const char *at)
{
    if ((!lexer->lexis->directives && !lexer->lexis->joins_lines) || *at != '\\') return 0;
    if (lexer->end - at > 1 && at[1] == '\n') return 2;
    return lexer->end - at > 2 && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static bool skip_space(struct lexer *lexer)
{
    if (lexer->at >= lexer->end) return false;
    char c = *lexer->at;
    unsigned splice;
    if (c == '\n') {
        if (lexer->stays_on_line) return false;
        lexer->at++;
        start_line(lexer, lexer->at);
        lexer->begins_line = true;
    } else if (is_space(c)) {
        lexer->at++;
    } else if (is_comment(lexer->at, lexer->end, '/')
               || (c == '#' && lexer->lexis->hash_comments)) {
        while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
    } else if (is_comment(lexer->at, lexer->end, '*')) {
        skip_block_comment(lexer);
    } else if ((splice = splice_length(lexer, lexer->at)) != 0) {
        lexer->at += splice;
        start_line(lexer, lexer->at);
    } else {
        return false;
    }
    lexer->after_space = true;
    return true;
}

void lexer_skip_line(struct lexer *lexer)
{
    lexer->begins_line = false;
    while (lexer->at < lexer->end && *lexer->at != '\n') {
        unsigned splice = splice_length(lexer, lexer->at);
        if (is_comment(lexer->at, lexer->end, '*')) pass_block_comment(lexer);
        else if (is_comment(lexer->at, lexer->end, '/'))
            while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
        else if (splice) {
            lexer->at += splice;
            start_line(lexer, lexer->at);
        } else lexer->at++;
    }
}

char lexer_skip_blank(struct lexer *lexer)
{
    while (lexer->at < lexer->end) {
        unsigned splice = splice_length(lexer, lexer->at);
        if (*lexer->at == '\n' || splice) {
            lexer->begins_line |= !splice;
            lexer->at += splice ? splice : 1;
            start_line(lexer, lexer->at);
        } else if (is_space(*lexer->at)) {
            lexer->at++;
        } else if (is_comment(lexer->at, lexer->end, '*')) {
            pass_block_comment(lexer);
        } else if (is_comment(lexer->at, lexer->end, '/')) {
            lexer_skip_line(lexer);
        } else {
            return *lexer->at;
        }
    }
    return 0;
}

char lexer_glance(const struct lexer *lexer)
{
    const char *at = lexer->at, *end = lexer->end;
    while (at < end) {
        if (is_space(*at)) {
            if (*at == '\n' && lexer->stays_on_line) return 0;
            at++;
        } else if (is_comment(at, end, '/')) {
            while (at < end && *at != '\n') at++;
        } else if (is_comment(at, end, '*')) {
            for (at += 2; end - at >= 2 && (at[0] != '*' || at[1] != '/'); at++) continue;
            at = end - at >= 2 ? at + 2 : end;
        } else if (splice_length(lexer, at)) {
            at += splice_length(lexer, at);
        } else {
            return *at;
        }
    }
    return 0;
}

/* ---- tokens ---- */

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '_'; }

static bool is_name_part(const struct lexer *lexer, char c)
{
    const char *more = lexer->lexis->name_parts;
    return isalnum((unsigned char)c) || c == '_' || (more && c && strchr(more, c));
}

unsigned lexer_word_kind(const struct lexer *lexer, const char *word)
{
    const struct lexis_row *words = lexer->lexis->words;
    for (unsigned i = lexer->words.heads[(unsigned char)word[0]]; i; i = lexer->words.next[i - 1])
        if (!strcmp(words[i - 1].spelling, word)) return words[i - 1].kind;
    return TOKEN_NAME;
}

static void read_name(struct lexer *lexer, struct token *token)
{
    enum { NAME_MAX_LENGTH = 255 };
    const char *start = lexer->at;
    while (lexer->at < lexer->end && is_name_part(lexer, *lexer->at)) lexer->at++;
    size_t length = (size_t)(lexer->at - start);
    if (length > NAME_MAX_LENGTH) {
        diag_error(lexer->diag, DIAG_LIMIT, place_of(lexer, start),
                   "this name has %zu characters: at most %d are allowed", length, NAME_MAX_LENGTH);
        length = NAME_MAX_LENGTH;
    }
    const char *name = names_intern(lexer->names, start, length);
    make(lexer, token, lexer_word_kind(lexer, name), start, name);
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

/* The length of `e12`, `E-3` here, or 0. */
static unsigned exponent_length(const struct lexer *lexer)
{
    const char *at = lexer->at;
    if (!lexer->lexis->exponents || at >= lexer->end || (*at != 'e' && *at != 'E')) return 0;
    if (++at < lexer->end && (*at == '+' || *at == '-')) at++;
    const char *digits = at;
    while (at < lexer->end && isdigit((unsigned char)*at)) at++;
    return at > digits ? (unsigned)(at - lexer->at) : 0;
}

/* `2.5` is a decimal where there are decimals; `0..5` begins with a number in any case. */
static void read_number(struct lexer *lexer, struct token *token)
{
    const char *start = lexer->at, *end = start;
    uint64_t number = 0, scale = 0;
    unsigned kind = TOKEN_NUMBER;
    while (lexer->lexis->digits_begin_names && end < lexer->end && isdigit((unsigned char)*end))
        end++;
    if (end > start && end < lexer->end && is_name_start(*end)) {
        read_name(lexer, token);
        return;
    }
    bool fits = read_digits(lexer, &number, &scale);
    scale = 1;
    if (lexer->lexis->decimals && lexer->end - lexer->at > 1 && *lexer->at == '.'
        && isdigit((unsigned char)lexer->at[1])) {
        lexer->at++;
        kind = TOKEN_DECIMAL;
        fits &= read_digits(lexer, &number, &scale);
    }
    unsigned exponent = exponent_length(lexer);
    if (exponent) kind = TOKEN_DECIMAL;
    lexer->at += exponent;
    if (!fits) {
        diag_error(lexer->diag, DIAG_NUMBER, place_of(lexer, start),
                   "this number does not fit in 63 bits");
        number = 0;
        scale = 1;
    } else if (lexer->at < lexer->end && is_name_start(*lexer->at)) {
        diag_error(lexer->diag, DIAG_CHARACTER, place_of(lexer, lexer->at),
                   "a letter directly after a number");
        while (lexer->at < lexer->end && is_name_part(lexer, *lexer->at)) lexer->at++;
    }
    size_t shown = lexer->at - start > 40 ? 40 : (size_t)(lexer->at - start);
    make(lexer, token, kind, start, names_intern(lexer->names, start, shown));
    token->number = number;
    token->scale = scale;
}

static bool read_string(struct lexer *lexer, struct token *token)
{
    const char *start = lexer->at++;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n' && *lexer->at != 0)
        lexer->at++;
    if (lexer->at >= lexer->end || *lexer->at != '"') {
        diag_error(lexer->diag, DIAG_CHARACTER, place_of(lexer, start),
                   "this string does not end on its line");
        return false;
    }
    const char *text = names_intern(lexer->names, start + 1, (size_t)(lexer->at - start - 1));
    lexer->at++;
    make(lexer, token, TOKEN_STRING, start, text);
    return true;
}

static bool read_row(struct lexer *lexer, const struct lexis_row *row, struct token *token)
{
    size_t length = strlen(row->spelling);
    if ((size_t)(lexer->end - lexer->at) < length || memcmp(lexer->at, row->spelling, length))
        return false;
    const char *start = lexer->at;
    lexer->at += length;
    make(lexer, token, row->kind, start, row->spelling);
    return true;
}

static bool read_operator(struct lexer *lexer, struct token *token)
{
    static const struct lexis_row hash = {"#", TOKEN_HASH};
    const struct lexis *lexis = lexer->lexis;
    unsigned i = lexer->operators.heads[(unsigned char)*lexer->at];
    for (; i; i = lexer->operators.next[i - 1])
        if (read_row(lexer, &lexis->operators[i - 1], token)) return true;
    for (const struct lexis_row *row = lexis->more; row && row->spelling; row++)
        if (read_row(lexer, row, token)) return true;
    return lexis->directives && read_row(lexer, &hash, token);
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

void lexer_next(struct lexer *lexer, struct token *token)
{
    for (;;) {
        while (skip_space(lexer)) continue;
        if (lexer->at >= lexer->end || *lexer->at == '\n') break;
        if (is_name_start(*lexer->at)) {
            read_name(lexer, token);
            return;
        } else if (isdigit((unsigned char)*lexer->at)) {
            read_number(lexer, token);
            return;
        } else if (*lexer->at == '"') {
            if (read_string(lexer, token)) return;
        } else if (read_operator(lexer, token)) {
            return;
        } else {
            reject_run(lexer);
        }
    }
    make(lexer, token, TOKEN_END, lexer->at, "the end of the file");
}

static void begin(struct lexer *lexer, const struct lexis *lexis)
{
    lexer->at = lexer->counted = lexer->text;
    lexer->begins_line = true;
    lexer_use(lexer, lexis);
    start_line(lexer, lexer->at);
}

void lexer_begin(struct lexer *lexer, struct diag *diag, struct names *names,
                 const struct lexis *lexis, uint32_t source, struct tokens *tokens)
{
    const struct source *file = &diag->sources.data[source];
    *lexer = (struct lexer){.diag = diag,
                            .names = names,
                            .tokens = tokens,
                            .text = file->text,
                            .end = file->text + file->length,
                            .source = source};
    begin(lexer, lexis);
    if (file->length >= 3 && !memcmp(file->text, "\xEF\xBB\xBF", 3)) lexer->at += 3;
}

void lexer_begin_taken(struct lexer *lexer, struct diag *diag, struct names *names,
                       const struct lexis *lexis, const struct lexer_text *taken,
                       struct tokens *tokens)
{
    assert(taken->pieces && !taken->piece[0].start);
    *lexer = (struct lexer){.diag = diag,
                            .names = names,
                            .tokens = tokens,
                            .text = taken->text,
                            .end = taken->text + taken->length,
                            .source = taken->piece[0].place.source,
                            .line = taken->piece[0].place.line,
                            .column = taken->piece[0].place.column,
                            .taken = taken};
    begin(lexer, lexis);
}

static void read_all(struct lexer *lexer)
{
    struct token token;
    do {
        lexer_next(lexer, &token);
        vec_push(lexer->diag->mem, &lexer->tokens->list, token);
    } while (token.kind != TOKEN_END);
}

void lexer_run(struct diag *diag, struct names *names, const struct lexis *lexis, uint32_t source,
               struct tokens *tokens)
{
    struct lexer lexer;
    lexer_begin(&lexer, diag, names, lexis, source, tokens);
    read_all(&lexer);
}

void lexer_run_taken(struct diag *diag, struct names *names, const struct lexis *lexis,
                     const struct lexer_text *taken, struct tokens *tokens)
{
    struct lexer lexer;
    lexer_begin_taken(&lexer, diag, names, lexis, taken, tokens);
    read_all(&lexer);
}

void lexer_free(struct mem *mem, struct tokens *tokens)
{
    vec_free(mem, &tokens->list);
    vec_free(mem, &tokens->labels);
}

/* ---- words about tokens ---- */

bool token_is_word(const struct token *token)
{
    return token->kind == TOKEN_NAME || (token->kind > TOKEN_STRING && is_name_start(*token->text));
}

const char *token_kind_show(const struct lexis *lexis, unsigned kind)
{
    const struct lexis_row *tables[] = {lexis->operators, lexis->more, lexis->words};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct lexis_row *row = tables[t]; row && row->spelling; row++)
            if (row->kind == kind) return row->spelling;
    return kind == TOKEN_NAME      ? "a name"
           : kind == TOKEN_NUMBER  ? "a number"
           : kind == TOKEN_DECIMAL ? "a decimal number"
           : kind == TOKEN_STRING  ? "a string"
                                   : "the end of the file";
}

const char *token_show(const struct token *token, char buffer[48])
{
    if (token->kind == TOKEN_END) return token->text;
    snprintf(buffer, 48, strlen(token->text) > 32 ? "'%.32s...'" : "'%s'", token->text);
    return buffer;
}

struct place token_behind(const struct token *token)
{
    struct place place = token->place;
    place.column += token->end - token->start; /* what is no string has one byte per column */
    return place;
}
