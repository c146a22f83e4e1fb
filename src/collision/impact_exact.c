/*
 * impact_exact.c - the first time at which two moving convex shapes come within a gap of each other.
 *
 * At time t the distance query gives the nearest features and the normal between them. A plane with that normal that
 * rotates with the features has a gap g(s) that never exceeds the distance and differs from it only in second order of
 * s (impact_plane.c):
 *   face of A or B               it moves with its shape: W = w_A, or w_B
 *   edges e_A, e_B               n stays perpendicular to both: W = n x n', with
 *                                n'.e_A = -n.(w_A x e_A),  n'.e_B = -n.(w_B x e_B)
 *   edge and vertex              n stays perpendicular to the edge, and does not rotate about it
 *   vertices, curved shapes      n is constant: the distance is smooth in n, and n is optimal
 *   curved against edge or face  the rate of n between the last two queries
 * The step to the root of g, less its bound K s^2/2, is Newton's step on the distance: t converges quadratically to the
 * first time of impact and never exceeds it. Of several planes the one with the longest step is used. That no step
 * passes the root requires only a unit normal and a bound of K; the features and their rates make it fast.
 *
 * The search ends when the gap is within round-off of its level. Then a time at which the distance is proven to have
 * reached the gap is searched shortly after, the first step from the rate of the gap: `latest`. A grazing contact whose
 * distance never falls below the gap by more than round-off has none.
 *
 * Cost: 5 to 10 distance queries for most pairs; where shapes graze each other each query covers a fraction of the
 * remaining time, so that some 50 are needed.
 */
#include "collision/distance.h"
#include "collision/time_of_impact.h"

/* Sine of two edges below which their cross product is too inaccurate for the rate of the plane. */
#define PARALLEL_SINE 1e-6

/* Candidate planes of one evaluation: two faces or edges, a secant, three fixed rates. */
#define MAX_PLANES 6

/* Evaluations after which the features are assumed not to predict the rate of the normal: planes for curved shapes are
   then tried too. */
#define MAX_FEATURE_STEPS 10

/* A step of at least this fraction of Newton's step is accepted without trying another plane. */
#define GOOD_STEP_FRACTION 0.9

/* Tries for `latest`, each four times as far after the root as the one before. */
#define MAX_LATEST_TRIES 24

/* The pair at a time, and the normal of the evaluation before. */
typedef struct Evaluation {
    RgPairAtTime pair;
    RgDistance d;
    RgVec3 n;          /* world axes, from A to B */
    int before;        /* number of evaluations before this one; the last of them: */
    double t_before;   /* time, s */
    RgVec3 n_before;   /* normal */
    RgPairCache cache; /* of the distance query */
} Evaluation;

static RgStatus evaluate_distance(const RgSweptShape *a, const RgSweptShape *b, double t, Evaluation *eval)
{
    eval->pair = rg_pair_at_time(a, b, t);
    RgPose X_AB = rg_sweep_relative_pose(&eval->pair.a.turned, &eval->pair.b.turned, eval->pair.apart);
    RgConvexPair pair = {a->shape, b->shape, X_AB};
    RgStatus status = rg_convex_distance(&pair, &eval->cache, &eval->d);
    if (status != RG_OK && status != RG_ERR_NOT_CONVERGED)
        return status;
    eval->n = m3_apply(eval->pair.a.turned.R, eval->d.normal);
    return RG_OK;
}

/* Unbounded: only its own plane separates it from other shapes. */
static bool is_halfspace(const RgShape *shape)
{
    return rg_shape_kind(shape->type)->support == NULL;
}

/* Constraint of a nearest feature on the normal: a face fixes it, an edge keeps it perpendicular. */
typedef enum NormalConstraint { NORMAL_FREE, NORMAL_ACROSS_EDGE, NORMAL_OF_FACE } NormalConstraint;

/* The constraint of a feature, and its direction in world axes: along the edge, or the outward normal of the face. */
static NormalConstraint feature_constraint(const RgShapeAtTime *moved, RgFeature feature, RgVec3 *direction)
{
    const RgShape *shape = moved->m->shape;
    const RgPolytope *core = shape->core;
    if (core == NULL) {
        *direction = m3_column(moved->turned.R, 2);
        return is_halfspace(shape) ? NORMAL_OF_FACE : NORMAL_FREE;
    }
    if (feature.kind == RG_FEATURE_FACE && feature.index < core->nf) {
        *direction = m3_apply(moved->turned.R, core->normal[feature.index]);
        return NORMAL_OF_FACE;
    }
    if (feature.kind != RG_FEATURE_EDGE || feature.index >= core->ne)
        return NORMAL_FREE;
    const int32_t *end = &core->edge[2 * feature.index];
    RgVec3 e = m3_apply(moved->turned.R, v3_sub(core->vertex[end[1]], core->vertex[end[0]]));
    double length = v3_norm(e);
    if (!(length > 0.0))
        return NORMAL_FREE;
    *direction = v3_scale(1.0 / length, e);
    return NORMAL_ACROSS_EDGE;
}

/* Plane parallel to both edges. Returns false if the edges are parallel. */
static bool edge_plane(const Evaluation *eval, RgVec3 e, RgVec3 f, RgTurningPlane *out)
{
    RgVec3 c = v3_cross(e, f);
    double sine = v3_norm(c), cosine = v3_dot(e, f);
    if (!(sine > PARALLEL_SINE))
        return false;
    RgVec3 n = v3_scale(copysign(1.0 / sine, v3_dot(c, eval->n)), c);
    double along_e = -v3_dot(n, v3_cross(eval->pair.a.m->sweep->V.w, e));
    double along_f = -v3_dot(n, v3_cross(eval->pair.b.m->sweep->V.w, f));
    double x = (along_e - cosine * along_f) / (sine * sine), y = (along_f - cosine * along_e) / (sine * sine);
    RgVec3 rate = v3_axpy(x, e, v3_scale(y, f));
    *out = (RgTurningPlane){n, v3_cross(n, rate)};
    return true;
}

/* Plane with the query's normal that stays parallel to one edge of a shape that rotates with w. */
static RgTurningPlane vertex_plane(const Evaluation *eval, RgVec3 e, RgVec3 w)
{
    RgVec3 rate = v3_scale(-v3_dot(eval->n, v3_cross(w, e)), e);
    return (RgTurningPlane){eval->n, v3_cross(eval->n, rate)};
}

/* Plane with the rate of the normal since the last evaluation. */
static bool secant_plane(const Evaluation *eval, RgTurningPlane *out)
{
    double since = eval->pair.t - eval->t_before;
    if (eval->before == 0 || !(since > 0.0))
        return false;
    *out = (RgTurningPlane){eval->n, v3_scale(1.0 / since, v3_cross(eval->n_before, eval->n))};
    return true;
}

/* Candidate planes, the likely best first. A half-space has only one. */
static int choose_planes(const Evaluation *eval, RgTurningPlane planes[MAX_PLANES])
{
    const RgShapeAtTime *a = &eval->pair.a, *b = &eval->pair.b;
    RgVec3 wa = a->m->sweep->V.w, wb = b->m->sweep->V.w, da = eval->n, db = eval->n;
    NormalConstraint constraint_a = feature_constraint(a, eval->d.feature_a, &da),
                     constraint_b = feature_constraint(b, eval->d.feature_b, &db);
    bool round = a->m->shape->core == NULL || b->m->shape->core == NULL || eval->before > MAX_FEATURE_STEPS;
    int count = 0;
    if (is_halfspace(a->m->shape) || is_halfspace(b->m->shape)) {
        planes[0] = is_halfspace(a->m->shape) ? (RgTurningPlane){da, wa} : (RgTurningPlane){v3_neg(db), wb};
        return 1;
    }
    if (constraint_a == NORMAL_OF_FACE)
        planes[count++] = (RgTurningPlane){v3_scale(copysign(1.0, v3_dot(da, eval->n)), da), wa};
    if (constraint_b == NORMAL_OF_FACE)
        planes[count++] = (RgTurningPlane){v3_scale(copysign(1.0, v3_dot(db, eval->n)), db), wb};
    if (constraint_a == NORMAL_ACROSS_EDGE && constraint_b == NORMAL_ACROSS_EDGE &&
        edge_plane(eval, da, db, &planes[count]))
        count++;
    else if (constraint_a == NORMAL_ACROSS_EDGE && constraint_b != NORMAL_OF_FACE)
        planes[count++] = vertex_plane(eval, da, wa);
    else if (constraint_b == NORMAL_ACROSS_EDGE && constraint_a != NORMAL_OF_FACE)
        planes[count++] = vertex_plane(eval, db, wb);
    if (round && secant_plane(eval, &planes[count]))
        count++;
    if (round || (constraint_a == NORMAL_ACROSS_EDGE && constraint_b == NORMAL_ACROSS_EDGE)) {
        planes[count++] = (RgTurningPlane){eval->n, wa};
        planes[count++] = (RgTurningPlane){eval->n, wb};
    }
    planes[count++] = (RgTurningPlane){eval->n, v3_zero()};
    return count;
}

/* The longest step over all planes, and the gap and rate of the best plane. */
typedef struct Step {
    double length, gap, rate;
} Step;

static Step best_step(Evaluation *eval, double level, double window)
{
    RgTurningPlane planes[MAX_PLANES];
    int count = choose_planes(eval, planes);
    Step best = {0.0, -(double)INFINITY, 0.0};
    for (int i = 0; i < count; i++) {
        RgPlaneGap now = rg_plane_gap(&eval->pair, &planes[i]);
        if (now.gap > best.gap) {
            best.gap = now.gap;
            best.rate = now.rate;
        }
        best.length = fmax(best.length, rg_plane_step(&eval->pair, &planes[i], now, level, window));
        double newton = best.rate < 0.0 ? (best.gap - level) / -best.rate : (double)INFINITY;
        if (best.length >= window || (best.gap > level && best.length >= GOOD_STEP_FRACTION * newton))
            break;
    }
    return best;
}

/* Finds a time shortly after evaluation's at which the distance is proven to be at most gap; infinite: none found.
   rate: rate of the distance now. */
static double find_latest(const RgSweptShape *a, const RgSweptShape *b, double gap, double rate, Evaluation *eval,
                          int32_t *iterations)
{
    double t = eval->pair.t, over = eval->d.distance + eval->d.error + eval->pair.round_off - gap;
    if (over <= 0.0)
        return t;
    RgVec3 w_a = a->sweep->V.w, w_b = b->sweep->V.w;
    double most = v3_norm(eval->pair.rate) + v3_norm(w_a) * a->reach + v3_norm(w_b) * b->reach;
    double after = (over + 2.0 * eval->pair.round_off) / (rate < 0.0 ? -rate : most);
    for (int i = 0; i < MAX_LATEST_TRIES && isfinite(t + after); i++) {
        double later = fmax(t + after, nextafter(t, (double)INFINITY));
        if (evaluate_distance(a, b, later, eval) != RG_OK)
            break;
        ++*iterations;
        if (eval->d.distance + eval->d.error + eval->pair.round_off <= gap)
            return later;
        after *= 4.0;
    }
    return (double)INFINITY;
}

RgStatus rg_impact_exact(const RgSweptShape *a, const RgSweptShape *b, const RgImpactWindow *window, RgImpact *out)
{
    double core_gap = window->gap + a->rounding + b->rounding, t = window->start;
    Evaluation eval = {.before = 0};
    *out = (RgImpact){.time = window->end, .latest = (double)INFINITY};
    while (out->iterations < window->max_iterations) {
        RgStatus status = evaluate_distance(a, b, t, &eval);
        if (status != RG_OK)
            return status;
        out->iterations++;
        double round_off = eval.pair.round_off, level = core_gap + round_off;
        Step step = best_step(&eval, level, window->end - t);
        bool converged = step.gap <= level + round_off;
        if (!converged && step.length >= window->end - t)
            return RG_OK;
        if (converged || t + step.length <= t) {
            out->hit = true;
            out->time = t;
            out->latest = find_latest(a, b, window->gap, step.rate, &eval, &out->iterations);
            return RG_OK;
        }
        eval.before++;
        eval.t_before = t;
        eval.n_before = eval.n;
        t += step.length;
    }
    out->hit = true;
    out->time = t;
    return RG_ERR_NOT_CONVERGED;
}
