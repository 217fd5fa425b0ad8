#include "export/graph.h"

#include <inttypes.h>
#include <string.h>

/* Inside quotes, for both formats. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
}

/* A rule's label with its processes: `take p[0]`. */
static void put_label(struct graph_writer *writer, uint32_t r)
{
    const struct model *model = writer->model;
    const struct model_rule *rule = &model->rules.data[r];
    put_text(writer->out, rule->label);
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process == MODEL_NONE) continue;
        fputc(' ', writer->out);
        put_text(writer->out, model->processes.data[process].name);
    }
}

void graph_dot_begin(struct graph_writer *writer)
{
    fputs("digraph states {\n  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n  edge "
          "[fontname=\"Helvetica\", fontsize=9];\n"
          "  label=\"of each state: what differs from state 0\"; fontname=\"Helvetica\"; "
          "fontsize=9;\n",
          writer->out);
}

void graph_dot_state(void *context, uint64_t state, const int64_t *values, const char *zone)
{
    struct graph_writer *writer = context;
    const struct model *model = writer->model;
    size_t bytes = model->vars.len * sizeof *values;
    bool first = !writer->initial, empty = true;
    if (first) {
        writer->initial = mem_alloc(model->mem, bytes + 1);
        memcpy(writer->initial, values, bytes);
    }
    fprintf(writer->out, "  s%" PRIu64 " [label=\"%" PRIu64, state, state);
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        if (var->is_left_out || (!first && values[v] == writer->initial[v])) continue;
        const char *name = model_value_name(model, v, values[v]);
        fputs("\\n", writer->out);
        put_text(writer->out, var->name);
        fputs(" = ", writer->out);
        if (name) put_text(writer->out, name);
        else fprintf(writer->out, "%" PRId64, values[v]);
        empty = false;
    }
    if (empty && !first) fputs("\\n(as initially)", writer->out);
    if (*zone) fputs("\\n", writer->out);
    put_text(writer->out, zone);
    fputs("\"];\n", writer->out);
}

void graph_dot_edge(void *context, uint64_t from, uint32_t rule, uint64_t to)
{
    struct graph_writer *writer = context;
    if (from == GRAPH_INITIAL) {
        fprintf(writer->out, "  i%" PRIu64 " [shape=point]; i%" PRIu64 " -> s%" PRIu64 ";\n", to,
                to, to);
        return;
    }
    fprintf(writer->out, "  s%" PRIu64 " -> s%" PRIu64 " [label=\"", from, to);
    put_label(writer, rule);
    fputs("\"];\n", writer->out);
}

void graph_dot_end(struct graph_writer *writer) { fputs("}\n", writer->out); }

void graph_aut_begin(struct graph_writer *writer, uint64_t states, uint64_t transitions,
                     uint64_t initial_states)
{
    bool extra = initial_states != 1;
    writer->initial_count = initial_states;
    fprintf(writer->out, "des (0, %" PRIu64 ", %" PRIu64 ")\n",
            transitions + (extra ? initial_states : 0), states + extra);
}

void graph_aut_state(void *context, uint64_t state, const int64_t *values, const char *zone)
{
    (void)context, (void)state, (void)values, (void)zone;
}

void graph_aut_edge(void *context, uint64_t from, uint32_t rule, uint64_t to)
{
    struct graph_writer *writer = context;
    const uint64_t shift = writer->initial_count != 1;
    if (from == GRAPH_INITIAL) {
        if (shift) fprintf(writer->out, "(0, \"i\", %" PRIu64 ")\n", to + shift);
        return;
    }
    fprintf(writer->out, "(%" PRIu64 ", \"", from + shift);
    put_label(writer, rule);
    fprintf(writer->out, "\", %" PRIu64 ")\n", to + shift);
}
