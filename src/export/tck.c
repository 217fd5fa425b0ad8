/* A model in the text form of TChecker: an automaton per process that is kept (automata.h), and one
 * for rules without movers. The movers of a rule synchronise on an event that is theirs alone.
 *
 * The language has no urgent synchronisation, no priorities, and no invariants under conditions:
 * models that need them are refused. What fails at run time is no step of the text. */
#include "export/tck.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char *const reserved_words[] = {
    "clock",   "committed", "do",   "edge",      "else",   "end",    "event",    "if",
    "init",    "initial",   "int",  "invariant", "labels", "local",  "location", "nop",
    "process", "provided",  "sync", "system",    "then",   "urgent", "while",    NULL};

enum { EVENT_SCOPE = 0x7FFFFFFF };

struct tck {
    struct automata a;
    struct text events, edges, syncs;
    struct map shared; /* events of edges that nobody synchronises with, by label */
    VEC(const char *) names;
    const char **event; /* per rule, of those that synchronise */
    const char *steps, *here;
    bool has_steps;
};

/* ---- edges ---- */

static const char *declare_event(struct tck *t, const char *label)
{
    const char *name = automata_pick(&t->a, EVENT_SCOPE, label);
    text_add(&t->events, "event:%s\n", name);
    return name;
}

static const char *event_of(struct tck *t, uint32_t r, bool is_shared)
{
    struct model *model = t->a.model;
    const char *label = model->rules.data[r].label;
    if (is_shared) {
        label = names_intern(&model->names, label, strlen(label));
        uint32_t known = map_get(&t->shared, label, 0);
        if (known == MAP_NONE) {
            known = t->names.len;
            map_add(&t->shared, label, 0, known);
            const char *name = declare_event(t, label);
            vec_push(model->mem, &t->names, name);
        }
        return t->names.data[known];
    }
    if (!t->event[r]) t->event[r] = declare_event(t, label);
    return t->event[r];
}

static void add_edges(struct tck *t, const struct automata_mover *mover, const char *event,
                      const char *attributes)
{
    const struct automata *a = &t->a;
    const uint32_t p = mover->process;
    const struct model_var *var = &a->model->vars.data[a->model->processes.data[p].location];
    const int64_t first = mover->is_fixed ? mover->from : var->low,
                  last = mover->is_fixed ? mover->from : var->high;
    for (int64_t from = first; from <= last; from++)
        text_add(&t->edges, "edge:%s:%s:%s:%s%s\n", a->name[p], a->location[p][from - var->low],
                 a->location[p][(mover->is_moving ? mover->to : from) - var->low], event,
                 attributes);
}

static void add_rule(struct tck *t, uint32_t r, struct automata_movers *movers)
{
    struct automata *a = &t->a;
    const struct model_rule *rule = &a->model->rules.data[r];
    struct automata_list provided = {"provided: ", " && ", 0}, does = {"do: ", "; ", 0};
    struct text attributes;
    mem_look(a->model->mem);
    if (rule->is_urgent)
        automata_refuse(a, automata_place(a, r), "'%.60s' is urgent: TChecker has no urgent steps",
                        rule->label);
    automata_movers(a, r, AUTOMATA_ALL, movers);
    const char *event = event_of(t, r, movers->list.len < 2);
    automata_open(a, &attributes);
    a->out = &attributes;
    text_add(&attributes, "{");
    automata_guard(a, r, movers, false, false, &provided);
    if (provided.count) does.before = " : do: ";
    automata_effect(a, r, &does);
    text_add(&attributes, "}");
    if (movers->list.len) add_edges(t, &movers->list.data[0], event, attributes.data);
    else {
        t->has_steps = true;
        text_add(&t->edges, "edge:%s:%s:%s:%s%s\n", t->steps, t->here, t->here, event,
                 attributes.data);
    }
    for (uint32_t i = 1; i < movers->list.len; i++) add_edges(t, &movers->list.data[i], event, "");
    for (uint32_t i = 0; movers->list.len > 1 && i < movers->list.len; i++)
        text_add(&t->syncs, "%s%s@%s", i ? ":" : "sync:", a->name[movers->list.data[i].process],
                 event);
    if (movers->list.len > 1) text_add(&t->syncs, "\n");
    text_free(&attributes);
}

/* ---- locations ---- */

/* Whose location the deadline of a rule belongs to; where there is none, it is refused. */
static void add_deadlines(struct tck *t, uint32_t p, int64_t at, struct automata_list *list)
{
    struct automata *a = &t->a;
    for (uint32_t i = a->first_resident[p]; i < a->first_resident[p + 1]; i++) {
        const uint32_t r = a->residents[i];
        int64_t home_at;
        if (automata_home(a, r, &home_at) == p && home_at == at) automata_deadline(a, r, p, list);
    }
}

static void check_deadlines(struct tck *t)
{
    struct automata *a = &t->a;
    int64_t at;
    for (uint32_t r = 0; r < a->model->rules.len; r++) {
        const struct model_rule *rule = &a->model->rules.data[r];
        if (rule->interval == MODEL_NONE) continue;
        if (!code_is_none(rule->body) && model_may_block(a->model, rule->body, a->blocks))
            automata_refuse(a, automata_place(a, r),
                            "'%.60s' has a time interval and code that decides whether it is taken",
                            rule->label);
        if (!a->model->intervals.data[rule->interval].infinite
            && automata_home(a, r, &at) == MODEL_NONE)
            automata_refuse(a, automata_place(a, r),
                            "the deadline of '%.60s' does not belong to the location of a process",
                            rule->label);
    }
}

static void write_process(struct tck *t, uint32_t p)
{
    struct automata *a = &t->a;
    const struct model *model = a->model;
    const struct model_var *var = &model->vars.data[model->processes.data[p].location];
    struct text *out = a->out;
    assert(a->keeps[p]);
    text_add(out, "\nprocess:%s\n", a->name[p]);
    for (int64_t v = 0; v <= var->high - var->low; v++) {
        struct automata_list attributes = {"{", " : ", 0}, invariant = {"invariant: ", " && ", 0};
        const uint32_t l = a->location_at[p][v];
        struct text conditions;
        automata_open(a, &conditions);
        a->out = &conditions;
        for (uint32_t i = 0; l != MODEL_NONE && i < model->locations.data[l].invariants; i++)
            automata_constraint(
                a, &model->constraints.data[model->locations.data[l].first_invariant + i],
                &invariant);
        add_deadlines(t, p, var->low + v, &invariant);
        a->out = out;
        text_add(out, "location:%s:%s", a->name[p], a->location[p][v]);
        if (a->starts[p][v]) automata_next(a, &attributes), text_add(out, "initial:");
        if (l != MODEL_NONE && model->locations.data[l].is_urgent)
            automata_next(a, &attributes), text_add(out, "urgent:");
        if (invariant.count) automata_next(a, &attributes), text_add(out, "%s", conditions.data);
        text_add(out, attributes.count ? "}\n" : "{}\n");
        text_free(&conditions);
    }
}

static void check_flat(struct tck *t)
{
    struct automata *a = &t->a;
    const struct model *model = a->model;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0;
             !a->keeps[p] && process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (location->is_urgent || location->invariants)
                automata_refuse(a, location->place,
                                "'%.60s' is moved by code, and has invariants or urgent locations",
                                process->name);
        }
    }
}

/* ---- declarations ---- */

static void declare_int(struct tck *t, uint32_t count, int64_t low, int64_t high, int64_t init,
                        const char *name)
{
    text_add(t->a.out, "int:%" PRIu32 ":%" PRId64 ":%" PRId64 ":%" PRId64 ":%s\n", count, low, high,
             init, name);
}

static void write_variables(struct tck *t)
{
    struct automata *a = &t->a;
    const struct model *model = a->model;
    for (uint32_t i = 0; i < a->arrays.len; i++) {
        const struct automata_array *array = &a->arrays.data[i];
        if (!array->is_gone)
            declare_int(t, array->count, array->low, array->high, a->initial[array->first],
                        array->name);
    }
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const uint32_t v = model->processes.data[p].location;
        if (a->keeps[p] && a->is_numbered[p])
            declare_int(t, 1, model->vars.data[v].low, model->vars.data[v].high, a->initial[v],
                        a->number[p]);
    }
    if (a->uses_must) declare_int(t, 1, 0, 0, 0, a->must);
    for (uint32_t c = 0; c < model->clocks.len; c++) text_add(a->out, "clock:1:%s\n", a->clock[c]);
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (a->timer[r]) text_add(a->out, "clock:1:%s\n", a->timer[r]);
}

static void check_variables(struct tck *t)
{
    struct automata *a = &t->a;
    const struct model *model = a->model;
    for (uint32_t i = 0; i < a->arrays.len; i++) {
        const struct automata_array *array = &a->arrays.data[i];
        const struct model_var *var = &model->vars.data[array->first];
        if (array->is_gone) continue;
        if (array->is_fresh)
            automata_refuse(a, var->place, "'%.60s' is hidden: TChecker has no such variables",
                            var->name);
        for (uint32_t k = 1; k < array->count; k++)
            if (a->initial[array->first + k] != a->initial[array->first])
                automata_refuse(a, var->place,
                                "the elements of '%.60s' have different initial values",
                                array->name);
    }
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (model->clocks.data[c].init)
            automata_refuse(a, model->clocks.data[c].place, "the clock '%.60s' does not begin at 0",
                            model->clocks.data[c].name);
    for (uint32_t r = 0; model->priorities.len && r < model->rules.len; r++)
        if (model->rules.data[r].classes)
            automata_refuse(a, automata_place(a, r),
                            "'%.60s' has a priority, and TChecker has none",
                            model->rules.data[r].label);
}

/* A place number begins with one value. */
static void check_numbered(struct tck *t)
{
    struct automata *a = &t->a;
    for (uint32_t p = 0; p < a->model->processes.len; p++) {
        const struct model_var *var =
            a->keeps[p] ? &a->model->vars.data[a->model->processes.data[p].location] : NULL;
        uint32_t starts = 0;
        for (int64_t v = 0; var && a->is_numbered[p] && v <= var->high - var->low; v++)
            starts += a->starts[p][v];
        if (starts > 1)
            automata_refuse(a, var->place,
                            "conditions ask where '%.60s' stands, which has several initial "
                            "locations",
                            a->model->processes.data[p].name);
    }
}

/* ---- the file ---- */

static void compose(struct tck *t, struct text *processes)
{
    struct automata *a = &t->a;
    struct automata_movers movers = {0};
    a->pass++;
    automata_clear(&t->edges);
    automata_clear(&t->syncs);
    automata_clear(processes);
    for (uint32_t r = 0; r < a->model->rules.len && !a->refusal.reason; r++)
        add_rule(t, r, &movers);
    a->out = processes;
    bool any = false;
    for (uint32_t p = 0; p < a->model->processes.len && !a->refusal.reason; p++)
        if (a->keeps[p]) any = true, write_process(t, p);
    if (t->has_steps || !any)
        text_add(processes, "\nprocess:%s\nlocation:%s:%s{initial:}\n", t->steps, t->steps,
                 t->here);
    vec_free(a->model->mem, &movers.list);
}

static void write_head(struct tck *t)
{
    struct automata *a = &t->a;
    struct model *model = a->model;
    automata_comment(a, "# ", model->name);
    text_add(a->out, ", written by cairn\n");
    automata_legend(a, "# ");
    for (uint32_t i = 0; i < model->properties.len; i++) {
        automata_comment(a, "# property ", model->properties.data[i].name);
        automata_comment(a, ": ", model->properties.data[i].text);
        text_add(a->out, "\n");
    }
    text_add(a->out, "system:%s\n\n%s", automata_pick(a, EVENT_SCOPE - 1, model->name),
             t->events.data);
    write_variables(t);
}

struct automata_refusal tck_write(struct model *model, FILE *out)
{
    struct tck t = {0};
    struct automata *a = &t.a;
    struct text head, processes;
    automata_start(a, model, AUTOMATA_TCK, reserved_words);
    t.event = arena_alloc(&model->arena, (model->rules.len + UINT64_C(1)) * sizeof *t.event);
    map_init(&t.shared, model->mem);
    automata_open(a, &t.events);
    automata_open(a, &t.edges);
    automata_open(a, &t.syncs);
    automata_open(a, &head);
    automata_open(a, &processes);
    t.steps = automata_pick(a, 0, "Steps");
    t.here = "Here";
    check_variables(&t);
    check_flat(&t);
    check_deadlines(&t);
    for (unsigned pass = 0; pass < 2 && !a->refusal.reason; pass++) compose(&t, &processes);
    check_numbered(&t);
    if (!a->refusal.reason) {
        a->out = &head;
        write_head(&t);
        fputs(head.data, out);
        fputs(processes.data, out);
        fputc('\n', out);
        fputs(t.edges.data, out);
        fputs(t.syncs.data, out);
    }
    const struct automata_refusal refusal = a->refusal;
    mem_free(model->mem, t.shared.entries);
    vec_free(model->mem, &t.names);
    text_free(&t.events);
    text_free(&t.edges);
    text_free(&t.syncs);
    text_free(&head);
    text_free(&processes);
    automata_finish(a);
    return refusal;
}
