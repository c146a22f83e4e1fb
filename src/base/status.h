/* status.h - filling an RgError. */
#ifndef RIGOR_STATUS_H
#define RIGOR_STATUS_H

#include <rigor/base.h>

#include <stdarg.h>

/* Fills error (if not NULL) and returns status, so that a failing function ends in `return rg_fail(...)`.
   file may be NULL. */
RgStatus rg_fail(RgError *error, RgStatus status, const char *file, int line, const char *format, ...) RG_PRINTF(5, 6);

/* The same with the arguments of the caller. */
RgStatus rg_fail_list(RgError *error, RgStatus status, const char *file, int line, const char *format,
                      va_list arguments) RG_PRINTF(5, 0);

/* Value of the cookie field of a definition made by its default function. */
#define RG_COOKIE 0x52494731u

/* Sends a formatted remark to the log, if there is one. */
void rg_log(const RgLog *log, const char *file, int line, const char *format, ...) RG_PRINTF(4, 5);
void rg_log_list(const RgLog *log, const char *file, int line, const char *format, va_list arguments) RG_PRINTF(4, 0);

#endif
