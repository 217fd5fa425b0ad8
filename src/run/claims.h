/* Who does which part of the work in a folder that many processes share (run/files.h): a file per
 * part, made by the one that does it and kept as a note of what became of it.
 *
 * A claim saves work, and nothing else: what a part found is made known once, whoever found it
 * (run/parts, run/divide). So it does no harm when two believe that they have the same part, which
 * happens when a machine stands still for longer than others are patient.
 *
 * Taking over. A claim may be taken from its owner when that has left the part, when it is gone (on
 * the same machine that is known), or when it has not renewed the claim for `patience` seconds, by
 * the clock of the file system. It is renamed first to a name of one's own: whoever succeeds in
 * that makes the new one. Where the renamed one is not what was looked at, because somebody was
 * faster, it is put back. */
#ifndef CAIRN_RUN_CLAIMS_H
#define CAIRN_RUN_CLAIMS_H

#include "result/result.h"
#include "run/files.h"

enum claims_state { CLAIMS_NONE, CLAIMS_ACTIVE, CLAIMS_LEFT, CLAIMS_FAILED, CLAIMS_DONE };
extern const char *const claims_state_name[];

struct claims_row { /* what a file says */
    enum claims_state state;
    char owner[FILES_OWNER];
    char job[64]; /* of Slurm; "": none */
    double since, renewed;
    enum stop_reason stop; /* failed, or left: why */
    uint64_t memory;       /* failed: with so much, ... */
    double time;           /* ... and so many seconds; 0: no limit */
    int status;            /* done, or failed: as an exit status */
    uint64_t states, transitions;
    double seconds;
};

struct claims_own {
    char *name, *text;
    double since, renewed; /* the latter by this process's clock */
    bool is_lost;          /* somebody has taken it */
};

struct claims {
    struct mem *mem;
    char folder[FILES_PATH], stop[FILES_PATH], probe[FILES_PATH];
    double patience;
    uint64_t memory; /* that a part gets here */
    double time;
    bool is_eager;  /* what failed before is tried once more, whatever for */
    double started; /* by the clock of the file system */
    double looked;  /* at the file that stops everybody, by this process's clock */
    bool is_stopped;
    VEC(struct claims_own) own;
    char error[320];
};

enum { CLAIMS_PATIENCE = 120 }; /* seconds, when nothing is said */

/* The folder is made if need be; stop: a file whose being there ends the work of all. False: error
 * says why. */
bool claims_open(struct claims *claims, struct mem *mem, const char *folder, const char *stop,
                 double patience);
void claims_close(struct claims *claims);

enum claims_answer {
    CLAIMS_MINE,
    CLAIMS_OTHERS,   /* somebody has it */
    CLAIMS_OVER,     /* it is done */
    CLAIMS_HOPELESS, /* it failed, and would again */
    CLAIMS_BROKEN    /* the folder cannot be written: error */
};
enum claims_answer claims_take(struct claims *claims, const char *name);
/* Renews what is due: called several times a second. */
void claims_keep(struct claims *claims);
/* Whether somebody has taken it meanwhile. */
bool claims_is_lost(struct claims *claims, const char *name);
/* Ends it: state, stop, status and figures of the row count. */
void claims_end(struct claims *claims, const char *name, const struct claims_row *row);
/* Whatever is noted of this part does not count. */
void claims_forget(struct claims *claims, const char *name);
/* Whether everybody is to stop: looked at once a second. */
bool claims_are_stopped(struct claims *claims);
/* Stops everybody. */
void claims_stop(struct claims *claims);

/* What is noted of a part; `alive`: whether its owner may be (an active claim that is old, or
 * whose owner is gone, is not). now: by the clock of the file system; less than 0: not known. */
bool claims_read(struct mem *mem, const char *folder, const char *name, struct claims_row *row);
bool claims_is_alive(const struct claims_row *row, double now, double patience);

#endif
