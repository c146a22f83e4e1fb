/*
 * located.h - scenes that show whether steppers miss contacts, overlap, or let the step collapse.
 *
 *   throws   random throws of cubes, tetrahedra, hulls and boxes onto a plane, a slope and each other
 *   tunnel   bullets, spinning plates, a swinging rod and a falling chain against thin things
 *   stacks   boxes at rest on each other
 *
 * A table is columns and rows; it goes to the terminal, or as JSON to a file or the standard output, and as CSV to a
 * file.
 */
#ifndef BENCH_LOCATED_H
#define BENCH_LOCATED_H

#include "located_run.h"

#include <math.h>
#include <stdio.h>

/* ------------------------------------------------------------------ tables */

typedef struct LocatedColumn {
    const char *key;  /* in JSON and CSV */
    const char *head; /* on the terminal */
    bool whole;       /* its numbers are whole; else three digits */
} LocatedColumn;

/* A number, or a text where that is not NULL. NaN: not known. */
typedef struct LocatedCell {
    double number;
    const char *text;
} LocatedCell;

static inline LocatedCell cell(double number)
{
    return (LocatedCell){number, NULL};
}

static inline LocatedCell cell_text(const char *text)
{
    return (LocatedCell){NAN, text};
}

typedef struct LocatedOut {
    FILE *json, *csv; /* may be NULL */
    bool quiet;       /* JSON goes to the standard output: no text */
    const char *name; /* of the table that is open */
    const LocatedColumn *columns;
    int ncolumns, rows, tables;
} LocatedOut;

bool located_out_begin(LocatedOut *out, const char *json, const char *csv);
bool located_out_end(LocatedOut *out); /* false: something could not be written */

void located_table(LocatedOut *out, const char *name, const char *title, const LocatedColumn *columns, int ncolumns);
void located_row(LocatedOut *out, const LocatedCell *cells);
/* A line below a table. */
void located_note(LocatedOut *out, const char *format, ...) RG_PRINTF(2, 3);

/* Lengths of the inner steps of a run, and what decided them, as tables of that name with _lengths and _cuts behind
   it. */
void located_histogram(LocatedOut *out, const char *name, const char *title, const LocatedRun *run);

/* ------------------------------------------------------------------ options */

#define LOCATED_NAMES 8

typedef struct LocatedOptions {
    bool quick;                          /* quick check: fewer rows, fewer throws */
    const char *steppers[LOCATED_NAMES]; /* NULL at first: those of the command */
    const char *solvers[LOCATED_NAMES];
    const char *kind, *onto, *scene; /* NULL: all */
    const char *coords;
    double gap, event_time; /* NaN: those of the command */
    double step, time;
    double seconds; /* of processor time that a run may take */
    int count;      /* 0: the command's default */
    uint64_t seed;  /* of the first throw */
    bool only;      /* that one alone */
    double speed;   /* of bullets, m/s; NaN: all */
    bool histogram; /* lengths of the inner steps, too */
    bool verify;    /* every certificate is checked */
} LocatedOptions;

/* Runs the job in a child process, which writes its result (plain bytes) to data. False: it exceeded the processor time,
   or crashed. */
typedef void LocatedJob(void *context, void *data);
typedef struct LocatedResult {
    void *data;
    size_t size;
    unsigned seconds;
} LocatedResult;
bool located_apart(LocatedJob *job, void *context, const LocatedResult *result);

/* Each prints its tables. false: a failure was found. */
bool located_throws(LocatedOut *out, const LocatedOptions *options);
bool located_tunnel(LocatedOut *out, const LocatedOptions *options);
bool located_stacks(LocatedOut *out, const LocatedOptions *options);

#endif
