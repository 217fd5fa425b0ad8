#include "program/reached.h"

#include <assert.h>
#include <string.h>

static void mark(const struct model *model, struct result *result, uint32_t p, int64_t value)
{
    const struct model_process *process = &model->processes.data[p];
    assert(p < model->processes.len && result->reached); /* prepare has made room */
    for (uint32_t l = 0; l < process->locations; l++)
        if (model->locations.data[process->first_location + l].value == value) {
            uint64_t bit = result->reached_first[p] + l;
            result->reached[bit / 8] |= (uint8_t)(1u << bit % 8);
        }
}

static int64_t value_in(const struct field *field, uint64_t word)
{
    return (int64_t)(word >> field->shift & field->mask) + field->low;
}

/* For a location that is computed rather than stored as a constant: looks at all states. */
static void scan_store(const struct model *model, const struct layout *layout,
                       const struct store *store, struct result *result, uint32_t p)
{
    const struct field *field = &layout->fields[model->processes.data[p].location];
    size_t offset = 8 * (size_t)field->word, bytes = layout->record_bytes - offset;
    int64_t last = INT64_MIN;
    assert(offset <= layout->record_bytes && store->record_bytes == layout->record_bytes);
    for (uint64_t s = 0; s < store->count; s++) {
        uint64_t word = 0;
        memcpy(&word, (const char *)store_get(store, s) + offset, bytes < 8 ? bytes : 8);
        const int64_t value = value_in(field, word);
        if (value != last) mark(model, result, p, value);
        last = value;
    }
}

static void scan_words(const struct model *model, const struct layout *layout,
                       const struct reached_states *states, struct result *result, uint32_t p)
{
    const struct wordset *words = states->words;
    const struct field *field = &layout->fields[model->processes.data[p].location];
    int64_t last = INT64_MIN;
    for (uint32_t s = 0; s <= words->table.mask; s++)
        for (uint32_t i = 0; i < words->table.segments[s].size; i++) {
            const uint64_t slot = words->table.segments[s].slots[i];
            if (!slot) continue;
            const uint64_t whole = wordset_unmix(slot),
                           word =
                               states->tree ? tree_word(states->tree, whole, field->word) : whole;
            const int64_t value = value_in(field, word);
            if (value != last) mark(model, result, p, value);
            last = value;
        }
}

/* A rule that was taken leads to the locations that it stores. */
static void mark_stored(const struct model *model, struct result *result,
                        const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        const struct expr_node *value = expr_get(&model->exprs, store->value);
        if (model_is_location(model, store->var) && value->op == EXPR_CONST)
            mark(model, result, model->vars.data[store->var].process, value->value);
    }
}

/* Which locations the rule computes. */
static void find_computed(const struct model *model, const struct model_rule *rule, bool *scan)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        if (model_is_location(model, store->var)
            && expr_get(&model->exprs, store->value)->op != EXPR_CONST)
            scan[model->vars.data[store->var].process] = true;
    }
    for (uint32_t i = 0; !code_is_none(rule->body) && i < rule->writes; i++) {
        uint32_t var = model->accesses.data[rule->first_write + i];
        bool stored =
            false; /* front ends store locations before the body, which then leaves them alone */
        for (uint32_t k = 0; k < rule->stores; k++)
            stored |= model->stores.data[rule->first_store + k].var == var;
        if (model_is_location(model, var) && !stored) scan[model->vars.data[var].process] = true;
    }
}

/* Room for the result, with what initial values say; returns the processes whose initial locations
 * do not. */
static bool *prepare(struct model *model, struct result *result)
{
    uint64_t bits = 0;
    result->reached_first =
        mem_alloc(model->mem, (model->processes.len + UINT64_C(1)) * sizeof *result->reached_first);
    bool *scan = mem_alloc(model->mem, model->processes.len + UINT64_C(1));
    for (uint32_t p = 0; p < model->processes.len; p++) {
        result->reached_first[p] = bits;
        bits += model->processes.data[p].locations;
    }
    result->reached = mem_alloc(model->mem, bits / 8 + 1);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        if (model->processes.data[p].location == MODEL_NONE) continue;
        const struct model_var *var = &model->vars.data[model->processes.data[p].location];
        if (var->any_init || model_lists_initial(model)) scan[p] = true;
        else mark(model, result, p, var->init);
    }
    return scan;
}

bool *reached_begin(struct model *model, struct result *result)
{
    bool *scan = prepare(model, result);
    for (uint32_t r = 0; r < model->rules.len; r++)
        find_computed(model, &model->rules.data[r], scan);
    return scan;
}

void reached_scan(const struct model *model, const struct layout *layout,
                  struct reached_states states, struct result *result, const bool *scan)
{
    for (uint32_t p = 0; p < model->processes.len; p++) {
        if (!scan[p] || model->processes.data[p].location == MODEL_NONE) continue;
        if (states.store) scan_store(model, layout, states.store, result, p);
        if (states.words) scan_words(model, layout, &states, result, p);
    }
}

void reached_end(const struct model *model, struct result *result)
{
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (result->taken[r]) mark_stored(model, result, &model->rules.data[r]);
}

void reached_find(struct model *model, const struct layout *layout, struct reached_states states,
                  struct result *result)
{
    bool *scan = prepare(model, result);
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (result->taken[r]) find_computed(model, &model->rules.data[r], scan);
    reached_scan(model, layout, states, result, scan);
    reached_end(model, result);
    mem_free(model->mem, scan);
}
