/* What the exports share: names that the target language accepts, and numbers that it can hold. */
#ifndef CAIRN_EXPORT_NAMES_H
#define CAIRN_EXPORT_NAMES_H

#include "base/map.h"
#include "model/defined.h"
#include "model/model.h"

#include <stdio.h>

/* ---- names ---- */

struct naming {
    struct model *model;
    struct map taken;    /* (name, scope), and reserved words */
    bool capitals_taken; /* names of capitals only are reserved too: macros of C */
};

/* reserved ends with NULL. */
void names_start(struct naming *naming, struct model *model, const char *const *reserved,
                 bool capitals_taken);
void names_finish(struct naming *naming);

/* A name for `wanted` that is an identifier, no reserved word, and used once per scope; it lives as
 * long as the model. */
const char *names_pick(struct naming *naming, uint32_t scope, const char *wanted);

/* Text inside a comment: on one line, and without the end of a C comment. */
void names_print_comment(FILE *out, const char *text);
/* Where the parts of a rule stand in the source: `, line 3` or `, lines 3, 8`; nothing when that is
 * not known. */
void names_print_lines(FILE *out, const struct model *model, const struct model_rule *rule);

/* ---- numbers ---- */

enum { NUMBER_MAX = 0x7FFFFFFF };

/* The values that an expression can have. */
struct number_span {
    int64_t low, high;
    bool known;
};

/* Bounds of expressions, in a language whose integers end at NUMBER_MAX and -NUMBER_MAX. */
struct numbers {
    struct model *model;
    const char *language;
    unsigned modulus_bits; /* the language can reduce modulo 2^n for n up to this */
    bool shares;           /* what occurs often is written once: texts do not become large */
    VEC(struct number_span) spans; /* per expression */
    VEC(uint32_t) sizes;           /* per expression: of its text, in operators; 0: not yet */
    struct defined defined;
    const char *reason; /* why the model cannot be written, or NULL */
};

void numbers_start(struct numbers *numbers, struct model *model, const char *language,
                   unsigned modulus_bits);
void numbers_finish(struct numbers *numbers);

/* Looks at every variable, rule and property. Returns NULL when all of them can be written,
 * otherwise the first reason why not. */
const char *numbers_check(struct numbers *numbers);

/* The same for one more expression; `size`, 0 at first, adds up how large the texts become. */
const char *numbers_check_expr(struct numbers *numbers, expr e, uint64_t *size);

/* Bounds of a number. */
struct number_span numbers_span(struct numbers *numbers, expr e);

/* Whether the result of an arithmetic operator with a modulus may lie outside 0 .. 2^W - 1, so that
 * its modulus must be written. */
bool numbers_wrap(struct numbers *numbers, expr e);

/* The condition that the evaluation of e does not fail. It never fails itself. */
expr numbers_defined(struct numbers *numbers, expr e);
/* Whether a division or remainder may be by zero. */
bool numbers_by_zero(const struct exprs *exprs, const struct expr_node *node);

#endif
