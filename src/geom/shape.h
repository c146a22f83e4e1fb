/*
 * shape.h - a shape as numbers, and what each kind of shape can answer.
 *
 * A shape is a view: it owns nothing, and stands in its own frame S. Everything a kind knows is one table
 * entry.
 */
#ifndef RIGOR_SHAPE_H
#define RIGOR_SHAPE_H

#include <rigor/model.h>

typedef struct RgShape {
    RgShapeType type;
    double size[3];        /* as in RgShapeDef */
    RgMeshData mesh;       /* mesh */
    const double *heights; /* heightfield: rows * columns */
    int32_t rows, columns;

    /* Prepared shapes only: the polytope of which the shape is the hull, grown by the kind's rounding. Sphere: a
       point; capsule: a segment; box, polytope, triangle of a surface: all their corners. NULL for any other. */
    const struct RgPolytope *core;
} RgShape;

/* Axis-aligned box. */
typedef struct RgBounds {
    RgVec3 low, high; /* m; infinite where the shape is */
} RgBounds;

typedef struct RgShapeKind {
    const char *name;

    /* What is wrong with the shape, in a few words; NULL if nothing. The calls below need a shape that
       passed. Zero sizes pass: points, segments and plates are shapes, only without mass. */
    const char *(*check)(const RgShape *shape);

    /* Exact mass properties in S; RG_ERR_UNSUPPORTED (out untouched) for a shape that encloses no volume. */
    RgStatus (*inertia)(const RgShape *shape, double density, RgInertia *out);

    /* The point of the shape farthest along direction (any length, zero: some point), in S. NULL for a kind
       without bound. */
    RgVec3 (*support)(const RgShape *shape, RgVec3 direction);

    /* Smallest axis-aligned box along the axes of S. */
    RgBounds (*bounds)(const RgShape *shape);

    /* For collision: a convex shape is its core grown by a ball of radius rounding(shape); NULL: 0. core_support
       is the farthest point of the core along direction (any length but zero), and its number in *vertex; the
       number that comes in is a guess, or -1. Cores that are no polytopes leave -1. NULL: not convex, or without
       bound. */
    double (*rounding)(const RgShape *shape);
    RgVec3 (*core_support)(const RgShape *shape, RgVec3 direction, int32_t *vertex);

    /* First point of a solid on the ray origin + t direction, 0 <= t <= reach (in units of the direction), and the
       outward normal there; false: none. A ray that begins inside hits at t = 0. NULL: asked of the parts or the
       surface. */
    bool (*ray)(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t,
                RgVec3 *normal);
} RgShapeKind;

/* Table entry of a kind; NULL for a number that is none. */
const RgShapeKind *rg_shape_kind(RgShapeType type);

/* View of a def's geometry. */
RgShape rg_shape_view(const RgShapeDef *def);

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
