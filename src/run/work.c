#include "run/work.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path_in(struct mem *mem, const char *folder, const char *name)
{
    struct text text;
    text_init(&text, mem);
    text_add(&text, "%s/%s", folder, name);
    return text.data;
}

char *work_stop(struct mem *mem, const struct ask *ask) { return path_in(mem, ask->work, "stop"); }

char *work_claims(struct mem *mem, const struct ask *ask)
{
    return path_in(mem, ask->work, "claims");
}

void work_complete(struct ask *ask, struct mem *mem)
{
    if (!ask->work) return;
    if (!ask->results) ask->results = path_in(mem, ask->work, "results");
    if (!ask->freeze && ask->split != SPLIT_NEVER) ask->freeze = path_in(mem, ask->work, "parts");
}

/* ---- the head ---- */

/* Names of files may have anything in them, lines do not. */
static void add_line(struct text *text, const char *key, const char *value)
{
    text_add(text, "%s ", key);
    for (; *value; value++) text_add(text, "%c", *value == '\n' ? '?' : *value);
    text_add(text, "\n");
}

static void write_head(const struct work *work, struct text *text)
{
    text_add(text, "cairn work 1 %016" PRIx64 "%016" PRIx64 "\n", work->key[0], work->key[1]);
    add_line(text, "of", work->word);
    add_line(text, "file", work->file);
    for (uint32_t i = 0; i < work->names.len; i++) add_line(text, "name", work->names.data[i]);
    text_add(text, "end\n");
}

static bool refuse(struct work *work, const char *folder, const char *why)
{
    snprintf(work->error, sizeof work->error, "the folder '%.200s' %s", folder, why);
    return false;
}

static bool fail(struct work *work, const char *folder)
{
    snprintf(work->error, sizeof work->error, "cannot write to the folder '%.200s': %s", folder,
             strerror(errno));
    return false;
}

/* What is there must be of the same search. */
static bool compare(struct work *work, const char *folder, const char *path, const char *head)
{
    for (unsigned i = 0; i < 100; i++) { /* somebody may have made it just now */
        char *text = files_read(work->mem, path, NULL);
        const bool there = text != NULL, same = there && !strcmp(text, head);
        mem_free(work->mem, text);
        if (there)
            return same
                   || refuse(work, folder,
                             "has the work of another model, or of a search that asked something "
                             "else");
        usleep(100000);
    }
    return fail(work, folder);
}

bool work_open(struct work *work, const struct ask *ask, bool looks, bool resume)
{
    struct text head;
    char *path = path_in(work->mem, ask->work, "work");
    const bool exists = !access(path, F_OK);
    bool good = true;
    text_init(&head, work->mem);
    write_head(work, &head);
    if (!exists && looks) good = refuse(work, ask->work, "has no work: --prepare makes it");
    else if (exists && !resume)
        good = refuse(work, ask->work,
                      "has an earlier run: --resume continues it; to begin again, remove the "
                      "folder");
    else if (!exists && mkdir(ask->work, 0777) && errno != EEXIST) good = fail(work, ask->work);
    else if (!exists && files_make(ask->work, path, head.data, true) == FILES_FAILED)
        good = fail(work, ask->work);
    good = good && compare(work, ask->work, path, head.data);
    text_free(&head);
    mem_free(work->mem, path);
    return good;
}

bool work_read(struct work *work, struct mem *mem, const char *folder)
{
    char *path = path_in(mem, folder, "work"), *text = files_read(mem, path, NULL);
    *work = (struct work){.mem = mem, .word = "part", .file = ""};
    mem_free(mem, path);
    if (!text
        || sscanf(text, "cairn work 1 %16" SCNx64 "%16" SCNx64, &work->key[0], &work->key[1]) != 2)
        return false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) { /* it stays */
        if (!strncmp(line, "of ", 3)) work->word = line + 3;
        if (!strncmp(line, "file ", 5)) work->file = line + 5;
        if (!strncmp(line, "name ", 5)) {
            const char *name = line + 5;
            vec_push(mem, &work->names, name);
        }
    }
    return true;
}

double work_seconds(const struct ask *ask, struct mem *mem, double last)
{
    char *path = path_in(mem, ask->work, "work");
    double first = 0;
    char *text = files_read(mem, path, &first);
    const bool known = text && last > first;
    mem_free(mem, text);
    mem_free(mem, path);
    return known ? last - first : 0;
}
