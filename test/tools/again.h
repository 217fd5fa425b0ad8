/* What the tools that read a language and print it again have in common: reading, printing twice,
 * texts changed at random. A tool says how its language is read and printed, and which words are
 * worth putting into a text.
 *   TOOL FILE                    prints the file, or says what is wrong with it (status 2)
 *   TOOL --formula TEXT ...      the same for formulas, one line each
 *   TOOL --stable FILE ...       a line per file: `stable FILE`, `errors FILE`, or `unstable FILE`
 *                                (status 1) when the printed text does not parse to what prints the
 *                                same
 *   TOOL --mutate SEED N FILE .. N texts made of the files by changing bytes and words at random:
 *                                whatever they are, they must not break the parser, and those that
 *                                parse must be stable; ends with `TEXTS texts, PARSED parsed`
 *   TOOL --mutate-formulas SEED N TEXT ...     the same for formulas */
#ifndef CAIRN_TEST_TOOLS_AGAIN_H
#define CAIRN_TEST_TOOLS_AGAIN_H

#include "base/diag.h"
#include "base/random.h"
#include "base/text.h"
#include "report/diagnostics.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct again_reader {
    struct mem mem;
    struct arena arena;
    struct names names;
    struct diag diag;
};

static void again_open(struct again_reader *reader, FILE *errors)
{
    mem_init(&reader->mem);
    arena_init(&reader->arena, &reader->mem);
    names_init(&reader->names, &reader->arena);
    diag_init(&reader->diag, &reader->mem);
    if (errors) diagnostics_open(&reader->diag, errors, false);
}

/* Parses and prints; NULL after errors. The result belongs to the reader. */
typedef char *again_printer(struct again_reader *reader, const char *name, const char *data,
                            size_t length, bool is_formula);

struct again {
    again_printer *print;
    const char *const *words;
    unsigned word_count;
};

/* 0: errors, 1: stable, 2: unstable, with both texts shown. */
static int again_is_stable(const struct again *again, const char *name, const char *data,
                           size_t length, bool is_formula, FILE *errors)
{
    struct again_reader reader;
    int result = 0;
    again_open(&reader, errors);
    char *once = again->print(&reader, name, data, length, is_formula);
    if (once) {
        diagnostics_open(&reader.diag, stdout, false);
        char *twice = again->print(&reader, "what was printed", once, strlen(once), is_formula);
        result = twice && !strcmp(once, twice) ? 1 : 2;
        if (result == 2)
            printf("---- %s\n%.*s\n---- printed once\n%s\n---- printed twice\n%s\n", name,
                   (int)length, data, once, twice ? twice : "(errors)");
    }
    mem_release(&reader.mem);
    return result;
}

static char *again_read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(3);
    }
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*length + 1);
    *length = fread(data, 1, *length, file);
    fclose(file);
    return data;
}

/* ---- mutation ---- */

static bool again_is_word_part(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The piece of text at `at`: a word, or one character. */
static size_t again_piece_at(const char *data, size_t length, size_t at)
{
    size_t end = at;
    while (end < length && again_is_word_part(data[end])) end++;
    return end > at ? end - at : at < length;
}

static void again_splice(char **data, size_t *length, size_t at, size_t removed, const char *added,
                         size_t count)
{
    char *result = malloc(*length - removed + count + 1);
    memcpy(result, *data, at);
    memcpy(result + at, added, count);
    memcpy(result + at + count, *data + at + removed, *length - at - removed);
    *length = *length - removed + count;
    free(*data);
    *data = result;
}

static void again_mutate_once(const struct again *again, struct random *random, char **data,
                              size_t *length, const char *other, size_t other_length)
{
    size_t at = *length ? (size_t)random_below(random, *length) : 0;
    while (at && again_is_word_part((*data)[at - 1]) && at < *length
           && again_is_word_part((*data)[at]))
        at--;
    size_t piece = again_piece_at(*data, *length, at);
    char word[40];
    int size =
        snprintf(word, sizeof word, " %s ", again->words[random_below(random, again->word_count)]);
    switch (random_below(random, 9)) {
    case 0: again_splice(data, length, at, piece, word, (size_t)size); break;
    case 1: again_splice(data, length, at, 0, word, (size_t)size); break;
    case 2: again_splice(data, length, at, piece, "", 0); break;
    case 3: {
        char byte = (char)random_below(random, 256);
        again_splice(data, length, at, random_below(random, 2) && piece ? 1 : 0, &byte, 1);
        break;
    }
    case 4: { /* a piece of another text */
        size_t from = other_length ? random_below(random, other_length) : 0,
               count = random_below(random, 200);
        if (count > other_length - from) count = other_length - from;
        again_splice(data, length, at, 0, other + from, count);
        break;
    }
    case 5: { /* part of it again */
        size_t count = random_below(random, 60);
        if (count > *length - at) count = *length - at;
        char copy[64];
        memcpy(copy, *data + at, count);
        again_splice(data, length, at, 0, copy, count);
        break;
    }
    case 6:
        again_splice(
            data, length, at,
            random_below(random, 30) < *length - at ? random_below(random, 30) % (*length - at) : 0,
            "", 0);
        break;
    case 7: { /* one word for another of the same text */
        size_t from = other_length ? random_below(random, other_length) : 0;
        again_splice(data, length, at, piece, other + from,
                     again_piece_at(other, other_length, from));
        break;
    }
    default:
        if (random_below(random, 20) == 0) *length = at;
        break;
    }
}

static int again_mutate(const struct again *again, uint64_t seed, unsigned count, int texts,
                        char **text, size_t *length, bool is_formula)
{
    unsigned parsed = 0;
    for (unsigned i = 0; i < count; i++) {
        struct random random = {seed * 1000003 + i};
        unsigned which = random_below(&random, (uint64_t)texts),
                 other = random_below(&random, (uint64_t)texts);
        size_t size = length[which];
        char *data = malloc(size + 1), name[64];
        memcpy(data, text[which], size);
        for (unsigned changes = 1 + random_below(&random, 1 + random_below(&random, 6)); changes;
             changes--)
            again_mutate_once(again, &random, &data, &size, text[other], length[other]);
        snprintf(name, sizeof name, "text %u of seed %llu", i, (unsigned long long)seed);
        int result = again_is_stable(again, name, data, size, is_formula, NULL);
        free(data);
        if (result == 2) return 1;
        parsed += result == 1;
    }
    printf("%u texts, %u parsed\n", count, parsed);
    return 0;
}

/* ---- commands ---- */

static int again_print_all(const struct again *again, int count, char **text, size_t *length,
                           char **name, bool is_formula)
{
    for (int i = 0; i < count; i++) {
        struct again_reader reader;
        again_open(&reader, stdout);
        char *printed = again->print(&reader, name[i], text[i], length[i], is_formula);
        diag_finish(&reader.diag);
        if (printed) printf(is_formula ? "%s\n" : "%s", printed);
        mem_release(&reader.mem);
        if (!printed) return 2;
    }
    return 0;
}

static int again_main(const struct again *again, int argc, char **argv)
{
    int first = 1, status = 0;
    bool stable = argc > 1 && !strcmp(argv[1], "--stable"),
         formulas = argc > 1 && strstr(argv[1], "--") == argv[1] && strstr(argv[1], "formula");
    bool mutating = argc > 3 && !strncmp(argv[1], "--mutate", 8);
    if (stable || formulas) first = 2;
    if (mutating) first = 4;
    int count = argc - first;
    if (count <= 0) return 3;
    char **text = calloc((size_t)count, sizeof *text);
    size_t *length = calloc((size_t)count, sizeof *length);
    for (int i = 0; i < count; i++) {
        text[i] = formulas ? strdup(argv[first + i]) : again_read_file(argv[first + i], &length[i]);
        if (formulas) length[i] = strlen(text[i]);
    }
    if (mutating) {
        status = again_mutate(again, strtoull(argv[2], NULL, 10),
                              (unsigned)strtoul(argv[3], NULL, 10), count, text, length, formulas);
    } else if (stable) {
        for (int i = 0; i < count; i++) {
            static const char *const said[] = {"errors", "stable", "unstable"};
            int result = again_is_stable(again, argv[first + i], text[i], length[i], false, stdout);
            printf("%s %s\n", said[result], argv[first + i]);
            status |= result == 2;
        }
    } else {
        status = again_print_all(again, count, text, length, argv + first, formulas);
    }
    for (int i = 0; i < count; i++) free(text[i]);
    free(text);
    free(length);
    return status;
}

#endif
