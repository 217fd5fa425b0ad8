/* Guides (xGDL) of files: read, chosen, compiled, split. What `cairn guide` and searches with
 * --guide share. */
#ifndef CAIRN_RUN_GUIDEFILE_H
#define CAIRN_RUN_GUIDEFILE_H

#include "automaton/guide/compile.h"
#include "automaton/guide/phrase_split.h"
#include "run/ask.h"
#include "lang/xgdl/xgdl.h"

enum { GUIDEFILE_MOST_STATES = 1 << 24 };

struct guidefile_reader {
    struct mem *mem;
    struct diag *diag;
    const struct diag *known; /* its sources need not be read again; or NULL */
    struct xgdl_space space;  /* what guides that are compared have in common */
    int status;               /* EXIT_HOLDS, or why something could not be done */
};

/* A file of guides, or one of them. */
struct guidefile_source {
    const char *file, *name; /* name is NULL: all guides together */
    struct xgdl *xgdl;
    uint32_t first, count; /* which guides */
    phrase whole;          /* what one of them allows */
};

void guidefile_init(struct guidefile_reader *reader, struct mem *mem, struct diag *diag);

/* Whether a file is one of guides, by its name. */
bool guidefile_knows(const char *file);

/* Reads source->file into source->xgdl, unless it is there. These are false after a message. */
bool guidefile_parse(struct guidefile_reader *reader, struct guidefile_source *source);
/* The same, and chooses source->name. */
bool guidefile_read(struct guidefile_reader *reader, struct guidefile_source *source);
/* The automaton of a guide that is called so, or of several (NULL). */
bool guidefile_compile(struct guidefile_reader *reader, phrase t, const char *name,
                       struct dfa *dfa);
/* What to do with the status of an automaton: memory that is refused jumps, a limit is told:
 * "`what` 'name' needs more than ... states". */
bool guidefile_is_done(struct guidefile_reader *reader, enum build_status status, const char *what,
                       const char *name);

/* Whether a guide can be split like that: alternatives, permutations, position or position=N. */
bool guidefile_is_split(const char *how);
/* Splits the guide, and proves that the parts allow together what it allows: the automata are
 * compared. */
bool guidefile_split(struct guidefile_reader *reader, const char *how, const char *name,
                     phrase whole, struct phrase_list *parts);
/* A name for parts that no interaction has when a number is added: parts and interactions share
 * their names. */
const char *guidefile_stem(struct guidefile_reader *reader, const char *name);
/* A name for a definition of theirs, like `wanted`, that no interaction has. */
const char *guidefile_free_name(struct guidefile_reader *reader, const char *wanted);

#endif
