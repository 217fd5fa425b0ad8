/* A model checker in a program of one's own: loads a model, decides its properties, shows the run
 * of each one that is violated. Usage: verify MODEL [CONSTANT VALUE]... */
#include <cairn.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int complain(const struct cairn *cairn)
{
    struct cairn_diagnostic one;
    for (uint32_t i = 0; cairn_diagnostic(cairn, i, &one); i++)
        printf("%s:%" PRIu32 ":%" PRIu32 ": %s\n", one.file ? one.file : "cairn", one.line,
               one.column, one.text);
    return 2;
}

static void show_run(struct cairn *cairn, uint32_t property, uint32_t steps)
{
    printf("    %s\n", cairn_run_state(cairn, property, 0));
    for (uint32_t step = 1; step <= steps; step++)
        printf("    %s: %s\n", cairn_run_label(cairn, property, step),
               cairn_run_state(cairn, property, step));
}

static int verify(struct cairn *cairn, const char *file)
{
    static const char *const words[] = {"unknown", "holds", "violated"};
    struct cairn_property property;
    if (cairn_load(cairn, file) != CAIRN_DONE || cairn_check(cairn) != CAIRN_DONE)
        return complain(cairn);
    printf("%s: %" PRIu64 " states\n", file, cairn_states(cairn));
    for (uint32_t i = 0; cairn_property(cairn, i, &property); i++) {
        printf("  %s %s\n", words[property.verdict], property.name);
        if (property.verdict == CAIRN_VIOLATED && property.has_run)
            show_run(cairn, i, property.steps);
    }
    puts(cairn_assurance(cairn));
    return cairn_verdict(cairn) != CAIRN_HOLDS;
}

int main(int argc, char **argv)
{
    struct cairn *cairn = argc > 1 ? cairn_new() : NULL;
    if (!cairn) return 2;
    cairn_limit_seconds(cairn, 60);
    for (int i = 2; i + 1 < argc; i += 2) cairn_define(cairn, argv[i], atoll(argv[i + 1]));
    int status = verify(cairn, argv[1]);
    cairn_free(cairn);
    return status;
}
