#include "program/program.h"

#include "base/checked.h"
#include "program/dispatch.h"
#include "program/machine.h"

#include <assert.h>
#include <string.h>

/* ---- rules ---- */

/* Which entry of the current rule a word has in a list: cleared by raising the stamp. */
struct word_map {
    uint32_t *stamp, *entry, now;
};

static void add_masked(struct program *program, struct word_map *map, bool is_test, uint32_t first,
                       const struct field *field, int64_t number)
{
    assert((uint64_t)number - (uint64_t)field->low <= field->mask); /* it touches no other field */
    struct word_test piece = {field->word, field->mask << field->shift,
                              (uint64_t)(number - field->low) << field->shift};
    struct word_test *list = is_test ? program->tests.data : program->patches.data;
    if (map->stamp[field->word] == map->now) {
        struct word_test *old = &list[first + map->entry[field->word]];
        if (!(old->mask
              & piece.mask)) { /* the same variable twice stays apart, and can contradict itself */
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

/* table[variable ...] > 0: what events of contexts begin with. */
static bool is_gate(const struct program *program, const struct expr_node *node,
                    struct fast_rule *fast)
{
    const struct model *model = program->model;
    const struct expr_node *a = expr_get(&model->exprs, node->a),
                           *b = expr_get(&model->exprs, node->b);
    if (node->op != EXPR_GT || a->op != EXPR_TABLE || b->op != EXPR_CONST || b->value) return false;
    struct table_row at = model_matrix_row(&model->exprs, a->a);
    const struct expr_node *row = expr_get(&model->exprs, at.row);
    if (row->op != EXPR_VAR || model->vars.data[row->value].low) return false;
    const struct field *field = &program->layout->fields[row->value];
    if (field->mask > UINT32_MAX) return false;
    fast->gate = model->tables.data[a->value].values + at.offset;
    fast->gate_word = field->word;
    fast->gate_shift = field->shift;
    fast->gate_mask = (uint32_t)field->mask;
    fast->gate_factor = at.factor;
    return true;
}

/* What is compiled: a rule, and where its code begins if it has any yet. */
struct rule_compiler {
    struct program *program;
    struct dispatch *dispatch;
    struct word_map *map;
    struct fast_rule *fast;
    bool may_fail; /* a condition before this one may */
};

static void begin_code(struct rule_compiler *compiler)
{
    if (compiler->fast->code == PROGRAM_NONE) compiler->fast->code = compiler->program->code.len;
}

/* A conjunct: what it consists of is looked at from left to right, and no further than to the first
 * part that is false. */
static void compile_condition(struct rule_compiler *compiler, expr cond)
{
    struct program *program = compiler->program;
    const struct expr_node *node = expr_get(&program->model->exprs, cond);
    uint32_t var;
    int64_t number;
    uint8_t op;
    if (node->op == EXPR_AND) {
        expr left = node->a, right = node->b;
        compile_condition(compiler, left);
        compile_condition(compiler, right);
        return;
    }
    if (!compiler->may_fail && machine_is_comparison(program, node, &var, &number, &op)
        && op == EXPR_EQ) {
        add_masked(program, compiler->map, true, compiler->fast->first_test,
                   &program->layout->fields[var], number);
        dispatch_note(compiler->dispatch, var, number);
        return;
    }
    if (!compiler->may_fail && !compiler->fast->gate && is_gate(program, node, compiler->fast))
        return;
    compiler->may_fail |= node->may_fail;
    begin_code(compiler);
    machine_add_condition(program, cond);
}

static void compile_guard(struct rule_compiler *compiler, const struct model_rule *rule)
{
    struct program *program = compiler->program;
    compiler->map->now++;
    compiler->fast->first_test = program->tests.len;
    for (uint32_t i = 0; i < rule->conjuncts; i++)
        compile_condition(compiler, program->model->conjuncts.data[rule->first_conjunct + i].cond);
    compiler->fast->tests = program->tests.len - compiler->fast->first_test;
}

static bool is_constant_store(const struct model *model, const struct rule_store *store)
{
    return expr_get(&model->exprs, store->value)->op == EXPR_CONST;
}

static void compile_effect(struct rule_compiler *compiler, const struct model_rule *rule)
{
    struct program *program = compiler->program;
    struct model *model = program->model;
    struct fast_rule *fast = compiler->fast;
    uint32_t others = 0;
    compiler->map->now++;
    fast->first_patch = program->patches.len;
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        if (!is_constant_store(model, store)) others++;
        else
            add_masked(program, compiler->map, false, fast->first_patch,
                       &program->layout->fields[store->var],
                       expr_get(&model->exprs, store->value)->value);
    }
    fast->patches = program->patches.len - fast->first_patch;
    if (fast->code == PROGRAM_NONE && !others && code_is_none(rule->body)) return;
    begin_code(compiler);
    machine_add_patches(program, fast->first_patch, fast->patches);
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        if (!is_constant_store(model, store)) machine_add_store(program, store->var, store->value);
    }
    if (!code_is_none(rule->body)) machine_add_body(program, rule->body);
    machine_end(program);
}

/* Who holds back whom: for every class the rules of all classes above it. */
static void build_priorities(struct program *program)
{
    struct model *model = program->model;
    program->above =
        mem_alloc(model->mem, (model->class_count + UINT64_C(1)) * sizeof *program->above);
    for (uint32_t c = 0; c < model->class_count; c++) {
        program->above[c] = program->holders.len;
        for (uint32_t i = 0; i < program->rules.len; i++) {
            const struct model_rule *rule = &model->rules.data[program->rules.data[i].rule];
            bool holds = false;
            for (uint32_t k = 0; k < rule->classes; k++)
                for (uint32_t p = 0; p < model->priorities.len; p++)
                    holds |= model->priorities.data[p].low == c
                             && model->priorities.data[p].high
                                    == model->rule_classes.data[rule->first_class + k];
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

static void compile_permissions(struct program *program)
{
    struct model *model = program->model;
    if (!model_asks(model)) return;
    program->permits = mem_alloc(model->mem, model->rules.len * sizeof *program->permits);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        program->permits[r] = rule->asks ? program_compile(program, rule->permit) : PROGRAM_NONE;
    }
    for (uint32_t i = 0; i < program->rules.len; i++) {
        struct fast_rule *fast = &program->rules.data[i];
        fast->may_wait |= program->permits[fast->rule] != PROGRAM_NONE;
    }
}

void program_init(struct program *program, struct model *model, const struct layout *layout)
{
    memset(program, 0, sizeof *program);
    program->model = model;
    program->layout = layout;
    struct word_map map = {mem_alloc(model->mem, layout->words * sizeof *map.stamp),
                           mem_alloc(model->mem, layout->words * sizeof *map.entry), 0};
    struct dispatch dispatch;
    dispatch_init(&dispatch, program);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        struct rule_compiler compiler = {program, &dispatch, &map, dispatch_begin(&dispatch, r),
                                         false};
        compiler.fast->code = PROGRAM_NONE;
        compile_guard(&compiler, &model->rules.data[r]);
        compile_effect(&compiler, &model->rules.data[r]);
    }
    dispatch_build(&dispatch);
    machine_finish(program);
    if (model->priorities.len) build_priorities(program);
    compile_permissions(program);
    dispatch_refine(&dispatch);
    dispatch_release(&dispatch);
    program->other = mem_alloc(model->mem, layout->words * sizeof *program->other);
    mem_free(model->mem, map.stamp);
    mem_free(model->mem, map.entry);
    CHECKED(program_check(program));
}

/* Whether the lists of an index or a node, one per value, are as they should be. */
static bool check_lists(const struct program *program, const struct rule_index *index,
                        uint32_t first_node)
{
    const uint64_t values = index->has_field ? index->field.mask + 1 : 1;
    if (values > program->lists.len || index->first_list > program->lists.len - values)
        return false;
    for (uint64_t v = 0; v < values; v++) {
        const struct rule_list *list = &program->lists.data[index->first_list + v];
        if (list->end == PROGRAM_NONE) {
            if (list->first < first_node || list->first >= program->nodes.len) return false;
            continue;
        }
        if (list->first > list->end || list->end > program->rules.len) return false;
        for (uint32_t i = list->first + 1; i < list->end; i++)
            if (program->rules.data[i].rule <= program->rules.data[i - 1].rule) return false;
    }
    return true;
}

static bool check_rule(const struct program *program, const struct fast_rule *fast)
{
    return fast->rule < program->model->rules.len
           && fast->first_test + (uint64_t)fast->tests <= program->tests.len
           && fast->first_patch + (uint64_t)fast->patches <= program->patches.len
           && (fast->code == PROGRAM_NONE || fast->code < program->code.len);
}

bool program_check(const struct program *program)
{
    for (uint32_t i = 0; i < program->indices.len; i++)
        if (!check_lists(program, &program->indices.data[i], 0)) return false; /* (1) */
    for (uint32_t i = 0; i < program->nodes.len; i++)
        if (!check_lists(program, &program->nodes.data[i], i + 1)) return false; /* (1) */
    for (uint32_t i = 0; i < program->rules.len; i++)
        if (!check_rule(program, &program->rules.data[i])) return false; /* (2) */
    return machine_check(program);                                       /* (2), (3) */
}

void program_release(struct program *program)
{
    struct mem *mem = program->model->mem;
    vec_free(mem, &program->code);
    vec_free(mem, &program->tests);
    vec_free(mem, &program->patches);
    vec_free(mem, &program->rules);
    vec_free(mem, &program->indices);
    vec_free(mem, &program->nodes);
    vec_free(mem, &program->lists);
    vec_free(mem, &program->holders);
    vec_free(mem, &program->expressions);
    mem_free(mem, program->above);
    mem_free(mem, program->permits);
    mem_free(mem, program->other);
    machine_release(program);
}

bool program_fork(const struct program *program, struct program *fork)
{
    struct mem *mem = program->model->mem;
    assert(!program->calls && !program->known_locals); /* nothing is being compiled */
    *fork = *program;
    fork->other = mem_try_alloc(mem, program->layout->words * sizeof *fork->other + MEM_APART);
    fork->stack =
        mem_try_alloc(mem, (program->stack_room + UINT64_C(2)) * sizeof *fork->stack + MEM_APART);
    fork->locals =
        mem_try_alloc(mem, (program->local_count + UINT64_C(1)) * sizeof *fork->locals + MEM_APART);
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

static void mark_var(void *context, uint32_t var) { ((bool *)context)[var] = true; }

void program_watch(struct program *program, expr e, unsigned bit)
{
    struct model *model = program->model;
    assert(bit < 64);
    bool *read = mem_alloc(model->mem, model->vars.len + 1);
    expr_each_var(&model->exprs, e, mark_var, read);
    for (uint32_t i = 0; i < program->rules.len; i++) {
        const struct model_rule *rule = &model->rules.data[program->rules.data[i].rule];
        for (uint32_t w = 0; w < rule->writes; w++)
            if (read[model->accesses.data[rule->first_write + w]])
                program->rules.data[i].touches |= UINT64_C(1) << bit;
    }
    mem_free(model->mem, read);
}

/* ---- expanding a state ---- */

void program_start(const struct program *program, struct program_cursor *cursor)
{
    (void)program;
    *cursor = (struct program_cursor){0};
}

bool program_permits(const struct program *program, const struct fast_rule *fast,
                     const uint64_t *words)
{
    int64_t value;
    uint32_t code = program->permits ? program->permits[fast->rule] : PROGRAM_NONE;
    return code == PROGRAM_NONE || (program_run(program, code, words, &value) && value);
}

bool program_holds_back(const struct program *program, const struct fast_rule *fast,
                        const uint64_t *words)
{
    const struct model_rule *rule = &program->model->rules.data[fast->rule];
    assert(fast->may_wait);
    if (!program_permits(program, fast, words)) return true;
    for (uint32_t k = 0; program->above && k < rule->classes; k++) {
        uint32_t c = program->model->rule_classes.data[rule->first_class + k];
        for (uint32_t i = program->above[c]; i < program->above[c + 1]; i++) {
            const struct fast_rule *holder = &program->rules.data[program->holders.data[i]];
            if (program_passes(program, holder->first_test, holder->tests, words)
                && program_may_enable(program, holder, words)
                && program_take(program, holder, words, program->other) == STEP_TAKEN)
                return true;
        }
    }
    return false;
}
