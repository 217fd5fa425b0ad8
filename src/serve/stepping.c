#include "serve/stepping.h"

#include "report/explain.h"
#include "report/machine.h"
#include "report/page.h"
#include "run/replay.h"
#include "run/stepper.h"
#include "serve/asking.h"
#include "serve/folder.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the run of a request ---- */

/* Numbers of 2^53 and more are texts. */
static bool read_cell(const json_t *value, int64_t *cell)
{
    const char *text = json_string_value(value);
    char *end;
    if (json_is_integer(value)) return *cell = json_integer_value(value), true;
    if (!text || !*text) return false;
    errno = 0;
    *cell = strtoll(text, &end, 10);
    return !errno && !*end;
}

static bool start(struct desk *desk, struct stepper *stepper, const json_t *run)
{
    const json_t *cells = json_object_get(run, "cells"), *seed = json_object_get(run, "seed");
    const uint32_t count = stepper->model->vars.len;
    if (json_is_integer(seed))
        stepper->random = (struct random){(uint64_t)json_integer_value(seed)};
    if (!cells || json_is_null(cells)) return stepper_start(stepper);
    int64_t *values = mem_alloc(&desk->mem, (count + UINT64_C(1)) * sizeof *values);
    bool good = json_array_size(cells) == count;
    for (uint32_t v = 0; good && v < count; v++)
        good = read_cell(json_array_get(cells, v), &values[v]);
    if (good && stepper_start_at(stepper, values)) return true;
    desk_complain(desk, "the run does not begin in an initial state of the model");
    return false;
}

/* All delays of the run are multiples of the parts that time has from now on. */
static bool refine(struct stepper *stepper, const json_t *delay)
{
    int64_t numerator, denominator, parts;
    const char *text = json_string_value(delay);
    if (!text || !stepper->is_timed || stepper_read_delay(stepper, text, &parts)) return true;
    return replay_time(text, &numerator, &denominator) && stepper_refine(stepper, denominator)
           && stepper_read_delay(stepper, text, &parts);
}

static bool can_take(const struct stepper *stepper, uint64_t rule)
{
    for (uint32_t i = 0; i < stepper->enabled_count; i++)
        if (stepper->enabled[i] == rule) return true;
    return false;
}

static bool take(struct stepper *stepper, const json_t *step)
{
    const json_t *number = json_array_get(step, 0);
    const char *text = json_string_value(json_array_get(step, 1));
    const uint64_t rule =
        json_is_integer(number) ? (uint64_t)json_integer_value(number) : UINT64_MAX;
    int64_t delay = 0;
    if (rule >= stepper->model->rules.len) return false;
    if (stepper->is_timed)
        return (!text || stepper_read_delay(stepper, text, &delay))
               && stepper_take_after(stepper, (uint32_t)rule, delay);
    if (!can_take(stepper, rule)) return false;
    stepper_take(stepper, (uint32_t)rule);
    return true;
}

/* The stepper is at the end of the run. False after a complaint. */
static bool follow(struct desk *desk, struct stepper *stepper)
{
    const json_t *run = json_object_get(desk->request, "run"),
                 *steps = json_object_get(run, "steps");
    const size_t count = json_array_size(steps);
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = refine(stepper, json_array_get(json_array_get(steps, i), 1));
    if (!good) return desk_complain(desk, "a delay is none, or has too many digits"), false;
    if (!start(desk, stepper, run)) return false;
    for (size_t i = 0; i < count; i++)
        if (!take(stepper, json_array_get(steps, i)))
            return desk_complain(desk, "step %zu is not possible there", i + 1), false;
    return true;
}

/* ---- where it is ---- */

static void put_time(struct out *json, const char *key, const struct stepper *stepper,
                     int64_t parts)
{
    const struct trace times = {.denominator = stepper->parts};
    machine_time(json, key, stepper->model, &times, parts);
}

/* high: null when nothing limits it. */
static void put_window(struct out *json, const struct stepper *stepper,
                       const struct timed_window *window)
{
    out_key(json, "window");
    out_open_inline(json, '{');
    put_time(json, "low", stepper, window->low);
    out_key(json, "low_open");
    out_bool(json, window->low_open);
    out_key(json, "high");
    if (window->infinite) out_null(json);
    else put_time(json, NULL, stepper, window->high);
    out_key(json, "high_open");
    out_bool(json, window->high_open);
    out_close(json, '}');
}

static void put_enabled(struct out *json, struct stepper *stepper)
{
    out_key(json, "enabled");
    out_open(json, '[');
    for (uint32_t i = 0; i < stepper->enabled_count; i++) {
        out_open_inline(json, '{');
        out_key(json, "rule");
        out_uint(json, stepper->enabled[i]);
        if (stepper->is_timed) {
            const struct timed_window window = stepper_chance(stepper, stepper->enabled[i]);
            put_window(json, stepper, &window);
            put_time(json, "delay", stepper, stepper_simple_delay(stepper, &window));
        }
        out_close(json, '}');
    }
    out_close(json, ']');
    if (!stepper->is_timed) return;
    const struct timed_window patience = stepper_patience(stepper);
    out_key(json, "patience");
    out_open_inline(json, '{');
    put_window(json, stepper, &patience);
    out_close(json, '}');
}

/* Properties of single states that are false here, or sought and true. */
static void put_violations(struct out *json, struct stepper *stepper)
{
    out_key(json, "violated");
    out_open(json, '[');
    for (uint32_t i = 0; i < stepper->task.property_count; i++) {
        const struct property_result *entry = &stepper->task.properties[i];
        expr condition;
        if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR
            || !stepper_condition(entry, &condition) || !stepper_is_false(stepper, condition))
            continue;
        out_open_inline(json, '{');
        out_key(json, "name");
        out_string(json, entry->property->name);
        out_key(json, "text");
        out_string(json, entry->property->text);
        out_key(json, "reached");
        out_bool(json, entry->seeks);
        out_close(json, '}');
    }
    out_close(json, ']');
}

/* Why it does not go on: "final", "deadlock" with what blocks whom; null: it does. */
static void put_end(struct out *json, struct stepper *stepper, const struct diag *diag)
{
    struct text text;
    const bool stuck =
        stepper->is_timed ? timed_is_stuck(&stepper->timed) : !stepper->enabled_count;
    const bool is_final = eval_is_final(stepper->model, stepper_last(stepper));
    text_init(&text, stepper->model->mem);
    out_key(json, "end");
    out_string(json, !stuck ? NULL : is_final ? "final" : "deadlock");
    if (stuck && !is_final)
        explain_state(stepper->model, diag, &text, stepper_last(stepper),
                      stepper->is_timed ? &stepper->timed : NULL);
    out_key(json, "why");
    out_string(json, text.data);
    text_free(&text);
}

/* What each process can do here, and what blocks it. */
static void put_here(struct out *json, struct stepper *stepper, const struct diag *diag)
{
    struct text text;
    text_init(&text, stepper->model->mem);
    explain_state(stepper->model, diag, &text, stepper_last(stepper),
                  stepper->is_timed ? &stepper->timed : NULL);
    out_key(json, "here");
    out_string(json, text.data);
    text_free(&text);
}

static void put_failure(struct out *json, struct stepper *stepper, const struct diag *diag)
{
    struct text text;
    text_init(&text, stepper->model->mem);
    out_key(json, "fails");
    if (stepper->failed == MODEL_NONE) {
        out_null(json);
        return;
    }
    explain_failure(stepper->model, diag, &text, stepper->failed, stepper_last(stepper));
    out_open_inline(json, '{');
    out_key(json, "rule");
    out_uint(json, stepper->failed);
    out_key(json, "why");
    out_string(json, text.data);
    out_close(json, '}');
    text_free(&text);
}

static int put_answer(struct desk *desk, struct stepper *stepper, uint32_t known)
{
    struct out json;
    const struct page page = {.session = &desk->session, .with_cells = true, .known_steps = known};
    struct trace *trace = stepper_trace(stepper);
    assert(trace->steps == stepper->rules.len);
    out_init(&json, desk->tools->answer);
    out_open(&json, '{');
    out_key(&json, "known");
    out_uint(&json, known);
    out_key(&json, "run");
    page_run(&json, &page, trace);
    put_enabled(&json, stepper);
    put_violations(&json, stepper);
    put_end(&json, stepper, &desk->session.diag);
    put_here(&json, stepper, &desk->session.diag);
    put_failure(&json, stepper, &desk->session.diag);
    out_close(&json, '}');
    return EXIT_HOLDS;
}

/* ---- errands ---- */

static bool open_stepper(struct desk *desk, struct stepper *stepper)
{
    if (!desk_open(desk, ASK_SIMULATE) || !desk_load(desk)
        || !stepper_init(stepper, &desk->session))
        return false;
    mem_lift(&desk->mem);
    return true;
}

int stepping_run(struct desk *desk)
{
    struct stepper stepper;
    const json_t *given = json_object_get(desk->request, "known");
    const json_int_t known = json_integer_value(given);
    if (!open_stepper(desk, &stepper) || !follow(desk, &stepper)) return EXIT_USAGE;
    return put_answer(desk, &stepper,
                      known > 0 && known <= stepper.rules.len ? (uint32_t)known : 0);
}

int stepping_save(struct desk *desk)
{
    struct stepper stepper;
    struct out json;
    char *text = NULL;
    size_t size = 0;
    const char *name = asking_text(desk->request, "file");
    if (name && folder_kind_of(name) != FOLDER_TRACE)
        return desk_complain(desk, "the name of a saved run ends in .itf.json");
    if (!open_stepper(desk, &stepper) || !follow(desk, &stepper)) return EXIT_USAGE;
    FILE *memory = open_memstream(&text, &size);
    struct trace *trace = stepper_trace(&stepper);
    if (memory) machine_itf(memory, stepper.model, trace, NULL, false);
    if (!memory || fclose(memory)) return desk_complain(desk, "out of memory");
    const bool good = !name || folder_write(desk->tools->folder, name, text, size);
    if (!good) return desk_complain(desk, "cannot write %.200s: %s", name, strerror(errno));
    out_init(&json, desk->tools->answer);
    out_open(&json, '{');
    out_key(&json, "text");
    out_string(&json, text);
    out_close(&json, '}');
    free(text);
    return EXIT_HOLDS;
}

int stepping_load(struct desk *desk)
{
    struct stepper stepper;
    const char *name = asking_text(desk->request, "file");
    if (!name || folder_kind_of(name) != FOLDER_TRACE)
        return desk_complain(desk, "the name of a saved run ends in .itf.json");
    if (!open_stepper(desk, &stepper)) return EXIT_USAGE;
    struct trace *trace = replay_load(&desk->session, name);
    if (!trace) return EXIT_USAGE;
    if (!stepper_load(&stepper, trace))
        return desk_complain(desk, "its delays have too many digits");
    return put_answer(desk, &stepper, 0);
}
