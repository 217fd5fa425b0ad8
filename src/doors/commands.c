/* The table of commands. */
#include "cli/automaton.h"
#include "cli/conform.h"
#include "cli/guide.h"
#include "cli/options.h"
#include "cli/replay.h"
#include "cli/search.h"
#include "cli/simulate.h"
#include "cli/status.h"
#include "cli/translate.h"
#include "doors/doors.h"

const struct command commands[] = {
    {"explore", "MODEL", "walk the state space: counts, deadlocks, statistics", ASK_EXPLORE,
     search_explore},
    {"check", "MODEL", "verify properties, print verdicts, show counterexamples", ASK_CHECK,
     search_check},
    {"simulate", "MODEL", "random or interactive runs", ASK_SIMULATE, simulate_command},
    {"replay", "TRACE", "run a saved trace against its model, step by step", ASK_REPLAY,
     replay_command},
    {"conform", "MODEL LOG", "whether a recorded log is the beginning of a run of the model",
     ASK_CONFORM, conform_command},
    {"serve", "[MODEL]", "the report page, live, in a browser: edit, simulate, check", ASK_SERVE,
     doors_serve},
    {"translate", "MODEL", "write the model in another language, or its state graph", ASK_TRANSLATE,
     translate_command},
    {"guide", "FILE[:NAME]",
     "guides (xGDL) and contexts (CDL) as automata: sizes, unrolling, comparison, splitting",
     ASK_GUIDE, guide_command},
    {"automaton", "FILE",
     "automata of LTL formulas (--ltl) and of files: size, words, comparison, HOA", ASK_AUTOMATON,
     automaton_command},
    {"status", "DIR", "how far the work in a folder is (--work): who does what, since when",
     ASK_STATUS, status_command},
    {"lsp", "", "a language server for editors, on standard input and output", ASK_LSP, doors_edit},
    {NULL, NULL, NULL, 0, NULL},
};
