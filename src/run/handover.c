#include "run/handover.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_METHOD = 120, RELAY_BYTES = 1 << 14 };

/* Before the run, if there is one: `vars` values, then steps + 1 rules. */
struct entry {
    uint32_t property;
    uint8_t verdict;
    bool has_bound, has_trace, is_tree, antecedent_met, antecedent_never;
    uint64_t bound, cycles;
    uint32_t steps, loop, failed_rule;
    char method[MOST_METHOD]; /* empty: none */
};

bool handover_read_all(int from, void *to, size_t bytes)
{
    for (char *at = to; bytes;) {
        ssize_t got = read(from, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

bool handover_write_all(int to, const void *from, size_t bytes)
{
    for (const char *at = from; bytes;) {
        ssize_t put = write(to, at, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        at += put;
        bytes -= (size_t)put;
    }
    return true;
}

/* ---- writing ---- */

static void put_entry(FILE *out, const struct model *model, const struct property_result *from,
                      uint32_t property)
{
    struct entry entry;
    memset(&entry, 0, sizeof entry); /* its gaps, too: nothing else leaves the process */
    entry.property = property;
    entry.verdict = (uint8_t)from->verdict;
    entry.has_bound = from->has_bound;
    entry.bound = from->bound;
    entry.cycles = from->cycles;
    entry.antecedent_met = from->antecedent_met;
    entry.antecedent_never = from->antecedent_never;
    entry.is_tree = from->has_end || from->branch_count;
    entry.has_trace = from->trace && !from->trace->delays;
    if (from->method) snprintf(entry.method, sizeof entry.method, "%s", from->method);
    if (entry.has_trace) {
        entry.steps = from->trace->steps;
        entry.loop = from->trace->loop;
        entry.failed_rule = from->trace->failed_rule;
    }
    fwrite(&entry, sizeof entry, 1, out);
    if (!entry.has_trace) return;
    fwrite(from->trace->initial, sizeof *from->trace->initial, model->vars.len, out);
    fwrite(from->trace->rules, sizeof *from->trace->rules, entry.steps + UINT64_C(1), out);
}

bool handover_write(int socket, const struct task *task, const struct model *model)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; out && i < task->property_count; i++)
        if (task->properties[i].verdict != VERDICT_UNKNOWN)
            put_entry(out, model, &task->properties[i], i);
    bool good = out && !fclose(out);
    uint64_t length = good ? size : 0;
    good = handover_write_all(socket, &length, sizeof length)
           && handover_write_all(socket, text, length);
    free(text);
    return good;
}

bool handover_relay(int from, int to)
{
    char buffer[RELAY_BYTES];
    uint64_t left;
    bool good =
        handover_read_all(from, &left, sizeof left) && handover_write_all(to, &left, sizeof left);
    while (good && left) {
        size_t piece = left < sizeof buffer ? (size_t)left : sizeof buffer;
        good = handover_read_all(from, buffer, piece) && handover_write_all(to, buffer, piece);
        left -= piece;
    }
    return good;
}

/* ---- reading ---- */

struct message {
    const char *at, *end;
};

static bool take(struct message *message, void *to, uint64_t bytes)
{
    if ((uint64_t)(message->end - message->at) < bytes) return false;
    if (bytes) memcpy(to, message->at, bytes);
    message->at += bytes;
    return true;
}

static struct trace *take_trace(struct message *message, const struct model *model,
                                const struct entry *entry)
{
    uint64_t rules = entry->steps + UINT64_C(1);
    if ((uint64_t)(message->end - message->at) / sizeof(uint32_t) < rules) return NULL;
    struct trace *trace = trace_new(model, entry->steps);
    bool good = take(message, trace->initial, model->vars.len * sizeof *trace->initial)
                && take(message, trace->rules, rules * sizeof *trace->rules);
    trace->loop = entry->loop;
    trace->failed_rule = entry->failed_rule;
    if (good) return trace;
    trace_free(model, trace);
    return NULL;
}

static void fill(struct property_result *to, const struct entry *entry, struct trace *trace,
                 struct model *model, const char *engine)
{
    to->verdict = (enum verdict)entry->verdict;
    to->engine = engine;
    to->trace = trace;
    to->has_bound = entry->has_bound;
    to->bound = entry->bound;
    to->cycles = entry->cycles;
    to->antecedent_met = entry->antecedent_met;
    to->antecedent_never = entry->antecedent_never;
    to->method =
        entry->method[0] ? names_intern(&model->names, entry->method, strlen(entry->method)) : NULL;
    to->reason = entry->is_tree
                     ? names_format(&model->names, "--engine %s shows all of its evidence", engine)
                     : NULL;
}

bool handover_read(int socket, struct task *task, const struct model *model, const char *engine)
{
    uint64_t length;
    struct mem *mem = model->mem;
    if (!handover_read_all(socket, &length, sizeof length)) return false;
    char *bytes = mem_alloc(mem, length + 1);
    bool good = handover_read_all(socket, bytes, length);
    struct message message = {bytes, bytes + length};
    while (good && message.at < message.end) {
        struct entry entry;
        good = take(&message, &entry, sizeof entry) && entry.property < task->property_count;
        struct trace *trace = good && entry.has_trace ? take_trace(&message, model, &entry) : NULL;
        good = good && (trace || !entry.has_trace);
        if (!good) break;
        entry.method[MOST_METHOD - 1] = 0;
        struct property_result *to = &task->properties[entry.property];
        if (to->verdict == VERDICT_UNKNOWN) fill(to, &entry, trace, task->model, engine);
        else trace_free(model, trace);
    }
    mem_free(mem, bytes);
    return good;
}
