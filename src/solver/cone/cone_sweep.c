/*
 * cone_sweep.c - sweeps of solver `cone` (nonlinear block Gauss-Seidel): each contact with circular friction is solved
 * exactly on its own (cone_local.h); other friction and other rows follow one after another by projection.
 */
#include "math/dense_factor.h"
#include "solver/cone/cone_local.h"
#include "solver/cone/cone_state.h"
#include "solver/cone_projection.h"

#include <string.h>

/* W of the first three rows of a contact, and its inverse; 0: no circular cone, or singular. */
static void compute_block(RgCone *c, int32_t index)
{
    const RgConeGroup *g = &c->rows.group[index];
    double *W = c->block + 9 * (ptrdiff_t)index, *inverse = c->inverse + 9 * (ptrdiff_t)index;
    memset(inverse, 0, 9 * sizeof *inverse);
    if (!cone_is_circular(c->rows.p, g))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *x = cone_row(g, g->first + i), *y = cone_row(g, g->first + j);
            double sum = i == j ? c->rows.p->compliance[g->first + i] : 0.0;
            for (int32_t k = 0; k < g->columns; k++)
                sum += x[k] * y[k];
            W[3 * i + j] = sum;
        }
    if (!rg_invert3(W, inverse))
        memset(inverse, 0, 9 * sizeof *inverse);
}

void rg_cone_sweep_prepare(RgCone *c)
{
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        compute_block(c, k);
}

/* ------------------------------------------------------------------ sweeps */

/* Solves one row with all others fixed; friction is bounded by the present normal. */
static void sweep_row(RgCone *c, const RgConeGroup *g, int32_t i)
{
    RgProblem *p = c->rows.p;
    if (!(c->rows.diagonal[i] > 0.0))
        return;
    double w = cone_row_times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
    double z = row_project(p, i, row_normal(p, i), p->z[i] - w / c->rows.diagonal[i]);
    cone_apply_impulse(g, i, z - p->z[i], p->s);
    p->z[i] = z;
}

/* Solves the two rows of a cone with all others fixed, by one projected step. */
static void sweep_pair(RgCone *c, const RgConeGroup *g, int32_t i)
{
    RgProblem *p = c->rows.p;
    double z[2];
    if (!(c->rows.response[i] > 0.0))
        return;
    for (int k = 0; k < 2; k++) {
        double w = cone_row_times(g, i + k, p->s) + p->compliance[i + k] * p->z[i + k] - p->target[i + k];
        z[k] = p->z[i + k] - w / c->rows.response[i];
    }
    pair_project(p, i, row_normal(p, i), &z[0], &z[1]);
    for (int k = 0; k < 2; k++) {
        cone_apply_impulse(g, i + k, z[k] - p->z[i + k], p->s);
        p->z[i + k] = z[k];
    }
}

/* Solves normal and tangents of a contact together, exactly. */
static void sweep_contact(RgCone *c, int32_t index)
{
    RgProblem *p = c->rows.p;
    const RgConeGroup *g = &c->rows.group[index];
    const double *W = c->block + 9 * (ptrdiff_t)index, *inverse = c->inverse + 9 * (ptrdiff_t)index;
    double *z = p->z + g->first, last[3] = {z[0], z[1], z[2]}, q[3];
    for (int k = 0; k < 3; k++) {
        int32_t i = g->first + k;
        q[k] = cone_row_times(g, i, p->s) + p->compliance[i] * z[k] - p->target[i];
        q[k] -= W[3 * k] * z[0] + W[3 * k + 1] * z[1] + W[3 * k + 2] * z[2];
    }
    RgConeLocal local = {W, q, p->high[g->first + 1]};
    cone_local_solve(&local, inverse[0] != 0.0 ? inverse : NULL, z);
    for (int k = 0; k < 3; k++)
        cone_apply_impulse(g, g->first + k, z[k] - last[k], p->s);
}

void rg_cone_project_group(RgProblem *p, const RgConeGroup *g)
{
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        double n = row_normal(p, i);
        if (p->cone[i]) {
            pair_project(p, i, n, &p->z[i], &p->z[i + 1]);
            i++;
        } else {
            p->z[i] = row_project(p, i, n, p->z[i]);
        }
    }
}

void rg_cone_sweep(RgCone *c)
{
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        bool as_contact = cone_is_circular(c->rows.p, g) && c->rows.diagonal[g->first] > 0.0;
        if (as_contact)
            sweep_contact(c, k);
        for (int32_t i = g->first + (as_contact ? 3 : 0); i < g->first + g->rows; i++)
            if (c->rows.p->cone[i])
                sweep_pair(c, g, i++);
            else
                sweep_row(c, g, i);
    }
}
