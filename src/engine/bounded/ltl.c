#include "engine/bounded/ltl.h"

#include "automaton/buchi.h"

#include <string.h>

/* ---- parts of the formula ---- */

static void list_parts(struct ltl *ltl, nnf f)
{
    const struct nnf_node node = *nnf_get(&ltl->nnfs, f);
    if (ltl->part_of[f.i]) return;
    bool binary = node.op == NNF_AND || node.op == NNF_OR || node.op == NNF_U || node.op == NNF_R;
    if (binary || node.op == NNF_X) list_parts(ltl, node.a);
    if (binary) list_parts(ltl, node.b);
    struct ltl_part part = {f, node.op == NNF_U || node.op == NNF_R,
                            node.op == NNF_U ? ltl->untils++ : MODEL_NONE};
    vec_push(ltl->mem, &ltl->parts, part);
    ltl->part_of[f.i] = ltl->parts.len;
    if (node.op == NNF_X) ltl->parts.data[ltl->part_of[node.a.i] - 1].carried = true;
}

const char *ltl_prepare(struct ltl *ltl, struct net *net, formula f, bool negated)
{
    struct buchi_atoms atoms = {0};
    memset(ltl, 0, sizeof *ltl);
    ltl->mem = net->mem;
    nnfs_init(&ltl->nnfs, ltl->mem);
    const char *problem = buchi_normalise(&ltl->nnfs, &atoms, net->model, f, negated, &ltl->root);
    ltl->atoms = mem_alloc(ltl->mem, (atoms.list.len + UINT64_C(1)) * sizeof *ltl->atoms);
    ltl->atom_count = atoms.list.len;
    for (uint32_t i = 0; !problem && i < atoms.list.len; i++)
        ltl->atoms[i] = net_condition(net, atoms.list.data[i]);
    ltl->part_of = mem_alloc(ltl->mem, (ltl->nnfs.nodes.len + UINT64_C(1)) * sizeof *ltl->part_of);
    if (!problem) list_parts(ltl, ltl->root);
    vec_free(ltl->mem, &atoms.list);
    return problem;
}

void ltl_outputs(const struct ltl *ltl, struct mem *mem, lit **outputs, uint32_t *count)
{
    *count = 2 * ltl->atom_count;
    *outputs = mem_alloc(mem, (*count + UINT64_C(1)) * sizeof **outputs);
    for (uint32_t i = 0; i < ltl->atom_count; i++) {
        (*outputs)[2 * i] = ltl->atoms[i].holds;
        (*outputs)[2 * i + 1] = ltl->atoms[i].fails;
    }
}

void ltl_release(struct ltl *ltl)
{
    nnfs_release(&ltl->nnfs);
    mem_free(ltl->mem, ltl->atoms);
    mem_free(ltl->mem, ltl->part_of);
    vec_free(ltl->mem, &ltl->parts);
    vec_free(ltl->mem, &ltl->values);
    vec_free(ltl->mem, &ltl->starts);
    vec_free(ltl->mem, &ltl->inside);
    vec_free(ltl->mem, &ltl->kept);
    vec_free(ltl->mem, &ltl->depths);
}

/* ---- clauses ---- */

static int value(const struct ltl *ltl, uint32_t position, nnf f)
{
    return ltl->values.data[position] + (int)ltl->part_of[f.i] - 1;
}

static int kept(const struct ltl *ltl, uint32_t position, uint32_t until)
{
    return ltl->kept.data[position] + (int)until;
}

static void say_literal(struct ltl *ltl, uint32_t at, const struct nnf_node *node, int here)
{
    const struct net_condition *atom = &ltl->atoms[node->a.i];
    int holds = unroll_output(ltl->u, at, atom->holds);
    sat_add_2(ltl->u->sat, -here, node->negated ? -holds : holds);
}

static void say_part(struct ltl *ltl, uint32_t at, const struct ltl_part *part)
{
    struct sat *sat = ltl->u->sat;
    const struct nnf_node *node = nnf_get(&ltl->nnfs, part->node);
    int here = value(ltl, at, part->node), next = value(ltl, at + 1, part->node);
    switch ((enum nnf_op)node->op) {
    case NNF_FALSE: sat_add_1(sat, -here); break;
    case NNF_TRUE: break;
    case NNF_LITERAL: say_literal(ltl, at, node, here); break;
    case NNF_AND:
        sat_add_2(sat, -here, value(ltl, at, node->a));
        sat_add_2(sat, -here, value(ltl, at, node->b));
        break;
    case NNF_OR: sat_add_3(sat, -here, value(ltl, at, node->a), value(ltl, at, node->b)); break;
    case NNF_X: sat_add_2(sat, -here, value(ltl, at + 1, node->a)); break;
    case NNF_U:
        sat_add_3(sat, -here, value(ltl, at, node->b), value(ltl, at, node->a));
        sat_add_3(sat, -here, value(ltl, at, node->b), next);
        break;
    case NNF_R:
        sat_add_2(sat, -here, value(ltl, at, node->b));
        sat_add_3(sat, -here, value(ltl, at, node->a), next);
        break;
    }
}

/* A loop may go back to position `at`, when the state before it is that at the end. */
static void allow_loop(struct ltl *ltl, uint32_t at)
{
    struct sat *sat = ltl->u->sat;
    int start = ltl->starts.data[at], inside = ltl->inside.data[at];
    if (!at) {
        sat_add_1(sat, -start);
        sat_add_1(sat, -inside);
        return;
    }
    int before = ltl->inside.data[at - 1];
    sat_add_2(sat, -start, -before);
    sat_add_2(sat, -start, inside);
    sat_add_2(sat, -before, inside);
    sat_add_3(sat, -inside, before, start);
    const int *state = unroll_state(ltl->u, at - 1);
    for (uint32_t b = 0; b < ltl->u->net->bits.total; b++) {
        sat_add_3(sat, -start, -state[b], ltl->end + (int)b);
        sat_add_3(sat, -start, state[b], -(ltl->end + (int)b));
    }
    for (uint32_t i = 0; i < ltl->parts.len; i++)
        if (ltl->parts.data[i].carried)
            sat_add_3(sat, -start, -(ltl->back + (int)i), value(ltl, at, ltl->parts.data[i].node));
}

static void keep_untils(struct ltl *ltl, uint32_t at)
{
    struct sat *sat = ltl->u->sat;
    for (uint32_t i = 0; i < ltl->parts.len; i++) {
        const struct ltl_part *part = &ltl->parts.data[i];
        if (part->until == MODEL_NONE) continue;
        int here = kept(ltl, at, part->until),
            right = value(ltl, at, nnf_get(&ltl->nnfs, part->node)->b);
        if (at) {
            int before = kept(ltl, at - 1, part->until);
            sat_add_3(sat, -here, before, ltl->inside.data[at]);
            sat_add_3(sat, -here, before, right);
        } else {
            sat_add_1(sat, -here);
        }
    }
}

/* The run ends at `at`: with a loop, or for good. */
static void allow_end(struct ltl *ltl, uint32_t at)
{
    struct sat *sat = ltl->u->sat;
    int depth = ltl->depths.data[at], inside = ltl->inside.data[at];
    const int *state = unroll_state(ltl->u, at);
    for (uint32_t b = 0; b < ltl->u->net->bits.total; b++) {
        sat_add_3(sat, -depth, -state[b], ltl->end + (int)b);
        sat_add_3(sat, -depth, state[b], -(ltl->end + (int)b));
    }
    for (uint32_t i = 0; i < ltl->parts.len; i++) {
        const struct ltl_part *part = &ltl->parts.data[i];
        if (!part->carried) continue;
        int next = value(ltl, at + 1, part->node);
        sat_add_3(sat, -depth, -next, inside);
        sat_add_3(sat, -depth, -next, ltl->back + (int)i);
        if (part->until != MODEL_NONE) sat_add_3(sat, -depth, -next, kept(ltl, at, part->until));
    }
}

void ltl_extend(struct ltl *ltl)
{
    struct sat *sat = ltl->u->sat;
    uint32_t at = ltl->starts.len;
    if (!at) vec_push(ltl->mem, &ltl->values, sat_variables(sat, ltl->parts.len));
    vec_push(ltl->mem, &ltl->values, sat_variables(sat, ltl->parts.len));
    vec_push(ltl->mem, &ltl->starts, sat_variables(sat, 1));
    vec_push(ltl->mem, &ltl->inside, sat_variables(sat, 1));
    vec_push(ltl->mem, &ltl->depths, sat_variables(sat, 1));
    vec_push(ltl->mem, &ltl->kept, sat_variables(sat, ltl->untils));
    for (uint32_t i = 0; i < ltl->parts.len; i++) say_part(ltl, at, &ltl->parts.data[i]);
    for (uint32_t i = 0; i < ltl->atom_count;
         i++) /* a run on which an atom is not defined shows nothing */
        if (ltl->atoms[i].fails != LIT_FALSE)
            sat_add_2(sat, -value(ltl, 0, ltl->root),
                      -unroll_output(ltl->u, at, ltl->atoms[i].fails));
    allow_loop(ltl, at);
    keep_untils(ltl, at);
    allow_end(ltl, at);
}

void ltl_start(struct ltl *ltl, struct unrolling *u)
{
    ltl->u = u;
    ltl->end = sat_variables(u->sat, u->net->bits.total);
    ltl->back = sat_variables(u->sat, ltl->parts.len);
    ltl_extend(ltl);
}

void ltl_assume(const struct ltl *ltl)
{
    sat_assume(ltl->u->sat, value(ltl, 0, ltl->root));
    sat_assume(ltl->u->sat, ltl->depths.data[ltl->depths.len - 1]);
}

void ltl_close(struct ltl *ltl) { sat_add_1(ltl->u->sat, -ltl->depths.data[ltl->depths.len - 1]); }

/* ---- runs ---- */

struct trace *ltl_trace(const struct ltl *ltl)
{
    uint32_t last = ltl->starts.len - 1, loop = MODEL_NONE;
    uint32_t *starts = mem_alloc(ltl->mem, (last + UINT64_C(2)) * sizeof *starts);
    for (uint32_t i = 1; i <= last; i++)
        if (sat_value(ltl->u->sat, ltl->starts.data[i])) loop = i - 1;
    struct trace *trace = unroll_trace(ltl->u, last, starts);
    if (loop != MODEL_NONE
        && starts[loop]
               == starts[last]) { /* nothing was taken in the loop: a deadlocked state repeats */
        trace->loop = trace->steps;
        trace->rules[trace->steps] = MODEL_NONE;
    } else if (loop != MODEL_NONE) { /* the last rule closes the loop */
        trace->loop = starts[loop];
        trace->steps--;
    }
    mem_free(ltl->mem, starts);
    return trace;
}
