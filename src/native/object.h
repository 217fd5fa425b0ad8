/* A shared object that a compiler has made, in memory: see object.c. */
#ifndef CAIRN_NATIVE_OBJECT_H
#define CAIRN_NATIVE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_object {
    void *memory;
    size_t size;
    uintptr_t entry; /* the address of its only function that others call */
};

/* Puts an ELF file, given as bytes, into memory that can be run. NULL, or why not. */
const char *native_object_load(struct native_object *object, const unsigned char *bytes,
                               size_t size);
void native_object_unload(struct native_object *object);

#endif
