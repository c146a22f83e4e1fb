/*
 * check_missed.c - contacts that no event tells of, found where two steps meet.
 *
 * A pair that is within the gap there comes together at c (approach.h) by the velocities at which the last step ended,
 * and at c' at the same point by those with which the next begins. Something stopped it if most of c is gone:
 *
 *   impact   c above IMPACT, c - c' above half of c: an impact of the pair must be told at that time
 *   touch    c above TOUCH, c - c' above half of c, and it does not bounce: the pair must be told to touch
 *
 * Another impact at the same time that one of the two bodies has a part in (or a stop, or a body of the same tree) may
 * have borne all of it: then the pair need only be told to touch; and not even that where it bounces, as it may have
 * been thrown apart. Shocks also pass on through whatever touches: a body that lands may throw up a third one by the
 * one that lies on both. So what bounces may have been thrown apart by any impact of its island as well: the bodies
 * that hang together by pairs within the gap that are told to touch. What such an impact leaves without a speed was
 * stopped by the pair itself, and must be told: only by chance would there be no speed left.
 *
 * Velocities that are constant through a step (rates) hold a share of what a projection put right, up to the gap in the
 * length of the step: c must be above that too.
 */
#include "verify/approach.h"
#include "verify/check.h"

#include <stdio.h>

/* m/s: slower meetings need not be told as impacts, nor as touches. Steppers tell impacts from 1e-4 or 1e-3 on. */
#define IMPACT 2e-3
#define TOUCH 1e-3

/* Of c: what solvers leave of it in a contact that lasts. */
#define REBOUND 2e-3
#define LEAVING 2e-6 /* m/s */

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

static RgPlacedPiece placed(const RgCheck *c, const RgPiece *piece)
{
    int body = c->head.shapes[piece->shape].body;
    if (body < 0)
        return (RgPlacedPiece){piece, m3_identity(), v3_zero()};
    return (RgPlacedPiece){piece, q_matrix(c->bodies[body].at.turn), c->bodies[body].at.centre};
}

/* The fastest approach of all pieces of two shapes, and what is left of it after. */
static RgApproach fastest(const RgCheck *c, const RgClosePair *pair, double *after)
{
    const RgCertificateShape *A = &c->head.shapes[pair->shape_a], *B = &c->head.shapes[pair->shape_b];
    RgTwistField was = rg_twist_field_between(field_of(c, pair->shape_a, false), field_of(c, pair->shape_b, false));
    RgTwistField is = rg_twist_field_between(field_of(c, pair->shape_a, true), field_of(c, pair->shape_b, true));
    RgApproach best = {.closing = -(double)INFINITY};
    for (int32_t i = A->first_piece; i < A->first_piece + A->npieces; i++)
        for (int32_t k = B->first_piece; k < B->first_piece + B->npieces; k++) {
            RgPlacedPiece a = placed(c, &c->head.pieces[i]), b = placed(c, &c->head.pieces[k]);
            if (a.piece->kind == RG_PIECE_HALFSPACE && b.piece->kind == RG_PIECE_HALFSPACE)
                continue;
            RgApproach one = rg_approach(&a, &b, c->head.gap, &was);
            if (one.closing > best.closing)
                best = one;
        }
    *after = -v3_dot(best.normal, rg_twist_field_at(&is, best.point));
    return best;
}

/* The body of a shape from which its tree hangs; -1: the world. */
static int root_of(const RgCheck *c, int shape)
{
    int body = c->head.shapes[shape].body;
    while (body >= 0 && c->head.tree[body].parent >= 0)
        body = c->head.tree[body].parent;
    return body;
}

/* Whether an impact moves what the pair is of. */
static bool shares(const RgCheck *c, const RgToldEvent *e, const RgClosePair *pair)
{
    if (e->kind == RG_TOLD_LIMIT)
        return true;
    int own[2] = {root_of(c, pair->shape_a), root_of(c, pair->shape_b)};
    int theirs[2] = {root_of(c, e->shape_a), root_of(c, e->shape_b)};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (own[i] >= 0 && own[i] == theirs[k])
                return true;
    return false;
}

/* Whether an impact of the pair is told at t; *others: one that shares a body, or of a limit. */
static bool impact_told(const RgCheck *c, const RgClosePair *pair, double t, bool *others)
{
    const RgToldEvents *lists[2] = {&c->events_before, &c->events};
    bool told = false;
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < lists[k]->count; i++) {
            const RgToldEvent *e = &lists[k]->events[i];
            if (!rg_check_same_time(e->t, t) || (e->kind != RG_TOLD_IMPACT && e->kind != RG_TOLD_LIMIT))
                continue;
            bool own = e->kind == RG_TOLD_IMPACT && e->shape_a == pair->shape_a && e->shape_b == pair->shape_b;
            told = told || own;
            *others = *others || (!own && shares(c, e, pair));
        }
    return told;
}

/* ------------------------------------------------------------------ islands */

/* The island of a shape; -1: the world's, which joins nobody. */
static int island_of(const RgCheck *c, int shape)
{
    int root = root_of(c, shape);
    return root >= 0 ? c->bodies[root].island : -1;
}

/* Trees that hang together by pairs within the gap that are told to touch at t. */
static void find_islands(RgCheck *c, double t)
{
    for (int i = 0; i < c->head.nbodies; i++)
        c->bodies[i].island = i;
    for (int32_t k = 0; k < c->nclose; k++) {
        const RgClosePair *link = &c->close[k];
        int a = island_of(c, link->shape_a), b = island_of(c, link->shape_b);
        if (a < 0 || b < 0 || a == b || !rg_told_at(c, link->shape_a, link->shape_b, t))
            continue;
        for (int i = 0; i < c->head.nbodies; i++)
            if (c->bodies[i].island == b)
                c->bodies[i].island = a;
    }
}

/* Whether an impact at t is told in the island of one of the pair's shapes. */
static bool is_shaken(RgCheck *c, const RgClosePair *pair, double t)
{
    const RgToldEvents *lists[2] = {&c->events_before, &c->events};
    find_islands(c, t);
    int own[2] = {island_of(c, pair->shape_a), island_of(c, pair->shape_b)};
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < lists[k]->count; i++) {
            const RgToldEvent *e = &lists[k]->events[i];
            if (e->kind != RG_TOLD_IMPACT || !rg_check_same_time(e->t, t))
                continue;
            int a = island_of(c, e->shape_a), b = island_of(c, e->shape_b);
            if ((a >= 0 && (a == own[0] || a == own[1])) || (b >= 0 && (b == own[0] || b == own[1])))
                return true;
        }
    return false;
}

/* ------------------------------------------------------------------ */

static void tell(RgCheck *c, const RgClosePair *pair, double speed, const char *what)
{
    char words[300];
    snprintf(words, sizeof words, "shapes %d '%.60s' and %d '%.60s' meet at %.3g m/s, and no %s tells of it",
             pair->shape_a, c->head.shapes[pair->shape_a].name, pair->shape_b, c->head.shapes[pair->shape_b].name,
             speed, what);
    rg_check_tell(c, c->step_line, c->step_t, words);
    c->report->untold++;
}

void rg_check_missed(RgCheck *c)
{
    double doubt = c->head.gap / c->last_h;
    for (int32_t i = 0; i < c->nclose; i++) {
        const RgClosePair *pair = &c->close[i];
        double after;
        RgApproach was = fastest(c, pair, &after);
        bool stopped = was.closing - after > 0.5 * was.closing, others = false;
        if (!(was.closing > TOUCH + doubt) || !stopped)
            continue;
        bool told = impact_told(c, pair, c->step_t, &others);
        bool bounces = -after > LEAVING + REBOUND * was.closing;
        if (bounces && (others || (!told && is_shaken(c, pair, c->step_t))))
            continue;
        bool touches = told || rg_told_at(c, pair->shape_a, pair->shape_b, c->step_t);
        if (was.closing > IMPACT + 2.0 * doubt && !told && !others)
            tell(c, pair, was.closing, "impact");
        else if (!bounces && !touches)
            tell(c, pair, was.closing, "touch");
    }
}
