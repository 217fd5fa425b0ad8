#include "report/machine.h"

#include "report/explain.h"
#include "report/text.h"
#include "result/value.h"
#include "result/conclude.h"
#include "result/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void machine_begin(struct out *json, FILE *out, const char *command, const char *model)
{
    out_init(json, out);
    out_open(json, '{');
    out_key(json, "cairn");
    out_string(json, CAIRN_VERSION);
    out_key(json, "format");
    out_uint(json, 2);
    out_key(json, "command");
    out_string(json, command);
    out_key(json, "model");
    out_string(json, model);
}

/* How a model's states are told. */
struct teller {
    const struct model *model;
    const struct diag *diag; /* NULL: without places */
    bool raw;
    const struct machine_guest *guest; /* or NULL */
};

static void put_state(struct out *json, const struct teller *teller, const int64_t *state)
{
    for (struct shown at = shown_first(teller->model, teller->raw); at.cells;
         at = shown_next(teller->model, teller->raw, &at)) {
        out_key(json, at.name);
        value_json(json, teller->model, teller->raw, &at, state);
    }
}

/* The names of what is different in the two states; none in the first state of a run. */
static void put_changed(struct out *json, const struct teller *teller, const int64_t *before,
                        const int64_t *state)
{
    out_key(json, "changed");
    out_open_inline(json, '[');
    for (struct shown at = shown_first(teller->model, teller->raw); before && at.cells;
         at = shown_next(teller->model, teller->raw, &at))
        if (shown_differs(&at, before, state)) out_string(json, at.name);
    out_close(json, ']');
}

/* Nothing below allocates once the first character is out: a result is told whole, also when memory
 * has run out. */
enum { NAMES_LENGTH = 1000 };

static const char *participants(const struct model *model, uint32_t rule, char buffer[NAMES_LENGTH])
{
    size_t used = 0;
    buffer[0] = 0;
    for (uint32_t i = 0; rule != MODEL_NONE && i < model->rules.data[rule].parts; i++) {
        uint32_t process = model->parts.data[model->rules.data[rule].first_part + i].process;
        if (process == MODEL_NONE) continue;
        int length = snprintf(buffer + used, NAMES_LENGTH - used, "%s%s", used ? ", " : "",
                              model->processes.data[process].name);
        if (used + (size_t)length >= NAMES_LENGTH - 8) {
            strcpy(buffer + NAMES_LENGTH - 8, ", ...");
            break;
        }
        used += (size_t)length;
    }
    return buffer[0] ? buffer : NULL;
}

void machine_time(struct out *json, const char *key, const struct model *model,
                  const struct trace *trace, int64_t parts)
{
    char time[TRACE_TIME_ROOM];
    char *end;
    if (key) out_key(json, key);
    trace_time(time, model, trace, parts);
    long long whole = strtoll(time, &end, 10);
    if (*end) out_string(json, time);
    else out_int(json, whole);
}

/* The time in the last state, where it says something. */
static bool has_wait(const struct trace *trace)
{
    return trace->delays && (trace->delays[trace->steps] || trace->loop != MODEL_NONE);
}

static void put_place(struct out *json, const struct diag *diag, struct place place)
{
    out_key(json, "file");
    out_string(json, diag_source_name(diag, place));
    out_key(json, "line");
    out_uint(json, place.line);
}

/* Who takes part in the rule, and as what. */
static void put_parts(struct out *json, const struct model *model, uint32_t rule)
{
    out_key(json, "participants");
    out_open_inline(json, '[');
    for (uint32_t i = 0; rule != MODEL_NONE && i < model->rules.data[rule].parts; i++) {
        const struct rule_part *part = &model->parts.data[model->rules.data[rule].first_part + i];
        if (part->process == MODEL_NONE) continue;
        out_open_inline(json, '{');
        out_key(json, "process");
        out_string(json, model->processes.data[part->process].name);
        out_key(json, "role");
        out_string(json, part_role_name[part->role]);
        out_close(json, '}');
    }
    out_close(json, ']');
}

/* The clocks at the moment at which the state is entered. */
static void put_clocks(struct out *json, const struct trace_walk *walk)
{
    const struct model *model = walk->model;
    if (!walk->time || walk->lost_time || !model->clocks.len) return;
    out_key(json, "clocks");
    out_open_inline(json, '{');
    for (uint32_t c = 0; c < model->clocks.len; c++)
        machine_time(json, model->clocks.data[c].name, model, walk->trace, walk->time->clocks[c]);
    out_close(json, '}');
}

/* Where the step stands in the source; null for an initial state and for what no source has. */
static void put_origin(struct out *json, const struct teller *teller, uint32_t rule)
{
    struct place place = {0};
    if (rule != MODEL_NONE && teller->model->rules.data[rule].parts)
        place = teller->model->parts.data[teller->model->rules.data[rule].first_part].place;
    out_key(json, "file");
    out_string(json, place.line ? diag_source_name(teller->diag, place) : NULL);
    out_key(json, "line");
    if (place.line) out_uint(json, place.line);
    else out_null(json);
    out_key(json, "column");
    if (place.line && place.column) out_uint(json, place.column);
    else out_null(json);
}

static void put_step(struct out *json, const struct teller *teller, const struct trace_walk *walk,
                     int64_t date)
{
    char names[NAMES_LENGTH];
    const struct model *model = teller->model;
    const struct trace *trace = walk->trace;
    uint32_t number = walk->at, rule = number ? trace->rules[number - 1] : MODEL_NONE;
    out_open_inline(json, '{');
    out_key(json, "label");
    out_string(json, rule == MODEL_NONE ? NULL : model->rules.data[rule].label);
    out_key(json, "process");
    out_string(json, participants(model, rule, names));
    put_parts(json, model, rule);
    put_origin(json, teller, rule);
    if (number && trace->delays) {
        machine_time(json, "delay", model, trace, trace->delays[number - 1]);
        machine_time(json, "date", model, trace, date);
    }
    out_key(json, "state");
    out_open_inline(json, '{');
    put_state(json, teller, walk->state);
    out_close(json, '}');
    put_changed(json, teller, number ? walk->previous : NULL, walk->state);
    put_clocks(json, walk);
    out_close(json, '}');
}

static void put_trace(struct out *json, const struct teller *teller, struct trace_walk *walk,
                      const struct trace *trace, const char *file)
{
    int64_t date = 0;
    assert(trace->loop == MODEL_NONE || trace->loop <= trace->steps);
    if (teller->guest) return teller->guest->run(teller->guest->context, json, walk, trace);
    out_open(json, '{');
    out_key(json, "steps");
    out_open(json, '[');
    trace_walk_again(walk, trace);
    put_step(json, teller, walk, 0);
    while (walk->at < trace->steps && trace_walk_step(walk)) {
        if (trace->delays) date += trace->delays[walk->at - 1];
        put_step(json, teller, walk, date);
    }
    out_close(json, ']');
    if (has_wait(trace))
        machine_time(json, "wait", walk->model, trace, trace->delays[trace->steps]);
    out_key(json, "loop");
    if (trace->loop == MODEL_NONE) out_null(json);
    else out_uint(json, trace->loop);
    out_key(json, "file");
    out_string(json, file);
    out_close(json, '}');
}

void machine_trace(struct out *json, const struct model *model, const struct diag *diag,
                   const struct trace *trace, const char *file, bool raw)
{
    struct trace_walk walk;
    struct timed_state time;
    const struct teller teller = {.model = model, .diag = diag, .raw = raw};
    trace_walk_prepare(&walk, model);
    trace_walk_time(&walk, &time);
    put_trace(json, &teller, &walk, trace, file);
    trace_walk_end(&walk);
}

static void put_branches(struct out *json, const struct teller *teller, struct trace_walk *walk,
                         const struct property_result *entry)
{
    out_key(json, "branches");
    out_open(json, '[');
    for (uint32_t i = 0; i < entry->branch_count; i++) {
        const struct trace_branch *branch = &entry->branches[i];
        assert(branch->parent <= i); /* invariant 10 of result.h */
        out_open(json, '{');
        out_key(json, "parent");
        out_uint(json, branch->parent);
        out_key(json, "from");
        out_uint(json, branch->from);
        out_key(json, "part");
        out_string(json, branch->part);
        out_key(json, "value");
        out_bool(json, branch->value);
        out_key(json, "open");
        out_string(json, branch->open);
        out_key(json, "trace");
        put_trace(json, teller, walk, branch->trace, NULL);
        out_close(json, '}');
    }
    out_close(json, ']');
}

/* All runs that show it (--traces), the first one too. */
static void put_traces(struct out *json, const struct teller *teller, struct trace_walk *walk,
                       const struct property_result *entry)
{
    out_key(json, "traces");
    out_open(json, '[');
    put_trace(json, teller, walk, entry->trace, NULL);
    for (uint32_t i = 0; i < entry->further_count; i++)
        put_trace(json, teller, walk, entry->further[i].trace, NULL);
    out_close(json, ']');
}

/* What is told of a property before its evidence. */
static void put_verdict(struct out *json, const struct property_result *entry, const char *engine)
{
    out_key(json, "name");
    out_string(json, entry->property->name);
    out_key(json, "kind");
    out_string(json, property_kind_name[entry->kind]);
    out_key(json, "text");
    out_string(json, entry->property->text);
    out_key(json, "verdict");
    out_string(json, verdict_name[result_answer(entry)]);
    if (entry->watched_only) {
        out_key(json, "asked"); /* it was looked at on the way, and no reason to go on */
        out_bool(json, false);
    }
    out_key(json, "engine");
    out_string(json, entry->engine ? entry->engine : engine);
    if (entry->method) {
        out_key(json, "method");
        out_string(json, entry->method);
    }
    if (entry->has_bound) {
        out_key(json, "bound");
        out_uint(json, entry->bound);
        out_key(json, "cycles");
        out_uint(json, entry->cycles);
    }
    if (result_is_vacuous(entry)) {
        out_key(json, "vacuous");
        out_bool(json, true);
    }
    if (entry->reason) {
        out_key(json, "reason");
        out_string(json, entry->reason);
    }
}

/* The answer to sup, inf and bounds: numbers of integers, texts such as "<= 5" of clocks. */
static void put_end(struct out *json, const struct model *model, const struct extent *extent,
                    bool is_sup)
{
    const struct extent_end *end = is_sup ? &extent->sup : &extent->inf;
    char buffer[EXTENT_ROOM];
    if (!end->is_asked) return;
    out_key(json, is_sup ? "sup" : "inf");
    if (!end->is_known) out_null(json);
    else if (!extent->is_clock) out_int(json, end->number);
    else out_string(json, extent_text(buffer, model, extent, is_sup));
}

static void put_values(struct out *json, const struct model *model,
                       const struct property_result *entry)
{
    if (!entry->value_count) return;
    out_key(json, "value");
    out_open(json, '{');
    for (uint32_t i = 0; i < entry->value_count; i++) {
        out_key(json, entry->values[i].term);
        out_open_inline(json, '{');
        put_end(json, model, &entry->values[i], true);
        put_end(json, model, &entry->values[i], false);
        out_close(json, '}');
    }
    out_close(json, '}');
}

/* Queries of the source that were left out, because the user said so. */
static void put_skipped(struct out *json, const struct model *model, const struct diag *diag)
{
    if (!model->skipped.len) return;
    out_key(json, "skipped");
    out_open(json, '[');
    for (uint32_t i = 0; i < model->skipped.len; i++) {
        const struct model_skipped *skipped = &model->skipped.data[i];
        out_open_inline(json, '{');
        out_key(json, "text");
        out_string(json, skipped->text);
        out_key(json, "reason");
        out_string(json, skipped->why);
        if (skipped->place.line) {
            out_key(json, "file");
            out_string(json, diag->sources.data[skipped->place.source].name);
            out_key(json, "line");
            out_uint(json, skipped->place.line);
            out_key(json, "column");
            out_uint(json, skipped->place.column);
        }
        out_close(json, '}');
    }
    out_close(json, ']');
}

/* The explanations of all violations, put into words before the first character is out. The list is
 * the caller's. */
static struct text *make_reasons(const struct teller *teller, const struct task *task,
                                 const struct model *searched)
{
    struct text *reasons =
        mem_alloc(teller->model->mem, (task->property_count + UINT64_C(1)) * sizeof *reasons);
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        text_init(&reasons[i], teller->model->mem);
        explain_violation(entry->last && searched ? searched : teller->model, teller->diag,
                          &reasons[i], entry);
        if (reasons[i].len && reasons[i].data[reasons[i].len - 1] == '\n')
            reasons[i].data[--reasons[i].len] = 0;
    }
    return reasons;
}

static void free_reasons(struct text *reasons, const struct task *task, struct mem *mem)
{
    for (uint32_t i = 0; i < task->property_count; i++) text_free(&reasons[i]);
    mem_free(mem, reasons);
}

/* searched: the model of states without a run; NULL: the same. file: of the first trace. */
static void put_properties(struct out *json, const struct teller *teller, struct trace_walk *walk,
                           const struct task *task, const struct text *reasons,
                           const struct model *searched, const char *engine, const char *file)
{
    struct teller last = *teller;
    if (searched) last.model = searched;
    out_open(json, '[');
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        assert(!entry->last || !entry->trace); /* invariant 9 of result.h */
        out_open(json, '{');
        put_verdict(json, entry, engine);
        put_values(json, teller->model, entry);
        if (reasons[i].len) {
            out_key(json, "why");
            out_string(json, reasons[i].data);
        }
        out_key(json, "trace");
        if (entry->trace) {
            put_trace(json, teller, walk, entry->trace, file);
            file = NULL; /* only the first trace is saved */
        } else {
            out_null(json);
        }
        if (entry->last) {
            out_key(json, "state"); /* where it is violated: there is no trace */
            out_open_inline(json, '{');
            put_state(json, &last, entry->last);
            out_close(json, '}');
        }
        if (task->traces > 1 && entry->trace) put_traces(json, teller, walk, entry);
        if (entry->branch_count) put_branches(json, teller, walk, entry);
        out_close(json, '}');
    }
    out_close(json, ']');
}

static void put_location(struct out *json, const struct model_process *process,
                         const struct model_location *location, const struct diag *diag)
{
    out_key(json, "process");
    out_string(json, process->name);
    out_key(json, "location");
    if (location->name) out_string(json, location->name);
    else out_int(json, location->value);
    put_place(json, diag, location->place);
}

static void put_rule_coverage(struct out *json, const struct teller *teller, uint32_t rule,
                              uint64_t count)
{
    char names[NAMES_LENGTH];
    out_open_inline(json, '{');
    out_key(json, "label");
    out_string(json, teller->model->rules.data[rule].label);
    out_key(json, "process");
    out_string(json, participants(teller->model, rule, names));
    put_origin(json, teller, rule);
    out_key(json, "count");
    out_uint(json, count);
    out_close(json, '}');
}

/* How often rules were taken, and which locations were reached, as far as the search came. */
static void put_coverage(struct out *json, const struct model *model, const struct diag *diag,
                         const struct result *result)
{
    const struct teller teller = {.model = model, .diag = diag};
    out_key(json, "coverage");
    out_open(json, '{');
    out_key(json, "rules");
    out_open(json, '[');
    for (uint32_t r = 0; r < model->rules.len; r++)
        put_rule_coverage(json, &teller, r, result->taken[r]);
    out_close(json, ']');
    out_key(json, "locations");
    out_open(json, '[');
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            out_open_inline(json, '{');
            put_location(json, process, &model->locations.data[process->first_location + l], diag);
            out_key(json, "reached");
            out_bool(json, result_location_reached(result, p, l));
            out_close(json, '}');
        }
    }
    out_close(json, ']');
    out_close(json, '}');
}

static void put_silence(struct out *json, const struct model *model, const struct diag *diag,
                        const struct result *result)
{
    bool known = result->all_states && result_knows_rules(result);
    out_key(json, "rules_never_taken");
    out_open(json, '[');
    for (uint32_t r = 0; known && r < model->rules.len; r++) {
        if (result->taken[r]) continue;
        out_open_inline(json, '{');
        out_key(json, "label");
        out_string(json, model->rules.data[r].label);
        out_key(json, "process");
        char names[NAMES_LENGTH];
        out_string(json, participants(model, r, names));
        put_place(json, diag, model->parts.data[model->rules.data[r].first_part].place);
        out_close(json, '}');
    }
    out_close(json, ']');
    out_key(json, "locations_never_reached");
    out_open(json, '[');
    for (uint32_t p = 0; known && p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (result_location_reached(result, p, l)) continue;
            out_open_inline(json, '{');
            put_location(json, process, location, diag);
            out_close(json, '}');
        }
    }
    out_close(json, ']');
    if (result_has_coverage(result)) put_coverage(json, model, diag, result);
}

static void put_number(struct out *json, const char *key, uint64_t number)
{
    out_key(json, key);
    out_uint(json, number);
}

/* ---- statistics ---- */

/* What the rows of tables (result/member.h) are told with. */
struct statistics {
    struct out *json;
    const struct diag *diag;
    struct member_view view;
};

static void put_hidden(struct out *json, const struct result *result)
{
    const struct model *searched = result->searched;
    for (unsigned left_out = 0; left_out < 2; left_out++) {
        out_key(json, left_out ? "hidden_left_out" : "hidden_influencing");
        out_open_inline(json, '[');
        for (uint32_t v = 0; v < searched->vars.len; v++)
            if (left_out ? searched->vars.data[v].is_left_out
                         : searched->vars.data[v].is_hidden && !model_is_fresh(searched, v))
                out_string(json, searched->vars.data[v].name);
        out_close(json, ']');
    }
    if (result->partition) return; /* says so itself */
    out_key(json, "coverage_guaranteed");
    out_bool(json, !result_is_influenced(result));
}

/* The share of clusters, and which size they have at most. */
static void put_quantiles(struct out *json, const struct cluster_statistics *clusters)
{
    out_open_inline(json, '[');
    for (unsigned p = 0; p <= CLUSTER_PARTS; p++) {
        out_open_inline(json, '[');
        out_real(json, (double)p / CLUSTER_PARTS);
        out_uint(json, clusters->quantiles[p]);
        out_close(json, ']');
    }
    out_close(json, ']');
}

static void put_points(struct out *json, const struct points *points)
{
    out_open_inline(json, '[');
    for (uint32_t i = 0; i < points->count; i++) out_string(json, points->names[i]);
    out_close(json, ']');
}

/* P-paths, each as its p-points. */
static void put_words(struct out *json, struct mem *mem, const struct order_statistics *orders)
{
    const struct order_counts *counts = &orders->counts;
    uint32_t *path = mem_alloc(mem, (counts->list_count + UINT64_C(1)) * sizeof *path);
    out_open(json, '[');
    for (uint32_t i = 0; i < counts->list_count; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; counts->list[at].parent != MODEL_NONE; at = counts->list[at].parent)
            path[length++] = counts->list[at].point;
        out_open_inline(json, '{');
        out_key(json, "p_path");
        out_open_inline(json, '[');
        while (length) out_string(json, orders->points->names[path[--length]]);
        out_close(json, ']');
        out_key(json, "maximal");
        out_bool(json, counts->list[i].is_maximal);
        out_close(json, '}');
    }
    out_close(json, ']');
    mem_free(mem, path);
}

static void put_special(const struct statistics *told, const struct member *row)
{
    const struct result *result = told->view.result;
    bool chosen;
    switch (row->special) {
    case SPECIAL_HIDDEN: put_hidden(told->json, result); break;
    case SPECIAL_QUANTILES: put_quantiles(told->json, result->clusters); break;
    case SPECIAL_POINTS: put_points(told->json, result_points(result, &chosen)); break;
    case SPECIAL_WORDS: put_words(told->json, told->diag->mem, result->orders); break;
    case SPECIAL_SILENCE: put_silence(told->json, told->view.model, told->diag, result); break;
    default: assert(false); /* the others are of text */
    }
}

static void put_value(const struct statistics *told, const struct member *row, const void *owner)
{
    struct member_value value;
    struct out *json = told->json;
    member_get(row, &told->view, owner, &value);
    if (!value.is_known) return out_null(json);
    switch (value.kind) {
    case MEMBER_TEXT: out_string(json, value.text); break;
    case MEMBER_REAL: out_real(json, value.real); break;
    case MEMBER_INTEGER: out_int(json, value.integer); break;
    case MEMBER_TRUTH: out_bool(json, value.count); break;
    default: /* a count that 64 bits cannot hold is told by its digits */
        if (value.text) out_string(json, value.text);
        else out_uint(json, value.count);
    }
}

static void put_rows(const struct statistics *told, const struct members *table, const void *owner,
                     bool totals);

/* A struct in a list, or in a struct: an object, or a tuple of its values. */
static void put_element(const struct statistics *told, const struct members *table,
                        const void *owner)
{
    if (table->is_tuple && table->count == 1) return put_value(told, table->rows, owner);
    out_open_inline(told->json, table->is_tuple ? '[' : '{');
    for (unsigned i = 0; table->is_tuple && i < table->count; i++)
        if (table->rows[i].key) put_value(told, &table->rows[i], owner);
    if (!table->is_tuple) put_rows(told, table, owner, false);
    out_close(told->json, table->is_tuple ? ']' : '}');
}

static void put_list(const struct statistics *told, const struct member *row, const void *owner)
{
    const struct member_shape shape = result_shape(told->view.model);
    const char *element = member_target(row, owner);
    uint64_t length = element ? member_length(row, owner, &shape) : 0;
    struct statistics inner = *told;
    if (row->most && length > row->most) length = row->most;
    if (row->table->is_tuple) out_open_inline(told->json, '[');
    else out_open(told->json, '[');
    inner.view.whole = owner;
    for (uint64_t i = 0; i < length; i++) {
        inner.view.index = i;
        put_element(&inner, row->table, element + i * row->table->size);
    }
    out_close(told->json, ']');
}

static void put_row(const struct statistics *told, const struct member *row, const void *owner)
{
    if (*row->key) out_key(told->json, row->key);
    switch (row->kind) {
    case MEMBER_SPECIAL: put_special(told, row); break;
    case MEMBER_LIST: put_list(told, row, owner); break;
    case MEMBER_INSIDE: put_element(told, row->table, member_target(row, owner)); break;
    case MEMBER_ONE:
        if (member_target(row, owner)) put_rows(told, row->table, member_target(row, owner), false);
        break;
    default: put_value(told, row, owner);
    }
}

/* totals: those rows that are told of the whole result; otherwise the others. */
static void put_rows(const struct statistics *told, const struct members *table, const void *owner,
                     bool totals)
{
    for (unsigned i = 0; i < table->count; i++) {
        const struct member *row = &table->rows[i];
        if (row->key && row->is_total == totals && (!row->when || row->when(&told->view, owner)))
            put_row(told, row, owner);
    }
}

/* ---- what to try next ---- */

void machine_advice(struct out *json, const struct advice *advice, uint32_t count)
{
    if (!count) return;
    out_key(json, "advice");
    out_open_inline(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        out_open_inline(json, '{');
        out_key(json, "why");
        out_string(json, advice[i].why);
        out_key(json, "command");
        out_string(json, advice[i].command);
        out_close(json, '}');
    }
    out_close(json, ']');
}

/* ---- guides ---- */

static void put_guide(struct out *json, const struct model *model, const struct result *result)
{
    const struct model_guide *guide = model->guide;
    if (!guide) return;
    out_key(json, "guide");
    out_open(json, '{');
    out_key(json, "name");
    out_string(json, guide->name);
    if (guide->split) {
        out_key(json, "split");
        out_string(json, guide->split);
        out_key(json, "part");
        out_uint(json, guide->part);
    }
    if (guide->bound) {
        out_key(json, "bound");
        out_uint(json, guide->bound);
        out_key(json, "cut");
        out_bool(json, guide->is_cut);
    }
    out_key(json, "semantics");
    out_string(json, guide->is_filter ? "filter" : "disable");
    out_key(json, "states");
    out_uint(json, guide->states);
    out_key(json, "transitions");
    out_uint(json, guide->transitions);
    if (result && result->rounds && result->rounds->count) {
        out_key(json, "complete_bound"); /* the least one */
        if (result->all_states) out_uint(json, result->rounds->count - 1);
        else out_null(json);
        out_key(json, "states_by_interactions");
        if (result->rounds->states) {
            out_open_inline(json, '[');
            for (uint32_t i = 0; i < result->rounds->count; i++)
                out_uint(json, result->rounds->states[i]);
            out_close(json, ']');
        } else out_null(json);
    }
    out_close(json, '}');
}

void machine_result(FILE *out, const char *command, const struct model *model,
                    const struct diag *diag, const struct task *task, const struct result *result,
                    const struct machine_form *form)
{
    struct out json;
    struct text text, *reasons;
    struct trace_walk walk;
    struct timed_state time;
    const struct teller teller = {model, diag, form->raw, form->guest};
    const struct statistics told = {&json, diag, {.model = model, .task = task, .result = result}};
    bool is_check = !strcmp(command, "check");
    text_init(&text, model->mem);
    conclude_sentence(&text, model, task, result);
    reasons = make_reasons(&teller, task, result->searched);
    trace_walk_prepare(&walk, model);
    trace_walk_time(&walk, &time);
    machine_begin(&json, out, command, model->file);
    out_key(&json, "engine");
    out_string(&json, result->engine);
    if (is_check) {
        out_key(&json, "verdict");
        out_string(&json, verdict_name[result_overall(task->properties, task->property_count)]);
    }
    out_key(&json, "complete");
    out_bool(&json, result->complete);
    out_key(&json, "assurance");
    out_string(&json, text.data);
    conclude_under(&json, model, task, result);
    put_rows(&told, &tables_result, result, true);
    if (is_check) {
        out_key(&json, "properties");
        put_properties(&json, &teller, &walk, task, reasons, result->searched, result->engine,
                       form->trace_file);
    }
    put_skipped(&json, model, diag);
    put_guide(&json, model, result);
    machine_advice(&json, form->advice, form->advice_count);
    out_key(&json, "statistics");
    out_open(&json, '{');
    put_rows(&told, &tables_result, result, false);
    out_close(&json, '}');
    if (form->guest) form->guest->more(form->guest->context, &json);
    for (uint32_t i = 0; i < form->added_count; i++) {
        out_key(&json, form->added[i].key);
        out_string(&json, form->added[i].text);
    }
    out_close(&json, '}');
    trace_walk_end(&walk);
    free_reasons(reasons, task, model->mem);
    text_free(&text);
}

void machine_simulation(FILE *out, const struct model *model, const struct diag *diag,
                        const struct task *task, const struct simulation *told, bool raw)
{
    struct out json;
    struct trace_walk walk;
    struct timed_state time;
    const struct teller teller = {.model = model, .diag = diag, .raw = raw};
    struct text *reasons = make_reasons(&teller, task, NULL);
    trace_walk_prepare(&walk, model);
    trace_walk_time(&walk, &time);
    machine_begin(&json, out, "simulate", model->file);
    out_key(&json, "engine");
    out_string(&json, "simulation");
    out_key(&json, "verdict");
    out_string(&json, verdict_name[told->violation ? VERDICT_VIOLATED
                                   : told->is_over ? VERDICT_HOLDS
                                                   : VERDICT_UNKNOWN]);
    out_key(&json, "complete");
    out_bool(&json, false);
    out_key(&json, "assurance");
    out_string(&json, told->assurance);
    out_key(&json, "property");
    out_string(&json, told->violation ? told->violation->property->name : NULL);
    put_number(&json, "seed", told->seed);
    put_number(&json, "runs", told->runs);
    put_number(&json, "steps", told->steps);
    if (result_has_coverage(told->seen)) put_coverage(&json, model, diag, told->seen);
    out_key(&json, "properties");
    put_properties(&json, &teller, &walk, task, reasons, NULL, "simulation", told->trace_file);
    out_close(&json, '}');
    trace_walk_end(&walk);
    free_reasons(reasons, task, model->mem);
}

void machine_failure(FILE *out, const char *command, const char *model, const char *why)
{
    struct out json;
    machine_begin(&json, out, command, model);
    out_key(&json, "engine");
    out_null(&json);
    if (strcmp(command, "explore")) {
        out_key(&json, "verdict");
        out_string(&json, "unknown");
    }
    out_key(&json, "complete");
    out_bool(&json, false);
    out_key(&json, "assurance");
    out_string(&json, why);
    out_close(&json, '}');
}

/* ---- ITF ---- */

static bool shows_all(const struct model *model, bool raw)
{
    uint32_t next = 0;
    for (struct shown at = shown_first(model, raw); at.cells; at = shown_next(model, raw, &at)) {
        if (at.extra) break;
        if (at.var != next) return false;
        next = at.var + at.cells;
    }
    return next == model->vars.len;
}

static void put_itf_state(struct out *json, const struct teller *teller, const struct trace *trace,
                          uint32_t index, const int64_t *state)
{
    char names[NAMES_LENGTH];
    const struct model *model = teller->model;
    uint32_t rule = index ? trace->rules[index - 1] : MODEL_NONE;
    out_open_inline(json, '{');
    out_key(json, "#meta");
    out_open_inline(json, '{');
    out_key(json, "index");
    out_uint(json, index);
    if (rule != MODEL_NONE) {
        out_key(json, "label");
        out_string(json, model->rules.data[rule].label);
        out_key(json, "process");
        out_string(json, participants(model, rule, names));
    }
    if (index && trace->delays) machine_time(json, "delay", model, trace, trace->delays[index - 1]);
    if (index && (trace->delays || !shows_all(model, teller->raw))) {
        out_key(json, "rule"); /* of two that differ in what is not shown, this one */
        out_uint(json, rule);
    }
    if (index == trace->steps && has_wait(trace))
        machine_time(json, "wait", model, trace, trace->delays[index]);
    out_close(json, '}');
    put_state(json, teller, state); /* numbers over 53 bits are strings, which replay reads too */
    out_close(json, '}');
}

void machine_itf(FILE *out, const struct model *model, const struct trace *trace,
                 const struct property_result *entry, bool raw)
{
    struct out json;
    const struct teller teller = {.model = model, .raw = raw};
    struct trace_walk walk;
    trace_walk_start(&walk, model, trace);
    out_init(&json, out);
    out_open(&json, '{');
    out_key(&json, "#meta");
    out_open(&json, '{');
    out_key(&json, "format");
    out_string(&json, "ITF");
    out_key(&json, "format-description");
    out_string(&json, "https://apalache.informal.systems/docs/adr/015adr-trace.html");
    out_key(&json, "source");
    out_string(&json, model->file);
    out_key(&json, "tool");
    out_string(&json, "cairn " CAIRN_VERSION);
    if (model->dialect) {
        out_key(&json, "dialect");
        out_string(&json, model->dialect);
    }
    if (model->context) {
        out_key(&json, "context");
        out_string(&json, model->context);
    }
    put_guide(&json, model, NULL);
    out_key(&json, "constants");
    out_open_inline(&json, '{');
    for (uint32_t i = 0; i < model->constants.len; i++) {
        out_key(&json, model->constants.data[i].name);
        out_int(&json, model->constants.data[i].value);
    }
    out_close(&json, '}');
    if (entry) {
        out_key(&json, "property");
        out_string(&json, entry->property->name);
        out_key(&json, "text");
        out_string(&json, entry->property->text);
    }
    if (model->unshown.len) {
        out_key(&json, "hidden"); /* which replay works out */
        out_open_inline(&json, '[');
        for (uint32_t i = 0; i < model->unshown.len; i++) out_string(&json, model->unshown.data[i]);
        out_close(&json, ']');
    }
    out_close(&json, '}');
    out_key(&json, "vars");
    out_open_inline(&json, '[');
    for (struct shown at = shown_first(model, raw); at.cells; at = shown_next(model, raw, &at))
        out_string(&json, at.name);
    out_close(&json, ']');
    out_key(&json, "states");
    out_open(&json, '[');
    put_itf_state(&json, &teller, trace, 0, walk.state);
    while (walk.at < trace->steps && trace_walk_step(&walk))
        put_itf_state(&json, &teller, trace, walk.at, walk.state);
    trace_walk_end(&walk);
    out_close(&json, ']');
    if (trace->loop != MODEL_NONE) {
        out_key(&json, "loop");
        out_uint(&json, trace->loop);
    }
    out_close(&json, '}');
}
