/* Macros and their expansion: what the preprocessor's files share.
 *
 * Tokens come from a stack of streams: bodies and arguments of macros, and below them the files. A
 * macro is `busy` as long as the stream of its body is on the stack; its own name is not replaced
 * then.
 *
 * What must hold:
 * 1. A macro is busy exactly when a stream on the stack is its body.
 * 2. Whatever a token was made by, its place is one of a file.
 * 3. Work is bounded: every token that a macro makes is counted in `made`. */
#ifndef CAIRN_LANG_COMMON_MACROS_H
#define CAIRN_LANG_COMMON_MACROS_H

#include "base/map.h"
#include "lang/common/preprocess.h"

struct macro {
    const char *name; /* NULL: undefined again */
    struct place place;
    struct token_list body;
    const char **parameters;
    uint32_t parameter_count;
    bool has_parameters; /* NAME(...), maybe with none inside */
    bool busy;
};

/* Tokens that come before those of the file. */
struct macro_stream {
    struct token_list tokens;
    uint32_t at;
    uint32_t macro; /* whose body this is, or MAP_NONE */
    bool is_end;    /* nothing below is seen: for arguments, and conditions */
};

struct macro_condition {
    struct place place;
    bool taken;  /* some branch was */
    bool active; /* this branch is */
    bool had_else;
};

/* A file that is being read. */
struct macro_file {
    struct lexer lexer;
    const char *path;
    uint32_t conditions; /* so many were open when it began */
};

struct macros {
    struct diag *diag;
    struct names *names;
    struct mem *mem;
    const struct lexis *lexis;
    struct language_define *defines;
    uint32_t define_count;
    struct tokens *out;
    struct map index; /* name to macro, scope 0 */
    VEC(struct macro) macros;
    VEC(struct macro_stream) streams;
    VEC(struct macro_condition) conditions;
    VEC(struct macro_file *) files; /* the last one is read */
    uint32_t file_count;            /* in all */
    uint64_t made;
    uint32_t collecting; /* arguments */
    bool failed;         /* an error was told that makes the tokens meaningless */
};

/* Tells an error: the first one only, as nothing is read behind it. */
void preprocess_fail(struct macros *p, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The next token of the innermost file, with directives obeyed; TOKEN_END at its end. */
void preprocess_read(struct macros *p, struct token *token);

/* ---- macros.c ---- */

/* MAP_NONE when there is none. */
uint32_t macros_find(const struct macros *p, const char *name);
/* The same for a condition: a constant of -D becomes a macro when it is asked for. */
uint32_t macros_ask(struct macros *p, const struct token *name);
/* Takes the body over. */
void macros_define(struct macros *p, struct macro *macro);
void macros_undefine(struct macros *p, const char *name);
/* The next token with all macros replaced; TOKEN_END at the end of the file, or of the innermost
 * stream that is_end. */
void macros_next(struct macros *p, struct token *token);
/* Replaces all macros in a list, by itself. */
void macros_expand(struct macros *p, struct token_list *list);
void macros_free(struct macros *p);

/* ---- condition.c ---- */

/* The value of the expression on the rest of a line; 0 after an error. */
int64_t condition_value(struct macros *p, struct token_list *line, struct place place);

#endif
