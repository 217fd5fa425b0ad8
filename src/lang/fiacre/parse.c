/* The structure of a Fiacre file: its declarations, types and channels; and the parser's common
 * tools. Recovery from an error skips to the next declaration (in a process, to the next
 * transition), so that one run tells several errors. */
#include "lang/fiacre/parser.h"

#include "lang/common/preprocess.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* ---- tools ---- */

void fiacre_error(struct fiacre_parser *parser, struct place place, const char *format, ...)
{
    if (parser->panic) return;
    parser->panic = true;
    va_list args;
    va_start(args, format);
    diag_error_args(parser->diag, DIAG_SYNTAX, place, format, args);
    va_end(args);
}

/* How Fiacre writes what other languages write so; NULL: nothing to say. */
static const char *fiacre_spelling(const struct fiacre_parser *parser, unsigned kind)
{
    if (parser->loose) return NULL;
    return kind == TOKEN_DOUBLE_EQ ? "="
           : kind == TOKEN_BANG_EQ ? "<>"
           : kind == TOKEN_AND     ? "and"
                                   : NULL;
}

void fiacre_error_expected(struct fiacre_parser *parser, const char *what)
{
    char shown[48];
    const struct token *token = fiacre_peek(parser, 0);
    const char *better = fiacre_spelling(parser, token->kind);
    fiacre_error(parser, token->place, "expected %s, found %s%s%s%s", what,
                 token_show(token, shown), better ? ": Fiacre writes '" : "", better ? better : "",
                 better ? "'" : "");
}

void fiacre_error_expected_word(struct fiacre_parser *parser, const char *what,
                                const uint16_t *kinds, unsigned count)
{
    char shown[48];
    const struct token *token = fiacre_peek(parser, 0);
    const char *word = fiacre_suggest(token, kinds, count);
    if (!word) fiacre_error_expected(parser, what);
    else {
        if (!parser->panic) diag_suggest(parser->diag, word);
        fiacre_error(parser, token->place, "expected %s, found %s: did you mean '%s'?", what,
                     token_show(token, shown), word);
    }
}

bool fiacre_accept(struct fiacre_parser *parser, unsigned kind)
{
    if (parser->panic || !fiacre_at(parser, kind)) return false;
    if (kind != TOKEN_END) parser->at++;
    return true;
}

bool fiacre_expect(struct fiacre_parser *parser, unsigned kind, const char *after)
{
    if (fiacre_accept(parser, kind)) return true;
    const struct token *token = fiacre_peek(parser, 0);
    const char *quote = kind < TOKEN_OPEN ? "" : "'";
    char shown[48];
    if (kind == TOKEN_NAME && fiacre_is_keyword(token))
        fiacre_error(parser, token->place, "expected a name after %s, found the keyword %s", after,
                     token_show(token, shown));
    else
        fiacre_error(parser, token->place, "expected %s%s%s after %s, found %s", quote,
                     token_kind_show(&fiacre_lexis, kind), quote, after, token_show(token, shown));
    return false;
}

bool fiacre_expect_close(struct fiacre_parser *parser, unsigned kind, const char *choices,
                         const char *what, struct place opened)
{
    if (fiacre_accept(parser, kind)) return true;
    if (parser->panic) return false;
    const struct token *token = fiacre_peek(parser, 0);
    char shown[48];
    fiacre_error(parser, token->place, "expected %s%s'%s' in %s, found %s", choices ? choices : "",
                 choices ? " or " : "", token_kind_show(&fiacre_lexis, kind), what,
                 token_show(token, shown));
    if (opened.line != token->place.line) diag_note(parser->diag, opened, "opened here");
    return false;
}

bool fiacre_is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

bool fiacre_accept_word(struct fiacre_parser *parser, const char *word)
{
    return fiacre_is_word(fiacre_peek(parser, 0), word) && fiacre_accept(parser, TOKEN_NAME);
}

const char *fiacre_expect_name(struct fiacre_parser *parser, const char *after)
{
    const char *name = fiacre_peek(parser, 0)->text;
    return fiacre_expect(parser, TOKEN_NAME, after) ? name : "?";
}

struct fiacre_name *fiacre_parse_names(struct fiacre_parser *parser, const char *after)
{
    struct fiacre_name *first = NULL, **last = &first;
    do {
        *last = arena_alloc(parser->arena, sizeof **last);
        (*last)->place = fiacre_here(parser);
        (*last)->name = fiacre_expect_name(parser, last == &first ? after : "','");
        last = &(*last)->next;
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    return first;
}

const char *fiacre_suggest(const struct token *token, const uint16_t *kinds, unsigned count)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    if (token->kind == TOKEN_NAME)
        for (unsigned i = 0; i < count; i++)
            text_nearest(token->text, token_kind_show(&fiacre_lexis, kinds[i]), &nearest,
                         &distance);
    return nearest;
}

static const uint16_t declaration_words[] = {
    FIACRE_WORD_TYPE,      FIACRE_WORD_CHANNEL,  FIACRE_WORD_CONST,
    FIACRE_WORD_FUNCTION,  FIACRE_WORD_EXTERN,   FIACRE_WORD_PROCESS,
    FIACRE_WORD_COMPONENT, FIACRE_WORD_PROPERTY, FIACRE_WORD_ASSERT};

bool fiacre_is_declaration_word(const struct token *token)
{
    for (size_t i = 0; i < sizeof declaration_words / sizeof *declaration_words; i++)
        if (declaration_words[i] == token->kind) return true;
    return false;
}

/* What follows a name, or name > name. */
static const struct token *after_name(const struct token *token)
{
    return token[1].kind == TOKEN_GT && token[2].kind == TOKEN_NAME ? token + 3 : token + 1;
}

/* A name, or name > name, and then the end of the file, another declaration, or the same again on
 * the next line. Three lines are enough to see. */
bool fiacre_begins_declaration(const struct token *token)
{
    for (unsigned i = 0; i < 3 && token->kind == TOKEN_NAME; i++) {
        const struct token *next = after_name(token);
        if (next->kind == TOKEN_END) return true;
        if (next->place.line == next[-1].place.line) return fiacre_is_declaration_word(next);
        token = next;
    }
    return token->kind == TOKEN_NAME || fiacre_is_declaration_word(token);
}

bool fiacre_is_root(const struct fiacre_parser *parser, const struct token *token)
{
    return token > parser->tokens && token[-1].place.line != token->place.line
           && fiacre_begins_declaration(token);
}

bool fiacre_enter(struct fiacre_parser *parser)
{
    if (++parser->nesting <= FIACRE_MAX_NESTING) return true;
    fiacre_error(
        parser, fiacre_here(parser),
        "this is nested too deeply: more than %d levels of brackets, operators and statements",
        FIACRE_MAX_NESTING);
    return false;
}

void fiacre_leave(struct fiacre_parser *parser)
{
    assert(parser->nesting); /* every fiacre_enter has one fiacre_leave */
    parser->nesting--;
}

/* ---- types ---- */

/* Constructors of a union or fields of a record, up to `end`. */
static struct fiacre_member *parse_members(struct fiacre_parser *parser, bool is_union)
{
    struct fiacre_member *first = NULL, **last = &first;
    unsigned separator = is_union ? TOKEN_BAR : TOKEN_COMMA;
    do {
        struct fiacre_member **group = last;
        struct fiacre_type *type = NULL;
        for (struct fiacre_name *name =
                 fiacre_parse_names(parser, is_union ? "'union' or '|'" : "'record' or ','");
             name; name = name->next) {
            *last = arena_alloc(parser->arena, sizeof **last);
            (*last)->name = name->name;
            (*last)->place = name->place;
            last = &(*last)->next;
        }
        if (!is_union) fiacre_expect(parser, TOKEN_COLON, "the field's name");
        if (!is_union || fiacre_accept(parser, FIACRE_WORD_OF)) type = fiacre_parse_type(parser);
        for (struct fiacre_member *member = *group; member; member = member->next)
            member->type = type;
    } while (!parser->panic && fiacre_accept(parser, separator));
    return first;
}

static void parse_compound(struct fiacre_parser *parser, struct fiacre_type *type)
{
    bool is_union = fiacre_at(parser, FIACRE_WORD_UNION);
    type->kind = is_union ? FIACRE_TYPE_UNION : FIACRE_TYPE_RECORD;
    parser->at++;
    type->members = parse_members(parser, is_union);
    if (fiacre_expect_close(parser, FIACRE_WORD_END, is_union ? "'|', 'of'" : "','",
                            is_union ? "the 'union'" : "the 'record'", type->place))
        fiacre_accept(parser, is_union ? FIACRE_WORD_UNION : FIACRE_WORD_RECORD);
}

static void parse_sequence_type(struct fiacre_parser *parser, struct fiacre_type *type)
{
    bool is_array = fiacre_at(parser, FIACRE_WORD_ARRAY);
    type->kind = is_array ? FIACRE_TYPE_ARRAY : FIACRE_TYPE_QUEUE;
    parser->at++;
    type->low = fiacre_parse_arithmetic(parser);
    fiacre_expect(parser, FIACRE_WORD_OF,
                  is_array ? "the size of the array" : "the size of the queue");
    type->of = fiacre_parse_type(parser);
}

/* low .. high, or the name of a type. */
static void parse_range(struct fiacre_parser *parser, struct fiacre_type *type)
{
    type->low = fiacre_parse_arithmetic(parser);
    if (fiacre_accept(parser, TOKEN_RANGE)) {
        type->kind = FIACRE_TYPE_RANGE;
        type->high = fiacre_parse_arithmetic(parser);
    } else if (type->low->kind == FIACRE_EXP_NAME) {
        type->kind = FIACRE_TYPE_NAME;
        type->name = type->low->name;
        type->low = NULL;
    } else {
        fiacre_error_expected(parser, "'..' and the end of the range");
    }
}

static void parse_type_inside(struct fiacre_parser *parser, struct fiacre_type *type)
{
    static const uint16_t words[] = {FIACRE_WORD_BOOL, FIACRE_WORD_NAT, FIACRE_WORD_INT};
    for (unsigned i = 0; i < 3; i++)
        if (fiacre_accept(parser, words[i])) {
            type->kind = (uint8_t)(FIACRE_TYPE_BOOL + i);
            return;
        }
    const struct token *token = fiacre_peek(parser, 0);
    switch (token->kind) {
    case FIACRE_WORD_UNION:
    case FIACRE_WORD_RECORD: parse_compound(parser, type); return;
    case FIACRE_WORD_ARRAY:
    case FIACRE_WORD_QUEUE: parse_sequence_type(parser, type); return;
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_MINUS:
    case TOKEN_PLUS:
    case TOKEN_OPEN: parse_range(parser, type); return;
    default: fiacre_error_expected(parser, "a type");
    }
}

struct fiacre_type *fiacre_parse_type(struct fiacre_parser *parser)
{
    struct fiacre_type *type = arena_alloc(parser->arena, sizeof *type);
    enum fiacre_juxtaposition outer = parser->juxtaposition;
    type->place = fiacre_here(parser);
    parser->juxtaposition = FIACRE_JUXTAPOSE_NEVER;
    if (fiacre_enter(parser)) parse_type_inside(parser, type);
    fiacre_leave(parser);
    parser->juxtaposition = outer;
    return type;
}

/* T, T, ... or T # T ... */
static struct fiacre_type *parse_types(struct fiacre_parser *parser, unsigned separator)
{
    struct fiacre_type *first = NULL, **last = &first;
    do {
        *last = fiacre_parse_type(parser);
        last = &(*last)->next;
    } while (!parser->panic && fiacre_accept(parser, separator));
    return first;
}

struct fiacre_channel *fiacre_parse_channel(struct fiacre_parser *parser)
{
    struct fiacre_channel *channel = arena_alloc(parser->arena, sizeof *channel);
    channel->place = fiacre_here(parser);
    channel->plain =
        fiacre_accept(parser, FIACRE_WORD_NONE) || fiacre_accept(parser, FIACRE_WORD_SYNC);
    if (!channel->plain) channel->types = parse_types(parser, TOKEN_HASH);
    return channel;
}

/* ---- functions ---- */

static struct fiacre_function *parse_function(struct fiacre_parser *parser)
{
    struct fiacre_function *function = arena_alloc(parser->arena, sizeof *function);
    function->parameters = fiacre_parse_parameters(parser, false);
    fiacre_expect(parser, TOKEN_COLON, "the parameters");
    function->result = fiacre_parse_type(parser);
    fiacre_expect(parser, FIACRE_WORD_IS, "the type of the result");
    if (fiacre_accept(parser, FIACRE_WORD_VAR))
        function->variables = fiacre_parse_variables(parser);
    struct place opened = fiacre_here(parser);
    bool one = fiacre_at(parser, FIACRE_WORD_RETURN);
    if (!one && !fiacre_accept(parser, FIACRE_WORD_BEGIN)) {
        fiacre_error_expected(parser, "'var', 'begin' or 'return'");
        return function;
    }
    parser->in_function = true;
    function->body = fiacre_parse_stmts(parser);
    parser->in_function = false;
    if (!one) fiacre_expect_close(parser, FIACRE_WORD_END, "';'", "the function", opened);
    return function;
}

static struct fiacre_function *parse_extern(struct fiacre_parser *parser)
{
    struct fiacre_function *function = arena_alloc(parser->arena, sizeof *function);
    struct place opened = fiacre_here(parser);
    fiacre_expect(parser, TOKEN_OPEN, "the name");
    if (!fiacre_accept(parser, TOKEN_CLOSE)) {
        function->arguments = parse_types(parser, TOKEN_COMMA);
        fiacre_expect_close(parser, TOKEN_CLOSE, "','", "the types of the arguments", opened);
    }
    fiacre_expect(parser, TOKEN_COLON, "the types of the arguments");
    function->result = fiacre_parse_type(parser);
    fiacre_expect(parser, FIACRE_WORD_IS, "the type of the result");
    const struct token *foreign = fiacre_peek(parser, 0);
    function->foreign = foreign->text;
    function->foreign_place = foreign->place;
    if (!fiacre_accept(parser, TOKEN_STRING)) fiacre_expect_name(parser, "'is'");
    return function;
}

/* ---- declarations ---- */

/* `-true "text"`, with or without the dash: frac's manual and its grammar differ. */
static void parse_assert(struct fiacre_parser *parser, struct fiacre_decl *decl)
{
    for (;;) {
        const struct token *token = fiacre_peek(parser, 0);
        if (token->kind == TOKEN_MINUS) token++;
        if (token->kind != FIACRE_WORD_TRUE && token->kind != FIACRE_WORD_FALSE) break;
        parser->at = (uint32_t)(token + 1 - parser->tokens);
        const char **text = token->kind == FIACRE_WORD_TRUE ? &decl->when_true : &decl->when_false;
        *text = fiacre_peek(parser, 0)->text;
        if (!fiacre_expect(parser, TOKEN_STRING,
                           token->kind == FIACRE_WORD_TRUE ? "'true'" : "'false'"))
            return;
    }
}

static void parse_property_declaration(struct fiacre_parser *parser, struct fiacre_decl *decl)
{
    decl->property = arena_alloc(parser->arena, sizeof *decl->property);
    decl->property->name = decl->name;
    decl->property->place = decl->name_place;
    decl->property->kind = PROPERTY_LTL;
    fiacre_expect(parser, FIACRE_WORD_IS, "the property's name");
    if (!parser->panic) fiacre_parse_property(parser, true, decl->property);
}

/* The name of what is declared. Properties may be called `read` and `write`. */
static void parse_declared_name(struct fiacre_parser *parser, struct fiacre_decl *decl,
                                const char *after)
{
    const struct token *token = fiacre_peek(parser, 0);
    bool property = decl->kind == FIACRE_DECL_PROPERTY || decl->kind == FIACRE_DECL_ASSERT;
    decl->name_place = token->place;
    decl->name = token->text;
    if (property
        && (fiacre_accept(parser, FIACRE_WORD_READ) || fiacre_accept(parser, FIACRE_WORD_WRITE)))
        return;
    decl->name = fiacre_expect_name(parser, after);
}

static void parse_keyword_declaration(struct fiacre_parser *parser, struct fiacre_decl *decl)
{
    switch ((enum fiacre_decl_kind)decl->kind) {
    case FIACRE_DECL_TYPE:
        fiacre_expect(parser, FIACRE_WORD_IS, "the name of the type");
        decl->type = fiacre_parse_type(parser);
        break;
    case FIACRE_DECL_CHANNEL:
        fiacre_expect(parser, FIACRE_WORD_IS, "the name of the channel");
        decl->channel = fiacre_parse_channel(parser);
        break;
    case FIACRE_DECL_CONST:
        fiacre_expect(parser, TOKEN_COLON, "the name of the constant");
        decl->type = fiacre_parse_type(parser);
        fiacre_expect(parser, FIACRE_WORD_IS, "the type of the constant");
        decl->exp = fiacre_parse_exp(parser);
        break;
    case FIACRE_DECL_FUNCTION: decl->function = parse_function(parser); break;
    case FIACRE_DECL_EXTERN: decl->function = parse_extern(parser); break;
    case FIACRE_DECL_PROCESS: decl->process = fiacre_parse_process(parser); break;
    case FIACRE_DECL_COMPONENT: decl->component = fiacre_parse_component(parser); break;
    case FIACRE_DECL_PROPERTY: parse_property_declaration(parser, decl); break;
    case FIACRE_DECL_ASSERT: parse_assert(parser, decl); break;
    case FIACRE_DECL_OBSERVER:
    case FIACRE_DECL_ROOT: break; /* no keyword */
    }
}

/* A name: of the main component, or of an observer. */
static void parse_name_declaration(struct fiacre_parser *parser, struct fiacre_decl *decl)
{
    const struct token *token = fiacre_peek(parser, 0);
    if (!fiacre_begins_declaration(token)) {
        fiacre_error_expected_word(parser, "a declaration or the name of the main component",
                                   declaration_words,
                                   sizeof declaration_words / sizeof *declaration_words);
        parser->at++; /* or the same name would be met again */
        return;
    }
    decl->kind = FIACRE_DECL_ROOT;
    decl->name = token->text;
    decl->name_place = token->place;
    parser->at++;
    if (!fiacre_accept(parser, TOKEN_GT)) return;
    decl->kind = FIACRE_DECL_OBSERVER;
    decl->other_place = fiacre_here(parser);
    decl->other = fiacre_expect_name(parser, "'>'");
}

static int declaration_kind(unsigned word)
{
    static const struct {
        uint8_t word, kind;
    } kinds[] = {{FIACRE_WORD_TYPE, FIACRE_DECL_TYPE},
                 {FIACRE_WORD_CHANNEL, FIACRE_DECL_CHANNEL},
                 {FIACRE_WORD_CONST, FIACRE_DECL_CONST},
                 {FIACRE_WORD_FUNCTION, FIACRE_DECL_FUNCTION},
                 {FIACRE_WORD_EXTERN, FIACRE_DECL_EXTERN},
                 {FIACRE_WORD_PROCESS, FIACRE_DECL_PROCESS},
                 {FIACRE_WORD_COMPONENT, FIACRE_DECL_COMPONENT},
                 {FIACRE_WORD_PROPERTY, FIACRE_DECL_PROPERTY},
                 {FIACRE_WORD_ASSERT, FIACRE_DECL_ASSERT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].word == word) return kinds[i].kind;
    return -1;
}

static struct fiacre_decl *parse_declaration(struct fiacre_parser *parser)
{
    struct fiacre_decl *decl = arena_alloc(parser->arena, sizeof *decl);
    const struct token *token = fiacre_peek(parser, 0);
    int kind = declaration_kind(token->kind);
    char shown[48];
    decl->place = token->place;
    if (kind >= 0) {
        decl->kind = (uint8_t)kind;
        parser->at++;
        parse_declared_name(parser, decl, token_show(token, shown));
        if (!parser->panic) parse_keyword_declaration(parser, decl);
    } else if (token->kind == TOKEN_NAME) {
        parse_name_declaration(parser, decl);
    } else {
        fiacre_error_expected(parser, "a declaration (type, channel, const, function, extern, "
                                      "process, component, property or assert)");
        parser->at++;
    }
    return decl;
}

/* Back to a state between declarations: after an error, at the next keyword that begins one. A name
 * would be a bad place: it may be anything. */
static void end_declaration(struct fiacre_parser *parser)
{
    if (parser->panic)
        while (!fiacre_at(parser, TOKEN_END) && !fiacre_is_declaration_word(fiacre_peek(parser, 0)))
            parser->at++;
    parser->panic = parser->in_function = false;
}

static void parse_file(struct fiacre_parser *parser, struct fiacre_file *file)
{
    struct fiacre_decl **last = &file->decls;
    while (!fiacre_at(parser, TOKEN_END)) {
        *last = parse_declaration(parser);
        (*last)->end = token_behind(&parser->tokens[parser->at - 1]);
        if (!parser->panic && (*last)->kind == FIACRE_DECL_ROOT) file->root = *last;
        last = &(*last)->next;
        end_declaration(parser);
    }
}

/* ---- entries ---- */

static struct fiacre_parser start(struct diag *diag, struct names *names, struct arena *arena,
                                  struct mem *mem, struct tokens *tokens)
{
    assert(tokens->list.data[tokens->list.len - 1].kind == TOKEN_END);
    return (struct fiacre_parser){.diag = diag,
                                  .names = names,
                                  .arena = arena,
                                  .mem = mem,
                                  .tokens = tokens->list.data,
                                  .labels = tokens->labels.data,
                                  .label_count = tokens->labels.len};
}

bool fiacre_parse(struct diag *diag, struct names *names, struct arena *arena, struct mem *mem,
                  uint32_t source, struct language_define *defines, uint32_t define_count,
                  struct fiacre_file *file)
{
    uint32_t errors = diag->errors;
    struct tokens tokens = {0};
    memset(file, 0, sizeof *file);
    bool good = preprocess_run(diag, names, &fiacre_lexis, source, defines, define_count, &tokens);
    struct fiacre_parser parser = start(diag, names, arena, mem, &tokens);
    if (tokens.list.len == 1 && diag->errors == errors)
        diag_error(diag, DIAG_MISSING, (struct place){.source = source},
                   "the file is empty: a model needs at least a process");
    if (tokens.list.len > 1) file->last = tokens.list.data[tokens.list.len - 2].place;
    if (good) parse_file(&parser, file);
    lexer_free(diag->mem, &tokens);
    return diag->errors == errors;
}

bool fiacre_parse_expression_source(struct diag *diag, struct names *names, struct arena *arena,
                                    struct mem *mem, uint32_t source, enum property_kind kind,
                                    struct fiacre_property *property)
{
    uint32_t errors = diag->errors;
    struct tokens tokens = {0};
    lexer_run(diag, names, &fiacre_lexis, source, &tokens);
    tokens.list.data[tokens.list.len - 1].text = "the end of the formula";
    struct fiacre_parser parser = start(diag, names, arena, mem, &tokens);
    *property = (struct fiacre_property){.kind = kind, .place = fiacre_here(&parser)};
    if (fiacre_at(&parser, TOKEN_NAME) && fiacre_peek(&parser, 1)->kind == TOKEN_COLON) {
        property->name = fiacre_peek(&parser, 0)->text;
        parser.at += 2;
    }
    fiacre_parse_property(&parser, false, property);
    fiacre_accept(&parser, TOKEN_SEMICOLON);
    if (!fiacre_at(&parser, TOKEN_END))
        fiacre_error_expected(&parser, "an operator or the end of the formula");
    lexer_free(diag->mem, &tokens);
    return diag->errors == errors;
}
