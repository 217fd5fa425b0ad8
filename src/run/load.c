#include "run/load.h"

#include "lang/languages.h"
#include "pass/observe.h"
#include "pass/senders.h"
#include "pass/tighten.h"
#include "pass/weave.h"
#include "run/guideload.h"
#include "run/looks.h"
#include "run/message.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

/* The source of this name; false: there is none. */
static bool find_source(const struct diag *diag, const char *path, uint32_t *source)
{
    for (uint32_t i = 0; i < diag->sources.len; i++)
        if (!strcmp(diag->sources.data[i].name, path) && diag->sources.data[i].text)
            return *source = i, true;
    return false;
}

bool load_source(struct diag *diag, const struct diag *known, const char *path, uint32_t *source)
{
    uint32_t i;
    if (find_source(diag, path, source)) return true;
    if (!known || !find_source(known, path, &i)) return diag_read_source(diag, path, source);
    *source =
        diag_add_source(diag, path, known->sources.data[i].text, known->sources.data[i].length);
    return true;
}

struct load_silence load_in_silence(struct session *session)
{
    struct diag *diag = &session->diag;
    struct load_silence silence = {diag->listener, diag->sources.len, diag->list.len, diag->errors,
                                   diag->warnings};
    diag->listener = NULL;
    return silence;
}

bool load_aloud(struct session *session, struct load_silence silence, bool good)
{
    struct diag *diag = &session->diag;
    assert(!diag->listener && diag->sources.len >= silence.sources);
    diag->listener = silence.listener;
    if (good && diag->warnings == silence.warnings) return true;
    diag->sources.len = silence.sources;
    diag->list.len = silence.told;
    diag->errors = silence.errors;
    diag->warnings = silence.warnings;
    return false;
}

const char *load_split_name(struct session *session, const char *given, const char **name)
{
    const char *colon = strrchr(given, ':');
    *name = NULL;
    if (!colon || !colon[1] || strchr(colon, '/') || !access(given, F_OK)) return given;
    char *file = mem_alloc(session->mem, (size_t)(colon - given) + 1);
    memcpy(file, given, (size_t)(colon - given));
    *name = colon + 1;
    return file;
}

static const char *split_context(struct session *session, const char **name)
{
    return load_split_name(session, session->ask->context, name);
}

/* Reads the file of --context, once. Constants that only the context knows are no mistake in -D. */
static bool read_context(struct session *session)
{
    struct ask *ask = session->ask;
    const char *name;
    uint32_t source;
    if (!ask->context || session->cdl) return true;
    const char *file = split_context(session, &name);
    if (load_source(&session->diag, session->known, file, &source))
        session->cdl = cdl_read(&session->diag, session->mem, source);
    for (uint32_t i = 0; session->cdl && i < ask->defines.len; i++)
        ask->defines.data[i].optional |= cdl_has_constant(session->cdl, ask->defines.data[i].name);
    return session->cdl != NULL;
}

bool load_context(struct session *session, const char **name)
{
    split_context(session, name);
    return read_context(session);
}

/* Which context of the file: the one that is named, or the only one. */
static bool choose_context(struct session *session, uint32_t *index)
{
    const char *name, *nearest = NULL, *file = split_context(session, &name);
    unsigned distance = 0;
    uint32_t count = cdl_context_count(session->cdl);
    for (*index = 0; *index < count; ++*index) {
        const char *each = cdl_context_name(session->cdl, *index, NULL);
        if (name ? !strcmp(name, each) : count == 1) return true;
        if (name) text_nearest(name, each, &nearest, &distance);
    }
    struct text text;
    text_init(&text, session->mem);
    if (name) text_add(&text, "%s has no context '%.60s'", file, name);
    else text_add(&text, "%s has several contexts: choose one with --context FILE:NAME:", file);
    if (name && nearest) text_add(&text, ": did you mean '%s'?", nearest);
    else if (name) text_add(&text, "; it has");
    for (uint32_t i = 0; !(name && nearest) && i < count; i++)
        text_add(&text, "%s %s", i ? "," : "", cdl_context_name(session->cdl, i, NULL));
    message_error(&session->diag, "%s", text.data);
    text_free(&text);
    session->diag.errors++;
    return false;
}

/* What the user has set is part of every claim about the model. */
static void mark_constants(struct session *session)
{
    const struct ask *ask = session->ask;
    for (uint32_t c = 0; c < session->model->constants.len; c++)
        for (uint32_t i = 0; i < ask->defines.len; i++) {
            struct model_constant *constant = &session->model->constants.data[c];
            constant->is_set |= !strcmp(constant->name, ask->defines.data[i].name);
        }
}

/* Composes the model with the context. */
static bool weave(struct session *session)
{
    struct model *model = session->model;
    uint32_t index;
    if (!session->cdl) return true;
    if (!choose_context(session, &index)) return false;
    struct context *context = cdl_context(session->cdl, index, model, session->ask->defines.data,
                                          session->ask->defines.len);
    if (!context || !senders_settle(model, context, &session->diag)) return false;
    weave_context(model, context);
    if (context->has_scenario) {
        session->depths =
            mem_alloc(session->mem, context->scenario.states * sizeof *session->depths);
        dag_depths(&context->scenario, session->depths);
    }
    if (!observe_weave(model, context, &session->diag)) return false;
    model->context = names_format(&model->names, "%s:%s", context->file, context->name);
    session->context = context;
    return true;
}

/* The queries of --queries and --query. */
static void add_queries(struct session *session, const struct language *language, void *scope)
{
    const struct ask *ask = session->ask;
    uint32_t source;
    if (!ask->queries_file && !ask->queries.len) return;
    if (!language->queries) {
        message(&session->diag, DIAG_ERROR, NULL,
                "%s: models in this language (%s) have no queries",
                ask->queries.len ? "--query" : "--queries", language->name);
        session->diag.errors++;
        return;
    }
    if (ask->queries_file
        && load_source(&session->diag, session->known, ask->queries_file, &source))
        language->queries(scope, source);
    for (uint32_t i = 0; i < ask->queries.len; i++) {
        const char *text = ask->queries.data[i];
        language->queries(scope, diag_add_source(&session->diag, "--query", text, strlen(text)));
    }
}

bool load_model(struct session *session, const char *path)
{
    struct ask *ask = session->ask;
    struct language_input input = {.mem = session->mem,
                                   .diag = &session->diag,
                                   .defines = ask->defines.data,
                                   .define_count = ask->defines.len,
                                   .dialect = ask->dialect,
                                   .skips = ask->skips,
                                   .no_queries = ask->queries.len || ask->queries_file};
    const struct language *language = languages_find(path);
    assert(!session->model); /* once per session */
    void *scope = NULL;
    bool has_source = load_source(&session->diag, session->known, path, &input.source),
         has_context = read_context(session);
    if (has_source) session->model = language->load(&input, &scope);
    if (session->model) session->model->dialect = ask->dialect;
    if (!has_context
        || (session->model && (!weave(session) || !guideload_weave(session, &session->status))))
        session->model = NULL;
    if (session->model) mark_constants(session);
    if (session->model) add_queries(session, language, scope);
    for (uint32_t i = 0; session->model && i < ask->formulas.len; i++) {
        static const char *const names[] = {"--ctl", "--ltl", "--invariant", "--find"};
        const struct ask_formula *given = &ask->formulas.data[i];
        uint32_t source =
            diag_add_source(&session->diag, names[given->kind], given->text, strlen(given->text));
        language->property(scope, given->kind, source);
    }
    if (session->model && !session->diag.errors) looks_read(session, language, scope);
    diag_finish(&session->diag);
    if (session->diag.errors && !languages_knows(path))
        message(&session->diag, DIAG_NOTE, NULL,
                "'%.60s' was read as %s: its name has none of the known endings", path,
                language->name);
    if (session->diag.errors || !session->model) return false;
    if (language->wide_types && !session->keep_ranges) tighten(session->model);
    struct text complaint;
    text_init(&complaint, session->mem);
    if (!model_check(session->model, &complaint)) {
        message(&session->diag, DIAG_BUG, NULL, "the model of %s is not well formed: %s", path,
                complaint.data);
        session->status = EXIT_INTERNAL;
        return false;
    }
    return true;
}
