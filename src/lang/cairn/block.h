/* Code blocks of the model's own text form. */
#ifndef CAIRN_LANG_CAIRN_BLOCK_H
#define CAIRN_LANG_CAIRN_BLOCK_H

#include "lang/cairn/reader.h"

/* Statements and `end`. Always reads on to where the block seems to end: after errors, too. *depth
 * is that of the statements, with the functions that are called. */
void block_read(struct reader *reader, statement *first, uint32_t *depth);

/* Whether the word begins or ends a statement: reading goes on there after an error. */
bool block_is_word(const struct token *token);

#endif
