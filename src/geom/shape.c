/*
 * shape.c - the table of shape kinds, and functions common to all kinds.
 */
#include "geom/shape.h"

#include "geom/polytope.h"
#include "geom/shape_table.h"
#include "math/mat3.h"
#include "math/unit.h"

const RgShapeKind *const rg_shape_kinds[RG_SHAPE_COUNT] = {
#define RG_SHAPE_ENTRY(name) &rg_shape_kind_##name,
    RG_SHAPE_LIST(RG_SHAPE_ENTRY)
#undef RG_SHAPE_ENTRY
};

const char *rg_shape_type_name(RgShapeType type)
{
    const RgShapeKind *kind = rg_shape_kind(type);
    return kind != NULL ? kind->name : "unknown";
}

RgShape rg_shape_view(const RgShapeDef *def)
{
    return (RgShape){.type = def->type,
                     .size = {def->size[0], def->size[1], def->size[2]},
                     .mesh = def->mesh,
                     .heights = def->heights,
                     .rows = def->rows,
                     .columns = def->columns};
}

/* With moments I1 <= I2 <= I3 the integral of the squares along the third axis is (I1 + I2 - I3) / 2. */
double rg_shape_thickness(const RgShape *shape)
{
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    RgInertia unit;
    RgMat3 axes;
    double I[3];
    if (kind->support == NULL)
        return INFINITY;
    if (kind->inertia(shape, 1.0, &unit) != RG_OK)
        return 0.0;
    rg_sym3_eigen(unit.I, I, &axes);
    return sqrt(fmax(0.5 * (I[0] + I[1] - I[2]), 0.0) / unit.mass);
}

/* Without core polytope: the support point of the shape, moved back by the rounding. */
RgVec3 rg_core_support(const RgShape *shape, RgVec3 direction, int32_t *vertex)
{
    if (shape->core != NULL) {
        *vertex = rg_polytope_support(shape->core, direction, *vertex);
        return shape->core->vertex[*vertex];
    }
    *vertex = -1;
    RgVec3 x = rg_shape_kind(shape->type)->support(shape, direction), n;
    double r = rg_shape_rounding(shape);
    if (!(r > 0.0))
        return x;
    v3_unit(direction, v3_zero(), &n);
    return v3_axpy(-r, n, x);
}

static double extent_along(const RgShape *shape, RgVec3 d)
{
    int32_t vertex = -1;
    return v3_dot(d, rg_core_support(shape, d, &vertex));
}

RgCoreExtent rg_core_extent(const RgShape *shape, const RgMat3 *R)
{
    RgCoreExtent out;
    for (int i = 0; i < 3; i++) {
        RgVec3 axis = v3(R->m[i][0], R->m[i][1], R->m[i][2]);
        out.against[i] = extent_along(shape, v3_neg(axis));
        out.along[i] = extent_along(shape, axis);
    }
    return out;
}

RgFacing rg_shape_facing(const RgShape *shape, RgVec3 n, double slope)
{
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    RgFacing out = {.kind = RG_FACING_POINT};
    if (kind->facing != NULL) {
        kind->facing(shape, n, slope, &out);
        return out;
    }
    out.point[0] = kind->support(shape, n);
    out.curved = true;
    out.feature = (RgFeature){RG_FEATURE_FACE, 0};
    return out;
}

const char *rg_shape_check_sizes(const RgShape *shape, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(shape->size[i]))
            return "a size is not finite";
        if (shape->size[i] < 0.0)
            return "a size is negative";
    }
    return NULL;
}

double rg_shape_extent(const RgShape *shape)
{
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    if (shape->extent > 0.0 || kind->support == NULL)
        return shape->extent;
    double extent = 0.0;
    for (int i = 0; i < 3; i++) {
        RgVec3 d = {i == 0, i == 1, i == 2};
        double width = v3_dot(d, v3_sub(kind->support(shape, d), kind->support(shape, v3_neg(d))));
        extent = fmax(extent, width);
    }
    return extent;
}

RgVec3 rg_shape_farthest_vertex(const RgShape *shape, RgVec3 direction)
{
    RgVec3 best = rg_shape_vertex(shape, 0);
    double farthest = v3_dot(best, direction);
    for (int32_t i = 1; i < shape->mesh.nvertices; i++) {
        RgVec3 p = rg_shape_vertex(shape, i);
        double along = v3_dot(p, direction);
        if (along > farthest) {
            farthest = along;
            best = p;
        }
    }
    return best;
}
