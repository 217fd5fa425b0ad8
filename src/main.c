#include "cli/door.h"
#include "cli/help.h"
#include "cli/complete.h"
#include "mpi/mpi.h"
#include "report/machine.h"
#include "report/text.h"
#include "run/combine.h"
#include "run/deadline.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* What could not be written is an error. */
static int finish_output(void)
{
    if (!fflush(stdout) && !ferror(stdout)) return EXIT_HOLDS;
    fputs("cairn: error: cannot write to standard output\n", stderr);
    return EXIT_USAGE;
}

static int tell_refusal(const struct mem *mem)
{
    char size[32];
    bool memory = result_why_refused() == STOP_MEMORY;
    fprintf(stderr, "cairn: error: %s", memory ? "out of memory" : deadline_words());
    if (memory && mem->limit)
        fprintf(stderr, " (the limit is %s; --memory sets it)", report_bytes(size, mem->limit));
    fputc('\n', stderr);
    return EXIT_INCONCLUSIVE;
}

/* Of several peers, the first one reports, and does alone what is no search. False: this one has
 * nothing to do. */
static bool be_one_of(struct options *options)
{
    struct peers *peers = options->ask.peers;
    if (!peers) return true;
    assert(options->command && peers->me < peers->count);
    const bool searches =
        options->ask.command & ASK_SEARCH && !options->ask.show_process_model && !options->help;
    if (!searches) options->ask.peers = NULL;
    if (!peers->me) return true;
    options->json = options->records = false;
    options->json_file = options->trace_file = options->report_file = options->expect_file = NULL;
    options->progress = WHEN_NEVER;
    return searches;
}

/* Everything below runs with a way out when memory is refused: then all of it is freed at once. */
static int run_guarded(struct options *options, struct mem *mem, int argc, char **argv)
{
    jmp_buf recover;
    mem->recover = &recover;
    if (setjmp(recover)) return tell_refusal(mem);
    if (!options_parse(options, mem, argc, argv)) return EXIT_USAGE;
    if (!be_one_of(options)) return EXIT_HOLDS;
    if (options->help) {
        help_print(stdout, options->command);
        return finish_output();
    }
    mem_cap_process(options->ask.memory, options->ask.threads);
    if (!door_begin(options)) return EXIT_USAGE;
    return options->command->run(options, mem);
}

/* With --json there is always exactly one object, also when nothing could be searched. */
static void tell_failure(const struct options *options, int status)
{
    if (!options->json || options->json_file || options->told || !options->command) return;
    static const char *const limits[] = {
        [STOP_MEMORY] = "memory ran out before there was a result",
        [STOP_TIME] = "incomplete: the time limit was reached before there was a result",
        [STOP_INTERRUPT] = "incomplete: it was interrupted before there was a result"};
    const char *limit = limits[result_why_refused()];
    assert(limit);
    machine_failure(stdout, options->command->name, options->ask.file,
                    status == EXIT_INCONCLUSIVE
                        ? limit
                        : "nothing was checked: see the messages on standard error");
    fflush(stdout);
}

/* Words instead of a command. */
static bool run_special(const char *word)
{
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
        help_print(stdout, NULL);
    else if (!strcmp(word, "--version")) puts("cairn " CAIRN_VERSION);
    else if (!strcmp(word, "--manual")) help_manual(stdout);
    else if (!strcmp(word, "--completion")) help_completion(stdout);
    else if (!strcmp(word, "--combinations")) combine_print(stdout);
    else return false;
    return true;
}

/* One command. */
static int run(struct peers *peers, int argc, char **argv)
{
    struct mem mem;
    struct options options = {.ask.peers = peers};
    mem_init(&mem);
#ifdef CAIRN_TEST_HOOKS
    if (getenv("CAIRN_FAIL_ALLOCATION"))
        mem.fail_at = strtoull(getenv("CAIRN_FAIL_ALLOCATION"), NULL, 10);
#endif
    int status = run_guarded(&options, &mem, argc, argv);
    if (!door_end(&options)) status = EXIT_USAGE;
    if (status == EXIT_USAGE || status == EXIT_INCONCLUSIVE) tell_failure(&options, status);
#ifdef CAIRN_TEST_HOOKS
    if (getenv("CAIRN_COUNT_ALLOCATIONS"))
        fprintf(stderr, "allocations: %llu\n", (unsigned long long)mem.allocations);
#endif
    mem_release(&mem);
    return status;
}

/* ---- one of several ---- */

/* The first peer reports. What others say is kept, and shown if nobody else has said it. */
static int run_beside(struct peers *peers, int argc, char **argv)
{
    assert(peers->me); /* the first one speaks for itself */
    FILE *const told = stderr;
    char *text = NULL;
    size_t size = 0;
    FILE *kept = open_memstream(&text, &size);
    if (!kept || !freopen("/dev/null", "w", stdout)) return mpi_close(peers, EXIT_INCONCLUSIVE);
    stderr = kept;
    int status = run(peers, argc, argv);
    stderr = told;
    fclose(kept);
    if (peers->stage == PEERS_APART) peers_agree(peers, false, (uint64_t[2]){0, 0});
    if (peers->is_others_due && status && size)
        fprintf(stderr, "cairn: rank %u of %u:\n%s", peers->me, peers->count, text);
    free(text);
    return status;
}

#ifdef CAIRN_TEST_HOOKS
/* CAIRN_LINES: a file with a command in each line, its words separated by tabs. So one start of
 * peers, which takes long, is enough for many. */
static int run_lines(struct peers *peers, const char *path)
{
    char line[4096], *words[128];
    FILE *file = fopen(path, "r");
    if (!file) return EXIT_USAGE;
    while (fgets(line, sizeof line, file)) {
        int count = 0;
        line[strcspn(line, "\n")] = 0;
        words[count++] = "cairn";
        for (char *word = strtok(line, "\t"); word && count < 127; word = strtok(NULL, "\t"))
            words[count++] = word;
        words[count] = NULL;
        peers->stage = PEERS_APART;
        int status = peers->me ? run_beside(peers, count, words) : run(peers, count, words);
        if (peers->stage == PEERS_APART) peers_agree(peers, false, (uint64_t[2]){0, 0});
        if (!peers->me) printf("\nstatus %d\n", status), fflush(stdout);
    }
    fclose(file);
    return EXIT_HOLDS;
}
#endif

static int run_with(struct peers *peers, int argc, char **argv)
{
#ifdef CAIRN_TEST_HOOKS
    if (getenv("CAIRN_LINES")) return run_lines(peers, getenv("CAIRN_LINES"));
#endif
    return peers->me ? run_beside(peers, argc, argv) : run(peers, argc, argv);
}

int main(int argc, char **argv)
{
    struct peers *peers = mpi_open(&argc, &argv);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message */
    signal(SIGXFSZ, SIG_IGN); /* and so is a limit on file sizes */
    if (argc > 1 && !strcmp(argv[1], "--names")) return complete_names(argc - 2, argv + 2);
    if (argc == 3 && !strcmp(argv[1], "--help"))
        argv = (char *[]){argv[0], argv[2], argv[1], NULL}; /* cairn --help check */
    const bool is_first = !peers || !peers->me;
    if (argc == 2 && is_first && run_special(argv[1]))
        return peers ? mpi_close(peers, finish_output()) : finish_output();
    if (peers) return mpi_close(peers, run_with(peers, argc, argv));
    return run(NULL, argc, argv);
}
