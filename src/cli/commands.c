/* The table of commands. */
#include "cli/automata.h"
#include "cli/guides.h"
#include "cli/options.h"
#include "cli/replay.h"
#include "cli/search.h"
#include "cli/simulate.h"
#include "cli/translate.h"

const struct command commands[] = {
    {"explore", "MODEL", "walk the state space: counts, deadlocks, statistics", 1, search_explore},
    {"check", "MODEL", "verify properties, print verdicts, show counterexamples", 2, search_check},
    {"simulate", "MODEL", "random or interactive runs", 4, simulate_run},
    {"replay", "TRACE", "run a saved trace against its model, step by step", 8, replay_run},
    {"translate", "MODEL", "write the model in another language, or its state graph", 16,
     translate_run},
    {"guide", "FILE[:NAME]",
     "guides (xGDL) and contexts (CDL) as automata: sizes, unrolling, comparison, splitting", 64,
     guides_run},
    {"automaton", "FILE",
     "automata of LTL formulas (--ltl) and of files: size, words, comparison, HOA", 32,
     automata_run},
    {NULL, NULL, NULL, 0, NULL},
};
