/* What the parts of the parser have in common, and the entries. A panic ends where somebody knows a
 * place to go on: behind a declaration, behind an edge, at the next label of XML; so one run tells
 * several errors. */
#include "lang/uppaal/parse.h"

#include "lang/common/xml.h"
#include "lang/uppaal/parser.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ---- */

void uppaal_error(struct uppaal_parser *parser, enum diag_code code, struct place place,
                  const char *format, ...)
{
    if (parser->panic) return;
    parser->panic = true;
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_error(parser->diag, code, place, "%s", message);
}

void uppaal_error_expected(struct uppaal_parser *parser, const char *what)
{
    char shown[48];
    const struct token *token = uppaal_peek(parser);
    uppaal_error(parser, DIAG_SYNTAX, token->place, "expected %s, found %s", what,
                 token_show(token, shown));
}

void uppaal_refuse(struct uppaal_parser *parser, struct place place, const char *what)
{
    uppaal_error(parser, DIAG_UNSUPPORTED, place,
                 "%s is not part of what is read: only the classical language of UPPAAL is", what);
}

/* ---- tokens ---- */

const struct token *uppaal_ahead(const struct uppaal_parser *parser, unsigned n)
{
    const struct token *token = uppaal_peek(parser);
    while (n-- && token->kind != TOKEN_END) token++;
    return token;
}

bool uppaal_accept(struct uppaal_parser *parser, unsigned kind)
{
    if (parser->panic || !uppaal_at(parser, kind)) return false;
    if (kind != TOKEN_END) parser->at++;
    return true;
}

static bool is_keyword(const struct token *token)
{
    return token->kind != TOKEN_NAME && token_is_word(token);
}

bool uppaal_expect(struct uppaal_parser *parser, unsigned kind, const char *after)
{
    if (uppaal_accept(parser, kind)) return true;
    const struct token *token = uppaal_peek(parser);
    const char *quote = kind < TOKEN_OPEN ? "" : "'";
    char shown[48];
    if (kind == TOKEN_NAME && is_keyword(token))
        uppaal_error(parser, DIAG_SYNTAX, token->place,
                     "expected a name after %s, found the keyword %s", after,
                     token_show(token, shown));
    else
        uppaal_error(parser, DIAG_SYNTAX, token->place, "expected %s%s%s after %s, found %s", quote,
                     token_kind_show(&uppaal_lexis, kind), quote, after, token_show(token, shown));
    return false;
}

bool uppaal_expect_close(struct uppaal_parser *parser, unsigned kind, const char *choices,
                         const char *what, struct place opened)
{
    if (uppaal_accept(parser, kind)) return true;
    if (parser->panic) return false;
    const struct token *token = uppaal_peek(parser);
    char shown[48];
    uppaal_error(parser, DIAG_SYNTAX, token->place, "expected %s or '%s' in %s, found %s", choices,
                 token_kind_show(&uppaal_lexis, kind), what, token_show(token, shown));
    if (opened.line != token->place.line) diag_note(parser->diag, opened, "opened here");
    return false;
}

bool uppaal_is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

const char *uppaal_expect_name(struct uppaal_parser *parser, const char *after)
{
    const char *name = uppaal_peek(parser)->text;
    return uppaal_expect(parser, TOKEN_NAME, after) ? name : "?";
}

bool uppaal_enter(struct uppaal_parser *parser)
{
    if (++parser->nesting <= UPPAAL_MAX_NESTING) return true;
    uppaal_error(
        parser, DIAG_NESTING, uppaal_here(parser),
        "this is nested too deeply: more than %d levels of brackets, operators and statements",
        UPPAAL_MAX_NESTING);
    return false;
}

void uppaal_leave(struct uppaal_parser *parser)
{
    assert(parser->nesting); /* every uppaal_enter has one uppaal_leave */
    parser->nesting--;
}

void uppaal_skip_brackets(struct uppaal_parser *parser)
{
    uint32_t depth = 0;
    do {
        unsigned kind = uppaal_peek(parser)->kind;
        if (kind == TOKEN_END) return;
        if (kind == TOKEN_OPEN_CURLY) depth++;
        if (kind == TOKEN_CLOSE_CURLY) depth--;
        parser->at++;
    } while (depth);
}

/* ---- version 3 ---- */

/* Whether `const` is followed by a name without a type. */
static bool is_old_constant(const struct token *token)
{
    if (token->kind != UPPAAL_WORD_CONST || token[1].kind != TOKEN_NAME) return false;
    switch (token[2].kind) {
    case TOKEN_NAME:
    case TOKEN_AMPERSAND: return false; /* const T n, const T &n */
    case TOKEN_ASSIGN: return false;    /* told elsewhere: of no version */
    default: return true;
    }
}

/* ( ... ; ... ) behind `process NAME` */
static bool has_old_parameters(const struct token *token)
{
    if (token->kind != UPPAAL_WORD_PROCESS || token[1].kind != TOKEN_NAME
        || token[2].kind != TOKEN_OPEN)
        return false;
    for (token += 3; token->kind != TOKEN_END && token->kind != TOKEN_CLOSE; token++)
        if (token->kind == TOKEN_SEMICOLON) return true;
    return false;
}

bool uppaal_looks_old(const struct token *tokens)
{
    for (; tokens->kind != TOKEN_END; tokens++)
        if (is_old_constant(tokens) || has_old_parameters(tokens)) return true;
    return false;
}

/* Parameters that are not constant are references there. */
static void finish_old(struct uppaal_file *file)
{
    for (struct uppaal_decl *decl = file->decls; decl; decl = decl->next) {
        if (decl->kind != UPPAAL_DECL_TEMPLATE) continue;
        struct uppaal_variable *parameter = decl->template->parameters;
        for (; parameter; parameter = parameter->next)
            if (!(parameter->type->prefixes & UPPAAL_CONST)) parameter->by_reference = true;
    }
}

/* ---- entries ---- */

static bool has_old_ending(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && !strcmp(name + length - 3, ".ta");
}

static void parse_text(struct uppaal_parser *parser, uint32_t source, struct uppaal_file *file)
{
    struct tokens tokens = {0};
    uint32_t errors = parser->diag->errors;
    lexer_run(parser->diag, parser->names, &uppaal_lexis, source, &tokens);
    assert(tokens.list.data[tokens.list.len - 1].kind == TOKEN_END);
    parser->tokens = tokens.list.data;
    parser->text = parser->diag->sources.data[source].text;
    parser->is_old |= uppaal_looks_old(parser->tokens);
    if (tokens.list.len == 1 && parser->diag->errors == errors)
        diag_error(parser->diag, DIAG_MISSING, (struct place){.source = source},
                   "the file is empty: a model needs at least a process and a system line");
    else if (parser->diag->errors == errors)
        uppaal_parse_system(parser, file, &file->decls, &file->queries);
    lexer_free(parser->diag->mem, &tokens);
}

bool uppaal_parse(struct diag *diag, struct names *names, struct arena *arena, struct mem *mem,
                  uint32_t source, struct uppaal_file *file)
{
    uint32_t errors = diag->errors;
    const struct source *text = &diag->sources.data[source];
    struct uppaal_parser parser = {.diag = diag,
                                   .names = names,
                                   .arena = arena,
                                   .mem = mem,
                                   .file = file,
                                   .is_old = has_old_ending(text->name)};
    memset(file, 0, sizeof *file);
    file->is_xml = xml_is(text);
    diag->whose = uppaal_tell_part;
    diag->context = file;
    if (file->is_xml) uppaal_parse_document(&parser, source, file);
    else parse_text(&parser, source, file);
    diag->whose = NULL;
    file->is_old = parser.is_old;
    if (diag->errors != errors) return false;
    if (file->is_old) finish_old(file);
    assert(file->system); /* an error was told otherwise */
    return true;
}
