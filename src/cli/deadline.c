#include "cli/deadline.h"

#include "report/machine.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* What a signal handler tells must be there before: it can call nothing that would make it. */
static char object[1 << 15];
static size_t object_length;

static void on_alarm(int signal_number)
{
    static const char text[] = "cairn: error: the time limit was reached while the model was read\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0 || (object_length && write(STDOUT_FILENO, object, object_length) < 0)) _exit(EXIT_USAGE);
    _exit(EXIT_INCONCLUSIVE);
}

static void make_object(const struct options *options)
{
    object_length = 0;
    if (!options->json || options->json_file || options->told) return;
    FILE *file = fmemopen(object, sizeof object, "w");
    if (!file) return;
    machine_failure(file, options->command->name, options->file, "incomplete: the time limit was reached before a search could begin");
    long length = ftell(file);
    bool fits = !fclose(file) && length > 0 && (size_t)length < sizeof object;
    object_length = fits ? (size_t)length : 0;
}

/* 0: none. */
static void set_alarm(double seconds)
{
    double whole = floor(seconds);
    struct itimerval timer = {.it_value = {(time_t)whole, (suseconds_t)((seconds - whole) * 1e6)}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void deadline_begin(const struct options *options)
{
    enum { SHORTEST = 1, LONGEST = 1 << 30 }; /* seconds: a search with hardly any time tells its beginning; and what a timer takes anywhere */
    if (!(options->time > 0)) return;
    make_object(options);
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    set_alarm(options->time < SHORTEST ? SHORTEST : options->time < LONGEST ? options->time : LONGEST);
}

void deadline_end(void)
{
    set_alarm(0);
}
