/* Verdicts that are expected, written down beside a model or in a file of their own:
 *
 *     // expect -D n=3: property mutex holds
 *     // expect -D n=3: property deadlock violated distance=3
 *     // expect: states=7 transitions=14
 *
 * A line counts for a run with just these constants, this context, guide and bound; the others are
 * left alone. Properties that no line speaks of are expected to hold. */
#ifndef CAIRN_RUN_EXPECT_H
#define CAIRN_RUN_EXPECT_H

#include "run/session.h"

struct expect {
    uint32_t lines;      /* that count for this run */
    uint32_t unexpected; /* what is not as expected */
    struct text told;    /* a line for each of these */
};

/* Compares a result. False after messages: the file cannot be read, or says something that cannot
 * be understood. */
bool expect_compare(struct session *session, const char *path, const struct task *task,
                    const struct result *result, struct expect *expect);

#endif
