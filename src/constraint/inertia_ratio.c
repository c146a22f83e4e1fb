/*
 * inertia_ratio.c - see inertia_ratio.h. I - d S S' stays positive definite while d < 1 / (S' I^-1 S), which is less
 * than S' I S if S is not a principal axis. The amount is clamped to half of that bound, not set to zero: otherwise the
 * inertias, and with them the energy, would jump when a body turns past the bound.
 */
#include "constraint/inertia_ratio.h"

#include <math.h>

/* Part of the bound of positive definiteness that is moved at most; the rest keeps the inertia away from singular. */
#define MOVED_FRACTION 0.5

static double moment_about(RgSym3 I, RgVec3 S)
{
    return v3_dot(S, s3_apply(I, S));
}

static RgSym3 plus_axis(RgSym3 I, double d, RgVec3 S)
{
    return s3_add(I,
                  (RgSym3){d * S.x * S.x, d * S.y * S.y, d * S.z * S.z, d * S.x * S.y, d * S.x * S.z, d * S.y * S.z});
}

/* 1 / (S' I^-1 S): the amount about S at which I becomes singular. */
static double largest_removable(RgSym3 I, RgVec3 S)
{
    double xx = I.yy * I.zz - I.yz * I.yz, xy = I.xz * I.yz - I.xy * I.zz, xz = I.xy * I.yz - I.xz * I.yy;
    RgSym3 adjugate = {xx, I.xx * I.zz - I.xz * I.xz, I.xx * I.yy - I.xy * I.xy, xy, xz, I.xy * I.xz - I.xx * I.yz};
    double determinant = I.xx * xx + I.xy * xy + I.xz * xz, size = moment_about(adjugate, S);
    return determinant > 0.0 && size > 0.0 ? determinant / size : 0.0;
}

/* Amount by the rule, before the clamp. */
static double amount_by_rule(RgInertiaRule rule, double larger, double smaller)
{
    if (rule.factor > 0.0)
        return rule.factor * (larger - smaller);
    return rule.most > 0.0 && larger > rule.most * smaller ? (larger - rule.most * smaller) / (1.0 + rule.most) : 0.0;
}

double rg_inertia_share(RgSym3 *a, RgSym3 *b, RgVec3 S, RgInertiaRule rule)
{
    double of_a = moment_about(*a, S), of_b = moment_about(*b, S);
    RgSym3 *large = of_a >= of_b ? a : b, *small = of_a >= of_b ? b : a;
    double larger = of_a >= of_b ? of_a : of_b, smaller = of_a >= of_b ? of_b : of_a;
    double d = amount_by_rule(rule, larger, smaller);
    if (!(d > 0.0))
        return 0.0;
    d = fmin(d, MOVED_FRACTION * largest_removable(*large, S));
    *large = plus_axis(*large, -d, S);
    *small = plus_axis(*small, d, S);
    return large == a ? d : -d;
}
