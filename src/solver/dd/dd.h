/* Binary decision diagrams over pairs of variables, made for reachability.
 *
 * A manager (struct dd) has `pairs` of variables: pair p consists of dd_now(p) and dd_next(p),
 * always on adjacent levels of the order, so that a relation between two states is one diagram and
 * an image is one pass over it. Sets of states are diagrams over `now` variables only. Diagrams are
 * canonical: equal functions are equal handles.
 *
 * Memory. Nodes are 16 bytes in one table, collected by mark and sweep. A collection can happen
 * inside any operation that makes nodes, so whatever must survive is named before: dd_protect
 * registers the address of a variable, which is read at every collection. Registration is a stack:
 * dd_mark remembers its height, dd_release goes back to it. Operands of a running operation are
 * protected by it, its result is not.
 *
 *     uint32_t mark = dd_mark(dd);
 *     bdd reached = initial, image = BDD_FALSE;
 *     dd_keep(dd, &reached, &image);
 *     image = dd_image(dd, relation, reached, DD_FORWARD);
 *     reached = dd_or(dd, reached, image);
 *     dd_release(dd, mark);
 *
 * Limits. All memory comes from the context given to dd_new and obeys its byte budget. When it is
 * full the table is collected; when that does not help, dd_saturate reorders and starts again once,
 * and every other operation is given up: control returns to the last dd_catch, with a reason. The
 * diagrams protected before that dd_catch are still good.
 *
 *     struct dd_guard guard;
 *     enum dd_reason why = dd_catch(dd, &guard);
 *     if (why == DD_NONE) { ...operations...; dd_uncatch(dd, &guard); }
 *     else ...
 *
 * Reordering (sifting whole pairs) happens in dd_rest, which a caller puts between operations, and
 * inside dd_saturate. There is no global state; a manager belongs to one thread. */
#ifndef CAIRN_SOLVER_DD_DD_H
#define CAIRN_SOLVER_DD_DD_H

#include "base/mem.h"
#include "base/natural.h"

typedef uint32_t bdd;
enum { BDD_FALSE = 0, BDD_TRUE = 1 };

struct dd;

/* Operations recurse once or twice for each pair. Without images and saturation DD_PLAIN_PAIRS fit
 * on the stack that a program begins with; otherwise there must be DD_STACK_BYTES for each pair
 * (base/stack.h). */
enum { DD_MAX_PAIRS = 1 << 24, DD_PLAIN_PAIRS = 16000, DD_STACK_BYTES = 1024 };

/* ---- managers, variables, order ---- */

/* NULL when memory is refused. */
struct dd *dd_new(struct mem *mem, uint32_t pairs);
void dd_free(struct dd *dd);
uint32_t dd_pairs(const struct dd *dd);
/* More pairs, numbered on; they come first or last in the order. False when memory is refused or
 * there would be too many. */
bool dd_add_pairs(struct dd *dd, uint32_t count, bool first);
/* Puts the pairs in this order, first to last; only before any diagram was made. */
void dd_set_order(struct dd *dd, const uint32_t *pairs);
/* The pair at a position of the order, and the position of a pair. */
uint32_t dd_pair_at(const struct dd *dd, uint32_t position);
uint32_t dd_place_of(const struct dd *dd, uint32_t pair);

static inline uint32_t dd_now(uint32_t pair) { return 2 * pair; }
static inline uint32_t dd_next(uint32_t pair) { return 2 * pair + 1; }

/* ---- protection and limits ---- */

uint32_t dd_mark(const struct dd *dd);
void dd_protect(struct dd *dd, bdd *variable);
void dd_protect_array(struct dd *dd, bdd *variables, uint32_t count);
/* Several variables at once: dd_keep(dd, &a, &b). */
#define dd_keep(dd, ...)                                                                           \
    dd_protect_list((dd), (bdd *const[]){__VA_ARGS__},                                             \
                    sizeof((bdd *const[]){__VA_ARGS__}) / sizeof(bdd *))
void dd_protect_list(struct dd *dd, bdd *const *variables, size_t count);
void dd_release(struct dd *dd, uint32_t mark);

enum dd_reason {
    DD_NONE,
    DD_FULL,
    DD_STOPPED,
    DD_AGAIN
}; /* the last one never leaves the module */

struct dd_guard {
    jmp_buf env;
    struct dd_guard *outer;
    uint32_t roots, stack;
};
void dd_arm(struct dd *dd, struct dd_guard *guard);
#define dd_catch(dd, guard) (dd_arm((dd), (guard)), (enum dd_reason)setjmp((guard)->env))
void dd_uncatch(struct dd *dd, struct dd_guard *guard);
/* Gives up as if memory had run out (DD_FULL) or the clock (DD_STOPPED). */
_Noreturn void dd_give_up(struct dd *dd, enum dd_reason why);

/* Called now and then inside operations; false gives up with DD_STOPPED. Whatever it says,
 * operations are given up so when there is enough (mem_enough). */
void dd_set_poll(struct dd *dd, bool (*poll)(void *context), void *context);
/* Operations are given up with DD_STOPPED when they have had so many results between them, from now
 * on: work, not time, so that it is the same on every machine. 0: as many as they like. */
void dd_set_budget(struct dd *dd, uint64_t results);

/* Between operations: collects and reorders when that is due. What is not protected may be gone
 * afterwards. */
void dd_rest(struct dd *dd);
void dd_collect(struct dd *dd);
/* Sifting now; false when there was not memory enough to try. */
bool dd_reorder(struct dd *dd);
void dd_allow_reordering(struct dd *dd, bool allowed);

struct dd_statistics {
    uint64_t nodes, peak_nodes; /* in the table */
    uint64_t live;              /* found by the last collection */
    uint64_t collections, reorderings, bytes;
};
void dd_get_statistics(const struct dd *dd, struct dd_statistics *statistics);

/* ---- functions ---- */

bdd dd_variable(struct dd *dd, uint32_t variable);
bdd dd_not(struct dd *dd, bdd a);
bdd dd_and(struct dd *dd, bdd a, bdd b);
bdd dd_or(struct dd *dd, bdd a, bdd b);
bdd dd_xor(struct dd *dd, bdd a, bdd b);
bdd dd_diff(struct dd *dd, bdd a, bdd b); /* a and not b */
/* a without all parts, which must be protected. The parts are taken away where they begin, node by
 * node from below, so that each costs what lies between its first and last level. */
bdd dd_without(struct dd *dd, bdd a, const bdd *parts, uint32_t count);
/* The first position that matters to a diagram; that of a constant comes after all. */
uint32_t dd_first_position(const struct dd *dd, bdd a);
bdd dd_ite(struct dd *dd, bdd a, bdd b, bdd c);
/* Quantifies the variables of a cube (a conjunction of variables) away. */
bdd dd_exists(struct dd *dd, bdd a, bdd cube);
/* Whether a implies b; makes no nodes that stay. */
bool dd_implies(struct dd *dd, bdd a, bdd b);
/* Turns the `now` variables of pairs first .. first + count - 1 into their `next` ones; a must be
 * over `now` variables. */
bdd dd_shift(struct dd *dd, bdd a, uint32_t first, uint32_t count);

bool dd_eval(const struct dd *dd, bdd a, const uint8_t *values); /* one per variable */
/* Nodes of the diagram, terminals not counted. */
uint64_t dd_size(struct dd *dd, bdd a);
/* Chooses one element of a non-empty set over `now` variables: bits[p] for every pair; a pair the
 * set does not mention gets 0. */
void dd_pick(const struct dd *dd, bdd a, uint8_t *bits);
/* Marks in depends[v] the variables that a depends on. */
void dd_support(struct dd *dd, bdd a, uint8_t *depends);
/* The same as a list, in no order, whose length is returned; depends[v] is 0 for every variable
 * before and after. It costs what the diagram has, however many variables there are. */
uint32_t dd_list_support(struct dd *dd, bdd a, uint8_t *depends, uint32_t *list);
/* The structure: variable (undefined for constants) and cofactors. */
uint32_t dd_top(const struct dd *dd, bdd a);
bdd dd_low(const struct dd *dd, bdd a);
bdd dd_high(const struct dd *dd, bdd a);

/* ---- relations ---- */

enum dd_direction { DD_FORWARD, DD_BACKWARD };

/* A relation between states: a diagram, and the pairs whose value it determines. A pair that is not
 * among these keeps its value, without the diagram saying so: no frame conditions. The diagram
 * mentions the `next` variables of written pairs only. */
struct dd_relation {
    bdd diagram;
    uint32_t *written; /* pairs */
    uint32_t written_count;
    uint32_t id; /* the rest is the manager's own; id + w: when w written pairs were passed */
    uint32_t version;
    uint32_t *levels; /* positions of the written pairs, ascending */
    uint32_t top;     /* the first position that matters */
};

/* Keeps a copy of the list and protects the diagram until dd_relation_release. */
void dd_relation_init(struct dd *dd, struct dd_relation *relation, bdd diagram,
                      const uint32_t *written, uint32_t count);
void dd_relation_release(struct dd *dd, struct dd_relation *relation);

/* The states that a state of the set leads to (forward), or that lead to one (backward), in one
 * step. */
bdd dd_image(struct dd *dd, struct dd_relation *relation, bdd set, enum dd_direction direction);

/* The least set that contains `set` and is closed under all relations, as far as they lead to
 * states of `within`: saturation (Ciardo, Lüttgen, Siminiceanu 2001), with a constraint (Zhao,
 * Ciardo 2009). */
bdd dd_saturate(struct dd *dd, struct dd_relation *const *relations, uint32_t count,
                enum dd_direction direction, bdd set, bdd within);

/* ---- counting ----
 *
 * The elements of sets over the `now` variables of the pairs numbered below `bits`, which are
 * counted; no set mentions others. Counting can take long and be stopped (dd_set_poll). */

/* natural_free it. False when memory is refused. */
bool dd_count(struct dd *dd, bdd set, uint32_t bits, struct natural *count);

/* For many small sets: the number of elements of base & part for each part, UINT64_MAX when there
 * are so many or more; and the exact sum of them. False when memory is refused. */
bool dd_count_parts(struct dd *dd, bdd base, const bdd *parts, uint32_t part_count, uint32_t bits,
                    uint64_t *counts);
bool dd_count_sum(struct dd *dd, bdd base, const bdd *parts, uint32_t part_count, uint32_t bits,
                  struct natural *count);

/* Invariants of the whole table, between operations, for tests and debug builds. NULL, or what is
 * wrong. */
const char *dd_check(struct dd *dd);
/* For checks: whether a diagram is about states now, and not about next ones. */
bool dd_is_now(const struct dd *dd, bdd a);
/* For checks: whether the next values that a relation is about are those of the pairs that it
 * writes. */
bool dd_check_relation(const struct dd *dd, const struct dd_relation *relation);

#endif
