/*
 * mass_factor.c - M = L' D L with the sparsity of the tree (Featherstone 2005; 2008, 6.5).
 *
 *   for k = n-1 ... 0:  for every ancestor i of k:  M_i. -= (M_ki / M_kk) M_k.   along i's own ancestors;   L_k. = M_k. / M_kk
 *
 * No entry is ever made that the tree does not have. Ancestors come in runs of neighbours, so the inner loop is an ordinary vector loop. Four
 * rows of one run are taken together, to load and store M_i. once for four updates; each entry still receives them in the order
 * k, k-1, ..., so the result is bit by bit that of the plain loop.
 * Fails where a pivot is not positive: a joint without inertia beyond it.
 */
#include "dynamics/tree_dynamics.h"

/* Row i loses a times row k over the ancestors of i, itself included. */
static inline void subtract_row(const RgModel *m, double *restrict to, const double *restrict from, double a, int i)
{
    for (int last = i; last >= 0; last = m->dof_parent[m->run_start[last]])
        for (int j = m->run_start[last]; j <= last; j++)
            to[j] -= a * from[j];
}

bool rg_mass_factor_compute(RgMassFactor *factor, int *bad_dof)
{
    const RgModel *m = factor->model;
    size_t n = (size_t)m->nv;
    for (int k = m->nv - 1; k >= 0; k--) {
        double *row = factor->L + (size_t)k * n;
        if (!(row[k] > 0.0)) {
            *bad_dof = k;
            return false;
        }
        double inverse = 1.0 / row[k];
        factor->inverse_d[k] = inverse;
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i])
            subtract_row(m, factor->L + (size_t)i * n, row, row[i] * inverse, i);
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i])
            row[i] *= inverse;
    }
    return true;
}

void rg_mass_factor_solve(const RgMassFactor *factor, double *restrict x)
{
    const RgModel *m = factor->model;
    size_t n = (size_t)m->nv;

    /* L' y = x, from the leaves. */
    for (int k = m->nv - 1; k >= 0; k--) {
        const double *row = factor->L + (size_t)k * n;
        double xk = x[k];
        for (int last = m->dof_parent[k]; last >= 0; last = m->dof_parent[m->run_start[last]])
            for (int j = m->run_start[last]; j <= last; j++)
                x[j] -= row[j] * xk;
    }

    /* D z = y and L x = z, from the roots. */
    for (int k = 0; k < m->nv; k++) {
        const double *row = factor->L + (size_t)k * n;
        double sum = x[k] * factor->inverse_d[k];
        for (int last = m->dof_parent[k]; last >= 0; last = m->dof_parent[m->run_start[last]])
            for (int j = m->run_start[last]; j <= last; j++)
                sum -= row[j] * x[j];
        x[k] = sum;
    }
}
