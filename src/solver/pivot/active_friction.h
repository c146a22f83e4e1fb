/*
 * active_friction.h - friction laws whose bounds do not depend on the normal impulse, over active contacts only.
 */
#ifndef RIGOR_ACTIVE_FRICTION_H
#define RIGOR_ACTIVE_FRICTION_H

#include "solver/pivot/pivot_rows.h"

typedef struct RgActiveFriction {
    const double *low, *high; /* n: bounds of friction rows of active contacts; those of open ones are 0 */
    bool loaded;              /* active: the normal impulse is positive. Otherwise: that, or the gap closes (w = 0) */
    double softness;          /* without solution: this part of their diagonals regularises friction rows; 0: not */
    const RgExactOptions *options;
} RgActiveFriction;

/* Solves an island's dense problem from rg_dense_lcp_from_rows (its bounds change) and stores the impulses in p->z. */
RgStatus rg_pivot_active_friction(RgArena *arena, RgDenseLcp *lcp, RgProblem *p, const int *rows,
                                  const RgActiveFriction *law, RgIslandReport *report);

#endif
