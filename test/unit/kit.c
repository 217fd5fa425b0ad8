/* The kit for languages with data, without any of them: cells and values of types, expressions of
 * constants, routines that call themselves. What its code does when it runs is tested through
 * Fiacre, against the reference evaluator and the other engines. */
#include "lang/kit/routine.h"
#include "unit/unit.h"

#include <string.h>

struct bench {
    struct mem mem;
    struct model *model;
    struct arena *arena;
    struct type *truth, *small, *pair, *line, *choice;
    struct code_sequence body;
    struct emit emit;
};

static void start(struct bench *b)
{
    mem_init(&b->mem);
    b->model = model_new(&b->mem, "test");
    b->arena = &b->model->arena;
    b->truth = type_new_bool(b->arena);
    b->small = type_new_int(b->arena, -1, 3, 0, "small");
    b->pair = type_new_composed(b->arena, TYPE_RECORD, 2);
    type_add_member(b->pair, "flag", b->truth);
    type_add_member(b->pair, "items", type_new_sequence(b->arena, TYPE_ARRAY, b->small, 3));
    type_close(b->pair);
    b->line = type_new_sequence(b->arena, TYPE_QUEUE, b->small, 2);
    b->choice = type_new_composed(b->arena, TYPE_UNION, 3);
    type_add_member(b->choice, "none", NULL);
    type_add_member(b->choice, "one", b->small);
    type_add_member(b->choice, "both", b->pair);
    type_close(b->choice);
    b->body = code_sequence_empty();
    b->emit = (struct emit){.model = b->model, .out = &b->body};
}

static void check_cells(struct unit *unit)
{
    struct bench b;
    start(&b);
    CHECK(unit, b.truth->cells == 1 && b.small->cells == 1 && b.pair->cells == 4);
    CHECK(unit, b.line->cells == 3 && b.choice->cells == 5 && b.choice->depth == 3);
    CHECK(unit, type_cell(b.pair, 0).high == 1 && type_cell(b.pair, 3).low == -1);
    CHECK(unit, type_cell(b.line, 0).high == 2 && type_cell(b.choice, 0).high == 2);
    CHECK(unit, type_shared_cell(b.choice, 0).low == -1 && type_shared_cell(b.choice, 0).high == 3);
    CHECK(unit, type_is_scalar(b.small) && !type_is_scalar(b.choice));
    CHECK(unit, type_new_sequence(b.arena, TYPE_ARRAY, b.pair, TYPE_MAX_CELLS / 4) == NULL);
    struct type *wider = type_new_int(b.arena, 0, 9, 0, NULL);
    CHECK(unit, type_matches(wider, b.small) && !type_same(wider, b.small));
    CHECK(unit, !type_matches(b.choice, b.pair) && !type_matches(b.truth, b.small));
    mem_release(&b.mem);
}

/* The values of a type: as many as counted, and no two with the same cells. */
static void check_values(struct unit *unit)
{
    struct bench b;
    start(&b);
    const struct type *types[] = {b.truth, b.small, b.pair, b.line, b.choice};
    const uint64_t counts[] = {2, 5, 2 * 125, 1 + 5 + 25, 1 + 5 + 250};
    for (unsigned t = 0; t < 5; t++) {
        uint64_t count = type_count(types[t], 1000000);
        int64_t cells[256][8] = {{0}};
        CHECK(unit, count == counts[t] && !type_count(types[t], counts[t] - 1));
        for (uint64_t n = 0; n < count; n++) {
            bool good = true;
            type_nth(types[t], n, cells[n]);
            for (uint32_t c = 0; c < types[t]->cells; c++)
                good &= cells[n][c] >= type_cell(types[t], c).low
                        && cells[n][c] <= type_cell(types[t], c).high;
            for (uint64_t m = 0; m < n; m++) good &= memcmp(cells[m], cells[n], sizeof *cells) != 0;
            CHECK(unit, good);
        }
    }
    mem_release(&b.mem);
}

/* Expressions over constants are folded: what they are can be seen without running anything. */
static void check_expressions(struct unit *unit)
{
    struct bench b;
    struct place nowhere = {0};
    start(&b);
    struct exprs *exprs = &b.model->exprs;
    struct value two = value_scalar(b.small, expr_int(exprs, 2)), three = two;
    three.e = expr_int(exprs, 3);
    CHECK(unit, expr_is_true(exprs, value_equal(b.model, &two, &two)));
    CHECK(unit, expr_is_false(exprs, value_equal(b.model, &two, &three)));
    struct value yes = value_scalar(b.truth, expr_bool(exprs, true)), no = yes;
    no.e = expr_bool(exprs, false);
    struct value both = value_logic(&b.emit, true, yes, &no, code_sequence_empty(), nowhere);
    CHECK(unit, expr_is_false(exprs, both.e) && code_is_none(b.body.first));
    struct value kept = value_keep(&b.emit, two, nowhere);
    CHECK(unit, expr_same(kept.e, two.e) && code_is_none(b.body.first));
    CHECK(unit, expr_is_true(exprs, expr_make(exprs, EXPR_EQ, 0, value_initial(b.model, b.small).e,
                                              expr_int(exprs, 0))));
    mem_release(&b.mem);
}

/* A recursive routine is unrolled, and the deepest call has nowhere to go. */
struct counted {
    struct routine routine;
    struct bench *bench;
};

static struct routines recursion;
static struct routine *declared;
static uint32_t copies, deepest;

static struct routine *copy_counted(void *context, const struct routine *routine)
{
    struct bench *b = context;
    struct counted *copy = arena_alloc(b->arena, sizeof *copy);
    (void)routine;
    copy->bench = b;
    copies++;
    return &copy->routine;
}

static bool lower_counted(void *context, struct routine *routine)
{
    struct bench *b = context;
    struct code_sequence body = code_sequence_empty();
    struct emit emit = {.model = b->model, .out = &body};
    struct place nowhere = {0};
    routine_add_parameter(b->model, routine, b->small, "n");
    routine->result = b->small;
    routine->result_at = emit_local(b->model, b->small, "result");
    struct routine *callee = routine_callee(&recursion, b, declared);
    if (callee && !routine_prepare(&recursion, b, callee)) return false;
    struct value n = value_cells(b->model, b->small, &routine->parameters.data[0].at), result;
    if (callee) result = routine_call(&emit, callee, &n, &nowhere, nowhere);
    else result = routine_emit_too_deep(&emit, b->small, nowhere), deepest++;
    routine_return(&emit, routine, &result, nowhere, nowhere);
    routine->body = body.first;
    routine->depth = callee ? callee->depth + 1 : 1;
    return true;
}

static void check_recursion(struct unit *unit)
{
    struct bench b;
    struct counted first = {.bench = &b};
    start(&b);
    declared = &first.routine;
    recursion = (struct routines){.copy = copy_counted, .lower = lower_counted};
    CHECK(unit, routine_callee(&recursion, &b, &first.routine) == &first.routine);
    CHECK(unit, routine_prepare(&recursion, &b, &first.routine));
    CHECK(unit, copies == ROUTINE_MAX_RECURSION - 1 && deepest == 1);
    CHECK(unit, first.routine.depth == ROUTINE_MAX_RECURSION && first.routine.is_recursive);
    CHECK(unit, !recursion.preparing && first.routine.state == ROUTINE_READY);
    mem_release(&b.mem);
}

int main(void)
{
    struct unit unit = {0};
    check_cells(&unit);
    check_values(&unit);
    check_expressions(&unit);
    check_recursion(&unit);
    return unit_finish(&unit);
}
