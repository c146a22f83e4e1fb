/*
 * bilateral.c - accelerations that satisfy the rows:  a = a_free + M^-1 J' z,  J a + bias + C z = target.
 *
 * A step of length h that moves the positions along the new velocity satisfies the position constraints to second order
 * if J a = -bias / 2, not -bias: with J u = 0 at the start, g(x + h (u + h a)) = h^2 (J a + bias / 2) + O(h^3). SHAKE
 * does the same (Ryckaert, Ciccotti, Berendsen 1977). With the full bias a body that rotates at w gains the part (h
 * w)^2 / 2 of its speed per step; without any bias it loses as much. The projection that follows acts along the rows at
 * the end of the step, whereas SHAKE uses those of its start: so the method is not symplectic, and a small energy drift
 * of higher order in h remains.
 */
#include "constraint/tree_solve.h"

#include <string.h>

void rg_project_rows(RgConstraints *c, double *bias)
{
    const RgForm *form = c->form;
    RgBilateral *p = &c->problem;
    p->n = c->rows.n;
    p->start[0] = 0;
    for (int i = 0; i < p->n; i++) {
        int count = rg_row_project(form, &c->rows.row[i], c->scratch.columns, c->scratch.values, &bias[i]);
        int at = p->start[i];
        p->start[i + 1] = at + count;
        memcpy(p->columns + at, c->scratch.columns, (size_t)count * sizeof *p->columns);
        memcpy(p->values + at, c->scratch.values, (size_t)count * sizeof *p->values);
        p->compliance[i] = c->rows.row[i].compliance;
        if (p->diagonal_mass) {
            for (int e = at; e < at + count; e++)
                p->Y[e] = p->values[e] * form->inverse_mass[p->columns[e]];
            continue;
        }
        double *y = p->Y + (size_t)i * (size_t)p->nu;
        memset(y, 0, (size_t)p->nu * sizeof *y);
        for (int e = at; e < at + count; e++)
            y[p->columns[e]] = p->values[e];
        form->kind->solve(form, y);
    }
}

double rg_row_times(const RgBilateral *p, int i, const double *x)
{
    double sum = 0.0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        sum += p->values[e] * x[p->columns[e]];
    return sum;
}

void rg_add_response(const RgBilateral *p, const double *z, double *x)
{
    for (int i = 0; i < p->n; i++) {
        if (p->diagonal_mass)
            for (int e = p->start[i]; e < p->start[i + 1]; e++)
                x[p->columns[e]] += p->Y[e] * z[i];
        else
            for (int k = 0; k < p->nu; k++)
                x[k] += p->Y[(size_t)i * (size_t)p->nu + (size_t)k] * z[i];
    }
}

RgStatus rg_solve_bilateral(RgConstraints *c, double share, double *a)
{
    RgBilateral *p = &c->problem;
    c->tree.used = rg_tree_solve_applies(c) && rg_tree_solve_factor(c);
    if (c->tree.used) {
        rg_tree_solve_accelerations(c, share, a);
        p->redundant = 0;
        p->residual = 0.0;
        return RG_OK;
    }
    rg_project_rows(c, p->rhs);
    for (int i = 0; i < p->n; i++) {
        const RgRow *row = &c->rows.row[i];
        double kept = row->no_bias ? 0.0 : row->compliance > 0.0 ? 1.0 : share;
        p->rhs[i] = row->target - kept * p->rhs[i] - rg_row_times(p, i, a);
    }
    RgStatus status = rg_direct_solve(c->direct, p);
    if (status == RG_OK)
        rg_add_response(p, p->z, a);
    return status;
}
