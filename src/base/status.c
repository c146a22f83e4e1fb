/* status.c - status texts, errors and remarks. */
#include "base/status.h"

#include <stdio.h>
#include <string.h>

const char *rg_status_text(RgStatus status)
{
    static const char *const texts[] = {
#define RG_STATUS_TEXT(code, text) text,
        RG_STATUS_LIST(RG_STATUS_TEXT)
#undef RG_STATUS_TEXT
    };
    return (unsigned)status < RG_STATUS_COUNT ? texts[status] : "unknown status";
}

const char *rg_version(void)
{
    return RIGOR_VERSION;
}

/* Copies from; of a text that is too long, only its end (the more informative part of a path). */
static void copy_tail(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    memcpy(to, length < size ? from : from + length - size + 1, (length < size ? length : size - 1) + 1);
}

RgStatus rg_fail_list(RgError *error, RgStatus status, const char *file, int line, const char *format,
                      va_list arguments)
{
    if (error == NULL)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    error->line = line;
    if (file != NULL)
        copy_tail(error->file, sizeof error->file, file);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    return status;
}

RgStatus rg_fail(RgError *error, RgStatus status, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rg_fail_list(error, status, file, line, format, arguments);
    va_end(arguments);
    return status;
}

void rg_log_list(const RgLog *log, const char *file, int line, const char *format, va_list arguments)
{
    if (log == NULL || log->write == NULL)
        return;
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    log->write(file, line, text, log->context);
}

void rg_log(const RgLog *log, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rg_log_list(log, file, line, format, arguments);
    va_end(arguments);
}

void rg_error_format(const RgError *error, char *buffer, size_t size)
{
    const char *text = error->text[0] != '\0' ? error->text : rg_status_text(error->status);
    if (error->file[0] == '\0')
        snprintf(buffer, size, "%s", text);
    else if (error->line <= 0)
        snprintf(buffer, size, "%s: %s", error->file, text);
    else if (error->column <= 0)
        snprintf(buffer, size, "%s:%d: %s", error->file, error->line, text);
    else
        snprintf(buffer, size, "%s:%d:%d: %s", error->file, error->line, error->column, text);
}
