/* What errands do, by name, each in its process (serve/errand.h): files of the folder, a model that
 * is read, runs of it step by step, saved and loaded, a check. A request is a JSON object and says
 * all that is needed: nothing is kept from one to the next. */
#ifndef CAIRN_SERVE_DESK_H
#define CAIRN_SERVE_DESK_H

#include "report/records.h"
#include "run/session.h"
#include "serve/errand.h"

#include <jansson.h>

struct desk_request {
    const char *act, *body;
    size_t length;
};

/* Whether there is such an errand; *is_long: it is watched instead of waited for. */
bool desk_knows(const char *act, bool *is_long);

/* Does it: struct errand_plan's run, with a struct desk_request. */
int desk_run(const struct errand_tools *tools);

/* ---- for the errands ---- */

struct desk {
    const struct errand_tools *tools;
    struct mem mem;
    json_t *request;
    struct ask ask;
    struct door door;
    struct session session;
    struct diag given; /* the text of the model, as the page has it */
    struct records records;
};

/* One that goes wrong says so in a line: "cairn: error: ...". Returns the exit status. */
int desk_complain(struct desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads the ask of the request, and opens the session, which knows the text of the model if the
 * request has it. False after a complaint. */
bool desk_open(struct desk *desk, enum ask_command command);
/* Reads the model. False after diagnostics. */
bool desk_load(struct desk *desk);

#endif
