#include "cli/replay.h"

#include "cli/door.h"
#include "run/replay.h"

#include <assert.h>

static void show_step(void *context, const struct session *session, uint32_t number, uint32_t rule,
                      const char *date, const int64_t *before, const int64_t *after)
{
    const struct screen *screen = context;
    report_step(&screen->style, session->model, &session->diag, number, rule, date, before, after);
}

static void pause_showing(void *context)
{
    (void)context;
    fflush(stdout);
}

static void show_wait(void *context, const struct session *session, const struct trace *trace)
{
    const struct screen *screen = context;
    report_wait(&screen->style, session->model, trace);
}

static void show_loop(void *context, const struct session *session, const struct trace *trace)
{
    const struct screen *screen = context;
    report_loop(&screen->style, session->model, &session->diag, trace);
}

static void tell_claim(const struct replay_claim *claim)
{
    const char *name = claim->property;
    assert(name || !claim->is_verified); /* what is verified has a name */
    printf("The trace replays: %u step%s.\n", claim->steps, claim->steps == 1 ? "" : "s");
    if (!name) return;
    if (!claim->is_verified) printf("It was saved for %s, which is not verified again.\n", name);
    else if (claim->seeks)
        printf(claim->is_true ? "It reaches %s.\n" : "It does not reach %s, as it says.\n", name);
    else
        printf(claim->is_true ? "It violates %s.\n" : "It does not violate %s, as it says.\n",
               name);
}

int replay_command(struct options *options, struct mem *mem)
{
    struct screen screen;
    struct session session;
    struct replay_claim claim;
    const struct replay_viewer viewer = {&screen, show_step, show_wait, pause_showing, show_loop};
    door_open_session(&screen, &session, options, mem);
    if (!replay_run(&session, options->quiet ? NULL : &viewer, &claim)) return EXIT_USAGE;
    tell_claim(&claim);
    return door_close_file(stdout, NULL) ? EXIT_HOLDS : EXIT_USAGE;
}
