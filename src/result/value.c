#include "result/value.h"

#include "model/eval.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is shown as one ---- */

static bool is_left_out(const struct model *model, uint32_t var, uint32_t cells)
{
    for (uint32_t i = 0; i < cells; i++)
        if (model->vars.data[var + i].is_left_out) return true;
    return false;
}

static struct shown shown_extra(const struct model *model, uint32_t number)
{
    struct shown shown = {.var = model->vars.len};
    if (number == model->extras.len) return shown;
    shown.name = model->extras.data[number].name;
    shown.cells = 1;
    shown.extra = number + 1;
    shown.model = model;
    return shown;
}

/* What begins with the variable, or with the next one that has a value. `whole`: no whole before
 * this one matters any more. */
static struct shown shown_at(const struct model *model, bool raw, uint32_t var, uint32_t whole)
{
    const uint32_t wholes = raw ? 0 : model->wholes.len;
    for (; var < model->vars.len; var++) {
        if (model->vars.data[var].is_unshown) continue;
        while (whole < wholes && model->wholes.data[whole].var < var) whole++;
        const struct model_whole *found = whole < wholes && model->wholes.data[whole].var == var
                                              ? &model->wholes.data[whole]
                                              : NULL;
        if (found && found->shape->cells && !is_left_out(model, var, found->shape->cells))
            return (struct shown){.name = found->name,
                                  .var = var,
                                  .cells = found->shape->cells,
                                  .shape = found->shape,
                                  .whole = whole};
        if (!model->vars.data[var].is_left_out && (raw || !model->vars.data[var].is_internal))
            return (struct shown){
                .name = model->vars.data[var].name, .var = var, .cells = 1, .whole = whole};
    }
    return shown_extra(model, 0);
}

struct shown shown_first(const struct model *model, bool raw) { return shown_at(model, raw, 0, 0); }

struct shown shown_next(const struct model *model, bool raw, const struct shown *at)
{
    if (at->extra) return shown_extra(model, at->extra);
    return shown_at(model, raw, at->var + at->cells, at->whole);
}

struct shown shown_of(const struct model *model, uint32_t var)
{
    /* low - 1 becomes the last whole that does not begin after the variable */
    uint32_t low = 0, high = model->wholes.len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model->wholes.data[middle].var <= var) low = middle + 1;
        else high = middle;
    }
    if (low) {
        const struct model_whole *whole = &model->wholes.data[low - 1];
        if (var - whole->var < whole->shape->cells
            && !is_left_out(model, whole->var, whole->shape->cells))
            return shown_at(model, false, whole->var, low - 1);
    }
    return (struct shown){.name = model->vars.data[var].name, .var = var, .cells = 1, .whole = low};
}

/* The value of an extra. False: it cannot be evaluated. */
static bool find_extra(const struct shown *what, const int64_t *state, int64_t *value)
{
    assert(what->extra && what->extra <= what->model->extras.len);
    return eval_expr(what->model, what->model->extras.data[what->extra - 1].value, state, value);
}

bool shown_differs(const struct shown *what, const int64_t *before, const int64_t *after)
{
    if (what->extra) {
        int64_t old = 0, new = 0;
        const bool was = find_extra(what, before, &old), is = find_extra(what, after, &new);
        return was != is || old != new;
    }
    return memcmp(before + what->var, after + what->var, what->cells * sizeof *before) != 0;
}

/* ---- writing ---- */

/* To JSON or to text: the other one is NULL. */
struct pen {
    struct out *json;
    struct text *text;
};

static void put_open(struct pen *pen, char bracket, const char *mark)
{
    if (pen->json) out_open_inline(pen->json, bracket);
    else text_add(pen->text, "%s", mark);
}

static void put_close(struct pen *pen, char bracket, const char *mark)
{
    if (pen->json) out_close(pen->json, bracket);
    else text_add(pen->text, "%s", mark);
}

static void put_number(struct pen *pen, int64_t value)
{
    if (pen->json) out_int(pen->json, value);
    else text_add(pen->text, "%" PRId64, value);
}

/* A name, which is one of the two truth values or anything else. */
static void put_name(struct pen *pen, const char *name)
{
    bool is_true = !strcmp(name, "true");
    if (!pen->json) text_add(pen->text, "%s", name);
    else if (is_true || !strcmp(name, "false")) out_bool(pen->json, is_true);
    else out_string(pen->json, name);
}

static void put_key(struct pen *pen, const char *name, bool first)
{
    if (pen->json) out_key(pen->json, name);
    else text_add(pen->text, "%s%s = ", first ? "" : ", ", name);
}

static void put_shaped(struct pen *pen, const struct shape *shape, const int64_t *cells);

static void put_elements(struct pen *pen, const struct shape *shape, const int64_t *cells,
                         int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (i && !pen->json) text_add(pen->text, ", ");
        put_shaped(pen, shape->of, cells + (size_t)i * shape->of->cells);
    }
}

static void put_union(struct pen *pen, const struct shape *shape, const int64_t *cells)
{
    if (cells[0] < 0 || cells[0] >= shape->member_count) {
        put_number(pen, cells[0]);
        return;
    }
    const struct shape_member *member = &shape->members[cells[0]];
    if (!member->shape) {
        put_name(pen, member->name);
        return;
    }
    put_open(pen, '{', member->name);
    if (pen->json) out_key(pen->json, member->name);
    else text_add(pen->text, "(");
    put_shaped(pen, member->shape, cells + 1);
    put_close(pen, '}', ")");
}

static void put_shaped(struct pen *pen, const struct shape *shape, const int64_t *cells)
{
    switch (shape->kind) {
    case SHAPE_INT: put_number(pen, cells[0]); break;
    case SHAPE_BOOL: put_name(pen, cells[0] ? "true" : "false"); break;
    case SHAPE_UNION: put_union(pen, shape, cells); break;
    case SHAPE_ARRAY:
        put_open(pen, '[', "[");
        put_elements(pen, shape, cells, shape->count);
        put_close(pen, ']', "]");
        break;
    case SHAPE_QUEUE:
        put_open(pen, '[', "{|");
        put_elements(pen, shape, cells + 1,
                     cells[0] < 0              ? 0
                     : cells[0] > shape->count ? shape->count
                                               : cells[0]);
        put_close(pen, ']', "|}");
        break;
    case SHAPE_RECORD:
        put_open(pen, '{', "{");
        for (uint32_t i = 0; i < shape->member_count; i++) {
            put_key(pen, shape->members[i].name, !i);
            put_shaped(pen, shape->members[i].shape, cells + shape->members[i].offset);
        }
        put_close(pen, '}', "}");
        break;
    }
}

/* The first value of the variable that has this name. */
static bool find_value(const struct model *model, uint32_t v, const char *name, int64_t *value)
{
    const struct model_var *var = &model->vars.data[v];
    if (model_is_location(model, v)) {
        const struct model_process *process = &model->processes.data[var->process];
        for (uint32_t i = 0; i < process->locations; i++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + i];
            if (location->name && !strcmp(location->name, name))
                return *value = location->value, true;
        }
        return false;
    }
    for (int64_t i = var->low; var->value_names && i <= var->high; i++)
        if (!strcmp(var->value_names[i - var->low], name)) return *value = i, true;
    return false;
}

/* Where it stands, by number, and what may come next. */
static void put_course(struct pen *pen, const struct model_course *course, int64_t value)
{
    enum { MOST_NAMED = 8 }; /* in text */
    const char *label = model_course_label(course, value, 0);
    if (pen->json) {
        put_open(pen, '{', "");
        put_key(pen, "at", true);
        put_number(pen, value);
        put_key(pen, "next", false);
        put_open(pen, '[', "");
        for (uint32_t k = 0; label; label = model_course_label(course, value, ++k))
            out_string(pen->json, label);
        put_close(pen, ']', "");
        put_close(pen, '}', "");
        return;
    }
    text_add(pen->text, "%" PRId64 " (%s", value, label ? "" : "end");
    for (uint32_t k = 0; label; label = model_course_label(course, value, ++k)) {
        text_add(pen->text, "%s%s", k ? ", " : "", k < MOST_NAMED ? label : "...");
        if (k == MOST_NAMED) break;
    }
    text_add(pen->text, ")");
}

static void put_var(struct pen *pen, const struct model *model, bool raw, uint32_t var,
                    int64_t value)
{
    if (!raw && model->vars.data[var].course)
        return put_course(pen, model->vars.data[var].course, value);
    const char *name = raw ? NULL : model_value_name(model, var, value);
    int64_t meant;
    if (name && pen->json && (!find_value(model, var, name, &meant) || meant != value))
        name = NULL; /* two values have it: it says too little */
    if (name) put_name(pen, name);
    else put_number(pen, value);
}

static void put_extra(struct pen *pen, bool raw, const struct shown *what, const int64_t *state)
{
    const struct model *model = what->model;
    const struct expr_node *node =
        expr_get(&model->exprs, model->extras.data[what->extra - 1].value);
    int64_t value;
    if (!find_extra(what, state, &value)) put_name(pen, "undefined");
    else if (node->op == EXPR_VAR) put_var(pen, model, raw, (uint32_t)node->value, value);
    else if (node->is_bool && !raw) put_name(pen, value ? "true" : "false");
    else put_number(pen, value);
}

static void put_value(struct pen *pen, const struct model *model, bool raw,
                      const struct shown *what, const int64_t *state)
{
    if (what->extra) return put_extra(pen, raw, what, state);
    if (what->shape) put_shaped(pen, what->shape, state + what->var);
    else put_var(pen, model, raw, what->var, state[what->var]);
}

void value_json(struct out *json, const struct model *model, bool raw, const struct shown *what,
                const int64_t *state)
{
    put_value(&(struct pen){.json = json}, model, raw, what, state);
}

void value_text(struct text *text, const struct model *model, bool raw, const struct shown *what,
                const int64_t *state)
{
    put_value(&(struct pen){.text = text}, model, raw, what, state);
}

void value_var_text(struct text *text, const struct model *model, bool raw, uint32_t var,
                    int64_t value)
{
    put_var(&(struct pen){.text = text}, model, raw, var, value);
}

/* ---- changes ---- */

struct changes {
    struct mem *mem;
    void (*tell)(void *context, const char *words);
    void *context;
};

static void find_changes(const struct changes *changes, const char *name, const struct shape *shape,
                         const int64_t *before, const int64_t *after)
{
    if (!memcmp(before, after, shape->cells * sizeof *before)) return;
    struct text words;
    text_init(&words, changes->mem);
    bool is_array = shape->kind == SHAPE_ARRAY;
    if (is_array || shape->kind == SHAPE_RECORD) {
        for (uint32_t i = 0; i < (is_array ? shape->count : shape->member_count); i++) {
            const struct shape *of = is_array ? shape->of : shape->members[i].shape;
            uint32_t at = is_array ? i * of->cells : shape->members[i].offset;
            words.len = 0;
            if (is_array) text_add(&words, "%s[%u]", name, i);
            else text_add(&words, "%s.%s", name, shape->members[i].name);
            find_changes(changes, words.data, of, before + at, after + at);
        }
    } else {
        struct pen pen = {.text = &words};
        text_add(&words, "%s = ", name);
        put_shaped(&pen, shape, before);
        text_add(&words, " -> ");
        put_shaped(&pen, shape, after);
        changes->tell(changes->context, words.data);
    }
    text_free(&words);
}

void value_changes(const struct model *model, bool raw, const struct shown *what,
                   const int64_t *before, const int64_t *after,
                   void (*tell)(void *context, const char *words), void *context)
{
    struct changes changes = {model->mem, tell, context};
    if (what->shape) {
        find_changes(&changes, what->name, what->shape, before + what->var, after + what->var);
        return;
    }
    if (!shown_differs(what, before, after)) return;
    struct text words;
    text_init(&words, model->mem);
    text_add(&words, "%s = ", what->name);
    value_text(&words, model, raw, what, before);
    text_add(&words, " -> ");
    value_text(&words, model, raw, what, after);
    tell(context, words.data);
    text_free(&words);
}

/* ---- reading ---- */

bool value_read_number(const json_t *value, int64_t *number)
{
    const json_t *big = json_object_get(value, "#bigint");
    if (json_is_integer(value)) return *number = json_integer_value(value), true;
    const char *text = json_string_value(big ? big : value);
    char *end;
    if (!text || !*text) return false;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return !*end && !errno;
}

/* A name, or a truth value by its name; NULL: neither. */
static const char *name_of(const json_t *value)
{
    return json_is_boolean(value) ? json_is_true(value) ? "true" : "false"
                                  : json_string_value(value);
}

static bool read_var(const struct model *model, uint32_t v, const json_t *value, int64_t *cell)
{
    const char *name = name_of(value);
    if (name && find_value(model, v, name, cell)) return true;
    if (model->vars.data[v].course && json_is_object(value)) value = json_object_get(value, "at");
    return value_read_number(value, cell);
}

static bool read_shaped(const struct shape *shape, const json_t *value, int64_t *cells);

static bool read_elements(const struct shape *shape, const json_t *value, int64_t *cells,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!read_shaped(shape->of, json_array_get(value, i), cells + i * shape->of->cells))
            return false;
    return true;
}

static bool read_queue(const struct shape *shape, const json_t *value, int64_t *cells)
{
    size_t length = json_array_size(value);
    if (!json_is_array(value) || length > shape->count) return false;
    cells[0] = (int64_t)length;
    for (uint32_t i = 1; i < shape->cells; i++) cells[i] = shape_initial(shape, i);
    return read_elements(shape, value, cells + 1, length);
}

static bool read_union(const struct shape *shape, const json_t *value, int64_t *cells)
{
    const char *name = json_is_object(value)
                           ? json_object_iter_key(json_object_iter((json_t *)value))
                           : name_of(value);
    const json_t *argument = json_is_object(value) && name ? json_object_get(value, name) : NULL;
    if (json_is_object(value) && json_object_size(value) != 1) return false;
    for (uint32_t i = 1; i < shape->cells; i++) cells[i] = shape->padding[i - 1];
    for (uint32_t m = 0; name && m < shape->member_count; m++) {
        const struct shape_member *member = &shape->members[m];
        if (strcmp(member->name, name)) continue;
        cells[0] = m;
        return !member->shape == !argument
               && (!argument || read_shaped(member->shape, argument, cells + 1));
    }
    return false;
}

static bool read_shaped(const struct shape *shape, const json_t *value, int64_t *cells)
{
    switch (shape->kind) {
    case SHAPE_INT: return value_read_number(value, cells);
    case SHAPE_BOOL:
        return json_is_boolean(value) ? (*cells = json_is_true(value), true)
                                      : value_read_number(value, cells);
    case SHAPE_UNION: return read_union(shape, value, cells);
    case SHAPE_QUEUE: return read_queue(shape, value, cells);
    case SHAPE_ARRAY:
        return json_array_size(value) == shape->count
               && read_elements(shape, value, cells, shape->count);
    case SHAPE_RECORD:
        if (json_object_size(value) != shape->member_count) return false;
        for (uint32_t i = 0; i < shape->member_count; i++)
            if (!read_shaped(shape->members[i].shape,
                             json_object_get(value, shape->members[i].name),
                             cells + shape->members[i].offset))
                return false;
        return true;
    }
    return false;
}

bool value_read(const struct model *model, const struct shown *what, const struct json_t *object,
                int64_t *state)
{
    const json_t *value = json_object_get(object, what->name);
    bool is_number = json_is_integer(value); /* a union's raw number has the name of the whole */
    if (what->shape && value && !is_number)
        return read_shaped(what->shape, value, state + what->var);
    for (uint32_t i = 0; i < what->cells; i++)
        if (!read_var(model, what->var + i,
                      json_object_get(object, model->vars.data[what->var + i].name),
                      &state[what->var + i]))
            return false;
    return true;
}
