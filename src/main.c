#include "cli/options.h"
#include "cli/replay.h"
#include "cli/search.h"
#include "cli/simulate.h"
#include "cli/translate.h"
#include "report/machine.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

const struct command commands[] = {
    {"explore", "MODEL", "walk the state space: counts, deadlocks, statistics", 1, search_explore},
    {"check", "MODEL", "verify properties, print verdicts, show counterexamples", 2, search_check},
    {"simulate", "MODEL", "random or interactive runs", 4, simulate_run},
    {"replay", "TRACE", "run a saved trace against its model, step by step", 8, replay_run},
    {"translate", "MODEL", "write the model in another language, or its state graph", 16, translate_run},
    {NULL, NULL, NULL, 0, NULL},
};

/* Everything below runs with a way out when memory is refused: then all of it is freed at once. */
static int run_guarded(struct mem *mem, int argc, char **argv)
{
    jmp_buf recover;
    struct options options;
    mem->recover = &recover;
    if (setjmp(recover)) {
        fputs("cairn: error: out of memory\n", stderr);
        return EXIT_INCONCLUSIVE;
    }
    if (!options_parse(&options, mem, argc, argv)) return EXIT_USAGE;
    if (options.help) {
        options_help(stdout, options.command);
        return EXIT_HOLDS;
    }
    return options.command->run(&options, mem);
}

/* Words instead of a command. */
static bool run_special(const char *word)
{
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) options_help(stdout, NULL);
    else if (!strcmp(word, "--version")) puts("cairn " CAIRN_VERSION);
    else if (!strcmp(word, "--manual")) options_manual(stdout);
    else if (!strcmp(word, "--completion")) options_completion(stdout, "bash");
    else return false;
    return true;
}

int main(int argc, char **argv)
{
    struct mem mem;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message */
    if (argc == 2 && run_special(argv[1])) return fflush(stdout) || ferror(stdout) ? EXIT_USAGE : EXIT_HOLDS;
    mem_init(&mem);
#ifdef CAIRN_TEST_HOOKS
    if (getenv("CAIRN_FAIL_ALLOCATION")) mem.fail_at = strtoull(getenv("CAIRN_FAIL_ALLOCATION"), NULL, 10);
#endif
    int status = run_guarded(&mem, argc, argv);
    mem_release(&mem);
    return status;
}
