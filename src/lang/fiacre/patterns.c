/* Patterns as LTL, after Dwyer, Avrunin and Corbett (1999). a is looked for within the scope:
 * everywhere, before the first r, after the first q, or in every stretch that begins with q (and
 * not r): `between q and r` when r comes, `after q until r` also when it does not. */
#include "lang/fiacre/scope.h"

struct maker {
    struct model *model;
    struct place place;
};

static formula make(const struct maker *m, enum formula_op op, formula a, formula b)
{
    return formula_make(&m->model->formulas, &m->model->exprs, op, a, b, m->place);
}

static formula negate(const struct maker *m, formula a) { return make(m, FORMULA_NOT, a, a); }

static formula always(const struct maker *m, formula a) { return make(m, FORMULA_G, a, a); }

static formula some_time(const struct maker *m, formula a) { return make(m, FORMULA_F, a, a); }

/* In every stretch: when it begins, `inside` is true. */
static formula stretches(const struct maker *m, enum fiacre_scope scope, formula q, formula r,
                         formula inside)
{
    formula begins = make(m, FORMULA_AND, q, negate(m, r));
    if (scope == FIACRE_SCOPE_BETWEEN) begins = make(m, FORMULA_AND, begins, some_time(m, r));
    return always(m, make(m, FORMULA_IMPLIES, begins, inside));
}

/* `holds` all the time up to `end`, which is or includes r; in scopes that an r ends, given or
 * not. */
static formula up_to(const struct maker *m, enum fiacre_scope scope, formula q, formula r,
                     formula holds, formula end)
{
    formula until = make(m, scope == FIACRE_SCOPE_AFTER_UNTIL ? FORMULA_W : FORMULA_U, holds, end);
    return scope == FIACRE_SCOPE_BEFORE ? make(m, FORMULA_IMPLIES, some_time(m, r), until)
                                        : stretches(m, scope, q, r, until);
}

static formula make_always(const struct maker *m, enum fiacre_scope scope, formula a, formula q,
                           formula r)
{
    if (scope == FIACRE_SCOPE_GLOBAL) return always(m, a);
    if (scope == FIACRE_SCOPE_AFTER) return always(m, make(m, FORMULA_IMPLIES, q, always(m, a)));
    return up_to(m, scope, q, r, a, r);
}

static formula make_present(const struct maker *m, enum fiacre_scope scope, formula a, formula q,
                            formula r)
{
    if (scope == FIACRE_SCOPE_GLOBAL) return some_time(m, a);
    if (scope == FIACRE_SCOPE_AFTER)
        return make(m, FORMULA_OR, always(m, negate(m, q)),
                    some_time(m, make(m, FORMULA_AND, q, some_time(m, a))));
    formula not_r = negate(m, r), a_first = make(m, FORMULA_AND, a, not_r);
    formula inside =
        make(m, scope == FIACRE_SCOPE_AFTER_UNTIL ? FORMULA_U : FORMULA_W, not_r, a_first);
    return scope == FIACRE_SCOPE_BEFORE
               ? inside
               : always(m, make(m, FORMULA_IMPLIES, make(m, FORMULA_AND, q, not_r), inside));
}

static formula make_leadsto(const struct maker *m, enum fiacre_scope scope, formula a, formula b,
                            formula q, formula r)
{
    if (scope == FIACRE_SCOPE_GLOBAL || scope == FIACRE_SCOPE_AFTER)
        return make_always(m, scope, make(m, FORMULA_IMPLIES, a, some_time(m, b)), q, r);
    formula not_r = negate(m, r),
            answered = make(m, FORMULA_U, not_r, make(m, FORMULA_AND, b, not_r));
    return up_to(m, scope, q, r, make(m, FORMULA_IMPLIES, a, answered), r);
}

/* No b before the first a. */
static formula make_precedes(const struct maker *m, enum fiacre_scope scope, formula a, formula b,
                             formula q, formula r)
{
    formula not_b = negate(m, b), first = make(m, FORMULA_W, not_b, a);
    if (scope == FIACRE_SCOPE_GLOBAL) return first;
    if (scope == FIACRE_SCOPE_AFTER)
        return make(m, FORMULA_W, negate(m, q),
                    make(m, FORMULA_AND, q, first)); /* from the first q on, not from any */
    return up_to(m, scope, q, r, not_b, make(m, FORMULA_OR, a, r));
}

bool pattern_formula(struct model *model, const struct fiacre_pattern *pattern, struct place place,
                     formula a, formula b, formula from, formula to, formula *result)
{
    struct maker m = {model, place};
    enum fiacre_scope scope = pattern->scope;
    bool before = scope == FIACRE_SCOPE_BEFORE;
    formula q = from, r = before ? from : to; /* before r: the one that is given */
    switch ((enum fiacre_pattern_kind)pattern->kind) {
    case FIACRE_PATTERN_ABSENT: *result = make_always(&m, scope, negate(&m, a), q, r); return true;
    case FIACRE_PATTERN_ALWAYS: *result = make_always(&m, scope, a, q, r); return true;
    case FIACRE_PATTERN_PRESENT: *result = make_present(&m, scope, a, q, r); return true;
    case FIACRE_PATTERN_LEADSTO: *result = make_leadsto(&m, scope, a, b, q, r); return true;
    case FIACRE_PATTERN_PRECEDES: *result = make_precedes(&m, scope, a, b, q, r); return true;
    case FIACRE_PATTERN_INFINITELYOFTEN:
        *result = always(&m, some_time(&m, a));
        return scope == FIACRE_SCOPE_GLOBAL;
    case FIACRE_PATTERN_MORTAL:
        *result = some_time(&m, always(&m, negate(&m, a)));
        return scope == FIACRE_SCOPE_GLOBAL;
    default: return false;
    }
}
