/* Which engine suits a model is hard to foresee and easy to try. So the contenders race: each runs
 * in a process of its own on a copy of the loaded model (fork copies pages only when they are
 * written), and the first definite answer counts.
 *
 * Answers stay where they are found: a process sends the referee (the process that forked) only a
 * summary, then waits. The one that is chosen returns from race_run and reports exactly as a
 * single engine does; its exit status becomes the referee's. Only when no answer is definite are
 * verdicts copied, with their runs: what others have decided is handed to the one that tells
 * (run/handover).
 *
 * Messages, over one pair of sockets per contender: `struct answer` and one byte per property up,
 * `struct word` down. An end of the stream instead of an answer is a crash.
 *
 *  1. At most `at_once` processes search at a time; each may use that share of the memory. One that
 *     has given up has freed what its search needed; it waits, because its answer may turn out to
 *     be the best, and the next contender starts.
 *  2. A contender's answer is definite when no other engine could add to it (`is_definite`).
 *  3. Nobody else searches when the chosen process begins to tell, and those that hand over what
 *     they know write to the referee alone.
 *  4. Only the process with the voice shows progress: the first one that still searches.
 *  5. Contenders never outlive the referee: the system kills them when it dies. The referee waits
 *     for every one of them.
 *  6. Contenders are deaf to the keyboard and to SIGTERM. The referee hears these and sends SIGUSR1
 *     once, however the signal was delivered.
 *  7. A crash, a trace that does not replay and two answers that exclude each other are told,
 *     whoever wins.
 *  8. The referee allocates before it starts the first process only: it cannot be thrown out of the
 *     race. */
#include "run/race.h"

#include "base/clock.h"
#include "run/deadline.h"
#include "run/handover.h"
#include "run/wire.h"
#include "run/message.h"
#include "run/engines.h"
#include "run/verify.h"
#include "base/version.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RACERS = 8 }; /* bits of a word */

enum answer_kind {
    ANSWER_FOUND,
    ANSWER_BROKEN,
    ANSWER_REFUSED
}; /* broken: an internal error; refused: memory ran out outside a search */

/* What a process tells of its answer; so many bytes follow as it has properties, each a verdict. */
struct answer {
    uint64_t states;
    uint32_t properties, decided;
    enum answer_kind kind;
    bool definite, violated, complete;
};

/* What the referee says to a process; it has only these bytes. */
enum { WORD_SPEAK, WORD_FIRST, WORD_BEST, WORD_SHARE, WORD_LEAVE };
struct word {
    uint8_t what, started; /* so many contenders have started, when it shall tell */
    uint8_t shared;        /* bits: verdicts of these contenders follow, in their order */
};

enum racer_state { RACER_READY, RACER_SEARCHING, RACER_ANSWERED, RACER_GONE };

struct racer {
    const struct engine_row *engine;
    enum racer_state state;
    pid_t process;
    int socket; /* the referee's end; in the process itself, its own */
    double started, ended;
    struct answer answer;
    uint8_t *verdicts;
};

struct race {
    struct session *session;
    struct task *task;
    bool is_check;
    struct racer racers[MOST_RACERS];
    uint32_t count, started, at_once;
    struct racer *voice;    /* who shows progress, or NULL */
    bool passed_on;         /* the interruption */
    struct mem_lift limits; /* of memory, in contenders */
    pid_t referee;
    double began;
    sigset_t usual; /* the signals that are blocked outside of a race */
    void (*show)(void *context, const struct search_progress *progress); /* the session's display */
    void *show_context;
    struct racer *self; /* in the process of a contender */
};

/* ---- hooks of the tests ---- */

#ifdef CAIRN_TEST_HOOKS
/* CAIRN_RACE="NAME:DEED ..." lets contenders misbehave. */
static bool is_told_to(const struct racer *self, const char *deed)
{
    char words[64];
    const char *all = getenv("CAIRN_RACE");
    snprintf(words, sizeof words, "%s:%s", self->engine->name, deed);
    return all && strstr(all, words);
}

static void misbehave_before(struct race *race)
{
    if (is_told_to(race->self, "crash")) raise(SIGKILL);
    if (is_told_to(race->self, "abort")) abort();
    if (is_told_to(race->self, "exit")) _exit(0);
    if (is_told_to(race->self, "refuse")) mem_refuse(race->session->mem);
    while (is_told_to(race->self, "hang")) pause();
}

static void misbehave_after(struct race *race, struct result *result)
{
    struct task *task = race->task;
    if (is_told_to(race->self, "broken")) result->broken = "a test asked for it";
    const bool giveup = is_told_to(race->self, "giveup"),
               partial = is_told_to(race->self, "partial"), tail = is_told_to(race->self, "tail");
    if (giveup || partial || tail) {
        result->complete = false;
        result->stop = STOP_SIZE;
    }
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        bool hidden = giveup || (partial && i + 1 == task->property_count) || (tail && i == 0);
        bool lies =
            is_told_to(race->self, "lie") && entry->verdict != VERDICT_UNKNOWN && !entry->trace;
        if (lies) entry->verdict = VERDICT_HOLDS + VERDICT_VIOLATED - entry->verdict;
        if (is_told_to(race->self, "badtrace") && entry->trace && entry->trace->steps)
            entry->trace->steps--;
        if (!hidden) continue;
        entry->verdict = VERDICT_UNKNOWN;
        entry->trace = NULL;
        entry->last = NULL;
        entry->has_end = false;
        entry->branch_count = 0;
    }
    struct timespec rest = {0, is_told_to(race->self, "slow") ? 400000000 : 0};
    while (nanosleep(&rest, &rest)) continue; /* a signal does not end it */
}

/* "last": the referee hears this contender when it has heard all others, however long they take. */
static bool must_wait(const struct race *race, const struct racer *racer)
{
    if (!is_told_to(racer, "last")) return false;
    for (uint32_t i = 0; i < race->count; i++)
        if (race->racers[i].state == RACER_SEARCHING && !is_told_to(&race->racers[i], "last"))
            return true;
    return false;
}

static void fail_to_tell(const struct race *race)
{
    if (is_told_to(race->self, "telling")) raise(SIGKILL);
}

/* A number that the environment may change. */
static uint32_t adjust(const char *name, uint32_t usual)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
}
#else
static void misbehave_before(struct race *race) { (void)race; }
static void misbehave_after(struct race *race, struct result *result) { (void)race, (void)result; }
static bool must_wait(const struct race *race, const struct racer *racer)
{
    return (void)race, (void)racer, false;
}
static void fail_to_tell(const struct race *race) { (void)race; }
static uint32_t adjust(const char *name, uint32_t usual) { return (void)name, usual; }
#endif

/* ---- in the process of a contender ---- */

/* Progress is shown from the moment the referee gives this process the voice. */
static void show_if_asked(void *context, const struct search_progress *progress)
{
    struct race *race = context;
    struct word word;
    if (!race->voice && recv(race->self->socket, &word, sizeof word, MSG_DONTWAIT) == sizeof word
        && word.what == WORD_SPEAK)
        race->voice = race->self;
    if (race->voice) race->show(race->show_context, progress);
}

static void enter(struct race *race, struct racer *self)
{
    struct task *task = race->task;
    struct mem *mem = race->session->mem;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != race->referee) _exit(EXIT_INTERNAL); /* it died before it could be heard of */
    for (uint32_t i = 0; i < race->count;
         i++) /* the ends of other streams: their ends must be seen */
        if (&race->racers[i] != self && race->racers[i].socket >= 0) close(race->racers[i].socket);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    sigprocmask(SIG_SETMASK, &race->usual, NULL);
    deadline_begin_again();
    mem_lower(mem, race->limits);
    race->self = self;
    race->voice = NULL;
    race->show = task->progress;
    race->show_context = task->progress_context;
    if (race->show) {
        task->progress = show_if_asked;
        task->progress_context = race;
    }
    if (task->max_seconds > 0) {
        task->max_seconds -= self->started - race->began;
        if (task->max_seconds <= 0) task->max_seconds = 1e-9;
    }
    if (mem->limit > mem->used)
        mem->limit = mem->used + (mem->limit - mem->used) / race->at_once; /* the model is shared */
}

/* Another engine has nothing to add: what was asked is decided, or known to have no answer. */
static bool is_definite(const struct race *race, const struct result *result)
{
    const struct task *task = race->task;
    int status = conclude_status(race->is_check, task, result);
    if (!race->is_check) return result->complete;
    if (task->stop_at_first && status == EXIT_VIOLATED) return true;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        bool has_no_answer =
            result->complete && result_reason(entry->reason) == REASON_CANNOT_EVALUATE;
        if (entry->verdict == VERDICT_UNKNOWN && !entry->watched_only && !has_no_answer)
            return false;
    }
    return status != EXIT_INCONCLUSIVE || result->complete;
}

static void sum_up(struct race *race, const struct result *result)
{
    const struct task *task = race->task;
    struct answer *answer = &race->self->answer;
    answer->kind =
        verify_is_sound(race->session->model, task, result) ? ANSWER_FOUND : ANSWER_BROKEN;
    answer->definite = is_definite(race, result);
    answer->violated = conclude_status(race->is_check, task, result) == EXIT_VIOLATED;
    answer->complete = result->all_states;
    answer->states = result->exact.states ? UINT64_MAX : result->states;
    answer->properties = task->property_count;
    for (uint32_t i = 0; i < task->property_count; i++) {
        race->self->verdicts[i] = (uint8_t)task->properties[i].verdict;
        answer->decided += task->properties[i].verdict != VERDICT_UNKNOWN;
    }
}

static void run_engine(struct task *task, const void *engine, struct result *result)
{
    ((const struct engine_row *)engine)->hunt(task, result);
}

/* False: memory was refused where the engine could not make a result of it, and all of it is
 * freed. */
static bool search(struct race *race, struct result *result)
{
    struct mem *mem = race->session->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf refused;
    if (setjmp(refused)) {
        mem->recover = outer;
        mem_release(mem);
        race->self->answer = (struct answer){.kind = ANSWER_REFUSED};
        return false;
    }
    mem->recover = &refused;
    misbehave_before(race);
    if (race->self->engine->needs_flat && race->session->flat)
        race->task->model = race->session->flat;
    deadline_run(race->task, result, race->self->engine->name, run_engine, race->self->engine);
    misbehave_after(race, result);
    result->seconds += race->self->started - race->began;
    mem_lift(mem); /* as for every report */
    sum_up(race, result);
    mem->recover = outer;
    return true;
}

static struct word await_word(int socket)
{
    struct word word;
    do
        if (!wire_read_all(socket, &word, sizeof word)) word.what = WORD_LEAVE;
    while (word.what == WORD_SPEAK);
    return word;
}

static const char *explain(const struct race *race, struct word word)
{
    struct text text;
    if (word.started == 1) return "no other engine was started";
    text_init(&text, race->session->mem);
    text_add(&text, "%s ", word.what == WORD_FIRST ? "it was the first of" : "it got furthest of");
    for (uint32_t i = 0; i < word.started; i++)
        text_add(&text, "%s%s",
                 i == 0                 ? ""
                 : i + 1 < word.started ? ", "
                                        : " and ",
                 race->racers[i].engine->name);
    if (word.what == WORD_FIRST) text_add(&text, " to answer");
    if (word.started > race->at_once) text_add(&text, ", %u at a time", race->at_once);
    if (word.what == WORD_BEST) text_add(&text, ", none of which could answer everything");
    return text.data;
}

/* Returns when this process shall tell its answer. */
static void take_part(struct race *race, struct racer *self, struct result *result)
{
    struct mem *mem = race->session->mem;
    enter(race, self);
    bool found = search(race, result);
    mem_trim();                        /* invariant 1 */
    race->task->progress = race->show; /* the race ends before the task does */
    race->task->progress_context = race->show_context;
    session_end_progress(race->session);
    bool sent = wire_write_all(self->socket, &self->answer, sizeof self->answer)
                && wire_write_all(self->socket, self->verdicts, self->answer.properties);
    if (!sent) _exit(EXIT_INTERNAL);
    struct word word = await_word(self->socket);
    while (word.what == WORD_SHARE) {
        if (!handover_write(self->socket, (uint64_t)race->referee, race->task,
                            race->session->model))
            _exit(EXIT_INTERNAL);
        word = await_word(self->socket);
    }
    if (word.what == WORD_LEAVE) _exit(EXIT_INCONCLUSIVE);
    fail_to_tell(race);
    if (!found) mem_refuse(mem);
    deadline_tell();
    for (uint32_t i = 0; i < race->count; i++)
        if (word.shared >> i & 1
            && !handover_read(self->socket, (uint64_t)race->referee, race->task,
                              race->session->model, race->racers[i].engine->name))
            break;
    result->why_engine = explain(race, word);
}

/* ---- the referee ---- */

static uint32_t count_searching(const struct race *race)
{
    uint32_t searching = 0;
    for (uint32_t i = 0; i < race->count; i++)
        searching += race->racers[i].state == RACER_SEARCHING;
    return searching;
}

/* When standard output was closed before we began, its number is free: a socket must not get it. */
static bool make_pair(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    for (int i = 0; i < 2; i++)
        if (ends[i] <= STDERR_FILENO) {
            int end = fcntl(ends[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            close(ends[i]);
            ends[i] = end;
        }
    if (ends[0] >= 0 && ends[1] >= 0) return true;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    return false;
}

/* False: no process could be started. True in both processes; race->self is set in the new one. */
static bool start(struct race *race, struct racer *racer)
{
    int ends[2];
    if (race->started >= adjust("CAIRN_RACE_FORKS", MOST_RACERS)) return errno = EAGAIN, false;
    if (!make_pair(ends)) return false;
    racer->started = clock_now();
    racer->process = fork();
    if (racer->process < 0) {
        int reason = errno;
        close(ends[0]);
        close(ends[1]);
        errno = reason;
        return false;
    }
    race->self = racer->process ? NULL : racer;
    racer->socket = ends[racer->process == 0];
    close(ends[racer->process != 0]);
    racer->state = RACER_SEARCHING;
    race->started++;
    return true;
}

/* Fills the free places. A process that cannot be started is tried again when another one has
 * ended. */
static void start_more(struct race *race)
{
    double limit = race->task->max_seconds;
    while (!race->self && race->started < race->count && count_searching(race) < race->at_once) {
        if (race->started
            && (*race->task->interrupted || (limit > 0 && clock_now() - race->began >= limit)))
            return;
        if (start(race, &race->racers[race->started])) continue;
        if (race->session->ask->verbose)
            message(&race->session->diag, DIAG_NOTE, NULL, "no process for the %s engine: %s",
                    race->racers[race->started].engine->name, strerror(errno));
        return;
    }
}

static int await_end(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* What the process with the voice may have left on the screen, when it could not clear the line
 * itself. */
static void clear_line(struct race *race)
{
    if (race->voice && race->voice->state == RACER_SEARCHING && race->task->progress)
        door_clear(race->session->door, true);
    race->voice = NULL;
}

static void tell_crash(const struct race *race, const char *name, int status)
{
    if (WIFSIGNALED(status))
        message(&race->session->diag, DIAG_WARNING, NULL, "the %s engine crashed: %s", name,
                strsignal(WTERMSIG(status)));
    else
        message(&race->session->diag, DIAG_WARNING, NULL,
                "the %s engine ended with status %d and without an answer", name,
                WEXITSTATUS(status));
}

static void hear(struct race *race, struct racer *racer)
{
    struct answer *answer = &racer->answer;
    racer->ended = clock_now();
    if (wire_read_all(racer->socket, answer, sizeof *answer)
        && answer->properties <= race->task->property_count
        && wire_read_all(racer->socket, racer->verdicts, answer->properties)) {
        racer->state = RACER_ANSWERED;
        return;
    }
    if (race->voice == racer) clear_line(race);
    racer->state = RACER_GONE;
    memset(racer->verdicts, 0, race->task->property_count);
    tell_crash(race, racer->engine->name, await_end(racer->process));
    close(racer->socket);
    racer->socket = -1;
}

/* Signals come through while it waits, and only then. */
static void hear_all(struct race *race, bool wait)
{
    struct pollfd streams[MOST_RACERS];
    struct racer *speakers[MOST_RACERS];
    struct timespec at_once = {0, 0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < race->count; i++) {
        if (race->racers[i].state != RACER_SEARCHING || must_wait(race, &race->racers[i])) continue;
        speakers[count] = &race->racers[i];
        streams[count++] = (struct pollfd){.fd = race->racers[i].socket, .events = POLLIN};
    }
    if (!count || ppoll(streams, count, wait ? NULL : &at_once, &race->usual) <= 0) return;
    for (uint32_t i = 0; i < count; i++)
        if (streams[i].revents) hear(race, speakers[i]);
}

static void pass_on_interruption(struct race *race)
{
    if (!*race->task->interrupted || race->passed_on) return;
    race->passed_on = true;
    for (uint32_t i = 0; i < race->count; i++)
        if (race->racers[i].state == RACER_SEARCHING) kill(race->racers[i].process, SIGUSR1);
}

static void give_voice(struct race *race)
{
    const struct word word = {.what = WORD_SPEAK};
    if (!race->task->progress || (race->voice && race->voice->state == RACER_SEARCHING)) return;
    race->voice = NULL;
    for (uint32_t i = 0; i < race->count && !race->voice; i++)
        if (race->racers[i].state == RACER_SEARCHING) race->voice = &race->racers[i];
    if (race->voice) wire_write_all(race->voice->socket, &word, sizeof word);
}

/* SIGKILL, since there is nothing that these processes should still do, and a gentler signal only
 * tells them to sum up. */
static void stop_others(struct race *race, const struct racer *chosen, bool only_searching)
{
    for (uint32_t i = 0; i < race->count; i++) {
        struct racer *racer = &race->racers[i];
        if (racer == chosen
            || (racer->state != RACER_SEARCHING
                && (only_searching || racer->state != RACER_ANSWERED))
            || racer->socket < 0)
            continue;
        kill(racer->process, SIGKILL);
        await_end(racer->process);
        close(racer->socket);
        racer->socket = -1;
    }
    clear_line(race);
}

static bool find_contradiction(const struct race *race)
{
    bool found = false;
    for (uint32_t p = 0; p < race->task->property_count; p++) {
        const char *holds = NULL, *violated = NULL;
        for (uint32_t i = 0; i < race->count; i++) {
            const struct racer *racer = &race->racers[i];
            if (racer->state == RACER_ANSWERED && racer->verdicts[p] == VERDICT_HOLDS)
                holds = racer->engine->name;
            if (racer->state == RACER_ANSWERED && racer->verdicts[p] == VERDICT_VIOLATED)
                violated = racer->engine->name;
        }
        if (!holds || !violated) continue;
        found = true;
        message(&race->session->diag, DIAG_BUG, NULL,
                "'%s' holds for the %s engine and is violated for the %s engine (cairn "
                "%s, %s); please report it with the model",
                race->task->properties[p].property->name, holds, violated, CAIRN_VERSION,
                race->session->model->file);
    }
    return found;
}

/* A known violation goes before everything else. */
static bool is_better(const struct answer *a, const struct answer *b)
{
    if ((a->kind == ANSWER_REFUSED) != (b->kind == ANSWER_REFUSED))
        return b->kind == ANSWER_REFUSED;
    if (a->violated != b->violated) return a->violated;
    if (a->decided != b->decided) return a->decided > b->decided;
    if (a->complete != b->complete) return a->complete;
    return a->states > b->states;
}

static struct racer *find_best(struct race *race)
{
    struct racer *best = NULL;
    for (uint32_t i = 0; i < race->count; i++) {
        struct racer *racer = &race->racers[i];
        if (racer->state == RACER_ANSWERED && (!best || is_better(&racer->answer, &best->answer)))
            best = racer;
    }
    return best;
}

static struct racer *find_broken(struct race *race)
{
    for (uint32_t i = 0; i < race->count; i++)
        if (race->racers[i].state == RACER_ANSWERED && race->racers[i].answer.kind == ANSWER_BROKEN)
            return &race->racers[i];
    return NULL;
}

static struct racer *find_definite(struct race *race)
{
    struct racer *first = NULL;
    for (uint32_t i = 0; i < race->count; i++) {
        struct racer *racer = &race->racers[i];
        bool is_definite = racer->state == RACER_ANSWERED && racer->answer.kind == ANSWER_FOUND
                           && racer->answer.definite;
        if (is_definite && (!first || racer->ended < first->ended)) first = racer;
    }
    return first;
}

/* With -v: how it went. */
static void tell_course(const struct race *race)
{
    double end = clock_now();
    for (uint32_t i = 0; i < race->started; i++) {
        const struct racer *racer = &race->racers[i];
        bool stopped = racer->state == RACER_SEARCHING;
        const char *fate = stopped                      ? "was stopped"
                           : racer->state == RACER_GONE ? "crashed"
                           : racer->answer.definite     ? "answered"
                                                        : "gave up";
        message(&race->session->diag, DIAG_NOTE, NULL, "the %s engine %s after %.2f s",
                racer->engine->name, fate, (stopped ? end : racer->ended) - racer->started);
    }
}

/* Whether another process knows what the chosen one does not. */
static bool knows_more(const struct race *race, const struct racer *racer,
                       const struct racer *chosen)
{
    bool more = false;
    for (uint32_t p = 0; p < race->task->property_count; p++)
        more |= chosen->verdicts[p] == VERDICT_UNKNOWN && racer->verdicts[p] != VERDICT_UNKNOWN;
    return more && racer != chosen && racer->state == RACER_ANSWERED
           && racer->answer.kind == ANSWER_FOUND;
}

/* Has the others hand over what only they have decided. Whoever was refused memory cannot take
 * it. */
static void gather(struct race *race, struct racer *chosen, struct word word)
{
    static const struct word share = {WORD_SHARE, 0, 0};
    const bool can_take = chosen->answer.kind == ANSWER_FOUND && word.what == WORD_BEST;
    for (uint32_t i = 0; can_take && i < race->count; i++)
        if (knows_more(race, &race->racers[i], chosen)) word.shared |= (uint8_t)(1u << i);
    assert(chosen->state == RACER_ANSWERED && chosen->socket >= 0);
    bool good = wire_write_all(chosen->socket, &word, sizeof word);
    for (uint32_t i = 0; i < race->count; i++) {
        if (!(word.shared >> i & 1) || !good) continue;
        int from = race->racers[i].socket;
        good = wire_write_all(from, &share, sizeof share) && wire_relay(from, chosen->socket);
    }
}

/* Returns the exit status. */
static int let_tell(struct race *race, struct racer *chosen, uint8_t what)
{
    stop_others(race, chosen, true);
    if (race->session->ask->verbose) tell_course(race);
    gather(race, chosen, (struct word){what, (uint8_t)race->started, 0});
    stop_others(race, chosen, false);
    sigprocmask(SIG_SETMASK, &race->usual,
                NULL); /* it may take long to tell: let the second Ctrl-C end it */
    int status = await_end(chosen->process);
    close(chosen->socket);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    tell_crash(race, chosen->engine->name, status);
    return EXIT_INTERNAL;
}

/* Returns the exit status; in a new process, nothing of interest as soon as race->self is set. */
static int referee(struct race *race)
{
    struct racer *chosen = NULL;
    for (;;) {
        start_more(race);
        assert(count_searching(race) <= race->at_once || race->self); /* invariant 1 */
        if (race->self || !count_searching(race)) break;
        give_voice(race);
        hear_all(race, true);
        pass_on_interruption(race);
        chosen = find_definite(race);
        if (chosen || find_broken(race)) break;
    }
    if (race->self || !race->started) return EXIT_HOLDS;
    hear_all(race, false); /* who has answered meanwhile must agree, too */
    struct racer *broken = find_broken(race), *best = chosen ? chosen : find_best(race);
    bool contradiction = find_contradiction(race);
    if (broken) return let_tell(race, broken, WORD_FIRST);
    if (!contradiction && best) return let_tell(race, best, chosen ? WORD_FIRST : WORD_BEST);
    stop_others(race, NULL, false);
    if (!contradiction) message_error(&race->session->diag, "no engine is left to answer");
    return EXIT_INTERNAL;
}

static void line_up(struct race *race)
{
    size_t size = race->task->property_count + UINT64_C(1);
    const uint32_t most = adjust("CAIRN_RACE_CONTENDERS", MOST_RACERS);
    for (uint32_t i = 0; engines[i].name && i < most; i++) {
        const struct engine_row *engine = &engines[i];
        if (!engine->hunt || (!race->is_check && !engine->explores)) continue;
        if (engine->needs_flat && !session_flat(race->session, false)) continue;
        assert(race->count < MOST_RACERS);
        race->racers[race->count++] = (struct racer){
            .engine = engine, .socket = -1, .verdicts = mem_alloc(race->session->mem, size)};
    }
    uint64_t threads = race->session->ask->threads;
    race->at_once =
        adjust("CAIRN_RACE_AT_ONCE", threads < race->count ? (uint32_t)threads : race->count);
}

enum race_end race_run(struct session *session, struct task *task, bool is_check,
                       struct result *result, int *status)
{
    struct race race = {.session = session,
                        .task = task,
                        .is_check = is_check,
                        .referee = getpid(),
                        .began = clock_now()};
    sigset_t heard;
    line_up(&race);
    deadline_stop_at(SIGUSR1); /* inherited, so that it cannot come too early */
    sigemptyset(&heard);
    sigaddset(&heard, SIGINT);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGUSR1);
    sigprocmask(SIG_BLOCK, &heard, &race.usual);
    race.limits = mem_lift(session->mem); /* the referee needs little, and waits */
    deadline_wait();
    fflush(stdout); /* or every process would write what is still in the buffer */
    *status = referee(&race);
    if (race.self) {
        take_part(&race, race.self, result);
        return RACE_TELL;
    }
    sigprocmask(SIG_SETMASK, &race.usual, NULL);
    if (!race.started) mem_lower(session->mem, race.limits);
    return race.started ? RACE_TOLD : RACE_NONE;
}
