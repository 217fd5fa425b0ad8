/* The one folder that is served. Names are relative to it, and nothing outside of it is opened:
 * names are walked part by part, none of which is `..`, hidden (`.x`) or a symbolic link. */
#ifndef CAIRN_SERVE_FOLDER_H
#define CAIRN_SERVE_FOLDER_H

#include "base/mem.h"
#include "base/out.h"

/* Models, contexts, guides and traces are shown, and may be written. */
enum folder_kind { FOLDER_MODEL, FOLDER_CONTEXT, FOLDER_GUIDE, FOLDER_TRACE, FOLDER_OTHER };

enum { FOLDER_MOST_BYTES = 4 << 20 }; /* of a file that is shown or written */

/* By the ending of its name. */
enum folder_kind folder_kind_of(const char *name);

/* Whether it could be the name of a file in the folder. */
bool folder_is_name(const char *name);

/* An ordinary file of the folder, for reading: a descriptor. Less than 0: errno says why not. */
int folder_open(int folder, const char *name);

/* Writes a file of the folder whose name is of one of the kinds above, whole or not at all: what
 * was there before is replaced at once. False: errno says why not. */
bool folder_write(int folder, const char *name, const char *text, size_t length);

/* Its files, as a list of {name, kind, bytes}, by name; those of its folders, too, as deep as is
 * reasonable. */
void folder_list(struct out *json, int folder, struct mem *mem);

#endif
