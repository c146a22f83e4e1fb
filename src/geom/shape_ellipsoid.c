/*
 * shape_ellipsoid.c - half axes a, b, c along x, y, z about the origin.
 *
 *   V = 4/3 pi a b c      Ixx = m (b^2 + c^2)/5, and cyclically
 *
 * The support point is the image of that of the unit ball: with A = diag(a, b, c), s(d) = A (A d)/|A d|.
 */
#include "geom/shape_ray.h"
#include "geom/shape_table.h"
#include "math/trig.h"
#include "math/vec3.h"

static const char *ellipsoid_check(const RgShape *shape)
{
    return rg_shape_check_sizes(shape, 3);
}

static RgStatus ellipsoid_inertia(const RgShape *shape, double density, RgInertia *out)
{
    double a = shape->size[0], b = shape->size[1], c = shape->size[2];
    double V = 4.0 / 3.0 * RG_PI * a * b * c;
    RgSym3 I = {.xx = 0.2 * V * (b * b + c * c), .yy = 0.2 * V * (a * a + c * c), .zz = 0.2 * V * (a * a + b * b)};
    return rg_shape_apply_density(density, &(RgInertia){.mass = V, .I = I}, out);
}

static RgVec3 ellipsoid_support(const RgShape *shape, RgVec3 direction)
{
    const double *A = shape->size;
    RgVec3 Ad = {A[0] * direction.x, A[1] * direction.y, A[2] * direction.z};
    double length = v3_norm(Ad);
    if (length == 0.0)
        return (RgVec3){A[0], 0.0, 0.0};
    return (RgVec3){A[0] * (Ad.x / length), A[1] * (Ad.y / length), A[2] * (Ad.z / length)};
}

static RgBounds ellipsoid_bounds(const RgShape *shape)
{
    const double *A = shape->size;
    return (RgBounds){.low = {-A[0], -A[1], -A[2]}, .high = {A[0], A[1], A[2]}};
}

static double ellipsoid_reach(const RgShape *shape)
{
    return fmax(shape->size[0], fmax(shape->size[1], shape->size[2]));
}

/* An ellipsoid is the sum of a ball and a convex body if the ball's radius is at most the least radius of curvature,
   c^2 / a for half axes a >= b >= c. */
static double ellipsoid_rounding(const RgShape *shape)
{
    double a = ellipsoid_reach(shape), c = fmin(shape->size[0], fmin(shape->size[1], shape->size[2]));
    return a > 0.0 ? c * (c / a) : 0.0;
}

static RgVec3 ellipsoid_round_part(const RgShape *shape)
{
    return v3(shape->size[0], shape->size[1], shape->size[2]);
}

static RgVec3 multiply_components(RgVec3 a, RgVec3 b)
{
    return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* A half axis below this fraction of the longest one counts as zero in a ray test. */
#define RAY_FLAT 1e-60

/* Clips the ray to the planes through 0 across the half axes that are zero; per is 0 there. *flat: the axis of the last
   entry, or -1. */
static bool clip_flat_axes(RgVec3 per, RgVec3 origin, RgVec3 direction, RayInterval *within, int *flat)
{
    *within = (RayInterval){-INFINITY, INFINITY};
    *flat = -1;
    for (int i = 0; i < 3; i++) {
        RayInterval slab;
        if (v3_at(per, i) > 0.0)
            continue;
        if (!ray_slab(v3_at(origin, i), v3_at(direction, i), 0.0, &slab))
            return false;
        *flat = slab.enter > within->enter ? i : *flat;
        *within = (RayInterval){d_max(within->enter, slab.enter), d_min(within->exit, slab.exit)};
    }
    return true;
}

/* Intersects the ray with the ball of the longest half axis, in coordinates scaled so that the ellipsoid becomes that
   ball; a half axis of zero gives a plane instead. The normal is along x_i / e_i^2. */
static bool ellipsoid_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t,
                          RgVec3 *normal)
{
    const double *e = shape->size;
    double longest = d_max(e[0], d_max(e[1], e[2])), least = RAY_FLAT * longest;
    RgVec3 per = {e[0] > least ? longest / e[0] : 0.0, e[1] > least ? longest / e[1] : 0.0,
                  e[2] > least ? longest / e[2] : 0.0};
    RgVec3 o = multiply_components(origin, per), d = multiply_components(direction, per);
    RayInterval within, ball;
    int flat;
    if (!clip_flat_axes(per, origin, direction, &within, &flat) || !ray_ball(o, d, longest, &ball))
        return false;
    bool round = ball.enter > within.enter;
    within = (RayInterval){d_max(within.enter, ball.enter), d_min(within.exit, ball.exit)};
    if (within.enter > within.exit || within.exit < 0.0 || within.enter > reach)
        return false;
    if (within.enter < 0.0)
        return ray_inside(direction, t, normal);
    *t = within.enter;
    if (round || flat < 0) {
        v3_unit(multiply_components(v3_axpy(*t, d, o), per), v3_neg(direction), normal);
    } else {
        double against = v3_at(direction, flat) > 0.0 ? -1.0 : 1.0;
        *normal = v3(flat == 0 ? against : 0.0, flat == 1 ? against : 0.0, flat == 2 ? against : 0.0);
    }
    return true;
}

const RgShapeKind rg_shape_kind_ellipsoid = {RG_SHAPE_SOLID(ellipsoid), .rounding = ellipsoid_rounding,
                                             .reach = ellipsoid_reach, .round_part = ellipsoid_round_part,
                                             .ray = ellipsoid_ray};
