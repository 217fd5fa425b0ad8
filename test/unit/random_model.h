/* Random models with everything that code and expressions can have: arrays, records in arrays,
 * locals, functions, loops, choices, failures, exact and modular arithmetic, priorities. What is
 * built satisfies the contracts of model/: offsets are within their arrays, stored values within
 * their ranges. */
#ifndef CAIRN_TEST_RANDOM_MODEL_H
#define CAIRN_TEST_RANDOM_MODEL_H

#include "base/random.h"
#include "model/cells.h"
#include "model/eval.h"

#include <stdio.h>
#include <string.h>

/* The variables: PLAIN of any range, then RECORDS records of two fields, then ARRAY cells of one
 * range. The locals: the same, and LOOPS counters. */
enum { PLAIN = 3, RECORDS = 2, ARRAY = 3, CELLS = PLAIN + 2 * RECORDS + ARRAY, LOOPS = 3 };

struct generator {
    struct random random;
    struct model *model;
    struct mem *mem;
    unsigned widest; /* ranges have up to 2^widest values */
    bool extremes;   /* numbers at the ends of 64 bits */
    bool whole;      /* plain variables of 64 bits */
    bool with_time, with_properties;
    bool tame; /* failures are rare: such models have many states */
    bool in_code;
    unsigned loops; /* around this statement */
    VEC(statement) functions;
    uint32_t line; /* of the next statement: places are different */
};

static inline uint64_t pick(struct generator *g, uint64_t bound)
{
    return random_below(&g->random, bound);
}

static inline struct place next_place(struct generator *g)
{
    return (struct place){.line = ++g->line, .column = 1 + (uint32_t)pick(g, 9)};
}

static inline int64_t pick_between(struct generator *g, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low;
    return (int64_t)((uint64_t)low
                     + (span == UINT64_MAX ? random_next(&g->random) : pick(g, span + 1)));
}

static inline void random_range(struct generator *g, int64_t *low, int64_t *high)
{
    *low = pick(g, 3) ? -(int64_t)pick(g, 4) : (int64_t)pick(g, 3);
    *high = *low + (int64_t)pick(g, UINT64_C(1) << pick(g, g->widest + 1)) + g->tame;
}

/* ---- expressions ---- */

static inline expr random_number(struct generator *g, unsigned depth);
static inline expr random_condition(struct generator *g, unsigned depth);

static inline bool is_tame(struct generator *g) { return g->tame && pick(g, 16); }

/* low .. high by wrapping around: never fails by itself, for numbers that are not too large. */
static inline expr wrapped(struct generator *g, expr e, int64_t low, int64_t high)
{
    struct exprs *exprs = &g->model->exprs;
    const struct expr_node *node = expr_get(exprs, e);
    if (node->low >= low && node->high <= high) return e;
    expr size = expr_int(exprs, high - low + 1), rest = expr_make(exprs, EXPR_MOD, 0, e, size);
    rest = expr_make(exprs, EXPR_MOD, 0, expr_make(exprs, EXPR_ADD, 0, rest, size), size);
    return expr_make(exprs, EXPR_ADD, 0, rest, expr_int(exprs, low));
}

/* An offset of one of `count` cells; stride: of every second one. */
static inline expr random_offset(struct generator *g, uint32_t count, uint32_t stride,
                                 unsigned depth)
{
    struct exprs *exprs = &g->model->exprs;
    int64_t last = (int64_t)((count - 1) / stride);
    expr index = random_number(g, depth);
    if (is_tame(g)) index = wrapped(g, index, 0, last);
    if (pick(g, 3) == 0) index = expr_make(exprs, EXPR_MOD, 0, index, expr_int(exprs, last + 1));
    index = expr_within(exprs, index, 0, last, FAILURE_INDEX);
    return stride == 1 ? index : expr_make(exprs, EXPR_MUL, 0, index, expr_int(exprs, stride));
}

/* Where one of several cells begins and how many can be meant. */
static inline void random_array(struct generator *g, bool local, uint32_t *base, uint32_t *count,
                                uint32_t *stride)
{
    uint32_t kind = (uint32_t)pick(g, 4);
    *stride = kind < 2 ? 2 : 1;
    *base = kind < 2    ? PLAIN + kind
            : kind == 2 ? PLAIN + 2 * RECORDS
                        : (uint32_t)pick(g, CELLS - 1);
    *count = kind < 2 ? 2 * RECORDS - 1 : kind == 2 ? ARRAY : 2;
    (void)local;
}

static inline expr random_array_cell(struct generator *g, bool local, unsigned depth)
{
    uint32_t base, count, stride;
    int64_t low, high;
    random_array(g, local, &base, &count, &stride);
    expr offset = random_offset(g, count, stride, depth);
    cells_range(g->model, local, base, count, offset, &low, &high);
    return expr_at(&g->model->exprs, local, base, offset, count, low, high);
}

static inline expr random_leaf(struct generator *g)
{
    struct exprs *exprs = &g->model->exprs;
    if (g->extremes && pick(g, 12) == 0)
        return expr_int(exprs, pick(g, 2) ? INT64_MAX - (int64_t)pick(g, 3)
                                          : INT64_MIN + (int64_t)pick(g, 3));
    if (pick(g, 4) == 0) return expr_int(exprs, pick_between(g, -3, 6));
    if (g->in_code && pick(g, 3) == 0) {
        uint32_t l = (uint32_t)pick(g, g->model->locals.len);
        return expr_local(exprs, l, g->model->locals.data[l].low, g->model->locals.data[l].high);
    }
    uint32_t v = (uint32_t)pick(g, g->model->vars.len);
    return expr_var_in(exprs, v, g->model->vars.data[v].low, g->model->vars.data[v].high);
}

static inline expr random_cut(struct generator *g, unsigned bits, unsigned depth)
{
    expr e = random_number(g, depth);
    const struct expr_node *node = expr_get(&g->model->exprs, e);
    bool is_modular = expr_table[node->op].has_bits
                      && node->bits; /* it has a modulus of its own, which may be larger */
    if (!is_modular && node->low >= 0 && node->high <= (int64_t)expr_mask(bits)) return e;
    return expr_make(&g->model->exprs, EXPR_CUT, bits, e, e);
}

static inline expr random_number(struct generator *g, unsigned depth)
{
    struct exprs *exprs = &g->model->exprs;
    if (!depth || pick(g, 4) == 0) return random_leaf(g);
    unsigned kind = (unsigned)pick(g, 12);
    if ((kind == 7 || kind == 8) && is_tame(g)) kind = 0;
    switch (kind) {
    case 0:
    case 1:
    case 2:
    case 3: {
        enum expr_op op = EXPR_ADD + (enum expr_op)pick(g, 5);
        expr a = random_number(g, depth - 1), b = op >= EXPR_DIV && is_tame(g)
                                                      ? expr_int(exprs, 1 + (int64_t)pick(g, 4))
                                                      : random_number(g, depth - 1);
        return expr_make(exprs, op, 0, a, b);
    }
    case 4: {
        unsigned bits = 1 + (unsigned)pick(g, 4);
        if (is_tame(g))
            return expr_make(exprs, EXPR_ADD + (enum expr_op)pick(g, 3), bits,
                             random_cut(g, bits, depth - 1), random_cut(g, bits, depth - 1));
        return expr_make(exprs, EXPR_ADD + (enum expr_op)pick(g, 5), bits,
                         random_cut(g, bits, depth - 1), random_cut(g, bits, depth - 1));
    }
    case 5: return random_cut(g, 1 + (unsigned)pick(g, 4), depth - 1);
    case 6:
        return expr_choose(exprs, random_condition(g, depth - 1), random_number(g, depth - 1),
                           random_number(g, depth - 1));
    case 7: {
        int64_t low = pick_between(g, -4, 3);
        return expr_within(exprs, random_number(g, depth - 1), low, low + (int64_t)pick(g, 8),
                           1 + (enum failure)pick(g, FAILURE_KINDS - 1));
    }
    case 8:
        return expr_choose(exprs, random_condition(g, depth - 1), random_number(g, depth - 1),
                           expr_fail(exprs, 1 + (enum failure)pick(g, FAILURE_KINDS - 1)));
    case 9: return expr_to_int(exprs, random_condition(g, depth - 1));
    default: return random_array_cell(g, g->in_code && pick(g, 2), depth - 1);
    }
}

static inline expr random_condition(struct generator *g, unsigned depth)
{
    struct exprs *exprs = &g->model->exprs;
    if (!depth || pick(g, 3) == 0)
        return expr_make(exprs, EXPR_EQ + (enum expr_op)pick(g, 6), 0,
                         random_number(g, depth ? depth - 1 : 0),
                         random_number(g, depth ? depth - 1 : 0));
    switch (pick(g, 6)) {
    case 0:
        return expr_choose(exprs, random_condition(g, depth - 1), random_condition(g, depth - 1),
                           random_condition(g, depth - 1));
    case 1: return expr_to_bool(exprs, random_number(g, depth - 1));
    default:
        return expr_make(exprs, EXPR_NOT + (enum expr_op)pick(g, 5), 0,
                         random_condition(g, depth - 1), random_condition(g, depth - 1));
    }
}

/* A number within low .. high. */
static inline expr random_fit(struct generator *g, int64_t low, int64_t high, unsigned depth)
{
    expr e = random_number(g, depth);
    if (is_tame(g)) e = wrapped(g, e, low, high);
    return expr_within(&g->model->exprs, e, low, high, FAILURE_RANGE);
}

/* ---- code ---- */

static inline statement random_block(struct generator *g, unsigned depth);

static inline int64_t cell_end(const struct generator *g, bool local, uint32_t cell, bool high)
{
    if (local) return high ? g->model->locals.data[cell].high : g->model->locals.data[cell].low;
    return high ? g->model->vars.data[cell].high : g->model->vars.data[cell].low;
}

static inline void add_set(struct generator *g, struct code_sequence *sequence)
{
    struct code_node node = {
        .op = CODE_SET, .target = {.local = pick(g, 3) == 0}, .place = next_place(g)};
    uint32_t stride = 1;
    int64_t low = INT64_MIN, high = INT64_MAX;
    bool is_array = pick(g, 2);
    if (is_array)
        random_array(g, node.target.local, &node.target.base, &node.target.count, &stride);
    else node.target.base = (uint32_t)pick(g, CELLS), node.target.count = 1;
    node.target.offset = is_array
                             ? random_offset(g, node.target.count, stride, (unsigned)pick(g, 3))
                             : expr_int(&g->model->exprs, 0);
    for (uint32_t i = 0; i < node.target.count; i += stride) {
        if (cell_end(g, node.target.local, node.target.base + i, false) > low)
            low = cell_end(g, node.target.local, node.target.base + i, false);
        if (cell_end(g, node.target.local, node.target.base + i, true) < high)
            high = cell_end(g, node.target.local, node.target.base + i, true);
    }
    if (low > high) return; /* nothing fits in both */
    node.value = random_fit(g, low, high, (unsigned)pick(g, 4));
    model_add_code(g->model, sequence, node);
}

/* Between arrays, or records in arrays: cells of one range, from anywhere to anywhere. */
static inline void add_copy(struct generator *g, struct code_sequence *sequence)
{
    struct code_node node = {.op = CODE_COPY, .place = next_place(g)};
    bool records = pick(g, 2);
    struct cell *sides[] = {&node.target, &node.source};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t count = records ? 2 * RECORDS - 1 : 2;
        *sides[i] =
            (struct cell){.local = pick(g, 2),
                          .base = records ? PLAIN : PLAIN + 2 * RECORDS,
                          .count = count,
                          .offset = random_offset(g, count, records ? 2 : 1, (unsigned)pick(g, 2))};
    }
    node.cells = 2;
    model_add_code(g->model, sequence, node);
}

/* A counter of its own, so that every loop ends. */
static inline void add_loop(struct generator *g, struct code_sequence *sequence, unsigned depth)
{
    struct exprs *exprs = &g->model->exprs;
    uint32_t local = CELLS + g->loops;
    expr counter = expr_local(exprs, local, g->model->locals.data[local].low,
                              g->model->locals.data[local].high),
         end = expr_int(exprs, (int64_t)pick(g, 4));
    struct code_node zero = {.op = CODE_SET,
                             .target = {true, local, 1, expr_int(exprs, 0)},
                             .value = expr_int(exprs, 0),
                             .place = next_place(g)};
    struct code_node loop = {.op = CODE_WHILE,
                             .value = expr_make(exprs, EXPR_LT, 0, counter, end),
                             .other = code_none(),
                             .place = next_place(g)};
    struct code_node step = {.op = CODE_SET, .target = zero.target, .place = next_place(g)};
    struct code_sequence body = code_sequence_empty();
    if (pick(g, 2)) loop.value = expr_make(exprs, EXPR_AND, 0, loop.value, random_condition(g, 1));
    step.value = expr_within(exprs, expr_make(exprs, EXPR_ADD, 0, counter, expr_int(exprs, 1)), 0,
                             g->model->locals.data[local].high, FAILURE_RANGE);
    g->loops++;
    model_add_code(g->model, &body, step);
    statement rest = random_block(g, depth);
    g->loops--;
    g->model->code.data[body.last.i].next = rest;
    loop.body = body.first;
    model_add_code(g->model, sequence, zero);
    model_add_code(g->model, sequence, loop);
}

static inline void add_statement(struct generator *g, struct code_sequence *sequence,
                                 unsigned depth)
{
    struct code_node node = {.body = code_none(), .other = code_none(), .place = next_place(g)};
    unsigned kind = (unsigned)pick(g, 16);
    if (kind == 0 && depth && g->loops < LOOPS) add_loop(g, sequence, depth - 1);
    else if (kind < 4 && depth) {
        node.op = CODE_IF;
        node.value = random_condition(g, 2);
        node.body = random_block(g, depth - 1);
        if (pick(g, 2)) node.other = random_block(g, depth - 1);
        model_add_code(g->model, sequence, node);
    } else if (kind == 4 && !g->loops && g->functions.len) { /* functions have loops of their own */
        node.op = CODE_CALL;
        node.body = g->functions.data[pick(g, g->functions.len)];
        model_add_code(g->model, sequence, node);
    } else if (kind == 5 && pick(g, 2)) {
        node.op = CODE_LEAVE;
        model_add_code(g->model, sequence, node);
    } else if (kind == 6) {
        node.op = CODE_REQUIRE;
        node.value = random_condition(g, 2);
        model_add_code(g->model, sequence, node);
    } else if (kind == 7) add_copy(g, sequence);
    else add_set(g, sequence);
}

static inline statement random_block(struct generator *g, unsigned depth)
{
    struct code_sequence sequence = code_sequence_empty();
    for (unsigned i = (unsigned)pick(g, 4); i > 0; i--) add_statement(g, &sequence, depth);
    return sequence.first;
}

/* ---- models ---- */

static inline void random_cells(struct generator *g)
{
    int64_t low[CELLS], high[CELLS];
    for (uint32_t i = 0; i < CELLS; i++) {
        random_range(g, &low[i], &high[i]);
        if (g->whole && i < PLAIN)
            low[i] = INT64_MIN + (int64_t)pick(g, 2), high[i] = pick(g, 2) ? INT64_MAX : -1;
        if (i >= PLAIN + 2 && i < PLAIN + 2 * RECORDS) low[i] = low[i - 2], high[i] = high[i - 2];
        if (i > PLAIN + 2 * RECORDS) low[i] = low[i - 1], high[i] = high[i - 1];
        struct model_var var = {.name = names_format(&g->model->names, "v%u", i),
                                .process = MODEL_NONE,
                                .low = low[i],
                                .high = high[i],
                                .init = low[i],
                                .place = next_place(g)};
        struct model_local local = {
            .name = names_format(&g->model->names, "l%u", i / 2), .low = low[i], .high = high[i]};
        var.any_init = pick(g, g->tame ? 4 : 8) == 0;
        vec_push(g->mem, &g->model->vars, var);
        vec_push(g->mem, &g->model->locals, local);
    }
    for (uint32_t i = 0; i < LOOPS; i++) {
        struct model_local counter = {.name = names_format(&g->model->names, "loop%u", i),
                                      .high = 4};
        vec_push(g->mem, &g->model->locals, counter);
    }
}

/* Some models list their initial states, and some values have names. */
static inline void random_initial(struct generator *g)
{
    static const char *const names[] = {"red", "green", "blue", "white"};
    struct model *model = g->model;
    for (uint32_t v = 0; v < CELLS; v++) {
        struct model_var *var = &model->vars.data[v];
        if ((uint64_t)var->high - (uint64_t)var->low < 4 && pick(g, 4) == 0)
            var->value_names = names;
    }
    if (pick(g, 4)) return;
    int64_t states[4][CELLS];
    uint32_t count = 0;
    for (uint64_t i = 1 + pick(g, 4); i > 0; i--) {
        bool is_new = true;
        for (uint32_t v = 0; v < CELLS; v++)
            states[count][v] = pick_between(g, model->vars.data[v].low, model->vars.data[v].high);
        for (uint32_t k = 0; k < count; k++)
            is_new &= memcmp(states[k], states[count], sizeof states[k]) != 0;
        count += is_new;
    }
    model_list_initial(model, states[0], count);
}

static inline struct clock_constraint random_constraint(struct generator *g)
{
    struct clock_constraint constraint = {.x = (uint32_t)pick(g, 2),
                                          .y = MODEL_NONE,
                                          .bound = pick_between(g, -3, 5),
                                          .strict = pick(g, 2),
                                          .place = next_place(g)};
    if (pick(g, 2)) constraint.y = 1 - constraint.x;
    else if (pick(g, 2)) constraint.y = constraint.x, constraint.x = MODEL_NONE;
    const uint32_t var = (uint32_t)pick(g, CELLS);
    const struct model_var *read = &g->model->vars.data[var];
    expr value = expr_var_in(&g->model->exprs, var, read->low, read->high);
    constraint.varies = pick(g, 3) == 0;
    if (constraint.varies) constraint.value = value, constraint.bound = 0;
    constraint.is_conditional = pick(g, 3) == 0;
    if (constraint.is_conditional)
        constraint.when = expr_make(&g->model->exprs, EXPR_LE, 0, value,
                                    expr_int(&g->model->exprs, pick_between(g, -1, 2)));
    return constraint;
}

static inline void random_timing(struct generator *g)
{
    struct model *model = g->model;
    if (pick(g, 2)) {
        struct model_interval interval = {
            .low = (int64_t)pick(g, 4), .low_open = pick(g, 2), .infinite = pick(g, 3) == 0};
        if (!interval.infinite)
            interval.high = interval.low + 1 + (int64_t)pick(g, 4), interval.high_open = pick(g, 2);
        model->rules.data[model->rules.len - 1].interval = model->intervals.len;
        vec_push(g->mem, &model->intervals, interval);
    }
    for (uint64_t i = pick(g, 3); i > 0; i--) model_add_clock_guard(model, random_constraint(g));
    for (uint32_t i = 0; i < 2; i++)
        if (pick(g, 2))
            model_add_reset(model, (struct clock_reset){.clock = i, .value = (int64_t)pick(g, 3)});
    struct model_rule *rule = &model->rules.data[model->rules.len - 1];
    rule->is_urgent = rule->interval == MODEL_NONE && pick(g, 3) == 0;
}

static inline void random_rule(struct generator *g, unsigned depth)
{
    struct model *model = g->model;
    model_begin_rule(model, "r");
    for (uint64_t i = 1 + pick(g, 2); i > 0; i--) {
        model_add_part(model, MODEL_NONE, next_place(g));
        model->parts.data[model->parts.len - 1].stays = g->with_time && pick(g, 2);
        for (uint64_t k = pick(g, 2); k > 0; k--)
            model_add_conjunct(model, random_condition(g, (unsigned)pick(g, 3)), next_place(g));
    }
    for (uint32_t v = 0; v < CELLS; v++)
        if (pick(g, 6) == 0)
            model_add_store(model, v,
                            random_fit(g, model->vars.data[v].low, model->vars.data[v].high, 2),
                            next_place(g));
    g->in_code = true;
    if (pick(g, 8)) {
        statement body = random_block(g, depth);
        model->rules.data[model->rules.len - 1].body = body;
    }
    g->in_code = false;
    for (uint32_t c = 0; c < model->class_count; c++)
        if (pick(g, 3) == 0) model_add_class(model, c);
    if (g->with_time) random_timing(g);
    model_end_rule(model);
}

/* Invariants and a formula of LTL. */
static inline void random_property(struct generator *g, unsigned i)
{
    struct model *model = g->model;
    struct model_property property = {.name = names_format(&model->names, "p%u", i),
                                      .kind = i < 2 ? PROPERTY_INVARIANT : PROPERTY_LTL,
                                      .place = next_place(g)};
    struct text text;
    property.root = formula_atom(&model->formulas, random_condition(g, 2), property.place);
    if (i == 2) {
        formula f = formula_make(&model->formulas, &model->exprs, FORMULA_F, property.root,
                                 property.root, property.place);
        property.root = pick(g, 2) ? f
                                   : formula_make(&model->formulas, &model->exprs, FORMULA_G, f, f,
                                                  property.place);
    }
    text_init(&text, g->mem);
    model_print_formula(model, &text, property.root);
    property.text = names_intern(&model->names, text.data, text.len);
    vec_push(g->mem, &model->properties, property);
}

static inline struct model *random_model(struct generator *g, unsigned rules, unsigned depth)
{
    struct model *model = g->model = model_new(g->mem, "random");
    g->functions.len = 0;
    g->line = 0;
    random_cells(g);
    random_initial(g);
    model->ticks = g->with_time ? 1 + (int64_t)pick(g, 3) : 1;
    for (uint32_t i = 0; g->with_time && i < 2; i++) {
        struct model_clock clock = {.name = i ? "y" : "x", .init = 3 * i, .place = next_place(g)};
        vec_push(g->mem, &model->clocks, clock);
    }
    if (pick(g, 2)) {
        static const struct model_priority all[] = {{0, 1}, {1, 2}, {0, 2}};
        model->class_count = 3;
        for (unsigned i = 0; i < 3; i++) vec_push(g->mem, &model->priorities, all[i]);
    }
    g->in_code = true;
    for (unsigned i = 0; i < 3; i++) {
        statement body = random_block(g, depth);
        vec_push(g->mem, &g->functions, body);
    }
    g->in_code = false;
    for (unsigned r = 0; r < rules; r++) random_rule(g, depth);
    for (unsigned i = 0; g->with_properties && i < 3; i++) random_property(g, i);
    model_finish(model);
    return model;
}

static inline void random_state(struct generator *g, int64_t *state)
{
    for (uint32_t v = 0; v < g->model->vars.len; v++)
        state[v] = pick_between(g, g->model->vars.data[v].low, g->model->vars.data[v].high);
}

#endif
