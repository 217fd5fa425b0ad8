/* libcairn as a program sees it: the order of calls, answers, runs, steps, diagnostics, limits, and
 * several at the same time. */
#include <cairn.h>

#include "unit/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Two counters up to 3. */
static const char counters[] = "cairn 1\n"
                               "model \"counters\"\n"
                               "source \"counters\"\n"
                               "variable \"x\" 0..3 = 0 at 1:1\n"
                               "variable \"y\" 0..3 = 0 at 2:1\n"
                               "rule \"right\"\n"
                               "  part global at 3:1\n"
                               "    when (lt \"x\" 3) at 3:1\n"
                               "  set \"x\" (add 2 \"x\" 1) at 3:1\n"
                               "rule \"up\"\n"
                               "  part global at 4:1\n"
                               "    when (lt \"y\" 3) at 4:1\n"
                               "  set \"y\" (add 2 \"y\" 1) at 4:1\n"
                               "property \"apart\" invariant at 5:1\n"
                               "  text \"x < 2 or y < 2\"\n"
                               "  formula (or (lt \"x\" 2) (lt \"y\" 2))\n";

static struct cairn *load(struct unit *unit)
{
    struct cairn *cairn = cairn_new();
    CHECK(unit, cairn && cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE);
    return cairn;
}

static void answers(struct unit *unit)
{
    struct cairn *cairn = cairn_new();
    struct cairn_property property;
    CHECK(unit, cairn_ask_property(cairn, "apart"));
    CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE);
    CHECK(unit, cairn_check(cairn) == CAIRN_DONE);
    CHECK(unit, cairn_verdict(cairn) == CAIRN_VIOLATED);
    CHECK(unit, cairn_property(cairn, 0, &property) && !strcmp(property.name, "apart"));
    CHECK(unit, property.verdict == CAIRN_VIOLATED && property.has_run && property.steps == 4);
    CHECK(unit, !strcmp(cairn_run_state(cairn, 0, 0), "x = 0, y = 0"));
    CHECK(unit, !strcmp(cairn_run_state(cairn, 0, 4), "x = 2, y = 2"));
    CHECK(unit, !strcmp(cairn_run_label(cairn, 0, 4), "up"));
    CHECK(unit, !cairn_run_label(cairn, 0, 5) && !cairn_run_state(cairn, 7, 0));
    CHECK(unit, !cairn_run_label(cairn, 0, 0));
    CHECK(unit, strstr(cairn_json(cairn), "\"verdict\": \"violated\""));
    CHECK(unit, cairn_json(cairn) == cairn_json(cairn));
    cairn_free(cairn);
    cairn = load(unit);
    CHECK(unit, cairn_explore(cairn) == CAIRN_DONE && cairn_is_complete(cairn));
    CHECK(unit, cairn_states(cairn) == 16 && cairn_transitions(cairn) == 24);
    CHECK(unit, strstr(cairn_assurance(cairn), "all 16 reachable states were visited"));
    CHECK(unit, cairn_verdict(cairn) == CAIRN_UNKNOWN && !cairn_property_count(cairn));
    cairn_free(cairn);
}

static void several(struct unit *unit)
{
    struct cairn *cairn = cairn_new();
    struct cairn_property property;
    CHECK(unit, cairn_use_traces(cairn, 3));
    CHECK(unit, cairn_ask_formula(cairn, CAIRN_FIND, "(eq (add 3 \"x\" \"y\") 3)"));
    CHECK(unit, cairn_ask_property(cairn, "find[0]"));
    CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE);
    CHECK(unit, !cairn_use_traces(cairn, 2));
    CHECK(unit, cairn_check(cairn) == CAIRN_DONE);
    CHECK(unit, cairn_property(cairn, 0, &property) && property.runs == 3 && property.steps == 3);
    CHECK(unit, !strcmp(cairn_run_state(cairn, 0, 3), "x = 3, y = 0"));
    cairn_choose_run(cairn, 2);
    CHECK(unit, !strcmp(cairn_run_state(cairn, 0, 3), "x = 1, y = 2"));
    cairn_choose_run(cairn, 3);
    CHECK(unit, !cairn_run_state(cairn, 0, 0) && !cairn_run_label(cairn, 0, 1));
    cairn_free(cairn);
}

static void engines(struct unit *unit)
{
    for (unsigned engine = CAIRN_AUTO; engine <= CAIRN_TIMED; engine++) {
        struct cairn *cairn = cairn_new();
        CHECK(unit, cairn_use_engine(cairn, (enum cairn_engine)engine));
        CHECK(unit, cairn_use_threads(cairn, 2)); /* nobody is forked for it */
        CHECK(unit, cairn_ask_property(cairn, "apart"));
        CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE);
        CHECK(unit, cairn_check(cairn) == CAIRN_DONE && cairn_verdict(cairn) == CAIRN_VIOLATED);
        cairn_free(cairn);
    }
}

static void steps(struct unit *unit)
{
    struct cairn *cairn = load(unit);
    CHECK(unit, !cairn_state(cairn) && !cairn_step_count(cairn));
    CHECK(unit, cairn_start(cairn, 1) == CAIRN_DONE && cairn_step_count(cairn) == 2);
    CHECK(unit, !strcmp(cairn_step_label(cairn, 1), "up") && !cairn_step_label(cairn, 2));
    CHECK(unit, cairn_step(cairn, 1) == CAIRN_DONE && cairn_step(cairn, 0) == CAIRN_DONE);
    CHECK(unit, !strcmp(cairn_state(cairn), "x = 1, y = 1"));
    CHECK(unit, cairn_undo(cairn) == CAIRN_DONE);
    CHECK(unit, !strcmp(cairn_state(cairn), "x = 0, y = 1"));
    CHECK(unit, cairn_undo(cairn) == CAIRN_DONE && cairn_undo(cairn) == CAIRN_MISUSE);
    CHECK(unit, cairn_step(cairn, 2) == CAIRN_MISUSE);
    for (unsigned i = 0; i < 6; i++) CHECK(unit, cairn_step(cairn, 0) == CAIRN_DONE);
    CHECK(unit, !cairn_step_count(cairn) && cairn_start(cairn, 2) == CAIRN_DONE);
    CHECK(unit, cairn_step_count(cairn) == 2);
    CHECK(unit, cairn_check(cairn) == CAIRN_MISUSE); /* steps instead of a search */
    cairn_free(cairn);
}

static void order_of_calls(struct unit *unit)
{
    struct cairn *cairn = cairn_new();
    CHECK(unit, cairn_check(cairn) == CAIRN_MISUSE && cairn_start(cairn, 1) == CAIRN_MISUSE);
    CHECK(unit, !cairn_json(cairn) && !*cairn_assurance(cairn));
    CHECK(unit, cairn_states(cairn) == UINT64_MAX && !cairn_diagnostic_count(cairn));
    CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE);
    CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_MISUSE);
    CHECK(unit, !cairn_define(cairn, "n", 3) && !cairn_ask_property(cairn, "apart"));
    CHECK(unit, !cairn_limit_seconds(cairn, 1) && !cairn_limit_memory(cairn, 1));
    CHECK(unit, cairn_check(cairn) == CAIRN_DONE && cairn_check(cairn) == CAIRN_MISUSE);
    cairn_free(cairn);
    cairn_free(NULL);
}

static void mistakes(struct unit *unit)
{
    struct cairn *cairn = cairn_new();
    struct cairn_diagnostic one;
    CHECK(unit, cairn_load(cairn, "/nowhere/there.mil") == CAIRN_MISTAKE);
    CHECK(unit, cairn_diagnostic(cairn, 0, &one) && one.severity == CAIRN_ERROR);
    CHECK(unit, !strcmp(one.file, "/nowhere/there.mil") && !one.line && strstr(one.text, "open"));
    CHECK(unit, !strcmp(one.code, "file"));
    cairn_free(cairn);
    cairn = cairn_new();
    CHECK(unit,
          cairn_load_text(cairn, "x.cairn", "cairn 1\nmodel \"x\"\nnonsense\n") == CAIRN_MISTAKE);
    CHECK(unit, cairn_diagnostic(cairn, 0, &one) && !strcmp(one.file, "x.cairn"));
    CHECK(unit, one.line == 3 && one.column == 1);
    CHECK(unit, cairn_check(cairn) == CAIRN_MISUSE);
    cairn_free(cairn);
    cairn = cairn_new();
    CHECK(unit, cairn_ask_property(cairn, "apar"));
    CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE);
    CHECK(unit, cairn_check(cairn) == CAIRN_MISTAKE && cairn_diagnostic(cairn, 0, &one));
    CHECK(unit, !one.file && strstr(one.text, "did you mean 'apart'?"));
    CHECK(unit, !cairn_diagnostic(cairn, 1, &one));
    cairn_free(cairn);
    cairn = cairn_new();
    CHECK(unit, cairn_use_engine(cairn, CAIRN_BOUNDED));
    CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE);
    CHECK(unit, cairn_explore(cairn) == CAIRN_MISTAKE && cairn_diagnostic(cairn, 0, &one));
    CHECK(unit, strstr(one.text, "counts no states"));
    cairn_free(cairn);
}

static void limits(struct unit *unit)
{
    struct cairn *cairn = cairn_new();
    CHECK(unit, cairn_limit_memory(cairn, 1000));
    CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_LIMIT);
    CHECK(unit, cairn_check(cairn) == CAIRN_MISUSE);
    cairn_free(cairn);
    cairn = load(unit);
    cairn_interrupt(cairn);
    CHECK(unit, cairn_check(cairn) == CAIRN_DONE);
    cairn_free(cairn);
}

static void *run_one(void *nothing)
{
    struct cairn *cairn = cairn_new();
    bool good = cairn && cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE
                && cairn_explore(cairn) == CAIRN_DONE && cairn_states(cairn) == 16;
    cairn_free(cairn);
    return good ? nothing : NULL;
}

static void at_the_same_time(struct unit *unit)
{
    enum { COUNT = 4 };
    pthread_t threads[COUNT];
    void *good;
    for (unsigned i = 0; i < COUNT; i++) pthread_create(&threads[i], NULL, run_one, unit);
    for (unsigned i = 0; i < COUNT; i++) {
        pthread_join(threads[i], &good);
        CHECK(unit, good);
    }
}

/* Explanations, advice, pages, runs as text. */
static void told_in_words(struct unit *unit)
{
    struct cairn *cairn = cairn_new();
    struct cairn_advice advice;
    CHECK(unit, cairn_use_shortest(cairn));
    CHECK(unit, cairn_load_text(cairn, "counters.cairn", counters) == CAIRN_DONE);
    CHECK(unit, !cairn_page(cairn) && !cairn_run_why(cairn, 0) && !cairn_json(cairn));
    CHECK(unit, cairn_check(cairn) == CAIRN_DONE);
    CHECK(unit, strstr(cairn_run_why(cairn, 0), "x < 2 is false: x = 2"));
    CHECK(unit, cairn_run_loop(cairn, 0) == UINT32_MAX && !cairn_run_why(cairn, 77));
    CHECK(unit, strstr(cairn_page(cairn), "<!doctype html>") && cairn_page(cairn));
    CHECK(unit, strstr(cairn_run_text(cairn, 0, CAIRN_ITF), "\"format\": \"ITF\""));
    CHECK(unit, strstr(cairn_run_text(cairn, 0, CAIRN_VCD), "$enddefinitions"));
    CHECK(unit, !cairn_run_text(cairn, 77, CAIRN_VCD) && !cairn_use_shortest(cairn));
    CHECK(unit, !cairn_advice_count(cairn) && !cairn_advice(cairn, 0, &advice));
    CHECK(unit, !cairn_state_why(cairn) && !cairn_conform_passed(cairn));
    cairn_free(cairn);
    cairn = load(unit);
    cairn_interrupt(cairn);
    CHECK(unit, cairn_check(cairn) == CAIRN_DONE && !cairn_is_complete(cairn));
    CHECK(unit, cairn_advice(cairn, 0, &advice) == (cairn_advice_count(cairn) > 0));
    CHECK(unit, !cairn_advice_count(cairn) || (*advice.why && *advice.options));
    cairn_free(cairn);
    cairn = load(unit);
    CHECK(unit, cairn_start(cairn, 1) == CAIRN_DONE);
    CHECK(unit, strstr(cairn_state_why(cairn), "[right] at counters:3 is possible"));
    while (cairn_step_count(cairn)) CHECK(unit, cairn_step(cairn, 0) == CAIRN_DONE);
    CHECK(unit, strstr(cairn_state_why(cairn), "x < 3 is false: x = 3"));
    cairn_free(cairn);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file) fputs(text, file), fclose(file);
}

/* Logs against the model. */
static void logs(struct unit *unit)
{
    static const struct {
        const char *log;
        enum cairn_verdict verdict;
        uint32_t passed;
    } cases[] = {
        {"{\"label\": \"up\"}\n{\"label\": \"right\"}\n", CAIRN_HOLDS, 2},
        {"{\"label\": \"up\"}\n{\"state\": {\"x\": 2}, \"label\": \"right\"}\n", CAIRN_VIOLATED, 1},
        {"", CAIRN_HOLDS, 0}};
    char model[64], log[64];
    snprintf(model, sizeof model, "/tmp/cairn-unit-%ld.cairn", (long)getpid());
    snprintf(log, sizeof log, "/tmp/cairn-unit-%ld.jsonl", (long)getpid());
    write_file(model, counters);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cairn *cairn = cairn_new();
        write_file(log, cases[i].log);
        CHECK(unit, cairn_use_log(cairn, i ? NULL : "right", false, NULL));
        CHECK(unit, cairn_conform(cairn, model, log) == CAIRN_DONE);
        CHECK(unit, cairn_verdict(cairn) == cases[i].verdict);
        CHECK(unit, cairn_conform_passed(cairn) == cases[i].passed);
        CHECK(unit, *cairn_assurance(cairn) && strstr(cairn_json(cairn), "\"conform\""));
        CHECK(unit, cairn_conform(cairn, model, log) == CAIRN_MISUSE && !cairn_page(cairn));
        cairn_free(cairn);
    }
    struct cairn *cairn = cairn_new();
    CHECK(unit, cairn_conform(cairn, model, "/nonexistent/log") == CAIRN_MISTAKE);
    CHECK(unit, cairn_diagnostic_count(cairn) == 1);
    cairn_free(cairn);
    remove(model);
    remove(log);
}

int main(void)
{
    struct unit unit = {0};
    CHECK(&unit, *cairn_version());
    answers(&unit);
    several(&unit);
    engines(&unit);
    steps(&unit);
    order_of_calls(&unit);
    mistakes(&unit);
    limits(&unit);
    told_in_words(&unit);
    logs(&unit);
    at_the_same_time(&unit);
    return unit_finish(&unit);
}
