#include "run/message.h"

#include <stdarg.h>

static const char *const words[] = {[MESSAGE_ERROR] = "error: ",
                                    [MESSAGE_WARNING] = "warning: ",
                                    [MESSAGE_NOTE] = "note: ",
                                    [MESSAGE_BUG] = "BUG: ",
                                    [MESSAGE_PLAIN] = ""};

static void add(struct diag *diag, enum message_kind kind, const char *about, const char *format,
                va_list arguments)
{
    if (!diag->out) return;
    fprintf(diag->out, "%s: %s", about ? about : "cairn", words[kind]);
    vfprintf(diag->out, format, arguments);
    fputc('\n', diag->out);
}

void message(struct diag *diag, enum message_kind kind, const char *about, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(diag, kind, about, format, arguments);
    va_end(arguments);
}

bool message_error(struct diag *diag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(diag, MESSAGE_ERROR, NULL, format, arguments);
    va_end(arguments);
    return false;
}
