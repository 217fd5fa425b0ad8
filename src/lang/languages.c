#include "lang/languages.h"

#include "lang/cairn/cairn.h"
#include "lang/fiacre/fiacre.h"
#include "lang/milestones/milestones.h"

#include <assert.h>
#include <string.h>

const struct language *const languages[] = {&milestones_language, &fiacre_language, &cairn_language,
                                            NULL};

static const struct language *by_extension(const char *path)
{
    size_t length = strlen(path);
    for (unsigned i = 0; languages[i]; i++) {
        size_t tail = strlen(languages[i]->extension);
        assert(languages[i]->extension[0] == '.');
        if (length > tail && !strcmp(path + length - tail, languages[i]->extension))
            return languages[i];
    }
    return NULL;
}

bool languages_knows(const char *path) { return by_extension(path) != NULL; }

const struct language *languages_find(const char *path)
{
    const struct language *found = by_extension(path);
    return found ? found : languages[0];
}
