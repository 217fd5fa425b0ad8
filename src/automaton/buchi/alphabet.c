#include "automaton/buchi/alphabet.h"

#include "automaton/buchi/automaton.h"

#include <assert.h>
#include <string.h>

uint32_t alphabet_number(struct alphabet *alphabet, const char *name)
{
    const char *interned = names_intern(alphabet->names, name, strlen(name));
    for (uint32_t i = 0; i < alphabet->propositions.len; i++)
        if (alphabet->propositions.data[i] == interned) return i;
    if (alphabet->propositions.len == AUTOMATON_MAX_PROPOSITIONS) return AUTOMATON_NONE;
    assert(alphabet->propositions.len < AUTOMATON_MAX_PROPOSITIONS);
    vec_push(alphabet->mem, &alphabet->propositions, interned);
    return alphabet->propositions.len - 1;
}

static void write_name(FILE *out, const char *name)
{
    bool plain = name[0] && !strchr("XFG", name[0])
                 && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
                        == strlen(name)
                 && !strchr("0123456789", name[0]) && (name[1] || !strchr("URWMV", name[0]));
    fprintf(out, plain ? "%s" : "\"%s\"", name);
}

void alphabet_write_letter(FILE *out, const struct alphabet *alphabet, uint64_t positive,
                           uint64_t negative)
{
    const char *between = "";
    assert(!(positive & negative));
    for (uint32_t i = 0; i < alphabet->propositions.len; i++) {
        if (!((positive | negative) >> i & 1)) continue;
        fputs(between, out);
        if (negative >> i & 1) fputc('!', out);
        write_name(out, alphabet->propositions.data[i]);
        between = " & ";
    }
    if (!*between) fputs("true", out);
}

void alphabet_write_word(FILE *out, const struct alphabet *alphabet, const struct word *word)
{
    uint32_t count = alphabet->propositions.len;
    assert(word->loop < word->letters.len); /* the cycle has a letter */
    uint64_t all = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    for (uint32_t i = 0; i < word->letters.len; i++) {
        if (i) fputs("; ", out);
        if (i == word->loop) fputs("cycle{", out);
        alphabet_write_letter(out, alphabet, word->letters.data[i], all & ~word->letters.data[i]);
    }
    fputs("}", out);
}
