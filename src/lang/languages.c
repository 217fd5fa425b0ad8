#include "lang/languages.h"

#include "lang/cairn/cairn.h"
#include "lang/milestones/milestones.h"

#include <string.h>

const struct language *const languages[] = {&milestones_language, &cairn_language, NULL};

const struct language *languages_find(const char *path)
{
    size_t length = strlen(path);
    for (unsigned i = 0; languages[i]; i++) {
        size_t tail = strlen(languages[i]->extension);
        if (length > tail && !strcmp(path + length - tail, languages[i]->extension)) return languages[i];
    }
    return languages[0];
}
