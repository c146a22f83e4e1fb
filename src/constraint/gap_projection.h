/*
 * gap_projection.h - Cline and Pai: the smallest mass-weighted motion that puts gaps right.
 */
#ifndef RIGOR_GAP_PROJECTION_H
#define RIGOR_GAP_PROJECTION_H

#include "constraint/bounded_rows.h"
#include "constraint/scaled_rows.h"
#include "contact/gap.h"

typedef struct RgGapConstraint {
    RgGap gap;
    double wanted; /* m */
    bool equal;    /* gap = wanted; else gap >= wanted */
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

/* Memory; NULL: none. release gives back what is not the arena's. */
RgGapProjector *rg_gap_projector_take(RgArena *arena, RgForm *form, RgConstraints *constraints);
void rg_gap_projector_release(RgGapProjector *projector);

/* Positions that follow stay within the limits of joints too, or come back to them; NULL (at first): limits are not
   looked at. */
void rg_gap_projector_limits(RgGapProjector *projector, const RgBounded *bounded);

typedef struct RgGapProjection {
    int iterations;
    double error;       /* m: largest that is left of any constraint (and of loops, joints: m or rad) */
    double moved;       /* m: root of the mass-weighted mean square of the displacement */
    const double *step; /* nu: sum of the steps that x was moved by; lives until the next call */
} RgGapProjection;

/* x (nx) moves by the least mass-weighted amount, to within tolerance (m), with loops and joints that are rows kept.
   Constraints may depend on each other; those that contradict are met as well as can be, and RG_ERR_NOT_CONVERGED is
   returned with the best x found. */
RgStatus rg_project_gaps(RgGapProjector *projector, const RgGapConstraint *constraints, int count, double tolerance,
                         double *x, RgGapProjection *out);

/* u (nu) changes by the least mass-weighted amount such that d gap / dt = 0 (equal) or >= 0 for all, at the form's last
   kinematics; rows kept too. */
RgStatus rg_project_gap_rates(RgGapProjector *projector, const RgGapConstraint *constraints, int count, double *u);

#endif
