/* The door of the command line: where messages, progress and results go, and the last words of a
 * command that is ended by a limit. */
#ifndef CAIRN_CLI_DOOR_H
#define CAIRN_CLI_DOOR_H

#include "cli/options.h"
#include "report/forecast.h"
#include "report/page.h"
#include "report/progress.h"
#include "report/text.h"
#include "run/load.h"

struct screen {
    struct door door; /* what a run sees of it */
    struct report_style style;
    const struct options *options;
    struct mem *mem;      /* whose limit forecasts are about */
    double last_line;     /* of the progress display: when, ... */
    uint64_t last_states; /* ... and what it showed */
    struct forecast forecast;
    bool was_hopeless; /* it was told that a limit will end the search */
    struct session *session;
    bool progress_shown;
    struct progress lines;                                               /* progress for machines */
    void (*show)(void *context, const struct search_progress *progress); /* NULL: nobody looks */
    struct page_samples samples; /* of progress, for a page */
};

/* As the options say. The screen and the options outlive the session. */
void door_open_session(struct screen *screen, struct session *session, struct options *options,
                       struct mem *mem);

/* Opens FILE for writing, or standard output (NULL). NULL after a message, also when FILE is what
 * the command reads. door_close_file: false, after a message, when something could not be
 * written. */
FILE *door_open_file(const struct options *options, const char *path);
bool door_close_file(FILE *file, const char *path);

/* The command begins: clocks and signals. False after a message. With --json there will be an
 * object even when a limit ends everything. door_has_told: output has begun, and last words would
 * come in its middle. */
bool door_begin(struct options *options);
void door_has_told(void);

/* The last diagnostic was made: false, after a message, when their file cannot be written. */
bool door_end(struct options *options);

/* "cairn: error: why". Always false. */
bool door_complain(const char *why);

#endif
