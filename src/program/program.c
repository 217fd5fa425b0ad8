#include "program/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the stack machine ---- */

enum {
    /* the operators of expressions come first, with their own numbers */
    OP_PUSH_FIELD = EXPR_OPS,
    OP_PUSH_NUMBER,
    OP_JUMP_IF_FALSE, /* keeps the value when it jumps, drops it otherwise */
    OP_JUMP_IF_TRUE,
    OP_FIELD_EQ, OP_FIELD_NE, OP_FIELD_LT, OP_FIELD_LE, OP_FIELD_GT, OP_FIELD_GE, /* field with constant, in one */
    OP_END
};

static uint32_t emit(struct program *program, struct instruction instruction)
{
    vec_push(program->model->mem, &program->code, instruction);
    return program->code.len - 1;
}

static struct instruction with_field(const struct program *program, uint8_t op, uint32_t var)
{
    const struct field *field = &program->layout->fields[var];
    return (struct instruction){.op = op, .shift = field->shift, .word = field->word, .mask = field->mask, .number = field->low};
}

static bool in_range(const struct model *model, uint32_t var, int64_t number)
{
    return number >= model->vars.data[var].low && number <= model->vars.data[var].high;
}

/* A comparison of a variable with a constant of its range: finds both and the operator with the variable on the left. */
static bool is_field_comparison(const struct program *program, const struct expr_node *node, uint32_t *var, int64_t *number, uint8_t *op)
{
    static const uint8_t mirrored[EXPR_OPS] = {[EXPR_EQ] = EXPR_EQ, [EXPR_NE] = EXPR_NE, [EXPR_LT] = EXPR_GT,
                                               [EXPR_LE] = EXPR_GE, [EXPR_GT] = EXPR_LT, [EXPR_GE] = EXPR_LE};
    if (!mirrored[node->op]) return false;
    const struct exprs *exprs = &program->model->exprs;
    const struct expr_node *a = expr_get(exprs, node->a), *b = expr_get(exprs, node->b);
    bool straight = a->op == EXPR_VAR && b->op == EXPR_CONST, reverse = a->op == EXPR_CONST && b->op == EXPR_VAR;
    if (!straight && !reverse) return false;
    *var = (uint32_t)(straight ? a : b)->value;
    *number = (straight ? b : a)->value;
    *op = straight ? node->op : mirrored[node->op];
    return in_range(program->model, *var, *number);
}

static void compile(struct program *program, expr e, uint32_t height)
{
    const struct expr_node node = *expr_get(&program->model->exprs, e);
    uint32_t var;
    int64_t number;
    uint8_t op;
    if (height >= program->stack_size) program->stack_size = height + 1;
    if (node.op == EXPR_CONST) {
        emit(program, (struct instruction){.op = OP_PUSH_NUMBER, .number = node.value});
    } else if (node.op == EXPR_VAR) {
        emit(program, with_field(program, OP_PUSH_FIELD, (uint32_t)node.value));
    } else if (is_field_comparison(program, &node, &var, &number, &op)) {
        struct instruction fused = with_field(program, (uint8_t)(OP_FIELD_EQ + (op - EXPR_EQ)), var);
        fused.number = number - fused.number; /* the field holds value - low */
        emit(program, fused);
    } else if (node.op == EXPR_AND || node.op == EXPR_OR || node.op == EXPR_IMPLIES) {
        compile(program, node.a, height);
        if (node.op == EXPR_IMPLIES) emit(program, (struct instruction){.op = EXPR_NOT});
        uint32_t jump = emit(program, (struct instruction){.op = node.op == EXPR_AND ? OP_JUMP_IF_FALSE : OP_JUMP_IF_TRUE});
        compile(program, node.b, height);
        program->code.data[jump].word = program->code.len;
    } else {
        compile(program, node.a, height);
        if (expr_table[node.op].arity == 2) compile(program, node.b, height + 1);
        emit(program, (struct instruction){.op = node.op, .bits = node.bits});
    }
}

/* Ends a piece of code, and makes the stack high enough for it. Returns where the end is. */
static uint32_t end_code(struct program *program)
{
    if (program->stack_size > program->stack_room) {
        program->stack_room = 2 * program->stack_size;
        program->stack = mem_resize(program->model->mem, program->stack, (program->stack_room + 2) * sizeof *program->stack);
    }
    return emit(program, (struct instruction){.op = OP_END});
}

uint32_t program_compile(struct program *program, expr e)
{
    uint32_t start = program->code.len;
    compile(program, e, 1);
    end_code(program);
    return start;
}

bool program_run(const struct program *program, uint32_t code, const uint64_t *words, int64_t *value)
{
    const struct instruction *at = &program->code.data[code];
    int64_t *top = program->stack;
#define FIELD() ((int64_t)(words[at->word] >> at->shift & at->mask))
#define COMPARE(relation) *++top = FIELD() relation at->number; break
    for (;; at++) {
        switch (at->op) {
        case OP_PUSH_FIELD: *++top = FIELD() + at->number; break;
        case OP_PUSH_NUMBER: *++top = at->number; break;
        case OP_FIELD_EQ: COMPARE(==);
        case OP_FIELD_NE: COMPARE(!=);
        case OP_FIELD_LT: COMPARE(<);
        case OP_FIELD_LE: COMPARE(<=);
        case OP_FIELD_GT: COMPARE(>);
        case OP_FIELD_GE: COMPARE(>=);
        case OP_JUMP_IF_FALSE:
            if (*top) top--;
            else at = &program->code.data[at->word] - 1;
            break;
        case OP_JUMP_IF_TRUE:
            if (!*top) top--;
            else at = &program->code.data[at->word] - 1;
            break;
        case OP_END: *value = *top; return true;
        case EXPR_NOT: *top = !*top; break;
        case EXPR_CUT: *top &= (int64_t)expr_mask(at->bits); break;
        default:
            top--;
            if (!expr_apply(at->op, at->bits, top[0], top[1], top)) return false;
        }
    }
#undef COMPARE
#undef FIELD
}

/* ---- rules ---- */

/* Which entry of the current rule a word has in a list: cleared by raising the stamp. */
struct word_map {
    uint32_t *stamp, *entry, now;
};

static void add_masked(struct program *program, struct word_map *map, bool is_test, uint32_t first, const struct field *field, int64_t number)
{
    struct word_test piece = {field->word, field->mask << field->shift, (uint64_t)(number - field->low) << field->shift};
    struct word_test *list = is_test ? program->tests.data : program->patches.data;
    if (map->stamp[field->word] == map->now) {
        struct word_test *old = &list[first + map->entry[field->word]];
        if (!(old->mask & piece.mask)) { /* the same variable twice stays apart, and can contradict itself */
            old->mask |= piece.mask;
            old->value |= piece.value;
            return;
        }
    }
    map->stamp[field->word] = map->now;
    if (is_test) {
        map->entry[field->word] = program->tests.len - first;
        vec_push(program->model->mem, &program->tests, piece);
    } else {
        map->entry[field->word] = program->patches.len - first;
        vec_push(program->model->mem, &program->patches, piece);
    }
}

enum { MAX_INDEX_BITS = 10 };

/* The variable to index a rule by: a location where there is one, otherwise any small variable it compares with a constant. */
struct choice {
    uint32_t var;
    int64_t number;
    bool is_location;
};

static void consider(const struct program *program, struct choice *choice, uint32_t var, int64_t number)
{
    if (program->layout->fields[var].bits > MAX_INDEX_BITS || choice->is_location) return;
    bool is_location = model_is_location(program->model, var);
    if (choice->var == MODEL_NONE || is_location) *choice = (struct choice){var, number, is_location};
}

/* Code for the conjuncts that are not word tests, one after the other: each leaves at the end as soon as it is false. While the
 * end is not known, the jumps are a list through their targets. */
struct guard_code {
    uint32_t start, last_jump;
};

static void add_to_guard(struct program *program, struct guard_code *guard, expr cond)
{
    if (guard->start == PROGRAM_NONE) guard->start = program->code.len;
    else guard->last_jump = emit(program, (struct instruction){.op = OP_JUMP_IF_FALSE, .word = guard->last_jump});
    compile(program, cond, 1);
}

static void end_guard(struct program *program, struct guard_code *guard)
{
    if (guard->start == PROGRAM_NONE) return;
    uint32_t end = end_code(program);
    while (guard->last_jump != PROGRAM_NONE) {
        uint32_t before = program->code.data[guard->last_jump].word;
        program->code.data[guard->last_jump].word = end;
        guard->last_jump = before;
    }
}

static void compile_guard(struct program *program, const struct model_rule *rule, struct fast_rule *fast, struct word_map *map,
                          struct choice *choice)
{
    struct model *model = program->model;
    struct guard_code guard = {PROGRAM_NONE, PROGRAM_NONE};
    bool may_fail = false;
    map->now++;
    fast->first_test = program->tests.len;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        expr cond = model->conjuncts.data[rule->first_conjunct + i].cond;
        const struct expr_node *node = expr_get(&model->exprs, cond);
        uint32_t var;
        int64_t number;
        uint8_t op;
        if (!may_fail && is_field_comparison(program, node, &var, &number, &op) && op == EXPR_EQ) {
            add_masked(program, map, true, fast->first_test, &program->layout->fields[var], number);
            consider(program, choice, var, number);
            continue;
        }
        may_fail |= node->may_fail;
        add_to_guard(program, &guard, cond);
    }
    end_guard(program, &guard);
    fast->tests = program->tests.len - fast->first_test;
    fast->guard = guard.start;
}

static void compile_stores(struct program *program, const struct model_rule *rule, struct fast_rule *fast, struct word_map *map)
{
    struct model *model = program->model;
    map->now++;
    fast->first_patch = program->patches.len;
    fast->first_store = program->stores.len;
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        const struct expr_node *node = expr_get(&model->exprs, store->value);
        if (node->op == EXPR_CONST)
            add_masked(program, map, false, fast->first_patch, &program->layout->fields[store->var], node->value);
        else vec_push(model->mem, &program->stores, ((struct code_store){store->var, program_compile(program, store->value)}));
    }
    fast->patches = program->patches.len - fast->first_patch;
    fast->stores = program->stores.len - fast->first_store;
}

struct placed {
    struct choice choice;
    struct fast_rule fast;
};

static int by_choice(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->choice.var != y->choice.var) return x->choice.var < y->choice.var ? -1 : 1;
    if (x->choice.number != y->choice.number) return x->choice.number < y->choice.number ? -1 : 1;
    return (x->fast.rule > y->fast.rule) - (x->fast.rule < y->fast.rule);
}

/* Sorted by variable and value, the rules of each list stand together. */
static void build_index(struct program *program, struct placed *placed, uint32_t count)
{
    struct mem *mem = program->model->mem;
    qsort(placed, count, sizeof *placed, by_choice);
    for (uint32_t i = 0; i < count;) {
        uint32_t var = placed[i].choice.var;
        struct rule_index index = {.has_field = var != MODEL_NONE, .first_list = program->lists.len};
        uint64_t values = 1;
        int64_t low = 0;
        if (index.has_field) {
            index.field = program->layout->fields[var];
            values = index.field.mask + 1;
            low = index.field.low;
        }
        for (uint64_t v = 0; v < values; v++) {
            vec_push(mem, &program->lists, program->rules.len);
            while (i < count && placed[i].choice.var == var && (!index.has_field || placed[i].choice.number - low == (int64_t)v))
                vec_push(mem, &program->rules, placed[i++].fast);
        }
        vec_push(mem, &program->lists, program->rules.len);
        vec_push(mem, &program->indices, index);
    }
}

void program_init(struct program *program, struct model *model, const struct layout *layout)
{
    memset(program, 0, sizeof *program);
    program->model = model;
    program->layout = layout;
    struct word_map map = {mem_alloc(model->mem, layout->words * sizeof *map.stamp), mem_alloc(model->mem, layout->words * sizeof *map.entry), 0};
    struct placed *placed = mem_alloc(model->mem, (model->rules.len + UINT64_C(1)) * sizeof *placed);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        placed[r].choice = (struct choice){MODEL_NONE, 0, false};
        placed[r].fast.rule = r;
        compile_guard(program, &model->rules.data[r], &placed[r].fast, &map, &placed[r].choice);
        compile_stores(program, &model->rules.data[r], &placed[r].fast, &map);
    }
    build_index(program, placed, model->rules.len);
    mem_free(model->mem, placed);
    mem_free(model->mem, map.stamp);
    mem_free(model->mem, map.entry);
}

void program_release(struct program *program)
{
    struct mem *mem = program->model->mem;
    vec_free(mem, &program->code);
    vec_free(mem, &program->tests);
    vec_free(mem, &program->patches);
    vec_free(mem, &program->stores);
    vec_free(mem, &program->rules);
    vec_free(mem, &program->indices);
    vec_free(mem, &program->lists);
    mem_free(mem, program->stack);
}

static void mark_var(void *context, uint32_t var)
{
    ((bool *)context)[var] = true;
}

void program_watch(struct program *program, expr e, unsigned bit)
{
    struct model *model = program->model;
    bool *read = mem_alloc(model->mem, model->vars.len + 1);
    expr_each_var(&model->exprs, e, mark_var, read);
    for (uint32_t i = 0; i < program->rules.len; i++) {
        const struct model_rule *rule = &model->rules.data[program->rules.data[i].rule];
        for (uint32_t w = 0; w < rule->writes; w++)
            if (read[model->accesses.data[rule->first_write + w]]) program->rules.data[i].touches |= UINT64_C(1) << bit;
    }
    mem_free(model->mem, read);
}

/* ---- expanding a state ---- */

void program_start(const struct program *program, struct program_cursor *cursor)
{
    (void)program;
    *cursor = (struct program_cursor){0};
}

static enum step try_rule(const struct program *program, const struct fast_rule *fast, const uint64_t *words, uint64_t *next)
{
    int64_t value;
    for (uint32_t i = 0; i < fast->tests; i++) {
        const struct word_test *test = &program->tests.data[fast->first_test + i];
        if ((words[test->word] & test->mask) != test->value) return STEP_NONE;
    }
    if (fast->guard != PROGRAM_NONE) {
        if (!program_run(program, fast->guard, words, &value)) return STEP_FAILED;
        if (!value) return STEP_NONE;
    }
    uint32_t count = program->layout->words;
    for (uint32_t i = 0; i < count; i++) next[i] = words[i];
    for (uint32_t i = 0; i < fast->patches; i++) {
        const struct word_test *patch = &program->patches.data[fast->first_patch + i];
        next[patch->word] = (next[patch->word] & ~patch->mask) | patch->value;
    }
    for (uint32_t i = 0; i < fast->stores; i++) {
        const struct code_store *store = &program->stores.data[fast->first_store + i];
        if (!program_run(program, store->code, words, &value)) return STEP_FAILED;
        assert(in_range(program->model, store->var, value));
        field_set(&program->layout->fields[store->var], next, value);
    }
    return STEP_TAKEN;
}

enum step program_next(const struct program *program, struct program_cursor *cursor, const uint64_t *words, uint64_t *next,
                       const struct fast_rule **fast)
{
    for (;;) {
        while (cursor->at < cursor->end) {
            *fast = &program->rules.data[cursor->at++];
            enum step step = try_rule(program, *fast, words, next);
            if (step != STEP_NONE) return step;
        }
        if (cursor->index >= program->indices.len) return STEP_NONE;
        const struct rule_index *index = &program->indices.data[cursor->index++];
        uint64_t value = index->has_field ? words[index->field.word] >> index->field.shift & index->field.mask : 0;
        cursor->at = program->lists.data[index->first_list + value];
        cursor->end = program->lists.data[index->first_list + value + 1];
    }
}
