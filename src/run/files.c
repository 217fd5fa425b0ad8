#include "run/files.h"

#include "base/text.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STALE_TRIES = 5, MOST_TEXT = 1 << 26, COPY_BYTES = 1 << 16 };

/* ---- owners ---- */

/* The moment a process started, in ticks since the boot; 0: there is none. One that has ended, and
 * that nobody has waited for, is gone. */
static uint64_t start_of(long process)
{
    char path[64], line[1024], state;
    unsigned long long start;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    size_t size = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[size] = 0;
    const char *rest = strrchr(line, ')'); /* its name may have anything in it */
    if (!rest
        || sscanf(rest + 1,
                  " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                  "%*s %*s %llu",
                  &state, &start)
               != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : start;
}

static void read_boot(char boot[9])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file || fread(boot, 1, 8, file) != 8) memcpy(boot, "unknown-", 8);
    boot[8] = 0;
    for (char *at = boot; *at; at++)
        if (*at == '_' || *at == '/') *at = '-';
    if (file) fclose(file);
}

static uint64_t read_space(void)
{
    struct stat status;
    return stat("/proc/self/ns/pid", &status) ? 0 : (uint64_t)status.st_ino;
}

const struct files_owner *files_self(void)
{
    static struct files_owner self;
    static pid_t known; /* a child is somebody else */
    if (known == getpid()) return &self;
    char host[49] = "", boot[9];
    gethostname(host, sizeof host - 1);
    for (char *at = host; *at; at++)
        if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9')
              || *at == '-'))
            *at = '-';
    known = getpid();
    read_boot(boot);
    snprintf(self.text, sizeof self.text, "%s_%ld_%" PRIu64 "_%s_%" PRIu64, *host ? host : "host",
             (long)known, start_of((long)known), boot, read_space());
    return &self;
}

static bool read_owner(const char *owner, long *process, uint64_t *start)
{
    char boot[9], own[9];
    uint64_t space;
    const char *at = strchr(owner, '_');
    if (!at || sscanf(at, "_%ld_%" SCNu64 "_%8[^_]_%" SCNu64, process, start, boot, &space) != 4)
        return false;
    read_boot(own);
    return !strcmp(boot, own) && strcmp(own, "unknown-") && space == read_space() && space;
}

bool files_is_here(const char *owner)
{
    long process;
    uint64_t start;
    return read_owner(owner, &process, &start);
}

bool files_is_gone(const char *owner)
{
    long process;
    uint64_t start;
    return read_owner(owner, &process, &start) && start && start_of(process) != start;
}

void files_path(char path[FILES_PATH], const char *folder, const char *name)
{
    const int length = snprintf(path, FILES_PATH, "%s/%s", folder, name);
    assert(length < FILES_PATH); /* folders with long names are refused */
    if (length >= FILES_PATH) path[0] = 0;
}

void files_unique(char path[FILES_PATH], const char *folder, const char *prefix)
{
    static unsigned number;
    int length =
        snprintf(path, FILES_PATH, "%s/%s.%s.%u", folder, prefix, files_self()->text, number++);
    assert(length < FILES_PATH);
    if (length >= FILES_PATH) path[0] = 0;
}

/* ---- writing ---- */

#ifdef CAIRN_TEST_HOOKS
static bool is_synced(void) { return !getenv("CAIRN_NO_SYNC"); }
#else
static bool is_synced(void) { return true; }
#endif

void files_sync_folder(const char *folder)
{
    int list = is_synced() ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (list < 0) return;
    fsync(list); /* file systems that cannot do that have no need for it */
    close(list);
}

static void sync_folder_of(const char *path)
{
    char folder[FILES_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    files_sync_folder(slash ? folder : ".");
}

bool files_write(const char *path, const char *bytes, size_t size, bool durable)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), reason = 0;
    if (file < 0) return false;
    while (size && !reason) {
        ssize_t some = write(file, bytes, size);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) reason = some ? errno : ENOSPC;
        else bytes += some, size -= (size_t)some;
    }
    if (!reason && durable && is_synced() && fsync(file)) reason = errno;
    if (close(file) && !reason) reason = errno; /* where NFS tells that a disk is full */
    if (!reason) return true;
    unlink(path);
    errno = reason;
    return false;
}

/* A server may have made the link although its answer was lost, and say on a second try that it is
 * there: the number of names tells. */
enum files_made files_publish(const char *written, const char *path, bool durable)
{
    struct stat status;
    bool made = !link(written, path);
    int reason = errno;
    if (!made && !stat(written, &status)) made = status.st_nlink == 2;
    unlink(written);
    if (made && durable) sync_folder_of(path);
    errno = reason;
    return made ? FILES_MADE : reason == EEXIST ? FILES_TAKEN : FILES_FAILED;
}

bool files_replace(const char *written, const char *path, bool durable)
{
    if (rename(written, path)) {
        int reason = errno;
        unlink(written);
        errno = reason;
        return false;
    }
    if (durable) sync_folder_of(path);
    return true;
}

enum files_made files_make(const char *folder, const char *path, const char *text, bool durable)
{
    char written[FILES_PATH];
    files_unique(written, folder, ".new");
    if (!files_write(written, text, strlen(text), durable)) return FILES_FAILED;
    return files_publish(written, path, durable);
}

bool files_put(const char *folder, const char *path, const char *text, bool durable)
{
    char written[FILES_PATH];
    files_unique(written, folder, ".new");
    return files_write(written, text, strlen(text), durable)
           && files_replace(written, path, durable);
}

/* ---- reading ---- */

/* Test builds can see files late, as on a machine that has an old list of a folder. */
static bool is_seen(const struct stat *status)
{
#ifdef CAIRN_TEST_HOOKS
    const char *delay = getenv("CAIRN_SEE_LATE");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double age = (double)(now.tv_sec - status->st_ctim.tv_sec)
                 + 1e-9 * (double)(now.tv_nsec - status->st_ctim.tv_nsec);
    if (delay && S_ISREG(status->st_mode) && age < 1e-3 * strtod(delay, NULL)) return false;
#endif
    (void)status;
    return true;
}

bool files_is_there(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC); /* asks the server, where stat need not */
    bool there = file >= 0 && !fstat(file, &status) && is_seen(&status);
    if (file >= 0) close(file);
    return there;
}

static double seconds_of(const struct timespec *time)
{
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

/* NULL with errno ESTALE: another file has this name now. */
static char *read_once(struct mem *mem, const char *path, double *changed, bool own)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC), reason = 0;
    if (file < 0) return NULL;
    char *text = NULL;
    size_t got = 0, size = 0;
    if (fstat(file, &status)) reason = errno;
    else if (!S_ISREG(status.st_mode) || (!own && !is_seen(&status))) reason = ENOENT;
    else if (status.st_size > MOST_TEXT) reason = EFBIG;
    else {
        size = (size_t)status.st_size;
        text = mem_alloc(mem, size + 1);
    }
    while (text && got < size && !reason) {
        ssize_t some = read(file, text + got, size - got);
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) reason = errno;
        if (some <= 0) break;
        got += (size_t)some;
    }
    close(file);
    if (text) text[got] = 0;
    if (!reason && changed) *changed = seconds_of(&status.st_mtim);
    if (!reason) return text;
    mem_free(mem, text);
    errno = reason;
    return NULL;
}

static char *read_file(struct mem *mem, const char *path, double *changed, bool own)
{
    char *text = NULL;
    for (unsigned i = 0; i < STALE_TRIES && !text; i++) {
        text = read_once(mem, path, changed, own);
        if (!text && errno != ESTALE) break;
    }
    return text;
}

char *files_read(struct mem *mem, const char *path, double *changed)
{
    return read_file(mem, path, changed, false);
}

/* ---- claims ---- */

bool files_renew(struct mem *mem, const char *path, const char *text)
{
    char *there = read_file(mem, path, NULL, true);
    bool mine = there && !strcmp(there, text);
    mem_free(mem, there);
    if (mine) utimensat(AT_FDCWD, path, NULL, 0); /* by the clock of the server */
    return mine;
}

double files_now(const char *probe)
{
    struct stat status;
    int file = open(probe, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    bool good = file >= 0 && !futimens(file, NULL) && !fstat(file, &status);
    if (file >= 0) close(file);
    return good ? seconds_of(&status.st_mtim) : -1;
}

/* ---- folders ---- */

void files_remove_tree(const char *folder)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    char path[FILES_PATH];
    if (!list) return;
    while ((entry = readdir(list))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path)
            continue;
        if (unlink(path) && (errno == EISDIR || errno == EPERM)) files_remove_tree(path);
    }
    closedir(list);
    rmdir(folder);
}

bool files_copy(const char *from, const char *to)
{
    char bytes[COPY_BYTES];
    int source = open(from, O_RDONLY | O_CLOEXEC);
    int target = source < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool good = target >= 0;
    for (ssize_t some; good && (some = read(source, bytes, sizeof bytes)) != 0;)
        good = some > 0 && write(target, bytes, (size_t)some) == some;
    if (source >= 0) close(source);
    if (target >= 0 && close(target)) good = false;
    return good;
}
