/* The condition is followed from its root to its atoms with a set of zones that do not overlap, of
 * which each atom keeps a part:
 *
 *     a and b       the part of (the part with a) that has b
 *     a or b        the part with a, and of the part without a the one with b
 *
 * and so on, as the table of `ways` says: an operator is a list of pairs of values of its operands,
 * no two of which agree, so that the parts do not overlap either. Negation changes what is wanted.
 *
 * Invariants: (1) no two zones of a result overlap when none of those given do; (2) results lie in
 * what was given. */
#include "engine/timed/pieces.h"

#include "base/checked.h"

#include <assert.h>
#include <string.h>

void pieces_init(struct pieces *pieces, const struct model *model, uint32_t timers)
{
    const uint32_t count = model->formulas.nodes.len;
    *pieces =
        (struct pieces){.mem = model->mem, .model = model, .timers = timers, .formulas = count};
    pieces->codes = mem_alloc(model->mem, (count + UINT64_C(1)) * sizeof *pieces->codes);
    pieces->whens = mem_alloc(model->mem, (count + UINT64_C(1)) * sizeof *pieces->whens);
}

void pieces_release(struct pieces *pieces)
{
    if (!pieces->mem) return;
    mem_free(pieces->mem, pieces->codes);
    mem_free(pieces->mem, pieces->whens);
}

void pieces_prepare(struct pieces *pieces, struct program *program, formula f)
{
    const struct formula_node *node = formula_get(&pieces->model->formulas, f);
    assert(f.i < pieces->formulas);
    if (node->op == FORMULA_ATOM) pieces->codes[f.i] = program_compile(program, node->atom);
    if (node->op == FORMULA_CLOCK) {
        const struct clock_constraint *constraint =
            &pieces->model->constraints.data[node->constraint];
        if (constraint->varies) pieces->codes[f.i] = program_compile(program, constraint->value);
        if (constraint->is_conditional)
            pieces->whens[f.i] = program_compile(program, constraint->when);
    }
    for (unsigned i = 0; i < formula_table[node->op].arity; i++)
        pieces_prepare(pieces, program, i ? node->b : node->a);
}

bool pieces_has(const struct model *model, formula f, enum formula_op op)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    bool found = node->op == op;
    for (unsigned i = 0; !found && i < formula_table[node->op].arity; i++)
        found = pieces_has(model, i ? node->b : node->a, op);
    return found;
}

void pieces_release_work(struct pieces_work *work)
{
    if (!work->mem) return;
    for (uint32_t i = 0; i < work->rooms.len; i++) federation_release(&work->rooms.data[i]);
    vec_free(work->mem, &work->rooms);
    if (work->has_zone) dbm_release(&work->zone, work->mem);
    *work = (struct pieces_work){0};
}

/* ---- one condition ---- */

struct question {
    const struct pieces *pieces;
    struct pieces_work *work;
    const struct pieces_state *state;
};

static enum pieces_result find(struct question *q, formula f, bool wanted, uint32_t depth,
                               const struct federation *in, struct federation *out);

/* Room for zones of this many clocks. */
static bool reserve_zone(struct pieces_work *work, uint32_t clocks)
{
    if (work->has_zone && work->zone.most >= clocks) return true;
    struct dbm larger;
    if (!dbm_init(&larger, work->mem, clocks + clocks / 2 + 4)) return false;
    if (work->has_zone) dbm_release(&work->zone, work->mem);
    work->zone = larger;
    work->has_zone = true;
    return true;
}

/* An empty set of zones for one level. All levels have theirs before a condition is followed,
 * because rooms move when there are more. */
static bool reserve_room(struct pieces_work *work, uint32_t depth, uint32_t clocks)
{
    while (work->rooms.len <= depth) {
        struct federation room;
        struct federation *larger =
            mem_try_resize(work->mem, work->rooms.data,
                           (work->rooms.len + UINT64_C(1)) * sizeof *work->rooms.data);
        if (!larger) return false;
        work->rooms.data = larger;
        work->rooms.cap = work->rooms.len + 1;
        federation_init(&room, work->mem, clocks);
        work->rooms.data[work->rooms.len++] = room;
    }
    federation_clear(&work->rooms.data[depth], clocks);
    return true;
}

static bool add_all(const struct federation *in, struct federation *out)
{
    bool good = true;
    for (uint32_t i = 0; good && i < in->count; i++) {
        const struct dbm zone = federation_get(in, i);
        good = federation_add(out, &zone);
    }
    return good;
}

static enum pieces_result result_of(bool good) { return good ? PIECES_GOOD : PIECES_REFUSED; }

static enum pieces_result find_atom(const struct question *q, formula f, bool wanted,
                                    const struct federation *in, struct federation *out)
{
    int64_t value;
    if (!program_run(q->state->program, q->pieces->codes[f.i], q->state->words, &value))
        return PIECES_FAILED;
    return result_of(!value == wanted || add_all(in, out));
}

/* The clock's place in the zone; every clock of a condition matters everywhere (zoned_query.c). */
static uint32_t place_of(const struct question *q, uint32_t clock)
{
    if (clock == MODEL_NONE) return 0;
    const uint32_t place = config_clock_of(q->state->config, q->pieces->timers + clock);
    assert(place);
    return place;
}

static enum pieces_result find_clock(const struct question *q, formula f, bool wanted,
                                     const struct federation *in, struct federation *out)
{
    const struct formula_node *node = formula_get(&q->pieces->model->formulas, f);
    const struct clock_constraint *constraint =
        &q->pieces->model->constraints.data[node->constraint];
    uint32_t x = place_of(q, constraint->x), y = place_of(q, constraint->y);
    int64_t limit = constraint->bound, is_said = true;
    bool good = true;
    if (constraint->is_conditional
        && !program_run(q->state->program, q->pieces->whens[f.i], q->state->words, &is_said))
        return PIECES_FAILED;
    if (!is_said) return result_of(!wanted || add_all(in, out));
    if (constraint->varies
        && !program_run(q->state->program, q->pieces->codes[f.i], q->state->words, &limit))
        return PIECES_FAILED;
    assert(bound_fits(limit)); /* the model was refused otherwise */
    const dbm_bound bound = constraint->strict ? bound_strict(limit) : bound_weak(limit);
    if (x == y) return result_of((bound >= BOUND_ZERO) != wanted || add_all(in, out));
    for (uint32_t i = 0; good && i < in->count; i++) {
        const struct dbm zone = federation_get(in, i);
        dbm_copy(&q->work->zone, &zone);
        if (wanted ? dbm_constrain(&q->work->zone, x, y, bound)
                   : dbm_constrain(&q->work->zone, y, x, bound_negate(bound)))
            good = federation_add(out, &q->work->zone);
    }
    return result_of(good);
}

static enum pieces_result find_stuck(const struct question *q, bool wanted, uint32_t depth,
                                     const struct federation *in, struct federation *out)
{
    const struct federation *stuck = q->state->stuck;
    struct federation *rest = &q->work->rooms.data[depth];
    assert(stuck && stuck->clocks == in->clocks);
    bool good = wanted || add_all(in, rest);
    for (uint32_t k = 0; good && k < stuck->count; k++) {
        const struct dbm dead = federation_get(stuck, k);
        if (!wanted) good = federation_subtract(rest, &dead);
        for (uint32_t i = 0; wanted && good && i < in->count; i++) {
            const struct dbm zone = federation_get(in, i);
            dbm_copy(&q->work->zone, &zone);
            if (dbm_intersect(&q->work->zone, &dead)) good = federation_add(out, &q->work->zone);
        }
    }
    return result_of(good && (wanted || add_all(rest, out)));
}

/* How an operator of two operands gets its value: bits 0 to 3 stand for (a, b) being 00, 01, 10,
 * 11. */
static unsigned truth_of(enum formula_op op)
{
    switch (op) {
    case FORMULA_AND: return 8;
    case FORMULA_OR: return 14;
    case FORMULA_IMPLIES: return 11;
    case FORMULA_IFF: return 9;
    default: break;
    }
    assert(!"a condition has no temporal operators");
    return 0;
}

/* For each value of a: of the part in which it has it, that in which b has what is wanted then. */
static enum pieces_result find_pair(struct question *q, formula f, bool wanted, uint32_t depth,
                                    const struct federation *in, struct federation *out)
{
    const struct formula_node node = *formula_get(&q->pieces->model->formulas, f);
    const unsigned truth = wanted ? truth_of(node.op) : 15 & ~truth_of(node.op);
    enum pieces_result result = PIECES_GOOD;
    for (unsigned a = 0; result == PIECES_GOOD && a < 2; a++) {
        const unsigned of_b = truth >> 2 * a & 3;
        struct federation *part = &q->work->rooms.data[depth];
        if (!of_b) continue;
        if (of_b == 3) {
            result = find(q, node.a, a, depth + 1, in, out);
            continue;
        }
        federation_clear(part, in->clocks);
        result = find(q, node.a, a, depth + 1, in, part);
        if (result == PIECES_GOOD) result = find(q, node.b, of_b == 2, depth + 1, part, out);
    }
    return result;
}

static enum pieces_result find(struct question *q, formula f, bool wanted, uint32_t depth,
                               const struct federation *in, struct federation *out)
{
    const struct formula_node *node = formula_get(&q->pieces->model->formulas, f);
    assert(depth < q->work->rooms.len && in != out);
    if (!in->count) return PIECES_GOOD;
    switch (node->op) {
    case FORMULA_ATOM: return find_atom(q, f, wanted, in, out);
    case FORMULA_CLOCK: return find_clock(q, f, wanted, in, out);
    case FORMULA_NOT: return find(q, node->a, !wanted, depth, in, out);
    case FORMULA_DEADLOCK:
        federation_clear(&q->work->rooms.data[depth], in->clocks);
        return find_stuck(q, wanted, depth, in, out);
    default: return find_pair(q, f, wanted, depth, in, out);
    }
}

static uint32_t depth_of(const struct model *model, formula f)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    uint32_t depth = 0;
    for (unsigned i = 0; i < formula_table[node->op].arity; i++) {
        const uint32_t below = depth_of(model, i ? node->b : node->a);
        if (below > depth) depth = below;
    }
    return depth + 1;
}

/* (1) */
static bool are_disjoint(struct pieces_work *work, const struct federation *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const struct dbm a = federation_get(set, i), b = federation_get(set, k);
            dbm_copy(&work->zone, &a);
            if (dbm_intersect(&work->zone, &b)) return false;
        }
    return true;
}

enum pieces_result pieces_find(const struct pieces *pieces, struct pieces_work *work,
                               const struct pieces_state *state, formula f, bool wanted,
                               const struct federation *in, struct federation *out)
{
    struct question question = {pieces, work, state};
    const uint32_t depth = depth_of(pieces->model, f);
    assert(work->mem && in->clocks == state->config->count && out->clocks == in->clocks);
    if (!reserve_zone(work, in->clocks)) return PIECES_REFUSED;
    for (uint32_t i = 0; i <= depth; i++)
        if (!reserve_room(work, i, in->clocks)) return PIECES_REFUSED;
    CHECKED(are_disjoint(work, in));
    const enum pieces_result result = find(&question, f, wanted, 0, in, out);
    CHECKED(result != PIECES_GOOD || are_disjoint(work, out)); /* (1) */
    return result;
}
