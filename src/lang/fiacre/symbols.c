/* The names of a file. Types, channels, values (constants, and what processes, components and
 * functions declare), constructors, functions, units (processes and components), properties and
 * states are apart from each other, as in scope.h; a unit or function has a scope of its own for
 * what it declares, a record one for its fields, a union one for its constructors.
 *
 * Fields and constructors may have the same name in several types. So a walk over an expression
 * returns the symbol whose members a field of it would be, and is given the one that is expected
 * there; where neither is known, the first of that name is meant. Elements of arrays and queues
 * stand for the whole in this. */
#include "lang/fiacre/ast.h"

#include <assert.h>
#include <string.h>

struct telling {
    struct symbols *symbols;
    const struct fiacre_file *file;
    struct mem *mem;
    uint32_t types, channels, constants, constructors, functions, units, properties, fields, tags;
    uint32_t unit; /* whose states are spoken of, or SYMBOL_NONE */
    bool in_property;
};

/* ---- types ---- */

static uint32_t walk(struct telling *t, const struct fiacre_exp *exp, uint32_t expected);

static void walk_list(struct telling *t, const struct fiacre_exp *list, uint32_t expected)
{
    for (; list; list = list->next) walk(t, list, expected);
}

static void describe_member(struct telling *t, uint32_t symbol, const struct fiacre_member *member)
{
    struct text text;
    text_init(&text, t->mem);
    if (member->type) fiacre_print_type(&text, member->type);
    symbols_describe(t->symbols, symbol, member->type ? "%s : %s" : "%s", member->name,
                     text.data ? text.data : "");
    text_free(&text);
}

/* Uses the names of a type, and declares its members as those of `owner`. Returns the symbol that
 * has the members: that of a named type, or the owner. */
static uint32_t walk_type(struct telling *t, const struct fiacre_type *type, uint32_t owner)
{
    struct symbols *symbols = t->symbols;
    if (!type) return SYMBOL_NONE;
    walk(t, type->low, SYMBOL_NONE);
    walk(t, type->high, SYMBOL_NONE);
    switch ((enum fiacre_type_kind)type->kind) {
    case FIACRE_TYPE_NAME: return symbols_use_in(symbols, t->types, type->name, type->place);
    case FIACRE_TYPE_ARRAY:
    case FIACRE_TYPE_QUEUE: return walk_type(t, type->of, owner);
    case FIACRE_TYPE_UNION:
    case FIACRE_TYPE_RECORD: break;
    default: return SYMBOL_NONE;
    }
    bool is_union = type->kind == FIACRE_TYPE_UNION;
    uint32_t scope = symbols_open(symbols, owner), parent = symbols->parent;
    symbols->parent = owner;
    for (const struct fiacre_member *m = type->members; m; m = m->next) {
        uint32_t symbol = symbols_find_in(symbols, scope, m->name);
        /* `a, b : record ...` are two declarations with one type */
        if (symbol != SYMBOL_NONE && symbols->list.data[symbol].place.line == m->place.line
            && symbols->list.data[symbol].place.column == m->place.column)
            continue;
        symbol = symbols_declare(symbols, is_union ? t->constructors : t->fields,
                                 is_union ? SYMBOL_CONSTRUCTOR : SYMBOL_FIELD, m->name, m->place);
        if (symbol == SYMBOL_NONE) continue;
        map_add(&symbols->map, symbols->list.data[symbol].name, scope, symbol);
        describe_member(t, symbol, m);
        uint32_t of = walk_type(t, m->type, symbol);
        if (of != symbol) symbols->list.data[symbol].of = of;
    }
    symbols->parent = parent;
    return owner;
}

static void walk_channel(struct telling *t, const struct fiacre_channel *channel)
{
    if (!channel || channel->plain) return;
    const struct fiacre_type *type = channel->types;
    if (type->kind == FIACRE_TYPE_NAME && !type->next
        && symbols_use_in(t->symbols, t->channels, type->name, type->place) != SYMBOL_NONE)
        return;
    for (; type; type = type->next) walk_type(t, type, SYMBOL_NONE);
}

/* ---- expressions ---- */

/* The constructor of this name; the members of its argument are its own. */
static uint32_t use_constructor(struct telling *t, const struct fiacre_exp *exp, uint32_t expected)
{
    uint32_t found = symbols_find_in(t->symbols, symbols_members(t->symbols, expected), exp->name);
    if (found == SYMBOL_NONE || t->symbols->list.data[found].kind != SYMBOL_CONSTRUCTOR)
        found = symbols_find_in(t->symbols, t->constructors, exp->name);
    return symbols_use(t->symbols, found, exp->place);
}

static uint32_t walk_name(struct telling *t, const struct fiacre_exp *exp, uint32_t expected)
{
    uint32_t found = symbols_find(t->symbols, exp->name);
    if (found == SYMBOL_NONE) found = symbols_find_in(t->symbols, t->constants, exp->name);
    if (found == SYMBOL_NONE && t->in_property)
        found = symbols_find_in(t->symbols, t->properties, exp->name);
    if (found != SYMBOL_NONE) return symbols_use(t->symbols, found, exp->place);
    found = use_constructor(t, exp, expected);
    if (found != SYMBOL_NONE) return t->symbols->list.data[found].parent;
    return symbols_use_in(t->symbols, t->units, exp->name, exp->place);
}

static uint32_t walk_call(struct telling *t, const struct fiacre_exp *exp, uint32_t expected)
{
    struct symbols *symbols = t->symbols;
    uint32_t found = symbols_use_in(symbols, t->functions, exp->name, exp->place), child;
    if (found == SYMBOL_NONE) {
        found = use_constructor(t, exp, expected);
        walk_list(t, exp->args, found);
        return found == SYMBOL_NONE ? found : symbols->list.data[found].parent;
    }
    child = found + 1; /* parameters follow their function */
    for (const struct fiacre_exp *arg = exp->args; arg; arg = arg->next) {
        while (child < symbols->list.len && symbols->list.data[child].parent != found) child++;
        walk(t, arg, child < symbols->list.len ? child++ : (uint32_t)SYMBOL_NONE);
    }
    return found;
}

/* The record that has all of these fields: the expected one, or the first. */
static void walk_record(struct telling *t, const struct fiacre_exp *exp, uint32_t expected)
{
    struct symbols *symbols = t->symbols;
    uint32_t scope = symbols_members(symbols, expected);
    if (symbols_find_in(symbols, scope, exp->args->name) == SYMBOL_NONE) scope = SYMBOL_NONE;
    for (uint32_t i = 0; scope == SYMBOL_NONE && i < symbols->list.len; i++) {
        bool has_all = symbols->list.data[i].scope != SYMBOL_NONE;
        for (const struct fiacre_exp *arg = exp->args; arg && has_all; arg = arg->next) {
            uint32_t found = symbols_find_in(symbols, symbols->list.data[i].scope, arg->name);
            has_all = found != SYMBOL_NONE && symbols->list.data[found].kind == SYMBOL_FIELD;
        }
        if (has_all) scope = symbols->list.data[i].scope;
    }
    for (const struct fiacre_exp *arg = exp->args; arg; arg = arg->next)
        walk(t, arg->a, symbols_use_in(symbols, scope, arg->name, arg->place));
}

/* The process or component that `P` or `P[1]` means in a property; SYMBOL_NONE: none. */
static uint32_t unit_of(struct telling *t, const struct fiacre_exp *exp)
{
    const struct fiacre_exp *name = exp->kind == FIACRE_EXP_INDEX ? exp->a : exp;
    if (!t->in_property || name->kind != FIACRE_EXP_NAME
        || symbols_find(t->symbols, name->name) != SYMBOL_NONE)
        return SYMBOL_NONE;
    return symbols_find_in(t->symbols, t->units, name->name);
}

static uint32_t use_unit(struct telling *t, const struct fiacre_exp *exp)
{
    if (exp->kind == FIACRE_EXP_INDEX) walk(t, exp->b, SYMBOL_NONE);
    return symbols_use(t->symbols, unit_of(t, exp), exp->place);
}

/* States are in the scope of a unit under a name that no variable can have. */
static const char *state_key(struct telling *t, const char *state)
{
    return names_format(&t->symbols->names, "@%s", state);
}

static void use_state(struct telling *t, uint32_t unit, const char *state, struct place place)
{
    if (unit == SYMBOL_NONE) return;
    symbols_use_in(t->symbols, t->symbols->list.data[unit].scope, state_key(t, state), place);
}

static uint32_t walk_field(struct telling *t, const struct fiacre_exp *exp)
{
    struct symbols *symbols = t->symbols;
    if (unit_of(t, exp->a) != SYMBOL_NONE) {
        uint32_t unit = use_unit(t, exp->a);
        return symbols_use_in(symbols, symbols->list.data[unit].scope, exp->name, exp->op_place);
    }
    uint32_t owner = walk(t, exp->a, SYMBOL_NONE), scope = symbols_members(symbols, owner);
    return symbols_use_in(symbols, scope == SYMBOL_NONE ? t->fields : scope, exp->name,
                          exp->op_place);
}

/* `P.state = s`, in a property. */
static bool walk_state_test(struct telling *t, const struct fiacre_exp *exp)
{
    const struct fiacre_exp *a = exp->a;
    if (!exp->b || a->kind != FIACRE_EXP_FIELD || strcmp(a->name, "state")) return false;
    uint32_t unit = unit_of(t, a->a);
    if (unit == SYMBOL_NONE || exp->b->kind != FIACRE_EXP_NAME
        || symbols_find_in(t->symbols, t->symbols->list.data[unit].scope, a->name) != SYMBOL_NONE)
        return false;
    use_state(t, use_unit(t, a->a), exp->b->name, exp->b->place);
    return true;
}

/* `Main/1/2/state s`: follows the blocks of compositions, counted from 1. */
static void walk_observation(struct telling *t, const struct fiacre_exp *exp)
{
    const struct fiacre_block *block = NULL;
    const char *name = exp->name;
    uint32_t unit = symbols_use_in(t->symbols, t->units, name, exp->place);
    for (const struct fiacre_exp *number = exp->args; number; number = number->next) {
        if (!block || block->kind == FIACRE_BLOCK_INSTANCE) {
            const struct fiacre_decl *d = t->file->decls;
            while (d && (d->kind != FIACRE_DECL_COMPONENT || d->name != name)) d = d->next;
            if (!d) return;
            block = d->component->composition;
        }
        uint64_t n = number->number;
        for (block = block->blocks; block && n > 1; n--) block = block->next;
        if (!block || !n) return;
        name = block->kind == FIACRE_BLOCK_INSTANCE ? block->name : NULL;
        unit = name ? symbols_find_in(t->symbols, t->units, name) : (uint32_t)SYMBOL_NONE;
    }
    if (unit == SYMBOL_NONE) return;
    if (exp->op == FIACRE_ITEM_STATE) use_state(t, unit, exp->item_name, exp->item_place);
    if (exp->op != FIACRE_ITEM_VALUE || t->symbols->list.data[unit].scope == SYMBOL_NONE) return;
    symbols_enter(t->symbols, t->symbols->list.data[unit].scope);
    walk(t, exp->a, SYMBOL_NONE);
    symbols_leave(t->symbols);
}

static uint32_t walk(struct telling *t, const struct fiacre_exp *exp, uint32_t expected)
{
    uint32_t found = SYMBOL_NONE;
    if (!exp) return SYMBOL_NONE;
    switch ((enum fiacre_exp_kind)exp->kind) {
    case FIACRE_EXP_NAME: return walk_name(t, exp, expected);
    case FIACRE_EXP_CALL: return walk_call(t, exp, expected);
    case FIACRE_EXP_FIELD: return walk_field(t, exp);
    case FIACRE_EXP_INDEX:
        found = walk(t, exp->a, SYMBOL_NONE);
        walk(t, exp->b, SYMBOL_NONE);
        return found;
    case FIACRE_EXP_RECORD: walk_record(t, exp, expected); return expected;
    case FIACRE_EXP_ARRAY:
    case FIACRE_EXP_QUEUE: walk_list(t, exp->args, expected); return expected;
    case FIACRE_EXP_CONDITIONAL:
        walk(t, exp->a, SYMBOL_NONE);
        found = walk(t, exp->b, expected);
        walk(t, exp->c, expected);
        return found;
    case FIACRE_EXP_BINARY:
        if (walk_state_test(t, exp)) return SYMBOL_NONE;
        found = walk(t, exp->a, expected);
        walk(t, exp->b, found);
        return found;
    case FIACRE_EXP_AT:
        use_state(t, use_unit(t, exp->a), exp->name, exp->op_place);
        return SYMBOL_NONE;
    case FIACRE_EXP_OBSERVE: walk_observation(t, exp); return SYMBOL_NONE;
    case FIACRE_EXP_PATTERN:
        walk(t, exp->pattern->a, SYMBOL_NONE);
        walk(t, exp->pattern->b, SYMBOL_NONE);
        walk(t, exp->pattern->from, SYMBOL_NONE);
        walk(t, exp->pattern->to, SYMBOL_NONE);
        return SYMBOL_NONE;
    default: break;
    }
    found = walk(t, exp->a, expected);
    walk(t, exp->b, expected);
    return found;
}

/* ---- statements ---- */

static void walk_statements(struct telling *t, const struct fiacre_stmt *stmt, uint32_t result);

/* A tag names a step, wherever it stands: the first one is its declaration. */
static void tell_tag(struct telling *t, const struct fiacre_stmt *stmt)
{
    if (symbols_use_in(t->symbols, t->tags, stmt->name, stmt->op_place) != SYMBOL_NONE) return;
    uint32_t symbol =
        symbols_declare(t->symbols, t->tags, SYMBOL_LABEL, stmt->name, stmt->op_place);
    symbols_describe(t->symbols, symbol, "#%s", stmt->name);
}

static void walk_branches(struct telling *t, const struct fiacre_stmt *stmt, uint32_t result)
{
    bool is_case = stmt->kind == FIACRE_STMT_CASE;
    uint32_t about = walk(t, stmt->exp, SYMBOL_NONE);
    for (const struct fiacre_branch *b = stmt->branches; b; b = b->next) {
        walk(t, b->exp, is_case ? about : (uint32_t)SYMBOL_NONE);
        walk_statements(t, b->body, result);
    }
}

static void walk_statement(struct telling *t, const struct fiacre_stmt *stmt, uint32_t result)
{
    const struct fiacre_exp *value = stmt->exps;
    uint32_t target;
    switch ((enum fiacre_stmt_kind)stmt->kind) {
    case FIACRE_STMT_TO: use_state(t, t->unit, stmt->name, stmt->op_place); break;
    case FIACRE_STMT_TAG: tell_tag(t, stmt); break;
    case FIACRE_STMT_LABEL:
        symbols_declare_unwritten(t->symbols, SYMBOL_LABEL, stmt->name, stmt->place);
        break;
    case FIACRE_STMT_FOREACH: symbols_use_name(t->symbols, stmt->name, stmt->op_place); break;
    case FIACRE_STMT_SYNC:
    case FIACRE_STMT_SEND:
    case FIACRE_STMT_RECEIVE: symbols_use_name(t->symbols, stmt->name, stmt->place); break;
    case FIACRE_STMT_RETURN: walk(t, stmt->exp, result); return;
    case FIACRE_STMT_ASSIGN:
        for (const struct fiacre_exp *p = stmt->patterns; p; p = p->next) {
            target = walk(t, p, SYMBOL_NONE);
            walk(t, value, target);
            value = value ? value->next : NULL;
        }
        return;
    case FIACRE_STMT_IF:
    case FIACRE_STMT_SELECT:
    case FIACRE_STMT_CASE: walk_branches(t, stmt, result); return;
    default: break;
    }
    walk_list(t, stmt->patterns, SYMBOL_NONE);
    walk_list(t, stmt->exps, SYMBOL_NONE);
    walk(t, stmt->exp, SYMBOL_NONE);
    walk_statements(t, stmt->body, result);
}

static void walk_statements(struct telling *t, const struct fiacre_stmt *stmt, uint32_t result)
{
    for (; stmt; stmt = stmt->next) walk_statement(t, stmt, result);
}

/* ---- declarations ---- */

static void tell_variables(struct telling *t, uint32_t scope, enum symbol_kind kind,
                           const struct fiacre_variable *list)
{
    struct symbols *symbols = t->symbols;
    for (; list; list = list->next) {
        struct text text;
        uint32_t symbol = symbols_declare(symbols, scope, kind, list->name, list->place);
        uint32_t of = walk_type(t, list->type, symbol);
        text_init(&text, t->mem);
        text_add(&text, "%s%s : %s%s", list->by_reference ? "&" : "", list->name,
                 list->read ? "read " : "", list->write ? "write " : "");
        fiacre_print_type(&text, list->type);
        if (list->init) {
            text_add(&text, " := ");
            fiacre_print_exp(&text, list->init);
        }
        symbols_describe(symbols, symbol, "%s", text.data);
        text_free(&text);
        if (symbol != SYMBOL_NONE && of != symbol) symbols->list.data[symbol].of = of;
    }
}

/* What variables begin with is computed where all of them are known. */
static void walk_initial(struct telling *t, const struct fiacre_variable *list)
{
    const struct fiacre_exp *last = NULL;
    for (; list; list = list->next) {
        if (list->init && list->init != last)
            walk(t, list->init, symbols_find(t->symbols, list->name));
        last = list->init;
    }
}

static void tell_ports(struct telling *t, uint32_t scope, const struct fiacre_port *list)
{
    for (; list; list = list->next) {
        uint32_t symbol = symbols_declare(t->symbols, scope, SYMBOL_PORT, list->name, list->place);
        struct text text;
        text_init(&text, t->mem);
        text_add(&text, "%s : %s%s", list->name, list->in ? "in " : "", list->out ? "out " : "");
        if (list->channel->plain) text_add(&text, "sync");
        for (const struct fiacre_type *type = list->channel->types; type; type = type->next) {
            fiacre_print_type(&text, type);
            if (type->next) text_add(&text, " # ");
        }
        symbols_describe(t->symbols, symbol, "%s", text.data);
        text_free(&text);
        walk_channel(t, list->channel);
    }
}

static void use_names(struct telling *t, const struct fiacre_name *list)
{
    for (; list; list = list->next) symbols_use_name(t->symbols, list->name, list->place);
}

static void walk_block(struct telling *t, const struct fiacre_block *block)
{
    use_names(t, block->interface.names);
    use_names(t, block->portset.names);
    use_names(t, block->ports);
    if (block->kind == FIACRE_BLOCK_INSTANCE)
        symbols_use_in(t->symbols, t->units, block->name, block->name_place);
    walk_list(t, block->args, SYMBOL_NONE);
    for (const struct fiacre_block *b = block->blocks; b; b = b->next) walk_block(t, b);
}

static void tell_process(struct telling *t, const struct fiacre_process *process, uint32_t scope)
{
    tell_ports(t, scope, process->ports);
    tell_variables(t, scope, SYMBOL_PARAMETER, process->parameters);
    for (const struct fiacre_name *s = process->states; s; s = s->next) {
        uint32_t symbol =
            symbols_declare(t->symbols, scope, SYMBOL_LOCATION, state_key(t, s->name), s->place);
        if (symbol == SYMBOL_NONE) continue;
        t->symbols->list.data[symbol].name =
            names_intern(&t->symbols->names, s->name, strlen(s->name));
        symbols_describe(t->symbols, symbol, "state %s", s->name);
    }
    tell_variables(t, scope, SYMBOL_VARIABLE, process->variables);
    walk_initial(t, process->variables);
    walk_statements(t, process->init, SYMBOL_NONE);
    for (const struct fiacre_transition *tr = process->transitions; tr; tr = tr->next) {
        use_state(t, t->unit, tr->state, tr->state_place);
        walk_statements(t, tr->body, SYMBOL_NONE);
    }
}

static void tell_component(struct telling *t, const struct fiacre_component *component,
                           uint32_t scope)
{
    tell_ports(t, scope, component->ports);
    tell_variables(t, scope, SYMBOL_PARAMETER, component->parameters);
    tell_variables(t, scope, SYMBOL_VARIABLE, component->variables);
    tell_ports(t, scope, component->local_ports);
    walk_initial(t, component->variables);
    for (const struct fiacre_priority *p = component->priorities; p; p = p->next) {
        use_names(t, p->high);
        use_names(t, p->low);
    }
    walk_statements(t, component->init, SYMBOL_NONE);
    if (component->composition) walk_block(t, component->composition);
}

static void tell_function(struct telling *t, const struct fiacre_function *function,
                          uint32_t symbol, uint32_t scope)
{
    tell_variables(t, scope, SYMBOL_PARAMETER, function->parameters);
    tell_variables(t, scope, SYMBOL_VARIABLE, function->variables);
    uint32_t of = walk_type(t, function->result, SYMBOL_NONE);
    if (symbol != SYMBOL_NONE) t->symbols->list.data[symbol].of = of;
    for (const struct fiacre_type *type = function->arguments; type; type = type->next)
        walk_type(t, type, SYMBOL_NONE);
    walk_initial(t, function->variables);
    walk_statements(t, function->body, symbol);
}

static void describe_declaration(struct telling *t, const struct fiacre_decl *d, uint32_t symbol)
{
    struct text text;
    text_init(&text, t->mem);
    if (d->kind == FIACRE_DECL_PROPERTY)
        text_add(&text, "property %s is %s", d->name, d->property->text);
    else if (d->kind == FIACRE_DECL_TYPE) {
        text_add(&text, "type %s is ", d->name);
        fiacre_print_type(&text, d->type);
    } else if (d->kind == FIACRE_DECL_CONST) {
        text_add(&text, "const %s : ", d->name);
        fiacre_print_type(&text, d->type);
        text_add(&text, " is ");
        fiacre_print_exp(&text, d->exp);
    } else if (d->kind == FIACRE_DECL_FUNCTION) {
        text_add(&text, "function %s(", d->name);
        for (const struct fiacre_variable *v = d->function->parameters; v; v = v->next) {
            text_add(&text, "%s : ", v->name);
            fiacre_print_type(&text, v->type);
            if (v->next) text_add(&text, ", ");
        }
        text_add(&text, ") : ");
        fiacre_print_type(&text, d->function->result);
    }
    symbols_describe(t->symbols, symbol, "%s", text.data ? text.data : d->name);
    text_free(&text);
}

/* The names of the file come first: they may be used before they are declared. */
static uint32_t declare(struct telling *t, const struct fiacre_decl *d)
{
    struct symbols *symbols = t->symbols;
    uint32_t scope;
    enum symbol_kind kind;
    switch ((enum fiacre_decl_kind)d->kind) {
    case FIACRE_DECL_TYPE: scope = t->types, kind = SYMBOL_TYPE; break;
    case FIACRE_DECL_CHANNEL: scope = t->channels, kind = SYMBOL_CHANNEL; break;
    case FIACRE_DECL_CONST: scope = t->constants, kind = SYMBOL_CONSTANT; break;
    case FIACRE_DECL_FUNCTION:
    case FIACRE_DECL_EXTERN: scope = t->functions, kind = SYMBOL_FUNCTION; break;
    case FIACRE_DECL_PROCESS: scope = t->units, kind = SYMBOL_PROCESS; break;
    case FIACRE_DECL_COMPONENT: scope = t->units, kind = SYMBOL_COMPONENT; break;
    case FIACRE_DECL_PROPERTY: scope = t->properties, kind = SYMBOL_PROPERTY; break;
    default: return SYMBOL_NONE;
    }
    uint32_t symbol = symbols_declare(symbols, scope, kind, d->name, d->name_place);
    symbols_extend(symbols, symbol, d->place, d->end);
    describe_declaration(t, d, symbol);
    if (symbol != SYMBOL_NONE && kind == SYMBOL_PROPERTY)
        symbols->list.data[symbol].asked = symbols->list.data[symbol].name;
    return symbol;
}

static void tell_type(struct telling *t, const struct fiacre_decl *d, uint32_t symbol)
{
    uint32_t of = walk_type(t, d->type, symbol);
    if (symbol != SYMBOL_NONE && of != symbol) t->symbols->list.data[symbol].of = of;
}

static void tell_inside(struct telling *t, const struct fiacre_decl *d, uint32_t symbol)
{
    struct symbols *symbols = t->symbols;
    bool has_scope = d->process || d->component || d->function;
    uint32_t scope = has_scope ? symbols_open(symbols, symbol) : (uint32_t)SYMBOL_NONE;
    symbols->parent = has_scope ? symbol : (uint32_t)SYMBOL_NONE;
    t->unit = symbol;
    if (has_scope) symbols_enter(symbols, scope);
    if (d->process) tell_process(t, d->process, scope);
    if (d->component) tell_component(t, d->component, scope);
    if (d->function) tell_function(t, d->function, symbol, scope);
    if (has_scope) symbols_leave(symbols);
    symbols->parent = SYMBOL_NONE;
    if (d->kind == FIACRE_DECL_CHANNEL) walk_channel(t, d->channel);
    if (d->kind == FIACRE_DECL_CONST) {
        tell_type(t, d, symbol);
        walk(t, d->exp, symbol);
    }
    if (d->kind == FIACRE_DECL_ASSERT)
        symbols_use_in(symbols, t->properties, d->name, d->name_place);
    if (d->kind == FIACRE_DECL_ROOT || d->kind == FIACRE_DECL_OBSERVER)
        symbols_use_in(symbols, t->units, d->name, d->name_place);
    if (d->kind == FIACRE_DECL_OBSERVER)
        symbols_use_in(symbols, t->units, d->other, d->other_place);
}

/* Properties speak of the main component's names, and of units. */
static void tell_properties(struct telling *t)
{
    uint32_t root = t->file->root ? symbols_find_in(t->symbols, t->units, t->file->root->name)
                                  : (uint32_t)SYMBOL_NONE;
    uint32_t scope = symbols_members(t->symbols, root);
    t->in_property = true;
    if (scope != SYMBOL_NONE) symbols_enter(t->symbols, scope);
    for (const struct fiacre_decl *d = t->file->decls; d; d = d->next)
        if (d->kind == FIACRE_DECL_PROPERTY) walk(t, d->property->root, SYMBOL_NONE);
    if (scope != SYMBOL_NONE) symbols_leave(t->symbols);
}

void fiacre_tell_names(const struct fiacre_file *file, const struct diag *diag,
                       struct symbols *symbols)
{
    struct telling t = {.symbols = symbols, .file = file, .mem = symbols->mem, .unit = SYMBOL_NONE};
    uint32_t count = 0, i = 0;
    uint32_t *const scopes[] = {&t.types,        &t.channels,  &t.constants,
                                &t.constructors, &t.functions, &t.units,
                                &t.properties,   &t.fields,    &t.tags};
    for (size_t s = 0; s < sizeof scopes / sizeof *scopes; s++)
        *scopes[s] = symbols_new_scope(symbols);
    for (const struct fiacre_decl *d = file->decls; d; d = d->next) count++;
    uint32_t *of = mem_alloc(symbols->mem, (count + 1) * sizeof *of);
    for (const struct fiacre_decl *d = file->decls; d; d = d->next) of[i++] = declare(&t, d);
    assert(i == count);
    i = 0;
    for (const struct fiacre_decl *d = file->decls; d; d = d->next, i++)
        if (d->kind == FIACRE_DECL_TYPE) tell_type(&t, d, of[i]);
    i = 0;
    for (const struct fiacre_decl *d = file->decls; d; d = d->next) tell_inside(&t, d, of[i++]);
    tell_properties(&t);
    mem_free(symbols->mem, of);
    symbols_add_macros(symbols, diag);
    symbols->told++;
}
