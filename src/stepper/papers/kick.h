/*
 * kick.h - velocities at a configuration: forces over the time that has passed, then the impact map of what touches.
 *
 *   u1 = k(u0 + h a(x1, u0))
 *
 * Contacts are those within the gap, taken as closed: their points do not approach afterwards. What is farther away, but
 * could be reached within h_min, the shortest step, may come no nearer in that time than half the gap: as ordinary time
 * stepping does. Gaps below half of the gap's are put right first (Cline, Pai 2003).
 */
#ifndef RIGOR_KICK_H
#define RIGOR_KICK_H

#include "constraint/gap_projection.h"
#include "contact/touch_set.h"
#include "stepper/papers/inner_states.h"

/* A contact point by its name. */
typedef struct RgHeldPoint {
    int32_t shape_a, shape_b;
    uint64_t id;
} RgHeldPoint;

typedef struct RgKicker {
    RgStepScope *scope;
    RgTouchSet touches;
    RgGapProjector *projector;
    RgGapConstraint *wishes;
    bool *keep;   /* beside the touches */
    double *seen; /* likewise: gaps as solvers take them */
    int room;
    RgHeldPoint *held; /* points that touched when rg_kicker_hold was called */
    int nheld, held_room;
    RgSolverWork work; /* of the kicks that were kept in the present step */
} RgKicker;

/* Memory; false: none. release gives back what is not the arena's. */
bool rg_kicker_take(RgArena *arena, RgStepScope *scope, RgKicker *out);
void rg_kicker_release(RgKicker *kicker);

/* A step begins from s0: limits are located, nothing is summed yet. Shapes that overlap in a state that was set, not
   stepped to, are refused or put right, as RgAdaptOptions.separate says. It ends: sums go to the report. */
RgStatus rg_kicker_begin(RgKicker *kicker, RgInnerStates *states, const RgState *s0, RgState *s1);
void rg_kicker_end(RgKicker *kicker, RgInnerStates *states);

/* to->x is where the bodies have come from `from` in h: to->u and to->memory become what they are there. to->x may be
   put right. The work of the solve is left in the report. */
RgStatus rg_kick(RgKicker *kicker, const RgState *from, double h, RgState *to);

/* For tries: which points touch at x, u; then the same kick by those alone, positions as they are. */
RgStatus rg_kicker_hold(RgKicker *kicker, const double *x, const double *u);
RgStatus rg_kick_try(RgKicker *kicker, const RgState *from, double h, RgState *to);

/* The impact map alone, at to->x: to->u becomes k of itself. arrived (nu): how the bodies came there. h: the time over
   which its impulses are told as forces. */
RgStatus rg_kick_impact(RgKicker *kicker, const RgState *from, double h, const double *arrived, RgState *to);

/* The last kick stays: its work is summed, its events are told. arrived (nu): as in rg_kick_impact. */
RgStatus rg_kick_keep(RgKicker *kicker, const RgState *from, double h, const double *arrived, RgState *to);

/* A whole inner step along u (nu), which step tells of: glide, kick, joints and loops put right, kept. */
RgStatus rg_kicker_go(RgKicker *kicker, RgInnerStates *states, const double *u, RgInnerStep *step);

/* Inner steps of a stepper: one goes on from where the last has led, by at most `left`; *h: how far it went. */
typedef struct RgInnerSteps {
    RgKicker *kicker;
    RgInnerStates *states;
    RgStatus (*go)(RgStepScope *scope, double left, double *h);
} RgInnerSteps;

/* All of them, from s0 to h later. */
RgStatus rg_kicker_advance(const RgInnerSteps *steps, const RgState *s0, double h, RgState *s1);

#endif
