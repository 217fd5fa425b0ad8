/* What comes next in a search, where a new state goes, what to do when memory is short, and what
 * the end means. An order is one row of functions; those that are not needed may be NULL. */
#ifndef CAIRN_SEARCH_ORDER_H
#define CAIRN_SEARCH_ORDER_H

#include "search/search.h"

struct order {
    const char *name;
    bool merges; /* the states that steps lead to are all of one set, which keeps them, and may be
                    added before their turn comes (merge.h) */
    bool can_forget;   /* it needs neither the numbers of states that are known nor, once they are
                          expanded and it says so, their words: its set may have `forget` */
    bool can_fold;     /* it keeps nothing of its set, which may become another one while nothing is
                          expanded (space_kind.fold), and asks for no hashes */
    bool has_scouts;   /* threads make searches of their own, where they can (scouts.h): no team */
    bool lists_known;  /* its log has every step, those included that lead to known states */
    bool decides_late; /* it says itself where the search ends because everything is decided */
    const char *no_graph; /* why temporal properties cannot be decided on its states: they are not
                             all in search->set at the end; NULL: they are */

    /* Makes search->own. Memory is taken by calls that jump, or are refused: false. */
    bool (*begin)(struct search *search);
    /* The whole search, from its initial states on. False: the result says why it ended early. */
    bool (*run)(struct search *search);
    /* Memory was refused by a jump out of `run`: nobody may be left at work, and nothing else is
     * called. */
    void (*abandon)(struct search *search);
    /* After the search: what the result tells of it. Then frees search->own. */
    void (*conclude)(struct search *search);
    void (*end)(struct search *search);

    /* Where steps belong, of one state that a worker has just expanded: it may change `set`, and
     * use `tag`. Then, of several states: what is worth looking up now. Several workers call these
     * at the same time, while nothing else changes. */
    void (*place)(const struct search *search, struct worker *worker, uint32_t first, uint32_t end);
    void (*resolve)(const struct search *search, struct worker *worker, uint32_t first,
                    uint32_t end);

    /* In the order of one thread. Before the steps of a state are added: sets that are missing.
     * False: the search must end. */
    bool (*admit)(struct search *search, struct worker *worker, struct batch_state *state);
    /* After some steps of a state are added, from `first` to before `end`: how those were found
     * that are new (the batch's `fresh`). False: the search must end. */
    bool (*log)(struct search *search, struct worker *worker, const struct batch_state *state,
                uint32_t first, uint32_t end);
    /* The same of all steps of a state, by the rules of those that are new, which several threads
     * have added before their turn; there is room, by a call before: when it was refused, nothing
     * has changed. NULL: not in this order. */
    void (*log_told)(struct search *search, uint64_t state, const uint32_t *rules, uint32_t news);
    bool (*reserve_log)(struct search *search, uint64_t last, uint64_t news);
    /* Memory was refused: gives some back. False: there is none, and nothing was said. */
    bool (*relieve)(struct search *search);
    /* Whether a state need not be expanded. */
    bool (*skips)(const struct search *search, uint64_t state);
    /* After a state was expanded: whether nothing else may be before the order has had a look. */
    bool (*pauses)(struct search *search);

    /* After the search: whether the step of a state by this rule is in the graph that was searched;
     * NULL: all are. */
    bool (*keeps)(const struct search *search, uint64_t state, uint32_t rule);

    /* A property is violated in a state: the entry gets its trace, or will get it. */
    void (*violated)(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule);
    /* States reached so far; more for the display. */
    uint64_t (*states)(const struct search *search);
    /* What all sets count of their own; NULL: there is one, search->set. */
    void (*sum)(const struct search *search, uint64_t *totals);
    void (*show)(const struct search *search, struct search_progress *progress);
};

#endif
