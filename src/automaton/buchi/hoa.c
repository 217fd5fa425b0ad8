#include "automaton/buchi/hoa.h"

#include <assert.h>
#include <inttypes.h>

/* ---- parts shared by the forms ---- */

static const struct automaton_edge *edges_of(const struct automaton *automaton, uint32_t s,
                                             uint32_t *count)
{
    *count = automaton->states.data[s].edges;
    return &automaton->edges.data[automaton->states.data[s].first];
}

/* The cubes of edges to the same target with the same marks are written as one label. They are
 * looked for in blocks, so that a state with very many edges does not cost their square. */
enum { BLOCK = 1024 };

static bool same_label(const struct automaton_edge *a, const struct automaton_edge *b)
{
    return a->target == b->target && a->marks == b->marks;
}

static bool is_first_of_label(const struct automaton_edge *edges, uint32_t i)
{
    for (uint32_t j = i / BLOCK * BLOCK; j < i; j++)
        if (same_label(&edges[i], &edges[j])) return false;
    return true;
}

static uint32_t block_end(uint32_t i, uint32_t count)
{
    uint32_t end = (i / BLOCK + 1) * BLOCK;
    return end < count ? end : count;
}

/* In quotes, with what would end them escaped. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputc('"', out);
}

static void put_marks(FILE *out, uint64_t marks)
{
    const char *between = " {";
    for (uint32_t k = 0; k < AUTOMATON_MAX_ACCEPTANCE; k++) {
        if (!(marks >> k & 1)) continue;
        fprintf(out, "%s%" PRIu32, between, k);
        between = " ";
    }
    if (marks) fputc('}', out);
}

/* ---- HOA ---- */

static void put_acceptance(FILE *out, uint32_t sets)
{
    if (sets == 0) fputs("acc-name: all\nAcceptance: 0 t\n", out);
    else if (sets == 1) fputs("acc-name: Buchi\nAcceptance: 1 Inf(0)\n", out);
    else {
        fprintf(out, "acc-name: generalized-Buchi %" PRIu32 "\nAcceptance: %" PRIu32 " ", sets,
                sets);
        for (uint32_t k = 0; k < sets; k++) fprintf(out, "%sInf(%" PRIu32 ")", k ? "&" : "", k);
        fputc('\n', out);
    }
}

static void put_cube(FILE *out, const struct automaton_edge *edge)
{
    const char *between = "";
    for (uint32_t i = 0; i < AUTOMATON_MAX_PROPOSITIONS; i++) {
        if (!((edge->positive | edge->negative) >> i & 1)) continue;
        fprintf(out, "%s%s%" PRIu32, between, edge->negative >> i & 1 ? "!" : "", i);
        between = "&";
    }
    if (!*between) fputc('t', out);
}

static void put_state(FILE *out, const struct automaton *automaton, uint32_t s,
                      bool accepting_states)
{
    uint32_t count;
    const struct automaton_edge *edges = edges_of(automaton, s, &count);
    fprintf(out, "State: %" PRIu32, s);
    if (accepting_states && count) put_marks(out, edges[0].marks);
    fputc('\n', out);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_first_of_label(edges, i)) continue;
        fputc('[', out);
        for (uint32_t j = i; j < block_end(i, count); j++) {
            if (!same_label(&edges[i], &edges[j])) continue;
            if (j > i) fputs(" | ", out);
            put_cube(out, &edges[j]);
        }
        fprintf(out, "] %" PRIu32, edges[i].target);
        if (!accepting_states) put_marks(out, edges[i].marks);
        fputc('\n', out);
    }
}

void hoa_write(FILE *out, const struct automaton *automaton, const struct alphabet *alphabet,
               const char *name, bool accepting_states)
{
    fputs("HOA: v1\n", out);
    if (name) {
        fputs("name: ", out);
        put_quoted(out, name);
        fputc('\n', out);
    }
    fprintf(out, "States: %" PRIu32 "\nStart: %" PRIu32 "\nAP: %" PRIu32, automaton->states.len,
            automaton->initial, alphabet->propositions.len);
    for (uint32_t i = 0; i < alphabet->propositions.len; i++) {
        fputc(' ', out);
        put_quoted(out, alphabet->propositions.data[i]);
    }
    fputc('\n', out);
    put_acceptance(out, automaton->acceptance);
    fprintf(out, "tool: \"cairn\"\nproperties: trans-labels explicit-labels %s\n--BODY--\n",
            accepting_states ? "state-acc" : "trans-acc");
    for (uint32_t s = 0; s < automaton->states.len; s++)
        put_state(out, automaton, s, accepting_states);
    fputs("--END--\n", out);
}

/* ---- never claims ---- */

/* Spin knows accepting states by their names, and begins with the first one. */
static void put_never_name(FILE *out, const struct automaton *automaton, uint32_t s)
{
    uint32_t count;
    const struct automaton_edge *edges = edges_of(automaton, s, &count);
    bool accepting = !automaton->acceptance || (count && edges[0].marks);
    fputs(accepting ? "accept_" : "T0_", out);
    if (s == automaton->initial) fputs("init", out);
    else fprintf(out, "S%" PRIu32, s);
}

static void put_never_cube(FILE *out, const struct alphabet *alphabet,
                           const struct automaton_edge *edge)
{
    const char *between = "";
    for (uint32_t i = 0; i < alphabet->propositions.len; i++) {
        if (!((edge->positive | edge->negative) >> i & 1)) continue;
        fprintf(out, "%s%s(%s)", between, edge->negative >> i & 1 ? "!" : "",
                alphabet->propositions.data[i]);
        between = " && ";
    }
    if (!*between) fputs("true", out);
}

static void put_never_state(FILE *out, const struct automaton *automaton,
                            const struct alphabet *alphabet, uint32_t s)
{
    uint32_t count;
    const struct automaton_edge *edges = edges_of(automaton, s, &count);
    put_never_name(out, automaton, s);
    fputs(count ? ":\n  do\n" : ":\n  false;\n", out);
    for (uint32_t i = 0; i < count; i++) {
        fputs("  :: ", out);
        put_never_cube(out, alphabet, &edges[i]);
        fputs(" -> goto ", out);
        put_never_name(out, automaton, edges[i].target);
        fputc('\n', out);
    }
    if (count) fputs("  od;\n", out);
}

void hoa_write_never(FILE *out, const struct automaton *automaton, const struct alphabet *alphabet)
{
    assert(automaton->acceptance <= 1); /* the contract: accepting states */
    fputs("never {\n", out);
    put_never_state(out, automaton, alphabet, automaton->initial);
    for (uint32_t s = 0; s < automaton->states.len; s++)
        if (s != automaton->initial) put_never_state(out, automaton, alphabet, s);
    fputs("}\n", out);
}

/* ---- for people ---- */

/* As alphabet_write_letter writes it, but inside a quoted string of DOT. */
static void put_dot_cube(FILE *out, const struct alphabet *alphabet,
                         const struct automaton_edge *edge)
{
    const char *between = "";
    for (uint32_t i = 0; i < alphabet->propositions.len; i++) {
        if (!((edge->positive | edge->negative) >> i & 1)) continue;
        fprintf(out, "%s%s", between, edge->negative >> i & 1 ? "!" : "");
        for (const char *c = alphabet->propositions.data[i]; *c; c++) {
            if (*c == '"' || *c == '\\') fputc('\\', out);
            fputc(*c, out);
        }
        between = " & ";
    }
    if (!*between) fputs("true", out);
}

void hoa_write_dot(FILE *out, const struct automaton *automaton, const struct alphabet *alphabet)
{
    fputs("digraph automaton {\n  rankdir=LR;\n  node [shape=circle, fontname=\"Helvetica\", "
          "fontsize=10];\n  edge [fontname=\"Helvetica\", "
          "fontsize=9];\n",
          out);
    fprintf(out, "  start [shape=point];\n  start -> s%" PRIu32 ";\n", automaton->initial);
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        uint32_t count;
        const struct automaton_edge *edges = edges_of(automaton, s, &count);
        fprintf(out, "  s%" PRIu32 " [label=\"%" PRIu32 "\"];\n", s, s);
        for (uint32_t i = 0; i < count; i++) {
            const char *between = "";
            if (!is_first_of_label(edges, i)) continue;
            fprintf(out, "  s%" PRIu32 " -> s%" PRIu32 " [label=\"", s, edges[i].target);
            for (uint32_t j = i; j < block_end(i, count); j++) {
                if (!same_label(&edges[i], &edges[j])) continue;
                fputs(between, out);
                put_dot_cube(out, alphabet, &edges[j]);
                between = "\\n";
            }
            put_marks(out, edges[i].marks);
            fputs("\"];\n", out);
        }
    }
    fputs("}\n", out);
}

void hoa_write_text(FILE *out, const struct automaton *automaton, const struct alphabet *alphabet)
{
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        uint32_t count;
        const struct automaton_edge *edges = edges_of(automaton, s, &count);
        fprintf(out, "state %" PRIu32 "%s\n", s, s == automaton->initial ? " (initial)" : "");
        for (uint32_t i = 0; i < count; i++) {
            if (!is_first_of_label(edges, i)) continue;
            fprintf(out, "  to %" PRIu32 " when ", edges[i].target);
            for (uint32_t j = i; j < block_end(i, count); j++) {
                if (!same_label(&edges[i], &edges[j])) continue;
                if (j > i) fputs(" | ", out);
                alphabet_write_letter(out, alphabet, edges[j].positive, edges[j].negative);
            }
            put_marks(out, edges[i].marks);
            fputc('\n', out);
        }
    }
}
