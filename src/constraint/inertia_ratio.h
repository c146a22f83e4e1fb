/*
 * inertia_ratio.h - moments of inertia moved across hinges (004, section 5.2), so that iterative solvers converge.
 */
#ifndef RIGOR_INERTIA_RATIO_H
#define RIGOR_INERTIA_RATIO_H

#include "math/mat3.h"

#include <stdbool.h>

/* Amount to move. most > 0: until the ratio of the moments is at most `most` (0: no limit). factor > 0, which takes
   precedence: that part of their difference, in the printed form I_i <- I_i + factor (I_j^L - I_i^L); 1/2 makes them
   equal. */
typedef struct RgInertiaRule {
    double most, factor;
} RgInertiaRule;

/*
 * Moves moment of inertia about the unit axis S from the larger to the smaller of two bodies that cannot rotate
 * against each other about S. The amount follows the rule, but is at most half of what the larger can lose and stay
 * positive definite. Inertias about the bodies' centres, world axes. Returns the amount moved from *a to *b, kg m^2
 * (negative: from *b to *a); 0: nothing to do.
 *
 *   S'I S = m of each;  larger > most smaller:  d = min((larger - most smaller) / (1 + most), 1 / (2 S' I^-1 S))
 *                       or                      d = min(factor (larger - smaller),            1 / (2 S' I^-1 S))
 *   I_larger -= d S S',   I_smaller += d S S'
 *
 * Invariants: the sum of both inertias; each moment about axes orthogonal to S; the sum of both kinetic energies if
 * w_a . S = w_b . S.
 */
double rg_inertia_share(RgSym3 *a, RgSym3 *b, RgVec3 S, RgInertiaRule rule);

#endif
