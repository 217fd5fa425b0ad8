/* The table of languages. */
#ifndef CAIRN_LANG_LANGUAGES_H
#define CAIRN_LANG_LANGUAGES_H

#include "lang/common/language.h"

extern const struct language *const languages[]; /* ends with NULL */

/* By the file's extension; standard input and unknown extensions are the first language. */
const struct language *languages_find(const char *path);
bool languages_knows(const char *path); /* the extension is in the table */

#endif
