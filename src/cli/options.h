/* The command line. One table row per option: parsing comes from it, and so do help, the manual
 * page and shell completion (cli/help.h). */
#ifndef CAIRN_CLI_OPTIONS_H
#define CAIRN_CLI_OPTIONS_H

#include "report/records.h"
#include "run/ask.h"

#include <stdio.h>

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER, WHEN_JSON };

struct options {
    const struct command *command;
    struct ask ask;
    bool json, full, raw, interactive, quiet, help;
    bool told; /* output has begun: with --json, the one object is on its way */
    const char *json_file, *trace_file, *report_file, *output;
    int argc; /* the command line */
    char **argv;
    enum when progress, color;  /* progress also as JSON */
    bool records, sarif;        /* diagnostics as these ... */
    const char *records_file;   /* ... in this file; NULL: on standard error */
    struct records diagnostics; /* where they go then */
    const char *expect_file;
    uint64_t port;     /* serve; 0: any */
    const char *slurm; /* options for its jobs, when it is to do the work; or NULL */
};

struct command {
    const char *name, *argument, *summary;
    unsigned bit;
    int (*run)(struct options *options, struct mem *mem);
};
extern const struct command commands[]; /* ends with a NULL name; in commands.c */

/* Reads argv. Returns false after a message on standard error (exit status 2). */
bool options_parse(struct options *options, struct mem *mem, int argc, char **argv);

struct options_row {
    int id;
    char letter;          /* or 0 */
    const char *name;     /* without its dashes */
    const char *argument; /* NULL: none; "[=X]": optional */
    unsigned commands;    /* bits of enum ask_command */
    const char *help;
};
/* NULL: there are no more. */
const struct options_row *options_row(unsigned number);

#endif
