/* The tree of a file of guides, as it was written: names are resolved later (xgdl.c), because a
 * name is an interaction only when nothing in the whole file defines it. Lists hang together by
 * `next`. */
#ifndef CAIRN_LANG_XGDL_AST_H
#define CAIRN_LANG_XGDL_AST_H

#include "automaton/guide/phrase.h"
#include "base/diag.h"

struct xgdl_node {
    enum phrase_op op;
    struct place place;
    const char *name;   /* EVENT: an interaction or a definition */
    bool is_quoted;     /* EVENT: certainly an interaction */
    uint32_t low, high; /* REP, OF */
    struct xgdl_node *parts;
    struct xgdl_node *next;
};

struct xgdl_decl {
    const char *name;
    bool is_guide;
    struct place place, start, end; /* of the name; of the declaration, and behind it */
    struct xgdl_node *body;
    struct xgdl_decl *next;

    /* what is found out */
    bool is_busy, is_ready, is_bad, is_used;
    phrase term;
    unsigned depth; /* of nested operations */
};

struct xgdl_ignored {
    const char *name;
    bool is_quoted;
    struct place place;
    uint32_t label; /* once it is known */
    struct xgdl_ignored *next;
};

struct xgdl_file {
    struct xgdl_decl *decls;
    struct xgdl_ignored *ignored;
};

/* Reads a source. False after errors. */
bool xgdl_parse(struct diag *diag, struct names *names, struct arena *arena, uint32_t source,
                struct xgdl_file *file);

bool xgdl_is_keyword(const char *word);

#endif
