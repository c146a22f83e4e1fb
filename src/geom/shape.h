/*
 * shape.h - a shape as numbers, and the functions of each kind of shape.
 *
 * A shape is a view: it owns nothing, and is given in its own frame S. All properties of a kind are in one table entry.
 */
#ifndef RIGOR_SHAPE_H
#define RIGOR_SHAPE_H

#include "base/arena.h"
#include "math/vec3.h"

#include <rigor/collision.h>

struct RgPolytope;
struct RgSurface;

typedef struct RgShape {
    RgShapeType type;
    double size[3]; /* as in RgShapeDef */

    /* Prepared shapes only: the polytope whose hull, grown by the kind's rounding, is the shape. Sphere: a point;
       capsule: a segment; box, polytope, triangle of a surface: all their corners. NULL for all others. */
    const struct RgPolytope *core;
    /* m; prepared shapes only: largest width along an axis, as rg_shape_extent computes it; 0: not set */
    double extent;

    RgMeshData mesh;       /* mesh */
    const double *heights; /* heightfield: rows * columns */
    int32_t rows, columns;
} RgShape;

/* Axis-aligned box. */
typedef struct RgBounds {
    RgVec3 low, high; /* m; infinite for an unbounded shape */
} RgBounds;

/* The part of a surface that faces a direction: the farthest point along it, or all points that are as far up to a
   slope. */
typedef enum RgFacingKind { RG_FACING_POINT, RG_FACING_SEGMENT, RG_FACING_DISC } RgFacingKind;

typedef struct RgFacing {
    RgFacingKind kind;
    RgVec3 point[2]; /* the point; the ends of the segment; the centre of the disc */
    /* disc: two unit axes in it; point on a curved edge: the edge's direction, any length but zero */
    RgVec3 along[2];
    double radius;       /* of the disc; of the curved side that contains the segment, or 0 */
    bool curved;         /* the surface there is curved: a point or a line of it, not a corner or an edge */
    RgFeature feature;   /* feature that contains all of it */
    RgFeature border[2]; /* at the ends of the segment; at the rim of the disc */
} RgFacing;

/* The functions of a kind. Those without "NULL:" are required. */
typedef struct RgShapeKind {
    const char *name;

    /* Describes in a few words what is invalid; NULL if the shape is valid. All functions below require a valid shape.
       Zero sizes are valid: points, segments and plates are shapes without mass. */
    const char *(*check)(const RgShape *shape);

    /* Exact mass properties in S; RG_ERR_UNSUPPORTED (out unchanged) for a shape that encloses no volume. */
    RgStatus (*inertia)(const RgShape *shape, double density, RgInertia *out);

    /* The point of the shape farthest along direction (any length; zero: any point), in S. NULL: unbounded, all points
       with z <= 0. */
    RgVec3 (*support)(const RgShape *shape, RgVec3 direction);

    /* Smallest axis-aligned box along the axes of S. */
    RgBounds (*bounds)(const RgShape *shape);

    /* First point of a solid on the ray origin + t direction, 0 <= t <= reach (in units of the direction), and the
       outward normal there. Returns false if there is none. A ray that starts inside hits at t = 0. NULL: for kinds
       that are never a part themselves (mesh, height field). */
    bool (*ray)(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t, RgVec3 *normal);

    /* A convex shape is its core grown by a ball of this radius. A larger radius is better: distances are those of the
       cores minus the radii, and smaller cores need fewer iterations. NULL: 0. */
    double (*rounding)(const RgShape *shape);

    /* The core as a polytope, in the arena; what: a few words on failure. NULL: the core is not a polytope and is given
       by its support function only. */
    RgStatus (*core)(RgArena *arena, const RgShape *shape, struct RgPolytope *out, RgMeshReport *report,
                     const char **what);

    /* The part that faces the unit direction n: lines and discs count if their slope against the plane normal to n is
       at most `slope` (> 0). For shapes without core polytope. NULL: the farthest point, curved, on face 0. */
    void (*facing)(const RgShape *shape, RgVec3 n, double slope, RgFacing *out);

    /* Distance of the farthest point from the origin of S. For shapes without core polytope. NULL: that of the farthest
       corner of the bounds. */
    double (*reach)(const RgShape *shape);

    /* Half axes, along those of S, of the ellipsoid (possibly flat) whose Minkowski sum with a polytope is the shape.
       For shapes without core polytope; with one, it is the ball of the rounding. NULL: no such decomposition. */
    RgVec3 (*round_part)(const RgShape *shape);

    /* Not convex: makes its triangles, in the arena, from a valid shape. hulled: its faces may be replaced by convex
       hulls (RgShapeDef.mesh_use). NULL: a solid. */
    RgStatus (*surface)(RgArena *arena, const RgShape *shape, struct RgSurface **out, RgMeshReport *report,
                        const char **what);
    bool hulled;
} RgShapeKind;

/* Name of a kind and the functions that all solids have, each by the name of its field: box_check, ... */
#define RG_SHAPE_SOLID(kind)                                                                                           \
    .name = #kind, .check = kind##_check, .inertia = kind##_inertia, .support = kind##_support, .bounds = kind##_bounds

/* Table entry of a kind; NULL for an invalid number. */
extern const RgShapeKind *const rg_shape_kinds[RG_SHAPE_COUNT];
static inline const RgShapeKind *rg_shape_kind(RgShapeType type)
{
    return (unsigned)type < RG_SHAPE_COUNT ? rg_shape_kinds[type] : NULL;
}

/* View of the geometry of a def. */
RgShape rg_shape_view(const RgShapeDef *def);

/* A polytope as a shape. The polytope must outlive it. */
static inline RgShape rg_shape_of_polytope(const struct RgPolytope *polytope)
{
    return (RgShape){.type = RG_SHAPE_polytope, .size = {1.0, 1.0, 1.0}, .core = polytope};
}

/* Vertex i of a mesh or of a polytope's points, scaled. */
static inline RgVec3 rg_shape_vertex(const RgShape *shape, int32_t i)
{
    const double *p = shape->mesh.vertices + 3 * (int64_t)i;
    return v3(shape->size[0] * p[0], shape->size[1] * p[1], shape->size[2] * p[2]);
}

/* The vertex of the mesh that is farthest along the direction; the first of several. */
RgVec3 rg_shape_farthest_vertex(const RgShape *shape, RgVec3 direction);

/* Radius of the ball by which the core is grown. */
static inline double rg_shape_rounding(const RgShape *shape)
{
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    return kind->rounding != NULL ? kind->rounding(shape) : 0.0;
}

/* Thickness of a convex shape, m: the root mean square distance of its points from a plane through their centroid,
   minimised over the plane's normal. At most half the width in any direction (ball: 0.447 r, box: 0.577 of the smallest
   half side). Infinite if unbounded; 0 without volume. */
double rg_shape_thickness(const RgShape *shape);

/* Support point of the core along direction (any length but zero), for a shape with support. *vertex: in, a guess or
   -1; out, the vertex's index, or -1 if the core is not a polytope. */
RgVec3 rg_core_support(const RgShape *shape, RgVec3 direction, int32_t *vertex);

/* Extent of the core of such a shape against and along each of the three rows r_i of R: max of -r_i.x, of r_i.x. */
typedef struct RgCoreExtent {
    double against[3], along[3];
} RgCoreExtent;
RgCoreExtent rg_core_extent(const RgShape *shape, const RgMat3 *R);

/* The part that faces n, of any shape with support and without core polytope. */
RgFacing rg_shape_facing(const RgShape *shape, RgVec3 n, double slope);

/* Largest width along one of the shape's axes, m; 0 if unbounded. */
double rg_shape_extent(const RgShape *shape);

/* For kinds: error text if one of the first count sizes is negative or not finite, else NULL. */
const char *rg_shape_check_sizes(const RgShape *shape, int count);

/* For kinds: fills out from the volume, the centre and the inertia of the shape at density 1. Fails if the volume is
   not positive or a product is not finite. */
RgStatus rg_shape_apply_density(double density, const RgInertia *unit, RgInertia *out);

/* A shape with a pose: X_AS is its pose in the frame A of the query. */
typedef struct RgPosedShape {
    RgShape shape;
    RgPose X_AS;
} RgPosedShape;

/*
 * Distance of a point of A from the convex hull of count posed shapes: 0 inside or on it. RG_ERR_ARGUMENT for no
 * shapes, RG_ERR_UNSUPPORTED if a shape is unbounded, RG_ERR_NOT_FINITE if the point or a pose is not finite,
 * RG_ERR_NOT_CONVERGED if the distance is only an upper bound.
 */
RgStatus rg_hull_distance(const RgPosedShape *shapes, int count, RgVec3 point, double *distance);

#endif
