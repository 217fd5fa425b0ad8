/* From the tree of a file to terms: definitions are looked up, what nothing defines is an
 * interaction. Definitions may be used before they stand in the file; one that contains itself is
 * an error, because guides are regular. */
#include "lang/xgdl/xgdl.h"

#include "lang/xgdl/ast.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 2000 };

struct xgdl {
    struct mem *mem;
    struct diag *diag;
    struct xgdl_space *space;
    struct map map; /* of definitions */
    struct xgdl_file file;
    VEC(struct xgdl_decl *) decls, guides;
    VEC(struct place) mentions; /* per interaction: where the file has it first; line 0: nowhere */
    VEC(uint32_t) ignored;
};

/* ---- interactions ---- */

void xgdl_space_init(struct xgdl_space *space, struct mem *mem)
{
    *space = (struct xgdl_space){.mem = mem};
    arena_init(&space->arena, mem);
    names_init(&space->names, &space->arena);
    map_init(&space->map, mem);
    phrases_init(&space->terms, mem);
}

static bool is_plain(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_') return false;
    return !xgdl_is_keyword(name);
}

static uint32_t interaction(struct xgdl_space *space, const char *name)
{
    uint32_t label = map_get(&space->map, name, 0);
    if (label != MAP_NONE) return label;
    label = space->interactions.len;
    map_add(&space->map, name, 0, label);
    vec_push(space->mem, &space->interactions, name);
    const char *spelling = is_plain(name) ? name : names_format(&space->names, "\"%s\"", name);
    vec_push(space->mem, &space->spellings, spelling);
    assert(space->spellings.len == space->interactions.len);
    return label;
}

const char *xgdl_spelling(void *space, uint32_t label)
{
    return ((const struct xgdl_space *)space)->spellings.data[label];
}

/* ---- terms ---- */

static bool resolve(struct xgdl *xgdl, const struct xgdl_node *node, unsigned nesting, phrase *term,
                    unsigned *depth);

static bool resolve_decl(struct xgdl *xgdl, struct xgdl_decl *decl, unsigned nesting)
{
    if (decl->is_ready) return !decl->is_bad;
    decl->is_busy = true;
    decl->is_bad = !resolve(xgdl, decl->body, nesting, &decl->term, &decl->depth);
    decl->is_busy = false;
    decl->is_ready = true;
    return !decl->is_bad;
}

static bool resolve_name(struct xgdl *xgdl, const struct xgdl_node *node, unsigned nesting,
                         phrase *term, unsigned *depth)
{
    uint32_t index = node->is_quoted ? (uint32_t)MAP_NONE : map_get(&xgdl->map, node->name, 0);
    if (index == MAP_NONE) {
        uint32_t label = interaction(xgdl->space, node->name);
        while (xgdl->mentions.len <= label)
            vec_push(xgdl->mem, &xgdl->mentions, ((struct place){0}));
        if (!xgdl->mentions.data[label].line) xgdl->mentions.data[label] = node->place;
        *term = phrase_event(&xgdl->space->terms, label);
        *depth = 1;
        return true;
    }
    struct xgdl_decl *decl = xgdl->decls.data[index];
    decl->is_used = true;
    if (decl->is_busy) {
        diag_error(xgdl->diag, DIAG_CIRCULAR, node->place,
                   "the definition of '%.60s' contains itself", decl->name);
        diag_note(xgdl->diag, decl->place, "it begins here; repetition is written with * or +");
        return false;
    }
    if (!resolve_decl(xgdl, decl, nesting + 1)) return false;
    *term = decl->term;
    *depth = decl->depth;
    return true;
}

static phrase join(struct xgdl *xgdl, const struct xgdl_node *node, const phrase *parts,
                   uint32_t count)
{
    struct phrases *terms = &xgdl->space->terms;
    if (node->op == PHRASE_REP) return phrase_rep(terms, node->low, node->high, parts[0]);
    if (node->op == PHRASE_OF) return phrase_of(terms, node->low, node->high, parts, count);
    return phrase_join(terms, node->op, parts, count);
}

static bool resolve(struct xgdl *xgdl, const struct xgdl_node *node, unsigned nesting, phrase *term,
                    unsigned *depth)
{
    VEC(phrase) parts = {0};
    bool good = true;
    *term = phrase_skip();
    *depth = 1;
    if (node->op == PHRASE_SKIP) return true;
    if (nesting > MAX_DEPTH) {
        diag_error(xgdl->diag, DIAG_NESTING, node->place, "terms are nested too deeply");
        return false;
    }
    if (node->op == PHRASE_EVENT) return resolve_name(xgdl, node, nesting, term, depth);
    for (const struct xgdl_node *part = node->parts; part; part = part->next) {
        phrase each;
        unsigned below;
        good &= resolve(xgdl, part, nesting + 1, &each, &below);
        vec_push(xgdl->mem, &parts, each);
        if (below >= *depth) *depth = below + 1;
    }
    if (good && *depth > MAX_DEPTH) {
        diag_error(xgdl->diag, DIAG_NESTING, node->place, "terms are nested too deeply");
        good = false;
    }
    if (good) *term = join(xgdl, node, parts.data, parts.len);
    vec_free(xgdl->mem, &parts);
    return good;
}

/* ---- the file ---- */

static void declare_all(struct xgdl *xgdl)
{
    for (struct xgdl_decl *decl = xgdl->file.decls; decl; decl = decl->next) {
        uint32_t before = map_get(&xgdl->map, decl->name, 0);
        if (before != MAP_NONE) {
            diag_error(xgdl->diag, DIAG_DUPLICATE, decl->place, "'%.60s' is defined already",
                       decl->name);
            diag_note(xgdl->diag, xgdl->decls.data[before]->place, "here");
            continue;
        }
        map_add(&xgdl->map, decl->name, 0, xgdl->decls.len);
        vec_push(xgdl->mem, &xgdl->decls, decl);
        if (decl->is_guide) vec_push(xgdl->mem, &xgdl->guides, decl);
    }
}

static int compare_labels(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void ignore_one(struct xgdl *xgdl, struct xgdl_ignored *ignored)
{
    uint32_t index =
        ignored->is_quoted ? (uint32_t)MAP_NONE : map_get(&xgdl->map, ignored->name, 0);
    if (index != MAP_NONE) {
        diag_error(xgdl->diag, DIAG_ACCESS, ignored->place,
                   "'%.60s' is defined in this file: only interactions can be ignored",
                   ignored->name);
        diag_note(xgdl->diag, xgdl->decls.data[index]->place, "here");
        return;
    }
    uint32_t label = interaction(xgdl->space, ignored->name);
    for (uint32_t i = 0; i < xgdl->ignored.len; i++)
        if (xgdl->ignored.data[i] == label) {
            diag_warning(xgdl->diag, DIAG_DUPLICATE, ignored->place, "'%.60s' is ignored already",
                         ignored->name);
            return;
        }
    vec_push(xgdl->mem, &xgdl->ignored, label);
    if (label >= xgdl->mentions.len || !xgdl->mentions.data[label].line) return;
    diag_error(xgdl->diag, DIAG_ACCESS, ignored->place,
               "'%.60s' cannot be ignored: the file speaks of it", ignored->name);
    diag_note(xgdl->diag, xgdl->mentions.data[label], "here");
}

struct xgdl *xgdl_read(struct xgdl_space *space, struct diag *diag, uint32_t source)
{
    struct mem *mem = space->mem;
    struct xgdl *xgdl = mem_alloc(mem, sizeof *xgdl);
    uint32_t errors = diag->errors;
    xgdl->mem = mem;
    xgdl->diag = diag;
    xgdl->space = space;
    map_init(&xgdl->map, mem);
    if (!xgdl_parse(diag, &space->names, &space->arena, source, &xgdl->file)) return NULL;
    declare_all(xgdl);
    for (uint32_t i = 0; i < xgdl->decls.len; i++) resolve_decl(xgdl, xgdl->decls.data[i], 0);
    for (struct xgdl_ignored *ignored = xgdl->file.ignored; ignored; ignored = ignored->next)
        ignore_one(xgdl, ignored);
    if (xgdl->ignored.len)
        qsort(xgdl->ignored.data, xgdl->ignored.len, sizeof *xgdl->ignored.data, compare_labels);
    for (uint32_t i = 0; diag->errors == errors && i < xgdl->decls.len; i++) {
        const struct xgdl_decl *decl = xgdl->decls.data[i];
        if (!decl->is_guide && !decl->is_used)
            diag_warning(diag, DIAG_UNUSED, decl->place, "nothing uses '%.60s'", decl->name);
    }
    if (diag->errors == errors && !xgdl->guides.len)
        diag_error(diag, DIAG_MISSING, (struct place){source, 1, 1},
                   "the file has no guide (guide NAME = ...;)");
    return diag->errors == errors ? xgdl : NULL;
}

uint32_t xgdl_guide_count(const struct xgdl *xgdl) { return xgdl->guides.len; }

const char *xgdl_guide_name(const struct xgdl *xgdl, uint32_t index)
{
    return xgdl->guides.data[index]->name;
}

phrase xgdl_guide_term(const struct xgdl *xgdl, uint32_t index)
{
    return xgdl->guides.data[index]->term;
}

static void mark_names(const struct xgdl *xgdl, const struct xgdl_node *node, bool *has, bool *met)
{
    for (const struct xgdl_node *part = node->parts; part; part = part->next)
        mark_names(xgdl, part, has, met);
    if (node->op != PHRASE_EVENT) return;
    uint32_t index = node->is_quoted ? (uint32_t)MAP_NONE : map_get(&xgdl->map, node->name, 0);
    if (index == MAP_NONE) {
        has[map_get(&xgdl->space->map, node->name, 0)] = true;
    } else if (!met[index]) {
        met[index] = true;
        mark_names(xgdl, xgdl->decls.data[index]->body, has, met);
    }
}

void xgdl_mark_alphabet(const struct xgdl *xgdl, uint32_t index, bool *has)
{
    bool *met = mem_alloc(xgdl->mem, xgdl->decls.len * sizeof *met);
    mark_names(xgdl, xgdl->guides.data[index]->body, has, met);
    mem_free(xgdl->mem, met);
}

uint32_t xgdl_find_guide(const struct xgdl *xgdl, const char *name, const char **nearest)
{
    unsigned distance = 0;
    *nearest = NULL;
    for (uint32_t i = 0; i < xgdl->guides.len; i++) {
        if (!strcmp(xgdl->guides.data[i]->name, name)) return i;
        text_nearest(name, xgdl->guides.data[i]->name, nearest, &distance);
    }
    return MAP_NONE;
}

const uint32_t *xgdl_ignored(const struct xgdl *xgdl, uint32_t *count)
{
    *count = xgdl->ignored.len;
    return xgdl->ignored.data;
}

struct place xgdl_mention(const struct xgdl *xgdl, uint32_t label)
{
    return label < xgdl->mentions.len ? xgdl->mentions.data[label] : (struct place){0};
}

/* ---- names ---- */

static void tell_node(const struct xgdl *xgdl, struct symbols *symbols, uint32_t scope,
                      uint32_t count, const struct xgdl_node *node)
{
    const uint32_t steps =
        1 << SYMBOL_ACTION | 1 << SYMBOL_PORT | 1 << SYMBOL_CHANNEL | 1 << SYMBOL_LABEL;
    for (const struct xgdl_node *part = node->parts; part; part = part->next)
        tell_node(xgdl, symbols, scope, count, part);
    if (node->op != PHRASE_EVENT || node->is_quoted) return;
    uint32_t found = symbols_find_in(symbols, scope, node->name);
    if (found == SYMBOL_NONE)
        found = symbols_search(symbols, node->name, steps, count, SYMBOL_NONE);
    symbols_use(symbols, found, node->place);
}

void xgdl_tell_names(const struct xgdl *xgdl, struct symbols *symbols)
{
    uint32_t count = symbols->list.len, scope = symbols_new_scope(symbols);
    const uint32_t steps =
        1 << SYMBOL_ACTION | 1 << SYMBOL_PORT | 1 << SYMBOL_CHANNEL | 1 << SYMBOL_LABEL;
    symbols->parent = SYMBOL_NONE;
    for (uint32_t i = 0; i < xgdl->decls.len; i++) {
        const struct xgdl_decl *decl = xgdl->decls.data[i];
        uint32_t symbol =
            symbols_declare(symbols, scope, decl->is_guide ? SYMBOL_GUIDE : SYMBOL_ACTIVITY,
                            decl->name, decl->place);
        symbols_describe(symbols, symbol, "%s %s", decl->is_guide ? "guide" : "let", decl->name);
        symbols_extend(symbols, symbol, decl->start, decl->end);
        if (symbol != SYMBOL_NONE && decl->is_guide)
            symbols->list.data[symbol].asked = symbols->list.data[symbol].name;
    }
    for (uint32_t i = 0; i < xgdl->decls.len; i++)
        tell_node(xgdl, symbols, scope, count, xgdl->decls.data[i]->body);
    for (const struct xgdl_ignored *one = xgdl->file.ignored; one; one = one->next)
        if (!one->is_quoted)
            symbols_use(symbols, symbols_search(symbols, one->name, steps, count, SYMBOL_NONE),
                        one->place);
    symbols->told++;
}
