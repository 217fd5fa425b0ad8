/* The kit for languages with data, without any of them: cells and values of types, expressions of
 * constants, routines that call themselves, parameters by reference. What else its code does when
 * it runs is tested through Fiacre, against the reference evaluator and the other engines. */
#include "lang/kit/routine.h"
#include "model/eval.h"
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

/* Sets of scalars: equal to themselves only; and choices that are counted through. */
static void check_choices(struct unit *unit)
{
    struct bench b;
    static const char *const names[] = {"red", "green"};
    start(&b);
    struct type *ids = type_new_enumeration(b.arena, "id", NULL, 3),
                *others = type_new_enumeration(b.arena, NULL, NULL, 3),
                *colour = type_new_enumeration(b.arena, "colour", names, 2);
    CHECK(unit, type_same(ids, ids) && !type_matches(ids, others) && !type_matches(ids, b.small));
    CHECK(unit, type_is_scalar(ids) && type_count(ids, 10) == 3 && type_cell(ids, 0).high == 2);
    CHECK(unit, !strcmp(ids->members[2].name, "2") && !strcmp(colour->members[1].name, "green"));
    bool seen[3][2][5] = {{{false}}};
    for (uint64_t n = 0; n < 3 * 2 * 5; n++) {
        uint64_t choice = n, id = type_take_choice(ids, 100, &choice),
                 hue = type_take_choice(colour, 100, &choice),
                 number = type_take_choice(b.small, 100, &choice);
        CHECK(unit, !choice && !seen[id][hue][number]);
        seen[id][hue][number] = true;
    }
    mem_release(&b.mem);
}

/* bump(&a, &b, n) { a := a + n; b := b + a; }, which is its own test of aliases; and, when it has a
 * callee, twice(&a, &b, n) { bump(&a, &b, n); bump(&b, &a, n); }. */
struct bumper {
    struct routine routine;
    bool is_twice;
};

struct bumps {
    struct bench b;
    struct type *wide, *row;
    struct routines routines;
    struct bumper bump, twice;
};

static struct routine *copy_bumper(void *context, const struct routine *routine)
{
    struct bumps *bumps = context;
    struct bumper *copy = arena_alloc(bumps->b.arena, sizeof *copy);
    copy->is_twice = ((const struct bumper *)routine)->is_twice;
    return &copy->routine;
}

static void add_to(struct emit *emit, const struct type *type, const struct cell *at, expr n)
{
    struct exprs *exprs = &emit->model->exprs;
    expr sum = expr_make(exprs, EXPR_ADD, 0, emit_read(emit->model, at, type_cell(type, 0)), n);
    struct value value = value_scalar(type, sum);
    value_store(emit, type, at, &value, (struct place){0});
}

static bool call_bumper(struct bumps *bumps, struct emit *emit, struct bumper *of,
                        const struct cell *cells, expr n, uint32_t *depth)
{
    struct model *model = bumps->b.model;
    const struct place places[3] = {{0}};
    struct routine *routine =
        routine_instance(model, &bumps->routines, bumps, &of->routine, cells, 2);
    if (!routine_prepare(&bumps->routines, bumps, routine)) return false;
    const struct value arguments[] = {value_cells(model, bumps->wide, &cells[0]),
                                      value_cells(model, bumps->wide, &cells[1]),
                                      value_scalar(bumps->wide, n)};
    routine_call(emit, routine, arguments, places, places[0]);
    *depth = routine->depth;
    return true;
}

static bool lower_bumper(void *context, struct routine *routine)
{
    struct bumps *bumps = context;
    struct model *model = bumps->b.model;
    struct code_sequence body = code_sequence_empty();
    struct emit emit = {.model = model, .out = &body};
    struct cell at[3];
    at[0] = routine_add_reference(model, routine, bumps->wide, "a");
    at[1] = routine_add_reference(model, routine, bumps->wide, "b");
    const struct cell own = routine_add_parameter(model, routine, bumps->wide, "n");
    expr n = emit_read(model, &own, type_cell(bumps->wide, 0));
    uint32_t depth = 0;
    at[2] = at[0];
    if (!((struct bumper *)routine)->is_twice) {
        add_to(&emit, bumps->wide, &at[0], n);
        add_to(&emit, bumps->wide, &at[1], emit_read(model, &at[0], type_cell(bumps->wide, 0)));
    } else if (!call_bumper(bumps, &emit, &bumps->bump, at, n, &depth)
               || !call_bumper(bumps, &emit, &bumps->bump, at + 1, n, &depth))
        return false;
    routine_return(&emit, routine, NULL, (struct place){0}, (struct place){0});
    routine->body = body.first;
    routine->depth = depth + 1;
    return true;
}

enum { LENGTH = 3, Y = LENGTH, I, VARS };

/* A model with x : array 3, y and i, and a rule that calls the routine once. */
static struct cell start_bumps(struct bumps *bumps)
{
    static const char *const names[VARS] = {"x[0]", "x[1]", "x[2]", "y", "i"};
    start(&bumps->b);
    struct model *model = bumps->b.model;
    bumps->wide = type_new_int(bumps->b.arena, 0, 1000, 0, "wide");
    bumps->row = type_new_sequence(bumps->b.arena, TYPE_ARRAY, bumps->wide, LENGTH);
    bumps->routines = (struct routines){.copy = copy_bumper, .lower = lower_bumper};
    bumps->bump = (struct bumper){.is_twice = false};
    bumps->twice = (struct bumper){.is_twice = true};
    for (unsigned v = 0; v < VARS; v++)
        vec_push(model->mem, &model->vars,
                 ((struct model_var){
                     .name = names[v], .process = MODEL_NONE, .high = v == I ? LENGTH - 1 : 1000}));
    struct cell element = emit_cell(model, false, 0);
    emit_element(model, bumps->row, expr_var_in(&model->exprs, I, 0, LENGTH - 1), &element);
    return element;
}

static void bump(int64_t *a, int64_t *b, int64_t n)
{
    *a += n;
    *b += *a;
}

/* What the code does, against what C does with pointers. */
static void check_references(struct unit *unit)
{
    for (unsigned way = 0; way < 8; way++) {
        struct bumps bumps;
        struct code_sequence body = code_sequence_empty();
        struct cell element = start_bumps(&bumps);
        struct model *model = bumps.b.model;
        struct emit emit = {.model = model, .out = &body};
        const struct cell y = emit_cell(model, false, Y),
                          cells[] = {way & 1 ? y : element, way & 2 ? y : element};
        uint32_t depth;
        model_begin_rule(model, "call");
        model_add_part(model, MODEL_NONE, (struct place){0});
        CHECK(unit, call_bumper(&bumps, &emit, way & 4 ? &bumps.twice : &bumps.bump, cells,
                                expr_int(&model->exprs, 5), &depth));
        CHECK(unit, depth == (way & 4 ? 2 : 1));
        model->rules.data[0].body = body.first;
        model_end_rule(model);
        model_finish(model);
        for (int64_t i = 0; i < LENGTH; i++) {
            int64_t state[VARS] = {10, 20, 30, 40, i}, next[VARS], wanted[VARS];
            memcpy(wanted, state, sizeof state);
            int64_t *a = &wanted[way & 1 ? (int64_t)Y : i], *b = &wanted[way & 2 ? (int64_t)Y : i];
            bump(a, b, 5);
            if (way & 4) bump(b, a, 5);
            CHECK(unit, eval_rule(model, 0, state, next) == EVAL_ENABLED);
            CHECK(unit, !memcmp(next, wanted, sizeof wanted));
        }
        mem_release(&bumps.b.mem);
    }
}

/* Calls with the same variables share an instance, wherever in an array they lead. */
static void check_instances(struct unit *unit)
{
    struct bumps bumps;
    struct cell element = start_bumps(&bumps), other = element;
    struct model *model = bumps.b.model;
    const struct cell y = emit_cell(model, false, Y), x = emit_cell(model, false, 0);
    other.offset =
        expr_make(&model->exprs, EXPR_SUB, 0, expr_int(&model->exprs, LENGTH - 1), element.offset);
    const struct cell lists[][2] = {{element, y}, {other, y}, {y, element}, {x, y}};
    struct routine *found[4];
    for (unsigned i = 0; i < 4; i++)
        found[i] =
            routine_instance(model, &bumps.routines, &bumps, &bumps.bump.routine, lists[i], 2);
    CHECK(unit, found[0] == found[1] && found[0] != found[2] && found[2] != found[3]);
    CHECK(unit, found[3] != found[0]);
    mem_release(&bumps.b.mem);
}

int main(void)
{
    struct unit unit = {0};
    check_cells(&unit);
    check_values(&unit);
    check_expressions(&unit);
    check_recursion(&unit);
    check_choices(&unit);
    check_references(&unit);
    check_instances(&unit);
    return unit_finish(&unit);
}
