#include "clauses/unroll.h"

#include "base/checked.h"

#include <string.h>

/* A literal of the net in a frame whose gates were copied. */
static int literal_of(const struct unrolling *u, const struct unroll_frame *frame,
                      const struct cone *cone, int gates, lit l)
{
    return cone_literal(cone, (struct cone_copy){u->true_literal, frame->bits, gates}, l);
}

/* ---- kinds of step ---- */

static void add_rule(struct unrolling *u, struct unroll_step *step, uint32_t r)
{
    const struct model *model = u->net->model;
    const struct model_rule *rule = &model->rules.data[r];
    const struct net_rule *encoded = &u->net->rules[r];
    if (encoded->enabled == LIT_FALSE) return;
    vec_push(u->mem, &step->rules, r);
    cone_add(&step->cone, encoded->enabled);
    for (uint32_t i = 0, at = encoded->first_stored; i < rule->stores; i++) {
        uint32_t var = model->stores.data[rule->first_store + i].var;
        for (uint32_t b = 0; b < bits_width(&u->net->bits, var); b++)
            cone_add(&step->cone, u->net->stored.data[at++]);
    }
}

static void list_accesses(const struct unrolling *u, const struct unroll_step *step, bool writes,
                          struct unroll_accesses *accesses)
{
    const struct model *model = u->net->model;
    uint32_t total = 0;
    accesses->first = mem_alloc(u->mem, (model->vars.len + UINT64_C(2)) * sizeof *accesses->first);
    for (uint32_t i = 0; i < step->rules.len; i++) {
        const struct model_rule *rule = &model->rules.data[step->rules.data[i]];
        total += writes ? rule->writes : rule->reads;
    }
    assert(step->rules.len <= model->rules.len);
    accesses->list = mem_alloc(u->mem, (total + UINT64_C(1)) * sizeof *accesses->list);
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < step->rules.len; i++) {
            const struct model_rule *rule = &model->rules.data[step->rules.data[i]];
            const uint32_t *vars =
                model->accesses.data + (writes ? rule->first_write : rule->first_read);
            for (uint32_t k = 0; k < (writes ? rule->writes : rule->reads); k++) {
                if (round) accesses->list[accesses->first[vars[k] + 1]++] = i;
                else accesses->first[vars[k] + 2]++;
            }
        }
        for (uint32_t v = 0; !round && v < model->vars.len; v++)
            accesses->first[v + 2] += accesses->first[v + 1];
    }
}

static void free_accesses(const struct unrolling *u, struct unroll_accesses *accesses)
{
    mem_free(u->mem, accesses->first);
    mem_free(u->mem, accesses->list);
}

static bool is_written(const struct unroll_step *step, uint32_t var)
{
    return step->writers.first[var] < step->writers.first[var + 1];
}

static void step_init(struct unrolling *u, struct unroll_step *step, enum step_kind kind,
                      uint32_t process)
{
    const struct process_model *processes = u->options.schedule.processes;
    *step = (struct unroll_step){.kind = kind};
    cone_init(&step->cone, &u->net->bits.circuit, u->mem);
    for (uint32_t r = 0; r < u->net->model->rules.len; r++) {
        bool full = kind == STEP_ONE || kind == STEP_SET;
        uint32_t owner = full ? MODEL_NONE : processes->rules[r].process;
        if (full || (kind == STEP_ALL_SAFE ? owner != MODEL_NONE : owner == process))
            add_rule(u, step, r);
    }
    if ((kind == STEP_ONE || kind == STEP_SET) && u->options.endless)
        cone_add(&step->cone, u->net->dead);
    list_accesses(u, step, true, &step->writers);
    list_accesses(u, step, false, &step->readers);
    CHECKED(cone_check(&step->cone));
}

static void plan(struct unrolling *u)
{
    const struct schedule *schedule = &u->options.schedule;
    uint32_t processes = u->net->model->processes.len;
    u->steps = mem_alloc(u->mem, (processes + UINT64_C(2)) * sizeof *u->steps);
    u->repeat = mem_alloc(u->mem, (processes + UINT64_C(2)) * sizeof *u->repeat);
    if (schedule->processes && schedule->rounds) {
        u->repeat[u->step_count] = schedule->rounds;
        step_init(u, &u->steps[u->step_count++], STEP_ALL_SAFE, 0);
    }
    for (uint32_t p = 0; schedule->processes && !schedule->rounds && p < processes; p++) {
        if (!schedule->safe_steps[p]) continue;
        u->repeat[u->step_count] = schedule->safe_steps[p];
        step_init(u, &u->steps[u->step_count++], STEP_SAFE, p);
    }
    u->repeat[u->step_count] = 1;
    step_init(u, &u->steps[u->step_count++], schedule->sets ? STEP_SET : STEP_ONE, 0);
    assert(u->step_count <= processes + UINT64_C(2)); /* the room that was made */
}

/* ---- clauses of one step ---- */

struct copy {
    struct unrolling *u;
    const struct unroll_step *step;
    struct unroll_frame *from, *to;
};

static int lit_before(const struct copy *copy, lit l)
{
    return literal_of(copy->u, copy->from, &copy->step->cone, copy->from->gates, l);
}

static void add_effects(struct copy *copy)
{
    struct unrolling *u = copy->u;
    const struct model *model = u->net->model;
    const struct bits *bits = &u->net->bits;
    for (uint32_t i = 0; i < copy->step->rules.len; i++) {
        uint32_t r = copy->step->rules.data[i];
        const struct model_rule *rule = &model->rules.data[r];
        const struct net_rule *encoded = &u->net->rules[r];
        int taken = copy->from->taken + (int)i;
        sat_add_2(u->sat, -taken, lit_before(copy, encoded->enabled));
        for (uint32_t s = 0, at = encoded->first_stored; s < rule->stores; s++) {
            uint32_t var = model->stores.data[rule->first_store + s].var;
            for (uint32_t b = 0; b < bits_width(bits, var); b++, at++) {
                lit stored = u->net->stored.data[at];
                int after = copy->to->bits[bits->first[var] + b];
                if (stored != LIT_FALSE)
                    sat_add_3(u->sat, -taken, -lit_before(copy, stored), after);
                if (stored != LIT_TRUE) sat_add_3(u->sat, -taken, lit_before(copy, stored), -after);
            }
        }
    }
}

/* The stored literal of a bit of a variable by a rule; false: the rule does not store to it. */
static bool stored_bit(const struct unrolling *u, uint32_t r, uint32_t var, uint32_t bit,
                       lit *stored)
{
    const struct model *model = u->net->model;
    const struct model_rule *rule = &model->rules.data[r];
    for (uint32_t s = 0, at = u->net->rules[r].first_stored; s < rule->stores; s++) {
        uint32_t target = model->stores.data[rule->first_store + s].var;
        if (target == var) return *stored = u->net->stored.data[at + bit], true;
        at += bits_width(&u->net->bits, target);
    }
    return false;
}

/* A bit that rises or falls was stored by a rule that can make it do so. */
static void explain_bit(struct copy *copy, uint32_t var, uint32_t bit, const uint32_t *writers,
                        uint32_t count)
{
    struct unrolling *u = copy->u;
    uint32_t at = u->net->bits.first[var] + bit;
    for (unsigned value = 0; value < 2; value++) {
        int before = copy->from->bits[at], after = copy->to->bits[at];
        sat_add(u->sat, value ? before : -before);
        sat_add(u->sat, value ? -after : after);
        for (uint32_t i = 0; i < count; i++) {
            lit stored = LIT_FALSE;
            stored_bit(u, copy->step->rules.data[writers[i]], var, bit, &stored);
            if (stored != (value ? LIT_FALSE : LIT_TRUE))
                sat_add(u->sat, copy->from->taken + (int)writers[i]);
        }
        sat_add(u->sat, 0);
    }
}

static bool accesses_has(const struct unroll_accesses *accesses, uint32_t var, uint32_t rule)
{
    for (uint32_t i = accesses->first[var]; i < accesses->first[var + 1]; i++)
        if (accesses->list[i] == rule) return true;
    return false;
}

/* Of the rules that access a variable at most one writes it, and then no other one reads it. */
static void add_independence(struct copy *copy)
{
    struct unrolling *u = copy->u;
    const struct unroll_accesses *writers = &copy->step->writers, *readers = &copy->step->readers;
    VEC(int) literals = {0};
    for (uint32_t v = 0; v < u->net->model->vars.len; v++) {
        uint32_t count = writers->first[v + 1] - writers->first[v];
        if (!count) continue;
        literals.len = 0;
        for (uint32_t i = writers->first[v]; i < writers->first[v + 1]; i++)
            vec_push(u->mem, &literals, copy->from->taken + (int)writers->list[i]);
        sat_at_most_one(u->sat, literals.data, literals.len);
        int written = count == 1 ? literals.data[0] : 0;
        for (uint32_t i = readers->first[v]; i < readers->first[v + 1]; i++) {
            if (accesses_has(writers, v, readers->list[i])) continue;
            if (!written) {
                written = sat_variables(u->sat, 1);
                for (uint32_t w = 0; w < literals.len; w++)
                    sat_add_2(u->sat, -literals.data[w], written);
            }
            sat_add_2(u->sat, -(copy->from->taken + (int)readers->list[i]), -written);
        }
    }
    vec_free(u->mem, &literals);
}

static bool is_visible(const struct unrolling *u, uint32_t r)
{
    const struct model_rule *rule = &u->net->model->rules.data[r];
    for (uint32_t i = 0; i < rule->writes; i++)
        if (u->options.schedule.visible[u->net->model->accesses.data[rule->first_write + i]])
            return true;
    return false;
}

/* Which rules are taken together. */
static void add_choice(struct copy *copy)
{
    struct unrolling *u = copy->u;
    const struct unroll_step *step = copy->step;
    VEC(int) literals = {0};
    bool full = step->kind == STEP_ONE || step->kind == STEP_SET;
    uint32_t processes = step->kind == STEP_ALL_SAFE ? u->net->model->processes.len : 1;
    for (uint32_t p = 0; p < processes; p++) {
        literals.len = 0;
        for (uint32_t i = 0; i < step->rules.len; i++) {
            bool own = step->kind != STEP_ALL_SAFE
                       || u->options.schedule.processes->rules[step->rules.data[i]].process == p;
            if (own) vec_push(u->mem, &literals, copy->from->taken + (int)i);
        }
        if (!literals.len && !full) continue;
        int none = full && !u->options.endless ? 0 : sat_variables(u->sat, 1);
        if (full && none) sat_add_2(u->sat, -none, lit_before(copy, u->net->dead));
        for (uint32_t i = 0; !full && i < literals.len; i++) {
            uint32_t r = step->rules.data[literals.data[i] - copy->from->taken];
            sat_add_2(u->sat, -none, -lit_before(copy, u->net->rules[r].enabled));
        }
        if (none) vec_push(u->mem, &literals, none);
        for (uint32_t i = 0; i < literals.len; i++) sat_add(u->sat, literals.data[i]);
        sat_add(u->sat, 0);
        if (step->kind != STEP_SET) sat_at_most_one(u->sat, literals.data, literals.len);
    }
    if (step->kind == STEP_SET) {
        add_independence(copy);
        literals.len = 0;
        for (uint32_t i = 0; u->options.schedule.visible && i < step->rules.len; i++)
            if (is_visible(u, step->rules.data[i]))
                vec_push(u->mem, &literals, copy->from->taken + (int)i);
        sat_at_most_one(u->sat, literals.data, literals.len);
    }
    vec_free(u->mem, &literals);
}

static void add_step(struct unrolling *u, const struct unroll_step *step, int gates)
{
    const struct model *model = u->net->model;
    const struct bits *bits = &u->net->bits;
    struct unroll_frame next = {
        .bits = mem_alloc(u->mem, (bits->total + UINT64_C(1)) * sizeof *next.bits)};
    vec_push(u->mem, &u->frames, next);
    struct copy copy = {u, step, &u->frames.data[u->frames.len - 2],
                        &u->frames.data[u->frames.len - 1]};
    assert(!copy.from->step); /* one step leaves a frame */
    copy.from->step = step;
    copy.from->gates =
        gates ? gates : cone_copy(&step->cone, u->sat, u->true_literal, copy.from->bits);
    copy.from->taken = sat_variables(u->sat, step->rules.len);
    for (uint32_t v = 0; v < model->vars.len; v++) {
        uint32_t first = bits->first[v], width = bits_width(bits, v);
        int fresh = is_written(step, v) && width ? sat_variables(u->sat, width) : 0;
        for (uint32_t b = 0; b < width; b++)
            copy.to->bits[first + b] = fresh ? fresh + (int)b : copy.from->bits[first + b];
    }
    add_effects(&copy);
    const struct unroll_accesses *writers = &step->writers;
    for (uint32_t v = 0; v < model->vars.len; v++)
        for (uint32_t b = 0; is_written(step, v) && b < bits_width(bits, v); b++)
            explain_bit(&copy, v, b, writers->list + writers->first[v],
                        writers->first[v + 1] - writers->first[v]);
    add_choice(&copy);
}

/* ---- positions ---- */

/* In plain bounded model checking the outputs and the step that leaves a position share their
 * gates. */
static bool shares_gates(const struct unrolling *u) { return u->step_count == 1; }

static const struct cone *output_cone(const struct unrolling *u)
{
    return shares_gates(u) ? &u->steps[0].cone : &u->outputs;
}

static void add_position(struct unrolling *u)
{
    const struct unroll_frame *frame = &u->frames.data[u->frames.len - 1];
    vec_reserve(u->mem, &u->positions, 1);
    u->positions.data[u->positions.len].frame = u->frames.len - 1;
    u->positions.data[u->positions.len].gates =
        cone_copy(output_cone(u), u->sat, u->true_literal, frame->bits);
    u->positions.len++;
}

int unroll_output(const struct unrolling *u, uint32_t position, lit output)
{
    assert(position < u->positions.len);
    return literal_of(u, &u->frames.data[u->positions.data[position].frame], output_cone(u),
                      u->positions.data[position].gates, output);
}

void unroll_extend(struct unrolling *u)
{
    int gates = shares_gates(u) ? u->positions.data[unroll_last(u)].gates : 0;
    for (uint32_t i = 0; i < u->step_count; i++)
        for (uint32_t n = 0; n < u->repeat[i]; n++) add_step(u, &u->steps[i], gates);
    add_position(u);
}

/* The first state: initial, or any that is plausible. */
static void start(struct unrolling *u)
{
    const struct bits *bits = &u->net->bits;
    struct unroll_frame first = {
        .bits = mem_alloc(u->mem, (bits->total + UINT64_C(1)) * sizeof *first.bits)};
    struct cone cone;
    lit condition = u->options.from_anywhere ? u->net->plausible : u->net->initial;
    vec_push(u->mem, &u->frames, first);
    int fresh = sat_variables(u->sat, bits->total);
    for (uint32_t i = 0; i < bits->total; i++) first.bits[i] = fresh + (int)i;
    cone_init(&cone, &u->net->bits.circuit, u->mem);
    cone_add(&cone, condition);
    int gates = cone_copy(&cone, u->sat, u->true_literal, first.bits);
    sat_add_1(u->sat, literal_of(u, &first, &cone, gates, condition));
    cone_release(&cone);
    add_position(u);
}

void unroll_init(struct unrolling *u, struct net *net, struct sat *sat,
                 const struct unroll_options *options, const lit *outputs, uint32_t output_count)
{
    memset(u, 0, sizeof *u);
    u->net = net;
    u->mem = net->mem;
    u->sat = sat;
    u->options = *options;
    u->true_literal = sat_variables(sat, 1);
    sat_add_1(sat, u->true_literal);
    plan(u);
    cone_init(&u->outputs, &u->net->bits.circuit, u->mem);
    for (uint32_t i = 0; i < output_count; i++)
        cone_add(shares_gates(u) ? &u->steps[0].cone : &u->outputs, outputs[i]);
    start(u);
}

void unroll_release(struct unrolling *u)
{
    for (uint32_t i = 0; i < u->step_count; i++) {
        cone_release(&u->steps[i].cone);
        vec_free(u->mem, &u->steps[i].rules);
        free_accesses(u, &u->steps[i].writers);
        free_accesses(u, &u->steps[i].readers);
    }
    for (uint32_t i = 0; i < u->frames.len; i++) mem_free(u->mem, u->frames.data[i].bits);
    cone_release(&u->outputs);
    mem_free(u->mem, u->steps);
    mem_free(u->mem, u->repeat);
    vec_free(u->mem, &u->frames);
    vec_free(u->mem, &u->positions);
}

/* ---- runs ---- */

static void read_state(const struct unrolling *u, uint32_t frame, int64_t *values)
{
    const struct bits *bits = &u->net->bits;
    for (uint32_t v = 0; v < u->net->model->vars.len; v++) {
        uint64_t code = 0;
        for (uint32_t b = 0; b < bits_width(bits, v); b++)
            code |= (uint64_t)sat_value(u->sat, u->frames.data[frame].bits[bits->first[v] + b])
                    << b;
        values[v] = (int64_t)((uint64_t)u->net->model->vars.data[v].low + code);
    }
}

struct trace *unroll_trace(const struct unrolling *u, uint32_t last, uint32_t *starts)
{
    VEC(uint32_t) rules = {0};
    assert(last <= unroll_last(u));
    for (uint32_t f = 0, position = 0; position <= last; f++) {
        const struct unroll_frame *frame = &u->frames.data[f];
        if (u->positions.data[position].frame == f) starts[position++] = rules.len;
        for (uint32_t i = 0; position <= last && i < frame->step->rules.len; i++)
            if (sat_value(u->sat, frame->taken + (int)i))
                vec_push(u->mem, &rules, frame->step->rules.data[i]);
    }
    struct trace *trace = trace_new(u->net->model, rules.len);
    read_state(u, 0, trace->initial);
    if (rules.len) memcpy(trace->rules, rules.data, rules.len * sizeof *rules.data);
    vec_free(u->mem, &rules);
    return trace;
}
