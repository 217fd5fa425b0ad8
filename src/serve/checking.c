#include "serve/checking.h"

#include "report/page.h"
#include "report/progress.h"
#include "run/deadline.h"
#include "run/decide.h"
#include "run/divide.h"

#include <stdlib.h>

/* One search, and who watches it. */
struct checking {
    struct desk *desk;
    struct door door;
    struct session *session;
    struct task task;
    struct result result;
    struct page_samples samples;
    struct progress lines;
};

static void show(void *context, const struct search_progress *search)
{
    struct checking *checking = context;
    page_note(&checking->samples, checking->session->mem, search);
    if (!checking->lines.out) return;
    checking->lines.memory_limit = checking->session->mem->limit;
    progress_search(&checking->lines, search);
    fflush(checking->lines.out);
}

static void show_jobs(void *context, const struct door_jobs *jobs)
{
    struct checking *checking = context;
    progress_jobs(&checking->lines, jobs);
    fflush(checking->lines.out);
}

/* `lines`: NULL when somebody else is watched. */
static void watch(struct checking *checking, struct desk *desk, struct session *session,
                  FILE *lines)
{
    *checking = (struct checking){
        .desk = desk, .door = desk->door, .session = session, .lines = {.out = lines}};
    checking->door.context = checking;
    checking->door.show = show;
    checking->door.show_jobs = lines ? show_jobs : NULL;
    checking->door.may_return_twice = lines;
}

static struct page page_of(struct checking *checking)
{
    checking->samples.limit = checking->session->ask->memory;
    return (struct page){.command = "check",
                         .session = checking->session,
                         .task = &checking->task,
                         .result = &checking->result,
                         .samples = &checking->samples,
                         .with_cells = true};
}

/* ---- several contexts or guides ---- */

/* In a process of its own. */
static int check_part(void *context, struct ask *ask, const struct divide_job *job, struct mem *mem)
{
    const struct checking *whole = context;
    struct checking checking;
    struct session session;
    char *text = NULL;
    size_t size = 0;
    int status;
    watch(&checking, whole->desk, &session, NULL);
    session_init(&session, ask, mem, &checking.door);
    records_open(&whole->desk->records, &session.diag);
    session.diag.quiet = true;
    session.known = &whole->session->diag;
    if (decide_run(&session, &checking.task, &checking.result, &status) != DECIDE_RESULT)
        return status;
    const struct page page = page_of(&checking);
    FILE *memory = open_memstream(&text, &size);
    if (memory) page_part(memory, &page, true);
    if (!memory || fclose(memory)) return EXIT_INCONCLUSIVE;
    const bool sent =
        divide_send(job, session.model, &checking.task, &checking.result, text, status);
    free(text);
    return sent ? status : EXIT_USAGE;
}

static int check_several(struct checking *checking, const struct guideload_list *guides)
{
    int status;
    struct json_t *all = divide_run(checking->session, guides, check_part, checking, &status);
    struct page_texts *texts = page_take(checking->session->mem, all);
    page_several_data(checking->desk->tools->answer, all, texts);
    page_texts_free(texts);
    json_decref(all);
    return EXIT_HOLDS;
}

/* ---- one ---- */

static int check_one(struct checking *checking)
{
    int status = EXIT_USAGE;
    switch (decide_run(checking->session, &checking->task, &checking->result, &status)) {
    case DECIDE_NONE: return status ? status : EXIT_USAGE;
    case DECIDE_TOLD:
    case DECIDE_WORKED: return EXIT_HOLDS;
    case DECIDE_RESULT: break;
    }
    const struct page page = page_of(checking);
    page_data(checking->desk->tools->answer, &page);
    return EXIT_HOLDS;
}

int checking_run(struct desk *desk)
{
    struct checking checking;
    struct guideload_list guides;
    if (!desk_open(desk, ASK_CHECK)) return EXIT_USAGE;
    deadline_begin(
        &(struct deadline_plan){.seconds = desk->ask.time, .threads = desk->ask.threads});
    watch(&checking, desk, &desk->session, desk->tools->lines);
    desk->session.door = &checking.door;
    if (divide_are_several(&desk->session)) return check_several(&checking, NULL);
    if (guideload_are_several(&desk->session, &guides)) return check_several(&checking, &guides);
    return check_one(&checking);
}
