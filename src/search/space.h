/* What a state is: how states follow each other. Two spaces exist: packed words
 * (engine/explicit/packed.h) and packed words with a zone (engine/timed). A space answers for one
 * state at a time, and expands it as a whole: one call through a pointer per expansion, none per
 * step. */
#ifndef CAIRN_SEARCH_SPACE_H
#define CAIRN_SEARCH_SPACE_H

#include "program/program.h"
#include "result/result.h"
#include "search/batch.h"
#include "solver/store.h"
#include "solver/tree.h"
#include "solver/wordset.h"

struct space;
struct text;

/* What one thread needs to expand states. */
struct worker {
    struct space *space;
    struct mem *mem; /* its batch, and what the space keeps for it */
    bool has_fork;
    struct program fork;           /* working memory of its own, unless it is alone */
    const struct program *program; /* &fork, or the space's */
    uint64_t *words;               /* the state being expanded */
    uint64_t *other;               /* room for one */
    struct tree_view view;         /* of a space with a tree: it shows the state being expanded */
    uint32_t *found;               /* what a lister found (program/runtime.h); NULL: none did yet */
    struct batch batch;
    struct recent *recent; /* of states that it need not list when it is ahead; or NULL */
    /* Per rule: how often it was taken by steps of the batch, listed or not; then those that were
     * taken out are not listed. NULL: they are, and all are counted as they are added. */
    uint64_t *taken;
    bool is_merged;   /* what the batch has is in sets already (merge.h) */
    bool lists_known; /* somebody wants to be told of every step, those included that are known */
    bool is_full;     /* the space has little room left for more states in this batch */
    bool is_refused;  /* the next initial state, or the one in files, was refused memory */
    void *own;        /* the space's */
    char apart[MEM_APART];
};

enum { SPACE_RECORD_HEAD = 1 };

struct space_kind {
    const char *engine; /* that a result is of */
    const struct set_kind *sets;
    /* Working memory of a worker beyond the common one: may be NULL. False: memory was refused. */
    bool (*open)(struct worker *worker);
    void (*close)(struct worker *worker);
    /* Appends a state of a set, and all its steps, to the worker's batch; without a set, the state
     * is in worker->words. Several workers may do this at the same time. False: memory was refused,
     * and the batch is as before. */
    bool (*expand)(struct worker *worker, struct set *set, uint64_t state);
    /* The same with the next steps, from the cursor on, which is all zero at first: up to one that
     * is not known, those before it taken out. No step is listed: there are no more. NULL: the
     * space cannot. */
    bool (*expand_next)(struct worker *worker, struct set *set, uint64_t state,
                        struct program_cursor *cursor);
    /* Appends the first, or the next, initial state to an empty batch, as the step of no state; a
     * state without a step: that one is not possible. False: there are no more. */
    bool (*initial)(struct worker *worker, bool first);
    /* Appends a state that was in files to an empty batch, as an initial one. False: it makes no
     * sense. */
    bool (*thaw)(struct worker *worker, const unsigned char *record, uint64_t size);
    /* In the order of one thread, before the steps of a state are added: keeps what the space needs
     * of it. May be NULL. False: memory was refused. */
    bool (*commit)(struct worker *worker, const struct batch_state *state);
    /* What there is to be read about a step beside its values, such as its zone. May be NULL. */
    void (*describe)(const struct worker *worker, uint32_t step, struct text *text);
    /* Fills in what a trace that shows a violation needs beside its rules, such as dates; `words`:
     * its last state. May be NULL. */
    void (*complete)(struct space *space, struct property_result *entry, const uint64_t *words);
    /* Between batches, once the set has space->folds_at states: another set with the same states
     * and numbers, for an order that can forget, in which they take less memory; the space is of
     * another kind then, and the old set is freed. NULL, or what is returned is NULL: it stays. */
    struct set *(*fold)(struct space *space, struct set *set);
    /* For peers (spread.h): what `thaw` takes of a step, or of a state of a set; it begins with
     * SPACE_RECORD_HEAD bytes and the packed words, and has at most record_most bytes. It stays
     * until the next call; 0: memory was refused. NULL: packed words say everything. */
    size_t (*write_step)(struct worker *worker, uint32_t step, const unsigned char **record);
    size_t (*write_state)(struct worker *worker, const struct set *set, uint64_t state,
                          const unsigned char **record);
    uint32_t record_most;
    bool alone; /* steps are numbered among rules that are enabled, priorities aside */
    /* Expanding takes so long that one worker gains nothing by being ahead, and that after each
     * state it is asked what is decided. */
    bool is_slow;
};

struct space {
    const struct space_kind *kind;
    struct mem *mem;
    struct model *model;
    struct layout layout;
    struct program program;
    bool is_mixed;     /* hashes of states are wordset_mix, of their only word */
    bool is_folded;    /* ... of the word that the tree makes of them */
    bool must_fold;    /* even if states take more memory then */
    uint64_t folds_at; /* so many states; SET_NONE: never */
    struct tree tree;
    uint64_t *written; /* per rule: the set of words that it writes, for the tree; NULL: unknown */
    uint32_t extra_words;  /* of the space's own, behind the words of a step */
    const bool *leave_out; /* per rule: its steps are not taken; NULL: all are */
    bool is_again;         /* states are expanded once more, by rules that were left out */
    /* Where the state that a rule leads to would be known, if anywhere so far; NULL: where those
     * are that are expanded. Several workers may ask at the same time. */
    struct set *(*locate)(const void *order, uint32_t rule, const uint64_t *before,
                          const uint64_t *after);
    const void *order;
    uint32_t final;   /* the code of the model's final states, if it has any */
    int64_t *values;  /* an unpacked state */
    int64_t *initial; /* the initial state that was enumerated last */
};

/* 0: there is none so far (dense.h). */
static inline uint64_t space_hash(const struct space *space, const uint64_t *words)
{
    if (space->is_folded) return 0;
    return space->is_mixed ? wordset_mix(*words) : store_hash(words, space->layout.key_bytes);
}

/* The common part of a space. Memory is taken by calls that jump when it is refused. */
void space_init(struct space *space, const struct space_kind *kind, struct model *model);
void space_release(struct space *space);

/* False: memory was refused; worker_close must follow in either case. is_alone: no other worker is
 * at work at the same time. */
bool worker_open(struct worker *worker, struct space *space, struct mem *mem, bool is_alone);
void worker_close(struct worker *worker);

/* Appends the steps of the state in worker->words to the batch, from the cursor on, with their
 * rules and hashes; they belong to `set`. This is the loop around the rules of a model: there is no
 * other. False: memory was refused. */
bool space_take_steps(struct worker *worker, struct set *set, struct batch_state *begun,
                      struct program_cursor *cursor);
/* The same up to the first step that is not known, which is added; those before it are taken out.
 * One worker at a time. */
bool space_take_next(struct worker *worker, struct set *set, struct batch_state *begun,
                     struct program_cursor *cursor);

/* Lists the rules that are enabled, or fail, in a state, priorities and permissions aside, with
 * their successors: `tag` is an enum step. False: memory was refused. */
bool space_list(const struct worker *worker, const uint64_t *words, struct batch *list);
/* Appends the state in worker->words, with all its steps as the space numbers them and without
 * regard to time, to an empty batch. False: memory was refused. */
bool space_take_discrete(struct worker *worker);

/* Whether the state in `words` is a final one of the model. */
bool space_is_final(const struct space *space, const struct program *program,
                    const uint64_t *words);

#endif
