/*
 * cone_method.h - strategy for contacts with Coulomb's law over a block matrix (cone_blocks.c): when to sweep, when to
 * use Newton's method, and how far a step may move from the last point.
 *
 * A sweep solves contact after contact exactly (nonlinear Gauss-Seidel, cone_local.h). Sweeps are cheap and robust, and
 * suffice where few bodies are in contact. When their residual falls so slowly that Newton's method is estimated to be
 * cheaper, the proximal method (Rockafellar 1976) takes over with Newton's method inside: with z_k the last point and D
 * the diagonal of W, the problem
 *
 *   w = W z + q + a D (z - z_k)
 *
 * is solved for z_k+1; if that took few steps, a is reduced. The added term makes a singular W regular and keeps steps
 * short while contacts still change state. Where z stops moving it vanishes, and the solution is that of the original
 * problem.
 *
 * Newton's method first tries full steps: the residual may grow while sliding directions rotate, and falls
 * quadratically later. A try that does not converge within a few steps is discarded, and a is increased. Damped steps
 * or a convex subproblem follow, then sweeps. The result is the best point of all.
 */
#ifndef RIGOR_CONE_METHOD_H
#define RIGOR_CONE_METHOD_H

#include <stdbool.h>

typedef struct RgConeMethodOps {
    /* Residual of the present point, relative to the size of the problem. */
    double (*evaluate_residual)(void *context);
    void (*sweep)(void *context);
    /* Allocates and plans Newton's method. Returns the cost of one step in sweeps; negative: it is not available. */
    double (*plan_newton)(void *context);
    /* Finds the state (open, sticking, sliding) of each contact for the problem with weight a around the centre, for
       the next Newton step. Returns the residual of that problem. */
    double (*find_states)(void *context, double a);
    bool (*newton_step)(void *context); /* false: the system is singular */
    void (*shorten_step)(void *context,
                         double part); /* repeats that step from its start, with this part of its length */
    /* Solves the convex subproblem with weight a around the present point to convergence; steps: out, Newton steps.
       NULL: not available, damped Newton steps are used instead. False: not converged. */
    bool (*solve_convex)(void *context, double a, int *steps);
} RgConeMethodOps;

typedef struct RgConeMethod {
    const RgConeMethodOps *ops;
    void *context;
    int n;
    double *z;             /* n: the present point */
    double *best, *centre; /* n: the best point; z_k */
    double tolerance;
    double min_a;      /* lower bound of a */
    int damped_tries;  /* number of solves by damped Newton steps before the convex subproblem is used */
    bool may_be_close; /* the initial point may be close to the solution: Newton's method comes before any sweep */
    int iterations;    /* out: sweeps and Newton steps */
    int max_iterations;
    int improved_at;      /* iteration of the last substantial improvement of the best residual */
    double best_residual; /* out: residual of the best point */
} RgConeMethod;

/* On return the present point is the best one. True: converged to the tolerance. False with an infinite best_residual:
   the initial point has no finite residual and is unchanged. */
bool rg_cone_method_solve(RgConeMethod *m);

#endif
