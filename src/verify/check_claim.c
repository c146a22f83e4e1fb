/*
 * check_claim.c - what a step says of itself, against what was measured.
 *
 *   LEAST   no pair came nearer: none was measured nearer. Infinite: none came within the gap
 *   A B     they may touch, and on a curve came near (bounds by speeds alone name pairs from afar)
 *   BOUND   they were proven apart for so long: not shorter than the step; on a curve just as long, as the curve ends
 *           there; at constant rates both are followed as long as it says
 */
#include "verify/check.h"

#include "verify/separation.h"

#include <stdio.h>

/* Parts by which distances and times may differ: they were found by other ways of computing. */
#define ROUND_OFF 1e-9

/* m: pairs that stay farther apart than this, and than NEARER times the nearest of all, decide nothing. */
#define NEAR 2e-3
#define NEARER 1e3

/* Times at which a pair is measured beyond the end of the step. */
enum { BEYOND = 8 };

static void tell(RgCheck *c, const char *what, double said, double is)
{
    char words[240];
    snprintf(words, sizeof words, "shapes %d and %d: %s (%.9g; it is %.9g)", c->claim.shape_a, c->claim.shape_b, what,
             said, is);
    c->report->false_claims++;
    rg_check_tell(c, c->step_line, c->step_t, words);
}

static RgPlacedPiece placed(const RgCheck *c, const RgPiece *piece, double u)
{
    RgPose X = rg_motion_pose(&c->step, c->head.shapes[piece->shape].body, u);
    return (RgPlacedPiece){piece, X.R, X.p};
}

/* Distance of the step's pair at u, which may lie beyond its end. */
static double apart_at(const RgCheck *c, double u)
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
        tell(c, "they are said to be proven apart for another time than the step takes", claim->bound, h);
        return;
    }
    double over = claim->bound / h;
    if (claim->curve || !(over > 1.0 + ROUND_OFF) || !(over < (double)INFINITY))
        return;
    for (int k = 1; k <= BEYOND; k++) {
        double u = 1.0 + (over - 1.0) * k / BEYOND, distance = apart_at(c, u);
        if (!(distance < 0.0))
            continue;
        tell(c, "they are said to be proven apart for longer than they stay so", claim->bound, u * h);
        return;
    }
}

void rg_check_claim(RgCheck *c)
{
    const RgClaim *claim = &c->claim;
    double least = claim->least < (double)INFINITY ? claim->least : c->head.gap;
    if (!(claim->measured >= least * (1.0 - ROUND_OFF)))
        tell(c, "the least distance of all is said to be greater than it is", claim->least, claim->measured);
    if (claim->shape_a < 0 && claim->shape_b < 0)
        return;
    int low = claim->shape_a < claim->shape_b ? claim->shape_a : claim->shape_b;
    int high = claim->shape_a < claim->shape_b ? claim->shape_b : claim->shape_a;
    if (low < 0 || !rg_check_may_touch(c, low, high)) {
        tell(c, "they decide a step, and may not touch", claim->least, claim->measured);
        return;
    }
    if (claim->curve && !(claim->pair_measured <= fmax(NEAR, NEARER * claim->measured)))
        tell(c, "they decide a step, and are not near", claim->measured, claim->pair_measured);
    check_bound(c);
}
