/* Resolving a context against a model. Where what is done:
 *   units.c      the processes and components of the model, and their variables
 *   values.c     values, variables, predicates
 *   events.c     events, and the queues and rules that they are about
 *   observers.c  the automata
 *   patterns.c   patterns of properties
 *   choices.c    what the scenario cannot tell apart
 *   cdl.c        the file, activities, the context as a whole */
#ifndef CAIRN_LANG_CDL_SCOPE_H
#define CAIRN_LANG_CDL_SCOPE_H

#include "base/map.h"
#include "lang/cdl/ast.h"
#include "lang/cdl/cdl.h"

struct cdl {
    struct diag *diag;
    struct mem *mem;
    struct arena arena;
    struct names names;
    const char *path;
    struct cdl_file file;
    struct map map; /* declarations by name and kind */
    VEC(struct cdl_decl *) decls;

    /* while a context is resolved */
    struct model *model;
    const struct language_define *defines;
    uint32_t define_count;
    struct context *context;
    VEC(struct model_name)
    units; /* as in struct model; made up from names of variables where the language says nothing */
    bool has_globals; /* then the unit "" has the variables of no process, and stands for every
                         component */
    struct terms terms;
    VEC(bool) empty;       /* per term, as far as it was asked: the empty word is in it */
    bool has_noted_choice; /* choices.c has said its word about this context */
    unsigned nesting;
};

/* ---- declarations ---- */

/* Finds a declaration; NULL after an error, which suggests others. */
struct cdl_decl *cdl_find(struct cdl *cdl, enum cdl_kind kind, const char *name,
                          struct place place);
/* The same without an error. */
struct cdl_decl *cdl_lookup(struct cdl *cdl, enum cdl_kind kind, const char *name);
/* A number, or the value of a constant. */
bool cdl_number(struct cdl *cdl, const struct cdl_number *number, int64_t *value);
bool cdl_constant(struct cdl *cdl, const char *name, int64_t *value);

/* ---- units ---- */

void cdl_collect_units(struct cdl *cdl);

/* A process or component of the model. */
struct cdl_found_unit {
    uint32_t process; /* MODEL_NONE: a component */
    uint32_t first;   /* of its entries in cdl->units, the one without a name */
};
bool cdl_find_unit(struct cdl *cdl, const struct cdl_unit *unit, struct cdl_found_unit *found);
/* A variable of a unit; NULL: there is none. */
const struct model_name *cdl_unit_variable(const struct cdl *cdl, uint32_t first, const char *name);
/* The same, or an error that suggests others. */
const struct model_name *cdl_need_variable(struct cdl *cdl, const struct cdl_unit *unit,
                                           uint32_t first, const char *name, struct place place);
/* A variable of a component, the outermost ones first. */
const struct model_name *cdl_component_variable(const struct cdl *cdl, const char *name);
/* `{P}1`, for messages. */
const char *cdl_unit_text(struct cdl *cdl, const struct cdl_unit *unit);

/* ---- values ---- */

/* Writes a value of this shape into cells. With `any`, a constructor may stand without its
 * argument: any[i] says that cell i does not matter. */
bool cdl_cells(struct cdl *cdl, const struct cdl_value *value, const struct shape *shape,
               int64_t *cells, bool *any);
/* The condition of a predicate. */
bool cdl_condition(struct cdl *cdl, const struct cdl_exp *exp, expr *condition);
bool cdl_predicate(struct cdl *cdl, struct cdl_decl *decl, expr *condition);

/* Says so when two of the alternatives begin with the same event. */
void cdl_note_choice(struct cdl *cdl, const struct cdl_activity *choice, const term *parts,
                     uint32_t count);

/* ---- events, observers ---- */

/* The number of an event in the context, where it is added if it is new. */
bool cdl_event(struct cdl *cdl, const char *name, struct place place, uint32_t *index);
bool cdl_inline_event(struct cdl *cdl, const struct cdl_body *body, uint32_t *index);

bool cdl_observer(struct cdl *cdl, const struct cdl_decl *decl);
bool cdl_pattern_observer(struct cdl *cdl, const struct cdl_decl *decl);

#endif
