/*
 * point_sets.h - points for the tests of hulls: round, square, flat, thin, in heaps; and every claim of a
 * polytope judged one by one, in long double, against all of its vertices.
 */
#ifndef TEST_GEOM_POINT_SETS_H
#define TEST_GEOM_POINT_SETS_H

#include "draw.h"
#include "geom/polytope.h"

#include <stdio.h>
#include <stdlib.h>

#define POINT_ROOM 4096

typedef struct PointSet {
    int32_t count;
    RgVec3 x[POINT_ROOM];
} PointSet;

static inline void point_add(PointSet *s, RgVec3 x)
{
    s->x[s->count++] = x;
}

/* ------------------------------------------------------------------ families */

static inline void points_in_ball(PointSet *s, Draw *d, int n)
{
    while (n-- > 0) {
        double r = draw_between(d, 0.0, 1.0);
        point_add(s, v3_scale(r, draw_direction(d)));
    }
}

static inline void points_on_sphere(PointSet *s, Draw *d, int n)
{
    while (n-- > 0)
        point_add(s, draw_direction(d));
}

/* Evenly spread (Fibonacci): neighbours are almost in a plane. */
static inline void points_fibonacci(PointSet *s, int n)
{
    for (int i = 0; i < n; i++) {
        double z = 1.0 - (2.0 * i + 1.0) / n, r = sqrt(1.0 - z * z), turn = 2.399963229728653 * i;
        point_add(s, v3(r * cos(turn), r * sin(turn), z));
    }
}

/* Corners of a cube and points on its faces, pushed out by up to noise. */
static inline void points_on_cube(PointSet *s, Draw *d, int n, double noise)
{
    for (int i = 0; i < 8; i++)
        point_add(s, v3(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0));
    while (n-- > 0) {
        RgVec3 p = draw_vec(d, 1.0);
        int axis = draw_below(d, 3);
        double side = draw_chance(d, 0.5) ? 1.0 : -1.0, out = side * (1.0 + draw_between(d, 0.0, noise));
        point_add(s, v3(axis == 0 ? out : p.x, axis == 1 ? out : p.y, axis == 2 ? out : p.z));
    }
}

/* All points of an n x n x n grid. */
static inline void points_grid(PointSet *s, int n)
{
    for (int i = 0; i < n * n * n; i++)
        point_add(s, v3(i % n * 0.1, i / n % n * 0.1, i / n / n * 0.1));
}

/* Two n-gons one above the other: n + 2 faces, all corners of a cap on one circle. */
static inline void points_prism(PointSet *s, int n)
{
    for (int i = 0; i < 2 * n; i++) {
        double turn = 2.0 * 3.14159265358979323846 * (i / 2) / n;
        point_add(s, v3(cos(turn), sin(turn), i % 2 ? 0.7 : -0.7));
    }
}

/* A flat disc of points with heights of that size: all of its triangles are almost in one plane. */
static inline void points_almost_flat(PointSet *s, Draw *d, int n, double height)
{
    for (int i = 0; i < n; i++) {
        double x = draw_between(d, -1.0, 1.0), y = draw_between(d, -1.0, 1.0);
        point_add(s, v3(x, y, height * (1.0 - x * x - y * y + draw_between(d, 0.0, 0.1))));
    }
    point_add(s, v3(0.1, 0.2, -1.0));
}

static inline void points_move(PointSet *s, RgPose X, RgVec3 scale)
{
    for (int32_t i = 0; i < s->count; i++) {
        RgVec3 x = v3(scale.x * s->x[i].x, scale.y * s->x[i].y, scale.z * s->x[i].z);
        s->x[i] = vec_add(mat_apply(X.R, x), X.p);
    }
}

static inline void points_shuffle(PointSet *s, Draw *d)
{
    for (int32_t i = s->count - 1; i > 0; i--) {
        int32_t j = draw_below(d, i + 1);
        RgVec3 swap = s->x[i];
        s->x[i] = s->x[j];
        s->x[j] = swap;
    }
}

/* Largest side of the box. */
static inline double points_size(const RgVec3 *x, int32_t count)
{
    double size = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < count; i++) {
            low = fmin(low, v3_at(x[i], axis));
            high = fmax(high, v3_at(x[i], axis));
        }
        size = fmax(size, high - low);
    }
    return size;
}

static inline double points_reach(const RgVec3 *x, int32_t count)
{
    double reach = 0.0;
    for (int32_t i = 0; i < count; i++)
        reach = fmax(reach, fmax(fabs(x[i].x), fmax(fabs(x[i].y), fabs(x[i].z))));
    return reach;
}

/* ------------------------------------------------------------------ judgement */

/* n . x - o in long double. */
static inline double exact_height(RgVec3 n, RgVec3 x, double o)
{
    return (double)((long double)n.x * x.x + (long double)n.y * x.y + (long double)n.z * x.z - o);
}

/* First thing wrong with how corners, edges, faces and rings name each other; NULL: nothing. */
static inline const char *polytope_links_fault(const RgPolytope *p)
{
    if (p->nv - p->ne + p->nf != 2)
        return "Euler's formula";
    if (p->face_start[p->nf] != 2 * p->ne || p->ring_start[p->nv] != 2 * p->ne)
        return "numbers of corners";
    int32_t *seen = calloc((size_t)(2 * p->ne), sizeof *seen);
    const char *fault = NULL;
    for (int32_t f = 0; f < p->nf; f++) {
        int32_t first = p->face_start[f], n = p->face_start[f + 1] - first;
        for (int32_t k = 0; k < n; k++) {
            int32_t a = p->face_vertex[first + k], b = p->face_vertex[first + (k + 1) % n];
            int32_t e = p->face_edge[first + k];
            int side = p->edge[2 * e] == a ? 0 : 1;
            if (p->edge[2 * e + side] != a || p->edge[2 * e + 1 - side] != b || p->edge_face[2 * e + side] != f)
                fault = "a face and its edge";
            seen[2 * e + side]++;
        }
    }
    for (int32_t i = 0; i < 2 * p->ne; i++)
        if (seen[i] != 1)
            fault = "an edge without two faces";
    /* Between ring neighbours k and k + 1 lies one face, on the left of the way to k. */
    for (int32_t v = 0; v < p->nv; v++) {
        int32_t first = p->ring_start[v], n = p->ring_start[v + 1] - first;
        for (int32_t k = 0; k < n; k++) {
            int32_t e = p->ring_edge[first + k], next = p->ring_edge[first + (k + 1) % n];
            int out = p->edge[2 * e] == v ? 0 : 1, in = p->edge[2 * next] == v ? 1 : 0;
            if (p->edge[2 * e + out] != v || p->edge[2 * e + 1 - out] != p->ring[first + k])
                fault = "a ring and its edge";
            if (p->edge_face[2 * e + out] != p->edge_face[2 * next + in])
                fault = "the order of a ring";
        }
    }
    free(seen);
    return fault;
}

/* How far the worst vertex stands above a face's plane, or the worst corner off its own face's plane. */
static inline double polytope_plane_error(const RgPolytope *p)
{
    double worst = 0.0;
    for (int32_t f = 0; f < p->nf; f++) {
        for (int32_t v = 0; v < p->nv; v++)
            worst = fmax(worst, exact_height(p->normal[f], p->vertex[v], p->offset[f]));
        for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++)
            worst = fmax(worst, fabs(exact_height(p->normal[f], p->vertex[p->face_vertex[k]], p->offset[f])));
    }
    return worst;
}

/* How far a corner of a face stands inside the line of its neighbours, at worst: 0 for convex polygons. */
static inline double polytope_dent(const RgPolytope *p)
{
    double worst = 0.0;
    for (int32_t f = 0; f < p->nf; f++) {
        const int32_t *corner = p->face_vertex + p->face_start[f];
        int32_t n = p->face_start[f + 1] - p->face_start[f];
        for (int32_t k = 0; k < n; k++) {
            RgVec3 a = p->vertex[corner[k]], b = p->vertex[corner[(k + 1) % n]], c = p->vertex[corner[(k + 2) % n]];
            double turn = v3_dot(p->normal[f], v3_cross(v3_sub(b, a), v3_sub(c, b)));
            worst = fmax(worst, -turn / v3_norm(v3_sub(c, a)));
        }
    }
    return worst;
}

/* How far the outline of a face runs back, at worst, along a direction: from its lowest to its highest corner
   and down again, a convex outline never does. Tried along every edge of the face (of the first 40, for
   many). */
static inline double polytope_run_back(const RgPolytope *p)
{
    double worst = 0.0;
    for (int32_t f = 0; f < p->nf; f++) {
        const int32_t *corner = p->face_vertex + p->face_start[f];
        int32_t n = p->face_start[f + 1] - p->face_start[f];
        for (int32_t e = 0; e < n && e < 40; e++) {
            RgVec3 u = v3_sub(p->vertex[corner[(e + 1) % n]], p->vertex[corner[e]]);
            double length = v3_norm(u), total = 0.0, low = INFINITY, high = -INFINITY;
            for (int32_t k = 0; k < n; k++) {
                RgVec3 x = p->vertex[corner[k]], y = p->vertex[corner[(k + 1) % n]];
                total += fabs(v3_dot(u, v3_sub(y, x))) / length;
                low = fmin(low, v3_dot(u, x) / length);
                high = fmax(high, v3_dot(u, x) / length);
            }
            worst = fmax(worst, 0.5 * (total - 2.0 * (high - low)));
        }
    }
    return worst;
}

/* How far the worst of the points stands outside. */
static inline double polytope_outside(const RgPolytope *p, const RgVec3 *x, int32_t count)
{
    double worst = 0.0;
    for (int32_t f = 0; f < p->nf; f++)
        for (int32_t i = 0; i < count; i++)
            worst = fmax(worst, exact_height(p->normal[f], x[i], p->offset[f]));
    return worst;
}

#endif
