#include "lsp/findings.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put_number(FILE *out, uint32_t number) { fwrite(&number, sizeof number, 1, out); }

static void put_text(FILE *out, const char *text)
{
    put_number(out, text ? (uint32_t)strlen(text) + 1 : 0);
    if (text) fwrite(text, 1, strlen(text) + 1, out);
}

static void put_list(FILE *out, const void *list, size_t size, uint32_t count)
{
    put_number(out, count);
    if (count) fwrite(list, size, count, out);
}

static void put_symbols(FILE *out, const struct symbols *symbols)
{
    put_list(out, symbols->list.data, sizeof *symbols->list.data, symbols->list.len);
    for (uint32_t i = 0; i < symbols->list.len; i++) {
        put_text(out, symbols->list.data[i].name);
        put_text(out, symbols->list.data[i].detail);
        put_text(out, symbols->list.data[i].asked);
    }
    put_list(out, symbols->uses.data, sizeof *symbols->uses.data, symbols->uses.len);
}

void lsp_findings_write(FILE *out, const struct diag *diag, uint32_t self,
                        const struct symbols *symbols, const char *model)
{
    static const struct symbols none;
    put_number(out, self);
    put_number(out, diag->sources.len);
    for (uint32_t i = 0; i < diag->sources.len; i++) put_text(out, diag->sources.data[i].name);
    put_text(out, model);
    put_list(out, diag->list.data, sizeof *diag->list.data, diag->list.len);
    for (uint32_t i = 0; i < diag->list.len; i++) {
        put_text(out, diag->list.data[i].text);
        put_text(out, diag->list.data[i].about);
        put_text(out, diag->list.data[i].suggestion);
    }
    put_number(out, symbols != NULL);
    put_symbols(out, symbols ? symbols : &none);
}

/* ---- reading ---- */

struct reader {
    struct mem *mem;
    const char *at, *end;
    bool is_cut;
};

static const void *take(struct reader *reader, size_t bytes)
{
    if ((size_t)(reader->end - reader->at) < bytes) reader->is_cut = true;
    if (reader->is_cut) return NULL;
    const void *here = reader->at;
    reader->at += bytes;
    return here;
}

static uint32_t take_number(struct reader *reader)
{
    uint32_t number = 0;
    const void *from = take(reader, sizeof number);
    if (from) memcpy(&number, from, sizeof number);
    return number;
}

static void *take_list(struct reader *reader, size_t size, uint32_t *count)
{
    *count = take_number(reader);
    const void *from = take(reader, *count * size);
    if (!from) return *count = 0, NULL;
    void *list = mem_alloc(reader->mem, *count * size + 1);
    return memcpy(list, from, *count * size);
}

static const char *take_text(struct reader *reader)
{
    uint32_t length = take_number(reader);
    const void *from = take(reader, length);
    if (!from || !length) return NULL;
    return memcpy(mem_alloc(reader->mem, length), from, length);
}

/* (2) */
static bool is_whole(const struct lsp_findings *f)
{
    if (f->self >= f->source_count) return false;
    for (uint32_t i = 0; i < f->symbol_count; i++) {
        const struct symbol *one = &f->symbols[i];
        if (!one->name || !one->detail || one->kind >= SYMBOL_KIND_COUNT
            || one->place.source >= f->source_count
            || (one->parent != SYMBOL_NONE && one->parent >= i)
            || (one->of != SYMBOL_NONE && one->of >= f->symbol_count))
            return false;
    }
    for (uint32_t i = 0; i < f->use_count; i++)
        if (f->uses[i].symbol >= f->symbol_count || f->uses[i].place.source >= f->source_count)
            return false;
    for (uint32_t i = 0; i < f->diagnostic_count; i++)
        if (!f->diagnostics[i].text) return false;
    return true;
}

struct lsp_findings *lsp_findings_read(const char *data, size_t length)
{
    struct mem mem;
    mem_init(&mem);
    struct lsp_findings *f = mem_alloc(&mem, sizeof *f);
    struct reader reader = {&mem, data, data + length, false};
    f->self = take_number(&reader);
    f->source_count = take_number(&reader);
    if (f->source_count > length) reader.is_cut = true;
    if (!reader.is_cut)
        f->sources = mem_alloc(&mem, (f->source_count + UINT64_C(1)) * sizeof *f->sources);
    for (uint32_t i = 0; i < f->source_count && !reader.is_cut; i++)
        f->sources[i] = take_text(&reader);
    f->model = take_text(&reader);
    f->diagnostics = take_list(&reader, sizeof *f->diagnostics, &f->diagnostic_count);
    for (uint32_t i = 0; i < f->diagnostic_count; i++) {
        f->diagnostics[i].text = take_text(&reader);
        f->diagnostics[i].about = take_text(&reader);
        f->diagnostics[i].suggestion = take_text(&reader);
    }
    f->has_names = take_number(&reader);
    f->symbols = take_list(&reader, sizeof *f->symbols, &f->symbol_count);
    for (uint32_t i = 0; i < f->symbol_count; i++) {
        f->symbols[i].name = take_text(&reader);
        f->symbols[i].detail = take_text(&reader);
        f->symbols[i].asked = take_text(&reader);
    }
    f->uses = take_list(&reader, sizeof *f->uses, &f->use_count);
    if (reader.is_cut || !is_whole(f)) {
        mem_release(&mem);
        return NULL;
    }
    f->mem = mem;
    return f;
}

void lsp_findings_free(struct lsp_findings *findings)
{
    if (!findings) return;
    struct mem mem = findings->mem; /* it is in there itself */
    mem_release(&mem);
}

/* ---- edits ---- */

static bool is_before(uint32_t line, uint32_t column, const struct place *place)
{
    return line != place->line ? line < place->line : column < place->column;
}

static void move(const struct lsp_edit *edit, uint32_t *line, uint32_t *column)
{
    if (!*line || is_before(*line, *column, &edit->start)) return;
    if (is_before(*line, *column, &edit->end)) {
        *line = 0;
        return;
    }
    if (*line == edit->end.line) *column = *column - edit->end.column + edit->new_end.column;
    *line = *line - edit->end.line + edit->new_end.line;
}

void lsp_findings_move(struct lsp_findings *f, const struct lsp_edit *edit)
{
    if (!f) return;
    for (uint32_t i = 0; i < f->use_count; i++)
        if (f->uses[i].place.source == f->self)
            move(edit, &f->uses[i].place.line, &f->uses[i].place.column);
    for (uint32_t i = 0; i < f->symbol_count; i++) {
        struct symbol *one = &f->symbols[i];
        if (one->place.source != f->self) continue;
        move(edit, &one->place.line, &one->place.column);
        move(edit, &one->extent.start.line, &one->extent.start.column);
        move(edit, &one->extent.end_line, &one->extent.end_column);
    }
    /* (1): what was edited away is passed over by a search, since it is taken out */
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->use_count; i++)
        if (f->uses[i].place.line) f->uses[kept++] = f->uses[i];
    f->use_count = kept;
}

const struct symbol_use *lsp_findings_at(const struct lsp_findings *f, struct place place)
{
    uint32_t low = 0, high = f ? f->use_count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct place *at = &f->uses[middle].place;
        bool is_less =
            at->source != f->self ? at->source < f->self : is_before(at->line, at->column, &place);
        if (is_less) low = middle + 1;
        else high = middle;
    }
    if (!f || low == f->use_count) return NULL;
    const struct place *at = &f->uses[low].place;
    assert(!low || f->uses[low - 1].place.source <= at->source); /* (1) */
    bool same = at->source == f->self && at->line == place.line && at->column == place.column;
    return same ? &f->uses[low] : NULL;
}
