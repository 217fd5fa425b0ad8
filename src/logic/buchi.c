#include "logic/buchi.h"

#include <string.h>

/* ---- negation normal form ---- */

enum nnf_op { NNF_TRUE, NNF_FALSE, NNF_LITERAL, NNF_AND, NNF_OR, NNF_X, NNF_U, NNF_R };

struct nnf {
    uint8_t op;
    bool negated; /* of a literal */
    uint32_t a, b; /* of a literal: a is the atom */
};

typedef struct {
    uint64_t w[BUCHI_MAX_SUBFORMULAS / 64];
} set;

static bool set_has(const set *s, uint32_t i)
{
    return s->w[i / 64] >> i % 64 & 1;
}
static void set_add(set *s, uint32_t i)
{
    s->w[i / 64] |= UINT64_C(1) << i % 64;
}
static bool set_equal(const set *a, const set *b)
{
    return !memcmp(a, b, sizeof *a);
}

struct translator {
    struct buchi *buchi;
    struct model *model;
    struct mem *mem;
    const char *problem;
    struct nnf nodes[BUCHI_MAX_SUBFORMULAS];
    uint32_t node_count;
    uint32_t untils[BUCHI_MAX_ACCEPTANCE];
    VEC(set) old;  /* per automaton state: its promises ... */
    VEC(set) next; /* ... and those for the next state */
    VEC(uint32_t) cover; /* states made by the last call of cover */
    uint32_t slots[2 * BUCHI_MAX_STATES]; /* state + 1, by hash */
    uint32_t *memo[2]; /* per node of the formulas and sign: its normal form + 1 */
    set simple; /* parts without a choice: taken first, so that contradictions show before branching */
    uint64_t work;
};

enum { MAX_WORK = 3000000 }; /* a second or two */

static const char too_large[] = "the automaton of the formula is too large";

static uint32_t make(struct translator *t, enum nnf_op op, bool negated, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct nnf *node = &t->nodes[i];
        if (node->op == op && node->negated == negated && node->a == a && node->b == b) return i;
    }
    if (t->node_count == BUCHI_MAX_SUBFORMULAS) return t->problem = "the formula has too many parts", 0;
    t->nodes[t->node_count] = (struct nnf){(uint8_t)op, negated, a, b};
    if (op != NNF_OR && op != NNF_U && op != NNF_R) set_add(&t->simple, t->node_count);
    return t->node_count++;
}

static uint32_t make_true(struct translator *t)
{
    return make(t, NNF_TRUE, false, 0, 0);
}
static uint32_t make_false(struct translator *t)
{
    return make(t, NNF_FALSE, false, 0, 0);
}
static bool is(const struct translator *t, uint32_t f, enum nnf_op op)
{
    return t->nodes[f].op == op;
}

static uint32_t make_and(struct translator *t, uint32_t a, uint32_t b)
{
    if (is(t, a, NNF_FALSE) || is(t, b, NNF_TRUE) || a == b) return a;
    if (is(t, b, NNF_FALSE) || is(t, a, NNF_TRUE)) return b;
    return a < b ? make(t, NNF_AND, false, a, b) : make(t, NNF_AND, false, b, a);
}

static uint32_t make_or(struct translator *t, uint32_t a, uint32_t b)
{
    if (is(t, a, NNF_TRUE) || is(t, b, NNF_FALSE) || a == b) return a;
    if (is(t, b, NNF_TRUE) || is(t, a, NNF_FALSE)) return b;
    return a < b ? make(t, NNF_OR, false, a, b) : make(t, NNF_OR, false, b, a);
}

static uint32_t make_x(struct translator *t, uint32_t a)
{
    if (is(t, a, NNF_TRUE) || is(t, a, NNF_FALSE)) return a;
    return make(t, NNF_X, false, a, 0);
}

static bool is_finally(const struct translator *t, uint32_t f)
{
    return is(t, f, NNF_U) && is(t, t->nodes[f].a, NNF_TRUE);
}
static bool is_globally(const struct translator *t, uint32_t f)
{
    return is(t, f, NNF_R) && is(t, t->nodes[f].a, NNF_FALSE);
}

static uint32_t make_u(struct translator *t, uint32_t a, uint32_t b)
{
    if (is(t, b, NNF_TRUE) || is(t, b, NNF_FALSE) || is(t, a, NNF_FALSE) || a == b) return b;
    if (is_finally(t, b)) return b;                                                        /* f U F g == F g */
    if (is(t, a, NNF_TRUE) && is_globally(t, b) && is_finally(t, t->nodes[b].b)) return b; /* F G F g == G F g */
    return make(t, NNF_U, false, a, b);
}

static uint32_t make_r(struct translator *t, uint32_t a, uint32_t b)
{
    if (is(t, b, NNF_TRUE) || is(t, b, NNF_FALSE) || is(t, a, NNF_TRUE) || a == b) return b;
    if (is_globally(t, b)) return b;                                                        /* f R G g == G g */
    if (is(t, a, NNF_FALSE) && is_finally(t, b) && is_globally(t, t->nodes[b].b)) return b; /* G F G g == F G g */
    return make(t, NNF_R, false, a, b);
}

static uint32_t make_literal(struct translator *t, expr atom, bool negated)
{
    const struct exprs *exprs = &t->model->exprs;
    const struct expr_node *node = expr_get(exprs, atom);
    if (node->op == EXPR_CONST) return (node->value != 0) != negated ? make_true(t) : make_false(t);
    if (node->op == EXPR_NOT) return make_literal(t, node->a, !negated);
    for (uint32_t i = 0; i < t->buchi->atoms.len; i++)
        if (expr_same(t->buchi->atoms.data[i], atom)) return make(t, NNF_LITERAL, negated, i, 0);
    if (t->buchi->atoms.len == BUCHI_MAX_ATOMS) return t->problem = "the formula has too many atoms", 0;
    vec_push(t->mem, &t->buchi->atoms, atom);
    return make(t, NNF_LITERAL, negated, t->buchi->atoms.len - 1, 0);
}

static uint32_t normalise_node(struct translator *t, formula f, bool negated);

/* Each part once per sign: `<->` needs both of both sides, which would be exponential. */
static uint32_t normalise(struct translator *t, formula f, bool negated)
{
    if (t->problem) return 0;
    if (!t->memo[negated][f.i]) t->memo[negated][f.i] = normalise_node(t, f, negated) + 1;
    return t->memo[negated][f.i] - 1;
}

static uint32_t normalise_node(struct translator *t, formula f, bool negated)
{
    const struct formula_node node = *formula_get(&t->model->formulas, f);
    switch (node.op) {
    case FORMULA_ATOM: return make_literal(t, node.atom, negated);
    case FORMULA_NOT: return normalise(t, node.a, !negated);
    case FORMULA_X: return make_x(t, normalise(t, node.a, negated));
    case FORMULA_IFF: {
        uint32_t a = normalise(t, node.a, false), not_a = normalise(t, node.a, true);
        uint32_t b = normalise(t, node.b, negated), not_b = normalise(t, node.b, !negated);
        return make_or(t, make_and(t, a, b), make_and(t, not_a, not_b));
    }
    default: break;
    }
    uint32_t a = normalise(t, node.a, node.op == FORMULA_IMPLIES ? !negated : negated);
    if (node.op == FORMULA_F) return negated ? make_r(t, make_false(t), a) : make_u(t, make_true(t), a);
    if (node.op == FORMULA_G) return negated ? make_u(t, make_true(t), a) : make_r(t, make_false(t), a);
    uint32_t b = normalise(t, node.b, negated);
    switch (node.op) {
    case FORMULA_AND: return negated ? make_or(t, a, b) : make_and(t, a, b);
    case FORMULA_OR:
    case FORMULA_IMPLIES: return negated ? make_and(t, a, b) : make_or(t, a, b);
    case FORMULA_U: return negated ? make_r(t, a, b) : make_u(t, a, b);
    case FORMULA_R: return negated ? make_u(t, a, b) : make_r(t, a, b);
    case FORMULA_W: /* f W g == g R (f | g); negated: !g U (!f & !g) */
        return negated ? make_u(t, b, make_and(t, a, b)) : make_r(t, b, make_or(t, a, b));
    default: return t->problem = "a path quantifier in LTL", 0;
    }
}

/* ---- the tableau ---- */

static uint32_t add_state(struct translator *t, const set *old, const set *next)
{
    uint64_t hash = 0;
    for (unsigned w = 0; w < sizeof old->w / sizeof *old->w; w++)
        hash = ((hash ^ old->w[w]) * UINT64_C(0x9E3779B97F4A7C15) ^ next->w[w]) * UINT64_C(0xBF58476D1CE4E5B9), hash ^= hash >> 29;
    uint32_t at = (uint32_t)(hash >> 32) % (2 * BUCHI_MAX_STATES);
    for (; t->slots[at]; at = (at + 1) % (2 * BUCHI_MAX_STATES)) {
        uint32_t known = t->slots[at] - 1;
        if (set_equal(&t->old.data[known], old) && set_equal(&t->next.data[known], next)) return known;
    }
    if (t->old.len == BUCHI_MAX_STATES) return t->problem = too_large, 0;
    vec_push(t->mem, &t->old, *old);
    vec_push(t->mem, &t->next, *next);
    return (t->slots[at] = t->old.len) - 1;
}

static void expand(struct translator *t, set todo, set old, set next);

static void branch(struct translator *t, set todo, set old, set next, uint32_t now, uint32_t also_now, uint32_t later)
{
    set_add(&todo, now);
    if (also_now != MODEL_NONE) set_add(&todo, also_now);
    if (later != MODEL_NONE) set_add(&next, later);
    expand(t, todo, old, next);
}

static bool contradicts(const struct translator *t, const set *old, const struct nnf *literal)
{
    for (uint32_t i = 0; i < t->node_count; i++)
        if (set_has(old, i) && t->nodes[i].op == NNF_LITERAL && t->nodes[i].a == literal->a && t->nodes[i].negated != literal->negated) return true;
    return false;
}

static uint32_t take_one(const struct translator *t, set *todo)
{
    for (unsigned simple = 2; simple-- > 0;)
        for (uint32_t w = 0; w < sizeof todo->w / sizeof *todo->w; w++) {
            uint64_t choice = simple ? todo->w[w] & t->simple.w[w] : todo->w[w];
            if (!choice) continue;
            todo->w[w] &= ~(choice & -choice);
            return 64 * w + (uint32_t)__builtin_ctzll(choice);
        }
    return MODEL_NONE;
}

/* Finds all ways to make everything in todo true now, given what is promised already. */
static void expand(struct translator *t, set todo, set old, set next)
{
    while (!t->problem) {
        uint32_t f = take_one(t, &todo);
        if (++t->work > MAX_WORK) t->problem = too_large;
        if (f == MODEL_NONE) {
            vec_push(t->mem, &t->cover, add_state(t, &old, &next));
            return;
        }
        if (set_has(&old, f)) continue;
        const struct nnf node = t->nodes[f];
        if (node.op == NNF_FALSE || (node.op == NNF_LITERAL && contradicts(t, &old, &node))) return;
        set_add(&old, f);
        switch (node.op) {
        case NNF_AND:
            set_add(&todo, node.a);
            set_add(&todo, node.b);
            break;
        case NNF_X: set_add(&next, node.a); break;
        case NNF_OR:
            branch(t, todo, old, next, node.a, MODEL_NONE, MODEL_NONE);
            branch(t, todo, old, next, node.b, MODEL_NONE, MODEL_NONE);
            return;
        case NNF_U:
            branch(t, todo, old, next, node.b, MODEL_NONE, MODEL_NONE);
            branch(t, todo, old, next, node.a, MODEL_NONE, f);
            return;
        case NNF_R:
            branch(t, todo, old, next, node.a, node.b, MODEL_NONE);
            branch(t, todo, old, next, node.b, MODEL_NONE, f);
            return;
        default: break;
        }
    }
}

static void cover(struct translator *t, set todo)
{
    static const set empty;
    t->cover.len = 0;
    expand(t, todo, empty, empty);
}

static void label_state(struct translator *t, uint32_t s)
{
    struct buchi_state *state = &t->buchi->states.data[s];
    for (uint32_t i = 0; i < t->node_count; i++) {
        if (!set_has(&t->old.data[s], i) || t->nodes[i].op != NNF_LITERAL) continue;
        *(t->nodes[i].negated ? &state->negative : &state->positive) |= UINT64_C(1) << t->nodes[i].a;
    }
    for (uint32_t k = 0; k < t->buchi->acceptance; k++) {
        uint32_t until = t->untils[k];
        if (!set_has(&t->old.data[s], until) || set_has(&t->old.data[s], t->nodes[until].b)) state->accepting |= UINT64_C(1) << k;
    }
}

static void find_untils(struct translator *t)
{
    for (uint32_t i = 0; i < t->node_count && !t->problem; i++) {
        if (t->nodes[i].op != NNF_U) continue;
        if (t->buchi->acceptance == BUCHI_MAX_ACCEPTANCE) t->problem = "the formula has too many U";
        else t->untils[t->buchi->acceptance++] = i;
    }
}

static void build(struct translator *t, uint32_t root)
{
    set start = {{0}};
    struct buchi *buchi = t->buchi;
    set_add(&start, root);
    cover(t, start);
    for (uint32_t i = 0; i < t->cover.len; i++) vec_push(t->mem, &buchi->initial, t->cover.data[i]);
    for (uint32_t s = 0; s < t->old.len && !t->problem; s++) {
        cover(t, t->next.data[s]);
        struct buchi_state state = {.first_edge = buchi->targets.len, .edges = t->cover.len};
        for (uint32_t i = 0; i < t->cover.len; i++) vec_push(t->mem, &buchi->targets, t->cover.data[i]);
        vec_push(t->mem, &buchi->states, state);
        label_state(t, s);
    }
}

const char *buchi_translate(struct buchi *buchi, struct model *model, formula f, bool negated)
{
    memset(buchi, 0, sizeof *buchi);
    struct translator *t = mem_alloc(model->mem, sizeof *t);
    t->buchi = buchi;
    t->model = model;
    t->mem = model->mem;
    for (unsigned sign = 0; sign < 2; sign++) t->memo[sign] = mem_alloc(t->mem, model->formulas.nodes.len * sizeof *t->memo[sign]);
    uint32_t root = normalise(t, f, negated);
    find_untils(t);
    if (!t->problem) build(t, root);
    const char *problem = t->problem;
    vec_free(t->mem, &t->old);
    vec_free(t->mem, &t->next);
    vec_free(t->mem, &t->cover);
    mem_free(t->mem, t->memo[0]);
    mem_free(t->mem, t->memo[1]);
    mem_free(t->mem, t);
    if (problem) buchi_release(buchi, model);
    return problem;
}

void buchi_release(struct buchi *buchi, const struct model *model)
{
    vec_free(model->mem, &buchi->atoms);
    vec_free(model->mem, &buchi->states);
    vec_free(model->mem, &buchi->targets);
    vec_free(model->mem, &buchi->initial);
    buchi->acceptance = 0;
}
