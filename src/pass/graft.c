#include "pass/graft.h"

#include "model/eval.h"

#include <assert.h>
#include <string.h>

/* Makes room for a value per listed state. */
static void widen_initial(struct model *model, int64_t value)
{
    uint32_t vars = model->vars.len, old = vars - 1, count = old ? model->initial.len / old : 0;
    if (!count) return;
    int64_t *states = mem_alloc(model->mem, (size_t)count * vars * sizeof *states);
    for (uint32_t s = 0; s < count; s++) {
        memcpy(states + (size_t)s * vars, model->initial.data + (size_t)s * old,
               old * sizeof *states);
        states[(size_t)s * vars + old] = value;
    }
    model_list_initial(model, states, count);
    mem_free(model->mem, states);
}

uint32_t graft_variable(struct model *model, struct model_var var)
{
    assert(var.low <= var.init && var.init <= var.high);
    vec_push(model->mem, &model->vars, var);
    widen_initial(model, var.init);
    return model->vars.len - 1;
}

bool graft_initial(struct model *model, uint32_t var, uint32_t most,
                   int64_t (*init)(void *context, const int64_t *state), void *context)
{
    uint32_t vars = model->vars.len, count = 0;
    int64_t *state = mem_alloc(model->mem, vars * sizeof *state);
    VEC(int64_t) all = {0};
    eval_first_initial(model, state);
    do {
        if (count++ == most) break;
        vec_reserve(model->mem, &all, vars);
        memcpy(all.data + all.len, state, vars * sizeof *state);
        all.data[all.len + var] = init(context, state);
        all.len += vars;
    } while (eval_next_initial(model, state));
    bool good = count <= most;
    if (good && count == 1) model->vars.data[var].init = all.data[var];
    if (good && (count > 1 || model_lists_initial(model)))
        model_list_initial(model, all.data, count);
    vec_free(model->mem, &all);
    mem_free(model->mem, state);
    return good;
}

void graft_condition(struct model *model, uint32_t r, expr cond, struct place place,
                     uint32_t wording)
{
    struct model_rule *rule = &model->rules.data[r];
    uint32_t first = model->conjuncts.len;
    assert(rule->parts);
    if (expr_is_true(&model->exprs, cond)) return;
    vec_push(model->mem, &model->conjuncts, ((struct rule_conjunct){cond, 0, place, wording}));
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        struct rule_conjunct old = model->conjuncts.data[rule->first_conjunct + i];
        vec_push(model->mem, &model->conjuncts, old);
    }
    rule->first_conjunct = first;
    rule->conjuncts++;
}

void graft_part(struct model *model, uint32_t r, uint32_t process, struct place place)
{
    struct model_rule *rule = &model->rules.data[r];
    uint32_t first = model->parts.len;
    for (uint32_t i = 0; i < rule->parts; i++) {
        struct rule_part part = model->parts.data[rule->first_part + i];
        vec_push(model->mem, &model->parts, part);
    }
    vec_push(model->mem, &model->parts, ((struct rule_part){.process = process, .place = place}));
    rule->first_part = first;
    rule->parts++;
}

void graft_store(struct model *model, uint32_t r, struct rule_store added)
{
    struct model_rule *rule = &model->rules.data[r];
    uint32_t first = model->stores.len;
    for (uint32_t i = 0; i < rule->stores; i++) {
        struct rule_store store = model->stores.data[rule->first_store + i];
        vec_push(model->mem, &model->stores, store);
    }
    vec_push(model->mem, &model->stores, added);
    rule->first_store = first;
    rule->stores++;
}

void graft_class(struct model *model, uint32_t r, uint32_t priority_class)
{
    struct model_rule *rule = &model->rules.data[r];
    uint32_t first = model->rule_classes.len;
    for (uint32_t i = 0; i < rule->classes; i++) {
        uint32_t old = model->rule_classes.data[rule->first_class + i];
        assert(old < priority_class);
        vec_push(model->mem, &model->rule_classes, old);
    }
    vec_push(model->mem, &model->rule_classes, priority_class);
    rule->first_class = first;
    rule->classes++;
}

void graft_reset(struct model *model, uint32_t r, struct clock_reset added)
{
    struct model_rule *rule = &model->rules.data[r];
    uint32_t first = model->resets.len;
    for (uint32_t i = 0; i < rule->resets; i++) {
        struct clock_reset reset = model->resets.data[rule->first_reset + i];
        assert(reset.clock != added.clock);
        vec_push(model->mem, &model->resets, reset);
    }
    vec_push(model->mem, &model->resets, added);
    rule->first_reset = first;
    rule->resets++;
}

void graft_set(struct model *model, struct code_sequence *sequence, bool local, uint32_t cell,
               expr value)
{
    struct cell target = {
        .local = local, .base = cell, .count = 1, .offset = expr_int(&model->exprs, 0)};
    model_add_code(model, sequence,
                   (struct code_node){.op = CODE_SET,
                                      .target = target,
                                      .source.offset = target.offset,
                                      .value = value,
                                      .body = code_none(),
                                      .other = code_none(),
                                      .next = code_none()});
}

struct search {
    uint32_t var;
    bool found;
};

static void look(void *context, uint32_t var)
{
    struct search *search = context;
    search->found |= search->var == var;
}

/* Whether a store of the rule comes after others that change what it reads. */
static bool reads_what_was_written(struct model *model, const struct model_rule *rule)
{
    for (uint32_t i = 1; i < rule->stores; i++)
        for (uint32_t k = 0; k < i; k++) {
            struct search search = {model->stores.data[rule->first_store + k].var, false};
            expr_each_var(&model->exprs, model->stores.data[rule->first_store + i].value, look,
                          &search);
            if (search.found) return true;
        }
    return false;
}

static uint32_t local_for(struct model *model, uint32_t var)
{
    const struct model_var *v = &model->vars.data[var];
    struct model_local local = {names_format(&model->names, "next %s", v->name), v->low, v->high};
    for (uint32_t i = 0; i < model->locals.len; i++)
        if (model->locals.data[i].name == local.name) return i;
    vec_push(model->mem, &model->locals, local);
    return model->locals.len - 1;
}

/* The parallel assignment as code. */
static void add_stores(struct model *model, struct code_sequence *sequence, uint32_t r)
{
    struct model_rule rule = model->rules.data[r];
    bool through_locals = reads_what_was_written(model, &rule);
    for (uint32_t i = 0; i < rule.stores; i++) {
        const struct rule_store store = model->stores.data[rule.first_store + i];
        graft_set(model, sequence, through_locals,
                  through_locals ? local_for(model, store.var) : store.var, store.value);
        model->code.data[sequence->last.i].place = store.place;
    }
    for (uint32_t i = 0; through_locals && i < rule.stores; i++) {
        uint32_t var = model->stores.data[rule.first_store + i].var, local = local_for(model, var);
        const struct model_local *from = &model->locals.data[local];
        graft_set(model, sequence, false, var,
                  expr_local(&model->exprs, local, from->low, from->high));
    }
}

static void join(struct model *model, struct code_sequence *sequence,
                 const struct code_sequence *tail)
{
    if (code_is_none(tail->first)) return;
    if (code_is_none(sequence->first)) *sequence = *tail;
    else model->code.data[sequence->last.i].next = tail->first;
    sequence->last = tail->last;
}

void graft_code(struct model *model, uint32_t r, const struct graft *graft)
{
    struct code_sequence sequence = code_sequence_empty();
    statement own = model->rules.data[r].body;
    bool has_before = !code_is_none(graft->before.first);
    join(model, &sequence, &graft->before);
    if (has_before) add_stores(model, &sequence, r);
    /* a call: what the rule's own code leaves is itself, not what comes after it */
    if (!code_is_none(own)) {
        expr nothing = expr_int(&model->exprs, 0);
        model_add_code(model, &sequence,
                       (struct code_node){.op = CODE_CALL,
                                          .target.offset = nothing,
                                          .source.offset = nothing,
                                          .value = nothing,
                                          .body = own,
                                          .other = code_none(),
                                          .next = code_none()});
    }
    join(model, &sequence, &graft->after);
    model->rules.data[r].body = sequence.first;
    if (has_before) model->rules.data[r].stores = 0;
}
