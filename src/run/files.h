/* Files that several processes share, perhaps on several machines over NFS. What is relied on: a
 * name is made by one of them (link), a rename of one file succeeds for one of them, and what was
 * written before a name was made is there for whoever opens it by that name (close-to-open). No
 * locks, and no clock but that of the file system. A name that was made may be seen late; nothing
 * here depends on seeing it soon.
 *
 * Owners. A process is known by its machine (the id of its boot, and its space of process numbers),
 * its number and the moment when it started: whoever runs on the same machine can tell whether it
 * is gone. */
#ifndef CAIRN_RUN_FILES_H
#define CAIRN_RUN_FILES_H

#include "base/mem.h"

#include <stdio.h>

enum { FILES_PATH = 4096, FILES_OWNER = 160 };

struct files_owner {
    char text[FILES_OWNER]; /* HOST_PID_START_BOOT_SPACE: fit for names of files */
};
/* This process. */
const struct files_owner *files_self(void);
/* Whether it ran on this machine and no longer does. False also when that cannot be told. */
bool files_is_gone(const char *owner);
/* Whether it runs, or ran, on this machine since it was started. */
bool files_is_here(const char *owner);

/* FOLDER/NAME. */
void files_path(char path[FILES_PATH], const char *folder, const char *name);
/* A name that no other process makes: FOLDER/PREFIX.OWNER.NUMBER. */
void files_unique(char path[FILES_PATH], const char *folder, const char *prefix);

/* Writes a new file whole, durably if that is wanted. False: errno says why not, and there is
 * none. */
bool files_write(const char *path, const char *bytes, size_t size, bool durable);
/* Gives a file that was written its name, as the only one to do so; the name it had is removed. */
enum files_made { FILES_MADE, FILES_TAKEN, FILES_FAILED };
enum files_made files_publish(const char *written, const char *path, bool durable);
/* The same, whoever has that name. */
bool files_replace(const char *written, const char *path, bool durable);
/* Text as a new file under that name, with one of these. */
enum files_made files_make(const char *folder, const char *path, const char *text, bool durable);
bool files_put(const char *folder, const char *path, const char *text, bool durable);

/* The whole of a small file as a string, for mem_free; NULL: it is not there, or cannot be read
 * (errno). *changed: when, by the clock of the file system; may be NULL. */
char *files_read(struct mem *mem, const char *path, double *changed);
bool files_is_there(const char *path);
/* Makes the names in a folder durable. */
void files_sync_folder(const char *folder);

/* Whether the owner of this claim has it still, which is then renewed by the clock of the file
 * system. */
bool files_renew(struct mem *mem, const char *path, const char *text);
/* Now, by that clock: `probe` is a file of this process alone. Less than 0: it cannot be told. */
double files_now(const char *probe);

/* Removes a folder with everything in it that cairn makes: files, and folders in it. */
void files_remove_tree(const char *folder);
/* Copies a plain file. */
bool files_copy(const char *from, const char *to);

#endif
