#include "lang/milestones/scope.h"

#include "lang/milestones/each.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void scope_error(struct scope *scope, struct ast *node, enum diag_code code, const char *format,
                 ...)
{
    struct ast *written = node->origin ? node->origin : node;
    if (written->reported) return;
    written->reported = true;
    va_list args;
    va_start(args, format);
    diag_error_args(scope->diag, code, node->place, format, args);
    va_end(args);
}

unsigned scope_var_width(const struct scope *scope, uint32_t var)
{
    assert(var < scope->model->vars.len);
    return expr_width((uint64_t)scope->model->vars.data[var].high);
}

/* ---- constants ---- */

static bool constant_value(struct scope *scope, uint32_t index, struct ast *user, int64_t *value)
{
    struct scope_constant *constant = &scope->constants[index];
    if (constant->state == CONSTANT_BUSY) {
        scope_error(scope, user, DIAG_CIRCULAR, "the constant '%s' is defined by itself",
                    constant->item->name);
        constant->state = CONSTANT_BAD;
    }
    if (constant->state == CONSTANT_NEW) {
        constant->state = CONSTANT_BUSY;
        bool good = scope_constant(scope, constant->item->value, &constant->value);
        if (good && constant->value < 0) {
            diag_error(scope->diag, DIAG_RANGE, constant->item->place,
                       "the constant '%s' is negative: %" PRId64, constant->item->name,
                       constant->value);
            good = false;
        }
        constant->state = good && constant->state == CONSTANT_BUSY ? CONSTANT_DONE : CONSTANT_BAD;
    }
    *value = constant->value;
    return constant->state == CONSTANT_DONE;
}

static bool exact(enum expr_op op, int64_t a, int64_t b, int64_t *result)
{
    switch (op) {
    case EXPR_ADD: return !__builtin_add_overflow(a, b, result);
    case EXPR_SUB: return !__builtin_sub_overflow(a, b, result);
    case EXPR_MUL: return !__builtin_mul_overflow(a, b, result);
    case EXPR_DIV:
        if (b == -1) return !__builtin_sub_overflow(0, a, result);
        *result = a / b;
        return true;
    case EXPR_MOD: *result = b == -1 ? 0 : a % b; return true;
    default: return false;
    }
}

static bool evaluate(struct scope *scope, struct ast *node, int64_t *value);

/* Constants may be defined by constants: the depth over all of them is bounded. */
bool scope_constant(struct scope *scope, struct ast *node, int64_t *value)
{
    if (scope->depth >= MILESTONES_MAX_DEPTH) {
        scope_error(scope, node, DIAG_NESTING,
                    "this constant is nested too deeply, through the constants it uses");
        return *value = 0, false;
    }
    scope->depth++;
    bool good = evaluate(scope, node, value);
    scope->depth--;
    return good;
}

static bool evaluate(struct scope *scope, struct ast *node, int64_t *value)
{
    uint32_t var;
    int64_t a, b;
    *value = 0;
    node = each_expand(scope, node);
    if (!node) return false;
    switch (node->kind) {
    case AST_NUMBER: *value = (int64_t)node->number; return true;
    case AST_NAME:
    case AST_MEMBER:
        switch (scope_resolve(scope, node, NULL, &var, value)) {
        case MEANS_CONSTANT: return true;
        case MEANS_VARIABLE:
            scope_error(scope, node, DIAG_CONSTANT, "a constant is needed here, '%s' is a variable",
                        node->name);
            return false;
        case MEANS_NOTHING: return false;
        }
        return false;
    case AST_EXPR:
        if (expr_table[node->op].takes_bool || expr_table[node->op].gives_bool) break;
        if (!scope_constant(scope, node->a, &a) || !scope_constant(scope, node->b, &b))
            return false;
        if (!b && (node->op == EXPR_DIV || node->op == EXPR_MOD)) {
            scope_error(scope, node, DIAG_FAILURE, "division by zero");
            return false;
        }
        if (exact(node->op, a, b, value)) return true;
        scope_error(scope, node, DIAG_NUMBER, "this constant does not fit in 63 bits");
        return false;
    default: break;
    }
    scope_error(scope, node, DIAG_CONSTANT, "a constant number is needed here");
    return false;
}

/* ---- names ---- */

bool scope_location(struct scope *scope, uint32_t type, const char *name, int64_t *value)
{
    uint32_t index = map_get(&scope->names, name, type_scope(type, TYPE_LOCATION));
    if (index == MAP_NONE) return false;
    *value = scope->types[type].locations[index];
    return true;
}

/* Outside its type a location's name must mean the same everywhere. */
static bool any_location(struct scope *scope, struct ast *node, int64_t *value)
{
    bool found = false;
    for (uint32_t t = 0; t < scope->file.types.len; t++) {
        int64_t other;
        if (!scope_location(scope, t, node->name, &other)) continue;
        if (found && other != *value) {
            scope_error(scope, node, DIAG_CONFLICT,
                        "the location '%s' has different numbers in different process types: "
                        "compare it with a pc",
                        node->name);
            return false;
        }
        found = true;
        *value = other;
    }
    return found;
}

static void suggest(struct scope *scope, struct ast *node, const char *what, const char *name,
                    const uint32_t *scopes, unsigned count)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    for (uint32_t i = 0; i < scope->names.size && scope->diag->errors < DIAG_MAX_ERRORS; i++) {
        const struct map_entry *entry = &scope->names.entries[i];
        for (unsigned s = 0; entry->name && s < count; s++)
            if (entry->scope == scopes[s]) text_nearest(name, entry->name, &nearest, &distance);
    }
    for (uint32_t t = 0; !strcmp(what, "variable") && t < scope->file.types.len; t++) {
        const struct ast_type *type = &scope->file.types.data[t]; /* or a location is meant */
        for (uint32_t l = 0; l < type->locations.len; l++)
            text_nearest(name, type->locations.data[l].name, &nearest, &distance);
    }
    struct ast *written = node->origin ? node->origin : node;
    if (written->reported) return;
    written->reported = true;
    diag_error_near(scope->diag, DIAG_UNKNOWN,
                    name == node->member ? node->member_place : node->place, nearest,
                    "unknown %s '%.60s'", what, name);
}

static enum meaning resolve_name(struct scope *scope, struct ast *node, const struct ast *beside,
                                 uint32_t *var, int64_t *value)
{
    uint32_t index;
    if (scope->type != MODEL_NONE) {
        index = map_get(&scope->names, node->name, type_scope(scope->type, TYPE_VARIABLE));
        if (index != MAP_NONE) {
            if (scope->types[scope->type].bad || scope->process == MODEL_NONE) return MEANS_NOTHING;
            *var = scope->first_var[scope->process] + index;
            return MEANS_VARIABLE;
        }
    }
    index = map_get(&scope->names, node->name, SCOPE_VARIABLE);
    if (index != MAP_NONE) return *var = index, MEANS_VARIABLE;
    index = map_get(&scope->names, node->name, SCOPE_CONSTANT);
    if (index != MAP_NONE)
        return constant_value(scope, index, node, value) ? MEANS_CONSTANT : MEANS_NOTHING;
    if (beside && beside->kind == AST_MEMBER && !strcmp(beside->member, "pc")) {
        uint32_t process = map_get(&scope->names, beside->name, SCOPE_PROCESS);
        if (process != MAP_NONE
            && scope_location(scope, scope->processes[process].type, node->name, value))
            return MEANS_CONSTANT;
    }
    if (scope->type != MODEL_NONE && scope_location(scope, scope->type, node->name, value))
        return MEANS_CONSTANT;
    if (any_location(scope, node, value)) return MEANS_CONSTANT;
    if (scope->process != MODEL_NONE && !strcmp(node->name, "self"))
        return *value = scope->self, MEANS_CONSTANT;
    uint32_t scopes[] = {SCOPE_VARIABLE, SCOPE_CONSTANT, type_scope(scope->type, TYPE_VARIABLE),
                         type_scope(scope->type, TYPE_LOCATION)};
    if (map_get(&scope->names, node->name, SCOPE_PROCESS) != MAP_NONE)
        scope_error(scope, node, DIAG_TYPE, "'%s' is a process: write %s[0].x for its variable x",
                    node->name, node->name);
    else suggest(scope, node, "variable", node->name, scopes, scope->type == MODEL_NONE ? 2 : 4);
    return MEANS_NOTHING;
}

static enum meaning resolve_member(struct scope *scope, struct ast *node, uint32_t *var)
{
    uint32_t index = map_get(&scope->names, node->name, SCOPE_PROCESS);
    if (index == MAP_NONE) {
        uint32_t scopes[] = {SCOPE_PROCESS};
        suggest(scope, node, "process", node->name, scopes, 1);
        return MEANS_NOTHING;
    }
    const struct scope_process *process = &scope->processes[index];
    if (process->type == MODEL_NONE) return MEANS_NOTHING;
    uint32_t member =
        map_get(&scope->names, node->member, type_scope(process->type, TYPE_VARIABLE));
    if (member == MAP_NONE) {
        uint32_t scopes[] = {type_scope(process->type, TYPE_VARIABLE)};
        char what[120];
        snprintf(what, sizeof what,
                 "variable of process type %.40s:", scope->types[process->type].ast->name);
        suggest(scope, node, what, node->member, scopes, 1);
        return MEANS_NOTHING;
    }
    int64_t at = 0;
    if (!node->a && process->count != 1) {
        scope_error(scope, node, DIAG_UNKNOWN,
                    "there are %u processes '%s': say which, as in %s[0].%s", process->count,
                    node->name, node->name, node->member);
        return MEANS_NOTHING;
    }
    if (node->a && !scope_constant(scope, node->a, &at)) return MEANS_NOTHING;
    if (!process->count) {
        scope_error(scope, node, DIAG_UNKNOWN,
                    "there is no process %s[%" PRId64 "]: '%s' has no processes at all", node->name,
                    at, node->name);
        return MEANS_NOTHING;
    }
    if (at < 0 || at >= process->count) {
        if (scope->process == MODEL_NONE)
            scope_error(scope, node, DIAG_UNKNOWN,
                        "there is no process %s[%" PRId64 "]: the indices are 0 to %" PRId64,
                        node->name, at, (int64_t)process->count - 1);
        else
            scope_error(scope, node, DIAG_UNKNOWN,
                        "there is no process %s[%" PRId64
                        "] (in %s): the indices are 0 to %" PRId64,
                        node->name, at, scope->model->processes.data[scope->process].name,
                        (int64_t)process->count - 1);
        return MEANS_NOTHING;
    }
    if (scope->types[process->type].bad) return MEANS_NOTHING;
    *var = scope->first_var[process->first + (uint32_t)at] + member;
    return MEANS_VARIABLE;
}

enum meaning scope_resolve(struct scope *scope, struct ast *node, const struct ast *beside,
                           uint32_t *var, int64_t *value)
{
    enum meaning meaning = node->kind == AST_MEMBER ? resolve_member(scope, node, var)
                                                    : resolve_name(scope, node, beside, var, value);
    if (meaning != MEANS_VARIABLE || *var < scope->model->vars.len) return meaning;
    /* it is declared, and not there yet: only an initial value can say that */
    scope_error(scope, node, DIAG_CONSTANT, "an initial value is a constant, '%.60s' is a variable",
                node->kind == AST_MEMBER ? node->member : node->name);
    return MEANS_NOTHING;
}
