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

/* Of the first one that was not searched to the end; others are much alike. */
static void show_advice(const struct report_style *style, const json_t *rows)
{
    enum { MOST = 8 };
    struct advice list[MOST];
    uint32_t count = 0;
    size_t i, k;
    json_t *row, *one;
    json_array_foreach(rows, i, row)
    {
        json_array_foreach(json_object_get(row, "advice"), k, one) if (count < MOST) list[count++] =
            (struct advice){text_of(one, "why"), text_of(one, "command")};
        if (count) break;
    }
    report_advice(style, list, count);
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
    show_advice(style, rows);
    json_decref(rows);
    json_decref(columns);
}
