/*
 * ode.h - the reference integrator: dy/dt = f(t, y) by an embedded Runge-Kutta method of order 8 with error
 * control and dense output.
 *
 *   rg_ode_init(&arena, &def, &ode);                  all memory is taken here
 *   rg_ode_start(&ode, t0, y0, 0.0);
 *   while (ode.t < t_end && status == RG_OK)
 *       status = rg_ode_step(&ode, t_end);            ode.t, ode.y; rg_ode_dense inside the step just made
 *
 * Each step keeps its error estimate below 1, as a root mean square with the weights 1 / (atol + rtol |y_i|).
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
    int max_steps;     /* accepted and rejected, since the start; 0: no limit */
} RgOdeDef;

typedef struct RgOdeCounts {
    int64_t evaluations; /* of the right side */
    int64_t accepted, rejected;
    int64_t failed; /* steps given up because the right side failed */
} RgOdeCounts;

/* The first group may be read at any time; the rest is the integrator's own. */
typedef struct RgOde {
    RgOdeDef def;
    double t;     /* now */
    double *y;    /* n, at t */
    double h;     /* size (>= 0) of the next step; 0: to be found */
    double t_old; /* start of the last accepted step */
    RgOdeCounts counts;

    double *y_old, *y_next; /* n: start of the last step; trial values */
    double *low;            /* n: what y lost to rounding (y + low is the better value) */
    double *low_next;       /* n */
    double *sum, *sum3;     /* n: weighted stages */
    double *stages[16];     /* n each: derivatives */
    double *dense;          /* 7 n: coefficients of the dense output */
    bool end_known;         /* stages[12] is the derivative at t, y */
    bool step_known;        /* y_old and the stages belong to the step that ended at t */
    bool dense_known;
} RgOde;

/* RG_ERR_ARGUMENT: a def that makes no sense. RG_ERR_MEMORY: the arena is out of memory. */
RgStatus rg_ode_init(RgArena *arena, const RgOdeDef *def, RgOde *ode);

/* Begins at t, y with the step size h (0: found from the right side); counts start again.
   RG_ERR_NOT_FINITE. */
RgStatus rg_ode_start(RgOde *ode, double t, const double *y, double h);

/*
 * Goes on from another y (say, in new local coordinates of the same state) or with a changed right side, with
 * the
 * step size as it is. Components that are unchanged keep their rounding remainder. It costs no evaluation:
 * the
 * derivative at the end of a step is not known before the next one begins. y may be ode->y itself.
 */
RgStatus rg_ode_restart(RgOde *ode, double t, const double *y);

/*
 * One accepted step towards t_limit (either side of t); ends exactly there when it is nearer than 1.01 steps.
 * The
 * right side is never evaluated beyond t_limit. On an error t and y stay as they were:
 *   RG_ERR_NOT_CONVERGED   the step would be below h_min, or max_steps is reached
 *   RG_ERR_NOT_FINITE      the same, and the right side gave numbers that are not finite
 *   another status         of the right side, after ten halvings of the step, or at t, y itself
 */
RgStatus rg_ode_step(RgOde *ode, double t_limit);

/*
 * y at a time of the last accepted step, with an error of order h^8 (polynomial of degree 7). The first call
 * for a
 * step costs three evaluations. Valid until the next step, start or restart; RG_ERR_ARGUMENT outside the
 * step.
 */
RgStatus rg_ode_dense(RgOde *ode, double t, double *y);

#endif
