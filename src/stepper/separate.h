/*
 * separate.h - a start in which shapes overlap, corrected by the smallest motion.
 */
#ifndef RIGOR_SEPARATE_H
#define RIGOR_SEPARATE_H

#include "constraint/gap_projection.h"
#include "stepper/stepper.h"

/* Moves x of the state until no two shapes are nearer than level (m); joints and loops stay together, velocities stay
   as they are. RG_ERR_NOT_CONVERGED: there is no room, or it was not found; x is then as it came. */
RgStatus rg_separate(RgStepScope *scope, RgGapProjector *projector, RgState *state, double level);

#endif
