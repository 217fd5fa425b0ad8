/* The words and symbols of Fiacre. `[]`, `{|` and `...` are symbols, `#` and `$` exist, numbers may
 * have a point, keywords are reserved, and comments that begin with @ mean something.
 *
 * The words of properties (present, leadsto, until, state, ...) are names here: they are words only
 * where a property is expected, so that a state may be called `release`. */
#ifndef CAIRN_LANG_FIACRE_WORDS_H
#define CAIRN_LANG_FIACRE_WORDS_H

#include "lang/common/lexer.h"

/* Keywords, in the order of the alphabet. */
enum fiacre_word {
    FIACRE_WORD_AND = TOKEN_WORDS,
    FIACRE_WORD_ANY,
    FIACRE_WORD_APPEND,
    FIACRE_WORD_ARRAY,
    FIACRE_WORD_ASSERT,
    FIACRE_WORD_BEGIN,
    FIACRE_WORD_BOOL,
    FIACRE_WORD_CASE,
    FIACRE_WORD_CHANNEL,
    FIACRE_WORD_COMPONENT,
    FIACRE_WORD_CONST,
    FIACRE_WORD_DEQUEUE,
    FIACRE_WORD_DO,
    FIACRE_WORD_ELSE,
    FIACRE_WORD_ELSIF,
    FIACRE_WORD_EMPTY,
    FIACRE_WORD_END,
    FIACRE_WORD_ENQUEUE,
    FIACRE_WORD_EXTERN,
    FIACRE_WORD_FALSE,
    FIACRE_WORD_FIRST,
    FIACRE_WORD_FOREACH,
    FIACRE_WORD_FROM,
    FIACRE_WORD_FULL,
    FIACRE_WORD_FUNCTION,
    FIACRE_WORD_IF,
    FIACRE_WORD_IN,
    FIACRE_WORD_INIT,
    FIACRE_WORD_INT,
    FIACRE_WORD_IS,
    FIACRE_WORD_LENGTH,
    FIACRE_WORD_LOOP,
    FIACRE_WORD_NAT,
    FIACRE_WORD_NONE,
    FIACRE_WORD_NOT,
    FIACRE_WORD_NULL,
    FIACRE_WORD_OF,
    FIACRE_WORD_ON,
    FIACRE_WORD_OR,
    FIACRE_WORD_OUT,
    FIACRE_WORD_PAR,
    FIACRE_WORD_PORT,
    FIACRE_WORD_PRIORITY,
    FIACRE_WORD_PROCESS,
    FIACRE_WORD_PROPERTY,
    FIACRE_WORD_QUEUE,
    FIACRE_WORD_READ,
    FIACRE_WORD_RECORD,
    FIACRE_WORD_RETURN,
    FIACRE_WORD_SELECT,
    FIACRE_WORD_STATES,
    FIACRE_WORD_SYNC,
    FIACRE_WORD_THEN,
    FIACRE_WORD_TO,
    FIACRE_WORD_TRUE,
    FIACRE_WORD_TYPE,
    FIACRE_WORD_UNION,
    FIACRE_WORD_UNLESS,
    FIACRE_WORD_VAR,
    FIACRE_WORD_WAIT,
    FIACRE_WORD_WHERE,
    FIACRE_WORD_WHILE,
    FIACRE_WORD_WRITE,
};

extern const struct lexis fiacre_lexis;

static inline bool fiacre_is_keyword(const struct token *token)
{
    return token->kind >= TOKEN_WORDS;
}

#endif
