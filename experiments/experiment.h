/*
 * experiment.h - what an experiment is, and what it is given to tell what it measured.
 *
 * An experiment is a folder of this one, named <paper>-<topic>: README.md (claim, set-up, what the source leaves open
 * and our choice), expected.csv (published values, accepted ranges, sources), run.c (through the public interface only)
 * and a line in experiment_table.h. `rigor reproduce NAME` runs it in a process of its own:
 *
 *   run.c -- lab_measured --> DIR/NAME/measured.csv -- with expected.csv --> table, JSON, page
 *         -- lab_curve, lab_point --> DIR/NAME/FIGURE.dat, .gp -- gnuplot --> FIGURE.svg
 *         -- lab_film --> DIR/NAME/FILM.mcap --> FILM.html, a page that plays it
 *
 * An experiment measures; it never judges. Whether a row is inside its accepted range is said by expected.csv alone.
 */
#ifndef RIGOR_EXPERIMENT_H
#define RIGOR_EXPERIMENT_H

#include <rigor/rigor.h>

#include <stdbool.h>

typedef struct Lab Lab;

typedef struct Experiment {
    const char *name;  /* of its folder */
    const char *title; /* one line: what is shown */
    double seconds;    /* about what the whole takes on one core, and the quick form; for the order and the progress */
    double quick_seconds;
    void (*run)(Lab *lab);
} Experiment;

/* ------------------------------------------------------------------ what it is given */

/* A shorter form is asked for: fewer rows (those marked `whole` in expected.csv are not asked for), shorter runs. The
   ranges of expected.csv hold all the same. */
bool lab_quick(const Lab *lab);

/* Path of a file of models/. Lives as long as the lab. */
const char *lab_model(Lab *lab, const char *file);

/* The model of that file, whose remarks are left aside. NULL: the experiment has failed, said why. */
RgModel *lab_model_load(Lab *lab, const char *file, const RgReadOptions *options);

/* The world of that def. NULL: the experiment has failed, said why. */
RgWorld *lab_world_create(Lab *lab, const RgWorldDef *def);

/* A preset of pgs: its law and its sweeps. */
typedef struct LabPgs {
    RgContactLaw law;
    RgPgsOptions pgs;
} LabPgs;
LabPgs lab_pgs(const char *preset);
/* Into def, which points to it; NULL: nothing. */
void lab_use_pgs(RgWorldDef *def, const LabPgs *pgs);

/* Part done, 0 ... 1; tells nothing if it goes back. */
void lab_progress(Lab *lab, double part);

/* Processor seconds of this process: speeds are ratios of two of them in one run. */
double lab_cpu(void);

/* ------------------------------------------------------------------ what it tells */

/* A row of expected.csv. NaN: there is no such value (it failed to be); it is then outside. Told twice, the
   experiment has failed. */
void lab_measured(Lab *lab, const char *row, double value);

/* The row's value is that of a yes or no: 1 or 0. */
void lab_holds(Lab *lab, const char *row, bool holds);

/* The row cannot be measured here, for a reason outside the experiment (too few processors, a file that is absent). */
void lab_skipped(Lab *lab, const char *row, const char *format, ...) RG_PRINTF(3, 4);

/* A line for the page: what else was seen, figures that belong to no row. */
void lab_say(Lab *lab, const char *format, ...) RG_PRINTF(2, 3);

/* The experiment cannot go on; its other rows are not measured. */
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
    LAB_DASHED /* what was published */
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

/* Drawn when the experiment is over. Never NULL. */
LabFigure *lab_figure(Lab *lab, const LabFigureDef *def);
/* The next points belong to a curve of this name. */
void lab_curve(LabFigure *figure, LabStyle style, const char *format, ...) RG_PRINTF(3, 4);
/* NaN breaks the curve. */
void lab_point(LabFigure *figure, double x, double y);

/* ------------------------------------------------------------------ films */

/* A recording of a world, to be played on the page: 60 frames a second at most. */
typedef struct LabFilm LabFilm;

/* NULL: it cannot be written, said in a line of the page; the others take NULL. rate: frames a second; 0: 60. */
LabFilm *lab_film(Lab *lab, const char *name, const char *title, RgWorld *world, double rate);
/* After every step: takes a frame where it is time to. */
void lab_film_step(LabFilm *film, RgWorld *world);
void lab_film_end(LabFilm *film);

#endif
