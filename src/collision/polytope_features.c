/*
 * polytope_features.c - the face, edge or vertex of a core that is farthest along a direction.
 *
 * First finds the farthest vertex v. A face qualifies if its unit normal m is n to within the angle, |m - n| <= angle;
 * an edge e if it is perpendicular to n, |e.n| <= angle |e|. Only the edges at v are tested, and only the faces at
 * qualifying edges; of several the best one is used, of equal ones the one with the lowest index.
 *
 * Faces of the difference D = B - A are: a face of one core and a vertex of the other, or two edges. Three pairs of
 * vertices on a face of D identify these features (rg_difference_normal). The normal then comes from the stored face
 * normal, or from the cross product of the edges in their own frames: accurate to round-off even if the three points
 * are nearly collinear, or close together on a large face.
 */
#include "collision/gjk.h"

/* Height of a triangle, as a fraction of the largest coordinate, from which its normal is accurate enough. */
#define FACE_THICK 0.1

/* Returns true if the edge from v to another vertex is perpendicular to n; off2: the squared sine of the deviation. */
static inline bool edge_is_across(const RgPolytope *p, int32_t v, int32_t to, RgVec3 n, double angle2, double *off2)
{
    RgVec3 e = v3_sub(p->vertex[to], p->vertex[v]);
    double along = v3_dot(e, n), square = v3_norm2(e);
    *off2 = along * along;
    if (*off2 > angle2 * square)
        return false;
    *off2 /= square;
    return true;
}

/* Updates best by the faces at edge e, if they are closer to n; of equal ones by the one with the lower index. */
static void update_best_face(const RgPolytope *p, int32_t e, RgVec3 n, double *best2, int32_t *best)
{
    for (int side = 0; side < 2; side++) {
        int32_t f = p->edge_face[2 * e + side];
        double off2 = v3_norm2(v3_sub(p->normal[f], n));
        if (off2 < *best2 || (off2 == *best2 && (*best < 0 || f < *best))) {
            *best2 = off2;
            *best = f;
        }
    }
}

/* A component of n within the angle means that the feature extends along that axis. */
RgFeature rg_box_feature(int32_t v, RgVec3 n, double angle)
{
    bool x = fabs(n.x) <= angle, y = fabs(n.y) <= angle, z = fabs(n.z) <= angle;
    int32_t bx = v & 1, by = v >> 1 & 1, bz = v >> 2;
    if (x + y + z == 0)
        return (RgFeature){RG_FEATURE_VERTEX, v};
    if (x + y + z == 1)
        return (RgFeature){RG_FEATURE_EDGE, x ? by + 2 * bz : y ? 4 + bx + 2 * bz : 8 + bx + 2 * by};
    return (RgFeature){RG_FEATURE_FACE, !x ? bx : !y ? 2 + by : 4 + bz};
}

RgFeature rg_polytope_feature(const RgPolytope *p, int32_t v, RgVec3 n, double angle)
{
    if (p->is_box)
        return rg_box_feature(v, n, angle);
    double angle2 = angle * angle, edge2 = INFINITY, face2 = angle2, off2;
    int32_t edge = -1, face = -1;
    for (int32_t k = p->ring_start[v]; k < p->ring_start[v + 1]; k++) {
        int32_t e = p->ring_edge[k];
        if (!edge_is_across(p, v, p->ring[k], n, angle2, &off2))
            continue;
        if (off2 < edge2 || (off2 == edge2 && e < edge)) {
            edge2 = off2;
            edge = e;
        }
        if (p->nf > 0)
            update_best_face(p, e, n, &face2, &face);
    }
    if (face >= 0)
        return (RgFeature){RG_FEATURE_FACE, face};
    if (edge >= 0)
        return (RgFeature){RG_FEATURE_EDGE, edge};
    return (RgFeature){RG_FEATURE_VERTEX, v};
}

/* Returns true if the face has the vertex. */
static bool face_has(const RgPolytope *p, int32_t f, int32_t v)
{
    for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++)
        if (p->face_vertex[k] == v)
            return true;
    return false;
}

/* Normal of the face with three given vertices, on the side of n; zero if there is none. */
static RgVec3 face_normal(const RgPolytope *p, const int32_t v[3], RgVec3 n)
{
    RgVec3 best = v3_zero();
    if (p->nf == 0)
        return best;
    for (int32_t k = p->ring_start[v[0]]; k < p->ring_start[v[0] + 1]; k++)
        for (int side = 0; side < 2; side++) {
            int32_t f = p->edge_face[2 * p->ring_edge[k] + side];
            if (face_has(p, f, v[1]) && face_has(p, f, v[2]) && v3_dot(p->normal[f], n) > v3_dot(best, n))
                best = p->normal[f];
        }
    return best;
}

/* Returns how many of three indices differ; if two, they come first. */
static int count_distinct(int32_t v[3])
{
    if (v[0] == v[1])
        v[1] = v[2];
    if (v[0] == v[1])
        return 1;
    return v[2] == v[0] || v[2] == v[1] ? 2 : 3;
}

/* Returns true if three points are so far apart that their plane is accurate to round-off. */
static bool is_thick(const RgSupport p[3], double scale2)
{
    RgVec3 e = v3_sub(p[1].w, p[0].w), f = v3_sub(p[2].w, p[0].w), g = v3_sub(p[2].w, p[1].w);
    double ee = v3_norm2(e), ff = v3_norm2(f), gg = v3_norm2(g);
    double longest2 = ee > ff ? ee : ff;
    longest2 = longest2 > gg ? longest2 : gg;
    return v3_norm2(v3_cross(e, f)) > FACE_THICK * FACE_THICK * longest2 * scale2;
}

RgVec3 rg_difference_normal(const RgDifference *d, const RgSupport point[3], RgVec3 n)
{
    const RgConvexPair *pair = d->pair;
    const RgPolytope *A = pair->a->core, *B = pair->b->core;
    if (A == NULL || B == NULL || is_thick(point, d->scale2))
        return v3_zero();
    int32_t va[3] = {point[0].va, point[1].va, point[2].va}, vb[3] = {point[0].vb, point[1].vb, point[2].vb};
    int na = count_distinct(va), nb = count_distinct(vb);
    RgVec3 m = v3_zero();
    if (na == 3)
        m = face_normal(A, va, n);
    if (nb == 3 && v3_norm2(m) == 0.0)
        m = v3_neg(m3_apply(pair->X_AB.R, face_normal(B, vb, v3_neg(m3_apply_t(pair->X_AB.R, n)))));
    if (na == 2 && nb == 2) {
        RgVec3 e = v3_sub(A->vertex[va[1]], A->vertex[va[0]]), f = v3_sub(B->vertex[vb[1]], B->vertex[vb[0]]);
        m = v3_cross(e, m3_apply(pair->X_AB.R, f));
    }
    double length = v3_norm(m);
    if (!(length > 0.0))
        return v3_zero();
    return v3_scale((v3_dot(m, n) < 0.0 ? -1.0 : 1.0) / length, m);
}

RgFeature rg_shape_feature(const RgShape *shape, RgVec3 n, double angle)
{
    if (shape->core != NULL)
        return rg_polytope_feature(shape->core, rg_polytope_support(shape->core, n, -1), n, angle);
    return rg_shape_facing(shape, n, angle).feature;
}
