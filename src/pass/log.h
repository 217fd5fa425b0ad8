/* Weaves a recorded log into a model: the runs of the woven model are those runs of the model that
 * the log can have come from, line by line. So whether a log conforms to a model is a question of
 * reachability (run/conform.h), and everything that searches can do is there for it: time,
 * contexts, threads, limits.
 *
 * A line of a log says that a step was taken, of some of the model's classes of steps, or, without
 * a step, what was seen at some moment. Either may come with values of variables, of the state
 * after the step or at that moment, and with a time. Steps of classes that are `unlogged` may be
 * taken between lines, and before a line with a `gap` all steps may. */
#ifndef CAIRN_PASS_LOG_H
#define CAIRN_PASS_LOG_H

#include "model/model.h"

enum { LOG_LOOKS = 0xFFFFFFFF };

struct log_value {
    uint32_t var;
    int64_t value; /* of 32 bits, or one that the variable cannot have */
};

struct log_line {
    uint32_t row;                 /* of `admits`, or LOG_LOOKS: no step is taken */
    bool gap;                     /* anything may happen before it */
    bool never;                   /* it cannot be: what was seen is no value of the model */
    bool has_time;                /* it happened at ... */
    int64_t earliest, latest;     /* ... one of these times: ticks since the beginning, 0 or more */
    uint32_t first_value, values; /* into the log's values */
};

struct log {
    const struct log_line *lines;
    uint32_t count;
    const struct log_value *values;
    uint32_t rows, classes;
    const uint32_t *class_of; /* per rule of the model */
    const bool *admits;       /* [rows][classes]: steps that a line can mean */
    const bool *unlogged;     /* [classes] */
    bool probes;              /* after the last line one more step is taken, so that log_is_possible
                                 can be asked */
};

enum { LOG_MOST_ENTRIES = 1 << 28 };

/* Whether its tables are small enough for log_weave. */
bool log_fits(const struct log *log);

/* What became of the log. Rules and variables of the model keep their numbers; what is woven in
 * stands behind them. */
struct log_woven {
    struct model *model; /* finished; its rank is how many lines were passed */
    uint32_t rule;       /* the step that passes a line: it changes nothing that the model knows */
    uint32_t line, last; /* variables: the lines that were passed; what the last step may be */
};

/* The model itself stays as it is. Its hidden variables are ordinary ones here: what a log has
 * seen, it has seen. */
struct log_woven log_weave(const struct model *model, const struct log *log);

/* Conditions for properties: all lines were passed; with `probes`, that a step of this class is
 * possible then. (Unlogged ones are not told apart: they may happen anyway.) */
expr log_is_passed(const struct log_woven *woven, const struct log *log);
expr log_is_possible(const struct log_woven *woven, uint32_t class);

/* Makes a tick `factor` times as short. False: clocks are set by code, which counts in ticks, or
 * numbers become too large. */
bool log_refine_time(struct model *model, int64_t factor);

#endif
