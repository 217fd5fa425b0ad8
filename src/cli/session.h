/* What the commands share: loading a model, limits, progress, writing files. */
#ifndef CAIRN_CLI_SESSION_H
#define CAIRN_CLI_SESSION_H

#include "cli/options.h"
#include "report/text.h"

struct session {
    struct options *options;
    struct mem *mem;
    struct diag diag;
    struct model *model;
    struct report_style style;
    double last_line; /* of the progress display: when, ... */
    uint64_t last_states, last_bytes; /* ... and what it showed */
    bool progress_shown;
};

void session_init(struct session *session, struct options *options, struct mem *mem);

/* Loads the model and adds the formulas of the command line. False after diagnostics. */
bool session_load(struct session *session, const char *path);

/* The properties chosen with -p, --no-deadlock. False: an unknown name was told. */
bool session_properties(struct session *session, struct task *task);

/* Limits, interruption and progress for a search. */
void session_prepare(struct session *session, struct task *task);
void session_end_progress(struct session *session);

/* Opens FILE for writing; NULL after a message, also when it is the model itself. session_close: false, after a message, when
 * something could not be written. */
FILE *session_open(const struct session *session, const char *path);
bool session_close(FILE *file, const char *path);

/* This signal, too, ends a search with what is known. */
void session_stop_at(int signal_number);

/* Ctrl-C was pressed. */
volatile sig_atomic_t *session_interrupted(void);

#endif
