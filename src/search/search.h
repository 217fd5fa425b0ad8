/* The one search: states are expanded, what they lead to is added to sets, until nothing is new.
 *
 * Workers expand ahead, one or several at the same time, each into a batch of its own: that changes
 * nothing but the batch. What they found is then added by one thread in the order in which one
 * worker alone would have found it. So every result is that of one thread, however many there are
 * and whoever was faster.
 *
 * Whether everything is decided is asked between lots: after so many steps, or states, were added,
 * and where a range ends. So where a search ends does not depend on how far workers were ahead,
 * either.
 *
 * What a state is, is the space's (space.h); where states are known, the set's (set.h); what comes
 * next, the order's (order.h). */
#ifndef CAIRN_SEARCH_SEARCH_H
#define CAIRN_SEARCH_SEARCH_H

#include "search/poll.h"
#include "search/space.h"
#include "search/findings.h"

struct native;
struct order;
struct team;

/* Called for every state and step in the order found, when set: states by number, SET_NONE as
 * source for initial states. */
struct search_graph {
    void (*state)(void *context, uint64_t state, const int64_t *values, const char *zone);
    void (*edge)(void *context, uint64_t from, uint32_t rule, uint64_t to);
    void *context;
};

/* What was added since the last look at what is decided. */
struct lot {
    uint32_t most_states, most_steps; /* of one */
    uint32_t states, steps;
    uint64_t last;         /* a lot ends with this state, too: the last one of the range, or ... */
    bool grows;            /* ... of those that were known when the lot began */
    enum stop_reason stop; /* what that look said */
    bool has_open;         /* a state whose last step was that of a lot is finished in the next */
    struct batch_state open; /* one: this */
};

struct search {
    struct task *task;
    struct model *model;
    struct result *result;
    struct space *space;
    const struct order *order;
    void *own;       /* the order's */
    struct set *set; /* that states are expanded of, and their steps belong to */
    struct worker *worker;
    struct recent recent;  /* of that worker, where orders allow it */
    uint32_t threads;      /* that may work on it, the caller's included */
    struct team *team;     /* NULL: one thread, or none that expands ahead */
    struct native *native; /* or NULL */
    struct findings findings;
    char apart[MEM_APART]; /* what is above workers read all the time, while one of them adds */
    struct poll poll;
    struct lot lot;
    /* A state may be expanded in several passes, each of which leaves rules out
     * (space->leave_out). Dead ends are looked for in the first; it is expanded after the last. */
    bool is_first_pass, is_last_pass;
    const struct search_graph *graph; /* or NULL */
    uint64_t initial_number;          /* of the initial state at hand */
};

/* Looks at the clock now and then. False: the search must end. */
static inline bool search_goes_on(struct search *search)
{
    return search->poll.left-- || poll_now(search);
}

/* Expands states of search->set from *cursor on, those before `end`, and adds what they lead to;
 * `end` may be SET_NONE: all, while the set grows. *cursor: the next one that is to be expanded;
 * before `end` only when the order pauses. False: the search must end. */
bool search_expand(struct search *search, uint64_t *cursor, uint64_t end);
/* Adds the initial states, to search->set unless the order places them. */
bool search_add_initial(struct search *search);
/* Adds the states of a batch and what they lead to, from number `first` on; *next: where it ended,
 * because the order pauses. False: the search must end. */
bool search_add(struct search *search, struct worker *worker, uint32_t first, uint32_t end,
                uint32_t *next);
/* What a team tells of a state that was merged: all its steps, and how many of them are new. */
struct search_told {
    uint32_t steps, news;
};
/* Whether states may be added by what is told of them alone, with room for the log of so many, when
 * there is nothing odd about them. */
bool search_can_be_told(const struct search *search);
bool search_has_room(struct search *search, uint64_t last, uint64_t news);
/* As search_add, of states that follow each other, the first of this number. rules: of new states,
 * one after the other; known: steps of theirs that were taken out. */
bool search_add_told(struct search *search, const struct batch_state *states, uint32_t count,
                     const struct search_told *told, const uint32_t *rules, uint64_t known);
/* The same for the only state in the batch, some of whose steps were added as they were found
 * (space_take_next): a lot by itself. The last time it has no step. Not after the end. */
bool search_add_next(struct search *search, struct worker *worker);
/* Whether the order must have a look before anything else is added. */
bool search_pauses(struct search *search);
/* Everything that was added so far counts when it is asked next what is decided. False: the search
 * must end. */
bool search_end_lot(struct search *search);

/* Before the steps of a state are added: what the space keeps of it. False: the search must end. */
bool search_commit(struct search *search, struct worker *worker, const struct batch_state *state);

/* The states that count of search->set, which may not be there yet. */
uint64_t search_kept(const struct search *search);
/* Adds what all sets count of their own (set.h). */
void search_sum(const struct search *search, uint64_t *totals);

/* For a team. Expands one state into the worker's batch, unless it need not be; false: memory was
 * refused. Looks up the steps in the batch, from one on. Several workers may do this at the same
 * time. */
bool search_expand_ahead(const struct search *search, struct worker *worker, uint64_t state);
void search_look_up(const struct search *search, struct worker *worker, uint32_t first);
/* As search_expand, by one worker, which is some states ahead. */
bool search_expand_alone(struct search *search, uint64_t *cursor, uint64_t end);

#endif
