/* One run: what is asked, the model it is asked of, and what became of it on the way to an engine.
 * run/load fills the model in. */
#ifndef CAIRN_RUN_SESSION_H
#define CAIRN_RUN_SESSION_H

#include "context/context.h"
#include "lang/cdl/cdl.h"
#include "pass/flatten.h"
#include "pass/hide.h"
#include "run/advice.h"
#include "run/ask.h"
#include "run/door.h"

#include <stdio.h>

struct session {
    struct ask *ask;
    const struct door *door;
    struct mem *mem;
    struct diag diag;
    const struct diag
        *known;       /* sources of another session, which need not be read again; or NULL */
    bool keep_ranges; /* set before loading: the model as its language says, without tightening */
    struct model *model;
    struct model *shown;  /* after session_hide: the model with all its hidden variables, for
                             reports; NULL: it has none */
    struct hiding hiding; /* if there is one: what became of them */
    bool *forgotten; /* per variable: it is hidden because nothing that is asked depends on it; NULL
                        unless queries are asked about runs that repeat */
    bool recalls;    /* nothing is forgotten */
    struct cdl *cdl; /* the file of the context, or NULL */
    struct guideload *guide; /* that of the guide, if it was read before the model; or NULL */
    struct guideload_picture
        *picture;                   /* of the guide that was woven in, when it is small; or NULL */
    uint32_t *depths;               /* per state of the context: the most steps to it; or NULL */
    const struct context *context;  /* what was woven into the model, or NULL */
    struct model *flat;             /* the model without code, or NULL: see session_flat */
    struct flatten_refusal refusal; /* why there is none ... */
    bool is_limited;                /* ... namely for lack of time or memory */
    int status;                     /* of loading that failed */
    bool worked;                    /* on some parts of the whole: there is no result of it */
    const struct task *task;        /* after session_prepare */
    struct advice_list soon;        /* while it runs: the same, when a limit will end it */
    struct advice_list advice;      /* what to try next, when a limit ended the search */
    atomic_int *interrupted;        /* whoever wants the search to end sets it */
};

/* The ask, the memory and the door outlive the session. */
void session_init(struct session *session, struct ask *ask, struct mem *mem,
                  const struct door *door);

/* The properties that are asked for. False: an unknown name was told. */
bool session_properties(struct session *session, struct task *task);

/* From now on session->model is the one to search: without the hidden variables that influence
 * nothing that can be seen (pass/hide.h), when these properties are asked for. Warns of those that
 * do. */
void session_hide(struct session *session, const struct property_result *properties,
                  uint32_t count);
/* The other way, for runs that should come back to the values of all variables: what was forgotten
 * is there again, and session_hide can be called. */
void session_recall(struct session *session);
/* Turns a run of session->model into one of session->shown. False: it is none, which is a bug. */
bool session_show_run(const struct session *session, struct trace *trace);
/* Whether hidden variables influence what can be seen; then *names has some of their names. */
bool session_is_influenced(const struct session *session, struct text *names);

/* The model as those need it who know no code, arrays and priorities; NULL when it cannot be had:
 * session->refusal says why. Properties are listed before, because they are shared
 * (pass/flatten.h). */
struct model *session_flat(struct session *session, bool with_formulas);
/* Tells why there is no such model; `purpose`: "the symbolic engine". Returns the exit status. */
int session_tell_refusal(struct session *session, const char *purpose);
/* Whether the model has clocks or time intervals, which the language of ask->to does not know: then
 * that is told. */
bool session_refuses_time(struct session *session);

/* What the ask says of a search, for an engine. */
void session_prepare(struct session *session, struct task *task);
void session_end_progress(const struct session *session);

#endif
