/*
 * ode_problems.h - differential equations with known solutions, for the tests of the reference integrator.
 *
 *   oscillator   x'' = -x
 *   kepler       x'' = -x / |x|^3 in the plane, semi-axis 1, from the pericentre at t = 0
 *   pendulum     theta'' = -sin theta
 *   arenstorf    the periodic orbit of the restricted three-body problem (Hairer, Norsett, Wanner 1993, II.0)
 *   top          rotation vector u of a chart, and the body rates of a symmetric top
 */
#ifndef TEST_ODE_PROBLEMS_H
#define TEST_ODE_PROBLEMS_H

#include "math/ode.h"
#include "math/quat.h"

#include <criterion/criterion.h>
#include <string.h>

/* An integrator with its memory. */
typedef struct OdeRun {
    RgArena arena;
    RgOde ode;
} OdeRun;

static inline OdeRun ode_run_begin(const RgOdeDef *def)
{
    OdeRun run;
    rg_arena_init(&run.arena, NULL);
    cr_assert_eq(rg_ode_init(&run.arena, def, &run.ode), RG_OK);
    return run;
}

static inline void ode_run_end(OdeRun *run)
{
    rg_arena_free(&run->arena);
}

/* From y at 0 to t_end. */
static inline RgStatus ode_run_to(OdeRun *run, const double *y, double t_end)
{
    RgStatus status = rg_ode_start(&run->ode, 0.0, y, 0.0);
    while (status == RG_OK && run->ode.t < t_end)
        status = rg_ode_step(&run->ode, t_end);
    return status;
}

static inline RgStatus oscillator_rhs(double t, const double *y, double *dydt, void *context)
{
    (void)t, (void)context;
    dydt[0] = y[1];
    dydt[1] = -y[0];
    return RG_OK;
}

static inline RgStatus tenth_rhs(double t, const double *y, double *dydt, void *context)
{
    (void)t, (void)y, (void)context;
    dydt[0] = 0.1;
    return RG_OK;
}

static inline RgStatus kepler_rhs(double t, const double *y, double *dydt, void *context)
{
    (void)t, (void)context;
    double r2 = y[0] * y[0] + y[1] * y[1], k = -1.0 / (r2 * sqrt(r2));
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = k * y[0];
    dydt[3] = k * y[1];
    return RG_OK;
}

/* Position and velocity at t, by Kepler's equation E - e sin E = t. */
static inline void kepler_state(double e, double t, double y[4])
{
    double E = t;
    for (int i = 0; i < 50; i++)
        E -= (E - e * sin(E) - t) / (1.0 - e * cos(E));
    double b = sqrt(1.0 - e * e), rate = 1.0 / (1.0 - e * cos(E));
    y[0] = cos(E) - e;
    y[1] = b * sin(E);
    y[2] = -sin(E) * rate;
    y[3] = b * cos(E) * rate;
}

static inline RgStatus pendulum_rhs(double t, const double *y, double *dydt, void *context)
{
    (void)t, (void)context;
    dydt[0] = y[1];
    dydt[1] = -sin(y[0]);
    return RG_OK;
}

/* sn, cn, dn of u and the modulus k, by the descending arithmetic-geometric mean (Abramowitz, Stegun
   16.4). */
static inline void jacobi_elliptic(double u, double k, double *sn, double *cn, double *dn)
{
    double a[16] = {1.0}, c[16] = {k}, b = sqrt(1.0 - k * k);
    int last = 0;
    while (fabs(c[last]) > 1e-17 && last < 15) {
        a[last + 1] = 0.5 * (a[last] + b);
        c[last + 1] = 0.5 * (a[last] - b);
        b = sqrt(a[last] * b);
        last++;
    }
    double phi = ldexp(a[last] * u, last), previous = phi;
    for (int i = last; i > 0; i--) {
        previous = phi;
        phi = 0.5 * (phi + asin(c[i] / a[i] * sin(phi)));
    }
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = last > 0 && fabs(cos(previous - phi)) > 0.1 ? *cn / cos(previous - phi) : sqrt(1.0 - k * k * *sn * *sn);
}

#define ARENSTORF_MU 0.012277471
#define ARENSTORF_PERIOD 17.0652165601579625588917206249

static const double arenstorf_start[4] = {0.994, 0.0, 0.0, -2.00158510637908252240537862224};

static inline RgStatus arenstorf_rhs(double t, const double *y, double *dydt, void *context)
{
    (void)t, (void)context;
    double moon = ARENSTORF_MU, earth = 1.0 - moon;
    double d1 = pow((y[0] + moon) * (y[0] + moon) + y[1] * y[1], 1.5);
    double d2 = pow((y[0] - earth) * (y[0] - earth) + y[1] * y[1], 1.5);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = y[0] + 2.0 * y[3] - earth * (y[0] + moon) / d1 - moon * (y[0] - earth) / d2;
    dydt[3] = y[1] - 2.0 * y[2] - earth * y[1] / d1 - moon * y[1] / d2;
    return RG_OK;
}

/* Body rates (a cos nt, a sin nt, b). */
#define TOP_A 0.7
#define TOP_B 2.0
#define TOP_N 1.3

static inline RgStatus top_rhs(double t, const double *y, double *dydt, void *context)
{
    (void)t, (void)context;
    RgVec3 rate = q_dexpinv(v3(y[0], y[1], y[2]), v3(y[3], y[4], y[5]));
    dydt[0] = rate.x;
    dydt[1] = rate.y;
    dydt[2] = rate.z;
    dydt[3] = -TOP_N * y[4];
    dydt[4] = TOP_N * y[3];
    dydt[5] = 0.0;
    return RG_OK;
}

#endif
