/*
 * published_robot.h - a quadruped of simple shapes with ANYmal's masses and lengths in SimBenchmark: 33.9 kg, a floating
 * body and four legs of three free hinges.
 *
 * Source: the URDF of SimBenchmark's benchmarks (masses, centres, moments, hinges, sizes of shapes). Omitted: products
 * of inertia, the tilt of the feet, the sensor on the body (its 50 g are added to the body).
 */
#ifndef RIGOR_EXPERIMENT_PUBLISHED_ROBOT_H
#define RIGOR_EXPERIMENT_PUBLISHED_ROBOT_H

#include "experiment.h"

#define ROBOT_JOINTS 12

typedef struct PublishedRobot {
    RgLinkId base;
    int q[ROBOT_JOINTS], v[ROBOT_JOINTS]; /* indices of the hinges */
    double stand[ROBOT_JOINTS];           /* their angles in the standing posture, rad */
} PublishedRobot;

/* Adds the robot with its base at height z. */
void robot_add(RgBuilder *b, double z, const RgSurfaceDef *surface, bool self_collide);

/* Finds the robot in the model. False: the experiment has failed. */
bool robot_find(Lab *lab, const RgModel *model, PublishedRobot *out);

/* Sets the standing posture, the base upright at height z, at rest. */
bool robot_start(Lab *lab, const PublishedRobot *robot, RgWorld *world, double z);

#endif
