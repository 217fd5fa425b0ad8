/* Queries. What is wrong with one is not told but kept with it, so that whoever asked can leave it
 * out: it is parsed with diagnostics of its own.
 *
 * What is outside of the classical language is recognised by how it begins, before anything else of
 * it is looked at: it is never half read. */
#include "lang/uppaal/parse.h"
#include "lang/uppaal/parser.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- what is refused ---- */

static const struct {
    const char *word, *what;
} foreign[] = {
    {"Pr", "a statistical query (Pr)"},
    {"simulate", "a statistical query (simulate)"},
    {"simulation", "a query about refinement (simulation)"},
    {"control", "a query about a game (control)"},
    {"control_t", "a query about a game (control_t)"},
    {"strategy", "a query about strategies (strategy)"},
    {"saveStrategy", "a query about strategies (saveStrategy)"},
    {"loadStrategy", "a query about strategies (loadStrategy)"},
    {"minE", "a query about strategies (minE)"},
    {"maxE", "a query about strategies (maxE)"},
    {"minPr", "a query about strategies (minPr)"},
    {"maxPr", "a query about strategies (maxPr)"},
    {"Pmax", "a statistical query (Pmax)"},
    {"scenario", "a query about live sequence charts (scenario)"},
    {"refinement", "a query about refinement (refinement)"},
    {"specification", "a query about refinement (specification)"},
    {"implementation", "a query about refinement (implementation)"},
    {"consistency", "a query about refinement (consistency)"},
};

static const char *foreign_word(const struct token *token, const struct token *next)
{
    if (token->kind != TOKEN_NAME || next->kind == TOKEN_DOT) return NULL;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (!strcmp(foreign[i].word, token->text)) return foreign[i].what;
    return NULL;
}

/* What `A[` or `E[` begins here, when it is no index: NULL. */
static const char *foreign_bracket(const struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser), *at = token + 1;
    uint32_t depth = 0;
    if (at->kind != TOKEN_OPEN_SQUARE || uppaal_begins_temporal(parser)) return NULL;
    for (; at->kind != TOKEN_END; at++) {
        if (at->kind == TOKEN_OPEN_SQUARE) depth++;
        if (at->kind == TOKEN_CLOSE_SQUARE && !--depth) break;
        if (depth == 1 && (uppaal_is_word(at, "U") || uppaal_is_word(at, "W")))
            return "the operator 'until' (A[p U q], E[p U q])";
    }
    bool is_bound = token[2].kind == TOKEN_LE || token[2].kind == TOKEN_HASH;
    return is_bound || (at->kind != TOKEN_END && at[1].kind == TOKEN_OPEN)
               ? "a statistical query (E[...])"
               : NULL;
}

/* Whether the query here is of another logic; it is refused then. */
static bool refuse_query(struct uppaal_parser *parser)
{
    const struct token *token = uppaal_peek(parser);
    const char *what = foreign_word(token, uppaal_ahead(parser, 1));
    if (token->kind == TOKEN_OPEN_CURLY) what = "a query about a game ({...} control)";
    else if (uppaal_is_word(token, "A") || uppaal_is_word(token, "E"))
        what = foreign_bracket(parser);
    if (what) uppaal_refuse(parser, token->place, what);
    return what != NULL;
}

/* ---- reading ---- */

static bool is_values_word(const struct token *token, const struct token *next)
{
    return (next->kind == TOKEN_COLON || next->kind == TOKEN_OPEN_CURLY)
           && (uppaal_is_word(token, "sup") || uppaal_is_word(token, "inf")
               || uppaal_is_word(token, "bounds"));
}

/* sup{p}: e, e */
static void parse_values(struct uppaal_parser *parser, struct uppaal_query *query)
{
    const char *word = uppaal_peek(parser)->text;
    query->kind = *word == 's'   ? UPPAAL_QUERY_SUP
                  : *word == 'i' ? UPPAAL_QUERY_INF
                                 : UPPAAL_QUERY_BOUNDS;
    parser->at++;
    struct place opened = uppaal_here(parser);
    if (uppaal_accept(parser, TOKEN_OPEN_CURLY)) {
        query->p = uppaal_parse_exp(parser);
        uppaal_expect_close(parser, TOKEN_CLOSE_CURLY, "an operator", "the condition", opened);
    }
    uppaal_expect(parser, TOKEN_COLON, "the condition");
    if (!parser->panic) query->terms = uppaal_parse_exps(parser, NULL);
}

static void parse_path(struct uppaal_parser *parser, struct uppaal_query *query)
{
    bool all = *uppaal_peek(parser)->text == 'A';
    bool always = uppaal_ahead(parser, 1)->kind == TOKEN_OPEN_SQUARE;
    query->kind = all ? (always ? UPPAAL_QUERY_ALWAYS : UPPAAL_QUERY_MEETS)
                      : (always ? UPPAAL_QUERY_KEEPS : UPPAAL_QUERY_SOMETIME);
    parser->at += 3;
    unsigned next = uppaal_peek(parser)->kind;
    if ((next == TOKEN_TIMES || next == TOKEN_PLUS) && !uppaal_peek(parser)->after_space)
        uppaal_refuse(parser, uppaal_here(parser), "this operator");
    query->p = uppaal_parse_exp(parser);
}

static void parse_leads(struct uppaal_parser *parser, struct uppaal_query *query)
{
    struct place begin = uppaal_here(parser);
    query->kind = UPPAAL_QUERY_LEADS;
    query->p = uppaal_parse_exp(parser);
    if (uppaal_at(parser, TOKEN_END) || uppaal_at(parser, TOKEN_SEMICOLON))
        uppaal_error(parser, DIAG_SYNTAX, begin,
                     "a query begins with A[], E<>, E[] or A<>, or is of the form p --> q, "
                     "sup: e, inf: e or bounds: e");
    if (!uppaal_accept(parser, UPPAAL_TOKEN_LEADS)) return;
    query->q = uppaal_parse_exp(parser);
}

static void parse_whole(struct uppaal_parser *parser, struct uppaal_query *query)
{
    if (refuse_query(parser)) return;
    if (is_values_word(uppaal_peek(parser), uppaal_ahead(parser, 1))) parse_values(parser, query);
    else if (uppaal_begins_temporal(parser)) parse_path(parser, query);
    else parse_leads(parser, query);
    uppaal_check_rates(parser);
    if (uppaal_is_word(uppaal_peek(parser), "under"))
        uppaal_refuse(parser, uppaal_here(parser), "a query under a strategy");
    uppaal_accept(parser, TOKEN_SEMICOLON);
    if (!uppaal_at(parser, TOKEN_END)) {
        if (uppaal_at(parser, UPPAAL_TOKEN_LEADS) && query->kind != UPPAAL_QUERY_LEADS)
            uppaal_error(parser, DIAG_UNSUPPORTED, uppaal_here(parser),
                         "'-->' with another temporal operator: only one is read");
        uppaal_error_expected(parser, "an operator or the end of the query");
    }
    assert(parser->panic || query->terms
           || (query->p && (query->q || query->kind != UPPAAL_QUERY_LEADS)));
}

/* ---- refusing without telling ---- */

static void keep_refusal(struct uppaal_parser *parser, struct uppaal_query *query,
                         const struct diagnostic *wrong)
{
    query->refused = names_intern(parser->names, wrong->text, strlen(wrong->text));
    query->refused_place = wrong->range.start;
    query->refused_code = wrong->code;
}

/* Diagnostics that nobody hears. */
static struct diag begin_quietly(const struct diag *diag)
{
    struct diag quiet;
    diag_init(&quiet, diag->mem);
    quiet.sources = diag->sources;
    return quiet;
}

static void end_quietly(struct diag *quiet)
{
    for (uint32_t i = 0; i < quiet->list.len; i++) {
        mem_free(quiet->mem, (void *)quiet->list.data[i].text);
        mem_free(quiet->mem, (void *)quiet->list.data[i].suggestion);
    }
    vec_free(quiet->mem, &quiet->list);
}

/* Tokens as they were written, one blank where there was white space. */
static const char *written_text(struct uppaal_parser *parser, uint32_t first, uint32_t end)
{
    struct text text;
    text_init(&text, parser->mem);
    for (uint32_t i = first; i < end; i++) {
        const struct token *token = &parser->tokens[i];
        assert(token->kind != TOKEN_END);
        text_add(&text, "%s%.*s", token->after_space && i > first ? " " : "",
                 (int)(token->end - token->start), parser->text + token->start);
    }
    const char *kept = names_intern(parser->names, text.data, text.len);
    text_free(&text);
    return kept;
}

/* What ends a query: a token behind its last one, on the same line. */
static struct token end_of(const struct token *last, const struct token *next)
{
    struct token token = *next;
    token.kind = TOKEN_END;
    token.text = "the end of the query";
    if (next->place.line != last->place.line) {
        token.place = last->place;
        token.place.column += last->end - last->start;
    }
    return token;
}

struct uppaal_query *uppaal_parse_query(struct uppaal_parser *parser, uint32_t first, uint32_t end,
                                        const struct diagnostic *wrong)
{
    assert(first < end);
    uint32_t count = end - first;
    struct uppaal_query *query = arena_alloc(parser->arena, sizeof *query);
    struct token *tokens = mem_alloc(parser->mem, (count + 1) * sizeof *tokens);
    memcpy(tokens, parser->tokens + first, count * sizeof *tokens);
    tokens[count] = end_of(&tokens[count - 1], &parser->tokens[end]);
    query->place = tokens[0].place;
    query->text = written_text(parser, first, end);
    struct diag quiet = begin_quietly(parser->diag);
    struct uppaal_parser inner = *parser;
    inner.diag = &quiet;
    inner.tokens = tokens;
    inner.at = inner.negated = 0;
    inner.in_query = true;
    inner.panic = false;
    parse_whole(&inner, query);
    bool foreign_logic = quiet.list.len && quiet.list.data[0].code == DIAG_UNSUPPORTED;
    if (wrong && !foreign_logic) keep_refusal(parser, query, wrong);
    else if (quiet.list.len) keep_refusal(parser, query, &quiet.list.data[0]);
    else if (quiet.errors) mem_refuse(parser->mem); /* it could not even be kept */
    end_quietly(&quiet);
    mem_free(parser->mem, tokens);
    return query;
}

void uppaal_tell_query(struct diag *diag, const struct uppaal_query *query)
{
    assert(query->refused);
    diag_error(diag, query->refused_code, query->refused_place, "%s", query->refused);
}

/* ---- files of queries ---- */

struct query_file {
    struct uppaal_parser parser;
    struct diag quiet;
    struct tokens tokens;
    uint32_t told; /* what was found wrong so far, of quiet.list */
    struct uppaal_query *first, **last;
};

static const struct diagnostic *first_wrong(struct query_file *file, uint32_t below_line)
{
    const struct diagnostic *wrong = NULL;
    for (; file->told < file->quiet.list.len; file->told++) {
        const struct diagnostic *one = &file->quiet.list.data[file->told];
        if (one->range.start.line >= below_line) break;
        if (!wrong && one->severity == DIAG_ERROR) wrong = one;
    }
    return wrong;
}

/* There were too many errors to keep them all: whatever stands behind the last one that was kept
 * may be wrong. */
static const struct diagnostic *maybe_wrong(const struct query_file *file)
{
    const uint32_t kept = file->quiet.list.len;
    return file->told == kept && kept < file->quiet.errors ? &file->quiet.list.data[kept - 1]
                                                           : NULL;
}

/* A line on which nothing can be read at all is a refused query, too. */
static void add_nothing(struct query_file *file, const struct diagnostic *wrong)
{
    struct uppaal_query *query = arena_alloc(file->parser.arena, sizeof *query);
    query->place = wrong->range.start;
    query->text = "";
    keep_refusal(&file->parser, query, wrong);
    *file->last = query;
    file->last = &query->next;
}

/* The tokens first .. end - 1 are a query; what comes then begins on line `below`. */
static void add_query(struct query_file *file, uint32_t first, uint32_t end, uint32_t below)
{
    const struct diagnostic *wrong;
    if (first < end) {
        uint32_t line = file->tokens.list.data[first].place.line;
        if ((wrong = first_wrong(file, line)) != NULL) add_nothing(file, wrong);
        wrong = first_wrong(file, below);
        if (!wrong) wrong = maybe_wrong(file);
        *file->last = uppaal_parse_query(&file->parser, first, end, wrong);
        file->last = &(*file->last)->next;
    } else if ((wrong = first_wrong(file, below)) != NULL) {
        add_nothing(file, wrong);
    }
}

struct uppaal_query *uppaal_parse_queries(struct diag *diag, struct names *names,
                                          struct arena *arena, struct mem *mem, uint32_t source)
{
    struct query_file file = {.parser = {.names = names, .arena = arena, .mem = mem},
                              .quiet = begin_quietly(diag)};
    file.last = &file.first;
    file.parser.diag = &file.quiet;
    file.parser.text = diag->sources.data[source].text;
    lexer_run(&file.quiet, names, &uppaal_lexis, source, &file.tokens);
    file.parser.tokens = file.tokens.list.data;
    if (file.quiet.errors && !file.quiet.list.len) mem_refuse(mem); /* none could be kept */
    uint32_t first = 0, count = file.tokens.list.len - 1;
    for (uint32_t i = 1; i <= count; i++) {
        const struct token *token = &file.tokens.list.data[i];
        if (i < count && !token->begins_line) continue;
        add_query(&file, first, i, i < count ? token->place.line : UINT32_MAX);
        first = i;
    }
    if (!count) add_query(&file, 0, 0, UINT32_MAX);
    lexer_free(diag->mem, &file.tokens);
    end_quietly(&file.quiet);
    return file.first;
}
