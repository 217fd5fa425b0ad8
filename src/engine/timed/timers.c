/* Each clock of a zone costs a row and a column, so timers that always agree are one.
 *
 * Two rules share a timer when, in every run, their timers start at the same moments, whatever
 * their intervals are. It is enough that
 *
 *  1. they are enabled or fail, priorities aside, in the same states (a rule that fails has its
 *     timer like one that is enabled): their guards have the same conjuncts, in the same order if
 *     one of them can fail, and so have the parts of their code that decide about more (below);
 *  2. the same processes take part in them, so that a third rule that moves one of them starts both
 *     timers;
 *  3. each of them moves a process (a part that does not stay), so that taking one starts both.
 *
 * Then a step starts both timers or none: they become enabled together (1); a step of a third rule
 * starts both or none (2); a step of one of them starts its own, and the other's by 3 and 2. By
 * induction over the run they are always equal. Upper ends of both are deadlines of the shared
 * timer, the lower end of each bounds its own steps.
 *
 * What of a rule's code decides whether it is enabled or fails: nothing after its last REQUIRE,
 * where it can only succeed or fail, which is one here. Up to there it is every REQUIRE, every
 * statement that can fail, and whatever assigns a cell that one of these reads, the parallel
 * assignment before it included; the rest of the code has no part in it. So the paths of one
 * transition that only choose values (`any`) have one timer. Only straight code is looked at (calls
 * are, too): a rule with branches before its last REQUIRE shares with nobody.
 *
 * No timer is needed for [0, oo[, in which every moment lies, and for [0, 0]: such a rule is always
 * taken, or loses its timer, at the moment it was enabled. */
#include "engine/timed/timers.h"

#include <assert.h>
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
    bool *is_high = mem_alloc(timers->mem, model->class_count + UINT64_C(1)),
         *is_low = mem_alloc(timers->mem, model->class_count + UINT64_C(1));
    timers->priorities =
        mem_alloc(timers->mem, (model->priorities.len + UINT64_C(1)) * sizeof *timers->priorities);
    for (uint32_t i = 0; i < model->priorities.len; i++) {
        const struct model_priority *priority = &model->priorities.data[i];
        assert(priority->high != priority->low && priority->high < model->class_count
               && priority->low < model->class_count);
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
            uint64_t key = (uint64_t)model->rule_classes.data[h->first_class + i] << 32
                           | model->rule_classes.data[l->first_class + k];
            if (bsearch(&key, timers->priorities, model->priorities.len, sizeof key, by_value))
                return true;
        }
    return false;
}

/* ---- which rules agree ---- */

static bool never_fails(const struct model *model, expr e)
{
    return !expr_get(&model->exprs, e)->may_fail;
}

static bool moves_somebody(const struct model *model, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->parts; i++) {
        const struct rule_part *part = &model->parts.data[rule->first_part + i];
        if (part->process != MODEL_NONE && !part->stays) return true;
    }
    return false;
}

/* What must be equal of two rules that share a timer: conjuncts, processes, and code that decides.
 * A rule that shares with nobody has its own number as well. */
struct key {
    uint32_t rule;
    VEC(uint32_t) words;
};

/* Working memory for finding keys. */
struct finder {
    const struct timers *timers;
    uint8_t *known;    /* see model_may_block */
    uint32_t *matters; /* per variable and local: the last rule + 1 whose decisions it matters to */
    uint32_t *seen;    /* per expression: likewise */
    uint32_t now;
    VEC(const struct code_node *) code; /* the statements up to the last REQUIRE */
    uint32_t steps;                     /* statements met, of calls each time */
};

enum { MOST_STATEMENTS = 10000 };

static bool node_may_fail(const struct model *model, const struct code_node *node)
{
    if (node->op == CODE_SET)
        return !never_fails(model, node->value) || !never_fails(model, node->target.offset);
    return !never_fails(model, node->source.offset) || !never_fails(model, node->target.offset);
}

static uint32_t cell_number(const struct finder *finder, bool local, uint32_t cell)
{
    return local ? finder->timers->model->vars.len + cell : cell;
}

/* The cells that an expression reads matter. Parts that were seen before are shared by several
 * expressions. */
static void mark_read(struct finder *finder, expr e)
{
    const struct expr_node *node = expr_get(&finder->timers->model->exprs, e);
    bool is_array = node->op == EXPR_AT || node->op == EXPR_LOCAL_AT;
    bool is_local = node->op == EXPR_LOCAL || node->op == EXPR_LOCAL_AT;
    int64_t count = node->op == EXPR_VAR || is_local ? 1 : 0;
    if (finder->seen[e.i] == finder->now) return;
    finder->seen[e.i] = finder->now;
    if (is_array) count = expr_get(&finder->timers->model->exprs, node->b)->value;
    for (int64_t i = 0; i < count; i++)
        finder->matters[cell_number(finder, is_local, (uint32_t)(node->value + i))] = finder->now;
    if (expr_table[node->op].arity >= 1) mark_read(finder, node->a);
    if (expr_table[node->op].arity >= 2) mark_read(finder, node->b);
    if (expr_table[node->op].arity >= 3) mark_read(finder, node->c);
}

static bool run_matters(const struct finder *finder, const struct cell *cell, uint32_t cells)
{
    for (uint32_t i = 0; i < cell->count - 1 + cells; i++)
        if (finder->matters[cell_number(finder, cell->local, cell->base + i)] == finder->now)
            return true;
    return false;
}

/* Marks what a statement that decides reads. */
static void mark_sources(struct finder *finder, const struct code_node *node)
{
    if (node->op != CODE_COPY) mark_read(finder, node->value);
    if (node->op == CODE_REQUIRE) return;
    mark_read(finder, node->target.offset);
    if (node->op != CODE_COPY) return;
    mark_read(finder, node->source.offset);
    for (uint32_t i = 0; i < node->source.count - 1 + node->cells; i++)
        finder->matters[cell_number(finder, node->source.local, node->source.base + i)] =
            finder->now;
}

static void add_words(const struct finder *finder, struct key *key, const uint32_t *words,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) vec_push(finder->timers->mem, &key->words, words[i]);
}

static void add_cell(const struct finder *finder, struct key *key, const struct cell *cell)
{
    add_words(finder, key, (uint32_t[]){cell->local, cell->base, cell->count, cell->offset.i}, 4);
}

/* Adds the statements of straight code, also those of calls, as far as it goes. Returns where it
 * ends: none, or a statement. */
static statement add_straight(struct finder *finder, statement at)
{
    const struct model *model = finder->timers->model;
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        if (++finder->steps > MOST_STATEMENTS) return at;
        if (node->op == CODE_SET || node->op == CODE_COPY || node->op == CODE_REQUIRE)
            vec_push(finder->timers->mem, &finder->code, node);
        else if (node->op != CODE_CALL || !code_is_none(add_straight(finder, node->body)))
            return at;
    }
    return at;
}

/* Finds the statements up to the last REQUIRE. False: not only straight code stands before it. */
static bool find_code(struct finder *finder, const struct model_rule *rule)
{
    finder->code.len = 0;
    finder->steps = 0;
    statement end = add_straight(finder, rule->body);
    while (finder->code.len && finder->code.data[finder->code.len - 1]->op != CODE_REQUIRE)
        finder->code.len--;
    return !model_may_block(finder->timers->model, end, finder->known);
}

/* The statements that decide whether the rule is enabled or fails, the last one first. */
static void add_decisions(struct finder *finder, struct key *key)
{
    const struct model *model = finder->timers->model;
    for (uint32_t i = finder->code.len; i-- > 0;) {
        const struct code_node *node = finder->code.data[i];
        uint32_t cells = node->op == CODE_COPY ? node->cells : 1;
        bool decides = node->op == CODE_REQUIRE || node_may_fail(model, node)
                       || run_matters(finder, &node->target, cells);
        if (!decides) continue;
        mark_sources(finder, node);
        add_words(finder, key,
                  (uint32_t[]){node->op, node->op == CODE_COPY ? node->cells : node->value.i}, 2);
        if (node->op != CODE_REQUIRE) add_cell(finder, key, &node->target);
        if (node->op == CODE_COPY) add_cell(finder, key, &node->source);
    }
}

/* The parallel assignment comes before the code. What it stores matters when the code asks for it,
 * or when it can fail before the code has its say. */
static void add_stores(struct finder *finder, struct key *key, const struct model_rule *rule)
{
    const struct model *model = finder->timers->model;
    for (uint32_t i = 0; finder->code.len && i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        bool matters = finder->matters[cell_number(finder, false, store->var)] == finder->now;
        if (!matters && never_fails(model, store->value)) continue;
        add_words(finder, key, (uint32_t[]){store->var, store->value.i}, 2);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool are_equal(const struct key *a, const struct key *b)
{
    return a->words.len == b->words.len
           && !memcmp(a->words.data, b->words.data, a->words.len * sizeof *a->words.data);
}

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->words.len != y->words.len) return x->words.len < y->words.len ? -1 : 1;
    int order = memcmp(x->words.data, y->words.data, x->words.len * sizeof *x->words.data);
    return order ? order : (x->rule > y->rule) - (x->rule < y->rule);
}

/* Conjuncts in ascending order, where none can fail. */
static void add_guard(const struct finder *finder, struct key *key, const struct model_rule *rule)
{
    const struct model *model = finder->timers->model;
    bool any_fails = false;
    uint32_t first = key->words.len;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        expr cond = model->conjuncts.data[rule->first_conjunct + i].cond;
        any_fails |= !never_fails(model, cond);
        add_words(finder, key, &cond.i, 1);
    }
    if (!any_fails && rule->conjuncts)
        qsort(key->words.data + first, rule->conjuncts, sizeof *key->words.data, by_number);
}

static void add_parts(const struct finder *finder, struct key *key, const struct model_rule *rule)
{
    const struct model *model = finder->timers->model;
    uint32_t first = key->words.len;
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process != MODEL_NONE) add_words(finder, key, &process, 1);
    }
    uint32_t count = key->words.len - first;
    if (count) qsort(key->words.data + first, count, sizeof *key->words.data, by_number);
    add_words(finder, key, &count, 1);
}

/* The first words say how long the others are, so that different keys have different words. */
static struct key make_key(struct finder *finder, uint32_t r)
{
    const struct model_rule *rule = &finder->timers->model->rules.data[r];
    struct key key = {.rule = r};
    bool may_share = moves_somebody(finder->timers->model, rule) && find_code(finder, rule);
    finder->now = r + 1;
    add_words(finder, &key, (uint32_t[]){may_share ? 0 : r + 1, rule->conjuncts}, 2);
    add_guard(finder, &key, rule);
    add_parts(finder, &key, rule);
    if (may_share) add_decisions(finder, &key);
    if (may_share) add_stores(finder, &key, rule);
    return key;
}

/* ---- timers ---- */

static int32_t at_least(int32_t bound, int64_t constant)
{
    return constant > bound ? (int32_t)constant : bound;
}

/* The rule's interval, for the shared timer. A rule that others wait for is also asked whether it
 * is before its interval: an upper bound. */
static void join(struct timers *timers, struct timer *timer, uint32_t r)
{
    const struct model_interval *interval =
        &timers->model->intervals.data[timers->model->rules.data[r].interval];
    dbm_bound end = interval->infinite    ? BOUND_INFINITY
                    : interval->high_open ? bound_strict(interval->high)
                                          : bound_weak(interval->high);
    if (end < timer->until) timer->until = end;
    assert(timers->of[timer->rule] == timers->of[r] && !timers->urgent[r]);
    if (!interval->infinite) timer->upper = at_least(timer->upper, interval->high);
    if (interval->low || interval->low_open) timer->lower = at_least(timer->lower, interval->low);
    if ((interval->low || interval->low_open) && timers->holds[r])
        timer->upper = at_least(timer->upper, interval->low);
}

static void add_timer(struct timers *timers, uint32_t r)
{
    const struct model_rule *rule = &timers->model->rules.data[r];
    struct timer timer = {.rule = r,
                          .first_process = timers->processes.len,
                          .lower = BOUND_NONE,
                          .upper = BOUND_NONE,
                          .until = BOUND_INFINITY};
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = timers->model->parts.data[rule->first_part + i].process;
        if (process == MODEL_NONE) continue;
        vec_push(timers->mem, &timers->processes, process);
        timer.processes++;
    }
    assert(!timers->list.len || timers->list.data[timers->list.len - 1].rule < r);
    vec_push(timers->mem, &timers->list, timer);
}

static bool needs_timer(const struct model *model, uint32_t r, bool *urgent)
{
    const struct model_rule *rule = &model->rules.data[r];
    *urgent = rule->is_urgent && !rule->guards;
    if (rule->interval == MODEL_NONE) return false;
    const struct model_interval *interval = &model->intervals.data[rule->interval];
    *urgent = !interval->infinite && !interval->high;
    return !*urgent && (interval->low || interval->low_open || !interval->infinite);
}

/* Keys in order stand together; then classes are numbered in the order of rules. */
static void find_classes(struct timers *timers)
{
    const struct model *model = timers->model;
    struct mem *mem = timers->mem;
    struct finder finder = {.timers = timers};
    struct key *keys = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *keys);
    uint32_t *first =
        mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *first); /* of each one's class */
    uint32_t count = 0;
    finder.known = mem_alloc(mem, model->code.len + UINT64_C(1));
    finder.matters =
        mem_alloc(mem, ((size_t)model->vars.len + model->locals.len + 1) * sizeof *finder.matters);
    finder.seen = mem_alloc(mem, (model->exprs.nodes.len + UINT64_C(1)) * sizeof *finder.seen);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        timers->of[r] = first[r] = TIMER_NONE;
        if (needs_timer(model, r, &timers->urgent[r])) keys[count++] = make_key(&finder, r);
        timers->any_rushes |= model->rules.data[r].is_urgent && model->rules.data[r].guards;
    }
    qsort(keys, count, sizeof *keys, by_key);
    for (uint32_t i = 0; i < count; i++)
        first[keys[i].rule] =
            i && are_equal(&keys[i - 1], &keys[i]) ? first[keys[i - 1].rule] : keys[i].rule;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (first[r] == TIMER_NONE) continue;
        assert(first[r] <= r && first[first[r]] == first[r]); /* classes go by their first rules */
        timers->of[r] = first[r] == r ? timers->list.len : timers->of[first[r]];
        if (first[r] == r) add_timer(timers, r);
        join(timers, &timers->list.data[timers->of[r]], r);
    }
    for (uint32_t i = 0; i < count; i++) vec_free(mem, &keys[i].words);
    vec_free(mem, &finder.code);
    mem_free(mem, finder.known);
    mem_free(mem, finder.matters);
    mem_free(mem, finder.seen);
    mem_free(mem, keys);
    mem_free(mem, first);
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
