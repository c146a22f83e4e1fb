/*
 * separate.h - a start in which shapes overlap: told, or put right by the smallest motion.
 */
#ifndef RIGOR_SEPARATE_H
#define RIGOR_SEPARATE_H

#include "constraint/gap_projection.h"
#include "stepper/stepper.h"

/* The pair of shapes (numbers from 0) that are least far apart, of all that are nearer than level (m, of either sign);
   depth: m by which they overlap, less than 0 where they do not. -1 and 0: there is no such pair. */
RgStatus rg_separate_check(RgStepScope *scope, const RgState *state, double level, int32_t *shape_a,
                           int32_t *shape_b, double *depth);

/* Moves x of the state until no two shapes are nearer than level (m); joints and loops stay together, velocities stay as
   they are. RG_ERR_NOT_CONVERGED: there is no room, or it was not found; x is then as it came. */
RgStatus rg_separate(RgStepScope *scope, RgGapProjector *projector, RgState *state, double level);

#endif
