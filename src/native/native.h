/* Rules, guards and monitors as machine code, for searches that last: C text is printed of the
 * compiled program (print.h), the system's compiler makes an object of it in the background
 * (compiler.h) while the search goes on, and when that is ready, it is loaded (object.h) and every
 * thread uses it from the next state on (program_adopt). It computes the same, so it does not
 * matter when. Where there is no compiler, or anything goes wrong, the search just goes on.
 *
 * One thread owns this and looks at it now and then; nothing here is fast or slow for others. */
#ifndef CAIRN_NATIVE_NATIVE_H
#define CAIRN_NATIVE_NATIVE_H

#include "program/program.h"
#include "result/result.h"

struct native;

/* For all threads whose programs are made from this one later. NULL: nothing is to be done.
 * Memory is taken from `mem` by calls that jump; what is made later has a budget of its own.
 * NATIVE_ALWAYS: compiles before it returns, or until *interrupted or
 * the clock (base/clock.h) says so; 0: it does not. */
struct native *native_begin(struct program *program, enum native_mode mode, struct mem *mem,
                            const atomic_int *interrupted, double until);
/* The search has lasted so many seconds. */
void native_look(struct native *native, double seconds);
/* Whether machine code is used, and since when, or why not: a text from `mem`. NULL: nobody tried,
 * or there is no memory. */
const char *native_tell(const struct native *native, struct mem *mem);
/* After the threads have ended. */
void native_end(struct native *native);

#endif
