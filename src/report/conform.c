#include "report/conform.h"

#include "report/explain.h"
#include "report/machine.h"
#include "result/value.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_LISTED = 12 }; /* steps in a line of text */

/* ---- the next line ---- */

static bool is_meant(const struct conform *conform, uint32_t class)
{
    const struct log *log = &conform->file.log;
    const struct log_line *next = &log->lines[conform->passed];
    return next->row != LOG_LOOKS && log->admits[(uint64_t)next->row * log->classes + class];
}

static void add_step(struct text *text, const char *label, const char *process)
{
    text_add(text, "%s", label);
    if (process) text_add(text, " by %s", process);
}

static void add_possible(const struct conform *conform, struct text *text)
{
    uint32_t listed = 0, more = 0;
    if (!conform->knows_possible) return;
    for (uint32_t c = 0; c < conform->file.log.classes; c++) {
        if (!conform->is_possible[c]) continue;
        if (listed == MOST_LISTED && ++more) continue;
        text_add(text, listed++ ? ", " : "possible there: ");
        add_step(text, conform->file.classes[c].label, conform->file.classes[c].process);
    }
    if (more) text_add(text, " and %u more", more);
    if (!listed) text_add(text, "no step that a log has was possible there");
    text_add(text, "\n");
}

/* The step that the line means was possible: which values were others, and when it was. */
static void add_differences(const struct session *session, const struct conform *conform,
                            struct text *text)
{
    const struct model *model = session->model;
    const struct log *log = &conform->file.log;
    const struct log_line *next = &log->lines[conform->passed];
    const struct trace *run = conform->nearest;
    int64_t *state = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *state);
    if (!trace_end(model, run, state)) return;
    uint32_t said = MODEL_NONE;
    int64_t *seen = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *seen);
    memcpy(seen, state, model->vars.len * sizeof *seen);
    for (uint32_t v = 0; v < next->values; v++)
        seen[log->values[next->first_value + v].var] = log->values[next->first_value + v].value;
    for (uint32_t v = 0; v < next->values; v++) {
        struct shown shown = shown_of(model, log->values[next->first_value + v].var);
        if (shown.var == said || !shown_differs(&shown, state, seen)) continue;
        said = shown.var;
        text_add(text, "  %s is ", shown.name);
        value_text(text, model, false, &shown, state);
        text_add(text, " then; the log says ");
        value_text(text, model, false, &shown, seen);
        text_add(text, "\n");
    }
    if (next->has_time && run->delays) {
        char date[TRACE_TIME_ROOM];
        text_add(text, "  it can happen at %s, for example\n",
                 trace_time(date, model, run, trace_date(run, run->steps)));
    }
    mem_free(model->mem, state);
    mem_free(model->mem, seen);
}

/* Of the rules that the line can mean, what holds the one back that is nearest to be taken. */
static void add_blocked(const struct session *session, const struct conform *conform,
                        struct text *text)
{
    const struct model *model = session->model;
    const struct log *log = &conform->file.log;
    int64_t *state = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *state);
    bool *is_one = mem_alloc(model->mem, model->rules.len + UINT64_C(1));
    for (uint32_t r = 0; r < model->rules.len; r++) is_one[r] = is_meant(conform, log->class_of[r]);
    if (conform->run && trace_end(model, conform->run, state))
        explain_nearest(model, &session->diag, text, is_one, state);
    mem_free(model->mem, state);
    mem_free(model->mem, is_one);
}

static void add_bridge(const struct conform *conform, struct text *text)
{
    const struct log *log = &conform->file.log;
    const struct trace *run = conform->bridge;
    if (log->lines[conform->passed].gap || !conform->knows_bridge) return;
    if (!run) {
        text_add(text, "no steps before it, logged or not, would explain it\n");
        return;
    }
    text_add(text, "it would conform if this had happened before it, unlogged: ");
    for (uint32_t i = conform->bridge_from; i < conform->bridge_to; i++) {
        const struct logfile_class *class = &conform->file.classes[log->class_of[run->rules[i]]];
        if (i - conform->bridge_from == MOST_LISTED) {
            text_add(text, ", and %u more", conform->bridge_to - i);
            break;
        }
        if (i > conform->bridge_from) text_add(text, ", ");
        add_step(text, class->label, class->process);
    }
    text_add(text, "\n");
    assert(run->steps >= conform->bridge_to);
}

void conform_explain(struct session *session, const struct conform *conform, struct text *text)
{
    const struct log *log = &conform->file.log;
    if (conform->conforms || !conform->knows_passed) return;
    uint32_t next = conform->passed, meant = 0;
    bool looks = log->lines[next].row == LOG_LOOKS;
    for (uint32_t c = 0; c < log->classes; c++) meant += is_meant(conform, c);
    if (conform->file.doubts[next])
        text_add(text, "the model has no such value of %s\n", conform->file.doubts[next]);
    else if (looks) text_add(text, "no state there looks like this\n");
    else if (!meant) text_add(text, "the model has no such step\n");
    else if (conform->nearest) {
        text_add(text, "such a step is possible there, but not so:\n");
        add_differences(session, conform, text);
    } else add_blocked(session, conform, text);
    if (!looks) add_possible(conform, text);
    if (meant || looks) add_bridge(conform, text);
}

/* ---- text ---- */

static void show_run(const struct report_style *style, const struct session *session,
                     const struct conform *conform)
{
    const struct model *model = session->model;
    const struct trace *run = conform->run;
    struct trace_walk walk;
    uint32_t line = 0;
    if (!run || style->quiet || !trace_walk_start(&walk, model, run)) return;
    for (;;) {
        char date[TRACE_TIME_ROOM];
        uint32_t rule = walk.at ? run->rules[walk.at - 1] : MODEL_NONE;
        bool dated = walk.at && run->delays;
        if (dated) trace_time(date, model, run, trace_date(run, walk.at));
        report_step(style, model, &session->diag, walk.at, rule, dated ? date : NULL,
                    walk.at ? walk.previous : NULL, walk.state);
        for (; line < conform->passed && conform->step_of[line] == walk.at; line++)
            fprintf(style->out, "          line %u of the log\n", conform->file.numbers[line]);
        if (walk.at == run->steps || !trace_walk_step(&walk)) break;
    }
    trace_walk_end(&walk);
}

static void show_next(const struct report_style *style, struct session *session,
                      const struct conform *conform)
{
    struct text why;
    text_init(&why, session->mem);
    conform_explain(session, conform, &why);
    fprintf(style->out, "%s:%u: %s\n", session->ask->log, conform->file.numbers[conform->passed],
            conform->file.texts[conform->passed]);
    for (char *at = why.data; at && *at;) {
        char *end = strchr(at, '\n');
        if (!end) break;
        fprintf(style->out, "  %.*s\n", (int)(end - at), at);
        at = end + 1;
    }
    text_free(&why);
}

void conform_show(const struct report_style *style, struct session *session,
                  const struct conform *conform)
{
    FILE *out = style->out;
    char states[32];
    uint32_t lines = conform->file.log.count;
    fprintf(out, "%s: ", session->ask->log);
    if (conform->conforms)
        fprintf(out, "the log conforms to %s: %u line%s", session->model->file, lines,
                lines == 1 ? "" : "s");
    else if (conform->is_known)
        fprintf(out, "the log does not conform to %s: ", session->model->file);
    else fprintf(out, "it is not known whether the log conforms to %s: ", session->model->file);
    if (!conform->conforms)
        fprintf(out, "%s%u of %u lines do", conform->knows_passed ? "" : "at least ",
                conform->passed, lines);
    if (conform->run)
        fprintf(out, ", a run of %u step%s", conform->run->steps,
                conform->run->steps == 1 ? "" : "s");
    fprintf(out, " (%s states, %.2f s)\n", text_count(states, conform->result.states),
            conform->result.seconds);
    show_run(style, session, conform);
    if (conform->is_known && !conform->conforms && conform->knows_passed)
        show_next(style, session, conform);
    const char *claim = conform_assurance(session, conform);
    fprintf(out, "%c%s.\n", toupper((unsigned char)claim[0]), claim + 1);
}

/* ---- JSON ---- */

static void put_class(struct out *json, const struct logfile_class *class)
{
    out_open_inline(json, '{');
    out_key(json, "label");
    out_string(json, class->label);
    out_key(json, "process");
    out_string(json, class->process);
    out_close(json, '}');
}

static void put_next(struct out *json, const struct conform *conform, const char *why)
{
    const struct log *log = &conform->file.log;
    out_open(json, '{');
    out_key(json, "line");
    out_uint(json, conform->file.numbers[conform->passed]);
    out_key(json, "text");
    out_string(json, conform->file.texts[conform->passed]);
    out_key(json, "why");
    out_string(json, why);
    out_key(json, "possible");
    if (!conform->knows_possible) out_null(json);
    else {
        out_open(json, '[');
        for (uint32_t c = 0; c < log->classes; c++)
            if (conform->is_possible[c]) put_class(json, &conform->file.classes[c]);
        out_close(json, ']');
    }
    out_key(json, "explained_by");
    if (!conform->bridge) out_null(json);
    else {
        out_open(json, '[');
        for (uint32_t i = conform->bridge_from; i < conform->bridge_to; i++)
            put_class(json, &conform->file.classes[log->class_of[conform->bridge->rules[i]]]);
        out_close(json, ']');
    }
    out_close(json, '}');
}

static void put_lines(struct out *json, const struct conform *conform)
{
    out_open(json, '[');
    for (uint32_t i = 0; i < conform->passed && conform->run; i++) {
        out_open_inline(json, '{');
        out_key(json, "line");
        out_uint(json, conform->file.numbers[i]);
        out_key(json, "step");
        out_uint(json, conform->step_of[i]);
        out_close(json, '}');
    }
    out_close(json, ']');
}

void conform_json(FILE *out, struct session *session, const struct conform *conform,
                  const char *trace_file, bool raw)
{
    struct out json;
    struct text why;
    const struct result *result = &conform->result;
    text_init(&why, session->mem);
    conform_explain(session, conform, &why);
    const char *assurance = conform_assurance(session, conform);
    machine_begin(&json, out, "conform", session->model->file);
    out_key(&json, "log");
    out_string(&json, session->ask->log);
    out_key(&json, "engine");
    out_string(&json, result->engine);
    out_key(&json, "verdict");
    out_string(&json, verdict_name[!conform->is_known  ? VERDICT_UNKNOWN
                                   : conform->conforms ? VERDICT_HOLDS
                                                       : VERDICT_VIOLATED]);
    out_key(&json, "complete");
    out_bool(&json, conform->is_known && !conform->conforms);
    out_key(&json, "assurance");
    out_string(&json, assurance);
    out_key(&json, "lines");
    out_uint(&json, conform->file.log.count);
    out_key(&json, "conforming");
    if (conform->knows_passed) out_uint(&json, conform->passed);
    else out_null(&json);
    out_key(&json, "next");
    if (conform->conforms || !conform->knows_passed) out_null(&json);
    else put_next(&json, conform, why.data);
    out_key(&json, "matches");
    put_lines(&json, conform);
    out_key(&json, "trace");
    if (conform->run)
        machine_trace(&json, session->model, &session->diag, conform->run, trace_file, raw);
    else out_null(&json);
    out_key(&json, "states");
    out_uint(&json, result->states);
    out_key(&json, "transitions");
    out_uint(&json, result->transitions);
    out_key(&json, "seconds");
    out_real(&json, result->seconds);
    out_key(&json, "peak_memory_bytes");
    out_uint(&json, result->peak_bytes);
    out_close(&json, '}');
    text_free(&why);
}
