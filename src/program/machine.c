#include "program/machine.h"

#include "base/checked.h"
#include "model/locals.h"

#include <assert.h>
#include <string.h>

/* ---- compiling expressions ---- */

uint32_t machine_emit(struct program *program, struct instruction instruction)
{
    assert(instruction.op <= OP_END);
    vec_push(program->model->mem, &program->code, instruction);
    return program->code.len - 1;
}

static struct instruction with_field(const struct program *program, uint8_t op, uint32_t var)
{
    assert(var < program->model->vars.len);
    const struct field *field = &program->layout->fields[var];
    return (struct instruction){.op = op,
                                .shift = field->shift,
                                .word = field->word,
                                .mask = field->mask,
                                .number = field->low};
}

static bool in_range(const struct model *model, uint32_t var, int64_t number)
{
    return number >= model->vars.data[var].low && number <= model->vars.data[var].high;
}

bool machine_is_comparison(const struct program *program, const struct expr_node *node,
                           uint32_t *var, int64_t *number, uint8_t *op)
{
    static const uint8_t mirrored[EXPR_OPS] = {
        [EXPR_EQ] = EXPR_EQ, [EXPR_NE] = EXPR_NE, [EXPR_LT] = EXPR_GT,
        [EXPR_LE] = EXPR_GE, [EXPR_GT] = EXPR_LT, [EXPR_GE] = EXPR_LE};
    if (!mirrored[node->op]) return false;
    const struct exprs *exprs = &program->model->exprs;
    const struct expr_node *a = expr_get(exprs, node->a), *b = expr_get(exprs, node->b);
    bool straight = a->op == EXPR_VAR && b->op == EXPR_CONST,
         reverse = a->op == EXPR_CONST && b->op == EXPR_VAR;
    if (!straight && !reverse) return false;
    *var = (uint32_t)(straight ? a : b)->value;
    *number = (straight ? b : a)->value;
    *op = straight ? node->op : mirrored[node->op];
    return in_range(program->model, *var, *number);
}

static int64_t constant_of(const struct program *program, expr e)
{
    return expr_get(&program->model->exprs, e)->value;
}

static bool is_constant(const struct program *program, expr e, int64_t value)
{
    const struct expr_node *node = expr_get(&program->model->exprs, e);
    return node->op == EXPR_CONST && node->value == value;
}

static void compile_choice(struct program *program, const struct expr_node *node, uint32_t height)
{
    machine_compile(program, node->a, height);
    /* a Boolean as a number is that Boolean */
    if (!node->is_bool && is_constant(program, node->b, 1) && is_constant(program, node->c, 0))
        return;
    uint32_t branch = machine_emit(program, (struct instruction){.op = OP_BRANCH});
    machine_compile(program, node->b, height);
    uint32_t jump = machine_emit(program, (struct instruction){.op = OP_JUMP});
    program->code.data[branch].word = program->code.len;
    machine_compile(program, node->c, height);
    program->code.data[jump].word = program->code.len;
}

/* A comparison of two variables in one step. */
static bool compile_fields(struct program *program, const struct expr_node *node)
{
    if (node->op < EXPR_EQ || node->op > EXPR_GE) return false;
    const struct expr_node *a = expr_get(&program->model->exprs, node->a),
                           *b = expr_get(&program->model->exprs, node->b);
    if (a->op != EXPR_VAR || b->op != EXPR_VAR) return false;
    uint32_t left = (uint32_t)a->value, right = (uint32_t)b->value;
    machine_emit(program,
                 with_field(program, (uint8_t)(OP_FIELDS_EQ + (node->op - EXPR_EQ)), left));
    machine_emit(program, with_field(program, OP_PUSH_FIELD, right));
    return true;
}

static void compile_operator(struct program *program, const struct expr_node *node, uint32_t height)
{
    static const uint8_t plain[EXPR_OPS] = {
        [EXPR_ADD] = OP_ADD, [EXPR_SUB] = OP_SUB, [EXPR_MUL] = OP_MUL};
    const struct exprs *exprs = &program->model->exprs;
    machine_compile(program, node->a, height);
    if (expr_table[node->op].arity == 2) machine_compile(program, node->b, height + 1);
    bool operands_fail = expr_get(exprs, node->a)->may_fail || expr_get(exprs, node->b)->may_fail;
    bool bounded =
        node->low != INT64_MIN
        || node->high != INT64_MAX; /* otherwise the bounds say nothing about an overflow */
    if (plain[node->op] && !node->bits && bounded && (!node->may_fail || operands_fail))
        machine_emit(program, (struct instruction){.op = plain[node->op]});
    else machine_emit(program, (struct instruction){.op = node->op, .bits = node->bits});
}

void machine_compile(struct program *program, expr e, uint32_t height)
{
    const struct expr_node node = *expr_get(&program->model->exprs, e);
    uint32_t var;
    int64_t number;
    uint8_t op;
    assert(height); /* the value is on the stack */
    if (height >= program->stack_size) program->stack_size = height + 1;
    if (node.op == EXPR_CONST) {
        machine_emit(program, (struct instruction){.op = OP_PUSH_NUMBER, .number = node.value});
    } else if (node.op == EXPR_VAR) {
        machine_emit(program, with_field(program, OP_PUSH_FIELD, (uint32_t)node.value));
    } else if (node.op == EXPR_LOCAL) {
        machine_emit(program,
                     (struct instruction){.op = OP_PUSH_LOCAL, .word = (uint32_t)node.value});
    } else if (node.op == EXPR_AT || node.op == EXPR_LOCAL_AT) {
        machine_compile(program, node.a, height);
        machine_emit(program,
                     (struct instruction){.op = node.op == EXPR_AT ? OP_PUSH_AT : OP_PUSH_LOCAL_AT,
                                          .word = (uint32_t)node.value});
    } else if (node.op == EXPR_TABLE) {
        machine_compile(program, node.a, height);
        machine_emit(program, (struct instruction){.op = OP_TABLE, .word = (uint32_t)node.value});
    } else if (node.op == EXPR_FAIL) {
        machine_emit(program, (struct instruction){.op = OP_FAIL});
    } else if (node.op == EXPR_WITHIN) {
        int64_t low = constant_of(program, node.b), high = constant_of(program, node.c);
        machine_compile(program, node.a, height);
        machine_emit(program, (struct instruction){.op = OP_WITHIN,
                                                   .number = low,
                                                   .mask = (uint64_t)high - (uint64_t)low});
    } else if (node.op == EXPR_CHOOSE) {
        compile_choice(program, &node, height);
    } else if (machine_is_comparison(program, &node, &var, &number, &op)) {
        struct instruction fused =
            with_field(program, (uint8_t)(OP_FIELD_EQ + (op - EXPR_EQ)), var);
        fused.number = number - fused.number; /* the field holds value - low */
        machine_emit(program, fused);
    } else if (compile_fields(program, &node)) {
    } else if (node.op == EXPR_AND || node.op == EXPR_OR || node.op == EXPR_IMPLIES) {
        machine_compile(program, node.a, height);
        if (node.op == EXPR_IMPLIES) machine_emit(program, (struct instruction){.op = EXPR_NOT});
        uint32_t jump = machine_emit(
            program,
            (struct instruction){.op = node.op == EXPR_AND ? OP_JUMP_IF_FALSE : OP_JUMP_IF_TRUE});
        machine_compile(program, node.b, height);
        program->code.data[jump].word = program->code.len;
    } else {
        compile_operator(program, &node, height);
    }
}

uint32_t machine_end(struct program *program)
{
    if (program->stack_size > program->stack_room) {
        program->stack_room = 2 * program->stack_size;
        program->stack = mem_resize(program->model->mem, program->stack,
                                    (program->stack_room + 2) * sizeof *program->stack);
    }
    assert(program->stack_size <= program->stack_room);
    return machine_emit(program, (struct instruction){.op = OP_END});
}

void machine_add_condition(struct program *program, expr cond)
{
    const uint32_t start = program->code.len;
    machine_compile(program, cond, 1);
    struct instruction *last = &program->code.data[start];
    const uint32_t length = program->code.len - start;
    const bool is_comparison =
        (length == 1 && last->op >= OP_FIELD_EQ && last->op <= OP_FIELD_GE)
        || (length == 2 && last->op >= OP_FIELDS_EQ && last->op <= OP_FIELDS_GE);
    if (is_comparison) last->op = (uint8_t)(last->op - OP_FIELD_EQ + OP_NEED_FIELD_EQ);
    else machine_emit(program, (struct instruction){.op = OP_REQUIRE});
}

void machine_add_patches(struct program *program, uint32_t first, uint32_t count)
{
    machine_emit(program, (struct instruction){.op = OP_PATCH, .word = first, .number = count});
}

void machine_add_store(struct program *program, uint32_t var, expr value)
{
    machine_compile(program, value, 1);
    machine_emit(program, with_field(program, OP_STORE_FIELD, var));
}

uint32_t program_compile(struct program *program, expr e)
{
    uint32_t start = program->code.len;
    machine_compile(program, e, 1);
    machine_end(program);
    vec_push(program->model->mem, &program->expressions, start);
    return start;
}

/* ---- compiling code blocks ---- */

enum { NOT_COMPILED = 0xFFFFFFFF, CALLED_ONCE = 0xFFFFFFFE };

/* Who is called: once, then its code is put where the call is; or more often, then its code stands
 * alone. */
static void count_calls(struct program *program)
{
    struct model *model = program->model;
    program->calls =
        mem_alloc(model->mem, (model->code.len + UINT64_C(1)) * sizeof *program->calls);
    for (uint32_t i = 0; i < model->code.len; i++) {
        const struct code_node *node = &model->code.data[i];
        if (node->op != CODE_CALL || code_is_none(node->body)) continue;
        uint32_t *calls = &program->calls[node->body.i];
        *calls = *calls ? NOT_COMPILED : CALLED_ONCE;
    }
    program->local_count = model->locals.len;
    program->known_locals = locals_begin(model);
}

/* Leaving a block that stands where it is called: jumps whose target is not known yet are a list
 * through it. */
struct exits {
    bool returns; /* the block stands alone */
    uint32_t last;
};

static void compile_block(struct program *program, statement at, struct exits *exits);

static bool is_plain(const struct program *program, const struct cell *cell)
{
    return expr_get(&program->model->exprs, cell->offset)->op == EXPR_CONST;
}

static uint32_t plain_cell(const struct program *program, const struct cell *cell)
{
    return cell->base + (uint32_t)constant_of(program, cell->offset);
}

static void compile_set(struct program *program, const struct code_node *node)
{
    const struct cell *target = &node->target;
    machine_compile(program, node->value, 1);
    if (is_plain(program, target)) {
        uint32_t cell = plain_cell(program, target);
        if (target->local)
            machine_emit(program, (struct instruction){.op = OP_STORE_LOCAL, .word = cell});
        else machine_emit(program, with_field(program, OP_STORE_FIELD, cell));
        return;
    }
    machine_compile(program, target->offset, 2);
    machine_emit(program,
                 (struct instruction){.op = target->local ? OP_STORE_LOCAL_AT : OP_STORE_AT,
                                      .word = target->base});
}

/* `bits` of both instructions says whether the cells are locals. */
static void compile_copy(struct program *program, const struct code_node *node)
{
    machine_compile(program, node->source.offset, 1);
    machine_compile(program, node->target.offset, 2);
    machine_emit(program, (struct instruction){.op = OP_COPY,
                                               .bits = node->target.local,
                                               .word = node->target.base,
                                               .number = node->cells});
    machine_emit(
        program,
        (struct instruction){.op = OP_COPY, .bits = node->source.local, .word = node->source.base});
}

static void compile_if(struct program *program, const struct code_node *node, struct exits *exits)
{
    machine_compile(program, node->value, 1);
    uint32_t branch = machine_emit(program, (struct instruction){.op = OP_BRANCH}),
             jump = PROGRAM_NONE;
    compile_block(program, node->body, exits);
    if (!code_is_none(node->other))
        jump = machine_emit(program, (struct instruction){.op = OP_JUMP});
    program->code.data[branch].word = program->code.len;
    compile_block(program, node->other, exits);
    if (jump != PROGRAM_NONE) program->code.data[jump].word = program->code.len;
}

static void compile_while(struct program *program, const struct code_node *node,
                          struct exits *exits)
{
    uint32_t counter = program->local_count++;
    machine_emit(program, (struct instruction){.op = OP_ZERO, .word = counter});
    uint32_t start = program->code.len;
    machine_compile(program, node->value, 1);
    uint32_t branch = machine_emit(program, (struct instruction){.op = OP_BRANCH});
    machine_emit(program, (struct instruction){.op = OP_ROUND, .word = counter});
    compile_block(program, node->body, exits);
    machine_emit(program, (struct instruction){.op = OP_JUMP, .word = start});
    program->code.data[branch].word = program->code.len;
}

/* Goes through the list of jumps. */
static void land(struct program *program, uint32_t last, uint32_t target)
{
    while (last != PROGRAM_NONE) {
        uint32_t before = program->code.data[last].word;
        assert(program->code.data[last].op == OP_JUMP);
        assert(before == PROGRAM_NONE || before < last);
        program->code.data[last].word = target;
        last = before;
    }
}

static void compile_call(struct program *program, statement body)
{
    if (code_is_none(body)) return;
    assert(program->calls[body.i]); /* count_calls has seen the call */
    if (program->calls[body.i] == CALLED_ONCE) {
        struct exits exits = {false, PROGRAM_NONE};
        compile_block(program, body, &exits);
        land(program, exits.last, program->code.len);
        return;
    }
    if (program->calls[body.i] == NOT_COMPILED) {
        bool known = false;
        for (uint32_t i = 0; i < program->pending.len; i++)
            known |= program->pending.data[i] == body.i;
        if (!known) vec_push(program->model->mem, &program->pending, body.i);
    }
    machine_emit(program, (struct instruction){
                              .op = OP_CALL, .word = body.i}); /* machine_finish puts the address */
}

static void compile_block(struct program *program, statement at, struct exits *exits)
{
    for (; !code_is_none(at); at = program->model->code.data[at.i].next) {
        const struct code_node node = program->model->code.data[at.i];
        switch ((enum code_op)node.op) {
        case CODE_SET: compile_set(program, &node); break;
        case CODE_COPY: compile_copy(program, &node); break;
        case CODE_REQUIRE:
            machine_compile(program, node.value, 1);
            machine_emit(program, (struct instruction){.op = OP_REQUIRE});
            break;
        case CODE_IF: compile_if(program, &node, exits); break;
        case CODE_WHILE: compile_while(program, &node, exits); break;
        case CODE_CALL: compile_call(program, node.body); break;
        case CODE_LEAVE:
            if (exits->returns) machine_emit(program, (struct instruction){.op = OP_RETURN});
            else
                exits->last =
                    machine_emit(program, (struct instruction){.op = OP_JUMP, .word = exits->last});
            return; /* what follows is never reached */
        }
    }
}

/* Locals that may be read before they are written begin with the lowest value of their range. */
static void compile_locals(struct program *program, statement body)
{
    struct model *model = program->model;
    bool *unset = mem_alloc(model->mem, model->locals.len + UINT64_C(1));
    locals_unset(program->known_locals, body, unset);
    for (uint32_t l = 0; l < model->locals.len; l++) {
        if (!unset[l]) continue;
        machine_compile(program, expr_int(&model->exprs, model->locals.data[l].low), 1);
        machine_emit(program, (struct instruction){.op = OP_STORE_LOCAL, .word = l});
    }
    mem_free(model->mem, unset);
}

void machine_add_body(struct program *program, statement body)
{
    if (!program->calls) count_calls(program);
    struct exits exits = {false, PROGRAM_NONE};
    machine_emit(program, (struct instruction){.op = OP_ENTER});
    compile_locals(program, body);
    compile_block(program, body, &exits);
    land(program, exits.last, program->code.len);
}

void machine_finish(struct program *program)
{
    struct mem *mem = program->model->mem;
    if (!program->calls) return;
    for (uint32_t i = 0; i < program->pending.len; i++) { /* grows while it is worked off */
        uint32_t body = program->pending.data[i];
        struct exits exits = {true, PROGRAM_NONE};
        program->calls[body] = program->code.len;
        compile_block(program, (statement){body}, &exits);
        machine_emit(program, (struct instruction){.op = OP_RETURN});
    }
    for (uint32_t i = 0; i < program->code.len; i++) {
        struct instruction *call = &program->code.data[i];
        if (call->op != OP_CALL) continue;
        call->word = program->calls[call->word];
        assert(call->word < program->code.len); /* the body was compiled */
    }
    program->locals =
        mem_alloc(mem, (program->local_count + UINT64_C(1)) * sizeof *program->locals);
    machine_end(program); /* the stack may have grown */
    locals_end(program->known_locals);
    program->known_locals = NULL;
    mem_free(mem, program->calls);
    program->calls = NULL;
    vec_free(mem, &program->pending);
}

void machine_release(struct program *program)
{
    struct mem *mem = program->model->mem;
    mem_free(mem, program->stack);
    mem_free(mem, program->locals);
    if (program->known_locals) locals_end(program->known_locals);
    mem_free(mem, program->calls);
    vec_free(mem, &program->pending);
}

/* What an instruction names. The second one of a pair holds what the first one needs. */
static bool check_instruction(const struct program *program, const struct instruction *at)
{
    const uint32_t cells = at->bits ? program->local_count : program->model->vars.len;
    switch (at->op) {
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
    case OP_JUMP:
    case OP_BRANCH:
    case OP_CALL: return at->word < program->code.len;
    case OP_PUSH_LOCAL:
    case OP_STORE_LOCAL:
    case OP_ZERO:
    case OP_ROUND: return at->word < program->local_count;
    case OP_PUSH_LOCAL_AT:
    case OP_STORE_LOCAL_AT: return at->word <= program->local_count;
    case OP_PUSH_AT:
    case OP_STORE_AT: return at->word <= program->model->vars.len;
    case OP_COPY: return at->word + (uint64_t)at->number <= cells;
    case OP_TABLE: return at->word < program->model->tables.len;
    case OP_PATCH: return at->word + (uint64_t)at->number <= program->patches.len;
    case OP_PUSH_FIELD:
    case OP_STORE_FIELD: return at->word < program->layout->words;
    default: return at->op <= OP_END;
    }
}

bool machine_check(const struct program *program)
{
    for (uint32_t i = 0; i < program->code.len; i++)
        if (!check_instruction(program, &program->code.data[i])) return false;
    return program->stack_size <= program->stack_room
           && (!program->code.len || program->code.data[program->code.len - 1].op == OP_END);
}

/* ---- running ---- */

static int64_t cell_get(const struct program *program, bool local, uint32_t cell,
                        const uint64_t *words)
{
    return local ? program->locals[cell] : field_get(&program->layout->fields[cell], words);
}

static void cell_set(const struct program *program, bool local, uint32_t cell, uint64_t *words,
                     int64_t value)
{
    if (local) program->locals[cell] = value;
    else field_set(&program->layout->fields[cell], words, value);
}

/* As if through a buffer: the direction depends on which is first. */
static void copy_cells(const struct program *program, const struct instruction *target, uint32_t to,
                       uint32_t from, uint64_t *words)
{
    bool to_local = target[0].bits, from_local = target[1].bits;
    for (int64_t i = 0; i < target->number; i++) {
        uint32_t at = (uint32_t)(to <= from ? i : target->number - 1 - i);
        cell_set(program, to_local, to + at, words,
                 cell_get(program, from_local, from + at, words));
    }
}

/* The same by machine code; false: there is none for it. */
static inline bool run_native(const struct program *program, uint32_t start, const uint64_t *words,
                              uint64_t *next, int64_t *value, enum step *step)
{
    const struct program_native *native = program->native;
    if (start >= native->piece_room || !native->pieces[start]) return false;
    const struct runtime_context context = program_context(program);
    *step = (enum step)native->pieces[start](&context, words, next, value);
    return true;
}

/* Each operation jumps to the next one by itself (a GNU extension), so that the processor learns
 * which one follows which: a tenth of the time of a whole search. */
enum step machine_run(const struct program *program, uint32_t start, const uint64_t *words,
                      uint64_t *next, int64_t *value)
{
    const struct instruction *code = program->code.data, *at = &code[start];
    int64_t *top = program->stack, *locals = program->locals;
    uint32_t returns[MACHINE_MAX_CALLS];
    unsigned calls = 0;
    enum step step;
    if (program->native && run_native(program, start, words, next, value, &step)) return step;
    static const void *const jump[OP_END + 1] = {
        [OP_PUSH_FIELD] = &&do_OP_PUSH_FIELD,
        [OP_PUSH_NUMBER] = &&do_OP_PUSH_NUMBER,
        [OP_PUSH_LOCAL] = &&do_OP_PUSH_LOCAL,
        [OP_TABLE] = &&do_OP_TABLE,
        [OP_PUSH_AT] = &&do_OP_PUSH_AT,
        [OP_PUSH_LOCAL_AT] = &&do_OP_PUSH_LOCAL_AT,
        [OP_FIELD_EQ] = &&do_OP_FIELD_EQ,
        [OP_FIELD_NE] = &&do_OP_FIELD_NE,
        [OP_FIELD_LT] = &&do_OP_FIELD_LT,
        [OP_FIELD_LE] = &&do_OP_FIELD_LE,
        [OP_FIELD_GT] = &&do_OP_FIELD_GT,
        [OP_FIELD_GE] = &&do_OP_FIELD_GE,
        [OP_FIELDS_EQ] = &&do_OP_FIELDS_EQ,
        [OP_FIELDS_NE] = &&do_OP_FIELDS_NE,
        [OP_FIELDS_LT] = &&do_OP_FIELDS_LT,
        [OP_FIELDS_LE] = &&do_OP_FIELDS_LE,
        [OP_FIELDS_GT] = &&do_OP_FIELDS_GT,
        [OP_FIELDS_GE] = &&do_OP_FIELDS_GE,
        [OP_NEED_FIELD_EQ] = &&do_OP_NEED_FIELD_EQ,
        [OP_NEED_FIELD_NE] = &&do_OP_NEED_FIELD_NE,
        [OP_NEED_FIELD_LT] = &&do_OP_NEED_FIELD_LT,
        [OP_NEED_FIELD_LE] = &&do_OP_NEED_FIELD_LE,
        [OP_NEED_FIELD_GT] = &&do_OP_NEED_FIELD_GT,
        [OP_NEED_FIELD_GE] = &&do_OP_NEED_FIELD_GE,
        [OP_NEED_FIELDS_EQ] = &&do_OP_NEED_FIELDS_EQ,
        [OP_NEED_FIELDS_NE] = &&do_OP_NEED_FIELDS_NE,
        [OP_NEED_FIELDS_LT] = &&do_OP_NEED_FIELDS_LT,
        [OP_NEED_FIELDS_LE] = &&do_OP_NEED_FIELDS_LE,
        [OP_NEED_FIELDS_GT] = &&do_OP_NEED_FIELDS_GT,
        [OP_NEED_FIELDS_GE] = &&do_OP_NEED_FIELDS_GE,
        [EXPR_EQ] = &&do_EXPR_EQ,
        [EXPR_NE] = &&do_EXPR_NE,
        [EXPR_LT] = &&do_EXPR_LT,
        [EXPR_LE] = &&do_EXPR_LE,
        [EXPR_GT] = &&do_EXPR_GT,
        [EXPR_GE] = &&do_EXPR_GE,
        [OP_ADD] = &&do_OP_ADD,
        [OP_SUB] = &&do_OP_SUB,
        [OP_MUL] = &&do_OP_MUL,
        [OP_WITHIN] = &&do_OP_WITHIN,
        [OP_FAIL] = &&do_OP_FAIL,
        [OP_JUMP_IF_FALSE] = &&do_OP_JUMP_IF_FALSE,
        [OP_JUMP_IF_TRUE] = &&do_OP_JUMP_IF_TRUE,
        [OP_JUMP] = &&do_OP_JUMP,
        [OP_BRANCH] = &&do_OP_BRANCH,
        [OP_REQUIRE] = &&do_OP_REQUIRE,
        [OP_PATCH] = &&do_OP_PATCH,
        [OP_ENTER] = &&do_OP_ENTER,
        [OP_STORE_FIELD] = &&do_OP_STORE_FIELD,
        [OP_STORE_LOCAL] = &&do_OP_STORE_LOCAL,
        [OP_STORE_AT] = &&do_OP_STORE_AT,
        [OP_STORE_LOCAL_AT] = &&do_OP_STORE_LOCAL_AT,
        [OP_COPY] = &&do_OP_COPY,
        [OP_ZERO] = &&do_OP_ZERO,
        [OP_ROUND] = &&do_OP_ROUND,
        [OP_CALL] = &&do_OP_CALL,
        [OP_RETURN] = &&do_OP_RETURN,
        [OP_END] = &&do_OP_END,
        [EXPR_NOT] = &&do_EXPR_NOT,
        [EXPR_CUT] = &&do_EXPR_CUT,
        [EXPR_IFF] = &&apply,
        [EXPR_ADD] = &&apply,
        [EXPR_SUB] = &&apply,
        [EXPR_MUL] = &&apply,
        [EXPR_DIV] = &&apply,
        [EXPR_MOD] = &&apply,
    };
#define NEXT()                                                                                     \
    at++;                                                                                          \
    goto *jump[at->op]
#define FIELD(holder) ((int64_t)(words[(holder).word] >> (holder).shift & (holder).mask))
#define COMPARE_FIELD(relation)                                                                    \
    *++top = FIELD(*at) relation at->number;                                                       \
    NEXT()
#define COMPARE_FIELDS(relation)                                                                   \
    *++top = FIELD(at[0]) + at[0].number relation FIELD(at[1]) + at[1].number;                     \
    at++;                                                                                          \
    NEXT()
#define NEED_FIELD(relation)                                                                       \
    if (!(FIELD(*at) relation at->number)) return STEP_NONE;                                       \
    NEXT()
#define NEED_FIELDS(relation)                                                                      \
    if (!(FIELD(at[0]) + at[0].number relation FIELD(at[1]) + at[1].number)) return STEP_NONE;     \
    at++;                                                                                          \
    NEXT()
#define BINARY(operator)                                                                           \
    top--;                                                                                         \
    *top = top[0] operator top[1];                                                                 \
    NEXT()
    goto *jump[at->op];
do_OP_PUSH_FIELD:
    *++top = FIELD(*at) + at->number;
    NEXT();
do_OP_PUSH_NUMBER:
    *++top = at->number;
    NEXT();
do_OP_PUSH_LOCAL:
    *++top = locals[at->word];
    NEXT();
do_OP_TABLE:
    CHECKED((uint64_t)*top < program->model->tables.data[at->word].count);
    *top = program->model->tables.data[at->word].values[*top];
    NEXT();
do_OP_PUSH_AT:
    CHECKED(at->word + (uint64_t)*top < program->model->vars.len);
    *top = field_get(&program->layout->fields[at->word + (uint64_t)*top], words);
    NEXT();
do_OP_PUSH_LOCAL_AT:
    CHECKED(at->word + (uint64_t)*top < program->local_count);
    *top = locals[at->word + (uint64_t)*top];
    NEXT();
do_OP_FIELD_EQ:
    COMPARE_FIELD(==);
do_OP_FIELD_NE:
    COMPARE_FIELD(!=);
do_OP_FIELD_LT:
    COMPARE_FIELD(<);
do_OP_FIELD_LE:
    COMPARE_FIELD(<=);
do_OP_FIELD_GT:
    COMPARE_FIELD(>);
do_OP_FIELD_GE:
    COMPARE_FIELD(>=);
do_OP_FIELDS_EQ:
    COMPARE_FIELDS(==);
do_OP_FIELDS_NE:
    COMPARE_FIELDS(!=);
do_OP_FIELDS_LT:
    COMPARE_FIELDS(<);
do_OP_FIELDS_LE:
    COMPARE_FIELDS(<=);
do_OP_FIELDS_GT:
    COMPARE_FIELDS(>);
do_OP_FIELDS_GE:
    COMPARE_FIELDS(>=);
do_OP_NEED_FIELD_EQ:
    NEED_FIELD(==);
do_OP_NEED_FIELD_NE:
    NEED_FIELD(!=);
do_OP_NEED_FIELD_LT:
    NEED_FIELD(<);
do_OP_NEED_FIELD_LE:
    NEED_FIELD(<=);
do_OP_NEED_FIELD_GT:
    NEED_FIELD(>);
do_OP_NEED_FIELD_GE:
    NEED_FIELD(>=);
do_OP_NEED_FIELDS_EQ:
    NEED_FIELDS(==);
do_OP_NEED_FIELDS_NE:
    NEED_FIELDS(!=);
do_OP_NEED_FIELDS_LT:
    NEED_FIELDS(<);
do_OP_NEED_FIELDS_LE:
    NEED_FIELDS(<=);
do_OP_NEED_FIELDS_GT:
    NEED_FIELDS(>);
do_OP_NEED_FIELDS_GE:
    NEED_FIELDS(>=);
do_EXPR_EQ:
    BINARY(==);
do_EXPR_NE:
    BINARY(!=);
do_EXPR_LT:
    BINARY(<);
do_EXPR_LE:
    BINARY(<=);
do_EXPR_GT:
    BINARY(>);
do_EXPR_GE:
    BINARY(>=);
do_OP_ADD:
    BINARY(+);
do_OP_SUB:
    BINARY(-);
do_OP_MUL:
    BINARY(*);
do_OP_WITHIN:
    if ((uint64_t)*top - (uint64_t)at->number > at->mask) return STEP_FAILED;
    NEXT();
do_OP_FAIL:
    return STEP_FAILED;
do_OP_JUMP_IF_FALSE:
    if (*top) top--;
    else at = &code[at->word] - 1;
    NEXT();
do_OP_JUMP_IF_TRUE:
    if (!*top) top--;
    else at = &code[at->word] - 1;
    NEXT();
do_OP_JUMP:
    at = &code[at->word] - 1;
    NEXT();
do_OP_BRANCH:
    if (!*top--) at = &code[at->word] - 1;
    NEXT();
do_OP_REQUIRE:
    if (!*top--) return STEP_NONE;
    NEXT();
do_OP_PATCH:
    program_patch(program, at->word, (uint32_t)at->number, words, next);
    NEXT();
do_OP_ENTER:
    words = next;
    NEXT();
do_OP_STORE_FIELD:
    assert((uint64_t)(*top - at->number) <= at->mask);
    next[at->word] =
        (next[at->word] & ~(at->mask << at->shift)) | (uint64_t)(*top-- - at->number) << at->shift;
    NEXT();
do_OP_STORE_LOCAL:
    locals[at->word] = *top--;
    NEXT();
do_OP_STORE_AT:
    CHECKED(at->word + (uint64_t)top[0] < program->model->vars.len);
    field_set(&program->layout->fields[at->word + (uint64_t)top[0]], next, top[-1]);
    top -= 2;
    NEXT();
do_OP_STORE_LOCAL_AT:
    CHECKED(at->word + (uint64_t)top[0] < program->local_count);
    locals[at->word + (uint64_t)top[0]] = top[-1];
    top -= 2;
    NEXT();
do_OP_COPY:
    copy_cells(program, at, at->word + (uint32_t)top[0], at[1].word + (uint32_t)top[-1], next);
    top -= 2;
    at++;
    NEXT();
do_OP_ZERO:
    locals[at->word] = 0;
    NEXT();
do_OP_ROUND:
    if (++locals[at->word] > CODE_MAX_ROUNDS) return STEP_FAILED;
    NEXT();
do_OP_CALL:
    assert(calls < MACHINE_MAX_CALLS);
    returns[calls++] = (uint32_t)(at - code);
    at = &code[at->word] - 1;
    NEXT();
do_OP_RETURN:
    CHECKED(calls);
    at = &code[returns[--calls]];
    NEXT();
do_OP_END:
    CHECKED(top >= program->stack && top - program->stack <= program->stack_room);
    *value = *top;
    return STEP_TAKEN;
do_EXPR_NOT:
    *top = !*top;
    NEXT();
do_EXPR_CUT:
    *top &= (int64_t)expr_mask(at->bits);
    NEXT();
apply:
    top--;
    if (!expr_apply(at->op, at->bits, top[0], top[1], top)) return STEP_FAILED;
    NEXT();
#undef NEXT
#undef BINARY
#undef COMPARE_FIELD
#undef COMPARE_FIELDS
#undef NEED_FIELD
#undef NEED_FIELDS
#undef FIELD
}

bool program_run(const struct program *program, uint32_t code, const uint64_t *words,
                 int64_t *value)
{
    return machine_run(program, code, words, NULL, value) == STEP_TAKEN;
}
