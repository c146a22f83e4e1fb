/*
 * tree_dynamics.h - the textbook algorithms on a kinematic tree, each from an RgKin to its result.
 *
 * Everything in world axes about the bodies' own origins, as in kinematics.h. With I_i the inertia of body i
 * about O_i:
 *   force on body i          f_i = I_i A_i + V_i x* I_i V_i - f_ext
 *   joint force              tau_k = S_k . (sum of f over the bodies beyond k)
 *   gravity                  the world accelerates upward: A_world = (0, -g)
 * Loops without recursion have a twin _plain: the same in plain words, with the same bits. The library calls
 * the fast one.
 */
#ifndef RIGOR_TREE_DYNAMICS_H
#define RIGOR_TREE_DYNAMICS_H

#include "kinematics/kinematics.h"

#include <rigor/dynamics.h>

/* Masses and inertias of two neighbouring bodies side by side, for loops that do two at once. Behind the last
   body of an odd number comes an empty one. */
typedef struct RgSolidPair {
    double mass[2], com[3][2], I[6][2]; /* I: xx yy zz xy xz yz */
} RgSolidPair;

/* A body, or a composite of bodies, in world axes: centre of mass from the body's origin, inertia about the
   centre. */
typedef struct RgCentral {
    RgVec3 c;
    RgSym3 I;
} RgCentral;

/* Mass m of a composite and how it merges into its parent's, which has m_p so far: m / (m + m_p) and
   m m_p / (m + m_p). */
typedef struct RgMerge {
    double total, share, reduced;
} RgMerge;

/* Two neighbouring velocities side by side, about the root of their tree: axis (w, b), and the force (n, f)
   that a unit acceleration takes. */
typedef struct RgAxisPair {
    double axis[6][2], force[6][2];
} RgAxisPair;

/* An articulated inertia about the body's origin, n = J w + B v, f = B' w + M v, and the force p that it
   takes to give no acceleration. */
typedef struct RgArticulated {
    RgSym3 J;
    RgMat3 B;
    RgSym3 M;
    RgForce p;
} RgArticulated;

/* Branch-sparse factor M = L' D L: row k of L holds its ancestors' entries left of the diagonal; inverse_d
   the inverses of D. */
typedef struct RgMassFactor {
    const RgModel *model;
    double *L;         /* entry k, j at k * stride + j */
    size_t stride;     /* nv, or less where there are many trees: see rg_mass_factor_take */
    double *inverse_d; /* nv */
} RgMassFactor;

/* Twists of a body at four vectors of joint velocities: w, then v, four numbers side by side. */
typedef struct RgFourTwists {
    double lanes[6][4];
} RgFourTwists;

/* Kinetic energies of four vectors of joint velocities (nv each; the same may stand twice), and the twists (nbodies
   each) of the first ones where they are wanted. */
#define RG_KINETICS_TWISTS 2
typedef struct RgKinetics {
    const double *u[4];
    RgMotion *V[RG_KINETICS_TWISTS]; /* NULL: not wanted */
    double T[4];                     /* J */
} RgKinetics;

/* Memory of the algorithms; taken once, then used again. Index -1 of A is the world. */
typedef struct RgTreeWork {
    const RgModel *model;
    RgMotion *A;                /* nbodies: accelerations */
    RgMotion *V;                /* nbodies: twists at other velocities than those of kin */
    RgFourTwists *four;         /* nbodies */
    double (*energy)[4];        /* nparts */
    RgForce *f;                 /* nbodies: forces */
    RgCentral *composite;       /* nbodies */
    RgVec3 *from_root;          /* nbodies: origin less that of the tree's root */
    RgAxisPair *axes;           /* (nv + 1) / 2 */
    RgArticulated *articulated; /* nbodies */
    RgForce *U;                 /* nv */
    double *u, *inverse_d;      /* nv */
    RgSolidPair *solids;        /* (nbodies + 1) / 2, constant */
    RgMerge *merge;             /* nbodies, constant */
    RgTreePart *parts;          /* nparts, constant: the trees, for several threads */
    int nparts;
    int *bad_dof; /* nparts: what a part found, -1: nothing */
} RgTreeWork;

RgTreeWork *rg_tree_work_take(RgArena *arena, const RgModel *model);

/* Memory of a factor. Entries k, j of a tree of at most w velocities have k - j < w, so with a stride of w
   no two of them share a place: the memory is linear in the number of trees. On failure L is NULL. */
RgMassFactor rg_mass_factor_take(RgArena *arena, const RgModel *model);

/* Inverse dynamics: tau = M a + b - J' f_ext. a NULL: zero. f_ext (nbodies, about body origins) NULL: none.
   Leaves accelerations in work->A and the forces that the joints carry in work->f. */
void rg_rnea(const RgKin *kin, RgVec3 gravity, const double *a, const RgForce *f_ext, RgTreeWork *work, double *tau);

/* M of a part, into the factor's L as rg_crba. */
void rg_part_mass(const RgKin *kin, const double *diagonal, RgTreeWork *work, RgTreePart part, const RgMassFactor *to);
/* The same, of the velocities of bodies that are moved (nbodies; what hangs on such a body is, too) with all above
   them. Other entries are left as they are, or are nothing. */
void rg_part_mass_beyond(const RgKin *kin, const double *diagonal, RgTreeWork *work, const bool *moved, RgTreePart part,
                         const RgMassFactor *to);

/* M of a part and its factor, the part of x of M^-1 x. As their namesakes. */
bool rg_part_factor(const RgKin *kin, const double *diagonal, RgTreeWork *work, RgMassFactor *to, RgTreePart part,
                    int *bad_dof);
void rg_part_solve(const RgMassFactor *factor, RgTreePart part, double *x);

/* Force f_i without f_ext of each body that moves as kin->V and A say. */
void rg_body_forces(const RgKin *kin, const RgSolidPair *solids, const RgMotion *A, RgTreePart part, RgForce *f);
void rg_body_forces_plain(const RgKin *kin, const RgMotion *A, RgForce *f);

/* Composite rigid bodies: lower part of M along the branches, into the factor's L, with diagonal (may be
   NULL) added. Entries between different branches are not written. */
void rg_crba(const RgKin *kin, const double *diagonal, RgTreeWork *work, const RgMassFactor *to);

/* The whole matrix (nv x nv row-major): both halves, zeros between branches. */
void rg_crba_whole(const RgKin *kin, const double *diagonal, RgTreeWork *work, double *H);

/* Its loops: bodies in world axes; axes and unit forces of the composites; rows of H without armature. A part begins
   with an even body and an even velocity. */
void rg_world_solids(const RgKin *kin, const RgSolidPair *solids, RgTreePart part, RgCentral *own);
void rg_world_solids_plain(const RgKin *kin, RgCentral *own);
void rg_unit_forces(const RgKin *kin, RgTreePart part, RgTreeWork *work);
void rg_unit_forces_plain(const RgKin *kin, RgTreeWork *work);
void rg_mass_rows(const RgModel *model, const RgAxisPair *axes, RgTreePart part, double *H, size_t stride, bool both);
void rg_mass_rows_plain(const RgModel *model, const RgAxisPair *axes, double *H, size_t stride, bool both);

/* M (from rg_crba) to its factor, in place. Returns false where a pivot is not positive; bad_dof
   names it. Then x = M^-1 x. */
bool rg_mass_factor_compute(RgMassFactor *factor, int *bad_dof);
bool rg_mass_factor_compute_part(RgMassFactor *factor, RgTreePart part, int *bad_dof);
bool rg_mass_factor_compute_plain(RgMassFactor *factor, int *bad_dof);
void rg_mass_factor_solve(const RgMassFactor *factor, double *x);

/* Half of a solve: L' y = x, where x is zero but for velocity k and those it hangs on, and so is y. With D of the
   factor, x1 . M^-1 x2 = y1 . D^-1 y2: what two forces do to each other costs no more than their common branch.
   x counts from velocity `first`, which is not above the root's. */
void rg_mass_factor_half(const RgMassFactor *factor, int k, int first, double *x);

/* Columns low ... high - 1 of a row that are not zero; none: both 0. */
typedef struct RgHalfSpan {
    int32_t low, high;
} RgHalfSpan;

/* Rows of a matrix, one for each velocity of some branches of a tree. */
typedef struct RgHalfBlock {
    size_t stride;             /* columns */
    int first, count;          /* velocities of the tree */
    int32_t *row;              /* count: which row, -1: none; ascending */
    RgHalfSpan *bodies, *dofs; /* count: spans of the outputs of bodies, of joint velocities */
    double *squares;           /* stride: squared length of each column is added */
} RgHalfBlock;

/* The same for many columns at once, and times D^-1/2: X (rows as the block says) becomes D^-1/2 L'^-1 X in the columns
   of span. A column is zero outside its branch. */
void rg_mass_factor_half_block(const RgMassFactor *factor, const RgHalfBlock *block, const RgHalfSpan *span, double *X);
/* The other half: L x = D^-1/2 x, where M^-1 = (D^-1/2 L^-1')' D^-1/2 L'^-1. */
void rg_part_solve_half(const RgMassFactor *factor, RgTreePart part, double *x);
void rg_mass_factor_solve_plain(const RgMassFactor *factor, double *x);

/* What acts on a tree. */
typedef struct RgTreeForces {
    RgVec3 gravity;
    const double *tau;      /* nv */
    const RgForce *f_ext;   /* nbodies, about body origins; NULL: none */
    const double *diagonal; /* nv, added to the diagonal of M; NULL: none */
} RgTreeForces;

/* Of a part: accelerations at dv = 0 without gravity; b - J' f_ext, given those (tau is not read). As
   rg_bias_acceleration, rg_rnea. */
void rg_part_bias(const RgKin *kin, RgTreePart part, RgMotion *A);
void rg_part_accelerations(const RgKin *kin, const double *a, RgTreePart part, RgMotion *A); /* at dv = a */
void rg_part_forces(const RgKin *kin, const RgTreeForces *forces, const RgMotion *bias, RgTreeWork *work,
                    RgTreePart part, double *tau);

/* Joint velocities whose accelerations are known (hybrid.c). */
typedef struct RgKnownRates {
    int n;           /* how many */
    bool *known;     /* nv */
    bool *moved;     /* nbodies: by a velocity that is not */
    double *a;       /* nv: of those; 0 elsewhere */
    double *missing; /* nv: out, effort beside tau that those take where the others do not accelerate */
    RgMassFactor M;  /* L: M + diagonal itself, of parts that have any */
} RgKnownRates;

/* False: no memory. */
bool rg_known_rates_take(RgArena *arena, const RgModel *model, RgKnownRates *out);

/* Hybrid dynamics of a part. The factor becomes that of M without the rows and columns of known velocities: M^-1 b is
   zero there. a (nv): accelerations, the known ones too. */
typedef struct RgHybrid {
    RgKnownRates *known;
    RgMassFactor *factor;
    double *a; /* nv: out */
} RgHybrid;
bool rg_part_hybrid(const RgKin *kin, const RgTreeForces *forces, RgTreeWork *work, const RgHybrid *hybrid,
                    RgTreePart part, int *bad_dof);
/* The factor alone; forces: their diagonal. */
bool rg_part_hybrid_factor(const RgKin *kin, const double *diagonal, RgTreeWork *work, const RgHybrid *hybrid,
                           RgTreePart part, int *bad_dof);
/* Effort beside tau of a known velocity, times h: where all velocities have changed by du (nv) in the time h. */
void rg_known_impulses(const RgKnownRates *known, double h, const double *du, double *impulse);

/* Articulated bodies: a = (M + diagonal)^-1 (tau - b + J' f_ext). False where a joint has no inertia
   beyond it; bad_dof names it. */
bool rg_aba(const RgKin *kin, const RgTreeForces *forces, RgTreeWork *work, double *a, int *bad_dof);

/* The rigid bodies themselves, as articulated inertias. */
void rg_rigid_bodies(const RgKin *kin, const RgSolidPair *solids, RgArticulated *out);
void rg_rigid_bodies_plain(const RgKin *kin, RgArticulated *out);

/* Velocity-product accelerations: A_i with dv = 0 and without gravity, into A (nbodies). */
void rg_bias_acceleration(const RgKin *kin, RgMotion *A);

/* Springs and dampers; q may be any position vector of the model. */
void rg_tree_passive(const RgModel *model, const double *q, const double *v, double *tau);

/* Displacement of a body's joint from rest, one a velocity: what its springs feel. */
void rg_body_displacement(const RgModel *model, int body, const double *q, double x[6]);

/* Of a part: kinetic energy where the bodies have the twists V of u; four of them at once. */
double rg_part_kinetic(const RgKin *kin, const double *u, const RgMotion *V, RgTreePart part);
void rg_part_kinetics(const RgKin *kin, RgTreePart part, RgTreeWork *work, RgKinetics *kinetics);

/* Momentum and energies. */
void rg_tree_momentum(const RgKin *kin, RgVec3 gravity, const double *q, const double *v, RgMomentum *out);

/* The sum of its energies alone. */
double rg_tree_energy(const RgKin *kin, RgVec3 gravity, const double *q, const double *v);

/* Poses, axes and twists of the last call of a workspace. */
const RgKin *rg_dynamics_kin(const RgDynamics *dynamics);

/* The diagonal of M (nv); a factor of M + diagonal for rg_mass_solve. Both write the workspace's factor. */
RgStatus rg_mass_diagonal(RgDynamics *dynamics, const double *q, double *out);
RgStatus rg_mass_factor_with(RgDynamics *dynamics, const double *q, const double *diagonal);

/* Wrenches on links (world axes, about link origins) summed into wrenches on bodies about body origins. */
void rg_gather_wrenches(const RgKin *kin, const RgForce *on_links, RgForce *on_bodies);

#endif
