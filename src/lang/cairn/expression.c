#include "lang/cairn/expression.h"

#include "lang/cairn/timing.h"
#include "model/cells.h"

#include <inttypes.h>
#include <string.h>

/* ---- intervals ---- */

/* The values of op over two intervals within 0 .. 2^bits - 1. Where a result may wrap around, it
 * may be anything. */
static void bound_arithmetic(struct term *result, enum expr_op op, unsigned bits,
                             const struct term *a, const struct term *b)
{
    uint64_t mask = expr_mask(bits), low = 0, high = mask;
    uint64_t al = (uint64_t)a->low, ah = (uint64_t)a->high, bl = (uint64_t)b->low,
             bh = (uint64_t)b->high;
    if (op == EXPR_ADD && ah + bh <= mask) low = al + bl, high = ah + bh;
    if (op == EXPR_SUB && al >= bh) low = al - bh, high = ah - bl;
    if (op == EXPR_MUL && (!bh || ah <= mask / bh)) low = al * bl, high = ah * bh;
    if (op == EXPR_DIV) low = al / (bh ? bh : 1), high = ah / (bl ? bl : 1);
    if (op == EXPR_MOD) high = !bh ? 0 : ah < bh - 1 ? ah : bh - 1;
    result->low = (int64_t)low;
    result->high = (int64_t)high;
}

static void bound_cut(struct term *result, unsigned bits, const struct term *a)
{
    int64_t mask = (int64_t)expr_mask(bits);
    bool fits = a->low >= 0 && a->high <= mask;
    result->low = fits ? a->low : 0;
    result->high = fits ? a->high : mask;
}

static int64_t clamp(__int128 value)
{
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void include(struct term *result, bool *any, __int128 value)
{
    int64_t clamped = clamp(value); /* what does not fit fails */
    if (!*any || clamped < result->low) result->low = clamped;
    if (!*any || clamped > result->high) result->high = clamped;
    *any = true;
}

/* Between the corners: every operator here is monotonous in each operand, the quotient on either
 * side of zero. */
static void bound_corners(struct term *result, enum expr_op op, const struct term *a, int64_t b_low,
                          int64_t b_high, bool *any)
{
    for (unsigned i = 0; i < 4 && b_low <= b_high; i++) {
        __int128 x = i & 1 ? a->low : a->high, y = i & 2 ? b_low : b_high;
        include(result, any,
                op == EXPR_ADD   ? x + y
                : op == EXPR_SUB ? x - y
                : op == EXPR_MUL ? x * y
                                 : x / y);
    }
}

static void bound_exactly(struct term *result, enum expr_op op, const struct term *a,
                          const struct term *b)
{
    bool any = false;
    if (op == EXPR_DIV) {
        bound_corners(result, op, a, b->low, b->high < -1 ? b->high : -1, &any);
        bound_corners(result, op, a, b->low > 1 ? b->low : 1, b->high, &any);
    } else if (op == EXPR_MOD) {
        __int128 most = b->high > -(__int128)b->low ? b->high : -(__int128)b->low;
        int64_t rest = clamp(most > 0 ? most - 1 : 0);
        result->low = a->low >= 0 ? 0 : a->low > -rest ? a->low : -rest;
        result->high = a->high <= 0 ? 0 : a->high < rest ? a->high : rest;
    } else bound_corners(result, op, a, b->low, b->high, &any);
}

static void bound_choice(struct term *result, const struct term *yes, const struct term *no)
{
    result->fails = yes->fails && no->fails;
    if (yes->fails) yes = no;
    if (no->fails) no = yes;
    result->low = yes->low < no->low ? yes->low : no->low;
    result->high = yes->high > no->high ? yes->high : no->high;
}

/* What the node knows by itself counts too. */
static void refine(const struct exprs *exprs, struct term *result)
{
    const struct expr_node *node = expr_get(exprs, result->e);
    if (node->low > result->low) result->low = node->low;
    if (node->high < result->high) result->high = node->high;
    if (result->low > result->high)
        result->low = node->low, result->high = node->high; /* it always fails */
}

static bool within_modulus(struct reader *reader, const struct frame *frame,
                           const struct term *operand)
{
    const struct expr_node *node = expr_get(&reader->model->exprs, operand->e);
    bool too_wide = expr_table[node->op].has_bits && node->bits > frame->bits;
    if (reader->vague || !frame->bits || operand->fails) return true;
    if (!too_wide && operand->low >= 0 && operand->high <= (int64_t)expr_mask(frame->bits))
        return true;
    if (too_wide)
        diag_error(reader->diag, DIAG_RANGE, operand->place,
                   "the modulus of this operand is larger than that of '%s', which has %u bits",
                   expr_table[frame->op].word, frame->bits);
    else
        diag_error(reader->diag, DIAG_RANGE, operand->place,
                   "this operand may be %" PRId64 " to %" PRId64
                   ", but '%s' has %u bits: 0 to %" PRIu64,
                   operand->low, operand->high, expr_table[frame->op].word, frame->bits,
                   expr_mask(frame->bits));
    return false;
}

/* ---- combining operands ---- */

bool expression_is_condition(struct reader *reader, const struct term *term)
{
    if (term->type != TERM_NUMBER) return true;
    diag_error(reader->diag, DIAG_TYPE, term->place,
               "a condition is needed here, this is a number");
    return false;
}

bool expression_is_number(struct reader *reader, const struct term *term)
{
    if (term->type == TERM_NUMBER) return true;
    diag_error(reader->diag, DIAG_TYPE, term->place,
               "a number is needed here, this is a condition");
    return false;
}

bool expression_is_offset(struct reader *reader, const struct term *offset, uint32_t count)
{
    if (!expression_is_number(reader, offset)) return false;
    bool is_constant = expr_get(&reader->model->exprs, offset->e)->op == EXPR_CONST;
    if (offset->fails || (reader->vague && !is_constant)
        || (offset->low >= 0 && offset->high < count))
        return true;
    diag_error(reader->diag, DIAG_RANGE, offset->place,
               "this offset may be %" PRId64 " to %" PRId64 ", but there are %" PRIu32
               " cells: 0 to %" PRIu32,
               offset->low, offset->high, count, count - 1);
    return false;
}

/* Path operators of CTL stand directly below quantifiers and nowhere else. */
static bool is_state_formula(struct reader *reader, const struct term *term)
{
    if (!expression_is_condition(reader, term)) return false;
    if (!term->is_path) return true;
    diag_error(reader->diag, DIAG_MISPLACED, term->place,
               "in CTL '%s' needs 'all' or 'exists' directly above it",
               formula_table[formula_get(&reader->model->formulas, term->f)->op].word);
    return false;
}

static struct place formula_place(const struct reader *reader, struct place own)
{
    return reader->root_place ? *reader->root_place : own;
}

static formula to_formula(struct reader *reader, const struct term *term)
{
    if (term->type == TERM_FORMULA) return term->f;
    return formula_atom(&reader->model->formulas, term->e, formula_place(reader, term->place));
}

static void make_formula(struct reader *reader, const struct frame *frame, enum formula_op op,
                         struct term *result)
{
    struct model *model = reader->model;
    formula a = to_formula(reader, &frame->operands[0]);
    formula b = frame->arity == 2 ? to_formula(reader, &frame->operands[1]) : a;
    result->type = TERM_FORMULA;
    result->f = formula_make(&model->formulas, &model->exprs, op, a, b,
                             formula_place(reader, frame->place));
}

static bool combine_temporal(struct reader *reader, const struct frame *frame, struct term *result)
{
    const struct term *first = &frame->operands[0];
    if (frame->op == FORMULA_A || frame->op == FORMULA_E) {
        if (!first->is_path) {
            diag_error(reader->diag, DIAG_MISPLACED, first->place,
                       "'%s' must stand directly above a path operator such as 'globally'",
                       formula_table[frame->op].word);
            return false;
        }
    } else {
        for (unsigned i = 0; i < frame->arity; i++)
            if (!is_state_formula(reader, &frame->operands[i])) return false;
        result->is_path = reader->logic == PROPERTY_CTL;
    }
    make_formula(reader, frame, frame->op, result);
    return true;
}

static bool check_operands(struct reader *reader, const struct frame *frame)
{
    const struct expr_info *info = &expr_table[frame->op];
    for (unsigned i = 0; i < frame->arity; i++) {
        const struct term *operand = &frame->operands[i];
        if (!(info->takes_bool ? is_state_formula(reader, operand)
                               : expression_is_number(reader, operand)))
            return false;
        if (info->has_bits && frame->op != EXPR_CUT && !within_modulus(reader, frame, operand))
            return false;
    }
    return true;
}

static bool combine_choice(struct reader *reader, const struct frame *frame, struct term *result)
{
    const struct term *cond = &frame->operands[0], *yes = &frame->operands[1],
                      *no = &frame->operands[2];
    if (!expression_is_condition(reader, cond)) return false;
    if (!(yes->type == TERM_NUMBER ? expression_is_number(reader, no)
                                   : expression_is_condition(reader, no)))
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (frame->operands[i].type == TERM_FORMULA) {
            diag_error(reader->diag, DIAG_MISPLACED, frame->operands[i].place,
                       "the temporal operators of a formula do not stand below 'choose'");
            return false;
        }
    result->type = yes->type;
    result->e = expr_choose(&reader->model->exprs, cond->e, yes->e, no->e);
    bound_choice(result, yes, no);
    return true;
}

static bool combine_within(struct reader *reader, const struct frame *frame, struct term *result)
{
    const struct term *a = &frame->operands[0];
    if (!expression_is_number(reader, a)) return false;
    result->e = expr_within(&reader->model->exprs, a->e, frame->low, frame->high, frame->bits);
    result->low = a->low > frame->low ? a->low : frame->low;
    result->high = a->high < frame->high ? a->high : frame->high;
    return true;
}

static bool combine_array(struct reader *reader, const struct frame *frame, struct term *result)
{
    const struct term *offset = &frame->operands[0];
    bool local = frame->op == EXPR_LOCAL_AT;
    if (!expression_is_offset(reader, offset, frame->cells)) return false;
    cells_range(reader->model, local, frame->base, frame->cells, offset->e, &result->low,
                &result->high);
    if (frame->has_bounds) {
        if (!reader->vague && (frame->low > result->low || frame->high < result->high)) {
            diag_error(reader->diag, DIAG_RANGE, frame->place,
                       "the cells that can be meant have values from %" PRId64 " to %" PRId64
                       ", not from %" PRId64 " to %" PRId64,
                       result->low, result->high, frame->low, frame->high);
            return false;
        }
        result->low = frame->low;
        result->high = frame->high;
    }
    result->e = expr_at(&reader->model->exprs, local, frame->base, offset->e, frame->cells,
                        result->low, result->high);
    return true;
}

static bool combine_table(struct reader *reader, const struct frame *frame, struct term *result)
{
    const struct model_table *table = &reader->model->tables.data[frame->base];
    if (!expression_is_offset(reader, &frame->operands[0], table->count)) return false;
    result->low = table->low;
    result->high = table->high;
    result->e = model_table_entry(reader->model, frame->base, frame->operands[0].e);
    return true;
}

static bool combine_operator(struct reader *reader, const struct frame *frame, struct term *result)
{
    const struct expr_info *info = &expr_table[frame->op];
    const struct term *a = &frame->operands[0], *b = frame->arity == 2 ? &frame->operands[1] : a;
    if (!check_operands(reader, frame)) return false;
    if (a->type == TERM_FORMULA || b->type == TERM_FORMULA) {
        make_formula(reader, frame, formula_of_expr[frame->op], result);
        return true;
    }
    result->type = info->gives_bool ? TERM_CONDITION : TERM_NUMBER;
    result->e = expr_make(&reader->model->exprs, frame->op, frame->bits, a->e, b->e);
    if (frame->op == EXPR_CUT) bound_cut(result, frame->bits, a);
    else if (info->has_bits && frame->bits) bound_arithmetic(result, frame->op, frame->bits, a, b);
    else if (info->has_bits) bound_exactly(result, frame->op, a, b);
    return true;
}

static bool combine(struct reader *reader, const struct frame *frame, struct term *result)
{
    bool good;
    *result = (struct term){.place = frame->place};
    if (frame->is_temporal) return combine_temporal(reader, frame, result);
    switch ((enum expr_op)frame->op) {
    case EXPR_CHOOSE: good = combine_choice(reader, frame, result); break;
    case EXPR_WITHIN: good = combine_within(reader, frame, result); break;
    case EXPR_AT:
    case EXPR_LOCAL_AT: good = combine_array(reader, frame, result); break;
    case EXPR_TABLE: good = combine_table(reader, frame, result); break;
    default: good = combine_operator(reader, frame, result);
    }
    if (good && result->type == TERM_NUMBER) refine(&reader->model->exprs, result);
    return good;
}

/* ---- reading ---- */

/* Words that stand after '(': all but constants and variables. */
static bool is_operator(unsigned op)
{
    return expr_table[op].arity || op == EXPR_FAIL || op == EXPR_LOCAL;
}

/* Operands that are expressions: ranges and numbers of cells are read by themselves. */
static uint8_t operands_of(enum expr_op op)
{
    return op == EXPR_WITHIN || op == EXPR_AT || op == EXPR_LOCAL_AT || op == EXPR_TABLE
               ? 1
               : expr_table[op].arity;
}

static bool find_operator(const char *word, struct frame *frame)
{
    for (unsigned op = 0; op < EXPR_OPS; op++)
        if (is_operator(op) && !strcmp(expr_table[op].word, word)) {
            frame->op = (uint8_t)op;
            frame->arity = operands_of(op);
            return true;
        }
    for (unsigned op = FORMULA_X; op < FORMULA_OPS; op++)
        if (!strcmp(formula_table[op].word, word)) {
            frame->is_temporal = true;
            frame->op = (uint8_t)op;
            frame->arity = formula_table[op].arity;
            return true;
        }
    return false;
}

static bool unknown_operator(struct reader *reader, const struct token *token)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    if (token->kind != TOKEN_NAME)
        return reader_unexpected(reader, "an operator such as 'add' or 'and' after '('");
    for (unsigned op = 0; op < EXPR_OPS; op++)
        if (is_operator(op)) text_nearest(token->text, expr_table[op].word, &nearest, &distance);
    for (unsigned op = FORMULA_X; op < FORMULA_OPS; op++)
        text_nearest(token->text, formula_table[op].word, &nearest, &distance);
    diag_error_near(reader->diag, DIAG_UNKNOWN, token->place, nearest, "unknown operator '%.60s'",
                    token->text);
    return false;
}

static bool allowed_in_logic(struct reader *reader, const struct frame *frame)
{
    if (!frame->is_temporal) return true;
    const char *word = formula_table[frame->op].word;
    const bool is_of_query = frame->op == FORMULA_CLOCK || frame->op == FORMULA_DEADLOCK;
    if (is_of_query != (reader->logic == PROPERTY_QUERY)) {
        diag_error(reader->diag, DIAG_MISPLACED, frame->place,
                   is_of_query ? "'%s' stands in queries only"
                               : "the temporal operator '%s' is not allowed here",
                   word);
        return false;
    }
    if (is_of_query || reader->logic == PROPERTY_CTL) return true;
    bool is_quantifier = frame->op == FORMULA_A || frame->op == FORMULA_E;
    if (reader->logic == PROPERTY_LTL && !is_quantifier) return true;
    if (reader->logic == PROPERTY_LTL)
        diag_error(reader->diag, DIAG_MISPLACED, frame->place,
                   "LTL has no path quantifiers: '%s' belongs to CTL", word);
    else
        diag_error(reader->diag, DIAG_MISPLACED, frame->place,
                   "the temporal operator '%s' is not allowed here", word);
    return false;
}

static bool read_bits(struct reader *reader, struct frame *frame)
{
    const struct token *token = reader_peek(reader);
    uint32_t bits;
    if (!reader_count(reader, "the modulus: 1 to 63 bits, or 0", EXPR_MAX_BITS, &bits))
        return false;
    frame->bits = (uint8_t)bits;
    if (bits || frame->op != EXPR_CUT) return true;
    diag_error(reader->diag, DIAG_RANGE, token->place,
               "the modulus of 'cut' has 1 to %d bits, not 0", EXPR_MAX_BITS);
    return false;
}

static bool read_failure(struct reader *reader, uint8_t *reason)
{
    for (unsigned kind = FAILURE_NONE + 1; kind < FAILURE_KINDS; kind++)
        if (reader_accept_word(reader, failure_name[kind])) return *reason = (uint8_t)kind, true;
    return reader_unexpected(reader,
                             "a reason: division, overflow, range, index, full, empty or loop");
}

/* A range may stand before the offset of an array: a number and '..'. */
static bool is_range(const struct token *token)
{
    if (reader_is_word(token, "lowest")) return token[1].kind == TOKEN_RANGE;
    if (token->kind == TOKEN_MINUS) token++;
    return token->kind == TOKEN_NUMBER && token[1].kind == TOKEN_RANGE;
}

static bool read_array(struct reader *reader, struct frame *frame)
{
    if (!reader_array(reader, frame->op == EXPR_LOCAL_AT, &frame->base, &frame->cells))
        return false;
    frame->has_bounds = is_range(reader_peek(reader));
    return !frame->has_bounds || reader_range(reader, &frame->low, &frame->high);
}

static bool read_table_number(struct reader *reader, struct frame *frame)
{
    const struct token *token = reader_peek(reader);
    if (!reader_count(reader, "the number of a table", UINT32_MAX, &frame->base)) return false;
    if (frame->base < reader->model->tables.len) return true;
    diag_error(reader->diag, DIAG_UNKNOWN, token->place,
               "there are only %" PRIu32 " tables so far, counted from 0",
               reader->model->tables.len);
    return false;
}

/* What stands between an operator and its operands. */
static bool read_details(struct reader *reader, struct frame *frame)
{
    if (frame->is_temporal) return true;
    switch ((enum expr_op)frame->op) {
    case EXPR_FAIL: return read_failure(reader, &frame->bits);
    case EXPR_WITHIN:
        return read_failure(reader, &frame->bits)
               && reader_range(reader, &frame->low, &frame->high);
    case EXPR_LOCAL: return reader_local(reader, &frame->base);
    case EXPR_AT:
    case EXPR_LOCAL_AT: return read_array(reader, frame);
    case EXPR_TABLE: return read_table_number(reader, frame);
    default: return !expr_table[frame->op].has_bits || read_bits(reader, frame);
    }
}

/* After `(`: the operator and its modulus. Some operators are words of the lexer too, so that only
 * their text tells what they are. */
static bool open_frame(struct reader *reader, struct frame *frame)
{
    const struct token *token = reader_peek(reader);
    *frame = (struct frame){.place = token->place};
    if (reader->stack.len >= EXPR_MAX_DEPTH) {
        diag_error(reader->diag, DIAG_NESTING, token->place,
                   "this expression is nested too deeply: more than %d levels", EXPR_MAX_DEPTH);
        return false;
    }
    if (token->kind == TOKEN_STRING || !find_operator(token->text, frame))
        return unknown_operator(reader, token);
    if (!allowed_in_logic(reader, frame)) return false;
    if (!frame->is_temporal && (frame->op == EXPR_LOCAL || frame->op == EXPR_LOCAL_AT)
        && !reader->in_code) {
        diag_error(reader->diag, DIAG_MISPLACED, token->place, "locals exist in code blocks only");
        return false;
    }
    reader->at++;
    return read_details(reader, frame);
}

/* (clock "x" <= 3), (deadlock); an equality is two constraints. */
static bool close_query_atom(struct reader *reader, const struct frame *frame, struct term *term)
{
    struct model *model = reader->model;
    const struct place place = formula_place(reader, frame->place);
    struct clock_constraint constraints[2];
    const bool is_clock = frame->op == FORMULA_CLOCK;
    const uint32_t count = is_clock ? timing_constraint(reader, constraints) : 0;
    if (is_clock && !count) return false;
    *term = (struct term){.place = frame->place, .type = TERM_FORMULA};
    for (uint32_t i = 0; i < count; i++) {
        constraints[i].place = place;
        vec_push(model->mem, &model->constraints, constraints[i]);
        const formula atom = formula_clock(&model->formulas, model->constraints.len - 1, place);
        term->f =
            i ? formula_make(&model->formulas, &model->exprs, FORMULA_AND, term->f, atom, place)
              : atom;
    }
    if (!is_clock) term->f = formula_deadlock(&model->formulas, place);
    return reader_expect(reader, TOKEN_CLOSE, "')'");
}

/* (fail index), (local "x") */
static bool close_leaf(struct reader *reader, const struct frame *frame, struct term *term)
{
    struct model *model = reader->model;
    if (frame->is_temporal) return close_query_atom(reader, frame, term);
    *term = (struct term){.place = frame->place, .fails = frame->op == EXPR_FAIL};
    if (frame->op == EXPR_FAIL) term->e = expr_fail(&model->exprs, frame->bits);
    else {
        const struct model_local *local = &model->locals.data[frame->base];
        term->low = local->low;
        term->high = local->high;
        term->e = expr_local(&model->exprs, frame->base, local->low, local->high);
    }
    return reader_expect(reader, TOKEN_CLOSE, "')'");
}

static bool read_leaf(struct reader *reader, struct term *term)
{
    struct exprs *exprs = &reader->model->exprs;
    const struct token *token = reader_peek(reader);
    *term = (struct term){.place = token->place};
    if (token->kind == TOKEN_STRING) {
        uint32_t var;
        if (!reader_reference(reader, SCOPE_VARIABLE, "variable", &var)) return false;
        term->low = reader->model->vars.data[var].low;
        term->high = reader->model->vars.data[var].high;
        term->e =
            reader->ranged ? expr_var_in(exprs, var, term->low, term->high) : expr_var(exprs, var);
        return true;
    }
    if (reader_is_word(token, "true") || reader_is_word(token, "false")) {
        term->type = TERM_CONDITION;
        term->e = expr_bool(exprs, token->text[0] == 't');
        reader->at++;
        return true;
    }
    const char *wanted =
        reader->stack.len > reader->base
            ? "an operand (a number, a variable in quotes, 'true', 'false' or '(')"
            : "an expression (a number, a variable in quotes, 'true', 'false' or '(')";
    if (!reader_number(reader, wanted, &term->low)) return false;
    term->high = term->low;
    term->e = expr_int(exprs, term->low);
    return true;
}

/* Gives the term to the operators that wait for it; true when the whole expression is complete or
 * an error was told. */
static bool deliver(struct reader *reader, struct term *term, bool *good)
{
    while (reader->stack.len > reader->base) {
        struct frame *frame = &reader->stack.data[reader->stack.len - 1];
        frame->operands[frame->count++] = *term;
        if (frame->count < frame->arity) return false;
        *good = reader_expect(reader, TOKEN_CLOSE, "')' after the operands")
                && combine(reader, frame, term);
        if (!*good) return true;
        reader->stack.len--;
    }
    return true;
}

bool expression_read(struct reader *reader, enum property_kind logic, struct term *term)
{
    /* it may be a bound of a clock in a formula, whose operators wait */
    const enum property_kind outer_logic = reader->logic;
    const uint32_t outer_base = reader->base;
    bool good = true, done = false;
    reader->logic = logic;
    reader->base = reader->stack.len;
    while (good && !done) {
        struct frame frame;
        bool opens = reader_accept(reader, TOKEN_OPEN);
        good = opens ? open_frame(reader, &frame) : read_leaf(reader, term);
        if (good && opens && frame.arity) {
            vec_push(reader_mem(reader), &reader->stack, frame);
            continue;
        }
        if (good && opens) good = close_leaf(reader, &frame, term);
        if (good) done = deliver(reader, term, &good);
    }
    reader->stack.len = reader->base;
    reader->base = outer_base;
    reader->logic = outer_logic;
    return good;
}

bool expression_formula(struct reader *reader, enum property_kind kind, formula *root)
{
    struct term term;
    if (!expression_read(reader, kind, &term) || !is_state_formula(reader, &term)) return false;
    *root = to_formula(reader, &term);
    return true;
}
