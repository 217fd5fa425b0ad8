/* Variables, clocks, processes, and the rules: an edge whose event is in no synchronisation with
 * its process is a rule; so is every choice of edges of the processes of a synchronisation. A weak
 * party without such an edge where it stands is left out; where nobody is left there is no rule.
 *
 * Where some process stands in a committed location, only rules that leave one are possible. */
#include "lang/tck/lower.h"

#include "model/eval.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST_RULES = 1 << 20, MOST_INITIAL = 1 << 16, MOST_CLOCK = 1 << 30 };

static struct exprs *exprs_of(struct tck *tck) { return &tck->model->exprs; }

/* ---- variables and clocks ---- */

static const char *name_of(struct tck *tck, const struct tck_array *array, uint32_t i)
{
    return array->count == 1 ? array->name
                             : names_format(&tck->model->names, "%s[%" PRIu32 "]", array->name, i);
}

static void add_ints(struct tck *tck)
{
    struct model *model = tck->model;
    struct tck_file *file = &tck->file;
    tck->types = arena_alloc(&model->arena, (file->ints.len + UINT64_C(1)) * sizeof *tck->types);
    for (uint32_t i = 0; i < file->ints.len; i++) {
        struct tck_array *array = &file->ints.data[i];
        const struct type *of =
            type_new_int(&model->arena, array->low, array->high, array->init, NULL);
        tck->types[i] =
            array->count == 1 ? of : type_new_sequence(&model->arena, TYPE_ARRAY, of, array->count);
        array->first = model->vars.len;
        for (uint32_t k = 0; k < array->count; k++)
            vec_push(model->mem, &model->vars,
                     ((struct model_var){.name = name_of(tck, array, k),
                                         .process = MODEL_NONE,
                                         .low = array->low,
                                         .high = array->high,
                                         .init = array->init,
                                         .place = array->place}));
        if (array->count > 1)
            vec_push(model->mem, &model->wholes,
                     ((struct model_whole){array->name, array->first,
                                           type_shape(&model->arena, tck->types[i])}));
    }
}

static void add_clocks(struct tck *tck)
{
    struct model *model = tck->model;
    for (uint32_t i = 0; i < tck->file.clocks.len; i++) {
        struct tck_array *array = &tck->file.clocks.data[i];
        array->first = model->clocks.len;
        for (uint32_t k = 0; k < array->count; k++) {
            struct model_clock clock = {.name = name_of(tck, array, k),
                                        .place = array->place,
                                        .is_set_by_code = tck->needs_setter[i],
                                        .setter = model->vars.len};
            vec_push(model->mem, &model->clocks, clock);
            if (clock.is_set_by_code)
                vec_push(
                    model->mem, &model->vars,
                    ((struct model_var){.name = names_format(&model->names, "%s.set", clock.name),
                                        .process = MODEL_NONE,
                                        .low = -1,
                                        .high = MOST_CLOCK,
                                        .init = -1,
                                        .is_hidden = true,
                                        .is_internal = true,
                                        .place = array->place}));
        }
    }
}

static bool add_process(struct tck *tck, uint32_t p)
{
    struct model *model = tck->model;
    struct tck_process *process = &tck->file.processes.data[p];
    struct model_process made = {.name = process->name,
                                 .type = process->name,
                                 .location = model->vars.len,
                                 .first_location = model->locations.len,
                                 .locations = process->locations.len,
                                 .place = process->place};
    process->var = model->vars.len;
    struct model_var var = {.name = names_format(&model->names, "%s.location", process->name),
                            .process = p,
                            .high = process->locations.len - 1,
                            .place = process->place};
    while (!process->locations.data[var.init].is_initial) var.init++;
    vec_push(model->mem, &model->vars, var);
    vec_push(model->mem, &model->processes, made);
    for (uint32_t l = 0; l < process->locations.len; l++) {
        const struct tck_location *location = &process->locations.data[l];
        vec_push(
            model->mem, &model->locations,
            ((struct model_location){.value = l,
                                     .name = location->name,
                                     .is_urgent = location->is_urgent || location->is_committed,
                                     .place = location->place}));
    }
    return true;
}

/* Once all variables are there. */
static bool add_invariants(struct tck *tck)
{
    struct model *model = tck->model;
    for (uint32_t p = 0; p < tck->file.processes.len; p++)
        for (uint32_t l = 0; l < tck->file.processes.data[p].locations.len; l++) {
            struct model_location *location =
                &model->locations.data[model->processes.data[p].first_location + l];
            if (!tck_split(tck, tck->file.processes.data[p].locations.data[l].invariant))
                return false;
            location->first_invariant = model->constraints.len;
            location->invariants = tck->constraints.len;
            for (uint32_t i = 0; i < tck->constraints.len; i++)
                vec_push(model->mem, &model->constraints, tck->constraints.data[i]);
        }
    return true;
}

expr tck_is_at(struct tck *tck, uint32_t process, uint32_t location)
{
    struct exprs *exprs = exprs_of(tck);
    const uint32_t var = tck->file.processes.data[process].var;
    return expr_make(exprs, EXPR_EQ, 0, expr_var_in(exprs, var, 0, tck->model->vars.data[var].high),
                     expr_int(exprs, location));
}

/* ---- initial states ---- */

/* The part of the invariants that is about variables. *holds: in this state. */
static bool invariants_hold(struct tck *tck, const int64_t *state, bool *holds)
{
    *holds = true;
    for (uint32_t p = 0; p < tck->file.processes.len; p++) {
        const struct tck_process *process = &tck->file.processes.data[p];
        if (!tck_split(tck, process->locations.data[state[process->var]].invariant)) return false;
        for (uint32_t i = 0; i < tck->conjuncts.len; i++) {
            int64_t value;
            *holds &= eval_expr(tck->model, tck->conjuncts.data[i], state, &value) && value;
        }
    }
    return true;
}

/* The next combination of initial locations; false: there is none. */
static bool next_initial(const struct tck *tck, int64_t *state)
{
    for (uint32_t p = 0; p < tck->file.processes.len; p++) {
        const struct tck_process *process = &tck->file.processes.data[p];
        int64_t *at = &state[process->var];
        while (++*at < process->locations.len)
            if (process->locations.data[*at].is_initial) return true;
        *at = tck->model->vars.data[process->var].init;
    }
    return false;
}

static bool find_initial(struct tck *tck)
{
    struct model *model = tck->model;
    const uint32_t width = model->vars.len;
    int64_t *state = arena_alloc(&model->arena, (width + UINT64_C(1)) * sizeof *state);
    VEC(int64_t) found = {0};
    uint32_t count = 0, all = 0;
    bool holds, good = true;
    for (uint32_t v = 0; v < width; v++) state[v] = model->vars.data[v].init;
    do {
        good = ++all <= MOST_INITIAL && invariants_hold(tck, state, &holds);
        if (!good || !holds) continue;
        count++;
        for (uint32_t v = 0; v < width; v++) vec_push(model->mem, &found, state[v]);
    } while (good && next_initial(tck, state));
    const struct place place = {.source = tck->input->source};
    if (all > MOST_INITIAL)
        diag_error(tck->file.diag, DIAG_LIMIT, place, "more than %d initial states", MOST_INITIAL);
    else if (good && !count && width)
        diag_error(tck->file.diag, DIAG_NEVER, place,
                   "no initial state: the invariants of initial locations do not hold");
    if (good && (count > 1 || all > 1)) model_list_initial(model, found.data, count);
    vec_free(model->mem, &found);
    return good && !tck->file.diag->errors;
}

/* ---- rules ---- */

/* The edges of a rule, one after the other, and parties that have none. */
struct choice {
    const struct tck_edge **edges;
    uint32_t count;
    const struct tck_party **absent;
    uint32_t absent_count;
};

static const struct tck_location *location_of(const struct tck *tck, uint32_t process, uint32_t at)
{
    return &tck->file.processes.data[process].locations.data[at];
}

static void add_not_at(struct tck *tck, uint32_t process, uint32_t location, struct place place)
{
    const expr at = tck_is_at(tck, process, location);
    model_add_conjunct(tck->model, expr_make(exprs_of(tck), EXPR_NOT, 0, at, at), place);
}

static bool moves(const struct choice *choice, uint32_t process)
{
    for (uint32_t i = 0; i < choice->count; i++)
        if (choice->edges[i]->process == process) return true;
    return false;
}

/* Nobody stands in a committed location, unless one of these leaves one. */
static void respect_committed(struct tck *tck, const struct choice *choice)
{
    for (uint32_t i = 0; i < choice->count; i++)
        if (location_of(tck, choice->edges[i]->process, choice->edges[i]->source)->is_committed)
            return;
    for (uint32_t p = 0; p < tck->file.processes.len; p++) {
        const struct tck_process *process = &tck->file.processes.data[p];
        for (uint32_t l = 0; l < process->locations.len && !moves(choice, p); l++)
            if (process->locations.data[l].is_committed)
                add_not_at(tck, p, l, choice->edges[0]->place);
    }
}

static bool add_guard(struct tck *tck, const struct tck_edge *edge)
{
    struct model *model = tck->model;
    model_add_part(model, edge->process, edge->place);
    model_add_conjunct(model, tck_is_at(tck, edge->process, edge->source), edge->place);
    if (!tck_split(tck, edge->provided)) return false;
    for (uint32_t i = 0; i < tck->conjuncts.len; i++)
        model_add_conjunct(model, tck->conjuncts.data[i], tck->conjunct_places.data[i]);
    for (uint32_t i = 0; i < tck->constraints.len; i++)
        model_add_clock_guard(model, tck->constraints.data[i]);
    return true;
}

static void add_absent(struct tck *tck, const struct choice *choice)
{
    for (uint32_t i = 0; i < choice->absent_count; i++)
        for (uint32_t e = 0; e < tck->file.edges.len; e++) {
            const struct tck_edge *edge = &tck->file.edges.data[e];
            if (edge->process == choice->absent[i]->process
                && edge->event == choice->absent[i]->event)
                add_not_at(tck, edge->process, edge->source, choice->edges[0]->place);
        }
}

/* What invariants say about variables: who stands in a location satisfies it. */
static bool find_invariants(struct tck *tck)
{
    struct exprs *exprs = exprs_of(tck);
    for (uint32_t p = 0; p < tck->file.processes.len; p++) {
        const struct tck_process *process = &tck->file.processes.data[p];
        for (uint32_t l = 0; l < process->locations.len; l++) {
            if (!tck_split(tck, process->locations.data[l].invariant)) return false;
            for (uint32_t i = 0; i < tck->conjuncts.len; i++)
                vec_push(tck->model->mem, &tck->invariants,
                         expr_make(exprs, EXPR_IMPLIES, 0, tck_is_at(tck, p, l),
                                   tck->conjuncts.data[i]));
        }
    }
    return true;
}

/* They hold where the rule leads. Who does not move may stand anywhere. */
static void require_invariants(struct tck *tck, const struct choice *choice)
{
    if (tck->invariants.len && code_is_none(tck->emit.out->first))
        tck->emit.in_rule = false; /* it is about the state that is reached */
    for (uint32_t i = 0; i < tck->invariants.len; i++)
        emit_require(&tck->emit, tck->invariants.data[i], choice->edges[0]->place, 0);
}

/* A clock that is set by code goes on unless the code says otherwise. */
static void clear_setters(struct tck *tck, const struct tck_statement *step)
{
    struct model *model = tck->model;
    for (; step; step = step->next) {
        clear_setters(tck, step->body);
        clear_setters(tck, step->other);
        if (step->kind != TCK_ASSIGN) continue;
        const uint32_t found = map_get(&tck->file.scope, step->target->name, TCK_SCOPE_CLOCK);
        if (found == MAP_NONE || !tck->needs_setter[found]) continue;
        const struct tck_array *array = &tck->file.clocks.data[found];
        for (uint32_t k = 0; k < array->count; k++) {
            const uint32_t setter = model->clocks.data[array->first + k].setter;
            const struct model_rule *rule = &model->rules.data[model->rules.len - 1];
            bool is_there = false;
            for (uint32_t s = 0; s < rule->stores; s++)
                is_there |= model->stores.data[rule->first_store + s].var == setter;
            if (!is_there) model_add_store(model, setter, expr_int(exprs_of(tck), -1), step->place);
        }
    }
}

static bool add_effect(struct tck *tck, const struct choice *choice)
{
    struct model *model = tck->model;
    struct code_sequence code = code_sequence_empty();
    tck->resets.len = 0;
    tck->emit = (struct emit){.model = model, .out = &code, .in_rule = true};
    bool good = true;
    for (uint32_t i = 0; i < choice->count; i++) {
        const struct tck_edge *edge = choice->edges[i];
        model_add_store(model, tck->file.processes.data[edge->process].var,
                        expr_int(exprs_of(tck), edge->target), edge->place);
        clear_setters(tck, edge->steps);
    }
    for (uint32_t i = 0; good && i < choice->count; i++) {
        tck->locals.len = 0;
        good = tck_lower_steps(tck, choice->edges[i]->steps);
    }
    if (good) require_invariants(tck, choice);
    model->rules.data[model->rules.len - 1].body = code.first;
    for (uint32_t i = 0; i < tck->resets.len; i++) model_add_reset(model, tck->resets.data[i]);
    return good;
}

static bool add_rule(struct tck *tck, const struct choice *choice)
{
    struct model *model = tck->model;
    bool good = true;
    assert(choice->count);
    if (model->rules.len == MOST_RULES) {
        diag_error(tck->file.diag, DIAG_LIMIT, choice->edges[0]->place,
                   "more than %d combinations of edges that synchronise", MOST_RULES);
        return false;
    }
    assert(choice->count + choice->absent_count <= tck->file.processes.len);
    model_begin_rule(model, tck->file.events.data[choice->edges[0]->event]);
    for (uint32_t i = 0; good && i < choice->count; i++) good = add_guard(tck, choice->edges[i]);
    add_absent(tck, choice);
    respect_committed(tck, choice);
    good = good && add_effect(tck, choice);
    model_end_rule(model);
    return good;
}

static bool is_synced(const struct tck *tck, uint32_t process, uint32_t event)
{
    for (uint32_t i = 0; i < tck->file.parties.len; i++)
        if (tck->file.parties.data[i].process == process
            && tck->file.parties.data[i].event == event)
            return true;
    return false;
}

/* All choices for the parties from number `at` on. */
static bool choose(struct tck *tck, const struct tck_sync *sync, uint32_t at, struct choice *choice)
{
    if (at == sync->parties) return !choice->count || add_rule(tck, choice);
    const struct tck_party *party = &tck->file.parties.data[sync->first + at];
    bool good = true;
    for (uint32_t e = 0; good && e < tck->file.edges.len; e++) {
        const struct tck_edge *edge = &tck->file.edges.data[e];
        if (edge->process != party->process || edge->event != party->event) continue;
        choice->edges[choice->count++] = edge;
        good = choose(tck, sync, at + 1, choice);
        choice->count--;
    }
    if (!good || !party->is_weak) return good;
    choice->absent[choice->absent_count++] = party;
    good = choose(tck, sync, at + 1, choice);
    choice->absent_count--;
    return good;
}

static bool add_rules(struct tck *tck)
{
    const struct tck_file *file = &tck->file;
    const uint64_t most = file->processes.len + UINT64_C(1);
    struct choice choice = {.edges = arena_alloc(file->arena, most * sizeof *choice.edges),
                            .absent = arena_alloc(file->arena, most * sizeof *choice.absent)};
    bool good = find_invariants(tck);
    for (uint32_t e = 0; good && e < file->edges.len; e++) {
        const struct tck_edge *edge = &file->edges.data[e];
        if (is_synced(tck, edge->process, edge->event)) continue;
        choice.edges[0] = edge;
        choice.count = 1;
        good = add_rule(tck, &choice);
        choice.count = 0;
    }
    for (uint32_t s = 0; good && s < file->syncs.len; s++)
        good = choose(tck, &file->syncs.data[s], 0, &choice);
    return good;
}

bool tck_build(struct tck *tck)
{
    tck->model->name = tck->file.system;
    tck->needs_setter =
        arena_alloc(tck->file.arena, (tck->file.clocks.len + UINT64_C(1)) * sizeof(bool));
    for (uint32_t i = 0; i < tck->file.clocks.len; i++) tck->needs_setter[i] = false;
    tck_find_setters(tck);
    for (uint32_t p = 0; p < tck->file.processes.len; p++) add_process(tck, p);
    add_ints(tck);
    add_clocks(tck);
    return add_invariants(tck) && add_rules(tck) && find_initial(tck);
}
