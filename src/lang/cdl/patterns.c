/* Patterns of properties: names become events of the context, and the whole becomes an observer
 * (context/pattern.h). */
#include "lang/cdl/scope.h"

#include <assert.h>
#include <inttypes.h>

static bool resolve_event(struct cdl *cdl, const struct cdl_name *name, uint32_t *event)
{
    *event = CONTEXT_NONE;
    return !name->name || cdl_event(cdl, name->name, name->place, event);
}

static bool resolve_set(struct cdl *cdl, const struct cdl_set *set, struct pattern_set *result)
{
    bool good = true;
    result->quantifier = set->quantifier;
    result->place = set->place;
    for (const struct cdl_item *item = set->items; item; item = item->next) {
        if (result->count == PATTERN_MOST_ITEMS) {
            diag_error(cdl->diag, DIAG_LIMIT, item->event.place, "a set has at most %d events",
                       PATTERN_MOST_ITEMS);
            return false;
        }
        struct pattern_item *added = &result->items[result->count++];
        added->count = (uint32_t)item->count;
        added->is_exact = item->is_exact;
        added->place = item->event.place;
        good &= resolve_event(cdl, &item->event, &added->event);
    }
    return good;
}

static bool resolve_option(struct cdl *cdl, const struct cdl_option *option,
                           struct pattern *pattern)
{
    struct pattern_option added = {.place = option->event.place};
    bool good = resolve_event(cdl, &option->event, &added.event);
    good &= resolve_event(cdl, &option->before, &added.before);
    if (!good) return false;
    if ((option->is_asked ? pattern->option_count : pattern->naming_count)
        == PATTERN_MOST_OPTIONS) {
        diag_error(cdl->diag, DIAG_LIMIT, added.place, "a pattern has at most %d options",
                   PATTERN_MOST_OPTIONS);
        return false;
    }
    if (option->is_asked) {
        pattern->options[pattern->option_count++] = added;
        return true;
    }
    pattern->naming_count++;
    pattern->named[pattern->named_count++] = added.event;
    if (added.before != CONTEXT_NONE) pattern->named[pattern->named_count++] = added.before;
    assert(pattern->named_count <= sizeof pattern->named / sizeof *pattern->named);
    return true;
}

/* An event that may never occur and must, or that may and cannot occur before another. */
static bool check_contradictions(struct cdl *cdl, const struct cdl_pattern *pattern)
{
    for (const struct cdl_option *a = pattern->options; a; a = a->next)
        for (const struct cdl_option *b = a->next; b; b = b->next) {
            bool is_same = a->event.name == b->event.name && a->before.name == b->before.name;
            if (!is_same || a->is_asked == b->is_asked) continue;
            diag_error(cdl->diag, DIAG_CONFLICT, b->event.place,
                       "this contradicts what was said of '%.60s' before", b->event.name);
            diag_note(cdl->diag, a->event.place, "here");
            return false;
        }
    return true;
}

static bool resolve_bound(struct cdl *cdl, const struct cdl_pattern *from, struct pattern *pattern)
{
    int64_t units;
    if (!from->has_bound) return true;
    pattern->has_bound = true;
    if (!cdl_number(cdl, &from->bound, &units)) return false;
    if (units >= 0 && !__builtin_mul_overflow(units, cdl->model->ticks, &pattern->bound))
        return true;
    diag_error(cdl->diag, DIAG_RANGE, from->bound.place, "a bound cannot be %" PRId64, units);
    return false;
}

static bool resolve_pattern(struct cdl *cdl, const struct cdl_pattern *from,
                            struct pattern *pattern)
{
    bool good = check_contradictions(cdl, from);
    good &= resolve_event(cdl, &from->open, &pattern->open);
    good &= resolve_event(cdl, &from->close, &pattern->close);
    good &= resolve_set(cdl, &from->left, &pattern->left);
    good &= resolve_set(cdl, &from->right, &pattern->right);
    good &= resolve_bound(cdl, from, pattern);
    for (const struct cdl_option *option = from->options; option; option = option->next)
        good &= resolve_option(cdl, option, pattern);
    return good && pattern_check(pattern, cdl->context, cdl->diag);
}

bool cdl_pattern_observer(struct cdl *cdl, const struct cdl_decl *decl)
{
    const struct cdl_pattern *from = decl->pattern;
    struct pattern pattern = {.name = decl->name,
                              .family = from->family,
                              .scope = from->scope,
                              .is_immediate = from->is_immediate,
                              .repeats = from->repeats,
                              .ticks = cdl->model->ticks,
                              .place = decl->place};
    struct observer observer;
    if (!resolve_pattern(cdl, from, &pattern)) return false;
    if (!pattern_observe(cdl->mem, &cdl->names, &cdl->model->exprs, &pattern, cdl->context,
                         cdl->diag, &observer))
        return false;
    vec_push(cdl->mem, &cdl->context->observers, observer);
    return true;
}

const char *cdl_predicate_name(void *context, expr predicate)
{
    const struct cdl *cdl = context;
    for (uint32_t i = 0; i < cdl->decls.len; i++) {
        const struct cdl_decl *decl = cdl->decls.data[i];
        if (decl->kind == CDL_DECL_PREDICATE && decl->is_ready && !decl->is_bad
            && expr_same(decl->condition, predicate))
            return decl->name;
    }
    return "?";
}
