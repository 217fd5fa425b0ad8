/* The files of one attempt at a part of the work: a folder of its own in the folder of the part, so
 * that no two processes ever write to one file. It is called
 *
 *   try.OWNER.N   while its owner works; OWNER is the process that writes it
 *   left.OWNER.N  when the owner has left it for others
 *   kept.OWNER.N  when the part is done: it does not change any more
 *
 * Whoever tries next goes on with what was left, or with what an owner that is known to be gone has
 * written: by renaming the folder, which succeeds for one of them. What an owner has written that
 * may live still, on another machine, is copied: journals of frozen runs are whole at every moment
 * (solver/freezer.h). */
#ifndef CAIRN_RUN_ATTEMPT_H
#define CAIRN_RUN_ATTEMPT_H

#include "run/files.h"

/* Makes the folder of the part, if need be, and that of the attempt, whose name without the folder
 * of the part is returned, for mem_free; NULL: errno says why not. */
char *attempt_begin(struct mem *mem, const char *part);
/* The folder of an attempt becomes one that was left, or one that is kept: returns its new name;
 * NULL: it is gone. */
char *attempt_leave(struct mem *mem, const char *part, const char *attempt);
char *attempt_keep(struct mem *mem, const char *part, const char *attempt);
/* Leaves what processes of this machine have begun that are gone. */
void attempt_release(const char *part);
/* Removes what others have begun and nobody works on: the part is done. */
void attempt_clean(const char *part, const char *kept);
/* The attempt that has come furthest; "": there is none. */
char *attempt_furthest(struct mem *mem, const char *part);

#endif
