/*
 * inner_state.h - states between the inner steps of one step.
 */
#ifndef RIGOR_INNER_STATE_H
#define RIGOR_INNER_STATE_H

#include "stepper/stepper.h"

/* Allocates x and u; the contact memory starts empty. rg_state_release frees the contact memory. */
void rg_state_alloc(RgArena *arena, const RgForm *form, RgState *state);
void rg_state_release(const RgStepScope *scope, RgState *state);

/* Copies t, x, u. */
void rg_state_copy(const RgForm *form, const RgState *from, RgState *to);
/* Copies x and u, and swaps the contact memories. */
void rg_state_transfer(const RgForm *form, RgState *from, RgState *to);

/* Poses and velocities of all bodies at the form's last kinematics. u (nu): velocities to use; NULL: those of the
   kinematics. out: nbodies. */
void rg_body_ends(const RgForm *form, const double *u, RgBodyEnd *out);

/* Link of a shape (from 0), as events name it; UINT32_MAX: the world. */
uint32_t rg_shape_link(const RgModel *model, int32_t shape);

#endif
