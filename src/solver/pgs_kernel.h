/*
 * pgs_kernel.h - what solver `pgs` does with a bundle of rows, written once and compiled twice: for one lane in plain
 * numbers (pgs_rows.c), for four lanes at once (pgs_rows_simd.c). The same operations in the same order: the same bits.
 * The includer defines
 *
 *   REAL, MASK            a number in each lane; a truth value in each lane
 *   LOAD(x), STORE(x, a)  of a field; BOTH(c) a constant; SELECT(m, a, b); ROOT(a)
 *   FN(name), KERNEL      its own names, and how its functions are declared
 *   TAKE, GIVE            velocities of a block out of V and back
 *
 * A row (003, eqs. 11-13):   d = per (target - J V - C z),   z <- P(z + d),   V <- V + J' dz
 */

/* Lengths below this are nothing: keeps a division by one from being by zero. */
#define LEAST 1e-300

/* target - J V - C z */
KERNEL REAL FN(miss)(const RgPgsRow *r, REAL V[2][6] LANE)
{
    REAL side[2];
    for (int k = 0; k < 2; k++) {
        REAL even = LOAD(r->J[k][0]) * V[k][0] + LOAD(r->J[k][2]) * V[k][2] + LOAD(r->J[k][4]) * V[k][4];
        REAL odd = LOAD(r->J[k][1]) * V[k][1] + LOAD(r->J[k][3]) * V[k][3] + LOAD(r->J[k][5]) * V[k][5];
        side[k] = even + odd;
    }
    return (LOAD(r->target) - LOAD(r->compliance) * LOAD(r->z)) - (side[0] + side[1]);
}

KERNEL void FN(push)(const RgPgsRow *r, REAL d, REAL V[2][6] LANE)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 6; i++)
            V[k][i] += LOAD(r->J[k][i]) * d;
}

/* The row's impulse becomes next, as far as keep lets it. */
KERNEL REAL FN(become)(RgPgsRow *r, REAL next, REAL keep, REAL V[2][6] LANE)
{
    REAL z = LOAD(r->z), d = keep * (next - z), change = d * LOAD(r->diagonal);
    STORE(r->z, z + d);
    FN(push)(r, d, V LANE_ON);
    return change * change;
}

KERNEL REAL FN(clamp)(REAL x, REAL low, REAL high LANE)
{
    LANE_IGNORED
    x = SELECT(x < low, low, x);
    return SELECT(x > high, high, x);
}

KERNEL void FN(take_both)(const RgPgsLanes *p, const double *all, REAL V[2][6] LANE)
{
    TAKE(p->place[0], all, V[0]);
    TAKE(p->place[1], all, V[1]);
}

KERNEL void FN(give_both)(const RgPgsLanes *p, double *all, REAL V[2][6] LANE)
{
    GIVE(p->place[0], all, V[0]);
    GIVE(p->place[1], all, V[1]);
}

KERNEL void FN(begin)(RgPgsLanes *p, double *all LANE)
{
    REAL V[2][6];
    FN(take_both)(p, all, V LANE_ON);
    for (int k = 0; k < p->nrows + p->nfriction; k++)
        FN(push)(&p->rows[k], LOAD(p->rows[k].z), V LANE_ON);
    FN(give_both)(p, all, V LANE_ON);
}

KERNEL void FN(visit_rows)(RgPgsLanes *p, double part, double *all, double *sum LANE)
{
    REAL V[2][6], squares = LOAD(sum), keep = BOTH(part);
    FN(take_both)(p, all, V LANE_ON);
    for (int k = 0; k < p->nrows; k++) {
        RgPgsRow *r = &p->rows[k];
        REAL next = LOAD(r->z) + LOAD(r->per) * FN(miss)(r, V LANE_ON);
        next = FN(clamp)(next, LOAD(r->low), LOAD(r->high) LANE_ON);
        squares += FN(become)(r, next, keep, V LANE_ON);
    }
    FN(give_both)(p, all, V LANE_ON);
    STORE(sum, squares);
}

/* Two tangents at once, brought back to the edge of their cone along the radius; where friction acts along one of them
   only, or not at all, each by itself. */
KERNEL REAL FN(visit_pair)(RgPgsRow *r, REAL n, REAL keep, REAL V[2][6] LANE)
{
    REAL bound1 = LOAD(r[0].high) * n, bound2 = LOAD(r[1].high) * n, reach = bound1 * bound2;
    REAL x = LOAD(r[0].z) + LOAD(r[0].per) * FN(miss)(&r[0], V LANE_ON);
    REAL y = LOAD(r[1].z) + LOAD(r[1].per) * FN(miss)(&r[1], V LANE_ON);
    REAL a = x * bound2, b = y * bound1, length = ROOT(a * a + b * b);
    REAL back = SELECT(length > reach, reach / SELECT(length > BOTH(LEAST), length, BOTH(LEAST)), BOTH(1.0));
    REAL alone_x = FN(clamp)(x, -bound1, bound1 LANE_ON), alone_y = FN(clamp)(y, -bound2, bound2 LANE_ON);
    MASK both = reach > BOTH(0.0);
    REAL squares = FN(become)(&r[0], SELECT(both, back * x, alone_x), keep, V LANE_ON);
    return squares + FN(become)(&r[1], SELECT(both, back * y, alone_y), keep, V LANE_ON);
}

KERNEL void FN(visit_friction)(RgPgsLanes *p, double part, double *all, double *sum LANE)
{
    REAL V[2][6], squares = LOAD(sum), keep = BOTH(part);
    FN(take_both)(p, all, V LANE_ON);
    for (int k = 0; k < p->nfriction; k++) {
        RgPgsRow *r = &p->rows[p->nrows + k];
        REAL n = p->normal[k] >= 0 ? LOAD(p->rows[p->normal[k]].z) : BOTH(1.0);
        if (p->cone[k]) {
            squares += FN(visit_pair)(r, n, keep, V LANE_ON);
            k++;
            continue;
        }
        REAL next = LOAD(r->z) + LOAD(r->per) * FN(miss)(r, V LANE_ON);
        next = FN(clamp)(next, LOAD(r->low) * n, LOAD(r->high) * n LANE_ON);
        squares += FN(become)(r, next, keep, V LANE_ON);
    }
    FN(give_both)(p, all, V LANE_ON);
    STORE(sum, squares);
}
