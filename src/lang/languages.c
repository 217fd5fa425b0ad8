#include "lang/languages.h"

#include "lang/cairn/cairn.h"
#include "lang/fiacre/fiacre.h"
#include "lang/milestones/milestones.h"
#include "lang/tck/tck.h"
#include "lang/uppaal/uppaal.h"

#include <assert.h>
#include <string.h>

const struct language *const languages[] = {
    &milestones_language, &fiacre_language, &uppaal_language, &tck_language, &cairn_language, NULL};

static bool ends_with(const char *path, const char *extension)
{
    const size_t length = strlen(path), tail = strlen(extension);
    assert(extension[0] == '.');
    return length > tail && !strcmp(path + length - tail, extension);
}

static const struct language *by_extension(const char *path)
{
    for (unsigned i = 0; languages[i]; i++) {
        const char *const *other = languages[i]->others;
        if (ends_with(path, languages[i]->extension)) return languages[i];
        while (other && *other)
            if (ends_with(path, *other++)) return languages[i];
    }
    return NULL;
}

bool languages_knows(const char *path) { return by_extension(path) != NULL; }

const struct language *languages_find(const char *path)
{
    const struct language *found = by_extension(path);
    return found ? found : languages[0];
}
