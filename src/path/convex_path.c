/*
 * convex_path.c - proves for how long two convex shapes on their paths are apart.
 *
 * From t = 0 on: the nearest features at t give candidate planes. Each is followed for as long as it keeps the shapes
 * apart by the floor (plane.h). The plane that lasts longest counts, and at its end new candidates are found:
 *
 *   vertex over a face      the face's plane, fixed in its shape: one piece for the whole step, touching or not
 *   edge across an edge     the plane parallel to both
 *   apart                   the plane perpendicular to the line between the nearest points
 *
 * A pair that approaches its floor is followed by Newton's steps from above: pieces of twice the length at which the
 * present rate reaches the floor, until it is within FLOOR_MARGIN of the floor. Pairs whose speeds are too small to
 * meet need no plane.
 *
 * Cost: 0.2 us per pose, four searches for a farthest vertex per piece. Failure: a time that is too short, never one
 * that is too long.
 */
#include "path/plane.h"

#include "collision/distance.h"
#include "math/unit.h"

/* A pair counts as having reached its floor if its distance above it is less than this part of the floor. */
#define FLOOR_MARGIN 0.2
/* The same for one plane: smaller, so that no new plane is tried in vain. */
#define PLANE_FLOOR_MARGIN 0.1
/* s: smaller progress counts as none. */
#define TIME_LEAST 1e-12
/* Limits: planes one after the other; pieces of one plane; candidate planes at one time. */
#define MAX_PLANES 200
#define MAX_PIECES 400
#define MAX_TRIED 24
/* Limit of the pieces of all planes; bounds the work, and the time proven until then is the result. */
#define MAX_WORK 5000
/* If less than this part of a piece is proven, it is repeated shorter by the factor SHORTENING. */
#define PIECE_LEAST 0.25
#define SHORTENING 0.25
/* Largest ratio of the lengths of consecutive pieces. */
#define LENGTH_GROWTH 2.5
/* If two shapes pass each other, a plane is followed down to this part of its first distance, so that the least
   distance is known to within that part. */
#define PASSING 0.25
/* rad: faces at angles to the plane of contact below this are candidates too. */
#define NEARLY_FLAT 0.2
/* Distance, in gaps, below which planes of neighbouring features are candidates. */
#define NEARLY_TOUCHING 2.0

typedef struct Pair {
    const RgPairMotion *motion;
    RgPathRule rule;
    double start; /* m: distance that determines the floor; NaN: that at the start */
    double share; /* part of the distance at the start of a plane, below which a new plane is found */
    double least; /* m: the floor of the pair */
    double floor; /* m: the floor of the present plane */
    RgPairAt end; /* at h */
    int left;     /* number of pieces that may still be tried */
} Pair;

/* ------------------------------------------------------------------ one plane */

/* Time up to which a plane holds, s, and the distance it proves, m. */
typedef struct Reach {
    double time, least;
} Reach;

/* s: length of the next piece. */
static double next_length(const RgClearance *now, double left, double last)
{
    double length = d_min(left, LENGTH_GROWTH * last);
    return now->fall > 0.0 ? d_min(length, 2.0 * now->above / now->fall) : length;
}

/* Follows a plane from a time on, in at most `most` pieces. */
static Reach follow_plane(Pair *pair, RgPlane *plane, const RgPairAt *from, int most)
{
    const RgPairMotion *m = pair->motion;
    Reach out = {from->s, INFINITY};
    RgPairAt at[2] = {*from, pair->end};
    RgClearance now = rg_plane_clearance(m, plane, from, pair->floor);
    double length = m->h - from->s;
    if (most > 1)
        length = next_length(&now, length, length);
    for (int i = 0; i < most && now.above > PLANE_FLOOR_MARGIN * pair->floor && length > TIME_LEAST; i++) {
        if (pair->left-- <= 0)
            break;
        double stop = out.time + length;
        at[1] = stop < m->h ? rg_pair_at(m, stop) : pair->end;
        length = at[1].s - out.time;
        RgPiece piece = rg_plane_piece(m, plane, at, pair->floor);
        double x = rg_bernstein_root(piece.e);
        if (!(x >= PIECE_LEAST)) {
            length *= SHORTENING;
            continue;
        }

        /* The proven part, and the length of the next piece. */
        double low = d_min(d_min(piece.e[0], piece.e[1]), d_min(piece.e[2], piece.e[3]));
        out.least = d_min(out.least, pair->floor + d_max(low, 0.0) / piece.scale);
        at[0] = x < 1.0 ? rg_pair_at(m, out.time + x * length) : at[1];
        length = at[0].s - out.time;
        out.time = at[0].s;
        if (out.time >= m->h)
            break;
        now = rg_plane_clearance(m, plane, &at[0], pair->floor);
        length = next_length(&now, m->h - out.time, length);
    }
    return out;
}

/* ------------------------------------------------------------------ which planes */

typedef struct Planes {
    RgPlane plane[MAX_TRIED];
    int count;
} Planes;

static void add_fixed_plane(Planes *planes, const RgPairMotion *m, bool in_b, RgVec3 n)
{
    for (int i = 0; i < planes->count; i++)
        if (planes->plane[i].kind == RG_PLANE_FIXED && planes->plane[i].in_b == in_b &&
            v3_norm2(v3_sub(planes->plane[i].n, n)) == 0.0)
            return;
    if (planes->count < MAX_TRIED)
        planes->plane[planes->count++] = rg_plane_fixed(m, in_b, n);
}

static void add_face_plane(Planes *planes, const RgPairMotion *m, bool in_b, RgFeature feature)
{
    const RgPolytope *core = (in_b ? &m->b : &m->a)->shape->core;
    if (feature.kind == RG_FEATURE_FACE && core != NULL && feature.index < core->nf)
        add_fixed_plane(planes, m, in_b, core->normal[feature.index]);
}

static void add_edges_plane(Planes *planes, const RgPairMotion *m, const RgPairAt *at, int32_t edge_a, int32_t edge_b)
{
    if (planes->count < MAX_TRIED && rg_plane_edges(m, at, edge_a, edge_b, &planes->plane[planes->count]))
        planes->count++;
}

/* Planes of a vertex of one shape over a vertex or an edge of the other. */
static void add_round_plane(Planes *planes, const RgPairMotion *m, const RgDistance *near)
{
    RgFeature fa = near->feature_a, fb = near->feature_b;
    if (planes->count < MAX_TRIED && fb.kind == RG_FEATURE_VERTEX &&
        rg_plane_round(m, false, fa, fb.index, &planes->plane[planes->count]))
        planes->count++;
    if (planes->count < MAX_TRIED && fa.kind == RG_FEATURE_VERTEX && fb.kind == RG_FEATURE_EDGE &&
        rg_plane_round(m, true, fb, fa.index, &planes->plane[planes->count]))
        planes->count++;
}

/* Planes of the nearest features, and planes perpendicular to the line between the nearest points. */
static void add_nearest_planes(Planes *planes, const RgPairMotion *m, const RgPairAt *at, const RgDistance *near)
{
    add_face_plane(planes, m, false, near->feature_a);
    add_face_plane(planes, m, true, near->feature_b);
    if (near->feature_a.kind == RG_FEATURE_EDGE && near->feature_b.kind == RG_FEATURE_EDGE)
        add_edges_plane(planes, m, at, near->feature_a.index, near->feature_b.index);
    add_round_plane(planes, m, near);
    add_fixed_plane(planes, m, false, near->normal);
    add_fixed_plane(planes, m, true, v3_neg(m3_apply_t(at->Q, near->normal)));
}

/* A face, or a flat end, whose outward normal is nearly n. */
static void add_flat_plane(Planes *planes, const RgPairMotion *m, bool in_b, RgVec3 n)
{
    const RgShape *shape = (in_b ? &m->b : &m->a)->shape;
    if (shape->core != NULL) {
        add_face_plane(planes, m, in_b, rg_shape_feature(shape, n, NEARLY_FLAT));
        return;
    }
    RgFacing facing = rg_shape_facing(shape, n, NEARLY_FLAT);
    RgVec3 axis;
    if (facing.kind == RG_FACING_DISC && v3_unit(v3_cross(facing.along[0], facing.along[1]), v3_zero(), &axis) > 0.0)
        add_fixed_plane(planes, m, in_b, v3_dot(axis, n) < 0.0 ? v3_neg(axis) : axis);
}

/* Faces adjacent to an edge or a vertex. */
static void add_adjacent_planes(Planes *planes, const RgPairMotion *m, bool in_b, RgFeature feature)
{
    const RgPolytope *core = (in_b ? &m->b : &m->a)->shape->core;
    if (core == NULL || core->nf == 0)
        return;
    if (feature.kind == RG_FEATURE_EDGE)
        for (int side = 0; side < 2; side++)
            add_fixed_plane(planes, m, in_b, core->normal[core->edge_face[2 * feature.index + side]]);
    if (feature.kind != RG_FEATURE_VERTEX)
        return;
    for (int32_t k = core->ring_start[feature.index]; k < core->ring_start[feature.index + 1]; k++)
        add_fixed_plane(planes, m, in_b, core->normal[core->edge_face[2 * core->ring_edge[k]]]);
}

/* An edge of one shape with the edges adjacent to a vertex of the other. */
static void add_crossed_planes(Planes *planes, const RgPairMotion *m, const RgPairAt *at, const RgDistance *near)
{
    const RgPolytope *a = m->a.shape->core, *b = m->b.shape->core;
    if (a == NULL || b == NULL)
        return;
    RgFeature fa = near->feature_a, fb = near->feature_b;
    if (fa.kind == RG_FEATURE_EDGE && fb.kind == RG_FEATURE_VERTEX && b->ne > 0)
        for (int32_t k = b->ring_start[fb.index]; k < b->ring_start[fb.index + 1]; k++)
            add_edges_plane(planes, m, at, fa.index, b->ring_edge[k]);
    if (fb.kind == RG_FEATURE_EDGE && fa.kind == RG_FEATURE_VERTEX && a->ne > 0)
        for (int32_t k = a->ring_start[fa.index]; k < a->ring_start[fa.index + 1]; k++)
            add_edges_plane(planes, m, at, a->ring_edge[k], fb.index);
}

/* Planes of features adjacent to the nearest ones: which of these last depends on the motion. */
static void add_neighbour_planes(Planes *planes, const RgPairMotion *m, const RgPairAt *at, const RgDistance *near)
{
    add_flat_plane(planes, m, false, near->normal);
    add_flat_plane(planes, m, true, v3_neg(m3_apply_t(at->Q, near->normal)));
    add_crossed_planes(planes, m, at, near);
    add_adjacent_planes(planes, m, false, near->feature_a);
    add_adjacent_planes(planes, m, true, near->feature_b);
}

/* The longest-lasting of some planes: first each in one piece, then each in up to MAX_PIECES. */
static void follow_planes(Pair *pair, Planes *planes, const RgPairAt *at, Reach *best)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < planes->count && best->time < pair->motion->h; i++) {
            Reach reach = follow_plane(pair, &planes->plane[i], at, round == 0 ? 1 : MAX_PIECES);
            if (reach.time > best->time)
                *best = reach;
        }
}

static Reach best_plane(Pair *pair, const RgPairAt *at, const RgDistance *near)
{
    const RgPairMotion *m = pair->motion;
    Reach best = {at->s, INFINITY};
    Planes planes = {.count = 0};
    RgVec3 up = v3(0.0, 0.0, 1.0);
    bool a_half = m->a.shape->type == RG_SHAPE_halfspace, b_half = m->b.shape->type == RG_SHAPE_halfspace;
    if (a_half || b_half)
        add_fixed_plane(&planes, m, b_half, up);
    else
        add_nearest_planes(&planes, m, at, near);
    follow_planes(pair, &planes, at, &best);
    if (best.time >= m->h || a_half || b_half || near->distance > NEARLY_TOUCHING * pair->rule.gap)
        return best;
    planes.count = 0;
    add_neighbour_planes(&planes, m, at, near);
    follow_planes(pair, &planes, at, &best);
    return best;
}

/* ------------------------------------------------------------------ two convex shapes */

/* m: floor of a pair by RgPathRule. */
static double floor_of(const RgPathRule *rule, double start)
{
    return start > rule->gap ? rule->level : 0.5 * d_min(start, rule->level);
}

/* Proof on [0, h], or up to the time at which it ends. */
static RgStatus prove(Pair *pair, RgPathProof *proof)
{
    const RgPairMotion *m = pair->motion;
    RgPairCache cache = {.count = 0};
    RgPairAt at = rg_pair_at(m, 0.0);
    pair->left = MAX_WORK;
    *proof = (RgPathProof){.least = INFINITY};
    for (int i = 0; i < MAX_PLANES; i++) {
        RgDistance near;
        RgConvexPair convex = {m->a.shape, m->b.shape, {at.Q, at.d}};
        RgStatus status = rg_convex_distance(&convex, &cache, &near);
        if ((status != RG_OK && status != RG_ERR_NOT_CONVERGED) || !isfinite(near.distance))
            return status != RG_OK ? status : RG_ERR_NOT_FINITE;
        if (i == 0) {
            proof->start = near.distance;
            pair->least = floor_of(&pair->rule, isnan(pair->start) ? near.distance : pair->start);
        }
        if (!(near.distance > (i == 0 ? 0.0 : (1.0 + FLOOR_MARGIN) * pair->least)))
            break;
        pair->floor = d_max(pair->least, pair->share * near.distance);

        /* Either the speeds are too small for the two to meet, or a plane is followed. */
        double slow = near.distance - near.error - m->speed * (m->h - at.s);
        Reach reach = {m->h, slow};
        if (!(slow >= pair->floor)) {
            if (i == 0)
                pair->end = rg_pair_at(m, m->h);
            reach = best_plane(pair, &at, &near);
            proof->pieces++;
        }
        if (reach.time < m->h && !(reach.time > at.s + TIME_LEAST))
            break;
        proof->time = reach.time;
        proof->least = d_min(proof->least, reach.least);
        if (reach.time >= m->h)
            break;
        at = rg_pair_at(m, reach.time);
    }
    if (!isfinite(proof->least))
        proof->least = proof->start;
    return RG_OK;
}

/* Whether two shapes that are apart probably pass each other at a larger distance than was proven, by their distances
   at both ends. */
static bool passes(const Pair *pair, const RgPathProof *proof)
{
    const RgPairMotion *m = pair->motion;
    if (proof->time < m->h || proof->pieces == 0 || !(proof->start > pair->rule.gap) ||
        proof->least >= PASSING * proof->start)
        return false;
    RgDistance near;
    RgConvexPair convex = {m->a.shape, m->b.shape, {pair->end.Q, pair->end.d}};
    return rg_convex_distance(&convex, NULL, &near) == RG_OK && proof->least < PASSING * near.distance;
}

RgStatus rg_convex_path_prove(const RgPairMotion *m, const RgPathRule *rule, double start, RgPathProof *proof)
{
    Pair pair = {.motion = m, .rule = *rule, .start = start};
    RgStatus status = prove(&pair, proof);
    if (status != RG_OK || !passes(&pair, proof))
        return status;
    RgPathProof nearer;
    pair.share = PASSING;
    if (prove(&pair, &nearer) == RG_OK && nearer.time >= m->h && nearer.least > proof->least)
        proof->least = nearer.least;
    return RG_OK;
}
