/* What the preprocessor makes of files: preprocess [NAME=VALUE ...] FILE ... prints the tokens of
 * each on a line, or its diagnostics, and returns 2 when there were errors. */
#include "lang/common/preprocess.h"
#include "lang/fiacre/words.h"
#include "report/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct mem mem;
    struct diag diag;
    struct arena arena;
    struct names names;
    struct language_define defines[16] = {{0}};
    uint32_t define_count = 0, source;
    jmp_buf recover;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return fputs("out of memory\n", stderr), 3;
    arena_init(&arena, &mem);
    names_init(&names, &arena);
    diag_init(&diag, &mem);
    diagnostics_open(&diag, stdout, false);
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        struct tokens tokens = {0};
        if (equals && define_count < 16) {
            *equals = 0;
            defines[define_count++] =
                (struct language_define){.name = argv[i], .value = atoll(equals + 1)};
            continue;
        }
        if (!diag_read_source(&diag, argv[i], &source)
            || !preprocess_run(&diag, &names, &fiacre_lexis, source, defines, define_count,
                               &tokens))
            continue;
        for (uint32_t t = 0; t + 1 < tokens.list.len; t++)
            printf(tokens.list.data[t].kind == TOKEN_STRING ? "%s\"%s\"" : "%s%s", t ? " " : "",
                   tokens.list.data[t].text);
        putchar('\n');
        lexer_free(&mem, &tokens);
    }
    bool bad = diag.errors > 0;
    mem_release(&mem);
    return bad ? 2 : 0;
}
