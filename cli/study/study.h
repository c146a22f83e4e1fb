/*
 * study.h - shared by commands that run one plan repeatedly: opening it, a new start, processor time.
 */
#ifndef RIGOR_STUDY_H
#define RIGOR_STUDY_H

#include "io/options.h"
#include "run/run.h"

typedef struct RgStudy {
    RgRun run;   /* with the present world */
    void *start; /* start_size bytes: state at t = 0 */
    size_t start_size;
    double gear_ratio, gear_inertia; /* override the plan's unless ratio is 0; set before it is opened */
} RgStudy;

/* Opens the plan of a file with the command's options (those of rg_plan_options, --time, --csv, --json), and makes its
   world at the start. false: a message was printed. Close it in either case. */
bool rg_study_open(RgStudy *study, const RgOptions *options, const char *file);
void rg_study_close(RgStudy *study);

/* Replaces the world by a new one made by def, at the start, with the plan's drives; controllers: as many as the plan's,
   replacing them unless NULL. */
RgStatus rg_study_restart(RgStudy *study, const RgWorldDef *def, const RgControllerDef *controllers, RgError *error);

/* Processor seconds of this process. */
double rg_study_cpu(void);

/* Prints a number in a column, or a dash for NaN. */
void rg_study_print_number(FILE *out, int width, const char *format, double x);

/* Closes a written file. false: it could not be opened (NULL) or written, message printed. */
bool rg_study_close_file(FILE *file, const char *path);

#endif
