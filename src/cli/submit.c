/* Names of models and folders are words of sbatch, and then of the program: no shell reads them.
 * The scripts of jobs run what they are given as "$@", and have no names in them. */
#include "cli/submit.h"

#include "base/clock.h"
#include "cli/door.h"
#include "run/deadline.h"
#include "run/files.h"
#include "run/status.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { LOOKS_AFTER_END = 15, LOOKS_BETWEEN_QUESTIONS = 5 }; /* a look is a second */

static const char job_script[] = "#!/bin/sh\n"
                                 "log=$1${SLURM_ARRAY_TASK_ID:+-$SLURM_ARRAY_TASK_ID}.log\nshift\n"
                                 "exec \"$@\" >>\"$log\" 2>&1\n";
static const char join_script[] =
    "#!/bin/sh\n"
    "base=$1\nshift\n"
    "\"$@\" >\"$base.out\" 2>\"$base.err\"\n"
    "status=$?\n"
    "echo \"$status\" >\"$base.new\" && mv \"$base.new\" \"$base.status\"\n"
    "exit \"$status\"\n";

struct words {
    VEC(char *) list;
};

struct submission {
    struct options *options;
    struct mem *mem;
    struct words given; /* options of sbatch, but for those of the array */
    const char *array;
    char folder[FILES_PATH]; /* of what the jobs say */
    char program[PATH_MAX];
    char prepare[32], workers[32], join[32]; /* numbers of jobs */
};

static char *format(struct mem *mem, const char *before, const char *text)
{
    struct text joined;
    text_init(&joined, mem);
    text_add(&joined, "%s%s", before, text);
    return joined.data;
}

static void add(struct submission *all, struct words *words, const char *word)
{
    char *copy = format(all->mem, "", word);
    vec_push(all->mem, &words->list, copy);
}

/* ---- words ---- */

/* As a shell takes them apart, without anything that a shell would put in. False: a quote is
 * open. */
static bool take_apart(struct submission *all, const char *text, struct words *words)
{
    while (*text) {
        struct text word;
        char quote = 0;
        bool any = false;
        while (isspace((unsigned char)*text)) text++;
        text_init(&word, all->mem);
        for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
            any = true;
            if (*text == quote) quote = 0;
            else if (!quote && (*text == '\'' || *text == '"')) quote = *text;
            else if (*text == '\\' && quote != '\'' && text[1]) text_add(&word, "%c", *++text);
            else text_add(&word, "%c", *text);
        }
        if (quote) return false;
        if (any) add(all, words, word.data ? word.data : "");
        text_free(&word);
    }
    return true;
}

/* The workers alone are an array. */
static bool read_given(struct submission *all)
{
    struct words words = {0};
    all->array = "0-7";
    if (!take_apart(all, all->options->slurm, &words))
        return door_complain("--slurm: a quote is not closed");
    for (uint32_t i = 0; i < words.list.len; i++) {
        char *word = words.list.data[i];
        const bool alone = !strcmp(word, "--array") || !strcmp(word, "-a");
        if (alone && i + 1 < words.list.len) all->array = words.list.data[++i];
        else if (!strncmp(word, "--array=", 8)) all->array = word + 8;
        else if (!strncmp(word, "-a", 2) && word[2]) all->array = word + 2;
        else add(all, &all->given, word);
    }
    return true;
}

/* The command line of a job: that of this command, with `role` instead of --slurm. Only the join
 * has something to tell. */
static void add_command(struct submission *all, struct words *words, const char *const role[2],
                        bool tells)
{
    static const char *const with_value[] = {"--report", "--expect", "--diagnostics", "--progress"};
    char **argv = all->options->argv;
    bool only_files = false;
    add(all, words, all->program);
    add(all, words, argv[1]);
    for (unsigned i = 0; i < 2 && role[i]; i++) add(all, words, role[i]);
    if (!tells) add(all, words, "-q");
    for (int i = 2; i < all->options->argc; i++) {
        const char *word = argv[i];
        bool skips = false, takes = false;
        only_files |= !strcmp(word, "--");
        if (!only_files && !strcmp(word, "--slurm")) skips = takes = true;
        if (!only_files && !strncmp(word, "--slurm=", 8)) skips = true;
        if (!only_files && !tells && !strncmp(word, "--json", 6)) skips = true;
        for (unsigned k = 0; k < 4 && !only_files && !tells; k++) {
            const size_t length = strlen(with_value[k]);
            if (strncmp(word, with_value[k], length)) continue;
            skips |= !word[length] || word[length] == '=';
            takes |= !word[length];
        }
        if (!skips) add(all, words, word);
        i += takes;
    }
}

/* ---- sbatch ---- */

/* Runs it, and takes the first line of what it prints. False: it failed. */
static bool run_words(struct submission *all, struct words *words, char line[], size_t room)
{
    int ends[2], status = -1;
    pid_t child;
    posix_spawn_file_actions_t actions;
    vec_push(all->mem, &words->list, NULL);
    line[0] = 0;
    if (pipe2(ends, O_CLOEXEC)) return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const bool started =
        !posix_spawnp(&child, words->list.data[0], &actions, NULL, words->list.data, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    if (started && file && !fgets(line, (int)room, file)) line[0] = 0;
    if (file) fclose(file);
    line[strcspn(line, "\n")] = 0;
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return started && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void show_words(const struct words *words)
{
    for (uint32_t i = 0; i < words->list.len; i++) {
        const char *word = words->list.data[i];
        if (!*word
            || word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_-+=:,./@%")]) {
            fputc('\'', stderr);
            for (; *word; word++) fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, stderr);
            fputc('\'', stderr);
        } else fputs(word, stderr);
        fputc(i + 1 < words->list.len ? ' ' : '\n', stderr);
    }
}

struct job {
    const char *name, *script, *output, *after;
    bool is_array, joins;
    const char *role[2];
    char *number;
};

static bool submit_job(struct submission *all, const struct job *job)
{
    struct words words = {0};
    char script[FILES_PATH], base[FILES_PATH], line[256];
    /* what jobs say their scripts write: sbatch would read signs in names of files */
    static const char *const always[] = {"sbatch", "--parsable", "--output=/dev/null", "--requeue"};
    for (unsigned i = 0; i < 4; i++) add(all, &words, always[i]);
    add(all, &words, format(all->mem, "--job-name=", job->name));
    for (uint32_t i = 0; i < all->given.list.len; i++) add(all, &words, all->given.list.data[i]);
    if (job->is_array) add(all, &words, format(all->mem, "--array=", all->array));
    if (job->after) add(all, &words, format(all->mem, "--dependency=afterany:", job->after));
    files_path(script, all->folder, job->script);
    add(all, &words, script);
    files_path(base, all->folder, job->output);
    add(all, &words, base);
    add_command(all, &words, job->role, job->joins);
    if (all->options->ask.verbose) show_words(&words);
    if (!run_words(all, &words, line, sizeof line))
        return door_complain("Slurm does not take the jobs: sbatch failed (is it installed?)");
    line[strcspn(line, ";")] = 0; /* the name of a cluster may follow */
    snprintf(job->number, 32, "%.31s", line);
    return isdigit((unsigned char)line[0])
           || door_complain("sbatch did not say the number of its job");
}

static bool submit(struct submission *all)
{
    const struct job jobs[] = {{.name = "cairn-prepare",
                                .script = "job.sh",
                                .output = "prepare",
                                .role = {"--prepare", NULL},
                                .number = all->prepare},
                               {.name = "cairn-work",
                                .script = "job.sh",
                                .output = "work",
                                .after = all->prepare,
                                .is_array = true,
                                .role = {"--part", "auto"},
                                .number = all->workers},
                               {.name = "cairn-join",
                                .script = "join.sh",
                                .output = "join",
                                .after = all->workers,
                                .joins = true,
                                .role = {"--join", NULL},
                                .number = all->join}};
    for (unsigned i = 0; i < 3; i++)
        if (!submit_job(all, &jobs[i])) return false;
    return true;
}

/* ---- the folder ---- */

static bool make_file(const struct submission *all, const char *name, const char *text)
{
    char path[FILES_PATH];
    files_path(path, all->folder, name);
    return files_put(all->folder, path, text, false);
}

static bool make_folder(struct submission *all)
{
    static const char *const earlier[] = {"join.status", "join.out", "join.err"};
    const char *work = all->options->ask.work;
    char path[FILES_PATH], here[PATH_MAX] = "";
    if (work[0] != '/' && !getcwd(here, sizeof here)) here[0] = 0;
    const int length =
        snprintf(all->folder, sizeof all->folder, "%s%s%s/slurm", here, *here ? "/" : "", work);
    if (length + 512 > FILES_PATH) return door_complain("--work: too long a name");
    if ((mkdir(work, 0777) && errno != EEXIST) || (mkdir(all->folder, 0777) && errno != EEXIST)
        || !make_file(all, "job.sh", job_script) || !make_file(all, "join.sh", join_script)) {
        fprintf(stderr, "cairn: error: cannot write to the folder '%.200s': %s\n", all->folder,
                strerror(errno));
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        files_path(path, all->folder, earlier[i]);
        unlink(path);
    }
    const ssize_t size = readlink("/proc/self/exe", all->program, sizeof all->program - 1);
    all->program[size > 0 ? size : 0] = 0;
    return size > 0 || door_complain("the program does not know where it is");
}

/* ---- waiting ---- */

static bool read_answer(struct submission *all, int *status)
{
    char path[FILES_PATH];
    files_path(path, all->folder, "join.status");
    char *text = files_read(all->mem, path, NULL);
    const bool there = text && isdigit((unsigned char)text[0]);
    if (there) *status = atoi(text);
    mem_free(all->mem, text);
    return there;
}

/* Whether the last job is waiting or at work. */
static bool is_in_queue(struct submission *all)
{
    static const char *const ended[] = {"COMPLETED", "FAILED",    "CANCELLED",
                                        "TIMEOUT",   "NODE_FAIL", "PREEMPTED",
                                        "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};
    struct words words = {0};
    char line[64];
    const char *const command[] = {"squeue", "-h", "-j", all->join, "-o", "%T"};
    for (unsigned i = 0; i < 6; i++) add(all, &words, command[i]);
    if (!run_words(all, &words, line, sizeof line)) return false;
    for (unsigned i = 0; i < sizeof ended / sizeof *ended; i++)
        if (!strcmp(line, ended[i])) return false;
    return line[0];
}

static void show_progress(struct submission *all, const struct screen *screen, double started)
{
    struct status status;
    if (!screen->door.show_jobs
        || !status_read(&status, all->mem, all->options->ask.work, all->options->ask.takeover))
        return;
    screen->door.show_jobs((void *)screen,
                           &(struct door_jobs){.word = status.file ? status.word : NULL,
                                               .done = status.counts[STATUS_DONE],
                                               .count = status.parts.len,
                                               .running = status.counts[STATUS_RUNNING],
                                               .seconds = clock_now() - started});
}

static bool wait_for_answer(struct submission *all, const struct screen *screen, int *status)
{
    const double started = clock_now();
    unsigned after_end = 0;
    for (unsigned looks = 1; !read_answer(all, status); looks++) {
        if (limits_interrupted || after_end > LOOKS_AFTER_END) return false;
        if (after_end || (looks % LOOKS_BETWEEN_QUESTIONS == 0 && !is_in_queue(all))) after_end++;
        show_progress(all, screen, started);
        nanosleep(&(struct timespec){1, 0}, NULL);
    }
    return true;
}

/* ---- what the join has told ---- */

static bool pass_on(const struct submission *all, const char *name, FILE *out)
{
    char path[FILES_PATH], bytes[4096];
    files_path(path, all->folder, name);
    FILE *file = fopen(path, "r");
    for (size_t size; file && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        fwrite(bytes, 1, size, out);
    if (file) fclose(file);
    return file;
}

static int end_without(const struct submission *all)
{
    if (limits_interrupted)
        fprintf(stderr,
                "cairn: the jobs go on: scancel %s %s %s ends them, 'cairn status' shows how far "
                "they are, and --join instead of --slurm tells the answer\n",
                all->prepare, all->workers, all->join);
    else
        fprintf(stderr,
                "cairn: error: job %s ended without an answer: see %s; the same command submits "
                "what is left once more\n",
                all->join, all->folder);
    return EXIT_INCONCLUSIVE;
}

int submit_command(struct options *options, struct mem *mem)
{
    struct submission all = {.options = options, .mem = mem};
    struct screen screen;
    struct session session;
    int status = EXIT_INCONCLUSIVE;
    door_open_session(&screen, &session, options, mem);
    deadline_wait();
    if (!read_given(&all) || !make_folder(&all) || !submit(&all)) return EXIT_USAGE;
    if (!options->quiet)
        fprintf(stderr, "cairn: jobs %s (prepare), %s (workers, array %s) and %s (join)\n",
                all.prepare, all.workers, all.array, all.join);
    const bool answered = wait_for_answer(&all, &screen, &status);
    session_end_progress(&session);
    if (!answered) return end_without(&all);
    options->told = options->json;
    pass_on(&all, "join.err", stderr);
    pass_on(&all, "join.out", stdout);
    return door_close_file(stdout, NULL) ? status : EXIT_USAGE;
}
