#include "cli/simulate.h"

#include "cli/deadline.h"
#include "base/random.h"
#include "cli/search.h"
#include "report/explain.h"
#include "report/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A run: all its states, one after the other, and the rules between them. */
struct run {
    struct session *session;
    struct model *model;
    struct task task;
    VEC(int64_t) states;
    VEC(uint32_t) rules;
    bool is_timed;
    struct timed_state timed; /* of a timed model: the last state, in parts of a tick */
    VEC(int64_t) delays;      /* before each rule */
    uint32_t *enabled; /* rules enabled in the last state; timed: that can be taken after some whole
                          number of parts ... */
    uint32_t enabled_count;
    uint32_t failed; /* ... and one that fails there, or MODEL_NONE */
    int64_t *scratch;
    struct random random;
};

static int64_t *last_state(struct run *run)
{
    return run->states.data + (size_t)run->rules.len * run->model->vars.len;
}

static void push_state(struct run *run, const int64_t *state)
{
    for (uint32_t v = 0; v < run->model->vars.len; v++)
        vec_push(run->model->mem, &run->states, state[v]);
}

/* Random delays are multiples of a quarter of a tick, and at most so many ticks longer than they
 * must be where nothing limits them. */
enum { PARTS = 4, MOST_TICKS = 10 };

/* The delays in the window that are whole numbers of parts. False: none. */
static bool whole_delays(const struct timed_window *window, int64_t *least, int64_t *most)
{
    *least = window->low + window->low_open;
    *most = window->infinite || window->high > *least + PARTS * MOST_TICKS
                ? *least + PARTS * MOST_TICKS
                : window->high - window->high_open;
    return *least <= *most;
}

static void find_enabled_timed(struct run *run)
{
    for (uint32_t r = 0; r < run->model->rules.len; r++) {
        struct timed_window window = timed_chance(&run->timed, r);
        int64_t least, most;
        if (run->timed.enabled[r] && whole_delays(&window, &least, &most))
            run->enabled[run->enabled_count++] = r;
        if (run->failed == MODEL_NONE && timed_try(&run->timed, r) == EVAL_FAILED) run->failed = r;
    }
}

static void find_enabled(struct run *run)
{
    run->enabled_count = 0;
    run->failed = MODEL_NONE;
    if (run->is_timed) {
        find_enabled_timed(run);
        return;
    }
    for (uint32_t r = 0; r < run->model->rules.len; r++) {
        enum eval_result tried = eval_rule(run->model, r, last_state(run), run->scratch);
        if (tried == EVAL_ENABLED) run->enabled[run->enabled_count++] = r;
        else if (tried == EVAL_FAILED && run->failed == MODEL_NONE) run->failed = r;
    }
}

static void random_values(struct run *run)
{
    uint32_t vars = run->model->vars.len;
    const int64_t *listed =
        model_lists_initial(run->model)
            ? run->model->initial.data
                  + vars * random_below(&run->random, run->model->initial.len / vars)
            : NULL;
    for (uint32_t v = 0; v < vars; v++) {
        const struct model_var *var = &run->model->vars.data[v];
        uint64_t span = (uint64_t)(var->high - var->low) + 1;
        run->scratch[v] = listed          ? listed[v]
                          : var->any_init ? var->low + (int64_t)random_below(&run->random, span)
                                          : var->init;
    }
}

/* In a timed model invariants of locations may exclude initial states. False: so many were
 * excluded. */
static bool random_initial(struct run *run)
{
    enum { TRIES = 1000 };
    bool good = false;
    for (unsigned i = 0; !good && i < TRIES; i++) {
        random_values(run);
        good = !run->is_timed || timed_start(&run->timed, run->scratch);
    }
    run->states.len = run->rules.len = run->delays.len = 0;
    push_state(run, run->scratch);
    find_enabled(run);
    if (!good)
        fprintf(stderr,
                "cairn: error: %s: the invariants of locations exclude %d random initial states\n",
                run->model->file, TRIES);
    return good;
}

/* After a random delay that the rule allows: half the time the shortest one. A rule that is held
 * back then gives way to another. */
static void take_timed(struct run *run, uint32_t rule)
{
    struct timed_window window = timed_chance(&run->timed, rule);
    int64_t least = 0, most = 0;
    whole_delays(&window, &least, &most);
    int64_t delay = random_below(&run->random, 2)
                        ? least
                        : least + (int64_t)random_below(&run->random, (uint64_t)(most - least) + 1);
    timed_wait(&run->timed, delay);
    uint32_t possible = 0;
    for (uint32_t r = 0; r < run->model->rules.len; r++)
        if (timed_try(&run->timed, r) == EVAL_ENABLED) run->enabled[possible++] = r;
    if (timed_try(&run->timed, rule) != EVAL_ENABLED)
        rule = run->enabled[random_below(&run->random, possible)];
    timed_take(&run->timed, rule);
    push_state(run, run->timed.values);
    vec_push(run->model->mem, &run->delays, delay);
    vec_push(run->model->mem, &run->rules, rule);
    find_enabled(run);
}

static void take(struct run *run, uint32_t rule)
{
    if (run->is_timed) {
        take_timed(run, rule);
        return;
    }
    eval_rule(run->model, rule, last_state(run), run->scratch);
    push_state(run, run->scratch);
    vec_push(run->model->mem, &run->rules, rule);
    find_enabled(run);
}

static struct trace *to_trace(const struct run *run)
{
    struct trace *trace = trace_new(run->model, run->rules.len);
    if (run->model->vars.len)
        memcpy(trace->initial, run->states.data, run->model->vars.len * sizeof *trace->initial);
    if (run->rules.len)
        memcpy(trace->rules, run->rules.data, run->rules.len * sizeof *trace->rules);
    if (!run->is_timed) return trace;
    trace_add_delays(run->model, trace, PARTS);
    if (run->rules.len)
        memcpy(trace->delays, run->delays.data, run->rules.len * sizeof *trace->delays);
    return trace;
}

/* What a property says of every state; false: it says nothing of the kind. */
static bool condition_of(const struct property_result *entry, expr *condition)
{
    *condition = entry->in_each_state ? entry->invariant : entry->safety;
    return entry->in_each_state || entry->has_safety;
}

static bool is_false_here(struct run *run, expr condition)
{
    int64_t value;
    return eval_expr(run->model, condition, last_state(run), &value) && !value;
}

static bool is_dead_end(struct run *run)
{
    bool stuck = run->is_timed ? timed_is_stuck(&run->timed) : !run->enabled_count;
    return stuck && !eval_is_final(run->model, last_state(run));
}

/* The first property that the last state violates, or NULL. Its entry gets the trace, as does one
 * that seeks this state. */
static struct property_result *find_violation(struct run *run)
{
    for (uint32_t i = 0; i < run->task.property_count; i++) {
        struct property_result *entry = &run->task.properties[i];
        expr condition;
        bool bad = entry->verdict == VERDICT_UNKNOWN && condition_of(entry, &condition);
        if (bad && entry->kind == PROPERTY_DEADLOCK) bad = is_dead_end(run);
        else if (bad && entry->kind == PROPERTY_RUNTIME_ERROR) bad = run->failed != MODEL_NONE;
        else if (bad) bad = is_false_here(run, condition);
        if (!bad) continue;
        entry->verdict = VERDICT_VIOLATED;
        entry->trace = to_trace(run);
        if (entry->kind == PROPERTY_RUNTIME_ERROR) entry->trace->failed_rule = run->failed;
        if (!entry->seeks) return entry;
    }
    return NULL;
}

static bool save(struct run *run, const char *path)
{
    FILE *file = session_open(run->session, path);
    if (!file) return false;
    struct trace *trace = to_trace(run);
    machine_itf(file, run->model, trace, NULL, run->session->options->raw);
    trace_free(run->model, trace);
    return session_close(file, path);
}

static void show_last(struct run *run)
{
    uint32_t steps = run->rules.len, vars = run->model->vars.len;
    char date[TRACE_TIME_ROOM];
    const struct trace times = {.delays = run->delays.data, .denominator = PARTS};
    if (run->is_timed) trace_time(date, run->model, &times, trace_date(&times, steps));
    report_step(&run->session->style, run->model, &run->session->diag, steps,
                steps ? run->rules.data[steps - 1] : MODEL_NONE,
                steps && run->is_timed ? date : NULL, steps ? last_state(run) - vars : NULL,
                last_state(run));
}

/* ---- random runs ---- */

/* What the runs say of each property: never that something always holds. */
static void conclude(struct run *run)
{
    for (uint32_t i = 0; i < run->task.property_count; i++) {
        struct property_result *entry = &run->task.properties[i];
        if (entry->verdict == VERDICT_VIOLATED) continue;
        entry->reason = entry->seeks ? "no run of the simulation reaches it, which proves nothing"
                        : entry->in_each_state
                            ? "no run of the simulation violates it, which proves nothing"
                            : "it is not checked: a simulation looks at single states";
    }
}

/* Everything that was sought has been found, and nothing else was asked. */
static bool is_over(const struct run *run)
{
    bool found = false;
    for (uint32_t i = 0; i < run->task.property_count; i++)
        found |= run->task.properties[i].seeks && run->task.properties[i].trace;
    return found && result_overall(run->task.properties, run->task.property_count) == VERDICT_HOLDS;
}

static bool tell_json(struct run *run, uint64_t runs, uint64_t steps,
                      const struct property_result *violation)
{
    struct options *options = run->session->options;
    FILE *file = options->json_file ? session_open(run->session, options->json_file) : stdout;
    const char *assurance =
        violation      ? "a run violates the property; a simulation proves nothing else: only the "
                         "states on its runs were checked"
        : is_over(run) ? "runs reach everything that was sought; a simulation proves nothing else: "
                         "only the states on its runs were checked"
                       : "a simulation proves nothing: only the states on its runs were checked";
    struct simulation told = {violation,
                              assurance,
                              violation ? options->trace_file : NULL,
                              options->seed,
                              runs,
                              steps,
                              !violation && is_over(run)};
    if (!file) return false;
    machine_simulation(file, run->model, &run->session->diag, &run->task, &told, options->raw);
    options->told = true; /* before that, memory may have been refused; once the object has begun it
                             is told whole */
    return session_close(file, options->json_file ? options->json_file : "standard output");
}

static void tell_text(struct run *run, uint64_t runs, uint64_t steps,
                      const struct property_result *violation, bool shown, bool early)
{
    char a[32], b[32];
    bool is_stuck =
        runs && !early && !run->enabled_count && (!run->is_timed || timed_is_stuck(&run->timed));
    if (violation && !shown)
        report_trace(&run->session->style, run->model, &run->session->diag, violation->trace);
    if (violation) report_reasons(&run->session->style, run->model, &run->session->diag, violation);
    if (violation)
        printf("%s is violated after %u steps of run %" PRIu64 ".\n", violation->property->name,
               run->rules.len, runs);
    else if (is_stuck)
        printf("Run %" PRIu64 " ends in a %s after %u steps.\n", runs,
               eval_is_final(run->model, last_state(run)) ? "final state" : "deadlock",
               run->rules.len);
    for (uint32_t i = 0; i < run->task.property_count; i++) {
        const struct property_result *entry = &run->task.properties[i];
        if (entry->seeks && entry->trace)
            printf("%s is reached after %u steps.\n", entry->property->name, entry->trace->steps);
        else if (!entry->in_each_state && entry != violation)
            printf("%s is not checked: a simulation looks at single states.\n",
                   entry->property->name);
    }
    printf("Seed %" PRIu64 ": %s run%s, %s steps%s\n", run->session->options->seed,
           text_count(a, runs), runs == 1 ? "" : "s", text_count(b, steps),
           violation ? "." : " without a violation, which proves nothing about the rest.");
}

/* What was done so far, also when a limit ends it. */
struct progress {
    uint64_t runs, steps;
    struct property_result *violation;
    bool has_no_start; /* an initial state could not be made */
    bool shows;
    bool is_cut; /* there is no last run */
};

static void run_some(struct run *run, struct progress *p)
{
    const struct options *options = run->session->options;
    while (p->runs < options->runs && !p->violation && !is_over(run)) {
        if (!random_initial(run)) {
            p->has_no_start = true;
            return;
        }
        p->runs++;
        if (p->shows) show_last(run);
        p->violation = find_violation(run);
        for (uint64_t i = 0;
             i < options->steps && run->enabled_count && !p->violation && !is_over(run); i++) {
            mem_look(run->model->mem);
            take(run, run->enabled[random_below(&run->random, run->enabled_count)]);
            p->steps++;
            if (p->shows) show_last(run);
            p->violation = find_violation(run);
        }
        mem_look(run->model->mem);
    }
}

/* Why the runs ended early; NULL: they did not. From now on, it is told. */
static const char *run_limited(struct run *run, struct progress *p)
{
    struct mem *mem = run->model->mem;
    jmp_buf recover, *const outer = mem->recover;
    const char *volatile why = NULL;
    if (setjmp(recover)) {
        why = stop_reason_text[result_why_refused()];
        p->is_cut =
            run->states.len < (run->rules.len + UINT64_C(1))
                                  * run->model->vars.len; /* not even its first state is whole */
        if (run->delays.len > run->rules.len)
            run->delays.len = run->rules.len; /* a step is noted last */
    } else {
        mem->recover = &recover;
        run_some(run, p);
    }
    mem->recover = outer;
    mem_lift(mem);
    deadline_tell();
    return why;
}

static int random_runs(struct run *run)
{
    struct options *options = run->session->options;
    struct progress done = {.shows = !options->quiet && !options->json && options->runs == 1};
    const char *early = run_limited(run, &done);
    struct property_result *violation = done.violation;
    const uint64_t runs = done.runs, steps = done.steps;
    const bool show = done.shows;
    if (done.has_no_start) return EXIT_USAGE;
    if (early) fprintf(stderr, "cairn: note: the runs ended early: %s\n", early);
    if (!search_verify_traces(run->model, &run->task)) return EXIT_INTERNAL;
    if (options->trace_file && !done.is_cut && !save(run, options->trace_file)) return EXIT_USAGE;
    conclude(run);
    if (options->json && !tell_json(run, runs, steps, violation)) return EXIT_USAGE;
    if (!options->json || options->json_file) tell_text(run, runs, steps, violation, show, early);
    if (!session_close(stdout, "standard output")) return EXIT_USAGE;
    return violation      ? EXIT_VIOLATED
           : is_over(run) ? EXIT_HOLDS
                          : EXIT_INCONCLUSIVE; /* runs prove nothing but what they reach */
}

/* ---- by hand ---- */

static void list_enabled(struct run *run)
{
    for (uint32_t i = 0; i < run->enabled_count; i++) {
        const struct model_rule *rule = &run->model->rules.data[run->enabled[i]];
        struct place place = run->model->parts.data[rule->first_part].place;
        struct text text;
        text_init(&text, run->model->mem);
        report_participants(run->model, &text, run->enabled[i]);
        printf("  %3u: %s%s%s  %s:%u\n", i + 1, rule->label, text.len ? "  by " : "",
               text.len ? text.data : "", diag_source_name(&run->session->diag, place), place.line);
        text_free(&text);
    }
    if (!run->enabled_count && eval_is_final(run->model, last_state(run)))
        puts("  the end: no rule is enabled, and the state is final");
    else if (!run->enabled_count) {
        struct text text;
        text_init(&text, run->model->mem);
        explain_deadlock(run->model, &run->session->diag, &text, last_state(run), NULL);
        printf("  deadlock: no rule is enabled\n%s", text.data ? text.data : "");
        text_free(&text);
    }
}

static void show_failure(struct run *run)
{
    struct eval_failure failure = {0};
    struct text text;
    text_init(&text, run->model->mem);
    eval_rule_alone(run->model, run->failed, last_state(run), run->scratch, &failure);
    explain_reason(&text, &failure);
    printf("  ! the step [%s] fails here: %s\n", run->model->rules.data[run->failed].label,
           text.data);
    text_free(&text);
}

static void show_violations(struct run *run)
{
    for (uint32_t i = 0; i < run->task.property_count; i++) {
        struct property_result *entry = &run->task.properties[i];
        bool built_in = entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR;
        expr condition;
        if (built_in || !condition_of(entry, &condition) || !is_false_here(run, condition))
            continue;
        printf("  ! %s is %s here: %s\n", entry->property->name,
               entry->seeks ? "reached" : "violated", entry->property->text);
    }
    if (run->failed != MODEL_NONE) show_failure(run);
}

static void show_all(struct run *run)
{
    struct report_style style = run->session->style;
    style.full = true;
    report_step(&style, run->model, &run->session->diag, run->rules.len, MODEL_NONE, NULL, NULL,
                last_state(run));
}

static const char interactive_help[] =
    "  NUMBER  take that step          Enter   a random step\n"
    "  u       undo the last step      r       restart\n"
    "  s       show all variables      l       list the steps again\n"
    "  t       show the whole run      w FILE  save the run as ITF\n"
    "  q       quit                    ?       this help\n";

/* One line of input. False: the end. */
static bool obey(struct run *run, char *line)
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
        if (!run->enabled_count) return printf("  no rule is enabled\n"), true;
        if (*line && number > run->enabled_count)
            return printf("  there is no step %lu\n", number), true;
        take(run,
             run->enabled[*line ? number - 1 : random_below(&run->random, run->enabled_count)]);
        show_last(run);
        show_violations(run);
        list_enabled(run);
        return true;
    }
    switch (line[0]) {
    case 'q': return false;
    case 'u':
        if (!run->rules.len) return printf("  this is the initial state\n"), true;
        run->rules.len--;
        run->states.len -= run->model->vars.len;
        find_enabled(run);
        break;
    case 'r': random_initial(run); break;
    case 's': show_all(run); return true;
    case 'l': break;
    case 't': {
        struct trace *trace = to_trace(run);
        report_trace(&run->session->style, run->model, &run->session->diag, trace);
        trace_free(run->model, trace);
        return true;
    }
    case 'w':
        for (line++; *line == ' ';) line++;
        if (!*line) printf("  w needs a file name\n");
        else if (save(run, line)) printf("  saved %u steps in %s\n", run->rules.len, line);
        return true;
    case '?': fputs(interactive_help, stdout); return true;
    default: printf("  there is no command '%.40s'\n%s", line, interactive_help); return true;
    }
    show_last(run);
    show_violations(run);
    list_enabled(run);
    return true;
}

static int interactive(struct run *run)
{
    char line[4096];
    deadline_tell(); /* who chooses the steps has time */
    mem_lift(run->model->mem);
    random_initial(run);
    printf("%s: type a number, or ? for help\n", run->model->file);
    show_last(run);
    show_violations(run);
    list_enabled(run);
    for (;;) {
        fputs("> ", stdout);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || limits_interrupted || !obey(run, line)) break;
    }
    if (run->session->options->trace_file && !save(run, run->session->options->trace_file))
        return EXIT_USAGE;
    return session_close(stdout, "standard output") ? EXIT_HOLDS : EXIT_USAGE;
}

int simulate_run(struct options *options, struct mem *mem)
{
    struct session session;
    struct run run = {.session = &session, .random = {options->seed}};
    session_init(&session, options, mem);
    if (!session_load(&session, options->file)) return session.status;
    run.model = session.model;
    if (!session_properties(&session, &run.task)) return EXIT_USAGE;
    run.is_timed = model_is_timed(run.model);
    if (run.is_timed && options->interactive) {
        fprintf(stderr,
                "cairn: error: %s is a timed model: it is simulated at random only, without "
                "--interactive\n",
                run.model->file);
        return EXIT_USAGE;
    }
    if (options->json && options->interactive) {
        fputs("cairn: error: --interactive has no result to print as JSON: without --json\n",
              stderr);
        return EXIT_USAGE;
    }
    timed_init(&run.timed, run.model, PARTS);
    session_prepare(&session, &run.task);
    run.enabled = mem_alloc(mem, (run.model->rules.len + UINT64_C(1)) * sizeof *run.enabled);
    run.scratch = mem_alloc(mem, (run.model->vars.len + 1) * sizeof *run.scratch);
    return options->interactive ? interactive(&run) : random_runs(&run);
}
