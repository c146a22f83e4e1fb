/* read_input.h - reads the standard input or a file as a whole. */
#ifndef RIGOR_READ_INPUT_H
#define RIGOR_READ_INPUT_H

#include "io/error.h"
#include "io/pool.h"

#include <stddef.h>
#include <stdio.h>

/* To be freed; NULL: message printed. */
char *rg_read_input(size_t *size);

/* From the stream's position to its end; to be freed. NULL: unreadable or out of memory. */
char *rg_read_stream(FILE *stream, size_t *size);

/* Whole content of a file ("-": standard input) in the pool, with a closing zero. */
RgStatus rg_read_whole(RgPool *pool, const char *path, char **data, size_t *size, RgError *error);

#endif
