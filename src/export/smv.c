/* A model as one NuSMV module: an input variable for the action, and a transition relation with one disjunct per rule.
 *
 * Each disjunct is the guard of its rule, the condition that the rule divides by nothing that is zero (numbers_defined), and a value for
 * next(v) of every variable v. NuSMV evaluates both operands of every connective, so a divisor that may be zero is
 * replaced by 1 where it is zero; the condition makes sure that this value is never used.
 *
 * NuSMV's CTL has no R and W. With the definitions of the contract they become
 *   A[f R g] = !E[!f U !g]             E[f R g] = !A[!f U !g]
 *   A[f W g] = !E[!g U (!f & !g)]      E[f W g] = !A[!g U (!f & !g)]
 * and in LTL R is V and f W g is (f U g) | G f.
 *
 * Actions of one process have its name in front; rules with the same action of the same processes share one value of `action`. */
#include "export/smv.h"

#include "export/names.h"

#include <inttypes.h>
#include <string.h>

struct smv {
    struct model *model;
    FILE *out;
    struct naming naming;
    struct numbers numbers;
    const char *action;       /* the input variable */
    const char **name;        /* per variable */
    const char **rule_action; /* per rule */
    uint32_t *store;          /* per variable: the store of the current rule, + 1 */
};

/* Words of NuSMV 2.4 to 2.7 and of nuXmv. */
static const char *const reserved_words[] = {
    "A", "ABF", "ABG", "AF", "AG", "ASSIGN", "AX", "BU", "COMPASSION", "COMPID", "COMPUTE", "COMPWFF", "CONSTANTS", "CONSTARRAY",
    "CONSTRAINT", "CTLSPEC", "CTLWFF", "DEFINE", "E", "EBF", "EBG", "EF", "EG", "EX", "F", "FAIRNESS", "FALSE", "FROZENVAR", "FUN",
    "G", "H", "IN", "INIT", "INVAR", "INVARSPEC", "ISA", "ITYPE", "IVAR", "Integer", "JUSTICE", "LTLSPEC", "LTLWFF", "MAX", "MDEFINE",
    "MIN", "MIRROR", "MODULE", "NAME", "NEXTWFF", "O", "PARSYNTH", "PRED", "PREDICATES", "PSLSPEC", "PSLWFF", "READ", "Real", "S",
    "SIMPWFF", "SPEC", "T", "TRANS", "TRUE", "U", "URGENT", "V", "VALID", "VAR", "WRITE", "Word", "X", "Y", "Z", "abs", "acos", "array",
    "asin", "at", "atan", "bool", "boolean", "case", "clock", "cos", "count", "esac", "exp", "extend", "floor", "in", "init", "integer",
    "last", "ln", "max", "min", "mod", "next", "noncontinuous", "of", "once", "pi", "pow", "process", "real", "resize", "running",
    "self", "signed", "since", "sin", "sizeof", "swconst", "tan", "time", "toint", "typeof", "union", "unsigned", "until", "uwconst",
    "word", "word1", "xnor", "xor", NULL,
};

/* ---- names ---- */

static uint32_t rule_process(const struct model *model, const struct model_rule *rule)
{
    return rule->parts == 1 ? model->parts.data[rule->first_part].process : MODEL_NONE;
}

/* Finds the action of each rule; *count is how many different ones there are, which come first in the result. */
static const char **name_actions(struct smv *s, uint32_t *count)
{
    struct model *model = s->model;
    const char **actions = arena_alloc(&model->arena, (model->rules.len + 1) * sizeof *actions);
    struct map seen;
    map_init(&seen, model->mem);
    *count = 0;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        uint32_t process = rule_process(model, rule);
        const char *label = names_intern(&model->names, rule->label, strlen(rule->label));
        uint32_t known = map_get(&seen, label, process);
        if (known == MAP_NONE) {
            known = (*count)++;
            map_add(&seen, label, process, known);
            if (process != MODEL_NONE) label = names_format(&model->names, "%s_%s", model->processes.data[process].name, label);
            actions[known] = names_pick(&s->naming, 0, label);
        }
        s->rule_action[r] = actions[known];
    }
    mem_free(model->mem, seen.entries);
    return actions;
}

static void start(struct smv *s, struct model *model, FILE *out)
{
    *s = (struct smv){.model = model, .out = out};
    names_start(&s->naming, model, reserved_words, false);
    numbers_start(&s->numbers, model, "NuSMV", 30);
    s->name = arena_alloc(&model->arena, (model->vars.len + 1) * sizeof *s->name);
    s->rule_action = arena_alloc(&model->arena, (model->rules.len + 1) * sizeof *s->rule_action);
    s->store = arena_alloc(&model->arena, (model->vars.len + 1) * sizeof *s->store);
    s->action = names_pick(&s->naming, 0, "action");
    for (uint32_t v = 0; v < model->vars.len; v++) s->name[v] = names_pick(&s->naming, 0, model->vars.data[v].name);
}

static void finish(struct smv *s)
{
    numbers_finish(&s->numbers);
    names_finish(&s->naming);
}

/* ---- expressions ---- */

static const char *const symbols[EXPR_OPS] = {
    [EXPR_AND] = "&", [EXPR_OR] = "|",  [EXPR_IMPLIES] = "->", [EXPR_IFF] = "<->", [EXPR_EQ] = "=",  [EXPR_NE] = "!=",  [EXPR_LT] = "<",
    [EXPR_LE] = "<=", [EXPR_GT] = ">",  [EXPR_GE] = ">=",      [EXPR_ADD] = "+",   [EXPR_SUB] = "-", [EXPR_MUL] = "*", [EXPR_DIV] = "/",
    [EXPR_MOD] = "mod",
};

static void print_expr(struct smv *s, expr e);

static void print_divisor(struct smv *s, expr e)
{
    fputs("(case ", s->out);
    print_expr(s, e);
    fputs(" = 0 : 1; TRUE : ", s->out);
    print_expr(s, e);
    fputs("; esac)", s->out);
}

static void print_binary(struct smv *s, const struct expr_node *node)
{
    print_expr(s, node->a);
    fprintf(s->out, " %s ", symbols[node->op]);
    if (numbers_by_zero(&s->model->exprs, node)) print_divisor(s, node->b);
    else print_expr(s, node->b);
}

static void print_arithmetic(struct smv *s, expr e, const struct expr_node *node)
{
    bool reduce = numbers_wrap(&s->numbers, e), alone = node->op == EXPR_CUT;
    uint64_t modulus = expr_mask(node->bits) + 1;
    if (reduce) fputc('(', s->out);
    if (!alone) fputc('(', s->out);
    if (alone) print_expr(s, node->a);
    else print_binary(s, node);
    if (reduce && node->op == EXPR_SUB) fprintf(s->out, " + %" PRIu64, modulus); /* mod of a negative number depends on the version */
    if (!alone) fputc(')', s->out);
    if (reduce) fprintf(s->out, " mod %" PRIu64 ")", modulus);
}

static void print_expr(struct smv *s, expr e)
{
    struct expr_node node = *expr_get(&s->model->exprs, e);
    if (node.op == EXPR_CONST && node.is_bool) fputs(node.value ? "TRUE" : "FALSE", s->out);
    else if (node.op == EXPR_CONST) fprintf(s->out, "%" PRId64, node.value);
    else if (node.op == EXPR_VAR) fputs(s->name[node.value], s->out);
    else if (node.op == EXPR_NOT) {
        fputc('!', s->out);
        print_expr(s, node.a);
    } else if (node.is_bool) {
        fputc('(', s->out);
        print_binary(s, &node);
        fputc(')', s->out);
    } else print_arithmetic(s, e, &node);
}

/* A part of a disjunct, with the & before it. */
static void print_conjunct(struct smv *s, expr e)
{
    struct expr_node node = *expr_get(&s->model->exprs, e);
    if (expr_is_true(&s->model->exprs, e)) return;
    fputs(" & ", s->out);
    if (expr_table[node.op].arity == 2 && !expr_table[node.op].takes_bool) print_binary(s, &node);
    else print_expr(s, e);
}

/* ---- the transition system ---- */

static void print_declarations(struct smv *s)
{
    struct model *model = s->model;
    uint32_t count;
    const char **actions = name_actions(s, &count);
    fputs("MODULE main\n", s->out);
    for (uint32_t i = 0; i < count; i++) {
        if (!i) fprintf(s->out, "\nIVAR\n  %s : {", s->action);
        fprintf(s->out, "%s%s", i ? ", " : "", actions[i]);
    }
    if (count) fputs("};\n", s->out);
    if (model->vars.len) fputs("\nVAR\n", s->out);
    for (uint32_t v = 0; v < model->vars.len; v++)
        fprintf(s->out, "  %s : %" PRId64 "..%" PRId64 ";\n", s->name[v], model->vars.data[v].low, model->vars.data[v].high);
    fputs("\nINIT\n  ", s->out);
    bool any = false;
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        if (var->any_init) continue;
        fprintf(s->out, "%s%s = %" PRId64, any ? " & " : "", s->name[v], var->init);
        any = true;
    }
    fputs(any ? ";\n" : "TRUE;\n", s->out);
}

static void print_rule(struct smv *s, uint32_t r)
{
    struct model *model = s->model;
    const struct model_rule *rule = &model->rules.data[r];
    fprintf(s->out, "  %s(%s = %s", r ? "| " : "  ", s->action, s->rule_action[r]);
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        expr cond = model->conjuncts.data[rule->first_conjunct + i].cond;
        print_conjunct(s, numbers_defined(&model->exprs, cond));
        print_conjunct(s, cond);
    }
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        print_conjunct(s, numbers_defined(&model->exprs, store->value));
        s->store[store->var] = rule->first_store + i + 1;
    }
    if (model->vars.len) fputs(" &\n      ", s->out);
    for (uint32_t v = 0; v < model->vars.len; v++) {
        fprintf(s->out, "%snext(%s) = ", v ? " & " : "", s->name[v]);
        if (s->store[v]) print_expr(s, model->stores.data[s->store[v] - 1].value);
        else fputs(s->name[v], s->out);
    }
    fputc(')', s->out);
    fputs(" -- ", s->out);
    names_print_comment(s->out, rule->label);
    names_print_lines(s->out, model, rule);
    fputc('\n', s->out);
    for (uint32_t i = 0; i < rule->stores; i++) s->store[model->stores.data[rule->first_store + i].var] = 0;
}

static void print_relation(struct smv *s)
{
    fputs("\nTRANS\n", s->out);
    for (uint32_t r = 0; r < s->model->rules.len; r++) print_rule(s, r);
    if (!s->model->rules.len) fputs("  FALSE\n", s->out);
}

/* ---- properties ---- */

static void print_formula(struct smv *s, formula f);

/* A condition that divides by zero is false. */
static void print_atom(struct smv *s, expr atom)
{
    expr defined = numbers_defined(&s->model->exprs, atom);
    print_expr(s, expr_make(&s->model->exprs, EXPR_AND, 0, defined, atom));
}

static void print_two(struct smv *s, const char *before, formula a, const char *between, formula b, const char *after)
{
    fputs(before, s->out);
    print_formula(s, a);
    fputs(between, s->out);
    print_formula(s, b);
    fputs(after, s->out);
}

static void print_quantified(struct smv *s, bool all, const struct formula_node *path)
{
    char same = all ? 'A' : 'E', dual = all ? 'E' : 'A';
    switch (path->op) {
    case FORMULA_U:
        fputc(same, s->out);
        print_two(s, "[", path->a, " U ", path->b, "]");
        break;
    case FORMULA_R:
        fprintf(s->out, "!%c", dual);
        print_two(s, "[!", path->a, " U !", path->b, "]");
        break;
    case FORMULA_W:
        fprintf(s->out, "!%c[!", dual);
        print_formula(s, path->b);
        print_two(s, " U (!", path->a, " & !", path->b, ")]");
        break;
    default: /* X, F, G */
        fprintf(s->out, "%c%s ", same, formula_table[path->op].symbol);
        print_formula(s, path->a);
    }
}

static void print_path(struct smv *s, const struct formula_node *node)
{
    static const char *const between[FORMULA_OPS] = {
        [FORMULA_AND] = " & ",     [FORMULA_OR] = " | ", [FORMULA_IMPLIES] = " -> ",
        [FORMULA_IFF] = " <-> ", [FORMULA_U] = " U ",  [FORMULA_R] = " V ",
    };
    switch (node->op) {
    case FORMULA_NOT:
    case FORMULA_X:
    case FORMULA_F:
    case FORMULA_G:
        fprintf(s->out, "%s ", formula_table[node->op].symbol);
        print_formula(s, node->a);
        break;
    case FORMULA_W:
        print_two(s, "(", node->a, " U ", node->b, ") | G ");
        print_formula(s, node->a);
        break;
    default: print_two(s, "", node->a, between[node->op], node->b, "");
    }
}

static void print_formula(struct smv *s, formula f)
{
    const struct formula_node *node = formula_get(&s->model->formulas, f);
    if (node->op == FORMULA_ATOM) {
        print_atom(s, node->atom);
        return;
    }
    fputc('(', s->out);
    if (node->op == FORMULA_A || node->op == FORMULA_E)
        print_quantified(s, node->op == FORMULA_A, formula_get(&s->model->formulas, node->a));
    else print_path(s, node);
    fputc(')', s->out);
}

static void print_property(struct smv *s, const struct model_property *property)
{
    static const char *const sections[] = {
        [PROPERTY_CTL] = "CTLSPEC", [PROPERTY_LTL] = "LTLSPEC", [PROPERTY_INVARIANT] = "INVARSPEC"};
    fputs("\n-- ", s->out);
    names_print_comment(s->out, property->name);
    fputs(": ", s->out);
    names_print_comment(s->out, property->text);
    fprintf(s->out, "\n%s NAME %s := ", sections[property->kind], names_pick(&s->naming, 0, property->name));
    print_formula(s, property->root);
    fputs(";\n", s->out);
}

/* ---- the files ---- */

static void print_head(struct smv *s)
{
    fputs("-- ", s->out);
    names_print_comment(s->out, s->model->name);
    fputs(", written by cairn.\n"
          "--\n"
          "-- The relation is the model's own: a deadlocked state has no successor. NuSMV expects every state to have one, and leaves\n"
          "-- those that cannot go on for ever out of CTL and LTL; cairn lets a deadlocked state repeat for ever.\n"
          "-- States are counted by NuSMV -r.\n\n",
          s->out);
}

const char *smv_write(struct model *model, FILE *out)
{
    struct smv s;
    start(&s, model, out);
    const char *reason = numbers_check(&s.numbers);
    if (!reason) {
        print_head(&s);
        print_declarations(&s);
        print_relation(&s);
        for (uint32_t i = 0; i < model->properties.len; i++)
            if (model->properties.data[i].kind <= PROPERTY_INVARIANT) print_property(&s, &model->properties.data[i]);
    }
    finish(&s);
    return reason;
}

const char *smv_write_order(struct model *model, FILE *out)
{
    struct smv s;
    start(&s, model, out);
    const char *reason = numbers_check(&s.numbers);
    if (!reason) {
        if (model->rules.len) fprintf(out, "%s\n", s.action);
        for (uint32_t v = 0; v < model->vars.len; v++) fprintf(out, "%s\n", s.name[v]);
    }
    finish(&s);
    return reason;
}
