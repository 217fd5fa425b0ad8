/* Steps that constants switch off. A combination of paths with a condition that is never true makes
 * no rule; so that its names are known all the same, it is noted here, once however many
 * combinations have these names, unless some rule has them. */
#include "lang/fiacre/scope.h"

#include <inttypes.h>

/* What tells two of them apart: names and who takes part. */
static const char *key_of(struct dead_steps *dead, const char *label, const char *port,
                          const uint32_t *processes, uint32_t count)
{
    struct text *text = &dead->text;
    text->len = 0;
    text_add(text, "%s\n%s\n", label, port ? port : "");
    for (uint32_t i = 0; i < count; i++) text_add(text, " %" PRIu32, processes[i]);
    return names_intern(&dead->f->model->names, text->data, text->len);
}

void dead_begin(struct dead_steps *dead, struct fiacre *f)
{
    *dead = (struct dead_steps){.f = f};
    map_init(&dead->keys, f->model->mem);
    map_init(&dead->labels, f->model->mem);
    text_init(&dead->text, f->model->mem);
}

void dead_note(struct dead_steps *dead, struct model_dead_step step, const uint32_t *processes)
{
    struct model *model = dead->f->model;
    const char *key = key_of(dead, step.label, step.port, processes, step.processes);
    if (!map_add(&dead->keys, key, 0, dead->list.len)) return;
    map_add(&dead->labels, names_intern(&model->names, step.label, strlen(step.label)), 0, 0);
    step.first_process = dead->processes.len;
    for (uint32_t i = 0; i < step.processes; i++)
        vec_push(model->mem, &dead->processes, processes[i]);
    vec_push(model->mem, &dead->list, step);
}

/* Marks what the rule has the names of. */
static void find_living(struct dead_steps *dead, const struct model_rule *rule, bool *lives)
{
    struct model *model = dead->f->model;
    if (map_get(&dead->labels, names_intern(&model->names, rule->label, strlen(rule->label)), 0)
        == MAP_NONE)
        return;
    dead->parts.len = 0;
    for (uint32_t i = 0; i < rule->parts; i++)
        vec_push(model->mem, &dead->parts, model->parts.data[rule->first_part + i].process);
    const char *key = key_of(dead, rule->label, rule->port, dead->parts.data, dead->parts.len);
    uint32_t index = map_get(&dead->keys, key, 0);
    if (index != MAP_NONE) lives[index] = true;
}

void dead_finish(struct dead_steps *dead)
{
    struct model *model = dead->f->model;
    bool *lives = mem_alloc(model->mem, dead->list.len + UINT64_C(1));
    for (uint32_t r = 0; r < model->rules.len && dead->list.len; r++)
        find_living(dead, &model->rules.data[r], lives);
    for (uint32_t i = 0; i < dead->list.len; i++) {
        const struct model_dead_step *step = &dead->list.data[i];
        if (!lives[i])
            model_add_dead_step(model, *step, dead->processes.data + step->first_process);
    }
    mem_free(model->mem, lives);
    mem_free(model->mem, dead->keys.entries);
    mem_free(model->mem, dead->labels.entries);
    text_free(&dead->text);
    vec_free(model->mem, &dead->list);
    vec_free(model->mem, &dead->processes);
    vec_free(model->mem, &dead->parts);
}
