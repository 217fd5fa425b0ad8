/* From files to a model: the model's file, constants, the context and the guide that are woven into
 * it, formulas of the command line. Each file is read once; its text stays with the session's
 * diagnostics, so that lines can be shown later. */
#ifndef CAIRN_RUN_LOAD_H
#define CAIRN_RUN_LOAD_H

#include "lang/languages.h"
#include "run/session.h"

/* Loads the model of the session from this file, with everything that the ask adds to it. False
 * after diagnostics; session->status is the exit status then. */
bool load_model(struct session *session, const char *path);

/* The file of FILE or FILE:NAME; *name is NULL when there is none. */
const char *load_split_name(struct session *session, const char *given, const char **name);

/* Reads the file of the ask's context into session->cdl; *name is that of the context, or NULL.
 * False after diagnostics. */
bool load_context(struct session *session, const char **name);

/* Reads a file as diag_read_source does, or takes it from sources that are known (or NULL). */
bool load_source(struct diag *diag, const struct diag *known, const char *path, uint32_t *source);

/* While files are looked at before the model is read, nothing is told. load_aloud: from now on it
 * is. False: there is something to tell, or what was read is not good; then it is as if nothing had
 * been read, and it must be read once more, so that its mistakes are told in their place. */
struct load_silence {
    diag_listener *listener;
    uint32_t sources, told, errors, warnings;
};
struct load_silence load_in_silence(struct session *session);
bool load_aloud(struct session *session, struct load_silence silence, bool good);

#endif
