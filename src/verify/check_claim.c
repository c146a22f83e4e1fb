/*
 * check_claim.c - checks the claims of a step (docs/certificate.md) against the measurement.
 *
 *   LEAST   claim: no pair came nearer. Checked: none was measured nearer. Infinite: none came within the gap
 *   A B     claim: this pair decided the length. Checked: it may touch, and on a curve it came near (bounds by speeds
 *           can be decided by distant pairs)
 *   BOUND   claim: that pair is proven apart for this time. Checked: not shorter than the step; on a curve equal to it,
 *           since the curve ends there; at constant rates the pair is followed for this time
 */
#include "verify/check.h"

#include "verify/separation.h"

#include <stdio.h>

/* Relative tolerance of distances and times, which other algorithms have computed. */
#define ROUND_OFF 1e-9

/* m: a pair must come nearer than this, or than NEAR_FACTOR times the nearest of all, to decide a step. Above
   RG_PATH_NEAR of the steppers. */
#define NEAR_LIMIT 2e-3
#define NEAR_FACTOR 1e3

/* Number of times at which a pair is measured after the end of the step. */
enum { TIMES_AFTER_END = 8 };

/* Reports a false claim. said: claimed value; is: measured value. */
static void report_false_claim(RgCheck *c, const char *what, double said, double is)
{
    char words[240];
    snprintf(words, sizeof words, "shapes %d and %d: %s (%.9g; it is %.9g)", c->claim.shape_a, c->claim.shape_b, what,
             said, is);
    c->report->false_claims++;
    rg_check_fault(c, c->step_line, c->step_t, words);
}

static RgPlacedPiece placed(const RgCheck *c, const RgPiece *piece, double u)
{
    RgPose X = rg_motion_pose(&c->step, c->head.shapes[piece->shape].body, u);
    return (RgPlacedPiece){piece, X.R, X.p};
}

/* m: distance of the step's pair at u, which may be above 1. */
static double distance_at(const RgCheck *c, double u)
{
    const RgCertificateShape *A = &c->head.shapes[c->claim.shape_a], *B = &c->head.shapes[c->claim.shape_b];
    double least = (double)INFINITY;
    for (int32_t i = A->first_piece; i < A->first_piece + A->npieces; i++)
        for (int32_t k = B->first_piece; k < B->first_piece + B->npieces; k++) {
            RgPlacedPiece a = placed(c, &c->head.pieces[i], u), b = placed(c, &c->head.pieces[k], u);
            if (a.piece->kind != RG_PIECE_HALFSPACE || b.piece->kind != RG_PIECE_HALFSPACE)
                least = fmin(least, rg_separation(&a, &b).distance);
        }
    return least;
}

static void check_bound(RgCheck *c)
{
    const RgClaim *claim = &c->claim;
    double h = c->step.h;
    if (claim->shortest)
        return;
    if (!(claim->bound >= h * (1.0 - ROUND_OFF)) || (claim->curve && !(claim->bound <= h * (1.0 + ROUND_OFF)))) {
        report_false_claim(c, "they are said to be proven apart for another time than the step takes", claim->bound, h);
        return;
    }
    double over = claim->bound / h;
    if (claim->curve || !(over > 1.0 + ROUND_OFF) || !(over < (double)INFINITY))
        return;
    for (int k = 1; k <= TIMES_AFTER_END; k++) {
        double u = 1.0 + (over - 1.0) * k / TIMES_AFTER_END, distance = distance_at(c, u);
        if (!(distance < 0.0))
            continue;
        report_false_claim(c, "they are said to be proven apart for longer than they stay so", claim->bound, u * h);
        return;
    }
}

void rg_check_claim(RgCheck *c)
{
    const RgClaim *claim = &c->claim;
    double least = claim->least < (double)INFINITY ? claim->least : c->head.gap;
    if (!(claim->measured >= least * (1.0 - ROUND_OFF)))
        report_false_claim(c, "the least distance of all is said to be greater than it is", claim->least,
                           claim->measured);
    if (claim->shape_a < 0 && claim->shape_b < 0)
        return;
    int low = claim->shape_a < claim->shape_b ? claim->shape_a : claim->shape_b;
    int high = claim->shape_a < claim->shape_b ? claim->shape_b : claim->shape_a;
    if (low < 0 || !rg_check_may_touch(c, low, high)) {
        report_false_claim(c, "they decide a step, and may not touch", claim->least, claim->measured);
        return;
    }
    if (claim->curve && !(claim->pair_measured <= fmax(NEAR_LIMIT, NEAR_FACTOR * claim->measured)))
        report_false_claim(c, "they decide a step, and are not near", claim->measured, claim->pair_measured);
    check_bound(c);
}
