#include "report/diagnostics.h"

#include <assert.h>

enum { SHOWN_COLUMNS = 110 };

static const struct {
    const char *word, *color;
} severities[] = {[DIAG_ERROR] = {"error", "\033[1;31m"},
                  [DIAG_WARNING] = {"warning", "\033[1;35m"},
                  [DIAG_NOTE] = {"note", "\033[1;36m"},
                  [DIAG_BUG] = {"BUG", "\033[1;31m"},
                  [DIAG_REMARK] = {NULL, ""}};

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Shows the line around the place, with control characters made harmless, and a caret below. */
static void print_line(FILE *out, const struct diag *diag, struct place place, bool color)
{
    size_t length;
    const char *line = diag_line(diag, place, &length);
    if (!line) return;
    if (length && line[length - 1] == '\r') length--;
    size_t target = 0;
    for (uint32_t column = 1; target < length && column < place.column; column++) do
            target++;
        while (target < length && is_continuation(line[target]));
    size_t first = target > SHOWN_COLUMNS * 2 / 3 ? target - SHOWN_COLUMNS * 2 / 3 : 0;
    while (first > 0 && is_continuation(line[first])) first--;
    fputs(first ? "    ..." : "    ", out);
    unsigned caret = first ? 7 : 4, shown = 0;
    for (size_t i = first; i < length && shown < SHOWN_COLUMNS; i++) {
        unsigned char c = (unsigned char)line[i];
        fputc(c == '\t' ? ' ' : c < 0x20 || c == 0x7F ? '?' : c, out);
        if (is_continuation(line[i])) continue;
        shown++;
        if (i < target) caret++;
    }
    fprintf(out, "\n%*s%s^%s\n", (int)caret, "", color ? "\033[32m" : "", color ? "\033[0m" : "");
}

static void print_one(FILE *out, const struct diag *diag, const struct diagnostic *one, bool color)
{
    struct place place = one->range.start;
    assert(one->severity < sizeof severities / sizeof *severities);
    if (place.source < diag->sources.len) {
        fputs(diag->sources.data[place.source].name, out);
        if (place.line) fprintf(out, ":%u:%u", place.line, place.column);
        fputs(": ", out);
    } else {
        fprintf(out, "%s: ", one->about ? one->about : "cairn");
    }
    if (!severities[one->severity].word) {
        fprintf(out, "%s\n", one->text);
        return;
    }
    fprintf(out, "%s%s:%s %s\n", color ? severities[one->severity].color : "",
            severities[one->severity].word, color ? "\033[0m" : "", one->text);
    print_line(out, diag, place, color);
}

static void print_rest(FILE *out, const struct diag *diag)
{
    if (diag->errors > DIAG_MAX_ERRORS)
        fprintf(out, "cairn: %u more errors, %u in all\n", diag->errors - DIAG_MAX_ERRORS,
                diag->errors);
    if (diag->warnings > DIAG_MAX_ERRORS && !diag->quiet)
        fprintf(out, "cairn: %u more warnings\n", diag->warnings - DIAG_MAX_ERRORS);
}

static void print_plain(void *out, const struct diag *diag, const struct diagnostic *one)
{
    if (one) print_one(out, diag, one, false);
    else print_rest(out, diag);
}

static void print_colored(void *out, const struct diag *diag, const struct diagnostic *one)
{
    if (one) print_one(out, diag, one, true);
    else print_rest(out, diag);
}

void diagnostics_open(struct diag *diag, FILE *out, bool color)
{
    diag->listener = color ? print_colored : print_plain;
    diag->door = out;
}
