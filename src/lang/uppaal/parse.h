/* Reading UPPAAL: a whole model, or queries, into the syntax tree (ast.h), and printing it. */
#ifndef CAIRN_LANG_UPPAAL_PARSE_H
#define CAIRN_LANG_UPPAAL_PARSE_H

#include "lang/common/symbols.h"
#include "lang/uppaal/ast.h"

/* Reads a model: XML when the first character that is no white space is `<`, otherwise XTA, new or
 * old (the ending .ta means old; otherwise the text shows it). `mem` holds what the parser needs
 * while it works; the tree is in the arena. Returns false after errors. Errors in queries are no
 * errors of the file: see uppaal_query. */
bool uppaal_parse(struct diag *diag, struct names *names, struct arena *arena, struct mem *mem,
                  uint32_t source, struct uppaal_file *file);

/* Says in a note to which part of the file a place belongs (diag_whose). */
void uppaal_tell_part(void *file, struct diag *diag, struct place place);

/* Reads queries, one per line (`\` at the end of a line joins the next one), as of a .q file or the
 * command line: a list, NULL when there are none. Nothing is told: queries that are not understood
 * are refused ones. */
struct uppaal_query *uppaal_parse_queries(struct diag *diag, struct names *names,
                                          struct arena *arena, struct mem *mem, uint32_t source);

/* Makes an error of what is wrong with a refused query. */
void uppaal_tell_query(struct diag *diag, const struct uppaal_query *query);

/* Tells the names of the file. */
void uppaal_tell_names(const struct uppaal_file *file, struct symbols *symbols);

/* ---- printing ---- */

/* Prints a file as XTA that parses to the same tree (but for places), with its queries; or a part:
 * an expression, with parentheses where they are needed. Locations without a name get one; refused
 * queries are left out. */
void uppaal_print(struct text *out, const struct uppaal_file *file);
void uppaal_print_exp(struct text *out, const struct uppaal_exp *exp);
/* e, e, ... */
void uppaal_print_list(struct text *out, const struct uppaal_exp *exps);
void uppaal_print_type(struct text *out, const struct uppaal_type *type);
void uppaal_print_query(struct text *out, const struct uppaal_query *query);

#endif
