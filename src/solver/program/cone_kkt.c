/*
 * cone_kkt.c - the linear system of an interior-point step, and the scaling of a program before it.
 *
 *   [ H   G'  ] [x]   [r_x]
 *   [ G  -W^2 ] [z] = [r_z]        z = W^-2 (G x - r_z), so that one block remains:
 *
 *   H + G'W^-2 G + e  = L D L'
 *
 * G'W^-2 G is summed as (W^-1 G)'(W^-1 G), which cannot become indefinite. Solutions are refined against the system
 * without e. The largest pivot comes first: near the boundary of the cones G'W^-2 G is much larger than the rest, and
 * round-off would grow in another order. A pivot that consists of round-off is raised: its direction has no curvature.
 *
 * Before that, rows and columns are scaled towards largest entries of one (Ruiz 2001). All rows of a second-order cone
 * get the same scale, so that it remains a cone.
 *
 * Cost: n^3 / 6 + m n^2 / 2 products per factorisation. All sums have a fixed order: loops run over independent
 * entries.
 */
#include "solver/program/cone_work.h"

#include <math.h>
#include <string.h>

#define REGULARISATION 1e-9   /* e, added to a diagonal with entries near one */
#define ROUND_OFF_PIVOT 1e-13 /* part of its diagonal below which a pivot is round-off */
#define REFINEMENTS 4         /* at most */
#define REFINED 1e-15         /* residual relative to the right side at which refinement ends */
#define SCALING_ROUNDS 6
#define LARGEST_SCALE 1e4 /* bound of all scales, and of their inverses */

/* ------------------------------------------------------------------ vectors and matrices */

double rg_cone_scaled_max(int n, const double *v, const double *f, bool divide)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double size = fabs(v[i]);
        if (f != NULL)
            size = divide ? size / f[i] : size * f[i];
        most = size <= most ? most : size; /* passes NaN on */
    }
    return most;
}

static void add_times(int n, double f, const double *from, double *to)
{
    for (int i = 0; i < n; i++)
        to[i] += f * from[i];
}

void rg_cone_add_transpose_times(int rows, int n, const double *M, const double *y, double *out)
{
    for (int i = 0; i < rows; i++)
        if (y[i] != 0.0)
            add_times(n, y[i], M + (size_t)i * (size_t)n, out);
}

/* ------------------------------------------------------------------ loading */

RgConeWork *rg_cone_work_alloc(RgArena *arena, int n, int m)
{
    if (n < 0 || m < 0)
        return NULL;
    RgConeWork *w = RG_ARENA_ALLOC(arena, RgConeWork, 1);
    if (w == NULL)
        return NULL;
    size_t N = (size_t)n, R = (size_t)m, all = N + R;
    *w = (RgConeWork){.room_n = n, .room_m = m};
    const struct {
        double **part;
        size_t size;
    } parts[] = {{&w->H, N * N},      {&w->G, R * N},        {&w->c, N},           {&w->h, R},
                 {&w->dx, N},         {&w->ez, R},           {&w->x, N},           {&w->z, R},
                 {&w->s, R},          {&w->scaling.w, R},    {&w->scaling.eta, R}, {&w->scaling.lambda, R},
                 {&w->Gs, R * N},     {&w->M, N * N},        {&w->line, all},      {&w->right, all},
                 {&w->residual, all}, {&w->correction, all}, {&w->dir[0], all},    {&w->dir[1], all},
                 {&w->dir[2], all},   {&w->ds, R},           {&w->t1, R},          {&w->t2, R},
                 {&w->t3, R},         {&w->hx, N},           {&w->best, N}};
    w->order = RG_ARENA_ALLOC(arena, int, N);
    if (w->order == NULL)
        return NULL;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        *parts[k].part = RG_ARENA_ALLOC(arena, double, parts[k].size);
        if (*parts[k].part == NULL)
            return NULL;
    }
    return w;
}

bool rg_cone_program_alloc(RgArena *arena, int n, int l, int cones, RgConeProgram *out)
{
    int m = l + 3 * cones;
    *out = (RgConeProgram){.n = n,
                           .m = m,
                           .l = l,
                           .ncones = cones,
                           .cone = RG_ARENA_ALLOC(arena, int, cones),
                           .c = RG_ARENA_ALLOC(arena, double, n),
                           .G = RG_ARENA_ALLOC(arena, double, (size_t)m *(size_t)n),
                           .h = RG_ARENA_ALLOC(arena, double, m),
                           .x = RG_ARENA_ALLOC(arena, double, n),
                           .s = RG_ARENA_ALLOC(arena, double, m),
                           .z = RG_ARENA_ALLOC(arena, double, m)};
    for (int k = 0; k < cones && !arena->failed; k++)
        out->cone[k] = 3;
    return !arena->failed;
}

static bool all_finite(const double *v, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

static bool is_valid(const RgConeWork *w, const RgConeProgram *q)
{
    if (q->n < 0 || q->m < 0 || q->l < 0 || q->ncones < 0 || q->n > w->room_n || q->m > w->room_m)
        return false;
    int rows = q->l;
    for (int j = 0; j < q->ncones; j++) {
        if (q->cone[j] < 1 || q->cone[j] > q->m - rows)
            return false;
        rows += q->cone[j];
    }
    size_t n = (size_t)q->n, m = (size_t)q->m;
    return rows == q->m && (q->H == NULL || all_finite(q->H, n * n)) && all_finite(q->c, n) &&
           all_finite(q->G, m * n) && all_finite(q->h, m);
}

/* Largest entry of each column (of H above G), and of each row of G. */
static void find_largest_entries(const RgConeWork *w, double *columns, double *rows)
{
    int n = w->n, m = w->k.m;
    memset(columns, 0, (size_t)n * sizeof *columns);
    for (int i = 0; i < (w->has_quadratic_cost ? n : 0); i++)
        for (int j = 0; j < n; j++)
            columns[j] = fmax(columns[j], fabs(w->H[(size_t)i * (size_t)n + (size_t)j]));
    for (int i = 0; i < m; i++) {
        const double *row = w->G + (size_t)i * (size_t)n;
        rows[i] = 0.0;
        for (int j = 0; j < n; j++) {
            rows[i] = fmax(rows[i], fabs(row[j]));
            columns[j] = fmax(columns[j], fabs(row[j]));
        }
    }
    for (int j = 0, at = w->k.l; j < w->k.ncones; at += w->k.cone[j++]) {
        double most = 0.0;
        for (int i = 0; i < w->k.cone[j]; i++)
            most = fmax(most, rows[at + i]);
        for (int i = 0; i < w->k.cone[j]; i++)
            rows[at + i] = most;
    }
}

/* 1 / sqrt(size), limited so that the accumulated scale stays within its bounds; rows of zeros are not scaled. */
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
    int n = w->n, m = w->k.m;
    find_largest_entries(w, columns, rows);
    for (int j = 0; j < n; j++)
        w->dx[j] *= columns[j] = factor_for(columns[j], w->dx[j]);
    for (int i = 0; i < m; i++)
        w->ez[i] *= rows[i] = factor_for(rows[i], w->ez[i]);
    if (w->has_quadratic_cost)
        scale_rows(n, n, columns, columns, w->H);
    scale_rows(m, n, rows, columns, w->G);
}

static void fill_ones(int count, double *v)
{
    for (int i = 0; i < count; i++)
        v[i] = 1.0;
}

RgStatus rg_cone_work_load(RgConeWork *w, const RgConeProgram *q)
{
    if (!is_valid(w, q))
        return RG_ERR_ARGUMENT;
    size_t n = (size_t)q->n, m = (size_t)q->m;
    w->n = q->n;
    w->k = (RgConeShape){.m = q->m, .l = q->l, .ncones = q->ncones, .cone = q->cone};
    w->has_quadratic_cost = q->H != NULL;
    if (w->has_quadratic_cost)
        memcpy(w->H, q->H, n * n * sizeof(double));
    if (m > 0)
        memcpy(w->G, q->G, m * n * sizeof(double));
    fill_ones(q->n, w->dx);
    fill_ones(q->m, w->ez);
    for (int k = 0; k < SCALING_ROUNDS; k++)
        scale_round(w, w->line, w->right);
    double cost = 0.0;
    for (size_t j = 0; j < n; j++) {
        w->c[j] = q->c[j] * w->dx[j];
        cost = fmax(cost, fabs(w->c[j]));
    }
    for (size_t i = 0; i < (w->has_quadratic_cost ? n * n : 0); i++)
        cost = fmax(cost, fabs(w->H[i]));
    w->cost = cost > 0.0 ? 1.0 / cost : 1.0;
    for (size_t j = 0; j < n; j++)
        w->c[j] *= w->cost;
    for (size_t i = 0; i < (w->has_quadratic_cost ? n * n : 0); i++)
        w->H[i] *= w->cost;
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

/* Upper triangle += sum over up to four rows of row' row, entry by entry. */
static void add_squares(int n, const double *rows, int count, double *M)
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
        double *to = M + (size_t)i * (size_t)n;
        for (int j = i; j < n; j++)
            to[j] += (f[0] * r[0][j] + f[1] * r[1][j]) + (f[2] * r[2][j] + f[3] * r[3][j]);
    }
}

void rg_cone_kkt_factor(RgConeWork *w)
{
    int n = w->n, m = w->k.m;
    size_t stride = (size_t)n;
    if (w->has_quadratic_cost)
        memcpy(w->M, w->H, stride * stride * sizeof *w->M);
    else
        memset(w->M, 0, stride * stride * sizeof *w->M);
    scale_constraints(w);
    for (int i = 0; i < m; i += 4)
        add_squares(n, w->Gs + (size_t)i * stride, m - i < 4 ? m - i : 4, w->M);
    for (size_t i = 0; i < stride; i++) {
        double *own = &w->M[i * stride + i];
        *own += REGULARISATION;
        w->line[i] = ROUND_OFF_PIVOT * *own + 0.5 * REGULARISATION;
    }
    rg_pivoted_ldl_factor(w->M, n, w->line, w->order);
}

/* ------------------------------------------------------------------ solving */

/* Solves once with the factor; out and right may be the same. */
static void solve_once(RgConeWork *w, const double *right, double *out)
{
    int n = w->n, m = w->k.m;
    double *scaled = w->t1;
    rg_cone_times_inverse(&w->k, &w->scaling, right + n, scaled);
    memmove(out, right, (size_t)n * sizeof *out);
    rg_cone_add_transpose_times(m, n, w->Gs, scaled, out);
    rg_pivoted_ldl_solve(w->M, n, w->order, out, w->line);
    double *z = out + n;
    for (int i = 0; i < m; i++)
        z[i] = rg_dot(n, w->Gs + (size_t)i * (size_t)n, out) - scaled[i];
    rg_cone_times_inverse(&w->k, &w->scaling, z, z);
}

/* out = right - K v, K the system matrix. Returns the largest entry. */
static double kkt_residual(RgConeWork *w, const double *right, const double *v, double *out)
{
    int n = w->n, m = w->k.m;
    const double *z = v + n;
    if (w->has_quadratic_cost)
        rg_dense_times(w->H, n, n, v, NULL, out);
    else
        memset(out, 0, (size_t)n * sizeof *out);
    rg_cone_add_transpose_times(m, n, w->G, z, out);
    rg_dense_times(w->G, m, n, v, NULL, out + n);
    rg_cone_times(&w->k, &w->scaling, z, w->t1);
    rg_cone_times(&w->k, &w->scaling, w->t1, w->t1);
    for (int i = 0; i < m; i++)
        out[n + i] -= w->t1[i];
    for (int i = 0; i < n + m; i++)
        out[i] = right[i] - out[i];
    return rg_cone_scaled_max(n + m, out, NULL, false);
}

double rg_cone_kkt_solve(RgConeWork *w, const double *right, double *out)
{
    int all = w->n + w->k.m;
    double size = rg_cone_scaled_max(all, right, NULL, false);
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
