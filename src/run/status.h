/* How far the work in a folder is (run/work.h, run/parts.h), from its files alone: nothing is read
 * of the model, and nothing is changed. */
#ifndef CAIRN_RUN_STATUS_H
#define CAIRN_RUN_STATUS_H

#include "run/claims.h"

enum status_state {
    STATUS_WAITING, /* nobody has it */
    STATUS_RUNNING,
    STATUS_GONE, /* whoever had it is gone, or has not been heard of for long */
    STATUS_LEFT, /* somebody began it and left it to others */
    STATUS_FAILED,
    STATUS_DONE,
    STATUS_STATES
};
extern const char *const status_state_name[];

struct status_part {
    const char *name;
    enum status_state state;
    struct claims_row claim; /* state CLAIMS_NONE: there is none */
    double age;              /* seconds since it was claimed; less than 0: not known */
};

struct status {
    const char *word;       /* what the parts are: context, guide, part */
    const char *file;       /* of contexts or guides; NULL: parts of one search */
    bool is_stopped, found; /* found: a violation */
    uint32_t counts[STATUS_STATES];
    uint64_t states, transitions; /* of what is done; parts may have some in common */
    double seconds;               /* that parts took together */
    double forecast;              /* seconds until the parts that are known are done; less than 0:
                                     not known */
    VEC(struct status_part) parts;
};

/* False: there is no work in the folder. */
bool status_read(struct status *status, struct mem *mem, const char *folder, double patience);
/* Whether nothing is left to do for anybody. */
bool status_is_over(const struct status *status);
/* HOST and PID of an owner, as HOST:PID. */
void status_owner(const char *owner, char text[FILES_OWNER]);

#endif
