#include "native/native.h"

#include "base/clock.h"
#include "base/version.h"
#include "native/cache.h"
#include "native/compiler.h"
#include "native/object.h"
#include "native/print.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMORY = 256 << 20, WAIT_MILLISECONDS = 20 };
/* Seconds of a search, before the cache is looked at, and the compiler is started. */
static const double look_after = 0.5, usual_after = 2;

enum stage { STAGE_WAITING, STAGE_PRINTED, STAGE_COMPILING, STAGE_USED, STAGE_GIVEN_UP };

struct native {
    struct mem *owner; /* of this */
    struct mem mem;    /* for what is made here */
    struct program *program;
    enum stage stage;
    double after;               /* so many seconds of a search, the compiler is started */
    double seconds, used_after; /* of the search */
    char why[256];              /* it was given up */
    struct text text;
    struct native_plan plan;
    char compiler_path[PATH_MAX];
    char identity[PATH_MAX + 160]; /* of the compiler, for the cache */
    struct native_compiler compiler;
    struct native_object object;
    struct program_native code;
    const struct program_native *_Atomic offered;
};

static void give_up(struct native *native, const char *why)
{
    size_t length = 0;
    while (length < sizeof native->why - 1 && why[length] && why[length] != '\n') {
        const char c = why[length];
        native->why[length++] = c >= ' ' && c <= '~' ? c : '?'; /* it may be anybody's text */
    }
    native->why[length] = 0;
    native->stage = STAGE_GIVEN_UP;
}

/* ---- printing ---- */

/* With the memory that is left for it, however little that is. */
static bool print(struct native *native)
{
    jmp_buf recover;
    if (setjmp(recover)) return false;
    native->mem.recover = &recover;
    text_init(&native->text, &native->mem);
    return native_print(native->program, &native->mem, &native->text, &native->plan);
}

static void prepare(struct native *native)
{
    const bool printed = print(native);
    native->mem.recover = NULL;
    if (printed) native->stage = STAGE_PRINTED;
    else give_up(native, "there is too much code");
}

/* ---- loading ---- */

static bool is_inside(const struct native *native, const void *first, uint64_t bytes)
{
    const uintptr_t from = (uintptr_t)first, base = (uintptr_t)native->object.memory;
    return from >= base && bytes <= native->object.size
           && from - base <= native->object.size - bytes && from % _Alignof(void *) == 0;
}

/* Whether the object has what was printed: it says so itself, and its parts lie within it. */
static bool check_table(const struct native *native, const struct runtime_table *table)
{
    const struct native_plan *plan = &native->plan;
    return is_inside(native, table, sizeof *table) && table->mark == plan->mark
           && table->lister_count == plan->listers && table->piece_count == plan->pieces.len
           && is_inside(native, table->listers, plan->listers * sizeof *table->listers)
           && is_inside(native, table->pieces, plan->pieces.len * sizeof *table->pieces);
}

static const char *link_code(struct native *native)
{
    const struct model *model = native->program->model;
    const struct runtime_table *(*entry)(void) =
        (const struct runtime_table *(*)(void))native->object.entry;
    const struct runtime_table *table = entry();
    if (!check_table(native, table)) return "the object is of another text";
    struct program_native *code = &native->code;
    code->piece_room = native->program->code.len;
    code->longest = native->plan.longest;
    code->listers = table->listers;
    code->pieces =
        mem_try_alloc(&native->mem, (code->piece_room + UINT64_C(1)) * sizeof *code->pieces);
    const int32_t **tables =
        mem_try_alloc(&native->mem, (model->tables.len + UINT64_C(1)) * sizeof *tables);
    code->tables = tables;
    if (!code->pieces || !tables) return "there is no memory for it";
    for (uint32_t i = 0; i < native->plan.pieces.len; i++) {
        assert(native->plan.pieces.data[i] < code->piece_room);
        code->pieces[native->plan.pieces.data[i]] = table->pieces[i];
    }
    for (uint32_t i = 0; i < model->tables.len; i++) tables[i] = model->tables.data[i].values;
    return NULL;
}

static void load(struct native *native, const unsigned char *bytes, size_t size)
{
    const char *why = native_object_load(&native->object, bytes, size);
    if (!why) why = link_code(native);
    if (why) {
        give_up(native, why);
        return;
    }
    native->stage = STAGE_USED;
    native->used_after = native->seconds;
    atomic_store_explicit(&native->offered, &native->code, memory_order_release);
}

/* ---- compiling ---- */

static struct native_source source_of(const struct native *native)
{
    return (struct native_source){native->identity, native->text.data, native->text.len};
}

/* It may have been compiled before. */
static void look_into_cache(struct native *native)
{
    char identity[PATH_MAX + 96];
    size_t size = 0;
    if (!native_compiler_find(native->compiler_path)) {
        give_up(native, "there is no compiler (cc) in PATH");
        return;
    }
    native_compiler_identity(native->compiler_path, identity);
    snprintf(native->identity, sizeof native->identity, "%s %s", CAIRN_VERSION, identity);
    const struct native_source source = source_of(native);
    unsigned char *bytes = native_cache_find(&source, &native->mem, &size);
    if (!bytes) return;
    load(native, bytes, size);
    if (native->stage == STAGE_GIVEN_UP) native->stage = STAGE_PRINTED; /* then it is made anew */
    mem_free(&native->mem, bytes);
}

static void compile(struct native *native)
{
    if (!native_compiler_start(&native->compiler, &native->mem, native->compiler_path,
                               native->text.data, native->text.len))
        give_up(native, "no process can be started");
    else native->stage = STAGE_COMPILING;
}

static void look_at_compiler(struct native *native, int milliseconds)
{
    struct native_compiler *compiler = &native->compiler;
    const enum native_compiler_state state = native_compiler_look(compiler, milliseconds);
    if (state == NATIVE_COMPILES) return;
    if (state == NATIVE_COMPILED) {
        const struct native_source source = source_of(native);
        load(native, compiler->bytes, compiler->size);
        if (native->stage == STAGE_USED)
            native_cache_keep(&source, &native->mem, compiler->bytes, compiler->size);
    } else give_up(native, compiler->bytes ? (const char *)compiler->bytes : "no memory");
    native_compiler_stop(compiler);
}

static double compile_after(void)
{
#ifdef CAIRN_TEST_HOOKS
    const char *given = getenv("CAIRN_NATIVE_AFTER");
    if (given) return strtod(given, NULL);
#endif
    return usual_after;
}

void native_look(struct native *native, double seconds)
{
    native->seconds = seconds;
    const bool is_late = seconds >= native->after;
    if (native->stage == STAGE_WAITING && (is_late || seconds >= look_after)) {
        prepare(native);
        if (native->stage == STAGE_PRINTED) look_into_cache(native);
    }
    if (native->stage == STAGE_PRINTED && is_late) compile(native);
    if (native->stage == STAGE_COMPILING) look_at_compiler(native, 0);
}

struct native *native_begin(struct program *program, enum native_mode mode, struct mem *mem,
                            const atomic_int *interrupted, double until)
{
    if (mode == NATIVE_NEVER) return NULL;
    struct native *native = mem_alloc(mem, sizeof *native);
    native->owner = mem;
    native->program = program;
    mem_init(&native->mem);
    mem_set_limit(&native->mem, MOST_MEMORY);
    native->after = compile_after();
    program->offered = &native->offered;
    if (mode == NATIVE_AUTO) return native;
    native->after = 0;
    native_look(native, 0);
    while (native->stage == STAGE_COMPILING && !(interrupted && *interrupted) && !limits_enough()
           && !(until > 0 && clock_now() >= until))
        look_at_compiler(native, WAIT_MILLISECONDS);
    return native;
}

const char *native_tell(const struct native *native, struct mem *mem)
{
    enum { MOST = sizeof native->why + 64 };
    if (native->stage != STAGE_USED && native->stage != STAGE_GIVEN_UP) return NULL;
    char *text = mem_try_alloc(mem, MOST);
    if (!text) return NULL;
    if (native->stage == STAGE_USED)
        snprintf(text, MOST, "compiled, used after %.2f s", native->used_after);
    else snprintf(text, MOST, "not compiled: %s", native->why);
    return text;
}

void native_end(struct native *native)
{
    if (!native) return;
    native->program->offered = NULL;
    native->program->native = NULL;
    native_compiler_stop(&native->compiler);
    native_object_unload(&native->object);
    mem_release(&native->mem);
    mem_free(native->owner, native);
}
