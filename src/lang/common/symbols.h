/* The names of a text: what is declared where, what it is, and where it is used. A front end that
 * is asked for them (language_input.symbols) tells them from its syntax tree, by one walk, before
 * names are resolved for the model: so they do not depend on what is instantiated or used, and are
 * there for texts that have other mistakes than those of syntax.
 *
 * Names live in numbered scopes. A language with several kinds of names has a scope for each; a
 * symbol whose members can be spoken of (x.field, P.location) has one of its own. Scopes that lie
 * in each other are entered and left; symbols_find looks from the innermost one outward.
 *
 * What must hold:
 * 1. A symbol's parent comes before it in the list.
 * 2. Each use names a symbol of the list.
 * 3. After symbols_finish, uses are sorted by their places, and no place is there twice. The place
 *    of a declaration is a use, too. */
#ifndef CAIRN_LANG_COMMON_SYMBOLS_H
#define CAIRN_LANG_COMMON_SYMBOLS_H

#include "base/diag.h"
#include "base/map.h"
#include "base/text.h"

/* What a symbol is: a word for people, and the nearest kind that editors know (SymbolKind and
 * CompletionItemKind of the Language Server Protocol). */
#define SYMBOL_KINDS(ROW)                                                                          \
    ROW(CONSTANT, "constant", 14, 21)                                                              \
    ROW(VARIABLE, "variable", 13, 6)                                                               \
    ROW(CLOCK, "clock", 13, 6)                                                                     \
    ROW(PARAMETER, "parameter", 13, 6)                                                             \
    ROW(TYPE, "type", 23, 22)                                                                      \
    ROW(FIELD, "field", 8, 5)                                                                      \
    ROW(CONSTRUCTOR, "constructor", 22, 20)                                                        \
    ROW(FUNCTION, "function", 12, 3)                                                               \
    ROW(CHANNEL, "channel", 11, 8)                                                                 \
    ROW(PORT, "port", 11, 8)                                                                       \
    ROW(PROCESS, "process", 5, 7)                                                                  \
    ROW(COMPONENT, "component", 2, 9)                                                              \
    ROW(INSTANCE, "instance", 19, 6)                                                               \
    ROW(LOCATION, "location", 22, 20)                                                              \
    ROW(ACTION, "action", 24, 23)                                                                  \
    ROW(LABEL, "label", 24, 23)                                                                    \
    ROW(PROPERTY, "property", 17, 10)                                                              \
    ROW(EVENT, "event", 24, 23)                                                                    \
    ROW(PREDICATE, "predicate", 17, 10)                                                            \
    ROW(ACTIVITY, "activity", 6, 2)                                                                \
    ROW(CONTEXT, "context", 4, 9)                                                                  \
    ROW(GUIDE, "guide", 4, 9)                                                                      \
    ROW(MACRO, "macro", 14, 21)

enum symbol_kind {
#define ROW(name, word, shown, completed) SYMBOL_##name,
    SYMBOL_KINDS(ROW)
#undef ROW
        SYMBOL_KIND_COUNT
};

enum { SYMBOL_NONE = 0xFFFFFFFF };

struct symbol {
    uint32_t kind; /* enum symbol_kind */
    const char *name;
    const char *detail;        /* how it is declared, on one line; "" where there is no more */
    struct place place;        /* of its name */
    struct place_range extent; /* all of its declaration; line 0: not known, the name alone */
    uint32_t parent;           /* whose part it is, or SYMBOL_NONE */
    uint32_t of;               /* the symbol that has its members: its type; or SYMBOL_NONE */
    uint32_t scope;            /* of its members; SYMBOL_NONE: it has none */
    const char *asked;         /* how -p, --context or --guide calls it; NULL: not checked */
    int64_t low, high;         /* of its values, if low <= high */
};

struct symbol_use {
    struct place place;
    uint32_t symbol;
};

struct symbols {
    struct mem *mem;
    struct arena arena;
    struct names names;
    struct map map; /* names by scope: the first declaration */
    VEC(struct symbol) list;
    VEC(struct symbol_use) uses;
    VEC(uint32_t) entered; /* scopes, the innermost one last */
    uint32_t scopes;       /* so many numbers are taken */
    uint32_t parent;       /* of what is declared now, or SYMBOL_NONE */
    uint32_t told;         /* texts whose names are all here */
};

void symbols_init(struct symbols *symbols, struct mem *mem);

/* A number that no scope has. */
uint32_t symbols_new_scope(struct symbols *symbols);
void symbols_enter(struct symbols *symbols, uint32_t scope);
void symbols_leave(struct symbols *symbols);

/* Declares a name in a scope, as a part of symbols->parent. If the scope has it already, which is
 * a mistake in every language, uses mean the first one. Returns its number. Without a name or a
 * place: SYMBOL_NONE, and nothing is done. */
uint32_t symbols_declare(struct symbols *symbols, uint32_t scope, enum symbol_kind kind,
                         const char *name, struct place place);
/* One that can be shown, but not spoken of, since the text has no such word there. */
uint32_t symbols_declare_unwritten(struct symbols *symbols, enum symbol_kind kind, const char *name,
                                   struct place place);
/* The detail of a symbol; of SYMBOL_NONE nothing. */
void symbols_describe(struct symbols *symbols, uint32_t symbol, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Gives a symbol a scope for its members, once, and returns it. Of SYMBOL_NONE: a new scope. */
uint32_t symbols_open(struct symbols *symbols, uint32_t symbol);
/* All of its declaration is from `start` up to `end`, where it has ended. */
void symbols_extend(struct symbols *symbols, uint32_t symbol, struct place start, struct place end);

/* What a name means; SYMBOL_NONE: nothing. In one scope, or from the innermost one outward. */
uint32_t symbols_find_in(struct symbols *symbols, uint32_t scope, const char *name);
uint32_t symbols_find(struct symbols *symbols, const char *name);
/* The first of this name that is of one of these kinds (bits: 1 << SYMBOL_PROCESS) among the first
 * `count` symbols, and a part of `parent`; SYMBOL_NONE: of anything. */
uint32_t symbols_search(struct symbols *symbols, const char *name, uint32_t kinds, uint32_t count,
                        uint32_t parent);
/* The scope of the members that a symbol's type has, or itself; SYMBOL_NONE: it has none. */
uint32_t symbols_members(const struct symbols *symbols, uint32_t symbol);
/* The symbol is used here. Of SYMBOL_NONE: nothing is done. Returns the symbol. */
uint32_t symbols_use(struct symbols *symbols, uint32_t symbol, struct place place);
/* Finds, and uses. */
uint32_t symbols_use_name(struct symbols *symbols, const char *name, struct place place);
uint32_t symbols_use_in(struct symbols *symbols, uint32_t scope, const char *name,
                        struct place place);

/* Macros are symbols, too: what the preprocessor has told. */
void symbols_add_macros(struct symbols *symbols, const struct diag *diag);
/* Nothing more comes (invariant 3). */
void symbols_finish(struct symbols *symbols);
/* CHECKED: the invariants hold. */
bool symbols_check(const struct symbols *symbols);

const char *symbol_kind_word(uint32_t kind);

#endif
