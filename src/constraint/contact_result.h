/*
 * contact_result.h - what a solve did: impulses at contact points, forces and states, work by cause, memory for the
 * next step. The same for every solver; valid until the next solve.
 */
#ifndef RIGOR_CONTACT_RESULT_H
#define RIGOR_CONTACT_RESULT_H

#include "constraint/contact_problem.h"

typedef struct RgContactResult {
    double h;                  /* s, of the step; 0: there was no solve */
    RgVec3 *point_impulses;    /* beside the contacts' points: on B, N s */
    RgVec3 *reported_impulses; /* the same, as they are reported */
    const double *V; /* RG_MOVER_PLACES a body, the world first: velocity of its centre, turning velocity, at the end */
    const double *moving;   /* nu: velocities that move positions, where they are not u (split impulse); NULL: u does */
    RgContactForce *forces; /* nforces, beside the points, once they are reported; points that no patch used are open */
    int32_t nforces;
    /* reported impulses, those of bounded rows and of joints are as reported (rg_contact_report_forces) */
    bool least_norm;
    bool reported; /* forces are filled */
    bool again;    /* prescribed drives are beyond their bounds: nothing is solved yet, they must be rows */
    RgSolverWork work;
    RgSolveReport solve; /* iterations, residual, fallbacks */
    int unfinished;      /* islands that ended without reaching the tolerance */
    double change;       /* `quick`: largest change of an island's impulses in its last sweep, as a part of them */
} RgContactResult;

/* Impulses of the patches as vectors at their points. */
void rg_contact_point_impulses(const RgContactSetup *setup, const RgContactProblem *problem, RgVec3 *impulses);

/* Fills the forces, unless that was done. */
void rg_contact_report(const RgContactProblem *problem, RgContactResult *result);

/* Accounts that patches are summed in. */
#define RG_WORK_CHUNK 64
#define RG_WORK_CHUNKS(npatches) (((npatches) + RG_WORK_CHUNK - 1) / RG_WORK_CHUNK)

/* Velocities between which a solve is accounted for. */
typedef struct RgWorkSpan {
    const double *before, *after; /* nu: joints kept, but no contacts and bounded rows; with them */
    RgMotion *twists;             /* 2 nbodies, room: of all bodies at their origins, before and after */
    RgSolverWork *chunks;         /* RG_WORK_CHUNKS(npatches), room */
    const double *held;           /* bilateral rows: impulses that are in `before` already; NULL: none */
    const double *unmoved;        /* nu: `before` without moved moments of inertia; NULL: none were moved */
    double inertia;               /* J, by moments of inertia that were moved */
} RgWorkSpan;
RgSolverWork rg_contact_work(const RgContactSetup *setup, const RgContactProblem *problem, const RgWorkSpan *span);

/* The account of a step where nothing was to be solved: what forces did. */
RgSolverWork rg_contact_no_work(const RgContactSetup *setup, const RgContactAsk *ask, const double *u);

/* Adds the work of one solve to a sum; the other: a times it. */
void rg_work_add(RgSolverWork *sum, const RgSolverWork *work);
void rg_work_axpy(double a, const RgSolverWork *work, RgSolverWork *sum);

/* What the next step begins with. False: no memory. scene: NULL where nothing can touch. */
bool rg_warm_keep(const RgContactSetup *setup, RgContactScene *scene, RgContactProblem *problem, const RgVec3 *impulses,
                  const RgAllocator *allocator, RgContactMemory *next);

#endif
