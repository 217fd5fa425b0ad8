/* One line per fact, in the order of the model's tables, so that the reader rebuilds the same
 * tables with the same indices.
 *
 * What is not printed: reads and writes of rules (derived), tables' slack, intervals that rules
 * share (each of them has its own), built-in properties (every model has them) and the positions of
 * the inner nodes of formulas (the property's position stands for them).
 *
 * Relies on: (1) names of variables, processes, clocks and properties are unique, because
 * references are by name; (2) the conjuncts of a rule ascend by part, as model_add_conjunct makes
 * them; (3) the expressions know the ranges of all variables or of none.
 *
 * An expression may know more of the values of a cell than its declaration says, because it is
 * evaluated only where that is so. The text cannot say why, and a reader must not believe it; so it
 * is printed as a test.
 *
 * Expressions and code are printed as trees, by recursion: the depth of expressions is at most
 * EXPR_MAX_DEPTH. The body of a function is printed once, before everything that calls it;
 * functions have numbers, because the model has no names for them. */
#include "model/print.h"

#include "model/cells.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct printer {
    const struct model *model;
    const struct diag *diag;
    FILE *out;
    uint32_t
        *numbers; /* per source of diag: its number in the text, from 1; 0: no position is in it */
    bool *is_ambiguous;  /* per local: another one has the same name */
    uint32_t *functions; /* per statement: the number of the function that begins there, from 1; 0:
                            none does */
    VEC(statement) bodies; /* per function */
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
    if (value == INT64_MIN) fputs("lowest", out); /* its digits alone are no number */
    else fprintf(out, "%" PRId64, value);
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

/* Finds the sources that will be mentioned, and nothing more: a source that no position needs would
 * be lost in the second printing. */
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
    for (uint32_t i = 0; i < model->conjuncts.len; i++)
        mark_place(printer, model->conjuncts.data[i].place);
    for (uint32_t i = 0; i < model->stores.len; i++)
        mark_place(printer, model->stores.data[i].place);
    for (uint32_t i = 0; i < model->code.len; i++) mark_place(printer, model->code.data[i].place);
    for (uint32_t i = 0; i < model->clocks.len; i++)
        mark_place(printer, model->clocks.data[i].place);
    for (uint32_t i = 0; i < model->constraints.len; i++)
        mark_place(printer, model->constraints.data[i].place);
    for (uint32_t i = 0; i < model->properties.len; i++)
        if (!is_built_in(&model->properties.data[i]))
            mark_place(printer, model->properties.data[i].place);
    for (uint32_t i = 0; i < sources; i++)
        if (printer->numbers[i]) printer->numbers[i] = ++number;
}

static bool knows_ranges(const struct model *model)
{
    for (uint32_t i = 0; i < model->exprs.nodes.len; i++) {
        const struct expr_node *node = &model->exprs.nodes.data[i];
        if (node->op == EXPR_VAR && (node->low != INT64_MIN || node->high != INT64_MAX))
            return true;
    }
    return false;
}

static void print_header(const struct printer *printer)
{
    const struct model *model = printer->model;
    fprintf(printer->out, "cairn %d\n", MODEL_FORMAT_VERSION);
    print_name(printer->out, "model ", model->name);
    fputs(knows_ranges(model) ? " ranged\n" : "\n", printer->out);
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
    if (model->ticks != 1) fprintf(printer->out, "\nticks %" PRId64 "\n", model->ticks);
    if (model->clocks.len) fputc('\n', printer->out);
    for (uint32_t i = 0; i < model->clocks.len; i++) {
        print_name(printer->out, "clock ", model->clocks.data[i].name);
        if (model->clocks.data[i].init)
            fprintf(printer->out, " init %" PRId64, model->clocks.data[i].init);
        print_place(printer, model->clocks.data[i].place);
    }
    if (model->class_count) fprintf(printer->out, "\nclasses %" PRIu32 "\n", model->class_count);
    for (uint32_t i = 0; i < model->priorities.len; i++)
        fprintf(printer->out, "priority %" PRIu32 " > %" PRIu32 "\n",
                model->priorities.data[i].high, model->priorities.data[i].low);
}

static void print_tables(const struct printer *printer)
{
    enum { PER_LINE = 24 };
    for (uint32_t t = 0; t < printer->model->tables.len; t++) {
        const struct model_table *table = &printer->model->tables.data[t];
        fprintf(printer->out, "\ntable %" PRIu32, table->count);
        for (uint32_t i = 0; i < table->count; i++) {
            fputs(i % PER_LINE ? " " : "\n  ", printer->out);
            print_number(printer->out, table->values[i]);
        }
        fputc('\n', printer->out);
    }
}

/* ---- expressions and formulas ---- */

static void print_expr(const struct printer *printer, expr e);

static void print_local(const struct printer *printer, uint32_t local)
{
    if (printer->is_ambiguous[local]) fprintf(printer->out, "%" PRIu32, local);
    else print_string(printer->out, printer->model->locals.data[local].name);
}

static void print_range(FILE *out, int64_t low, int64_t high)
{
    print_number(out, low);
    fputs("..", out);
    print_number(out, high);
    fputc(' ', out);
}

/* What a node says of its values beyond what follows from declarations holds for reasons that the
 * text does not have: it becomes a test. */
static bool print_test(const struct printer *printer, const struct expr_node *node, int64_t low,
                       int64_t high)
{
    if (node->low <= low && node->high >= high) return false;
    fputs("(within range ", printer->out);
    print_range(printer->out, node->low, node->high);
    return true;
}

/* One of `count` cells from `base` on; `bounds`: with wider bounds than those of the cells. */
static void print_array_cell(const struct printer *printer, bool local, uint32_t base,
                             uint32_t count, expr offset, const struct expr_node *bounds)
{
    FILE *out = printer->out;
    fputs(local ? "(local_at " : "(at ", out);
    if (local) print_local(printer, base);
    else print_string(out, printer->model->vars.data[base].name);
    fprintf(out, " %" PRIu32 " ", count);
    if (bounds) print_range(out, bounds->low, bounds->high);
    print_expr(printer, offset);
    fputc(')', out);
}

static void print_array(const struct printer *printer, const struct expr_node *node)
{
    uint32_t count = (uint32_t)expr_get(&printer->model->exprs, node->b)->value;
    bool local = node->op == EXPR_LOCAL_AT;
    int64_t low, high;
    cells_range(printer->model, local, (uint32_t)node->value, count, node->a, &low, &high);
    bool test = print_test(printer, node, low, high);
    print_array_cell(printer, local, (uint32_t)node->value, count, node->a,
                     !test && (node->low < low || node->high > high) ? node : NULL);
    if (test) fputc(')', printer->out);
}

/* A variable or local. */
static void print_cell_value(const struct printer *printer, const struct expr_node *node)
{
    const struct model *model = printer->model;
    bool local = node->op == EXPR_LOCAL;
    int64_t low = local ? model->locals.data[node->value].low : model->vars.data[node->value].low;
    int64_t high =
        local ? model->locals.data[node->value].high : model->vars.data[node->value].high;
    bool test = print_test(printer, node, low, high);
    if (local) fputs("(local ", printer->out);
    if (local) print_local(printer, (uint32_t)node->value);
    else print_string(printer->out, model->vars.data[node->value].name);
    if (local) fputc(')', printer->out);
    if (test) fputc(')', printer->out);
}

static void print_operator(const struct printer *printer, const struct expr_node *node)
{
    const struct expr_info *info = &expr_table[node->op];
    const expr operands[] = {node->a, node->b, node->c};
    fprintf(printer->out, "(%s", info->word);
    if (info->has_bits) fprintf(printer->out, " %u", node->bits);
    for (unsigned i = 0; i < info->arity; i++) {
        fputc(' ', printer->out);
        print_expr(printer, operands[i]);
    }
    fputc(')', printer->out);
}

static void print_within(const struct printer *printer, const struct expr_node *node)
{
    const struct exprs *exprs = &printer->model->exprs;
    fprintf(printer->out, "(within %s ", failure_name[node->bits]);
    print_range(printer->out, expr_get(exprs, node->b)->value, expr_get(exprs, node->c)->value);
    print_expr(printer, node->a);
    fputc(')', printer->out);
}

static void print_expr(const struct printer *printer, expr e)
{
    const struct exprs *exprs = &printer->model->exprs;
    const struct expr_node *node = expr_get(exprs, e);
    FILE *out = printer->out;
    switch ((enum expr_op)node->op) {
    case EXPR_CONST:
        if (node->is_bool) fputs(node->value ? "true" : "false", out);
        else print_number(out, node->value);
        break;
    case EXPR_VAR:
    case EXPR_LOCAL: print_cell_value(printer, node); break;
    case EXPR_FAIL: fprintf(out, "(fail %s)", failure_name[node->bits]); break;
    case EXPR_WITHIN: print_within(printer, node); break;
    case EXPR_AT:
    case EXPR_LOCAL_AT: print_array(printer, node); break;
    case EXPR_TABLE:
        fprintf(out, "(table %" PRId64 " ", node->value);
        print_expr(printer, node->a);
        fputc(')', out);
        break;
    default: print_operator(printer, node);
    }
}

/* ---- processes and variables ---- */

static void print_clock(const struct printer *printer, uint32_t clock)
{
    if (clock == MODEL_NONE) fputc('0', printer->out);
    else print_string(printer->out, printer->model->clocks.data[clock].name);
}

/* x - y <= 5; a single clock is compared with a number, which may turn the comparison around. */
static void print_comparison(const struct printer *printer, const char *word,
                             const struct clock_constraint *constraint)
{
    bool is_lower = constraint->x == MODEL_NONE && constraint->y != MODEL_NONE
                    && constraint->bound != INT64_MIN && !constraint->varies;
    fputs(word, printer->out);
    if (is_lower) print_clock(printer, constraint->y);
    else print_clock(printer, constraint->x);
    if (!is_lower && (constraint->x == MODEL_NONE || constraint->y != MODEL_NONE)) {
        fputs(" - ", printer->out);
        print_clock(printer, constraint->y);
    }
    fprintf(printer->out, " %c%s ", is_lower ? '>' : '<', constraint->strict ? "" : "=");
    if (constraint->varies) print_expr(printer, constraint->value);
    else print_number(printer->out, is_lower ? -constraint->bound : constraint->bound);
    if (constraint->is_conditional) {
        fputs(" if ", printer->out);
        print_expr(printer, constraint->when);
    }
}

static void print_constraint(const struct printer *printer, const char *word,
                             const struct clock_constraint *constraint)
{
    print_comparison(printer, word, constraint);
    print_place(printer, constraint->place);
}

/* Whether an invariant computes something: then all of the location come when variables are
 * declared. */
static bool computes(const struct model *model, const struct model_location *location)
{
    for (uint32_t i = 0; i < location->invariants; i++) {
        const struct clock_constraint *constraint =
            &model->constraints.data[location->first_invariant + i];
        if (constraint->varies || constraint->is_conditional) return true;
    }
    return false;
}

static void print_invariants(const struct printer *printer, const char *word,
                             const struct model_location *location)
{
    for (uint32_t i = 0; i < location->invariants; i++)
        print_constraint(printer, word,
                         &printer->model->constraints.data[location->first_invariant + i]);
}

static void print_locations(const struct printer *printer, const struct model_process *process)
{
    for (uint32_t i = 0; i < process->locations; i++) {
        const struct model_location *location =
            &printer->model->locations.data[process->first_location + i];
        fputs("  location ", printer->out);
        print_number(printer->out, location->value);
        if (location->name) print_name(printer->out, " ", location->name);
        if (location->is_urgent) fputs(" urgent", printer->out);
        print_place(printer, location->place);
        if (!computes(printer->model, location))
            print_invariants(printer, "    invariant ", location);
    }
}

/* Processes of one type share their locations, in the model and in the text. */
static void print_processes(const struct printer *printer)
{
    const struct model *model = printer->model;
    FILE *out = printer->out;
    if (model->processes.len) fputc('\n', out);
    uint32_t *owners =
        mem_alloc(model->mem, (model->locations.len + 1)
                                  * sizeof *owners); /* of a range's start: a process + 1 */
    for (uint32_t i = 0; i < model->processes.len; i++) {
        const struct model_process *process = &model->processes.data[i];
        print_name(out, "process ", process->name);
        print_name(out, " type ", process->type);
        if (process->location != MODEL_NONE)
            print_name(out, " pc ", model->vars.data[process->location].name);
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
        if (var->is_hidden) fputs(" hidden", out);
        for (uint32_t c = 0; c < model->clocks.len; c++)
            if (model->clocks.data[c].is_set_by_code && model->clocks.data[c].setter == i)
                print_name(out, " sets ", model->clocks.data[c].name);
        if (var->process != MODEL_NONE)
            print_name(out, " of ", model->processes.data[var->process].name);
        fputc(' ', out);
        print_number(out, var->low);
        fputs("..", out);
        print_number(out, var->high);
        fputs(" = ", out);
        if (var->any_init) fputs("any", out);
        else print_number(out, var->init);
        if (var->value_names) fputs(" named", out);
        for (int64_t value = var->low; var->value_names && value <= var->high; value++)
            print_name(out, " ", var->value_names[value - var->low]);
        print_place(printer, var->place);
    }
    if (model->initial.len) fputc('\n', out);
    for (uint32_t i = 0; i < model->initial.len; i++) {
        if (i % model->vars.len == 0) fputs("initial", out);
        fputc(' ', out);
        print_number(out, model->initial.data[i]);
        if ((i + 1) % model->vars.len == 0) fputc('\n', out);
    }
}

/* ---- code ---- */

struct local_name {
    const char *name;
    uint32_t local;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct local_name *)a)->name, ((const struct local_name *)b)->name);
}

static void find_ambiguous_locals(struct printer *printer)
{
    const struct model *model = printer->model;
    uint32_t count = model->locals.len;
    struct local_name *names = mem_alloc(model->mem, (count + UINT64_C(1)) * sizeof *names);
    printer->is_ambiguous = mem_alloc(model->mem, count + UINT64_C(1));
    for (uint32_t i = 0; i < count; i++)
        names[i] = (struct local_name){model->locals.data[i].name, i};
    qsort(names, count, sizeof *names, by_name);
    for (uint32_t i = 1; i < count; i++)
        if (!strcmp(names[i].name, names[i - 1].name))
            printer->is_ambiguous[names[i].local] = printer->is_ambiguous[names[i - 1].local] =
                true;
    mem_free(model->mem, names);
}

static void print_locals(const struct printer *printer)
{
    const struct model *model = printer->model;
    if (model->locals.len) fputc('\n', printer->out);
    for (uint32_t i = 0; i < model->locals.len; i++) {
        print_name(printer->out, "local ", model->locals.data[i].name);
        fputc(' ', printer->out);
        print_number(printer->out, model->locals.data[i].low);
        fputs("..", printer->out);
        print_number(printer->out, model->locals.data[i].high);
        fputc('\n', printer->out);
    }
}

/* A function gets its number after those that it calls. */
static void number_functions(struct printer *printer, statement at)
{
    const struct model *model = printer->model;
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        bool is_new =
            node->op == CODE_CALL && !code_is_none(node->body) && !printer->functions[node->body.i];
        if (node->op == CODE_IF || node->op == CODE_WHILE || is_new)
            number_functions(printer, node->body);
        if (node->op == CODE_IF) number_functions(printer, node->other);
        if (!is_new) continue;
        vec_push(model->mem, &printer->bodies, node->body);
        printer->functions[node->body.i] = printer->bodies.len;
    }
}

static void print_cell(const struct printer *printer, const struct cell *cell)
{
    const struct expr_node *offset = expr_get(&printer->model->exprs, cell->offset);
    if (offset->op != EXPR_CONST)
        print_array_cell(printer, cell->local, cell->base, cell->count, cell->offset, NULL);
    else if (!cell->local)
        print_string(printer->out, printer->model->vars.data[cell->base + offset->value].name);
    else {
        fputs("(local ", printer->out);
        print_local(printer, cell->base + (uint32_t)offset->value);
        fputc(')', printer->out);
    }
}

static void print_line(const struct printer *printer, unsigned depth, const char *word)
{
    fprintf(printer->out, "%*s%s", (int)(2 * depth), "", word);
}

/* What stands on the line of a statement before its position. */
static void print_statement_head(const struct printer *printer, const struct code_node *node,
                                 unsigned depth)
{
    static const char *const words[] = {
        [CODE_SET] = "set ",   [CODE_COPY] = "copy ",   [CODE_REQUIRE] = "require ",
        [CODE_IF] = "if ",     [CODE_WHILE] = "while ", [CODE_CALL] = "call ",
        [CODE_LEAVE] = "leave"};
    FILE *out = printer->out;
    print_line(printer, depth, words[node->op]);
    if (node->op == CODE_COPY) fprintf(out, "%" PRIu32 " ", node->cells);
    if (node->op == CODE_SET || node->op == CODE_COPY) {
        print_cell(printer, &node->target);
        fputc(' ', out);
    }
    if (node->op == CODE_COPY) print_cell(printer, &node->source);
    else if (node->op == CODE_CALL && code_is_none(node->body)) fputs("nothing", out);
    else if (node->op == CODE_CALL) fprintf(out, "%" PRIu32, printer->functions[node->body.i]);
    else if (node->op != CODE_LEAVE) print_expr(printer, node->value);
}

static void print_block(const struct printer *printer, statement at, unsigned depth)
{
    const struct model *model = printer->model;
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        print_statement_head(printer, node, depth);
        print_place(printer, node->place);
        if (node->op != CODE_IF && node->op != CODE_WHILE) continue;
        print_block(printer, node->body, depth + 1);
        if (node->op == CODE_IF && !code_is_none(node->other)) {
            print_line(printer, depth, "else\n");
            print_block(printer, node->other, depth + 1);
        }
        print_line(printer, depth, "end\n");
    }
}

static void print_functions(struct printer *printer)
{
    const struct model *model = printer->model;
    printer->functions =
        mem_alloc(model->mem, (model->code.len + UINT64_C(1)) * sizeof *printer->functions);
    for (uint32_t r = 0; r < model->rules.len; r++)
        number_functions(printer, model->rules.data[r].body);
    for (uint32_t i = 0; i < printer->bodies.len; i++) {
        fprintf(printer->out, "\nfunction %" PRIu32 "\n", i + 1);
        print_block(printer, printer->bodies.data[i], 1);
        fputs("end\n", printer->out);
    }
}

/* A constraint of a query has no position of its own: that of the query stands for it. */
static void print_formula(const struct printer *printer, formula f)
{
    const struct formula_node *node = formula_get(&printer->model->formulas, f);
    if (node->op == FORMULA_ATOM) {
        print_expr(printer, node->atom);
        return;
    }
    fprintf(printer->out, "(%s", formula_table[node->op].word);
    if (node->op == FORMULA_CLOCK)
        print_comparison(printer, " ", &printer->model->constraints.data[node->constraint]);
    for (unsigned i = 0; i < formula_table[node->op].arity; i++) {
        fputc(' ', printer->out);
        print_formula(printer, i ? node->b : node->a);
    }
    fputc(')', printer->out);
}

/* Processes that share locations come after the one that has them. */
static void print_computed_invariants(const struct printer *printer)
{
    const struct model *model = printer->model;
    uint32_t known = 0; /* locations before this one were seen */
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        if (process->locations && process->first_location < known) continue;
        for (uint32_t l = 0; l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (!computes(model, location)) continue;
            print_name(printer->out, "\nstays ", process->name);
            fputc(' ', printer->out);
            print_number(printer->out, location->value);
            fputc('\n', printer->out);
            print_invariants(printer, "  invariant ", location);
        }
        known = process->first_location + process->locations;
    }
}

/* ---- rules and properties ---- */

static void print_ends(const struct printer *printer)
{
    const struct model *model = printer->model;
    if (model->rank != MODEL_NONE) {
        print_name(printer->out, "\nrank ", model->vars.data[model->rank].name);
        fputc('\n', printer->out);
    }
    if (!model->has_final) return;
    fputs("\nfinal ", printer->out);
    print_expr(printer, model->final);
    fputc('\n', printer->out);
}

static void print_timing(const struct printer *printer, const struct model_rule *rule)
{
    const struct model *model = printer->model;
    FILE *out = printer->out;
    for (uint32_t i = 0; i < rule->classes; i++)
        fprintf(out, "  class %" PRIu32 "\n", model->rule_classes.data[rule->first_class + i]);
    if (rule->interval != MODEL_NONE) {
        const struct model_interval *interval = &model->intervals.data[rule->interval];
        fprintf(out, "  interval %c%" PRId64 ", ", interval->low_open ? '(' : '[', interval->low);
        if (interval->infinite) fputs("infinity)\n", out);
        else fprintf(out, "%" PRId64 "%c\n", interval->high, interval->high_open ? ')' : ']');
    }
    for (uint32_t i = 0; i < rule->guards; i++) {
        const struct clock_constraint *guard = &model->constraints.data[rule->first_guard + i];
        if (guard->unless) fprintf(printer->out, "  unless %" PRIu32, guard->unless);
        print_constraint(printer, guard->unless ? " " : "  guard ", guard);
    }
    for (uint32_t i = 0; i < rule->resets; i++) {
        const struct clock_reset *reset = &model->resets.data[rule->first_reset + i];
        print_name(out, "  reset ", model->clocks.data[reset->clock].name);
        if (reset->value) fprintf(out, " %" PRId64, reset->value);
        fputc('\n', out);
    }
}

static void print_rule(const struct printer *printer, const struct model_rule *rule)
{
    const struct model *model = printer->model;
    FILE *out = printer->out;
    uint32_t next = 0;
    print_name(out, "\nrule ", rule->label);
    if (rule->is_internal) fputs(" internal", out);
    if (rule->is_urgent) fputs(" urgent", out);
    if (rule->port) print_name(out, " port ", rule->port);
    fputc('\n', out);
    for (uint32_t p = 0; p < rule->parts; p++) {
        const struct rule_part *part = &model->parts.data[rule->first_part + p];
        if (part->process == MODEL_NONE) fputs("  part global", out);
        else print_name(out, "  part ", model->processes.data[part->process].name);
        if (part->stays) fputs(" stays", out);
        print_place(printer, part->place);
        for (; next < rule->conjuncts; next++) {
            const struct rule_conjunct *conjunct =
                &model->conjuncts.data[rule->first_conjunct + next];
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
    if (!code_is_none(rule->body)) {
        fputs("  do\n", out);
        print_block(printer, rule->body, 2);
        fputs("  end\n", out);
    }
    if (rule->asks) {
        fputs("  permit ", out);
        print_expr(printer, rule->permit);
        fputc('\n', out);
    }
    print_timing(printer, rule);
}

static void print_dead_step(const struct printer *printer, const struct model_dead_step *step)
{
    const struct model *model = printer->model;
    print_name(printer->out, "\ndead ", step->label);
    if (step->is_internal) fputs(" internal", printer->out);
    if (step->port) print_name(printer->out, " port ", step->port);
    for (uint32_t i = 0; i < step->processes; i++)
        print_name(printer->out, " of ",
                   model->processes.data[model->dead_processes.data[step->first_process + i]].name);
    fputc('\n', printer->out);
}

static void print_query(const struct printer *printer, const struct model_property *property)
{
    const struct model *model = printer->model;
    const struct model_query *query = &model->queries.data[property->query];
    fprintf(printer->out, "\nquery %s", query_kind_name[query->kind]);
    print_place(printer, property->place);
    print_name(printer->out, "  text ", property->text);
    fputs("\n  formula ", printer->out);
    print_formula(printer, query->p);
    if (query->kind == QUERY_LEADS) {
        fputs("\n  then ", printer->out);
        print_formula(printer, query->q);
    }
    for (uint32_t i = 0; i < query->terms; i++) {
        const struct query_term *term = &model->query_terms.data[query->first_term + i];
        print_name(printer->out, "\n  term ", term->text);
        if (term->is_clock)
            print_name(printer->out, " clock ", model->clocks.data[term->clock].name);
        else {
            fputs(" value ", printer->out);
            print_expr(printer, term->value);
        }
    }
    fputc('\n', printer->out);
}

static void print_property(const struct printer *printer, const struct model_property *property)
{
    if (property->kind == PROPERTY_QUERY) {
        print_query(printer, property);
        return;
    }
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
    find_ambiguous_locals(&printer);
    print_header(&printer);
    print_processes(&printer);
    print_variables(&printer);
    print_locals(&printer);
    print_tables(&printer);
    print_computed_invariants(&printer);
    print_ends(&printer);
    print_functions(&printer);
    for (uint32_t i = 0; i < model->rules.len; i++) print_rule(&printer, &model->rules.data[i]);
    for (uint32_t i = 0; i < model->dead_steps.len; i++)
        print_dead_step(&printer, &model->dead_steps.data[i]);
    for (uint32_t i = 0; i < model->properties.len; i++)
        if (!is_built_in(&model->properties.data[i]))
            print_property(&printer, &model->properties.data[i]);
    mem_free(model->mem, printer.numbers);
    mem_free(model->mem, printer.is_ambiguous);
    mem_free(model->mem, printer.functions);
    vec_free(model->mem, &printer.bodies);
}
