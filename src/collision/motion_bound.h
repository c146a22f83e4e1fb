/*
 * motion_bound.h - how far shapes reach from the centre they turn about; where two sweeps stand.
 */
#ifndef RIGOR_MOTION_BOUND_H
#define RIGOR_MOTION_BOUND_H

#include "geom/geometry.h"
#include "math/pose.h"

/* Distance of the farthest point from the point c, both in the geometry's frame: of the whole geometry, and
   of the core of one of its shapes (a part, or a triangle of its surface). Exact where the shape is a
   polytope, grown or not; else by the bounding sphere. Half-space: infinite, and for its core that of the
   origin. */
double rg_geometry_reach(const RgGeometry *geometry, RgVec3 c);
double rg_core_reach(const RgGeometry *geometry, const RgShape *shape, RgVec3 c);

/* Centre of the turn in the geometry's frame: fixed there. */
RgVec3 rg_sweep_centre(const RgSweep *sweep);

/* At time t: rotation R_WG, and the geometry's origin less the centre of the turn. */
typedef struct RgTurned {
    RgMat3 R;
    RgVec3 arm;
} RgTurned;
RgTurned rg_sweep_turned(const RgSweep *sweep, double t);

/* Centre of b less centre of a at time t. */
RgVec3 rg_sweep_apart(const RgSweep *a, const RgSweep *b, double t);

/* Geometry of b in that of a, X_AB, by differences only: as exact far from the world's origin as near. */
RgPose rg_turned_relative(const RgTurned *a, const RgTurned *b, RgVec3 apart);

#endif
