/* The steps of the system. A path without communication is a rule of its process alone. A port
 * fires when everybody who must take part has a path on it: one rule for every combination of
 * paths.
 *
 * Who must take part: in OBP's reading (the default) every instance that is connected to the port;
 * in frac's (--dialect frac) those blocks of a `par` that have it in their interface together, and
 * each of the others alone.
 *
 * Order within a synchronisation: what comes before the communication, in all parties; the values
 * of senders; the patterns of receivers; what follows, in senders, then in receivers. */
#include "lang/fiacre/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
    MAX_RULES = 2000000,
    MAX_PARTIES = 64,
    MAX_WAYS = 10000,
    MAX_VALUES = 65536,
    MAX_EXCHANGED = 64
};

struct party {
    struct instance *instance;
    struct path *path;
};

/* A set of instances that fire a port together. */
struct way {
    uint32_t instances[MAX_PARTIES];
    uint32_t count;
};

struct ways {
    VEC(struct way) list;
    bool too_many;
};

static struct exprs *exprs_of(struct fiacre *f) { return &f->model->exprs; }

/* ---- who takes part ---- */

static bool is_connected(const struct instance *instance, uint32_t port)
{
    for (uint32_t i = 0; i < instance->ports.len; i++)
        if (instance->ports.data[i] == port) return true;
    return false;
}

static void ways_obp(struct fiacre *f, uint32_t port, struct ways *ways)
{
    struct way way = {.count = 0};
    for (uint32_t i = 0; i < f->instances.len; i++) {
        if (!is_connected(&f->instances.data[i], port)) continue;
        if (way.count == MAX_PARTIES) {
            ways->too_many = true;
            return;
        }
        way.instances[way.count++] = i;
    }
    if (way.count) vec_push(f->model->mem, &ways->list, way);
}

static bool has_in_interface(const struct group *group, uint32_t port)
{
    bool found = group->all;
    for (uint32_t i = 0; i < group->interface.len; i++) found |= group->interface.data[i] == port;
    return found;
}

/* Every way of one list with every way of the other. */
static void combine(struct fiacre *f, struct ways *together, const struct ways *more)
{
    struct ways result = {0};
    for (uint32_t a = 0; a < together->list.len; a++)
        for (uint32_t b = 0; b < more->list.len; b++) {
            struct way way = together->list.data[a];
            const struct way *other = &more->list.data[b];
            if (way.count + other->count > MAX_PARTIES || result.list.len >= MAX_WAYS) {
                together->too_many = true;
                continue;
            }
            assert(other->count && other->count < MAX_PARTIES);
            memcpy(way.instances + way.count, other->instances,
                   other->count * sizeof *other->instances);
            way.count += other->count;
            vec_push(f->model->mem, &result.list, way);
        }
    vec_free(f->model->mem, &together->list);
    together->list.data = result.list.data;
    together->list.len = result.list.len;
    together->list.cap = result.list.cap;
}

static void ways_frac(struct fiacre *f, const struct group *group, uint32_t port, struct ways *ways)
{
    struct mem *mem = f->model->mem;
    if (group->is_instance) {
        if (is_connected(&f->instances.data[group->instance], port))
            vec_push(mem, &ways->list, ((struct way){.instances = {group->instance}, .count = 1}));
        return;
    }
    struct ways together = {0}, inner = {0};
    bool first = true;
    for (const struct group *block = group->blocks; block; block = block->next) {
        inner.list.len = 0;
        ways_frac(f, block, port, &inner);
        ways->too_many |= inner.too_many;
        if (!inner.list.len) continue; /* it does not know the port */
        if (!has_in_interface(block, port)) {
            for (uint32_t i = 0; i < inner.list.len; i++)
                vec_push(mem, &ways->list, inner.list.data[i]);
        } else if (first) {
            for (uint32_t i = 0; i < inner.list.len; i++)
                vec_push(mem, &together.list, inner.list.data[i]);
            first = false;
        } else combine(f, &together, &inner);
    }
    ways->too_many |= together.too_many;
    for (uint32_t i = 0; i < together.list.len; i++)
        vec_push(mem, &ways->list, together.list.data[i]);
    vec_free(mem, &together.list);
    vec_free(mem, &inner.list);
}

/* A way may only differ in its order. */
static bool same_ways(const struct ways *a, const struct ways *b)
{
    if (a->list.len != b->list.len) return false;
    for (uint32_t i = 0; i < a->list.len; i++) {
        const struct way *x = &a->list.data[i], *y = &b->list.data[i];
        if (x->count != y->count) return false;
        for (uint32_t k = 0; k < x->count; k++) {
            bool found = false;
            for (uint32_t m = 0; m < y->count; m++) found |= y->instances[m] == x->instances[k];
            if (!found) return false;
        }
    }
    return true;
}

/* ---- one rule ---- */

struct synchronisation {
    struct fiacre *f;
    uint32_t port; /* MODEL_NONE: no communication */
    struct party parties[MAX_PARTIES];
    uint32_t count;
    /* what is exchanged */
    uint32_t value_count;
    const struct type **types; /* NULL entries: not known */
    struct value *values;
    uint64_t *choices; /* of components that nobody sends: how many values ... */
    uint64_t choice;   /* ... and which one, counted through */
};

static struct fiacre_stmt *comm_of(const struct party *party)
{
    return party->path->comm == MODEL_NONE ? NULL : party->path->steps[party->path->comm].stmt;
}

/* The name that one of the transitions was given, or NULL. */
static const char *own_name(const struct synchronisation *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->parties[i].path->label) return s->parties[i].path->label;
    return NULL;
}

static const char *label_of(const struct synchronisation *s)
{
    struct fiacre *f = s->f;
    if (own_name(s)) return own_name(s);
    if (s->port != MODEL_NONE) return f->ports.data[s->port].name;
    const struct path *path = s->parties[0].path;
    const struct model_process *process =
        &f->model->processes.data[s->parties[0].instance->process];
    return names_format(&f->model->names, "%s->%s",
                        f->model->locations.data[process->first_location + path->from].name,
                        f->model->locations.data[process->first_location + path->to].name);
}

static uint32_t interval_of(struct fiacre *f, struct fiacre_interval *interval)
{
    if (!interval || (interval->unbounded && !interval->low.numerator && !interval->low_open))
        return MODEL_NONE;
    for (uint32_t i = 0; i < f->intervals.len; i++)
        if (f->intervals.data[i] == interval) return i;
    assert(f->intervals.len == f->model->intervals.len);
    vec_push(f->model->mem, &f->intervals, interval);
    vec_push(f->model->mem, &f->model->intervals, ((struct model_interval){0}));
    return f->intervals.len - 1;
}

static bool lower_values(struct synchronisation *s, struct lowering *l)
{
    struct fiacre *f = s->f;
    for (uint32_t p = 0; p < s->count; p++) {
        struct fiacre_stmt *stmt = comm_of(&s->parties[p]);
        if (stmt->kind != FIACRE_STMT_SEND) continue;
        l->env = s->parties[p].instance->env;
        uint32_t n = 0;
        for (struct fiacre_exp *exp = stmt->exps; exp; exp = exp->next, n++) {
            struct value value;
            expr equal;
            if (exp->kind == FIACRE_EXP_ANY) continue;
            if (!lower_exp(l, exp, s->types[n], &value)) return false;
            if (s->types[n] && !type_matches(s->types[n], value.type)) {
                complain(f, exp, DIAG_TYPE, exp->place,
                         "the channel of '%.60s' carries other values",
                         f->ports.data[s->port].name);
                return false;
            }
            if (s->types[n] && s->types[n]->kind == TYPE_INT) /* a value must fit its channel */
                value.e = expr_within(exprs_of(f), value.e, s->types[n]->low, s->types[n]->high,
                                      FAILURE_RANGE);
            if (!s->values[n].type) {
                s->values[n] = value_keep(&l->code, value, exp->place);
                continue;
            }
            if (!lower_equal(l, &s->values[n], &value, exp->place, &equal)) return false;
            emit_require(&l->code, equal, exp->place, 0);
        }
    }
    return true;
}

/* Components that nobody gives: the value number s->choice. */
static void choose_values(struct synchronisation *s, struct lowering *l)
{
    uint64_t choice = s->choice;
    for (uint32_t n = 0; n < s->value_count; n++) {
        if (!s->choices[n]) continue;
        const struct type *type = s->types[n];
        assert(type && !s->values[n].type);
        uint64_t number = type_take_choice(type, MAX_VALUES, &choice);
        if (type_is_scalar(type)) {
            int64_t value;
            type_nth(type, number, &value);
            s->values[n] =
                value_scalar(type, type->kind == TYPE_BOOL ? expr_bool(exprs_of(s->f), value)
                                                           : expr_int(exprs_of(s->f), value));
            continue;
        }
        struct cell made = emit_local(s->f->model, type, "temporary");
        emit_nth(&l->code, type, &made, number, comm_of(&s->parties[0])->place);
        s->values[n] = value_cells(s->f->model, type, &made);
    }
    assert(!choice); /* there is no such combination */
}

static bool receive_values(struct synchronisation *s, struct lowering *l)
{
    for (uint32_t p = 0; p < s->count; p++) {
        struct fiacre_stmt *stmt = comm_of(&s->parties[p]);
        if (stmt->kind != FIACRE_STMT_RECEIVE) continue;
        l->env = s->parties[p].instance->env;
        uint32_t n = 0;
        expr cond;
        for (struct fiacre_exp *pattern = stmt->patterns; pattern; pattern = pattern->next, n++) {
            assert(n < s->value_count && s->values[n].type); /* sent, or chosen */
            if (!pattern_condition(l, pattern, &s->values[n], &cond)) return false;
            emit_require(&l->code, cond, pattern->place, 0);
        }
        n = 0;
        for (struct fiacre_exp *pattern = stmt->patterns; pattern; pattern = pattern->next, n++)
            if (!pattern_assign(l, pattern, &s->values[n])) return false;
        if (!stmt->exp) continue;
        if (!lower_condition(l, stmt->exp, &cond)) return false;
        emit_condition(l, cond, stmt->exp, false);
    }
    return true;
}

static bool lower_tails(struct synchronisation *s, struct lowering *l, bool receivers)
{
    for (uint32_t p = 0; p < s->count; p++) {
        const struct path *path = s->parties[p].path;
        assert(path->comm < path->count && path->port == s->port);
        if ((comm_of(&s->parties[p])->kind == FIACRE_STMT_RECEIVE) != receivers) continue;
        l->env = s->parties[p].instance->env;
        if (!paths_lower(l, path, path->comm + 1, path->count)) return false;
    }
    return true;
}

static bool lower_parties(struct synchronisation *s, struct lowering *l)
{
    for (uint32_t p = 0; p < s->count; p++) {
        const struct path *path = s->parties[p].path;
        l->env = s->parties[p].instance->env;
        if (!paths_lower(l, path, 0, s->port == MODEL_NONE ? path->count : path->comm))
            return false;
    }
    if (s->port == MODEL_NONE) return true;
    memset(s->values, 0, s->value_count * sizeof *s->values);
    choose_values(s, l);
    return lower_values(s, l) && receive_values(s, l) && lower_tails(s, l, false)
           && lower_tails(s, l, true);
}

/* Code that only gives variables new values, none of which it reads again, is a parallel
 * assignment: engines like that better. */
static bool is_parallel(struct fiacre *f, statement first)
{
    struct model *model = f->model;
    for (statement at = first; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        if (node->op != CODE_SET || node->target.local
            || expr_get(&model->exprs, node->target.offset)->op != EXPR_CONST)
            return false;
    }
    return true;
}

struct reads {
    struct model *model;
    statement first, end;
    bool found;
};

static void find_write(void *context, uint32_t var)
{
    struct reads *reads = context;
    for (statement at = reads->first; at.i != reads->end.i; at = reads->model->code.data[at.i].next)
        reads->found |= reads->model->code.data[at.i].target.base == var;
}

static bool reads_local(const struct exprs *exprs, expr e)
{
    const struct expr_node *node = expr_get(exprs, e);
    if (node->op == EXPR_LOCAL || node->op == EXPR_LOCAL_AT) return true;
    if (expr_table[node->op].arity >= 1 && reads_local(exprs, node->a)) return true;
    if (expr_table[node->op].arity >= 2 && reads_local(exprs, node->b)) return true;
    return expr_table[node->op].arity >= 3 && reads_local(exprs, node->c);
}

enum { MAX_PARALLEL = 32 };

static bool make_parallel(struct fiacre *f, statement first)
{
    struct model *model = f->model;
    struct reads reads = {.model = model, .first = first};
    uint32_t count = 0;
    if (!is_parallel(f, first)) return false;
    for (statement at = first; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        if (++count > MAX_PARALLEL || expr_get(&model->exprs, node->target.offset)->value
            || reads_local(&model->exprs, node->value))
            return false;
        reads.end = at;
        find_write(&reads, node->target.base);
        expr_each_var(&model->exprs, node->value, find_write, &reads);
        if (reads.found) return false;
    }
    for (statement at = first; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node node = model->code.data[at.i];
        model_add_store(model, node.target.base, node.value, node.place);
    }
    return true;
}

/* The class of a group of a select with `unless`, per instance. */
struct unless_class {
    const struct instance *instance;
    const struct fiacre_stmt *select;
    uint32_t group, priority_class;
};

struct rules {
    struct fiacre *f;
    struct dead_steps dead;
    uint32_t first_remark,
        remarks; /* ports on which the dialects differ: the first, and how many */
    VEC(struct unless_class) unless;
};

static uint32_t unless_class(struct rules *rules, const struct instance *instance,
                             const struct fiacre_stmt *select, uint32_t group)
{
    struct model *model = rules->f->model;
    for (uint32_t i = 0; i < rules->unless.len; i++) {
        const struct unless_class *known = &rules->unless.data[i];
        if (known->instance == instance && known->select == select && known->group == group)
            return known->priority_class;
    }
    uint32_t made = model->class_count++;
    for (uint32_t i = 0; i < rules->unless.len; i++) {
        const struct unless_class *known = &rules->unless.data[i];
        if (known->instance != instance || known->select != select) continue;
        struct model_priority priority = {made, known->priority_class};
        if (known->group > group) priority = (struct model_priority){known->priority_class, made};
        vec_push(model->mem, &model->priorities, priority);
    }
    vec_push(model->mem, &rules->unless, ((struct unless_class){instance, select, group, made}));
    return made;
}

static int by_number(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static void add_classes(struct rules *rules, const struct synchronisation *s)
{
    struct fiacre *f = s->f;
    uint32_t classes[MAX_PARTIES + 1], count = 0;
    if (s->port != MODEL_NONE && f->ports.data[s->port].priority_class != MODEL_NONE)
        classes[count++] = f->ports.data[s->port].priority_class;
    for (uint32_t p = 0; p < s->count; p++)
        if (s->parties[p].path->select)
            classes[count++] = unless_class(rules, s->parties[p].instance,
                                            s->parties[p].path->select, s->parties[p].path->group);
    for (uint32_t i = 1; i < count; i++) /* few: by insertion */
        for (uint32_t k = i; k > 0 && by_number(classes[k - 1], classes[k]) > 0; k--) {
            uint32_t held = classes[k];
            classes[k] = classes[k - 1];
            classes[k - 1] = held;
        }
    assert(count <= MAX_PARTIES + 1);
    for (uint32_t i = 0; i < count; i++) model_add_class(f->model, classes[i]);
}

/* A rule that can never be taken is left out, all but its names: nothing refers to it yet. */
static void withdraw_rule(struct rules *rules)
{
    struct model *model = rules->f->model;
    const struct model_rule *rule = &model->rules.data[model->rules.len - 1];
    struct model_dead_step step = {.label = rule->label,
                                   .port = rule->port,
                                   .is_internal = rule->is_internal,
                                   .processes = rule->parts};
    uint32_t processes[MAX_PARTIES];
    for (uint32_t i = 0; i < rule->parts; i++)
        processes[i] = model->parts.data[rule->first_part + i].process;
    dead_note(&rules->dead, step, processes);
    model->parts.len = rule->first_part;
    model->conjuncts.len = rule->first_conjunct;
    model->stores.len = rule->first_store;
    model->rule_classes.len = rule->first_class;
    model->rules.len--;
}

/* Who only waits at a port neither sends nor receives. */
static enum part_role role_of(const struct party *party)
{
    const struct fiacre_stmt *comm = comm_of(party);
    if (comm && comm->kind == FIACRE_STMT_SEND && comm->exp_count) return PART_SENDS;
    return comm && comm->kind == FIACRE_STMT_RECEIVE ? PART_RECEIVES : PART_PLAIN;
}

static bool add_rule(struct rules *rules, struct synchronisation *s)
{
    struct fiacre *f = s->f;
    struct model *model = f->model;
    struct code_sequence body = code_sequence_empty();
    struct lowering l = {.f = f, .code = {.model = f->model, .out = &body, .in_rule = true}};
    if (model->rules.len >= MAX_RULES) {
        diag_error(f->diag, DIAG_LIMIT, s->parties[0].path->place,
                   "the system has more than %d rules", MAX_RULES);
        return false;
    }
    model_begin_rule(model, label_of(s));
    for (uint32_t p = 0; p < s->count; p++) {
        const struct path *path = s->parties[p].path;
        uint32_t location = s->parties[p].instance->location;
        model_add_part(model, s->parties[p].instance->process, path->place);
        model->parts.data[model->parts.len - 1].stays = path->stays;
        model_set_role(model, role_of(&s->parties[p]));
        expr here = expr_var_in(exprs_of(f), location, 0, model->vars.data[location].high);
        model_add_conjunct(
            model, expr_make(exprs_of(f), EXPR_EQ, 0, here, expr_int(exprs_of(f), path->from)),
            path->transition->state_place);
        if (path->to != path->from)
            model_add_store(model, location, expr_int(exprs_of(f), path->to), path->place);
    }
    uint32_t rule = model->rules.len - 1;
    if (s->port == MODEL_NONE) model->rules.data[rule].is_internal = !own_name(s);
    else if (own_name(s)) model->rules.data[rule].port = f->ports.data[s->port].name;
    if (!lower_parties(s, &l)) return false;
    assert(model->rules.len == rule + 1); /* it is still the last one */
    struct fiacre_interval *interval =
        s->port == MODEL_NONE ? s->parties[0].path->wait : f->ports.data[s->port].interval;
    if (l.code.impossible) {
        withdraw_rule(rules);
        return true;
    }
    if (!make_parallel(f, body.first)) model->rules.data[rule].body = body.first;
    model->rules.data[rule].interval = interval_of(f, interval);
    add_classes(rules, s);
    model_end_rule(model);
    return true;
}

/* ---- combinations ---- */

/* Finds out what is exchanged: how many values, of which types, and which of them nobody sends. */
static bool inspect_exchange(struct synchronisation *s, uint64_t *combinations)
{
    struct fiacre *f = s->f;
    const struct port *port = &f->ports.data[s->port];
    uint32_t count = MODEL_NONE;
    *combinations = 1;
    for (uint32_t p = 0; p < s->count; p++) {
        struct fiacre_stmt *stmt = comm_of(&s->parties[p]);
        uint32_t here = stmt->kind == FIACRE_STMT_SEND      ? stmt->exp_count
                        : stmt->kind == FIACRE_STMT_RECEIVE ? stmt->pattern_count
                                                            : 0;
        if (count != MODEL_NONE && here != count) {
            complain(f, stmt, DIAG_ARGUMENTS, stmt->place,
                     "%u value%s here, and %u in another process at the port '%.60s'", here,
                     plural(here), count, port->name);
            return false;
        }
        count = here;
        if (!port->plain && here != port->type_count) {
            complain(f, stmt, DIAG_ARGUMENTS, stmt->place,
                     "the channel of '%.60s' carries %u value%s, not %u", port->name,
                     port->type_count, plural(port->type_count), here);
            return false;
        }
    }
    assert(count <= MAX_EXCHANGED); /* some process takes part, and add_exchange has looked */
    s->value_count = count;
    for (uint32_t n = 0; n < count; n++) {
        bool sent = false;
        s->types[n] = port->plain ? NULL : port->types[n];
        s->choices[n] = 0;
        for (uint32_t p = 0; p < s->count; p++) {
            struct fiacre_stmt *stmt = comm_of(&s->parties[p]);
            struct fiacre_exp *exp = stmt->kind == FIACRE_STMT_SEND ? stmt->exps : NULL;
            for (uint32_t k = 0; exp && k < n; k++) exp = exp->next;
            sent |= exp && exp->kind != FIACRE_EXP_ANY;
        }
        if (sent) continue;
        struct fiacre_stmt *stmt = comm_of(&s->parties[0]);
        if (!s->types[n]) { /* there is no value that could be exchanged: models of OBP have such
                               combinations */
            if (!stmt->info)
                diag_warning(
                    f->diag, DIAG_NEVER, stmt->place,
                    "nobody sends a value here, and the channel does not say its type: left out");
            stmt->info = stmt; /* told once */
            *combinations = 0;
            return true;
        }
        s->choices[n] = type_count(s->types[n], MAX_VALUES);
        if (!s->choices[n] || *combinations > MAX_VALUES / s->choices[n]) {
            complain(f, stmt, DIAG_LIMIT, stmt->place,
                     "nobody sends a value here, and there are too many to try");
            return false;
        }
        *combinations *= s->choices[n];
    }
    return true;
}

static bool add_exchange(struct rules *rules, struct synchronisation *s)
{
    const struct type *types[MAX_EXCHANGED];
    struct value values[MAX_EXCHANGED];
    uint64_t choices[MAX_EXCHANGED], combinations;
    for (uint32_t p = 0; p < s->count; p++) {
        struct fiacre_stmt *stmt = comm_of(&s->parties[p]);
        if (stmt->exp_count > MAX_EXCHANGED || stmt->pattern_count > MAX_EXCHANGED) {
            complain(s->f, stmt, DIAG_LIMIT, stmt->place, "more than %d values at once",
                     MAX_EXCHANGED);
            return false;
        }
    }
    s->types = types;
    s->values = values;
    s->choices = choices;
    if (!inspect_exchange(s, &combinations)) return false;
    for (s->choice = 0; s->choice < combinations; s->choice++)
        if (!add_rule(rules, s)) return false;
    return true;
}

/* Party number `party` of the way takes each of its paths in turn. */
static bool add_combinations(struct rules *rules, struct synchronisation *s, const struct way *way,
                             uint32_t party)
{
    if (party == way->count) return add_exchange(rules, s);
    struct instance *instance = &s->f->instances.data[way->instances[party]];
    for (uint32_t i = 0; i < instance->paths.len; i++) {
        if (instance->paths.data[i]->port != s->port) continue;
        s->parties[party] = (struct party){instance, instance->paths.data[i]};
        if (party + 1 == way->count)
            for (uint32_t p = 0; p < way->count; p++) s->parties[p].path->is_combined = true;
        if (!add_combinations(rules, s, way, party + 1)) return false;
    }
    return true;
}

/* Paths on a port that find no partners, by their labels; and the port, if a step without a label
 * could have had its name. */
static void note_unmatched(struct rules *rules, uint32_t port)
{
    struct fiacre *f = rules->f;
    const char *name = f->ports.data[port].name;
    VEC(uint32_t) connected = {0};
    bool is_matched = false, is_named = false;
    for (uint32_t i = 0; i < f->instances.len; i++)
        if (is_connected(&f->instances.data[i], port))
            vec_push(f->model->mem, &connected, f->instances.data[i].process);
    struct model_dead_step step = {.port = name, .processes = connected.len};
    for (uint32_t i = 0; i < f->instances.len; i++) {
        const struct instance *instance = &f->instances.data[i];
        if (!is_connected(instance, port)) continue;
        bool has_path = false, has_plain = false;
        for (uint32_t p = 0; p < instance->paths.len; p++) {
            const struct path *path = instance->paths.data[p];
            if (path->port != port) continue;
            has_path = true;
            has_plain |= !path->label;
            is_matched |= path->is_combined;
            step.label = path->label;
            if (!path->is_combined && path->label) dead_note(&rules->dead, step, connected.data);
        }
        is_named |= has_path && !has_plain;
    }
    step = (struct model_dead_step){.label = name, .processes = connected.len};
    if (!is_matched && !is_named && connected.len) dead_note(&rules->dead, step, connected.data);
    vec_free(f->model->mem, &connected);
}

static bool add_port(struct rules *rules, uint32_t port)
{
    struct fiacre *f = rules->f;
    struct ways obp = {0}, frac = {0};
    ways_obp(f, port, &obp);
    ways_frac(f, f->composition, port, &frac);
    bool good = true;
    const struct ways *ways = fiacre_is_frac(f) ? &frac : &obp;
    if (!same_ways(&obp, &frac) && !rules->remarks++) rules->first_remark = port;
    if (ways->too_many) {
        diag_error(f->diag, DIAG_LIMIT, f->ports.data[port].place,
                   "more than %d processes, or too many ways, at the port '%.60s'", MAX_PARTIES,
                   f->ports.data[port].name);
        good = false;
    }
    struct synchronisation *s = mem_alloc(f->model->mem, sizeof *s);
    for (uint32_t i = 0; good && i < ways->list.len; i++) {
        *s = (struct synchronisation){.f = f, .port = port, .count = ways->list.data[i].count};
        good = add_combinations(rules, s, &ways->list.data[i], 0);
    }
    mem_free(f->model->mem, s);
    if (good) note_unmatched(rules, port);
    vec_free(f->model->mem, &obp.list);
    vec_free(f->model->mem, &frac.list);
    return good;
}

/* ---- priorities and time ---- */

/* Transitive, and nobody above himself. */
static bool close_priorities(struct fiacre *f)
{
    struct model *model = f->model;
    uint32_t n = model->class_count;
    if (!model->priorities.len) return true;
    if (n > 2000) {
        diag_error(f->diag, DIAG_NESTING, (struct place){0}, "more than 2000 levels of priority");
        return false;
    }
    bool *above = mem_alloc(model->mem, (size_t)n * n);
    for (uint32_t i = 0; i < model->priorities.len; i++)
        above[(size_t)model->priorities.data[i].high * n + model->priorities.data[i].low] = true;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; above[(size_t)i * n + k] && j < n; j++)
                above[(size_t)i * n + j] |= above[(size_t)k * n + j];
    model->priorities.len = 0;
    bool good = true;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (above[(size_t)i * n + j]) {
                good &= i != j;
                vec_push(model->mem, &model->priorities, ((struct model_priority){i, j}));
            }
    mem_free(model->mem, above);
    if (good) return true;
    for (uint32_t i = 0; i < f->ports.len; i++)
        for (uint32_t k = 0; k < model->priorities.len; k++)
            if (model->priorities.data[k].high == model->priorities.data[k].low
                && f->ports.data[i].priority_class == model->priorities.data[k].high) {
                diag_error(f->diag, DIAG_CIRCULAR, f->ports.data[i].place,
                           "the port '%.60s' has priority over itself", f->ports.data[i].name);
                return false;
            }
    return false;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

enum { MAX_TIME = 1 << 29 };

static bool add_ticks(uint64_t *ticks, struct fiacre_time time)
{
    uint64_t denominator = time.denominator / common_divisor(time.numerator, time.denominator);
    uint64_t factor = denominator / common_divisor(denominator, *ticks);
    if (factor > MAX_TIME / *ticks) return false;
    *ticks *= factor;
    return true;
}

static bool scale(struct fiacre_time time, uint64_t ticks, int64_t *result)
{
    uint64_t divisor = common_divisor(time.numerator, time.denominator);
    assert(ticks % (time.denominator / divisor) == 0); /* add_ticks has seen it */
    uint64_t numerator = time.numerator / divisor, factor = ticks / (time.denominator / divisor);
    if (numerator > MAX_TIME / factor) return false;
    *result = (int64_t)(numerator * factor);
    return true;
}

static bool set_times(struct fiacre *f)
{
    uint64_t ticks = 1;
    for (uint32_t i = 0; i < f->intervals.len; i++) {
        struct fiacre_interval *interval = f->intervals.data[i];
        bool good = add_ticks(&ticks, interval->low)
                    && (interval->unbounded || add_ticks(&ticks, interval->high));
        if (!good) {
            diag_error(f->diag, DIAG_RANGE, interval->place,
                       "the times of this model have no common unit that is large enough");
            return false;
        }
    }
    f->model->ticks = (int64_t)ticks;
    for (uint32_t i = 0; i < f->intervals.len; i++) {
        const struct fiacre_interval *interval = f->intervals.data[i];
        struct model_interval made = {.low_open = interval->low_open,
                                      .high_open = interval->high_open,
                                      .infinite = interval->unbounded};
        if (!scale(interval->low, ticks, &made.low)
            || (!made.infinite && !scale(interval->high, ticks, &made.high))) {
            diag_error(f->diag, DIAG_LIMIT, interval->place,
                       "this time is too large, in units of 1/%" PRIu64, ticks);
            return false;
        }
        if (!made.infinite
            && (made.low > made.high
                || (made.low == made.high && (made.low_open || made.high_open)))) {
            diag_error(f->diag, DIAG_RANGE, interval->place, "this interval is empty");
            return false;
        }
        f->model->intervals.data[i] = made;
    }
    return true;
}

static void remark_dialects(const struct rules *rules)
{
    struct fiacre *f = rules->f;
    if (!rules->remarks) return;
    const struct port *port = &f->ports.data[rules->first_remark];
    struct text others;
    text_init(&others, f->model->mem);
    if (rules->remarks > 1)
        text_add(&others, " and %u other port%s", rules->remarks - 1,
                 rules->remarks == 2 ? "" : "s");
    diag_warning(f->diag, DIAG_DIALECT, port->place,
                 "who takes part in '%.60s'%s differs between the dialects: read as %s does; "
                 "--dialect %s reads it the other way",
                 port->name, others.data ? others.data : "", fiacre_is_frac(f) ? "frac" : "OBP",
                 fiacre_is_frac(f) ? "obp" : "frac");
    text_free(&others);
}

bool rules_build(struct fiacre *f)
{
    struct rules rules = {.f = f};
    bool good = true;
    dead_begin(&rules.dead, f);
    for (uint32_t i = 0; good && i < f->instances.len; i++)
        good = paths_find(f, &f->instances.data[i], NULL, f->instances.data[i].decl->place);
    struct synchronisation *s = mem_alloc(f->model->mem, sizeof *s);
    for (uint32_t i = 0; good && i < f->instances.len; i++) {
        struct instance *instance = &f->instances.data[i];
        for (uint32_t p = 0; good && p < instance->paths.len; p++) {
            if (instance->paths.data[p]->port != MODEL_NONE) continue;
            *s = (struct synchronisation){.f = f,
                                          .port = MODEL_NONE,
                                          .parties = {{instance, instance->paths.data[p]}},
                                          .count = 1};
            good = add_rule(&rules, s);
        }
    }
    mem_free(f->model->mem, s);
    for (uint32_t p = 0; good && p < f->ports.len; p++) good = add_port(&rules, p);
    vec_free(f->model->mem, &rules.unless);
    dead_finish(&rules.dead);
    if (good) remark_dialects(&rules);
    return good && close_priorities(f) && set_times(f);
}
