/*
 * tree_dynamics.h - the textbook algorithms on a kinematic tree, each from an RgKin to its result.
 *
 * Everything in world axes about the bodies' own origins, as in kinematics.h. With I_i the inertia of body i about O_i:
 *   force on body i          f_i = I_i A_i + V_i x* I_i V_i - f_ext
 *   joint force              tau_k = S_k . (sum of f over the bodies beyond k)
 *   gravity                  the world accelerates upward: A_world = (0, -g)
 */
#ifndef RIGOR_TREE_DYNAMICS_H
#define RIGOR_TREE_DYNAMICS_H

#include "kinematics/kinematics.h"

#include <rigor/dynamics.h>

/* Inertias in world axes about body origins: m, h = m c, I. */
typedef struct RgWorldInertia {
    double m;
    RgVec3 h;
    RgSym3 I;
} RgWorldInertia;

/* Branch-sparse factor M = L' D L: row k of L holds its ancestors' entries left of the diagonal; inverse_d the inverses of D. */
typedef struct RgMassFactor {
    const RgModel *model;
    double *L;         /* nv x nv row-major, lower part */
    double *inverse_d; /* nv */
} RgMassFactor;

/* Memory of the algorithms; taken once, then used again. */
typedef struct RgTreeWork {
    const RgModel *model;
    RgMotion *A;               /* nbodies: accelerations */
    RgForce *f;                /* nbodies: forces */
    RgWorldInertia *composite; /* nbodies */
    struct RgArticulated *articulated; /* nbodies */
    RgForce *U;                /* nv */
    double *u, *inverse_d;     /* nv */
    double *soa;               /* 9 * nv: axes and origins, a component an array */
} RgTreeWork;

RgTreeWork *rg_tree_work_take(RgArena *arena, const RgModel *model);

/* Inverse dynamics: tau = M a + b - J' f_ext. a NULL: zero. f_ext (nbodies, about body origins) NULL: none. Leaves accelerations in
   work->A and the forces that the joints carry in work->f. */
void rg_rnea(const RgKin *kin, RgVec3 gravity, const double *a, const RgForce *f_ext, RgTreeWork *work, double *tau);

/* Composite rigid bodies: lower part of M along the branches, into H (nv x nv row-major), with diagonal (may be NULL) added. Entries
   between different branches are not written. */
void rg_crba(const RgKin *kin, const double *diagonal, RgTreeWork *work, double *H);

/* H (from rg_crba) to factor, in place: factor->L is H. Returns false where a pivot is not positive; bad_dof names it. */
bool rg_mass_factor_compute(RgMassFactor *factor, int *bad_dof);
void rg_mass_factor_solve(const RgMassFactor *factor, double *x);

/* Articulated bodies: a = (M + diagonal)^-1 (tau - b + J' f_ext). False where a joint has no inertia beyond it; bad_dof names it. */
bool rg_aba(const RgKin *kin, RgVec3 gravity, const double *tau, const RgForce *f_ext, const double *diagonal, RgTreeWork *work,
            double *a, int *bad_dof);

/* Velocity-product accelerations: A_i with dv = 0 and without gravity, into A (nbodies). */
void rg_bias_acceleration(const RgKin *kin, RgMotion *A);

/* Springs and dampers; q may be any position vector of the model. */
void rg_tree_passive(const RgModel *model, const double *q, const double *v, double *tau);

/* Displacement of each velocity's coordinate from rest: what a spring feels. */
void rg_tree_displacement(const RgModel *model, const double *q, double *displacement);

/* Momentum and energies. */
void rg_tree_momentum(const RgKin *kin, RgVec3 gravity, const double *q, const double *v, RgMomentum *out);

/* Wrenches on links (world axes, about link origins) summed into wrenches on bodies about body origins. */
void rg_gather_wrenches(const RgKin *kin, const RgForce *on_links, RgForce *on_bodies);

#endif
