/*
 * place_helical_simd.c - rg_place_helical_plain (forward_kinematics.c) with the rows of [R p] in pairs.
 *
 * A row of [R_PB p_PB] is two pairs, (x y) and (z p). A row of [R_WB r] = R_WP [R_PB p_PB] is the sum of three such
 * rows, each times an element of R_WP.
 */
#include "kinematics/kinematics.h"
#include "math/pair_simd.h"

/* Columns [x y] or [z p] of one row of the product R_WP [R_PB p_PB]. */
static inline RgPair rotate_row(const double *R, const RgPair *column_pair)
{
    return pair_both(R[0]) * column_pair[0] + pair_both(R[1]) * column_pair[1] + pair_both(R[2]) * column_pair[2];
}

RG_KERNEL void place_helical(const double *q, int first, int end, RgKin *kin)
{
    int n = kin->model->nbodies;
    for (int i = first; i < end; i++) {
        /* Pairs of [R_PB p_PB]. */
        const RgHelix *h = &kin->helix[i];
        RgPair s = pair_both(kin->trig[n + i]), c = pair_both(kin->trig[2 * n + i]), qi = pair_both(q[h->q0]);
        RgPair xy[3], zp[3];
        for (int k = 0; k < 3; k++) {
            xy[k] = c * pair_load(h->fixed[k]) + s * pair_load(h->moved[k]);
            zp[k] = pair_load(h->fixed[k] + 2) + qi * pair_load(h->moved[k] + 2);
        }

        /* Rotate into world axes. */
        const RgPose *P = &kin->X_WB[h->parent];
        RgPose *X = &kin->X_WB[i];
        double z[3], r[3];
        for (int k = 0; k < 3; k++) {
            RgPair W_zp = rotate_row(P->R.m[k], zp);
            pair_store(rotate_row(P->R.m[k], xy), X->R.m[k]);
            X->R.m[k][2] = z[k] = W_zp[0];
            r[k] = W_zp[1];
        }
        kin->r[i] = v3(r[0], r[1], r[2]);
        X->p = v3_add(P->p, kin->r[i]);
        kin->S[h->v0].w = v3_scale(h->turn, v3(z[0], z[1], z[2]));
        kin->S[h->v0].v = v3_scale(h->slide, v3(z[0], z[1], z[2]));
    }
}

RG_AVX static void place_helical_avx(const double *q, int first, int end, RgKin *kin)
{
    place_helical(q, first, end, kin);
}

void rg_place_helical(const double *q, int first, int end, RgKin *kin)
{
    if (rg_has_avx())
        place_helical_avx(q, first, end, kin);
    else
        place_helical(q, first, end, kin);
}
