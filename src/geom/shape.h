/*
 * shape.h - a shape as numbers, and what each kind of shape can answer.
 *
 * A shape is a view: it owns nothing, and stands in its own frame S. Everything a kind knows is one table
 * entry.
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

    /* Prepared shapes only: the polytope of which the shape is the hull, grown by the kind's rounding.
       Sphere: a point; capsule: a segment; box, polytope, triangle of a surface: all their corners. NULL
       for any other. */
    const struct RgPolytope *core;
    double extent; /* m; the same: largest width along an axis, as rg_shape_extent computes it; 0: not known */

    RgMeshData mesh;       /* mesh */
    const double *heights; /* heightfield: rows * columns */
    int32_t rows, columns;
} RgShape;

/* Axis-aligned box. */
typedef struct RgBounds {
    RgVec3 low, high; /* m; infinite where the shape is */
} RgBounds;

/* What of a surface faces a direction: the farthest point along it, or all that is as far but for a slope. */
typedef enum RgFacingKind { RG_FACING_POINT, RG_FACING_SEGMENT, RG_FACING_DISC } RgFacingKind;

typedef struct RgFacing {
    RgFacingKind kind;
    RgVec3 point[2];     /* the point; the ends of the segment; the middle of the disc */
    RgVec3 along[2];     /* disc: two unit axes in it; point on a round edge: the edge, of any length but zero */
    double radius;       /* of the disc; of the round side that the segment lies on, or 0 */
    bool curved;         /* the surface there is round: a point or a line of it, no corner and no edge */
    RgFeature feature;   /* that holds all of it */
    RgFeature border[2]; /* at the ends of the segment; on the rim of the disc */
} RgFacing;

/* What a kind can answer. Those without an "or NULL" are needed. */
typedef struct RgShapeKind {
    const char *name;

    /* What is wrong with the shape, in a few words; NULL if nothing. The calls below need a shape that
       passed. Zero sizes pass: points, segments and plates are shapes, only without mass. */
    const char *(*check)(const RgShape *shape);

    /* Exact mass properties in S; RG_ERR_UNSUPPORTED (out untouched) for a shape that encloses no volume. */
    RgStatus (*inertia)(const RgShape *shape, double density, RgInertia *out);

    /* The point of the shape farthest along direction (any length, zero: some point), in S. NULL: without
       bound, all points with z <= 0. */
    RgVec3 (*support)(const RgShape *shape, RgVec3 direction);

    /* Smallest axis-aligned box along the axes of S. */
    RgBounds (*bounds)(const RgShape *shape);

    /* First point of a solid on the ray origin + t direction, 0 <= t <= reach (in units of the direction),
       and the outward normal there; false: none. A ray that begins inside hits at t = 0. NULL: asked of
       the parts or the surface. */
    bool (*ray)(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t, RgVec3 *normal);

    /* A convex shape is its core grown by a ball of this radius, the larger the better: distances are those
       of the cores less the radii, and the smaller a core, the sooner they are found. NULL: 0. */
    double (*rounding)(const RgShape *shape);

    /* The core as a polytope, in the arena; what: a few words where it fails. NULL: it is none, and is known
       by its farthest points alone. */
    RgStatus (*core)(RgArena *arena, const RgShape *shape, struct RgPolytope *out, RgMeshReport *report,
                     const char **what);

    /* What faces the unit direction n: lines and discs count whose slope against the plane across n is no
       more than the one given (> 0). Asked of shapes without core polytope. NULL: the farthest point,
       round, on face 0. */
    void (*facing)(const RgShape *shape, RgVec3 n, double slope, RgFacing *out);

    /* Distance of the farthest point from the origin of S. Asked of shapes without core polytope. NULL: that
       of the farthest corner of the bounds. */
    double (*reach)(const RgShape *shape);

    /* Half axes, along those of S, of the ellipsoid (a flat one too) of which the shape is the sum with a
       polytope. Asked of shapes without core polytope; with one it is the ball of the rounding. NULL: nothing
       is known. */
    RgVec3 (*round_part)(const RgShape *shape);

    /* Not convex: its triangles, in the arena, of a shape that has passed its check. hulled: its faces may be
       taken as convex hulls instead (RgShapeDef.mesh_use). NULL: a solid. */
    RgStatus (*surface)(RgArena *arena, const RgShape *shape, struct RgSurface **out, RgMeshReport *report,
                        const char **what);
    bool hulled;
} RgShapeKind;

/* Table entry of a kind; NULL for a number that is none. */
extern const RgShapeKind *const rg_shape_kinds[RG_SHAPE_COUNT];
static inline const RgShapeKind *rg_shape_kind(RgShapeType type)
{
    return (unsigned)type < RG_SHAPE_COUNT ? rg_shape_kinds[type] : NULL;
}

/* View of a def's geometry. */
RgShape rg_shape_view(const RgShapeDef *def);

/* A polytope as a shape; it must outlive it. */
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

/* Radius of the ball by which the core is grown. */
static inline double rg_shape_rounding(const RgShape *shape)
{
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    return kind->rounding != NULL ? kind->rounding(shape) : 0.0;
}

/* How thin a convex shape is, m: the root mean square of its points' distances from a plane through their centre,
   that where it is least. No more than half the width in any direction (ball: 0.447 r, box: 0.577 of the least
   half side). Infinite without bound; 0 without volume. */
double rg_shape_thin(const RgShape *shape);

/* Farthest point of the core along direction (any length but zero) of a shape with support, and its number in
   *vertex, where a guess or -1 comes in; -1: the core is no polytope. */
RgVec3 rg_core_support(const RgShape *shape, RgVec3 direction, int32_t *vertex);

/* How far the core of such a shape reaches against and along each of the three rows of R: max of -r_i.x, of r_i.x. */
typedef struct RgCoreExtent {
    double against[3], along[3];
} RgCoreExtent;
RgCoreExtent rg_core_extent(const RgShape *shape, const RgMat3 *R);

/* What faces n, of any shape with support and without core polytope. */
RgFacing rg_shape_facing(const RgShape *shape, RgVec3 n, double slope);

/* Largest width along one of the shape's axes, m; 0 for one without bound. */
double rg_shape_extent(const RgShape *shape);

/* For kinds: text if one of the first count sizes is negative or not finite, else NULL. */
const char *rg_shape_check_sizes(const RgShape *shape, int count);

/* For kinds: fills out from the volume, the centre and the inertia of the shape at density 1. Fails where the
   volume is not positive or a product is not finite. */
RgStatus rg_shape_weigh(double density, const RgInertia *unit, RgInertia *out);

/* A shape somewhere: X_AS is its pose in the frame A of the question. */
typedef struct RgPosedShape {
    RgShape shape;
    RgPose X_AS;
} RgPosedShape;

/*
 * Distance of a point of A from the convex hull of count posed shapes: 0 inside or on it. RG_ERR_ARGUMENT for
 * no shapes, RG_ERR_UNSUPPORTED where a shape has no bound, RG_ERR_NOT_FINITE for a point or a pose that is
 * not, RG_ERR_NOT_CONVERGED where the distance holds only as an upper bound.
 */
RgStatus rg_hull_distance(const RgPosedShape *shapes, int count, RgVec3 point, double *distance);

#endif
