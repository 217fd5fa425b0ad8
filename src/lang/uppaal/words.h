/* The words and symbols of UPPAAL.
 *
 * Reserved are the words that no version lets anybody use for something else. Words that are
 * reserved in one version or mode only (deadlock, sup, under, query, progress, import, switch, ...)
 * are names here, and words only where one is expected: so older models may use them. `A[]` and its
 * like are a name and two symbols: `A` is an ordinary name. */
#ifndef CAIRN_LANG_UPPAAL_WORDS_H
#define CAIRN_LANG_UPPAAL_WORDS_H

#include "lang/common/lexer.h"

/* Keywords, in the order of the alphabet; then symbols that no other language has. */
enum uppaal_word {
    UPPAAL_WORD_ASSERT = TOKEN_WORDS,
    UPPAAL_WORD_ASSIGN,
    UPPAAL_WORD_BOOL,
    UPPAAL_WORD_BRANCHPOINT,
    UPPAAL_WORD_BROADCAST,
    UPPAAL_WORD_CHAN,
    UPPAAL_WORD_CLOCK,
    UPPAAL_WORD_COMMIT,
    UPPAAL_WORD_CONST,
    UPPAAL_WORD_DO,
    UPPAAL_WORD_DOUBLE,
    UPPAAL_WORD_ELSE,
    UPPAAL_WORD_EXISTS,
    UPPAAL_WORD_FALSE,
    UPPAAL_WORD_FOR,
    UPPAAL_WORD_FORALL,
    UPPAAL_WORD_GUARD,
    UPPAAL_WORD_IF,
    UPPAAL_WORD_IMPLY,
    UPPAAL_WORD_INIT,
    UPPAAL_WORD_INT,
    UPPAAL_WORD_META,
    UPPAAL_WORD_PROBABILITY,
    UPPAAL_WORD_PROCESS,
    UPPAAL_WORD_RETURN,
    UPPAAL_WORD_SCALAR,
    UPPAAL_WORD_SELECT,
    UPPAAL_WORD_STATE,
    UPPAAL_WORD_STRUCT,
    UPPAAL_WORD_SUM,
    UPPAAL_WORD_SYNC,
    UPPAAL_WORD_SYSTEM,
    UPPAAL_WORD_TRANS,
    UPPAAL_WORD_TRUE,
    UPPAAL_WORD_TYPEDEF,
    UPPAAL_WORD_URGENT,
    UPPAAL_WORD_VOID,
    UPPAAL_WORD_WHILE,
    UPPAAL_WORD_XOR,
    UPPAAL_WORDS,
    UPPAAL_TOKEN_LEADS = UPPAAL_WORDS, /* --> */
    UPPAAL_TOKEN_UNCONTROLLED,         /* -u-> */
    UPPAAL_TOKEN_INCREASE,             /* ++ */
    UPPAAL_TOKEN_DECREASE,             /* -- */
    UPPAAL_TOKEN_POWER,                /* ** */
    UPPAAL_TOKEN_MIN,                  /* <? */
    UPPAAL_TOKEN_MAX,                  /* >? */
    UPPAAL_TOKEN_PRIME,                /* ' */
    UPPAAL_TOKEN_OTHER,                /* of temporal logics: \/ and /\ */
    UPPAAL_TOKEN_ADD_TO,               /* += and so on: assignments with an operator */
    UPPAAL_TOKEN_SUB_FROM,
    UPPAAL_TOKEN_MUL_BY,
    UPPAAL_TOKEN_DIV_BY,
    UPPAAL_TOKEN_MOD_BY,
    UPPAAL_TOKEN_AND_WITH,
    UPPAAL_TOKEN_OR_WITH,
    UPPAAL_TOKEN_XOR_WITH,
    UPPAAL_TOKEN_SHIFT_LEFT_BY,
    UPPAAL_TOKEN_SHIFT_RIGHT_BY,
};

extern const struct lexis uppaal_lexis;

#endif
