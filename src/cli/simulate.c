#include "cli/simulate.h"

#include "cli/door.h"
#include "report/explain.h"
#include "report/machine.h"
#include "run/deadline.h"
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
};

static bool save(struct simulator *at, const char *path)
{
    FILE *file = door_open_file(at->options, path);
    if (!file) return false;
    struct trace *trace = stepper_trace(&at->stepper);
    machine_itf(file, at->stepper.model, trace, NULL, at->options->raw);
    trace_free(at->stepper.model, trace);
    return door_close_file(file, path);
}

static void show_last(struct simulator *at)
{
    uint32_t steps = at->stepper.rules.len, vars = at->stepper.model->vars.len;
    char date[TRACE_TIME_ROOM];
    const struct trace times = {
        .steps = steps, .delays = at->stepper.delays.data, .denominator = STEPPER_PARTS};
    if (steps && at->stepper.is_timed)
        trace_time(date, at->stepper.model, &times, trace_date(&times, steps));
    report_step(&at->screen.style, at->stepper.model, &at->session.diag, steps,
                steps ? at->stepper.rules.data[steps - 1] : MODEL_NONE,
                steps && at->stepper.is_timed ? date : NULL,
                steps ? stepper_last(&at->stepper) - vars : NULL, stepper_last(&at->stepper));
}

static void show_step(void *context, struct stepper *stepper)
{
    (void)stepper;
    show_last(context);
}

/* ---- random runs ---- */

static bool tell_json(struct simulator *at, uint64_t runs, uint64_t steps,
                      const struct property_result *violation)
{
    struct options *options = at->options;
    FILE *file = door_open_file(options, options->json_file);
    const char *assurance =
        violation ? "a run violates the property; a simulation proves nothing else: only the "
                    "states on its runs were checked"
        : stepper_is_over(&at->stepper)
            ? "runs reach everything that was sought; a simulation proves nothing else: "
              "only the states on its runs were checked"
            : "a simulation proves nothing: only the states on its runs were checked";
    struct simulation told = {
        violation, assurance, violation ? options->trace_file : NULL,     options->ask.seed,
        runs,      steps,     !violation && stepper_is_over(&at->stepper)};
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
    if (violation && !shown)
        report_trace(&at->screen.style, at->stepper.model, &at->session.diag, violation->trace);
    if (violation)
        report_reasons(&at->screen.style, at->stepper.model, &at->session.diag, violation);
    if (violation)
        printf("%s is violated after %u steps of run %" PRIu64 ".\n", violation->property->name,
               at->stepper.rules.len, runs);
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
    if (!verify_traces(&at->session.diag, at->stepper.model, &at->stepper.task))
        return EXIT_INTERNAL;
    if (options->trace_file && !done.is_cut && !save(at, options->trace_file)) return EXIT_USAGE;
    stepper_conclude(&at->stepper);
    if (options->json && !tell_json(at, runs, steps, violation)) return EXIT_USAGE;
    if (!options->json || options->json_file) tell_text(at, runs, steps, violation, show, early);
    if (!door_close_file(stdout, NULL)) return EXIT_USAGE;
    return violation ? EXIT_VIOLATED
           : stepper_is_over(&at->stepper)
               ? EXIT_HOLDS
               : EXIT_INCONCLUSIVE; /* runs prove nothing but what they reach */
}

/* ---- by hand ---- */

static void list_enabled(struct simulator *at)
{
    for (uint32_t i = 0; i < at->stepper.enabled_count; i++) {
        const struct model_rule *rule = &at->stepper.model->rules.data[at->stepper.enabled[i]];
        struct place place = at->stepper.model->parts.data[rule->first_part].place;
        struct text text;
        text_init(&text, at->stepper.model->mem);
        report_participants(at->stepper.model, &text, at->stepper.enabled[i]);
        printf("  %3u: %s%s%s  %s:%u\n", i + 1, rule->label, text.len ? "  by " : "",
               text.len ? text.data : "", diag_source_name(&at->session.diag, place), place.line);
        text_free(&text);
    }
    if (!at->stepper.enabled_count && eval_is_final(at->stepper.model, stepper_last(&at->stepper)))
        puts("  the end: no rule is enabled, and the state is final");
    else if (!at->stepper.enabled_count) {
        struct text text;
        text_init(&text, at->stepper.model->mem);
        explain_deadlock(at->stepper.model, &at->session.diag, &text, stepper_last(&at->stepper),
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
}

static const char interactive_help[] =
    "  NUMBER  take that step          Enter   a random step\n"
    "  u       undo the last step      r       restart\n"
    "  s       show all variables      l       list the steps again\n"
    "  t       show the whole run      w FILE  save the run as ITF\n"
    "  q       quit                    ?       this help\n";

/* One line of input. False: the end. */
static bool obey(struct simulator *at, char *line)
{
    char *end;
    line[strcspn(line, "\r\n")] = 0;
    while (*line == ' ') line++;
    unsigned long number = strtoul(line, &end, 10);
    size_t word = strcspn(line, " ");
    static const char *const words[] = {"quit", "undo",  "restart", "show",
                                        "list", "trace", "write",   "save"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) /* whole words do, too */
        if (word > 1 && word == strlen(words[i]) && !strncmp(line, words[i], word)) {
            line += word - 1;
            line[0] = i == 7 ? 'w' : words[i][0];
            word = 1;
        }
    if (word > 1 && *end) {
        printf("  there is no command '%.40s'\n%s", line, interactive_help);
        return true;
    }
    if (!*line || (number && !*end)) {
        if (!at->stepper.enabled_count) return printf("  no rule is enabled\n"), true;
        if (*line && number > at->stepper.enabled_count)
            return printf("  there is no step %lu\n", number), true;
        stepper_take(&at->stepper,
                     at->stepper.enabled[*line ? number - 1
                                               : random_below(&at->stepper.random,
                                                              at->stepper.enabled_count)]);
        show_last(at);
        show_violations(at);
        list_enabled(at);
        return true;
    }
    switch (line[0]) {
    case 'q': return false;
    case 'u':
        if (!at->stepper.rules.len) return printf("  this is the initial state\n"), true;
        stepper_undo(&at->stepper);
        break;
    case 'r': stepper_start(&at->stepper); break;
    case 's': show_all(at); return true;
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
    case '?': fputs(interactive_help, stdout); return true;
    default: printf("  there is no command '%.40s'\n%s", line, interactive_help); return true;
    }
    show_last(at);
    show_violations(at);
    list_enabled(at);
    return true;
}

static int interactive(struct simulator *at)
{
    char line[4096];
    deadline_tell(); /* who chooses the steps has time */
    mem_lift(at->stepper.model->mem);
    stepper_start(&at->stepper);
    printf("%s: type a number, or ? for help\n", at->stepper.model->file);
    show_last(at);
    show_violations(at);
    list_enabled(at);
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
    if (at.stepper.is_timed && options->interactive) {
        fprintf(stderr,
                "cairn: error: %s is a timed model: it is simulated at random only, without "
                "--interactive\n",
                at.stepper.model->file);
        return EXIT_USAGE;
    }
    if (options->json && options->interactive) {
        door_complain("--interactive has no result to print as JSON: without --json");
        return EXIT_USAGE;
    }
    return options->interactive ? interactive(&at) : random_runs(&at);
}
