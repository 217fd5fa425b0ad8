/* The program is linked with all its libraries inside, where dlopen does not work. What is loaded
 * here needs no other object and no C library: code, constants and pointers to its own parts. So a
 * loader is short: segments are copied to where they belong, relative relocations are applied, and
 * then no memory is both written and run.
 *
 * Everything is checked before it is used, and whatever is not expected is refused: another kind of
 * file or machine, segments outside the file, that overlap, or that are written and run, symbols of
 * others, relocations that are not relative or that touch what is run, constructors.
 *
 * Reference: System V ABI, chapters 4 and 5 (object files, program loading). */
#include "native/object.h"

#include <assert.h>
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __x86_64__
enum { MACHINE = EM_X86_64, RELATIVE = R_X86_64_RELATIVE };
#elif defined __aarch64__
enum { MACHINE = EM_AARCH64, RELATIVE = R_AARCH64_RELATIVE };
#else
enum { MACHINE = EM_NONE, RELATIVE = 0 };
#endif

enum { MOST_SEGMENTS = 16, MOST_BYTES = 64 << 20 };

struct reader {
    const unsigned char *bytes;
    size_t size;
    const Elf64_Ehdr *head;
    const Elf64_Phdr *segments;
    uint64_t span; /* addresses that are used, from 0 on */
    size_t page;
    unsigned char *memory; /* where address 0 is */
};

static bool lies_within(uint64_t first, uint64_t length, uint64_t size)
{
    return length <= size && first <= size - length;
}

static const char *check_head(struct reader *reader)
{
    static const unsigned char ident[] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
                                          ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    if (MACHINE == EM_NONE) return "code cannot be loaded on this kind of machine";
    if (reader->size < sizeof(Elf64_Ehdr) || (uintptr_t)reader->bytes % _Alignof(Elf64_Ehdr))
        return "the object is too short";
    reader->head = (const Elf64_Ehdr *)reader->bytes;
    const Elf64_Ehdr *head = reader->head;
    if (memcmp(head->e_ident, ident, sizeof ident) || head->e_type != ET_DYN
        || head->e_machine != MACHINE)
        return "it is no object for this machine";
    if (!head->e_phnum || head->e_phnum > MOST_SEGMENTS || head->e_phentsize != sizeof(Elf64_Phdr)
        || head->e_phoff % _Alignof(Elf64_Phdr)
        || !lies_within(head->e_phoff, head->e_phnum * sizeof(Elf64_Phdr), reader->size))
        return "its segments are not where they should be";
    reader->segments = (const Elf64_Phdr *)(reader->bytes + head->e_phoff);
    return NULL;
}

/* Segments stand one after the other, each on pages of its own. */
static const char *check_segments(struct reader *reader)
{
    for (unsigned i = 0; i < reader->head->e_phnum; i++) {
        const Elf64_Phdr *at = &reader->segments[i];
        if (at->p_type == PT_INTERP || at->p_type == PT_TLS)
            return "it needs more than a loader of code";
        if (at->p_type != PT_LOAD) continue;
        if (!lies_within(at->p_offset, at->p_filesz, reader->size) || at->p_filesz > at->p_memsz
            || !lies_within(at->p_vaddr, at->p_memsz, MOST_BYTES))
            return "a segment lies outside the object";
        if (at->p_vaddr / reader->page * reader->page < reader->span) return "segments overlap";
        if (at->p_flags & PF_W && at->p_flags & PF_X) return "a segment is written and run";
        reader->span = (at->p_vaddr + at->p_memsz + reader->page - 1) / reader->page * reader->page;
    }
    return reader->span ? NULL : "it has no segments";
}

/* The segment that an address range lies in, with these permissions and without those; or NULL. */
static const Elf64_Phdr *segment_of(const struct reader *reader, uint64_t first, uint64_t length,
                                    uint32_t with, uint32_t without)
{
    for (unsigned i = 0; i < reader->head->e_phnum; i++) {
        const Elf64_Phdr *at = &reader->segments[i];
        if (at->p_type == PT_LOAD && first >= at->p_vaddr
            && lies_within(first - at->p_vaddr, length, at->p_memsz) && (at->p_flags & with) == with
            && !(at->p_flags & without))
            return at;
    }
    return NULL;
}

static const char *relocate(struct reader *reader, uint64_t first, uint64_t bytes)
{
    if (bytes % sizeof(Elf64_Rela) || first % _Alignof(Elf64_Rela)
        || (bytes && !segment_of(reader, first, bytes, 0, 0)))
        return "its relocations are not where they should be";
    const Elf64_Rela *list = (const Elf64_Rela *)(reader->memory + first);
    for (uint64_t i = 0; i < bytes / sizeof *list; i++) {
        const uint64_t value = (uint64_t)(uintptr_t)reader->memory + (uint64_t)list[i].r_addend;
        if (list[i].r_info != RELATIVE) return "it refers to symbols";
        if (!segment_of(reader, list[i].r_offset, sizeof value, PF_W, PF_X) || list[i].r_addend < 0
            || (uint64_t)list[i].r_addend > reader->span)
            return "a relocation lies outside the object";
        memcpy(reader->memory + list[i].r_offset, &value, sizeof value);
    }
    return NULL;
}

/* What the dynamic section asks for: relative relocations, and nothing else. */
static const char *link_object(struct reader *reader)
{
    uint64_t first = 0, bytes = 0;
    for (unsigned i = 0; i < reader->head->e_phnum; i++) {
        const Elf64_Phdr *at = &reader->segments[i];
        if (at->p_type != PT_DYNAMIC) continue;
        if (!segment_of(reader, at->p_vaddr, at->p_memsz, 0, 0)
            || at->p_vaddr % _Alignof(Elf64_Dyn))
            return "its dynamic section is not where it should be";
        const Elf64_Dyn *list = (const Elf64_Dyn *)(reader->memory + at->p_vaddr);
        for (uint64_t k = 0; k < at->p_memsz / sizeof *list && list[k].d_tag != DT_NULL; k++) {
            switch (list[k].d_tag) {
            case DT_RELA: first = list[k].d_un.d_ptr; break;
            case DT_RELASZ: bytes = list[k].d_un.d_val; break;
            case DT_NEEDED:
            case DT_REL:
            case DT_RELR:
            case DT_JMPREL:
            case DT_TEXTREL:
            case DT_INIT:
            case DT_FINI:
            case DT_INIT_ARRAY:
            case DT_FINI_ARRAY:
            case DT_PREINIT_ARRAY: return "it needs more than a loader of code";
            default: break;
            }
        }
    }
    return relocate(reader, first, bytes);
}

static bool protect(const struct reader *reader)
{
    for (unsigned i = 0; i < reader->head->e_phnum; i++) {
        const Elf64_Phdr *at = &reader->segments[i];
        if (at->p_type != PT_LOAD || !at->p_memsz) continue;
        const uint64_t first = at->p_vaddr / reader->page * reader->page;
        const int how = PROT_READ | (at->p_flags & PF_X ? PROT_EXEC : 0);
        if (mprotect(reader->memory + first, at->p_vaddr + at->p_memsz - first, how)) return false;
        __builtin___clear_cache((char *)reader->memory + first,
                                (char *)reader->memory + at->p_vaddr + at->p_memsz);
    }
    return true;
}

const char *native_object_load(struct native_object *object, const unsigned char *bytes,
                               size_t size)
{
    struct reader reader = {.bytes = bytes, .size = size, .page = (size_t)sysconf(_SC_PAGESIZE)};
    assert(reader.page && !(reader.page & (reader.page - 1)));
    *object = (struct native_object){0};
    const char *why = check_head(&reader);
    if (!why) why = check_segments(&reader);
    if (why) return why;
    if (!segment_of(&reader, reader.head->e_entry, 1, PF_X, PF_W)) return "it has no entry";
    reader.memory =
        mmap(NULL, reader.span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reader.memory == MAP_FAILED) return "there is no memory for it";
    for (unsigned i = 0; i < reader.head->e_phnum; i++) {
        const Elf64_Phdr *at = &reader.segments[i];
        if (at->p_type == PT_LOAD)
            memcpy(reader.memory + at->p_vaddr, bytes + at->p_offset, at->p_filesz);
    }
    why = link_object(&reader);
    if (!why && !protect(&reader)) why = "the system does not let code be loaded";
    *object = (struct native_object){reader.memory, reader.span,
                                     (uintptr_t)reader.memory + reader.head->e_entry};
    if (why) native_object_unload(object);
    return why;
}

void native_object_unload(struct native_object *object)
{
    if (object->memory) munmap(object->memory, object->size);
    *object = (struct native_object){0};
}
