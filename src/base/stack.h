/* A stack as large as the work needs: for what recurses as deeply as a model is wide. It is a
 * thread's, with a guard page at its end; the caller waits for it, so that only one of the two
 * runs, and the work may use whatever the caller could. Pages are the system's until they are
 * touched. */
#ifndef CAIRN_BASE_STACK_H
#define CAIRN_BASE_STACK_H

#include "base/mem.h"

/* What every stack has, whatever the work says: readers, printers and evaluators recurse as deeply
 * as expressions may be nested. It is not counted in the budget of memory, as the stack that the
 * program began with is not. */
enum { STACK_PLAIN = 8 << 20 };

/* Frames of sanitized programs are larger; where `bytes` are worked out, they are multiplied by
 * this. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { STACK_FACTOR = 4 };
#else
enum { STACK_FACTOR = 1 };
#endif

/* work(context) on a stack with `bytes` more than STACK_PLAIN, which are counted in the budget for
 * as long as it takes. Memory that is refused inside goes to the caller's recovery point. False:
 * there is no room for the stack, and nothing has happened. */
bool stack_run(struct mem *mem, uint64_t bytes, void (*work)(void *context), void *context);

#endif
