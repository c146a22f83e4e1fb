/*
 * mass_factor.c - M = L' D L with the sparsity of the tree (Featherstone 2005; 2008, 6.5), plain version.
 *
 *   for k = n-1 ... 0:  d_k = M_kk;  for every ancestor i of k, along i and its own ancestors:
 *                       M_i. -= (M_ki / d_k) M_k.;   then  L_k. = M_k. / d_k
 *
 * There is no fill-in. Fails if a pivot is not positive: the joint moves no inertia. Then  M x = b  is  L' y = b,
 * D z = y,  L x = z.  The library uses mass_factor_simd.c, which gives the same bits; this version defines the
 * computation, and tests compare the two.
 */
#include "dynamics/tree_dynamics.h"

RgMassFactor rg_mass_factor_alloc(RgArena *arena, const RgModel *model)
{
    int width = 0;
    for (int k = 0; k < model->nv; k++) {
        int root = k;
        while (model->dof_parent[model->run_start[root]] >= 0)
            root = model->dof_parent[model->run_start[root]];
        int span = k - model->run_start[root] + 1;
        width = span > width ? span : width;
    }
    size_t n = (size_t)model->nv, stride = (size_t)width;
    return (RgMassFactor){model, RG_ARENA_ALLOC(arena, double, n *(stride + 1)), stride,
                          RG_ARENA_ALLOC(arena, double, n)};
}

bool rg_mass_factor_compute_plain(RgMassFactor *factor, int *bad_dof)
{
    const RgModel *m = factor->model;
    size_t n = factor->stride;
    for (int k = m->nv - 1; k >= 0; k--) {
        double *row = factor->L + (size_t)k * n;
        if (!(row[k] > 0.0)) {
            *bad_dof = k;
            return false;
        }
        double inverse = factor->inverse_d[k] = 1.0 / row[k];
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i]) {
            double scale = row[i] * inverse;
            for (int j = i; j >= 0; j = m->dof_parent[j])
                factor->L[(size_t)i * n + (size_t)j] -= scale * row[j];
        }
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i])
            row[i] *= inverse;
    }
    return true;
}

/* Dot product with four partial sums while at least eight terms remain, then term by term. */
static double dot(const double *row, const double *x, int count)
{
    double part[4] = {0.0, 0.0, 0.0, 0.0};
    int j = 0;
    for (; j + 8 <= count; j += 4)
        for (int l = 0; l < 4; l++)
            part[l] += row[j + l] * x[j + l];
    double sum = (part[0] + part[2]) + (part[1] + part[3]);
    for (; j < count; j++)
        sum += row[j] * x[j];
    return sum;
}

void rg_mass_factor_solve_plain(const RgMassFactor *factor, double *x)
{
    const RgModel *m = factor->model;
    size_t n = factor->stride;

    /* L' y = x, from the leaves to the roots. */
    for (int k = m->nv - 1; k >= 0; k--)
        for (int j = m->dof_parent[k]; j >= 0; j = m->dof_parent[j])
            x[j] -= factor->L[(size_t)k * n + (size_t)j] * x[k];

    /* D z = y and L x = z, from the roots to the leaves; ancestors in runs of consecutive numbers. */
    for (int k = 0; k < m->nv; k++) {
        const double *row = factor->L + (size_t)k * n;
        x[k] *= factor->inverse_d[k];
        for (int last = m->dof_parent[k]; last >= 0; last = m->dof_parent[m->run_start[last]]) {
            int first = m->run_start[last];
            x[k] -= dot(row + first, x + first, last - first + 1);
        }
    }
}

void rg_mass_factor_half_solve(const RgMassFactor *factor, int k, int first, double *x)
{
    const int *parent = factor->model->dof_parent;
    for (; k >= 0; k = parent[k]) {
        const double *row = factor->L + (size_t)k * factor->stride;
        for (int j = parent[k]; j >= 0; j = parent[j])
            x[j - first] -= row[j] * x[k - first];
    }
}
