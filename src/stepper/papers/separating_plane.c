/*
 * separating_plane.c - a plane between two convex pieces that moves with one of them (001, section 3, with safe
 * bounds).
 *
 * The plane has normal m (unit, from its carrier to the other piece) and lies on the carrier's surface. It moves with
 * the carrier, which therefore stays behind it, and the two are apart as long as every corner y of the other is above
 * it:
 *
 *   phi(s) = m(s).(y(s) - o(s)) - radius
 *
 * Corners represent a whole convex piece: vertices of polytopes; centres of spheres and ends of capsules with their
 * radius; for an ellipsoid one ball that touches it at its lowest point, with its largest radius of curvature (it
 * contains the ellipsoid by Blaschke's theorem); for a lying or leaning cylinder two balls with centres on its axis,
 * each through one rim, for an upright one the corners of a circumscribed prism.
 *
 * Let D = y - c be the vector from the carrier's centre, which moves straight, and W the carrier's angular velocity.
 * Then
 *
 *   phi'  = m.(D' - W x D)
 *   phi'' = m.(D'' - 2 W x D' + W x (W x D)),   |m x W| and |W x .| of what turns about W constant:
 *   |phi''| <= K = |m.D''| + |m x W| (2 |D'| + |W| |D|)
 *
 * with |m.D''| <= (|w x m| + |w| s |W x m|) |w x rho| for a body that turns with w and moves straight, rho from its
 * centre to y, and the largest acceleration of any of its points for a link of a tree. So
 * phi(s) >= phi + phi' s - K s^2/2: the time to the floor is a root of this, and the bound is computed again from
 * there. Bodies at rest have phi' = 0 and K = 0, so their time is not limited.
 *
 * If both are links of a tree the plane lies halfway between them and moves straight with constant W, as its carrier
 * does at the start; corners of both pieces are bounded.
 *
 * Failure: none; a poor plane gives a short time. Both choices of carrier are tried, and the longer time counts.
 */
#include "stepper/papers/advancement.h"

#include "geom/polytope.h"
#include "math/trig.h"

/* Sides of the prism round a cylinder, and sine of the lean of its axis below which it counts as upright. */
#define SIDES 16
#define UPRIGHT_LEAN 0.05
/* Limit of bounds computed one after the other along one plane. */
#define MOST_BOUNDS 40
/* A corner counts as being at its floor when this part of its margin is left. */
#define NEAR_FLOOR 0.1
/* Relative reduction of computed times, for round-off. */
#define ROUND_OFF 1e-12

/* Corners of a piece, in the geometry's frame. */
typedef struct Corners {
    const RgVec3 *points;
    int count;
    double radius;
    bool inside; /* all points lie in the piece's bounding ball */
    RgVec3 own[2 * SIDES];
} Corners;

/* A plane at the time `since`, with the motion of its carrier. */
typedef struct Plane {
    RgVec3 m, o;   /* normal; a point on it; world axes */
    RgVec3 centre; /* of the carrier */
    RgMotion V;    /* of the carrier */
    double since;  /* s */
} Plane;

/* The corners of one piece, on one side of a plane. */
typedef struct SideCorners {
    RgUniformMotion *motion;
    const RgMovingPiece *piece;
    double gap; /* m */
    Plane plane;
    double side;   /* 1: above the plane; -1: below it */
    double margin; /* m: subtracted from every height: error of the distance */
    RgPieceAt at0; /* the piece at plane.since */
    Corners corners;
} SideCorners;

/* ------------------------------------------------------------------ corners */

/* Two balls through the lowest points of the rims along -m, or the corners of a prism. */
static void cylinder_corners(const RgShape *shape, RgVec3 m, Corners *out)
{
    double r = shape->size[0], half = 0.5 * shape->size[1], lean = sqrt(m.x * m.x + m.y * m.y);
    if (lean >= UPRIGHT_LEAN) {
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

/* Corners for a plane with normal m (in the geometry's frame). count 0: the geometry has none. */
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

bool rg_separating_plane_supports(const RgMovingPiece pieces[2])
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

/* m: height of a corner y over the plane, without radius and error. */
static double height(const SideCorners *w, const Plane *plane, RgVec3 y)
{
    return w->side * v3_dot(plane->m, v3_sub(y, plane->o)) - w->corners.radius - w->margin;
}

/* m: floor of a corner with this height at the start. */
static double floor_of(double gap, double start)
{
    double level = 0.5 * gap;
    if (start > gap)
        return level;
    return start < 0.25 * level ? start - 0.5 * level : 0.5 * fmin(start, level);
}

/* Whether a corner is nearly at its floor, or has come within the gap. */
static bool has_reached_floor(double gap, double start, double floor, double now)
{
    return start > gap ? now <= gap : now <= floor + NEAR_FLOOR * (start - floor);
}

/* ------------------------------------------------------------------ bounds */

/* Common terms of the bounds of all corners of a side from s to s + span. */
typedef struct Pass {
    Plane plane;
    RgPieceAt at;
    double span;
    double tilt;         /* |m x W| */
    double across;       /* |w x m| + |w| span |W x m|, for a piece that moves straight */
    double acceleration; /* m/s^2: for a link of a tree */
} Pass;

static Pass init_pass(const SideCorners *w, double s, double span)
{
    Pass p = {.plane = plane_at(&w->plane, s), .at = rg_uniform_at(w->motion, w->piece, s), .span = span};
    p.tilt = v3_norm(v3_cross(p.plane.m, p.plane.V.w));
    if (rg_uniform_straight(w->motion, w->piece))
        p.across = v3_norm(v3_cross(p.at.V.w, p.plane.m)) + v3_norm(p.at.V.w) * span * p.tilt;
    else if (w->corners.inside)
        p.acceleration = rg_uniform_acceleration(w->motion, &w->piece->ball, s, span);
    return p;
}

/* m/s^2: bound of |m.D''| of a corner. */
static double corner_acceleration(const SideCorners *w, const Pass *p, int i, RgVec3 turn, double s)
{
    if (rg_uniform_straight(w->motion, w->piece))
        return p->across * v3_norm(turn);
    if (w->corners.inside)
        return p->acceleration;
    const RgShapeDef *def = &w->motion->scope->model->shapes[w->piece->shape].def;
    RgLinkBall point = {def->link, pose_apply(def->X_LS, w->corners.points[i]), 0.0};
    return rg_uniform_acceleration(w->motion, &point, s, p->span);
}

/* s: time in which height + rate t - K t^2/2 falls by room. */
static double time_to_fall(double room, double rate, double K)
{
    if (!(room > 0.0))
        return 0.0;
    double root = sqrt(rate * rate + 2.0 * K * room);
    if (rate < 0.0)
        return 2.0 * room / (root - rate);
    return K > 0.0 ? (rate + root) / K : (double)INFINITY;
}

/* s: time for which a corner stays above its floor; -1: it has come within the gap. Lowers *least to the bound of its
   height until then. */
static double time_of_corner(const SideCorners *w, const Pass *p, int i, double s, double *least)
{
    RgVec3 y = pose_apply(p->at.X_WS, w->corners.points[i]);
    RgVec3 turn = v3_cross(p->at.V.w, v3_sub(y, p->at.origin)), velocity = v3_add(p->at.V.v, turn);
    RgVec3 D = v3_sub(y, p->plane.centre), against = v3_sub(velocity, p->plane.V.v);
    double start = height(w, &w->plane, pose_apply(w->at0.X_WS, w->corners.points[i]));
    double floor = floor_of(w->gap, start), now = height(w, &p->plane, y);
    if (s > w->plane.since && has_reached_floor(w->gap, start, floor, now))
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

/* s: shortest time of all corners of a side; -1: one has come within the gap. */
static double time_of_side(const SideCorners *w, double s, double span, double *least)
{
    Pass p = init_pass(w, s, span);
    double time = span;
    for (int i = 0; i < w->corners.count && time > 0.0; i++)
        time = fmin(time, time_of_corner(w, &p, i, s, least));
    return time;
}

/* ------------------------------------------------------------------ one plane */

/* s: shortest time of all sides. */
static double time_of_all(const SideCorners *watches, int count, double s, double span, double *least)
{
    double time = span;
    *least = INFINITY;
    for (int i = 0; i < count && time > 0.0; i++)
        time = fmin(time, time_of_side(&watches[i], s, span, least));
    return time;
}

/* Follows a plane: at the end of each bound a new one is computed. */
static RgPlaneProof follow(const SideCorners *watches, int count, double s, double horizon)
{
    RgPlaneProof proof = {.until = s, .least = INFINITY};
    for (int k = 0; k < MOST_BOUNDS && proof.until < horizon; k++) {
        double span = horizon - proof.until, least;
        double time = time_of_all(watches, count, proof.until, span, &least);

        /* A bound over a shorter span is sharper. */
        if (time > 0.0 && time < 0.5 * span)
            time = time_of_all(watches, count, proof.until, fmin(span, 2.0 * time), &least);
        proof.arrived = time < 0.0;
        if (!(time > 0.0))
            break;
        proof.least = fmin(proof.least, least);
        proof.until = time >= span * (1.0 - 2.0 * ROUND_OFF) ? horizon : proof.until + time;
    }
    return proof;
}

/* Arguments of the proof. */
typedef struct ProofArguments {
    RgUniformMotion *motion;
    const RgMovingPiece *pieces; /* two */
    const RgDistance *near;
    double s, horizon, gap;
} ProofArguments;

/* The corners of a piece on one side of a plane. */
static void init_side(const ProofArguments *q, int piece, const Plane *plane, double side, SideCorners *out)
{
    out->motion = q->motion;
    out->piece = &q->pieces[piece];
    out->plane = *plane;
    out->side = side;
    out->margin = q->near->error;
    out->at0 = rg_uniform_at(q->motion, out->piece, plane->since);
    find_corners(out->piece->geometry, m3_apply_t(out->at0.X_WS.R, v3_scale(side, plane->m)), &out->corners);
}

/* Proof by a plane carried by one of the two. */
static RgPlaneProof prove_carried_by(const ProofArguments *q, int carrier)
{
    const RgMovingPiece *own = &q->pieces[carrier];
    const RgDistance *near = q->near;
    RgPieceAt at = rg_uniform_at(q->motion, own, q->s);
    Plane plane = {.m = carrier == 0 ? near->normal : v3_neg(near->normal),
                   .o = carrier == 0 ? near->point_a : near->point_b,
                   .centre = at.origin,
                   .V = at.V,
                   .since = q->s};
    SideCorners watches[2] = {{.gap = q->gap}, {.gap = 0.5 * q->gap}};
    if (rg_uniform_straight(q->motion, own)) {
        init_side(q, 1 - carrier, &plane, 1.0, &watches[0]);
        return follow(watches, 1, q->s, q->horizon);
    }

    /* The carrier does not move straight: a plane halfway between the two, with its own constant motion. */
    plane.o = v3_scale(0.5, v3_add(near->point_a, near->point_b));
    plane.centre = plane.o;
    plane.V = mv_shift(at.V, v3_sub(plane.o, at.origin));
    watches[0].gap = 0.5 * q->gap;
    init_side(q, 1 - carrier, &plane, 1.0, &watches[0]);
    init_side(q, carrier, &plane, -1.0, &watches[1]);
    RgPlaneProof proof = follow(watches, 2, q->s, q->horizon);
    proof.least *= 2.0;
    return proof;
}

RgPlaneProof rg_separating_plane_prove(RgUniformMotion *motion, const RgMovingPiece pieces[2], const RgDistance *near,
                                       double s, double horizon, double gap)
{
    ProofArguments arguments = {motion, pieces, near, s, horizon, gap};
    RgPlaneProof best = {.until = s, .least = near->distance - near->error};
    bool straight[2] = {rg_uniform_straight(motion, &pieces[0]), rg_uniform_straight(motion, &pieces[1])};
    for (int carrier = 0; carrier < 2 && best.until < horizon; carrier++) {
        bool usable = has_corners(pieces[1 - carrier].geometry) &&
                      (straight[carrier] || (has_corners(pieces[carrier].geometry) && !straight[1 - carrier]));
        RgPlaneProof proof = usable ? prove_carried_by(&arguments, carrier) : best;
        if (proof.until > best.until)
            best = proof;
    }
    return best;
}
