/*
 * inner_states.h - states between the inner steps of one step, and the telling of inner steps.
 */
#ifndef RIGOR_INNER_STATES_H
#define RIGOR_INNER_STATES_H

#include "stepper/stepper.h"

/* Two states in turn: the stepper's own, and the one to be written. */
typedef struct RgInnerStates {
    RgStepScope *scope;
    RgState own;
    const RgState *now; /* where the last inner step has led */
    RgState *next;      /* where the next one leads */
    RgState *out;
    RgBodyEnd *begin, *end; /* nbodies: for whoever is told */
    double *q, *v;          /* nq, nv: of the start */
    double *x_path,
        *u_path; /* nx, nu: where constant velocities lead; those that lead to where the bodies are */
} RgInnerStates;

bool rg_inner_states_take(RgArena *arena, RgStepScope *scope, RgInnerStates *out);
void rg_inner_states_release(RgInnerStates *states);

void rg_inner_states_begin(RgInnerStates *states, const RgState *s0, RgState *s1);

/* next->x = now->x + h u */
void rg_inner_states_glide(RgInnerStates *states, const double *u, double h);

/* What next is stays: it becomes now, at its time; step is told of (path, states and time are filled in). Where positions
   were put right after the bodies had moved along u, the path told is the straight one to where they are. */
void rg_inner_states_keep(RgInnerStates *states, const double *u, RgInnerStep *step);

/* Whatever now is, s1 has it. */
void rg_inner_states_end(RgInnerStates *states);

#endif
