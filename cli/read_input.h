/* read_input.h - the standard input, or a file, as a whole. */
#ifndef RIGOR_CLI_READ_INPUT_H
#define RIGOR_CLI_READ_INPUT_H

#include <stddef.h>
#include <stdio.h>

/* To be freed; NULL: message printed. */
char *rg_read_input(size_t *size);

/* From where the stream stands to its end; to be freed. NULL: it cannot be read, or no memory. */
char *rg_read_stream(FILE *stream, size_t *size);

#endif
