/*
 * contact_result.h - result of a solve: impulses at contact points, forces and states, work by cause, memory for the
 * next step. The same for every solver; valid until the next solve.
 */
#ifndef RIGOR_CONTACT_RESULT_H
#define RIGOR_CONTACT_RESULT_H

#include "constraint/contact_problem.h"

typedef struct RgContactResult {
    double h;                  /* s, length of the step; 0: there was no solve */
    RgVec3 *point_impulses;    /* npoints: on B, N s */
    RgVec3 *reported_impulses; /* npoints: the impulses to report (least norm) */
    /* RG_BODY_PLACES a body, the world first: velocity of the centre of mass, angular velocity, at the end */
    const double *V;
    const double *moving;   /* nu: velocities that move positions, if they differ from u (split impulse); NULL: u */
    RgContactForce *forces; /* nforces, one per point, valid if reported; points without a patch are open */
    int32_t nforces;
    /* the reported impulses are final (rg_contact_report_forces) */
    bool least_norm;
    bool reported; /* forces are filled */
    bool again;    /* prescribed drives exceed their bounds: the step must be solved again with these drives as rows */
    RgSolverWork work;
    RgSolveReport solve; /* iterations, residual, fallbacks */
    int locked_rows;     /* bounded rows and contacts that took no part (locked_rows.c) */
    int unfinished;      /* islands that ended without reaching the tolerance */
    double change;       /* `quick`: largest relative change of an island's impulses in its last sweep */
} RgContactResult;

/* Writes the impulses of the patches as vectors at their points. */
void rg_contact_point_impulses(const RgContactSetup *setup, const RgContactProblem *problem, RgVec3 *impulses);

/* Fills the forces if that was not done before. */
void rg_contact_report(const RgContactProblem *problem, RgContactResult *result);

/* Patches per partial sum of the work; a fixed number, so the sum does not depend on the threads. */
#define RG_WORK_CHUNK 64
#define RG_WORK_CHUNKS(npatches) (((npatches) + RG_WORK_CHUNK - 1) / RG_WORK_CHUNK)

/* Velocities between which the work of a solve is computed. */
typedef struct RgWorkSpan {
    const double *before, *after; /* nu: with joints, without contacts and bounded rows; with all rows */
    RgMotion *twists;             /* 2 nbodies, scratch: twists of all bodies at their origins, before and after */
    RgSolverWork *chunks;         /* RG_WORK_CHUNKS(npatches), scratch */
    const double *held;           /* bilateral rows: impulses that `before` contains already; NULL: none */
    const double *unmoved;        /* nu: `before` without moved moments of inertia; NULL: none were moved */
    double inertia;               /* J, energy change by moved moments of inertia */
} RgWorkSpan;
RgSolverWork rg_contact_work(const RgContactSetup *setup, const RgContactProblem *problem, const RgWorkSpan *span);

/* Work of a step without anything to solve: that of the forces. */
RgSolverWork rg_contact_no_work(const RgContactSetup *setup, const RgContactAsk *ask, const double *u);

/* Adds the work of one solve to a sum; rg_work_axpy adds a times it. */
void rg_work_add(RgSolverWork *sum, const RgSolverWork *work);
void rg_work_axpy(double a, const RgSolverWork *work, RgSolverWork *sum);

/* Stores what the next step starts from. Returns false if out of memory. scene: NULL if nothing can touch. */
bool rg_warm_start_store(const RgContactSetup *setup, RgContactScene *scene, RgContactProblem *problem,
                         const RgVec3 *impulses, const RgAllocator *allocator, RgContactMemory *next);

#endif
