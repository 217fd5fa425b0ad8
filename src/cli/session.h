/* What the commands share: loading a model, limits, progress, writing files. */
#ifndef CAIRN_CLI_SESSION_H
#define CAIRN_CLI_SESSION_H

#include "cli/options.h"
#include "lang/cdl/cdl.h"
#include "context/context.h"
#include "pass/flatten.h"
#include "pass/hide.h"
#include "report/text.h"

#include <stdio.h>

struct session {
    struct options *options;
    struct mem *mem;
    struct diag diag;
    bool keep_ranges; /* set before loading: the model as its language says, without tightening */
    struct model *model;
    struct model *shown;  /* after session_hide: the model with all its hidden variables, for
                             reports; NULL: it has none */
    struct hiding hiding; /* if there is one: what became of them */
    struct cdl *cdl;      /* the file of --context, or NULL */
    uint32_t *depths;     /* per state of the context: the most steps to it; or NULL */
    const struct context *context;  /* what was woven into the model, or NULL */
    struct model *flat;             /* the model without code, or NULL: see session_flat */
    struct flatten_refusal refusal; /* why there is none ... */
    bool is_limited;                /* ... namely for lack of time or memory */
    int status;                     /* of loading that failed */
    struct report_style style;
    double last_line;                 /* of the progress display: when, ... */
    uint64_t last_states, last_bytes; /* ... and what it showed */
    bool progress_shown;
};

void session_init(struct session *session, struct options *options, struct mem *mem);

/* Loads the model and adds the formulas of the command line. False after diagnostics;
 * session->status is the exit status then. */
bool session_load(struct session *session, const char *path);

/* The file of FILE or FILE:NAME; *name is NULL when there is none. */
const char *session_split_name(struct session *session, const char *given, const char **name);

/* Reads the file of --context into session->cdl; *name is that of the context, or NULL. False after
 * diagnostics. */
bool session_read_context(struct session *session, const char **name);

/* The properties chosen with -p, --no-deadlock. False: an unknown name was told. */
bool session_properties(struct session *session, struct task *task);

/* From now on session->model is the one to search: without the hidden variables that influence
 * nothing that can be seen (pass/hide.h), when these properties are asked for. Warns of those that
 * do. */
void session_hide(struct session *session, const struct property_result *properties,
                  uint32_t count);
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
/* Whether the model has clocks or time intervals, which the language of --to does not know: then
 * that is told. */
bool session_refuses_time(const struct session *session);

/* Limits, interruption and progress for a search. */
void session_prepare(struct session *session, struct task *task);
void session_end_progress(struct session *session);

/* Opens FILE for writing; NULL after a message, also when it is the model itself. session_close:
 * false, after a message, when something could not be written. */
FILE *session_open(const struct session *session, const char *path);
bool session_close(FILE *file, const char *path);

#endif
