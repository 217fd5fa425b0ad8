/* A preprocessor in front of a parser, for languages that have one: macros with and without
 * arguments, conditions, files that are included. It works on tokens, so that every token knows its
 * place in its own file.
 *
 * - #define NAME tokens, #define NAME(a, b) tokens, over several lines if they end with a backslash
 * - #undef NAME
 * - #if e, #elif e, #else, #endif; e has integers, the operators of C, defined NAME, defined(NAME)
 * - #ifdef NAME, #ifndef NAME; #ifeq A B, #ifneq A B: the same token, or not
 * - #include and the name of a file in quotes, from the folder of the file that says so
 * - #error text, #warning text, #pragma anything (which means nothing)
 *
 * In a body, `a ## b` makes one token of two. A name that a macro has made of itself is not
 * replaced again, as in C. Where `#` is a symbol of the language, a line that begins with `#` and
 * none of these words is no directive.
 *
 * Tokens of a body have the place of the macro's use, those of arguments their own; a diagnostic at
 * such a place gets the note "in the expansion of NAME" (diag_add_expansion).
 *
 * Limits, for hostile input: PREPROCESS_MOST_TOKENS that macros make, PREPROCESS_MOST_FILES files,
 * nested PREPROCESS_MOST_NESTED deep, conditions and macros in each other likewise. What is beyond
 * is an error. */
#ifndef CAIRN_LANG_COMMON_PREPROCESS_H
#define CAIRN_LANG_COMMON_PREPROCESS_H

#include "lang/common/language.h"
#include "lang/common/lexer.h"

enum {
    PREPROCESS_MOST_TOKENS = 1 << 20,
    PREPROCESS_MOST_FILES = 1000,
    PREPROCESS_MOST_NESTED = 100
};

/* Reads a source and what it includes. The lexis must have `directives`. A constant of
 * -D NAME=VALUE is a macro, too, if a condition asks for its name; then its `asked` is set, and the
 * model need not have a constant of that name. `defines` may be NULL. Returns false after an error
 * of the preprocessor: then the tokens mean nothing. Bad characters alone are no such error. */
bool preprocess_run(struct diag *diag, struct names *names, const struct lexis *lexis,
                    uint32_t source, struct language_define *defines, uint32_t define_count,
                    struct tokens *tokens);

#endif
