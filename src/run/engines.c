#include "run/engines.h"

#include "engine/bounded/bounded.h"
#include "engine/explicit/explicit.h"
#include "engine/symbolic/symbolic.h"
#include "engine/timed/timed.h"

#include <assert.h>

static void run_explicit(struct task *task, struct result *result)
{
    explicit_run(task, NULL, result);
}

static void run_timed(struct task *task, struct result *result) { timed_run(task, NULL, result); }

const struct engine_row engines[] = {{.id = ENGINE_EXPLICIT,
                                      .name = "explicit",
                                      .title = "the explicit engine",
                                      .run = run_explicit,
                                      .hunt = run_explicit,
                                      .explores = true},
                                     {.id = ENGINE_SYMBOLIC,
                                      .name = "symbolic",
                                      .title = "the symbolic engine",
                                      .run = symbolic_run,
                                      .hunt = symbolic_run,
                                      .explores = true,
                                      .needs_flat = true},
                                     {.id = ENGINE_BOUNDED,
                                      .name = "bounded",
                                      .title = "the bounded engine",
                                      .run = bounded_run,
                                      .hunt = bounded_hunt,
                                      .needs_flat = true},
                                     {.id = ENGINE_TIMED,
                                      .name = "timed",
                                      .title = "the timed engine",
                                      .run = run_timed,
                                      .explores = true},
                                     {.name = NULL}};

const struct engine_row *engines_find(enum engine engine)
{
    const struct engine_row *row = engines;
    while (row->name && row->id != engine) row++;
    assert(row->name); /* every engine but `auto` has a row */
    return row;
}
