#include "cli/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool bad_trace(const char *path, const char *format, const char *detail)
{
    fprintf(stderr, "%s: error: ", path);
    fprintf(stderr, format, detail);
    fputc('\n', stderr);
    return false;
}

static json_t *read_trace(struct session *session, const char *path)
{
    uint32_t source;
    json_error_t error;
    if (!diag_read_source(&session->diag, path, &source)) return NULL;
    const struct source *file = &session->diag.sources.data[source];
    json_t *root = json_loadb(file->text, file->length, JSON_REJECT_DUPLICATES, &error);
    if (!root) fprintf(stderr, "%s:%d:%d: error: not a JSON text: %s\n", path, error.line, error.column, error.text);
    return root;
}

/* The model: as named, or beside the trace. */
static const char *find_model(struct session *session, const char *trace_path, json_t *root)
{
    if (session->options->model) return session->options->model;
    const char *source = json_string_value(json_object_get(json_object_get(root, "#meta"), "source"));
    const char *slash = strrchr(trace_path, '/');
    if (!source) {
        bad_trace(trace_path, "the trace does not say which model it belongs to: use --model FILE%s", "");
        return NULL;
    }
    if (!access(source, R_OK) || source[0] == '/' || !slash) return source;
    size_t folder = (size_t)(slash - trace_path) + 1;
    char *beside = mem_alloc(session->mem, folder + strlen(source) + 1);
    memcpy(beside, trace_path, folder);
    strcpy(beside + folder, source);
    return access(beside, R_OK) ? source : beside;
}

/* The constants the trace was made with, unless the command line sets them. */
static void take_constants(struct session *session, json_t *root)
{
    const char *name;
    json_t *value;
    struct options *options = session->options;
    json_object_foreach(json_object_get(json_object_get(root, "#meta"), "constants"), name, value)
    {
        bool given = false;
        for (uint32_t i = 0; i < options->defines.len; i++) given |= !strcmp(options->defines.data[i].name, name);
        if (given || !json_is_integer(value)) continue;
        vec_push(session->mem, &options->defines, ((struct language_define){name, json_integer_value(value), false}));
    }
}

/* A value of ITF: a number, a decimal string, or {"#bigint": "..."}. */
static bool read_value(json_t *value, int64_t *number)
{
    json_t *big = json_object_get(value, "#bigint");
    if (json_is_integer(value)) return *number = json_integer_value(value), true;
    const char *text = json_string_value(big ? big : value);
    char *end;
    if (!text || !*text) return false;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return !*end && !errno;
}

static bool read_state(const char *path, const struct model *model, json_t *object, int64_t *state)
{
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (!read_value(json_object_get(object, model->vars.data[v].name), &state[v]))
            return bad_trace(path, "a state has no value for the variable '%s'", model->vars.data[v].name);
    return true;
}

/* A rule with this label that leads from one state to the other. */
static uint32_t find_rule(const struct model *model, const char *label, const int64_t *from, const int64_t *to, int64_t *scratch, bool *label_enabled)
{
    *label_enabled = false;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (label && strcmp(model->rules.data[r].label, label)) continue;
        if (eval_rule(model, r, from, scratch) != EVAL_ENABLED) continue;
        *label_enabled = true;
        if (!memcmp(scratch, to, model->vars.len * sizeof *to)) return r;
    }
    return MODEL_NONE;
}

static bool replay_states(struct session *session, const char *path, json_t *states)
{
    const struct model *model = session->model;
    size_t bytes = (model->vars.len + 1) * sizeof(int64_t);
    int64_t *before = mem_alloc(session->mem, bytes), *after = mem_alloc(session->mem, bytes), *scratch = mem_alloc(session->mem, bytes);
    size_t count = json_array_size(states);
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_array_get(states, i);
        const char *label = json_string_value(json_object_get(json_object_get(object, "#meta"), "label"));
        uint32_t rule = MODEL_NONE;
        if (!read_state(path, model, object, after)) return false;
        if (!i && !eval_is_initial(model, after)) return bad_trace(path, "the first state is not an initial state of the model%s", "");
        if (i) {
            bool label_enabled;
            rule = find_rule(model, label, before, after, scratch, &label_enabled);
            if (rule == MODEL_NONE) {
                char where[64];
                snprintf(where, sizeof where, "step %zu", i);
                fflush(stdout);
                return bad_trace(path, label_enabled ? "%s does not lead to the state that the trace gives" : "%s is not possible in the model", where);
            }
        }
        if (!session->options->quiet) report_step(&session->style, model, &session->diag, (uint32_t)i, rule, i ? before : NULL, after);
        int64_t *swap = before;
        before = after;
        after = swap;
    }
    return true;
}

int replay_run(struct options *options, struct mem *mem)
{
    struct session session;
    session_init(&session, options, mem);
    json_t *root = read_trace(&session, options->file);
    if (!root) return diag_finish(&session.diag), EXIT_USAGE;
    int status = EXIT_USAGE;
    json_t *states = json_object_get(root, "states");
    const char *model = find_model(&session, options->file, root);
    if (!json_is_array(states) || !json_array_size(states)) bad_trace(options->file, "the trace has no states%s", "");
    else if (model) {
        take_constants(&session, root);
        if (session_load(&session, model) && replay_states(&session, options->file, states)) {
            const char *property = json_string_value(json_object_get(json_object_get(root, "#meta"), "property"));
            printf("The trace replays: %zu steps%s%s.\n", json_array_size(states) - 1, property ? ", violating " : "", property ? property : "");
            status = session_close(stdout, "standard output") ? EXIT_HOLDS : EXIT_USAGE;
        }
    }
    json_decref(root);
    return status;
}
