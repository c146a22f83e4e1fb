/*
 * pioneer.h - a drive of paper 003's Pioneer (models/pioneer.sdf): constant torques on its wheels, by one of the
 * methods.
 *
 * It is set down with its castor on the ground and its wheels 2.5 mm above it. It settles for SETTLE s; then time
 * begins, and the torques.
 */
#ifndef RIGOR_EXPERIMENT_PIONEER_H
#define RIGOR_EXPERIMENT_PIONEER_H

#include "ode_methods.h"

#define PIONEER_LEFT "left_axle"
#define PIONEER_RIGHT "right_axle"

typedef struct PioneerDef {
    const RgModel *model;
    const char *coords;
    OdeMethod by;
    double left, right; /* N m; positive: forward */
    double damping;     /* N m s/rad, of the axles (003, eq. 17) */
    double yaw_rate;    /* rad/s, given to it when the torques begin */
    double heading;     /* rad, at the start */
    double time;        /* s: ends then ... */
    double turns;       /* ... or after so many; 0: by time alone */
    const char *film;   /* its name; NULL: none */
    double film_rate;   /* frames a second */
    const char *title;  /* of the film */
} PioneerDef;

/* Where it was: along its first heading, to its left, and how far it had turned. */
typedef struct PioneerPlace {
    double t, along, aside, turned; /* s, m, m, rad */
    double rate;                    /* rad/s, of turning */
} PioneerPlace;

typedef struct PioneerPath {
    PioneerPlace *places; /* count, one every sample s */
    int count;
    double sample;
    double ended;        /* s */
    bool turned;         /* all the turns asked for */
    double joint_error;  /* m or rad, worst after a step */
    double most_pitched; /* rad: of the chassis' own z axis against the world's */
    double wheel_speed;  /* rad/s, of the faster wheel at the end */
} PioneerPath;

/* samples: places at most. The caller frees places. */
PioneerPath pioneer_drive(Lab *lab, const PioneerDef *def, int samples);

/* Largest distance of a place of a from the way of b, whenever that was there. */
double pioneer_paths_apart(const PioneerPath *a, const PioneerPath *b);

/* The path to the open curve of the figure. */
void pioneer_draw(LabFigure *figure, const PioneerPath *path);

#endif
