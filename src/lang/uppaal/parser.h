/* What the parts of the parser share: expression.c, declaration.c, statement.c, template.c, query.c
 * read tokens; parse.c and document.c bring them, from a text or from XML. */
#ifndef CAIRN_LANG_UPPAAL_PARSER_H
#define CAIRN_LANG_UPPAAL_PARSER_H

#include "lang/uppaal/ast.h"
#include "lang/uppaal/words.h"

/* After an error nothing is accepted any more and nothing is told (`panic`) until somebody who
 * knows a place to go on from ends it. */
struct uppaal_parser {
    struct diag *diag;
    struct names *names;
    struct arena *arena;
    struct mem *mem;
    struct uppaal_file *file;   /* that is read; NULL: queries alone */
    const struct token *tokens; /* the last one is TOKEN_END */
    const char *text;           /* what their start and end count in */
    uint32_t at;
    uint32_t nesting;
    uint32_t negated; /* the token behind the last sign: it may be 2147483648 */
    bool panic;
    bool in_query;       /* `deadlock` is a word, temporal operators are refused */
    bool is_old;         /* the text has shown that it is of version 3 */
    bool warned_of_game; /* about edges that are not controllable */
    bool in_invariant;   /* a' == 1 can stand here */
    uint32_t rates;      /* a' that are not (yet) part of a' == 1 */
    struct place rate;   /* the last one of those */
};

/* ---- parse.c: tools ---- */

static inline const struct token *uppaal_peek(const struct uppaal_parser *parser)
{
    return &parser->tokens[parser->at];
}
/* The next one but n, or the end. */
const struct token *uppaal_ahead(const struct uppaal_parser *parser, unsigned n);
static inline bool uppaal_at(const struct uppaal_parser *parser, unsigned kind)
{
    return parser->tokens[parser->at].kind == kind;
}
static inline struct place uppaal_here(const struct uppaal_parser *parser)
{
    return parser->tokens[parser->at].place;
}
/* Begins a panic; the first error of one is told. */
void uppaal_error(struct uppaal_parser *parser, enum diag_code code, struct place place,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
/* "expected WHAT, found ..." */
void uppaal_error_expected(struct uppaal_parser *parser, const char *what);
/* WHAT "is not part of what Cairn reads of UPPAAL": for what is refused by name. */
void uppaal_refuse(struct uppaal_parser *parser, struct place place, const char *what);
bool uppaal_accept(struct uppaal_parser *parser, unsigned kind);
bool uppaal_expect(struct uppaal_parser *parser, unsigned kind, const char *after);
/* A closing bracket, or what `choices` says. */
bool uppaal_expect_close(struct uppaal_parser *parser, unsigned kind, const char *choices,
                         const char *what, struct place opened);
const char *uppaal_expect_name(struct uppaal_parser *parser, const char *after);
/* Whether a token is this word, which is no keyword. */
bool uppaal_is_word(const struct token *token, const char *word);
/* Every enter has its leave; false after an error: too deep. */
bool uppaal_enter(struct uppaal_parser *parser);
void uppaal_leave(struct uppaal_parser *parser);
/* Goes behind the bracket that closes the one here; to the end, if none does. */
void uppaal_skip_brackets(struct uppaal_parser *parser);
/* Whether a text is of version 3: `const N 5`, `(const n; int x)`. */
bool uppaal_looks_old(const struct token *tokens);

/* ---- part.c ---- */

/* From the place of the part on, errors are told with a note about it. */
void uppaal_add_part(struct uppaal_parser *parser, struct uppaal_part part);

/* ---- expression.c ---- */

struct uppaal_exp *uppaal_new_exp(struct uppaal_parser *parser, enum uppaal_exp_kind kind,
                                  struct place place);
struct uppaal_exp *uppaal_parse_exp(struct uppaal_parser *parser);
/* e, e, ...: a list */
struct uppaal_exp *uppaal_parse_exps(struct uppaal_parser *parser, uint32_t *count);
/* A guard: e, e, ... is their conjunction. */
struct uppaal_exp *uppaal_parse_condition(struct uppaal_parser *parser);
/* The same for an invariant, where rates can stand. */
struct uppaal_exp *uppaal_parse_invariant(struct uppaal_parser *parser);
/* Names, members, indices, calls: what a channel is. */
struct uppaal_exp *uppaal_parse_channel(struct uppaal_parser *parser);
/* { ... } or an expression */
struct uppaal_exp *uppaal_parse_initialiser(struct uppaal_parser *parser);
/* Refuses rates that are left. Whoever parses a label or a declaration asks at its end. */
void uppaal_check_rates(struct uppaal_parser *parser);
/* Whether A[], E<> or the like stands here. */
bool uppaal_begins_temporal(const struct uppaal_parser *parser);

/* ---- declaration.c ---- */

/* Whether a type begins here: a keyword, or a name before another one. */
bool uppaal_begins_type(const struct uppaal_parser *parser);
struct uppaal_type *uppaal_parse_type(struct uppaal_parser *parser);
struct uppaal_array *uppaal_parse_arrays(struct uppaal_parser *parser);
/* Up to what ends them, which is `close` or the end; both syntaxes. */
struct uppaal_variable *uppaal_parse_parameters(struct uppaal_parser *parser, unsigned close);
/* Where a declaration stands decides what it may be. */
enum uppaal_scope {
    UPPAAL_SCOPE_GLOBAL,
    UPPAAL_SCOPE_TEMPLATE, /* variables, types, functions */
    UPPAAL_SCOPE_BLOCK     /* variables and types */
};
/* Whether a declaration of a variable or a type begins here. */
bool uppaal_begins_variable(const struct uppaal_parser *parser);
/* Adds what one declaration declares to a list, whose last `next` is *last. Returns the new one.
 * In a block a panic is left to others; otherwise it ends behind the declaration. */
struct uppaal_decl **uppaal_parse_declaration(struct uppaal_parser *parser, enum uppaal_scope scope,
                                              struct uppaal_decl **last);
/* As many as there are, up to the end. */
struct uppaal_decl **uppaal_parse_declarations(struct uppaal_parser *parser,
                                               enum uppaal_scope scope, struct uppaal_decl **last);
/* Declarations, the system line, and what follows it, up to the end: all of XTA, or what XML has
 * last. *last is the end of file->decls, *last_query that of file->queries. */
void uppaal_parse_system(struct uppaal_parser *parser, struct uppaal_file *file,
                         struct uppaal_decl **last, struct uppaal_query **last_query);
struct uppaal_decl *uppaal_new_decl(struct uppaal_parser *parser, enum uppaal_decl_kind kind,
                                    const char *name, struct place place);

/* ---- statement.c ---- */

/* { declarations statements } */
struct uppaal_stmt *uppaal_parse_block(struct uppaal_parser *parser);

/* ---- template.c ---- */

/* NAME (parameters) { ... }, after the word `process`. */
struct uppaal_decl *uppaal_parse_process(struct uppaal_parser *parser);
/* The parts of an edge. */
struct uppaal_select *uppaal_parse_selects(struct uppaal_parser *parser);
void uppaal_parse_sync(struct uppaal_parser *parser, struct uppaal_edge *edge);
/* What an edge must satisfy beside its parts (ast.h). */
void uppaal_check_edge(struct uppaal_parser *parser, const struct uppaal_edge *edge);
void uppaal_warn_of_game(struct uppaal_parser *parser, struct place place);
/* Locations by interned names or ids. */
struct uppaal_index {
    struct {
        const char *key;
        struct uppaal_location *location;
    } * slots;
    uint32_t count, size;
};
/* NULL: there is none. */
struct uppaal_location *uppaal_index_find(const struct uppaal_index *index, const char *key);
/* False when the key is there already. */
bool uppaal_index_add(struct mem *mem, struct uppaal_index *index, const char *key,
                      struct uppaal_location *location);
void uppaal_index_free(struct mem *mem, struct uppaal_index *index);
/* Says that two locations have this name. */
void uppaal_error_location(struct uppaal_parser *parser, const struct uppaal_location *again,
                           const struct uppaal_location *before);

/* ---- query.c ---- */

/* The tokens first .. end - 1, at least one, as a query, or a refused one: nothing is told. `wrong`
 * is what was found wrong in them before, or NULL. */
struct uppaal_query *uppaal_parse_query(struct uppaal_parser *parser, uint32_t first, uint32_t end,
                                        const struct diagnostic *wrong);

/* ---- document.c ---- */

/* Reads XML. */
void uppaal_parse_document(struct uppaal_parser *parser, uint32_t source, struct uppaal_file *file);

#endif
