#include "report/matrix.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

enum { WIDE = 13, FEW = 8 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Numbers that do not fit in 53 bits are strings of digits. */
static const char *count_of(char buffer[32], const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value)) snprintf(buffer, 32, "%.31s", json_string_value(value));
    else if (json_is_integer(value)) text_count(buffer, (uint64_t)json_integer_value(value));
    else snprintf(buffer, 32, "-");
    return buffer;
}

static double real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The rows: contexts, or the one result there is. */
static json_t *rows_of(const json_t *all)
{
    json_t *contexts = json_object_get(all, "contexts");
    if (contexts) return json_incref(contexts);
    json_t *list = json_array();
    json_array_append(list, (json_t *)all);
    return list;
}

/* The columns: names of properties in the order in which they appear. */
static json_t *columns_of(const json_t *rows)
{
    assert(json_is_array(rows));
    json_t *columns = json_array(), *row, *property;
    size_t i, k;
    json_array_foreach((json_t *)rows, i, row)
        json_array_foreach(json_object_get(row, "properties"), k, property)
    {
        json_t *known;
        size_t c;
        bool found = false;
        json_array_foreach(columns, c, known) found |=
            !strcmp(json_string_value(known), text_of(property, "name"));
        if (!found) json_array_append_new(columns, json_string(text_of(property, "name")));
    }
    return columns;
}

static const json_t *cell_of(const json_t *row, const char *column)
{
    json_t *property;
    size_t k;
    json_array_foreach(json_object_get(row, "properties"), k,
                       property) if (!strcmp(text_of(property, "name"), column)) return property;
    return NULL;
}

static const json_t *statistic(const json_t *row, const char *key)
{
    return json_object_get(json_object_get(row, "statistics"), key);
}

/* The share of states that were freed, as text; "" when nothing of the kind was done. */
static const char *freed_of(char buffer[16], const json_t *row)
{
    const json_t *share = statistic(row, "freezability");
    buffer[0] = 0;
    if (share) snprintf(buffer, 16, "%.1f%%", 100 * json_number_value(share));
    return buffer;
}

static const char *name_of_row(const json_t *row)
{
    const char *name = text_of(row, "context");
    return *name ? name : text_of(row, "model");
}

static bool has_trace(const json_t *property)
{
    return json_array_size(json_object_get(json_object_get(property, "trace"), "steps"));
}

static size_t steps_of(const json_t *property)
{
    return has_trace(property)
               ? json_array_size(json_object_get(json_object_get(property, "trace"), "steps")) - 1
               : 0;
}

static bool is_vacuous(const json_t *property)
{
    return json_is_true(json_object_get(property, "vacuous"));
}

static const char vacuously[] = "vacuously: its antecedent is never true";

static const char *plural(size_t number) { return number == 1 ? "" : "s"; }

/* ---- text ---- */

static const char *color_of(const struct report_style *style, const json_t *cell)
{
    const char *verdict = text_of(cell, "verdict");
    if (!style->color) return "";
    return !strcmp(verdict, "holds") && !is_vacuous(cell) ? "\033[32m"
           : !strcmp(verdict, "violated")                 ? "\033[31m"
                                                          : "\033[33m";
}

static void show_header(const struct report_style *style, const json_t *columns, int wide,
                        bool numbered, const char *word)
{
    json_t *column;
    size_t c;
    fprintf(style->out, "%-*s", wide, word);
    json_array_foreach((json_t *)columns, c, column)
    {
        if (numbered) fprintf(style->out, "  [%zu]%-*s", c + 1, c < 9 ? 6 : 5, "");
        else fprintf(style->out, "  %-*.*s", WIDE, WIDE, json_string_value(column));
    }
    fprintf(style->out, "  %14s %14s %7s %9s\n", "states", "transitions", "freed", "time");
}

static void show_row(const struct report_style *style, const json_t *row, const json_t *columns,
                     int wide, bool numbered)
{
    char a[32], b[32], freed[16];
    json_t *column;
    size_t c;
    fprintf(style->out, "%-*s", wide, name_of_row(row));
    json_array_foreach((json_t *)columns, c, column)
    {
        const json_t *cell = cell_of(row, json_string_value(column));
        const char *verdict = !cell              ? "-"
                              : is_vacuous(cell) ? "holds (v)"
                                                 : text_of(cell, "verdict");
        fprintf(style->out, "  %s%-*s%s", cell ? color_of(style, cell) : "", numbered ? 9 : WIDE,
                verdict, cell && style->color ? "\033[0m" : "");
    }
    fprintf(style->out, "  %14s %14s %7s %7.2f s%s\n", count_of(a, row, "states"),
            count_of(b, row, "transitions"), freed_of(freed, row), real_of(row, "seconds"),
            json_is_true(json_object_get(row, "complete")) ? "" : "  not complete");
}

/* What a run shows: a violation, or that what was asked for is reached. */
static bool is_shown_by_run(const json_t *property)
{
    bool is_question = !strcmp(text_of(property, "kind"), "reach");
    return !strcmp(text_of(property, "verdict"), is_question ? "holds" : "violated");
}

static void show_runs(const struct report_style *style, const json_t *all, const json_t *rows)
{
    json_t *row, *property;
    size_t i, k;
    unsigned shown = 0;
    json_array_foreach((json_t *)rows, i, row)
        json_array_foreach(json_object_get(row, "properties"), k, property)
    {
        bool is_violated = !strcmp(text_of(property, "verdict"), "violated");
        if (!is_shown_by_run(property) || shown++ >= 10) continue;
        fprintf(style->out, "%s %s in %s", text_of(property, "name"),
                is_violated ? "is violated" : "holds", text_of(row, "context"));
        if (has_trace(property))
            fprintf(style->out, " after %zu step%s", steps_of(property),
                    plural(steps_of(property)));
        fprintf(style->out, "; the run: cairn check %s %s -p '%s'\n", text_of(all, "model"),
                text_of(row, "arguments"), text_of(property, "name"));
    }
    if (shown > 10) fprintf(style->out, "... and %u more.\n", shown - 10);
}

static bool has_vacuous(const json_t *rows)
{
    json_t *row, *property;
    size_t i, k;
    json_array_foreach((json_t *)rows, i, row) json_array_foreach(
        json_object_get(row, "properties"), k, property) if (is_vacuous(property)) return true;
    return false;
}

void matrix_show(const struct report_style *style, const struct json_t *all)
{
    json_t *rows = rows_of(all), *columns = columns_of(rows), *row, *column;
    bool numbered = json_array_size(columns) > FEW;
    int wide = 10;
    size_t i;
    json_array_foreach(columns, i, column) numbered |=
        strlen(json_string_value(column)) > WIDE; /* cut off, two of them could look the same */
    json_array_foreach(rows, i, row)
    {
        int length = (int)strlen(name_of_row(row));
        if (length > wide) wide = length;
    }
    show_header(style, columns, wide, numbered,
                text_of(all, "guides_file")[0] ? "guide" : "context");
    json_array_foreach(rows, i, row) show_row(style, row, columns, wide, numbered);
    if (numbered)
        json_array_foreach(columns, i, column)
            fprintf(style->out, "[%zu] %s\n", i + 1, json_string_value(column));
    if (has_vacuous(rows)) fprintf(style->out, "(v) %s\n", vacuously);
    show_runs(style, all, rows);
    if (json_object_get(all, "verdict"))
        fprintf(style->out, "All together: %s. ", text_of(all, "verdict"));
    fprintf(style->out, "%s.\n", text_of(all, "assurance"));
    json_decref(rows);
    json_decref(columns);
}

/* ---- HTML ---- */

static void put(FILE *out, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

static const char page_head[] =
    "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>\n"
    "body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 80em; padding: 0 "
    "1em; color: #222; background: #fff }\n"
    "table { border-collapse: collapse; margin: 1em 0 } th, td { padding: .25em .7em; text-align: "
    "left; border-bottom: 1px solid #ddd; vertical-align: top }\n"
    "th { position: sticky; top: 0; background: #f6f6f6 } td.n { text-align: right; white-space: "
    "nowrap; font-variant-numeric: tabular-nums }\n"
    ".holds { background: #dff3e0 } .violated { background: #fbdcdc } .unknown { background: "
    "#fdf1cf } .none { color: #999 }\n"
    ".vacuous { background: repeating-linear-gradient(135deg, #dff3e0 0 .5em, #fdf1cf .5em 1em) } "
    "pre { margin: .5em 0; font-size: 13px; white-space: pre-wrap }\n"
    "a { color: inherit } code, .trace td { font-family: ui-monospace, monospace; font-size: 13px "
    "} .changed { font-weight: 600 }\n"
    "svg { background: #fafafa; border: 1px solid #eee } h2 { margin-top: 2em } .wide { "
    "overflow-x: auto }\n"
    "</style>\n";

static void put_matrix(FILE *out, const json_t *rows, const json_t *columns)
{
    json_t *row, *column;
    size_t i, c;
    fputs("<div class=\"wide\"><table>\n<tr><th>context</th>", out);
    json_array_foreach((json_t *)columns, c, column)
    {
        fputs("<th>", out);
        put(out, json_string_value(column));
        fputs("</th>", out);
    }
    fputs("<th>states</th><th>transitions</th><th>freed</th><th>time</th><th>memory</th><th></th></"
          "tr>\n",
          out);
    json_array_foreach((json_t *)rows, i, row)
    {
        char a[32], b[32], m[32], freed[16];
        fprintf(out, "<tr><td><a href=\"#c%zu\">", i);
        put(out, name_of_row(row));
        fputs("</a></td>", out);
        json_array_foreach((json_t *)columns, c, column)
        {
            const json_t *cell = cell_of(row, json_string_value(column));
            const char *verdict = cell ? text_of(cell, "verdict") : "";
            if (!cell) fputs("<td class=\"none\">-</td>", out);
            else if (has_trace(cell))
                fprintf(out, "<td class=\"%s\"><a href=\"#c%zup%zu\">%s, %zu step%s</a></td>",
                        verdict, i, c, verdict, steps_of(cell), plural(steps_of(cell)));
            else if (is_vacuous(cell))
                fprintf(out, "<td class=\"vacuous\" title=\"%s\">%s, vacuously</td>", vacuously,
                        verdict);
            else fprintf(out, "<td class=\"%s\">%s</td>", verdict, verdict);
        }
        fprintf(out,
                "<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td "
                "class=\"n\">%.2f s</td><td class=\"n\">%s</td><td>%s</td></tr>\n",
                count_of(a, row, "states"), count_of(b, row, "transitions"), freed_of(freed, row),
                real_of(row, "seconds"),
                report_bytes(m, (uint64_t)real_of(row, "peak_memory_bytes")),
                json_is_true(json_object_get(row, "complete")) ? "" : "not complete");
    }
    fputs("</table></div>\n", out);
}

/* Sizes of clusters over ranks, as bars. */
static void put_plot(FILE *out, const json_t *row)
{
    const json_t *sizes = statistic(row, "cluster_sizes");
    size_t count = json_array_size(sizes), i;
    json_t *pair;
    double most = 1;
    if (count < 2) return;
    json_array_foreach((json_t *)sizes, i, pair)
    {
        double value = json_number_value(json_array_get(pair, 1));
        if (value > most) most = value;
    }
    double width = 900.0 / (double)count;
    fprintf(out,
            "<p>States per cluster, in the order of ranks; the largest has %.0f.</p>\n<svg "
            "width=\"920\" height=\"140\" viewBox=\"0 0 920 140\">",
            most);
    json_array_foreach((json_t *)sizes, i, pair)
    {
        double height = 120 * json_number_value(json_array_get(pair, 1)) / most;
        fprintf(out,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#5b8bbf\"/>",
                10 + width * (double)i, 130 - height, width > 2 ? width - 0.5 : width, height);
    }
    fputs("</svg>\n", out);
}

/* A value as result/value.h has put it: objects are records and constructors, lists are arrays
 * and queues. */
static void put_value(FILE *out, const json_t *value)
{
    const char *name, *between = "";
    json_t *part;
    size_t i;
    if (json_is_array(value)) {
        fputc('[', out);
        json_array_foreach((json_t *)value, i, part)
        {
            fputs(i ? ", " : "", out);
            put_value(out, part);
        }
        fputc(']', out);
    } else if (json_is_object(value)) {
        fputc('{', out);
        json_object_foreach((json_t *)value, name, part)
        {
            fputs(between, out);
            put(out, name);
            fputs(" = ", out);
            put_value(out, part);
            between = ", ";
        }
        fputc('}', out);
    }
    if (json_is_string(value)) put(out, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_boolean(value)) fputs(json_is_true(value) ? "true" : "false", out);
}

/* What is different from the state before; all of the first. */
static void put_changes(FILE *out, const json_t *state, const json_t *before)
{
    const char *name, *between = "";
    json_t *value;
    json_object_foreach((json_t *)state, name, value)
    {
        const json_t *old = json_object_get(before, name);
        if (old && json_equal((json_t *)old, value)) continue;
        fputs(between, out);
        put(out, name);
        fputs(" = ", out);
        put_value(out, value);
        between = ", ";
    }
}

static void put_trace(FILE *out, const json_t *trace)
{
    const json_t *steps = json_object_get(trace, "steps"), *before = NULL;
    json_t *step;
    size_t i;
    bool timed = json_array_size(steps) > 1 && json_object_get(json_array_get(steps, 1), "delay");
    fprintf(
        out,
        "<div class=\"wide\"><table "
        "class=\"trace\"><tr><th></th><th>step</th><th>by</th><th>at</th>%s<th>changes</th></tr>\n",
        timed ? "<th>delay</th><th>date</th>" : "");
    json_array_foreach((json_t *)steps, i, step)
    {
        fprintf(out, "<tr><td class=\"n\">%zu</td><td>", i);
        put(out, i || *text_of(step, "label") ? text_of(step, "label") : "initial state");
        fputs("</td><td>", out);
        put(out, text_of(step, "process"));
        fputs("</td><td>", out);
        put(out, text_of(step, "file"));
        if (json_is_integer(json_object_get(step, "line")))
            fprintf(out, ":%" JSON_INTEGER_FORMAT,
                    json_integer_value(json_object_get(step, "line")));
        fputs("</td><td>", out);
        for (unsigned k = 0; timed && k < 2; k++) {
            put_value(out, json_object_get(step, k ? "date" : "delay"));
            fputs("</td><td>", out);
        }
        put_changes(out, json_object_get(step, "state"), before);
        fputs("</td></tr>\n", out);
        before = json_object_get(step, "state");
    }
    fputs("</table></div>\n", out);
    if (json_object_get(trace, "wait")) {
        fputs("<p>Then time passes: ", out);
        put_value(out, json_object_get(trace, "wait"));
        fputs(".</p>\n", out);
    }
    if (json_is_integer(json_object_get(trace, "loop")))
        fprintf(out,
                "<p>The run goes on for ever from state %" JSON_INTEGER_FORMAT
                " to the end and again.</p>\n",
                json_integer_value(json_object_get(trace, "loop")));
}

/* What a violation has to show: its run with its branches, or the state. */
static void put_evidence(FILE *out, const json_t *property)
{
    json_t *branch;
    size_t i;
    const json_t *state = json_object_get(property, "state");
    if (has_trace(property)) put_trace(out, json_object_get(property, "trace"));
    json_array_foreach(json_object_get(property, "branches"), i, branch)
    {
        fprintf(out, "<p>Branch %zu, from state %" JSON_INTEGER_FORMAT " of ", i + 1,
                json_integer_value(json_object_get(branch, "from")));
        json_int_t parent = json_integer_value(json_object_get(branch, "parent"));
        if (parent) fprintf(out, "branch %" JSON_INTEGER_FORMAT, parent);
        else fputs("this run", out);
        fputs(", where <code>", out);
        put(out, text_of(branch, "part"));
        fprintf(out, "</code> is %s:</p>\n",
                json_is_true(json_object_get(branch, "value")) ? "true" : "false");
        put_trace(out, json_object_get(branch, "trace"));
    }
    if (state) {
        fputs("<p>In the state <code>", out);
        put_changes(out, state, NULL);
        fputs("</code></p>\n", out);
    }
    if (!*text_of(property, "why")) return;
    fputs("<pre>", out);
    put(out, text_of(property, "why"));
    fputs("</pre>\n", out);
}

static void put_details(FILE *out, const json_t *row, size_t number, const json_t *columns)
{
    json_t *property, *column;
    size_t k, c;
    fprintf(out, "<h2 id=\"c%zu\">", number);
    put(out, name_of_row(row));
    fputs("</h2>\n<p>", out);
    put(out, text_of(row, "assurance"));
    fputs("</p>\n", out);
    put_plot(out, row);
    json_array_foreach(json_object_get(row, "properties"), k, property)
    {
        const char *reason = text_of(property, "reason");
        fprintf(out, "<p><span class=\"%s\">%s</span> <b>",
                is_vacuous(property) ? "vacuous" : text_of(property, "verdict"),
                text_of(property, "verdict"));
        put(out, text_of(property, "name"));
        fputs("</b> <code>", out);
        put(out, text_of(property, "text"));
        fputs("</code> ", out);
        put(out, is_vacuous(property) ? vacuously : reason);
        fputs("</p>\n", out);
        json_array_foreach((json_t *)columns, c, column) if (has_trace(property)
                                                             && !strcmp(json_string_value(column),
                                                                        text_of(property, "name")))
            fprintf(out, "<a id=\"c%zup%zu\"></a>", number, c);
        put_evidence(out, property);
    }
}

void matrix_html(FILE *out, const struct json_t *all)
{
    json_t *rows = rows_of(all), *columns = columns_of(rows), *row;
    size_t i;
    char states[32];
    fputs("<!doctype html>\n<html lang=\"en\"><head>\n", out);
    fputs(page_head, out);
    fputs("<title>", out);
    put(out, text_of(all, "model"));
    fputs(" - Cairn</title></head><body>\n<h1>", out);
    put(out, text_of(all, "model"));
    fputs("</h1>\n<p>", out);
    const char *verdict = text_of(all, "verdict");
    if (*verdict) fprintf(out, "<b class=\"%s\">%s</b>. ", verdict, verdict);
    put(out, text_of(all, "assurance"));
    fprintf(out, ".</p>\n<p>%s states, %.2f s, cairn %s</p>\n", count_of(states, all, "states"),
            real_of(all, "seconds"), text_of(all, "cairn"));
    put_matrix(out, rows, columns);
    json_array_foreach(rows, i, row) put_details(out, row, i, columns);
    fputs("</body></html>\n", out);
    json_decref(rows);
    json_decref(columns);
}

bool matrix_page(FILE *out, const char *object, size_t length)
{
    json_t *all = json_loadb(object, length, 0, NULL);
    if (all) matrix_html(out, all);
    json_decref(all);
    return all;
}
