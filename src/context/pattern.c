/* From a pattern to its observer.
 *
 * A step is read as one letter: the scope's closing event, or the first of the pattern's events
 * (pattern_events) that happens in it. So an observer with an event per edge, tried in order, can
 * see exactly what the definition sees, also when events coincide.
 *
 *  1. `struct config` is what the definition in docs/patterns.md has to remember: the phase of the
 *     scope, the round, counters of both sets, which options are settled. step(), expire() and
 *     close_scope() are that definition. explore() finds the configurations that are reached.
 *  2. Configurations from which nothing good can follow are merged with reject.
 *  3. minimise() merges configurations with the same future (Moore). Configurations in which the
 *     clock is asked stay apart from others, as do pending ones.
 *  4. emit() writes edges: a letter that changes nothing needs one only if it hides a later letter.
 *
 * Time: at most one bound, so one clock. It is started by the letter with which a configuration
 * that asks for it is entered, never stopped. Configurations that are asked have an expiry, which
 * is like a letter of its own. An observer takes one edge per step, so what a letter does after the
 * expiry gets an edge with guard and event, in front. */
#include "context/pattern.h"

#include <assert.h>
#include <string.h>

enum phase { OUTSIDE, INSIDE, OVER, BROKEN, REJECT };
enum round { COLLECTING, WAITING, ANSWERED, FREE };
enum progress { IGNORED, ADVANCED, COMPLETE, EXCESS };

struct config {
    uint8_t phase, round;
    uint8_t left[PATTERN_MOST_ITEMS], right[PATTERN_MOST_ITEMS];
    uint8_t settled[PATTERN_MOST_OPTIONS]; /* the event that must occur, or that allows another, has
                                              occurred */
};

struct edge {
    uint32_t to;
    bool is_seen; /* the configuration looks at this letter */
    bool starts;
};

struct builder {
    struct mem *mem;
    struct names *names;
    struct exprs *exprs;
    const struct pattern *pattern;
    uint32_t letters[PATTERN_MOST_EVENTS + 2]; /* in the order in which they are read */
    uint32_t letter_count;
    bool is_strict; /* what goes wrong counts only when the scope is closed */
    VEC(struct config) configs;
    VEC(struct edge)
    edges;           /* (letter_count + 1) for each configuration, the last one for the expiry */
    uint32_t *class; /* per configuration; 0 is reject */
    uint32_t class_count;
    uint32_t *number; /* per class: its state, or CONTEXT_NONE */
    uint32_t *member; /* per state: a configuration */
};

/* ---- events ---- */

static void add_event(uint32_t *events, uint32_t *count, uint32_t event)
{
    for (uint32_t i = 0; i < *count; i++)
        if (events[i] == event) return;
    events[(*count)++] = event;
}

static void add_set(uint32_t *events, uint32_t *count, const struct pattern_set *set)
{
    for (uint32_t i = 0; i < set->count; i++) add_event(events, count, set->items[i].event);
}

uint32_t pattern_events(const struct pattern *pattern, uint32_t *events)
{
    uint32_t count = 0;
    if (pattern->family == PATTERN_RESPONSE)
        add_set(events, &count, &pattern->right); /* what answers in the same step is an answer */
    add_set(events, &count, &pattern->left);
    if (pattern->family == PATTERN_PRECEDENCE) add_set(events, &count, &pattern->right);
    for (uint32_t i = 0; i < pattern->option_count; i++) {
        if (pattern->options[i].before != CONTEXT_NONE)
            add_event(events, &count, pattern->options[i].before);
        add_event(events, &count, pattern->options[i].event);
    }
    for (uint32_t i = 0; i < pattern->named_count; i++)
        add_event(events, &count, pattern->named[i]);
    assert(count <= PATTERN_MOST_EVENTS); /* the contract */
    return count;
}

static bool is_inside_letter(const struct builder *b, uint32_t event)
{
    uint32_t events[PATTERN_MOST_EVENTS], count = pattern_events(b->pattern, events);
    for (uint32_t i = 0; i < count; i++)
        if (events[i] == event) return true;
    return event == b->pattern->close;
}

/* ---- sets ---- */

static uint32_t item_of(const struct pattern_set *set, uint32_t event)
{
    uint32_t i = 0;
    while (i < set->count && set->items[i].event != event) i++;
    return i;
}

static uint32_t first_open(const struct pattern_set *set, const uint8_t *counts)
{
    uint32_t i = 0;
    while (i < set->count && counts[i] == set->items[i].count) i++;
    return i;
}

/* A complete set never becomes incomplete; nothing is counted in it. */
static bool is_excess(const struct pattern_set *set, const uint8_t *counts, uint32_t event)
{
    uint32_t i = item_of(set, event);
    return i < set->count && set->items[i].is_exact && counts[i] == set->items[i].count;
}

/* One more of the items that are complete, of which there may be more. */
static bool is_repetition(const struct pattern_set *set, const uint8_t *counts, uint32_t event)
{
    uint32_t i = item_of(set, event);
    return i < set->count && !set->items[i].is_exact && counts[i] == set->items[i].count;
}

static enum progress advance(const struct pattern_set *set, uint8_t *counts, uint32_t event)
{
    uint32_t i = item_of(set, event);
    if (i == set->count) return IGNORED;
    if (counts[i] == set->items[i].count) return set->items[i].is_exact ? EXCESS : IGNORED;
    if (set->quantifier == PATTERN_ORDERED && i != first_open(set, counts)) return IGNORED;
    counts[i]++;
    if (set->quantifier == PATTERN_AN)
        return counts[i] == set->items[i].count ? COMPLETE : ADVANCED;
    return first_open(set, counts) == set->count ? COMPLETE : ADVANCED;
}

/* ---- rounds ---- */

/* What a letter does inside of the scope: false when it violates the pattern. */

static void begin_round(struct config *c)
{
    memset(c->left, 0, sizeof c->left);
    memset(c->right, 0, sizeof c->right);
    c->round = COLLECTING;
}

static bool collect(struct config *c, const struct pattern *p, uint32_t event, bool *starts)
{
    enum progress progress = advance(&p->left, c->left, event);
    if (progress == EXCESS) return false;
    if (progress == COMPLETE) {
        c->round = WAITING;
        memset(c->right, 0, sizeof c->right);
        *starts = true;
    }
    if (p->family == PATTERN_PRECEDENCE && c->round == COLLECTING
        && advance(&p->right, c->right, event) == COMPLETE)
        return false;
    return true;
}

static bool wait(struct config *c, const struct pattern *p, uint32_t event, bool *starts)
{
    bool is_more = is_repetition(&p->right, c->right, event);
    enum progress progress = advance(&p->right, c->right, event);
    if (progress == EXCESS || is_excess(&p->left, c->left, event)) return false;
    if (progress == COMPLETE) c->round = ANSWERED;
    if (progress != IGNORED || is_more || !p->is_immediate) return true;
    if (p->family == PATTERN_RESPONSE) return false;
    begin_round(c);
    return collect(c, p, event, starts);
}

static bool after_answer(struct config *c, const struct pattern *p, uint32_t event, bool *starts)
{
    uint8_t fresh[PATTERN_MOST_ITEMS] = {0};
    enum progress progress = advance(&p->left, fresh, event);
    if (progress == ADVANCED || progress == COMPLETE) {
        begin_round(c);
        if (p->repeats) return collect(c, p, event, starts);
        c->round = FREE;
        return true;
    }
    if (is_excess(&p->right, c->right, event)) return false;
    if (p->family == PATTERN_PRECEDENCE && p->is_immediate && p->repeats
        && item_of(&p->right, event) == p->right.count)
        begin_round(c);
    return true;
}

static bool step_round(struct config *c, const struct pattern *p, uint32_t event, bool *starts)
{
    enum progress progress;
    if (c->round == FREE) return true;
    switch (p->family) {
    case PATTERN_ABSENCE: return advance(&p->left, c->left, event) != COMPLETE;
    case PATTERN_EXISTENCE:
        if (c->round == ANSWERED) return !is_excess(&p->left, c->left, event);
        progress = advance(&p->left, c->left, event);
        if (progress == COMPLETE) c->round = ANSWERED;
        return progress != EXCESS;
    default: break;
    }
    if (c->round == COLLECTING) return collect(c, p, event, starts);
    return c->round == WAITING ? wait(c, p, event, starts) : after_answer(c, p, event, starts);
}

static bool step_options(struct config *c, const struct pattern *p, uint32_t event)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        const struct pattern_option *option = &p->options[i];
        if (event == option->event && option->before != CONTEXT_NONE && !c->settled[i])
            return false;
        if (event == (option->before == CONTEXT_NONE ? option->event : option->before))
            c->settled[i] = 1;
    }
    return true;
}

/* ---- configurations ---- */

static struct config in_phase(enum phase phase)
{
    struct config c;
    memset(&c, 0, sizeof c);
    c.phase = phase;
    return c;
}

/* An event that must occur has not occurred yet: for that there is never a deadline. */
static bool is_event_missing(const struct builder *b, const struct config *c)
{
    const struct pattern *p = b->pattern;
    for (uint32_t i = 0; i < p->option_count; i++)
        if (p->options[i].before == CONTEXT_NONE && !c->settled[i]) return true;
    return false;
}

/* The family asks for something that has not happened yet. */
static bool is_set_missing(const struct builder *b, const struct config *c)
{
    switch (b->pattern->family) {
    case PATTERN_RESPONSE: return c->round == WAITING;
    case PATTERN_EXISTENCE: return c->round == COLLECTING;
    default: return false;
    }
}

/* Something that the scope asks for has not happened yet. */
static bool is_unmet(const struct builder *b, const struct config *c)
{
    return is_event_missing(b, c) || is_set_missing(b, c);
}

static bool is_timed(const struct builder *b, const struct config *c)
{
    const struct pattern *p = b->pattern;
    if (!p->has_bound || c->phase != INSIDE) return false;
    switch (p->family) {
    case PATTERN_RESPONSE: return c->round == WAITING;
    case PATTERN_PRECEDENCE: return c->round == WAITING || (c->round == ANSWERED && p->repeats);
    default: return c->round == COLLECTING;
    }
}

/* Something is owed that has no deadline: what a bound will reject is not, but an event that must
 * occur is owed beside it. */
static bool is_pending(const struct builder *b, const struct config *c)
{
    if (c->phase != INSIDE || b->is_strict) return false;
    return is_event_missing(b, c) || (is_set_missing(b, c) && !is_timed(b, c));
}

static struct config violated(const struct builder *b)
{
    return in_phase(b->is_strict ? BROKEN : REJECT);
}

/* The bound is over. */
static struct config expire(const struct builder *b, struct config c)
{
    switch (b->pattern->family) {
    case PATTERN_RESPONSE:
    case PATTERN_EXISTENCE: return violated(b);
    case PATTERN_PRECEDENCE: begin_round(&c); return c;
    case PATTERN_ABSENCE:
        begin_round(&c);
        c.round = FREE;
        return c;
    }
    return c;
}

static struct config close_scope(const struct builder *b, const struct config *c)
{
    if (c->phase == BROKEN || is_unmet(b, c)) return in_phase(REJECT);
    return in_phase(b->pattern->scope == PATTERN_BEFORE ? OVER : OUTSIDE);
}

static struct config step(const struct builder *b, struct config c, uint32_t event,
                          struct edge *edge)
{
    const struct pattern *p = b->pattern;
    edge->is_seen = edge->starts = false;
    if (c.phase == OVER || c.phase == REJECT) return c;
    if (c.phase == OUTSIDE) {
        edge->is_seen = event == p->close || event == p->open;
        if (event != p->open)
            return c; /* together with the closing event it opens nothing: that is read first */
        edge->starts = true;
        return in_phase(INSIDE);
    }
    edge->is_seen = is_inside_letter(b, event);
    if (!edge->is_seen) return c;
    if (event == p->close) return close_scope(b, &c);
    if (c.phase == BROKEN) return c;
    bool good = step_options(&c, p, event);
    return step_round(&c, p, event, &edge->starts) && good ? c : violated(b);
}

static struct config initial(const struct builder *b)
{
    return in_phase(b->pattern->open == CONTEXT_NONE ? INSIDE : OUTSIDE);
}

static uint32_t find_config(struct builder *b, const struct config *c)
{
    for (uint32_t i = 0; i < b->configs.len; i++)
        if (!memcmp(&b->configs.data[i], c, sizeof *c)) return i;
    vec_push(b->mem, &b->configs, *c);
    return b->configs.len - 1;
}

static struct edge *edge_of(const struct builder *b, uint32_t config, uint32_t letter)
{
    assert(config < b->configs.len && letter <= b->letter_count);
    return &b->edges.data[(size_t)config * (b->letter_count + 1) + letter];
}

static bool explore(struct builder *b)
{
    struct config reject = in_phase(REJECT), start = initial(b);
    find_config(b, &reject);
    find_config(b, &start);
    for (uint32_t i = 0; i < b->configs.len && b->configs.len <= PATTERN_MOST_STATES; i++) {
        for (uint32_t l = 0; l <= b->letter_count; l++) {
            struct edge edge = {.is_seen = false};
            struct config from = b->configs.data[i], to = from;
            if (l < b->letter_count) to = step(b, from, b->letters[l], &edge);
            else if ((edge.is_seen = is_timed(b, &from))) to = expire(b, from);
            edge.to = find_config(b, &to);
            edge.starts &= is_timed(b, &to);
            vec_push(b->mem, &b->edges, edge);
        }
    }
    return b->configs.len <= PATTERN_MOST_STATES;
}

/* ---- merging ---- */

/* Class 0: reject and what leads nowhere else. A configuration is good when one is reached in which
 * a run may stay. */
static void find_doomed(struct builder *b)
{
    uint32_t count = b->configs.len;
    bool *good = mem_alloc(b->mem, count * sizeof *good);
    for (uint32_t i = 0; i < count; i++) {
        const struct config *c = &b->configs.data[i];
        good[i] = c->phase != REJECT && !is_pending(b, c) && !is_timed(b, c);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t l = 0; !good[i] && l <= b->letter_count; l++)
                if (good[edge_of(b, i, l)->to]) good[i] = changed = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct config *c = &b->configs.data[i];
        b->class[i] = !good[i] ? 0 : 1 + is_timed(b, c) + 2 * is_pending(b, c);
    }
    mem_free(b->mem, good);
}

/* Whether a letter changes something. */
static bool is_move(const struct builder *b, uint32_t config, uint32_t letter)
{
    const struct edge *edge = edge_of(b, config, letter);
    return edge->is_seen && (edge->starts || b->class[edge->to] != b->class[config]);
}

/* A letter without effect needs an edge only if it hides a later one: a step with both is read as
 * the first. */
static bool is_needed(const struct builder *b, uint32_t config, uint32_t letter)
{
    if (!edge_of(b, config, letter)->is_seen) return false;
    while (letter < b->letter_count && !is_move(b, config, letter)) letter++;
    return letter < b->letter_count;
}

static bool is_like(const struct builder *b, uint32_t x, uint32_t y)
{
    if (b->class[x] != b->class[y]) return false;
    if (!b->class[x]) return true;
    for (uint32_t l = 0; l <= b->letter_count; l++) {
        const struct edge *ex = edge_of(b, x, l), *ey = edge_of(b, y, l);
        bool is_expiry = l == b->letter_count,
             needs_x = is_expiry ? ex->is_seen : is_needed(b, x, l),
             needs_y = is_expiry ? ey->is_seen : is_needed(b, y, l);
        if (needs_x != needs_y) return false;
        if (needs_x && (b->class[ex->to] != b->class[ey->to] || ex->starts != ey->starts))
            return false;
    }
    return true;
}

static void minimise(struct builder *b)
{
    uint32_t count = b->configs.len, *next = mem_alloc(b->mem, count * sizeof *next),
             *first = mem_alloc(b->mem, count * sizeof *first);
    find_doomed(b);
    for (uint32_t before = 0;; before = b->class_count) {
        b->class_count = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t k = 0;
            while (k < b->class_count && !is_like(b, first[k], i)) k++;
            if (k == b->class_count) first[b->class_count++] = i;
            next[i] = k;
        }
        memcpy(b->class, next,
               count * sizeof *next);     /* configuration 0 is reject, so its class stays 0 */
        assert(b->class_count >= before); /* classes are split, never united */
        if (b->class_count == before) break;
    }
    assert(b->class[0] == 0); /* reject */
    mem_free(b->mem, next);
    mem_free(b->mem, first);
}

/* ---- states ---- */

enum { START_CONFIG = 1 }; /* configuration 0 is reject */

static uint32_t number_class(struct builder *b, uint32_t config, uint32_t *count)
{
    uint32_t *number = &b->number[b->class[config]];
    if (*number == CONTEXT_NONE) {
        b->member[*count] = config;
        *number = (*count)++;
    }
    return *number;
}

static bool is_sink(const struct builder *b, uint32_t config)
{
    for (uint32_t l = 0; l <= b->letter_count; l++)
        if (is_move(b, config, l)) return false;
    return true;
}

/* States in the order in which they are found, reject last. An observer cannot have a clock that
 * runs from the beginning: then there is one state more, which is left at once. */
static void name_states(struct builder *b, bool has_prelude, struct observer *observer)
{
    uint32_t count = has_prelude, named = 0;
    for (uint32_t k = 0; k < b->class_count; k++) b->number[k] = CONTEXT_NONE;
    b->member[0] = START_CONFIG;
    number_class(b, START_CONFIG, &count);
    for (uint32_t s = has_prelude; s < count; s++)
        for (uint32_t l = 0; l <= b->letter_count; l++)
            if (is_move(b, b->member[s], l) && b->class[edge_of(b, b->member[s], l)->to])
                number_class(b, edge_of(b, b->member[s], l)->to, &count);
    for (uint32_t s = 0; s < count; s++) {
        const char *name = "start";
        if (s)
            name = is_sink(b, b->member[s]) && !is_pending(b, &b->configs.data[b->member[s]])
                       ? "success"
                       : names_format(b->names, "s%u", ++named);
        vec_push(b->mem, &observer->states, name);
    }
    observer->bad = CONTEXT_NONE;
    for (uint32_t s = has_prelude; s < count; s++)
        for (uint32_t l = 0; l <= b->letter_count; l++)
            if (is_move(b, b->member[s], l) && !b->class[edge_of(b, b->member[s], l)->to])
                observer->bad = count;
    if (observer->bad != CONTEXT_NONE) vec_push(b->mem, &observer->states, "reject");
    b->number[0] = observer->bad;
}

static void add_edge(struct builder *b, struct observer *observer, uint32_t from, bool is_late,
                     uint32_t event, const struct edge *edge)
{
    struct observer_edge new = {.from = from,
                                .to = b->number[b->class[edge->to]],
                                .event = event,
                                .predicate = expr_bool(b->exprs, true),
                                .place = b->pattern->place};
    assert(new.to < observer->states.len);
    new.first_guard = observer->guards.len;
    new.first_action = observer->actions.len;
    if (is_late) {
        vec_push(b->mem, &observer->guards,
                 ((struct observer_guard){0, EXPR_GT, b->pattern->bound}));
        new.guards = 1;
    }
    if (edge->starts) {
        vec_push(b->mem, &observer->actions, ((struct observer_action){0, true}));
        new.actions = 1;
    }
    vec_push(b->mem, &observer->edges, new);
}

static void add_letter(struct builder *b, struct observer *observer, uint32_t state,
                       uint32_t letter)
{
    uint32_t config = b->member[state];
    if (is_needed(b, config, letter))
        add_edge(b, observer, state, false, b->letters[letter], edge_of(b, config, letter));
}

/* The edges of a state with a bound. Letters up to the last one that moves the expired state are
 * told twice where they differ; the expiry comes behind them. */
static void emit_timed(struct builder *b, struct observer *observer, uint32_t state)
{
    uint32_t config = b->member[state], late = edge_of(b, config, b->letter_count)->to, last = 0;
    for (uint32_t l = 0; l < b->letter_count; l++)
        if (is_move(b, late, l)) last = l + 1;
    for (uint32_t l = 0; l < last; l++) {
        const struct edge *in_time = edge_of(b, config, l), *too_late = edge_of(b, late, l);
        assert(in_time->is_seen == too_late->is_seen); /* both are inside of the scope */
        bool is_same =
            b->class[in_time->to] == b->class[too_late->to] && in_time->starts == too_late->starts;
        if (too_late->is_seen && !is_same)
            add_edge(b, observer, state, true, b->letters[l], too_late);
        if (in_time->is_seen && (is_same || is_needed(b, config, l)))
            add_edge(b, observer, state, false, b->letters[l], in_time);
    }
    add_edge(b, observer, state, true, CONTEXT_NONE, edge_of(b, config, b->letter_count));
    for (uint32_t l = last; l < b->letter_count; l++) add_letter(b, observer, state, l);
}

static void emit(struct builder *b, struct observer *observer, bool has_prelude)
{
    uint32_t end = observer->bad == CONTEXT_NONE ? observer->states.len : observer->bad;
    if (b->pattern->has_bound) vec_push(b->mem, &observer->clocks, "time");
    if (has_prelude) {
        add_edge(b, observer, 0, false, CONTEXT_NONE,
                 &(struct edge){.to = START_CONFIG, .starts = true});
        observer->edges.data[0].has_predicate = true;
    }
    for (uint32_t s = has_prelude; s < end; s++) {
        if (is_timed(b, &b->configs.data[b->member[s]])) {
            emit_timed(b, observer, s);
            continue;
        }
        for (uint32_t l = 0; l < b->letter_count; l++) add_letter(b, observer, s, l);
    }
}

static void find_pending(struct builder *b, struct observer *observer)
{
    uint32_t end = observer->bad == CONTEXT_NONE ? observer->states.len : observer->bad;
    for (uint32_t s = 0; s < end; s++)
        if (is_pending(b, &b->configs.data[b->member[s]])) vec_push(b->mem, &observer->pending, s);
}

static void make_letters(struct builder *b)
{
    const struct pattern *p = b->pattern;
    uint32_t events[PATTERN_MOST_EVENTS], count = pattern_events(p, events);
    if (p->close != CONTEXT_NONE) add_event(b->letters, &b->letter_count, p->close);
    for (uint32_t i = 0; i < count; i++) add_event(b->letters, &b->letter_count, events[i]);
    if (p->open != CONTEXT_NONE) add_event(b->letters, &b->letter_count, p->open);
}

static void fill(struct builder *b, const struct context *context, struct observer *observer)
{
    bool has_prelude = is_timed(b, &b->configs.data[START_CONFIG]);
    struct text text;
    b->number = mem_alloc(b->mem, (b->class_count + UINT64_C(1)) * sizeof *b->number);
    b->member = mem_alloc(b->mem, (b->class_count + UINT64_C(2)) * sizeof *b->member);
    name_states(b, has_prelude, observer);
    emit(b, observer, has_prelude);
    find_pending(b, observer);
    text_init(&text, b->mem);
    pattern_describe(b->pattern, context, &text);
    observer->text = names_intern(b->names, text.data, text.len);
    text_free(&text);
    text_init(&text, b->mem);
    if (pattern_ltl(b->pattern, context, &text))
        observer->ltl = names_intern(b->names, text.data, text.len);
    text_free(&text);
    mem_free(b->mem, b->number);
    mem_free(b->mem, b->member);
}

bool pattern_observe(struct mem *mem, struct names *names, struct exprs *exprs,
                     const struct pattern *pattern, const struct context *context,
                     struct diag *diag, struct observer *observer)
{
    struct builder b = {.mem = mem, .names = names, .exprs = exprs, .pattern = pattern};
    b.is_strict = pattern->scope == PATTERN_BEFORE || pattern->scope == PATTERN_BETWEEN;
    *observer =
        (struct observer){.name = pattern->name, .goal = CONTEXT_NONE, .place = pattern->place};
    make_letters(&b);
    bool good = explore(&b);
    if (!good)
        diag_error(diag, DIAG_LIMIT, pattern->place,
                   "the observer of '%s' would have more than %d states", pattern->name,
                   PATTERN_MOST_STATES);
    b.class = mem_alloc(mem, (b.configs.len + UINT64_C(1)) * sizeof *b.class);
    if (good) {
        minimise(&b);
        good = b.class[START_CONFIG] != 0;
        if (!good)
            diag_error(diag, DIAG_NEVER, pattern->place,
                       "'%s' can never hold: what it asks for is also forbidden by it",
                       pattern->name);
    }
    if (good) fill(&b, context, observer);
    assert(!good || !strcmp(observer->states.data[0], "start"));
    mem_free(mem, b.class);
    vec_free(mem, &b.configs);
    vec_free(mem, &b.edges);
    return good;
}
