#include "run/trim.h"

#include "engine/timed/dating.h"
#include "result/shorten.h"
#include "run/verify.h"

enum { RUN_WORK = 1000000, FAIR_WORK = 100000 };

struct trim {
    const struct model *model;
    const struct task *task;
    const struct property_result *entry;
};

/* Of a timed run: at the dates that its steps had, or as early as they can be. */
static bool shows(void *context, struct trace *tried)
{
    const struct trim *trim = context;
    const struct dating_goal goal = {.failing = tried->failed_rule};
    if (!verify_trace(trim->model, trim->task, trim->entry, tried)) return true;
    return tried->delays && dating_find(trim->model, tried, &goal)
           && !verify_trace(trim->model, trim->task, trim->entry, tried);
}

/* The run shows what it should: otherwise that is told as a bug. */
static struct trace *shorten(const struct model *model, const struct task *task,
                             const struct property_result *entry, uint64_t work)
{
    struct trim trim = {model, task, entry};
    const struct shorten_judge judge = {shows, &trim, work};
    if (!entry->trace || (entry->trace->delays && entry->trace->loop != MODEL_NONE)) return NULL;
    if (verify_trace(model, task, entry, entry->trace)) return NULL;
    return shorten_run(model, entry->trace, &judge);
}

struct trace *trim_run(const struct model *model, const struct task *task,
                       const struct property_result *entry)
{
    return shorten(model, task, entry, RUN_WORK);
}

void trim_loops(const struct model *model, struct task *task)
{
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        if (entry->kind != PROPERTY_LTL || entry->in_each_state || !entry->trace) continue;
        if (entry->trace->loop == MODEL_NONE) continue;
        struct trace *shorter = task->weakly_fair
                                    ? shorten(model, task, entry, FAIR_WORK)
                                    : shorten_loop(model, entry->trace, entry->property->root);
        if (!shorter) continue;
        trace_free(model, entry->trace);
        entry->trace = shorter;
    }
}
