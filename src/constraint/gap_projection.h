/*
 * gap_projection.h - smallest mass-weighted motion that satisfies gap constraints (Cline, Pai 2003).
 */
#ifndef RIGOR_GAP_PROJECTION_H
#define RIGOR_GAP_PROJECTION_H

#include "constraint/bounded_rows.h"
#include "constraint/scaled_rows.h"
#include "contact/gap.h"

typedef struct RgGapConstraint {
    RgGap gap;
    double wanted; /* m */
    bool equal;    /* true: gap = wanted; false: gap >= wanted */
} RgGapConstraint;

static inline RgGapConstraint rg_gap_equals(RgGap gap, double wanted)
{
    return (RgGapConstraint){.gap = gap, .wanted = wanted, .equal = true};
}

static inline RgGapConstraint rg_gap_at_least(RgGap gap, double wanted)
{
    return (RgGapConstraint){.gap = gap, .wanted = wanted};
}

typedef struct RgGapProjector RgGapProjector;

/* NULL: out of memory. release frees what is not allocated from the arena. */
RgGapProjector *rg_gap_projector_alloc(RgArena *arena, RgForm *form, RgConstraints *constraints);
void rg_gap_projector_free(RgGapProjector *projector);

/* From now on projected positions also satisfy the limits of joints; NULL (initially): limits are ignored. */
void rg_gap_projector_limits(RgGapProjector *projector, const RgBounded *bounded);

typedef struct RgGapProjection {
    int iterations;
    double error;       /* m: largest remaining error of any constraint (and of loops and joints: m or rad) */
    double moved;       /* m: root of the mass-weighted mean square of the displacement */
    const double *step; /* nu: sum of the steps applied to x; valid until the next call */
} RgGapProjection;

/* x (nx) moves by the smallest mass-weighted amount that satisfies all constraints to within tolerance (m), together
   with loops and joints that are rows. Constraints may be redundant. If they contradict each other,
   RG_ERR_NOT_CONVERGED is returned with the best x found. */
RgStatus rg_project_gaps(RgGapProjector *projector, const RgGapConstraint *constraints, int count, double tolerance,
                         double *x, RgGapProjection *out);

/* u (nu) changes by the smallest mass-weighted amount such that d gap / dt = 0 (equal) or >= 0 for all constraints, at
   the form's last kinematics; rows are satisfied too. */
RgStatus rg_project_gap_rates(RgGapProjector *projector, const RgGapConstraint *constraints, int count, double *u);

#endif
