#include "report/machine.h"

#include "report/explain.h"
#include "report/text.h"
#include "result/value.h"
#include "result/conclude.h"

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

/* A time: a number when it is whole, else a fraction in a string. */
static void put_time(struct out *json, const char *key, const struct model *model,
                     const struct trace *trace, int64_t parts)
{
    char time[TRACE_TIME_ROOM];
    char *end;
    out_key(json, key);
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
    put_origin(json, teller, rule);
    if (number && trace->delays) {
        put_time(json, "delay", model, trace, trace->delays[number - 1]);
        put_time(json, "date", model, trace, date);
    }
    out_key(json, "state");
    out_open_inline(json, '{');
    put_state(json, teller, walk->state);
    out_close(json, '}');
    put_changed(json, teller, number ? walk->previous : NULL, walk->state);
    out_close(json, '}');
}

static void put_trace(struct out *json, const struct teller *teller, struct trace_walk *walk,
                      const struct trace *trace, const char *file)
{
    int64_t date = 0;
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
    if (has_wait(trace)) put_time(json, "wait", walk->model, trace, trace->delays[trace->steps]);
    out_key(json, "loop");
    if (trace->loop == MODEL_NONE) out_null(json);
    else out_uint(json, trace->loop);
    out_key(json, "file");
    out_string(json, file);
    out_close(json, '}');
}

static void put_branches(struct out *json, const struct teller *teller, struct trace_walk *walk,
                         const struct property_result *entry)
{
    out_key(json, "branches");
    out_open(json, '[');
    for (uint32_t i = 0; i < entry->branch_count; i++) {
        const struct trace_branch *branch = &entry->branches[i];
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
        out_open(json, '{');
        put_verdict(json, entry, engine);
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
        if (entry->branch_count) put_branches(json, teller, walk, entry);
        out_close(json, '}');
    }
    out_close(json, ']');
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
            out_key(json, "process");
            out_string(json, process->name);
            out_key(json, "location");
            if (location->name) out_string(json, location->name);
            else out_int(json, location->value);
            put_place(json, diag, location->place);
            out_close(json, '}');
        }
    }
    out_close(json, ']');
}

/* A count that 64 bits cannot hold is told by its digits; one that is not known is null. */
static void put_count(struct out *json, const char *key, bool known, uint64_t count,
                      const char *digits)
{
    out_key(json, key);
    if (!known) out_null(json);
    else if (digits) out_string(json, digits);
    else out_uint(json, count);
}

static void put_number(struct out *json, const char *key, uint64_t number)
{
    out_key(json, key);
    out_uint(json, number);
}

static void put_symbolic(struct out *json, const struct symbolic_statistics *statistics)
{
    out_key(json, "relation");
    out_string(json, relation_form_name[statistics->relation]);
    put_number(json, "relations", statistics->relations);
    put_number(json, "relation_nodes", statistics->relation_nodes);
    put_number(json, "largest_rule_nodes", statistics->largest_relation);
    put_number(json, "reach_nodes", statistics->set_nodes);
    put_number(json, "post_images", statistics->post_images);
    put_number(json, "pre_images", statistics->pre_images);
    put_number(json, "frontiers", statistics->frontiers);
    out_key(json, "average_frontier_nodes");
    out_real(json, statistics->frontiers
                       ? (double)statistics->frontier_nodes / (double)statistics->frontiers
                       : 0);
    put_number(json, "largest_frontier_nodes", statistics->largest_frontier);
    put_number(json, "peak_nodes", statistics->peak_nodes);
    put_number(json, "table_bytes", statistics->table_bytes);
    put_number(json, "collections", statistics->collections);
    put_number(json, "reorderings", statistics->reorderings);
    out_key(json, "encoding_seconds");
    out_real(json, statistics->encoding_seconds);
    out_key(json, "reach_seconds");
    out_real(json, statistics->reach_seconds);
    out_key(json, "iterations");
    out_open(json, '[');
    for (uint32_t i = 0; i < statistics->iteration_count; i++) {
        out_open_inline(json, '{');
        out_key(json, "states");
        out_string(json, statistics->iterations[i].states);
        put_number(json, "reach_nodes", statistics->iterations[i].set_nodes);
        put_number(json, "frontier_nodes", statistics->iterations[i].frontier_nodes);
        put_number(json, "table_nodes", statistics->iterations[i].table_nodes);
        out_close(json, '}');
    }
    out_close(json, ']');
}

static void put_bounded(struct out *json, const struct bounded_statistics *statistics)
{
    put_number(json, "bound", statistics->depth);
    put_number(json, "cycles", statistics->cycles);
    put_number(json, "safe_steps_per_cycle",
               statistics->rounds ? statistics->rounds : statistics->safe_steps);
    put_number(json, "sat_variables", statistics->variables);
    put_number(json, "sat_clauses", statistics->clauses);
    put_number(json, "sat_literals", statistics->literals);
    put_number(json, "sat_conflicts", statistics->conflicts);
    put_number(json, "sat_calls", statistics->calls);
    put_number(json, "induction_conflicts", statistics->proof_conflicts);
    out_key(json, "depths");
    out_open(json, '[');
    for (uint32_t i = 0; i < statistics->depth_count; i++) {
        out_open_inline(json, '{');
        put_number(json, "steps", statistics->depths[i].steps);
        out_key(json, "seconds");
        out_real(json, statistics->depths[i].seconds);
        put_number(json, "variables", statistics->depths[i].variables);
        put_number(json, "clauses", statistics->depths[i].clauses);
        put_number(json, "conflicts", statistics->depths[i].conflicts);
        out_close(json, '}');
    }
    out_close(json, ']');
}

static void put_timed(struct out *json, const struct timed_statistics *statistics)
{
    put_number(json, "discrete_states", statistics->discrete_states);
    out_key(json, "zone_storage");
    out_string(json, statistics->equal ? "equal" : "inclusion");
    out_key(json, "extrapolation");
    out_string(json, statistics->exact ? "M+" : "LU+");
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

/* All of them, or, when they are very many, their quantiles: the share of clusters, and which size
 * they have at most. */
static void put_sizes(struct out *json, const struct cluster_statistics *clusters)
{
    out_key(json, clusters->quantiles ? "cluster_size_quantiles" : "cluster_sizes");
    out_open_inline(json, '[');
    for (uint64_t i = 0; !clusters->quantiles && i < clusters->size_count; i++) {
        out_open_inline(json, '[');
        out_int(json, clusters->sizes[i].rank);
        out_uint(json, clusters->sizes[i].states);
        out_close(json, ']');
    }
    for (unsigned p = 0; clusters->quantiles && p <= CLUSTER_PARTS; p++) {
        out_open_inline(json, '[');
        out_real(json, (double)p / CLUSTER_PARTS);
        out_uint(json, clusters->quantiles[p]);
        out_close(json, ']');
    }
    out_close(json, ']');
}

static void put_clusters(struct out *json, const struct model *model, const struct result *result)
{
    const struct cluster_statistics *clusters = result->clusters;
    out_key(json, "rank_variable");
    if (model->rank == MODEL_NONE) out_null(json);
    else out_string(json, model->vars.data[model->rank].name);
    put_number(json, "ranks", clusters->ranks);
    put_number(json, "clusters", clusters->clusters);
    put_number(json, "clusters_finished", clusters->finished);
    put_number(json, "live_clusters_peak", clusters->live_peak);
    put_number(json, "live_states_peak", clusters->peak_states);
    put_number(json, "freed_states", clusters->freed_states);
    out_key(json, "freezability");
    out_real(json, result_freezability(result));
    out_key(json, "relative_progress");
    out_real(json, result_progress(result));
    out_key(json, "largest_cluster");
    out_open_inline(json, '[');
    out_int(json, clusters->largest.rank);
    out_uint(json, clusters->largest.states);
    out_close(json, ']');
    if (clusters->frozen_bytes || clusters->resumed) {
        put_number(json, "frozen_bytes", clusters->frozen_bytes);
        put_number(json, "clusters_resumed", clusters->resumed);
    }
    put_sizes(json, clusters);
    if (clusters->sizes_lost) {
        out_key(json, "cluster_sizes_incomplete");
        out_bool(json, true);
    }
}

static void put_parts(struct out *json, const struct split_statistics *parts)
{
    put_number(json, "parts", parts->parts);
    put_number(json, "parts_split", parts->split);
    put_number(json, "parts_divided", parts->divided);
    put_number(json, "parts_not_searched", parts->waiting);
    put_number(json, "gross_states", parts->gross_states);
    put_number(json, "gross_transitions", parts->gross_transitions);
    put_number(json, "frozen_bytes", parts->frozen_bytes);
    out_key(json, "counts_are_net");
    out_bool(json, parts->is_net);
    if (!parts->is_net) {
        out_key(json, "why_gross");
        out_string(json, parts->why_gross);
    }
    out_key(json, "parts_list");
    out_open(json, '[');
    for (uint32_t i = 0; i < parts->list_count; i++) {
        const struct split_part *part = &parts->list[i];
        out_open_inline(json, '{');
        put_number(json, "part", i);
        put_count(json, "parent", part->parent != MODEL_NONE, part->parent, NULL);
        out_key(json, "first_rank");
        out_int(json, part->rank);
        out_key(json, "last_rank");
        out_int(json, part->last_rank);
        if (part->end) {
            put_number(json, "first_state", part->begin);
            put_number(json, "last_state", part->end - 1);
        }
        out_key(json, "state");
        out_string(json, part->state);
        put_count(json, "states", part->is_known, part->states, NULL);
        put_count(json, "transitions", part->is_known, part->transitions, NULL);
        out_key(json, "seconds");
        if (part->is_known) out_real(json, part->seconds);
        else out_null(json);
        out_close(json, '}');
    }
    out_close(json, ']');
}

/* P-paths: the number of the one that it continues, the p-point, states. */
static void put_partitions(struct out *json, const struct partition_statistics *partition)
{
    put_number(json, "partitions", partition->partitions);
    put_number(json, "p_paths", partition->partitions + partition->skipped + partition->waiting);
    put_number(json, "skipped", partition->skipped);
    put_number(json, "p_paths_waiting", partition->waiting);
    if (partition->hidden) put_number(json, "complete_p_paths", partition->complete_paths);
    put_number(json, "longest_p_path", partition->longest);
    put_number(json, "largest_partition", partition->largest);
    put_number(json, "states_gross", partition->gross_states);
    put_number(json, "spills", partition->spills);
    put_number(json, "states_on_disk", partition->disk_states);
    put_number(json, "bytes_written", partition->written);
    out_key(json, "counts_are_net");
    out_bool(json, partition->is_net);
    out_key(json, "coverage_guaranteed");
    out_bool(json, !partition->hidden);
    out_key(json, "p_points_chosen");
    out_bool(json, partition->chosen);
    out_key(json, "p_points");
    out_open_inline(json, '[');
    for (uint32_t i = 0; i < partition->points->count; i++)
        out_string(json, partition->points->names[i]);
    out_close(json, ']');
    out_key(json, "p_path_list");
    out_open(json, '[');
    for (uint32_t i = 0; i < partition->path_count && i < PARTITION_LISTED; i++) {
        const struct p_path *path = &partition->paths[i];
        out_open_inline(json, '{');
        put_count(json, "parent", path->parent != MODEL_NONE, path->parent, NULL);
        out_key(json, "p_point");
        out_string(json, path->parent != MODEL_NONE ? partition->points->names[path->point] : NULL);
        put_number(json, "states", path->states);
        out_close(json, '}');
    }
    out_close(json, ']');
}

static void put_hidden(struct out *json, const struct result *result)
{
    const struct model *searched = result->searched;
    for (unsigned left_out = 0; left_out < 2; left_out++) {
        out_key(json, left_out ? "hidden_left_out" : "hidden_influencing");
        out_open_inline(json, '[');
        for (uint32_t v = 0; v < searched->vars.len; v++)
            if (left_out ? searched->vars.data[v].is_left_out : searched->vars.data[v].is_hidden)
                out_string(json, searched->vars.data[v].name);
        out_close(json, ']');
    }
    if (result->partition) return; /* says so itself */
    out_key(json, "coverage_guaranteed");
    out_bool(json, !result_is_influenced(result));
}

/* Where engines took turns, or a search began again: what each of them reached, in the order of
 * their ends. */
static void put_searches(struct out *json, const struct result *result)
{
    if (result->search_count < 2) return;
    out_key(json, "searches");
    out_open(json, '[');
    for (uint32_t i = 0; i < result->search_count; i++) {
        const struct search_brief *search = &result->searches[i];
        out_open_inline(json, '{');
        out_key(json, "engine");
        out_string(json, search->engine);
        put_count(json, "states", search->has_states, search->states, search->digits);
        put_count(json, "depth", search->has_depth, search->depth, NULL);
        out_key(json, "stop");
        out_string(json, search->stop == STOP_NONE ? NULL : stop_reason_text[search->stop]);
        out_key(json, "seconds");
        out_real(json, search->seconds);
        out_close(json, '}');
    }
    out_close(json, ']');
}

static void put_statistics(struct out *json, const struct model *model, const struct diag *diag,
                           const struct task *task, const struct result *result)
{
    out_open(json, '{');
    out_key(json, "order");
    if (result->bounded) out_string(json, "deepening");
    else if (result->reduction != REDUCE_NONE && !result->symbolic) out_string(json, "two-phase");
    else if (result->partition)
        out_string(json, result->partition->hidden ? "p-paths, hidden" : "p-paths");
    else
        out_string(json, search_order_name[result->symbolic ? result->symbolic->order
                                           : result->clusters || result->parts ? ORDER_PAST_FREEZE
                                           : task->order == ORDER_DFS          ? ORDER_DFS
                                                                               : ORDER_BFS]);
    if (result->unreduced_properties) {
        put_number(json, "unreduced_properties", result->unreduced_properties);
        put_number(json, "unreduced_states", result->unreduced_states);
    }
    if (result->reduction != REDUCE_NONE) {
        out_key(json, "reduction");
        out_string(json, reduction_name[result->reduction]);
    }
    if (result->why_engine) {
        out_key(json, "why_engine");
        out_string(json, result->why_engine);
    }
    put_searches(json, result);
    out_key(json, "stop");
    out_string(json, result->stop == STOP_NONE ? NULL : stop_reason_text[result->stop]);
    if (result->stop_detail) {
        out_key(json, "stop_detail");
        out_string(json, result->stop_detail);
    }
    if (!result->bounded) put_number(json, "runtime_errors", result->runtime_errors);
    if (model->has_final && !result->bounded && !result->symbolic)
        put_number(json, "ends", result->ends);
    if (!result->symbolic && !result->bounded) put_number(json, "expanded", result->expanded);
    if (result->threads > 1) put_number(json, "threads", result->threads);
    out_key(json, "processes");
    out_uint(json, model->processes.len);
    out_key(json, "variables");
    out_uint(json, model->vars.len);
    out_key(json, "rules");
    out_uint(json, model->rules.len);
    out_key(json, "state_bits");
    out_uint(json, result->state_bits);
    if (result->searched) put_hidden(json, result);
    if (result->bounded) {
        put_bounded(json, result->bounded);
        out_close(json, '}');
        return;
    }
    if (result->symbolic) put_symbolic(json, result->symbolic);
    else put_number(json, "state_bytes", result->record_bytes);
    if (result->timed) put_timed(json, result->timed);
    if (result->clusters) put_clusters(json, model, result);
    if (result->parts) put_parts(json, result->parts);
    if (result->partition) put_partitions(json, result->partition);
    if (!result->has_depth && (result->max_stack || !result_is_influenced(result))
        && !result->partition && !result->symbolic && !result->clusters && !result->parts
        && result->reduction == REDUCE_NONE) {
        out_key(json, "longest_stack");
        out_uint(json, result->max_stack);
    }
    out_key(json, "levels");
    out_open_inline(json, '[');
    for (uint32_t i = 0; i < result->level_count; i++) out_uint(json, result->levels[i]);
    out_close(json, ']');
    put_silence(json, model, diag, result);
    out_close(json, '}');
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
                    const char *trace_file, bool raw)
{
    struct out json;
    struct text text, *reasons;
    struct trace_walk walk;
    const struct teller teller = {model, diag, raw};
    bool is_check = !strcmp(command, "check");
    text_init(&text, model->mem);
    conclude_sentence(&text, model, task, result);
    reasons = make_reasons(&teller, task, result->searched);
    trace_walk_prepare(&walk, model);
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
    put_count(&json, "states", !result->bounded, result->states, result->exact.states);
    put_count(&json, "transitions", !result->bounded && !result->no_transitions,
              result->transitions, result->exact.transitions);
    put_count(&json, "initial_states", !result->bounded, result->initial_states,
              result->exact.initial_states);
    put_count(&json, "deadlocks", !result->bounded && !result->no_deadlocks, result->deadlocks,
              result->exact.deadlocks);
    out_key(&json, "depth");
    if (result->has_depth) out_uint(&json, result->depth);
    else out_null(&json);
    out_key(&json, "seconds");
    out_real(&json, result->seconds);
    out_key(&json, "peak_memory_bytes");
    out_uint(&json, result->peak_bytes);
    if (is_check) {
        out_key(&json, "properties");
        put_properties(&json, &teller, &walk, task, reasons, result->searched, result->engine,
                       trace_file);
    }
    put_guide(&json, model, result);
    out_key(&json, "statistics");
    put_statistics(&json, model, diag, task, result);
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
    const struct teller teller = {model, diag, raw};
    struct text *reasons = make_reasons(&teller, task, NULL);
    trace_walk_prepare(&walk, model);
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
    if (index && trace->delays) {
        put_time(json, "delay", model, trace, trace->delays[index - 1]);
        out_key(json, "rule"); /* of two that differ in their timers only, this one */
        out_uint(json, rule);
    }
    if (index == trace->steps && has_wait(trace))
        put_time(json, "wait", model, trace, trace->delays[index]);
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
