/*
 * bilateral.c - accelerations that satisfy the rows:  a = a_free + M^-1 J' z,  J a + bias + C z = target.
 *
 * A step of length h that moves the positions along the new velocity satisfies the position constraints to second order
 * if J a = -bias / 2, not -bias: with J u = 0 at the start, g(x + h (u + h a)) = h^2 (J a + bias / 2) + O(h^3). SHAKE
 * does the same (Ryckaert, Ciccotti, Berendsen 1977). With the full bias a body that rotates at w gains the part (h
 * w)^2 / 2 of its speed per step; without any bias it loses as much. The projection that follows acts along the rows at
 * the end of the step, whereas SHAKE uses those of its start: so the method is not symplectic, and a small energy drift
 * of higher order in h remains.
 *
 * Near a dead point a row is nearly dependent on others: its response d is small, and the velocity h bias / 2 along it
 * takes the energy (h bias)^2 / (8 d), any amount. Such rows get no part of the bias in a step, so that they only take
 * velocity away; the projection closes them. Accelerations (share 1) have it all.
 */
#include "constraint/tree_solve.h"

#include <string.h>

/* Response of the bodies of a row without their joints, at least. */
static double response_alone(const RgForm *form, const RgRow *row)
{
    double sum = 0.0;
    for (int k = 0; k < row->nbodies; k++) {
        const RgInertia *in = &form->model->bodies[row->body[k]].inertia;
        RgVec3 com = m3_apply(form->kin->X_WB[row->body[k]].R, in->com);
        RgVec3 n = v3_sub(row->J[k].n, v3_cross(com, row->J[k].f));
        double moments = in->I.xx + in->I.yy + in->I.zz;
        sum += in->mass > 0.0 ? v3_norm2(row->J[k].f) / in->mass : 0.0;
        sum += moments > 0.0 ? v3_norm2(n) / moments : 0.0;
    }
    return sum;
}

/* Row i of J and Y become zero if joints in the coordinates leave no motion along it: the row is dependent. */
static void clear_locked(RgBilateral *p, int i, double *y)
{
    double left = p->compliance[i];
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        left += p->values[e] * y[p->columns[e]];
    if (left > RG_LOCKED_RESPONSE * p->alone[i])
        return;
    memset(p->values + p->start[i], 0, (size_t)(p->start[i + 1] - p->start[i]) * sizeof *p->values);
    memset(y, 0, (size_t)p->nu * sizeof *y);
}

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
        p->alone[i] = p->diagonal_mass ? 0.0 : response_alone(form, &c->rows.row[i]);
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
        clear_locked(p, i, y);
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

/* Replaces the solution by that without the drift of weak rows. */
static void solve_without_weak_drift(RgConstraints *c, double share)
{
    RgBilateral *p = &c->problem;
    double *drift = c->scratch.velocity;
    for (int i = 0; i < p->n; i++) {
        const RgRow *row = &c->rows.row[i];
        double bias;
        rg_row_project(c->form, row, c->scratch.columns, c->scratch.values, &bias);
        drift[i] = row->compliance > 0.0 ? 0.0 : -share * bias;
        p->z[i] = p->rhs[i] - drift[i];
    }
    rg_direct_solve_again(c->direct, p, p->z);
    rg_direct_solve_strong(c->direct, p, drift);
    for (int i = 0; i < p->n; i++)
        p->z[i] += drift[i];
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
    if (status == RG_OK && share < 1.0 && rg_direct_has_weak_rows(c->direct, p))
        solve_without_weak_drift(c, share);
    if (status == RG_OK)
        rg_add_response(p, p->z, a);
    return status;
}
