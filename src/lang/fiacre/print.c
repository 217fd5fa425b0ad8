/* Prints syntax trees as Fiacre. Parentheses come from one measure of strength, the precedences of
 * expression.c: a node is put into parentheses when it is weaker than its place needs. `not` counts
 * as weak, because in formulas it is, and is given strong operands, because in expressions it is
 * strong: so what is printed reads the same in both. Grouped declarations (`a, b : T`) come out one
 * by one. */
#include "lang/fiacre/ast.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>

enum strength {
    STRENGTH_PATTERN,
    STRENGTH_CONDITIONAL,
    STRENGTH_IFF,
    STRENGTH_IMPLIES,
    STRENGTH_OR,
    STRENGTH_AND,
    STRENGTH_UNTIL,
    STRENGTH_FORMULA_UNARY,
    STRENGTH_COMPARE,
    STRENGTH_SUM,
    STRENGTH_PRODUCT,
    STRENGTH_UNARY,
    STRENGTH_PRIMARY
};

static const struct {
    const char *word;
    enum strength strength;
} operators[FIACRE_OPS] = {
    [FIACRE_NOT] = {"not ", STRENGTH_FORMULA_UNARY},
    [FIACRE_NEGATE] = {"-", STRENGTH_UNARY},
    [FIACRE_PLUS] = {"+", STRENGTH_UNARY},
    [FIACRE_COERCE] = {"$", STRENGTH_UNARY},
    [FIACRE_FIRST] = {"first ", STRENGTH_UNARY},
    [FIACRE_DEQUEUE] = {"dequeue ", STRENGTH_UNARY},
    [FIACRE_EMPTY] = {"empty ", STRENGTH_UNARY},
    [FIACRE_FULL] = {"full ", STRENGTH_UNARY},
    [FIACRE_LENGTH] = {"length ", STRENGTH_UNARY},
    [FIACRE_OR] = {"or", STRENGTH_OR},
    [FIACRE_AND] = {"and", STRENGTH_AND},
    [FIACRE_EQ] = {"=", STRENGTH_COMPARE},
    [FIACRE_NE] = {"<>", STRENGTH_COMPARE},
    [FIACRE_LT] = {"<", STRENGTH_COMPARE},
    [FIACRE_LE] = {"<=", STRENGTH_COMPARE},
    [FIACRE_GT] = {">", STRENGTH_COMPARE},
    [FIACRE_GE] = {">=", STRENGTH_COMPARE},
    [FIACRE_ADD] = {"+", STRENGTH_SUM},
    [FIACRE_SUB] = {"-", STRENGTH_SUM},
    [FIACRE_MUL] = {"*", STRENGTH_PRODUCT},
    [FIACRE_DIV] = {"/", STRENGTH_PRODUCT},
    [FIACRE_MOD] = {"%", STRENGTH_PRODUCT},
    [FIACRE_ENQUEUE] = {"enqueue", STRENGTH_PRIMARY},
    [FIACRE_APPEND] = {"append", STRENGTH_PRIMARY},
};

static enum strength temporal_strength(unsigned op)
{
    switch (op) {
    case FORMULA_IFF: return STRENGTH_IFF;
    case FORMULA_IMPLIES: return STRENGTH_IMPLIES;
    case FORMULA_U:
    case FORMULA_R:
    case FORMULA_W: return STRENGTH_UNTIL;
    default: return STRENGTH_FORMULA_UNARY;
    }
}

static enum strength strength_of(const struct fiacre_exp *exp)
{
    switch ((enum fiacre_exp_kind)exp->kind) {
    case FIACRE_EXP_UNARY:
    case FIACRE_EXP_BINARY: return operators[exp->op].strength;
    case FIACRE_EXP_CONDITIONAL: return STRENGTH_CONDITIONAL;
    case FIACRE_EXP_TEMPORAL: return temporal_strength(exp->op);
    case FIACRE_EXP_ENTER:
    case FIACRE_EXP_LEAVE: return STRENGTH_FORMULA_UNARY;
    case FIACRE_EXP_OBSERVE:
        return exp->op == FIACRE_ITEM_VALUE ? STRENGTH_FORMULA_UNARY
                                            : STRENGTH_PRIMARY; /* `value` takes comparisons */
    case FIACRE_EXP_PATTERN: return STRENGTH_PATTERN;
    default: return STRENGTH_PRIMARY;
    }
}

/* ---- expressions ---- */

static void print_at(struct text *out, const struct fiacre_exp *exp, enum strength needed)
{
    bool weak = strength_of(exp) < needed;
    if (weak) text_add(out, "(");
    fiacre_print_exp(out, exp);
    if (weak) text_add(out, ")");
}

static void print_list(struct text *out, const struct fiacre_exp *list)
{
    for (const struct fiacre_exp *exp = list; exp; exp = exp->next) {
        print_at(out, exp, STRENGTH_CONDITIONAL);
        if (exp->next) text_add(out, ", ");
    }
}

static void print_binary(struct text *out, const struct fiacre_exp *exp)
{
    enum strength strength = operators[exp->op].strength;
    if (strength == STRENGTH_PRIMARY) {
        text_add(out, "%s(", operators[exp->op].word);
        print_at(out, exp->a, STRENGTH_CONDITIONAL);
        text_add(out, ", ");
        print_at(out, exp->b, STRENGTH_CONDITIONAL);
        text_add(out, ")");
        return;
    }
    print_at(out, exp->a, strength);
    text_add(out, " %s ", operators[exp->op].word);
    print_at(out, exp->b, strength + 1);
}

static void print_temporal(struct text *out, const struct fiacre_exp *exp)
{
    static const char *const words[FORMULA_OPS] = {
        [FORMULA_IMPLIES] = "=>", [FORMULA_IFF] = "<->", [FORMULA_U] = "U", [FORMULA_R] = "R",
        [FORMULA_W] = "W",        [FORMULA_X] = "X",     [FORMULA_F] = "F", [FORMULA_G] = "G",
        [FORMULA_A] = "A",        [FORMULA_E] = "E"};
    enum strength strength = temporal_strength(exp->op);
    if (exp->op == FORMULA_A || exp->op == FORMULA_E) {
        text_add(out, "%s[", words[exp->op]);
        fiacre_print_exp(out, exp->a);
        text_add(out, "]");
    } else if (!exp->b) {
        text_add(out, "%s (", words[exp->op]);
        fiacre_print_exp(out, exp->a);
        text_add(out, ")");
    } else {
        bool to_the_right = exp->op != FORMULA_IFF;
        print_at(out, exp->a, to_the_right ? strength + 1 : strength);
        text_add(out, " %s ", words[exp->op]);
        print_at(out, exp->b, to_the_right ? strength : strength + 1);
    }
}

static void print_time(struct text *out, struct fiacre_time time)
{
    text_add(out, "%" PRIu64, time.numerator / time.denominator);
    if (time.denominator == 1) return;
    text_add(out, ".");
    uint64_t rest = time.numerator % time.denominator;
    for (uint64_t unit = time.denominator / 10; unit; unit /= 10)
        text_add(out, "%" PRIu64, rest / unit % 10);
}

static void print_interval(struct text *out, const struct fiacre_interval *interval)
{
    text_add(out, interval->low_open ? "]" : "[");
    print_time(out, interval->low);
    text_add(out, ",");
    if (interval->unbounded) {
        text_add(out, "...[");
        return;
    }
    print_time(out, interval->high);
    text_add(out, interval->high_open ? "[" : "]");
}

/* One operand of a pattern, always in parentheses: their words are easily taken for others'. */
static void print_part(struct text *out, const char *word, const struct fiacre_exp *exp)
{
    text_add(out, "%s(", word);
    fiacre_print_exp(out, exp);
    text_add(out, ")");
}

static void print_bounds(struct text *out, const struct fiacre_pattern *pattern)
{
    static const char *const words[] = {[FIACRE_SCOPE_BEFORE] = " before ",
                                        [FIACRE_SCOPE_AFTER] = " after ",
                                        [FIACRE_SCOPE_BETWEEN] = " between ",
                                        [FIACRE_SCOPE_AFTER_UNTIL] = " after "};
    if (pattern->has_lasting) text_add(out, " lasting ");
    if (pattern->has_lasting) print_time(out, pattern->lasting);
    if (pattern->within) text_add(out, " within ");
    if (pattern->within) print_interval(out, pattern->within);
    if (pattern->duration) text_add(out, " for ");
    if (pattern->duration) print_interval(out, pattern->duration);
    if (pattern->from) print_part(out, words[pattern->scope], pattern->from);
    if (pattern->to)
        print_part(out, pattern->scope == FIACRE_SCOPE_BETWEEN ? " and " : " until ", pattern->to);
}

static void print_pattern(struct text *out, const struct fiacre_pattern *pattern)
{
    static const char *const words[] = {[FIACRE_PATTERN_PRESENT] = "present ",
                                        [FIACRE_PATTERN_ABSENT] = "absent ",
                                        [FIACRE_PATTERN_ALWAYS] = "always ",
                                        [FIACRE_PATTERN_LEADSTO] = " leadsto ",
                                        [FIACRE_PATTERN_PRECEDES] = " precedes ",
                                        [FIACRE_PATTERN_DEADLOCKFREE] = "deadlockfree",
                                        [FIACRE_PATTERN_INFINITELYOFTEN] = "infinitelyoften ",
                                        [FIACRE_PATTERN_MORTAL] = "mortal ",
                                        [FIACRE_PATTERN_LIVE] = "live "};
    if (pattern->b) print_part(out, "", pattern->a);
    text_add(out, "%s%s", words[pattern->kind], pattern->first ? "first " : "");
    if (pattern->b) print_part(out, "", pattern->b);
    else if (pattern->a) print_part(out, "", pattern->a);
    print_bounds(out, pattern);
}

static void print_observable(struct text *out, const struct fiacre_exp *exp)
{
    static const char *const words[] = {"state", "value", "tag", "event"};
    text_add(out, "%s/", exp->name);
    for (const struct fiacre_exp *number = exp->args; number; number = number->next)
        text_add(out, "%" PRIu64 "/", number->number);
    text_add(out, "%s ", words[exp->op]);
    if (exp->op == FIACRE_ITEM_VALUE) print_part(out, "", exp->a);
    else text_add(out, "%s", exp->item_name);
}

static void print_record(struct text *out, const struct fiacre_exp *exp)
{
    text_add(out, "{");
    for (const struct fiacre_exp *setting = exp->args; setting; setting = setting->next) {
        text_add(out, "%s = ", setting->name);
        print_at(out, setting->a, STRENGTH_CONDITIONAL);
        if (setting->next) text_add(out, ", ");
    }
    text_add(out, "}");
}

static void print_brackets(struct text *out, const char *open, const struct fiacre_exp *list,
                           const char *close)
{
    text_add(out, "%s", open);
    print_list(out, list);
    text_add(out, "%s", close);
}

static void print_conditional(struct text *out, const struct fiacre_exp *exp)
{
    print_at(out, exp->a, STRENGTH_IFF);
    text_add(out, " ? ");
    print_at(out, exp->b, STRENGTH_IFF);
    text_add(out, " : ");
    print_at(out, exp->c, STRENGTH_CONDITIONAL);
}

void fiacre_print_exp(struct text *out, const struct fiacre_exp *exp)
{
    switch ((enum fiacre_exp_kind)exp->kind) {
    case FIACRE_EXP_NUMBER: text_add(out, "%" PRIu64, exp->number); break;
    case FIACRE_EXP_BOOL: text_add(out, exp->number ? "true" : "false"); break;
    case FIACRE_EXP_NAME: text_add(out, "%s", exp->name); break;
    case FIACRE_EXP_ANY: text_add(out, "any"); break;
    case FIACRE_EXP_CALL:
        text_add(out, "%s", exp->name);
        print_brackets(out, "(", exp->args, ")");
        break;
    case FIACRE_EXP_INDEX:
        print_at(out, exp->a, STRENGTH_PRIMARY);
        print_brackets(out, "[", exp->b, "]");
        break;
    case FIACRE_EXP_FIELD:
        print_at(out, exp->a, STRENGTH_PRIMARY);
        text_add(out, ".%s", exp->name);
        break;
    case FIACRE_EXP_ARRAY: print_brackets(out, "[", exp->args, "]"); break;
    case FIACRE_EXP_QUEUE: print_brackets(out, "{|", exp->args, "|}"); break;
    case FIACRE_EXP_RECORD: print_record(out, exp); break;
    case FIACRE_EXP_SETTING: assert(!"inside a record only"); break;
    case FIACRE_EXP_CONDITIONAL: print_conditional(out, exp); break;
    case FIACRE_EXP_REFERENCE:
        text_add(out, "&");
        print_at(out, exp->a, STRENGTH_PRIMARY);
        break;
    case FIACRE_EXP_UNARY:
        text_add(out, "%s", operators[exp->op].word);
        print_at(out, exp->a, STRENGTH_UNARY);
        break;
    case FIACRE_EXP_BINARY: print_binary(out, exp); break;
    case FIACRE_EXP_AT:
        print_at(out, exp->a, STRENGTH_PRIMARY);
        text_add(out, " @ %s", exp->name);
        break;
    case FIACRE_EXP_OBSERVE: print_observable(out, exp); break;
    case FIACRE_EXP_ENTER: print_part(out, "enter ", exp->a); break;
    case FIACRE_EXP_LEAVE: print_part(out, "leave ", exp->a); break;
    case FIACRE_EXP_TEMPORAL: print_temporal(out, exp); break;
    case FIACRE_EXP_PATTERN: print_pattern(out, exp->pattern); break;
    }
}

/* ---- types ---- */

static void print_names(struct text *out, const struct fiacre_name *name, const char *separator)
{
    for (; name; name = name->next) text_add(out, "%s%s", name->name, name->next ? separator : "");
}

static void print_members(struct text *out, const struct fiacre_type *type)
{
    bool is_union = type->kind == FIACRE_TYPE_UNION;
    text_add(out, is_union ? "union " : "record ");
    for (const struct fiacre_member *member = type->members; member; member = member->next) {
        text_add(out, "%s", member->name);
        if (member->type) {
            text_add(out, is_union ? " of " : " : ");
            fiacre_print_type(out, member->type);
        }
        if (member->next) text_add(out, is_union ? " | " : ", ");
    }
    text_add(out, " end");
}

void fiacre_print_type(struct text *out, const struct fiacre_type *type)
{
    switch ((enum fiacre_type_kind)type->kind) {
    case FIACRE_TYPE_BOOL: text_add(out, "bool"); break;
    case FIACRE_TYPE_NAT: text_add(out, "nat"); break;
    case FIACRE_TYPE_INT: text_add(out, "int"); break;
    case FIACRE_TYPE_NAME: text_add(out, "%s", type->name); break;
    case FIACRE_TYPE_RANGE:
        print_at(out, type->low, STRENGTH_SUM);
        text_add(out, " .. ");
        print_at(out, type->high, STRENGTH_SUM);
        break;
    case FIACRE_TYPE_ARRAY:
    case FIACRE_TYPE_QUEUE:
        text_add(out, type->kind == FIACRE_TYPE_ARRAY ? "array " : "queue ");
        print_at(out, type->low, STRENGTH_SUM);
        text_add(out, " of ");
        fiacre_print_type(out, type->of);
        break;
    case FIACRE_TYPE_UNION:
    case FIACRE_TYPE_RECORD: print_members(out, type); break;
    }
}

static void print_channel(struct text *out, const struct fiacre_channel *channel)
{
    if (channel->plain) text_add(out, "none");
    for (const struct fiacre_type *type = channel->types; type; type = type->next) {
        fiacre_print_type(out, type);
        if (type->next) text_add(out, " # ");
    }
}

/* ---- statements ---- */

static void new_line(struct text *out, unsigned indent)
{
    text_add(out, "\n%*s", (int)(indent * 4), "");
}

/* Branches of if, select and case, each on lines of its own. */
static void print_branches(struct text *out, const struct fiacre_stmt *stmt, unsigned indent)
{
    uint32_t group = 0;
    for (const struct fiacre_branch *branch = stmt->branches; branch;
         group = branch->group, branch = branch->next) {
        bool first = branch == stmt->branches;
        if (!first || stmt->kind == FIACRE_STMT_CASE) new_line(out, indent);
        if (stmt->kind == FIACRE_STMT_SELECT) {
            text_add(out, first ? "" : branch->group != group ? "unless" : "[]");
        } else if (stmt->kind == FIACRE_STMT_CASE) {
            text_add(out, first ? "" : "| ");
            fiacre_print_exp(out, branch->exp);
            text_add(out, " ->");
        } else if (branch->exp) {
            text_add(out, first ? "if " : "elsif ");
            fiacre_print_exp(out, branch->exp);
            text_add(out, " then");
        } else {
            text_add(out, "else");
        }
        new_line(out, indent + 1);
        fiacre_print_stmt(out, branch->body, indent + 1);
    }
    new_line(out, indent);
    text_add(out, "end");
}

static void print_body(struct text *out, const struct fiacre_stmt *stmt, unsigned indent)
{
    text_add(out, " do");
    new_line(out, indent + 1);
    fiacre_print_stmt(out, stmt->body, indent + 1);
    new_line(out, indent);
    text_add(out, "end");
}

static void print_where(struct text *out, const struct fiacre_exp *exp)
{
    if (!exp) return;
    text_add(out, " where ");
    fiacre_print_exp(out, exp);
}

static void print_one(struct text *out, const struct fiacre_stmt *stmt, unsigned indent)
{
    switch ((enum fiacre_stmt_kind)stmt->kind) {
    case FIACRE_STMT_NULL: text_add(out, "null"); break;
    case FIACRE_STMT_LOOP: text_add(out, "loop"); break;
    case FIACRE_STMT_TO: text_add(out, "to %s", stmt->name); break;
    case FIACRE_STMT_TAG: text_add(out, "#%s", stmt->name); break;
    case FIACRE_STMT_LABEL: text_add(out, "/*@{%s}*/", stmt->name); break;
    case FIACRE_STMT_ON:
    case FIACRE_STMT_RETURN:
        text_add(out, stmt->kind == FIACRE_STMT_ON ? "on " : "return ");
        fiacre_print_exp(out, stmt->exp);
        break;
    case FIACRE_STMT_WAIT:
        text_add(out, "wait ");
        print_interval(out, stmt->interval);
        break;
    case FIACRE_STMT_ASSIGN:
    case FIACRE_STMT_CHOOSE:
        print_list(out, stmt->patterns);
        text_add(out, stmt->kind == FIACRE_STMT_ASSIGN ? " := " : " := any");
        print_list(out, stmt->exps);
        print_where(out, stmt->exp);
        break;
    case FIACRE_STMT_IF: print_branches(out, stmt, indent); break;
    case FIACRE_STMT_SELECT:
        text_add(out, "select");
        print_branches(out, stmt, indent);
        break;
    case FIACRE_STMT_CASE:
        text_add(out, "case ");
        fiacre_print_exp(out, stmt->exp);
        text_add(out, " of");
        print_branches(out, stmt, indent);
        break;
    case FIACRE_STMT_WHILE:
        text_add(out, "while ");
        fiacre_print_exp(out, stmt->exp);
        print_body(out, stmt, indent);
        break;
    case FIACRE_STMT_FOREACH:
        text_add(out, "foreach %s", stmt->name);
        print_body(out, stmt, indent);
        break;
    case FIACRE_STMT_SYNC: text_add(out, "%s", stmt->name); break;
    case FIACRE_STMT_SEND:
        text_add(out, "%s ! ", stmt->name);
        print_list(out, stmt->exps);
        break;
    case FIACRE_STMT_RECEIVE:
        text_add(out, "%s ? ", stmt->name);
        print_list(out, stmt->patterns);
        print_where(out, stmt->exp);
        break;
    }
}

/* Labels are no statements: no `;` separates them from others. */
void fiacre_print_stmt(struct text *out, const struct fiacre_stmt *stmt, unsigned indent)
{
    for (; stmt; stmt = stmt->next) {
        const struct fiacre_stmt *later = stmt->next;
        while (later && later->kind == FIACRE_STMT_LABEL) later = later->next;
        print_one(out, stmt, indent);
        if (stmt->kind != FIACRE_STMT_LABEL && later) text_add(out, ";");
        if (stmt->next && !later)
            text_add(out, " "); /* a label on a line of its own would name what follows */
        else if (stmt->next) new_line(out, indent);
    }
}

/* ---- declarations ---- */

static void print_variables(struct text *out, const struct fiacre_variable *variable,
                            const char *separator)
{
    for (; variable; variable = variable->next) {
        text_add(out, "%s%s : %s%s", variable->by_reference ? "&" : "", variable->name,
                 variable->read ? "read " : "", variable->write ? "write " : "");
        fiacre_print_type(out, variable->type);
        if (variable->init) text_add(out, " := ");
        if (variable->init) fiacre_print_exp(out, variable->init);
        if (variable->next) text_add(out, "%s", separator);
    }
}

static void print_ports(struct text *out, const struct fiacre_port *port, const char *separator)
{
    for (; port; port = port->next) {
        text_add(out, "%s : %s%s", port->name, port->in ? "in " : "", port->out ? "out " : "");
        print_channel(out, port->channel);
        if (port->interval) text_add(out, " in ");
        if (port->interval) print_interval(out, port->interval);
        if (port->probe) print_part(out, " is ", port->probe);
        if (port->next) text_add(out, "%s", separator);
    }
}

static void print_heading(struct text *out, const struct fiacre_port *ports,
                          const struct fiacre_variable *parameters)
{
    if (ports) text_add(out, " [");
    print_ports(out, ports, ", ");
    text_add(out, ports ? "]" : "");
    if (parameters) text_add(out, " (");
    print_variables(out, parameters, ", ");
    text_add(out, parameters ? ") is" : " is");
}

static void print_local_variables(struct text *out, const struct fiacre_variable *variables)
{
    if (!variables) return;
    text_add(out, "\nvar\n    ");
    print_variables(out, variables, ",\n    ");
}

static void print_init(struct text *out, const struct fiacre_stmt *init)
{
    if (!init) return;
    text_add(out, "\ninit\n    ");
    fiacre_print_stmt(out, init, 1);
}

static void print_process(struct text *out, const struct fiacre_process *process)
{
    print_heading(out, process->ports, process->parameters);
    text_add(out, "\nstates ");
    print_names(out, process->states, ", ");
    print_local_variables(out, process->variables);
    print_init(out, process->init);
    for (const struct fiacre_transition *transition = process->transitions; transition;
         transition = transition->next) {
        text_add(out, "\nfrom %s\n    ", transition->state);
        fiacre_print_stmt(out, transition->body, 1);
    }
    text_add(out, "\n");
}

static void print_portset(struct text *out, const struct fiacre_portset *set, const char *end)
{
    if (!set->given) return;
    if (set->all) text_add(out, "*");
    print_names(out, set->names, ", ");
    text_add(out, "%s", end);
}

static void print_block(struct text *out, const struct fiacre_block *block, unsigned indent)
{
    print_portset(out, &block->interface, " -> ");
    if (block->kind == FIACRE_BLOCK_INSTANCE) {
        text_add(out, "%s", block->name);
        if (block->ports) text_add(out, "[");
        print_names(out, block->ports, ", ");
        if (block->ports) text_add(out, "]");
        if (block->has_args) print_brackets(out, "(", block->args, ")");
        return;
    }
    text_add(out, block->portset.given ? "par " : "par");
    print_portset(out, &block->portset, " in");
    for (const struct fiacre_block *inner = block->blocks; inner; inner = inner->next) {
        new_line(out, indent + 1);
        if (inner != block->blocks) text_add(out, "|| ");
        print_block(out, inner, indent + 1);
    }
    new_line(out, indent);
    text_add(out, "end");
}

static void print_component(struct text *out, const struct fiacre_component *component)
{
    print_heading(out, component->ports, component->parameters);
    print_local_variables(out, component->variables);
    if (component->local_ports) text_add(out, "\nport\n    ");
    print_ports(out, component->local_ports, ",\n    ");
    for (const struct fiacre_priority *priority = component->priorities; priority;
         priority = priority->next) {
        text_add(out, priority == component->priorities ? "\npriority\n    " : ",\n    ");
        print_names(out, priority->high, "|");
        text_add(out, " > ");
        print_names(out, priority->low, "|");
    }
    print_init(out, component->init);
    text_add(out, "\n");
    print_block(out, component->composition, 0);
    text_add(out, "\n");
}

static void print_function(struct text *out, const struct fiacre_function *function)
{
    text_add(out, "(");
    print_variables(out, function->parameters, ", ");
    text_add(out, ") : ");
    fiacre_print_type(out, function->result);
    text_add(out, " is");
    print_local_variables(out, function->variables);
    text_add(out, "\nbegin\n    ");
    fiacre_print_stmt(out, function->body, 1);
    text_add(out, "\nend\n");
}

static void print_extern(struct text *out, const struct fiacre_function *function)
{
    text_add(out, "(");
    for (const struct fiacre_type *type = function->arguments; type; type = type->next) {
        fiacre_print_type(out, type);
        if (type->next) text_add(out, ", ");
    }
    text_add(out, ") : ");
    fiacre_print_type(out, function->result);
    text_add(out, " is \"%s\"\n", function->foreign);
}

static void print_assert(struct text *out, const struct fiacre_decl *decl)
{
    text_add(out, "assert %s", decl->name);
    if (decl->when_true) text_add(out, " true \"%s\"", decl->when_true);
    if (decl->when_false) text_add(out, " false \"%s\"", decl->when_false);
    text_add(out, "\n");
}

static void print_property(struct text *out, const struct fiacre_property *property)
{
    text_add(out, "property %s is ", property->name);
    if (property->root->kind != FIACRE_EXP_PATTERN || property->kind != PROPERTY_LTL)
        text_add(out, property->kind == PROPERTY_CTL         ? "ctl "
                      : property->kind == PROPERTY_INVARIANT ? "invariant "
                                                             : "ltl ");
    print_at(out, property->root,
             property->kind == PROPERTY_LTL ? STRENGTH_PATTERN : STRENGTH_PRIMARY);
    text_add(out, "\n");
}

static void print_declaration(struct text *out, const struct fiacre_decl *decl)
{
    switch ((enum fiacre_decl_kind)decl->kind) {
    case FIACRE_DECL_TYPE:
        text_add(out, "type %s is ", decl->name);
        fiacre_print_type(out, decl->type);
        text_add(out, "\n");
        break;
    case FIACRE_DECL_CHANNEL:
        text_add(out, "channel %s is ", decl->name);
        print_channel(out, decl->channel);
        text_add(out, "\n");
        break;
    case FIACRE_DECL_CONST:
        text_add(out, "const %s : ", decl->name);
        fiacre_print_type(out, decl->type);
        text_add(out, " is ");
        fiacre_print_exp(out, decl->exp);
        text_add(out, "\n");
        break;
    case FIACRE_DECL_FUNCTION:
        text_add(out, "function %s", decl->name);
        print_function(out, decl->function);
        break;
    case FIACRE_DECL_EXTERN:
        text_add(out, "extern %s", decl->name);
        print_extern(out, decl->function);
        break;
    case FIACRE_DECL_PROCESS:
        text_add(out, "process %s", decl->name);
        print_process(out, decl->process);
        break;
    case FIACRE_DECL_COMPONENT:
        text_add(out, "component %s", decl->name);
        print_component(out, decl->component);
        break;
    case FIACRE_DECL_PROPERTY: print_property(out, decl->property); break;
    case FIACRE_DECL_ASSERT: print_assert(out, decl); break;
    case FIACRE_DECL_OBSERVER: text_add(out, "%s > %s\n", decl->name, decl->other); break;
    case FIACRE_DECL_ROOT: text_add(out, "%s\n", decl->name); break;
    }
}

void fiacre_print(struct text *out, const struct fiacre_file *file)
{
    for (const struct fiacre_decl *decl = file->decls; decl; decl = decl->next) {
        print_declaration(out, decl);
        if (decl->next
            && (decl->kind != FIACRE_DECL_CONST || decl->next->kind != FIACRE_DECL_CONST))
            text_add(out, "\n");
    }
}
