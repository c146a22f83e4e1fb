/*
 * motion_bound.h - how far shapes reach from their centre of rotation; relative poses of two sweeps.
 */
#ifndef RIGOR_MOTION_BOUND_H
#define RIGOR_MOTION_BOUND_H

#include "geom/geometry.h"
#include "math/pose.h"

/* Distance of the farthest point from the point c, both in the geometry's frame: of the whole geometry, and of the core
   of one of its shapes (a part, or a triangle of its surface). Exact if the shape is a polytope, rounded or not;
   otherwise a bound by the bounding sphere. Half-space: infinite; for its core, the distance of the origin. */
double rg_geometry_reach(const RgGeometry *geometry, RgVec3 c);
double rg_core_reach(const RgGeometry *geometry, const RgShape *shape, RgVec3 c);

/* Centre of rotation in the geometry's frame, in which it is fixed. */
RgVec3 rg_sweep_centre(const RgSweep *sweep);

/* At time t: rotation R_WG, and the vector from the centre of rotation to the geometry's origin. */
typedef struct RgSweepRotation {
    RgMat3 R;
    RgVec3 arm;
} RgSweepRotation;
RgSweepRotation rg_sweep_rotation(const RgSweep *sweep, double t);

/* Centre of b minus centre of a at time t. */
RgVec3 rg_sweep_separation(const RgSweep *a, const RgSweep *b, double t);

/* Pose of b's geometry in a's, X_AB, computed from differences only: as accurate far from the world's origin as near
   it. */
RgPose rg_sweep_relative_pose(const RgSweepRotation *a, const RgSweepRotation *b, RgVec3 apart);

#endif
