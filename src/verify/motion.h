/*
 * motion.h - how bodies go through one inner step, from the numbers of a certificate alone.
 *
 *   curve   centre of mass on a cubic through both places and velocities; turn R0 exp(w), w a cubic from 0 to
 *           log(R0' R1) whose rates at the ends give the angular velocities
 *   rates   maximal coordinates: centre straight, constant angular velocity; minimal: every joint at its constant
 *           velocity, bodies by the tree
 *
 * Time within a step is u = (time - t) / h, from 0 to 1. A body's frame stands at its centre of mass here.
 */
#ifndef RIGOR_MOTION_H
#define RIGOR_MOTION_H

#include "math/pose.h"
#include "verify/series.h"

/* A body at one end of a step. */
typedef struct RgBodyPlace {
    RgVec3 centre;
    RgQuat turn;
    RgVec3 velocity, w; /* of the centre; world axes */
} RgBodyPlace;

typedef enum RgTreeJoint {
    RG_TREE_HELIX, /* revolute, continuous, prismatic, screw: turn q about z, slide q along it */
    RG_TREE_CYLINDRICAL,
    RG_TREE_UNIVERSAL,
    RG_TREE_SPHERICAL,
    RG_TREE_PLANAR,
    RG_TREE_FREE
} RgTreeJoint;

/* A body of the tree and the joint that carries it. */
typedef struct RgTreeBody {
    int parent; /* lower than its own number; -1: the world */
    RgTreeJoint joint;
    int q0, v0; /* first of its positions and velocities */
    RgPose X_PF;
    double turn, slide;
    RgVec3 axis1;  /* universal: first axis in F */
    RgVec3 centre; /* of mass, in the body's frame */
} RgTreeBody;

/* Numbers of a joint kind by its name; false: no such kind. */
bool rg_tree_joint_find(const char *name, size_t length, RgTreeJoint *joint, int *nq, int *nv);

/* How one body moves. */
typedef struct RgMover {
    bool moves;
    RgMat3 R0;
    RgVec3 c[4], w[4]; /* coefficients in u; c[0] alone counts where it stands still */
} RgMover;

typedef struct RgMotionStep {
    const RgMover *movers; /* by body; not used by a tree */
    const RgTreeBody *tree;
    bool by_tree;
    double h;
    const double *q, *v; /* of a tree: at the start */
} RgMotionStep;

/* A body over an interval of time: x -> R x + c. */
typedef struct RgMoving {
    RgSeries33 R;
    RgSeries3 c;
} RgMoving;

/* False: a number is not finite, or the body turns by about half a turn or more. */
bool rg_mover_curve(const RgBodyPlace *begin, const RgBodyPlace *end, double h, RgMover *out);
void rg_mover_straight(const RgBodyPlace *begin, double h, RgMover *out);
void rg_mover_still(const RgBodyPlace *at, RgMover *out);

/* Pose at u, and all poses from u = a to b as functions of x in [-1, 1]. body -1: the world. False: it turns too far
   for one interval. */
RgPose rg_motion_pose(const RgMotionStep *step, int body, double u);
bool rg_motion_series(const RgMotionStep *step, int body, double a, double b, RgMoving *out);

#endif
