/* What a search has counted and found since the summary before: written behind every cluster that
 * is frozen (past/frozen.h), and behind levels (search/snapshot.h). So a search goes on with what
 * all summaries say together, without doing anything again that they are about.
 *
 * A summary is made of variable-length numbers (base/varint.h): first what the owner puts, then the
 * counters, how often rules were taken, violations with their places and states, monitors. Counters
 * are rows of the table of a result (result/tables.h), so that what they are called and where they
 * are is said once.
 *
 * The written form of a result (run/wire.h) has every member of a whole result, as text. It stands
 * above this layer, and would take some hundred bytes where a summary takes twenty: there is one
 * per cluster, and clusters may be hundreds of thousands. What both share is the table.
 *
 * Invariants: (1) no counter is ever smaller than what summaries have said of it; (2) a summary has
 * at most summary_most bytes. */
#ifndef CAIRN_PAST_SUMMARY_H
#define CAIRN_PAST_SUMMARY_H

#include "base/varint.h"
#include "result/result.h"

enum { SUMMARY_COUNTERS = 5, SUMMARY_MORE = 6, SUMMARY_OWN = 12 }; /* OWN: numbers of the owner */

/* Where a property was first violated. */
struct summary_place {
    bool known, frozen; /* frozen: a summary in the files has it */
    uint64_t rank, state;
    uint32_t failed_rule;
    uint64_t *words; /* the state itself */
};

struct summary;

/* The monitors of a search: how many, and what is known of one, 1: it is done, 2: it could not be
 * evaluated somewhere. */
struct summary_monitors {
    uint32_t (*count)(const void *search);
    unsigned (*bits)(const void *search, uint32_t monitor);
    void (*set_bits)(void *search, uint32_t monitor, unsigned bits);
};

/* A counter, and what summaries have said of it so far. */
struct summary_counter {
    uint64_t *now, told;
};

struct summary {
    /* the owner's, before summary_init */
    void *owner, *search;
    const struct summary_monitors *monitors; /* of the search */
    /* An earlier run has found that a property is violated: where is in its place. */
    void (*violated)(struct summary *summary, uint32_t property);
    struct task *task;
    struct result *result;
    uint32_t record_bytes, words; /* of a state */
    uint64_t *more;               /* so many counters of its own, or NULL */
    unsigned more_count;
    /* the rest is the summary's */
    struct mem *mem;
    struct summary_place *places; /* per property */
    struct summary_counter counters[SUMMARY_COUNTERS + SUMMARY_MORE];
    unsigned counter_count;
    uint64_t *taken;     /* per rule: what summaries have said */
    uint32_t done, fail; /* monitors that were done then, and failed ones */
    unsigned char *bytes;
    uint64_t size;
};

/* Memory is taken by calls that jump. */
void summary_init(struct summary *summary);
void summary_release(struct summary *summary);
/* Memory for summaries of so many bytes beside what the owner puts. */
void summary_reserve(struct summary *summary, uint64_t more);
/* No summary is longer, `more` aside. */
uint64_t summary_most(const struct summary *summary);

/* Notes where a property is violated; `record` is copied. */
void summary_note(struct summary *summary, uint32_t property, struct summary_place place,
                  const void *record);

/* One summary: begins, takes the owner's numbers, ends with everything else. It is in `bytes` then,
 * and counts as written. */
void summary_begin(struct summary *summary);
void summary_put(struct summary *summary, uint64_t number);
void summary_end(struct summary *summary);

/* Takes over what a summary says after the owner's numbers. False: it makes no sense. */
bool summary_take_over(struct summary *summary, struct varint_input *input);
/* As if nothing had been taken over. Violations that were found stay: they are there. */
void summary_forget(struct summary *summary);
/* Counts as the last summary left them. */
void summary_restore(struct summary *summary);
/* Whether what summaries have said is not more than there is (1). */
bool summary_check(const struct summary *summary);

#endif
