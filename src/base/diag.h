/* Sources and diagnostics: `file:line:column: error: text`, the source line, a caret. */
#ifndef CAIRN_BASE_DIAG_H
#define CAIRN_BASE_DIAG_H

#include "base/mem.h"

#include <stdio.h>

/* A position in a source; line 0 means "no position". Columns count characters, from 1. */
struct place {
    uint32_t source, line, column;
};

struct source {
    const char *name;
    const char *text;
    size_t length;
};

struct diag {
    struct mem *mem;
    FILE *out; /* NULL: count only */
    bool color;
    bool quiet; /* no warnings */
    VEC(struct source) sources;
    uint32_t errors, warnings;
};

enum { DIAG_MAX_ERRORS = 20 };

void diag_init(struct diag *diag, struct mem *mem, FILE *out);

/* Reads a file ("-": standard input) and registers it. Returns false after a diagnostic. */
bool diag_read_source(struct diag *diag, const char *path, uint32_t *source);
uint32_t diag_add_source(struct diag *diag, const char *name, const char *text, size_t length);

/* At most DIAG_MAX_ERRORS errors are shown; diag_finish tells of the rest. */
void diag_error(struct diag *diag, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *diag, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Belongs to the error or warning before it. */
void diag_note(struct diag *diag, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_finish(struct diag *diag);

/* The name of a place's source, without its folders, or "?". */
const char *diag_source_name(const struct diag *diag, struct place place);
/* Finds a line's text, without its newline. */
const char *diag_line(const struct diag *diag, struct place place, size_t *length);

#endif
