/*
 * hull_distance.c - distance of a point from the convex hull of posed shapes.
 *
 * The least distance of a convex set K from the origin, K given by its support function (Gilbert 1966; Gilbert,
 * Johnson, Keerthi 1988). Here K is the hull of all shapes minus the point p, and its support point is the farthest of
 * those of the shapes. The algorithm keeps a simplex of at most four points of K, with its point x nearest to the
 * origin:
 *
 *   w = support(-x)      |x| >= distance >= x.w / |x|
 *
 * If the two bounds agree the search ends; otherwise w is added to the simplex.
 *
 * The nearest point of a simplex is the shortest of the nearest points of the planes through its 15 sub-simplices, of
 * which only those with positive weights count. Sub-simplices that are too flat are skipped: their faces replace them,
 * so that no shape and no position makes the search fail. For polytopes it ends after a few dozen steps; on smooth
 * shapes the bounds converge linearly.
 *
 * Result: 0 if the origin is within round-off of K. RG_ERR_NOT_CONVERGED if the bounds do not agree after HULL_STEPS.
 */
#include "geom/shape.h"
#include "math/pose.h"

/* Bounds that differ by less than this fraction of the size of K are equal. */
#define HULL_TOLERANCE 1e-10
/* Distances below this fraction of the size of K are round-off: inside. */
#define HULL_TOUCH 1e-13
/* A gap g between the bounds allows a step to shorten the distance d by g^2 d / (2 size^2). That is below the round-off
   of 1e-16 size for g below 1e-8 size sqrt(size / d); a factor of ten is added for the round-off of sums. */
#define HULL_STALL 1e-7
/* Smallest squared height of a sub-simplex, as a fraction of its squared edge, at which it has a direction. */
#define HULL_FLAT 1e-20
/* Cost bound. */
#define HULL_STEPS 1000

/* Up to four points of K, and the point of their hull nearest to the origin. */
typedef struct Simplex {
    RgVec3 point[4];
    int count;
    RgVec3 nearest;
} Simplex;

/* Point nearest to the origin of the plane through the points selected by the bits of set. Returns false if it lies
   outside their hull or if they are too flat. Orthogonalises the edges from the first point one by one, then solves
   back for the weights. */
static bool subset_nearest(const Simplex *s, unsigned set, RgVec3 *nearest)
{
    RgVec3 first = {0.0, 0.0, 0.0}, across[3];
    double coefficient[3][3] = {{0.0}}, weight[3] = {0.0};
    int edges = -1;

    /* Gram-Schmidt: edge_k = across_k + sum_j share_kj across_j. */
    for (int i = 0; i < s->count; i++) {
        if (!(set & (1u << i)))
            continue;
        if (edges < 0) {
            first = s->point[i];
        } else {
            RgVec3 edge = v3_sub(s->point[i], first), rest = edge;
            for (int j = 0; j < edges; j++) {
                coefficient[edges][j] = v3_dot(rest, across[j]) / v3_norm2(across[j]);
                rest = v3_axpy(-coefficient[edges][j], across[j], rest);
            }
            if (!(v3_norm2(rest) > HULL_FLAT * v3_norm2(edge)))
                return false;
            across[edges] = rest;
        }
        edges++;
    }

    /* Foot of the origin on the plane, in steps along the orthogonal directions. */
    RgVec3 foot = first;
    for (int k = 0; k < edges; k++) {
        weight[k] = -v3_dot(foot, across[k]) / v3_norm2(across[k]);
        foot = v3_axpy(weight[k], across[k], foot);
    }

    /* Convert to weights of the points: all positive means inside. */
    double others = 0.0;
    for (int k = edges - 1; k >= 0; k--) {
        if (!(weight[k] > 0.0))
            return false;
        others += weight[k];
        for (int j = 0; j < k; j++)
            weight[j] -= weight[k] * coefficient[k][j];
    }
    if (!(others < 1.0))
        return false;
    *nearest = foot;
    return true;
}

/* Finds the nearest point of the simplex and drops the points with zero weight. */
static void reduce_simplex(Simplex *s)
{
    double best = INFINITY;
    unsigned keep = 0;
    for (unsigned set = 1; set < 1u << s->count; set++) {
        RgVec3 x;
        if (subset_nearest(s, set, &x) && v3_norm2(x) < best) {
            best = v3_norm2(x);
            keep = set;
            s->nearest = x;
        }
    }
    int kept = 0;
    for (int i = 0; i < s->count; i++)
        if (keep & (1u << i))
            s->point[kept++] = s->point[i];
    s->count = kept;
}

/* Farthest point of all shapes along a direction, relative to p. */
static RgVec3 hull_support(const RgPosedShape *shapes, int count, RgVec3 p, RgVec3 direction)
{
    RgVec3 best = {0.0, 0.0, 0.0};
    double farthest = -INFINITY;
    for (int i = 0; i < count; i++) {
        const RgPose *X_AS = &shapes[i].X_AS;
        const RgShapeKind *kind = rg_shape_kind(shapes[i].shape.type);
        RgVec3 x = kind->support(&shapes[i].shape, m3_apply_t(X_AS->R, direction));
        RgVec3 w = v3_sub(pose_apply(*X_AS, x), p);
        if (v3_dot(w, direction) > farthest) {
            farthest = v3_dot(w, direction);
            best = w;
        }
    }
    return best;
}

static RgStatus check_arguments(const RgPosedShape *shapes, int count, RgVec3 point)
{
    if (count <= 0)
        return RG_ERR_ARGUMENT;
    if (!v3_finite(point))
        return RG_ERR_NOT_FINITE;
    for (int i = 0; i < count; i++) {
        const RgShapeKind *kind = rg_shape_kind(shapes[i].shape.type);
        if (kind == NULL || kind->check(&shapes[i].shape) != NULL)
            return RG_ERR_ARGUMENT;
        if (kind->support == NULL)
            return RG_ERR_UNSUPPORTED;
        RgPose X = shapes[i].X_AS;
        if (!v3_finite(X.p) || !v3_finite(m3_column(X.R, 0)) || !v3_finite(m3_column(X.R, 1)) ||
            !v3_finite(m3_column(X.R, 2)))
            return RG_ERR_NOT_FINITE;
    }
    return RG_OK;
}

RgStatus rg_hull_distance(const RgPosedShape *shapes, int count, RgVec3 point, double *distance)
{
    RgStatus status = check_arguments(shapes, count, point);
    if (status != RG_OK)
        return status;

    Simplex s = {.count = 1};
    s.point[0] = s.nearest = hull_support(shapes, count, point, v3(1.0, 0.0, 0.0));
    double size = v3_norm(s.nearest);
    for (int step = 0; step < HULL_STEPS; step++) {
        /* The origin is reached: inside. */
        double far = v3_norm(s.nearest);
        *distance = far;
        if (far <= HULL_TOUCH * size) {
            *distance = 0.0;
            return RG_OK;
        }

        /* The plane through w perpendicular to the nearest point's direction gives a lower bound. */
        RgVec3 w = hull_support(shapes, count, point, v3_neg(s.nearest));
        size = fmax(size, v3_norm(w));
        double gap = far - v3_dot(s.nearest, w) / far;
        if (gap <= HULL_TOLERANCE * size)
            return RG_OK;

        /* Add the new point; if four points remain after the reduction, they contain the origin. */
        s.point[s.count++] = w;
        reduce_simplex(&s);
        if (s.count == 4) {
            *distance = 0.0;
            return RG_OK;
        }

        /* The distance no longer decreases: round-off, if the bounds are as close as round-off permits. */
        if (v3_norm(s.nearest) >= far)
            return gap <= HULL_STALL * size * sqrt(size / far) ? RG_OK : RG_ERR_NOT_CONVERGED;
    }
    return RG_ERR_NOT_CONVERGED;
}
