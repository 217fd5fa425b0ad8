/* Declarations: constants, variables, clocks, channels, types and functions, of the system and of
 * each process, in the order of the text.
 *
 * A constant is computed at once. Its expression may call functions, which are code: that code is
 * run by the reference evaluator, and may read no variables. Initial values of variables become
 * code that is run when all processes are there.
 *
 * A `meta` variable is hidden: states are not told apart by it. That is so where every step that
 * reads it has assigned it before; elsewhere what UPPAAL finds depends on its order of search. Here
 * all values count then, and a warning says so. */
#include "lang/uppaal/scope.h"

#include "model/eval.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- variables of the model ---- */

static void add_cell(struct uppaal *u, const char *name, const struct type *type, uint32_t process,
                     struct place place)
{
    static const char *const truth[] = {"false", "true"};
    struct type_range range = type_cell(type, 0);
    struct model_var var = {.name = name,
                            .process = process,
                            .low = range.low,
                            .high = range.high,
                            .init = range.initial,
                            .place = place};
    if (type->kind == TYPE_BOOL) var.value_names = truth;
    vec_push(u->model->mem, &u->model->vars, var);
}

static void add_cells(struct uppaal *u, const char *name, const struct type *type, uint32_t process,
                      struct place place)
{
    struct names *names = &u->model->names;
    if (type_is_scalar(type)) add_cell(u, name, type, process, place);
    else if (type->kind == TYPE_ARRAY)
        for (uint32_t i = 0; i < type->count; i++)
            add_cells(u, names_format(names, "%s[%" PRId64 "]", name, type->low + i), type->of,
                      process, place);
    else
        for (uint32_t i = 0; i < type->member_count; i++)
            add_cells(u, names_format(names, "%s.%s", name, type->members[i].name),
                      type->members[i].type, process, place);
}

/* Whether arrays in it are counted from 0, as whole values are shown. */
static bool counts_from_zero(const struct type *type)
{
    for (uint32_t i = 0; type->kind == TYPE_RECORD && i < type->member_count; i++)
        if (!counts_from_zero(type->members[i].type)) return false;
    return type->kind != TYPE_ARRAY || (!type->low && counts_from_zero(type->of));
}

void declare_cells(struct uppaal *u, const char *name, const struct type *type, uint32_t process,
                   struct place place)
{
    struct model *model = u->model;
    uint32_t first = model->vars.len;
    add_cells(u, name, type, process, place);
    assert(model->vars.len == first + type->cells);
    if (!type_is_scalar(type) && counts_from_zero(type))
        vec_push(model->mem, &model->wholes,
                 ((struct model_whole){name, first, type_shape(&model->arena, type)}));
}

/* ---- initial values ---- */

static bool initialise_record(struct lowering *l, const struct type *type, const struct cell *at,
                              struct uppaal_exp *init)
{
    uint32_t n = 0;
    bool *seen = mem_alloc(l->u->model->mem, type->member_count * sizeof *seen);
    bool good = true;
    for (struct uppaal_exp *one = init->args; good && one; one = one->next, n++) {
        uint32_t member = n;
        bool is_named = one->kind == UPPAAL_EXP_SETTING;
        for (member = 0; is_named && member < type->member_count; member++)
            if (type->members[member].name == one->name) break;
        if (!is_named) member = n;
        good = member < type->member_count && !seen[member];
        if (!good) {
            complain(l->u, one, DIAG_TYPE, "the struct has no such member, or it is set twice");
            break;
        }
        seen[member] = true;
        struct cell part = emit_behind(at, type->members[member].offset);
        good = declare_initialise(l, type->members[member].type, &part, is_named ? one->a : one);
    }
    if (good && n != type->member_count) {
        complain(l->u, init, DIAG_TYPE, "%u values for a struct of %u members", n,
                 type->member_count);
        good = false;
    }
    mem_free(l->u->model->mem, seen);
    return good;
}

bool declare_initialise(struct lowering *l, const struct type *type, const struct cell *at,
                        struct uppaal_exp *init)
{
    struct value value;
    if (init->kind != UPPAAL_EXP_LIST)
        return compute_exp(l, init, &value) && compute_store(l, init, type, at, value);
    if (type->kind == TYPE_RECORD) return initialise_record(l, type, at, init);
    if (type->kind != TYPE_ARRAY || init->count != type->count) {
        complain(l->u, init, DIAG_TYPE, "%u values for %s%u", init->count,
                 type->kind == TYPE_ARRAY ? "an array of " : "a variable of ",
                 type->kind == TYPE_ARRAY ? type->count : 1);
        return false;
    }
    uint32_t n = 0;
    for (struct uppaal_exp *one = init->args; one; one = one->next, n++) {
        struct cell element = emit_behind(at, n * type->of->cells);
        if (one->kind == UPPAAL_EXP_SETTING) {
            complain(l->u, one, DIAG_TYPE, "elements of arrays have no names");
            return false;
        }
        if (!declare_initialise(l, type->of, &element, one)) return false;
    }
    return true;
}

/* ---- code that reads no variables ---- */

struct reading {
    struct uppaal *u;
    bool reads;
    uint8_t *known;
};

static void note(void *context, uint32_t var)
{
    (void)var;
    ((struct reading *)context)->reads = true;
}

static void find_reads(struct reading *reading, statement at)
{
    struct model *model = reading->u->model;
    while (!code_is_none(at) && !reading->reads) {
        const struct code_node node = model->code.data[at.i];
        if (reading->known[at.i]) return;
        reading->known[at.i] = 1;
        if (node.op == CODE_SET || node.op == CODE_REQUIRE || node.op == CODE_IF
            || node.op == CODE_WHILE)
            expr_each_var(&model->exprs, node.value, note, reading);
        if (node.op == CODE_SET || node.op == CODE_COPY) {
            reading->reads |= !node.target.local;
            expr_each_var(&model->exprs, node.target.offset, note, reading);
        }
        if (node.op == CODE_COPY) {
            reading->reads |= !node.source.local;
            expr_each_var(&model->exprs, node.source.offset, note, reading);
        }
        if (node.op == CODE_IF || node.op == CODE_WHILE || node.op == CODE_CALL) {
            find_reads(reading, node.body);
            find_reads(reading, node.other);
        }
        at = node.next;
    }
}

bool declare_code_reads(struct uppaal *u, statement first)
{
    struct reading reading = {.u = u};
    reading.known = mem_alloc(u->model->mem, u->model->code.len + UINT64_C(1));
    find_reads(&reading, first);
    mem_free(u->model->mem, reading.known);
    return reading.reads;
}

static bool run(struct uppaal *u, statement first, int64_t *state, struct place place)
{
    struct model *model = u->model;
    struct eval_failure failure = {0};
    model->local_values =
        mem_resize(model->mem, model->local_values,
                   (model->locals.len + UINT64_C(1)) * sizeof *model->local_values);
    if (eval_code(model, first, state, &failure) == EVAL_ENABLED) return true;
    diag_error(u->diag, DIAG_FAILURE, failure.place.line ? failure.place : place,
               "the initial value cannot be computed: %s", failure_name[failure.reason]);
    return false;
}

bool declare_run(struct uppaal *u)
{
    struct model *model = u->model;
    int64_t *state = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *state);
    for (uint32_t i = 0; i < model->vars.len; i++) state[i] = model->vars.data[i].init;
    bool good = run(u, u->init.first, state, u->file.system_place);
    for (uint32_t i = 0; good && i < model->vars.len; i++) model->vars.data[i].init = state[i];
    mem_free(model->mem, state);
    return good;
}

/* ---- constants ---- */

/* The user may have said what it is. */
static const struct language_define *find_define(struct uppaal *u, const struct env *env,
                                                 const char *name)
{
    for (uint32_t i = 0; env == &u->global && i < u->input->define_count; i++)
        if (!strcmp(u->input->defines[i].name, name)) return &u->input->defines[i];
    return NULL;
}

static bool bind_scalar(struct uppaal *u, struct env *env, struct uppaal_variable *variable,
                        struct binding *binding, int64_t value, bool is_set)
{
    struct type_range range = type_cell(binding->type, 0);
    assert(type_is_scalar(binding->type));
    if (value < range.low || value > range.high) {
        diag_error(u->diag, DIAG_RANGE, variable->place,
                   "'%.60s' would be %" PRId64 ", outside %" PRId64 " .. %" PRId64, variable->name,
                   value, range.low, range.high);
        return false;
    }
    binding->kind = BIND_VALUE;
    binding->value = resolve_nth(u, binding->type, value);
    if (env == &u->global)
        vec_push(
            u->model->mem, &u->model->constants,
            ((struct model_constant){.name = variable->name, .value = value, .is_set = is_set}));
    return true;
}

static bool compute_cells(struct lowering *l, struct uppaal_variable *variable,
                          const struct type *type, int64_t *cells)
{
    struct model *model = l->u->model;
    struct cell at = emit_local(model, type, variable->name);
    if (!declare_initialise(l, type, &at, variable->init)) return false;
    if (declare_code_reads(l->u, l->code.out->first)) {
        diag_error(l->u->diag, DIAG_CONSTANT, variable->place,
                   "the constant '%.60s' depends on a variable", variable->name);
        return false;
    }
    int64_t *state = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *state);
    bool good = run(l->u, l->code.out->first, state, variable->place);
    for (uint32_t i = 0; good && i < type->cells; i++) cells[i] = model->local_values[at.base + i];
    mem_free(model->mem, state);
    return good;
}

static bool declare_constant(struct uppaal *u, struct env *env, struct uppaal_variable *variable,
                             struct binding *binding)
{
    const struct type *type = binding->type;
    const struct language_define *define = find_define(u, env, variable->name);
    struct code_sequence code = code_sequence_empty();
    struct lowering l = {.u = u, .env = env, .code = {.model = u->model, .out = &code}};
    if (define && type_is_scalar(type))
        return bind_scalar(u, env, variable, binding, define->value, true);
    if (define) {
        diag_error(u->diag, DIAG_OPTION, variable->place,
                   "-D %s: only numbers and bools can be set", variable->name);
        return false;
    }
    if (!variable->init) {
        diag_error(u->diag, DIAG_MISSING, variable->place, "the constant '%.60s' needs a value",
                   variable->name);
        return false;
    }
    int64_t *cells = arena_alloc(&u->model->arena, type->cells * sizeof *cells);
    if (!compute_cells(&l, variable, type, cells)) return false;
    if (type_is_scalar(type)) return bind_scalar(u, env, variable, binding, cells[0], false);
    struct constant *constant = arena_alloc(&u->model->arena, sizeof *constant);
    *constant = (struct constant){.cells = cells, .count = type->cells, .table = MODEL_NONE};
    binding->kind = BIND_TABLE;
    binding->constant = constant;
    binding->at = (struct cell){.count = 1, .offset = expr_int(uppaal_exprs(u), 0)};
    return true;
}

/* ---- all kinds of variables ---- */

static void add_channels(struct uppaal *u, const char *name, const struct type *type,
                         uint8_t prefixes)
{
    if (type->kind != TYPE_ARRAY) {
        struct channel channel = {.name = name,
                                  .is_urgent = prefixes & UPPAAL_URGENT,
                                  .is_broadcast = prefixes & UPPAAL_BROADCAST};
        vec_push(u->model->mem, &u->channels, channel);
        return;
    }
    for (uint32_t i = 0; i < type->count; i++)
        add_channels(u, names_format(&u->model->names, "%s[%" PRId64 "]", name, type->low + i),
                     type->of, prefixes);
}

/* What the clocks from number *clock on begin with, which are those of a type. */
static bool initialise_clocks(struct uppaal *u, struct env *env, const struct type *type,
                              struct uppaal_exp *init, uint32_t *clock)
{
    int64_t value;
    if (type->kind == TYPE_ARRAY) {
        bool good = init->kind == UPPAAL_EXP_LIST && init->count == type->count;
        if (!good)
            diag_error(u->diag, DIAG_TYPE, init->place,
                       "an array of %u clocks begins with %u values", type->count, type->count);
        struct uppaal_exp *one = good ? init->args : NULL;
        for (; good && one; one = one->next) good = initialise_clocks(u, env, type->of, one, clock);
        return good;
    }
    if (!compute_constant(u, env, init, "the initial value of a clock", &value)) return false;
    if (value < 0)
        diag_error(u->diag, DIAG_RANGE, init->place,
                   "a clock begins with a number that is not negative");
    else u->model->clocks.data[(*clock)++].init = value;
    return value >= 0;
}

static bool declare_clock(struct uppaal *u, struct env *env, struct uppaal_variable *variable,
                          const char *name, uint32_t process, struct binding *binding)
{
    uint32_t first = u->model->clocks.len;
    binding->at = (struct cell){.base = first, .count = 1, .offset = expr_int(uppaal_exprs(u), 0)};
    clocked_add(u, name, binding->type, process, variable->place);
    return !variable->init || initialise_clocks(u, env, binding->type, variable->init, &first);
}

static bool declare_data(struct uppaal *u, struct env *env, struct uppaal_variable *variable,
                         bool is_meta, const char *name, uint32_t process, struct binding *binding)
{
    struct lowering l = {.u = u, .env = env, .code = {.model = u->model, .out = &u->init}};
    binding->at = emit_cell(u->model, false, u->model->vars.len);
    const uint32_t first = u->model->vars.len;
    declare_cells(u, name, binding->type, process, variable->place);
    for (uint32_t v = first; is_meta && v < u->model->vars.len; v++)
        vec_push(u->model->mem, &u->metas, v);
    return !variable->init || declare_initialise(&l, binding->type, &binding->at, variable->init);
}

static bool is_new(struct uppaal *u, const struct env *env, const char *name, struct place place)
{
    const struct binding *before = compute_find_here(env, name);
    if (!before || !before->place.line) return true;
    diag_error(u->diag, DIAG_DUPLICATE, place, "'%.60s' is declared twice", name);
    return false;
}

static bool declare_variable(struct uppaal *u, struct env *env, struct uppaal_variable *variable,
                             uint32_t process, const char *prefix)
{
    struct binding resolved;
    if (!is_new(u, env, variable->name, variable->place)
        || !resolve_type(u, env, variable->type, variable->arrays, &resolved))
        return false;
    struct binding binding = {.name = variable->name,
                              .kind = resolved.kind,
                              .type = resolved.type,
                              .place = variable->place};
    const char *name = names_format(&u->model->names, "%s%s", prefix, variable->name);
    bool good;
    if (resolved.kind == BIND_CLOCK)
        good = declare_clock(u, env, variable, name, process, &binding);
    else if (resolved.kind == BIND_CHANNEL) {
        binding.at = (struct cell){
            .base = u->channels.len, .count = 1, .offset = expr_int(uppaal_exprs(u), 0)};
        add_channels(u, name, resolved.type, resolved.prefixes);
        good = true;
    } else if (resolved.kind != BIND_CELLS) {
        diag_error(u->diag, DIAG_TYPE, variable->place, "a variable of type void");
        good = false;
    } else if (resolved.prefixes & UPPAAL_CONST)
        good = declare_constant(u, env, variable, &binding);
    else
        good = declare_data(u, env, variable, resolved.prefixes & UPPAAL_META, name, process,
                            &binding);
    if (good) compute_bind(u, env, binding);
    return good;
}

static bool declare_type(struct uppaal *u, struct env *env, struct uppaal_variable *variable)
{
    struct binding resolved;
    if (!is_new(u, env, variable->name, variable->place)
        || !resolve_type(u, env, variable->type, variable->arrays, &resolved))
        return false;
    compute_bind(u, env,
                 (struct binding){.name = variable->name,
                                  .kind = BIND_TYPE,
                                  .of = resolved.kind,
                                  .prefixes = resolved.prefixes,
                                  .type = resolved.type,
                                  .place = variable->place});
    return true;
}

bool declare_all(struct uppaal *u, struct env *env, struct uppaal_decl *decls, uint32_t process,
                 const char *prefix)
{
    bool good = true;
    for (struct uppaal_decl *decl = decls; good && decl; decl = decl->next) {
        struct binding binding = {.name = decl->name, .place = decl->place, .decl = decl};
        mem_look(u->model->mem);
        switch ((enum uppaal_decl_kind)decl->kind) {
        case UPPAAL_DECL_VARIABLE:
            good = declare_variable(u, env, decl->variable, process, prefix);
            break;
        case UPPAAL_DECL_TYPEDEF: good = declare_type(u, env, decl->variable); break;
        case UPPAAL_DECL_FUNCTION:
            binding.kind = BIND_FUNCTION;
            binding.function = perform_declare(u, env, decl);
            good = is_new(u, env, decl->name, decl->place);
            if (good) compute_bind(u, env, binding);
            break;
        case UPPAAL_DECL_TEMPLATE:
        case UPPAAL_DECL_INSTANCE:
            binding.kind = BIND_UNIT;
            good = is_new(u, env, decl->name, decl->place);
            if (good) compute_bind(u, env, binding);
            break;
        case UPPAAL_DECL_PRIORITY: break;
        }
    }
    return good;
}
