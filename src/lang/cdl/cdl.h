/* CDL, the language of contexts: docs/cdl.md. A file is read once; each of its contexts can then be
 * resolved against a model. */
#ifndef CAIRN_LANG_CDL_CDL_H
#define CAIRN_LANG_CDL_CDL_H

#include "context/context.h"
#include "lang/common/language.h"

struct cdl;

/* Reads a source. NULL after errors. */
struct cdl *cdl_read(struct diag *diag, struct mem *mem, uint32_t source);

/* Tells the names of the file. Those that symbols has already are the names of the model that the
 * file is about, which it may speak of. */
void cdl_tell_names(const struct cdl *cdl, struct symbols *symbols);
/* Words that mean something of their own somewhere, ended by NULL. */
extern const char *const cdl_keywords[];

/* The names of its contexts, in the order of the file. */
uint32_t cdl_context_count(const struct cdl *cdl);
const char *cdl_context_name(const struct cdl *cdl, uint32_t index, struct place *place);

/* Whether the name stands somewhere in the file for a number: -D may then set it, even when the
 * model has no such constant. */
bool cdl_has_constant(const struct cdl *cdl, const char *name);

/* Resolves a context against a model whose ranges are those of its language; NULL after errors.
 * Only what it uses is looked at. Constants that it takes from `defines` are added to those of the
 * model. */
struct context *cdl_context(struct cdl *cdl, uint32_t index, struct model *model,
                            const struct language_define *defines, uint32_t define_count);

/* The same without the scenario's automaton, which may be large: only the diagnostics are wanted.
 */
bool cdl_look(struct cdl *cdl, uint32_t index, struct model *model,
              const struct language_define *defines, uint32_t define_count);

/* For observer_print: the name of a declared predicate of the context that was resolved last; `?`:
 * it has none. The first argument is the struct cdl. */
const char *cdl_predicate_name(void *cdl, expr predicate);

/* The scenario alone, without a model: events have names and kinds only. NULL after errors. */
struct context *cdl_outline(struct cdl *cdl, uint32_t index, const struct language_define *defines,
                            uint32_t define_count);

#endif
