/*
 * published_robot.h - a quadruped with the masses and lengths of ANYmal as SimBenchmark has them, of simple shapes:
 * 33.9 kg, a floating body and four legs of three hinges that turn freely.
 *
 * Facts: the URDF of SimBenchmark's benchmarks (masses, centres, moments, hinges, sizes of shapes). Left aside:
 * products of inertia, the tilt of the feet, the sensor on the body (its 50 g are part of the body).
 */
#ifndef RIGOR_EXPERIMENT_PUBLISHED_ROBOT_H
#define RIGOR_EXPERIMENT_PUBLISHED_ROBOT_H

#include "experiment.h"

#define ROBOT_JOINTS 12

typedef struct PublishedRobot {
    RgLinkId base;
    int q[ROBOT_JOINTS], v[ROBOT_JOINTS]; /* where the hinges stand */
    double stand[ROBOT_JOINTS];           /* their angles as it stands, rad */
} PublishedRobot;

/* Adds it with its base at height z; its links may touch each other where self_collide says so. */
void robot_add(RgBuilder *b, double z, const RgSurfaceDef *surface, bool self_collide);

/* Where it is in the model. False: it is not (the experiment has failed). */
bool robot_find(Lab *lab, const RgModel *model, PublishedRobot *out);

/* Hinges as it stands, the base upright at height z, all at rest. */
bool robot_start(Lab *lab, const PublishedRobot *robot, RgWorld *world, double z);

#endif
