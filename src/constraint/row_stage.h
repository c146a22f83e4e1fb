/*
 * row_stage.h - a step's joints, limits, motors and contacts as one problem of rows, for solvers that take
 * them all.
 *
 *   bilateral rows (assemble_rows.c)  bounded rows (bounded_rows.c)  contact patches (contact_patches.c)
 *        -> RgProblem over mass-scaled velocities        assemble_problem.c
 *        -> solver, aids, work                           row_stage.c
 *
 * Targets, with step h and error reduction b (003, eq. 2; 004, eqs. 9, 12):
 *
 *   joints, loops, couplings      -b error / h
 *   springs and dampers           b = h kp / (h kp + kd), C = 1 / (h (h kp + kd))
 *   contact                       min(b (overlap - min_depth) / h, largest velocity), or e v of a bounce
 */
#ifndef RIGOR_ROW_STAGE_H
#define RIGOR_ROW_STAGE_H

#include "constraint/contact_stage.h"
#include "constraint/scaled_rows.h"
#include "solver/ladder.h"

/* What a target is made of, for the account of work. */
typedef struct RgTargetParts {
    double erp;      /* correction of a position */
    double bounce;   /* restitution */
    bool soft;       /* a contact that is a spring and damper */
    double position; /* the whole target of the motion of positions, where it is not that of the velocities */
} RgTargetParts;

/* A contact point's rows. */
typedef struct RgPointRows {
    int32_t patch, point; /* point within the patch */
    int32_t row;          /* its normal; the tangents follow */
    int32_t tangents;     /* 0 or 2 */
    int8_t turns;         /* rows of torsion and rolling, behind the tangents */
    int8_t turn_axis[3];  /* the patch's axes that these are about */
    double restitution;   /* of a point that bounces by Poisson's rule; else 0 */
} RgPointRows;

typedef struct RgRowStage {
    RgContactStage *contact; /* patches and bounded rows */
    const RgSolver *solver;
    RgRowOptions options;
    RgScaling *scaling;
    bool *held; /* nbodies: a joint that is rows, or a loop, holds it */
    RgArena memory, solver_memory, ladder_memory;
    RgProblem problem;
    int nbilateral;       /* rows first of all; then the contact stage's bounded rows */
    int entries;          /* coefficients written so far */
    RgTargetParts *parts; /* n */
    RgPointRows *points;
    double *base; /* 6 x base_room: the rows that those of the present patch are sums of */
    int base_room;
    int npoints;
    double *s0, *s_free; /* nu: scaled velocities at the start, and at the end without rows */
    double *met;         /* nu: what rows other than motors add to the latter */
    double redone;       /* J: kinetic energy that forces gave more because inertias were moved */
    double *moving;      /* nu: velocities that move positions, where they are not u; NULL: u does */
    double *moving_memory;
    RgSolveReport report;
    RgSolverWork work;

    /* Is shown the problem in place of the solver, and the step is refused; NULL: nobody asks. */
    void (*tell)(const RgProblem *problem, void *context);
    void *tell_context;
} RgRowStage;

/* A step while its rows are solved. */
typedef struct RgRowStep {
    RgContactStep contact;
    RgContactScene *scene; /* NULL: nothing can touch */
    const RgContactView *contacts;
    bool implicit;          /* springs and dampers at the end of the step */
    const double *diagonal; /* nv: what they add to M in joint coordinates; NULL: nothing */
    const double *u0;       /* nu: at the start */
    bool account;           /* residual and work are wanted */
} RgRowStep;

RgRowStage *rg_row_stage_take(RgArena *arena, RgForm *form, RgContactStage *contact);
void rg_row_stage_free(RgRowStage *stage);

/* u (nu): in, velocities at the end of a step without any rows; out, with them. */
RgStatus rg_row_solve(RgRowStage *stage, const RgRowStep *step, double *u);

/* The problem of a step. u: as in rg_row_solve. False: no memory. */
bool rg_assemble_problem(RgRowStage *stage, const RgRowStep *step, double *u);

#endif
