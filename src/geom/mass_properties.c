/*
 * mass_properties.c - mass, centre of mass and inertia of a shape of uniform density.
 *
 * The kinds give volume, centre and inertia at density 1 by exact formulas; this file applies the density and checks
 * the result:
 *
 *   no volume (a plate, a segment, an open mesh)      RG_ERR_UNSUPPORTED
 *   overflow                                          RG_ERR_NOT_FINITE
 *   bad shape or a density that is not positive       RG_ERR_ARGUMENT
 *
 * On every failure the output is unchanged.
 *
 * A solid bounded by triangles is the signed sum of the tetrahedra (o, a, b, c) over them, for any apex o (divergence
 * theorem). With a, b, c measured from o, d = a . (b x c) and s = a + b + c, one tetrahedron has
 *
 *   volume d/6      first moment d/24 s      second moment d/120 (a a' + b b' + c c' + s s')
 *
 * A first pass with o in the centre of the bounding box gives volume and centroid; a second one with o in the centroid
 * gives the second moment C about it without the cancellation of a parallel-axis shift; then I = tr(C) 1 - C.
 */
#include "geom/mass_properties.h"

#include "math/spatial.h"

/* Smallest volume, as a fraction of area times size of the bounding box: above the round-off of a flat solid, below any
   real plate. */
#define MIN_THICKNESS 1e-13

RgStatus rg_shape_apply_density(double density, const RgInertia *unit, RgInertia *out)
{
    RgInertia result = {density * unit->mass, unit->com, s3_scale(density, unit->I)};
    const RgSym3 *I = &result.I;
    if (!isfinite(result.mass) || !v3_finite(result.com) || !v3_finite(v3(I->xx, I->yy, I->zz)) ||
        !v3_finite(v3(I->xy, I->xz, I->yz)))
        return RG_ERR_NOT_FINITE;

    /* Every principal moment of a solid is positive; one that underflows counts as none. */
    if (!(result.mass > 0.0) || !(I->xx > 0.0) || !(I->yy > 0.0) || !(I->zz > 0.0))
        return RG_ERR_UNSUPPORTED;
    *out = result;
    return RG_OK;
}

static RgSym3 outer(RgVec3 a)
{
    return (RgSym3){a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
}

void rg_moments_add(RgMoments *sum, double sign, const RgVec3 corner[3])
{
    RgVec3 a = corner[0], b = corner[1], c = corner[2];
    RgVec3 s = v3_add(a, v3_add(b, c));
    double d = sign * v3_dot(a, v3_cross(b, c));
    RgSym3 squares = s3_add(s3_add(outer(a), outer(b)), s3_add(outer(c), outer(s)));
    sum->volume += d / 6.0;
    sum->area += 0.5 * v3_norm(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    sum->first = v3_axpy(d / 24.0, s, sum->first);
    sum->second = s3_add(sum->second, s3_scale(d / 120.0, squares));
}

RgStatus rg_moments_inertia(RgMomentsAbout *about, const void *solid, RgBounds box, double density, RgInertia *out)
{
    /* Volume and centroid, with the centre of the box as apex. */
    RgVec3 middle = v3_axpy(0.5, v3_sub(box.high, box.low), box.low);
    RgMoments rough = about(solid, middle);
    if (!isfinite(rough.volume) || !isfinite(rough.area))
        return RG_ERR_NOT_FINITE;
    if (rough.volume <= MIN_THICKNESS * rough.area * v3_norm(v3_sub(box.high, box.low)))
        return RG_ERR_UNSUPPORTED;
    RgVec3 centroid = v3_axpy(1.0 / rough.volume, rough.first, middle);

    /* The same with the centroid as apex; the remaining first moment refines it. */
    RgMoments fine = about(solid, centroid);
    RgSym3 C = fine.second;
    double spread[3];
    RgMat3 axes;
    rg_sym3_eigen(C, spread, &axes);
    if (isfinite(spread[0]) && spread[0] <= 0.0)
        return RG_ERR_UNSUPPORTED;
    RgSym3 I = {C.yy + C.zz, C.xx + C.zz, C.xx + C.yy, -C.xy, -C.xz, -C.yz};
    RgVec3 com = v3_axpy(1.0 / fine.volume, fine.first, centroid);
    return rg_shape_apply_density(density, &(RgInertia){.mass = fine.volume, .com = com, .I = I}, out);
}

RgStatus rg_shape_inertia(const RgShapeDef *shape, double density, RgInertia *out)
{
    if (shape == NULL || out == NULL || !(density > 0.0) || !isfinite(density))
        return RG_ERR_ARGUMENT;
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    if (kind == NULL)
        return RG_ERR_ARGUMENT;
    if (shape->uri_missing)
        return RG_ERR_UNSUPPORTED;
    RgShape view = rg_shape_view(shape);
    if (kind->check(&view) != NULL)
        return RG_ERR_ARGUMENT;
    return kind->inertia(&view, density, out);
}
