/* One rule: one edge alone, or edges that synchronise.
 *
 * The order in a rule: where the participants stand and whether the others let them go (committed
 * locations); guards, the sender's first; who of those that may receive does; then updates, the
 * sender's first, then those of receivers in the order of processes; then the invariants, as far as
 * they are not about clocks, of all locations that the step enters, and of those that others stay
 * in and that depend on what it wrote.
 *
 *  - Assignments that could as well be made at once are stores of the rule; from the first one on
 *    that could not, everything is code.
 *  - A clock that is set to a constant, whatever else happens, is a reset. Other clocks get their
 *    value from code (the setter): the rule stores -1 in it first, or the constant that an earlier
 *    part of the step has set the clock to.
 *  - A step over an urgent channel that ends where an invariant is false does not exist, but no
 * time passes where it would be possible: a second rule says that, which is never taken. */
#include "lang/uppaal/scope.h"

#include <assert.h>
#include <string.h>
#include <inttypes.h>

struct step {
    struct uppaal *u;
    const struct plan *plan;
    struct code_sequence body;
    struct lowering l;
    VEC(uint32_t) touched; /* families of clocks that code sets */
    VEC(uint32_t) stored;  /* variables that stores write, locations aside */
    VEC(struct clock_reset) resets;
    bool *written; /* per variable, once all updates are there */
    uint32_t invariants;
};

static struct exprs *exprs_of(const struct step *step) { return uppaal_exprs(step->u); }

static struct process *process_of(const struct step *step, const struct edge *edge)
{
    return &step->u->processes.data[edge->process];
}

static expr stands(struct uppaal *u, uint32_t process, uint32_t state)
{
    struct exprs *exprs = uppaal_exprs(u);
    const struct process *p = &u->processes.data[process];
    assert(state < p->states.len);
    expr location = expr_var_in(exprs, p->location, 0, p->states.len - 1);
    return expr_make(exprs, EXPR_EQ, 0, location, expr_int(exprs, state));
}

/* ---- conditions ---- */

/* The value of a condition, with its code. */
static bool compute_one(struct lowering *l, const struct condition *condition, expr *cond)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct env *outer = l->env;
    if (condition->is_made) return *cond = condition->what, true;
    l->env = condition->env;
    bool good = compute_condition(l, condition->exp, cond);
    l->env = outer;
    if (good && condition->is_negated) *cond = expr_make(exprs, EXPR_NOT, 0, *cond, *cond);
    return good;
}

bool steps_require(struct lowering *l, const struct condition *condition, expr when)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct code_sequence code = code_sequence_empty();
    struct place place = condition->exp->place;
    expr cond;
    when = expr_make(exprs, EXPR_AND, 0, when, condition->when);
    if (expr_is_false(exprs, when)) return true;
    if (expr_is_true(exprs, when)) {
        if (!compute_one(l, condition, &cond)) return false;
        emit_require(&l->code, cond, place, 0);
        return true;
    }
    struct emit_block before = emit_open(&l->code, &code);
    bool good = compute_one(l, condition, &cond);
    bool is_plain = code_is_none(code.first);
    if (good && !is_plain) emit_require(&l->code, cond, place, 0);
    emit_close(&l->code, &before);
    if (!good) return false;
    if (is_plain) emit_require(&l->code, expr_make(exprs, EXPR_IMPLIES, 0, when, cond), place, 0);
    else emit_if(&l->code, when, code, code_sequence_empty(), place);
    return true;
}

static bool split_guard(struct uppaal *u, const struct edge *edge, struct split *split)
{
    struct lowering l = {
        .u = u, .env = edge->env, .code.model = u->model, .context = "a comparison of clocks"};
    return !edge->ast->guard
           || clocked_split(&l, edge->ast->guard, false, expr_bool(uppaal_exprs(u), true), split);
}

bool steps_constraints(struct uppaal *u, const struct edge *edge, struct split *split)
{
    return split_guard(u, edge, split);
}

/* a and b, where b has code of its own. */
static bool and_then(struct lowering *l, const struct condition *condition, struct value *sum)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct code_sequence code = code_sequence_empty();
    expr cond;
    struct emit_block before = emit_open(&l->code, &code);
    bool good = compute_one(l, condition, &cond);
    emit_close(&l->code, &before);
    if (!good) return false;
    cond = expr_make(exprs, EXPR_IMPLIES, 0, condition->when, cond);
    struct value one = value_scalar(l->u->bool_type, cond);
    *sum = value_logic(&l->code, true, *sum, &one, code, condition->exp->place);
    return true;
}

bool steps_enabled(struct lowering *l, const struct edge *edge, expr *cond)
{
    struct uppaal *u = l->u;
    struct split split = {0};
    bool good = split_guard(u, edge, &split);
    struct value sum = value_scalar(u->bool_type, stands(u, edge->process, edge->source));
    for (uint32_t i = 0; good && i < split.conditions.len; i++)
        good = and_then(l, &split.conditions.data[i], &sum);
    clocked_free(u, &split);
    *cond = good ? expr_make(uppaal_exprs(u), EXPR_AND, 0, sum.e, edge->is_meant) : sum.e;
    return good;
}

/* ---- guards ---- */

/* Conditions that were added since belong to this participant. */
static void attribute(struct step *step, uint32_t first, uint32_t part)
{
    struct model *model = step->u->model;
    for (uint32_t i = first; i < model->conjuncts.len; i++) model->conjuncts.data[i].part = part;
}

static bool add_guard(struct step *step, uint32_t part, const struct edge *edge)
{
    struct uppaal *u = step->u;
    struct split split = {0};
    uint32_t first = u->model->conjuncts.len;
    step->l.env = edge->env;
    bool good = split_guard(u, edge, &split);
    for (uint32_t i = 0; good && i < split.conditions.len; i++)
        good = steps_require(&step->l, &split.conditions.data[i], expr_bool(exprs_of(step), true));
    for (uint32_t i = 0; good && i < split.constraints.len; i++)
        model_add_clock_guard(u->model, split.constraints.data[i]);
    if (good) emit_require(&step->l.code, edge->is_meant, edge->ast->place, 0);
    attribute(step, first, part);
    clocked_free(u, &split);
    return good;
}

static bool add_demand(struct step *step, const struct demand *demand)
{
    struct exprs *exprs = exprs_of(step);
    expr cond = demand->what;
    if (!demand->is_made && !steps_enabled(&step->l, demand->edge, &cond)) return false;
    if (!demand->is_made && demand->is_not) cond = expr_make(exprs, EXPR_NOT, 0, cond, cond);
    emit_require(&step->l.code, cond, demand->place, 0);
    return true;
}

/* Conditions stand by participant, as far as no failure would come earlier than it should. */
static void order_conjuncts(struct step *step)
{
    struct model *model = step->u->model;
    uint32_t first = model->rules.data[model->rules.len - 1].first_conjunct;
    bool may_fail = false;
    for (uint32_t i = first; i < model->conjuncts.len; i++)
        may_fail |= expr_get(exprs_of(step), model->conjuncts.data[i].cond)->may_fail;
    for (uint32_t i = first; i < model->conjuncts.len; i++) {
        struct rule_conjunct one = model->conjuncts.data[i];
        uint32_t at = i;
        if (may_fail && at > first && model->conjuncts.data[at - 1].part > one.part)
            one.part = model->conjuncts.data[at - 1].part;
        for (; at > first && model->conjuncts.data[at - 1].part > one.part; at--)
            model->conjuncts.data[at] = model->conjuncts.data[at - 1];
        model->conjuncts.data[at] = one;
    }
}

static bool is_committed(const struct step *step, const struct edge *edge)
{
    return process_of(step, edge)->states.data[edge->source].location->committed;
}

/* Nobody but those who take part for sure is in a committed location. */
static expr others_are_calm(const struct step *step)
{
    struct uppaal *u = step->u;
    struct exprs *exprs = exprs_of(step);
    VEC(expr) list = {0};
    for (uint32_t p = 0; p < u->processes.len; p++) {
        const struct process *process = &u->processes.data[p];
        bool takes_part = false;
        for (uint32_t i = 0; i < step->plan->taker_count; i++)
            takes_part |= step->plan->takers[i]->process == p;
        for (uint32_t s = 0; !takes_part && s < process->states.len; s++) {
            if (!process->states.data[s].location->committed) continue;
            expr there = stands(u, p, s);
            vec_push(u->model->mem, &list, expr_make(exprs, EXPR_NOT, 0, there, there));
        }
    }
    expr all = arith_all(exprs, list.data, list.len);
    vec_free(u->model->mem, &list);
    return all;
}

static bool someone_is_committed(const struct step *step)
{
    for (uint32_t i = 0; i < step->plan->taker_count; i++)
        if (is_committed(step, step->plan->takers[i])) return true;
    return false;
}

/* Whether one of those who may receive is in a committed location. */
static bool group_is_committed(const struct step *step)
{
    for (uint32_t g = 0; g < step->plan->group_count; g++)
        for (uint32_t i = 0; i < step->plan->groups[g].count; i++)
            if (is_committed(step, step->plan->groups[g].edges[i])) return true;
    return false;
}

static bool add_guards(struct step *step)
{
    struct uppaal *u = step->u;
    struct model *model = u->model;
    struct exprs *exprs = exprs_of(step);
    const struct plan *plan = step->plan;
    for (uint32_t i = 0; i < plan->taker_count; i++) {
        const struct edge *edge = plan->takers[i];
        model_add_part(model, process_of(step, edge)->number, edge->ast->place);
        if (plan->channel != MODEL_NONE) model_set_role(model, i ? PART_RECEIVES : PART_SENDS);
        model_add_conjunct(model, stands(u, edge->process, edge->source), edge->ast->source_place);
    }
    for (uint32_t i = 0; i < plan->standings.len; i++) {
        const struct standing *one = &plan->standings.data[i];
        expr there = stands(u, one->process, one->state);
        model_add_conjunct(model, one->is_not ? expr_make(exprs, EXPR_NOT, 0, there, there) : there,
                           plan->takers[0]->ast->place);
    }
    if (u->has_committed && !someone_is_committed(step) && !group_is_committed(step))
        model_add_conjunct(model, u->calm, plan->takers[0]->ast->place);
    bool good = true;
    for (uint32_t i = 0; good && i < plan->taker_count; i++)
        good = add_guard(step, i, plan->takers[i]);
    for (uint32_t i = 0; good && i < plan->demands.len; i++)
        good = add_demand(step, &plan->demands.data[i]);
    for (uint32_t i = 0; good && i < plan->constraints.len; i++)
        model_add_clock_guard(model, plan->constraints.data[i]);
    return good;
}

/* ---- who receives ---- */

/* The local of a group: the rules share them. */
static struct cell receives(struct uppaal *u, uint32_t group, const struct type *type)
{
    struct model *model = u->model;
    if (group == u->receives.len)
        vec_push(model->mem, &u->receives, emit_local(model, type, "receives").base);
    struct model_local *local = &model->locals.data[u->receives.data[group]];
    if (local->high < type->high) local->high = type->high;
    return emit_cell(model, true, u->receives.data[group]);
}

/* Per group: a local that is 0, or the number from 1 of the edge that takes part. */
static bool choose_receivers(struct step *step, struct cell *chosen)
{
    struct uppaal *u = step->u;
    struct exprs *exprs = exprs_of(step);
    const struct plan *plan = step->plan;
    VEC(expr) moved = {0};
    bool good = true;
    step->l.code.in_rule = false;
    for (uint32_t g = 0; good && g < plan->group_count; g++) {
        const struct group *group = &plan->groups[g];
        const struct type type = {.kind = TYPE_INT, .high = group->count, .cells = 1};
        chosen[g] = receives(u, g, &type);
        expr number = expr_int(exprs, 0);
        for (uint32_t i = 0; good && i < group->count; i++) {
            expr cond;
            good = steps_enabled(&step->l, group->edges[i], &cond);
            if (good) number = expr_choose(exprs, cond, expr_int(exprs, i + 1), number);
        }
        if (!good) break;
        emit_set(&step->l.code, &chosen[g], number, group->edges[0]->ast->place);
        for (uint32_t i = 0; i < group->count; i++)
            if (is_committed(step, group->edges[i]))
                vec_push(u->model->mem, &moved,
                         expr_make(exprs, EXPR_NE, 0, emit_read_nth(u->model, &type, &chosen[g], 0),
                                   expr_int(exprs, i + 1)));
    }
    if (good && moved.len && u->has_committed && !someone_is_committed(step)) {
        expr nobody = arith_all(exprs, moved.data, moved.len);
        expr cond = expr_make(exprs, EXPR_IMPLIES, 0, nobody, others_are_calm(step));
        emit_require(&step->l.code, cond, plan->takers[0]->ast->place, 0);
    }
    vec_free(u->model->mem, &moved);
    step->l.code.in_rule = true;
    return good;
}

/* ---- updates ---- */

void steps_touch(struct step *step, uint32_t family)
{
    for (uint32_t i = 0; i < step->touched.len; i++)
        if (step->touched.data[i] == family) return;
    vec_push(step->u->model->mem, &step->touched, family);
}

struct overlap {
    const struct step *step;
    bool is_stored;
};

static void note_stored(void *context, uint32_t var)
{
    struct overlap *overlap = context;
    for (uint32_t i = 0; i < overlap->step->stored.len; i++)
        overlap->is_stored |= overlap->step->stored.data[i] == var;
}

bool steps_store(struct lowering *l, const struct type *type, const struct cell *at,
                 const struct value *value, struct place place)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct step *step = l->step;
    const struct expr_node *offset = expr_get(exprs, at->offset);
    if (!l->code.in_rule || !code_is_none(l->code.out->first) || at->local
        || offset->op != EXPR_CONST)
        return false;
    struct overlap overlap = {.step = step};
    uint32_t var = at->base + (uint32_t)offset->value;
    note_stored(&overlap, var);
    expr_each_var(exprs, value->e, note_stored, &overlap);
    if (overlap.is_stored) return false;
    struct type_range range = type_cell(type, 0);
    model_add_store(
        l->u->model, var,
        expr_within(exprs, expr_to_int(exprs, value->e), range.low, range.high, FAILURE_RANGE),
        place);
    vec_push(l->u->model->mem, &step->stored, var);
    return true;
}

static bool is_touched(const struct step *step, uint32_t clock)
{
    for (uint32_t i = 0; i < step->touched.len; i++)
        if (step->touched.data[i] == step->u->family_of.data[clock]) return true;
    return false;
}

/* A clock that is set to a constant, whatever else happens; *done: it was that. */
static bool add_reset(struct step *step, struct uppaal_exp *exp, bool *done)
{
    struct lowering *l = &step->l;
    struct binding clock;
    struct value value;
    *done = false;
    if (exp->kind != UPPAAL_EXP_ASSIGN || !exp->is_plain || !l->code.in_rule
        || !clocked_mentions(l, exp->a) || clocked_mentions(l, exp->b))
        return true;
    struct code_sequence code = code_sequence_empty();
    struct emit_block before = emit_open(&l->code, &code);
    bool good = compute_place(l, exp->a, true, &clock) && compute_exp(l, exp->b, &value);
    emit_close(&l->code, &before);
    if (!good) return false;
    const struct expr_node *number =
        value.type && type_is_scalar(value.type) ? expr_get(exprs_of(step), value.e) : NULL;
    if (!code_is_none(code.first) || clock.kind != BIND_CLOCK || clock.type != l->u->clock_type
        || clock.at.count != 1 || !number || number->op != EXPR_CONST || number->value < 0
        || is_touched(step, clock.at.base))
        return true;
    *done = true;
    for (uint32_t i = 0; i < step->resets.len; i++)
        if (step->resets.data[i].clock == clock.at.base)
            return step->resets.data[i].value = number->value, true;
    vec_push(l->u->model->mem, &step->resets, ((struct clock_reset){clock.at.base, number->value}));
    return true;
}

static bool add_updates(struct step *step, struct env *env, struct uppaal_exp *list)
{
    step->l.env = env;
    for (; list; list = list->next) {
        struct uppaal_exp *next = list->next;
        bool done;
        if (!add_reset(step, list, &done)) return false;
        if (done) continue;
        list->next = NULL; /* one at a time */
        bool good = compute_list(&step->l, list);
        list->next = next;
        if (!good) return false;
    }
    return true;
}

static bool add_edge_updates(struct step *step, const struct edge *edge)
{
    return add_updates(step, edge->env, edge->ast->updates)
           && (!edge->branch || add_updates(step, edge->env, edge->branch->updates));
}

static bool add_group_updates(struct step *step, const struct group *group,
                              const struct cell *chosen)
{
    struct uppaal *u = step->u;
    struct exprs *exprs = exprs_of(step);
    const struct type type = {.kind = TYPE_INT, .high = group->count, .cells = 1};
    bool good = true;
    for (uint32_t i = 0; good && i < group->count; i++) {
        const struct edge *edge = group->edges[i];
        struct code_sequence code = code_sequence_empty();
        struct cell location = emit_cell(u->model, false, process_of(step, edge)->location);
        struct emit_block before = emit_open(&step->l.code, &code);
        good = add_edge_updates(step, edge);
        if (edge->source != edge->target)
            emit_set(&step->l.code, &location, expr_int(exprs, edge->target), edge->ast->place);
        emit_close(&step->l.code, &before);
        emit_if(&step->l.code,
                expr_make(exprs, EXPR_EQ, 0, emit_read_nth(u->model, &type, chosen, 0),
                          expr_int(exprs, i + 1)),
                code, code_sequence_empty(), edge->ast->place);
    }
    return good;
}

/* The sender's, then those of receivers by process. */
static bool add_all_updates(struct step *step, const struct cell *chosen)
{
    const struct plan *plan = step->plan;
    uint32_t taker = 1, group = 0;
    bool good = add_edge_updates(step, plan->takers[0]);
    while (good && (taker < plan->taker_count || group < plan->group_count)) {
        if (group == plan->group_count
            || (taker < plan->taker_count
                && plan->takers[taker]->process < plan->groups[group].process))
            good = add_edge_updates(step, plan->takers[taker++]);
        else {
            good = add_group_updates(step, &plan->groups[group], &chosen[group]);
            group++;
        }
    }
    for (uint32_t i = 0; good && i < plan->taker_count; i++) {
        const struct edge *edge = plan->takers[i];
        if (edge->source == edge->target) continue;
        model_add_store(step->u->model, process_of(step, edge)->location,
                        expr_int(exprs_of(step), edge->target), edge->ast->target_place);
    }
    return good;
}

/* Resets, and the first values of setters. */
static void add_resets(struct step *step)
{
    struct uppaal *u = step->u;
    struct model *model = u->model;
    for (uint32_t i = 0; i < step->touched.len; i++) {
        const struct family *family = &u->families.data[step->touched.data[i]];
        for (uint32_t k = 0; k < family->count; k++) {
            int64_t value = -1;
            for (uint32_t r = 0; r < step->resets.len; r++)
                if (step->resets.data[r].clock == family->first + k)
                    value = step->resets.data[r].value;
            assert(family->setter != MODEL_NONE); /* it was touched */
            struct model_var *setter = &model->vars.data[family->setter + k];
            if (setter->high < value) setter->high = value;
            model_add_store(model, family->setter + k, expr_int(exprs_of(step), value),
                            step->plan->takers[0]->ast->place);
        }
    }
    for (uint32_t r = 0; r < step->resets.len; r++)
        if (!is_touched(step, step->resets.data[r].clock))
            model_add_reset(model, step->resets.data[r]);
}

/* ---- invariants ---- */

static void mark_cells(struct step *step, const struct cell *cell, uint32_t cells)
{
    if (cell->local) return;
    const struct expr_node *offset = expr_get(exprs_of(step), cell->offset);
    uint32_t first = cell->base, count = cell->count + cells - 1;
    if (offset->op == EXPR_CONST) first += (uint32_t)offset->value, count = cells;
    for (uint32_t i = 0; i < count && first + i < step->u->model->vars.len; i++)
        step->written[first + i] = true;
}

static void mark_code(struct step *step, statement at, uint8_t *known)
{
    const struct model *model = step->u->model;
    while (!code_is_none(at) && !known[at.i]) {
        const struct code_node *node = &model->code.data[at.i];
        known[at.i] = 1;
        if (node->op == CODE_SET) mark_cells(step, &node->target, 1);
        if (node->op == CODE_COPY) mark_cells(step, &node->target, node->cells);
        if (node->op == CODE_IF || node->op == CODE_WHILE || node->op == CODE_CALL) {
            mark_code(step, node->body, known);
            mark_code(step, node->other, known);
        }
        at = node->next;
    }
}

static void find_writes(struct step *step)
{
    struct model *model = step->u->model;
    const struct model_rule *rule = &model->rules.data[model->rules.len - 1];
    uint8_t *known = mem_alloc(model->mem, model->code.len + UINT64_C(1));
    step->written = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    for (uint32_t i = 0; i < rule->stores; i++)
        step->written[model->stores.data[rule->first_store + i].var] = true;
    mark_code(step, step->body.first, known);
    mem_free(model->mem, known);
}

static const struct edge *taker_of(const struct step *step, uint32_t process)
{
    for (uint32_t i = 0; i < step->plan->taker_count; i++)
        if (step->plan->takers[i]->process == process) return step->plan->takers[i];
    return NULL;
}

static bool may_enter(const struct step *step, uint32_t process, uint32_t state)
{
    for (uint32_t g = 0; g < step->plan->group_count; g++)
        for (uint32_t i = 0; i < step->plan->groups[g].count; i++)
            if (step->plan->groups[g].process == process
                && step->plan->groups[g].edges[i]->target == state)
                return true;
    return false;
}

static bool depends(const struct step *step, const struct state *state)
{
    if (state->reads_all) return true;
    for (uint32_t i = 0; i < state->reads.len; i++)
        if (step->written[state->reads.data[i]]) return true;
    return false;
}

static bool add_state_conditions(struct step *step, uint32_t p, const struct state *state)
{
    struct exprs *exprs = exprs_of(step);
    const struct edge *taker = taker_of(step, p);
    expr when = expr_bool(exprs, true);
    bool enters = taker ? taker->target == state->value && taker->source != taker->target
                        : may_enter(step, p, state->value);
    if (taker && taker->target != state->value) return true;
    if (!enters && !depends(step, state)) return true;
    if (!taker) when = stands(step->u, p, state->value);
    step->invariants++;
    for (uint32_t i = 0; i < state->conditions.len; i++)
        if (!steps_require(&step->l, &state->conditions.data[i], when)) return false;
    return true;
}

static bool add_invariants(struct step *step)
{
    struct uppaal *u = step->u;
    bool good = true;
    step->l.code.in_rule = false;
    if (!u->has_conditions) return true;
    find_writes(step);
    for (uint32_t p = 0; good && p < u->processes.len; p++)
        for (uint32_t s = 0; good && s < u->processes.data[p].states.len; s++)
            if (u->processes.data[p].states.data[s].conditions.len)
                good = add_state_conditions(step, p, &u->processes.data[p].states.data[s]);
    mem_free(u->model->mem, step->written);
    return good;
}

/* ---- the whole ---- */

static const char *label_of(struct uppaal *u, const struct plan *plan)
{
    const struct edge *edge = plan->takers[0];
    const struct process *process = &u->processes.data[edge->process];
    if (plan->channel != MODEL_NONE) return u->channels.data[plan->channel].name;
    return names_format(&u->model->names, "%s->%s",
                        process->states.data[edge->source].location->shown,
                        process->states.data[edge->target].location->shown);
}

/* The channels of an array are known by its name, too. */
static const char *port_of(struct uppaal *u, const struct plan *plan)
{
    if (plan->channel == MODEL_NONE) return NULL;
    const char *name = u->channels.data[plan->channel].name;
    const size_t length = strcspn(name, "[");
    return name[length] ? names_intern(&u->model->names, name, length) : NULL;
}

static void add_class(struct step *step)
{
    struct uppaal *u = step->u;
    const struct plan *plan = step->plan;
    uint32_t rank = 0;
    if (!u->has_ranks) return;
    for (uint32_t i = 0; i < plan->taker_count; i++) {
        const struct process *process = process_of(step, plan->takers[i]);
        if (process->rank > rank) rank = process->rank;
    }
    uint32_t channel =
        plan->channel == MODEL_NONE ? u->default_rank : u->channels.data[plan->channel].rank;
    model_add_class(u->model, channel * (u->top_rank + 1) + rank);
}

struct mark {
    uint32_t rules, parts, conjuncts, stores, classes, constraints, resets;
};

static struct mark mark_model(const struct model *model)
{
    return (struct mark){model->rules.len,  model->parts.len,        model->conjuncts.len,
                         model->stores.len, model->rule_classes.len, model->constraints.len,
                         model->resets.len};
}

/* The rule can never be taken: it was not there. */
static void take_back(struct model *model, const struct mark *mark)
{
    model->rules.len = mark->rules;
    model->parts.len = mark->parts;
    model->conjuncts.len = mark->conjuncts;
    model->stores.len = mark->stores;
    model->rule_classes.len = mark->classes;
    model->constraints.len = mark->constraints;
    model->resets.len = mark->resets;
}

/* The rule, or (`shadow`) the one that only says that it would be possible. */
static bool add_rule(struct step *step, bool shadow)
{
    struct uppaal *u = step->u;
    struct model *model = u->model;
    const struct plan *plan = step->plan;
    struct mark mark = mark_model(model);
    struct cell *chosen = mem_alloc(model->mem, (plan->group_count + UINT64_C(1)) * sizeof *chosen);
    step->body = code_sequence_empty();
    step->l = (struct lowering){
        .u = u, .code = {.model = model, .out = &step->body, .in_rule = true}, .step = step};
    step->touched.len = step->stored.len = step->resets.len = step->invariants = 0;
    model_begin_rule(model, label_of(u, plan));
    bool good = add_guards(step) && choose_receivers(step, chosen);
    bool impossible = step->l.code.impossible;
    if (good && !shadow) {
        good = add_all_updates(step, chosen);
        impossible = step->l.code.impossible;
        /* where invariants forbid the step, its updates may still fail */
        good = good && add_invariants(step);
        add_resets(step);
    }
    mem_free(model->mem, chosen);
    if (!good || impossible) return take_back(model, &mark), good;
    add_class(step);
    order_conjuncts(step);
    struct model_rule *rule = &model->rules.data[model->rules.len - 1];
    rule->body = step->body.first;
    rule->is_internal = plan->channel == MODEL_NONE;
    rule->port = port_of(u, plan);
    rule->is_urgent = plan->channel != MODEL_NONE && u->channels.data[plan->channel].is_urgent;
    if (shadow) {
        rule->asks = true;
        rule->permit = expr_bool(exprs_of(step), false);
    }
    model_end_rule(model);
    return true;
}

bool steps_add(struct uppaal *u, const struct plan *plan)
{
    struct step step = {.u = u, .plan = plan};
    assert(plan->taker_count);
    uint32_t rules = u->model->rules.len;
    bool good = add_rule(&step, false);
    bool is_urgent = plan->channel != MODEL_NONE && u->channels.data[plan->channel].is_urgent;
    if (good && is_urgent && step.invariants && u->model->rules.len > rules) {
        if (u->has_ranks) {
            diag_error(u->diag, DIAG_UNSUPPORTED, plan->takers[0]->ast->place,
                       "an urgent channel that leads to invariants without clocks does not go "
                       "together with priorities");
            good = false;
        } else good = add_rule(&step, true);
    }
    vec_free(u->model->mem, &step.touched);
    vec_free(u->model->mem, &step.stored);
    vec_free(u->model->mem, &step.resets);
    return good;
}
