#define XXH_INLINE_ALL
/* The texts of all sources are hashed, not the model that became of them: they are at hand, and
 * what a text becomes depends on nothing but the version of the program and what is listed here. */
#include "run/identity.h"

#include "base/version.h"
#include "run/load.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

static void add_ask(struct text *text, const struct session *session)
{
    const struct ask *ask = session->ask;
    for (uint32_t i = 0; i < ask->defines.len; i++)
        text_add(text, "constant %s %" PRId64 "\n", ask->defines.data[i].name,
                 ask->defines.data[i].value);
    if (ask->dialect) text_add(text, "dialect %s\n", ask->dialect);
    if (session->context) text_add(text, "context %s\n", session->context->name);
    const struct model_guide *guide = session->model->guide;
    if (!guide) return;
    const char *name = strrchr(guide->name, ':');
    text_add(text, "guide %s, part %u by %s, bound %" PRIu64 ", filter %u\n",
             name ? name : guide->name, guide->part, guide->split ? guide->split : "nothing",
             (uint64_t)guide->bound, guide->is_filter);
}

/* A sum, because files may be looked at in different orders. */
static void hash_sources(const struct diag *diag, uint64_t *low, uint64_t *high)
{
    *low = *high = 0;
    for (uint32_t i = 0; i < diag->sources.len; i++) {
        const struct source *source = &diag->sources.data[i];
        XXH128_hash_t hash = XXH3_128bits(source->text, source->length);
        *low += hash.low64;
        *high += hash.high64;
    }
}

void identity_of_run(const struct session *session, enum engine engine, struct task *task)
{
    struct text text;
    text_init(&text, session->mem);
    text_add(&text, "cairn %s, %s%s, %u properties\n", CAIRN_VERSION,
             session->ask->command == ASK_CHECK ? "check" : "explore",
             task->stop_at_first ? ", first" : "", task->property_count);
    if (task->prefixes) text_add(&text, "p-paths %" PRIu64 "\n", task->prefixes);
    for (uint32_t i = 0; task->prefixes && i < task->points->count; i++)
        text_add(&text, "p-point %s\n", task->points->names[i]);
    if (task->freeze && task->order != ORDER_PAST_FREEZE) text_add(&text, "levels\n");
    if (engine == ENGINE_TIMED)
        text_add(&text, "timed, zones %s\n", zone_storage_name[task->zones]);
    for (uint32_t i = 0; i < task->property_count; i++)
        text_add(&text, "%s %u %u\n", task->properties[i].property->name,
                 (unsigned)task->properties[i].kind, task->properties[i].watched_only);
    add_ask(&text, session);
    uint64_t low, high;
    assert(session->diag.sources.len > 0); /* whatever has a model was read */
    hash_sources(&session->diag, &low, &high);
    text_add(&text, "sources %" PRIu64 " %" PRIu64 "\n", low, high);
    XXH128_hash_t hash = XXH3_128bits(text.data, text.len);
    text_free(&text);
    task->freeze_hash[0] = hash.low64;
    task->freeze_hash[1] = hash.high64;
}
