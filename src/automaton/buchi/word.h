/* Infinite words that a program can hold. */
#ifndef CAIRN_AUTOMATON_BUCHI_WORD_H
#define CAIRN_AUTOMATON_BUCHI_WORD_H

#include "base/mem.h"

/* A word that repeats: letters, of which those from `loop` on are repeated for ever. */
struct word {
    VEC(uint64_t) letters;
    uint32_t loop;
};

#endif
