/* A process in a group of its own, so that all that it has started ends with it, with a pipe for
 * each stream. Nothing of the server is open in it, but for the folder.
 *
 * Invariants: (1) a process that has not ended is in errand->process; (2) of lines at most
 * MOST_LINES bytes are kept, whole ones; of an answer at most MOST_ANSWER bytes, or it is killed.
 */
#include "serve/errand.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_ANSWER = 64 << 20,
    MOST_LINES = 1 << 20,
    PIECE = 1 << 16,
    STOP_SECONDS = 5, /* from the wish for an end until it is killed */
    FIRST_FREE = 3    /* the first descriptor behind the standard ones */
};

/* ---- in its process ---- */

/* Moves these descriptors to FIRST_FREE and behind it, and closes all others. */
static bool keep_only(int *descriptors, int count)
{
    for (int i = 0; i < count; i++) { /* out of the way first */
        descriptors[i] = fcntl(descriptors[i], F_DUPFD, FIRST_FREE + count);
        if (descriptors[i] < 0) return false;
    }
    for (int i = 0; i < count; i++)
        if (dup2(descriptors[i], FIRST_FREE + i) < 0) return false;
    return !close_range((unsigned)(FIRST_FREE + count), ~0U, 0);
}

static _Noreturn void be_errand(const struct errand_plan *plan, const int ends[ERRAND_STREAMS],
                                pid_t parent)
{
    enum { UNABLE = 4 };
    int kept[] = {ends[ERRAND_ANSWER], ends[ERRAND_LINES], plan->folder};
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int nothing = open("/dev/null", O_RDWR);
    if (getppid() != parent || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0
        || dup2(nothing, STDOUT_FILENO) < 0 || !keep_only(kept, 3) || fchdir(FIRST_FREE + 2))
        _exit(UNABLE);
    const struct errand_tools tools = {.answer = fdopen(FIRST_FREE, "w"),
                                       .lines = fdopen(FIRST_FREE + 1, "w"),
                                       .folder = FIRST_FREE + 2,
                                       .context = plan->context};
    if (!tools.answer || !tools.lines) _exit(UNABLE);
    const int status = plan->run(&tools);
    _exit(fflush(tools.answer) || fflush(tools.lines) ? UNABLE : status);
}

/* ---- outside ---- */

static void close_all(int ends[ERRAND_STREAMS])
{
    for (unsigned i = 0; i < ERRAND_STREAMS; i++) {
        if (ends[i] >= 0) close(ends[i]);
        ends[i] = -1;
    }
}

bool errand_start(struct errand *errand, const struct errand_plan *plan)
{
    int from[ERRAND_STREAMS] = {-1, -1}, to[ERRAND_STREAMS] = {-1, -1};
    const pid_t parent = getpid();
    pid_t child = -1;
    bool good = true;
    for (unsigned i = 0; good && i < ERRAND_STREAMS; i++) {
        int both[2] = {-1, -1};
        good = !pipe2(both, O_CLOEXEC) && !fcntl(both[0], F_SETFL, O_NONBLOCK);
        from[i] = both[0];
        to[i] = both[1];
    }
    fflush(NULL);
    if (good) child = fork();
    if (!child) be_errand(plan, to, parent);
    close_all(to);
    if (child < 0) return close_all(from), false;
    *errand = (struct errand){.process = child,
                              .pipes = {from[ERRAND_ANSWER], from[ERRAND_LINES]},
                              .ends = plan->seconds > 0 ? clock_now() + plan->seconds : 0};
    for (unsigned i = 0; i < ERRAND_STREAMS; i++) text_init(&errand->said[i], plan->mem);
    return true;
}

void errand_wait(const struct errand *errand, struct pollfd polls[ERRAND_STREAMS])
{
    for (unsigned i = 0; i < ERRAND_STREAMS; i++)
        polls[i] = (struct pollfd){errand->pipes[i], POLLIN, 0};
}

/* (2): whole lines are forgotten, the oldest ones. */
static void forget_some(struct errand *errand)
{
    struct text *lines = &errand->said[ERRAND_LINES];
    if (lines->len <= MOST_LINES) return;
    const char *end = memchr(lines->data + lines->len / 2, '\n', lines->len - lines->len / 2);
    const size_t gone = end ? (size_t)(end - lines->data) + 1 : lines->len;
    memmove(lines->data, lines->data + gone, lines->len - gone + 1);
    lines->len -= gone;
    errand->forgotten += gone;
}

static void kill_for(struct errand *errand, const char *why)
{
    if (!errand->killed) errand->killed = why;
    kill(-errand->process, SIGKILL);
    kill(errand->process, SIGKILL); /* it may not have a group yet */
}

static void listen_to(struct errand *errand, unsigned stream)
{
    char piece[PIECE];
    const ssize_t got = read(errand->pipes[stream], piece, sizeof piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got > 0) {
        text_add(&errand->said[stream], "%.*s", (int)got, piece);
        if (stream == ERRAND_LINES) forget_some(errand);
        else if (errand->said[stream].len > MOST_ANSWER)
            kill_for(errand, "what there is to show is larger than 64 MiB");
        return;
    }
    close(errand->pipes[stream]);
    errand->pipes[stream] = -1;
}

bool errand_listen(struct errand *errand, const struct pollfd polls[ERRAND_STREAMS])
{
    int status = 0;
    siginfo_t ended;
    assert(errand->process > 0); /* (1) */
    for (unsigned i = 0; i < ERRAND_STREAMS; i++)
        if (errand->pipes[i] >= 0 && polls[i].revents) listen_to(errand, i);
    if (errand->ends > 0 && clock_now() > errand->ends)
        kill_for(errand, errand->is_stopped ? "it did not stop in time, and was ended"
                                            : "it took too long, and was ended");
    if (errand->pipes[ERRAND_ANSWER] >= 0 || errand->pipes[ERRAND_LINES] >= 0) return true;
    while (waitid(P_PID, (id_t)errand->process, &ended, WEXITED | WNOWAIT) && errno == EINTR)
        continue;
    kill(-errand->process, SIGKILL); /* nobody is left behind; its number is still its own */
    while (waitpid(errand->process, &status, 0) < 0 && errno == EINTR) continue;
    errand->process = 0;
    errand->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return false;
}

void errand_stop(struct errand *errand)
{
    if (!errand->process || errand->is_stopped) return;
    errand->is_stopped = true;
    errand->ends = clock_now() + STOP_SECONDS;
    kill(errand->process, SIGINT);
}

void errand_kill(struct errand *errand)
{
    if (!errand->process) return;
    kill_for(errand, "the server has ended");
    while (waitpid(errand->process, NULL, 0) < 0 && errno == EINTR) continue;
    close_all(errand->pipes);
    errand->process = 0;
}

void errand_free(struct errand *errand)
{
    assert(!errand->process);
    for (unsigned i = 0; i < ERRAND_STREAMS; i++) text_free(&errand->said[i]);
}

/* ---- what it says ---- */

/* Whole lines behind `from`, as values of a list; where they end. */
static size_t tell_lines(const struct errand *errand, uint64_t from, struct text *text)
{
    const struct text *lines = &errand->said[ERRAND_LINES];
    size_t at = from > errand->forgotten ? (size_t)(from - errand->forgotten) : 0;
    const char *comma = "";
    if (at > lines->len) at = lines->len;
    for (const char *end; at < lines->len; at = (size_t)(end - lines->data) + 1) {
        end = memchr(lines->data + at, '\n', lines->len - at);
        if (!end) break;
        text_add(text, "%s%.*s", comma, (int)(end - lines->data - (ptrdiff_t)at), lines->data + at);
        comma = ",";
    }
    return errand->forgotten + at;
}

void errand_tell(const struct errand *errand, uint64_t from, struct text *text)
{
    const struct text *answer = &errand->said[ERRAND_ANSWER];
    const bool is_over = !errand->process;
    const bool is_whole = is_over && !errand->killed && !errand->status && answer->len;
    text_add(text, "{\"status\": ");
    if (is_over) text_add(text, "%d", errand->status);
    else text_add(text, "null");
    text_add(text, ", \"stopped\": %s, \"killed\": ", errand->is_stopped ? "true" : "false");
    if (errand->killed) text_add(text, "\"%s\"", errand->killed);
    else text_add(text, "null");
    text_add(text, ", \"lines\": [");
    const size_t next = tell_lines(errand, from, text);
    text_add(text, "], \"next\": %zu, \"answer\": %s}\n", next, is_whole ? answer->data : "null");
}
