#include "run/attempt.h"

#include "base/text.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DYING_LOOKS = 40, DYING_WAIT = 50000000 }; /* two seconds */

static const char *owner_of(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : "";
}

static bool is_left(const char *name) { return !strncmp(name, "left.", 5); }

static bool is_attempt(const char *name)
{
    return is_left(name) || !strncmp(name, "try.", 4) || !strncmp(name, "kept.", 5);
}

/* Whether nobody writes to it, and nobody reads it who was told its name. */
static bool is_free(const char *name)
{
    return is_left(name) || (!strncmp(name, "try.", 4) && files_is_gone(owner_of(name)));
}

/* How far it has come: what is in the journal. */
static long long size_of(const char *part, const char *name)
{
    char folder[FILES_PATH], path[FILES_PATH];
    struct stat status;
    files_path(folder, part, name);
    files_path(path, folder, "journal");
    return stat(path, &status) ? 0 : (long long)status.st_size;
}

char *attempt_furthest(struct mem *mem, const char *part)
{
    DIR *list = opendir(part);
    const struct dirent *entry;
    struct text best;
    long long most = -1;
    text_init(&best, mem);
    while (list && (entry = readdir(list))) {
        if (!is_attempt(entry->d_name)) continue;
        const long long size = size_of(part, entry->d_name);
        if (size <= most) continue;
        most = size;
        best.len = 0;
        text_add(&best, "%s", entry->d_name);
    }
    if (list) closedir(list);
    if (!best.data) text_add(&best, "%s", "");
    return best.data;
}

/* Processes that were started by one that was killed die a moment later. */
static void wait_for(const char *name)
{
    for (unsigned i = 0; i < DYING_LOOKS && files_is_here(owner_of(name)) && !is_free(name); i++)
        nanosleep(&(struct timespec){0, DYING_WAIT}, NULL);
}

/* The journal first: packs have at least what it says. */
static void copy_files(const char *from, const char *to)
{
    char source[FILES_PATH], target[FILES_PATH];
    files_path(source, from, "journal");
    files_path(target, to, "journal");
    if (!files_copy(source, target)) return;
    DIR *list = opendir(from);
    const struct dirent *entry;
    while (list && (entry = readdir(list))) {
        if (strncmp(entry->d_name, "pack-", 5)) continue;
        files_path(source, from, entry->d_name);
        files_path(target, to, entry->d_name);
        files_copy(source, target);
    }
    if (list) closedir(list);
}

static char *name_in(struct mem *mem, const char *path)
{
    struct text text;
    text_init(&text, mem);
    text_add(&text, "%s", strrchr(path, '/') + 1);
    return text.data;
}

char *attempt_begin(struct mem *mem, const char *part)
{
    char own[FILES_PATH], before[FILES_PATH];
    if (mkdir(part, 0777) && errno != EEXIST) return NULL;
    files_unique(own, part, "try");
    char *best = attempt_furthest(mem, part);
    files_path(before, part, best);
    if (*best && !strncmp(best, "try.", 4)) wait_for(best);
    const bool taken = *best && is_free(best) && (!rename(before, own) || !access(own, F_OK));
    const bool made = taken || !mkdir(own, 0777) || errno == EEXIST;
    if (made && !taken && *best) copy_files(before, own);
    mem_free(mem, best);
    return made ? name_in(mem, own) : NULL;
}

static char *end_as(struct mem *mem, const char *part, const char *attempt, const char *word)
{
    char from[FILES_PATH], to[FILES_PATH];
    files_path(from, part, attempt);
    if ((size_t)snprintf(to, sizeof to, "%s/%s.%s", part, word, owner_of(attempt)) >= sizeof to)
        return NULL;
    if (rename(from, to) && access(to, F_OK)) return NULL;
    files_sync_folder(part);
    return name_in(mem, to);
}

char *attempt_leave(struct mem *mem, const char *part, const char *attempt)
{
    return end_as(mem, part, attempt, "left");
}

char *attempt_keep(struct mem *mem, const char *part, const char *attempt)
{
    return end_as(mem, part, attempt, "kept");
}

void attempt_release(const char *part)
{
    DIR *list = opendir(part);
    const struct dirent *entry;
    char from[FILES_PATH], to[FILES_PATH];
    while (list && (entry = readdir(list))) {
        if (strncmp(entry->d_name, "try.", 4) || !is_free(entry->d_name)) continue;
        files_path(from, part, entry->d_name);
        if ((size_t)snprintf(to, sizeof to, "%s/left.%s", part, owner_of(entry->d_name))
            < sizeof to)
            rename(from, to);
    }
    if (list) closedir(list);
}

void attempt_clean(const char *part, const char *kept)
{
    DIR *list = opendir(part);
    const struct dirent *entry;
    char path[FILES_PATH];
    while (list && (entry = readdir(list))) {
        if (!strcmp(entry->d_name, kept) || !is_attempt(entry->d_name) || !is_free(entry->d_name))
            continue;
        files_path(path, part, entry->d_name);
        files_remove_tree(path);
    }
    if (list) closedir(list);
}
