/*
 * joint_state.h - state of a joint between two frames F and G, from their poses and twists.
 *
 * In the maximal form, and for every loop joint, positions belong to bodies; the joint is a constraint. Everything
 * follows from the kind's motion subspace S:
 *   q           fitted to the relative pose; the remaining part, E = X_FG(q)^-1 X_FG, is the error
 *   T           6 - nv wrenches with T'S = 0: constraint directions;       T'(V_G - V_F) = 0
 *   W           nv wrenches with W'S = 1:  v = W'(V_G - V_F)
 *   c           V_G x S v + (dS/dt) v:     T'(A_G - A_F - c) = 0 and dv/dt = W'(A_G - A_F - c)
 * In world axes, about the origin of G.
 */
#ifndef RIGOR_JOINT_STATE_H
#define RIGOR_JOINT_STATE_H

#include "model/joint.h"

/* T and W in the axes of G, one wrench per row. */
typedef struct RgJointBasis {
    double T[6][6]; /* 6 - nv rows */
    double W[6][6]; /* nv rows */
} RgJointBasis;

/* Constants of a joint. */
typedef struct RgJointSpec {
    const RgJointKind *kind;
    RgJointGeometry geometry;
    bool hinge;    /* rotates about z by q and has no other motion */
    bool constant; /* S does not depend on q: basis is constant */
    /* T along the world axes as far as possible, forces first; otherwise in the axes of G. Both span the same space,
       but row-wise solvers converge differently. */
    bool along_world;
    RgJointBasis basis;
    int axis[6]; /* index of the unit vector that each row T of the basis equals; -1: none */
} RgJointSpec;

typedef struct RgJointState {
    double q[7], v[6];
    RgMotion S[6];
    RgForce W[6];
    RgForce T[6];
    double error[6]; /* T' log E, m and rad */
    int nv, nrows;   /* nrows = 6 - nv */
    RgMotion c;
    RgVec3 origin; /* origin of G */
} RgJointState;

RgJointSpec rg_joint_spec(const RgJointKind *kind, const RgJointGeometry *geometry);

/* Computes T and W of the nv columns S. */
void rg_joint_basis(const RgMotion *S_G, int nv, RgJointBasis *out);

/* Computes T (6 - nv wrenches) of the nv columns S, along the axes in which S is given as far as possible, forces
   first. T is continuous in S, except where the axis of a rotation or translation passes 45 degrees to the vertical. */
void rg_joint_across(const RgMotion *S, int nv, RgForce *T);

/* Computes the state. V_FG: twists of F and G, both about the origin of G. near_q selects among whole turns. */
void rg_joint_state(const RgJointSpec *spec, RgPose X_WF, RgPose X_WG, const RgMotion V_FG[2], const double *near_q,
                    RgJointState *out);

/* Updates v and c for other twists at the same poses. R_WG: rotation of G. */
void rg_joint_rates(const RgJointSpec *spec, RgMat3 R_WG, const RgMotion V_FG[2], RgJointState *out);

#endif
