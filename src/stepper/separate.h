/*
 * separate.h - moves overlapping shapes apart by the smallest motion.
 */
#ifndef RIGOR_SEPARATE_H
#define RIGOR_SEPARATE_H

#include "constraint/gap_projection.h"
#include "stepper/stepper.h"

/* Changes x of the state until no two shapes are nearer than level (m). Joints and loops stay closed, velocities are
   unchanged. RG_ERR_NOT_CONVERGED: no such configuration exists or none was found; x is unchanged. */
RgStatus rg_separate(RgStepScope *scope, RgGapProjector *projector, RgState *state, double level);

#endif
