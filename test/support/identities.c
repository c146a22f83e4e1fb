/*
 * identities.c - an algorithm against another algorithm that must give the same number.
 */
#include "identities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double relative_error(const double *a, const double *b, int count)
{
    double error = 0.0, scale = 0.0;
    for (int i = 0; i < count; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i]))
            return (double)INFINITY;
        error = fmax(error, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return error == 0.0 ? 0.0 : error / scale;
}

/* Columns of M from inverse dynamics at rest without gravity: tau(e_j) - tau(0). */
static void check_columns(RgDynamics *dynamics, const TestState *s, const double *M, DynamicsErrors *e)
{
    size_t n = (size_t)s->nv + 1;
    double *work = calloc(4 * n, sizeof *work);
    double *unit = work, *rest = work + n, *tau = work + 2 * n, *column = work + 3 * n;
    rg_dynamics_set_gravity(dynamics, (RgVec3){0.0, 0.0, 0.0});
    rg_inverse_dynamics(dynamics, s->q, unit, unit, NULL, rest);
    double *still = calloc(n, sizeof *still);
    for (int j = 0; j < s->nv; j++) {
        unit[j] = 1.0;
        rg_inverse_dynamics(dynamics, s->q, still, unit, NULL, tau);
        unit[j] = 0.0;
        for (int i = 0; i < s->nv; i++) {
            tau[i] -= rest[i];
            column[i] = M[i * s->nv + j];
        }
        e->columns = fmax(e->columns, relative_error(column, tau, s->nv));
    }
    rg_dynamics_set_gravity(dynamics, (RgVec3){0.0, 0.0, -9.81});
    free(still);
    free(work);
}

static void check_symmetry(const double *M, int nv, DynamicsErrors *e)
{
    double largest = 0.0, error = 0.0;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            largest = fmax(largest, fabs(M[i * nv + j]));
            error = fmax(error, fabs(M[i * nv + j] - M[j * nv + i]));
        }
    e->symmetric = nv > 0 ? error / largest : 0.0;
}

static RgStatus compare(RgDynamics *dynamics, TestState *s, DynamicsErrors *e)
{
    size_t n = (size_t)s->nv;
    double *work = calloc(n * n + 2 * n + 1, sizeof *work);
    double *M = work, *tau = M + n * n, *a = tau + n;
    RgStatus status = rg_forward_dynamics(dynamics, s->q, s->v, s->tau, s->wrenches, s->a);
    if (status == RG_OK)
        status = rg_inverse_dynamics(dynamics, s->q, s->v, s->a, s->wrenches, tau);
    e->inverse = relative_error(tau, s->tau, s->nv);
    if (status == RG_OK)
        status = rg_forward_dynamics_factor(dynamics, s->q, s->v, s->tau, s->wrenches, a);
    e->factor = relative_error(a, s->a, s->nv);
    if (status == RG_OK)
        status = rg_mass_matrix(dynamics, s->q, M);
    if (status == RG_OK) {
        check_columns(dynamics, s, M, e);
        check_symmetry(M, s->nv, e);
        status = rg_mass_factor(dynamics, s->q);
    }

    /* M^-1 (M a) = a. */
    for (int i = 0; i < s->nv; i++) {
        tau[i] = 0.0;
        for (int j = 0; j < s->nv; j++)
            tau[i] += M[i * s->nv + j] * s->a[j];
    }
    if (status == RG_OK)
        rg_mass_solve(dynamics, tau);
    e->solve = relative_error(tau, s->a, s->nv);
    free(work);
    return status;
}

DynamicsErrors dynamics_errors(const RgModel *model, uint64_t seed)
{
    DynamicsErrors e = {0};
    TestState s = random_state(model, seed);
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    e.status = dynamics == NULL ? RG_ERR_MEMORY : compare(dynamics, &s, &e);
    rg_dynamics_destroy(dynamics);
    test_state_destroy(&s);
    return e;
}

DynamicsErrors dynamics_errors_worst(DynamicsErrors a, DynamicsErrors b)
{
    return (DynamicsErrors){
        a.status != RG_OK ? a.status : b.status, fmax(a.inverse, b.inverse), fmax(a.columns, b.columns),
        fmax(a.symmetric, b.symmetric),          fmax(a.factor, b.factor),   fmax(a.solve, b.solve)};
}
