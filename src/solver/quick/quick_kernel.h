/*
 * quick_kernel.h - the operations of solver `quick` on a patch, written once and compiled twice: for one lane in scalar
 * arithmetic (quick_patch.c) and for four lanes at once (quick_patch_simd.c). The same operations in the same order
 * give bitwise identical results. The including file defines
 *
 *   REAL, MASK               a number in each lane; a truth value in each lane
 *   LOAD(x), STORE(x, a)     load and store a field; SPLAT(c) a constant; SELECT(m, a, b); SQRT(a); ANY_NOT(m)
 *   FN(name), KERNEL         names and declaration specifiers of its functions
 *   LOAD_BODY, STORE_BODY    velocities of a body from V and back
 *   POINTS_READY(p)          whether prepare_points was done; marks it as done
 *   LANES_NOT(m)             bit mask of the lanes where m is false; the default is 1 or 0
 *   STORE_BODY_LANES         as STORE_BODY, for the lanes of such a mask: open patches keep velocities bitwise
 *
 * Response. With R the axes of the patch, rho = R arm, X f = rho x f, and I the inverse inertia in these axes, each
 * side adds
 *
 *   K_uu = 1/mass + X' I X        K_wu = I X        K_ww = I
 *
 * to the response of the relative velocity (u, w) at the mean to a wrench (f, m) there.
 *
 * Visit. First the patch is solved as a whole: the wrench W + K^-1 (aim - y) meets all targets. It is distributed over
 * the points; with c the centre of the normal impulses,
 *
 *   n_i = N / count + beta r_i - gamma s_i + t slack_i        (a, b)_i = n_i (F / N + omega x (d_i - c))
 *
 * If that is admissible, all points stick and meet their targets: the exact solution with all other patches fixed.
 * Otherwise the points are solved one by one: first the normal, then the tangents: sticking is solved exactly (2 x 2);
 * if that exceeds the cone, a step against the slip with the larger eigenvalue, projected radially, the only step at
 * whose fixed points friction opposes sliding. More rounds over the points do not help: the slow part is the coupling
 * between patches.
 */

/* Index of K_ij in the lower triangle. */
#define LOWER(i, j) ((i) >= (j) ? (i) * ((i) + 1) / 2 + (j) : (j) * ((j) + 1) / 2 + (i))
/* Added to or compared with squares to avoid a division by zero. */
#define TINY 1e-300
/* Part of a response below which it is round-off. A mechanism may be immobile along some axis of a patch; no impulse is
   applied along it. */
#define SINGULAR 1e-11
/* Visits in which the whole solve is skipped after it has failed twice in a row. It is a quarter of the cost of a
   visit; in a collapsing tower it failed for all lanes in 87 % of visits. With 3 a tower of 30 levels at rest drifts by
   0.018 mm, with 1 by 0.0014 mm. */
#define SKIPPED_VISITS 1.0

#ifndef LANES_NOT
#define LANES_NOT(m) (!(m))
#define STORE_BODY_LANES(mover, all, V, lanes) STORE_BODY(mover, all, V)
#endif

/* Unrolls a short loop completely, so that triangular indices become constants. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* ------------------------------------------------------------------ set-up */

/* A world vector in the axes of the patch. */
KERNEL void FN(to_axes)(const RgPatchLanes *p, const REAL x[3], REAL out[3] LANE)
{
    for (int i = 0; i < 3; i++)
        out[i] = LOAD(p->axis[i][0]) * x[0] + LOAD(p->axis[i][1]) * x[1] + LOAD(p->axis[i][2]) * x[2];
}

/* Adds the part of one side to K. */
KERNEL void FN(add_side)(const RgPatchLanes *p, int side, REAL K[21] LANE)
{
    /* Inverse inertia and arm in the patch's axes. */
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    REAL arm[3], rho[3], half[3][3], I[3][3];
    UNROLL for (int i = 0; i < 3; i++) arm[i] = LOAD(p->arm[side][i]);
    FN(to_axes)(p, arm, rho LANE_ON);
    UNROLL for (int i = 0; i < 3; i++) UNROLL for (int j = 0; j < 3; j++) half[i][j] =
        LOAD(p->axis[i][0]) * LOAD(p->inverse_inertia[side][at[0][j]]) +
        LOAD(p->axis[i][1]) * LOAD(p->inverse_inertia[side][at[1][j]]) +
        LOAD(p->axis[i][2]) * LOAD(p->inverse_inertia[side][at[2][j]]);
    UNROLL for (int i = 0; i < 3; i++) UNROLL for (int j = 0; j < 3; j++) if (j <= i) I[i][j] = I[j][i] =
        half[i][0] * LOAD(p->axis[j][0]) + half[i][1] * LOAD(p->axis[j][1]) + half[i][2] * LOAD(p->axis[j][2]);

    /* G = I X, then X' G. */
    REAL G[3][3];
    UNROLL for (int i = 0; i < 3; i++)
    {
        G[i][0] = I[i][1] * rho[2] - I[i][2] * rho[1];
        G[i][1] = I[i][2] * rho[0] - I[i][0] * rho[2];
        G[i][2] = I[i][0] * rho[1] - I[i][1] * rho[0];
    }
    REAL mass = LOAD(p->inverse_mass[side]);
    UNROLL for (int j = 0; j < 3; j++)
    {
        REAL column[3] = {rho[2] * G[1][j] - rho[1] * G[2][j], rho[0] * G[2][j] - rho[2] * G[0][j],
                          rho[1] * G[0][j] - rho[0] * G[1][j]};
        UNROLL for (int i = 0; i < 3; i++) if (j <= i) K[LOWER(i, j)] += i == j ? mass + column[i] : column[i];
        UNROLL for (int i = 0; i < 3; i++) K[LOWER(3 + i, j)] += G[i][j];
        UNROLL for (int i = 0; i < 3; i++) if (j <= i) K[LOWER(3 + i, 3 + j)] += I[i][j];
    }
}

/* Inverse of the active part of K by A = L D L'; L^-1 overwrites L. A pivot is K_jj / (A^-1)_jj of the leading part of
   A, so the first of the two checks only prevents NaN or infinity in the second. */
KERNEL void FN(invert)(RgPatchLanes *p, const REAL K[21] LANE)
{
    REAL L[21], scale[6], active[6];
    UNROLL for (int i = 0; i < 6; i++) active[i] = LOAD(p->active[i]);
    UNROLL for (int i = 0; i < 6; i++) UNROLL for (int j = 0; j < 6; j++) if (j <= i) L[LOWER(i, j)] =
        i == j ? K[LOWER(i, i)] * active[i] + (SPLAT(1.0) - active[i]) : K[LOWER(i, j)] * (active[i] * active[j]);
    MASK regular = LOAD(p->rigid) > SPLAT(0.0);
    UNROLL for (int j = 0; j < 6; j++)
    {
        REAL whole = K[LOWER(j, j)] * active[j] + (SPLAT(1.0) - active[j]);
        regular = regular & (L[LOWER(j, j)] * SPLAT(RG_PATCH_DEPENDENT) > whole);
        scale[j] = SPLAT(1.0) / L[LOWER(j, j)];
        UNROLL for (int i = 0; i < 6; i++)
        {
            REAL l = L[LOWER(i, j)] * scale[j];
            UNROLL for (int k = 0; k < 6; k++) if (j < k && k <= i) L[LOWER(i, k)] -= l * L[LOWER(k, j)];
        }
        UNROLL for (int i = 0; i < 6; i++) if (j < i) L[LOWER(i, j)] *= scale[j];
    }
    UNROLL for (int j = 0; j < 6; j++) UNROLL for (int i = 0; i < 6; i++) if (j < i)
    {
        REAL sum = -L[LOWER(i, j)];
        UNROLL for (int k = 0; k < 6; k++) if (j < k && k < i) sum -= L[LOWER(i, k)] * L[LOWER(k, j)];
        L[LOWER(i, j)] = sum;
    }
    UNROLL for (int i = 0; i < 6; i++) UNROLL for (int j = 0; j < 6; j++) if (j <= i)
    {
        REAL sum = (i == j ? SPLAT(1.0) : L[LOWER(i, j)]) * scale[i];
        UNROLL for (int k = 0; k < 6; k++) if (i < k) sum += L[LOWER(k, i)] * scale[k] * L[LOWER(k, j)];
        STORE(p->inverse[LOWER(i, j)], sum * (active[i] * active[j]));
        if (i == j)
            regular = regular & (sum * (K[LOWER(i, i)] * active[i]) <= SPLAT(RG_PATCH_DEPENDENT));
    }
    STORE(p->rigid, SELECT(regular, SPLAT(1.0), SPLAT(0.0)));
}

/* The same if only the first three rows are active, as for a single point. */
KERNEL void FN(invert_point)(RgPatchLanes *p, const REAL K[6] LANE)
{
    REAL active[3], whole[3], none = SPLAT(0.0), one = SPLAT(1.0);
    UNROLL for (int i = 0; i < 3; i++)
    {
        active[i] = LOAD(p->active[i]);
        whole[i] = K[LOWER(i, i)] * active[i] + (one - active[i]);
    }
    REAL a10 = K[LOWER(1, 0)] * (active[1] * active[0]), a20 = K[LOWER(2, 0)] * (active[2] * active[0]),
         a21 = K[LOWER(2, 1)] * (active[2] * active[1]);
    REAL s0 = one / whole[0], l10 = a10 * s0, l20 = a20 * s0;
    REAL d1 = whole[1] - l10 * a10, b21 = a21 - l20 * a10, d2 = whole[2] - l20 * a20;
    REAL s1 = one / d1, l21 = b21 * s1;
    d2 = d2 - l21 * b21;
    REAL s2 = one / d2, m10 = -l10, m21 = -l21, m20 = -l20 - m21 * l10;
    REAL inverse[6] = {
        s0 + m10 * s1 * m10 + m20 * s2 * m20, m10 * s1 + m21 * s2 * m20, s1 + m21 * s2 * m21, m20 * s2, m21 * s2, s2};
    MASK regular = (LOAD(p->rigid) > none) & (whole[0] * SPLAT(RG_PATCH_DEPENDENT) > whole[0]) &
                   (d1 * SPLAT(RG_PATCH_DEPENDENT) > whole[1]) & (d2 * SPLAT(RG_PATCH_DEPENDENT) > whole[2]);
    UNROLL for (int i = 0; i < 3; i++)
    {
        UNROLL for (int j = 0; j < 3; j++) if (j <= i)
            STORE(p->inverse[LOWER(i, j)], inverse[LOWER(i, j)] * (active[i] * active[j]));
        regular = regular & (inverse[LOWER(i, i)] * (K[LOWER(i, i)] * active[i]) <= SPLAT(RG_PATCH_DEPENDENT));
    }
    for (int i = 6; i < 21; i++)
        STORE(p->inverse[i], none);
    STORE(p->rigid, SELECT(regular, one, none));
}

/* Velocity of the plane that fits the targets best, and the response of each point along the normal. */
KERNEL void FN(find_aim)(RgPatchLanes *p, const REAL K[21] LANE)
{
    REAL mean = SPLAT(0.0), tilt_r = SPLAT(0.0), tilt_s = SPLAT(0.0), none = SPLAT(0.0);
    REAL least = SPLAT(SINGULAR) * (K[LOWER(0, 0)] + K[LOWER(1, 1)] + K[LOWER(2, 2)]);
    STORE(p->min_response, least);
    for (int i = p->points; i < RG_PATCH_POINTS; i++)
        STORE(p->per_normal[i], none);
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]), r = LOAD(p->place[i][1]), b = LOAD(p->present[i]) * LOAD(p->target[i]);
        mean += b;
        tilt_r += r * b;
        tilt_s -= s * b;
        REAL response = K[LOWER(2, 2)] + LOAD(p->compliance[0]) + r * r * K[LOWER(3, 3)] + s * s * K[LOWER(4, 4)] +
                        SPLAT(2.0) * (r * K[LOWER(3, 2)] - s * K[LOWER(4, 2)] - r * s * K[LOWER(4, 3)]);
        STORE(p->per_normal[i], SELECT(response > least, LOAD(p->present[i]) / response, none));
    }
    for (int i = 0; i < 6; i++)
        STORE(p->aim[i], SPLAT(0.0));
    STORE(p->aim[2], mean * LOAD(p->share));
    STORE(p->aim[3], LOAD(p->spread[0]) * tilt_r + LOAD(p->spread[1]) * tilt_s);
    STORE(p->aim[4], LOAD(p->spread[1]) * tilt_r + LOAD(p->spread[2]) * tilt_s);
}

/* K of two free bodies. */
KERNEL void FN(free_response)(RgPatchLanes *p LANE)
{
    REAL K[21];
    for (int i = 0; i < 21; i++)
        K[i] = SPLAT(0.0);
    FN(add_side)(p, 0, K LANE_ON);
    FN(add_side)(p, 1, K LANE_ON);
    for (int i = 0; i < 21; i++)
        STORE(p->K[i], K[i]);
}

/* Excludes a patch from the whole solve if joints hold it along an active axis; its points then leave out that axis. */
KERNEL void FN(exclude_held_axes)(RgPatchLanes *p, const REAL K[6] LANE)
{
    MASK moves = LOAD(p->rigid) > SPLAT(0.0);
    UNROLL for (int i = 0; i < 3; i++) moves =
        moves & ((K[LOWER(i, i)] > LOAD(p->min_response)) | (LOAD(p->active[i]) == SPLAT(0.0)));
    STORE(p->rigid, SELECT(moves, SPLAT(1.0), SPLAT(0.0)));
}

/* Rest of the preparation of a single point, given K: all terms of its position are zero. */
KERNEL void FN(finish_point)(RgPatchLanes *p, const REAL free[6] LANE)
{
    REAL K[6], none = SPLAT(0.0);
    for (int i = 0; i < 6; i++)
        K[i] = LOAD(p->K[i]);
    FN(invert_point)(p, K LANE_ON);
    REAL least = SPLAT(SINGULAR) * (K[LOWER(0, 0)] + K[LOWER(1, 1)] + K[LOWER(2, 2)]);
    REAL response = K[LOWER(2, 2)] + LOAD(p->compliance[0]);
    STORE(p->min_response, least);
    STORE(p->per_normal[0], SELECT(response > least, LOAD(p->present[0]) / response, none));
    for (int i = 1; i < RG_PATCH_POINTS; i++)
        STORE(p->per_normal[i], none);
    STORE(p->reach2, none);
    for (int i = 0; i < 6; i++) {
        STORE(p->aim[i], none);
        STORE(p->free[i], free[i]);
    }
    STORE(p->aim[2], LOAD(p->present[0]) * LOAD(p->target[0]) * LOAD(p->share));
    FN(exclude_held_axes)(p, K LANE_ON);
}

/* The same for any patch. */
KERNEL void FN(finish_prepare)(RgPatchLanes *p, const REAL free[6] LANE)
{
    if (p->points == 1) {
        FN(finish_point)(p, free LANE_ON);
        return;
    }
    REAL K[21], reach2 = SPLAT(0.0);
    for (int i = 0; i < 21; i++)
        K[i] = LOAD(p->K[i]);
    FN(invert)(p, K LANE_ON);
    FN(find_aim)(p, K LANE_ON);
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]), r = LOAD(p->place[i][1]);
        reach2 += LOAD(p->present[i]) * (s * s + r * r);
    }
    reach2 *= LOAD(p->share);
    STORE(p->reach2, reach2);
    FN(exclude_held_axes)(p, K LANE_ON);
    for (int i = 0; i < 6; i++)
        STORE(p->free[i], free[i]);
}

/* ------------------------------------------------------------------ one patch, given all others */

/* WITHIN_CONE: whether the tangents lie within the friction ellipse of the normal impulse n. */
#define LENGTH2(a, b) ((a)*stretch1 * ((a)*stretch1) + (b)*stretch2 * ((b)*stretch2))
#define WITHIN_CONE(n, a, b) (LENGTH2(a, b) <= (n)*mu * ((n)*mu))

/* Normal impulses with resultant N and moments M1, M2 about the mean. Up to three points have a unique solution. Four
   have a line of solutions, n + t slack; the admissible one nearest to the least-squares solution is taken. */
KERNEL MASK FN(share_normals)(const RgPatchLanes *p, const REAL W[6], REAL n[RG_PATCH_POINTS] LANE)
{
    REAL beta = LOAD(p->spread[0]) * W[3] + LOAD(p->spread[1]) * W[4], mean = LOAD(p->share) * W[2];
    REAL gamma = LOAD(p->spread[1]) * W[3] + LOAD(p->spread[2]) * W[4], none = SPLAT(0.0);
    REAL low = SPLAT(-HUGE_VAL), high = SPLAT(HUGE_VAL);
    MASK good = LOAD(p->rigid) > none;
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]), r = LOAD(p->place[i][1]), slack = LOAD(p->slack[i]);
        n[i] = LOAD(p->present[i]) * (mean + beta * r - gamma * s);
        REAL at = -n[i] * LOAD(p->per_slack[i]);
        low = SELECT((slack > none) & (at > low), at, low);
        high = SELECT((slack < none) & (at < high), at, high);
        good = good & ((n[i] >= none) | (slack > none) | (slack < none));
    }
    REAL t = SELECT(low > none, low, none);
    t = SELECT(high < t, high, t);
    for (int i = 0; i < p->points; i++) {
        n[i] += t * LOAD(p->slack[i]);
        n[i] = SELECT(n[i] > none, n[i], none);
    }
    return good & (low <= high);
}

/* Tangential impulses with resultant F and moment M3 about the mean, in proportion to the normal impulses. */
KERNEL MASK FN(share_tangents)(const RgPatchLanes *p, const REAL W[6], const REAL n[RG_PATCH_POINTS],
                               REAL z[RG_PATCH_POINTS][3] LANE)
{
    REAL N = SPLAT(TINY), cs = SPLAT(0.0), cr = SPLAT(0.0), inertia = SPLAT(TINY);
    for (int i = 0; i < p->points; i++) {
        N += n[i];
        cs += n[i] * LOAD(p->place[i][0]);
        cr += n[i] * LOAD(p->place[i][1]);
    }
    REAL per = SPLAT(1.0) / N;
    cs *= per;
    cr *= per;
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]) - cs, r = LOAD(p->place[i][1]) - cr;
        inertia += n[i] * (s * s + r * r);
    }
    REAL mu = LOAD(p->mu), stretch1 = LOAD(p->stretch[0]), stretch2 = LOAD(p->stretch[1]);
    REAL a = W[0] * per, b = W[1] * per, turn = (W[5] - cs * W[1] + cr * W[0]) / inertia;
    MASK good = (N > SPLAT(TINY)) | (W[0] * W[0] + W[1] * W[1] + W[5] * W[5] <= SPLAT(0.0));
    for (int i = 0; i < p->points; i++) {
        z[i][0] = n[i];
        z[i][1] = n[i] * (a - turn * (LOAD(p->place[i][1]) - cr));
        z[i][2] = n[i] * (b + turn * (LOAD(p->place[i][0]) - cs));
        good = good & WITHIN_CONE(n[i], z[i][1], z[i][2]);
    }
    return good;
}

/* Wrench of given impulses at the mean. */
KERNEL void FN(sum_wrench)(const RgPatchLanes *p, REAL z[RG_PATCH_POINTS][3], REAL W[6] LANE)
{
    UNROLL for (int i = 0; i < 6; i++) W[i] = SPLAT(0.0);
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]), r = LOAD(p->place[i][1]);
        W[0] += z[i][1];
        W[1] += z[i][2];
        W[2] += z[i][0];
        W[3] += r * z[i][0];
        W[4] -= s * z[i][0];
        W[5] += s * z[i][2] - r * z[i][1];
    }
}

/* Solves all points at once. True: the result is admissible. */
KERNEL MASK FN(solve_whole)(const RgPatchLanes *p, const REAL y[6], REAL z[RG_PATCH_POINTS][3], REAL dW[6] LANE)
{
    REAL e[6], W[6], n[RG_PATCH_POINTS];
    UNROLL for (int i = 0; i < 6; i++) e[i] = LOAD(p->aim[i]) - y[i];
    FN(sum_wrench)(p, z, W LANE_ON);
    UNROLL for (int i = 0; i < 6; i++)
    {
        REAL even = LOAD(p->inverse[LOWER(i, 0)]) * e[0] + LOAD(p->inverse[LOWER(i, 2)]) * e[2] +
                    LOAD(p->inverse[LOWER(i, 4)]) * e[4];
        REAL odd = LOAD(p->inverse[LOWER(i, 1)]) * e[1] + LOAD(p->inverse[LOWER(i, 3)]) * e[3] +
                   LOAD(p->inverse[LOWER(i, 5)]) * e[5];
        dW[i] = even + odd;
        W[i] += dW[i];
    }
    MASK good = FN(share_normals)(p, W, n LANE_ON);
    good = good & FN(share_tangents)(p, W, n, z LANE_ON);
    return good;
}

/* Updates y and dW for an impulse (n, a, b) at the point (s, r). */
KERNEL void FN(apply_point_impulse)(const RgPatchLanes *p, const REAL d[3], const REAL at[2], REAL y[6],
                                    REAL dW[6] LANE)
{
    REAL W[6] = {d[1], d[2], d[0], at[1] * d[0], -at[0] * d[0], at[0] * d[2] - at[1] * d[1]};
    UNROLL for (int i = 0; i < 6; i++)
    {
        REAL even = LOAD(p->K[LOWER(i, 0)]) * W[0] + LOAD(p->K[LOWER(i, 2)]) * W[2] + LOAD(p->K[LOWER(i, 4)]) * W[4];
        REAL odd = LOAD(p->K[LOWER(i, 1)]) * W[1] + LOAD(p->K[LOWER(i, 3)]) * W[3] + LOAD(p->K[LOWER(i, 5)]) * W[5];
        y[i] += even + odd;
        dW[i] += W[i];
    }
}

/* Data for single points: the responses of the tangents and their coupling to the normal. */
KERNEL void FN(prepare_points)(RgPatchLanes *p LANE)
{
    REAL turn = LOAD(p->K[LOWER(5, 5)]), none = SPLAT(0.0);
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]), r = LOAD(p->place[i][1]);
        REAL k11 = LOAD(p->K[LOWER(0, 0)]) - SPLAT(2.0) * r * LOAD(p->K[LOWER(5, 0)]) + r * r * turn;
        REAL k22 = LOAD(p->K[LOWER(1, 1)]) + SPLAT(2.0) * s * LOAD(p->K[LOWER(5, 1)]) + s * s * turn;
        REAL k12 = LOAD(p->K[LOWER(1, 0)]) + s * LOAD(p->K[LOWER(5, 0)]) - r * LOAD(p->K[LOWER(5, 1)]) - r * s * turn;
        REAL spin = LOAD(p->K[LOWER(5, 2)]) + r * LOAD(p->K[LOWER(5, 3)]) - s * LOAD(p->K[LOWER(5, 4)]);
        REAL on1 = LOAD(p->tangent_on[0]), on2 = LOAD(p->tangent_on[1]);
        k11 += LOAD(p->compliance[1]);
        k22 += LOAD(p->compliance[2]);
        k12 *= on1 * on2;
        k11 = SELECT(on1 > none, k11, k22);
        k22 = SELECT(on2 > none, k22, k11);
        REAL both = k11 * k22 - k12 * k12, half = SPLAT(0.5) * (k11 - k22);
        REAL most = SPLAT(0.5) * (k11 + k22) + SQRT(half * half + k12 * k12);
        REAL per = SELECT(both > SPLAT(SINGULAR) * (k11 * k22), SPLAT(1.0) / both, none);
        STORE(p->stick[i][0], k22 * per);
        STORE(p->stick[i][1], k12 * per);
        STORE(p->stick[i][2], k11 * per);
        STORE(p->slip[i], SELECT(most > LOAD(p->min_response), SPLAT(1.0) / most, none));
        STORE(p->coupling[i][0],
              LOAD(p->K[LOWER(0, 2)]) + r * LOAD(p->K[LOWER(0, 3)]) - s * LOAD(p->K[LOWER(0, 4)]) - r * spin);
        STORE(p->coupling[i][1],
              LOAD(p->K[LOWER(1, 2)]) + r * LOAD(p->K[LOWER(1, 3)]) - s * LOAD(p->K[LOWER(1, 4)]) + s * spin);
    }
}

/* Solves the tangents of point i, whose normal impulse is known; v: its tangential velocity. */
KERNEL void FN(solve_tangents)(const RgPatchLanes *p, int i, const REAL v[2], REAL z[3] LANE)
{
    REAL mu = LOAD(p->mu), reach = z[0] * mu, stretch1 = LOAD(p->stretch[0]), stretch2 = LOAD(p->stretch[1]);
    REAL v1 = v[0] + LOAD(p->compliance[1]) * z[1], v2 = v[1] + LOAD(p->compliance[2]) * z[2];

    /* Stick; not if the 2 x 2 response is singular. */
    REAL per11 = LOAD(p->stick[i][0]), per12 = LOAD(p->stick[i][1]), per22 = LOAD(p->stick[i][2]);
    REAL a = z[1] - (per11 * v1 - per12 * v2), b = z[2] - (per22 * v2 - per12 * v1);
    MASK sticks = (per11 > SPLAT(0.0)) & WITHIN_CONE(z[0], a, b);

    /* Slip: projected radially (disc_retract in cone_projection.h). */
    REAL step = LOAD(p->slip[i]);
    REAL slid_a = z[1] - step * v1, slid_b = z[2] - step * v2;
    REAL length2 = LENGTH2(slid_a, slid_b);
    REAL back = SELECT(length2 > reach * reach, reach / SQRT(length2 + SPLAT(TINY)), SPLAT(1.0));
    z[1] = SELECT(sticks, a, slid_a * back) * LOAD(p->tangent_on[0]) + SPLAT(0.0); /* avoids -0, as in open patches */
    z[2] = SELECT(sticks, b, slid_b * back) * LOAD(p->tangent_on[1]) + SPLAT(0.0);
}

/* Solves the points one by one. */
KERNEL void FN(solve_points)(const RgPatchLanes *p, REAL y[6], REAL z[RG_PATCH_POINTS][3], REAL dW[6] LANE)
{
    REAL none = SPLAT(0.0);
    UNROLL for (int i = 0; i < 6; i++) dW[i] = none;
    for (int i = 0; i < p->points; i++) {
        REAL at[2] = {LOAD(p->place[i][0]), LOAD(p->place[i][1])}, last[3] = {z[i][0], z[i][1], z[i][2]};
        REAL over = y[2] + at[1] * y[3] - at[0] * y[4] + LOAD(p->compliance[0]) * z[i][0] - LOAD(p->target[i]);
        REAL n = z[i][0] - over * LOAD(p->per_normal[i]);
        z[i][0] = SELECT(n > none, n, none);
        REAL more = z[i][0] - last[0];
        REAL v[2] = {y[0] - at[1] * y[5] + LOAD(p->coupling[i][0]) * more,
                     y[1] + at[0] * y[5] + LOAD(p->coupling[i][1]) * more};
        FN(solve_tangents)(p, i, v, z[i] LANE_ON);
        REAL d[3] = {more, z[i][1] - last[1], z[i][2] - last[2]};
        FN(apply_point_impulse)(p, d, at, y, dW LANE_ON);
    }
}

/* Squared change of y in the visit, squared change by all impulses, and squared y. */
KERNEL void FN(measure_change)(RgPatchLanes *p, const REAL *y, const REAL *after, int parts LANE)
{
    REAL moved2[2] = {SPLAT(0.0), SPLAT(0.0)}, total2[2] = {SPLAT(0.0), SPLAT(0.0)},
         slides2[2] = {SPLAT(0.0), SPLAT(0.0)};
    REAL reach2 = LOAD(p->reach2);
    UNROLL for (int i = 0; i < parts; i++)
    {
        REAL d = after[i] - y[i], all = after[i] - LOAD(p->free[i]);
        moved2[i / 3] += d * d;
        total2[i / 3] += all * all;
        slides2[i / 3] += after[i] * after[i];
    }
    STORE(p->moved2, moved2[0] + reach2 * moved2[1]);
    STORE(p->total2, total2[0] + reach2 * total2[1]);
    STORE(p->slides2, slides2[0] + reach2 * slides2[1]);
}

/* Stores the impulses of the points and the sums of their changes. */
KERNEL void FN(store_impulses)(RgPatchLanes *p, REAL last[RG_PATCH_POINTS][3], REAL z[RG_PATCH_POINTS][3] LANE)
{
    REAL change2 = SPLAT(0.0), size2 = SPLAT(0.0), along = SPLAT(0.0);
    for (int i = 0; i < p->points; i++)
        for (int k = 0; k < 3; k++) {
            REAL d = z[i][k] - last[i][k];
            STORE(p->z[i][k], z[i][k]);
            along += d * (z[i][k] - LOAD(p->before[i][k]));
            change2 += d * d;
            size2 += z[i][k] * z[i][k];
        }
    STORE(p->change2, change2);
    STORE(p->size2, size2);
    STORE(p->along, along);
}

/* Whether a patch without impulses stays without: every point separates faster than its target. */
KERNEL MASK FN(is_open)(const RgPatchLanes *p, const REAL *y, int parts LANE)
{
    REAL none = SPLAT(0.0);
    MASK open = LOAD(p->present[0]) >= none; /* all */
    for (int i = 0; i < p->points; i++) {
        REAL over = y[2] - LOAD(p->target[i]);
        if (parts == 6)
            over += LOAD(p->place[i][1]) * y[3] - LOAD(p->place[i][0]) * y[4];
        open = open & ((over > none) | (LOAD(p->present[i]) <= none)) & (LOAD(p->z[i][0]) == none) &
               (LOAD(p->z[i][1]) == none) & (LOAD(p->z[i][2]) == none);
    }
    return open;
}

/* Ends a visit that leaves a patch open. */
KERNEL void FN(leave_open)(RgPatchLanes *p, const REAL *y, REAL *dW, int parts LANE)
{
    REAL none = SPLAT(0.0);
    for (int i = 0; i < p->points; i++)
        for (int k = 0; k < 3; k++)
            STORE(p->z[i][k], none); /* avoids -0 */
    STORE(p->whole, none);
    STORE(p->skip, none);
    STORE(p->change2, none);
    STORE(p->size2, none);
    STORE(p->along, none);
    UNROLL for (int i = 0; i < parts; i++) dW[i] = none;
    FN(measure_change)(p, y, y, parts LANE_ON);
}

/* Solves as a whole where that is admissible, else point by point. Returns the mask of lanes that are not open. */
KERNEL int FN(solve_patch)(RgPatchLanes *p, const REAL y[6], REAL dW[6] LANE)
{
    REAL last[RG_PATCH_POINTS][3], z[RG_PATCH_POINTS][3], after[6], none = SPLAT(0.0), one = SPLAT(1.0);
    MASK open = FN(is_open)(p, y, 6 LANE_ON);
    if (!ANY_NOT(open)) {
        FN(leave_open)(p, y, dW, 6 LANE_ON);
        return 0;
    }
    for (int i = 0; i < p->points; i++)
        for (int k = 0; k < 3; k++)
            z[i][k] = last[i][k] = LOAD(p->z[i][k]);
    REAL skip = LOAD(p->skip);
    MASK passed = (skip > none) | open, was_whole = LOAD(p->whole) > none, whole = one <= none;
    if (ANY_NOT(passed)) {
        whole = FN(solve_whole)(p, y, z, dW LANE_ON) & (SELECT(passed, none, one) > none);
        UNROLL for (int i = 0; i < 6; i++) after[i] = y[i] + LOAD(p->active[i]) * (LOAD(p->aim[i]) - y[i]);
    } else {
        UNROLL for (int i = 0; i < 6; i++) after[i] = dW[i] = none;
    }
    STORE(p->whole, SELECT(whole, one, none));
    STORE(p->skip, SELECT(whole | was_whole | open, none, SELECT(passed, skip - one, SPLAT(SKIPPED_VISITS))));
    if (ANY_NOT(whole | open)) {
        REAL other[RG_PATCH_POINTS][3], dW_other[6], y_other[6];
        if (!POINTS_READY(p))
            FN(prepare_points)(p LANE_ON);
        for (int i = 0; i < p->points; i++)
            for (int k = 0; k < 3; k++)
                other[i][k] = last[i][k];
        UNROLL for (int i = 0; i < 6; i++) y_other[i] = y[i];
        FN(solve_points)(p, y_other, other, dW_other LANE_ON);
        UNROLL for (int i = 0; i < 6; i++)
        {
            dW[i] = SELECT(whole, dW[i], dW_other[i]);
            after[i] = SELECT(whole, after[i], y_other[i]);
        }
        for (int i = 0; i < p->points; i++)
            for (int k = 0; k < 3; k++)
                z[i][k] = SELECT(whole, z[i][k], other[i][k]);
    } else {
        UNROLL for (int i = 0; i < 6; i++)
        {
            dW[i] = SELECT(open, none, dW[i]);
            after[i] = SELECT(open, y[i], after[i]);
        }
        for (int i = 0; i < p->points; i++)
            for (int k = 0; k < 3; k++)
                z[i][k] = SELECT(open, none, z[i][k]);
    }
    FN(store_impulses)(p, last, z LANE_ON);
    FN(measure_change)(p, y, after, 6 LANE_ON);
    return LANES_NOT(open);
}

/* A patch of a single point, in three components. dW: the added impulse along t1, t2, n. */
KERNEL int FN(solve_point)(RgPatchLanes *p, const REAL y[3], REAL dW[3] LANE)
{
    MASK open = FN(is_open)(p, y, 3 LANE_ON);
    if (!ANY_NOT(open)) {
        FN(leave_open)(p, y, dW, 3 LANE_ON);
        return 0;
    }
    REAL last[RG_PATCH_POINTS][3], z[RG_PATCH_POINTS][3], e[3], none = SPLAT(0.0);
    REAL mu = LOAD(p->mu), stretch1 = LOAD(p->stretch[0]), stretch2 = LOAD(p->stretch[1]);
    for (int k = 0; k < 3; k++) {
        last[0][k] = LOAD(p->z[0][k]);
        e[k] = LOAD(p->aim[k]) - y[k];
    }
    for (int k = 0; k < 3; k++)
        dW[k] = LOAD(p->inverse[LOWER(k, 0)]) * e[0] + LOAD(p->inverse[LOWER(k, 1)]) * e[1] +
                LOAD(p->inverse[LOWER(k, 2)]) * e[2];
    REAL n = last[0][0] + dW[2], a = last[0][1] + dW[0], b = last[0][2] + dW[1];
    MASK whole = (LOAD(p->rigid) > none) & (n >= none) & WITHIN_CONE(n, a, b) & (SELECT(open, none, SPLAT(1.0)) > none);
    REAL after[3];
    for (int k = 0; k < 3; k++)
        after[k] = SELECT(LOAD(p->active[k]) > none, LOAD(p->aim[k]), y[k]);
    z[0][0] = n;
    z[0][1] = a;
    z[0][2] = b;
    if (ANY_NOT(whole)) {
        REAL other[3] = {last[0][0], last[0][1], last[0][2]};
        if (!POINTS_READY(p))
            FN(prepare_points)(p LANE_ON);
        REAL over = y[2] + LOAD(p->compliance[0]) * other[0] - LOAD(p->target[0]);
        REAL alone = other[0] - over * LOAD(p->per_normal[0]);
        other[0] = SELECT(alone > none, alone, none);
        REAL more = other[0] - last[0][0];
        REAL v[2] = {y[0] + LOAD(p->coupling[0][0]) * more, y[1] + LOAD(p->coupling[0][1]) * more};
        FN(solve_tangents)(p, 0, v, other LANE_ON);
        dW[0] = SELECT(whole, dW[0], other[1] - last[0][1]);
        dW[1] = SELECT(whole, dW[1], other[2] - last[0][2]);
        dW[2] = SELECT(whole, dW[2], more);
        for (int k = 0; k < 3; k++)
            z[0][k] = SELECT(whole, z[0][k], other[k]);
        for (int k = 0; k < 3; k++)
            after[k] = SELECT(whole, after[k],
                              y[k] + (LOAD(p->K[LOWER(k, 0)]) * dW[0] + LOAD(p->K[LOWER(k, 1)]) * dW[1] +
                                      LOAD(p->K[LOWER(k, 2)]) * dW[2]));
    }
    STORE(p->whole, SELECT(whole, SPLAT(1.0), none));
    FN(store_impulses)(p, last, z LANE_ON);
    FN(measure_change)(p, y, after, 3 LANE_ON);
    return LANES_NOT(open);
}

/* ------------------------------------------------------------------ free bodies */

/* Adds to V the response of one side to a wrench on it at the mean, in world axes. */
KERNEL void FN(push_side)(const RgPatchLanes *p, int side, const REAL f[3], const REAL m[3], REAL V[6] LANE)
{
    REAL mass = LOAD(p->inverse_mass[side]);
    REAL x = LOAD(p->arm[side][0]), y = LOAD(p->arm[side][1]), z = LOAD(p->arm[side][2]);
    REAL n[3] = {m[0] + (y * f[2] - z * f[1]), m[1] + (z * f[0] - x * f[2]), m[2] + (x * f[1] - y * f[0])};
    const RgLane *I = p->inverse_inertia[side];
    for (int i = 0; i < 3; i++)
        V[i] += mass * f[i];
    V[3] += LOAD(I[0]) * n[0] + LOAD(I[3]) * n[1] + LOAD(I[4]) * n[2];
    V[4] += LOAD(I[3]) * n[0] + LOAD(I[1]) * n[1] + LOAD(I[5]) * n[2];
    V[5] += LOAD(I[4]) * n[0] + LOAD(I[5]) * n[1] + LOAD(I[2]) * n[2];
}

/* Adds sign times the velocity of one side at the mean. */
KERNEL void FN(add_side_velocity)(const RgPatchLanes *p, int side, const REAL V[6], REAL sign, REAL u[3],
                                  REAL w[3] LANE)
{
    REAL x = LOAD(p->arm[side][0]), y = LOAD(p->arm[side][1]), z = LOAD(p->arm[side][2]);
    u[0] += sign * (V[0] + (V[4] * z - V[5] * y));
    u[1] += sign * (V[1] + (V[5] * x - V[3] * z));
    u[2] += sign * (V[2] + (V[3] * y - V[4] * x));
    for (int i = 0; i < 3; i++)
        w[i] += sign * V[3 + i];
}

/* Velocity of B minus that of A at the mean, in the axes of the patch. */
KERNEL void FN(relative_velocity)(const RgPatchLanes *p, REAL V[2][6], REAL y[6] LANE)
{
    REAL u[3], w[3];
    for (int i = 0; i < 3; i++)
        u[i] = w[i] = SPLAT(0.0);
    FN(add_side_velocity)(p, 1, V[1], SPLAT(1.0), u, w LANE_ON);
    FN(add_side_velocity)(p, 0, V[0], SPLAT(-1.0), u, w LANE_ON);
    FN(to_axes)(p, u, y LANE_ON);
    FN(to_axes)(p, w, y + 3 LANE_ON);
}

/* Derived fields of a patch between free bodies; all: velocities without impulses. */
KERNEL void FN(prepare)(RgPatchLanes *p, const double *all LANE)
{
    REAL V[2][6], free[6];
    LOAD_BODY(p->mover[0], all, V[0]);
    LOAD_BODY(p->mover[1], all, V[1]);
    FN(relative_velocity)(p, V, free LANE_ON);
    FN(free_response)(p LANE_ON);
    FN(finish_prepare)(p, free LANE_ON);
}

/* Applies a wrench in the axes of the patch to B, and its opposite to A. */
KERNEL void FN(apply)(const RgPatchLanes *p, const REAL W[6], REAL V[2][6] LANE)
{
    REAL f[3], m[3], minus_f[3], minus_m[3];
    for (int i = 0; i < 3; i++) {
        f[i] = LOAD(p->axis[0][i]) * W[0] + LOAD(p->axis[1][i]) * W[1] + LOAD(p->axis[2][i]) * W[2];
        m[i] = LOAD(p->axis[0][i]) * W[3] + LOAD(p->axis[1][i]) * W[4] + LOAD(p->axis[2][i]) * W[5];
        minus_f[i] = -f[i];
        minus_m[i] = -m[i];
    }
    FN(push_side)(p, 1, f, m, V[1] LANE_ON);
    FN(push_side)(p, 0, minus_f, minus_m, V[0] LANE_ON);
}

/* Visit of a patch of a single point: a force without moment. */
KERNEL void FN(visit_point)(RgPatchLanes *p, double *all LANE)
{
    REAL V[2][6], u[3], w[3], y[3], dW[6], none = SPLAT(0.0);
    LOAD_BODY(p->mover[0], all, V[0]);
    LOAD_BODY(p->mover[1], all, V[1]);
    for (int i = 0; i < 3; i++)
        u[i] = w[i] = none;
    FN(add_side_velocity)(p, 1, V[1], SPLAT(1.0), u, w LANE_ON);
    FN(add_side_velocity)(p, 0, V[0], SPLAT(-1.0), u, w LANE_ON);
    FN(to_axes)(p, u, y LANE_ON);
    int moved = FN(solve_point)(p, y, dW LANE_ON);
    if (moved == 0)
        return;
    dW[3] = dW[4] = dW[5] = none;
    FN(apply)(p, dW, V LANE_ON);
    STORE_BODY_LANES(p->mover[0], all, V[0], moved);
    STORE_BODY_LANES(p->mover[1], all, V[1], moved);
}

KERNEL void FN(visit)(RgPatchLanes *p, double *all LANE)
{
    REAL V[2][6], y[6], dW[6];
    LOAD_BODY(p->mover[0], all, V[0]);
    LOAD_BODY(p->mover[1], all, V[1]);
    FN(relative_velocity)(p, V, y LANE_ON);
    int moved = FN(solve_patch)(p, y, dW LANE_ON);
    if (moved == 0)
        return;
    FN(apply)(p, dW, V LANE_ON);
    STORE_BODY_LANES(p->mover[0], all, V[0], moved);
    STORE_BODY_LANES(p->mover[1], all, V[1], moved);
}

/* Wrench of the current impulses. */
KERNEL void FN(wrench)(const RgPatchLanes *p, REAL W[6] LANE)
{
    REAL z[RG_PATCH_POINTS][3];
    for (int i = 0; i < p->points; i++)
        for (int k = 0; k < 3; k++)
            z[i][k] = LOAD(p->z[i][k]);
    FN(sum_wrench)(p, z, W LANE_ON);
}

/* Adds the initial impulses to the velocities. */
KERNEL void FN(warm_start)(RgPatchLanes *p, double *all LANE)
{
    REAL V[2][6], W[6];
    LOAD_BODY(p->mover[0], all, V[0]);
    LOAD_BODY(p->mover[1], all, V[1]);
    FN(wrench)(p, W LANE_ON);
    FN(apply)(p, W, V LANE_ON);
    STORE_BODY(p->mover[0], all, V[0]);
    STORE_BODY(p->mover[1], all, V[1]);
}
