/*
 * oracle_shape.h - the oracle's own shapes and vectors, in long double.
 *
 * A shape is a set of vertices (sphere: its centre; capsule: its two ends; box and polytope: their corners;
 * none for the curved ones) grown by a ball, or a cylinder, an ellipsoid or a half-space. Faces are kept as
 * normals, edges as directions: a direction too many costs time, but does no harm.
 */
#ifndef TEST_SUPPORT_ORACLE_SHAPE_H
#define TEST_SUPPORT_ORACLE_SHAPE_H

#include "convex_oracle.h"

#include <math.h>

typedef struct Lv {
    long double x, y, z;
} Lv;

static inline Lv lv(long double x, long double y, long double z)
{
    return (Lv){x, y, z};
}

static inline Lv lv_of(RgVec3 a)
{
    return lv(a.x, a.y, a.z);
}

static inline RgVec3 lv_to(Lv a)
{
    return (RgVec3){(double)a.x, (double)a.y, (double)a.z};
}

static inline Lv lv_add(Lv a, Lv b)
{
    return lv(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline Lv lv_sub(Lv a, Lv b)
{
    return lv(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline Lv lv_scale(long double s, Lv a)
{
    return lv(s * a.x, s * a.y, s * a.z);
}

static inline long double lv_dot(Lv a, Lv b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Lv lv_cross(Lv a, Lv b)
{
    return lv(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline long double lv_norm(Lv a)
{
    return sqrtl(lv_dot(a, a));
}

/* Unit vector; zero stays zero. */
static inline Lv lv_unit(Lv a)
{
    long double length = lv_norm(a);
    return length > 0.0L ? lv_scale(1.0L / length, a) : a;
}

/* Some unit vector at right angles to the unit vector a. */
static inline Lv lv_across(Lv a)
{
    Lv other = fabsl(a.x) < 0.6L ? lv(1, 0, 0) : lv(0, 1, 0);
    return lv_unit(lv_cross(a, other));
}

struct OracleShape {
    RgShapeType type;
    long double size[3];
    long double ball; /* radius by which the vertices are grown */
    double extent;

    int nv, ne, nf;
    Lv *vertex, *line, *normal; /* in the shape's frame: corners, unit edge directions, unit face normals */
    int (*ends)[2];             /* vertices of each edge; NULL for a cylinder */
    uint64_t *on_face;          /* vertices of each face as bits; NULL where there are more than 64 */

    /* In the world. */
    Lv axis[3], origin;
    Lv *vertex_W, *line_W, *normal_W;
};

static inline bool oracle_has_vertices(const OracleShape *s)
{
    return s->nv > 0;
}

/* Largest n.x over the shape without its ball, and a point where it is reached (may be NULL). */
long double oracle_support(const OracleShape *s, Lv n, Lv *point);

/* Second derivative of the support function at n, along t and u. */
long double oracle_bend(const OracleShape *s, Lv n, Lv t, Lv u);

/* sep(n) of the shapes without their balls; w (may be NULL): b - a of the two points that face each other. */
long double oracle_gap(const OracleShape *a, const OracleShape *b, Lv n, Lv *w);

/* Largest separation of two shapes at least one of which is curved; start: a direction to begin from. */
long double oracle_search(const OracleShape *a, const OracleShape *b, Lv start);

/* Corners with normals and edges, from points by trying all triples, or from a view. */
bool oracle_hull(OracleShape *s, const RgPolytopeView *view);

#endif
