#include "lang/cairn/query.h"

#include "lang/cairn/expression.h"

#include <assert.h>

static bool read_kind(struct reader *reader, enum query_kind *kind)
{
    for (unsigned i = 0; i <= QUERY_BOUNDS; i++)
        if (reader_accept_word(reader, query_kind_name[i])) return *kind = i, true;
    return reader_unexpected(
        reader, "'always', 'sometime', 'keeps', 'meets', 'leads', 'sup', 'inf' or 'bounds'");
}

/* What the largest or smallest value is asked of. */
static bool read_term(struct reader *reader, struct query_term *term)
{
    struct term value;
    *term = (struct query_term){0};
    if (!reader_string(reader, "the text of the term in quotes", &term->text)) return false;
    term->is_clock = reader_accept_word(reader, "clock");
    if (term->is_clock) return reader_reference(reader, SCOPE_CLOCK, "clock", &term->clock);
    if (!reader_accept_word(reader, "value"))
        return reader_unexpected(reader, "'clock' or 'value'");
    if (!expression_read(reader, PROPERTY_INVARIANT, &value)
        || !expression_is_number(reader, &value))
        return false;
    term->value = value.e;
    return true;
}

/* How people would write the query: for one that brings no text. */
static const char *describe(struct reader *reader, const struct model_query *query,
                            const struct query_term *terms)
{
    static const char *const signs[] = {"A[] ", "E<> ", "E[] ", "A<> ",
                                        "",     "sup{", "inf{", "bounds{"};
    struct text text;
    assert(query->kind < sizeof signs / sizeof *signs && (!query->terms || terms));
    text_init(&text, reader_mem(reader));
    text_add(&text, "%s", signs[query->kind]);
    model_print_formula(reader->model, &text, query->p);
    if (query->kind == QUERY_LEADS) {
        text_add(&text, " --> ");
        model_print_formula(reader->model, &text, query->q);
    }
    for (uint32_t i = 0; i < query->terms; i++)
        text_add(&text, "%s%s", i ? ", " : "}: ", terms[i].text);
    const char *copy = arena_copy(&reader->model->arena, text.data, text.len);
    text_free(&text);
    return copy;
}

/* No other property may have the name that this query will have. */
static bool is_name_free(struct reader *reader, struct place place)
{
    struct model *model = reader->model;
    const char *name = names_format(&model->names, "query[%u]", model->queries.len);
    if (map_add(&reader->names, name, SCOPE_PROPERTY, model->properties.len)) return true;
    diag_error(reader->diag, DIAG_DUPLICATE, place,
               "this query would be named '%s', and so is another property", name);
    return false;
}

/* After the kind: text, formulas and terms. */
static bool read_clauses(struct reader *reader, struct model_query *query, const char **text)
{
    if (reader_accept_word(reader, "text")
        && !reader_string(reader, "the text of the query in quotes", text))
        return false;
    if (!reader_accept_word(reader, "formula")) return reader_unexpected(reader, "'formula'");
    if (!expression_formula(reader, PROPERTY_QUERY, &query->p)) return false;
    query->q = query->p;
    if (query->kind != QUERY_LEADS) return true;
    if (!reader_accept_word(reader, "then")) return reader_unexpected(reader, "'then'");
    return expression_formula(reader, PROPERTY_QUERY, &query->q);
}

bool query_read(struct reader *reader)
{
    struct model *model = reader->model;
    const struct token *token = reader_peek(reader);
    struct model_query query = {0};
    struct place place;
    const char *text = NULL;
    VEC(struct query_term) terms = {0};
    if (!read_kind(reader, &query.kind) || !reader_place(reader, &place)) return false;
    reader->root_place = &place;
    bool good = read_clauses(reader, &query, &text);
    reader->root_place = NULL;
    while (good && query.kind >= QUERY_SUP && reader_accept_word(reader, "term")) {
        struct query_term term;
        good = read_term(reader, &term);
        vec_push(model->mem, &terms, term);
    }
    query.terms = terms.len;
    if (good && query.kind >= QUERY_SUP && !query.terms) good = reader_unexpected(reader, "'term'");
    const bool is_wanted = good && !reader->drops_queries;
    good = good && (!is_wanted || is_name_free(reader, token->place));
    if (good && is_wanted)
        model_add_query(model, query, terms.data,
                        text ? text : describe(reader, &query, terms.data), place);
    vec_free(model->mem, &terms);
    return good;
}
