/*
 * motion_bound.c - the largest speed of any point of a moving shape along a direction.
 *
 * A point at x = c + rho moves with v + w x rho. Along d that is
 *   d . v + (d x w) . rho   <=   |d . v| + |w x d| r,      r = max |rho|
 * which holds while the velocity is constant, for any orientation of the shape: neither r nor w x d changes (Mirtich
 * 1996; Drumwright 2016, eq. 4).
 */
#include "collision/motion_bound.h"

double rg_core_reach(const RgGeometry *geometry, const RgShape *shape, RgVec3 c)
{
    if (shape->core != NULL)
        return rg_polytope_reach(shape->core, c);
    if (!isfinite(geometry->radius))
        return v3_norm(c);
    return v3_norm(v3_sub(geometry->centre, c)) + geometry->radius;
}

double rg_geometry_reach(const RgGeometry *geometry, RgVec3 c)
{
    double sphere = v3_norm(v3_sub(geometry->centre, c)) + geometry->radius, parts = 0.0;
    if (geometry->nparts == 0 || !isfinite(sphere))
        return sphere;
    for (int32_t i = 0; i < geometry->nparts; i++) {
        const RgShape *part = &geometry->parts[i];
        parts = fmax(parts, rg_core_reach(geometry, part, c) + rg_shape_rounding(part));
    }
    return fmin(sphere, parts);
}

double rg_motion_bound(const RgSweep *sweep, RgVec3 d)
{
    double turn = v3_norm(v3_cross(sweep->V.w, d)), along = fabs(v3_dot(d, sweep->V.v));
    if (turn == 0.0)
        return along;
    return along + turn * rg_geometry_reach(sweep->geometry, rg_sweep_centre(sweep));
}
