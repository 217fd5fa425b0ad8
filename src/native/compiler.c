/* The compiler is started without a shell, by a process of its own, the keeper, which also makes a
 * private folder for it, takes its time, sends the object back through a pipe, and removes the
 * folder. The keeper ends when the search does, whatever happens to that: it notices that a pipe
 * was closed. So nothing is left behind, even where the search is killed.
 *
 * The keeper is a copy of a program that may have several threads: it calls nothing that a thread
 * may have had in its hands then, other than what the C library makes safe (memory). It has neither
 * the files nor the signals of the program.
 *
 * The compiler sees PATH, a folder for its temporary files, the language C for messages, and
 * nothing else of the environment. What it says is not shown: with -v, its first line. */
#include "native/compiler.h"

#include "base/clock.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_SECONDS = 120, /* that the compiler may take, by the clock */
    MOST_SAID = 400,    /* bytes of what it says */
    MOST_OBJECT = 64 << 20,
    PIPE_BYTES = 1 << 20
};
static const char answer_good[] = "object:", answer_bad[] = "failed:"; /* of the same length */
enum { ANSWER = sizeof answer_good - 1 };

/* ---- which compiler ---- */

bool native_compiler_find(char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    for (const char *at = folders; at && *at;) {
        const size_t length = strcspn(at, ":");
        if (*at == '/' && length + sizeof "/cc" <= PATH_MAX) {
            memcpy(path, at, length);
            memcpy(path + length, "/cc", sizeof "/cc");
            if (!access(path, X_OK)) return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

void native_compiler_identity(const char *path, char identity[PATH_MAX + 96])
{
    struct stat found = {0};
    if (stat(path, &found)) found = (struct stat){0};
    snprintf(identity, PATH_MAX + 96, "%s %llu %llu %lld.%ld", path,
             (unsigned long long)found.st_ino, (unsigned long long)found.st_size,
             (long long)found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

/* ---- the keeper ---- */

struct keeper {
    int alive, answer;
    const char *compiler, *text;
    size_t length;
    char folder[PATH_MAX];
    char source[PATH_MAX + 16], object[PATH_MAX + 16], said[PATH_MAX + 16];
};

static double most_seconds(void)
{
#ifdef CAIRN_TEST_HOOKS
    const char *given = getenv("CAIRN_NATIVE_SECONDS");
    if (given) return strtod(given, NULL);
#endif
    return MOST_SECONDS;
}

bool native_compiler_write(int file, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = write(file, (const char *)bytes + done, size - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return true;
}

/* A folder that nobody else can look into, with the text in it. */
static const char *make_folder(struct keeper *keeper)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || *parent != '/') parent = "/tmp";
    if ((size_t)snprintf(keeper->folder, sizeof keeper->folder, "%s/cairn-XXXXXX", parent)
        >= sizeof keeper->folder)
        return "the name of the folder for temporary files is too long";
    if (!mkdtemp(keeper->folder)) {
        keeper->folder[0] = 0;
        return "no folder can be made for temporary files";
    }
    snprintf(keeper->source, sizeof keeper->source, "%s/rules.c", keeper->folder);
    snprintf(keeper->object, sizeof keeper->object, "%s/rules.so", keeper->folder);
    snprintf(keeper->said, sizeof keeper->said, "%s/said", keeper->folder);
    const int file = open(keeper->source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool good = file >= 0 && native_compiler_write(file, keeper->text, keeper->length);
    return (file < 0 || !close(file)) && good ? NULL : "the text cannot be written";
}

static void remove_folder(const struct keeper *keeper)
{
    if (!keeper->folder[0]) return;
    DIR *folder = opendir(keeper->folder);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0); /* the compiler makes no folders */
    if (folder) closedir(folder);
    rmdir(keeper->folder);
}

static pid_t start_compiler(const struct keeper *keeper)
{
    const char *const words[] = {"cc",
                                 "-x",
                                 "c",
                                 "-std=c11",
                                 "-O1",
                                 "-w",
                                 "-fPIC",
                                 "-ffreestanding",
                                 "-fvisibility=hidden",
                                 "-fwrapv",
                                 "-fno-strict-aliasing",
                                 "-fno-stack-protector",
                                 "-fno-asynchronous-unwind-tables",
                                 "-fno-tree-loop-distribute-patterns",
                                 "-nostdlib",
                                 "-shared",
                                 "-Wl,-e,cairn_native",
                                 "-Wl,-z,defs",
                                 "-Wl,-z,noexecstack",
                                 "-Wl,--build-id=none",
                                 "-o",
                                 keeper->object,
                                 keeper->source,
                                 NULL};
    char path[PATH_MAX + 8], temporary[PATH_MAX + 8];
    const char *given = getenv("PATH");
    snprintf(path, sizeof path, "PATH=%s",
             given && strlen(given) < PATH_MAX ? given : "/usr/bin:/bin");
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", keeper->folder);
    char *environment[] = {path, temporary, (char[]){"LC_ALL=C"}, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    pid_t process = 0;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 1, keeper->said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK
                                       | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    if (posix_spawn(&process, keeper->compiler, &files, &how, (char *const *)words, environment))
        process = 0;
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return process;
}

/* Waits until the compiler ends, time is up, or the search is gone. */
static const char *await(const struct keeper *keeper, pid_t process)
{
    const double begun = clock_now(), most = most_seconds();
    const char *why = NULL;
    int status = 0;
    while (!why) {
        const pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process) break;
        struct pollfd alive = {.fd = keeper->alive, .events = POLLIN};
        if (ended < 0 || (poll(&alive, 1, 10) > 0 && alive.revents)) why = "the search has ended";
        else if (clock_now() - begun > most) why = "the compiler took too long";
    }
    kill(-process, SIGKILL); /* whomever it has started, too */
    if (!why) return WIFEXITED(status) && !WEXITSTATUS(status) ? NULL : "";
    waitpid(process, NULL, 0);
    return why;
}

/* A file of the folder; negative: it is missing or empty. */
static int open_file(const char *name)
{
    struct stat found;
    const int file = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 || (!fstat(file, &found) && S_ISREG(found.st_mode) && found.st_size > 0))
        return file;
    close(file);
    return -1;
}

/* Sends at most so many bytes of it, and closes it. */
static void send_file(const struct keeper *keeper, int file, size_t most)
{
    char bytes[4096];
    while (most) {
        const ssize_t got = read(file, bytes, most < sizeof bytes ? most : sizeof bytes);
        if (got <= 0 || !native_compiler_write(keeper->answer, bytes, (size_t)got)) break;
        most -= (size_t)got;
    }
    close(file);
}

static void answer(const struct keeper *keeper, const char *why)
{
    const bool has_failed = why && !*why;
    const int file = !why ? open_file(keeper->object) : has_failed ? open_file(keeper->said) : -1;
    if (!why && file < 0) why = "the compiler made no object";
    if (has_failed) why = file < 0 ? "the compiler failed" : "the compiler failed: ";
    const bool sent = native_compiler_write(keeper->answer, why ? answer_bad : answer_good, ANSWER)
                      && (!why || native_compiler_write(keeper->answer, why, strlen(why)));
    if (sent && file >= 0) send_file(keeper, file, why ? MOST_SAID : MOST_OBJECT);
}

static void leave_files(const struct keeper *keeper)
{
    const int nothing = open("/dev/null", O_RDWR);
    struct rlimit most = {.rlim_cur = 0};
    getrlimit(RLIMIT_NOFILE, &most);
    const int end = most.rlim_cur < 65536 ? (int)most.rlim_cur : 65536;
    for (int file = 0; file < 3; file++) dup2(nothing, file);
    for (int file = 3; file < end; file++)
        if (file != keeper->alive && file != keeper->answer) close(file);
}

static _Noreturn void keep(struct keeper *keeper)
{
    setsid();
    leave_files(keeper);
    fcntl(keeper->alive, F_SETFD, FD_CLOEXEC);
    fcntl(keeper->answer, F_SETFD, FD_CLOEXEC);
    const char *why = make_folder(keeper);
    if (!why) {
        const pid_t process = start_compiler(keeper);
        why = process ? await(keeper, process) : "the compiler cannot be started";
    }
    answer(keeper, why);
    remove_folder(keeper);
    _exit(0);
}

/* ---- in the program ---- */

static void close_both(int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

bool native_compiler_start(struct native_compiler *compiler, struct mem *mem, const char *path,
                           const char *text, size_t length)
{
    int alive[2], answers[2];
    sigset_t all, before;
    *compiler = (struct native_compiler){.alive = -1, .answer = -1, .mem = mem};
    if (pipe2(alive, O_CLOEXEC)) return false;
    if (pipe2(answers, O_CLOEXEC)) return close_both(alive), false;
    fcntl(answers[1], F_SETPIPE_SZ, PIPE_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t keeper = fork();
    if (!keeper) {
        close(alive[1]);
        close(answers[0]);
        struct keeper self = {.alive = alive[0],
                              .answer = answers[1],
                              .compiler = path,
                              .text = text,
                              .length = length};
        keep(&self);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(alive[0]);
    close(answers[1]);
    if (keeper < 0) {
        close(alive[1]);
        close(answers[0]);
        return false;
    }
    fcntl(answers[0], F_SETFL, O_NONBLOCK);
    compiler->keeper = keeper;
    compiler->alive = alive[1];
    compiler->answer = answers[0];
    return true;
}

/* What was received as a whole. */
static enum native_compiler_state judge(struct native_compiler *compiler)
{
    static const char silent[] = "the compiler said nothing";
    const bool is_whole = compiler->size >= ANSWER;
    const bool good = is_whole && !memcmp(compiler->bytes, answer_good, ANSWER);
    if (is_whole) {
        compiler->size -= ANSWER;
        memmove(compiler->bytes, compiler->bytes + ANSWER, compiler->size);
    } else if (compiler->room > sizeof silent) {
        memcpy(compiler->bytes, silent, sizeof silent);
        compiler->size = sizeof silent - 1;
    }
    if (compiler->bytes) compiler->bytes[compiler->size] = 0; /* there is room */
    return good ? NATIVE_COMPILED : NATIVE_COMPILES_NOT;
}

enum native_compiler_state native_compiler_look(struct native_compiler *compiler, int milliseconds)
{
    struct pollfd ready = {.fd = compiler->answer, .events = POLLIN};
    assert(compiler->keeper);
    if (milliseconds) poll(&ready, 1, milliseconds);
    for (;;) {
        if (compiler->room - compiler->size < 4096) {
            const size_t room = compiler->room ? 2 * compiler->room : 1 << 16;
            unsigned char *bytes = room <= 2 * (size_t)MOST_OBJECT
                                       ? mem_try_resize(compiler->mem, compiler->bytes, room)
                                       : NULL;
            if (!bytes) return NATIVE_COMPILES_NOT;
            compiler->bytes = bytes;
            compiler->room = room;
        }
        const ssize_t got = read(compiler->answer, compiler->bytes + compiler->size,
                                 compiler->room - compiler->size - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return NATIVE_COMPILES;
        if (got <= 0) return judge(compiler);
        compiler->size += (size_t)got;
    }
}

void native_compiler_stop(struct native_compiler *compiler)
{
    if (!compiler->keeper) return;
    close(compiler->alive);
    close(compiler->answer);
    while (waitpid(compiler->keeper, NULL, 0) < 0 && errno == EINTR) continue;
    mem_free(compiler->mem, compiler->bytes);
    *compiler = (struct native_compiler){.alive = -1, .answer = -1};
}
