/*
 * view_rows.h - a contact problem as rows over mass-scaled velocities (RgProblem), joints included: for all solvers
 * except quick.
 *
 *   bilateral rows (assemble_rows.c), bounded rows (bounded_rows.c), then contact points with their friction
 *
 * Targets of joints, loops and couplings: RgJointTarget. Springs and dampers (004, eq. 12) have the law w' + C f = t
 * for accelerations; with z = h f and w = w0 + h w' it becomes w + C z = w0 + h t.
 */
#ifndef RIGOR_VIEW_ROWS_H
#define RIGOR_VIEW_ROWS_H

#include "constraint/contact_problem.h"
#include "constraint/scaled_rows.h"
#include "solver/fallback_chain.h"

/* Rows of a contact point. */
typedef struct RgPointRows {
    int32_t patch, point; /* point within the patch */
    int32_t row;          /* row of its normal; the tangents follow */
    int32_t tangents;     /* 0 or 2 */
    int8_t turns;         /* number of rows of torsion and rolling, behind the tangents */
    int8_t turn_axis[3];  /* axes of the patch that these act about */
} RgPointRows;

typedef struct RgRowView {
    const RgContactSetup *setup;
    const RgContactProblem *from;
    RgScaling *scaling;
    RgArena memory, solver_memory, fallback_memory;
    RgProblem problem;
    int nbilateral; /* number of bilateral rows, which come first; then the bounded rows */
    RgPointRows *points;
    int npoints;
    double *s0;   /* nu: scaled velocities at the start of the step */
    double *base; /* 6 x base_room: base rows of the present patch; the rows of its points are sums of them */
    int base_room;
    double *V;      /* RG_BODY_PLACES a body, the world first: velocities after the solve */
    double inertia; /* J: kinetic energy gained because moments of inertia were moved (004, 5.2) */
    double *last;   /* rows of the problem: impulses of the last step; NULL: not used */
    RgSolveReport report;
} RgRowView;

/* Returns false if out of memory. */
bool rg_row_view_alloc(RgArena *arena, const RgContactSetup *setup, RgRowView *view);
void rg_row_view_free(RgRowView *view);

/* Makes the rows of a problem. u (nu): velocities without any rows; if inertia is moved, they are changed accordingly.
   Returns false if out of memory. */
bool rg_row_view_make(RgRowView *view, const RgContactProblem *problem, double *u);

/* Makes and solves the rows. u: in, as above; out, velocities with all rows. Impulses are written to the problem. */
RgStatus rg_row_view_solve(RgRowView *view, const RgContactProblem *problem, const RgSolver *solver, double *u);

/* After a solve: replaces the impulses by those of least norm with the same velocities (solver/cone/least_norm.h).
   Returns false if out of memory. */
bool rg_row_view_least_norm(RgRowView *view, RgSolveReport *report);

#endif
