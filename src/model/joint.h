/*
 * joint.h - interface of a joint kind. One file joint_x.c per kind; the list is RG_JOINT_LIST in rigor/model.h.
 *
 * A joint moves the child frame B relative to the frame F fixed to the parent. A kind defines
 *   X_FB(q)                pose of B in F
 *   S(q)   6 x nv          twist of B relative to F in B's axes at B's origin:  V_FB_B = S v
 *   dS/dt v                its rate at constant v, in B
 *   q + step               motion along a small velocity step, exact for constant v
 *   q1 - q0                the step from q0 to q1
 *   u -> du/dt             rate of the step u when B moves with v (identity if q is a plain vector)
 *   fit                    q of the nearest pose that the joint can reach
 * Both coordinate forms follow from this: the minimal form uses X and S, the maximal form the complement of S and the
 * residual pose after fit.
 *
 * F and B are rotated so that the axis of every one-axis kind is +z. These kinds (revolute, continuous, prismatic,
 * screw) rotate by `turn` q about z and slide by `slide` q along it, and their q is a plain number: one formula, which
 * the fast paths use for all of them.
 */
#ifndef RIGOR_JOINT_H
#define RIGOR_JOINT_H

#include "math/spatial.h"

#include <rigor/model.h>

#include <stdbool.h>

/* Constants of one joint for its kind. */
typedef struct RgJointGeometry {
    double turn, slide; /* helical kinds: rad and m per unit of q */
    RgVec3 axis1;       /* universal: first axis in F, unit; the second is z of B */
} RgJointGeometry;

typedef struct RgJointKind {
    const char *name;
    int nq, nv;
    bool helical;      /* X_FB: rotation about z and slide along z, S constant */
    bool has_axis;     /* RgJointDef.axis is used */
    bool is_length[6]; /* nv: the velocity is a translation, else a rotation */

    void (*motion)(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S);
    RgMotion (*bias)(const RgJointGeometry *g, const double *q, const double *v); /* NULL: S is constant in B */
    void (*neutral)(double *q);
    void (*integrate)(const double *q, const double *step, double *out);
    void (*difference)(const double *q0, const double *q1, double *step);
    void (*dexpinv)(const double *u, const double *v, double *rate); /* NULL: rate = v */
    void (*fit)(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q);
} RgJointKind;

/* Entry of the table; never NULL for a valid type. */
const RgJointKind *rg_joint_kind(RgJointType type);

/* Shared by kinds whose q is a plain vector of one or two numbers. */
void rg_joint_neutral_zero1(double *q);
static inline void rg_joint_integrate1(const double *q, const double *step, double *out)
{
    out[0] = q[0] + step[0];
}
void rg_joint_difference1(const double *q0, const double *q1, double *step);
void rg_joint_helical_motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S);
void rg_joint_fit_angle(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q);

void rg_joint_neutral_zero2(double *q);
void rg_joint_integrate2(const double *q, const double *step, double *out);
void rg_joint_difference2(const double *q0, const double *q1, double *step);

/* Fields of a kind that turns and slides about one axis; of one whose q is two numbers; of one with functions of its own
   in its file. */
#define RG_JOINT_HELICAL(fit_)                                                                                         \
    .nq = 1, .nv = 1, .helical = true, .has_axis = true, .motion = rg_joint_helical_motion,                            \
    .neutral = rg_joint_neutral_zero1, .integrate = rg_joint_integrate1, .difference = rg_joint_difference1,           \
    .fit = (fit_)
#define RG_JOINT_TWO                                                                                                   \
    .nq = 2, .nv = 2, .has_axis = true, .motion = motion, .neutral = rg_joint_neutral_zero2,                           \
    .integrate = rg_joint_integrate2, .difference = rg_joint_difference2, .fit = fit
#define RG_JOINT_FUNCTIONS                                                                                             \
    .motion = motion, .neutral = neutral, .integrate = integrate, .difference = difference, .fit = fit

/* Angle of a rotation about z; among those that differ by whole turns, the one nearest to near_angle. */
double rg_joint_angle_z(RgMat3 R, double near_angle);

#endif
