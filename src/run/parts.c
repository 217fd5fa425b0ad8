#define XXH_INLINE_ALL
#include "run/parts.h"

#include "base/text.h"
#include "solver/freezer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { LINE_ROOM = 256, PATH_ROOM = 4096, LOCK_TRIES = 100, LOCK_WAIT = 50000000 };

static bool fail(struct parts *parts, const char *what)
{
    snprintf(parts->error, sizeof parts->error, "cannot %s the folder '%.200s': %s", what,
             parts->folder, strerror(errno));
    return false;
}

static bool refuse(struct parts *parts, const char *why)
{
    snprintf(parts->error, sizeof parts->error, "the folder '%.200s' %s", parts->folder, why);
    return false;
}

/* ---- names ---- */

char *parts_name(const struct parts *parts, uint32_t part, const char *file)
{
    struct text text;
    text_init(&text, parts->mem);
    text_add(&text, "%s/%06u%s%s", parts->folder, part, file ? "/" : "", file ? file : "");
    return text.data;
}

static const char *journal_name(const struct parts *parts, char path[PATH_ROOM])
{
    snprintf(path, PATH_ROOM, "%s/parts", parts->folder);
    return path;
}

/* Without memory: also after that was refused. */
void parts_clear(const struct parts *parts, uint32_t part)
{
    static const char *const names[] = {"/rest", "/outcome", "/outcome.new", ""};
    char path[PATH_ROOM];
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%06u%s", parts->folder, part, names[i]);
        if (!strncmp(names[i], "/o", 2)) unlink(path);
        else freezer_clear(path);
    }
}

/* ---- lines ---- */

static int add_check(char *line, size_t room)
{
    size_t length = strlen(line);
    return (int)length
           + snprintf(line + length, room - length, " #%016" PRIx64 "\n",
                      (uint64_t)XXH3_64bits(line, length));
}

/* Appends a line, durably. What a full disk leaves of it does not count. */
static bool append(struct parts *parts, char line[LINE_ROOM])
{
    size_t length = (size_t)add_check(line, LINE_ROOM);
    errno = ENOSPC;
    if (pwrite(parts->journal, line, length, (off_t)parts->size) != (ssize_t)length
        || fdatasync(parts->journal))
        return fail(parts, "write to");
    parts->size += length;
    return true;
}

/* The line at `at` as a string without its checksum, in place; NULL: it is not whole. *next: where
 * the one after it begins. */
static char *take_line(char *at, char **next)
{
    char *end = strchr(at, '\n'), *mark = NULL, *rest;
    if (!end) return NULL;
    *end = 0;
    *next = end + 1;
    mark = strrchr(at, '#');
    if (!mark || mark == at) return NULL;
    uint64_t sum = strtoull(mark + 1, &rest, 16);
    mark[-1] = 0;
    return rest == end && sum == XXH3_64bits(at, strlen(at)) ? at : NULL;
}

static void print_head(const struct parts *parts, char line[LINE_ROOM])
{
    snprintf(line, LINE_ROOM, "cairn parts 2 %016" PRIx64 "%016" PRIx64, parts->hash[0],
             parts->hash[1]);
}

/* False: the line makes no sense here. */
static bool take_over(struct parts *parts, const char *line, uint64_t offset)
{
    uint32_t number, parent;
    uint64_t rank, last, begin, end;
    if (sscanf(line, "part %u %u %" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &number, &parent,
               &rank, &last, &begin, &end)
        == 6) {
        bool first = !parts->lines.len;
        if (number != parts->lines.len || rank > last || (end && (rank < last || begin >= end))
            || (first ? parent != NO_PART : parent >= number))
            return false;
        vec_push(parts->mem, &parts->lines,
                 ((struct parts_line){.parent = parent,
                                      .rank = rank,
                                      .last_rank = last,
                                      .begin = begin,
                                      .end = end,
                                      .at = offset}));
        return true;
    }
    if (sscanf(line, "done %u", &number) != 1 || number >= parts->lines.len
        || parts->lines.data[number].is_done)
        return false;
    parts->lines.data[number].is_done = true;
    parts->lines.data[number].done_at = offset;
    return true;
}

/* Takes over what an earlier run has noted, up to the first line that is not whole. Parts after the
 * last `done` do not count: the one that leaves them is not done. */
static bool read_journal(struct parts *parts, char *text)
{
    char head[LINE_ROOM], *at = text, *next;
    uint32_t count = 0;
    print_head(parts, head);
    const char *line = take_line(at, &next);
    if (!line) return refuse(parts, "has a damaged list of parts");
    if (strncmp(line, "cairn parts 2 ", 14)) return refuse(parts, "was written by another version");
    if (strcmp(line, head))
        return refuse(parts,
                      "has parts of another model, or of a search that asked something else");
    parts->size = (uint64_t)(next - text);
    for (at = next; *at && (line = take_line(at, &next)); at = next) {
        if (!take_over(parts, line, (uint64_t)(at - text))) break;
        bool is_done = line[0] == 'd';
        if (!is_done && parts->lines.len > 1) continue;
        count = parts->lines.len;
        parts->size = (uint64_t)(next - text);
    }
    parts->lines.len = count;
    return true;
}

bool parts_distrust(struct parts *parts, uint32_t part)
{
    uint64_t cut = parts->lines.data[part].done_at;
    struct parts_line *lines = parts->lines.data;
    uint32_t count = 1; /* parts that are left by one that is still done */
    for (uint32_t i = 0; i < parts->lines.len; i++)
        if (lines[i].is_done && lines[i].done_at >= cut) lines[i].is_done = false;
    while (count < parts->lines.len && lines[lines[count].parent].is_done) count++;
    if (count < parts->lines.len && lines[count].at < cut) cut = lines[count].at;
    parts->lines.len = count;
    parts->size = cut;
    return !ftruncate(parts->journal, (off_t)cut) || fail(parts, "write to");
}

bool parts_add(struct parts *parts, struct parts_line part)
{
    char line[LINE_ROOM];
    uint32_t number = parts->lines.len;
    part.at = parts->size;
    parts_clear(parts, number); /* of a part with this number that did not count */
    snprintf(line, sizeof line, "part %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, number,
             part.parent, part.rank, part.last_rank, part.begin, part.end);
    if (!append(parts, line)) return false;
    vec_push(parts->mem, &parts->lines, part);
    return true;
}

bool parts_done(struct parts *parts, uint32_t part)
{
    char line[LINE_ROOM];
    uint64_t at = parts->size;
    snprintf(line, sizeof line, "done %u", part);
    if (!append(parts, line)) return false;
    parts->lines.data[part].is_done = true;
    parts->lines.data[part].done_at = at;
    return true;
}

/* ---- opening and closing ---- */

/* The processes of a run that was killed have the lock, too, until they are gone: that is waited
 * for. */
static bool lock(struct parts *parts, bool patient)
{
    for (unsigned i = 0;; i++) {
        if (!flock(parts->journal, LOCK_EX | LOCK_NB)) return true;
        if (!patient || i == LOCK_TRIES) return refuse(parts, "is being used by another run");
        nanosleep(&(struct timespec){0, LOCK_WAIT}, NULL);
    }
}

static bool make_folder(struct parts *parts, const char *given)
{
    const char *where = getenv("TMPDIR");
    parts->folder = given;
    if (given) return !mkdir(given, 0777) || errno == EEXIST || fail(parts, "make");
    struct text name;
    text_init(&name, parts->mem);
    text_add(&name,
             "%s/cairn-XX"
             "XX"
             "XX",
             where && *where ? where : "/tmp");
    parts->folder = name.data;
    parts->is_temporary = mkdtemp(name.data);
    return parts->is_temporary || fail(parts, "make");
}

/* A journal that ends before its head does is that of a search that had just begun. */
static bool begin(struct parts *parts)
{
    char head[LINE_ROOM];
    print_head(parts, head);
    return (!ftruncate(parts->journal, 0) || fail(parts, "write to")) && append(parts, head)
           && parts_add(parts, (struct parts_line){.parent = NO_PART});
}

static bool read_text(struct parts *parts, uint64_t size, char **text)
{
    *text = mem_alloc(parts->mem, size + 1);
    for (uint64_t got = 0; got < size;) {
        ssize_t some = pread(parts->journal, *text + got, size - got, (off_t)got);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) return fail(parts, "read");
        got += (uint64_t)some;
    }
    return true;
}

bool parts_are_of(const char *folder, const uint64_t hash[2])
{
    struct parts parts = {.folder = folder, .hash = {hash[0], hash[1]}};
    char path[PATH_ROOM], head[LINE_ROOM], text[LINE_ROOM];
    FILE *file = fopen(journal_name(&parts, path), "r");
    print_head(&parts, head);
    add_check(head, sizeof head);
    bool same = file && fgets(text, sizeof text, file) && !strcmp(text, head);
    if (file) fclose(file);
    return same;
}

bool parts_begin_again(struct parts *parts, const uint64_t hash[2])
{
    if (ftruncate(parts->journal, 0)) return fail(parts, "write to");
    for (uint32_t i = 0; i < parts->lines.len; i++) parts_clear(parts, i);
    parts->hash[0] = hash[0];
    parts->hash[1] = hash[1];
    parts->lines.len = 0;
    parts->size = 0;
    return begin(parts);
}

bool parts_open(struct parts *parts, struct mem *mem, const char *folder, const uint64_t hash[2],
                bool resume, bool must)
{
    char *text, head[LINE_ROOM], path[PATH_ROOM];
    struct stat status;
    *parts = (struct parts){.mem = mem, .journal = -1, .hash = {hash[0], hash[1]}};
    if (!make_folder(parts, folder)) return false;
    if (strlen(parts->folder) + 64 > PATH_ROOM) return refuse(parts, "has too long a name");
    journal_name(parts, path);
    bool exists = !access(path, F_OK);
    if (!exists && must) return refuse(parts, "has no search that was split");
    if (!exists && !freezer_is_empty(parts->folder))
        return refuse(parts, "is not empty, and has no search that was split");
    parts->journal = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (parts->journal < 0) return fail(parts, "write to");
    if (!lock(parts, exists && resume)) return false;
    if (fstat(parts->journal, &status)) return fail(parts, "read");
    if (status.st_size && !resume)
        return refuse(
            parts, "has an earlier run: --resume continues it; to begin again, remove the folder");
    print_head(parts, head);
    if ((uint64_t)status.st_size < (uint64_t)add_check(head, sizeof head)) return begin(parts);
    if (!read_text(parts, (uint64_t)status.st_size, &text) || !read_journal(parts, text))
        return false;
    mem_free(mem, text);
    if (ftruncate(parts->journal, (off_t)parts->size)) return fail(parts, "write to");
    return parts->lines.len || parts_add(parts, (struct parts_line){.parent = NO_PART});
}

void parts_close(struct parts *parts)
{
    char path[PATH_ROOM];
    if (parts->is_temporary) {
        for (uint32_t i = 0; i < parts->lines.len; i++) parts_clear(parts, i);
        unlink(journal_name(parts, path));
        rmdir(parts->folder);
    }
    if (parts->journal >= 0) close(parts->journal);
    parts->journal = -1;
    vec_free(parts->mem, &parts->lines);
}
