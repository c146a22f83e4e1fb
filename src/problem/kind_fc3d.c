/*
 * kind_fc3d.c - contacts with Coulomb's friction in three dimensions.
 *
 *   w = W r + q,   K(mu) contains r,   K* contains w + mu |w_t| e_n,   perpendicular          each contact
 *
 * Residual: the natural map of the cone complementarity problem (V. Acary, M. Bremond, O. Huber, 2018, section 2.3),
 *
 *   |r - P_K(r - w - mu |w_t| e_n)| / |q|,     P_K: nearest point of the cone
 *
 * It is zero exactly at solutions. File format: 3, number of contacts, matrix W, q, mu.
 */
#include "base/status.h"
#include "problem/problem_file.h"

#include <limits.h>
#include <math.h>

static bool recognises(const RgProblemStart *start)
{
    const double *x = start->number;
    return x[0] == 3.0 && (x[2] == 0.0 || x[2] == 1.0 || x[2] == 2.0) && x[3] == 3.0 * x[1] && x[4] == x[3];
}

/* ------------------------------------------------------------------ reading */

/* The block at (i, j), by bisection; NULL: none. */
static const double *find_block(const RgConeBlocks *c, int i, int j)
{
    int low = c->start[i], high = c->start[i + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (c->column[middle] == j)
            return c->block + 9 * (size_t)middle;
        if (c->column[middle] < j)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

/* Largest |W_ij - W_ji| over the largest |W_ij|. */
static double asymmetry_of(const RgConeBlocks *c)
{
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < c->n; i++)
        for (int e = c->start[i]; e < c->start[i + 1]; e++) {
            const double *a = c->block + 9 * (size_t)e, *b = find_block(c, c->column[e], i);
            for (int k = 0; k < 9; k++) {
                largest = fmax(largest, fabs(a[k]));
                difference = fmax(difference, fabs(a[k] - (b != NULL ? b[3 * (k % 3) + k / 3] : 0.0)));
            }
        }
    return largest > 0.0 ? difference / largest : 0.0;
}

static double norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static void read_fc3d(RgProblemText *t, RgProblemFile *p)
{
    RgFileMatrix matrix;
    rg_problem_text_count(t, "dimension", 3, 3);
    int n = rg_problem_text_count(t, "number of contacts", 0, INT_MAX / 48);
    rg_file_matrix_read(t, &p->arena, 3 * n, &matrix);
    rg_file_matrix_contact_blocks(t, &p->arena, &matrix, &p->cones);
    double *q = rg_problem_text_alloc_numbers(t, &p->arena, "the vector q", 3 * (size_t)n);
    rg_problem_text_numbers(t, "a value of q", q, 3 * (size_t)n);
    double *mu = rg_problem_text_alloc_numbers(t, &p->arena, "the coefficients of friction", (size_t)n);
    for (int i = 0; i < n && !t->failed; i++) {
        rg_problem_text_numbers(t, "a coefficient of friction", &mu[i], 1);
        if (mu[i] < 0.0)
            rg_problem_text_fail(t, RG_ERR_SYNTAX, "the coefficient of friction of contact %d is negative", i);
    }
    if (t->failed)
        return;
    p->cones.q = q;
    p->cones.mu = mu;
    p->n = 3 * n;
    p->contacts = n;
    p->asymmetry = asymmetry_of(&p->cones);
    p->scale = norm(q, p->n);
    if (!(p->scale > 0.0))
        p->scale = 1.0;
    if (!isfinite(p->scale))
        rg_problem_text_fail(t, RG_ERR_NOT_FINITE, "the norm of q is not finite");
}

/* ------------------------------------------------------------------ residual */

/* W r of contact i. */
static void times_contact(const RgConeBlocks *c, int i, const double *r, double w[3])
{
    w[0] = w[1] = w[2] = 0.0;
    for (int e = c->start[i]; e < c->start[i + 1]; e++) {
        const double *b = c->block + 9 * (size_t)e, *x = r + 3 * (size_t)c->column[e];
        for (int k = 0; k < 3; k++)
            w[k] += b[3 * k] * x[0] + b[3 * k + 1] * x[1] + b[3 * k + 2] * x[2];
    }
}

void rg_cone_nearest(double mu, const double x[3], double out[3])
{
    double slip = sqrt(x[1] * x[1] + x[2] * x[2]);
    if (slip <= mu * x[0]) {
        out[0] = x[0];
        out[1] = x[1];
        out[2] = x[2];
        return;
    }
    out[0] = out[1] = out[2] = 0.0;
    if (mu * slip <= -x[0])
        return;
    double n = (x[0] + mu * slip) / (1.0 + mu * mu);
    out[0] = n;
    out[1] = mu * n * (x[1] / slip);
    out[2] = mu * n * (x[2] / slip);
}

static double residual(const RgProblemFile *p, const double *r)
{
    const RgConeBlocks *c = &p->cones;
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const double *own = r + 3 * (size_t)i, *q = c->q + 3 * (size_t)i;
        double w[3], x[3], nearest[3];
        times_contact(c, i, r, w);
        for (int k = 0; k < 3; k++)
            w[k] += q[k];
        double slip = sqrt(w[1] * w[1] + w[2] * w[2]);
        x[0] = own[0] - (w[0] + c->mu[i] * slip);
        x[1] = own[1] - w[1];
        x[2] = own[2] - w[2];
        rg_cone_nearest(c->mu[i], x, nearest);
        for (int k = 0; k < 3; k++)
            sum += (own[k] - nearest[k]) * (own[k] - nearest[k]);
    }
    return sqrt(sum) / p->scale;
}

/* ------------------------------------------------------------------ for solvers of rows */

static void times(const RgProblemFile *p, const double *x, double *out)
{
    for (int i = 0; i < p->cones.n; i++)
        times_contact(&p->cones, i, x, out + 3 * (size_t)i);
}

static void symmetric(const RgProblemFile *p, double *out)
{
    const RgConeBlocks *c = &p->cones;
    size_t n = (size_t)p->n;
    for (size_t k = 0; k < n * n; k++)
        out[k] = 0.0;
    for (int i = 0; i < c->n; i++)
        for (int e = c->start[i]; e < c->start[i + 1]; e++)
            for (size_t k = 0; k < 9; k++) {
                size_t row = 3 * (size_t)i + k / 3, column = 3 * (size_t)c->column[e] + k % 3;
                double half = 0.5 * c->block[9 * (size_t)e + k];
                out[row * n + column] += half;
                out[column * n + row] += half;
            }
}

static void describe_row(const RgProblemFile *p, int i, RgProblem *rows)
{
    bool is_normal = i % 3 == 0;
    rows->row_class[i] = is_normal ? RG_ROW_NORMAL : RG_ROW_FRICTION;
    rows->normal[i] = is_normal ? -1 : i - i % 3;
    rows->cone[i] = i % 3 == 1;
    rows->low[i] = is_normal ? 0.0 : -p->cones.mu[i / 3];
    rows->high[i] = is_normal ? INFINITY : p->cones.mu[i / 3];
    rows->target[i] = -p->cones.q[i];
}

const RgProblemKind rg_problem_kind_fc3d = {.name = "fc3d",
                                            .begins_with = "'3 contacts storage rows columns' (fc3d)",
                                            .recognises = recognises,
                                            .read = read_fc3d,
                                            RG_PROBLEM_FUNCTIONS};
