/*
 * epa.c - penetration depth of two overlapping cores: expanding polytope algorithm (van den Bergen 2001).
 *
 * D = B - A contains the origin. The algorithm keeps a polytope of triangles with corners on D and the origin inside.
 * Of its face nearest to the origin, with outward unit normal u at distance c,
 *
 *   w = the point of D farthest along u        c  <=  depth  <=  u.w
 *
 * If the bounds agree the search ends; otherwise the faces visible from w are replaced by those from w to their
 * horizon. Each u.w is the depth along u, so the least of them is a valid result at any time.
 *
 * Faces whose plane contains w, up to round-off, count as visible. Then no new face is degenerate: an edge of the
 * horizon belongs to a face whose plane is below w. The initial simplex may be a point, a segment or a triangle that
 * contains the origin; it is extended to a tetrahedron by the points of D farthest from it. If no point is far from it,
 * D is flat: the depth is 0 along its normal.
 *
 * Cost: one support query and one pass over the faces per step. Failure: out of steps or of space, or a horizon that
 * round-off has made inconsistent: the bounds remain valid.
 */
#include "collision/epa.h"

#include <float.h>

/* Space: a closed triangle mesh has about twice as many faces as vertices. */
#define EPA_VERTICES 1024
#define EPA_FACES (2 * EPA_VERTICES)
/* For curved cores: if this many are not enough, the polytope may never converge (epa_proof.c). */
#define EPA_VERTICES_CURVED 96
/* A face is visible from points higher than minus this fraction of the largest coordinate. */
#define EPA_VISIBLE 1e-13
/* If the horizon is inconsistent, the search restarts with a larger fraction, up to the coarsest. */
#define EPA_VISIBLE_RATIO 100.0
#define EPA_VISIBLE_COARSEST 1e-7
/* A vertex of the polytope that lies above a face of it by more than this many times the level means a fold. */
#define EPA_FOLD 10.0
/* Bounds that differ by less than this fraction of the largest coordinate are equal. */
#define EPA_ROUND 1e-15
/* The same for curved cores; and the fraction of the depth that is added. */
#define EPA_ROUND_CURVED 1e-12
#define EPA_ROUND_DEPTH 1e-10
/* D is flat if it is thinner than this fraction of its largest coordinate. */
#define EPA_FLAT 1e-14

typedef struct Face {
    RgVec3 u; /* outward, unit */
    int16_t v[3];
    int16_t next[3]; /* face across the edge v[i], v[i + 1] */
    int8_t side[3];  /* index of that edge in the other face */
} Face;

/* The expanding polytope. */
typedef struct Polytope {
    double c[EPA_FACES]; /* distance of the face's plane; infinite: no face */
    Face face[EPA_FACES];
    RgSupport vertex[EPA_VERTICES];
    int16_t free[EPA_FACES]; /* indices below nf without a face */
    int32_t nv, nf, nfree;
} Polytope;

/* A directed edge of the horizon: edge `side` of a face that remains. */
typedef struct HorizonEdge {
    int16_t face;
    int8_t side;
} HorizonEdge;

/* Returns the index of the new face, or -1 if there is no space or the points are collinear. */
static int32_t add_face(Polytope *p, int32_t i, int32_t j, int32_t k)
{
    if (p->nfree == 0 && p->nf == EPA_FACES)
        return -1;
    RgVec3 x = p->vertex[i].w;
    RgVec3 n = rg_triangle_normal(x, p->vertex[j].w, p->vertex[k].w);
    double length = v3_norm(n);
    if (!(length > 0.0))
        return -1;
    int32_t number = p->nfree > 0 ? p->free[--p->nfree] : p->nf++;
    Face *f = &p->face[number];
    f->u = v3_scale(1.0 / length, n);
    f->v[0] = (int16_t)i;
    f->v[1] = (int16_t)j;
    f->v[2] = (int16_t)k;
    p->c[number] = v3_dot(f->u, x);
    return number;
}

static void remove_face(Polytope *p, int32_t f)
{
    p->c[f] = INFINITY;
    p->free[p->nfree++] = (int16_t)f;
}

static void link_faces(Polytope *p, int32_t f, int side, int32_t g, int other)
{
    p->face[f].next[side] = (int16_t)g;
    p->face[f].side[side] = (int8_t)other;
    p->face[g].next[other] = (int16_t)f;
    p->face[g].side[other] = (int8_t)side;
}

static int32_t nearest_face(const Polytope *p)
{
    int32_t best = 0;
    for (int32_t i = 1; i < p->nf; i++)
        if (p->c[i] < p->c[best])
            best = i;
    return best;
}

/* Removes the faces that are visible from w (higher than -level), starting with first. rim: their horizon, in order.
   Returns its length; -1: too long. */
static int32_t remove_visible_faces(Polytope *p, int32_t first, RgVec3 w, double level, HorizonEdge *rim)
{
    HorizonEdge todo[EPA_VERTICES];
    int32_t ntodo = 0, nrim = 0;
    remove_face(p, first);
    for (int i = 2; i >= 0; i--)
        todo[ntodo++] = (HorizonEdge){p->face[first].next[i], p->face[first].side[i]};
    while (ntodo > 0) {
        HorizonEdge at = todo[--ntodo];
        const Face *f = &p->face[at.face];
        if (p->c[at.face] == INFINITY)
            continue;
        if (v3_dot(f->u, w) - p->c[at.face] > -level) {
            remove_face(p, at.face);
            if (ntodo + 2 > EPA_VERTICES)
                return -1;
            for (int i = 2; i >= 1; i--) {
                int side = (at.side + i) % 3;
                todo[ntodo++] = (HorizonEdge){f->next[side], f->side[side]};
            }
        } else {
            if (nrim == EPA_VERTICES)
                return -1;
            rim[nrim++] = at;
        }
    }
    return nrim;
}

/* Joins w to the horizon by new faces. Returns false if the horizon is not a closed ring, or if there is no space. */
static bool close_horizon(Polytope *p, const HorizonEdge *rim, int32_t count, int32_t w)
{
    int32_t first = -1, last = -1;
    for (int32_t k = 0; k < count; k++) {
        const Face *old = &p->face[rim[k].face];
        int32_t from = old->v[rim[k].side], to = old->v[(rim[k].side + 1) % 3];
        int32_t f = add_face(p, to, from, w);
        if (f < 0 || (last >= 0 && p->face[last].v[1] != to))
            return false;
        link_faces(p, f, 0, rim[k].face, rim[k].side);
        if (last >= 0)
            link_faces(p, last, 1, f, 2);
        else
            first = f;
        last = f;
    }
    if (count < 3 || p->face[last].v[1] != p->face[first].v[0])
        return false;
    link_faces(p, last, 1, first, 2);
    return true;
}

/* Makes the four faces of the first four vertices. */
static bool make_tetrahedron(Polytope *p)
{
    RgVec3 x = p->vertex[0].w, a = v3_sub(p->vertex[1].w, x), b = v3_sub(p->vertex[2].w, x);
    if (v3_dot(v3_cross(a, b), v3_sub(p->vertex[3].w, x)) > 0.0) {
        RgSupport t = p->vertex[1];
        p->vertex[1] = p->vertex[2];
        p->vertex[2] = t;
    }
    static const int8_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (int f = 0; f < 4; f++)
        if (add_face(p, corner[f][0], corner[f][1], corner[f][2]) < 0)
            return false;
    link_faces(p, 0, 0, 1, 2);
    link_faces(p, 0, 1, 2, 2);
    link_faces(p, 0, 2, 3, 2);
    link_faces(p, 1, 1, 2, 0);
    link_faces(p, 2, 1, 3, 0);
    link_faces(p, 3, 1, 1, 0);
    return true;
}

double rg_epa_set_weights(RgEpa *out, const RgSupport *point, int32_t count)
{
    RgSimplex s;
    s.count = count;
    RgVec3 shift = v3_scale(out->upper, out->normal);
    for (int32_t i = 0; i < count; i++) {
        s.point[i] = point[i];
        s.point[i].w = v3_add(point[i].w, shift);
    }
    RgNearest nearest;
    rg_simplex_solve(&s, &nearest);
    rg_simplex_keep(&s, &nearest);
    out->count = s.count;
    for (int32_t i = 0; i < s.count; i++) {
        out->point[i] = s.point[i];
        out->point[i].w = v3_sub(s.point[i].w, shift);
        out->weight[i] = s.weight[i];
    }
    return v3_norm(s.nearest);
}

double rg_epa_add_point(RgEpa *out, const RgSupport *w, double off)
{
    RgEpa before = *out;
    int32_t count = before.count < 3 ? before.count + 1 : 3;
    for (int32_t k = before.count < 3 ? before.count : 0; k < count; k++) {
        RgSupport point[3];
        for (int32_t i = 0; i < count; i++)
            point[i] = i == k ? *w : before.point[i];
        RgEpa tried = before;
        double there = rg_epa_set_weights(&tried, point, count);
        if (there < off) {
            off = there;
            *out = tried;
        }
    }
    return off;
}

/* Result without a polytope: the origin lies on the boundary of D, whose farthest point along n it is. */
static void set_flat_result(RgEpa *out, const RgSupport *point, int32_t count, RgVec3 n)
{
    out->normal = n;
    out->upper = out->lower = 0.0;
    rg_epa_set_weights(out, point, count);
}

/* Of the support points along +-n, the one farther from the plane through x normal to n. Returns its distance from that
   plane. */
static double farther_support(RgDifference *d, RgVec3 n, RgVec3 x, RgSupport *out)
{
    RgSupport down = rg_difference_support(d, n), up = rg_difference_support(d, v3_neg(n));
    double low = fabs(v3_dot(n, v3_sub(down.w, x))), high = fabs(v3_dot(n, v3_sub(up.w, x)));
    *out = low >= high ? down : up;
    return fmax(low, high);
}

/* An arbitrary unit direction perpendicular to e (unit or zero): the projected guess, if it is long enough. */
static RgVec3 perpendicular_direction(RgVec3 guess, RgVec3 e)
{
    double length = v3_norm(guess);
    if (length > 0.0)
        guess = v3_scale(1.0 / length, guess);
    RgVec3 n = v3_axpy(-v3_dot(guess, e), e, guess);
    if (v3_norm(n) > 1e-6)
        return v3_scale(1.0 / v3_norm(n), n);
    return v3_norm2(e) > 0.0 ? v3_orthogonal(e) : v3(1.0, 0.0, 0.0);
}

/* Extends one vertex to two: by the farthest point along the axes. */
static bool extend_point(RgDifference *d, Polytope *p, RgVec3 guess, RgEpa *out)
{
    static const RgVec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double best = -1.0;
    for (int i = 0; i < 3; i++) {
        RgSupport w;
        double far = farther_support(d, axis[i], p->vertex[0].w, &w);
        if (far > best) {
            best = far;
            p->vertex[1] = w;
        }
    }
    if (best > EPA_FLAT * sqrt(d->scale2))
        return true;
    set_flat_result(out, p->vertex, 1, perpendicular_direction(guess, v3_zero()));
    return false;
}

/* Extends two vertices to three: by the farthest point perpendicular to the edge. */
static bool extend_segment(RgDifference *d, Polytope *p, RgVec3 guess, RgEpa *out)
{
    RgVec3 e = v3_sub(p->vertex[1].w, p->vertex[0].w);
    e = v3_scale(1.0 / v3_norm(e), e);
    RgVec3 n = perpendicular_direction(guess, e), across[2] = {n, v3_cross(e, n)};
    double best = -1.0;
    for (int i = 0; i < 2; i++) {
        RgSupport w;
        double far = farther_support(d, across[i], p->vertex[0].w, &w);
        if (far > best) {
            best = far;
            p->vertex[2] = w;
        }
    }
    if (best > EPA_FLAT * sqrt(d->scale2))
        return true;
    set_flat_result(out, p->vertex, 2, n);
    return false;
}

/* Extends three vertices to four: by the farthest point from their plane. If D ends at the plane, the depth is 0. */
static bool extend_triangle(RgDifference *d, Polytope *p, RgVec3 guess, RgEpa *out)
{
    RgVec3 x = p->vertex[0].w;
    RgVec3 n = v3_cross(v3_sub(p->vertex[1].w, x), v3_sub(p->vertex[2].w, x));
    n = v3_scale((v3_dot(n, guess) < 0.0 ? -1.0 : 1.0) / v3_norm(n), n);
    RgSupport down = rg_difference_support(d, n), up = rg_difference_support(d, v3_neg(n));
    double low = v3_dot(n, v3_sub(x, down.w)), high = v3_dot(n, v3_sub(up.w, x));
    double flat = EPA_FLAT * sqrt(d->scale2);
    p->vertex[3] = low >= high ? down : up;
    if (low > flat && high > flat)
        return true;
    set_flat_result(out, p->vertex, 3, low <= flat ? n : v3_neg(n));
    return false;
}

/* Extends the initial simplex to a tetrahedron. Returns false if out holds the result already. */
static bool extend_to_tetrahedron(RgDifference *d, const RgSimplex *start, Polytope *p, RgVec3 guess, RgEpa *out)
{
    for (int i = 0; i < start->count; i++)
        p->vertex[i] = start->point[i];
    if (start->count < 2 && !extend_point(d, p, guess, out))
        return false;
    if (start->count < 3 && !extend_segment(d, p, guess, out))
        return false;
    return start->count == 4 || extend_triangle(d, p, guess, out);
}

/* Stores a face as the result. */
static void set_face_result(const Polytope *p, const Face *f, double depth, RgEpa *out)
{
    out->upper = depth;
    out->normal = v3_neg(f->u);
    out->count = 3;
    for (int i = 0; i < 3; i++)
        out->point[i] = p->vertex[f->v[i]];
}

/* Finds the points that support the result. Coplanar faces are equally near: the one whose nearest point is closest to
   the origin's projection counts, up to round-off. */
static void set_result_points(const Polytope *p, double level, RgEpa *out)
{
    double least = rg_epa_set_weights(out, out->point, 3);
    if (least <= level)
        return;
    for (int32_t i = 0; i < p->nf; i++) {
        if (!(p->c[i] <= out->upper + level))
            continue;
        const int16_t *v = p->face[i].v;
        RgSupport point[3] = {p->vertex[v[0]], p->vertex[v[1]], p->vertex[v[2]]};
        RgEpa tried = *out;
        double off = rg_epa_set_weights(&tried, point, 3);
        if (off < least) {
            least = off;
            *out = tried;
        }
    }
}

/* Returns true if a pair of vertices is in the polytope. It can then lie above a face only by round-off. */
static bool is_vertex(const Polytope *p, const RgSupport *w)
{
    if (w->va < 0 || w->vb < 0)
        return false;
    for (int32_t i = 0; i < p->nv; i++)
        if (p->vertex[i].va == w->va && p->vertex[i].vb == w->vb)
            return true;
    return false;
}

/* Uses the normal of the features through the face's points if it is less deep. */
static void use_feature_normal(RgDifference *d, RgEpa *out)
{
    RgVec3 n = rg_difference_normal(d, out->point, out->normal);
    if (v3_norm2(n) == 0.0)
        return;
    double depth = -v3_dot(n, rg_difference_support(d, n).w);
    if (depth < out->upper) {
        out->upper = depth;
        out->normal = n;
    }
}

/* Result of the expansion. */
typedef enum Expansion {
    EPA_CONVERGED, /* the bounds agree */
    EPA_FULL,      /* no more space */
    EPA_TORN       /* round-off has made the horizon inconsistent */
} Expansion;

/* Expands the polytope from its first four vertices until its nearest face is a face of D, to within the tolerance.
   level: tolerance of visibility, as a fraction of the largest coordinate. */
static Expansion expand(RgDifference *d, Polytope *p, double level, RgEpa *out)
{
    p->nf = p->nfree = 0;
    p->nv = 4;
    if (!make_tetrahedron(p))
        return EPA_TORN;
    while (p->nv < EPA_VERTICES) {
        /* Bounds of the nearest face. */
        int32_t near = nearest_face(p);
        const Face *f = &p->face[near];
        RgSupport w = rg_difference_support(d, v3_neg(f->u));
        double depth = v3_dot(f->u, w.w), scale = sqrt(d->scale2);
        out->lower = fmax(out->lower, p->c[near]);
        if (depth < out->upper)
            set_face_result(p, f, depth, out);
        bool curved = w.va < 0 || w.vb < 0;
        double enough = curved ? EPA_ROUND_CURVED * scale + EPA_ROUND_DEPTH * out->lower : EPA_ROUND * scale;
        if (out->upper - out->lower <= enough)
            return EPA_CONVERGED;
        if (curved && p->nv >= EPA_VERTICES_CURVED)
            return EPA_FULL;
        if (is_vertex(p, &w))
            return depth - p->c[near] <= EPA_FOLD * level * scale ? EPA_CONVERGED : EPA_TORN;

        /* Expand to w. */
        HorizonEdge rim[EPA_VERTICES];
        p->vertex[p->nv] = w;
        int32_t count = remove_visible_faces(p, near, w.w, level * scale, rim);
        if (!close_horizon(p, rim, count, p->nv++))
            return EPA_TORN;
    }
    return EPA_FULL;
}

void rg_epa(RgDifference *d, const RgSimplex *start, RgVec3 guess, RgEpa *out)
{
    Polytope p;
    out->upper = INFINITY;
    out->lower = 0.0;
    out->done = true;
    if (!extend_to_tetrahedron(d, start, &p, guess, out)) {
        out->upper = -v3_dot(out->normal, rg_difference_support(d, out->normal).w);
        return;
    }

    /* If the horizon is inconsistent, restart with a coarser tolerance. */
    double level = EPA_VISIBLE;
    Expansion expansion = expand(d, &p, level, out);
    while (expansion == EPA_TORN && level < EPA_VISIBLE_COARSEST) {
        level *= EPA_VISIBLE_RATIO;
        expansion = expand(d, &p, level, out);
    }
    if (out->upper == INFINITY) {
        /* Three exactly collinear points: use the direction of the guess. */
        set_flat_result(out, p.vertex, 3, perpendicular_direction(guess, v3_zero()));
        out->upper = -v3_dot(out->normal, rg_difference_support(d, out->normal).w);
        return;
    }
    use_feature_normal(d, out);
    if (expansion == EPA_CONVERGED) {
        set_result_points(&p, EPA_VISIBLE * sqrt(d->scale2), out);
    } else {
        out->done = false;
        rg_epa_descend(d, out);
    }
}
