/* What the parts of the reader of the model's own text form share: the tokens, the names that are
 * declared, and the model that grows. */
#ifndef CAIRN_LANG_CAIRN_READER_H
#define CAIRN_LANG_CAIRN_READER_H

#include "base/map.h"
#include "lang/common/lexer.h"
#include "model/model.h"

enum reader_scope {
    SCOPE_VARIABLE,
    SCOPE_PROCESS,
    SCOPE_CONSTANT,
    SCOPE_PROPERTY,
    SCOPE_CLOCK,
    SCOPE_LOCAL,
    SCOPE_AMBIGUOUS /* locals */
};

enum term_type {
    TERM_NUMBER,
    TERM_CONDITION,
    TERM_FORMULA
}; /* TERM_FORMULA: with temporal operators, never an atom */

struct term {
    enum term_type type;
    bool is_path; /* in CTL: a path operator that still needs its quantifier */
    bool fails;   /* always: a number without a value */
    expr e;
    formula f;
    int64_t low, high; /* of a number */
    struct place place;
};

/* An operator whose operands are being read. */
struct frame {
    bool is_temporal; /* op is an enum formula_op, otherwise an enum expr_op */
    uint8_t op, arity, bits, count;
    uint32_t base, cells; /* of an array */
    bool has_bounds;
    int64_t low, high; /* bounds of an array's cells; the range of `within` */
    struct place place;
    struct term operands[3];
};

struct late_pc {
    uint32_t process;
    const struct token *name;
};

struct function {
    statement body;
    uint32_t depth; /* of its blocks, with those of the functions that it calls */
};

struct reader {
    struct diag *diag;
    struct model *model;
    struct map names;
    const struct token *tokens;
    uint32_t at;
    bool (*is_item)(
        const struct token *token); /* whether an item of the file begins here: nothing skips it */
    bool ranged; /* expressions know the ranges of variables, and are simplified by them */
    VEC(uint32_t) sources; /* of diag: the files that positions are in */
    VEC(struct late_pc) late;
    VEC(uint32_t) writer; /* per variable: the last rule that wrote it, + 1 */
    VEC(struct function) functions;
    struct place priority_place; /* of the last priority */
    struct place initial_place;  /* of the last initial state */
    VEC(struct frame) stack;
    uint32_t base; /* of the expression at hand: frames before it belong to one around it */
    enum property_kind logic; /* which operators may stand in an expression; PROPERTY_INVARIANT: no
                                 temporal ones */
    bool in_code;             /* locals may stand in an expression */
    bool drops_queries;       /* of the file: others are given */
    bool vague; /* a variable without its range was told of: errors that come from ranges are not */
    const struct place
        *root_place; /* stands for the positions inside a formula; NULL: they are their own */
};

static inline struct mem *reader_mem(const struct reader *reader) { return reader->model->mem; }
static inline const struct token *reader_peek(const struct reader *reader)
{
    return &reader->tokens[reader->at];
}

/* All functions that are bool return false after a diagnostic, unless said otherwise. */

bool reader_unexpected(struct reader *reader,
                       const char *wanted); /* always false, so that callers can return it */
bool reader_accept(struct reader *reader,
                   enum token_kind kind); /* false: something else is here, which is no error */
bool reader_expect(struct reader *reader, enum token_kind kind, const char *wanted);
bool reader_is_word(const struct token *token, const char *word);
bool reader_accept_word(struct reader *reader, const char *word); /* false: no error */
bool reader_string(struct reader *reader, const char *wanted, const char **text);
bool reader_number(struct reader *reader, const char *wanted, int64_t *value);
/* A number without a sign from 0 to most. */
bool reader_count(struct reader *reader, const char *wanted, uint64_t most, uint32_t *value);
/* low .. high */
bool reader_range(struct reader *reader, int64_t *low, int64_t *high);
/* `at line:column`, with `in n` when it is not in the first source; or nothing: no position. */
bool reader_place(struct reader *reader, struct place *place);

bool reader_unknown(struct reader *reader, const struct token *token, enum reader_scope scope,
                    const char *what);
bool reader_reference(struct reader *reader, enum reader_scope scope, const char *what,
                      uint32_t *index);
/* A local by its name or number. */
bool reader_local(struct reader *reader, uint32_t *index);
/* The first of `count` variables or locals, and `count`. */
bool reader_array(struct reader *reader, bool local, uint32_t *base, uint32_t *count);
bool reader_declare(struct reader *reader, const struct token *token, enum reader_scope scope,
                    uint32_t index, const char *what);

#endif
