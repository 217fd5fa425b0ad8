#include "run/slurm.h"

#include "run/deadline.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const double longest_margin = 60; /* seconds before the end in which parts are left */

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    char *end;
    const unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    return text && *text && !*end ? value : 0;
}

/* In MiB, of this node; a twentieth is for what is not counted. 0: it is not said. */
static uint64_t memory_of_job(uint64_t processors)
{
    uint64_t megabytes = number_of("SLURM_MEM_PER_NODE");
    if (!megabytes) megabytes = number_of("SLURM_MEM_PER_CPU") * (processors ? processors : 1);
    return megabytes / 20 * 19 * 1024 * 1024 + megabytes % 20 * 19 * 1024 * 1024 / 20;
}

double slurm_seconds(const char *text)
{
    unsigned long days = 0, fields[3], count = 0;
    const char *dash = strchr(text, '-');
    char *end;
    if (dash) {
        days = strtoul(text, &end, 10);
        if (end != dash) return -1;
        text = dash + 1;
    }
    while (count < 3) {
        if (*text < '0' || *text > '9') return -1;
        fields[count++] = strtoul(text, &end, 10);
        text = end + 1;
        if (*end != ':') break;
    }
    if ((*end && *end != '\n') || count < 2) return -1;
    double seconds = (double)days * 86400;
    for (unsigned long i = 0, unit = 1; i < count; i++, unit *= 60)
        seconds += (double)(fields[count - 1 - i] * unit);
    return seconds;
}

/* What squeue says is left; less than 0: nothing. */
static double ask_queue(const char *job)
{
    char *words[] = {"squeue", "-h", "-j", (char *)job, "-o", "%L", NULL}, line[64] = "";
    int ends[2], status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC)) return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool started = !posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    if (started && file && !fgets(line, sizeof line, file)) line[0] = 0;
    if (file) fclose(file);
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return slurm_seconds(line);
}

static double seconds_left(void)
{
    const char *job = getenv("SLURM_JOB_ID");
    const uint64_t end = number_of("SLURM_JOB_END_TIME");
    const double left = end ? difftime((time_t)end, time(NULL)) : -1;
    return left > 0 ? left : ask_queue(job);
}

void slurm_limits(struct ask *ask)
{
    if (ask->part_auto) deadline_stop_at(SIGUSR1); /* sbatch --signal=B:USR1@60 */
    if (!getenv("SLURM_JOB_ID")) return;
    const uint64_t processors = number_of("SLURM_CPUS_PER_TASK");
    if (!ask->memory) ask->memory = memory_of_job(processors);
    if (!ask->threads && processors > 1 && !ask->join) ask->threads = processors;
    const double left = seconds_left();
    if (left <= 0 || ask->leave > 0) return;
    const double margin = left / 10 < longest_margin ? left / 10 : longest_margin;
    ask->leave = left - margin > 1 ? left - margin : 1;
}
