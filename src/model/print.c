/* One line per fact, in the order of the model's tables, so that the reader rebuilds the same tables with the same indices.
 *
 * What is not printed: reads and writes of rules (derived), tables' slack, built-in properties (every model has them) and the
 * positions of the inner nodes of formulas (the property's position stands for them).
 *
 * Relies on: (1) names of variables, processes and properties are unique, because references are by name; (2) the conjuncts of a
 * rule ascend by part, as model_add_conjunct makes them; (3) no number is INT64_MIN, which the lexer cannot read.
 *
 * Expressions are printed as trees, by recursion: their depth is at most EXPR_MAX_DEPTH. */
#include "model/print.h"

#include <assert.h>
#include <inttypes.h>

struct printer {
    const struct model *model;
    const struct diag *diag;
    FILE *out;
    uint32_t *numbers; /* per source of diag: its number in the text, from 1; 0: no position is in it */
};

/* ---- strings, numbers, positions ---- */

/* A string cannot contain its own delimiter or a newline; nothing else needs care. */
static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) fputc(*text == '"' ? '\'' : *text == '\n' ? ' ' : *text, out);
    fputc('"', out);
}

static void print_name(FILE *out, const char *before, const char *name)
{
    fputs(before, out);
    print_string(out, name);
}

static void print_number(FILE *out, int64_t value)
{
    assert(value != INT64_MIN); /* (3) */
    fprintf(out, "%" PRId64, value);
}

static bool has_position(const struct printer *printer, struct place place)
{
    return place.line && place.source < printer->diag->sources.len;
}

/* Ends the line. */
static void print_place(const struct printer *printer, struct place place)
{
    if (has_position(printer, place)) {
        uint32_t number = printer->numbers[place.source];
        fprintf(printer->out, " at %u:%u", place.line, place.column);
        if (number != 1) fprintf(printer->out, " in %u", number);
    }
    fputc('\n', printer->out);
}

static bool is_built_in(const struct model_property *property)
{
    return property->kind == PROPERTY_DEADLOCK || property->kind == PROPERTY_RUNTIME_ERROR;
}

static void mark_place(struct printer *printer, struct place place)
{
    if (has_position(printer, place)) printer->numbers[place.source] = 1;
}

/* Finds the sources that will be mentioned, and nothing more: a source that no position needs would be lost in the second printing. */
static void number_sources(struct printer *printer)
{
    const struct model *model = printer->model;
    uint32_t sources = printer->diag->sources.len, number = 0;
    for (uint32_t i = 0; i < model->vars.len; i++) mark_place(printer, model->vars.data[i].place);
    for (uint32_t i = 0; i < model->processes.len; i++) {
        const struct model_process *process = &model->processes.data[i];
        mark_place(printer, process->place);
        for (uint32_t l = 0; l < process->locations; l++)
            mark_place(printer, model->locations.data[process->first_location + l].place);
    }
    for (uint32_t i = 0; i < model->parts.len; i++) mark_place(printer, model->parts.data[i].place);
    for (uint32_t i = 0; i < model->conjuncts.len; i++) mark_place(printer, model->conjuncts.data[i].place);
    for (uint32_t i = 0; i < model->stores.len; i++) mark_place(printer, model->stores.data[i].place);
    for (uint32_t i = 0; i < model->properties.len; i++)
        if (!is_built_in(&model->properties.data[i])) mark_place(printer, model->properties.data[i].place);
    for (uint32_t i = 0; i < sources; i++)
        if (printer->numbers[i]) printer->numbers[i] = ++number;
}

static void print_header(const struct printer *printer)
{
    const struct model *model = printer->model;
    fprintf(printer->out, "cairn %d\n", MODEL_FORMAT_VERSION);
    print_name(printer->out, "model ", model->name);
    fputc('\n', printer->out);
    for (uint32_t i = 0; i < printer->diag->sources.len; i++) {
        if (!printer->numbers[i]) continue;
        print_name(printer->out, "source ", printer->diag->sources.data[i].name);
        fputc('\n', printer->out);
    }
    if (model->constants.len) fputc('\n', printer->out);
    for (uint32_t i = 0; i < model->constants.len; i++) {
        print_name(printer->out, "constant ", model->constants.data[i].name);
        fputc(' ', printer->out);
        print_number(printer->out, model->constants.data[i].value);
        fputc('\n', printer->out);
    }
}

/* ---- expressions and formulas ---- */

static void print_expr(const struct printer *printer, expr e)
{
    const struct expr_node *node = expr_get(&printer->model->exprs, e);
    const struct expr_info *info = &expr_table[node->op];
    FILE *out = printer->out;
    if (node->op == EXPR_CONST && node->is_bool) {
        fputs(node->value ? "true" : "false", out);
    } else if (node->op == EXPR_CONST) {
        print_number(out, node->value);
    } else if (node->op == EXPR_VAR) {
        print_string(out, printer->model->vars.data[node->value].name);
    } else {
        fprintf(out, "(%s ", info->word);
        if (info->has_bits) fprintf(out, "%u ", node->bits);
        print_expr(printer, node->a);
        if (info->arity == 2) {
            fputc(' ', out);
            print_expr(printer, node->b);
        }
        fputc(')', out);
    }
}

static void print_formula(const struct printer *printer, formula f)
{
    const struct formula_node *node = formula_get(&printer->model->formulas, f);
    if (node->op == FORMULA_ATOM) {
        print_expr(printer, node->atom);
        return;
    }
    fprintf(printer->out, "(%s ", formula_table[node->op].word);
    print_formula(printer, node->a);
    if (formula_table[node->op].arity == 2) {
        fputc(' ', printer->out);
        print_formula(printer, node->b);
    }
    fputc(')', printer->out);
}

/* ---- processes and variables ---- */

static void print_locations(const struct printer *printer, const struct model_process *process)
{
    for (uint32_t i = 0; i < process->locations; i++) {
        const struct model_location *location = &printer->model->locations.data[process->first_location + i];
        fputs("  location ", printer->out);
        print_number(printer->out, location->value);
        if (location->name) print_name(printer->out, " ", location->name);
        print_place(printer, location->place);
    }
}

/* Processes of one type share their locations, in the model and in the text. */
static void print_processes(const struct printer *printer)
{
    const struct model *model = printer->model;
    FILE *out = printer->out;
    if (model->processes.len) fputc('\n', out);
    uint32_t *owners = mem_alloc(model->mem, (model->locations.len + 1) * sizeof *owners); /* of a range's start: a process + 1 */
    for (uint32_t i = 0; i < model->processes.len; i++) {
        const struct model_process *process = &model->processes.data[i];
        print_name(out, "process ", process->name);
        print_name(out, " type ", process->type);
        if (process->location != MODEL_NONE) print_name(out, " pc ", model->vars.data[process->location].name);
        print_place(printer, process->place);
        if (!process->locations) continue;
        uint32_t *owner = &owners[process->first_location];
        if (*owner && model->processes.data[*owner - 1].locations == process->locations) {
            print_name(out, "  locations of ", model->processes.data[*owner - 1].name);
            fputc('\n', out);
        } else {
            print_locations(printer, process);
            *owner = i + 1;
        }
    }
    mem_free(model->mem, owners);
}

static void print_variables(const struct printer *printer)
{
    const struct model *model = printer->model;
    FILE *out = printer->out;
    if (model->vars.len) fputc('\n', out);
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        print_name(out, "variable ", var->name);
        if (var->process != MODEL_NONE) print_name(out, " of ", model->processes.data[var->process].name);
        fputc(' ', out);
        print_number(out, var->low);
        fputs("..", out);
        print_number(out, var->high);
        fputs(" = ", out);
        if (var->any_init) fputs("any", out);
        else print_number(out, var->init);
        print_place(printer, var->place);
    }
}

/* ---- rules and properties ---- */

static void print_rule(const struct printer *printer, const struct model_rule *rule)
{
    const struct model *model = printer->model;
    FILE *out = printer->out;
    uint32_t next = 0;
    print_name(out, "\nrule ", rule->label);
    fputc('\n', out);
    for (uint32_t p = 0; p < rule->parts; p++) {
        const struct rule_part *part = &model->parts.data[rule->first_part + p];
        if (part->process == MODEL_NONE) fputs("  part global", out);
        else print_name(out, "  part ", model->processes.data[part->process].name);
        print_place(printer, part->place);
        for (; next < rule->conjuncts; next++) {
            const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + next];
            if (conjunct->part != p) break;
            fputs("    when ", out);
            print_expr(printer, conjunct->cond);
            print_place(printer, conjunct->place);
        }
    }
    assert(next == rule->conjuncts); /* (2) */
    for (uint32_t s = 0; s < rule->stores; s++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + s];
        print_name(out, "  set ", model->vars.data[store->var].name);
        fputc(' ', out);
        print_expr(printer, store->value);
        print_place(printer, store->place);
    }
}

static void print_property(const struct printer *printer, const struct model_property *property)
{
    print_name(printer->out, "\nproperty ", property->name);
    fprintf(printer->out, " %s", property_kind_name[property->kind]);
    print_place(printer, property->place);
    print_name(printer->out, "  text ", property->text);
    fputs("\n  formula ", printer->out);
    print_formula(printer, property->root);
    fputc('\n', printer->out);
}

void model_print(const struct model *model, const struct diag *diag, FILE *out)
{
    struct printer printer = {.model = model, .diag = diag, .out = out};
    printer.numbers = mem_alloc(model->mem, (diag->sources.len + 1) * sizeof *printer.numbers);
    number_sources(&printer);
    print_header(&printer);
    print_processes(&printer);
    print_variables(&printer);
    for (uint32_t i = 0; i < model->rules.len; i++) print_rule(&printer, &model->rules.data[i]);
    for (uint32_t i = 0; i < model->properties.len; i++)
        if (!is_built_in(&model->properties.data[i])) print_property(&printer, &model->properties.data[i]);
    mem_free(model->mem, printer.numbers);
}
