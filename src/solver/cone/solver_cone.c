/*
 * solver_cone.c - solver `cone`: a problem of rows to a residual, with Coulomb's law exactly; and `cone-convex`, the
 * same with the associated law (cone_associated.c). Island by island (cone_islands.c), each by the proximal method
 * (cone_proximal.c).
 *
 * A contact is a normal and its friction rows: two tangents, torsion, two of rolling, each bounded by the same normal.
 */
#include "solver/cone/cone_islands.h"
#include "solver/cone/cone_state.h"
#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

/* Sweeps and steps at most, unless set. A tower hit by a ball took up to 5,316 (docs/solver-figures.md). */
#define MOST 6000

/* Of all numbers that a row's velocity is the sum of, so much is round-off. */
#define ROUND 4e-16

/* Size of a problem: what rows miss without impulses, m/s; and what of it is round-off. s is what it is without them.
   Returns false if an input is NaN or infinite. */
static bool find_size(RgProblem *p, double *z, double *size, double *round)
{
    bool numbers = true;
    *round = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        double sum = fabs(p->target[i]);
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            sum += fabs(p->values[e] * p->s[p->columns[e]]);
        *round = fmax(*round, ROUND * sum);
        numbers = numbers && isfinite(sum) && isfinite(p->compliance[i]) && !isnan(p->low[i]) && !isnan(p->high[i]);
    }
    double *given = p->z;
    p->z = z;
    memset(z, 0, (size_t)p->n * sizeof *z);
    *size = rg_problem_residual(p, NULL, NULL).velocity;
    p->z = given;
    return numbers && isfinite(*size);
}

/* ------------------------------------------------------------------ solve */

static bool take(RgCone *c)
{
    RgConeRows *rows = &c->rows;
    size_t n = (size_t)rows->p->n;
    if (!rg_cone_rows_take(rows))
        return false;
    c->w = RG_TAKE_RAW(rows->arena, double, n);
    c->best = RG_TAKE_RAW(rows->arena, double, n);
    c->change = RG_TAKE_RAW(rows->arena, double, n);
    c->block = RG_TAKE_RAW(rows->arena, double, 9 * (size_t)rows->ngroups);
    c->inverse = RG_TAKE_RAW(rows->arena, double, 9 * (size_t)rows->ngroups);
    if (rows->arena->failed)
        return false;
    rg_cone_sweep_prepare(c);
    return true;
}

static int most(const RgExactOptions *o)
{
    return o->max_iterations > 0 ? o->max_iterations : MOST;
}

/* No impulses. */
static void let_go(RgCone *c)
{
    RgProblem *p = c->rows.p;
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    memcpy(p->s, c->rows.s_free, (size_t)p->nu * sizeof *p->s);
}

typedef struct Task {
    const RgExactOptions *options;
    double size; /* of the whole problem; 0: some of its numbers are none */
    bool associated;
} Task;

/* One problem whose rows all hang together. Where Coulomb's law holds without impulses, as between bodies that move
   apart, groups and memory of the method are not made at all. */
static bool solve_one(const void *context, RgArena *arena, RgProblem *p, RgSolveReport *report)
{
    const Task *task = context;
    RgCone c = {.rows = {.p = p, .arena = arena}, .size = task->size, .associated = task->associated};
    double *zero = RG_TAKE_RAW(arena, double, p->n);
    *report = (RgSolveReport){.outcome = RG_SOLVE_ITERATIONS};
    if (zero == NULL)
        return false;
    bool numbers = find_size(p, zero, &c.own_size, &c.round);
    if (numbers && !task->associated && !(c.own_size > c.round)) {
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
        report->converged = true;
        return true;
    }
    if (!take(&c))
        return false;
    for (int i = 0; i < p->n; i++)
        p->z[i] = isfinite(p->z[i]) ? p->z[i] : 0.0; /* a guess that is none */
    c.size = c.size > 0.0 ? c.size : fmax(c.own_size, c.round);
    if (!numbers)
        report->outcome = RG_SOLVE_SINGULAR;
    else if (!(task->associated ? rg_cone_associated_solve : rg_cone_proximal_solve)(&c, task->options,
                                                                                     most(task->options), report))
        return false;
    if (report->outcome == RG_SOLVE_SINGULAR)
        let_go(&c);
    return !arena->failed;
}

static RgStatus solve_all(RgArena *arena, RgProblem *p, const RgRowOptions *o, bool associated, RgSolveReport *report)
{
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = true};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    double *z = RG_TAKE_RAW(arena, double, p->n), size, round;
    if (z == NULL)
        return RG_ERR_MEMORY;
    bool numbers = find_size(p, z, &size, &round);
    Task task = {&o->exact, numbers ? fmax(size, round) : 0.0, associated};
    RgConeIslandSolve solve = {&task, solve_one};
    bool none = numbers && !associated && size == 0.0; /* no row needs an impulse: no islands either */
    if (none)
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    else if (!rg_cone_islands_solve(&solve, arena, p, report))
        return RG_ERR_MEMORY;
    if (!report->converged && report->outcome == RG_SOLVE_SOLVED)
        report->outcome = RG_SOLVE_ITERATIONS;
    if (!p->unjudged)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    return solve_all(arena, p, o, false, report);
}

static RgStatus solve_rows_convex(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    return solve_all(arena, p, o, true, report);
}

static RgStatus solve_cones(RgArena *arena, RgConeBlocks *p, const RgRowOptions *o, RgSolveReport *report)
{
    return rg_cone_blocks_solve(arena, p, &o->exact, report);
}

const RgSolver rg_solver_cone = {.name = "cone",
                                 .summary = "Coulomb's law to a residual: proximal steps, Newton's method (exact)",
                                 .solve_rows = solve_rows,
                                 .solve_cones = solve_cones,
                                 .exact = true,
                                 .least_norm = true};

const RgSolver rg_solver_cone_convex = {.name = "cone-convex",
                                        .summary =
                                            "the associated law: convex, sliding bodies float up by h mu v (exact)",
                                        .solve_rows = solve_rows_convex,
                                        .exact = true};
