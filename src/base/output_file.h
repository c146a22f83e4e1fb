/*
 * output_file.h - an output file that gets its name when it is complete.
 *
 * It is written as <path>.part-<process>-<number> in the same folder and renamed at the end. A target that exists and
 * is not a regular file (a pipe, a terminal, /dev/null) is written directly.
 */
#ifndef RIGOR_OUTPUT_FILE_H
#define RIGOR_OUTPUT_FILE_H

#include "base/arena.h"

#include <stdio.h>

typedef struct RgOutputFile {
    FILE *file; /* NULL: not open */
    const char *path;
    const char *part; /* path of the partial file; NULL: written directly */
    bool is_regular;  /* not a pipe, terminal or device */
} RgOutputFile;

RgStatus rg_output_open(RgOutputFile *output, const char *path, RgArena *arena, RgError *error);

/* Like rg_output_open, but creates or truncates the file under its final name; it remains on failure. */
RgStatus rg_output_open_now(RgOutputFile *output, const char *path, RgArena *arena, RgError *error);

/* Closes the file. keep: renames it to its final name; otherwise, or on failure, removes it. No effect if not open. */
RgStatus rg_output_close(RgOutputFile *output, bool keep, RgError *error);

/* A temporary file beside path without a name, for writing and reading; deleted when closed. NULL: error is filled. */
FILE *rg_output_scratch(const char *path, RgArena *arena, RgError *error);

/* Fills error with errno's text about path, and returns RG_ERR_FILE. */
RgStatus rg_output_fail(const char *path, const char *what, RgError *error);

#endif
