/* Expressions: hash-consed, typed, immutable; equal expressions share one node, so equality is
 * equality of handles.
 *
 * Meaning, shared by every evaluator (the reference one is model/eval.h):
 *  - integers are 64-bit; a Boolean is 0 or 1;
 *  - arithmetic carries its own modulus: `bits` = W says that the result is taken modulo 2^W (1 <=
 *    W <= 63), and its operands lie in 0 .. 2^W - 1;
 *  - EXPR_CUT is its operand modulo 2^W;
 *  - arithmetic with `bits` = 0 is exact: it fails when the result does not fit 64 bits, and
 *    quotients are cut towards zero;
 *  - AND, OR and IMPLIES evaluate their right operand only when the left one does not decide;
 *    CHOOSE only the part it chooses;
 *  - WITHIN(a, low, high) is a, and fails when a lies outside low .. high (both constants); FAIL
 *    always fails. Both carry the reason in `bits`: an index, a range, a queue;
 *  - AT is the variable number `value` + a, LOCAL and LOCAL_AT the same for the locals of code
 *    blocks (model/code.h). The operand b of AT is the constant number of cells that can be meant:
 *    a lies in 0 .. b - 1, which the front end makes sure of with WITHIN;
 *  - TABLE is entry number a of the model's table number `value`, which has b entries;
 *  - division and remainder by zero fail; a failure of a part that is evaluated is a failure of the
 *    whole.
 *
 * Every node knows bounds of its values when it does not fail (low, high): from the ranges of
 * variables as told to expr_var_in. The same variable with other bounds is another node: one that
 * is only evaluated where these bounds hold. */
#ifndef CAIRN_MODEL_EXPR_H
#define CAIRN_MODEL_EXPR_H

#include "base/mem.h"
#include "base/text.h"

typedef struct {
    uint32_t i;
} expr;

enum expr_op {
    EXPR_CONST,
    EXPR_VAR,
    EXPR_NOT,
    EXPR_AND,
    EXPR_OR,
    EXPR_IMPLIES,
    EXPR_IFF,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LT,
    EXPR_LE,
    EXPR_GT,
    EXPR_GE,
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_MOD,
    EXPR_CUT,
    EXPR_CHOOSE, /* a ? b : c */
    EXPR_WITHIN,
    EXPR_FAIL,
    EXPR_AT,
    EXPR_LOCAL,
    EXPR_LOCAL_AT,
    EXPR_TABLE,
    EXPR_OPS
};

/* Why an evaluation fails. */
enum failure {
    FAILURE_NONE,
    FAILURE_DIVISION,
    FAILURE_OVERFLOW, /* of 64 bits */
    FAILURE_RANGE,    /* a value outside its type */
    FAILURE_INDEX,
    FAILURE_FULL,  /* a full queue is written */
    FAILURE_EMPTY, /* an empty queue is read */
    FAILURE_LOOP,  /* a loop takes too many rounds */
    FAILURE_DEPTH, /* a function calls itself too deeply */
    FAILURE_KINDS
};
extern const char *const failure_name[FAILURE_KINDS];

/* One row per operator: everything that printers, readers and checkers need to know of it. */
struct expr_info {
    const char *word;   /* in the model's own text form */
    const char *symbol; /* for people */
    uint8_t arity;
    bool takes_bool, gives_bool, has_bits;
    uint8_t strength; /* binds tighter when larger, for printing */
};
extern const struct expr_info expr_table[EXPR_OPS];

struct expr_node {
    uint8_t op;
    uint8_t bits;
    bool is_bool;
    bool may_fail;
    expr a, b, c;
    int64_t value; /* of a constant; the index of a variable or local */
    int64_t low, high;
};

struct exprs {
    struct mem *mem;
    VEC(struct expr_node) nodes;
    uint32_t *slots; /* node index + 1; open addressing */
    uint32_t size;
    VEC(uint32_t) marks; /* per node: the walk that saw it last */
    uint32_t walk;
    bool keeps_equations; /* a == b stays as it was written: whoever made it wants both sides */
};

enum { EXPR_MAX_DEPTH = 4000, EXPR_MAX_BITS = 63 };

void exprs_init(struct exprs *exprs, struct mem *mem);
expr expr_int(struct exprs *exprs, int64_t value);
expr expr_bool(struct exprs *exprs, bool value);
expr expr_var(struct exprs *exprs, uint32_t var);
expr expr_var_in(struct exprs *exprs, uint32_t var, int64_t low,
                 int64_t high); /* a variable of that range */
expr expr_local(struct exprs *exprs, uint32_t local, int64_t low, int64_t high);
/* One of `count` variables (or locals) from `base` on, all with values in low .. high. A constant
 * offset gives the variable itself. */
expr expr_at(struct exprs *exprs, bool local, uint32_t base, expr offset, uint32_t count,
             int64_t low, int64_t high);
/* Entry number `index` of a table (model_add_table) of `count` numbers in low .. high. */
expr expr_table_entry(struct exprs *exprs, uint32_t table, expr index, uint32_t count, int64_t low,
                      int64_t high);
expr expr_choose(struct exprs *exprs, expr cond, expr yes, expr no);
/* Just e when its bounds show that it cannot fail. */
expr expr_within(struct exprs *exprs, expr e, int64_t low, int64_t high, enum failure reason);
expr expr_fail(struct exprs *exprs, enum failure reason);
/* Between the two types: a Boolean as 0 or 1, an integer as "not 0". */
expr expr_to_int(struct exprs *exprs, expr e);
expr expr_to_bool(struct exprs *exprs, expr e);
/* Builds op(a, b) for the operators up to CUT; for unary operators b is ignored, for operators
 * without a modulus bits is. Constant parts are folded where that cannot hide a failure. Operand
 * types must fit (asserted): callers check first. */
expr expr_make(struct exprs *exprs, enum expr_op op, unsigned bits, expr a, expr b);

static inline const struct expr_node *expr_get(const struct exprs *exprs, expr e)
{
    return &exprs->nodes.data[e.i];
}
static inline bool expr_same(expr a, expr b) { return a.i == b.i; }
bool expr_is_true(const struct exprs *exprs, expr e);
bool expr_is_false(const struct exprs *exprs, expr e);

/* One operator up to CUT on values; false when it fails. */
bool expr_apply(enum expr_op op, unsigned bits, int64_t a, int64_t b, int64_t *result);

/* Whether the bounds of two numbers that cannot fail decide how they compare. */
bool expr_decided_by_bounds(enum expr_op op, const struct expr_node *a, const struct expr_node *b,
                            bool *value);

static inline uint64_t expr_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}
/* Bits needed to write value, at least 1. */
unsigned expr_width(uint64_t value);

/* Calls visit(context, var) once for every variable in e, and for every one that an AT may mean. */
void expr_each_var(struct exprs *exprs, expr e, void (*visit)(void *context, uint32_t var),
                   void *context);

#endif
