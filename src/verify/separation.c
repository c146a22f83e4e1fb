/*
 * separation.c - distance of two convex pieces: the point of least norm of the Minkowski difference B - A.
 *
 * Wolfe's method (1976): a corral of at most four differences b - a, and w, the point of least norm of their affine
 * hull, with all weights positive. The difference y that is lowest along w is added. If the new point of least norm has
 * a weight that is not positive, w moves towards it until a weight is zero; that difference is removed, and so on. Ends
 * when
 *
 *   w . y = |w|^2   for the lowest y:   |w| is the distance, and w the normal of the plane between the two
 *
 * For polytopes this takes finitely many steps. For any unit vector n, min n.b - max n.a is a lower bound of the
 * distance, independent of the method. The normal and the error are those of the best n found.
 *
 * Points of least norm: of a triangle along its normal, n (n.p) / |n|^2, so that the direction is exact for the face
 * however near the two are; of a segment by projection.
 *
 * Overlap: minus the depth is the largest of these bounds over all face normals and cross products of edges (separating
 * axes; Gottschalk 1996). If either has more than EDGES_MAX edges, and for cylinders and ellipsoids, the cross products
 * are left out, and the depth may be too large.
 */
#include "verify/separation.h"

enum {
    STEPS_MAX = 400, /* limit of Wolfe's steps */
    EDGES_MAX = 64   /* limit of edges whose cross products are tested: bounds the cost of overlaps */
};

/* Parts of the size: distances below ZERO_DISTANCE count as overlap; the search ends when |w| exceeds the best bound by
   less than CONVERGED. */
#define ZERO_DISTANCE 4e-15
#define CONVERGED 4e-16

/* A difference b - a (world axes), and the two points in their bodies' frames. */
typedef struct Difference {
    RgVec3 y, a, b;
    double weight;
} Difference;

typedef struct Corral {
    Difference of[4];
    int count;
    RgVec3 w;
} Corral;

/* The difference that is lowest along d. */
static Difference lowest(const RgPlacedPiece *a, const RgPlacedPiece *b, RgVec3 d)
{
    Difference y = {.weight = 0.0};
    y.a = rg_piece_support(a->piece, m3_apply_t(a->R, d));
    y.b = rg_piece_support(b->piece, m3_apply_t(b->R, v3_neg(d)));
    RgVec3 apart = v3_sub(b->p, a->p);
    y.y = v3_sub(v3_add(apart, m3_apply(b->R, y.b)), m3_apply(a->R, y.a));
    return y;
}

static bool same(RgVec3 a, RgVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* ------------------------------------------------------------------ points of least norm */

/* Point w of least norm of the affine hull of a corral, and its weights; false: the hull is degenerate. */
static bool least_of_segment(const Corral *c, double weight[4], RgVec3 *w)
{
    RgVec3 d = v3_sub(c->of[1].y, c->of[0].y);
    double d2 = v3_norm2(d);
    if (!(d2 > 0.0))
        return false;
    weight[1] = -v3_dot(c->of[0].y, d) / d2;
    weight[0] = v3_dot(c->of[1].y, d) / d2;
    *w = fabs(weight[1]) < fabs(weight[0]) ? v3_axpy(weight[1], d, c->of[0].y) : v3_axpy(-weight[0], d, c->of[1].y);
    return true;
}

static bool least_of_triangle(const Corral *c, double weight[4], RgVec3 *w)
{
    RgVec3 p = c->of[0].y, q = c->of[1].y, r = c->of[2].y;
    /* Normal from the two shorter edges: more accurate for thin triangles. */
    RgVec3 u = v3_sub(q, p), v = v3_sub(r, p), x = v3_sub(r, q);
    double u2 = v3_norm2(u), v2 = v3_norm2(v), x2 = v3_norm2(x), size = u2 * v2;
    RgVec3 n = x2 >= u2 && x2 >= v2 ? v3_cross(u, v) : v2 >= u2 ? v3_cross(u, x) : v3_cross(v, x);
    double n2 = v3_norm2(n);
    if (!(n2 > 1e-28 * size))
        return false;
    weight[0] = v3_dot(n, v3_cross(q, r)) / n2;
    weight[1] = v3_dot(n, v3_cross(r, p)) / n2;
    weight[2] = v3_dot(n, v3_cross(p, q)) / n2;
    RgVec3 nearest = v3_norm2(q) < v3_norm2(p) ? q : p;
    nearest = v3_norm2(r) < v3_norm2(nearest) ? r : nearest;
    *w = v3_scale(v3_dot(n, nearest) / n2, n);
    return true;
}

static bool least_of_tetrahedron(const Corral *c, double weight[4], RgVec3 *w)
{
    RgVec3 p = c->of[0].y, q = c->of[1].y, r = c->of[2].y, s = c->of[3].y;
    double volume = v3_dot(v3_sub(q, p), v3_cross(v3_sub(r, p), v3_sub(s, p)));
    if (volume == 0.0)
        return false;
    weight[0] = v3_dot(q, v3_cross(r, s)) / volume;
    weight[1] = -v3_dot(p, v3_cross(r, s)) / volume;
    weight[2] = v3_dot(p, v3_cross(q, s)) / volume;
    weight[3] = -v3_dot(p, v3_cross(q, r)) / volume;
    *w = v3_zero();
    return true;
}

static bool least_of(const Corral *c, double weight[4], RgVec3 *w)
{
    switch (c->count) {
    case 1:
        weight[0] = 1.0;
        *w = c->of[0].y;
        return true;
    case 2:
        return least_of_segment(c, weight, w);
    case 3:
        return least_of_triangle(c, weight, w);
    default:
        return least_of_tetrahedron(c, weight, w);
    }
}

/* Moves the weights towards the new ones until one is zero; that member is removed. */
static void move_weights(Corral *c, const double weight[4])
{
    double part = 1.0;
    int leaving = -1;
    for (int i = 0; i < c->count; i++)
        if (weight[i] <= 0.0) {
            double t = c->of[i].weight / (c->of[i].weight - weight[i]);
            if (leaving < 0 || t < part) {
                part = t;
                leaving = i;
            }
        }
    for (int i = 0; i < c->count; i++)
        c->of[i].weight += part * (weight[i] - c->of[i].weight);
    for (int i = leaving; leaving >= 0 && i < 3 && i + 1 < c->count; i++)
        c->of[i] = c->of[i + 1];
    c->count -= leaving >= 0;
}

/* Reduces a corral with a new member to one with positive weights. False: it is degenerate. */
static bool reduce_corral(Corral *c)
{
    while (c->count > 0) {
        double weight[4];
        RgVec3 w;
        if (!least_of(c, weight, &w))
            return false;
        bool inside = true;
        for (int i = 0; i < c->count; i++)
            inside = inside && weight[i] > 0.0;
        if (inside) {
            for (int i = 0; i < c->count; i++)
                c->of[i].weight = weight[i];
            c->w = w;
            return true;
        }
        move_weights(c, weight);
    }
    return false;
}

/* ------------------------------------------------------------------ overlap */

double rg_separation_along(const RgPlacedPiece *a, const RgPlacedPiece *b, RgVec3 n)
{
    return v3_dot(n, lowest(a, b, n).y) - a->piece->radius - b->piece->radius;
}

/* Keeps the bound along n if it is the best. */
static void test_direction(const RgPlacedPiece *a, const RgPlacedPiece *b, RgVec3 n, RgSeparation *best)
{
    double g = rg_separation_along(a, b, n);
    if (g > best->distance) {
        best->distance = g;
        best->normal = n;
    }
}

static RgVec3 edge_of(const RgPlacedPiece *a, int32_t e)
{
    const RgPiece *piece = a->piece;
    return m3_apply(a->R, v3_sub(piece->corner[piece->edge[2 * e + 1]], piece->corner[piece->edge[2 * e]]));
}

static void test_edge_products(const RgPlacedPiece *a, const RgPlacedPiece *b, RgSeparation *best)
{
    for (int32_t i = 0; i < a->piece->nedges; i++) {
        RgVec3 u = edge_of(a, i);
        for (int32_t j = 0; j < b->piece->nedges; j++) {
            RgVec3 v = edge_of(b, j), n = v3_cross(u, v);
            double length = v3_norm(n);
            if (length <= 1e-9 * v3_norm(u) * v3_norm(v))
                continue;
            n = v3_scale(1.0 / length, n);
            test_direction(a, b, n, best);
            test_direction(a, b, v3_neg(n), best);
        }
    }
}

/* Depth of an overlap: the best bound over all candidate directions. */
static void measure_depth(const RgPlacedPiece *a, const RgPlacedPiece *b, RgSeparation *best)
{
    for (int32_t i = 0; i < a->piece->nnormals; i++)
        test_direction(a, b, m3_apply(a->R, a->piece->normal[i]), best);
    for (int32_t i = 0; i < b->piece->nnormals; i++)
        test_direction(a, b, v3_neg(m3_apply(b->R, b->piece->normal[i])), best);
    if (a->piece->nedges <= EDGES_MAX && b->piece->nedges <= EDGES_MAX)
        test_edge_products(a, b, best);
    RgVec3 between =
        v3_sub(v3_add(b->p, m3_apply(b->R, b->piece->middle)), v3_add(a->p, m3_apply(a->R, a->piece->middle)));
    RgVec3 guess[3] = {between, m3_apply(a->R, a->piece->axis), m3_apply(b->R, b->piece->axis)};
    for (int k = 0; k < 3; k++) {
        double length = v3_norm(guess[k]);
        RgVec3 n = length > 0.0 ? v3_scale(1.0 / length, guess[k]) : v3(0.0, 0.0, 1.0);
        test_direction(a, b, n, best);
        test_direction(a, b, v3_neg(n), best);
    }
}

/* ------------------------------------------------------------------ public */

/* Adds x to the distinct points of a side. */
static void add_corner(RgVec3 x, RgVec3 all[4], int *count)
{
    for (int k = 0; k < *count; k++)
        if (same(all[k], x))
            return;
    all[(*count)++] = x;
}

/* Writes the corners of the last corral. */
static void write_corners(const Corral *c, RgSeparation *out)
{
    RgVec3 a[4] = {{0.0, 0.0, 0.0}}, b[4] = {{0.0, 0.0, 0.0}};
    for (int i = 0; i < c->count; i++) {
        add_corner(c->of[i].a, a, &out->ncorners_a);
        add_corner(c->of[i].b, b, &out->ncorners_b);
    }
    for (int k = 0; k < 2; k++) {
        out->corner_a[k] = a[k < out->ncorners_a ? k : 0];
        out->corner_b[k] = b[k < out->ncorners_b ? k : 0];
    }
}

static RgSeparation of_halfspace(const RgPlacedPiece *half, const RgPlacedPiece *b)
{
    RgVec3 n = m3_apply(half->R, half->piece->axis);
    RgVec3 x = rg_piece_support(b->piece, m3_apply_t(b->R, v3_neg(n)));
    RgVec3 from = v3_sub(v3_add(b->p, m3_apply(b->R, x)), half->p);
    double d = v3_dot(n, from) - half->piece->offset - b->piece->radius;
    return (RgSeparation){.distance = d, .normal = n};
}

/* Keeps the bound of the distance of the cores along w if it is the best. */
static void update_bound(RgVec3 w, const Difference *y, RgSeparation *best)
{
    double length = v3_norm(w), g = length > 0.0 ? v3_dot(w, y->y) / length : 0.0;
    if (length > 0.0 && g > best->distance) {
        best->distance = g;
        best->normal = v3_scale(1.0 / length, w);
    }
}

static bool in_corral(const Corral *c, const Difference *y)
{
    for (int i = 0; i < c->count; i++)
        if (same(c->of[i].a, y->a) && same(c->of[i].b, y->b))
            return true;
    return false;
}

RgSeparation rg_separation(const RgPlacedPiece *a, const RgPlacedPiece *b)
{
    if (a->piece->kind == RG_PIECE_HALFSPACE)
        return of_halfspace(a, b);
    if (b->piece->kind == RG_PIECE_HALFSPACE) {
        RgSeparation s = of_halfspace(b, a);
        s.normal = v3_neg(s.normal);
        return s;
    }
    RgVec3 apart =
        v3_sub(v3_add(b->p, m3_apply(b->R, b->piece->middle)), v3_add(a->p, m3_apply(a->R, a->piece->middle)));
    double size = v3_norm(apart) + a->piece->reach + b->piece->reach;
    double radius = a->piece->radius + b->piece->radius;
    RgSeparation best = {.distance = -(double)INFINITY};
    Corral c = {.count = 1, .of = {lowest(a, b, apart)}};
    c.of[0].weight = 1.0;
    c.w = c.of[0].y;
    for (int step = 0; step < STEPS_MAX; step++) {
        double length = v3_norm(c.w);
        if (length <= ZERO_DISTANCE * size)
            break;
        Difference y = lowest(a, b, c.w);
        update_bound(c.w, &y, &best);
        if (length - best.distance <= CONVERGED * size || in_corral(&c, &y) || c.count == 4)
            break;
        Corral before = c;
        c.of[c.count++] = y;
        if (!reduce_corral(&c) || !(v3_norm2(c.w) < length * length)) {
            c = before;
            break;
        }
    }
    double length = v3_norm(c.w);
    if (length > ZERO_DISTANCE * size && c.count < 4) {
        best.error = fabs(length - best.distance);
        best.distance = fmax(length, best.distance) - radius;
        write_corners(&c, &best);
        return best;
    }
    best.distance = -(double)INFINITY;
    measure_depth(a, b, &best);
    return best;
}
