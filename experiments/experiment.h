/*
 * experiment.h - the interface of experiments: their definition, and functions for inputs and results.
 *
 * An experiment is a folder of this one, named <paper>-<topic>: README.md (claim, set-up, what the source leaves open
 * and our choice), expected.csv (published values, accepted ranges, sources), run.c (through the public interface only)
 * and a line in experiment_table.h. `rigor reproduce NAME` runs it in a process:
 *
 *   run.c -- lab_measured --> DIR/NAME/measured.csv -- with expected.csv --> table, JSON, page
 *         -- lab_curve, lab_point --> DIR/NAME/FIGURE.dat, .gp -- gnuplot --> FIGURE.svg
 *         -- lab_film --> DIR/NAME/FILM.mcap --> FILM.html, a page that plays it
 *
 * An experiment only measures. Whether a row is inside its accepted range is decided by expected.csv.
 */
#ifndef RIGOR_EXPERIMENT_H
#define RIGOR_EXPERIMENT_H

#include <rigor/rigor.h>

#include <stdbool.h>

typedef struct Lab Lab;

typedef struct Experiment {
    const char *name;  /* of its folder */
    const char *title; /* one line: what is shown */
    double seconds;    /* approximate time of the whole and of the quick form, for order and progress */
    double quick_seconds;
    void (*run)(Lab *lab);
} Experiment;

/* ------------------------------------------------------------------ inputs */

/* Whether the quick form is requested: without rows marked `whole` in expected.csv, with shorter runs, but the same
   accepted ranges. */
bool lab_quick(const Lab *lab);

/* Path of a file of models/; valid until the lab is closed. */
const char *lab_model(Lab *lab, const char *file);

/* The model of that file, without remarks. NULL: the experiment has failed, with a message. */
RgModel *lab_model_load(Lab *lab, const char *file, const RgReadOptions *options);

/* The world of that def. NULL: the experiment has failed, with a message. */
RgWorld *lab_world_create(Lab *lab, const RgWorldDef *def);

/* A preset of pgs: its law and its sweeps. */
typedef struct LabPgs {
    RgContactLaw law;
    RgPgsOptions pgs;
} LabPgs;
LabPgs lab_pgs(const char *preset);
/* Sets def, which then points to pgs; NULL: does nothing. */
void lab_use_pgs(RgWorldDef *def, const LabPgs *pgs);

/* Reports the part done, 0 ... 1; ignored if it decreases. */
void lab_progress(Lab *lab, double part);

/* Processor seconds of this process. Speeds should be ratios within one run. */
double lab_cpu(void);

/* ------------------------------------------------------------------ results */

/* Value of a row of expected.csv. NaN: no value; the row is then outside. A second value is a failure of the
   experiment. */
void lab_measured(Lab *lab, const char *row, double value);

/* A row with a truth value: 1 or 0. */
void lab_holds(Lab *lab, const char *row, bool holds);

/* The row cannot be measured on this machine (too few processors, a missing file). */
void lab_skipped(Lab *lab, const char *row, const char *format, ...) RG_PRINTF(3, 4);

/* A line for the page: further results that belong to no row. */
void lab_say(Lab *lab, const char *format, ...) RG_PRINTF(2, 3);

/* The experiment has failed; its other rows are not measured. */
void lab_fail(Lab *lab, const char *format, ...) RG_PRINTF(2, 3);
bool lab_failed(const Lab *lab);

/* Runs parts of an experiment in turn, until it has failed. */
typedef void LabPart(Lab *lab);
void lab_run_parts(Lab *lab, LabPart *const *parts);
#define LAB_PARTS(lab, ...) lab_run_parts(lab, (LabPart *const[]){__VA_ARGS__, NULL})

/* ------------------------------------------------------------------ figures */

typedef enum LabStyle {
    LAB_LINES,
    LAB_POINTS,
    LAB_LINES_POINTS,
    LAB_STEPS, /* of a histogram: x is the left end of a bin */
    LAB_DASHED /* published values */
} LabStyle;

typedef struct LabFigureDef {
    const char *name;  /* of its files: fig3 */
    const char *title; /* "Figure 3: steps until failure" */
    const char *x, *y; /* labels with units */
    bool log_x, log_y;
    bool same_scale;      /* a path in the plane */
    double y_low, y_high; /* both 0: by the data */
} LabFigureDef;

typedef struct LabFigure LabFigure;

/* A figure, drawn at the end of the experiment. Never NULL. */
LabFigure *lab_figure(Lab *lab, const LabFigureDef *def);
/* Begins a curve of this name. */
void lab_curve(LabFigure *figure, LabStyle style, const char *format, ...) RG_PRINTF(3, 4);
/* NaN breaks the curve. */
void lab_point(LabFigure *figure, double x, double y);

/* ------------------------------------------------------------------ films */

/* A recording of a world, to be played on the page: 60 frames a second at most. */
typedef struct LabFilm LabFilm;

/* NULL: cannot be written, which the page reports; the other functions accept NULL. rate: 1/s; 0: 60. */
LabFilm *lab_film(Lab *lab, const char *name, const char *title, RgWorld *world, double rate);
/* Call it after every step: records a frame if one is due. */
void lab_film_step(LabFilm *film, RgWorld *world);
void lab_film_end(LabFilm *film);

#endif
