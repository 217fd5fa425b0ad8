#include "automaton/dot.h"

#include <inttypes.h>

static void add_escaped(struct text *text, const char *word)
{
    for (; *word; word++) {
        if (*word == '\n') text_add(text, "\\n");
        else if (*word == '"' || *word == '\\') text_add(text, "\\%c", *word);
        else text_add(text, "%c", *word);
    }
}

static void add_quoted(struct text *text, const char *word)
{
    text_add(text, "\"");
    add_escaped(text, word);
    text_add(text, "\"");
}

static void add_states(struct text *text, const struct dag *dag, const uint32_t *depth,
                       uint32_t shown)
{
    for (uint32_t s = 0; s < shown; s++)
        text_add(text, "  %" PRIu32 "%s;\n", s,
                 dag_is_final(dag, s) ? " [shape=doublecircle]" : "");
    /* a rank for each distance: the first state of a distance collects the others */
    for (uint32_t s = 0; s < shown; s++) {
        bool is_first = true, is_alone = true;
        for (uint32_t t = 0; t < s && is_first; t++) is_first = depth[t] != depth[s];
        if (!is_first) continue;
        for (uint32_t t = s + 1; t < shown; t++) {
            if (depth[t] != depth[s]) continue;
            if (is_alone) text_add(text, "  {rank=same; %" PRIu32 ";", s);
            text_add(text, " %" PRIu32 ";", t);
            is_alone = false;
        }
        if (!is_alone) text_add(text, "}\n");
    }
}

static void add_remark(struct text *text, uint32_t states, uint32_t edges, uint32_t shown)
{
    text_add(text,
             "  remark [shape=plaintext label=\"the first %" PRIu32 " of %" PRIu32
             " states, %" PRIu32 " edges in all\"];\n",
             shown, states, edges);
}

bool dot_print(struct text *text, const struct dag *dag, const char *name, dot_label *label,
               void *data, uint32_t max_states)
{
    uint32_t shown = max_states ? max_states : (uint32_t)DOT_MAX_STATES;
    uint32_t *depth = mem_try_alloc(dag->mem, (size_t)dag->states * sizeof *depth);
    if (!depth) return false;
    dag_depths(dag, depth);
    if (shown > dag->states) shown = dag->states;
    text_add(text, "digraph ");
    add_quoted(text, name);
    text_add(text,
             " {\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n  start -> 0;\n");
    add_states(text, dag, depth, shown);
    for (uint32_t s = 0; s < shown; s++)
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++) {
            if (dag->edge_to[e] >= shown) continue;
            text_add(text, "  %" PRIu32 " -> %" PRIu32 " [label=", s, dag->edge_to[e]);
            add_quoted(text, label(data, dag->edge_label[e]));
            text_add(text, "];\n");
        }
    if (shown < dag->states) add_remark(text, dag->states, dag->edges, shown);
    text_add(text, "}\n");
    mem_free(dag->mem, depth);
    return true;
}

/* The edge e and those after it that lead to the same state, as one arrow; nothing when an earlier
 * edge has drawn it. */
static void add_arrow(struct text *text, const struct dfa *dfa, uint32_t state, uint32_t e,
                      dot_label *label, void *data)
{
    uint32_t to = dfa->edge_to[e];
    for (uint32_t k = dfa->first_edge[state]; k < e; k++)
        if (dfa->edge_to[k] == to) return;
    text_add(text, "  %" PRIu32 " -> %" PRIu32 " [label=\"", state, to);
    for (uint32_t k = e; k < dfa->first_edge[state + 1]; k++) {
        if (dfa->edge_to[k] != to) continue;
        if (k > e) text_add(text, ", ");
        add_escaped(text, label(data, dfa->edge_label[k]));
    }
    text_add(text, "\"];\n");
}

void dot_print_dfa(struct text *text, const struct dfa *dfa, const char *name, dot_label *label,
                   void *data, uint32_t max_states)
{
    uint32_t shown = max_states ? max_states : (uint32_t)DOT_MAX_STATES;
    if (shown > dfa->states) shown = dfa->states;
    text_add(text, "digraph ");
    add_quoted(text, name);
    text_add(text,
             " {\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n  start -> 0;\n");
    for (uint32_t s = 0; s < shown; s++)
        text_add(text, "  %" PRIu32 "%s;\n", s,
                 dfa_is_final(dfa, s) ? " [shape=doublecircle]" : "");
    for (uint32_t s = 0; s < shown; s++)
        for (uint32_t e = dfa->first_edge[s]; e < dfa->first_edge[s + 1]; e++)
            if (dfa->edge_to[e] < shown) add_arrow(text, dfa, s, e, label, data);
    if (shown < dfa->states) add_remark(text, dfa->states, dfa->edges, shown);
    text_add(text, "}\n");
}
