/* The file, activities, and the context as a whole. */
#include "lang/cdl/cdl.h"

#include "automaton/activity/order.h"
#include "lang/cdl/parser.h"
#include "lang/cdl/scope.h"

#include <inttypes.h>
#include <string.h>

static const char *const kind_names[CDL_KINDS] = {"event",    "predicate",   "activity",
                                                  "property", "restriction", "context"};

/* Properties and restrictions share their names. */
static uint32_t space_of(enum cdl_kind kind)
{
    return kind == CDL_DECL_RESTRICTION ? CDL_DECL_PROPERTY : kind;
}

/* ---- the file ---- */

struct cdl *cdl_read(struct diag *diag, struct mem *mem, uint32_t source)
{
    struct cdl *cdl = mem_alloc(mem, sizeof *cdl);
    uint32_t errors = diag->errors;
    cdl->diag = diag;
    cdl->mem = mem;
    arena_init(&cdl->arena, mem);
    names_init(&cdl->names, &cdl->arena);
    map_init(&cdl->map, mem);
    cdl->path = diag->sources.data[source].name;
    cdl_parse(diag, &cdl->names, &cdl->arena, source, &cdl->file);
    for (struct cdl_decl *decl = cdl->file.decls; decl; decl = decl->next) {
        uint32_t before = map_get(&cdl->map, decl->name, space_of(decl->kind));
        if (before != MAP_NONE) {
            diag_error(diag, DIAG_DUPLICATE, decl->place, "there is a %s '%.60s' already",
                       kind_names[cdl->decls.data[before]->kind], decl->name);
            diag_note(diag, cdl->decls.data[before]->place, "here");
            continue;
        }
        map_add(&cdl->map, decl->name, space_of(decl->kind), cdl->decls.len);
        vec_push(mem, &cdl->decls, decl);
    }
    if (diag->errors == errors && !cdl_context_count(cdl))
        diag_error(diag, DIAG_MISSING, (struct place){source, 1, 1},
                   "the file has no context (cdl NAME is { ... })");
    return diag->errors == errors ? cdl : NULL;
}

static struct cdl_decl *nth_context(const struct cdl *cdl, uint32_t index)
{
    for (uint32_t i = 0; i < cdl->decls.len; i++)
        if (cdl->decls.data[i]->kind == CDL_DECL_CONTEXT && !index--) return cdl->decls.data[i];
    return NULL;
}

uint32_t cdl_context_count(const struct cdl *cdl)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cdl->decls.len; i++)
        count += cdl->decls.data[i]->kind == CDL_DECL_CONTEXT;
    return count;
}

const char *cdl_context_name(const struct cdl *cdl, uint32_t index, struct place *place)
{
    const struct cdl_decl *decl = nth_context(cdl, index);
    if (place) *place = decl->place;
    return decl->name;
}

bool cdl_has_constant(const struct cdl *cdl, const char *name)
{
    for (const struct cdl_name *used = cdl->file.constants; used; used = used->next)
        if (!strcmp(used->name, name)) return true;
    return false;
}

/* ---- names ---- */

struct cdl_decl *cdl_lookup(struct cdl *cdl, enum cdl_kind kind, const char *name)
{
    uint32_t index =
        map_get(&cdl->map, names_intern(&cdl->names, name, strlen(name)), space_of(kind));
    return index == MAP_NONE || cdl->decls.data[index]->kind != kind ? NULL
                                                                     : cdl->decls.data[index];
}

struct cdl_decl *cdl_find(struct cdl *cdl, enum cdl_kind kind, const char *name, struct place place)
{
    struct cdl_decl *found = cdl_lookup(cdl, kind, name);
    const char *nearest = NULL;
    unsigned distance = 0;
    if (found) return found;
    for (uint32_t i = 0; i < cdl->decls.len; i++)
        if (cdl->decls.data[i]->kind == kind)
            text_nearest(name, cdl->decls.data[i]->name, &nearest, &distance);
    diag_error_near(cdl->diag, DIAG_UNKNOWN, place, nearest, "there is no %s '%.60s'",
                    kind_names[kind], name);
    return NULL;
}

bool cdl_constant(struct cdl *cdl, const char *name, int64_t *value)
{
    struct model *model = cdl->model;
    for (uint32_t i = 0; model && i < model->constants.len; i++)
        if (!strcmp(model->constants.data[i].name, name))
            return *value = model->constants.data[i].value, true;
    for (uint32_t i = 0; i < cdl->define_count; i++) {
        if (strcmp(cdl->defines[i].name, name)) continue;
        *value = cdl->defines[i].value;
        if (model)
            vec_push(model->mem, &model->constants,
                     ((struct model_constant){.name = name, .value = *value}));
        return true;
    }
    return false;
}

bool cdl_number(struct cdl *cdl, const struct cdl_number *number, int64_t *value)
{
    *value = (int64_t)number->number;
    if (!number->name || cdl_constant(cdl, number->name, value)) return true;
    const char *nearest = NULL;
    unsigned distance = 0;
    for (uint32_t i = 0; cdl->model && i < cdl->model->constants.len; i++)
        text_nearest(number->name, cdl->model->constants.data[i].name, &nearest, &distance);
    diag_error_near(cdl->diag, DIAG_UNKNOWN, number->place, nearest,
                    "there is no constant '%.60s' in the model or given with -D", number->name);
    return false;
}

/* ---- activities ---- */

/* The declared events first, so that one that is written out can be recognised as one of them. */
static bool declare_events(struct cdl *cdl, const struct cdl_activity *activity);

static bool declare_called(struct cdl *cdl, const struct cdl_activity *activity)
{
    struct cdl_decl *decl = cdl_lookup(cdl, CDL_DECL_ACTIVITY, activity->name);
    uint32_t index;
    if (!decl && cdl_lookup(cdl, CDL_DECL_EVENT, activity->name))
        return cdl_event(cdl, activity->name, activity->place, &index);
    if (!decl) {
        const char *nearest = NULL;
        unsigned distance = 0;
        for (uint32_t i = 0; i < cdl->decls.len; i++)
            if (cdl->decls.data[i]->kind == CDL_DECL_ACTIVITY
                || cdl->decls.data[i]->kind == CDL_DECL_EVENT)
                text_nearest(activity->name, cdl->decls.data[i]->name, &nearest, &distance);
        diag_error_near(cdl->diag, DIAG_UNKNOWN, activity->place, nearest,
                        "there is no activity or event '%.60s'", activity->name);
        return false;
    }
    if (decl->is_busy) {
        diag_error(cdl->diag, DIAG_CIRCULAR, activity->place,
                   "the activity '%.60s' contains itself: contexts are finite", decl->name);
        return false;
    }
    if (decl->is_ready) return !decl->is_bad;
    decl->is_busy = true;
    decl->is_bad = !declare_events(cdl, decl->activity);
    decl->is_busy = false;
    decl->is_ready = true;
    decl->index = UINT32_MAX;
    return !decl->is_bad;
}

static bool declare_events(struct cdl *cdl, const struct cdl_activity *activity)
{
    enum { MOST = 5000 };
    uint32_t index;
    bool good = true;
    if (cdl->nesting++ > MOST) {
        diag_error(cdl->diag, DIAG_NESTING, activity->place, "activities are nested too deeply");
        good = false;
    } else if (activity->kind == CDL_EVENT)
        good = cdl_event(cdl, activity->name, activity->place, &index);
    else if (activity->kind == CDL_CALL) good = declare_called(cdl, activity);
    else
        for (const struct cdl_activity *part = activity->parts; part; part = part->next)
            good &= declare_events(cdl, part);
    cdl->nesting--;
    return good;
}

static bool find_term(struct cdl *cdl, const struct cdl_activity *activity, term *found);

static bool event_term(struct cdl *cdl, uint32_t event, struct place place, term *found)
{
    if (cdl->context->events.data[event].kind == EVENT_BECOMES) {
        diag_error(
            cdl->diag, DIAG_MISPLACED, place,
            "the environment sends, receives and synchronises: '%.60s' is a change in the system",
            cdl->context->events.data[event].name);
        return false;
    }
    cdl->context->events.data[event].is_in_scenario = true;
    *found = term_event(&cdl->terms, event);
    return true;
}

static bool called_term(struct cdl *cdl, const struct cdl_activity *activity, term *found)
{
    struct cdl_decl *decl =
        activity->kind == CDL_CALL ? cdl_lookup(cdl, CDL_DECL_ACTIVITY, activity->name) : NULL;
    uint32_t event;
    if (!decl)
        return cdl_event(cdl, activity->name, activity->place, &event)
               && event_term(cdl, event, activity->place, found);
    if (decl->index == UINT32_MAX) {
        if (!find_term(cdl, decl->activity, found)) return decl->is_bad = true, false;
        decl->index = found->i;
    }
    found->i = decl->index;
    return !decl->is_bad;
}

static bool loop_term(struct cdl *cdl, const struct cdl_activity *activity, term *found)
{
    int64_t times;
    if (!cdl_number(cdl, &activity->count, &times) || !find_term(cdl, activity->parts, found))
        return false;
    if (times < 0 || times > INT32_MAX) {
        diag_error(cdl->diag, DIAG_RANGE, activity->count.place,
                   "a loop cannot have %" PRId64 " rounds", times);
        return false;
    }
    *found = term_loop(&cdl->terms, (uint32_t)times, *found);
    return true;
}

/* Joined from the end, so that the parts of a long sequence are looked at once. */
static bool joined_term(struct cdl *cdl, const struct cdl_activity *activity, term *found)
{
    VEC(term) parts = {0};
    bool good = true;
    for (const struct cdl_activity *part = activity->parts; part; part = part->next) {
        term each = term_skip();
        good &= find_term(cdl, part, &each);
        vec_push(cdl->mem, &parts, each);
    }
    *found = parts.data[parts.len - 1];
    if (activity->kind == CDL_CHOICE && good) cdl_note_choice(cdl, activity, parts.data, parts.len);
    for (uint32_t i = parts.len - 1; i-- > 0;) {
        if (activity->kind == CDL_SEQUENCE) *found = term_seq(&cdl->terms, parts.data[i], *found);
        else if (activity->kind == CDL_CHOICE)
            *found = term_choice(&cdl->terms, parts.data[i], *found);
        else *found = term_par(&cdl->terms, parts.data[i], *found);
    }
    vec_free(cdl->mem, &parts);
    return good;
}

static bool find_term(struct cdl *cdl, const struct cdl_activity *activity, term *found)
{
    uint32_t event;
    switch (activity->kind) {
    case CDL_SKIP: *found = term_skip(); return true;
    case CDL_EVENT:
    case CDL_CALL: return called_term(cdl, activity, found);
    case CDL_BODY:
        return cdl_inline_event(cdl, activity->body, &event)
               && event_term(cdl, event, activity->place, found);
    case CDL_LOOP: return loop_term(cdl, activity, found);
    default: return joined_term(cdl, activity, found);
    }
}

/* ---- the context ---- */

/* The length of the longest word, or a little more than `most`: no automaton has fewer states. */
static uint64_t longest_word(struct cdl *cdl, term whole, uint64_t most)
{
    uint64_t *longest = mem_alloc(cdl->mem, (whole.i + UINT64_C(1)) * sizeof *longest), result;
    for (uint32_t i = 0; i <= whole.i; i++) {
        const struct term_node *node = term_get(&cdl->terms, (term){i});
        uint64_t a = longest[node->a.i], b = longest[node->b.i];
        longest[i] = node->op == TERM_EVENT    ? 1
                     : node->op == TERM_SKIP   ? 0
                     : node->op == TERM_LOOP   ? a * node->number
                     : node->op == TERM_CHOICE ? (a > b ? a : b)
                                               : a + b;
        if (longest[i] > most) longest[i] = most + 1;
    }
    result = longest[whole.i];
    mem_free(cdl->mem, longest);
    return result;
}

/* The states in an order that keeps few of them waiting at any time. */
static enum build_status put_in_order(struct cdl *cdl, struct dag *dag)
{
    uint32_t *order = NULL;
    enum build_status status = order_best(dag, &cdl->context->orders, &order);
    if (status == BUILD_DONE) status = dag_renumber(dag, order);
    mem_free(cdl->mem, order);
    return status;
}

/* What the context does, as a term. */
static bool find_scenario(struct cdl *cdl, const struct cdl_decl *decl, term *whole)
{
    term init = term_skip(), main = term_skip();
    bool good = true;
    if (decl->init) good &= declare_events(cdl, decl->init);
    if (decl->activity) good &= declare_events(cdl, decl->activity);
    if (!good) return false;
    if (decl->init) good &= find_term(cdl, decl->init, &init);
    if (decl->activity) good &= find_term(cdl, decl->activity, &main);
    *whole = term_seq(&cdl->terms, init, main);
    return good;
}

static bool build_scenario(struct cdl *cdl, const struct cdl_decl *decl)
{
    enum { MOST_STATES = 1 << 25 };
    struct context *context = cdl->context;
    term whole;
    if (!find_scenario(cdl, decl, &whole)) return false;
    enum build_status status = BUILD_TOO_LARGE;
    if (longest_word(cdl, whole, MOST_STATES) < MOST_STATES)
        status = dag_build(&context->scenario, cdl->mem, &cdl->terms, whole, false, MOST_STATES);
    if (status == BUILD_DONE) status = put_in_order(cdl, &context->scenario);
    context->has_scenario = status == BUILD_DONE && context->scenario.states > 1;
    if (status == BUILD_REFUSED) mem_refuse(cdl->mem);
    if (status == BUILD_TOO_LARGE)
        diag_error(cdl->diag, DIAG_LIMIT, decl->place,
                   "the scenario of this context has too many states");
    return status == BUILD_DONE;
}

/* A rule of two events would happen in both of them at once. */
static bool check_alphabet(struct cdl *cdl)
{
    const struct context *context = cdl->context;
    uint32_t *owner = mem_alloc(cdl->mem, (cdl->model->rules.len + UINT64_C(1)) * sizeof *owner);
    bool good = true;
    for (uint32_t e = 0; good && e < context->events.len; e++) {
        const struct context_event *event = &context->events.data[e];
        for (uint32_t i = 0;
             good && event->is_in_scenario && event->kind == EVENT_SYNC && i < event->rule_count;
             i++) {
            uint32_t *before = &owner[event->rules[i]];
            good = !*before;
            if (*before) {
                diag_error(cdl->diag, DIAG_CONFLICT, event->place,
                           "a step '%.60s' would be both '%.60s' and '%.60s'",
                           cdl->model->rules.data[event->rules[i]].label,
                           context->events.data[*before - 1].name, event->name);
                diag_note(cdl->diag, context->events.data[*before - 1].place, "here");
            }
            *before = e + 1;
        }
    }
    mem_free(cdl->mem, owner);
    return good;
}

/* Whether the same name stands somewhere before this one. */
static bool is_repeated(const struct cdl_decl *decl, const struct cdl_name *name)
{
    const struct cdl_name *lists[] = {decl->asserts, decl->properties, decl->restrictions};
    for (unsigned i = 0; i < 3; i++)
        for (const struct cdl_name *other = lists[i]; other; other = other->next) {
            if (other == name) return false;
            if (!strcmp(other->name, name->name)) return true;
        }
    return false;
}

/* Names of assertions, properties and restrictions are unique, and those of the model are
 * others. */
static bool is_new_name(struct cdl *cdl, const struct cdl_decl *decl, const struct cdl_name *name)
{
    if (is_repeated(decl, name)) {
        diag_error(cdl->diag, DIAG_DUPLICATE, name->place, "'%.60s' is listed twice", name->name);
        return false;
    }
    for (uint32_t i = 0; i < cdl->model->properties.len; i++)
        if (!strcmp(cdl->model->properties.data[i].name, name->name)) {
            diag_error(cdl->diag, DIAG_DUPLICATE, name->place,
                       "the model has a property '%.60s' already", name->name);
            return false;
        }
    return true;
}

static bool add_assertions(struct cdl *cdl, const struct cdl_decl *decl)
{
    bool good = true;
    for (const struct cdl_name *name = decl->asserts; name; name = name->next) {
        struct cdl_decl *predicate = cdl_find(cdl, CDL_DECL_PREDICATE, name->name, name->place);
        expr condition;
        if (!predicate || !is_new_name(cdl, decl, name)
            || !cdl_predicate(cdl, predicate, &condition)) {
            good = false;
            continue;
        }
        struct context_assertion assertion = {predicate->name, predicate->text, condition,
                                              predicate->place};
        vec_push(cdl->mem, &cdl->context->assertions, assertion);
    }
    return good;
}

static bool add_observers(struct cdl *cdl, const struct cdl_decl *decl, enum cdl_kind kind)
{
    bool good = true;
    for (const struct cdl_name *name = kind == CDL_DECL_PROPERTY ? decl->properties
                                                                 : decl->restrictions;
         name; name = name->next) {
        struct cdl_decl *observer = cdl_find(cdl, kind, name->name, name->place);
        good &= observer && is_new_name(cdl, decl, name) && cdl_observer(cdl, observer);
    }
    return good;
}

static struct context *begin_context(struct cdl *cdl, const struct cdl_decl *decl,
                                     struct model *model, const struct language_define *defines,
                                     uint32_t define_count)
{
    struct context *context = arena_alloc(&cdl->arena, sizeof *context);
    cdl->model = model;
    cdl->defines = defines;
    cdl->define_count = define_count;
    cdl->context = context;
    cdl->nesting = 0;
    for (uint32_t i = 0; i < cdl->decls.len; i++)
        cdl->decls.data[i]->is_busy = cdl->decls.data[i]->is_ready = cdl->decls.data[i]->is_bad =
            false;
    context->name = decl->name;
    context->file = cdl->path;
    context->place = decl->place;
    return context;
}

/* `builds`: the automaton of the scenario is made, too. */
static struct context *resolve_context(struct cdl *cdl, uint32_t index, struct model *model,
                                       const struct language_define *defines, uint32_t define_count,
                                       bool builds)
{
    const struct cdl_decl *decl = nth_context(cdl, index);
    struct context *context = begin_context(cdl, decl, model, defines, define_count);
    term whole;
    cdl_collect_units(cdl);
    terms_init(&cdl->terms, cdl->mem);
    cdl->has_noted_choice = false;
    bool good = builds ? build_scenario(cdl, decl) : find_scenario(cdl, decl, &whole);
    good = good && check_alphabet(cdl);
    good &= add_assertions(cdl, decl);
    good &= add_observers(cdl, decl, CDL_DECL_PROPERTY);
    good &= add_observers(cdl, decl, CDL_DECL_RESTRICTION);
    terms_release(&cdl->terms);
    vec_free(cdl->mem, &cdl->empty);
    return good ? context : NULL;
}

struct context *cdl_context(struct cdl *cdl, uint32_t index, struct model *model,
                            const struct language_define *defines, uint32_t define_count)
{
    return resolve_context(cdl, index, model, defines, define_count, true);
}

bool cdl_look(struct cdl *cdl, uint32_t index, struct model *model,
              const struct language_define *defines, uint32_t define_count)
{
    return resolve_context(cdl, index, model, defines, define_count, false) != NULL;
}

struct context *cdl_outline(struct cdl *cdl, uint32_t index, const struct language_define *defines,
                            uint32_t define_count)
{
    const struct cdl_decl *decl = nth_context(cdl, index);
    struct context *context = begin_context(cdl, decl, NULL, defines, define_count);
    terms_init(&cdl->terms, cdl->mem);
    cdl->has_noted_choice = false;
    bool good = build_scenario(cdl, decl);
    terms_release(&cdl->terms);
    vec_free(cdl->mem, &cdl->empty);
    return good ? context : NULL;
}
