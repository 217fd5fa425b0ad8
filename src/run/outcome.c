#define XXH_INLINE_ALL
#include "run/outcome.h"

#include "base/text.h"
#include "run/wire.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

/* Of the run, and of the part as the journal has it: the outcome of another part is not taken. */
static void identify(const struct parts *parts, uint32_t part, uint64_t identity[2])
{
    const struct parts_line *line = &parts->lines.data[part];
    const uint64_t words[] = {parts->hash[0], parts->hash[1],  part,        line->parent,
                              line->rank,     line->last_rank, line->begin, line->end};
    const XXH128_hash_t hash = XXH3_128bits(words, sizeof words);
    identity[0] = hash.low64;
    identity[1] = hash.high64;
}

static char *name_of(const struct parts *parts, uint32_t part, const char *attempt,
                     const char *file)
{
    struct text text;
    text_init(&text, parts->mem);
    text_add(&text, "%s/%06u/%s/%s", parts->folder, part, attempt, file);
    return text.data;
}

const char *outcome_write(const struct parts *parts, uint32_t part, const char *attempt,
                          const struct task *task, const struct result *result)
{
    uint64_t identity[2];
    struct wire message = wire_of(task->model, task, result);
    struct cluster_statistics clusters;
    if (result->clusters) { /* sizes of clusters can be very many, and are not told of parts */
        clusters = *result->clusters;
        clusters.sizes = NULL;
        clusters.quantiles = NULL;
        clusters.size_count = clusters.size_room = 0;
        message.result.clusters = &clusters;
    }
    identify(parts, part, identity);
    const char *why = wire_save(&message, identity, name_of(parts, part, attempt, "outcome"),
                                name_of(parts, part, attempt, "outcome.new"));
    char *folder = name_of(parts, part, attempt, "");
    files_sync_folder(folder);
    mem_free(parts->mem, folder);
    return why;
}

/* ---- reading ---- */

static void take_verdict(struct property_result *entry, const struct property_result *told)
{
    entry->antecedent_met |= told->antecedent_met;
    if ((told->verdict == VERDICT_VIOLATED && entry->verdict != VERDICT_VIOLATED)
        || (told->verdict == VERDICT_HOLDS && entry->is_reachability)) {
        entry->verdict = told->verdict;
        entry->reason = NULL;
    } else if (result_reason(told->reason) == REASON_CANNOT_EVALUATE
               && entry->verdict == VERDICT_UNKNOWN) {
        entry->reason = result_cannot_evaluate;
    }
}

/* Found with a run in one part and without one in another, it has a run. What is taken is no longer
 * the message's. */
static void take_evidence(struct model *model, struct property_result *entry,
                          struct property_result *told)
{
    assert(!told->trace || !told->last); /* invariant 9 of result.h */
    if (told->trace) {
        if (entry->last) entry->reason = NULL;
        entry->last = NULL;
        if (entry->trace) return;
        entry->trace = told->trace;
        told->trace = NULL;
    } else if (told->last && !entry->trace && !entry->last) {
        entry->last = told->last;
        entry->reason = arena_copy(&model->arena, told->reason, strlen(told->reason));
        told->last = NULL;
    }
}

static void take_coverage(const struct wire *message, struct result *result)
{
    const struct result *told = &message->result;
    for (uint32_t r = 0; told->taken && r < message->shape.rules; r++)
        result->taken[r] += told->taken[r];
    for (uint64_t i = 0; told->reached && i < message->shape.reached; i++)
        result->reached[i] |= told->reached[i];
}

static void take_clusters(const struct cluster_statistics *clusters, struct mem *mem,
                          struct outcome *outcome)
{
    outcome->handed_on = clusters->handed_on;
    outcome->frozen_bytes = clusters->frozen_bytes;
    outcome->live_peak = clusters->live_peak;
    for (uint64_t i = 0; clusters->handed_on && i < clusters->rest_count; i++) {
        struct cluster_size one = clusters->rest[i];
        one.rank -= clusters->lowest;
        vec_push(mem, &outcome->rest, one);
    }
}

static void take_counts(const struct result *told, struct model *model, struct outcome *outcome)
{
    *outcome = (struct outcome){.stop = told->stop,
                                .states = told->states,
                                .transitions = told->transitions,
                                .initial_states = told->initial_states,
                                .deadlocks = told->deadlocks,
                                .ends = told->ends,
                                .runtime_errors = told->runtime_errors,
                                .expanded = told->expanded,
                                .peak_bytes = told->peak_bytes,
                                .seconds = told->seconds};
    if (told->stop_detail)
        outcome->detail = arena_copy(&model->arena, told->stop_detail, strlen(told->stop_detail));
    if (told->timed) outcome->timed = *told->timed;
    if (told->clusters) take_clusters(told->clusters, model->mem, outcome);
}

bool outcome_read(const struct parts *parts, uint32_t part, const char *attempt, struct task *task,
                  struct result *result, struct outcome *outcome)
{
    struct model *model = task->model;
    struct wire message;
    uint64_t identity[2];
    char *path = name_of(parts, part, attempt, "outcome");
    identify(parts, part, identity);
    bool good = wire_load(&message, identity, model->mem, path) && wire_fits(&message, model, task);
    mem_free(parts->mem, path); /* parts can be very many */
    if (good) {
        take_counts(&message.result, model, outcome);
        take_coverage(&message, result);
        for (uint32_t i = 0; i < task->property_count; i++) {
            outcome->violated |=
                message.properties[i].verdict == VERDICT_VIOLATED && !message.properties[i].seeks;
            take_verdict(&task->properties[i], &message.properties[i]);
            take_evidence(model, &task->properties[i], &message.properties[i]);
        }
    }
    wire_free(&message, model->mem);
    return good;
}
