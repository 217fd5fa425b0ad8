/* TChecker's text form of networks of timed automata, read for what it says: see tck_read.c
 * (declarations), tck_parse.c (expressions, statements), tck_lower.c and tck_rules.c (the model).
 *
 * Formulas of properties have variables, labels of locations (true where some process stands in
 * such a location) and PROCESS.LOCATION. */
#include "lang/tck/tck.h"

#include "lang/tck/lower.h"

#include <assert.h>
#include <string.h>

/* ---- formulas ---- */

static bool has_temporal(const struct tck_exp *exp)
{
    return exp
           && (exp->op == TCK_TEMPORAL || has_temporal(exp->a) || has_temporal(exp->b)
               || has_temporal(exp->c));
}

static bool labelled(struct tck *tck, const char *label, expr *result)
{
    struct exprs *exprs = &tck->model->exprs;
    *result = expr_bool(exprs, false);
    for (uint32_t p = 0; p < tck->file.processes.len; p++)
        for (uint32_t l = 0; l < tck->file.processes.data[p].locations.len; l++) {
            const struct tck_location *location = &tck->file.processes.data[p].locations.data[l];
            for (uint32_t i = 0; i < location->labels; i++)
                if (tck->file.label_names.data[location->first_label + i] == label)
                    *result = expr_make(exprs, EXPR_OR, 0, *result, tck_is_at(tck, p, l));
        }
    return true;
}

/* PROCESS.LOCATION: names may have dots of their own. */
static bool find_location(struct tck *tck, const char *name, expr *result)
{
    struct names *names = tck->file.names;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        const char *head = names_intern(names, name, (size_t)(dot - name)),
                   *tail = names_intern(names, dot + 1, strlen(dot + 1));
        const uint32_t process = map_get(&tck->file.scope, head, TCK_SCOPE_PROCESS);
        if (process == MAP_NONE) continue;
        const uint32_t location = map_get(&tck->file.scope, tail, TCK_SCOPE_LOCATION + process);
        if (location == MAP_NONE) continue;
        *result = tck_is_at(tck, process, location);
        return true;
    }
    return false;
}

static bool lower_atom(struct tck *tck, const struct tck_exp *exp, expr *result)
{
    struct exprs *exprs = &tck->model->exprs;
    expr a, b;
    if (exp->op == TCK_NOT) {
        if (!lower_atom(tck, exp->a, &a)) return false;
        *result = expr_make(exprs, EXPR_NOT, 0, a, a);
        return true;
    }
    if (exp->op == TCK_AND || exp->op == TCK_OR) {
        if (!lower_atom(tck, exp->a, &a) || !lower_atom(tck, exp->b, &b)) return false;
        *result = expr_make(exprs, exp->op == TCK_AND ? EXPR_AND : EXPR_OR, 0, a, b);
        return true;
    }
    if (exp->op != TCK_NAME || map_get(&tck->file.scope, exp->name, TCK_SCOPE_INT) != MAP_NONE)
        return tck_lower_condition(tck, exp, result);
    if (!strcmp(exp->name, "true") || !strcmp(exp->name, "false")) {
        *result = expr_bool(exprs, exp->name[0] == 't');
        return true;
    }
    if (find_location(tck, exp->name, result)) return true;
    if (map_get(&tck->file.scope, exp->name, TCK_SCOPE_LABEL) != MAP_NONE)
        return labelled(tck, exp->name, result);
    diag_error(tck->file.diag, DIAG_UNKNOWN, exp->place,
               "there is no variable, label or PROCESS.LOCATION '%.60s'", exp->name);
    return false;
}

static bool is_path(const struct tck_exp *exp)
{
    return exp->op == TCK_TEMPORAL && exp->formula >= FORMULA_X && exp->formula <= FORMULA_W;
}

/* CTL: path operators and quantifiers alternate; LTL has no quantifiers. */
static bool fits(struct tck *tck, enum property_kind kind, const struct tck_exp *exp, bool below)
{
    const bool quantifier = exp->formula == FORMULA_A || exp->formula == FORMULA_E;
    const char *complaint = NULL;
    if (exp->formula == FORMULA_IMPLIES || exp->formula == FORMULA_IFF) return true;
    if (kind == PROPERTY_INVARIANT || kind == PROPERTY_REACH)
        complaint = "temporal operators belong to LTL or CTL";
    else if (kind == PROPERTY_LTL && quantifier) complaint = "LTL has no path quantifiers";
    else if (kind == PROPERTY_CTL && is_path(exp) && !below)
        complaint = "this operator needs a path quantifier in CTL";
    else if (kind == PROPERTY_CTL && quantifier && !is_path(exp->a))
        complaint = "a path quantifier is followed by a path formula such as [f U g]";
    if (complaint) diag_error(tck->file.diag, DIAG_MISPLACED, exp->place, "%s", complaint);
    return !complaint;
}

static bool lower_formula(struct tck *tck, enum property_kind kind, const struct tck_exp *exp,
                          bool below, formula *result)
{
    struct model *model = tck->model;
    enum formula_op op = exp->op == TCK_NOT   ? FORMULA_NOT
                         : exp->op == TCK_AND ? FORMULA_AND
                         : exp->op == TCK_OR  ? FORMULA_OR
                                              : exp->formula;
    if (!has_temporal(exp)) {
        expr atom;
        if (!lower_atom(tck, exp, &atom)) return false;
        *result = formula_atom(&model->formulas, atom, exp->place);
        return true;
    }
    if (exp->op != TCK_NOT && exp->op != TCK_AND && exp->op != TCK_OR && exp->op != TCK_TEMPORAL) {
        diag_error(tck->file.diag, DIAG_TYPE, exp->place, "a temporal formula is no number");
        return false;
    }
    formula a, b;
    const bool quantifier = exp->op == TCK_TEMPORAL && (op == FORMULA_A || op == FORMULA_E);
    if ((exp->op == TCK_TEMPORAL && !fits(tck, kind, exp, below))
        || !lower_formula(tck, kind, exp->a, quantifier, &a))
        return false;
    b = a;
    if (exp->b && !lower_formula(tck, kind, exp->b, false, &b)) return false;
    *result = formula_make(&model->formulas, &model->exprs, op, a, b, exp->place);
    return true;
}

bool tck_add_property(struct tck *tck, enum property_kind kind, uint32_t source)
{
    struct model *model = tck->model;
    const struct source *text = &tck->file.diag->sources.data[source];
    assert(kind <= PROPERTY_REACH);
    struct model_property property = {
        .kind = kind,
        .name = names_format(&model->names, "%s[%u]", property_stem[kind], tck->counts[kind]),
        .text = names_intern(&model->names, text->text, text->length),
        .place = {.source = source, .line = 1, .column = 1}};
    const struct tck_exp *exp = tck_read_formula(&tck->file, source);
    if (!exp || !lower_formula(tck, kind, exp, false, &property.root)) return false;
    tck->counts[kind]++;
    vec_push(model->mem, &model->properties, property);
    return true;
}

/* ---- the language ---- */

static struct model *load(struct language_input *input, void **scope)
{
    struct tck *tck = mem_alloc(input->mem, sizeof *tck);
    tck->input = input;
    tck->model = model_new(input->mem, input->diag->sources.data[input->source].name);
    tck->file.mem = input->mem;
    tck->file.diag = input->diag;
    tck->file.arena = &tck->model->arena;
    tck->file.names = &tck->model->names;
    map_init(&tck->file.scope, input->mem);
    for (uint32_t i = 0; i < input->define_count; i++)
        if (!input->defines[i].optional)
            diag_error(input->diag, DIAG_OPTION, (struct place){.source = input->source},
                       "-D %.60s: the model has no constants", input->defines[i].name);
    if (!tck_read(&tck->file, input->source) || !tck_build(tck) || input->diag->errors) return NULL;
    model_finish(tck->model);
    *scope = tck;
    return tck->model;
}

static bool property(void *scope, enum property_kind kind, uint32_t source)
{
    return tck_add_property(scope, kind, source);
}

const struct language tck_language = {
    .name = "tck",
    .extension = ".tck",
    .summary = "networks of timed automata, as TChecker reads them",
    .load = load,
    .property = property,
};
