/* The guide as a variable. State s of the automaton is the value s + 1; 0 is no state. One table
 * has a row per value and a column per interaction: the value after it, or 0 where the guide does
 * not allow it. So a rule gets one condition and one assignment, however many edges its interaction
 * has:
 *
 *     table[guide, a] > 0        guide := table[guide, a]
 *
 * The variable belongs to no process and no process joins the rule: timers of other rules must not
 * be restarted by what only the guide sees. */
#include "pass/guide.h"

#include "base/checked.h"
#include "base/map.h"
#include "pass/graft.h"

#include <stdlib.h>
#include <string.h>

struct weaving {
    struct model *model;
    struct exprs *exprs;
    const struct guide *guide;
    struct guide_remarks *remarks;
    struct map labels; /* of the names of interactions */
    struct map reported;
    bool has_dots;    /* some of them name a process, too */
    bool *met;        /* per label: a rule has it */
    uint8_t *known;   /* see model_may_block */
    uint32_t *column; /* per label: in the table, or MODEL_NONE: it is allowed nowhere */
    uint32_t columns, table, state;
    VEC(expr) waiting; /* per rule that the guide can hold back: that it could be taken otherwise */
};

bool guide_fits(const struct guide *guide)
{
    return (guide->states + UINT64_C(1)) * (guide->labels + UINT64_C(1)) <= GUIDE_MOST_ENTRIES;
}

/* ---- the automaton ---- */

static void find_columns(struct weaving *w)
{
    const struct guide *guide = w->guide;
    w->column = mem_alloc(w->model->mem, (guide->labels + UINT64_C(1)) * sizeof *w->column);
    for (uint32_t l = 0; l < guide->labels; l++) w->column[l] = MODEL_NONE;
    for (uint32_t i = 0; i < guide->first_edge[guide->states]; i++)
        if (w->column[guide->edge_label[i]] == MODEL_NONE)
            w->column[guide->edge_label[i]] = w->columns++;
}

static const char *free_name(const struct model *model, struct names *names)
{
    const char *name = "guide";
    for (unsigned i = 2;; i++) {
        bool taken = false;
        for (uint32_t v = 0; v < model->vars.len && !taken; v++)
            taken = !strcmp(model->vars.data[v].name, name);
        for (uint32_t p = 0; p < model->processes.len && !taken; p++)
            taken = !strcmp(model->processes.data[p].name, name);
        if (!taken) return name;
        name = names_format(names, "guide%u", i);
    }
}

/* A guide of one state needs no variable: what it allows it always allows. (One without words has
 * it all the same: a search may want to follow its rank.) */
static void add_state(struct weaving *w)
{
    const struct guide *guide = w->guide;
    struct model *model = w->model;
    w->state = MODEL_NONE;
    if (guide->states == 1 && !guide->is_acyclic) return;
    struct model_var state = {.name = free_name(model, &model->names),
                              .process = MODEL_NONE,
                              .high = guide->states,
                              .init = 1};
    const struct model_course course = {.first = 1,
                                        .states = guide->states,
                                        .first_edge = guide->first_edge,
                                        .edge_label = guide->edge_label,
                                        .labels = guide->interactions};
    state.course = model_add_course(model, &course, guide->labels);
    w->state = graft_variable(model, state);
    if (guide->is_acyclic && model->rank == MODEL_NONE) model->rank = w->state;
    size_t entries = (guide->states + (size_t)1) * w->columns;
    int32_t *table = mem_alloc(model->mem, (entries + 1) * sizeof *table);
    for (uint32_t s = 0; s < guide->states; s++)
        for (uint32_t i = guide->first_edge[s]; i < guide->first_edge[s + 1]; i++)
            table[(s + (size_t)1) * w->columns + w->column[guide->edge_label[i]]] =
                (int32_t)guide->edge_to[i] + 1;
    if (w->columns) w->table = model_add_table(model, table, (uint32_t)entries);
    mem_free(model->mem, table);
}

/* ---- rules ---- */

/* The label that the rule's interaction has in the guide, or MAP_NONE. */
static uint32_t find_label(struct weaving *w, const struct model_rule *rule)
{
    struct model *model = w->model;
    for (uint32_t i = 0; w->has_dots && i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process == MODEL_NONE) continue;
        uint32_t label = map_get(
            &w->labels,
            names_format(&model->names, "%s.%s", model->processes.data[process].name, rule->label),
            0);
        if (label != MAP_NONE) return label;
    }
    uint32_t label =
        map_get(&w->labels, names_intern(&model->names, rule->label, strlen(rule->label)), 0);
    if (label == MAP_NONE && rule->port)
        label = map_get(&w->labels, names_intern(&model->names, rule->port, strlen(rule->port)), 0);
    return label;
}

/* What to call an interaction that the guide does not speak of: where it speaks of the same of
 * another process, with the process. */
static const char *name_of(struct weaving *w, const struct model_rule *rule)
{
    struct model *model = w->model;
    for (uint32_t p = 0; w->has_dots && p < model->processes.len && rule->parts; p++) {
        uint32_t mine = model->parts.data[rule->first_part].process;
        if (mine == MODEL_NONE
            || map_get(
                   &w->labels,
                   names_format(&model->names, "%s.%s", model->processes.data[p].name, rule->label),
                   0)
                   == MAP_NONE)
            continue;
        return names_format(&model->names, "%s.%s", model->processes.data[mine].name, rule->label);
    }
    return names_intern(&model->names, rule->label, strlen(rule->label));
}

/* The rule's own conditions, where these are all that it takes and can be evaluated in every state:
 * neither code nor clocks hold it back. Whether it would fail is not asked: a model that fails is
 * not stuck. */
static void note_waiting(struct weaving *w, uint32_t r)
{
    struct model *model = w->model;
    const struct model_rule *rule = &model->rules.data[r];
    bool can_tell = !rule->guards && !model_may_block(model, rule->body, w->known);
    for (uint32_t i = 0; i < rule->conjuncts; i++)
        can_tell &= !expr_get(&model->exprs, model->conjuncts.data[rule->first_conjunct + i].cond)
                         ->may_fail;
    if (!can_tell) return;
    expr enabled = expr_bool(w->exprs, true);
    for (uint32_t i = rule->conjuncts; i-- > 0;) {
        expr cond = model->conjuncts.data[rule->first_conjunct + i].cond;
        enabled = i + 1 == rule->conjuncts ? cond : expr_make(w->exprs, EXPR_AND, 0, cond, enabled);
    }
    vec_push(model->mem, &w->waiting, enabled);
}

/* What the guide wants of a rule. */
static void demand(struct weaving *w, uint32_t r, expr cond, struct place place, uint32_t wording)
{
    struct model_rule *rule = &w->model->rules.data[r];
    assert(!rule->asks);
    if (!w->guide->is_filter) graft_condition(w->model, r, cond, place, wording);
    else rule->permit = cond, rule->permit_wording = wording, rule->asks = true;
}

static void guide_rule(struct weaving *w, uint32_t r, uint32_t label)
{
    struct model *model = w->model;
    const struct model_rule *rule = &model->rules.data[r];
    struct place place =
        rule->parts ? model->parts.data[rule->first_part].place : (struct place){0};
    bool allowed = label != MAP_NONE && w->column[label] != MODEL_NONE;
    const char *name = label == MAP_NONE ? name_of(w, rule) : w->guide->interactions[label];
    uint32_t wording = model_add_wording(
        model, (struct model_wording){.kind = WORDING_GUIDE,
                                      .text = names_intern(&model->names, name, strlen(name))});
    note_waiting(w, r);
    if (!rule->parts) graft_part(model, r, MODEL_NONE, place);
    model->rules.data[r].is_guided = allowed;
    if (!allowed) demand(w, r, expr_bool(w->exprs, false), place, wording);
    if (!allowed || w->state == MODEL_NONE) return;
    struct table_row row = {model_var_expr(model, w->state), w->columns, w->column[label]};
    expr target = model_table_entry(model, w->table, model_matrix_index(model, row));
    demand(w, r, expr_make(w->exprs, EXPR_GT, 0, target, expr_int(w->exprs, 0)), place, wording);
    graft_store(model, r, (struct rule_store){.var = w->state, .value = target, .place = place});
}

static bool has_timer(const struct model *model, const struct model_rule *rule)
{
    if (rule->interval == MODEL_NONE) return false;
    const struct model_interval *interval = &model->intervals.data[rule->interval];
    return interval->low || interval->low_open || !interval->infinite;
}

/* Steps that can never be taken have names, too, which the guide speaks of or not. */
static void meet_dead_step(struct weaving *w, const struct model_dead_step *step)
{
    struct model *model = w->model;
    uint32_t label = MAP_NONE;
    for (uint32_t i = 0; w->has_dots && i < step->processes && label == MAP_NONE; i++) {
        uint32_t process = model->dead_processes.data[step->first_process + i];
        label = map_get(
            &w->labels,
            names_format(&model->names, "%s.%s", model->processes.data[process].name, step->label),
            0);
    }
    const char *name = names_intern(&model->names, step->label, strlen(step->label));
    if (label == MAP_NONE) label = map_get(&w->labels, name, 0);
    if (label == MAP_NONE && step->port)
        label = map_get(&w->labels, names_intern(&model->names, step->port, strlen(step->port)), 0);
    if (label != MAP_NONE) w->met[label] = true;
    else if (map_add(&w->reported, name, 0, 0)) vec_push(model->mem, &w->remarks->forbidden, name);
}

static void guide_rules(struct weaving *w)
{
    struct model *model = w->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (rule->is_internal) continue;
        uint32_t label = find_label(w, rule);
        assert(label == MAP_NONE || label < w->guide->labels);
        const char *name = label == MAP_NONE ? name_of(w, rule) : NULL;
        if (label != MAP_NONE) w->met[label] = true;
        else if (map_add(&w->reported, name, 0, 0))
            vec_push(model->mem, &w->remarks->forbidden, name);
        if (label != MAP_NONE && !w->guide->ignored[label])
            w->remarks->has_timers |= has_timer(model, rule);
        if (label == MAP_NONE || !w->guide->ignored[label]) guide_rule(w, r, label);
    }
    for (uint32_t i = 0; i < model->dead_steps.len; i++)
        if (!model->dead_steps.data[i].is_internal) meet_dead_step(w, &model->dead_steps.data[i]);
    for (uint32_t l = 0; l < w->guide->labels; l++)
        if (w->guide->mentioned[l] && !w->met[l]) vec_push(model->mem, &w->remarks->missing, l);
}

/* ---- ends ---- */

/* As a balanced tree: there may be many. */
static expr any_of(struct weaving *w, uint32_t first, uint32_t count)
{
    if (!count) return expr_bool(w->exprs, false);
    if (count == 1) return w->waiting.data[first];
    expr left = any_of(w, first, count / 2);
    return expr_make(w->exprs, EXPR_OR, 0, left, any_of(w, first + count / 2, count - count / 2));
}

static expr is_kind(struct weaving *w, enum guide_state kind)
{
    const struct guide *guide = w->guide;
    if (w->state == MODEL_NONE) return expr_bool(w->exprs, guide->kinds[0] == kind);
    int32_t *is = mem_alloc(w->model->mem, (guide->states + UINT64_C(1)) * sizeof *is);
    uint32_t count = 0;
    for (uint32_t s = 0; s < guide->states; s++) {
        is[s + 1] = guide->kinds[s] == kind;
        count += guide->kinds[s] == kind;
    }
    expr result = expr_bool(w->exprs, false);
    if (count) {
        expr entry = model_table_entry(w->model, model_add_table(w->model, is, guide->states + 1),
                                       model_var_expr(w->model, w->state));
        result = expr_make(w->exprs, EXPR_EQ, 0, entry, expr_int(w->exprs, 1));
    }
    mem_free(w->model->mem, is);
    return result;
}

static void add_ends(struct weaving *w)
{
    struct model *model = w->model;
    bool ends = false, is_cut = false;
    for (uint32_t s = 0; s < w->guide->states; s++) {
        ends |= w->guide->kinds[s] == GUIDE_ENDS;
        is_cut |= w->guide->kinds[s] == GUIDE_IS_CUT;
    }
    if (!is_cut && (!ends || !w->waiting.len)) return;
    expr final = is_kind(w, GUIDE_IS_CUT);
    if (ends && w->waiting.len)
        final = expr_make(
            w->exprs, EXPR_OR, 0, final,
            expr_make(w->exprs, EXPR_AND, 0, is_kind(w, GUIDE_ENDS), any_of(w, 0, w->waiting.len)));
    model->final = model->has_final ? expr_make(w->exprs, EXPR_OR, 0, model->final, final) : final;
    model->has_final = true;
}

void guide_weave(struct model *model, const struct guide *guide, struct guide_remarks *remarks)
{
    struct weaving w = {.model = model, .exprs = &model->exprs, .guide = guide, .remarks = remarks};
    map_init(&w.labels, model->mem);
    map_init(&w.reported, model->mem);
    w.met = mem_alloc(model->mem, guide->labels + UINT64_C(1));
    w.known = mem_alloc(model->mem, model->code.len + UINT64_C(1));
    for (uint32_t l = 0; l < guide->labels; l++)
        if (guide->mentioned[l] || guide->ignored[l]) {
            map_add(
                &w.labels,
                names_intern(&model->names, guide->interactions[l], strlen(guide->interactions[l])),
                0, l);
            w.has_dots |= strchr(guide->interactions[l], '.') != NULL;
        }
    find_columns(&w);
    add_state(&w);
    guide_rules(&w);
    add_ends(&w);
    model_finish(model);
    CHECKED(model_check(model, NULL));
    mem_free(model->mem, w.met);
    mem_free(model->mem, w.known);
    mem_free(model->mem, w.column);
    vec_free(model->mem, &w.waiting);
}
