#include "run/replay.h"

#include "base/divisor.h"
#include "result/value.h"
#include "result/witness.h"
#include "run/load.h"
#include "run/message.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool bad_trace(struct session *session, const char *format, const char *detail)
{
    struct text text;
    text_init(&text, session->mem);
    text_add(&text, format, detail);
    message(&session->diag, DIAG_ERROR, session->ask->file, "%s", text.data);
    text_free(&text);
    return false;
}

static json_t *read_trace(struct session *session, const char *path)
{
    uint32_t source;
    json_error_t error;
    if (!diag_read_source(&session->diag, path, &source)) return NULL;
    const struct source *file = &session->diag.sources.data[source];
    json_t *root = json_loadb(file->text, file->length, JSON_REJECT_DUPLICATES, &error);
    if (!root && !error.text[0])
        mem_refuse(
            session->mem); /* every mistake has a text; where memory is refused, there is none */
    if (!root) {
        char *where = mem_alloc(session->mem, strlen(path) + 32);
        sprintf(where, "%s:%d:%d", path, error.line, error.column);
        message(&session->diag, DIAG_ERROR, where, "not a JSON text: %s", error.text);
    }
    return root;
}

/* A file that the trace names: there, or beside the trace. Its name may end in `:NAME`. */
static const char *find_file(struct session *session, const char *trace_path, const char *source)
{
    const char *slash = strrchr(trace_path, '/'), *colon = strrchr(source, ':');
    size_t folder = slash ? (size_t)(slash - trace_path) + 1 : 0, length = strlen(source);
    char *path = mem_alloc(session->mem, folder + length + 1);
    for (unsigned beside = 0; beside < 2; beside++) {
        memcpy(path, trace_path, beside ? folder : 0);
        memcpy(path + (beside ? folder : 0), source, length + 1);
        if (!access(path, R_OK)) return path;
        if (colon) path[(beside ? folder : 0) + (size_t)(colon - source)] = 0;
        bool found = !access(path, R_OK);
        if (colon) path[(beside ? folder : 0) + (size_t)(colon - source)] = ':';
        if (found) return path;
        if (source[0] == '/' || !slash) break;
    }
    return source;
}

/* The model: as named, or beside the trace. */
static const char *find_model(struct session *session, const char *trace_path, json_t *root)
{
    if (session->ask->model) return session->ask->model;
    const char *source =
        json_string_value(json_object_get(json_object_get(root, "#meta"), "source"));
    if (source) return find_file(session, trace_path, source);
    bad_trace(session, "the trace does not say which model it belongs to: use --model FILE%s", "");
    return NULL;
}

/* The context that the trace was made in, unless the command line names one. */
static void take_context(struct session *session, json_t *root)
{
    const char *context =
        json_string_value(json_object_get(json_object_get(root, "#meta"), "context"));
    if (context && !session->ask->context)
        session->ask->context = find_file(session, session->ask->file, context);
}

/* The same for its guide. */
static void take_guide(struct session *session, json_t *root)
{
    struct ask *ask = session->ask;
    json_t *guide = json_object_get(json_object_get(root, "#meta"), "guide");
    const char *name = json_string_value(json_object_get(guide, "name")),
               *split = json_string_value(json_object_get(guide, "split"));
    json_int_t bound = json_integer_value(json_object_get(guide, "bound")),
               part = json_integer_value(json_object_get(guide, "part"));
    if (!name || ask->guide) return;
    ask->guide = find_file(session, ask->file, name);
    ask->split_by = split;
    ask->guide_part = split && part > 0 ? (uint64_t)part : 0;
    ask->guide_bound = bound > 0 ? (uint64_t)bound : 0;
    const char *semantics = json_string_value(json_object_get(guide, "semantics"));
    ask->guide_filters = semantics && !strcmp(semantics, "filter");
}

/* The constants the trace was made with, unless the command line sets them. */
static void take_constants(struct session *session, json_t *root)
{
    const char *name;
    json_t *value;
    struct ask *ask = session->ask;
    json_object_foreach(json_object_get(json_object_get(root, "#meta"), "constants"), name, value)
    {
        bool given = false;
        for (uint32_t i = 0; i < ask->defines.len; i++)
            given |= !strcmp(ask->defines.data[i].name, name);
        int64_t number;
        if (given || !value_read_number(value, &number)) continue;
        vec_push(session->mem, &ask->defines,
                 ((struct language_define){.name = name, .value = number, .optional = true}));
    }
}

/* Likewise the dialect. */
static void take_dialect(struct session *session, json_t *root)
{
    const char *dialect =
        json_string_value(json_object_get(json_object_get(root, "#meta"), "dialect"));
    if (dialect && !session->ask->dialect && (!strcmp(dialect, "frac") || !strcmp(dialect, "obp")))
        session->ask->dialect = dialect;
}

/* ---- states ---- */

/* A state of a trace. What the trace does not show (bookkeeping, and what --hide left out) follows
 * from the run. */
struct sight {
    int64_t *values;
    bool *known; /* per variable */
};

static bool sees(const struct model *model, const struct sight *sight, const int64_t *state)
{
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (sight->known[v] && sight->values[v] != state[v]) return false;
    return true;
}

/* Whether the trace says of this name that it is not shown. */
static bool is_unshown(json_t *root, const char *name)
{
    json_t *one;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(root, "#meta"), "hidden"), i, one)
    {
        const char *text = json_string_value(one);
        if (text && !strcmp(text, name)) return true;
    }
    return false;
}

static bool read_state(struct session *session, json_t *root, json_t *object, struct sight *sight)
{
    const struct model *model = session->model;
    memset(sight->known, 0, model->vars.len);
    for (struct shown at = shown_first(model, false); at.cells;
         at = shown_next(model, false, &at)) {
        if (at.extra || is_unshown(root, at.name)) continue;
        if (!value_read(model, &at, object, sight->values))
            return bad_trace(session, "a state has no value for the variable '%s'", at.name);
        memset(sight->known + at.var, true, at.cells);
    }
    for (uint32_t v = 0; v < model->vars.len; v++) {
        json_t *value = json_object_get(object, model->vars.data[v].name);
        if (model->vars.data[v].is_internal && value)
            sight->known[v] = value_read_number(value, &sight->values[v]);
    }
    return true;
}

/* An initial state that looks like this, in the place of what was read. */
static bool find_initial(struct session *session, struct sight *sight)
{
    const struct model *model = session->model;
    const size_t bytes = model->vars.len * sizeof *sight->values;
    for (size_t i = 0; i < model->initial.len; i += model->vars.len)
        if (sees(model, sight, model->initial.data + i))
            return memcpy(sight->values, model->initial.data + i, bytes), true;
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        if (sight->known[v]) continue;
        if (var->any_init)
            return bad_trace(session,
                             "'%s' is not shown, and has any value at first: the trace cannot be "
                             "followed",
                             var->name);
        sight->values[v] = var->init;
    }
    if (eval_is_initial(model, sight->values)) return true;
    return bad_trace(session, "the first state is not an initial state of the model%s", "");
}

/* The rule that a step names, if it is an integer. */
static uint32_t named_rule(const struct model *model, json_t *number)
{
    const json_int_t named = json_is_integer(number) ? json_integer_value(number) : -1;
    return named >= 0 && named < model->rules.len ? (uint32_t)named : MODEL_NONE;
}

/* A rule with this label that leads from one state to the other, which is completed; if possible
 * the one that is named. */
static uint32_t find_rule(const struct model *model, const char *label, uint32_t named,
                          const int64_t *from, struct sight *to, int64_t *scratch,
                          bool *label_enabled)
{
    *label_enabled = false;
    for (unsigned round = named == MODEL_NONE; round < 2; round++)
        for (uint32_t r = 0; r < model->rules.len; r++) {
            if ((label && strcmp(model->rules.data[r].label, label)) || (!round && r != named)
                || eval_rule(model, r, from, scratch) != EVAL_ENABLED)
                continue;
            *label_enabled = true;
            if (!sees(model, to, scratch)) continue;
            memcpy(to->values, scratch, model->vars.len * sizeof *scratch);
            return r;
        }
    return MODEL_NONE;
}

/* ---- time ---- */

bool replay_time(const char *text, int64_t *numerator, int64_t *denominator)
{
    char *end;
    *denominator = 1;
    if (!text || *text < '0' || *text > '9') return false;
    errno = 0;
    *numerator = strtoll(text, &end, 10);
    if (*end == '/' && end[1] >= '1' && end[1] <= '9') *denominator = strtoll(end + 1, &end, 10);
    else if (*end == '.')
        for (end++; *end >= '0' && *end <= '9'; end++)
            if (__builtin_mul_overflow(*numerator, 10, numerator)
                || __builtin_mul_overflow(*denominator, 10, denominator)
                || __builtin_add_overflow(*numerator, *end - '0', numerator))
                return false;
    return !*end && !errno;
}

/* A time of a trace: 3, "3", "5/2" or "2.5". */
static bool read_time(json_t *value, int64_t *numerator, int64_t *denominator)
{
    *denominator = 1;
    if (json_is_integer(value)) return *numerator = json_integer_value(value), *numerator >= 0;
    return replay_time(json_string_value(value), numerator, denominator);
}

static json_t *meta_of(json_t *states, size_t i, const char *key)
{
    return json_object_get(json_object_get(json_array_get(states, i), "#meta"), key);
}

/* The delays of all steps and the time in the last state, over one denominator. */
static bool read_delays(struct session *session, json_t *states, struct trace *trace)
{
    const struct model *model = session->model;
    int64_t common = 1, numerator, denominator;
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i <= json_array_size(states); i++) {
            json_t *time = i < json_array_size(states) ? meta_of(states, i, "delay")
                                                       : meta_of(states, i - 1, "wait");
            if (!i || (!time && i == json_array_size(states))) continue;
            if (!time)
                return bad_trace(session, "the model is timed, and a step has no delay%s", "");
            if (!read_time(time, &numerator, &denominator))
                return bad_trace(session, "a delay is not a time, such as 3 or \"5/2\"%s", "");
            if (!round
                && __builtin_mul_overflow(
                    common, denominator / divisor_greatest(common, denominator), &common))
                return bad_trace(session, "the delays have too many digits%s", "");
            if (!round) continue;
            int64_t *delay = &trace->delays[i - 1];
            if (__builtin_mul_overflow(numerator, common / denominator, delay)
                || __builtin_mul_overflow(*delay, model->ticks, delay))
                return bad_trace(session, "the delays have too many digits%s", "");
        }
        if (!round) trace_add_delays(model, trace, common);
    }
    return true;
}

/* Lets the delay before step i pass and takes a rule with this label, or the one that is named, to
 * the given state. MODEL_NONE: there is none; then *label_enabled as above. */
static uint32_t follow_timed(struct timed_state *state, const char *label, uint32_t named,
                             int64_t delay, struct sight *to, bool *label_enabled)
{
    const struct model *model = state->model;
    *label_enabled = false;
    if (!timed_wait(state, delay)) return MODEL_NONE;
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t r = 0; r < model->rules.len; r++) {
            if ((label && strcmp(model->rules.data[r].label, label)) || (!round && r != named)
                || timed_try(state, r) != EVAL_ENABLED)
                continue;
            *label_enabled = true;
            if (!sees(model, to, state->next)) continue;
            memcpy(to->values, state->next, model->vars.len * sizeof *to->values);
            timed_take(state, r);
            return r;
        }
    return MODEL_NONE;
}

/* ---- following a trace ---- */

static const char *date_of(char room[TRACE_TIME_ROOM], const struct model *model,
                           const struct trace *trace, size_t state)
{
    return trace->delays ? trace_time(room, model, trace, trace_date(trace, (uint32_t)state))
                         : NULL;
}

/* The trace as it was followed, so that what it claims can be verified. */
static bool follow(struct session *session, const struct replay_viewer *viewer, json_t *root,
                   json_t *states, struct trace **trace)
{
    const struct model *model = session->model;
    size_t bytes = (model->vars.len + 1) * sizeof(int64_t), count = json_array_size(states);
    int64_t *before = mem_alloc(session->mem, bytes), *scratch = mem_alloc(session->mem, bytes);
    struct sight sight = {mem_alloc(session->mem, bytes),
                          mem_alloc(session->mem, model->vars.len + UINT64_C(1))};
    struct timed_state timed;
    bool is_timed = model_is_timed(model);
    *trace = trace_new(model, (uint32_t)count - 1);
    if (is_timed && !read_delays(session, states, *trace)) return false;
    timed_init(&timed, model, is_timed ? (*trace)->denominator : 1);
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_array_get(states, i);
        const char *label =
            json_string_value(json_object_get(json_object_get(object, "#meta"), "label"));
        uint32_t rule = MODEL_NONE;
        if (!read_state(session, root, object, &sight)) return false;
        int64_t *const after = sight.values;
        if (!i && !find_initial(session, &sight)) return false;
        if (!i) memcpy((*trace)->initial, after, model->vars.len * sizeof *after);
        if (!i && is_timed && !timed_start(&timed, after))
            return bad_trace(session, "the first state breaks an invariant of a location%s", "");
        if (i) {
            bool label_enabled;
            const uint32_t named = named_rule(model, meta_of(states, i, "rule"));
            rule = is_timed
                       ? follow_timed(&timed, label, named, (*trace)->delays[i - 1], &sight,
                                      &label_enabled)
                       : find_rule(model, label, named, before, &sight, scratch, &label_enabled);
            (*trace)->rules[i - 1] = rule;
            if (rule == MODEL_NONE) {
                char where[64];
                snprintf(where, sizeof where, "step %zu", i);
                if (viewer) viewer->pause(viewer->context);
                return bad_trace(session,
                                 label_enabled
                                     ? "%s does not lead to the state that the trace gives"
                                 : is_timed ? "%s is not possible in the model after its delay"
                                            : "%s is not possible in the model",
                                 where);
            }
        }
        char date[TRACE_TIME_ROOM];
        if (viewer)
            viewer->step(viewer->context, session, (uint32_t)i, rule,
                         i ? date_of(date, model, *trace, i) : NULL, i ? before : NULL, after);
        sight.values = before;
        before = after;
    }
    if (is_timed && !timed_wait(&timed, (*trace)->delays[count - 1]))
        return bad_trace(session, "the last state does not last as long as the trace says%s", "");
    if (viewer) viewer->wait(viewer->context, session, *trace);
    timed_release(&timed);
    return true;
}

/* A rule that leads from the last state, after its time, to the target. *enabled: some rule can be
 * taken some time. */
static uint32_t find_timed_rule(const struct trace *trace, const struct model *model,
                                const int64_t *target, bool *enabled)
{
    struct timed_state state;
    uint32_t found = MODEL_NONE;
    timed_init(&state, model, trace->denominator);
    trace_follow(trace, &state);
    for (uint32_t r = 0; r < model->rules.len && found == MODEL_NONE; r++)
        if (timed_try(&state, r) == EVAL_ENABLED
            && !memcmp(state.next, target, model->vars.len * sizeof *target))
            found = r;
    *enabled = !timed_is_stuck(&state);
    timed_release(&state);
    return found;
}

/* A run that repeats: the last state goes on with the one at `loop`, by a rule or because nothing
 * is enabled. False: it cannot. */
static bool close_loop(struct session *session, const struct replay_viewer *viewer, json_t *root,
                       struct trace *trace)
{
    const struct model *model = session->model;
    json_t *loop = json_object_get(root, "loop");
    if (!loop || json_is_null(loop)) return true;
    if (!json_is_integer(loop) || json_integer_value(loop) < 0
        || json_integer_value(loop) > trace->steps)
        return bad_trace(session, "the loop leads to a state that the trace does not have%s", "");
    struct trace_walk walk;
    size_t bytes = (model->vars.len + 1) * sizeof(int64_t);
    int64_t *target = mem_alloc(session->mem, bytes), *scratch = mem_alloc(session->mem, bytes);
    struct sight goal = {target, mem_alloc(session->mem, model->vars.len + UINT64_C(1))};
    bool enabled;
    memset(goal.known, true, model->vars.len);
    trace->loop = (uint32_t)json_integer_value(loop);
    trace_walk_start(&walk, model, trace);
    for (;;) {
        if (walk.at == trace->loop) memcpy(target, walk.state, model->vars.len * sizeof *target);
        if (walk.at == trace->steps || !trace_walk_step(&walk)) break;
    }
    assert(walk.at == trace->steps); /* it was followed before */
    uint32_t rule = model_is_timed(model)
                        ? find_timed_rule(trace, model, target, &enabled)
                        : find_rule(model, NULL, MODEL_NONE, walk.state, &goal, scratch, &enabled);
    trace->rules[trace->steps] = rule;
    trace_walk_end(&walk);
    if (rule == MODEL_NONE && (enabled || trace->loop != trace->steps))
        return bad_trace(session, "no step leads from the last state back to the loop%s", "");
    if (viewer) viewer->loop(viewer->context, session, trace);
    return true;
}

static const char *claim_of(json_t *root)
{
    return json_string_value(json_object_get(json_object_get(root, "#meta"), "property"));
}

/* The run was followed with all its values. What it claims is verified, like any property, without
 * the hidden variables that influence nothing: a loop closes whatever they are. */
static void forget_hidden(struct session *session, json_t *root, struct trace *trace)
{
    uint32_t count, kept = 0;
    const char *claim = claim_of(root);
    struct property_result *properties = result_list_properties(session->model, true, &count);
    for (uint32_t i = 0; i < count; i++)
        if (claim && !strcmp(properties[i].property->name, claim))
            properties[kept++] = properties[i];
    session->diag.quiet =
        true; /* one run is followed: how much others would cover is not the question */
    session_hide(session, properties, kept);
    if (session->shown) hide_strip(session->model, trace->initial);
}

/* What the trace says it violates, and whether it does. */
static void judge_claim(struct session *session, json_t *root, struct trace *trace,
                        struct replay_claim *claim)
{
    const char *name = claim_of(root);
    struct task task = {0};
    *claim = (struct replay_claim){.steps = trace->steps};
    if (!name) return;
    claim->property = names_intern(&session->model->names, name, strlen(name));
    task.properties = result_list_properties(session->model, true, &task.property_count);
    for (uint32_t i = 0; i < task.property_count; i++) {
        const struct property_result *entry = &task.properties[i];
        bool is_ctl_path = !entry->in_each_state
                           && entry->kind == PROPERTY_CTL; /* a path alone does not decide it */
        if (strcmp(entry->property->name, name) || is_ctl_path) continue;
        if (entry->kind == PROPERTY_RUNTIME_ERROR)
            trace->failed_rule = trace_failing_rule(session->model, trace);
        claim->is_verified = true;
        claim->seeks = entry->seeks;
        claim->is_true =
            entry->in_each_state
                ? !trace_verify(session->model, trace, entry->kind, entry->invariant)
            : entry->kind == PROPERTY_QUERY
                ? !witness_check(session->model, trace,
                                 &session->model->queries.data[entry->property->query])
                : !trace_verify_temporal(session->model, trace, entry->kind, entry->property->root);
        return;
    }
}

static json_t *states_of(struct session *session, json_t *root)
{
    json_t *states = json_object_get(root, "states");
    if (json_is_array(states) && json_array_size(states)) return states;
    bad_trace(session, "the trace has no states%s", "");
    return NULL;
}

/* What is done with a trace that was read. */
struct use {
    const struct replay_viewer *viewer;
    struct replay_claim *claim; /* NULL: the model is there, and the run is all that is wanted */
    struct trace *trace;
};

static bool replay_trace(struct session *session, json_t *root, struct use *use)
{
    const struct replay_viewer *viewer = use->viewer;
    json_t *states = states_of(session, root);
    if (!states) return false;
    if (!use->claim) return follow(session, NULL, root, states, &use->trace);
    const char *model = find_model(session, session->ask->file, root);
    struct trace *trace;
    if (!model) return false;
    take_constants(session, root);
    take_dialect(session, root);
    take_context(session, root);
    take_guide(session, root);
    if (!load_model(session, model)) {
        if (!session->ask->model)
            message(&session->diag, DIAG_NOTE, NULL,
                    "the trace names the model %.200s; --model FILE names another", model);
        return false;
    }
    if (!follow(session, viewer, root, states, &trace)) return false;
    forget_hidden(session, root, trace);
    if (!close_loop(session, viewer, root, trace)) return false;
    judge_claim(session, root, trace, use->claim);
    return true;
}

/* The JSON tree is not ours to free at once: when memory is refused, it is freed on the way out. */
static bool use_trace(struct session *session, const char *path, struct use *use)
{
    struct mem *mem = session->mem;
    jmp_buf *outer = mem->recover, recover;
    json_t *volatile root = read_trace(session, path);
    if (!root) return diag_finish(&session->diag), false;
    if (setjmp(recover)) {
        json_decref(root);
        mem->recover = outer;
        mem_refuse(mem);
    }
    mem->recover = &recover;
    bool good = replay_trace(session, root, use);
    mem->recover = outer;
    json_decref(root);
    return good;
}

bool replay_run(struct session *session, const struct replay_viewer *viewer,
                struct replay_claim *claim)
{
    struct use use = {.viewer = viewer, .claim = claim};
    return use_trace(session, session->ask->file, &use);
}

struct trace *replay_load(struct session *session, const char *path)
{
    struct use use = {0};
    return use_trace(session, path, &use) ? use.trace : NULL;
}
