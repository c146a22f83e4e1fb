/*
 * pioneer.h - a drive of paper 003's Pioneer (models/pioneer.sdf): constant torques on its wheels, by one of the
 * methods.
 *
 * The robot starts with its castor on the ground and its wheels 2.5 mm above. It settles for SETTLE s; then time and
 * torques begin.
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
    double yaw_rate;    /* rad/s, set when the torques begin */
    double heading;     /* rad, at the start */
    double time;        /* s: end of the drive ... */
    double turns;       /* ... or number of turns, if reached earlier; 0: no limit */
    const char *film;   /* its name; NULL: none */
    double film_rate;   /* 1/s */
    const char *title;  /* of the film */
} PioneerDef;

/* A sample: distance along the first heading, to its left, and yaw angle. */
typedef struct PioneerPlace {
    double t, along, aside, turned; /* s, m, m, rad */
    double rate;                    /* rad/s, of turning */
} PioneerPlace;

typedef struct PioneerPath {
    PioneerPlace *places; /* count, one every sample s */
    int count;
    double sample;
    double ended;        /* s */
    bool turned;         /* all requested turns */
    double joint_error;  /* m or rad, worst after a step */
    double most_pitched; /* rad: of the chassis' own z axis against the world's */
    double wheel_speed;  /* rad/s, of the faster wheel at the end */
} PioneerPath;

/* samples: places at most. The caller frees places. */
PioneerPath pioneer_drive(Lab *lab, const PioneerDef *def, int samples);

/* Largest distance of a place of a from the path of b, at any time. */
double pioneer_paths_apart(const PioneerPath *a, const PioneerPath *b);

/* Adds the path to the open curve of the figure. */
void pioneer_draw(LabFigure *figure, const PioneerPath *path);

#endif
