/*
 * cone_proximal.c - solver `cone`: Coulomb's law to a residual, by the proximal method (Rockafellar 1976) with Newton's
 * method inside.
 *
 *   z_k+1 solves Coulomb's law with w + a A (z - z_k) in place of w         (cone_newton.c)
 *   a = f min(r, 1)              r: residual of z_k over the size of the problem
 *
 * The term makes steps possible where rows depend on each other (most of a pile's do), and keeps them short while
 * contacts still change between open, sticking and sliding. A failure multiplies the factor f by 10 and goes back to
 * z_k; a success by which the residual did not fall to half, or with f above 1, divides it by 3. So a tends to zero
 * with the residual, whatever its first value: factors of 3 in any of these numbers change the steps of Newton's method
 * that scenes take by less than a quarter.
 *
 * Convergence. Every z_k+1 misses the law by a A |z_k+1 - z_k|, so where z_k converges it converges to a solution, and
 * with a = f r superlinearly (Rockafellar, theorem 2). With friction of given radius, or the associated law, z_k does
 * converge whenever there is a solution (cone_associated.c); for Coulomb's law, which is not monotone, there is no such
 * proof for any method known. What is shown is shown by numbers: docs/solver-figures.md.
 *
 * A few sweeps, contact after contact exactly (cone_sweep.c), follow where a step fails or steps are slow, unless z is
 * near already. They do not come first: contacts that share a load would get it in their order, and where velocities
 * are not unique (a cylinder held along two lines may pivot about the ends that carry) that decides the motion. A
 * proximal step from z = 0 is near the least impulses, which share alike. A first guess that is worse than no impulses
 * is dropped. One sweep more ends a solve that converged; the better answer of the two is kept.
 *
 * Failure: RG_SOLVE_INFEASIBLE with a proof (cone_infeasible.c); RG_SOLVE_ITERATIONS with the best z seen: steps ran
 * out, or rows that depend on each other contradict each other by about round-off (the residual is below SMALL and has
 * not become better for STALL steps); RG_SOLVE_SINGULAR: an input is NaN or infinite.
 */
#include "solver/cone/cone_newton.h"
#include "solver/cone/cone_state.h"

#include <math.h>
#include <string.h>

/* Largest r that counts; least a: E = C + a A is above 0 where C is 0. */
#define A_MOST 1.0
#define A_LEAST 1e-12
/* What a failure and a slow success multiply f by; part of the last residual above which a success is slow. */
#define FACTOR_UP 10.0
#define FACTOR_DOWN 0.3
#define SLOW 0.5

/* So many slow steps are borne before sweeps. */
#define SLOW_STEPS 3

/* Sweeps, and more while each divides the residual by ten; none where it is below NEAR already. */
#define SWEEPS 3
#define SWEEP_FALL 0.1
#define NEAR 1e-3

/* What Newton's method may leave, as a part of the tolerance. */
#define ENOUGH_PART 0.03

/* Round-off may be all that is left where the residual, over the size, is below SMALL: then STALL iterations in which
   the best has not fallen to BETTER of what it was are the end. */
#define SMALL 1e-9
#define STALL 120
#define BETTER 0.7

/* Below this a, and above SMALL, slow steps are asked for a proof that there is no solution. */
#define A_PROOF 1e-4

typedef struct Proximal {
    RgCone *c;
    double tolerance;
    double now, least; /* residuals over the size: of the present z, of the best */
    int iterations, most;
    bool swept;    /* sweeps have been made, or are not needed */
    int slow;      /* steps that were */
    int better_at; /* iteration at which the best was last much better than before */
} Proximal;

/* s and the residual of the present z; keeps the best z. */
static double evaluate(Proximal *m)
{
    RgCone *c = m->c;
    RgProblem *p = c->rows.p;
    rg_cone_rows_refresh(&c->rows);
    RgResidual found = rg_problem_residual(p, c->rows.response, NULL);
    m->now = isnan(found.mean) ? (double)INFINITY : found.velocity / c->size;
    if (m->now < BETTER * m->least)
        m->better_at = m->iterations;
    if (m->now < m->least) {
        m->least = m->now;
        memcpy(c->best, p->z, (size_t)p->n * sizeof *p->z);
    }
    return m->now;
}

static void put_back(RgCone *c, const double *z)
{
    memcpy(c->rows.p->z, z, (size_t)c->rows.p->n * sizeof *z);
    rg_cone_rows_refresh(&c->rows);
}

/* Whether it is neither converged nor at the end of its iterations, nor stalled by round-off. */
static bool goes_on(const Proximal *m)
{
    bool stalls = m->least < SMALL && m->iterations - m->better_at > STALL;
    return m->least > m->tolerance && m->iterations < m->most && !stalls;
}

static void sweep(Proximal *m)
{
    double last = m->now;
    int most = m->iterations + SWEEPS;
    m->swept = true;
    while (goes_on(m) && (m->iterations < most || m->now < SWEEP_FALL * last)) {
        last = m->now;
        rg_cone_sweep(m->c);
        m->iterations++;
        evaluate(m);
    }
}

/* The outer steps. */
static void step_on(Proximal *m, RgConeNewton *newton, RgSolveReport *report)
{
    double factor = 1.0;
    newton->enough = ENOUGH_PART * m->tolerance * m->c->size;
    while (goes_on(m)) {
        double last = m->now;
        newton->a = fmax(A_LEAST, factor * fmin(A_MOST, m->now));
        newton->most = m->most - m->iterations;
        bool well = rg_cone_newton_solve(newton);
        m->iterations += newton->steps + 1;
        evaluate(m);
        bool slow = m->now > SLOW * last;
        m->slow += slow;
        if (!m->swept && (!well || m->slow > SLOW_STEPS)) {
            put_back(m->c, newton->centre);
            evaluate(m);
            sweep(m);
            continue;
        }
        if (!well) {
            factor *= FACTOR_UP;
            if (!(m->now < last)) {
                put_back(m->c, newton->centre);
                m->now = last;
            }
            continue;
        }
        if (slow || factor > 1.0)
            factor *= FACTOR_DOWN;
        if (slow && m->least > SMALL && newton->a < A_PROOF && rg_cone_infeasible(m->c, newton->centre)) {
            report->outcome = RG_SOLVE_INFEASIBLE;
            return;
        }
    }
}

bool rg_cone_proximal_solve(RgCone *c, const RgExactOptions *options, int most, RgSolveReport *report)
{
    RgProblem *p = c->rows.p;
    Proximal m = {.c = c, .tolerance = options->tolerance + c->round / c->size, .least = INFINITY, .most = most};
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        rg_cone_bring_in(p, &c->rows.group[k]);
    if (!(evaluate(&m) <= c->own_size / c->size)) {
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
        evaluate(&m);
    }
    report->outcome = isfinite(m.least) ? RG_SOLVE_ITERATIONS : RG_SOLVE_SINGULAR;
    if (!isfinite(m.least))
        return true;
    m.swept = !(m.now > NEAR);
    RgConeNewton newton = {.rows = &c->rows};
    if (goes_on(&m) && !rg_cone_newton_take(&newton))
        return false;
    step_on(&m, &newton, report);
    put_back(c, c->best);
    /* A last sweep, which costs little and often gains digits; the better answer is kept. */
    if (m.iterations > 0 && m.least <= m.tolerance) {
        rg_cone_sweep(c);
        m.iterations++;
        evaluate(&m);
        put_back(c, c->best);
    }
    report->iterations = m.iterations;
    report->converged = m.least <= m.tolerance;
    return true;
}
