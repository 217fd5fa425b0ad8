/* The model in another language, or its state graph. */
#ifndef CAIRN_RUN_TRANSLATE_H
#define CAIRN_RUN_TRANSLATE_H

#include "run/session.h"

struct translate_format {
    const char *name;
    /* Writes the model of the session. Returns the exit status, after a message if it failed. */
    int (*write)(struct session *session, FILE *out);
    bool knows_time;
};
extern const struct translate_format translate_formats[]; /* the last one has no name */

/* NULL: there is none of that name. */
const struct translate_format *translate_find(const char *name);

/* Loads the model as the format needs it. False after a message: it cannot be written so;
 * session->status is the exit status. */
bool translate_load(struct session *session, const struct translate_format *format);

#endif
