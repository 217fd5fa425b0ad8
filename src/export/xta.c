/* A model as UPPAAL's XTA text.
 *
 * An automaton per process that is kept (automata.h), and one more, with a single location, for
 * rules, invariants and timers that belong to none. A rule with
 *  - one mover is an edge; with two, an edge that sends and one that receives on a channel that
 *    nobody else uses;
 *  - more movers is a broadcast on such a channel: the sender's guard asks by their place numbers
 *    whether all others are where they must be, so that all of them receive;
 *  - urgency has an urgent channel; without receivers it is a broadcast channel that all share.
 *
 * No time passes where an urgent rule is enabled that is not permitted, nor where a process that is
 * not kept is in an urgent location: an edge on an urgent channel says so that leads to a location
 * with the invariant `false`, and so is never taken.
 *
 * Priorities are those of channels, which are in one order. A model whose priorities are not is
 * refused.
 *
 * The text has the states of the model, one for one. Zones are the same, too, except that timers
 * are clocks that run on while their rule is not enabled. */
#include "export/xta.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Words of UPPAAL in some version; its built-in functions and types. */
static const char *const reserved_words[] = {"IO",
                                             "INT16_MAX",
                                             "INT16_MIN",
                                             "INT32_MAX",
                                             "INT32_MIN",
                                             "INT8_MAX",
                                             "INT8_MIN",
                                             "Pr",
                                             "UINT16_MAX",
                                             "UINT8_MAX",
                                             "abs",
                                             "acos",
                                             "acosh",
                                             "after_update",
                                             "and",
                                             "asin",
                                             "asinh",
                                             "assert",
                                             "assign",
                                             "atan",
                                             "atan2",
                                             "atanh",
                                             "before_update",
                                             "bool",
                                             "bounds",
                                             "branchpoint",
                                             "break",
                                             "broadcast",
                                             "case",
                                             "cbrt",
                                             "ceil",
                                             "chan",
                                             "clock",
                                             "commit",
                                             "const",
                                             "continue",
                                             "control",
                                             "cos",
                                             "cosh",
                                             "deadlock",
                                             "default",
                                             "do",
                                             "double",
                                             "dynamic",
                                             "else",
                                             "enum",
                                             "erf",
                                             "erfc",
                                             "exists",
                                             "exit",
                                             "exp",
                                             "exp2",
                                             "expm1",
                                             "fabs",
                                             "false",
                                             "fdim",
                                             "fint",
                                             "floor",
                                             "fma",
                                             "fmax",
                                             "fmin",
                                             "fmod",
                                             "for",
                                             "forall",
                                             "foreach",
                                             "gantt",
                                             "guard",
                                             "hybrid",
                                             "hypot",
                                             "if",
                                             "ilogb",
                                             "import",
                                             "imply",
                                             "inf",
                                             "init",
                                             "int",
                                             "int16_t",
                                             "int32_t",
                                             "int8_t",
                                             "isfinite",
                                             "isinf",
                                             "isnan",
                                             "isnormal",
                                             "isunordered",
                                             "ldexp",
                                             "lgamma",
                                             "ln",
                                             "location",
                                             "log",
                                             "log10",
                                             "log1p",
                                             "log2",
                                             "logb",
                                             "max",
                                             "maxE",
                                             "meta",
                                             "min",
                                             "minE",
                                             "nextafter",
                                             "not",
                                             "num",
                                             "numOf",
                                             "or",
                                             "pow",
                                             "priority",
                                             "probability",
                                             "process",
                                             "progress",
                                             "query",
                                             "random",
                                             "random_arcsine",
                                             "random_beta",
                                             "random_gamma",
                                             "random_normal",
                                             "random_poisson",
                                             "random_tri",
                                             "random_weibull",
                                             "rate",
                                             "refinement",
                                             "return",
                                             "round",
                                             "saveStrategy",
                                             "scalar",
                                             "scenario",
                                             "select",
                                             "signbit",
                                             "simulate",
                                             "simulation",
                                             "sin",
                                             "sinh",
                                             "spawn",
                                             "sqrt",
                                             "state",
                                             "strategy",
                                             "string",
                                             "struct",
                                             "sum",
                                             "sup",
                                             "switch",
                                             "sync",
                                             "system",
                                             "tan",
                                             "tanh",
                                             "tgamma",
                                             "trans",
                                             "true",
                                             "trunc",
                                             "typedef",
                                             "uint16_t",
                                             "uint8_t",
                                             "under",
                                             "urgent",
                                             "void",
                                             "while",
                                             "xor",
                                             NULL};

struct xta {
    struct automata a;
    struct text *edges;   /* per process; the last one has no process of the model */
    const char **channel; /* per rule, once it needs one */
    uint32_t *rank;       /* per rule, from 0 */
    uint32_t ranks;
    const char **shared, **hurried; /* per rank: channels of rules with one mover, once needed */
    struct text channels;
    struct text *ranked;      /* per rank: channels */
    const char **never;       /* per process, once it needs such a location */
    const char *steps, *here; /* the automaton without a process, and its location */
    bool has_steps;
    uint32_t *first_deadline, *next_deadline; /* timers by their home */
    int64_t *home_at;
};

/* ---- priorities ---- */

struct signature {
    const uint32_t *classes;
    uint32_t count, rank;
};

static bool is_above(const struct model *model, const uint8_t *above, const struct signature *high,
                     const struct signature *low)
{
    for (uint32_t i = 0; i < high->count; i++)
        for (uint32_t k = 0; k < low->count; k++)
            if (above[(size_t)high->classes[i] * model->class_count + low->classes[k]]) return true;
    return false;
}

static void refuse_priorities(struct xta *x)
{
    const struct model *model = x->a.model;
    uint32_t r = 0;
    while (r + 1 < model->rules.len && !model->rules.data[r].classes) r++;
    automata_refuse(&x->a, model->rules.len ? automata_place(&x->a, r) : (struct place){0},
                    "its priorities are not those of channels, which stand in one order");
}

/* Rules with the same classes have the same rank. Returns how many there are, and the number of
 * each rule's in x->rank. */
static uint32_t find_signatures(struct xta *x, struct signature *list, uint32_t most)
{
    struct model *model = x->a.model;
    struct map known;
    struct text key;
    uint32_t count = 0;
    map_init(&known, model->mem);
    automata_open(&x->a, &key);
    for (uint32_t r = 0; r < model->rules.len && count <= most; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        const uint32_t *classes = model->rule_classes.data + rule->first_class;
        key.len = 0;
        text_add(&key, "classes");
        for (uint32_t i = 0; i < rule->classes; i++) text_add(&key, " %" PRIu32, classes[i]);
        const char *name = names_intern(&model->names, key.data, key.len);
        x->rank[r] = map_get(&known, name, 0);
        if (x->rank[r] != MAP_NONE) continue;
        x->rank[r] = count;
        map_add(&known, name, 0, count);
        if (count < most) list[count] = (struct signature){classes, rule->classes, 0};
        count++;
    }
    mem_free(model->mem, known.entries);
    text_free(&key);
    return count;
}

/* The rank of a rule is how many ranks there are below it. */
static void rank_rules(struct xta *x)
{
    enum { MOST = 2000 };
    struct model *model = x->a.model;
    struct signature *list = mem_alloc(model->mem, (MOST + UINT64_C(1)) * sizeof *list);
    uint32_t count = find_signatures(x, list, MOST);
    if (count > MOST || model->class_count > 2 * MOST) {
        refuse_priorities(x);
        count = 0;
    }
    uint8_t *above =
        mem_alloc(model->mem, count ? (uint64_t)model->class_count * model->class_count + 1 : 1);
    for (uint32_t i = 0; count && i < model->priorities.len; i++)
        above[(size_t)model->priorities.data[i].high * model->class_count
              + model->priorities.data[i].low] = 1;
    uint32_t *below = mem_alloc(model->mem, (count + UINT64_C(1)) * sizeof *below);
    bool *has = mem_alloc(model->mem, count + UINT64_C(1));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) below[i] += is_above(model, above, &list[i], &list[k]);
    for (uint32_t i = 0; i < count; i++) has[below[i]] = true;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < below[i]; n++) list[i].rank += has[n];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (is_above(model, above, &list[i], &list[k]) != (list[i].rank > list[k].rank))
                refuse_priorities(x);
    for (uint32_t r = 0; count && r < model->rules.len; r++) {
        x->rank[r] = list[x->rank[r]].rank;
        if (x->rank[r] >= x->ranks) x->ranks = x->rank[r] + 1;
        if (model->rules.data[r].asks)
            automata_refuse(&x->a, automata_place(&x->a, r),
                            "'%.60s' is held back by a guide, and holds others back all the same",
                            model->rules.data[r].label);
    }
    mem_free(model->mem, list);
    mem_free(model->mem, above);
    mem_free(model->mem, below);
    mem_free(model->mem, has);
}

/* ---- channels ---- */

static const char *declare_channel(struct xta *x, const char *kind, const char *name, uint32_t rank)
{
    text_add(&x->channels, "%s %s;\n", kind, name);
    text_add(&x->ranked[rank], "%s%s", x->ranked[rank].len ? ", " : "", name);
    return name;
}

/* The channel of edges that nobody receives from; NULL: they need none. */
static const char *shared_channel(struct xta *x, uint32_t rank, bool is_urgent)
{
    const char **known = is_urgent ? &x->hurried[rank] : &x->shared[rank];
    const char *stem = is_urgent ? "hurry" : "class";
    if (!is_urgent && !rank) return NULL;
    if (!*known) {
        struct names *names = &x->a.model->names;
        const char *name = rank ? names_format(names, "%s_%" PRIu32, stem, rank) : stem;
        *known = automata_pick(&x->a, 0, name);
        declare_channel(x, is_urgent ? "urgent broadcast chan" : "broadcast chan", *known, rank);
    }
    return *known;
}

static const char *own_channel(struct xta *x, uint32_t r, bool is_broadcast)
{
    const struct model_rule *rule = &x->a.model->rules.data[r];
    static const char *const kinds[] = {"chan", "broadcast chan", "urgent chan",
                                        "urgent broadcast chan"};
    if (!x->channel[r]) {
        x->channel[r] = automata_pick(&x->a, 0, rule->label);
        declare_channel(x, kinds[2 * rule->is_urgent + is_broadcast], x->channel[r], x->rank[r]);
    }
    return x->channel[r];
}

/* ---- edges ---- */

static uint32_t steps_number(const struct xta *x) { return x->a.model->processes.len; }

static const char *never_of(struct xta *x, uint32_t p)
{
    if (!x->never[p]) x->never[p] = automata_pick(&x->a, p + 1, "Never");
    if (x->ranks > 1)
        automata_refuse(&x->a, (struct place){0},
                        "what is urgent and cannot be taken does not go together with priorities");
    return x->never[p];
}

static void add_edge(struct xta *x, uint32_t p, const char *from, const char *to,
                     const char *labels)
{
    struct text *edges = &x->edges[p];
    assert(p <= steps_number(x) && from && to);
    text_add(edges, "%s%s -> %s { %s}", edges->len ? ",\n          " : "    trans ", from, to,
             labels);
}

/* The edges of a mover: one, or one from everywhere; `to` is set: they lead there. */
static void add_edges(struct xta *x, const struct automata_mover *mover, const char *to,
                      const char *labels)
{
    const struct automata *a = &x->a;
    const uint32_t p = mover->process;
    const struct model_var *var = &a->model->vars.data[a->model->processes.data[p].location];
    const int64_t first = mover->is_fixed ? mover->from : var->low,
                  last = mover->is_fixed ? mover->from : var->high;
    for (int64_t from = first; from <= last; from++) {
        const int64_t next = mover->is_moving ? mover->to : from;
        add_edge(x, p, a->location[p][from - var->low], to ? to : a->location[p][next - var->low],
                 labels);
    }
}

static void add_comment(struct xta *x, uint32_t r)
{
    struct automata *a = &x->a;
    const struct place place = automata_place(a, r);
    text_add(a->out, "/* ");
    for (const char *at = a->model->rules.data[r].label; *at; at++)
        text_add(a->out, "%c", (unsigned char)*at < ' ' || *at == '*' || *at == '\\' ? ' ' : *at);
    if (place.line) text_add(a->out, ", line %" PRIu32, place.line);
    text_add(a->out, " */ ");
}

/* The edge that does the work, or (`forbids`) the one that only says that it is urgent. */
static void add_sender(struct xta *x, uint32_t r, const struct automata_movers *movers,
                       bool forbids)
{
    struct automata *a = &x->a;
    const uint32_t count = movers->list.len,
                   p = count ? movers->list.data[0].process : steps_number(x);
    const bool is_urgent = a->model->rules.data[r].is_urgent;
    const char *channel =
        count > 1 ? own_channel(x, r, count > 2) : shared_channel(x, x->rank[r], is_urgent);
    struct automata_list guard = {"guard ", " && ", 0}, assign = {"assign ", ", ", 0};
    struct text labels;
    automata_open(a, &labels);
    a->out = &labels;
    add_comment(x, r);
    automata_guard(a, r, movers, count > 2, forbids, &guard);
    if (guard.count) text_add(&labels, "; ");
    if (channel) text_add(&labels, "sync %s!; ", channel);
    if (!forbids) automata_effect(a, r, &assign);
    if (assign.count) text_add(&labels, "; ");
    const char *never = forbids ? never_of(x, p) : NULL;
    if (count) add_edges(x, &movers->list.data[0], never, labels.data);
    else {
        x->has_steps = true;
        add_edge(x, p, x->here, never ? never : x->here, labels.data);
    }
    text_free(&labels);
}

static void add_rule(struct xta *x, uint32_t r, struct automata_movers *movers)
{
    struct automata *a = &x->a;
    const struct model_rule *rule = &a->model->rules.data[r];
    const bool forbids = rule->asks && rule->is_urgent;
    mem_look(a->model->mem);
    automata_movers(a, r, 2, movers);
    if (!forbids || !expr_is_false(&a->model->exprs, rule->permit)) add_sender(x, r, movers, false);
    if (forbids) add_sender(x, r, movers, true);
    for (uint32_t i = 1; i < movers->list.len; i++) {
        const char *labels =
            names_format(&a->model->names, "sync %s?; ", own_channel(x, r, movers->list.len > 2));
        add_edges(x, &movers->list.data[i], NULL, labels);
    }
}

/* ---- locations ---- */

static void add_invariants(struct xta *x, const struct model_location *location, expr when,
                           struct automata_list *list)
{
    struct automata *a = &x->a;
    struct exprs *exprs = &a->model->exprs;
    for (uint32_t i = 0; i < location->invariants; i++) {
        struct clock_constraint one = a->model->constraints.data[location->first_invariant + i];
        one.when = one.is_conditional ? expr_make(exprs, EXPR_AND, 0, when, one.when) : when;
        one.is_conditional = !expr_is_true(exprs, one.when);
        automata_constraint(a, &one, list);
    }
}

static void add_deadlines(struct xta *x, uint32_t p, int64_t at, struct automata_list *list)
{
    const uint32_t process = p == steps_number(x) ? MODEL_NONE : p;
    for (uint32_t r = x->first_deadline[p]; r != MODEL_NONE; r = x->next_deadline[r])
        if (process == MODEL_NONE || x->home_at[r] == at)
            automata_deadline(&x->a, r, process, list);
}

static void find_deadlines(struct xta *x)
{
    const struct model *model = x->a.model;
    for (uint32_t p = 0; p <= model->processes.len; p++) x->first_deadline[p] = MODEL_NONE;
    for (uint32_t r = model->rules.len; r--;) {
        const struct model_rule *rule = &model->rules.data[r];
        if (rule->interval == MODEL_NONE) continue;
        if (!code_is_none(rule->body) && model_rule_may_fail(model, r)
            && model_may_block(model, rule->body, x->a.blocks))
            automata_refuse(&x->a, automata_place(&x->a, r),
                            "'%.60s' has a time interval, and code that may fail where it decides "
                            "whether it is taken",
                            rule->label);
        if (model->intervals.data[rule->interval].infinite) continue;
        uint32_t home = automata_home(&x->a, r, &x->home_at[r]);
        if (home == MODEL_NONE) home = steps_number(x);
        x->next_deadline[r] = x->first_deadline[home];
        x->first_deadline[home] = r;
    }
}

static void write_process(struct xta *x, uint32_t p)
{
    struct automata *a = &x->a;
    struct model *model = a->model;
    const struct model_var *var = &model->vars.data[model->processes.data[p].location];
    struct automata_list states = {"    state ", ",\n          ", 0},
                         urgent = {"    urgent ", ", ", 0};
    struct text hurry, *out = a->out;
    assert(a->keeps[p]);
    const char *first = NULL;
    automata_open(a, &hurry);
    text_add(out, "\nprocess %s() {\n", a->name[p]);
    for (int64_t v = 0; v <= var->high - var->low; v++) {
        struct automata_list invariant = {" { ", " && ", 0};
        const uint32_t l = a->location_at[p][v];
        automata_next(a, &states);
        text_add(out, "%s", a->location[p][v]);
        if (l != MODEL_NONE)
            add_invariants(x, &model->locations.data[l], expr_bool(&model->exprs, true),
                           &invariant);
        add_deadlines(x, p, var->low + v, &invariant);
        if (invariant.count) text_add(out, " }");
        if (a->starts[p][v]) first = a->location[p][v];
        if (l == MODEL_NONE || !model->locations.data[l].is_urgent) continue;
        a->out = &hurry;
        automata_next(a, &urgent);
        a->out = out;
        text_add(&hurry, "%s", a->location[p][v]);
    }
    if (x->never[p]) text_add(out, ",\n          %s { false }", x->never[p]);
    text_add(out, ";\n%s%s    init %s;\n", hurry.data, urgent.count ? ";\n" : "", first);
    if (x->edges[p].len) text_add(out, "%s;\n", x->edges[p].data);
    text_add(out, "}\n");
    text_free(&hurry);
}

/* ---- what belongs to no automaton ---- */

static bool has_flat_locations(const struct automata *a, uint32_t p)
{
    return !a->keeps[p] && a->model->processes.data[p].location != MODEL_NONE;
}

static expr stands(struct automata *a, uint32_t p, int64_t value)
{
    struct exprs *exprs = &a->model->exprs;
    return expr_make(exprs, EXPR_EQ, 0,
                     model_var_expr(a->model, a->model->processes.data[p].location),
                     expr_int(exprs, value));
}

/* Urgent locations of processes that are not kept. */
static void add_hurry(struct xta *x)
{
    struct automata *a = &x->a;
    const struct model *model = a->model;
    for (uint32_t p = 0; p < model->processes.len; p++)
        for (uint32_t l = 0; has_flat_locations(a, p) && l < model->processes.data[p].locations;
             l++) {
            const struct model_location location =
                model->locations.data[model->processes.data[p].first_location + l];
            struct text labels;
            if (!location.is_urgent) continue;
            automata_open(a, &labels);
            a->out = &labels;
            text_add(&labels, "guard ");
            automata_expr(a, stands(a, p, location.value));
            text_add(&labels, "; sync %s!; ", shared_channel(x, 0, true));
            x->has_steps = true;
            add_edge(x, steps_number(x), x->here, never_of(x, steps_number(x)), labels.data);
            text_free(&labels);
        }
}

static void write_steps(struct xta *x)
{
    struct automata *a = &x->a;
    const struct model *model = a->model;
    const uint32_t number = steps_number(x);
    struct automata_list invariant = {" { ", " && ", 0};
    struct text whole, *out = a->out;
    automata_open(a, &whole);
    a->out = &whole;
    for (uint32_t p = 0; p < model->processes.len; p++)
        for (uint32_t l = 0; has_flat_locations(a, p) && l < model->processes.data[p].locations;
             l++) {
            const struct model_location location =
                model->locations.data[model->processes.data[p].first_location + l];
            if (location.invariants)
                add_invariants(x, &location, stands(a, p, location.value), &invariant);
        }
    add_deadlines(x, number, 0, &invariant);
    a->out = out;
    bool any = false;
    for (uint32_t p = 0; p < model->processes.len; p++) any |= a->keeps[p];
    x->has_steps |= invariant.count || !any;
    if (x->has_steps) {
        text_add(out, "\nprocess %s() {\n    state %s%s%s", x->steps, x->here, whole.data,
                 invariant.count ? " }" : "");
        if (x->never[number]) text_add(out, ", %s { false }", x->never[number]);
        text_add(out, ";\n    init %s;\n", x->here);
        if (x->edges[number].len) text_add(out, "%s;\n", x->edges[number].data);
        text_add(out, "}\n");
    }
    text_free(&whole);
}

/* ---- declarations ---- */

static void write_variables(struct xta *x)
{
    struct automata *a = &x->a;
    const struct model *model = a->model;
    struct text *out = a->out;
    for (uint32_t i = 0; i < a->arrays.len; i++) {
        const struct automata_array *array = &a->arrays.data[i];
        if (array->is_gone) continue;
        text_add(out, "%sint[%" PRId64 ",%" PRId64 "] %s", array->is_fresh ? "meta " : "",
                 array->low, array->high, array->name);
        if (array->count > 1) text_add(out, "[%" PRIu32 "] = {", array->count);
        for (uint32_t k = 0; k < array->count; k++)
            text_add(out, "%s%" PRId64,
                     array->count == 1 ? " = "
                     : k               ? ", "
                                       : "",
                     a->initial[array->first + k]);
        text_add(out, array->count > 1 ? "};\n" : ";\n");
    }
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const uint32_t v = model->processes.data[p].location;
        if (!a->keeps[p] || !a->is_numbered[p]) continue;
        text_add(out, "int[%" PRId64 ",%" PRId64 "] %s = %" PRId64 "; // where %s stands\n",
                 model->vars.data[v].low, model->vars.data[v].high, a->number[p], a->initial[v],
                 a->name[p]);
    }
    for (uint32_t c = 0; c < model->clocks.len; c++) {
        text_add(out, "clock %s", a->clock[c]);
        if (model->clocks.data[c].init) text_add(out, " = %" PRId64, model->clocks.data[c].init);
        text_add(out, ";\n");
    }
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (a->timer[r]) text_add(out, "clock %s;\n", a->timer[r]);
    for (uint32_t t = 0; t < model->tables.len; t++) {
        const struct model_table *table = &model->tables.data[t];
        if (!a->uses_table[t]) continue;
        text_add(out, "const int[%" PRId64 ",%" PRId64 "] %s[%" PRIu32 "] = {", table->low,
                 table->high, a->table[t], table->count);
        for (uint32_t i = 0; i < table->count; i++)
            text_add(out, i ? ", %" PRId32 : "%" PRId32, table->values[i]);
        text_add(out, "};\n");
    }
}

static void write_channels(struct xta *x)
{
    struct text *out = x->a.out;
    text_add(out, "%s", x->channels.data);
    if (x->ranks < 2) return;
    text_add(out, "chan priority default");
    for (uint32_t i = 0; i < x->ranks; i++)
        if (x->ranked[i].len) text_add(out, "%s%s", i ? " < " : ", ", x->ranked[i].data);
    text_add(out, ";\n");
}

static void write_functions(struct xta *x)
{
    const struct automata *a = &x->a;
    struct text *out = a->out;
    if (a->withins.len || a->has_fails || a->functions.len)
        text_add(out, "\ntypedef int[-%d,%d] num;\n", NUMBER_MAX, NUMBER_MAX);
    for (uint32_t i = 0; i < a->withins.len; i++)
        text_add(out,
                 "num %s(num v) {\n    int[%" PRId64 ",%" PRId64 "] w = v;\n    return w;\n}\n",
                 a->withins.data[i].name, a->withins.data[i].low, a->withins.data[i].high);
    if (a->has_fails)
        text_add(out, "num %s() {\n    int[0,0] w = 0;\n    w = w + 1;\n    return w;\n}\n",
                 a->fails);
    text_add(out, "%s", a->functions.data);
}

static void write_system(struct xta *x)
{
    const struct automata *a = &x->a;
    uint32_t count = 0;
    text_add(a->out, "\nsystem ");
    for (uint32_t p = 0; p < a->model->processes.len; p++)
        if (a->keeps[p]) text_add(a->out, "%s%s", count++ ? ", " : "", a->name[p]);
    if (x->has_steps) text_add(a->out, "%s%s", count ? ", " : "", x->steps);
    text_add(a->out, ";\n");
}

/* ---- queries ---- */

/* A[] p or E<> p; NULL: it is neither, and *why says why. */
static const char *prefix_of(const struct model *model, const struct model_property *property,
                             formula *p, const char **why)
{
    const struct formula_node *node = formula_get(&model->formulas, property->root), *below;
    *p = property->root;
    *why = "UPPAAL's queries have one temporal operator, and count resting for ever as a run";
    if (property->kind == PROPERTY_INVARIANT) return "A[] ";
    if (property->kind == PROPERTY_REACH) return "E<> ";
    if (property->kind == PROPERTY_CTL && (node->op == FORMULA_A || node->op == FORMULA_E)) {
        below = formula_get(&model->formulas, node->a);
        *p = below->a;
        if (formula_get(&model->formulas, below->a)->op != FORMULA_ATOM) return NULL;
        if (node->op == FORMULA_A && below->op == FORMULA_G) return "A[] ";
        if (node->op == FORMULA_E && below->op == FORMULA_F) return "E<> ";
    }
    if (property->kind == PROPERTY_LTL && node->op == FORMULA_G) {
        *p = node->a;
        if (formula_get(&model->formulas, node->a)->op == FORMULA_ATOM) return "A[] ";
    }
    return NULL;
}

static void write_extent(struct xta *x, const struct model_query *query)
{
    static const char *const words[] = {
        [QUERY_SUP] = "sup", [QUERY_INF] = "inf", [QUERY_BOUNDS] = "bounds"};
    struct automata *a = &x->a;
    text_add(a->out, "%s{", words[query->kind]);
    automata_formula(a, query->p);
    text_add(a->out, "}: ");
    for (uint32_t i = 0; i < query->terms; i++) {
        const struct query_term *term = &a->model->query_terms.data[query->first_term + i];
        if (i) text_add(a->out, ", ");
        if (term->is_clock) text_add(a->out, "%s", a->clock[term->clock]);
        else automata_expr(a, term->value);
    }
}

static void write_query(struct xta *x, const struct model_query *query)
{
    static const char *const prefixes[] = {[QUERY_ALWAYS] = "A[] ",
                                           [QUERY_SOMETIME] = "E<> ",
                                           [QUERY_KEEPS] = "E[] ",
                                           [QUERY_MEETS] = "A<> ",
                                           [QUERY_LEADS] = ""};
    assert(query->kind <= QUERY_BOUNDS);
    if (query->kind >= QUERY_SUP) {
        write_extent(x, query);
        return;
    }
    text_add(x->a.out, "%s", prefixes[query->kind]);
    automata_formula(&x->a, query->p);
    if (query->kind != QUERY_LEADS) return;
    text_add(x->a.out, " --> ");
    automata_formula(&x->a, query->q);
}

static void write_queries(struct xta *x)
{
    struct automata *a = &x->a;
    struct model *model = a->model;
    bool has_queries = false;
    a->in_query = true;
    for (uint32_t i = 0; i < model->properties.len; i++) {
        const struct model_property *property = &model->properties.data[i];
        const char *why = NULL;
        formula p;
        if (property->kind == PROPERTY_DEADLOCK || property->kind == PROPERTY_RUNTIME_ERROR)
            continue;
        has_queries |= property->kind == PROPERTY_QUERY;
        automata_comment(a, "// ", property->name);
        automata_comment(a, ": ", property->text);
        text_add(a->out, "\n");
        if (property->kind == PROPERTY_QUERY) write_query(x, &model->queries.data[property->query]);
        else {
            const char *prefix = prefix_of(model, property, &p, &why);
            text_add(a->out, "%s", prefix ? prefix : "// is left out: ");
            if (prefix) automata_formula(a, p);
            else text_add(a->out, "%s", why);
        }
        text_add(a->out, "\n");
    }
    if (!has_queries) { /* UPPAAL's own models ask for it where they want to know */
        text_add(a->out, "// deadlock\nA[] !deadlock");
        if (model->has_final) text_add(a->out, " || (");
        if (model->has_final) automata_expr(a, model->final);
        text_add(a->out, model->has_final ? ")\n" : "\n");
    }
    a->in_query = false;
}

/* ---- the files ---- */

static void write_rules(struct xta *x)
{
    struct model *model = x->a.model;
    struct automata_movers movers = {0};
    for (uint32_t r = 0; r < model->rules.len && !x->a.refusal.reason; r++) add_rule(x, r, &movers);
    add_hurry(x);
    vec_free(model->mem, &movers.list);
}

/* One pass: processes and queries; then, what they need is known. */
static void compose(struct xta *x, struct text *processes, struct text *queries)
{
    struct automata *a = &x->a;
    a->pass++;
    automata_clear(&a->functions);
    automata_clear(processes);
    automata_clear(queries);
    for (uint32_t p = 0; p <= a->model->processes.len; p++) automata_clear(&x->edges[p]);
    write_rules(x);
    a->out = processes;
    for (uint32_t p = 0; p < a->model->processes.len && !a->refusal.reason; p++)
        if (a->keeps[p]) write_process(x, p);
    write_steps(x);
    a->out = queries;
    write_queries(x);
}

static void start(struct xta *x, struct model *model)
{
    struct arena *arena = &model->arena;
    const uint64_t rules = model->rules.len + UINT64_C(1),
                   processes = model->processes.len + UINT64_C(1);
    *x = (struct xta){0};
    automata_start(&x->a, model, AUTOMATA_XTA, reserved_words);
    x->edges = arena_alloc(arena, processes * sizeof *x->edges);
    for (uint32_t p = 0; p < processes; p++) automata_open(&x->a, &x->edges[p]);
    x->channel = arena_alloc(arena, rules * sizeof *x->channel);
    x->rank = arena_alloc(arena, rules * sizeof *x->rank);
    x->ranks = 1;
    if (model->priorities.len) rank_rules(x);
    x->shared = arena_alloc(arena, x->ranks * sizeof *x->shared);
    x->hurried = arena_alloc(arena, x->ranks * sizeof *x->hurried);
    x->ranked = arena_alloc(arena, x->ranks * sizeof *x->ranked);
    for (uint32_t i = 0; i < x->ranks; i++) automata_open(&x->a, &x->ranked[i]);
    automata_open(&x->a, &x->channels);
    x->never = arena_alloc(arena, processes * sizeof *x->never);
    x->first_deadline = arena_alloc(arena, processes * sizeof *x->first_deadline);
    x->next_deadline = arena_alloc(arena, rules * sizeof *x->next_deadline);
    x->home_at = arena_alloc(arena, rules * sizeof *x->home_at);
    x->steps = automata_pick(&x->a, 0, "Steps");
    x->here = automata_pick(&x->a, steps_number(x) + 1, "Here");
    find_deadlines(x);
}

static void finish(struct xta *x)
{
    for (uint32_t p = 0; p <= x->a.model->processes.len; p++) text_free(&x->edges[p]);
    for (uint32_t i = 0; i < x->ranks; i++) text_free(&x->ranked[i]);
    text_free(&x->channels);
    automata_finish(&x->a);
}

static struct automata_refusal write_file(struct model *model, FILE *file, bool is_query_file)
{
    struct xta x;
    struct text head, processes, queries;
    struct automata *a = &x.a;
    start(&x, model);
    automata_open(a, &head);
    automata_open(a, &processes);
    automata_open(a, &queries);
    for (unsigned pass = 0; pass < 2 && !a->refusal.reason; pass++)
        compose(&x, &processes, &queries);
    const struct automata_refusal refusal = a->refusal;
    a->out = &head;
    if (!refusal.reason && is_query_file) fputs(queries.data, file);
    else if (!refusal.reason) {
        automata_comment(a, "// ", model->name);
        text_add(&head, ", written by cairn\n");
        automata_legend(a, "// ");
        text_add(&head, "\n");
        write_variables(&x);
        write_channels(&x);
        write_functions(&x);
        fputs(head.data, file);
        automata_clear(&head);
        write_system(&x);
        fputs(processes.data, file);
        fputs(head.data, file);
    }
    text_free(&head);
    text_free(&processes);
    text_free(&queries);
    finish(&x);
    return refusal;
}

struct automata_refusal xta_write(struct model *model, FILE *out)
{
    return write_file(model, out, false);
}

struct automata_refusal xta_write_queries(struct model *model, FILE *out)
{
    return write_file(model, out, true);
}
