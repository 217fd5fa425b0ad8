#include "report/machine.h"

#include "report/text.h"

#include <stdlib.h>
#include <string.h>

void machine_begin(struct json *json, FILE *out, const char *command, const char *model)
{
    json_init(json, out);
    json_open(json, '{');
    json_key(json, "cairn");
    json_string(json, CAIRN_VERSION);
    json_key(json, "format");
    json_uint(json, 1);
    json_key(json, "command");
    json_string(json, command);
    json_key(json, "model");
    json_string(json, model);
}

static void put_state(struct json *json, const struct model *model, const int64_t *state)
{
    for (uint32_t v = 0; v < model->vars.len; v++) {
        json_key(json, model->vars.data[v].name);
        json_int(json, state[v]);
    }
}

/* Nothing below allocates once the first character is out: a result is told whole, also when memory has run out. */
enum { NAMES_LENGTH = 1000 };

static const char *participants(const struct model *model, uint32_t rule, char buffer[NAMES_LENGTH])
{
    size_t used = 0;
    buffer[0] = 0;
    for (uint32_t i = 0; rule != MODEL_NONE && i < model->rules.data[rule].parts; i++) {
        uint32_t process = model->parts.data[model->rules.data[rule].first_part + i].process;
        if (process == MODEL_NONE) continue;
        int length = snprintf(buffer + used, NAMES_LENGTH - used, "%s%s", used ? ", " : "", model->processes.data[process].name);
        if (used + (size_t)length >= NAMES_LENGTH - 8) {
            strcpy(buffer + NAMES_LENGTH - 8, ", ...");
            break;
        }
        used += (size_t)length;
    }
    return buffer[0] ? buffer : NULL;
}

/* A time: a number when it is whole, else a fraction in a string. */
static void put_time(struct json *json, const char *key, const struct model *model, const struct trace *trace, int64_t parts)
{
    char time[TRACE_TIME_ROOM];
    char *end;
    json_key(json, key);
    trace_time(time, model, trace, parts);
    long long whole = strtoll(time, &end, 10);
    if (*end) json_string(json, time);
    else json_int(json, whole);
}

/* The time in the last state, where it says something. */
static bool has_wait(const struct trace *trace)
{
    return trace->delays && (trace->delays[trace->steps] || trace->loop != MODEL_NONE);
}

static void put_step(struct json *json, const struct model *model, const struct trace *trace, uint32_t number, const int64_t *state)
{
    char names[NAMES_LENGTH];
    uint32_t rule = number ? trace->rules[number - 1] : MODEL_NONE;
    json_open_inline(json, '{');
    json_key(json, "label");
    json_string(json, rule == MODEL_NONE ? NULL : model->rules.data[rule].label);
    json_key(json, "process");
    json_string(json, participants(model, rule, names));
    if (number && trace->delays) put_time(json, "delay", model, trace, trace->delays[number - 1]);
    json_key(json, "state");
    json_open_inline(json, '{');
    put_state(json, model, state);
    json_close(json, '}');
    json_close(json, '}');
}

static void put_trace(struct json *json, struct trace_walk *walk, const struct trace *trace, const char *file)
{
    json_open(json, '{');
    json_key(json, "steps");
    json_open(json, '[');
    trace_walk_again(walk, trace);
    put_step(json, walk->model, trace, 0, walk->state);
    while (walk->at < trace->steps && trace_walk_step(walk)) put_step(json, walk->model, trace, walk->at, walk->state);
    json_close(json, ']');
    if (has_wait(trace)) put_time(json, "wait", walk->model, trace, trace->delays[trace->steps]);
    json_key(json, "loop");
    if (trace->loop == MODEL_NONE) json_null(json);
    else json_uint(json, trace->loop);
    json_key(json, "file");
    json_string(json, file);
    json_close(json, '}');
}

static void put_branches(struct json *json, struct trace_walk *walk, const struct property_result *entry)
{
    json_key(json, "branches");
    json_open(json, '[');
    for (uint32_t i = 0; i < entry->branch_count; i++) {
        const struct trace_branch *branch = &entry->branches[i];
        json_open(json, '{');
        json_key(json, "parent");
        json_uint(json, branch->parent);
        json_key(json, "from");
        json_uint(json, branch->from);
        json_key(json, "part");
        json_string(json, branch->part);
        json_key(json, "value");
        json_bool(json, branch->value);
        json_key(json, "open");
        json_string(json, branch->open);
        json_key(json, "trace");
        put_trace(json, walk, branch->trace, NULL);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_properties(struct json *json, struct trace_walk *walk, const struct task *task, const struct result *result, const char *file)
{
    json_open(json, '[');
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        json_open(json, '{');
        json_key(json, "name");
        json_string(json, entry->property->name);
        json_key(json, "kind");
        json_string(json, property_kind_name[entry->kind]);
        json_key(json, "text");
        json_string(json, entry->property->text);
        json_key(json, "verdict");
        json_string(json, verdict_name[entry->verdict]);
        json_key(json, "engine");
        json_string(json, entry->engine ? entry->engine : result->engine);
        if (entry->method) {
            json_key(json, "method");
            json_string(json, entry->method);
        }
        if (entry->has_bound) {
            json_key(json, "bound");
            json_uint(json, entry->bound);
            json_key(json, "cycles");
            json_uint(json, entry->cycles);
        }
        if (entry->vacuous) {
            json_key(json, "vacuous");
            json_bool(json, true);
        }
        if (entry->reason) {
            json_key(json, "reason");
            json_string(json, entry->reason);
        }
        json_key(json, "trace");
        if (entry->trace) {
            put_trace(json, walk, entry->trace, file);
            file = NULL; /* only the first trace is saved */
        } else {
            json_null(json);
        }
        if (entry->last) {
            json_key(json, "state"); /* where it is violated: there is no trace */
            json_open_inline(json, '{');
            put_state(json, walk->model, entry->last);
            json_close(json, '}');
        }
        if (entry->branch_count) put_branches(json, walk, entry);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_place(struct json *json, const struct diag *diag, struct place place)
{
    json_key(json, "file");
    json_string(json, diag_source_name(diag, place));
    json_key(json, "line");
    json_uint(json, place.line);
}

static void put_silence(struct json *json, const struct model *model, const struct diag *diag, const struct result *result)
{
    bool known = result->all_states && result_knows_rules(result);
    json_key(json, "rules_never_taken");
    json_open(json, '[');
    for (uint32_t r = 0; known && r < model->rules.len; r++) {
        if (result->taken[r]) continue;
        json_open_inline(json, '{');
        json_key(json, "label");
        json_string(json, model->rules.data[r].label);
        json_key(json, "process");
        char names[NAMES_LENGTH];
        json_string(json, participants(model, r, names));
        put_place(json, diag, model->parts.data[model->rules.data[r].first_part].place);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_key(json, "locations_never_reached");
    json_open(json, '[');
    for (uint32_t p = 0; known && p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location = &model->locations.data[process->first_location + l];
            if (result_location_reached(result, p, l)) continue;
            json_open_inline(json, '{');
            json_key(json, "process");
            json_string(json, process->name);
            json_key(json, "location");
            if (location->name) json_string(json, location->name);
            else json_int(json, location->value);
            put_place(json, diag, location->place);
            json_close(json, '}');
        }
    }
    json_close(json, ']');
}

/* A count that 64 bits cannot hold is told by its digits; one that is not known is null. */
static void put_count(struct json *json, const char *key, bool known, uint64_t count, const char *digits)
{
    json_key(json, key);
    if (!known) json_null(json);
    else if (digits) json_string(json, digits);
    else json_uint(json, count);
}

static void put_number(struct json *json, const char *key, uint64_t number)
{
    json_key(json, key);
    json_uint(json, number);
}

static void put_symbolic(struct json *json, const struct symbolic_statistics *statistics)
{
    json_key(json, "relation");
    json_string(json, relation_form_name[statistics->relation]);
    put_number(json, "relations", statistics->relations);
    put_number(json, "relation_nodes", statistics->relation_nodes);
    put_number(json, "largest_rule_nodes", statistics->largest_relation);
    put_number(json, "reach_nodes", statistics->set_nodes);
    put_number(json, "post_images", statistics->post_images);
    put_number(json, "pre_images", statistics->pre_images);
    put_number(json, "frontiers", statistics->frontiers);
    json_key(json, "average_frontier_nodes");
    json_real(json, statistics->frontiers ? (double)statistics->frontier_nodes / (double)statistics->frontiers : 0);
    put_number(json, "largest_frontier_nodes", statistics->largest_frontier);
    put_number(json, "peak_nodes", statistics->peak_nodes);
    put_number(json, "table_bytes", statistics->table_bytes);
    put_number(json, "collections", statistics->collections);
    put_number(json, "reorderings", statistics->reorderings);
    json_key(json, "encoding_seconds");
    json_real(json, statistics->encoding_seconds);
    json_key(json, "reach_seconds");
    json_real(json, statistics->reach_seconds);
    json_key(json, "iterations");
    json_open(json, '[');
    for (uint32_t i = 0; i < statistics->iteration_count; i++) {
        json_open_inline(json, '{');
        json_key(json, "states");
        json_string(json, statistics->iterations[i].states);
        put_number(json, "reach_nodes", statistics->iterations[i].set_nodes);
        put_number(json, "frontier_nodes", statistics->iterations[i].frontier_nodes);
        put_number(json, "table_nodes", statistics->iterations[i].table_nodes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_bounded(struct json *json, const struct bounded_statistics *statistics)
{
    put_number(json, "bound", statistics->depth);
    put_number(json, "cycles", statistics->cycles);
    put_number(json, "safe_steps_per_cycle", statistics->rounds ? statistics->rounds : statistics->safe_steps);
    put_number(json, "sat_variables", statistics->variables);
    put_number(json, "sat_clauses", statistics->clauses);
    put_number(json, "sat_literals", statistics->literals);
    put_number(json, "sat_conflicts", statistics->conflicts);
    put_number(json, "sat_calls", statistics->calls);
    put_number(json, "induction_conflicts", statistics->proof_conflicts);
    json_key(json, "depths");
    json_open(json, '[');
    for (uint32_t i = 0; i < statistics->depth_count; i++) {
        json_open_inline(json, '{');
        put_number(json, "steps", statistics->depths[i].steps);
        json_key(json, "seconds");
        json_real(json, statistics->depths[i].seconds);
        put_number(json, "variables", statistics->depths[i].variables);
        put_number(json, "clauses", statistics->depths[i].clauses);
        put_number(json, "conflicts", statistics->depths[i].conflicts);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_timed(struct json *json, const struct timed_statistics *statistics)
{
    put_number(json, "discrete_states", statistics->discrete_states);
    json_key(json, "zone_storage");
    json_string(json, statistics->equal ? "equal" : "inclusion");
    json_key(json, "extrapolation");
    json_string(json, statistics->exact ? "M+" : "LU+");
    put_number(json, "zones", statistics->zones);
    put_number(json, "zone_bytes", statistics->zone_bytes);
    put_number(json, "space_bytes", statistics->space_bytes);
    put_number(json, "covered", statistics->covered);
    put_number(json, "given_up", statistics->given_up);
    put_number(json, "timers", statistics->timers);
    put_number(json, "clocks", statistics->clocks);
    put_number(json, "most_clocks", statistics->largest);
    put_number(json, "configurations", statistics->configurations);
}

/* All of them, or, when they are very many, their quantiles: the share of clusters, and which size they have at most. */
static void put_sizes(struct json *json, const struct cluster_statistics *clusters)
{
    json_key(json, clusters->quantiles ? "cluster_size_quantiles" : "cluster_sizes");
    json_open_inline(json, '[');
    for (uint64_t i = 0; !clusters->quantiles && i < clusters->size_count; i++) {
        json_open_inline(json, '[');
        json_int(json, clusters->sizes[i].rank);
        json_uint(json, clusters->sizes[i].states);
        json_close(json, ']');
    }
    for (unsigned p = 0; clusters->quantiles && p <= CLUSTER_PARTS; p++) {
        json_open_inline(json, '[');
        json_real(json, (double)p / CLUSTER_PARTS);
        json_uint(json, clusters->quantiles[p]);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void put_clusters(struct json *json, const struct model *model, const struct result *result)
{
    const struct cluster_statistics *clusters = result->clusters;
    json_key(json, "rank_variable");
    json_string(json, model->vars.data[model->rank].name);
    put_number(json, "ranks", clusters->ranks);
    put_number(json, "clusters", clusters->clusters);
    put_number(json, "clusters_finished", clusters->finished);
    put_number(json, "live_clusters_peak", clusters->live_peak);
    put_number(json, "live_states_peak", clusters->peak_states);
    put_number(json, "freed_states", clusters->freed_states);
    json_key(json, "freezability");
    json_real(json, result_freezability(result));
    json_key(json, "relative_progress");
    json_real(json, result_progress(result));
    json_key(json, "largest_cluster");
    json_open_inline(json, '[');
    json_int(json, clusters->largest.rank);
    json_uint(json, clusters->largest.states);
    json_close(json, ']');
    if (clusters->frozen_bytes || clusters->resumed) {
        put_number(json, "frozen_bytes", clusters->frozen_bytes);
        put_number(json, "clusters_resumed", clusters->resumed);
    }
    put_sizes(json, clusters);
    if (clusters->sizes_lost) {
        json_key(json, "cluster_sizes_incomplete");
        json_bool(json, true);
    }
}

static void put_statistics(struct json *json, const struct model *model, const struct diag *diag, const struct task *task, const struct result *result)
{
    json_open(json, '{');
    json_key(json, "order");
    if (result->bounded) json_string(json, "deepening");
    else if (result->reduction != REDUCE_NONE && !result->symbolic) json_string(json, "two-phase");
    else json_string(json, search_order_name[result->symbolic ? result->symbolic->order : result->clusters ? ORDER_PAST_FREEZE : task->order == ORDER_DFS ? ORDER_DFS : ORDER_BFS]);
    if (result->unreduced_properties) {
        put_number(json, "unreduced_properties", result->unreduced_properties);
        put_number(json, "unreduced_states", result->unreduced_states);
    }
    if (result->reduction != REDUCE_NONE) {
        json_key(json, "reduction");
        json_string(json, reduction_name[result->reduction]);
    }
    if (result->why_engine) {
        json_key(json, "why_engine");
        json_string(json, result->why_engine);
    }
    json_key(json, "stop");
    json_string(json, result->stop == STOP_NONE ? NULL : stop_reason_text[result->stop]);
    if (result->stop_detail) {
        json_key(json, "stop_detail");
        json_string(json, result->stop_detail);
    }
    if (!result->bounded) put_number(json, "runtime_errors", result->runtime_errors);
    if (model->has_final && !result->bounded && !result->symbolic) put_number(json, "ends", result->ends);
    if (!result->symbolic && !result->bounded) put_number(json, "expanded", result->expanded);
    json_key(json, "processes");
    json_uint(json, model->processes.len);
    json_key(json, "variables");
    json_uint(json, model->vars.len);
    json_key(json, "rules");
    json_uint(json, model->rules.len);
    json_key(json, "state_bits");
    json_uint(json, result->state_bits);
    if (result->bounded) {
        put_bounded(json, result->bounded);
        json_close(json, '}');
        return;
    }
    if (result->symbolic) put_symbolic(json, result->symbolic);
    else put_number(json, "state_bytes", result->record_bytes);
    if (result->timed) put_timed(json, result->timed);
    if (result->clusters) put_clusters(json, model, result);
    if (!result->has_depth && !result->symbolic && !result->clusters && result->reduction == REDUCE_NONE) {
        json_key(json, "longest_stack");
        json_uint(json, result->max_stack);
    }
    json_key(json, "levels");
    json_open_inline(json, '[');
    for (uint32_t i = 0; i < result->level_count; i++) json_uint(json, result->levels[i]);
    json_close(json, ']');
    put_silence(json, model, diag, result);
    json_close(json, '}');
}

void machine_result(FILE *out, const char *command, const struct model *model, const struct diag *diag, const struct task *task,
                    const struct result *result, const char *trace_file)
{
    struct json json;
    struct text text;
    struct trace_walk walk;
    bool is_check = !strcmp(command, "check");
    text_init(&text, model->mem);
    report_assurance(&text, model, task, result);
    trace_walk_prepare(&walk, model);
    machine_begin(&json, out, command, model->file);
    json_key(&json, "engine");
    json_string(&json, result->engine);
    if (is_check) {
        json_key(&json, "verdict");
        json_string(&json, verdict_name[result_overall(task->properties, task->property_count)]);
    }
    json_key(&json, "complete");
    json_bool(&json, result->complete);
    json_key(&json, "assurance");
    json_string(&json, text.data);
    put_count(&json, "states", !result->bounded, result->states, result->exact.states);
    put_count(&json, "transitions", !result->bounded && !result->no_transitions, result->transitions, result->exact.transitions);
    put_count(&json, "initial_states", !result->bounded, result->initial_states, result->exact.initial_states);
    put_count(&json, "deadlocks", !result->bounded && !result->no_deadlocks, result->deadlocks, result->exact.deadlocks);
    json_key(&json, "depth");
    if (result->has_depth) json_uint(&json, result->depth);
    else json_null(&json);
    json_key(&json, "seconds");
    json_real(&json, result->seconds);
    json_key(&json, "peak_memory_bytes");
    json_uint(&json, result->peak_bytes);
    if (is_check) {
        json_key(&json, "properties");
        put_properties(&json, &walk, task, result, trace_file);
    }
    json_key(&json, "statistics");
    put_statistics(&json, model, diag, task, result);
    json_close(&json, '}');
    trace_walk_end(&walk);
    text_free(&text);
}

void machine_failure(FILE *out, const char *command, const char *model, const char *why)
{
    struct json json;
    machine_begin(&json, out, command, model);
    json_key(&json, "engine");
    json_null(&json);
    if (strcmp(command, "explore")) {
        json_key(&json, "verdict");
        json_string(&json, "unknown");
    }
    json_key(&json, "complete");
    json_bool(&json, false);
    json_key(&json, "assurance");
    json_string(&json, why);
    json_close(&json, '}');
}

/* ---- ITF ---- */

static void put_itf_state(struct json *json, const struct model *model, const struct trace *trace, uint32_t index, const int64_t *state)
{
    char names[NAMES_LENGTH];
    uint32_t rule = index ? trace->rules[index - 1] : MODEL_NONE;
    json_open_inline(json, '{');
    json_key(json, "#meta");
    json_open_inline(json, '{');
    json_key(json, "index");
    json_uint(json, index);
    if (rule != MODEL_NONE) {
        json_key(json, "label");
        json_string(json, model->rules.data[rule].label);
        json_key(json, "process");
        json_string(json, participants(model, rule, names));
    }
    if (index && trace->delays) {
        put_time(json, "delay", model, trace, trace->delays[index - 1]);
        json_key(json, "rule"); /* of two that differ in their timers only, this one */
        json_uint(json, rule);
    }
    if (index == trace->steps && has_wait(trace)) put_time(json, "wait", model, trace, trace->delays[index]);
    json_close(json, '}');
    put_state(json, model, state); /* values over 53 bits are strings, which replay reads too */
    json_close(json, '}');
}

void machine_itf(FILE *out, const struct model *model, const struct trace *trace, const struct property_result *entry)
{
    struct json json;
    struct trace_walk walk;
    trace_walk_start(&walk, model, trace);
    json_init(&json, out);
    json_open(&json, '{');
    json_key(&json, "#meta");
    json_open(&json, '{');
    json_key(&json, "format");
    json_string(&json, "ITF");
    json_key(&json, "format-description");
    json_string(&json, "https://apalache.informal.systems/docs/adr/015adr-trace.html");
    json_key(&json, "source");
    json_string(&json, model->file);
    json_key(&json, "tool");
    json_string(&json, "cairn " CAIRN_VERSION);
    if (model->context) {
        json_key(&json, "context");
        json_string(&json, model->context);
    }
    json_key(&json, "constants");
    json_open_inline(&json, '{');
    for (uint32_t i = 0; i < model->constants.len; i++) {
        json_key(&json, model->constants.data[i].name);
        json_int(&json, model->constants.data[i].value);
    }
    json_close(&json, '}');
    if (entry) {
        json_key(&json, "property");
        json_string(&json, entry->property->name);
        json_key(&json, "text");
        json_string(&json, entry->property->text);
    }
    json_close(&json, '}');
    json_key(&json, "vars");
    json_open_inline(&json, '[');
    for (uint32_t v = 0; v < model->vars.len; v++) json_string(&json, model->vars.data[v].name);
    json_close(&json, ']');
    json_key(&json, "states");
    json_open(&json, '[');
    put_itf_state(&json, model, trace, 0, walk.state);
    while (walk.at < trace->steps && trace_walk_step(&walk)) put_itf_state(&json, model, trace, walk.at, walk.state);
    trace_walk_end(&walk);
    json_close(&json, ']');
    if (trace->loop != MODEL_NONE) {
        json_key(&json, "loop");
        json_uint(&json, trace->loop);
    }
    json_close(&json, '}');
}
