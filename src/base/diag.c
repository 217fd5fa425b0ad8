#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = 64 << 20, SHOWN_COLUMNS = 110 };

void diag_init(struct diag *diag, struct mem *mem, FILE *out)
{
    memset(diag, 0, sizeof *diag);
    diag->mem = mem;
    diag->out = out;
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

/* Shows the line around the place, with control characters made harmless, and a caret below. */
static void show_line(struct diag *diag, struct place place)
{
    size_t length;
    const char *line = diag_line(diag, place, &length);
    if (!line) return;
    if (length && line[length - 1] == '\r') length--;
    size_t target = 0;
    for (uint32_t column = 1; target < length && column < place.column; column++) do
            target++;
        while (target < length && is_continuation(line[target]));
    size_t first = target > SHOWN_COLUMNS * 2 / 3 ? target - SHOWN_COLUMNS * 2 / 3 : 0;
    while (first > 0 && is_continuation(line[first])) first--;
    fputs(first ? "    ..." : "    ", diag->out);
    unsigned caret = first ? 7 : 4, shown = 0;
    for (size_t i = first; i < length && shown < SHOWN_COLUMNS; i++) {
        unsigned char c = (unsigned char)line[i];
        fputc(c == '\t' ? ' ' : c < 0x20 || c == 0x7F ? '?' : c, diag->out);
        if (is_continuation(line[i])) continue;
        shown++;
        if (i < target) caret++;
    }
    fprintf(diag->out, "\n%*s%s^%s\n", (int)caret, "", diag->color ? "\033[32m" : "",
            diag->color ? "\033[0m" : "");
}

static void show(struct diag *diag, struct place place, const char *kind, const char *color,
                 const char *format, va_list args)
{
    if (!diag->out) return;
    if (place.source < diag->sources.len) {
        fputs(diag->sources.data[place.source].name, diag->out);
        if (place.line) fprintf(diag->out, ":%u:%u", place.line, place.column);
        fputs(": ", diag->out);
    } else {
        fputs("cairn: ", diag->out);
    }
    fprintf(diag->out, "%s%s:%s ", diag->color ? color : "", kind, diag->color ? "\033[0m" : "");
    vfprintf(diag->out, format, args);
    fputc('\n', diag->out);
    show_line(diag, place);
}

void diag_error(struct diag *diag, struct place place, const char *format, ...)
{
    if (++diag->errors > DIAG_MAX_ERRORS) return;
    va_list args;
    va_start(args, format);
    show(diag, place, "error", "\033[1;31m", format, args);
    va_end(args);
}

void diag_warning(struct diag *diag, struct place place, const char *format, ...)
{
    if (++diag->warnings > DIAG_MAX_ERRORS || diag->quiet) return;
    va_list args;
    va_start(args, format);
    show(diag, place, "warning", "\033[1;35m", format, args);
    va_end(args);
}

void diag_note(struct diag *diag, struct place place, const char *format, ...)
{
    if (diag->errors > DIAG_MAX_ERRORS || (diag->quiet && !diag->errors)) return;
    va_list args;
    va_start(args, format);
    show(diag, place, "note", "\033[1;36m", format, args);
    va_end(args);
}

void diag_finish(struct diag *diag)
{
    if (!diag->out) return;
    if (diag->errors > DIAG_MAX_ERRORS)
        fprintf(diag->out, "cairn: %u more errors, %u in all\n", diag->errors - DIAG_MAX_ERRORS,
                diag->errors);
    if (diag->warnings > DIAG_MAX_ERRORS && !diag->quiet)
        fprintf(diag->out, "cairn: %u more warnings\n", diag->warnings - DIAG_MAX_ERRORS);
}

/* Opens without waiting for a writer: a FIFO that nobody writes to is an empty file, not a hang. */
static int open_source(struct diag *diag, struct place place, const char *path)
{
    if (!strcmp(path, "-")) return STDIN_FILENO;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info)) {
        diag_error(diag, place, "cannot open: %s", strerror(errno));
    } else if (S_ISDIR(info.st_mode)) {
        diag_error(diag, place, "is a folder, not a file");
    } else {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        return fd;
    }
    if (fd >= 0) close(fd);
    return -1;
}

bool diag_read_source(struct diag *diag, const char *path, uint32_t *index)
{
    *index = diag_add_source(diag, path, NULL, 0);
    struct place place = {.source = *index};
    int fd = open_source(diag, place, path);
    if (fd < 0) return false;
    size_t length = 0, cap = 1 << 16;
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
    if (got < 0) diag_error(diag, place, "cannot read: %s", strerror(reason));
    else if (got > 0) diag_error(diag, place, "is larger than %d MiB", SOURCE_MAX >> 20);
    text[length] = 0;
    diag->sources.data[*index].text = text;
    diag->sources.data[*index].length = length;
    return got == 0;
}
