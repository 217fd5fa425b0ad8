/* The table of combinations is alive: random asks make every row true, every text can be filled in,
 * and what follows from a choice goes on to be checked. */
#include "run/combine.c"

#include "base/peers.h"
#include "base/random.h"
#include "unit/unit.h"

enum { ASKS = 200000 };

static bool chance(struct random *random, unsigned of) { return !random_below(random, of); }

static const char *maybe(struct random *random, unsigned of, const char *text)
{
    return chance(random, of) ? text : NULL;
}

static void choose(struct random *random, struct ask *ask)
{
    static const char *const formats[] = {NULL, "dimacs", "smv", "aiger"};
    static const char *names[] = {"p", "q"};
    static struct peers peers;
    ask_init(ask);
    ask->command = (enum ask_command)(1u << random_below(random, 8));
    ask->file = chance(random, 9) ? NULL : "model";
    ask->log = ask->command == ASK_CONFORM ? maybe(random, 2, "log") : NULL;
    ask->engine = (enum engine)(chance(random, 2) ? random_below(random, 5) : 0);
    ask->order = (enum search_order)(chance(random, 3) ? random_below(random, ORDER_COUNT) : 0);
    ask->relation = (enum relation_form)(chance(random, 9) ? 1 : 0);
    ask->direction = (enum search_direction)(chance(random, 20) ? 1 : 0);
    ask->no_frontier = chance(random, 20);
    ask->tableau = chance(random, 20);
    ask->fair = chance(random, 15);
    ask->variant = chance(random, 20);
    ask->reduction = (enum reduction)(chance(random, 4) ? random_below(random, 5) : 0);
    ask->two_phase = ask->reduction == REDUCE_POR && chance(random, 4);
    ask->keep = (enum keeping)(chance(random, 8) ? random_below(random, 4) : 0);
    ask->has_phase = chance(random, 20);
    ask->no_induction = chance(random, 20);
    ask->has_zones = chance(random, 20);
    ask->sets = (enum state_sets)(chance(random, 10) ? random_below(random, 3) : 0);
    ask->native = (enum native_mode)(chance(random, 10) ? random_below(random, 3) : 0);
    ask->traces = chance(random, 10) ? 2 : 0;
    ask->first = chance(random, 10);
    ask->shortest = chance(random, 20);
    ask->work = maybe(random, 12, chance(random, 3) ? "" : "folder");
    ask->prepare = chance(random, 30);
    ask->part_auto = chance(random, 30);
    ask->join = chance(random, 30);
    ask->no_wait = chance(random, 30);
    ask->takeover = chance(random, 30);
    ask->peers = chance(random, 20) ? &peers : NULL;
    ask->bound = chance(random, 8);
    ask->bound_auto = chance(random, 12);
    ask->context = maybe(random, 5, "context");
    ask->guide = maybe(random, 4, "guide");
    ask->guide_part = chance(random, 15);
    ask->guide_semantics = chance(random, 20);
    ask->split_by = maybe(random, 12, "alternatives");
    ask->split = (enum split)(chance(random, 8) ? random_below(random, 3) : 0);
    ask->split_depth = chance(random, 20);
    ask->has_part = chance(random, 20);
    ask->partition = maybe(random, 12, "auto");
    ask->partition_hidden = chance(random, 20);
    ask->freeze = maybe(random, 12, chance(random, 3) ? "" : "folder");
    ask->results = maybe(random, 15, "folder");
    ask->resume = chance(random, 15);
    ask->threads = random_below(random, 4);
    ask->show_process_model = chance(random, 15);
    ask->show_orders = chance(random, 15);
    ask->enumerate_orders = ask->show_orders && chance(random, 3);
    ask->words = chance(random, 15);
    ask->properties.data = names;
    ask->properties.len = chance(random, 5) ? 1 + (uint32_t)random_below(random, 2) : 0;
    ask->formulas.len = chance(random, 8);
    ask->to = formats[random_below(random, 4)];
}

static void find_rows(struct unit *unit, struct mem *mem)
{
    static const struct combine_words words = {"COMMAND", "ARGUMENT"};
    struct random random = {7};
    bool reached[ROWS] = {false}, reached_by_model[MODEL_ROWS] = {false};
    bool alone[THREAD_ROWS] = {false};
    unsigned good = 0, refused = 0;
    for (unsigned i = 0; i < ASKS; i++) {
        struct ask ask, before;
        struct text why;
        struct diag diag;
        const char *name;
        choose(&random, &ask);
        before = ask;
        text_init(&why, mem);
        bool can = combine_check(&ask, &words, &why);
        good += can;
        refused += !can;
        CHECK(unit, can == !why.len && (can || !strchr(why.data, '{')));
        text_free(&why);
        for (unsigned r = 0; r < ROWS; r++) { /* again, row by row, up to the one that refuses */
            if (!is_true(&rows[r], &before, NULL, &name)) continue;
            reached[r] = true;
            if (rows[r].text) break;
            rows[r].then(&before);
        }
        const struct combine_model model = {.file = "model",
                                            .names = "x",
                                            .is_timed = chance(&random, 4),
                                            .is_influenced = chance(&random, 6),
                                            .has_rank = chance(&random, 2)};
        const char *one = combine_one_thread(&ask, &model);
        CHECK(unit, !one || ask.threads > 1);
        for (unsigned r = 0; can && r < THREAD_ROWS; r++) alone[r] |= one == thread_rows[r].why;
        diag_init(&diag, mem);
        for (unsigned r = 0; can && r < MODEL_ROWS; r++) {
            if (!is_true(&model_rows[r], &ask, &model, &name)) continue;
            reached_by_model[r] = true;
            CHECK(unit, !combine_check_model(&ask, &model, &diag) && diag.list.len == 1);
            break;
        }
    }
    for (unsigned r = 0; r < ROWS; r++) {
        if (!reached[r]) printf("row %u: %s\n", r, rows[r].text ? rows[r].text : rows[r].why);
        CHECK(unit, reached[r]);
    }
    for (unsigned r = 0; r < MODEL_ROWS; r++) CHECK(unit, reached_by_model[r]);
    for (unsigned r = 0; r < THREAD_ROWS; r++) CHECK(unit, alone[r]);
    CHECK(unit, good > 1000 && refused > 1000);
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    jmp_buf recover;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return 2;
    find_rows(&unit, &mem);
    mem_release(&mem);
    return unit_finish(&unit);
}
