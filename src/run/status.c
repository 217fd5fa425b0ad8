#include "run/status.h"

#include "base/text.h"
#include "run/parts.h"
#include "run/work.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const status_state_name[] = {
    [STATUS_WAITING] = "waiting", [STATUS_RUNNING] = "running", [STATUS_GONE] = "gone",
    [STATUS_LEFT] = "left",       [STATUS_FAILED] = "failed",   [STATUS_DONE] = "done"};

static char *path_in(struct mem *mem, const char *folder, const char *name)
{
    struct text text;
    text_init(&text, mem);
    text_add(&text, "%s/%s", folder, name);
    return text.data;
}

static enum status_state state_of(const struct claims_row *row, double now, double patience,
                                  bool done)
{
    if (done || row->state == CLAIMS_DONE) return STATUS_DONE;
    if (row->state == CLAIMS_LEFT) return STATUS_LEFT;
    if (row->state == CLAIMS_FAILED) return STATUS_FAILED;
    if (row->state == CLAIMS_NONE) return STATUS_WAITING;
    return claims_is_alive(row, now, patience) ? STATUS_RUNNING : STATUS_GONE;
}

struct reading {
    struct status *status;
    struct mem *mem;
    const char *claims;
    double now, patience;
};

static void add_part(struct reading *reading, const char *name, bool done)
{
    struct status *status = reading->status;
    struct status_part part = {.name = name, .age = -1};
    claims_read(reading->mem, reading->claims, name, &part.claim);
    part.state = state_of(&part.claim, reading->now, reading->patience, done);
    if (part.claim.state != CLAIMS_NONE && reading->now >= 0)
        part.age = reading->now > part.claim.since ? reading->now - part.claim.since : 0;
    status->counts[part.state]++;
    if (part.claim.state == CLAIMS_DONE) {
        status->states += part.claim.states;
        status->transitions += part.claim.transitions;
        status->seconds += part.claim.seconds;
        status->found |= part.claim.status == EXIT_VIOLATED;
    }
    vec_push(reading->mem, &status->parts, part);
}

/* As if parts went on to take as long, by as many workers. */
static double forecast(const struct status *status)
{
    const uint32_t done = status->counts[STATUS_DONE], running = status->counts[STATUS_RUNNING];
    const uint32_t open = running + status->counts[STATUS_WAITING] + status->counts[STATUS_LEFT]
                          + status->counts[STATUS_GONE];
    if (!open || !done || !running) return open ? -1 : 0;
    return status->seconds / done * open / running;
}

static void read_clock(struct reading *reading)
{
    char probe[FILES_PATH];
    files_unique(probe, reading->claims, ".clock");
    reading->now = files_now(probe);
    unlink(probe);
}

static bool read_several(struct reading *reading, const char *folder)
{
    struct work work;
    if (!work_read(&work, reading->mem, folder)) return false;
    reading->claims = path_in(reading->mem, folder, "claims");
    read_clock(reading);
    reading->status->word = work.word;
    reading->status->file = work.file;
    for (uint32_t i = 0; i < work.names.len; i++) {
        struct text path;
        text_init(&path, reading->mem);
        text_add(&path, "%s/results/%s.result", folder, work.names.data[i]);
        add_part(reading, work.names.data[i], files_is_there(path.data));
        text_free(&path);
    }
    return true;
}

static bool read_split(struct reading *reading, const char *folder)
{
    struct parts parts;
    if (!parts_peek(&parts, reading->mem, folder)) return false;
    reading->claims = parts_claims(&parts);
    read_clock(reading);
    reading->status->word = "part";
    for (uint32_t i = 0; i < parts.lines.len; i++) {
        char name[16];
        if (!parts.lines.data[i].is_known) continue;
        parts_claim(i, name);
        struct text text;
        text_init(&text, reading->mem);
        text_add(&text, "%s", name);
        add_part(reading, text.data, parts.lines.data[i].is_done);
    }
    parts_close(&parts);
    return true;
}

bool status_read(struct status *status, struct mem *mem, const char *folder, double patience)
{
    struct reading reading = {.status = status,
                              .mem = mem,
                              .now = -1,
                              .patience = patience > 0 ? patience : CLAIMS_PATIENCE};
    *status = (struct status){.word = "part"};
    char *inside = path_in(mem, folder, "parts"), *stop = path_in(mem, folder, "stop");
    struct stat kind;
    const bool is_folder = !stat(inside, &kind) && S_ISDIR(kind.st_mode);
    const bool good =
        read_several(&reading, folder) || read_split(&reading, is_folder ? inside : folder);
    status->is_stopped = files_is_there(stop);
    status->forecast = forecast(status);
    mem_free(mem, inside);
    mem_free(mem, stop);
    return good;
}

bool status_is_over(const struct status *status)
{
    return status->counts[STATUS_DONE] + status->counts[STATUS_FAILED] == status->parts.len
           || (status->is_stopped && !status->counts[STATUS_RUNNING]);
}

void status_owner(const char *owner, char text[FILES_OWNER])
{
    const size_t host = strcspn(owner, "_"), pid = owner[host] ? strcspn(owner + host + 1, "_") : 0;
    snprintf(text, FILES_OWNER, "%.*s%s%.*s", (int)host, owner, pid ? ":" : "", (int)pid,
             owner[host] ? owner + host + 1 : "");
}
