/*
 * cone_kkt.c - the linear system of an interior-point step, and the scaling of a program before it.
 *
 *   [ H  A'  G'  ] [x]   [r_x]
 *   [ A  0   0   ] [y] = [r_y]        z = W^-2 (G x - r_z), so that two blocks are left:
 *   [ G  0  -W^2 ] [z]   [r_z]
 *
 *   [ H + G'W^-2 G + e   A' ]
 *   [ A                  -e ]  = L D L'  quasi-definite for any e > 0 (Vanderbei 1995)
 *
 * The largest pivot comes first, among the rows of x, then among those of y: near the edge of the cones G'W^-2 G drowns
 * the rest, and in another order round-off would grow. G'W^-2 G is summed as (W^-1 G)'(W^-1 G), which cannot become indefinite. Solutions are refined against the
 * system without e. A pivot that is all round-off is raised: dependent rows of A, directions without curvature.
 *
 * Before that rows and columns are scaled towards largest entries of one (Ruiz 2001), all rows of a
 * second-order cone alike, so that the cones stay what they are.
 *
 * Cost: (n + p)^3 / 3 + m n^2 / 2 products a factor. All sums have a fixed order: loops run over independent
 * entries.
 */
#include "solver/program/cone_work.h"

#include <math.h>
#include <string.h>

#define REGULARISATION 1e-9 /* e, beside entries near one */
#define LOST_PIVOT 1e-13    /* of its diagonal: what is left is round-off */
#define REFINEMENTS 4
#define REFINED 1e-15 /* of the right side */
#define SCALING_ROUNDS 6
#define LARGEST_SCALE 1e4

/* ------------------------------------------------------------------ vectors and matrices */

double rg_cone_largest(int n, const double *v, const double *f, bool over)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double size = fabs(v[i]);
        if (f != NULL)
            size = over ? size / f[i] : size * f[i];
        most = size <= most ? most : size; /* NaN goes through */
    }
    return most;
}

double rg_cone_dot(int n, const double *a, const double *b)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a[i + lane] * b[i + lane];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void rg_cone_matrix_times(int rows, int n, const double *M, const double *x, double *out)
{
    for (int i = 0; i < rows; i++)
        out[i] = rg_cone_dot(n, M + (size_t)i * (size_t)n, x);
}

static void add_times(int n, double f, const double *from, double *to)
{
    for (int i = 0; i < n; i++)
        to[i] += f * from[i];
}

void rg_cone_matrix_add_back(int rows, int n, const double *M, const double *y, double *out)
{
    for (int i = 0; i < rows; i++)
        if (y[i] != 0.0)
            add_times(n, y[i], M + (size_t)i * (size_t)n, out);
}

/* ------------------------------------------------------------------ loading */

RgConeWork *rg_cone_work_take(RgArena *arena, int n, int p, int m)
{
    if (n < 0 || p < 0 || m < 0)
        return NULL;
    RgConeWork *w = RG_TAKE(arena, RgConeWork, 1);
    if (w == NULL)
        return NULL;
    size_t N = (size_t)n, P = (size_t)p, R = (size_t)m, all = N + P + R;
    *w = (RgConeWork){.room_n = n, .room_p = p, .room_m = m};
    const struct {
        double **part;
        size_t size;
    } parts[] = {{&w->H, N * N},
                 {&w->A, P * N},
                 {&w->G, R * N},
                 {&w->c, N},
                 {&w->b, P},
                 {&w->h, R},
                 {&w->dx, N},
                 {&w->ey, P},
                 {&w->ez, R},
                 {&w->x, N},
                 {&w->y, P},
                 {&w->z, R},
                 {&w->s, R},
                 {&w->scaling.w, R},
                 {&w->scaling.eta, R},
                 {&w->scaling.lambda, R},
                 {&w->Gs, R * N},
                 {&w->M, (N + P) * (N + P)},
                 {&w->inverse_d, N + P},
                 {&w->diagonal, N + P},
                 {&w->line, all},
                 {&w->right, all},
                 {&w->residual, all},
                 {&w->correction, all},
                 {&w->dir[0], all},
                 {&w->dir[1], all},
                 {&w->dir[2], all},
                 {&w->ds, R},
                 {&w->t1, R},
                 {&w->t2, R},
                 {&w->t3, R},
                 {&w->hx, N},
                 {&w->best, N + P + 2 * R}};
    w->order = RG_TAKE(arena, int, N + P);
    if (w->order == NULL)
        return NULL;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        *parts[k].part = RG_TAKE(arena, double, parts[k].size);
        if (*parts[k].part == NULL)
            return NULL;
    }
    return w;
}

static bool all_finite(const double *v, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

static bool fits(const RgConeWork *w, const RgConeProgram *q)
{
    if (q->n < 0 || q->p < 0 || q->m < 0 || q->l < 0 || q->ncones < 0 || q->n > w->room_n ||
        q->p > w->room_p || q->m > w->room_m)
        return false;
    int rows = q->l;
    for (int j = 0; j < q->ncones; j++) {
        if (q->cone[j] < 1 || q->cone[j] > q->m - rows)
            return false;
        rows += q->cone[j];
    }
    size_t n = (size_t)q->n, p = (size_t)q->p, m = (size_t)q->m;
    return rows == q->m && (q->H == NULL || all_finite(q->H, n * n)) && all_finite(q->c, n) &&
           all_finite(q->A, p * n) && all_finite(q->b, p) && all_finite(q->G, m * n) && all_finite(q->h, m);
}

/* Largest entry of each column (of H, A and G above each other), and of each row of A and G. */
static void measure(const RgConeWork *w, double *columns, double *rows)
{
    int n = w->n, p = w->p, m = w->k.m;
    memset(columns, 0, (size_t)n * sizeof *columns);
    for (int i = 0; i < (w->curved ? n : 0); i++)
        for (int j = 0; j < n; j++)
            columns[j] = fmax(columns[j], fabs(w->H[(size_t)i * (size_t)n + (size_t)j]));
    for (int i = 0; i < p + m; i++) {
        const double *row = i < p ? w->A + (size_t)i * (size_t)n : w->G + (size_t)(i - p) * (size_t)n;
        rows[i] = 0.0;
        for (int j = 0; j < n; j++) {
            rows[i] = fmax(rows[i], fabs(row[j]));
            columns[j] = fmax(columns[j], fabs(row[j]));
        }
    }
    for (int j = 0, at = p + w->k.l; j < w->k.ncones; at += w->k.cone[j++]) {
        double most = 0.0;
        for (int i = 0; i < w->k.cone[j]; i++)
            most = fmax(most, rows[at + i]);
        for (int i = 0; i < w->k.cone[j]; i++)
            rows[at + i] = most;
    }
}

/* 1 / sqrt(size), so that the whole scale stays within its limits; rows of zeros stay. */
static double factor_for(double size, double scale)
{
    double f = size > 0.0 ? 1.0 / sqrt(size) : 1.0;
    return fmin(fmax(f, 1.0 / LARGEST_SCALE / scale), LARGEST_SCALE / scale);
}

static void scale_rows(int rows, int n, const double *by_row, const double *by_column, double *M)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            M[(size_t)i * (size_t)n + (size_t)j] *= by_row[i] * by_column[j];
}

static void scale_round(RgConeWork *w, double *columns, double *rows)
{
    int n = w->n, p = w->p, m = w->k.m;
    measure(w, columns, rows);
    for (int j = 0; j < n; j++)
        w->dx[j] *= columns[j] = factor_for(columns[j], w->dx[j]);
    for (int i = 0; i < p; i++)
        w->ey[i] *= rows[i] = factor_for(rows[i], w->ey[i]);
    for (int i = 0; i < m; i++)
        w->ez[i] *= rows[p + i] = factor_for(rows[p + i], w->ez[i]);
    if (w->curved)
        scale_rows(n, n, columns, columns, w->H);
    scale_rows(p, n, rows, columns, w->A);
    scale_rows(m, n, rows + p, columns, w->G);
}

static void fill_ones(int count, double *v)
{
    for (int i = 0; i < count; i++)
        v[i] = 1.0;
}

RgStatus rg_cone_work_load(RgConeWork *w, const RgConeProgram *q)
{
    if (!fits(w, q))
        return RG_ERR_ARGUMENT;
    size_t n = (size_t)q->n, p = (size_t)q->p, m = (size_t)q->m;
    w->n = q->n;
    w->p = q->p;
    w->k = (RgConeShape){.m = q->m, .l = q->l, .ncones = q->ncones, .cone = q->cone};
    w->curved = q->H != NULL;
    if (w->curved)
        memcpy(w->H, q->H, n * n * sizeof(double));
    if (p > 0)
        memcpy(w->A, q->A, p * n * sizeof(double));
    if (m > 0)
        memcpy(w->G, q->G, m * n * sizeof(double));
    fill_ones(q->n, w->dx);
    fill_ones(q->p, w->ey);
    fill_ones(q->m, w->ez);
    for (int k = 0; k < SCALING_ROUNDS; k++)
        scale_round(w, w->line, w->right);
    double cost = 0.0;
    for (size_t j = 0; j < n; j++) {
        w->c[j] = q->c[j] * w->dx[j];
        cost = fmax(cost, fabs(w->c[j]));
    }
    for (size_t i = 0; i < (w->curved ? n * n : 0); i++)
        cost = fmax(cost, fabs(w->H[i]));
    w->cost = cost > 0.0 ? 1.0 / cost : 1.0;
    for (size_t j = 0; j < n; j++)
        w->c[j] *= w->cost;
    for (size_t i = 0; i < (w->curved ? n * n : 0); i++)
        w->H[i] *= w->cost;
    for (size_t i = 0; i < p; i++)
        w->b[i] = q->b[i] * w->ey[i];
    for (size_t i = 0; i < m; i++)
        w->h[i] = q->h[i] * w->ez[i];
    return RG_OK;
}

/* ------------------------------------------------------------------ the factor */

/* Gs = W^-1 G */
static void scale_constraints(RgConeWork *w)
{
    size_t n = (size_t)w->n;
    for (int i = 0; i < w->k.l; i++)
        for (size_t j = 0; j < n; j++)
            w->Gs[(size_t)i * n + j] = w->G[(size_t)i * n + j] / w->scaling.w[i];
    for (int c = 0, at = w->k.l; c < w->k.ncones; at += w->k.cone[c++]) {
        const double *first = w->G + (size_t)at * n, *turn = w->scaling.w + at;
        double *sum = w->line, per = 1.0 / w->scaling.eta[c];
        memset(sum, 0, n * sizeof *sum);
        for (int i = 1; i < w->k.cone[c]; i++)
            add_times(w->n, turn[i], first + (size_t)i * n, sum);
        for (size_t j = 0; j < n; j++)
            w->Gs[(size_t)at * n + j] = per * (turn[0] * first[j] - sum[j]);
        for (int i = 1; i < w->k.cone[c]; i++)
            for (size_t j = 0; j < n; j++)
                w->Gs[(size_t)(at + i) * n + j] =
                    per * (first[(size_t)i * n + j] + turn[i] * (sum[j] / (1.0 + turn[0]) - first[j]));
    }
}

/* Upper triangle += sum over four rows of row' row, entry by entry. */
static void add_squares(int n, const double *rows, int count, size_t stride, double *M)
{
    for (int i = 0; i < n; i++) {
        double f[4] = {0.0, 0.0, 0.0, 0.0};
        const double *r[4];
        bool any = false;
        for (int k = 0; k < 4; k++) {
            r[k] = k < count ? rows + (size_t)k * (size_t)n : rows;
            f[k] = k < count ? r[k][i] : 0.0;
            any = any || f[k] != 0.0;
        }
        if (!any)
            continue;
        double *to = M + (size_t)i * stride;
        for (int j = i; j < n; j++)
            to[j] += (f[0] * r[0][j] + f[1] * r[1][j]) + (f[2] * r[2][j] + f[3] * r[3][j]);
    }
}

/* One row of the upper triangle less f times another. */
static void subtract_times(int from, int to, double f, const double *row, double *target)
{
    for (int j = from; j < to; j++)
        target[j] -= f * row[j];
}

static void subtract_four(int from, int to, const double f[4], const double *row, size_t stride,
                          double *target)
{
    const double *a = row, *b = row + stride, *c = row + 2 * stride, *d = row + 3 * stride;
    for (int j = from; j < to; j++)
        target[j] -= (f[0] * a[j] + f[1] * b[j]) + (f[2] * c[j] + f[3] * d[j]);
}

static void swap_numbers(double *a, double *b)
{
    double keep = *a;
    *a = *b;
    *b = keep;
}

/* Rows and columns k and j change places, k < j; rows above k are finished and change their columns. */
static void swap_lines(RgConeWork *w, int k, int j)
{
    int size = w->n + w->p;
    double *M = w->M;
    size_t stride = (size_t)size, K = (size_t)k, J = (size_t)j;
    for (size_t e = 0; e < K; e++)
        swap_numbers(&M[e * stride + K], &M[e * stride + J]);
    for (size_t e = K + 1; e < J; e++)
        swap_numbers(&M[K * stride + e], &M[e * stride + J]);
    swap_numbers(&M[K * stride + K], &M[J * stride + J]);
    for (size_t e = J + 1; e < stride; e++)
        swap_numbers(&M[K * stride + e], &M[J * stride + e]);
    swap_numbers(&w->line[k], &w->line[j]);
    swap_numbers(&w->diagonal[k], &w->diagonal[j]);
    int keep = w->order[k];
    w->order[k] = w->order[j];
    w->order[j] = keep;
}

static int largest_pivot(const RgConeWork *w, int from, int to)
{
    int best = from;
    for (int j = from + 1; j < to; j++)
        if (fabs(w->diagonal[j]) > fabs(w->diagonal[best]))
            best = j;
    return best;
}

/* Row k behind the rows of its panel: its pivot, raised where it is lost, and what it leaves on the diagonal. */
static void finish_row(RgConeWork *w, int first, int k)
{
    int size = w->n + w->p;
    double *row = w->M + (size_t)k * (size_t)size;
    for (int e = first; e < k; e++) {
        const double *up = w->M + (size_t)e * (size_t)size;
        subtract_times(k, size, up[k] * w->inverse_d[e], up, row);
    }
    double least = LOST_PIVOT * w->line[k] + 0.5 * REGULARISATION;
    w->inverse_d[k] = 1.0 / (k < w->n ? fmax(row[k], least) : fmin(row[k], -least));
    for (int j = k + 1; j < size; j++)
        w->diagonal[j] -= row[j] * row[j] * w->inverse_d[k];
}

/* M = U' D^-1 U with U its upper triangle, D the diagonal of U. Of the rows begin to end, which have pivots of one
   sign, the largest comes first; four at a time leave the rest. */
static void eliminate(RgConeWork *w, int begin, int end)
{
    int size = w->n + w->p;
    size_t stride = (size_t)size;
    for (int k = begin; k < end; k++)
        w->line[k] = fabs(w->M[(size_t)k * stride + (size_t)k]);
    for (int first = begin; first < end; first += 4) {
        int stop = first + 4 < end ? first + 4 : end;
        for (int k = first; k < size; k++)
            w->diagonal[k] = w->M[(size_t)k * stride + (size_t)k];
        for (int k = first; k < stop; k++) {
            int best = largest_pivot(w, k, end);
            if (best > k)
                swap_lines(w, k, best);
            finish_row(w, first, k);
        }
        for (int i = stop; i < size; i++) {
            double f[4] = {0.0, 0.0, 0.0, 0.0};
            for (int k = first; k < stop; k++)
                f[k - first] = w->M[(size_t)k * stride + (size_t)i] * w->inverse_d[k];
            for (int k = first; k < stop && stop - first < 4; k++)
                subtract_times(i, size, f[k - first], w->M + (size_t)k * stride, w->M + (size_t)i * stride);
            if (stop - first == 4 && (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0 || f[3] != 0.0))
                subtract_four(i, size, f, w->M + (size_t)first * stride, stride, w->M + (size_t)i * stride);
        }
    }
}

void rg_cone_kkt_factor(RgConeWork *w)
{
    int n = w->n, p = w->p, m = w->k.m;
    size_t stride = (size_t)n + (size_t)p;
    memset(w->M, 0, stride * stride * sizeof *w->M);
    for (int i = 0; i < n; i++) {
        double *row = w->M + (size_t)i * stride;
        if (w->curved)
            memcpy(row + i, w->H + (size_t)i * (size_t)n + (size_t)i, (size_t)(n - i) * sizeof *row);
        for (int j = 0; j < p; j++)
            row[n + j] = w->A[(size_t)j * (size_t)n + (size_t)i];
    }
    scale_constraints(w);
    for (int i = 0; i < m; i += 4)
        add_squares(n, w->Gs + (size_t)i * (size_t)n, m - i < 4 ? m - i : 4, stride, w->M);
    for (int i = 0; i < n + p; i++) {
        w->M[(size_t)i * stride + (size_t)i] += i < n ? REGULARISATION : -REGULARISATION;
        w->order[i] = i;
    }
    eliminate(w, 0, n);
    eliminate(w, n, n + p);
}

/* ------------------------------------------------------------------ solving */

static void solve_factored(const RgConeWork *w, double *out)
{
    int size = w->n + w->p;
    double *v = w->line;
    for (int k = 0; k < size; k++)
        v[k] = out[w->order[k]];
    for (int k = 0; k < size; k++)
        if (v[k] != 0.0)
            subtract_times(k + 1, size, v[k] * w->inverse_d[k], w->M + (size_t)k * (size_t)size, v);
    for (int k = size - 1; k >= 0; k--) {
        const double *row = w->M + (size_t)k * (size_t)size;
        v[k] = (v[k] - rg_cone_dot(size - k - 1, row + k + 1, v + k + 1)) * w->inverse_d[k];
    }
    for (int k = 0; k < size; k++)
        out[w->order[k]] = v[k];
}

/* One solution with the factor; out and right may be the same. */
static void solve_once(RgConeWork *w, const double *right, double *out)
{
    int n = w->n, p = w->p, m = w->k.m;
    double *scaled = w->t1;
    rg_cone_over(&w->k, &w->scaling, right + n + p, scaled);
    memmove(out, right, (size_t)(n + p) * sizeof *out);
    rg_cone_matrix_add_back(m, n, w->Gs, scaled, out);
    solve_factored(w, out);
    double *z = out + n + p;
    for (int i = 0; i < m; i++)
        z[i] = rg_cone_dot(n, w->Gs + (size_t)i * (size_t)n, out) - scaled[i];
    rg_cone_over(&w->k, &w->scaling, z, z);
}

/* right - K v; returns its largest entry. */
static double kkt_residual(RgConeWork *w, const double *right, const double *v, double *out)
{
    int n = w->n, p = w->p, m = w->k.m;
    const double *y = v + n, *z = y + p;
    if (w->curved)
        rg_cone_matrix_times(n, n, w->H, v, out);
    else
        memset(out, 0, (size_t)n * sizeof *out);
    rg_cone_matrix_add_back(p, n, w->A, y, out);
    rg_cone_matrix_add_back(m, n, w->G, z, out);
    rg_cone_matrix_times(p, n, w->A, v, out + n);
    rg_cone_matrix_times(m, n, w->G, v, out + n + p);
    rg_cone_times(&w->k, &w->scaling, z, w->t1);
    rg_cone_times(&w->k, &w->scaling, w->t1, w->t1);
    for (int i = 0; i < m; i++)
        out[n + p + i] -= w->t1[i];
    for (int i = 0; i < n + p + m; i++)
        out[i] = right[i] - out[i];
    return rg_cone_largest(n + p + m, out, NULL, false);
}

double rg_cone_kkt_solve(RgConeWork *w, const double *right, double *out)
{
    int all = w->n + w->p + w->k.m;
    double size = rg_cone_largest(all, right, NULL, false);
    solve_once(w, right, out);
    double last = kkt_residual(w, right, out, w->residual);
    for (int k = 0; k < REFINEMENTS && last > REFINED * size; k++) {
        double *step = w->correction;
        solve_once(w, w->residual, step);
        for (int i = 0; i < all; i++)
            step[i] += out[i];
        double now = kkt_residual(w, right, step, w->residual);
        if (!(now < last))
            break;
        memcpy(out, step, (size_t)all * sizeof *out);
        bool slow = now > 0.5 * last;
        last = now;
        if (slow)
            break;
    }
    return size > 0.0 ? last / size : 0.0;
}
