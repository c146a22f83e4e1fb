/*
 * prescribed.h - joints whose motion hard drives prescribe: they leave the unknowns of a step (prescribed.c).
 */
#ifndef RIGOR_PRESCRIBED_H
#define RIGOR_PRESCRIBED_H

#include "constraint/contact_problem.h"

/* What is prescribed in the present step. */
typedef struct RgPrescribed {
    RgKnownRates rates;
    double *velocity;         /* nv: at the end of the step, of the known; 0 elsewhere */
    double *change, *impulse; /* nv: scratch */
    bool *beyond;             /* nv: a drive there has turned out to be beyond its bound, in this step */
    bool *busy;               /* nbodies: scratch */
    int *root;                /* nbodies: the root of a body's tree */
} RgPrescribed;

/* False: no memory. */
bool rg_prescribed_take(RgArena *arena, const RgModel *model, RgPrescribed *out);

/* What the drives prescribe, given the rows of a step (out->rows, nrows): those of prescribed joints go behind the
   others. */
void rg_prescribed_find(const RgContactSetup *setup, const RgContactAsk *ask, RgPrescribed *prescribed,
                        RgContactProblem *out);

/* Rows that stand alone, each on a joint that feels no other, have their solution in closed form: u (nu), and their z.
   False: there are others, nothing is changed. */
bool rg_prescribed_solve(const RgContactSetup *setup, RgPrescribed *prescribed, const RgContactProblem *problem,
                         double *u);

/* Impulses of the prescribed drives, where the step ends with u. True: some are beyond their bounds. Those are rows in
   the next rg_prescribed_find of this step. */
bool rg_prescribed_efforts(RgPrescribed *prescribed, const RgContactProblem *problem, const double *u);

/* before (nu): velocities at the end of the step without any row, drives of prescribed joints among them, where it ends
   with u. False: M has no inverse. */
bool rg_prescribed_free(RgForm *form, RgPrescribed *prescribed, const RgContactProblem *problem, const double *u,
                        double *before);

#endif
