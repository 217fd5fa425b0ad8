#include "cli/status.h"

#include "base/limits.h"
#include "base/version.h"
#include "cli/door.h"
#include "run/status.h"

#include <jansson.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROWS = 40 }; /* of a table that is shown again and again */

static const char *show_time(char text[32], double seconds)
{
    const unsigned long whole = seconds > 0 ? (unsigned long)seconds : 0;
    if (seconds < 0) snprintf(text, 32, "-");
    else if (whole < 60) snprintf(text, 32, "%lu s", whole);
    else if (whole < 3600) snprintf(text, 32, "%lu:%02lu m", whole / 60, whole % 60);
    else snprintf(text, 32, "%lu:%02lu h", whole / 3600, whole / 60 % 60);
    return text;
}

static const char *verdict_of(const struct status_part *part)
{
    if (part->claim.state != CLAIMS_DONE) return "";
    return part->claim.status == EXIT_VIOLATED ? "violated"
           : part->claim.status == EXIT_HOLDS  ? "holds"
                                               : "unknown";
}

/* ---- the table ---- */

static void show_part(FILE *out, const struct status_part *part, size_t width)
{
    char owner[FILES_OWNER], since[32], count[32], took[32];
    status_owner(part->claim.owner, owner);
    const bool done = part->claim.state == CLAIMS_DONE;
    fprintf(out, "%-*.*s  %-8s %-24.24s %-12.12s %9s %9s %14s  %s\n", (int)width, (int)width,
            part->name, status_state_name[part->state], *owner ? owner : "-",
            part->claim.job[0] ? part->claim.job : "-", show_time(since, part->age),
            done ? show_time(took, part->claim.seconds) : "",
            done ? text_count(count, part->claim.states) : "", verdict_of(part));
}

static void show_sum(FILE *out, const struct status *status, const char *folder)
{
    char count[32], time[32];
    fprintf(out, "%s: %u %s%s", folder, status->parts.len, status->word,
            status->parts.len == 1 ? "" : "s");
    if (status->file) fprintf(out, " of %s", status->file);
    for (unsigned i = STATUS_STATES; i-- > 0;)
        if (status->counts[i]) fprintf(out, ", %u %s", status->counts[i], status_state_name[i]);
    fprintf(out, "%s\n%s states", status->is_stopped ? "; stopped" : "",
            text_count(count, status->states));
    if (status->found) fputs("; a property is violated", out);
    if (status_is_over(status)) fputs("; nothing is left to do", out);
    else if (status->forecast >= 0)
        fprintf(out, "; about %s more", show_time(time, status->forecast));
    fputc('\n', out);
}

static void show_table(FILE *out, const struct status *status, const char *folder, uint32_t most)
{
    size_t width = strlen(status->word);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < status->parts.len; i++)
        if (strlen(status->parts.data[i].name) > width) width = strlen(status->parts.data[i].name);
    if (width > 30) width = 30;
    show_sum(out, status, folder);
    fprintf(out, "%-*s  %-8s %-24s %-12s %9s %9s %14s  %s\n", (int)width, status->word, "state",
            "worker", "job", "since", "took", "states", "verdict");
    for (unsigned pass = 0; pass < 2; pass++) /* what is going on comes first, when rows are few */
        for (uint32_t i = 0; i < status->parts.len && shown < most; i++) {
            const struct status_part *part = &status->parts.data[i];
            const bool calm = part->state == STATUS_DONE || part->state == STATUS_WAITING;
            if (status->parts.len > most ? calm != (pass > 0) : pass > 0) continue;
            show_part(out, part, width);
            shown++;
        }
    if (shown < status->parts.len) fprintf(out, "... and %u more\n", status->parts.len - shown);
}

/* ---- JSON ---- */

static json_t *number_or_null(double value) { return value < 0 ? json_null() : json_real(value); }

static json_t *object_of_part(const struct status_part *part)
{
    char owner[FILES_OWNER];
    json_t *row =
        json_pack("{s:s, s:s}", "name", part->name, "state", status_state_name[part->state]);
    if (part->claim.state == CLAIMS_NONE) return row;
    status_owner(part->claim.owner, owner);
    json_object_set_new(row, "worker", json_string(owner));
    if (part->claim.job[0]) json_object_set_new(row, "job", json_string(part->claim.job));
    json_object_set_new(row, "since_seconds", number_or_null(part->age));
    if ((part->claim.state == CLAIMS_FAILED || part->claim.state == CLAIMS_LEFT)
        && part->claim.stop != STOP_NONE)
        json_object_set_new(row, "reason", json_string(stop_reason_text[part->claim.stop]));
    if (part->claim.state != CLAIMS_DONE) return row;
    json_object_set_new(row, "verdict", json_string(verdict_of(part)));
    json_object_set_new(row, "states", json_integer((json_int_t)part->claim.states));
    json_object_set_new(row, "transitions", json_integer((json_int_t)part->claim.transitions));
    json_object_set_new(row, "seconds", json_real(part->claim.seconds));
    return row;
}

static json_t *object_of(const struct status *status, const char *command, const char *folder)
{
    json_t *object = json_pack("{s:s, s:i, s:s}", "cairn", CAIRN_VERSION, "format", 2, "command",
                               command),
           *counts = json_object(), *parts = json_array();
    json_t *name = json_string(folder);
    json_object_set_new(object, "work", name ? name : json_string("?"));
    json_object_set_new(object, "of", json_string(status->word));
    for (unsigned i = 0; i < STATUS_STATES; i++)
        json_object_set_new(counts, status_state_name[i], json_integer(status->counts[i]));
    json_object_set_new(object, "counts", counts);
    json_object_set_new(object, "stopped", json_boolean(status->is_stopped));
    json_object_set_new(object, "over", json_boolean(status_is_over(status)));
    json_object_set_new(object, "violated", json_boolean(status->found));
    json_object_set_new(object, "states", json_integer((json_int_t)status->states));
    json_object_set_new(object, "transitions", json_integer((json_int_t)status->transitions));
    json_object_set_new(object, "seconds", json_real(status->seconds));
    json_object_set_new(object, "forecast_seconds", number_or_null(status->forecast));
    for (uint32_t i = 0; i < status->parts.len; i++)
        json_array_append_new(parts, object_of_part(&status->parts.data[i]));
    json_object_set_new(object, "parts", parts);
    return object;
}

static bool write_object(const struct options *options, const struct status *status,
                         const char *folder)
{
    FILE *file = door_open_file(options, options->json_file);
    if (!file) return false;
    json_t *object = object_of(status, options->command->name, folder);
    json_dumpf(object, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    fputc('\n', file);
    json_decref(object);
    return door_close_file(file, options->json_file);
}

/* ---- the command ---- */

static bool read_status(struct status *status, struct mem *mem, const struct options *options,
                        const char *folder)
{
    if (status_read(status, mem, folder, options->ask.takeover)) return true;
    fprintf(stderr, "cairn: error: there is no work in the folder '%.200s'\n", folder);
    return false;
}

bool status_show(struct options *options, struct mem *mem, const char *folder)
{
    struct status status;
    if (!read_status(&status, mem, options, folder)) return false;
    bool good = !options->json || write_object(options, &status, folder);
    if (!options->json || options->json_file) {
        if (options->ask.command == ASK_STATUS) show_table(stdout, &status, folder, UINT32_MAX);
        else show_sum(stdout, &status, folder);
    }
    return door_close_file(stdout, NULL) && good;
}

/* Again and again, in the same place of the screen. */
static bool follow(const struct options *options, const char *folder)
{
    for (bool over = false; !over && !limits_interrupted;) {
        struct mem mem;
        struct status status;
        jmp_buf recover;
        mem_init(&mem);
        mem.recover = &recover;
        if (setjmp(recover) || !read_status(&status, &mem, options, folder)) {
            mem_release(&mem);
            return false;
        }
        fputs("\033[H\033[2J", stdout);
        show_table(stdout, &status, folder, MOST_ROWS);
        fflush(stdout);
        over = status_is_over(&status);
        mem_release(&mem);
        if (!over) nanosleep(&(struct timespec){1, 0}, NULL);
    }
    return door_close_file(stdout, NULL);
}

int status_command(struct options *options, struct mem *mem)
{
    const bool follows = options->progress == WHEN_ALWAYS
                         || (options->progress == WHEN_AUTO && isatty(STDOUT_FILENO));
    options->told = true;
    const bool good = follows && !options->json ? follow(options, options->ask.file)
                                                : status_show(options, mem, options->ask.file);
    return good ? EXIT_HOLDS : EXIT_USAGE;
}
