/* read_input.h - the standard input as a whole. */
#ifndef RIGOR_CLI_READ_INPUT_H
#define RIGOR_CLI_READ_INPUT_H

#include <stddef.h>

/* To be freed; NULL: message printed. */
char *rg_read_input(size_t *size);

#endif
