/* From expressions and statements to the model: what the parts of the lowering share. All functions
 * that are bool return false after a diagnostic. */
#ifndef CAIRN_LANG_TCK_LOWER_H
#define CAIRN_LANG_TCK_LOWER_H

#include "lang/kit/value.h"
#include "lang/tck/ast.h"

/* A local variable of the statements at hand. */
struct tck_local {
    const char *name;
    const struct type *type;
    struct cell at;
};

struct tck {
    struct tck_file file;
    struct language_input *input;
    struct model *model;
    const struct type **types; /* per array of integers */
    bool *needs_setter;        /* per array of clocks: constants alone do not say what it becomes */
    struct emit emit;
    VEC(struct tck_local) locals;
    VEC(struct clock_reset) resets;           /* of the rule at hand */
    VEC(struct clock_constraint) constraints; /* that a condition had last */
    VEC(expr) conjuncts;                      /* likewise */
    VEC(struct place) conjunct_places;
    VEC(expr) invariants;                /* what those of all locations say about variables */
    uint32_t counts[PROPERTY_REACH + 1]; /* unnamed properties so far, by kind */
};

/* A number. */
bool tck_lower_number(struct tck *tck, const struct tck_exp *exp, expr *result);
/* A condition without clocks. */
bool tck_lower_condition(struct tck *tck, const struct tck_exp *exp, expr *result);
/* A condition with clocks: into tck->constraints, tck->conjuncts. exp may be NULL: true. */
bool tck_split(struct tck *tck, const struct tck_exp *exp);
/* Statements, into tck->emit and tck->resets. */
bool tck_lower_steps(struct tck *tck, const struct tck_statement *steps);
/* Which clocks constants alone do not set. */
void tck_find_setters(struct tck *tck);
/* All variables, clocks, processes and rules of the model. */
bool tck_build(struct tck *tck);
/* A process stands in a location. */
expr tck_is_at(struct tck *tck, uint32_t process, uint32_t location);
/* Adds a property. */
bool tck_add_property(struct tck *tck, enum property_kind kind, uint32_t source);

#endif
