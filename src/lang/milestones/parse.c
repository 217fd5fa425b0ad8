/* The structure of a Milestones file: sections, declarations, commands. Recovery from an error
 * skips to the next item or section, so that one run tells several errors. */
#include "lang/milestones/parser.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* Of two equally good suggestions the first is made: the usual form comes first. */
const char *const milestones_keywords[] = {
    "ACTIONS", "ACTION",    "VARIABLES", "VARIABLE",   "LOCAL",     "END", "MAIN",
    "GLOBAL",  "PROC",      "CASE",      "SYNC",       "CTL",       "LTL", "CONST",
    "CONSTS",  "LOCATIONS", "LOCATION",  "INVARIANTS", "INVARIANT", NULL};

bool parser_is_keyword(const struct token *token)
{
    if (token->kind != TOKEN_NAME || token->text[0] < 'A' || token->text[0] > 'Z') return false;
    for (size_t i = 0; milestones_keywords[i]; i++)
        if (!strcmp(milestones_keywords[i], token->text)) return true;
    return false;
}

void parser_error(struct parser *parser, struct place place, const char *format, ...)
{
    if (parser->panic) return;
    parser->panic = true;
    va_list args;
    va_start(args, format);
    diag_error_args(parser->diag, DIAG_SYNTAX, place, format, args);
    va_end(args);
}

bool parser_accept(struct parser *parser, enum token_kind kind)
{
    if (parser->tokens[parser->at].kind != kind) return false;
    if (kind != TOKEN_END) parser->at++; /* which is never passed */
    return true;
}

bool parser_expect(struct parser *parser, enum token_kind kind, const char *after)
{
    const struct token *token = parser_peek(parser, 0);
    if (token->kind == kind && !(kind == TOKEN_NAME && parser_is_keyword(token)))
        return parser_accept(parser, kind);
    char shown[48];
    const char *quote = kind == TOKEN_NAME || kind == TOKEN_NUMBER ? "" : "'";
    parser_error(parser, token->place, "expected %s%s%s after %s, found %s", quote,
                 token_kind_show(&lexer_plain, kind), quote, after, token_show(token, shown));
    return false;
}

static bool at_word(const struct parser *parser, const char *word)
{
    const struct token *token = parser_peek(parser, 0);
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

static bool accept_word(struct parser *parser, const char *word)
{
    if (!at_word(parser, word)) return false;
    parser->at++;
    return true;
}

static bool at_end_of_list(const struct parser *parser)
{
    const struct token *token = parser_peek(parser, 0);
    return token->kind == TOKEN_END || parser_is_keyword(token);
}

static bool accept_separator(struct parser *parser)
{
    return parser_accept(parser, TOKEN_SEMICOLON) || parser_accept(parser, TOKEN_COMMA);
}

/* Ends an item: its separators are eaten; after an error, so is everything up to the next separator
 * or keyword. */
static void end_item(struct parser *parser)
{
    if (parser->panic)
        while (!at_end_of_list(parser) && parser_peek(parser, 0)->kind != TOKEN_SEMICOLON)
            parser->at++;
    parser->panic = false;
    while (accept_separator(parser)) continue;
}

static void expect_end(struct parser *parser, const char *section, struct place opened)
{
    if (accept_word(parser, "END")) return;
    const struct token *token = parser_peek(parser, 0);
    char shown[48];
    parser_error(parser, token->place, "expected END of the %s section, found %s", section,
                 token_show(token, shown));
    diag_note(parser->diag, opened, "the section begins here");
    parser->panic = false;
}

static struct place here(const struct parser *parser) { return parser_peek(parser, 0)->place; }

/* The text of tokens from .. parser->at, with white space folded. */
static const char *source_text(struct parser *parser, uint32_t from)
{
    const struct source *source = &parser->diag->sources.data[parser->tokens[from].place.source];
    struct text text;
    text_init(&text, parser->file->mem);
    for (uint32_t i = from; i < parser->at; i++) {
        const struct token *token = &parser->tokens[i];
        bool gap = i > from && token->start > parser->tokens[i - 1].end;
        text_add(&text, "%s%.*s", gap ? " " : "", (int)(token->end - token->start),
                 source->text + token->start);
    }
    const char *copy = arena_copy(parser->arena, text.data ? text.data : "", text.len);
    text_free(&text);
    return copy;
}

/* ---- lists ---- */

static void parse_names(struct parser *parser, const char *section, struct ast_name **data,
                        uint32_t *len, uint32_t *cap)
{
    struct place opened = here(parser);
    parser->at++;
    while (!at_end_of_list(parser)) {
        const struct token *token = parser_peek(parser, 0);
        struct ast_name item = {.name = token->text, .place = token->place};
        uint32_t from = parser->at;
        if (parser_expect(parser, TOKEN_NAME, "the separator")) {
            if (parser_accept(parser, TOKEN_ASSIGN)) item.value = parse_arithmetic(parser);
            item.text = source_text(parser, from);
            *data = mem_vec_reserve(parser->file->mem, *data, *len, cap, 1, sizeof **data);
            (*data)[(*len)++] = item;
        }
        end_item(parser);
    }
    expect_end(parser, section, opened);
}
#define PARSE_NAMES(parser, section, vec)                                                          \
    parse_names((parser), (section), &(vec)->data, &(vec)->len, &(vec)->cap)

static void parse_constants(struct parser *parser)
{
    parser->at++;
    while (!at_end_of_list(parser)) {
        const struct token *token = parser_peek(parser, 0);
        struct ast_name item = {.name = token->text, .place = token->place};
        uint32_t from = parser->at;
        if (parser_expect(parser, TOKEN_NAME, "CONST")) {
            if (!parser_accept(parser, TOKEN_ASSIGN))
                parser_expect(parser, TOKEN_EQ, "the name of the constant");
            item.value = parse_arithmetic(parser);
            item.text = source_text(parser, from);
            vec_push(parser->file->mem, &parser->file->constants, item);
        }
        end_item(parser);
    }
    accept_word(parser, "END");
}

/* `hidden x : 3` and `HIDDEN x : 3`. The word is free as a name: `hidden : 3` is a variable. */
static bool at_hidden(const struct parser *parser)
{
    return at_word(parser, "hidden") || at_word(parser, "HIDDEN");
}

static void misplaced_hidden(struct parser *parser, const struct token *mark)
{
    parser_error(parser, mark->place,
                 "the mark '%s' stands before the name of a variable: '%s x : 3;'", mark->text,
                 mark->text);
}

/* Eats the mark, if there is one. */
static bool accept_hidden(struct parser *parser)
{
    const struct token *mark = parser_peek(parser, 0), *next = parser_peek(parser, 1);
    if (!at_hidden(parser) || next->kind == TOKEN_COLON) return false;
    if (next->kind != TOKEN_NAME || parser_is_keyword(next)) misplaced_hidden(parser, mark);
    parser->at++;
    return true;
}

static void parse_variables(struct parser *parser, struct ast_variable **data, uint32_t *len,
                            uint32_t *cap)
{
    struct place opened = here(parser);
    parser->at++;
    while (!at_end_of_list(parser)) {
        bool is_hidden = accept_hidden(parser);
        const struct token *token = parser_peek(parser, 0);
        struct ast_variable item = {
            .name = token->text, .place = token->place, .is_hidden = is_hidden};
        uint32_t from = parser->at;
        if (!parser->panic && parser_expect(parser, TOKEN_NAME, "the variable before")
            && parser_expect(parser, TOKEN_COLON, "the variable's name")) {
            if (at_hidden(parser)
                && (parser_peek(parser, 1)->kind == TOKEN_NUMBER
                    || parser_peek(parser, 1)->kind == TOKEN_OPEN))
                misplaced_hidden(parser, parser_peek(parser, 0));
            item.width = parse_arithmetic(parser);
            parser_accept(parser, TOKEN_COLON);
            if (parser_accept(parser, TOKEN_ASSIGN)) item.init = parse_arithmetic(parser);
            else if (parser_peek(parser, 0)->kind == TOKEN_EQ)
                parser_error(parser, here(parser), "an initial value is given with ':='");
            item.text = source_text(parser, from);
            *data = mem_vec_reserve(parser->file->mem, *data, *len, cap, 1, sizeof **data);
            (*data)[(*len)++] = item;
        }
        end_item(parser);
    }
    expect_end(parser, "VARIABLES", opened);
}
#define PARSE_VARIABLES(parser, vec)                                                               \
    parse_variables((parser), &(vec)->data, &(vec)->len, &(vec)->cap)

/* ---- commands ---- */

/* After an error: to the next command or the end of the section. */
static void recover_command(struct parser *parser)
{
    if (!parser->panic) return;
    parser->panic = false;
    for (; !at_end_of_list(parser); parser->at++) {
        enum token_kind before = parser->at ? parser->tokens[parser->at - 1].kind : TOKEN_END;
        if (parser_peek(parser, 0)->kind == TOKEN_OPEN_SQUARE
            && (before == TOKEN_SEMICOLON || before == TOKEN_COLON))
            return;
        if (parser_peek(parser, 0)->kind == TOKEN_OPEN_SQUARE
            && here(parser).line != parser->tokens[parser->at - 1].place.line)
            return;
    }
}

static void parse_stores(struct parser *parser, struct ast_command *command)
{
    while (parser_peek(parser, 0)->kind == TOKEN_NAME && !at_end_of_list(parser)
           && !parser->panic) {
        struct ast_store store = {.target = parse_arithmetic(parser)};
        if (parser->panic) return;
        if (store.target->kind != AST_NAME && store.target->kind != AST_MEMBER) {
            parser_error(parser, store.target->place, "only a variable can be assigned");
            return;
        }
        if (parser_peek(parser, 0)->kind == TOKEN_EQ) {
            parser_error(parser, here(parser), "an assignment is written with ':='");
            return;
        }
        if (!parser_expect(parser, TOKEN_ASSIGN, "the assigned variable")) return;
        store.value = parse_expression(parser);
        vec_push(parser->file->mem, &command->stores, store);
        while (accept_separator(parser)) continue;
    }
}

static void parse_action_bracket(struct parser *parser, struct ast_command *command)
{
    const struct token *token = parser_peek(parser, 0);
    command->action = token->text;
    command->action_place = token->place;
    if (parser_expect(parser, TOKEN_NAME, "'['"))
        parser_expect(parser, TOKEN_CLOSE_SQUARE, "the action");
}

static void parse_command(struct parser *parser, struct ast_command *command, bool is_local)
{
    command->place = here(parser);
    if (!parser_expect(parser, TOKEN_OPEN_SQUARE, "the command before")) return;
    struct parser start = *parser;
    bool two_brackets = false;
    const struct token *first = parser_peek(parser, 0);
    for (const struct token *token = first; token->kind != TOKEN_END && token - first < 4096;
         token++)
        if (token->kind == TOKEN_CLOSE_SQUARE) {
            two_brackets = token[1].kind == TOKEN_OPEN_SQUARE;
            break;
        }
    if (is_local && two_brackets) {
        command->location = parse_arithmetic(parser);
        parser_expect(parser, TOKEN_CLOSE_SQUARE, "the location");
        parser_expect(parser, TOKEN_OPEN_SQUARE, "the location");
    } else {
        *parser = start;
    }
    if (!parser->panic) parse_action_bracket(parser, command);
    if (!parser->panic && parser_peek(parser, 0)->kind != TOKEN_COLON)
        command->guard = parse_expression(parser);
    if (!parser->panic && parser_peek(parser, 0)->kind == TOKEN_OPEN_SQUARE)
        parser_error(parser, here(parser),
                     "expected ':' after the condition, found '[': variables have no elements, "
                     "processes of which there are several do, as in p[i].x");
    if (!parser->panic) parser_expect(parser, TOKEN_COLON, "the condition");
    while (!parser->panic && accept_separator(parser)) continue;
    if (!parser->panic) parse_stores(parser, command);
}

static void parse_commands(struct parser *parser, bool is_local, struct ast_command **data,
                           uint32_t *len, uint32_t *cap)
{
    struct place opened = here(parser);
    parser->at++;
    while (!at_end_of_list(parser)) {
        struct ast_command command = {0};
        parse_command(parser, &command, is_local);
        if (!parser->panic) {
            *data = mem_vec_reserve(parser->file->mem, *data, *len, cap, 1, sizeof **data);
            (*data)[(*len)++] = command;
        }
        recover_command(parser);
    }
    expect_end(parser, "CASE", opened);
}
#define PARSE_COMMANDS(parser, is_local, vec)                                                      \
    parse_commands((parser), (is_local), &(vec)->data, &(vec)->len, &(vec)->cap)

/* ---- sections ---- */

/* Tells what was expected, with a suggestion, and skips to the next keyword. */
static void reject_section(struct parser *parser, const char *expected)
{
    const struct token *token = parser_peek(parser, 0);
    const char *nearest = NULL;
    unsigned distance = 0;
    char shown[48];
    if (token->kind == TOKEN_NAME)
        for (size_t i = 0; milestones_keywords[i]; i++)
            text_nearest(token->text, milestones_keywords[i], &nearest, &distance);
    if (at_hidden(parser))
        parser_error(parser, token->place,
                     "expected %s, found %s: the mark '%s' stands in VARIABLES, before a name",
                     expected, token_show(token, shown), token->text);
    else if (nearest && distance) {
        if (!parser->panic) diag_suggest(parser->diag, nearest);
        parser_error(parser, token->place, "expected %s, found %s: did you mean %s?", expected,
                     token_show(token, shown), nearest);
    } else
        parser_error(parser, token->place, "expected %s, found %s", expected,
                     token_show(token, shown));
    parser->panic = false;
    do parser->at++;
    while (parser->tokens[parser->at].kind != TOKEN_END
           && !parser_is_keyword(parser_peek(parser, 0)));
}

static void parse_type(struct parser *parser)
{
    struct place opened = here(parser);
    parser->at++;
    const struct token *name = parser_peek(parser, 0);
    struct ast_type type = {.name = name->text, .place = name->place, .start = opened};
    if (!parser_expect(parser, TOKEN_NAME, "LOCAL")) type.name = "?";
    parser->panic = false;
    while (parser_peek(parser, 0)->kind != TOKEN_END && !at_word(parser, "END")) {
        if (at_word(parser, "LOCATION") || at_word(parser, "LOCATIONS"))
            PARSE_NAMES(parser, "LOCATIONS", &type.locations);
        else if (at_word(parser, "ACTION") || at_word(parser, "ACTIONS"))
            PARSE_NAMES(parser, "ACTIONS", &type.actions);
        else if (at_word(parser, "VARIABLE") || at_word(parser, "VARIABLES"))
            PARSE_VARIABLES(parser, &type.variables);
        else if (at_word(parser, "CASE")) PARSE_COMMANDS(parser, true, &type.commands);
        else if (at_word(parser, "SYNC")) PARSE_NAMES(parser, "SYNC", &type.sync);
        else if (at_word(parser, "FINAL")) /* elsewhere it is a name like any other */
            PARSE_NAMES(parser, "FINAL", &type.finals);
        else if (at_word(parser, "LOCAL") || at_word(parser, "MAIN") || at_word(parser, "GLOBAL"))
            break;
        else reject_section(parser, "LOCATIONS, ACTIONS, VARIABLES, CASE, SYNC, FINAL or END");
    }
    expect_end(parser, "LOCAL", opened);
    type.end = token_behind(&parser->tokens[parser->at ? parser->at - 1 : 0]);
    vec_push(parser->file->mem, &parser->file->types, type);
}

static void parse_instances(struct parser *parser)
{
    struct place opened = here(parser);
    parser->at++;
    while (!at_end_of_list(parser)) {
        const struct token *token = parser_peek(parser, 0);
        struct ast_instance item = {.name = token->text, .place = token->place};
        uint32_t from = parser->at;
        if (parser_expect(parser, TOKEN_NAME, "the process before")) {
            if (!parser_accept(parser, TOKEN_ASSIGN))
                parser_expect(parser, TOKEN_COLON, "the name of the process");
            token = parser_peek(parser, 0);
            item.type = token->text;
            item.type_place = token->place;
            if (!parser->panic && parser_expect(parser, TOKEN_NAME, "':'")
                && parser_accept(parser, TOKEN_OPEN_SQUARE)) {
                item.count = parse_arithmetic(parser);
                parser_expect(parser, TOKEN_CLOSE_SQUARE, "the number of processes");
            }
            item.text = source_text(parser, from);
            if (!parser->panic) vec_push(parser->file->mem, &parser->file->instances, item);
        }
        end_item(parser);
    }
    expect_end(parser, "PROC", opened);
}

static void parse_main(struct parser *parser)
{
    struct place opened = here(parser);
    if (parser->file->has_main) {
        parser_error(parser, opened, "a second MAIN section");
        parser->panic = false;
    }
    parser->file->has_main = true;
    parser->at++;
    while (parser_peek(parser, 0)->kind != TOKEN_END && !at_word(parser, "END")) {
        if (at_word(parser, "PROC")) parse_instances(parser);
        else if (at_word(parser, "CASE")) PARSE_COMMANDS(parser, false, &parser->file->commands);
        else if (at_word(parser, "LOCAL") || at_word(parser, "CTL") || at_word(parser, "LTL"))
            break;
        else reject_section(parser, "PROC, CASE or END");
    }
    expect_end(parser, "MAIN", opened);
}

static void parse_property(struct parser *parser, enum property_kind kind,
                           struct ast_property *property)
{
    *property = (struct ast_property){.kind = kind};
    const struct token *token = parser_peek(parser, 0);
    if (token->kind == TOKEN_NAME && token[1].kind == TOKEN_COLON) {
        property->name = token->text;
        property->name_place = token->place;
        parser->at += 2;
    }
    uint32_t from = parser->at;
    property->place = here(parser);
    parser->temporal = true; /* also in an invariant, to say that it has no place there */
    property->root = parse_expression(parser);
    parser->temporal = false;
    property->text = source_text(parser, from);
    property->end = token_behind(&parser->tokens[parser->at ? parser->at - 1 : 0]);
}

static void parse_properties(struct parser *parser, enum property_kind kind, const char *section)
{
    struct place opened = here(parser);
    parser->at++;
    while (!at_end_of_list(parser)) {
        struct ast_property property;
        parse_property(parser, kind, &property);
        if (!parser->panic) vec_push(parser->file->mem, &parser->file->properties, property);
        if (!parser->panic && !at_end_of_list(parser) && !accept_separator(parser)) {
            char shown[48];
            parser_error(parser, here(parser),
                         "expected ';' or an operator after the property, found %s",
                         token_show(parser_peek(parser, 0), shown));
        }
        end_item(parser);
    }
    expect_end(parser, section, opened);
}

static void parse_file(struct parser *parser)
{
    while (parser_peek(parser, 0)->kind != TOKEN_END) {
        if (at_word(parser, "CONST") || at_word(parser, "CONSTS")) parse_constants(parser);
        else if (at_word(parser, "ACTION") || at_word(parser, "ACTIONS"))
            PARSE_NAMES(parser, "ACTIONS", &parser->file->actions);
        else if (at_word(parser, "VARIABLE") || at_word(parser, "VARIABLES"))
            PARSE_VARIABLES(parser, &parser->file->variables);
        else if (at_word(parser, "LOCAL")) parse_type(parser);
        else if (at_word(parser, "MAIN") || at_word(parser, "GLOBAL")) parse_main(parser);
        else if (at_word(parser, "CTL")) parse_properties(parser, PROPERTY_CTL, "CTL");
        else if (at_word(parser, "LTL")) parse_properties(parser, PROPERTY_LTL, "LTL");
        else if (at_word(parser, "INVARIANT") || at_word(parser, "INVARIANTS"))
            parse_properties(parser, PROPERTY_INVARIANT, "INVARIANTS");
        else
            reject_section(
                parser,
                "a section (CONST, ACTIONS, VARIABLES, LOCAL, MAIN, CTL, LTL or INVARIANTS)");
    }
}

void milestones_parse(struct diag *diag, struct names *names, struct arena *arena, uint32_t source,
                      struct ast_file *file)
{
    memset(file, 0, sizeof *file);
    file->mem = diag->mem;
    file->arena = arena;
    struct tokens tokens = {0};
    lexer_run(diag, names, &lexer_plain, source, &tokens);
    struct parser parser = {
        .diag = diag, .names = names, .arena = arena, .file = file, .tokens = tokens.list.data};
    parse_file(&parser);
    assert(parser.at == tokens.list.len - 1); /* all of it was read */
    if (tokens.list.len == 1)
        diag_error(diag, DIAG_MISSING, (struct place){.source = source},
                   "the file is empty: a model needs at least a section");
    vec_free(diag->mem, &tokens.list);
}

bool milestones_parse_property(struct diag *diag, struct names *names, struct ast_file *file,
                               uint32_t source, enum property_kind kind,
                               struct ast_property *property)
{
    uint32_t errors = diag->errors;
    struct tokens tokens = {0};
    lexer_run(diag, names, &lexer_plain, source, &tokens);
    struct parser parser = {.diag = diag,
                            .names = names,
                            .arena = file->arena,
                            .file = file,
                            .tokens = tokens.list.data};
    parse_property(&parser, kind, property);
    accept_separator(&parser);
    if (!parser.panic && parser_peek(&parser, 0)->kind != TOKEN_END) {
        char shown[48];
        parser_error(&parser, here(&parser),
                     "expected an operator or the end of the formula, found %s",
                     token_show(parser_peek(&parser, 0), shown));
    }
    vec_free(diag->mem, &tokens.list);
    return diag->errors == errors;
}
