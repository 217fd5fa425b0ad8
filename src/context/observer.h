/* Observers as text and pictures. */
#ifndef CAIRN_CONTEXT_OBSERVER_H
#define CAIRN_CONTEXT_OBSERVER_H

#include "context/context.h"

#include <stdio.h>

/* What the numbers of an observer stand for. */
struct observer_words {
    const struct context *context;
    const struct exprs *exprs;
    int64_t ticks; /* in a unit of time */
    /* How a predicate is written; NULL: there are none but `true` and `false`. */
    const char *(*predicate)(void *scope, expr predicate);
    void *scope;
};

/* As CDL: `property NAME is { start -- / / E / -> s1; ... }`. */
void observer_print(const struct observer *observer, const struct observer_words *words, FILE *out);
/* As a Graphviz graph; edges are numbered in the order in which they are tried where that
 * matters. */
void observer_dot(const struct observer *observer, const struct observer_words *words, FILE *out);
/* What an edge waits for and does, as in that picture. */
void observer_label(const struct observer *observer, const struct observer_words *words,
                    uint32_t edge, FILE *out);

/* For tests: whether numbers are in range, states have different names and all are reached, and
 * `bad` is the state of that name. */
bool observer_check(const struct observer *observer, const struct context *context,
                    struct mem *mem);

#endif
