/* The names of a file. Every kind of names has a scope, as in scope.c; a process type has three
 * more, for its variables, actions and locations. The first of them is the one that members of a
 * process are found in (p[0].x). */
#include "lang/milestones/ast.h"

#include <stdlib.h>
#include <string.h>

enum { VARIABLES, ACTIONS, LOCATIONS, SCOPES };

struct telling {
    struct symbols *symbols;
    const struct ast_file *file;
    uint32_t variables, constants, actions, processes, types;
    uint32_t (*of_type)[SCOPES];
    uint32_t type; /* whose text it is, or SYMBOL_NONE */
};

/* ---- uses ---- */

/* The type of the process that a member belongs to; SYMBOL_NONE: not known. */
static uint32_t type_of_member(const struct telling *t, const struct ast *node)
{
    uint32_t process = symbols_find_in(t->symbols, t->processes, node->name);
    if (process == SYMBOL_NONE) return SYMBOL_NONE;
    uint32_t type = t->symbols->list.data[process].of;
    for (uint32_t i = 0; type != SYMBOL_NONE && i < t->file->types.len; i++)
        if (t->symbols->list.data[type].scope == t->of_type[i][VARIABLES]) return i;
    return SYMBOL_NONE;
}

static uint32_t find_location(const struct telling *t, uint32_t type, const char *name)
{
    return symbols_find_in(t->symbols, t->of_type[type][LOCATIONS], name);
}

static void use_name(struct telling *t, const struct ast *node, const struct ast *beside)
{
    uint32_t found = SYMBOL_NONE;
    if (t->type != SYMBOL_NONE)
        found = symbols_find_in(t->symbols, t->of_type[t->type][VARIABLES], node->name);
    if (found == SYMBOL_NONE) found = symbols_find_in(t->symbols, t->variables, node->name);
    if (found == SYMBOL_NONE) found = symbols_find_in(t->symbols, t->constants, node->name);
    if (found == SYMBOL_NONE && beside && beside->kind == AST_MEMBER
        && !strcmp(beside->member, "pc")) {
        uint32_t type = type_of_member(t, beside);
        if (type != SYMBOL_NONE) found = find_location(t, type, node->name);
    }
    if (found == SYMBOL_NONE && t->type != SYMBOL_NONE)
        found = find_location(t, t->type, node->name);
    for (uint32_t i = 0; found == SYMBOL_NONE && i < t->file->types.len; i++)
        found = find_location(t, i, node->name);
    symbols_use(t->symbols, found, node->place);
}

static void walk(struct telling *t, const struct ast *node, const struct ast *beside)
{
    if (!node) return;
    if (node->kind == AST_NAME) use_name(t, node, beside);
    if (node->kind == AST_MEMBER) {
        uint32_t process = symbols_use_in(t->symbols, t->processes, node->name, node->place);
        symbols_use_in(t->symbols, symbols_members(t->symbols, process), node->member,
                       node->member_place);
    }
    bool compares = node->kind == AST_EXPR && expr_table[node->op].gives_bool
                    && !expr_table[node->op].takes_bool;
    walk(t, node->a, compares ? node->b : NULL);
    walk(t, node->b, compares ? node->a : NULL);
}

static void walk_command(struct telling *t, const struct ast_command *command)
{
    uint32_t action = SYMBOL_NONE;
    if (t->type != SYMBOL_NONE)
        action = symbols_find_in(t->symbols, t->of_type[t->type][ACTIONS], command->action);
    if (action == SYMBOL_NONE) action = symbols_find_in(t->symbols, t->actions, command->action);
    symbols_use(t->symbols, action, command->action_place);
    walk(t, command->location, NULL);
    walk(t, command->guard, NULL);
    for (uint32_t i = 0; i < command->stores.len; i++) {
        walk(t, command->stores.data[i].target, NULL);
        walk(t, command->stores.data[i].value, NULL);
    }
}

/* ---- declarations ---- */

static void tell_name(struct telling *t, uint32_t scope, enum symbol_kind kind,
                      const struct ast_name *item)
{
    uint32_t symbol = symbols_declare(t->symbols, scope, kind, item->name, item->place);
    symbols_describe(t->symbols, symbol, "%s", item->text);
}

static void tell_variable(struct telling *t, uint32_t scope, const struct ast_variable *item)
{
    uint32_t symbol = symbols_declare(t->symbols, scope, SYMBOL_VARIABLE, item->name, item->place);
    symbols_describe(t->symbols, symbol, "%s%s", item->is_hidden ? "hidden " : "", item->text);
}

static void tell_type(struct telling *t, uint32_t index)
{
    const struct ast_type *type = &t->file->types.data[index];
    uint32_t *scopes = t->of_type[index];
    uint32_t symbol =
        symbols_declare(t->symbols, t->types, SYMBOL_PROCESS, type->name, type->place);
    symbols_extend(t->symbols, symbol, type->start, type->end);
    symbols_describe(t->symbols, symbol, "LOCAL %s", type->name);
    scopes[VARIABLES] = symbols_open(t->symbols, symbol);
    scopes[ACTIONS] = symbols_new_scope(t->symbols);
    scopes[LOCATIONS] = symbols_new_scope(t->symbols);
    t->symbols->parent = symbol;
    for (uint32_t i = 0; i < type->locations.len; i++)
        tell_name(t, scopes[LOCATIONS], SYMBOL_LOCATION, &type->locations.data[i]);
    for (uint32_t i = 0; i < type->actions.len; i++)
        tell_name(t, scopes[ACTIONS], SYMBOL_ACTION, &type->actions.data[i]);
    for (uint32_t i = 0; i < type->variables.len; i++)
        tell_variable(t, scopes[VARIABLES], &type->variables.data[i]);
    t->symbols->parent = SYMBOL_NONE;
}

static void tell_instance(struct telling *t, const struct ast_instance *item)
{
    uint32_t symbol =
        symbols_declare(t->symbols, t->processes, SYMBOL_INSTANCE, item->name, item->place);
    uint32_t type = symbols_use_in(t->symbols, t->types, item->type, item->type_place);
    symbols_describe(t->symbols, symbol, "%s", item->text);
    if (symbol != SYMBOL_NONE) t->symbols->list.data[symbol].of = type;
}

static void tell_property(struct telling *t, uint32_t scope, const struct ast_property *item,
                          uint32_t number)
{
    static const char *const words[] = {
        [PROPERTY_CTL] = "CTL", [PROPERTY_LTL] = "LTL", [PROPERTY_INVARIANT] = "invariant"};
    struct symbols *symbols = t->symbols;
    const char *name =
        item->name ? item->name
                   : names_format(&symbols->names, "%s[%u]", property_stem[item->kind], number);
    uint32_t symbol = item->name
                          ? symbols_declare(symbols, scope, SYMBOL_PROPERTY, name, item->name_place)
                          : symbols_declare_unwritten(symbols, SYMBOL_PROPERTY, name, item->place);
    symbols_describe(symbols, symbol, "%s %s : %s", words[item->kind], name, item->text);
    if (symbol == SYMBOL_NONE) return;
    symbols_extend(symbols, symbol, symbols->list.data[symbol].place, item->end);
    symbols->list.data[symbol].asked = symbols->list.data[symbol].name;
}

static void tell_uses(struct telling *t)
{
    const struct ast_file *file = t->file;
    for (uint32_t i = 0; i < file->constants.len; i++) walk(t, file->constants.data[i].value, NULL);
    for (uint32_t i = 0; i < file->variables.len; i++) {
        walk(t, file->variables.data[i].width, NULL);
        walk(t, file->variables.data[i].init, NULL);
    }
    for (uint32_t i = 0; i < file->types.len; i++) {
        const struct ast_type *type = &file->types.data[i];
        t->type = i;
        for (uint32_t k = 0; k < type->locations.len; k++)
            walk(t, type->locations.data[k].value, NULL);
        for (uint32_t k = 0; k < type->variables.len; k++) {
            walk(t, type->variables.data[k].width, NULL);
            walk(t, type->variables.data[k].init, NULL);
        }
        for (uint32_t k = 0; k < type->commands.len; k++) walk_command(t, &type->commands.data[k]);
        for (uint32_t k = 0; k < type->sync.len; k++)
            symbols_use_in(t->symbols, t->actions, type->sync.data[k].name,
                           type->sync.data[k].place);
    }
    t->type = SYMBOL_NONE;
    for (uint32_t i = 0; i < file->instances.len; i++) walk(t, file->instances.data[i].count, NULL);
    for (uint32_t i = 0; i < file->commands.len; i++) walk_command(t, &file->commands.data[i]);
    for (uint32_t i = 0; i < file->properties.len; i++)
        walk(t, file->properties.data[i].root, NULL);
}

void milestones_tell_names(const struct ast_file *file, struct symbols *symbols)
{
    struct telling t = {.symbols = symbols, .file = file, .type = SYMBOL_NONE};
    uint32_t counts[PROPERTY_REACH + 1] = {0};
    t.variables = symbols_new_scope(symbols);
    t.constants = symbols_new_scope(symbols);
    t.actions = symbols_new_scope(symbols);
    t.processes = symbols_new_scope(symbols);
    t.types = symbols_new_scope(symbols);
    t.of_type = mem_alloc(symbols->mem, (file->types.len + 1) * sizeof *t.of_type);
    for (uint32_t i = 0; i < file->constants.len; i++)
        tell_name(&t, t.constants, SYMBOL_CONSTANT, &file->constants.data[i]);
    for (uint32_t i = 0; i < file->actions.len; i++)
        tell_name(&t, t.actions, SYMBOL_ACTION, &file->actions.data[i]);
    for (uint32_t i = 0; i < file->variables.len; i++)
        tell_variable(&t, t.variables, &file->variables.data[i]);
    for (uint32_t i = 0; i < file->types.len; i++) tell_type(&t, i);
    for (uint32_t i = 0; i < file->instances.len; i++) tell_instance(&t, &file->instances.data[i]);
    uint32_t properties = symbols_new_scope(symbols);
    for (uint32_t i = 0; i < file->properties.len; i++) {
        const struct ast_property *item = &file->properties.data[i];
        tell_property(&t, properties, item, counts[item->kind]++);
    }
    tell_uses(&t);
    symbols->told++;
    mem_free(symbols->mem, t.of_type);
}
