/*
 * ladder.c - fallback chain of exact solvers (ladder.h).
 *
 *   1  the solver that was asked for
 *   2  the same, where it pivots: rows without softness get C = SOFT A_ii, which makes dependent rows regular
 *   3  cone: solves or comes near where pivots find no end
 *   4  lemke, where there are few rows: with much friction answers may lie far from any path that leads downhill
 *   5  quick, where rows are not too many: sweeps over whole contacts, accelerated. Of random problems with friction to 100 it
 *      has 939, 919, 898, 591 of 1000 below 1e-6 after 200 sweeps (shapes of random_bodies.h), pgs 926, 885, 877, 494
 *   6  pgs: sweeps, which always end somewhere
 *
 * Each fallback begins with the first guess; its residual is that of the problem as it was given, whatever it solved itself; one that
 * reports solved ends the chain, if rows miss no more than those of the last did; softer rows only where that they are softer
 * makes next to no difference: rows that contradict each other are not solved by giving way. Sweeps are solved where the
 * residual says so, not they. Whatever comes out passes the energy guard.
 */
#include "solver/ladder.h"

#include "solver/energy_guard.h"

#include <math.h>
#include <string.h>

/* Softness of the second solver, of A_ii; what it may give way, of what rows miss without impulses; sweeps of the last two; rows
   at most for lemke, and for quick, whose sweeps cost their square here. */
#define SOFT 1e-9
#define GIVES_WAY 1e-6
#define SWEEPS 200
#define FEW 60
#define SOME 600

/* An answer that misses less than this part of the problem's size is not tried again: others would come no nearer. */
#define NEAR 1e-6

typedef struct Rung {
    const RgSolver *solver;
    bool softer;
} Rung;

/* What is tried again. */
typedef struct Ladder {
    RgProblem *p;
    bool falls;             /* others are tried; else there is s_free alone */
    double *s_free, *guess; /* nu, n: as they were given */
    double *s, *z, *stiff;  /* nu, n: the best; n: compliance as it was given */
    double size;            /* m/s: what rows miss without impulses */
    double residual;        /* m/s, of the best; infinite: there is none */
    RgSolveReport report;   /* of the best */
} Ladder;

static bool take(RgArena *memory, Ladder *l)
{
    size_t n = (size_t)l->p->n, nu = (size_t)l->p->nu;
    rg_arena_reset(memory);
    l->s_free = RG_TAKE_RAW(memory, double, nu);
    if (memory->failed)
        return false;
    memcpy(l->s_free, l->p->s, nu * sizeof *l->s);
    if (!l->falls)
        return true;
    l->s = RG_TAKE_RAW(memory, double, nu);
    l->guess = RG_TAKE_RAW(memory, double, n);
    l->z = RG_TAKE_RAW(memory, double, n);
    l->stiff = RG_TAKE_RAW(memory, double, n);
    if (memory->failed)
        return false;
    memcpy(l->guess, l->p->z, n * sizeof *l->z);
    memcpy(l->stiff, l->p->compliance, n * sizeof *l->stiff);
    return true;
}

static void soften(RgProblem *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->compliance[i] == 0.0)
            p->compliance[i] = SOFT * rg_problem_diagonal(p, i);
}

/* m/s: how far the present impulses push rows that were made softer. */
static double given_way(const Ladder *l)
{
    double most = 0.0;
    for (int i = 0; i < l->p->n; i++)
        most = fmax(most, (l->p->compliance[i] - l->stiff[i]) * fabs(l->p->z[i]));
    return most;
}

static bool is_number(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* One fallback; keeps its answer if it is the best. True: no more are needed. */
static bool try_rung(Ladder *l, RgArena *arena, const Rung *rung, const RgRowOptions *o, RgStatus *status)
{
    RgProblem *p = l->p;
    RgRowOptions own = *o;
    RgSolveReport report = {.residual = {.worst = -1}};
    memcpy(p->s, l->s_free, (size_t)p->nu * sizeof *p->s);
    memcpy(p->z, l->guess, (size_t)p->n * sizeof *p->z);
    if (rung->softer)
        soften(p);
    own.pgs.iterations = rung->solver->exact ? own.pgs.iterations : SWEEPS;
    own.quick = rg_quick_options_default();
    own.quick.max_sweeps = SWEEPS;
    own.quick.tolerance = o->exact.tolerance;
    *status = rung->solver->solve_rows(arena, p, &own, &report);
    if (rung->softer && !(given_way(l) <= GIVES_WAY * l->size)) { /* rows that contradict each other */
        report.converged = false;
        report.outcome = report.outcome == RG_SOLVE_SOLVED ? RG_SOLVE_ITERATIONS : report.outcome;
    }
    memcpy(p->compliance, l->stiff, (size_t)p->n * sizeof *p->compliance);
    if (*status == RG_ERR_MEMORY)
        return true;
    bool ended = *status == RG_OK && is_number(p->z, p->n) && is_number(p->s, p->nu);
    double residual = ended ? rg_problem_residual(p, NULL, NULL).velocity : INFINITY;
    *status = RG_OK;
    if (!(residual < l->residual))
        return false;
    if (!rung->solver->exact) {
        report.converged = residual <= o->exact.tolerance * l->size;
        report.outcome = report.converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    }
    l->residual = residual;
    l->report = report;
    l->report.by = rung->solver;
    memcpy(l->s, p->s, (size_t)p->nu * sizeof *p->s);
    memcpy(l->z, p->z, (size_t)p->n * sizeof *p->z);
    return report.outcome == RG_SOLVE_SOLVED;
}

/* The last answer was none: the fallback chain. */
static RgStatus fall(Ladder *l, RgArena *arena, const RgSolver *asked, const RgRowOptions *o,
                     RgSolveReport *report)
{
    RgProblem *p = l->p;
    const Rung rungs[] = {{asked, true},
                          {&rg_solver_cone, false},
                          {&rg_solver_lemke, false},
                          {&rg_solver_quick, false},
                          {&rg_solver_pgs, false}};
    bool unjudged = p->unjudged;
    RgStatus status = RG_OK;
    int falls = 0;
    memcpy(p->s, l->s_free, (size_t)p->nu * sizeof *p->s);
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    l->size = rg_problem_residual(p, NULL, NULL).velocity;
    p->unjudged = true;
    int count = l->residual <= NEAR * l->size ? 0 : (int)(sizeof rungs / sizeof rungs[0]);
    for (int k = 0; k < count; k++) {
        bool again = asked == &rg_solver_cone && k < 2; /* it has done what these would */
        bool many = (rungs[k].solver == &rg_solver_lemke && p->n > FEW) ||
                    (rungs[k].solver == &rg_solver_quick && p->n > SOME);
        if (again || many)
            continue;
        falls++;
        if (try_rung(l, arena, &rungs[k], o, &status))
            break;
    }
    p->unjudged = unjudged;
    if (status != RG_OK || !isfinite(l->residual))
        return status != RG_OK ? status : RG_ERR_NOT_CONVERGED;
    memcpy(p->s, l->s, (size_t)p->nu * sizeof *p->s);
    memcpy(p->z, l->z, (size_t)p->n * sizeof *p->z);
    *report = l->report;
    report->falls = falls;
    if (!unjudged)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}

/* The solver that was asked for, and others after it. */
static RgStatus solve(Ladder *l, RgArena *arena, const RgSolver *asked, const RgRowOptions *o,
                      RgSolveReport *report)
{
    RgProblem *p = l->p;
    RgStatus status = asked->solve_rows(arena, p, o, report);
    if (!l->falls)
        return status;
    bool ended = status == RG_OK && is_number(p->z, p->n) && is_number(p->s, p->nu);
    report->by = asked;
    if (status == RG_ERR_MEMORY || (ended && report->outcome == RG_SOLVE_SOLVED))
        return status;
    if (ended) {
        l->residual = rg_problem_residual(p, NULL, NULL).velocity;
        l->report = *report;
        memcpy(l->s, p->s, (size_t)p->nu * sizeof *p->s);
        memcpy(l->z, p->z, (size_t)p->n * sizeof *p->z);
    }
    return fall(l, arena, asked, o, report);
}

/* No answer adds energy, whichever solver gave it. */
static RgStatus guard(Ladder *l, RgArena *memory, RgSolveReport *report)
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
    if (!l->p->unjudged)
        report->residual = rg_problem_residual(l->p, NULL, l->p->rate);
    return RG_OK;
}

RgStatus rg_ladder_solve(RgArena *memory, RgArena *arena, const RgSolver *asked, RgProblem *p,
                         const RgRowOptions *o, RgSolveReport *report)
{
    Ladder l = {.p = p, .falls = asked->exact && o->exact.fall, .residual = INFINITY};
    if (!take(memory, &l))
        return RG_ERR_MEMORY;
    RgStatus status = solve(&l, arena, asked, o, report);
    return status == RG_OK ? guard(&l, memory, report) : status;
}
