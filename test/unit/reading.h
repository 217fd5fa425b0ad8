/* What tests of parsers read with: memory, names, and diagnostics kept as text. */
#ifndef CAIRN_TEST_UNIT_READING_H
#define CAIRN_TEST_UNIT_READING_H

#include "base/diag.h"
#include "base/text.h"
#include "report/diagnostics.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct mem mem;
    struct arena arena;
    struct names names;
    struct diag diag;
    char *told; /* the diagnostics: complete after reading_end */
    size_t told_length;
};

static inline void reading_start(struct reading *in)
{
    memset(in, 0, sizeof *in);
    mem_init(&in->mem);
    arena_init(&in->arena, &in->mem);
    names_init(&in->names, &in->arena);
    diag_init(&in->diag, &in->mem);
    diagnostics_open(&in->diag, open_memstream(&in->told, &in->told_length), false);
}

static inline void reading_end(struct reading *in) { fclose(in->diag.door); }

static inline void reading_free(struct reading *in)
{
    free(in->told);
    mem_release(&in->mem);
}

static inline void expect_text(struct unit *unit, const char *input, const char *found,
                               const char *expected)
{
    bool same = !strcmp(found, expected);
    CHECK(unit, same);
    if (!same) printf("  input:    %s\n  found:    %s\n  expected: %s\n", input, found, expected);
}

#endif
