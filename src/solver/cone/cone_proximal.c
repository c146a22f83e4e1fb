/*
 * cone_proximal.c - solver `cone`: Coulomb's law to a residual, by the proximal method (Rockafellar 1976) with Newton's
 * method inside.
 *
 *   z_k+1 solves Coulomb's law with w + a A (z - z_k) instead of w         (cone_newton.c)
 *   a = f min(r, 1)              r: residual of z_k relative to the size of the problem
 *
 * The added term makes steps possible where rows are linearly dependent (most rows of a pile are), and keeps them short
 * while contacts still change between open, sticking and sliding. A failure multiplies the factor f by FACTOR_UP and
 * returns to z_k. A success that does not halve the residual, or one with f above 1, multiplies f by FACTOR_DOWN. So a
 * tends to zero with the residual, whatever its first value. Factors of 3 in any of these numbers change the Newton
 * steps that scenes take by less than a quarter.
 *
 * Convergence. Every z_k+1 misses the law by a A |z_k+1 - z_k|. Where z_k converges, it therefore converges to a
 * solution, and with a = f r superlinearly (Rockafellar, theorem 2). With friction of given radius, or the associated
 * law, z_k converges whenever there is a solution (cone_associated.c). Coulomb's law is not monotone; no method is
 * proven to converge for it. The evidence is numerical: docs/solver-figures.md.
 *
 * A few sweeps, contact after contact exactly (cone_sweep.c), follow where a step fails or steps are slow, unless z is
 * already close. They do not come first: contacts that share a load would receive it in their order, and where
 * velocities are not unique (a cylinder held along two lines may pivot about the ends that carry) that order would
 * decide the motion. A proximal step from z = 0 is close to the impulses of least norm, which share a load equally. An
 * initial guess that is worse than no impulses is dropped. One more sweep ends a solve that converged; the better of
 * the two points is the result.
 *
 * Failure: RG_SOLVE_INFEASIBLE with a proof (cone_infeasible.c). RG_SOLVE_ITERATIONS with the best z: no steps are
 * left, or linearly dependent rows contradict each other by about round-off (the residual is below STALL_RESIDUAL and
 * has not improved for STALL_ITERATIONS iterations). RG_SOLVE_SINGULAR: an input is NaN or infinite.
 */
#include "solver/cone/cone_newton.h"
#include "solver/cone/cone_state.h"

#include <math.h>
#include <string.h>

/* Upper bound of r in the weight a; lower bound of a, which keeps E = C + a A above 0 where C is 0. */
#define MAX_R 1.0
#define MIN_A 1e-12
/* Factors of f after a failure and after a slow success. A success is slow if the residual is above the part SLOW of
   the last one. */
#define FACTOR_UP 10.0
#define FACTOR_DOWN 0.3
#define SLOW 0.5

/* Slow steps before sweeps. */
#define SLOW_STEPS 3

/* Sweeps in a row, and more while each one lowers the residual to SWEEP_FALL of it; none where it is below
   CLOSE_RESIDUAL at first. */
#define SWEEPS 3
#define SWEEP_FALL 0.1
#define CLOSE_RESIDUAL 1e-3

/* Residual at which Newton's method ends, as a part of the tolerance. */
#define INNER_TOLERANCE_PART 0.03

/* Below STALL_RESIDUAL, relative to the size, the rest may be round-off: the iteration ends if the best residual has
   not fallen to IMPROVEMENT of its value within STALL_ITERATIONS iterations. */
#define STALL_RESIDUAL 1e-9
#define STALL_ITERATIONS 120
#define IMPROVEMENT 0.7

/* After a slow step with a below this and a residual above STALL_RESIDUAL, a proof that there is no solution is
   tried. */
#define A_PROOF 1e-4

typedef struct Proximal {
    RgCone *c;
    double tolerance;
    double residual, best_residual; /* residuals relative to the size: of the present z, of the best z */
    int iterations, max_iterations;
    bool swept;      /* sweeps are done, or not needed */
    int slow_steps;  /* number of slow steps */
    int improved_at; /* iteration of the last substantial improvement of the best residual */
} Proximal;

/* Updates s and the residual for the present z; stores the best z. */
static double evaluate(Proximal *m)
{
    RgCone *c = m->c;
    RgProblem *p = c->rows.p;
    rg_cone_rows_update_velocities(&c->rows);
    RgResidual found = rg_problem_residual(p, c->rows.response, NULL);
    m->residual = isnan(found.mean) ? (double)INFINITY : found.velocity / c->size;
    if (m->residual < IMPROVEMENT * m->best_residual)
        m->improved_at = m->iterations;
    if (m->residual < m->best_residual) {
        m->best_residual = m->residual;
        memcpy(c->best, p->z, (size_t)p->n * sizeof *p->z);
    }
    return m->residual;
}

static void restore_impulses(RgCone *c, const double *z)
{
    memcpy(c->rows.p->z, z, (size_t)c->rows.p->n * sizeof *z);
    rg_cone_rows_update_velocities(&c->rows);
}

/* Not converged, not out of iterations and not stalled. */
static bool should_continue(const Proximal *m)
{
    bool stalls = m->best_residual < STALL_RESIDUAL && m->iterations - m->improved_at > STALL_ITERATIONS;
    return m->best_residual > m->tolerance && m->iterations < m->max_iterations && !stalls;
}

static void sweep(Proximal *m)
{
    double last = m->residual;
    int most = m->iterations + SWEEPS;
    m->swept = true;
    while (should_continue(m) && (m->iterations < most || m->residual < SWEEP_FALL * last)) {
        last = m->residual;
        rg_cone_sweep(m->c);
        m->iterations++;
        evaluate(m);
    }
}

/* Outer steps of the proximal method. */
static void iterate(Proximal *m, RgConeNewton *newton, RgSolveReport *report)
{
    double factor = 1.0;
    newton->enough = INNER_TOLERANCE_PART * m->tolerance * m->c->size;
    while (should_continue(m)) {
        double last = m->residual;
        newton->a = fmax(MIN_A, factor * fmin(MAX_R, m->residual));
        newton->max_steps = m->max_iterations - m->iterations;
        bool converged = rg_cone_newton_solve(newton);
        m->iterations += newton->steps + 1;
        evaluate(m);
        bool slow = m->residual > SLOW * last;
        m->slow_steps += slow;
        if (!m->swept && (!converged || m->slow_steps > SLOW_STEPS)) {
            restore_impulses(m->c, newton->centre);
            evaluate(m);
            sweep(m);
            continue;
        }
        if (!converged) {
            factor *= FACTOR_UP;
            if (!(m->residual < last)) {
                restore_impulses(m->c, newton->centre);
                m->residual = last;
            }
            continue;
        }
        if (slow || factor > 1.0)
            factor *= FACTOR_DOWN;
        if (slow && m->best_residual > STALL_RESIDUAL && newton->a < A_PROOF &&
            rg_cone_infeasible(m->c, newton->centre)) {
            report->outcome = RG_SOLVE_INFEASIBLE;
            return;
        }
    }
}

bool rg_cone_proximal_solve(RgCone *c, const RgExactOptions *options, int max_iterations, RgSolveReport *report)
{
    RgProblem *p = c->rows.p;
    Proximal m = {.c = c,
                  .tolerance = options->tolerance + c->round_off / c->size,
                  .best_residual = INFINITY,
                  .max_iterations = max_iterations};
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        rg_cone_project_group(p, &c->rows.group[k]);
    if (!(evaluate(&m) <= c->island_size / c->size)) {
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
        evaluate(&m);
    }
    report->outcome = isfinite(m.best_residual) ? RG_SOLVE_ITERATIONS : RG_SOLVE_SINGULAR;
    if (!isfinite(m.best_residual))
        return true;
    m.swept = !(m.residual > CLOSE_RESIDUAL);
    RgConeNewton newton = {.rows = &c->rows};
    if (should_continue(&m) && !rg_cone_newton_alloc(&newton))
        return false;
    iterate(&m, &newton, report);
    restore_impulses(c, c->best);
    /* A last sweep costs little and often gains digits; the better point is the result. */
    if (m.iterations > 0 && m.best_residual <= m.tolerance) {
        rg_cone_sweep(c);
        m.iterations++;
        evaluate(&m);
        restore_impulses(c, c->best);
    }
    report->iterations = m.iterations;
    report->converged = m.best_residual <= m.tolerance;
    return true;
}
