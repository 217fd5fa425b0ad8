#include "lsp/verdict.h"

#include "lsp/company.h"
#include "report/machine.h"
#include "run/combine.h"
#include "run/deadline.h"
#include "run/decide.h"

#include <stdlib.h>
#include <string.h>

struct checking {
    const struct lsp_check *check;
    struct mem mem;
    struct ask ask;
    struct door door;
    struct session session;
    struct task task;
    struct result result;
};

/* ---- in its process ---- */

static void fail(const struct checking *c, const char *why)
{
    const struct diag *diag = &c->session.diag;
    const char *said = why;
    for (uint32_t i = 0; i < diag->list.len && said == why; i++)
        if (diag->list.data[i].severity == DIAG_ERROR) said = diag->list.data[i].text;
    machine_failure(stdout, "check", c->check->text.path, said);
}

static void fill_ask(struct checking *c)
{
    const struct lsp_check *check = c->check;
    struct text named;
    ask_init(&c->ask);
    c->ask.command = ASK_CHECK;
    c->ask.file = check->model ? check->model : check->text.path;
    c->ask.time = check->seconds;
    c->ask.memory = check->bytes;
    text_init(&named, &c->mem);
    text_add(&named, check->asked ? "%s:%s" : "%s", check->text.path, check->asked);
    if (check->text.language->role == LSP_CONTEXTS) c->ask.context = named.data;
    else if (check->text.language->role == LSP_GUIDES) c->ask.guide = named.data;
    else if (check->asked) vec_push(&c->mem, &c->ask.properties, check->asked);
    if (check->text.language->role == LSP_MODEL) return;
    struct lsp_company company;
    lsp_company_find(&company, &c->mem, check->text.path, check->text.text, check->text.length);
    for (uint32_t i = 0; i < company.defines.len; i++)
        vec_push(&c->mem, &c->ask.defines, company.defines.data[i]);
}

static void decide(struct checking *c)
{
    const struct combine_words words = {"check", "MODEL"};
    struct text why;
    int status;
    fill_ask(c);
    session_init(&c->session, &c->ask, &c->mem, &c->door);
    c->session.known = c->check->text.known;
    text_init(&why, &c->mem);
    if (!combine_check(&c->ask, &words, &why)) fail(c, why.data);
    else if (decide_run(&c->session, &c->task, &c->result, &status) != DECIDE_RESULT)
        fail(c, "nothing was checked: the text has mistakes");
    else
        machine_result(stdout, "check", c->session.model, &c->session.diag, &c->task, &c->result,
                       &(struct machine_form){0});
}

static void decide_guarded(struct checking *c)
{
    jmp_buf recover;
    if (setjmp(recover)) {
        c->mem.recover = NULL;
        fail(c, result_why_refused() == STOP_MEMORY ? "memory ran out before there was a result"
                                                    : deadline_words());
        return;
    }
    c->mem.recover = &recover;
    decide(c);
    c->mem.recover = NULL;
}

void lsp_check(const void *check)
{
    struct checking c = {.check = check};
    deadline_begin(&(struct deadline_plan){.seconds = c.check->seconds});
    mem_init(&c.mem);
    mem_cap_process(c.check->bytes, 1);
    decide_guarded(&c);
}

/* ---- what it says ---- */

static const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The property that decides: the first violated one, or the only one. */
static json_t *find_property(json_t *object)
{
    json_t *list = json_object_get(object, "properties"), *each;
    size_t i;
    json_array_foreach(list, i,
                       each) if (!strcmp(text_of(each, "verdict"), "violated")) return each;
    return json_array_get(list, 0);
}

void lsp_verdict_read(struct lsp_verdict *verdict, json_t *object, const char *asked)
{
    const char *words[] = {"holds", "violated", "unknown"}, *word = text_of(object, "verdict");
    json_t *property = find_property(object);
    const char *name = asked ? asked : "everything";
    *verdict = (struct lsp_verdict){.word = "failed"};
    for (unsigned i = 0; i < 3 && json_is_array(json_object_get(object, "properties")); i++)
        if (!strcmp(word, words[i])) verdict->word = words[i];
    json_t *steps = json_object_get(json_object_get(property, "trace"), "steps");
    if (json_array_size(steps)) verdict->run = steps;
    if (!strcmp(verdict->word, "failed"))
        snprintf(verdict->text, sizeof verdict->text, "%.60s was not checked: %.400s", name,
                 text_of(object, "assurance"));
    else if (!strcmp(verdict->word, "violated") && verdict->run)
        snprintf(verdict->text, sizeof verdict->text,
                 "%.60s is violated: a run of %zu steps shows it. %.300s",
                 text_of(property, "name"), json_array_size(steps) - 1,
                 text_of(object, "assurance"));
    else
        snprintf(verdict->text, sizeof verdict->text, "%.60s %s: %.400s", name,
                 !strcmp(verdict->word, "unknown") ? "is not decided" : verdict->word,
                 text_of(object, "assurance"));
}
