/*
 * convex_path.c - two convex shapes on their paths: for how long they are proven apart.
 *
 * From t = 0 on: the distance at t, with its nearest features, offers planes; each is followed as far as it keeps the
 * shapes apart by the floor (plane.h), the farthest counts, and there new planes are asked for. So
 *
 *   vertex over a face      the face's plane, carried along: one piece for the whole step, touching or not
 *   edge across an edge     the plane that both span
 *   apart                   the plane across the line between the nearest points
 *
 * What nears the floor is followed by Newton's steps from above: pieces twice as long as it takes at the present rate,
 * until it is within LANDED of the floor. Pairs that their speeds keep apart cost no plane.
 *
 * Cost: 0.2 us a pose, four searches for a farthest vertex a piece. Failure: a time that is too short, never one too
 * long.
 */
#include "path/plane.h"

#include "collision/distance.h"
#include "math/unit.h"

/* A pair has come down to its floor when it is within this part of it above. */
#define LANDED 0.2
/* The same for one plane: nearer, so that a new one is not asked for in vain. */
#define PLANE_LANDED 0.1
/* s: less progress is none. */
#define TIME_LEAST 1e-12
/* Most planes one after the other; pieces of one plane; planes that are tried at one time. */
#define MAX_PLANES 200
#define MAX_PIECES 400
#define MAX_TRIED 24
/* Pieces of all planes together: then the time is what it is. */
#define MAX_WORK 5000
/* A piece whose proven part is less than this is tried again shorter, by SHORTER. */
#define PIECE_LEAST 0.25
#define SHORTER 0.25
/* A piece is no longer than so many times the last. */
#define LONGER 2.5
/* Part of its first distance down to which a plane is followed where two shapes pass each other, so that the least
   distance is told to within that part. */
#define PASSING 0.25
/* rad: faces this near to the plane of contact are tried too. */
#define NEARLY_FLAT 0.2
/* Touching, for planes of neighbours to be tried: distance in units of the gap. */
#define NEARLY_TOUCHING 2.0

typedef struct Pair {
    const RgPairMotion *motion;
    RgPathRule rule;
    double start; /* m: decides the floor; NaN: the distance at the start does */
    double share; /* part of the distance where a plane begins, below which another is asked for */
    double least; /* m: the floor */
    double floor; /* m: of the present plane */
    RgPairAt end; /* at h */
    int left;     /* pieces that may still be tried */
} Pair;

/* ------------------------------------------------------------------ one plane */

/* How far a plane holds, from a time on, and what distance it proves on the way. */
typedef struct Reach {
    double time, least;
} Reach;

static double next_length(const RgClearance *now, double left, double last)
{
    double length = d_min(left, LONGER * last);
    return now->fall > 0.0 ? d_min(length, 2.0 * now->above / now->fall) : length;
}

static Reach follow(Pair *pair, RgPlane *plane, const RgPairAt *from, int most)
{
    const RgPairMotion *m = pair->motion;
    Reach out = {from->s, INFINITY};
    RgPairAt at[2] = {*from, pair->end};
    RgClearance now = rg_plane_clearance(m, plane, from, pair->floor);
    double length = m->h - from->s;
    if (most > 1)
        length = next_length(&now, length, length);
    for (int i = 0; i < most && now.above > PLANE_LANDED * pair->floor && length > TIME_LEAST; i++) {
        if (pair->left-- <= 0)
            break;
        double stop = out.time + length;
        at[1] = stop < m->h ? rg_pair_at(m, stop) : pair->end;
        length = at[1].s - out.time;
        RgPiece piece = rg_plane_piece(m, plane, at, pair->floor);
        double x = rg_bernstein_root(piece.e);
        if (!(x >= PIECE_LEAST)) {
            length *= SHORTER;
            continue;
        }

        /* The proven part, and a first guess of the next one. */
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

static void offer_fixed(Planes *planes, const RgPairMotion *m, bool in_b, RgVec3 n)
{
    for (int i = 0; i < planes->count; i++)
        if (planes->plane[i].kind == RG_PLANE_FIXED && planes->plane[i].in_b == in_b &&
            v3_norm2(v3_sub(planes->plane[i].n, n)) == 0.0)
            return;
    if (planes->count < MAX_TRIED)
        planes->plane[planes->count++] = rg_plane_fixed(m, in_b, n);
}

static void offer_face(Planes *planes, const RgPairMotion *m, bool in_b, RgFeature feature)
{
    const RgPolytope *core = (in_b ? &m->b : &m->a)->shape->core;
    if (feature.kind == RG_FEATURE_FACE && core != NULL && feature.index < core->nf)
        offer_fixed(planes, m, in_b, core->normal[feature.index]);
}

static void offer_edges(Planes *planes, const RgPairMotion *m, const RgPairAt *at, int32_t edge_a, int32_t edge_b)
{
    if (planes->count < MAX_TRIED && rg_plane_edges(m, at, edge_a, edge_b, &planes->plane[planes->count]))
        planes->count++;
}

/* A point of the one over a vertex or an edge of the other. */
static void offer_round(Planes *planes, const RgPairMotion *m, const RgDistance *near)
{
    RgFeature fa = near->feature_a, fb = near->feature_b;
    if (planes->count < MAX_TRIED && fb.kind == RG_FEATURE_VERTEX &&
        rg_plane_round(m, false, fa, fb.index, &planes->plane[planes->count]))
        planes->count++;
    if (planes->count < MAX_TRIED && fa.kind == RG_FEATURE_VERTEX && fb.kind == RG_FEATURE_EDGE &&
        rg_plane_round(m, true, fb, fa.index, &planes->plane[planes->count]))
        planes->count++;
}

/* Planes of the nearest features, and those across the line between the nearest points. */
static void nearest_planes(Planes *planes, const RgPairMotion *m, const RgPairAt *at, const RgDistance *near)
{
    offer_face(planes, m, false, near->feature_a);
    offer_face(planes, m, true, near->feature_b);
    if (near->feature_a.kind == RG_FEATURE_EDGE && near->feature_b.kind == RG_FEATURE_EDGE)
        offer_edges(planes, m, at, near->feature_a.index, near->feature_b.index);
    offer_round(planes, m, near);
    offer_fixed(planes, m, false, near->normal);
    offer_fixed(planes, m, true, v3_neg(m3_apply_t(at->Q, near->normal)));
}

/* A face, or a flat end, that is nearly across n, where n points out of the shape. */
static void offer_flat(Planes *planes, const RgPairMotion *m, bool in_b, RgVec3 n)
{
    const RgShape *shape = (in_b ? &m->b : &m->a)->shape;
    if (shape->core != NULL) {
        offer_face(planes, m, in_b, rg_shape_feature(shape, n, NEARLY_FLAT));
        return;
    }
    RgFacing facing = rg_shape_facing(shape, n, NEARLY_FLAT);
    RgVec3 axis;
    if (facing.kind == RG_FACING_DISC && v3_unit(v3_cross(facing.along[0], facing.along[1]), v3_zero(), &axis) > 0.0)
        offer_fixed(planes, m, in_b, v3_dot(axis, n) < 0.0 ? v3_neg(axis) : axis);
}

/* Faces round an edge or a vertex. */
static void offer_around(Planes *planes, const RgPairMotion *m, bool in_b, RgFeature feature)
{
    const RgPolytope *core = (in_b ? &m->b : &m->a)->shape->core;
    if (core == NULL || core->nf == 0)
        return;
    if (feature.kind == RG_FEATURE_EDGE)
        for (int side = 0; side < 2; side++)
            offer_fixed(planes, m, in_b, core->normal[core->edge_face[2 * feature.index + side]]);
    if (feature.kind != RG_FEATURE_VERTEX)
        return;
    for (int32_t k = core->ring_start[feature.index]; k < core->ring_start[feature.index + 1]; k++)
        offer_fixed(planes, m, in_b, core->normal[core->edge_face[2 * core->ring_edge[k]]]);
}

/* Edges of a vertex across an edge of the other. */
static void offer_crossed(Planes *planes, const RgPairMotion *m, const RgPairAt *at, const RgDistance *near)
{
    const RgPolytope *a = m->a.shape->core, *b = m->b.shape->core;
    if (a == NULL || b == NULL)
        return;
    RgFeature fa = near->feature_a, fb = near->feature_b;
    if (fa.kind == RG_FEATURE_EDGE && fb.kind == RG_FEATURE_VERTEX && b->ne > 0)
        for (int32_t k = b->ring_start[fb.index]; k < b->ring_start[fb.index + 1]; k++)
            offer_edges(planes, m, at, fa.index, b->ring_edge[k]);
    if (fb.kind == RG_FEATURE_EDGE && fa.kind == RG_FEATURE_VERTEX && a->ne > 0)
        for (int32_t k = a->ring_start[fa.index]; k < a->ring_start[fa.index + 1]; k++)
            offer_edges(planes, m, at, a->ring_edge[k], fb.index);
}

/* Planes of what lies round the nearest features: which of them will matter only the motion tells. */
static void neighbour_planes(Planes *planes, const RgPairMotion *m, const RgPairAt *at, const RgDistance *near)
{
    offer_flat(planes, m, false, near->normal);
    offer_flat(planes, m, true, v3_neg(m3_apply_t(at->Q, near->normal)));
    offer_crossed(planes, m, at, near);
    offer_around(planes, m, false, near->feature_a);
    offer_around(planes, m, true, near->feature_b);
}

/* The best of some planes: first each in one piece, then in as many as it takes. */
static void follow_best(Pair *pair, Planes *planes, const RgPairAt *at, Reach *best)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < planes->count && best->time < pair->motion->h; i++) {
            Reach reach = follow(pair, &planes->plane[i], at, round == 0 ? 1 : MAX_PIECES);
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
        offer_fixed(&planes, m, b_half, up);
    else
        nearest_planes(&planes, m, at, near);
    follow_best(pair, &planes, at, &best);
    if (best.time >= m->h || a_half || b_half || near->distance > NEARLY_TOUCHING * pair->rule.gap)
        return best;
    planes.count = 0;
    neighbour_planes(&planes, m, at, near);
    follow_best(pair, &planes, at, &best);
    return best;
}

/* ------------------------------------------------------------------ two convex shapes */

static double floor_of(const RgPathRule *rule, double start)
{
    return start > rule->gap ? rule->level : 0.5 * d_min(start, rule->level);
}

/* Proof on [0, h] or as far as it goes. */
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
        if (!(near.distance > (i == 0 ? 0.0 : (1.0 + LANDED) * pair->least)))
            break;
        pair->floor = d_max(pair->least, pair->share * near.distance);

        /* Too far apart for their speeds, or as far as a plane holds. */
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

/* Whether two shapes that are apart pass each other farther away than was proven, as far as their ends tell. */
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
