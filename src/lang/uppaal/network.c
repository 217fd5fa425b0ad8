/* The steps of the system. Every edge is taken apart into one for each combination of selected
 * values, of ways on from a branchpoint, and of channels that its index may mean. Then an edge
 * without a channel is a step, every pair of edges of two processes that send and receive on a
 * channel is one, and broadcast.c makes those of broadcast channels.
 *
 * Priorities: the class of a step is that of its channel, then that of its highest process. */
#include "lang/uppaal/scope.h"

#include <assert.h>
#include <inttypes.h>

enum { MAX_RULES = 1000000, MAX_EDGES = 1000000, MAX_SELECTED = 65536, MAX_CLASSES = 2000 };

/* ---- locations ---- */

struct collecting {
    struct uppaal *u;
    struct state *state;
};

static void collect(void *context, uint32_t var)
{
    struct collecting *c = context;
    vec_push(c->u->model->mem, &c->state->reads, var);
}

/* Which variables the conditions of an invariant depend on. */
static bool find_reads(struct uppaal *u, struct state *state)
{
    struct exprs *exprs = uppaal_exprs(u);
    struct collecting collecting = {u, state};
    for (uint32_t i = 0; i < state->conditions.len; i++) {
        const struct condition *one = &state->conditions.data[i];
        struct code_sequence code = code_sequence_empty();
        struct lowering l = {.u = u, .env = one->env, .code = {.model = u->model, .out = &code}};
        expr cond = one->what;
        if (!one->is_made && !compute_condition(&l, one->exp, &cond)) return false;
        state->reads_all |= !code_is_none(code.first);
        expr_each_var(exprs, cond, collect, &collecting);
        expr_each_var(exprs, one->when, collect, &collecting);
    }
    return true;
}

static bool add_locations(struct uppaal *u, struct process *process)
{
    struct model *model = u->model;
    uint32_t first = model->locations.len;
    for (uint32_t s = 0; s < process->states.len; s++) {
        struct state *state = &process->states.data[s];
        const struct uppaal_location *at = state->location;
        struct split split = {0};
        struct lowering l = {.u = u,
                             .env = process->env,
                             .code.model = model,
                             .context = "an invariant with clocks"};
        if (at->invariant
            && !clocked_split(&l, at->invariant, false, expr_bool(&model->exprs, true), &split))
            return false;
        struct model_location location = {.value = state->value,
                                          .name = at->shown,
                                          .first_invariant = model->constraints.len,
                                          .invariants = split.constraints.len,
                                          .is_urgent = at->urgent || at->committed,
                                          .place = at->place};
        for (uint32_t i = 0; i < split.constraints.len; i++)
            vec_push(model->mem, &model->constraints, split.constraints.data[i]);
        for (uint32_t i = 0; i < split.conditions.len; i++)
            vec_push(model->mem, &state->conditions, split.conditions.data[i]);
        u->has_conditions |= split.conditions.len > 0;
        u->has_committed |= at->committed;
        clocked_free(u, &split);
        vec_push(model->mem, &model->locations, location);
        if (!find_reads(u, state)) return false;
    }
    model->processes.data[process->number].first_location = first;
    model->processes.data[process->number].locations = process->states.len;
    return true;
}

static void make_calm(struct uppaal *u)
{
    struct exprs *exprs = uppaal_exprs(u);
    VEC(expr) list = {0};
    for (uint32_t p = 0; p < u->processes.len; p++) {
        const struct process *process = &u->processes.data[p];
        for (uint32_t s = 0; s < process->states.len; s++)
            if (process->states.data[s].location->committed)
                vec_push(
                    u->model->mem, &list,
                    expr_make(exprs, EXPR_NE, 0,
                              expr_var_in(exprs, process->location, 0, process->states.len - 1),
                              expr_int(exprs, s)));
    }
    u->calm = arith_all(exprs, list.data, list.len);
    vec_free(u->model->mem, &list);
}

/* ---- edges ---- */

static bool calls_something(const struct uppaal_exp *exp)
{
    if (!exp) return false;
    if (exp->kind == UPPAAL_EXP_CALL || exp->kind == UPPAAL_EXP_ASSIGN) return true;
    if (exp->kind == UPPAAL_EXP_UNARY && exp->op >= UPPAAL_PRE_INCREASE
        && exp->op <= UPPAAL_POST_DECREASE)
        return true;
    return calls_something(exp->a) || calls_something(exp->b) || calls_something(exp->c);
}

/* Whether constants alone make a guard false: with selected values that is common. */
static bool is_never(struct lowering *l, struct uppaal_exp *exp)
{
    expr cond;
    if (!exp) return false;
    if (exp->kind == UPPAAL_EXP_BINARY && exp->op == UPPAAL_AND)
        return is_never(l, exp->a) || is_never(l, exp->b);
    if (calls_something(exp) || clocked_mentions(l, exp) || !compute_condition(l, exp, &cond))
        return false;
    return expr_is_false(uppaal_exprs(l->u), cond);
}

static uint32_t state_of(const struct process *process, const struct uppaal_location *location)
{
    for (uint32_t i = 0; i < process->states.len; i++)
        if (process->states.data[i].location == location) return i;
    assert(!"a location of another template");
    return 0;
}

/* One for each channel that may be meant. */
static bool add_channels(struct uppaal *u, struct process *process, struct edge edge)
{
    struct exprs *exprs = uppaal_exprs(u);
    struct lowering l = {
        .u = u, .env = edge.env, .code.model = u->model, .context = "a synchronisation"};
    struct binding found;
    edge.channel = MODEL_NONE;
    edge.is_meant = expr_bool(exprs, true);
    if (edge.ast->sync == UPPAAL_SYNC_NONE) {
        vec_push(u->model->mem, &process->edges, edge);
        return true;
    }
    if (!compute_place(&l, edge.ast->channel, false, &found)) return false;
    if (found.kind != BIND_CHANNEL || found.type != u->channel_type) {
        complain(u, edge.ast->channel, DIAG_TYPE, "a single channel is needed here");
        return false;
    }
    for (uint32_t i = 0; i < found.at.count; i++) {
        edge.channel = found.at.base + i;
        if (found.at.count > 1)
            edge.is_meant = expr_make(exprs, EXPR_EQ, 0, found.at.offset, expr_int(exprs, i));
        if (!expr_is_false(exprs, edge.is_meant)) vec_push(u->model->mem, &process->edges, edge);
    }
    return true;
}

static bool add_branches(struct uppaal *u, struct process *process, struct edge edge)
{
    if (!edge.ast->target->is_branchpoint) {
        edge.target = state_of(process, edge.ast->target);
        return add_channels(u, process, edge);
    }
    for (struct uppaal_edge *branch = process->template->edges; branch; branch = branch->next) {
        if (branch->source != edge.ast->target) continue;
        edge.branch = branch;
        edge.target = state_of(process, branch->target);
        if (!add_channels(u, process, edge)) return false;
    }
    return true;
}

static bool add_selected(struct uppaal *u, struct process *process, struct edge edge,
                         struct uppaal_select *select)
{
    if (process->edges.len > MAX_EDGES) {
        diag_error(u->diag, DIAG_LIMIT, edge.ast->place, "more than %d edges", MAX_EDGES);
        return false;
    }
    if (!select) {
        struct lowering l = {.u = u, .env = edge.env, .code.model = u->model, .context = "a guard"};
        edge.has_clocks = clocked_mentions(&l, edge.ast->guard);
        return is_never(&l, edge.ast->guard) || add_branches(u, process, edge);
    }
    const struct type *type =
        resolve_domain(u, edge.env, select->type, MAX_SELECTED, select->place);
    if (!type) return false;
    struct type_range range = type_cell(type, 0);
    struct env *outer = edge.env;
    for (int64_t n = range.low; n <= range.high; n++) {
        edge.env = arena_alloc(&u->model->arena, sizeof *edge.env);
        edge.env->outer = outer;
        compute_bind(u, edge.env,
                     (struct binding){.name = select->name,
                                      .kind = BIND_VALUE,
                                      .type = type,
                                      .value = resolve_nth(u, type, n)});
        if (!add_selected(u, process, edge, select->next)) return false;
    }
    return true;
}

/* Adds how many combinations of selected values there are, before any is made. A type may depend on
 * values that were selected before. False: it is wrong, or there are too many. */
static bool count_selected(struct uppaal *u, struct env *outer, struct uppaal_select *select,
                           uint64_t *combinations)
{
    const struct type *type = resolve_domain(u, outer, select->type, MAX_SELECTED, select->place);
    if (!type) return false;
    const struct type_range range = type_cell(type, 0);
    struct env env = {.outer = outer};
    bool good = true;
    if (!select->next) *combinations += type_values(type, MAX_SELECTED);
    else compute_bind(u, &env, (struct binding){.name = select->name, .type = type});
    for (int64_t n = range.low; good && select->next && n <= range.high; n++) {
        env.list.data[0].value = resolve_nth(u, type, n);
        good = count_selected(u, &env, select->next, combinations);
    }
    vec_free(u->model->mem, &env.list);
    if (!good || *combinations <= MAX_EDGES) return good;
    diag_error(u->diag, DIAG_LIMIT, select->place, "more than %d combinations of selected values",
               MAX_EDGES);
    return false;
}

static bool add_edges(struct uppaal *u, uint32_t number)
{
    struct process *process = &u->processes.data[number];
    for (struct uppaal_edge *ast = process->template->edges; ast; ast = ast->next) {
        if (ast->source->is_branchpoint) continue;
        struct edge edge = {.ast = ast,
                            .env = process->env,
                            .process = number,
                            .source = state_of(process, ast->source)};
        mem_look(u->model->mem);
        uint64_t combinations = 0;
        if ((ast->selects && !count_selected(u, process->env, ast->selects, &combinations))
            || !add_selected(u, process, edge, ast->selects))
            return false;
    }
    return true;
}

/* ---- priorities ---- */

static bool rank_channels(struct uppaal *u, const struct uppaal_decl *decl)
{
    bool has_default = false;
    for (const struct uppaal_ranked *one = decl->ranks; one; one = one->next)
        has_default |= !one->channel;
    /* channels that no list has are the lowest, unless it says `default` */
    uint32_t shift = !has_default;
    for (const struct uppaal_ranked *one = decl->ranks; one; one = one->next)
        if (!one->channel) u->default_rank = one->rank;
    for (uint32_t i = 0; i < u->channels.len; i++) u->channels.data[i].rank = u->default_rank;
    for (const struct uppaal_ranked *one = decl->ranks; one; one = one->next) {
        struct lowering l = {
            .u = u, .env = &u->global, .code.model = u->model, .context = "a priority"};
        struct binding found;
        if (!one->channel) continue;
        if (!compute_place(&l, one->channel, false, &found)) return false;
        if (found.kind != BIND_CHANNEL || found.at.count != 1) {
            complain(u, one->channel, DIAG_TYPE, "a channel that is known is needed here");
            return false;
        }
        for (uint32_t i = 0; i < found.type->cells; i++)
            u->channels.data[found.at.base + i].rank = one->rank + shift;
    }
    u->has_ranks = true;
    return true;
}

static bool add_priorities(struct uppaal *u)
{
    struct model *model = u->model;
    uint32_t top = 0;
    for (const struct uppaal_decl *decl = u->file.decls; decl; decl = decl->next)
        if (decl->kind == UPPAAL_DECL_PRIORITY && !rank_channels(u, decl)) return false;
    u->has_ranks |= u->top_rank > 0;
    if (!u->has_ranks) return true;
    assert(!model->rules.len); /* rules say their class */
    for (uint32_t i = 0; i < u->channels.len; i++)
        if (u->channels.data[i].rank > top) top = u->channels.data[i].rank;
    if (u->default_rank > top) top = u->default_rank;
    uint64_t classes = (top + UINT64_C(1)) * (u->top_rank + UINT64_C(1));
    if (classes > MAX_CLASSES) {
        diag_error(u->diag, DIAG_LIMIT, u->file.system_place, "more than %d priorities",
                   MAX_CLASSES);
        return false;
    }
    model->class_count = (uint32_t)classes;
    for (uint32_t high = 1; high < classes; high++)
        for (uint32_t low = 0; low < high; low++)
            vec_push(model->mem, &model->priorities, ((struct model_priority){high, low}));
    return true;
}

/* ---- steps ---- */

/* The edges that send, or receive, on each channel. */
struct ends {
    VEC(struct edge *) senders, receivers;
};

static bool add_step(struct uppaal *u, struct edge *first, struct edge *second)
{
    struct edge *takers[] = {first, second};
    struct plan plan = {.channel = first->channel, .takers = takers, .taker_count = second ? 2 : 1};
    mem_look(u->model->mem);
    if (u->model->rules.len >= MAX_RULES) {
        diag_error(u->diag, DIAG_LIMIT, first->ast->place, "more than %d steps", MAX_RULES);
        return false;
    }
    return steps_add(u, &plan);
}

static bool add_channel_steps(struct uppaal *u, uint32_t channel, const struct ends *ends)
{
    for (uint32_t i = 0; i < ends->senders.len; i++) {
        struct edge *sender = ends->senders.data[i];
        if (u->channels.data[channel].is_broadcast) {
            if (!broadcast_build(u, sender, ends->receivers.data, ends->receivers.len))
                return false;
            continue;
        }
        for (uint32_t k = 0; k < ends->receivers.len; k++)
            if (ends->receivers.data[k]->process != sender->process
                && !add_step(u, sender, ends->receivers.data[k]))
                return false;
    }
    return true;
}

static bool add_steps(struct uppaal *u)
{
    struct mem *mem = u->model->mem;
    struct ends *ends = mem_alloc(mem, (u->channels.len + UINT64_C(1)) * sizeof *ends);
    bool good = true;
    for (uint32_t p = 0; good && p < u->processes.len; p++)
        for (uint32_t e = 0; good && e < u->processes.data[p].edges.len; e++) {
            struct edge *edge = &u->processes.data[p].edges.data[e];
            if (edge->channel == MODEL_NONE) good = add_step(u, edge, NULL);
            else if (edge->ast->sync == UPPAAL_SYNC_SEND)
                vec_push(mem, &ends[edge->channel].senders, edge);
            else vec_push(mem, &ends[edge->channel].receivers, edge);
        }
    for (uint32_t c = 0; good && c < u->channels.len; c++) good = add_channel_steps(u, c, &ends[c]);
    for (uint32_t c = 0; c < u->channels.len; c++) {
        vec_free(mem, &ends[c].senders);
        vec_free(mem, &ends[c].receivers);
    }
    mem_free(mem, ends);
    return good;
}

bool network_build(struct uppaal *u)
{
    for (uint32_t p = 0; p < u->processes.len; p++)
        if (!add_locations(u, &u->processes.data[p]) || !add_edges(u, p)) return false;
    make_calm(u);
    return add_priorities(u) && add_steps(u);
}
