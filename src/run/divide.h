/* All contexts of a file, or all guides, or the parts of a guide that is split: one after the other
 * or some at the same time (threads), and their results as one (run/merge). With a folder for
 * results each of them is kept in a file, and `resume` searches only what has none. In a work
 * folder (run/work.h) several processes do so, each those that no other one has claimed. */
#ifndef CAIRN_RUN_DIVIDE_H
#define CAIRN_RUN_DIVIDE_H

#include "run/guideload.h"
#include "run/claims.h"
#include "run/session.h"
#include "run/wire.h"

struct json_t;

/* One of them, in a process of its own. */
struct divide_job {
    const char *name;
    uint64_t key[2]; /* of all of them */
};
/* Searches it, with memory of its own, and sends the result (divide_send). Returns the exit status.
 * What the session of divide_run has read is known to it. */
typedef int divide_one(void *context, struct ask *ask, const struct divide_job *job,
                       struct mem *mem);
/* Sends what was found, and the object of JSON that tells it, through standard output
 * (run/wire.h). False: errno says why not. */
bool divide_send(const struct divide_job *job, const struct model *model, const struct task *task,
                 const struct result *result, const char *object, int status);

enum { DIVIDE_NOT_BEGUN = -1000 }; /* a status */

struct divide {
    struct session *session;
    struct ask *ask;
    divide_one *one;
    void *context;
    const struct guideload_list *guides; /* NULL: contexts */
    const char *word;                    /* what they are: "context", "guide" or "part" */
    const char *file;
    uint64_t key[2]; /* of kept results */
    uint32_t kept;   /* that were taken over */
    uint32_t count, done;
    bool *begun;          /* jobs that need not be looked at any more: started, done or hopeless */
    double *looked;       /* when it was looked at who has them */
    struct claims claims; /* in a work folder */
    atomic_int ending;    /* somebody wants an end */
    bool found, left;     /* here: a violation, something that is not done */
    int worst;            /* status of a job that went wrong here */
    double last;          /* when the last result was written, by the clock of the file system */
    double seconds;       /* of a search that is put together; 0: the time of this run */
    struct json_t **results; /* as they are told; NULL: none yet */
    struct wire *messages;   /* what they say */
    int *statuses;
    enum stop_reason *limits; /* that ended a job without a result, or STOP_NONE */
    VEC(const char *) told;   /* messages of jobs */
    uint32_t repeated;        /* so many contexts had nothing else to say */
    double started, shown;
};

/* Whether the ask's context is a file with several and names none of them. False also after an
 * error, which the search will tell. */
bool divide_are_several(struct session *session);

/* `guides`: NULL: the contexts of session->cdl. Returns an object, for the caller to free, and the
 * exit status; NULL: there is none, because this was some of the work, or as was told. */
struct json_t *divide_run(struct session *session, const struct guideload_list *guides,
                          divide_one *one, void *context, int *status);

/* What one of them is called. */
const char *divide_name(const struct divide *divide, uint32_t job);

#endif
