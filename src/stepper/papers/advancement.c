/*
 * advancement.c - conservative advancement of all pairs of shapes, and of joints towards their limits (Mirtich 1996;
 * Zapolsky, Drumwright 2015, eqs. 3-5; Drumwright 2016, eqs. 4, 11-14).
 *
 * Two shapes whose distance is d, n from the nearest point of one to that of the other, cannot meet before
 *
 *   r = (d - level) / (n.(v_A - v_B) + |n x w_A| r_A + |n x w_B| r_B)
 *
 * (links of trees: while the sum of their travel along n is below d - level). At that time the distance is computed
 * again, until it is within the gap: the two touch. Round-off and the error of a distance are on the safe side. Since
 * velocities are constant every pair is followed independently, up to the earliest contact found so far.
 *
 * For near shapes this bound is poor if a body turns; a plane between the two (separating_plane.c) lasts longer, and
 * the longer of the two times counts. Pairs that touch at the start have only the plane: their contact points do not
 * approach, so it lasts until second-order effects end it.
 *
 *   proven      no pair that was apart at the start comes nearer than level = gap/2 before `time`; a pair that touched
 *               keeps at least a quarter of the gap, if it had half of it
 *   not proven  pairs with a triangle surface while they touch: the step ends after a displacement of a quarter of the
 *               smaller shape's radius; joint limits in maximal coordinates, where the rate of a joint changes: first
 *               order
 *
 * Cost: a broad phase over the reachable region, a distance for every pair in it, about ten more for each pair that
 * meets.
 */
#include "stepper/papers/advancement.h"

/* Limit of distance computations per pair. */
#define MOST_DISTANCES 400
/* Secant iterations for the time at which links of trees have used up their travel. */
#define SECANTS 4
/* Relative reduction of computed times, for round-off. */
#define ROUND_OFF 1e-12
/* Part of its radius that a shape in contact with a triangle surface may move in a step. */
#define SURFACE_PART 0.25
/* rad: largest rotation of bodies on joints in a step. */
#define MOST_TURN 0.5
/* m: upper bound of the margin of the broad phase, beyond which it finds all pairs. */
#define EVERYWHERE 1e60

typedef struct Search {
    RgAdvancement *advancement;
    const RgAdvanceAsk *ask;
    double gap, level;
    double horizon; /* s: no pair followed so far meets before */
    RgAdvance *out;
} Search;

bool rg_advancement_alloc(RgArena *arena, RgStepScope *scope, RgAdvancement *out)
{
    out->reach = RG_ARENA_ALLOC(arena, double, scope->model->nshapes);
    return rg_uniform_alloc(arena, scope, &out->motion) && !arena->failed;
}

/* ------------------------------------------------------------------ two pieces */

/* Stores the time at which a pair limits the motion, if it is the earliest so far. */
static void limit_horizon(Search *q, const RgMovingPiece *pieces, double time, RgCut cut)
{
    if (!(time < q->horizon))
        return;
    q->horizon = time;
    q->out->cut = cut;
    q->out->shape_a = pieces[0].shape;
    q->out->shape_b = pieces[1].shape;
}

/* Stores the least distance of a pair, if it is the least so far. */
static void lower_least(Search *q, const RgMovingPiece *pieces, double least)
{
    if (!(least < q->out->least))
        return;
    q->out->least = least;
    if (q->out->cut == RG_CUT_whole) {
        q->out->shape_a = pieces[0].shape;
        q->out->shape_b = pieces[1].shape;
    }
}

/* m: bound of the approach of the two along n from s to s + span. */
static double travel(Search *q, const RgMovingPiece *pieces, RgVec3 n, double s, double span)
{
    RgUniformMotion *motion = &q->advancement->motion;
    return rg_uniform_travel(motion, &pieces[0], n, s, span) + rg_uniform_travel(motion, &pieces[1], n, s, span);
}

/* s: time from window[0] on, at most window[1], in which the two cannot come nearer by room (m) along n. */
static double time_apart(Search *q, const RgMovingPiece *pieces, RgVec3 n, double room, const double window[2])
{
    RgUniformMotion *motion = &q->advancement->motion;
    double s = window[0], span = window[1];
    if (rg_uniform_straight(motion, &pieces[0]) && rg_uniform_straight(motion, &pieces[1])) {
        double speed = rg_uniform_approach(motion, &pieces[0], &pieces[1], n, q->ask->absolute);
        return speed * span <= room ? span : fmin(span, room / speed) * (1.0 - ROUND_OFF);
    }

    /* Travel is a convex function of time: at the time where a chord meets room it is below. */
    double far = span, came = travel(q, pieces, n, s, far), near = 0.0, went = 0.0;
    if (came <= room)
        return span;
    for (int k = 0; k < SECANTS && isfinite(came); k++) {
        double next = near + (room - went) / (came - went) * (far - near) * (1.0 - ROUND_OFF);
        double there = next > near ? travel(q, pieces, n, s, next) : INFINITY;
        if (!(there <= room))
            break;
        near = next;
        went = there;
    }
    return near;
}

static RgStatus distance_at(Search *q, const RgMovingPiece *pieces, double s, RgPairCache *cache, RgDistance *out)
{
    RgUniformMotion *motion = &q->advancement->motion;
    RgPlaced a = {pieces[0].geometry, rg_uniform_at(motion, &pieces[0], s).X_WS};
    RgPlaced b = {pieces[1].geometry, rg_uniform_at(motion, &pieces[1], s).X_WS};
    RgStatus status = rg_distance(&a, &b, cache, out);
    return status == RG_ERR_NOT_CONVERGED ? RG_OK : status;
}

/* s: time after s for which two pieces that are apart are proven to stay apart. */
static double time_proven_apart(Search *q, const RgMovingPiece *pieces, const RgDistance *near, double s)
{
    double room = near->distance - near->error - q->level, window[2] = {s, q->horizon - s};
    double time = time_apart(q, pieces, near->normal, room, window);
    if (time < window[1] && rg_separating_plane_supports(pieces) && q->ask->error == NULL && !q->ask->plain) {
        RgPlaneProof proof = rg_separating_plane_prove(&q->advancement->motion, pieces, near, s, q->horizon, q->gap);
        if (proof.until - s > time) {
            lower_least(q, pieces, proof.least);
            return proof.until - s;
        }
    }
    lower_least(q, pieces,
                time < window[1]
                    ? q->level
                    : fmax(q->level, near->distance - near->error - travel(q, pieces, near->normal, s, time)));
    return time;
}

/* Two pieces that touch at the start. Returns the time up to which they are followed: the end of the plane's proof, or
   the horizon for pairs with a surface. */
static double follow_touching(Search *q, const RgMovingPiece *pieces, const RgDistance *near)
{
    RgUniformMotion *motion = &q->advancement->motion;
    if (rg_separating_plane_supports(pieces)) {
        RgPlaneProof proof = rg_separating_plane_prove(motion, pieces, near, 0.0, q->horizon, q->gap);
        lower_least(q, pieces, proof.least);
        if (proof.arrived)
            limit_horizon(q, pieces, proof.until, RG_CUT_manifold);
        if (q->ask->rule != NULL) {
            RgCut cut = RG_CUT_manifold;
            double time = q->ask->rule(motion, pieces, near, q->horizon, &cut);
            limit_horizon(q, pieces, time, cut);
        }
        return proof.until;
    }
    double size = INFINITY, came = 0.0;
    for (int i = 0; i < 2; i++) {
        if (pieces[i].geometry->surface == NULL && pieces[i].ball.radius > 0.0)
            size = fmin(size, pieces[i].ball.radius);
        came += rg_uniform_reach(motion, &pieces[i], q->horizon);
    }
    lower_least(q, pieces, near->distance - near->error);
    if (came <= SURFACE_PART * size)
        return q->horizon;
    limit_horizon(q, pieces, q->horizon * (SURFACE_PART * size / came), RG_CUT_manifold);
    return q->horizon;
}

/* Follows two convex pieces, or two whole shapes, to the horizon or to the time at which they touch. */
static RgStatus follow(Search *q, const RgMovingPiece *pieces)
{
    RgPairCache cache = {0};
    RgDistance near;
    double s = 0.0;
    RgStatus status = distance_at(q, pieces, s, &cache, &near);
    if (status == RG_OK && near.distance <= q->ask->beyond)
        return RG_OK;
    if (status == RG_OK && near.distance - near.error <= q->gap) {
        s = follow_touching(q, pieces, &near);
        if (!(s < q->horizon))
            return RG_OK;

        /* The heights have reached their floors, or the plane no longer separates the two. If they are not apart by
           more than the gap, this ends the step. */
        status = s > 0.0 ? distance_at(q, pieces, s, &cache, &near) : status;
        if (status == RG_OK && !(near.distance - near.error > q->gap)) {
            limit_horizon(q, pieces, s, RG_CUT_height);
            return RG_OK;
        }
    }
    for (int k = 0; k < MOST_DISTANCES && status == RG_OK; k++) {
        double time = time_proven_apart(q, pieces, &near, s);
        if (s + time >= q->horizon)
            return RG_OK;
        s += time;
        if (q->ask->once)
            break;
        status = distance_at(q, pieces, s, &cache, &near);
        if (status != RG_OK || near.distance - near.error <= q->gap)
            break;
    }
    if (status == RG_OK)
        limit_horizon(q, pieces, s, RG_CUT_contact);
    return status == RG_ERR_UNSUPPORTED ? RG_OK : status;
}

/* ------------------------------------------------------------------ two shapes */

/* Part i of a shape as a separate geometry and piece. */
static RgMovingPiece part_of(const RgMovingPiece *whole, int32_t i, const RgPose *X_LS, RgGeometry *room)
{
    *room = rg_geometry_part(whole->geometry, i);
    RgMovingPiece piece = *whole;
    piece.geometry = room;
    piece.ball.centre = pose_apply(*X_LS, room->centre);
    piece.ball.radius = room->radius;
    return piece;
}

/* Follows all pairs of parts of two shapes. */
static RgStatus follow_parts(Search *q, const RgMovingPiece *wholes)
{
    const RgModel *m = q->advancement->motion.scope->model;
    RgStatus status = RG_OK;
    RgGeometry room[2];
    RgMovingPiece pieces[2] = {wholes[0], wholes[1]};
    int32_t na = wholes[0].geometry->nparts, nb = wholes[1].geometry->nparts;
    for (int32_t i = 0; i < (na > 1 ? na : 1) && status == RG_OK; i++) {
        if (na > 1)
            pieces[0] = part_of(&wholes[0], i, &m->shapes[wholes[0].shape].def.X_LS, &room[0]);
        for (int32_t j = 0; j < (nb > 1 ? nb : 1) && status == RG_OK; j++) {
            if (nb > 1)
                pieces[1] = part_of(&wholes[1], j, &m->shapes[wholes[1].shape].def.X_LS, &room[1]);
            status = follow(q, pieces);
        }
    }
    return status;
}

/* Whether the bounding balls of the two cannot come within the gap of each other. */
static bool out_of_reach(const Search *q, const RgMovingPiece *pieces)
{
    const RgUniformMotion *motion = &q->advancement->motion;
    const RgContactScene *scene = motion->scope->scene;
    int a = pieces[0].shape, b = pieces[1].shape;
    if (!(scene->ball_radius[a] > 0.0) || !(scene->ball_radius[b] > 0.0))
        return false;
    RgVec3 way =
        v3_sub(pose_apply(motion->X_WS[b], scene->ball_centre[b]), pose_apply(motion->X_WS[a], scene->ball_centre[a]));
    const double *reach = q->advancement->reach;
    return v3_norm(way) > scene->ball_radius[a] + scene->ball_radius[b] + reach[a] + reach[b] + q->gap;
}

static RgStatus follow_pair(Search *q, int a, int b)
{
    RgUniformMotion *motion = &q->advancement->motion;
    RgMovingPiece pieces[2] = {rg_uniform_piece(motion, a), rg_uniform_piece(motion, b)};
    if (out_of_reach(q, pieces))
        return RG_OK;
    if (pieces[0].geometry->nparts <= 1 && pieces[1].geometry->nparts <= 1)
        return follow(q, pieces);

    /* Shapes of several parts are followed as wholes while they are apart. */
    RgDistance near;
    RgStatus status = distance_at(q, pieces, 0.0, NULL, &near);
    if (status == RG_OK && near.distance - near.error <= q->gap && !(q->ask->beyond > 0.0))
        return follow_parts(q, pieces);
    return status == RG_OK ? follow(q, pieces) : status == RG_ERR_UNSUPPORTED ? RG_OK : status;
}

/* Computes how far each shape can move; returns the sum of the two largest values, m. */
static double find_reaches(Search *q)
{
    RgAdvancement *a = q->advancement;
    const RgContactScene *scene = a->motion.scope->scene;
    double most = 0.0, second = 0.0;
    for (int i = 0; i < scene->model->nshapes; i++) {
        a->reach[i] = 0.0;
        if (scene->collider[i].i == 0 || scene->body[i] < 0)
            continue;
        RgMovingPiece piece = rg_uniform_piece(&a->motion, i);
        double reach = a->reach[i] = rg_uniform_reach(&a->motion, &piece, q->horizon);
        second = reach > most ? most : fmax(second, reach);
        most = fmax(most, reach);
    }
    return most + second;
}

static RgStatus follow_pairs(Search *q)
{
    const RgContactScene *scene = q->advancement->motion.scope->scene;
    const RgColliderPair *pairs;
    int32_t count;
    double margin = q->gap + find_reaches(q);
    RgStatus status = rg_space_pairs(scene->space, margin < EVERYWHERE ? margin : EVERYWHERE, &pairs, &count);
    for (int32_t k = 0; k < count && status == RG_OK; k++)
        status = follow_pair(q, scene->shape[pairs[k].a.i - 1] - 1, scene->shape[pairs[k].b.i - 1] - 1);
    return status;
}

/* ------------------------------------------------------------------ limits */

/* Joints that approach a limit: (limit - q) / rate. A joint within the gap of its limit keeps half of its distance. */
static void follow_limits(Search *q)
{
    const RgMovingPiece none[2] = {{.shape = -1}, {.shape = -1}};
    const RgContactSolver *contact = q->advancement->motion.scope->contact;
    const RgBounded *b = contact != NULL ? contact->setup.bounded : NULL;
    for (int axis = 0; b != NULL && b->position_limits && axis < b->naxes; axis++) {
        const RgAxisDef *def = b->axes[axis].def;
        if (!b->axes[axis].plain || (def->lower == -INFINITY && def->upper == INFINITY))
            continue;
        double x = rg_axis_position(b, axis), rate = rg_axis_rate(b, axis);
        double left = rate < 0.0 ? x - def->lower : def->upper - x;
        bool soft = def->limit_stiffness > 0.0 && def->limit_stiffness < INFINITY;
        double room = left > q->gap ? left - q->level : 0.5 * left;
        if (rate != 0.0 && room > 0.0 && !(soft && left <= q->gap))
            limit_horizon(q, none, room / fabs(rate), RG_CUT_limit);
    }
}

/* Free bodies that turn about their centre of mass have no limit of rotation. */
static bool turns_freely(const RgStepScope *c, int body)
{
    return c->contact != NULL && c->contact->setup.bodies[body].free &&
           (c->form->kind->joints_are_rows || v3_norm2(c->model->bodies[body].inertia.com) == 0.0);
}

RgStatus rg_advancement_find(RgAdvancement *advancement, const RgAdvanceAsk *ask, RgAdvance *out)
{
    RgStepScope *c = advancement->motion.scope;
    *out = (RgAdvance){.time = ask->horizon, .shape_a = -1, .shape_b = -1, .least = INFINITY};
    Search q = {advancement, ask, c->adapt.gap, 0.5 * c->adapt.gap, ask->horizon, out};
    advancement->motion.by_path = ask->plain;
    RgStatus status = rg_uniform_begin(&advancement->motion, ask->x, ask->u, ask->error);
    rg_constraints_observe(c->constraints);
    if (status == RG_OK && !(ask->beyond > 0.0))
        follow_limits(&q);
    if (status == RG_OK && c->scene != NULL)
        status = follow_pairs(&q);
    out->time = q.horizon;
    return status;
}

RgStatus rg_advancement_from(RgAdvancement *advancement, const RgState *from, double most, RgAdvance *out)
{
    RgStepScope *c = advancement->motion.scope;
    double fastest = 0.0;
    c->form->kind->kinematics(c->form, from->x, from->u);
    for (int i = 0; i < c->model->nbodies; i++)
        if (!turns_freely(c, i))
            fastest = fmax(fastest, v3_norm(c->form->kin->V[i].w));
    double horizon = most * fastest > MOST_TURN ? MOST_TURN / fastest : most;
    RgAdvanceAsk ask = {.x = from->x, .u = from->u, .horizon = horizon};
    RgStatus status = rg_advancement_find(advancement, &ask, out);
    if (out->cut == RG_CUT_whole && horizon < most)
        out->cut = RG_CUT_turn;
    return status;
}
