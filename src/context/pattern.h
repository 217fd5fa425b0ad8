/* Property patterns of CDL: response, precedence, absence and existence of sets of events, in
 * scopes, with options. docs/patterns.md has syntax and meaning; a front end fills in a struct
 * pattern, and what is checked is the observer that pattern_observe makes of it. */
#ifndef CAIRN_CONTEXT_PATTERN_H
#define CAIRN_CONTEXT_PATTERN_H

#include "context/context.h"

enum pattern_family { PATTERN_RESPONSE, PATTERN_PRECEDENCE, PATTERN_ABSENCE, PATTERN_EXISTENCE };
enum pattern_scope {
    PATTERN_GLOBALLY,
    PATTERN_BEFORE,
    PATTERN_AFTER,
    PATTERN_BETWEEN,
    PATTERN_AFTER_UNTIL
};
enum pattern_quantifier { PATTERN_AN, PATTERN_ORDERED, PATTERN_COMBINED };

enum {
    PATTERN_MOST_ITEMS = 8,
    PATTERN_MOST_OPTIONS = 8,
    PATTERN_MOST_COUNT = 100,
    PATTERN_MOST_STATES = 1000
};

struct pattern_item {
    uint32_t event; /* of the context */
    uint32_t count; /* so many occurrences ... */
    bool is_exact;  /* ... and no more */
    struct place place;
};

struct pattern_set {
    enum pattern_quantifier quantifier;
    uint32_t count;
    struct pattern_item items[PATTERN_MOST_ITEMS];
    struct place place;
};

/* A condition on events besides the sets: `event` must occur, or it cannot occur before another. */
struct pattern_option {
    uint32_t event, before; /* before is CONTEXT_NONE when the event must occur */
    struct place place;
};

struct pattern {
    const char *name;
    enum pattern_family family;
    enum pattern_scope scope;
    uint32_t open, close;     /* events of the scope; CONTEXT_NONE: it has none */
    struct pattern_set left;  /* what leads to, precedes, or never or eventually occurs */
    struct pattern_set right; /* response, precedence */
    bool is_immediate;
    bool repeats;
    bool has_bound;
    int64_t bound; /* ticks */
    int64_t ticks; /* in a unit of time, for words */
    uint32_t option_count, named_count;
    struct pattern_option options[PATTERN_MOST_OPTIONS];
    /* Options with `may` ask for nothing: they only name events, one (`may never occur`) or two. */
    uint32_t naming_count, named[2 * PATTERN_MOST_OPTIONS];
    struct place place;
};

/* Whether the pattern makes sense; otherwise says what is wrong. */
bool pattern_check(const struct pattern *pattern, const struct context *context, struct diag *diag);

/* The observer of a pattern that pattern_check allows: deterministic, minimal, with states `start`,
 * `s1`, ..., `success` (nothing can go wrong any more), `reject`. Something that has no bound is
 * still asked for in its pending states. Names are interned in names; predicates (only `true`) are
 * made in exprs. False after a diagnostic: it is too large, or it can never hold. */
bool pattern_observe(struct mem *mem, struct names *names, struct exprs *exprs,
                     const struct pattern *pattern, const struct context *context,
                     struct diag *diag, struct observer *observer);

/* One line in words. */
void pattern_describe(const struct pattern *pattern, const struct context *context,
                      struct text *text);

/* The pattern in LTL over events, in the syntax of lang/ltl/ltlread.h: `X` is the next step, and a
 * step without events is repeated after the last. False, with nothing added: it has a bound, or
 * there is no short formula (docs/patterns.md says which have one). An event that could be taken
 * for an operator is quoted. */
bool pattern_ltl(const struct pattern *pattern, const struct context *context, struct text *text);

/* The events that count inside of the scope, in the order in which a step that has several of them
 * is read, without the scope's own. Returns how many; at most PATTERN_MOST_EVENTS. */
enum { PATTERN_MOST_EVENTS = 2 * PATTERN_MOST_ITEMS + 4 * PATTERN_MOST_OPTIONS };
uint32_t pattern_events(const struct pattern *pattern, uint32_t *events);

#endif
