#include "cli/scenario.h"

#include "base/out.h"
#include "report/machine.h"
#include "run/scenario.h"

#include <string.h>

static void show(const struct scenario *scenario, bool verbose)
{
    const struct context *context = scenario->context;
    char a[32];
    printf("%s: %u events\n", context->name, context->events.len);
    printf("  states          %14s\n", text_count(a, context->scenario.states));
    printf("  transitions     %14s\n", text_count(a, context->scenario.edges));
    if (strlen(scenario->digits) > 15)
        printf("  paths           %c.%.2se%zu  (%s)\n", scenario->digits[0], scenario->digits + 1,
               strlen(scenario->digits) - 1, scenario->digits);
    else printf("  paths           %14s\n", scenario->digits);
    printf("  length          %u to %u events\n", scenario->shortest, scenario->longest);
    printf("  reached future  %14s  (the most clusters that past-freeze keeps at the same time, in "
           "the best order found)\n",
           text_count(a, scenario->reached_future));
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
static void put(struct out *out, const struct scenario *scenario)
{
    const struct context *context = scenario->context;
    uint64_t small;
    out_key(out, "name");
    out_string(out, context->name);
    put_number(out, "events", context->events.len);
    out_key(out, "dfa");
    out_open(out, '{');
    put_number(out, "states", context->scenario.states);
    put_number(out, "transitions", context->scenario.edges);
    out_key(out, "paths");
    if (natural_fits(&scenario->words, &small)) out_uint(out, small);
    else out_string(out, scenario->digits);
    put_number(out, "longest", scenario->longest);
    put_number(out, "shortest", scenario->shortest);
    out_close(out, '}');
    put_number(out, "reached_future", scenario->reached_future);
    out_key(out, "orders");
    out_open(out, '{');
    for (unsigned i = 0; context->has_scenario && i < ORDER_METHODS; i++)
        if (context->orders.rows[i].metric)
            put_number(out, context->orders.rows[i].name, context->orders.rows[i].metric);
    out_close(out, '}');
}

/* The contexts that are asked for: one, or all of the file. */
static bool tell(struct session *session, const struct options *options, const char *only,
                 FILE *file)
{
    uint32_t count = cdl_context_count(session->cdl), told = 0;
    struct out out;
    bool many = !only && count > 1; /* a single one is the object itself */
    if (options->json) machine_begin(&out, file, "guide", options->ask.file);
    if (options->json && many) {
        out_key(&out, "guides");
        out_open(&out, '[');
    }
    for (uint32_t i = 0; i < count; i++) {
        if (only && strcmp(only, cdl_context_name(session->cdl, i, NULL))) continue;
        struct scenario scenario;
        if (!scenario_read(session, i, &scenario)) return false;
        told++;
        if (options->ask.to) {
            scenario_draw(session, &scenario, file);
            continue;
        }
        scenario_measure(session, &scenario);
        if (options->json && many) out_open(&out, '{');
        if (options->json) put(&out, &scenario);
        if (options->json && many) out_close(&out, '}');
        if (!options->json) show(&scenario, options->ask.verbose || !many);
    }
    if (options->json && many) out_close(&out, ']');
    if (options->json) out_close(&out, '}');
    if (!told)
        fprintf(stderr, "cairn: error: %s has no context '%.60s'\n", options->ask.file, only);
    return told;
}

bool scenario_tell(struct session *session, struct options *options)
{
    const char *only;
    if (!load_context(session, &only)) return false;
    const char *path = options->output ? options->output : options->json_file;
    FILE *file = door_open_file(options, path);
    options->told = options->json;
    bool good = file && tell(session, options, only, file);
    if (file) good = door_close_file(file, path) && good;
    return good;
}
