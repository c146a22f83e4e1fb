/*
 * joint.h - what a joint kind must know. One kind, one file joint_x.c; the list is RG_JOINT_LIST in
 * rigor/model.h.
 *
 * A joint moves the child frame B against the frame F fixed to the parent. A kind gives
 *   X_FB(q)                pose of B in F
 *   S(q)   6 x nv          twist of B against F in B's axes at B's origin:  V_FB_B = S v
 *   dS/dt v                its rate at constant v, seen in B
 *   q + step               motion along a small velocity step, exact for constant v
 *   q1 - q0                the step that leads from one to the other
 *   u -> du/dt             rate of the step u when B moves with v  (nothing to do where q is a plain vector)
 *   fit                    q from a pose, as near as the joint can come
 * Both coordinate forms follow from this: the minimal one uses X and S, the maximal one the complement of S
 * and the pose left over after fit.
 *
 * F and B are turned so that the axis of every one-axis kind is +z. These kinds (revolute, continuous,
 * prismatic, screw) turn by `turn` q about z and slide by `slide` q along it, and their q is a plain number: one
 * formula, which the fast paths use for all of them.
 */
#ifndef RIGOR_JOINT_H
#define RIGOR_JOINT_H

#include "math/spatial.h"

#include <rigor/model.h>

#include <stdbool.h>

/* Numbers of one joint that its kind needs. */
typedef struct RgJointGeometry {
    double turn, slide; /* helical kinds: rad and m per unit of q */
    RgVec3 axis1;       /* universal: first axis in F, unit; the second is z of B */
} RgJointGeometry;

typedef struct RgJointKind {
    const char *name;
    int nq, nv;
    bool helical;      /* X_FB = turn about z and slide along z, S constant */
    bool has_axis;     /* RgJointDef.axis counts */
    bool is_length[6]; /* nv: the velocity slides; else it turns */

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

/* Shared by kinds whose q is a plain vector of one or two or three numbers. */
void rg_joint_neutral_zero1(double *q);
static inline void rg_joint_integrate1(const double *q, const double *step, double *out)
{
    out[0] = q[0] + step[0];
}
void rg_joint_difference1(const double *q0, const double *q1, double *step);
void rg_joint_helical_motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S);
void rg_joint_turn_fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q);

/* Angle of a rotation about z, of the many that differ by whole turns the one nearest to near_angle. */
double rg_joint_angle_z(RgMat3 R, double near_angle);

#endif
