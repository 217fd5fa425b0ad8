#include "lang/cairn/reader.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- tokens ---- */

bool reader_unexpected(struct reader *reader, const char *wanted)
{
    char shown[48];
    diag_error(reader->diag, DIAG_SYNTAX, reader_peek(reader)->place, "expected %s, found %s",
               wanted, token_show(reader_peek(reader), shown));
    return false;
}

bool reader_accept(struct reader *reader, enum token_kind kind)
{
    if (reader_peek(reader)->kind != kind) return false;
    if (kind != TOKEN_END) reader->at++;
    return true;
}

bool reader_expect(struct reader *reader, enum token_kind kind, const char *wanted)
{
    return reader_accept(reader, kind) || reader_unexpected(reader, wanted);
}

bool reader_is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

bool reader_accept_word(struct reader *reader, const char *word)
{
    if (!reader_is_word(reader_peek(reader), word)) return false;
    reader->at++;
    return true;
}

bool reader_string(struct reader *reader, const char *wanted, const char **text)
{
    *text = reader_peek(reader)->text;
    return reader_expect(reader, TOKEN_STRING, wanted);
}

/* The lowest number has a word of its own, because its digits without the sign are no number. */
bool reader_number(struct reader *reader, const char *wanted, int64_t *value)
{
    if (reader_accept_word(reader, "lowest")) return *value = INT64_MIN, true;
    bool negative = reader_accept(reader, TOKEN_MINUS);
    *value = (int64_t)reader_peek(reader)->number;
    if (!reader_expect(reader, TOKEN_NUMBER, wanted)) return false;
    if (negative) *value = -*value;
    return true;
}

bool reader_count(struct reader *reader, const char *wanted, uint64_t most, uint32_t *value)
{
    const struct token *token = reader_peek(reader);
    if (!reader_expect(reader, TOKEN_NUMBER, wanted)) return false;
    *value = (uint32_t)token->number;
    if (token->number <= most) return true;
    diag_error(reader->diag, DIAG_LIMIT, token->place, "expected %s, and at most %" PRIu64, wanted,
               most);
    return false;
}

bool reader_range(struct reader *reader, int64_t *low, int64_t *high)
{
    const struct token *start = reader_peek(reader);
    if (!reader_number(reader, "the lowest value", low)) return false;
    if (!reader_expect(reader, TOKEN_RANGE, "'..'")
        || !reader_number(reader, "the highest value", high))
        return false;
    if (*low <= *high) return true;
    diag_error(reader->diag, DIAG_RANGE, start->place,
               "the range %" PRId64 "..%" PRId64 " is empty", *low, *high);
    return false;
}

bool reader_place(struct reader *reader, struct place *place)
{
    uint32_t number = 1;
    const struct token *start = reader_peek(reader);
    *place = (struct place){.source = start->place.source};
    if (!reader_accept_word(reader, "at")) return true;
    if (!reader_count(reader, "a line number", UINT32_MAX, &place->line)
        || !reader_expect(reader, TOKEN_COLON, "':' and a column"))
        return false;
    if (!reader_count(reader, "a column number", UINT32_MAX, &place->column)) return false;
    if (reader_accept_word(reader, "in")
        && !reader_count(reader, "the number of a source", UINT32_MAX, &number))
        return false;
    if (!place->line || !number || number > reader->sources.len) {
        diag_error(reader->diag, DIAG_RANGE, start->place,
                   !place->line ? "lines are counted from 1"
                                : "no source is declared for this position");
        return false;
    }
    place->source = reader->sources.data[number - 1];
    assert(place->source < reader->diag->sources.len);
    return true;
}

/* ---- names ---- */

static uint32_t count_names(const struct model *model, enum reader_scope scope)
{
    switch (scope) {
    case SCOPE_VARIABLE: return model->vars.len;
    case SCOPE_PROCESS: return model->processes.len;
    case SCOPE_CLOCK: return model->clocks.len;
    case SCOPE_LOCAL: return model->locals.len;
    default: return 0;
    }
}

static const char *name_of(const struct model *model, enum reader_scope scope, uint32_t i)
{
    assert(i < count_names(model, scope));
    return scope == SCOPE_VARIABLE  ? model->vars.data[i].name
           : scope == SCOPE_PROCESS ? model->processes.data[i].name
           : scope == SCOPE_CLOCK   ? model->clocks.data[i].name
                                    : model->locals.data[i].name;
}

/* Looking for a similar name is left out when nobody would see it. */
bool reader_unknown(struct reader *reader, const struct token *token, enum reader_scope scope,
                    const char *what)
{
    const struct model *model = reader->model;
    const char *nearest = NULL;
    unsigned distance = 0;
    uint32_t count = reader->diag->errors >= DIAG_MAX_ERRORS ? 0 : count_names(model, scope);
    for (uint32_t i = 0; i < count; i++)
        text_nearest(token->text, name_of(model, scope, i), &nearest, &distance);
    diag_suggest(reader->diag, nearest);
    if (nearest)
        diag_error(reader->diag, DIAG_UNKNOWN, token->place,
                   "unknown %s \"%.60s\": did you mean \"%s\"?", what, token->text, nearest);
    else
        diag_error(reader->diag, DIAG_UNKNOWN, token->place, "unknown %s \"%.60s\"", what,
                   token->text);
    return false;
}

bool reader_reference(struct reader *reader, enum reader_scope scope, const char *what,
                      uint32_t *index)
{
    const struct token *token = reader_peek(reader);
    if (!reader_expect(reader, TOKEN_STRING, what)) return false;
    *index = map_get(&reader->names, token->text, scope);
    return *index != MAP_NONE || reader_unknown(reader, token, scope, what);
}

bool reader_local(struct reader *reader, uint32_t *index)
{
    const struct token *token = reader_peek(reader);
    if (token->kind != TOKEN_NUMBER) {
        if (!reader_reference(reader, SCOPE_LOCAL, "local", index)) return false;
        if (map_get(&reader->names, token->text, SCOPE_AMBIGUOUS) == MAP_NONE) return true;
        diag_error(
            reader->diag, DIAG_UNKNOWN, token->place,
            "there are several locals \"%.60s\": one of them is meant by its number, from 0 on",
            token->text);
        return false;
    }
    if (!reader_count(reader, "a local", UINT32_MAX, index)) return false;
    if (*index < reader->model->locals.len) return true;
    diag_error(reader->diag, DIAG_UNKNOWN, token->place, "there is no local number %" PRIu32,
               *index);
    return false;
}

bool reader_array(struct reader *reader, bool local, uint32_t *base, uint32_t *count)
{
    if (!(local ? reader_local(reader, base)
                : reader_reference(reader, SCOPE_VARIABLE, "variable", base)))
        return false;
    const struct token *token = reader_peek(reader);
    if (!reader_count(reader, "the number of cells that can be meant", UINT32_MAX, count))
        return false;
    uint32_t last = local ? reader->model->locals.len : reader->model->vars.len;
    if (*count && *count <= last - *base) return true;
    if (!*count)
        diag_error(reader->diag, DIAG_RANGE, token->place, "at least one cell can be meant");
    else
        diag_error(reader->diag, DIAG_RANGE, token->place,
                   "there are only %" PRIu32 " cells from here on", last - *base);
    return false;
}

bool reader_declare(struct reader *reader, const struct token *token, enum reader_scope scope,
                    uint32_t index, const char *what)
{
    assert(index != MAP_NONE);
    if (map_add(&reader->names, token->text, scope, index)) return true;
    diag_error(reader->diag, DIAG_DUPLICATE, token->place, "the %s \"%.60s\" is declared twice",
               what, token->text);
    return false;
}
