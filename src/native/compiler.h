/* The system's C compiler, at work in the background: see compiler.c. */
#ifndef CAIRN_NATIVE_COMPILER_H
#define CAIRN_NATIVE_COMPILER_H

#include "base/mem.h"

#include <limits.h>
#include <sys/types.h>

struct native_compiler {
    pid_t keeper; /* the process that starts the compiler and cleans up behind it; 0: none */
    int alive;    /* a pipe that nobody writes to: when it is closed, the keeper ends */
    int answer;   /* what the keeper sends: a word, then bytes */
    struct mem *mem;
    unsigned char *bytes; /* received so far; aligned as the loader wants it */
    size_t size, room;
};

/* The compiler's path: the first `cc` in the absolute folders of PATH. False: there is none. */
bool native_compiler_find(char path[PATH_MAX]);
/* What tells it apart from others: its path, and of its file number, size and time. */
void native_compiler_identity(const char *path, char identity[PATH_MAX + 96]);

/* Begins; false: no process could be started. */
bool native_compiler_start(struct native_compiler *compiler, struct mem *mem, const char *path,
                           const char *text, size_t length);
enum native_compiler_state { NATIVE_COMPILES, NATIVE_COMPILED, NATIVE_COMPILES_NOT };
/* Looks whether it is ready; waits so many milliseconds at most. NATIVE_COMPILED: the object is in
 * `bytes`. NATIVE_COMPILES_NOT: what the compiler said, or why there is nothing, is there as text.
 */
enum native_compiler_state native_compiler_look(struct native_compiler *compiler, int milliseconds);
/* Ends it, whatever it does, and waits until it is gone with everything that it made. */
void native_compiler_stop(struct native_compiler *compiler);

/* All of the bytes; false: they could not be written. */
bool native_compiler_write(int file, const void *bytes, size_t size);

#endif
