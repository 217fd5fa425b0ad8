/* The library is a door like the command line: it fills an ask, calls run/, and hands out what is
 * in the result. Memory that is refused jumps back to the call that needed it (guard); after that
 * the model is of no use any more, and only what was told before is left.
 *
 * Invariants: (1) stages come in order, and each call knows its own; (2) between calls there is no
 * recovery point. */
#include <cairn.h>

#include "base/version.h"
#include "report/conform.h"
#include "report/explain.h"
#include "report/machine.h"
#include "report/page.h"
#include "report/vcd.h"
#include "result/value.h"
#include "run/combine.h"
#include "run/decide.h"
#include "run/load.h"
#include "run/message.h"
#include "run/stepper.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum stage {
    STAGE_ASKING,
    STAGE_LOADED,
    STAGE_STEPPING,
    STAGE_ANSWERED,
    STAGE_CONFORMED, /* the answer is about a log */
    STAGE_SPENT
};

struct cairn {
    struct mem mem;
    struct ask ask;
    struct door door;
    struct session session;
    struct task task;
    struct result result;
    struct stepper stepper;
    struct diag given; /* the text of cairn_load_text */
    enum stage stage;
    bool has_session, has_steps;
    uint32_t run; /* of each property, the one that is told */
    atomic_int interrupted;
    struct conform conform;
    char *json, *page, *run_text; /* of malloc */
};

/* ---- calls ---- */

typedef enum cairn_status deed_of(struct cairn *cairn, const void *argument);

static enum cairn_status guard(struct cairn *cairn, deed_of *deed, const void *argument)
{
    jmp_buf recover;
    assert(!cairn->mem.recover); /* invariant 2 */
    if (setjmp(recover)) {
        cairn->mem.recover = NULL;
        cairn->stage = STAGE_SPENT;
        return CAIRN_LIMIT;
    }
    cairn->mem.recover = &recover;
    enum cairn_status status = deed(cairn, argument);
    cairn->mem.recover = NULL;
    return status;
}

/* Of something that failed. */
static enum cairn_status failure(struct cairn *cairn, int exit_status)
{
    cairn->stage = STAGE_SPENT;
    return exit_status == EXIT_INTERNAL       ? CAIRN_BUG
           : exit_status == EXIT_INCONCLUSIVE ? CAIRN_LIMIT
                                              : CAIRN_MISTAKE;
}

const char *cairn_version(void) { return CAIRN_VERSION; }

struct cairn *cairn_new(void)
{
    struct cairn *cairn = calloc(1, sizeof *cairn);
    if (!cairn) return NULL;
    mem_init(&cairn->mem);
    ask_init(&cairn->ask);
    cairn->ask.command = ASK_CHECK;
    return cairn;
}

void cairn_free(struct cairn *cairn)
{
    if (!cairn) return;
    free(cairn->json);
    free(cairn->page);
    free(cairn->run_text);
    mem_release(&cairn->mem);
    free(cairn);
}

/* ---- what is asked ---- */

static const char *copy(struct cairn *cairn, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(mem_alloc(&cairn->mem, size), text, size);
}

static enum cairn_status define(struct cairn *cairn, const void *given)
{
    const struct language_define *define = given;
    vec_push(&cairn->mem, &cairn->ask.defines,
             ((struct language_define){.name = copy(cairn, define->name), .value = define->value}));
    return CAIRN_DONE;
}

static enum cairn_status use_context(struct cairn *cairn, const void *file)
{
    cairn->ask.context = copy(cairn, file);
    return CAIRN_DONE;
}

static enum cairn_status use_guide(struct cairn *cairn, const void *file)
{
    cairn->ask.guide = copy(cairn, file);
    return CAIRN_DONE;
}

static enum cairn_status ask_property(struct cairn *cairn, const void *name)
{
    vec_push(&cairn->mem, &cairn->ask.properties, copy(cairn, name));
    return CAIRN_DONE;
}

static enum cairn_status ask_hidden(struct cairn *cairn, const void *names)
{
    vec_push(&cairn->mem, &cairn->ask.hidden, copy(cairn, names));
    return CAIRN_DONE;
}

static enum cairn_status ask_shown(struct cairn *cairn, const void *text)
{
    vec_push(&cairn->mem, &cairn->ask.shown, copy(cairn, text));
    return CAIRN_DONE;
}

static enum cairn_status ask_formula(struct cairn *cairn, const void *given)
{
    const struct ask_formula *asked = given;
    vec_push(&cairn->mem, &cairn->ask.formulas,
             ((struct ask_formula){asked->kind, copy(cairn, asked->text)}));
    return CAIRN_DONE;
}

static bool ask(struct cairn *cairn, deed_of *deed, const void *given)
{
    return cairn->stage == STAGE_ASKING && guard(cairn, deed, given) == CAIRN_DONE;
}

bool cairn_define(struct cairn *cairn, const char *constant, int64_t value)
{
    return ask(cairn, define, &(struct language_define){.name = constant, .value = value});
}

bool cairn_use_context(struct cairn *cairn, const char *file)
{
    return ask(cairn, use_context, file);
}

bool cairn_use_guide(struct cairn *cairn, const char *file) { return ask(cairn, use_guide, file); }

bool cairn_use_engine(struct cairn *cairn, enum cairn_engine engine)
{
    static const enum engine engines_of[] = {[CAIRN_AUTO] = ENGINE_AUTO,
                                             [CAIRN_EXPLICIT] = ENGINE_EXPLICIT,
                                             [CAIRN_SYMBOLIC] = ENGINE_SYMBOLIC,
                                             [CAIRN_BOUNDED] = ENGINE_BOUNDED,
                                             [CAIRN_TIMED] = ENGINE_TIMED};
    if (cairn->stage != STAGE_ASKING || engine > CAIRN_TIMED) return false;
    cairn->ask.engine = engines_of[engine];
    return true;
}

bool cairn_use_threads(struct cairn *cairn, unsigned threads)
{
    cairn->ask.threads = cairn->stage == STAGE_ASKING ? threads : cairn->ask.threads;
    return cairn->stage == STAGE_ASKING;
}

bool cairn_use_traces(struct cairn *cairn, unsigned runs)
{
    cairn->ask.traces = cairn->stage == STAGE_ASKING ? runs : cairn->ask.traces;
    return cairn->stage == STAGE_ASKING;
}

bool cairn_use_shortest(struct cairn *cairn)
{
    cairn->ask.shortest |= cairn->stage == STAGE_ASKING;
    return cairn->stage == STAGE_ASKING;
}

bool cairn_ask_property(struct cairn *cairn, const char *name)
{
    return ask(cairn, ask_property, name);
}

bool cairn_hide(struct cairn *cairn, const char *names) { return ask(cairn, ask_hidden, names); }

bool cairn_show_expression(struct cairn *cairn, const char *text)
{
    return ask(cairn, ask_shown, text);
}

bool cairn_ask_formula(struct cairn *cairn, enum cairn_logic logic, const char *text)
{
    static const enum property_kind kinds[] = {[CAIRN_CTL] = PROPERTY_CTL,
                                               [CAIRN_LTL] = PROPERTY_LTL,
                                               [CAIRN_INVARIANT] = PROPERTY_INVARIANT,
                                               [CAIRN_FIND] = PROPERTY_REACH};
    return logic <= CAIRN_FIND
           && ask(cairn, ask_formula, &(struct ask_formula){kinds[logic], text});
}

bool cairn_limit_memory(struct cairn *cairn, uint64_t bytes)
{
    cairn->ask.memory = cairn->stage == STAGE_ASKING ? bytes : cairn->ask.memory;
    return cairn->stage == STAGE_ASKING;
}

bool cairn_limit_seconds(struct cairn *cairn, double seconds)
{
    cairn->ask.time = cairn->stage == STAGE_ASKING ? seconds : cairn->ask.time;
    return cairn->stage == STAGE_ASKING;
}

/* ---- the model ---- */

struct named_text {
    const char *file, *text;
};

static enum cairn_status load(struct cairn *cairn, const void *given)
{
    const struct named_text *source = given;
    struct session *session = &cairn->session;
    if (cairn->stage != STAGE_ASKING) return CAIRN_MISUSE;
    cairn->ask.file = copy(cairn, source->file);
    session_init(session, &cairn->ask, &cairn->mem, &cairn->door);
    session->interrupted = &cairn->interrupted;
    cairn->has_session = true;
    diag_init(&cairn->given, &cairn->mem);
    if (source->text)
        diag_add_source(&cairn->given, cairn->ask.file, copy(cairn, source->text),
                        strlen(source->text));
    session->known = &cairn->given;
    if (!load_model(session, cairn->ask.file)) return failure(cairn, session->status);
    cairn->stage = STAGE_LOADED;
    return CAIRN_DONE;
}

enum cairn_status cairn_load(struct cairn *cairn, const char *file)
{
    return guard(cairn, load, &(struct named_text){file, NULL});
}

enum cairn_status cairn_load_text(struct cairn *cairn, const char *file, const char *text)
{
    return guard(cairn, load, &(struct named_text){file, text});
}

/* ---- a search ---- */

static enum cairn_status search(struct cairn *cairn, const void *given)
{
    const enum ask_command *command = given;
    const struct combine_words words = {*command == ASK_CHECK ? "check" : "explore", "MODEL"};
    struct text why;
    int status;
    if (cairn->stage != STAGE_LOADED) return CAIRN_MISUSE;
    assert(cairn->has_session && cairn->session.model); /* invariant 1 */
    cairn->ask.command = *command;
    text_init(&why, &cairn->mem);
    if (!combine_check(&cairn->ask, &words, &why)) {
        message_error(&cairn->session.diag, "%s", why.data);
        return failure(cairn, EXIT_USAGE);
    }
    if (decide_run(&cairn->session, &cairn->task, &cairn->result, &status) != DECIDE_RESULT)
        return failure(cairn, status);
    cairn->stage = STAGE_ANSWERED;
    return CAIRN_DONE;
}

enum cairn_status cairn_check(struct cairn *cairn)
{
    return guard(cairn, search, &(enum ask_command){ASK_CHECK});
}

enum cairn_status cairn_explore(struct cairn *cairn)
{
    return guard(cairn, search, &(enum ask_command){ASK_EXPLORE});
}

void cairn_interrupt(struct cairn *cairn) { cairn->interrupted = 1; }

/* ---- the answer ---- */

static bool is_answered(const struct cairn *cairn) { return cairn->stage == STAGE_ANSWERED; }

static enum cairn_verdict verdict_of(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS      ? CAIRN_HOLDS
           : verdict == VERDICT_VIOLATED ? CAIRN_VIOLATED
                                         : CAIRN_UNKNOWN;
}

enum cairn_verdict cairn_verdict(const struct cairn *cairn)
{
    const struct task *task = &cairn->task;
    if (cairn->stage == STAGE_CONFORMED)
        return !cairn->conform.is_known  ? CAIRN_UNKNOWN
               : cairn->conform.conforms ? CAIRN_HOLDS
                                         : CAIRN_VIOLATED;
    if (!is_answered(cairn) || !task->property_count) return CAIRN_UNKNOWN;
    return verdict_of(result_overall(task->properties, task->property_count));
}

bool cairn_is_complete(const struct cairn *cairn)
{
    return is_answered(cairn) && cairn->result.complete;
}

static enum cairn_status make_sentence(struct cairn *cairn, const void *text)
{
    struct text *to = *(struct text *const *)text;
    if (cairn->stage == STAGE_CONFORMED)
        text_add(to, "%s", conform_assurance(&cairn->session, &cairn->conform));
    else conclude_sentence(to, cairn->session.model, &cairn->task, &cairn->result);
    return CAIRN_DONE;
}

const char *cairn_assurance(struct cairn *cairn)
{
    struct text text, *const to = &text;
    text_init(&text, &cairn->mem);
    if (!is_answered(cairn) && cairn->stage != STAGE_CONFORMED) return "";
    return guard(cairn, make_sentence, &to) == CAIRN_DONE ? text.data : "";
}

uint64_t cairn_states(const struct cairn *cairn)
{
    const struct result *result = &cairn->result;
    bool known = is_answered(cairn) && !result->exact.states && !result->bounded;
    return known ? result->states : UINT64_MAX;
}

uint64_t cairn_transitions(const struct cairn *cairn)
{
    const struct result *result = &cairn->result;
    bool known = is_answered(cairn) && !result->exact.transitions && !result->no_transitions
                 && !result->bounded;
    return known ? result->transitions : UINT64_MAX;
}

static const char *command_of(const struct cairn *cairn)
{
    return cairn->ask.command == ASK_CHECK ? "check" : "explore";
}

static enum cairn_status write_json(struct cairn *cairn, const void *out)
{
    FILE *file = *(FILE *const *)out;
    if (cairn->stage == STAGE_CONFORMED)
        conform_json(file, &cairn->session, &cairn->conform, NULL, false);
    else
        machine_result(file, command_of(cairn), cairn->session.model, &cairn->session.diag,
                       &cairn->task, &cairn->result,
                       &(struct machine_form){.advice = cairn->session.advice.data,
                                              .advice_count = cairn->session.advice.len});
    return CAIRN_DONE;
}

static enum cairn_status write_page(struct cairn *cairn, const void *out)
{
    const struct page page = {.command = command_of(cairn),
                              .session = &cairn->session,
                              .task = &cairn->task,
                              .result = &cairn->result};
    page_one(*(FILE *const *)out, &page);
    return CAIRN_DONE;
}

/* What the deed writes, of malloc; NULL: there is no memory. */
static char *written(struct cairn *cairn, deed_of *deed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    bool good = guard(cairn, deed, &out) == CAIRN_DONE && !ferror(out);
    if (!fclose(out) && good) return text;
    free(text);
    return NULL;
}

const char *cairn_json(struct cairn *cairn)
{
    const bool has_answer = is_answered(cairn) || cairn->stage == STAGE_CONFORMED;
    if (has_answer && !cairn->json) cairn->json = written(cairn, write_json);
    return cairn->json;
}

const char *cairn_page(struct cairn *cairn)
{
    if (is_answered(cairn) && !cairn->page) cairn->page = written(cairn, write_page);
    return cairn->page;
}

uint32_t cairn_advice_count(const struct cairn *cairn)
{
    return is_answered(cairn) ? cairn->session.advice.len : 0;
}

bool cairn_advice(const struct cairn *cairn, uint32_t number, struct cairn_advice *advice)
{
    if (number >= cairn_advice_count(cairn)) return false;
    const struct advice *one = &cairn->session.advice.data[number];
    *advice = (struct cairn_advice){.why = one->why, .options = one->command};
    return true;
}

/* ---- properties and their runs ---- */

uint32_t cairn_property_count(const struct cairn *cairn)
{
    return is_answered(cairn) ? cairn->task.property_count : 0;
}

bool cairn_property(const struct cairn *cairn, uint32_t number, struct cairn_property *property)
{
    if (number >= cairn_property_count(cairn)) return false;
    const struct property_result *entry = &cairn->task.properties[number];
    *property = (struct cairn_property){.name = entry->property->name,
                                        .text = entry->property->text,
                                        .verdict = verdict_of(result_answer(entry)),
                                        .reason = entry->reason,
                                        .has_run = entry->trace,
                                        .steps = entry->trace ? entry->trace->steps : 0,
                                        .runs = entry->trace ? entry->further_count + 1 : 0};
    return true;
}

static const struct trace *run_of(const struct cairn *cairn, uint32_t property, uint32_t step)
{
    if (property >= cairn_property_count(cairn)) return NULL;
    const struct property_result *entry = &cairn->task.properties[property];
    const uint32_t run = cairn->run;
    const struct trace *trace = !run                          ? entry->trace
                                : run <= entry->further_count ? entry->further[run - 1].trace
                                                              : NULL;
    return trace && step <= trace->steps ? trace : NULL;
}

void cairn_choose_run(struct cairn *cairn, uint32_t number) { cairn->run = number; }

const char *cairn_run_label(struct cairn *cairn, uint32_t property, uint32_t step)
{
    const struct trace *trace = run_of(cairn, property, step);
    return trace && step ? cairn->session.model->rules.data[trace->rules[step - 1]].label : NULL;
}

/* A state as text. */
struct telling {
    const struct trace *trace; /* NULL: the last state of the steps */
    uint32_t step;
    struct text text;
};

static void add_state(struct text *text, const struct model *model, const int64_t *state)
{
    for (struct shown at = shown_first(model, false); at.cells;
         at = shown_next(model, false, &at)) {
        text_add(text, "%s%s = ", text->len ? ", " : "", at.name);
        value_text(text, model, false, &at, state);
    }
}

static enum cairn_status tell_state(struct cairn *cairn, const void *given)
{
    struct telling *telling = *(struct telling *const *)given;
    const struct model *model = cairn->session.model;
    struct trace_walk walk;
    text_init(&telling->text, &cairn->mem);
    text_add(&telling->text, "%s", ""); /* a model may have no variables */
    if (!telling->trace) {
        add_state(&telling->text, model, stepper_last(&cairn->stepper));
        return CAIRN_DONE;
    }
    bool good = trace_walk_start(&walk, model, telling->trace);
    while (good && walk.at < telling->step) good = trace_walk_step(&walk);
    if (good) add_state(&telling->text, model, walk.state);
    trace_walk_end(&walk);
    return good ? CAIRN_DONE : CAIRN_BUG;
}

const char *cairn_run_state(struct cairn *cairn, uint32_t property, uint32_t step)
{
    struct telling telling = {.trace = run_of(cairn, property, step), .step = step}, *const to =
                                                                                         &telling;
    if (!telling.trace) return NULL;
    return guard(cairn, tell_state, &to) == CAIRN_DONE ? telling.text.data : NULL;
}

/* Why, and as text. */
struct explaining {
    const struct property_result *entry; /* NULL: the last state of the steps */
    struct text text;
};

static enum cairn_status explain(struct cairn *cairn, const void *given)
{
    struct explaining *explaining = *(struct explaining *const *)given;
    struct stepper *stepper = &cairn->stepper;
    const struct diag *diag = &cairn->session.diag;
    text_init(&explaining->text, &cairn->mem);
    text_add(&explaining->text, "%s", "");
    if (explaining->entry)
        explain_violation(cairn->session.model, diag, &explaining->text, explaining->entry);
    else
        explain_state(cairn->session.model, diag, &explaining->text, stepper_last(stepper),
                      stepper->is_timed ? &stepper->timed : NULL);
    return CAIRN_DONE;
}

const char *cairn_run_why(struct cairn *cairn, uint32_t property)
{
    if (!run_of(cairn, property, 0)) return NULL;
    struct explaining explaining = {.entry = &cairn->task.properties[property]}, *const to =
                                                                                     &explaining;
    return guard(cairn, explain, &to) == CAIRN_DONE ? explaining.text.data : NULL;
}

uint32_t cairn_run_loop(const struct cairn *cairn, uint32_t property)
{
    const struct trace *trace = run_of(cairn, property, 0);
    return trace ? trace->loop : UINT32_MAX;
}

struct run_text {
    FILE *out;
    const struct property_result *entry;
    const struct trace *trace;
    enum cairn_format format;
};

static enum cairn_status write_run(struct cairn *cairn, const void *given)
{
    const struct run_text *run = given;
    const struct model *model = cairn->session.model;
    if (run->format == CAIRN_VCD) vcd_write(run->out, model, run->trace);
    else machine_itf(run->out, model, run->trace, run->entry, false);
    return CAIRN_DONE;
}

const char *cairn_run_text(struct cairn *cairn, uint32_t property, enum cairn_format format)
{
    size_t size = 0;
    struct run_text run = {.trace = run_of(cairn, property, 0), .format = format};
    free(cairn->run_text);
    cairn->run_text = NULL;
    if (!run.trace || format > CAIRN_VCD) return NULL;
    run.entry = &cairn->task.properties[property];
    run.out = open_memstream(&cairn->run_text, &size);
    if (!run.out) return NULL;
    bool good = guard(cairn, write_run, &run) == CAIRN_DONE && !ferror(run.out);
    if (!fclose(run.out) && good) return cairn->run_text;
    free(cairn->run_text);
    return cairn->run_text = NULL;
}

/* ---- logs ---- */

struct log_words {
    const char *unlogged, *tolerance;
    bool gaps;
};

static enum cairn_status use_log(struct cairn *cairn, const void *given)
{
    const struct log_words *words = given;
    if (words->unlogged) cairn->ask.unlogged = copy(cairn, words->unlogged);
    if (words->tolerance) cairn->ask.tolerance = copy(cairn, words->tolerance);
    cairn->ask.gaps = words->gaps;
    return CAIRN_DONE;
}

bool cairn_use_log(struct cairn *cairn, const char *unlogged, bool gaps, const char *tolerance)
{
    return ask(cairn, use_log, &(struct log_words){unlogged, tolerance, gaps});
}

struct log_of {
    const char *model, *log;
};

static enum cairn_status conform(struct cairn *cairn, const void *given)
{
    static const struct combine_words words = {"conform", "MODEL"};
    const struct log_of *files = given;
    struct session *session = &cairn->session;
    struct text why;
    if (cairn->stage != STAGE_ASKING) return CAIRN_MISUSE;
    cairn->ask.command = ASK_CONFORM;
    cairn->ask.file = copy(cairn, files->model);
    cairn->ask.log = copy(cairn, files->log);
    session_init(session, &cairn->ask, &cairn->mem, &cairn->door);
    session->interrupted = &cairn->interrupted;
    cairn->has_session = true;
    text_init(&why, &cairn->mem);
    if (!combine_check(&cairn->ask, &words, &why)) {
        message_error(&session->diag, "%s", why.data);
        return failure(cairn, EXIT_USAGE);
    }
    if (!conform_run(session, &cairn->conform)) return failure(cairn, session->status);
    cairn->stage = STAGE_CONFORMED;
    return CAIRN_DONE;
}

enum cairn_status cairn_conform(struct cairn *cairn, const char *model, const char *log)
{
    return guard(cairn, conform, &(struct log_of){model, log});
}

uint32_t cairn_conform_passed(const struct cairn *cairn)
{
    return cairn->stage == STAGE_CONFORMED ? cairn->conform.passed : 0;
}

/* ---- steps ---- */

static enum cairn_status start(struct cairn *cairn, const void *seed)
{
    if (cairn->stage != STAGE_LOADED && cairn->stage != STAGE_STEPPING) return CAIRN_MISUSE;
    cairn->ask.seed = *(const uint64_t *)seed;
    if (!cairn->has_steps && !stepper_init(&cairn->stepper, &cairn->session))
        return failure(cairn, EXIT_USAGE);
    cairn->stepper.random = (struct random){cairn->ask.seed};
    cairn->has_steps = true;
    if (!stepper_start(&cairn->stepper)) return failure(cairn, EXIT_USAGE);
    cairn->stage = STAGE_STEPPING;
    return CAIRN_DONE;
}

enum cairn_status cairn_start(struct cairn *cairn, uint64_t seed)
{
    return guard(cairn, start, &seed);
}

uint32_t cairn_step_count(const struct cairn *cairn)
{
    return cairn->stage == STAGE_STEPPING ? cairn->stepper.enabled_count : 0;
}

const char *cairn_step_label(const struct cairn *cairn, uint32_t number)
{
    if (number >= cairn_step_count(cairn)) return NULL;
    return cairn->session.model->rules.data[cairn->stepper.enabled[number]].label;
}

static enum cairn_status step(struct cairn *cairn, const void *number)
{
    uint32_t chosen = *(const uint32_t *)number;
    if (chosen >= cairn_step_count(cairn)) return CAIRN_MISUSE;
    stepper_take(&cairn->stepper, cairn->stepper.enabled[chosen]);
    return CAIRN_DONE;
}

enum cairn_status cairn_step(struct cairn *cairn, uint32_t number)
{
    return guard(cairn, step, &number);
}

static enum cairn_status undo(struct cairn *cairn, const void *nothing)
{
    (void)nothing;
    const struct stepper *stepper = &cairn->stepper;
    if (cairn->stage != STAGE_STEPPING || !stepper->rules.len) return CAIRN_MISUSE;
    stepper_jump(&cairn->stepper, stepper->rules.len - 1);
    return CAIRN_DONE;
}

enum cairn_status cairn_undo(struct cairn *cairn) { return guard(cairn, undo, NULL); }

const char *cairn_state(struct cairn *cairn)
{
    struct telling telling = {0}, *const to = &telling;
    if (cairn->stage != STAGE_STEPPING) return NULL;
    return guard(cairn, tell_state, &to) == CAIRN_DONE ? telling.text.data : NULL;
}

const char *cairn_state_why(struct cairn *cairn)
{
    struct explaining explaining = {0}, *const to = &explaining;
    if (cairn->stage != STAGE_STEPPING) return NULL;
    return guard(cairn, explain, &to) == CAIRN_DONE ? explaining.text.data : NULL;
}

/* ---- diagnostics ---- */

uint32_t cairn_diagnostic_count(const struct cairn *cairn)
{
    return cairn->has_session ? cairn->session.diag.list.len : 0;
}

bool cairn_diagnostic(const struct cairn *cairn, uint32_t number,
                      struct cairn_diagnostic *diagnostic)
{
    static const enum cairn_severity severities[] = {[DIAG_ERROR] = CAIRN_ERROR,
                                                     [DIAG_WARNING] = CAIRN_WARNING,
                                                     [DIAG_NOTE] = CAIRN_NOTE,
                                                     [DIAG_BUG] = CAIRN_INTERNAL,
                                                     [DIAG_REMARK] = CAIRN_REMARK};
    if (number >= cairn_diagnostic_count(cairn)) return false;
    const struct diag *diag = &cairn->session.diag;
    const struct diagnostic *one = &diag->list.data[number];
    struct place place = one->range.start;
    bool has_source = place.source < diag->sources.len;
    *diagnostic = (struct cairn_diagnostic){
        .severity = severities[one->severity],
        .code = diag_code_word(one->code),
        .file = has_source ? diag->sources.data[place.source].name : one->about,
        .line = place.line,
        .column = place.column,
        .end_line = one->range.end_line,
        .end_column = one->range.end_column,
        .text = one->text,
        .suggestion = one->suggestion};
    return true;
}
