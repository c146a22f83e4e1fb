/* error.c - fills and prints errors of readers and of the library. */
#include "io/error.h"

#include <stdarg.h>
#include <stdio.h>

RgStatus rg_error_set(RgError *error, RgStatus status, const char *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *error = (RgError){.status = status};
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

void rg_error_print(const RgError *error)
{
    char text[1024];
    rg_error_format(error, text, sizeof text);
    fprintf(stderr, "rigor: %s\n", text);
}

void rg_print_if_cut_off(const char *path)
{
    RgRecording *recording = rg_recording_open(path, NULL);
    if (recording && !rg_recording_info(recording).is_whole)
        fprintf(stderr, "rigor: %s: the recording is truncated: read up to its last complete chunk\n", path);
    rg_recording_close(recording);
}
