/* Functions: code that is lowered once, with cells of its own for parameters, variables and result,
 * and called from many places. The state has no stack, so a function that calls itself, directly or
 * through others, is unrolled: each call goes to a copy that is not at work, so that no copy calls
 * itself, and the deepest call fails at run time. Copies of one depth serve all calls there.
 *
 * A parameter by reference stands for cells of the caller. So a routine with such parameters is
 * lowered once for each list of variables that it is called with (routine_instance); where in an
 * array a reference leads is known when it runs, and is passed like a value.
 *
 * A front end embeds `struct routine` as the first member of its own struct.
 *
 * What must hold:
 * 1. A routine that is BUSY is being lowered: it is never called, its copy is.
 * 2. depth is one more than that of any routine that its body calls, and at most
 *    ROUTINE_MAX_DEPTH.
 * 3. Arguments of parameters by reference are in the variables that the instance was made for. */
#ifndef CAIRN_LANG_KIT_ROUTINE_H
#define CAIRN_LANG_KIT_ROUTINE_H

#include "lang/kit/value.h"

enum routine_state { ROUTINE_NEW, ROUTINE_BUSY, ROUTINE_READY, ROUTINE_BAD };
enum { ROUTINE_MAX_DEPTH = 200, ROUTINE_MAX_RECURSION = 100 };

struct routine_parameter {
    const struct type *type;
    struct cell at; /* its own, or, by reference, the caller's */
    bool is_reference;
    struct cell offset; /* of a reference into an array: the local that says where */
};

struct routine {
    enum routine_state state;
    bool is_recursive;
    struct routine *deeper; /* a copy for calls from within; NULL: none was needed yet */
    uint32_t depth;         /* of calls */
    VEC(struct routine_parameter) parameters;
    const struct cell *references; /* that it is made for; NULL: it is the declared one */
    struct routine *other;         /* the next instance of the declared one */
    const struct type *result;     /* NULL: it has none */
    struct cell result_at;
    statement body;
};

/* What prepares routines: one per model. */
struct routines {
    uint32_t preparing; /* how many are BUSY */
    /* A new one, not lowered, that does what the given one does. */
    struct routine *(*copy)(void *context, const struct routine *routine);
    /* Lowers it: parameters, result, body and depth. False after an error. */
    bool (*lower)(void *context, struct routine *routine);
};

/* The routine that a call of this one, which is no copy, goes to; NULL: there are enough of them,
 * and the call fails at run time (routine_emit_too_deep). */
struct routine *routine_callee(struct routines *routines, void *context, struct routine *routine);
/* Lowers it if need be. */
bool routine_prepare(struct routines *routines, void *context, struct routine *routine);
/* The instance for arguments in these cells, one for each parameter by reference: made by `copy`
 * when there is none yet, and then, as any other, not lowered. */
struct routine *routine_instance(struct model *model, struct routines *routines, void *context,
                                 struct routine *declared, const struct cell *cells,
                                 uint32_t count);
/* Adds the next parameter by reference of an instance; its cells, which may be read and written. */
struct cell routine_add_reference(struct model *model, struct routine *routine,
                                  const struct type *type, const char *name);
/* Adds a parameter with cells of its own. */
struct cell routine_add_parameter(struct model *model, struct routine *routine,
                                  const struct type *type, const char *name);
/* Calls it with arguments of matching types, one for each parameter; by reference, of the same type
 * and with its cells. Returns the result, if there is one, which later calls do not change. */
struct value routine_call(struct emit *emit, const struct routine *routine,
                          const struct value *arguments, const struct place *places,
                          struct place place);
/* Puts a value into the result, if there is one (value: NULL), and leaves. */
void routine_return(struct emit *emit, const struct routine *routine, const struct value *value,
                    struct place value_place, struct place place);
/* A failure, and any value of the type. */
struct value routine_emit_too_deep(struct emit *emit, const struct type *result,
                                   struct place place);

#endif
