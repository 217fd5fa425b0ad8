/* The reader of the model's own text form.
 *
 * The text may have been edited or damaged, so nothing of it is trusted: every name, type, range and modulus is checked before it gets
 * into the model, and the model that comes out satisfies the contracts of model.h and expr.h.
 *
 * Method: items (a variable, a rule, ...) begin with a word, and so do the clauses inside of them. After an error, reading goes on at
 * the next clause or item, so that one run tells several errors. Names must be declared before they are used, except for the pc of
 * a process, because processes come before variables. Expressions are read with a stack of our own: nesting is bounded by
 * EXPR_MAX_DEPTH and not by the C stack.
 *
 * Every expression carries an interval that contains its values (computed operator by operator, with the ranges of variables
 * at the leaves). It decides what cannot be decided exactly here: (1) operands of arithmetic lie within the modulus; (2) stored values lie
 * within the range of their variable. */
#include "lang/cairn/cairn.h"

#include "base/map.h"
#include "lang/common/lexer.h"
#include "model/print.h"

#include <inttypes.h>
#include <string.h>

enum { SCOPE_VARIABLE, SCOPE_PROCESS, SCOPE_CONSTANT, SCOPE_PROPERTY };

enum term_type { TERM_NUMBER, TERM_CONDITION, TERM_FORMULA }; /* TERM_FORMULA: with temporal operators, never an atom */

struct term {
    enum term_type type;
    bool is_path; /* in CTL: a path operator that still needs its quantifier */
    expr e;
    formula f;
    int64_t low, high; /* of a number */
    struct place place;
};

/* An operator whose operands are being read. */
struct frame {
    bool is_temporal; /* op is an enum formula_op, otherwise an enum expr_op */
    uint8_t op, arity, bits, count;
    struct place place;
    struct term operands[2];
};

struct late_pc {
    uint32_t process;
    const struct token *name;
};

struct reader {
    struct diag *diag;
    struct model *model;
    struct map names;
    const struct token *tokens;
    uint32_t at;
    VEC(uint32_t) sources; /* of diag: the files that positions are in */
    VEC(struct late_pc) late;
    VEC(uint32_t) writer; /* per variable: the last rule that wrote it, + 1 */
    VEC(struct frame) stack;
    enum property_kind logic; /* which operators may stand in an expression; PROPERTY_INVARIANT: no temporal ones */
    bool vague; /* a variable without its range was told of: errors that come from ranges are not */
    const struct place *root_place; /* stands for the positions inside a formula; NULL: they are their own */
};

static struct mem *mem_of(const struct reader *reader)
{
    return reader->model->mem;
}

/* ---- tokens ---- */

static const struct token *peek(const struct reader *reader)
{
    return &reader->tokens[reader->at];
}

/* Always false, so that callers can return it. */
static bool unexpected(struct reader *reader, const char *wanted)
{
    char shown[48];
    diag_error(reader->diag, peek(reader)->place, "expected %s, found %s", wanted, token_show(peek(reader), shown));
    return false;
}

static bool accept(struct reader *reader, enum token_kind kind)
{
    if (peek(reader)->kind != kind) return false;
    if (kind != TOKEN_END) reader->at++;
    return true;
}

static bool expect(struct reader *reader, enum token_kind kind, const char *wanted)
{
    return accept(reader, kind) || unexpected(reader, wanted);
}

static bool is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

static bool accept_word(struct reader *reader, const char *word)
{
    if (!is_word(peek(reader), word)) return false;
    reader->at++;
    return true;
}

static bool expect_string(struct reader *reader, const char *wanted, const char **text)
{
    *text = peek(reader)->text;
    return expect(reader, TOKEN_STRING, wanted);
}

static bool expect_number(struct reader *reader, const char *wanted, int64_t *value)
{
    bool negative = accept(reader, TOKEN_MINUS);
    *value = (int64_t)peek(reader)->number;
    if (!expect(reader, TOKEN_NUMBER, wanted)) return false;
    if (negative) *value = -*value;
    return true;
}

/* A number without a sign from 0 to most. */
static bool expect_count(struct reader *reader, const char *wanted, uint64_t most, uint32_t *value)
{
    const struct token *token = peek(reader);
    if (!expect(reader, TOKEN_NUMBER, wanted)) return false;
    *value = (uint32_t)token->number;
    if (token->number <= most) return true;
    diag_error(reader->diag, token->place, "expected %s, and at most %" PRIu64, wanted, most);
    return false;
}

/* `at line:column`, with `in n` when it is not in the first source; or nothing: no position. */
static bool read_place(struct reader *reader, struct place *place)
{
    uint32_t number = 1;
    const struct token *start = peek(reader);
    *place = (struct place){.source = start->place.source};
    if (!accept_word(reader, "at")) return true;
    if (!expect_count(reader, "a line number", UINT32_MAX, &place->line) || !expect(reader, TOKEN_COLON, "':' and a column")) return false;
    if (!expect_count(reader, "a column number", UINT32_MAX, &place->column)) return false;
    if (accept_word(reader, "in") && !expect_count(reader, "the number of a source", UINT32_MAX, &number)) return false;
    if (!place->line || !number || number > reader->sources.len) {
        diag_error(reader->diag, start->place, !place->line ? "lines are counted from 1" : "no source is declared for this position");
        return false;
    }
    place->source = reader->sources.data[number - 1];
    return true;
}

/* ---- names ---- */

/* Tells of an unknown name; looking for a similar one is left out when nobody would see it. */
static bool unknown(struct reader *reader, const struct token *token, uint32_t scope, const char *what)
{
    const struct model *model = reader->model;
    const char *nearest = NULL;
    unsigned distance = 0;
    uint32_t count = reader->diag->errors >= DIAG_MAX_ERRORS ? 0 : scope == SCOPE_VARIABLE ? model->vars.len : model->processes.len;
    for (uint32_t i = 0; i < count; i++)
        text_nearest(token->text, scope == SCOPE_VARIABLE ? model->vars.data[i].name : model->processes.data[i].name, &nearest, &distance);
    if (nearest) diag_error(reader->diag, token->place, "unknown %s \"%.60s\": did you mean \"%s\"?", what, token->text, nearest);
    else diag_error(reader->diag, token->place, "unknown %s \"%.60s\"", what, token->text);
    return false;
}

static bool read_reference(struct reader *reader, uint32_t scope, const char *what, uint32_t *index)
{
    const struct token *token = peek(reader);
    if (!expect(reader, TOKEN_STRING, what)) return false;
    *index = map_get(&reader->names, token->text, scope);
    return *index != MAP_NONE || unknown(reader, token, scope, what);
}

static bool declare(struct reader *reader, const struct token *token, uint32_t scope, uint32_t index, const char *what)
{
    if (map_add(&reader->names, token->text, scope, index)) return true;
    diag_error(reader->diag, token->place, "the %s \"%.60s\" is declared twice", what, token->text);
    return false;
}

/* ---- expressions: intervals ---- */

/* The values of op over two intervals within 0 .. 2^bits - 1. Where a result may wrap around, it may be anything. */
static void bound_arithmetic(struct term *result, enum expr_op op, unsigned bits, const struct term *a, const struct term *b)
{
    uint64_t mask = expr_mask(bits), low = 0, high = mask;
    uint64_t al = (uint64_t)a->low, ah = (uint64_t)a->high, bl = (uint64_t)b->low, bh = (uint64_t)b->high;
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

static bool within_modulus(struct reader *reader, const struct frame *frame, const struct term *operand)
{
    bool too_wide = expr_get(&reader->model->exprs, operand->e)->bits > frame->bits;
    if (reader->vague) return true;
    if (!too_wide && operand->low >= 0 && operand->high <= (int64_t)expr_mask(frame->bits)) return true;
    if (too_wide)
        diag_error(reader->diag, operand->place, "the modulus of this operand is larger than that of '%s', which has %u bits",
                   expr_table[frame->op].word, frame->bits);
    else
        diag_error(reader->diag, operand->place, "this operand may be %" PRId64 " to %" PRId64 ", but '%s' has %u bits: 0 to %" PRIu64,
                   operand->low, operand->high, expr_table[frame->op].word, frame->bits, expr_mask(frame->bits));
    return false;
}

/* ---- expressions: combining operands ---- */

static bool is_condition(struct reader *reader, const struct term *term)
{
    if (term->type != TERM_NUMBER) return true;
    diag_error(reader->diag, term->place, "a condition is needed here, this is a number");
    return false;
}

static bool is_number(struct reader *reader, const struct term *term)
{
    if (term->type == TERM_NUMBER) return true;
    diag_error(reader->diag, term->place, "a number is needed here, this is a condition");
    return false;
}

/* Path operators of CTL stand directly below quantifiers and nowhere else. */
static bool is_state_formula(struct reader *reader, const struct term *term)
{
    if (!is_condition(reader, term)) return false;
    if (!term->is_path) return true;
    diag_error(reader->diag, term->place, "in CTL '%s' needs 'all' or 'exists' directly above it",
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

static void make_formula(struct reader *reader, const struct frame *frame, enum formula_op op, struct term *result)
{
    struct model *model = reader->model;
    formula a = to_formula(reader, &frame->operands[0]);
    formula b = frame->arity == 2 ? to_formula(reader, &frame->operands[1]) : a;
    result->type = TERM_FORMULA;
    result->f = formula_make(&model->formulas, &model->exprs, op, a, b, formula_place(reader, frame->place));
}

static bool combine_temporal(struct reader *reader, const struct frame *frame, struct term *result)
{
    const struct term *first = &frame->operands[0];
    if (frame->op == FORMULA_A || frame->op == FORMULA_E) {
        if (!first->is_path) {
            diag_error(reader->diag, first->place, "'%s' must stand directly above a path operator such as 'globally'",
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
        if (!(info->takes_bool ? is_state_formula(reader, operand) : is_number(reader, operand))) return false;
        if (info->has_bits && frame->op != EXPR_CUT && !within_modulus(reader, frame, operand)) return false;
    }
    return true;
}

static bool combine(struct reader *reader, const struct frame *frame, struct term *result)
{
    const struct expr_info *info = &expr_table[frame->op];
    const struct term *a = &frame->operands[0], *b = frame->arity == 2 ? &frame->operands[1] : a;
    *result = (struct term){.place = frame->place};
    if (frame->is_temporal) return combine_temporal(reader, frame, result);
    if (!check_operands(reader, frame)) return false;
    if (a->type == TERM_FORMULA || b->type == TERM_FORMULA) {
        make_formula(reader, frame, formula_of_expr[frame->op], result);
        return true;
    }
    result->type = info->gives_bool ? TERM_CONDITION : TERM_NUMBER;
    result->e = expr_make(&reader->model->exprs, frame->op, frame->bits, a->e, b->e);
    const struct expr_node *node = expr_get(&reader->model->exprs, result->e);
    if (node->op == EXPR_CONST) result->low = result->high = node->value;
    else if (frame->op == EXPR_CUT) bound_cut(result, frame->bits, a);
    else if (info->has_bits) bound_arithmetic(result, frame->op, frame->bits, a, b);
    return true;
}

/* ---- expressions: reading ---- */

static bool find_operator(const char *word, struct frame *frame)
{
    for (unsigned op = 0; op < EXPR_OPS; op++)
        if (expr_table[op].arity && !strcmp(expr_table[op].word, word)) {
            frame->op = (uint8_t)op;
            frame->arity = expr_table[op].arity;
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
    if (token->kind != TOKEN_NAME) return unexpected(reader, "an operator such as 'add' or 'and' after '('");
    for (unsigned op = 0; op < EXPR_OPS; op++)
        if (expr_table[op].arity) text_nearest(token->text, expr_table[op].word, &nearest, &distance);
    for (unsigned op = FORMULA_X; op < FORMULA_OPS; op++) text_nearest(token->text, formula_table[op].word, &nearest, &distance);
    if (nearest) diag_error(reader->diag, token->place, "unknown operator '%.60s': did you mean '%s'?", token->text, nearest);
    else diag_error(reader->diag, token->place, "unknown operator '%.60s'", token->text);
    return false;
}

static bool allowed_in_logic(struct reader *reader, const struct frame *frame)
{
    if (!frame->is_temporal || reader->logic == PROPERTY_CTL) return true;
    const char *word = formula_table[frame->op].word;
    bool is_quantifier = frame->op == FORMULA_A || frame->op == FORMULA_E;
    if (reader->logic == PROPERTY_LTL && !is_quantifier) return true;
    if (reader->logic == PROPERTY_LTL) diag_error(reader->diag, frame->place, "LTL has no path quantifiers: '%s' belongs to CTL", word);
    else diag_error(reader->diag, frame->place, "the temporal operator '%s' is not allowed here", word);
    return false;
}

/* After `(`: the operator and its modulus. Some operators are words of the lexer too, so that only their text tells what they are. */
static bool open_frame(struct reader *reader)
{
    const struct token *token = peek(reader), *bits_token = token + 1;
    struct frame frame = {.place = token->place};
    uint32_t bits;
    if (reader->stack.len >= EXPR_MAX_DEPTH) {
        diag_error(reader->diag, token->place, "this expression is nested too deeply: more than %d levels", EXPR_MAX_DEPTH);
        return false;
    }
    if (token->kind == TOKEN_STRING || !find_operator(token->text, &frame)) return unknown_operator(reader, token);
    if (!allowed_in_logic(reader, &frame)) return false;
    reader->at++;
    if (!frame.is_temporal && expr_table[frame.op].has_bits) {
        if (!expect_count(reader, "the modulus: 1 to 63 bits", EXPR_MAX_BITS, &bits)) return false;
        if (!bits) diag_error(reader->diag, bits_token->place, "the modulus of '%s' has 1 to %d bits, not 0", token->text, EXPR_MAX_BITS);
        if (!bits) return false;
        frame.bits = (uint8_t)bits;
    }
    vec_push(mem_of(reader), &reader->stack, frame);
    return true;
}

static bool read_leaf(struct reader *reader, struct term *term)
{
    struct exprs *exprs = &reader->model->exprs;
    const struct token *token = peek(reader);
    *term = (struct term){.place = token->place};
    if (token->kind == TOKEN_STRING) {
        uint32_t var;
        if (!read_reference(reader, SCOPE_VARIABLE, "variable", &var)) return false;
        term->e = expr_var(exprs, var);
        term->low = reader->model->vars.data[var].low;
        term->high = reader->model->vars.data[var].high;
        return true;
    }
    if (is_word(token, "true") || is_word(token, "false")) {
        term->type = TERM_CONDITION;
        term->e = expr_bool(exprs, token->text[0] == 't');
        reader->at++;
        return true;
    }
    const char *wanted = reader->stack.len ? "an operand (a number, a variable in quotes, 'true', 'false' or '(')"
                                           : "an expression (a number, a variable in quotes, 'true', 'false' or '(')";
    if (!expect_number(reader, wanted, &term->low)) return false;
    term->high = term->low;
    term->e = expr_int(exprs, term->low);
    return true;
}

/* Gives the term to the operators that wait for it; true when the whole expression is complete or an error was told. */
static bool deliver(struct reader *reader, struct term *term, bool *good)
{
    while (reader->stack.len) {
        struct frame *frame = &reader->stack.data[reader->stack.len - 1];
        frame->operands[frame->count++] = *term;
        if (frame->count < frame->arity) return false;
        *good = expect(reader, TOKEN_CLOSE, "')' after the operands") && combine(reader, frame, term);
        if (!*good) return true;
        reader->stack.len--;
    }
    return true;
}

static bool read_expression(struct reader *reader, enum property_kind logic, struct term *term)
{
    bool good = true, done = false;
    reader->logic = logic;
    reader->stack.len = 0;
    while (good && !done) {
        if (accept(reader, TOKEN_OPEN)) {
            good = open_frame(reader);
        } else {
            good = read_leaf(reader, term);
            if (good) done = deliver(reader, term, &good);
        }
    }
    return good;
}

static bool read_formula(struct reader *reader, enum property_kind kind, formula *root)
{
    struct term term;
    if (!read_expression(reader, kind, &term) || !is_state_formula(reader, &term)) return false;
    *root = to_formula(reader, &term);
    return true;
}

/* ---- recovery ---- */

static bool read_source(struct reader *reader);
static bool read_constant(struct reader *reader);
static bool read_process(struct reader *reader);
static bool read_variable(struct reader *reader);
static bool read_rule(struct reader *reader);
static bool read_property(struct reader *reader);

static const struct item {
    const char *word;
    bool (*read)(struct reader *reader); /* after the word */
} items[] = {
    {"source", read_source},     {"constant", read_constant}, {"process", read_process},
    {"variable", read_variable}, {"rule", read_rule},         {"property", read_property},
};
static const char *const clauses[] = {"location", "locations", "part", "when", "set", "text", "formula"};

static const struct item *find_item(const struct token *token)
{
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (is_word(token, items[i].word)) return &items[i];
    return NULL;
}

static void skip_to_item(struct reader *reader)
{
    while (peek(reader)->kind != TOKEN_END && !find_item(peek(reader))) reader->at++;
}

static bool is_clause(const struct token *token)
{
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (is_word(token, clauses[i])) return true;
    return false;
}

static void skip_to_clause(struct reader *reader)
{
    while (peek(reader)->kind != TOKEN_END && !find_item(peek(reader)) && !is_clause(peek(reader))) reader->at++;
}

/* ---- declarations ---- */

static bool read_source(struct reader *reader)
{
    const char *name;
    if (!expect_string(reader, "the name of a source in quotes", &name)) return false;
    vec_push(mem_of(reader), &reader->sources, diag_add_source(reader->diag, name, NULL, 0));
    return true;
}

static bool read_constant(struct reader *reader)
{
    const struct token *token = peek(reader);
    struct model_constant constant;
    if (!expect_string(reader, "the name of a constant in quotes", &constant.name)) return false;
    if (!expect_number(reader, "the value of the constant", &constant.value)) return false;
    if (!declare(reader, token, SCOPE_CONSTANT, reader->model->constants.len, "constant")) return false;
    vec_push(mem_of(reader), &reader->model->constants, constant);
    return true;
}

static bool read_location(struct reader *reader, struct model_process *process)
{
    struct model_location location = {0};
    if (!expect_number(reader, "the value of the location", &location.value)) return false;
    if (peek(reader)->kind == TOKEN_STRING) location.name = reader->tokens[reader->at++].text;
    if (!read_place(reader, &location.place)) return false;
    vec_push(mem_of(reader), &reader->model->locations, location);
    process->locations++;
    return true;
}

static bool read_shared_locations(struct reader *reader, struct model_process *process)
{
    const struct token *start = peek(reader);
    uint32_t other;
    if (!accept_word(reader, "of")) return unexpected(reader, "'of' and a process");
    if (!read_reference(reader, SCOPE_PROCESS, "process", &other)) return false;
    if (other == reader->model->processes.len) {
        diag_error(reader->diag, start->place, "the process \"%.60s\" cannot take its locations from itself", process->name);
        return false;
    }
    process->first_location = reader->model->processes.data[other].first_location;
    process->locations = reader->model->processes.data[other].locations;
    return true;
}

/* Either locations of its own or those of another process. */
static void read_locations(struct reader *reader, struct model_process *process)
{
    process->first_location = reader->model->locations.len;
    if (accept_word(reader, "locations")) {
        if (!read_shared_locations(reader, process)) skip_to_clause(reader);
        return;
    }
    while (accept_word(reader, "location"))
        if (!read_location(reader, process)) skip_to_clause(reader);
}

static bool read_process_head(struct reader *reader, struct model_process *process)
{
    const struct token *token = peek(reader);
    uint32_t index = reader->model->processes.len;
    *process = (struct model_process){.name = "", .type = "", .location = MODEL_NONE};
    if (!expect_string(reader, "the name of a process in quotes", &process->name)) return false;
    if (!declare(reader, token, SCOPE_PROCESS, index, "process")) return false;
    if (!accept_word(reader, "type")) return unexpected(reader, "'type'");
    if (!expect_string(reader, "the type in quotes", &process->type)) return false;
    if (accept_word(reader, "pc")) {
        struct late_pc late = {index, peek(reader)};
        if (!expect(reader, TOKEN_STRING, "a variable in quotes")) return false;
        vec_push(mem_of(reader), &reader->late, late);
    }
    return read_place(reader, &process->place);
}

static bool read_process(struct reader *reader)
{
    struct model_process process;
    if (!read_process_head(reader, &process)) skip_to_clause(reader);
    read_locations(reader, &process);
    vec_push(mem_of(reader), &reader->model->processes, process);
    return true;
}

static void resolve_late_pcs(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->late.len; i++) {
        const struct late_pc *late = &reader->late.data[i];
        uint32_t var = map_get(&reader->names, late->name->text, SCOPE_VARIABLE);
        if (var == MAP_NONE) unknown(reader, late->name, SCOPE_VARIABLE, "variable");
        else reader->model->processes.data[late->process].location = var;
    }
}

static bool read_range(struct reader *reader, struct model_var *var)
{
    const struct token *low = peek(reader);
    if (!expect_number(reader, "the lowest value", &var->low)) return false;
    if (!expect(reader, TOKEN_RANGE, "'..'") || !expect_number(reader, "the highest value", &var->high)) return false;
    if (var->low > var->high) {
        diag_error(reader->diag, low->place, "the range %" PRId64 "..%" PRId64 " is empty", var->low, var->high);
        return false;
    }
    if ((uint64_t)var->high - (uint64_t)var->low > INT64_MAX) {
        diag_error(reader->diag, low->place, "the range %" PRId64 "..%" PRId64 " has too many values", var->low, var->high);
        return false;
    }
    if (!expect(reader, TOKEN_EQ, "'=' and the initial value")) return false;
    const struct token *init = peek(reader);
    var->init = var->low;
    var->any_init = accept_word(reader, "any");
    if (!var->any_init && !expect_number(reader, "the initial value or 'any'", &var->init)) return false;
    if (var->init >= var->low && var->init <= var->high) return true;
    diag_error(reader->diag, init->place, "the initial value %" PRId64 " is outside %" PRId64 "..%" PRId64, var->init, var->low, var->high);
    return false;
}

static bool read_variable(struct reader *reader)
{
    const struct token *token = peek(reader);
    struct model_var var = {.process = MODEL_NONE};
    bool good = expect_string(reader, "the name of a variable in quotes", &var.name);
    if (!good) return false;
    if (accept_word(reader, "of")) good = read_reference(reader, SCOPE_PROCESS, "process", &var.process);
    good = good && read_range(reader, &var) && read_place(reader, &var.place);
    /* A damaged one is kept: every use of it would look like an error otherwise. */
    if (!good) reader->vague = true;
    if (!declare(reader, token, SCOPE_VARIABLE, reader->model->vars.len, "variable")) return false;
    vec_push(mem_of(reader), &reader->model->vars, var);
    vec_push(mem_of(reader), &reader->writer, 0);
    return good;
}

/* ---- rules ---- */

static bool read_part(struct reader *reader)
{
    uint32_t process = MODEL_NONE;
    struct place place = {0};
    bool good = accept_word(reader, "global") || read_reference(reader, SCOPE_PROCESS, "process", &process);
    good = good && read_place(reader, &place);
    model_add_part(reader->model, process, place); /* a damaged one too, so that its conditions have a part */
    return good;
}

static bool read_conjunct(struct reader *reader)
{
    struct model *model = reader->model;
    struct term cond;
    struct place place;
    if (!read_expression(reader, PROPERTY_INVARIANT, &cond) || !is_condition(reader, &cond) || !read_place(reader, &place)) return false;
    if (!model->rules.data[model->rules.len - 1].parts) {
        diag_error(reader->diag, cond.place, "this condition belongs to no part: a 'part' comes first");
        return false;
    }
    model_add_conjunct(model, cond.e, place);
    return true;
}

static bool read_store(struct reader *reader)
{
    struct model *model = reader->model;
    const struct token *target = peek(reader);
    uint32_t index;
    struct term value;
    struct place place;
    if (!read_reference(reader, SCOPE_VARIABLE, "variable", &index)) return false;
    if (!read_expression(reader, PROPERTY_INVARIANT, &value) || !is_number(reader, &value) || !read_place(reader, &place)) return false;
    const struct model_var *var = &model->vars.data[index];
    if (!reader->vague && (value.low < var->low || value.high > var->high)) {
        diag_error(reader->diag, value.place,
                   "the value may leave the range of \"%.60s\": it is %" PRId64 " to %" PRId64 ", the range %" PRId64 "..%" PRId64,
                   var->name, value.low, value.high, var->low, var->high);
        return false;
    }
    if (reader->writer.data[index] == model->rules.len) {
        diag_error(reader->diag, target->place, "the variable \"%.60s\" is written twice in one rule", var->name);
        return false;
    }
    reader->writer.data[index] = model->rules.len;
    model_add_store(model, index, value.e, place);
    return true;
}

static bool read_rule(struct reader *reader)
{
    const struct token *start = peek(reader);
    const char *label;
    bool good = expect_string(reader, "the label of a rule in quotes", &label);
    model_begin_rule(reader->model, good ? label : "");
    if (!good) skip_to_clause(reader);
    for (;;) {
        if (accept_word(reader, "part")) good = read_part(reader);
        else if (accept_word(reader, "when")) good = read_conjunct(reader);
        else if (accept_word(reader, "set")) good = read_store(reader);
        else break;
        if (!good) skip_to_clause(reader);
    }
    if (good && !reader->model->rules.data[reader->model->rules.len - 1].parts)
        diag_error(reader->diag, start->place, "a rule needs a part: a process, or global");
    model_end_rule(reader->model);
    return true;
}

/* ---- properties ---- */

static bool read_kind(struct reader *reader, enum property_kind *kind)
{
    static const enum property_kind kinds[] = {PROPERTY_CTL, PROPERTY_LTL, PROPERTY_INVARIANT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (accept_word(reader, property_kind_name[kinds[i]])) {
            *kind = kinds[i];
            return true;
        }
    return unexpected(reader, "'ctl', 'ltl' or 'invariant'");
}

/* How people would write the formula: for properties that bring no text. */
static const char *describe(struct reader *reader, formula root)
{
    struct text text;
    text_init(&text, mem_of(reader));
    model_print_formula(reader->model, &text, root);
    const char *copy = arena_copy(&reader->model->arena, text.data, text.len);
    text_free(&text);
    return copy;
}

static bool read_property(struct reader *reader)
{
    struct model *model = reader->model;
    const struct token *token = peek(reader);
    struct model_property property = {0};
    if (!expect_string(reader, "the name of a property in quotes", &property.name) || !read_kind(reader, &property.kind)) return false;
    if (!strcmp(property.name, "deadlock") || !strcmp(property.name, "runtime-error")) {
        diag_error(reader->diag, token->place, "'%s' is the name of a built-in property", property.name);
        return false;
    }
    if (!declare(reader, token, SCOPE_PROPERTY, model->properties.len, "property") || !read_place(reader, &property.place)) return false;
    if (accept_word(reader, "text") && !expect_string(reader, "the text of the property in quotes", &property.text)) return false;
    if (!accept_word(reader, "formula")) return unexpected(reader, "'formula'");
    reader->root_place = &property.place;
    bool good = read_formula(reader, property.kind, &property.root);
    reader->root_place = NULL;
    if (!good) return false;
    if (!property.text) property.text = describe(reader, property.root);
    vec_push(mem_of(reader), &model->properties, property);
    return true;
}

/* A name that no property has yet: ctl[0], ctl[1], ... */
static const char *free_property_name(struct reader *reader, enum property_kind kind)
{
    for (uint32_t i = 0;; i++) {
        const char *name = names_format(&reader->model->names, "%s[%u]", property_kind_name[kind], i);
        if (map_get(&reader->names, name, SCOPE_PROPERTY) == MAP_NONE) return name;
    }
}

/* `formula` or `name: formula`, and nothing after it. */
static bool read_lone_property(struct reader *reader, enum property_kind kind)
{
    struct model_property property = {.kind = kind, .place = peek(reader)->place};
    const struct token *token = peek(reader);
    if ((token->kind == TOKEN_NAME || token->kind == TOKEN_STRING) && token[1].kind == TOKEN_COLON) {
        property.name = token->text;
        reader->at += 2;
        property.place = peek(reader)->place;
    }
    if (!read_formula(reader, kind, &property.root) || !expect(reader, TOKEN_END, "the end of the formula")) return false;
    if (!property.name) property.name = free_property_name(reader, kind);
    if (!map_add(&reader->names, property.name, SCOPE_PROPERTY, reader->model->properties.len)) {
        diag_error(reader->diag, property.place, "there are two properties named '%.60s'", property.name);
        return false;
    }
    property.text = describe(reader, property.root);
    vec_push(mem_of(reader), &reader->model->properties, property);
    return true;
}

/* ---- the file ---- */

/* `cairn 1` and the model's name. */
static bool read_header(struct reader *reader)
{
    const struct token *version = peek(reader) + 1;
    uint32_t number;
    if (!accept_word(reader, "cairn")) return unexpected(reader, "'cairn' and the version of the format");
    if (!expect_count(reader, "the version of the format", UINT32_MAX, &number)) return false;
    if (number != MODEL_FORMAT_VERSION) {
        diag_error(reader->diag, version->place, "this is version %u of the format: only version %d is known", number,
                   MODEL_FORMAT_VERSION);
        return false;
    }
    if (!accept_word(reader, "model")) return unexpected(reader, "'model'");
    return expect_string(reader, "the name of the model in quotes", &reader->model->name);
}

static void read_items(struct reader *reader)
{
    while (peek(reader)->kind != TOKEN_END) {
        const struct item *item = find_item(peek(reader));
        if (item) reader->at++;
        else unexpected(reader, "source, constant, process, variable, rule or property");
        if (!item || !item->read(reader)) skip_to_item(reader);
    }
    resolve_late_pcs(reader);
    vec_free(mem_of(reader), &reader->late);
}

/* The constants of this form have been put in already; setting one to the value it has is fine (a saved trace does so). */
static void check_defines(const struct language_input *input, const struct model *model)
{
    for (uint32_t i = 0; i < input->define_count; i++) {
        bool same = false;
        for (uint32_t c = 0; c < model->constants.len; c++)
            same |= !strcmp(model->constants.data[c].name, input->defines[i].name) && model->constants.data[c].value == input->defines[i].value;
        if (!same && !input->defines[i].optional)
            diag_error(input->diag, (struct place){.source = input->source}, "-D %.60s: the constants of a model in this form are fixed",
                       input->defines[i].name);
    }
}

static struct model *cairn_load(struct language_input *input, void **scope)
{
    uint32_t errors = input->diag->errors;
    struct reader *reader = mem_alloc(input->mem, sizeof *reader);
    struct tokens tokens = {{0}};
    reader->diag = input->diag;
    reader->model = model_new(input->mem, input->diag->sources.data[input->source].name);
    map_init(&reader->names, input->mem);
    lexer_run(reader->diag, &reader->model->names, input->source, &tokens);
    reader->tokens = tokens.list.data;
    if (read_header(reader)) read_items(reader);
    check_defines(input, reader->model);
    reader->tokens = NULL;
    vec_free(reader->diag->mem, &tokens.list);
    if (reader->diag->errors != errors) return NULL;
    struct text complaint;
    text_init(&complaint, input->mem);
    model_finish(reader->model);
    if (!model_check(reader->model, &complaint)) {
        diag_error(reader->diag, (struct place){.source = input->source}, "this is no model: %s", complaint.data);
        return NULL;
    }
    *scope = reader;
    return reader->model;
}

static bool cairn_property(void *scope, enum property_kind kind, uint32_t source)
{
    struct reader *reader = scope;
    uint32_t errors = reader->diag->errors;
    struct tokens tokens = {{0}};
    lexer_run(reader->diag, &reader->model->names, source, &tokens);
    reader->tokens = tokens.list.data;
    reader->at = 0;
    bool good = reader->diag->errors == errors && read_lone_property(reader, kind);
    reader->tokens = NULL;
    vec_free(reader->diag->mem, &tokens.list);
    return good;
}

const struct language cairn_language = {
    .name = "cairn",
    .extension = ".cairn",
    .summary = "the model's own text form, as printed by Cairn",
    .load = cairn_load,
    .property = cairn_property,
};
