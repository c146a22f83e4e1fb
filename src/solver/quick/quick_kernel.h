/*
 * quick_kernel.h - what solver `quick` does with a patch, written once and compiled twice: for one lane in
 * plain numbers (quick_patch.c), for four lanes at once (quick_patch_simd.c). The same operations in the same
 * order: the same bits. The includer defines
 *
 *   REAL, MASK            a number in each lane; a truth value in each lane
 *   LOAD(x), STORE(x, a)  of a field; BOTH(c) a constant; SELECT(m, a, b); ROOT(a); ANY_NOT(m)
 *   FN(name), KERNEL      its own names, and how its functions are declared
 *   TAKE, GIVE            velocities of a mover out of V and back
 *   LOOKED(p)             whether look_at_points was done; says so the next time
 *   LANES_NOT(m)          bits of the lanes where m is not; 1 or 0 if it leaves that to this file
 *   GIVE_SOME             as GIVE, for the lanes of such bits: velocities of open patches keep even the sign of a zero
 *
 * Response. With R the patch's axes, rho = R arm, X f = rho x f, I the inverse inertia in these axes, each
 * side adds
 *
 *   K_uu = 1/mass + X' I X        K_wu = I X        K_ww = I
 *
 * to the response of the relative velocity (u, w) at the mean to a wrench (f, m) there.
 *
 * Visit. First the whole patch at once: its wrench W + K^-1 (aim - y) keeps all targets. It is dealt out to the
 * points, c the centre of the normal impulses,
 *
 *   n_i = N / count + beta r_i - gamma s_i + t slack_i        (a, b)_i = n_i (F / N + omega x (d_i - c))
 *
 * If that is allowed, all points stick and keep their targets: this is the exact solution given all other
 * patches. Otherwise the points one after another: normal first, then the tangents: what sticks exactly (two by
 * two); if that is too much, a step against the slip with the larger eigenvalue, brought back to the edge, the only
 * step whose resting points are sliding against friction. (More rounds over the points gain nothing: what is slow is
 * how patches agree with each other.)
 */

/* Place of K_ij, i >= j, in the lower half. */
#define AT(i, j) ((i) >= (j) ? (i) * ((i) + 1) / 2 + (j) : (j) * ((j) + 1) / 2 + (i))
/* Less is nothing: keeps a division from being one by zero. */
#define LEAST2 1e-300
/* Part of a response below which it is round-off. A mechanism may be unable to move along some axis of a patch: what
   cannot be pushed gets no impulse. */
#define SINGULAR 1e-11
/* Visits without trying the whole patch at once, after two in a row in which that failed: it is a quarter of a visit,
   and in a tower that falls it failed for all lanes in 87 % of them. With 3 a tower of 30 levels at rest drifts 0.018
   mm, with 1 0.0014. */
#define PASSES 1.0

#ifndef LANES_NOT
#define LANES_NOT(m) (!(m))
#define GIVE_SOME(mover, all, V, lanes) GIVE(mover, all, V)
#endif

/* A loop of few turns that must not stay one: places in triangles are then constants. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* ------------------------------------------------------------------ set-up */

/* The axes times a vector of the world. */
KERNEL void FN(to_axes)(const RgPatchLanes *p, const REAL x[3], REAL out[3] LANE)
{
    for (int i = 0; i < 3; i++)
        out[i] = LOAD(p->axis[i][0]) * x[0] + LOAD(p->axis[i][1]) * x[1] + LOAD(p->axis[i][2]) * x[2];
}

/* One side's part of K. */
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
        UNROLL for (int i = 0; i < 3; i++) if (j <= i) K[AT(i, j)] += i == j ? mass + column[i] : column[i];
        UNROLL for (int i = 0; i < 3; i++) K[AT(3 + i, j)] += G[i][j];
        UNROLL for (int i = 0; i < 3; i++) if (j <= i) K[AT(3 + i, 3 + j)] += I[i][j];
    }
}

/* Inverse of the active part of K by A = L D L', L^-1 in place of L. A pivot is K_jj / (A^-1)_jj of the leading part of
   A, so the first of the two checks only saves what would not be a number from the second. */
KERNEL void FN(invert)(RgPatchLanes *p, const REAL K[21] LANE)
{
    REAL L[21], scale[6], active[6];
    UNROLL for (int i = 0; i < 6; i++) active[i] = LOAD(p->active[i]);
    UNROLL for (int i = 0; i < 6; i++) UNROLL for (int j = 0; j < 6; j++) if (j <= i) L[AT(i, j)] =
        i == j ? K[AT(i, i)] * active[i] + (BOTH(1.0) - active[i]) : K[AT(i, j)] * (active[i] * active[j]);
    MASK regular = LOAD(p->rigid) > BOTH(0.0);
    UNROLL for (int j = 0; j < 6; j++)
    {
        REAL whole = K[AT(j, j)] * active[j] + (BOTH(1.0) - active[j]);
        regular = regular & (L[AT(j, j)] * BOTH(RG_PATCH_DEPENDENT) > whole);
        scale[j] = BOTH(1.0) / L[AT(j, j)];
        UNROLL for (int i = 0; i < 6; i++)
        {
            REAL l = L[AT(i, j)] * scale[j];
            UNROLL for (int k = 0; k < 6; k++) if (j < k && k <= i) L[AT(i, k)] -= l * L[AT(k, j)];
        }
        UNROLL for (int i = 0; i < 6; i++) if (j < i) L[AT(i, j)] *= scale[j];
    }
    UNROLL for (int j = 0; j < 6; j++) UNROLL for (int i = 0; i < 6; i++) if (j < i)
    {
        REAL sum = -L[AT(i, j)];
        UNROLL for (int k = 0; k < 6; k++) if (j < k && k < i) sum -= L[AT(i, k)] * L[AT(k, j)];
        L[AT(i, j)] = sum;
    }
    UNROLL for (int i = 0; i < 6; i++) UNROLL for (int j = 0; j < 6; j++) if (j <= i)
    {
        REAL sum = (i == j ? BOTH(1.0) : L[AT(i, j)]) * scale[i];
        UNROLL for (int k = 0; k < 6; k++) if (i < k) sum += L[AT(k, i)] * scale[k] * L[AT(k, j)];
        STORE(p->inverse[AT(i, j)], sum * (active[i] * active[j]));
        if (i == j)
            regular = regular & (sum * (K[AT(i, i)] * active[i]) <= BOTH(RG_PATCH_DEPENDENT));
    }
    STORE(p->rigid, SELECT(regular, BOTH(1.0), BOTH(0.0)));
}

/* The same where only the first three rows are active, as of a single point. */
KERNEL void FN(invert_point)(RgPatchLanes *p, const REAL K[6] LANE)
{
    REAL active[3], whole[3], none = BOTH(0.0), one = BOTH(1.0);
    UNROLL for (int i = 0; i < 3; i++)
    {
        active[i] = LOAD(p->active[i]);
        whole[i] = K[AT(i, i)] * active[i] + (one - active[i]);
    }
    REAL a10 = K[AT(1, 0)] * (active[1] * active[0]), a20 = K[AT(2, 0)] * (active[2] * active[0]),
         a21 = K[AT(2, 1)] * (active[2] * active[1]);
    REAL s0 = one / whole[0], l10 = a10 * s0, l20 = a20 * s0;
    REAL d1 = whole[1] - l10 * a10, b21 = a21 - l20 * a10, d2 = whole[2] - l20 * a20;
    REAL s1 = one / d1, l21 = b21 * s1;
    d2 = d2 - l21 * b21;
    REAL s2 = one / d2, m10 = -l10, m21 = -l21, m20 = -l20 - m21 * l10;
    REAL inverse[6] = {
        s0 + m10 * s1 * m10 + m20 * s2 * m20, m10 * s1 + m21 * s2 * m20, s1 + m21 * s2 * m21, m20 * s2, m21 * s2, s2};
    MASK regular = (LOAD(p->rigid) > none) & (whole[0] * BOTH(RG_PATCH_DEPENDENT) > whole[0]) &
                   (d1 * BOTH(RG_PATCH_DEPENDENT) > whole[1]) & (d2 * BOTH(RG_PATCH_DEPENDENT) > whole[2]);
    UNROLL for (int i = 0; i < 3; i++)
    {
        UNROLL for (int j = 0; j < 3; j++) if (j <= i)
            STORE(p->inverse[AT(i, j)], inverse[AT(i, j)] * (active[i] * active[j]));
        regular = regular & (inverse[AT(i, i)] * (K[AT(i, i)] * active[i]) <= BOTH(RG_PATCH_DEPENDENT));
    }
    for (int i = 6; i < 21; i++)
        STORE(p->inverse[i], none);
    STORE(p->rigid, SELECT(regular, one, none));
}

/* Velocity whose plane is nearest to the targets, and each point's own response along the normal. */
KERNEL void FN(aim)(RgPatchLanes *p, const REAL K[21] LANE)
{
    REAL mean = BOTH(0.0), tilt_r = BOTH(0.0), tilt_s = BOTH(0.0), none = BOTH(0.0);
    REAL least = BOTH(SINGULAR) * (K[AT(0, 0)] + K[AT(1, 1)] + K[AT(2, 2)]);
    STORE(p->least, least);
    for (int i = p->points; i < RG_PATCH_POINTS; i++)
        STORE(p->per_normal[i], none);
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]), r = LOAD(p->place[i][1]), b = LOAD(p->present[i]) * LOAD(p->target[i]);
        mean += b;
        tilt_r += r * b;
        tilt_s -= s * b;
        REAL response = K[AT(2, 2)] + LOAD(p->compliance[0]) + r * r * K[AT(3, 3)] + s * s * K[AT(4, 4)] +
                        BOTH(2.0) * (r * K[AT(3, 2)] - s * K[AT(4, 2)] - r * s * K[AT(4, 3)]);
        STORE(p->per_normal[i], SELECT(response > least, LOAD(p->present[i]) / response, none));
    }
    for (int i = 0; i < 6; i++)
        STORE(p->aim[i], BOTH(0.0));
    STORE(p->aim[2], mean * LOAD(p->share));
    STORE(p->aim[3], LOAD(p->spread[0]) * tilt_r + LOAD(p->spread[1]) * tilt_s);
    STORE(p->aim[4], LOAD(p->spread[1]) * tilt_r + LOAD(p->spread[2]) * tilt_s);
}

/* K of two free movers. */
KERNEL void FN(respond_free)(RgPatchLanes *p LANE)
{
    REAL K[21];
    for (int i = 0; i < 21; i++)
        K[i] = BOTH(0.0);
    FN(add_side)(p, 0, K LANE_ON);
    FN(add_side)(p, 1, K LANE_ON);
    for (int i = 0; i < 21; i++)
        STORE(p->K[i], K[i]);
}

/* What hardly moves along an axis of its plane (joints hold it) is not solved as a whole: its points leave that axis
   out. */
KERNEL void FN(leave_held)(RgPatchLanes *p, const REAL K[6] LANE)
{
    MASK moves = LOAD(p->rigid) > BOTH(0.0);
    UNROLL for (int i = 0; i < 3; i++) moves =
        moves & ((K[AT(i, i)] > LOAD(p->least)) | (LOAD(p->active[i]) == BOTH(0.0)));
    STORE(p->rigid, SELECT(moves, BOTH(1.0), BOTH(0.0)));
}

/* The rest, given K, of a single point: what follows from its place is zero. */
KERNEL void FN(finish_point)(RgPatchLanes *p, const REAL free[6] LANE)
{
    REAL K[6], none = BOTH(0.0);
    for (int i = 0; i < 6; i++)
        K[i] = LOAD(p->K[i]);
    FN(invert_point)(p, K LANE_ON);
    REAL least = BOTH(SINGULAR) * (K[AT(0, 0)] + K[AT(1, 1)] + K[AT(2, 2)]);
    REAL response = K[AT(2, 2)] + LOAD(p->compliance[0]);
    STORE(p->least, least);
    STORE(p->per_normal[0], SELECT(response > least, LOAD(p->present[0]) / response, none));
    for (int i = 1; i < RG_PATCH_POINTS; i++)
        STORE(p->per_normal[i], none);
    STORE(p->reach2, none);
    for (int i = 0; i < 6; i++) {
        STORE(p->aim[i], none);
        STORE(p->free[i], free[i]);
    }
    STORE(p->aim[2], LOAD(p->present[0]) * LOAD(p->target[0]) * LOAD(p->share));
    FN(leave_held)(p, K LANE_ON);
}

/* The same of any patch. */
KERNEL void FN(finish)(RgPatchLanes *p, const REAL free[6] LANE)
{
    if (p->points == 1) {
        FN(finish_point)(p, free LANE_ON);
        return;
    }
    REAL K[21], reach2 = BOTH(0.0);
    for (int i = 0; i < 21; i++)
        K[i] = LOAD(p->K[i]);
    FN(invert)(p, K LANE_ON);
    FN(aim)(p, K LANE_ON);
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]), r = LOAD(p->place[i][1]);
        reach2 += LOAD(p->present[i]) * (s * s + r * r);
    }
    reach2 *= LOAD(p->share);
    STORE(p->reach2, reach2);
    FN(leave_held)(p, K LANE_ON);
    for (int i = 0; i < 6; i++)
        STORE(p->free[i], free[i]);
}

/* ------------------------------------------------------------------ one patch, given all others */

/* Whether the tangents lie within friction's reach of n. */
#define LENGTH2(a, b) ((a)*stretch1 * ((a)*stretch1) + (b)*stretch2 * ((b)*stretch2))
#define HOLDS(n, a, b) (LENGTH2(a, b) <= (n)*mu * ((n)*mu))

/* Normal impulses that make N and the moments M1, M2 about the mean. Three points or less have one answer. Four
   have a line of them, n + t slack; of these the nearest to the one of least squares that is allowed. */
KERNEL MASK FN(share_normals)(const RgPatchLanes *p, const REAL W[6], REAL n[RG_PATCH_POINTS] LANE)
{
    REAL beta = LOAD(p->spread[0]) * W[3] + LOAD(p->spread[1]) * W[4], mean = LOAD(p->share) * W[2];
    REAL gamma = LOAD(p->spread[1]) * W[3] + LOAD(p->spread[2]) * W[4], none = BOTH(0.0);
    REAL low = BOTH(-HUGE_VAL), high = BOTH(HUGE_VAL);
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

/* Tangents that make F and the moment M3 about the mean, as parts of the normals: as large as each can bear. */
KERNEL MASK FN(share_tangents)(const RgPatchLanes *p, const REAL W[6], const REAL n[RG_PATCH_POINTS],
                               REAL z[RG_PATCH_POINTS][3] LANE)
{
    REAL N = BOTH(LEAST2), cs = BOTH(0.0), cr = BOTH(0.0), inertia = BOTH(LEAST2);
    for (int i = 0; i < p->points; i++) {
        N += n[i];
        cs += n[i] * LOAD(p->place[i][0]);
        cr += n[i] * LOAD(p->place[i][1]);
    }
    REAL per = BOTH(1.0) / N;
    cs *= per;
    cr *= per;
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]) - cs, r = LOAD(p->place[i][1]) - cr;
        inertia += n[i] * (s * s + r * r);
    }
    REAL mu = LOAD(p->mu), stretch1 = LOAD(p->stretch[0]), stretch2 = LOAD(p->stretch[1]);
    REAL a = W[0] * per, b = W[1] * per, turn = (W[5] - cs * W[1] + cr * W[0]) / inertia;
    MASK good = (N > BOTH(LEAST2)) | (W[0] * W[0] + W[1] * W[1] + W[5] * W[5] <= BOTH(0.0));
    for (int i = 0; i < p->points; i++) {
        z[i][0] = n[i];
        z[i][1] = n[i] * (a - turn * (LOAD(p->place[i][1]) - cr));
        z[i][2] = n[i] * (b + turn * (LOAD(p->place[i][0]) - cs));
        good = good & HOLDS(n[i], z[i][1], z[i][2]);
    }
    return good;
}

/* The wrench of given impulses. */
KERNEL void FN(sum)(const RgPatchLanes *p, REAL z[RG_PATCH_POINTS][3], REAL W[6] LANE)
{
    UNROLL for (int i = 0; i < 6; i++) W[i] = BOTH(0.0);
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

/* All points at once. */
KERNEL MASK FN(settle_whole)(const RgPatchLanes *p, const REAL y[6], REAL z[RG_PATCH_POINTS][3], REAL dW[6] LANE)
{
    REAL e[6], W[6], n[RG_PATCH_POINTS];
    UNROLL for (int i = 0; i < 6; i++) e[i] = LOAD(p->aim[i]) - y[i];
    FN(sum)(p, z, W LANE_ON);
    UNROLL for (int i = 0; i < 6; i++)
    {
        REAL even =
            LOAD(p->inverse[AT(i, 0)]) * e[0] + LOAD(p->inverse[AT(i, 2)]) * e[2] + LOAD(p->inverse[AT(i, 4)]) * e[4];
        REAL odd =
            LOAD(p->inverse[AT(i, 1)]) * e[1] + LOAD(p->inverse[AT(i, 3)]) * e[3] + LOAD(p->inverse[AT(i, 5)]) * e[5];
        dW[i] = even + odd;
        W[i] += dW[i];
    }
    MASK good = FN(share_normals)(p, W, n LANE_ON);
    good = good & FN(share_tangents)(p, W, n, z LANE_ON);
    return good;
}

/* y after an impulse (n, a, b) at the point (s, r). */
KERNEL void FN(respond)(const RgPatchLanes *p, const REAL d[3], const REAL at[2], REAL y[6], REAL dW[6] LANE)
{
    REAL W[6] = {d[1], d[2], d[0], at[1] * d[0], -at[0] * d[0], at[0] * d[2] - at[1] * d[1]};
    UNROLL for (int i = 0; i < 6; i++)
    {
        REAL even = LOAD(p->K[AT(i, 0)]) * W[0] + LOAD(p->K[AT(i, 2)]) * W[2] + LOAD(p->K[AT(i, 4)]) * W[4];
        REAL odd = LOAD(p->K[AT(i, 1)]) * W[1] + LOAD(p->K[AT(i, 3)]) * W[3] + LOAD(p->K[AT(i, 5)]) * W[5];
        y[i] += even + odd;
        dW[i] += W[i];
    }
}

/* What a point by itself needs: how it answers along and across the tangents, and how they feel its normal. */
KERNEL void FN(look_at_points)(RgPatchLanes *p LANE)
{
    REAL turn = LOAD(p->K[AT(5, 5)]), none = BOTH(0.0);
    for (int i = 0; i < p->points; i++) {
        REAL s = LOAD(p->place[i][0]), r = LOAD(p->place[i][1]);
        REAL k11 = LOAD(p->K[AT(0, 0)]) - BOTH(2.0) * r * LOAD(p->K[AT(5, 0)]) + r * r * turn;
        REAL k22 = LOAD(p->K[AT(1, 1)]) + BOTH(2.0) * s * LOAD(p->K[AT(5, 1)]) + s * s * turn;
        REAL k12 = LOAD(p->K[AT(1, 0)]) + s * LOAD(p->K[AT(5, 0)]) - r * LOAD(p->K[AT(5, 1)]) - r * s * turn;
        REAL spin = LOAD(p->K[AT(5, 2)]) + r * LOAD(p->K[AT(5, 3)]) - s * LOAD(p->K[AT(5, 4)]);
        REAL rubs1 = LOAD(p->rubs[0]), rubs2 = LOAD(p->rubs[1]);
        k11 += LOAD(p->compliance[1]);
        k22 += LOAD(p->compliance[2]);
        k12 *= rubs1 * rubs2;
        k11 = SELECT(rubs1 > none, k11, k22);
        k22 = SELECT(rubs2 > none, k22, k11);
        REAL both = k11 * k22 - k12 * k12, half = BOTH(0.5) * (k11 - k22);
        REAL most = BOTH(0.5) * (k11 + k22) + ROOT(half * half + k12 * k12);
        REAL per = SELECT(both > BOTH(SINGULAR) * (k11 * k22), BOTH(1.0) / both, none);
        STORE(p->stick[i][0], k22 * per);
        STORE(p->stick[i][1], k12 * per);
        STORE(p->stick[i][2], k11 * per);
        STORE(p->slip[i], SELECT(most > LOAD(p->least), BOTH(1.0) / most, none));
        STORE(p->felt[i][0], LOAD(p->K[AT(0, 2)]) + r * LOAD(p->K[AT(0, 3)]) - s * LOAD(p->K[AT(0, 4)]) - r * spin);
        STORE(p->felt[i][1], LOAD(p->K[AT(1, 2)]) + r * LOAD(p->K[AT(1, 3)]) - s * LOAD(p->K[AT(1, 4)]) + s * spin);
    }
}

/* The tangents of point i, whose normal is found and whose velocity across it is v. */
KERNEL void FN(settle_tangents)(const RgPatchLanes *p, int i, const REAL v[2], REAL z[3] LANE)
{
    REAL mu = LOAD(p->mu), reach = z[0] * mu, stretch1 = LOAD(p->stretch[0]), stretch2 = LOAD(p->stretch[1]);
    REAL v1 = v[0] + LOAD(p->compliance[1]) * z[1], v2 = v[1] + LOAD(p->compliance[2]) * z[2];

    /* Stick; where that cannot be said, never. */
    REAL per11 = LOAD(p->stick[i][0]), per12 = LOAD(p->stick[i][1]), per22 = LOAD(p->stick[i][2]);
    REAL a = z[1] - (per11 * v1 - per12 * v2), b = z[2] - (per22 * v2 - per12 * v1);
    MASK sticks = (per11 > BOTH(0.0)) & HOLDS(z[0], a, b);

    /* Slip, brought back along the radius (disc_retract of cone_projection.h). */
    REAL step = LOAD(p->slip[i]);
    REAL slid_a = z[1] - step * v1, slid_b = z[2] - step * v2;
    REAL length2 = LENGTH2(slid_a, slid_b);
    REAL back = SELECT(length2 > reach * reach, reach / ROOT(length2 + BOTH(LEAST2)), BOTH(1.0));
    z[1] = SELECT(sticks, a, slid_a * back) * LOAD(p->rubs[0]) + BOTH(0.0); /* no -0: as open patches have it */
    z[2] = SELECT(sticks, b, slid_b * back) * LOAD(p->rubs[1]) + BOTH(0.0);
}

/* Point after point. from: velocity as the patch finds it. */
KERNEL void FN(settle_points)(const RgPatchLanes *p, REAL y[6], REAL z[RG_PATCH_POINTS][3], REAL dW[6] LANE)
{
    REAL none = BOTH(0.0);
    UNROLL for (int i = 0; i < 6; i++) dW[i] = none;
    for (int i = 0; i < p->points; i++) {
        REAL at[2] = {LOAD(p->place[i][0]), LOAD(p->place[i][1])}, last[3] = {z[i][0], z[i][1], z[i][2]};
        REAL over = y[2] + at[1] * y[3] - at[0] * y[4] + LOAD(p->compliance[0]) * z[i][0] - LOAD(p->target[i]);
        REAL n = z[i][0] - over * LOAD(p->per_normal[i]);
        z[i][0] = SELECT(n > none, n, none);
        REAL more = z[i][0] - last[0];
        REAL v[2] = {y[0] - at[1] * y[5] + LOAD(p->felt[i][0]) * more,
                     y[1] + at[0] * y[5] + LOAD(p->felt[i][1]) * more};
        FN(settle_tangents)(p, i, v, z[i] LANE_ON);
        REAL d[3] = {more, z[i][1] - last[1], z[i][2] - last[2]};
        FN(respond)(p, d, at, y, dW LANE_ON);
    }
}

/* How much a visit changed the velocity y, and how much all impulses have changed it then. */
KERNEL void FN(measure)(RgPatchLanes *p, const REAL *y, const REAL *after, int parts LANE)
{
    REAL moved2[2] = {BOTH(0.0), BOTH(0.0)}, total2[2] = {BOTH(0.0), BOTH(0.0)}, slides2[2] = {BOTH(0.0), BOTH(0.0)};
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

/* Impulses of the points kept, and how far they moved. */
KERNEL void FN(keep)(RgPatchLanes *p, REAL last[RG_PATCH_POINTS][3], REAL z[RG_PATCH_POINTS][3] LANE)
{
    REAL change2 = BOTH(0.0), size2 = BOTH(0.0), along = BOTH(0.0);
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

/* Whether a patch without impulses gets none from this visit: every point moves away faster than its target. */
KERNEL MASK FN(open)(const RgPatchLanes *p, const REAL *y, int parts LANE)
{
    REAL none = BOTH(0.0);
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

/* A visit that leaves a patch open. */
KERNEL void FN(leave)(RgPatchLanes *p, const REAL *y, REAL *dW, int parts LANE)
{
    REAL none = BOTH(0.0);
    for (int i = 0; i < p->points; i++)
        for (int k = 0; k < 3; k++)
            STORE(p->z[i][k], none); /* and no -0 */
    STORE(p->whole, none);
    STORE(p->wait, none);
    STORE(p->change2, none);
    STORE(p->size2, none);
    STORE(p->along, none);
    UNROLL for (int i = 0; i < parts; i++) dW[i] = none;
    FN(measure)(p, y, y, parts LANE_ON);
}

/* The better of both, and how far the impulses moved. Returns the lanes that are not open. */
KERNEL int FN(settle)(RgPatchLanes *p, const REAL y[6], REAL dW[6] LANE)
{
    REAL last[RG_PATCH_POINTS][3], z[RG_PATCH_POINTS][3], after[6], none = BOTH(0.0), one = BOTH(1.0);
    MASK open = FN(open)(p, y, 6 LANE_ON);
    if (!ANY_NOT(open)) {
        FN(leave)(p, y, dW, 6 LANE_ON);
        return 0;
    }
    for (int i = 0; i < p->points; i++)
        for (int k = 0; k < 3; k++)
            z[i][k] = last[i][k] = LOAD(p->z[i][k]);
    REAL wait = LOAD(p->wait);
    MASK passed = (wait > none) | open, stuck = LOAD(p->whole) > none, whole = one <= none;
    if (ANY_NOT(passed)) {
        whole = FN(settle_whole)(p, y, z, dW LANE_ON) & (SELECT(passed, none, one) > none);
        UNROLL for (int i = 0; i < 6; i++) after[i] = y[i] + LOAD(p->active[i]) * (LOAD(p->aim[i]) - y[i]);
    } else {
        UNROLL for (int i = 0; i < 6; i++) after[i] = dW[i] = none;
    }
    STORE(p->whole, SELECT(whole, one, none));
    STORE(p->wait, SELECT(whole | stuck | open, none, SELECT(passed, wait - one, BOTH(PASSES))));
    if (ANY_NOT(whole | open)) {
        REAL other[RG_PATCH_POINTS][3], dW_other[6], y_other[6];
        if (!LOOKED(p))
            FN(look_at_points)(p LANE_ON);
        for (int i = 0; i < p->points; i++)
            for (int k = 0; k < 3; k++)
                other[i][k] = last[i][k];
        UNROLL for (int i = 0; i < 6; i++) y_other[i] = y[i];
        FN(settle_points)(p, y_other, other, dW_other LANE_ON);
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
    FN(keep)(p, last, z LANE_ON);
    FN(measure)(p, y, after, 6 LANE_ON);
    return LANES_NOT(open);
}

/* A point alone, in three numbers. dW: the impulse that is added, along t1, t2, n. */
KERNEL int FN(settle_point)(RgPatchLanes *p, const REAL y[3], REAL dW[3] LANE)
{
    MASK open = FN(open)(p, y, 3 LANE_ON);
    if (!ANY_NOT(open)) {
        FN(leave)(p, y, dW, 3 LANE_ON);
        return 0;
    }
    REAL last[RG_PATCH_POINTS][3], z[RG_PATCH_POINTS][3], e[3], none = BOTH(0.0);
    REAL mu = LOAD(p->mu), stretch1 = LOAD(p->stretch[0]), stretch2 = LOAD(p->stretch[1]);
    for (int k = 0; k < 3; k++) {
        last[0][k] = LOAD(p->z[0][k]);
        e[k] = LOAD(p->aim[k]) - y[k];
    }
    for (int k = 0; k < 3; k++)
        dW[k] =
            LOAD(p->inverse[AT(k, 0)]) * e[0] + LOAD(p->inverse[AT(k, 1)]) * e[1] + LOAD(p->inverse[AT(k, 2)]) * e[2];
    REAL n = last[0][0] + dW[2], a = last[0][1] + dW[0], b = last[0][2] + dW[1];
    MASK whole = (LOAD(p->rigid) > none) & (n >= none) & HOLDS(n, a, b) & (SELECT(open, none, BOTH(1.0)) > none);
    REAL after[3];
    for (int k = 0; k < 3; k++)
        after[k] = SELECT(LOAD(p->active[k]) > none, LOAD(p->aim[k]), y[k]);
    z[0][0] = n;
    z[0][1] = a;
    z[0][2] = b;
    if (ANY_NOT(whole)) {
        REAL other[3] = {last[0][0], last[0][1], last[0][2]};
        if (!LOOKED(p))
            FN(look_at_points)(p LANE_ON);
        REAL over = y[2] + LOAD(p->compliance[0]) * other[0] - LOAD(p->target[0]);
        REAL alone = other[0] - over * LOAD(p->per_normal[0]);
        other[0] = SELECT(alone > none, alone, none);
        REAL more = other[0] - last[0][0];
        REAL v[2] = {y[0] + LOAD(p->felt[0][0]) * more, y[1] + LOAD(p->felt[0][1]) * more};
        FN(settle_tangents)(p, 0, v, other LANE_ON);
        dW[0] = SELECT(whole, dW[0], other[1] - last[0][1]);
        dW[1] = SELECT(whole, dW[1], other[2] - last[0][2]);
        dW[2] = SELECT(whole, dW[2], more);
        for (int k = 0; k < 3; k++)
            z[0][k] = SELECT(whole, z[0][k], other[k]);
        for (int k = 0; k < 3; k++)
            after[k] = SELECT(
                whole, after[k],
                y[k] + (LOAD(p->K[AT(k, 0)]) * dW[0] + LOAD(p->K[AT(k, 1)]) * dW[1] + LOAD(p->K[AT(k, 2)]) * dW[2]));
    }
    STORE(p->whole, SELECT(whole, BOTH(1.0), none));
    FN(keep)(p, last, z LANE_ON);
    FN(measure)(p, y, after, 3 LANE_ON);
    return LANES_NOT(open);
}

/* ------------------------------------------------------------------ free movers */

/* V += the response of one side to a wrench on it at the mean, in the world's axes. */
KERNEL void FN(push)(const RgPatchLanes *p, int side, const REAL f[3], const REAL m[3], REAL V[6] LANE)
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

/* Velocity of one side at the mean: adds sign times it. */
KERNEL void FN(look)(const RgPatchLanes *p, int side, const REAL V[6], REAL sign, REAL u[3], REAL w[3] LANE)
{
    REAL x = LOAD(p->arm[side][0]), y = LOAD(p->arm[side][1]), z = LOAD(p->arm[side][2]);
    u[0] += sign * (V[0] + (V[4] * z - V[5] * y));
    u[1] += sign * (V[1] + (V[5] * x - V[3] * z));
    u[2] += sign * (V[2] + (V[3] * y - V[4] * x));
    for (int i = 0; i < 3; i++)
        w[i] += sign * V[3 + i];
}

/* Velocity of B less that of A at the mean, in the patch's axes. */
KERNEL void FN(relative)(const RgPatchLanes *p, REAL V[2][6], REAL y[6] LANE)
{
    REAL u[3], w[3];
    for (int i = 0; i < 3; i++)
        u[i] = w[i] = BOTH(0.0);
    FN(look)(p, 1, V[1], BOTH(1.0), u, w LANE_ON);
    FN(look)(p, 0, V[0], BOTH(-1.0), u, w LANE_ON);
    FN(to_axes)(p, u, y LANE_ON);
    FN(to_axes)(p, w, y + 3 LANE_ON);
}

/* What is made of what is given, between free movers; all: velocities without impulses. */
KERNEL void FN(prepare)(RgPatchLanes *p, const double *all LANE)
{
    REAL V[2][6], free[6];
    TAKE(p->mover[0], all, V[0]);
    TAKE(p->mover[1], all, V[1]);
    FN(relative)(p, V, free LANE_ON);
    FN(respond_free)(p LANE_ON);
    FN(finish)(p, free LANE_ON);
}

/* A wrench in the patch's axes on B, its opposite on A. */
KERNEL void FN(apply)(const RgPatchLanes *p, const REAL W[6], REAL V[2][6] LANE)
{
    REAL f[3], m[3], minus_f[3], minus_m[3];
    for (int i = 0; i < 3; i++) {
        f[i] = LOAD(p->axis[0][i]) * W[0] + LOAD(p->axis[1][i]) * W[1] + LOAD(p->axis[2][i]) * W[2];
        m[i] = LOAD(p->axis[0][i]) * W[3] + LOAD(p->axis[1][i]) * W[4] + LOAD(p->axis[2][i]) * W[5];
        minus_f[i] = -f[i];
        minus_m[i] = -m[i];
    }
    FN(push)(p, 1, f, m, V[1] LANE_ON);
    FN(push)(p, 0, minus_f, minus_m, V[0] LANE_ON);
}

/* A single point: forces without moments. */
KERNEL void FN(visit_point)(RgPatchLanes *p, double *all LANE)
{
    REAL V[2][6], u[3], w[3], y[3], dW[6], none = BOTH(0.0);
    TAKE(p->mover[0], all, V[0]);
    TAKE(p->mover[1], all, V[1]);
    for (int i = 0; i < 3; i++)
        u[i] = w[i] = none;
    FN(look)(p, 1, V[1], BOTH(1.0), u, w LANE_ON);
    FN(look)(p, 0, V[0], BOTH(-1.0), u, w LANE_ON);
    FN(to_axes)(p, u, y LANE_ON);
    int moved = FN(settle_point)(p, y, dW LANE_ON);
    if (moved == 0)
        return;
    dW[3] = dW[4] = dW[5] = none;
    FN(apply)(p, dW, V LANE_ON);
    GIVE_SOME(p->mover[0], all, V[0], moved);
    GIVE_SOME(p->mover[1], all, V[1], moved);
}

KERNEL void FN(visit)(RgPatchLanes *p, double *all LANE)
{
    REAL V[2][6], y[6], dW[6];
    TAKE(p->mover[0], all, V[0]);
    TAKE(p->mover[1], all, V[1]);
    FN(relative)(p, V, y LANE_ON);
    int moved = FN(settle)(p, y, dW LANE_ON);
    if (moved == 0)
        return;
    FN(apply)(p, dW, V LANE_ON);
    GIVE_SOME(p->mover[0], all, V[0], moved);
    GIVE_SOME(p->mover[1], all, V[1], moved);
}

/* The wrench of the impulses so far. */
KERNEL void FN(wrench)(const RgPatchLanes *p, REAL W[6] LANE)
{
    REAL z[RG_PATCH_POINTS][3];
    for (int i = 0; i < p->points; i++)
        for (int k = 0; k < 3; k++)
            z[i][k] = LOAD(p->z[i][k]);
    FN(sum)(p, z, W LANE_ON);
}

/* The first guess comes into the velocities. */
KERNEL void FN(begin)(RgPatchLanes *p, double *all LANE)
{
    REAL V[2][6], W[6];
    TAKE(p->mover[0], all, V[0]);
    TAKE(p->mover[1], all, V[1]);
    FN(wrench)(p, W LANE_ON);
    FN(apply)(p, W, V LANE_ON);
    GIVE(p->mover[0], all, V[0]);
    GIVE(p->mover[1], all, V[1]);
}
