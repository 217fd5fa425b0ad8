/* A request of the page as an ask (run/ask.h). What it may choose is here, and nothing else: no
 * folders are written, no files outside of the served folder are read. */
#ifndef CAIRN_SERVE_ASKING_H
#define CAIRN_SERVE_ASKING_H

#include "run/ask.h"

#include <jansson.h>

/* The object `model` of a request: {file, text, define: {name: number}, context, guide, dialect};
 * and, for a check, `ask`: {properties, formulas: [{kind, text}], no_deadlock, first, engine,
 * order, reduce, bound, memory (MiB), time (seconds), threads}. Everything but the file may be
 * missing or null. False: *why says what is wrong. The request outlives the ask. */
bool asking_fill(struct ask *ask, struct mem *mem, const json_t *request, struct text *why);

/* Members of an object; NULL, or 0: there is none of this type. */
const char *asking_text(const json_t *object, const char *key);

#endif
