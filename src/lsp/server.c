/* The server: documents, and what becomes of messages. One loop waits for the client and for the
 * processes that it has started; nothing in it takes long.
 *
 * A document that was changed is analysed when all messages that are there have been handled, so
 * that several changes at once cost one analysis; a change while it is analysed begins it anew.
 * Questions about a document wait for that, and are answered about the text that they were asked
 * about, or not at all.
 *
 * What must hold:
 * 1. A request is answered exactly once.
 * 2. A document has an analysis at work only if it is not dirty. */
#include "base/version.h"
#include "lsp/answer.h"
#include "lsp/lsp.h"
#include "lsp/stream.h"
#include "lsp/verdict.h"
#include "run/deadline.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    NO_METHOD = -32601,
    INVALID_PARAMS = -32602
};
enum { INTERNAL_ERROR = -32603, NOT_INITIALIZED = -32002, CANCELLED = -32800, MODIFIED = -32801 };
enum { MESSAGE_ERROR = 1, MESSAGE_WARNING = 2, MESSAGE_INFO = 3 };
enum { MOST_CHECKS = 4, MOST_STEPS = 100 };

struct checking {
    struct lsp_job job;
    struct lsp_check check;
    json_t *id;    /* of the request, or NULL */
    json_t *token; /* of its progress, or NULL */
    const char *uri, *asked;
    struct checking *next;
};

struct server {
    struct mem *mem;
    struct lsp_stream stream;
    struct lsp_document *documents;
    struct checking *checks;
    json_t *waiting; /* requests */
    bool is_initialized, is_shut, is_over;
    bool in_bytes, knows_markdown, refreshes_lenses, shows_progress;
    double seconds; /* limits of checks */
    uint64_t bytes;
    uint32_t requests; /* that the server has sent */
};

/* ---- messages ---- */

static void send_message(struct server *s, json_t *message)
{
    if (!message || !lsp_send(message)) s->is_over = true;
}

static void answer(struct server *s, json_t *id, json_t *result)
{
    assert(id); /* (1): notifications have no answers */
    send_message(s, json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", id, "result",
                              result ? result : json_null()));
}

static void refuse(struct server *s, json_t *id, int code, const char *why)
{
    json_t *none = json_null();
    send_message(s, json_pack("{s:s,s:O,s:{s:i,s:s}}", "jsonrpc", "2.0", "id", id ? id : none,
                              "error", "code", code, "message", why));
}

static void notify(struct server *s, const char *method, json_t *params)
{
    send_message(s,
                 json_pack("{s:s,s:s,s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

/* A request to the client, whose answer is of no interest. */
static void request(struct server *s, const char *method, json_t *params)
{
    send_message(s, json_pack("{s:s,s:o,s:s,s:o}", "jsonrpc", "2.0", "id",
                              json_sprintf("cairn-%u", ++s->requests), "method", method, "params",
                              params ? params : json_null()));
}

static const char *text_at(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* ---- documents ---- */

static struct lsp_document *find_document(struct server *s, const char *uri)
{
    struct lsp_document *d = s->documents;
    while (d && uri && strcmp(d->uri, uri)) d = d->next;
    return uri ? d : NULL;
}

static struct lsp_document *document_of(struct server *s, json_t *params)
{
    return find_document(s, text_at(json_object_get(params, "textDocument"), "uri"));
}

static void publish(struct server *s, struct lsp_document *d)
{
    json_t *list = json_copy(d->diagnostics), *verdict;
    const char *asked;
    json_object_foreach(d->verdicts, asked, verdict)
    {
        json_t *diagnostic = json_object_get(verdict, "diagnostic");
        if (diagnostic) json_array_append(list, diagnostic);
    }
    notify(s, "textDocument/publishDiagnostics",
           json_pack("{s:s,s:I,s:o}", "uri", d->uri, "version", d->version, "diagnostics", list));
}

/* The texts that are open. */
static void list_known(struct server *s, struct diag *known)
{
    diag_init(known, s->mem);
    for (struct lsp_document *d = s->documents; d; d = d->next)
        diag_add_source(known, d->path, d->text.data, d->text.length);
}

/* What was read together with this path is to be looked at again. */
static void touch(struct server *s, const char *path, const struct lsp_document *but)
{
    json_t *each;
    size_t i;
    for (struct lsp_document *d = s->documents; d; d = d->next)
        json_array_foreach(d->sources, i,
                           each) if (d != but && !strcmp(json_string_value(each), path))
            d->is_dirty = true;
}

/* Requests that wait for this document; those of a text that is no more are refused. */
static void settle(struct server *s, struct lsp_document *d, bool is_gone);

static bool start_analysis(struct server *s, struct lsp_document *d)
{
    struct diag known;
    lsp_job_end(&d->job);
    d->is_dirty = false; /* (2) */
    list_known(s, &known);
    d->request = (struct lsp_request){d->path, d->language, d->text.data, d->text.length, &known};
    assert(!d->job.process && !d->is_dirty); /* (2) */
    bool good = lsp_job_start(&d->job, s->mem, lsp_analyse, &d->request);
    vec_free(s->mem, &known.sources);
    return good;
}

static json_t *failed_analysis(struct lsp_document *d)
{
    return json_pack("[{s:o,s:i,s:s,s:s,s:s}]", "range", lsp_text_range(&d->text, 0, 0), "severity",
                     1, "code", "bug", "source", "cairn", "message",
                     "this text could not be analysed: Cairn failed, or a limit ended it");
}

static void end_analysis(struct server *s, struct lsp_document *d, bool good)
{
    struct lsp_findings *found = good ? lsp_findings_read(d->job.data, d->job.length) : NULL;
    lsp_job_end(&d->job);
    json_decref(d->diagnostics);
    d->diagnostics = found ? lsp_answer_diagnostics(d, found) : failed_analysis(d);
    if (found) {
        json_array_clear(d->sources);
        for (uint32_t i = 0; i < found->source_count; i++)
            json_array_append_new(d->sources, lsp_string(found->sources[i]));
        if (found->model) json_array_append_new(d->sources, lsp_string(found->model));
    }
    if (found && found->has_names) {
        lsp_findings_free(d->names);
        d->names = found;
    } else lsp_findings_free(found);
    publish(s, d);
    settle(s, d, false);
}

static void start_analyses(struct server *s)
{
    for (struct lsp_document *d = s->documents; d; d = d->next)
        if (d->is_dirty && !start_analysis(s, d)) end_analysis(s, d, false);
}

/* ---- notifications about documents ---- */

static void did_open(struct server *s, json_t *params)
{
    json_t *item = json_object_get(params, "textDocument"), *text = json_object_get(item, "text");
    const char *uri = text_at(item, "uri"), *id = text_at(item, "languageId");
    if (!uri || !json_is_string(text) || json_string_length(text) > LSP_MAX_TEXT) return;
    char *path = (char *)lsp_path_of_uri(s->mem, uri);
    const struct lsp_language *language = lsp_language_find(path, id);
    if (language && !lsp_language_find(path, NULL)) { /* languages are known by endings */
        size_t length = strlen(path);
        path = mem_resize(s->mem, path, length + strlen(language->extension) + 1);
        strcpy(path + length, language->extension);
    }
    struct lsp_document *old = find_document(s, uri), **at = &s->documents;
    if (old) {
        settle(s, old, true);
        while (*at != old) at = &(*at)->next;
        *at = old->next;
        lsp_document_close(old);
    }
    if (language) {
        struct lsp_document *d = lsp_document_open(s->mem, uri, language, path, s->in_bytes);
        d->version = json_integer_value(json_object_get(item, "version"));
        lsp_text_set(&d->text, json_string_value(text), json_string_length(text),
                     &(struct lsp_edit){0});
        d->next = s->documents;
        s->documents = d;
        touch(s, path, d);
    }
    mem_free(s->mem, path);
}

static void did_change(struct server *s, json_t *params)
{
    struct lsp_document *d = document_of(s, params);
    json_t *version = json_object_get(json_object_get(params, "textDocument"), "version");
    if (!d) return;
    settle(s, d, true);
    if (!lsp_document_change(d, json_object_get(params, "contentChanges")))
        notify(s, "window/logMessage",
               json_pack("{s:i,s:s}", "type", MESSAGE_ERROR, "message",
                         "a change that is none was passed over"));
    if (json_is_integer(version)) d->version = json_integer_value(version);
    touch(s, d->path, d);
}

static void did_save(struct server *s, json_t *params)
{
    struct lsp_document *d = document_of(s, params);
    if (d) touch(s, d->path, d);
}

static void did_close(struct server *s, json_t *params)
{
    struct lsp_document *d = document_of(s, params), **at = &s->documents;
    if (!d) return;
    settle(s, d, true);
    json_array_clear(d->diagnostics);
    json_object_clear(d->verdicts);
    publish(s, d);
    while (*at != d) at = &(*at)->next;
    *at = d->next;
    touch(s, d->path, d);
    lsp_document_close(d);
}

static void did_change_files(struct server *s, json_t *params)
{
    json_t *changes = json_object_get(params, "changes"), *each;
    size_t i;
    json_array_foreach(changes, i, each)
    {
        const char *uri = text_at(each, "uri");
        if (!uri) continue;
        char *path = (char *)lsp_path_of_uri(s->mem, uri);
        touch(s, path, find_document(s, uri));
        mem_free(s->mem, path);
    }
}

/* ---- checks ---- */

static const char *copy(struct server *s, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(mem_alloc(s->mem, size), text, size);
}

static void free_check(struct server *s, struct checking *c)
{
    struct checking **at = &s->checks;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    lsp_job_end(&c->job);
    json_decref(c->id);
    json_decref(c->token);
    mem_free(s->mem, (char *)c->uri);
    if (c->asked) mem_free(s->mem, (char *)c->asked);
    mem_free(s->mem, c);
}

static void show_progress(struct server *s, struct checking *c, const char *kind)
{
    if (!c->token) return;
    json_t *value = json_pack("{s:s}", "kind", kind);
    if (!strcmp(kind, "begin")) {
        json_object_set_new(value, "title",
                            json_sprintf("Cairn: checking %s", c->asked ? c->asked : "everything"));
        json_object_set_new(value, "cancellable", json_true());
    }
    notify(s, "$/progress", json_pack("{s:O,s:o}", "token", c->token, "value", value));
}

static void begin_progress(struct server *s, struct checking *c, json_t *params)
{
    json_t *given = json_object_get(params, "workDoneToken");
    if (given) c->token = json_incref(given);
    else if (s->shows_progress) {
        c->token = json_sprintf("cairn-check-%u", ++s->requests);
        request(s, "window/workDoneProgress/create", json_pack("{s:O}", "token", c->token));
    }
    show_progress(s, c, "begin");
}

static void start_check(struct server *s, json_t *id, json_t *params)
{
    json_t *arguments = json_object_get(params, "arguments");
    const char *uri = json_string_value(json_array_get(arguments, 0)),
               *asked = json_string_value(json_array_get(arguments, 1));
    struct lsp_document *d = find_document(s, uri);
    uint32_t count = 0;
    for (struct checking *c = s->checks; c; c = c->next) count++;
    if (!d) return refuse(s, id, INVALID_PARAMS, "cairn.check: no such document is open");
    if (count >= MOST_CHECKS)
        return refuse(s, id, INVALID_REQUEST, "cairn.check: other checks are at work");
    const char *model = d->names ? d->names->model : NULL;
    if (d->language->role != LSP_MODEL && !model)
        return refuse(s, id, INVALID_PARAMS, "cairn.check: there is no model for this file");
    struct checking *c = mem_alloc(s->mem, sizeof *c);
    struct diag known;
    list_known(s, &known);
    *c = (struct checking){.id = json_incref(id),
                           .uri = copy(s, uri),
                           .asked = asked ? copy(s, asked) : NULL,
                           .next = s->checks};
    c->check =
        (struct lsp_check){.text = {d->path, d->language, d->text.data, d->text.length, &known},
                           .model = d->language->role == LSP_MODEL ? NULL : model,
                           .asked = c->asked,
                           .seconds = s->seconds,
                           .bytes = s->bytes};
    s->checks = c;
    bool good = lsp_job_start(&c->job, s->mem, lsp_check, &c->check);
    vec_free(s->mem, &known.sources);
    if (good) return begin_progress(s, c, params);
    refuse(s, id, INTERNAL_ERROR, "cairn.check: no process could be made");
    free_check(s, c);
}

/* A check that is not wanted any more. */
static void cancel_check(struct server *s, struct checking *c)
{
    refuse(s, c->id, CANCELLED, "the check was cancelled");
    show_progress(s, c, "end");
    free_check(s, c);
}

/* The verdict stays until the text is changed. */
static void keep_verdict(struct server *s, struct lsp_document *d, const struct checking *c,
                         const struct lsp_verdict *verdict)
{
    const char *key = c->asked ? c->asked : "";
    const struct symbol *symbol = NULL;
    for (uint32_t i = 0; d->names && i < d->names->symbol_count; i++)
        if (c->asked && d->names->symbols[i].asked && !strcmp(d->names->symbols[i].asked, c->asked))
            symbol = &d->names->symbols[i];
    json_t *kept = json_pack("{s:s}", "word", verdict->word);
    if (strcmp(verdict->word, "holds")) {
        json_t *range = symbol ? lsp_answer_range(d, symbol) : lsp_text_range(&d->text, 0, 0);
        json_t *run = verdict->run && !strcmp(verdict->word, "violated")
                          ? lsp_answer_run(d, verdict->run, MOST_STEPS)
                          : json_array();
        json_object_set_new(kept, "diagnostic",
                            json_pack("{s:o,s:i,s:s,s:s,s:o,s:o}", "range", range, "severity",
                                      MESSAGE_WARNING, "code", verdict->word, "source", "cairn",
                                      "message", lsp_string(verdict->text), "relatedInformation",
                                      run));
    }
    json_object_set_new(d->verdicts, key, kept);
    publish(s, d);
    if (s->refreshes_lenses) request(s, "workspace/codeLens/refresh", NULL);
}

static void end_check(struct server *s, struct checking *c, bool good)
{
    json_t *object = good ? json_loadb(c->job.data, c->job.length, 0, NULL) : NULL;
    struct lsp_verdict verdict;
    struct lsp_document *d = find_document(s, c->uri);
    lsp_verdict_read(&verdict, object, c->asked);
    if (!object)
        snprintf(verdict.text, sizeof verdict.text,
                 "%.60s was not checked: the check failed, or a limit ended it",
                 c->asked ? c->asked : "everything");
    notify(s, "window/showMessage",
           json_pack("{s:i,s:o}", "type",
                     strcmp(verdict.word, "holds") ? MESSAGE_WARNING : MESSAGE_INFO, "message",
                     lsp_string(verdict.text)));
    if (d) keep_verdict(s, d, c, &verdict);
    answer(s, c->id,
           json_pack("{s:s,s:o}", "verdict", verdict.word, "message", lsp_string(verdict.text)));
    show_progress(s, c, "end");
    json_decref(object);
    free_check(s, c);
}

static void execute(struct server *s, json_t *id, json_t *params)
{
    const char *command = text_at(params, "command");
    if (command && !strcmp(command, "cairn.check")) return start_check(s, id, params);
    if (command && !strcmp(command, "cairn.stop")) {
        while (s->checks) cancel_check(s, s->checks);
        return answer(s, id, NULL);
    }
    refuse(s, id, INVALID_PARAMS, "there is no such command");
}

static void cancel(struct server *s, json_t *params)
{
    json_t *id = json_object_get(params, "id");
    size_t i;
    json_t *each;
    for (struct checking *c = s->checks, *next; c; c = next) {
        next = c->next;
        if (json_equal(c->id, id)) cancel_check(s, c);
    }
    json_array_foreach(s->waiting, i, each)
    {
        if (!json_equal(json_object_get(each, "id"), id)) continue;
        refuse(s, id, CANCELLED, "the request was cancelled");
        json_array_remove(s->waiting, i);
        return;
    }
}

static void cancel_progress(struct server *s, json_t *params)
{
    for (struct checking *c = s->checks, *next; c; c = next) {
        next = c->next;
        if (c->token && json_equal(c->token, json_object_get(params, "token"))) cancel_check(s, c);
    }
}

/* ---- the beginning ---- */

static bool has_word(json_t *list, const char *word)
{
    json_t *each;
    size_t i;
    json_array_foreach(list, i, each) if (json_is_string(each)
                                          && !strcmp(json_string_value(each), word)) return true;
    return false;
}

static json_t *at_path(json_t *object, const char *a, const char *b, const char *c)
{
    object = json_object_get(object, a);
    if (b) object = json_object_get(object, b);
    return c ? json_object_get(object, c) : object;
}

/* {"check": {"seconds": 60, "mebibytes": 2048}} */
static void configure(struct server *s, json_t *settings)
{
    json_t *seconds = at_path(settings, "check", "seconds", NULL),
           *size = at_path(settings, "check", "mebibytes", NULL);
    if (json_is_number(seconds) && json_number_value(seconds) > 0)
        s->seconds = json_number_value(seconds);
    if (json_is_integer(size) && json_integer_value(size) > 0
        && json_integer_value(size) < (json_int_t)1 << 40)
        s->bytes = (uint64_t)json_integer_value(size) << 20;
}

static void initialize(struct server *s, json_t *id, json_t *params)
{
    json_t *client = json_object_get(params, "capabilities");
    if (s->is_initialized) return refuse(s, id, INVALID_REQUEST, "it is initialized already");
    s->in_bytes = has_word(at_path(client, "general", "positionEncodings", NULL), "utf-8");
    s->knows_markdown =
        has_word(at_path(client, "textDocument", "hover", "contentFormat"), "markdown");
    s->refreshes_lenses = json_is_true(at_path(client, "workspace", "codeLens", "refreshSupport"));
    s->shows_progress = json_is_true(at_path(client, "window", "workDoneProgress", NULL));
    configure(s, json_object_get(params, "initializationOptions"));
    s->is_initialized = true;
    json_t *able = json_pack(
        "{s:s,s:{s:b,s:i,s:b},s:b,s:b,s:b,s:b,s:b,s:{s:[s,s]},s:{s:[s]},s:{s:b},s:{s:[s,s]}}",
        "positionEncoding", s->in_bytes ? "utf-8" : "utf-16", "textDocumentSync", "openClose", 1,
        "change", 2, "save", 1, "hoverProvider", 1, "definitionProvider", 1, "referencesProvider",
        1, "documentHighlightProvider", 1, "documentSymbolProvider", 1, "completionProvider",
        "triggerCharacters", ".", "@", "codeActionProvider", "codeActionKinds", "quickfix",
        "codeLensProvider", "resolveProvider", 0, "executeCommandProvider", "commands",
        "cairn.check", "cairn.stop");
    answer(s, id,
           json_pack("{s:o,s:{s:s,s:s}}", "capabilities", able, "serverInfo", "name", "cairn",
                     "version", CAIRN_VERSION));
}

/* ---- requests about documents ---- */

static const struct {
    const char *method;
    json_t *(*answer)(const struct lsp_asker *asker, json_t *params);
} questions[] = {{"textDocument/hover", lsp_answer_hover},
                 {"textDocument/definition", lsp_answer_definition},
                 {"textDocument/references", lsp_answer_references},
                 {"textDocument/documentHighlight", lsp_answer_highlights},
                 {"textDocument/documentSymbol", lsp_answer_outline},
                 {"textDocument/completion", lsp_answer_completion},
                 {"textDocument/codeAction", lsp_answer_actions},
                 {"textDocument/codeLens", lsp_answer_lenses}};

/* False: it is no question about a document. */
static bool ask(struct server *s, json_t *message)
{
    const char *method = text_at(message, "method");
    json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    unsigned i = 0, count = sizeof questions / sizeof *questions;
    while (i < count && strcmp(questions[i].method, method)) i++;
    if (i == count) return false;
    struct lsp_document *d = document_of(s, params);
    if (!d) answer(s, id, NULL);
    else if (d->is_dirty || d->job.process) json_array_append(s->waiting, message);
    else {
        struct lsp_asker asker = {d, s->documents, s->in_bytes, s->knows_markdown};
        answer(s, id, questions[i].answer(&asker, params));
    }
    return true;
}

static void settle(struct server *s, struct lsp_document *d, bool is_gone)
{
    json_t *list = s->waiting, *message;
    size_t i;
    s->waiting = json_array();
    json_array_foreach(list, i, message)
    {
        if (document_of(s, json_object_get(message, "params")) != d)
            json_array_append(s->waiting, message);
        else if (is_gone)
            refuse(s, json_object_get(message, "id"), MODIFIED, "the text has changed");
        else ask(s, message);
    }
    json_decref(list);
}

/* ---- dispatch ---- */

static void handle_request(struct server *s, json_t *message, const char *method)
{
    json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    if (s->is_shut) refuse(s, id, INVALID_REQUEST, "the server was shut down");
    else if (!strcmp(method, "initialize")) initialize(s, id, params);
    else if (!s->is_initialized) refuse(s, id, NOT_INITIALIZED, "it is not initialized yet");
    else if (!strcmp(method, "shutdown")) {
        s->is_shut = true;
        while (s->checks) cancel_check(s, s->checks);
        answer(s, id, NULL);
    } else if (!strcmp(method, "workspace/executeCommand")) execute(s, id, params);
    else if (!ask(s, message)) refuse(s, id, NO_METHOD, "there is no such method");
}

static void change_configuration(struct server *s, json_t *params)
{
    configure(s, at_path(params, "settings", "cairn", NULL));
}

static void handle_notification(struct server *s, const char *method, json_t *params)
{
    static const struct {
        const char *method;
        void (*handle)(struct server *s, json_t *params);
    } rows[] = {{"textDocument/didOpen", did_open},
                {"textDocument/didChange", did_change},
                {"textDocument/didSave", did_save},
                {"textDocument/didClose", did_close},
                {"workspace/didChangeWatchedFiles", did_change_files},
                {"workspace/didChangeConfiguration", change_configuration},
                {"$/cancelRequest", cancel},
                {"window/workDoneProgress/cancel", cancel_progress}};
    if (!strcmp(method, "exit")) s->is_over = true;
    if (!s->is_initialized || s->is_shut) return;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].method, method)) rows[i].handle(s, params);
}

static void handle(struct server *s, const char *body, size_t length)
{
    json_t *message = json_loadb(body, length, JSON_ALLOW_NUL, NULL);
    const char *method = text_at(message, "method");
    json_t *id = json_object_get(message, "id");
    bool has_id = json_is_integer(id) || json_is_string(id);
    if (!message) refuse(s, NULL, PARSE_ERROR, "this is not JSON");
    else if (method && has_id) handle_request(s, message, method);
    else if (method && !id) handle_notification(s, method, json_object_get(message, "params"));
    /* what has an id and no method is an answer */
    else if (method || !has_id) refuse(s, NULL, INVALID_REQUEST, "this is no message");
    json_decref(message);
}

/* ---- the loop ---- */

static void handle_frames(struct server *s)
{
    const char *body, *why;
    size_t length;
    enum lsp_frame frame;
    while (!s->is_over
           && (frame = lsp_stream_next(&s->stream, &body, &length, &why)) != LSP_FRAME_NONE) {
        if (frame == LSP_FRAME_BAD) refuse(s, NULL, PARSE_ERROR, why);
        else handle(s, body, length);
    }
}

/* Waits for something to happen, and takes it. */
static void wait_for(struct server *s)
{
    uint32_t count = 1, i = 1;
    bool good;
    for (struct lsp_document *d = s->documents; d; d = d->next) count += d->job.process != 0;
    for (struct checking *c = s->checks; c; c = c->next) count++;
    struct pollfd *polls = mem_alloc(s->mem, count * sizeof *polls);
    polls[0] = (struct pollfd){s->stream.is_over ? -1 : s->stream.fd, POLLIN, 0};
    for (struct lsp_document *d = s->documents; d; d = d->next)
        if (d->job.process) polls[i++] = (struct pollfd){d->job.pipe, POLLIN, 0};
    for (struct checking *c = s->checks; c; c = c->next)
        polls[i++] = (struct pollfd){c->job.pipe, POLLIN, 0};
    assert(i == count);
    int ready = poll(polls, count, -1);
    if (ready > 0) {
        i = 1;
        for (struct lsp_document *d = s->documents; d; d = d->next)
            if (d->job.process && polls[i++].revents && lsp_job_listen(&d->job, &good))
                end_analysis(s, d, good);
        for (struct checking *c = s->checks, *next; c; c = next) {
            next = c->next;
            if (polls[i++].revents && lsp_job_listen(&c->job, &good)) end_check(s, c, good);
        }
        if (polls[0].revents) lsp_stream_read(&s->stream);
    }
    mem_free(s->mem, polls);
}

static bool is_at_work(const struct server *s)
{
    bool works = false;
    for (const struct lsp_document *d = s->documents; d; d = d->next) works |= d->job.process != 0;
    return works;
}

int lsp_run(struct mem *mem)
{
    struct server s = {
        .mem = mem, .waiting = json_array(), .seconds = 60, .bytes = UINT64_C(2) << 30};
    deadline_wait(); /* signals are looked at below */
    lsp_stream_init(&s.stream, mem, STDIN_FILENO);
    while (!s.is_over && !limits_interrupted) {
        start_analyses(&s);
        while (s.stream.is_over && s.checks) free_check(&s, s.checks); /* nobody waits for them */
        if (s.stream.is_over && !is_at_work(&s)) break;
        wait_for(&s);
        handle_frames(&s);
    }
    while (s.checks) free_check(&s, s.checks);
    while (s.documents) {
        struct lsp_document *d = s.documents;
        s.documents = d->next;
        lsp_document_close(d);
    }
    json_decref(s.waiting);
    if (s.stream.data) mem_free(mem, s.stream.data);
    return s.is_shut ? EXIT_HOLDS : EXIT_VIOLATED;
}
