#include "serve/folder.h"

#include "lang/languages.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DEPTH = 4, MOST_FILES = 2000, MOST_NAME = 1000 };

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length > tail && !strcmp(name + length - tail, end);
}

enum folder_kind folder_kind_of(const char *name)
{
    if (ends_with(name, ".itf.json")) return FOLDER_TRACE;
    if (ends_with(name, ".cdl")) return FOLDER_CONTEXT;
    if (ends_with(name, ".xgdl")) return FOLDER_GUIDE;
    return languages_knows(name) ? FOLDER_MODEL : FOLDER_OTHER;
}

/* The length of a name's first part; 0: it is none. */
static size_t part_of(const char *name)
{
    const size_t length = strcspn(name, "/");
    return length <= NAME_MAX && name[0] != '.' ? length : 0;
}

bool folder_is_name(const char *name)
{
    for (;;) {
        const size_t length = part_of(name);
        if (!length || !name[length]) return length;
        name += length + 1;
    }
}

/* ---- one file ---- */

/* The folder that has the last part of the name, which is copied to `last`: a descriptor of its
 * own. */
static int open_parent(int folder, const char *name, char last[NAME_MAX + 1])
{
    int at = dup(folder);
    for (;;) {
        const size_t length = part_of(name);
        if (at < 0) return -1;
        if (!length) break;
        memcpy(last, name, length);
        last[length] = 0;
        if (!name[length]) return at;
        const int inner = openat(at, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = inner;
        name += length + 1;
    }
    close(at);
    errno = EACCES;
    return -1;
}

int folder_open(int folder, const char *name)
{
    char last[NAME_MAX + 1];
    struct stat info;
    const int parent = open_parent(folder, name, last);
    if (parent < 0) return -1;
    const int file = openat(parent, last, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    close(parent);
    if (file < 0) {
        if (errno == ELOOP) errno = EACCES;
        return -1;
    }
    if (!fstat(file, &info) && S_ISREG(info.st_mode)) return file;
    close(file);
    errno = EACCES;
    return -1;
}

static bool write_whole(int file, const char *text, size_t length)
{
    for (size_t done = 0; done < length;) {
        const ssize_t put = write(file, text + done, length - done);
        if (put < 0 && errno != EINTR) return false;
        if (put > 0) done += (size_t)put;
    }
    return true;
}

/* Under a name of its own first, so that a file is never half written. */
static bool write_beside(int parent, const char *name, const char *text, size_t length)
{
    char other[64];
    snprintf(other, sizeof other, ".cairn-%ld.new", (long)getpid());
    const int file =
        openat(parent, other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) return false;
    bool good = write_whole(file, text, length);
    int reason = errno;
    if (close(file)) good = false, reason = errno;
    if (good && renameat(parent, other, parent, name)) good = false, reason = errno;
    if (!good) unlinkat(parent, other, 0);
    errno = reason;
    return good;
}

bool folder_write(int folder, const char *name, const char *text, size_t length)
{
    char last[NAME_MAX + 1];
    struct stat info;
    assert(text);
    errno = length > FOLDER_MOST_BYTES ? EFBIG : EACCES;
    if (length > FOLDER_MOST_BYTES || folder_kind_of(name) == FOLDER_OTHER) return false;
    const int parent = open_parent(folder, name, last);
    if (parent < 0) return false;
    const bool is_there = !fstatat(parent, last, &info, AT_SYMLINK_NOFOLLOW);
    bool good = !is_there || S_ISREG(info.st_mode);
    if (!good) errno = EACCES;
    good = good && write_beside(parent, last, text, length);
    const int reason = errno;
    close(parent);
    errno = reason;
    return good;
}

/* ---- all files ---- */

struct listed {
    char *name;
    uint64_t bytes;
};

struct listing {
    struct mem *mem;
    VEC(struct listed) files;
};

static void list(struct listing *listing, int folder, const char *before, unsigned depth);

static void list_entry(struct listing *listing, int folder, const char *before, const char *name,
                       unsigned depth)
{
    struct stat info;
    char path[MOST_NAME];
    const int length = snprintf(path, sizeof path, "%s%s", before, name);
    if (name[0] == '.' || length >= MOST_NAME - 1 || listing->files.len >= MOST_FILES) return;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW)) return;
    if (S_ISDIR(info.st_mode) && depth < MOST_DEPTH) {
        strcat(path, "/");
        list(listing, openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path,
             depth + 1);
    }
    if (!S_ISREG(info.st_mode) || folder_kind_of(name) == FOLDER_OTHER) return;
    char *kept = mem_alloc(listing->mem, (size_t)length + 1);
    memcpy(kept, path, (size_t)length);
    vec_push(listing->mem, &listing->files, ((struct listed){kept, (uint64_t)info.st_size}));
}

/* Takes the descriptor, which may be less than 0. */
static void list(struct listing *listing, int folder, const char *before, unsigned depth)
{
    DIR *entries = folder < 0 ? NULL : fdopendir(folder);
    if (!entries && folder >= 0) close(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        list_entry(listing, dirfd(entries), before, entry->d_name, depth);
    if (entries) closedir(entries);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

void folder_list(struct out *json, int folder, struct mem *mem)
{
    static const char *const kinds[] = {"model", "context", "guide", "trace"};
    struct listing listing = {.mem = mem};
    list(&listing, openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0);
    if (listing.files.len)
        qsort(listing.files.data, listing.files.len, sizeof *listing.files.data, by_name);
    out_open(json, '[');
    for (uint32_t i = 0; i < listing.files.len; i++) {
        const struct listed *file = &listing.files.data[i];
        out_open_inline(json, '{');
        out_key(json, "name");
        out_string(json, file->name);
        out_key(json, "kind");
        out_string(json, kinds[folder_kind_of(file->name)]);
        out_key(json, "bytes");
        out_uint(json, file->bytes);
        out_close(json, '}');
    }
    out_close(json, ']');
}
