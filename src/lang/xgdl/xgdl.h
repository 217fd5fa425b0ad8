/* xGDL, the language of guides: docs/guides.md. A guide says which sequences of interactions are
 * allowed; it knows no model. */
#ifndef CAIRN_LANG_XGDL_XGDL_H
#define CAIRN_LANG_XGDL_XGDL_H

#include "automaton/guide/phrase.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/text.h"
#include "lang/common/symbols.h"

/* What guides share that are compared with each other: the numbers of interactions, and terms.
 * Labels of terms are numbers of interactions. */
struct xgdl_space {
    struct mem *mem;
    struct arena arena;
    struct names names;
    struct map map;
    VEC(const char *) interactions;
    VEC(const char *)
    spellings; /* of each: as it is written in a guide, in quotes where that is needed */
    struct phrases terms;
};

void xgdl_space_init(struct xgdl_space *space, struct mem *mem);
/* How an interaction is written; `space` is a struct xgdl_space (for phrase_print). */
const char *xgdl_spelling(void *space, uint32_t label);

struct xgdl;

/* Reads a source; all its definitions are resolved. NULL after errors. */
struct xgdl *xgdl_read(struct xgdl_space *space, struct diag *diag, uint32_t source);

/* Tells the names of the file. Those that symbols has already are the names of the model that
 * interactions belong to. */
void xgdl_tell_names(const struct xgdl *xgdl, struct symbols *symbols);
/* Ended by NULL. */
extern const char *const xgdl_keywords[];

/* Its guides, in the order of the file; there is at least one. */
uint32_t xgdl_guide_count(const struct xgdl *xgdl);
const char *xgdl_guide_name(const struct xgdl *xgdl, uint32_t index);
phrase xgdl_guide_term(const struct xgdl *xgdl, uint32_t index);
/* The guide of this name, or MAP_NONE; then *nearest is a name that it could be a misspelling of,
 * or NULL. */
uint32_t xgdl_find_guide(const struct xgdl *xgdl, const char *name, const char **nearest);

/* Marks the names of interactions that stand in the text of a guide, or in that of a definition it
 * uses: its alphabet. A name that is allowed no times (`a{0}`) is one of them, though the term has
 * lost it. `has` has room for every interaction of the space; what is marked already stays so. */
void xgdl_mark_alphabet(const struct xgdl *xgdl, uint32_t index, bool *has);

/* Where the file speaks of an interaction of the space first; line 0: nowhere. */
struct place xgdl_mention(const struct xgdl *xgdl, uint32_t label);

/* The interactions that the file ignores (they are internal: always allowed, and never seen),
 * ascending. No guide of the file has them. */
const uint32_t *xgdl_ignored(const struct xgdl *xgdl, uint32_t *count);

#endif
