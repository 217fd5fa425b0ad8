#include "report/explain_time.h"

#include "result/trace.h"

static void show_time(const struct timed_state *timed, struct text *text, int64_t parts)
{
    char room[TRACE_TIME_ROOM];
    const struct trace times = {.denominator = timed->denominator};
    text_add(text, "%s", trace_time(room, timed->model, &times, parts));
}

static void show_ticks(const struct timed_state *timed, struct text *text, int64_t ticks)
{
    char room[TRACE_TIME_ROOM];
    const struct trace times = {.denominator = 1};
    text_add(text, "%s%s", ticks < 0 ? "-" : "",
             trace_time(room, timed->model, &times, ticks < 0 ? -ticks : ticks));
}

/* `x < 3`, `5 <= x`, `x - y <= 2` */
static void show_constraint(const struct timed_state *timed, struct text *text,
                            const struct clock_constraint *constraint, int64_t bound)
{
    const struct model *model = timed->model;
    const char *sign = constraint->strict ? "<" : "<=";
    if (constraint->x == MODEL_NONE) {
        show_ticks(timed, text, -bound);
        text_add(text, " %s %s", sign,
                 constraint->y == MODEL_NONE ? "0" : model->clocks.data[constraint->y].name);
        return;
    }
    text_add(text, "%s", model->clocks.data[constraint->x].name);
    if (constraint->y != MODEL_NONE)
        text_add(text, " - %s", model->clocks.data[constraint->y].name);
    text_add(text, " %s ", sign);
    show_ticks(timed, text, bound);
}

/* A constraint that is false now, in a state with these values; with a rule, when that has led
 * there and set its clocks. */
static void show_false_constraint(const struct timed_state *timed, struct text *text,
                                  const struct clock_constraint *constraint, const int64_t *state,
                                  const struct model_rule *rule, const char *what)
{
    const struct model *model = timed->model;
    int64_t values[2] = {0, 0}, ticks, set_to;
    if (!timed_bound(model, constraint, state, &ticks)) return;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t clock = k ? constraint->y : constraint->x;
        if (clock != MODEL_NONE) values[k] = timed->clocks[clock];
        if (clock != MODEL_NONE && rule && timed_sets(model, rule, state, clock, &set_to))
            values[k] = set_to * timed->denominator;
    }
    __int128 difference = (__int128)values[0] - values[1],
             bound = (__int128)ticks * timed->denominator;
    if (constraint->strict ? difference < bound : difference <= bound) return;
    text_add(text, "        %s", what);
    show_constraint(timed, text, constraint, ticks);
    text_add(text, " is false");
    for (unsigned k = 0; k < 2; k++) {
        uint32_t clock = k ? constraint->y : constraint->x;
        if (clock == MODEL_NONE) continue;
        text_add(text, "%s%s = ", k && constraint->x != MODEL_NONE ? ", " : ": ",
                 model->clocks.data[clock].name);
        show_time(timed, text, values[k]);
    }
    text_add(text, "\n");
}

void explain_time(const struct timed_state *timed, struct text *text, uint32_t r)
{
    const struct model *model = timed->model;
    const struct model_rule *rule = &model->rules.data[r];
    int64_t *next = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *next);
    if (eval_rule_alone(model, r, timed->values, next, NULL) == EVAL_ENABLED) {
        if (rule->interval != MODEL_NONE) {
            const struct model_interval *interval = &model->intervals.data[rule->interval];
            text_add(text, "        it has been enabled for ");
            show_time(timed, text, timed->timers[r]);
            text_add(text, ", its interval is %c", interval->low_open ? ']' : '[');
            show_ticks(timed, text, interval->low);
            text_add(text, ", ");
            if (interval->infinite) text_add(text, "...[");
            else
                show_ticks(timed, text, interval->high),
                    text_add(text, "%c", interval->high_open ? '[' : ']');
            struct timed_window patience = timed_patience(timed);
            if (!patience.infinite) {
                text_add(text, ", and %s ",
                         patience.high_open ? "less may pass than" : "no more may pass than");
                show_time(timed, text, patience.high);
            }
            text_add(text, "\n");
        }
        for (uint32_t i = 0; i < rule->guards; i++)
            if (!model->constraints.data[rule->first_guard + i].unless)
                show_false_constraint(timed, text, &model->constraints.data[rule->first_guard + i],
                                      timed->values, NULL, "");
        for (uint32_t p = 0; p < model->processes.len; p++) {
            const struct model_process *process = &model->processes.data[p];
            for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
                const struct model_location *location =
                    &model->locations.data[process->first_location + l];
                for (uint32_t i = 0;
                     location->value == next[process->location] && i < location->invariants; i++)
                    show_false_constraint(timed, text,
                                          &model->constraints.data[location->first_invariant + i],
                                          next, rule, "afterwards ");
            }
        }
    }
    mem_free(model->mem, next);
}

void explain_time_end(struct timed_state *timed, struct text *text, bool is_whole)
{
    const struct model *model = timed->model;
    const bool is_stuck = timed_is_stuck(timed);
    for (uint32_t c = 0; c < model->clocks.len; c++) {
        text_add(text, "%s%s = ", c ? ", " : "at the end: ", model->clocks.data[c].name);
        show_time(timed, text, timed->clocks[c]);
    }
    if (model->clocks.len) text_add(text, "\n");
    if (is_stuck) text_add(text, "nothing is possible any more\n");
    else if (is_whole) text_add(text, "from then on time passes for ever\n");
}
