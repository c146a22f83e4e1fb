/*
 * joint_state.h - a joint between two frames that move on their own: what the poses and twists of F and G say
 * about it.
 *
 * In the maximal form, and for every loop joint, positions belong to bodies; the joint is a constraint. All
 * of it follows from the kind's motion subspace S, generically:
 *   q           fitted to the relative pose; what is left, E = X_FG(q)^-1 X_FG, is the error
 *   T           6 - nv wrenches with T'S = 0: directions in which the joint pushes back;   T'(V_G - V_F) = 0
 *   W           nv wrenches with W'S = 1:  v = W'(V_G - V_F)
 *   c           V_G x S v + (dS/dt) v:     T'(A_G - A_F - c) = 0 and dv/dt = W'(A_G - A_F - c)
 * In world axes, about the origin of G.
 */
#ifndef RIGOR_JOINT_STATE_H
#define RIGOR_JOINT_STATE_H

#include "model/joint.h"

/* T and W in the axes of G, a wrench a row. */
typedef struct RgJointBasis {
    double T[6][6]; /* 6 - nv rows */
    double W[6][6]; /* nv rows */
} RgJointBasis;

/* What is constant about a joint. */
typedef struct RgJointSpec {
    const RgJointKind *kind;
    RgJointGeometry geometry;
    bool hinge;    /* turns about z by q and does nothing else */
    bool constant; /* S does not depend on q: basis holds for good */
    /* T along the axes of the world as far as may be, forces first; else in the axes of G. The same directions in
       another mixture: solvers that go row by row converge otherwise. */
    bool along_world;
    RgJointBasis basis;
    int axis[6]; /* which unit vector each row T of it is, -1: none */
} RgJointSpec;

typedef struct RgJointState {
    double q[7], v[6];
    RgMotion S[6];
    RgForce W[6];
    RgForce T[6];
    double error[6]; /* T' log E, m and rad */
    int nv, nrows;   /* nrows = 6 - nv */
    RgMotion c;
    RgVec3 origin; /* of G */
} RgJointState;

RgJointSpec rg_joint_spec(const RgJointKind *kind, const RgJointGeometry *geometry);

/* T and W of the nv columns S. */
void rg_joint_basis(const RgMotion *S_G, int nv, RgJointBasis *out);

/* T of the nv columns S, 6 - nv of them, along the axes in which S is given, as far as may be, forces first. It follows
   S without jumps, but where the axis of a turn or shift passes 45 degrees to the vertical. */
void rg_joint_across(const RgMotion *S, int nv, RgForce *T);

/* V_FG: twists of F and G, both about the origin of G. near_q chooses among whole turns. */
void rg_joint_state(const RgJointSpec *spec, RgPose X_WF, RgPose X_WG, const RgMotion V_FG[2], const double *near_q,
                    RgJointState *out);

/* The same at other twists and the same poses: v and c anew. R_WG: turn of G. */
void rg_joint_rates(const RgJointSpec *spec, RgMat3 R_WG, const RgMotion V_FG[2], RgJointState *out);

#endif
