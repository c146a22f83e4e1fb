/*
 * impact_exact.c - the first time at which two moving convex shapes come within a gap of each other.
 *
 * At the time t the distance query names the nearest features and the normal between them. A plane with
 * that normal, turned along with the features, has a gap g(s) that is never more than the distance and
 * loses to it only in second order of s (impact_plane.c):
 *   face of A or B               it moves with its shape: W = w_A, or w_B
 *   edges e_A, e_B               n stays across both: W = n x n', with
 *                                n'.e_A = -n.(w_A x e_A),  n'.e_B = -n.(w_B x e_B)
 *   edge and vertex              n stays across the edge, and does not turn about it
 *   vertices, round shapes       n stands still: the distance is smooth in n, and n the best one
 *   round against edge or face   the rate of n between the last two queries
 * The step to the root of g, less its bound K s^2/2, is Newton's step on the distance: t goes up to the
 * first time with quadratic convergence, and never past it. Of several planes the one that allows the
 * longest step is taken. That none passes the root needs only a unit normal and a bound of K; the features
 * and their rates make it fast.
 *
 * The search ends where the gap is round-off above its level. Then a time at which the distance is proven
 * to have fallen to the gap is looked for close behind, the first step by the rate of the gap: `latest`. A
 * touch so slight that the distance never falls below the gap by more than round-off has none.
 *
 * Cost: 5 to 10 distance queries for most pairs; where shapes graze each other each query takes off a part
 * of the way that is left, so that some 50 are needed.
 */
#include "collision/distance.h"
#include "collision/time_of_impact.h"

/* Two edges whose sine is below this have no cross product worth turning with. */
#define PARALLEL 1e-6

#define MAX_PLANES 6

/* After so many looks the features do not tell what the normal does: it is taken for that of round shapes.
   */
#define MANY_LOOKS 10

/* A step of this part of Newton's is not worth another plane. */
#define ENOUGH 0.9

/* Tries for `latest`, each four times as far behind as the one before. */
#define MAX_PROOFS 24

/* What the search knows at a time. */
typedef struct Look {
    RgMovedPair pair;
    RgDistance d;
    RgVec3 n;          /* world axes, from A to B */
    int before;        /* looks before this one; of the last of them: */
    double t_before;   /* its time, */
    RgVec3 n_before;   /* and its normal */
    RgPairCache cache; /* of the query */
} Look;

static RgStatus look_at(const RgMovingShape *a, const RgMovingShape *b, double t, Look *look)
{
    look->pair = rg_moved_pair(a, b, t);
    RgPose X_AB = rg_turned_relative(&look->pair.a.turned, &look->pair.b.turned, look->pair.apart);
    RgConvexPair pair = {a->shape, b->shape, X_AB};
    RgStatus status = rg_convex_distance(&pair, &look->cache, &look->d);
    if (status != RG_OK && status != RG_ERR_NOT_CONVERGED)
        return status;
    look->n = m3_apply(look->pair.a.turned.R, look->d.normal);
    return RG_OK;
}

/* Without bound: only its own plane keeps it on one side. */
static bool is_halfspace(const RgShape *shape)
{
    return rg_shape_kind(shape->type)->support == NULL;
}

/* What a nearest feature asks of the normal: a face fixes it, an edge keeps it across. */
typedef enum Hold { HOLD_NOTHING, HOLD_EDGE, HOLD_FACE } Hold;

/* The feature's hold, and its direction in world axes: of the edge, or outward normal of the face. */
static Hold feature_hold(const RgMoved *moved, RgFeature feature, RgVec3 *direction)
{
    const RgShape *shape = moved->m->shape;
    const RgPolytope *core = shape->core;
    if (core == NULL) {
        *direction = m3_column(moved->turned.R, 2);
        return is_halfspace(shape) ? HOLD_FACE : HOLD_NOTHING;
    }
    if (feature.kind == RG_FEATURE_FACE && feature.index < core->nf) {
        *direction = m3_apply(moved->turned.R, core->normal[feature.index]);
        return HOLD_FACE;
    }
    if (feature.kind != RG_FEATURE_EDGE || feature.index >= core->ne)
        return HOLD_NOTHING;
    const int32_t *end = &core->edge[2 * feature.index];
    RgVec3 e = m3_apply(moved->turned.R, v3_sub(core->vertex[end[1]], core->vertex[end[0]]));
    double length = v3_norm(e);
    if (!(length > 0.0))
        return HOLD_NOTHING;
    *direction = v3_scale(1.0 / length, e);
    return HOLD_EDGE;
}

/* Plane across both edges; false where they are parallel. */
static bool edge_plane(const Look *look, RgVec3 e, RgVec3 f, RgTurningPlane *out)
{
    RgVec3 c = v3_cross(e, f);
    double sine = v3_norm(c), cosine = v3_dot(e, f);
    if (!(sine > PARALLEL))
        return false;
    RgVec3 n = v3_scale(copysign(1.0 / sine, v3_dot(c, look->n)), c);
    double along_e = -v3_dot(n, v3_cross(look->pair.a.m->sweep->V.w, e));
    double along_f = -v3_dot(n, v3_cross(look->pair.b.m->sweep->V.w, f));
    double x = (along_e - cosine * along_f) / (sine * sine), y = (along_f - cosine * along_e) / (sine * sine);
    RgVec3 rate = v3_axpy(x, e, v3_scale(y, f));
    *out = (RgTurningPlane){n, v3_cross(n, rate)};
    return true;
}

/* Plane with the query's normal that stays across one edge of a shape that turns with w. */
static RgTurningPlane vertex_plane(const Look *look, RgVec3 e, RgVec3 w)
{
    RgVec3 rate = v3_scale(-v3_dot(look->n, v3_cross(w, e)), e);
    return (RgTurningPlane){look->n, v3_cross(look->n, rate)};
}

/* The rate of the normal since the last look. */
static bool secant_plane(const Look *look, RgTurningPlane *out)
{
    double since = look->pair.t - look->t_before;
    if (look->before == 0 || !(since > 0.0))
        return false;
    *out = (RgTurningPlane){look->n, v3_scale(1.0 / since, v3_cross(look->n_before, look->n))};
    return true;
}

/* Planes worth trying, the likely best first. A half-space has one only. */
static int choose_planes(const Look *look, RgTurningPlane planes[MAX_PLANES])
{
    const RgMoved *a = &look->pair.a, *b = &look->pair.b;
    RgVec3 wa = a->m->sweep->V.w, wb = b->m->sweep->V.w, da = look->n, db = look->n;
    Hold hold_a = feature_hold(a, look->d.feature_a, &da), hold_b = feature_hold(b, look->d.feature_b, &db);
    bool round = a->m->shape->core == NULL || b->m->shape->core == NULL || look->before > MANY_LOOKS;
    int count = 0;
    if (is_halfspace(a->m->shape) || is_halfspace(b->m->shape)) {
        planes[0] = is_halfspace(a->m->shape) ? (RgTurningPlane){da, wa} : (RgTurningPlane){v3_neg(db), wb};
        return 1;
    }
    if (hold_a == HOLD_FACE)
        planes[count++] = (RgTurningPlane){v3_scale(copysign(1.0, v3_dot(da, look->n)), da), wa};
    if (hold_b == HOLD_FACE)
        planes[count++] = (RgTurningPlane){v3_scale(copysign(1.0, v3_dot(db, look->n)), db), wb};
    if (hold_a == HOLD_EDGE && hold_b == HOLD_EDGE && edge_plane(look, da, db, &planes[count]))
        count++;
    else if (hold_a == HOLD_EDGE && hold_b != HOLD_FACE)
        planes[count++] = vertex_plane(look, da, wa);
    else if (hold_b == HOLD_EDGE && hold_a != HOLD_FACE)
        planes[count++] = vertex_plane(look, db, wb);
    if (round && secant_plane(look, &planes[count]))
        count++;
    if (round || (hold_a == HOLD_EDGE && hold_b == HOLD_EDGE)) {
        planes[count++] = (RgTurningPlane){look->n, wa};
        planes[count++] = (RgTurningPlane){look->n, wb};
    }
    planes[count++] = (RgTurningPlane){look->n, v3_zero()};
    return count;
}

/* The longest step of all planes, and the best plane's gap. */
typedef struct Step {
    double length, gap, rate;
} Step;

static Step best_step(Look *look, double level, double window)
{
    RgTurningPlane planes[MAX_PLANES];
    int count = choose_planes(look, planes);
    Step best = {0.0, -(double)INFINITY, 0.0};
    for (int i = 0; i < count; i++) {
        RgPlaneGap now = rg_plane_gap(&look->pair, &planes[i]);
        if (now.gap > best.gap) {
            best.gap = now.gap;
            best.rate = now.rate;
        }
        best.length = fmax(best.length, rg_plane_step(&look->pair, &planes[i], now, level, window));
        double newton = best.rate < 0.0 ? (best.gap - level) / -best.rate : (double)INFINITY;
        if (best.length >= window || (best.gap > level && best.length >= ENOUGH * newton))
            break;
    }
    return best;
}

/* A time, as little as possible after look's, at which the distance is proven to be at most gap; infinite:
   none found. rate: that of the distance now. */
static double prove_contact(const RgMovingShape *a, const RgMovingShape *b, double gap, double rate, Look *look,
                            int32_t *iterations)
{
    double t = look->pair.t, over = look->d.distance + look->d.error + look->pair.round_off - gap;
    if (over <= 0.0)
        return t;
    RgVec3 w_a = a->sweep->V.w, w_b = b->sweep->V.w;
    double most = v3_norm(look->pair.rate) + v3_norm(w_a) * a->reach + v3_norm(w_b) * b->reach;
    double after = (over + 2.0 * look->pair.round_off) / (rate < 0.0 ? -rate : most);
    for (int i = 0; i < MAX_PROOFS && isfinite(t + after); i++) {
        double later = fmax(t + after, nextafter(t, (double)INFINITY));
        if (look_at(a, b, later, look) != RG_OK)
            break;
        ++*iterations;
        if (look->d.distance + look->d.error + look->pair.round_off <= gap)
            return later;
        after *= 4.0;
    }
    return (double)INFINITY;
}

RgStatus rg_impact_exact(const RgMovingShape *a, const RgMovingShape *b, const RgImpactWindow *window, RgImpact *out)
{
    double core_gap = window->gap + a->rounding + b->rounding, t = window->start;
    Look look = {.before = 0};
    *out = (RgImpact){.time = window->end, .latest = (double)INFINITY};
    while (out->iterations < window->max_iterations) {
        RgStatus status = look_at(a, b, t, &look);
        if (status != RG_OK)
            return status;
        out->iterations++;
        double round_off = look.pair.round_off, level = core_gap + round_off;
        Step step = best_step(&look, level, window->end - t);
        bool there = step.gap <= level + round_off;
        if (!there && step.length >= window->end - t)
            return RG_OK;
        if (there || t + step.length <= t) {
            out->hit = true;
            out->time = t;
            out->latest = prove_contact(a, b, window->gap, step.rate, &look, &out->iterations);
            return RG_OK;
        }
        look.before++;
        look.t_before = t;
        look.n_before = look.n;
        t += step.length;
    }
    out->hit = true;
    out->time = t;
    return RG_ERR_NOT_CONVERGED;
}
