#include "report/records.h"

#include "base/version.h"

#include <assert.h>
#include <unistd.h>

/* What machines call a severity: our own words, and SARIF's. */
static const struct {
    const char *word, *level;
} severities[] = {[DIAG_ERROR] = {"error", "error"},
                  [DIAG_WARNING] = {"warning", "warning"},
                  [DIAG_NOTE] = {"note", "note"},
                  [DIAG_BUG] = {"bug", "error"},
                  [DIAG_REMARK] = {"remark", "note"}};

static const char *file_of(const struct diag *diag, const struct diagnostic *one)
{
    uint32_t source = one->range.start.source;
    return source < diag->sources.len ? diag->sources.data[source].name : one->about;
}

static void put_text(struct out *json, const char *key, const char *text)
{
    out_key(json, key);
    out_string(json, text);
}

static void put_number(struct out *json, const char *key, uint32_t number)
{
    out_key(json, key);
    if (number) out_uint(json, number);
    else out_null(json);
}

/* ---- lines of JSON ---- */

static void put_line(struct records *records, const struct diag *diag, const struct diagnostic *one)
{
    struct out json;
    out_init(&json, records->out);
    out_open_inline(&json, '{');
    put_text(&json, "severity", severities[one->severity].word);
    put_text(&json, "code", one->code == DIAG_NO_CODE ? NULL : diag_code_word(one->code));
    put_text(&json, "file", file_of(diag, one));
    put_number(&json, "line", one->range.start.line);
    put_number(&json, "column", one->range.start.column);
    put_number(&json, "end_line", one->range.end_line);
    put_number(&json, "end_column", one->range.end_column);
    put_text(&json, "text", one->text);
    put_text(&json, "suggestion", one->suggestion);
    out_close(&json, '}');
    fflush(records->out);
}

/* ---- SARIF ---- */

static void put_region(struct out *json, const struct diagnostic *one)
{
    const struct place start = one->range.start;
    if (!start.line) return;
    out_key(json, "region");
    out_open_inline(json, '{');
    out_key(json, "startLine");
    out_uint(json, start.line);
    if (start.column) {
        out_key(json, "startColumn");
        out_uint(json, start.column);
    }
    if (one->range.end_line >= start.line && one->range.end_column) {
        out_key(json, "endLine");
        out_uint(json, one->range.end_line);
        out_key(json, "endColumn");
        out_uint(json, one->range.end_column);
    }
    out_close(json, '}');
}

static void put_location(struct out *json, const char *file, const struct diagnostic *one)
{
    out_key(json, "locations");
    out_open(json, '[');
    if (file) {
        out_open(json, '{');
        out_key(json, "physicalLocation");
        out_open(json, '{');
        out_key(json, "artifactLocation");
        out_open_inline(json, '{');
        put_text(json, "uri", file);
        out_close(json, '}');
        put_region(json, one);
        out_close(json, '}');
        out_close(json, '}');
    }
    out_close(json, ']');
}

static void put_result(struct records *records, const struct diag *diag,
                       const struct diagnostic *one)
{
    struct out *json = &records->sarif;
    out_open(json, '{');
    put_text(json, "ruleId", diag_code_word(one->code == DIAG_NO_CODE ? DIAG_RUN : one->code));
    put_text(json, "level", severities[one->severity].level);
    out_key(json, "message");
    out_open_inline(json, '{');
    put_text(json, "text", one->text);
    out_close(json, '}');
    put_location(json, file_of(diag, one), one);
    out_close(json, '}');
    fflush(records->out);
}

static void put_rules(struct out *json)
{
    out_key(json, "rules");
    out_open(json, '[');
    for (unsigned code = DIAG_NO_CODE + 1; code < DIAG_CODES; code++) {
        out_open_inline(json, '{');
        put_text(json, "id", diag_code_word(code));
        out_close(json, '}');
    }
    out_close(json, ']');
}

void records_begin(struct records *records, FILE *out, bool is_sarif)
{
    *records = (struct records){.out = out, .is_sarif = is_sarif, .process = getpid()};
    if (!is_sarif) return;
    struct out *json = &records->sarif;
    out_init(json, out);
    out_open(json, '{');
    put_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    put_text(json, "version", "2.1.0");
    out_key(json, "runs");
    out_open(json, '[');
    out_open(json, '{');
    out_key(json, "tool");
    out_open(json, '{');
    out_key(json, "driver");
    out_open(json, '{');
    put_text(json, "name", "cairn");
    put_text(json, "version", CAIRN_VERSION);
    put_rules(json);
    out_close(json, '}');
    out_close(json, '}');
    put_text(json, "columnKind", "unicodeCodePoints");
    out_key(json, "results");
    out_open(json, '[');
    fflush(out); /* once, whatever processes come out of this one */
}

void records_end(struct records *records)
{
    struct out *json = &records->sarif;
    if (!records->is_sarif || records->process != getpid()) return;
    out_close(json, ']');
    out_close(json, '}');
    out_close(json, ']');
    out_close(json, '}');
    assert(!json->depth);
    fflush(records->out);
}

/* ---- listening ---- */

static void listen(void *door, const struct diag *diag, const struct diagnostic *one)
{
    struct records *records = door;
    if (!one) return; /* how many were left out is no record */
    assert(one->severity < sizeof severities / sizeof *severities);
    if (records->is_sarif) put_result(records, diag, one);
    else put_line(records, diag, one);
}

void records_open(struct records *records, struct diag *diag)
{
    diag->listener = listen;
    diag->door = records;
}
