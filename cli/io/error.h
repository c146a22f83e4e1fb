/* error.h - errors of readers and of the library: made, and printed. */
#ifndef RIGOR_ERROR_H
#define RIGOR_ERROR_H

#include <rigor/rigor.h>

/* Fills error and returns status. */
RgStatus rg_error_set(RgError *error, RgStatus status, const char *file, const char *format, ...) RG_PRINTF(4, 5);

/* Prints "rigor: file:line:column: text". */
void rg_error_print(const RgError *error);

/* On stderr, where a recording ends before its end. */
void rg_print_if_cut_off(const char *path);

#endif
