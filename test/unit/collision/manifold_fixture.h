/*
 * manifold_fixture.h - geometries, contact buffers and polygons for the tests of contact manifolds.
 */
#ifndef TEST_COLLISION_MANIFOLD_FIXTURE_H
#define TEST_COLLISION_MANIFOLD_FIXTURE_H

#include "check_near.h"
#include "draw.h"
#include "geometries.h"
#include "math/pose.h"

#include <rigor/collision.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* ------------------------------------------------------------------ geometries */

/* Upright prism over n corners on a circle of radius r, from -h/2 to h/2. */
static inline RgGeometry *make_prism(int n, double r, double h)
{
    double *xyz = malloc(sizeof(double) * 6 * (size_t)n);
    for (int i = 0; i < 2 * n; i++) {
        double a = 2.0 * PI * (i % n) / n;
        xyz[3 * i] = r * cos(a);
        xyz[3 * i + 1] = r * sin(a);
        xyz[3 * i + 2] = i < n ? -0.5 * h : 0.5 * h;
    }
    RgGeometry *geometry = make_polytope(xyz, 2 * n);
    free(xyz);
    return geometry;
}

/* Rotation about the x, y or z axis. */
static inline RgMat3 turn_about(int axis, double angle)
{
    return mat_turn(vec(axis == 0, axis == 1, axis == 2), angle);
}

static inline RgPlaced placed(const RgGeometry *geometry, RgPose X)
{
    return (RgPlaced){geometry, X};
}

static inline RgPlaced placed_at(const RgGeometry *geometry, double x, double y, double z)
{
    return (RgPlaced){geometry, place_at(x, y, z)};
}

/* ------------------------------------------------------------------ contacts */

#define CONTACT_POINTS 600
#define CONTACT_MANIFOLDS 64

typedef struct Contacts {
    RgContactPoint point[CONTACT_POINTS];
    RgManifold manifold[CONTACT_MANIFOLDS];
    RgContactBuffer buffer;
    RgStatus status;
} Contacts;

static inline void collide_with(const RgPlaced *a, const RgPlaced *b, const RgManifoldOptions *options, Contacts *c)
{
    c->buffer = (RgContactBuffer){.points = c->point,
                                  .manifolds = c->manifold,
                                  .point_capacity = CONTACT_POINTS,
                                  .manifold_capacity = CONTACT_MANIFOLDS};
    c->status = rg_manifold(a, b, options, NULL, &c->buffer);
}

/* Everything that must hold of any manifold: points one above the other, the normal's sign, ids, the least
   gap. */
static inline void check_contacts(const Contacts *c)
{
    int32_t seen = 0;
    cr_expect_eq(c->status, RG_OK);
    for (int32_t m = 0; m < c->buffer.nmanifolds; m++) {
        const RgManifold *head = &c->manifold[m];
        double least = INFINITY;
        cr_expect_eq(head->first, seen);
        cr_expect_gt(head->count, 0);
        CHECK_NEAR(vec_norm(head->normal), 1.0, 1e-12, "");
        for (int32_t i = head->first; i < head->first + head->count; i++) {
            const RgContactPoint *p = &c->point[i];
            RgVec3 off = vec_sub(vec_sub(p->point_b, p->point_a), vec_scale(p->gap, p->normal));
            CHECK_NEAR(vec_norm(off), 0.0, 1e-14 * (1.0 + vec_norm(p->point_a)), "m");
            cr_expect_eq(vec_distance(p->normal, head->normal), 0.0);
            least = fmin(least, p->gap);
            for (int32_t j = head->first; j < i; j++)
                cr_expect_neq(c->point[j].id, p->id, "id of points %d and %d", j, i);
        }
        cr_expect_eq(least, head->distance);
        seen += head->count;
    }
    cr_expect_eq(c->buffer.npoints, seen);
}

static inline void collide(const RgPlaced *a, const RgPlaced *b, Contacts *c)
{
    collide_with(a, b, NULL, c);
    check_contacts(c);
}

/* The only manifold there is. */
static inline const RgManifold *only_manifold(const Contacts *c)
{
    cr_assert_eq(c->buffer.nmanifolds, 1, "%d manifolds", c->buffer.nmanifolds);
    return &c->manifold[0];
}

/* Number of the point within tolerance of x (on A), or -1. */
static inline int32_t point_near(const Contacts *c, RgVec3 x, double tolerance)
{
    for (int32_t i = 0; i < c->buffer.npoints; i++)
        if (vec_distance(c->point[i].point_a, x) <= tolerance)
            return i;
    return -1;
}

/* ------------------------------------------------------------------ polygons */

typedef struct Flat {
    double x, y;
} Flat;

static inline double flat_turn(Flat a, Flat b, Flat c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Area of the hull to the left of the way from a to b: the triangle up to the farthest point, and what is
   beyond. */
static inline double hull_area_left(const Flat *p, int count, Flat a, Flat b, double least)
{
    int far = -1;
    double most = least;
    for (int i = 0; i < count; i++)
        if (flat_turn(a, b, p[i]) > most) {
            most = flat_turn(a, b, p[i]);
            far = i;
        }
    if (far < 0)
        return 0.0;
    return 0.5 * most + hull_area_left(p, count, a, p[far], least) + hull_area_left(p, count, p[far], b, least);
}

/* Area of the convex hull of places (quickhull: Eddy 1977). */
static inline double hull_area(const Flat *p, int count)
{
    if (count < 3)
        return 0.0;
    int low = 0, high = 0;
    for (int i = 1; i < count; i++) {
        low = p[i].x < p[low].x || (p[i].x == p[low].x && p[i].y < p[low].y) ? i : low;
        high = p[i].x > p[high].x || (p[i].x == p[high].x && p[i].y > p[high].y) ? i : high;
    }
    double wide = hypot(p[high].x - p[low].x, p[high].y - p[low].y), least = 1e-15 * wide * wide;
    return hull_area_left(p, count, p[low], p[high], least) + hull_area_left(p, count, p[high], p[low], least);
}

/* Is a place inside a convex polygon, counter-clockwise, to within slack? */
static inline bool flat_inside(const Flat *p, int count, Flat x, double slack)
{
    for (int i = 0; i < count; i++) {
        Flat a = p[i], b = p[(i + 1) % count];
        if (flat_turn(a, b, x) < -slack * hypot(b.x - a.x, b.y - a.y))
            return false;
    }
    return true;
}

/* Area of the overlap of two convex polygons: the hull of all corners in the other and all crossings of
   sides. */
static inline double overlap_area(const Flat *a, int na, const Flat *b, int nb)
{
    Flat *all = malloc(sizeof(Flat) * (size_t)(na + nb + na * nb));
    int count = 0;
    for (int i = 0; i < na; i++)
        if (flat_inside(b, nb, a[i], 0.0))
            all[count++] = a[i];
    for (int j = 0; j < nb; j++)
        if (flat_inside(a, na, b[j], 0.0))
            all[count++] = b[j];
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            Flat p = a[i], q = a[(i + 1) % na], r = b[j], s = b[(j + 1) % nb];
            double at_p = flat_turn(r, s, p), at_q = flat_turn(r, s, q), at_r = flat_turn(p, q, r),
                   at_s = flat_turn(p, q, s);
            if (at_p * at_q < 0.0 && at_r * at_s < 0.0) {
                double t = at_p / (at_p - at_q);
                all[count++] = (Flat){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
            }
        }
    double area = hull_area(all, count);
    free(all);
    return area;
}

/* Area of the hull of a manifold's points across the normal. */
static inline double manifold_area(const Contacts *c, const RgManifold *m)
{
    RgVec3 t = v3_orthogonal(m->normal), s = vec_cross(m->normal, t);
    Flat place[CONTACT_POINTS];
    for (int32_t i = 0; i < m->count; i++) {
        RgVec3 x = c->point[m->first + i].point_a;
        place[i] = (Flat){vec_dot(x, t), vec_dot(x, s)};
    }
    return hull_area(place, m->count);
}

#endif
