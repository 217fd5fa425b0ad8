#include "run/handover.h"

#include "run/wire.h"

#include <assert.h>
#include <string.h>

bool handover_write(int socket, uint64_t race, const struct task *task, const struct model *model)
{
    const struct result nothing = {.engine = ""}; /* what was counted is the reader's own */
    const struct wire message = wire_of(model, task, &nothing);
    return wire_send(&message, (const uint64_t[2]){race, 0}, socket);
}

static bool is_tree(const struct property_result *told)
{
    return told->has_end || told->branch_count;
}

/* What is taken is no longer the message's. */
static void take(struct property_result *entry, struct property_result *told, struct model *model,
                 const char *engine)
{
    assert(entry->verdict == VERDICT_UNKNOWN && !entry->trace);
    entry->verdict = told->verdict;
    entry->engine = engine;
    entry->trace = told->trace;
    entry->has_bound = told->has_bound;
    entry->bound = told->bound;
    entry->cycles = told->cycles;
    entry->antecedent_met = told->antecedent_met;
    entry->antecedent_never = told->antecedent_never;
    entry->method =
        told->method ? names_intern(&model->names, told->method, strlen(told->method)) : NULL;
    entry->reason =
        is_tree(told) ? names_format(&model->names, "--engine %s shows all of its evidence", engine)
                      : NULL;
    told->trace = NULL;
}

bool handover_read(int socket, uint64_t race, struct task *task, const struct model *model,
                   const char *engine)
{
    struct wire message;
    const bool good = wire_receive(&message, (const uint64_t[2]){race, 0}, model->mem, socket)
                      && wire_fits(&message, model, task);
    for (uint32_t i = 0; good && i < task->property_count; i++)
        if (task->properties[i].verdict == VERDICT_UNKNOWN
            && message.properties[i].verdict != VERDICT_UNKNOWN)
            take(&task->properties[i], &message.properties[i], task->model, engine);
    wire_free(&message, model->mem);
    return good;
}
