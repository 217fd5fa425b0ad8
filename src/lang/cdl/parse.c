/* The file, declarations, events and activities of CDL. Recursive descent; an error is told once,
 * and reading goes on with the next declaration.
 *
 * Activities: `;` binds tightest, then `[]`, then `||`; braces group. */
#include "lang/cdl/parser.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_words[CDL_KINDS] = {"event",    "predicate",   "activity",
                                                  "property", "restriction", "cdl"};

static const struct lexis_row at_sign[] = {{"@", TOKEN_AT}, {NULL, 0}};
static const struct lexis cdl_lexis = {.operators = lexer_operators,
                                       .more = at_sign,
                                       .words = lexer_words,
                                       .digits_begin_names = true};

/* ---- helpers ---- */

bool cdl_is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

bool cdl_accept(struct cdl_parser *parser, enum token_kind kind)
{
    assert(kind != TOKEN_END); /* which is never passed */
    if (parser->panic || !cdl_at(parser, kind)) return false;
    parser->at++;
    return true;
}

bool cdl_accept_word(struct cdl_parser *parser, const char *word)
{
    if (parser->panic || !cdl_is_word(cdl_peek(parser, 0), word)) return false;
    parser->at++;
    return true;
}

bool cdl_unexpected(struct cdl_parser *parser, const char *wanted)
{
    char found[48];
    if (!parser->panic)
        diag_error(parser->diag, DIAG_SYNTAX, cdl_here(parser), "expected %s, found %s", wanted,
                   token_show(cdl_peek(parser, 0), found));
    parser->panic = true;
    return false;
}

bool cdl_expect(struct cdl_parser *parser, enum token_kind kind, const char *after)
{
    char found[48];
    if (cdl_accept(parser, kind)) return true;
    if (!parser->panic)
        diag_error(parser->diag, DIAG_SYNTAX, cdl_here(parser), "expected '%s' %s, found %s",
                   token_kind_show(&cdl_lexis, kind), after,
                   token_show(cdl_peek(parser, 0), found));
    parser->panic = true;
    return false;
}

bool cdl_expect_word(struct cdl_parser *parser, const char *word, const char *after)
{
    char found[48];
    if (cdl_accept_word(parser, word)) return true;
    if (!parser->panic)
        diag_error(parser->diag, DIAG_SYNTAX, cdl_here(parser), "expected '%s' %s, found %s", word,
                   after, token_show(cdl_peek(parser, 0), found));
    parser->panic = true;
    return false;
}

const char *cdl_expect_name(struct cdl_parser *parser, const char *after, struct place *place)
{
    char found[48];
    *place = cdl_here(parser);
    if (!parser->panic && cdl_at(parser, TOKEN_NAME)) return parser->tokens[parser->at++].text;
    if (!parser->panic)
        diag_error(parser->diag, DIAG_SYNTAX, *place, "expected a name %s, found %s", after,
                   token_show(cdl_peek(parser, 0), found));
    parser->panic = true;
    return "?";
}

bool cdl_enter(struct cdl_parser *parser)
{
    if (parser->nesting++ < CDL_MAX_NESTING) return true;
    if (!parser->panic)
        diag_error(parser->diag, DIAG_NESTING, cdl_here(parser), "brackets are nested too deeply");
    parser->panic = true;
    return false;
}

void cdl_leave(struct cdl_parser *parser)
{
    assert(parser->nesting); /* every cdl_enter has one cdl_leave */
    parser->nesting--;
}

const char *cdl_text_from(struct cdl_parser *parser, uint32_t first)
{
    enum { MOST = 400 };
    struct text text;
    const struct token *tokens = parser->tokens;
    const char *source = parser->diag->sources.data[tokens[first].place.source].text;
    text_init(&text, parser->diag->mem);
    text_add(&text, "%s", "");
    for (uint32_t i = first; i < parser->at && text.len < MOST; i++) {
        bool apart = i > first && tokens[i].start > tokens[i - 1].end;
        text_add(&text, "%s%.*s", apart ? " " : "", (int)(tokens[i].end - tokens[i].start),
                 source + tokens[i].start);
    }
    if (text.len >= MOST) text_add(&text, " ...");
    const char *kept = names_intern(parser->names, text.data, text.len);
    text_free(&text);
    return kept;
}

void cdl_use_constant(struct cdl_parser *parser, const char *name, struct place place)
{
    struct cdl_name *used = arena_alloc(parser->arena, sizeof *used);
    *used = (struct cdl_name){name, place, parser->file->constants};
    parser->file->constants = used;
}

struct cdl_number cdl_parse_number(struct cdl_parser *parser, const char *after)
{
    const struct token *token = cdl_peek(parser, 0);
    struct cdl_number number = {.place = token->place, .number = token->number};
    if (parser->panic || cdl_accept(parser, TOKEN_NUMBER)) return number;
    if (!cdl_at(parser, TOKEN_NAME)) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "a number or the name of a constant %s", after);
        cdl_unexpected(parser, wanted);
        return number;
    }
    number.name = cdl_expect_name(parser, after, &number.place);
    cdl_use_constant(parser, number.name, number.place);
    return number;
}

/* ---- events ---- */

bool cdl_begins_body(const struct cdl_parser *parser)
{
    const struct token *token = cdl_peek(parser, 0), *next = cdl_peek(parser, 1);
    bool names_something = next->kind == TOKEN_NAME || next->kind == TOKEN_NUMBER
                           || next->kind == TOKEN_MINUS || next->kind == TOKEN_OPEN_SQUARE
                           || next->kind == TOKEN_OPEN_CURLY;
    if (cdl_is_word(token, "send") || cdl_is_word(token, "receive")) return names_something;
    if (cdl_is_word(token, "sync") || cdl_is_word(token, "synchronous"))
        return next->kind == TOKEN_NAME || next->kind == TOKEN_STRING;
    return token->kind == TOKEN_NAME && cdl_is_word(next, "becomes");
}

static void parse_send(struct cdl_parser *parser, struct cdl_body *body)
{
    body->kind = CDL_SEND;
    body->message = cdl_parse_value(parser);
    if (cdl_expect_word(parser, "to", "after the message"))
        body->unit = cdl_parse_unit(parser, "after 'to'");
}

static void parse_receive(struct cdl_parser *parser, struct cdl_body *body)
{
    body->kind = CDL_RECEIVE;
    body->message = cdl_parse_value(parser);
    if (cdl_accept_word(parser, "from")) body->unit = cdl_parse_unit(parser, "after 'from'");
}

static void parse_sync(struct cdl_parser *parser, struct cdl_body *body)
{
    body->kind = CDL_SYNC;
    body->name_place = cdl_here(parser);
    if (cdl_at(parser, TOKEN_STRING) && !parser->panic)
        body->name = parser->tokens[parser->at++].text;
    else body->name = cdl_expect_name(parser, "of steps after 'sync'", &body->name_place);
    if (cdl_accept_word(parser, "of")) body->unit = cdl_parse_unit(parser, "after 'of'");
}

static void parse_becomes(struct cdl_parser *parser, struct cdl_body *body)
{
    body->kind = CDL_BECOMES;
    body->name = cdl_expect_name(parser, "of a predicate", &body->name_place);
    cdl_expect_word(parser, "becomes", "after the name of the predicate (or send, receive, sync)");
    body->truth = cdl_accept_word(parser, "true");
    if (!body->truth && !cdl_accept_word(parser, "false"))
        cdl_unexpected(parser, "'true' or 'false' after 'becomes'");
}

struct cdl_body *cdl_parse_body(struct cdl_parser *parser)
{
    struct cdl_body *body = arena_alloc(parser->arena, sizeof *body);
    uint32_t first = parser->at;
    bool is_becomes = cdl_is_word(cdl_peek(parser, 1), "becomes");
    body->place = cdl_here(parser);
    if (!is_becomes && cdl_accept_word(parser, "send")) parse_send(parser, body);
    else if (!is_becomes && cdl_accept_word(parser, "receive")) parse_receive(parser, body);
    else if (!is_becomes
             && (cdl_accept_word(parser, "sync") || cdl_accept_word(parser, "synchronous")))
        parse_sync(parser, body);
    else parse_becomes(parser, body);
    body->text = cdl_text_from(parser, first);
    return body;
}

/* ---- activities ---- */

static struct cdl_activity *parse_activity(struct cdl_parser *parser);

static struct cdl_activity *new_activity(struct cdl_parser *parser, enum cdl_activity_kind kind)
{
    struct cdl_activity *made = arena_alloc(parser->arena, sizeof *made);
    made->kind = kind;
    made->place = cdl_here(parser);
    return made;
}

/* { ... }, where nothing between the braces is skip */
static struct cdl_activity *parse_braces(struct cdl_parser *parser, const char *before)
{
    struct cdl_activity *made = new_activity(parser, CDL_SKIP);
    struct place opened = cdl_here(parser);
    if (!cdl_expect(parser, TOKEN_OPEN_CURLY, before)) return made;
    if (!cdl_at(parser, TOKEN_CLOSE_CURLY)) made = parse_activity(parser);
    if (!parser->panic && !cdl_at(parser, TOKEN_CLOSE_CURLY)) {
        cdl_unexpected(parser, "';', '[]', '||' or '}' after an activity");
        diag_note(parser->diag, opened, "the brace was opened here");
    }
    cdl_accept(parser, TOKEN_CLOSE_CURLY);
    return made;
}

static struct cdl_activity *parse_primary(struct cdl_parser *parser)
{
    struct cdl_activity *made = new_activity(parser, CDL_SKIP);
    const struct token *token = cdl_peek(parser, 0);
    if (cdl_begins_body(parser)) {
        made->kind = CDL_BODY;
        made->body = cdl_parse_body(parser);
    } else if (cdl_is_word(token, "loop")) {
        parser->at++;
        made->kind = CDL_LOOP;
        made->count = cdl_parse_number(parser, "after 'loop'");
        if (cdl_enter(parser)) made->parts = parse_primary(parser);
        cdl_leave(parser);
    } else if (cdl_accept_word(parser, "event")) {
        made->kind = CDL_EVENT;
        made->name = cdl_expect_name(parser, "after 'event'", &made->place);
    } else if (cdl_accept_word(parser, "skip")) {
        made->kind = CDL_SKIP;
    } else if (token->kind == TOKEN_NAME) {
        made->kind = CDL_CALL;
        made->name = cdl_expect_name(parser, "", &made->place);
    } else if (token->kind == TOKEN_OPEN_CURLY) {
        if (cdl_enter(parser)) made = parse_braces(parser, "");
        cdl_leave(parser);
    } else {
        cdl_unexpected(parser, "an activity (an event, a name, loop, skip or '{')");
    }
    return made;
}

/* The operator of a level: 0 `||`, 1 `[]`, 2 `;` */
static bool accept_operator(struct cdl_parser *parser, unsigned level)
{
    if (level == 2) return cdl_accept(parser, TOKEN_SEMICOLON);
    if (level == 0) return !strcmp(cdl_peek(parser, 0)->text, "||") && cdl_accept(parser, TOKEN_OR);
    if (parser->panic || !cdl_at(parser, TOKEN_OPEN_SQUARE)
        || cdl_peek(parser, 1)->kind != TOKEN_CLOSE_SQUARE)
        return false;
    parser->at += 2;
    return true;
}

static struct cdl_activity *parse_level(struct cdl_parser *parser, unsigned level)
{
    static const enum cdl_activity_kind kinds[] = {CDL_PARALLEL, CDL_CHOICE, CDL_SEQUENCE};
    if (level > 2) return parse_primary(parser);
    struct cdl_activity *first = parse_level(parser, level + 1), *last = first;
    if (!accept_operator(parser, level)) return first;
    struct cdl_activity *made = new_activity(parser, kinds[level]);
    made->place = first->place;
    made->parts = first;
    do {
        struct cdl_activity *part = parse_level(parser, level + 1);
        last->next = part;
        last = part;
    } while (accept_operator(parser, level));
    return made;
}

static struct cdl_activity *parse_activity(struct cdl_parser *parser)
{
    struct cdl_activity *made;
    if (cdl_enter(parser)) made = parse_level(parser, 0);
    else made = new_activity(parser, CDL_SKIP);
    cdl_leave(parser);
    return made;
}

/* ---- declarations ---- */

static bool begins_declaration(const struct cdl_parser *parser)
{
    const struct token *token = cdl_peek(parser, 0), *name = cdl_peek(parser, 1),
                       *is = cdl_peek(parser, 2);
    if (token->kind != TOKEN_NAME) return false;
    if (cdl_is_word(token, "Property")) return true;
    for (unsigned k = 0; k < CDL_KINDS; k++)
        if (!strcmp(token->text, kind_words[k]))
            return name->kind == TOKEN_NAME
                   && (cdl_is_word(is, "is") || is->kind == TOKEN_SEMICOLON);
    return false;
}

void cdl_parse_names(struct cdl_parser *parser, const char *after, struct cdl_name **list)
{
    while (*list) list = &(*list)->next;
    do {
        struct cdl_name *name = arena_alloc(parser->arena, sizeof *name);
        name->name = cdl_expect_name(parser, after, &name->place);
        *list = name;
        list = &name->next;
    } while (cdl_accept(parser, TOKEN_COMMA));
}

static void parse_part(struct cdl_parser *parser, const char *what, struct cdl_activity **part)
{
    struct place place = parser->tokens[parser->at - 1].place;
    cdl_expect_word(parser, "is", what);
    if (*part && !parser->panic) {
        diag_error(parser->diag, DIAG_DUPLICATE, place, "this context has this part already");
        diag_note(parser->diag, (*part)->place, "here");
    }
    *part = parse_braces(parser, "after 'is'");
}

static void parse_context(struct cdl_parser *parser, struct cdl_decl *decl)
{
    cdl_expect(parser, TOKEN_OPEN_CURLY, "after 'is'");
    while (!parser->panic && !cdl_accept(parser, TOKEN_CLOSE_CURLY)) {
        if (cdl_accept_word(parser, "assert"))
            cdl_parse_names(parser, "of a predicate", &decl->asserts);
        else if (cdl_accept_word(parser, "properties"))
            cdl_parse_names(parser, "of a property", &decl->properties);
        else if (cdl_accept_word(parser, "restrictions"))
            cdl_parse_names(parser, "of a restriction", &decl->restrictions);
        else if (cdl_accept_word(parser, "init")) parse_part(parser, "after 'init'", &decl->init);
        else if (cdl_accept_word(parser, "main"))
            parse_part(parser, "after 'main'", &decl->activity);
        else
            cdl_unexpected(parser,
                           "assert, properties, restrictions, init, main or '}' in the context");
    }
}

static void parse_rest(struct cdl_parser *parser, struct cdl_decl *decl)
{
    uint32_t first;
    switch (decl->kind) {
    case CDL_DECL_EVENT:
        cdl_expect(parser, TOKEN_OPEN_CURLY, "after 'is'");
        decl->body = cdl_parse_body(parser);
        cdl_expect(parser, TOKEN_CLOSE_CURLY, "at the end of the event");
        break;
    case CDL_DECL_PREDICATE:
        cdl_expect(parser, TOKEN_OPEN_CURLY, "after 'is'");
        first = parser->at;
        decl->exp = cdl_parse_predicate(parser);
        decl->text = cdl_text_from(parser, first);
        cdl_expect(parser, TOKEN_CLOSE_CURLY, "or an operator (and, or) in the predicate");
        break;
    case CDL_DECL_ACTIVITY: decl->activity = parse_braces(parser, "after 'is'"); break;
    case CDL_DECL_PROPERTY:
    case CDL_DECL_RESTRICTION:
        cdl_expect(parser, TOKEN_OPEN_CURLY, "after 'is'");
        cdl_parse_automaton(parser, decl, kind_words[decl->kind]);
        break;
    default: parse_context(parser, decl); break;
    }
}

static struct cdl_decl *parse_declaration(struct cdl_parser *parser)
{
    const struct token *token = cdl_peek(parser, 0);
    struct cdl_decl *decl = arena_alloc(parser->arena, sizeof *decl);
    unsigned kind = 0;
    decl->start = token->place;
    while (kind < CDL_KINDS && !cdl_is_word(token, kind_words[kind])) kind++;
    if (cdl_is_word(token, "Property")) kind = CDL_DECL_PROPERTY;
    if (kind == CDL_KINDS) {
        const char *nearest = NULL;
        char found[48], wanted[160];
        unsigned distance = 0;
        for (unsigned k = 0; token->kind == TOKEN_NAME && k < CDL_KINDS; k++)
            text_nearest(token->text, kind_words[k], &nearest, &distance);
        snprintf(wanted, sizeof wanted,
                 "expected a declaration (event, predicate, activity, property, restriction or "
                 "cdl), found %s",
                 token_show(token, found));
        diag_error_near(parser->diag, DIAG_SYNTAX, token->place, nearest, "%s", wanted);
        parser->panic = true;
        return decl;
    }
    parser->at++;
    decl->kind = (enum cdl_kind)kind;
    char after[48];
    snprintf(after, sizeof after, "after '%s'", token->text);
    decl->name = cdl_expect_name(parser, after, &decl->place);
    if (kind == CDL_DECL_PROPERTY && cdl_accept(parser, TOKEN_SEMICOLON)) {
        cdl_parse_pattern(parser, decl);
        return decl;
    }
    cdl_expect_word(parser, "is", "after the name");
    parse_rest(parser, decl);
    return decl;
}

/* Goes to the next declaration. */
static void recover(struct cdl_parser *parser)
{
    if (!cdl_at(parser, TOKEN_END)) parser->at++;
    while (!cdl_at(parser, TOKEN_END) && !begins_declaration(parser)) parser->at++;
    parser->panic = false;
    parser->nesting = 0;
}

bool cdl_parse(struct diag *diag, struct names *names, struct arena *arena, uint32_t source,
               struct cdl_file *file)
{
    struct tokens tokens = {0};
    uint32_t errors = diag->errors;
    lexer_run(diag, names, &cdl_lexis, source, &tokens);
    struct cdl_parser parser = {
        .diag = diag, .names = names, .arena = arena, .tokens = tokens.list.data, .file = file};
    struct cdl_decl **end = &file->decls;
    assert(tokens.list.data[tokens.list.len - 1].kind == TOKEN_END);
    while (!cdl_at(&parser, TOKEN_END)) {
        struct cdl_decl *decl = parse_declaration(&parser);
        if (parser.panic) {
            recover(&parser);
            continue;
        }
        decl->end = token_behind(&parser.tokens[parser.at - 1]);
        *end = decl;
        end = &decl->next;
    }
    vec_free(diag->mem, &tokens.list);
    return diag->errors == errors;
}
