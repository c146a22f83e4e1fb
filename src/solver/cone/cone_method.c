/* cone_method.c - sweeps, and the proximal method around Newton's method (cone_method.h). */
#include "solver/cone/cone_method.h"

#include <math.h>
#include <string.h>

/* Newton steps of one try, with full and with damped steps. */
#define FULL_STEPS 5
#define DAMPED_STEPS 12

/* Damped steps: sufficient decrease of the residual, as a part of the step length (Armijo), and halvings at most. */
#define SUFFICIENT_DECREASE 1e-4
#define MAX_HALVINGS 5

/* Weight a of tries with full steps: first value, upper bound, factors after a quick success and after a failure. */
#define FIRST_A 1e-5
#define MAX_A 1.0
#define A_DOWN 0.1
#define A_UP 10.0

/* Weight a of the fallback (damped steps or the convex subproblem): first value, lower bound, and the factor after a
   solve that took fewer than EASY_STEPS steps. */
#define FIRST_FALLBACK_A 1e-3
#define MIN_FALLBACK_A 1e-5
#define FALLBACK_A_DOWN 0.3
#define EASY_STEPS 20

/* Solves by the fallback after a failed try, at most. */
#define MAX_FALLBACK_SOLVES 3

/* A try has converged when the residual of its own problem has fallen to this part of its first value. It diverges when
   the residual has risen to this multiple and still rises. */
#define TRY_CONVERGED 1e-2
#define TRY_DIVERGED 1e3

/* The iteration stalls, and ends, when the best residual is below STALL_RESIDUAL and has not fallen to IMPROVEMENT of
   its value within STALL_ITERATIONS. */
#define STALL_RESIDUAL 1e-9
#define IMPROVEMENT 0.7
#define STALL_ITERATIONS 120

/* An initial point with a larger residual is not close to the solution: sweeps come first. */
#define CLOSE_RESIDUAL 0.1

/* Sweeps after a failure of Newton's method. */
#define SWEEPS_AFTER_FAILURE 2

/* Newton steps that a solve is estimated to take, when its cost is compared with that of further sweeps. */
#define EXPECTED_NEWTON_STEPS 5.0

/* Sweeps between two evaluations of the residual, in the first EARLY_SWEEPS sweeps and after them. */
#define EARLY_SWEEPS 4
#define SWEEPS_PER_CHECK_EARLY 1
#define SWEEPS_PER_CHECK_LATE 4

typedef struct StepPolicy {
    double full_a, fallback_a; /* a of tries with full steps, and of the fallback */
    double full_down;          /* factor of full_a after a quick success */
    int fallback_solves;       /* solves by the fallback after the next failure */
} StepPolicy;

static void restore_point(RgConeMethod *m, const double *to)
{
    memcpy(m->z, to, (size_t)m->n * sizeof *m->z);
}

/* Residual of the present point; stores the point if it is the best so far. */
static double evaluate_point(RgConeMethod *m)
{
    double found = m->ops->evaluate_residual(m->context);
    if (found < IMPROVEMENT * m->best_residual || m->iterations == 0)
        m->improved_at = m->iterations;
    if (found < m->best_residual) {
        m->best_residual = found;
        memcpy(m->best, m->z, (size_t)m->n * sizeof *m->z);
    }
    return found;
}

/* Not converged, not out of iterations and not stalled. */
static bool should_continue(const RgConeMethod *m)
{
    bool stalls = m->best_residual < STALL_RESIDUAL && m->iterations - m->improved_at > STALL_ITERATIONS;
    return m->best_residual > m->tolerance && m->iterations < m->max_iterations && !stalls;
}

/* Whether a residual that falls by the factor `rate` per check reaches the tolerance within `checks` checks. */
static bool converges_within(const RgConeMethod *m, double now, double rate, double checks)
{
    int most = checks < (double)m->max_iterations ? (int)checks + 1 : m->max_iterations;
    if (!(rate < 1.0))
        return false;
    for (int k = 1; k < most && now > m->tolerance; k++)
        now *= rate;
    return now <= m->tolerance;
}

/* Sweeps until the tolerance is met, or until further sweeps are estimated to cost more than Newton's method. Returns
   whether Newton's method is available. */
static bool sweep_while_cheaper(RgConeMethod *m)
{
    double last = m->best_residual, newton_cost = -1.0;
    bool planned = false;
    while (should_continue(m)) {
        int sweeps = m->iterations < EARLY_SWEEPS ? SWEEPS_PER_CHECK_EARLY : SWEEPS_PER_CHECK_LATE;
        for (int k = 0; k < sweeps; k++)
            m->ops->sweep(m->context);
        m->iterations += sweeps;
        double now = evaluate_point(m), rate = now / last;
        last = now;
        if (m->best_residual <= m->tolerance || m->iterations < 2 * EARLY_SWEEPS)
            continue;
        if (!planned) {
            newton_cost = m->ops->plan_newton(m->context);
            planned = true;
        }
        if (newton_cost >= 0.0 && !converges_within(m, now, rate, EXPECTED_NEWTON_STEPS * newton_cost / sweeps))
            return true;
    }
    return planned && newton_cost >= 0.0;
}

/* Halves a step until the residual of its problem falls sufficiently. Returns that residual. */
static double backtrack(RgConeMethod *m, double a, double last)
{
    double now = m->ops->find_states(m->context, a), part = 1.0;
    for (int k = 0; k < MAX_HALVINGS && !(now < (1.0 - SUFFICIENT_DECREASE * part) * last); k++) {
        part *= 0.5;
        m->ops->shorten_step(m->context, part);
        evaluate_point(m);
        now = m->ops->find_states(m->context, a);
    }
    return now;
}

/* Newton's method for the problem with weight a around the present point, with full or damped steps. True: its residual
   fell enough; steps: out, Newton steps. */
static bool try_newton(RgConeMethod *m, double a, bool damped, int *steps)
{
    int most = damped ? DAMPED_STEPS : FULL_STEPS;
    memcpy(m->centre, m->z, (size_t)m->n * sizeof *m->z);
    double first = m->ops->find_states(m->context, a), now = first;
    for (*steps = 0; *steps < most && m->iterations < m->max_iterations; (*steps)++) {
        if (!m->ops->newton_step(m->context))
            return false;
        m->iterations++;
        if (evaluate_point(m) <= m->tolerance)
            return true;
        double last = now;
        now = damped ? backtrack(m, a, now) : m->ops->find_states(m->context, a);
        if (now <= TRY_CONVERGED * first || m->best_residual <= m->tolerance)
            return true;
        if (!(now <= TRY_DIVERGED * first) && *steps > 0 && !(now < last))
            return false;
    }
    return false;
}

/* The fallback: the convex subproblem, or damped steps where there is none or while damped_tries remain. */
static bool solve_safely(RgConeMethod *m, double a, int *steps)
{
    if (m->ops->solve_convex == NULL || m->damped_tries > 0) {
        m->damped_tries--;
        return try_newton(m, a, true, steps);
    }
    memcpy(m->centre, m->z, (size_t)m->n * sizeof *m->z);
    bool converged = m->ops->solve_convex(m->context, a, steps);
    m->iterations += *steps;
    evaluate_point(m);
    return converged;
}

/* Proximal steps by tries with full Newton steps, as long as they converge. After a failure a returns to its last
   successful value and decreases more slowly; if the first try after that fails too, the fallback follows. False: the
   fallback failed, and the present point is where it began. */
static bool iterate_proximal(RgConeMethod *m, StepPolicy *policy)
{
    int fallbacks_left = 0, steps = 0;
    bool converged_before = false; /* the last try converged */
    while (should_continue(m)) {
        m->iterations++; /* counts a try even if it takes no step */
        if (fallbacks_left > 0) {
            double a = m->damped_tries > 0 ? policy->full_a : policy->fallback_a;
            if (!solve_safely(m, a, &steps)) {
                restore_point(m, m->centre);
                return false;
            }
            policy->fallback_a = fmax(fmin(policy->fallback_a, MIN_FALLBACK_A),
                                      steps < EASY_STEPS ? FALLBACK_A_DOWN * policy->fallback_a : policy->fallback_a);
            fallbacks_left--;
        } else if (try_newton(m, policy->full_a, false, &steps)) {
            converged_before = true;
            policy->full_down = fmax(A_DOWN, policy->full_down * policy->full_down);
            if (steps < FULL_STEPS - 1)
                policy->full_a = fmax(m->min_a, policy->full_down * policy->full_a);
        } else {
            restore_point(m, m->centre);
            policy->full_a = fmin(MAX_A, converged_before ? policy->full_a / policy->full_down : A_UP * policy->full_a);
            policy->full_down = converged_before ? sqrt(sqrt(policy->full_down)) : A_DOWN;
            fallbacks_left = converged_before ? 0 : policy->fallback_solves;
            policy->fallback_solves = converged_before                                ? 1
                                      : policy->fallback_solves < MAX_FALLBACK_SOLVES ? policy->fallback_solves + 1
                                                                                      : MAX_FALLBACK_SOLVES;
            converged_before = false;
        }
    }
    return true;
}

bool rg_cone_method_solve(RgConeMethod *m)
{
    StepPolicy policy = {FIRST_A, FIRST_FALLBACK_A, A_DOWN, 1};
    m->iterations = 0;
    m->best_residual = INFINITY;
    evaluate_point(m);
    if (!isfinite(m->best_residual)) /* the initial point has no finite residual */
        return false;
    bool starts_close = m->may_be_close && m->best_residual < CLOSE_RESIDUAL;
    bool planned = starts_close && should_continue(m) && m->ops->plan_newton(m->context) >= 0.0;
    if (planned)
        iterate_proximal(m, &policy);
    planned = (should_continue(m) && sweep_while_cheaper(m)) || planned;
    while (planned && should_continue(m) && !iterate_proximal(m, &policy)) {
        policy.fallback_a = fmin(MAX_A, A_UP * policy.fallback_a);
        for (int k = 0; k < SWEEPS_AFTER_FAILURE; k++)
            m->ops->sweep(m->context);
        m->iterations += SWEEPS_AFTER_FAILURE;
        evaluate_point(m);
    }
    restore_point(m, m->best);
    return m->best_residual <= m->tolerance;
}
