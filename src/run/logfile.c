#include "run/logfile.h"

#include "base/divisor.h"
#include "base/map.h"
#include "result/value.h"
#include "run/message.h"
#include "run/replay.h"
#include "solver/zone/bound.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

struct moment {
    int64_t numerator, denominator;
};

struct reader {
    struct session *session;
    struct model *model;
    struct logfile *file;
    uint32_t source;
    VEC(struct log_line) lines;
    VEC(struct log_value) values;
    VEC(struct moment) times; /* per line */
    VEC(uint32_t) numbers;
    VEC(const char *) texts;
    VEC(const char *) doubts;
    VEC(struct logfile_class) classes;
    VEC(uint32_t) class_of;
    VEC(bool) admits;
    struct map rows; /* of what lines say of a step */
    struct map keys; /* of members of lines that say nothing here, told once */
    VEC(struct shown) shown;
    struct map names; /* into `shown`: what is shown as one value; behind these, single variables */
    int64_t *state;   /* working memory */
    uint32_t line;    /* in the file, from 1 */
    struct moment tolerance;
};

static const char *intern(struct reader *reader, const char *text)
{
    return names_intern(&reader->model->names, text, strlen(text));
}

static bool complain(struct reader *reader, uint32_t column, enum diag_code code,
                     const char *format, const char *detail)
{
    struct place place = {reader->source, reader->line, column};
    diag_error(&reader->session->diag, code, place, format, detail);
    return false;
}

/* ---- steps ---- */

static void add_names(const struct model *model, struct text *text, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process == MODEL_NONE) continue;
        text_add(text, "%s%s", text->len ? ", " : "", model->processes.data[process].name);
    }
}

/* Rules with one label and the same processes are one class. */
static void find_classes(struct reader *reader)
{
    struct model *model = reader->model;
    struct map known;
    map_init(&known, model->mem);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        struct text names;
        text_init(&names, model->mem);
        add_names(model, &names, rule);
        const char *process = names.len ? intern(reader, names.data) : NULL;
        const char *label = intern(reader, rule->label), *port = rule->port ? rule->port : "";
        const char *key =
            names_format(&model->names, "%s\n%s\n%s", label, process ? process : "", port);
        uint32_t class = map_get(&known, key, 0);
        if (class == MAP_NONE) {
            class = reader->classes.len;
            map_add(&known, key, 0, class);
            vec_push(model->mem, &reader->classes, ((struct logfile_class){label, process, r}));
        }
        vec_push(model->mem, &reader->class_of, class);
        text_free(&names);
    }
}

static bool has_label(const struct reader *reader, const struct logfile_class *class,
                      const char *label)
{
    const char *port = reader->model->rules.data[class->rule].port;
    return !strcmp(class->label, label) || (port && !strcmp(port, label));
}

/* By the names of all that take part, or by one of them. */
static bool has_process(const struct reader *reader, const struct logfile_class *class,
                        const char *process)
{
    const struct model *model = reader->model;
    const struct model_rule *rule = &model->rules.data[class->rule];
    if (class->process && !strcmp(class->process, process)) return true;
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t p = model->parts.data[rule->first_part + i].process;
        if (p != MODEL_NONE && !strcmp(model->processes.data[p].name, process)) return true;
    }
    return false;
}

/* The row for lines that say this of their step; NULL: nothing. */
static uint32_t find_row(struct reader *reader, const char *label, const char *process)
{
    struct model *model = reader->model;
    const char *key = names_format(&model->names, "%s%s\n%s%s", label ? "=" : "",
                                   label ? label : "", process ? "=" : "", process ? process : "");
    uint32_t row = map_get(&reader->rows, key, 0);
    if (row != MAP_NONE) return row;
    row = reader->rows.count;
    map_add(&reader->rows, key, 0, row);
    for (uint32_t c = 0; c < reader->classes.len; c++) {
        const struct logfile_class *class = &reader->classes.data[c];
        bool admits = (!label || has_label(reader, class, label))
                      && (!process || has_process(reader, class, process));
        vec_push(model->mem, &reader->admits, admits);
    }
    return row;
}

/* PROCESS.label, or label. */
static bool is_named(const struct reader *reader, const struct logfile_class *class,
                     const char *name)
{
    size_t length = strlen(class->label), all = strlen(name);
    if (has_label(reader, class, name)) return true;
    if (all <= length + 1 || name[all - length - 1] != '.'
        || strcmp(name + all - length, class->label))
        return false;
    const struct model *model = reader->model;
    const struct model_rule *rule = &model->rules.data[class->rule];
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t p = model->parts.data[rule->first_part + i].process;
        if (p == MODEL_NONE) continue;
        const struct model_process *process = &model->processes.data[p];
        size_t before = all - length - 1;
        if (strlen(process->name) == before && !strncmp(process->name, name, before)) return true;
        if (process->type && strlen(process->type) == before
            && !strncmp(process->type, name, before))
            return true;
    }
    return false;
}

static bool mark_unlogged(struct reader *reader, const char *name, bool *unlogged)
{
    struct diag *diag = &reader->session->diag;
    const char *nearest = NULL;
    unsigned distance = 0;
    bool found = false;
    for (uint32_t c = 0; c < reader->classes.len; c++) {
        const struct logfile_class *class = &reader->classes.data[c];
        if (is_named(reader, class, name)) found = unlogged[c] = true;
        text_nearest(name, class->label, &nearest, &distance);
    }
    for (uint32_t i = 0; i < reader->model->dead_steps.len; i++)
        found |= !strcmp(reader->model->dead_steps.data[i].label, name);
    if (found) return true;
    if (nearest)
        return message_error(diag, "--unlogged: the model has no step '%.60s': did you mean '%s'?",
                             name, nearest);
    return message_error(diag, "--unlogged: the model has no step '%.60s'", name);
}

static bool read_unlogged(struct reader *reader)
{
    struct model *model = reader->model;
    bool *unlogged = mem_alloc(model->mem, reader->classes.len + UINT64_C(1));
    reader->file->log.unlogged = unlogged;
    const char *at = reader->session->ask->unlogged;
    while (at && *at) {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ",");
        while (length && at[length - 1] == ' ') length--;
        if (length && !mark_unlogged(reader, names_intern(&model->names, at, length), unlogged))
            return false;
        at += strcspn(at, ",");
    }
    return true;
}

/* ---- values ---- */

static void add_shown(struct reader *reader, struct shown shown, const char *name)
{
    if (map_add(&reader->names, intern(reader, name), 0, reader->shown.len))
        vec_push(reader->model->mem, &reader->shown, shown);
}

static void find_variables(struct reader *reader)
{
    struct model *model = reader->model;
    for (unsigned raw = 0; raw < 2; raw++)
        for (struct shown at = shown_first(model, raw); at.cells; at = shown_next(model, raw, &at))
            if (!at.extra) add_shown(reader, at, at.name);
    reader->state = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof(int64_t));
}

static bool is_in_range(const struct reader *reader, const struct shown *shown)
{
    for (uint32_t i = 0; i < shown->cells; i++) {
        const struct model_var *var = &reader->model->vars.data[shown->var + i];
        int64_t value = reader->state[shown->var + i];
        if (value < var->low || value > var->high) return false;
    }
    return true;
}

static void doubt(struct reader *reader, struct log_line *line, const char *name)
{
    uint32_t at = reader->doubts.len - 1;
    line->never = true;
    if (!reader->doubts.data[at]) reader->doubts.data[at] = intern(reader, name);
}

static bool read_value(struct reader *reader, struct log_line *line, json_t *object,
                       const char *name)
{
    struct model *model = reader->model;
    uint32_t index = map_get(&reader->names, intern(reader, name), 0);
    if (index == MAP_NONE) {
        const char *nearest = NULL;
        unsigned distance = 0;
        for (uint32_t i = 0; i < reader->shown.len; i++)
            text_nearest(name, reader->shown.data[i].name, &nearest, &distance);
        if (nearest)
            return complain(
                reader, 0, DIAG_UNKNOWN, "the model has no variable %s",
                names_format(&model->names, "'%.60s': did you mean '%s'?", name, nearest));
        return complain(reader, 0, DIAG_UNKNOWN, "the model has no variable '%.60s'", name);
    }
    const struct shown *shown = &reader->shown.data[index];
    if (!value_read(model, shown, object, reader->state) || !is_in_range(reader, shown)) {
        doubt(reader, line, name);
        return true;
    }
    for (uint32_t i = 0; i < shown->cells; i++) {
        int64_t value = reader->state[shown->var + i];
        if (value <= INT32_MIN || value > INT32_MAX)
            return complain(reader, 0, DIAG_LIMIT,
                            "the value of '%.60s' has more than 32 bits: it cannot be compared",
                            name);
        vec_push(model->mem, &reader->values,
                 ((struct log_value){.var = shown->var + i, .value = value}));
        line->values++;
    }
    return true;
}

static bool read_values(struct reader *reader, struct log_line *line, json_t *state)
{
    const char *name;
    json_t *value;
    line->first_value = reader->values.len;
    if (!state || json_is_null(state)) return true;
    if (!json_is_object(state))
        return complain(reader, 0, DIAG_TYPE, "the member '%s' is no object", "state");
    json_object_foreach(state, name, value)
    {
        if (!read_value(reader, line, state, name)) return false;
    }
    return true;
}

/* ---- times ---- */

/* 3, 2.5, "3", "5/2": what was written, as a decimal fraction of at most 15 digits. */
static bool read_time(const json_t *value, struct moment *time)
{
    char digits[40];
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *time = (struct moment){json_integer_value(value), 1};
        return true;
    }
    if (json_is_real(value)) {
        snprintf(digits, sizeof digits, "%.15g", json_real_value(value));
        return replay_time(digits, &time->numerator, &time->denominator);
    }
    return replay_time(json_string_value(value), &time->numerator, &time->denominator);
}

static bool read_moment(struct reader *reader, struct log_line *line, const json_t *time)
{
    struct moment moment = {0, 1};
    if (time && !json_is_null(time)) {
        if (!read_time(time, &moment))
            return complain(reader, 0, DIAG_NUMBER,
                            "the member '%s' is no time: a number from 0 on, or \"5/2\"", "time");
        line->has_time = true;
    }
    vec_push(reader->model->mem, &reader->times, moment);
    return true;
}

/* The least number of parts of a tick in which all times are whole. */
static bool find_parts(struct reader *reader, int64_t *parts)
{
    *parts = 1;
    for (uint32_t i = 0; i <= reader->lines.len; i++) {
        struct moment time = i < reader->lines.len ? reader->times.data[i] : reader->tolerance;
        int64_t ticks;
        if (__builtin_mul_overflow(time.numerator, reader->model->ticks, &ticks)) return false;
        int64_t needed = time.denominator / divisor_greatest(ticks, time.denominator);
        int64_t more = needed / divisor_greatest(needed, *parts);
        if (__builtin_mul_overflow(*parts, more, parts) || *parts > BOUND_LIMIT) return false;
    }
    return true;
}

/* In these parts; false: too many. */
static bool in_parts(const struct reader *reader, struct moment time, int64_t parts,
                     int64_t *result)
{
    __int128 all = (__int128)time.numerator * reader->model->ticks * parts / time.denominator;
    *result = (int64_t)all;
    return all <= BOUND_LIMIT;
}

static bool place_times(struct reader *reader)
{
    struct diag *diag = &reader->session->diag;
    struct logfile *file = reader->file;
    int64_t parts = 1, tolerance = 0;
    bool good =
        find_parts(reader, &parts) && in_parts(reader, reader->tolerance, parts, &tolerance);
    for (uint32_t i = 0; i < reader->lines.len && good; i++) {
        struct log_line *line = &reader->lines.data[i];
        int64_t time;
        if (!line->has_time) continue;
        good = in_parts(reader, reader->times.data[i], parts, &time)
               && time + tolerance <= BOUND_LIMIT;
        line->earliest = time > tolerance ? time - tolerance : 0;
        line->latest = time + tolerance;
        file->has_times = true;
    }
    file->refine = parts;
    if (good) return true;
    return message_error(diag,
                         "%s: times are too large, or too fine, for each other: at most %d parts "
                         "can be counted; round them, and use --tolerance",
                         reader->session->ask->log, BOUND_LIMIT);
}

static bool settle_times(struct reader *reader)
{
    struct diag *diag = &reader->session->diag;
    bool any = false;
    for (uint32_t i = 0; i < reader->lines.len; i++) any |= reader->lines.data[i].has_time;
    reader->file->refine = 1;
    if (!any) return true;
    if (model_is_timed(reader->model)) return place_times(reader);
    for (uint32_t i = 0; i < reader->lines.len; i++) reader->lines.data[i].has_time = false;
    if (!diag->quiet)
        message(diag, DIAG_NOTE, reader->session->ask->log,
                "the model has no time: the times of the log are not compared");
    return true;
}

/* ---- lines ---- */

/* Members of the steps of traces (report/machine.h) that say nothing here. */
static bool is_known_member(const char *name)
{
    static const char *const known[] = {"label",  "process", "state", "time", "file",
                                        "column", "line",    "delay", "date", "changed"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], name)) return true;
    return false;
}

static void look_at_members(struct reader *reader, json_t *object)
{
    const char *name;
    json_t *value;
    struct place place = {reader->source, reader->line, 0};
    json_object_foreach(object, name, value)
    {
        if (!is_known_member(name) && map_add(&reader->keys, intern(reader, name), 0, 0))
            diag_warning(&reader->session->diag, DIAG_UNKNOWN, place,
                         "the member '%.60s' is not looked at: a line has label, process, state "
                         "and time",
                         name);
    }
}

/* A text, or NULL: the member is not there, or null. */
static bool read_text(struct reader *reader, const json_t *object, const char *name,
                      const char **text)
{
    const json_t *value = json_object_get(object, name);
    *text = json_string_value(value);
    if (!value || json_is_null(value) || *text) return true;
    return complain(reader, 0, DIAG_TYPE, "the member '%s' is no text", name);
}

static bool read_object(struct reader *reader, json_t *object, const char *text, size_t length)
{
    struct model *model = reader->model;
    struct log_line line = {.gap = reader->session->ask->gaps};
    const char *label, *process;
    if (!json_is_object(object))
        return complain(reader, 1, DIAG_SYNTAX, "a line of a log is a JSON object%s", "");
    look_at_members(reader, object);
    vec_push(model->mem, &reader->numbers, reader->line);
    vec_push(model->mem, &reader->texts, names_intern(&model->names, text, length));
    vec_push(model->mem, &reader->doubts, NULL);
    if (!read_text(reader, object, "label", &label)
        || !read_text(reader, object, "process", &process)
        || !read_values(reader, &line, json_object_get(object, "state"))
        || !read_moment(reader, &line, json_object_get(object, "time")))
        return false;
    bool looks = json_is_null(json_object_get(object, "label"));
    line.row = looks ? LOG_LOOKS : find_row(reader, label, process);
    vec_push(model->mem, &reader->lines, line);
    return true;
}

static bool read_line(struct reader *reader, const char *text, size_t length)
{
    struct mem *mem = reader->session->mem;
    json_error_t error;
    json_t *volatile object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!object && !error.text[0]) mem_refuse(mem);
    if (!object)
        return complain(reader, error.column > 0 ? (uint32_t)error.column : 1, DIAG_SYNTAX,
                        "not a JSON object: %s", error.text);
    jmp_buf *outer = mem->recover, recover;
    if (setjmp(recover)) { /* the JSON tree is not in our memory */
        json_decref(object);
        mem->recover = outer;
        mem_refuse(mem);
    }
    mem->recover = &recover;
    bool good = read_object(reader, object, text, length);
    mem->recover = outer;
    json_decref(object);
    return good;
}

static bool read_lines(struct reader *reader)
{
    struct diag *diag = &reader->session->diag;
    bool good = true;
    const char *text = diag->sources.data[reader->source].text,
               *end = text + diag->sources.data[reader->source].length;
    while (text < end && diag->errors < DIAG_MAX_ERRORS) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        const char *first = text;
        size_t length = (size_t)(stop - text);
        reader->line++;
        while (length && strchr(" \t\r", first[length - 1])) length--;
        while (length && strchr(" \t", *first)) first++, length--;
        if (length && !read_line(reader, first, length)) good = false;
        text = stop + 1;
    }
    return good;
}

static bool read_tolerance(struct reader *reader)
{
    const char *text = reader->session->ask->tolerance;
    reader->tolerance = (struct moment){0, 1};
    if (!text || replay_time(text, &reader->tolerance.numerator, &reader->tolerance.denominator))
        return true;
    return message_error(&reader->session->diag,
                         "--tolerance: '%.60s' is no time: a number from 0 on, or 5/2", text);
}

bool logfile_read(struct session *session, struct logfile *file)
{
    struct reader reader = {.session = session, .model = session->model, .file = file};
    struct mem *mem = session->model->mem;
    *file = (struct logfile){0};
    map_init(&reader.rows, mem);
    map_init(&reader.keys, mem);
    map_init(&reader.names, mem);
    session->status = EXIT_USAGE;
    if (!read_tolerance(&reader)) return false;
    find_classes(&reader);
    find_variables(&reader);
    if (!read_unlogged(&reader)) return false;
    bool good = diag_read_source(&session->diag, session->ask->log, &reader.source)
                && read_lines(&reader) && settle_times(&reader);
    diag_finish(&session->diag);
    if (!good) return false;
    file->log.lines = reader.lines.data;
    file->log.count = reader.lines.len;
    file->log.values = reader.values.data;
    file->log.rows = reader.rows.count;
    file->log.classes = reader.classes.len;
    file->log.class_of = reader.class_of.data;
    file->log.admits = reader.admits.data;
    file->numbers = reader.numbers.data;
    file->texts = reader.texts.data;
    file->doubts = reader.doubts.data;
    file->classes = reader.classes.data;
    if (log_fits(&file->log)) return true;
    return message_error(&session->diag, "%s: the log is too long for the steps of this model",
                         session->ask->log);
}
