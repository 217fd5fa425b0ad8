/* `cairn serve`: the page, live, on loopback (docs/serve.md). A request that has to do with a model
 * is an errand, in a process of its own; this process only passes on, and reads no model. */
#ifndef CAIRN_SERVE_SERVE_H
#define CAIRN_SERVE_SERVE_H

#include "base/mem.h"

struct serve_plan {
    struct mem *mem;
    const char *model; /* a file, or a folder; NULL: the current folder */
    uint16_t port;     /* 0: any that is free */
    /* It serves, under this address. False: that could not be told, and it ends. */
    bool (*ready)(const char *address);
};

/* Whether this program can: otherwise another one of the same name and `-serve` may. */
bool serve_can(void);
/* Until a signal comes (base/limits.h). False: *why says why it does not serve. */
bool serve_run(const struct serve_plan *plan, const char **why);

#endif
