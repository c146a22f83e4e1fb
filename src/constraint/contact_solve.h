/*
 * contact_solve.h - contacts and bounded rows of a step: problem, solution, result.
 *
 *   RgContactAsk -> RgContactProblem (contact_problem.c) -> solver by its view (view_patches.c, view_rows.c)
 *                -> velocities, RgContactResult (contact_result.c)
 */
#ifndef RIGOR_CONTACT_SOLVE_H
#define RIGOR_CONTACT_SOLVE_H

#include "constraint/contact_result.h"
#include "constraint/prescribed.h"
#include "constraint/view_patches.h"
#include "constraint/view_rows.h"

typedef struct RgContactSolver {
    RgContactSetup setup;
    RgArena memory;     /* of the last problem and its result */
    RgRowView row_view; /* for solvers that have joints as rows, and for dumped steps */
    RgPatchView patch_view;
    RgPrescribed prescribed;
    RgContactProblem problem; /* the last */
    RgContactResult result;   /* its result */
} RgContactSolver;

/* Parameters of rg_contact_solver_alloc. */
typedef struct RgContactSolverDef {
    int user_rows; /* maximum number of user-defined rows */
    const RgContactLaw *law;
    const RgSolver *solver;
    const RgRowOptions *options;
    const RgQuickOptions *quick;
} RgContactSolverDef;

/* NULL: out of memory. */
RgContactSolver *rg_contact_solver_alloc(RgArena *arena, RgForm *form, RgConstraints *constraints,
                                         const RgContactSolverDef *def);
void rg_contact_solver_free(RgContactSolver *solver);

/* True if joints, loops and couplings are rows of the problem; false: they are eliminated before the solve. */
static inline bool rg_contact_has_joint_rows(const RgContactSolver *s)
{
    return s->setup.solver->solve_patches == NULL;
}

/* u (nu): in, velocities at the end of a step without contacts and bounded rows (and without joints, if the solver has
   them as rows); out, with them. The kinematics are those at the beginning of the step, where the contacts are. next:
   start of the next step. scene: NULL if nothing can touch. */
RgStatus rg_contact_solve(RgContactSolver *solver, RgContactScene *scene, const RgContactAsk *ask, double *u,
                          RgContactMemory *next);

/* Finds the bounded rows of a step and the joints whose motion is prescribed by drives (rates.n: their number), for
   ask.prescribed and for the accelerations before the solve. NULL: no drive can prescribe motion. first: first call in
   this step; otherwise drives that exceeded their bounds (result.again) are rows. */
RgPrescribed *rg_contact_prescribe(RgContactSolver *solver, const RgContactAsk *ask, bool first);

/* Computes the forces of the last solve that are reported. For exact solvers they have least norm. The next step starts
   from the impulses of the solve, so motion does not depend on this call. */
void rg_contact_report_forces(RgContactSolver *solver);

/* N s: impulse of a bounded row in the last step, as reported; taken from the memory if there was no solve since. */
double rg_contact_slot_impulse(RgContactSolver *solver, const RgContactMemory *memory, int32_t slot);

/* The rows of the problem that rg_contact_solve would solve. NULL: out of memory. */
const RgProblem *rg_contact_rows_of(RgContactSolver *solver, const RgContactScene *scene, const RgContactAsk *ask,
                                    double *u);

/* Origin of row i of those. */
RgRowOrigin rg_contact_row_origin(const RgContactSolver *solver, int i);

/* Whether a step has bounded rows. Discards the last problem. */
bool rg_contact_has_rows(RgContactSolver *solver, const RgBoundedAsk *ask);

/* Discards the last problem and result: no forces, no rows. */
void rg_contact_forget(RgContactSolver *solver);

/* Sets the rows and their impulses from the memory of the last solved step, all bodies being asleep since; without
   contacts. */
void rg_contact_restore_rows(RgContactSolver *solver, const RgBoundedAsk *ask, const RgContactMemory *memory);

/* Adds to the speeds of the scene's shapes, as placed, what drives may add over a step; uses t, h and span. */
void rg_drive_reach(const RgBounded *bounded, const RgBoundedAsk *ask, RgContactScene *scene);

/* locked_rows.c: before a solve of s->problem, excludes the bounded rows and contacts whose motion joints and loops
   block; after it, which ended with u, reports those drives of unbounded effort whose target is not met. */
RgStatus rg_rows_find_locked(RgContactSolver *s);
void rg_rows_report_locked(RgContactSolver *s, const double *u);

#endif
