/*
 * view_rows.h - a contact problem as rows over mass-scaled velocities (RgProblem), joints among them: for every solver
 * that takes all rows.
 *
 *   bilateral rows (assemble_rows.c), bounded rows (bounded_rows.c), then contact points with their friction
 *
 * Targets of joints, loops and couplings, with step h: RgJointTarget; springs and dampers (004, eq. 12) keep their law
 * w' + C f = t at the level of accelerations: with z = h f and w = w0 + h w' it is w + C z = w0 + h t.
 */
#ifndef RIGOR_VIEW_ROWS_H
#define RIGOR_VIEW_ROWS_H

#include "constraint/contact_problem.h"
#include "constraint/scaled_rows.h"
#include "solver/ladder.h"

/* Rows of a contact point. */
typedef struct RgPointRows {
    int32_t patch, point; /* point within the patch */
    int32_t row;          /* its normal; the tangents follow */
    int32_t tangents;     /* 0 or 2 */
    int8_t turns;         /* rows of torsion and rolling, behind the tangents */
    int8_t turn_axis[3];  /* the patch's axes that these are about */
} RgPointRows;

typedef struct RgRowView {
    const RgContactSetup *setup;
    const RgContactProblem *from;
    RgScaling *scaling;
    RgArena memory, solver_memory, fallback_memory;
    RgProblem problem;
    int nbilateral; /* rows first of all; then the bounded rows */
    RgPointRows *points;
    int npoints;
    double *s0;   /* nu: scaled velocities at the start of the step */
    double *base; /* 6 x base_room: the rows that those of the present patch are sums of */
    int base_room;
    double *V;      /* RG_MOVER_PLACES a body, the world first: velocities after the solve */
    double inertia; /* J: kinetic energy gained because moments of inertia were moved (004, 5.2) */
    double *last;   /* of the problem: impulses of the last step; NULL: not wanted */
    RgSolveReport report;
} RgRowView;

/* False: no memory. */
bool rg_row_view_take(RgArena *arena, const RgContactSetup *setup, RgRowView *view);
void rg_row_view_free(RgRowView *view);

/* The rows of a problem. u (nu): velocities without any rows; where inertia is moved, as that moves them. False: no
   memory. */
bool rg_row_view_make(RgRowView *view, const RgContactProblem *problem, double *u);

/* Makes and solves them. u: in, as above; out, velocities with all rows. Impulses go to the problem. */
RgStatus rg_row_view_solve(RgRowView *view, const RgContactProblem *problem, const RgSolver *solver, double *u);

/* After a solve: of all impulses that make its velocities the least, to the problem (solver/cone/least_norm.h). False:
   no memory. */
bool rg_row_view_least_norm(RgRowView *view, RgSolveReport *report);

#endif
