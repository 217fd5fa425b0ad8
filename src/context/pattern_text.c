/* Patterns in words and in LTL, and what is wrong with them. */
#include "context/pattern.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- mistakes ---- */

static bool has_right(const struct pattern *pattern)
{
    return pattern->family == PATTERN_RESPONSE || pattern->family == PATTERN_PRECEDENCE;
}

static const char *name_of(const struct context *context, uint32_t event)
{
    return context->events.data[event].name;
}

static bool has_event(const struct pattern_set *set, uint32_t event)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->items[i].event == event) return true;
    return false;
}

static bool check_set(const struct pattern *p, const struct pattern_set *set,
                      const struct pattern_set *other, const struct context *context,
                      struct diag *diag)
{
    bool good = set->count > 0;
    if (!good) diag_error(diag, DIAG_RANGE, set->place, "a set of events is empty");
    for (uint32_t i = 0; i < set->count; i++) {
        const struct pattern_item *item = &set->items[i];
        const char *problem = NULL;
        for (uint32_t k = 0; k < i; k++)
            if (set->items[k].event == item->event) problem = "occurs twice in a set";
        if (other && has_event(other, item->event)) problem = "is in both sets";
        if (item->event == p->close) problem = "ends the scope, so it never occurs inside";
        if (problem)
            diag_error(diag, DIAG_CONFLICT, item->place, "event '%s' %s",
                       name_of(context, item->event), problem);
        if (item->count < 1 || item->count > PATTERN_MOST_COUNT)
            diag_error(diag, DIAG_RANGE, item->place, "occurrences are counted from 1 to %d",
                       PATTERN_MOST_COUNT);
        good &= !problem && item->count >= 1 && item->count <= PATTERN_MOST_COUNT;
    }
    return good;
}

static bool check_options(const struct pattern *p, const struct context *context, struct diag *diag)
{
    bool good = true;
    for (uint32_t i = 0; i < p->option_count; i++) {
        const struct pattern_option *option = &p->options[i];
        const char *event = name_of(context, option->event);
        bool is_end =
            p->close != CONTEXT_NONE && (option->event == p->close || option->before == p->close);
        if (is_end)
            diag_error(diag, DIAG_CONFLICT, option->place,
                       "event '%s' ends the scope, so it never occurs inside",
                       name_of(context, p->close));
        else if (option->event == option->before)
            diag_error(diag, DIAG_CIRCULAR, option->place,
                       "event '%s' cannot be asked to come after itself", event);
        else continue;
        good = false;
    }
    return good;
}

bool pattern_check(const struct pattern *p, const struct context *context, struct diag *diag)
{
    bool good = check_set(p, &p->left, NULL, context, diag);
    if (has_right(p)) good &= check_set(p, &p->right, &p->left, context, diag);
    good &= check_options(p, context, diag);
    if (p->open != CONTEXT_NONE && p->open == p->close) {
        diag_error(diag, DIAG_CONFLICT, p->place,
                   "the scope of '%s' begins and ends with the same event '%s'", p->name,
                   name_of(context, p->open));
        good = false;
    }
    if (p->has_bound && p->bound < 0) {
        diag_error(diag, DIAG_RANGE, p->place, "the bound of '%s' is negative", p->name);
        good = false;
    }
    return good;
}

/* ---- words ---- */

static void describe_set(const struct pattern_set *set, const struct context *context,
                         struct text *text)
{
    static const char *const words[] = {
        [PATTERN_AN] = "one of ", [PATTERN_ORDERED] = "in order ", [PATTERN_COMBINED] = "all of "};
    if (set->count > 1) text_add(text, "%s", words[set->quantifier]);
    for (uint32_t i = 0; i < set->count; i++) {
        const struct pattern_item *item = &set->items[i];
        text_add(text, "%s%s", i ? ", " : "", name_of(context, item->event));
        if (item->count > 1 || item->is_exact)
            text_add(text, " (%s%u)", item->is_exact ? "exactly " : "", item->count);
    }
}

static void describe_scope(const struct pattern *p, const struct context *context,
                           struct text *text)
{
    switch (p->scope) {
    case PATTERN_GLOBALLY: return;
    case PATTERN_BEFORE: text_add(text, "before %s, ", name_of(context, p->close)); return;
    case PATTERN_AFTER: text_add(text, "after %s, ", name_of(context, p->open)); return;
    /* "the first": while the scope is open it is not opened anew, which others read differently */
    case PATTERN_BETWEEN:
        text_add(text, "between the first %s and the next %s, ", name_of(context, p->open),
                 name_of(context, p->close));
        return;
    case PATTERN_AFTER_UNTIL:
        text_add(text, "after the first %s until the next %s, ", name_of(context, p->open),
                 name_of(context, p->close));
        return;
    }
}

void pattern_describe(const struct pattern *p, const struct context *context, struct text *text)
{
    static const char *const verbs[] = {[PATTERN_RESPONSE] = "leads to",
                                        [PATTERN_PRECEDENCE] = "precedes",
                                        [PATTERN_ABSENCE] = "never occurs",
                                        [PATTERN_EXISTENCE] = "occurs"};
    describe_scope(p, context, text);
    describe_set(&p->left, context, text);
    text_add(text, " %s%s", p->is_immediate ? "immediately " : "", verbs[p->family]);
    if (has_right(p)) {
        text_add(text, " ");
        describe_set(&p->right, context, text);
    }
    if (p->has_bound) text_add(text, " within %" PRId64, p->bound / p->ticks);
    if (has_right(p) && !p->repeats) text_add(text, ", once");
    for (uint32_t i = 0; i < p->option_count; i++) {
        const struct pattern_option *option = &p->options[i];
        if (option->before == CONTEXT_NONE)
            text_add(text, "; %s must occur", name_of(context, option->event));
        else
            text_add(text, "; no %s before %s", name_of(context, option->event),
                     name_of(context, option->before));
    }
}

/* ---- LTL ---- */

enum { MOST_FORMULA = 4000 };

struct writer {
    const struct pattern *pattern;
    const struct context *context;
    struct text *text;
    uint32_t events[PATTERN_MOST_EVENTS], count;
};

static void put_event(const struct writer *w, uint32_t event)
{
    const char *name = name_of(w->context, event);
    bool is_plain =
        !strchr("FGMRUVWX0123456789", name[0])
        && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
               == strlen(name);
    text_add(w->text, is_plain && strcmp(name, "true") && strcmp(name, "false") ? "%s" : "\"%s\"",
             name);
}

/* The event, when the step is read as this event. */
static void put_letter(const struct writer *w, uint32_t event)
{
    text_add(w->text, "(");
    put_event(w, event);
    if (w->pattern->close != CONTEXT_NONE) {
        text_add(w->text, " & !");
        put_event(w, w->pattern->close);
    }
    for (uint32_t i = 0; i < w->count && w->events[i] != event; i++) {
        text_add(w->text, " & !");
        put_event(w, w->events[i]);
    }
    text_add(w->text, ")");
}

static void put_any(const struct writer *w, const struct pattern_set *set)
{
    text_add(w->text, "(");
    for (uint32_t i = 0; i < set->count; i++) {
        text_add(w->text, i ? " | " : "");
        put_letter(w, set->items[i].event);
    }
    text_add(w->text, ")");
}

static bool has_close(const struct writer *w) { return w->pattern->close != CONTEXT_NONE; }

/* "Inside of the scope there will be a step with": what follows is one. */
static void put_eventually(const struct writer *w)
{
    if (!has_close(w)) {
        text_add(w->text, "F ");
        return;
    }
    text_add(w->text, "!");
    put_event(w, w->pattern->close);
    text_add(w->text, " U ");
}

static void put_or_close(const struct writer *w)
{
    if (!has_close(w)) return;
    text_add(w->text, " | ");
    put_event(w, w->pattern->close);
}

/* Occurrences of items from..to, in this order, of the last one `more` more. */
static void put_chain(const struct writer *w, const struct pattern_set *set, uint32_t from,
                      uint32_t to, uint32_t more)
{
    uint32_t depth = 0;
    for (uint32_t i = from; i <= to; i++)
        for (uint32_t k = 0; k < set->items[i].count + (i == to ? more : 0); k++) {
            text_add(w->text, depth++ ? " & X (" : "(");
            put_eventually(w);
            text_add(w->text, "(");
            put_letter(w, set->items[i].event);
        }
    while (depth--) text_add(w->text, "))");
}

static void put_occurs(const struct writer *w, const struct pattern_set *set)
{
    if (set->quantifier == PATTERN_ORDERED) {
        put_chain(w, set, 0, set->count - 1, 0);
        return;
    }
    text_add(w->text, "(");
    for (uint32_t i = 0; i < set->count; i++) {
        text_add(w->text, "%s", !i ? "" : set->quantifier == PATTERN_AN ? " | " : " & ");
        put_chain(w, set, i, i, 0);
    }
    text_add(w->text, ")");
}

static bool is_plain_set(const struct pattern_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->items[i].is_exact) return false;
    return true;
}

/* Each occurrence of an item is one of the set. */
static bool is_single(const struct pattern_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->items[i].count != 1) return false;
    return is_plain_set(set) && (set->quantifier == PATTERN_AN || set->count == 1);
}

static bool is_open_item(const struct pattern_set *set, const uint32_t *counts, uint32_t item)
{
    if (counts[item] == set->items[item].count) return false;
    for (uint32_t i = 0; i < item && set->quantifier == PATTERN_ORDERED; i++)
        if (counts[i] < set->items[i].count) return false;
    return true;
}

static bool is_complete(const struct pattern_set *set, const uint32_t *counts)
{
    uint32_t complete = 0;
    for (uint32_t i = 0; i < set->count; i++) complete += counts[i] == set->items[i].count;
    return set->quantifier == PATTERN_AN ? complete > 0 : complete == set->count;
}

/* Response: once the left set has occurred, the right one does. Precedence: no event of the right
 * set until the left one has occurred. Both for one round, after `counts` occurrences of left
 * items. */
static void put_once(const struct writer *w, uint32_t *counts)
{
    const struct pattern *p = w->pattern;
    const char *between = "";
    if (is_complete(&p->left, counts)) {
        if (p->family == PATTERN_RESPONSE) put_occurs(w, &p->right);
        else text_add(w->text, "true");
        return;
    }
    if (w->text->len > MOST_FORMULA) return;
    text_add(w->text, "(!(");
    for (uint32_t i = 0; i < p->left.count; i++) {
        if (!is_open_item(&p->left, counts, i)) continue;
        text_add(w->text, "%s", between);
        put_letter(w, p->left.items[i].event);
        between = " | ";
    }
    if (p->family == PATTERN_PRECEDENCE) {
        text_add(w->text, " | ");
        put_any(w, &p->right);
    }
    text_add(w->text, ") W (");
    between = "";
    for (uint32_t i = 0; i < p->left.count; i++) {
        if (!is_open_item(&p->left, counts, i)) continue;
        text_add(w->text, "%s(", between);
        put_letter(w, p->left.items[i].event);
        text_add(w->text, " & X ");
        counts[i]++;
        put_once(w, counts);
        counts[i]--;
        text_add(w->text, ")");
        between = " | ";
    }
    put_or_close(w);
    text_add(w->text, "))");
}

static bool put_existence(const struct writer *w)
{
    const struct pattern_set *set = &w->pattern->left;
    if (set->quantifier == PATTERN_AN && set->count > 1 && !is_plain_set(set)) return false;
    put_occurs(w, set);
    for (uint32_t i = 0; i < set->count; i++) {
        if (!set->items[i].is_exact) continue;
        text_add(w->text, " & !");
        put_chain(w, set, set->quantifier == PATTERN_ORDERED ? 0 : i, i, 1);
    }
    return true;
}

static bool put_body(const struct writer *w)
{
    const struct pattern *p = w->pattern;
    uint32_t counts[PATTERN_MOST_ITEMS] = {0};
    switch (p->family) {
    case PATTERN_EXISTENCE: return put_existence(w);
    case PATTERN_ABSENCE:
        text_add(w->text, "!");
        put_occurs(w, &p->left);
        return true;
    case PATTERN_RESPONSE:
        if (p->is_immediate || !is_plain_set(&p->left) || !is_plain_set(&p->right)) return false;
        if (!p->repeats) {
            put_once(w, counts);
            return true;
        }
        if (!is_single(&p->left) || !is_single(&p->right)) return false;
        text_add(w->text, has_close(w) ? "((" : "G (");
        put_any(w, &p->left);
        text_add(w->text, " -> (");
        put_eventually(w);
        put_any(w, &p->right);
        text_add(w->text, has_close(w) ? ")) W " : "))");
        if (has_close(w)) {
            put_event(w, p->close);
            text_add(w->text, ")");
        }
        return true;
    case PATTERN_PRECEDENCE:
        if (p->is_immediate || !is_plain_set(&p->left) || !is_single(&p->right)
            || (p->repeats && !is_single(&p->left)))
            return false;
        put_once(w, counts);
        return true;
    }
    return false;
}

static void put_options(const struct writer *w)
{
    const struct pattern *p = w->pattern;
    for (uint32_t i = 0; i < p->option_count; i++) {
        text_add(w->text, " & (");
        if (p->options[i].before == CONTEXT_NONE) {
            put_eventually(w);
            put_letter(w, p->options[i].event);
        } else {
            text_add(w->text, "!");
            put_letter(w, p->options[i].event);
            text_add(w->text, " W (");
            put_letter(w, p->options[i].before);
            put_or_close(w);
            text_add(w->text, ")");
        }
        text_add(w->text, ")");
    }
}

static bool put_inside(const struct writer *w)
{
    const struct pattern *p = w->pattern;
    text_add(w->text, "(");
    if (p->scope == PATTERN_BEFORE || p->scope == PATTERN_BETWEEN) {
        text_add(w->text, "F ");
        put_event(w, p->close);
        text_add(w->text, " -> (");
    }
    if (!put_body(w)) return false;
    put_options(w);
    text_add(w->text, p->scope == PATTERN_BEFORE || p->scope == PATTERN_BETWEEN ? "))" : ")");
    return true;
}

static void put_opening(const struct writer *w)
{
    text_add(w->text, "(");
    put_event(w, w->pattern->open);
    if (has_close(w)) {
        text_add(w->text, " & !");
        put_event(w, w->pattern->close);
    }
    text_add(w->text, ")");
}

/* From the first step on that opens the scope. */
static bool put_opened(const struct writer *w)
{
    text_add(w->text, "(!");
    put_opening(w);
    text_add(w->text, " W (");
    put_opening(w);
    text_add(w->text, " & X ");
    if (!put_inside(w)) return false;
    text_add(w->text, "))");
    return true;
}

static bool put_formula(const struct writer *w)
{
    if (w->pattern->open == CONTEXT_NONE) return put_inside(w);
    if (!put_opened(w)) return false;
    if (!has_close(w)) return true;
    text_add(w->text, " & G (");
    put_event(w, w->pattern->close);
    text_add(w->text, " -> X ");
    put_opened(w);
    text_add(w->text, ")");
    return true;
}

bool pattern_ltl(const struct pattern *pattern, const struct context *context, struct text *text)
{
    struct writer w = {.pattern = pattern, .context = context, .text = text};
    size_t before = text->len;
    w.count = pattern_events(pattern, w.events);
    if (!pattern->has_bound && put_formula(&w) && text->len - before <= MOST_FORMULA) return true;
    text->len = before;
    if (text->data) text->data[before] = 0;
    return false;
}
