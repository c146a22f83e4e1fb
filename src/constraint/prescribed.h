/*
 * prescribed.h - joints whose motion is prescribed by hard drives: they are removed from the unknowns (prescribed.c).
 */
#ifndef RIGOR_PRESCRIBED_H
#define RIGOR_PRESCRIBED_H

#include "constraint/contact_problem.h"

/* Joints prescribed in the present step. */
typedef struct RgPrescribed {
    RgKnownRates rates;
    double *velocity;         /* nv: velocity of prescribed joints at the end of the step; 0 elsewhere */
    double *change, *impulse; /* nv: scratch */
    bool *beyond;             /* nv: the drive exceeded its bound in this step */
    bool *busy;               /* nbodies, by root: trees whose drives stay rows; scratch */
    int *root;                /* nbodies: the root of a body's tree */
} RgPrescribed;

/* Returns false if out of memory. */
bool rg_prescribed_alloc(RgArena *arena, const RgModel *model, RgPrescribed *out);

/* Finds the prescribed joints, given the rows of a step (out->rows, nrows). Rows of prescribed joints are moved behind
   the others. */
void rg_prescribed_find(const RgContactSetup *setup, const RgContactAsk *ask, RgPrescribed *prescribed,
                        RgContactProblem *out);

/* Solves the rows in closed form if each acts on a joint that is decoupled from all others: u (nu), and their z.
   Returns false, with nothing changed, if there are other rows. */
bool rg_prescribed_solve(const RgContactSetup *setup, RgPrescribed *prescribed, const RgContactProblem *problem,
                         double *u);

/* Computes the impulses of the prescribed drives, for a step that ends with u. Returns true if some exceed their
   bounds; these are rows in the next rg_prescribed_find of this step. */
bool rg_prescribed_efforts(RgPrescribed *prescribed, const RgContactProblem *problem, const double *u);

/* before (nu): velocities at the end of the step without any row, those of prescribed drives included, for a step that
   ends with u. Returns false if M is singular. */
bool rg_prescribed_velocity_without_rows(RgForm *form, RgPrescribed *prescribed, const RgContactProblem *problem,
                                         const double *u, double *before);

#endif
