/* The reader of the model's own text form.
 *
 * The text may have been edited or damaged, so nothing of it is trusted: every name, type, range
 * and modulus is checked before it gets into the model, and the model that comes out satisfies the
 * contracts of model.h, code.h and expr.h.
 *
 * Method: items (a variable, a rule, ...) begin with a word, and so do the clauses inside of them.
 * After an error, reading goes on at the next clause or item, so that one run tells several errors.
 * Names must be declared before they are used, except for the pc of a process, because processes
 * come before variables. */
#include "lang/cairn/cairn.h"

#include "lang/cairn/block.h"
#include "lang/cairn/expression.h"
#include "lang/cairn/query.h"
#include "lang/cairn/timing.h"
#include "model/print.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- recovery ---- */

static bool read_source(struct reader *reader);
static bool read_constant(struct reader *reader);
static bool read_process(struct reader *reader);
static bool read_variable(struct reader *reader);
static bool read_initial(struct reader *reader);
static bool read_local(struct reader *reader);
static bool read_function(struct reader *reader);
static bool read_table(struct reader *reader);
static bool read_rank(struct reader *reader);
static bool read_final(struct reader *reader);
static bool read_rule(struct reader *reader);
static bool read_dead_step(struct reader *reader);
static bool read_property(struct reader *reader);
static bool read_stays(struct reader *reader);

static const struct item {
    const char *word;
    bool (*read)(struct reader *reader); /* after the word */
} items[] = {
    {"source", read_source},   {"constant", read_constant}, {"ticks", timing_ticks},
    {"clock", timing_clock},   {"classes", timing_classes}, {"priority", timing_priority},
    {"process", read_process}, {"variable", read_variable}, {"initial", read_initial},
    {"local", read_local},     {"function", read_function}, {"table", read_table},
    {"rank", read_rank},       {"final", read_final},       {"rule", read_rule},
    {"dead", read_dead_step},  {"property", read_property}, {"query", query_read},
    {"stays", read_stays},
};
static const char *const clauses[] = {
    "location", "locations", "invariant", "part",   "when", "set",     "do",   "class", "interval",
    "guard",    "unless",    "reset",     "permit", "text", "formula", "then", "term"};

/* A word after '(' is an operator. */
static const struct item *find_item(const struct token *token)
{
    if (token[-1].kind == TOKEN_OPEN) return NULL; /* the header comes before all items */
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (reader_is_word(token, items[i].word)) return &items[i];
    return NULL;
}

static bool is_item(const struct token *token) { return find_item(token) != NULL; }

static void skip_to_item(struct reader *reader)
{
    while (reader_peek(reader)->kind != TOKEN_END && !find_item(reader_peek(reader))) reader->at++;
}

static bool is_clause(const struct token *token)
{
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (reader_is_word(token, clauses[i])) return true;
    return false;
}

static void skip_to_clause(struct reader *reader)
{
    while (reader_peek(reader)->kind != TOKEN_END && !find_item(reader_peek(reader))
           && !is_clause(reader_peek(reader)))
        reader->at++;
}

/* ---- declarations ---- */

static bool read_source(struct reader *reader)
{
    const char *name;
    if (!reader_string(reader, "the name of a source in quotes", &name)) return false;
    vec_push(reader_mem(reader), &reader->sources, diag_add_source(reader->diag, name, NULL, 0));
    return true;
}

static bool read_constant(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct model_constant constant = {0};
    if (!reader_string(reader, "the name of a constant in quotes", &constant.name)) return false;
    if (!reader_number(reader, "the value of the constant", &constant.value)) return false;
    if (!reader_declare(reader, token, SCOPE_CONSTANT, reader->model->constants.len, "constant"))
        return false;
    vec_push(reader_mem(reader), &reader->model->constants, constant);
    return true;
}

static bool read_location(struct reader *reader, struct model_process *process)
{
    struct model_location location = {0};
    if (!reader_number(reader, "the value of the location", &location.value)) return false;
    if (reader_peek(reader)->kind == TOKEN_STRING)
        location.name = reader->tokens[reader->at++].text;
    location.is_urgent = reader_accept_word(reader, "urgent");
    if (!reader_place(reader, &location.place)) return false;
    vec_push(reader_mem(reader), &reader->model->locations, location);
    process->locations++;
    return true;
}

/* What holds while a process is there, after the location. */
static void read_invariants(struct reader *reader, uint32_t number)
{
    struct model *model = reader->model;
    uint32_t first = model->constraints.len;
    assert(number < model->locations.len);
    const struct model_location before = model->locations.data[number];
    for (uint32_t i = 0; i < before.invariants; i++) { /* they stand together */
        const struct clock_constraint old = model->constraints.data[before.first_invariant + i];
        vec_push(model->mem, &model->constraints, old);
    }
    while (reader_accept_word(reader, "invariant")) {
        struct clock_constraint constraints[2];
        uint32_t count = timing_constraint(reader, constraints);
        for (uint32_t i = 0; i < count; i++)
            vec_push(model->mem, &model->constraints, constraints[i]);
        if (!count) skip_to_clause(reader);
    }
    struct model_location *location = &model->locations.data[number];
    location->first_invariant = first;
    location->invariants = model->constraints.len - first;
}

static bool read_shared_locations(struct reader *reader, struct model_process *process)
{
    const struct token *start = reader_peek(reader);
    uint32_t other;
    if (!reader_accept_word(reader, "of")) return reader_unexpected(reader, "'of' and a process");
    if (!reader_reference(reader, SCOPE_PROCESS, "process", &other)) return false;
    if (other == reader->model->processes.len) {
        diag_error(reader->diag, DIAG_CIRCULAR, start->place,
                   "the process \"%.60s\" cannot take its locations from itself", process->name);
        return false;
    }
    process->first_location = reader->model->processes.data[other].first_location;
    process->locations = reader->model->processes.data[other].locations;
    return true;
}

/* Either locations of its own or those of another process. */
static void read_locations(struct reader *reader, struct model_process *process)
{
    process->first_location = reader->model->locations.len;
    if (reader_accept_word(reader, "locations")) {
        if (!read_shared_locations(reader, process)) skip_to_clause(reader);
        return;
    }
    while (reader_accept_word(reader, "location")) {
        if (read_location(reader, process))
            read_invariants(reader, reader->model->locations.len - 1);
        else skip_to_clause(reader);
    }
}

static bool read_process_head(struct reader *reader, struct model_process *process)
{
    const struct token *token = reader_peek(reader);
    uint32_t index = reader->model->processes.len;
    *process = (struct model_process){.name = "", .type = "", .location = MODEL_NONE};
    if (!reader_string(reader, "the name of a process in quotes", &process->name)) return false;
    if (!reader_declare(reader, token, SCOPE_PROCESS, index, "process")) return false;
    if (!reader_accept_word(reader, "type")) return reader_unexpected(reader, "'type'");
    if (!reader_string(reader, "the type in quotes", &process->type)) return false;
    if (reader_accept_word(reader, "pc")) {
        struct late_pc late = {index, reader_peek(reader)};
        if (!reader_expect(reader, TOKEN_STRING, "a variable in quotes")) return false;
        vec_push(reader_mem(reader), &reader->late, late);
    }
    return reader_place(reader, &process->place);
}

static bool read_process(struct reader *reader)
{
    struct model_process process;
    if (!read_process_head(reader, &process)) skip_to_clause(reader);
    read_locations(reader, &process);
    vec_push(reader_mem(reader), &reader->model->processes, process);
    return true;
}

/* More that holds at a location: what reads variables. */
static bool read_stays(struct reader *reader)
{
    const struct model *model = reader->model;
    uint32_t process;
    int64_t value;
    if (!reader_reference(reader, SCOPE_PROCESS, "process", &process)) return false;
    const struct token *token = reader_peek(reader);
    if (!reader_number(reader, "the value of a location", &value)) return false;
    const struct model_process *of = &model->processes.data[process];
    for (uint32_t l = 0; l < of->locations; l++)
        if (model->locations.data[of->first_location + l].value == value)
            return read_invariants(reader, of->first_location + l), true;
    diag_error(reader->diag, DIAG_UNKNOWN, token->place,
               "the process \"%.60s\" has no location %" PRId64, of->name, value);
    return false;
}

static void resolve_late_pcs(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->late.len; i++) {
        const struct late_pc *late = &reader->late.data[i];
        uint32_t var = map_get(&reader->names, late->name->text, SCOPE_VARIABLE);
        if (var == MAP_NONE) reader_unknown(reader, late->name, SCOPE_VARIABLE, "variable");
        else if (reader->model->vars.data[var].is_hidden)
            diag_error(reader->diag, DIAG_ACCESS, late->name->place,
                       "the variable that says where a process stands cannot be hidden");
        else reader->model->processes.data[late->process].location = var;
    }
}

static bool read_range(struct reader *reader, struct model_var *var)
{
    const struct token *low = reader_peek(reader);
    if (!reader_range(reader, &var->low, &var->high)) return false;
    if ((uint64_t)var->high - (uint64_t)var->low > INT64_MAX) {
        diag_error(reader->diag, DIAG_LIMIT, low->place,
                   "the range %" PRId64 "..%" PRId64 " has too many values", var->low, var->high);
        return false;
    }
    if (!reader_expect(reader, TOKEN_EQ, "'=' and the initial value")) return false;
    const struct token *init = reader_peek(reader);
    var->init = var->low;
    var->any_init = reader_accept_word(reader, "any");
    if (!var->any_init && !reader_number(reader, "the initial value or 'any'", &var->init))
        return false;
    if (var->init >= var->low && var->init <= var->high) return true;
    diag_error(reader->diag, DIAG_RANGE, init->place,
               "the initial value %" PRId64 " is outside %" PRId64 "..%" PRId64, var->init,
               var->low, var->high);
    return false;
}

/* A name for each value of the range. */
static bool read_value_names(struct reader *reader, struct model_var *var)
{
    const struct token *start = reader_peek(reader);
    VEC(const char *) names = {0};
    if (!reader_accept_word(reader, "named")) return true;
    while (reader_peek(reader)->kind == TOKEN_STRING)
        vec_push(reader_mem(reader), &names, reader->tokens[reader->at++].text);
    var->value_names = names.data; /* they live as long as the model */
    if (names.len && (uint64_t)var->high - (uint64_t)var->low == names.len - 1) return true;
    diag_error(reader->diag, DIAG_MISSING, start->place,
               "there must be a name for each value of the range");
    return false;
}

static bool read_variable(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct model_var var = {.process = MODEL_NONE};
    bool good = reader_string(reader, "the name of a variable in quotes", &var.name);
    if (!good) return false;
    var.is_hidden = reader_accept_word(reader, "hidden");
    uint32_t clock = MODEL_NONE;
    if (reader_accept_word(reader, "sets")) good = timing_setter(reader, var.is_hidden, &clock);
    if (good && reader_accept_word(reader, "of"))
        good = reader_reference(reader, SCOPE_PROCESS, "process", &var.process);
    good = good && read_range(reader, &var) && read_value_names(reader, &var)
           && reader_place(reader, &var.place);
    /* A damaged one is kept: every use of it would look like an error otherwise. */
    if (!good) reader->vague = true;
    if (reader->model->initial.len) {
        diag_error(reader->diag, DIAG_MISPLACED, token->place,
                   "variables are declared before initial states are listed");
        return false;
    }
    if (!reader_declare(reader, token, SCOPE_VARIABLE, reader->model->vars.len, "variable"))
        return false;
    if (good && clock != MODEL_NONE) {
        reader->model->clocks.data[clock].is_set_by_code = true;
        reader->model->clocks.data[clock].setter = reader->model->vars.len;
    }
    vec_push(reader_mem(reader), &reader->model->vars, var);
    vec_push(reader_mem(reader), &reader->writer, 0);
    return good;
}

/* An initial state: a value for each variable. */
static bool read_initial(struct reader *reader)
{
    struct model *model = reader->model;
    reader->initial_place = reader_peek(reader)[-1].place;
    if (!model->vars.len)
        diag_error(reader->diag, DIAG_MISPLACED, reader->initial_place,
                   "there are no variables yet: an initial state is a value for each of them");
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct token *token = reader_peek(reader);
        const struct model_var *var = &model->vars.data[v];
        int64_t value = 0;
        bool good = reader_number(reader, "a value for each variable", &value);
        if (good && !reader->vague && (value < var->low || value > var->high)) {
            diag_error(reader->diag, DIAG_RANGE, token->place,
                       "the initial value %" PRId64 " of \"%.60s\" is outside %" PRId64
                       "..%" PRId64,
                       value, var->name, var->low, var->high);
            good = false;
        }
        vec_push(model->mem, &model->initial, value); /* whole states only */
        if (good) continue;
        while (model->initial.len % model->vars.len) model->initial.len--;
        return false;
    }
    return model->vars.len != 0;
}

/* In the order that the model wants, and each of them once. */
static void sort_initial(struct reader *reader)
{
    struct model *model = reader->model;
    uint32_t vars = model->vars.len, count = vars ? model->initial.len / vars : 0;
    size_t bytes = vars * sizeof(int64_t);
    int64_t *states = mem_alloc(model->mem, count * bytes + 1);
    if (!count) return;
    memcpy(states, model->initial.data, count * bytes);
    model_list_initial(model, states, count);
    mem_free(model->mem, states);
    for (uint32_t i = 1; i < count; i++)
        if (!memcmp(model->initial.data + (size_t)i * vars,
                    model->initial.data + (size_t)(i - 1) * vars, bytes)) {
            diag_error(reader->diag, DIAG_DUPLICATE, reader->initial_place,
                       "an initial state is listed twice");
            return;
        }
}

static bool read_local(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct model_local local = {0};
    if (!reader_string(reader, "the name of a local in quotes", &local.name)) return false;
    bool good = reader_range(reader, &local.low, &local.high);
    if (!good) reader->vague = true;
    if (!map_add(&reader->names, token->text, SCOPE_LOCAL, reader->model->locals.len))
        map_add(&reader->names, token->text, SCOPE_AMBIGUOUS, 0);
    vec_push(reader_mem(reader), &reader->model->locals, local);
    return good;
}

/* ---- code ---- */

static bool read_function(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct function function;
    uint32_t number;
    if (!reader_count(reader, "the number of the function", UINT32_MAX, &number)) return false;
    if (number != reader->functions.len + 1)
        diag_error(reader->diag, DIAG_RANGE, token->place,
                   "functions are counted from 1: this is number %" PRIu32 ", not %" PRIu32,
                   reader->functions.len + 1, number);
    block_read(reader, &function.body, &function.depth);
    vec_push(reader_mem(reader), &reader->functions, function);
    return true;
}

static bool read_body(struct reader *reader)
{
    struct model *model = reader->model;
    struct place place = reader_peek(reader)[-1].place;
    bool is_first = code_is_none(model->rules.data[model->rules.len - 1].body);
    statement body;
    uint32_t depth;
    block_read(reader, &body, &depth);
    model->rules.data[model->rules.len - 1].body = body;
    if (!is_first)
        diag_error(reader->diag, DIAG_DUPLICATE, place,
                   "a rule has one code block: this is a second one");
    return true;
}

/* ---- rules ---- */

static bool read_part(struct reader *reader)
{
    struct model *model = reader->model;
    uint32_t process = MODEL_NONE;
    struct place place = {0};
    bool good = reader_accept_word(reader, "global")
                || reader_reference(reader, SCOPE_PROCESS, "process", &process);
    bool stays = good && reader_accept_word(reader, "stays");
    good = good && reader_place(reader, &place);
    model_add_part(model, process,
                   place); /* a damaged one too, so that its conditions have a part */
    model->parts.data[model->parts.len - 1].stays = stays;
    return good;
}

static bool read_conjunct(struct reader *reader)
{
    struct model *model = reader->model;
    struct term cond;
    struct place place;
    if (!expression_read(reader, PROPERTY_INVARIANT, &cond)
        || !expression_is_condition(reader, &cond) || !reader_place(reader, &place))
        return false;
    if (!model->rules.data[model->rules.len - 1].parts) {
        diag_error(reader->diag, DIAG_MISPLACED, cond.place,
                   "this condition belongs to no part: a 'part' comes first");
        return false;
    }
    model_add_conjunct(model, cond.e, place);
    return true;
}

static bool read_store(struct reader *reader)
{
    struct model *model = reader->model;
    const struct token *target = reader_peek(reader);
    uint32_t index;
    struct term value;
    struct place place;
    if (!reader_reference(reader, SCOPE_VARIABLE, "variable", &index)) return false;
    if (!expression_read(reader, PROPERTY_INVARIANT, &value)
        || !expression_is_number(reader, &value) || !reader_place(reader, &place))
        return false;
    const struct model_var *var = &model->vars.data[index];
    if (!reader->vague && !value.fails && (value.low < var->low || value.high > var->high)) {
        diag_error(reader->diag, DIAG_RANGE, value.place,
                   "the value may leave the range of \"%.60s\": it is %" PRId64 " to %" PRId64
                   ", the range %" PRId64 "..%" PRId64,
                   var->name, value.low, value.high, var->low, var->high);
        return false;
    }
    if (reader->writer.data[index] == model->rules.len) {
        diag_error(reader->diag, DIAG_DUPLICATE, target->place,
                   "the variable \"%.60s\" is written twice in one rule", var->name);
        return false;
    }
    reader->writer.data[index] = model->rules.len;
    model_add_store(model, index, value.e, place);
    return true;
}

static bool read_permit(struct reader *reader)
{
    struct model_rule *rule = &reader->model->rules.data[reader->model->rules.len - 1];
    struct term cond;
    if (!expression_read(reader, PROPERTY_INVARIANT, &cond)
        || !expression_is_condition(reader, &cond))
        return false;
    if (rule->asks) {
        diag_error(reader->diag, DIAG_DUPLICATE, cond.place, "the rule has a permission already");
        return false;
    }
    rule->asks = true;
    rule->permit = cond.e;
    return true;
}

static bool read_rule(struct reader *reader)
{
    const struct token *start = reader_peek(reader);
    const char *label;
    bool good = reader_string(reader, "the label of a rule in quotes", &label);
    model_begin_rule(reader->model, good ? label : "");
    struct model_rule *rule = &reader->model->rules.data[reader->model->rules.len - 1];
    rule->is_internal = good && reader_accept_word(reader, "internal");
    rule->is_urgent = good && reader_accept_word(reader, "urgent");
    if (good && reader_accept_word(reader, "port"))
        good = reader_string(reader, "the name of a port in quotes", &rule->port);
    if (!good) skip_to_clause(reader);
    for (;;) {
        if (reader_accept_word(reader, "part")) good = read_part(reader);
        else if (reader_accept_word(reader, "when")) good = read_conjunct(reader);
        else if (reader_accept_word(reader, "set")) good = read_store(reader);
        else if (reader_accept_word(reader, "do")) good = read_body(reader);
        else if (reader_accept_word(reader, "class")) good = timing_class(reader);
        else if (reader_accept_word(reader, "interval")) good = timing_interval(reader);
        else if (reader_accept_word(reader, "guard")) good = timing_guard(reader);
        else if (reader_accept_word(reader, "unless")) good = timing_unless(reader);
        else if (reader_accept_word(reader, "reset")) good = timing_reset(reader);
        else if (reader_accept_word(reader, "permit")) good = read_permit(reader);
        else break;
        if (!good) skip_to_clause(reader);
    }
    if (good && !reader->model->rules.data[reader->model->rules.len - 1].parts)
        diag_error(reader->diag, DIAG_MISSING, start->place,
                   "a rule needs a part: a process, or global");
    const struct model_rule *read = &reader->model->rules.data[reader->model->rules.len - 1];
    if (good && model_next_unless(reader->model, read, 0)
        && model_is_waited_for(reader->model, read))
        diag_error(reader->diag, DIAG_CONFLICT, start->place,
                   "a rule with groups of constraints (unless) has no class that others wait for");
    model_end_rule(reader->model);
    return true;
}

static bool read_dead_step(struct reader *reader)
{
    struct model_dead_step step = {0};
    VEC(uint32_t) processes = {0};
    uint32_t process;
    bool good = reader_string(reader, "the label of a step in quotes", &step.label);
    step.is_internal = good && reader_accept_word(reader, "internal");
    if (good && reader_accept_word(reader, "port"))
        good = reader_string(reader, "the name of a port in quotes", &step.port);
    while (good && reader_accept_word(reader, "of")) {
        good = reader_reference(reader, SCOPE_PROCESS, "process", &process);
        if (good) vec_push(reader_mem(reader), &processes, process);
    }
    step.processes = processes.len;
    if (good) model_add_dead_step(reader->model, step, processes.data);
    vec_free(reader_mem(reader), &processes);
    return good;
}

/* ---- tables, ends ---- */

static bool read_table(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    VEC(int32_t) values = {0};
    uint32_t count;
    bool good = reader_count(reader, "the number of entries", UINT32_MAX - 1, &count);
    if (good && !count) {
        diag_error(reader->diag, DIAG_MISSING, token->place, "a table needs an entry");
        return false;
    }
    for (uint32_t i = 0; good && i < count; i++) {
        const struct token *entry = reader_peek(reader);
        int64_t value;
        good = reader_number(reader, "an entry of the table", &value);
        if (good && (value < INT32_MIN || value > INT32_MAX)) {
            diag_error(reader->diag, DIAG_LIMIT, entry->place,
                       "an entry of a table has at most 32 bits");
            good = false;
        }
        if (good) vec_push(reader_mem(reader), &values, (int32_t)value);
    }
    if (good) model_add_table(reader->model, values.data, count);
    vec_free(reader_mem(reader), &values);
    return good;
}

static bool read_rank(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    uint32_t var;
    if (!reader_reference(reader, SCOPE_VARIABLE, "variable", &var)) return false;
    if (reader->model->rank != MODEL_NONE) {
        diag_error(reader->diag, DIAG_DUPLICATE, token->place, "the rank is known already");
        return false;
    }
    if (reader->model->vars.data[var].is_hidden) {
        diag_error(reader->diag, DIAG_ACCESS, token->place,
                   "the rank cannot be hidden: the order of the search depends on it");
        return false;
    }
    reader->model->rank = var;
    return true;
}

static bool read_final(struct reader *reader)
{
    const struct token *token = reader_peek(reader);
    struct term cond;
    if (!expression_read(reader, PROPERTY_INVARIANT, &cond)
        || !expression_is_condition(reader, &cond))
        return false;
    if (reader->model->has_final) {
        diag_error(reader->diag, DIAG_DUPLICATE, token->place,
                   "the final states are known already");
        return false;
    }
    reader->model->has_final = true;
    reader->model->final = cond.e;
    return true;
}

/* ---- properties ---- */

static bool read_kind(struct reader *reader, enum property_kind *kind)
{
    static const enum property_kind kinds[] = {PROPERTY_CTL, PROPERTY_LTL, PROPERTY_INVARIANT,
                                               PROPERTY_REACH};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (reader_accept_word(reader, property_kind_name[kinds[i]])) {
            *kind = kinds[i];
            return true;
        }
    return reader_unexpected(reader, "'ctl', 'ltl', 'invariant' or 'reach'");
}

/* How people would write the formula: for properties that bring no text. */
static const char *describe(struct reader *reader, formula root)
{
    struct text text;
    text_init(&text, reader_mem(reader));
    model_print_formula(reader->model, &text, root);
    const char *copy = arena_copy(&reader->model->arena, text.data, text.len);
    text_free(&text);
    return copy;
}

static bool read_property(struct reader *reader)
{
    struct model *model = reader->model;
    const struct token *token = reader_peek(reader);
    struct model_property property = {0};
    if (!reader_string(reader, "the name of a property in quotes", &property.name)
        || !read_kind(reader, &property.kind))
        return false;
    if (!strcmp(property.name, "deadlock") || !strcmp(property.name, "runtime-error")) {
        diag_error(reader->diag, DIAG_DUPLICATE, token->place,
                   "'%s' is the name of a built-in property", property.name);
        return false;
    }
    if (!reader_declare(reader, token, SCOPE_PROPERTY, model->properties.len, "property")
        || !reader_place(reader, &property.place))
        return false;
    if (reader_accept_word(reader, "text")
        && !reader_string(reader, "the text of the property in quotes", &property.text))
        return false;
    if (!reader_accept_word(reader, "formula")) return reader_unexpected(reader, "'formula'");
    reader->root_place = &property.place;
    bool good = expression_formula(reader, property.kind, &property.root);
    reader->root_place = NULL;
    if (!good) return false;
    if (!property.text) property.text = describe(reader, property.root);
    vec_push(reader_mem(reader), &model->properties, property);
    return true;
}

/* A name that no property has yet: ctl[0], ctl[1], ... */
static const char *free_property_name(struct reader *reader, enum property_kind kind)
{
    for (uint32_t i = 0;; i++) {
        const char *name = names_format(&reader->model->names, "%s[%u]", property_stem[kind], i);
        if (map_get(&reader->names, name, SCOPE_PROPERTY) == MAP_NONE) return name;
    }
}

/* `formula` or `name: formula`, and nothing after it. */
static bool read_lone_property(struct reader *reader, enum property_kind kind)
{
    struct model_property property = {.kind = kind, .place = reader_peek(reader)->place};
    const struct token *token = reader_peek(reader);
    if ((token->kind == TOKEN_NAME || token->kind == TOKEN_STRING)
        && token[1].kind == TOKEN_COLON) {
        property.name = token->text;
        reader->at += 2;
        property.place = reader_peek(reader)->place;
    }
    if (!expression_formula(reader, kind, &property.root)
        || !reader_expect(reader, TOKEN_END, "the end of the formula"))
        return false;
    if (!property.name) property.name = free_property_name(reader, kind);
    if (!map_add(&reader->names, property.name, SCOPE_PROPERTY, reader->model->properties.len)) {
        diag_error(reader->diag, DIAG_DUPLICATE, property.place,
                   "there are two properties named '%.60s'", property.name);
        return false;
    }
    property.text = describe(reader, property.root);
    vec_push(reader_mem(reader), &reader->model->properties, property);
    return true;
}

/* ---- the file ---- */

/* `cairn 1`, the model's name, and whether its expressions know the ranges of variables. */
static bool read_header(struct reader *reader)
{
    const struct token *version = reader_peek(reader) + 1;
    uint32_t number;
    if (!reader_accept_word(reader, "cairn"))
        return reader_unexpected(reader, "'cairn' and the version of the format");
    if (!reader_count(reader, "the version of the format", UINT32_MAX, &number)) return false;
    if (number != MODEL_FORMAT_VERSION) {
        diag_error(reader->diag, DIAG_UNSUPPORTED, version->place,
                   "this is version %u of the format: only version %d is known", number,
                   MODEL_FORMAT_VERSION);
        return false;
    }
    if (!reader_accept_word(reader, "model")) return reader_unexpected(reader, "'model'");
    if (!reader_string(reader, "the name of the model in quotes", &reader->model->name))
        return false;
    reader->ranged = reader_accept_word(reader, "ranged");
    return true;
}

static void read_items(struct reader *reader)
{
    while (reader_peek(reader)->kind != TOKEN_END) {
        const struct item *item = find_item(reader_peek(reader));
        if (item) reader->at++;
        else
            reader_unexpected(
                reader, "source, constant, process, variable, rule, property, or another item");
        if (!item || !item->read(reader)) skip_to_item(reader);
    }
    resolve_late_pcs(reader);
    timing_close_priorities(reader);
    sort_initial(reader);
    vec_free(reader_mem(reader), &reader->late);
}

/* The constants of this form have been put in already; setting one to the value it has is fine (a
 * saved trace does so). */
static void check_defines(const struct language_input *input, const struct model *model)
{
    for (uint32_t i = 0; i < input->define_count; i++) {
        bool same = false;
        for (uint32_t c = 0; c < model->constants.len; c++)
            same |= !strcmp(model->constants.data[c].name, input->defines[i].name)
                    && model->constants.data[c].value == input->defines[i].value;
        if (!same && !input->defines[i].optional)
            diag_error(input->diag, DIAG_OPTION, (struct place){.source = input->source},
                       "-D %.60s: the constants of a model in this form are fixed",
                       input->defines[i].name);
    }
}

static struct model *cairn_load(struct language_input *input, void **scope)
{
    uint32_t errors = input->diag->errors;
    struct reader *reader = mem_alloc(input->mem, sizeof *reader);
    struct tokens tokens = {0};
    reader->diag = input->diag;
    reader->is_item = is_item;
    reader->drops_queries = input->no_queries;
    reader->model = model_new(input->mem, input->diag->sources.data[input->source].name);
    map_init(&reader->names, input->mem);
    lexer_run(reader->diag, &reader->model->names, &lexer_plain, input->source, &tokens);
    reader->tokens = tokens.list.data;
    if (read_header(reader)) read_items(reader);
    check_defines(input, reader->model);
    reader->tokens = NULL;
    vec_free(reader->diag->mem, &tokens.list);
    if (reader->diag->errors != errors) return NULL;
    struct text complaint;
    text_init(&complaint, input->mem);
    model_finish(reader->model);
    timing_check(reader, (struct place){.source = input->source});
    if (reader->diag->errors != errors) return NULL;
    if (!model_check(reader->model, &complaint)) {
        diag_error(reader->diag, DIAG_CONFLICT, (struct place){.source = input->source},
                   "this is no model: %s", complaint.data);
        return NULL;
    }
    *scope = reader;
    return reader->model;
}

static bool cairn_property(void *scope, enum property_kind kind, uint32_t source)
{
    struct reader *reader = scope;
    uint32_t errors = reader->diag->errors;
    struct tokens tokens = {0};
    lexer_run(reader->diag, &reader->model->names, &lexer_plain, source, &tokens);
    reader->tokens = tokens.list.data;
    reader->at = 0;
    bool good = reader->diag->errors == errors && read_lone_property(reader, kind);
    reader->tokens = NULL;
    vec_free(reader->diag->mem, &tokens.list);
    return good;
}

static bool cairn_queries(void *scope, uint32_t source)
{
    struct reader *reader = scope;
    reader->drops_queries = false;
    const uint32_t errors = reader->diag->errors;
    struct tokens tokens = {0};
    lexer_run(reader->diag, &reader->model->names, &lexer_plain, source, &tokens);
    reader->tokens = tokens.list.data;
    reader->at = 0;
    bool good = reader->diag->errors == errors;
    while (good && reader_peek(reader)->kind != TOKEN_END) {
        reader_accept_word(reader, "query");
        good = query_read(reader);
    }
    reader->tokens = NULL;
    vec_free(reader->diag->mem, &tokens.list);
    return good;
}

const struct language cairn_language = {
    .name = "cairn",
    .extension = ".cairn",
    .summary = "the model's own text form, as printed by Cairn",
    .load = cairn_load,
    .property = cairn_property,
    .queries = cairn_queries,
};
