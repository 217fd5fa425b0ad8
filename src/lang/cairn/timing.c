#include "lang/cairn/timing.h"

#include "lang/cairn/expression.h"

#include <assert.h>
#include <inttypes.h>

enum { MAX_CLASSES = 4096 };

static struct model_rule *last_rule(const struct reader *reader)
{
    return &reader->model->rules.data[reader->model->rules.len - 1];
}

/* ---- items ---- */

bool timing_ticks(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    if (!reader_number(reader, "the number of ticks in a unit of time", &reader->model->ticks))
        return false;
    if (reader->model->ticks >= 1) return true;
    diag_error(reader->diag, DIAG_RANGE, token->place, "a unit of time has at least one tick");
    return false;
}

/* What a clock begins with or is set to. */
static bool read_value(struct reader *reader, int64_t *value)
{
    const struct token *token = reader_peek(reader);
    if (!reader_number(reader, "a number", value)) return false;
    if (*value >= 0) return true;
    diag_error(reader->diag, DIAG_RANGE, token->place, "no clock is below 0");
    return false;
}

bool timing_clock(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct model_clock clock = {0};
    if (!reader_string(reader, "the name of a clock in quotes", &clock.name)
        || (reader_accept_word(reader, "init") && !read_value(reader, &clock.init))
        || !reader_place(reader, &clock.place))
        return false;
    if (!reader_declare(reader, token, SCOPE_CLOCK, reader->model->clocks.len, "clock"))
        return false;
    vec_push(reader_mem(reader), &reader->model->clocks, clock);
    return true;
}

bool timing_classes(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    uint32_t count;
    if (!reader_count(reader, "the number of classes", MAX_CLASSES, &count)) return false;
    if (!reader->model->class_count) return reader->model->class_count = count, true;
    diag_error(reader->diag, DIAG_DUPLICATE, token->place, "the number of classes is given twice");
    return false;
}

static bool read_class(struct reader *reader, uint32_t *priority_class)
{
    const struct token *token = reader_peek(reader);
    if (!reader_count(reader, "the number of a class", UINT32_MAX, priority_class)) return false;
    if (*priority_class < reader->model->class_count) return true;
    diag_error(reader->diag, DIAG_UNKNOWN, token->place,
               "there is no class %" PRIu32 ": 'classes' says that there are %" PRIu32
               ", from 0 on",
               *priority_class, reader->model->class_count);
    return false;
}

bool timing_priority(struct reader *reader)
{
    struct model_priority priority;
    reader->priority_place = reader_peek(reader)->place;
    if (!read_class(reader, &priority.high)
        || !reader_expect(reader, TOKEN_GT, "'>' and the class that waits")
        || !read_class(reader, &priority.low))
        return false;
    vec_push(reader_mem(reader), &reader->model->priorities, priority);
    return true;
}

/* Warshall's algorithm; a row of bits per class: the classes below it. Pairs that are there already
 * stay where they are. */
void timing_close_priorities(struct reader *reader)
{
    struct model *model = reader->model;
    uint32_t count = model->class_count, words = count / 64 + 1;
    uint64_t *below = mem_alloc(model->mem, ((uint64_t)count + 1) * words * sizeof *below),
             *told = mem_alloc(model->mem, ((uint64_t)count + 1) * words * sizeof *told);
    for (uint32_t i = 0; i < model->priorities.len; i++) {
        const struct model_priority *pair = &model->priorities.data[i];
        told[(uint64_t)pair->high * words + pair->low / 64] |= UINT64_C(1) << pair->low % 64;
        below[(uint64_t)pair->high * words + pair->low / 64] |= UINT64_C(1) << pair->low % 64;
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < count; i++)
            if (below[(uint64_t)i * words + k / 64] >> k % 64 & 1)
                for (uint32_t w = 0; w < words; w++)
                    below[(uint64_t)i * words + w] |= below[(uint64_t)k * words + w];
    bool is_cyclic = false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) {
            if (!(below[(uint64_t)i * words + k / 64] >> k % 64 & 1)) continue;
            if (i == k) is_cyclic = true;
            else if (!(told[(uint64_t)i * words + k / 64] >> k % 64 & 1))
                vec_push(model->mem, &model->priorities, ((struct model_priority){i, k}));
        }
    if (is_cyclic)
        diag_error(reader->diag, DIAG_CIRCULAR, reader->priority_place,
                   "the priorities go round in a circle: a class would wait for itself");
    mem_free(model->mem, below);
    mem_free(model->mem, told);
}

/* ---- clauses of rules ---- */

bool timing_class(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct model *model = reader->model;
    uint32_t priority_class;
    if (!read_class(reader, &priority_class)) return false;
    if (last_rule(reader)->classes
        && model->rule_classes.data[model->rule_classes.len - 1] >= priority_class) {
        diag_error(reader->diag, DIAG_MISPLACED, token->place, "the classes of a rule ascend");
        return false;
    }
    model_add_class(model, priority_class);
    return true;
}

static bool read_end(struct reader *reader, struct model_interval *interval)
{
    if (!reader_expect(reader, TOKEN_COMMA, "',' and the end of the interval")) return false;
    interval->infinite = reader_accept_word(reader, "infinity");
    if (!interval->infinite
        && !reader_number(reader, "the end of the interval, or 'infinity'", &interval->high))
        return false;
    interval->high_open = !interval->infinite && reader_peek(reader)->kind == TOKEN_CLOSE;
    return reader_accept(reader, TOKEN_CLOSE)
           || (!interval->infinite && reader_accept(reader, TOKEN_CLOSE_SQUARE))
           || reader_unexpected(reader, interval->infinite ? "')'" : "')' or ']'");
}

bool timing_interval(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct model *model = reader->model;
    struct model_interval interval = {.low_open = token->kind == TOKEN_OPEN};
    if (!reader_accept(reader, TOKEN_OPEN) && !reader_accept(reader, TOKEN_OPEN_SQUARE))
        return reader_unexpected(reader, "'[' or '('");
    if (!reader_number(reader, "the beginning of the interval", &interval.low)
        || !read_end(reader, &interval))
        return false;
    bool is_empty =
        !interval.infinite
        && (interval.low > interval.high
            || (interval.low == interval.high && (interval.low_open || interval.high_open)));
    if (is_empty || interval.low < 0) {
        diag_error(reader->diag, DIAG_RANGE, token->place,
                   is_empty ? "this interval is empty" : "time begins with 0");
        return false;
    }
    if (last_rule(reader)->is_urgent) {
        diag_error(reader->diag, DIAG_CONFLICT, token->place,
                   "the rule is urgent: it has no interval");
        return false;
    }
    if (last_rule(reader)->interval != MODEL_NONE) {
        diag_error(reader->diag, DIAG_DUPLICATE, token->place,
                   "a rule has one interval: this is a second one");
        return false;
    }
    last_rule(reader)->interval = model->intervals.len;
    vec_push(model->mem, &model->intervals, interval);
    return true;
}

bool timing_guard(struct reader *reader)
{
    struct clock_constraint constraints[2];
    uint32_t count = timing_constraint(reader, constraints);
    for (uint32_t i = 0; i < count; i++) model_add_clock_guard(reader->model, constraints[i]);
    return count != 0;
}

bool timing_unless(struct reader *reader)
{
    struct clock_constraint constraints[2];
    const struct token *token = reader_peek(reader);
    int64_t group;
    if (!read_value(reader, &group)) return false;
    uint32_t count = timing_constraint(reader, constraints);
    if (count && (group < 1 || group > UINT16_MAX)) {
        diag_error(reader->diag, DIAG_RANGE, token->place, "groups have the numbers 1 to %d",
                   UINT16_MAX);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        constraints[i].unless = (uint32_t)group;
        model_add_clock_guard(reader->model, constraints[i]);
    }
    return count != 0;
}

bool timing_reset(struct reader *reader)
{
    struct clock_reset reset = {0};
    if (!reader_reference(reader, SCOPE_CLOCK, "clock", &reset.clock)) return false;
    const enum token_kind kind = reader_peek(reader)->kind;
    if ((kind == TOKEN_NUMBER || kind == TOKEN_MINUS) && !read_value(reader, &reset.value))
        return false;
    model_add_reset(reader->model, reset);
    return true;
}

bool timing_setter(struct reader *reader, bool is_hidden, uint32_t *clock)
{
    const struct token *token = reader_peek(reader);
    if (!reader_reference(reader, SCOPE_CLOCK, "clock", clock)) return false;
    if (is_hidden && !reader->model->clocks.data[*clock].is_set_by_code) return true;
    diag_error(reader->diag, is_hidden ? DIAG_DUPLICATE : DIAG_ACCESS, token->place,
               is_hidden ? "a variable sets this clock already"
                         : "only a hidden variable sets a clock");
    return false;
}

void timing_check(struct reader *reader, struct place place)
{
    const struct model *model = reader->model;
    for (uint32_t c = 0; c < model->clocks.len; c++) {
        const struct model_clock *clock = &model->clocks.data[c];
        for (uint32_t r = 0; clock->is_set_by_code && r < model->rules.len; r++) {
            const struct model_rule *rule = &model->rules.data[r];
            for (uint32_t i = 0; i < rule->reads; i++)
                if (model->accesses.data[rule->first_read + i] == clock->setter)
                    diag_error(reader->diag, DIAG_ACCESS, place,
                               "the rule \"%.60s\" reads what sets the clock \"%.60s\"",
                               rule->label, clock->name);
        }
    }
}

/* ---- constraints ---- */

/* A clock, or 0. */
static bool read_side(struct reader *reader, uint32_t *clock)
{
    const struct token *token = reader_peek(reader);
    *clock = MODEL_NONE;
    if (token->kind == TOKEN_STRING) return reader_reference(reader, SCOPE_CLOCK, "clock", clock);
    if (token->kind != TOKEN_NUMBER || token->number)
        return reader_unexpected(reader, "a clock in quotes, or 0");
    reader->at++;
    return true;
}

/* Conditions and bounds of clocks are evaluated wherever time passes. */
static bool never_fails(struct reader *reader, const struct term *term)
{
    if (!expr_get(&reader->model->exprs, term->e)->may_fail) return true;
    diag_error(reader->diag, DIAG_FAILURE, term->place,
               "this may fail: conditions and bounds of clocks must not");
    return false;
}

/* A number, or what computes one. */
static bool read_bound(struct reader *reader, struct clock_constraint *constraint)
{
    const enum token_kind kind = reader_peek(reader)->kind;
    struct term term;
    if (kind != TOKEN_OPEN && kind != TOKEN_STRING)
        return reader_number(reader, "a number", &constraint->bound);
    if (!expression_read(reader, PROPERTY_INVARIANT, &term) || !expression_is_number(reader, &term)
        || !never_fails(reader, &term))
        return false;
    const struct expr_node *node = expr_get(&reader->model->exprs, term.e);
    constraint->varies = node->op != EXPR_CONST;
    constraint->value = term.e;
    if (!constraint->varies) constraint->bound = node->value;
    if (!constraint->varies || (node->low == term.low && node->high == term.high)) return true;
    constraint->is_narrow = true; /* the expression does not know ranges of variables */
    constraint->low = term.low;
    constraint->high = term.high;
    return true;
}

/* The bound of a comparison that is turned around. */
static bool negate(struct reader *reader, struct clock_constraint *constraint, struct place place)
{
    struct exprs *exprs = &reader->model->exprs;
    int64_t low, high;
    model_bound_range(reader->model, constraint, &low, &high);
    if (low == INT64_MIN) {
        diag_error(reader->diag, DIAG_RANGE, place, "this number is too low for a clock");
        return false;
    }
    constraint->bound = -constraint->bound;
    if (!constraint->varies) return true;
    constraint->value = expr_make(exprs, EXPR_SUB, 0, expr_int(exprs, 0), constraint->value);
    const struct term term = {.e = constraint->value, .place = place};
    constraint->low = -high;
    constraint->high = -low;
    assert(constraint->low <= constraint->high);
    return never_fails(reader, &term);
}

static bool read_condition(struct reader *reader, struct clock_constraint *constraint)
{
    struct term term;
    if (!reader_accept_word(reader, "if")) return true;
    if (!expression_read(reader, PROPERTY_INVARIANT, &term)
        || !expression_is_condition(reader, &term) || !never_fails(reader, &term))
        return false;
    constraint->is_conditional = true;
    constraint->when = term.e;
    return true;
}

/* x - y >= n is y - x <= -n. */
uint32_t timing_constraint(struct reader *reader, struct clock_constraint constraints[2])
{
    struct clock_constraint upper = {.y = MODEL_NONE};
    if (!read_side(reader, &upper.x)
        || (reader_accept(reader, TOKEN_MINUS) && !read_side(reader, &upper.y)))
        return 0;
    const struct token *token = reader_peek(reader);
    enum token_kind kind = token->kind;
    if (kind != TOKEN_LT && kind != TOKEN_LE && kind != TOKEN_GT && kind != TOKEN_GE
        && kind != TOKEN_EQ)
        return reader_unexpected(reader, "<, <=, =, >= or >"), 0;
    reader->at++;
    if (!read_bound(reader, &upper)) return 0;
    upper.strict = kind == TOKEN_LT || kind == TOKEN_GT;
    bool has_upper = kind != TOKEN_GT && kind != TOKEN_GE,
         has_lower = kind != TOKEN_LT && kind != TOKEN_LE;
    if (!read_condition(reader, &upper) || !reader_place(reader, &upper.place)) return 0;
    struct clock_constraint lower = upper;
    lower.x = upper.y;
    lower.y = upper.x;
    if (has_lower && !negate(reader, &lower, token[1].place)) return 0;
    constraints[0] = has_upper ? upper : lower;
    constraints[1] = lower;
    return has_upper && has_lower ? 2 : 1;
}
