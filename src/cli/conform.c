#include "cli/conform.h"

#include "cli/door.h"
#include "report/conform.h"
#include "report/machine.h"
#include "report/vcd.h"

static bool save(const struct options *options, const struct session *session,
                 const struct conform *conform)
{
    if (!options->trace_file || !conform->run) return true;
    FILE *file = door_open_file(options, options->trace_file);
    if (!file) return false;
    if (vcd_is_name(options->trace_file)) vcd_write(file, session->model, conform->run);
    else machine_itf(file, session->model, conform->run, NULL, options->raw);
    return door_close_file(file, options->trace_file);
}

static bool tell_json(struct options *options, struct session *session,
                      const struct conform *conform)
{
    if (!options->json) return true;
    FILE *file = door_open_file(options, options->json_file);
    if (!file) return false;
    door_has_told();
    conform_json(file, session, conform, conform->run ? options->trace_file : NULL, options->raw);
    options->told = true;
    return door_close_file(file, options->json_file);
}

int conform_command(struct options *options, struct mem *mem)
{
    struct screen screen;
    struct session session;
    struct conform conform;
    door_open_session(&screen, &session, options, mem);
    if (!conform_run(&session, &conform)) return session.status;
    bool saved = save(options, &session, &conform), told = tell_json(options, &session, &conform);
    if (!options->json || options->json_file) conform_show(&screen.style, &session, &conform);
    return door_close_file(stdout, NULL) && saved && told ? conform_status(&conform) : EXIT_USAGE;
}
