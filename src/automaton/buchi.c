/* Maximal parts without temporal operators are one atom each in the model's formulas. When they are
 * few they are taken apart again, down to comparisons and variables, so that the automaton can use
 * what they have in common (`p & !q` excludes `q`); with many leaves the whole atoms are kept,
 * because a large disjunction would become many edges. */
#include "automaton/buchi.h"

#include "automaton/buchi/tableau.h"
#include "base/checked.h"

#include <string.h>

enum { MAX_LEAVES = 10 };

struct translator {
    struct buchi_atoms *atoms;
    struct model *model;
    struct nnfs *nnfs;
    uint32_t *memo; /* per formula: its normal form + 1 */
    bool whole;     /* atoms are not taken apart */
};

static bool is_leaf(const struct translator *t, const struct expr_node *node)
{
    return !formula_of_expr[node->op] || (t->whole && node->op != EXPR_NOT) || node->may_fail;
}

static nnf normalise_leaf(struct translator *t, expr atom)
{
    uint32_t i = 0;
    while (i < t->atoms->list.len && !expr_same(t->atoms->list.data[i], atom)) i++;
    if (i == NNF_MAX_PROPOSITIONS) {
        t->nnfs->problem = "the formula has too many atoms";
        return nnf_false();
    }
    assert(t->atoms->list.len <= NNF_MAX_PROPOSITIONS);
    if (i == t->atoms->list.len) vec_push(t->model->mem, &t->atoms->list, atom);
    return nnf_literal(t->nnfs, i, false);
}

static nnf combine(struct nnfs *nnfs, enum formula_op op, nnf a, nnf b)
{
    switch (op) {
    case FORMULA_NOT: return nnf_negate(nnfs, a);
    case FORMULA_AND: return nnf_and(nnfs, a, b);
    case FORMULA_OR: return nnf_or(nnfs, a, b);
    case FORMULA_IMPLIES: return nnf_or(nnfs, nnf_negate(nnfs, a), b);
    case FORMULA_IFF: return nnf_iff(nnfs, a, b);
    case FORMULA_X: return nnf_x(nnfs, a);
    case FORMULA_F: return nnf_u(nnfs, nnf_true(), a);
    case FORMULA_G: return nnf_r(nnfs, nnf_false(), a);
    case FORMULA_U: return nnf_u(nnfs, a, b);
    case FORMULA_R: return nnf_r(nnfs, a, b);
    case FORMULA_W: return nnf_weak_until(nnfs, a, b);
    default: nnfs->problem = "a path quantifier in LTL"; return nnf_false();
    }
}

static nnf normalise_atom(struct translator *t, expr atom)
{
    const struct expr_node node = *expr_get(&t->model->exprs, atom);
    if (t->nnfs->problem) return nnf_false();
    if (node.op == EXPR_CONST) return node.value ? nnf_true() : nnf_false();
    if (is_leaf(t, &node)) return normalise_leaf(t, atom);
    nnf a = normalise_atom(t, node.a), b = node.op == EXPR_NOT ? a : normalise_atom(t, node.b);
    return combine(t->nnfs, formula_of_expr[node.op], a, b);
}

static nnf normalise(struct translator *t, formula f)
{
    const struct formula_node node = *formula_get(&t->model->formulas, f);
    if (t->nnfs->nodes.len > NNF_MAX_INPUT) t->nnfs->problem = "the formula has too many parts";
    if (t->nnfs->problem) return nnf_false();
    if (!t->memo[f.i]) {
        nnf result;
        if (node.op == FORMULA_ATOM) {
            result = normalise_atom(t, node.atom);
        } else {
            nnf a = normalise(t, node.a);
            result = combine(t->nnfs, node.op, a,
                             formula_table[node.op].arity == 2 ? normalise(t, node.b) : a);
        }
        t->memo[f.i] = result.i + 1;
    }
    return (nnf){t->memo[f.i] - 1};
}

static nnf normal_form(struct translator *t, formula f, bool negated)
{
    t->memo = mem_alloc(t->model->mem, t->model->formulas.nodes.len * sizeof *t->memo);
    nnf root = normalise(t, f);
    mem_free(t->model->mem, t->memo);
    return negated ? nnf_negate(t->nnfs, root) : root;
}

static const char *translate(struct buchi *buchi, struct model *model, formula f, bool negated,
                             bool whole)
{
    struct nnfs nnfs;
    struct translator t = {.atoms = &buchi->atoms, .model = model, .nnfs = &nnfs, .whole = whole};
    nnfs_init(&nnfs, model->mem);
    buchi->atoms.list.len = 0;
    nnf root = normal_form(&t, f, negated);
    const char *problem = nnfs.problem;
    if (!problem && !whole && buchi->atoms.list.len > MAX_LEAVES)
        problem = "the atoms have too many parts";
    if (!problem) problem = tableau_translate(&nnfs, root, &buchi->automaton);
    nnfs_release(&nnfs);
    return problem;
}

const char *buchi_translate(struct buchi *buchi, struct model *model, formula f, bool negated)
{
    memset(buchi, 0, sizeof *buchi);
    const char *problem = translate(buchi, model, f, negated, false);
    if (problem) problem = translate(buchi, model, f, negated, true);
    if (problem) vec_free(model->mem, &buchi->atoms.list);
    CHECKED(problem || automaton_check(&buchi->automaton));
    return problem;
}

const char *buchi_normalise(struct nnfs *nnfs, struct buchi_atoms *atoms, struct model *model,
                            formula f, bool negated, nnf *root)
{
    struct translator t = {.atoms = atoms, .model = model, .nnfs = nnfs, .whole = true};
    *root = normal_form(&t, f, negated);
    return nnfs->problem;
}

void buchi_release(struct buchi *buchi, const struct model *model)
{
    vec_free(model->mem, &buchi->atoms.list);
    automaton_release(&buchi->automaton);
}
