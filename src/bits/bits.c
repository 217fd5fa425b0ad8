#include "bits/bits.h"

#include "model/cells.h"

#include <assert.h>
#include <string.h>

/* A value is a number in two's complement: `width` literals, the last one repeats for ever. In the
 * pool: width, fails, literals.
 *
 * Exact arithmetic first gets all bits of its result, then fails where they are no number of 64
 * bits. What an expression can be when it does not fail (its bounds) says how many bits are kept;
 * where it fails the value means nothing. */
enum { MAX_WIDTH = 64, ALL_WIDTH = 2 * MAX_WIDTH + 2 };

struct word {
    uint32_t width;
    lit bit[ALL_WIDTH];
};

static uint32_t width_of_variable(const struct model_var *var)
{
    uint64_t span = (uint64_t)var->high - (uint64_t)var->low;
    return span ? expr_width(span) : 0;
}

uint64_t bits_count(const struct model *model)
{
    uint64_t count = 0;
    for (uint32_t v = 0; v < model->vars.len; v++) count += width_of_variable(&model->vars.data[v]);
    return count;
}

void bits_init(struct bits *bits, struct model *model)
{
    memset(bits, 0, sizeof *bits);
    bits->model = model;
    circuit_init(&bits->circuit, model->mem);
    bits->first = mem_alloc(model->mem, (model->vars.len + 2) * sizeof *bits->first);
    for (uint32_t v = 0; v < model->vars.len; v++)
        bits->first[v + 1] = bits->first[v] + width_of_variable(&model->vars.data[v]);
    bits->total = bits->first[model->vars.len];
    for (uint32_t i = 0; i < bits->total; i++) {
        lit input = circuit_input(&bits->circuit, i);
        assert(input == 2 * (i + 1)); /* inputs are the first gates, in order */
        (void)input;
    }
}

void bits_release(struct bits *bits)
{
    struct mem *mem = bits->model->mem;
    circuit_release(&bits->circuit);
    mem_free(mem, bits->first);
    mem_free(mem, bits->words);
    vec_free(mem, &bits->pool);
}

/* ---- numbers ---- */

static lit at(const struct word *w, uint32_t i)
{
    assert(w->width && w->width <= ALL_WIDTH);
    return w->bit[i < w->width ? i : w->width - 1];
}

static void trim(struct word *w)
{
    while (w->width > 1 && w->bit[w->width - 1] == w->bit[w->width - 2]) w->width--;
}

static struct word constant(int64_t value)
{
    struct word w = {.width = MAX_WIDTH};
    for (uint32_t i = 0; i < MAX_WIDTH; i++)
        w.bit[i] = (uint64_t)value >> i & 1 ? LIT_TRUE : LIT_FALSE;
    trim(&w);
    return w;
}

/* a + b + carry, `width` bits. */
static struct word sum(struct circuit *c, const struct word *a, const struct word *b, bool negate_b,
                       uint32_t width)
{
    struct word w = {.width = width};
    assert(width <= ALL_WIDTH);
    lit carry = negate_b ? LIT_TRUE : LIT_FALSE;
    for (uint32_t i = 0; i < width; i++) {
        lit x = at(a, i), y = at(b, i) ^ (lit)negate_b, either = circuit_xor(c, x, y);
        w.bit[i] = circuit_xor(c, either, carry);
        carry = circuit_ite(c, either, carry, x);
    }
    return w;
}

/* The low bits of a number, as a natural number. */
static struct word cut(const struct word *a, uint32_t bits)
{
    struct word w = {.width = bits + 1};
    for (uint32_t i = 0; i < bits; i++) w.bit[i] = at(a, i);
    w.bit[bits] = LIT_FALSE;
    if (w.width > MAX_WIDTH) w.width = MAX_WIDTH; /* moduli have at most 63 bits */
    trim(&w);
    return w;
}

static struct word variable(struct bits *bits, uint32_t v)
{
    const struct model_var *var = &bits->model->vars.data[v];
    struct word w = {.width = bits_width(bits, v) + 1};
    for (uint32_t i = 0; i + 1 < w.width; i++)
        w.bit[i] = circuit_input(&bits->circuit, bits->first[v] + i);
    w.bit[w.width - 1] = LIT_FALSE;
    if (!var->low && w.width <= MAX_WIDTH) return w;
    struct word low = constant(var->low);
    uint32_t width = (w.width > low.width ? w.width : low.width) + 1;
    w = sum(&bits->circuit, &w, &low, false, width < MAX_WIDTH ? width : MAX_WIDTH);
    trim(&w);
    return w;
}

static lit equal(struct circuit *c, const struct word *a, const struct word *b)
{
    uint32_t width = a->width > b->width ? a->width : b->width;
    lit same = LIT_TRUE;
    for (uint32_t i = width; i-- > 0;)
        same = circuit_and(c, same, lit_not(circuit_xor(c, at(a, i), at(b, i))));
    return same;
}

static lit less(struct circuit *c, const struct word *a, const struct word *b)
{
    uint32_t width = a->width > b->width ? a->width : b->width;
    lit below = LIT_FALSE;
    for (uint32_t i = 0; i < width; i++) {
        bool sign = i + 1 == width;
        below =
            circuit_ite(c, circuit_xor(c, at(a, i), at(b, i)), sign ? at(a, i) : at(b, i), below);
    }
    return below;
}

static struct word product(struct circuit *c, const struct word *a, const struct word *b,
                           uint32_t bits)
{
    struct word w = constant(0);
    for (uint32_t i = 0; i < bits; i++) {
        struct word row = {.width = bits};
        if (at(b, i) == LIT_FALSE) continue;
        for (uint32_t j = 0; j < bits; j++)
            row.bit[j] = j < i ? LIT_FALSE : circuit_and(c, at(a, j - i), at(b, i));
        w = sum(c, &w, &row, false, bits);
    }
    return cut(&w, bits);
}

/* Division of natural numbers, bit by bit from the top: `bits` and a zero. By zero: anything. */
static struct word divide(struct circuit *c, const struct word *a, const struct word *b,
                          uint32_t bits, bool want_rest)
{
    struct word rest = constant(0), result = {.width = bits + 1};
    result.bit[bits] = LIT_FALSE;
    for (uint32_t i = bits; i-- > 0;) {
        struct word shifted = {.width = bits + 2};
        shifted.bit[0] = at(a, i);
        for (uint32_t j = 1; j < bits + 2; j++) shifted.bit[j] = at(&rest, j - 1);
        lit fits = lit_not(less(c, &shifted, b));
        struct word minus = sum(c, &shifted, b, true, bits + 2);
        result.bit[i] = fits;
        rest.width = bits + 1;
        for (uint32_t j = 0; j < bits + 1; j++)
            rest.bit[j] = circuit_ite(c, fits, minus.bit[j], shifted.bit[j]);
    }
    return want_rest ? rest : result;
}

static struct word quotient(struct circuit *c, const struct word *a, const struct word *b,
                            uint32_t bits, bool want_rest)
{
    struct word w = divide(c, a, b, bits, want_rest);
    return cut(&w, bits);
}

/* ---- exact arithmetic ---- */

/* As many bits as the numbers from low to high need. */
static uint32_t width_of(int64_t low, int64_t high)
{
    uint64_t most = low < 0 ? ~(uint64_t)low : 0;
    if (high >= 0 && (uint64_t)high > most) most = (uint64_t)high;
    if (high < 0 && ~(uint64_t)high > most) most = ~(uint64_t)high;
    return most ? expr_width(most) + 1 : 1;
}

static void narrow(struct word *w, int64_t low, int64_t high)
{
    uint32_t width = width_of(low, high);
    if (w->width >= width && (low >= 0 || high < 0))
        w->bit[width - 1] = low >= 0 ? LIT_FALSE : LIT_TRUE; /* the sign */
    if (w->width > width) w->width = width;
    trim(w);
}

/* The bits from the sign of a 64-bit number on are not all the same. */
static lit is_too_wide(struct circuit *c, const struct word *w)
{
    lit differs = LIT_FALSE;
    for (uint32_t i = MAX_WIDTH; i < w->width; i++)
        differs = circuit_or(c, differs, circuit_xor(c, w->bit[i], w->bit[MAX_WIDTH - 1]));
    return differs;
}

/* The highest bit of b counts negative. */
static struct word exact_product(struct circuit *c, const struct word *a, const struct word *b,
                                 uint32_t width)
{
    struct word w = constant(0);
    for (uint32_t i = 0; i < b->width; i++) {
        struct word row = {.width = width};
        if (b->bit[i] == LIT_FALSE) continue;
        for (uint32_t j = 0; j < width; j++)
            row.bit[j] = j < i ? LIT_FALSE : circuit_and(c, at(a, j - i), b->bit[i]);
        w = sum(c, &w, &row, i + 1 == b->width, width);
    }
    return w;
}

/* cond ? -a : a, `width` bits. */
static struct word negated_if(struct circuit *c, lit cond, const struct word *a, uint32_t width)
{
    struct word flipped = {.width = width};
    lit carry = cond;
    for (uint32_t i = 0; i < width; i++) {
        lit bit = circuit_xor(c, at(a, i), cond);
        flipped.bit[i] = circuit_xor(c, bit, carry);
        carry = circuit_and(c, bit, carry);
    }
    return flipped;
}

static lit sign(const struct word *w) { return w->bit[w->width - 1]; }

/* Cut towards zero: absolute values are divided. */
static struct word exact_quotient(struct circuit *c, const struct word *a, const struct word *b,
                                  bool want_rest)
{
    uint32_t bits = a->width > b->width
                        ? a->width
                        : b->width; /* of the absolute values: as many as of the numbers */
    struct word x = negated_if(c, sign(a), a, bits), y = negated_if(c, sign(b), b, bits);
    x.bit[x.width++] = LIT_FALSE;
    y.bit[y.width++] = LIT_FALSE;
    struct word w = divide(c, &x, &y, bits, want_rest);
    return negated_if(c, want_rest ? sign(a) : circuit_xor(c, sign(a), sign(b)), &w, bits + 1);
}

/* -2^63 and -1: their quotient does not fit, and their remainder fails too. */
static lit is_largest_quotient(struct circuit *c, const struct word *a, const struct word *b)
{
    struct word lowest = constant(INT64_MIN), minus_one = constant(-1);
    return circuit_and(c, equal(c, a, &lowest), equal(c, b, &minus_one));
}

static struct word exactly(struct circuit *c, const struct expr_node *node, const struct word *a,
                           const struct word *b, lit *fails)
{
    uint32_t width = (a->width > b->width ? a->width : b->width) + 1;
    struct word w;
    *fails = LIT_FALSE;
    if (node->op == EXPR_DIV || node->op == EXPR_MOD) {
        *fails = is_largest_quotient(c, a, b);
        w = exact_quotient(c, a, b, node->op == EXPR_MOD);
    } else {
        if (node->op == EXPR_MUL) width = a->width + b->width;
        bool fits =
            node->low != INT64_MIN || node->high != INT64_MAX; /* otherwise it may leave them */
        if (fits && width_of(node->low, node->high) < width)
            width = width_of(node->low, node->high);
        w = node->op == EXPR_MUL ? exact_product(c, a, b, width)
                                 : sum(c, a, b, node->op == EXPR_SUB, width);
        *fails = is_too_wide(c, &w);
    }
    if (w.width > MAX_WIDTH) w.width = MAX_WIDTH;
    return w;
}

/* ---- choices ---- */

static struct word choice(struct circuit *c, lit cond, const struct word *yes,
                          const struct word *no)
{
    struct word w = {.width = yes->width > no->width ? yes->width : no->width};
    for (uint32_t i = 0; i < w.width; i++) w.bit[i] = circuit_ite(c, cond, at(yes, i), at(no, i));
    return w;
}

/* Of the cells from `first` on, below `end`, the one that the lowest `bits` bits of the offset say;
 * false when none of them is possible. */
static bool choose_cell(struct bits *bits, uint32_t base, const bool *possible, uint32_t first,
                        uint32_t end, const struct word *offset, uint32_t count, struct word *w)
{
    struct word upper;
    if (first >= end) return false;
    if (!count) {
        if (possible[first]) *w = variable(bits, base + first);
        return possible[first];
    }
    uint32_t half = first + (UINT32_C(1) << (count - 1));
    bool has_upper = choose_cell(bits, base, possible, half, end, offset, count - 1, &upper);
    bool has_lower =
        choose_cell(bits, base, possible, first, half < end ? half : end, offset, count - 1, w);
    if (has_upper && has_lower) *w = choice(&bits->circuit, at(offset, count - 1), &upper, w);
    else if (has_upper) *w = upper;
    return has_upper || has_lower;
}

static struct word array_cell(struct bits *bits, const struct expr_node *node,
                              const struct word *offset)
{
    struct mem *mem = bits->model->mem;
    uint32_t count = (uint32_t)expr_get(&bits->model->exprs, node->b)->value;
    bool *possible = mem_alloc(mem, count + UINT64_C(1));
    struct word w = constant(0);
    cells_possible(bits->model, node->a, count, possible);
    choose_cell(bits, (uint32_t)node->value, possible, 0, count, offset,
                count > 1 ? expr_width(count - 1) : 0, &w);
    mem_free(mem, possible);
    return w;
}

/* ---- expressions ---- */

static void load(const struct bits *bits, expr e, struct word *w, lit *fails)
{
    assert(bits->words[e.i]); /* operands are computed before */
    const lit *stored = &bits->pool.data[bits->words[e.i] - 1];
    w->width = stored[0];
    *fails = stored[1];
    memcpy(w->bit, stored + 2, w->width * sizeof *w->bit);
}

static void keep(struct bits *bits, expr e, const struct word *w, lit fails)
{
    struct mem *mem = bits->model->mem;
    assert(w->width && w->width <= MAX_WIDTH && !bits->words[e.i]); /* each is computed once */
    vec_reserve(mem, &bits->pool, w->width + 2); /* where memory is refused the word must not look
                                                    known: it may be asked for again */
    bits->words[e.i] = bits->pool.len + 1;
    vec_push(mem, &bits->pool, w->width);
    vec_push(mem, &bits->pool, fails);
    for (uint32_t i = 0; i < w->width; i++) vec_push(mem, &bits->pool, w->bit[i]);
}

/* An operator on words; a Boolean is a word of one literal. */
static struct word apply(struct circuit *c, const struct expr_node *node, const struct word *a,
                         const struct word *b)
{
    struct word w = {.width = 1};
    struct word x = *a, y = *b;
    if (node->bits && node->op != EXPR_CUT) x = cut(a, node->bits), y = cut(b, node->bits);
    switch ((enum expr_op)node->op) {
    case EXPR_NOT: w.bit[0] = lit_not(x.bit[0]); break;
    case EXPR_AND: w.bit[0] = circuit_and(c, x.bit[0], y.bit[0]); break;
    case EXPR_OR: w.bit[0] = circuit_or(c, x.bit[0], y.bit[0]); break;
    case EXPR_IMPLIES: w.bit[0] = circuit_or(c, lit_not(x.bit[0]), y.bit[0]); break;
    case EXPR_IFF: w.bit[0] = lit_not(circuit_xor(c, x.bit[0], y.bit[0])); break;
    case EXPR_EQ: w.bit[0] = equal(c, &x, &y); break;
    case EXPR_NE: w.bit[0] = lit_not(equal(c, &x, &y)); break;
    case EXPR_LT: w.bit[0] = less(c, &x, &y); break;
    case EXPR_LE: w.bit[0] = lit_not(less(c, &y, &x)); break;
    case EXPR_GT: w.bit[0] = less(c, &y, &x); break;
    case EXPR_GE: w.bit[0] = lit_not(less(c, &x, &y)); break;
    case EXPR_ADD:
        w = sum(c, &x, &y, false, node->bits);
        w = cut(&w, node->bits);
        break;
    case EXPR_SUB:
        w = sum(c, &x, &y, true, node->bits);
        w = cut(&w, node->bits);
        break;
    case EXPR_MUL: w = product(c, &x, &y, node->bits); break;
    case EXPR_DIV: w = quotient(c, &x, &y, node->bits, false); break;
    case EXPR_MOD: w = quotient(c, &x, &y, node->bits, true); break;
    case EXPR_CUT: w = cut(&x, node->bits); break;
    default: break;
    }
    return w;
}

/* When evaluating the node fails: an operand that is evaluated fails, or it divides by zero. */
static lit failure(struct circuit *c, const struct expr_node *node, const struct word *a,
                   const struct word *b, lit a_fails, lit b_fails)
{
    lit reached = node->op == EXPR_AND || node->op == EXPR_IMPLIES ? a->bit[0]
                  : node->op == EXPR_OR                            ? lit_not(a->bit[0])
                                                                   : LIT_TRUE;
    lit fails = circuit_or(c, a_fails, circuit_and(c, reached, b_fails));
    if (node->op != EXPR_DIV && node->op != EXPR_MOD) return fails;
    struct word zero = constant(0);
    return circuit_or(c, fails, equal(c, b, &zero));
}

/* A choice, a range: what only the newer operators have. */
static lit compute_third(struct bits *bits, const struct expr_node *node, const struct word *a,
                         lit a_fails, struct word *w)
{
    struct circuit *c = &bits->circuit;
    struct word yes, no;
    lit yes_fails, no_fails;
    load(bits, node->b, &yes, &yes_fails);
    if (node->op == EXPR_AT) return *w = array_cell(bits, node, a), a_fails;
    load(bits, node->c, &no, &no_fails);
    if (node->op == EXPR_CHOOSE) {
        *w = choice(c, a->bit[0], &yes, &no);
        return circuit_or(c, a_fails, circuit_ite(c, a->bit[0], yes_fails, no_fails));
    }
    *w = *a;
    return circuit_or(c, a_fails, circuit_or(c, less(c, a, &yes), less(c, &no, a)));
}

static __attribute__((noinline)) void compute(struct bits *bits, expr e)
{
    const struct expr_node node = *expr_get(&bits->model->exprs, e);
    struct word a = constant(0), b = constant(0), w = constant(0);
    lit a_fails = LIT_FALSE, b_fails = LIT_FALSE, fails = LIT_FALSE, overflows = LIT_FALSE;
    assert(node.op != EXPR_LOCAL && node.op != EXPR_LOCAL_AT && node.op != EXPR_TABLE);
    if (expr_table[node.op].arity) load(bits, node.a, &a, &a_fails);
    if (node.op == EXPR_CONST && node.is_bool)
        w = (struct word){1, {node.value ? LIT_TRUE : LIT_FALSE}};
    else if (node.op == EXPR_CONST) w = constant(node.value);
    else if (node.op == EXPR_VAR) w = variable(bits, (uint32_t)node.value);
    else if (node.op == EXPR_FAIL) fails = LIT_TRUE;
    else if (node.op > EXPR_CUT) fails = compute_third(bits, &node, &a, a_fails, &w);
    else {
        if (expr_table[node.op].arity == 2) load(bits, node.b, &b, &b_fails);
        if (expr_table[node.op].has_bits && !node.bits)
            w = exactly(&bits->circuit, &node, &a, &b, &overflows);
        else w = apply(&bits->circuit, &node, &a, &b);
        fails = circuit_or(&bits->circuit, failure(&bits->circuit, &node, &a, &b, a_fails, b_fails),
                           overflows);
    }
    if (!node.is_bool) narrow(&w, node.low, node.high);
    keep(bits, e, &w, fails);
}

/* Operands first; the deep part of the recursion has a small frame. */
static void need(struct bits *bits, expr e)
{
    const struct expr_node *node = expr_get(&bits->model->exprs, e);
    if (bits->words[e.i]) return;
    if (expr_table[node->op].arity >= 1) need(bits, node->a);
    if (expr_table[node->op].arity >= 2) need(bits, node->b);
    if (expr_table[node->op].arity >= 3) need(bits, node->c);
    compute(bits, e);
}

static void value_of(struct bits *bits, expr e, struct word *w, lit *fails)
{
    uint32_t nodes = bits->model->exprs.nodes.len;
    if (bits->words_len < nodes) {
        bits->words = mem_resize(bits->model->mem, bits->words, nodes * sizeof *bits->words);
        memset(bits->words + bits->words_len, 0, (nodes - bits->words_len) * sizeof *bits->words);
        bits->words_len = nodes;
    }
    need(bits, e);
    load(bits, e, w, fails);
}

lit bits_condition(struct bits *bits, expr e, lit *fails)
{
    struct word w;
    assert(expr_get(&bits->model->exprs, e)->is_bool); /* the contract */
    value_of(bits, e, &w, fails);
    return w.bit[0];
}

lit bits_equals(struct bits *bits, uint32_t var, int64_t value)
{
    const struct model_var *v = &bits->model->vars.data[var];
    uint64_t code = (uint64_t)value - (uint64_t)v->low;
    lit all = LIT_TRUE;
    if (value < v->low || value > v->high) return LIT_FALSE;
    for (uint32_t i = 0; i < bits_width(bits, var); i++) {
        lit input = circuit_input(&bits->circuit, bits->first[var] + i);
        all = circuit_and(&bits->circuit, all, input ^ (lit) !(code >> i & 1));
    }
    return all;
}

lit bits_in_range(struct bits *bits, uint32_t var)
{
    const struct model_var *v = &bits->model->vars.data[var];
    uint64_t span = (uint64_t)v->high - (uint64_t)v->low;
    lit fits = LIT_TRUE; /* code <= span, from the low end */
    for (uint32_t i = 0; i < bits_width(bits, var); i++) {
        lit input = circuit_input(&bits->circuit, bits->first[var] + i);
        fits = span >> i & 1 ? circuit_or(&bits->circuit, lit_not(input), fits)
                             : circuit_and(&bits->circuit, lit_not(input), fits);
    }
    return fits;
}

/* Listed states, half by half: so many must not become a path of gates. */
static lit one_of_listed(struct bits *bits, uint32_t first, uint32_t count)
{
    const struct model *model = bits->model;
    if (count > 1) {
        lit left = one_of_listed(bits, first, count / 2);
        return circuit_or(&bits->circuit, left,
                          one_of_listed(bits, first + count / 2, count - count / 2));
    }
    lit all = LIT_TRUE;
    for (uint32_t v = 0; v < model->vars.len; v++)
        all = circuit_and(
            &bits->circuit, all,
            bits_equals(bits, v, model->initial.data[(size_t)first * model->vars.len + v]));
    return all;
}

lit bits_initial(struct bits *bits)
{
    const struct model *model = bits->model;
    lit all = LIT_TRUE;
    if (model_lists_initial(model))
        return one_of_listed(bits, 0, model->initial.len / model->vars.len);
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        all = circuit_and(&bits->circuit, all,
                          var->any_init ? bits_in_range(bits, v) : bits_equals(bits, v, var->init));
    }
    return all;
}

void bits_encode_rule(struct bits *bits, uint32_t r, struct bits_rule *rule)
{
    const struct model *model = bits->model;
    const struct model_rule *source = &model->rules.data[r];
    struct circuit *c = &bits->circuit;
    struct word w;
    lit fails;
    rule->enabled = LIT_TRUE;
    rule->fails = LIT_FALSE;
    rule->stored.len = 0;
    for (uint32_t i = 0; i < source->conjuncts;
         i++) { /* in order, stopping at the first false one */
        value_of(bits, model->conjuncts.data[source->first_conjunct + i].cond, &w, &fails);
        rule->fails = circuit_or(c, rule->fails, circuit_and(c, rule->enabled, fails));
        rule->enabled = circuit_and(c, rule->enabled, circuit_and(c, w.bit[0], lit_not(fails)));
    }
    lit guard = rule->enabled;
    assert(code_is_none(source->body)); /* the contract: the model is flat */
    for (uint32_t i = 0; i < source->stores; i++) {
        const struct rule_store *store = &model->stores.data[source->first_store + i];
        value_of(bits, store->value, &w, &fails);
        rule->fails = circuit_or(c, rule->fails, circuit_and(c, guard, fails));
        rule->enabled = circuit_and(c, rule->enabled, lit_not(fails));
        struct word low = constant(model->vars.data[store->var].low);
        uint32_t width = bits_width(bits, store->var);
        struct word code = sum(c, &w, &low, true, width);
        for (uint32_t b = 0; b < width; b++) vec_push(model->mem, &rule->stored, code.bit[b]);
    }
}
