/* Which rules a state has to try: lists of rules by the values of variables that guards compare
 * with constants. Used while a program is made. */
#ifndef CAIRN_PROGRAM_DISPATCH_H
#define CAIRN_PROGRAM_DISPATCH_H

#include "program/program.h"

struct placed; /* a rule and what it is chosen by */

/* A conjunct `variable == number` that is a word test. */
struct comparison {
    uint32_t var;
    int64_t number;
};

struct dispatch {
    struct program *program;
    struct placed *
        placed; /* one per rule of the model; once they are built, in the order of program->rules */
    uint32_t count;
    VEC(struct comparison)
    comparisons;    /* of all rules, one after the other; the first of each variable */
    uint32_t *last; /* per variable: the number from 1 of the last rule that compares it */
    /* While lists are refined: */
    VEC(uint32_t) ids; /* rules of the lists at hand: a stack */
    VEC(uint32_t)
    values; /* the same for those that are split: the value that a rule asks for, less the lowest,
               or PROGRAM_NONE */
    VEC(struct comparison) sorted; /* comparisons of the list at hand */
    bool *used;                    /* per variable: the way to the list at hand has chosen by it */
    uint64_t lists_left, copies_left; /* what the list of an index may still cost */
};

void dispatch_init(struct dispatch *dispatch, struct program *program);
/* The rules of the model one after the other: returns the rule to fill in. */
struct fast_rule *dispatch_begin(struct dispatch *dispatch, uint32_t rule);
/* Its guard has this word test. */
void dispatch_note(struct dispatch *dispatch, uint32_t var, int64_t number);
/* Fills program->rules, indices and lists. */
void dispatch_build(struct dispatch *dispatch);
/* Splits long lists: nodes, more lists, copies of rules. The order in which a state tries its rules
 * stays the same. */
void dispatch_refine(struct dispatch *dispatch);
void dispatch_release(struct dispatch *dispatch);

#endif
