/* Files and directives; macros.c has the expansion, condition.c the expressions of #if. */
#include "lang/common/preprocess.h"

#include "lang/common/macros.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void preprocess_fail(struct macros *p, struct place place, const char *format, ...)
{
    va_list args;
    if (p->failed) return;
    va_start(args, format);
    diag_error_args(p->diag, DIAG_MACRO, place, format, args);
    va_end(args);
    p->failed = true;
}

static struct lexer *lexer_of(struct macros *p)
{
    assert(p->files.len);
    return &p->files.data[p->files.len - 1]->lexer;
}

/* ---- files ---- */

static void open_file(struct macros *p, const char *path, uint32_t source)
{
    struct macro_file *file = mem_alloc(p->mem, sizeof *file);
    lexer_begin(&file->lexer, p->diag, p->names, p->lexis, source, p->out);
    file->path = path;
    file->conditions = p->conditions.len;
    p->file_count++;
    vec_push(p->mem, &p->files, file);
}

static void close_file(struct macros *p)
{
    struct macro_file *file = p->files.data[p->files.len - 1];
    assert(p->conditions.len >= file->conditions);
    if (p->conditions.len > file->conditions && !p->failed)
        preprocess_fail(p, p->conditions.data[p->conditions.len - 1].place,
                        "this condition has no #endif");
    p->conditions.len = file->conditions;
    p->files.len--;
    mem_free(p->mem, file);
}

/* The path of a file that another one names. */
static const char *path_beside(struct macros *p, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    if (*name == '/' || !slash) return name;
    return names_format(p->names, "%.*s/%s", (int)(slash - path), path, name);
}

static void include(struct macros *p, const struct token *name, struct place place)
{
    const char *path = path_beside(p, p->files.data[p->files.len - 1]->path, name->text);
    uint32_t source;
    for (uint32_t i = 0; i < p->files.len; i++)
        if (!strcmp(p->files.data[i]->path, path)) {
            preprocess_fail(p, name->place, "the file '%.200s' includes itself", path);
            return;
        }
    if (p->files.len >= PREPROCESS_MOST_NESTED || p->file_count >= PREPROCESS_MOST_FILES) {
        preprocess_fail(p, place, "too many files are included: at most %d, %d in each other",
                        PREPROCESS_MOST_FILES, PREPROCESS_MOST_NESTED);
        return;
    }
    if (diag_include_source(p->diag, name->place, path, &source)) open_file(p, path, source);
    else p->failed = true;
}

/* ---- lines ---- */

/* The rest of the line. */
static void read_line(struct macros *p, struct token_list *line)
{
    struct lexer *lexer = lexer_of(p);
    struct token token;
    for (;;) {
        lexer_next(lexer, &token);
        if (token.kind == TOKEN_END) return;
        vec_push(p->mem, &line->list, token);
    }
}

static bool expect_end(struct macros *p, const struct token_list *line, uint32_t at)
{
    if (at >= line->list.len) return true;
    preprocess_fail(p, line->list.data[at].place, "expected the end of the line");
    return false;
}

static bool expect_word(struct macros *p, const struct token_list *line, struct place place,
                        const char *directive)
{
    if (line->list.len && token_is_word(&line->list.data[0])) return true;
    preprocess_fail(p, line->list.len ? line->list.data[0].place : place,
                    "expected a name after '#%s'", directive);
    return false;
}

/* ---- definitions ---- */

/* Reads NAME(a, b): returns where the body begins, or 0 after an error. */
static uint32_t read_parameters(struct macros *p, const struct token_list *line,
                                struct macro *macro)
{
    const struct token *tokens = line->list.data;
    uint32_t at = 2, count = line->list.len;
    macro->has_parameters = true;
    if (at < count && tokens[at].kind == TOKEN_CLOSE) return at + 1;
    macro->parameters = mem_alloc(p->mem, (count + UINT64_C(1)) * sizeof *macro->parameters);
    while (at < count && token_is_word(&tokens[at])) {
        for (uint32_t i = 0; i < macro->parameter_count; i++)
            if (macro->parameters[i] == tokens[at].text) {
                preprocess_fail(p, tokens[at].place, "the parameter '%.60s' is there twice",
                                tokens[at].text);
                return 0;
            }
        macro->parameters[macro->parameter_count++] = tokens[at++].text;
        if (at < count && tokens[at].kind == TOKEN_CLOSE) return at + 1;
        if (at >= count || tokens[at].kind != TOKEN_COMMA) break;
        at++;
    }
    preprocess_fail(p, at < count ? tokens[at].place : macro->place,
                    "expected the names of parameters, and ')'");
    return 0;
}

static void define(struct macros *p, const struct token_list *line, struct place place)
{
    const struct token *tokens = line->list.data;
    if (!expect_word(p, line, place, "define")) return;
    if (!strcmp(tokens[0].text, "defined")) {
        preprocess_fail(p, tokens[0].place, "'defined' cannot be a macro");
        return;
    }
    struct macro macro = {.name = tokens[0].text, .place = tokens[0].place};
    uint32_t body = 1;
    if (line->list.len > 1 && tokens[1].kind == TOKEN_OPEN && !tokens[1].after_space)
        body = read_parameters(p, line, &macro);
    for (uint32_t i = body; body && i < line->list.len; i++)
        vec_push(p->mem, &macro.body.list, tokens[i]);
    if (body) macros_define(p, &macro);
    else mem_free(p->mem, macro.parameters);
}

/* ---- conditions ---- */

static void open_condition(struct macros *p, bool value, struct place place)
{
    if (p->conditions.len >= PREPROCESS_MOST_NESTED) {
        preprocess_fail(p, place, "conditions are nested too deeply: more than %d levels",
                        PREPROCESS_MOST_NESTED);
        return;
    }
    struct macro_condition condition = {.place = place, .taken = value, .active = value};
    vec_push(p->mem, &p->conditions, condition);
}

static struct macro_condition *innermost(struct macros *p, struct place place, const char *word)
{
    if (p->conditions.len > p->files.data[p->files.len - 1]->conditions)
        return &p->conditions.data[p->conditions.len - 1];
    preprocess_fail(p, place, "there is no #if for this #%s", word);
    return NULL;
}

/* #ifeq A B: whether both are the same token when their macros are replaced. */
static bool are_equal(struct macros *p, struct token_list *line, struct place place)
{
    for (uint32_t i = 0; i < line->list.len; i++)
        if (token_is_word(&line->list.data[i])) macros_ask(p, &line->list.data[i]);
    if (line->list.len != 2) {
        preprocess_fail(p, place, "expected two names or numbers to compare");
        return false;
    }
    struct token_list sides[2] = {{{0}}, {{0}}};
    for (unsigned i = 0; i < 2; i++) {
        vec_push(p->mem, &sides[i].list, line->list.data[i]);
        macros_expand(p, &sides[i]);
    }
    bool same = sides[0].list.len == sides[1].list.len;
    for (uint32_t i = 0; same && i < sides[0].list.len; i++)
        same = !strcmp(sides[0].list.data[i].text, sides[1].list.data[i].text);
    vec_free(p->mem, &sides[0].list);
    vec_free(p->mem, &sides[1].list);
    return same;
}

static bool is_defined(struct macros *p, struct token_list *line, struct place place,
                       const char *word)
{
    return expect_word(p, line, place, word) && expect_end(p, line, 1)
           && macros_ask(p, &line->list.data[0]) != MAP_NONE;
}

static void else_if(struct macros *p, struct token_list *line, struct place place, const char *word,
                    bool has_condition)
{
    struct macro_condition *condition = innermost(p, place, word);
    if (!condition) return;
    if (condition->had_else) {
        preprocess_fail(p, place, "#%s after #else", word);
        return;
    }
    bool value = !condition->taken && (!has_condition || condition_value(p, line, place) != 0);
    condition->active = value;
    condition->taken |= value;
    condition->had_else = !has_condition;
}

/* ---- directives ---- */

enum directive {
    DIRECTIVE_DEFINE,
    DIRECTIVE_UNDEF,
    DIRECTIVE_INCLUDE,
    DIRECTIVE_IF,
    DIRECTIVE_IFDEF,
    DIRECTIVE_IFNDEF,
    DIRECTIVE_IFEQ,
    DIRECTIVE_IFNEQ,
    DIRECTIVE_ELIF,
    DIRECTIVE_ELSE,
    DIRECTIVE_ENDIF,
    DIRECTIVE_ERROR,
    DIRECTIVE_WARNING,
    DIRECTIVE_PRAGMA,
    DIRECTIVES
};

static const char *const words[DIRECTIVES] = {"define", "undef", "include", "if",    "ifdef",
                                              "ifndef", "ifeq",  "ifneq",   "elif",  "else",
                                              "endif",  "error", "warning", "pragma"};

static enum directive directive_of(const struct token *word)
{
    enum directive d = 0;
    while (d < DIRECTIVES && (!token_is_word(word) || strcmp(words[d], word->text) != 0)) d++;
    return d;
}

static void tell_line(struct macros *p, const struct token_list *line, struct place place,
                      bool is_error)
{
    char text[200] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < line->list.len && length < sizeof text - 1; i++) {
        int added = snprintf(text + length, sizeof text - length, "%s%s", i ? " " : "",
                             line->list.data[i].text);
        length += added < 0 ? 0 : (size_t)added;
    }
    if (is_error) preprocess_fail(p, place, "#error %s", text);
    else diag_warning(p->diag, DIAG_MACRO, place, "#warning %s", text);
}

static void obey_include(struct macros *p, const struct token_list *line, struct place place)
{
    if (!line->list.len || line->list.data[0].kind != TOKEN_STRING || !line->list.data[0].text[0])
        preprocess_fail(p, line->list.len ? line->list.data[0].place : place,
                        "expected the name of a file in quotes after '#include'");
    else if (expect_end(p, line, 1)) include(p, &line->list.data[0], place);
}

static void obey(struct macros *p, enum directive d, struct token_list *line, struct place place)
{
    switch (d) {
    case DIRECTIVE_DEFINE: define(p, line, place); break;
    case DIRECTIVE_UNDEF:
        if (expect_word(p, line, place, "undef") && expect_end(p, line, 1))
            macros_undefine(p, line->list.data[0].text);
        break;
    case DIRECTIVE_INCLUDE: obey_include(p, line, place); break;
    case DIRECTIVE_IF: open_condition(p, condition_value(p, line, place) != 0, place); break;
    case DIRECTIVE_IFDEF: open_condition(p, is_defined(p, line, place, words[d]), place); break;
    case DIRECTIVE_IFNDEF: open_condition(p, !is_defined(p, line, place, words[d]), place); break;
    case DIRECTIVE_IFEQ: open_condition(p, are_equal(p, line, place), place); break;
    case DIRECTIVE_IFNEQ: open_condition(p, !are_equal(p, line, place), place); break;
    case DIRECTIVE_ELIF: else_if(p, line, place, words[d], true); break;
    case DIRECTIVE_ELSE:
        if (expect_end(p, line, 0)) else_if(p, line, place, words[d], false);
        break;
    case DIRECTIVE_ENDIF:
        if (innermost(p, place, words[d]) && expect_end(p, line, 0)) p->conditions.len--;
        break;
    case DIRECTIVE_ERROR: tell_line(p, line, place, true); break;
    case DIRECTIVE_WARNING: tell_line(p, line, place, false); break;
    default: break;
    }
}

/* Conditions are read with the operators of C, bodies with those of the language; what others tell,
 * not at all. */
static const struct lexis_row condition_operators[] = {{"<<", TOKEN_SHIFT_LEFT},
                                                       {">>", TOKEN_SHIFT_RIGHT},
                                                       {"==", TOKEN_DOUBLE_EQ},
                                                       {"!=", TOKEN_BANG_EQ},
                                                       {"<=", TOKEN_LE},
                                                       {">=", TOKEN_GE},
                                                       {"&&", TOKEN_AND},
                                                       {"||", TOKEN_OR},
                                                       {"<", TOKEN_LT},
                                                       {">", TOKEN_GT},
                                                       {"!", TOKEN_BANG},
                                                       {"~", TOKEN_TILDE},
                                                       {"&", TOKEN_AMPERSAND},
                                                       {"|", TOKEN_BAR},
                                                       {"^", TOKEN_XOR},
                                                       {"+", TOKEN_PLUS},
                                                       {"-", TOKEN_MINUS},
                                                       {"*", TOKEN_TIMES},
                                                       {"/", TOKEN_DIVIDE},
                                                       {"%", TOKEN_REMAINDER},
                                                       {"?", TOKEN_QUESTION},
                                                       {":", TOKEN_COLON},
                                                       {"(", TOKEN_OPEN},
                                                       {")", TOKEN_CLOSE},
                                                       {NULL, 0}};
static const struct lexis condition_lexis = {
    .operators = condition_operators, .digits_begin_names = true, .directives = true};

static bool has_condition(enum directive d) { return d >= DIRECTIVE_IF && d <= DIRECTIVE_ELIF; }

/* A directive, whose word is next, up to the end of its line. */
static void read_directive(struct macros *p, enum directive d, struct place place)
{
    struct lexer *lexer = lexer_of(p);
    struct token_list line = {0};
    struct token word;
    lexer_next(lexer, &word);
    assert(directive_of(&word) == d);
    if (p->collecting) {
        preprocess_fail(p, place, "a directive inside the arguments of a macro");
        return;
    }
    if (d == DIRECTIVE_PRAGMA) lexer_skip_line(lexer);
    if (has_condition(d)) lexer_use(lexer, &condition_lexis);
    read_line(p, &line);
    lexer->stays_on_line = false;
    if (has_condition(d)) lexer_use(lexer, p->lexis);
    obey(p, d, &line, place);
    vec_free(p->mem, &line.list);
}

/* Whether a directive follows the `#` at the start of a line. Nothing is read when it is none. */
static bool directive_follows(struct macros *p, const struct token *hash, enum directive *d)
{
    struct lexer *lexer = lexer_of(p);
    struct token word;
    *d = DIRECTIVES;
    if (!hash->begins_line || hash->kind != TOKEN_HASH) return false;
    lexer->stays_on_line = true;
    if (islower((unsigned char)lexer_glance(lexer))) {
        struct lexer before = *lexer;
        lexer_next(lexer, &word);
        *d = directive_of(&word);
        *lexer = before;
    }
    lexer->stays_on_line = *d < DIRECTIVES;
    return lexer->stays_on_line;
}

/* Skips the lines of a branch that is not taken, up to the directive that ends it. */
static void skip_branch(struct macros *p)
{
    struct lexer *lexer = lexer_of(p);
    uint32_t depth = 0;
    while (lexer->at < lexer->end && !p->failed) {
        struct token token;
        enum directive d;
        if (lexer_skip_blank(lexer) != '#') {
            lexer_skip_line(lexer);
            continue;
        }
        lexer_next(lexer, &token);
        if (!directive_follows(p, &token, &d)) continue;
        if (d >= DIRECTIVE_IF && d <= DIRECTIVE_IFNEQ) depth++;
        bool ends = !depth && (d == DIRECTIVE_ELIF || d == DIRECTIVE_ELSE || d == DIRECTIVE_ENDIF);
        if (d == DIRECTIVE_ENDIF && depth) depth--;
        if (ends) {
            read_directive(p, d, token.place);
            return;
        }
        lexer_skip_line(lexer);
        lexer->stays_on_line = false;
    }
}

void preprocess_read(struct macros *p, struct token *token)
{
    for (;;) {
        enum directive d;
        if (p->conditions.len && !p->conditions.data[p->conditions.len - 1].active && !p->failed
            && lexer_of(p)->at < lexer_of(p)->end) {
            skip_branch(p);
            continue;
        }
        lexer_next(lexer_of(p), token);
        if (p->failed) return;
        if (token->kind == TOKEN_END && p->files.len > 1 && !p->collecting) close_file(p);
        else if (directive_follows(p, token, &d)) read_directive(p, d, token->place);
        else return;
        if (p->failed) {
            token->kind = TOKEN_END;
            return;
        }
    }
}

bool preprocess_run(struct diag *diag, struct names *names, const struct lexis *lexis,
                    uint32_t source, struct language_define *defines, uint32_t define_count,
                    struct tokens *tokens)
{
    struct macros p = {.diag = diag,
                       .names = names,
                       .mem = diag->mem,
                       .lexis = lexis,
                       .defines = defines,
                       .define_count = define_count,
                       .out = tokens};
    struct token token;
    assert(lexis->directives);
    map_init(&p.index, p.mem);
    open_file(&p, diag->sources.data[source].name, source);
    do {
        macros_next(&p, &token);
        vec_push(p.mem, &tokens->list, token);
    } while (token.kind != TOKEN_END && !p.failed);
    while (p.files.len) close_file(&p);
    tokens->list.data[tokens->list.len - 1].kind = TOKEN_END;
    macros_free(&p);
    vec_free(p.mem, &p.conditions);
    vec_free(p.mem, &p.files);
    return !p.failed;
}
