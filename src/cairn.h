/* libcairn: model checking from a program.
 *
 *     struct cairn *cairn = cairn_new();
 *     cairn_define(cairn, "n", 3);
 *     if (cairn_load(cairn, "phils.mil") == CAIRN_DONE && cairn_check(cairn) == CAIRN_DONE)
 *         puts(cairn_assurance(cairn));
 *     cairn_free(cairn);
 *
 * A `struct cairn` is one model, what is asked of it and the answer. It is filled in this order:
 * what is asked, cairn_load, then one search (cairn_check or cairn_explore) or any number of steps.
 * Nothing is printed, no signal is handled, and the process does not end: what is wrong with a
 * model or a question is a list of diagnostics, and a limit is an answer. Different `struct cairn`
 * may be used by different threads at the same time; one of them by one thread at a time, but for
 * cairn_interrupt.
 *
 * Texts that are given are copied. Texts that are returned belong to the `struct cairn`, and stay
 * until it is freed, unless something else is said. */
#ifndef CAIRN_H
#define CAIRN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn;

enum cairn_status {
    CAIRN_DONE,
    CAIRN_MISTAKE, /* in the model, in a file or in what is asked: see the diagnostics */
    CAIRN_LIMIT,   /* memory or time was refused before there was an answer */
    CAIRN_BUG,     /* an internal error was found: see the diagnostics */
    CAIRN_MISUSE   /* not in the order above */
};

enum cairn_verdict { CAIRN_UNKNOWN, CAIRN_HOLDS, CAIRN_VIOLATED };

enum cairn_engine { CAIRN_AUTO, CAIRN_EXPLICIT, CAIRN_SYMBOLIC, CAIRN_BOUNDED, CAIRN_TIMED };

/* CAIRN_FIND: a run to a state with it is sought, and is the answer that it holds. */
enum cairn_logic { CAIRN_CTL, CAIRN_LTL, CAIRN_INVARIANT, CAIRN_FIND };

const char *cairn_version(void);

/* NULL: there is no memory. */
struct cairn *cairn_new(void);
/* NULL is fine. */
void cairn_free(struct cairn *cairn);

/* ---- what is asked: before cairn_load. False: it is too late, or there is no memory ---- */

bool cairn_define(struct cairn *cairn, const char *constant, int64_t value);
/* "FILE" or "FILE:NAME": a context (CDL), a guide (xGDL) that the model is composed with. */
bool cairn_use_context(struct cairn *cairn, const char *file);
bool cairn_use_guide(struct cairn *cairn, const char *file);
bool cairn_use_engine(struct cairn *cairn, enum cairn_engine engine);
/* Of the explicit engine. */
bool cairn_use_threads(struct cairn *cairn, unsigned threads);
/* Up to so many runs of a property that single states decide, different in more than order. */
bool cairn_use_traces(struct cairn *cairn, unsigned runs);
/* Runs that repeat are as short as can be, the way there and the loop together. */
bool cairn_use_shortest(struct cairn *cairn);
/* Only these properties of the model; without any, all of them, with "deadlock". */
bool cairn_ask_property(struct cairn *cairn, const char *name);
/* A property more, in the language of the model. */
bool cairn_ask_formula(struct cairn *cairn, enum cairn_logic logic, const char *text);
/* How states look: names that are left out, "NAME = E" that is shown beside the others. */
bool cairn_hide(struct cairn *cairn, const char *names);
bool cairn_show_expression(struct cairn *cairn, const char *text);
/* Bytes of memory, seconds of a search; 0: most of what is free; as long as it takes. */
bool cairn_limit_memory(struct cairn *cairn, uint64_t bytes);
bool cairn_limit_seconds(struct cairn *cairn, double seconds);

/* ---- the model ---- */

/* The ending of its name says its language. */
enum cairn_status cairn_load(struct cairn *cairn, const char *file);
/* The same with the text of the file, whose name need not be that of a real one. */
enum cairn_status cairn_load_text(struct cairn *cairn, const char *file, const char *text);

/* ---- a search ---- */

/* Decides the properties; counts the states. After CAIRN_DONE there is an answer, which may be that
 * a limit was met. */
enum cairn_status cairn_check(struct cairn *cairn);
enum cairn_status cairn_explore(struct cairn *cairn);
/* From any thread, or a handler of a signal: the search ends soon, with what it has found. */
void cairn_interrupt(struct cairn *cairn);

/* The answer. Of all properties: violated if one is, unknown if one is, otherwise holds. */
enum cairn_verdict cairn_verdict(const struct cairn *cairn);
/* Everything was visited, or proved. */
bool cairn_is_complete(const struct cairn *cairn);
/* What may be claimed, and under which conditions: one sentence. */
const char *cairn_assurance(struct cairn *cairn);
/* UINT64_MAX: more than that, or not counted. */
uint64_t cairn_states(const struct cairn *cairn);
uint64_t cairn_transitions(const struct cairn *cairn);
/* All of it, as the object that `cairn check --json` prints. NULL: there is no memory. */
const char *cairn_json(struct cairn *cairn);
/* The same as a page for browsers that stands alone, as `--report` writes it. NULL: there is no
 * memory, or no answer of a search. */
const char *cairn_page(struct cairn *cairn);

/* What to try next on this model, when a limit or an interruption ended the search. */
struct cairn_advice {
    const char *why;     /* a sentence without its full stop */
    const char *options; /* of the command line */
};
uint32_t cairn_advice_count(const struct cairn *cairn);
/* The best first. False: there is no such one. */
bool cairn_advice(const struct cairn *cairn, uint32_t number, struct cairn_advice *advice);

struct cairn_property {
    const char *name, *text;
    enum cairn_verdict verdict;
    const char *reason; /* why it is unknown, or NULL */
    bool has_run;       /* one that violates it, or reaches what it seeks */
    uint32_t steps;     /* of the run */
    uint32_t runs;      /* how many there are: 1, or with cairn_use_traces more */
};
uint32_t cairn_property_count(const struct cairn *cairn);
/* False: there is no such one. */
bool cairn_property(const struct cairn *cairn, uint32_t number, struct cairn_property *property);
/* Which of the runs of a property the next two functions speak of, from 0 on, the first one until
 * this is called. */
void cairn_choose_run(struct cairn *cairn, uint32_t number);
/* Of its run: the label of a step, from 1 on, and the state after it ("x = 1, y = 2"), which for
 * step 0 is the first one. NULL: there is none. */
const char *cairn_run_label(struct cairn *cairn, uint32_t property, uint32_t step);
const char *cairn_run_state(struct cairn *cairn, uint32_t property, uint32_t step);

/* Why the property is violated, in lines: what the last state of its run breaks, what blocks whom,
 * what never comes on a run that repeats. Empty: the run says it all. NULL: there is none. */
const char *cairn_run_why(struct cairn *cairn, uint32_t property);
/* The state that the last one of the run continues with; UINT32_MAX: it ends. */
uint32_t cairn_run_loop(const struct cairn *cairn, uint32_t property);
/* The run as text, as `--trace` writes it. NULL: there is none, or no memory. */
enum cairn_format { CAIRN_ITF, CAIRN_VCD };
const char *cairn_run_text(struct cairn *cairn, uint32_t property, enum cairn_format format);

/* ---- logs: instead of a model that is loaded ---- */

/* Labels of steps that a log need not have ("a, b"; NULL: none), whether anything may be missing in
 * it, how far its times may be off ("1/2"; NULL: not at all). Before cairn_conform. */
bool cairn_use_log(struct cairn *cairn, const char *unlogged, bool gaps, const char *tolerance);
/* Whether a recorded log is the beginning of a run of the model. After CAIRN_DONE cairn_verdict
 * says so, and cairn_assurance and cairn_json tell more, as `cairn conform` does. */
enum cairn_status cairn_conform(struct cairn *cairn, const char *model, const char *log);
/* So many lines of the log, at least, are the beginning of a run. */
uint32_t cairn_conform_passed(const struct cairn *cairn);

/* ---- steps: of a loaded model, instead of a search ---- */

/* An initial state; where there are several, the seed chooses. */
enum cairn_status cairn_start(struct cairn *cairn, uint64_t seed);
/* How many steps are possible in the last state, and their labels. */
uint32_t cairn_step_count(const struct cairn *cairn);
const char *cairn_step_label(const struct cairn *cairn, uint32_t number);
/* Takes one, from 0 on; in a timed model after a delay that the seed chooses. */
enum cairn_status cairn_step(struct cairn *cairn, uint32_t number);
/* Back to the state before. */
enum cairn_status cairn_undo(struct cairn *cairn);
/* The last state, as above. NULL: there is none. */
const char *cairn_state(struct cairn *cairn);
/* What each process can do there, and which conditions with which values block the rest, in
 * lines. */
const char *cairn_state_why(struct cairn *cairn);

/* ---- diagnostics ---- */

enum cairn_severity { CAIRN_ERROR, CAIRN_WARNING, CAIRN_NOTE, CAIRN_INTERNAL, CAIRN_REMARK };

struct cairn_diagnostic {
    enum cairn_severity severity;
    const char *code; /* a word for the kind of mistake, which stays the same */
    const char *file; /* NULL: about the run as a whole */
    uint32_t line, column, end_line, end_column; /* from 1; line 0: no position */
    const char *text;
    const char *suggestion; /* what could stand there instead, or NULL */
};
uint32_t cairn_diagnostic_count(const struct cairn *cairn);
/* In the order in which they were found; a note belongs to the one before. False: there is no such
 * one. */
bool cairn_diagnostic(const struct cairn *cairn, uint32_t number,
                      struct cairn_diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif

#endif
