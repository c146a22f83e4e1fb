/* error.h - fills and prints errors of readers and of the library. */
#ifndef RIGOR_ERROR_H
#define RIGOR_ERROR_H

#include <rigor/rigor.h>

/* Fills error and returns status. */
RgStatus rg_error_set(RgError *error, RgStatus status, const char *file, const char *format, ...) RG_PRINTF(4, 5);

/* Prints "rigor: file:line:column: text". */
void rg_error_print(const RgError *error);

/* Prints a warning on stderr if the recording is truncated. */
void rg_print_if_cut_off(const char *path);

#endif
