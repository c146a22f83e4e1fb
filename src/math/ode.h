/*
 * ode.h - the reference integrator: dy/dt = f(t, y) by an embedded Runge-Kutta method of order 8 with error control and
 * dense output.
 *
 *   rg_ode_init(&arena, &def, &ode);                  allocates all memory
 *   rg_ode_start(&ode, t0, y0, 0.0);
 *   while (ode.t < t_end && status == RG_OK)
 *       status = rg_ode_step(&ode, t_end);            ode.t, ode.y; rg_ode_dense within the last step
 *
 * Each accepted step has an error estimate of at most 1: a root mean square with weights 1 / (atol + rtol |y_i|).
 */
#ifndef RIGOR_ODE_H
#define RIGOR_ODE_H

#include "base/arena.h"

typedef struct RgOdeDef {
    int n;
    RgStatus (*rhs)(double t, const double *y, double *dydt, void *context); /* y, dydt: n */
    void *context;
    double rtol, atol; /* not both 0; rtol down to 1e-14 is meaningful */
    double h_min;      /* a smaller step is refused; 0: round-off of t */
    double h_max;      /* 0: no limit */
    int max_steps;     /* accepted and rejected steps since the start; 0: no limit */
} RgOdeDef;

typedef struct RgOdeCounts {
    int64_t evaluations; /* of the right-hand side */
    int64_t accepted, rejected;
    int64_t failed; /* steps rejected because the right-hand side failed */
} RgOdeCounts;

/* The first group of fields is public; the second is internal. */
typedef struct RgOde {
    RgOdeDef def;
    double t;     /* current time */
    double *y;    /* n, at t */
    double h;     /* length (>= 0) of the next step; 0: to be estimated */
    double t_old; /* start of the last accepted step */
    RgOdeCounts counts;

    double *y_old, *y_next; /* n: start of the last step; trial values */
    double *low;            /* n: rounding remainder of y (compensated sum: y + low is more accurate) */
    double *low_next;       /* n */
    double *sum, *sum3;     /* n: weighted sums of stages */
    double *stages[16];     /* n each: derivatives */
    double *dense;          /* 7 n: coefficients of the dense output */
    bool end_known;         /* stages[12] is the derivative at t, y */
    bool step_known;        /* y_old and the stages belong to the step that ended at t */
    bool dense_known;       /* dense belongs to that step */
} RgOde;

/* RG_ERR_ARGUMENT: an invalid definition. RG_ERR_MEMORY: the arena is out of memory. */
RgStatus rg_ode_init(RgArena *arena, const RgOdeDef *def, RgOde *ode);

/* Starts at t, y with step length h (0: estimated from the right-hand side); resets the counts. RG_ERR_NOT_FINITE. */
RgStatus rg_ode_start(RgOde *ode, double t, const double *y, double h);

/*
 * Continues from another y (such as new local coordinates of the same state) or with a changed right-hand side, with
 * the present step length. Unchanged components keep their rounding remainder. Costs no evaluation, as the derivative
 * at the end of a step is only evaluated when the next one begins. y may be ode->y itself.
 */
RgStatus rg_ode_restart(RgOde *ode, double t, const double *y);

/*
 * Makes one accepted step towards t_limit (on either side of t); ends exactly there if it is nearer than 1.01 steps.
 * The right-hand side is never evaluated beyond t_limit. On an error t and y do not change:
 *   RG_ERR_NOT_CONVERGED   the step length would fall below h_min, or max_steps is reached
 *   RG_ERR_NOT_FINITE      the same, with numbers from the right-hand side that are not finite
 *   another status         of the right-hand side, after ten halvings of the step, or at t, y itself
 */
RgStatus rg_ode_step(RgOde *ode, double t_limit);

/*
 * y at a time within the last accepted step, with an error of order h^8 (polynomial of degree 7). The first call for a
 * step costs three evaluations. Valid until the next step, start or restart; RG_ERR_ARGUMENT outside the step.
 */
RgStatus rg_ode_dense(RgOde *ode, double t, double *y);

#endif
