/* Automata of formulas over free propositions and of files: read, compared, asked for words. */
#ifndef CAIRN_RUN_AUTOMATA_H
#define CAIRN_RUN_AUTOMATA_H

#include "automaton/buchi/hoa.h"
#include "lang/ltl/ltlread.h"
#include "run/session.h"

/* Stays where it is: its parts point at each other. */
struct automata {
    struct session *session;
    struct arena arena;
    struct names names;
    struct alphabet alphabet;
    struct nnfs nnfs;
    struct automaton automaton; /* what everything is asked of */
    nnf formula;                /* its formula, when it comes from one */
    int status;                 /* of what failed */
};

/* What is asked besides writing the automaton, and the answer. */
struct automata_answer {
    const char *question; /* NULL: none */
    bool holds;
    bool empty; /* the automaton accepts nothing */
    bool has_word;
    const char *role; /* what the word shows */
    struct word word;
};

/* The automaton of the ask's formula, or of its file. These are false after a message. */
bool automata_read(struct automata *automata, struct session *session);
/* The question of the ask, if there is one; otherwise a word, if there is one. */
bool automata_ask(struct automata *automata, struct automata_answer *answer);

#endif
