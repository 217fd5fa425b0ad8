/* Rewriting of formulas, bottom up, until nothing changes (or a few rounds have passed).
 *
 * Two tools decide whether a rule applies: the flags eventual (f == F f) and universal (f == G f)
 * of a node, and `implies`, a sound but incomplete test of implication by structure. The rules are
 * those usual in translators of LTL (Somenzi and Bloem 2000; Etessami and Holzmann 2000; Babiak et
 * al. 2012). They are written for `and`, X and U only: `or` and R are done on the negation.
 *
 * Every rule is an equivalence by itself, so leaving some out, when the budget of work is spent, is
 * harmless. */
#include "automaton/buchi/simplify.h"

#include "base/checked.h"

#include <string.h>

enum { MAX_WORK = 400000, MAX_ROUNDS = 4, CACHE = 1 << 14, MAX_OPERANDS = 48 };

struct simplifier {
    struct nnfs *nnfs;
    uint64_t *known; /* implications: the pair of nodes and the answer, by hash; newer ones replace
                        older ones */
    VEC(uint32_t) memo; /* per node: the simpler formula + 1 */
    uint64_t work;
};

static const struct nnf_node *get(const struct simplifier *s, nnf f) { return nnf_get(s->nnfs, f); }
static bool is(const struct simplifier *s, nnf f, enum nnf_op op) { return nnf_is(s->nnfs, f, op); }
static bool same(nnf a, nnf b) { return a.i == b.i; }
static nnf negation(struct simplifier *s, nnf f) { return nnf_negate(s->nnfs, f); }

/* ---- implication by structure ---- */

static bool implies(struct simplifier *s, nnf f, nnf g);

static bool until_implies(struct simplifier *s, nnf f, nnf g)
{
    nnf a = get(s, f)->a, b = get(s, f)->b;
    if (!implies(s, b, g)) return false;
    const struct nnf_node to = *get(s, g);
    if (to.eventual || implies(s, a, g)) return true;
    if (to.op == NNF_U) return implies(s, a, to.a);
    return to.op == NNF_R && implies(s, a, to.b);
}

static bool implies_release(struct simplifier *s, nnf f, nnf g)
{
    const struct nnf_node from = *get(s, f), to = *get(s, g);
    if (!implies(s, f, to.b)) return false;
    if (from.universal || implies(s, f, to.a)) return true;
    return from.op == NNF_R && (implies(s, from.a, to.a) || implies(s, from.a, g));
}

static bool decide_implication(struct simplifier *s, nnf f, nnf g)
{
    const struct nnf_node from = *get(s, f), to = *get(s, g);
    if (from.op == NNF_OR) return implies(s, from.a, g) && implies(s, from.b, g);
    if (to.op == NNF_AND) return implies(s, f, to.a) && implies(s, f, to.b);
    if (from.op == NNF_AND && (implies(s, from.a, g) || implies(s, from.b, g))) return true;
    if (to.op == NNF_OR && (implies(s, f, to.a) || implies(s, f, to.b))) return true;
    if (from.op == NNF_U && until_implies(s, f, g)) return true;
    if (from.op == NNF_R && implies(s, from.b, g)) return true;
    if (to.op == NNF_U && implies(s, f, to.b)) return true;
    if (to.op == NNF_R && implies_release(s, f, g)) return true;
    if (from.op == NNF_X
        && ((to.op == NNF_X && implies(s, from.a, to.a)) || (to.eventual && implies(s, from.a, g))))
        return true;
    return to.op == NNF_X && from.universal && implies(s, f, to.a);
}

/* True only if f implies g; the parts get smaller with every call, so this ends. */
static bool implies(struct simplifier *s, nnf f, nnf g)
{
    if (same(f, g) || is(s, f, NNF_FALSE) || is(s, g, NNF_TRUE)) return true;
    if (is(s, f, NNF_TRUE) || is(s, g, NNF_FALSE)
        || (is(s, f, NNF_LITERAL) && is(s, g, NNF_LITERAL)))
        return false;
    uint64_t pair = (uint64_t)f.i << 32 | (uint64_t)g.i << 2;
    uint64_t *slot = &s->known[(pair * UINT64_C(0x9E3779B97F4A7C15)) >> 50];
    if ((*slot & ~UINT64_C(3)) == pair && *slot & 2) return *slot & 1;
    if (++s->work > MAX_WORK) return false;
    bool answer = decide_implication(s, f, g);
    *slot = pair | 2 | answer;
    return answer;
}

/* ---- operators ---- */

static nnf make_and(struct simplifier *s, nnf a, nnf b);
static nnf make_u(struct simplifier *s, nnf a, nnf b);

static nnf make_or(struct simplifier *s, nnf a, nnf b)
{
    return negation(s, make_and(s, negation(s, a), negation(s, b)));
}

static nnf make_r(struct simplifier *s, nnf a, nnf b)
{
    return negation(s, make_u(s, negation(s, a), negation(s, b)));
}

static nnf make_f(struct simplifier *s, nnf a) { return make_u(s, nnf_true(), a); }

static nnf make_g(struct simplifier *s, nnf a) { return make_r(s, nnf_false(), a); }

static bool is_stable(const struct simplifier *s,
                      nnf f) /* true at all positions of a word or at none */
{
    return get(s, f)->eventual && get(s, f)->universal;
}

static nnf make_x(struct simplifier *s, nnf a) { return is_stable(s, a) ? a : nnf_x(s->nnfs, a); }

static bool is_finally(const struct simplifier *s, nnf f)
{
    return is(s, f, NNF_U) && is(s, get(s, f)->a, NNF_TRUE);
}
static bool is_globally(const struct simplifier *s, nnf f)
{
    return is(s, f, NNF_R) && is(s, get(s, f)->a, NNF_FALSE);
}
static bool is_finally_globally(const struct simplifier *s, nnf f)
{
    return is_finally(s, f) && is_globally(s, get(s, f)->b);
}

struct operands {
    nnf list[MAX_OPERANDS];
    uint32_t len;
};

/* Adds the operands of nested `op`s. False: too many. */
static bool flatten(const struct simplifier *s, enum nnf_op op, nnf f, struct operands *to)
{
    if (is(s, f, op)) return flatten(s, op, get(s, f)->a, to) && flatten(s, op, get(s, f)->b, to);
    if (to->len == MAX_OPERANDS) return false;
    to->list[to->len++] = f;
    return true;
}

/* ---- and ---- */

/* One formula for `x and y` when there is a simpler one. */
static bool merge_pair(struct simplifier *s, nnf x, nnf y, nnf *merged)
{
    const struct nnf_node nx = *get(s, x), ny = *get(s, y);
    if (implies(s, x, y)) return *merged = x, true;
    if (implies(s, x, negation(s, y))) return *merged = nnf_false(), true;
    if (nx.op == NNF_X && ny.op == NNF_X) return *merged = make_x(s, make_and(s, nx.a, ny.a)), true;
    if (nx.op == NNF_R && ny.op == NNF_R && same(nx.a, ny.a))
        return *merged = make_r(s, nx.a, make_and(s, nx.b, ny.b)), true;
    if (nx.op == NNF_U && ny.op == NNF_U && same(nx.b, ny.b))
        return *merged = make_u(s, make_and(s, nx.a, ny.a), nx.b), true;
    if (is_finally_globally(s, x) && is_finally_globally(s, y))
        return *merged = make_f(s, make_and(s, nx.b, ny.b)),
               true; /* FG a & FG b == F(G a & G b) == FG(a & b) */
    if (nx.op == NNF_R && is_finally(s, y) && same(nx.a, ny.b))
        return *merged = make_u(s, nx.b, make_and(s, nx.a, nx.b)),
               true; /* a R b & F a == b U (a & b) */
    return false;
}

static void remove_operand(struct operands *of, uint32_t i)
{
    assert(i < of->len);
    of->list[i] = of->list[--of->len];
}

/* Merges pairs until none can be; a merged formula may have become a conjunction itself. */
static bool merge_operands(struct simplifier *s, struct operands *of)
{
    for (uint32_t i = 0; i < of->len; i++)
        for (uint32_t j = 0; j < of->len; j++) {
            nnf merged;
            if (i == j || s->nnfs->problem || !merge_pair(s, of->list[i], of->list[j], &merged))
                continue;
            uint32_t high = i > j ? i : j, low = i > j ? j : i;
            remove_operand(of, high);
            remove_operand(of, low);
            if (!flatten(s, NNF_AND, merged, of)) return false;
            i = j = 0;
            if (!of->len) return true;
        }
    return true;
}

static nnf join(struct simplifier *s, enum nnf_op op, struct operands *of)
{
    for (uint32_t i = 1; i < of->len; i++) /* sorted, so that equal sets become one node */
        for (uint32_t j = i; j > 0 && of->list[j].i < of->list[j - 1].i; j--) {
            nnf swap = of->list[j];
            of->list[j] = of->list[j - 1];
            of->list[j - 1] = swap;
        }
    nnf all = op == NNF_AND ? nnf_true() : nnf_false();
    for (uint32_t i = of->len; i-- > 0;)
        all =
            op == NNF_AND ? nnf_and(s->nnfs, of->list[i], all) : nnf_or(s->nnfs, of->list[i], all);
    return all;
}

static nnf make_and(struct simplifier *s, nnf a, nnf b)
{
    struct operands of = {.len = 0};
    if (++s->work > MAX_WORK || !flatten(s, NNF_AND, a, &of) || !flatten(s, NNF_AND, b, &of))
        return nnf_and(s->nnfs, a, b);
    if (!merge_operands(s, &of)) return nnf_and(s->nnfs, a, b);
    return join(s, NNF_AND, &of);
}

/* ---- until ---- */

/* Takes the operands for which `wanted` holds out of f; returns what is left. */
static nnf split(struct simplifier *s, enum nnf_op op, nnf f,
                 bool (*wanted)(const struct simplifier *, nnf), nnf *taken)
{
    struct operands of = {.len = 0}, keep = {.len = 0}, take = {.len = 0};
    *taken = op == NNF_AND ? nnf_true() : nnf_false();
    if (!is(s, f, op) || !flatten(s, op, f, &of)) return f;
    for (uint32_t i = 0; i < of.len; i++) {
        struct operands *to = wanted(s, of.list[i]) ? &take : &keep;
        to->list[to->len++] = of.list[i];
    }
    assert(take.len + keep.len == of.len); /* no operand is lost */
    *taken = join(s, op, &take);
    return join(s, op, &keep);
}

static bool is_eventual(const struct simplifier *s, nnf f) { return get(s, f)->eventual; }
static bool is_universal(const struct simplifier *s, nnf f) { return get(s, f)->universal; }

/* F G z: what holds from some point on does not care for finite delays. */
static bool simplify_fg(struct simplifier *s, nnf z, nnf *result)
{
    nnf taken, rest = split(s, NNF_AND, z, is_eventual, &taken);
    if (!is(s, taken, NNF_TRUE))
        return *result = make_and(s, make_f(s, make_g(s, rest)), make_g(s, taken)), true;
    struct operands of = {.len = 0};
    bool changed = false;
    if (!flatten(s, NNF_AND, z, &of)) return false;
    for (uint32_t i = 0; i < of.len; i++)
        if (is(s, of.list[i], NNF_X)) of.list[i] = get(s, of.list[i])->a, changed = true;
    if (!changed) return false;
    nnf all = nnf_true();
    for (uint32_t i = 0; i < of.len; i++) all = make_and(s, all, of.list[i]);
    return *result = make_f(s, make_g(s, all)), true;
}

/* What a disjunct of the right side of a U can be instead. */
static bool shorten_disjunct(struct simplifier *s, nnf a, nnf *part)
{
    const struct nnf_node node = *get(s, *part);
    bool shorter = (node.op == NNF_U
                    && implies(s, node.a, a)) /* a U (b | c U d) == a U (b | d), c implies a */
                   || (node.op == NNF_X && is(s, a, NNF_TRUE)
                       && is_universal(s, node.a)); /* F (b | X G c) == F (b | G c) */
    if (shorter) return *part = node.b, true;
    if (!is(s, a, NNF_TRUE) || !is_globally(s, *part)) return false;
    nnf taken, rest = split(s, NNF_OR, node.b, is_universal,
                            &taken); /* F (b | G (c | G d)) == F (b | G c | G d) */
    if (is(s, taken, NNF_FALSE)) return false;
    return *part = make_or(s, make_g(s, rest), taken), true;
}

static nnf shorten_right(struct simplifier *s, nnf a, nnf b)
{
    struct operands of = {.len = 0};
    bool changed = false;
    if (!flatten(s, NNF_OR, b, &of)) return b;
    for (uint32_t i = 0; i < of.len; i++)
        while (shorten_disjunct(s, a, &of.list[i])) changed = true;
    if (!changed) return b;
    nnf all = nnf_false();
    for (uint32_t i = 0; i < of.len; i++) all = make_or(s, all, of.list[i]);
    return all;
}

/* (x | y) U b == y U b when x implies b. */
static nnf shorten_left(struct simplifier *s, nnf a, nnf b)
{
    struct operands of = {.len = 0};
    if (!flatten(s, NNF_OR, a, &of)) return a;
    for (uint32_t i = 0; i < of.len;)
        if (implies(s, of.list[i], b)) remove_operand(&of, i);
        else i++;
    return join(s, NNF_OR, &of);
}

static nnf make_u(struct simplifier *s, nnf a, nnf b)
{
    nnf result, stable;
    if (++s->work > MAX_WORK) return nnf_u(s->nnfs, a, b);
    b = shorten_right(s, a, b);
    a = shorten_left(s, a, b);
    if (implies(s, a, b) || is_eventual(s, b)) return b;
    if (is(s, b, NNF_U) && implies(s, a, get(s, b)->a)) return b;
    if (!is(s, a, NNF_TRUE) && implies(s, negation(s, b), a)) a = nnf_true();
    if (is(s, b, NNF_X) && (is(s, a, NNF_X) || is_stable(s, a)))
        return make_x(s, make_u(s, is(s, a, NNF_X) ? get(s, a)->a : a, get(s, b)->a));
    nnf rest = split(s, NNF_AND, b, is_stable, &stable);
    if (!is(s, stable, NNF_TRUE)) return make_and(s, make_u(s, a, rest), stable);
    if (is(s, a, NNF_TRUE) && is_globally(s, b) && simplify_fg(s, get(s, b)->b, &result))
        return result;
    return nnf_u(s->nnfs, a, b);
}

/* ---- whole formulas ---- */

static nnf simplify(struct simplifier *s, nnf f)
{
    if (f.i < s->memo.len && s->memo.data[f.i]) return (nnf){s->memo.data[f.i] - 1};
    assert(f.i < s->nnfs->nodes.len);
    const struct nnf_node node = *get(s, f);
    nnf result = f;
    if (node.op > NNF_LITERAL) {
        nnf a = simplify(s, node.a), b = simplify(s, node.b);
        switch (node.op) {
        case NNF_AND: result = make_and(s, a, b); break;
        case NNF_OR: result = make_or(s, a, b); break;
        case NNF_X: result = make_x(s, a); break;
        case NNF_U: result = make_u(s, a, b); break;
        default: result = make_r(s, a, b); break;
        }
    }
    while (s->memo.len <= f.i) vec_push(s->nnfs->mem, &s->memo, 0);
    s->memo.data[f.i] = result.i + 1;
    return result;
}

nnf simplify_formula(struct nnfs *nnfs, nnf f)
{
    struct simplifier s = {.nnfs = nnfs};
    s.known = mem_alloc(nnfs->mem, CACHE * sizeof *s.known);
    for (unsigned round = 0; round < MAX_ROUNDS && !nnfs->problem; round++) {
        nnf simpler = simplify(&s, f);
        memset(s.memo.data, 0, s.memo.len * sizeof *s.memo.data);
        if (same(simpler, f)) break;
        f = simpler;
    }
    CHECKED(nnfs_check(nnfs));
    mem_free(nnfs->mem, s.known);
    vec_free(nnfs->mem, &s.memo);
    return f;
}
