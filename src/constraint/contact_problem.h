/*
 * contact_problem.h - the contact problem of one step as a value: bodies, contact patches, bounded rows, joints, first
 * guess.
 *
 *   contacts (contact/), surfaces, velocities, h  -> patches with their law        contact_law.c, patch_points.c
 *   limits, motors, drives, user rows             -> bounded rows                  bounded_rows.c
 *   joints, loops, couplings, springs             -> bilateral rows                assemble_rows.c
 *   impulses of the last step                     -> first guess                   contact_warm.c
 *
 * It is made once and then only read; a solver writes the impulses (z, moment, joint_impulses: first guess, then the
 * solution). RgContactAsk holds everything that a stepper may choose per solve.
 */
#ifndef RIGOR_CONTACT_PROBLEM_H
#define RIGOR_CONTACT_PROBLEM_H

#include "constraint/bounded_rows.h"
#include "constraint/contact_law.h"
#include "contact/contact_scene.h"
#include "solver/patch_problem.h"
#include "solver/solver_table.h"

/* Constants of a body. */
typedef struct RgContactBody {
    bool free; /* moves alone: no joint to another body, no loop, no coupling */
    int group; /* number of the mechanism it belongs to; -1: a free body */
    bool held; /* held by a joint that is rows, or by a loop */
    double inverse_mass;
    double inverse_mechanism_mass; /* 1/kg: 1 / mass of the whole mechanism */
    RgSym3 inverse_inertia;        /* in body axes, about the centre of mass */
    double reach;                  /* m: extent of its mass: twice the radius of gyration */
} RgContactBody;

/* Scratch of rg_contact_update_mechanisms, nbodies each. */
typedef struct RgGrouping {
    bool *alone;
    int32_t *parent;
    double *mass;
} RgGrouping;

/* Constants of a world; they change only when joints are attached or released. */
typedef struct RgContactSetup {
    RgForm *form;
    RgConstraints *constraints;
    RgBounded *bounded; /* source of the bounded rows */
    RgContactBody *bodies;
    int ngroups; /* mechanisms of the model */
    RgGrouping grouping;
    RgSurfaces surfaces;
    const double *thin; /* nshapes, m (RgContactScene); NULL: unknown, no impact is transmitted through a gap */
    RgContactLaw law;
    const RgSolver *solver;
    RgRowOptions options;
    RgQuickOptions quick;
    const bool *asleep; /* nbodies; NULL: no body sleeps */
} RgContactSetup;

/* Target of the rows of joints, loops and couplings, where the solver has them as rows. */
typedef enum RgJointTarget {
    RG_JOINTS_CORRECT, /* correct the errors, by the part erp in a step */
    RG_JOINTS_HOLD,    /* zero velocity along the rows */
    RG_JOINTS_DRIFT,   /* the constraint drift -h Jdot u within the step */
    RG_JOINTS_KEEP     /* the velocity that is there already: rows were assembled and solved before, without contacts */
} RgJointTarget;

/* One solve. */
typedef struct RgContactAsk {
    double t, h;    /* s: start and length of the step */
    double span;    /* s: length of the outer step, in which hard drives reach their target */
    double located; /* rad or m: limits are located from this gap on; 0: they are not */
    double gravity; /* m/s^2, magnitude: deep overlaps (contact_law.h) */
    const RgContactView *contacts;
    const RgContactMemory *last; /* impulses of the last step */
    const double *u0;            /* nu: velocities at the start */
    const double *diagonal;      /* nv: addition of implicit springs and dampers to M; NULL: none */
    /* npoints: velocity of B against A that each point must have at the end of the step, instead of the one by its gap
       (tangents: only solvers of rows). NULL: gaps decide */
    const RgVec3 *velocities;
    RgJointTarget joints;
    const RgGivenSprings *springs; /* given spring and damper forces; NULL: computed from the present state */
    bool smooth;   /* the stepper integrates smooth motion exactly (contact_law.h, Newton's restitution) */
    bool implicit; /* springs and dampers that are rows act at the end of the step */
    bool account;  /* compute work and residual */
    /* joints whose motion u contains already, and the rows found with them; NULL: none */
    struct RgPrescribed *prescribed;
    const RgQuickOptions *quick; /* options of solver quick; NULL: those of the setup */
} RgContactAsk;

/* Beside each patch: its points and their laws. */
typedef struct RgPatchParts {
    int32_t point[RG_PATCH_POINTS]; /* numbers of the points in RgContactView */
    RgPointLaw law[RG_PATCH_POINTS];
    double conflict; /* largest share of its points in a contradiction of hard drives; 0: none */
} RgPatchParts;

/* Torsional and rolling friction of a patch. */
typedef struct RgPatchTurning {
    double torsion, rolling; /* m: bounds of the moments about the normal and across it, per normal force */
    double slip;             /* rad/s per N m about the normal */
    RgVec3 moment;           /* on B, N m s; first guess, then the solution */
} RgPatchTurning;

typedef struct RgContactProblem {
    RgContactAsk ask;
    const double *u_free; /* nu: velocities at the end of the step without contacts and bounded rows */
    const RgVec3 *centre; /* nbodies + 1: centres of mass, the world first; NULL: there are no contacts and no rows */
    int32_t npatches;
    RgPatch *patches;
    RgPatchParts *parts;     /* npatches */
    RgPatchTurning *turning; /* npatches; NULL: no surface has torsional or rolling friction */
    RgBoundedRow *rows;
    int nrows; /* rows that the views contain */
    /* behind those: rows that no view contains, of prescribed joints or solved in closed form (prescribed.h) */
    int nprescribed_rows;
    int nasleep_rows; /* behind those: rows of sleeping bodies only; they keep their impulses */
    /* Impulses of bilateral rows: first guess, then the solution; solvers that eliminate joints: the response to the
       other impulses. */
    double *joint_impulses;
    double *joint_correction;  /* m/s or rad/s: part of their targets that corrects errors by velocities */
    const double *joint_given; /* impulses that u_free contains already (second solve of Poisson's law); NULL: none */
    const double *u_moved;     /* nu: velocities that the moved moments of inertia have already; NULL: ask.u0 */
} RgContactProblem;

/* False: out of memory. scene: NULL if nothing can touch. out->rows: set already if joints are prescribed. */
bool rg_contact_problem_make(const RgContactSetup *setup, RgArena *arena, const RgContactScene *scene,
                             const RgContactAsk *ask, const double *u_free, RgContactProblem *out);

/* Removes empty patches among the first `places`. */
void rg_contact_compact_patches(RgContactProblem *p, int32_t places);

/* Number of bounded rows of all three groups. */
static inline int rg_contact_rows_total(const RgContactProblem *p)
{
    return p->nrows + p->nprescribed_rows + p->nasleep_rows;
}

/* Writes the bounded rows of a step to out (rg_bounded_room); those of sleeping bodies come last. */
void rg_contact_rows_find(const RgContactSetup *setup, const RgBoundedAsk *ask, RgContactProblem *out);

/* Body of a shape; -1: the world. */
int rg_contact_body(const RgModel *model, RgShapeId shape);

/* Sets of bodies that joints, loops and couplings connect (base/union_find.h). parent: nbodies. */
void rg_contact_sets(const RgModel *model, int32_t *parent);

/* Computes the constants of the bodies and their mechanisms; call when the loops of the model or the bodies inside
   carried fields change. */
void rg_contact_update_mechanisms(RgContactSetup *setup);

/* Whether a row acts on sleeping bodies only. */
bool rg_row_is_asleep(const RgContactSetup *setup, const RgRow *row);

/* Velocities at u of the bodies that patches touch: RG_BODY_PLACES a body, the world first; velocity of the centre of
   mass, then angular velocity. */
void rg_contact_velocities(const RgContactSetup *setup, const RgContactProblem *problem, const double *u, double *V);

/* Sets the first guess of the patches and bounded rows from the last step. impulses (one per contact point):
   scratch. */
void rg_warm_start_set(const RgContactSetup *setup, const RgContactScene *scene, RgVec3 *impulses,
                       RgContactProblem *problem);

/* Impulse of a slot in the last step, scaled to the length of this step. */
double rg_warm_start_impulse(const RgContactAsk *ask, int32_t slot);

/* Impulse of a patch on one of its bodies, about the body's centre: force, moment; without torsion and rolling. */
void rg_contact_patch_impulse(const RgPatch *patch, int side, double g[6]);

/* Adds J' g to out, g an impulse on a body (force, moment about its centre of mass). */
void rg_contact_push(const RgContactSetup *setup, const RgVec3 *centre, int body, const double g[6], double *out);

/* Limits the correction of a patch's overlap to the energy of the lighter side's mass at the target velocity
   (correction_bound.c). response: velocity along the normal per unit impulse, 1/kg. */
void rg_bound_correction(const RgContactSetup *setup, const RgContactProblem *problem, int32_t number, double response);
/* Patches marked by the solver get a target of at most 0 and zero impulses. Returns false if there are none. */
bool rg_drop_unreachable_corrections(const RgContactProblem *problem);
/* Whether a patch has an overlap to correct. */
bool rg_corrects(const RgContactProblem *problem, int32_t number);

#endif
