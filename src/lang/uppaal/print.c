/* Prints syntax trees as XTA. Parentheses come from one measure of strength, the precedences of
 * expression.c: a node is put into parentheses when it is weaker than its place needs. A quantifier
 * takes all that follows it, so it is weak everywhere but at the end of an expression; it is put
 * into parentheses as any operand. */
#include "lang/uppaal/parse.h"

#include <assert.h>
#include <inttypes.h>

enum strength {
    STRENGTH_QUANTIFIED,
    STRENGTH_ASSIGN,
    STRENGTH_CONDITIONAL,
    STRENGTH_OR,
    STRENGTH_AND,
    STRENGTH_BIT_OR,
    STRENGTH_BIT_XOR,
    STRENGTH_BIT_AND,
    STRENGTH_EQUAL,
    STRENGTH_COMPARE,
    STRENGTH_MIN,
    STRENGTH_SHIFT,
    STRENGTH_SUM,
    STRENGTH_PRODUCT,
    STRENGTH_POWER,
    STRENGTH_UNARY,
    STRENGTH_PREFIX, /* ++a: what stands behind it must be as strong */
    STRENGTH_PRIMARY
};

static const struct {
    const char *word;
    enum strength strength;
} operators[UPPAAL_OPS] = {
    [UPPAAL_NOT] = {"!", STRENGTH_UNARY},
    [UPPAAL_NEGATE] = {"-", STRENGTH_UNARY},
    [UPPAAL_PLUS] = {"+", STRENGTH_UNARY},
    [UPPAAL_PRE_INCREASE] = {"++", STRENGTH_UNARY},
    [UPPAAL_PRE_DECREASE] = {"--", STRENGTH_UNARY},
    [UPPAAL_POST_INCREASE] = {"++", STRENGTH_PRIMARY},
    [UPPAAL_POST_DECREASE] = {"--", STRENGTH_PRIMARY},
    [UPPAAL_POWER] = {"**", STRENGTH_POWER},
    [UPPAAL_MUL] = {"*", STRENGTH_PRODUCT},
    [UPPAAL_DIV] = {"/", STRENGTH_PRODUCT},
    [UPPAAL_MOD] = {"%", STRENGTH_PRODUCT},
    [UPPAAL_ADD] = {"+", STRENGTH_SUM},
    [UPPAAL_SUB] = {"-", STRENGTH_SUM},
    [UPPAAL_SHIFT_LEFT] = {"<<", STRENGTH_SHIFT},
    [UPPAAL_SHIFT_RIGHT] = {">>", STRENGTH_SHIFT},
    [UPPAAL_MIN] = {"<?", STRENGTH_MIN},
    [UPPAAL_MAX] = {">?", STRENGTH_MIN},
    [UPPAAL_LT] = {"<", STRENGTH_COMPARE},
    [UPPAAL_LE] = {"<=", STRENGTH_COMPARE},
    [UPPAAL_GE] = {">=", STRENGTH_COMPARE},
    [UPPAAL_GT] = {">", STRENGTH_COMPARE},
    [UPPAAL_EQ] = {"==", STRENGTH_EQUAL},
    [UPPAAL_NE] = {"!=", STRENGTH_EQUAL},
    [UPPAAL_BIT_AND] = {"&", STRENGTH_BIT_AND},
    [UPPAAL_BIT_XOR] = {"^", STRENGTH_BIT_XOR},
    [UPPAAL_BIT_OR] = {"|", STRENGTH_BIT_OR},
    [UPPAAL_AND] = {"&&", STRENGTH_AND},
    [UPPAAL_OR] = {"||", STRENGTH_OR},
    [UPPAAL_XOR] = {"xor", STRENGTH_OR},
    [UPPAAL_IMPLY] = {"imply", STRENGTH_OR},
    [UPPAAL_FORALL] = {"forall", STRENGTH_QUANTIFIED},
    [UPPAAL_EXISTS] = {"exists", STRENGTH_QUANTIFIED},
    [UPPAAL_SUM] = {"sum", STRENGTH_QUANTIFIED},
};

static enum strength strength_of(const struct uppaal_exp *exp)
{
    switch ((enum uppaal_exp_kind)exp->kind) {
    case UPPAAL_EXP_UNARY:
    case UPPAAL_EXP_BINARY:
    case UPPAAL_EXP_QUANTIFIED: return operators[exp->op].strength;
    case UPPAAL_EXP_RATE: return STRENGTH_EQUAL;
    case UPPAAL_EXP_ASSIGN: return STRENGTH_ASSIGN;
    case UPPAAL_EXP_CONDITIONAL: return STRENGTH_CONDITIONAL;
    default: return STRENGTH_PRIMARY;
    }
}

/* ---- expressions ---- */

static void print_at(struct text *out, const struct uppaal_exp *exp, enum strength needed)
{
    bool weak = strength_of(exp) < needed;
    if (weak) text_add(out, "(");
    uppaal_print_exp(out, exp);
    if (weak) text_add(out, ")");
}

void uppaal_print_list(struct text *out, const struct uppaal_exp *exps)
{
    for (const struct uppaal_exp *exp = exps; exp; exp = exp->next) {
        uppaal_print_exp(out, exp);
        if (exp->next) text_add(out, ", ");
    }
}

/* A blank between two signs, or `- -a` would be `--a`. */
static void print_unary(struct text *out, const struct uppaal_exp *exp)
{
    bool is_step = exp->op >= UPPAAL_PRE_INCREASE;
    if (exp->op == UPPAAL_POST_INCREASE || exp->op == UPPAAL_POST_DECREASE) {
        print_at(out, exp->a, STRENGTH_PRIMARY);
        text_add(out, "%s", operators[exp->op].word);
        return;
    }
    bool is_unary = exp->a->kind == UPPAAL_EXP_UNARY && strength_of(exp->a) == STRENGTH_UNARY;
    text_add(out, "%s%s", operators[exp->op].word, is_unary && (is_step || exp->op) ? " " : "");
    print_at(out, exp->a, STRENGTH_UNARY);
}

/* The right operand of a sum may begin with a sign: `a - -b` needs its blank, and has it. */
static void print_binary(struct text *out, const struct uppaal_exp *exp)
{
    enum strength strength = operators[exp->op].strength;
    print_at(out, exp->a, strength);
    text_add(out, " %s ", operators[exp->op].word);
    print_at(out, exp->b, strength + 1);
}

static void print_assign(struct text *out, const struct uppaal_exp *exp)
{
    print_at(out, exp->a, STRENGTH_CONDITIONAL);
    text_add(out, " %s= ", exp->is_plain ? "" : operators[exp->op].word);
    print_at(out, exp->b, STRENGTH_ASSIGN);
}

static void print_conditional(struct text *out, const struct uppaal_exp *exp)
{
    print_at(out, exp->a, STRENGTH_OR);
    text_add(out, " ? ");
    print_at(out, exp->b, STRENGTH_ASSIGN);
    text_add(out, " : ");
    print_at(out, exp->c, STRENGTH_CONDITIONAL);
}

static void print_quantified(struct text *out, const struct uppaal_exp *exp)
{
    text_add(out, "%s (%s : ", operators[exp->op].word, exp->name);
    uppaal_print_type(out, exp->type);
    text_add(out, ") ");
    print_at(out, exp->a, STRENGTH_QUANTIFIED);
}

static void print_list_of(struct text *out, const char *open, const struct uppaal_exp *list,
                          const char *close)
{
    text_add(out, "%s", open);
    uppaal_print_list(out, list);
    text_add(out, "%s", close);
}

void uppaal_print_exp(struct text *out, const struct uppaal_exp *exp)
{
    switch ((enum uppaal_exp_kind)exp->kind) {
    case UPPAAL_EXP_NUMBER: text_add(out, "%" PRIu64, exp->number); break;
    case UPPAAL_EXP_BOOL: text_add(out, exp->number ? "true" : "false"); break;
    case UPPAAL_EXP_NAME: text_add(out, "%s", exp->name); break;
    case UPPAAL_EXP_DEADLOCK: text_add(out, "deadlock"); break;
    case UPPAAL_EXP_CALL:
        print_at(out, exp->a, STRENGTH_PRIMARY);
        print_list_of(out, "(", exp->args, ")");
        break;
    case UPPAAL_EXP_INDEX:
        print_at(out, exp->a, STRENGTH_PRIMARY);
        print_list_of(out, "[", exp->b, "]");
        break;
    case UPPAAL_EXP_FIELD:
        print_at(out, exp->a, STRENGTH_PRIMARY);
        text_add(out, ".%s", exp->name);
        break;
    case UPPAAL_EXP_UNARY: print_unary(out, exp); break;
    case UPPAAL_EXP_BINARY: print_binary(out, exp); break;
    case UPPAAL_EXP_ASSIGN: print_assign(out, exp); break;
    case UPPAAL_EXP_CONDITIONAL: print_conditional(out, exp); break;
    case UPPAAL_EXP_QUANTIFIED: print_quantified(out, exp); break;
    case UPPAAL_EXP_RATE:
        print_at(out, exp->a, STRENGTH_PRIMARY);
        text_add(out, "' == 1");
        break;
    case UPPAAL_EXP_LIST: print_list_of(out, "{", exp->args, "}"); break;
    case UPPAAL_EXP_SETTING:
        text_add(out, "%s : ", exp->name);
        uppaal_print_exp(out, exp->a);
        break;
    }
}

/* ---- types and variables ---- */

static void print_variable(struct text *out, const struct uppaal_variable *variable)
{
    uppaal_print_type(out, variable->type);
    text_add(out, " %s%s", variable->by_reference ? "&" : "", variable->name);
    for (const struct uppaal_array *array = variable->arrays; array; array = array->next) {
        text_add(out, "[");
        if (array->index) uppaal_print_type(out, array->index);
        else uppaal_print_exp(out, array->size);
        text_add(out, "]");
    }
    if (variable->init) {
        text_add(out, " = ");
        uppaal_print_exp(out, variable->init);
    }
}

static void print_variables(struct text *out, const struct uppaal_variable *list,
                            const char *between)
{
    for (const struct uppaal_variable *variable = list; variable; variable = variable->next) {
        print_variable(out, variable);
        if (variable->next) text_add(out, "%s", between);
    }
}

static void print_struct(struct text *out, const struct uppaal_type *type)
{
    text_add(out, "struct { ");
    print_variables(out, type->members, "; ");
    text_add(out, "; }");
}

void uppaal_print_type(struct text *out, const struct uppaal_type *type)
{
    if (type->prefixes & UPPAAL_CONST) text_add(out, "const ");
    if (type->prefixes & UPPAAL_META) text_add(out, "meta ");
    if (type->prefixes & UPPAAL_URGENT) text_add(out, "urgent ");
    if (type->prefixes & UPPAAL_BROADCAST) text_add(out, "broadcast ");
    switch ((enum uppaal_type_kind)type->kind) {
    case UPPAAL_TYPE_NAME: text_add(out, "%s", type->name); break;
    case UPPAAL_TYPE_INT: text_add(out, "int"); break;
    case UPPAAL_TYPE_BOOL: text_add(out, "bool"); break;
    case UPPAAL_TYPE_CLOCK: text_add(out, "clock"); break;
    case UPPAAL_TYPE_CHAN: text_add(out, "chan"); break;
    case UPPAAL_TYPE_VOID: text_add(out, "void"); break;
    case UPPAAL_TYPE_SCALAR: text_add(out, "scalar"); break;
    case UPPAAL_TYPE_STRUCT: print_struct(out, type); break;
    }
    if (!type->low) return;
    text_add(out, "[");
    uppaal_print_exp(out, type->low);
    if (type->high) {
        text_add(out, ", ");
        uppaal_print_exp(out, type->high);
    }
    text_add(out, "]");
}

/* ---- statements ---- */

static void print_decls(struct text *out, const struct uppaal_decl *decls, unsigned indent);

static void print_head(struct text *out, const char *word, const struct uppaal_exp *exps)
{
    text_add(out, "%s", word);
    print_list_of(out, " (", exps, ")");
}

static void print_for(struct text *out, const struct uppaal_stmt *stmt)
{
    if (stmt->kind == UPPAAL_STMT_EACH) {
        text_add(out, "for (%s : ", stmt->name);
        uppaal_print_type(out, stmt->type);
        text_add(out, ")");
        return;
    }
    print_list_of(out, "for (", stmt->first, "; ");
    print_list_of(out, "", stmt->exp, "; ");
    print_list_of(out, "", stmt->step, ")");
}

static void print_stmt(struct text *out, const struct uppaal_stmt *stmt, unsigned indent);

/* A statement below another one. It is put into brackets, so that an `else` behind it is not
 * taken for its own; a block that is there already is enough. */
static void print_body(struct text *out, const struct uppaal_stmt *stmt, unsigned indent,
                       bool brackets)
{
    if (!brackets) {
        print_stmt(out, stmt, indent);
        return;
    }
    text_add(out, "%*s{\n", (int)indent, "");
    print_stmt(out, stmt, indent + 4);
    text_add(out, "%*s}\n", (int)indent, "");
}

static void print_block(struct text *out, const struct uppaal_stmt *stmt, unsigned indent)
{
    text_add(out, "{\n");
    print_decls(out, stmt->decls, indent + 4);
    for (const struct uppaal_stmt *one = stmt->body; one; one = one->next)
        print_stmt(out, one, indent + 4);
    text_add(out, "%*s}", (int)indent, "");
}

/* Whether an `else` behind a statement would be taken as part of it. */
static bool takes_else(const struct uppaal_stmt *stmt)
{
    for (;;) switch ((enum uppaal_stmt_kind)stmt->kind) {
        case UPPAAL_STMT_IF:
            if (!stmt->other) return true;
            stmt = stmt->other;
            break;
        case UPPAAL_STMT_FOR:
        case UPPAAL_STMT_EACH:
        case UPPAAL_STMT_WHILE: stmt = stmt->body; break;
        default: return false;
        }
}

static void print_if(struct text *out, const struct uppaal_stmt *stmt, unsigned indent)
{
    print_head(out, "if", stmt->exp);
    text_add(out, "\n");
    print_body(out, stmt->body, indent + 4, stmt->other && takes_else(stmt->body));
    if (!stmt->other) return;
    text_add(out, "%*selse\n", (int)indent, "");
    print_body(out, stmt->other, indent + 4, false);
}

static void print_stmt(struct text *out, const struct uppaal_stmt *stmt, unsigned indent)
{
    text_add(out, "%*s", (int)indent, "");
    switch ((enum uppaal_stmt_kind)stmt->kind) {
    case UPPAAL_STMT_EMPTY: break;
    case UPPAAL_STMT_BLOCK:
        print_block(out, stmt, indent);
        text_add(out, "\n");
        return;
    case UPPAAL_STMT_EXP: uppaal_print_list(out, stmt->exp); break;
    case UPPAAL_STMT_FOR:
    case UPPAAL_STMT_EACH:
        print_for(out, stmt);
        text_add(out, "\n");
        print_body(out, stmt->body, indent + 4, false);
        return;
    case UPPAAL_STMT_WHILE:
        print_head(out, "while", stmt->exp);
        text_add(out, "\n");
        print_body(out, stmt->body, indent + 4, false);
        return;
    case UPPAAL_STMT_DO:
        text_add(out, "do\n");
        print_body(out, stmt->body, indent + 4, false);
        text_add(out, "%*s", (int)indent, "");
        print_head(out, "while", stmt->exp);
        break;
    case UPPAAL_STMT_IF: print_if(out, stmt, indent); return;
    case UPPAAL_STMT_RETURN:
        text_add(out, stmt->exp ? "return " : "return");
        uppaal_print_list(out, stmt->exp);
        break;
    case UPPAAL_STMT_ASSERT:
        text_add(out, "assert ");
        uppaal_print_list(out, stmt->exp);
        break;
    }
    text_add(out, ";\n");
}

/* ---- templates ---- */

/* A location without a name gets one, which its template does not use for another one, as a rule.
 */
static void print_location(struct text *out, const struct uppaal_location *location)
{
    if (location->name) text_add(out, "%s", location->name);
    else text_add(out, "_%u", location->index);
}

static void print_marked(struct text *out, const struct uppaal_template *template, const char *word,
                         bool urgent)
{
    const char *between = word;
    for (const struct uppaal_location *at = template->locations; at; at = at->next) {
        if (urgent ? !at->urgent : !at->committed) continue;
        text_add(out, "%s", between);
        print_location(out, at);
        between = ", ";
    }
    if (between != word) text_add(out, ";\n");
}

static void print_locations(struct text *out, const struct uppaal_template *template, bool points)
{
    const char *word = points ? "    branchpoint " : "    state ", *between = word;
    for (const struct uppaal_location *at = template->locations; at; at = at->next) {
        if (at->is_branchpoint != points) continue;
        text_add(out, "%s", between);
        print_location(out, at);
        between = ", ";
        if (!at->invariant) continue;
        text_add(out, " { ");
        uppaal_print_exp(out, at->invariant);
        text_add(out, " }");
    }
    if (between != word) text_add(out, ";\n");
}

static void print_selects(struct text *out, const struct uppaal_select *selects)
{
    if (selects) text_add(out, "select ");
    for (const struct uppaal_select *select = selects; select; select = select->next) {
        text_add(out, "%s : ", select->name);
        uppaal_print_type(out, select->type);
        text_add(out, select->next ? ", " : "; ");
    }
}

static void print_edge(struct text *out, const struct uppaal_edge *edge)
{
    text_add(out, "        ");
    print_location(out, edge->source);
    text_add(out, edge->uncontrollable ? " -u-> " : " -> ");
    print_location(out, edge->target);
    text_add(out, " { ");
    print_selects(out, edge->selects);
    if (edge->guard) print_list_of(out, "guard ", edge->guard, "; ");
    if (edge->sync)
        print_list_of(out, "sync ", edge->channel, edge->sync == UPPAAL_SYNC_SEND ? "!; " : "?; ");
    if (edge->updates) print_list_of(out, "assign ", edge->updates, "; ");
    if (edge->weight) print_list_of(out, "probability ", edge->weight, "; ");
    text_add(out, edge->next ? "},\n" : "};\n");
}

static void print_template(struct text *out, const struct uppaal_decl *decl)
{
    const struct uppaal_template *template = decl->template;
    text_add(out, "process %s(", decl->name);
    print_variables(out, template->parameters, ", ");
    text_add(out, ") {\n");
    print_decls(out, template->decls, 4);
    print_locations(out, template, false);
    print_locations(out, template, true);
    print_marked(out, template, "    commit ", false);
    print_marked(out, template, "    urgent ", true);
    if (template->init) {
        text_add(out, "    init ");
        print_location(out, template->init);
        text_add(out, ";\n");
    }
    if (template->edges) text_add(out, "    trans\n");
    for (const struct uppaal_edge *edge = template->edges; edge; edge = edge->next)
        print_edge(out, edge);
    text_add(out, "}\n");
}

/* ---- declarations ---- */

static void print_ranks(struct text *out, const struct uppaal_ranked *ranks)
{
    for (const struct uppaal_ranked *one = ranks; one; one = one->next) {
        if (one->name) text_add(out, "%s", one->name);
        else if (one->channel) uppaal_print_exp(out, one->channel);
        else text_add(out, "default");
        assert(!one->next || one->next->rank >= one->rank);
        if (one->next) text_add(out, one->next->rank > one->rank ? " < " : ", ");
    }
    text_add(out, ";\n");
}

static void print_function(struct text *out, const struct uppaal_decl *decl, unsigned indent)
{
    uppaal_print_type(out, decl->function->result);
    text_add(out, " %s(", decl->name);
    print_variables(out, decl->function->parameters, ", ");
    text_add(out, ") ");
    print_block(out, decl->function->body, indent);
    text_add(out, "\n");
}

static void print_instance(struct text *out, const struct uppaal_decl *decl)
{
    text_add(out, "%s", decl->name);
    if (decl->instance->parameters) {
        text_add(out, "(");
        print_variables(out, decl->instance->parameters, ", ");
        text_add(out, ")");
    }
    text_add(out, " = %s", decl->instance->of);
    print_list_of(out, "(", decl->instance->args, ");\n");
}

static void print_decls(struct text *out, const struct uppaal_decl *decls, unsigned indent)
{
    for (const struct uppaal_decl *decl = decls; decl; decl = decl->next) {
        text_add(out, "%*s", (int)indent, "");
        switch ((enum uppaal_decl_kind)decl->kind) {
        case UPPAAL_DECL_VARIABLE:
        case UPPAAL_DECL_TYPEDEF:
            if (decl->kind == UPPAAL_DECL_TYPEDEF) text_add(out, "typedef ");
            print_variable(out, decl->variable);
            text_add(out, ";\n");
            break;
        case UPPAAL_DECL_FUNCTION: print_function(out, decl, indent); break;
        case UPPAAL_DECL_TEMPLATE: print_template(out, decl); break;
        case UPPAAL_DECL_INSTANCE: print_instance(out, decl); break;
        case UPPAAL_DECL_PRIORITY:
            text_add(out, "chan priority ");
            print_ranks(out, decl->ranks);
            break;
        }
    }
}

/* ---- files ---- */

void uppaal_print_query(struct text *out, const struct uppaal_query *query)
{
    static const char *const words[] = {
        [UPPAAL_QUERY_ALWAYS] = "A[] ", [UPPAAL_QUERY_SOMETIME] = "E<> ",
        [UPPAAL_QUERY_KEEPS] = "E[] ",  [UPPAAL_QUERY_MEETS] = "A<> ",
        [UPPAAL_QUERY_LEADS] = "",      [UPPAAL_QUERY_SUP] = "sup",
        [UPPAAL_QUERY_INF] = "inf",     [UPPAAL_QUERY_BOUNDS] = "bounds"};
    if (query->refused) {
        text_add(out, "%s", query->text);
        return;
    }
    assert(query->p || query->terms);
    text_add(out, "%s", words[query->kind]);
    if (query->terms && query->p) print_list_of(out, "{", query->p, "}");
    else if (query->p) uppaal_print_exp(out, query->p);
    if (query->q) print_list_of(out, " --> ", query->q, "");
    if (query->terms) print_list_of(out, ": ", query->terms, "");
}

void uppaal_print(struct text *out, const struct uppaal_file *file)
{
    print_decls(out, file->decls, 0);
    text_add(out, "system ");
    print_ranks(out, file->system);
    for (const struct uppaal_query *query = file->queries; query; query = query->next) {
        if (query->refused) continue;
        text_add(out, "query { ");
        uppaal_print_query(out, query);
        text_add(out, " }\n");
    }
}
