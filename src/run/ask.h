/* What is to be decided, and under which limits: a plain struct, which a door fills (cli/options
 * from the command line, a program by hand). Zero is the usual choice everywhere, but for the
 * numbers of a simulation, which ask_init sets. Texts belong to whoever fills it, and outlive the
 * run. Which choices go together says run/combine; a run adds what follows from others
 * (combine_check), and nothing else. */
#ifndef CAIRN_RUN_ASK_H
#define CAIRN_RUN_ASK_H

#include "lang/common/language.h"
#include "result/conclude.h"

/* What is done, as bits, so that a table can name several. */
enum ask_command {
    ASK_EXPLORE = 1,
    ASK_CHECK = 2,
    ASK_SIMULATE = 4,
    ASK_REPLAY = 8,
    ASK_TRANSLATE = 16,
    ASK_AUTOMATON = 32,
    ASK_GUIDE = 64,
    ASK_CONFORM = 128,
    ASK_SERVE = 256,
    ASK_LSP = 512,
    ASK_STATUS = 1024,
    ASK_SEARCH = ASK_EXPLORE | ASK_CHECK,
    ASK_MODELS = 31 | ASK_CONFORM,
    ASK_TOLD = 255, /* those with a result */
    ASK_ALL = 2047
};

enum engine { ENGINE_AUTO, ENGINE_EXPLICIT, ENGINE_SYMBOLIC, ENGINE_BOUNDED, ENGINE_TIMED };

enum split { SPLIT_NEVER, SPLIT_AUTO, SPLIT_ALWAYS };

struct ask_formula {
    enum property_kind kind;
    const char *text;
};

struct ask {
    enum ask_command command;

    /* what is read */
    const char *file;    /* the model or trace */
    const char *model;   /* replay: the model, when it is no longer where the trace says; or NULL */
    const char *context; /* FILE or FILE:NAME */
    const char *guide;   /* the same */
    const char *dialect; /* of the language; NULL: its default */
    VEC(struct language_define) defines;
    uint64_t guide_part;  /* of one that is split, from 1; 0: not given */
    uint64_t guide_bound; /* --bound when there is a guide; 0: none */
    bool guide_auto;      /* --bound auto then */
    bool guide_semantics; /* it was said ... */
    bool guide_filters;   /* ... that the guide is a filter */
    bool guide_remarked;  /* what is strange about the guide was told */
    const char *split_by; /* how to split a guide; or NULL */

    /* what is asked */
    VEC(const char *) properties; /* names; none: all */
    bool some_properties;         /* those that the model does not have are left out */
    VEC(struct ask_formula) formulas;
    VEC(const char *) hidden; /* names of what is not shown, separated by commas */
    VEC(const char *) shown;  /* NAME = E: what is shown beside the variables */
    VEC(const char *)
    queries;                  /* texts; with these or a file of them, those of the model are
                                 not asked */
    const char *queries_file; /* NULL: none */
    bool skips;               /* queries that are not understood are left out */
    bool no_deadlock, first, shortest;
    uint64_t traces;                      /* runs per property; 0: one */
    bool show_process_model, show_orders; /* explore --show */
    bool enumerate_orders;                /* orders one by one */

    /* how it is searched */
    enum engine engine;
    enum search_order order;
    enum relation_form relation;
    enum search_direction direction;
    enum reduction reduction;
    enum keeping keep;
    bool two_phase; /* --reduce named that method */
    unsigned variant;
    bool no_frontier, tableau, fair;
    bool has_zones;
    enum zone_storage zones;
    enum state_sets sets;
    enum native_mode native;
    bool has_phase, phase_auto, no_induction, bound_auto;
    uint64_t phase;
    uint64_t bound;   /* 0: none */
    uint64_t threads; /* 0: not given, which is one */
    enum split split;
    uint64_t split_depth; /* 0: not given */
    bool has_part;
    uint64_t part;         /* of a split search, that alone */
    const char *partition; /* labels of p-points, or auto; NULL: none */
    bool partition_hidden;
    const char *freeze;  /* the folder of --freeze, or NULL */
    const char *results; /* the folder of --results, or NULL */
    bool resume;

    /* a folder that several processes share (run/work.h) */
    const char *work;              /* or NULL */
    bool prepare, part_auto, join; /* one of them, or all in one run */
    bool no_wait;                  /* for parts that others do */
    double takeover;               /* seconds without a word after which a part is taken over; 0:
                                      as many as usual */
    double leave;                  /* the process leaves its parts to others after so many seconds;
                                      0: it does not */

    /* limits */
    uint64_t memory; /* bytes; 0: most of what is free */
    double time;     /* seconds; 0: none */

    /* other commands */
    uint64_t seed, steps, runs;                 /* simulate */
    bool by_hand;                               /* simulate: the user chooses the steps */
    const char *to;                             /* translate, automaton, guide: a format */
    const char *implies, *equivalent, *accepts; /* automaton */
    bool buchi;
    const char *equal, *within; /* guide */
    const char *log;            /* conform: a file */
    const char *unlogged;       /* labels of steps that a log need not have; NULL: none */
    bool gaps;                  /* anything may be missing in it */
    const char *tolerance;      /* of its times, as text; NULL: none */
    uint64_t words;             /* guide, explore --show orders; 0: none */

    struct peers *peers; /* that search together (base/peers.h), or NULL */

    const char *const *line; /* the command line, for advice; NULL: the door has none */
    uint32_t line_length;
    unsigned verbose;       /* how a race went; sizes of levels */
    const char *words_said; /* the request in words, so that kept results are known as its own; or
                               NULL */
};

void ask_init(struct ask *ask);

#endif
