/* A model as one NuSMV module: an input variable for the action, and a transition relation with one
 * disjunct per rule.
 *
 * Each disjunct is the guard of its rule, the condition that nothing of the rule fails
 * (numbers_defined), and a value for next(v) of every variable v. NuSMV evaluates both operands of
 * every connective, so a divisor that may be zero is replaced by 1 where it is zero, and a number
 * outside its range by one inside; the condition makes sure that such a value is never used. What /
 * and mod mean for negative numbers depends on the version, so they are applied to numbers without
 * their sign.
 *
 * Models that were flattened share large parts of their expressions, and some of what is said above
 * is written by repeating an operand. So where there is anything newer than modular arithmetic,
 * parts that would be written twice have a name (DEFINE), and every one of them is written once.
 *
 * NuSMV's CTL has no R and W. With the definitions of the contract they become
 *   A[f R g] = !E[!f U !g]             E[f R g] = !A[!f U !g]
 *   A[f W g] = !E[!g U (!f & !g)]      E[f W g] = !A[!g U (!f & !g)]
 * and in LTL R is V and f W g is (f U g) | G f.
 *
 * Actions of one process have its name in front; rules with the same action of the same processes
 * share one value of `action`. */
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
    VEC(uint32_t)
    uses; /* per expression: how often it would be written; or nothing, when nothing is shared */
    VEC(const char *) shared; /* per expression: its name, or NULL */
};

/* Words of NuSMV 2.4 to 2.7 and of nuXmv. */
static const char *const reserved_words[] = {
    "A",         "ABF",        "ABG",           "AF",        "AG",         "ASSIGN",
    "AX",        "BU",         "COMPASSION",    "COMPID",    "COMPUTE",    "COMPWFF",
    "CONSTANTS", "CONSTARRAY", "CONSTRAINT",    "CTLSPEC",   "CTLWFF",     "DEFINE",
    "E",         "EBF",        "EBG",           "EF",        "EG",         "EX",
    "F",         "FAIRNESS",   "FALSE",         "FROZENVAR", "FUN",        "G",
    "H",         "IN",         "INIT",          "INVAR",     "INVARSPEC",  "ISA",
    "ITYPE",     "IVAR",       "Integer",       "JUSTICE",   "LTLSPEC",    "LTLWFF",
    "MAX",       "MDEFINE",    "MIN",           "MIRROR",    "MODULE",     "NAME",
    "NEXTWFF",   "O",          "PARSYNTH",      "PRED",      "PREDICATES", "PSLSPEC",
    "PSLWFF",    "READ",       "Real",          "S",         "SIMPWFF",    "SPEC",
    "T",         "TRANS",      "TRUE",          "U",         "URGENT",     "V",
    "VALID",     "VAR",        "WRITE",         "Word",      "X",          "Y",
    "Z",         "abs",        "acos",          "array",     "asin",       "at",
    "atan",      "bool",       "boolean",       "case",      "clock",      "cos",
    "count",     "esac",       "exp",           "extend",    "floor",      "in",
    "init",      "integer",    "last",          "ln",        "max",        "min",
    "mod",       "next",       "noncontinuous", "of",        "once",       "pi",
    "pow",       "process",    "real",          "resize",    "running",    "self",
    "signed",    "since",      "sin",           "sizeof",    "swconst",    "tan",
    "time",      "toint",      "typeof",        "union",     "unsigned",   "until",
    "uwconst",   "word",       "word1",         "xnor",      "xor",        NULL,
};

/* ---- names ---- */

static uint32_t rule_process(const struct model *model, const struct model_rule *rule)
{
    return rule->parts == 1 ? model->parts.data[rule->first_part].process : MODEL_NONE;
}

/* Finds the action of each rule; *count is how many different ones there are, which come first in
 * the result. */
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
            if (process != MODEL_NONE)
                label = names_format(&model->names, "%s_%s", model->processes.data[process].name,
                                     label);
            actions[known] = names_pick(&s->naming, 0, label);
        }
        s->rule_action[r] = actions[known];
    }
    mem_free(model->mem, seen.entries);
    return actions;
}

static bool has_newer(const struct model *model)
{
    for (uint32_t i = 0; i < model->exprs.nodes.len; i++) {
        const struct expr_node *node = &model->exprs.nodes.data[i];
        if (node->op > EXPR_CUT || (expr_table[node->op].has_bits && !node->bits)) return true;
    }
    return false;
}

static void start(struct smv *s, struct model *model, FILE *out)
{
    *s = (struct smv){.model = model, .out = out};
    names_start(&s->naming, model, reserved_words, false);
    numbers_start(&s->numbers, model, "NuSMV", 30);
    s->numbers.shares = has_newer(model);
    s->name = arena_alloc(&model->arena, (model->vars.len + 1) * sizeof *s->name);
    s->rule_action = arena_alloc(&model->arena, (model->rules.len + 1) * sizeof *s->rule_action);
    s->store = arena_alloc(&model->arena, (model->vars.len + 1) * sizeof *s->store);
    s->action = names_pick(&s->naming, 0, "action");
    for (uint32_t v = 0; v < model->vars.len; v++)
        s->name[v] = names_pick(&s->naming, 0, model->vars.data[v].name);
}

static void finish(struct smv *s)
{
    numbers_finish(&s->numbers);
    names_finish(&s->naming);
    vec_free(s->model->mem, &s->uses);
    vec_free(s->model->mem, &s->shared);
}

/* ---- parts that are written once ---- */

static void count_uses(struct smv *s, expr e, uint32_t times)
{
    const struct expr_node node = *expr_get(&s->model->exprs, e);
    const expr operands[] = {node.a, node.b, node.c};
    while (s->uses.len <= e.i) vec_push(s->model->mem, &s->uses, 0);
    bool is_first = !s->uses.data[e.i];
    s->uses.data[e.i] += times;
    for (unsigned i = 0; is_first && i < expr_table[node.op].arity; i++)
        count_uses(s, operands[i],
                   node.op == EXPR_WITHIN || node.op == EXPR_DIV || node.op == EXPR_MOD ? 2 : 1);
}

static void count_all(struct smv *s)
{
    struct model *model = s->model;
    for (uint32_t i = 0; i < model->conjuncts.len; i++) {
        count_uses(s, model->conjuncts.data[i].cond, 1);
        count_uses(s, numbers_defined(&s->numbers, model->conjuncts.data[i].cond), 1);
    }
    for (uint32_t i = 0; i < model->stores.len; i++) {
        count_uses(s, model->stores.data[i].value, 1);
        count_uses(s, numbers_defined(&s->numbers, model->stores.data[i].value), 1);
    }
    for (uint32_t i = 0; i < model->formulas.nodes.len; i++) {
        if (model->formulas.nodes.data[i].op != FORMULA_ATOM) continue;
        count_uses(s, model->formulas.nodes.data[i].atom, 1);
        count_uses(s, numbers_defined(&s->numbers, model->formulas.nodes.data[i].atom), 1);
    }
}

/* ---- expressions ---- */

static const char *const symbols[EXPR_OPS] = {
    [EXPR_AND] = "&", [EXPR_OR] = "|",  [EXPR_IMPLIES] = "->", [EXPR_IFF] = "<->",
    [EXPR_EQ] = "=",  [EXPR_NE] = "!=", [EXPR_LT] = "<",       [EXPR_LE] = "<=",
    [EXPR_GT] = ">",  [EXPR_GE] = ">=", [EXPR_ADD] = "+",      [EXPR_SUB] = "-",
    [EXPR_MUL] = "*", [EXPR_DIV] = "/", [EXPR_MOD] = "mod",
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

/* The operand without its sign, or its divisor; `negative`: it is below zero here. */
static void print_side(struct smv *s, const struct expr_node *node, bool right, bool negative)
{
    if (negative) fputs("(-", s->out);
    if (right && numbers_by_zero(&s->model->exprs, node)) print_divisor(s, node->b);
    else print_expr(s, right ? node->b : node->a);
    if (negative) fputc(')', s->out);
}

/* The quotient is negative when one of them is, the remainder when the left one is. */
static void print_quotient(struct smv *s, const struct expr_node *node)
{
    fputs("(case ", s->out);
    for (unsigned i = 0; i < 4; i++) {
        bool a = i == 0 || i == 1, b = i == 0 || i == 2,
             negative = node->op == EXPR_MOD ? a : a != b;
        if ((a && numbers_span(&s->numbers, node->a).low >= 0)
            || (b && numbers_span(&s->numbers, node->b).low >= 0))
            continue;
        if (a) print_expr(s, node->a), fputs(" < 0", s->out);
        if (a && b) fputs(" & ", s->out);
        if (b) print_expr(s, node->b), fputs(" < 0", s->out);
        if (i == 3) fputs("TRUE", s->out);
        fputs(negative ? " : -(" : " : (", s->out);
        print_side(s, node, false, a);
        fprintf(s->out, " %s ", symbols[node->op]);
        print_side(s, node, true, b);
        fputs("); ", s->out);
    }
    fputs("esac)", s->out);
}

static void print_within(struct smv *s, const struct expr_node *node)
{
    const struct exprs *exprs = &s->model->exprs;
    int64_t low = expr_get(exprs, node->b)->value, high = expr_get(exprs, node->c)->value;
    fputs("(case ", s->out);
    print_expr(s, node->a);
    fprintf(s->out, " >= %" PRId64 " & ", low);
    print_expr(s, node->a);
    fprintf(s->out, " <= %" PRId64 " : ", high);
    print_expr(s, node->a);
    fprintf(s->out, "; TRUE : %" PRId64 "; esac)", low);
}

static void print_choice(struct smv *s, const struct expr_node *node)
{
    fputs("(case ", s->out);
    print_expr(s, node->a);
    fputs(" : ", s->out);
    print_expr(s, node->b);
    fputs("; TRUE : ", s->out);
    print_expr(s, node->c);
    fputs("; esac)", s->out);
}

static void print_arithmetic(struct smv *s, expr e, const struct expr_node *node)
{
    bool reduce = numbers_wrap(&s->numbers, e), alone = node->op == EXPR_CUT;
    uint64_t modulus = expr_mask(node->bits) + 1;
    bool is_quotient = !node->bits && (node->op == EXPR_DIV || node->op == EXPR_MOD),
         below_zero = numbers_span(&s->numbers, node->a).low < 0;
    if (is_quotient && (below_zero || numbers_span(&s->numbers, node->b).low < 0)) {
        print_quotient(s, node);
        return;
    }
    if (alone && below_zero) { /* of a negative number, mod is negative or not */
        fputs("((", s->out);
        print_expr(s, node->a);
        fprintf(s->out, " mod %" PRIu64 " + %" PRIu64 ") mod %" PRIu64 ")", modulus, modulus,
                modulus);
        return;
    }
    if (reduce) fputc('(', s->out);
    if (!alone) fputc('(', s->out);
    if (alone) print_expr(s, node->a);
    else print_binary(s, node);
    if (reduce && node->op == EXPR_SUB)
        fprintf(s->out, " + %" PRIu64,
                modulus); /* mod of a negative number depends on the version */
    if (!alone) fputc(')', s->out);
    if (reduce) fprintf(s->out, " mod %" PRIu64 ")", modulus);
}

static void print_node(struct smv *s, expr e)
{
    struct expr_node node = *expr_get(&s->model->exprs, e);
    if (node.op == EXPR_CONST && node.is_bool) fputs(node.value ? "TRUE" : "FALSE", s->out);
    else if (node.op == EXPR_CONST)
        fprintf(s->out, node.value < 0 ? "(%" PRId64 ")" : "%" PRId64, node.value);
    else if (node.op == EXPR_VAR) fputs(s->name[node.value], s->out);
    else if (node.op == EXPR_FAIL) fputc('0', s->out); /* never used */
    else if (node.op == EXPR_WITHIN) print_within(s, &node);
    else if (node.op == EXPR_CHOOSE) print_choice(s, &node);
    else if (node.op == EXPR_NOT) {
        fputc('!', s->out);
        print_expr(s, node.a);
    } else if (node.is_bool) {
        fputc('(', s->out);
        print_binary(s, &node);
        fputc(')', s->out);
    } else print_arithmetic(s, e, &node);
}

static bool is_shared(const struct smv *s, expr e)
{
    return e.i < s->shared.len && s->shared.data[e.i];
}

static void print_expr(struct smv *s, expr e)
{
    if (is_shared(s, e)) fputs(s->shared.data[e.i], s->out);
    else print_node(s, e);
}

/* Operands come before the operators that use them. */
static void print_shared(struct smv *s)
{
    uint32_t count = 0;
    if (!s->numbers.shares) return;
    count_all(s);
    for (uint32_t i = 0; i < s->uses.len; i++) {
        const struct expr_node *node = expr_get(&s->model->exprs, (expr){i});
        vec_push(s->model->mem, &s->shared, NULL);
        if (s->uses.data[i] < 2 || !expr_table[node->op].arity) continue;
        fprintf(s->out, "%s  ", count++ ? "" : "\nDEFINE\n");
        const char *name =
            names_pick(&s->naming, 0, names_format(&s->model->names, "part_%" PRIu32, count));
        fprintf(s->out, "%s := ", name);
        print_node(s, (expr){i});
        fputs(";\n", s->out);
        s->shared.data[i] = name;
    }
}

/* A part of a disjunct, with the & before it. */
static void print_conjunct(struct smv *s, expr e)
{
    struct expr_node node = *expr_get(&s->model->exprs, e);
    if (expr_is_true(&s->model->exprs, e)) return;
    fputs(" & ", s->out);
    if (is_shared(s, e)) print_expr(s, e);
    else if (expr_table[node.op].arity == 2 && !expr_table[node.op].takes_bool)
        print_binary(s, &node);
    else print_expr(s, e);
}

/* ---- the transition system ---- */

static void print_listed(struct smv *s)
{
    const struct model *model = s->model;
    for (uint32_t i = 0; i < model->initial.len; i++) {
        uint32_t v = i % model->vars.len;
        bool is_last = v + 1 == model->vars.len;
        fprintf(s->out, "%s%s = %" PRId64 "%s", v ? " & " : "(", s->name[v], model->initial.data[i],
                !is_last                      ? ""
                : i + 1 == model->initial.len ? ");\n"
                                              : ")\n  | ");
    }
}

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
        fprintf(s->out, "  %s : %" PRId64 "..%" PRId64 ";\n", s->name[v], model->vars.data[v].low,
                model->vars.data[v].high);
    fputs("\nINIT\n  ", s->out);
    print_listed(s);
    if (model_lists_initial(model)) return;
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
        print_conjunct(s, numbers_defined(&s->numbers, cond));
        print_conjunct(s, cond);
    }
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        print_conjunct(s, numbers_defined(&s->numbers, store->value));
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
    for (uint32_t i = 0; i < rule->stores; i++)
        s->store[model->stores.data[rule->first_store + i].var] = 0;
}

static void print_relation(struct smv *s)
{
    fputs("\nTRANS\n", s->out);
    for (uint32_t r = 0; r < s->model->rules.len; r++) print_rule(s, r);
    if (!s->model->rules.len) fputs("  FALSE\n", s->out);
}

/* ---- properties ---- */

static void print_formula(struct smv *s, formula f);

/* A condition that fails is false. */
static void print_atom(struct smv *s, expr atom)
{
    expr defined = numbers_defined(&s->numbers, atom);
    print_expr(s, expr_make(&s->model->exprs, EXPR_AND, 0, defined, atom));
}

static void print_two(struct smv *s, const char *before, formula a, const char *between, formula b,
                      const char *after)
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
        [FORMULA_AND] = " & ",   [FORMULA_OR] = " | ", [FORMULA_IMPLIES] = " -> ",
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
    static const char *const sections[] = {[PROPERTY_CTL] = "CTLSPEC",
                                           [PROPERTY_LTL] = "LTLSPEC",
                                           [PROPERTY_INVARIANT] = "INVARSPEC",
                                           [PROPERTY_REACH] = "CTLSPEC"};
    fputs("\n-- ", s->out);
    names_print_comment(s->out, property->name);
    fputs(": ", s->out);
    names_print_comment(s->out, property->text);
    fprintf(s->out, "\n%s NAME %s := ", sections[property->kind],
            names_pick(&s->naming, 0, property->name));
    if (property->kind == PROPERTY_REACH) fputs("EF ", s->out);
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
          "-- The relation is the model's own: a deadlocked state has no successor. NuSMV expects "
          "every state to have one, and leaves\n"
          "-- those that cannot go on for ever out of CTL and LTL; cairn lets a deadlocked state "
          "repeat for ever.\n"
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
        print_shared(&s);
        print_relation(&s);
        for (uint32_t i = 0; i < model->properties.len; i++)
            if (model->properties.data[i].kind <= PROPERTY_REACH)
                print_property(&s, &model->properties.data[i]);
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
