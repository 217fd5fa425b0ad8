#include "program/program.h"

#include "program/dispatch.h"
#include "program/machine.h"

#include <assert.h>
#include <string.h>

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

/* Code for the conjuncts that are not word tests, one after the other: each leaves at the end as soon as it is false. While the
 * end is not known, the jumps are a list through their targets. */
struct guard_code {
    uint32_t start, last_jump;
};

static void add_to_guard(struct program *program, struct guard_code *guard, expr cond)
{
    if (guard->start == PROGRAM_NONE) guard->start = program->code.len;
    else guard->last_jump = machine_emit(program, (struct instruction){.op = OP_JUMP_IF_FALSE, .word = guard->last_jump});
    machine_compile(program, cond, 1);
}

static void end_guard(struct program *program, struct guard_code *guard)
{
    if (guard->start == PROGRAM_NONE) return;
    uint32_t end = machine_end(program);
    while (guard->last_jump != PROGRAM_NONE) {
        uint32_t before = program->code.data[guard->last_jump].word;
        program->code.data[guard->last_jump].word = end;
        guard->last_jump = before;
    }
}

/* table[variable ...] > 0: what events of contexts begin with. */
static bool is_gate(const struct program *program, const struct expr_node *node, struct fast_rule *fast)
{
    const struct model *model = program->model;
    const struct expr_node *a = expr_get(&model->exprs, node->a), *b = expr_get(&model->exprs, node->b);
    if (node->op != EXPR_GT || a->op != EXPR_TABLE || b->op != EXPR_CONST || b->value) return false;
    struct table_row at = model_matrix_row(&model->exprs, a->a);
    const struct expr_node *row = expr_get(&model->exprs, at.row);
    if (row->op != EXPR_VAR || model->vars.data[row->value].low) return false;
    fast->gate = model->tables.data[a->value].values + at.offset;
    fast->gate_field = program->layout->fields[row->value];
    fast->gate_factor = at.factor;
    return true;
}

static void compile_guard(struct program *program, const struct model_rule *rule, struct fast_rule *fast, struct word_map *map,
                          struct dispatch *dispatch)
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
        if (!may_fail && machine_is_comparison(program, node, &var, &number, &op) && op == EXPR_EQ) {
            add_masked(program, map, true, fast->first_test, &program->layout->fields[var], number);
            dispatch_note(dispatch, var, number);
            continue;
        }
        if (!may_fail && !fast->gate && is_gate(program, node, fast)) continue;
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

/* Who holds back whom: for every class the rules of all classes above it. */
static void build_priorities(struct program *program)
{
    struct model *model = program->model;
    program->above = mem_alloc(model->mem, (model->class_count + UINT64_C(1)) * sizeof *program->above);
    for (uint32_t c = 0; c < model->class_count; c++) {
        program->above[c] = program->holders.len;
        for (uint32_t i = 0; i < program->rules.len; i++) {
            const struct model_rule *rule = &model->rules.data[program->rules.data[i].rule];
            bool holds = false;
            for (uint32_t k = 0; k < rule->classes; k++)
                for (uint32_t p = 0; p < model->priorities.len; p++)
                    holds |= model->priorities.data[p].low == c && model->priorities.data[p].high == model->rule_classes.data[rule->first_class + k];
            if (holds) vec_push(model->mem, &program->holders, i);
        }
    }
    program->above[model->class_count] = program->holders.len;
    for (uint32_t i = 0; i < program->rules.len; i++) {
        const struct model_rule *rule = &model->rules.data[program->rules.data[i].rule];
        for (uint32_t k = 0; k < rule->classes; k++) {
            uint32_t c = model->rule_classes.data[rule->first_class + k];
            program->rules.data[i].may_wait |= program->above[c + 1] > program->above[c];
        }
    }
}

void program_init(struct program *program, struct model *model, const struct layout *layout)
{
    memset(program, 0, sizeof *program);
    program->model = model;
    program->layout = layout;
    struct word_map map = {mem_alloc(model->mem, layout->words * sizeof *map.stamp), mem_alloc(model->mem, layout->words * sizeof *map.entry), 0};
    struct dispatch dispatch;
    dispatch_init(&dispatch, program);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        struct fast_rule *fast = dispatch_begin(&dispatch, r);
        compile_guard(program, &model->rules.data[r], fast, &map, &dispatch);
        compile_stores(program, &model->rules.data[r], fast, &map);
        fast->body = machine_compile_body(program, model->rules.data[r].body);
    }
    dispatch_build(&dispatch);
    machine_finish(program);
    if (model->priorities.len) build_priorities(program);
    dispatch_refine(&dispatch);
    dispatch_release(&dispatch);
    program->other = mem_alloc(model->mem, layout->words * sizeof *program->other);
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
    vec_free(mem, &program->nodes);
    vec_free(mem, &program->lists);
    vec_free(mem, &program->holders);
    mem_free(mem, program->above);
    mem_free(mem, program->other);
    machine_release(program);
}

bool program_fork(const struct program *program, struct program *fork)
{
    struct mem *mem = program->model->mem;
    *fork = *program;
    fork->other = mem_try_alloc(mem, program->layout->words * sizeof *fork->other);
    fork->stack = mem_try_alloc(mem, (program->stack_room + UINT64_C(2)) * sizeof *fork->stack);
    fork->locals = mem_try_alloc(mem, (program->local_count + UINT64_C(1)) * sizeof *fork->locals);
    if (fork->other && fork->stack && fork->locals) return true;
    program_release_fork(fork);
    return false;
}

void program_release_fork(struct program *fork)
{
    if (!fork->model) return;
    mem_free(fork->model->mem, fork->other);
    mem_free(fork->model->mem, fork->stack);
    mem_free(fork->model->mem, fork->locals);
    memset(fork, 0, sizeof *fork);
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
    if (fast->gate && fast->gate[(words[fast->gate_field.word] >> fast->gate_field.shift & fast->gate_field.mask) * fast->gate_factor] <= 0) return STEP_NONE;
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
        assert(value >= program->model->vars.data[store->var].low && value <= program->model->vars.data[store->var].high);
        field_set(&program->layout->fields[store->var], next, value);
    }
    return fast->body == PROGRAM_NONE ? STEP_TAKEN : machine_run_body(program, fast->body, next);
}

/* Whether a rule of a class above is enabled. */
static bool is_held_back(const struct program *program, const struct fast_rule *fast, const uint64_t *words)
{
    const struct model_rule *rule = &program->model->rules.data[fast->rule];
    for (uint32_t k = 0; k < rule->classes; k++) {
        uint32_t c = program->model->rule_classes.data[rule->first_class + k];
        for (uint32_t i = program->above[c]; i < program->above[c + 1]; i++)
            if (try_rule(program, &program->rules.data[program->holders.data[i]], words, program->other) == STEP_TAKEN) return true;
    }
    return false;
}

enum step program_next(const struct program *program, struct program_cursor *cursor, const uint64_t *words, uint64_t *next,
                       const struct fast_rule **fast)
{
    for (;;) {
        while (cursor->at < cursor->end) {
            *fast = &program->rules.data[cursor->at++];
            enum step step = try_rule(program, *fast, words, next);
            if (step == STEP_NONE || ((*fast)->may_wait && !cursor->alone && is_held_back(program, *fast, words))) continue;
            return step;
        }
        if (cursor->index >= program->indices.len) return STEP_NONE;
        const struct rule_index *index = &program->indices.data[cursor->index++];
        uint64_t value = index->has_field ? words[index->field.word] >> index->field.shift & index->field.mask : 0;
        const struct rule_list *list = &program->lists.data[index->first_list + value];
        while (list->end == PROGRAM_NONE) {
            index = &program->nodes.data[list->first];
            list = &program->lists.data[index->first_list + (words[index->field.word] >> index->field.shift & index->field.mask)];
        }
        cursor->at = list->first;
        cursor->end = list->end;
    }
}
