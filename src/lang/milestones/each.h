/* Quantifiers and sums over indices: what they stand for is written out before anything else looks
 * at it. */
#ifndef CAIRN_LANG_MILESTONES_EACH_H
#define CAIRN_LANG_MILESTONES_EACH_H

#include "lang/milestones/scope.h"

/* The same expression without AST_EACH; the tree itself, which instances share, stays as it is.
 * NULL after an error. */
struct ast *each_expand(struct scope *scope, struct ast *node);

#endif
