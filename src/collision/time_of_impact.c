/*
 * time_of_impact.c - the first time at which two moving geometries come within a gap of each other.
 *
 * Exact method. Convex shapes: impact_exact.c. Geometries of parts: the earliest impact of all pairs, each searched
 * only up to the earliest one found so far; pairs whose bounding balls cannot meet by then are skipped. Surfaces: the
 * earliest impact of all triangles, in time slices in which the other shape moves by about its own size, so that few
 * triangles are near its path.
 *
 * Conservative advancement (Mirtich 1996; Drumwright 2016, eq. 4). Convex shapes at distance d with normal n cannot
 * touch before they have approached along n by d - gap, which takes at least
 *   (d - gap) / (n.(v_A - v_B) + |w_A x n| r_A + |w_B x n| r_B)
 * (a shape grown by a ball moves like its core: r is that of the core). For a rotating half-space the plane rotates
 * with it. Geometries of several parts or triangles may have any normal, so their bound is that of any direction: |v_A
 * - v_B| + |w_A| r_A + |w_B| r_B. Advance and evaluate the distance again, until d <= gap + tolerance: linear
 * convergence, never late.
 *
 * A is the first geometry in the order of rg_placed_after, independently of the order of the arguments: swapped
 * arguments give the same bits.
 */
#include "collision/time_of_impact.h"

#include "collision/triangle_contact.h"

/* Marks options that were filled by rg_impact_options_default. */
#define IMPACT_COOKIE 0x52494d50u

/* Default tolerance of the advancement, as a fraction of the size. */
#define DEFAULT_TOLERANCE 1e-9

/* Largest number of time slices for a surface. */
#define MAX_SLICES 256

/* Bounding balls and boxes are grown by this fraction of their size, against round-off. */
#define BALL_MARGIN 1e-9

/* Error of a distance at a time other than 0, as a fraction of the numbers in the poses. */
#define POSE_ROUND_OFF 2e-15

RgImpactOptions rg_impact_options_default(void)
{
    return (RgImpactOptions){.cookie = IMPACT_COOKIE, .horizon = 1.0, .method = RG_IMPACT_AUTO, .max_iterations = 1000};
}

/* ------------------------------------------------------------------ exact */

/* The query and the earliest hit so far. */
typedef struct Search {
    const RgSweep *a, *b;
    const RgImpactOptions *options;
    RgImpact *best;
    RgStatus status;
    double start, end; /* current time slice, s */
    RgSweptShape part; /* surfaces: the current part of A */
} Search;

/* Ball around a part: its centre in the geometry's frame, and relative to the centre of rotation at t = 0, in world
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

/* Returns true if two balls stay farther apart than the gap until s->end. */
static bool balls_miss(const Search *s, Ball a, Ball b)
{
    RgVec3 between = v3_add(rg_sweep_separation(s->a, s->b, 0.0), v3_sub(b.rho, a.rho));
    double speed = v3_norm(v3_sub(s->b->V.v, s->a->V.v)) + v3_norm(s->a->V.w) * v3_norm(a.rho) +
                   v3_norm(s->b->V.w) * v3_norm(b.rho);
    double apart = v3_norm(between), reach = a.radius + b.radius + speed * s->end;
    return apart - reach - BALL_MARGIN * (apart + reach) > s->options->gap;
}

static bool is_failure(RgStatus status)
{
    return status != RG_OK && status != RG_ERR_NOT_CONVERGED;
}

static void try_shapes(Search *s, const RgSweptShape *a, const RgSweptShape *b)
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
        RgSweptShape a = rg_swept_shape(s->a, &ga->parts[i]);
        Ball ball = part_ball(s->a, i);
        for (int32_t j = 0; j < gb->nparts; j++) {
            if (balls_miss(s, ball, part_ball(s->b, j)))
                continue;
            RgSweptShape b = rg_swept_shape(s->b, &gb->parts[j]);
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
    RgSweptShape b = rg_swept_shape(s->b, &plate.shape);
    try_shapes(s, &s->part, &b);
}

/* Upper bound of the speed of the ball's centre in the frame of the surface, in a time interval after t. */
static double speed_in_surface(const Search *s, const Ball *ball, double t, double time)
{
    double v = v3_norm(v3_sub(s->b->V.v, s->a->V.v)), rho = v3_norm(ball->rho);
    double far = v3_norm(rg_sweep_separation(s->a, s->b, t)) + v * time + rho;
    return v + v3_norm(s->a->V.w) * rho + v3_norm(s->b->V.w) * far;
}

/* Position of a point of A in the frame of the surface. */
static RgVec3 position_in_surface(const Search *s, RgVec3 point, double t)
{
    RgSweepRotation a = rg_sweep_rotation(s->a, t), b = rg_sweep_rotation(s->b, t);
    return pose_apply(rg_sweep_relative_pose(&b, &a, rg_sweep_separation(s->b, s->a, t)), point);
}

/* One part against the surface of B, slice by slice. */
static void try_surface(Search *s, int32_t part)
{
    Ball ball = part_ball(s->a, part);
    double shortest = s->best->time / MAX_SLICES, t = 0.0;
    s->part = rg_swept_shape(s->a, &s->a->geometry->parts[part]);
    while (t < s->best->time) {
        double slice = s->best->time - t;
        double speed = speed_in_surface(s, &ball, t, slice);
        while (slice > shortest && slice * speed > 2.0 * ball.radius) {
            slice = fmax(0.5 * slice, shortest);
            speed = speed_in_surface(s, &ball, t, slice);
        }
        s->start = t;
        s->end = fmin(t + slice, s->best->time);
        RgVec3 x = position_in_surface(s, ball.centre, t + 0.5 * slice);
        double reach = ball.radius + 0.5 * slice * speed;
        RgBounds swept = {v3_sub(x, v3(reach, reach, reach)), v3_add(x, v3(reach, reach, reach))};
        double margin = fmax(s->options->gap, 0.0) + BALL_MARGIN * reach;
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

    /* Triangles alone do not define the inside; the signed distance does. */
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

/* Constants of the advancement. */
typedef struct Advancement {
    RgSweptShape a, b; /* convex: the shapes */
    bool convex;
    double speed; /* upper bound of the relative speed of any two points, m/s */
    double gap;
    double size;
} Advancement;

static Advancement prepare_advancement(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options)
{
    const RgGeometry *ga = a->geometry, *gb = b->geometry;
    Advancement advancement = {.convex = ga->nparts == 1 && gb->nparts == 1, .gap = options->gap};
    if (advancement.convex) {
        advancement.a = rg_swept_shape(a, &ga->parts[0]);
        advancement.b = rg_swept_shape(b, &gb->parts[0]);
    }
    double turn_a = v3_norm(a->V.w), turn_b = v3_norm(b->V.w);
    advancement.speed = v3_norm(v3_sub(b->V.v, a->V.v));
    if (turn_a > 0.0)
        advancement.speed += turn_a * rg_geometry_reach(ga, rg_sweep_centre(a));
    if (turn_b > 0.0)
        advancement.speed += turn_b * rg_geometry_reach(gb, rg_sweep_centre(b));
    advancement.size = 2.0 * (isfinite(ga->radius) && isfinite(gb->radius) ? fmax(ga->radius, gb->radius)
                                                                           : fmin(ga->radius, gb->radius));
    return advancement;
}

/* Plane with the normal of the query; it rotates with a half-space. */
static RgTurningPlane advancement_plane(const Advancement *advancement, RgVec3 normal)
{
    RgTurningPlane plane = {normal, v3_zero()};
    if (!isfinite(advancement->a.sweep->geometry->radius))
        plane.w = advancement->a.sweep->V.w;
    if (!isfinite(advancement->b.sweep->geometry->radius))
        plane.w = advancement->b.sweep->V.w;
    return plane;
}

/* Time during which the gap cannot close, at most window. */
static double safe_step(const Advancement *advancement, const RgDistance *d, double noise, double t, double window)
{
    double room = d->distance - d->error - noise - advancement->gap, step = 0.0;
    if (room > 0.0)
        step = advancement->speed > 0.0 ? fmin(window, room / advancement->speed) : window;
    if (!advancement->convex)
        return step;
    RgPairAtTime pair = rg_pair_at_time(&advancement->a, &advancement->b, t);
    RgTurningPlane plane = advancement_plane(advancement, d->normal);
    double level = advancement->gap + advancement->a.rounding + advancement->b.rounding + pair.round_off;
    return fmax(step, rg_plane_conservative_step(&pair, &plane, rg_plane_gap(&pair, &plane), level, window));
}

/* Returns true if the balls around two whole geometries never come near each other. */
static bool is_never_near(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options)
{
    Search s = {.a = a, .b = b, .options = options, .end = options->horizon};
    return balls_miss(&s, whole_ball(a), whole_ball(b));
}

static RgStatus find_conservative(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options, RgImpact *out)
{
    *out = (RgImpact){.time = options->horizon, .latest = (double)INFINITY};
    if (is_never_near(a, b, options))
        return RG_OK;
    Advancement advancement = prepare_advancement(a, b, options);
    RgPairCache cache = {.part_a = 0};
    double tolerance = options->tolerance > 0.0 ? options->tolerance : DEFAULT_TOLERANCE * advancement.size, t = 0.0;
    *out = (RgImpact){.hit = true, .latest = (double)INFINITY};
    while (out->iterations < options->max_iterations) {
        RgPlaced pa = {a->geometry, rg_sweep_pose(a, t)}, pb = {b->geometry, rg_sweep_pose(b, t)};
        RgDistance d;
        RgStatus status = rg_distance(&pa, &pb, &cache, &d);
        if (is_failure(status))
            return status;
        out->iterations++;
        double noise = POSE_ROUND_OFF * (v3_norm(pa.X_WG.p) + v3_norm(pb.X_WG.p) + advancement.size);
        double step = safe_step(&advancement, &d, noise, t, options->horizon - t);
        bool within_gap = d.distance <= options->gap + tolerance;
        if (!within_gap && step >= options->horizon - t) {
            *out = (RgImpact){.time = options->horizon, .latest = (double)INFINITY, .iterations = out->iterations};
            return RG_OK;
        }
        out->time = t;
        if (within_gap || t + step <= t) {
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

/* Largest translation (m) or rotation (rad) within the horizon: squares of larger ones overflow. */
#define LARGEST_MOTION 1e70

static bool sweep_bounded(const RgSweep *s, double horizon)
{
    return v3_norm(s->V.v) * horizon <= LARGEST_MOTION && v3_norm(s->V.w) * horizon <= LARGEST_MOTION &&
           v3_norm(s->centre) <= LARGEST_MOTION && v3_norm(s->X_WG.p) <= LARGEST_MOTION;
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
    /* The depth of a bounded shape in a surface does not follow from single triangles: the distance query is used. */
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
