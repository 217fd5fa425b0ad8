/* Each clock of a zone costs a row and a column, so timers that always agree are one.
 *
 * Two rules share a timer when, in every run, their timers start at the same moments, whatever their intervals are. It is enough that
 *
 *  1. they are enabled, priorities aside, in the same states: their guards have the same conjuncts, in the same order if one of them can fail, and their effects
 *     neither fail nor have a REQUIRE, so that nothing else decides;
 *  2. the same processes take part in them, so that a third rule that moves one of them starts both timers;
 *  3. each of them moves a process (a part that does not stay), so that taking one starts both.
 *
 * Then a step starts both timers or none: they become enabled together (1); a step of a third rule starts both or none (2); a step of one of them starts its own, and
 * the other's by 3 and 2. By induction over the run they are always equal. Upper ends of both are deadlines of the shared timer, the lower end of each bounds its own steps.
 *
 * No timer is needed for [0, oo[, in which every moment lies, and for [0, 0]: such a rule is always taken, or loses its timer, at the moment it was enabled. */
#include "engine/timed/timers.h"

#include <stdlib.h>
#include <string.h>

/* ---- priorities ---- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_priorities(struct timers *timers)
{
    const struct model *model = timers->model;
    bool *is_high = mem_alloc(timers->mem, model->class_count + UINT64_C(1)), *is_low = mem_alloc(timers->mem, model->class_count + UINT64_C(1));
    timers->priorities = mem_alloc(timers->mem, (model->priorities.len + UINT64_C(1)) * sizeof *timers->priorities);
    for (uint32_t i = 0; i < model->priorities.len; i++) {
        const struct model_priority *priority = &model->priorities.data[i];
        is_high[priority->high] = is_low[priority->low] = true;
        timers->priorities[i] = (uint64_t)priority->high << 32 | priority->low;
    }
    qsort(timers->priorities, model->priorities.len, sizeof *timers->priorities, by_value);
    for (uint32_t r = 0; r < model->rules.len; r++)
        for (uint32_t i = 0; i < model->rules.data[r].classes; i++) {
            uint32_t c = model->rule_classes.data[model->rules.data[r].first_class + i];
            timers->holds[r] |= is_high[c];
            timers->waits[r] |= is_low[c];
        }
    mem_free(timers->mem, is_high);
    mem_free(timers->mem, is_low);
}

bool timers_is_above(const struct timers *timers, uint32_t high, uint32_t low)
{
    const struct model *model = timers->model;
    const struct model_rule *h = &model->rules.data[high], *l = &model->rules.data[low];
    if (!timers->holds[high] || !timers->waits[low]) return false;
    for (uint32_t i = 0; i < h->classes; i++)
        for (uint32_t k = 0; k < l->classes; k++) {
            uint64_t key = (uint64_t)model->rule_classes.data[h->first_class + i] << 32 | model->rule_classes.data[l->first_class + k];
            if (bsearch(&key, timers->priorities, model->priorities.len, sizeof key, by_value)) return true;
        }
    return false;
}

/* ---- which rules agree ---- */

static bool never_fails(const struct model *model, expr e)
{
    return !expr_get(&model->exprs, e)->may_fail;
}

/* Whether code always runs to its end. `ends` remembers what calls were found to do: 1: they end, 2: perhaps not. */
static bool always_ends(const struct model *model, statement at, uint8_t *ends)
{
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        switch ((enum code_op)node->op) {
        case CODE_SET:
            if (!never_fails(model, node->value) || !never_fails(model, node->target.offset)) return false;
            break;
        case CODE_COPY:
            if (!never_fails(model, node->source.offset) || !never_fails(model, node->target.offset)) return false;
            break;
        case CODE_IF:
            if (!never_fails(model, node->value) || !always_ends(model, node->body, ends) || !always_ends(model, node->other, ends)) return false;
            break;
        case CODE_CALL:
            if (!code_is_none(node->body) && !ends[node->body.i]) ends[node->body.i] = always_ends(model, node->body, ends) ? 1 : 2;
            if (!code_is_none(node->body) && ends[node->body.i] == 2) return false;
            break;
        case CODE_LEAVE: break;
        case CODE_REQUIRE:
        case CODE_WHILE: return false;
        }
    }
    return true;
}

static bool may_share(const struct model *model, const struct model_rule *rule, uint8_t *ends)
{
    bool moves = false;
    for (uint32_t i = 0; i < rule->parts; i++) {
        const struct rule_part *part = &model->parts.data[rule->first_part + i];
        moves |= part->process != MODEL_NONE && !part->stays;
    }
    for (uint32_t i = 0; moves && i < rule->stores; i++) moves = never_fails(model, model->stores.data[rule->first_store + i].value);
    return moves && always_ends(model, rule->body, ends);
}

/* What must be equal of two rules that share a timer: conjuncts and processes. A rule that shares with nobody has its own number as well. */
struct key {
    uint32_t rule, length;
    uint32_t *words;
};

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    int order = memcmp(x->words, y->words, x->length * sizeof *x->words);
    return order ? order : (x->rule > y->rule) - (x->rule < y->rule);
}

static struct key make_key(const struct timers *timers, uint32_t r, uint8_t *ends)
{
    const struct model *model = timers->model;
    const struct model_rule *rule = &model->rules.data[r];
    struct key key = {.rule = r, .words = mem_alloc(timers->mem, (rule->conjuncts + rule->parts + UINT64_C(4)) * sizeof *key.words)};
    bool any_fails = false;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        expr cond = model->conjuncts.data[rule->first_conjunct + i].cond;
        any_fails |= !never_fails(model, cond);
        key.words[key.length++] = cond.i;
    }
    if (!any_fails) qsort(key.words, key.length, sizeof *key.words, by_number);
    key.words[key.length++] = any_fails;
    uint32_t first = key.length;
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process != MODEL_NONE) key.words[key.length++] = process;
    }
    qsort(key.words + first, key.length - first, sizeof *key.words, by_number);
    uint32_t processes = key.length - first;
    key.words[key.length++] = processes;
    if (!may_share(model, rule, ends)) key.words[key.length++] = r;
    return key;
}

/* ---- timers ---- */

static int32_t at_least(int32_t bound, int64_t constant)
{
    return constant > bound ? (int32_t)constant : bound;
}

/* The rule's interval, for the shared timer. A rule that others wait for is also asked whether it is before its interval: an upper bound. */
static void join(struct timers *timers, struct timer *timer, uint32_t r)
{
    const struct model_interval *interval = &timers->model->intervals.data[timers->model->rules.data[r].interval];
    dbm_bound end = interval->infinite ? BOUND_INFINITY : interval->high_open ? bound_strict(interval->high) : bound_weak(interval->high);
    if (end < timer->until) timer->until = end;
    if (!interval->infinite) timer->upper = at_least(timer->upper, interval->high);
    if (interval->low || interval->low_open) timer->lower = at_least(timer->lower, interval->low);
    if ((interval->low || interval->low_open) && timers->holds[r]) timer->upper = at_least(timer->upper, interval->low);
}

static void add_timer(struct timers *timers, uint32_t r)
{
    const struct model_rule *rule = &timers->model->rules.data[r];
    struct timer timer = {.rule = r, .first_process = timers->processes.len, .lower = BOUND_NONE, .upper = BOUND_NONE, .until = BOUND_INFINITY};
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = timers->model->parts.data[rule->first_part + i].process;
        if (process == MODEL_NONE) continue;
        vec_push(timers->mem, &timers->processes, process);
        timer.processes++;
    }
    vec_push(timers->mem, &timers->list, timer);
}

static bool needs_timer(const struct model *model, uint32_t r, bool *urgent)
{
    if (model->rules.data[r].interval == MODEL_NONE) return false;
    const struct model_interval *interval = &model->intervals.data[model->rules.data[r].interval];
    *urgent = !interval->infinite && !interval->high;
    return !*urgent && (interval->low || interval->low_open || !interval->infinite);
}

/* Keys in order stand together; then classes are numbered in the order of rules. */
static void find_classes(struct timers *timers)
{
    const struct model *model = timers->model;
    struct key *keys = mem_alloc(timers->mem, (model->rules.len + UINT64_C(1)) * sizeof *keys);
    uint8_t *ends = mem_alloc(timers->mem, model->code.len + UINT64_C(1));
    uint32_t *first = mem_alloc(timers->mem, (model->rules.len + UINT64_C(1)) * sizeof *first), count = 0; /* the first rule of each one's class */
    for (uint32_t r = 0; r < model->rules.len; r++) {
        timers->of[r] = first[r] = TIMER_NONE;
        if (needs_timer(model, r, &timers->urgent[r])) keys[count++] = make_key(timers, r, ends);
    }
    qsort(keys, count, sizeof *keys, by_key);
    for (uint32_t i = 0; i < count; i++) {
        const struct key *before = i ? &keys[i - 1] : NULL;
        bool same = before && before->length == keys[i].length && !memcmp(before->words, keys[i].words, keys[i].length * sizeof *keys[i].words);
        first[keys[i].rule] = same ? first[before->rule] : keys[i].rule;
    }
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (first[r] == TIMER_NONE) continue;
        if (first[r] == r) {
            timers->of[r] = timers->list.len;
            add_timer(timers, r);
        } else {
            timers->of[r] = timers->of[first[r]];
        }
        join(timers, &timers->list.data[timers->of[r]], r);
    }
    for (uint32_t i = 0; i < count; i++) mem_free(timers->mem, keys[i].words);
    mem_free(timers->mem, keys);
    mem_free(timers->mem, ends);
    mem_free(timers->mem, first);
}

void timers_init(struct timers *timers, const struct model *model)
{
    struct mem *mem = model->mem;
    *timers = (struct timers){.mem = mem, .model = model};
    timers->of = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *timers->of);
    timers->urgent = mem_alloc(mem, model->rules.len + UINT64_C(1));
    timers->holds = mem_alloc(mem, model->rules.len + UINT64_C(1));
    timers->waits = mem_alloc(mem, model->rules.len + UINT64_C(1));
    sort_priorities(timers);
    find_classes(timers);
}

void timers_release(struct timers *timers)
{
    mem_free(timers->mem, timers->of);
    mem_free(timers->mem, timers->urgent);
    mem_free(timers->mem, timers->holds);
    mem_free(timers->mem, timers->waits);
    mem_free(timers->mem, timers->priorities);
    vec_free(timers->mem, &timers->list);
    vec_free(timers->mem, &timers->processes);
}
