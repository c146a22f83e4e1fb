/*
 * pair_box_box.c - two boxes of half lengths h and g; B has the position p and the rotation R in A's frame.
 *
 * Every unit n gives a lower bound of the signed distance, and for boxes the bound is a sum:
 *
 *   sep(n) = n.p - sum_i |n_i| h_i - sum_j |m_j| g_j        m = R'n
 *
 * Fifteen normals are evaluated first: the axes e_i of A, R_j of B, and e_i x R_j of their edges, each on the side of p
 * (separating axes; Gottschalk, Lin, Manocha 1996). The components of e_i x R_j are elements of R, so the normal is
 * accurate for nearly parallel edges too. If the boxes overlap, the largest sep is the distance. If they are separated,
 * it is the distance if the nearest points lie on a face and a corner or on two edges:
 *
 *   face and corner   the deepest corner of the other box, and its foot on the face, which must be inside the face
 *   two edges         the nearest points of their lines, which must be inside the edges
 *
 * Otherwise the nearest points lie on corners and edges. Each is the point of its box nearest to the other, a =
 * clamp(b), b = clamp(a): alternating projections find them, and sep(b - a) = |b - a| proves the result.
 *
 * If neither succeeds (alternating projections converge slowly along nearly parallel sides), GJK and EPA are used. Of
 * normals whose sep is equal up to round-off, a face of A is preferred, then a face of B. Cost: 100 to 200 ns.
 */
#include "collision/gjk.h"
#include "collision/pair_box.h"

/* Alternating projections of both points; they start from a corner that nearly always belongs to the result. */
#define MAX_PROJECTIONS 6
/* Fraction of the lengths within which bounds are equal: round-off. */
#define BOX_ROUND 4e-16
/* Bounds within this many units of round-off may tie. */
#define TIE_UNITS 16.0
/* Units of round-off within which points on nearly parallel edges must be at the plane's distance; iterations that
   correct them. */
#define EDGE_UNITS 4.0
#define EDGE_CORRECTIONS 2
/* Squared sine of the angle between two edges above which R_m.(e_i x R_j) is an element of R up to round-off; below, R
   is not orthonormal enough. And the value below which the edges are parallel within the round-off of R. */
#define EDGES_REGULAR 0.1
#define EDGES_PARALLEL 1e-30
/* rad; an edge or a face within this angle of the contact plane counts as lying in it, as in distance.c. */
#define PARALLEL_ANGLE 1e-7

typedef struct Boxes {
    const RgPose *X;
    double h[3], g[3];
    double round_off; /* m; round-off */
} Boxes;

/* A point of A, the normal from A to B, and the distance. */
typedef struct BoxResult {
    RgVec3 a, n;
    double distance, error;
} BoxResult;

/* Indices of the fifteen normals: axes of A, axes of B, 6 + 3 i + j for e_i x R_j. */
#define NORMALS 15
#define FIRST_EDGES 6

/* One of the normals, on the side of p: axis i of A or -1, axis j of B or -1. */
typedef struct Normal {
    int i, j;
    RgVec3 n;
} Normal;

static inline RgVec3 clamp(RgVec3 x, const double h[3])
{
    return v3(pair_clamp(x.x, -h[0], h[0]), pair_clamp(x.y, -h[1], h[1]), pair_clamp(x.z, -h[2], h[2]));
}

/* The corner farthest along n. */
static inline RgVec3 corner(RgVec3 n, const double h[3])
{
    return v3(n.x > 0.0 ? h[0] : -h[0], n.y > 0.0 ? h[1] : -h[1], n.z > 0.0 ? h[2] : -h[2]);
}

static inline RgVec3 to_b(const Boxes *q, RgVec3 x)
{
    return m3_apply_t(q->X->R, v3_sub(x, q->X->p));
}

static inline RgVec3 from_b(const Boxes *q, RgVec3 y)
{
    return v3_add(m3_apply(q->X->R, y), q->X->p);
}

static inline double half_extent(RgVec3 n, const double h[3])
{
    return fabs(n.x) * h[0] + fabs(n.y) * h[1] + fabs(n.z) * h[2];
}

/* sep(n) of any unit n. */
static inline double separation(const Boxes *q, RgVec3 n)
{
    return v3_dot(n, q->X->p) - half_extent(n, q->h) - half_extent(m3_apply_t(q->X->R, n), q->g);
}

/* ------------------------------------------------------------------ fifteen normals */

static inline double *component(RgVec3 *x, int i)
{
    return i == 0 ? &x->x : i == 1 ? &x->y : &x->z;
}

/* e_i x R_j. */
static inline RgVec3 cross_axes(const RgMat3 *R, int i, int j)
{
    double x = R->m[0][j], y = R->m[1][j], z = R->m[2][j];
    return i == 0 ? v3(0.0, -z, y) : i == 1 ? v3(z, 0.0, -x) : v3(-y, x, 0.0);
}

static Normal normal_of(const Boxes *q, int k)
{
    const RgPose *X = q->X;
    Normal out = {.i = k < 3 ? k : -1, .j = k < 3 ? -1 : k - 3};
    if (k < 3) {
        *component(&out.n, k) = 1.0;
    } else if (k < FIRST_EDGES) {
        out.n = m3_column(X->R, out.j);
    } else {
        out.i = (k - FIRST_EDGES) / 3;
        out.j = (k - FIRST_EDGES) % 3;
        out.n = cross_axes(&X->R, out.i, out.j);
        out.n = v3_scale(1.0 / v3_norm(out.n), out.n);
    }
    if (v3_dot(out.n, X->p) < 0.0)
        out.n = v3_neg(out.n);
    return out;
}

static void separate_faces_a(const Boxes *q, double abs[3][3], double sep[NORMALS])
{
    const RgPose *X = q->X;
    const double p[3] = {X->p.x, X->p.y, X->p.z};
    for (int i = 0; i < 3; i++)
        sep[i] = fabs(p[i]) - q->h[i] - (abs[i][0] * q->g[0] + abs[i][1] * q->g[1] + abs[i][2] * q->g[2]);
}

static void separate_faces_b(const Boxes *q, double abs[3][3], double sep[NORMALS])
{
    RgVec3 t = m3_apply_t(q->X->R, q->X->p);
    const double s[3] = {t.x, t.y, t.z};
    for (int i = 0; i < 3; i++)
        sep[3 + i] = fabs(s[i]) - q->g[i] - (abs[0][i] * q->h[0] + abs[1][i] * q->h[1] + abs[2][i] * q->h[2]);
}

static double largest3(const double x[3])
{
    return num_max(x[0], num_max(x[1], x[2]));
}

/* Returns true if edge / sqrt(square) may exceed least, up to round-off of the lengths if the edges are nearly
   parallel. */
static inline bool may_exceed(double edge, double square, double least, double round_off)
{
    if (square <= EDGES_REGULAR)
        return edge + EDGE_UNITS * round_off > least * sqrt(square);
    return least >= 0.0 ? edge > 0.0 && edge * edge > least * least * square
                        : edge >= 0.0 || edge * edge < least * least * square;
}

/* sep of the edge pairs that may exceed the best of the faces, or tie with it; minus infinity for the others. */
static void separate_edges(const Boxes *q, double abs[3][3], double sep[NORMALS])
{
    const double(*R)[3] = q->X->R.m;
    const double p[3] = {q->X->p.x, q->X->p.y, q->X->p.z};
    double least = num_max(largest3(sep), largest3(sep + 3)) - TIE_UNITS * q->round_off;
    for (int i = 0; i < 3; i++) {
        int k = i == 2 ? 0 : i + 1, l = i == 0 ? 2 : i - 1;
        for (int j = 0; j < 3; j++) {
            int m = j == 2 ? 0 : j + 1, n = j == 0 ? 2 : j - 1, k_ij = FIRST_EDGES + 3 * i + j;
            double along = fabs(p[l] * R[k][j] - p[k] * R[l][j]);
            double edge =
                along - (q->h[k] * abs[l][j] + q->h[l] * abs[k][j]) - (q->g[m] * abs[i][n] + q->g[n] * abs[i][m]);
            double square = R[k][j] * R[k][j] + R[l][j] * R[l][j];
            sep[k_ij] = -INFINITY;
            if (square > EDGES_PARALLEL && may_exceed(edge, square, least, q->round_off))
                sep[k_ij] = square > EDGES_REGULAR ? edge / sqrt(square) : separation(q, normal_of(q, k_ij).n);
        }
    }
}

/* Index of the largest sep; of those equal up to round-off the first. */
static int largest_separation(const Boxes *q, const double sep[NORMALS])
{
    double a = sep[0], b = sep[1], c = sep[2];
    for (int k = 3; k < NORMALS; k += 3) {
        a = num_max(a, sep[k]);
        b = num_max(b, sep[k + 1]);
        c = num_max(c, sep[k + 2]);
    }
    double least = num_max(a, num_max(b, c)) - q->round_off;
    int best = 0;
    while (best < NORMALS - 1 && !(sep[best] >= least))
        best++;
    return best;
}

/* ------------------------------------------------------------------ points */

/* x: a point in the frame of the box whose face has the normal axis k. Returns true if its foot is on the face. */
static inline bool is_over(RgVec3 x, const double h[3], int k, double round_off)
{
    return (k == 0 || fabs(x.x) <= h[0] + round_off) && (k == 1 || fabs(x.y) <= h[1] + round_off) &&
           (k == 2 || fabs(x.z) <= h[2] + round_off);
}

/* The feature of one box that is parallel to a face of the other, in the frame of the other: its centre, and the half
   vectors along it, for `ways` axes. */
typedef struct Side {
    RgVec3 middle, way[3];
    int ways;
} Side;

/* Clips the interval fromto of s to where middle + s way is over a face with normal axis k. Returns false if nothing is
   left. */
static bool clip_line(RgVec3 middle, RgVec3 way, const double h[3], int k, double fromto[2])
{
    for (int i = 0; i < 3; i++) {
        double o = v3_at(middle, i), d = v3_at(way, i);
        if (i == k)
            continue;
        if (d == 0.0 && fabs(o) > h[i])
            return false;
        if (d == 0.0)
            continue;
        double s = (-h[i] - o) / d, t = (h[i] - o) / d;
        fromto[0] = num_max(fromto[0], num_min(s, t));
        fromto[1] = num_min(fromto[1], num_max(s, t));
    }
    return fromto[0] <= fromto[1];
}

/* A point of the side over a face with normal axis k: on its border, else (if the face is inside it) over the centre of
   the face. */
static bool point_over_face(const Side *side, const double h[3], int k, RgVec3 *out)
{
    int borders = side->ways == 2 ? 4 : 1;
    for (int e = 0; e < borders; e++) {
        RgVec3 way = side->way[e / 2], middle = side->middle;
        if (side->ways == 2)
            middle = v3_axpy(e % 2 ? 1.0 : -1.0, side->way[1 - e / 2], middle);
        double fromto[2] = {-1.0, 1.0};
        if (clip_line(middle, way, h, k, fromto)) {
            *out = v3_axpy(0.5 * (fromto[0] + fromto[1]), way, middle);
            return true;
        }
    }
    if (side->ways < 2)
        return false;
    double u = -v3_dot(side->middle, side->way[0]) / v3_norm2(side->way[0]);
    double v = -v3_dot(side->middle, side->way[1]) / v3_norm2(side->way[1]);
    *out = v3_axpy(v, side->way[1], v3_axpy(u, side->way[0], side->middle));
    return fabs(u) <= 1.0 && fabs(v) <= 1.0;
}

/* The point of the other box that is deepest under a face, with normal axis k, of this box, in the frame of this box.
   deepest: in, a deepest corner; out, the point. under_a: this box is A. down: the inward face normal in the frame of
   the other box. Returns false if no deepest point is over the face. */
static bool find_deepest(const Boxes *q, bool under_a, int k, RgVec3 down, RgVec3 *deepest)
{
    const double *h = under_a ? q->h : q->g, *g = under_a ? q->g : q->h;
    if (is_over(*deepest, h, k, q->round_off))
        return true;
    Side side = {.middle = *deepest};
    for (int j = 0; j < 3; j++) {
        double slope = v3_at(down, j);
        if (!(fabs(slope) * g[j] <= q->round_off && g[j] > 0.0))
            continue;
        const RgMat3 *R = &q->X->R;
        RgVec3 axis = under_a ? m3_column(*R, j) : v3(R->m[j][0], R->m[j][1], R->m[j][2]);
        side.way[side.ways++] = v3_scale(slope > 0.0 ? -g[j] : g[j], axis);
    }
    if (side.ways == 0 || side.ways == 3)
        return false;
    for (int j = 0; j < side.ways; j++)
        side.middle = v3_add(side.middle, side.way[j]);
    return point_over_face(&side, h, k, deepest);
}

/* Witness point for a face normal: the deepest point under the face. Returns false if it is not over the face. */
static bool find_face_points(const Boxes *q, const Normal *face, BoxResult *out)
{
    RgVec3 m = v3_neg(m3_apply_t(q->X->R, face->n));
    if (face->i >= 0) {
        out->a = from_b(q, corner(m, q->g));
        bool over = find_deepest(q, true, face->i, m, &out->a);
        *component(&out->a, face->i) = v3_at(face->n, face->i) * q->h[face->i];
        return over;
    }
    out->a = corner(face->n, q->h);
    RgVec3 y = to_b(q, out->a);
    if (is_over(y, q->g, face->j, q->round_off))
        return true;
    if (!find_deepest(q, false, face->j, face->n, &y))
        return false;
    out->a = clamp(from_b(q, y), q->h);
    return true;
}

/* Nearest points a + s e_i and b + t R_j of two edges perpendicular to n, s and t measured from their centres. Returns
   false if they are not inside the edges. For nearly parallel edges the first solution is corrected, which may fail. */
static bool find_edge_points(const Boxes *q, const Normal *edges, BoxResult *out)
{
    int i = edges->i, j = edges->j;
    RgVec3 m = v3_neg(m3_apply_t(q->X->R, edges->n)), f = m3_column(q->X->R, j);
    RgVec3 a = corner(edges->n, q->h), y = corner(m, q->g);
    *component(&a, i) = *component(&y, j) = 0.0;
    RgVec3 b = v3_axpy(-out->distance, edges->n, from_b(q, y)), w = v3_sub(b, a);
    double square = v3_norm2(cross_axes(&q->X->R, i, j)), cosine = v3_at(f, i), s = 0.0, t = 0.0;
    for (int step = 0; step < EDGE_CORRECTIONS; step++) {
        double we = v3_at(w, i), wf = v3_dot(w, f), dt = (cosine * we - wf) / square;
        t += dt;
        s += we + dt * cosine;
        if (square > EDGES_REGULAR)
            break;
        RgVec3 a_s = a;
        *component(&a_s, i) = s;
        w = v3_sub(v3_axpy(t, f, b), a_s);
    }
    out->a = a;
    *component(&out->a, i) = s;
    bool meets = square > EDGES_REGULAR || v3_norm(w) <= EDGE_UNITS * q->round_off;
    return meets && fabs(s) <= q->h[i] + q->round_off && fabs(t) <= q->g[j] + q->round_off;
}

/* The only axis along which x lies inside a box; -1: none, or several. */
static int free_axis(RgVec3 x, const double h[3])
{
    int set = (fabs(x.x) < h[0]) | (fabs(x.y) < h[1]) << 1 | (fabs(x.z) < h[2]) << 2;
    return set == 1 ? 0 : set == 2 ? 1 : set == 4 ? 2 : -1;
}

/* Nearest points of the edges of A and B through a and b, along axes i and j; y is b in B's frame. Returns the point on
   A's edge. */
static RgVec3 nearest_on_edges(const Boxes *q, int i, int j, RgVec3 a, RgVec3 y)
{
    RgVec3 f = m3_column(q->X->R, j);
    *component(&a, i) = *component(&y, j) = 0.0;
    RgVec3 w = v3_sub(from_b(q, y), a);
    double square = v3_norm2(cross_axes(&q->X->R, i, j));
    double cosine = v3_at(f, i), we = v3_at(w, i), wf = v3_dot(w, f);
    double t = square > EDGES_PARALLEL ? (cosine * we - wf) / square : 0.0;
    t = pair_clamp(t, -q->g[j], q->g[j]);
    *component(&a, i) = pair_clamp(we + t * cosine, -q->h[i], q->h[i]);
    return a;
}

/* Nearest points on corners and edges by alternating projections, from a corner of A or B. */
static bool alternate_projections(const Boxes *q, RgVec3 a, BoxResult *out)
{
    for (int turn = 0; turn < MAX_PROJECTIONS; turn++) {
        RgVec3 y = to_b(q, a), at_b = clamp(y, q->g), b = from_b(q, at_b);
        RgVec3 at_a = clamp(b, q->h), n = v3_sub(b, at_a);
        double length = v3_unit(n, v3_zero(), &n), sep = separation(q, n);
        if (length > 0.0 && length - sep <= q->round_off) {
            *out = (BoxResult){at_a, n, sep, 0.0};
            return true;
        }
        int i = free_axis(b, q->h), j = free_axis(y, q->g);
        a = i >= 0 && j >= 0 ? nearest_on_edges(q, i, j, at_a, at_b) : at_a;
    }
    return false;
}

static bool find_points(const Boxes *q, const Normal *by, BoxResult *out)
{
    out->n = by->n;
    return by->i >= 0 && by->j >= 0 ? find_edge_points(q, by, out) : find_face_points(q, by, out);
}

/* Tries the next normals within the tie tolerance: if sides are nearly parallel, the points of the largest sep may lie
   beside them, while those of the next are equally near. */
static bool try_next_normals(const Boxes *q, double sep[NORMALS], int best, BoxResult *out)
{
    double most = sep[best];
    for (int tries = 1; tries < NORMALS; tries++) {
        sep[best] = -INFINITY;
        best = largest_separation(q, sep);
        if (!(sep[best] >= most - TIE_UNITS * q->round_off))
            return false;
        Normal next = normal_of(q, best);
        out->distance = sep[best];
        out->error = most - sep[best];
        if (find_points(q, &next, out))
            return true;
    }
    return false;
}

/* Index of the largest of three. */
static int index_of_largest(const double x[3])
{
    return x[0] >= x[1] && x[0] >= x[2] ? 0 : x[1] >= x[2] ? 1 : 2;
}

/* If a plane separates the boxes by more than the limit, only normal and distance are set, to those of the plane. */
static bool solve(const Boxes *q, double limit, BoxResult *out)
{
    double abs[3][3], sep[NORMALS];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            abs[i][j] = fabs(q->X->R.m[i][j]);
    separate_faces_a(q, abs, sep);
    if ((out->distance = largest3(sep)) > limit) {
        out->n = normal_of(q, index_of_largest(sep)).n;
        return true;
    }
    separate_faces_b(q, abs, sep);
    if ((out->distance = largest3(sep + 3)) > limit) {
        out->n = normal_of(q, 3 + index_of_largest(sep + 3)).n;
        return true;
    }
    separate_edges(q, abs, sep);
    int best = largest_separation(q, sep);
    Normal by = normal_of(q, best);
    out->n = by.n;
    if ((out->distance = sep[best]) > limit)
        return true;
    out->distance = best < FIRST_EDGES ? sep[best] : separation(q, by.n);
    out->error = 0.0;
    if (find_points(q, &by, out))
        return true;
    RgVec3 a = clamp(out->a, q->h);
    BoxResult first = {a, by.n, out->distance, 0.0};
    if ((sep[best] > 0.0 && alternate_projections(q, a, out)) || try_next_normals(q, sep, best, out))
        return true;

    /* The sizes are so different that the smaller box is within round-off: the missing distance is reported as
       error. */
    RgVec3 b = v3_axpy(first.distance, first.n, a), off = v3_sub(from_b(q, clamp(to_b(q, b), q->g)), b);
    *out = first;
    out->error = v3_norm(off);
    return out->error <= TIE_UNITS * q->round_off;
}

static double make_boxes(const RgConvexPair *pair, Boxes *q)
{
    double extents = 0.0;
    q->X = &pair->X_AB;
    for (int i = 0; i < 3; i++) {
        q->h[i] = 0.5 * pair->a->size[i];
        q->g[i] = 0.5 * pair->b->size[i];
        extents += q->h[i] + q->g[i];
    }
    RgVec3 p = pair->X_AB.p;
    q->round_off = BOX_ROUND * (extents + fabs(p.x) + fabs(p.y) + fabs(p.z));
    return extents;
}

/* Result without features. */
static void set_result(const RgConvexPair *pair, const BoxResult *found, double extents, RgDistance *out)
{
    out->distance = found->distance;
    out->error = found->error + pair_rounding(pair, extents);
    out->normal = found->n;
    out->point_a = found->a;
    out->point_b = v3_axpy(found->distance, found->n, found->a);
    out->feature_a = out->feature_b = pair_feature(RG_FEATURE_NONE, -1);
    out->iterations = 1;
}

RgStatus rg_pair_box_box_within(const RgConvexPair *pair, double limit, RgDistance *out)
{
    Boxes q;
    BoxResult found;
    double extents = make_boxes(pair, &q);
    if (!solve(&q, limit, &found))
        return rg_convex_distance_gjk(pair, NULL, out);
    if (found.distance > limit) {
        out->distance = found.distance;
        out->normal = found.n;
        out->error = INFINITY;
        return RG_OK;
    }
    set_result(pair, &found, extents, out);
    return RG_OK;
}

/* Index of the normal that two features define; -1: none. */
static int normal_between(const RgFeature feature[2])
{
    if (feature[0].kind == RG_FEATURE_FACE)
        return feature[0].index / 2;
    if (feature[1].kind == RG_FEATURE_FACE)
        return 3 + feature[1].index / 2;
    return feature[0].kind == RG_FEATURE_EDGE && feature[1].kind == RG_FEATURE_EDGE
               ? FIRST_EDGES + 3 * (feature[0].index / 4) + feature[1].index / 4
               : -1;
}

/* For separated boxes one normal suffices if its points are as far from each other as its planes. */
bool rg_pair_box_box_guess(const RgConvexPair *pair, const RgFeature feature[2], RgDistance *out)
{
    Boxes q;
    BoxResult found;
    double extents = make_boxes(pair, &q);
    int k = normal_between(feature);
    if (k < 0 || k >= NORMALS)
        return false;
    Normal by = normal_of(&q, k);
    found.distance = separation(&q, by.n);
    found.error = 0.0;
    if (!(found.distance > TIE_UNITS * q.round_off) || !find_points(&q, &by, &found))
        return false;
    set_result(pair, &found, extents, out);
    return true;
}

RgStatus rg_pair_box_box(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    Boxes q;
    BoxResult found;
    double extents = make_boxes(pair, &q);
    if (!solve(&q, INFINITY, &found))
        return rg_convex_distance_gjk(pair, cache, out);
    RgVec3 m = v3_neg(m3_apply_t(pair->X_AB.R, found.n));
    out->distance = found.distance;
    out->error = found.error + pair_rounding(pair, extents);
    out->normal = found.n;
    out->point_a = found.a;
    out->point_b = v3_axpy(found.distance, found.n, found.a);
    out->feature_a = rg_box_feature(rg_box_corner(found.n), found.n, PARALLEL_ANGLE);
    out->feature_b = rg_box_feature(rg_box_corner(m), m, PARALLEL_ANGLE);
    out->iterations = 1;
    return RG_OK;
}
