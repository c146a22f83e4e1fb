/*
 * solver_cone.c - solver `cone`: a problem of rows with Coulomb's law, solved exactly to a residual; and `cone-convex`,
 * the same with the associated law (cone_associated.c). Islands are solved separately (cone_islands.c), by the proximal
 * method (cone_proximal.c).
 *
 * A contact is a normal and its friction rows: two tangents, torsion, two of rolling, each bounded by the same normal.
 */
#include "solver/cone/cone_islands.h"
#include "solver/cone/cone_state.h"
#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

/* Default limit of sweeps and Newton steps. A tower hit by a ball took up to 5,316 (docs/solver-figures.md). */
#define DEFAULT_MAX_ITERATIONS 6000

/* Round-off of a row velocity, as a part of the sum of the absolute values of its terms. */
#define ROUND_OFF_PART 4e-16

/* Size of a problem: residual without impulses, m/s, and the round-off in it. p->s must be s*. z: scratch (n). Returns
   false if an input is NaN or infinite. */
static bool find_size(RgProblem *p, double *z, double *size, double *round_off)
{
    bool finite = true;
    *round_off = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        double sum = fabs(p->target[i]);
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            sum += fabs(p->values[e] * p->s[p->columns[e]]);
        *round_off = fmax(*round_off, ROUND_OFF_PART * sum);
        finite = finite && isfinite(sum) && isfinite(p->compliance[i]) && !isnan(p->low[i]) && !isnan(p->high[i]);
    }
    double *given = p->z;
    p->z = z;
    memset(z, 0, (size_t)p->n * sizeof *z);
    *size = rg_problem_residual(p, NULL, NULL).velocity;
    p->z = given;
    return finite && isfinite(*size);
}

/* ------------------------------------------------------------------ solve */

static bool alloc_state(RgCone *c)
{
    RgConeRows *rows = &c->rows;
    size_t n = (size_t)rows->p->n;
    if (!rg_cone_rows_alloc(rows))
        return false;
    c->w = RG_ARENA_ALLOC_RAW(rows->arena, double, n);
    c->best = RG_ARENA_ALLOC_RAW(rows->arena, double, n);
    c->change = RG_ARENA_ALLOC_RAW(rows->arena, double, n);
    c->block = RG_ARENA_ALLOC_RAW(rows->arena, double, 9 * (size_t)rows->ngroups);
    c->inverse = RG_ARENA_ALLOC_RAW(rows->arena, double, 9 * (size_t)rows->ngroups);
    if (rows->arena->failed)
        return false;
    rg_cone_sweep_prepare(c);
    return true;
}

static int max_iterations(const RgExactOptions *o)
{
    return o->max_iterations > 0 ? o->max_iterations : DEFAULT_MAX_ITERATIONS;
}

static void clear_impulses(RgCone *c)
{
    RgProblem *p = c->rows.p;
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    memcpy(p->s, c->rows.s_free, (size_t)p->nu * sizeof *p->s);
}

typedef struct IslandTask {
    const RgExactOptions *options;
    double size; /* m/s, of the whole problem; 0: an input is NaN or infinite */
    bool associated;
} IslandTask;

/* Solves one island. Where Coulomb's law holds without impulses, as between separating bodies, groups and memory of the
   method are not set up. */
static bool solve_island(const void *context, RgArena *arena, RgProblem *p, RgSolveReport *report)
{
    const IslandTask *task = context;
    RgCone c = {.rows = {.p = p, .arena = arena}, .size = task->size, .associated = task->associated};
    double *zero = RG_ARENA_ALLOC_RAW(arena, double, p->n);
    *report = (RgSolveReport){.outcome = RG_SOLVE_ITERATIONS};
    if (zero == NULL)
        return false;
    bool finite = find_size(p, zero, &c.island_size, &c.round_off);
    if (finite && !task->associated && !(c.island_size > c.round_off)) {
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
        report->converged = true;
        return true;
    }
    if (!alloc_state(&c))
        return false;
    for (int i = 0; i < p->n; i++)
        p->z[i] = isfinite(p->z[i]) ? p->z[i] : 0.0; /* an initial guess that is not finite */
    c.size = c.size > 0.0 ? c.size : fmax(c.island_size, c.round_off);
    if (!finite)
        report->outcome = RG_SOLVE_SINGULAR;
    else if (!(task->associated ? rg_cone_associated_solve
                                : rg_cone_proximal_solve)(&c, task->options, max_iterations(task->options), report))
        return false;
    if (report->outcome == RG_SOLVE_SINGULAR)
        clear_impulses(&c);
    return !arena->failed;
}

static RgStatus solve_all(RgArena *arena, RgProblem *p, const RgRowOptions *o, bool associated, RgSolveReport *report)
{
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = true};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    double *z = RG_ARENA_ALLOC_RAW(arena, double, p->n), size, round_off;
    if (z == NULL)
        return RG_ERR_MEMORY;
    bool finite = find_size(p, z, &size, &round_off);
    IslandTask task = {&o->exact, finite ? fmax(size, round_off) : 0.0, associated};
    RgConeIslandSolve solve = {&task, solve_island};
    bool no_impulses = finite && !associated && size == 0.0; /* no row needs an impulse: islands are not needed */
    if (no_impulses)
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    else if (!rg_cone_islands_solve(&solve, arena, p, report))
        return RG_ERR_MEMORY;
    if (!report->converged && report->outcome == RG_SOLVE_SOLVED)
        report->outcome = RG_SOLVE_ITERATIONS;
    if (!p->skip_residual)
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
