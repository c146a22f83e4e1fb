/*
 * pgs_kernel.h - the operations of solver `pgs` on a bundle of rows, written once and compiled twice: for one lane in
 * scalar arithmetic (pgs_rows.c) and for four lanes at once (pgs_rows_simd.c). The same operations in the same order
 * give bitwise identical results. The including file defines
 *
 *   REAL, MASK               a number in each lane; a truth value in each lane
 *   LOAD(x), STORE(x, a)     load and store a field; SPLAT(c) a constant; SELECT(m, a, b); SQRT(a)
 *   MAX(a, b), MIN(a, b)     a > b ? a : b;  a < b ? a : b;  ANY(m): true in some lane
 *   FN(name), KERNEL         names and declaration specifiers of its functions
 *   LOAD_BLOCK, STORE_BLOCK  velocities of a block from V and back
 *
 * A row (003, eqs. 11-13):   d = per (target - J V - C z),   z <- P(z + d),   V <- V + J' dz
 *
 * Rows of a bundle act on the same velocities. So first all J V are computed; then the rows get their impulses one by
 * one, and the J V of later rows are updated by J_k . J_j; then all impulses are added to V. This is exact
 * Gauss-Seidel, but no row waits for velocities to be written and read.
 */

/* Smallest divisor: avoids a division by zero. */
#define TINY 1e-300

/* J V */
KERNEL REAL FN(row_velocity)(const RgPgsRow *r, REAL V[2][6] LANE)
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

/* z + d before projection; w = J V. */
KERNEL REAL FN(unbounded_impulse)(const RgPgsRow *r, REAL w LANE)
{
    return (LOAD(r->decay) * LOAD(r->z) + LOAD(r->goal)) - LOAD(r->per) * w;
}

/* Moves the impulse of the row towards next by the part keep. Returns the change. */
KERNEL REAL FN(set_impulse)(RgPgsRow *r, REAL next, REAL keep, REAL *squares LANE)
{
    REAL z = LOAD(r->z), d = keep * (next - z), change = d * LOAD(r->diagonal);
    STORE(r->z, z + d);
    *squares += change * change;
    return d;
}

/* Updates J V of the rows after k for its change d. */
KERNEL void FN(update_later_rows)(RgPgsLane *between, int k, int n, REAL d, REAL *w LANE)
{
    for (int j = k + 1; j < n; j++)
        w[j] += LOAD(between[rg_pgs_pairs(j) + k]) * d;
}

KERNEL void FN(load_both)(const RgPgsLanes *p, const double *all, REAL V[2][6] LANE)
{
    LOAD_BLOCK(p->place[0], all, V[0]);
    LOAD_BLOCK(p->place[1], all, V[1]);
}

KERNEL void FN(store_both)(const RgPgsLanes *p, double *all, REAL V[2][6] LANE)
{
    STORE_BLOCK(p->place[0], all, V[0]);
    STORE_BLOCK(p->place[1], all, V[1]);
}

KERNEL void FN(warm_start_rows)(RgPgsLanes *p, double *all LANE)
{
    REAL V[2][6];
    FN(load_both)(p, all, V LANE_ON);
    for (int k = 0; k < p->nrows + p->nfriction; k++)
        FN(push)(&p->rows[k], LOAD(p->rows[k].z), V LANE_ON);
    FN(store_both)(p, all, V LANE_ON);
}

/* Visits n rows; n is a constant where this is inlined. */
KERNEL void FN(visit_n_rows)(RgPgsLanes *p, int n, double part, double *all LANE)
{
    REAL V[2][6], w[RG_PGS_JOINT_ROWS], d[RG_PGS_JOINT_ROWS], squares = SPLAT(0.0), keep = SPLAT(part);
    FN(load_both)(p, all, V LANE_ON);
    for (int k = 0; k < n; k++)
        w[k] = FN(row_velocity)(&p->rows[k], V LANE_ON);
    for (int k = 0; k < n; k++) {
        RgPgsRow *r = &p->rows[k];
        REAL next = MAX(LOAD(r->low), FN(unbounded_impulse)(r, w[k] LANE_ON));
        d[k] = FN(set_impulse)(r, MIN(LOAD(r->high), next), keep, &squares LANE_ON);
        FN(update_later_rows)(p->between, k, n, d[k], w LANE_ON);
    }
    for (int k = 0; k < n; k++)
        FN(push)(&p->rows[k], d[k], V LANE_ON);
    FN(store_both)(p, all, V LANE_ON);
    STORE(p->sum, squares);
}

/* Solves n rows as a whole; n is a constant where this is inlined. */
KERNEL void FN(visit_block)(RgPgsLanes *p, int n, double *all LANE)
{
    REAL V[2][6], error[RG_PGS_JOINT_ROWS], d[RG_PGS_JOINT_ROWS], squares = SPLAT(0.0);
    FN(load_both)(p, all, V LANE_ON);
    for (int k = 0; k < n; k++)
        error[k] = FN(unbounded_impulse)(&p->rows[k], FN(row_velocity)(&p->rows[k], V LANE_ON) LANE_ON);
    for (int k = 0; k < n; k++) {
        d[k] = LOAD(p->block[k * n]) * error[0];
        for (int j = 1; j < n; j++)
            d[k] += LOAD(p->block[k * n + j]) * error[j];
    }
    for (int k = 0; k < n; k++) {
        RgPgsRow *r = &p->rows[k];
        REAL change = d[k] * LOAD(r->diagonal);
        STORE(r->z, LOAD(r->z) + d[k]);
        squares += change * change;
        FN(push)(r, d[k], V LANE_ON);
    }
    FN(store_both)(p, all, V LANE_ON);
    STORE(p->sum, squares);
}

KERNEL void FN(visit_blocks)(RgPgsLanes *p, double *all LANE)
{
    switch (p->nrows) {
    case 1:
        FN(visit_block)(p, 1, all LANE_ON);
        break;
    case 3:
        FN(visit_block)(p, 3, all LANE_ON);
        break;
    case 5:
        FN(visit_block)(p, 5, all LANE_ON);
        break;
    case 6:
        FN(visit_block)(p, 6, all LANE_ON);
        break;
    default:
        FN(visit_block)(p, p->nrows, all LANE_ON);
    }
}

/* ellipse_retract of cone_projection.h: projects two tangents radially onto the edge of their cone; if friction acts
   along only one of them or not at all, each is clamped separately. */
KERNEL void FN(project_tangents)(REAL bound1, REAL bound2, REAL *x, REAL *y)
{
    REAL reach = bound1 * bound2;
    REAL a = *x * bound2, b = *y * bound1, length2 = a * a + b * b;
    MASK outside = (length2 > reach * reach) & (reach > SPLAT(0.0)), flat = reach <= SPLAT(0.0);
    if (ANY(outside)) {
        REAL back = reach / MAX(SQRT(length2), SPLAT(TINY));
        *x = SELECT(outside, back * *x, *x);
        *y = SELECT(outside, back * *y, *y);
    }
    if (ANY(flat)) {
        REAL alone_x = MIN(bound1, MAX(-bound1, *x)), alone_y = MIN(bound2, MAX(-bound2, *y));
        *x = SELECT(flat, alone_x, *x);
        *y = SELECT(flat, alone_y, *y);
    }
}

/* Visits n friction rows of any kind. */
KERNEL void FN(visit_n_friction_rows)(RgPgsLanes *p, int n, double part, double *all LANE)
{
    REAL V[2][6], w[RG_PGS_FRICTION], d[RG_PGS_FRICTION], squares = LOAD(p->sum), keep = SPLAT(part);
    RgPgsRow *rows = p->rows + p->nrows;
    RgPgsLane *between = p->between + rg_pgs_pairs(p->nrows);
    FN(load_both)(p, all, V LANE_ON);
    for (int k = 0; k < n; k++)
        w[k] = FN(row_velocity)(&rows[k], V LANE_ON);
    for (int k = 0; k < n; k++) {
        RgPgsRow *r = &rows[k];
        REAL normal = p->normal[k] >= 0 ? LOAD(p->rows[p->normal[k]].z) : SPLAT(1.0);
        REAL x = FN(unbounded_impulse)(r, w[k] LANE_ON);
        if (p->cone[k] && k + 1 < n) {
            REAL y = FN(unbounded_impulse)(r + 1, w[k + 1] LANE_ON);
            FN(project_tangents)(LOAD(r->high) * normal, LOAD(r[1].high) * normal, &x, &y);
            d[k] = FN(set_impulse)(r, x, keep, &squares LANE_ON);
            FN(update_later_rows)(between, k, n, d[k], w LANE_ON);
            k++;
            d[k] = FN(set_impulse)(r + 1, y, keep, &squares LANE_ON);
        } else {
            x = MIN(LOAD(r->high) * normal, MAX(LOAD(r->low) * normal, x));
            d[k] = FN(set_impulse)(r, x, keep, &squares LANE_ON);
        }
        FN(update_later_rows)(between, k, n, d[k], w LANE_ON);
    }
    for (int k = 0; k < n; k++)
        FN(push)(&rows[k], d[k], V LANE_ON);
    FN(store_both)(p, all, V LANE_ON);
    STORE(p->sum, squares);
}

/* Visits the cones of n points that have no other friction; n is a constant where this is inlined. */
KERNEL void FN(visit_cones)(RgPgsLanes *p, int n, double part, double *all LANE)
{
    REAL V[2][6], w[2 * RG_PGS_POINTS], d[2 * RG_PGS_POINTS], squares = LOAD(p->sum), keep = SPLAT(part);
    RgPgsRow *rows = p->rows + p->nrows;
    RgPgsLane *between = p->between + rg_pgs_pairs(p->nrows);
    FN(load_both)(p, all, V LANE_ON);
    for (int k = 0; k < 2 * n; k++)
        w[k] = FN(row_velocity)(&rows[k], V LANE_ON);
    for (int k = 0; k < 2 * n; k += 2) {
        RgPgsRow *r = &rows[k];
        REAL x = LOAD(r[0].decay) * LOAD(r[0].z) - LOAD(r[0].per) * w[k];
        REAL y = LOAD(r[1].decay) * LOAD(r[1].z) - LOAD(r[1].per) * w[k + 1];
        REAL normal = LOAD(p->rows[k / 2].z);
        FN(project_tangents)(LOAD(r->high) * normal, LOAD(r[1].high) * normal, &x, &y);
        d[k] = FN(set_impulse)(r, x, keep, &squares LANE_ON);
        d[k + 1] = FN(set_impulse)(r + 1, y, keep, &squares LANE_ON);
        FN(update_later_rows)(between, k, 2 * n, d[k], w LANE_ON);
        FN(update_later_rows)(between, k + 1, 2 * n, d[k + 1], w LANE_ON);
    }
    for (int k = 0; k < 2 * n; k++)
        FN(push)(&rows[k], d[k], V LANE_ON);
    FN(store_both)(p, all, V LANE_ON);
    STORE(p->sum, squares);
}

/* ------------------------------------------------------------------ patches by their base rows */

/* base_velocity: the three velocities of which the rows of a patch are combinations. push_base: adds impulses along
   them to V. */
KERNEL void FN(base_velocity)(RgPgsLane (*base)[12], REAL V[2][6], REAL r[3] LANE)
{
    for (int k = 0; k < 3; k++) {
        REAL side[2];
        for (int s = 0; s < 2; s++) {
            RgPgsLane *J = base[k] + 6 * s;
            REAL even = LOAD(J[0]) * V[s][0] + LOAD(J[2]) * V[s][2] + LOAD(J[4]) * V[s][4];
            REAL odd = LOAD(J[1]) * V[s][1] + LOAD(J[3]) * V[s][3] + LOAD(J[5]) * V[s][5];
            side[s] = even + odd;
        }
        r[k] = side[0] + side[1];
    }
}

KERNEL void FN(push_base)(RgPgsLane (*base)[12], const REAL g[3], REAL V[2][6] LANE)
{
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 6; i++) {
            REAL first = LOAD(base[0][6 * s + i]) * g[0] + LOAD(base[1][6 * s + i]) * g[1];
            V[s][i] += first + LOAD(base[2][6 * s + i]) * g[2];
        }
}

KERNEL void FN(warm_start_patch)(RgPgsLanes *p, double *all LANE)
{
    REAL V[2][6], g[3] = {SPLAT(0.0), SPLAT(0.0), SPLAT(0.0)}, t[3] = {SPLAT(0.0), SPLAT(0.0), SPLAT(0.0)};
    for (int i = 0; i < p->nrows; i++) {
        const RgPgsPoint *at = &p->patch->point[i];
        REAL x = LOAD(at->x), y = LOAD(at->y), z = LOAD(at->z), a = LOAD(at->t_z[0]), b = LOAD(at->t_z[1]);
        g[0] += z;
        g[1] += y * z;
        g[2] -= x * z;
        t[0] += a;
        t[1] += b;
        t[2] += x * b - y * a;
    }
    FN(load_both)(p, all, V LANE_ON);
    FN(push_base)(p->patch->base[0], g, V LANE_ON);
    FN(push_base)(p->patch->base[1], t, V LANE_ON);
    FN(store_both)(p, all, V LANE_ON);
}

KERNEL void FN(warm_start)(RgPgsLanes *p, double *all LANE)
{
    if (p->patch != NULL)
        FN(warm_start_patch)(p, all LANE_ON);
    else
        FN(warm_start_rows)(p, all LANE_ON);
}

/* Visits the normals of n points; n is a constant where this is inlined. w: per J V of each point. The impulse of a
   point updates w of later points by their coupling, and V together with all others, which keeps the dependency chain
   short. */
KERNEL void FN(visit_patch_normals)(RgPgsLanes *p, int n, double part, double *all LANE)
{
    REAL V[2][6], r[3], w[RG_PGS_POINTS], g[3] = {SPLAT(0.0), SPLAT(0.0), SPLAT(0.0)};
    REAL squares = SPLAT(0.0), keep = SPLAT(part);
    FN(load_both)(p, all, V LANE_ON);
    FN(base_velocity)(p->patch->base[0], V, r LANE_ON);
    for (int i = 0; i < n; i++) {
        const RgPgsPoint *at = &p->patch->point[i];
        w[i] = LOAD(at->per) * (r[0] + (LOAD(at->y) * r[1] - LOAD(at->x) * r[2]));
    }
    for (int i = 0; i < n; i++) {
        RgPgsPoint *at = &p->patch->point[i];
        REAL z = LOAD(at->z), next = MAX(LOAD(at->low), (LOAD(at->decay) * z + LOAD(at->goal)) - w[i]);
        REAL d = keep * (MIN(LOAD(at->high), next) - z), change = d * LOAD(at->diagonal);
        for (int j = i + 1; j < n; j++)
            w[j] += LOAD(p->patch->between[rg_pgs_pairs(j) + i]) * d;
        STORE(at->z, z + d);
        squares += change * change;
        g[0] += d;
        g[1] += LOAD(at->y) * d;
        g[2] -= LOAD(at->x) * d;
    }
    FN(push_base)(p->patch->base[0], g, V LANE_ON);
    FN(store_both)(p, all, V LANE_ON);
    STORE(p->sum, squares);
}

/* Visits the cones of n points. */
KERNEL void FN(visit_patch_friction)(RgPgsLanes *p, int n, double part, double *all LANE)
{
    REAL V[2][6], r[3], w[RG_PGS_POINTS][2], g[3] = {SPLAT(0.0), SPLAT(0.0), SPLAT(0.0)};
    REAL squares = LOAD(p->sum), keep = SPLAT(part);
    FN(load_both)(p, all, V LANE_ON);
    FN(base_velocity)(p->patch->base[1], V, r LANE_ON);
    for (int i = 0; i < n; i++) {
        const RgPgsPoint *at = &p->patch->point[i];
        w[i][0] = LOAD(at->t_per) * (r[0] - LOAD(at->y) * r[2]);
        w[i][1] = LOAD(at->t_per) * (r[1] + LOAD(at->x) * r[2]);
    }
    for (int i = 0; i < n; i++) {
        RgPgsPoint *at = &p->patch->point[i];
        REAL z0 = LOAD(at->t_z[0]), z1 = LOAD(at->t_z[1]), normal = LOAD(at->z);
        REAL a = LOAD(at->t_decay[0]) * z0 - w[i][0], b = LOAD(at->t_decay[1]) * z1 - w[i][1];
        FN(project_tangents)(LOAD(at->t_high[0]) * normal, LOAD(at->t_high[1]) * normal, &a, &b);
        a = keep * (a - z0);
        b = keep * (b - z1);
        for (int j = i + 1; j < n; j++) {
            RgPgsLane(*between)[2] = p->patch->t_between[rg_pgs_pairs(j) + i];
            w[j][0] += LOAD(between[0][0]) * a + LOAD(between[0][1]) * b;
            w[j][1] += LOAD(between[1][0]) * a + LOAD(between[1][1]) * b;
        }
        STORE(at->t_z[0], z0 + a);
        STORE(at->t_z[1], z1 + b);
        REAL change_a = a * LOAD(at->t_diagonal[0]), change_b = b * LOAD(at->t_diagonal[1]);
        squares += change_a * change_a + change_b * change_b;
        g[0] += a;
        g[1] += b;
        g[2] += LOAD(at->x) * b - LOAD(at->y) * a;
    }
    FN(push_base)(p->patch->base[1], g, V LANE_ON);
    FN(store_both)(p, all, V LANE_ON);
    STORE(p->sum, squares);
}

/* Whether some normal in a lane has an impulse, or some friction row still has one. */
KERNEL bool FN(has_active_friction)(const RgPgsLanes *p LANE)
{
    REAL most = SPLAT(0.0);
    for (int i = 0; i < p->nrows && p->patch != NULL; i++) {
        const RgPgsPoint *at = &p->patch->point[i];
        REAL a = LOAD(at->t_z[0]), b = LOAD(at->t_z[1]);
        most += LOAD(at->z) + (a * a + b * b);
    }
    for (int i = 0; i < p->nrows && p->patch == NULL; i++)
        most += LOAD(p->rows[i].z);
    for (int i = p->nrows; i < p->nrows + p->nfriction && p->patch == NULL; i++)
        most += LOAD(p->rows[i].z) * LOAD(p->rows[i].z);
    return ANY(most > SPLAT(0.0));
}

/* One count of rows as a constant: the loops over them are unrolled. */
#define RG_PGS_CASE(visit, n)                                                                                          \
    case n:                                                                                                            \
        FN(visit)(p, n, part, all LANE_ON);                                                                            \
        break;

KERNEL void FN(visit_rows)(RgPgsLanes *p, double part, double *all LANE)
{
    if (p->patch != NULL) {
        if (p->nrows == RG_PGS_POINTS)
            FN(visit_patch_normals)(p, RG_PGS_POINTS, part, all LANE_ON);
        else
            FN(visit_patch_normals)(p, RG_PGS_POINTS - 1, part, all LANE_ON);
        return;
    }
    if (p->block != NULL) {
        FN(visit_blocks)(p, all LANE_ON);
        return;
    }
    switch (p->nrows) {
        RG_PGS_CASE(visit_n_rows, 1)
        RG_PGS_CASE(visit_n_rows, 2)
        RG_PGS_CASE(visit_n_rows, 3)
        RG_PGS_CASE(visit_n_rows, 4)
        RG_PGS_CASE(visit_n_rows, 5)
    default:
        FN(visit_n_rows)(p, p->nrows, part, all LANE_ON);
    }
}

KERNEL void FN(visit_friction)(RgPgsLanes *p, double part, double *all LANE)
{
    if (p->patch != NULL) {
        if (p->nrows == RG_PGS_POINTS)
            FN(visit_patch_friction)(p, RG_PGS_POINTS, part, all LANE_ON);
        else
            FN(visit_patch_friction)(p, RG_PGS_POINTS - 1, part, all LANE_ON);
        return;
    }
    switch (p->cones ? p->nrows : 0) {
        RG_PGS_CASE(visit_cones, 1)
        RG_PGS_CASE(visit_cones, 2)
        RG_PGS_CASE(visit_cones, 3)
        RG_PGS_CASE(visit_cones, 4)
    default:
        FN(visit_n_friction_rows)(p, p->nfriction, part, all LANE_ON);
    }
}

#undef RG_PGS_CASE
