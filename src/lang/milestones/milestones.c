/* From the syntax tree to the model: declarations, processes, commands, rules, properties.
 *
 * Order of variables (it is also the order that exports and symbolic engines start from): globals,
 * then process by process. Order of rules: local actions process by process, then global actions;
 * the rules of a global action are the combinations of one command of each process that lists it
 * and one global command, the last of these varying fastest. */
#include "lang/milestones/milestones.h"

#include "lang/milestones/each.h"
#include "lang/milestones/lower.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* A command of one process with its names resolved: ranges of the lists below. */
struct resolved {
    struct ast_command *ast;
    uint32_t process;
    uint32_t first_conjunct, conjuncts, first_store, stores;
};

struct builder {
    struct scope scope;
    VEC(struct rule_conjunct) conjuncts;
    VEC(struct rule_store) stores;
    VEC(struct ast *) targets;   /* the tree of each store, for messages */
    VEC(struct resolved) synced; /* commands of global actions */
    uint32_t *writer;            /* per variable: the last rule that wrote it, + 1 ... */
    struct place *write_place;   /* ... and where */
};

static struct mem *mem_of(struct builder *builder) { return builder->scope.model->mem; }

static bool declare(struct builder *builder, const char *name, uint32_t scope, uint32_t value,
                    struct place place, const char *what)
{
    if (map_add(&builder->scope.names, name, scope, value)) return true;
    diag_error(builder->scope.diag, DIAG_DUPLICATE, place, "the %s '%.60s' is declared twice", what,
               name);
    return false;
}

/* ---- constants ---- */

static void override_constants(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    for (uint32_t i = 0; i < scope->input->define_count; i++) {
        struct language_define *define = &scope->input->defines[i];
        const char *name = names_intern(&scope->model->names, define->name, strlen(define->name)),
                   *nearest = NULL;
        unsigned distance = 0;
        uint32_t index = map_get(&scope->names, name, SCOPE_CONSTANT);
        if (index != MAP_NONE && define->value >= 0) {
            scope->constants[index].value = define->value;
            scope->constants[index].state = CONSTANT_DONE;
            continue;
        }
        if (index == MAP_NONE && define->optional) continue;
        for (uint32_t c = 0; c < scope->file.constants.len; c++)
            text_nearest(name, scope->file.constants.data[c].name, &nearest, &distance);
        struct place place = {.source = scope->input->source};
        if (index != MAP_NONE)
            diag_error(scope->diag, DIAG_OPTION, place, "-D %s: a constant is a natural number",
                       name);
        else if (nearest)
            diag_error_near(scope->diag, DIAG_OPTION, place, nearest,
                            "-D %.60s: the model has no such constant", name);
        else if (scope->file.constants.len)
            diag_error(scope->diag, DIAG_OPTION, place,
                       "-D %.60s: the model has no such constant; it has '%s'%s", name,
                       scope->file.constants.data[0].name,
                       scope->file.constants.len > 1 ? " and others" : "");
        else
            diag_error(scope->diag, DIAG_OPTION, place, "-D %.60s: the model has no constants",
                       name);
    }
}

static void declare_constants(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    uint32_t count = scope->file.constants.len;
    scope->constants = mem_alloc(mem_of(builder), (count + 1) * sizeof *scope->constants);
    for (uint32_t i = 0; i < count; i++) {
        struct ast_name *item = &scope->file.constants.data[i];
        scope->constants[i].item = item;
        declare(builder, item->name, SCOPE_CONSTANT, i, item->place, "constant");
    }
    override_constants(builder);
    for (uint32_t i = 0; i < count; i++) {
        struct ast *use = arena_alloc(&scope->model->arena, sizeof *use);
        uint32_t var;
        int64_t value;
        *use = (struct ast){.kind = AST_NAME,
                            .name = scope->file.constants.data[i].name,
                            .place = scope->file.constants.data[i].place};
        if (scope_resolve(scope, use, NULL, &var, &value) == MEANS_CONSTANT)
            vec_push(mem_of(builder), &scope->model->constants,
                     ((struct model_constant){.name = use->name, .value = value}));
    }
}

/* ---- variables ---- */

static uint32_t width_of(struct builder *builder, struct ast_variable *variable)
{
    int64_t width;
    if (!scope_constant(&builder->scope, variable->width, &width)) return 0;
    if (width >= 1 && width <= MILESTONES_MAX_WIDTH) return (uint32_t)width;
    diag_error(builder->scope.diag, DIAG_RANGE, variable->width->place,
               "the variable '%.60s' has %" PRId64 " bits: 1 to %d are possible", variable->name,
               width, MILESTONES_MAX_WIDTH);
    return 0;
}

static void add_variable(struct builder *builder, struct ast_variable *variable, const char *name,
                         unsigned width)
{
    struct scope *scope = &builder->scope;
    struct model_var var = {.name = name,
                            .process = scope->process,
                            .high = (int64_t)expr_mask(width),
                            .any_init = !variable->init,
                            .is_hidden = variable->is_hidden,
                            .place = variable->place};
    expr init;
    if (variable->init && lower_value(scope, variable->init, width, &init)) {
        const struct expr_node *node = expr_get(&scope->model->exprs, init);
        int64_t exact;
        if (node->op != EXPR_CONST) {
            scope_error(scope, variable->init, DIAG_CONSTANT,
                        node->may_fail ? "division by zero" : "an initial value is a constant");
        } else {
            var.init = node->value;
            assert(var.init >= 0 && var.init <= var.high); /* lower_value cuts it */
            if (scope_constant(scope, variable->init, &exact) && exact != var.init
                && !variable->init->reported) {
                variable->init->reported = true;
                diag_warning(scope->diag, DIAG_VALUE_CUT, variable->init->place,
                             "the initial value %" PRId64
                             " does not fit in %u bits: '%.60s' starts with %" PRId64,
                             exact, width, variable->name, var.init);
            }
        }
    }
    vec_push(mem_of(builder), &scope->model->vars, var);
}

static void declare_globals(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    for (uint32_t i = 0; i < scope->file.actions.len; i++)
        declare(builder, scope->file.actions.data[i].name, SCOPE_ACTION, i,
                scope->file.actions.data[i].place, "action");
    for (uint32_t i = 0; i < scope->file.variables.len; i++) {
        struct ast_variable *variable = &scope->file.variables.data[i];
        uint32_t width = width_of(builder, variable);
        declare(builder, variable->name, SCOPE_VARIABLE, scope->model->vars.len, variable->place,
                "variable");
        add_variable(builder, variable, variable->name, width ? width : 1);
    }
}

/* ---- process types ---- */

static void declare_locations(struct builder *builder, uint32_t t)
{
    struct scope *scope = &builder->scope;
    struct scope_type *type = &scope->types[t];
    int64_t next = 0;
    type->locations =
        mem_alloc(mem_of(builder), (type->ast->locations.len + 1) * sizeof *type->locations);
    for (uint32_t i = 0; i < type->ast->locations.len; i++) {
        struct ast_name *item = &type->ast->locations.data[i];
        if (item->value && !scope_constant(scope, item->value, &next)) type->bad = true;
        if (next < 0 || next > (int64_t)expr_mask(MILESTONES_MAX_WIDTH)) {
            diag_error(scope->diag, DIAG_RANGE, item->place,
                       "the location '%.60s' has the number %" PRId64 ", which no pc can hold",
                       item->name, next);
            type->bad = true;
            next = 0;
        }
        type->locations[i] = next++;
        declare(builder, item->name, type_scope(t, TYPE_LOCATION), i, item->place, "location");
        if (map_get(&scope->names, item->name, SCOPE_CONSTANT) != MAP_NONE)
            diag_warning(scope->diag, DIAG_HIDES, item->place,
                         "the constant '%.60s' hides this location", item->name);
    }
}

/* A type with named locations and no pc gets one, starting at the first location. */
static void add_pc(struct builder *builder, struct scope_type *type)
{
    int64_t largest = 0;
    for (uint32_t i = 0; i < type->ast->locations.len; i++)
        if (type->locations[i] > largest) largest = type->locations[i];
    struct ast *width = arena_alloc(&builder->scope.model->arena, 2 * sizeof *width),
               *init = width + 1;
    width->number = expr_width((uint64_t)largest);
    init->number = (uint64_t)type->locations[0];
    width->place = init->place = type->ast->locations.data[0].place;
    const char *name = names_intern(&builder->scope.model->names, "pc", 2);
    vec_push(mem_of(builder), &type->ast->variables,
             ((struct ast_variable){name, width->place, width, init, false, "pc"}));
}

static bool has_pc(const struct ast_type *type)
{
    for (uint32_t i = 0; i < type->variables.len; i++)
        if (!strcmp(type->variables.data[i].name, "pc")) return true;
    return false;
}

static void declare_type(struct builder *builder, uint32_t t)
{
    struct scope *scope = &builder->scope;
    struct scope_type *type = &scope->types[t];
    struct ast_type *ast = type->ast = &scope->file.types.data[t];
    declare(builder, ast->name, SCOPE_TYPE, t, ast->place, "process type");
    type->pc = MODEL_NONE;
    scope->type = t;
    declare_locations(builder, t);
    if (ast->locations.len && !has_pc(ast)) add_pc(builder, type);
    for (uint32_t i = 0; i < ast->actions.len; i++) {
        declare(builder, ast->actions.data[i].name, type_scope(t, TYPE_ACTION), i,
                ast->actions.data[i].place, "action");
        if (map_get(&scope->names, ast->actions.data[i].name, SCOPE_ACTION) != MAP_NONE)
            diag_warning(scope->diag, DIAG_HIDES, ast->actions.data[i].place,
                         "the local action '%.60s' hides the global one",
                         ast->actions.data[i].name);
    }
    type->widths = mem_alloc(mem_of(builder), (ast->variables.len + 1) * sizeof *type->widths);
    for (uint32_t i = 0; i < ast->variables.len; i++) {
        struct ast_variable *variable = &ast->variables.data[i];
        type->widths[i] = width_of(builder, variable);
        if (!type->widths[i]) type->bad = true;
        if (!declare(builder, variable->name, type_scope(t, TYPE_VARIABLE), i, variable->place,
                     "variable"))
            type->bad = true;
        if (!strcmp(variable->name, "pc")) type->pc = i;
        if (type->pc == i && variable->is_hidden) {
            diag_error(scope->diag, DIAG_ACCESS, variable->place,
                       "the program counter cannot be hidden: it says which commands are possible");
            type->bad = true;
        }
    }
    for (uint32_t i = 0; i < ast->sync.len; i++) {
        struct ast_name *item = &ast->sync.data[i];
        if (map_get(&scope->names, item->name, SCOPE_ACTION) != MAP_NONE) continue;
        const char *nearest = NULL;
        unsigned distance = 0;
        for (uint32_t a = 0; a < scope->file.actions.len && scope->diag->errors < DIAG_MAX_ERRORS;
             a++)
            text_nearest(item->name, scope->file.actions.data[a].name, &nearest, &distance);
        diag_error_near(scope->diag, DIAG_UNKNOWN, item->place, nearest,
                        "unknown global action '%.60s'", item->name);
    }
    scope->type = MODEL_NONE;
}

static void declare_types(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    scope->types = mem_alloc(mem_of(builder), (scope->file.types.len + 1) * sizeof *scope->types);
    for (uint32_t t = 0; t < scope->file.types.len; t++) declare_type(builder, t);
}

/* ---- processes ---- */

/* How many processes a PROC item makes; 0 after an error. */
static uint32_t count_of(struct builder *builder, struct ast_instance *instance, uint32_t so_far)
{
    int64_t count = 1;
    if (instance->count && !scope_constant(&builder->scope, instance->count, &count)) return 0;
    if (count < 0) {
        diag_error(builder->scope.diag, DIAG_RANGE, instance->count->place,
                   "the number of processes is negative: %" PRId64, count);
        return 0;
    }
    if (count > (int64_t)MILESTONES_MAX_PROCESSES - so_far) {
        diag_error(builder->scope.diag, DIAG_LIMIT, instance->place,
                   "too many processes: %" PRId64 " more after %u; a model has at most %d", count,
                   so_far, MILESTONES_MAX_PROCESSES);
        return 0;
    }
    return (uint32_t)count;
}

static uint32_t find_type(struct builder *builder, struct ast_instance *instance)
{
    struct scope *scope = &builder->scope;
    uint32_t type = map_get(&scope->names, instance->type, SCOPE_TYPE);
    if (type != MAP_NONE) return type;
    const char *nearest = NULL;
    unsigned distance = 0;
    if (scope->diag->errors < DIAG_MAX_ERRORS)
        for (uint32_t t = 0; t < scope->file.types.len; t++)
            text_nearest(instance->type, scope->file.types.data[t].name, &nearest, &distance);
    diag_error_near(scope->diag, DIAG_UNKNOWN, instance->type_place, nearest,
                    "unknown process type '%.60s'", instance->type);
    return MODEL_NONE;
}

static void add_process(struct builder *builder, const struct scope_process *item, uint32_t self)
{
    struct scope *scope = &builder->scope;
    struct model *model = scope->model;
    struct scope_type *type = &scope->types[item->type];
    uint32_t process = model->processes.len;
    const char *name = names_format(&model->names, "%s[%u]", item->ast->name, self);
    scope->first_var[process] = model->vars.len;
    scope->type_of[process] = item->type;
    scope->type = item->type;
    scope->process = process;
    scope->self = self;
    struct model_process added = {
        .name = name, .type = type->ast->name, .location = MODEL_NONE, .place = item->ast->place};
    if (type->pc != MODEL_NONE) added.location = model->vars.len + type->pc;
    vec_push(model->mem, &model->processes, added);
    for (uint32_t i = 0; i < type->ast->variables.len; i++) {
        struct ast_variable *variable = &type->ast->variables.data[i];
        add_variable(builder, variable, names_format(&model->names, "%s.%s", name, variable->name),
                     type->widths[i] ? type->widths[i] : 1);
    }
    scope->type = scope->process = MODEL_NONE;
}

static void declare_processes(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    uint32_t items = scope->file.instances.len, total = 0;
    uint64_t variables = scope->model->vars.len;
    scope->processes = mem_alloc(mem_of(builder), (items + 1) * sizeof *scope->processes);
    for (uint32_t i = 0; i < items; i++) {
        struct ast_instance *ast = &scope->file.instances.data[i];
        uint32_t type = find_type(builder, ast), count = count_of(builder, ast, total);
        declare(builder, ast->name, SCOPE_PROCESS, i, ast->place, "process");
        scope->processes[i] = (struct scope_process){ast, type, total, count};
        total += count;
        if (type == MODEL_NONE) continue;
        scope->types[type].used = true;
        variables += (uint64_t)count * scope->types[type].ast->variables.len;
    }
    if (variables > MILESTONES_MAX_VARIABLES)
        diag_error(scope->diag, DIAG_LIMIT, (struct place){.source = scope->input->source},
                   "too many variables: %" PRIu64 "; a model has at most %d", variables,
                   MILESTONES_MAX_VARIABLES);
    if (scope->diag->errors) return;
    scope->first_var = mem_alloc(mem_of(builder), (total + 1) * sizeof *scope->first_var);
    scope->type_of = mem_alloc(mem_of(builder), (total + 1) * sizeof *scope->type_of);
    for (uint32_t i = 0; i < items; i++)
        for (uint32_t self = 0; self < scope->processes[i].count; self++)
            add_process(builder, &scope->processes[i], self);
    for (uint32_t t = 0; t < scope->file.types.len; t++)
        if (!scope->types[t].used)
            diag_warning(scope->diag, DIAG_UNUSED, scope->file.types.data[t].place,
                         "no process has the type '%.60s'", scope->file.types.data[t].name);
}

/* ---- commands ---- */

static void split_guard(struct builder *builder, struct ast *node)
{
    node = each_expand(&builder->scope, node);
    if (!node) return;
    if (node->kind == AST_EXPR && node->op == EXPR_AND) {
        split_guard(builder, node->a);
        split_guard(builder, node->b);
        return;
    }
    expr cond;
    if (!lower_bool(&builder->scope, node, &cond)) return;
    vec_push(mem_of(builder), &builder->conjuncts,
             ((struct rule_conjunct){.cond = cond, .place = node->place}));
}

static void resolve_location(struct builder *builder, struct ast_command *command)
{
    struct scope *scope = &builder->scope;
    struct scope_type *type = &scope->types[scope->type];
    int64_t value;
    if (!scope_constant(scope, command->location, &value)) return;
    if (type->pc == MODEL_NONE) {
        scope_error(scope, command->location, DIAG_UNKNOWN,
                    "the process type '%.60s' has no variable pc", type->ast->name);
        return;
    }
    uint32_t pc = scope->first_var[scope->process] + type->pc;
    if ((value < 0 || value > scope->model->vars.data[pc].high) && !command->location->reported) {
        command->location->reported = true;
        diag_warning(scope->diag, DIAG_NEVER, command->location->place,
                     "this command can never fire: pc has the values 0 to %" PRId64
                     ", not %" PRId64,
                     scope->model->vars.data[pc].high, value);
    }
    struct exprs *exprs = &scope->model->exprs;
    expr cond = expr_make(exprs, EXPR_EQ, 0, expr_var(exprs, pc), expr_int(exprs, value));
    vec_push(mem_of(builder), &builder->conjuncts,
             ((struct rule_conjunct){.cond = cond, .place = command->place}));
}

/* A single constant that its target cannot hold is hardly meant. */
static void warn_of_cut(struct scope *scope, struct ast_store *store, uint32_t var, expr value)
{
    const struct expr_node *node = expr_get(&scope->model->exprs, value);
    int64_t exact;
    bool single = store->value->kind == AST_NUMBER || store->value->kind == AST_NAME;
    assert(var < scope->model->vars.len);
    if (!single || node->op != EXPR_CONST || store->value->reported
        || !scope_constant(scope, store->value, &exact) || exact == node->value)
        return;
    store->value->reported = true;
    diag_warning(
        scope->diag, DIAG_VALUE_CUT, store->value->place,
        "%" PRId64 " does not fit into '%s', which takes 0 to %" PRId64 ": it becomes %" PRId64,
        exact, scope->model->vars.data[var].name, scope->model->vars.data[var].high, node->value);
}

static void resolve_store(struct builder *builder, struct ast_store *store)
{
    struct scope *scope = &builder->scope;
    uint32_t var;
    int64_t unused;
    expr value;
    enum meaning meaning = scope_resolve(scope, store->target, NULL, &var, &unused);
    if (meaning == MEANS_CONSTANT)
        scope_error(scope, store->target, DIAG_ACCESS,
                    "'%.60s' is a constant and cannot be assigned", store->target->name);
    if (meaning != MEANS_VARIABLE
        || !lower_value(scope, store->value, scope_var_width(scope, var), &value))
        return;
    warn_of_cut(scope, store, var, value);
    vec_push(mem_of(builder), &builder->stores,
             ((struct rule_store){.var = var, .value = value, .place = store->target->place}));
    vec_push(mem_of(builder), &builder->targets, store->target);
}

static struct resolved resolve_command(struct builder *builder, struct ast_command *command)
{
    struct resolved resolved = {.ast = command,
                                .process = builder->scope.process,
                                .first_conjunct = builder->conjuncts.len,
                                .first_store = builder->stores.len};
    if (command->location) resolve_location(builder, command);
    if (command->guard) split_guard(builder, command->guard);
    for (uint32_t i = 0; i < command->stores.len; i++)
        resolve_store(builder, &command->stores.data[i]);
    resolved.conjuncts = builder->conjuncts.len - resolved.first_conjunct;
    resolved.stores = builder->stores.len - resolved.first_store;
    return resolved;
}

/* ---- rules ---- */

static void check_writes(struct builder *builder, uint32_t store)
{
    struct scope *scope = &builder->scope;
    uint32_t var = builder->stores.data[store].var, rule = scope->model->rules.len;
    struct ast *target = builder->targets.data[store];
    if (builder->writer[var] == rule && !target->reported) {
        scope_error(scope, target, DIAG_DUPLICATE, "the variable '%s' is written twice in one step",
                    scope->model->vars.data[var].name);
        diag_note(scope->diag, builder->write_place[var], "the other write is here");
    }
    builder->writer[var] = rule;
    builder->write_place[var] = target->place;
}

static void add_rule(struct builder *builder, const char *label,
                     const struct resolved *const *commands, uint32_t count)
{
    struct model *model = builder->scope.model;
    model_begin_rule(model, label);
    for (uint32_t i = 0; i < count; i++) {
        const struct resolved *command = commands[i];
        assert(command->first_conjunct + command->conjuncts <= builder->conjuncts.len);
        assert(command->first_store + command->stores <= builder->stores.len);
        model_add_part(model, command->process, command->ast->place);
        for (uint32_t c = 0; c < command->conjuncts; c++) {
            const struct rule_conjunct *conjunct =
                &builder->conjuncts.data[command->first_conjunct + c];
            model_add_conjunct(model, conjunct->cond, conjunct->place);
        }
        for (uint32_t s = 0; s < command->stores; s++) {
            const struct rule_store *store = &builder->stores.data[command->first_store + s];
            check_writes(builder, command->first_store + s);
            model_add_store(model, store->var, store->value, store->place);
        }
    }
    model_end_rule(model);
}

static bool is_synced(const struct ast_type *type, const char *action)
{
    for (uint32_t i = 0; i < type->sync.len; i++)
        if (type->sync.data[i].name == action) return true;
    return false;
}

static void unknown_action(struct builder *builder, struct ast_command *command)
{
    struct scope *scope = &builder->scope;
    const char *nearest = NULL;
    unsigned distance = 0;
    if (scope->diag->errors >= DIAG_MAX_ERRORS) {
        diag_error(scope->diag, DIAG_UNKNOWN, command->action_place, "unknown action '%.60s'",
                   command->action);
        return;
    }
    for (uint32_t i = 0; i < scope->file.actions.len; i++)
        text_nearest(command->action, scope->file.actions.data[i].name, &nearest, &distance);
    if (scope->type != MODEL_NONE)
        for (uint32_t i = 0; i < scope->types[scope->type].ast->actions.len; i++)
            text_nearest(command->action, scope->types[scope->type].ast->actions.data[i].name,
                         &nearest, &distance);
    const char *what = scope->type == MODEL_NONE ? "global action" : "action";
    diag_error_near(scope->diag, DIAG_UNKNOWN, command->action_place, nearest, "unknown %s '%.60s'",
                    what, command->action);
}

/* A local command becomes a rule at once, or waits for its partners. */
static void place_local_command(struct builder *builder, struct ast_command *command,
                                bool first_instance)
{
    struct scope *scope = &builder->scope;
    struct ast_type *type = scope->types[scope->type].ast;
    bool is_local =
        map_get(&scope->names, command->action, type_scope(scope->type, TYPE_ACTION)) != MAP_NONE;
    bool is_global = map_get(&scope->names, command->action, SCOPE_ACTION) != MAP_NONE;
    if (!is_local && !is_global) {
        if (first_instance) unknown_action(builder, command);
        return;
    }
    struct resolved resolved = resolve_command(builder, command);
    const struct resolved *one = &resolved;
    if (is_local) {
        if (!scope->diag->errors) add_rule(builder, command->action, &one, 1);
        return;
    }
    if (is_synced(type, command->action)) vec_push(mem_of(builder), &builder->synced, resolved);
    else if (first_instance)
        diag_warning(scope->diag, DIAG_NEVER, command->action_place,
                     "this command never fires: '%.60s' is not listed under SYNC of '%.60s'",
                     command->action, type->name);
}

static void place_local_commands(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    for (uint32_t i = 0; i < scope->file.instances.len; i++) {
        const struct scope_process *item = &scope->processes[i];
        for (uint32_t self = 0; self < item->count; self++) {
            struct scope_type *type = &scope->types[item->type];
            scope->type = item->type;
            scope->process = item->first + self;
            scope->self = self;
            for (uint32_t c = 0; c < type->ast->commands.len; c++)
                place_local_command(builder, &type->ast->commands.data[c], !type->seen);
            type->seen = true;
            if (scope->model->rules.len > MILESTONES_MAX_RULES) {
                diag_error(scope->diag, DIAG_LIMIT, item->ast->place,
                           "too many rules: a model has at most %d", MILESTONES_MAX_RULES);
                scope->type = scope->process = MODEL_NONE;
                return;
            }
        }
    }
    scope->type = scope->process = MODEL_NONE;
}

/* The commands of one participant in a rendezvous: a range of the list of its action. */
struct participant {
    uint32_t first, count, now;
};

static void add_combinations(struct builder *builder, const struct ast_name *action,
                             const struct resolved *const *pool, struct participant *participants,
                             uint32_t count)
{
    struct scope *scope = &builder->scope;
    uint64_t combinations = 1;
    for (uint32_t i = 0; i < count; i++) {
        combinations *= participants[i].count;
        if (combinations > MILESTONES_MAX_RULES - (uint64_t)scope->model->rules.len
            || combinations * count > MILESTONES_MAX_PARTS - (uint64_t)scope->model->parts.len) {
            diag_error(scope->diag, DIAG_LIMIT, action->place,
                       "the action '%.60s' has too many combinations of commands: a model has at "
                       "most %d rules",
                       action->name, MILESTONES_MAX_RULES);
            return;
        }
    }
    const struct resolved **chosen = mem_alloc(mem_of(builder), (count + 1) * sizeof *chosen);
    for (uint64_t n = 0; n < combinations; n++) {
        for (uint32_t i = 0; i < count; i++)
            chosen[i] = pool[participants[i].first + participants[i].now];
        add_rule(builder, action->name, chosen, count);
        for (uint32_t i = count; i-- > 0;) {
            if (++participants[i].now < participants[i].count) break;
            participants[i].now = 0;
        }
    }
    mem_free(mem_of(builder), chosen);
}

static void note_dead_action(struct builder *builder, const struct ast_name *action,
                             const struct resolved *const *pool, uint32_t count)
{
    struct model *model = builder->scope.model;
    uint32_t *processes = mem_alloc(mem_of(builder), (count + UINT64_C(1)) * sizeof *processes);
    struct model_dead_step step = {.label = action->name};
    for (uint32_t i = 0; i < count; i++) {
        bool is_new =
            pool[i]->process != MODEL_NONE && (!i || pool[i]->process != pool[i - 1]->process);
        if (is_new) processes[step.processes++] = pool[i]->process;
    }
    model_add_dead_step(model, step, processes);
    mem_free(mem_of(builder), processes);
}

/* Warns when some process lists the action under SYNC without having a command for it. */
static bool someone_blocks(struct builder *builder, const struct ast_name *action)
{
    struct scope *scope = &builder->scope;
    for (uint32_t t = 0; t < scope->file.types.len; t++) {
        struct ast_type *type = &scope->file.types.data[t];
        bool has_command = false, has_process = false;
        if (!is_synced(type, action->name)) continue;
        for (uint32_t i = 0; i < scope->file.instances.len; i++)
            if (scope->processes[i].type == t && scope->processes[i].count) has_process = true;
        for (uint32_t c = 0; c < type->commands.len; c++)
            if (type->commands.data[c].action == action->name) has_command = true;
        if (has_command || !has_process) continue;
        diag_warning(
            scope->diag, DIAG_NEVER, action->place,
            "the action '%.60s' never fires: '%.60s' lists it under SYNC and has no command for it",
            action->name, type->name);
        return true;
    }
    return false;
}

static void combine_action(struct builder *builder, const struct ast_name *action,
                           const struct resolved *const *pool, uint32_t count)
{
    struct participant *participants =
        mem_alloc(mem_of(builder), (count + 1) * sizeof *participants);
    uint32_t people = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!people || pool[i]->process != pool[i - 1]->process)
            participants[people++] = (struct participant){i, 0, 0};
        participants[people - 1].count++;
    }
    bool fires = count && pool[count - 1]->process == MODEL_NONE;
    if (!fires)
        diag_warning(builder->scope.diag, DIAG_NEVER, action->place,
                     "the action '%.60s' never fires: MAIN has no command for it", action->name);
    fires = fires && !someone_blocks(builder, action);
    if (fires) add_combinations(builder, action, pool, participants, people);
    else note_dead_action(builder, action, pool, count);
    mem_free(mem_of(builder), participants);
}

/* The global commands join the local ones; then each action's commands, in process order, are
 * combined. */
static void place_global_commands(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    for (uint32_t c = 0; c < scope->file.commands.len; c++) {
        struct ast_command *command = &scope->file.commands.data[c];
        if (map_get(&scope->names, command->action, SCOPE_ACTION) == MAP_NONE)
            unknown_action(builder, command);
        else vec_push(mem_of(builder), &builder->synced, resolve_command(builder, command));
    }
    if (scope->diag->errors) return;
    uint32_t actions = scope->file.actions.len, total = builder->synced.len;
    uint32_t *first = mem_alloc(mem_of(builder), (actions + 2) * sizeof *first);
    const struct resolved **pool = mem_alloc(mem_of(builder), (total + 1) * sizeof *pool);
    for (uint32_t i = 0; i < total; i++)
        first[map_get(&scope->names, builder->synced.data[i].ast->action, SCOPE_ACTION) + 1]++;
    for (uint32_t a = 0; a < actions; a++) first[a + 1] += first[a];
    for (uint32_t i = 0; i < total; i++)
        pool[first[map_get(&scope->names, builder->synced.data[i].ast->action, SCOPE_ACTION)]++] =
            &builder->synced.data[i];
    for (uint32_t a = 0; a < actions && !scope->diag->errors; a++) {
        uint32_t start = a ? first[a - 1] : 0; /* filling moved each start to the next one */
        combine_action(builder, &scope->file.actions.data[a], pool + start, first[a] - start);
    }
}

/* ---- actions that never fire ---- */

/* Local actions for which there is no command, or no process: they have their names all the
 * same. */
static void note_unused_actions(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    for (uint32_t t = 0; t < scope->file.types.len; t++) {
        const struct ast_type *type = &scope->file.types.data[t];
        for (uint32_t a = 0; a < type->actions.len; a++) {
            struct model_dead_step step = {.label = type->actions.data[a].name, .processes = 1};
            bool has_command = false, has_process = false;
            for (uint32_t c = 0; c < type->commands.len; c++)
                has_command |= type->commands.data[c].action == step.label;
            for (uint32_t p = 0; p < scope->model->processes.len; p++) {
                if (scope->type_of[p] != t) continue;
                has_process = true;
                if (!has_command) model_add_dead_step(scope->model, step, &p);
            }
            step.processes = 0;
            if (!has_process) model_add_dead_step(scope->model, step, NULL);
        }
    }
}

/* ---- locations, properties ---- */

/* The locations of a type: the named ones, and the numbers its commands start from. */
static void declare_model_locations(struct builder *builder, uint32_t t, uint32_t process)
{
    struct scope *scope = &builder->scope;
    struct model *model = scope->model;
    struct scope_type *type = &scope->types[t];
    type->first_location = model->locations.len;
    for (uint32_t i = 0; i < type->ast->locations.len; i++)
        vec_push(model->mem, &model->locations,
                 ((struct model_location){.value = type->locations[i],
                                          .name = type->ast->locations.data[i].name,
                                          .place = type->ast->locations.data[i].place}));
    scope->type = t;
    scope->process = process;
    scope->self = 0;
    struct map seen;
    map_init(&seen, model->mem);
    for (uint32_t i = 0; i < type->ast->locations.len; i++)
        map_add(&seen, "", (uint32_t)type->locations[i], 0);
    for (uint32_t c = 0; c < type->ast->commands.len; c++) {
        struct ast_command *command = &type->ast->commands.data[c];
        int64_t value;
        if (!command->location || !scope_constant(scope, command->location, &value)
            || value > UINT32_MAX)
            continue;
        if (map_add(&seen, "", (uint32_t)value, 0))
            vec_push(model->mem, &model->locations,
                     ((struct model_location){.value = value, .place = command->place}));
    }
    mem_free(model->mem, seen.entries);
    scope->type = scope->process = MODEL_NONE;
    type->location_count = model->locations.len - type->first_location;
}

static void set_locations(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    bool *done = mem_alloc(mem_of(builder), scope->file.types.len + 1);
    for (uint32_t p = 0; p < scope->model->processes.len; p++) {
        uint32_t t = scope->type_of[p];
        if (!done[t]) declare_model_locations(builder, t, p);
        done[t] = true;
        scope->model->processes.data[p].first_location = scope->types[t].first_location;
        scope->model->processes.data[p].locations = scope->types[t].location_count;
    }
    mem_free(mem_of(builder), done);
}

/* ---- valid ends ---- */

/* Where a process may stand in the end: one of its final locations. */
static expr make_final(struct builder *builder, uint32_t process)
{
    struct scope *scope = &builder->scope;
    struct exprs *exprs = &scope->model->exprs;
    const uint32_t t = scope->type_of[process];
    const struct scope_type *type = &scope->types[t];
    expr pc = expr_var(exprs, scope->first_var[process] + type->pc),
         found = expr_bool(exprs, false);
    for (uint32_t i = 0; i < type->ast->finals.len; i++) {
        const struct ast_name *item = &type->ast->finals.data[i];
        int64_t value;
        if (!scope_location(scope, t, item->name, &value)) continue; /* it was told */
        expr here = expr_make(exprs, EXPR_EQ, 0, pc, expr_int(exprs, value));
        found = expr_make(exprs, EXPR_OR, 0, found, here);
    }
    return found;
}

/* Names of final locations must be there. Whether there are any. */
static bool check_finals(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    bool found = false;
    for (uint32_t t = 0; t < scope->file.types.len; t++) {
        const struct ast_type *type = &scope->file.types.data[t];
        for (uint32_t i = 0; i < type->finals.len; i++) {
            const struct ast_name *item = &type->finals.data[i];
            int64_t value;
            found = true;
            if (item->value)
                diag_error(scope->diag, DIAG_SYNTAX, item->place,
                           "FINAL lists locations that there are: no value is given here");
            else if (!scope_location(scope, t, item->name, &value))
                diag_error(scope->diag, DIAG_UNKNOWN, item->place,
                           "process type %.60s has no location '%.60s'", type->name, item->name);
        }
    }
    return found;
}

/* A state without an enabled rule is a valid end when every process that has locations and commands
 * stands at one of its final locations. */
static void add_finals(struct builder *builder)
{
    struct scope *scope = &builder->scope;
    struct model *model = scope->model;
    if (!check_finals(builder) || scope->diag->errors) return;
    model->has_final = true;
    model->final = expr_bool(&model->exprs, true);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct ast_type *type = scope->types[scope->type_of[p]].ast;
        if (!type->commands.len || scope->types[scope->type_of[p]].pc == MODEL_NONE) continue;
        if (!type->finals.len)
            diag_warning(scope->diag, DIAG_COVERAGE, type->place,
                         "process type %.60s has no FINAL locations: no state is a valid end",
                         type->name);
        model->final =
            expr_make(&model->exprs, EXPR_AND, 0, model->final,
                      type->finals.len ? make_final(builder, p) : expr_bool(&model->exprs, false));
        if (!type->finals.len) return;
    }
}

static bool add_property(struct scope *scope, struct ast_property *ast)
{
    struct model *model = scope->model;
    struct model_property property = {
        .name = ast->name, .kind = ast->kind, .text = ast->text, .place = ast->place};
    uint32_t index = scope->counts[ast->kind]++;
    if (!property.name)
        property.name = names_format(&model->names, "%s[%u]", property_stem[ast->kind], index);
    property.name = names_intern(&model->names, property.name, strlen(property.name));
    if (!strcmp(property.name, "deadlock") || !strcmp(property.name, "runtime-error"))
        diag_error(scope->diag, DIAG_DUPLICATE, ast->place,
                   "'%s' is the name of a built-in property", property.name);
    if (!map_add(&scope->names, property.name, SCOPE_PROPERTY, model->properties.len))
        diag_error(scope->diag, DIAG_DUPLICATE, ast->place,
                   "there are two properties named '%.60s'", property.name);
    if (!lower_formula(scope, ast->root, ast->kind, &property.root)) return false;
    vec_push(model->mem, &model->properties, property);
    return true;
}

static struct model *milestones_load(struct language_input *input, void **scope_out)
{
    struct mem *mem = input->mem;
    struct builder *builder = mem_alloc(mem, sizeof *builder);
    struct scope *scope = &builder->scope;
    scope->diag = input->diag;
    scope->input = input;
    scope->type = scope->process = MODEL_NONE;
    scope->model = model_new(mem, input->diag->sources.data[input->source].name);
    map_init(&scope->names, mem);
    milestones_parse(input->diag, &scope->model->names, &scope->model->arena, input->source,
                     &scope->file);
    if (input->symbols && !input->diag->errors) milestones_tell_names(&scope->file, input->symbols);
    declare_constants(builder);
    declare_globals(builder);
    declare_types(builder);
    declare_processes(builder);
    if (!input->diag->errors) {
        builder->writer = mem_alloc(mem, (scope->model->vars.len + 1) * sizeof *builder->writer);
        builder->write_place =
            mem_alloc(mem, (scope->model->vars.len + 1) * sizeof *builder->write_place);
        place_local_commands(builder);
        place_global_commands(builder);
        note_unused_actions(builder);
        add_finals(builder);
        for (uint32_t i = 0; i < scope->file.properties.len; i++)
            add_property(scope, &scope->file.properties.data[i]);
    }
    if (input->diag->errors) return NULL;
    set_locations(builder);
    model_finish(scope->model);
    vec_free(mem, &builder->conjuncts);
    vec_free(mem, &builder->stores);
    vec_free(mem, &builder->targets);
    vec_free(mem, &builder->synced);
    *scope_out = scope;
    return scope->model;
}

static bool milestones_property(void *opaque, enum property_kind kind, uint32_t source)
{
    struct scope *scope = opaque;
    struct ast_property property;
    if (!milestones_parse_property(scope->diag, &scope->model->names, &scope->file, source, kind,
                                   &property))
        return false;
    return add_property(scope, &property);
}

const struct language milestones_language = {
    .name = "milestones",
    .extension = ".mil",
    .summary = "processes over bounded natural numbers, with rendezvous",
    .load = milestones_load,
    .property = milestones_property,
};
