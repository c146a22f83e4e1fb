/*
 * check_pairs.c - every pair of shapes that may touch, over one step.
 *
 *   1. if the swept boxes of the bounding balls of their pieces (enclosures, series.h) are disjoint: proven apart
 *   2. otherwise: measured at nine times, and proven for all times between (clearance.h)
 *
 * Pairs whose boxes are farther apart than the least distance so far, and than the claimed one, are not measured. Pairs
 * of bodies at rest are measured in the first step only. Plain steps are measured at their ends, without requirements.
 */
#include "verify/check.h"

#include "base/alloc.h"

#include <stdio.h>

/* Distances below this part of the size count as touching: they are not above round-off. */
#define TOUCHING 1e-14

/* ------------------------------------------------------------------ boxes */

/* Swept box of the bounding ball of a piece. Without an enclosure the ball is about the body's centre. */
static RgCheckBox sweep(const RgPiece *piece, const RgMoving *through, bool enclosed)
{
    RgCheckBox box;
    double reach = piece->reach + (enclosed ? 0.0 : v3_norm(piece->middle));
    double low[3], high[3];
    for (int i = 0; i < 3; i++) {
        RgSeries place = through->c.at[i];
        if (enclosed) {
            RgSeries3 row = {{through->R.at[i][0], through->R.at[i][1], through->R.at[i][2]}};
            place = rg_series_point(&place, &row, piece->middle);
        }
        low[i] = rg_series_low(&place) - reach * (1.0 + 1e-14);
        high[i] = rg_series_high(&place) + reach * (1.0 + 1e-14);
    }
    box.low = v3(low[0], low[1], low[2]);
    box.high = v3(high[0], high[1], high[2]);
    return box;
}

static const RgMoving *through_of(const RgCheck *c, int body)
{
    return body < 0 ? &c->world_through : &c->bodies[body].through;
}

/* Swept boxes of a shape and its pieces. */
static void sweep_shape(RgCheck *c, int i)
{
    const RgCertificateShape *s = &c->head.shapes[i];
    bool enclosed = s->body < 0 || c->bodies[s->body].enclosed;
    RgCheckBox all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t k = s->first_piece; k < s->first_piece + s->npieces; k++) {
        RgCheckBox box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        if (c->head.pieces[k].kind != RG_PIECE_HALFSPACE)
            box = sweep(&c->head.pieces[k], through_of(c, s->body), enclosed);
        c->piece_box[k] = box;
        all.low = v3(fmin(all.low.x, box.low.x), fmin(all.low.y, box.low.y), fmin(all.low.z, box.low.z));
        all.high = v3(fmax(all.high.x, box.high.x), fmax(all.high.y, box.high.y), fmax(all.high.z, box.high.z));
    }
    c->shape_box[i] = all;
}

/* m: lower bound of the distance of two boxes; <= 0: they intersect. */
static double box_distance(const RgCheckBox *a, const RgCheckBox *b)
{
    double x = fmax(a->low.x - b->high.x, b->low.x - a->high.x);
    double y = fmax(a->low.y - b->high.y, b->low.y - a->high.y);
    double z = fmax(a->low.z - b->high.z, b->low.z - a->high.z);
    return fmax(x, fmax(y, z));
}

/* ------------------------------------------------------------------ pairs */

static RgMovingPiece moving_piece(const RgCheck *c, const RgPiece *piece)
{
    int body = c->head.shapes[piece->shape].body;
    if (body < 0)
        return (RgMovingPiece){piece, -1, c->world, &c->world_through};
    const RgCheckBody *b = &c->bodies[body];
    return (RgMovingPiece){piece, body, b->pose, b->enclosed ? &b->through : NULL};
}

/* m: lower bound of the distance from a fixed half-space to a box. */
static double half_space_box_distance(const RgPiece *half, const RgCheckBox *box)
{
    RgVec3 n = half->axis;
    RgVec3 lowest = v3(n.x > 0.0 ? box->low.x : box->high.x, n.y > 0.0 ? box->low.y : box->high.y,
                       n.z > 0.0 ? box->low.z : box->high.z);
    double size = fabs(n.x * lowest.x) + fabs(n.y * lowest.y) + fabs(n.z * lowest.z) + fabs(half->offset);
    return v3_dot(n, lowest) - half->offset - 1e-15 * size;
}

/* m: lower bound of the distance of two pieces by their boxes. */
static double piece_box_distance(const RgCheck *c, int32_t a, int32_t b)
{
    const RgPiece *A = &c->head.pieces[a], *B = &c->head.pieces[b];
    bool half_a = A->kind == RG_PIECE_HALFSPACE && c->head.shapes[A->shape].body < 0;
    bool half_b = B->kind == RG_PIECE_HALFSPACE && c->head.shapes[B->shape].body < 0;
    if (half_a)
        return half_space_box_distance(A, &c->piece_box[b]);
    if (half_b)
        return half_space_box_distance(B, &c->piece_box[a]);
    return box_distance(&c->piece_box[a], &c->piece_box[b]);
}

/* Results of all pieces of two shapes in a step. */
typedef struct PairResult {
    double measured_below; /* m: pieces whose boxes are nearer than this are measured */
    double end, least, least_u, bound, size;
    bool looked, proven;
} PairResult;

static void check_pieces(RgCheck *c, int32_t a, int32_t b, PairResult *sum)
{
    const RgPiece *A = &c->head.pieces[a], *B = &c->head.pieces[b];
    if (A->kind == RG_PIECE_HALFSPACE && B->kind == RG_PIECE_HALFSPACE)
        return;
    double boxes = piece_box_distance(c, a, b);
    if (boxes > 0.0 && boxes >= fmin(c->report->min_distance, sum->least) && boxes >= sum->measured_below) {
        sum->bound = fmin(sum->bound, boxes);
        return;
    }
    double size = fmin(A->reach, B->reach);
    RgMovingPiece pa = moving_piece(c, A), pb = moving_piece(c, B);
    RgClearanceRule rule = {0.25 * c->head.gap, TOUCHING * size, c->options->max_intervals};
    RgClearance near = rg_clearance(&c->step, &pa, &pb, &rule);
    c->report->samples += near.samples;
    sum->looked = true;
    sum->proven = sum->proven && near.proven;
    sum->bound = fmin(sum->bound, near.bound);
    sum->end = fmin(sum->end, near.end);
    if (near.least < sum->least) {
        sum->least = near.least;
        sum->least_u = near.least_u;
        sum->size = size;
    }
}

/* Stores a pair within the gap at the end of the step, for check_missed.c. */
static void store_close_pair(RgCheck *c, int a, int b)
{
    if (c->nclose == c->close_room) {
        int32_t room = c->close_room > 0 ? 2 * c->close_room : 64;
        RgClosePair *more = rg_realloc(&c->allocator, c->close, (size_t)c->close_room, (size_t)room, sizeof *more);
        if (more == NULL) {
            rg_certificate_fail(&c->text, RG_ERR_MEMORY, "out of memory");
            return;
        }
        c->close = more;
        c->close_room = room;
    }
    c->close[c->nclose++] = (RgClosePair){a, b};
}

/* Stores the measured values for the check of claims. */
static void store_for_claim(RgCheck *c, int a, int b, const PairResult *sum)
{
    RgClaim *claim = &c->claim;
    claim->measured = fmin(claim->measured, sum->least);
    bool own = (claim->shape_a == a && claim->shape_b == b) || (claim->shape_a == b && claim->shape_b == a);
    if (own)
        claim->pair_measured = sum->least;
    if (sum->end <= c->head.gap)
        store_close_pair(c, a, b);
}

static void report_pair(RgCheck *c, int a, int b, const PairResult *sum)
{
    RgVerifyReport *r = c->report;
    double t = c->step_t + sum->least_u * c->step.h;
    if (c->plain_before) {
        r->plain_distance = fmin(r->plain_distance, sum->least);
        return;
    }
    r->near += sum->looked;
    r->proven += sum->proven;
    r->unproven += !sum->proven;
    r->min_bound = fmin(r->min_bound, sum->bound);
    if (sum->least < r->min_distance) {
        r->min_distance = sum->least;
        r->at = t;
        r->shape_a = a;
        r->shape_b = b;
    }
    char words[300];
    const char *name_a = c->head.shapes[a].name, *name_b = c->head.shapes[b].name;
    if (sum->least < -c->options->tolerance * sum->size) {
        r->missed++;
        snprintf(words, sizeof words, "shapes %d '%.60s' and %d '%.60s' overlap by %.3g m", a, name_a, b, name_b,
                 -sum->least);
        rg_check_fault(c, c->step_line, t, words);
    } else if (!sum->proven) {
        snprintf(words, sizeof words, "shapes %d '%.60s' and %d '%.60s' are not proven apart: %.3g m measured", a,
                 name_a, b, name_b, sum->least);
        rg_check_fault(c, c->step_line, t, words);
    }
    if (sum->looked)
        store_for_claim(c, a, b, sum);
}

bool rg_check_may_touch(const RgCheck *c, int a, int b)
{
    const RgCertificateShape *A = &c->head.shapes[a], *B = &c->head.shapes[b];
    if (A->npieces == 0 || B->npieces == 0 || A->body == B->body)
        return false;
    for (int32_t k = A->first_range; k < A->first_range + A->nranges; k++)
        if (b >= c->head.ranges[k].first && b <= c->head.ranges[k].last)
            return true;
    return false;
}

static bool shape_moves(const RgCheck *c, int i)
{
    int body = c->head.shapes[i].body;
    return body >= 0 && (c->step.by_tree || c->bodies[body].moves);
}

static void check_pair(RgCheck *c, int a, int b)
{
    const RgCertificateShape *A = &c->head.shapes[a], *B = &c->head.shapes[b];
    if (A->npieces == 0 || B->npieces == 0 || A->body == B->body)
        return;
    const RgClaim *claim = &c->claim;
    bool own = (claim->shape_a == a && claim->shape_b == b) || (claim->shape_a == b && claim->shape_b == a);
    if (c->looked && !own && !shape_moves(c, a) && !shape_moves(c, b))
        return;
    c->report->pairs += !c->plain_before;
    double boxes = box_distance(&c->shape_box[a], &c->shape_box[b]);
    PairResult sum = {.measured_below = c->head.gap, .proven = true};
    sum.end = sum.least = sum.bound = (double)INFINITY;
    if (own || (claim->least > sum.measured_below && claim->least < (double)INFINITY))
        sum.measured_below = own ? (double)INFINITY : claim->least;
    if (boxes >= sum.measured_below && boxes > 0.0 && boxes >= c->report->min_distance)
        sum.bound = boxes;
    else
        for (int32_t i = A->first_piece; i < A->first_piece + A->npieces; i++)
            for (int32_t k = B->first_piece; k < B->first_piece + B->npieces; k++)
                check_pieces(c, i, k, &sum);
    report_pair(c, a, b, &sum);
}

void rg_check_pairs(RgCheck *c)
{
    c->nclose = 0;
    for (int i = 0; i < c->head.nshapes; i++)
        if (!c->looked || c->head.shapes[i].body >= 0)
            sweep_shape(c, i);
    for (int a = 0; a < c->head.nshapes && !c->text.failed; a++) {
        const RgCertificateShape *s = &c->head.shapes[a];
        for (int32_t k = s->first_range; k < s->first_range + s->nranges; k++)
            for (int b = c->head.ranges[k].first; b <= c->head.ranges[k].last; b++)
                check_pair(c, a, b);
    }
    c->looked = true;
}

void rg_check_pairs_at_start(RgCheck *c)
{
    c->record = RG_RECORD_PUSH;
    c->claim = (RgClaim){.shape_a = -1, .shape_b = -1, .curve = true};
    c->step = (RgMotionStep){c->movers, c->head.tree, false, 0.0, c->q, c->v};
    c->step_t = c->t;
    for (int i = 0; i < c->head.nbodies; i++) {
        RgCheckBody *b = &c->bodies[i];
        rg_mover_still(&b->at, &c->movers[i]);
        for (int k = 0; k <= RG_CLEARANCE_SAMPLES; k++)
            b->pose[k] = rg_motion_pose(&c->step, i, 0.0);
        b->enclosed = rg_motion_series(&c->step, i, 0.0, 1.0, &b->through);
    }
    rg_check_pairs(c);
}
