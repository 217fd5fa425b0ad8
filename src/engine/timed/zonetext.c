#include "engine/timed/zonetext.h"

#include "solver/zone/reduction.h"

#include <inttypes.h>

struct writer {
    struct text *text;
    const struct model *model;
    const struct timers *timers;
    const struct config *config;
    bool any;
};

static void add_name(struct writer *writer, uint32_t clock)
{
    const struct model *model = writer->model;
    uint32_t source = config_clock(writer->config, clock - 1)->source,
             timers = writer->timers->list.len;
    if (source >= timers) {
        text_add(writer->text, "%s", model->clocks.data[source - timers].name);
        return;
    }
    const struct model_rule *rule = &model->rules.data[writer->timers->list.data[source].rule];
    text_add(writer->text, "%s", rule->label);
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process != MODEL_NONE)
            text_add(writer->text, " %s", model->processes.data[process].name);
    }
}

static void separate(struct writer *writer)
{
    if (writer->any) text_add(writer->text, ", ");
    writer->any = true;
}

/* x = leader + constant */
static void add_tie(struct writer *writer, uint32_t clock, uint32_t leader, int64_t distance)
{
    separate(writer);
    add_name(writer, clock);
    text_add(writer->text, " = ");
    if (!leader) {
        text_add(writer->text, "%" PRId64, distance);
        return;
    }
    add_name(writer, leader);
    if (distance)
        text_add(writer->text, " %c %" PRId64, distance < 0 ? '-' : '+',
                 distance < 0 ? -distance : distance);
}

/* x - y < or <= c */
static void add_bound(struct writer *writer, uint32_t x, uint32_t y, dbm_bound bound)
{
    const char *sign = bound_is_strict(bound) ? "<" : "<=";
    separate(writer);
    if (!x) {
        text_add(writer->text, "%" PRId64 " %s ", -bound_constant(bound), sign);
        add_name(writer, y);
        return;
    }
    add_name(writer, x);
    if (y) text_add(writer->text, " - ");
    if (y) add_name(writer, y);
    text_add(writer->text, " %s %" PRId64, sign, bound_constant(bound));
}

void zonetext_add(struct text *text, const struct timers *timers, const struct config *config,
                  const struct dbm *zone)
{
    const struct model *model = timers->model;
    struct writer writer = {text, model, timers, config, false};
    struct zone_reduction reduction = {0};
    if (!reduction_reserve(&reduction, model->mem, zone->size)) mem_refuse(model->mem);
    reduction_compute(&reduction, zone);
    for (uint32_t x = 1; x < zone->size; x++) {
        uint32_t leader = reduction.leader[x];
        if (leader != x) add_tie(&writer, x, leader, bound_constant(dbm_at(zone, x, leader)));
    }
    for (uint32_t a = 0; a < reduction.leaders; a++)
        for (uint32_t b = 0; b < reduction.leaders; b++) {
            dbm_bound bound = reduction.kept[(size_t)a * reduction.stride + b];
            if (bound != BOUND_INFINITY && a != b)
                add_bound(&writer, reduction.clocks[a], reduction.clocks[b], bound);
        }
    reduction_release(&reduction, model->mem);
}
