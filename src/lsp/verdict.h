/* Checking properties of a text, in a process of its own with limits: the object that `cairn check
 * --json` would print, and what became of it for editors. */
#ifndef CAIRN_LSP_VERDICT_H
#define CAIRN_LSP_VERDICT_H

#include "lsp/analyse.h"

#include <jansson.h>

struct lsp_check {
    struct lsp_request text;
    const char *model; /* of contexts and guides; otherwise NULL */
    const char *asked; /* a property, context or guide; NULL: everything */
    double seconds;
    uint64_t bytes;
};

/* For lsp_job_start: writes one JSON object. */
void lsp_check(const void *check);

/* What the object says. */
struct lsp_verdict {
    const char *word; /* "holds", "violated", "unknown", or "failed": nothing was checked */
    char text[600];   /* one sentence */
    json_t *run;      /* the steps of a counterexample, borrowed; or NULL */
};
void lsp_verdict_read(struct lsp_verdict *verdict, json_t *object, const char *asked);

#endif
