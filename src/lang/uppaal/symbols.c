/* The names of a model. There is one kind of names, in scopes that lie in each other: the file, a
 * template with its parameters, a function, a block, a quantifier. What is declared can be used
 * from there on, so one walk in the order of the text is enough. Locations are apart: only queries
 * speak of them in expressions, behind the name of a process, where they come before variables. */
#include "lang/uppaal/parse.h"

#include <string.h>

struct telling {
    struct symbols *symbols;
    struct mem *mem;
    uint32_t query; /* queries so far */
};

/* ---- expressions ---- */

static uint32_t walk(struct telling *t, const struct uppaal_exp *exp);
static uint32_t walk_type(struct telling *t, const struct uppaal_type *type, uint32_t owner);

static void walk_list(struct telling *t, const struct uppaal_exp *list)
{
    for (; list; list = list->next) walk(t, list);
}

static const char *location_key(struct telling *t, const char *name)
{
    return names_format(&t->symbols->names, "@%s", name);
}

static bool is_process(const struct telling *t, uint32_t symbol)
{
    uint32_t kind =
        symbol == SYMBOL_NONE ? (uint32_t)SYMBOL_KIND_COUNT : t->symbols->list.data[symbol].kind;
    return kind == SYMBOL_PROCESS || kind == SYMBOL_INSTANCE;
}

static uint32_t walk_field(struct telling *t, const struct uppaal_exp *exp)
{
    uint32_t owner = walk(t, exp->a), scope = symbols_members(t->symbols, owner), found;
    if (is_process(t, owner)) {
        found = symbols_use_in(t->symbols, scope, location_key(t, exp->name), exp->op_place);
        if (found != SYMBOL_NONE) return found;
    }
    return symbols_use_in(t->symbols, scope, exp->name, exp->op_place);
}

static void declare_bound(struct telling *t, const char *name, struct place place,
                          const struct uppaal_type *type)
{
    struct text text;
    text_init(&text, t->mem);
    uppaal_print_type(&text, type);
    uint32_t scope = t->symbols->entered.data[t->symbols->entered.len - 1];
    uint32_t symbol = symbols_declare(t->symbols, scope, SYMBOL_VARIABLE, name, place);
    symbols_describe(t->symbols, symbol, "%s : %s", name, text.data);
    text_free(&text);
}

/* The members of what an expression means are those of the symbol that is returned. */
static uint32_t walk(struct telling *t, const struct uppaal_exp *exp)
{
    uint32_t found;
    if (!exp) return SYMBOL_NONE;
    switch ((enum uppaal_exp_kind)exp->kind) {
    case UPPAAL_EXP_NAME: return symbols_use_name(t->symbols, exp->name, exp->place);
    case UPPAAL_EXP_FIELD: return walk_field(t, exp);
    case UPPAAL_EXP_CALL:
        found = walk(t, exp->a);
        walk_list(t, exp->args);
        return found;
    case UPPAAL_EXP_QUANTIFIED:
        walk_type(t, exp->type, SYMBOL_NONE);
        symbols_enter(t->symbols, symbols_new_scope(t->symbols));
        declare_bound(t, exp->name, exp->op_place, exp->type);
        walk(t, exp->a);
        symbols_leave(t->symbols);
        return SYMBOL_NONE;
    case UPPAAL_EXP_LIST: walk_list(t, exp->args); return SYMBOL_NONE;
    default: break;
    }
    found = walk(t, exp->a);
    walk(t, exp->b);
    walk(t, exp->c);
    return found;
}

/* Names of fields in initialisers belong to the type of what is initialised. */
static void walk_initial(struct telling *t, const struct uppaal_exp *exp, uint32_t scope)
{
    if (!exp) return;
    if (exp->kind != UPPAAL_EXP_LIST) {
        walk(t, exp);
        return;
    }
    for (const struct uppaal_exp *arg = exp->args; arg; arg = arg->next) {
        uint32_t field = SYMBOL_NONE;
        if (arg->kind == UPPAAL_EXP_SETTING)
            field = symbols_use_in(t->symbols, scope, arg->name, arg->place);
        walk_initial(t, arg->kind == UPPAAL_EXP_SETTING ? arg->a : arg,
                     field == SYMBOL_NONE ? scope : symbols_members(t->symbols, field));
    }
}

/* ---- types and variables ---- */

static void walk_arrays(struct telling *t, const struct uppaal_array *array)
{
    for (; array; array = array->next) {
        walk(t, array->size);
        if (array->index) walk_type(t, array->index, SYMBOL_NONE);
    }
}

static uint32_t innermost(const struct telling *t)
{
    return t->symbols->entered.data[t->symbols->entered.len - 1];
}

static uint32_t tell_variable(struct telling *t, uint32_t scope, enum symbol_kind kind,
                              const struct uppaal_variable *variable);

/* Declares the members of a struct as those of `owner`. Returns the symbol that has the members. */
static uint32_t walk_type(struct telling *t, const struct uppaal_type *type, uint32_t owner)
{
    if (!type) return SYMBOL_NONE;
    walk(t, type->low);
    walk(t, type->high);
    if (type->kind == UPPAAL_TYPE_NAME)
        return symbols_use_name(t->symbols, type->name, type->name_place);
    if (type->kind != UPPAAL_TYPE_STRUCT) return SYMBOL_NONE;
    uint32_t scope = symbols_open(t->symbols, owner), parent = t->symbols->parent;
    t->symbols->parent = owner;
    for (const struct uppaal_variable *m = type->members; m; m = m->next)
        tell_variable(t, scope, SYMBOL_FIELD, m);
    t->symbols->parent = parent;
    return owner;
}

static enum symbol_kind kind_of(struct telling *t, const struct uppaal_type *type)
{
    uint32_t named = type->kind == UPPAAL_TYPE_NAME ? symbols_find(t->symbols, type->name)
                                                    : (uint32_t)SYMBOL_NONE;
    const char *detail = named == SYMBOL_NONE ? "" : t->symbols->list.data[named].detail;
    if (type->kind == UPPAAL_TYPE_CLOCK || !strncmp(detail, "typedef clock", 13))
        return SYMBOL_CLOCK;
    if (type->kind == UPPAAL_TYPE_CHAN || strstr(detail, "chan ")) return SYMBOL_CHANNEL;
    return type->prefixes & UPPAAL_CONST ? SYMBOL_CONSTANT : SYMBOL_VARIABLE;
}

static void print_arrays(struct text *text, const struct uppaal_array *array)
{
    for (; array; array = array->next) {
        text_add(text, "[");
        if (array->size) uppaal_print_exp(text, array->size);
        else uppaal_print_type(text, array->index);
        text_add(text, "]");
    }
}

static void describe(struct telling *t, uint32_t symbol, const char *word,
                     const struct uppaal_variable *variable)
{
    struct text text;
    text_init(&text, t->mem);
    text_add(&text, "%s", word);
    uppaal_print_type(&text, variable->type);
    text_add(&text, " %s%s", variable->by_reference ? "&" : "", variable->name);
    print_arrays(&text, variable->arrays);
    if (variable->init && variable->init->kind != UPPAAL_EXP_LIST) {
        text_add(&text, " = ");
        uppaal_print_exp(&text, variable->init);
    }
    symbols_describe(t->symbols, symbol, "%s", text.data);
    text_free(&text);
}

static uint32_t tell_variable(struct telling *t, uint32_t scope, enum symbol_kind kind,
                              const struct uppaal_variable *variable)
{
    struct symbols *symbols = t->symbols;
    /* `struct {...} a, b;` shares its type: the members are those of the first */
    uint32_t next = symbols->list.len;
    const struct uppaal_type *type = variable->type;
    uint32_t shared = SYMBOL_NONE;
    if (type->kind == UPPAAL_TYPE_STRUCT && next) {
        for (uint32_t i = next; i-- > 0 && shared == SYMBOL_NONE;) {
            const struct symbol *one = &symbols->list.data[i];
            if (one->place.line == type->members->place.line
                && one->place.column == type->members->place.column)
                shared = one->parent;
        }
    }
    uint32_t of;
    walk_arrays(t, variable->arrays);
    if (shared == SYMBOL_NONE && type->kind != UPPAAL_TYPE_STRUCT)
        of = walk_type(t, type, SYMBOL_NONE);
    else of = shared;
    uint32_t symbol = symbols_declare(symbols, scope, kind, variable->name, variable->place);
    if (shared == SYMBOL_NONE && type->kind == UPPAAL_TYPE_STRUCT) of = walk_type(t, type, symbol);
    describe(t, symbol, "", variable);
    if (symbol != SYMBOL_NONE && of != symbol) symbols->list.data[symbol].of = of;
    walk_initial(t, variable->init, symbols_members(symbols, symbol));
    return symbol;
}

static void tell_parameters(struct telling *t, const struct uppaal_variable *list)
{
    for (; list; list = list->next) tell_variable(t, innermost(t), SYMBOL_PARAMETER, list);
}

/* ---- statements and functions ---- */

static void tell_declarations(struct telling *t, const struct uppaal_decl *list);

static void walk_statement(struct telling *t, const struct uppaal_stmt *stmt)
{
    bool has_scope = stmt->kind == UPPAAL_STMT_BLOCK || stmt->kind == UPPAAL_STMT_EACH;
    if (stmt->kind == UPPAAL_STMT_EACH) walk_type(t, stmt->type, SYMBOL_NONE);
    if (has_scope) symbols_enter(t->symbols, symbols_new_scope(t->symbols));
    if (stmt->kind == UPPAAL_STMT_EACH) declare_bound(t, stmt->name, stmt->name_place, stmt->type);
    tell_declarations(t, stmt->decls);
    walk_list(t, stmt->first);
    walk_list(t, stmt->exp);
    walk_list(t, stmt->step);
    for (const struct uppaal_stmt *s = stmt->body; s; s = s->next) walk_statement(t, s);
    if (stmt->other) walk_statement(t, stmt->other);
    if (has_scope) symbols_leave(t->symbols);
}

static void tell_function(struct telling *t, const struct uppaal_decl *d)
{
    struct symbols *symbols = t->symbols;
    struct text text;
    uint32_t of = walk_type(t, d->function->result, SYMBOL_NONE);
    uint32_t symbol = symbols_declare(symbols, innermost(t), SYMBOL_FUNCTION, d->name, d->place);
    uint32_t parent = symbols->parent;
    text_init(&text, t->mem);
    uppaal_print_type(&text, d->function->result);
    text_add(&text, " %s(", d->name);
    for (const struct uppaal_variable *v = d->function->parameters; v; v = v->next) {
        uppaal_print_type(&text, v->type);
        text_add(&text, " %s%s", v->by_reference ? "&" : "", v->name);
        print_arrays(&text, v->arrays);
        if (v->next) text_add(&text, ", ");
    }
    symbols_describe(symbols, symbol, "%s)", text.data);
    text_free(&text);
    if (symbol != SYMBOL_NONE) symbols->list.data[symbol].of = of;
    symbols_extend(symbols, symbol, d->place, d->end);
    symbols->parent = symbol;
    symbols_enter(symbols, symbols_new_scope(symbols));
    tell_parameters(t, d->function->parameters);
    if (d->function->body) walk_statement(t, d->function->body);
    symbols_leave(symbols);
    symbols->parent = parent;
}

/* ---- templates ---- */

static void tell_edge(struct telling *t, const struct uppaal_edge *edge)
{
    symbols_enter(t->symbols, symbols_new_scope(t->symbols));
    for (const struct uppaal_select *s = edge->selects; s; s = s->next) {
        walk_type(t, s->type, SYMBOL_NONE);
        declare_bound(t, s->name, s->place, s->type);
    }
    walk(t, edge->guard);
    walk(t, edge->channel);
    walk_list(t, edge->updates);
    walk(t, edge->weight);
    symbols_leave(t->symbols);
}

static void tell_location(struct telling *t, uint32_t scope, const struct uppaal_location *l)
{
    if (!l->name) return;
    uint32_t symbol =
        symbols_declare(t->symbols, scope, SYMBOL_LOCATION, location_key(t, l->name), l->place);
    if (symbol == SYMBOL_NONE) return;
    struct text text;
    text_init(&text, t->mem);
    text_add(&text, "%s%slocation %s", l->urgent ? "urgent " : "", l->committed ? "committed " : "",
             l->name);
    if (l->invariant) {
        text_add(&text, " { ");
        uppaal_print_exp(&text, l->invariant);
        text_add(&text, " }");
    }
    symbols_describe(t->symbols, symbol, "%s", text.data);
    text_free(&text);
    t->symbols->list.data[symbol].name = names_intern(&t->symbols->names, l->name, strlen(l->name));
}

static void tell_template(struct telling *t, const struct uppaal_decl *d)
{
    struct symbols *symbols = t->symbols;
    const struct uppaal_template *template = d->template;
    uint32_t symbol = symbols_declare(symbols, innermost(t), SYMBOL_PROCESS, d->name, d->place);
    uint32_t scope = symbols_open(symbols, symbol), parent = symbols->parent;
    symbols_describe(symbols, symbol, "process %s", d->name);
    if (d->end.line) symbols_extend(symbols, symbol, d->place, d->end);
    symbols->parent = symbol;
    symbols_enter(symbols, scope);
    tell_parameters(t, template->parameters);
    tell_declarations(t, template->decls);
    for (const struct uppaal_location *l = template->locations; l; l = l->next)
        tell_location(t, scope, l);
    for (const struct uppaal_location *l = template->locations; l; l = l->next)
        walk(t, l->invariant);
    for (const struct uppaal_mention *m = template->mentions; m; m = m->next)
        symbols_use_in(symbols, scope, location_key(t, m->location->name), m->place);
    for (const struct uppaal_edge *edge = template->edges; edge; edge = edge->next)
        tell_edge(t, edge);
    symbols_leave(symbols);
    symbols->parent = parent;
}

static void tell_instance(struct telling *t, const struct uppaal_decl *d)
{
    struct symbols *symbols = t->symbols;
    const struct uppaal_instance *instance = d->instance;
    uint32_t symbol = symbols_declare(symbols, innermost(t), SYMBOL_INSTANCE, d->name, d->place);
    uint32_t of = symbols_use_name(symbols, instance->of, instance->of_place);
    struct text text;
    text_init(&text, t->mem);
    text_add(&text, "%s = %s(", d->name, instance->of);
    uppaal_print_list(&text, instance->args);
    symbols_describe(symbols, symbol, "%s)", text.data);
    text_free(&text);
    if (symbol != SYMBOL_NONE) symbols->list.data[symbol].of = of;
    symbols_enter(symbols, symbols_new_scope(symbols));
    tell_parameters(t, instance->parameters);
    walk_list(t, instance->args);
    symbols_leave(symbols);
}

/* ---- declarations ---- */

static void tell_typedef(struct telling *t, const struct uppaal_decl *d)
{
    uint32_t symbol = tell_variable(t, innermost(t), SYMBOL_TYPE, d->variable);
    describe(t, symbol, "typedef ", d->variable);
}

static void tell_declarations(struct telling *t, const struct uppaal_decl *list)
{
    for (const struct uppaal_decl *d = list; d; d = d->next) {
        switch ((enum uppaal_decl_kind)d->kind) {
        case UPPAAL_DECL_VARIABLE:
            tell_variable(t, innermost(t), kind_of(t, d->variable->type), d->variable);
            break;
        case UPPAAL_DECL_TYPEDEF: tell_typedef(t, d); break;
        case UPPAAL_DECL_FUNCTION: tell_function(t, d); break;
        case UPPAAL_DECL_TEMPLATE: tell_template(t, d); break;
        case UPPAAL_DECL_INSTANCE: tell_instance(t, d); break;
        case UPPAAL_DECL_PRIORITY:
            for (const struct uppaal_ranked *r = d->ranks; r; r = r->next) walk(t, r->channel);
            break;
        }
    }
}

static void tell_query(struct telling *t, const struct uppaal_query *query)
{
    const char *name = names_format(&t->symbols->names, "query[%u]", t->query++);
    uint32_t symbol = symbols_declare_unwritten(t->symbols, SYMBOL_PROPERTY, name, query->place);
    if (symbol != SYMBOL_NONE && !query->refused)
        t->symbols->list.data[symbol].asked = t->symbols->list.data[symbol].name;
    symbols_describe(t->symbols, symbol, "%s", query->text);
    if (query->refused) return;
    walk(t, query->p);
    walk(t, query->q);
    walk_list(t, query->terms);
}

void uppaal_tell_names(const struct uppaal_file *file, struct symbols *symbols)
{
    struct telling t = {.symbols = symbols, .mem = symbols->mem};
    symbols_enter(symbols, symbols_new_scope(symbols));
    tell_declarations(&t, file->decls);
    for (const struct uppaal_ranked *r = file->system; r; r = r->next)
        symbols_use_name(symbols, r->name, r->place);
    for (const struct uppaal_query *q = file->queries; q; q = q->next) tell_query(&t, q);
    symbols_leave(symbols);
    symbols->told++;
}
