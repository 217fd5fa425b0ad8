/* A model as one Promela process: a loop with one atomic alternative per rule.
 *
 * Promela assigns one variable at a time, a rule assigns all at once. So each variable v has a copy
 * v_0: a step computes the new values into the copies, moves them to the variables, and sets the
 * copies to 0 again, so that they never tell two states apart.
 *
 * Invariants, on which the comparison of state counts rests:
 *  1. between two steps every copy is 0, and steps are atomic: Spin stores exactly the states of
 *     the model, and one more, the state before the first atomic block;
 *  2. that state has the values of the initial state when the model has only one (variables are
 *     declared with them), so that formulas without X do not see the difference;
 *  3. every variable is read somewhere: Spin leaves variables that are only written out of its
 *     states;
 *  4. a guard implies that nothing of its rule fails (numbers_defined), and && stops early;
 *  5. every guard reads TURN_POR_Off, a shared variable, so that no step is safe for Spin's
 *     partial-order reduction.
 *
 * Processes of one PROC item are an array of a typedef, as long as their declarations are the same,
 * initial values included. */
#include "export/promela.h"

#include "export/names.h"

#include <inttypes.h>
#include <string.h>

struct promela {
    struct model *model;
    FILE *out;
    struct naming naming;
    struct numbers numbers;
    /* per variable */
    const char **field, **copy_field; /* its identifiers in its scope: pc, pc_0 */
    const char **name, **copy;        /* as expressions: a[0].pc, a[0].pc_0 */
    uint32_t *next_var;               /* of the same process, or MODEL_NONE */
    bool *is_read;
    /* per process */
    uint32_t *first_var;  /* or MODEL_NONE */
    uint32_t *shape;      /* the first process with the same declarations */
    uint32_t *array_head; /* the first process of its array */
    const char **type;    /* of heads of shapes */
    const char **array;   /* of heads of arrays */
};

/* Words of Promela, its preprocessor and C, and what the verifier (pan.c) defines. Names that start
 * with an underscore or have capitals only are never used, and need not be here. */
static const char *const reserved_words[] = {
    "D_proctype",
    "active",
    "always",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "equivalent",
    "eval",
    "eventually",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "implies",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "next",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "print",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "release",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "stronguntil",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "until",
    "weakuntil",
    "xr",
    "xs",
    "F",
    "G",
    "R",
    "U",
    "V",
    "W",
    "X",
    "asm",
    "auto",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "define",
    "defined",
    "double",
    "enum",
    "extern",
    "float",
    "include",
    "long",
    "register",
    "restrict",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typeof",
    "union",
    "void",
    "volatile",
    "while",
    "errno",
    "linux",
    "main",
    "stderr",
    "stdin",
    "stdout",
    "unix",
    "sa_handler",
    "sa_sigaction",
    "si_addr",
    "si_band",
    "si_fd",
    "si_int",
    "si_lower",
    "si_overrun",
    "si_pid",
    "si_ptr",
    "si_status",
    "si_stime",
    "si_timerid",
    "si_uid",
    "si_upper",
    "si_utime",
    "si_value",
    "st_atime",
    "st_ctime",
    "st_mtime",
    "Air0",
    "Air1",
    "G_int",
    "G_long",
    "IfNotBlocked",
    "L_ctermid",
    "L_tmpnam",
    "P_tmpdir",
    "PanSource",
    "Pclaim",
    "Pinit",
    "SpinVersion",
    "StackSize",
    "TURN_POR_Off",
    "UnBlock",
    "maxseq0",
    "minseq0",
    "now",
    "pan",
    "sv",
    "this",
    "trpt",
    "uchar",
    "uint",
    "ulong",
    "ushort",
    "wasnew",
    NULL,
};

/* ---- names ---- */

enum { GLOBAL_SCOPE, FIELD_SCOPES };

/* A variable's name without its process. */
static const char *bare_name(const struct model *model, uint32_t v)
{
    const struct model_var *var = &model->vars.data[v];
    if (var->process == MODEL_NONE) return var->name;
    const char *owner = model->processes.data[var->process].name;
    size_t length = strlen(owner);
    return !strncmp(var->name, owner, length) && var->name[length] == '.' ? var->name + length + 1
                                                                          : var->name;
}

static bool same_declaration(const struct model *model, uint32_t v, uint32_t w)
{
    const struct model_var *a = &model->vars.data[v], *b = &model->vars.data[w];
    return a->low == b->low && a->high == b->high && a->any_init == b->any_init
           && (a->any_init || a->init == b->init)
           && !strcmp(bare_name(model, v), bare_name(model, w));
}

static bool same_shape(const struct promela *p, uint32_t a, uint32_t b)
{
    const struct model_process *processes = p->model->processes.data;
    if (strcmp(processes[a].type, processes[b].type)) return false;
    uint32_t v = p->first_var[a], w = p->first_var[b];
    for (; v != MODEL_NONE && w != MODEL_NONE; v = p->next_var[v], w = p->next_var[w])
        if (!same_declaration(p->model, v, w)) return false;
    return v == w;
}

static bool same_item(const char *a, const char *b)
{
    size_t length = strcspn(a, "[");
    return a[length] && strcspn(b, "[") == length && !strncmp(a, b, length + 1);
}

static void group_processes(struct promela *p)
{
    const struct model_process *processes = p->model->processes.data;
    for (uint32_t i = 0; i < p->model->processes.len; i++) {
        bool repeats = i && same_shape(p, p->shape[i - 1], i); /* nearly always, in a long array */
        p->shape[i] = repeats ? p->shape[i - 1] : i;
        for (uint32_t k = 0; k < i && p->shape[i] == i; k++)
            if (p->shape[k] == k && same_shape(p, k, i)) p->shape[i] = k;
        bool joins = i && p->shape[i] == p->shape[i - 1]
                     && same_item(processes[i].name, processes[i - 1].name);
        p->array_head[i] = joins ? p->array_head[i - 1] : i;
    }
}

/* The array `a` starts with a[0]; when later instances are declared differently, theirs is a_3 and
 * starts with a[3]. */
static const char *array_name(const struct promela *p, uint32_t process)
{
    struct names *names = &p->model->names;
    const char *name = p->model->processes.data[process].name;
    size_t length = strcspn(name, "[");
    return !strcmp(name + length, "[0]") ? names_intern(names, name, length) : name;
}

static void name_fields(struct promela *p, uint32_t process)
{
    uint32_t scope = FIELD_SCOPES + process;
    for (uint32_t v = p->first_var[process]; v != MODEL_NONE; v = p->next_var[v])
        p->field[v] = names_pick(&p->naming, scope, bare_name(p->model, v));
    for (uint32_t v = p->first_var[process]; v != MODEL_NONE; v = p->next_var[v])
        p->copy_field[v] =
            names_pick(&p->naming, scope, names_format(&p->model->names, "%s_0", p->field[v]));
}

static void name_process(struct promela *p, uint32_t i)
{
    struct names *names = &p->model->names;
    uint32_t head = p->array_head[i], shape = p->shape[i];
    if (p->first_var[i] == MODEL_NONE) return;
    if (shape == i) {
        name_fields(p, i);
        p->type[i] = names_pick(&p->naming, GLOBAL_SCOPE,
                                names_format(names, "%s__TYPE", p->model->processes.data[i].type));
    }
    if (head == i) p->array[i] = names_pick(&p->naming, GLOBAL_SCOPE, array_name(p, i));
    uint32_t w = p->first_var[shape];
    for (uint32_t v = p->first_var[i]; v != MODEL_NONE; v = p->next_var[v], w = p->next_var[w]) {
        p->name[v] =
            names_format(names, "%s[%" PRIu32 "].%s", p->array[head], i - head, p->field[w]);
        p->copy[v] =
            names_format(names, "%s[%" PRIu32 "].%s", p->array[head], i - head, p->copy_field[w]);
    }
}

static void name_all(struct promela *p)
{
    struct model *model = p->model;
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (model->vars.data[v].process == MODEL_NONE)
            p->name[v] = names_pick(&p->naming, GLOBAL_SCOPE, model->vars.data[v].name);
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (model->vars.data[v].process == MODEL_NONE)
            p->copy[v] = names_pick(&p->naming, GLOBAL_SCOPE,
                                    names_format(&model->names, "%s_0", p->name[v]));
    for (uint32_t i = 0; i < model->processes.len; i++) name_process(p, i);
}

static void link_vars(struct promela *p)
{
    struct model *model = p->model;
    for (uint32_t i = 0; i < model->processes.len; i++) p->first_var[i] = MODEL_NONE;
    for (uint32_t v = model->vars.len; v-- > 0;) {
        uint32_t owner = model->vars.data[v].process;
        p->next_var[v] = MODEL_NONE;
        if (owner == MODEL_NONE) continue;
        p->next_var[v] = p->first_var[owner];
        p->first_var[owner] = v;
    }
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t i = 0; i < rule->reads; i++)
            p->is_read[model->accesses.data[rule->first_read + i]] = true;
    }
}

/* ---- expressions ---- */

static const char *const symbols[EXPR_OPS] = {
    [EXPR_AND] = "&&", [EXPR_OR] = "||", [EXPR_EQ] = "==", [EXPR_NE] = "!=", [EXPR_LT] = "<",
    [EXPR_LE] = "<=",  [EXPR_GT] = ">",  [EXPR_GE] = ">=", [EXPR_ADD] = "+", [EXPR_SUB] = "-",
    [EXPR_MUL] = "*",  [EXPR_DIV] = "/", [EXPR_MOD] = "%",
};

/* Formulas know -> and <->, conditions do not; in formulas == between conditions is not
 * understood. */
enum use { IN_CONDITION, IN_FORMULA };

static void print_expr(struct promela *p, expr e, enum use use);

static void print_binary(struct promela *p, const struct expr_node *node, const char *symbol,
                         enum use use)
{
    print_expr(p, node->a, use);
    fprintf(p->out, " %s ", symbol);
    print_expr(p, node->b, use);
}

static void print_arithmetic(struct promela *p, expr e, const struct expr_node *node, enum use use)
{
    bool reduce = numbers_wrap(&p->numbers, e);
    if (reduce) fputc('(', p->out);
    if (node->op == EXPR_CUT) print_expr(p, node->a, use);
    else {
        fputc('(', p->out);
        print_binary(p, node, symbols[node->op], use);
        fputc(')', p->out);
    }
    if (reduce) fprintf(p->out, " & %" PRIu64 ")", expr_mask(node->bits));
}

/* A conditional expression; formulas do not have it, but they choose between conditions only
 * (without_choice). */
static void print_choice(struct promela *p, const struct expr_node *node, enum use use)
{
    static const char *const between[][4] = {
        [IN_CONDITION] = {"(", " -> ", " : ", ")"}, [IN_FORMULA] = {"((", " && ", ") || (!", "))"}};
    fputs(between[use][0], p->out);
    print_expr(p, node->a, use);
    fputs(between[use][1], p->out);
    print_expr(p, node->b, use);
    fputs(between[use][2], p->out);
    if (use == IN_FORMULA) {
        print_expr(p, node->a, use);
        fputs(" && ", p->out);
    }
    print_expr(p, node->c, use);
    fputs(between[use][3], p->out);
}

static void print_bool(struct promela *p, const struct expr_node *node, enum use use)
{
    bool negated = node->op == EXPR_NOT || (node->op == EXPR_IMPLIES && use == IN_CONDITION);
    fputs(negated ? "(!" : "(", p->out); /* always parenthesised: !! is an operator on channels */
    if (node->op == EXPR_NOT) print_expr(p, node->a, use);
    else if (node->op == EXPR_IMPLIES)
        print_binary(p, node, use == IN_CONDITION ? "||" : "->", use);
    else if (node->op == EXPR_IFF) print_binary(p, node, use == IN_CONDITION ? "==" : "<->", use);
    else print_binary(p, node, symbols[node->op], use);
    fputc(')', p->out);
}

/* Parentheses are around everything but names and numbers, because the two languages in one
 * (conditions and formulas) do not agree on how tightly their operators bind. */
static void print_expr(struct promela *p, expr e, enum use use)
{
    struct expr_node node = *expr_get(&p->model->exprs, e);
    if (node.op == EXPR_CONST && node.is_bool) fputs(node.value ? "true" : "false", p->out);
    else if (node.op == EXPR_CONST)
        fprintf(p->out, node.value < 0 ? "(%" PRId64 ")" : "%" PRId64, node.value);
    else if (node.op == EXPR_VAR) fputs(p->name[node.value], p->out);
    else if (node.op == EXPR_FAIL) fputc('0', p->out); /* never evaluated */
    else if (node.op == EXPR_WITHIN) print_expr(p, node.a, use);
    else if (node.op == EXPR_CHOOSE) print_choice(p, &node, use);
    else if (node.is_bool) print_bool(p, &node, use);
    else print_arithmetic(p, e, &node, use);
}

/* A part of a guard, with the && behind it. */
static void print_conjunct(struct promela *p, expr e)
{
    struct expr_node node = *expr_get(&p->model->exprs, e);
    if (expr_is_true(&p->model->exprs, e)) return;
    bool plain = expr_table[node.op].arity == 2 && !expr_table[node.op].takes_bool;
    if (plain) print_binary(p, &node, symbols[node.op], IN_CONDITION);
    else print_expr(p, e, IN_CONDITION);
    fputs(" && ", p->out);
}

/* ---- declarations ---- */

static void print_declaration(struct promela *p, const struct model_var *var, const char *name,
                              int64_t init)
{
    if (var->low < 0) fprintf(p->out, "int %s = %" PRId64 ";\n", name, init);
    else
        fprintf(p->out, "unsigned %s : %u = %" PRId64 ";\n", name, expr_width((uint64_t)var->high),
                init);
}

static int64_t declared_value(const struct model_var *var)
{
    return var->any_init ? var->low : var->init;
}

static void print_type(struct promela *p, uint32_t process)
{
    fprintf(p->out, "\ntypedef %s {\n", p->type[process]);
    for (uint32_t v = p->first_var[process]; v != MODEL_NONE; v = p->next_var[v]) {
        const struct model_var *var = &p->model->vars.data[v];
        fputs("  ", p->out);
        print_declaration(p, var, p->field[v], declared_value(var));
        fputs("  ", p->out);
        print_declaration(p, var, p->copy_field[v], 0);
    }
    fputs("}\n", p->out);
}

static void print_declarations(struct promela *p)
{
    struct model *model = p->model;
    fputs("bool TURN_POR_Off = true;\n", p->out);
    bool any = false;
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        if (var->process != MODEL_NONE) continue;
        if (!any) fputc('\n', p->out);
        any = true;
        fputs("local ", p->out);
        print_declaration(p, var, p->name[v], declared_value(var));
        fputs("local ", p->out);
        print_declaration(p, var, p->copy[v], 0);
    }
    uint32_t count = model->processes.len;
    for (uint32_t i = 0; i < count; i++) {
        if (p->type[i]) print_type(p, i);
        if (!p->array[i]) continue;
        uint32_t end = i + 1;
        while (end < count && p->array_head[end] == i) end++;
        fprintf(p->out, "local %s %s[%" PRIu32 "];\n", p->type[p->shape[i]], p->array[i], end - i);
    }
}

/* ---- steps ---- */

static void print_listed(struct promela *p)
{
    const struct model *model = p->model;
    fputs("    if\n", p->out);
    for (uint32_t i = 0; i < model->initial.len; i++) {
        uint32_t v = i % model->vars.len;
        fprintf(p->out, "%s%s = %" PRId64 "%s", v ? " " : "    :: ", p->name[v],
                model->initial.data[i], v + 1 < model->vars.len ? ";" : "\n");
    }
    fputs("    fi", p->out);
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (!p->is_read[v])
            fprintf(p->out, ";\n    (%s == %s) /* no rule reads it */", p->name[v], p->name[v]);
    fputs("\n  }\n", p->out);
}

static void print_initial_values(struct promela *p)
{
    fputs("  atomic {\n", p->out);
    if (model_lists_initial(p->model)) {
        print_listed(p);
        return;
    }
    for (uint32_t v = 0; v < p->model->vars.len; v++) {
        const struct model_var *var = &p->model->vars.data[v];
        fprintf(p->out, "    %s = %" PRId64 ";\n", p->name[v], declared_value(var));
        if (var->any_init)
            fprintf(p->out, "    do :: %s < %" PRId64 " -> %s++ :: break od;\n", p->name[v],
                    var->high, p->name[v]);
        else if (!p->is_read[v])
            fprintf(p->out, "    (%s == %" PRId64 "); /* no rule reads it */\n", p->name[v],
                    var->init);
    }
    fputs(p->model->vars.len ? "  }\n" : "    skip\n  }\n", p->out);
}

static void print_guard(struct promela *p, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        expr cond = p->model->conjuncts.data[rule->first_conjunct + i].cond;
        print_conjunct(p, numbers_defined(&p->numbers, cond));
        print_conjunct(p, cond);
    }
    for (uint32_t i = 0; i < rule->stores; i++)
        print_conjunct(
            p, numbers_defined(&p->numbers, p->model->stores.data[rule->first_store + i].value));
    fputs("TURN_POR_Off ->", p->out);
}

static void print_rule(struct promela *p, const struct model_rule *rule)
{
    struct model *model = p->model;
    const struct rule_store *stores = model->stores.data + rule->first_store;
    uint32_t process = rule->parts == 1 ? model->parts.data[rule->first_part].process : MODEL_NONE;
    fputs("    /* ", p->out);
    if (process != MODEL_NONE) {
        names_print_comment(p->out, model->processes.data[process].name);
        fputs(": ", p->out);
    }
    names_print_comment(p->out, rule->label);
    names_print_lines(p->out, model, rule);
    fputs(" */\n    :: atomic { ", p->out);
    print_guard(p, rule);
    if (!rule->stores) fputs(" skip", p->out);
    for (uint32_t i = 0; i < rule->stores; i++) {
        fprintf(p->out, "\n         %s = ", p->copy[stores[i].var]);
        print_expr(p, stores[i].value, IN_CONDITION);
        fputc(';', p->out);
    }
    for (uint32_t i = 0; i < rule->stores; i++)
        fprintf(p->out, "%s%s = %s;", i ? " " : "\n         ", p->name[stores[i].var],
                p->copy[stores[i].var]);
    for (uint32_t i = 0; i < rule->stores; i++)
        fprintf(p->out, "%s%s = 0%s", i ? " " : "\n         ", p->copy[stores[i].var],
                i + 1 < rule->stores ? ";" : "");
    fputs(rule->stores ? "\n       }\n" : " }\n", p->out);
}

static void print_process(struct promela *p)
{
    fputs("\ninit {\n", p->out);
    print_initial_values(p);
    fputs("\n  do\n", p->out);
    for (uint32_t r = 0; r < p->model->rules.len; r++) print_rule(p, &p->model->rules.data[r]);
    if (!p->model->rules.len)
        fputs("    :: atomic { false && TURN_POR_Off -> skip } /* the model has no rules */\n",
              p->out);
    fputs("  od\n}\n", p->out);
}

/* ---- properties ---- */

static const char *const temporal[FORMULA_OPS] = {
    [FORMULA_NOT] = "!",   [FORMULA_AND] = "&&", [FORMULA_OR] = "||", [FORMULA_IMPLIES] = "->",
    [FORMULA_IFF] = "<->", [FORMULA_F] = "<>",   [FORMULA_G] = "[]",  [FORMULA_U] = "U",
    [FORMULA_R] = "V",     [FORMULA_W] = "W",
};

/* ---- formulas choose between conditions, not between numbers ---- */

enum { MAX_COMPARISONS = 2000 };

/* A choice between numbers in a number; false: there is none. */
static bool find_choice(const struct promela *p, expr e, expr *choice)
{
    const struct expr_node *node = expr_get(&p->model->exprs, e);
    if (node->op == EXPR_CHOOSE) return *choice = e, true;
    if (expr_table[node->op].arity >= 1 && find_choice(p, node->a, choice)) return true;
    return expr_table[node->op].arity == 2 && find_choice(p, node->b, choice);
}

static expr with_branch(struct promela *p, expr e, expr choice, bool value)
{
    struct exprs *exprs = &p->model->exprs;
    const struct expr_node node = *expr_get(exprs, e);
    if (expr_same(e, choice)) return value ? node.b : node.c;
    if (!expr_table[node.op].arity || expr_table[node.op].arity > 2)
        return e; /* one choice at a time: others stay */
    expr a = with_branch(p, node.a, choice, value);
    return expr_make(exprs, node.op, node.bits, a,
                     expr_table[node.op].arity == 2 ? with_branch(p, node.b, choice, value) : a);
}

/* x < (c ? a : b) becomes c ? x < a : x < b. */
static expr without_choice(struct promela *p, expr e, unsigned *comparisons)
{
    struct exprs *exprs = &p->model->exprs;
    const struct expr_node node = *expr_get(exprs, e);
    expr choice, a, b;
    if (node.op == EXPR_CONST || ++*comparisons > MAX_COMPARISONS) return e;
    if (node.op == EXPR_CHOOSE) {
        a = without_choice(p, node.a, comparisons);
        b = without_choice(p, node.b, comparisons);
        return expr_choose(exprs, a, b, without_choice(p, node.c, comparisons));
    }
    if (expr_table[node.op].takes_bool) {
        a = without_choice(p, node.a, comparisons);
        return expr_make(exprs, node.op, 0, a,
                         expr_table[node.op].arity == 2 ? without_choice(p, node.b, comparisons)
                                                        : a);
    }
    if (!find_choice(p, e, &choice)) return e;
    expr cond = without_choice(p, expr_get(exprs, choice)->a, comparisons);
    a = without_choice(p, with_branch(p, e, choice, true), comparisons);
    b = without_choice(p, with_branch(p, e, choice, false), comparisons);
    return expr_choose(exprs, cond, a, b);
}

static const char *atom_obstacle(struct promela *p, expr atom)
{
    unsigned comparisons = 0;
    if (expr_get(&p->model->exprs, atom)->may_fail) return "it may fail";
    without_choice(p, atom, &comparisons);
    return comparisons > MAX_COMPARISONS ? "it has too many choices" : NULL;
}

/* Why a formula has no ltl block. Its conditions may be taken apart by Spin, so that the order that
 * guards a division is lost. */
static const char *formula_obstacle(struct promela *p, formula f)
{
    const struct formula_node *node = formula_get(&p->model->formulas, f);
    const struct formula_info *info = &formula_table[node->op];
    if (node->op == FORMULA_X)
        return "X needs a Spin verifier of its own (-DNXT), and counts the step that sets the "
               "initial values";
    if (node->op == FORMULA_ATOM) return atom_obstacle(p, node->atom);
    const char *obstacle = formula_obstacle(p, node->a);
    return obstacle || info->arity < 2 ? obstacle : formula_obstacle(p, node->b);
}

static void print_formula(struct promela *p, formula f)
{
    const struct formula_node *node = formula_get(&p->model->formulas, f);
    if (node->op == FORMULA_ATOM) {
        unsigned comparisons = 0;
        print_expr(p, without_choice(p, node->atom, &comparisons), IN_FORMULA);
        return;
    }
    fputc('(', p->out);
    if (formula_table[node->op].arity == 2) {
        print_formula(p, node->a);
        fprintf(p->out, " %s ", temporal[node->op]);
        print_formula(p, node->b);
    } else {
        fprintf(p->out, "%s ", temporal[node->op]);
        print_formula(p, node->a);
    }
    fputc(')', p->out);
}

static void print_property(struct promela *p, const struct model_property *property)
{
    const char *obstacle = property->kind == PROPERTY_CTL ? "Spin has no CTL"
                           : property->kind == PROPERTY_REACH
                               ? "Spin has no formulas about some run"
                               : formula_obstacle(p, property->root);
    fputs("\n/* ", p->out);
    names_print_comment(p->out, property->name);
    fputs(": ", p->out);
    names_print_comment(p->out, property->text);
    if (obstacle) fprintf(p->out, "\n   is left out: %s.", obstacle);
    fputs(" */\n", p->out);
    if (obstacle) return;
    fprintf(p->out, "ltl %s { %s", names_pick(&p->naming, GLOBAL_SCOPE, property->name),
            property->kind == PROPERTY_LTL ? "" : "[] ");
    print_formula(p, property->root);
    fputs(" }\n", p->out);
}

/* ---- the file ---- */

static void print_head(struct promela *p)
{
    bool several = p->model->initial.len > p->model->vars.len;
    for (uint32_t v = 0; v < p->model->vars.len; v++)
        if (p->model->vars.data[v].any_init
            && p->model->vars.data[v].low < p->model->vars.data[v].high)
            several = true;
    fputs("/* ", p->out);
    names_print_comment(p->out, p->model->name);
    fputs(", written by cairn.\n\n"
          "   All states and deadlocks, without reduction:\n"
          "     spin -a FILE && gcc -O2 -DNOREDUCE -DNOCLAIM -DSAFETY -o pan pan.c && ./pan "
          "-m1000000 -c0\n"
          "   Spin stores one state more than the model has: the one before the initial values are "
          "set.\n"
          "   A state without a step is an invalid end state. Large models need -DVECTORSZ=... as "
          "well.\n",
          p->out);
    if (several)
        fputs("\n   The model has several initial states, a Promela system has one: here an extra "
              "first state chooses among them.\n"
              "   A property may hold in one of the two systems and not in the other, since it "
              "also speaks of that state.\n",
              p->out);
    fputs("*/\n", p->out);
}

static void start(struct promela *p, struct model *model, FILE *out)
{
    struct arena *arena = &model->arena;
    uint32_t vars = model->vars.len + 1, processes = model->processes.len + 1;
    *p = (struct promela){.model = model, .out = out};
    names_start(&p->naming, model, reserved_words, true);
    numbers_start(&p->numbers, model, "Promela", 31);
    p->field = arena_alloc(arena, vars * sizeof *p->field);
    p->copy_field = arena_alloc(arena, vars * sizeof *p->copy_field);
    p->name = arena_alloc(arena, vars * sizeof *p->name);
    p->copy = arena_alloc(arena, vars * sizeof *p->copy);
    p->next_var = arena_alloc(arena, vars * sizeof *p->next_var);
    p->is_read = arena_alloc(arena, vars * sizeof *p->is_read);
    p->first_var = arena_alloc(arena, processes * sizeof *p->first_var);
    p->shape = arena_alloc(arena, processes * sizeof *p->shape);
    p->array_head = arena_alloc(arena, processes * sizeof *p->array_head);
    p->type = arena_alloc(arena, processes * sizeof *p->type);
    p->array = arena_alloc(arena, processes * sizeof *p->array);
}

const char *promela_write(struct model *model, FILE *out)
{
    struct promela p;
    start(&p, model, out);
    const char *reason = numbers_check(&p.numbers);
    if (!reason) {
        link_vars(&p);
        group_processes(&p);
        name_all(&p);
        print_head(&p);
        print_declarations(&p);
        print_process(&p);
        p.naming.capitals_taken = false; /* names of formulas never become names of C */
        for (uint32_t i = 0; i < model->properties.len; i++)
            if (model->properties.data[i].kind <= PROPERTY_REACH)
                print_property(&p, &model->properties.data[i]);
    }
    numbers_finish(&p.numbers);
    names_finish(&p.naming);
    return reason;
}
