/*
 * check_missed.c - contacts without an event, found between two consecutive steps.
 *
 * A pair within the gap closes at speed c (approach.h) by the velocities at the end of the last step, and at c' at the
 * same point by those at the start of the next. It was stopped if most of c has disappeared:
 *
 *   impact   c above IMPACT, c - c' above half of c: an impact of the pair must be reported at that time
 *   touch    c above TOUCH, c - c' above half of c, and no bounce: the pair must be reported as touching
 *
 * Another impact at the same time with one of the two bodies, or a body of the same tree, or a joint limit, may have
 * caused the whole change. Then the pair must only be reported as touching; and if it bounces, not even that, since it
 * may have been thrown apart. Impacts also propagate through contacts: a body that lands can throw up a third body
 * through one that touches both. So a pair that bounces may also have been thrown apart by any impact of its island:
 * the bodies connected by pairs within the gap that are reported as touching. A pair without a speed after such an
 * impact was stopped by its own contact, which must be reported: a zero speed would be a coincidence otherwise.
 *
 * Constant velocities of a step (rates) contain part of the correction by a projection, up to the gap over the length
 * of the step: c must be above that too.
 */
#include "verify/approach.h"
#include "verify/check.h"

#include <stdio.h>

/* m/s: closing speeds above which an impact, and a touch, must be reported. Steppers report impacts from 1e-4 or 1e-3
   on. */
#define IMPACT 2e-3
#define TOUCH 1e-3

/* A pair bounces if it opens faster than LEAVING (m/s) plus the part REBOUND of c; twice the bounds of
   contact_events.c. */
#define REBOUND 2e-3
#define LEAVING 2e-6

/* Velocity field of a shape's body at the end of the last step, or (after) at the start of the present one. */
static RgTwistField field_of(const RgCheck *c, int shape, bool after)
{
    int body = c->head.shapes[shape].body;
    if (body < 0)
        return (RgTwistField){v3_zero(), v3_zero()};
    const RgCheckBody *b = &c->bodies[body];
    if (!after)
        return rg_twist_field(b->at.centre, b->at.velocity, b->at.w);
    return b->moves ? rg_twist_field(b->at.centre, b->begin.velocity, b->begin.w)
                    : (RgTwistField){v3_zero(), v3_zero()};
}

static RgPlacedPiece placed_piece(const RgCheck *c, const RgPiece *piece)
{
    int body = c->head.shapes[piece->shape].body;
    if (body < 0)
        return (RgPlacedPiece){piece, m3_identity(), v3_zero()};
    return (RgPlacedPiece){piece, q_matrix(c->bodies[body].at.turn), c->bodies[body].at.centre};
}

/* Largest closing speed of all pieces of two shapes; *after: closing speed at the same point in the present step. */
static RgApproach find_fastest(const RgCheck *c, const RgClosePair *pair, double *after)
{
    const RgCertificateShape *A = &c->head.shapes[pair->shape_a], *B = &c->head.shapes[pair->shape_b];
    RgTwistField was = rg_twist_field_between(field_of(c, pair->shape_a, false), field_of(c, pair->shape_b, false));
    RgTwistField is = rg_twist_field_between(field_of(c, pair->shape_a, true), field_of(c, pair->shape_b, true));
    RgApproach best = {.closing = -(double)INFINITY};
    for (int32_t i = A->first_piece; i < A->first_piece + A->npieces; i++)
        for (int32_t k = B->first_piece; k < B->first_piece + B->npieces; k++) {
            RgPlacedPiece a = placed_piece(c, &c->head.pieces[i]), b = placed_piece(c, &c->head.pieces[k]);
            if (a.piece->kind == RG_PIECE_HALFSPACE && b.piece->kind == RG_PIECE_HALFSPACE)
                continue;
            RgApproach one = rg_approach(&a, &b, c->head.gap, &was);
            if (one.closing > best.closing)
                best = one;
        }
    *after = -v3_dot(best.normal, rg_twist_field_at(&is, best.point));
    return best;
}

/* Root body of the tree of a shape's body; -1: the world. */
static int root_of(const RgCheck *c, int shape)
{
    int body = c->head.shapes[shape].body;
    while (body >= 0 && c->head.tree[body].parent >= 0)
        body = c->head.tree[body].parent;
    return body;
}

/* Whether an impact or limit can change the velocities of the pair. Limits always count. */
static bool can_affect(const RgCheck *c, const RgReportedEvent *e, const RgClosePair *pair)
{
    if (e->kind == RG_REPORTED_LIMIT)
        return true;
    int own[2] = {root_of(c, pair->shape_a), root_of(c, pair->shape_b)};
    int theirs[2] = {root_of(c, e->shape_a), root_of(c, e->shape_b)};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (own[i] >= 0 && own[i] == theirs[k])
                return true;
    return false;
}

/* Whether an impact of the pair is reported at t; *others: set if another one, or a limit, can change its velocities.
   */
static bool impact_reported(const RgCheck *c, const RgClosePair *pair, double t, bool *others)
{
    const RgReportedEvents *lists[2] = {&c->events_before, &c->events};
    bool reported = false;
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < lists[k]->count; i++) {
            const RgReportedEvent *e = &lists[k]->events[i];
            if (!rg_check_same_time(e->t, t) || (e->kind != RG_REPORTED_IMPACT && e->kind != RG_REPORTED_LIMIT))
                continue;
            bool own = e->kind == RG_REPORTED_IMPACT && e->shape_a == pair->shape_a && e->shape_b == pair->shape_b;
            reported = reported || own;
            *others = *others || (!own && can_affect(c, e, pair));
        }
    return reported;
}

/* ------------------------------------------------------------------ islands */

/* Island of a shape; -1: the world, which connects no islands. */
static int island_of(const RgCheck *c, int shape)
{
    int root = root_of(c, shape);
    return root >= 0 ? c->bodies[root].island : -1;
}

/* Finds islands: trees connected by pairs within the gap that are reported as touching at t. */
static void find_islands(RgCheck *c, double t)
{
    for (int i = 0; i < c->head.nbodies; i++)
        c->bodies[i].island = i;
    for (int32_t k = 0; k < c->nclose; k++) {
        const RgClosePair *link = &c->close[k];
        int a = island_of(c, link->shape_a), b = island_of(c, link->shape_b);
        if (a < 0 || b < 0 || a == b || !rg_reported_at(c, link->shape_a, link->shape_b, t))
            continue;
        for (int i = 0; i < c->head.nbodies; i++)
            if (c->bodies[i].island == b)
                c->bodies[i].island = a;
    }
}

/* Whether an impact at t is reported in the island of one of the pair's shapes. */
static bool island_has_impact(RgCheck *c, const RgClosePair *pair, double t)
{
    const RgReportedEvents *lists[2] = {&c->events_before, &c->events};
    find_islands(c, t);
    int own[2] = {island_of(c, pair->shape_a), island_of(c, pair->shape_b)};
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < lists[k]->count; i++) {
            const RgReportedEvent *e = &lists[k]->events[i];
            if (e->kind != RG_REPORTED_IMPACT || !rg_check_same_time(e->t, t))
                continue;
            int a = island_of(c, e->shape_a), b = island_of(c, e->shape_b);
            if ((a >= 0 && (a == own[0] || a == own[1])) || (b >= 0 && (b == own[0] || b == own[1])))
                return true;
        }
    return false;
}

/* ------------------------------------------------------------------ public */

static void report_missed(RgCheck *c, const RgClosePair *pair, double speed, const char *what)
{
    char words[300];
    snprintf(words, sizeof words, "shapes %d '%.60s' and %d '%.60s' meet at %.3g m/s, and no %s tells of it",
             pair->shape_a, c->head.shapes[pair->shape_a].name, pair->shape_b, c->head.shapes[pair->shape_b].name,
             speed, what);
    rg_check_fault(c, c->step_line, c->step_t, words);
    c->report->untold++;
}

void rg_check_missed(RgCheck *c)
{
    double doubt = c->head.gap / c->last_h;
    for (int32_t i = 0; i < c->nclose; i++) {
        const RgClosePair *pair = &c->close[i];
        double after;
        RgApproach was = find_fastest(c, pair, &after);
        bool stopped = was.closing - after > 0.5 * was.closing, others = false;
        if (!(was.closing > TOUCH + doubt) || !stopped)
            continue;
        bool reported = impact_reported(c, pair, c->step_t, &others);
        bool bounces = -after > LEAVING + REBOUND * was.closing;
        if (bounces && (others || (!reported && island_has_impact(c, pair, c->step_t))))
            continue;
        bool touches = reported || rg_reported_at(c, pair->shape_a, pair->shape_b, c->step_t);
        if (was.closing > IMPACT + 2.0 * doubt && !reported && !others)
            report_missed(c, pair, was.closing, "impact");
        else if (!bounces && !touches)
            report_missed(c, pair, was.closing, "touch");
    }
}
