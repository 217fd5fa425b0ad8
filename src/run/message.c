#include "run/message.h"

void message(struct diag *diag, enum diag_severity severity, const char *about, const char *format,
             ...)
{
    va_list args;
    va_start(args, format);
    diag_tell(diag, severity, about, format, args);
    va_end(args);
}

bool message_error(struct diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_tell(diag, DIAG_ERROR, NULL, format, args);
    va_end(args);
    return false;
}
