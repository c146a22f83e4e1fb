/*
 * epa.c - depth of two cores that overlap (van den Bergen 2001, expanding polytope).
 *
 * D = B - A has the origin in it. A polytope of triangles with corners on D and the origin inside is kept. Of
 * its face nearest to the origin, with outward unit normal u at distance c,
 *
 *   w = the point of D farthest along u        c  <=  depth  <=  u.w
 *
 * Where the bounds agree the search ends; else the faces that see w give way to those from w to their
 * horizon. Each u.w is the depth along u, so the least of them is an answer at any time.
 *
 * Faces in whose plane w lies, to within round-off, count as seeing it: so no new face is degenerate, since
 * an edge of the horizon then belongs to a face below w. The start may be a point, a segment or a triangle
 * with the origin on it; it is made a tetrahedron with the points of D farthest away from it. Where none is
 * far, D is flat: the depth is 0 along its normal.
 *
 * Cost: one support and one pass over the faces a step. Failure: out of steps or of space, or a horizon that
 * round-off has torn: the bounds hold.
 */
#include "collision/epa.h"

#include <float.h>

#define EPA_VERTICES 1024
#define EPA_FACES (2 * EPA_VERTICES)
/* Of curved cores: where so many are not enough, no number of flat faces may be (epa_proof.c). */
#define EPA_VERTICES_CURVED 96
/* A face sees what is above it by more than minus this part of the largest coordinate. */
#define EPA_LEVEL 1e-13
/* Where that tears the horizon, it is tried again with more, up to the coarsest. */
#define EPA_LEVEL_RATIO 100.0
#define EPA_LEVEL_COARSEST 1e-7
/* A vertex of the polytope that lies above a face of it, by more than this many times the level, is a fold.
   */
#define EPA_BENT 10.0
/* Bounds this near, as a part of the largest coordinate, are equal. */
#define EPA_ROUND 1e-15
/* The same for curved cores, and the part of the depth that is added. */
#define EPA_ROUND_CURVED 1e-12
#define EPA_DIGITS 1e-10
/* D is flat where it is thinner than this part of its largest coordinate. */
#define EPA_FLAT 1e-14

typedef struct Face {
    RgVec3 u; /* outward, unit */
    int16_t v[3];
    int16_t next[3]; /* face across the edge v[i], v[i + 1] */
    int8_t side[3];  /* number of that edge there */
} Face;

typedef struct Polytope {
    double c[EPA_FACES]; /* distance of the face's plane; infinite: no face */
    Face face[EPA_FACES];
    RgSupport vertex[EPA_VERTICES];
    int16_t free[EPA_FACES]; /* numbers below nf without a face */
    int32_t nv, nf, nfree;
} Polytope;

/* An edge of the horizon: edge side of a face that stays. */
typedef struct Rim {
    int16_t face;
    int8_t side;
} Rim;

/* Number of the new face, -1 where there is no space or the points have no plane. */
static int32_t face_add(Polytope *p, int32_t i, int32_t j, int32_t k)
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

static void face_remove(Polytope *p, int32_t f)
{
    p->c[f] = INFINITY;
    p->free[p->nfree++] = (int16_t)f;
}

static void face_join(Polytope *p, int32_t f, int side, int32_t g, int other)
{
    p->face[f].next[side] = (int16_t)g;
    p->face[f].side[side] = (int8_t)other;
    p->face[g].next[other] = (int16_t)f;
    p->face[g].side[other] = (int8_t)side;
}

static int32_t face_nearest(const Polytope *p)
{
    int32_t best = 0;
    for (int32_t i = 1; i < p->nf; i++)
        if (p->c[i] < p->c[best])
            best = i;
    return best;
}

/* Takes away the faces that see w (by more than -level), beginning with first; their rim in order. Returns
   its length, -1: too long. */
static int32_t faces_remove(Polytope *p, int32_t first, RgVec3 w, double level, Rim *rim)
{
    Rim todo[EPA_VERTICES];
    int32_t ntodo = 0, nrim = 0;
    face_remove(p, first);
    for (int i = 2; i >= 0; i--)
        todo[ntodo++] = (Rim){p->face[first].next[i], p->face[first].side[i]};
    while (ntodo > 0) {
        Rim at = todo[--ntodo];
        const Face *f = &p->face[at.face];
        if (p->c[at.face] == INFINITY)
            continue;
        if (v3_dot(f->u, w) - p->c[at.face] > -level) {
            face_remove(p, at.face);
            if (ntodo + 2 > EPA_VERTICES)
                return -1;
            for (int i = 2; i >= 1; i--) {
                int side = (at.side + i) % 3;
                todo[ntodo++] = (Rim){f->next[side], f->side[side]};
            }
        } else {
            if (nrim == EPA_VERTICES)
                return -1;
            rim[nrim++] = at;
        }
    }
    return nrim;
}

/* Joins w to the rim by new faces. False: the rim is no closed ring, or no space. */
static bool faces_close(Polytope *p, const Rim *rim, int32_t count, int32_t w)
{
    int32_t first = -1, last = -1;
    for (int32_t k = 0; k < count; k++) {
        const Face *old = &p->face[rim[k].face];
        int32_t from = old->v[rim[k].side], to = old->v[(rim[k].side + 1) % 3];
        int32_t f = face_add(p, to, from, w);
        if (f < 0 || (last >= 0 && p->face[last].v[1] != to))
            return false;
        face_join(p, f, 0, rim[k].face, rim[k].side);
        if (last >= 0)
            face_join(p, last, 1, f, 2);
        else
            first = f;
        last = f;
    }
    if (count < 3 || p->face[last].v[1] != p->face[first].v[0])
        return false;
    face_join(p, last, 1, first, 2);
    return true;
}

/* The four faces of the first four vertices. */
static bool polytope_begin(Polytope *p)
{
    RgVec3 x = p->vertex[0].w, a = v3_sub(p->vertex[1].w, x), b = v3_sub(p->vertex[2].w, x);
    if (v3_dot(v3_cross(a, b), v3_sub(p->vertex[3].w, x)) > 0.0) {
        RgSupport t = p->vertex[1];
        p->vertex[1] = p->vertex[2];
        p->vertex[2] = t;
    }
    static const int8_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (int f = 0; f < 4; f++)
        if (face_add(p, corner[f][0], corner[f][1], corner[f][2]) < 0)
            return false;
    face_join(p, 0, 0, 1, 2);
    face_join(p, 0, 1, 2, 2);
    face_join(p, 0, 2, 3, 2);
    face_join(p, 1, 1, 2, 0);
    face_join(p, 2, 1, 3, 0);
    face_join(p, 3, 1, 1, 0);
    return true;
}

double rg_epa_weigh(RgEpa *out, const RgSupport *point, int32_t count)
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
        double there = rg_epa_weigh(&tried, point, count);
        if (there < off) {
            off = there;
            *out = tried;
        }
    }
    return off;
}

/* An answer without a polytope: the origin lies on D, where D has no more along n. */
static void answer_flat(RgEpa *out, const RgSupport *point, int32_t count, RgVec3 n)
{
    out->normal = n;
    out->upper = out->lower = 0.0;
    rg_epa_weigh(out, point, count);
}

/* Of the farthest points along +-n, the one farther from the plane through x across n; its height. */
static double widest(RgDifference *d, RgVec3 n, RgVec3 x, RgSupport *out)
{
    RgSupport down = rg_difference_support(d, n), up = rg_difference_support(d, v3_neg(n));
    double low = fabs(v3_dot(n, v3_sub(down.w, x))), high = fabs(v3_dot(n, v3_sub(up.w, x)));
    *out = low >= high ? down : up;
    return fmax(low, high);
}

/* A direction that does not matter: the guess made across e (unit or zero), or any. */
static RgVec3 free_direction(RgVec3 guess, RgVec3 e)
{
    double length = v3_norm(guess);
    if (length > 0.0)
        guess = v3_scale(1.0 / length, guess);
    RgVec3 n = v3_axpy(-v3_dot(guess, e), e, guess);
    if (v3_norm(n) > 1e-6)
        return v3_scale(1.0 / v3_norm(n), n);
    return v3_norm2(e) > 0.0 ? v3_across(e) : v3(1.0, 0.0, 0.0);
}

/* Adds a vertex to one: the farthest of those along the axes. */
static bool widen_point(RgDifference *d, Polytope *p, RgVec3 guess, RgEpa *out)
{
    static const RgVec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double best = -1.0;
    for (int i = 0; i < 3; i++) {
        RgSupport w;
        double far = widest(d, axis[i], p->vertex[0].w, &w);
        if (far > best) {
            best = far;
            p->vertex[1] = w;
        }
    }
    if (best > EPA_FLAT * sqrt(d->scale2))
        return true;
    answer_flat(out, p->vertex, 1, free_direction(guess, v3_zero()));
    return false;
}

/* Adds a vertex to two: the farthest of those across the edge. */
static bool widen_segment(RgDifference *d, Polytope *p, RgVec3 guess, RgEpa *out)
{
    RgVec3 e = v3_sub(p->vertex[1].w, p->vertex[0].w);
    e = v3_scale(1.0 / v3_norm(e), e);
    RgVec3 n = free_direction(guess, e), across[2] = {n, v3_cross(e, n)};
    double best = -1.0;
    for (int i = 0; i < 2; i++) {
        RgSupport w;
        double far = widest(d, across[i], p->vertex[0].w, &w);
        if (far > best) {
            best = far;
            p->vertex[2] = w;
        }
    }
    if (best > EPA_FLAT * sqrt(d->scale2))
        return true;
    answer_flat(out, p->vertex, 2, n);
    return false;
}

/* Adds a vertex to three: the farthest from their plane. Where D ends at the plane, the depth is 0. */
static bool widen_triangle(RgDifference *d, Polytope *p, RgVec3 guess, RgEpa *out)
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
    answer_flat(out, p->vertex, 3, low <= flat ? n : v3_neg(n));
    return false;
}

/* Makes the start a tetrahedron; false: out holds the answer. */
static bool start_widen(RgDifference *d, const RgSimplex *start, Polytope *p, RgVec3 guess, RgEpa *out)
{
    for (int i = 0; i < start->count; i++)
        p->vertex[i] = start->point[i];
    if (start->count < 2 && !widen_point(d, p, guess, out))
        return false;
    if (start->count < 3 && !widen_segment(d, p, guess, out))
        return false;
    return start->count == 4 || widen_triangle(d, p, guess, out);
}

/* Keeps a face as the answer. */
static void answer_face(const Polytope *p, const Face *f, double depth, RgEpa *out)
{
    out->upper = depth;
    out->normal = v3_neg(f->u);
    out->count = 3;
    for (int i = 0; i < 3; i++)
        out->point[i] = p->vertex[f->v[i]];
}

/* The points that carry the answer. Faces in one plane are all as near: the one that has the nearest point
   counts, to within round-off. */
static void answer_points(const Polytope *p, double level, RgEpa *out)
{
    double least = rg_epa_weigh(out, out->point, 3);
    if (least <= level)
        return;
    for (int32_t i = 0; i < p->nf; i++) {
        if (!(p->c[i] <= out->upper + level))
            continue;
        const int16_t *v = p->face[i].v;
        RgSupport point[3] = {p->vertex[v[0]], p->vertex[v[1]], p->vertex[v[2]]};
        RgEpa tried = *out;
        double off = rg_epa_weigh(&tried, point, 3);
        if (off < least) {
            least = off;
            *out = tried;
        }
    }
}

/* Whether a pair of vertices is in the polytope: then it cannot lie above a face, but for round-off. */
static bool is_known(const Polytope *p, const RgSupport *w)
{
    if (w->va < 0 || w->vb < 0)
        return false;
    for (int32_t i = 0; i < p->nv; i++)
        if (p->vertex[i].va == w->va && p->vertex[i].vb == w->vb)
            return true;
    return false;
}

/* The normal of the features that the face stands for, where it is better. */
static void take_face_normal(RgDifference *d, RgEpa *out)
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

/* How the growing ended. */
typedef enum Outcome {
    EPA_DONE, /* the bounds agree */
    EPA_FULL, /* no more space */
    EPA_TORN  /* round-off has torn the horizon */
} Outcome;

/* Grows the polytope from its first four vertices until its nearest face is one of D, to within the
   tolerance. level: as a part of the largest coordinate, how far below a face may be seen from. */
static Outcome expand(RgDifference *d, Polytope *p, double level, RgEpa *out)
{
    p->nf = p->nfree = 0;
    p->nv = 4;
    if (!polytope_begin(p))
        return EPA_TORN;
    while (p->nv < EPA_VERTICES) {
        /* Bounds of the nearest face. */
        int32_t near = face_nearest(p);
        const Face *f = &p->face[near];
        RgSupport w = rg_difference_support(d, v3_neg(f->u));
        double depth = v3_dot(f->u, w.w), scale = sqrt(d->scale2);
        out->lower = fmax(out->lower, p->c[near]);
        if (depth < out->upper)
            answer_face(p, f, depth, out);
        bool curved = w.va < 0 || w.vb < 0;
        double enough = curved ? EPA_ROUND_CURVED * scale + EPA_DIGITS * out->lower : EPA_ROUND * scale;
        if (out->upper - out->lower <= enough)
            return EPA_DONE;
        if (curved && p->nv >= EPA_VERTICES_CURVED)
            return EPA_FULL;
        if (is_known(p, &w))
            return depth - p->c[near] <= EPA_BENT * level * scale ? EPA_DONE : EPA_TORN;

        /* Grow to w. */
        Rim rim[EPA_VERTICES];
        p->vertex[p->nv] = w;
        int32_t count = faces_remove(p, near, w.w, level * scale, rim);
        if (!faces_close(p, rim, count, p->nv++))
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
    if (!start_widen(d, start, &p, guess, out)) {
        out->upper = -v3_dot(out->normal, rg_difference_support(d, out->normal).w);
        return;
    }

    /* A torn horizon is sewn with a coarser needle. */
    double level = EPA_LEVEL;
    Outcome outcome = expand(d, &p, level, out);
    while (outcome == EPA_TORN && level < EPA_LEVEL_COARSEST) {
        level *= EPA_LEVEL_RATIO;
        outcome = expand(d, &p, level, out);
    }
    if (out->upper == INFINITY) {
        /* Three points on a line to the last bit: whatever the guess gives. */
        answer_flat(out, p.vertex, 3, free_direction(guess, v3_zero()));
        out->upper = -v3_dot(out->normal, rg_difference_support(d, out->normal).w);
        return;
    }
    take_face_normal(d, out);
    if (outcome == EPA_DONE) {
        answer_points(&p, EPA_LEVEL * sqrt(d->scale2), out);
    } else {
        out->done = false;
        rg_epa_descend(d, out);
    }
}
