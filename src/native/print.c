/* The code of a program is that of a stack machine (program/machine.h), made from structured
 * expressions and blocks. So the height of the stack at every instruction is known, and a place of
 * the stack is a variable of C: s1, s2, ... Jumps become goto, calls become calls. Nothing is
 * printed but numbers: no name of a model, nor anything else that a user wrote.
 *
 * Of a rule the guard is a function of its own, which is put wherever the rule is tried; what
 * follows, from the patches on, is another. A rule that has only tests and patches has neither.
 *
 * Locals are variables of C where a piece calls nobody and indexes none of them; otherwise they are
 * in the array of the thread, as for the machine.
 *
 * Invariants: (1) every instruction is reached with one height only, which is at least what it
 * takes; (2) no jump leads from the guard of a rule behind its patches or back. */
#include "native/print.h"

#include "base/checked.h"
#include "program/machine.h"
#include "program/runtime.h"

#define XXH_INLINE_ALL
#include <inttypes.h>
#include <xxhash.h>

enum {
    MOST_TEXT = 16 << 20,    /* bytes */
    MOST_INLINE = 60,        /* instructions of a guard that is put wherever the rule is tried */
    MOST_UNROLLED_WORDS = 64 /* of a state, that are copied one by one */
};

/* What is known of an instruction of the piece at hand. */
struct spot {
    uint32_t piece;  /* that it was reached in */
    uint32_t height; /* of the stack before it */
    bool is_target;  /* of a jump */
};

struct printer {
    const struct program *program;
    struct mem *mem;
    struct text *text;
    struct native_plan *plan;
    struct spot *spots;         /* per instruction */
    VEC(uint32_t) waiting;      /* instructions of the piece, to be looked at */
    VEC(uint32_t) callees;      /* where functions begin that are called */
    bool *is_callee, *is_piece; /* per instruction */
    uint32_t piece, first, end; /* the piece at hand: its number, its instructions */
    uint32_t highest;           /* stack */
    uint32_t patch;             /* the instruction that makes the new state; PROGRAM_NONE: none */
    bool calls, keeps_locals;   /* locals are in the array of the thread */
    uint32_t table;             /* that a gate was found in last */
};

static const struct instruction *instruction_at(const struct printer *printer, uint32_t at)
{
    assert(at < printer->program->code.len);
    return &printer->program->code.data[at];
}

/* ---- how an instruction changes the stack, and where it leads ---- */

static bool is_pair(uint8_t op)
{
    return (op >= OP_FIELDS_EQ && op <= OP_FIELDS_GE)
           || (op >= OP_NEED_FIELDS_EQ && op <= OP_NEED_FIELDS_GE) || op == OP_COPY;
}

static bool ends(uint8_t op) { return op == OP_END || op == OP_RETURN || op == OP_FAIL; }

static int growth(uint8_t op)
{
    switch (op) {
    case OP_PUSH_FIELD:
    case OP_PUSH_NUMBER:
    case OP_PUSH_LOCAL: return 1;
    case OP_JUMP_IF_FALSE: /* where they do not jump */
    case OP_JUMP_IF_TRUE:
    case OP_BRANCH:
    case OP_REQUIRE:
    case OP_STORE_FIELD:
    case OP_STORE_LOCAL:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL: return -1;
    case OP_STORE_AT:
    case OP_STORE_LOCAL_AT:
    case OP_COPY: return -2;
    case EXPR_NOT:
    case EXPR_CUT: return 0;
    default: break;
    }
    if (op >= OP_FIELD_EQ && op <= OP_FIELDS_GE) return 1;
    return op < EXPR_OPS ? -1 : 0;
}

static void reach(struct printer *printer, uint32_t at, uint32_t height, bool by_jump)
{
    struct spot *spot = &printer->spots[at];
    assert(at < printer->program->code.len);
    if (spot->piece == printer->piece) {
        assert(spot->height == height); /* (1) */
    } else {
        *spot = (struct spot){printer->piece, height, false};
        vec_push(printer->mem, &printer->waiting, at);
    }
    spot->is_target |= by_jump;
    if (at < printer->first) printer->first = at;
    if (at >= printer->end) printer->end = at + 1;
    if (height > printer->highest) printer->highest = height;
}

static void note(struct printer *printer, const struct instruction *code, uint32_t at)
{
    if (code->op == OP_PATCH) printer->patch = at;
    if (code->op == OP_PUSH_LOCAL_AT || code->op == OP_STORE_LOCAL_AT
        || (code->op == OP_COPY && (code[0].bits || code[1].bits)))
        printer->keeps_locals = true;
    if (code->op != OP_CALL) return;
    printer->calls = printer->keeps_locals = true;
    if (printer->is_callee[code->word]) return;
    printer->is_callee[code->word] = true;
    vec_push(printer->mem, &printer->callees, code->word);
}

/* Finds all instructions of the piece that begins there. */
static void walk(struct printer *printer, uint32_t start, bool is_callee)
{
    printer->piece++;
    printer->first = printer->end = start;
    printer->highest = 0;
    printer->patch = PROGRAM_NONE;
    printer->calls = false;
    printer->keeps_locals = is_callee;
    reach(printer, start, 0, false);
    while (printer->waiting.len) {
        const uint32_t at = printer->waiting.data[--printer->waiting.len];
        const struct instruction *code = instruction_at(printer, at);
        const uint32_t height = printer->spots[at].height,
                       next = at + 1 + (is_pair(code->op) ? 1 : 0);
        note(printer, code, at);
        if (ends(code->op)) continue;
        if (code->op == OP_JUMP) {
            reach(printer, code->word, height, true);
            continue;
        }
        const int grows = growth(code->op);
        assert(grows >= 0 || height >= (uint32_t)-grows); /* (1) */
        if (code->op == OP_BRANCH) reach(printer, code->word, height - 1, true);
        if (code->op == OP_JUMP_IF_FALSE || code->op == OP_JUMP_IF_TRUE)
            reach(printer, code->word, height, true);
        reach(printer, next, (uint32_t)((int)height + grows), false);
    }
}

/* ---- numbers ---- */

static void print_number(struct printer *printer, int64_t number)
{
    if (number == INT64_MIN) text_add(printer->text, "INT64_MIN");
    else if (number >= INT32_MIN && number <= INT32_MAX)
        text_add(printer->text, number < 0 ? "(%" PRId64 ")" : "%" PRId64, number);
    else text_add(printer->text, "INT64_C(%" PRId64 ")", number);
}

/* The bits of a field, without its lowest value. */
static void print_bits(struct printer *printer, const char *words, uint32_t word, unsigned shift,
                       uint64_t mask)
{
    struct text *text = printer->text;
    text_add(text, "(int64_t)(%s[%" PRIu32 "]", words, word);
    if (shift) text_add(text, " >> %u", shift);
    text_add(text, " & UINT64_C(%" PRIu64 "))", mask);
}

static void print_field(struct printer *printer, const char *words, const struct instruction *code)
{
    text_add(printer->text, "(");
    print_bits(printer, words, code->word, code->shift, code->mask);
    if (code->number) {
        text_add(printer->text, " + ");
        print_number(printer, code->number);
    }
    text_add(printer->text, ")");
}

static const char *const relations[] = {"==", "!=", "<", "<=", ">", ">="};

/* ---- instructions ---- */

static void print_local(struct printer *printer, uint32_t local)
{
    text_add(printer->text, printer->keeps_locals ? "c->locals[%" PRIu32 "]" : "l%" PRIu32, local);
}

/* n gets the words of w, with patches. */
static void print_patches(struct printer *printer, uint32_t first, uint32_t count)
{
    const uint32_t words = printer->program->layout->words;
    const struct word_test *patches = printer->program->patches.data + first;
    struct text *text = printer->text;
    if (words > MOST_UNROLLED_WORDS)
        text_add(text, "for (uint32_t i = 0; i < %" PRIu32 "; i++) n[i] = w[i];\n", words);
    for (uint32_t i = 0; words <= MOST_UNROLLED_WORDS && i < words; i++) {
        bool is_patched = false;
        for (uint32_t p = 0; p < count; p++) is_patched |= patches[p].word == i;
        if (!is_patched) text_add(text, "n[%" PRIu32 "] = w[%" PRIu32 "];\n", i, i);
    }
    for (uint32_t p = 0; p < count; p++) {
        const uint32_t word = patches[p].word;
        bool is_again = words > MOST_UNROLLED_WORDS;
        for (uint32_t q = 0; q < p; q++) is_again |= patches[q].word == word;
        text_add(text,
                 "n[%" PRIu32 "] = (%s[%" PRIu32 "] & ~UINT64_C(%" PRIu64 ")) | UINT64_C(%" PRIu64
                 ");\n",
                 word, is_again ? "n" : "w", word, patches[p].mask, patches[p].value);
    }
}

static void print_store(struct printer *printer, const struct instruction *code, uint32_t height)
{
    struct text *text = printer->text;
    text_add(text,
             "n[%" PRIu32 "] = (n[%" PRIu32 "] & ~UINT64_C(%" PRIu64 ")) | ((uint64_t)s%" PRIu32,
             code->word, code->word, code->mask << code->shift, height);
    if (code->number) {
        text_add(text, " - (uint64_t)");
        print_number(printer, code->number);
    }
    text_add(text, ")");
    if (code->shift) text_add(text, " << %u", (unsigned)code->shift);
    text_add(text, ";\n");
}

/* Operators that may fail, or whose results are cut. */
static void print_operator(struct printer *printer, const struct instruction *code, uint32_t height)
{
    static const char *const names[EXPR_OPS] = {[EXPR_ADD] = "add",
                                                [EXPR_SUB] = "sub",
                                                [EXPR_MUL] = "mul",
                                                [EXPR_DIV] = "div",
                                                [EXPR_MOD] = "mod"};
    struct text *text = printer->text;
    const uint32_t a = height - 1, b = height;
    assert(code->op < EXPR_OPS && a >= 1);
    if (code->op >= EXPR_EQ && code->op <= EXPR_GE)
        text_add(text, "s%" PRIu32 " = s%" PRIu32 " %s s%" PRIu32 ";\n", a, a,
                 relations[code->op - EXPR_EQ], b);
    else if (code->op == EXPR_IFF)
        text_add(text, "s%" PRIu32 " = !s%" PRIu32 " == !s%" PRIu32 ";\n", a, a, b);
    else if (code->bits)
        text_add(text,
                 "if (!runtime_%s_bits(s%" PRIu32 ", s%" PRIu32 ", UINT64_C(%" PRIu64
                 "), &s%" PRIu32 ")) return RUNTIME_FAILED;\n",
                 names[code->op], a, b, expr_mask(code->bits), a);
    else
        text_add(text,
                 "if (!runtime_%s(s%" PRIu32 ", s%" PRIu32 ", &s%" PRIu32
                 ")) return RUNTIME_FAILED;\n",
                 names[code->op], a, b, a);
}

/* A comparison of a field with a number, or of two fields. */
static void print_comparison(struct printer *printer, const char *words,
                             const struct instruction *code, unsigned number)
{
    struct text *text = printer->text;
    const bool two = number >= 6;
    if (two) print_field(printer, words, &code[0]);
    else print_bits(printer, words, code->word, code->shift, code->mask);
    text_add(text, " %s ", relations[number % 6]);
    if (two) print_field(printer, words, &code[1]);
    else print_number(printer, code->number);
}

static void print_memory(struct printer *printer, const struct instruction *code, uint32_t h,
                         const char *words)
{
    struct text *text = printer->text;
    switch (code->op) {
    case OP_TABLE:
        text_add(text, "s%" PRIu32 " = c->tables[%" PRIu32 "][s%" PRIu32 "];\n", h, code->word, h);
        break;
    case OP_PUSH_AT:
        text_add(text,
                 "s%" PRIu32 " = runtime_get(&fields[%" PRIu32 " + (uint64_t)s%" PRIu32 "], %s);\n",
                 h, code->word, h, words);
        break;
    case OP_PUSH_LOCAL_AT:
        text_add(text, "s%" PRIu32 " = c->locals[%" PRIu32 " + (uint64_t)s%" PRIu32 "];\n", h,
                 code->word, h);
        break;
    case OP_STORE_AT:
        text_add(text,
                 "runtime_set(&fields[%" PRIu32 " + (uint64_t)s%" PRIu32 "], n, s%" PRIu32 ");\n",
                 code->word, h, h - 1);
        break;
    case OP_STORE_LOCAL_AT:
        text_add(text, "c->locals[%" PRIu32 " + (uint64_t)s%" PRIu32 "] = s%" PRIu32 ";\n",
                 code->word, h, h - 1);
        break;
    default:
        assert(code->op == OP_COPY);
        text_add(text,
                 "runtime_copy(c, fields, n, %u, %" PRIu32 " + (uint32_t)s%" PRIu32 ", %" PRIu32
                 " + (uint32_t)s%" PRIu32 ", %" PRId64 ");\n",
                 (unsigned)(code[0].bits ? 1 : 0) | (code[1].bits ? 2 : 0), code[0].word, h,
                 code[1].word, h - 1, code->number);
    }
}

static void print_jump(struct printer *printer, const struct instruction *code, uint32_t h)
{
    struct text *text = printer->text;
    if (code->op != OP_JUMP)
        text_add(text, "if (%ss%" PRIu32 ") ", code->op == OP_JUMP_IF_TRUE ? "" : "!", h);
    text_add(text, "goto a%" PRIu32 ";\n", code->word);
}

/* `words`: where the state is that is read now. */
static void print_instruction(struct printer *printer, uint32_t at, const char *words)
{
    const struct instruction *code = instruction_at(printer, at);
    const uint32_t h = printer->spots[at].height;
    struct text *text = printer->text;
    const uint8_t op = code->op;
    if (op >= OP_FIELD_EQ && op <= OP_FIELDS_GE) {
        text_add(text, "s%" PRIu32 " = ", h + 1);
        print_comparison(printer, words, code, op - OP_FIELD_EQ);
        text_add(text, ";\n");
        return;
    }
    if (op >= OP_NEED_FIELD_EQ && op <= OP_NEED_FIELDS_GE) {
        text_add(text, "if (!(");
        print_comparison(printer, words, code, op - OP_NEED_FIELD_EQ);
        text_add(text, ")) return RUNTIME_NONE;\n");
        return;
    }
    switch (op) {
    case OP_PUSH_FIELD:
        text_add(text, "s%" PRIu32 " = ", h + 1);
        print_field(printer, words, code);
        text_add(text, ";\n");
        break;
    case OP_PUSH_NUMBER:
        text_add(text, "s%" PRIu32 " = ", h + 1);
        print_number(printer, code->number);
        text_add(text, ";\n");
        break;
    case OP_PUSH_LOCAL:
        text_add(text, "s%" PRIu32 " = ", h + 1);
        print_local(printer, code->word);
        text_add(text, ";\n");
        break;
    case OP_STORE_LOCAL:
    case OP_ZERO:
        print_local(printer, code->word);
        text_add(text, op == OP_ZERO ? " = 0;\n" : " = s%" PRIu32 ";\n", h);
        break;
    case OP_ROUND:
        text_add(text, "if (++");
        print_local(printer, code->word);
        text_add(text, " > %d) return RUNTIME_FAILED;\n", CODE_MAX_ROUNDS);
        break;
    case OP_TABLE:
    case OP_PUSH_AT:
    case OP_PUSH_LOCAL_AT:
    case OP_STORE_AT:
    case OP_STORE_LOCAL_AT:
    case OP_COPY: print_memory(printer, code, h, words); break;
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
    case OP_JUMP:
    case OP_BRANCH: print_jump(printer, code, h); break;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
        text_add(text, "s%" PRIu32 " = s%" PRIu32 " %c s%" PRIu32 ";\n", h - 1, h - 1,
                 op == OP_ADD   ? '+'
                 : op == OP_SUB ? '-'
                                : '*',
                 h);
        break;
    case OP_WITHIN:
        text_add(text, "if ((uint64_t)s%" PRIu32 " - (uint64_t)", h);
        print_number(printer, code->number);
        text_add(text, " > UINT64_C(%" PRIu64 ")) return RUNTIME_FAILED;\n", code->mask);
        break;
    case OP_FAIL: text_add(text, "return RUNTIME_FAILED;\n"); break;
    case OP_STORE_FIELD: print_store(printer, code, h); break;
    case OP_REQUIRE: text_add(text, "if (!s%" PRIu32 ") return RUNTIME_NONE;\n", h); break;
    case OP_PATCH: print_patches(printer, code->word, (uint32_t)code->number); break;
    case OP_ENTER: break;
    case OP_CALL:
        text_add(text, "if ((r = f%" PRIu32 "(c, n)) != RUNTIME_TAKEN) return r;\n", code->word);
        break;
    case OP_RETURN: text_add(text, "return RUNTIME_TAKEN;\n"); break;
    case OP_END:
        if (h) text_add(text, "*v = s%" PRIu32 ";\n", h);
        text_add(text, "return RUNTIME_TAKEN;\n");
        break;
    case EXPR_NOT: text_add(text, "s%" PRIu32 " = !s%" PRIu32 ";\n", h, h); break;
    case EXPR_CUT:
        text_add(text,
                 "s%" PRIu32 " = (int64_t)((uint64_t)s%" PRIu32 " & UINT64_C(%" PRIu64 "));\n", h,
                 h, expr_mask(code->bits));
        break;
    default: print_operator(printer, code, h);
    }
}

/* Variables for the stack and for locals, then instructions from `first` on, up to `end`. */
static void print_body(struct printer *printer, uint32_t first, uint32_t end, const char *words)
{
    struct text *text = printer->text;
    const uint32_t most = printer->program->local_count;
    text_add(text, "{\n");
    for (uint32_t s = 1; s <= printer->highest; s++) text_add(text, "int64_t s%" PRIu32 ";\n", s);
    if (printer->calls) text_add(text, "int r;\n");
    bool *used = printer->keeps_locals ? NULL : mem_alloc(printer->mem, most + UINT64_C(1));
    for (uint32_t at = first; used && at < end; at++) {
        const struct instruction *code = instruction_at(printer, at);
        const bool is_local = code->op == OP_PUSH_LOCAL || code->op == OP_STORE_LOCAL
                              || code->op == OP_ZERO || code->op == OP_ROUND;
        if (!is_local || printer->spots[at].piece != printer->piece || used[code->word]) continue;
        used[code->word] = true;
        text_add(text, "int64_t l%" PRIu32 " = 0;\n", code->word);
    }
    mem_free(printer->mem, used);
    for (uint32_t at = first; at < end; at++) {
        const struct spot *spot = &printer->spots[at];
        if (spot->piece != printer->piece)
            continue; /* nobody comes here, or it is part of another */
        if (spot->is_target) text_add(text, "a%" PRIu32 ":;\n", at);
        if (instruction_at(printer, at)->op == OP_ENTER) words = "n";
        print_instruction(printer, at, words);
    }
}

static const char guard_head[] = "(const struct runtime_context *c, const uint64_t *restrict w)\n";
static const char effect_head[] =
    "(const struct runtime_context *c, const uint64_t *restrict w, uint64_t *restrict n)\n";
static const char piece_head[] =
    "(const struct runtime_context *c, const uint64_t *w, uint64_t *n, int64_t *v)\n";

/* g: the guard; e: what follows; p: both. */
static void print_rule(struct printer *printer, uint32_t start)
{
    struct text *text = printer->text;
    walk(printer, start, false);
    assert(printer->patch != PROGRAM_NONE);
    const uint32_t patch = printer->patch;
    text_add(text, "static inline %sint g%" PRIu32 "%s",
             patch - start <= MOST_INLINE ? "__attribute__((always_inline)) " : "", start,
             guard_head);
    print_body(printer, start, patch, "w"); /* (2) */
    text_add(text, "return RUNTIME_TAKEN;\n}\nstatic int e%" PRIu32 "%s", start, effect_head);
    print_body(printer, patch, printer->end, "w");
    text_add(text, "}\nstatic int p%" PRIu32 "%s{\nint r = g%" PRIu32 "(c, w);\n", start,
             piece_head, start);
    text_add(text, "return r == RUNTIME_TAKEN ? e%" PRIu32 "(c, w, n) : r;\n}\n", start);
}

static void print_expression(struct printer *printer, uint32_t start)
{
    walk(printer, start, false);
    text_add(printer->text, "static int p%" PRIu32 "%s", start, piece_head);
    print_body(printer, start, printer->end, "w");
    text_add(printer->text, "}\n");
}

/* Functions that are called stand before those who call them, as declarations. */
static void print_callees(struct printer *printer, struct text *declarations)
{
    for (uint32_t i = 0; i < printer->callees.len; i++) { /* grows while it is worked off */
        const uint32_t start = printer->callees.data[i];
        text_add(declarations,
                 "static int f%" PRIu32 "(const struct runtime_context *c, uint64_t *n);\n", start);
        walk(printer, start, true);
        text_add(printer->text,
                 "static int f%" PRIu32 "(const struct runtime_context *c, uint64_t *n)\n", start);
        print_body(printer, printer->first, printer->end, "n");
        text_add(printer->text, "}\n");
    }
}

/* ---- lists of rules ---- */

/* Which table a gate is in, and how far from its beginning. */
static uint32_t gate_table(struct printer *printer, const int32_t *gate)
{
    const struct model *model = printer->program->model;
    for (uint32_t i = 0; i <= model->tables.len; i++) {
        const struct model_table *table = &model->tables.data[printer->table];
        if (gate >= table->values && gate < table->values + table->count) return printer->table;
        printer->table = (printer->table + 1) % model->tables.len;
    }
    assert(!"every gate is in a table");
    return 0;
}

static void print_try(struct printer *printer, uint32_t place)
{
    const struct program *program = printer->program;
    const struct fast_rule *fast = &program->rules.data[place];
    struct text *text = printer->text;
    text_add(text, "if (1");
    if (fast->gate) {
        const uint32_t table = gate_table(printer, fast->gate);
        text_add(text,
                 " && c->tables[%" PRIu32 "][%td + (w[%" PRIu32 "] >> %u & %" PRIu32 ") * %" PRIu32
                 "] > 0",
                 table, fast->gate - program->model->tables.data[table].values, fast->gate_word,
                 (unsigned)fast->gate_shift, fast->gate_mask, fast->gate_factor);
    }
    for (uint32_t t = 0; t < fast->open; t++) {
        const struct word_test *test = &program->tests.data[fast->first_open + t];
        text_add(text, " && (w[%" PRIu32 "] & UINT64_C(%" PRIu64 ")) == UINT64_C(%" PRIu64 ")",
                 test->word, test->mask, test->value);
    }
    text_add(text, ") {\n");
    if (fast->code == PROGRAM_NONE) {
        print_patches(printer, fast->first_patch, fast->patches);
        text_add(text, "found[k++] = %" PRIu32 ";\nn += stride;\n", 4 * place + RUNTIME_TAKEN);
    } else {
        text_add(text,
                 "int r = g%" PRIu32 "(c, w);\nif (r == RUNTIME_TAKEN) r = e%" PRIu32 "(c, w, n);\n"
                 "if (r) { found[k++] = %" PRIu32 " + (uint32_t)r; n += stride; }\n",
                 fast->code, fast->code, 4 * place);
    }
    text_add(text, "}\n");
}

static bool same_list(const struct rule_list *a, const struct rule_list *b)
{
    return (a->first == b->first && a->end == b->end) || (a->first == a->end && b->first == b->end);
}

static void print_choice(struct printer *printer, const struct rule_index *index);

static void print_list(struct printer *printer, const struct rule_list *list)
{
    if (list->end == PROGRAM_NONE) {
        print_choice(printer, &printer->program->nodes.data[list->first]);
        return;
    }
    assert(list->first <= list->end && list->end <= printer->program->rules.len);
    if (list->end - list->first > printer->plan->longest)
        printer->plan->longest = list->end - list->first;
    for (uint32_t place = list->first; place < list->end; place++) print_try(printer, place);
}

/* One of the lists of an index or a node. The list that most values have is the default. */
static void print_choice(struct printer *printer, const struct rule_index *index)
{
    const struct rule_list *lists = printer->program->lists.data + index->first_list;
    struct text *text = printer->text;
    if (!index->has_field) {
        print_list(printer, lists);
        return;
    }
    const uint64_t values = index->field.mask + 1;
    uint64_t usual = 0, most = 0;
    for (uint64_t v = 0; v < values; v++) {
        uint64_t same = 0;
        for (uint64_t u = v; u < values; u++) same += same_list(&lists[u], &lists[v]);
        if (same > most) most = same, usual = v;
    }
    text_add(text, "switch (w[%" PRIu32 "] >> %u & %" PRIu64 ") {\n", index->field.word,
             (unsigned)index->field.shift, index->field.mask);
    for (uint64_t v = 0; v < values; v++) {
        bool is_first = !same_list(&lists[v], &lists[usual]);
        for (uint64_t u = 0; is_first && u < v; u++) is_first = !same_list(&lists[u], &lists[v]);
        if (!is_first) continue;
        for (uint64_t u = v; u < values; u++)
            if (same_list(&lists[u], &lists[v])) text_add(text, "case %" PRIu64 ":\n", u);
        print_list(printer, &lists[v]);
        text_add(text, "break;\n");
    }
    text_add(text, "default:;\n");
    print_list(printer, &lists[usual]);
    text_add(text, "}\n");
}

static void print_lister(struct printer *printer, uint32_t i)
{
    struct text *text = printer->text;
    text_add(
        text,
        "static uint32_t i%" PRIu32 "(const struct runtime_context *c, const uint64_t *restrict w, "
        "uint64_t *restrict n, uint32_t stride, uint32_t *restrict found)\n{\nuint32_t k = 0;\n",
        i);
    print_choice(printer, &printer->program->indices.data[i]);
    text_add(text, "return k;\n}\n");
}

/* ---- the whole ---- */

static void print_fields(struct printer *printer)
{
    const struct program *program = printer->program;
    struct text *text = printer->text;
    text_add(text, "static const struct runtime_field fields[] = {\n");
    for (uint32_t i = 0; i < program->model->vars.len; i++) {
        const struct field *field = &program->layout->fields[i];
        text_add(text, "{UINT64_C(%" PRIu64 "), ", field->mask);
        print_number(printer, field->low);
        text_add(text, ", %" PRIu32 ", %u},\n", field->word, (unsigned)field->shift);
    }
    text_add(text, "{0, 0, 0, 0}};\n");
}

static void add_piece(struct printer *printer, uint32_t start)
{
    if (start == PROGRAM_NONE || printer->is_piece[start]) return;
    printer->is_piece[start] = true;
    vec_push(printer->mem, &printer->plan->pieces, start);
}

/* Rules and expressions, with whom they call. */
static void print_pieces(struct printer *printer)
{
    const struct program *program = printer->program;
    for (uint32_t i = 0; i < program->rules.len; i++)
        add_piece(printer, program->rules.data[i].code);
    const uint32_t rules = printer->plan->pieces.len;
    for (uint32_t i = 0; i < program->expressions.len; i++)
        add_piece(printer, program->expressions.data[i]);
    for (uint32_t i = 0; i < printer->plan->pieces.len; i++) {
        if (i < rules) print_rule(printer, printer->plan->pieces.data[i]);
        else print_expression(printer, printer->plan->pieces.data[i]);
    }
}

static void print_tables(struct printer *printer)
{
    const struct native_plan *plan = printer->plan;
    struct text *text = printer->text;
    text_add(text, "static runtime_lister *const listers[] = {");
    for (uint32_t i = 0; i < plan->listers; i++) text_add(text, "i%" PRIu32 ", ", i);
    text_add(text, "0};\nstatic runtime_piece *const pieces[] = {");
    for (uint32_t i = 0; i < plan->pieces.len; i++)
        text_add(text, "p%" PRIu32 ", ", plan->pieces.data[i]);
    text_add(text, "0};\n");
}

static void print_all(struct printer *printer)
{
    struct text body, declarations, *const whole = printer->text;
    text_init(&body, printer->mem);
    text_init(&declarations, printer->mem);
    print_fields(printer);
    printer->text = &body;
    print_pieces(printer);
    print_callees(printer, &declarations);
    printer->plan->listers = printer->program->indices.len;
    for (uint32_t i = 0; i < printer->plan->listers && body.len < MOST_TEXT; i++)
        print_lister(printer, i);
    print_tables(printer);
    printer->text = whole;
    text_add(whole, "%s%s", declarations.len ? declarations.data : "", body.data);
    text_free(&declarations);
    text_free(&body);
}

extern const unsigned char native_runtime[];
extern const size_t native_runtime_length;

bool native_print(const struct program *program, struct mem *mem, struct text *text,
                  struct native_plan *plan)
{
    const uint64_t room = program->code.len + UINT64_C(1);
    struct printer printer = {.program = program, .mem = mem, .text = text, .plan = plan};
    if (program->code.len > MOST_TEXT / 32) return false;
    *plan = (struct native_plan){.longest = 0};
    printer.spots = mem_alloc(mem, room * sizeof *printer.spots);
    printer.is_callee = mem_alloc(mem, room);
    printer.is_piece = mem_alloc(mem, room);
    text_add(text, "%.*s", (int)native_runtime_length, (const char *)native_runtime);
    print_all(&printer);
    plan->mark = XXH3_64bits(text->data, text->len);
    text_add(
        text,
        "static const struct runtime_table table = {UINT64_C(%" PRIu64 "), %" PRIu32 ", %" PRIu32
        ", listers, pieces};\n"
        "__attribute__((visibility(\"default\"))) const struct runtime_table *cairn_native(void)\n"
        "{\nreturn &table;\n}\n",
        plan->mark, plan->listers, plan->pieces.len);
    mem_free(mem, printer.spots);
    mem_free(mem, printer.is_callee);
    mem_free(mem, printer.is_piece);
    vec_free(mem, &printer.waiting);
    vec_free(mem, &printer.callees);
    return text->len <= MOST_TEXT;
}
