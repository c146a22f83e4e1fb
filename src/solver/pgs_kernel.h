/*
 * pgs_kernel.h - what solver `pgs` does with a bundle of rows, written once and compiled twice: for one lane
 * in plain numbers (pgs_rows.c), for four lanes at once (pgs_rows_simd.c). The same operations in the same
 * order: the same bits. The includer defines
 *
 *   REAL, MASK            a number in each lane; a truth value in each lane
 *   LOAD(x), STORE(x, a)  of a field; BOTH(c) a constant; SELECT(m, a, b); ROOT(a)
 *   MORE(a, b), LESS      a > b ? a : b;  a < b ? a : b;  ANY(m): in some lane
 *   FN(name), KERNEL      its own names, and how its functions are declared
 *   TAKE, GIVE            velocities of a block out of V and back
 *
 * A row (003, eqs. 11-13):   d = per (target - J V - C z),   z <- P(z + d),   V <- V + J' dz
 *
 * Rows of a bundle are on the same velocities. So first all J V are taken, next to each other; then row after
 * row takes its impulse, and the later rows learn of it by J_k . J_j alone; then all impulses go into V. That
 * is Gauss-Seidel as it is written, without a row having to wait for velocities to be written and read.
 */

/* Lengths below this are nothing: keeps a division by one from being by zero. */
#define LEAST 1e-300

/* J V */
KERNEL REAL FN(look)(const RgPgsRow *r, REAL V[2][6] LANE)
{
    REAL side[2];
    for (int k = 0; k < 2; k++) {
        REAL even = LOAD(r->J[k][0]) * V[k][0] + LOAD(r->J[k][2]) * V[k][2] + LOAD(r->J[k][4]) * V[k][4];
        REAL odd = LOAD(r->J[k][1]) * V[k][1] + LOAD(r->J[k][3]) * V[k][3] + LOAD(r->J[k][5]) * V[k][5];
        side[k] = even + odd;
    }
    return side[0] + side[1];
}

KERNEL void FN(push)(const RgPgsRow *r, REAL d, REAL V[2][6] LANE)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 6; i++)
            V[k][i] += LOAD(r->J[k][i]) * d;
}

/* z + d before it is bounded, w = J V. */
KERNEL REAL FN(wish)(const RgPgsRow *r, REAL w LANE)
{
    return (LOAD(r->decay) * LOAD(r->z) + LOAD(r->goal)) - LOAD(r->per) * w;
}

/* The row's impulse becomes next, as far as keep lets it. Returns the change. */
KERNEL REAL FN(become)(RgPgsRow *r, REAL next, REAL keep, REAL *squares LANE)
{
    REAL z = LOAD(r->z), d = keep * (next - z), change = d * LOAD(r->diagonal);
    STORE(r->z, z + d);
    *squares += change * change;
    return d;
}

/* The rows after k learn of its change d. */
KERNEL void FN(tell)(RgPgsLane *between, int k, int n, REAL d, REAL *w LANE)
{
    for (int j = k + 1; j < n; j++)
        w[j] += LOAD(between[rg_pgs_pairs(j) + k]) * d;
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

/* n rows, a constant where this is called. */
KERNEL void FN(visit_some)(RgPgsLanes *p, int n, double part, double *all, double *sum LANE)
{
    REAL V[2][6], w[RG_PGS_JOINT_ROWS], d[RG_PGS_JOINT_ROWS], squares = LOAD(sum), keep = BOTH(part);
    FN(take_both)(p, all, V LANE_ON);
    for (int k = 0; k < n; k++)
        w[k] = FN(look)(&p->rows[k], V LANE_ON);
    for (int k = 0; k < n; k++) {
        RgPgsRow *r = &p->rows[k];
        REAL next = MORE(LOAD(r->low), FN(wish)(r, w[k] LANE_ON));
        d[k] = FN(become)(r, LESS(LOAD(r->high), next), keep, &squares LANE_ON);
        FN(tell)(p->between, k, n, d[k], w LANE_ON);
    }
    for (int k = 0; k < n; k++)
        FN(push)(&p->rows[k], d[k], V LANE_ON);
    FN(give_both)(p, all, V LANE_ON);
    STORE(sum, squares);
}

/* n rows as a whole, a constant where this is called. */
KERNEL void FN(visit_block)(RgPgsLanes *p, int n, double *all, double *sum LANE)
{
    REAL V[2][6], miss[RG_PGS_JOINT_ROWS], d[RG_PGS_JOINT_ROWS], squares = LOAD(sum);
    FN(take_both)(p, all, V LANE_ON);
    for (int k = 0; k < n; k++)
        miss[k] = FN(wish)(&p->rows[k], FN(look)(&p->rows[k], V LANE_ON) LANE_ON);
    for (int k = 0; k < n; k++) {
        d[k] = LOAD(p->block[k * n]) * miss[0];
        for (int j = 1; j < n; j++)
            d[k] += LOAD(p->block[k * n + j]) * miss[j];
    }
    for (int k = 0; k < n; k++) {
        RgPgsRow *r = &p->rows[k];
        REAL change = d[k] * LOAD(r->diagonal);
        STORE(r->z, LOAD(r->z) + d[k]);
        squares += change * change;
        FN(push)(r, d[k], V LANE_ON);
    }
    FN(give_both)(p, all, V LANE_ON);
    STORE(sum, squares);
}

KERNEL void FN(visit_blocks)(RgPgsLanes *p, double *all, double *sum LANE)
{
    switch (p->nrows) {
    case 1:
        FN(visit_block)(p, 1, all, sum LANE_ON);
        break;
    case 3:
        FN(visit_block)(p, 3, all, sum LANE_ON);
        break;
    case 5:
        FN(visit_block)(p, 5, all, sum LANE_ON);
        break;
    case 6:
        FN(visit_block)(p, 6, all, sum LANE_ON);
        break;
    default:
        FN(visit_block)(p, p->nrows, all, sum LANE_ON);
    }
}

KERNEL void FN(visit_rows)(RgPgsLanes *p, double part, double *all, double *sum LANE)
{
    if (p->block != NULL) {
        FN(visit_blocks)(p, all, sum LANE_ON);
        return;
    }
    switch (p->nrows) {
    case 1:
        FN(visit_some)(p, 1, part, all, sum LANE_ON);
        break;
    case 2:
        FN(visit_some)(p, 2, part, all, sum LANE_ON);
        break;
    case 3:
        FN(visit_some)(p, 3, part, all, sum LANE_ON);
        break;
    case 4:
        FN(visit_some)(p, 4, part, all, sum LANE_ON);
        break;
    case 5:
        FN(visit_some)(p, 5, part, all, sum LANE_ON);
        break;
    default:
        FN(visit_some)(p, p->nrows, part, all, sum LANE_ON);
    }
}

/* Two tangents at once, brought back to the edge of their cone along the radius; where friction acts along
   one of them only, or not at all, each by itself. In: what they wish; out: what they may have. */
KERNEL void FN(bring_back)(const RgPgsRow *r, REAL n, REAL *x, REAL *y LANE)
{
    REAL bound1 = LOAD(r[0].high) * n, bound2 = LOAD(r[1].high) * n, reach = bound1 * bound2;
    REAL a = *x * bound2, b = *y * bound1, length2 = a * a + b * b;
    MASK outside = length2 > reach * reach, flat = reach <= BOTH(0.0);
    if (ANY(outside)) {
        REAL back = reach / MORE(ROOT(length2), BOTH(LEAST));
        *x = SELECT(outside, back * *x, *x);
        *y = SELECT(outside, back * *y, *y);
    }
    if (ANY(flat)) {
        REAL alone_x = LESS(bound1, MORE(-bound1, *x)), alone_y = LESS(bound2, MORE(-bound2, *y));
        *x = SELECT(flat, alone_x, *x);
        *y = SELECT(flat, alone_y, *y);
    }
}

/* n friction rows of any kind. */
KERNEL void FN(rub_some)(RgPgsLanes *p, int n, double part, double *all, double *sum LANE)
{
    REAL V[2][6], w[RG_PGS_FRICTION], d[RG_PGS_FRICTION], squares = LOAD(sum), keep = BOTH(part);
    RgPgsRow *rows = p->rows + p->nrows;
    RgPgsLane *between = p->between + rg_pgs_pairs(p->nrows);
    FN(take_both)(p, all, V LANE_ON);
    for (int k = 0; k < n; k++)
        w[k] = FN(look)(&rows[k], V LANE_ON);
    for (int k = 0; k < n; k++) {
        RgPgsRow *r = &rows[k];
        REAL normal = p->normal[k] >= 0 ? LOAD(p->rows[p->normal[k]].z) : BOTH(1.0);
        REAL x = FN(wish)(r, w[k] LANE_ON);
        if (p->cone[k]) {
            REAL y = FN(wish)(r + 1, w[k + 1] LANE_ON);
            FN(bring_back)(r, normal, &x, &y LANE_ON);
            d[k] = FN(become)(r, x, keep, &squares LANE_ON);
            FN(tell)(between, k, n, d[k], w LANE_ON);
            k++;
            d[k] = FN(become)(r + 1, y, keep, &squares LANE_ON);
        } else {
            x = LESS(LOAD(r->high) * normal, MORE(LOAD(r->low) * normal, x));
            d[k] = FN(become)(r, x, keep, &squares LANE_ON);
        }
        FN(tell)(between, k, n, d[k], w LANE_ON);
    }
    for (int k = 0; k < n; k++)
        FN(push)(&rows[k], d[k], V LANE_ON);
    FN(give_both)(p, all, V LANE_ON);
    STORE(sum, squares);
}

/* The cones of n points, a constant where this is called, and no other friction. */
KERNEL void FN(rub_cones)(RgPgsLanes *p, int n, double part, double *all, double *sum LANE)
{
    REAL V[2][6], w[2 * RG_PGS_POINTS], d[2 * RG_PGS_POINTS], squares = LOAD(sum), keep = BOTH(part);
    RgPgsRow *rows = p->rows + p->nrows;
    RgPgsLane *between = p->between + rg_pgs_pairs(p->nrows);
    FN(take_both)(p, all, V LANE_ON);
    for (int k = 0; k < 2 * n; k++)
        w[k] = FN(look)(&rows[k], V LANE_ON);
    for (int k = 0; k < 2 * n; k += 2) {
        RgPgsRow *r = &rows[k];
        REAL x = LOAD(r[0].decay) * LOAD(r[0].z) - LOAD(r[0].per) * w[k];
        REAL y = LOAD(r[1].decay) * LOAD(r[1].z) - LOAD(r[1].per) * w[k + 1];
        FN(bring_back)(r, LOAD(p->rows[k / 2].z), &x, &y LANE_ON);
        d[k] = FN(become)(r, x, keep, &squares LANE_ON);
        d[k + 1] = FN(become)(r + 1, y, keep, &squares LANE_ON);
        FN(tell)(between, k, 2 * n, d[k], w LANE_ON);
        FN(tell)(between, k + 1, 2 * n, d[k + 1], w LANE_ON);
    }
    for (int k = 0; k < 2 * n; k++)
        FN(push)(&rows[k], d[k], V LANE_ON);
    FN(give_both)(p, all, V LANE_ON);
    STORE(sum, squares);
}

KERNEL void FN(visit_friction)(RgPgsLanes *p, double part, double *all, double *sum LANE)
{
    switch (p->cones ? p->nrows : 0) {
    case 1:
        FN(rub_cones)(p, 1, part, all, sum LANE_ON);
        break;
    case 2:
        FN(rub_cones)(p, 2, part, all, sum LANE_ON);
        break;
    case 3:
        FN(rub_cones)(p, 3, part, all, sum LANE_ON);
        break;
    case 4:
        FN(rub_cones)(p, 4, part, all, sum LANE_ON);
        break;
    default:
        FN(rub_some)(p, p->nfriction, part, all, sum LANE_ON);
    }
}
