/*
 * separating_plane.c - a plane between two convex pieces that moves with one of them (001, section 3, made safe).
 *
 * The plane has normal m (unit, from its carrier to the other piece) and lies on the carrier's surface. It moves with
 * the carrier, so the carrier stays behind it, and the two are apart as long as every corner y of the other is above
 * it:
 *
 *   phi(s) = m(s).(y(s) - o(s)) - radius
 *
 * Corners stand for all of a convex piece: vertices of polytopes; centres of spheres and ends of capsules with their
 * radius; of an ellipsoid one ball that touches it from outside where it is lowest, with its largest radius of
 * curvature (Blaschke: it holds the ellipsoid); of a cylinder two balls on its axis, each through one rim, where it
 * lies or leans, else the corners of a prism round it.
 *
 * Let D = y - c be the way from the carrier's centre, which goes straight, and W the carrier's turning velocity. Then
 *
 *   phi'  = m.(D' - W x D)
 *   phi'' = m.(D'' - 2 W x D' + W x (W x D)),   |m x W| and |W x .| of what turns about W constant:
 *   |phi''| <= K = |m.D''| + |m x W| (2 |D'| + |W| |D|)
 *
 * with |m.D''| <= (|w x m| + |w| s |W x m|) |w x rho| for a body that turns with w and goes straight, rho from its
 * centre to y, and the largest acceleration of any of its points for a link of a tree. So phi(s) >= phi + phi' s - K
 * s^2/2: the time to the floor is a root of that, and from there the bound is taken again. What rests has phi' = 0 and
 * K = 0: no bound at all.
 *
 * Where both are links of a tree the plane stands halfway between them and moves as the first of them does now,
 * straight and with constant W; corners of both are watched.
 *
 * Failure: none; a plane that does not last gives a short time. The two choices of carrier are tried, and the longer
 * time is taken.
 */
#include "stepper/papers/advancement.h"

#include "geom/polytope.h"
#include "math/trig.h"

/* Corners of the prism round a cylinder, and how far its axis may lean (sine) while it counts as standing. */
#define SIDES 16
#define STANDING 0.05
/* Times a bound is taken again along one plane. */
#define MOST_BOUNDS 40
/* Part of what may be lost that need not be lost to the last bit. */
#define NEAR_FLOOR 0.1
/* Part by which times are made shorter than computed. */
#define ROUND_OFF 1e-12

/* Corners of a piece, in the geometry's frame. */
typedef struct Corners {
    const RgVec3 *points;
    int count;
    double radius;
    bool inside; /* of the piece's ball */
    RgVec3 own[2 * SIDES];
} Corners;

/* The plane at the time it was laid, and what carries it. */
typedef struct Plane {
    RgVec3 m, o;
    RgVec3 centre;
    RgMotion V;
    double since;
} Plane;

/* One side's corners while they are watched. */
typedef struct Watch {
    RgUniformMotion *motion;
    const RgMovingPiece *piece;
    double gap; /* m */
    Plane plane;
    double side;   /* 1: above the plane; -1: below it */
    double taken;  /* m: taken off every height: error of the distance */
    RgPieceAt at0; /* when the plane was laid */
    Corners corners;
} Watch;

/* ------------------------------------------------------------------ corners */

/* Two balls round the rims that are lowest along -m, or the corners of a prism. */
static void cylinder_corners(const RgShape *shape, RgVec3 m, Corners *out)
{
    double r = shape->size[0], half = 0.5 * shape->size[1], lean = sqrt(m.x * m.x + m.y * m.y);
    if (lean >= STANDING) {
        double R = r / lean;
        out->own[0] = v3(0.0, 0.0, R * m.z - half);
        out->own[1] = v3(0.0, 0.0, R * m.z + half);
        out->count = 2;
        out->radius = R;
        return;
    }
    for (int k = 0; k < SIDES; k++) {
        double s, c, wide = r / 0.98078528040323044913; /* cos(pi / 16) */
        rg_sincos_small(2.0 * RG_PI * k / SIDES, &s, &c);
        out->own[2 * k] = v3(wide * c, wide * s, -half);
        out->own[2 * k + 1] = v3(wide * c, wide * s, half);
    }
    out->count = 2 * SIDES;
    out->radius = 0.0;
}

static void ellipsoid_corner(const RgShape *shape, RgVec3 m, Corners *out)
{
    const double *a = shape->size;
    RgVec3 am = v3(a[0] * m.x, a[1] * m.y, a[2] * m.z);
    double length = v3_norm(am), most = fmax(a[0], fmax(a[1], a[2])), least = fmin(a[0], fmin(a[1], a[2]));
    RgVec3 lowest = v3_scale(-1.0 / length, v3(a[0] * am.x, a[1] * am.y, a[2] * am.z));
    out->radius = most * most / least;
    out->own[0] = v3_axpy(out->radius, m, lowest);
    out->count = 1;
}

/* m: in the geometry's frame. count 0: it has none. */
static void find_corners(const RgGeometry *geometry, RgVec3 m, Corners *out)
{
    const RgShape *shape = &geometry->parts[0];
    out->points = out->own;
    out->count = 0;
    out->radius = 0.0;
    out->inside = false;
    if (shape->core != NULL) {
        out->points = shape->core->vertex;
        out->count = shape->core->nv;
        out->radius = rg_shape_rounding(shape);
        out->inside = true;
    } else if (shape->type == RG_SHAPE_cylinder && shape->size[0] > 0.0) {
        cylinder_corners(shape, m, out);
    } else if (shape->type == RG_SHAPE_ellipsoid && fmin(shape->size[0], fmin(shape->size[1], shape->size[2])) > 0.0) {
        ellipsoid_corner(shape, m, out);
    }
}

static bool has_corners(const RgGeometry *geometry)
{
    if (geometry->nparts != 1 || geometry->surface != NULL)
        return false;
    const RgShape *shape = &geometry->parts[0];
    return shape->core != NULL || shape->type == RG_SHAPE_cylinder || shape->type == RG_SHAPE_ellipsoid;
}

static bool is_half_space(const RgGeometry *geometry)
{
    return geometry->nparts == 1 && geometry->type == RG_SHAPE_halfspace;
}

bool rg_separating_plane_takes(const RgMovingPiece pieces[2])
{
    const RgGeometry *a = pieces[0].geometry, *b = pieces[1].geometry;
    bool A = has_corners(a), B = has_corners(b);
    return (A && B) || (A && is_half_space(b)) || (B && is_half_space(a));
}

/* ------------------------------------------------------------------ heights */

/* The plane at time s. */
static Plane plane_at(const Plane *plane, double s)
{
    double t = s - plane->since;
    RgMat3 E = q_matrix(q_exp(v3_scale(t, plane->V.w)));
    Plane now = *plane;
    now.m = m3_apply(E, plane->m);
    now.centre = v3_axpy(t, plane->V.v, plane->centre);
    now.o = v3_add(now.centre, m3_apply(E, v3_sub(plane->o, plane->centre)));
    return now;
}

static double height(const Watch *w, const Plane *plane, RgVec3 y)
{
    return w->side * v3_dot(plane->m, v3_sub(y, plane->o)) - w->corners.radius - w->taken;
}

/* What a corner of this height at the start must keep. */
static double floor_of(double gap, double start)
{
    double level = 0.5 * gap;
    if (start > gap)
        return level;
    return start < 0.25 * level ? start - 0.5 * level : 0.5 * fmin(start, level);
}

/* Whether it has as good as lost what it may lose, or has come into the gap. */
static bool is_down(double gap, double start, double floor, double now)
{
    return start > gap ? now <= gap : now <= floor + NEAR_FLOOR * (start - floor);
}

/* ------------------------------------------------------------------ bounds */

/* What the bound of all corners of a side has in common from s to s + span. */
typedef struct Pass {
    Plane plane;
    RgPieceAt at;
    double span;
    double tilt;         /* |m x W| */
    double across;       /* |w x m|, of a side that goes straight */
    double acceleration; /* of a link of a tree */
} Pass;

static Pass begin_pass(const Watch *w, double s, double span)
{
    Pass p = {.plane = plane_at(&w->plane, s), .at = rg_uniform_at(w->motion, w->piece, s), .span = span};
    p.tilt = v3_norm(v3_cross(p.plane.m, p.plane.V.w));
    if (rg_uniform_straight(w->motion, w->piece))
        p.across = v3_norm(v3_cross(p.at.V.w, p.plane.m)) + v3_norm(p.at.V.w) * span * p.tilt;
    else if (w->corners.inside)
        p.acceleration = rg_uniform_acceleration(w->motion, &w->piece->ball, s, span);
    return p;
}

/* Largest |m.D''| of a corner. */
static double corner_acceleration(const Watch *w, const Pass *p, int i, RgVec3 turn, double s)
{
    if (rg_uniform_straight(w->motion, w->piece))
        return p->across * v3_norm(turn);
    if (w->corners.inside)
        return p->acceleration;
    const RgShapeDef *def = &w->motion->scope->model->shapes[w->piece->shape].def;
    RgLinkBall point = {def->link, pose_apply(def->X_LS, w->corners.points[i]), 0.0};
    return rg_uniform_acceleration(w->motion, &point, s, p->span);
}

/* Time in which height + rate t - K t^2/2 falls by room. */
static double time_to_fall(double room, double rate, double K)
{
    if (!(room > 0.0))
        return 0.0;
    double root = sqrt(rate * rate + 2.0 * K * room);
    if (rate < 0.0)
        return 2.0 * room / (root - rate);
    return K > 0.0 ? (rate + root) / K : (double)INFINITY;
}

/* The corner's bound: time until it may be at its floor. Lowers *least to what it may come down to within the span. */
static double corner_time(const Watch *w, const Pass *p, int i, double s, double *least)
{
    RgVec3 y = pose_apply(p->at.X_WS, w->corners.points[i]);
    RgVec3 turn = v3_cross(p->at.V.w, v3_sub(y, p->at.origin)), velocity = v3_add(p->at.V.v, turn);
    RgVec3 D = v3_sub(y, p->plane.centre), against = v3_sub(velocity, p->plane.V.v);
    double start = height(w, &w->plane, pose_apply(w->at0.X_WS, w->corners.points[i]));
    double floor = floor_of(w->gap, start), now = height(w, &p->plane, y);
    if (s > w->plane.since && is_down(w->gap, start, floor, now))
        return start > w->gap ? -1.0 : 0.0;

    double acceleration = corner_acceleration(w, p, i, turn, s);
    double fastest =
        v3_norm(against) + (rg_uniform_straight(w->motion, w->piece) ? 2.0 * v3_norm(turn) : p->span * acceleration);
    double K = acceleration + p->tilt * (2.0 * fastest + v3_norm(p->plane.V.w) * (v3_norm(D) + p->span * fastest));
    double rate = w->side * v3_dot(p->plane.m, v3_sub(against, v3_cross(p->plane.V.w, D)));
    double time = fmin(p->span, time_to_fall(now - floor, rate, K)) * (1.0 - ROUND_OFF);
    *least = fmin(*least, fmin(now, now + rate * time - 0.5 * K * time * time));
    return time;
}

/* All corners of a side: the shortest time; -1: one has come into the gap. */
static double side_time(const Watch *w, double s, double span, double *least)
{
    Pass p = begin_pass(w, s, span);
    double time = span;
    for (int i = 0; i < w->corners.count && time > 0.0; i++)
        time = fmin(time, corner_time(w, &p, i, s, least));
    return time;
}

/* ------------------------------------------------------------------ one plane */

/* All sides: the shortest time. */
static double all_time(const Watch *watches, int count, double s, double span, double *least)
{
    double time = span;
    *least = INFINITY;
    for (int i = 0; i < count && time > 0.0; i++)
        time = fmin(time, side_time(&watches[i], s, span, least));
    return time;
}

/* Along the plane, with the bound taken again wherever it ends. */
static RgPlaneProof follow(const Watch *watches, int count, double s, double horizon)
{
    RgPlaneProof proof = {.until = s, .least = INFINITY};
    for (int k = 0; k < MOST_BOUNDS && proof.until < horizon; k++) {
        double span = horizon - proof.until, least;
        double time = all_time(watches, count, proof.until, span, &least);

        /* A bound over a shorter span is sharper. */
        if (time > 0.0 && time < 0.5 * span)
            time = all_time(watches, count, proof.until, fmin(span, 2.0 * time), &least);
        proof.arrived = time < 0.0;
        if (!(time > 0.0))
            break;
        proof.least = fmin(proof.least, least);
        proof.until = time >= span * (1.0 - 2.0 * ROUND_OFF) ? horizon : proof.until + time;
    }
    return proof;
}

/* What is to be proven. */
typedef struct Question {
    RgUniformMotion *motion;
    const RgMovingPiece *pieces; /* two */
    const RgDistance *near;
    double s, horizon, gap;
} Question;

/* Watches the corners of a piece on one side of a plane. */
static void watch(const Question *q, int piece, const Plane *plane, double side, Watch *out)
{
    out->motion = q->motion;
    out->piece = &q->pieces[piece];
    out->plane = *plane;
    out->side = side;
    out->taken = q->near->error;
    out->at0 = rg_uniform_at(q->motion, out->piece, plane->since);
    find_corners(out->piece->geometry, m3_apply_t(out->at0.X_WS.R, v3_scale(side, plane->m)), &out->corners);
}

/* The plane carried by one of the two. */
static RgPlaneProof carried_by(const Question *q, int carrier)
{
    const RgMovingPiece *own = &q->pieces[carrier];
    const RgDistance *near = q->near;
    RgPieceAt at = rg_uniform_at(q->motion, own, q->s);
    Plane plane = {.m = carrier == 0 ? near->normal : v3_neg(near->normal),
                   .o = carrier == 0 ? near->point_a : near->point_b,
                   .centre = at.origin,
                   .V = at.V,
                   .since = q->s};
    Watch watches[2] = {{.gap = q->gap}, {.gap = 0.5 * q->gap}};
    if (rg_uniform_straight(q->motion, own)) {
        watch(q, 1 - carrier, &plane, 1.0, &watches[0]);
        return follow(watches, 1, q->s, q->horizon);
    }

    /* A carrier that does not go straight: halfway between, from now on by itself. */
    plane.o = v3_scale(0.5, v3_add(near->point_a, near->point_b));
    plane.centre = plane.o;
    plane.V = mv_shift(at.V, v3_sub(plane.o, at.origin));
    watches[0].gap = 0.5 * q->gap;
    watch(q, 1 - carrier, &plane, 1.0, &watches[0]);
    watch(q, carrier, &plane, -1.0, &watches[1]);
    RgPlaneProof proof = follow(watches, 2, q->s, q->horizon);
    proof.least *= 2.0;
    return proof;
}

RgPlaneProof rg_separating_plane_prove(RgUniformMotion *motion, const RgMovingPiece pieces[2], const RgDistance *near,
                                       double s, double horizon, double gap)
{
    Question question = {motion, pieces, near, s, horizon, gap};
    RgPlaneProof best = {.until = s, .least = near->distance - near->error};
    bool straight[2] = {rg_uniform_straight(motion, &pieces[0]), rg_uniform_straight(motion, &pieces[1])};
    for (int carrier = 0; carrier < 2 && best.until < horizon; carrier++) {
        bool usable = has_corners(pieces[1 - carrier].geometry) &&
                      (straight[carrier] || (has_corners(pieces[carrier].geometry) && !straight[1 - carrier]));
        RgPlaneProof proof = usable ? carried_by(&question, carrier) : best;
        if (proof.until > best.until)
            best = proof;
    }
    return best;
}
