/* Checks that cost more than a comparison: they are compiled into the builds that tests use
 * (CAIRN_TEST_HOOKS) and into no other. Cheap conditions are plain asserts, in every build.
 *
 * An assert names the numbered invariant of its file's or its header's head that it states, as
 * "(2)" in a comment behind it. x_check says whether all invariants of a structure hold; it stands
 * in a CHECKED where something ends: a construction, a growth, a collection. What ends often is
 * paced: checked_due. */
#ifndef CAIRN_BASE_CHECKED_H
#define CAIRN_BASE_CHECKED_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CAIRN_TEST_HOOKS
#define CHECKED(condition) assert(condition)
#else
#define CHECKED(condition) ((void)(false && (condition))) /* compiled, never evaluated */
#endif

/* Whether it is time for a check of this cost, which is paid for by work that has been done since
 * the last one: `*saved` has what is left of it. */
bool checked_due(uint64_t *saved, uint64_t work, uint64_t cost);

/* Working memory of checks, zeros: outside the budget of base/mem, where no fault is injected, so
 * that a build that checks refuses memory where the others do. NULL: there is none, and the check
 * says yes. */
void *checked_alloc(size_t bytes);
void checked_free(void *block);

#endif
