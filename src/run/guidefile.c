#include "run/guidefile.h"

#include "run/load.h"
#include "run/message.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void guidefile_init(struct guidefile_reader *reader, struct mem *mem, struct diag *diag)
{
    *reader = (struct guidefile_reader){.mem = mem, .diag = diag, .status = EXIT_HOLDS};
    xgdl_space_init(&reader->space, mem);
}

bool guidefile_knows(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot && !strcmp(dot, ".xgdl");
}

/* ---- reading ---- */

static bool choose_guides(struct guidefile_reader *reader, struct guidefile_source *source)
{
    const char *nearest;
    struct phrase_list terms = {0};
    source->count = xgdl_guide_count(source->xgdl);
    if (source->name) {
        source->first = xgdl_find_guide(source->xgdl, source->name, &nearest);
        source->count = 1;
    }
    if (source->first == MAP_NONE) {
        struct text text;
        const uint32_t count = xgdl_guide_count(source->xgdl);
        text_init(&text, reader->mem);
        text_add(&text, "%s has no guide '%.60s'", source->file, source->name);
        if (nearest) text_add(&text, ": did you mean '%s'?", nearest);
        for (uint32_t i = 0; !nearest && i < count && i < 20; i++)
            text_add(&text, "%s %s", i ? "," : "; it has", xgdl_guide_name(source->xgdl, i));
        if (!nearest && count > 20) text_add(&text, ", ...");
        message_error(reader->diag, "%s", text.data);
        text_free(&text);
        return false;
    }
    for (uint32_t i = 0; i < source->count; i++)
        vec_push(reader->mem, &terms, xgdl_guide_term(source->xgdl, source->first + i));
    source->whole = phrase_split_union(&reader->space.terms, &terms);
    vec_free(reader->mem, &terms);
    return true;
}

bool guidefile_parse(struct guidefile_reader *reader, struct guidefile_source *source)
{
    uint32_t number;
    if (!source->xgdl && load_source(reader->diag, reader->known, source->file, &number))
        source->xgdl = xgdl_read(&reader->space, reader->diag, number);
    return source->xgdl;
}

bool guidefile_read(struct guidefile_reader *reader, struct guidefile_source *source)
{
    if (!guidefile_knows(source->file))
        return message_error(reader->diag,
                             "'%.60s' is no file of guides: its name does not end in .xgdl",
                             source->file);
    return guidefile_parse(reader, source) && choose_guides(reader, source);
}

/* ---- automata ---- */

bool guidefile_is_done(struct guidefile_reader *reader, enum build_status status, const char *what,
                       const char *name)
{
    if (status == BUILD_DONE) return true;
    if (status == BUILD_REFUSED) mem_refuse(reader->mem);
    message(reader->diag, DIAG_ERROR, NULL, "%s%s%s%s needs more than %d states", what,
            name ? " '" : "", name ? name : "", name ? "'" : "", GUIDEFILE_MOST_STATES);
    reader->status = EXIT_INCONCLUSIVE;
    return false;
}

bool guidefile_compile(struct guidefile_reader *reader, phrase t, const char *name, struct dfa *dfa)
{
    return guidefile_is_done(
        reader, compile_guide(dfa, reader->mem, &reader->space.terms, t, GUIDEFILE_MOST_STATES),
        name ? "the guide" : "all guides together: their automaton", name);
}

/* ---- splitting ---- */

enum { MOST_ROUNDS = 100000 };
static const char *const split_words[] = {"alternatives", "permutations", "position"};

/* alternatives, permutations, position or position=N */
static bool read_split(const char *text, enum phrase_split_kind *kind, uint32_t *rounds)
{
    *rounds = 0;
    for (unsigned i = 0; i < 3; i++)
        if (!strcmp(text, split_words[i])) return *kind = (enum phrase_split_kind)i, true;
    char *end = NULL;
    unsigned long number = strncmp(text, "position=", 9) ? 0 : strtoul(text + 9, &end, 10);
    *kind = PHRASE_SPLIT_POSITION;
    *rounds = (uint32_t)number;
    if (end && !*end && number >= 1 && number <= MOST_ROUNDS && text[9] >= '0' && text[9] <= '9')
        return true;
    return false;
}

bool guidefile_is_split(const char *how)
{
    enum phrase_split_kind kind;
    uint32_t rounds;
    return read_split(how, &kind, &rounds);
}

/* Whether the union of the parts is the whole. It always is, because splits rest on laws; but
 * nobody should have to believe that. */
static bool prove(struct guidefile_reader *reader, const char *name, phrase whole,
                  const struct phrase_list *parts)
{
    struct dfa all, together;
    if (!guidefile_compile(reader, whole, name, &all)
        || !guidefile_compile(reader, phrase_split_union(&reader->space.terms, parts), NULL,
                              &together))
        return false;
    bool is_same = dfa_same(&all, &together);
    dfa_release(&all);
    dfa_release(&together);
    if (is_same) return true;
    message(reader->diag, DIAG_BUG, NULL, "the parts of the guide '%s' do not allow what it allows",
            name);
    reader->status = EXIT_INTERNAL;
    return false;
}

bool guidefile_split(struct guidefile_reader *reader, const char *how, const char *name,
                     phrase whole, struct phrase_list *parts)
{
    enum phrase_split_kind kind;
    uint32_t rounds;
    if (!read_split(how, &kind, &rounds)) {
        message(reader->diag, DIAG_ERROR, NULL,
                "a guide is split by alternatives, permutations or position[=N], N "
                "from 1 to %d, not by '%.40s'",
                MOST_ROUNDS, how);
        return false;
    }
    assert(!parts->len);
    enum phrase_split_status status =
        phrase_split(&reader->space.terms, whole, kind, rounds, parts);
    if (status == PHRASE_SPLIT_DONE) return prove(reader, name, whole, parts);
    return message_error(reader->diag,
                         status == PHRASE_SPLIT_NOTHING
                             ? "the guide '%s' has nothing to split by %s"
                             : "the guide '%s' has more than 100000 parts when it is split by %s",
                         name, split_words[kind]);
}

const char *guidefile_stem(struct guidefile_reader *reader, const char *name)
{
    const char *stem = names_format(&reader->space.names, "%s_", name);
    for (uint32_t i = 0; i < reader->space.interactions.len; i++) {
        const char *other = reader->space.interactions.data[i];
        size_t length = strlen(stem);
        if (strncmp(other, stem, length) || !other[length]
            || other[length + strspn(other + length, "0123456789")])
            continue;
        stem = names_format(&reader->space.names, "%spart_", stem);
        i = UINT32_MAX; /* once more from the beginning */
    }
    return stem;
}

const char *guidefile_free_name(struct guidefile_reader *reader, const char *wanted)
{
    struct names *names = &reader->space.names;
    const char *name = names_intern(names, wanted, strlen(wanted));
    while (map_get(&reader->space.map, name, 0) != MAP_NONE)
        name = names_format(names, "all_%s", name);
    return name;
}
