#include "cli/simulate.h"

#include "cli/door.h"
#include "report/explain.h"
#include "report/machine.h"
#include "report/vcd.h"
#include "run/deadline.h"
#include "run/replay.h"
#include "run/verify.h"
#include "run/stepper.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A run, and where it is shown. */
struct simulator {
    struct stepper stepper;
    struct screen screen;
    struct session session;
    struct options *options;
    const struct trace *told; /* of a violation, when it was shortened; else NULL: the last run */
};

static bool save(struct simulator *at, const char *path)
{
    FILE *file = door_open_file(at->options, path);
    if (!file) return false;
    struct trace *whole = at->told ? NULL : stepper_trace(&at->stepper);
    const struct trace *trace = whole ? whole : at->told;
    if (vcd_is_name(path)) vcd_write(file, at->stepper.model, trace);
    else machine_itf(file, at->stepper.model, trace, NULL, at->options->raw);
    if (whole) trace_free(at->stepper.model, whole);
    return door_close_file(file, path);
}

/* A time in parts of a tick, as people write it. */
static const char *time_of(const struct simulator *at, char buffer[TRACE_TIME_ROOM], int64_t parts)
{
    const struct trace times = {.denominator = at->stepper.parts};
    return trace_time(buffer, at->stepper.model, &times, parts);
}

static void show_last(struct simulator *at)
{
    uint32_t steps = at->stepper.rules.len, vars = at->stepper.model->vars.len;
    char date[TRACE_TIME_ROOM];
    const struct trace times = {.steps = steps, .delays = at->stepper.delays.data};
    if (steps && at->stepper.is_timed) time_of(at, date, trace_date(&times, steps));
    report_step(&at->screen.style, at->stepper.model, &at->session.diag, steps,
                steps ? at->stepper.rules.data[steps - 1] : MODEL_NONE,
                steps && at->stepper.is_timed ? date : NULL,
                steps ? stepper_last(&at->stepper) - vars : NULL, stepper_last(&at->stepper));
    if (at->stepper.waited)
        printf("  %s has passed since then\n", time_of(at, date, at->stepper.waited));
}

static void show_step(void *context, struct stepper *stepper)
{
    (void)stepper;
    show_last(context);
}

/* ---- random runs ---- */

static bool tell_json(struct simulator *at, const struct stepper_runs *done)
{
    const struct property_result *violation = done->violation;
    struct options *options = at->options;
    FILE *file = door_open_file(options, options->json_file);
    const char *assurance =
        violation ? "a run violates the property; a simulation proves nothing else: only the "
                    "states on its runs were checked"
        : stepper_is_over(&at->stepper)
            ? "runs reach everything that was sought; a simulation proves nothing else: "
              "only the states on its runs were checked"
            : "a simulation proves nothing: only the states on its runs were checked";
    struct simulation told = {.violation = violation,
                              .assurance = assurance,
                              .trace_file = violation ? options->trace_file : NULL,
                              .seed = options->ask.seed,
                              .runs = done->runs,
                              .steps = done->steps,
                              .is_over = !violation && stepper_is_over(&at->stepper),
                              .seen = &done->seen};
    if (!file) return false;
    machine_simulation(file, at->stepper.model, &at->session.diag, &at->stepper.task, &told,
                       options->raw);
    options->told = true; /* before that, memory may have been refused; once the object has begun it
                             is told whole */
    return door_close_file(file, options->json_file);
}

static void tell_text(struct simulator *at, uint64_t runs, uint64_t steps,
                      const struct property_result *violation, bool shown, bool early)
{
    char a[32], b[32];
    bool is_stuck = runs && !early && !at->stepper.enabled_count
                    && (!at->stepper.is_timed || timed_is_stuck(&at->stepper.timed));
    if (at->told && shown)
        printf("\nThe same in %u steps, without those that do not matter:\n", at->told->steps);
    if (violation && (!shown || at->told))
        report_trace(&at->screen.style, at->stepper.model, &at->session.diag, violation->trace);
    if (violation)
        report_reasons(&at->screen.style, at->stepper.model, &at->session.diag, violation);
    if (violation)
        printf("%s is violated after %u steps of run %" PRIu64 "%s.\n", violation->property->name,
               at->stepper.rules.len, runs, at->told ? ", which is shortened above" : "");
    else if (is_stuck)
        printf("Run %" PRIu64 " ends in a %s after %u steps.\n", runs,
               eval_is_final(at->stepper.model, stepper_last(&at->stepper)) ? "final state"
                                                                            : "deadlock",
               at->stepper.rules.len);
    for (uint32_t i = 0; i < at->stepper.task.property_count; i++) {
        const struct property_result *entry = &at->stepper.task.properties[i];
        if (entry->seeks && entry->trace)
            printf("%s is reached after %u steps.\n", entry->property->name, entry->trace->steps);
        else if (!entry->in_each_state && entry != violation)
            printf("%s is not checked: a simulation looks at single states.\n",
                   entry->property->name);
    }
    printf("Seed %" PRIu64 ": %s run%s, %s steps%s\n", at->session.ask->seed, text_count(a, runs),
           runs == 1 ? "" : "s", text_count(b, steps),
           violation ? "." : " without a violation, which proves nothing about the rest.");
}

static int random_runs(struct simulator *at)
{
    struct options *options = at->options;
    const bool show = !options->quiet && !options->json && options->ask.runs == 1;
    struct stepper_runs done = {.show = show ? show_step : NULL, .context = at};
    const char *early = stepper_run(&at->stepper, &done);
    struct property_result *violation = done.violation;
    const uint64_t runs = done.runs, steps = done.steps;
    if (done.has_no_start) return EXIT_USAGE;
    assert(!violation || violation->trace); /* the run itself */
    if (early) fprintf(stderr, "cairn: note: the runs ended early: %s\n", early);
    if (stepper_shorten(&at->stepper, violation)) at->told = violation->trace;
    if (!verify_traces(&at->session.diag, at->stepper.model, &at->stepper.task))
        return EXIT_INTERNAL;
    if (options->trace_file && !done.is_cut && !save(at, options->trace_file)) return EXIT_USAGE;
    stepper_conclude(&at->stepper);
    if (options->json && !tell_json(at, &done)) return EXIT_USAGE;
    if (!options->json || options->json_file) {
        if (options->ask.runs > 1 && !options->quiet)
            report_counts(&at->screen.style, at->stepper.model, &at->session.diag, &done.seen);
        tell_text(at, runs, steps, violation, show, early);
    }
    if (!door_close_file(stdout, NULL)) return EXIT_USAGE;
    return violation ? EXIT_VIOLATED
           : stepper_is_over(&at->stepper)
               ? EXIT_HOLDS
               : EXIT_INCONCLUSIVE; /* runs prove nothing but what they reach */
}

/* ---- by hand ---- */

/* When something can happen: delays from now on. */
static void print_window(const struct simulator *at, const struct timed_window *window)
{
    char low[TRACE_TIME_ROOM], high[TRACE_TIME_ROOM];
    if (!window->low && !window->low_open && window->infinite) printf("  at any time");
    else if (!window->low && !window->infinite && !window->high) printf("  now");
    else if (window->infinite)
        printf("  after %s%s or more", window->low_open ? "more than " : "",
               time_of(at, low, window->low));
    else
        printf("  after %c%s, %s%c", window->low_open ? ']' : '[', time_of(at, low, window->low),
               time_of(at, high, window->high), window->high_open ? '[' : ']');
}

static void show_patience(const struct simulator *at)
{
    char time[TRACE_TIME_ROOM];
    const struct timed_window window = stepper_patience(&at->stepper);
    if (window.infinite) return;
    if (window.high) {
        printf("  time passes for %s%s\n", time_of(at, time, window.high),
               window.high_open ? ", not quite" : " at most");
    } else puts("  no time passes here");
}

static void list_enabled(struct simulator *at)
{
    for (uint32_t i = 0; i < at->stepper.enabled_count; i++) {
        const struct model_rule *rule = &at->stepper.model->rules.data[at->stepper.enabled[i]];
        struct place place = at->stepper.model->parts.data[rule->first_part].place;
        struct text text;
        text_init(&text, at->stepper.model->mem);
        report_participants(at->stepper.model, &text, at->stepper.enabled[i]);
        printf("  %3u: %s%s%s", i + 1, rule->label, text.len ? "  by " : "",
               text.len ? text.data : "");
        if (at->stepper.is_timed) {
            const struct timed_window window = stepper_chance(&at->stepper, at->stepper.enabled[i]);
            print_window(at, &window);
        }
        printf("  %s:%u\n", diag_source_name(&at->session.diag, place), place.line);
        text_free(&text);
    }
    if (at->stepper.is_timed) show_patience(at);
    if (!at->stepper.enabled_count && eval_is_final(at->stepper.model, stepper_last(&at->stepper)))
        puts("  the end: no rule is enabled, and the state is final");
    else if (!at->stepper.enabled_count) {
        struct text text;
        text_init(&text, at->stepper.model->mem);
        explain_state(at->stepper.model, &at->session.diag, &text, stepper_last(&at->stepper),
                      NULL);
        printf("  deadlock: no rule is enabled\n%s", text.data ? text.data : "");
        text_free(&text);
    }
}

static void show_failure(struct simulator *at)
{
    struct eval_failure failure = {0};
    struct text text;
    text_init(&text, at->stepper.model->mem);
    eval_rule_alone(at->stepper.model, at->stepper.failed, stepper_last(&at->stepper),
                    at->stepper.scratch, &failure);
    explain_reason(&text, &failure);
    printf("  ! the step [%s] fails here: %s\n",
           at->stepper.model->rules.data[at->stepper.failed].label, text.data);
    text_free(&text);
}

static void show_violations(struct simulator *at)
{
    for (uint32_t i = 0; i < at->stepper.task.property_count; i++) {
        struct property_result *entry = &at->stepper.task.properties[i];
        bool built_in = entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR;
        expr condition;
        if (built_in || !stepper_condition(entry, &condition)
            || !stepper_is_false(&at->stepper, condition))
            continue;
        printf("  ! %s is %s here: %s\n", entry->property->name,
               entry->seeks ? "reached" : "violated", entry->property->text);
    }
    if (at->stepper.failed != MODEL_NONE) show_failure(at);
}

static void show_all(struct simulator *at)
{
    struct report_style style = at->screen.style;
    style.full = true;
    report_step(&style, at->stepper.model, &at->session.diag, at->stepper.rules.len, MODEL_NONE,
                NULL, NULL, stepper_last(&at->stepper));
    for (uint32_t i = 0; at->stepper.is_timed && i < at->stepper.model->clocks.len; i++) {
        char time[TRACE_TIME_ROOM];
        printf("          %s = %s\n", at->stepper.model->clocks.data[i].name,
               time_of(at, time, at->stepper.timed.clocks[i]));
    }
}

static void show_blocked(struct simulator *at)
{
    struct text text;
    text_init(&text, at->session.mem);
    explain_state(at->stepper.model, &at->session.diag, &text, stepper_last(&at->stepper),
                  at->stepper.is_timed ? &at->stepper.timed : NULL);
    fputs(text.len ? text.data : "", stdout);
    text_free(&text);
}

static const char interactive_help[] =
    "  NUMBER  take that step          Enter   a random step\n"
    "  u       undo the last step      r       restart\n"
    "  s       show all variables      l       list the steps again\n"
    "  t       show the whole run      w FILE  save the run as ITF\n"
    "  j N     jump to step N          o FILE  go on from a saved run\n"
    "  b       what is blocked, and why\n"
    "  q       quit                    ?       this help\n";
static const char timed_help[] =
    "  NUMBER DELAY  take that step after a delay, such as 2, 5/2 or 2.5; without one: as soon as "
    "possible\n"
    "  d DELAY       let time pass\n";

static void show_help(const struct simulator *at)
{
    fputs(interactive_help, stdout);
    if (at->stepper.is_timed) fputs(timed_help, stdout);
}

static const char *skip_spaces(const char *text)
{
    while (*text == ' ') text++;
    return text;
}

/* False after a message. */
static bool read_delay(const struct simulator *at, const char *text, int64_t *delay)
{
    if (!at->stepper.is_timed) return printf("  the model has no time\n"), false;
    if (stepper_read_delay(&at->stepper, text, delay)) return true;
    printf("  '%.40s' is no delay: write 2, 5/2 or 2.5 (multiples of 1/%" PRId64
           " of the smallest unit)\n",
           text, at->stepper.parts);
    return false;
}

/* Takes one of the steps that are listed, after a delay, which may be missing. False after a
 * message: nothing has happened. */
static bool take(struct simulator *at, unsigned long number, const char *text)
{
    struct stepper *stepper = &at->stepper;
    if (!stepper->enabled_count) return printf("  no rule is enabled\n"), false;
    if (number > stepper->enabled_count) return printf("  there is no step %lu\n", number), false;
    if (!number || !stepper->is_timed) {
        const uint64_t place =
            number ? number - 1 : random_below(&stepper->random, stepper->enabled_count);
        if (*text) return printf("  the model has no time\n"), false;
        stepper_take(stepper, stepper->enabled[place]);
        return true;
    }
    const uint32_t rule = stepper->enabled[number - 1];
    const struct timed_window window = stepper_chance(stepper, rule);
    int64_t delay = stepper_simple_delay(stepper, &window);
    if (*text && !read_delay(at, text, &delay)) return false;
    if (stepper_take_after(stepper, rule, delay)) return true;
    printf(timed_window_has(&window, delay) ? "  a step of higher priority is possible then\n"
                                            : "  that step is not possible then\n");
    return false;
}

static bool wait_for(struct simulator *at, const char *text)
{
    int64_t delay;
    if (!read_delay(at, skip_spaces(text), &delay)) return false;
    if (stepper_wait(&at->stepper, delay)) return true;
    puts("  the state does not last so long");
    return false;
}

static bool jump(struct simulator *at, const char *text)
{
    char *end;
    text = skip_spaces(text);
    const unsigned long step = strtoul(text, &end, 10);
    if (!*text || *end || step > at->stepper.known)
        return printf("  j needs the number of a step, from 0 to %u\n", at->stepper.known), false;
    stepper_jump(&at->stepper, (uint32_t)step);
    return true;
}

static bool open_run(struct simulator *at, const char *path)
{
    path = skip_spaces(path);
    if (!*path) return printf("  o needs a file name\n"), false;
    fflush(stdout);
    struct trace *trace = replay_load(&at->session, path);
    diag_finish(&at->session.diag);
    if (!trace) return false;
    const bool good = stepper_load(&at->stepper, trace);
    if (!good) puts("  its delays have too many digits");
    trace_free(at->stepper.model, trace);
    return good;
}

static bool undo(struct simulator *at)
{
    struct stepper *stepper = &at->stepper;
    if (!stepper->rules.len && !stepper->waited)
        return printf("  this is the initial state\n"), false;
    stepper_jump(stepper, stepper->rules.len - !stepper->waited);
    return true;
}

static void show_now(struct simulator *at)
{
    show_last(at);
    show_violations(at);
    list_enabled(at);
}

/* One line of input. False: the end. */
static bool obey(struct simulator *at, char *line)
{
    char *end;
    line[strcspn(line, "\r\n")] = 0;
    while (*line == ' ') line++;
    unsigned long number = strtoul(line, &end, 10);
    size_t word = strcspn(line, " ");
    static const char *const words[] = {"quit",  "undo", "restart", "show",  "list", "trace",
                                        "write", "jump", "open",    "delay", "save", "blocked"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) /* whole words do, too */
        if (word > 1 && word == strlen(words[i]) && !strncmp(line, words[i], word)) {
            line += word - 1;
            line[0] = strcmp(words[i], "save") ? words[i][0] : 'w';
            word = 1;
        }
    const bool is_number = number && (!*end || *end == ' ');
    if (word > 1 && !is_number) {
        printf("  there is no command '%.40s'\n", line);
        show_help(at);
        return true;
    }
    bool good = true;
    if (!*line || is_number) {
        if (take(at, number, skip_spaces(end))) show_now(at);
        return true;
    }
    switch (line[0]) {
    case 'q': return false;
    case 'u': good = undo(at); break;
    case 'j': good = jump(at, line + 1); break;
    case 'o': good = open_run(at, line + 1); break;
    case 'd': good = wait_for(at, line + 1); break;
    case 'r': stepper_start(&at->stepper); break;
    case 's': show_all(at); return true;
    case 'b': show_blocked(at); return true;
    case 'l': break;
    case 't': {
        struct trace *trace = stepper_trace(&at->stepper);
        report_trace(&at->screen.style, at->stepper.model, &at->session.diag, trace);
        trace_free(at->stepper.model, trace);
        return true;
    }
    case 'w':
        for (line++; *line == ' ';) line++;
        if (!*line) printf("  w needs a file name\n");
        else if (save(at, line)) printf("  saved %u steps in %s\n", at->stepper.rules.len, line);
        return true;
    case '?': show_help(at); return true;
    default:
        printf("  there is no command '%.40s'\n", line);
        show_help(at);
        return true;
    }
    if (good) show_now(at);
    return true;
}

static int interactive(struct simulator *at)
{
    char line[4096];
    deadline_tell(); /* who chooses the steps has time */
    mem_lift(at->stepper.model->mem);
    if (!stepper_start(&at->stepper)) return EXIT_USAGE;
    printf("%s: type a number, or ? for help\n", at->stepper.model->file);
    show_now(at);
    for (;;) {
        fputs("> ", stdout);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || limits_interrupted || !obey(at, line)) break;
    }
    if (at->options->trace_file && !save(at, at->options->trace_file)) return EXIT_USAGE;
    return door_close_file(stdout, NULL) ? EXIT_HOLDS : EXIT_USAGE;
}

int simulate_command(struct options *options, struct mem *mem)
{
    struct simulator at = {.options = options};
    door_open_session(&at.screen, &at.session, options, mem);
    if (!load_model(&at.session, options->ask.file)) return at.session.status;
    if (!stepper_init(&at.stepper, &at.session)) return EXIT_USAGE;
    if (options->json && options->interactive) {
        door_complain("--interactive has no result to print as JSON: without --json");
        return EXIT_USAGE;
    }
    return options->interactive ? interactive(&at) : random_runs(&at);
}
