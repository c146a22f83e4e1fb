/*
 * published.h - shared by the experiments published-*: variants of simulation, mean errors, published levels.
 *
 * The sources measure the mean over all steps of an error before each step; so does published_mean.
 */
#ifndef RIGOR_EXPERIMENT_PUBLISHED_H
#define RIGOR_EXPERIMENT_PUBLISHED_H

#include "experiment.h"

/* A variant of simulation. NULL: the default. */
typedef struct PublishedWay {
    const char *name; /* of its rows and curves */
    const char *coords, *stepper, *solver;
    const LabPgs *pgs;
    double accuracy; /* of stepper auto; 0: the default */
    bool no_erp;     /* overlaps are not corrected: ERP 0, as in the sources; for models that support it */
    bool whole;      /* not in the quick form */
} PublishedWay;

// clang-format off
/* The first ways of both robots in flight. */
#define PUBLISHED_PLAIN_WAYS                                                                                           \
    {.name = "default"}, {.name = "maximal", .coords = "maximal"}, {.name = "rk4", .stepper = "rk4"},                  \
    {.name = "rk4 maximal", .stepper = "rk4", .coords = "maximal"}
// clang-format on

/* NULL: the experiment has failed, with a message. */
RgWorld *published_world(Lab *lab, const RgModel *model, const PublishedWay *way, RgVec3 gravity);

/* Name of the row of a quantity and a variant: "quantity, way". Valid for the next four calls. */
const char *published_row(const char *quantity, const PublishedWay *way);

/* ------------------------------------------------------------------ runs */

typedef double PublishedErrorFn(RgWorld *world, void *context);

typedef struct PublishedRun {
    const char *name; /* of the variant; the page reports its time */
    double h, time;
    PublishedErrorFn *error;
    void *context;
    LabFigure *figure;                 /* may be NULL: errors go to its open curve ... */
    double every;                      /* ... at this interval, s */
    LabFilm *film;                     /* may be NULL */
    double progress_from, progress_to; /* parts of the whole experiment */
} PublishedRun;

/* Mean of the error before each step. NaN: a step was refused (reported) or the error is not finite. */
double published_mean(Lab *lab, RgWorld *world, const PublishedRun *run);

/* Ends the film and destroys the world and its model; each may be NULL. */
void published_end(LabFilm *film, RgWorld *world, RgModel *model);

/* ------------------------------------------------------------------ figures */

typedef struct PublishedLevel {
    const char *engine;
    double value;
} PublishedLevel;

/* Dashed level lines from x0 to x1. */
void published_levels(LabFigure *figure, const PublishedLevel *levels, int count, double x0, double x1);

/* The value as a row for each engine: "quantity, default v ENGINE". */
void published_against(Lab *lab, const char *quantity, const PublishedLevel *levels, int count, double value);

/* ------------------------------------------------------------------ all variants */

/* Mean error of one variant; its errors go to the figure's open curve. */
typedef double PublishedWayFn(Lab *lab, const PublishedWay *way, LabFigure *figure, bool filmed);

typedef struct PublishedTable {
    const char *quantity; /* of the rows */
    PublishedWayFn *run;
    const PublishedWay *ways; /* nways; the first is the default, compared with every level */
    int nways;
    const PublishedLevel *levels;
    int nlevels;
    int filmed;    /* index of the variant that is filmed */
    double x0, x1; /* of the level lines */
} PublishedTable;

/* Runs every variant of the form, with a curve and a row each. errors: nways, NaN for those not run. */
void published_ways(Lab *lab, const PublishedTable *table, LabFigure *figure, double *errors);

#endif
