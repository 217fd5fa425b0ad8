#include "lsp/answer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- places ---- */

static json_t *range_of_place(struct lsp_text *text, struct place start, uint32_t end_line,
                              uint32_t end_column)
{
    size_t from = lsp_text_offset_of_place(text, start.line, start.column),
           to = lsp_text_offset_of_place(text, end_line, end_column);
    return lsp_text_range(text, from, to < from ? from : to);
}

static size_t end_of_word(const struct lsp_text *text, size_t from)
{
    size_t to = from;
    while (to < text->length && lsp_is_word(text->data[to])) to++;
    if (to == from && to < text->length && text->data[to] != '\n') to++;
    return to;
}

json_t *lsp_answer_range(struct lsp_document *d, const struct symbol *symbol)
{
    size_t from = lsp_text_offset_of_place(&d->text, symbol->place.line, symbol->place.column);
    return lsp_text_range(&d->text, from, end_of_word(&d->text, from));
}

/* The texts of other files: those that are open, or else from the disk. */
struct other_text {
    struct mem mem;
    struct lsp_text text, *at;
};

static void read_other(struct other_text *other, const struct lsp_asker *asker, const char *path)
{
    struct lsp_document *d = asker->others;
    mem_init(&other->mem);
    while (d && strcmp(d->path, path)) d = d->next;
    other->at = d ? &d->text : &other->text;
    if (d) return;
    struct diag diag;
    uint32_t source;
    diag_init(&diag, &other->mem);
    lsp_text_init(&other->text, &other->mem, asker->in_bytes);
    if (diag_read_source(&diag, path, &source))
        lsp_text_set(&other->text, diag.sources.data[source].text, diag.sources.data[source].length,
                     &(struct lsp_edit){0});
}

/* Adds the locations of uses of this symbol; those that are not written there, but made by a macro,
 * are left out. */
static void add_locations(const struct lsp_asker *asker, json_t *list, uint32_t symbol,
                          bool declaration)
{
    const struct lsp_findings *f = asker->document->names;
    assert(symbol < f->symbol_count);
    const struct symbol *one = &f->symbols[symbol];
    for (uint32_t i = 0; i < f->use_count;) {
        uint32_t source = f->uses[i].place.source, end = i;
        bool is_used = false;
        for (; end < f->use_count && f->uses[end].place.source == source; end++)
            is_used |= f->uses[end].symbol == symbol;
        struct other_text other = {0};
        if (is_used) {
            if (source == f->self) other.at = &asker->document->text;
            else read_other(&other, asker, f->sources[source]);
        }
        for (; i < end; i++) {
            const struct place *place = &f->uses[i].place;
            bool is_declaration = source == one->place.source && place->line == one->place.line
                                  && place->column == one->place.column;
            if (f->uses[i].symbol != symbol || (is_declaration && !declaration)) continue;
            size_t from = lsp_text_offset_of_place(other.at, place->line, place->column);
            if (!lsp_text_has_word(other.at, from, one->name)) continue;
            json_t *uri = source == f->self ? json_string(asker->document->uri)
                                            : lsp_uri_of_path(f->sources[source]);
            json_array_append_new(
                list, json_pack("{s:o,s:o}", "uri", uri, "range",
                                lsp_text_range(other.at, from, from + strlen(one->name))));
        }
        if (is_used && source != f->self && other.mem.blocks) mem_release(&other.mem);
    }
}

/* The symbol that a position is about, and the range of its word; SYMBOL_NONE: none. */
static uint32_t symbol_at(const struct lsp_asker *asker, json_t *params, json_t **range)
{
    struct lsp_document *d = asker->document;
    struct lsp_position position;
    size_t length;
    if (!d->names || !lsp_read_position(json_object_get(params, "position"), &position))
        return SYMBOL_NONE;
    size_t from = lsp_text_word(&d->text, lsp_text_offset(&d->text, position), &length);
    struct place place = lsp_text_place(&d->text, from);
    const struct symbol_use *use = length ? lsp_findings_at(d->names, place) : NULL;
    if (!use || !lsp_text_has_word(&d->text, from, d->names->symbols[use->symbol].name))
        return SYMBOL_NONE;
    if (range) *range = lsp_text_range(&d->text, from, from + length);
    return use->symbol;
}

/* ---- hover, definition, references ---- */

json_t *lsp_answer_hover(const struct lsp_asker *asker, json_t *params)
{
    json_t *range;
    uint32_t symbol = symbol_at(asker, params, &range);
    if (symbol == SYMBOL_NONE) return json_null();
    struct lsp_document *d = asker->document;
    const struct symbol *one = &d->names->symbols[symbol];
    const char *mark = asker->knows_markdown ? "```" : "";
    struct text text;
    text_init(&text, d->mem);
    text_add(&text, "%s%s\n%s\n%s\n", mark, *mark ? d->language->id : "",
             *one->detail ? one->detail : one->name, mark);
    text_add(&text, "%s", symbol_kind_word(one->kind));
    if (one->parent != SYMBOL_NONE)
        text_add(&text, " of %s %s", symbol_kind_word(d->names->symbols[one->parent].kind),
                 d->names->symbols[one->parent].name);
    if (one->low == one->high && one->kind == SYMBOL_CONSTANT)
        text_add(&text, ", value %" PRId64, one->low);
    else if (one->low <= one->high)
        text_add(&text, ", values %" PRId64 " to %" PRId64, one->low, one->high);
    if (one->place.source != d->names->self)
        text_add(&text, ", in %s", d->names->sources[one->place.source]);
    json_t *answer = json_pack("{s:{s:s,s:o},s:o}", "contents", "kind",
                               asker->knows_markdown ? "markdown" : "plaintext", "value",
                               lsp_string(text.data), "range", range);
    text_free(&text);
    return answer;
}

json_t *lsp_answer_definition(const struct lsp_asker *asker, json_t *params)
{
    uint32_t symbol = symbol_at(asker, params, NULL);
    if (symbol == SYMBOL_NONE) return json_null();
    struct lsp_document *d = asker->document;
    const struct symbol *one = &d->names->symbols[symbol];
    if (!one->place.line) return json_null();
    bool is_here = one->place.source == d->names->self;
    const char *path = d->names->sources[one->place.source];
    struct other_text other = {.at = &d->text};
    if (!is_here) read_other(&other, asker, path);
    size_t from = lsp_text_offset_of_place(other.at, one->place.line, one->place.column);
    json_t *answer =
        json_pack("{s:o,s:o}", "uri", is_here ? json_string(d->uri) : lsp_uri_of_path(path),
                  "range", lsp_text_range(other.at, from, end_of_word(other.at, from)));
    if (!is_here) mem_release(&other.mem);
    return answer;
}

json_t *lsp_answer_references(const struct lsp_asker *asker, json_t *params)
{
    json_t *list = json_array(), *context = json_object_get(params, "context");
    uint32_t symbol = symbol_at(asker, params, NULL);
    if (symbol != SYMBOL_NONE)
        add_locations(asker, list, symbol,
                      json_is_true(json_object_get(context, "includeDeclaration")));
    return list;
}

json_t *lsp_answer_highlights(const struct lsp_asker *asker, json_t *params)
{
    json_t *all = json_array(), *list = json_array(), *each;
    uint32_t symbol = symbol_at(asker, params, NULL);
    size_t i;
    if (symbol != SYMBOL_NONE) add_locations(asker, all, symbol, true);
    json_array_foreach(all, i, each)
    {
        const char *uri = json_string_value(json_object_get(each, "uri"));
        if (!strcmp(uri, asker->document->uri))
            json_array_append_new(list,
                                  json_pack("{s:O}", "range", json_object_get(each, "range")));
    }
    json_decref(all);
    return list;
}

/* ---- outline ---- */

static int outline_kind(uint32_t kind)
{
    static const int kinds[] = {
#define ROW(name, word, shown, completed) [SYMBOL_##name] = shown,
        SYMBOL_KINDS(ROW)
#undef ROW
    };
    return kinds[kind];
}

static int completion_kind(uint32_t kind)
{
    static const int kinds[] = {
#define ROW(name, word, shown, completed) [SYMBOL_##name] = completed,
        SYMBOL_KINDS(ROW)
#undef ROW
    };
    return kinds[kind];
}

/* Names of macros and of what expressions bind are no part of an outline. */
static bool is_outlined(const struct lsp_findings *f, const struct symbol *one)
{
    return one->place.source == f->self && one->place.line && one->kind != SYMBOL_MACRO
           && (one->kind != SYMBOL_PARAMETER || one->parent == SYMBOL_NONE
               || f->symbols[one->parent].kind != SYMBOL_FUNCTION);
}

json_t *lsp_answer_outline(const struct lsp_asker *asker, json_t *params)
{
    (void)params;
    struct lsp_document *d = asker->document;
    const struct lsp_findings *f = d->names;
    json_t *list = json_array();
    if (!f) return list;
    json_t **made = mem_alloc(d->mem, (f->symbol_count + UINT64_C(1)) * sizeof *made);
    for (uint32_t i = 0; i < f->symbol_count; i++) {
        const struct symbol *one = &f->symbols[i];
        if (!is_outlined(f, one)) continue;
        json_t *name = lsp_answer_range(d, one), *range = NULL, *to = list;
        const struct place_range *extent = &one->extent;
        if (extent->start.line && extent->end_line)
            range = range_of_place(&d->text, extent->start, extent->end_line, extent->end_column);
        made[i] = json_pack("{s:o,s:o,s:i,s:o,s:o,s:[]}", "name", lsp_string(one->name), "detail",
                            lsp_string(one->detail), "kind", outline_kind(one->kind), "range",
                            range ? range : json_incref(name), "selectionRange", name, "children");
        if (one->parent != SYMBOL_NONE && made[one->parent])
            to = json_object_get(made[one->parent], "children");
        json_array_append_new(to, made[i]);
    }
    mem_free(d->mem, made);
    return list;
}

/* ---- completion ---- */

/* Whether a place lies in what a symbol declares; one whose end is not known is everywhere. */
static bool covers(const struct lsp_findings *f, uint32_t symbol, const struct place *place)
{
    const struct place_range *extent = &f->symbols[symbol].extent;
    if (f->symbols[symbol].place.source != f->self) return false;
    if (!extent->start.line || !extent->end_line) return true;
    bool behind_start =
             extent->start.line < place->line
             || (extent->start.line == place->line && extent->start.column <= place->column),
         before_end = place->line < extent->end_line
                      || (place->line == extent->end_line && place->column <= extent->end_column);
    return behind_start && before_end;
}

static void add_item(json_t *list, json_t *seen, const char *label, int kind, const char *detail)
{
    if (json_object_get(seen, label)) return;
    json_t *item = json_pack("{s:o,s:i}", "label", lsp_string(label), "kind", kind);
    if (detail && *detail) json_object_set_new(item, "detail", lsp_string(detail));
    json_object_set_new(seen, label, json_true());
    json_array_append_new(list, item);
}

/* Which symbol the name before a dot means, over its index: p of p[0].x. */
static uint32_t owner_before(const struct lsp_asker *asker, size_t offset)
{
    struct lsp_document *d = asker->document;
    const struct lsp_findings *f = d->names;
    const char *text = d->text.data;
    unsigned depth = 0;
    size_t length;
    while (offset && (text[offset - 1] == ']' || text[offset - 1] == ')' || depth)) {
        offset--;
        if (text[offset] == ']' || text[offset] == ')') depth++;
        else if ((text[offset] == '[' || text[offset] == '(') && !--depth) break;
        else if (text[offset] == '\n') return SYMBOL_NONE;
    }
    if (offset && text[offset - 1] >= '0' && text[offset - 1] <= '9') { /* {P}1 */
        size_t at = offset;
        while (at && text[at - 1] >= '0' && text[at - 1] <= '9') at--;
        if (at && text[at - 1] == '}') offset = at - 1;
    }
    size_t from = lsp_text_word(&d->text, offset, &length);
    struct place place = lsp_text_place(&d->text, from);
    const struct symbol_use *use = lsp_findings_at(f, place);
    if (use && lsp_text_has_word(&d->text, from, f->symbols[use->symbol].name)) return use->symbol;
    for (uint32_t i = 0; i < f->symbol_count && length; i++)
        if (strlen(f->symbols[i].name) == length && !memcmp(f->symbols[i].name, text + from, length)
            && (f->symbols[i].parent == SYMBOL_NONE || covers(f, f->symbols[i].parent, &place)))
            return i;
    return SYMBOL_NONE;
}

static void add_members(const struct lsp_asker *asker, json_t *list, json_t *seen, size_t offset)
{
    const struct lsp_findings *f = asker->document->names;
    uint32_t owner = owner_before(asker, offset);
    for (unsigned steps = 0;
         owner != SYMBOL_NONE && steps < 100 && f->symbols[owner].scope == SYMBOL_NONE; steps++)
        owner = f->symbols[owner].of;
    for (uint32_t i = 0; i < f->symbol_count; i++) {
        const struct symbol *one = &f->symbols[i];
        bool fits = owner != SYMBOL_NONE ? one->parent == owner : one->kind == SYMBOL_FIELD;
        if (fits) add_item(list, seen, one->name, completion_kind(one->kind), one->detail);
    }
}

static void add_keywords(const struct lsp_language *language, json_t *list, json_t *seen)
{
    const int keyword = 14;
    for (unsigned i = 0; language->keywords && language->keywords[i]; i++)
        add_item(list, seen, language->keywords[i], keyword, NULL);
    for (unsigned i = 0; language->lexis && language->lexis->words[i].spelling; i++)
        add_item(list, seen, language->lexis->words[i].spelling, keyword, NULL);
}

json_t *lsp_answer_completion(const struct lsp_asker *asker, json_t *params)
{
    struct lsp_document *d = asker->document;
    const struct lsp_findings *f = d->names;
    json_t *list = json_array(), *seen = json_object();
    struct lsp_position position;
    size_t length;
    if (!lsp_read_position(json_object_get(params, "position"), &position)) goto end;
    size_t offset = lsp_text_offset(&d->text, position),
           from = lsp_text_word(&d->text, offset, &length);
    char before = from ? d->text.data[from - 1] : 0;
    if (f
        && (before == '.' || before == '@'
            || (before == ':' && from > 1 && lsp_is_word(d->text.data[from - 2])))) {
        add_members(asker, list, seen, from - 1);
        if (before != ':') goto end;
    }
    struct place place = lsp_text_place(&d->text, from);
    for (uint32_t i = 0; f && i < f->symbol_count; i++) {
        const struct symbol *one = &f->symbols[i];
        bool is_near = one->parent == SYMBOL_NONE || covers(f, one->parent, &place)
                       || one->kind == SYMBOL_CONSTRUCTOR;
        if (one->kind != SYMBOL_FIELD && is_near)
            add_item(list, seen, one->name, completion_kind(one->kind), one->detail);
    }
    add_keywords(d->language, list, seen);
end:
    json_decref(seen);
    return list;
}

/* ---- suggestions ---- */

static bool read_range(json_t *range, struct lsp_text *text, size_t *from, size_t *to)
{
    struct lsp_position start, end;
    if (!lsp_read_position(json_object_get(range, "start"), &start)
        || !lsp_read_position(json_object_get(range, "end"), &end))
        return false;
    *from = lsp_text_offset(text, start);
    *to = lsp_text_offset(text, end);
    return true;
}

/* What stands there is replaced only if the message is about that word. */
static json_t *make_fix(struct lsp_document *d, json_t *diagnostic, size_t from, size_t to)
{
    const char *message = json_string_value(json_object_get(diagnostic, "message")),
               *suggestion = json_string_value(
                   json_object_get(json_object_get(diagnostic, "data"), "suggestion"));
    char word[128], title[300];
    if (!suggestion || !message || to <= from || to - from >= sizeof word) return NULL;
    memcpy(word, d->text.data + from, to - from);
    word[to - from] = 0;
    if (!strstr(message, word)) return NULL;
    snprintf(title, sizeof title, "replace '%s' by '%.60s'", word, suggestion);
    json_t *edit = json_pack("{s:O,s:s}", "range", json_object_get(diagnostic, "range"), "newText",
                             suggestion);
    json_t *changes = json_object();
    json_object_set_new(changes, d->uri, json_pack("[o]", edit));
    return json_pack("{s:s,s:s,s:[O],s:b,s:{s:o}}", "title", title, "kind", "quickfix",
                     "diagnostics", diagnostic, "isPreferred", 1, "edit", "changes", changes);
}

json_t *lsp_answer_actions(const struct lsp_asker *asker, json_t *params)
{
    struct lsp_document *d = asker->document;
    json_t *list = json_array(), *diagnostic;
    size_t i, from, to, first, last;
    if (!read_range(json_object_get(params, "range"), &d->text, &first, &last)) return list;
    json_array_foreach(d->diagnostics, i, diagnostic)
    {
        if (!read_range(json_object_get(diagnostic, "range"), &d->text, &from, &to)) continue;
        if (to < first || from > last) continue;
        json_t *fix = make_fix(d, diagnostic, from, to);
        if (fix) json_array_append_new(list, fix);
    }
    return list;
}

/* ---- checks ---- */

json_t *lsp_answer_lenses(const struct lsp_asker *asker, json_t *params)
{
    (void)params;
    struct lsp_document *d = asker->document;
    const struct lsp_findings *f = d->names;
    json_t *list = json_array();
    bool needs_model = d->language->role != LSP_MODEL;
    for (uint32_t i = 0; f && i < f->symbol_count; i++) {
        const struct symbol *one = &f->symbols[i];
        if (!one->asked || one->place.source != f->self || !one->place.line) continue;
        if (needs_model && !f->model) continue;
        json_t *verdict = json_object_get(d->verdicts, one->asked);
        const char *word = json_string_value(json_object_get(verdict, "word"));
        char title[120];
        snprintf(title, sizeof title, word ? "%s: %s (check again)" : "check this %s",
                 word ? one->asked : symbol_kind_word(one->kind), word);
        json_array_append_new(list,
                              json_pack("{s:o,s:{s:s,s:s,s:[s,s]}}", "range",
                                        lsp_answer_range(d, one), "command", "title", title,
                                        "command", "cairn.check", "arguments", d->uri, one->asked));
    }
    return list;
}

/* Which of the files that were read has this name, without its folders. */
static const char *path_named(const struct lsp_document *d, const char *name)
{
    json_t *each;
    size_t i;
    json_array_foreach(d->sources, i, each)
    {
        const char *path = json_string_value(each), *slash = strrchr(path, '/');
        if (!strcmp(slash ? slash + 1 : path, name)) return path;
    }
    return NULL;
}

json_t *lsp_answer_run(struct lsp_document *d, json_t *steps, size_t most)
{
    json_t *list = json_array(), *step;
    size_t i;
    json_array_foreach(steps, i, step)
    {
        const char *file = json_string_value(json_object_get(step, "file")),
                   *path = file ? path_named(d, file) : NULL,
                   *label = json_string_value(json_object_get(step, "label")),
                   *process = json_string_value(json_object_get(step, "process"));
        int line = (int)json_integer_value(json_object_get(step, "line")),
            column = (int)json_integer_value(json_object_get(step, "column"));
        char message[300];
        if (!path || line < 1 || json_array_size(list) >= most) continue;
        snprintf(message, sizeof message, "step %zu: %.100s%s%.100s", i, label ? label : "",
                 process ? " of " : "", process ? process : "");
        bool is_here = !strcmp(path, d->path);
        json_t *range =
            is_here ? range_of_place(&d->text, (struct place){0, (uint32_t)line, (uint32_t)column},
                                     (uint32_t)line, (uint32_t)column)
                    : json_pack("{s:{s:i,s:i},s:{s:i,s:i}}", "start", "line", line - 1, "character",
                                column - 1, "end", "line", line - 1, "character", column - 1);
        json_array_append_new(
            list, json_pack("{s:o,s:{s:o,s:o}}", "message", lsp_string(message), "location", "uri",
                            is_here ? json_string(d->uri) : lsp_uri_of_path(path), "range", range));
    }
    return list;
}

/* ---- diagnostics ---- */

/* Whether there is one with the same words at the same place: contexts share what they use. */
static bool is_told(json_t *list, json_t *one)
{
    json_t *each;
    size_t i;
    json_array_foreach(list, i, each) if (json_equal(json_object_get(each, "message"),
                                                     json_object_get(one, "message"))
                                          && json_equal(json_object_get(each, "range"),
                                                        json_object_get(one, "range"))) return true;
    return false;
}

/* One about another file stands in the first line, and says where it is. */
static json_t *make_diagnostic(struct lsp_document *d, const struct lsp_findings *f,
                               const struct diagnostic *one)
{
    static const int severities[] = {
        [DIAG_ERROR] = 1, [DIAG_WARNING] = 2, [DIAG_NOTE] = 3, [DIAG_BUG] = 1, [DIAG_REMARK] = 3};
    struct place place = one->range.start;
    bool is_here = place.source == f->self;
    json_t *range =
        is_here ? range_of_place(&d->text, place, one->range.end_line, one->range.end_column)
                : lsp_text_range(&d->text, 0, 0);
    json_t *message = lsp_string(one->text);
    if (!is_here && place.source < f->source_count) {
        struct text text;
        const char *name = f->sources[place.source], *slash = strrchr(name, '/');
        text_init(&text, d->mem);
        text_add(&text, "%s:%u:%u: %s", slash ? slash + 1 : name, place.line, place.column,
                 one->text);
        json_decref(message);
        message = lsp_string(text.data);
        text_free(&text);
    }
    json_t *made =
        json_pack("{s:o,s:i,s:s,s:s,s:o}", "range", range, "severity", severities[one->severity],
                  "code", diag_code_word(one->code), "source", "cairn", "message", message);
    if (one->code == DIAG_UNUSED) json_object_set_new(made, "tags", json_pack("[i]", 1));
    if (one->suggestion && is_here)
        json_object_set_new(made, "data",
                            json_pack("{s:o}", "suggestion", lsp_string(one->suggestion)));
    return made;
}

json_t *lsp_answer_diagnostics(struct lsp_document *d, const struct lsp_findings *f)
{
    enum { MOST = 200 };
    json_t *list = json_array(), *last = NULL;
    for (uint32_t i = 0; i < f->diagnostic_count && json_array_size(list) < MOST; i++) {
        const struct diagnostic *one = &f->diagnostics[i];
        if (one->severity == DIAG_NOTE && last && one->range.start.source == f->self) {
            json_t *notes = json_object_get(last, "relatedInformation");
            if (!notes) json_object_set_new(last, "relatedInformation", notes = json_array());
            json_array_append_new(
                notes, json_pack("{s:o,s:{s:s,s:o}}", "message", lsp_string(one->text), "location",
                                 "uri", d->uri, "range",
                                 range_of_place(&d->text, one->range.start, one->range.end_line,
                                                one->range.end_column)));
            continue;
        }
        json_t *made = make_diagnostic(d, f, one);
        last = is_told(list, made) ? NULL : made;
        if (last) json_array_append_new(list, made);
        else json_decref(made);
    }
    return list;
}
