/*
 * motion.h - motion of bodies through one inner step, from the numbers of a certificate only.
 *
 *   curve   centre of mass on a cubic through both positions and velocities; rotation R0 exp(w), w a cubic from 0 to
 *           log(R0' R1) with rates that give the angular velocities at both ends
 *   rates   maximal coordinates: centre on a straight line, constant angular velocity; minimal coordinates: every joint
 *           at constant velocity, bodies by the tree
 *
 * Time within a step is u = (time - t) / h, from 0 to 1. Body frames have their origin at the centre of mass here.
 */
#ifndef RIGOR_MOTION_H
#define RIGOR_MOTION_H

#include "math/pose.h"
#include "verify/series.h"

/* A body at one end of a step. */
typedef struct RgBodyPlace {
    RgVec3 centre;
    RgQuat turn;
    RgVec3 velocity, w; /* of the centre; angular velocity; world axes */
} RgBodyPlace;

typedef enum RgTreeJoint {
    RG_TREE_HELIX, /* revolute, continuous, prismatic, screw: turn q about z, slide q along it */
    RG_TREE_CYLINDRICAL,
    RG_TREE_UNIVERSAL,
    RG_TREE_SPHERICAL,
    RG_TREE_PLANAR,
    RG_TREE_FREE
} RgTreeJoint;

/* A body of the tree, and its joint to the parent. */
typedef struct RgTreeBody {
    int parent; /* lower than its own number; -1: the world */
    RgTreeJoint joint;
    int q0, v0; /* index of its first position and velocity */
    RgPose X_PF;
    double turn, slide; /* helix: rad and m per unit of q, about and along z of F */
    RgVec3 axis1;       /* universal: first axis in F */
    RgVec3 centre;      /* of mass, in the body's frame */
} RgTreeBody;

/* Joint kind and its number of positions and velocities, by name; false: no such kind. */
bool rg_tree_joint_find(const char *name, size_t length, RgTreeJoint *joint, int *nq, int *nv);

/* Motion of one body. */
typedef struct RgMovingShape {
    bool moves;
    RgMat3 R0;
    RgVec3 c[4], w[4]; /* coefficients in u; of a body at rest only c[0] */
} RgMovingShape;

typedef struct RgMotionStep {
    const RgMovingShape *movers; /* nbodies; not used if by_tree */
    const RgTreeBody *tree;
    bool by_tree;
    double h;
    const double *q, *v; /* by_tree: joint positions at the start, velocities */
} RgMotionStep;

/* Enclosure of a body's pose over a time interval: x -> R x + c. */
typedef struct RgMoving {
    RgSeries33 R;
    RgSeries3 c;
} RgMoving;

/* False: a number is not finite, or the body turns by about half a turn or more. */
bool rg_mover_curve(const RgBodyPlace *begin, const RgBodyPlace *end, double h, RgMovingShape *out);
void rg_mover_straight(const RgBodyPlace *begin, double h, RgMovingShape *out);
void rg_mover_still(const RgBodyPlace *at, RgMovingShape *out);

/* Pose at u; enclosure of the poses from u = a to b as functions of x in [-1, 1]. body -1: the world. False: the body
   turns too far for one interval. */
RgPose rg_motion_pose(const RgMotionStep *step, int body, double u);
bool rg_motion_series(const RgMotionStep *step, int body, double a, double b, RgMoving *out);

#endif
