#include "serve/desk.h"

#include "base/out.h"
#include "report/page.h"
#include "run/combine.h"
#include "run/load.h"
#include "run/message.h"
#include "serve/asking.h"
#include "serve/checking.h"
#include "serve/folder.h"
#include "serve/stepping.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { DESK_BYTES = 1 << 30 }; /* of memory, for everything but a check */

int desk_complain(struct desk *desk, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_tell(&desk->session.diag, DIAG_ERROR, NULL, format, args);
    va_end(args);
    return EXIT_USAGE;
}

/* ---- files ---- */

static int list_files(struct desk *desk)
{
    struct out json;
    out_init(&json, desk->tools->answer);
    out_open(&json, '{');
    out_key(&json, "files");
    folder_list(&json, desk->tools->folder, &desk->mem);
    out_close(&json, '}');
    return EXIT_HOLDS;
}

static int open_file(void *context, const char *path)
{
    return folder_open(*(const int *)context, path);
}

/* A file as it is; what is no UTF-8 in it is replaced. */
static int read_file(struct desk *desk)
{
    struct out json;
    uint32_t source;
    const char *name = asking_text(desk->request, "file");
    struct diag *diag = &desk->session.diag;
    if (!name || folder_kind_of(name) == FOLDER_OTHER)
        return desk_complain(desk, "models, contexts, guides and traces can be opened");
    if (!diag_read_source(diag, name, &source)) return EXIT_USAGE;
    if (diag->sources.data[source].length > FOLDER_MOST_BYTES)
        return desk_complain(desk, "%.200s is larger than %d MiB", name, FOLDER_MOST_BYTES >> 20);
    out_init(&json, desk->tools->answer);
    out_open(&json, '{');
    out_key(&json, "text");
    out_string(&json, diag->sources.data[source].text);
    out_close(&json, '}');
    return EXIT_HOLDS;
}

/* Whether a file is what the page believes it to be, or not there. */
static bool is_unchanged(struct desk *desk, const char *name, const char *before)
{
    uint32_t source;
    struct diag *diag = &desk->session.diag;
    const int file = folder_open(desk->tools->folder, name);
    if (file < 0) return true; /* what is wrong is told when it is written */
    close(file);
    return diag_read_source(diag, name, &source)
           && !strcmp(diag->sources.data[source].text, before);
}

static int write_file(struct desk *desk)
{
    const char *name = asking_text(desk->request, "file"),
               *text = asking_text(desk->request, "text"),
               *before = asking_text(desk->request, "before");
    if (!name || !text) return desk_complain(desk, "a file needs a name and a text");
    if (folder_kind_of(name) == FOLDER_OTHER)
        return desk_complain(desk, "models, contexts, guides and traces (.itf.json) can be saved");
    const bool may = !before || is_unchanged(desk, name, before);
    if (may && !folder_write(desk->tools->folder, name, text, strlen(text)))
        return desk_complain(desk, "cannot write %.200s: %s", name, strerror(errno));
    fprintf(desk->tools->answer, "{\"written\": %s}", may ? "true" : "false");
    return EXIT_HOLDS;
}

/* ---- a model ---- */

/* What the page has in its editors, saved or not: the model, and by their names contexts and
 * guides. */
static void take_texts(struct desk *desk, const json_t *model)
{
    const char *text = asking_text(model, "text"), *name;
    json_t *each;
    diag_init(&desk->given, &desk->mem);
    if (text) diag_add_source(&desk->given, desk->ask.file, text, strlen(text));
    json_object_foreach(json_object_get(model, "texts"), name, each)
    {
        text = json_string_value(each);
        if (text && strcmp(name, desk->ask.file)) /* the first one counts */
            diag_add_source(&desk->given, name, text, strlen(text));
    }
}

bool desk_open(struct desk *desk, enum ask_command command)
{
    static const struct combine_words words = {"serve", "MODEL"};
    struct text why;
    text_init(&why, &desk->mem);
    const bool good = asking_fill(&desk->ask, &desk->mem, desk->request, &why);
    desk->ask.command = command;
    desk->ask.by_hand = command == ASK_SIMULATE;
    if (command == ASK_SIMULATE) desk->ask.memory = DESK_BYTES;
    if (!good || !combine_check(&desk->ask, &words, &why)) {
        desk_complain(desk, "%s", why.data);
        return false;
    }
    mem_cap_process(desk->ask.memory, desk->ask.threads);
    desk->mem.limit = 0; /* what the ask says counts from now on */
    session_init(&desk->session, &desk->ask, &desk->mem, &desk->door);
    records_open(&desk->records, &desk->session.diag);
    take_texts(desk, json_object_get(desk->request, "model"));
    desk->session.known = &desk->given;
    return true;
}

bool desk_load(struct desk *desk) { return load_model(&desk->session, desk->ask.file); }

/* Whether a check that names no properties asks for this one. */
static bool is_asked(const struct task *task, const struct property_result *entry)
{
    for (uint32_t i = 0; i < task->property_count; i++)
        if (!strcmp(task->properties[i].property->name, entry->property->name)) return true;
    return false;
}

static void put_properties(struct out *json, struct session *session)
{
    uint32_t count;
    struct task task = {0};
    const struct property_result *list = result_list_properties(session->model, true, &count);
    session_properties(session, &task);
    out_key(json, "properties");
    out_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        out_open_inline(json, '{');
        out_key(json, "name");
        out_string(json, list[i].property->name);
        out_key(json, "kind");
        out_string(json, property_kind_name[list[i].kind]);
        out_key(json, "text");
        out_string(json, list[i].property->text);
        out_key(json, "asked");
        out_bool(json, is_asked(&task, &list[i]));
        out_close(json, '}');
    }
    out_close(json, ']');
}

/* The contexts of its file, so that one can be chosen, also when that is what was missing. */
static void put_contexts(struct out *json, const struct cdl *cdl)
{
    out_key(json, "contexts");
    out_open_inline(json, '[');
    for (uint32_t i = 0; cdl && i < cdl_context_count(cdl); i++)
        out_string(json, cdl_context_name(cdl, i, NULL));
    out_close(json, ']');
}

static int show_model(struct desk *desk)
{
    FILE *answer = desk->tools->answer;
    struct out json;
    const struct page page = {.command = "serve", .session = &desk->session};
    if (!desk_open(desk, ASK_SIMULATE)) return EXIT_USAGE;
    const bool good = desk_load(desk);
    assert(!good || desk->session.model);
    fputs("{\"sources\": ", answer);
    page_sources(answer, &desk->session.diag);
    fputs(", \"result\": ", answer);
    out_init(&json, answer);
    out_open(&json, '{');
    put_contexts(&json, desk->session.cdl);
    if (good) {
        out_key(&json, "timed");
        out_bool(&json, model_is_timed(desk->session.model));
        put_properties(&json, &desk->session);
        page_model(&json, &page);
    }
    out_close(&json, '}');
    fprintf(answer, ", \"good\": %s}", good ? "true" : "false");
    return EXIT_HOLDS;
}

/* ---- which ---- */

static const struct {
    const char *act;
    int (*run)(struct desk *desk);
    bool is_long;
} errands[] = {
    {"files", list_files, false},     {"read", read_file, false},    {"write", write_file, false},
    {"model", show_model, false},     {"run", stepping_run, false},  {"save", stepping_save, false},
    {"replay", stepping_load, false}, {"check", checking_run, true},
};
enum { ERRANDS = sizeof errands / sizeof *errands };

bool desk_knows(const char *act, bool *is_long)
{
    for (unsigned i = 0; i < ERRANDS; i++)
        if (!strcmp(errands[i].act, act)) return *is_long = errands[i].is_long, true;
    return false;
}

static int run_errand(struct desk *desk, const struct desk_request *request)
{
    json_error_t error;
    desk->request = json_loadb(request->body, request->length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(desk->request))
        return desk_complain(desk, "the request is no JSON object: %s", error.text);
    for (unsigned i = 0; i < ERRANDS; i++)
        if (!strcmp(errands[i].act, request->act)) return errands[i].run(desk);
    return desk_complain(desk, "there is no such errand");
}

int desk_run(const struct errand_tools *tools)
{
    jmp_buf recover;
    int folder = tools->folder;
    struct desk desk = {.tools = tools, .door = {.opener = open_file, .opener_context = &folder}};
    mem_init(&desk.mem);
    mem_set_limit(&desk.mem, DESK_BYTES);
    ask_init(&desk.ask);
    records_begin(&desk.records, tools->lines, false);
    session_init(&desk.session, &desk.ask, &desk.mem, &desk.door);
    records_open(&desk.records, &desk.session.diag);
    if (setjmp(recover)) {
        desk_complain(&desk, result_why_refused() == STOP_MEMORY
                                 ? "out of memory"
                                 : "it was ended before there was a result");
        return EXIT_INCONCLUSIVE;
    }
    desk.mem.recover = &recover;
    return run_errand(&desk, tools->context);
}
