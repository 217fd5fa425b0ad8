#include "result/conclude.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- words ---- */

static const char *be(uint64_t count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

/* Names of some variables, with commas; when there are many, the first ones. */
struct name_list {
    struct text *text;
    uint32_t count;
};

enum { NAMES_SHOWN = 5 };

static void add_name(struct name_list *list, const char *name)
{
    if (list->count++ < NAMES_SHOWN)
        text_add(list->text, "%s%s", list->count > 1 ? ", " : "", name);
}

static void end_names(const struct name_list *list)
{
    if (list->count > NAMES_SHOWN) text_add(list->text, " and %u more", list->count - NAMES_SHOWN);
}

/* ---- reductions ---- */

static uint32_t count_kept(const struct model *model, const bool *kept)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < model->vars.len; v++) count += kept[v];
    return count;
}

void conclude_kept(struct text *text, const struct model *model, const struct task *task,
                   const struct result *result)
{
    static const char *const words[] = {[KEEP_ASKED] = "reachable values of what is asked",
                                        [KEEP_LTL] = "LTL without X",
                                        [KEEP_CTL] = "CTL and LTL without X",
                                        [KEEP_DEADLOCK] = "deadlocks"};
    struct name_list names = {text, 0};
    if (result->symbolic && task->property_count) {
        text_add(text, "keeps for each property what it needs");
        return;
    }
    if (result->timed) {
        text_add(text, "few steps where time stands still, which keeps what is asked about "
                       "reachable states, deadlocks and run-time errors");
        return;
    }
    text_add(text, "keeps %s", words[result->keeps]);
    if (result->keeps != KEEP_LTL && result->keeps != KEEP_CTL) return;
    if (!result->kept) {
        text_add(text, " over what the properties read");
        return;
    }
    uint32_t count = count_kept(model, result->kept);
    if (count == model->vars.len || !count) {
        text_add(text, count ? " over all variables" : " over no variable, and deadlocks");
        return;
    }
    text_add(text, " over ");
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (result->kept[v]) add_name(&names, model->vars.data[v].name);
    end_names(&names);
}

static void add_reduction(struct text *text, const struct model *model, const struct task *task,
                          const struct result *result)
{
    text_add(text, ", reduced (");
    conclude_kept(text, model, task, result);
    text_add(text, ")");
}

/* ---- what was searched ---- */

static void add_bounded_search(struct text *text, const struct task *task,
                               const struct result *result)
{
    const struct bounded_statistics *statistics = result->bounded;
    uint32_t proved = 0, found = 0, open = 0;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        proved += entry->verdict == VERDICT_HOLDS; /* also that what is sought is not there */
        found += entry->verdict == VERDICT_VIOLATED;
        open += entry->verdict == VERDICT_UNKNOWN && !entry->watched_only;
    }
    text_add(text, "%s: runs of up to %" PRIu64 " %s were searched by the bounded engine",
             open    ? "incomplete"
             : found ? "everything asked was decided"
                     : "complete",
             statistics->depth, be(statistics->depth, "step", "steps"));
    if (result->reduction == REDUCE_POR)
        text_add(text,
                 ", with safe steps taken in turn (%" PRIu64 " %s), which keeps LTL without X",
                 statistics->cycles, be(statistics->cycles, "cycle", "cycles"));
    if (result->reduction == REDUCE_STEPS)
        text_add(text, ", several independent rules to a step, which keeps LTL without X");
    if (proved)
        text_add(
            text,
            "; %u %s proved for runs of any length, by induction or because no state can break %s",
            proved, be(proved, "property was", "properties were"), be(proved, "it", "them"));
    if (open && result->stop == STOP_NONE)
        text_add(text, "; %u %s beyond this engine", open,
                 be(open, "property is", "properties are"));
    else if (open)
        text_add(text, "; %s, and nothing is known about longer runs for %u %s",
                 stop_reason_text[result->stop], open, be(open, "property", "properties"));
}

static void add_partitions(struct text *text, const struct partition_statistics *partition)
{
    char count[TEXT_COUNT_ROOM];
    text_add(text, ", in %s %s", text_count(count, partition->partitions),
             be(partition->partitions, "partition", "partitions"));
    if (partition->waiting)
        text_add(text, " (%s p-paths that were found had no turn)",
                 text_count(count, partition->waiting));
    if (partition->hidden)
        text_add(text,
                 "; the position on a p-path is hidden from the comparison of states, so that "
                 "states and "
                 "whole p-paths may be missing, and states are counted once for each partition: "
                 "coverage is not guaranteed");
}

static const char *order_of(const struct result *result)
{
    bool reduced = result->reduction != REDUCE_NONE;
    if (result->symbolic)
        return reduced ? "by partial exploration" : search_order_words[result->symbolic->order];
    if (reduced && !result->timed)
        return result->partition && result->partition->clusters
                   ? "rank by rank (past-freeze), path by path (partitioning points), in two phases"
               : result->partition ? "path by path (partitioning points), in two phases"
               : result->clusters  ? "rank by rank (past-freeze), in two phases"
                                   : "in two phases";
    if (result->partition)
        return result->rounds ? "by the number of interactions, with files"
               : result->partition->clusters
                   ? "rank by rank (past-freeze), path by path (partitioning points)"
                   : "path by path (partitioning points)";
    if (result->parts)
        return result->parts->points ? "in parts, by the beginnings of p-paths"
                                     : "in parts, rank by rank (past-freeze)";
    if (result->clusters) return search_order_words[ORDER_PAST_FREEZE];
    if (result->rounds) return "by the number of interactions";
    return search_order_words[result->order];
}

static const char *completeness(const struct result *result)
{
    return result->complete ? "complete" : "incomplete";
}

/* How many states, in which order, by whom. */
static void add_states(struct text *text, const struct model *model, const struct task *task,
                       const struct result *result)
{
    char buffer[TEXT_COUNT_ROOM];
    const char *states = text_exact(buffer, result->states, result->exact.states),
               *order = order_of(result);
    const char *timed = result->timed ? "symbolic " : "",
               *how = result->symbolic ? "found as one set" : "visited";
    const char *were = be(result->states, "state was", "states were");
    bool reduced = result->reduction != REDUCE_NONE;
    if (reduced && (result->all_states || result->symbolic))
        text_add(text, "%s: %s %s %s %s by the %s engine", completeness(result), states, were, how,
                 order, result->engine);
    else if (result->all_states)
        text_add(text, "%s: all %s reachable %s%s %s %s by the %s engine", completeness(result),
                 states, timed, were, how, order, result->engine);
    else
        text_add(text, "incomplete: %s after %s %s%s, %s, by the %s engine",
                 result->stop == STOP_INFLUENCE ? "the search ended"
                                                : stop_reason_text[result->stop],
                 states, timed, be(result->states, "state", "states"), order, result->engine);
    if (reduced) add_reduction(text, model, task, result);
}

/* What was done to reach the states, and what that proves. */
static void add_search(struct text *text, const struct model *model, const struct task *task,
                       const struct result *result)
{
    add_states(text, model, task, result);
    if (result->all_states && !result->complete)
        text_add(text, ", and then %s", stop_reason_text[result->stop]);
    if (!result->all_states && result->has_depth && result->depth)
        text_add(text, " (every state within %" PRIu64 " steps was expanded)", result->depth - 1);
    if (result->stop_detail) text_add(text, " (%s)", result->stop_detail);
    if (result->all_states && result->parts && !result->parts->is_net)
        text_add(text, " (the count is gross: what several parts visited counts each time)");
    if (result->partition) add_partitions(text, result->partition);
    if (!result->all_states && result->clusters && result->stop != STOP_GUIDE)
        text_add(text, " (%.1f%% of the ranks are done)", 100 * result_progress(result));
    if (result->timed)
        text_add(text, "; time is dense: zones, extrapolated by %s, exact for reachability%s",
                 result->timed->exact ? "the largest constants" : "lower and upper bounds",
                 result->timed->exact ? " and deadlocks" : "");
    else if (!result_is_influenced(result))
        text_add(text, result->symbolic ? "; sets are exact (binary decision diagrams)"
                                        : "; states are stored and compared in full");
}

/* ---- what it stands under ---- */

static bool is_hidden(const struct model *searched, uint32_t v, bool left_out)
{
    const struct model_var *var = &searched->vars.data[v];
    return left_out ? var->is_left_out : var->is_hidden && !model_is_fresh(searched, v);
}

/* Names of hidden variables of which the search made this; returns how many. */
static uint32_t add_hidden_names(struct text *text, const struct model *searched, bool left_out)
{
    struct name_list names = {text, 0};
    for (uint32_t v = 0; v < searched->vars.len; v++)
        if (is_hidden(searched, v, left_out)) add_name(&names, searched->vars.data[v].name);
    end_names(&names);
    return names.count;
}

static bool has_left_out(const struct model *searched)
{
    for (uint32_t v = 0; v < searched->vars.len; v++)
        if (searched->vars.data[v].is_left_out) return true;
    return false;
}

static void add_hidden(struct text *text, const struct result *result)
{
    if (!result->searched) return;
    if (result_is_influenced(result)) {
        text_add(
            text,
            "; states were compared without hidden variables that influence what can be seen (");
        add_hidden_names(text, result->searched, false);
        text_add(text, "): of states that differ in these alone the first one stands for all, so "
                       "that states may "
                       "be missing, and coverage is not guaranteed");
    }
    if (!has_left_out(result->searched)) return;
    text_add(text, "; variables that influence nothing that is asked were left out (");
    add_hidden_names(text, result->searched, true);
    text_add(text, ")");
}

static void add_context(struct text *text, const struct model *model)
{
    if (!model->context) return;
    text_add(text, "; in the context %s", model->context);
    for (uint32_t i = 0; i < model->restrictions.len; i++)
        text_add(text, "%s%s", i ? ", " : ", restricted by ", model->restrictions.data[i]);
    if (model->restrictions.len) text_add(text, ": what that cuts was not searched");
}

static void add_constants(struct text *text, const struct model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->constants.len; i++) {
        const struct model_constant *constant = &model->constants.data[i];
        if (constant->is_set)
            text_add(text, "%s%s = %" PRId64, count++ ? ", " : "; with ", constant->name,
                     constant->value);
    }
}

static const char *reading_text(bool is_filter)
{
    return is_filter ? " as a filter: what it forbids keeps its priority and its deadline"
                     : ", where what it forbids holds no step back, neither by priority nor by a "
                       "deadline";
}

static const char *reading_name(bool is_filter) { return is_filter ? "filter" : "disable"; }

static void add_guide(struct text *text, const struct model *model, const struct result *result)
{
    const struct model_guide *guide = model->guide;
    if (!guide) return;
    text_add(text, "; under the guide %s", guide->name);
    if (guide->split) text_add(text, " (part %u of its split by %s)", guide->part, guide->split);
    if (guide->matters) text_add(text, "%s", reading_text(guide->is_filter));
    if (guide->is_cut)
        text_add(text,
                 ", of which words of up to %" PRIu64
                 " interactions were followed: nothing is said about longer ones",
                 guide->bound);
    else if (guide->bound)
        text_add(text, ", which allows no more than %" PRIu64 " interactions", guide->bound);
    if (!result->rounds || !result->rounds->count) return;
    uint32_t last = result->rounds->count - 1;
    if (result->all_states)
        text_add(text, "; %" PRIu32 " %s enough: one more leads to no other state", last,
                 be(last, "interaction is", "interactions are"));
    else
        text_add(text, "; more than %" PRIu32 " %s needed to reach all states, as far as is known",
                 last ? last - 1 : 0,
                 be(last ? last - 1 : 0, "interaction is", "interactions are"));
}

void conclude_conditions(struct text *text, const struct model *model, const struct result *result)
{
    add_context(text, model);
    add_guide(text, model, result);
    add_constants(text, model);
}

/* ---- what was decided ---- */

static void add_engines(struct text *text, const struct task *task, const struct result *result)
{
    uint32_t others = 0;
    const char *engine = NULL;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (!entry->engine || !strcmp(entry->engine, result->engine)) continue;
        engine = !others || (engine && !strcmp(engine, entry->engine)) ? entry->engine : NULL;
        others++;
    }
    if (others)
        text_add(text, "; %u %s decided by %s%s engine%s", others,
                 be(others, "property was", "properties were"), engine ? "the " : "other",
                 engine ? engine : "", engine ? "" : "s");
    for (uint32_t i = 0; result->bounded && i < task->property_count; i++)
        if (task->properties[i].watched_only && task->properties[i].verdict == VERDICT_UNKNOWN)
            text_add(text, "; run-time errors were looked for in these runs only");
    if (result->why_engine) text_add(text, "; this engine because %s", result->why_engine);
}

static void add_decided(struct text *text, const struct task *task, const struct result *result)
{
    uint32_t in_states = 0, temporal = 0, runs = 0;
    bool reduced = result->reduction != REDUCE_NONE;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (result->unreduced_properties && entry->method) continue;
        const enum query_kind asks = entry->kind == PROPERTY_QUERY
                                         ? task->model->queries.data[entry->property->query].kind
                                         : QUERY_BOUNDS;
        bool in_states_too = entry->in_each_state || (result->timed && entry->is_reachability)
                             || asks == QUERY_ALWAYS || asks == QUERY_SOMETIME;
        in_states += in_states_too;
        if (entry->kind == PROPERTY_QUERY && !in_states_too) {
            runs += entry->verdict != VERDICT_UNKNOWN;
            continue;
        }
        temporal += !in_states_too && entry->verdict != VERDICT_UNKNOWN;
    }
    if (in_states)
        text_add(text, "; %u %s checked in %s", in_states,
                 be(in_states, "property was", "properties were"),
                 !result->all_states ? "the visited states"
                 : reduced           ? "every state of this part"
                                     : "every state");
    if (temporal)
        text_add(text, "; %u temporal %s decided on %s, deadlocked states repeating for ever",
                 temporal, be(temporal, "property was", "properties were"),
                 result->symbolic ? "the sets"
                 : result->timed  ? "the zone graph"
                 : reduced        ? "the reduced graph"
                                  : "the whole graph");
    if (runs)
        text_add(text, "; %u %s answered on zone graphs of their own, resting for ever included",
                 runs, be(runs, "query was", "queries were"));
    if (result->unreduced_properties) {
        char count[TEXT_COUNT_ROOM];
        text_add(text, "; %u %s looked at by a second search without reduction, of %s states",
                 result->unreduced_properties,
                 be(result->unreduced_properties, "property was", "properties were"),
                 text_count(count, result->unreduced_states));
    }
}

void conclude_sentence(struct text *text, const struct model *model, const struct task *task,
                       const struct result *result)
{
    if (result->bounded) add_bounded_search(text, task, result);
    else add_search(text, model, task, result);
    add_hidden(text, result);
    add_context(text, model);
    add_guide(text, model, result);
    add_constants(text, model);
    if (!result->bounded) {
        add_decided(text, task, result);
        if (task->weakly_fair) text_add(text, "; LTL only on runs that are fair to every process");
        if (result->runtime_errors)
            text_add(text, "; steps that fail at run time are not followed");
    }
    add_engines(text, task, result);
}

/* ---- the same for machines ---- */

static void put_names(struct out *json, const char *key, const struct model *model,
                      const bool *chosen)
{
    out_key(json, key);
    out_open_inline(json, '[');
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (chosen[v]) out_string(json, model->vars.data[v].name);
    out_close(json, ']');
}

static void put_reduction(struct out *json, const struct model *model, const struct result *result)
{
    out_key(json, "reduction");
    if (result->reduction == REDUCE_NONE) {
        out_null(json);
        return;
    }
    out_open_inline(json, '{');
    out_key(json, "name");
    out_string(json, reduction_name[result->reduction]);
    out_key(json, "keeps");
    out_string(json, result->bounded               ? keeping_name[KEEP_LTL]
                     : result->keeps == KEEP_ASKED ? "reachability"
                                                   : keeping_name[result->keeps]);
    if (result->kept && result->keeps != KEEP_DEADLOCK)
        put_names(json, "over", model, result->kept);
    out_close(json, '}');
}

void conclude_under(struct out *json, const struct model *model, const struct task *task,
                    const struct result *result)
{
    const struct model_guide *guide = model->guide;
    uint64_t bound = guide && guide->bound ? guide->bound : task->max_depth;
    out_key(json, "under");
    out_open(json, '{');
    out_key(json, "context");
    out_string(json, model->context);
    out_key(json, "restrictions");
    out_open_inline(json, '[');
    for (uint32_t i = 0; i < model->restrictions.len; i++)
        out_string(json, model->restrictions.data[i]);
    out_close(json, ']');
    out_key(json, "guide");
    out_string(json, guide ? guide->name : NULL);
    if (guide && guide->matters) {
        out_key(json, "guide_semantics");
        out_string(json, reading_name(guide->is_filter));
    }
    out_key(json, "bound");
    if (bound) out_uint(json, bound);
    else out_null(json);
    out_key(json, "constants");
    out_open_inline(json, '{');
    for (uint32_t i = 0; i < model->constants.len; i++) {
        if (!model->constants.data[i].is_set) continue;
        out_key(json, model->constants.data[i].name);
        out_int(json, model->constants.data[i].value);
    }
    out_close(json, '}');
    put_reduction(json, model, result);
    if (task->weakly_fair) {
        out_key(json, "fair");
        out_string(json, "weak");
    }
    out_close(json, '}');
}

/* ---- several searches ---- */

void conclude_divided(struct text *text, const struct conclude_division *division)
{
    if (division->are_parts)
        text_add(text,
                 "%u parts of the guide, which together allow what it allows (their automata were "
                 "compared), "
                 "each searched by itself%s",
                 division->count,
                 division->complete
                     ? ": what holds in all of them is proved for all that the guide allows"
                     : "; some were not searched to the end");
    else
        text_add(text,
                 "%u %ss, each searched by itself: what holds is proved for what these %ss let the "
                 "environment do%s",
                 division->count, division->word, division->word,
                 division->complete ? "" : "; some were not searched to the end");
    if (division->semantics) {
        bool is_filter = !strcmp(division->semantics, reading_name(true));
        text_add(text, "; %s%s", division->are_parts ? "the guide" : "each guide",
                 reading_text(is_filter));
    }
    if (!division->complete && division->bound)
        text_add(text,
                 ", and no words of more than %" PRIu64
                 " %s were followed: nothing is said about longer ones",
                 division->bound, be(division->bound, "interaction", "interactions"));
    if (division->restrictions && *division->restrictions)
        text_add(text, "; restricted by %s: what that cuts was not searched",
                 division->restrictions);
    if (division->constants && *division->constants)
        text_add(text, "; with %s", division->constants);
    if (division->reduction && *division->reduction)
        text_add(text, "; reduced: keeps %s", division->reduction);
}

enum verdict conclude_joined(bool seeks, enum verdict before, enum verdict verdict)
{
    enum verdict strong = seeks ? VERDICT_HOLDS : VERDICT_VIOLATED;
    if (before == strong || verdict == strong) return strong;
    return before == VERDICT_UNKNOWN || verdict == VERDICT_UNKNOWN ? VERDICT_UNKNOWN : before;
}

/* ---- status ---- */

/* What is asked may be decided before the search ends: found, or proved by another engine. */
static bool has_asked(const struct task *task)
{
    for (uint32_t i = 0; i < task->property_count; i++)
        if (!task->properties[i].watched_only) return true;
    return false;
}

int conclude_status(bool is_check, const struct task *task, const struct result *result)
{
    if (!is_check)
        return result->runtime_errors ? EXIT_VIOLATED
               : result->complete     ? EXIT_HOLDS
                                      : EXIT_INCONCLUSIVE;
    assert(!result->complete || result->stop == STOP_NONE); /* invariant 2 of result.h */
    switch (result_overall(task->properties, task->property_count)) {
    case VERDICT_VIOLATED: return EXIT_VIOLATED;
    case VERDICT_HOLDS: return result->complete || has_asked(task) ? EXIT_HOLDS : EXIT_INCONCLUSIVE;
    case VERDICT_UNKNOWN: break;
    }
    return EXIT_INCONCLUSIVE;
}
