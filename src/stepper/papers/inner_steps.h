/*
 * inner_steps.h - inner steps at constant velocities: states between them, velocities at their ends, their reports.
 *
 *   x1 = x0 + h u,   u1 = k(u0 + h a(x1, u0))
 *
 * k: the impact map of contacts within the gap, taken as closed: their points do not approach afterwards. What is
 * farther away, but could be reached within h_min, the shortest step, may come no nearer in that time than half the
 * gap: as ordinary time stepping does. Gaps below half of the gap are corrected first (Cline, Pai 2003).
 */
#ifndef RIGOR_INNER_STEPS_H
#define RIGOR_INNER_STEPS_H

#include "stepper/located.h"
#include "stepper/papers/advancement.h"

/* First member of what a stepper of the papers has as its data. */
typedef struct RgInnerSteps {
    RgStepScope *scope;
    RgAdvancement advancement;
    RgGapProjector *projector;
    RgContactSet contacts;            /* within reach at the last configuration */
    RgPersistentContacts constraints; /* scratch: gap constraints */
    RgPreviousContacts held;          /* contacts of trials */
    RgSolverWork work;                /* of the velocity updates kept in the present step */
    RgState own;                      /* two states in turn: this one, and the one to be written */
    const RgState *now;               /* where the last inner step has led */
    RgState *next, *out;              /* where the next one leads; the one to be written */
    RgBodyEnd *ends[2];               /* nbodies: for the report */
    double *q, *v;                    /* nq, nv: of the start */
    double *x_path, *u_path; /* nx, nu: where constant velocities lead; those that lead to the present positions */
} RgInnerSteps;

/* One inner step of at most `left`; *h: its length. */
typedef RgStatus RgInnerStepGo(RgStepScope *scope, double left, double *h);

bool rg_inner_steps_take(RgArena *arena, RgStepScope *scope, RgInnerSteps *out);
bool rg_inner_steps_prepare(RgArena *arena, RgStepScope *scope); /* where there is no other data */
RgStatus rg_inner_steps_check(RgStepScope *scope, RgError *error);
void rg_inner_steps_release(RgStepScope *scope);
/* All of them, from s0 to h later. Shapes that overlap in a state that was set, not stepped to, are refused or
   separated, as RgAdaptOptions.separate says. */
RgStatus rg_inner_steps_advance(RgStepScope *scope, RgInnerStepGo *go, const RgState *s0, double h, RgState *s1);

/* The input function at now, held through the inner step where RgAdaptOptions.hold_input says so. */
RgStatus rg_inner_steps_input(RgInnerSteps *steps);
/* Length and report of an inner step that is safe for a time, of at most `most`. */
RgInnerStep rg_inner_step_of(const RgStepScope *scope, const RgAdvance *safe, double most);
/* A whole inner step along now->u: positions, velocities, kept. */
RgStatus rg_inner_step_go(RgInnerSteps *steps, RgInnerStep *step);

/* Its parts. next->x = now->x + h u (nu). */
void rg_inner_step_move(RgInnerSteps *steps, const double *u, double h);
/* Contacts of now are held; then velocities at to->x by these alone, positions as they are: trials leave no trace. */
RgStatus rg_inner_step_hold(RgInnerSteps *steps);
RgStatus rg_inner_step_try(RgInnerSteps *steps, const RgState *from, double h, RgState *to);
/* The impact map alone at next->x: next->u becomes k of itself. arrived (nu): velocities on arrival. h: the time over
   which impulses are reported as forces. */
RgStatus rg_inner_step_impact(RgInnerSteps *steps, double h, const double *arrived);
/* Keeps next, reached along u (nu) with velocities `arrived`: work is summed, events and the step are reported, joints
   and loops are projected. Where positions were corrected, the reported path is the straight one to where the bodies
   are. */
RgStatus rg_inner_step_keep(RgInnerSteps *steps, const double *u, const double *arrived, RgInnerStep *step);

#endif
