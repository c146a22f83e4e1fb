/*
 * pair_fixture.h - drawn convex shapes, and an oracle for their signed distance that knows support functions
 * only.
 *
 * With h(n) = max n.x over a shape, every unit n bounds the signed distance from below,
 *
 *   d(A, B) >= g(n) = n.p - h_A(n) - h_B(-n)
 *
 * and every pair of points bounds it from above where the shapes are apart. All in long double, so that the
 * oracle's own round-off does not count.
 */
#ifndef TEST_COLLISION_PAIR_FIXTURE_H
#define TEST_COLLISION_PAIR_FIXTURE_H

#include "collision/distance.h"
#include "draw.h"

/* A shape with room for its core. */
typedef struct PairShape {
    RgShape shape;
    RgVec3 vertex[8];
    double offset[6];
    RgPolytope core;
} PairShape;

/* Sets the core of a sphere, capsule or box from its sizes; the shape must stay where it is. */
static inline void pair_shape_core(PairShape *s)
{
    const double *size = s->shape.size;
    if (s->shape.type == RG_SHAPE_sphere) {
        s->vertex[0] = v3_zero();
        s->core = rg_polytope_point(s->vertex);
    } else if (s->shape.type == RG_SHAPE_capsule) {
        s->vertex[0] = v3(0.0, 0.0, -0.5 * size[1]);
        s->vertex[1] = v3(0.0, 0.0, 0.5 * size[1]);
        s->core = rg_polytope_segment(s->vertex);
    } else if (s->shape.type == RG_SHAPE_box) {
        for (int i = 0; i < 8; i++)
            s->vertex[i] =
                v3((i & 1 ? 0.5 : -0.5) * size[0], (i & 2 ? 0.5 : -0.5) * size[1], (i & 4 ? 0.5 : -0.5) * size[2]);
        for (int i = 0; i < 6; i++)
            s->offset[i] = 0.5 * size[i / 2];
        s->core = rg_polytope_box(s->vertex, s->offset);
    } else {
        return;
    }
    s->shape.core = &s->core;
}

static inline void pair_shape_make(PairShape *s, RgShapeType type, double x, double y, double z)
{
    *s = (PairShape){.shape = {.type = type, .size = {x, y, z}}};
    pair_shape_core(s);
}

/* A length: about 1, or of any size between 1e-3 and 1, or like one seen before, or zero. */
static inline double draw_length(Draw *d)
{
    int kind = draw_below(d, 10);
    if (kind == 0)
        return 0.0;
    if (kind <= 2)
        return 0.5;
    return kind <= 5 ? draw_between(d, 0.3, 1.0) : pow(10.0, draw_between(d, -3.0, 0.0));
}

static inline void pair_shape_draw(Draw *d, RgShapeType type, PairShape *s)
{
    double x = draw_length(d), y = draw_length(d), z = draw_length(d);
    pair_shape_make(s, type, x, y, z);
}

/* h(n) of a bounded shape, n in its frame. */
static inline long double shape_reach(const RgShape *shape, const long double n[3])
{
    const double *size = shape->size;
    long double side = sqrtl(n[0] * n[0] + n[1] * n[1]), length = sqrtl(side * side + n[2] * n[2]);
    long double reach = -INFINITY;
    switch (shape->type) {
    case RG_SHAPE_sphere:
        return size[0] * length;
    case RG_SHAPE_box:
        return 0.5L * (size[0] * fabsl(n[0]) + size[1] * fabsl(n[1]) + size[2] * fabsl(n[2]));
    case RG_SHAPE_capsule:
        return 0.5L * size[1] * fabsl(n[2]) + size[0] * length;
    case RG_SHAPE_cylinder:
        return size[0] * side + 0.5L * size[1] * fabsl(n[2]);
    case RG_SHAPE_ellipsoid:
        return sqrtl(size[0] * n[0] * (size[0] * n[0]) + size[1] * n[1] * (size[1] * n[1]) +
                     size[2] * n[2] * (size[2] * n[2]));
    default:
        for (int32_t i = 0; i < shape->core->nv; i++) {
            RgVec3 v = shape->core->vertex[i];
            reach = fmaxl(reach, n[0] * v.x + n[1] * v.y + n[2] * v.z);
        }
        return reach;
    }
}

/* g(n), n in A's frame; a half-space allows its own normal only, which n is then taken for. */
static inline long double pair_gap(const RgConvexPair *pair, const long double n[3])
{
    const RgMat3 *R = &pair->X_AB.R;
    RgVec3 p = pair->X_AB.p;
    long double along = n[0] * p.x + n[1] * p.y + n[2] * p.z, back[3];
    for (int i = 0; i < 3; i++)
        back[i] = -(n[0] * R->m[0][i] + n[1] * R->m[1][i] + n[2] * R->m[2][i]);
    long double reach = pair->b->type == RG_SHAPE_halfspace ? 0.0L : shape_reach(pair->b, back);
    return along - shape_reach(pair->a, n) - reach;
}

/* With q^2 = sum (x_i / e_i)^2, the distance of a point just outside is (q^2 - 1) / |grad q^2|. */
static inline double ellipsoid_outside(const double *e, RgVec3 x)
{
    long double square = 0.0L, slope = 0.0L;
    double flat = 0.0;
    for (int i = 0; i < 3; i++) {
        if (e[i] > 0.0) {
            long double q = v3_at(x, i) / (long double)e[i];
            square += q * q;
            slope += q / e[i] * (q / e[i]);
        } else {
            flat = fmax(flat, fabs(v3_at(x, i)));
        }
    }
    return fmax(flat, square > 1.0L ? (double)((square - 1.0L) / (2.0L * sqrtl(slope))) : 0.0);
}

/* How far a point (in the shape's frame) lies outside: at most this; 0 inside. By the distance along a few
   natural coordinates of the kind, not by the code under test. */
static inline double shape_outside(const RgShape *shape, RgVec3 x)
{
    const double *size = shape->size;
    double side = sqrt(x.x * x.x + x.y * x.y), over = fmax(fabs(x.z) - 0.5 * size[1], 0.0), out = 0.0;
    switch (shape->type) {
    case RG_SHAPE_sphere:
        return fmax(v3_norm(x) - size[0], 0.0);
    case RG_SHAPE_box:
        out = fmax(fabs(x.x) - 0.5 * size[0], fmax(fabs(x.y) - 0.5 * size[1], fabs(x.z) - 0.5 * size[2]));
        return fmax(out, 0.0);
    case RG_SHAPE_capsule:
        return fmax(sqrt(side * side + over * over) - size[0], 0.0);
    case RG_SHAPE_cylinder:
        return fmax(fmax(side - size[0], over), 0.0);
    case RG_SHAPE_halfspace:
        return fmax(x.z, 0.0);
    case RG_SHAPE_ellipsoid:
        return ellipsoid_outside(size, x);
    default:
        for (int32_t f = 0; f < shape->core->nf; f++)
            out = fmax(out, v3_dot(shape->core->normal[f], x) - shape->core->offset[f]);
        return out;
    }
}

/* A pose whose rotation is one to the last digits. */
static inline RgPose draw_exact_pose(Draw *d, double r)
{
    RgVec3 part = draw_vec(d, 1.0);
    RgQuat q = {draw_between(d, -1.0, 1.0), part.x, part.y, part.z};
    return (RgPose){q_matrix(q_normalise(q)), draw_vec(d, r)};
}

/* Largest g found: from many drawn directions and from start, each improved by small steps of shrinking size.
   */
static inline double pair_search(const RgConvexPair *pair, Draw *d, RgVec3 start, int tries)
{
    long double best = -INFINITY;
    for (int k = 0; k < tries; k++) {
        RgVec3 u = k == 0 ? start : draw_direction(d);
        long double n[3] = {u.x, u.y, u.z}, here = pair_gap(pair, n);
        for (double step = 0.3; step > 1e-9;) {
            RgVec3 by = v3_scale(step, draw_vec(d, 1.0));
            long double m[3] = {n[0] + by.x, n[1] + by.y, n[2] + by.z};
            long double length = sqrtl(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
            for (int i = 0; i < 3; i++)
                m[i] /= length;
            long double there = pair_gap(pair, m);
            if (there > here) {
                here = there;
                n[0] = m[0];
                n[1] = m[1];
                n[2] = m[2];
                step *= 1.5;
            } else {
                step *= 0.85;
            }
        }
        best = fmaxl(best, here);
    }
    return (double)best;
}

#endif
