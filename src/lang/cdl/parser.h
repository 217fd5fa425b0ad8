/* The parser's shared state. What is read where:
 *   parse.c     the file, declarations, events, activities, and the helpers below
 *   predicate.c predicates, values, references to variables
 *   observer.c  the automata of properties and restrictions
 *   pattern.c   patterns of properties
 *
 * Functions that read something return it and never NULL, unless they say so; after an error
 * parser->panic is set, the result means nothing, and everything stays silent until the next
 * declaration. */
#ifndef CAIRN_LANG_CDL_PARSER_H
#define CAIRN_LANG_CDL_PARSER_H

#include "lang/cdl/ast.h"
#include "lang/common/lexer.h"

enum { CDL_MAX_NESTING = 1000 };

struct cdl_parser {
    struct diag *diag;
    struct names *names;
    struct arena *arena;
    struct token *tokens;
    uint32_t at; /* the next token */
    unsigned nesting;
    bool panic;
    struct cdl_file *file;
};

static inline const struct token *cdl_peek(const struct cdl_parser *parser, unsigned ahead)
{
    const struct token *token = &parser->tokens[parser->at];
    for (; ahead && token->kind != TOKEN_END; ahead--) token++;
    return token;
}

static inline bool cdl_at(const struct cdl_parser *parser, enum token_kind kind)
{
    return parser->tokens[parser->at].kind == kind;
}

static inline struct place cdl_here(const struct cdl_parser *parser)
{
    return parser->tokens[parser->at].place;
}

bool cdl_is_word(const struct token *token, const char *word);
bool cdl_accept(struct cdl_parser *parser, enum token_kind kind);
bool cdl_accept_word(struct cdl_parser *parser, const char *word);
/* Reads a token, a word or a name, or tells that it was expected; `after` says after or in what. A
 * name that is missing is "?". */
bool cdl_expect(struct cdl_parser *parser, enum token_kind kind, const char *after);
bool cdl_expect_word(struct cdl_parser *parser, const char *word, const char *after);
const char *cdl_expect_name(struct cdl_parser *parser, const char *after, struct place *place);
/* Tells that something else was expected here, and begins to panic. Returns false. */
bool cdl_unexpected(struct cdl_parser *parser, const char *wanted);
/* Another level of brackets; false, after an error, when there are too many. Every cdl_enter needs
 * a cdl_leave. */
bool cdl_enter(struct cdl_parser *parser);
void cdl_leave(struct cdl_parser *parser);
/* The source from a token on up to the last one read, with single spaces. */
const char *cdl_text_from(struct cdl_parser *parser, uint32_t first);

/* Remembers a name that may be that of a constant. */
void cdl_use_constant(struct cdl_parser *parser, const char *name, struct place place);
/* A number or the name of a constant. */
struct cdl_number cdl_parse_number(struct cdl_parser *parser, const char *after);
struct cdl_unit cdl_parse_unit(struct cdl_parser *parser, const char *after);
bool cdl_begins_unit(const struct cdl_parser *parser); /* { P } number */
struct cdl_value *cdl_parse_value(struct cdl_parser *parser);
struct cdl_exp *cdl_parse_predicate(struct cdl_parser *parser);

bool cdl_begins_body(const struct cdl_parser *parser);
struct cdl_body *cdl_parse_body(struct cdl_parser *parser);

/* What is between the braces of an automaton. */
void cdl_parse_automaton(struct cdl_parser *parser, struct cdl_decl *decl, const char *what);
/* Names behind each other, with commas. */
void cdl_parse_names(struct cdl_parser *parser, const char *after, struct cdl_name **list);

/* `Property NAME ; ...`, read up to the semicolon: fills in the declaration. */
void cdl_parse_pattern(struct cdl_parser *parser, struct cdl_decl *decl);

/* The whole source. False after errors. */
bool cdl_parse(struct diag *diag, struct names *names, struct arena *arena, uint32_t source,
               struct cdl_file *file);

#endif
