/* Sources, and diagnostics as data: what is wrong, where, of which kind, and what would help. They
 * are collected here; nothing is printed. A door (report/diagnostics.h) may listen, and gets each
 * one at the moment it is made, so that it stands where it belongs among other output and is not
 * lost when memory or time is refused later.
 *
 * What must hold:
 * 1. A note belongs to the error or warning before it in the list.
 * 2. At most DIAG_MAX_ERRORS errors, and as many warnings, are kept and told; all are counted.
 * 3. Making a diagnostic never fails: when memory is refused it is told, but not kept. */
#ifndef CAIRN_BASE_DIAG_H
#define CAIRN_BASE_DIAG_H

#include "base/mem.h"

#include <stdarg.h>

/* A position in a source; line 0 means "no position". Columns count characters, from 1. */
struct place {
    uint32_t source, line, column;
};

/* From a place up to, but not including, another one in the same source. */
struct place_range {
    struct place start;
    uint32_t end_line, end_column;
};

struct source {
    const char *name;
    const char *text;
    size_t length;
};

struct diag_expansion {
    struct place place, defined;
    const char *name;
};

enum diag_severity {
    DIAG_ERROR,
    DIAG_WARNING,
    DIAG_NOTE,
    DIAG_BUG,   /* our mistake */
    DIAG_REMARK /* how it goes */
};

/* Kinds of mistakes. Their words (diag_code_word) are part of the interface: they stay. */
enum diag_code {
    DIAG_NO_CODE,     /* of notes */
    DIAG_FILE,        /* cannot be opened or read */
    DIAG_CHARACTER,   /* what is no token: bad characters, comments and strings that do not end */
    DIAG_NUMBER,      /* a number that is too large, or not one */
    DIAG_SYNTAX,      /* something else was expected */
    DIAG_MACRO,       /* the preprocessor */
    DIAG_NESTING,     /* too deep */
    DIAG_LIMIT,       /* too large or too many */
    DIAG_UNKNOWN,     /* no such name */
    DIAG_DUPLICATE,   /* declared or given twice */
    DIAG_CIRCULAR,    /* defined by itself */
    DIAG_MISSING,     /* a part that is needed is not there */
    DIAG_TYPE,        /* a value of another type is needed */
    DIAG_RANGE,       /* a value outside of what is possible */
    DIAG_CONSTANT,    /* a constant is needed */
    DIAG_ARGUMENTS,   /* another number or kind of arguments is needed */
    DIAG_ACCESS,      /* must not be written, read, sent or received here */
    DIAG_MISPLACED,   /* possible, but not here */
    DIAG_CONFLICT,    /* two parts contradict each other */
    DIAG_UNSUPPORTED, /* part of the language, and not of Cairn */
    DIAG_OPTION,      /* an option of the command does not fit the model */
    DIAG_FAILURE,     /* computing it fails */
    DIAG_VALUE_CUT,   /* does not fit, and is changed */
    DIAG_NEVER,       /* has no effect, or never happens */
    DIAG_UNUSED,      /* nothing uses it */
    DIAG_HIDES,       /* has the name of something else */
    DIAG_DIALECT,     /* means different things in different dialects */
    DIAG_COVERAGE,    /* less is guaranteed than it seems */
    DIAG_RUN,         /* not about a text: what is asked, files, limits, parts of a run */
    DIAG_CODES
};

struct diagnostic {
    enum diag_severity severity;
    enum diag_code code;
    struct place_range range; /* start.source may be no source: then it is about the whole run */
    const char *about;        /* what it is about, when that is no source; or NULL */
    const char *text;         /* one line, without the position */
    const char *suggestion;   /* what could stand there instead, or NULL; the text says it, too */
};

struct diag;
/* Gets each diagnostic that is not left out; NULL: nothing more comes (diag_finish). */
typedef void diag_listener(void *door, const struct diag *diag, const struct diagnostic *one);

/* Opens a file for reading; less than 0: it cannot be opened, and errno says why. */
typedef int diag_opener(void *context, const char *path);

/* Says in notes what the place of an error or a warning belongs to, when the position alone does
 * not tell. */
typedef void diag_whose(void *context, struct diag *diag, struct place place);

struct diag {
    struct mem *mem;
    diag_opener *opener; /* how files are opened; NULL: as the system does */
    void *opener_context;
    diag_listener *listener; /* NULL: nobody listens */
    void *door;              /* the listener's */
    bool quiet;              /* no warnings */
    diag_whose *whose;       /* NULL: nobody knows; set while a text is read that it knows */
    void *context;           /* of that */
    VEC(struct source) sources;
    VEC(struct diag_expansion) expansions;
    VEC(struct diagnostic) list;
    uint32_t errors, warnings; /* also those that were left out */
    const char *suggestion;    /* of the next one, or NULL */
};

enum { DIAG_MAX_ERRORS = 20 };

/* Nobody listens at first. */
void diag_init(struct diag *diag, struct mem *mem);

/* Reads a file ("-": standard input) and registers it. Returns false after a diagnostic. */
bool diag_read_source(struct diag *diag, const char *path, uint32_t *source);
/* The same for a file that another one includes at `place`, where it is told if it cannot be read.
 * Only regular files are. */
bool diag_include_source(struct diag *diag, struct place place, const char *path, uint32_t *source);
uint32_t diag_add_source(struct diag *diag, const char *name, const char *text, size_t length);

void diag_error(struct diag *diag, enum diag_code code, struct place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_error_args(struct diag *diag, enum diag_code code, struct place place, const char *format,
                     va_list args) __attribute__((format(printf, 4, 0)));
void diag_warning(struct diag *diag, enum diag_code code, struct place place, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));
/* An error with a suggestion: ": did you mean 'suggestion'?" is added to its text. NULL: none. */
void diag_error_near(struct diag *diag, enum diag_code code, struct place place,
                     const char *suggestion, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The next error or warning has this suggestion, and says so by itself. NULL: none. */
void diag_suggest(struct diag *diag, const char *suggestion);
/* Belongs to the error or warning before it. */
void diag_note(struct diag *diag, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* About a run, and no position: `about` is the name of a file, or NULL: the program. It is neither
 * counted nor left out. */
void diag_tell(struct diag *diag, enum diag_severity severity, const char *about,
               const char *format, va_list args) __attribute__((format(printf, 4, 0)));
/* Tells the listener that this was all, for now. */
void diag_finish(struct diag *diag);

/* What stands at `place` was made by a macro: an error or warning there gets a note with its name,
 * which is kept, and the place of its definition. */
void diag_add_expansion(struct diag *diag, struct place place, const char *name,
                        struct place defined);

/* The word of a code: lower case, stable. */
const char *diag_code_word(enum diag_code code);
/* The name of a place's source, without its folders, or "?". */
const char *diag_source_name(const struct diag *diag, struct place place);
/* Finds a line's text, without its newline. */
const char *diag_line(const struct diag *diag, struct place place, size_t *length);

#endif
