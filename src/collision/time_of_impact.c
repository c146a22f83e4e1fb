/*
 * time_of_impact.c - when two moving geometries first come within a gap of each other.
 *
 * Exact. Convex shapes: impact_exact.c. Geometries of parts: the earliest of all pairs, each looked for
 * only before the earliest found so far; pairs whose bounding balls cannot meet by then are left out.
 * Surfaces: the earliest of all triangles, in slices of time in which the other shape moves by about its
 * own size, so that few triangles are near its way.
 *
 * Conservative advancement (Mirtich 1996; Drumwright 2016, eq. 4). Between convex shapes at distance d with
 * normal n nothing can touch before they have moved together along n by d - gap, which takes at least
 *   (d - gap) / (n.(v_A - v_B) + |w_A x n| r_A + |w_B x n| r_B)
 * (a shape grown by a ball moves as its core: r is that of the core). Half-spaces that turn: their own
 * plane, turned along. Geometries of several parts or triangles have another normal for each, so there the
 * bound is that of any direction: |v_A - v_B| + |w_A| r_A + |w_B| r_B. Advance, ask again, until
 * d <= gap + tolerance: linear convergence, never late.
 *
 * The first in the order of rg_placed_after is A, whatever the caller says: swapped arguments give the same
 * bits.
 */
#include "collision/time_of_impact.h"

#include "collision/triangle_contact.h"

/* Marks options that were filled by rg_impact_options_default. */
#define IMPACT_COOKIE 0x52494d50u

/* Tolerance of the advancement where none is given, part of the size. */
#define DEFAULT_TOLERANCE 1e-9

/* Slices of time for surfaces at most. */
#define MAX_SLICES 256

/* Balls and boxes that tell what may touch are grown by this part of their size, against round-off. */
#define MARGIN 1e-9

/* Errors of a distance asked at a time other than 0, part of the numbers in the poses. */
#define POSE_ROUND_OFF 2e-15

RgImpactOptions rg_impact_options_default(void)
{
    return (RgImpactOptions){.cookie = IMPACT_COOKIE, .horizon = 1.0, .method = RG_IMPACT_AUTO, .max_iterations = 1000};
}

/* ------------------------------------------------------------------ exact */

/* The question and the earliest hit so far. */
typedef struct Search {
    const RgSweep *a, *b;
    const RgImpactOptions *options;
    RgImpact *best;
    RgStatus status;
    double start, end;  /* slice of time that is looked at */
    RgMovingShape part; /* surfaces: the part of A that is asked */
} Search;

/* Ball round a part: its centre in the geometry's frame; and from the centre of the turn at t = 0, in world
   axes. */
typedef struct Ball {
    RgVec3 centre, rho;
    double radius;
} Ball;

static Ball part_ball(const RgSweep *sweep, int32_t i)
{
    const RgBounds *box = &sweep->geometry->part_bounds[i];
    double radius = 0.5 * v3_norm(v3_sub(box->high, box->low));
    if (!isfinite(radius))
        return (Ball){v3_zero(), v3_zero(), (double)INFINITY};
    RgVec3 centre = v3_scale(0.5, v3_add(box->low, box->high));
    return (Ball){centre, m3_apply(sweep->X_WG.R, v3_sub(centre, rg_sweep_centre(sweep))), radius};
}

static Ball whole_ball(const RgSweep *sweep)
{
    const RgGeometry *g = sweep->geometry;
    if (!isfinite(g->radius) || g->surface != NULL)
        return (Ball){v3_zero(), v3_zero(), (double)INFINITY};
    return (Ball){g->centre, m3_apply(sweep->X_WG.R, v3_sub(g->centre, rg_sweep_centre(sweep))), g->radius};
}

/* Whether two balls stay farther apart than the gap until end. */
static bool balls_miss(const Search *s, Ball a, Ball b)
{
    RgVec3 between = v3_add(rg_sweep_apart(s->a, s->b, 0.0), v3_sub(b.rho, a.rho));
    double speed = v3_norm(v3_sub(s->b->V.v, s->a->V.v)) + v3_norm(s->a->V.w) * v3_norm(a.rho) +
                   v3_norm(s->b->V.w) * v3_norm(b.rho);
    double apart = v3_norm(between), reach = a.radius + b.radius + speed * s->end;
    return apart - reach - MARGIN * (apart + reach) > s->options->gap;
}

static bool is_failure(RgStatus status)
{
    return status != RG_OK && status != RG_ERR_NOT_CONVERGED;
}

static void try_shapes(Search *s, const RgMovingShape *a, const RgMovingShape *b)
{
    double gap = s->options->gap;
    RgImpactWindow window = {s->start, s->end, gap, s->options->max_iterations};
    RgImpact found;
    RgStatus status = rg_impact_exact(a, b, &window, &found);
    s->best->iterations += found.iterations;
    if (is_failure(status) || is_failure(s->status)) {
        s->status = is_failure(s->status) ? s->status : status;
        return;
    }
    if (!found.hit || (s->best->hit && found.time >= s->best->time))
        return;
    s->best->hit = true;
    s->best->time = s->end = found.time;
    s->best->latest = fmin(s->best->latest, found.latest);
    s->status = status;
}

static void try_parts(Search *s)
{
    const RgGeometry *ga = s->a->geometry, *gb = s->b->geometry;
    for (int32_t i = 0; i < ga->nparts; i++) {
        RgMovingShape a = rg_moving_shape(s->a, &ga->parts[i]);
        Ball ball = part_ball(s->a, i);
        for (int32_t j = 0; j < gb->nparts; j++) {
            if (balls_miss(s, ball, part_ball(s->b, j)))
                continue;
            RgMovingShape b = rg_moving_shape(s->b, &gb->parts[j]);
            try_shapes(s, &a, &b);
        }
    }
}

static void try_triangle(int32_t number, void *context, double *reach)
{
    (void)reach;
    Search *s = context;
    RgPlate plate;
    rg_plate_make(s->b->geometry->surface, number, false, &plate);
    RgMovingShape b = rg_moving_shape(s->b, &plate.shape);
    try_shapes(s, &s->part, &b);
}

/* Speed of the ball's centre in the frame of the surface, at most, within a time after t. */
static double speed_in_surface(const Search *s, const Ball *ball, double t, double time)
{
    double v = v3_norm(v3_sub(s->b->V.v, s->a->V.v)), rho = v3_norm(ball->rho);
    double far = v3_norm(rg_sweep_apart(s->a, s->b, t)) + v * time + rho;
    return v + v3_norm(s->a->V.w) * rho + v3_norm(s->b->V.w) * far;
}

/* Where a point of A is in the frame of the surface. */
static RgVec3 place_in_surface(const Search *s, RgVec3 point, double t)
{
    RgTurned a = rg_sweep_turned(s->a, t), b = rg_sweep_turned(s->b, t);
    return pose_apply(rg_turned_relative(&b, &a, rg_sweep_apart(s->b, s->a, t)), point);
}

/* One part against the surface of B, slice by slice. */
static void try_surface(Search *s, int32_t part)
{
    Ball ball = part_ball(s->a, part);
    double shortest = s->best->time / MAX_SLICES, t = 0.0;
    s->part = rg_moving_shape(s->a, &s->a->geometry->parts[part]);
    while (t < s->best->time) {
        double slice = s->best->time - t;
        double speed = speed_in_surface(s, &ball, t, slice);
        while (slice > shortest && slice * speed > 2.0 * ball.radius) {
            slice = fmax(0.5 * slice, shortest);
            speed = speed_in_surface(s, &ball, t, slice);
        }
        s->start = t;
        s->end = fmin(t + slice, s->best->time);
        RgVec3 x = place_in_surface(s, ball.centre, t + 0.5 * slice);
        double reach = ball.radius + 0.5 * slice * speed;
        RgBounds swept = {v3_sub(x, v3(reach, reach, reach)), v3_add(x, v3(reach, reach, reach))};
        double margin = fmax(s->options->gap, 0.0) + MARGIN * reach;
        rg_surface_nearest(s->b->geometry->surface, &swept, try_triangle, s, &margin);
        t += slice;
    }
}

static RgStatus find_exact(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options, RgImpact *out)
{
    Search s = {.a = a, .b = b, .options = options, .best = out, .end = options->horizon};
    *out = (RgImpact){.time = options->horizon, .latest = (double)INFINITY};
    if (b->geometry->surface == NULL) {
        try_parts(&s);
        return s.status;
    }

    /* Triangles do not know what is inside; the signed distance does. */
    RgDistance now;
    RgStatus status = rg_distance(&(RgPlaced){a->geometry, a->X_WG}, &(RgPlaced){b->geometry, b->X_WG}, NULL, &now);
    if (is_failure(status))
        return status;
    if (now.distance <= options->gap) {
        *out = (RgImpact){.hit = true, .latest = now.distance + now.error <= options->gap ? 0.0 : (double)INFINITY};
        return RG_OK;
    }
    for (int32_t i = 0; i < a->geometry->nparts; i++)
        try_surface(&s, i);
    return s.status;
}

/* ------------------------------------------------------------------ conservative advancement */

/* What stays the same on the way. */
typedef struct Advance {
    RgMovingShape a, b; /* convex: the shapes */
    bool convex;
    double speed; /* of any two points against each other, at most */
    double gap;
    double size;
} Advance;

static Advance advance_prepare(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options)
{
    const RgGeometry *ga = a->geometry, *gb = b->geometry;
    Advance way = {.convex = ga->nparts == 1 && gb->nparts == 1, .gap = options->gap};
    if (way.convex) {
        way.a = rg_moving_shape(a, &ga->parts[0]);
        way.b = rg_moving_shape(b, &gb->parts[0]);
    }
    double turn_a = v3_norm(a->V.w), turn_b = v3_norm(b->V.w);
    way.speed = v3_norm(v3_sub(b->V.v, a->V.v));
    if (turn_a > 0.0)
        way.speed += turn_a * rg_geometry_reach(ga, rg_sweep_centre(a));
    if (turn_b > 0.0)
        way.speed += turn_b * rg_geometry_reach(gb, rg_sweep_centre(b));
    way.size = 2.0 * (isfinite(ga->radius) && isfinite(gb->radius) ? fmax(ga->radius, gb->radius)
                                                                   : fmin(ga->radius, gb->radius));
    return way;
}

/* Plane of the query, turned along with a half-space. */
static RgTurningPlane advance_plane(const Advance *way, RgVec3 normal)
{
    RgTurningPlane plane = {normal, v3_zero()};
    if (!isfinite(way->a.sweep->geometry->radius))
        plane.w = way->a.sweep->V.w;
    if (!isfinite(way->b.sweep->geometry->radius))
        plane.w = way->b.sweep->V.w;
    return plane;
}

/* Time for which the gap cannot close, at most window. */
static double advance_step(const Advance *way, const RgDistance *d, double noise, double t, double window)
{
    double room = d->distance - d->error - noise - way->gap, step = 0.0;
    if (room > 0.0)
        step = way->speed > 0.0 ? fmin(window, room / way->speed) : window;
    if (!way->convex)
        return step;
    RgMovedPair pair = rg_moved_pair(&way->a, &way->b, t);
    RgTurningPlane plane = advance_plane(way, d->normal);
    double level = way->gap + way->a.rounding + way->b.rounding + pair.round_off;
    return fmax(step, rg_plane_wait(&pair, &plane, rg_plane_gap(&pair, &plane), level, window));
}

/* Whether the balls round two whole geometries never come near each other. */
static bool never_near(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options)
{
    Search s = {.a = a, .b = b, .options = options, .end = options->horizon};
    return balls_miss(&s, whole_ball(a), whole_ball(b));
}

static RgStatus find_conservative(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options, RgImpact *out)
{
    *out = (RgImpact){.time = options->horizon, .latest = (double)INFINITY};
    if (never_near(a, b, options))
        return RG_OK;
    Advance way = advance_prepare(a, b, options);
    RgPairCache cache = {.part_a = 0};
    double tolerance = options->tolerance > 0.0 ? options->tolerance : DEFAULT_TOLERANCE * way.size, t = 0.0;
    *out = (RgImpact){.hit = true, .latest = (double)INFINITY};
    while (out->iterations < options->max_iterations) {
        RgPlaced pa = {a->geometry, rg_sweep_pose(a, t)}, pb = {b->geometry, rg_sweep_pose(b, t)};
        RgDistance d;
        RgStatus status = rg_distance(&pa, &pb, &cache, &d);
        if (is_failure(status))
            return status;
        out->iterations++;
        double noise = POSE_ROUND_OFF * (v3_norm(pa.X_WG.p) + v3_norm(pb.X_WG.p) + way.size);
        double step = advance_step(&way, &d, noise, t, options->horizon - t);
        bool there = d.distance <= options->gap + tolerance;
        if (!there && step >= options->horizon - t) {
            *out = (RgImpact){.time = options->horizon, .latest = (double)INFINITY, .iterations = out->iterations};
            return RG_OK;
        }
        out->time = t;
        if (there || t + step <= t) {
            if (d.distance + d.error + noise <= options->gap)
                out->latest = t;
            return RG_OK;
        }
        t += step;
    }
    out->time = t;
    return RG_ERR_NOT_CONVERGED;
}

/* ------------------------------------------------------------------ public */

/* Longest way or turn within the horizon, m or rad: squares of longer ones overflow. */
#define LONGEST_WAY 1e70

static bool sweep_bounded(const RgSweep *s, double horizon)
{
    return v3_norm(s->V.v) * horizon <= LONGEST_WAY && v3_norm(s->V.w) * horizon <= LONGEST_WAY &&
           v3_norm(s->centre) <= LONGEST_WAY && v3_norm(s->X_WG.p) <= LONGEST_WAY;
}

static bool sweep_finite(const RgSweep *s)
{
    return pose_finite(s->X_WG) && v3_finite(s->centre) && v3_finite(s->V.v) && v3_finite(s->V.w);
}

RgStatus rg_time_of_impact(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options, RgImpact *out)
{
    RgImpactOptions used = options != NULL ? *options : rg_impact_options_default();
    *out = (RgImpact){.latest = (double)INFINITY};
    if (used.cookie != IMPACT_COOKIE || !(used.horizon >= 0.0) || !isfinite(used.horizon) || !isfinite(used.gap) ||
        !isfinite(used.tolerance) || used.max_iterations < 1)
        return RG_ERR_ARGUMENT;
    if (!sweep_finite(a) || !sweep_finite(b) || !sweep_bounded(a, used.horizon) || !sweep_bounded(b, used.horizon))
        return RG_ERR_NOT_FINITE;

    RgPlaced pa = {a->geometry, a->X_WG}, pb = {b->geometry, b->X_WG};
    bool swapped = rg_placed_after(&pa, &pb);
    const RgSweep *first = swapped ? b : a, *second = swapped ? a : b;
    if (first->geometry->surface != NULL || (!isfinite(first->geometry->radius) && !isfinite(second->geometry->radius)))
        return RG_ERR_UNSUPPORTED;
    /* How deep a bounded shape is in a surface no single triangle tells: then the distance is asked. */
    bool deep_in_surface = used.gap < 0.0 && second->geometry->surface != NULL && isfinite(first->geometry->radius);
    bool by_distance = used.method == RG_IMPACT_CONSERVATIVE || deep_in_surface;
    RgStatus status =
        by_distance ? find_conservative(first, second, &used, out) : find_exact(first, second, &used, out);
    if (is_failure(status))
        return status;
    pa.X_WG = rg_sweep_pose(a, out->time);
    pb.X_WG = rg_sweep_pose(b, out->time);
    RgStatus at = rg_distance(&pa, &pb, NULL, &out->at);
    return is_failure(at) ? at : status;
}
