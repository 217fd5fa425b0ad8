/* A copy of a model that a pass can fill with other rules. */
#ifndef CAIRN_PASS_COPY_H
#define CAIRN_PASS_COPY_H

#include "model/model.h"

/* The same variables, processes, properties, expressions and locals, with the same numbers, in
 * tables of its own; no rules yet, and nothing that belongs to rules (parts, code, priorities,
 * time). What never changes is shared, strings too. The copy lives in the memory of the model and
 * is never freed by itself. */
struct model *copy_model(const struct model *model);

/* A copy with its rules and everything that belongs to them, which a pass can add to. The same
 * holds of what it shares and where it lives. */
struct model *copy_whole(const struct model *model);

#endif
