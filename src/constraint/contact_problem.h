/*
 * contact_problem.h - what one step asks of a solver, as a value: bodies, contact patches, bounded rows, joints, first
 * guess.
 *
 *   contacts (contact/), surfaces, velocities, h  -> patches with their law        contact_law.c, patch_points.c
 *   limits, motors, drives, user rows             -> bounded rows                  bounded_rows.c
 *   joints, loops, couplings, springs             -> bilateral rows                assemble_rows.c
 *   impulses of the last step                     -> first guess                   contact_warm.c
 *
 * Made once, then only read; a solver writes the impulses (z, moment, joint_impulses: first guess, then the solution).
 * Everything that a stepper wants different for one solve is in RgContactAsk.
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
    bool free; /* moves alone: no neighbour, no loop, no coupling */
    int group; /* of those that do not: number of the mechanism it belongs to; -1 for free ones */
    bool held; /* by a joint that is rows, or by a loop */
    double inverse_mass;
    double inverse_whole;   /* 1 / mass of all that joints and loops hold to it */
    RgSym3 inverse_inertia; /* in body axes, about the centre of mass */
    double reach;           /* m: how far its mass is spread, twice the radius of gyration */
} RgContactBody;

/* Scratch of rg_contact_regroup, nbodies each. */
typedef struct RgGrouping {
    bool *alone;
    int32_t *parent;
    double *mass;
} RgGrouping;

/* What is the same in every step of a world, but for joints that are attached and released. */
typedef struct RgContactSetup {
    RgForm *form;
    RgConstraints *constraints;
    RgBounded *bounded; /* what bounded rows are made from */
    RgContactBody *bodies;
    int ngroups; /* mechanisms of the model */
    RgGrouping grouping;
    RgSurfaces surfaces;
    const double *thin; /* nshapes (RgContactScene); NULL: not known, nothing sinks in */
    RgContactLaw law;
    const RgSolver *solver;
    RgRowOptions options;
    RgQuickOptions quick;
    const bool *asleep; /* nbodies; NULL: none sleeps */
} RgContactSetup;

/* What rows of joints, loops and couplings aim at, where a solver takes them as rows. */
typedef enum RgJointTarget {
    RG_JOINTS_CORRECT, /* their errors, by the part erp in a step */
    RG_JOINTS_HOLD,    /* no velocity along them */
    RG_JOINTS_DRIFT,   /* the drift -h Jdot u within the step */
    RG_JOINTS_KEEP     /* the velocity that is there already: they are as assembled, and solved without contacts */
} RgJointTarget;

/* One solve. */
typedef struct RgContactAsk {
    double t, h;    /* s: start and length of the step */
    double span;    /* s: length of the outer step, within which hard drives arrive */
    double located; /* rad or m: limits are located from this gap on; 0: they are not */
    double gravity; /* m/s^2, its size: deep overlaps (contact_law.h) */
    const RgContactView *contacts;
    const RgContactMemory *last; /* impulses of the last step */
    const double *u0;            /* nu: velocities at the start */
    const double *diagonal;      /* nv: what springs and dampers at the end of the step add to M; NULL: nothing */
    /* beside the contacts' points: velocity of B against A that they shall have at the end, in place of what gaps say
       (tangents: solvers of rows only). NULL: gaps decide */
    const RgVec3 *velocities;
    RgJointTarget joints;
    const RgHeldSprings *springs; /* in place of what springs and dampers do now; NULL: they do that */
    bool smooth;   /* a method for smooth motion, whose flights are exact (contact_law.h, Newton's restitution) */
    bool implicit; /* springs and dampers that are rows act at the end of the step */
    bool account;  /* work and residual are wanted */
    struct RgPrescribed *prescribed; /* joints that are in u already, and rows found with them; NULL: none */
    const RgQuickOptions *quick;     /* solver quick: in place of the setup's; NULL: those */
} RgContactAsk;

/* Beside a patch: which points it has, and their law. */
typedef struct RgPatchParts {
    int32_t point[RG_PATCH_POINTS]; /* numbers in the view */
    RgPointLaw law[RG_PATCH_POINTS];
    double conflict; /* share in a contradiction of hard drives, of its point with the largest; 0: none */
} RgPatchParts;

/* Friction of a patch against turning. */
typedef struct RgPatchTurning {
    double torsion, rolling; /* m: bounds of the moments about the normal and across it, by the normal force */
    double slip;             /* rad/s per N m about the normal */
    RgVec3 moment;           /* on B, N m s; first guess, then the solution */
} RgPatchTurning;

typedef struct RgContactProblem {
    RgContactAsk ask;
    const double *u_free; /* nu: velocities at the end of the step without contacts and bounded rows */
    const RgVec3 *centre; /* nbodies + 1: centres of mass, the world first; NULL: nothing acts */
    int32_t npatches;
    RgPatch *patches;
    RgPatchParts *parts;     /* npatches */
    RgPatchTurning *turning; /* npatches; NULL: no surface has torsional or rolling friction */
    RgBoundedRow *rows;
    int nrows; /* of the problem */
    /* behind those: rows that no view has, of prescribed joints and those that these leave alone (prescribed.h) */
    int nknown;
    int nresting; /* behind those: rows of sleeping bodies only, which keep what they carried */
    /* Bilateral rows. Impulses: first guess, then the solution; solvers that eliminate joints: the response to the
       others. */
    double *joint_impulses;
    double *joint_correction;  /* m/s or rad/s: part of their targets that corrects errors, through velocities */
    const double *joint_given; /* impulses that are already in u_free (second solve of Poisson's law); NULL: none */
    const double *u_moved;     /* nu: velocities that moved moments of inertia have already; NULL: ask.u0 */
} RgContactProblem;

/* False: no memory. scene: NULL where nothing can touch. out->rows: those of the step already where joints are
   prescribed. */
bool rg_contact_problem_make(const RgContactSetup *setup, RgArena *arena, const RgContactScene *scene,
                             const RgContactAsk *ask, const double *u_free, RgContactProblem *out);

/* Bounded rows of all sorts. */
static inline int rg_contact_rows_total(const RgContactProblem *p)
{
    return p->nrows + p->nknown + p->nresting;
}

/* Bounded rows of a step into out (rg_bounded_room); those of sleeping bodies go behind the others. */
void rg_contact_rows_find(const RgContactSetup *setup, const RgBoundedAsk *ask, RgContactProblem *out);

/* Body of a shape, -1: the world. */
int rg_contact_body(const RgModel *model, RgShapeId shape);

/* Sets of bodies that joints, loops and couplings hold together (base/union_find.h). parent: nbodies. */
void rg_contact_sets(const RgModel *model, int32_t *parent);

/* Constants of the bodies and their mechanisms, once the loops of the model, or bodies within carried fields, are
   others. */
void rg_contact_regroup(RgContactSetup *setup);

/* Whether a row is of sleeping bodies only. */
bool rg_row_rests(const RgContactSetup *setup, const RgRow *row);

/* Velocities at u of the bodies that patches touch: RG_MOVER_PLACES a body, the world first; of the centre of mass,
   then turning. */
void rg_contact_velocities(const RgContactSetup *setup, const RgContactProblem *problem, const double *u, double *V);

/* First guess of the patches and of the bounded rows. impulses (points of the view): scratch. */
void rg_warm_begin(const RgContactSetup *setup, const RgContactScene *scene, RgVec3 *impulses,
                   RgContactProblem *problem);

/* What a slot of the last step carried, for a step of this length. */
double rg_warm_slot(const RgContactAsk *ask, int32_t slot);

/* Impulse of a patch on one of its bodies, about the body's centre: force, moment; torsion and rolling left out. */
void rg_contact_patch_impulse(const RgPatch *patch, int side, double g[6]);

/* Impulse on a body (force, moment about its centre of mass): adds J' g. */
void rg_contact_push(const RgContactSetup *setup, const RgVec3 *centre, int body, const double g[6], double *out);

/* The correction of a patch's overlap takes no more energy than the lighter side's mass has at the speed asked for
   (correction_bound.c). response: velocity along the normal by a unit impulse there, 1/kg. */
void rg_bound_correction(const RgContactSetup *setup, const RgContactProblem *problem, int32_t number, double response);
/* Patches that the solver has marked want no more than not to approach, and begin without impulses. False: there are
   none. */
bool rg_drop_overreached(const RgContactProblem *problem);
/* Whether a patch has an overlap that is corrected. */
bool rg_corrects(const RgContactProblem *problem, int32_t number);

#endif
