/* The order of rows is that of the JSON object; rows without a key are only written (run/wire.h).
 * The lines of each table are those of `cairn explore`. */
#include "result/tables.h"

#include "base/text.h"
#include "result/result.h"

#include <stdio.h>

#define ROW(owner, kind_, member, ...)                                                             \
    {                                                                                              \
        .name = #member, .kind = MEMBER_##kind_, .at = offsetof(struct owner, member), __VA_ARGS__ \
    }
#define COUNT(owner, member, ...) ROW(owner, COUNT, member, __VA_ARGS__)
#define NUMBER(owner, member, ...) ROW(owner, NUMBER, member, __VA_ARGS__)
#define TRUTH(owner, member, ...) ROW(owner, TRUTH, member, __VA_ARGS__)
#define TEXT(owner, member, ...) ROW(owner, TEXT, member, __VA_ARGS__)
#define CHOICE(owner, member, count, ...) ROW(owner, CHOICE, member, .choices = count, __VA_ARGS__)
#define ONE(owner, member, of, ...) ROW(owner, ONE, member, .table = &tables_##of, __VA_ARGS__)
#define LIST(owner, member, of, how, ...)                                                          \
    ROW(owner, LIST, member, .table = &tables_##of, .length = LENGTH_##how, __VA_ARGS__)
#define LENGTH(owner, member) .length_at = offsetof(struct owner, member)
#define MADE(name_, function, ...)                                                                 \
    {                                                                                              \
        .name = name_, .kind = MEMBER_MADE, .make = function, __VA_ARGS__                          \
    }
#define TOLD_AS(name_, which, ...)                                                                 \
    {                                                                                              \
        .name = name_, .kind = MEMBER_SPECIAL, .special = SPECIAL_##which, __VA_ARGS__             \
    }
#define LINE(label_, value_, note_, when_)                                                         \
    {                                                                                              \
        .label = label_, .value = value_, .note = note_, .when = when_                             \
    }
#define WITH(rows_) .rows = rows_, .count = sizeof rows_ / sizeof *rows_
#define LINES(lines_) .lines = lines_, .line_count = sizeof lines_ / sizeof *lines_

/* The rows of lists of plain values have no name to tell. */
#define PLAIN(kind_)                                                                               \
    {                                                                                              \
        {                                                                                          \
            .name = "value", .kind = MEMBER_##kind_, .key = ""                                     \
        }                                                                                          \
    }
#define PLAIN_TABLE(word, type, rows_)                                                             \
    static const struct members tables_##word = {#word, sizeof(type), WITH(rows_), .is_tuple = true}
static const struct member count_rows[] = PLAIN(COUNT), number_rows[] = PLAIN(NUMBER),
                           integer_rows[] = PLAIN(INTEGER), byte_rows[] = PLAIN(BYTE),
                           truth_rows[] = PLAIN(TRUTH), text_rows[] = PLAIN(TEXT);
PLAIN_TABLE(count, uint64_t, count_rows);
PLAIN_TABLE(number, uint32_t, number_rows);
PLAIN_TABLE(integer, int64_t, integer_rows);
PLAIN_TABLE(byte, uint8_t, byte_rows);
PLAIN_TABLE(truth, bool, truth_rows);
PLAIN_TABLE(text, char *, text_rows);

typedef const struct member_view view;
typedef struct member_value value;

static void make_count(value *made, uint64_t count)
{
    made->kind = MEMBER_COUNT;
    made->count = count;
}

static void make_truth(value *made, bool truth)
{
    made->kind = MEMBER_TRUTH;
    made->count = truth;
}

static void make_real(value *made, double real)
{
    made->kind = MEMBER_REAL;
    made->real = real;
}

static void make_text(value *made, const char *text)
{
    made->kind = MEMBER_TEXT;
    made->text = text;
    made->count = text != NULL;
}

static double share_of(uint64_t part, uint64_t all) { return all ? (double)part / (double)all : 0; }

/* Functions of rows: `of` is the struct, `v` what it is looked at with. */
#define MAKE(type, name, call)                                                                     \
    static void name(view *v, const void *owner, value *made)                                      \
    {                                                                                              \
        const struct type *of = owner;                                                             \
        (void)v, (void)of;                                                                         \
        call;                                                                                      \
    }
#define IF(type, name, condition)                                                                  \
    static bool name(view *v, const void *owner)                                                   \
    {                                                                                              \
        const struct type *of = owner;                                                             \
        (void)v, (void)of;                                                                         \
        return condition;                                                                          \
    }

/* ---- symbolic ---- */

static const struct member iteration_rows[] = {
    TEXT(iteration, states, .key = "states"),
    COUNT(iteration, set_nodes, .key = "reach_nodes"),
    COUNT(iteration, frontier_nodes, .key = "frontier_nodes"),
    COUNT(iteration, table_nodes, .key = "table_nodes"),
};
static const struct members tables_iteration = {"iteration", sizeof(struct iteration),
                                                WITH(iteration_rows)};

MAKE(symbolic_statistics, average_frontier,
     make_real(made, share_of(of->frontier_nodes, of->frontiers)))

static const struct member symbolic_rows[] = {
    CHOICE(symbolic_statistics, relation, RELATION_LABELLED + 1, .words = relation_form_name,
           .key = "relation"),
    COUNT(symbolic_statistics, relations, .key = "relations"),
    COUNT(symbolic_statistics, relation_nodes, .key = "relation_nodes"),
    COUNT(symbolic_statistics, largest_relation, .key = "largest_rule_nodes"),
    COUNT(symbolic_statistics, set_nodes, .key = "reach_nodes"),
    COUNT(symbolic_statistics, post_images, .key = "post_images"),
    COUNT(symbolic_statistics, pre_images, .key = "pre_images"),
    COUNT(symbolic_statistics, frontiers, .key = "frontiers"),
    COUNT(symbolic_statistics, frontier_nodes),
    MADE("average_frontier", average_frontier, .key = "average_frontier_nodes"),
    COUNT(symbolic_statistics, largest_frontier, .key = "largest_frontier_nodes"),
    COUNT(symbolic_statistics, peak_nodes, .key = "peak_nodes"),
    COUNT(symbolic_statistics, table_bytes, .key = "table_bytes", .unit = UNIT_BYTES),
    COUNT(symbolic_statistics, collections, .key = "collections"),
    COUNT(symbolic_statistics, reorderings, .key = "reorderings"),
    ROW(symbolic_statistics, REAL, encoding_seconds, .key = "encoding_seconds",
        .unit = UNIT_SECONDS),
    ROW(symbolic_statistics, REAL, reach_seconds, .key = "reach_seconds", .unit = UNIT_SECONDS),
    NUMBER(symbolic_statistics, bits),
    CHOICE(symbolic_statistics, order, ORDER_COUNT, .words = search_order_name),
    NUMBER(symbolic_statistics, iteration_count),
    LIST(symbolic_statistics, iterations, iteration, NUMBER,
         LENGTH(symbolic_statistics, iteration_count), .key = "iterations"),
};
static const struct member_line symbolic_lines[] = {
    LINE("post-images", "{post_images}", "largest frontier {largest_frontier} nodes",
         "post_images"),
    LINE("reorderings", "{reorderings}", NULL, "reorderings"),
    {.has_special = true, .special = SPECIAL_ITERATIONS},
};
const struct members tables_symbolic = {"symbolic", sizeof(struct symbolic_statistics),
                                        WITH(symbolic_rows), LINES(symbolic_lines)};

/* ---- bounded ---- */

static const struct member depth_rows[] = {
    COUNT(bounded_depth, steps, .key = "steps"),
    ROW(bounded_depth, REAL, seconds, .key = "seconds", .unit = UNIT_SECONDS),
    COUNT(bounded_depth, variables, .key = "variables"),
    COUNT(bounded_depth, clauses, .key = "clauses"),
    COUNT(bounded_depth, conflicts, .key = "conflicts"),
};
static const struct members tables_depth = {"depth", sizeof(struct bounded_depth),
                                            WITH(depth_rows)};

MAKE(bounded_statistics, safe_steps, make_count(made, of->rounds ? of->rounds : of->safe_steps))

static const struct member bounded_rows[] = {
    COUNT(bounded_statistics, depth, .key = "bound"),
    COUNT(bounded_statistics, cycles, .key = "cycles"),
    MADE("safe_steps_per_cycle", safe_steps, .key = "safe_steps_per_cycle"),
    COUNT(bounded_statistics, variables, .key = "sat_variables"),
    COUNT(bounded_statistics, clauses, .key = "sat_clauses"),
    COUNT(bounded_statistics, literals, .key = "sat_literals"),
    COUNT(bounded_statistics, conflicts, .key = "sat_conflicts"),
    COUNT(bounded_statistics, calls, .key = "sat_calls"),
    COUNT(bounded_statistics, proof_conflicts, .key = "induction_conflicts"),
    NUMBER(bounded_statistics, safe_steps),
    NUMBER(bounded_statistics, rounds),
    NUMBER(bounded_statistics, depth_count),
    LIST(bounded_statistics, depths, depth, NUMBER, LENGTH(bounded_statistics, depth_count),
         .key = "depths"),
};
const struct members tables_bounded = {"bounded", sizeof(struct bounded_statistics),
                                       WITH(bounded_rows)};

/* ---- timed ---- */

MAKE(timed_statistics, extrapolation, make_text(made, of->exact ? "M+" : "LU+"))
MAKE(timed_statistics, zone_size, make_real(made, share_of(of->zone_bytes, of->zones)))
MAKE(timed_statistics, state_size, make_real(made, share_of(of->space_bytes, v->result->states)))
MAKE(timed_statistics, not_kept, make_count(made, of->covered + of->given_up))

static const struct member timed_rows[] = {
    COUNT(timed_statistics, discrete_states, .key = "discrete_states"),
    CHOICE(timed_statistics, storage, ZONES_EQUAL + 1, .words = zone_storage_name,
           .key = "zone_storage"),
    TRUTH(timed_statistics, exact),
    MADE("extrapolation", extrapolation, .key = "extrapolation"),
    COUNT(timed_statistics, zones, .key = "zones"),
    COUNT(timed_statistics, zone_bytes, .key = "zone_bytes", .unit = UNIT_BYTES),
    COUNT(timed_statistics, space_bytes, .key = "space_bytes", .unit = UNIT_BYTES),
    COUNT(timed_statistics, covered, .key = "covered"),
    COUNT(timed_statistics, given_up, .key = "given_up"),
    NUMBER(timed_statistics, timers, .key = "timers"),
    NUMBER(timed_statistics, clocks, .key = "clocks"),
    NUMBER(timed_statistics, largest, .key = "most_clocks"),
    COUNT(timed_statistics, configurations, .key = "configurations"),
    MADE("zone_size", zone_size),
    MADE("state_size", state_size),
    MADE("not_kept", not_kept),
};
static const struct member_line timed_lines[] = {
    LINE("discrete states", "{discrete_states}", "{largest:u} clocks at most", NULL),
    LINE("zones", "{zones}",
         "{zone_size:.0} bytes each; {state_size:.0} bytes per symbolic state in all", NULL),
    LINE("not kept", "{not_kept}", "{given_up} kept for a while", NULL),
};
const struct members tables_timed = {"timed", sizeof(struct timed_statistics), WITH(timed_rows),
                                     LINES(timed_lines)};

/* ---- past-freeze ---- */

static const struct member size_rows[] = {
    ROW(cluster_size, INTEGER, rank, .key = "rank"),
    COUNT(cluster_size, states, .key = "states"),
    COUNT(cluster_size, entries),
};
static const struct members tables_size = {"size", sizeof(struct cluster_size), WITH(size_rows),
                                           .is_tuple = true};

static void rank_variable(view *v, const void *owner, value *made)
{
    const uint32_t rank = v->model->rank;
    (void)owner;
    make_text(made, rank == MODEL_NONE ? NULL : v->model->vars.data[rank].name);
}

MAKE(cluster_statistics, freezability, make_real(made, result_freezability(v->result)))
MAKE(cluster_statistics, progress, make_real(made, result_progress(v->result)))
MAKE(cluster_statistics, percent_freed, make_real(made, 100 * result_freezability(v->result)))
MAKE(cluster_statistics, percent_done, make_real(made, 100 * result_progress(v->result)))
IF(cluster_statistics, has_files, of->frozen_bytes || of->resumed)
IF(cluster_statistics, has_quantiles, of->quantiles)
IF(cluster_statistics, has_sizes, !of->quantiles)
IF(cluster_statistics, has_lost_sizes, of->sizes_lost)

static const struct member cluster_rows[] = {
    MADE("rank_variable", rank_variable, .key = "rank_variable"),
    COUNT(cluster_statistics, ranks, .key = "ranks"),
    COUNT(cluster_statistics, rank),
    COUNT(cluster_statistics, clusters, .key = "clusters"),
    COUNT(cluster_statistics, finished, .key = "clusters_finished"),
    COUNT(cluster_statistics, live),
    COUNT(cluster_statistics, live_peak, .key = "live_clusters_peak"),
    COUNT(cluster_statistics, live_states),
    COUNT(cluster_statistics, peak_states, .key = "live_states_peak"),
    COUNT(cluster_statistics, freed_states, .key = "freed_states"),
    MADE("freezability", freezability, .key = "freezability"),
    MADE("progress", progress, .key = "relative_progress"),
    MADE("percent_freed", percent_freed),
    MADE("percent_done", percent_done),
    ROW(cluster_statistics, INTEGER, lowest),
    ROW(cluster_statistics, INSIDE, largest, .table = &tables_size, .key = "largest_cluster"),
    COUNT(cluster_statistics, frozen_bytes, .key = "frozen_bytes", .unit = UNIT_BYTES,
          .when = has_files),
    COUNT(cluster_statistics, resumed, .key = "clusters_resumed", .when = has_files),
    COUNT(cluster_statistics, size_count),
    ROW(cluster_statistics, ROOM, size_room, .length = LENGTH_COUNT,
        LENGTH(cluster_statistics, size_count)),
    LIST(cluster_statistics, sizes, size, COUNT, LENGTH(cluster_statistics, size_count),
         .key = "cluster_sizes", .when = has_sizes),
    LIST(cluster_statistics, quantiles, count, QUANTILES),
    TOLD_AS("size_quantiles", QUANTILES, .key = "cluster_size_quantiles", .when = has_quantiles),
    TRUTH(cluster_statistics, sizes_lost, .key = "cluster_sizes_incomplete",
          .when = has_lost_sizes),
    TRUTH(cluster_statistics, handed_on),
    COUNT(cluster_statistics, rest_count),
    LIST(cluster_statistics, rest, size, COUNT, LENGTH(cluster_statistics, rest_count)),
    TRUTH(cluster_statistics, logs_dropped),
};
static const struct member_line cluster_lines[] = {
    LINE("clusters", "{clusters}",
         "at most {live_peak} at the same time, with {peak_states} states", NULL),
    LINE("freed", "{freed_states}",
         "{percent_freed:.2}% of the states; {percent_done:.1}% of the ranks are done", NULL),
    LINE("frozen", "{frozen_bytes}", "in files", "frozen_bytes"),
    LINE("resumed", "{resumed}", "clusters that an earlier run had finished", "resumed"),
    {.has_special = true, .special = SPECIAL_SIZES},
};
const struct members tables_clusters = {"clusters", sizeof(struct cluster_statistics),
                                        WITH(cluster_rows), LINES(cluster_lines)};

/* ---- p-points ---- */

static const struct member location_rows[] = {
    NUMBER(point_location, var),
    ROW(point_location, INTEGER, value),
    NUMBER(point_location, point),
};
static const struct members tables_location = {"location", sizeof(struct point_location),
                                               WITH(location_rows)};

static const struct member points_rows[] = {
    NUMBER(points, count),
    ROW(points, ROOM, room, .length = LENGTH_NUMBER, LENGTH(points, count)),
    LIST(points, names, text, NUMBER, LENGTH(points, count)),
    LIST(points, rules, number, NUMBER, LENGTH(points, count)),
    LIST(points, of_rule, number, RULES),
    NUMBER(points, location_count),
    LIST(points, locations, location, NUMBER, LENGTH(points, location_count)),
};
static const struct members tables_points = {"points", sizeof(struct points), WITH(points_rows)};

/* ---- parts ---- */

MAKE(split_part, last_state, make_count(made, of->end - 1))
IF(split_part, has_end, of->end)
IF(split_part, part_is_known, of->is_known)
IF(split_part, has_ranks, !of->p_path)
IF(split_part, has_p_path, of->p_path)

static const struct member part_rows[] = {
    NUMBER(split_part, number, .key = "part"),
    NUMBER(split_part, parent, .key = "parent", .none_is_null = true),
    ROW(split_part, INTEGER, rank, .key = "first_rank", .when = has_ranks),
    ROW(split_part, INTEGER, last_rank, .key = "last_rank", .when = has_ranks),
    TEXT(split_part, p_path, .key = "p_path", .when = has_p_path),
    COUNT(split_part, begin, .key = "first_state", .when = has_end),
    COUNT(split_part, end),
    MADE("last_state", last_state, .key = "last_state", .when = has_end),
    TEXT(split_part, state, .key = "state"),
    TRUTH(split_part, is_known),
    COUNT(split_part, states, .key = "states", .known = part_is_known),
    COUNT(split_part, transitions, .key = "transitions", .known = part_is_known),
    ROW(split_part, REAL, seconds, .key = "seconds", .unit = UNIT_SECONDS, .known = part_is_known),
};
static const struct members tables_part = {"part", sizeof(struct split_part), WITH(part_rows)};

IF(split_statistics, is_gross, !of->is_net)
IF(split_statistics, has_points, of->points)
MAKE(split_statistics, is_by_points, make_truth(made, of->points != NULL))

static const struct member parts_rows[] = {
    NUMBER(split_statistics, parts, .key = "parts"),
    NUMBER(split_statistics, split, .key = "parts_split"),
    NUMBER(split_statistics, divided, .key = "parts_divided"),
    NUMBER(split_statistics, waiting, .key = "parts_not_searched"),
    COUNT(split_statistics, gross_states, .key = "gross_states"),
    COUNT(split_statistics, gross_transitions, .key = "gross_transitions"),
    COUNT(split_statistics, frozen_bytes, .key = "frozen_bytes", .unit = UNIT_BYTES),
    COUNT(split_statistics, live_peak),
    TRUTH(split_statistics, is_net, .key = "counts_are_net"),
    TEXT(split_statistics, why_gross, .key = "why_gross", .when = is_gross),
    ONE(split_statistics, points, points),
    TRUTH(split_statistics, chosen, .key = "p_points_chosen", .when = has_points),
    TOLD_AS("point_names", POINTS, .key = "p_points", .when = has_points),
    MADE("is_by_points", is_by_points),
    NUMBER(split_statistics, list_count),
    LIST(split_statistics, list, part, NUMBER, LENGTH(split_statistics, list_count),
         .key = "parts_list"),
};
static const struct member_line parts_lines[] = {
    {.has_special = true, .special = SPECIAL_POINTS, .when = "is_by_points"},
    LINE("parts", "{parts}",
         "{split:u} split again[; {divided:u} more did not fit, and were divided]"
         "[; {waiting:u} not searched]",
         NULL),
    LINE("gross states", "{gross_states}",
         "{gross_transitions} transitions: what several parts visited counts each time", NULL),
    {.note = "the counts above are gross, too: {why_gross}", .when = "!is_net"},
    {.has_special = true, .special = SPECIAL_PARTS},
};
const struct members tables_parts = {"parts", sizeof(struct split_statistics), WITH(parts_rows),
                                     LINES(parts_lines)};

/* ---- partitions ---- */

static void point_name(view *v, const void *owner, value *made)
{
    const struct partition_statistics *partition = v->whole;
    const struct p_path *path = owner;
    make_text(made, path->parent != MODEL_NONE ? partition->points->names[path->point] : NULL);
}

static const struct member path_rows[] = {
    NUMBER(p_path, parent, .key = "parent", .none_is_null = true),
    NUMBER(p_path, point),
    MADE("point_name", point_name, .key = "p_point"),
    COUNT(p_path, states, .key = "states"),
};
static const struct members tables_path = {"path", sizeof(struct p_path), WITH(path_rows)};

MAKE(partition_statistics, path_total, make_count(made, of->partitions + of->skipped + of->waiting))
MAKE(partition_statistics, coverage, make_truth(made, !of->hidden))

static void how_extended(view *v, const void *owner, value *made)
{
    const struct partition_statistics *partition = owner;
    char count[32];
    (void)v;
    snprintf(made->buffer, sizeof made->buffer,
             partition->hidden ? "%s complete p-paths"
                               : "%s p-paths not extended, all right after them was visited",
             text_count(count, partition->hidden ? partition->complete_paths : partition->skipped));
    make_text(made, made->buffer);
}

IF(partition_statistics, is_hidden, of->hidden)
IF(partition_statistics, has_clusters, of->clusters)

static const struct member partition_rows[] = {
    COUNT(partition_statistics, partitions, .key = "partitions"),
    MADE("path_total", path_total, .key = "p_paths"),
    COUNT(partition_statistics, clusters, .key = "clusters", .when = has_clusters),
    COUNT(partition_statistics, skipped, .key = "skipped"),
    COUNT(partition_statistics, waiting, .key = "p_paths_waiting"),
    TRUTH(partition_statistics, hidden),
    COUNT(partition_statistics, complete_paths, .key = "complete_p_paths", .when = is_hidden),
    MADE("how_extended", how_extended),
    COUNT(partition_statistics, longest, .key = "longest_p_path"),
    COUNT(partition_statistics, largest, .key = "largest_partition"),
    COUNT(partition_statistics, gross_states, .key = "states_gross"),
    COUNT(partition_statistics, spills, .key = "spills"),
    COUNT(partition_statistics, disk_states, .key = "states_on_disk"),
    COUNT(partition_statistics, written, .key = "bytes_written", .unit = UNIT_BYTES),
    TRUTH(partition_statistics, is_net, .key = "counts_are_net"),
    MADE("coverage", coverage, .key = "coverage_guaranteed"),
    TRUTH(partition_statistics, chosen, .key = "p_points_chosen"),
    ONE(partition_statistics, points, points),
    TOLD_AS("point_names", POINTS, .key = "p_points"),
    NUMBER(partition_statistics, path_count),
    LIST(partition_statistics, paths, path, NUMBER, LENGTH(partition_statistics, path_count),
         .key = "p_path_list", .most = PARTITION_LISTED),
};
static const struct member_line partition_lines[] = {
    {.has_special = true, .special = SPECIAL_POINTS},
    LINE("partitions", "{partitions}",
         "largest {largest} states; {how_extended}[; {waiting} had no turn]; at most {longest} "
         "p-points long",
         NULL),
    LINE("clusters", "{clusters}", "searched one after the other, and given up", "clusters"),
    LINE("gross states", "{gross_states}", "what several partitions visited counts each time",
         NULL),
    LINE("on disk", "{disk_states}", "states; memory was full {spills} times, {written} written",
         "spills"),
    {.has_special = true, .special = SPECIAL_PATHS},
};
const struct members tables_partition = {"partition", sizeof(struct partition_statistics),
                                         WITH(partition_rows), LINES(partition_lines)};

/* ---- execution orders ---- */

static const struct member execution_order_rows[] = {
    NUMBER(execution_order, parent),
    NUMBER(execution_order, point),
    TRUTH(execution_order, is_maximal),
};
static const struct members tables_execution_order = {
    "execution_order", sizeof(struct execution_order), WITH(execution_order_rows)};

IF(order_counts, orders_are_known, of->is_known)
IF(order_counts, has_words, of->list_count)

static const struct member order_counts_rows[] = {
    TRUTH(order_counts, is_known),
    TEXT(order_counts, maximal_digits),
    TEXT(order_counts, all_digits),
    COUNT(order_counts, maximal, .key = "maximal", .has_digits = true,
          .digits_at = offsetof(struct order_counts, maximal_digits), .known = orders_are_known),
    COUNT(order_counts, all, .key = "all", .has_digits = true,
          .digits_at = offsetof(struct order_counts, all_digits), .known = orders_are_known),
    NUMBER(order_counts, list_count),
    LIST(order_counts, list, execution_order, NUMBER, LENGTH(order_counts, list_count)),
    TOLD_AS("words", WORDS, .key = "words", .when = has_words),
};
static const struct members tables_order_counts = {"order_counts", sizeof(struct order_counts),
                                                   WITH(order_counts_rows)};

MAKE(order_statistics, order_point_count, make_count(made, of->points->count))
MAKE(order_statistics, order_points_are_known, make_truth(made, of->counts.is_known))

IF(order_statistics, has_automaton, !of->pairs)
IF(order_statistics, has_pairs, of->pairs)

static const struct member order_rows[] = {
    ONE(order_statistics, points, points),
    MADE("point_count", order_point_count),
    TOLD_AS("point_names", POINTS, .key = "p_points"),
    TRUTH(order_statistics, chosen, .key = "p_points_chosen"),
    ROW(order_statistics, INSIDE, counts, .table = &tables_order_counts, .key = "execution_orders"),
    MADE("are_known", order_points_are_known),
    COUNT(order_statistics, states, .key = "order_automaton_states", .when = has_automaton),
    COUNT(order_statistics, pairs, .key = "order_states", .when = has_pairs),
};
static const struct member_line order_lines[] = {
    {.has_special = true, .special = SPECIAL_POINTS},
    LINE("maximal orders", "{counts.maximal}",
         "execution orders that no run follows any further; {counts.all} p-paths in all"
         "[, an automaton of {states} states][, with {pairs} states: each once for each of them]",
         "are_known"),
    LINE("maximal orders", "unknown", NULL, "!are_known"),
    {.has_special = true, .special = SPECIAL_WORDS},
};
const struct members tables_orders = {"orders", sizeof(struct order_statistics), WITH(order_rows),
                                      LINES(order_lines)};

/* ---- levels in files ---- */

static const struct member snapshot_rows[] = {
    COUNT(snapshot_statistics, frozen_bytes, .key = "frozen_bytes", .unit = UNIT_BYTES),
    COUNT(snapshot_statistics, resumed, .key = "levels_resumed"),
};
static const struct member_line snapshot_lines[] = {
    LINE("frozen", "{frozen_bytes}", "in files", "frozen_bytes"),
    LINE("resumed", "{resumed}", "levels that an earlier run had finished", "resumed"),
};
const struct members tables_snapshot = {"snapshot", sizeof(struct snapshot_statistics),
                                        WITH(snapshot_rows), LINES(snapshot_lines)};

/* ---- peers ---- */

static const struct member peer_rows[] = {
    COUNT(peer_statistics, states, .key = "states"),
    COUNT(peer_statistics, transitions, .key = "transitions"),
    COUNT(peer_statistics, sent, .key = "states_sent"),
    COUNT(peer_statistics, messages, .key = "messages"),
    COUNT(peer_statistics, bytes, .key = "bytes", .unit = UNIT_BYTES),
    COUNT(peer_statistics, memory, .key = "peak_memory_bytes", .unit = UNIT_BYTES),
    ROW(peer_statistics, REAL, waiting, .key = "waiting", .unit = UNIT_SECONDS),
};
static const struct members tables_peer = {"peer", sizeof(struct peer_statistics), WITH(peer_rows)};

/* ---- rounds ---- */

static const struct member round_rows[] = {
    NUMBER(round_statistics, count),
    LIST(round_statistics, states, count, NUMBER, LENGTH(round_statistics, count)),
};
const struct members tables_rounds = {"rounds", sizeof(struct round_statistics), WITH(round_rows)};

/* ---- searches one after the other ---- */

IF(search_brief, brief_has_states, of->has_states)
IF(search_brief, brief_has_depth, of->has_depth)

static const struct member brief_rows[] = {
    TEXT(search_brief, engine, .key = "engine"),
    TRUTH(search_brief, has_states),
    TRUTH(search_brief, has_depth),
    TEXT(search_brief, digits),
    COUNT(search_brief, states, .key = "states", .has_digits = true,
          .digits_at = offsetof(struct search_brief, digits), .known = brief_has_states),
    COUNT(search_brief, depth, .key = "depth", .known = brief_has_depth),
    CHOICE(search_brief, stop, STOP_COUNT, .words = stop_reason_text, .key = "stop",
           .none_is_null = true),
    ROW(search_brief, REAL, seconds, .key = "seconds", .unit = UNIT_SECONDS),
};
static const struct members tables_brief = {"brief", sizeof(struct search_brief), WITH(brief_rows)};

/* ---- every engine ---- */

static void order_word(view *v, const void *owner, value *made)
{
    const struct result *result = owner;
    (void)v;
    if (result->bounded) make_text(made, "deepening");
    else if (result->reduction != REDUCE_NONE && !result->symbolic && !result->clusters)
        make_text(made, "two-phase");
    else if (result->partition)
        make_text(made, result->partition->hidden ? "p-paths, hidden" : "p-paths");
    else
        make_text(made, search_order_name[result->symbolic ? result->symbolic->order
                                          : result->clusters || result->parts ? ORDER_PAST_FREEZE
                                          : result->order                     ? result->order
                                                                              : ORDER_BFS]);
}

MAKE(result, process_count, make_count(made, v->model->processes.len))
MAKE(result, variable_count, make_count(made, v->model->vars.len))
MAKE(result, rule_count, make_count(made, v->model->rules.len))
MAKE(result, rate,
     make_count(made, (uint64_t)(of->seconds > 0 ? (double)of->states / of->seconds : 0)))
MAKE(result, longest_path, make_count(made, of->max_stack ? of->max_stack - 1 : 0))
IF(result, counts_states, !of->bounded)
IF(result, counts_transitions, !of->bounded && !of->no_transitions)
IF(result, counts_deadlocks, !of->bounded && !of->no_deadlocks)
IF(result, knows_depth, of->has_depth)
IF(result, has_peers, of->peers)
IF(result, left_unreduced, of->unreduced_properties)
IF(result, is_reduced, of->reduction != REDUCE_NONE)
IF(result, was_chosen, of->why_engine)
IF(result, has_searches, of->search_count >= 2)
IF(result, has_detail, of->stop_detail)
IF(result, has_finals, v->model->has_final && !of->bounded && !of->symbolic)
IF(result, expands, !of->symbolic && !of->bounded)
IF(result, has_threads, of->threads > 1)
IF(result, has_native, of->native)
IF(result, has_hidden, of->searched)
IF(result, has_stack,
   !of->bounded && !of->has_depth && (of->max_stack || !result_is_influenced(of)) && !of->partition
       && !of->symbolic && !of->clusters && !of->parts && of->reduction == REDUCE_NONE
       && of->order != ORDER_BEST_FIRST)
MAKE(result, tells_stack, make_truth(made, has_stack(v, owner)))

/* Counts that have digits when they do not fit. */
#define TOTAL(member, ...)                                                                         \
    COUNT(result, member, .key = #member, .is_total = true, .has_digits = true,                    \
          .digits_at = offsetof(struct result, exact.member), __VA_ARGS__)
#define DIGITS(member)                                                                             \
    {                                                                                              \
        .name = "exact_" #member, .kind = MEMBER_TEXT, .at = offsetof(struct result, exact.member) \
    }

static const struct member result_rows[] = {
    TEXT(result, engine),
    TOTAL(states, .known = counts_states),
    TOTAL(transitions, .known = counts_transitions),
    TOTAL(initial_states, .known = counts_states),
    TOTAL(deadlocks, .known = counts_deadlocks),
    DIGITS(states),
    DIGITS(transitions),
    DIGITS(initial_states),
    DIGITS(deadlocks),
    COUNT(result, depth, .key = "depth", .is_total = true, .known = knows_depth),
    ROW(result, REAL, seconds, .key = "seconds", .is_total = true, .unit = UNIT_SECONDS),
    COUNT(result, peak_bytes, .key = "peak_memory_bytes", .is_total = true, .unit = UNIT_BYTES),
    MADE("order_word", order_word, .key = "order"),
    NUMBER(result, unreduced_properties, .key = "unreduced_properties", .when = left_unreduced),
    COUNT(result, unreduced_states, .key = "unreduced_states", .when = left_unreduced),
    CHOICE(result, reduction, REDUCE_STEPS + 1, .words = reduction_name, .key = "reduction",
           .when = is_reduced),
    CHOICE(result, keeps, KEEP_DEADLOCK + 1, .words = keeping_name),
    LIST(result, kept, truth, VARIABLES),
    TEXT(result, why_engine, .key = "why_engine", .when = was_chosen),
    NUMBER(result, search_count),
    LIST(result, searches, brief, NUMBER, LENGTH(result, search_count), .key = "searches",
         .when = has_searches),
    TRUTH(result, no_transitions),
    TRUTH(result, no_deadlocks),
    TRUTH(result, complete),
    TRUTH(result, all_states),
    CHOICE(result, order, ORDER_COUNT, .words = search_order_name),
    TRUTH(result, has_depth),
    CHOICE(result, stop, STOP_COUNT, .words = stop_reason_text, .key = "stop",
           .none_is_null = true),
    TEXT(result, stop_detail, .key = "stop_detail", .when = has_detail),
    COUNT(result, runtime_errors, .key = "runtime_errors", .when = counts_states),
    COUNT(result, ends, .key = "ends", .when = has_finals),
    COUNT(result, expanded, .key = "expanded", .when = expands),
    NUMBER(result, threads, .key = "threads", .when = has_threads),
    TEXT(result, native, .key = "native", .when = has_native),
    MADE("processes", process_count, .key = "processes"),
    MADE("variables", variable_count, .key = "variables"),
    MADE("rules", rule_count, .key = "rules"),
    NUMBER(result, state_bits, .key = "state_bits"),
    TOLD_AS("hidden", HIDDEN, .key = "", .when = has_hidden),
    ONE(result, bounded, bounded, .key = ""),
    ONE(result, symbolic, symbolic, .key = ""),
    NUMBER(result, record_bytes, .key = "state_bytes", .when = expands),
    ONE(result, timed, timed, .key = ""),
    ONE(result, clusters, clusters, .key = ""),
    ONE(result, parts, parts, .key = ""),
    ONE(result, rounds, rounds),
    ONE(result, snapshot, snapshot, .key = ""),
    NUMBER(result, peer_count),
    LIST(result, peers, peer, NUMBER, LENGTH(result, peer_count), .key = "ranks",
         .when = has_peers),
    ONE(result, partition, partition, .key = ""),
    ONE(result, orders, orders, .key = ""),
    COUNT(result, max_stack, .key = "longest_stack", .when = has_stack),
    COUNT(result, level_count),
    LIST(result, levels, count, COUNT, LENGTH(result, level_count), .key = "levels",
         .when = counts_states),
    TOLD_AS("silence", SILENCE, .key = "", .when = counts_states),
    LIST(result, taken, count, RULES),
    LIST(result, reached, byte, REACHED),
    LIST(result, reached_first, count, PROCESSES),
    ROW(result, ABSENT, searched),
    TEXT(result, refused),
    CHOICE(result, refused_for, STOP_COUNT, .words = stop_reason_text),
    TEXT(result, broken),
    MADE("rate", rate),
    MADE("longest_path", longest_path),
    MADE("tells_stack", tells_stack),
};

static const struct member lines_of[] = {
    ONE(result, timed, timed),       ONE(result, symbolic, symbolic),
    ONE(result, parts, parts),       ONE(result, partition, partition),
    ONE(result, clusters, clusters), ONE(result, snapshot, snapshot),
    ONE(result, orders, orders),
};
enum { OF_TIMED, OF_SYMBOLIC, OF_PARTS, OF_PARTITION, OF_CLUSTERS, OF_SNAPSHOT, OF_ORDERS };

static const struct member_line result_lines[] = {
    LINE("states", "{states}", NULL, "!timed"),
    LINE("symbolic states", "{states}", NULL, "timed"),
    LINE("transitions", "{transitions}", NULL, "!no_transitions"),
    LINE("initial states", "{initial_states}", NULL, NULL),
    LINE("deadlocks", "{deadlocks}", NULL, "!no_deadlocks"),
    LINE("ends", "{ends}", NULL, "ends"),
    LINE("run-time errors", "{runtime_errors}", NULL, "runtime_errors"),
    LINE("depth", "{depth}", NULL, "has_depth"),
    {.lines_of = &lines_of[OF_TIMED]},
    LINE("time", "{seconds:.3} s",
         "{symbolic.encoding_seconds:.3} s to encode, {symbolic.reach_seconds:.3} s to explore",
         "symbolic"),
    LINE("memory", "{peak_bytes}",
         "{state_bits:u} bits per state; the states take {symbolic.set_nodes} nodes, at most "
         "{symbolic.peak_nodes:u} were in use",
         "symbolic"),
    {.lines_of = &lines_of[OF_SYMBOLIC]},
    {.lines_of = &lines_of[OF_PARTS], .when = "!symbolic"},
    {.lines_of = &lines_of[OF_PARTITION], .when = "!symbolic"},
    {.lines_of = &lines_of[OF_ORDERS]},
    LINE("longest path", "{longest_path}", NULL, "tells_stack !rounds"),
    LINE("time", "{seconds:.2} s", "{rate} states per second", "!symbolic"),
    LINE("memory", "{peak_bytes}",
         "the most that one part needed; {state_bits:u} bits per state, stored in {record_bytes:u} "
         "bytes",
         "!symbolic parts"),
    LINE("memory", "{peak_bytes}",
         "{state_bits:u} bits per state, stored in {record_bytes:u} bytes", "!symbolic !parts"),
    {.lines_of = &lines_of[OF_CLUSTERS], .when = "!symbolic"},
    {.lines_of = &lines_of[OF_SNAPSHOT], .when = "!symbolic"},
    {.has_special = true, .special = SPECIAL_PEERS, .when = "peer_count"},
};
const struct members tables_result = {"result", sizeof(struct result), WITH(result_rows),
                                      LINES(result_lines)};

/* ---- properties and their evidence ---- */

static const struct member trace_rows[] = {
    LIST(trace, initial, integer, VARIABLES),
    NUMBER(trace, steps),
    LIST(trace, rules, number, STATES, LENGTH(trace, steps)),
    NUMBER(trace, loop),
    NUMBER(trace, failed_rule),
    LIST(trace, delays, integer, STATES, LENGTH(trace, steps)),
    ROW(trace, INTEGER, denominator),
};
const struct members tables_trace = {"trace", sizeof(struct trace), WITH(trace_rows)};

static const struct member branch_rows[] = {
    ONE(trace_branch, trace, trace), NUMBER(trace_branch, parent), NUMBER(trace_branch, from),
    TEXT(trace_branch, part),        TRUTH(trace_branch, value),   TEXT(trace_branch, open),
};
static const struct members tables_branch = {"branch", sizeof(struct trace_branch),
                                             WITH(branch_rows)};

static const struct member further_rows[] = {ONE(trace_further, trace, trace)};
static const struct members tables_further = {"further", sizeof(struct trace_further),
                                              WITH(further_rows)};

static const struct member extent_end_rows[] = {
    TRUTH(extent_end, is_asked), TRUTH(extent_end, is_known),      TRUTH(extent_end, is_infinite),
    TRUTH(extent_end, is_open),  ROW(extent_end, INTEGER, number),
};
static const struct members tables_extent_end = {"extent_end", sizeof(struct extent_end),
                                                 WITH(extent_end_rows)};

static const struct member extent_rows[] = {
    TEXT(extent, term),
    TRUTH(extent, is_clock),
    ROW(extent, INSIDE, sup, .table = &tables_extent_end),
    ROW(extent, INSIDE, inf, .table = &tables_extent_end),
};
static const struct members tables_extent = {"extent", sizeof(struct extent), WITH(extent_rows)};

static const struct member place_rows[] = {
    NUMBER(place, source),
    NUMBER(place, line),
    NUMBER(place, column),
};
static const struct members tables_place = {"place", sizeof(struct place), WITH(place_rows)};

static const struct member property_rows[] = {
    TEXT(model_property, name),
    CHOICE(model_property, kind, PROPERTY_QUERY + 1, .words = property_kind_name),
    NUMBER(model_property, root),
    TEXT(model_property, text),
    ROW(model_property, INSIDE, place, .table = &tables_place),
    NUMBER(model_property, query),
};
static const struct members tables_property = {"property", sizeof(struct model_property),
                                               WITH(property_rows)};

/* Expressions and formulas are numbers in the model. */
static const struct member property_result_rows[] = {
    ONE(property_result, property, property),
    CHOICE(property_result, kind, PROPERTY_QUERY + 1, .words = property_kind_name),
    TRUTH(property_result, watched_only),
    TRUTH(property_result, in_each_state),
    NUMBER(property_result, invariant),
    TRUTH(property_result, seeks),
    TRUTH(property_result, has_safety),
    NUMBER(property_result, safety),
    NUMBER(property_result, antecedent),
    TRUTH(property_result, has_antecedent),
    TRUTH(property_result, antecedent_met),
    TRUTH(property_result, antecedent_never),
    TRUTH(property_result, is_reachability),
    CHOICE(property_result, verdict, VERDICT_VIOLATED + 1, .words = verdict_name),
    ROW(property_result, REASON, reason),
    TEXT(property_result, engine),
    TEXT(property_result, method),
    TRUTH(property_result, has_bound),
    COUNT(property_result, bound),
    COUNT(property_result, cycles),
    ONE(property_result, trace, trace),
    NUMBER(property_result, further_count),
    LIST(property_result, further, further, NUMBER, LENGTH(property_result, further_count)),
    LIST(property_result, last, integer, VARIABLES),
    TRUTH(property_result, has_end),
    NUMBER(property_result, end),
    TRUTH(property_result, end_value),
    NUMBER(property_result, branch_count),
    LIST(property_result, branches, branch, NUMBER, LENGTH(property_result, branch_count)),
    TRUTH(property_result, branches_cut),
    NUMBER(property_result, value_count),
    LIST(property_result, values, extent, NUMBER, LENGTH(property_result, value_count)),
};
const struct members tables_property_result = {"property_result", sizeof(struct property_result),
                                               WITH(property_result_rows)};

const struct members *const tables_all[] = {
    &tables_count,        &tables_number,   &tables_integer,         &tables_byte,
    &tables_truth,        &tables_text,     &tables_iteration,       &tables_symbolic,
    &tables_depth,        &tables_bounded,  &tables_timed,           &tables_size,
    &tables_clusters,     &tables_part,     &tables_parts,           &tables_location,
    &tables_points,       &tables_path,     &tables_partition,       &tables_execution_order,
    &tables_order_counts, &tables_orders,   &tables_snapshot,        &tables_peer,
    &tables_rounds,       &tables_brief,    &tables_result,          &tables_trace,
    &tables_branch,       &tables_further,  &tables_extent_end,      &tables_extent,
    &tables_place,        &tables_property, &tables_property_result, NULL};
