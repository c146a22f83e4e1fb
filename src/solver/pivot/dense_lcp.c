/*
 * dense_lcp.c - the dense complementarity problem: residual, assembly from rows, elimination of equalities, final
 * refinement.
 *
 * Residual: the natural map z - P(z - w), P the projection onto the bounds. It is zero exactly at solutions; for an LCP
 * it is min(z, w). With the step 1 / M_ii, multiplied by M_ii, it has the unit of w, whatever the unit of z.
 *
 * Assembly: W_ij = J_i . J_j + C_i delta_ij. Row i is expanded to a dense vector once, and all rows before it are
 * multiplied with that vector; cost n times the coefficients / 2.
 *
 * Final refinement: the free variables F solve M_FF z_F = -(q + M_FB z_B)_F. The correction of the present z follows
 * from w_F by L U with complete pivoting, at most REFINEMENTS times and as long as w_F shrinks.
 */
#include "solver/pivot/dense_lcp.h"

#include "math/dense_factor.h"

#include <math.h>
#include <string.h>

/* Pivots below this part of the largest entry count as zero. */
#define RANK_TOLERANCE 1e-13
#define REFINEMENTS 3
/* An equality whose pivot is below this part of its diagonal depends on others. */
#define MIN_PIVOT 1e-10

/* ------------------------------------------------------------------ residual */

void rg_dense_lcp_bounds(const RgDenseLcp *lcp, int i, double *low, double *high)
{
    *low = lcp->low[i];
    *high = lcp->high[i];
    if (lcp->normal != NULL && lcp->normal[i] >= 0) {
        double n = lcp->z[lcp->normal[i]];
        *high = n > 0.0 ? *high * n : 0.0;
        *low = -*high;
    }
}

bool rg_dense_lcp_equality(const RgDenseLcp *lcp, int i)
{
    return lcp->low[i] == -INFINITY && lcp->high[i] == INFINITY && (lcp->normal == NULL || lcp->normal[i] < 0);
}

double rg_dense_lcp_rate(const RgDenseLcp *lcp, int i)
{
    const double *M = lcp->M + (size_t)i * (size_t)lcp->n;
    double sum = lcp->q[i];
    for (int j = 0; j < lcp->n; j++)
        sum += M[j] * lcp->z[j];
    return sum;
}

static double natural_residual(const RgDenseLcp *lcp, int i, double scale)
{
    double low, high, z = lcp->z[i] - lcp->w[i] / scale;
    rg_dense_lcp_bounds(lcp, i, &low, &high);
    z = z < low ? low : z > high ? high : z;
    double r = fabs(lcp->z[i] - z);
    return isfinite(r) ? r : INFINITY;
}

RgLcpResidual rg_dense_lcp_residual(RgDenseLcp *lcp)
{
    RgLcpResidual out = {.worst = -1};
    rg_dense_times(lcp->M, lcp->n, lcp->n, lcp->z, lcp->q, lcp->w);
    for (int i = 0; i < lcp->n; i++) {
        double own = lcp->M[(size_t)i * (size_t)lcp->n + (size_t)i], scale = own > 0.0 ? own : 1.0;
        double plain = natural_residual(lcp, i, 1.0);
        out.natural = fmax(out.natural, natural_residual(lcp, i, scale) * scale);
        if (out.worst < 0 || plain > out.plain) {
            out.plain = plain;
            out.worst = i;
        }
    }
    return out;
}

/* ------------------------------------------------------------------ assembly */

bool rg_dense_lcp_alloc(RgArena *arena, int n, bool friction, RgDenseLcp *lcp)
{
    *lcp = (RgDenseLcp){.n = n,
                        .M = RG_ARENA_ALLOC_RAW(arena, double, (size_t)n *(size_t)n),
                        .q = RG_ARENA_ALLOC_RAW(arena, double, n),
                        .low = RG_ARENA_ALLOC_RAW(arena, double, n),
                        .high = RG_ARENA_ALLOC_RAW(arena, double, n),
                        .z = RG_ARENA_ALLOC_RAW(arena, double, n),
                        .w = RG_ARENA_ALLOC_RAW(arena, double, n)};
    if (friction)
        lcp->normal = RG_ARENA_ALLOC_RAW(arena, int, n);
    if (arena->failed)
        return false;
    for (int i = 0; i < n && friction; i++)
        lcp->normal[i] = -1;
    return true;
}

bool rg_dense_lcp_valid(const RgDenseLcp *lcp)
{
    /* Zero times a finite number is 0; zero times NaN or infinity is NaN. */
    size_t n = (size_t)lcp->n;
    double zero[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t e = 0; e < n * n; e++)
        zero[e % 4] += 0.0 * lcp->M[e];
    if (zero[0] + zero[1] + zero[2] + zero[3] != 0.0)
        return false;
    for (int i = 0; i < lcp->n; i++) {
        int normal = lcp->normal == NULL ? -1 : lcp->normal[i];
        if (!isfinite(lcp->q[i]) || isnan(lcp->high[i]) || normal >= lcp->n)
            return false;
        if (normal >= 0 && (lcp->normal[normal] >= 0 || !(lcp->high[i] >= 0.0) || isinf(lcp->high[i])))
            return false;
        if (normal < 0 && (!(lcp->low[i] <= lcp->high[i]) || lcp->low[i] == INFINITY || lcp->high[i] == -INFINITY))
            return false;
    }
    return true;
}

/* Row of J times a dense vector; most columns come in runs of six. */
static double row_times_dense(const RgProblem *p, int row, const double *dense)
{
    const double *J = p->values + p->start[row];
    const int *at = p->columns + p->start[row];
    int count = p->start[row + 1] - p->start[row], e = 0;
    double even = 0.0, odd = 0.0;
    while (e < count) {
        const double *x = dense + at[e];
        if (e + 6 <= count && at[e + 5] == at[e] + 5) {
            even += (J[e] * x[0] + J[e + 2] * x[2]) + J[e + 4] * x[4];
            odd += (J[e + 1] * x[1] + J[e + 3] * x[3]) + J[e + 5] * x[5];
            e += 6;
        } else {
            even += J[e++] * x[0];
        }
    }
    return even + odd;
}

/* Row i of W up to the diagonal. dense: J_i expanded. A row whose column range does not overlap that of row i gives
   0. */
static void fill_row(const RgProblem *p, const int *rows, int i, const double *dense, RgDenseLcp *lcp)
{
    size_t n = (size_t)lcp->n;
    int own = rows == NULL ? i : rows[i], begin = p->start[own], end = p->start[own + 1];
    for (int j = 0; j <= i; j++) {
        int row = rows == NULL ? j : rows[j], from = p->start[row], to = p->start[row + 1];
        bool disjoint = begin == end || from == to || p->columns[to - 1] < p->columns[begin] ||
                        p->columns[from] > p->columns[end - 1];
        lcp->M[(size_t)i * n + (size_t)j] = disjoint ? 0.0 : row_times_dense(p, row, dense);
    }
}

static void copy_lower_to_upper(RgDenseLcp *lcp)
{
    size_t n = (size_t)lcp->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            lcp->M[j * n + i] = lcp->M[i * n + j];
}

bool rg_dense_lcp_from_rows(RgArena *arena, const RgProblem *p, const int *rows, int n, RgDenseLcp *lcp)
{
    double *dense = RG_ARENA_ALLOC(arena, double, p->nu);
    int *at = RG_ARENA_ALLOC_RAW(arena, int, p->n);
    if (arena->failed || !rg_dense_lcp_alloc(arena, n, true, lcp))
        return false;
    lcp->symmetric = true;
    lcp->stiff = true;
    for (int i = 0; i < n; i++)
        at[rows == NULL ? i : rows[i]] = i;
    for (int i = 0; i < n; i++) {
        int row = rows == NULL ? i : rows[i];
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            dense[p->columns[e]] = p->values[e];
        fill_row(p, rows, i, dense, lcp);
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            dense[p->columns[e]] = 0.0;
        lcp->M[(size_t)i * (size_t)n + (size_t)i] += p->compliance[row];
        lcp->q[i] = rg_problem_row_times(p, row, p->s) - p->target[row];
        lcp->low[i] = p->row_class[row] == RG_ROW_BILATERAL ? -INFINITY : p->low[row];
        lcp->high[i] = p->row_class[row] == RG_ROW_BILATERAL ? INFINITY : p->high[row];
        lcp->z[i] = p->z[row];
        if (p->row_class[row] == RG_ROW_FRICTION)
            lcp->normal[i] = at[p->normal[row]];
    }
    copy_lower_to_upper(lcp);
    return true;
}

/* ------------------------------------------------------------------ elimination of equalities */

/* Factors the equalities that do not depend on earlier ones. */
static void factor_equalities(const RgDenseLcp *lcp, RgLcpReduced *r)
{
    size_t n = (size_t)lcp->n;
    for (int i = 0; i < lcp->n; i++) {
        if (r->place[i] >= 0)
            continue;
        for (int k = 0; k < r->nf; k++)
            r->y[k] = lcp->M[(size_t)i * n + (size_t)r->equal[k]];
        double own = lcp->M[(size_t)i * n + (size_t)i];
        if (rg_grow_ldl_add(&r->ldl, r->y, own, MIN_PIVOT * own))
            r->equal[r->nf++] = i;
    }
}

/* Row a of S and p; y: M_ff^-1 q_f. */
static void reduce_row(const RgDenseLcp *lcp, RgLcpReduced *r, int a, const double *y)
{
    const double *M = lcp->M + (size_t)r->row[a] * (size_t)lcp->n;
    double *column = r->y;
    size_t nb = (size_t)r->nb;
    for (int k = 0; k < r->nf; k++)
        column[k] = M[r->equal[k]];
    rg_grow_ldl_solve(&r->ldl, column);
    r->p[a] = lcp->q[r->row[a]];
    for (int k = 0; k < r->nf; k++)
        r->p[a] -= M[r->equal[k]] * y[k];
    for (int b = 0; b <= a; b++) {
        double sum = M[r->row[b]];
        const double *other = lcp->M + (size_t)r->row[b] * (size_t)lcp->n;
        for (int k = 0; k < r->nf; k++)
            sum -= other[r->equal[k]] * column[k];
        r->S[(size_t)a * nb + (size_t)b] = r->S[(size_t)b * nb + (size_t)a] = sum;
    }
    double *own = &r->S[(size_t)a * nb + (size_t)a];
    *own = *own > MIN_PIVOT * M[r->row[a]] ? *own : 0.0;
}

bool rg_dense_lcp_reduce(RgArena *arena, const RgDenseLcp *lcp, RgLcpReduced *r)
{
    *r = (RgLcpReduced){.row = RG_ARENA_ALLOC_RAW(arena, int, lcp->n),
                        .place = RG_ARENA_ALLOC_RAW(arena, int, lcp->n),
                        .S = lcp->M,
                        .p = lcp->q};
    if (arena->failed)
        return false;
    for (int i = 0; i < lcp->n; i++) {
        r->place[i] = rg_dense_lcp_equality(lcp, i) ? -1 : r->nb;
        if (r->place[i] >= 0)
            r->row[r->nb++] = i;
    }
    int equalities = lcp->n - r->nb;
    if (equalities == 0)
        return true;
    size_t nb = (size_t)r->nb;
    double *factor = RG_ARENA_ALLOC_RAW(arena, double, rg_grow_ldl_doubles(equalities));
    double *y = RG_ARENA_ALLOC_RAW(arena, double, equalities);
    r->equal = RG_ARENA_ALLOC_RAW(arena, int, equalities);
    r->y = RG_ARENA_ALLOC_RAW(arena, double, equalities);
    r->S = RG_ARENA_ALLOC_RAW(arena, double, nb *nb);
    r->p = RG_ARENA_ALLOC_RAW(arena, double, nb);
    if (arena->failed)
        return false;
    rg_grow_ldl_place(&r->ldl, equalities, factor);
    factor_equalities(lcp, r);
    for (int k = 0; k < r->nf; k++)
        y[k] = lcp->q[r->equal[k]];
    rg_grow_ldl_solve(&r->ldl, y);
    for (int a = 0; a < r->nb; a++)
        reduce_row(lcp, r, a, y);
    return true;
}

void rg_dense_lcp_solve_equalities(const RgLcpReduced *r, RgDenseLcp *lcp)
{
    for (int round = 0; round < 2 && r->nf > 0; round++) {
        for (int k = 0; k < r->nf; k++)
            r->y[k] = -rg_dense_lcp_rate(lcp, r->equal[k]);
        rg_grow_ldl_solve(&r->ldl, r->y);
        for (int k = 0; k < r->nf; k++)
            lcp->z[r->equal[k]] += r->y[k];
    }
}

/* ------------------------------------------------------------------ final refinement */

/* -w of the free variables into w. Returns the largest |w|. */
static double free_residual(const RgDenseLcp *lcp, const int *list, int count, double *w)
{
    double largest = 0.0;
    for (int k = 0; k < count; k++) {
        w[k] = -rg_dense_lcp_rate(lcp, list[k]);
        largest = fmax(largest, fabs(w[k]));
    }
    return largest;
}

int rg_dense_lcp_polish(RgArena *arena, RgDenseLcp *lcp, const uint8_t *place, RgLcpScales scales)
{
    int n = lcp->n, count = 0, *list = RG_ARENA_ALLOC_RAW(arena, int, n);
    if (list == NULL)
        return -1;
    for (int i = 0; i < n; i++) {
        if (place[i] == RG_LCP_FREE)
            list[count++] = i;
        else
            lcp->z[i] = place[i] == RG_LCP_LOW ? lcp->low[i] : lcp->high[i];
    }
    RgLu lu;
    double *doubles = RG_ARENA_ALLOC_RAW(arena, double, rg_lu_doubles(count) + 2 * (size_t)count);
    int *ints = RG_ARENA_ALLOC_RAW(arena, int, rg_lu_ints(count));
    if (arena->failed)
        return -1;
    rg_lu_place(&lu, count, doubles, ints);
    double *w = doubles + rg_lu_doubles(count), *change = w + count;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            lu.a[(size_t)a * (size_t)count + (size_t)b] =
                lcp->M[(size_t)list[a] * (size_t)n + (size_t)list[b]] * scales.row[list[a]] * scales.column[list[b]];
    rg_lu_factor(&lu, RANK_TOLERANCE);

    /* A correction that does not lower the largest |w| is undone. */
    double size = free_residual(lcp, list, count, w);
    for (int round = 0; round < REFINEMENTS && size > 0.0; round++) {
        for (int k = 0; k < count; k++)
            w[k] *= scales.row[list[k]];
        rg_lu_solve(&lu, w, change);
        for (int k = 0; k < count; k++) {
            change[k] *= scales.column[list[k]];
            lcp->z[list[k]] += change[k];
        }
        double after = free_residual(lcp, list, count, w);
        if (!(after < size)) {
            for (int k = 0; k < count; k++)
                lcp->z[list[k]] -= change[k];
            break;
        }
        size = after;
    }
    for (int k = 0; k < count; k++) {
        double *z = &lcp->z[list[k]], low = lcp->low[list[k]], high = lcp->high[list[k]];
        *z = *z < low ? low : *z > high ? high : *z;
    }
    return count - lu.rank;
}
