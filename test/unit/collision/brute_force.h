/*
 * brute_force.h - signed distance of two polytope cores by trying every direction that can matter, in long
 * double.
 *
 *   d = max over unit n of  min_B n.b - max_A n.a
 *
 * is reached at a face normal of A or B, a cross product of two edges, a line from vertex to vertex, or a
 * line from a vertex at right angles to an edge. Also: shapes drawn for the tests.
 */
#ifndef TEST_COLLISION_BRUTE_FORCE_H
#define TEST_COLLISION_BRUTE_FORCE_H

#include "draw.h"

#include "collision/distance.h"
#include "geom/shape_table.h"

typedef struct Long3 {
    long double x, y, z;
} Long3;

#define BRUTE_VERTICES 64

/* The vertices of both cores in A's frame, and the best distance so far. */
typedef struct Brute {
    Long3 a[BRUTE_VERTICES], b[BRUTE_VERTICES];
    int na, nb;
    long double best;
} Brute;

static inline Long3 long_sub(Long3 a, Long3 b)
{
    return (Long3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline long double long_dot(Long3 a, Long3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Long3 long_cross(Long3 a, Long3 b)
{
    return (Long3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Tries +-n. A direction shorter than least (round-off of what it was made from) is none. */
static inline void brute_try(Brute *s, Long3 n, long double least)
{
    long double length = sqrtl(long_dot(n, n));
    if (!(length > least))
        return;
    long double low_a = (long double)INFINITY, high_a = -low_a, low_b = low_a, high_b = -low_a;
    for (int i = 0; i < s->na; i++) {
        long double along = long_dot(n, s->a[i]);
        low_a = fminl(low_a, along);
        high_a = fmaxl(high_a, along);
    }
    for (int i = 0; i < s->nb; i++) {
        long double along = long_dot(n, s->b[i]);
        low_b = fminl(low_b, along);
        high_b = fmaxl(high_b, along);
    }
    s->best = fmaxl(s->best, fmaxl(low_b - high_a, low_a - high_b) / length);
}

/* Across the edge from p to q, towards x. Made across twice: close to the edge the first time leaves few
   digits. */
static inline void brute_try_edge(Brute *s, Long3 p, Long3 q, Long3 x)
{
    Long3 e = long_sub(q, p), r = long_sub(x, p);
    long double least = 1e-17L * sqrtl(long_dot(r, r));
    for (int k = 0; k < 2; k++) {
        long double t = long_dot(r, e) / long_dot(e, e);
        r = long_sub(r, (Long3){t * e.x, t * e.y, t * e.z});
    }
    brute_try(s, r, least);
}

static inline void brute_try_faces(Brute *s, const RgPolytope *p, const Long3 *vertex)
{
    for (int f = 0; f < p->nf; f++) {
        const int32_t *corner = p->face_vertex + p->face_start[f];
        for (int k = 2; k < p->face_start[f + 1] - p->face_start[f]; k++) {
            Long3 e = long_sub(vertex[corner[1]], vertex[corner[0]]);
            Long3 g = long_sub(vertex[corner[k]], vertex[corner[0]]);
            brute_try(s, long_cross(e, g), 1e-17L * sqrtl(long_dot(e, e) * long_dot(g, g)));
        }
    }
}

static inline double brute_force(const RgPolytope *A, const RgPolytope *B, const RgPose *X_AB)
{
    Brute s = {.na = A->nv, .nb = B->nv, .best = -(long double)INFINITY};
    for (int i = 0; i < A->nv; i++)
        s.a[i] = (Long3){A->vertex[i].x, A->vertex[i].y, A->vertex[i].z};
    for (int i = 0; i < B->nv; i++) {
        Long3 x = {B->vertex[i].x, B->vertex[i].y, B->vertex[i].z};
        const double(*m)[3] = X_AB->R.m;
        s.b[i] = (Long3){m[0][0] * x.x + m[0][1] * x.y + m[0][2] * x.z + X_AB->p.x,
                         m[1][0] * x.x + m[1][1] * x.y + m[1][2] * x.z + X_AB->p.y,
                         m[2][0] * x.x + m[2][1] * x.y + m[2][2] * x.z + X_AB->p.z};
    }
    brute_try_faces(&s, A, s.a);
    brute_try_faces(&s, B, s.b);
    for (int i = 0; i < A->nv; i++)
        for (int j = 0; j < B->nv; j++)
            brute_try(&s, long_sub(s.b[j], s.a[i]), 0.0L);
    for (int e = 0; e < A->ne; e++) {
        Long3 p = s.a[A->edge[2 * e]], q = s.a[A->edge[2 * e + 1]];
        for (int j = 0; j < B->nv; j++)
            brute_try_edge(&s, p, q, s.b[j]);
        for (int f = 0; f < B->ne; f++) {
            Long3 g = long_sub(s.b[B->edge[2 * f + 1]], s.b[B->edge[2 * f]]), h = long_sub(q, p);
            brute_try(&s, long_cross(h, g), 1e-17L * sqrtl(long_dot(g, g) * long_dot(h, h)));
        }
    }
    /* All on a line: whatever is across it. */
    for (int e = 0; e < A->ne + B->ne; e++) {
        const Long3 *x = e < A->ne ? s.a : s.b;
        const int32_t *end = e < A->ne ? A->edge + 2 * e : B->edge + 2 * (e - A->ne);
        Long3 f = long_sub(x[end[1]], x[end[0]]);
        brute_try(&s, long_cross(f, (Long3){fabsl(f.x) > fabsl(f.y) ? 0 : 1, fabsl(f.x) > fabsl(f.y) ? 1 : 0, 0}),
                  0.0L);
    }
    for (int e = 0; e < B->ne; e++)
        for (int i = 0; i < A->nv; i++)
            brute_try_edge(&s, s.b[B->edge[2 * e]], s.b[B->edge[2 * e + 1]], s.a[i]);
    return (double)s.best;
}

/* A convex shape with all that it points to. */
typedef struct TestShape {
    RgShape shape;
    RgPolytope core;
    RgVec3 vertex[BRUTE_VERTICES];
    RgVec3 normal[2];
    double offset[6];
} TestShape;

static inline void test_box(TestShape *t, double x, double y, double z)
{
    *t = (TestShape){.shape = {.type = RG_SHAPE_box, .size = {x, y, z}}};
    for (int i = 0; i < 8; i++)
        t->vertex[i] = v3(i & 1 ? 0.5 * x : -0.5 * x, i & 2 ? 0.5 * y : -0.5 * y, i & 4 ? 0.5 * z : -0.5 * z);
    for (int i = 0; i < 6; i++)
        t->offset[i] = 0.5 * t->shape.size[i / 2];
    t->core = rg_polytope_box(t->vertex, t->offset);
    t->shape.core = &t->core;
}

static inline void test_sphere(TestShape *t, double r)
{
    *t = (TestShape){.shape = {.type = RG_SHAPE_sphere, .size = {r}}};
    t->core = rg_polytope_point(t->vertex);
    t->shape.core = &t->core;
}

static inline void test_capsule(TestShape *t, double r, double l)
{
    *t = (TestShape){.shape = {.type = RG_SHAPE_capsule, .size = {r, l}}};
    t->vertex[0].z = -0.5 * l;
    t->vertex[1].z = 0.5 * l;
    t->core = rg_polytope_segment(t->vertex);
    t->shape.core = &t->core;
}

static inline void test_triangle(TestShape *t, RgVec3 p, RgVec3 q, RgVec3 r)
{
    *t = (TestShape){.shape = {.type = RG_SHAPE_polytope, .size = {1.0, 1.0, 1.0}}, .vertex = {p, q, r}};
    RgVec3 n = v3_cross(v3_sub(q, p), v3_sub(r, p));
    t->normal[0] = v3_scale(1.0 / v3_norm(n), n);
    t->normal[1] = v3_neg(t->normal[0]);
    t->offset[0] = v3_dot(t->normal[0], p);
    t->offset[1] = -t->offset[0];
    t->core = rg_polytope_triangle(t->vertex, t->normal, t->offset);
    t->shape.core = &t->core;
}

/* Hull of count points drawn in a box of half lengths half; the arena holds it. */
static inline bool test_hull(TestShape *t, RgArena *arena, Draw *d, int count, RgVec3 half)
{
    *t = (TestShape){.shape = {.type = RG_SHAPE_polytope, .size = {1.0, 1.0, 1.0}}};
    RgVec3 point[BRUTE_VERTICES];
    for (int i = 0; i < count; i++) {
        RgVec3 u = draw_direction(d);
        point[i] = v3(half.x * u.x, half.y * u.y, half.z * u.z);
    }
    t->shape.core = &t->core;
    RgMeshReport report;
    return rg_convex_hull(arena, point, count, &t->core, &report, NULL) == RG_OK;
}

/* A polytope core of any kind: box, hull, segment or triangle; up to 1000 times thinner than long; sizes over
   1e4. */
static inline void test_polytope_draw(TestShape *t, RgArena *arena, Draw *d)
{
    double l = pow(10.0, draw_between(d, draw_chance(d, 0.1) ? -4.0 : -2.0, 0.0));
    double wide = l * draw_between(d, 0.3, 1.0), thin = draw_chance(d, 0.3) ? 1e-3 * l : l;
    switch (draw_below(d, 4)) {
    case 0:
        test_box(t, l, wide, thin);
        break;
    case 1:
        if (test_hull(t, arena, d, 4 + draw_below(d, 20), v3(l, wide, thin)))
            break;
        test_box(t, l, l, l);
        break;
    case 2:
        test_capsule(t, 0.0, l);
        break;
    default:
        test_triangle(t, draw_vec(d, l), draw_vec(d, l), draw_vec(d, l));
    }
}

/* Sizes and positions from a lattice, turns by quarters and eighths: touching faces, edges and corners,
   parallel edges, zero sizes, common centres. A third are off by something between 1 and 1e-16. */
static inline RgPose test_lattice_draw(TestShape *t, Draw *d)
{
    for (int i = 0; i < 2; i++) {
        double x = 1 + draw_below(d, 3), y = draw_chance(d, 0.1) ? 0 : 1 + draw_below(d, 3),
               z = draw_chance(d, 0.1) ? 0 : 1 + draw_below(d, 3);
        int kind = draw_below(d, 4);
        if (kind == 0)
            test_box(&t[i], x, y, z);
        else if (kind == 1)
            test_capsule(&t[i], draw_chance(d, 0.5) ? 0.0 : 0.5, y);
        else if (kind == 2)
            test_sphere(&t[i], draw_chance(d, 0.3) ? 0.0 : x);
        else
            test_triangle(&t[i], vec(0, 0, 0), vec(x, 0, 0), vec(draw_below(d, 3), y > 0 ? y : 1, 0));
    }
    RgPose X = {mat_identity(),
                {0.5 * (draw_below(d, 9) - 4), 0.5 * (draw_below(d, 9) - 4), 0.5 * (draw_below(d, 9) - 4)}};
    for (int turns = draw_below(d, 4); turns > 0; turns--) {
        int axis = draw_below(d, 3);
        X.R = mat_mul(X.R, mat_turn(vec(axis == 0, axis == 1, axis == 2), 0.25 * TEST_PI * (1 + draw_below(d, 4))));
    }
    if (draw_chance(d, 0.3))
        X.R = mat_mul(X.R, mat_turn(draw_direction(d), pow(10.0, -draw_below(d, 16))));
    if (draw_chance(d, 0.3))
        X.p = vec_add(X.p, vec_scale(pow(10.0, -draw_below(d, 17)), draw_direction(d)));
    return X;
}

/* Sum of the radii by which the cores are grown. */
static inline double test_rounding(const TestShape *t)
{
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        const RgShapeKind *kind = rg_shape_kind(t[i].shape.type);
        sum += kind->rounding != NULL ? kind->rounding(&t[i].shape) : 0.0;
    }
    return sum;
}

/* How far apart the planes along the unit n are that touch the two shapes. */
static inline double test_separation(const RgConvexPair *pair, RgVec3 n)
{
    const RgPose *X = &pair->X_AB;
    RgVec3 a = rg_shape_kind(pair->a->type)->support(pair->a, n);
    RgVec3 b = rg_shape_kind(pair->b->type)->support(pair->b, v3_neg(m3_apply_t(X->R, n)));
    return v3_dot(n, v3_sub(pose_apply(*X, b), a));
}

#endif
