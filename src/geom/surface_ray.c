/*
 * surface_ray.c - ray against triangle and box, without gaps between neighbouring triangles.
 *
 * Triangle (Woop, Benthin, Wald 2013): the axes are permuted so that kz is the ray's main direction, and every vertex
 * is sheared so that the ray becomes that axis:
 *
 *   x = (v - o)_kx - s_x (v - o)_kz     y = (v - o)_ky - s_y (v - o)_kz     z = depth
 *   U = Cx By - Cy Bx     V = Ax Cy - Ay Cx     W = Bx Ay - By Ax
 *
 * The ray hits the triangle if U, V, W have no two opposite signs, at the depth
 *
 *   (U Az + V Bz + W Cz)/(U + V + W)
 *
 * x and y of a vertex are the same numbers in every triangle that has it, and U of an edge is exactly -U of the same
 * edge in the neighbour. Rounding preserves the order of two products, so that a computed U has the right sign or is
 * zero, and zero counts as inside: on a closed surface no ray passes through an edge or a corner. A ray at an edge may
 * hit both triangles.
 *
 * A triangle seen edge-on has U = V = W = 0: its vertices lie on one line through the ray, and it is hit between the
 * first and the last of its edges that the ray crosses.
 *
 * Crossings are counted as if the ray were displaced from its axis by (e, e^2), e > 0 and infinitesimal (Edelsbrunner,
 * Mucke 1990): the sign of U is computed exactly, by the round-off of its two products if they are equal, then by the
 * differences of y and of x. A ray then never lies on an edge, and a crossing outside one triangle is in its neighbour;
 * a triangle seen edge-on is not crossed.
 *
 * Box: the interval of the ray between two planes of each axis (slabs). The rounded x, y above differ from the exact
 * ones by less than 8 u D, D the largest coordinate difference and u = 2^-53; boxes grown by more than that contain
 * every triangle that the first test accepts.
 */
#include "geom/surface_ray.h"

#include "math/unit.h"

#include <float.h>

/* Growth of boxes, as a fraction of the largest coordinate: four times the bound above. */
#define RAY_PAD (32.0 * 0.5 * DBL_EPSILON)

/* Entry and exit of a slab have three roundings each. */
#define RAY_SLACK (1.0 + 8.0 * DBL_EPSILON)

/* Round-off of a volume as a fraction of its terms: a few roundings each, including those of the shear. */
#define CROSSING_ROUND_OFF (16.0 * DBL_EPSILON)

/* A slope below this moves the ray by less than the smallest double over any permitted distance. */
#define RAY_ACROSS 1e-290

bool rg_surface_ray_init(RgSurfaceRay *ray, RgVec3 origin, RgVec3 direction, const RgBounds *bounds)
{
    double length = v3_largest(direction);
    if (!v3_finite(origin) || !v3_finite(direction) || !(length > 0.0))
        return false;
    const double d[3] = {direction.x, direction.y, direction.z};
    ray->origin[0] = origin.x;
    ray->origin[1] = origin.y;
    ray->origin[2] = origin.z;
    ray->kz = fabs(d[0]) == length ? 0 : fabs(d[1]) == length ? 1 : 2;
    ray->kx = (ray->kz + 1) % 3;
    ray->ky = (ray->kz + 2) % 3;
    ray->scale = length;
    for (int i = 0; i < 3; i++) {
        ray->slope[i] = d[i] / length;
        ray->inverse[i] = fabs(ray->slope[i]) > RAY_ACROSS ? 1.0 / ray->slope[i] : 0.0;
    }
    ray->pad = RAY_PAD * (v3_largest(origin) + d_max(v3_largest(bounds->low), v3_largest(bounds->high)));
    return true;
}

bool rg_surface_ray_box(const RgSurfaceRay *ray, const RgBounds *box, double reach, double *enter)
{
    const double lows[3] = {box->low.x, box->low.y, box->low.z};
    const double highs[3] = {box->high.x, box->high.y, box->high.z};
    double near = 0.0, far = reach;
    for (int i = 0; i < 3; i++) {
        double low = lows[i] - ray->origin[i] - ray->pad, high = highs[i] - ray->origin[i] + ray->pad;
        double inverse = ray->inverse[i];
        if (inverse == 0.0) {
            if (low > 0.0 || high < 0.0)
                return false;
            continue;
        }
        near = d_max(near, (inverse > 0.0 ? low : high) * inverse);
        far = d_min(far, (inverse > 0.0 ? high : low) * inverse);
    }
    *enter = near;
    return near <= far * RAY_SLACK;
}

/* A vertex in the sheared frame. */
typedef struct Sheared {
    double x, y, z;
} Sheared;

static Sheared shear(const RgSurfaceRay *ray, RgVec3 v)
{
    const double p[3] = {v.x - ray->origin[0], v.y - ray->origin[1], v.z - ray->origin[2]};
    double depth = p[ray->kz] * ray->slope[ray->kz];
    return (Sheared){p[ray->kx] - ray->slope[ray->kx] * depth, p[ray->ky] - ray->slope[ray->ky] * depth, depth};
}

/* Edge-on: depth at which the ray enters the triangle, between the smallest and the largest depth at which the axis
   crosses an edge; infinite if it crosses none or all of them lie behind. */
static double depth_edge_on(const Sheared v[3])
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const Sheared *a = &v[i], *b = &v[(i + 1) % 3];
        if (a->x * b->x > 0.0 || a->y * b->y > 0.0)
            continue;
        double from = fabs(a->x) + fabs(a->y), to = fabs(b->x) + fabs(b->y);
        double depth = from + to > 0.0 ? a->z + (b->z - a->z) * (from / (from + to)) : d_min(a->z, b->z);
        least = d_min(least, depth);
        most = d_max(most, depth);
    }
    return most >= 0.0 ? d_max(least, 0.0) : (double)INFINITY;
}

bool rg_surface_ray_triangle(const RgSurfaceRay *ray, const RgVec3 vertex[3], double reach, double *depth)
{
    const Sheared v[3] = {shear(ray, vertex[0]), shear(ray, vertex[1]), shear(ray, vertex[2])};
    double U = v[2].x * v[1].y - v[2].y * v[1].x;
    double V = v[0].x * v[2].y - v[0].y * v[2].x;
    double W = v[1].x * v[0].y - v[1].y * v[0].x;
    if ((U < 0.0 || V < 0.0 || W < 0.0) && (U > 0.0 || V > 0.0 || W > 0.0))
        return false;
    double sum = U + V + W;
    *depth = sum != 0.0 ? (U * v[0].z + V * v[1].z + W * v[2].z) / sum : depth_edge_on(v);
    return *depth >= 0.0 && *depth <= reach && isfinite(*depth);
}

/* ------------------------------------------------------------------ crossings */

/* Error of a product (Dekker 1971): p + result is exactly a b. */
static double product_error(double a, double b, double p)
{
    const double split = 0x1p27 + 1.0;
    double big_a = split * a, big_b = split * b;
    double high_a = big_a - (big_a - a), high_b = big_b - (big_b - b);
    double low_a = a - high_a, low_b = b - high_b;
    return ((high_a * high_b - p) + high_a * low_b + low_a * high_b) + low_a * low_b;
}

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/* Side of the edge from p to q on which the axis is: 1 on its left. Exactly the opposite for q to p. */
static int side_of_edge(const Sheared *p, const Sheared *q)
{
    double left = p->x * q->y, right = p->y * q->x;
    int side = (left > right) - (left < right);
    if (side == 0)
        side = sign_of(product_error(p->x, q->y, left) - product_error(p->y, q->x, right));
    if (side == 0)
        side = sign_of(p->y - q->y);
    return side != 0 ? side : sign_of(q->x - p->x);
}

int rg_surface_ray_crossing(const RgSurfaceRay *ray, const RgVec3 vertex[3], bool *clear)
{
    const Sheared v[3] = {shear(ray, vertex[0]), shear(ray, vertex[1]), shear(ray, vertex[2])};
    int side = side_of_edge(&v[0], &v[1]);
    if (side == 0 || side_of_edge(&v[1], &v[2]) != side || side_of_edge(&v[2], &v[0]) != side)
        return 0;

    /* The depth of the crossing has the sign of this volume, or the opposite sign for a triangle seen from the other
       side. */
    double volume = 0.0, terms = 0.0;
    for (int i = 0; i < 3; i++) {
        const Sheared *a = &v[(i + 1) % 3], *b = &v[(i + 2) % 3];
        volume += (a->x * b->y - a->y * b->x) * v[i].z;
        terms += (fabs(a->x * b->y) + fabs(a->y * b->x)) * fabs(v[i].z);
    }
    if (fabs(volume) <= CROSSING_ROUND_OFF * terms)
        *clear = false;
    if (sign_of(volume) != side)
        return 0;
    return ray->slope[ray->kz] > 0.0 ? side : -side;
}
