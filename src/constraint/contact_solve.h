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
    RgRowView row_view; /* of solvers that take joints as rows, and of dumped steps */
    RgPatchView patch_view;
    RgPrescribed prescribed;
    RgContactProblem problem; /* the last */
    RgContactResult result;   /* of it */
} RgContactSolver;

/* What a solver is made with. */
typedef struct RgContactSolverDef {
    int user_rows; /* room for a user's own */
    const RgContactLaw *law;
    const RgSolver *solver;
    const RgRowOptions *options;
    const RgQuickOptions *quick;
} RgContactSolverDef;

/* NULL: no memory. */
RgContactSolver *rg_contact_solver_take(RgArena *arena, RgForm *form, RgConstraints *constraints,
                                        const RgContactSolverDef *def);
void rg_contact_solver_free(RgContactSolver *solver);

/* Whether joints, loops and couplings are rows of the problem; else they are eliminated before. */
static inline bool rg_contact_takes_joints(const RgContactSolver *s)
{
    return s->setup.solver->solve_patches == NULL;
}

/* u (nu): in, velocities at the end of a step without contacts and bounded rows (and joints, where the solver takes
   them); out, with them. The kinematics are those at the beginning of the step, where the contacts are. next: what the
   next step begins with. scene: NULL where nothing can touch. */
RgStatus rg_contact_solve(RgContactSolver *solver, RgContactScene *scene, const RgContactAsk *ask, double *u,
                          RgContactMemory *next);

/* Finds the bounded rows of a step, and the joints whose motion drives prescribe in it (rates.n: how many): for
   ask.prescribed, and for the accelerations before the solve. NULL: no drive could. first: in this step; else some of
   them have turned out to be beyond their bounds (result.again). */
RgPrescribed *rg_contact_prescribe(RgContactSolver *solver, const RgContactAsk *ask, bool first);

/* Forces of the last solve as they are reported: of exact solvers those of least norm, which the next step does not
   begin with: the motion does not depend on whether anybody asks. */
void rg_contact_report_forces(RgContactSolver *solver);

/* N s: impulse of a bounded row in the last step, as reported; of the memory where there was no solve since. */
double rg_contact_slot_impulse(RgContactSolver *solver, const RgContactMemory *memory, int32_t slot);

/* The rows of the problem that rg_contact_solve would solve. NULL: no memory. */
const RgProblem *rg_contact_rows_of(RgContactSolver *solver, const RgContactScene *scene, const RgContactAsk *ask,
                                    double *u);

/* What row i of those comes from. */
RgRowOrigin rg_contact_row_origin(const RgContactSolver *solver, int i);

/* Whether a step has bounded rows. Forgets the last problem. */
bool rg_contact_has_rows(RgContactSolver *solver, const RgBoundedAsk *ask);

/* There was no solve: no forces, no rows. */
void rg_contact_forget(RgContactSolver *solver);

/* As if the step that the memory is of had just been solved, with all bodies asleep since: rows with what they carried,
   no contacts. */
void rg_contact_recall_rows(RgContactSolver *solver, const RgBoundedAsk *ask, const RgContactMemory *memory);

/* Shapes of the scene, as placed, are given the speeds that drives may add to theirs over a step; t, h and span
   count. */
void rg_drive_reach(const RgBounded *bounded, const RgBoundedAsk *ask, RgContactScene *scene);

/* locked_drives.c: before a solve of s->problem, marks drives of any effort that loops leave no motion, and takes them
   out of it; after it, which ended with u, tells those whose target is not met. */
RgStatus rg_drives_find_locked(RgContactSolver *s);
void rg_drives_tell_locked(RgContactSolver *s, const double *u);

#endif
