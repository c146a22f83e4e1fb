/* published_balls.h - the balls of SimBenchmark: a lattice of 6 x 6 x 6 over a floor, and a field of 7 x 7. */
#ifndef RIGOR_EXPERIMENT_PUBLISHED_BALLS_H
#define RIGOR_EXPERIMENT_PUBLISHED_BALLS_H

#include "published.h"

#define BALLS_SIDE 6 /* of the lattice */
#define BALLS_RADIUS 0.1
#define BALLS_MASS 10.0
#define BALLS_G 9.81

/* Pitch 0.21 m, each ball displaced by up to 1 mm along +x, +y and +z; lowest centres at `height`. No friction. */
RgModel *balls_lattice(Lab *lab, double height, double restitution);

/* 49 balls at that height, 2 m apart, elastic, without friction. */
RgModel *balls_field(Lab *lab, double height);

/* Sum of the squared overlaps of balls with each other and with the floor, m^2. */
double balls_overlap2(RgWorld *world, void *unused);

/* Square of the change of energy since *context (double, J); NaN there: since the first call. */
double balls_energy2(RgWorld *world, void *start);

/* A run of balls, and its film. */
typedef struct BallsRun {
    double h, time;
    PublishedErrorFn *error;
    void *context;
    const char *film, *film_title;
} BallsRun;

/* Mean of the error over a run of that model, which it destroys. */
double balls_mean(Lab *lab, RgModel *model, const PublishedWay *way, const BallsRun *run, LabFigure *figure,
                  bool filmed);

#endif
