#include "run/claims.h"

#include "base/clock.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double more_memory = 1.25; /* so much more may be enough where it was too little */

const char *const claims_state_name[] = {[CLAIMS_NONE] = "waiting",
                                         [CLAIMS_ACTIVE] = "running",
                                         [CLAIMS_LEFT] = "left",
                                         [CLAIMS_FAILED] = "failed",
                                         [CLAIMS_DONE] = "done"};

/* ---- as text ---- */

static char *write_row(struct mem *mem, const struct claims_row *row)
{
    struct text text;
    text_init(&text, mem);
    text_add(&text, "cairn claim 1\nstate %s\nowner %s\nsince %.6f\n",
             claims_state_name[row->state], row->owner, row->since);
    if (row->job[0]) text_add(&text, "job %s\n", row->job);
    if (row->state == CLAIMS_FAILED || row->state == CLAIMS_LEFT)
        text_add(&text, "stop %u\nmemory %" PRIu64 "\ntime %.6f\n", (unsigned)row->stop,
                 row->memory, row->time);
    if (row->state == CLAIMS_FAILED) text_add(&text, "status %d\n", row->status);
    if (row->state == CLAIMS_DONE)
        text_add(&text, "status %d\nstates %" PRIu64 "\ntransitions %" PRIu64 "\nseconds %.6f\n",
                 row->status, row->states, row->transitions, row->seconds);
    text_add(&text, "end\n");
    return text.data;
}

static void read_line(const char *line, struct claims_row *row)
{
    char word[16] = "";
    unsigned stop;
    if (sscanf(line, "state %15s", word) == 1)
        for (unsigned i = 0; i <= CLAIMS_DONE; i++)
            if (!strcmp(word, claims_state_name[i])) row->state = (enum claims_state)i;
    if (sscanf(line, "stop %u", &stop) == 1 && stop < STOP_COUNT)
        row->stop = (enum stop_reason)stop;
    sscanf(line, "owner %159s", row->owner);
    sscanf(line, "job %63s", row->job);
    sscanf(line, "since %lf", &row->since);
    sscanf(line, "memory %" SCNu64, &row->memory);
    sscanf(line, "time %lf", &row->time);
    sscanf(line, "status %d", &row->status);
    sscanf(line, "states %" SCNu64, &row->states);
    sscanf(line, "transitions %" SCNu64, &row->transitions);
    sscanf(line, "seconds %lf", &row->seconds);
}

/* A text that makes no sense is the claim of somebody unknown: its age counts. */
static void read_row(const char *text, double renewed, struct claims_row *row)
{
    *row = (struct claims_row){.state = CLAIMS_ACTIVE, .renewed = renewed, .since = renewed};
    const size_t length = strlen(text);
    if (strncmp(text, "cairn claim 1\n", 14) || length < 4 || strcmp(text + length - 4, "end\n"))
        return;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) read_line(line, row);
}

bool claims_read(struct mem *mem, const char *folder, const char *name, struct claims_row *row)
{
    char path[FILES_PATH];
    double renewed = 0;
    files_path(path, folder, name);
    char *text = files_read(mem, path, &renewed);
    *row = (struct claims_row){.state = CLAIMS_NONE};
    if (!text) return false;
    read_row(text, renewed, row);
    mem_free(mem, text);
    return true;
}

bool claims_is_alive(const struct claims_row *row, double now, double patience)
{
    return row->state == CLAIMS_ACTIVE && !files_is_gone(row->owner)
           && (now < 0 || now - row->renewed <= patience);
}

/* ---- the folder ---- */

static bool fail(struct claims *claims, const char *what)
{
    snprintf(claims->error, sizeof claims->error, "cannot %s the folder '%.200s': %s", what,
             claims->folder, strerror(errno));
    return false;
}

bool claims_open(struct claims *claims, struct mem *mem, const char *folder, const char *stop,
                 double patience)
{
    *claims = (struct claims){.mem = mem, .patience = patience > 0 ? patience : CLAIMS_PATIENCE};
    snprintf(claims->folder, sizeof claims->folder, "%s", folder);
    snprintf(claims->stop, sizeof claims->stop, "%s", stop);
    if (mkdir(folder, 0777) && errno != EEXIST) return fail(claims, "make");
    files_unique(claims->probe, folder, ".clock");
    claims->started = files_now(claims->probe);
    return claims->started >= 0 || fail(claims, "write to");
}

void claims_close(struct claims *claims)
{
    if (!claims->folder[0]) return;
    unlink(claims->probe);
    while (claims->own.len) /* what was not ended is not done */
        claims_end(claims, claims->own.data[0].name,
                   &(struct claims_row){.state = CLAIMS_LEFT, .stop = STOP_INTERRUPT});
    vec_free(claims->mem, &claims->own);
    claims->folder[0] = 0;
}

bool claims_are_stopped(struct claims *claims)
{
    const double now = clock_now();
    if (claims->is_stopped || now - claims->looked < 1) return claims->is_stopped;
    claims->looked = now;
    return claims->is_stopped = files_is_there(claims->stop);
}

void claims_stop(struct claims *claims)
{
    claims->is_stopped = true;
    files_make(claims->folder, claims->stop, "stop\n", false);
}

/* ---- taking ---- */

static char *copy_text(struct mem *mem, const char *text)
{
    char *copy = mem_alloc(mem, strlen(text) + 1);
    return strcpy(copy, text);
}

static void fill_own(const struct claims *claims, struct claims_row *row)
{
    const char *job = getenv("SLURM_JOB_ID"), *array = getenv("SLURM_ARRAY_JOB_ID"),
               *task = getenv("SLURM_ARRAY_TASK_ID");
    snprintf(row->owner, sizeof row->owner, "%s", files_self()->text);
    if (array && task && !strpbrk(array, " \n") && !strpbrk(task, " \n"))
        snprintf(row->job, sizeof row->job, "%.30s_%.30s", array, task);
    else if (job && !strpbrk(job, " \n")) snprintf(row->job, sizeof row->job, "%.60s", job);
    row->memory = claims->memory;
    row->time = claims->time;
}

static enum claims_answer make(struct claims *claims, const char *name, const char *path)
{
    struct claims_row row = {.state = CLAIMS_ACTIVE, .since = files_now(claims->probe)};
    fill_own(claims, &row);
    char *text = write_row(claims->mem, &row);
    enum files_made made = files_make(claims->folder, path, text, false);
    if (made == FILES_MADE) {
        struct claims_own own = {.name = copy_text(claims->mem, name),
                                 .text = text,
                                 .since = row.since,
                                 .renewed = clock_now()};
        vec_push(claims->mem, &claims->own, own);
        return CLAIMS_MINE;
    }
    mem_free(claims->mem, text);
    if (made == FILES_TAKEN) return CLAIMS_OTHERS;
    fail(claims, errno == EPERM || errno == EOPNOTSUPP ? "make links in" : "write to");
    return CLAIMS_BROKEN;
}

/* Whether somebody may try what failed before: with more than it had, or after something may have
 * changed. Each process tries once. */
static bool may_try(const struct claims *claims, const struct claims_row *row)
{
    const bool is_later = claims->started >= row->renewed;
    if (claims->is_eager) return is_later;
    if (row->stop == STOP_MEMORY && row->status >= 0) /* otherwise it was killed */
        return (double)claims->memory > more_memory * (double)row->memory;
    if (row->stop == STOP_TIME)
        return row->time > 0 && (claims->time <= 0 || claims->time > row->time);
    return is_later;
}

static bool may_take(const struct claims *claims, const struct claims_row *row)
{
    if (row->state == CLAIMS_LEFT) return true;
    if (row->state == CLAIMS_FAILED) return may_try(claims, row);
    if (row->state != CLAIMS_ACTIVE) return false;
    return !claims_is_alive(row, files_now(claims->probe), claims->patience);
}

/* What was renamed may be what somebody made who was faster: that is put back. */
enum claims_answer claims_take(struct claims *claims, const char *name)
{
    char path[FILES_PATH], taken[FILES_PATH];
    struct claims_row row, other;
    double renewed;
    files_path(path, claims->folder, name);
    enum claims_answer answer = make(claims, name, path);
    if (answer != CLAIMS_OTHERS || !claims_read(claims->mem, claims->folder, name, &row))
        return answer;
    if (row.state == CLAIMS_DONE) return CLAIMS_OVER;
    if (!may_take(claims, &row))
        return row.state == CLAIMS_FAILED ? CLAIMS_HOPELESS : CLAIMS_OTHERS;
    files_unique(taken, claims->folder, ".old");
    if (rename(path, taken) && access(taken, F_OK)) return CLAIMS_OTHERS;
    char *text = files_read(claims->mem, taken, &renewed);
    if (text) read_row(text, renewed, &other);
    const bool differs =
        text
        && (other.state != row.state || strcmp(other.owner, row.owner) || other.since != row.since);
    mem_free(claims->mem, text);
    if (differs) {
        if (files_publish(taken, path, false) == FILES_FAILED) unlink(taken);
        return CLAIMS_OTHERS;
    }
    unlink(taken);
    return make(claims, name, path);
}

/* ---- having ---- */

static struct claims_own *find(const struct claims *claims, const char *name)
{
    for (uint32_t i = 0; i < claims->own.len; i++)
        if (!strcmp(claims->own.data[i].name, name)) return &claims->own.data[i];
    return NULL;
}

void claims_keep(struct claims *claims)
{
    const double now = clock_now(), period = claims->patience / 8 < 10 ? claims->patience / 8 : 10;
    char path[FILES_PATH];
    for (uint32_t i = 0; i < claims->own.len; i++) {
        struct claims_own *own = &claims->own.data[i];
        if (now - own->renewed < period || own->is_lost) continue;
        own->renewed = now;
        files_path(path, claims->folder, own->name);
        own->is_lost = !files_renew(claims->mem, path, own->text);
    }
}

bool claims_is_lost(struct claims *claims, const char *name)
{
    char path[FILES_PATH];
    struct claims_own *own = find(claims, name);
    if (!own) return false;
    files_path(path, claims->folder, name);
    own->is_lost |= !files_renew(claims->mem, path, own->text);
    return own->is_lost;
}

static void drop(struct claims *claims, struct claims_own *own)
{
    mem_free(claims->mem, own->name);
    mem_free(claims->mem, own->text);
    *own = claims->own.data[claims->own.len - 1];
    claims->own.len--;
}

void claims_end(struct claims *claims, const char *name, const struct claims_row *row)
{
    char path[FILES_PATH];
    struct claims_own *own = find(claims, name);
    struct claims_row note = *row;
    assert(row->state > CLAIMS_ACTIVE);
    if (!own) return;
    note.since = own->since;
    fill_own(claims, &note);
    files_path(path, claims->folder, name);
    if (files_renew(claims->mem, path, own->text)) {
        char *text = write_row(claims->mem, &note);
        files_put(claims->folder, path, text, false);
        mem_free(claims->mem, text);
    }
    drop(claims, own);
}

void claims_forget(struct claims *claims, const char *name)
{
    char path[FILES_PATH];
    files_path(path, claims->folder, name);
    unlink(path);
}
