#include "run/ask.h"

#include <string.h>

void ask_init(struct ask *ask)
{
    memset(ask, 0, sizeof *ask);
    ask->seed = 1;
    ask->steps = 100;
    ask->runs = 1;
}
