/*
 * output_file.h - a file that appears under its name only when it is whole.
 *
 * It grows beside the target as <path>.part-<process>-<number>, and is renamed at the end. A target that
 * exists and is no regular file (a pipe, a terminal, /dev/null) is written directly.
 */
#ifndef RIGOR_OUTPUT_FILE_H
#define RIGOR_OUTPUT_FILE_H

#include "base/arena.h"

#include <stdio.h>

typedef struct RgOutputFile {
    FILE *file; /* NULL: not open */
    const char *path;
    const char *part; /* where it grows; NULL: written directly */
    bool is_regular;  /* no pipe, terminal or device */
} RgOutputFile;

RgStatus rg_output_open(RgOutputFile *output, const char *path, RgArena *arena, RgError *error);

/* The same, but the file stands under its name at once, emptied if it was there, and stays whatever happens. */
RgStatus rg_output_open_now(RgOutputFile *output, const char *path, RgArena *arena, RgError *error);

/* Closes; with keep gives the file its name, else (or on failure) removes it. Does nothing if not open. */
RgStatus rg_output_close(RgOutputFile *output, bool keep, RgError *error);

/* A file without a name beside path, for writing and reading; gone when closed. NULL: error is filled. */
FILE *rg_output_scratch(const char *path, RgArena *arena, RgError *error);

/* Fills error with what the system says about path, and returns RG_ERR_FILE. */
RgStatus rg_output_fail(const char *path, const char *what, RgError *error);

#endif
