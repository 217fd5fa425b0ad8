/* Automatic choice. Some random runs of the model are made, always the same ones. For every
 * candidate, which is a label with the processes that take part, is noted in how many runs it
 * occurs, how early, and how often it is repeated. What the paper advises: p-points early on the
 * run, so that partitions overlap little, and few of them. A rule that comes again and again makes
 * long p-paths; one that every run takes first does not divide anything, but costs nothing either.
 * The score is
 *
 *     share of runs with it  *  (1 - mean position of its first occurrence / mean length)  /  mean
 *                               number of occurrences
 *
 * and the best one is taken with all others that have at least half of its score, MOST_CHOSEN at
 * most. */
#include "search/points.h"

#include "base/random.h"
#include "model/eval.h"
#include "search/space.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 64, RUN_LENGTH = 200, MOST_CHOSEN = 8 };

/* ---- names ---- */

static uint32_t part_process(const struct model *model, uint32_t rule, uint32_t part)
{
    assert(part < model->rules.data[rule].parts);
    return model->parts.data[model->rules.data[rule].first_part + part].process;
}

/* The same label, and the same processes take part. */
static bool are_one_point(const struct model *model, uint32_t a, uint32_t b)
{
    const struct model_rule *one = &model->rules.data[a], *two = &model->rules.data[b];
    if (strcmp(one->label, two->label) || one->parts != two->parts) return false;
    for (uint32_t i = 0; i < one->parts; i++)
        if (part_process(model, a, i) != part_process(model, b, i)) return false;
    return true;
}

static void add_processes(const struct model *model, struct text *text, uint32_t rule)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < model->rules.data[rule].parts; i++) {
        uint32_t process = part_process(model, rule, i);
        if (process != MODEL_NONE)
            text_add(text, "%s%s", shown++ ? "+" : "", model->processes.data[process].name);
    }
    if (shown) text_add(text, ".");
}

/* The label alone where that says it all. */
static const char *name_point(struct model *model, uint32_t rule)
{
    struct text text;
    bool alone = true;
    text_init(&text, model->mem);
    for (uint32_t r = 0; r < model->rules.len && alone; r++)
        alone = strcmp(model->rules.data[r].label, model->rules.data[rule].label)
                || are_one_point(model, r, rule);
    if (!alone) add_processes(model, &text, rule);
    text_add(&text, "%s", model->rules.data[rule].label);
    const char *name = arena_copy(&model->arena, text.data, text.len);
    text_free(&text);
    return name;
}

/* ---- building ---- */

static void begin(struct points *points, struct model *model)
{
    *points = (struct points){.of_rule = arena_alloc(&model->arena, (model->rules.len + UINT64_C(1))
                                                                        * sizeof *points->of_rule)};
    for (uint32_t r = 0; r < model->rules.len; r++) points->of_rule[r] = MODEL_NONE;
}

static uint32_t new_point(struct points *points, struct model *model, uint32_t rule,
                          const char *name)
{
    if (points->count == points->room) {
        uint32_t room = points->room ? 2 * points->room : 8;
        const char **names = arena_alloc(&model->arena, room * sizeof *names);
        uint32_t *rules = arena_alloc(&model->arena, room * sizeof *rules);
        if (points->count) memcpy(names, points->names, points->count * sizeof *names);
        if (points->count) memcpy(rules, points->rules, points->count * sizeof *rules);
        points->names = names;
        points->rules = rules;
        points->room = room;
    }
    assert(points->count < points->room && (name || rule != MODEL_NONE)); /* it can be named */
    points->names[points->count] = name;
    points->rules[points->count] = rule;
    return points->count++;
}

/* Makes a rule a p-point, that of an earlier rule if they are one. Names come last. */
static void add_rule(struct points *points, struct model *model, uint32_t rule)
{
    uint32_t point = 0;
    if (points->of_rule[rule] != MODEL_NONE) return;
    while (point < points->count
           && (points->rules[point] == MODEL_NONE
               || !are_one_point(model, points->rules[point], rule)))
        point++;
    points->of_rule[rule] = point < points->count ? point : new_point(points, model, rule, NULL);
}

static void name_points(struct points *points, struct model *model)
{
    for (uint32_t i = 0; i < points->count; i++)
        if (!points->names[i]) points->names[i] = name_point(model, points->rules[i]);
}

static void add_location(struct points *points, struct model *model, uint32_t process,
                         int64_t value, const char *name)
{
    uint32_t var = model->processes.data[process].location;
    assert(var != MODEL_NONE && name);
    for (uint32_t i = 0; i < points->location_count; i++)
        if (points->locations[i].var == var && points->locations[i].value == value) return;
    struct point_location *locations =
        arena_alloc(&model->arena, (points->location_count + UINT64_C(1)) * sizeof *locations);
    if (points->location_count)
        memcpy(locations, points->locations, points->location_count * sizeof *locations);
    locations[points->location_count++] =
        (struct point_location){var, value, new_point(points, model, MODEL_NONE, name)};
    points->locations = locations;
}

/* ---- reading ---- */

/* A process by its name, or all of a type. */
static bool is_called(const struct model_process *process, const char *name, size_t length)
{
    const char *type = process->type ? process->type : process->name;
    return (strlen(process->name) == length && !strncmp(process->name, name, length))
           || (strlen(type) == length && !strncmp(type, name, length));
}

static bool takes_part(const struct model *model, uint32_t rule, const char *process, size_t length)
{
    for (uint32_t i = 0; i < model->rules.data[rule].parts; i++) {
        uint32_t p = part_process(model, rule, i);
        if (p != MODEL_NONE && is_called(&model->processes.data[p], process, length)) return true;
    }
    return false;
}

static bool takes_part_dead(const struct model *model, uint32_t step, const char *process,
                            size_t length)
{
    const struct model_dead_step *dead = &model->dead_steps.data[step];
    for (uint32_t i = 0; i < dead->processes; i++)
        if (is_called(&model->processes.data[model->dead_processes.data[dead->first_process + i]],
                      process, length))
            return true;
    return false;
}

/* PROCESS.LABEL: the rest after a dot may be a label, and what is before it a process. */
static bool is_of_process(const char *word, const char *label, size_t *process_length)
{
    size_t length = strlen(word), tail = strlen(label);
    if (length <= tail + 1 || word[length - tail - 1] != '.' || strcmp(word + length - tail, label))
        return false;
    *process_length = length - tail - 1;
    return true;
}

/* A rule, by a name that it has. */
static bool is_named(const struct model *model, uint32_t rule, const char *word, const char *name)
{
    size_t length;
    return !strcmp(name, word)
           || (is_of_process(word, name, &length) && takes_part(model, rule, word, length));
}

static bool is_named_dead(const struct model *model, uint32_t step, const char *word,
                          const char *name)
{
    size_t length;
    return !strcmp(name, word)
           || (is_of_process(word, name, &length) && takes_part_dead(model, step, word, length));
}

static bool add_labels(struct points *points, struct model *model, const char *word)
{
    bool found = false;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (!is_named(model, r, word, rule->label)
            && !(rule->port && is_named(model, r, word, rule->port)))
            continue;
        add_rule(points, model, r);
        found = true;
    }
    return found;
}

/* A step that can never be taken is a p-point that no run passes. */
static bool add_dead(struct points *points, struct model *model, const char *word)
{
    for (uint32_t i = 0; i < model->dead_steps.len; i++) {
        const struct model_dead_step *step = &model->dead_steps.data[i];
        if (!is_named_dead(model, i, word, step->label)
            && !(step->port && is_named_dead(model, i, word, step->port)))
            continue;
        new_point(points, model, MODEL_NONE, word);
        return true;
    }
    return false;
}

/* Its name, or its number. */
static const char *short_name(struct model *model, const struct model_location *location)
{
    return location->name ? location->name
                          : names_format(&model->names, "%" PRId64, location->value);
}

static const char *location_name(struct model *model, uint32_t process,
                                 const struct model_location *location)
{
    return names_format(&model->names, "%s.%s", model->processes.data[process].name,
                        short_name(model, location));
}

/* The location of a process or type, or, without these, all of this name. */
static bool is_location(struct model *model, const struct model_process *process,
                        const struct model_location *location, const char *word)
{
    const char *name = short_name(model, location);
    size_t length = strlen(word), tail = strlen(name);
    if (location->name && !strcmp(word, name)) return true;
    return length > tail + 1 && word[length - tail - 1] == '.'
           && !strcmp(word + length - tail, name) && is_called(process, word, length - tail - 1);
}

static bool add_locations(struct points *points, struct model *model, const char *word)
{
    bool found = false;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t i = 0; process->location != MODEL_NONE && i < process->locations; i++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + i];
            if (!is_location(model, process, location, word)) continue;
            add_location(points, model, p, location->value, location_name(model, p, location));
            found = true;
        }
    }
    return found;
}

/* ---- wrong names ---- */

enum { MOST_LISTED = 8 };

struct listing {
    struct text text;
    uint32_t count;
    const char *shown[MOST_LISTED];
};

static void list_name(struct listing *listing, const char *name)
{
    for (uint32_t i = 0; i < listing->count && i < MOST_LISTED; i++)
        if (!strcmp(listing->shown[i], name)) return;
    if (listing->count < MOST_LISTED) {
        listing->shown[listing->count] = name;
        text_add(&listing->text, "%s%s", listing->count ? ", " : "", name);
    } else if (listing->count == MOST_LISTED) text_add(&listing->text, ", ...");
    listing->count++;
}

/* What there is: labels, and locations with names; of the process that the word begins with, if
 * there is one. */
static void list_names(struct model *model, const char *word, struct listing *listing)
{
    const char *dot = strrchr(word, '.');
    const size_t length = dot ? (size_t)(dot - word) : 0;
    bool any = false;
    for (uint32_t p = 0; p < model->processes.len && dot; p++)
        any |= is_called(&model->processes.data[p], word, length);
    for (uint32_t r = 0; r < model->rules.len && listing->count <= MOST_LISTED; r++)
        if (model->rules.data[r].label[0] && (!any || takes_part(model, r, word, length)))
            list_name(listing, model->rules.data[r].label);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t i = 0;
             process->location != MODEL_NONE && i < process->locations
             && listing->count <= MOST_LISTED && (!any || is_called(process, word, length));
             i++)
            list_name(
                listing,
                any ? short_name(model, &model->locations.data[process->first_location + i])
                    : location_name(model, p, &model->locations.data[process->first_location + i]));
    }
    if (any) text_add(&listing->text, " (of %.*s)", (int)length, word);
}

static const char *find_nearest(struct model *model, const char *word)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        text_nearest(word, model->rules.data[r].label, &nearest, &distance);
        for (uint32_t i = 0; i < model->rules.data[r].parts; i++) {
            uint32_t process = part_process(model, r, i);
            if (process != MODEL_NONE)
                text_nearest(word,
                             names_format(&model->names, "%s.%s",
                                          model->processes.data[process].name,
                                          model->rules.data[r].label),
                             &nearest, &distance);
        }
    }
    for (uint32_t i = 0; i < model->dead_steps.len; i++)
        text_nearest(word, model->dead_steps.data[i].label, &nearest, &distance);
    for (uint32_t p = 0; p < model->processes.len; p++)
        for (uint32_t i = 0; i < model->processes.data[p].locations; i++) {
            const struct model_location *location =
                &model->locations.data[model->processes.data[p].first_location + i];
            if (location->name) text_nearest(word, location->name, &nearest, &distance);
            text_nearest(word, location_name(model, p, location), &nearest, &distance);
        }
    return nearest;
}

static void complain(struct model *model, const char *word, struct text *complaint)
{
    const char *nearest = find_nearest(model, word);
    text_add(complaint,
             "--partition: no rule of the model has the label '%.60s', and no process has such a "
             "location",
             word);
    if (nearest) text_add(complaint, ": did you mean '%s'?", nearest);
    if (nearest) return;
    struct listing listing = {.count = 0};
    text_init(&listing.text, model->mem);
    list_names(model, word, &listing);
    if (listing.count) text_add(complaint, "; there are %s", listing.text.data);
    text_free(&listing.text);
}

bool points_read(struct points *points, struct model *model, const char *labels,
                 struct text *complaint)
{
    begin(points, model);
    for (const char *at = labels; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        const char *from = at;
        for (; length && from[0] == ' '; length--) from++;
        while (length && from[length - 1] == ' ') length--;
        const char *word = arena_copy(&model->arena, from, length);
        if (!length)
            text_add(complaint, "--partition needs labels of rules, separated by commas, or auto");
        if (!length) return false;
        if (add_labels(points, model, word) || add_locations(points, model, word)
            || add_dead(points, model, word))
            continue;
        complain(model, word, complaint);
        return false;
    }
    name_points(points, model);
    return true;
}

/* ---- while searching ---- */

uint32_t points_entered(const struct points *points, const struct layout *layout,
                        const uint64_t *before, const uint64_t *after)
{
    for (uint32_t i = 0; i < points->location_count; i++) {
        const struct point_location *at = &points->locations[i];
        const struct field *field = &layout->fields[at->var];
        if (field_get(field, after) == at->value && field_get(field, before) != at->value)
            return at->point;
    }
    return MODEL_NONE;
}

/* ---- choosing ---- */

struct candidate {
    uint32_t runs;      /* in which it occurs */
    uint64_t positions; /* of the first occurrences */
    uint64_t times;
    uint32_t last_run;
};

struct sampler {
    struct space space;
    struct worker worker; /* whose words are where the run has come */
    struct points all;    /* every rule is a p-point: the candidates */
    struct candidate *candidates;
    uint64_t steps;
    struct random random;
};

static uint32_t draw(struct sampler *sampler, uint32_t below)
{
    return (uint32_t)random_below(&sampler->random, below);
}

/* One random step; false: there is none. */
static bool take_step(struct sampler *sampler, uint32_t *point)
{
    struct worker *worker = &sampler->worker;
    struct batch *batch = &worker->batch;
    uint32_t chosen = 0;
    if (!space_take_discrete(worker)) mem_refuse(sampler->space.mem);
    const uint32_t enabled = batch->step_count;
    for (uint32_t i = 0; i < enabled; i++)
        if (!draw(sampler, i + 1))
            chosen = i; /* the n-th one replaces the choice once in n times */
    if (enabled) {
        *point = sampler->all.of_rule[batch->steps[chosen].fast->rule];
        memcpy(worker->words, batch_words(batch, chosen), batch->words * sizeof(uint64_t));
    }
    batch_clear(batch);
    return enabled != 0;
}

static void sample(struct sampler *sampler, uint32_t number)
{
    const struct space *space = &sampler->space;
    uint32_t point = MODEL_NONE;
    layout_pack(&space->layout, space->model, space->initial, sampler->worker.words);
    for (uint32_t i = 0; i < RUN_LENGTH && take_step(sampler, &point); i++) {
        assert(point < sampler->all.count); /* every rule is a candidate */
        struct candidate *candidate = &sampler->candidates[point];
        if (candidate->last_run != number) {
            candidate->last_run = number;
            candidate->runs++;
            candidate->positions += i;
        }
        candidate->times++;
        sampler->steps++;
    }
}

static double score(const struct sampler *sampler, const struct candidate *candidate)
{
    if (!candidate->runs) return 0;
    double length = (double)sampler->steps / RUNS,
           position = (double)candidate->positions / candidate->runs;
    double early = position < length ? 1 - position / (length + 1) : 0;
    assert(candidate->runs <= RUNS && candidate->runs <= candidate->times);
    return (double)candidate->runs / RUNS * early * candidate->runs / (double)candidate->times;
}

static void choose(struct sampler *sampler, struct points *points)
{
    double first = 0;
    while (points->count < MOST_CHOSEN) {
        struct candidate *best = NULL;
        for (uint32_t i = 0; i < sampler->all.count; i++)
            if (!best || score(sampler, &sampler->candidates[i]) > score(sampler, best))
                best = &sampler->candidates[i];
        double reached = best ? score(sampler, best) : 0;
        if (reached <= 0 || reached < first / 2) break;
        if (first <= 0) first = reached;
        for (uint32_t r = 0; r < sampler->space.model->rules.len; r++)
            if (&sampler->candidates[sampler->all.of_rule[r]] == best)
                add_rule(points, sampler->space.model, r);
        best->runs = 0; /* it is taken */
    }
    name_points(points, sampler->space.model);
}

/* Runs are made without a set, and without time. */
static const struct space_kind sampled = {.engine = "explicit"};

void points_choose(struct points *points, struct model *model)
{
    struct mem *mem = model->mem;
    struct sampler sampler = {.random = {1}};
    space_init(&sampler.space, &sampled, model);
    if (!worker_open(&sampler.worker, &sampler.space, mem, true)) mem_refuse(mem);
    begin(points, model);
    begin(&sampler.all, model);
    for (uint32_t r = 0; r < model->rules.len; r++) add_rule(&sampler.all, model, r);
    sampler.candidates =
        mem_alloc(mem, (sampler.all.count + UINT64_C(1)) * sizeof *sampler.candidates);
    eval_first_initial(model, sampler.space.initial);
    for (uint32_t i = 0; i < RUNS; i++) {
        sample(&sampler, i + 1);
        if (!eval_next_initial(model, sampler.space.initial))
            eval_first_initial(model, sampler.space.initial);
    }
    choose(&sampler, points);
    mem_free(mem, sampler.candidates);
    worker_close(&sampler.worker);
    space_release(&sampler.space);
}
