/*
 * inner_steps.h - inner steps at constant velocities: states, velocity updates, reports.
 *
 *   x1 = x0 + h u,   u1 = k(u0 + h a(x1, u0))
 *
 * k: the impact map of the contacts within the gap, which count as closed: their points do not approach afterwards.
 * Points farther away that can be reached within h_min, the shortest step, may come as near as half the gap in that
 * time, as in ordinary time stepping. Gaps that are too small are corrected first (Cline, Pai 2003).
 */
#ifndef RIGOR_INNER_STEPS_H
#define RIGOR_INNER_STEPS_H

#include "stepper/located.h"
#include "stepper/papers/advancement.h"

/* Data of a stepper of the papers, or the first member of it. */
typedef struct RgInnerSteps {
    RgStepScope *scope;
    RgAdvancement advancement;
    RgGapProjector *projector;
    RgContactSet contacts;            /* within reach at the last configuration */
    RgPersistentContacts constraints; /* scratch: gap constraints */
    RgPreviousContacts held;          /* contacts that act in trials */
    RgSolverWork work;                /* of the accepted velocity updates of the present step */
    RgState own;                      /* inner steps alternate between this state and out */
    const RgState *now;               /* state after the last accepted inner step */
    RgState *next, *out;              /* state after the next one; result of the outer step */
    RgBodyEnd *ends[2];               /* nbodies: for the report */
    double *q, *v;                    /* nq, nv: at the start of the inner step */
    double *x_path, *u_path; /* nx, nu: positions reached at constant velocities; velocities that lead to next->x */
} RgInnerSteps;

/* One inner step of at most `left` seconds; *h: its length. */
typedef RgStatus RgInnerStepRun(RgStepScope *scope, double left, double *h);

bool rg_inner_steps_alloc(RgArena *arena, RgStepScope *scope, RgInnerSteps *out);
bool rg_inner_steps_prepare(RgArena *arena, RgStepScope *scope); /* of steppers without other data */
RgStatus rg_inner_steps_check(RgStepScope *scope, RgError *error);
void rg_inner_steps_release(RgStepScope *scope);
/* All inner steps from s0 to h later. If the state was set, not stepped to, shapes that overlap are refused, or
   separated if RgAdaptOptions.separate is set. */
RgStatus rg_inner_steps_advance(RgStepScope *scope, RgInnerStepRun *go, const RgState *s0, double h, RgState *s1);

/* Samples the input function at now for the inner step, if RgAdaptOptions.hold_input is set. */
RgStatus rg_inner_steps_input(RgInnerSteps *steps);
/* Length and report of an inner step of at most `most` seconds that follows a conservative advancement. */
RgInnerStep rg_inner_step_of(const RgStepScope *scope, const RgAdvance *safe, double most);
/* A complete inner step along now->u: positions, velocities, acceptance. */
RgStatus rg_inner_step_run(RgInnerSteps *steps, RgInnerStep *step);

/* Parts of an inner step. next->x = now->x + h u (nu). */
void rg_inner_step_move(RgInnerSteps *steps, const double *u, double h);
/* Stores the contacts of now (held). */
RgStatus rg_inner_step_store_contacts(RgInnerSteps *steps);
/* Trial: velocities at to->x with the stored contacts only, without correction of positions. */
RgStatus rg_inner_step_try(RgInnerSteps *steps, const RgState *from, double h, RgState *to);
/* Applies the impact map k at next->x to next->u. arrived (nu): velocities on arrival. h: time over which impulses are
   reported as forces, s. */
RgStatus rg_inner_step_impact(RgInnerSteps *steps, double h, const double *arrived);
/* Accepts next, reached along u (nu) with velocities `arrived`: adds its work, reports events and the step, projects
   joints and loops. If positions were corrected, the reported path leads straight to the corrected ones. */
RgStatus rg_inner_step_accept(RgInnerSteps *steps, const double *u, const double *arrived, RgInnerStep *step);

/* Fields of a stepper that advances by inner steps; its file has `step`. */
#define RG_INNER_STEPPER(prepare_, check_, release_)                                                                   \
    .passive = RG_PASSIVE_MOVED, .locates = true, .prepare = (prepare_), .check = (check_), .release = (release_),     \
    .step = step

#endif
