#include "report/page.h"

#include "report/drawings.h"
#include "report/explain.h"
#include "report/machine.h"
#include "result/value.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The page before and behind its data, as the build made it of src/page. */
extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_length, page_tail_length;

/* ---- samples ---- */

void page_note(struct page_samples *samples, struct mem *mem,
               const struct search_progress *progress)
{
    enum { MOST = 1024 };
    struct search_progress sample = *progress;
    sample.phase = NULL; /* its words need not live on */
    if (samples->skipped++ < samples->stride) return;
    samples->skipped = 0;
    if (samples->list.len == MOST) {
        for (uint32_t i = 0; i < MOST / 2; i++) samples->list.data[i] = samples->list.data[2 * i];
        samples->list.len = MOST / 2;
        samples->stride = 2 * samples->stride + 1;
    }
    vec_push(mem, &samples->list, sample);
}

static void put_samples(struct out *json, const struct page_samples *samples)
{
    out_key(json, "samples");
    out_open(json, '[');
    for (uint32_t i = 0; samples && i < samples->list.len; i++) {
        const struct search_progress *sample = &samples->list.data[i];
        const uint64_t numbers[] = {sample->states, sample->expanded, sample->depth, sample->bytes,
                                    sample->nodes,  sample->rank,     sample->ranks};
        out_open_inline(json, '[');
        out_real(json, sample->seconds);
        for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++) out_uint(json, numbers[k]);
        out_close(json, ']');
    }
    out_close(json, ']');
    out_key(json, "memory_limit");
    out_uint(json, samples ? samples->limit : 0);
}

/* ---- runs ---- */

static void put_times(struct out *json, const struct trace_walk *walk)
{
    const struct model *model = walk->model;
    const struct timed_state *time = walk->time;
    out_open_inline(json, '[');
    for (uint32_t c = 0; c < model->clocks.len; c++)
        machine_time(json, NULL, model, walk->trace, time->clocks[c]);
    out_close(json, ']');
    out_open_inline(json, '['); /* timers: rule, time, rule, time */
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (model->rules.data[r].interval == MODEL_NONE || !(time->enabled[r] || time->fails[r]))
            continue;
        out_uint(json, r);
        machine_time(json, NULL, model, walk->trace, time->timers[r]);
    }
    out_close(json, ']');
}

/* A step: [rule, {variable: value}], in time also its delay, its date, clocks and timers. */
static void put_step(struct out *json, const struct page *page, const struct trace_walk *walk,
                     int64_t date)
{
    const struct model *model = walk->model;
    const struct trace *trace = walk->trace;
    uint32_t number = 0;
    char key[16];
    out_open_inline(json, '[');
    out_uint(json, trace->rules[walk->at - 1]);
    out_open_inline(json, '{');
    for (struct shown at = shown_first(model, page->raw); at.cells;
         at = shown_next(model, page->raw, &at), number++) {
        if (!shown_differs(&at, walk->previous, walk->state)) continue;
        snprintf(key, sizeof key, "%u", number);
        out_key(json, key);
        value_json(json, model, page->raw, &at, walk->state);
    }
    out_close(json, '}');
    if (trace->delays) {
        machine_time(json, NULL, model, trace, trace->delays[walk->at - 1]);
        machine_time(json, NULL, model, trace, date);
        if (walk->time && !walk->lost_time) put_times(json, walk);
    }
    out_close(json, ']');
}

static void put_first(struct out *json, const struct page *page, const struct trace_walk *walk)
{
    if (page->with_cells) {
        out_key(json, "cells");
        out_open_inline(json, '[');
        for (uint32_t v = 0; v < walk->model->vars.len; v++) out_int(json, walk->state[v]);
        out_close(json, ']');
    }
    out_key(json, "initial");
    out_open_inline(json, '[');
    for (struct shown at = shown_first(walk->model, page->raw); at.cells;
         at = shown_next(walk->model, page->raw, &at))
        value_json(json, walk->model, page->raw, &at, walk->state);
    out_close(json, ']');
    if (walk->trace->delays && walk->time && !walk->lost_time) {
        out_key(json, "times");
        out_open_inline(json, '[');
        put_times(json, walk);
        out_close(json, ']');
    }
}

/* Which properties of single states are true in this one, and which are not. */
static void tell_properties(struct text *text, const struct page *page, const int64_t *state)
{
    const struct model *model = page->session->model;
    for (unsigned value = 0; value < 2; value++) {
        bool any = false;
        for (uint32_t i = 0; page->task && i < page->task->property_count; i++) {
            const struct property_result *entry = &page->task->properties[i];
            int64_t is_true;
            if (!entry->in_each_state || entry->kind == PROPERTY_DEADLOCK
                || entry->kind == PROPERTY_RUNTIME_ERROR
                || !eval_expr(model, entry->invariant, state, &is_true))
                continue;
            if ((entry->seeks ? !is_true : is_true != 0) != value) continue;
            text_add(text,
                     any     ? ", %s"
                     : value ? "true here: %s"
                             : "false here: %s",
                     entry->property->name);
            any = true;
        }
        if (any) text_add(text, "\n");
    }
}

/* For each state of a short run: which properties it has, what each process can do, what blocks
 * it. */
static void put_states(struct out *json, const struct page *page, const struct trace *trace)
{
    enum { MOST_STATES = 60, MOST_RULES = 2000 };
    const struct model *model = page->session->model;
    struct timed_state time;
    struct trace_walk walk;
    struct text text;
    if (trace->steps >= MOST_STATES || model->rules.len > MOST_RULES || page->with_cells) return;
    trace_walk_prepare(&walk, model);
    trace_walk_time(&walk, &time);
    text_init(&text, model->mem);
    out_key(json, "here");
    out_open(json, '[');
    bool good = trace_walk_again(&walk, trace);
    while (good) {
        text.len = 0;
        text_add(&text, "%s", "");
        tell_properties(&text, page, walk.state);
        if (!walk.time || !walk.lost_time)
            explain_state(model, &page->session->diag, &text, walk.state, walk.time);
        out_string(json, text.data);
        good = walk.at < trace->steps && trace_walk_step(&walk);
    }
    out_close(json, ']');
    text_free(&text);
    trace_walk_end(&walk);
}

static void put_run(void *context, struct out *json, struct trace_walk *walk,
                    const struct trace *trace)
{
    const struct page *page = context;
    int64_t date = 0;
    const bool repeats = trace->loop != MODEL_NONE;
    out_open(json, '{');
    trace_walk_again(walk, trace);
    put_first(json, page, walk);
    out_key(json, "steps");
    out_open_inline(json, '[');
    while (walk->at < trace->steps && trace_walk_step(walk)) {
        if (trace->delays) date += trace->delays[walk->at - 1];
        if (walk->at > page->known_steps) put_step(json, page, walk, date);
    }
    out_close(json, ']');
    if (trace->delays) machine_time(json, "wait", walk->model, trace, trace->delays[trace->steps]);
    out_key(json, "loop");
    if (repeats) out_uint(json, trace->loop);
    else out_null(json);
    put_states(json, page, trace);
    out_key(json, "closing"); /* the rule that leads back; null: the last state repeats */
    if (repeats && trace->rules[trace->steps] != MODEL_NONE)
        out_uint(json, trace->rules[trace->steps]);
    else out_null(json);
    out_close(json, '}');
}

/* ---- what there is ---- */

static void put_place(struct out *json, struct place place)
{
    if (place.line) out_uint(json, place.source);
    else out_null(json);
    out_uint(json, place.line);
    out_uint(json, place.column);
}

static void put_processes(struct out *json, const struct model *model)
{
    static const char *const roles[] = {"system", "context", "observer"};
    out_key(json, "processes");
    out_open(json, '[');
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        out_open_inline(json, '{');
        out_key(json, "name");
        out_string(json, process->name);
        out_key(json, "role");
        out_string(json, roles[process->role]);
        out_key(json, "location");
        out_string(json, process->location == MODEL_NONE
                             ? NULL
                             : model->vars.data[process->location].name);
        out_close(json, '}');
    }
    out_close(json, ']');
}

/* What a value is made of: "n", or ["array", inner], ["queue", inner], ["record", {name: inner}],
 * ["union", {name: inner or null}]. */
static void put_shape(struct out *json, const struct shape *shape)
{
    static const char *const words[] = {[SHAPE_ARRAY] = "array",
                                        [SHAPE_QUEUE] = "queue",
                                        [SHAPE_UNION] = "union",
                                        [SHAPE_RECORD] = "record"};
    if (!shape || shape->kind == SHAPE_INT || shape->kind == SHAPE_BOOL)
        return out_string(json, "n");
    out_open_inline(json, '[');
    out_string(json, words[shape->kind]);
    if (shape->of) put_shape(json, shape->of);
    else {
        out_open_inline(json, '{');
        for (uint32_t m = 0; m < shape->member_count; m++) {
            out_key(json, shape->members[m].name);
            if (shape->members[m].shape) put_shape(json, shape->members[m].shape);
            else out_null(json);
        }
        out_close(json, '}');
    }
    out_close(json, ']');
}

static void put_variables(struct out *json, const struct model *model, bool raw)
{
    out_key(json, "variables");
    out_open(json, '[');
    for (struct shown at = shown_first(model, raw); at.cells; at = shown_next(model, raw, &at)) {
        const struct model_var none = {.process = MODEL_NONE},
                               *var = at.extra ? &none : &model->vars.data[at.var];
        out_open_inline(json, '[');
        out_string(json, at.name);
        if (var->process == MODEL_NONE) out_null(json);
        else out_uint(json, var->process);
        if (var->course && !raw) out_string(json, "course");
        else if (!at.extra && model_is_location(model, at.var)) out_string(json, "location");
        else put_shape(json, at.shape);
        out_close(json, ']');
    }
    out_close(json, ']');
    out_key(json, "clocks");
    out_open_inline(json, '[');
    for (uint32_t c = 0; c < model->clocks.len; c++) out_string(json, model->clocks.data[c].name);
    out_close(json, ']');
}

/* [label, count, [process, role, source, line, column] for each part]; count is null when it is not
 * known. */
static void put_rules(struct out *json, const struct model *model, const struct result *result)
{
    const bool counted = result && result_has_coverage(result);
    out_key(json, "rules");
    out_open(json, '[');
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        out_open_inline(json, '[');
        out_string(json, rule->label);
        if (counted) out_uint(json, result->taken[r]);
        else out_null(json);
        for (uint32_t i = 0; i < rule->parts; i++) {
            const struct rule_part *part = &model->parts.data[rule->first_part + i];
            out_open_inline(json, '[');
            if (part->process == MODEL_NONE) out_null(json);
            else out_uint(json, part->process);
            out_string(json, part_role_name[part->role]);
            put_place(json, part->place);
            out_close(json, ']');
        }
        out_close(json, ']');
    }
    out_close(json, ']');
    out_key(json, "rules_known"); /* a rule that was not taken never is */
    out_bool(json, counted && result->all_states && result_knows_rules(result));
}

/* [process, name, reached, source, line, column] */
static void put_locations(struct out *json, const struct model *model, const struct result *result)
{
    const bool known = result && result_has_coverage(result);
    out_key(json, "locations");
    out_open(json, '[');
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            out_open_inline(json, '[');
            out_uint(json, p);
            if (location->name) out_string(json, location->name);
            else out_int(json, location->value);
            if (known) out_bool(json, result_location_reached(result, p, l));
            else out_null(json);
            put_place(json, location->place);
            out_close(json, ']');
        }
    }
    out_close(json, ']');
}

void page_model(struct out *json, const struct page *page)
{
    const struct model *model = page->session->model;
    put_processes(json, model);
    put_variables(json, model, page->raw);
    put_rules(json, model, page->result);
    put_locations(json, model, page->result);
    drawings_automata(json, page->session);
}

void page_run(struct out *json, const struct page *page, const struct trace *trace)
{
    struct trace_walk walk;
    struct timed_state time;
    const struct model *model = page->session->model;
    trace_walk_prepare(&walk, model);
    trace_walk_time(&walk, &time);
    put_run((void *)page, json, &walk, trace);
    trace_walk_end(&walk);
}

static void put_more(void *context, struct out *json)
{
    const struct page *page = context;
    page_model(json, page);
    drawings_graph(json, page->session, page->result, page->raw);
    put_samples(json, page->samples);
}

void page_result(FILE *out, const struct page *page)
{
    const struct machine_guest guest = {(void *)page, put_run, put_more};
    machine_result(out, page->command, page->session->model, &page->session->diag, page->task,
                   page->result,
                   &(struct machine_form){.trace_file = page->trace_file,
                                          .raw = page->raw,
                                          .guest = &guest,
                                          .advice = page->session->advice.data,
                                          .advice_count = page->session->advice.len});
}

void page_sources(FILE *out, const struct diag *diag)
{
    struct out json;
    out_init(&json, out);
    out_open(&json, '[');
    for (uint32_t i = 0; i < diag->sources.len; i++) {
        const struct source *source = &diag->sources.data[i];
        out_open(&json, '{');
        out_key(&json, "name");
        out_string(&json, source->name);
        out_key(&json, "text");
        out_string(&json, source->text); /* up to a NUL, if it has one: no line is behind it */
        out_close(&json, '}');
    }
    out_close(&json, ']');
}

/* ---- the file ---- */

/* A stream that writes to another one, so that JSON is harmless inside of a script element: `<`
 * and the line separators of Unicode are written as escapes. They only occur in strings. */
struct escape {
    FILE *out;
    unsigned seen; /* bytes of a separator: E2, E2 80 */
};

static void put_escaped(struct escape *escape, unsigned char c)
{
    static const char before[] = {'\xE2', '\x80'};
    if (escape->seen == 2 && (c == 0xA8 || c == 0xA9)) {
        fprintf(escape->out, "\\u202%c", c == 0xA8 ? '8' : '9');
        escape->seen = 0;
        return;
    }
    if (escape->seen == 1 && c == 0x80) {
        escape->seen = 2;
        return;
    }
    fwrite(before, 1, escape->seen, escape->out);
    escape->seen = c == 0xE2;
    if (c == '<') fputs("\\u003c", escape->out);
    else if (c != 0xE2) putc(c, escape->out);
}

static ssize_t write_escaped(void *cookie, const char *bytes, size_t count)
{
    struct escape *escape = cookie;
    for (size_t i = 0; i < count; i++) put_escaped(escape, (unsigned char)bytes[i]);
    return ferror(escape->out) ? 0 : (ssize_t)count;
}

static void put_texts(FILE *out, const void *context, void (*put)(FILE *out, const void *context))
{
    struct escape escape = {.out = out};
    fwrite(page_head, 1, page_head_length, out);
    FILE *data = fopencookie(&escape, "w", (cookie_io_functions_t){.write = write_escaped});
    if (data) put(data, context);
    if (!data || fclose(data)) fputs("null", out);
    fwrite(page_tail, 1, page_tail_length, out);
}

void page_data(FILE *out, const struct page *page)
{
    fputs("{\"whole\": null, \"sources\": [", out);
    page_sources(out, &page->session->diag);
    fputs("], \"results\": [{\"context\": null, \"arguments\": null, \"sources\": 0, "
          "\"result\": ",
          out);
    page_result(out, page);
    fputs("}]}", out);
}

static void put_one(FILE *out, const void *context) { page_data(out, context); }

void page_one(FILE *out, const struct page *page) { put_texts(out, page, put_one); }

/* ---- several ---- */

void page_part(FILE *file, const struct page *page, bool with_texts)
{
    char *texts[2] = {NULL, NULL};
    size_t sizes[2];
    for (unsigned i = 0; with_texts && i < 2; i++) {
        FILE *memory = open_memstream(&texts[i], &sizes[i]);
        if (memory && !i) page_result(memory, page);
        if (memory && i) page_sources(memory, &page->session->diag);
        if (memory) fclose(memory);
    }
    const struct machine_text added[] = {{PAGE_KEY, texts[0]}, {PAGE_SOURCES_KEY, texts[1]}};
    machine_result(file, page->command, page->session->model, &page->session->diag, page->task,
                   page->result,
                   &(struct machine_form){.trace_file = page->trace_file,
                                          .raw = page->raw,
                                          .added = added,
                                          .added_count = texts[0] && texts[1] ? 2 : 0,
                                          .advice = page->session->advice.data,
                                          .advice_count = page->session->advice.len});
    free(texts[0]);
    free(texts[1]);
}

struct page_texts {
    struct mem *mem;
    json_t *results; /* per row: its text, or null */
    json_t *lists;   /* different texts of sources */
    uint32_t *list_of;
};

struct page_texts *page_take(struct mem *mem, struct json_t *all)
{
    json_t *rows = json_object_get(all, "contexts"), *row, *known;
    struct page_texts *texts = mem_alloc(mem, sizeof *texts);
    size_t i, k;
    *texts = (struct page_texts){mem, json_array(), json_array(),
                                 mem_alloc(mem, (json_array_size(rows) + 1) * sizeof(uint32_t))};
    json_array_foreach(rows, i, row)
    {
        json_t *text = json_object_get(row, PAGE_KEY),
               *sources = json_object_get(row, PAGE_SOURCES_KEY);
        texts->list_of[i] = (uint32_t)json_array_size(texts->lists);
        json_array_foreach(texts->lists, k, known) if (sources && json_equal(known, sources))
            texts->list_of[i] = (uint32_t)k;
        if (sources && texts->list_of[i] == json_array_size(texts->lists))
            json_array_append(texts->lists, sources);
        if (text) json_array_append(texts->results, text);
        else json_array_append_new(texts->results, json_null());
        json_object_del(row, PAGE_KEY);
        json_object_del(row, PAGE_SOURCES_KEY);
    }
    return texts;
}

void page_texts_free(struct page_texts *texts)
{
    json_decref(texts->results);
    json_decref(texts->lists);
    mem_free(texts->mem, texts->list_of);
    mem_free(texts->mem, texts);
}

struct several {
    const json_t *all;
    const struct page_texts *texts;
};

static void put_json(FILE *out, const json_t *value)
{
    if (value) json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    else fputs("null", out);
}

/* What is told of all contexts together, without what is told of each. */
static void put_whole(FILE *out, const json_t *all)
{
    json_t *whole = json_copy((json_t *)all), *properties = json_array(), *property;
    size_t i;
    json_object_del(whole, "contexts");
    json_array_foreach(json_object_get(all, "properties"), i, property)
    {
        json_t *brief = json_copy(property);
        json_object_del(brief, "trace");
        json_object_del(brief, "branches");
        json_array_append_new(properties, brief);
    }
    json_object_set_new(whole, "properties", properties);
    put_json(out, whole);
    json_decref(whole);
}

void page_several_data(FILE *out, const json_t *all, const struct page_texts *texts)
{
    const json_t *rows = json_object_get(all, "contexts");
    size_t i;
    json_t *row, *text;
    assert(json_array_size(rows) == json_array_size(texts->results));
    fputs("{\"whole\": ", out);
    put_whole(out, all);
    fputs(", \"sources\": [", out);
    json_array_foreach(texts->lists, i, text)
        fprintf(out, "%s%s", i ? ", " : "", json_string_value(text));
    fputs("], \"results\": [", out);
    json_array_foreach((json_t *)rows, i, row)
    {
        fprintf(out, "%s{\"context\": ", i ? ", " : "");
        put_json(out, json_object_get(row, "context"));
        fputs(", \"arguments\": ", out);
        put_json(out, json_object_get(row, "arguments"));
        fprintf(out, ", \"sources\": %u, \"result\": ", texts->list_of[i]);
        text = json_array_get(texts->results, i);
        if (json_is_string(text)) fputs(json_string_value(text), out);
        else put_json(out, row);
        fputs("}\n", out);
    }
    fputs("]}", out);
}

static void put_several(FILE *out, const void *context)
{
    const struct several *several = context;
    page_several_data(out, several->all, several->texts);
}

void page_several(FILE *out, const struct json_t *all, const struct page_texts *texts)
{
    put_texts(out, &(struct several){all, texts}, put_several);
}
