#include "serve/asking.h"

#include "run/engines.h"
#include "serve/folder.h"

#include <string.h>

const char *asking_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_missing(const json_t *value) { return !value || json_is_null(value); }

/* A member that is missing, or a text without NUL (jansson refuses these). */
static bool take_text(const json_t *object, const char *key, const char **text, struct text *why)
{
    const json_t *value = json_object_get(object, key);
    if (is_missing(value)) return true;
    *text = json_string_value(value);
    if (!*text) text_add(why, "%s is not a text", key);
    return *text;
}

static bool take_number(const json_t *object, const char *key, double most, double *number,
                        struct text *why)
{
    const json_t *value = json_object_get(object, key);
    *number = 0;
    if (is_missing(value)) return true;
    *number = json_number_value(value);
    if (json_is_number(value) && *number >= 0 && *number <= most) return true;
    text_add(why, "%s is not a number from 0 to %.0f", key, most);
    return false;
}

static bool take_flag(const json_t *object, const char *key, bool *flag, struct text *why)
{
    const json_t *value = json_object_get(object, key);
    *flag = json_is_true(value);
    if (is_missing(value) || json_is_boolean(value)) return true;
    text_add(why, "%s is neither true nor false", key);
    return false;
}

/* One word of a list, as its number; missing: 0. */
static bool take_word(const json_t *object, const char *key, const char *const *words,
                      unsigned count, unsigned *number, struct text *why)
{
    const char *text = NULL;
    *number = 0;
    if (!take_text(object, key, &text, why) || !text) return !why->len;
    for (unsigned i = 0; i < count; i++)
        if (words[i] && !strcmp(words[i], text)) return *number = i, true;
    text_add(why, "%s has no such value: %.40s", key, text);
    return false;
}

static bool take_constants(struct ask *ask, struct mem *mem, const json_t *model, struct text *why)
{
    json_t *defines = json_object_get(model, "define"), *value;
    const char *name;
    if (is_missing(defines)) return true;
    json_object_foreach(defines, name, value)
    {
        if (!json_is_integer(value)) {
            text_add(why, "the constant %.60s is not a whole number", name);
            return false;
        }
        vec_push(mem, &ask->defines,
                 ((struct language_define){.name = name, .value = json_integer_value(value)}));
    }
    return true;
}

static bool take_model(struct ask *ask, struct mem *mem, const json_t *model, struct text *why)
{
    static const char *const dialects[] = {"obp", "frac"};
    unsigned dialect;
    if (!take_text(model, "file", &ask->file, why)
        || !take_text(model, "context", &ask->context, why)
        || !take_text(model, "guide", &ask->guide, why)
        || !take_word(model, "dialect", dialects, 2, &dialect, why)
        || !take_constants(ask, mem, model, why))
        return false;
    if (asking_text(model, "dialect")) ask->dialect = dialects[dialect];
    if (!ask->file || !*ask->file) text_add(why, "no model is named");
    const char *const names[] = {ask->file, ask->context, ask->guide};
    for (unsigned i = 0; i < 3 && !why->len; i++)
        if (names[i] && !folder_is_name(names[i]))
            text_add(why, "%.200s is no file of the folder", names[i]);
    return !why->len;
}

static bool take_properties(struct ask *ask, struct mem *mem, const json_t *given, struct text *why)
{
    static const char *const kinds[] = {"ctl", "ltl", "invariant", "find"};
    static const enum property_kind kind_of[] = {PROPERTY_CTL, PROPERTY_LTL, PROPERTY_INVARIANT,
                                                 PROPERTY_REACH};
    json_t *each;
    size_t i;
    json_array_foreach(json_object_get(given, "properties"), i, each)
    {
        if (!json_is_string(each)) return text_add(why, "a property is not a name"), false;
        vec_push(mem, &ask->properties, json_string_value(each));
    }
    json_array_foreach(json_object_get(given, "formulas"), i, each)
    {
        unsigned kind;
        const char *text = asking_text(each, "text");
        if (!text) return text_add(why, "a formula has no text"), false;
        if (!take_word(each, "kind", kinds, 4, &kind, why)) return false;
        vec_push(mem, &ask->formulas, ((struct ask_formula){kind_of[kind], text}));
    }
    return true;
}

static bool take_engine(struct ask *ask, const json_t *given, struct text *why)
{
    enum { MOST = 16 };
    const char *names[MOST] = {"auto"};
    unsigned count = 1, chosen;
    for (; engines[count - 1].name && count < MOST; count++) names[count] = engines[count - 1].name;
    if (!take_word(given, "engine", names, count, &chosen, why)) return false;
    ask->engine = chosen ? engines[chosen - 1].id : ENGINE_AUTO;
    return true;
}

static bool take_search(struct ask *ask, const json_t *given, struct text *why)
{
    static const char *const reductions[] = {"none", "por"};
    const double most_mib = 1 << 24, most_seconds = 1e8;
    double memory, bound, threads;
    unsigned order, reduction;
    if (!take_engine(ask, given, why)
        || !take_word(given, "order", search_order_name, ORDER_COUNT, &order, why)
        || !take_word(given, "reduce", reductions, 2, &reduction, why)
        || !take_number(given, "memory", most_mib, &memory, why)
        || !take_number(given, "time", most_seconds, &ask->time, why)
        || !take_number(given, "bound", 1e9, &bound, why)
        || !take_number(given, "threads", 64, &threads, why)
        || !take_flag(given, "no_deadlock", &ask->no_deadlock, why)
        || !take_flag(given, "first", &ask->first, why))
        return false;
    ask->order = (enum search_order)order;
    ask->reduction = reduction ? REDUCE_POR : REDUCE_NONE;
    ask->memory = (uint64_t)(memory * (1 << 20));
    ask->bound = (uint64_t)bound;
    ask->threads = (uint64_t)threads;
    return true;
}

bool asking_fill(struct ask *ask, struct mem *mem, const json_t *request, struct text *why)
{
    const json_t *given = json_object_get(request, "ask");
    ask_init(ask);
    return take_model(ask, mem, json_object_get(request, "model"), why)
           && take_properties(ask, mem, given, why) && take_search(ask, given, why);
}
