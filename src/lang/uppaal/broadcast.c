/* Broadcasts. The sender does not wait; of every other process that has an edge that can receive,
 * exactly one such edge takes part.
 *
 * One rule per sending edge would be best: its code asks each process in turn, and takes the edge
 * that is possible. That works for a process in a location where at most one of its edges is
 * possible at a time and no clock has a say (an *easy* location). In a *hard* location the process
 * has several *variants*, and there is one rule for every combination of variants:
 *  - it is in no hard location;
 *  - it is in this hard location, and takes this edge;
 *  - it is in this hard location, and none of its edges is possible. Where guards speak of clocks,
 *    that is a disjunction, of which each part is a variant: the conditions without clocks are
 *    false, or the first constraints hold and the next one does not.
 * Together they are complete, and for one state and choice of edges one of them is possible (some
 * pieces may be possible together where conditions without clocks are false; they lead to the
 * same).
 *
 * A process that would raise the priority of the step is in hard locations only.
 *
 * Where these are too many combinations, a process has one variant per edge from a hard location,
 * and one in which it takes none of them: a group of clock constraints for each says that the edge
 * is not possible (clock_constraint.unless), and zones are cut along them when the step is taken.
 * Then there is a rule for each set of those that take part. */
#include "lang/uppaal/scope.h"

#include <assert.h>

enum { MAX_VARIANTS = 100000, MAX_PIECES = 10000 };
#ifdef CAIRN_DEGENERATE
enum { MANY_VARIANTS = 2 };
#else
enum { MANY_VARIANTS = 200 };
#endif

/* What a process does in a rule. */
struct variant {
    uint32_t process;
    bool is_easy;       /* it is in no hard location: `group` says what it may do */
    struct edge *taken; /* or NULL */
    uint32_t state;     /* the hard location where it stands, otherwise */
    VEC(struct demand) demands;
    VEC(struct clock_constraint) constraints;
};

struct variants {
    VEC(struct variant) list;
    VEC(uint32_t) hard;      /* locations */
    VEC(struct edge *) easy; /* edges from other locations */
    uint32_t process;
};

struct broadcast {
    struct uppaal *u;
    struct edge *sender;
    bool has_groups; /* that say which edges are not possible */
    VEC(struct variants) processes;
    uint32_t *chosen; /* per process: the variant */
};

/* ---- which locations are hard ---- */

static bool compares(const struct expr_node *node)
{
    return node->op >= EXPR_EQ && node->op <= EXPR_GE;
}

/* Whether a value can satisfy a comparison with a constant, as an interval; NE is none. */
static bool interval_of(const struct exprs *exprs, const struct expr_node *node, int64_t *low,
                        int64_t *high)
{
    const struct expr_node *right = expr_get(exprs, node->b);
    if (right->op != EXPR_CONST || node->op == EXPR_NE) return false;
    *low = INT64_MIN;
    *high = INT64_MAX;
    if (node->op == EXPR_EQ) *low = *high = right->value;
    else if (node->op == EXPR_LT) *high = right->value - 1;
    else if (node->op == EXPR_LE) *high = right->value;
    else if (node->op == EXPR_GT) *low = right->value + 1;
    else *low = right->value;
    return true;
}

/* Whether two conditions are plainly never true together. */
static bool exclude(const struct exprs *exprs, expr a, expr b)
{
    const struct expr_node *x = expr_get(exprs, a), *y = expr_get(exprs, b);
    int64_t low, high, other_low, other_high;
    if (x->op == EXPR_AND) return exclude(exprs, x->a, b) || exclude(exprs, x->b, b);
    if (y->op == EXPR_AND) return exclude(exprs, a, y->a) || exclude(exprs, a, y->b);
    if (expr_is_false(exprs, a) || expr_is_false(exprs, b)) return true;
    if (x->op == EXPR_NOT && expr_same(x->a, b)) return true;
    if (y->op == EXPR_NOT && expr_same(y->a, a)) return true;
    if (!compares(x) || !compares(y) || !expr_same(x->a, y->a)) return false;
    if (expr_same(x->b, y->b)
        && ((x->op == EXPR_EQ && y->op == EXPR_NE) || (x->op == EXPR_NE && y->op == EXPR_EQ)))
        return true;
    return interval_of(exprs, x, &low, &high) && interval_of(exprs, y, &other_low, &other_high)
           && (high < other_low || other_high < low);
}

/* The condition without clocks of an edge as one expression; false: it needs code. */
static bool plain_condition(struct uppaal *u, const struct edge *edge, expr *cond)
{
    struct code_sequence code = code_sequence_empty();
    struct lowering l = {.u = u, .env = edge->env, .code = {.model = u->model, .out = &code}};
    return steps_enabled(&l, edge, cond) && code_is_none(code.first);
}

static bool are_exclusive(struct uppaal *u, const struct edge *a, const struct edge *b)
{
    expr first, second;
    return plain_condition(u, a, &first) && plain_condition(u, b, &second)
           && exclude(uppaal_exprs(u), first, second);
}

static bool is_hard(struct broadcast *b, const struct edge *edge, struct edge *const *all,
                    uint32_t count)
{
    const struct process *process = &b->u->processes.data[edge->process];
    if (edge->has_clocks
        || (b->u->has_ranks && process->rank > b->u->processes.data[b->sender->process].rank))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (all[i] != edge && all[i]->source == edge->source && !are_exclusive(b->u, edge, all[i]))
            return true;
    return false;
}

/* ---- variants ---- */

static void add_variant(struct broadcast *b, struct variants *variants, struct variant variant)
{
    variant.process = variants->process;
    vec_push(b->u->model->mem, &variants->list, variant);
}

/* What must be so that an edge is not possible: one of several pieces. */
struct piece {
    VEC(struct demand) demands;
    VEC(struct clock_constraint) constraints;
};

struct pieces {
    VEC(struct piece) list;
};

static void demand(struct broadcast *b, struct piece *piece, expr what, struct place place)
{
    vec_push(b->u->model->mem, &piece->demands,
             ((struct demand){.is_made = true, .what = what, .place = place}));
}

/* The constraint under one more condition. */
static struct clock_constraint under(struct exprs *exprs, struct clock_constraint one, expr when)
{
    one.when = one.is_conditional ? expr_make(exprs, EXPR_AND, 0, when, one.when) : when;
    one.is_conditional = !expr_is_true(exprs, one.when);
    return one;
}

/* Piece number n: the conditions hold, the first n constraints do and the next one does not; of the
 * first piece, or the conditions do not hold. */
static void make_piece(struct broadcast *b, const struct edge *edge, const struct split *split,
                       expr enabled, uint32_t n, struct piece *piece)
{
    struct exprs *exprs = uppaal_exprs(b->u);
    struct mem *mem = b->u->model->mem;
    assert(n < split->constraints.len);
    const struct clock_constraint *broken = &split->constraints.data[n];
    struct place place = edge->ast->place;
    if (n) demand(b, piece, enabled, place);
    if (broken->is_conditional)
        demand(b, piece, expr_make(exprs, EXPR_IMPLIES, 0, enabled, broken->when), place);
    for (uint32_t i = 0; i < n; i++)
        vec_push(mem, &piece->constraints, under(exprs, split->constraints.data[i], enabled));
    vec_push(mem, &piece->constraints, under(exprs, clocked_negate(b->u, *broken), enabled));
}

/* The constraints of an edge, and the condition without clocks under which they matter. */
static bool look_at(struct broadcast *b, struct edge *edge, struct split *split, expr *enabled)
{
    struct lowering l = {.u = b->u,
                         .env = edge->env,
                         .code.model = b->u->model,
                         .context = "the guard of a receiver that speaks of clocks"};
    if (!steps_constraints(b->u, edge, split) || !steps_enabled(&l, edge, enabled)) return false;
    if (!expr_get(uppaal_exprs(b->u), *enabled)->may_fail) return true;
    diag_error(b->u->diag, DIAG_UNSUPPORTED, edge->ast->place,
               "the guard of a receiver that speaks of clocks must not fail");
    return false;
}

static bool make_pieces(struct broadcast *b, struct edge *edge, struct pieces *pieces)
{
    struct mem *mem = b->u->model->mem;
    struct split split = {0};
    expr enabled;
    if (!edge->has_clocks) {
        struct piece piece = {0};
        vec_push(mem, &piece.demands,
                 ((struct demand){.edge = edge, .is_not = true, .place = edge->ast->place}));
        vec_push(mem, &pieces->list, piece);
        return true;
    }
    bool good = look_at(b, edge, &split, &enabled);
    for (uint32_t n = 0; good && n < split.constraints.len; n++) {
        struct piece piece = {0};
        make_piece(b, edge, &split, enabled, n, &piece);
        vec_push(mem, &pieces->list, piece);
    }
    clocked_free(b->u, &split);
    return good;
}

static void add_piece(struct broadcast *b, struct variant *variant, const struct piece *piece)
{
    struct mem *mem = b->u->model->mem;
    for (uint32_t i = 0; i < piece->demands.len; i++)
        vec_push(mem, &variant->demands, piece->demands.data[i]);
    for (uint32_t i = 0; i < piece->constraints.len; i++)
        vec_push(mem, &variant->constraints, piece->constraints.data[i]);
}

/* None of the edges from a hard location is possible: every combination of their pieces. */
static bool add_refusals(struct broadcast *b, struct variants *variants, uint32_t state,
                         struct edge *const *edges, uint32_t count, struct variant so_far)
{
    struct mem *mem = b->u->model->mem;
    struct pieces pieces = {0};
    bool good = true;
    while (count && edges[0]->source != state) edges++, count--;
    if (variants->list.len > MAX_PIECES) {
        diag_error(b->u->diag, DIAG_LIMIT, b->sender->ast->place,
                   "more than %d ways in which a process does not receive this", MAX_PIECES);
        return false;
    }
    if (!count) {
        add_variant(b, variants, so_far);
        return true;
    }
    good = make_pieces(b, edges[0], &pieces);
    for (uint32_t i = 0; good && i < pieces.list.len; i++) {
        struct variant next = {.state = state};
        struct piece before = {.demands = {so_far.demands.data, so_far.demands.len, 0},
                               .constraints = {so_far.constraints.data, so_far.constraints.len, 0}};
        add_piece(b, &next, &before);
        add_piece(b, &next, &pieces.list.data[i]);
        good = add_refusals(b, variants, state, edges + 1, count - 1, next);
    }
    vec_free(mem, &pieces.list);
    return good;
}

/* The edge is not possible: not all constraints hold, of which one is false where the condition
 * without clocks is. */
static bool add_group(struct broadcast *b, struct variant *variant, struct edge *edge)
{
    struct exprs *exprs = uppaal_exprs(b->u);
    struct mem *mem = b->u->model->mem;
    struct split split = {0};
    expr enabled;
    if (!edge->has_clocks) {
        vec_push(mem, &variant->demands,
                 ((struct demand){.edge = edge, .is_not = true, .place = edge->ast->place}));
        return true;
    }
    if (!look_at(b, edge, &split, &enabled)) return clocked_free(b->u, &split), false;
    const uint32_t last = variant->constraints.len;
    const uint32_t group = last ? variant->constraints.data[last - 1].unless + 1 : 1;
    const struct clock_constraint otherwise = {.x = MODEL_NONE,
                                               .y = MODEL_NONE,
                                               .strict = true,
                                               .place = edge->ast->place,
                                               .is_conditional = true,
                                               .when =
                                                   expr_make(exprs, EXPR_NOT, 0, enabled, enabled),
                                               .unless = group};
    if (!expr_is_true(exprs, enabled)) vec_push(mem, &variant->constraints, otherwise);
    for (uint32_t i = 0; i < split.constraints.len; i++) {
        struct clock_constraint one = split.constraints.data[i];
        one.unless = group;
        vec_push(mem, &variant->constraints, one);
    }
    clocked_free(b->u, &split);
    return true;
}

static bool add_hard(struct broadcast *b, struct variants *variants, uint32_t state,
                     struct edge *const *edges, uint32_t count)
{
    for (uint32_t i = 0; i < variants->hard.len; i++)
        if (variants->hard.data[i] == state) return true;
    vec_push(b->u->model->mem, &variants->hard, state);
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) {
        if (edges[i]->source != state) continue;
        add_variant(b, variants, (struct variant){.taken = edges[i], .state = state});
        if (b->has_groups) good = add_group(b, &variants->list.data[0], edges[i]);
    }
    if (b->has_groups) return good;
    return add_refusals(b, variants, state, edges, count, (struct variant){.state = state});
}

/* The edges of one process. */
static bool add_process(struct broadcast *b, struct edge *const *edges, uint32_t count)
{
    struct variants variants = {.process = edges[0]->process};
    bool good = true;
    add_variant(b, &variants, (struct variant){.is_easy = true});
    for (uint32_t i = 0; good && i < count; i++)
        if (is_hard(b, edges[i], edges, count))
            good = add_hard(b, &variants, edges[i]->source, edges, count);
    for (uint32_t i = 0; good && i < count; i++) {
        bool hard = false;
        for (uint32_t k = 0; k < variants.hard.len; k++)
            hard |= variants.hard.data[k] == edges[i]->source;
        if (!hard) vec_push(b->u->model->mem, &variants.easy, edges[i]);
    }
    vec_push(b->u->model->mem, &b->processes, variants);
    return good;
}

/* ---- rules ---- */

/* Groups of several variants stay apart. */
static void add_conditions(struct broadcast *b, const struct variant *variant, struct plan *plan)
{
    struct mem *mem = b->u->model->mem;
    uint32_t groups = 0;
    for (uint32_t i = 0; i < plan->constraints.len; i++)
        if (plan->constraints.data[i].unless > groups) groups = plan->constraints.data[i].unless;
    for (uint32_t i = 0; i < variant->demands.len; i++)
        vec_push(mem, &plan->demands, variant->demands.data[i]);
    for (uint32_t i = 0; i < variant->constraints.len; i++) {
        struct clock_constraint one = variant->constraints.data[i];
        if (one.unless) one.unless += groups;
        vec_push(mem, &plan->constraints, one);
    }
}

static void apply_variant(struct broadcast *b, const struct variants *variants,
                          const struct variant *variant, struct plan *plan)
{
    struct mem *mem = b->u->model->mem;
    if (variant->is_easy) {
        add_conditions(b, variant, plan);
        for (uint32_t i = 0; !b->has_groups && i < variants->hard.len; i++)
            vec_push(mem, &plan->standings,
                     ((struct standing){variants->process, variants->hard.data[i], true}));
        if (variants->easy.len)
            plan->groups[plan->group_count++] =
                (struct group){variants->process, variants->easy.data, variants->easy.len};
        return;
    }
    if (variant->taken) {
        plan->takers[plan->taker_count++] = variant->taken;
        return;
    }
    vec_push(mem, &plan->standings, ((struct standing){variants->process, variant->state, false}));
    add_conditions(b, variant, plan);
}

static bool add_combination(struct broadcast *b)
{
    struct mem *mem = b->u->model->mem;
    uint32_t count = b->processes.len;
    struct plan plan = {.channel = b->sender->channel};
    plan.takers = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *plan.takers);
    plan.groups = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *plan.groups);
    plan.takers[plan.taker_count++] = b->sender;
    for (uint32_t i = 0; i < count; i++)
        apply_variant(b, &b->processes.data[i], &b->processes.data[i].list.data[b->chosen[i]],
                      &plan);
    bool good = steps_add(b->u, &plan);
    mem_free(mem, plan.takers);
    mem_free(mem, plan.groups);
    vec_free(mem, &plan.standings);
    vec_free(mem, &plan.demands);
    vec_free(mem, &plan.constraints);
    return good;
}

static bool next_combination(struct broadcast *b)
{
    for (uint32_t i = b->processes.len; i-- > 0;) {
        if (++b->chosen[i] < b->processes.data[i].list.len) return true;
        b->chosen[i] = 0;
    }
    return false;
}

static bool add_combinations(struct broadcast *b)
{
    uint64_t combinations = 1;
    bool good = true;
    for (uint32_t i = 0; i < b->processes.len; i++) {
        combinations *= b->processes.data[i].list.len;
        if (combinations <= MAX_VARIANTS) continue;
        diag_error(b->u->diag, DIAG_LIMIT, b->sender->ast->place,
                   "this broadcast can be received in more than %d ways", MAX_VARIANTS);
        return false;
    }
    b->chosen = mem_alloc(b->u->model->mem, (b->processes.len + UINT64_C(1)) * sizeof *b->chosen);
    do {
        mem_look(b->u->model->mem);
        good = add_combination(b);
    } while (good && next_combination(b));
    mem_free(b->u->model->mem, b->chosen);
    return good;
}

/* Whether there would be many rules: a way to receive is an edge or what makes it impossible,
 * mostly two constraints. */
static bool are_many(const struct uppaal *u, struct edge *const *receivers, uint32_t count)
{
    uint64_t all = 1, ways = 1;
    for (uint32_t i = 0; i < count && all <= MANY_VARIANTS; i++) {
        if (receivers[i]->has_clocks) ways += 3;
        if (i + 1 < count && receivers[i + 1]->process == receivers[i]->process) continue;
        all *= ways;
        ways = 1;
    }
    return all > MANY_VARIANTS && !u->has_ranks;
}

bool broadcast_build(struct uppaal *u, struct edge *sender, struct edge *const *receivers,
                     uint32_t count)
{
    struct broadcast b = {.u = u, .sender = sender, .has_groups = are_many(u, receivers, count)};
    bool good = true;
    assert(u->channels.data[sender->channel].is_broadcast);
    /* receivers come by process */
    for (uint32_t i = 0, end; good && i < count; i = end) {
        for (end = i + 1; end < count && receivers[end]->process == receivers[i]->process;) end++;
        if (receivers[i]->process != sender->process)
            good = add_process(&b, receivers + i, end - i);
    }
    good = good && add_combinations(&b);
    for (uint32_t i = 0; i < b.processes.len; i++) {
        vec_free(u->model->mem, &b.processes.data[i].list);
        vec_free(u->model->mem, &b.processes.data[i].hard);
        vec_free(u->model->mem, &b.processes.data[i].easy);
    }
    vec_free(u->model->mem, &b.processes);
    return good;
}
