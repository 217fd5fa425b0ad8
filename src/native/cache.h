/* Objects that were compiled before, by the text that they were made from: see cache.c. */
#ifndef CAIRN_NATIVE_CACHE_H
#define CAIRN_NATIVE_CACHE_H

#include "base/text.h"

/* What an object was made from. */
struct native_source {
    const char *compiler; /* what tells it apart from others */
    const char *text;
    size_t length;
};

/* The object of this source, from `mem`, aligned as the loader wants it; NULL: there is none, or
 * none that can be trusted. */
unsigned char *native_cache_find(const struct native_source *source, struct mem *mem, size_t *size);
/* Keeps one, if it can. */
void native_cache_keep(const struct native_source *source, struct mem *mem,
                       const unsigned char *object, size_t size);

#endif
