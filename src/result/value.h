/* Values as their language writes them: names of locations, enumerations and constructors, true and
 * false, records, arrays, queues. The one place that knows how, for text, JSON, ITF and so for
 * pages; and how they are read back (replay).
 *
 * What is shown as one value is a variable, or several that make up a value of the source
 * (model_whole):
 *
 *               text                 JSON
 *     record    {id = 0, ok = true}  {"id": 0, "ok": true}
 *     array     [3, 0]               [3, 0]
 *     queue     {|3, 0|}             [3, 0], the oldest element first
 *     context   5 (set, press)       {"at": 5, "next": ["set", "press"]}
 *     union     c, c(3)              "c", {"c": 3}
 *
 * With `raw` every variable is shown by itself, as a number. */
#ifndef CAIRN_RESULT_VALUE_H
#define CAIRN_RESULT_VALUE_H

#include "base/out.h"
#include "model/model.h"

struct json_t;

struct shown {
    const char *name;
    uint32_t var, cells;       /* cells 0: the end of the list */
    const struct shape *shape; /* NULL: a single variable */
    uint32_t whole;            /* the first of the model's wholes that is not before it */
    uint32_t extra;            /* behind all variables: one of the model's extras, from 1; else 0 */
    const struct model *model; /* of an extra */
};

/* All that is shown of a state, in the order of the variables, then the extras. Those that were
 * left out (pass/hide.h) have no value that is known. */
struct shown shown_first(const struct model *model, bool raw);
struct shown shown_next(const struct model *model, bool raw, const struct shown *at);
/* The one that the variable belongs to. */
struct shown shown_of(const struct model *model, uint32_t var);
bool shown_differs(const struct shown *what, const int64_t *before, const int64_t *after);

/* Neither allocates: a result is told also when memory has run out. (value_text does when the text
 * grows.) */
void value_json(struct out *json, const struct model *model, bool raw, const struct shown *what,
                const int64_t *state);
void value_text(struct text *text, const struct model *model, bool raw, const struct shown *what,
                const int64_t *state);
/* The same of a single variable. */
void value_var_text(struct text *text, const struct model *model, bool raw, uint32_t var,
                    int64_t value);

/* Calls tell(context, "name = old -> new") for each part of it that is different: elements and
 * fields by themselves, queues and constructors as wholes. */
void value_changes(const struct model *model, bool raw, const struct shown *what,
                   const int64_t *before, const int64_t *after,
                   void (*tell)(void *context, const char *words), void *context);

/* Reads what value_json has written, with or without raw, into the variables of a state. False: it
 * is no such value. `object` is the state: it has a value for the whole, or for each variable. */
bool value_read(const struct model *model, const struct shown *what, const struct json_t *object,
                int64_t *state);

/* A number of ITF: a number, a decimal string, or {"#bigint": "..."}. */
bool value_read_number(const struct json_t *value, int64_t *number);

#endif
