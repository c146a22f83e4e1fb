/*
 * gait.h - a quadruped that trots on the spot, or stands: its model, its start, and the controller of its feet.
 *
 * The robot is "Links" of papers 000, 001 and 002, models/links.sdf; any file with links
 * BODY0, LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT, joints LF_X_1, LF_Y_2, LF_Y_3 ..., and toes at the origins of the feet
 * will do.
 *
 *   period T = 0.3 s, of which a foot stands 0.75; LF and RH swing in phase [0, 0.25), RF and LH in [0.5, 0.75)
 *   swing path: clamped cubic spline through goal, goal + 3 cm, neutral + 3 cm, neutral at thirds of the swing
 *   tau = sum over feet J' [1000 N/m (x_goal - x) + 30 N s/m (v_goal - v)]   in the base frame, the base held still
 *
 * The controller depends only on time and state, so steps may be tried, halved and repeated; after gait_hold its efforts
 * are constant.
 */
#ifndef BENCH_GAIT_H
#define BENCH_GAIT_H

#include <rigor/rigor.h>

#define GAIT_FEET 4   /* LF, RF, LH, RH */
#define GAIT_JOINTS 3 /* of a leg */

/*
 * The robot of the file over a floor z <= 0, both of friction mu, without restitution and self collision.
 * foot_vertices 0: feet as in the file; else the spheres of the feet are hulls of so many points on them (a
 * Fibonacci lattice). NULL: error says why.
 */
RgModel *gait_model_create(const char *path, int foot_vertices, double mu, RgError *error);

/* The same, with the moment of inertia about z that the papers' own file gives the thighs (links *_LEG_2): 1.275e-3 kg
   m^2, ten times what it can be. For comparison with published figures. */
RgModel *gait_model_published(const char *path, int foot_vertices, double mu, RgError *error);

/* Sets the start of paper 000's runs: upright, at rest, toes 3.3 mm above the ground. */
RgStatus gait_start(RgWorld *world);

typedef struct GaitLeg {
    RgLinkId foot;
    int q[GAIT_JOINTS], v[GAIT_JOINTS];
    RgVec3 first;   /* in the base frame: where the toe's goal is at the start */
    RgVec3 neutral; /* and after its first swing */
    double lift;    /* phase at which it is lifted */
} GaitLeg;

typedef struct Gait {
    RgDynamics *dynamics;
    double *J;    /* 6 x nv */
    double *held; /* nv: efforts while holding */
    int nv;
    RgLinkId base;
    GaitLeg leg[GAIT_FEET];
    bool stands;  /* goals stay where they are at the start */
    bool holding; /* efforts are those of the last gait_hold */
} Gait;

/* NULL: the model has no such links, or out of memory. Goals of the start are those of gait_start. */
Gait *gait_create(const RgModel *model);
void gait_destroy(Gait *gait);

/* Input function of a world (RgWorldDef.input), with the gait as its context. */
void gait_input(const RgModel *model, const RgInputState *state, RgInput *input, void *gait);

/* Efforts of the world's present state are held until the next call. */
void gait_hold(Gait *gait, RgWorld *world);

/* Whether a foot swings at time t. */
bool gait_swings(const Gait *gait, int foot, double t);

/* Goal and velocity of a toe at time t, in the base frame; up: the world's vertical in that frame. */
typedef struct GaitGoal {
    RgVec3 x, v;
} GaitGoal;
GaitGoal gait_goal(const Gait *gait, int foot, double t, RgVec3 up);

#endif
