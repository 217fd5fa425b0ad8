/* From declarations to a system: constants, ports, shared variables, processes, and how they are
 * composed. */
#include "lang/fiacre/scope.h"

#include "model/eval.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_INSTANCES = 10000, MAX_NESTED_COMPONENTS = 100 };

struct builder {
    struct fiacre *f;
    uint32_t nesting;
    uint32_t *numbers; /* of instances so far, by declaration */
};

/* ---- variables ---- */

/* Names of the cells of a variable: x, x[0], x.field, q.length, q[0], u, u.value. */
static void add_cells(struct fiacre *f, const char *name, const struct type *whole, uint32_t first,
                      const struct type *type, uint32_t process, struct place place)
{
    static const char *const truth[] = {"false", "true"};
    struct model *model = f->model;
    if (type->kind == TYPE_BOOL || type->kind == TYPE_INT) {
        struct type_range range = type_cell(whole, first);
        struct model_var var = {.name = name,
                                .process = process,
                                .low = range.low,
                                .high = range.high,
                                .init = range.initial,
                                .place = place};
        if (type->kind == TYPE_BOOL && range.low == 0 && range.high == 1) var.value_names = truth;
        vec_push(model->mem, &model->vars, var);
        return;
    }
    if (type->kind == TYPE_ARRAY || type->kind == TYPE_QUEUE) {
        if (type->kind == TYPE_QUEUE)
            add_cells(f, names_format(&model->names, "%s.length", name), whole, first++,
                      f->nat_type, process, place);
        for (uint32_t i = 0; i < type->count; i++, first += type->of->cells)
            add_cells(f, names_format(&model->names, "%s[%u]", name, i), whole, first, type->of,
                      process, place);
        return;
    }
    if (type->kind == TYPE_RECORD) {
        for (uint32_t i = 0; i < type->member_count; i++)
            add_cells(f, names_format(&model->names, "%s.%s", name, type->members[i].name), whole,
                      first + type->members[i].offset, type->members[i].type, process, place);
        return;
    }
    add_cells(f, name, whole, first++, f->nat_type, process, place); /* the constructor */
    const char **names = arena_alloc(&model->arena, type->member_count * sizeof *names);
    for (uint32_t i = 0; i < type->member_count; i++) names[i] = type->members[i].name;
    struct model_var *tag = &model->vars.data[model->vars.len - 1];
    if (!tag->low && tag->high == (int64_t)type->member_count - 1) tag->value_names = names;
    for (uint32_t i = 0; i + 1 < type->cells; i++)
        add_cells(f,
                  i ? names_format(&model->names, "%s.value[%u]", name, i)
                    : names_format(&model->names, "%s.value", name),
                  whole, first + i, f->nat_type, process, place);
}

/* A variable's initial value. OBP takes an array with too few elements, and then the others begin
 * with the first value of their type; so does this, with a warning. */
static bool add_initial(struct fiacre *f, struct fiacre_exp *init, struct env *env,
                        const struct binding *variable)
{
    struct lowering l = {.f = f, .env = env, .code = {.model = f->model, .out = &f->init}};
    const struct type *type = variable->type;
    struct value value;
    bool is_short = init->kind == FIACRE_EXP_ARRAY && type->kind == TYPE_ARRAY
                    && init->count < type->count && !fiacre_is_frac(f);
    if (!is_short)
        return lower_exp(&l, init, type, &value)
               && lower_store(&l, type, &variable->at, &value, init->place);
    remark(f, init, DIAG_TYPE, init->place,
           "%u element%s for an array of %u: the others begin with the first value of their type",
           init->count, plural(init->count), type->count);
    uint32_t n = 0;
    for (struct fiacre_exp *element = init->args; element; element = element->next, n++) {
        struct cell at = emit_behind(&variable->at, n * type->of->cells);
        if (!lower_exp(&l, element, type->of, &value)
            || !lower_store(&l, type->of, &at, &value, element->place))
            return false;
    }
    return true;
}

/* Declares variables in env, and sets them up in the system's init. `prefix` is "" or ends in a
 * dot. */
static bool add_variables(struct fiacre *f, struct fiacre_variable *variable, struct env *env,
                          const char *prefix, uint32_t process)
{
    struct model *model = f->model;
    for (; variable; variable = variable->next) {
        const struct type *type = types_resolve(f, variable->type, env);
        if (!type) return false;
        for (uint32_t i = 0; i < env->list.len; i++)
            if (env->list.data[i].name == variable->name) {
                diag_error(f->diag, DIAG_DUPLICATE, variable->place, "'%.60s' is declared twice",
                           variable->name);
                return false;
            }
        if (model->vars.len + (uint64_t)type->cells > TYPE_MAX_CELLS) {
            diag_error(f->diag, DIAG_LIMIT, variable->place,
                       "the system is too large: more than %d cells", TYPE_MAX_CELLS);
            return false;
        }
        struct binding binding = {
            .name = variable->name, .kind = BIND_CELLS, .type = type, .place = variable->place};
        binding.at = emit_cell(f->model, false, model->vars.len);
        const char *name = names_format(&model->names, "%s%s", prefix, variable->name);
        add_cells(f, name, type, 0, type, process, variable->place);
        shapes_whole(f, name, binding.at.base, type);
        assert(model->vars.len == binding.at.base + type->cells);
        if (variable->init && !add_initial(f, variable->init, env, &binding)) return false;
        vec_push(model->mem, &env->list, binding);
    }
    return true;
}

/* ---- ports ---- */

static bool resolve_channel(struct fiacre *f, struct fiacre_channel *channel, struct env *env,
                            struct port *port)
{
    uint32_t count = 0;
    port->plain = channel->plain;
    if (channel->plain) return true;
    if (channel->types->kind == FIACRE_TYPE_NAME && !channel->types->next) {
        uint32_t declared = map_get(&f->names, channel->types->name, SCOPE_CHANNEL);
        if (declared != MAP_NONE) {
            struct fiacre_decl *decl = f->decls.data[declared];
            if (decl->reported) {
                diag_error(f->diag, DIAG_CIRCULAR, decl->name_place,
                           "the channel '%.60s' contains itself", decl->name);
                return false;
            }
            decl->reported = true;
            bool good = resolve_channel(f, decl->channel, NULL, port);
            decl->reported = false;
            return good;
        }
    }
    for (struct fiacre_type *t = channel->types; t; t = t->next) count++;
    port->types = arena_alloc(&f->model->arena, count * sizeof *port->types);
    for (struct fiacre_type *t = channel->types; t; t = t->next) {
        port->types[port->type_count] = types_resolve(f, t, env);
        if (!port->types[port->type_count++]) return false;
    }
    assert(port->type_count == count);
    return true;
}

static bool add_ports(struct fiacre *f, struct fiacre_port *declared, struct env *env,
                      const char *prefix)
{
    for (; declared; declared = declared->next) {
        struct port port = {.name = names_format(&f->model->names, "%s%s", prefix, declared->name),
                            .place = declared->place,
                            .interval = declared->interval,
                            .priority_class = MODEL_NONE};
        if (declared->probe) {
            diag_error(f->diag, DIAG_UNSUPPORTED, declared->place,
                       "probes (`is ...` at a port) are not supported");
            return false;
        }
        if (!resolve_channel(f, declared->channel, env, &port)) return false;
        for (uint32_t i = 0; i < env->list.len; i++)
            if (env->list.data[i].name == declared->name) {
                diag_error(f->diag, DIAG_DUPLICATE, declared->place, "'%.60s' is declared twice",
                           declared->name);
                return false;
            }
        struct binding binding = {.name = declared->name,
                                  .kind = BIND_PORT,
                                  .port = f->ports.len,
                                  .place = declared->place};
        vec_push(f->model->mem, &f->ports, port);
        vec_push(f->model->mem, &env->list, binding);
    }
    return true;
}

static bool find_port(struct fiacre *f, struct env *env, const char *name, struct place place,
                      uint32_t *port)
{
    const struct binding *binding = env_find(f, env, name);
    if (!binding || binding->kind != BIND_PORT) {
        diag_error(f->diag, DIAG_UNKNOWN, place, "'%.60s' is not a port of this component", name);
        return false;
    }
    *port = binding->port;
    return true;
}

static uint32_t class_of(struct fiacre *f, uint32_t port)
{
    if (f->ports.data[port].priority_class == MODEL_NONE)
        f->ports.data[port].priority_class = f->model->class_count++;
    return f->ports.data[port].priority_class;
}

static bool add_priorities(struct fiacre *f, struct fiacre_priority *priority, struct env *env)
{
    for (; priority; priority = priority->next)
        for (struct fiacre_name *high = priority->high; high; high = high->next)
            for (struct fiacre_name *low = priority->low; low; low = low->next) {
                uint32_t a, b;
                if (!find_port(f, env, high->name, high->place, &a)
                    || !find_port(f, env, low->name, low->place, &b))
                    return false;
                vec_push(f->model->mem, &f->model->priorities,
                         ((struct model_priority){class_of(f, a), class_of(f, b)}));
            }
    return true;
}

/* ---- arguments ---- */

static bool bind_ports(struct fiacre *f, struct fiacre_port *formal, struct fiacre_block *block,
                       struct env *outer, struct env *env)
{
    struct fiacre_name *actual = block->ports;
    uint32_t formals = 0;
    for (struct fiacre_port *p = formal; p; p = p->next) formals++;
    if (formals != block->port_count) {
        diag_error(f->diag, DIAG_ARGUMENTS, block->place, "'%.60s' has %u port%s, and %u %s given",
                   block->name, formals, plural(formals), block->port_count,
                   block->port_count == 1 ? "is" : "are");
        return false;
    }
    for (; formal; formal = formal->next, actual = actual->next) {
        uint32_t port;
        struct port declared = {0};
        if (!find_port(f, outer, actual->name, actual->place, &port)
            || !resolve_channel(f, formal->channel, outer, &declared))
            return false;
        const struct port *given = &f->ports.data[port];
        bool fits = declared.plain || given->plain || declared.type_count == given->type_count;
        for (uint32_t i = 0; fits && !declared.plain && !given->plain && i < given->type_count; i++)
            fits = type_matches(declared.types[i], given->types[i]);
        if (!fits) {
            diag_error(f->diag, DIAG_TYPE, actual->place,
                       "the port '%.60s' carries other values than '%.60s' of '%.60s'",
                       actual->name, formal->name, block->name);
            return false;
        }
        vec_push(f->model->mem, &env->list,
                 ((struct binding){.name = formal->name,
                                   .kind = BIND_PORT,
                                   .port = port,
                                   .sends = formal->out,
                                   .receives = formal->in,
                                   .place = formal->place}));
    }
    assert(!actual); /* there are as many */
    return true;
}

/* Whether the variable, or the one it is part of, was itself passed to be read only. */
static bool is_read_only(struct fiacre *f, const struct env *env, const struct fiacre_exp *place)
{
    while (place->kind == FIACRE_EXP_INDEX || place->kind == FIACRE_EXP_FIELD) place = place->a;
    const struct binding *binding =
        place->kind == FIACRE_EXP_NAME ? env_find(f, env, place->name) : NULL;
    return binding && binding->read_only;
}

static bool bind_reference(struct fiacre *f, struct fiacre_variable *formal, struct fiacre_exp *arg,
                           struct env *outer, struct env *env)
{
    struct lowering l = {.f = f, .env = outer, .code.model = f->model, .context = "a reference"};
    const struct type *type, *wanted = types_resolve(f, formal->type, outer);
    struct cell at;
    if (arg->kind != FIACRE_EXP_REFERENCE) {
        diag_error(f->diag, DIAG_ARGUMENTS, arg->place, "'%.60s' is passed by reference: write &",
                   formal->name);
        return false;
    }
    if (!wanted || !lower_place(&l, arg->a, formal->write, &type, &at)) return false;
    if (!type_same(type, wanted)) {
        struct text a, b;
        text_init(&a, f->model->mem);
        text_init(&b, f->model->mem);
        type_show(&a, wanted);
        type_show(&b, type);
        diag_error(f->diag, DIAG_TYPE, arg->place, "'%.60s' refers to %s, this is %s", formal->name,
                   a.data, b.data);
        text_free(&a);
        text_free(&b);
        return false;
    }
    struct binding binding = {
        .name = formal->name, .kind = BIND_CELLS, .type = type, .at = at, .place = formal->place};
    binding.read_only = (formal->read && !formal->write) || is_read_only(f, outer, arg->a);
    binding.write_only = formal->write && !formal->read;
    vec_push(f->model->mem, &env->list, binding);
    return true;
}

static bool bind_value(struct fiacre *f, struct fiacre_variable *formal, struct fiacre_exp *arg,
                       struct env *outer, struct env *env)
{
    const struct type *type = types_resolve(f, formal->type, outer);
    struct binding binding = {.name = formal->name,
                              .kind = BIND_TEXT,
                              .type = type,
                              .exp = arg,
                              .env = outer,
                              .place = formal->place};
    if (!type) return false;
    if (arg->kind == FIACRE_EXP_REFERENCE) {
        diag_error(f->diag, DIAG_ARGUMENTS, arg->place, "'%.60s' is passed by value: no & here",
                   formal->name);
        return false;
    }
    if (type_is_scalar(type)) {
        struct lowering l = {
            .f = f, .env = outer, .code.model = f->model, .context = "an argument"};
        if (!lower_exp(&l, arg, type, &binding.value)) return false;
        const struct expr_node *node =
            type_is_scalar(binding.value.type) ? expr_get(&f->model->exprs, binding.value.e) : NULL;
        struct type_range range = type_cell(type, 0);
        if (!node || node->op != EXPR_CONST || !type_matches(type, binding.value.type)) {
            diag_error(f->diag, DIAG_ARGUMENTS, arg->place,
                       "the argument for '%.60s' must be a constant of its type", formal->name);
            return false;
        }
        if (node->value < range.low || node->value > range.high) {
            diag_error(f->diag, DIAG_ARGUMENTS, arg->place,
                       "the argument for '%.60s' is outside %" PRId64 "..%" PRId64, formal->name,
                       range.low, range.high);
            return false;
        }
        binding.kind = BIND_VALUE;
        binding.value.type = type;
    }
    vec_push(f->model->mem, &env->list, binding);
    return true;
}

static bool bind_arguments(struct fiacre *f, struct fiacre_variable *formal,
                           struct fiacre_block *block, struct env *outer, struct env *env)
{
    struct fiacre_exp *arg = block->args;
    uint32_t formals = 0;
    for (struct fiacre_variable *p = formal; p; p = p->next) formals++;
    if (formals != block->arg_count) {
        diag_error(f->diag, DIAG_ARGUMENTS, block->place,
                   "'%.60s' has %u parameter%s, and %u argument%s given", block->name, formals,
                   plural(formals), block->arg_count, block->arg_count == 1 ? " is" : "s are");
        return false;
    }
    for (; formal; formal = formal->next, arg = arg->next)
        if (!(formal->by_reference ? bind_reference : bind_value)(f, formal, arg, outer, env))
            return false;
    return true;
}

/* ---- processes ---- */

static bool run_init(struct fiacre *f, struct instance *instance)
{
    struct model *model = f->model;
    struct fiacre_process *ast = instance->decl->process;
    struct fiacre_transition *first = ast->transitions;
    uint32_t start = MODEL_NONE, n = 0;
    if (!ast->init) {
        for (struct fiacre_name *s = ast->states; s; s = s->next, n++)
            if (first ? s->name == first->state : !n) start = n;
        struct cell at = emit_cell(f->model, false, instance->location);
        struct lowering l = {
            .f = f, .env = instance->env, .code = {.model = f->model, .out = &f->init}};
        if (start != MODEL_NONE)
            emit_set(&l.code, &at, expr_int(&model->exprs, start), instance->decl->place);
        return true;
    }
    if (!paths_find(f, instance, ast->init, ast->init_place)) return false;
    struct cell at = emit_cell(f->model, false, instance->location);
    struct init_stage stage = {.plain = f->init.first, .place = ast->init_place};
    for (uint32_t i = 0; i < instance->paths.len; i++) {
        const struct path *path = instance->paths.data[i];
        struct code_sequence way = code_sequence_empty();
        struct lowering l = {
            .f = f, .env = instance->env, .code = {.model = f->model, .out = &way}};
        if (!paths_lower(&l, path, 0, path->count)) return false;
        emit_set(&l.code, &at, expr_int(&model->exprs, path->to), ast->init_place);
        vec_push(model->mem, &stage.alternatives, way.first);
    }
    vec_push(model->mem, &f->stages, stage);
    f->init = code_sequence_empty();
    return true;
}

static bool add_states(struct fiacre *f, struct fiacre_decl *decl, uint32_t *first, uint32_t *count)
{
    struct model *model = f->model;
    struct map seen;
    bool good = true;
    map_init(&seen, model->mem);
    *first = model->locations.len;
    for (struct fiacre_name *s = decl->process->states; s; s = s->next) {
        if (!map_add(&seen, s->name, 0, 0)) {
            diag_error(f->diag, DIAG_DUPLICATE, s->place, "the state '%.60s' is declared twice",
                       s->name);
            good = false;
        }
        struct model_location location = {
            .value = model->locations.len - *first, .name = s->name, .place = s->place};
        vec_push(model->mem, &model->locations, location);
    }
    *count = model->locations.len - *first;
    mem_free(model->mem, seen.entries);
    return good;
}

static bool add_process(struct builder *builder, struct fiacre_decl *decl, struct env *env,
                        uint32_t number, struct place place, uint32_t *index)
{
    struct fiacre *f = builder->f;
    struct model *model = f->model;
    uint32_t process = model->processes.len, first = MODEL_NONE, states = 0;
    if (f->instances.len >= MAX_INSTANCES) {
        diag_error(f->diag, DIAG_LIMIT, place, "more than %d processes", MAX_INSTANCES);
        return false;
    }
    for (uint32_t i = 0; i < f->instances.len && first == MODEL_NONE; i++)
        if (f->instances.data[i].decl == decl) {
            first = model->processes.data[f->instances.data[i].process].first_location;
            states = model->processes.data[f->instances.data[i].process].locations;
        }
    if (first == MODEL_NONE && !add_states(f, decl, &first, &states)) return false;
    const char *name = names_format(&model->names, "%s[%u]", decl->name, number);
    struct model_process made = {.name = name,
                                 .type = decl->name,
                                 .location = model->vars.len,
                                 .first_location = first,
                                 .locations = states,
                                 .place = decl->place};
    vec_push(model->mem, &model->processes, made);
    struct model_var location = {.name = names_format(&model->names, "%s.state", name),
                                 .process = process,
                                 .high = states - 1,
                                 .place = decl->place};
    vec_push(model->mem, &model->vars, location);
    if (!add_variables(f, decl->process->variables, env, names_format(&model->names, "%s.", name),
                       process))
        return false;
    struct instance instance = {
        .decl = decl, .env = env, .process = process, .location = made.location};
    for (uint32_t i = 0; i < env->list.len; i++) {
        if (env->list.data[i].kind != BIND_PORT) continue;
        bool known = false;
        for (uint32_t k = 0; k < instance.ports.len; k++)
            known |= instance.ports.data[k] == env->list.data[i].port;
        if (!known) vec_push(model->mem, &instance.ports, env->list.data[i].port);
    }
    shapes_name(f, decl->name, number, env);
    *index = f->instances.len;
    vec_push(model->mem, &f->instances, instance);
    return run_init(f, &f->instances.data[*index]);
}

/* ---- components ---- */

static struct fiacre_decl *find_unit(struct fiacre *f, const char *name, struct place place)
{
    uint32_t index = map_get(&f->names, name, SCOPE_UNIT);
    if (index != MAP_NONE) return f->decls.data[index];
    const char *nearest = NULL;
    unsigned distance = 0;
    for (uint32_t i = 0; i < f->decls.len; i++)
        if (f->decls.data[i]->kind == FIACRE_DECL_PROCESS
            || f->decls.data[i]->kind == FIACRE_DECL_COMPONENT)
            text_nearest(name, f->decls.data[i]->name, &nearest, &distance);
    diag_error_near(f->diag, DIAG_UNKNOWN, place, nearest,
                    "there is no process or component '%.60s'", name);
    return NULL;
}

static bool add_component(struct builder *builder, struct fiacre_decl *decl, struct env *env,
                          uint32_t number, const char *prefix, struct group *group);

static bool add_unit(struct builder *builder, struct fiacre_decl *decl, struct env *env,
                     struct place place, struct group *group)
{
    struct fiacre *f = builder->f;
    uint32_t number = 0;
    for (uint32_t i = 0; i < f->decls.len; i++)
        if (f->decls.data[i] == decl) number = builder->numbers[i]++;
    if (decl->kind == FIACRE_DECL_PROCESS) {
        group->is_instance = true;
        return add_process(builder, decl, env, number, place, &group->instance);
    }
    return add_component(builder, decl, env, number,
                         names_format(&f->model->names, "%s[%u].", decl->name, number), group);
}

static bool read_portset(struct fiacre *f, const struct fiacre_portset *set, struct env *env,
                         struct group *group)
{
    if (!set->given) return true;
    group->all |= set->all;
    for (struct fiacre_name *name = set->names; name; name = name->next) {
        uint32_t port;
        if (!find_port(f, env, name->name, name->place, &port)) return false;
        vec_push(f->model->mem, &group->interface, port);
    }
    return true;
}

static bool add_block(struct builder *builder, struct fiacre_block *block, struct env *env,
                      struct group *group)
{
    struct fiacre *f = builder->f;
    if (block->kind == FIACRE_BLOCK_PAR) {
        struct group **end = &group->blocks;
        for (struct fiacre_block *b = block->blocks; b; b = b->next) {
            struct group *inner = arena_alloc(&f->model->arena, sizeof *inner);
            *end = inner;
            end = &inner->next;
            if (!read_portset(f, &block->portset, env, inner)
                || !read_portset(f, &b->interface, env, inner)
                || !add_block(builder, b, env, inner))
                return false;
        }
        return true;
    }
    struct fiacre_decl *decl = find_unit(f, block->name, block->place);
    if (!decl) return false;
    struct env *inner = arena_alloc(&f->model->arena, sizeof *inner);
    bool is_process = decl->kind == FIACRE_DECL_PROCESS;
    if (!bind_ports(f, is_process ? decl->process->ports : decl->component->ports, block, env,
                    inner))
        return false;
    if (!bind_arguments(f, is_process ? decl->process->parameters : decl->component->parameters,
                        block, env, inner))
        return false;
    return add_unit(builder, decl, inner, block->place, group);
}

static bool add_component(struct builder *builder, struct fiacre_decl *decl, struct env *env,
                          uint32_t number, const char *prefix, struct group *group)
{
    struct fiacre *f = builder->f;
    struct fiacre_component *ast = decl->component;
    if (builder->nesting >= MAX_NESTED_COMPONENTS) {
        diag_error(f->diag, DIAG_NESTING, decl->name_place,
                   "components are nested too deeply: does '%.60s' contain itself?", decl->name);
        return false;
    }
    builder->nesting++;
    vec_push(f->model->mem, &f->components, ((struct component){decl, env}));
    bool good = add_variables(f, ast->variables, env, prefix, MODEL_NONE)
                && add_ports(f, ast->local_ports, env, prefix)
                && add_priorities(f, ast->priorities, env);
    if (good) shapes_name(f, decl->name, number, env);
    if (good && ast->init) {
        struct lowering l = {.f = f, .env = env, .code = {.model = f->model, .out = &f->init}};
        good = lower_statements(&l, ast->init);
    }
    good = good && add_block(builder, ast->composition, env, group);
    builder->nesting--;
    return good;
}

/* ---- declarations ---- */

static bool declare(struct fiacre *f, const char *name, uint32_t scope, uint32_t index,
                    struct place place)
{
    if (map_add(&f->names, name, scope, index)) return true;
    diag_error(f->diag, DIAG_DUPLICATE, place, "'%.60s' is declared twice", name);
    return false;
}

static void declare_names(struct fiacre *f)
{
    struct mem *mem = f->model->mem;
    for (struct fiacre_decl *d = f->file.decls; d; d = d->next) {
        uint32_t index = f->decls.len;
        vec_push(mem, &f->decls, d);
        if (d->kind == FIACRE_DECL_TYPE) declare(f, d->name, SCOPE_TYPE, index, d->name_place);
        if (d->kind == FIACRE_DECL_CHANNEL)
            declare(f, d->name, SCOPE_CHANNEL, index, d->name_place);
        if (d->kind == FIACRE_DECL_PROCESS || d->kind == FIACRE_DECL_COMPONENT)
            declare(f, d->name, SCOPE_UNIT, index, d->name_place);
        if (d->kind == FIACRE_DECL_FUNCTION || d->kind == FIACRE_DECL_EXTERN) {
            declare(f, d->name, SCOPE_FUNCTION, f->functions.len, d->name_place);
            vec_push(mem, &f->functions,
                     ((struct function){.decl = d, .routine.body = code_none()}));
        }
        if (d->kind == FIACRE_DECL_OBSERVER)
            diag_error(f->diag, DIAG_UNSUPPORTED, d->place,
                       "observers (`%.60s > %.60s`) are not supported", d->name, d->other);
    }
}

/* -D name=value */
static bool find_define(struct fiacre *f, const char *name, int64_t *value)
{
    for (uint32_t i = 0; i < f->input->define_count; i++)
        if (!strcmp(f->input->defines[i].name, name))
            return *value = f->input->defines[i].value, true;
    return false;
}

static bool declare_constant(struct fiacre *f, struct fiacre_decl *d)
{
    const struct type *type = types_resolve(f, d->type, NULL);
    struct binding binding = {
        .name = d->name, .kind = BIND_TEXT, .type = type, .exp = d->exp, .place = d->name_place};
    int64_t given;
    if (!type) return false;
    if (type_is_scalar(type)) {
        struct lowering l = {.f = f, .code.model = f->model, .context = "a constant"};
        struct type_range range = type_cell(type, 0);
        if (!lower_exp(&l, d->exp, type, &binding.value)) return false;
        const struct expr_node *node =
            type_is_scalar(binding.value.type) ? expr_get(&f->model->exprs, binding.value.e) : NULL;
        if (!node || node->op != EXPR_CONST || !type_matches(type, binding.value.type)) {
            diag_error(f->diag, DIAG_CONSTANT, d->exp->place,
                       "the value of '%.60s' must be a constant of its type", d->name);
            return false;
        }
        int64_t value = node->value;
        if (find_define(f, d->name, &given)) value = given;
        if (value < range.low || value > range.high) {
            diag_error(f->diag, DIAG_RANGE, d->exp->place,
                       "the constant '%.60s' is %" PRId64 ", outside %" PRId64 "..%" PRId64,
                       d->name, value, range.low, range.high);
            return false;
        }
        binding.kind = BIND_VALUE;
        binding.value =
            value_scalar(type, type->kind == TYPE_BOOL ? expr_bool(&f->model->exprs, value)
                                                       : expr_int(&f->model->exprs, value));
        vec_push(f->model->mem, &f->model->constants,
                 ((struct model_constant){.name = d->name, .value = value}));
    }
    if (!declare(f, d->name, SCOPE_VALUE, f->constants.len, d->name_place)) return false;
    vec_push(f->model->mem, &f->constants, binding);
    return true;
}

/* Every -D must mean a constant that is a single number, or one that the preprocessor asked for. */
static void check_define(struct fiacre *f, const struct language_define *define)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    for (uint32_t i = 0; i < f->decls.len; i++) {
        const struct fiacre_decl *d = f->decls.data[i];
        if (d->kind != FIACRE_DECL_CONST) continue;
        uint32_t index = map_get(&f->names, d->name, SCOPE_VALUE);
        if (strcmp(d->name, define->name)) text_nearest(define->name, d->name, &nearest, &distance);
        else if (index != MAP_NONE && f->constants.data[index].kind == BIND_TEXT)
            diag_error(f->diag, DIAG_OPTION, d->name_place,
                       "-D %s: only constants that are numbers, bools or constructors without a "
                       "value can be set",
                       define->name);
        if (!strcmp(d->name, define->name)) return;
    }
    if (define->asked) /* the model depends on it: it is part of what is claimed */
        vec_push(f->model->mem, &f->model->constants,
                 ((struct model_constant){.name = define->name, .value = define->value}));
    if (define->optional || define->asked) return;
    diag_error_near(f->diag, DIAG_OPTION, (struct place){0}, nearest,
                    "-D %s: the model has no such constant", define->name);
}

static bool declare_all(struct fiacre *f)
{
    declare_names(f);
    /* in the order of the text: a type may use the constants before it, a constant the constructors
     */
    for (uint32_t i = 0; i < f->decls.len; i++) {
        struct fiacre_decl *d = f->decls.data[i];
        if (d->kind == FIACRE_DECL_CONST) declare_constant(f, d);
        if (d->kind == FIACRE_DECL_TYPE) {
            struct fiacre_type named = {
                .kind = FIACRE_TYPE_NAME, .place = d->name_place, .name = d->name};
            types_resolve(f, &named, NULL);
        }
    }
    for (uint32_t i = 0; i < f->input->define_count; i++) check_define(f, &f->input->defines[i]);
    for (uint32_t i = 0; i < f->functions.len; i++)
        if (f->functions.data[i].decl->kind == FIACRE_DECL_FUNCTION)
            function_prepare(f, &f->functions.data[i]);
    return !f->diag->errors;
}

/* ---- the whole ---- */

/* The root has no arguments; its ports are the system's own. */
static bool add_root(struct builder *builder)
{
    struct fiacre *f = builder->f;
    if (!f->file.root) {
        diag_error(f->diag, DIAG_MISSING, f->file.last,
                   "the file ends without the name of its main component");
        return false;
    }
    struct fiacre_decl *decl = find_unit(f, f->file.root->name, f->file.root->name_place);
    if (!decl) return false;
    bool is_process = decl->kind == FIACRE_DECL_PROCESS;
    if (is_process ? decl->process->parameters != NULL : decl->component->parameters != NULL) {
        diag_error(f->diag, DIAG_MISSING, f->file.root->name_place,
                   "the main component '%.60s' has parameters: nothing gives them a value",
                   decl->name);
        return false;
    }
    struct env *env = f->root_env = arena_alloc(&f->model->arena, sizeof *env);
    if (!add_ports(f, is_process ? decl->process->ports : decl->component->ports, env, ""))
        return false;
    f->composition = arena_alloc(&f->model->arena, sizeof *f->composition);
    if (!is_process) return add_component(builder, decl, env, 0, "", f->composition);
    return add_unit(builder, decl, env, decl->place, f->composition);
}

static const char *const failure_text[FAILURE_KINDS] = {
    [FAILURE_DIVISION] = "divides by zero",
    [FAILURE_OVERFLOW] = "leaves 64 bits",
    [FAILURE_RANGE] = "leaves the range of a type",
    [FAILURE_INDEX] = "uses an index out of bounds",
    [FAILURE_FULL] = "writes a full queue",
    [FAILURE_EMPTY] = "reads an empty queue",
    [FAILURE_LOOP] = "has a loop that does not end",
    [FAILURE_DEPTH] = "calls a function too deeply",
};

enum { MAX_INITIAL = 100000 };

/* Different states, each after the one before; found again by a hash table of their numbers + 1. */
struct states {
    VEC(int64_t) cells;
    uint32_t *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t count;
};

static uint32_t hash_state(const int64_t *state, uint32_t vars)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < vars; i++)
        hash = (hash ^ (uint64_t)state[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

/* The slot where the state is, or where it would go. */
static uint32_t *find_slot(const struct states *states, const int64_t *state, uint32_t vars)
{
    uint32_t at = hash_state(state, vars) & (states->slot_count - 1);
    for (; states->slots[at]; at = (at + 1) & (states->slot_count - 1))
        if (!memcmp(states->cells.data + (size_t)(states->slots[at] - 1) * vars, state,
                    vars * sizeof *state))
            break;
    return &states->slots[at];
}

static void grow_slots(struct mem *mem, struct states *states, uint32_t vars)
{
    mem_free(mem, states->slots);
    states->slot_count = states->slot_count ? 2 * states->slot_count : 64;
    states->slots = mem_alloc(mem, states->slot_count * sizeof *states->slots);
    for (uint32_t i = 0; i < states->count; i++)
        *find_slot(states, states->cells.data + (size_t)i * vars, vars) = i + 1;
}

/* Whether it was not there yet. */
static bool add_state(struct mem *mem, struct states *states, const int64_t *state, uint32_t vars)
{
    if (2 * states->count >= states->slot_count) grow_slots(mem, states, vars);
    uint32_t *slot = find_slot(states, state, vars);
    if (*slot) return false;
    *slot = ++states->count;
    for (uint32_t v = 0; v < vars; v++) vec_push(mem, &states->cells, state[v]);
    return true;
}

static void free_states(struct mem *mem, struct states *states)
{
    vec_free(mem, &states->cells);
    mem_free(mem, states->slots);
}

/* The states of `from` after a code. False after an error. */
static bool run_code(struct fiacre *f, const struct states *from, statement block,
                     struct place place, struct states *to)
{
    struct model *model = f->model;
    uint32_t vars = model->vars.len;
    int64_t *state = mem_alloc(model->mem, (vars + UINT64_C(1)) * sizeof *state);
    bool good = true;
    for (uint32_t i = 0; good && i < from->count; i++) {
        struct eval_failure failure = {0};
        memcpy(state, from->cells.data + (size_t)i * vars, vars * sizeof *state);
        enum eval_result result = eval_code(model, block, state, &failure);
        if (result == EVAL_FAILED)
            diag_error(f->diag, DIAG_FAILURE, failure.place, "initialisation %s",
                       failure_text[failure.reason]);
        good = result != EVAL_FAILED;
        if (result != EVAL_ENABLED || !add_state(model->mem, to, state, vars)) continue;
        if (to->count > MAX_INITIAL || (uint64_t)to->cells.len + vars > UINT32_MAX / 2) {
            diag_error(f->diag, DIAG_LIMIT, place, "more than %d initial states", MAX_INITIAL);
            good = false;
        }
    }
    mem_free(model->mem, state);
    return good;
}

static bool run_stage(struct fiacre *f, struct states *states, const struct init_stage *stage)
{
    struct mem *mem = f->model->mem;
    struct states plain = {0}, next = {0};
    bool good = run_code(f, states, stage->plain, stage->place, &plain);
    for (uint32_t i = 0; good && i < stage->alternatives.len; i++)
        good = run_code(f, &plain, stage->alternatives.data[i], stage->place, &next);
    free_states(mem, states);
    *states = stage->alternatives.len ? next : plain;
    if (stage->alternatives.len) free_states(mem, &plain);
    if (good && !states->count) {
        diag_error(f->diag, DIAG_FAILURE, stage->place, "no way through init is possible");
        good = false;
    }
    return good;
}

/* Whether the states are all combinations of the values of some variables, each of which takes all
 * of its range: then these just start anywhere. */
static bool is_product(struct model *model, const struct states *states)
{
    uint32_t vars = model->vars.len;
    uint64_t combinations = 1;
    bool *free = mem_alloc(model->mem, vars + UINT64_C(1));
    for (uint32_t v = 0; v < vars && combinations <= states->count; v++) {
        for (uint32_t i = v; i < states->cells.len; i += vars)
            free[v] |= states->cells.data[i] != states->cells.data[v];
        if (free[v])
            combinations *= (uint64_t)(model->vars.data[v].high - model->vars.data[v].low) + 1;
    }
    bool is_all = combinations
                  == states->count; /* the states differ from each other and have no other values */
    for (uint32_t v = 0; is_all && v < vars; v++) model->vars.data[v].any_init = free[v];
    mem_free(model->mem, free);
    return is_all;
}

/* Runs what was collected, and takes the result for the initial states. */
static bool set_initial_states(struct fiacre *f)
{
    struct model *model = f->model;
    struct states states = {0};
    bool good = true;
    vec_push(model->mem, &f->stages,
             ((struct init_stage){.plain = f->init.first, .place = f->file.root->name_place}));
    for (uint32_t i = 0; i < model->vars.len; i++)
        vec_push(model->mem, &states.cells, model->vars.data[i].init);
    states.count = 1;
    model->local_values =
        mem_resize(model->mem, model->local_values,
                   (model->locals.len + UINT64_C(1)) * sizeof *model->local_values);
    for (uint32_t i = 0; good && i < f->stages.len; i++)
        good = run_stage(f, &states, &f->stages.data[i]);
    for (uint32_t i = 0; good && i < model->vars.len; i++)
        model->vars.data[i].init = states.cells.data[i];
    if (good && states.count > 1 && !is_product(model, &states))
        model_list_initial(model, states.cells.data, states.count);
    free_states(model->mem, &states);
    return good;
}

bool system_build(struct fiacre *f)
{
    struct builder builder = {.f = f};
    f->init = code_sequence_empty();
    types_init(f);
    functions_init(f);
    if (!declare_all(f)) return false;
    builder.numbers =
        mem_alloc(f->model->mem, (f->decls.len + UINT64_C(1)) * sizeof *builder.numbers);
    bool good = add_root(&builder) && set_initial_states(f);
    mem_free(f->model->mem, builder.numbers);
    return good && !f->diag->errors;
}
