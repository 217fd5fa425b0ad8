#include "context/observer.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char *op_text(enum expr_op op)
{
    switch (op) {
    case EXPR_LT: return "<";
    case EXPR_LE: return "<=";
    case EXPR_GT: return ">";
    case EXPR_GE: return ">=";
    default: return "=";
    }
}

static const char *predicate_text(const struct observer_words *words, expr predicate)
{
    const struct expr_node *node = expr_get(words->exprs, predicate);
    if (node->op == EXPR_CONST) return node->value ? "true" : "false";
    return words->predicate ? words->predicate(words->scope, predicate) : "?";
}

static const char *event_text(const struct observer_words *words, uint32_t event)
{
    return event == CONTEXT_NONE ? "" : words->context->events.data[event].name;
}

static void put_guards(const struct observer *observer, const struct observer_edge *edge,
                       const struct observer_words *words, FILE *out)
{
    for (uint32_t i = 0; i < edge->guards; i++) {
        const struct observer_guard *guard = &observer->guards.data[edge->first_guard + i];
        assert(guard->clock < observer->clocks.len);
        fprintf(out, "%s%s %s %" PRId64, i ? " and " : "", observer->clocks.data[guard->clock],
                op_text(guard->op), guard->ticks / words->ticks);
    }
}

static void put_actions(const struct observer *observer, const struct observer_edge *edge,
                        FILE *out)
{
    for (uint32_t i = 0; i < edge->actions; i++) {
        const struct observer_action *action = &observer->actions.data[edge->first_action + i];
        fprintf(out, action->starts ? "%s%s := 0" : "%sdisable %s", i ? ", " : "",
                observer->clocks.data[action->clock]);
    }
}

void observer_print(const struct observer *observer, const struct observer_words *words, FILE *out)
{
    if (observer->ltl) fprintf(out, "// in LTL over events: %s\n", observer->ltl);
    fprintf(out, "%s %s is {", observer->is_restriction ? "restriction" : "property",
            observer->name);
    for (uint32_t i = 0; i < observer->edges.len; i++) {
        const struct observer_edge *edge = &observer->edges.data[i];
        fprintf(out, "%s\n    %s -- ", i ? ";" : "", observer->states.data[edge->from]);
        put_guards(observer, edge, words, out);
        fprintf(out, "%s/ %s%s/ %s%s/ ", edge->guards ? " " : "",
                edge->has_predicate ? predicate_text(words, edge->predicate) : "",
                edge->has_predicate ? " " : "", event_text(words, edge->event),
                edge->event == CONTEXT_NONE ? "" : " ");
        put_actions(observer, edge, out);
        fprintf(out, "%s-> %s", edge->actions ? " " : "", observer->states.data[edge->to]);
    }
    for (uint32_t i = 0; i < observer->pending.len; i++)
        fprintf(out, "%s%s", i ? ", " : ";\n    pending ",
                observer->states.data[observer->pending.data[i]]);
    fputs("\n}\n", out);
}

/* ---- pictures ---- */

static void put_quoted(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
}

static bool is_pending(const struct observer *observer, uint32_t state)
{
    for (uint32_t i = 0; i < observer->pending.len; i++)
        if (observer->pending.data[i] == state) return true;
    return false;
}

static uint32_t edges_from(const struct observer *observer, uint32_t state, uint32_t before)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < before; i++) count += observer->edges.data[i].from == state;
    return count;
}

static void put_plain(const char *text, FILE *out) { fputs(text, out); }

static void put_label(const struct observer *observer, const struct observer_words *words,
                      uint32_t number, void (*put)(const char *text, FILE *out), FILE *out)
{
    const struct observer_edge *edge = &observer->edges.data[number];
    if (edges_from(observer, edge->from, observer->edges.len) > 1)
        fprintf(out, "%u: ", edges_from(observer, edge->from, number) + 1);
    put_guards(observer, edge, words, out);
    if (edge->guards && (edge->has_predicate || edge->event != CONTEXT_NONE)) fputs(", ", out);
    if (edge->has_predicate) put(predicate_text(words, edge->predicate), out);
    if (edge->has_predicate && edge->event != CONTEXT_NONE) fputs(", ", out);
    put(event_text(words, edge->event), out);
    if (edge->actions) fputs(" / ", out);
    put_actions(observer, edge, out);
}

void observer_label(const struct observer *observer, const struct observer_words *words,
                    uint32_t edge, FILE *out)
{
    put_label(observer, words, edge, put_plain, out);
}

static void dot_edge(const struct observer *observer, const struct observer_words *words,
                     uint32_t number, FILE *out)
{
    const struct observer_edge *edge = &observer->edges.data[number];
    fprintf(out, "  s%u -> s%u [label=\"", edge->from, edge->to);
    put_label(observer, words, number, put_quoted, out);
    fputs("\"];\n", out);
}

void observer_dot(const struct observer *observer, const struct observer_words *words, FILE *out)
{
    fputs("digraph observer {\n  rankdir=LR; node [shape=ellipse, fontname=\"Helvetica\", "
          "fontsize=10];\n  edge [fontname=\"Helvetica\", fontsize=9];\n  label=\"",
          out);
    put_quoted(observer->name, out);
    if (observer->text) {
        fputs(": ", out);
        put_quoted(observer->text, out);
    }
    fputs("\"; fontname=\"Helvetica\"; fontsize=10;\n  initial [shape=point]; initial -> s0;\n",
          out);
    for (uint32_t s = 0; s < observer->states.len; s++) {
        fprintf(out, "  s%u [label=\"", s);
        put_quoted(observer->states.data[s], out);
        fprintf(out, "\"%s];\n",
                s == observer->bad        ? ", shape=doublecircle, color=red"
                : is_pending(observer, s) ? ", style=dashed"
                                          : "");
    }
    for (uint32_t i = 0; i < observer->edges.len; i++) dot_edge(observer, words, i, out);
    fputs("}\n", out);
}

/* ---- invariants ---- */

static bool has_sound_edges(const struct observer *observer, const struct context *context)
{
    for (uint32_t i = 0; i < observer->edges.len; i++) {
        const struct observer_edge *edge = &observer->edges.data[i];
        if (edge->from >= observer->states.len || edge->to >= observer->states.len) return false;
        if (edge->event != CONTEXT_NONE && edge->event >= context->events.len) return false;
        if (edge->first_guard + edge->guards > observer->guards.len
            || edge->first_action + edge->actions > observer->actions.len)
            return false;
    }
    for (uint32_t i = 0; i < observer->guards.len; i++)
        if (observer->guards.data[i].clock >= observer->clocks.len) return false;
    for (uint32_t i = 0; i < observer->actions.len; i++)
        if (observer->actions.data[i].clock >= observer->clocks.len) return false;
    return true;
}

static bool reaches_all(const struct observer *observer, struct mem *mem)
{
    bool *is_reached = mem_alloc(mem, (observer->states.len + UINT64_C(1)) * sizeof *is_reached),
         all = true;
    is_reached[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < observer->edges.len; i++) {
            const struct observer_edge *edge = &observer->edges.data[i];
            changed |= is_reached[edge->from] && !is_reached[edge->to];
            is_reached[edge->to] |= is_reached[edge->from];
        }
    }
    for (uint32_t s = 0; s < observer->states.len; s++) all &= is_reached[s];
    mem_free(mem, is_reached);
    return all;
}

bool observer_check(const struct observer *observer, const struct context *context, struct mem *mem)
{
    uint32_t bad = CONTEXT_NONE;
    if (!observer->states.len || !has_sound_edges(observer, context)) return false;
    for (uint32_t s = 0; s < observer->states.len; s++) {
        if (!strcmp(observer->states.data[s], observer->is_restriction ? "cut" : "reject")) bad = s;
        for (uint32_t t = 0; t < s; t++)
            if (!strcmp(observer->states.data[s], observer->states.data[t])) return false;
    }
    return bad == observer->bad && reaches_all(observer, mem);
}
