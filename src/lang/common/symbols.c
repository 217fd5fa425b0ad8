#include "lang/common/symbols.h"

#include "base/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void symbols_init(struct symbols *symbols, struct mem *mem)
{
    *symbols = (struct symbols){.mem = mem, .parent = SYMBOL_NONE};
    arena_init(&symbols->arena, mem);
    names_init(&symbols->names, &symbols->arena);
    map_init(&symbols->map, mem);
}

/* ---- scopes ---- */

uint32_t symbols_new_scope(struct symbols *symbols) { return symbols->scopes++; }

void symbols_enter(struct symbols *symbols, uint32_t scope)
{
    assert(scope < symbols->scopes);
    vec_push(symbols->mem, &symbols->entered, scope);
}

void symbols_leave(struct symbols *symbols)
{
    assert(symbols->entered.len);
    symbols->entered.len--;
}

static const char *intern(struct symbols *symbols, const char *name)
{
    return names_intern(&symbols->names, name, strlen(name));
}

static struct symbol *at(const struct symbols *symbols, uint32_t symbol)
{
    assert(symbol < symbols->list.len);
    return &symbols->list.data[symbol];
}

/* ---- declarations ---- */

uint32_t symbols_declare_unwritten(struct symbols *symbols, enum symbol_kind kind, const char *name,
                                   struct place place)
{
    uint32_t symbol = symbols->list.len;
    assert(kind < SYMBOL_KIND_COUNT);
    assert(symbols->parent == SYMBOL_NONE || symbols->parent < symbol); /* (1) */
    if (!name || !place.line) return SYMBOL_NONE;
    vec_push(symbols->mem, &symbols->list,
             ((struct symbol){.kind = kind,
                              .name = intern(symbols, name),
                              .detail = "",
                              .place = place,
                              .parent = symbols->parent,
                              .of = SYMBOL_NONE,
                              .scope = SYMBOL_NONE,
                              .low = 1}));
    return symbol;
}

uint32_t symbols_declare(struct symbols *symbols, uint32_t scope, enum symbol_kind kind,
                         const char *name, struct place place)
{
    uint32_t symbol = symbols_declare_unwritten(symbols, kind, name, place);
    if (symbol == SYMBOL_NONE) return symbol;
    assert(scope < symbols->scopes);
    map_add(&symbols->map, symbols->list.data[symbol].name, scope, symbol);
    return symbols_use(symbols, symbol, place);
}

void symbols_describe(struct symbols *symbols, uint32_t symbol, const char *format, ...)
{
    va_list args, again;
    if (symbol == SYMBOL_NONE) return;
    va_start(args, format);
    va_copy(again, args);
    size_t length = (size_t)vsnprintf(NULL, 0, format, args);
    char *room = arena_alloc(&symbols->arena, length + 1);
    vsnprintf(room, length + 1, format, again);
    va_end(again);
    va_end(args);
    at(symbols, symbol)->detail = room;
}

uint32_t symbols_open(struct symbols *symbols, uint32_t symbol)
{
    if (symbol == SYMBOL_NONE) return symbols_new_scope(symbols);
    if (at(symbols, symbol)->scope == SYMBOL_NONE)
        at(symbols, symbol)->scope = symbols_new_scope(symbols);
    return at(symbols, symbol)->scope;
}

void symbols_extend(struct symbols *symbols, uint32_t symbol, struct place start, struct place end)
{
    if (symbol == SYMBOL_NONE || !start.line || start.source != end.source) return;
    at(symbols, symbol)->extent = (struct place_range){start, end.line, end.column};
}

/* ---- uses ---- */

uint32_t symbols_find_in(struct symbols *symbols, uint32_t scope, const char *name)
{
    uint32_t found;
    if (scope == SYMBOL_NONE || !name) return SYMBOL_NONE;
    found = map_get(&symbols->map, intern(symbols, name), scope);
    return found == MAP_NONE ? (uint32_t)SYMBOL_NONE : found;
}

uint32_t symbols_find(struct symbols *symbols, const char *name)
{
    for (uint32_t i = symbols->entered.len; i-- > 0;) {
        uint32_t found = symbols_find_in(symbols, symbols->entered.data[i], name);
        if (found != SYMBOL_NONE) return found;
    }
    return SYMBOL_NONE;
}

uint32_t symbols_search(struct symbols *symbols, const char *name, uint32_t kinds, uint32_t count,
                        uint32_t parent)
{
    const char *known = intern(symbols, name);
    assert(count <= symbols->list.len);
    for (uint32_t i = 0; i < count; i++) {
        const struct symbol *one = &symbols->list.data[i];
        if (one->name == known && kinds >> one->kind & 1
            && (parent == SYMBOL_NONE || one->parent == parent))
            return i;
    }
    return SYMBOL_NONE;
}

uint32_t symbols_members(const struct symbols *symbols, uint32_t symbol)
{
    /* a type may be another name of a type: a few steps are enough */
    for (unsigned steps = 0; symbol != SYMBOL_NONE && steps < 100; steps++) {
        if (at(symbols, symbol)->scope != SYMBOL_NONE) return at(symbols, symbol)->scope;
        symbol = at(symbols, symbol)->of;
    }
    return SYMBOL_NONE;
}

uint32_t symbols_use(struct symbols *symbols, uint32_t symbol, struct place place)
{
    if (symbol == SYMBOL_NONE || !place.line) return symbol;
    assert(symbol < symbols->list.len); /* (2) */
    vec_push(symbols->mem, &symbols->uses, ((struct symbol_use){place, symbol}));
    return symbol;
}

uint32_t symbols_use_name(struct symbols *symbols, const char *name, struct place place)
{
    return symbols_use(symbols, symbols_find(symbols, name), place);
}

uint32_t symbols_use_in(struct symbols *symbols, uint32_t scope, const char *name,
                        struct place place)
{
    return symbols_use(symbols, symbols_find_in(symbols, scope, name), place);
}

/* ---- the end ---- */

void symbols_add_macros(struct symbols *symbols, const struct diag *diag)
{
    struct map seen; /* by the line of the definition: a name may be defined anew */
    map_init(&seen, symbols->mem);
    uint32_t scope = symbols_new_scope(symbols);
    symbols->parent = SYMBOL_NONE;
    for (uint32_t i = 0; i < diag->expansions.len; i++) {
        const struct diag_expansion *one = &diag->expansions.data[i];
        const char *name = intern(symbols, one->name);
        uint32_t symbol = map_get(&seen, name, one->defined.line);
        if (symbol == MAP_NONE) {
            size_t length;
            const char *line = diag_line(diag, one->defined, &length);
            symbol = symbols_declare(symbols, scope, SYMBOL_MACRO, one->name, one->defined);
            if (symbol == SYMBOL_NONE) continue;
            symbols_describe(symbols, symbol, "%.*s", line && length < 200 ? (int)length : 0, line);
            map_add(&seen, name, one->defined.line, symbol);
        }
        symbols_use(symbols, symbol, one->place);
    }
}

static int compare(const void *left, const void *right)
{
    const struct place *a = &((const struct symbol_use *)left)->place,
                       *b = &((const struct symbol_use *)right)->place;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Of several uses at one place the first one told stays: names in a macro's expansion all stand
 * where the macro does. */
static int compare_all(const void *left, const void *right)
{
    int order = compare(left, right);
    uint32_t a = ((const struct symbol_use *)left)->symbol,
             b = ((const struct symbol_use *)right)->symbol;
    return order ? order : a < b ? -1 : a > b;
}

void symbols_finish(struct symbols *symbols)
{
    struct symbol_use *uses = symbols->uses.data;
    uint32_t kept = 0;
    if (!symbols->uses.len) return;
    qsort(uses, symbols->uses.len, sizeof *uses, compare_all);
    for (uint32_t i = 1; i < symbols->uses.len; i++) {
        bool same = !compare(&uses[kept], &uses[i]);
        bool is_macro = at(symbols, uses[i].symbol)->kind == SYMBOL_MACRO;
        if (!same) uses[++kept] = uses[i];
        else if (is_macro) uses[kept] = uses[i];
    }
    symbols->uses.len = kept + 1;
    CHECKED(symbols_check(symbols));
}

bool symbols_check(const struct symbols *symbols)
{
    for (uint32_t i = 0; i < symbols->list.len; i++) {
        const struct symbol *one = at(symbols, i);
        if (one->parent != SYMBOL_NONE && one->parent >= i) return false; /* (1) */
        if (one->kind >= SYMBOL_KIND_COUNT || !one->name || !one->detail) return false;
        if (one->of != SYMBOL_NONE && one->of >= symbols->list.len) return false;
    }
    for (uint32_t i = 0; i < symbols->uses.len; i++) {
        if (symbols->uses.data[i].symbol >= symbols->list.len) return false; /* (2) */
        if (i && compare(&symbols->uses.data[i - 1], &symbols->uses.data[i]) >= 0)
            return false; /* (3) */
    }
    return true;
}

const char *symbol_kind_word(uint32_t kind)
{
    static const char *const words[] = {
#define ROW(name, word, shown, completed) [SYMBOL_##name] = word,
        SYMBOL_KINDS(ROW)
#undef ROW
    };
    assert(kind < SYMBOL_KIND_COUNT);
    return words[kind];
}
