/* Stubborn sets where time stands still: of a state in which no time can pass until one of some
 * rules is taken, few rules that are enough (Valmari 1989; for urgent states of timed automata:
 * Larsen, Mikucionis, Muniz, Srba 2020). What is kept, and why, is in stubborn.c. */
#ifndef CAIRN_REDUCE_STUBBORN_H
#define CAIRN_REDUCE_STUBBORN_H

#include "model/model.h"
#include "program/layout.h"

/* A conjunct of a guard: the variable has this value, or has it not. */
struct stubborn_test {
    uint32_t var;
    int64_t value;
    bool is_not;
};

struct stubborn {
    struct model *model;
    const struct layout *layout;
    bool is_idle;         /* nothing is ever left out */
    uint64_t *dependent;  /* per rule, a set of rules: those that are not independent of it */
    uint32_t set_words;   /* of a set of rules */
    bool *alone;          /* per rule: it may be in a set that is not all */
    bool *is_urgent;      /* per rule: while it is enabled, no time passes */
    uint32_t *first_test; /* per rule, and one more */
    VEC(struct stubborn_test) tests;
    uint32_t *first_writer, *writers; /* per variable, and one more: rules that write it */
};

/* What one thread has of its own. */
struct stubborn_work {
    uint64_t *chosen, *best, *enabled; /* sets of rules */
    bool *is_open;                     /* per variable: what may change it next is chosen */
    uint32_t *queue;                   /* rules that are chosen, those of them ... */
    uint32_t chosen_count;
};

/* visible: per variable and per clock, whether what is asked reads it. Memory is taken by calls
 * that jump when it is refused. */
void stubborn_init(struct stubborn *stubborn, struct model *model, const struct layout *layout,
                   const bool *visible, const bool *visible_clocks);
void stubborn_release(struct stubborn *stubborn);
/* False when memory is refused; stubborn_release_work must follow in either case. */
bool stubborn_open(const struct stubborn *stubborn, struct stubborn_work *work, struct mem *mem);
void stubborn_release_work(struct stubborn_work *work, struct mem *mem);

/* Chooses among the rules that are enabled in a state, clocks and priorities aside; none of its
 * rules fails there. `always` says whether a rule can be taken at once in all valuations that are
 * at hand. False: all must be taken; true: those that stubborn_takes says. */
bool stubborn_choose(const struct stubborn *stubborn, struct stubborn_work *work,
                     const uint64_t *words, const uint32_t *enabled, uint32_t count,
                     bool (*always)(void *context, uint32_t i), void *context);
static inline bool stubborn_takes(const struct stubborn_work *work, uint32_t rule)
{
    return work->best[rule / 64] >> rule % 64 & 1;
}

#endif
