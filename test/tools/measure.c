/* measure FILE COMMAND...: runs the command and writes its CPU seconds and its largest resident set
 * (KiB) to the file; the status is that of the command.
 *
 * Why not in the script that asks: the kernel counts as a process' largest resident set also what
 * it had before it became the command, which for a child of a Python program is Python's. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int count, char **arguments)
{
    if (count < 3) return 2;
    pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        execvp(arguments[2], arguments + 2);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) return 2;
    FILE *file = fopen(arguments[1], "w");
    if (!file) return 2;
    fprintf(file, "%.6f %ld\n", seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
    if (fclose(file) != 0) return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
