/* The names of a file: each kind of declaration has a scope, but properties and restrictions share
 * one. An observer has scopes of its own for its states and clocks, which are declared where they
 * are met first. What belongs to the model is looked up among its symbols: processes by name,
 * their variables and states in them, constructors, fields, constants and labels by name alone. */
#include "lang/cdl/cdl.h"
#include "lang/cdl/scope.h"

#include <string.h>

const char *const cdl_keywords[] = {"event",
                                    "predicate",
                                    "activity",
                                    "property",
                                    "restriction",
                                    "cdl",
                                    "is",
                                    "send",
                                    "receive",
                                    "sync",
                                    "synchronous",
                                    "becomes",
                                    "to",
                                    "from",
                                    "of",
                                    "true",
                                    "false",
                                    "init",
                                    "main",
                                    "assert",
                                    "properties",
                                    "restrictions",
                                    "loop",
                                    "skip",
                                    "empty",
                                    "full",
                                    "and",
                                    "or",
                                    "not",
                                    "pending",
                                    "disable",
                                    "Property",
                                    "globally",
                                    "before",
                                    "after",
                                    "until",
                                    "between",
                                    "eventually",
                                    "immediately",
                                    "leads",
                                    "precedes",
                                    "never",
                                    "occurs",
                                    "occur",
                                    "exactly",
                                    "one",
                                    "occurrence",
                                    "occurrences",
                                    "ALL",
                                    "AN",
                                    "Ordered",
                                    "Combined",
                                    "end",
                                    "may",
                                    "must",
                                    "cannot",
                                    "repeatability",
                                    NULL};

enum { UNITS = 1 << SYMBOL_PROCESS | 1 << SYMBOL_COMPONENT | 1 << SYMBOL_INSTANCE };
enum { STEPS = 1 << SYMBOL_ACTION | 1 << SYMBOL_PORT | 1 << SYMBOL_CHANNEL | 1 << SYMBOL_LABEL };

struct telling {
    struct symbols *symbols;
    uint32_t count; /* of symbols that are the model's */
    uint32_t scopes[CDL_KINDS];
};

/* ---- names of the model ---- */

static uint32_t search(struct telling *t, const char *name, uint32_t kinds, uint32_t parent)
{
    return name ? symbols_search(t->symbols, name, kinds, t->count, parent) : (uint32_t)SYMBOL_NONE;
}

static uint32_t use_model(struct telling *t, const char *name, uint32_t kinds, struct place place)
{
    return symbols_use(t->symbols, search(t, name, kinds, SYMBOL_NONE), place);
}

static void use_number(struct telling *t, const struct cdl_number *number)
{
    use_model(t, number->name, 1 << SYMBOL_CONSTANT, number->place);
}

static uint32_t use_unit(struct telling *t, const struct cdl_unit *unit)
{
    return use_model(t, unit->name, UNITS, unit->place);
}

/* The process that an instance is of. */
static uint32_t type_of(const struct telling *t, uint32_t unit)
{
    if (unit == SYMBOL_NONE) return unit;
    const struct symbol *one = &t->symbols->list.data[unit];
    return one->kind == SYMBOL_INSTANCE ? one->of : unit;
}

static void use_value(struct telling *t, const struct cdl_value *value)
{
    struct symbols *symbols = t->symbols;
    if (!value) return;
    uint32_t found, unit;
    switch (value->kind) {
    case CDL_NAME:
        found = search(t, value->name, 1 << SYMBOL_CONSTRUCTOR, SYMBOL_NONE);
        if (found == SYMBOL_NONE) found = search(t, value->name, 1 << SYMBOL_CONSTANT, SYMBOL_NONE);
        symbols_use(symbols, found, value->place);
        break;
    case CDL_VARIABLE:
        unit = type_of(t, use_unit(t, &value->unit));
        found =
            symbols_use_in(symbols, symbols_members(symbols, unit), value->name, value->name_place);
        for (const struct cdl_step *step = value->steps; step; step = step->next) {
            if (step->field)
                found = symbols_use_in(symbols, symbols_members(symbols, found), step->field,
                                       step->place);
            else use_number(t, &step->index);
        }
        break;
    case CDL_RECORD:
        for (const struct cdl_value *part = value->values; part; part = part->next) {
            use_model(t, part->name, 1 << SYMBOL_FIELD, part->place);
            use_value(t, part->values);
        }
        return;
    default: break;
    }
    for (const struct cdl_value *part = value->values; part; part = part->next) use_value(t, part);
}

static void use_exp(struct telling *t, const struct cdl_exp *exp)
{
    if (!exp) return;
    use_exp(t, exp->a);
    use_exp(t, exp->b);
    use_value(t, exp->left);
    use_value(t, exp->right);
    if (exp->kind == CDL_PREDICATE)
        symbols_use_in(t->symbols, t->scopes[CDL_DECL_PREDICATE], exp->name, exp->name_place);
    if (exp->kind == CDL_LOCATION) {
        uint32_t unit = type_of(t, use_unit(t, &exp->unit));
        if (unit != SYMBOL_NONE)
            symbols_use(t->symbols, search(t, exp->name, 1 << SYMBOL_LOCATION, unit),
                        exp->name_place);
    }
}

static void use_body(struct telling *t, const struct cdl_body *body)
{
    if (!body) return;
    use_value(t, body->message);
    if (body->unit.name) use_unit(t, &body->unit);
    if (body->kind == CDL_SYNC) use_model(t, body->name, STEPS, body->name_place);
    if (body->kind == CDL_BECOMES)
        symbols_use_in(t->symbols, t->scopes[CDL_DECL_PREDICATE], body->name, body->name_place);
}

/* ---- the file ---- */

static void use_event(struct telling *t, const struct cdl_name *name)
{
    if (name->name) symbols_use_in(t->symbols, t->scopes[CDL_DECL_EVENT], name->name, name->place);
}

static void use_activity(struct telling *t, const struct cdl_activity *activity)
{
    if (!activity) return;
    uint32_t found = SYMBOL_NONE;
    if (activity->kind == CDL_CALL)
        found = symbols_find_in(t->symbols, t->scopes[CDL_DECL_ACTIVITY], activity->name);
    if ((activity->kind == CDL_CALL || activity->kind == CDL_EVENT) && found == SYMBOL_NONE)
        found = symbols_find_in(t->symbols, t->scopes[CDL_DECL_EVENT], activity->name);
    symbols_use(t->symbols, found, activity->place);
    use_body(t, activity->body);
    if (activity->kind == CDL_LOOP) use_number(t, &activity->count);
    for (const struct cdl_activity *part = activity->parts; part; part = part->next)
        use_activity(t, part);
}

/* A state or a clock of an observer: declared where it is met first. */
static void meet(struct telling *t, uint32_t scope, enum symbol_kind kind, const char *name,
                 struct place place)
{
    uint32_t found = symbols_find_in(t->symbols, scope, name);
    if (found != SYMBOL_NONE) symbols_use(t->symbols, found, place);
    else {
        found = symbols_declare(t->symbols, scope, kind, name, place);
        symbols_describe(t->symbols, found, "%s %s", symbol_kind_word(kind), name);
    }
}

static void use_observer(struct telling *t, const struct cdl_decl *decl)
{
    uint32_t states = symbols_new_scope(t->symbols), clocks = symbols_new_scope(t->symbols);
    for (const struct cdl_edge *edge = decl->edges; edge; edge = edge->next) {
        meet(t, states, SYMBOL_LOCATION, edge->from.name, edge->from.place);
        for (const struct cdl_guard *guard = edge->guards; guard; guard = guard->next) {
            meet(t, clocks, SYMBOL_CLOCK, guard->clock, guard->place);
            use_number(t, &guard->number);
        }
        use_exp(t, edge->predicate);
        if (edge->event)
            symbols_use_in(t->symbols, t->scopes[CDL_DECL_EVENT], edge->event, edge->event_place);
        use_body(t, edge->body);
        for (const struct cdl_action *action = edge->actions; action; action = action->next)
            meet(t, clocks, SYMBOL_CLOCK, action->clock, action->place);
        meet(t, states, SYMBOL_LOCATION, edge->to.name, edge->to.place);
    }
    for (const struct cdl_name *name = decl->pending; name; name = name->next)
        meet(t, states, SYMBOL_LOCATION, name->name, name->place);
}

static void use_pattern(struct telling *t, const struct cdl_pattern *pattern)
{
    if (!pattern) return;
    use_event(t, &pattern->open);
    use_event(t, &pattern->close);
    for (const struct cdl_item *item = pattern->left.items; item; item = item->next)
        use_event(t, &item->event);
    for (const struct cdl_item *item = pattern->right.items; item; item = item->next)
        use_event(t, &item->event);
    for (const struct cdl_option *option = pattern->options; option; option = option->next) {
        use_event(t, &option->event);
        use_event(t, &option->before);
    }
    if (pattern->has_bound) use_number(t, &pattern->bound);
}

static void use_names(struct telling *t, enum cdl_kind kind, const struct cdl_name *list)
{
    for (; list; list = list->next)
        symbols_use_in(t->symbols, t->scopes[kind], list->name, list->place);
}

static void use_all(struct telling *t, const struct cdl_decl *decl)
{
    use_body(t, decl->body);
    use_exp(t, decl->exp);
    use_activity(t, decl->init);
    use_activity(t, decl->activity);
    use_observer(t, decl);
    use_pattern(t, decl->pattern);
    use_names(t, CDL_DECL_PREDICATE, decl->asserts);
    use_names(t, CDL_DECL_PROPERTY, decl->properties);
    use_names(t, CDL_DECL_PROPERTY, decl->restrictions);
}

static uint32_t declare(struct telling *t, const struct cdl_decl *decl)
{
    static const enum symbol_kind kinds[CDL_KINDS] = {
        [CDL_DECL_EVENT] = SYMBOL_EVENT,          [CDL_DECL_PREDICATE] = SYMBOL_PREDICATE,
        [CDL_DECL_ACTIVITY] = SYMBOL_ACTIVITY,    [CDL_DECL_PROPERTY] = SYMBOL_PROPERTY,
        [CDL_DECL_RESTRICTION] = SYMBOL_PROPERTY, [CDL_DECL_CONTEXT] = SYMBOL_CONTEXT};
    static const char *const words[CDL_KINDS] = {"event",    "predicate",   "activity",
                                                 "property", "restriction", "cdl"};
    uint32_t symbol = symbols_declare(t->symbols, t->scopes[decl->kind], kinds[decl->kind],
                                      decl->name, decl->place);
    const char *text = decl->body ? decl->body->text : decl->text;
    symbols_describe(t->symbols, symbol, text ? "%s %s is { %s }" : "%s %s", words[decl->kind],
                     decl->name, text);
    symbols_extend(t->symbols, symbol, decl->start, decl->end);
    if (symbol != SYMBOL_NONE && decl->kind == CDL_DECL_CONTEXT)
        t->symbols->list.data[symbol].asked = t->symbols->list.data[symbol].name;
    return symbol;
}

void cdl_tell_names(const struct cdl *cdl, struct symbols *symbols)
{
    struct telling t = {.symbols = symbols, .count = symbols->list.len};
    symbols->parent = SYMBOL_NONE;
    for (unsigned kind = 0; kind < CDL_KINDS; kind++) t.scopes[kind] = symbols_new_scope(symbols);
    t.scopes[CDL_DECL_RESTRICTION] = t.scopes[CDL_DECL_PROPERTY];
    for (uint32_t i = 0; i < cdl->decls.len; i++) declare(&t, cdl->decls.data[i]);
    for (uint32_t i = 0; i < cdl->decls.len; i++) {
        symbols->parent = t.count + i < symbols->list.len ? t.count + i : (uint32_t)SYMBOL_NONE;
        use_all(&t, cdl->decls.data[i]);
    }
    symbols->parent = SYMBOL_NONE;
    symbols->told++;
}
