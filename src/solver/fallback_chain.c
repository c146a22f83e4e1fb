/*
 * fallback_chain.c - fallback chain of exact solvers (fallback_chain.h).
 *
 *   1  the requested solver
 *   2  the same with compliance C = FALLBACK_COMPLIANCE A_ii in hard rows, which makes dependent rows regular
 *   3  cone: converges, or comes close, where pivoting methods do not terminate
 *   4  lemke, for few rows: with much friction a solution may not be reachable by descent
 *   5  quick, unless there are too many rows: accelerated sweeps over whole contacts. Of 1000 random problems of each
 *      of the four shapes of random_bodies.h, with friction up to 100, 939, 919, 898 and 591 have a residual below 1e-6
 *      after 200 sweeps; with pgs 926, 885, 877 and 494
 *   6  pgs: sweeps, which always terminate
 *
 * Each fallback starts from the initial guess. Its residual is that of the original problem, whatever problem it
 * solved. A fallback that reports solved and reduces the residual ends the chain. Compliant rows count as solved only
 * if the compliance makes a negligible difference: contradicting rows are not solved by giving way. Sweeps count as
 * solved by the residual, not by their own report. The energy guard is applied to the result. Before the chain, targets
 * without bounds that seem to be contradictory are checked and replaced by the nearest attainable ones
 * (attainable_targets.c).
 */
#include "solver/fallback_chain.h"

#include "solver/attainable_targets.h"
#include "solver/energy_guard.h"
#include "solver/second_answer.h"

#include <math.h>
#include <string.h>

/* Part of A_ii: compliance of hard rows in fallback 2. */
#define FALLBACK_COMPLIANCE 1e-9
/* Part of the residual without impulses: largest effect of that compliance in a solution. */
#define MAX_COMPLIANT_VIOLATION 1e-6
/* Sweeps of fallbacks 5 and 6. */
#define FALLBACK_SWEEPS 200
/* Iterations of cone before targets that may be contradictory are checked. Without a solution it takes thousands, with
   one 5 to 50. */
#define FIRST_TRY_ITERATIONS 100
/* Most rows for lemke, and for quick, whose cost per sweep is quadratic in the rows of an island here. */
#define LEMKE_MAX_ROWS 60
#define QUICK_MAX_ROWS 600

/* Part of the residual without impulses: a better solution starts no fallback, since others would not come closer. */
#define ACCEPTED_RESIDUAL 1e-6

/* The requested solver. */
typedef struct Request {
    const RgSolver *solver;
    RgArena *arena;
    const RgRowOptions *options;
    int first; /* iterations of its first attempt; 0: as in the options */
} Request;

typedef struct Fallback {
    const RgSolver *solver;
    bool compliant;
} Fallback;

/* State of the fallback chain. */
typedef struct Chain {
    RgProblem *p;
    bool has_fallbacks;     /* fallbacks are allowed; otherwise only s_free is allocated */
    double *s_free, *guess; /* nu, n: free velocities and initial guess */
    double *s, *z, *stiff;  /* nu, n: the best solution so far; n: original compliance */
    bool *moved;            /* nu: scratch of second_answer.c */
    double size;            /* m/s: residual without impulses */
    double residual;        /* m/s: residual of the best solution; infinite: none yet */
    RgSavedTargets saved;   /* original targets */
    RgTargetsReport targets;
    RgSolveReport report; /* report of the best solution */
} Chain;

static bool alloc_chain(RgArena *memory, Chain *l)
{
    size_t n = (size_t)l->p->n, nu = (size_t)l->p->nu;
    rg_arena_reset(memory);
    l->s_free = RG_ARENA_ALLOC_RAW(memory, double, nu);
    if (memory->failed)
        return false;
    memcpy(l->s_free, l->p->s, nu * sizeof *l->s);
    if (!l->has_fallbacks)
        return true;
    l->s = RG_ARENA_ALLOC_RAW(memory, double, nu);
    l->guess = RG_ARENA_ALLOC_RAW(memory, double, n);
    l->z = RG_ARENA_ALLOC_RAW(memory, double, n);
    l->stiff = RG_ARENA_ALLOC_RAW(memory, double, n);
    l->moved = RG_ARENA_ALLOC_RAW(memory, bool, nu);
    if (memory->failed)
        return false;
    memcpy(l->guess, l->p->z, n * sizeof *l->z);
    memcpy(l->stiff, l->p->compliance, n * sizeof *l->stiff);
    return true;
}

static void add_compliance(RgProblem *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->compliance[i] == 0.0)
            p->compliance[i] = FALLBACK_COMPLIANCE * rg_problem_diagonal(p, i);
}

/* m/s: largest velocity error that the added compliance causes. */
static double compliant_violation(const Chain *l)
{
    double most = 0.0;
    for (int i = 0; i < l->p->n; i++)
        most = fmax(most, (l->p->compliance[i] - l->stiff[i]) * fabs(l->p->z[i]));
    return most;
}

static bool all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Runs one fallback; stores its solution if it is the best. True: the chain ends. */
static bool try_fallback(Chain *l, RgArena *arena, const Fallback *fallback, const RgRowOptions *o, RgStatus *status)
{
    RgProblem *p = l->p;
    RgRowOptions own = *o;
    RgSolveReport report = {.residual = {.worst = -1}};
    memcpy(p->s, l->s_free, (size_t)p->nu * sizeof *p->s);
    memcpy(p->z, l->guess, (size_t)p->n * sizeof *p->z);
    if (fallback->compliant)
        add_compliance(p);
    own.pgs.iterations = fallback->solver->exact ? own.pgs.iterations : FALLBACK_SWEEPS;
    own.quick = rg_quick_options_default();
    own.quick.max_sweeps = FALLBACK_SWEEPS;
    own.quick.tolerance = o->exact.tolerance;
    *status = fallback->solver->solve_rows(arena, p, &own, &report);
    if (fallback->compliant &&
        !(compliant_violation(l) <= MAX_COMPLIANT_VIOLATION * l->size)) { /* the rows contradict each other */
        report.converged = false;
        report.outcome = report.outcome == RG_SOLVE_SOLVED ? RG_SOLVE_ITERATIONS : report.outcome;
    }
    memcpy(p->compliance, l->stiff, (size_t)p->n * sizeof *p->compliance);
    if (*status == RG_ERR_MEMORY)
        return true;
    bool ended = *status == RG_OK && all_finite(p->z, p->n) && all_finite(p->s, p->nu);
    double residual = ended ? rg_problem_residual(p, NULL, NULL).velocity : INFINITY;
    *status = RG_OK;
    if (!(residual < l->residual))
        return false;
    if (!fallback->solver->exact) {
        report.converged = residual <= o->exact.tolerance * l->size;
        report.outcome = report.converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    }
    l->residual = residual;
    l->report = report;
    l->report.by = fallback->solver;
    memcpy(l->s, p->s, (size_t)p->nu * sizeof *p->s);
    memcpy(l->z, p->z, (size_t)p->n * sizeof *p->z);
    return report.outcome == RG_SOLVE_SOLVED;
}

/* Runs the fallback chain after the requested solver has failed. */
static RgStatus run_fallbacks(Chain *l, RgArena *arena, const RgSolver *asked, const RgRowOptions *o,
                              RgSolveReport *report)
{
    RgProblem *p = l->p;
    const Fallback chain[] = {{asked, true},
                              {&rg_solver_cone, false},
                              {&rg_solver_lemke, false},
                              {&rg_solver_quick, false},
                              {&rg_solver_pgs, false}};
    bool skip_residual = p->skip_residual;
    RgStatus status = RG_OK;
    int tried = 0;
    memcpy(p->s, l->s_free, (size_t)p->nu * sizeof *p->s);
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    l->size = rg_problem_residual(p, NULL, NULL).velocity;
    p->skip_residual = true;
    int count = l->residual <= ACCEPTED_RESIDUAL * l->size ? 0 : (int)(sizeof chain / sizeof chain[0]);
    for (int k = 0; k < count; k++) {
        bool already_tried = asked == &rg_solver_cone && k < 2; /* cone has already done what these would do */
        bool too_many_rows = (chain[k].solver == &rg_solver_lemke && p->n > LEMKE_MAX_ROWS) ||
                             (chain[k].solver == &rg_solver_quick && p->n > QUICK_MAX_ROWS);
        if (already_tried || too_many_rows)
            continue;
        tried++;
        if (try_fallback(l, arena, &chain[k], o, &status))
            break;
    }
    p->skip_residual = skip_residual;
    if (status != RG_OK || !isfinite(l->residual))
        return status != RG_OK ? status : RG_ERR_NOT_CONVERGED;
    memcpy(p->s, l->s, (size_t)p->nu * sizeof *p->s);
    memcpy(p->z, l->z, (size_t)p->n * sizeof *p->z);
    *report = l->report;
    report->fallbacks = tried;
    if (!skip_residual)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}

static bool is_solution(const RgProblem *p, RgStatus status)
{
    return status == RG_OK && all_finite(p->z, p->n) && all_finite(p->s, p->nu);
}

/* Runs the requested solver without an initial guess. */
static RgStatus solve_from_zero(Chain *l, const Request *a, RgSolveReport *report)
{
    RgProblem *p = l->p;
    memcpy(p->s, l->s_free, (size_t)p->nu * sizeof *p->s);
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    return a->solver->solve_rows(a->arena, p, a->options, report);
}

static bool has_solved(const RgProblem *p, RgStatus status, const RgSolveReport *report)
{
    return is_solution(p, status) && report->outcome == RG_SOLVE_SOLVED;
}

/* Whether the problem is solved and its targets, perhaps replaced, are met. */
static bool targets_settled(const Chain *l, RgStatus status, const RgSolveReport *report)
{
    return has_solved(l->p, status, report) && !rg_targets_suspected(l->p, l->saved.speed);
}

/* Runs the fallbacks unless the requested solver has solved the problem. */
static RgStatus solve_with_fallbacks(Chain *l, const Request *a, RgStatus status, RgSolveReport *report)
{
    RgProblem *p = l->p;
    report->by = a->solver;
    if (!l->has_fallbacks || status == RG_ERR_MEMORY || has_solved(p, status, report))
        return status;
    l->residual = INFINITY;
    memcpy(l->stiff, p->compliance, (size_t)p->n * sizeof *l->stiff);
    if (is_solution(p, status)) {
        l->residual = rg_problem_residual(p, NULL, NULL).velocity;
        l->report = *report;
        memcpy(l->s, p->s, (size_t)p->nu * sizeof *p->s);
        memcpy(l->z, p->z, (size_t)p->n * sizeof *p->z);
    }
    return run_fallbacks(l, a->arena, a->solver, a->options, report);
}

/* Solves with spring-like targets, then with the velocities reached as targets. Keeps the second solution if its
   targets are met, otherwise the first. */
static RgStatus relax_targets(Chain *l, RgArena *memory, const Request *a, RgSolveReport *report)
{
    RgProblem *p = l->p;
    size_t n = (size_t)p->n, nu = (size_t)p->nu;
    double *s = RG_ARENA_ALLOC_RAW(memory, double, p->nu), *z = RG_ARENA_ALLOC_RAW(memory, double, p->n);
    if (memory->failed)
        return RG_ERR_MEMORY;
    rg_targets_soften(p, &l->saved);
    RgStatus status = solve_from_zero(l, a, report);
    status = solve_with_fallbacks(l, a, status, report);
    if (!is_solution(p, status))
        return status;
    RgSolveReport soft = *report;
    memcpy(s, p->s, nu * sizeof *s);
    memcpy(z, p->z, n * sizeof *z);
    rg_targets_adopt_reached(p, &l->saved);
    l->targets.jammed = true;
    status = solve_from_zero(l, a, report);
    if (status == RG_ERR_MEMORY || targets_settled(l, status, report))
        return status;
    *report = soft;
    memcpy(p->s, s, nu * sizeof *s);
    memcpy(p->z, z, n * sizeof *z);
    return RG_OK;
}

/* Replaces unattainable targets (attainable_targets.h) and solves again. */
static RgStatus replace_targets(Chain *l, RgArena *memory, const Request *a, RgStatus status, RgSolveReport *report)
{
    bool cut_short = a->first > 0 && !has_solved(l->p, status, report);
    RgProblem *p = l->p;
    double *s = RG_ARENA_ALLOC_RAW(memory, double, p->nu);
    if (s == NULL || !rg_targets_save(memory, p, l->s_free, &l->saved))
        return RG_ERR_MEMORY;
    memcpy(s, p->s, (size_t)p->nu * sizeof *s);
    memcpy(p->s, l->s_free, (size_t)p->nu * sizeof *s);
    if (!rg_targets_replace(memory, p, &l->saved, &l->targets))
        return RG_ERR_MEMORY;
    if (l->targets.contradict) {
        if (l->has_fallbacks)
            memset(l->guess, 0, (size_t)p->n * sizeof *l->guess);
        status = solve_from_zero(l, a, report);
    } else {
        if (cut_short) /* continues from the last iterate */
            status = a->solver->solve_rows(a->arena, p, a->options, report);
        else
            memcpy(p->s, s, (size_t)p->nu * sizeof *s);
        status = solve_with_fallbacks(l, a, status, report);
    }
    if (status == RG_ERR_MEMORY || targets_settled(l, status, report))
        return status;
    return relax_targets(l, memory, a, report);
}

/* Runs the requested solver, then the fallbacks. */
static RgStatus solve_chain(Chain *l, RgArena *memory, Request *a, RgSolveReport *report)
{
    RgProblem *p = l->p;
    bool asks = a->solver->exact && rg_targets_any(p),
         cone = a->solver == &rg_solver_cone || a->solver == &rg_solver_cone_convex;
    RgRowOptions first = *a->options;
    if (asks && cone && first.exact.max_iterations == 0)
        first.exact.max_iterations = a->first = FIRST_TRY_ITERATIONS;
    RgStatus status = a->solver->solve_rows(a->arena, p, &first, report);
    if (status == RG_ERR_MEMORY || !asks)
        return status == RG_ERR_MEMORY ? status : solve_with_fallbacks(l, a, status, report);
    if (has_solved(p, status, report) && !rg_targets_suspected(p, rg_targets_speed(p, l->s_free)))
        return solve_with_fallbacks(l, a, status, report);
    return replace_targets(l, memory, a, status, report);
}

/* Applies the energy guard to the solution and updates the report. */
static RgStatus apply_energy_guard(Chain *l, RgArena *memory, RgSolveReport *report)
{
    RgGuardReport found;
    if (!rg_energy_guard(memory, l->p, l->s_free, &found))
        return RG_ERR_MEMORY;
    if (found.islands == 0)
        return RG_OK;
    report->guarded = found.islands;
    report->excess = found.excess;
    report->converged = false;
    report->outcome = report->outcome == RG_SOLVE_SOLVED ? RG_SOLVE_ITERATIONS : report->outcome;
    if (!l->p->skip_residual)
        report->residual = rg_problem_residual(l->p, NULL, l->p->rate);
    return RG_OK;
}

RgStatus rg_fallback_chain_solve(RgArena *memory, RgArena *arena, const RgSolver *asked, RgProblem *p,
                                 const RgRowOptions *o, RgSolveReport *report)
{
    Chain l = {.p = p, .has_fallbacks = asked->exact && o->exact.fallback, .residual = INFINITY};
    if (!alloc_chain(memory, &l))
        return RG_ERR_MEMORY;
    RgStatus status = solve_chain(&l, memory, &(Request){asked, arena, o, 0}, report);
    if (status == RG_OK && l.has_fallbacks && !p->skip_residual && report->outcome == RG_SOLVE_SOLVED)
        report->others = rg_second_solution(arena, p, o, &(RgSecondSolution){l.s_free, l.guess, l.s, l.z, l.moved});
    status = status == RG_OK ? apply_energy_guard(&l, memory, report) : status;
    rg_targets_restore(p, &l.saved);
    report->contradictions = l.targets.islands + l.targets.jammed;
    report->proven = l.targets.proven;
    return status;
}
