#define XXH_INLINE_ALL
#include "run/parts.h"

#include "base/text.h"
#include "run/attempt.h"
#include "solver/freezer.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { LINE_ROOM = 256, MOST_PARTS = 1 << 24 };

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

static char *join_path(struct mem *mem, const char *folder, const char *name)
{
    struct text text;
    text_init(&text, mem);
    text_add(&text, "%s/%s", folder, name);
    return text.data;
}

const char *parts_claim(uint32_t part, char name[16])
{
    snprintf(name, 16, "%06u", part);
    return name;
}

char *parts_claims(const struct parts *parts)
{
    return join_path(parts->mem, parts->folder, "claims");
}

char *parts_name(const struct parts *parts, uint32_t part, const char *file)
{
    struct text text;
    text_init(&text, parts->mem);
    text_add(&text, "%s/%06u%s%s", parts->folder, part, file ? "/" : "", file ? file : "");
    return text.data;
}

char *parts_kept(const struct parts *parts, uint32_t part, const char *file)
{
    struct text text;
    const char *attempt = parts->lines.data[part].attempt;
    text_init(&text, parts->mem);
    text_add(&text, "%s/%06u/%s%s%s", parts->folder, part, attempt ? attempt : "none",
             file ? "/" : "", file ? file : "");
    return text.data;
}

/* ---- texts with checksums ---- */

static void add_check(struct text *text)
{
    const uint64_t sum = XXH3_64bits(text->data, text->len);
    text_add(text, "#%016" PRIx64 "\n", sum);
}

/* Takes the checksum off. False: it is not right. */
static bool take_check(char *text)
{
    char *mark = strrchr(text, '#'), *rest;
    if (!mark || (mark > text && mark[-1] != '\n')) return false;
    const uint64_t sum = strtoull(mark + 1, &rest, 16);
    *mark = 0;
    return !strcmp(rest, "\n") && sum == XXH3_64bits(text, strlen(text));
}

static void print_head(const struct parts *parts, char line[LINE_ROOM])
{
    snprintf(line, LINE_ROOM, "cairn parts 3 %016" PRIx64 "%016" PRIx64 "\n", parts->hash[0],
             parts->hash[1]);
}

static void print_done_head(const struct parts *parts, uint32_t part, char line[LINE_ROOM])
{
    snprintf(line, LINE_ROOM, "cairn part 3 %016" PRIx64 "%016" PRIx64 " %u\n", parts->hash[0],
             parts->hash[1], part);
}

/* ---- what is done ---- */

static void make_room(struct parts *parts, uint32_t number)
{
    while (parts->lines.len <= number)
        vec_push(parts->mem, &parts->lines, ((struct parts_line){.parent = NO_PART}));
}

static void add_line(struct parts *parts, uint32_t number, struct parts_line line)
{
    make_room(parts, number);
    mem_free(parts->mem, parts->lines.data[number].attempt);
    line.is_known = true;
    line.is_done = false;
    line.attempt = NULL;
    parts->lines.data[number] = line;
}

/* A line of `done`. */
static bool read_line(const struct parts *parts, uint32_t maker, const char *text,
                      struct parts_new *new)
{
    struct parts_line line = {.maker = maker};
    if (sscanf(text, "part %u %u %" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &new->number,
               &line.parent, &line.rank, &line.last_rank, &line.begin, &line.end)
        != 6)
        return false;
    new->line = line;
    return new->number &&new->number < MOST_PARTS &&line.rank <= line.last_rank
           && (!line.end || (line.rank == line.last_rank && line.begin < line.end))
           && (line.parent == maker || line.parent == parts->lines.data[maker].parent)
           && line.parent != NO_PART
           && !(new->number < parts->lines.len && parts->lines.data[new->number].is_known);
}

/* False: it makes no sense, and nothing has changed. */
static bool take_done(struct parts *parts, uint32_t part, char *text)
{
    char head[LINE_ROOM], attempt[FILES_OWNER + 64];
    VEC(struct parts_new) new = {0};
    bool good = take_check(text);
    print_done_head(parts, part, head);
    const size_t length = strlen(head);
    good = good && !strncmp(text, head, length)
           && sscanf(text + length, "attempt %220s", attempt) == 1 && !strchr(attempt, '/');
    const char *at = good ? strchr(text + length, '\n') + 1 : "";
    for (; good && *at; at = strchr(at, '\n') + 1) {
        struct parts_new one;
        good = read_line(parts, part, at, &one);
        if (good) vec_push(parts->mem, &new, one);
    }
    parts->lowest = UINT32_MAX;
    for (uint32_t i = 0; good && i < new.len; i++) {
        add_line(parts, new.data[i].number, new.data[i].line);
        if (new.data[i].number < parts->lowest) parts->lowest = new.data[i].number;
    }
    vec_free(parts->mem, &new);
    if (!good) return false;
    struct text name;
    text_init(&name, parts->mem);
    text_add(&name, "%s", attempt);
    parts->lines.data[part].is_done = true;
    parts->lines.data[part].attempt = name.data;
    return true;
}

/* Moves what is damaged out of the way: whoever succeeds does. */
static void move_aside(const struct parts *parts, uint32_t part)
{
    char aside[FILES_PATH], name[16];
    char *path = parts_name(parts, part, "done"), *folder = parts_name(parts, part, NULL);
    files_unique(aside, folder, "damaged");
    rename(path, aside);
    mem_free(parts->mem, path);
    mem_free(parts->mem, folder);
    if (parts->claims.folder[0])
        claims_forget((struct claims *)&parts->claims, parts_claim(part, name));
}

bool parts_refresh(struct parts *parts)
{
    bool new = false;
    for (uint32_t i = 0; i < parts->lines.len; i++) { /* which grows */
        if (!parts->lines.data[i].is_known || parts->lines.data[i].is_done) continue;
        char *path = parts_name(parts, i, "done"), *text = files_read(parts->mem, path, NULL);
        mem_free(parts->mem, path);
        if (text && take_done(parts, i, text)) {
            new = true;
            if (parts->lowest <= i) i = parts->lowest - 1; /* numbers need not be larger */
        } else if (text && parts->claims.folder[0]) {
            move_aside(parts, i);
        }
        mem_free(parts->mem, text);
    }
    return new;
}

void parts_distrust(struct parts *parts, uint32_t part)
{
    struct parts_line *lines = parts->lines.data;
    assert(part < parts->lines.len && lines[part].is_known);
    move_aside(parts, part);
    lines[part].is_done = false;
    for (bool more = true; more;) { /* those that it made, and those that they made */
        more = false;
        for (uint32_t i = 1; i < parts->lines.len; i++) {
            if (!lines[i].is_known || (lines[i].maker != part && lines[lines[i].maker].is_known))
                continue;
            lines[i].is_known = lines[i].is_done = false;
            more = true;
        }
    }
}

/* ---- making parts ---- */

bool parts_add(struct parts *parts, struct parts_line part)
{
    uint32_t number = parts->lines.len;
    if (parts->new.len) number = parts->new.data[parts->new.len - 1].number + 1;
    for (;; number++) {
        char *folder = parts_name(parts, number, NULL);
        const bool made = !mkdir(folder, 0777);
        mem_free(parts->mem, folder);
        if (made) break;
        if (errno != EEXIST || number == MOST_PARTS) return fail(parts, "write to");
    }
    vec_push(parts->mem, &parts->new, ((struct parts_new){number, part}));
    return true;
}

static void print_done(const struct parts *parts, uint32_t part, const char *attempt,
                       struct text *text)
{
    char head[LINE_ROOM];
    print_done_head(parts, part, head);
    text_add(text, "%sattempt %s\n", head, attempt);
    for (uint32_t i = 0; i < parts->new.len; i++) {
        const struct parts_line *line = &parts->new.data[i].line;
        text_add(text, "part %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                 parts->new.data[i].number, line->parent, line->rank, line->last_rank, line->begin,
                 line->end);
    }
    add_check(text);
}

/* Numbers that nobody needs. */
static void drop_new(struct parts *parts)
{
    for (uint32_t i = 0; i < parts->new.len; i++) {
        char *folder = parts_name(parts, parts->new.data[i].number, NULL);
        rmdir(folder);
        mem_free(parts->mem, folder);
    }
    parts->new.len = 0;
}

enum files_made parts_finish(struct parts *parts, uint32_t part, const char *attempt)
{
    struct text text;
    char *folder = parts_name(parts, part, NULL), *path = parts_name(parts, part, "done");
    char *kept = attempt_keep(parts->mem, folder, attempt);
    enum files_made made = kept || errno != ENOENT ? FILES_FAILED : FILES_TAKEN;
    text_init(&text, parts->mem);
    if (kept) {
        print_done(parts, part, kept, &text);
        made = files_make(folder, path, text.data, true);
    }
    if (made == FILES_MADE) {
        parts->new.len = 0;
        take_done(parts, part, text.data);
        attempt_clean(folder, kept);
    } else {
        if (made == FILES_FAILED) fail(parts, "write to");
        drop_new(parts);
        parts_refresh(parts);
    }
    assert(made != FILES_MADE || parts->lines.data[part].is_done);
    text_free(&text);
    mem_free(parts->mem, folder);
    mem_free(parts->mem, path);
    mem_free(parts->mem, kept);
    return made;
}

/* ---- opening and closing ---- */

static bool make_folder(struct parts *parts, const char *given)
{
    const char *where = getenv("TMPDIR");
    parts->folder = parts->top = given;
    if (given) return !mkdir(given, 0777) || errno == EEXIST || fail(parts, "make");
    struct text name;
    text_init(&name, parts->mem);
    text_add(&name,
             "%s/cairn-XX"
             "XX"
             "XX",
             where && *where ? where : "/tmp");
    parts->folder = parts->top = name.data;
    parts->is_temporary = mkdtemp(name.data);
    return parts->is_temporary || fail(parts, "make");
}

static const char *what_is_wrong(const struct parts *parts, char *text)
{
    char head[LINE_ROOM];
    print_head(parts, head);
    if (!take_check(text)) return "has a damaged list of parts";
    if (strncmp(text, "cairn parts 3 ", 14)) return "was written by another version";
    return strcmp(text, head)
               ? "has parts of another model, or of a search that asked something else"
               : NULL;
}

/* Makes the head, unless it is there. */
static bool make_head(struct parts *parts, const char *path)
{
    struct text text;
    char head[LINE_ROOM];
    text_init(&text, parts->mem);
    print_head(parts, head);
    text_add(&text, "%s", head);
    add_check(&text);
    bool good = files_make(parts->folder, path, text.data, true) != FILES_FAILED;
    text_free(&text);
    return good || fail(parts, "write to");
}

static bool check_head(struct parts *parts, const char *path, bool is_new)
{
    if (is_new && !make_head(parts, path)) return false;
    for (unsigned i = 0; i < 100; i++) { /* somebody may have made it just now */
        char *text = files_read(parts->mem, path, NULL);
        const char *why = text ? what_is_wrong(parts, text) : NULL;
        const bool there = text != NULL;
        mem_free(parts->mem, text);
        if (there) return !why || refuse(parts, why);
        usleep(100000);
    }
    return fail(parts, "read");
}

/* Its first part, and what else is known. */
static bool begin(struct parts *parts, bool looks)
{
    char *claims = parts_claims(parts), *first = parts_name(parts, 0, NULL);
    bool good =
        looks || claims_open(&parts->claims, parts->mem, claims, parts->stop, parts->patience);
    if (!good) snprintf(parts->error, sizeof parts->error, "%s", parts->claims.error);
    else if (!looks) good = !mkdir(first, 0777) || errno == EEXIST || fail(parts, "write to");
    mem_free(parts->mem, claims);
    mem_free(parts->mem, first);
    for (uint32_t i = 0; i < parts->lines.len; i++)
        mem_free(parts->mem, parts->lines.data[i].attempt);
    parts->lines.len = 0;
    if (!good) return false;
    add_line(parts, 0, (struct parts_line){.parent = NO_PART, .maker = NO_PART});
    parts_refresh(parts);
    return true;
}

static char *again_name(struct mem *mem, const char *folder)
{
    return join_path(mem, folder, "again");
}

bool parts_are_again(const char *folder)
{
    char path[FILES_PATH];
    snprintf(path, sizeof path, "%s/again/parts", folder);
    return files_is_there(path);
}

bool parts_begin_again(struct parts *parts, const uint64_t hash[2], bool looks)
{
    assert(!parts->is_again);
    claims_close(&parts->claims);
    parts->folder = again_name(parts->mem, parts->top);
    parts->is_again = true;
    parts->hash[0] = hash[0];
    parts->hash[1] = hash[1];
    if (!looks && mkdir(parts->folder, 0777) && errno != EEXIST) return fail(parts, "make");
    char *path = join_path(parts->mem, parts->folder, "parts");
    bool good = check_head(parts, path, !looks && !files_is_there(path)) && begin(parts, looks);
    mem_free(parts->mem, path);
    return good;
}

bool parts_open(struct parts *parts, struct mem *mem, const struct parts_plan *plan,
                const uint64_t hash[2])
{
    *parts = (struct parts){.mem = mem, .hash = {hash[0], hash[1]}, .patience = plan->patience};
    if (plan->looks) parts->folder = parts->top = plan->folder;
    else if (!make_folder(parts, plan->folder)) return false;
    if (strlen(parts->folder) + 512 > FILES_PATH) return refuse(parts, "has too long a name");
    char *path = join_path(mem, parts->folder, "parts");
    parts->stop = plan->stop ? plan->stop : join_path(mem, parts->folder, "stop");
    bool exists = !access(path, F_OK), good = true;
    for (unsigned i = 0; !exists && plan->resume && i < 20 && !freezer_is_empty(parts->folder);
         i++) { /* somebody may be making it */
        usleep(100000);
        exists = !access(path, F_OK);
    }
    if (!exists && (plan->must || plan->looks))
        good = refuse(parts, "has no search that was split");
    else if (!exists && !freezer_is_empty(parts->folder))
        good = refuse(parts, "is not empty, and has no search that was split");
    else if (exists && !plan->resume)
        good = refuse(parts, "has an earlier run: --resume continues it; to begin again, remove "
                             "the folder");
    good = good && check_head(parts, path, !exists) && begin(parts, plan->looks);
    mem_free(mem, path);
    return good;
}

static double time_of(struct mem *mem, char *path)
{
    struct stat status;
    const bool good = !stat(path, &status);
    mem_free(mem, path);
    return good ? (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec : 0;
}

double parts_seconds(const struct parts *parts)
{
    double last = 0, first = time_of(parts->mem, join_path(parts->mem, parts->top, "parts"));
    for (uint32_t i = 0; i < parts->lines.len; i++) {
        if (!parts->lines.data[i].is_done) continue;
        double one = time_of(parts->mem, parts_name(parts, i, "done"));
        if (one > last) last = one;
    }
    return last > first ? last - first : 0;
}

bool parts_peek(struct parts *parts, struct mem *mem, const char *folder)
{
    *parts = (struct parts){.mem = mem, .folder = folder, .top = folder};
    parts->is_again = parts_are_again(folder);
    if (parts->is_again) parts->folder = again_name(mem, folder);
    char *path = join_path(mem, parts->folder, "parts"), *text = files_read(mem, path, NULL);
    bool good =
        text
        && sscanf(text, "cairn parts 3 %16" SCNx64 "%16" SCNx64, &parts->hash[0], &parts->hash[1])
               == 2
        && !what_is_wrong(parts, text);
    mem_free(mem, path);
    mem_free(mem, text);
    return good && begin(parts, true);
}

void parts_abandon(struct parts *parts)
{
    if (parts->is_temporary) files_remove_tree(parts->top);
}

void parts_close(struct parts *parts)
{
    parts_abandon(parts);
    if (!parts->is_temporary) claims_close(&parts->claims);
    for (uint32_t i = 0; i < parts->lines.len; i++)
        mem_free(parts->mem, parts->lines.data[i].attempt);
    vec_free(parts->mem, &parts->lines);
    vec_free(parts->mem, &parts->new);
}
