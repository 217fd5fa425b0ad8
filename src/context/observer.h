/* Observers as text and pictures. */
#ifndef CAIRN_CONTEXT_OBSERVER_H
#define CAIRN_CONTEXT_OBSERVER_H

#include "context/context.h"

/* How a predicate is written; `true` and `false` need nobody. */
struct observer_predicates {
    const char *(*name)(void *context, expr predicate);
    void *context;
};

/* As CDL: `property NAME is { start -- / / E / -> s1; ... }`. predicates may be NULL when the observer asks for none but `true` and `false`. */
void observer_print(const struct observer *observer, const struct context *context, const struct exprs *exprs, const struct observer_predicates *predicates, FILE *out);
/* As a Graphviz graph; edges are numbered in the order in which they are tried where that matters. */
void observer_dot(const struct observer *observer, const struct context *context, const struct exprs *exprs, const struct observer_predicates *predicates, FILE *out);

/* For tests: whether numbers are in range, states have different names and all are reached, and `bad` is the state of that name. */
bool observer_check(const struct observer *observer, const struct context *context, struct mem *mem);

#endif
