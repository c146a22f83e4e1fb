/*
 * mass_properties.c - mass, centre of mass and inertia of a shape of uniform density.
 *
 * The kinds give volume, centre and inertia at density 1 by exact formula; here the density comes in and the
 * result is judged:
 *
 *   no volume (a plate, a segment, an open mesh)      RG_ERR_UNSUPPORTED
 *   overflow                                          RG_ERR_NOT_FINITE
 *   bad shape or a density that is not positive       RG_ERR_ARGUMENT
 *
 * On every failure the output is left untouched.
 */
#include "geom/shape.h"
#include "math/spatial.h"

RgStatus rg_shape_weigh(double density, const RgInertia *unit, RgInertia *out)
{
    RgInertia result = {density * unit->mass, unit->com, s3_scale(density, unit->I)};
    const RgSym3 *I = &result.I;
    if (!isfinite(result.mass) || !v3_finite(result.com) || !v3_finite(v3(I->xx, I->yy, I->zz)) ||
        !v3_finite(v3(I->xy, I->xz, I->yz)))
        return RG_ERR_NOT_FINITE;

    /* Every principal moment of a solid is positive; one that underflowed is as good as none. */
    if (!(result.mass > 0.0) || !(I->xx > 0.0) || !(I->yy > 0.0) || !(I->zz > 0.0))
        return RG_ERR_UNSUPPORTED;
    *out = result;
    return RG_OK;
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
