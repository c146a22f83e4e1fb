/*
 * tree_dynamics.h - textbook algorithms for kinematic trees, from an RgKin to their results.
 *
 * World axes, about the bodies' own origins, as in kinematics.h. With I_i the inertia of body i about O_i:
 *   force on body i          f_i = I_i A_i + V_i x* I_i V_i - f_ext
 *   joint force              tau_k = S_k . (sum of f over the bodies beyond k)
 *   gravity                  as an upward acceleration of the world: A_world = (0, -g)
 * Functions named _plain define the computation of a vectorised function and give the same bits; the library calls the
 * vectorised one.
 */
#ifndef RIGOR_TREE_DYNAMICS_H
#define RIGOR_TREE_DYNAMICS_H

#include "kinematics/kinematics.h"

#include <rigor/dynamics.h>

/* Masses and inertias of two consecutive bodies side by side. For an odd number of bodies the last lane is zero. */
typedef struct RgInertiaPair {
    double mass[2], com[3][2], I[6][2]; /* I: xx yy zz xy xz yz */
} RgInertiaPair;

/* A body, or a composite of bodies, in world axes: c: centre of mass relative to the body's origin; I: inertia about
   the centre of mass. */
typedef struct RgCentralInertia {
    RgVec3 c;
    RgSym3 I;
} RgCentralInertia;

/* Merging a composite of mass m into its parent's composite of mass m_p so far: total = m, share = m / (m + m_p),
   reduced = m m_p / (m + m_p). */
typedef struct RgMerge {
    double total, share, reduced;
} RgMerge;

/* Two consecutive velocities side by side, about the root of their tree: axis (w, b), and force (n, f) of a unit
   acceleration. */
typedef struct RgAxisPair {
    double axis[6][2], force[6][2];
} RgAxisPair;

/* Articulated inertia about the body's origin, n = J w + B v, f = B' w + M v, and the bias force p at zero
   acceleration. */
typedef struct RgArticulated {
    RgSym3 J;
    RgMat3 B;
    RgSym3 M;
    RgForce p;
} RgArticulated;

/* Branch-sparse factor M = L' D L. Row k of L holds the entries of k's ancestors, left of the diagonal; inverse_d: 1 /
   D.
   */
typedef struct RgMassFactor {
    const RgModel *model;
    double *L;         /* entry k, j at k * stride + j */
    size_t stride;     /* at most nv; less with many trees, see rg_mass_factor_alloc */
    double *inverse_d; /* nv */
} RgMassFactor;

/* Twists of a body for four vectors of joint velocities: w, then v; four numbers side by side. */
typedef struct RgFourTwists {
    double lanes[6][4];
} RgFourTwists;

/* Kinetic energies for four vectors of joint velocities (nv each; duplicates are allowed), and the twists (nbodies
   each) for the first ones. */
#define RG_KINETICS_TWISTS 2
typedef struct RgKinetics {
    const double *u[4];
    RgMotion *V[RG_KINETICS_TWISTS]; /* out; NULL: not requested */
    double T[4];                     /* out, J */
} RgKinetics;

/* Memory of the algorithms, allocated once. A[-1] is the acceleration of the world. */
typedef struct RgTreeWork {
    const RgModel *model;
    RgMotion *A;                 /* nbodies: accelerations */
    RgMotion *V;                 /* nbodies: twists at velocities other than those of kin */
    RgFourTwists *four;          /* nbodies */
    double (*energy)[4];         /* nparts: kinetic energies of a part */
    RgForce *f;                  /* nbodies: forces */
    RgCentralInertia *composite; /* nbodies */
    RgVec3 *from_root;           /* nbodies: origin relative to that of the tree's root */
    RgAxisPair *axes;            /* (nv + 1) / 2 */
    RgArticulated *articulated;  /* nbodies */
    RgForce *U;                  /* nv */
    double *u, *inverse_d;       /* nv */
    RgInertiaPair *solids;       /* (nbodies + 1) / 2, constant */
    RgMerge *merge;              /* nbodies, constant */
    RgTreePart *parts;           /* nparts, constant: the trees, for several threads */
    int nparts;
    int *bad_dof; /* nparts: velocity with a pivot that is not positive; -1: none */
} RgTreeWork;

RgTreeWork *rg_tree_work_alloc(RgArena *arena, const RgModel *model);

/* Allocates a factor. Entries k, j of a tree with at most w velocities have k - j < w, so with a stride of w no two
   entries coincide, and memory is linear in the number of trees. On failure L is NULL. */
RgMassFactor rg_mass_factor_alloc(RgArena *arena, const RgModel *model);

/* Inverse dynamics: tau = M a + b - J' f_ext. a NULL: zero. f_ext (nbodies, about body origins) NULL: none. On return
   work->A holds the accelerations, work->f the forces through the joints. */
void rg_rnea(const RgKin *kin, RgVec3 gravity, const double *a, const RgForce *f_ext, RgTreeWork *work, double *tau);

/* M of a part, written to the L of a factor as by rg_crba. */
void rg_part_mass(const RgKin *kin, const double *diagonal, RgTreeWork *work, RgTreePart part, const RgMassFactor *to);
/* The same for the rows of the velocities of moved bodies (nbodies; descendants of moved bodies are moved). Other rows
   are undefined. */
void rg_part_mass_moved(const RgKin *kin, const double *diagonal, RgTreeWork *work, const bool *moved, RgTreePart part,
                        const RgMassFactor *to);

/* M and its factor for a part; the part of x = M^-1 x. As rg_crba, rg_mass_factor_compute and rg_mass_factor_solve. */
bool rg_part_factor(const RgKin *kin, const double *diagonal, RgTreeWork *work, RgMassFactor *to, RgTreePart part,
                    int *bad_dof);
void rg_part_solve(const RgMassFactor *factor, RgTreePart part, double *x);

/* Forces f_i, without f_ext, for the twists kin->V and accelerations A. */
void rg_body_forces(const RgKin *kin, const RgInertiaPair *solids, const RgMotion *A, RgTreePart part, RgForce *f);
void rg_body_forces_plain(const RgKin *kin, const RgMotion *A, RgForce *f);

/* Composite-rigid-body algorithm: lower triangle of M along the branches, written to the factor's L, plus diagonal (may
   be NULL). Entries between different branches are not written. */
void rg_crba(const RgKin *kin, const double *diagonal, RgTreeWork *work, const RgMassFactor *to);

/* The full matrix (nv x nv row-major): both triangles, zeros between branches. */
void rg_crba_whole(const RgKin *kin, const double *diagonal, RgTreeWork *work, double *H);

/* Stages of the algorithm: bodies in world axes; axes and unit forces of the composites; rows of H without armature. A
   part begins at an even body and an even velocity. */
void rg_world_inertias(const RgKin *kin, const RgInertiaPair *solids, RgTreePart part, RgCentralInertia *own);
void rg_world_inertias_plain(const RgKin *kin, RgCentralInertia *own);
void rg_unit_forces(const RgKin *kin, RgTreePart part, RgTreeWork *work);
void rg_unit_forces_plain(const RgKin *kin, RgTreeWork *work);
void rg_mass_rows(const RgModel *model, const RgAxisPair *axes, RgTreePart part, double *H, size_t stride, bool both);
void rg_mass_rows_plain(const RgModel *model, const RgAxisPair *axes, double *H, size_t stride, bool both);

/* Factors M (from rg_crba) in place. False: a pivot is not positive; *bad_dof is its velocity. rg_mass_factor_solve:
   x = M^-1 x. */
bool rg_mass_factor_compute(RgMassFactor *factor, int *bad_dof);
bool rg_mass_factor_compute_part(RgMassFactor *factor, RgTreePart part, int *bad_dof);
bool rg_mass_factor_compute_plain(RgMassFactor *factor, int *bad_dof);
void rg_mass_factor_solve(const RgMassFactor *factor, double *x);

/* Half of a solve: L' y = x in place, for x that is zero except at velocity k and its ancestors; then so is y. With D
   of the factor, x1 . M^-1 x2 = y1 . D^-1 y2: the coupling of two forces costs only their common branch. x[0] is
   velocity `first`, at most that of the root. */
void rg_mass_factor_half_solve(const RgMassFactor *factor, int k, int first, double *x);

/* Nonzero columns low ... high - 1 of a row; none: both 0. */
typedef struct RgHalfSpan {
    int32_t low, high;
} RgHalfSpan;

/* A matrix with one row per velocity of some branches of a tree. */
typedef struct RgHalfBlock {
    size_t stride;             /* columns */
    int first, count;          /* range of velocities of the tree */
    int32_t *row;              /* count: row of a velocity, -1: none; ascending */
    RgHalfSpan *bodies, *dofs; /* count: spans of the columns that belong to bodies, and to joint velocities */
    double *squares;           /* stride: accumulates the squared length of each column */
} RgHalfBlock;

/* Half solve of many columns at once, scaled by D^-1/2: X (rows as in block) becomes D^-1/2 L'^-1 X in the columns of
   span. A column is zero outside its branch. */
void rg_mass_factor_half_solve_block(const RgMassFactor *factor, const RgHalfBlock *block, const RgHalfSpan *span,
                                     double *X);
/* The other half: L x = D^-1/2 x, since M^-1 = (D^-1/2 L^-1')' D^-1/2 L'^-1. */
void rg_part_solve_half(const RgMassFactor *factor, RgTreePart part, double *x);
void rg_mass_factor_solve_plain(const RgMassFactor *factor, double *x);

/* Forces on a tree. */
typedef struct RgTreeForces {
    RgVec3 gravity;
    const double *tau;      /* nv */
    const RgForce *f_ext;   /* nbodies, about body origins; NULL: none */
    const double *diagonal; /* nv, added to the diagonal of M; NULL: none */
} RgTreeForces;

/* For a part: velocity-product accelerations (dv = 0, without gravity), and the forces b - J' f_ext for these (tau of
   forces is not used). As rg_velocity_product_accelerations and rg_rnea. */
void rg_part_bias(const RgKin *kin, RgTreePart part, RgMotion *A);
void rg_part_accelerations(const RgKin *kin, const double *a, RgTreePart part, RgMotion *A); /* dv = a, no gravity */
void rg_part_forces(const RgKin *kin, const RgTreeForces *forces, const RgMotion *bias, RgTreeWork *work,
                    RgTreePart part, double *tau);

/* Joint velocities with prescribed accelerations (hybrid.c). */
typedef struct RgKnownRates {
    int n;           /* number of known velocities */
    bool *known;     /* nv */
    bool *moved;     /* nbodies: some velocity between the body and its root is not known */
    double *a;       /* nv: prescribed accelerations; 0 elsewhere */
    double *missing; /* nv: out: effort on known velocities in addition to tau, for zero acceleration of the others */
    RgMassFactor M;  /* L: M + diagonal, not factored; of parts with unknown velocities */
} RgKnownRates;

/* Allocates out. False: out of memory. */
bool rg_known_rates_alloc(RgArena *arena, const RgModel *model, RgKnownRates *out);

/* Hybrid dynamics of a part. The factor becomes that of M without the rows and columns of known velocities, for which
   M^-1 b is zero. a (nv): accelerations, including the known ones. */
typedef struct RgHybrid {
    RgKnownRates *known;
    RgMassFactor *factor;
    double *a; /* nv: out */
} RgHybrid;
bool rg_part_hybrid(const RgKin *kin, const RgTreeForces *forces, RgTreeWork *work, const RgHybrid *hybrid,
                    RgTreePart part, int *bad_dof);
/* The factor only. */
bool rg_part_hybrid_factor(const RgKin *kin, const double *diagonal, RgTreeWork *work, const RgHybrid *hybrid,
                           RgTreePart part, int *bad_dof);
/* Impulses on known velocities in addition to tau over the time h, if all velocities change by du (nv). */
void rg_known_impulses(const RgKnownRates *known, double h, const double *du, double *impulse);

/* Articulated-body algorithm: a = (M + diagonal)^-1 (tau - b + J' f_ext). False: a joint moves no inertia; *bad_dof is
   its velocity. */
bool rg_aba(const RgKin *kin, const RgTreeForces *forces, RgTreeWork *work, double *a, int *bad_dof);

/* Inertias and bias forces of the single bodies, as articulated inertias. */
void rg_rigid_bodies(const RgKin *kin, const RgInertiaPair *solids, RgArticulated *out);
void rg_rigid_bodies_plain(const RgKin *kin, RgArticulated *out);

/* Velocity-product accelerations: A_i with dv = 0 and without gravity. A: nbodies. */
void rg_velocity_product_accelerations(const RgKin *kin, RgMotion *A);

/* Joint forces of springs and dampers. */
void rg_tree_passive_forces(const RgModel *model, const double *q, const double *v, double *tau);

/* Displacement of a body's joint from the rest position of its springs; one number per velocity. */
void rg_body_displacement(const RgModel *model, int body, const double *q, double x[6]);

/* Kinetic energy of a part at joint velocities u, whose twists are V; and for four velocity vectors at once. */
double rg_part_kinetic(const RgKin *kin, const double *u, const RgMotion *V, RgTreePart part);
void rg_part_kinetics(const RgKin *kin, RgTreePart part, RgTreeWork *work, RgKinetics *kinetics);

/* Momentum and energies. */
void rg_tree_momentum(const RgKin *kin, RgVec3 gravity, const double *q, const double *v, RgMomentum *out);

/* Kinetic plus potential energy. */
double rg_tree_energy(const RgKin *kin, RgVec3 gravity, const double *q, const double *v);

/* Kinematics of the last call on a workspace. */
const RgKin *rg_dynamics_kinematics(const RgDynamics *dynamics);

/* The diagonal of M (nv); the factor of M + diagonal, for rg_mass_solve. Both overwrite the workspace's factor. */
RgStatus rg_mass_diagonal(RgDynamics *dynamics, const double *q, double *out);
RgStatus rg_mass_factor_with(RgDynamics *dynamics, const double *q, const double *diagonal);

/* Wrenches on links (world axes, about link origins) summed into wrenches on bodies about body origins. */
void rg_gather_wrenches(const RgKin *kin, const RgForce *on_links, RgForce *on_bodies);

#endif
