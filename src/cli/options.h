/* The command line. One table row per option: parsing, help, the manual page, shell completion and
 * tests come from it. */
#ifndef CAIRN_CLI_OPTIONS_H
#define CAIRN_CLI_OPTIONS_H

#include "lang/common/language.h"
#include "result/conclude.h"

#include <stdio.h>

enum engine { ENGINE_AUTO, ENGINE_EXPLICIT, ENGINE_SYMBOLIC, ENGINE_BOUNDED, ENGINE_TIMED };

enum split { SPLIT_NEVER, SPLIT_AUTO, SPLIT_ALWAYS };

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct formula_option {
    enum property_kind kind;
    const char *text;
};

struct options {
    const struct command *command;
    const char *file;     /* the model or trace */
    const char *model;    /* replay --model */
    const char *context;  /* FILE or FILE:NAME */
    const char *guide;    /* the same */
    uint64_t guide_part;  /* of one that is split, from 1; 0: not given */
    uint64_t guide_bound; /* --bound when there is a guide; 0: none */
    bool guide_auto;      /* --bound auto then */
    bool guide_semantics; /* it was said ... */
    bool guide_filters;   /* ... that the guide is a filter */
    bool guide_remarked;  /* what is strange about the guide was told */
    enum engine engine;
    enum search_order order;
    enum relation_form relation;
    enum search_direction direction;
    enum reduction reduction;
    enum keeping keep;
    bool two_phase; /* --reduce named that method */
    unsigned variant;
    bool no_frontier, tableau, fair;
    bool has_zones, equal_zones;
    bool has_phase, phase_auto, no_induction, bound_auto;
    uint64_t phase;
    uint64_t memory;  /* bytes; 0: most of what is free */
    double time;      /* seconds; 0: none */
    uint64_t bound;   /* 0: none */
    uint64_t threads; /* 0: not given, which is one */
    enum split split;
    uint64_t split_depth; /* 0: not given */
    bool has_part;
    uint64_t part; /* of a split search, that alone */
    uint64_t seed, steps, runs;
    bool json, no_deadlock, first, full, raw, interactive, quiet, help, buchi;
    bool told; /* output has begun: with --json, the one object is on its way */
    const char *json_file, *trace_file, *report_file, *to, *output;
    const char *partition; /* labels of p-points, or auto; NULL: none */
    bool partition_hidden;
    const char *freeze;  /* the folder of --freeze, or NULL */
    const char *results; /* the folder of --results, or NULL */
    bool resume;
    int argc; /* the command line */
    char **argv;
    const char *dialect;                        /* of the language; NULL: its default */
    bool show_process_model;                    /* explore --show */
    const char *implies, *equivalent, *accepts; /* cairn automaton */
    const char *equal, *within;                 /* cairn guide */
    const char *split_by;                       /* how to split a guide; or NULL */
    uint64_t words;                             /* cairn guide; 0: none */
    unsigned verbose;
    enum when progress, color;
    VEC(struct language_define) defines;
    VEC(const char *) properties;
    bool some_properties; /* those that the model does not have are left out */
    VEC(struct formula_option) formulas;
};

struct command {
    const char *name, *argument, *summary;
    unsigned bit;
    int (*run)(struct options *options, struct mem *mem);
};
extern const struct command commands[]; /* ends with a NULL name; in commands.c */

/* Reads argv. Returns false after a message on standard error (exit status 2). */
bool options_parse(struct options *options, struct mem *mem, int argc, char **argv);

/* Whether several engines run at the same time: with --threads 2 or more, unless one engine was
 * chosen, by name or by an option that only it has. */
bool options_race(const struct options *options);

void options_help(FILE *out, const struct command *command); /* NULL: all */
void options_manual(FILE *out);                              /* the manual page */
void options_completion(FILE *out, const char *shell);       /* bash */

#endif
