/* The processes and components of a model, as contexts name them: {P}n is the n-th instance of P,
 * counted from 1. Some languages say what their names mean in the model (model_name); for others,
 * and for models in Cairn's own text form, it is read off the names of processes and variables:
 *
 *     P[0].x        variable x of the first process P; what belongs to no process is a variable of
 *                   the outermost component, whatever its name
 *     x[0] x[1]     an array       x.f x.g   a record       q.length q[0] q[1]   a queue
 *     u u.value     a union, whose constructors may have arguments: which ones is not known */
#include "lang/cdl/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- shapes from names ---- */

struct deriving {
    struct cdl *cdl;
    uint32_t at, end; /* the next variable, and the first behind those that count */
};

static const char *name_at(const struct deriving *d)
{
    return d->at < d->end ? d->cdl->model->vars.data[d->at].name : "";
}

/* What the name of the next variable has behind `prefix`; NULL: something else stands there. */
static const char *behind(const struct deriving *d, const char *prefix)
{
    size_t length = strlen(prefix);
    const char *name = name_at(d);
    return strncmp(name, prefix, length) ? NULL : name + length;
}

static struct shape *new_shape(struct deriving *d, enum shape_kind kind)
{
    struct shape *shape = arena_alloc(&d->cdl->arena, sizeof *shape);
    shape->kind = kind;
    return shape;
}

static bool is_truth(const struct model_var *var)
{
    return var->value_names && !var->low && var->high == 1 && !strcmp(var->value_names[0], "false")
           && !strcmp(var->value_names[1], "true");
}

/* A variable alone, or the constructor of a union and what comes with it. */
static const struct shape *derive_scalar(struct deriving *d, const char *prefix)
{
    assert(d->at < d->end);
    const struct model_var *var = &d->cdl->model->vars.data[d->at++];
    char value[512];
    snprintf(value, sizeof value, "%.400s.value", prefix);
    struct shape *shape = new_shape(d, is_truth(var) ? SHAPE_BOOL : SHAPE_INT);
    shape->cells = 1;
    shape->low = var->low;
    shape->high = var->high;
    shape->initial = var->low > 0 ? var->low : var->high < 0 ? var->high : 0;
    if (!var->value_names || shape->kind == SHAPE_BOOL || var->low) return shape;
    struct shape_member *members =
        arena_alloc(&d->cdl->arena, (size_t)(var->high + 1) * sizeof *members);
    for (int64_t i = 0; i <= var->high; i++)
        members[i] = (struct shape_member){var->value_names[i], NULL, 0};
    shape->kind = SHAPE_UNION;
    shape->members = members;
    shape->member_count = (uint32_t)(var->high + 1);
    uint32_t first = d->at;
    while (behind(d, value)) d->at++, shape->cells++;
    int64_t *initials = arena_alloc(&d->cdl->arena, shape->cells * sizeof *initials);
    for (uint32_t i = 1; i < shape->cells; i++) {
        const struct model_var *part = &d->cdl->model->vars.data[first + i - 1];
        initials[i] = part->low > 0 ? part->low : part->high < 0 ? part->high : 0;
    }
    shape->initials = initials;
    shape->padding = initials + 1;
    shape->has_secrets = shape->cells > 1;
    return shape;
}

static const struct shape *derive(struct deriving *d, const char *prefix, unsigned depth);

/* prefix[0], prefix[1], ... */
static bool derive_elements(struct deriving *d, const char *prefix, unsigned depth,
                            struct shape *shape)
{
    char element[512];
    for (;; shape->count++) {
        snprintf(element, sizeof element, "%.400s[%u]", prefix, shape->count);
        const char *rest = behind(d, element);
        if (!rest || (*rest && *rest != '.' && *rest != '[')) break;
        const struct shape *of = derive(d, element, depth + 1);
        if (!of || (shape->of && of->cells != shape->of->cells)) return false;
        if (!shape->of) shape->of = of;
        shape->cells += of->cells;
    }
    return shape->count > 0;
}

static bool derive_fields(struct deriving *d, const char *prefix, unsigned depth,
                          struct shape *shape)
{
    enum { MOST = 1000 };
    char field[512];
    struct shape_member *members = arena_alloc(&d->cdl->arena, MOST * sizeof *members);
    snprintf(field, sizeof field, "%.400s.", prefix);
    shape->members = members;
    for (const char *rest; (rest = behind(d, field)) && *rest;) {
        size_t length = strcspn(rest, ".["), base = strlen(prefix) + 1;
        char whole[512];
        if (!length || base + length >= sizeof whole - 1 || shape->member_count == MOST)
            return false;
        snprintf(whole, sizeof whole, "%.400s.%.*s", prefix, (int)length, rest);
        const struct shape *of = derive(d, whole, depth + 1);
        if (!of) return false;
        assert(shape->member_count < MOST);
        members[shape->member_count++] = (struct shape_member){
            names_intern(&d->cdl->names, whole + base, length), of, shape->cells};
        shape->cells += of->cells;
    }
    return shape->member_count > 0;
}

/* The variables from the next one on whose names begin with the prefix. NULL: no value of any
 * language that is known. */
static const struct shape *derive(struct deriving *d, const char *prefix, unsigned depth)
{
    enum { MOST_DEPTH = 50 };
    const char *rest = behind(d, prefix);
    if (!rest || depth > MOST_DEPTH || strlen(prefix) > 400) return NULL;
    if (!*rest) return derive_scalar(d, prefix);
    uint32_t start = d->at;
    if (!strcmp(rest, ".length")) {
        struct shape *queue = new_shape(d, SHAPE_QUEUE);
        assert(d->at < d->end);
        int64_t most = d->cdl->model->vars.data[d->at++].high;
        queue->cells = 1;
        if (derive_elements(d, prefix, depth, queue) && (int64_t)queue->count == most) return queue;
        d->at = start; /* a record with a field of that name */
    }
    struct shape *shape = new_shape(d, *rest == '[' ? SHAPE_ARRAY : SHAPE_RECORD);
    bool good = *rest == '[' ? derive_elements(d, prefix, depth, shape)
                             : *rest == '.' && derive_fields(d, prefix, depth, shape);
    return good ? shape : NULL;
}

/* ---- units ---- */

static void add_unit(struct cdl *cdl, const char *unit, uint32_t number, const char *prefix,
                     uint32_t process)
{
    struct model *model = cdl->model;
    vec_push(cdl->mem, &cdl->units, ((struct model_name){.unit = unit, .number = number}));
    for (uint32_t v = 0; v < model->vars.len;) {
        struct deriving d = {cdl, v, v};
        size_t length = strlen(prefix);
        while (d.end < model->vars.len && model->vars.data[d.end].process == process) d.end++;
        const char *name = name_at(&d);
        if (d.end == v || strncmp(name, prefix, length)) {
            v++;
            continue;
        }
        size_t own = strcspn(name + length, ".[");
        const char *whole = names_intern(&cdl->names, name, length + own);
        const struct shape *shape = derive(&d, whole, 0);
        if (shape)
            vec_push(cdl->mem, &cdl->units,
                     ((struct model_name){.unit = unit,
                                          .number = number,
                                          .name = names_intern(&cdl->names, name + length, own),
                                          .var = v,
                                          .shape = shape}));
        v = shape ? d.at : v + 1;
    }
}

void cdl_collect_units(struct cdl *cdl)
{
    const struct model *model = cdl->model;
    cdl->units.len = 0;
    cdl->has_globals = !model->source_names.len;
    for (uint32_t i = 0; i < model->source_names.len; i++)
        vec_push(cdl->mem, &cdl->units, model->source_names.data[i]);
    if (model->source_names.len) return;
    add_unit(cdl, "", 0, "", MODEL_NONE);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        uint32_t number = 0;
        for (uint32_t q = 0; q < p; q++)
            number += !strcmp(model->processes.data[q].type, process->type);
        add_unit(cdl, process->type, number, names_format(&cdl->names, "%s.", process->name), p);
    }
}

const char *cdl_unit_text(struct cdl *cdl, const struct cdl_unit *unit)
{
    return names_format(&cdl->names, "{%.60s}%" PRIu64, unit->name, unit->number);
}

static uint32_t process_of(const struct cdl *cdl, const char *type, uint32_t number)
{
    for (uint32_t p = 0; p < cdl->model->processes.len; p++)
        if (!strcmp(cdl->model->processes.data[p].type, type) && !number--) return p;
    return MODEL_NONE;
}

/* In some languages instances have names of their own: `till[0]` is the first Till. */
static const char *type_of_instances(struct cdl *cdl, const char *name)
{
    const char *first = names_format(&cdl->names, "%s[0]", name);
    for (uint32_t p = 0; p < cdl->model->processes.len; p++)
        if (!strcmp(cdl->model->processes.data[p].name, first))
            return cdl->model->processes.data[p].type;
    return name;
}

static bool unknown_unit(struct cdl *cdl, const struct cdl_unit *unit)
{
    const char *nearest = NULL, *what = cdl->has_globals ? "process" : "process or component";
    unsigned distance = 0;
    for (uint32_t i = 0; i < cdl->units.len; i++)
        text_nearest(unit->name, cdl->units.data[i].unit, &nearest, &distance);
    diag_error_near(cdl->diag, DIAG_UNKNOWN, unit->place, nearest && *nearest ? nearest : NULL,
                    "the model has no %s '%.60s'", what, unit->name);
    return false;
}

bool cdl_find_unit(struct cdl *cdl, const struct cdl_unit *unit, struct cdl_found_unit *found)
{
    const char *name = cdl->has_globals ? type_of_instances(cdl, unit->name) : unit->name;
    uint32_t count = 0;
    bool is_process = false;
    for (uint32_t i = 0; i < cdl->units.len; i++) {
        const struct model_name *entry = &cdl->units.data[i];
        if (entry->name || strcmp(entry->unit, name)) continue;
        is_process = true;
        count++;
        if (entry->number + UINT64_C(1) != unit->number) continue;
        *found = (struct cdl_found_unit){process_of(cdl, name, entry->number), i};
        return true;
    }
    if (!is_process && cdl->has_globals && cdl->units.len > 1 && cdl->units.data[1].name
        && unit->number == 1) {
        *found = (struct cdl_found_unit){MODEL_NONE, 0};
        return true;
    }
    if (!count) return unknown_unit(cdl, unit);
    if (count == 1)
        diag_error(cdl->diag, DIAG_UNKNOWN, unit->number_place, "there is one '%.60s': {%.60s}1",
                   unit->name, unit->name);
    else
        diag_error(cdl->diag, DIAG_UNKNOWN, unit->number_place,
                   "there are %u instances of '%.60s': {%.60s}1 to {%.60s}%u", count, unit->name,
                   unit->name, unit->name, count);
    return false;
}

const struct model_name *cdl_unit_variable(const struct cdl *cdl, uint32_t first, const char *name)
{
    for (uint32_t i = first + 1; i < cdl->units.len && cdl->units.data[i].name; i++)
        if (!strcmp(cdl->units.data[i].name, name)) return &cdl->units.data[i];
    return NULL;
}

const struct model_name *cdl_need_variable(struct cdl *cdl, const struct cdl_unit *unit,
                                           uint32_t first, const char *name, struct place place)
{
    enum { MOST = 8 };
    const struct model_name *found = cdl_unit_variable(cdl, first, name);
    const char *nearest = NULL;
    unsigned distance = 0;
    if (found) return found;
    for (uint32_t i = first + 1; i < cdl->units.len && cdl->units.data[i].name; i++)
        text_nearest(name, cdl->units.data[i].name, &nearest, &distance);
    if (nearest) {
        diag_error_near(cdl->diag, DIAG_UNKNOWN, place, nearest, "%s has no variable '%.60s'",
                        cdl_unit_text(cdl, unit), name);
        return NULL;
    }
    struct text list;
    text_init(&list, cdl->mem);
    text_add(&list, "%s", "");
    for (uint32_t i = first + 1, n = 0; i < cdl->units.len && cdl->units.data[i].name && n <= MOST;
         i++, n++) {
        if (n == MOST) text_add(&list, ", ...");
        else text_add(&list, "%s%.40s", n ? ", " : ": it has ", cdl->units.data[i].name);
    }
    diag_error(cdl->diag, DIAG_UNKNOWN, place, "%s has no variable '%.60s'%s",
               cdl_unit_text(cdl, unit), name, list.data);
    text_free(&list);
    return NULL;
}

const struct model_name *cdl_component_variable(const struct cdl *cdl, const char *name)
{
    bool is_component = false;
    for (uint32_t i = 0; i < cdl->units.len; i++) {
        const struct model_name *entry = &cdl->units.data[i];
        if (!entry->name) is_component = process_of(cdl, entry->unit, 0) == MODEL_NONE;
        else if (is_component && !strcmp(entry->name, name)) return entry;
    }
    return NULL;
}
