/* Prints a random model with code in the model's own text form, for suites that compare engines and
 * damage inputs. Usage: random_code SEED [timed] [small] [wild]; wild: most steps fail */
#include "../unit/random_model.h"
#include "model/print.h"
#include "report/diagnostics.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct mem mem;
    struct diag diag;
    jmp_buf recover;
    struct generator g = {.mem = &mem, .widest = 2, .with_properties = true, .tame = true};
    if (argc < 2) return fputs("usage: random_code SEED [timed] [small] [wild]\n", stderr), 2;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return fputs("out of memory\n", stderr), 3;
    diag_init(&diag, &mem);
    diagnostics_open(&diag, stderr, false);
    diag_add_source(&diag, "random", "", 0);
    g.random.state = strtoull(argv[1], NULL, 10);
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "timed")) g.with_time = true;
        if (!strcmp(argv[i], "small")) g.widest = 1;
        if (!strcmp(argv[i], "wild")) g.tame = false;
    }
    random_model(&g, g.tame ? 6 : 4, 3);
    model_print(g.model, &diag, stdout);
    mem_release(&mem);
    return 0;
}
