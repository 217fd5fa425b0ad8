/* The model compiled for fast expansion of packed states.
 *
 * A rule's guard becomes masked comparisons of whole words (all its `variable == constant`
 * conjuncts, merged), its constant stores become masked words. The rest of both, and the body, are
 * one piece of code of a small stack machine (program/machine.h): it reads the old state and writes
 * the new one, on which the body then works in place. Rules are indexed by the value of one
 * variable that their guard compares with a constant, the location where there is one, and where
 * that leaves many by more of them (program/dispatch.h): expanding a state looks only at rules of
 * its current locations.
 *
 * Faithful to the reference semantics also where evaluation fails: a comparison is only moved
 * before conjuncts that cannot fail.
 *
 * Invariants: (1) a list has rules in the order of the model, or is a node, whose lists lead to
 * later nodes only; (2) tests, patches, code and jumps of a rule lie within their arrays; (3) what
 * instructions name exists: words, locals, tables. */
#ifndef CAIRN_PROGRAM_PROGRAM_H
#define CAIRN_PROGRAM_PROGRAM_H

#include "program/layout.h"
#include "program/runtime.h"

#include <stdatomic.h>

/* Rules and expressions as machine code (native/), the same for all threads. */
struct program_native {
    runtime_piece **pieces; /* by where they begin in the code of the machine; NULL: none there */
    uint32_t piece_room;
    runtime_lister *const *listers; /* one per index */
    uint32_t longest;               /* so many steps a lister finds at most */
    const int32_t *const *tables;
};

struct instruction {
    uint8_t op; /* enum in machine.h */
    uint8_t bits, shift;
    uint32_t word; /* also: jump target, first variable or local */
    uint64_t mask;
    int64_t number;
};

struct word_test { /* (words[word] & mask) == value */
    uint32_t word;
    uint64_t mask, value;
};

/* What every try reads comes first; it is as long as a line of the cache. */
struct fast_rule {
    const int32_t *gate; /* an entry that must be positive before anything else is looked at, of
                            row ... (below), or NULL */
    uint32_t first_open, open;     /* the tests that its list does not answer */
    uint32_t code;                 /* the rest of the guard, patches, other stores, the body;
                                      PROGRAM_NONE: there are only tests and patches */
    uint32_t first_patch, patches; /* constant stores, as word_test with mask = bits to replace */
    uint32_t rule;                 /* of the model */
    uint64_t touches;              /* monitors that read what the rule writes */
    uint32_t gate_word, gate_mask; /* ... this field, of ... */
    uint32_t gate_factor;          /* ... so many columns */
    uint32_t first_test, tests;    /* all of its tests */
    uint8_t gate_shift;
    bool may_wait; /* there are rules of higher priority, or it asks for permission */
};

/* Rules by the value of a field; the last index has no field and one list. */
struct rule_index {
    struct field field;
    bool has_field;
    uint32_t first_list; /* the list of value v is lists[first_list + v] */
};

/* rules[first .. end); or, when end is PROGRAM_NONE, one more choice: nodes[first]. */
struct rule_list {
    uint32_t first, end;
};

enum { PROGRAM_NONE = 0xFFFFFFFF };

struct program {
    struct model *model;
    const struct layout *layout;
    VEC(struct instruction) code;
    VEC(struct word_test) tests;
    VEC(struct word_test) patches;
    VEC(struct fast_rule)
    rules; /* in the order of the indices; then copies, of those that stand in lists of nodes */
    VEC(struct rule_index) indices; /* a state looks at all of them ... */
    VEC(struct rule_index) nodes;   /* ... and at those of these that its lists lead to */
    VEC(struct rule_list) lists;
    VEC(uint32_t)
    holders; /* rules (indices of `rules`) that hold back those of class c: holders[above[c] ..
                above[c + 1]) */
    uint32_t *above;
    uint32_t *permits; /* per rule of the model: code of what it asks for, or PROGRAM_NONE; NULL: no
                          rule asks */
    uint64_t *other;   /* room for a state that nobody looks at */
    int64_t *stack;
    uint32_t stack_size, stack_room;
    int64_t *locals;
    uint32_t local_count;        /* the model's, then counters of loops */
    struct locals *known_locals; /* while code is compiled; then NULL */
    uint32_t *calls;             /* of a statement, how many calls run it; then, where its code is
                                    (PROGRAM_NONE: not yet) */
    VEC(uint32_t) pending;       /* bodies that are called and not compiled yet */
    VEC(uint32_t) expressions;   /* where those begin that program_compile has compiled */
    /* Where machine code appears while a search goes on, for whoever looks (program_adopt); NULL:
     * nowhere. What this thread has seen of it; NULL: nothing so far. */
    const struct program_native *_Atomic *offered;
    const struct program_native *native;
};

void program_init(struct program *program, struct model *model, const struct layout *layout);
void program_release(struct program *program);
bool program_check(const struct program *program);
/* The same program with working memory of its own, for another thread; false: memory is refused.
 * Nothing may be compiled while there is one, and it is released first. */
bool program_fork(const struct program *program, struct program *fork);
void program_release_fork(struct program *fork);

/* Compiles an expression; program_run evaluates it: false when it fails. */
uint32_t program_compile(struct program *program, expr e);
bool program_run(const struct program *program, uint32_t code, const uint64_t *words,
                 int64_t *value);

/* Says that a monitor (bit number `bit`) reads the variables of e. */
void program_watch(struct program *program, expr e, unsigned bit);

/* Goes through the enabled rules of a state. */
struct program_cursor {
    uint32_t index, at, end;
    bool alone; /* set after program_start: without regard to priorities and permissions */
    bool has_begun, has_step; /* for callers that put an expansion aside and go on with it later */
};
enum step { STEP_NONE, STEP_TAKEN, STEP_FAILED };
void program_start(const struct program *program, struct program_cursor *cursor);
/* Whether what a rule asks for is true; only of interest with `alone`. */
bool program_permits(const struct program *program, const struct fast_rule *fast,
                     const uint64_t *words);
/* Whether a rule of a class above it is enabled, or what the rule asks for is false. */
bool program_holds_back(const struct program *program, const struct fast_rule *fast,
                        const uint64_t *words);

/* Runs a piece of code: it reads words. An expression leaves its result in *value; a rule writes to
 * next, which is the new state when this is STEP_TAKEN. */
enum step machine_run(const struct program *program, uint32_t start, const uint64_t *words,
                      uint64_t *next, int64_t *value);

/* Takes machine code that is offered. Each thread does so for its own program. */
static inline void program_adopt(struct program *program)
{
    if (program->offered && !program->native)
        program->native = atomic_load_explicit(program->offered, memory_order_acquire);
}

static inline struct runtime_context program_context(const struct program *program)
{
    return (struct runtime_context){program->native->tables, program->locals};
}

/* ---- the inside of an expansion, here because it is where the time goes ---- */

static inline bool program_passes(const struct program *program, uint32_t first, uint32_t count,
                                  const uint64_t *words)
{
    for (const struct word_test *test = program->tests.data + first, *end = test + count;
         test < end; test++)
        if ((words[test->word] & test->mask) != test->value) return false;
    return true;
}

/* What most rules of a list fail at. */
static inline bool program_may_enable(const struct program *program, const struct fast_rule *fast,
                                      const uint64_t *words)
{
    if (fast->gate
        && fast->gate[(words[fast->gate_word] >> fast->gate_shift & fast->gate_mask)
                      * fast->gate_factor]
               <= 0)
        return false;
    return program_passes(program, fast->first_open, fast->open, words);
}

/* The new state: the old one with some words patched. */
static inline void program_patch(const struct program *program, uint32_t first, uint32_t count,
                                 const uint64_t *words, uint64_t *next)
{
    for (uint32_t i = 0; i < program->layout->words; i++) next[i] = words[i];
    for (uint32_t i = 0; i < count; i++) {
        const struct word_test *patch = &program->patches.data[first + i];
        next[patch->word] = (next[patch->word] & ~patch->mask) | patch->value;
    }
}

static inline enum step program_take(const struct program *program, const struct fast_rule *fast,
                                     const uint64_t *words, uint64_t *next)
{
    int64_t value;
    if (fast->code != PROGRAM_NONE) return machine_run(program, fast->code, words, next, &value);
    program_patch(program, fast->first_patch, fast->patches, words, next);
    return STEP_TAKEN;
}

/* The rules that the next index leaves to try; false: there are no more. */
static inline bool program_next_list(const struct program *program, struct program_cursor *cursor,
                                     const uint64_t *words)
{
    if (cursor->index >= program->indices.len) return false;
    const struct rule_index *index = &program->indices.data[cursor->index++];
    uint64_t value =
        index->has_field ? words[index->field.word] >> index->field.shift & index->field.mask : 0;
    const struct rule_list *list = &program->lists.data[index->first_list + value];
    while (list->end == PROGRAM_NONE) {
        index = &program->nodes.data[list->first];
        value = words[index->field.word] >> index->field.shift & index->field.mask;
        list = &program->lists.data[index->first_list + value];
    }
    cursor->at = list->first;
    cursor->end = list->end;
    return true;
}

/* Finds the next enabled rule and writes its successor to next; STEP_FAILED: the rule *fast fails
 * in this state. */
static inline __attribute__((always_inline)) enum step
program_next(const struct program *program, struct program_cursor *cursor, const uint64_t *words,
             uint64_t *next, const struct fast_rule **fast)
{
    do
        while (cursor->at < cursor->end) {
            const struct fast_rule *rule = &program->rules.data[cursor->at++];
            if (!program_may_enable(program, rule, words)) continue;
            enum step step = program_take(program, rule, words, next);
            if (step == STEP_NONE
                || (rule->may_wait && !cursor->alone && program_holds_back(program, rule, words)))
                continue;
            *fast = rule;
            return step;
        }
    while (program_next_list(program, cursor, words));
    return STEP_NONE;
}

#endif
