/* Every rule is in one index, that of a location where its guard compares one with a constant, and
 * in the list of that constant. A state goes through the indices, and in each through the list of
 * the value that it has. So the order of its steps is that of the variables of the indices, then
 * that of rules.
 *
 * Rules that synchronise many processes are very many in the lists of one of them, and few of them
 * are possible in a state. So a long list becomes a tree: a node chooses by another variable that
 * rules of the list compare with a constant; a value's list has the rules that compare it with this
 * value and those that do not compare it, in the old order.
 *
 * Which variable? Nobody knows yet which values are frequent. If they come up as often as the rules
 * ask for them, a list of n rules, of which c(v) ask for value v and u do not ask, leaves u + sum
 * c(v)^2 / sum c(v); if all values of the range are alike, u + sum c(v) / range. The best is the
 * variable with the smallest mean of both, and it has to save a quarter.
 *
 * Invariants: (1) a rule is missing in a list only where one of its word tests is false; (2) in a
 * list rules are in the order of the model; (3) lists of nodes cost at most LISTS_PER_RULE lists
 * and COPIES_PER_RULE copies per rule of the list of the index: what would cost more stays one
 * list. */
#include "program/dispatch.h"

#include "base/checked.h"

#include <assert.h>
#include <stdlib.h>

#ifdef CAIRN_DEGENERATE /* a test build in which even two rules are split, and limits are met      \
                           early */
enum { LONG_LIST = 2, MAX_DEPTH = 3, COPIES_PER_RULE = 2 };
#else
enum { LONG_LIST = 4, MAX_DEPTH = 32, COPIES_PER_RULE = 4 };
#endif
enum { MAX_INDEX_BITS = 10, LISTS_PER_RULE = 64 };

/* The variable to index a rule by: a location where there is one, otherwise any small variable it
 * compares with a constant. */
struct choice {
    uint32_t var;
    int64_t number;
    bool is_location;
};

struct placed {
    struct choice choice;
    struct fast_rule fast;
    uint32_t first, comparisons;
};

void dispatch_init(struct dispatch *dispatch, struct program *program)
{
    *dispatch = (struct dispatch){.program = program};
    dispatch->placed = mem_alloc(program->model->mem, (program->model->rules.len + UINT64_C(1))
                                                          * sizeof *dispatch->placed);
    dispatch->last = mem_alloc(program->model->mem,
                               (program->model->vars.len + UINT64_C(1)) * sizeof *dispatch->last);
    dispatch->used = mem_alloc(program->model->mem, program->model->vars.len + UINT64_C(1));
}

void dispatch_release(struct dispatch *dispatch)
{
    struct mem *mem = dispatch->program->model->mem;
    mem_free(mem, dispatch->placed);
    mem_free(mem, dispatch->last);
    mem_free(mem, dispatch->used);
    vec_free(mem, &dispatch->comparisons);
    vec_free(mem, &dispatch->sorted);
    vec_free(mem, &dispatch->ids);
    vec_free(mem, &dispatch->values);
}

struct fast_rule *dispatch_begin(struct dispatch *dispatch, uint32_t rule)
{
    assert(rule == dispatch->count && rule < dispatch->program->model->rules.len);
    struct placed *placed = &dispatch->placed[dispatch->count++];
    placed->choice.var = MODEL_NONE;
    placed->first = dispatch->comparisons.len;
    placed->fast.rule = rule;
    return &placed->fast;
}

void dispatch_note(struct dispatch *dispatch, uint32_t var, int64_t number)
{
    const struct program *program = dispatch->program;
    assert(dispatch->count);
    struct placed *placed = &dispatch->placed[dispatch->count - 1];
    if (program->layout->fields[var].bits > MAX_INDEX_BITS
        || dispatch->last[var] == dispatch->count)
        return; /* another value of the same variable is tested, but not used here */
    dispatch->last[var] = dispatch->count;
    vec_push(program->model->mem, &dispatch->comparisons, ((struct comparison){var, number}));
    placed->comparisons++;
    bool is_location = model_is_location(program->model, var);
    if (!placed->choice.is_location && (placed->choice.var == MODEL_NONE || is_location))
        placed->choice = (struct choice){var, number, is_location};
}

/* ---- tests ---- */

/* What a list on the way to which the used variables were chosen by does not answer of the tests of
 * a rule. */
static void leave_open(struct dispatch *dispatch, const struct placed *placed,
                       struct fast_rule *fast)
{
    struct program *program = dispatch->program;
    const uint32_t first = program->tests.len;
    for (uint32_t t = 0; t < fast->tests; t++) {
        struct word_test test = program->tests.data[fast->first_test + t];
        for (uint32_t k = 0; k < placed->comparisons; k++) {
            const struct comparison *known = &dispatch->comparisons.data[placed->first + k];
            const struct field *field = &program->layout->fields[known->var];
            const uint64_t mask = field->mask << field->shift,
                           value = (uint64_t)(known->number - field->low) << field->shift;
            if (!dispatch->used[known->var] || field->word != test.word
                || (test.mask & mask) != mask || (test.value & mask) != value)
                continue;
            test.mask &= ~mask;
            test.value &= ~mask;
        }
        if (test.mask) vec_push(program->model->mem, &program->tests, test);
    }
    fast->first_open = first;
    fast->open = program->tests.len - first;
    assert(fast->open <= fast->tests);
}

/* ---- indices ---- */

static int by_choice(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->choice.var != y->choice.var) return x->choice.var < y->choice.var ? -1 : 1;
    if (x->choice.number != y->choice.number) return x->choice.number < y->choice.number ? -1 : 1;
    return (x->fast.rule > y->fast.rule) - (x->fast.rule < y->fast.rule);
}

/* Sorted by variable and value, the rules of each list stand together. */
void dispatch_build(struct dispatch *dispatch)
{
    struct program *program = dispatch->program;
    struct mem *mem = program->model->mem;
    struct placed *placed = dispatch->placed;
    uint32_t count = dispatch->count;
    assert(count == program->model->rules.len);
    qsort(placed, count, sizeof *placed, by_choice);
    for (uint32_t i = 0; i < count;) {
        uint32_t var = placed[i].choice.var;
        struct rule_index index = {.has_field = var != MODEL_NONE,
                                   .first_list = program->lists.len};
        uint64_t values = 1;
        int64_t low = 0;
        if (index.has_field) {
            dispatch->used[var] = true;
            index.field = program->layout->fields[var];
            values = index.field.mask + 1;
            low = index.field.low;
        }
        for (uint64_t v = 0; v < values; v++) {
            uint32_t first = program->rules.len;
            while (i < count && placed[i].choice.var == var
                   && (!index.has_field || placed[i].choice.number - low == (int64_t)v)) {
                leave_open(dispatch, &placed[i], &placed[i].fast);
                vec_push(mem, &program->rules, placed[i++].fast);
            }
            vec_push(mem, &program->lists, ((struct rule_list){first, program->rules.len}));
        }
        if (index.has_field) dispatch->used[var] = false;
        vec_push(mem, &program->indices, index);
    }
    assert(program->rules.len == count); /* (1): each is in one list */
}

/* ---- trees ---- */

static int by_comparison(const void *a, const void *b)
{
    const struct comparison *x = a, *y = b;
    if (x->var != y->var) return x->var < y->var ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* How many of `count` rules are left after choosing by the variable of the comparisons from `at`
 * on; moves `at` behind them. */
static double rules_left(const struct dispatch *dispatch, uint32_t count, uint32_t *at)
{
    const struct comparison *sorted = dispatch->sorted.data;
    const uint32_t var = sorted[*at].var;
    const struct model_var *range = &dispatch->program->model->vars.data[var];
    double asking = 0, squares = 0, values = (double)range->high - (double)range->low + 1;
    while (*at < dispatch->sorted.len && sorted[*at].var == var) {
        uint32_t first = *at;
        while (*at < dispatch->sorted.len && sorted[*at].var == var
               && sorted[*at].number == sorted[first].number)
            ++*at;
        double same = *at - first;
        asking += same;
        squares += same * same;
    }
    return count - asking + (squares / asking + asking / values) / 2;
}

/* The variable to split the last `count` ids by; MODEL_NONE: it is not worth it. */
static uint32_t choose(struct dispatch *dispatch, uint32_t count)
{
    struct mem *mem = dispatch->program->model->mem;
    const uint32_t *ids = dispatch->ids.data + dispatch->ids.len - count;
    dispatch->sorted.len = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct placed *placed = &dispatch->placed[ids[i]];
        for (uint32_t k = 0; k < placed->comparisons; k++) {
            struct comparison comparison = dispatch->comparisons.data[placed->first + k];
            if (!dispatch->used[comparison.var]) vec_push(mem, &dispatch->sorted, comparison);
        }
    }
    if (dispatch->sorted.len)
        qsort(dispatch->sorted.data, dispatch->sorted.len, sizeof *dispatch->sorted.data,
              by_comparison);
    uint32_t best = MODEL_NONE;
    double least = 0.75 * count;
    for (uint32_t at = 0; at < dispatch->sorted.len;) {
        uint32_t var = dispatch->sorted.data[at].var;
        double left = rules_left(dispatch, count, &at);
        if (left > least) continue;
        least = left;
        best = var;
    }
    return best;
}

/* Which value of the variable the rule asks for, less the lowest. */
static uint32_t value_asked(const struct dispatch *dispatch, uint32_t id, uint32_t var)
{
    const struct placed *placed = &dispatch->placed[id];
    for (uint32_t k = 0; k < placed->comparisons; k++) {
        const struct comparison *comparison = &dispatch->comparisons.data[placed->first + k];
        if (comparison->var == var)
            return (uint32_t)(comparison->number - dispatch->program->layout->fields[var].low);
    }
    return PROGRAM_NONE;
}

/* Pushes those of the ids from `first` on, with values from `first_value` on, that ask for this
 * value or for none; returns how many. */
static uint32_t push_possible(struct dispatch *dispatch, uint32_t first, uint32_t first_value,
                              uint32_t count, uint32_t value)
{
    const uint32_t before = dispatch->ids.len;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t asked = dispatch->values.data[first_value + i];
        if (asked == value || asked == PROGRAM_NONE)
            vec_push(dispatch->program->model->mem, &dispatch->ids, dispatch->ids.data[first + i]);
    }
    return dispatch->ids.len - before;
}

/* Whether the last `count` ids ascend. Rules of an index stand in the order of the model. */
static bool are_in_order(const struct dispatch *dispatch, uint32_t count)
{
    for (uint32_t i = dispatch->ids.len - count; i + 1 < dispatch->ids.len; i++)
        if (dispatch->ids.data[i] >= dispatch->ids.data[i + 1]) return false;
    return true;
}

static struct rule_list copy_rules(struct dispatch *dispatch, uint32_t count)
{
    struct program *program = dispatch->program;
    CHECKED(are_in_order(dispatch, count)); /* (2) */
    struct rule_list list = {program->rules.len, program->rules.len + count};
    vec_reserve(program->model->mem, &program->rules, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t id = dispatch->ids.data[dispatch->ids.len - count + i];
        struct fast_rule *copy = &program->rules.data[program->rules.len++];
        *copy = program->rules.data[id];
        leave_open(dispatch, &dispatch->placed[id], copy);
    }
    return list;
}

/* Whether a split by this variable is within the limits; if so it is paid for. */
static bool can_pay(struct dispatch *dispatch, uint32_t count, uint32_t var)
{
    const uint64_t values = dispatch->program->layout->fields[var].mask + 1;
    uint64_t asking = 0, asked_values = 0;
    const struct comparison *sorted = dispatch->sorted.data;
    for (uint32_t i = 0; i < dispatch->sorted.len; i++) {
        if (sorted[i].var != var) continue;
        asking++;
        asked_values += !i || sorted[i - 1].var != var || sorted[i - 1].number != sorted[i].number;
    }
    const uint64_t copies =
        (count - asking) * asked_values; /* those that do not ask are in each of these lists and in
                                            that of the others */
    if (values > dispatch->lists_left || copies > dispatch->copies_left) return false;
    dispatch->lists_left -= values;
    dispatch->copies_left -= copies;
    return true;
}

static struct rule_list refine(struct dispatch *dispatch, uint32_t count, uint32_t depth);

/* A node for the last `count` ids. All values that nobody asks for share a list. */
static struct rule_list split(struct dispatch *dispatch, uint32_t count, uint32_t var,
                              uint32_t depth)
{
    struct program *program = dispatch->program;
    struct mem *mem = program->model->mem;
    const struct field *field = &program->layout->fields[var];
    const uint32_t first = dispatch->ids.len - count, first_value = dispatch->values.len,
                   first_list = program->lists.len, node = program->nodes.len;
    assert(field->bits <= MAX_INDEX_BITS && !dispatch->used[var]);
    bool asked[1 << MAX_INDEX_BITS] = {false};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = value_asked(dispatch, dispatch->ids.data[first + i], var);
        assert(value == PROGRAM_NONE || value <= field->mask);
        if (value != PROGRAM_NONE) asked[value] = true;
        vec_push(mem, &dispatch->values, value);
    }
    vec_push(mem, &program->nodes, ((struct rule_index){*field, true, first_list}));
    vec_reserve(mem, &program->lists, field->mask + 1);
    program->lists.len += (uint32_t)field->mask + 1;
    dispatch->used[var] = true;
    struct rule_list others = refine(
        dispatch, push_possible(dispatch, first, first_value, count, PROGRAM_NONE), depth + 1);
    for (uint32_t v = 0; v <= field->mask; v++) {
        struct rule_list list =
            asked[v]
                ? refine(dispatch, push_possible(dispatch, first, first_value, count, v), depth + 1)
                : others;
        program->lists.data[first_list + v] = list;
    }
    dispatch->used[var] = false;
    dispatch->values.len = first_value;
    dispatch->ids.len = first;
    return (struct rule_list){node, PROGRAM_NONE};
}

/* Makes a list, or a tree, of the last `count` ids and removes them. At depth 0 they are a list
 * already. */
static struct rule_list refine(struct dispatch *dispatch, uint32_t count, uint32_t depth)
{
    assert(count <= dispatch->ids.len && depth <= MAX_DEPTH);
    uint32_t var = count < LONG_LIST || depth >= MAX_DEPTH ? MODEL_NONE : choose(dispatch, count);
    if (var != MODEL_NONE && can_pay(dispatch, count, var))
        return split(dispatch, count, var, depth);
    uint32_t first = dispatch->ids.len - count;
    struct rule_list list = {0, 0};
    if (count)
        list = depth ? copy_rules(dispatch, count)
                     : (struct rule_list){dispatch->ids.data[first],
                                          dispatch->ids.data[first] + count};
    dispatch->ids.len = first;
    return list;
}

void dispatch_refine(struct dispatch *dispatch)
{
    struct program *program = dispatch->program;
    struct mem *mem = program->model->mem;
    const uint32_t lists = program->lists.len;
    for (uint32_t i = 0; i < lists; i++) {
        struct rule_list list = program->lists.data[i];
        uint32_t count = list.end - list.first;
        if (count < LONG_LIST) continue;
        const struct choice *choice = &dispatch->placed[list.first].choice;
        if (choice->var == MODEL_NONE) continue; /* they compare nothing */
        dispatch->used[choice->var] = true;
        dispatch->lists_left = (uint64_t)LISTS_PER_RULE * count;
        dispatch->copies_left = (uint64_t)COPIES_PER_RULE * count;
        for (uint32_t k = list.first; k < list.end; k++) vec_push(mem, &dispatch->ids, k);
        list = refine(dispatch, count, 0); /* the lists may have moved */
        program->lists.data[i] = list;
        assert(!dispatch->ids.len && !dispatch->values.len); /* the stacks are as before */
        dispatch->used[choice->var] = false;
    }
}
