/* A folder of the user, $XDG_CACHE_HOME/cairn or ~/.cache/cairn, with a file per object: a head,
 * what it was made from, and the object. The name of a file is a hash of the source, the head has
 * one of all that follows, and the source is compared as a whole: a file that is damaged, cut, or
 * of another text is not used, whatever its name is.
 *
 * Code is run from here only if nobody but the user could have written it: the folder and the file
 * must be theirs, and others must not be able to write to either; links are not followed. Files are
 * written under another name first. The oldest are removed when there are many. */
#include "native/cache.h"

#include "native/compiler.h"
#define XXH_INLINE_ALL
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_FILES = 64, MOST_BYTES = 128 << 20, NAME = 40 };

struct head {
    char kind[16];
    uint64_t compiler, text, object; /* bytes of each; they follow, the object first */
    uint64_t check[2];               /* of what follows, and of the numbers before */
    uint64_t nothing;                /* so that the object is aligned */
};
static const char kind[16] = "cairn native 1\n";

/* ---- the folder ---- */

static bool is_ours(int file, mode_t type)
{
    struct stat found;
    return !fstat(file, &found) && (found.st_mode & S_IFMT) == type && found.st_uid == geteuid()
           && !(found.st_mode & (S_IWGRP | S_IWOTH));
}

/* Makes it where that is wanted; negative: there is none, or it is not to be trusted. */
static int open_folder(bool makes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char name[PATH_MAX];
    const bool is_given = cache && *cache == '/';
    if (!is_given && !(home && *home == '/')) return -1;
    int length =
        snprintf(name, sizeof name, "%s%s", is_given ? cache : home, is_given ? "" : "/.cache");
    if (length < 0 || (size_t)length + sizeof "/cairn" > sizeof name) return -1;
    if (makes) mkdir(name, 0700);
    memcpy(name + length, "/cairn", sizeof "/cairn");
    if (makes) mkdir(name, 0700);
    const int folder = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || is_ours(folder, S_IFDIR)) return folder;
    close(folder);
    return -1;
}

static void name_file(const struct native_source *source, char name[NAME])
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, source->compiler, strlen(source->compiler) + 1);
    XXH3_128bits_update(&state, source->text, source->length);
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    snprintf(name, NAME, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

static void make_check(const struct head *head, const unsigned char *rest, uint64_t check[2])
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, head, offsetof(struct head, check));
    XXH3_128bits_update(&state, rest, head->object + head->compiler + head->text);
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    check[0] = hash.low64;
    check[1] = hash.high64;
}

/* ---- finding ---- */

/* The bytes of a file as a whole; NULL: it cannot be read or trusted. */
static unsigned char *read_all(int file, struct mem *mem, size_t *size)
{
    struct stat found;
    if (!is_ours(file, S_IFREG) || fstat(file, &found) || found.st_size > MOST_BYTES) return NULL;
    unsigned char *bytes = mem_try_alloc(mem, (size_t)found.st_size + 1);
    for (*size = 0; bytes && *size < (size_t)found.st_size;) {
        const ssize_t got = read(file, bytes + *size, (size_t)found.st_size - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        *size += (size_t)got;
    }
    return bytes;
}

static bool is_good(const struct native_source *source, const unsigned char *bytes, size_t size)
{
    struct head head;
    uint64_t check[2];
    if (size < sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    const unsigned char *rest = bytes + sizeof head;
    if (memcmp(head.kind, kind, sizeof kind) != 0 || head.compiler != strlen(source->compiler)
        || head.text != source->length || head.object > MOST_BYTES
        || size - sizeof head != head.object + head.compiler + head.text)
        return false;
    make_check(&head, rest, check);
    return !memcmp(check, head.check, sizeof check)
           && !memcmp(rest + head.object, source->compiler, head.compiler)
           && !memcmp(rest + head.object + head.compiler, source->text, head.text);
}

unsigned char *native_cache_find(const struct native_source *source, struct mem *mem, size_t *size)
{
    char name[NAME];
    const int folder = open_folder(false);
    if (folder < 0) return NULL;
    name_file(source, name);
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(folder);
    if (file < 0) return NULL;
    unsigned char *bytes = read_all(file, mem, size);
    close(file);
    if (bytes && is_good(source, bytes, *size)) {
        struct head head;
        memcpy(&head, bytes, sizeof head);
        *size = head.object;
        memmove(bytes, bytes + sizeof head, head.object);
        return bytes;
    }
    mem_free(mem, bytes);
    return NULL;
}

/* ---- keeping ---- */

/* Removes the oldest file, if there are too many. */
static void make_room(int folder)
{
    const int again = dup(folder);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    char oldest[NAME] = "";
    struct timespec when = {0};
    unsigned count = 0;
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        struct stat found;
        if (strlen(entry->d_name) != 32
            || fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW))
            continue;
        if (!count++ || found.st_mtim.tv_sec < when.tv_sec) {
            when = found.st_mtim;
            memcpy(oldest, entry->d_name, 33);
        }
    }
    if (list) closedir(list);
    else if (again >= 0) close(again);
    if (count >= MOST_FILES) unlinkat(folder, oldest, 0);
}

void native_cache_keep(const struct native_source *source, struct mem *mem,
                       const unsigned char *object, size_t size)
{
    struct head head = {
        .compiler = strlen(source->compiler), .text = source->length, .object = size};
    const size_t rest = size + head.compiler + head.text;
    char name[NAME], early[NAME];
    const int folder = open_folder(true);
    if (folder < 0) return;
    unsigned char *bytes = rest + sizeof head <= MOST_BYTES ? mem_try_alloc(mem, rest) : NULL;
    if (bytes) {
        memcpy(head.kind, kind, sizeof kind);
        memcpy(bytes, object, size);
        memcpy(bytes + size, source->compiler, head.compiler);
        memcpy(bytes + size + head.compiler, source->text, head.text);
        make_check(&head, bytes, head.check);
        name_file(source, name);
        snprintf(early, sizeof early, "new-%ld", (long)getpid());
        unlinkat(folder, early, 0);
        make_room(folder);
        const int file =
            openat(folder, early, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        const bool good = file >= 0 && native_compiler_write(file, &head, sizeof head)
                          && native_compiler_write(file, bytes, rest);
        if (file >= 0 && (close(file) || !good || renameat(folder, early, folder, name)))
            unlinkat(folder, early, 0);
        mem_free(mem, bytes);
    }
    close(folder);
}
