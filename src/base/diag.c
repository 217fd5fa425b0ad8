#include "base/diag.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = 64 << 20 };

void diag_init(struct diag *diag, struct mem *mem)
{
    memset(diag, 0, sizeof *diag);
    diag->mem = mem;
}

uint32_t diag_add_source(struct diag *diag, const char *name, const char *text, size_t length)
{
    vec_push(diag->mem, &diag->sources, ((struct source){name, text, length}));
    return diag->sources.len - 1;
}

const char *diag_source_name(const struct diag *diag, struct place place)
{
    if (!place.line || place.source >= diag->sources.len) return "?";
    const char *name = diag->sources.data[place.source].name;
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

const char *diag_line(const struct diag *diag, struct place place, size_t *length)
{
    if (!place.line || place.source >= diag->sources.len) return NULL;
    const struct source *source = &diag->sources.data[place.source];
    if (!source->text) return NULL;
    const char *at = source->text, *end = source->text + source->length;
    for (uint32_t line = 1; line < place.line; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at) return NULL;
        at++;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((stop ? stop : end) - at);
    return at;
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* What a place means: the word that begins there, or one character; nothing at the end of a line.
 */
static struct place_range range_of(const struct diag *diag, struct place place)
{
    struct place_range range = {place, place.line, place.column};
    size_t length, at = 0;
    const char *line = diag_line(diag, place, &length);
    if (!line) return range;
    for (uint32_t column = 1; at < length && column < place.column; column++) do
            at++;
        while (at < length && is_continuation(line[at]));
    if (at >= length) return range;
    do range.end_column++;
    while (is_word(line[at]) && ++at < length && is_word(line[at]));
    return range;
}

/* ---- making and keeping ---- */

/* Room for one more in the list; false when memory is refused. */
static bool make_room(struct diag *diag)
{
    if (diag->list.len < diag->list.cap) return true;
    uint32_t cap = diag->list.cap ? 2 * diag->list.cap : 8;
    void *grown = mem_try_resize(diag->mem, diag->list.data, cap * sizeof *diag->list.data);
    if (!grown) return false;
    diag->list.data = grown;
    diag->list.cap = cap;
    return true;
}

static const char *copy(struct diag *diag, const char *text)
{
    size_t length = strlen(text) + 1;
    char *kept = mem_try_alloc(diag->mem, length);
    return kept ? memcpy(kept, text, length) : NULL;
}

/* Invariant 3: the list gets a copy of the words, if there is memory for it. */
static void keep(struct diag *diag, const struct diagnostic *one)
{
    struct diagnostic kept = *one;
    if (!make_room(diag)) return;
    kept.text = copy(diag, one->text);
    if (kept.text && one->about) kept.about = copy(diag, one->about);
    if (kept.text && one->suggestion) kept.suggestion = copy(diag, one->suggestion);
    if (kept.text) diag->list.data[diag->list.len++] = kept;
}

/* Words that are longer than usual have memory of their own, if there is some. */
static char *write_text(struct diag *diag, char *room, size_t size, const char *format,
                        va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(room, size, format, args);
    char *longer = length >= (int)size ? mem_try_alloc(diag->mem, (size_t)length + 1) : NULL;
    if (longer) vsnprintf(longer, (size_t)length + 1, format, again);
    va_end(again);
    return longer ? longer : room;
}

static void make(struct diag *diag, struct diagnostic one, const char *format, va_list args)
{
    char room[2048];
    char *text = write_text(diag, room, sizeof room, format, args);
    assert((one.severity == DIAG_NOTE) == (one.code == DIAG_NO_CODE));
    one.text = text;
    one.range = range_of(diag, one.range.start);
    one.suggestion = one.severity == DIAG_NOTE ? NULL : diag->suggestion;
    if (diag->listener) diag->listener(diag->door, diag, &one);
    keep(diag, &one);
    if (text != room) mem_free(diag->mem, text);
}

/* Tells which macro made what stands at the place. */
static void note_expansion(struct diag *diag, struct place place)
{
    for (uint32_t i = 0; i < diag->expansions.len; i++) {
        const struct diag_expansion *e = &diag->expansions.data[i];
        if (e->place.source != place.source || e->place.line != place.line
            || e->place.column != place.column)
            continue;
        diag_note(diag, e->defined, "in the expansion of '%.60s'", e->name);
        return;
    }
}

static void explain_place(struct diag *diag, struct place place)
{
    note_expansion(diag, place);
    if (diag->whose) diag->whose(diag->context, diag, place);
}

void diag_add_expansion(struct diag *diag, struct place place, const char *name,
                        struct place defined)
{
    assert(place.line && place.source < diag->sources.len);
    vec_push(diag->mem, &diag->expansions, ((struct diag_expansion){place, defined, name}));
}

void diag_suggest(struct diag *diag, const char *suggestion) { diag->suggestion = suggestion; }

void diag_error_args(struct diag *diag, enum diag_code code, struct place place, const char *format,
                     va_list args)
{
    if (++diag->errors <= DIAG_MAX_ERRORS) {
        make(diag, (struct diagnostic){.code = code, .range.start = place}, format, args);
        explain_place(diag, place);
    }
    diag->suggestion = NULL;
}

void diag_error(struct diag *diag, enum diag_code code, struct place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_error_args(diag, code, place, format, args);
    va_end(args);
}

void diag_error_near(struct diag *diag, enum diag_code code, struct place place,
                     const char *suggestion, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_suggest(diag, suggestion);
    if (suggestion) diag_error(diag, code, place, "%s: did you mean '%.60s'?", text, suggestion);
    else diag_error(diag, code, place, "%s", text);
}

void diag_warning(struct diag *diag, enum diag_code code, struct place place, const char *format,
                  ...)
{
    if (++diag->warnings <= DIAG_MAX_ERRORS && !diag->quiet) {
        va_list args;
        va_start(args, format);
        make(diag,
             (struct diagnostic){.severity = DIAG_WARNING, .code = code, .range.start = place},
             format, args);
        va_end(args);
        explain_place(diag, place);
    }
    diag->suggestion = NULL;
}

void diag_note(struct diag *diag, struct place place, const char *format, ...)
{
    if (diag->errors > DIAG_MAX_ERRORS || (diag->quiet && !diag->errors)) return;
    va_list args;
    va_start(args, format);
    make(diag, (struct diagnostic){.severity = DIAG_NOTE, .range.start = place}, format, args);
    va_end(args);
}

void diag_tell(struct diag *diag, enum diag_severity severity, const char *about,
               const char *format, va_list args)
{
    struct diagnostic one = {.severity = severity,
                             .code = severity == DIAG_NOTE ? DIAG_NO_CODE : DIAG_RUN,
                             .range.start = {UINT32_MAX, 0, 0},
                             .about = about};
    make(diag, one, format, args);
}

void diag_finish(struct diag *diag)
{
    if (diag->listener) diag->listener(diag->door, diag, NULL);
}

const char *diag_code_word(enum diag_code code)
{
    static const char *const words[DIAG_CODES] = {
        [DIAG_NO_CODE] = "none",
        [DIAG_FILE] = "file",
        [DIAG_CHARACTER] = "character",
        [DIAG_NUMBER] = "number",
        [DIAG_SYNTAX] = "syntax",
        [DIAG_MACRO] = "macro",
        [DIAG_NESTING] = "nesting",
        [DIAG_LIMIT] = "limit",
        [DIAG_UNKNOWN] = "unknown",
        [DIAG_DUPLICATE] = "duplicate",
        [DIAG_CIRCULAR] = "circular",
        [DIAG_MISSING] = "missing",
        [DIAG_TYPE] = "type",
        [DIAG_RANGE] = "range",
        [DIAG_CONSTANT] = "constant",
        [DIAG_ARGUMENTS] = "arguments",
        [DIAG_ACCESS] = "access",
        [DIAG_MISPLACED] = "misplaced",
        [DIAG_CONFLICT] = "conflict",
        [DIAG_UNSUPPORTED] = "unsupported",
        [DIAG_OPTION] = "option",
        [DIAG_FAILURE] = "failure",
        [DIAG_VALUE_CUT] = "value-cut",
        [DIAG_NEVER] = "never",
        [DIAG_UNUSED] = "unused",
        [DIAG_HIDES] = "hides",
        [DIAG_DIALECT] = "dialect",
        [DIAG_COVERAGE] = "coverage",
        [DIAG_RUN] = "run",
    };
    assert(code < DIAG_CODES && words[code]);
    return words[code];
}

/* ---- reading ---- */

/* Opens without waiting for a writer: a FIFO that nobody writes to is an empty file, not a hang. */
static int open_source(struct diag *diag, struct place place, const char *path, bool only_files)
{
    int fd = diag->opener ? diag->opener(diag->opener_context, path)
                          : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    const char *which = only_files ? path : "", *colon = only_files ? ": " : "";
    if (fd < 0 || fstat(fd, &info)) {
        diag_error(diag, DIAG_FILE, place, "%.200s%scannot open: %s", which, colon,
                   strerror(errno));
    } else if (S_ISDIR(info.st_mode)) {
        diag_error(diag, DIAG_FILE, place, "%.200s%sis a folder, not a file", which, colon);
    } else if (only_files && !S_ISREG(info.st_mode)) {
        diag_error(diag, DIAG_FILE, place, "%.200s%sis no ordinary file", which, colon);
    } else {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        return fd;
    }
    if (fd >= 0) close(fd);
    return -1;
}

/* Reads everything from fd, and closes it. */
static bool read_all(struct diag *diag, struct place place, int fd, uint32_t index)
{
    struct stat info;
    const bool is_known = !fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_size < SOURCE_MAX;
    size_t length = 0, cap = is_known ? (size_t)info.st_size + 2 : 1 << 16;
    char *text = mem_alloc(diag->mem, cap);
    ssize_t got;
    while ((got = read(fd, text + length, cap - length - 1)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 || length + (size_t)got > SOURCE_MAX) break;
        length += (size_t)got;
        if (cap - length < 2) {
            cap *= 2;
            text = mem_resize(diag->mem, text, cap);
        }
    }
    int reason = errno;
    if (fd != STDIN_FILENO) close(fd);
    if (got < 0) diag_error(diag, DIAG_FILE, place, "cannot read: %s", strerror(reason));
    else if (got > 0) diag_error(diag, DIAG_FILE, place, "is larger than %d MiB", SOURCE_MAX >> 20);
    text[length] = 0;
    diag->sources.data[index].text = text;
    diag->sources.data[index].length = length;
    return got == 0;
}

bool diag_read_source(struct diag *diag, const char *path, uint32_t *index)
{
    *index = diag_add_source(diag, path, NULL, 0);
    struct place place = {.source = *index};
    const bool is_input = !strcmp(path, "-") && !diag->opener;
    int fd = is_input ? STDIN_FILENO : open_source(diag, place, path, false);
    return fd >= 0 && read_all(diag, place, fd, *index);
}

bool diag_include_source(struct diag *diag, struct place place, const char *path, uint32_t *index)
{
    int fd = open_source(diag, place, path, true);
    if (fd < 0) return false;
    *index = diag_add_source(diag, path, NULL, 0);
    return read_all(diag, place, fd, *index);
}
