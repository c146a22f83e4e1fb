/*
 * pair_path.c - proves for how long two shapes on their paths are apart.
 *
 * A geometry consists of convex parts or of triangles. All pairs of parts, and of parts and triangles, are proven one
 * after the other (convex_path.c), except those that are too far apart at the start to meet: by the bounding balls of
 * the geometries, then by boxes of parts and triangles in the axes of one geometry, with the bound of relative motion
 * of pair_motion.h. The shortest time counts. All have the same floor, that of the nearest two: for a box that slides
 * over a surface a new triangle is not a new contact.
 *
 * Not supported: two surfaces, two half-spaces.
 */
#include "path/pair_path.h"

#include "collision/broadphase_tree.h"
#include "collision/placed_bounds.h"
#include "math/unit.h"
#include "path/pair_motion.h"

static bool is_valid_rule(const RgPathRule *rule, double h)
{
    return isfinite(rule->gap) && rule->level > 0.0 && rule->level <= rule->gap && h > 0.0 && isfinite(h);
}

bool rg_path_supports(const RgGeometry *geometry)
{
    return geometry != NULL && (geometry->nparts > 0 || geometry->surface != NULL);
}

/* Combines the proof of two parts with that of all. */
static void combine_proofs(RgPathProof *all, const RgPathProof *part)
{
    all->time = d_min(all->time, part->time);
    all->least = d_min(all->least, part->least);
    all->pieces += part->pieces;
}

/* Bounding ball of a geometry, and its motion. */
typedef struct Ball {
    RgVec3 centre;  /* world, s = 0 */
    double radius;  /* infinite: a half-space */
    double turning; /* m/s: bound of the speed of any of its points by rotation */
    RgVec3 c[4];    /* coefficients of the path of the body's centre */
    RgVec3 up;      /* outward normal of a half-space */
} Ball;

static RgPose pose_at_start(const RgPathShape *shape)
{
    const RgBodyPath *path = shape->path;
    if (path == NULL)
        return shape->X_BS;
    RgPose X_WB = {path->R0, v3_sub(path->c[0], m3_apply(path->R0, path->centre_B))};
    return pose_mul(X_WB, shape->X_BS);
}

static Ball ball_of(const RgPathShape *shape)
{
    const RgGeometry *g = shape->geometry;
    bool endless = !isfinite(g->radius);
    RgVec3 in_body = pose_apply(shape->X_BS, endless ? v3_zero() : g->centre);
    Ball out = {.centre = in_body, .radius = g->radius, .up = m3_column(shape->X_BS.R, 2)};
    if (shape->path == NULL)
        return out;
    RgVec3 arm = v3_sub(in_body, shape->path->centre_B);
    out.centre = v3_add(shape->path->c[0], m3_apply(shape->path->R0, arm));
    out.up = m3_apply(shape->path->R0, out.up);
    if (shape->path->turning[1] > 0.0)
        out.turning = shape->path->turning[1] * (v3_norm(arm) + out.radius);
    for (int k = 0; k < 4; k++)
        out.c[k] = shape->path->c[k];
    return out;
}

/* Whether the pair is proven farther apart than the gap by its balls. */
static bool prove_by_balls(const RgPathShape *a, const RgPathShape *b, double h, double gap, RgPathProof *out)
{
    Ball ball_a = ball_of(a), ball_b = ball_of(b);
    RgVec3 between = v3_sub(ball_b.centre, ball_a.centre), apart[4];
    double start = v3_norm(between) - ball_a.radius - ball_b.radius;
    if (!isfinite(ball_a.radius))
        start = v3_dot(between, ball_a.up) - ball_b.radius;
    if (!isfinite(ball_b.radius))
        start = -v3_dot(between, ball_b.up) - ball_a.radius;
    for (int k = 0; k < 4; k++)
        apart[k] = v3_sub(ball_b.c[k], ball_a.c[k]);
    double bounds[RG_PATH_DERIVATIVES];
    rg_cubic_bounds(apart, h, bounds);
    double least = start - h * (bounds[1] + ball_a.turning + ball_b.turning);
    double round_off = 0x1p-48 * (v3_norm(ball_a.centre) + v3_norm(ball_b.centre));
    if (!(least - round_off > gap))
        return false;
    *out = (RgPathProof){.time = h, .least = least - round_off, .start = start};
    return true;
}

/* ------------------------------------------------------------------ parts and triangles */

/* All pairs of convex pieces of two geometries. */
typedef struct Pieces {
    const RgPathShape *a, *b;
    const RgPathRule *rule;
    double h;
    RgPose X_AB;        /* at the start */
    double reach;       /* m: pieces nearer than this at the start may reach the floor */
    RgMovingShape part; /* part of A for which triangles are found */
    RgPathProof *out;
    RgStatus status;
} Pieces;

static void prove_pieces(Pieces *p, const RgMovingShape *a, const RgMovingShape *b)
{
    RgPairMotion motion = {.a = *a, .b = *b};
    RgPathProof proof;
    rg_pair_motion(&motion, p->h);
    RgStatus status = rg_convex_path_prove(&motion, p->rule, p->out->start, &proof);
    if (status != RG_OK && p->status == RG_OK)
        p->status = status;
    if (status == RG_OK)
        combine_proofs(p->out, &proof);
}

/* All pairs of parts. Pairs excluded by their boxes are farther apart than the gap at all times. */
static void prove_parts(Pieces *p)
{
    const RgGeometry *ga = p->a->geometry, *gb = p->b->geometry;
    for (int32_t j = 0; j < gb->nparts; j++) {
        RgBounds box = rg_bounds_rotate(&p->X_AB, &gb->part_bounds[j]);
        RgMovingShape b = rg_mover(p->b, &gb->parts[j]);
        for (int32_t i = 0; i < ga->nparts; i++) {
            if (rg_box_gap(&ga->part_bounds[i], &box) > p->reach)
                continue;
            RgMovingShape a = rg_mover(p->a, &ga->parts[i]);
            prove_pieces(p, &a, &b);
        }
    }
}

static void prove_triangle(int32_t number, void *context, double *reach)
{
    (void)reach;
    Pieces *p = context;
    RgTriangle t;
    rg_surface_triangle(p->b->geometry->surface, number, &t);
    RgVec3 normal[2] = {t.normal, v3_neg(t.normal)};
    double offset[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++)
        for (int side = 0; side < 2; side++)
            offset[side] = d_max(offset[side], v3_dot(normal[side], t.vertex[i]));
    RgPolytope core = rg_polytope_triangle(t.vertex, normal, offset);
    RgShape shape = rg_shape_of_polytope(&core);
    RgMovingShape b = rg_mover(p->b, &shape);
    prove_pieces(p, &p->part, &b);
}

/* All parts of A with the surface of B. */
static void prove_surface(Pieces *p)
{
    const RgGeometry *ga = p->a->geometry;
    const RgSurface *surface = p->b->geometry->surface;
    RgPose X_BA = pose_inverse(p->X_AB);
    for (int32_t i = 0; i < ga->nparts; i++) {
        RgBounds box = rg_bounds_rotate(&X_BA, &ga->part_bounds[i]);
        double reach = p->reach;
        p->part = rg_mover(p->a, &ga->parts[i]);
        if (!isfinite(ga->radius)) {
            box = rg_surface_bounds(surface);
            reach = INFINITY;
        }
        rg_surface_nearest(surface, &box, prove_triangle, p, &reach);
    }
}

/* m: bound of the displacement of points of B in A's axes, or of A in B's axes if that is less. Infinite bounds of
   half-spaces are left out. */
static double relative_displacement(const RgPathShape *a, const RgPathShape *b, double h)
{
    const RgShape none = {.type = RG_SHAPE_halfspace};
    RgPairMotion m = {.a = rg_mover(a, &none), .b = rg_mover(b, &none)};
    rg_pair_motion(&m, h);
    double way = INFINITY;
    if (isfinite(b->geometry->radius))
        way = d_min(way, rg_pair_derivative(&m, &m.a, &m.b, m.b.reach, 1));
    if (isfinite(a->geometry->radius))
        way = d_min(way, rg_pair_derivative(&m, &m.b, &m.a, m.a.reach, 1));
    return h * way;
}

/* Proves all pairs of pieces with the floor of the nearest two. */
static RgStatus prove_all(Pieces *p)
{
    RgPlaced a = {p->a->geometry, pose_at_start(p->a)}, b = {p->b->geometry, pose_at_start(p->b)};
    RgDistance near;
    RgStatus status = rg_distance(&a, &b, NULL, &near);
    if (status != RG_OK && status != RG_ERR_NOT_CONVERGED)
        return status;
    RgPathProof *out = p->out;
    out->start = near.distance;
    if (!(near.distance > 0.0)) {
        out->time = 0.0;
        out->least = near.distance;
        return RG_OK;
    }
    double way = relative_displacement(p->a, p->b, p->h);
    p->X_AB = pose_relative(a.X_WG, b.X_WG);
    p->reach = way + 2.0 * p->rule->gap + 1e-12 * (way + v3_norm(a.X_WG.p) + v3_norm(b.X_WG.p));
    if (p->b->geometry->surface != NULL)
        prove_surface(p);
    else
        prove_parts(p);
    if (!isfinite(out->least)) /* all pairs were excluded by their boxes */
        out->least = d_min(near.distance, p->rule->gap);
    return p->status;
}

RgStatus rg_pair_path_prove(const RgPathShape *a, const RgPathShape *b, double h, const RgPathRule *rule,
                            RgPairCache *cache, RgPathProof *out)
{
    (void)cache;
    *out = (RgPathProof){.time = 0.0};
    if (!is_valid_rule(rule, h))
        return RG_ERR_ARGUMENT;
    const RgGeometry *ga = a->geometry, *gb = b->geometry;
    if (!rg_path_supports(ga) || !rg_path_supports(gb) || (ga->surface != NULL && gb->surface != NULL) ||
        (!isfinite(ga->radius) && !isfinite(gb->radius)))
        return RG_ERR_UNSUPPORTED;
    if (prove_by_balls(a, b, h, rule->gap, out))
        return RG_OK;
    *out = (RgPathProof){.time = h, .least = INFINITY};
    if (ga->nparts == 1 && gb->nparts == 1) {
        RgPairMotion motion = {.a = rg_mover(a, ga->parts), .b = rg_mover(b, gb->parts)};
        rg_pair_motion(&motion, h);
        return rg_convex_path_prove(&motion, rule, (double)NAN, out);
    }
    Pieces pieces = {
        .a = ga->surface != NULL ? b : a, .b = ga->surface != NULL ? a : b, .rule = rule, .h = h, .out = out};
    return prove_all(&pieces);
}
