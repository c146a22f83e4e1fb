/*
 * ladder.c - fallback chain of exact solvers (ladder.h).
 *
 *   1 the solver that was asked for 2 the same, where it pivots: rows without softness get C = SOFT A_ii, which makes
 *   dependent rows regular 3 cone: solves or comes near where pivots find no end 4 lemke, where there are few rows:
 *   with much friction answers may lie far from any path that leads downhill 5 quick, where rows are not too many:
 *   sweeps over whole contacts, accelerated. Of random problems with friction to 100 it
 *      has 939, 919, 898, 591 of 1000 below 1e-6 after 200 sweeps (shapes of random_bodies.h), pgs 926, 885, 877, 494
 *   6  pgs: sweeps, which always end somewhere
 *
 * Each fallback begins with the first guess; its residual is that of the problem as it was given, whatever it solved
 * itself; one that reports solved ends the chain, if rows miss no more than those of the last did; softer rows only
 * where that they are softer makes next to no difference: rows that contradict each other are not solved by giving way.
 * Sweeps are solved where the residual says so, not they. Whatever comes out passes the energy guard. Before all this,
 * targets without bounds that seem to contradict others are checked, and replaced by the nearest that can be met
 * (attainable_targets.c).
 */
#include "solver/ladder.h"

#include "solver/attainable_targets.h"
#include "solver/energy_guard.h"
#include "solver/second_answer.h"

#include <math.h>
#include <string.h>

/* Softness of the second solver, of A_ii; what it may give way, of what rows miss without impulses; sweeps of the last
   two; rows at most for lemke, and for quick, whose sweeps cost their square here. */
#define SOFT 1e-9
#define GIVES_WAY 1e-6
#define SWEEPS 200
/* Iterations of cone before targets that may contradict are checked: it takes thousands where there is no solution, and
   5 to 50 where there is. */
#define FIRST 100
#define FEW 60
#define SOME 600

/* An answer that misses less than this part of the problem's size is not tried again: others would come no nearer. */
#define NEAR 1e-6

/* The solver that was asked for. */
typedef struct Asked {
    const RgSolver *solver;
    RgArena *arena;
    const RgRowOptions *options;
    int first; /* iterations of its first try; 0: as the options say */
} Asked;

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
    bool *moved;            /* nu: memory of second_answer.c */
    double size;            /* m/s: what rows miss without impulses */
    double residual;        /* m/s, of the best; infinite: there is none */
    RgTargetsHeld held;     /* targets as they were asked for */
    RgTargetsReport targets;
    RgSolveReport report; /* of the best */
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
    l->moved = RG_TAKE_RAW(memory, bool, nu);
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
static RgStatus fall(Ladder *l, RgArena *arena, const RgSolver *asked, const RgRowOptions *o, RgSolveReport *report)
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
        bool many =
            (rungs[k].solver == &rg_solver_lemke && p->n > FEW) || (rungs[k].solver == &rg_solver_quick && p->n > SOME);
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

static bool is_answer(const RgProblem *p, RgStatus status)
{
    return status == RG_OK && is_number(p->z, p->n) && is_number(p->s, p->nu);
}

/* The solver that was asked for, from no impulses. */
static RgStatus solve_anew(Ladder *l, const Asked *a, RgSolveReport *report)
{
    RgProblem *p = l->p;
    memcpy(p->s, l->s_free, (size_t)p->nu * sizeof *p->s);
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    return a->solver->solve_rows(a->arena, p, a->options, report);
}

static bool has_solved(const RgProblem *p, RgStatus status, const RgSolveReport *report)
{
    return is_answer(p, status) && report->outcome == RG_SOLVE_SOLVED;
}

/* Whether targets are met, or given up for what can be. */
static bool targets_settled(const Ladder *l, RgStatus status, const RgSolveReport *report)
{
    return has_solved(l->p, status, report) && !rg_targets_suspected(l->p, l->held.speed);
}

/* The others, from no impulses where targets are not those that were asked for. */
static RgStatus try_others(Ladder *l, const Asked *a, RgStatus status, RgSolveReport *report)
{
    RgProblem *p = l->p;
    report->by = a->solver;
    if (!l->falls || status == RG_ERR_MEMORY || has_solved(p, status, report))
        return status;
    l->residual = INFINITY;
    memcpy(l->stiff, p->compliance, (size_t)p->n * sizeof *l->stiff);
    if (is_answer(p, status)) {
        l->residual = rg_problem_residual(p, NULL, NULL).velocity;
        l->report = *report;
        memcpy(l->s, p->s, (size_t)p->nu * sizeof *p->s);
        memcpy(l->z, p->z, (size_t)p->n * sizeof *p->z);
    }
    return fall(l, a->arena, a->solver, a->options, report);
}

/* Targets give way like springs; then what they have come to is asked for. What is better kept: the latter, where it is
   settled. */
static RgStatus give_way(Ladder *l, RgArena *memory, const Asked *a, RgSolveReport *report)
{
    RgProblem *p = l->p;
    size_t n = (size_t)p->n, nu = (size_t)p->nu;
    double *s = RG_TAKE_RAW(memory, double, p->nu), *z = RG_TAKE_RAW(memory, double, p->n);
    if (memory->failed)
        return RG_ERR_MEMORY;
    rg_targets_soften(p, &l->held);
    RgStatus status = solve_anew(l, a, report);
    status = try_others(l, a, status, report);
    if (!is_answer(p, status))
        return status;
    RgSolveReport soft = *report;
    memcpy(s, p->s, nu * sizeof *s);
    memcpy(z, p->z, n * sizeof *z);
    rg_targets_settle(p, &l->held);
    l->targets.jammed = true;
    status = solve_anew(l, a, report);
    if (status == RG_ERR_MEMORY || targets_settled(l, status, report))
        return status;
    *report = soft;
    memcpy(p->s, s, nu * sizeof *s);
    memcpy(p->z, z, n * sizeof *z);
    return RG_OK;
}

/* Targets without bounds that cannot be met are replaced by what can be (attainable_targets.h). */
static RgStatus meet_targets(Ladder *l, RgArena *memory, const Asked *a, RgStatus status, RgSolveReport *report)
{
    bool cut_short = a->first > 0 && !has_solved(l->p, status, report);
    RgProblem *p = l->p;
    double *s = RG_TAKE_RAW(memory, double, p->nu);
    if (s == NULL || !rg_targets_hold(memory, p, l->s_free, &l->held))
        return RG_ERR_MEMORY;
    memcpy(s, p->s, (size_t)p->nu * sizeof *s);
    memcpy(p->s, l->s_free, (size_t)p->nu * sizeof *s);
    if (!rg_targets_replace(memory, p, &l->held, &l->targets))
        return RG_ERR_MEMORY;
    if (l->targets.contradict) {
        if (l->falls)
            memset(l->guess, 0, (size_t)p->n * sizeof *l->guess);
        status = solve_anew(l, a, report);
    } else {
        if (cut_short) /* goes on from where it was */
            status = a->solver->solve_rows(a->arena, p, a->options, report);
        else
            memcpy(p->s, s, (size_t)p->nu * sizeof *s);
        status = try_others(l, a, status, report);
    }
    if (status == RG_ERR_MEMORY || targets_settled(l, status, report))
        return status;
    return give_way(l, memory, a, report);
}

/* The solver that was asked for, and others after it. */
static RgStatus solve(Ladder *l, RgArena *memory, Asked *a, RgSolveReport *report)
{
    RgProblem *p = l->p;
    bool asks = a->solver->exact && rg_targets_any(p),
         cone = a->solver == &rg_solver_cone || a->solver == &rg_solver_cone_convex;
    RgRowOptions first = *a->options;
    if (asks && cone && first.exact.max_iterations == 0)
        first.exact.max_iterations = a->first = FIRST;
    RgStatus status = a->solver->solve_rows(a->arena, p, &first, report);
    if (status == RG_ERR_MEMORY || !asks)
        return status == RG_ERR_MEMORY ? status : try_others(l, a, status, report);
    if (has_solved(p, status, report) && !rg_targets_suspected(p, rg_targets_speed(p, l->s_free)))
        return try_others(l, a, status, report);
    return meet_targets(l, memory, a, status, report);
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

RgStatus rg_ladder_solve(RgArena *memory, RgArena *arena, const RgSolver *asked, RgProblem *p, const RgRowOptions *o,
                         RgSolveReport *report)
{
    Ladder l = {.p = p, .falls = asked->exact && o->exact.fallback, .residual = INFINITY};
    if (!take(memory, &l))
        return RG_ERR_MEMORY;
    RgStatus status = solve(&l, memory, &(Asked){asked, arena, o, 0}, report);
    if (status == RG_OK && l.falls && !p->unjudged && report->outcome == RG_SOLVE_SOLVED)
        report->others = rg_second_answer(arena, p, o, &(RgSecondAnswer){l.s_free, l.guess, l.s, l.z, l.moved});
    status = status == RG_OK ? guard(&l, memory, report) : status;
    rg_targets_put_back(p, &l.held);
    report->contradictions = l.targets.islands + l.targets.jammed;
    report->proven = l.targets.proven;
    return status;
}
