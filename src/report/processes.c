#include "report/processes.h"

#include "report/machine.h"

#include <string.h>

/* Everything is put into words before the first character is out: what is told is told whole. */
struct row {
    const char *processes; /* "p[0]"; "" for a purely global rule */
    const char *location;  /* where the process must stand; NULL: anywhere, or several take part */
    const char *why;       /* NULL: safe and linear */
    struct place place;
};

static const char *keep(struct text *text) { return text->data ? text->data : ""; }

static const char *location_of(const struct model *model, uint32_t r)
{
    const struct model_rule *rule = &model->rules.data[r];
    int64_t value;
    if (rule->parts != 1) return NULL;
    uint32_t process = model->parts.data[rule->first_part].process;
    if (process == MODEL_NONE || !process_model_location(model, r, process, &value)) return NULL;
    const char *name = model_location_name(model, process, value);
    if (name) return name;
    struct text text;
    text_init(&text, model->mem);
    text_add(&text, "%lld", (long long)value);
    return keep(&text);
}

static struct row *make_rows(const struct process_model *process_model)
{
    const struct model *model = process_model->model;
    struct row *rows = mem_alloc(model->mem, (model->rules.len + UINT64_C(1)) * sizeof *rows);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        struct text names, why;
        text_init(&names, model->mem);
        text_init(&why, model->mem);
        report_participants(model, &names, r);
        process_model_explain(process_model, r, &why);
        rows[r] = (struct row){keep(&names), location_of(model, r), why.len ? why.data : NULL, {0}};
        if (model->rules.data[r].parts)
            rows[r].place = model->parts.data[model->rules.data[r].first_part].place;
    }
    return rows;
}

/* ---- for people ---- */

static void show_row(const struct report_style *style, const struct process_model *process_model,
                     const struct row *rows, uint32_t r, int width)
{
    const struct process_rule *rule = &process_model->rules[r];
    const char *kind = rule->reason != SAFE ? "-" : rule->linear ? "linear" : "safe";
    fprintf(style->out, "    %-12s %-*s %-7s line %-4u", rows[r].location ? rows[r].location : "",
            width, process_model->model->rules.data[r].label, kind, rows[r].place.line);
    if (rows[r].why) fprintf(style->out, "  %s", rows[r].why);
    fputc('\n', style->out);
}

/* The rules of one list of participants together, in the order of their first rule. */
void processes_show(const struct report_style *style, const struct process_model *process_model,
                    const bool *visible)
{
    const struct model *model = process_model->model;
    struct row *rows = make_rows(process_model);
    bool *shown = mem_alloc(model->mem, model->rules.len + UINT64_C(1));
    int width = 0;
    uint32_t seen = 0;
    for (uint32_t r = 0; r < model->rules.len; r++)
        if ((int)strlen(model->rules.data[r].label) > width)
            width = (int)strlen(model->rules.data[r].label);
    if (width > 30) width = 30;
    fprintf(style->out, "%s: %u of %u rules are safe, %u of them linear\n", model->file,
            process_model->safe, model->rules.len, process_model->linear);
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (visible[v])
            fprintf(style->out, "%s%s", seen++ ? ", " : "  visible: ", model->vars.data[v].name);
    if (seen) fputc('\n', style->out);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (shown[r]) continue;
        fprintf(style->out, "  %s\n", rows[r].processes[0] ? rows[r].processes : "no process");
        for (uint32_t q = r; q < model->rules.len; q++) {
            if (shown[q] || strcmp(rows[r].processes, rows[q].processes)) continue;
            shown[q] = true;
            show_row(style, process_model, rows, q, width);
        }
    }
    if (style->quiet) return;
    fputs("A safe rule may be taken before everything that other processes do; a linear one is "
          "also the only one that its process can take there.\n"
          "--reduce por uses them: see docs/reduction.md.\n",
          style->out);
}

/* ---- for machines ---- */

static void put_row(struct out *json, const struct diag *diag,
                    const struct process_model *process_model, const struct row *row, uint32_t r)
{
    const struct process_rule *rule = &process_model->rules[r];
    out_open_inline(json, '{');
    out_key(json, "rule");
    out_uint(json, r);
    out_key(json, "label");
    out_string(json, process_model->model->rules.data[r].label);
    out_key(json, "process");
    out_string(json, row->processes[0] ? row->processes : NULL);
    out_key(json, "location");
    out_string(json, row->location);
    out_key(json, "safe");
    out_bool(json, rule->reason == SAFE);
    out_key(json, "linear");
    out_bool(json, rule->reason == SAFE && rule->linear);
    out_key(json, "why");
    out_string(json, row->why);
    out_key(json, "file");
    out_string(json, diag_source_name(diag, row->place));
    out_key(json, "line");
    out_uint(json, row->place.line);
    out_close(json, '}');
}

void processes_json(FILE *out, const struct diag *diag, const struct process_model *process_model,
                    const bool *visible)
{
    const struct model *model = process_model->model;
    struct row *rows = make_rows(process_model);
    struct out json;
    machine_begin(&json, out, "explore", model->file);
    out_key(&json, "complete");
    out_bool(&json, !process_model->undecided);
    out_key(&json, "safe_rules");
    out_uint(&json, process_model->safe);
    out_key(&json, "linear_rules");
    out_uint(&json, process_model->linear);
    out_key(&json, "visible");
    out_open_inline(&json, '[');
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (visible[v]) out_string(&json, model->vars.data[v].name);
    out_close(&json, ']');
    out_key(&json, "process_model");
    out_open(&json, '[');
    for (uint32_t r = 0; r < model->rules.len; r++)
        put_row(&json, diag, process_model, &rows[r], r);
    out_close(&json, ']');
    out_close(&json, '}');
}
