/* Types, variables, functions, instances, priorities, the system line. Both syntaxes are taken at
 * once: where they differ the text itself tells (`const N 5`, parameters between `;`). */
#include "lang/uppaal/parser.h"

#include <assert.h>
#include <string.h>

/* ---- types ---- */

static unsigned prefix_of(unsigned kind)
{
    switch (kind) {
    case UPPAAL_WORD_CONST: return UPPAAL_CONST;
    case UPPAAL_WORD_META: return UPPAAL_META;
    case UPPAAL_WORD_URGENT: return UPPAAL_URGENT;
    case UPPAAL_WORD_BROADCAST: return UPPAAL_BROADCAST;
    default: return 0;
    }
}

static bool is_type_word(unsigned kind)
{
    switch (kind) {
    case UPPAAL_WORD_INT:
    case UPPAAL_WORD_BOOL:
    case UPPAAL_WORD_CLOCK:
    case UPPAAL_WORD_CHAN:
    case UPPAAL_WORD_VOID:
    case UPPAAL_WORD_SCALAR:
    case UPPAAL_WORD_STRUCT:
    case UPPAAL_WORD_DOUBLE: return true;
    default: return prefix_of(kind) != 0;
    }
}

bool uppaal_begins_type(const struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser), *next = uppaal_ahead(parser, 1);
    if (token->kind != TOKEN_NAME) return is_type_word(token->kind);
    return next->kind == TOKEN_NAME
           || (next->kind == TOKEN_AMPERSAND && uppaal_ahead(parser, 2)->kind == TOKEN_NAME)
           || (uppaal_is_word(token, "hybrid") && next->kind == UPPAAL_WORD_CLOCK);
}

static unsigned parse_prefixes(struct uppaal_parser *parser)
{
    unsigned all = 0, one;
    while (!parser->panic && (one = prefix_of(uppaal_peek(parser)->kind)) != 0) {
        unsigned both = all | one;
        char shown[48];
        if (all & one || (both & (UPPAAL_CONST | UPPAAL_META) && both != one))
            uppaal_error(parser, DIAG_CONFLICT, uppaal_here(parser),
                         "%s does not go with what stands before it",
                         token_show(uppaal_peek(parser), shown));
        all = both;
        parser->at++;
    }
    return all;
}

/* [low, high] of an int, [low] of a scalar. */
static void parse_range(struct uppaal_parser *parser, struct uppaal_type *type)
{
    struct place opened = uppaal_here(parser);
    bool is_scalar = type->kind == UPPAAL_TYPE_SCALAR;
    if (is_scalar ? !uppaal_expect(parser, TOKEN_OPEN_SQUARE, "'scalar'")
                  : !uppaal_accept(parser, TOKEN_OPEN_SQUARE))
        return;
    type->low = uppaal_parse_exp(parser);
    if (!is_scalar) {
        uppaal_expect(parser, TOKEN_COMMA, "the lower bound");
        type->high = uppaal_parse_exp(parser);
    }
    uppaal_expect_close(parser, TOKEN_CLOSE_SQUARE, "an operator", "the type", opened);
}

static struct uppaal_variable *new_variable(struct uppaal_parser *parser, struct uppaal_type *type,
                                            const char *after)
{
    struct uppaal_variable *variable = arena_alloc(parser->arena, sizeof *variable);
    variable->type = type;
    variable->place = uppaal_here(parser);
    variable->name = uppaal_expect_name(parser, after);
    variable->arrays = uppaal_parse_arrays(parser);
    return variable;
}

static void parse_members(struct uppaal_parser *parser, struct uppaal_type *type)
{
    struct uppaal_variable **last = &type->members;
    uppaal_expect(parser, TOKEN_OPEN_CURLY, "'struct'");
    do {
        struct uppaal_type *member = uppaal_parse_type(parser);
        do {
            *last = new_variable(parser, member, "the type");
            last = &(*last)->next;
        } while (uppaal_accept(parser, TOKEN_COMMA));
        uppaal_expect(parser, TOKEN_SEMICOLON, "the member");
    } while (!parser->panic && !uppaal_accept(parser, TOKEN_CLOSE_CURLY));
}

static int type_kind(unsigned word)
{
    switch (word) {
    case TOKEN_NAME: return UPPAAL_TYPE_NAME;
    case UPPAAL_WORD_INT: return UPPAAL_TYPE_INT;
    case UPPAAL_WORD_BOOL: return UPPAAL_TYPE_BOOL;
    case UPPAAL_WORD_CLOCK: return UPPAAL_TYPE_CLOCK;
    case UPPAAL_WORD_CHAN: return UPPAAL_TYPE_CHAN;
    case UPPAAL_WORD_VOID: return UPPAAL_TYPE_VOID;
    case UPPAAL_WORD_SCALAR: return UPPAAL_TYPE_SCALAR;
    case UPPAAL_WORD_STRUCT: return UPPAAL_TYPE_STRUCT;
    default: return -1;
    }
}

/* Types that are part of UPPAAL, and not of its classical language. */
static void refuse_type(struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser);
    if (token->kind == UPPAAL_WORD_DOUBLE)
        uppaal_refuse(parser, token->place, "the type double (floating point)");
    else if (uppaal_is_word(token, "hybrid") && token[1].kind == UPPAAL_WORD_CLOCK)
        uppaal_refuse(parser, token->place, "a hybrid clock");
    else if (uppaal_is_word(token, "string") && token[1].kind == TOKEN_NAME)
        uppaal_refuse(parser, token->place, "the type string");
}

static void parse_type_rest(struct uppaal_parser *parser, struct uppaal_type *type)
{
    if (type->kind == UPPAAL_TYPE_NAME) type->name = uppaal_peek(parser)->text;
    type->name_place = uppaal_here(parser);
    parser->at++;
    if (type->kind == UPPAAL_TYPE_INT || type->kind == UPPAAL_TYPE_SCALAR)
        parse_range(parser, type);
    if (type->kind == UPPAAL_TYPE_STRUCT) parse_members(parser, type);
}

struct uppaal_type *uppaal_parse_type(struct uppaal_parser *parser)
{
    struct uppaal_type *type = arena_alloc(parser->arena, sizeof *type);
    type->place = uppaal_here(parser);
    type->prefixes = (uint8_t)parse_prefixes(parser);
    refuse_type(parser);
    int kind = type_kind(uppaal_peek(parser)->kind);
    if (kind < 0) uppaal_error_expected(parser, "a type");
    else type->kind = (uint8_t)kind;
    if (uppaal_enter(parser) && !parser->panic) parse_type_rest(parser, type);
    uppaal_leave(parser);
    return type;
}

/* Whether a type stands in the brackets of an array, and not an expression. */
static bool begins_index_type(const struct uppaal_parser *parser)
{
    return is_type_word(uppaal_peek(parser)->kind);
}

struct uppaal_array *uppaal_parse_arrays(struct uppaal_parser *parser)
{
    struct uppaal_array *first = NULL, **last = &first;
    struct place opened = uppaal_here(parser);
    for (unsigned dimensions = 1; uppaal_accept(parser, TOKEN_OPEN_SQUARE); dimensions++) {
        if (dimensions == UPPAAL_MAX_DIMENSIONS + 1)
            uppaal_error(parser, DIAG_NESTING, opened, "this has more than %d dimensions",
                         UPPAAL_MAX_DIMENSIONS);
        struct uppaal_array *array = *last = arena_alloc(parser->arena, sizeof *array);
        array->place = uppaal_here(parser);
        if (begins_index_type(parser)) array->index = uppaal_parse_type(parser);
        else array->size = uppaal_parse_exp(parser);
        uppaal_expect_close(parser, TOKEN_CLOSE_SQUARE, "an operator", "the array", opened);
        last = &array->next;
        opened = uppaal_here(parser);
    }
    return first;
}

/* ---- parameters ---- */

/* `const n`, without a type: of version 3. */
static bool begins_old_constant(const struct uppaal_parser *parser)
{
    const struct token *next = uppaal_ahead(parser, 1), *third = uppaal_ahead(parser, 2);
    return uppaal_at(parser, UPPAAL_WORD_CONST) && next->kind == TOKEN_NAME
           && third->kind != TOKEN_NAME && third->kind != TOKEN_AMPERSAND;
}

static struct uppaal_type *parse_old_constant(struct uppaal_parser *parser)
{
    struct uppaal_type *type = arena_alloc(parser->arena, sizeof *type);
    type->place = uppaal_here(parser);
    type->kind = UPPAAL_TYPE_INT;
    type->prefixes = UPPAAL_CONST;
    parser->at++;
    return type;
}

static struct uppaal_type *parse_parameter_type(struct uppaal_parser *parser)
{
    return begins_old_constant(parser) ? parse_old_constant(parser) : uppaal_parse_type(parser);
}

struct uppaal_variable *uppaal_parse_parameters(struct uppaal_parser *parser, unsigned close)
{
    struct uppaal_variable *first = NULL, **last = &first;
    struct uppaal_type *type = NULL;
    bool goes_on = !uppaal_at(parser, close);
    while (goes_on && !parser->panic) {
        if (!type || uppaal_begins_type(parser)) type = parse_parameter_type(parser);
        bool by_reference = uppaal_accept(parser, TOKEN_AMPERSAND);
        *last = new_variable(parser, type, by_reference ? "'&'" : "the type");
        (*last)->by_reference = by_reference;
        last = &(*last)->next;
        goes_on = uppaal_accept(parser, TOKEN_COMMA);
        if (!goes_on && uppaal_accept(parser, TOKEN_SEMICOLON)) {
            parser->is_old |= !uppaal_at(parser, close);
            goes_on = !uppaal_at(parser, close);
            type = NULL;
        }
    }
    if (!uppaal_at(parser, close)) {
        uppaal_error_expected(parser, close == TOKEN_CLOSE ? "',' or ')' behind the parameter"
                                                           : "',' behind the parameter");
    }
    return first;
}

/* ( parameters ), or nothing. */
static struct uppaal_variable *parse_parameter_list(struct uppaal_parser *parser)
{
    if (!uppaal_accept(parser, TOKEN_OPEN)) return NULL;
    struct uppaal_variable *parameters = uppaal_parse_parameters(parser, TOKEN_CLOSE);
    uppaal_accept(parser, TOKEN_CLOSE);
    return parameters;
}

/* ---- variables, types, functions ---- */

struct uppaal_decl *uppaal_new_decl(struct uppaal_parser *parser, enum uppaal_decl_kind kind,
                                    const char *name, struct place place)
{
    struct uppaal_decl *decl = arena_alloc(parser->arena, sizeof *decl);
    decl->kind = (uint8_t)kind;
    decl->name = name;
    decl->place = place;
    return decl;
}

bool uppaal_begins_variable(const struct uppaal_parser *parser)
{
    return uppaal_at(parser, UPPAAL_WORD_TYPEDEF) || uppaal_begins_type(parser);
}

static struct uppaal_decl *parse_function(struct uppaal_parser *parser, struct uppaal_type *result)
{
    struct place place = uppaal_here(parser);
    struct uppaal_decl *decl = uppaal_new_decl(parser, UPPAAL_DECL_FUNCTION,
                                               uppaal_expect_name(parser, "the type"), place);
    decl->function = arena_alloc(parser->arena, sizeof *decl->function);
    decl->function->result = result;
    decl->function->parameters = parse_parameter_list(parser);
    if (!uppaal_at(parser, TOKEN_OPEN_CURLY))
        uppaal_error_expected(parser, "'{' after the parameters of the function");
    if (!parser->panic) decl->function->body = uppaal_parse_block(parser);
    decl->end = token_behind(&parser->tokens[parser->at - 1]);
    return decl;
}

/* The value of a variable or an old constant, which has no `=`. */
static struct uppaal_exp *parse_value(struct uppaal_parser *parser, bool is_old_constant)
{
    if (!uppaal_accept(parser, TOKEN_ASSIGN) && !is_old_constant) return NULL;
    return uppaal_parse_initialiser(parser);
}

static struct uppaal_decl **parse_names(struct uppaal_parser *parser, struct uppaal_type *type,
                                        enum uppaal_decl_kind kind, bool is_old_constant,
                                        struct uppaal_decl **last)
{
    do {
        struct uppaal_variable *variable = new_variable(parser, type, "the type");
        *last = uppaal_new_decl(parser, kind, variable->name, variable->place);
        (*last)->variable = variable;
        last = &(*last)->next;
        if (kind == UPPAAL_DECL_VARIABLE) variable->init = parse_value(parser, is_old_constant);
    } while (uppaal_accept(parser, TOKEN_COMMA));
    if (!uppaal_accept(parser, TOKEN_SEMICOLON))
        uppaal_error_expected(parser, "',' or ';' behind the declaration");
    return last;
}

static struct uppaal_decl **parse_typed(struct uppaal_parser *parser, enum uppaal_scope scope,
                                        struct uppaal_decl **last)
{
    bool is_old_constant = begins_old_constant(parser);
    bool is_type = uppaal_accept(parser, UPPAAL_WORD_TYPEDEF);
    struct uppaal_type *type = parse_parameter_type(parser);
    bool is_function =
        !is_type && uppaal_at(parser, TOKEN_NAME) && uppaal_ahead(parser, 1)->kind == TOKEN_OPEN;
    if (parser->panic) return last;
    if (is_function && scope == UPPAAL_SCOPE_BLOCK)
        uppaal_error(parser, DIAG_MISPLACED, uppaal_here(parser), "a function inside a function");
    if (!is_function)
        return parse_names(parser, type, is_type ? UPPAAL_DECL_TYPEDEF : UPPAAL_DECL_VARIABLE,
                           is_old_constant, last);
    *last = parse_function(parser, type);
    return &(*last)->next;
}

/* ---- instances ---- */

static bool begins_instance(const struct uppaal_parser *parser)
{
    unsigned next = uppaal_ahead(parser, 1)->kind;
    return uppaal_at(parser, TOKEN_NAME) && (next == TOKEN_ASSIGN || next == TOKEN_OPEN);
}

static struct uppaal_decl *parse_instance(struct uppaal_parser *parser)
{
    const struct token *name = uppaal_peek(parser);
    struct uppaal_decl *decl =
        uppaal_new_decl(parser, UPPAAL_DECL_INSTANCE, name->text, name->place);
    struct uppaal_instance *instance = decl->instance =
        arena_alloc(parser->arena, sizeof *instance);
    parser->at++;
    instance->parameters = parse_parameter_list(parser);
    uppaal_expect(parser, TOKEN_ASSIGN, "the name of the process");
    instance->of_place = uppaal_here(parser);
    instance->of = uppaal_expect_name(parser, "'='");
    struct place opened = uppaal_here(parser);
    uppaal_expect(parser, TOKEN_OPEN, "the name of the template");
    if (!uppaal_accept(parser, TOKEN_CLOSE) && !parser->panic) {
        instance->args = uppaal_parse_exps(parser, &instance->arg_count);
        uppaal_expect_close(parser, TOKEN_CLOSE, "',', an operator", "the arguments", opened);
    }
    uppaal_expect(parser, TOKEN_SEMICOLON, "the arguments");
    return decl;
}

/* ---- priorities ---- */

/* c, c < c: each c is read by `parse`; larger ones behind each `<`. */
static struct uppaal_ranked *parse_ranked(struct uppaal_parser *parser, const char *after,
                                          void (*parse)(struct uppaal_parser *parser,
                                                        const char *after,
                                                        struct uppaal_ranked *one))
{
    struct uppaal_ranked *first = NULL, **last = &first;
    uint32_t rank = 0;
    for (;;) {
        struct uppaal_ranked *one = *last = arena_alloc(parser->arena, sizeof *one);
        one->place = uppaal_here(parser);
        one->rank = rank;
        parse(parser, after, one);
        last = &one->next;
        if (uppaal_accept(parser, TOKEN_LT)) {
            after = "'<'";
            rank++;
        } else if (uppaal_accept(parser, TOKEN_COMMA)) {
            after = "','";
        } else {
            return first;
        }
    }
}

static void parse_ranked_process(struct uppaal_parser *parser, const char *after,
                                 struct uppaal_ranked *one)
{
    one->name = uppaal_expect_name(parser, after);
}

static void parse_ranked_channel(struct uppaal_parser *parser, const char *after,
                                 struct uppaal_ranked *one)
{
    if (uppaal_is_word(uppaal_peek(parser), "default")) {
        parser->at++;
        return;
    }
    struct uppaal_exp *exp = uppaal_new_exp(parser, UPPAAL_EXP_NAME, one->place);
    exp->name = uppaal_expect_name(parser, after);
    struct place opened = uppaal_here(parser);
    while (uppaal_accept(parser, TOKEN_OPEN_SQUARE)) {
        struct uppaal_exp *whole = uppaal_new_exp(parser, UPPAAL_EXP_INDEX, one->place);
        whole->op_place = opened;
        whole->a = exp;
        whole->b = uppaal_parse_exp(parser);
        whole->depth = 1 + (exp->depth > whole->b->depth ? exp->depth : whole->b->depth);
        if (whole->depth > UPPAAL_MAX_DEPTH)
            uppaal_error(parser, DIAG_NESTING, one->place, "this has too many dimensions");
        uppaal_expect_close(parser, TOKEN_CLOSE_SQUARE, "an operator", "the index", opened);
        opened = uppaal_here(parser);
        exp = whole;
    }
    one->channel = exp;
}

/* `chan priority` is no variable of this name. */
static bool begins_priority(const struct uppaal_parser *parser)
{
    return uppaal_at(parser, UPPAAL_WORD_CHAN)
           && uppaal_is_word(uppaal_ahead(parser, 1), "priority")
           && uppaal_ahead(parser, 2)->kind == TOKEN_NAME;
}

static struct uppaal_decl *parse_priority(struct uppaal_parser *parser)
{
    struct uppaal_decl *decl =
        uppaal_new_decl(parser, UPPAAL_DECL_PRIORITY, NULL, uppaal_here(parser));
    parser->at += 2;
    decl->ranks = parse_ranked(parser, "'priority'", parse_ranked_channel);
    if (!uppaal_accept(parser, TOKEN_SEMICOLON))
        uppaal_error_expected(parser, "'<', ',' or ';' behind the channel");
    return decl;
}

/* ---- declarations ---- */

/* What may stand here in UPPAAL, and is refused; true after an error. */
static bool refuse_declaration(struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser), *next = uppaal_ahead(parser, 1);
    if ((uppaal_is_word(token, "before_update") || uppaal_is_word(token, "after_update"))
        && next->kind == TOKEN_OPEN_CURLY)
        uppaal_refuse(parser, token->place,
                      *token->text == 'b' ? "'before_update'" : "'after_update'");
    else if (uppaal_is_word(token, "import") && next->kind == TOKEN_STRING)
        uppaal_refuse(parser, token->place, "'import' (functions of other libraries)");
    else if (uppaal_is_word(token, "dynamic") && next->kind == TOKEN_NAME)
        uppaal_refuse(parser, token->place, "'dynamic' (dynamic processes)");
    else if (uppaal_is_word(token, "IO") && next->kind == TOKEN_NAME)
        uppaal_refuse(parser, token->place, "'IO' (interfaces of games)");
    return parser->panic;
}

/* Goes on behind the declaration that begins with token `first`: a `;` outside of brackets, or the
 * end of a function's body; at the latest before a process or the system line. */
static void skip_declaration(struct uppaal_parser *parser, uint32_t first)
{
    uint32_t least = parser->at > first ? parser->at : first + !uppaal_at(parser, TOKEN_END);
    for (parser->at = first; !uppaal_at(parser, TOKEN_END);) {
        unsigned kind = uppaal_peek(parser)->kind;
        bool is_body = kind == TOKEN_OPEN_CURLY && parser->at > first
                       && parser->tokens[parser->at - 1].kind == TOKEN_CLOSE;
        if (parser->at > first
            && (kind == UPPAAL_WORD_PROCESS || kind == UPPAAL_WORD_SYSTEM
                || kind == UPPAAL_WORD_STATE))
            break;
        if (kind == TOKEN_OPEN_CURLY) uppaal_skip_brackets(parser);
        else parser->at++;
        if (is_body || kind == TOKEN_SEMICOLON || kind == TOKEN_CLOSE_CURLY) break;
    }
    if (parser->at < least) parser->at = least;
}

static struct uppaal_decl **parse_one(struct uppaal_parser *parser, enum uppaal_scope scope,
                                      struct uppaal_decl **last)
{
    bool is_global = scope == UPPAAL_SCOPE_GLOBAL;
    if (refuse_declaration(parser)) return last;
    if (is_global && begins_priority(parser)) *last = parse_priority(parser);
    else if (is_global && uppaal_accept(parser, UPPAAL_WORD_PROCESS))
        *last = uppaal_parse_process(parser);
    else if (is_global && begins_instance(parser)) *last = parse_instance(parser);
    else if (uppaal_begins_variable(parser)) return parse_typed(parser, scope, last);
    else uppaal_error_expected(parser, "a declaration");
    return *last ? &(*last)->next : last;
}

struct uppaal_decl **uppaal_parse_declaration(struct uppaal_parser *parser, enum uppaal_scope scope,
                                              struct uppaal_decl **last)
{
    uint32_t before = parser->at;
    last = parse_one(parser, scope, last);
    uppaal_check_rates(parser);
    if (!parser->panic || scope == UPPAAL_SCOPE_BLOCK) return last;
    skip_declaration(parser, before);
    parser->panic = false;
    return last;
}

struct uppaal_decl **uppaal_parse_declarations(struct uppaal_parser *parser,
                                               enum uppaal_scope scope, struct uppaal_decl **last)
{
    while (!uppaal_at(parser, TOKEN_END)) {
        if (uppaal_accept(parser, TOKEN_SEMICOLON)) continue; /* many files have too many */
        last = uppaal_parse_declaration(parser, scope, last);
    }
    return last;
}

/* ---- the system ---- */

/* query { ... } of XTA */
static struct uppaal_query *parse_query_block(struct uppaal_parser *parser)
{
    parser->at++;
    assert(uppaal_at(parser, TOKEN_OPEN_CURLY));
    uint32_t first = parser->at + 1;
    uppaal_skip_brackets(parser);
    uint32_t end = parser->at - 1;
    if (parser->tokens[end].kind != TOKEN_CLOSE_CURLY || end < first) {
        uppaal_error_expected(parser, "'}' behind the query");
        return NULL;
    }
    return end > first ? uppaal_parse_query(parser, first, end, NULL) : NULL;
}

/* progress { ... }, gantt { ... }, query { ... } */
static void parse_after_system(struct uppaal_parser *parser, struct uppaal_query **last)
{
    while (!uppaal_at(parser, TOKEN_END) && !parser->panic) {
        const struct token *token = uppaal_peek(parser);
        if (token->kind == TOKEN_SEMICOLON) {
            parser->at++;
        } else if (uppaal_ahead(parser, 1)->kind != TOKEN_OPEN_CURLY) {
            uppaal_error_expected(parser, "nothing more behind the system line");
        } else if (uppaal_is_word(token, "progress") || uppaal_is_word(token, "gantt")) {
            parser->at++;
            uppaal_skip_brackets(parser);
        } else if (uppaal_is_word(token, "query")) {
            *last = parse_query_block(parser);
            if (*last) last = &(*last)->next;
        } else {
            uppaal_error_expected(parser, "'progress', 'gantt' or 'query'");
        }
    }
}

void uppaal_parse_system(struct uppaal_parser *parser, struct uppaal_file *file,
                         struct uppaal_decl **last, struct uppaal_query **last_query)
{
    while (!uppaal_at(parser, TOKEN_END) && !uppaal_at(parser, UPPAAL_WORD_SYSTEM)) {
        if (uppaal_accept(parser, TOKEN_SEMICOLON)) continue;
        last = uppaal_parse_declaration(parser, UPPAAL_SCOPE_GLOBAL, last);
    }
    file->system_place = uppaal_here(parser);
    if (!uppaal_accept(parser, UPPAAL_WORD_SYSTEM)) {
        uppaal_error(parser, DIAG_MISSING, file->system_place,
                     "there is no system line: 'system' with the names of processes");
        return;
    }
    file->system = parse_ranked(parser, "'system'", parse_ranked_process);
    if (!uppaal_accept(parser, TOKEN_SEMICOLON))
        uppaal_error_expected(parser, "',', '<' or ';' behind the process");
    parse_after_system(parser, last_query);
}
