/* The parser's shared state. What is read where:
 *   parse.c        the file, types, functions, and the helpers below
 *   process.c      processes, ports, parameters, components
 *   statement.c    statements, patterns, intervals
 *   expression.c   expressions and formulas
 *   property.c     patterns of properties, properties, observables
 *
 * Every function below that reads something returns it and never NULL, unless it says so; after an
 * error parser->panic is set, the result means nothing, and everything stays silent until somebody
 * recovers (at the next transition or declaration). */
#ifndef CAIRN_LANG_FIACRE_PARSER_H
#define CAIRN_LANG_FIACRE_PARSER_H

#include "lang/fiacre/ast.h"
#include "lang/fiacre/words.h"

/* When `C x`, without parentheses, is constructor C with argument x. */
enum fiacre_juxtaposition {
    FIACRE_JUXTAPOSE,          /* always */
    FIACRE_JUXTAPOSE_NO_NAMES, /* not when x is a name: in formulas, where words like `U` and
                                  `leadsto` follow an operand */
    FIACRE_JUXTAPOSE_NEVER,    /* in types, where the name of the main component may follow */
};

struct fiacre_parser {
    struct diag *diag;
    struct names *names;
    struct arena *arena;
    struct mem *mem;
    struct token *tokens;
    struct token_label *labels;
    uint32_t at;                    /* the next token */
    uint32_t label_at, label_count; /* the next label that nobody took */
    unsigned nesting;               /* brackets and statements around */
    enum fiacre_juxtaposition juxtaposition;
    bool formula; /* reading a formula: `F`, `U`, `->`, ... are operators */
    bool
        loose; /* reading a formula or an expression inside one: `!`, `==`, `&&`, ... are allowed */
    bool in_path;     /* directly inside E[...] or A[...]: `U` ends an operand */
    bool in_pattern;  /* an operand of a pattern: `and absent ...` ends it */
    bool in_scope;    /* an operand of `after`: `until` ends it */
    bool in_function; /* statements of a function */
    bool panic; /* an error was told here; stay silent until the next transition or declaration */
};

/* ---- tokens ---- */

static inline const struct token *fiacre_peek(const struct fiacre_parser *parser, unsigned ahead)
{
    const struct token *token = &parser->tokens[parser->at];
    for (; ahead && token->kind != TOKEN_END; ahead--) token++;
    return token;
}

static inline bool fiacre_at(const struct fiacre_parser *parser, unsigned kind)
{
    return parser->tokens[parser->at].kind == kind;
}

static inline struct place fiacre_here(const struct fiacre_parser *parser)
{
    return parser->tokens[parser->at].place;
}

bool fiacre_accept(struct fiacre_parser *parser, unsigned kind);
/* Reads a token or tells that it was expected after `after`. */
bool fiacre_expect(struct fiacre_parser *parser, unsigned kind, const char *after);
/* The same for what ends `what`, which began at `opened`; `choices` lists what else could have
 * stood here. */
bool fiacre_expect_close(struct fiacre_parser *parser, unsigned kind, const char *choices,
                         const char *what, struct place opened);
/* Whether a token is this name: for words that are no keywords. */
bool fiacre_is_word(const struct token *token, const char *word);
bool fiacre_accept_word(struct fiacre_parser *parser, const char *word);
/* Reads a name; "?" after an error. */
const char *fiacre_expect_name(struct fiacre_parser *parser, const char *after);
/* Reads a, b, ... and returns the list. */
struct fiacre_name *fiacre_parse_names(struct fiacre_parser *parser, const char *after);

/* The keyword that this word may be a misspelling of, among some; NULL: none. */
const char *fiacre_suggest(const struct token *token, const uint16_t *kinds, unsigned count);
/* Whether a keyword begins a declaration. */
bool fiacre_is_declaration_word(const struct token *token);
/* Whether a declaration begins here: such a keyword, or the name of the main component or of an
 * observer, alone between declarations. */
bool fiacre_begins_declaration(const struct token *token);
/* The same of a name that begins a line: it is no operand of what stands before. */
bool fiacre_is_root(const struct fiacre_parser *parser, const struct token *token);

void fiacre_error(struct fiacre_parser *parser, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected `what`, found ..."; the other one also looks for a misspelt keyword. */
void fiacre_error_expected(struct fiacre_parser *parser, const char *what);
void fiacre_error_expected_word(struct fiacre_parser *parser, const char *what,
                                const uint16_t *kinds, unsigned count);
/* One level deeper; false after telling that this is too deep. Call fiacre_leave in both cases. */
bool fiacre_enter(struct fiacre_parser *parser);
void fiacre_leave(struct fiacre_parser *parser);

/* ---- expression.c ---- */

struct fiacre_exp *fiacre_new_exp(struct fiacre_parser *parser, enum fiacre_exp_kind kind,
                                  struct place place);
/* A node over others; a, b and c may be NULL. Its depth is checked. */
struct fiacre_exp *fiacre_combine(struct fiacre_parser *parser, enum fiacre_exp_kind kind,
                                  unsigned op, struct place place, struct fiacre_exp *a,
                                  struct fiacre_exp *b, struct fiacre_exp *c);
/* Gives exp a depth over one more node below, and checks it. */
void fiacre_deepen(struct fiacre_parser *parser, struct fiacre_exp *exp,
                   const struct fiacre_exp *below);
struct fiacre_exp *fiacre_parse_exp(struct fiacre_parser *parser);
/* Without conditions and comparisons: sizes and bounds. */
struct fiacre_exp *fiacre_parse_arithmetic(struct fiacre_parser *parser);
/* Up to comparisons, as after `value`. */
struct fiacre_exp *fiacre_parse_comparison(struct fiacre_parser *parser);
/* e, e, ..., each read by `parse`; *count is how many. */
typedef struct fiacre_exp *fiacre_parse_one(struct fiacre_parser *parser);
struct fiacre_exp *fiacre_parse_list(struct fiacre_parser *parser, fiacre_parse_one *parse,
                                     uint32_t *count);
/* A formula, with patterns of properties. */
struct fiacre_exp *fiacre_parse_formula(struct fiacre_parser *parser);
/* An operand of a pattern: a formula without patterns; when an `and` follows that is not part of
 * it, one that binds tighter. */
struct fiacre_exp *fiacre_parse_pattern_operand(struct fiacre_parser *parser, bool before_and);
/* Whether a token can begin an operand of a formula: tells the operator F in `F p` from a variable
 * in `F = 1`. */
bool fiacre_begins_operand(const struct token *token);
/* [b] and .f after a, as often as they come. */
struct fiacre_exp *fiacre_parse_postfix(struct fiacre_parser *parser, struct fiacre_exp *a);

/* ---- property.c ---- */

/* NULL when no pattern begins here. */
struct fiacre_exp *fiacre_parse_pattern_prefix(struct fiacre_parser *parser);
/* `left` itself when no `leadsto` or `precedes` follows. */
struct fiacre_exp *fiacre_parse_pattern_infix(struct fiacre_parser *parser,
                                              struct fiacre_exp *left);
bool fiacre_begins_pattern(const struct fiacre_parser *parser, const struct token *token);
/* NULL when no path like `Main/1/state s` begins here. */
struct fiacre_exp *fiacre_parse_observable(struct fiacre_parser *parser);
/* [ltl | ctl | invariant] formula; or only a formula. */
void fiacre_parse_property(struct fiacre_parser *parser, bool with_kind,
                           struct fiacre_property *property);

/* ---- statement.c ---- */

/* s; s; ... */
struct fiacre_stmt *fiacre_parse_stmts(struct fiacre_parser *parser);
/* Forgets the labels up to here: they stand outside of transitions. */
void fiacre_skip_labels(struct fiacre_parser *parser);
struct fiacre_interval *fiacre_parse_interval(struct fiacre_parser *parser);
/* A number or decimal. */
struct fiacre_time fiacre_parse_time(struct fiacre_parser *parser, const char *after);

/* ---- parse.c, process.c ---- */

struct fiacre_type *fiacre_parse_type(struct fiacre_parser *parser);
struct fiacre_channel *fiacre_parse_channel(struct fiacre_parser *parser);
struct fiacre_variable *fiacre_parse_variables(struct fiacre_parser *parser);
/* ( a, b : T, ... ); `&`, `read` and `write` when references are allowed. NULL for `()` */
struct fiacre_variable *fiacre_parse_parameters(struct fiacre_parser *parser, bool references);
struct fiacre_process *fiacre_parse_process(struct fiacre_parser *parser);
struct fiacre_component *fiacre_parse_component(struct fiacre_parser *parser);

#endif
