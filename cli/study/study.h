/*
 * study.h - what commands share that run one plan again and again: opening it, a fresh start, processor time.
 */
#ifndef RIGOR_STUDY_H
#define RIGOR_STUDY_H

#include "io/options.h"
#include "run/run.h"

typedef struct RgStudy {
    RgRun run;   /* its world is the one that runs */
    void *start; /* start_size bytes: state at t = 0 */
    size_t start_size;
    double gear_ratio, gear_inertia; /* override the plan's unless ratio is 0; set before it is opened */
} RgStudy;

/* The plan of a file with the command's options (those of all that simulates, --time, --csv, --json), and its world at
   the start. false: a message was printed. Close it in either case. */
bool rg_study_open(RgStudy *study, const RgOptions *options, const char *file);
void rg_study_close(RgStudy *study);

/* A world of its own made by def, at the start, with the plan's drives; with these controllers, as many, instead of
   the plan's unless NULL. */
RgStatus rg_study_again(RgStudy *study, const RgWorldDef *def, const RgControllerDef *controllers, RgError *error);

/* Processor seconds of this process. */
double rg_study_cpu(void);

/* A number in a column, or a dash where there is none. */
void rg_study_print_number(FILE *out, int width, const char *format, double x);

/* Closes a file that was written. false: it could not be opened (NULL) or written, message printed. */
bool rg_study_close_file(FILE *file, const char *path);

#endif
