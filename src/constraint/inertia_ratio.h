/*
 * inertia_ratio.h - moments of inertia moved across hinges (004, section 5.2), so that iterative solvers
 * converge.
 */
#ifndef RIGOR_INERTIA_RATIO_H
#define RIGOR_INERTIA_RATIO_H

#include "math/mat3.h"

#include <stdbool.h>

/* How much: until their ratio is at most `most` (0: no limit), or, with a factor above 0 in its place, that part of
   their difference: the printed form I_i <- I_i + factor (I_j^L - I_i^L), 1/2 makes them equal. */
typedef struct RgInertiaRule {
    double most, factor;
} RgInertiaRule;

/*
 * Moves moment of inertia about the unit axis S from the larger to the smaller of two bodies that cannot turn
 * against each other about S, by the rule, or until half is gone of what the larger can lose and stay
 * positive definite. Inertias about the bodies' centres, world axes. Returns what was moved, kg m^2 from *a to *b
 * (negative: the other way); 0: nothing to do.
 *
 *   S'I S = m of each;  larger > most smaller:  d = min((larger - most smaller) / (1 + most), 1 / (2 S' I^-1 S))
 *                       or                      d = min(factor (larger - smaller),            1 / (2 S' I^-1 S))
 *   I_larger -= d S S',   I_smaller += d S S'
 *
 * Keeps: the sum of both; what each does about axes across S; both kinetic energies' sum where w_a . S = w_b
 * . S.
 */
double rg_inertia_share(RgSym3 *a, RgSym3 *b, RgVec3 S, RgInertiaRule rule);

#endif
