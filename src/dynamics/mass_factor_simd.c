/*
 * mass_factor_simd.c - mass_factor.c, vectorised, with the same bits.
 *
 * The loop over the updated row is outermost:
 *   for i = n-1 ... 0:  for every velocity k beyond i, in descending order:  L_ki = M_ki / d_k,  M_i. -= L_ki M_k.
 *                       d_i = M_ii
 * A row is read and written once, and each entry is updated in the order k = n-1, n-2, ... of the plain version. The
 * velocities beyond i are i+1 ... last, and all have i's ancestors, which form runs of consecutive numbers. So the work
 * is on rectangles of the matrix: up to 16 columns of the updated row stay in registers during the updates, or 32 with
 * AVX2. Lanes are independent.
 */
#include "dynamics/tree_dynamics.h"
#include "math/pair_simd.h"

#include <math.h>

/* Number of rows subtracted in one pass; longer chains take several passes. Bounds the array of scales on the stack. */
#define ROWS_AT_ONCE 64

/* Widest rectangle processed in pairs, and in vectors of four: as many columns as fit in the registers. */
#define PAIR_COLUMNS 16
#define QUAD_COLUMNS 32

/* Rows of a matrix in descending order, stride apart, and their scales. */
typedef struct Rows {
    const double *first;
    size_t stride;
    const double *scale;
    int count;
} Rows;

/* to -= scale * row, for all rows, in `width` columns: even and a compile-time constant. */
RG_KERNEL void subtract_pairs(int width, double *restrict to, Rows rows)
{
    RgPair sum[PAIR_COLUMNS / 2];
    for (int p = 0; p < width / 2; p++)
        sum[p] = pair_load(to + 2 * p);
    for (int b = 0; b < rows.count; b++, rows.first -= rows.stride) {
        RgPair scale = pair_both(rows.scale[b]);
        for (int p = 0; p < width / 2; p++)
            sum[p] -= scale * pair_load(rows.first + 2 * p);
    }
    for (int p = 0; p < width / 2; p++)
        pair_store(sum[p], to + 2 * p);
}

/* The same for one column. */
RG_KERNEL void subtract_column(double *restrict to, Rows rows)
{
    double sum = *to;
    for (int b = 0; b < rows.count; b++, rows.first -= rows.stride)
        sum -= rows.scale[b] * *rows.first;
    *to = sum;
}

typedef double Quad __attribute__((vector_size(32)));

/* The same in vectors of four columns, with AVX2. */
RG_AVX2 RG_KERNEL void subtract_quads(int width, double *restrict to, Rows rows)
{
    Quad sum[QUAD_COLUMNS / 4], x;
    for (int p = 0; p < width / 4; p++)
        memcpy(&sum[p], to + 4 * p, sizeof sum[p]);
    for (int b = 0; b < rows.count; b++, rows.first -= rows.stride) {
        Quad scale = {rows.scale[b], rows.scale[b], rows.scale[b], rows.scale[b]};
        for (int p = 0; p < width / 4; p++) {
            memcpy(&x, rows.first + 4 * p, sizeof x);
            sum[p] -= scale * x;
        }
    }
    for (int p = 0; p < width / 4; p++)
        memcpy(to + 4 * p, &sum[p], sizeof sum[p]);
}

/* The same for as many whole rectangles as fit; returns their number of columns. */
RG_AVX2 static int subtract_wide(double *restrict to, Rows rows, int width)
{
    int done = 0;
    for (; done + QUAD_COLUMNS <= width; done += QUAD_COLUMNS, rows.first += QUAD_COLUMNS)
        subtract_quads(QUAD_COLUMNS, to + done, rows);
    if (done + QUAD_COLUMNS / 2 > width)
        return done;
    subtract_quads(QUAD_COLUMNS / 2, to + done, rows);
    return done + QUAD_COLUMNS / 2;
}

/* The same for any number of columns: wide rectangles, then powers of two. */
RG_KERNEL void subtract_rows(double *restrict to, Rows rows, int width, bool quads)
{
    int done = quads && width >= PAIR_COLUMNS ? subtract_wide(to, rows, width) : 0;
    for (rows.first += done; done + PAIR_COLUMNS <= width; done += PAIR_COLUMNS, rows.first += PAIR_COLUMNS)
        subtract_pairs(PAIR_COLUMNS, to + done, rows);
    if ((width & 8) != 0) {
        subtract_pairs(8, to + done, rows);
        done += 8;
        rows.first += 8;
    }
    if ((width & 4) != 0) {
        subtract_pairs(4, to + done, rows);
        done += 4;
        rows.first += 4;
    }
    if ((width & 2) != 0) {
        subtract_pairs(2, to + done, rows);
        done += 2;
        rows.first += 2;
    }
    if ((width & 1) != 0)
        subtract_column(to + done, rows);
}

/* Scales column i of rows k, k-1, ..., from M to L, and updates the pivot of row i. entry: row k. */
RG_KERNEL double scale_column(double *restrict entry, size_t n, const double *restrict inverse_d, int count,
                              double pivot, double *restrict scale)
{
    for (int b = 0; b < count; b++, entry -= n) {
        double old = *entry, scaled = old * inverse_d[-b];
        pivot -= scaled * old;
        *entry = scale[b] = scaled;
    }
    return pivot;
}

/* Updates row i by the rows of all velocities beyond it; returns the pivot. */
RG_KERNEL double eliminate_row(const RgMassFactor *factor, int i, int last_beyond, bool quads)
{
    const RgModel *m = factor->model;
    size_t n = factor->stride;
    double *to = factor->L + (size_t)i * n, scale[ROWS_AT_ONCE], pivot = to[i];
    for (int k = last_beyond; k > i; k -= ROWS_AT_ONCE) {
        double *from = factor->L + (size_t)k * n;
        int count = k - i < ROWS_AT_ONCE ? k - i : ROWS_AT_ONCE;
        pivot = scale_column(from + i, n, factor->inverse_d + k, count, pivot, scale);
        for (int last = m->dof_parent[i], first; last >= 0; last = m->dof_parent[first]) {
            first = m->run_start[last];
            subtract_rows(to + first, (Rows){from + first, n, scale, count}, last - first + 1, quads);
        }
    }
    return pivot;
}

RG_KERNEL bool factor_rows(RgMassFactor *factor, RgTreePart part, int *bad_dof, bool quads)
{
    const RgModel *m = factor->model;
    double *inverse_d = factor->inverse_d;

    /* Until its pivot is known, inverse_d[i] stores the last velocity beyond i. */
    for (int i = part.dof; i < part.dof_end; i++)
        inverse_d[i] = i;
    for (int i = part.dof_end - 1; i >= part.dof; i--) {
        int last = (int)inverse_d[i], parent = m->dof_parent[i];
        if (parent >= 0 && inverse_d[parent] == parent)
            inverse_d[parent] = last;
        double pivot = eliminate_row(factor, i, last, quads);
        if (!(pivot > 0.0)) {
            *bad_dof = i;
            return false;
        }
        inverse_d[i] = 1.0 / pivot;
    }
    return true;
}

RG_AVX static bool factor_rows_avx(RgMassFactor *factor, RgTreePart part, int *bad_dof)
{
    return factor_rows(factor, part, bad_dof, rg_has_avx2());
}

bool rg_mass_factor_compute_part(RgMassFactor *factor, RgTreePart part, int *bad_dof)
{
    return rg_has_avx() ? factor_rows_avx(factor, part, bad_dof) : factor_rows(factor, part, bad_dof, false);
}

bool rg_mass_factor_compute(RgMassFactor *factor, int *bad_dof)
{
    return rg_mass_factor_compute_part(factor, rg_tree_whole(factor->model), bad_dof);
}

/* to -= scale row */
static inline void subtract_row(double *restrict to, const double *restrict row, double scale, int width)
{
    int j = 0;
    for (; j + 2 <= width; j += 2)
        pair_store(pair_load(to + j) - pair_both(scale) * pair_load(row + j), to + j);
    if (j < width)
        to[j] -= scale * row[j];
}

/* row . x; the last terms one by one, as x was written just before. */
static inline double dot(const double *restrict row, const double *restrict x, int count)
{
    RgPair even = pair_both(0.0), odd = even;
    int j = 0;
    for (; j + 8 <= count; j += 4) {
        even += pair_load(row + j) * pair_load(x + j);
        odd += pair_load(row + j + 2) * pair_load(x + j + 2);
    }
    RgPair both = even + odd;
    double sum = both[0] + both[1];
    for (; j < count; j++)
        sum += row[j] * x[j];
    return sum;
}

/* L x = z in place, from the roots to the leaves. */
static void solve_lower(const RgMassFactor *factor, RgTreePart part, double *x)
{
    const int *dof_parent = factor->model->dof_parent, *run_start = factor->model->run_start;
    const double *row = factor->L + (size_t)part.dof * factor->stride;
    for (int k = part.dof; k < part.dof_end; k++, row += factor->stride) {
        double sum = x[k];
        for (int last = dof_parent[k], first; last >= 0; last = dof_parent[first]) {
            first = run_start[last];
            sum -= dot(row + first, x + first, last - first + 1);
        }
        x[k] = sum;
    }
}

void rg_part_solve(const RgMassFactor *factor, RgTreePart part, double *x)
{
    const RgModel *m = factor->model;
    const int *dof_parent = m->dof_parent, *run_start = m->run_start;
    const double *row = factor->L + (size_t)part.dof_end * factor->stride;

    /* L' y = x, from the leaves to the roots. */
    for (int k = part.dof_end - 1; k >= part.dof; k--) {
        row -= factor->stride;
        for (int last = dof_parent[k], first; last >= 0; last = dof_parent[first]) {
            first = run_start[last];
            subtract_row(x + first, row + first, x[k], last - first + 1);
        }
    }

    /* D z = y. */
    for (int k = part.dof; k < part.dof_end; k++)
        x[k] *= factor->inverse_d[k];
    solve_lower(factor, part, x);
}

void rg_part_solve_half(const RgMassFactor *factor, RgTreePart part, double *x)
{
    for (int k = part.dof; k < part.dof_end; k++)
        x[k] *= sqrt(factor->inverse_d[k]);
    solve_lower(factor, part, x);
}

void rg_mass_factor_solve(const RgMassFactor *factor, double *x)
{
    rg_part_solve(factor, rg_tree_whole(factor->model), x);
}

/* Columns in registers: twelve (two bodies), six (a vector of four and a pair) or one. */
#define MAX_COLUMNS 12
typedef struct Columns {
    Quad quad[MAX_COLUMNS / 4];
    RgPair pair;
    double one;
} Columns;

/* Load and store `width` columns, a compile-time constant: twelve, six or one. */
RG_KERNEL void load_columns(int width, Columns *x, const double *from)
{
    for (int i = 0; i < width / 4; i++)
        memcpy(&x->quad[i], from + 4 * i, sizeof x->quad[i]);
    if (width % 4 == 2)
        x->pair = pair_load(from + width - 2);
    if (width == 1)
        x->one = *from;
}

RG_KERNEL void store_columns(int width, const Columns *x, double *to)
{
    for (int i = 0; i < width / 4; i++)
        memcpy(to + 4 * i, &x->quad[i], sizeof x->quad[i]);
    if (width % 4 == 2)
        pair_store(x->pair, to + width - 2);
    if (width == 1)
        *to = x->one;
}

/* Elimination of columns of one row from the rows of its ancestors. */
typedef struct ColumnPass {
    const RgMassFactor *factor;
    const RgHalfBlock *block;
    double *X;
    int k; /* the row's velocity */
} ColumnPass;

/* Subtracts columns c ... c + width - 1 of row k from those of its ancestors (runs of consecutive numbers), scales
   them, and adds their squares to sum. width is a compile-time constant. */
RG_KERNEL void eliminate_columns(int width, const ColumnPass *u, int32_t c, double scale, double *restrict sum)
{
    const RgModel *m = u->factor->model;
    const RgHalfBlock *b = u->block;
    const double *row = u->factor->L + (size_t)u->k * u->factor->stride;
    double *own = u->X + (size_t)b->row[u->k - b->first] * b->stride + c;
    Columns part = {.one = 0.0}, to = part;
    load_columns(width, &part, own);
    for (int last = m->dof_parent[u->k], first; last >= 0; last = m->dof_parent[first]) {
        first = m->run_start[last];
        double *at = u->X + (size_t)b->row[last - b->first] * b->stride + c;
        for (int j = last; j >= first; j--, at -= b->stride) {
            load_columns(width, &to, at);
            for (int i = 0; i < width / 4; i++)
                to.quad[i] -= row[j] * part.quad[i];
            to.pair -= row[j] * part.pair;
            to.one -= row[j] * part.one;
            store_columns(width, &to, at);
        }
    }
    load_columns(width, &to, sum + c);
    for (int i = 0; i < width / 4; i++) {
        part.quad[i] *= scale;
        to.quad[i] += part.quad[i] * part.quad[i];
    }
    part.pair *= scale;
    to.pair += part.pair * part.pair;
    part.one *= scale;
    to.one += part.one * part.one;
    store_columns(width, &part, own);
    store_columns(width, &to, sum + c);
}

RG_KERNEL void half_block(const RgMassFactor *factor, const RgHalfBlock *b, const RgHalfSpan *span, double *X)
{
    ColumnPass u = {factor, b, X, 0};
    for (int i = b->count - 1; i >= 0; i--) {
        int32_t c = span[i].low, high = span[i].high;
        if (c == high)
            continue;
        u.k = b->first + i;
        double scale = sqrt(factor->inverse_d[u.k]);
        for (; c + MAX_COLUMNS <= high; c += MAX_COLUMNS)
            eliminate_columns(MAX_COLUMNS, &u, c, scale, b->squares);
        for (; c + MAX_COLUMNS / 2 <= high; c += MAX_COLUMNS / 2)
            eliminate_columns(MAX_COLUMNS / 2, &u, c, scale, b->squares);
        for (; c < high; c++)
            eliminate_columns(1, &u, c, scale, b->squares);
    }
}

RG_AVX2 static void half_block_avx2(const RgMassFactor *factor, const RgHalfBlock *b, const RgHalfSpan *span, double *X)
{
    half_block(factor, b, span, X);
}

void rg_mass_factor_half_solve_block(const RgMassFactor *factor, const RgHalfBlock *b, const RgHalfSpan *span,
                                     double *X)
{
    if (rg_has_avx2())
        half_block_avx2(factor, b, span, X);
    else
        half_block(factor, b, span, X);
}
