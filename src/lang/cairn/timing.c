#include "lang/cairn/timing.h"

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

bool timing_clock(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct model_clock clock = {0};
    if (!reader_string(reader, "the name of a clock in quotes", &clock.name)
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

bool timing_reset(struct reader *reader)
{
    uint32_t clock;
    if (!reader_reference(reader, SCOPE_CLOCK, "clock", &clock)) return false;
    model_add_reset(reader->model, (struct clock_reset){.clock = clock});
    return true;
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
    if (!reader_number(reader, "a number", &upper.bound)) return 0;
    upper.strict = kind == TOKEN_LT || kind == TOKEN_GT;
    bool has_upper = kind != TOKEN_GT && kind != TOKEN_GE,
         has_lower = kind != TOKEN_LT && kind != TOKEN_LE;
    if (has_lower && upper.bound == INT64_MIN) {
        diag_error(reader->diag, DIAG_RANGE, token[1].place, "this number is too low for a clock");
        return 0;
    }
    if (!reader_place(reader, &upper.place)) return 0;
    struct clock_constraint lower = {
        .x = upper.y, .y = upper.x, .strict = upper.strict, .place = upper.place};
    if (has_lower) lower.bound = -upper.bound;
    constraints[0] = has_upper ? upper : lower;
    constraints[1] = lower;
    return has_upper && has_lower ? 2 : 1;
}
