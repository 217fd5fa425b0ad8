/* A recorded log as the model sees it: lines of JSON, one object each, resolved against the model's
 * labels, processes and variables.
 *
 * A line with `"label": null` is no step: it says what was seen at some moment, for example in the
 * beginning. Every other line is one step; `label`, `process`, `state` and `time` are what is known
 * of it. A label or a process that the model does not have, and a value that a variable cannot
 * have, are no mistakes of the file: such a line does not conform. */
#ifndef CAIRN_RUN_LOGFILE_H
#define CAIRN_RUN_LOGFILE_H

#include "pass/log.h"
#include "run/session.h"

/* A kind of step: its label and who takes part. */
struct logfile_class {
    const char *label, *process; /* process: all that take part, or NULL */
    uint32_t rule;               /* one of this kind */
};

struct logfile {
    struct log log;            /* without a gap before any line unless all have one */
    const uint32_t *numbers;   /* [log.count]: of the lines in the file */
    const char *const *texts;  /* [log.count] */
    const char *const *doubts; /* [log.count]: a value that is none of the model, in words; NULL */
    const struct logfile_class *classes; /* [log.classes] */
    int64_t refine; /* times of the log are whole numbers when a tick is so many times shorter */
    bool has_times; /* and the model has time */
};

/* Reads the ask's log against the session's model. False after messages; session->status is the
 * exit status. */
bool logfile_read(struct session *session, struct logfile *file);

#endif
