#include "cli/guides.h"

#include "automaton/dot.h"
#include "automaton/activity/paths.h"
#include "base/out.h"
#include "cli/session.h"
#include "cli/guidefile.h"
#include "cli/xguides.h"
#include "report/machine.h"

#include <string.h>

struct guide {
    const struct context *context;
    struct natural words;
    char *digits; /* of their number */
    uint32_t longest, shortest;
};

static bool measure(struct mem *mem, struct guide *guide)
{
    const struct dag *dag = &guide->context->scenario;
    uint32_t *steps = mem_alloc(mem, dag->states * sizeof *steps);
    dag_heights(dag, steps);
    guide->longest = steps[0];
    dag_shortest(dag, steps);
    guide->shortest = steps[0];
    mem_free(mem, steps);
    if (!paths_count(dag, &guide->words)) return false;
    guide->digits = natural_digits(mem, &guide->words);
    return guide->digits;
}

static uint32_t best_metric(const struct context *context)
{
    return context->has_scenario ? context->orders.rows[context->orders.best].metric : 1;
}

static void show(const struct guide *guide, bool verbose)
{
    const struct context *context = guide->context;
    char a[32];
    printf("%s: %u events\n", context->name, context->events.len);
    printf("  states          %14s\n", text_count(a, context->scenario.states));
    printf("  transitions     %14s\n", text_count(a, context->scenario.edges));
    if (strlen(guide->digits) > 15)
        printf("  paths           %c.%.2se%zu  (%s)\n", guide->digits[0], guide->digits + 1,
               strlen(guide->digits) - 1, guide->digits);
    else printf("  paths           %14s\n", guide->digits);
    printf("  length          %u to %u events\n", guide->shortest, guide->longest);
    printf("  reached future  %14s  (the most clusters that past-freeze keeps at the same time, in "
           "the best order found)\n",
           text_count(a, best_metric(context)));
    for (unsigned i = 0; verbose && context->has_scenario && i < ORDER_METHODS; i++) {
        const struct order_row *row = &context->orders.rows[i];
        if (row->metric)
            printf("    %-28s %10s%s\n", row->name, text_count(a, row->metric),
                   i == context->orders.best ? "  <- used" : "");
    }
}

static void put_number(struct out *out, const char *key, uint64_t value)
{
    out_key(out, key);
    out_uint(out, value);
}

/* The fields of an object. */
static void put(struct out *out, const struct guide *guide)
{
    const struct context *context = guide->context;
    uint64_t small;
    out_key(out, "name");
    out_string(out, context->name);
    put_number(out, "events", context->events.len);
    out_key(out, "dfa");
    out_open(out, '{');
    put_number(out, "states", context->scenario.states);
    put_number(out, "transitions", context->scenario.edges);
    out_key(out, "paths");
    if (natural_fits(&guide->words, &small)) out_uint(out, small);
    else out_string(out, guide->digits);
    put_number(out, "longest", guide->longest);
    put_number(out, "shortest", guide->shortest);
    out_close(out, '}');
    put_number(out, "reached_future", best_metric(context));
    out_key(out, "orders");
    out_open(out, '{');
    for (unsigned i = 0; context->has_scenario && i < ORDER_METHODS; i++)
        if (context->orders.rows[i].metric)
            put_number(out, context->orders.rows[i].name, context->orders.rows[i].metric);
    out_close(out, '}');
}

static const char *label_of(void *data, uint32_t label)
{
    return ((const struct context *)data)->events.data[label].name;
}

static bool draw(struct session *session, const struct context *context, FILE *file)
{
    struct text text;
    text_init(&text, session->mem);
    bool good = dot_print(&text, &context->scenario, context->name, label_of, (void *)context, 0);
    if (good) fputs(text.data, file);
    text_free(&text);
    return good;
}

/* The contexts that are asked for: one, or all of the file. */
static bool tell(struct session *session, const char *only, FILE *file)
{
    const struct options *options = session->options;
    uint32_t count = cdl_context_count(session->cdl), told = 0;
    struct out out;
    bool many = !only && count > 1; /* a single one is the object itself */
    if (options->json) machine_begin(&out, file, "guide", options->file);
    if (options->json && many) {
        out_key(&out, "guides");
        out_open(&out, '[');
    }
    for (uint32_t i = 0; i < count; i++) {
        if (only && strcmp(only, cdl_context_name(session->cdl, i, NULL))) continue;
        struct guide guide = {
            .context = cdl_outline(session->cdl, i, options->defines.data, options->defines.len)};
        if (!guide.context) return false;
        told++;
        if (options->to) {
            if (!draw(session, guide.context, file)) mem_refuse(session->mem);
            continue;
        }
        if (!measure(session->mem, &guide)) mem_refuse(session->mem);
        if (options->json && many) out_open(&out, '{');
        if (options->json) put(&out, &guide);
        if (options->json && many) out_close(&out, '}');
        if (!options->json) show(&guide, options->verbose || !many);
    }
    if (options->json && many) out_close(&out, ']');
    if (options->json) out_close(&out, '}');
    if (!told) fprintf(stderr, "cairn: error: %s has no context '%.60s'\n", options->file, only);
    return told;
}

int guides_run(struct options *options, struct mem *mem)
{
    struct session session;
    const char *only;
    session_init(&session, options, mem);
    options->context = options->file;
    if (options->to && strcmp(options->to, "dot")) {
        fprintf(stderr, "cairn: error: cairn guide writes --to dot, not '%.40s'\n", options->to);
        return EXIT_USAGE;
    }
    const char *guides = session_split_name(&session, options->file, &only);
    if (guidefile_knows(guides)) return xguides_run(&session, guides, only);
    if (options->bound || options->equal || options->within || options->split_by
        || options->words) {
        fputs("cairn: error: --bound, --equal, --within, --split and --words are for guides: files "
              "that end in .xgdl\n",
              stderr);
        return EXIT_USAGE;
    }
    if (!session_read_context(&session, &only)) {
        diag_finish(&session.diag);
        return EXIT_USAGE;
    }
    const char *path = options->output ? options->output : options->json_file;
    FILE *file = path ? session_open(&session, path) : stdout;
    options->told = options->json;
    bool good = file && tell(&session, only, file);
    diag_finish(&session.diag);
    if (file) good = session_close(file, path ? path : "standard output") && good;
    return good ? EXIT_HOLDS : EXIT_USAGE;
}
