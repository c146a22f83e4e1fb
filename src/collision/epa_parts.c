/* epa_parts.c - see epa_parts.h. */
#include "collision/epa_parts.h"

/* rad; along an axis of a flat ellipsoid every point of it is farthest. The corner is then searched along a normal
   turned by this angle. */
#define FLAT_AXIS_TILT 1e-12

static RgVec3 multiply_components(RgVec3 a, RgVec3 b)
{
    return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* Half axes of the ellipsoid in a shape. Returns false if the kind does not define them. */
static bool round_part(const RgShape *shape, double rounding, RgVec3 *axes)
{
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    if (shape->core != NULL)
        *axes = v3(rounding, rounding, rounding);
    else if (kind->round_part != NULL)
        *axes = kind->round_part(shape);
    else
        return false;
    return true;
}

bool rg_epa_parts(RgDifference *d, RgEpaParts *out)
{
    *out = (RgEpaParts){.d = d};
    if (!round_part(d->pair->a, d->round_a, &out->axes[0]) || !round_part(d->pair->b, d->round_b, &out->axes[1]))
        return false;
    for (int k = 0; k < 2; k++) {
        out->least[k] = d_min(out->axes[k].x, d_min(out->axes[k].y, out->axes[k].z));
        out->most[k] = d_max(out->axes[k].x, d_max(out->axes[k].y, out->axes[k].z));
    }
    return true;
}

RgEpaRound rg_epa_round(const RgEpaParts *p, RgVec3 n)
{
    RgEpaRound r = {.part = {multiply_components(p->axes[0], n),
                             multiply_components(p->axes[1], m3_apply_t(p->d->pair->X_AB.R, n))}};
    for (int k = 0; k < 2; k++)
        r.length[k] = v3_norm(r.part[k]);
    return r;
}

RgVec3 rg_epa_round_point(const RgEpaParts *p, const RgEpaRound *round, int k)
{
    if (!(round->length[k] > 0.0))
        return v3_zero();
    RgVec3 point = multiply_components(p->axes[k], v3_scale(1.0 / round->length[k], round->part[k]));
    return k == 0 ? point : m3_apply(p->d->pair->X_AB.R, point);
}

/* The support points of the shapes, less the contributions of the ellipsoids. */
RgEpaCorner rg_epa_corner(const RgEpaParts *p, RgVec3 n)
{
    double balls = p->d->round_a + p->d->round_b;
    RgEpaRound round = rg_epa_round(p, n);
    RgSupport s = rg_difference_support(p->d, n);
    double depth = balls - v3_dot(n, s.w);
    if (round.length[0] < FLAT_AXIS_TILT * p->most[0] || round.length[1] < FLAT_AXIS_TILT * p->most[1]) {
        RgVec3 across = v3_orthogonal(n);
        v3_unit(v3_axpy(FLAT_AXIS_TILT, v3_add(across, v3_cross(n, across)), n), n, &n);
        round = rg_epa_round(p, n);
        s = rg_difference_support(p->d, n);
    }
    RgVec3 own = rg_epa_round_point(p, &round, 0), other = rg_epa_round_point(p, &round, 1);
    return (RgEpaCorner){.v = v3_sub(v3_axpy(balls, n, v3_neg(s.w)), v3_add(own, other)),
                         .a = v3_sub(v3_axpy(p->d->round_a, n, s.a), own),
                         .va = s.va,
                         .vb = s.vb,
                         .depth = depth};
}
