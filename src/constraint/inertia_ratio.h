/*
 * inertia_ratio.h - moments of inertia moved across hinges (004, section 5.2), so that iterative solvers
 * converge.
 */
#ifndef RIGOR_INERTIA_RATIO_H
#define RIGOR_INERTIA_RATIO_H

#include "math/mat3.h"

#include <stdbool.h>

/*
 * Moves moment of inertia about the unit axis S from the larger to the smaller of two bodies that cannot turn
 * against each other about S, until their ratio there is at most `most`, or half is gone of what the larger can lose and stay
 * positive definite. Inertias about the bodies' centres, world axes. Returns what was moved, kg m^2 from *a to *b
 * (negative: the other way); 0: nothing to do.
 *
 *   S'I S = m of each;  larger > most smaller:  d = min((larger - most smaller) / (1 + most), 1 / (2 S' I^-1 S))
 *   I_larger -= d S S',   I_smaller += d S S'
 *
 * Keeps: the sum of both; what each does about axes across S; both kinetic energies' sum where w_a . S = w_b
 * . S.
 */
double rg_inertia_share(RgSym3 *a, RgSym3 *b, RgVec3 S, double most);

#endif
