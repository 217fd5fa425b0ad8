/* Results for machines: the JSON object of the contract, and traces in ITF. */
#ifndef CAIRN_REPORT_MACHINE_H
#define CAIRN_REPORT_MACHINE_H

#include "base/version.h"
#include "base/out.h"
#include "result/result.h"
#include "run/advice.h"

#include <stdio.h>

/* Opens an object with what every result begins with; the caller goes on and closes it. */
void machine_begin(struct out *json, FILE *out, const char *command, const char *model);

/* Whoever writes runs in a way of its own, and has something to add (report/page.h). */
struct machine_guest {
    void *context;
    /* The trace, with a walk that may be started on it. */
    void (*run)(void *context, struct out *json, struct trace_walk *walk,
                const struct trace *trace);
    void (*more)(void *context, struct out *json); /* members of the object, at its end */
};

struct machine_text {
    const char *key, *text;
};

struct machine_form {
    const char *trace_file;            /* of the first trace, or NULL */
    bool raw;                          /* values are plain numbers (result/value.h) */
    const struct machine_guest *guest; /* or NULL */
    const struct machine_text *added;  /* further members */
    uint32_t added_count;
    const struct advice *advice; /* what to try next */
    uint32_t advice_count;
};

/* command: "check" or "explore" (then without verdict and properties). */
void machine_result(FILE *out, const char *command, const struct model *model,
                    const struct diag *diag, const struct task *task, const struct result *result,
                    const struct machine_form *form);
/* The member `advice`; nothing when there is none. */
void machine_advice(struct out *json, const struct advice *advice, uint32_t count);
/* A time of a trace: a number when it is whole, else a fraction in a string. key: or NULL. */
void machine_time(struct out *json, const char *key, const struct model *model,
                  const struct trace *trace, int64_t parts);

/* A trace, as the value of a member that the caller has begun. */
void machine_trace(struct out *json, const struct model *model, const struct diag *diag,
                   const struct trace *trace, const char *file, bool raw);

/* Random runs: what there is to tell besides the properties. */
struct simulation {
    const struct property_result *violation; /* NULL: none was found */
    const char *assurance, *trace_file;      /* trace_file: of the last run, or NULL */
    uint64_t seed, runs, steps;
    bool is_over;              /* everything that was sought was found */
    const struct result *seen; /* how often rules were taken, which locations were reached */
};
void machine_simulation(FILE *out, const struct model *model, const struct diag *diag,
                        const struct task *task, const struct simulation *told, bool raw);

/* The object for a run that found out nothing. Allocates nothing. */
void machine_failure(FILE *out, const char *command, const char *model, const char *why);

/* A trace in ITF; property may be NULL. */
void machine_itf(FILE *out, const struct model *model, const struct trace *trace,
                 const struct property_result *entry, bool raw);

#endif
