/*
 * surface_distance.c - signed distance of a convex part from a surface of triangles.
 *
 * Apart: the least over the triangles, each taken as a plate, whose boxes are nearer than the best so far.
 *
 * Inside. A part that overlaps no triangle lies on one side of the surface. Whether that is the solid one
 * (rg_surface_inside) is asked of the point nearest to the surface; where that is so near that round-off
 * could decide, of a point within the part. n: from the part to the nearest point of the surface that it sees
 * from behind. The contact plane is across n there:
 *
 *       n ^  ______ surface       normal -n,   distance = min over the part of n.x - n.b  < 0
 *   ______|_/ b
 *        (o)  part                moved by -distance along n, the part is before that plane
 *
 * Overlap. Every triangle that the part overlaps has its own way out: the least translation from the plate,
 * if the surface can be touched that way (rg_plate_allows); else the shortest of those through its plane,
 * through the planes beyond its convex edges, and off the lines and ends of these. Inner edges of a floor are
 * no way out. Then
 *
 *   1. the shortest of these ways is taken, and all triangles that it clears need no other;
 *   2. of those that are left the shortest, and so on;
 *   3. the last one is the answer.
 *
 * So a box that overhangs a table and is sunk into its top overlaps many triangles of the side, all of which
 * are cleared on the short way up; a box on the floor that grazes a wall is as deep as it is in the floor.
 *
 * The depth of a convex solid is found wherever its least way out is that of a face, edge or corner that the
 * part overlaps. Elsewhere the answer is a way out of the triangles that are overlapped and no more: in a
 * narrow gap the part may then be in the opposite wall, and of shells that overlap the inner faces count like
 * the outer ones.
 *
 * Cost: one query of two convex shapes for each triangle that is near, and one search for an overlap for each
 * triangle and step; at most STEPS steps. Beyond SEARCH_ITERATIONS in all, ways out through planes alone are
 * asked: RG_ERR_NOT_CONVERGED.
 */
#include "collision/surface_distance.h"

#include "collision/placed_bounds.h"
#include "geom/surface_kind.h"

/* Angle within which a feature counts as lying in a plane, rad. */
#define PLANE_ANGLE 1e-7

/* Part of all lengths by which a way out is made longer, so that what it clears is clearly apart. */
#define CLEAR_WAY 1e-14

/* Part of all lengths within which the side of the nearest point is left to round-off. */
#define NEAR_SURFACE 1e-11

#define STEPS 8
#define SEARCH_ITERATIONS 8000

/* Ways out that are kept; where there are more they are looked for again in each step. */
#define KNOWN_WAYS 64

/* Round-off of a distance along a given normal, as a part of all lengths: a few roundings. */
#define ALONG_ROUND 2e-15

/* The way out of one triangle, part_b. */
typedef struct KnownWay {
    RgDistance at;
    RgStatus status;
} KnownWay;

/* The question, and what is found. */
typedef struct Search {
    RgSurfaceQuery q;
    double lengths; /* m, of all that goes into a coordinate */
    RgDistance *best;
    RgStatus status;
    int32_t iterations;
    bool behind;       /* ask only triangles that the part sees from behind */
    bool deep;         /* best is a way out */
    bool deepest;      /* the last step: take the longest way that is left */
    int32_t noverlaps; /* triangles that overlap the part; the first of them: */
    KnownWay known[KNOWN_WAYS];
    int nways;
    RgVec3 way[STEPS];    /* by which the surface would move, in A's frame */
    RgVec3 normal[STEPS]; /* unit, along it */
    double level[STEPS];  /* all of A is then at normal.x <= level */
} Search;

/* ------------------------------------------------------------------ ways out */

/* The contact along n' (in the surface's frame) at p, with its features. */
static void answer_along(const Search *s, RgVec3 n, RgVec3 p, RgFeature on, RgDistance *out)
{
    rg_plate_contact_along(&s->q, n, p, out);
    out->feature_a = rg_shape_feature(s->q.shape, out->normal, PLANE_ANGLE);
    out->feature_b = on;
    out->error = ALONG_ROUND * s->lengths;
}

/* The shortest way out of a triangle through its plane, or through those beyond its convex edges. */
static void plane_way(const Search *s, const RgPlate *plate, RgDistance *out)
{
    const RgTriangle *t = &plate->triangle;
    answer_along(s, t->normal, t->vertex[0], (RgFeature){RG_FEATURE_FACE, 0}, out);
    for (int i = 0; i < 3; i++) {
        RgDistance other;
        if (!t->convex[i])
            continue;
        rg_plate_contact_along(&s->q, t->across[i], t->vertex[i], &other);
        if (other.distance > out->distance)
            answer_along(s, t->across[i], t->vertex[i], rg_plate_feature(plate, (RgFeature){RG_FEATURE_EDGE, i}), out);
    }
}

/* The same, off the lines of its convex edges and off their ends too. */
static void feature_way(Search *s, const RgPlate *plate, RgDistance *out)
{
    const RgTriangle *t = &plate->triangle;
    plane_way(s, plate, out);
    for (int k = 0; k < 6; k++) {
        int i = k % 3;
        RgFeature on = {k < 3 ? RG_FEATURE_EDGE : RG_FEATURE_VERTEX, i};
        RgDistance at = {.iterations = 0};
        if (!t->convex[i] && (k < 3 || !t->convex[(i + 2) % 3]))
            continue;
        bool found = k < 3 ? rg_plate_edge_way(&s->q, plate, i, &at) : rg_plate_corner_way(&s->q, plate, i, &at);
        s->iterations += at.iterations;
        if (!found || !(at.distance > out->distance))
            continue;
        *out = at;
        out->feature_b = rg_plate_feature(plate, on);
    }
}

/* Whether the ways so far take the part clear of a plate. */
static bool is_cleared(const Search *s, const RgPlate *plate)
{
    for (int k = 0; k < s->nways; k++) {
        bool before = true;
        for (int i = 0; i < 3 && before; i++) {
            RgVec3 x = pose_apply(s->q.X_AB, plate->triangle.vertex[i]);
            before = v3_dot(s->normal[k], x) >= s->level[k] - CLEAR_WAY * s->lengths;
        }
        if (before)
            return true;
        RgPose moved = {s->q.X_AB.R, v3_add(s->q.X_AB.p, s->way[k])};
        RgPlateMeets meets = rg_plate_meets(&s->q, plate, &moved);
        RgDistance at = {.distance = 0.0};
        if (meets == RG_PLATE_UNCLEAR)
            rg_convex_distance(&(RgConvexPair){s->q.shape, &plate->shape, moved}, NULL, &at);
        if (meets != RG_PLATE_MEETS && at.distance >= 0.0)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ one triangle */

/* Whether the part reaches behind the plane of a plate, and overlaps it for certain. */
static bool is_sunk(const Search *s, const RgPlate *plate)
{
    RgDistance low;
    rg_plate_contact_along(&s->q, plate->triangle.normal, plate->triangle.vertex[0], &low);
    return low.distance < 0.0 && rg_plate_meets(&s->q, plate, &s->q.X_AB) == RG_PLATE_MEETS;
}

/* Distance from a plate, or the way out that the surface allows. */
static RgStatus ask_plate(Search *s, const RgPlate *plate, RgDistance *out)
{
    const RgTriangle *t = &plate->triangle;
    bool inner = !t->convex[0] && !t->convex[1] && !t->convex[2];
    bool spent = s->iterations > SEARCH_ITERATIONS;
    if ((inner || spent) && is_sunk(s, plate)) {
        plane_way(s, plate, out);
        if (inner)
            return RG_OK;
        out->error = fabs(out->distance);
        return RG_ERR_NOT_CONVERGED;
    }
    RgConvexPair pair = {s->q.shape, &plate->shape, s->q.X_AB};
    RgStatus status = rg_convex_distance(&pair, NULL, out);
    s->iterations += out->iterations;
    RgVec3 n = v3_neg(m3_apply_t(s->q.X_AB.R, out->normal));
    if (out->distance < 0.0 && out->feature_b.kind == RG_FEATURE_FACE && v3_dot(n, t->normal) > 0.0) {
        double error = status != RG_OK ? out->error : 0.0;
        answer_along(s, t->normal, t->vertex[0], (RgFeature){RG_FEATURE_FACE, 0}, out);
        out->error += error;
        return status;
    }
    if (out->distance < 0.0 && !rg_plate_allows(s->q.surface, plate, out->feature_b, n)) {
        feature_way(s, plate, out);
        return RG_OK;
    }
    out->feature_b = rg_plate_feature(plate, out->feature_b);
    return status;
}

/* Keeps an answer that is nearer, or a way out that is shorter. */
static bool keep_better(Search *s, const RgDistance *found, RgStatus status)
{
    bool overlaps = found->distance < 0.0, better = found->distance < s->best->distance;
    if (overlaps && s->deep && !s->deepest)
        better = found->distance > s->best->distance;
    if (!better || (!overlaps && s->nways > 0))
        return false;
    *s->best = *found;
    s->status = status;
    s->deep = overlaps;
    return true;
}

static void visit_triangle(int32_t number, void *context, double *reach)
{
    Search *s = context;
    RgPlate plate;
    double height[2];
    if (rg_surface_one_sided(s->q.surface))
        rg_plate_make(s->q.surface, number, false, &plate);
    else
        (void)rg_plate_face(&s->q, number, &plate, height);
    if (s->nways > 0 && is_cleared(s, &plate))
        return;
    RgDistance found = {.distance = INFINITY};
    RgStatus status = ask_plate(s, &plate, &found);
    found.part_b = number;
    if (s->behind && !(v3_dot(found.normal, m3_apply(s->q.X_AB.R, plate.triangle.normal)) > 0.0))
        return;
    if (found.distance < 0.0 && s->nways == 0) {
        if (s->noverlaps < KNOWN_WAYS)
            s->known[s->noverlaps] = (KnownWay){found, status};
        s->noverlaps++;
    }
    if (keep_better(s, &found, status))
        *reach = fmin(*reach, fmax(RG_SURFACE_REACH_LEAST, found.distance));
}

/* Visits what is within reach; best: of that, or nothing (part_b < 0). */
static void visit_near(Search *s, const RgBounds *box, double reach)
{
    *s->best = (RgDistance){.distance = reach, .part_b = -1};
    s->deep = false;
    rg_surface_nearest(s->q.surface, box, visit_triangle, s, &reach);
}

/* ------------------------------------------------------------------ overlap */

/* The answer so far as a way out. */
static void add_way(Search *s)
{
    RgVec3 n = s->best->normal;
    s->normal[s->nways] = n;
    s->way[s->nways] = v3_scale(CLEAR_WAY * s->lengths - s->best->distance, n);
    s->level[s->nways++] = v3_dot(n, s->best->point_b);
}

/* The shortest of the ways out that the ways so far do not make needless. */
static void choose_known(Search *s)
{
    *s->best = (RgDistance){.distance = RG_SURFACE_REACH_LEAST, .part_b = -1};
    s->deep = false;
    for (int32_t k = 0; k < s->noverlaps; k++) {
        RgPlate plate;
        rg_plate_make(s->q.surface, s->known[k].at.part_b, false, &plate);
        if (!is_cleared(s, &plate))
            keep_better(s, &s->known[k].at, s->known[k].status);
    }
}

/* Steps 2 and 3: longer ways, until all is cleared. */
static void ask_longer_ways(Search *s, const RgBounds *box)
{
    RgDistance longest = *s->best;
    RgStatus status = s->status;
    while (s->deep && s->nways < STEPS) {
        longest = *s->best;
        status = s->status;
        add_way(s);
        s->deepest = s->nways == STEPS;
        if (s->noverlaps <= KNOWN_WAYS)
            choose_known(s);
        else
            visit_near(s, box, RG_SURFACE_REACH_LEAST);
    }
    if (!s->deep || longest.distance < s->best->distance) {
        *s->best = longest;
        s->status = status;
    }
    s->best->error += 2.0 * CLEAR_WAY * s->lengths;
}

/* ------------------------------------------------------------------ inside */

/* Whether the part, which overlaps nothing, is inside. */
static bool is_inside(const Search *s)
{
    RgVec3 a = s->best->point_a, n = s->best->normal;
    RgVec3 far = rg_shape_kind(s->q.shape->type)->support(s->q.shape, v3_neg(n));
    if (s->best->distance <= NEAR_SURFACE * s->lengths) {
        RgTriangle t;
        rg_surface_triangle(s->q.surface, s->best->part_b, &t);
        if (0.5 * v3_dot(n, v3_sub(a, far)) <= NEAR_SURFACE * s->lengths)
            return s->best->feature_b.kind == RG_FEATURE_FACE && v3_dot(n, m3_apply(s->q.X_AB.R, t.normal)) > 0.0;
        a = v3_scale(0.5, v3_add(a, far));
    }
    return rg_surface_inside(s->q.surface, m3_apply_t(s->q.X_AB.R, v3_sub(a, s->q.X_AB.p)));
}

/* The plane across the nearest way to the surface, from behind. */
static void answer_inside(Search *s, const RgBounds *box)
{
    RgDistance nearest = *s->best;
    RgTriangle t;
    rg_surface_triangle(s->q.surface, s->best->part_b, &t);
    if (!(v3_dot(nearest.normal, m3_apply(s->q.X_AB.R, t.normal)) > 0.0)) {
        s->behind = true;
        visit_near(s, box, INFINITY);
        if (s->best->part_b < 0)
            *s->best = nearest;
        rg_surface_triangle(s->q.surface, s->best->part_b, &t);
    }
    nearest = *s->best;
    RgVec3 n = m3_apply_t(s->q.X_AB.R, nearest.normal);
    RgVec3 b = m3_apply_t(s->q.X_AB.R, v3_sub(nearest.point_b, s->q.X_AB.p));
    if (nearest.feature_b.kind == RG_FEATURE_FACE) { /* its own normal is the better known one */
        n = t.normal;
        b = t.vertex[0];
    }
    answer_along(s, n, b, nearest.feature_b, s->best);
    s->best->part_b = nearest.part_b;
    s->best->error += nearest.error;
}

/* ------------------------------------------------------------------ without bound */

/* A half-space has but one way out. */
static void visit_unbounded(int32_t number, void *context, double *reach)
{
    (void)reach;
    Search *s = context;
    RgPlate plate;
    rg_plate_make(s->q.surface, number, false, &plate);
    RgDistance found = {.distance = INFINITY};
    RgStatus status = rg_convex_distance(&(RgConvexPair){s->q.shape, &plate.shape, s->q.X_AB}, NULL, &found);
    if (!(found.distance < s->best->distance))
        return;
    *s->best = found;
    s->best->feature_b = rg_plate_feature(&plate, found.feature_b);
    s->best->part_b = number;
    s->status = status;
}

/* ------------------------------------------------------------------ all */

static void search_bounded(Search *s, double reach)
{
    RgPose X_BA = pose_inverse(s->q.X_AB);
    RgBounds box = rg_bounds_turn(&X_BA, &s->q.bounds), solid = rg_surface_solid_bounds(s->q.surface);
    visit_near(s, &box, reach);
    if (s->best->part_b < 0 && reach < INFINITY && rg_surface_has_solid(s->q.surface) && boxes_overlap(&box, &solid))
        visit_near(s, &box, INFINITY); /* far from all triangles it may be inside */
    if (s->best->part_b < 0)
        s->best->distance = INFINITY;
    else if (s->deep)
        ask_longer_ways(s, &box);
    else if (rg_surface_has_solid(s->q.surface) && is_inside(s))
        answer_inside(s, &box);
}

RgStatus rg_surface_distance(const RgGeometry *a, int32_t part, const RgSurface *surface, const RgPose *X_AB,
                             double reach, RgDistance *out)
{
    *out = (RgDistance){.distance = INFINITY};
    const RgShape *shape = &a->parts[part];
    RgConvexPair alone = {shape, shape, *X_AB};
    RgBounds box = rg_surface_bounds(surface);
    Search s; /* the ways that are known come later */
    s.q = (RgSurfaceQuery){surface, shape, *X_AB, a->part_bounds[part], rg_pair_size(&alone), 0.0};
    s.best = out;
    s.status = RG_OK;
    s.iterations = s.noverlaps = s.nways = 0;
    s.behind = s.deep = s.deepest = false;
    s.lengths = s.q.size + v3_norm(X_AB->p) + fmax(v3_norm(box.low), v3_norm(box.high));
    if (rg_shape_kind(shape->type)->support == NULL)
        rg_surface_nearest(surface, &box, visit_unbounded, &s, &reach);
    else
        search_bounded(&s, reach);
    out->part_a = part;
    out->iterations = s.iterations;
    return s.status;
}
