/* What a front end offers. Adding a language is adding one of these to the table in
 * lang/languages.c. */
#ifndef CAIRN_LANG_COMMON_LANGUAGE_H
#define CAIRN_LANG_COMMON_LANGUAGE_H

#include "base/diag.h"
#include "lang/common/symbols.h"
#include "model/model.h"

/* -D name=value */
struct language_define {
    const char *name;
    int64_t value;
    bool optional; /* comes from a saved trace: a model without it is fine */
    bool asked;    /* a condition of the preprocessor asked for it: likewise */
};

struct language_input {
    struct mem *mem;
    struct diag *diag;
    uint32_t source; /* registered with diag */
    struct language_define *defines;
    uint32_t define_count;
    const char *dialect; /* of a language that has several; NULL: its default */
    bool skips;      /* queries that are not understood are left out, and listed (model.skipped) */
    bool no_queries; /* those of the file are not wanted: others are given */
    struct symbols *symbols; /* gets the names of the text, if its syntax is good; or NULL */
};

struct language {
    const char *name, *extension, *summary;
    const char *const *others; /* more extensions, ended by NULL; NULL: none */
    bool wide_types; /* declared ranges say little about values: worth an analysis (pass/tighten.h)
                      */
    /* Reads a model. Returns NULL after errors. *scope is what `property` needs to resolve names;
     * it lives in input->mem. */
    struct model *(*load)(struct language_input *input, void **scope);
    /* Reads one property from a source of its own and adds it to the model. Returns false after
     * errors. */
    bool (*property)(void *scope, enum property_kind kind, uint32_t source);
    /* Reads queries from a source of their own, one per line, and adds them to the model. Returns
     * false after errors. NULL: the language has none. */
    bool (*queries)(void *scope, uint32_t source);
};

#endif
