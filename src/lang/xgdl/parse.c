/* The syntax of guides. Recursive descent; an error is told once, and reading goes on with the next
 * declaration.
 *
 *   file    = { "let" NAME "=" term ";" | "guide" NAME "=" term ";" | "ignore" name { "," name }
 *           ";" }
 *   term    = choice { "||" choice }        choice = sequence { "[]" sequence }        sequence =
 *                                           repeated { ";" repeated }
 *   repeated = primary { "?" | "+" | "*" | count }        count = "{" n [ "," n ] "}"
 *   primary = name | "skip" | "(" term ")" | count "of" "[" [ term { "," term } ] "]"        name =
 *       NAME | STRING
 *
 * A semicolon ends a declaration when another one, or the end of the file, follows. */
#include "lang/xgdl/ast.h"
#include "lang/xgdl/xgdl.h"

#include "lang/common/lexer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct lexis_row question[] = {{"?", TOKEN_QUESTION}, {NULL, 0}};
static const struct lexis guide_lexis = {.operators = lexer_operators, .more = question};

enum { MAX_NESTING = 500, MAX_COUNT = 1 << 24, MAX_CHOICES = 4096 };

const char *const xgdl_keywords[] = {"let", "guide", "ignore", "skip", "of", NULL};
enum { DECLARATIONS = 3 }; /* the first of them begin a declaration */

struct parser {
    struct diag *diag;
    struct arena *arena;
    const struct token *tokens;
    uint32_t at; /* the next token */
    unsigned nesting;
    bool panic;
};

bool xgdl_is_keyword(const char *word)
{
    for (unsigned i = 0; xgdl_keywords[i]; i++)
        if (!strcmp(xgdl_keywords[i], word)) return true;
    return false;
}

/* ---- helpers ---- */

static const struct token *peek(const struct parser *parser) { return &parser->tokens[parser->at]; }

static bool is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

static bool is_at(const struct parser *parser, enum token_kind kind)
{
    return !parser->panic && peek(parser)->kind == kind;
}

static bool accept(struct parser *parser, enum token_kind kind)
{
    assert(kind != TOKEN_END); /* which is never passed */
    if (!is_at(parser, kind)) return false;
    parser->at++;
    return true;
}

static void unexpected(struct parser *parser, const char *wanted)
{
    char found[48];
    if (!parser->panic)
        diag_error(parser->diag, DIAG_SYNTAX, peek(parser)->place, "expected %s, found %s", wanted,
                   token_show(peek(parser), found));
    parser->panic = true;
}

static void nameless(struct parser *parser)
{
    diag_error(parser->diag, DIAG_MISSING, peek(parser)->place, "an interaction without a name");
    parser->panic = true;
}

static bool begins_declaration(const struct parser *parser)
{
    for (unsigned i = 0; i < DECLARATIONS; i++)
        if (is_word(peek(parser), xgdl_keywords[i])) return true;
    return peek(parser)->kind == TOKEN_END;
}

/* A name that is declared. */
static const char *expect_new_name(struct parser *parser, const char *wanted)
{
    const struct token *token = peek(parser);
    if (!is_at(parser, TOKEN_NAME)) unexpected(parser, wanted);
    else if (xgdl_is_keyword(token->text)) {
        diag_error(parser->diag, DIAG_MISPLACED, token->place,
                   "'%s' is a word of the language: choose another name", token->text);
        parser->panic = true;
    }
    if (parser->panic) return "?";
    parser->at++;
    return token->text;
}

/* ---- terms ---- */

static struct xgdl_node *parse_term(struct parser *parser);

static struct xgdl_node *new_node(struct parser *parser, enum phrase_op op, struct place place)
{
    struct xgdl_node *node = arena_alloc(parser->arena, sizeof *node);
    node->op = op;
    node->place = place;
    return node;
}

static uint32_t parse_number(struct parser *parser)
{
    const struct token *token = peek(parser);
    if (!accept(parser, TOKEN_NUMBER)) {
        unexpected(parser, "a number");
        return 0;
    }
    if (token->number <= MAX_COUNT) return (uint32_t)token->number;
    diag_error(parser->diag, DIAG_LIMIT, token->place,
               "%" PRIu64 " is too large: a count is at most %d", token->number, MAX_COUNT);
    parser->panic = true;
    return 0;
}

/* {i,j} or {n}, from the brace on */
static void parse_count(struct parser *parser, struct xgdl_node *node)
{
    struct place place = peek(parser)->place;
    parser->at++;
    node->low = node->high = parse_number(parser);
    if (accept(parser, TOKEN_COMMA)) node->high = parse_number(parser);
    if (!parser->panic && !accept(parser, TOKEN_CLOSE_CURLY))
        unexpected(parser, "',' or '}' in the count");
    if (parser->panic || node->low <= node->high) return;
    diag_error(parser->diag, DIAG_RANGE, place,
               "{%" PRIu32 ",%" PRIu32 "}: the second number must not be less than the first",
               node->low, node->high);
    parser->panic = true;
}

/* {i,j} of [t, ...] */
static struct xgdl_node *parse_of(struct parser *parser)
{
    struct xgdl_node *node = new_node(parser, PHRASE_OF, peek(parser)->place), **end = &node->parts;
    uint32_t count = 0;
    parse_count(parser, node);
    if (!parser->panic && !is_word(peek(parser), "of"))
        unexpected(parser, "'of' after a count that stands before a term");
    if (!parser->panic) parser->at++;
    if (!parser->panic && !accept(parser, TOKEN_OPEN_SQUARE)) unexpected(parser, "'[' after 'of'");
    if (accept(parser, TOKEN_CLOSE_SQUARE)) return node;
    do {
        *end = parse_term(parser);
        end = &(*end)->next;
        count++;
    } while (accept(parser, TOKEN_COMMA));
    if (!parser->panic && !accept(parser, TOKEN_CLOSE_SQUARE))
        unexpected(parser, "an operator, ',' or ']' in the list of terms");
    if (parser->panic) return node;
    if (count > MAX_CHOICES) {
        diag_error(parser->diag, DIAG_LIMIT, node->place,
                   "there are %" PRIu32 " terms to choose from: at most %d are allowed", count,
                   MAX_CHOICES);
        parser->panic = true;
    } else if (node->high > count) {
        diag_warning(parser->diag, DIAG_NEVER, node->place,
                     "there are only %" PRIu32 " term%s to choose from: {%" PRIu32 ",%" PRIu32
                     "} is read as {%" PRIu32 ",%" PRIu32 "}",
                     count, count == 1 ? "" : "s", node->low, node->high,
                     node->low > count ? count : node->low, count);
    }
    return node;
}

static struct xgdl_node *parse_parentheses(struct parser *parser)
{
    struct place opened = peek(parser)->place;
    parser->at++;
    struct xgdl_node *node = parse_term(parser);
    if (parser->panic || accept(parser, TOKEN_CLOSE)) return node;
    unexpected(parser, "an operator or ')'");
    diag_note(parser->diag, opened, "the parenthesis was opened here");
    return node;
}

static struct xgdl_node *parse_primary(struct parser *parser)
{
    const struct token *token = peek(parser);
    struct xgdl_node *node = new_node(parser, PHRASE_SKIP, token->place);
    if (is_at(parser, TOKEN_OPEN)) return parse_parentheses(parser);
    if (is_at(parser, TOKEN_OPEN_CURLY)) return parse_of(parser);
    if (!parser->panic && is_word(token, "skip")) {
        parser->at++;
        return node;
    }
    bool is_name = is_at(parser, TOKEN_NAME) && !xgdl_is_keyword(token->text),
         is_quoted = is_at(parser, TOKEN_STRING);
    if (is_quoted && !token->text[0]) {
        nameless(parser);
    } else if (is_name || is_quoted) {
        parser->at++;
        node->op = PHRASE_EVENT;
        node->name = token->text;
        node->is_quoted = is_quoted;
    } else {
        unexpected(parser, "a term (a name, skip, '(' or '{i,j} of [...]')");
    }
    return node;
}

static struct xgdl_node *parse_repeated(struct parser *parser)
{
    struct xgdl_node *node = parse_primary(parser);
    for (;;) {
        enum phrase_op op = is_at(parser, TOKEN_QUESTION) ? PHRASE_OPT
                            : is_at(parser, TOKEN_TIMES)  ? PHRASE_STAR
                            : is_at(parser, TOKEN_PLUS)   ? PHRASE_PLUS
                                                          : PHRASE_REP;
        if (op == PHRASE_REP && !is_at(parser, TOKEN_OPEN_CURLY)) return node;
        struct xgdl_node *made = new_node(parser, op, node->place);
        made->parts = node;
        if (op == PHRASE_REP) parse_count(parser, made);
        else parser->at++;
        node = made;
    }
}

/* The operator of a level: 0 `||`, 1 `[]`, 2 `;` */
static bool accept_operator(struct parser *parser, unsigned level)
{
    if (parser->panic) return false;
    if (level == 0) return !strcmp(peek(parser)->text, "||") && accept(parser, TOKEN_OR);
    if (level == 1
        && (!is_at(parser, TOKEN_OPEN_SQUARE)
            || parser->tokens[parser->at + 1].kind != TOKEN_CLOSE_SQUARE))
        return false;
    if (level == 2 && !is_at(parser, TOKEN_SEMICOLON)) return false;
    uint32_t start = parser->at;
    parser->at += level == 1 ? 2 : 1;
    if (level == 1 || !begins_declaration(parser)) return true;
    parser->at = start; /* this semicolon ends the declaration */
    return false;
}

static struct xgdl_node *parse_level(struct parser *parser, unsigned level)
{
    static const enum phrase_op ops[] = {PHRASE_PAR, PHRASE_CHOICE, PHRASE_SEQ};
    if (level > 2) return parse_repeated(parser);
    struct xgdl_node *first = parse_level(parser, level + 1), *last = first;
    if (!accept_operator(parser, level)) return first;
    struct xgdl_node *node = new_node(parser, ops[level], first->place);
    node->parts = first;
    do {
        last->next = parse_level(parser, level + 1);
        last = last->next;
    } while (accept_operator(parser, level));
    return node;
}

static struct xgdl_node *parse_term(struct parser *parser)
{
    struct xgdl_node *node;
    if (parser->nesting++ < MAX_NESTING) {
        node = parse_level(parser, 0);
    } else {
        if (!parser->panic)
            diag_error(parser->diag, DIAG_NESTING, peek(parser)->place,
                       "brackets are nested too deeply");
        parser->panic = true;
        node = new_node(parser, PHRASE_SKIP, peek(parser)->place);
    }
    parser->nesting--;
    return node;
}

/* ---- declarations ---- */

static void parse_definition(struct parser *parser, struct xgdl_decl ***end)
{
    const struct token *word = peek(parser);
    struct xgdl_decl *decl = arena_alloc(parser->arena, sizeof *decl);
    char wanted[48];
    parser->at++;
    decl->is_guide = is_word(word, "guide");
    decl->start = word->place;
    decl->place = peek(parser)->place;
    snprintf(wanted, sizeof wanted, "a name after '%s'", word->text);
    decl->name = expect_new_name(parser, wanted);
    if (!parser->panic && strcmp(peek(parser)->text, "=")) unexpected(parser, "'=' after the name");
    if (!parser->panic) parser->at++;
    decl->body = parse_term(parser);
    if (!parser->panic && !accept(parser, TOKEN_SEMICOLON))
        unexpected(parser, "an operator or ';' after the term");
    if (parser->panic) return;
    decl->end = token_behind(peek(parser) - 1);
    **end = decl;
    *end = &decl->next;
}

static void parse_ignored(struct parser *parser, struct xgdl_ignored ***end)
{
    parser->at++;
    do {
        const struct token *token = peek(parser);
        struct xgdl_ignored *ignored = arena_alloc(parser->arena, sizeof *ignored);
        *ignored =
            (struct xgdl_ignored){token->text, is_at(parser, TOKEN_STRING), token->place, 0, NULL};
        if (!ignored->is_quoted)
            ignored->name = expect_new_name(parser, "the name of an interaction to ignore");
        else if (!token->text[0]) nameless(parser);
        else parser->at++;
        if (parser->panic) return;
        **end = ignored;
        *end = &ignored->next;
    } while (accept(parser, TOKEN_COMMA));
    if (!accept(parser, TOKEN_SEMICOLON)) unexpected(parser, "',' or ';' after the interaction");
}

static void parse_nothing(struct parser *parser)
{
    const struct token *token = peek(parser);
    const char *nearest = NULL;
    unsigned distance = 0;
    char found[48];
    for (unsigned i = 0; token->kind == TOKEN_NAME && i < DECLARATIONS; i++)
        text_nearest(token->text, xgdl_keywords[i], &nearest, &distance);
    diag_error_near(parser->diag, DIAG_SYNTAX, token->place, nearest,
                    "expected a declaration (let, guide or ignore), found %s",
                    token_show(token, found));
    parser->panic = true;
    parser->at++;
}

static void recover(struct parser *parser)
{
    while (!begins_declaration(parser)) parser->at++;
    parser->panic = false;
    parser->nesting = 0;
}

bool xgdl_parse(struct diag *diag, struct names *names, struct arena *arena, uint32_t source,
                struct xgdl_file *file)
{
    struct tokens tokens = {0};
    uint32_t errors = diag->errors;
    struct xgdl_decl **decls = &file->decls;
    struct xgdl_ignored **ignored = &file->ignored;
    lexer_run(diag, names, &guide_lexis, source, &tokens);
    struct parser parser = {.diag = diag, .arena = arena, .tokens = tokens.list.data};
    assert(tokens.list.data[tokens.list.len - 1].kind == TOKEN_END);
    while (peek(&parser)->kind != TOKEN_END) {
        if (is_word(peek(&parser), "ignore")) parse_ignored(&parser, &ignored);
        else if (begins_declaration(&parser)) parse_definition(&parser, &decls);
        else parse_nothing(&parser);
        if (parser.panic) recover(&parser);
    }
    vec_free(diag->mem, &tokens.list);
    return diag->errors == errors;
}
