/* Observers of patterns. For every family, scope, form of sets and option, random traces of steps
 * with sets of events are given to the observer, in a small interpreter of observers, and to the
 * definition of docs/patterns.md, which is written down here once more, over whole traces: sets by
 * positions of occurrences, rounds by where they begin and end. Both must agree after every step
 * and whenever time has passed. Where pattern_ltl has a formula, it is evaluated on the trace,
 * followed by empty steps. The published formulas for single events are compared with, too. */
#include "base/random.h"
#include "context/observer.h"
#include "context/pattern.h"
#include "lang/ltl/ltlread.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS = 10, MOST_STEPS = 16, EVER = 1000000 };
enum { LEFT = 0, RIGHT = 3, OPEN = 6, CLOSE = 7, OTHER = 8, UNUSED = 9 };

struct trace {
    uint32_t steps;
    uint32_t events[MOST_STEPS + 8]; /* bits */
    int64_t dates[MOST_STEPS + 8];
};

struct bench {
    struct mem mem;
    struct diag diag;
    struct arena arena;
    struct names names;
    struct exprs exprs;
    struct context context;
    struct random random;
};

static void bench_init(struct bench *b, uint64_t seed)
{
    static const char *const names[EVENTS] = {"a", "b",    "c",     "p",     "q",
                                              "r", "open", "close", "other", "unused"};
    memset(b, 0, sizeof *b);
    mem_init(&b->mem);
    diag_init(&b->diag, &b->mem);
    arena_init(&b->arena, &b->mem);
    names_init(&b->names, &b->arena);
    exprs_init(&b->exprs, &b->mem);
    b->random.state = seed;
    for (uint32_t i = 0; i < EVENTS; i++)
        vec_push(&b->mem, &b->context.events, ((struct context_event){.name = names[i]}));
}

static void observer_free(struct bench *b, struct observer *observer)
{
    vec_free(&b->mem, &observer->states);
    vec_free(&b->mem, &observer->clocks);
    vec_free(&b->mem, &observer->edges);
    vec_free(&b->mem, &observer->guards);
    vec_free(&b->mem, &observer->actions);
    vec_free(&b->mem, &observer->pending);
}

/* ---- an interpreter of observers ---- */

struct run {
    uint32_t state;
    int64_t since[1]; /* when the clock was started; -1: it does not run */
};

static bool guards_hold(const struct observer *o, const struct run *run,
                        const struct observer_edge *edge, int64_t now)
{
    for (uint32_t i = 0; i < edge->guards; i++) {
        const struct observer_guard *guard = &o->guards.data[edge->first_guard + i];
        int64_t since = run->since[guard->clock];
        if (since < 0 || guard->op != EXPR_GT || !(now - since > guard->ticks)) return false;
    }
    return true;
}

static void take(const struct observer *o, struct run *run, const struct observer_edge *edge,
                 int64_t now)
{
    run->state = edge->to;
    for (uint32_t i = 0; i < edge->actions; i++)
        run->since[o->actions.data[edge->first_action + i].clock] =
            o->actions.data[edge->first_action + i].starts ? now : -1;
}

/* Time has come to `now`: edges with nothing but a guard are taken. */
static void pass_time(const struct observer *o, struct run *run, int64_t now)
{
    for (uint32_t i = 0; i < o->edges.len; i++) {
        const struct observer_edge *edge = &o->edges.data[i];
        if (edge->from != run->state || !edge->guards || edge->event != CONTEXT_NONE
            || edge->has_predicate || !guards_hold(o, run, edge, now))
            continue;
        take(o, run, edge, now);
        pass_time(o, run, now);
        return;
    }
}

static void see_step(const struct observer *o, struct run *run, uint32_t events, int64_t now)
{
    for (uint32_t i = 0; i < o->edges.len; i++) {
        const struct observer_edge *edge = &o->edges.data[i];
        if (edge->from != run->state || !guards_hold(o, run, edge, now)) continue;
        if (edge->event != CONTEXT_NONE && !(events >> edge->event & 1)) continue;
        if (edge->event == CONTEXT_NONE && !edge->guards && !edge->has_predicate) continue;
        take(o, run, edge, now);
        return;
    }
}

static struct run begin_run(const struct observer *o)
{
    struct run run = {0, {-1}};
    if (o->edges.len && !o->edges.data[0].from && o->edges.data[0].has_predicate)
        take(o, &run, &o->edges.data[0], 0); /* the only predicate is `true` */
    return run;
}

/* ---- the definition ---- */

/* One time that the scope is open: what its steps are read as. */
struct section {
    uint32_t count;
    uint32_t events[MOST_STEPS + 8];
    int64_t dates[MOST_STEPS + 8];
    int64_t opened, now;
    bool is_closed;
};

struct verdict {
    bool is_bad, is_unmet;
};

static bool is_in(const struct pattern_set *set, uint32_t event)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->items[i].event == event) return true;
    return false;
}

/* Where the n-th occurrence of an event from a position on is; the length: nowhere. */
static uint32_t nth(const struct section *s, uint32_t from, uint32_t event, uint32_t n)
{
    for (uint32_t i = from; i < s->count; i++)
        if (s->events[i] == event && !--n) return i;
    return s->count;
}

/* Where item i is complete when the set is looked for from a position on. */
static uint32_t item_complete(const struct section *s, const struct pattern_set *set, uint32_t i,
                              uint32_t from)
{
    if (set->quantifier == PATTERN_ORDERED && i) {
        uint32_t before = item_complete(s, set, i - 1, from);
        if (before == s->count) return before;
        from = before + 1;
    }
    return nth(s, from, set->items[i].event, set->items[i].count);
}

static uint32_t complete(const struct section *s, const struct pattern_set *set, uint32_t from)
{
    uint32_t result = set->quantifier == PATTERN_AN ? s->count : 0;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t at = item_complete(s, set, i, from);
        if (set->quantifier == PATTERN_AN ? at < result : at > result) result = at;
    }
    return result;
}

/* The first occurrence too many of an exact item. */
static uint32_t excess(const struct section *s, const struct pattern_set *set, uint32_t from)
{
    uint32_t result = s->count;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t at = item_complete(s, set, i, from);
        if (!set->items[i].is_exact || at == s->count
            || (set->quantifier == PATTERN_AN && at != complete(s, set, from)))
            continue;
        uint32_t again = nth(s, at + 1, set->items[i].event, 1);
        if (again < result) result = again;
    }
    return result;
}

/* The first event between the left set's completion and that of the right one that has no part in
 * it. */
static uint32_t intruder(const struct section *s, const struct pattern_set *right, uint32_t from,
                         uint32_t end)
{
    for (uint32_t p = from; p < end; p++) {
        bool has_part = is_in(right, s->events[p]);
        for (uint32_t i = 1; has_part && right->quantifier == PATTERN_ORDERED && i < right->count;
             i++)
            if (right->items[i].event == s->events[p] && item_complete(s, right, i - 1, from) >= p)
                has_part = false;
        if (!has_part) return p;
    }
    return s->count;
}

static uint32_t next_left(const struct section *s, const struct pattern_set *left, uint32_t from)
{
    for (uint32_t p = from; p < s->count; p++)
        if (left->quantifier == PATTERN_ORDERED ? s->events[p] == left->items[0].event
                                                : is_in(left, s->events[p]))
            return p;
    return s->count;
}

static uint32_t smallest(uint32_t a, uint32_t b) { return a < b ? a : b; }

static struct verdict judge_response(const struct pattern *p, const struct section *s)
{
    for (uint32_t from = 0;;) {
        uint32_t left = complete(s, &p->left, from), too_many = excess(s, &p->left, from);
        if (left == s->count) return (struct verdict){too_many < s->count, false};
        uint32_t right = complete(s, &p->right, left + 1),
                 too_many_right = excess(s, &p->right, left + 1);
        int64_t answered = right < s->count ? s->dates[right] : s->now;
        if (too_many < right || too_many_right < right) return (struct verdict){true, false};
        if (p->is_immediate && intruder(s, &p->right, left + 1, right) < s->count)
            return (struct verdict){true, false};
        if (p->has_bound && answered > s->dates[left] + p->bound)
            return (struct verdict){true, false};
        if (right == s->count) return (struct verdict){false, true};
        from = next_left(s, &p->left, right + 1);
        if (too_many_right < from) return (struct verdict){true, false};
        if (from == s->count || !p->repeats) return (struct verdict){false, false};
    }
}

static bool judge_precedence(const struct pattern *p, const struct section *s)
{
    for (uint32_t from = 0; from < s->count;) {
        uint32_t left = complete(s, &p->left, from), too_many = excess(s, &p->left, from),
                 late = s->count;
        if (complete(s, &p->right, from) < left) return true;
        if (left == s->count) return too_many < s->count;
        uint32_t right = complete(s, &p->right, left + 1),
                 too_many_right = excess(s, &p->right, left + 1);
        for (uint32_t i = s->count; p->has_bound && i-- > left;)
            if (s->dates[i] > s->dates[left] + p->bound) late = i;
        uint32_t other = p->is_immediate ? intruder(s, &p->right, left + 1, right) : s->count;
        if (late <= right && late <= other
            && late < s->count) { /* the permission is over before that event */
            if (too_many < late || too_many_right < late) return true;
            from = late;
            continue;
        }
        if (other < right) {
            if (too_many <= other || too_many_right < other) return true;
            from = other;
            continue;
        }
        if (too_many < right || too_many_right < right) return true;
        if (right == s->count) return false;
        uint32_t next = next_left(s, &p->left, right + 1);
        if (!p->repeats) return too_many_right < next;
        for (uint32_t i = right + 1; p->is_immediate && i < next; i++)
            if (!is_in(&p->right, s->events[i])) next = i;
        from = smallest(next, late);
        if (too_many_right < from) return true;
    }
    return false;
}

static struct verdict judge_section(const struct pattern *p, const struct section *s)
{
    struct verdict v = {false, false};
    uint32_t left = complete(s, &p->left, 0);
    switch (p->family) {
    case PATTERN_RESPONSE: v = judge_response(p, s); break;
    case PATTERN_PRECEDENCE: v.is_bad = judge_precedence(p, s); break;
    case PATTERN_ABSENCE:
        v.is_bad = left < s->count && (!p->has_bound || s->dates[left] <= s->opened + p->bound);
        break;
    case PATTERN_EXISTENCE:
        v.is_unmet = left == s->count;
        v.is_bad =
            excess(s, &p->left, 0) < s->count
            || (p->has_bound && (v.is_unmet ? s->now : s->dates[left]) > s->opened + p->bound);
        break;
    }
    for (uint32_t i = 0; i < p->option_count; i++) {
        uint32_t first = nth(s, 0, p->options[i].event, 1);
        if (p->options[i].before == CONTEXT_NONE) v.is_unmet |= first == s->count;
        else v.is_bad |= first < nth(s, 0, p->options[i].before, 1);
    }
    return v;
}

/* In which order the events of a step are read. */
static uint32_t reading(const struct pattern *p, uint32_t step)
{
    const struct pattern_set *sets[2] = {&p->left, &p->right};
    if (p->family == PATTERN_RESPONSE) sets[0] = &p->right, sets[1] = &p->left;
    for (uint32_t k = 0;
         k < (p->family == PATTERN_RESPONSE || p->family == PATTERN_PRECEDENCE ? 2 : 1); k++)
        for (uint32_t i = 0; i < sets[k]->count; i++)
            if (step >> sets[k]->items[i].event & 1) return sets[k]->items[i].event;
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (p->options[i].before != CONTEXT_NONE && step >> p->options[i].before & 1)
            return p->options[i].before;
        if (step >> p->options[i].event & 1) return p->options[i].event;
    }
    for (uint32_t i = 0; i < p->named_count; i++)
        if (step >> p->named[i] & 1) return p->named[i];
    return CONTEXT_NONE;
}

/* Of the first `steps` steps, at a time `now`: whether it is violated for good, and whether it is
 * violated if nothing more happens. */
static struct verdict judge(const struct pattern *p, const struct trace *t, uint32_t steps,
                            int64_t now)
{
    bool is_strict = p->scope == PATTERN_BEFORE || p->scope == PATTERN_BETWEEN,
         is_open = p->open == CONTEXT_NONE;
    struct verdict all = {false, false};
    struct section s = {.count = 0};
    for (uint32_t i = 0; i <= steps; i++) {
        bool closes = i < steps && p->close != CONTEXT_NONE && t->events[i] >> p->close & 1;
        if (is_open && (closes || i == steps)) {
            s.is_closed = closes;
            s.now = closes ? t->dates[i] : now;
            struct verdict v = judge_section(p, &s);
            if (closes) all.is_bad |= v.is_bad || v.is_unmet;
            else if (!is_strict) all.is_bad |= v.is_bad, all.is_unmet |= v.is_unmet;
            is_open = false;
            if (p->scope == PATTERN_BEFORE) break;
        } else if (i < steps && is_open) {
            uint32_t event = reading(p, t->events[i]);
            if (event == CONTEXT_NONE) continue;
            s.events[s.count] = event;
            s.dates[s.count++] = t->dates[i];
        } else if (i < steps && p->open != CONTEXT_NONE && t->events[i] >> p->open & 1 && !closes) {
            is_open = true;
            s = (struct section){.opened = t->dates[i]};
        }
    }
    return all;
}

/* Whether single events can be added, at most `depth`, so that all is well for ever. */
static bool can_become_good(const struct pattern *p, struct trace *t, uint32_t steps, int64_t now,
                            unsigned depth)
{
    struct verdict v = judge(p, t, steps, EVER);
    if (!v.is_bad && !v.is_unmet) return true;
    if (!depth || judge(p, t, steps, now).is_bad) return false;
    for (uint32_t e = 0; e < UNUSED; e++) {
        t->events[steps] = UINT32_C(1) << e;
        t->dates[steps] = now;
        if (can_become_good(p, t, steps + 1, now, depth - 1)) return true;
    }
    return false;
}

/* ---- LTL on a trace that ends with empty steps ---- */

static bool *evaluate(struct nnfs *nnfs, const struct alphabet *alphabet,
                      const struct context *context, const struct trace *t)
{
    uint32_t nodes = nnfs->nodes.len, width = t->steps + 1;
    bool *value = calloc((size_t)nodes * width, sizeof *value);
    for (uint32_t i = 0; i < nodes; i++) /* operands come first */
        for (uint32_t at = width; at-- > 0;) {
            const struct nnf_node *node = &nnfs->nodes.data[i];
            uint32_t next = at + 1 < width ? at + 1 : at;
            bool a = node->op == NNF_LITERAL || node->op < NNF_LITERAL
                         ? false
                         : value[(size_t)node->a.i * width + at];
            bool b =
                node->op == NNF_AND || node->op == NNF_OR || node->op == NNF_U || node->op == NNF_R
                    ? value[(size_t)node->b.i * width + at]
                    : false;
            bool later = at + 1 < width ? value[(size_t)i * width + next] : node->op == NNF_R,
                 result = false;
            switch (node->op) {
            case NNF_TRUE: result = true; break;
            case NNF_LITERAL:
                for (uint32_t e = 0; at < t->steps && e < EVENTS; e++)
                    if (!strcmp(alphabet->propositions.data[node->a.i],
                                context->events.data[e].name))
                        result = t->events[at] >> e & 1;
                result ^= node->negated;
                break;
            case NNF_AND: result = a && b; break;
            case NNF_OR: result = a || b; break;
            case NNF_X: result = value[(size_t)node->a.i * width + next]; break;
            case NNF_U: result = b || (a && later); break;
            case NNF_R: result = b && (a || later); break;
            default: break;
            }
            value[(size_t)i * width + at] = result;
        }
    return value;
}

struct ltl {
    bool has_formula;
    struct alphabet alphabet;
    struct nnfs nnfs;
    nnf formula;
};

static void ltl_init(struct ltl *ltl, struct bench *b, const struct pattern *p, struct unit *unit)
{
    struct text text;
    memset(ltl, 0, sizeof *ltl);
    text_init(&text, &b->mem);
    if (pattern_ltl(p, &b->context, &text)) {
        uint32_t source = diag_add_source(&b->diag, "formula", text.data, text.len);
        ltl->alphabet = (struct alphabet){.mem = &b->mem, .names = &b->names};
        nnfs_init(&ltl->nnfs, &b->mem);
        ltl->has_formula =
            ltlread_formula(&b->diag, source, &ltl->alphabet, &ltl->nnfs, &ltl->formula)
            && !ltl->nnfs.problem;
        CHECK(unit, ltl->has_formula);
        if (!ltl->has_formula) printf("  %s\n", text.data);
    }
    text_free(&text);
}

static bool ltl_holds(struct ltl *ltl, struct bench *b, const struct trace *t)
{
    bool *value = evaluate(&ltl->nnfs, &ltl->alphabet, &b->context, t),
         result = value[(size_t)ltl->formula.i * (t->steps + 1)];
    free(value);
    return result;
}

static void ltl_free(struct ltl *ltl, struct bench *b)
{
    if (!ltl->has_formula) return;
    vec_free(&b->mem, &ltl->alphabet.propositions);
    nnfs_release(&ltl->nnfs);
}

/* ---- random patterns and traces ---- */

static uint32_t below(struct bench *b, uint32_t bound)
{
    return (uint32_t)random_below(&b->random, bound);
}

static void random_set(struct bench *b, struct pattern_set *set, enum pattern_quantifier quantifier,
                       uint32_t first)
{
    uint32_t plain = below(b, 2);
    set->quantifier = quantifier;
    set->count = 1 + below(b, 3);
    for (uint32_t i = 0; i < set->count; i++)
        set->items[i] = (struct pattern_item){
            .event = first + i, .count = below(b, 4) ? 1 : 2, .is_exact = !plain && below(b, 2)};
}

static void random_options(struct bench *b, struct pattern *p, bool is_rich)
{
    p->option_count = p->named_count = 0;
    if (below(b, 2)) return;
    for (uint32_t i = below(b, 3); i-- > 0;) {
        struct pattern_option option = {.event = is_rich ? below(b, OPEN) : OTHER,
                                        .before = CONTEXT_NONE};
        if (below(b, 2))
            option.event = below(b, OPEN), option.before = below(b, 3) ? below(b, OPEN) : OTHER;
        if (option.event != option.before) p->options[p->option_count++] = option;
    }
    if (!below(b, 4)) p->named[p->named_count++] = OTHER;
}

/* Mostly of events that matter, few of them at a time in half of the traces. */
static void random_trace(struct bench *b, const struct pattern *p, struct trace *t)
{
    uint32_t events[PATTERN_MOST_EVENTS + 2], count = pattern_events(p, events),
                                              density = below(b, 2) ? 0 : 1 + below(b, 2);
    if (p->open != CONTEXT_NONE) events[count++] = p->open;
    if (p->close != CONTEXT_NONE && below(b, 2)) events[count++] = p->close;
    int64_t date = 0;
    t->steps = below(b, MOST_STEPS + 1);
    for (uint32_t i = 0; i < t->steps; i++) {
        date += p->has_bound ? below(b, 3) : 1;
        t->dates[i] = date;
        t->events[i] = 0;
        for (uint32_t k = below(b, density + 1) + !!below(b, 8); k-- > 0;)
            t->events[i] |= UINT32_C(1)
                            << (below(b, 20) ? events[below(b, count)] : below(b, EVENTS));
    }
}

/* ---- comparison ---- */

struct statistics {
    unsigned patterns, traces, rejected, formulas, early, refused, alive;
};

static void complain(struct bench *b, const struct pattern *p, const struct observer *o,
                     const struct trace *t, uint32_t steps)
{
    struct text text;
    text_init(&text, &b->mem);
    pattern_describe(p, &b->context, &text);
    printf("  %s%s%s\n ", text.data, p->named_count ? " (other is named)" : "",
           p->repeats ? "" : " (does not repeat)");
    for (uint32_t i = 0; i < steps; i++) {
        printf(" %lld:{", (long long)t->dates[i]);
        for (uint32_t e = 0; e < EVENTS; e++)
            if (t->events[i] >> e & 1) printf(" %s", b->context.events.data[e].name);
        printf(" }");
    }
    printf("\n");
    observer_print(o,
                   &(struct observer_words){.context = &b->context, .exprs = &b->exprs, .ticks = 1},
                   stdout);
    text_free(&text);
}

static bool is_pending(const struct observer *o, uint32_t state)
{
    for (uint32_t i = 0; i < o->pending.len; i++)
        if (o->pending.data[i] == state) return true;
    return false;
}

/* The observer and the definition agree now; what is rejected early cannot be saved, and what is
 * not rejected can. */
static bool agrees(const struct pattern *p, const struct observer *o, const struct run *run,
                   struct trace *t, uint32_t steps, int64_t now, bool is_deep,
                   struct statistics *st)
{
    bool is_rejected = o->bad != CONTEXT_NONE && run->state == o->bad,
         is_bad = judge(p, t, steps, now).is_bad;
    struct trace copy = *t;
    st->early += is_rejected && !is_bad;
    if (is_bad) return is_rejected;
    if (is_rejected) return !can_become_good(p, &copy, steps, now, 3);
    if (!is_deep) return true;
    st->alive++;
    for (unsigned depth = 0; depth <= 7; depth++)
        if (can_become_good(p, &copy, steps, now, depth)) return true;
    return false;
}

static bool compare_trace(struct bench *b, const struct pattern *p, const struct observer *o,
                          struct ltl *ltl, struct trace *t, struct statistics *st)
{
    struct run run = begin_run(o), lazy = run;
    bool is_deep = p->option_count == 0 && p->left.count + p->right.count <= 2 && !below(b, 20),
         good = agrees(p, o, &run, t, 0, 0, is_deep, st);
    for (uint32_t i = 0; i < t->steps && good; i++) {
        pass_time(o, &run, t->dates[i]);
        good = agrees(p, o, &run, t, i, t->dates[i], false, st);
        see_step(o, &run, t->events[i], t->dates[i]);
        see_step(o, &lazy, t->events[i],
                 t->dates[i]); /* a step may come before an edge without event is taken */
        good = good && agrees(p, o, &run, t, i + 1, t->dates[i], is_deep && i < 6, st);
        struct run later = lazy;
        pass_time(o, &later, t->dates[i]);
        good = good && later.state == run.state;
        if (!good) complain(b, p, o, t, i + 1);
    }
    if (!good) return false;
    pass_time(o, &run, EVER);
    struct verdict end = judge(p, t, t->steps, EVER);
    bool is_rejected = o->bad != CONTEXT_NONE && run.state == o->bad,
         holds = !is_rejected && !is_pending(o, run.state);
    st->rejected += is_rejected;
    good = holds == (!end.is_bad && !end.is_unmet)
           && (!ltl->has_formula || ltl_holds(ltl, b, t) == holds);
    if (!good) complain(b, p, o, t, t->steps);
    return good;
}

/* Moore's algorithm over all sets of events: no two states do the same. */
static bool is_minimal(const struct observer *o, const struct pattern *p)
{
    uint32_t events[PATTERN_MOST_EVENTS + 2], count = pattern_events(p, events), class[64],
                                              next[64], classes = 0;
    if (p->open != CONTEXT_NONE) events[count++] = p->open;
    if (p->close != CONTEXT_NONE) events[count++] = p->close;
    if (count > 8 || o->states.len > 64 || o->clocks.len) return true;
    for (uint32_t s = 0; s < o->states.len; s++) class[s] = s == o->bad ? 2 : is_pending(o, s);
    for (uint32_t before = 99; before != classes;) {
        before = classes;
        classes = 0;
        for (uint32_t s = 0; s < o->states.len; s++) {
            uint32_t same = 0;
            for (; same < s; same++) {
                bool is_same = class[same] == class[s];
                for (uint32_t set = 0; is_same && set < UINT32_C(1) << count; set++) {
                    struct run x = {same, {-1}}, y = {s, {-1}};
                    uint32_t bits = 0;
                    for (uint32_t i = 0; i < count; i++) bits |= (set >> i & 1) << events[i];
                    see_step(o, &x, bits, 0);
                    see_step(o, &y, bits, 0);
                    is_same = class[x.state] == class[y.state];
                }
                if (is_same) break;
            }
            next[s] = same < s ? next[same] : classes++;
        }
        memcpy(class, next, sizeof *class * o->states.len);
    }
    return classes == o->states.len;
}

static void try_pattern(struct unit *unit, struct bench *b, struct pattern *p, unsigned traces,
                        struct statistics *st)
{
    struct observer observer;
    struct ltl ltl;
    struct trace trace;
    uint32_t errors = b->diag.errors;
    bool good = pattern_check(p, &b->context, &b->diag);
    CHECK(unit, good);
    st->patterns++;
    if (!pattern_observe(&b->mem, &b->names, &b->exprs, p, &b->context, &b->diag, &observer)) {
        trace.steps = 0;
        st->refused++;
        CHECK(unit, b->diag.errors == errors + 1 && !can_become_good(p, &trace, 0, 0, 3));
        return;
    }
    ltl_init(&ltl, b, p, unit);
    st->formulas += ltl.has_formula;
    CHECK(unit, observer_check(&observer, &b->context, &b->mem));
    CHECK(unit, is_minimal(&observer, p));
    for (unsigned k = 0; k < traces && good; k++) {
        random_trace(b, p, &trace);
        good = compare_trace(b, p, &observer, &ltl, &trace, st);
        st->traces++;
    }
    CHECK(unit, good);
    ltl_free(&ltl, b);
    observer_free(b, &observer);
}

static void random_patterns(struct unit *unit, uint64_t seed, bool is_rich, struct statistics *st)
{
    struct bench b;
    struct pattern p;
    bench_init(&b, seed);
    for (unsigned form = 0; form < 4 * 5 * 3 * 3 * 8; form++) {
        unsigned rest = form / 180;
        memset(&p, 0, sizeof p);
        p.name = "P";
        p.ticks = 1;
        p.family = (enum pattern_family)(form % 4);
        p.scope = (enum pattern_scope)(form / 4 % 5);
        p.open = p.scope == PATTERN_GLOBALLY || p.scope == PATTERN_BEFORE ? CONTEXT_NONE : OPEN;
        p.close = p.scope == PATTERN_GLOBALLY || p.scope == PATTERN_AFTER ? CONTEXT_NONE : CLOSE;
        random_set(&b, &p.left, (enum pattern_quantifier)(form / 20 % 3), LEFT);
        bool has_two = p.family == PATTERN_RESPONSE || p.family == PATTERN_PRECEDENCE;
        if (has_two) random_set(&b, &p.right, (enum pattern_quantifier)(form / 60 % 3), RIGHT);
        p.repeats = rest & 1;
        p.is_immediate = has_two && rest & 2;
        p.has_bound = rest & 4;
        p.bound = below(&b, 5);
        random_options(&b, &p, is_rich);
        if (p.open != CONTEXT_NONE && !below(&b, 5))
            p.left.items[0].event = OPEN; /* the opening event may count inside, too */
        try_pattern(unit, &b, &p, 25, st);
    }
    mem_release(&b.mem);
}

/* ---- the formulas of Dwyer, Avrunin and Corbett for single events ----
 *
 * Their scopes begin with the step of the opening event and begin again with each one, so traces
 * have one event per step, and none that opens what is open. */

static const char *const published[4][5] = {
    [PATTERN_RESPONSE] =
        {"G (a -> F p)", "F close -> ((a -> (!close U (p & !close))) U close)",
         "G (open -> G (a -> F p))",
         "G ((open & !close & F close) -> ((a -> (!close U (p & !close))) U close))",
         "G ((open & !close) -> ((a -> (!close U (p & !close))) W close))"},
    [PATTERN_PRECEDENCE] = {"!p W a", "F close -> (!p U (a | close))",
                            "G !open | F (open & (!p W a))",
                            "G ((open & !close & F close) -> (!p U (a | close)))",
                            "G ((open & !close) -> (!p W (a | close)))"},
    [PATTERN_ABSENCE] = {"G !a", "F close -> (!a U close)", "G (open -> G !a)",
                         "G ((open & !close & F close) -> (!a U close))",
                         "G ((open & !close) -> (!a W close))"},
    [PATTERN_EXISTENCE] = {"F a", "!close W (a & !close)", "G !open | F (open & F a)",
                           "G ((open & !close) -> (!close W (a & !close)))",
                           "G ((open & !close) -> (!close U (a & !close)))"},
};

static void single_trace(struct bench *b, const struct pattern *p, struct trace *t)
{
    static const uint32_t choice[] = {LEFT, RIGHT, OPEN, CLOSE, OTHER};
    bool is_open = false;
    t->steps = below(b, MOST_STEPS + 1);
    for (uint32_t i = 0; i < t->steps; i++) {
        uint32_t event = choice[below(b, 5)];
        if (event == OPEN && is_open) event = UNUSED;
        if (event == OPEN || event == CLOSE) is_open = event == OPEN || p->close == CONTEXT_NONE;
        t->dates[i] = i;
        t->events[i] = UINT32_C(1) << event;
    }
}

static void published_formulas(struct unit *unit)
{
    struct bench b;
    unsigned held = 0, violated = 0;
    bench_init(&b, 7);
    for (unsigned form = 0; form < 20; form++) {
        struct pattern p = {.name = "P",
                            .family = (enum pattern_family)(form % 4),
                            .scope = (enum pattern_scope)(form / 4),
                            .repeats = true,
                            .ticks = 1};
        struct observer observer;
        struct trace trace;
        struct ltl ltl = {.alphabet = {.mem = &b.mem, .names = &b.names}};
        const char *text = published[p.family][p.scope];
        p.open = p.scope == PATTERN_GLOBALLY || p.scope == PATTERN_BEFORE ? CONTEXT_NONE : OPEN;
        p.close = p.scope == PATTERN_GLOBALLY || p.scope == PATTERN_AFTER ? CONTEXT_NONE : CLOSE;
        p.left = (struct pattern_set){.count = 1, .items = {{.event = LEFT, .count = 1}}};
        p.right = (struct pattern_set){.count = 1, .items = {{.event = RIGHT, .count = 1}}};
        CHECK(unit,
              pattern_observe(&b.mem, &b.names, &b.exprs, &p, &b.context, &b.diag, &observer));
        nnfs_init(&ltl.nnfs, &b.mem);
        ltl.has_formula =
            ltlread_formula(&b.diag, diag_add_source(&b.diag, "formula", text, strlen(text)),
                            &ltl.alphabet, &ltl.nnfs, &ltl.formula);
        CHECK(unit, ltl.has_formula);
        for (unsigned k = 0; k < 500; k++) {
            struct run run = begin_run(&observer);
            single_trace(&b, &p, &trace);
            for (uint32_t i = 0; i < trace.steps; i++)
                see_step(&observer, &run, trace.events[i], trace.dates[i]);
            bool holds = (observer.bad == CONTEXT_NONE || run.state != observer.bad)
                         && !is_pending(&observer, run.state),
                 good = ltl_holds(&ltl, &b, &trace) == holds;
            held += holds;
            violated += !holds;
            CHECK(unit, good);
            if (!good) printf("  %s\n", text), complain(&b, &p, &observer, &trace, trace.steps);
        }
        ltl_free(&ltl, &b);
        observer_free(&b, &observer);
    }
    CHECK(unit, held > 1000 && violated > 1000);
    mem_release(&b.mem);
}

int main(void)
{
    struct unit unit = {0};
    struct statistics st = {0};
    published_formulas(&unit);
    for (uint64_t seed = 1; seed <= 4; seed++) random_patterns(&unit, seed, seed % 2, &st);
    printf("%u patterns (%u contradictory), %u with a formula, %u traces, %u rejected, %u times "
           "before the definition, %u times shown to be alive\n",
           st.patterns, st.refused, st.formulas, st.traces, st.rejected, st.early, st.alive);
    CHECK(&unit, st.rejected > st.traces / 20 && st.formulas > st.patterns / 10);
    return unit_finish(&unit);
}
